"""Reports as one self-contained HTML page: tables, bars with their intervals, no network."""

import functools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from skatsim import __version__
from skatsim.archive import Archive, Run
from skatsim.arguments import check_path, check_texts
from skatsim.durable import whole_or_unchanged, write_whole
from skatsim.errors import ReportError
from skatsim.location import is_remote, locate
from skatsim.reporting import files
from skatsim.reporting.curves import PREFIX, curves
from skatsim.reporting.layout import sections
from skatsim.reporting.provenance import run_policies
from skatsim.reporting.session import COHORT_COLUMNS, Result, Session
from skatsim.reporting.words import heading, value_word, word

if TYPE_CHECKING:
    import jinja2
    import markupsafe

__all__ = ["page_html", "section_html", "write_page"]

CHART_LEAST_SHARE: Final = 0.0002
"""Bars that rest on a smaller share of the games are left out: their intervals fill the chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar; value, interval and exact value are shares of the axis."""

    label: str
    value: float
    low: float
    high: float
    exact: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A bar chart of rates with their intervals."""

    title: str
    bars: Sequence[Bar]
    ticks: Sequence[tuple[float, str]]
    has_exact: bool


def _parse_chart(text: str) -> tuple[str, str, dict[str, str]]:
    """``value by label where column = word and column = word``."""
    head, _, tail = text.partition(" where ")
    value, _, label = head.partition(" by ")
    conditions = dict(part.split(" = ", 1) for part in tail.split(" and ") if part)
    return value.strip(), label.strip(), {key.strip(): word for key, word in conditions.items()}


def _charts(result: Result, lang: str) -> list[Chart]:
    charts = []
    for text in result.statement.charts:
        if text.startswith(PREFIX):
            continue
        value, label, conditions = _parse_chart(text)
        rows = [
            row
            for row in result.rows()
            if all(str(row[key]) == wanted for key, wanted in conditions.items())
            and row[value] is not None
        ]
        names = [name for name in COHORT_COLUMNS if name in result.table.column_names]
        cohorts: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in rows:
            cohorts.setdefault(tuple(row[name] for name in names), []).append(row)
        for key, members in cohorts.items():
            title = " · ".join(
                [heading(value, lang) + " %", *(str(part) for part in key if part is not None)]
                + [
                    value_word(wanted, lang)
                    for column, wanted in conditions.items()
                    if wanted != "all" and column in ("contract", "part")
                ]
            )
            charts.append(_chart(title, members, value, label, lang))
    return charts


def _chart(
    title: str, rows: Sequence[Mapping[str, Any]], value: str, label: str, lang: str
) -> Chart:
    count = "hands" if "hands" in rows[0] else "games"
    least = max(row[count] for row in rows) * CHART_LEAST_SHARE
    rows = [row for row in rows if row[count] >= least]
    exact = value.removesuffix("_rate") + "_exact"
    top = max(row[f"{value}_high"] for row in rows)
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 1.0) if top <= step * 5.001)
    end = step * max(1, -(-top // step))
    bars = [
        Bar(
            label=value_word(str(row[label]), lang),
            value=row[value] / end,
            low=row[f"{value}_low"] / end,
            high=row[f"{value}_high"] / end,
            exact=None if row.get(exact) is None else row[exact] / end,
            text=f"{row[value] * 100:.1f}".replace(".", "," if lang == "de" else "."),
        )
        for row in rows
    ]
    ticks = [(k * step / end, f"{k * step * 100:g}") for k in range(round(end / step) + 1)]
    return Chart(
        title=title, bars=bars, ticks=ticks, has_exact=any(bar.exact is not None for bar in bars)
    )


@functools.cache
def _environment() -> "jinja2.Environment":
    import jinja2

    folder = Path(__file__).parent / "templates"
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _marked(note: str) -> "markupsafe.Markup":
    """A note with what stands between backticks as code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(note))))


def _view(result: Result, lang: str) -> dict[str, Any]:
    return {
        "name": result.name,
        "question": result.statement.question,
        "shared": " · ".join(result.shared.values()),
        "sections": sections(result, lang=lang),
        "charts": _charts(result, lang) if len(result) else [],
        "curves": curves(result, lang) if len(result) else [],
        "notes": [_marked(note) for note in result.notes],
    }


def section_html(result: Result) -> str:
    """A result as an HTML fragment: what a notebook shows."""
    template = _environment().get_template("section.html.j2")
    return template.render(report=_view(result, "en"), lang="en", word=word)


def page_html(
    results: Sequence[Result],
    *,
    runs: Sequence[Run] = (),
    lang: str = "en",
    title: str | None = None,
) -> str:
    """One page with results, and the runs they rest on where these are given."""
    provenance = [
        {
            "name": run.name,
            "source": run.manifest.source,
            "ruleset": run.manifest.ruleset_label,
            "policies": run_policies(run.manifest),
            "seed": "-" if run.manifest.seed is None else str(run.manifest.seed),
            "hands": f"{run.hands:,}".replace(",", "." if lang == "de" else ","),
            "created_at": run.manifest.created_at,
        }
        for run in runs
    ]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title or word("title", lang),
            lang=lang,
            reports=[_view(result, lang) for result in results],
            runs=provenance,
            version=__version__,
            word=word,
            heading=heading,
        )
    )


def write_page(
    archive: Archive | str | os.PathLike[str],
    runs: Sequence[str],
    reports: Sequence[str],
    path: str | os.PathLike[str],
    *,
    parameters: Mapping[str, Any] | None = None,
    studies: Sequence[Result] = (),
    lang: str = "en",
    title: str | None = None,
) -> Path:
    """Write several reports over runs of an archive into one HTML page.

    Parameters
    ----------
    archive : the archive or its folder.
    runs : names of the runs; none means all.
    reports : names of the reports; none means the three core ones, or no report beside studies.
    path : the file, or its URL.
    parameters : values for the reports that have such parameters.
    studies : answers that go before the reports.
    lang : ``en`` or ``de``.
    title : heading of the page.

    Returns
    -------
    The path of the file.

    Raises
    ------
    ReportError
        A report is not known or cannot be run, or the file cannot be written.
    """
    check_path(path, "path")
    names = check_texts(reports, "reports") or (() if studies else files.CORE_REPORTS)
    statements = [files.find_report(name) for name in names]
    if not statements and not runs:
        text = page_html(studies, lang=lang, title=title)
        return _written(path, text)
    with Session.open(archive, runs) as session:
        results = [
            session.run(
                statement,
                {
                    name: value
                    for name, value in (parameters or {}).items()
                    if name in statement.parameters
                },
            )
            for statement in statements
        ]
        text = page_html([*studies, *results], runs=session.runs, lang=lang, title=title)
    return _written(path, text)


def _written(path: str | os.PathLike[str], text: str) -> Path:
    """The path of a file, after the text was written to it."""
    target = locate(path)
    if is_remote(target):
        write_whole(target, text.encode())
        return target
    try:
        with whole_or_unchanged(target) as file:
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReportError(f"cannot write {str(target)!r}: {error.strerror or error}") from error
    return target
