"""Results laid out for reading: sections, chosen columns, cells as text.

A rate and its interval become one cell, ``81.6 ±0.3`` in per cent; rows that rest on few
games are left out and counted. Files and JSON are not laid out: they hold every row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from skatsim.reporting.session import COHORT_COLUMNS, Result
from skatsim.reporting.words import heading, value_word

__all__ = ["Cell", "Section", "sections"]

COUNTS: Final = ("games", "hands")
"""Names of the column that says what a row rests on."""

MAX_ROWS: Final = 60
"""A longer table of a report shows its totals only."""

LEAST_SHARE: Final = 0.001
"""Rows that rest on a smaller share of the games are not shown."""

_DASH: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value as it is read."""

    text: str
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table: what its rows have in common, headings, rows of cells, the totals among them.

    `hidden` is how many rows are left out because they rest on few games.
    """

    title: str
    headings: Sequence[str]
    numbers: Sequence[bool]
    rows: Sequence[Sequence[str]]
    totals: Sequence[bool]
    hidden: int = 0


def _number(value: float, digits: int, lang: str) -> str:
    text = f"{value:,.{digits}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")
    if lang == "de":
        text = text.translate(str.maketrans(",.", ".,"))
    return text


def _is_rate(name: str) -> bool:
    return name.endswith(("_rate", "_exact", "share", "_won"))


def _cell(name: str, row: Mapping[str, Any], lang: str, *, has_interval: bool) -> str:
    value = row[name]
    if value is None:
        return _DASH
    if isinstance(value, bool):
        return value_word("yes" if value else "no", lang)
    if isinstance(value, int):
        return _number(value, 0, lang)
    if isinstance(value, float):
        scale, digits = (100, 1) if _is_rate(name) else (1, 2)
        if name.endswith("_exact"):
            digits = 2
        low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
        if not has_interval or low is None or high is None:
            return _number(value * scale, digits, lang)
        reach = max(high - value, value - low) * scale  # near 0 and 1 the interval is lopsided
        if reach < 0.05:
            digits = 2
        return f"{_number(value * scale, digits, lang)} ±{_number(reach, digits, lang)}"
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return value_word(str(value), lang)


def _groups(result: Result) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Rows by what stands above their table: part, and runs, ruleset, policies.

    The rows of one's own question are one table in their own order, also without any.
    """
    if not result.statement.grain:
        yield "", result.rows()
        return
    names = [name for name in ("part", *COHORT_COLUMNS) if name in result.table.column_names]
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in result.rows():
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    for key, rows in groups.items():
        yield " · ".join(str(text) for text in key if text is not None), rows


def sections(result: Result, *, lang: str = "en", is_brief: bool = True) -> list[Section]:
    """The tables of a result.

    Parameters
    ----------
    result : the answer of a statement.
    lang : ``en`` or ``de``.
    is_brief : leave out rows that rest on few games, and of long tables all but the totals.
    """
    return [_section(result, title, rows, lang, is_brief) for title, rows in _groups(result)]


def _brief(result: Result, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a report that are worth reading at a glance."""
    grain = [name for name in result.statement.grain if name != "part" and name in rows[0]]
    if "status" in grain:  # what is rare there is what is looked for
        return rows
    count = next((name for name in COUNTS if name in rows[0]), None)
    if len(rows) > MAX_ROWS and len(grain) > 1:
        first, *others = grain
        totals = [
            row for row in rows if row[first] == "all" or all(row[name] == "all" for name in others)
        ]
        rows = totals or rows
    if count is None:
        return rows
    sizes = [row[count] or 0 for row in rows]  # null where nothing was counted
    least = max(sizes) * LEAST_SHARE
    return [row for row, size in zip(rows, sizes, strict=True) if size >= least]


def _section(
    result: Result, title: str, rows: list[dict[str, Any]], lang: str, is_brief: bool
) -> Section:
    is_report = bool(result.statement.grain)
    known = result.table.column_names
    wanted = [text.partition(" ")[::2] for text in result.statement.columns or known]
    names = [name for name, _ in wanted if name in known]
    with_interval = {name for name, sign in wanted if sign or not result.statement.columns}
    if is_report:
        names = [
            name
            for name in names
            if name not in ("part", *COHORT_COLUMNS)
            and any(row[name] is not None for row in rows)
            and not name.endswith(("_low", "_high"))
        ]
    hidden = 0
    if is_report and is_brief:
        shown = _brief(result, rows)
        hidden = len(rows) - len(shown)
        rows = shown
    words = title.split(" · ")
    return Section(
        title=" · ".join(value_word(text, lang) for text in words),
        headings=[heading(name, lang) if is_report else name for name in names],
        numbers=[
            all(not isinstance(row[name], str | bytes) or _is_whole(row[name]) for row in rows)
            for name in names
        ],
        rows=[
            [_cell(name, row, lang, has_interval=name in with_interval) for name in names]
            for row in rows
        ],
        totals=_totals(result, rows),
        hidden=hidden,
    )


def _totals(result: Result, rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Which rows add up others; where all do, those that add up everything."""
    grain = [name for name in result.statement.grain if rows and name in rows[0] and name != "part"]
    totals = [any(row[name] == "all" for name in grain) for row in rows]
    if all(totals):
        return [all(row[name] == "all" for name in grain) for row in rows]
    return totals


def _is_whole(text: Any) -> bool:
    return isinstance(text, str) and (text == "all" or text.lstrip("-").isdigit())
