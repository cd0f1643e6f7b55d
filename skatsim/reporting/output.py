"""Results as text and files: table, json, csv, excel-de, parquet, html."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from skatsim.durable import whole_or_unchanged
from skatsim.errors import ReportError
from skatsim.reporting.layout import Section, sections
from skatsim.reporting.session import Result
from skatsim.reporting.words import word

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["FORMATS", "print_result", "to_text", "write_result"]

FORMATS: Final = ("table", "json", "csv", "excel-de", "parquet", "html")

LEAST_WORD: Final = 10
"""The width to which a column of words may be broken.

Where that is not enough, the last columns of a report are left out, and the rows of one's own
question printed upright.
"""

BYTE_ORDER_MARK: Final = "\ufeff"


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)


def _finite(value: Any) -> Any:
    """The value with null for the numbers that JSON does not know, also in lists and structs."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    return value


def _dumps(value: Any) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, default=_json_value)


def _json(results: Sequence[Result]) -> str:
    lines = [_dumps(row) for result in results for row in result.rows()]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def _csv_value(value: Any, decimal: str) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | Decimal):
        return str(value).replace(".", decimal)
    if isinstance(value, list | dict):
        return _dumps(value)
    if isinstance(value, bytes | datetime | date):
        return _json_value(value)
    return value


def _no_formula(cell: Any) -> Any:
    """A text that a spreadsheet would take for a formula, marked as text."""
    is_formula = isinstance(cell, str) and cell.startswith(("=", "+", "@", "\t"))
    return f"'{cell}" if is_formula else cell


def _csv(result: Result, *, is_excel: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter=";" if is_excel else ",", lineterminator="\r\n" if is_excel else "\n"
    )
    writer.writerow(result.table.column_names)
    decimal = "," if is_excel else "."
    for row in result.rows():
        cells = [_csv_value(value, decimal) for value in row.values()]
        writer.writerow([_no_formula(cell) for cell in cells] if is_excel else cells)
    return (BYTE_ORDER_MARK if is_excel else "") + text.getvalue()


def to_text(results: Sequence[Result], form: str, *, lang: str = "en") -> str:
    """Results in a text format: ``json`` (one list), ``csv``, ``excel-de`` or ``html``.

    Raises
    ------
    ReportError
        Several results are asked for in a format that holds one.
    """
    if form == "json":
        return _json(results)
    if form == "html":
        from skatsim.reporting.page import page_html

        return page_html(results, lang=lang)
    if form in ("csv", "excel-de"):
        if len(results) != 1:
            raise ReportError(f"{form} holds one report: name one, or ask for json or html")
        return _csv(results[0], is_excel=form == "excel-de")
    raise ReportError(f"no format {form!r}: there are: {', '.join(FORMATS)}")


def write_result(
    results: Sequence[Result],
    path: str | Path,
    form: str,
    *,
    lang: str = "en",
    is_brief: bool = True,
) -> None:
    """Write results to a file.

    Raises
    ------
    ReportError
        The file cannot be written.
    """
    if form == "parquet" and len(results) != 1:
        raise ReportError("parquet holds one report: name one")
    try:
        with whole_or_unchanged(Path(path).expanduser()) as target:
            if form == "parquet":
                import pyarrow.parquet as pq

                pq.write_table(results[0].table, target)
            elif form == "table":
                from rich.console import Console

                with target.open("w", encoding="utf-8") as file:
                    console = Console(file=file, no_color=True, width=100, highlight=False)
                    for result in results:
                        print_result(result, console, lang=lang, is_brief=is_brief)
            else:
                target.write_text(to_text(results, form, lang=lang), encoding="utf-8", newline="")
    except OSError as error:
        raise ReportError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


def print_result(
    result: Result, console: "Console", *, lang: str = "en", is_brief: bool = True
) -> None:
    """Print a result as tables."""
    from rich import box
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    is_report = bool(result.statement.grain)
    if is_report:
        console.print(Text(result.name, style="bold"), Text(_shared(result), style="dim"))
        if result.statement.question:
            console.print(Text(result.statement.question, style="italic"))
    has_interval = False
    for section in sections(result, lang=lang, is_brief=is_brief):
        if not is_report and section.rows and _table_width(section) > console.width:
            _print_upright(section, console)
            continue
        count = _fitting_columns(section, console.width)
        table = Table(
            title=section.title or None,
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1 if _table_width(section) + 2 * count <= console.width else 0),
        )
        for heading, is_number in list(zip(section.headings, section.numbers, strict=True))[:count]:
            table.add_column(
                Text(heading),
                justify="right" if is_number else "left",
                overflow="ellipsis" if is_number else "fold",
                no_wrap=is_number,
            )
        above = ""
        for cells, is_total in zip(section.rows, section.totals, strict=True):
            first, *rest = cells[:count]
            shown = "" if is_report and first == above and rest else first
            above = first
            table.add_row(Text(shown), *map(Text, rest), style="bold" if is_total else None)
            has_interval = has_interval or any("±" in cell for cell in rest)
        console.print(table)
        if count < len(section.headings):
            left_out = word("narrow", lang).format(names=", ".join(section.headings[count:]))
            console.print(Text(left_out, style="dim"))
        if section.hidden:
            told = word("hidden", lang).format(count=section.hidden)
            console.print(Padding(Text(told, style="dim"), (0, 0, 1, 0)))
    notes: Iterable[str] = result.notes
    if is_report and not len(result):
        console.print(Text(word("nothing", lang)))
        notes = ()
    if has_interval:
        notes = [*notes, word("interval", lang)]
    for note in notes:
        console.print(Text(note, style="dim"))
    if is_report:
        console.print()


def _widths(section: Section) -> list[int]:
    """The width of each column below which it cannot be read, with the blank before it.

    Numbers are not broken, words are.
    """
    widths = []
    for place, (heading, is_number) in enumerate(
        zip(section.headings, section.numbers, strict=True)
    ):
        width = max([len(heading), *(len(cells[place]) for cells in section.rows)])
        widths.append((width if is_number else min(width, LEAST_WORD)) + 1)
    return widths


def _table_width(section: Section, count: int | None = None) -> int:
    return sum(_widths(section)[:count]) + 1


def _fitting_columns(section: Section, width: int) -> int:
    """How many columns of a report's table can be read in this width, at least two."""
    count = len(section.headings)
    while count > 2 and _table_width(section, count) > width:
        count -= 1
    return count


def _print_upright(section: Section, console: "Console") -> None:
    """Print each row as a list of its columns, one below the other."""
    from rich.table import Table
    from rich.text import Text

    for cells in section.rows:
        table = Table.grid(padding=(0, 2, 0, 0))
        for heading, cell in zip(section.headings, cells, strict=True):
            table.add_row(Text(heading, style="bold"), Text(cell, overflow="fold"))
        console.print(table)
        console.print()


def _shared(result: Result) -> str:
    return " · ".join(result.shared.values())
