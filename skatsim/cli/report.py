"""The commands ``report`` and ``sql``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skatsim.cli.options import JOBS, archive_option, console

if TYPE_CHECKING:
    from skatsim.reporting.session import Result

__all__ = ["report", "sql"]

FORMATS = ("table", "json", "csv", "excel-de", "parquet", "html")

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How the result is written.",
)
output_option = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=str), help="File to write to."
)
runs_option = click.option(
    "--run", "runs", metavar="NAME", multiple=True, help="A run to count; again for more."
)
memory_option = click.option(
    "--memory-limit", metavar="SIZE", help="Memory for DuckDB, such as 2GB; it spills beyond."
)
threads_option = click.option(
    "--threads", type=JOBS, help="Threads for DuckDB.  [default: all processors]"
)
parameters_option = click.option(
    "--param", "parameters", metavar="KEY=VALUE", multiple=True, help="A parameter of the report."
)
language_option = click.option(
    "--lang",
    type=click.Choice(["en", "de"]),
    default="en",
    show_default=True,
    help="Language of headings.",
)


def _parameters(pairs: tuple[str, ...]) -> dict[str, str]:
    parameters = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="'--param'")
        parameters[name.strip()] = value
    return parameters


def _put(
    results: "list[Result]",
    form: str,
    output: str | None,
    lang: str = "en",
    *,
    is_brief: bool = True,
) -> None:
    from skatsim.reporting import output as writer

    if output is not None and output != "-":
        writer.write_result(results, output, form, lang=lang, is_brief=is_brief)
        click.echo(f"wrote {output}", err=True)
    elif form == "table":
        target = console()
        for result in results:
            writer.print_result(result, target, lang=lang, is_brief=is_brief)
    elif form == "parquet":
        raise click.UsageError("--format parquet needs a file: -o FILE")
    else:
        click.echo(writer.to_text(results, form, lang=lang), nl=False)


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--list", "is_list", is_flag=True, help="List the reports and their parameters.")
@archive_option
@runs_option
@click.option(
    "--compare", nargs=2, metavar="RUN RUN", help="Two runs side by side, also of equal policies."
)
@parameters_option
@click.option(
    "--reports-dir",
    type=click.Path(file_okay=False, path_type=str),
    help="A folder of your own reports.",
)
@language_option
@click.option("--all-rows", "is_full", is_flag=True, help="Long tables in full.")
@memory_option
@threads_option
@format_option
@output_option
def report(
    *,
    names: tuple[str, ...],
    is_list: bool,
    archive: str,
    runs: tuple[str, ...],
    compare: tuple[str, str] | None,
    parameters: tuple[str, ...],
    reports_dir: str | None,
    lang: str,
    is_full: bool,
    memory_limit: str | None,
    threads: int | None,
    form: str,
    output: str | None,
) -> None:
    """Count the games of an archive: NAME is a report, see --list.

    Without a name, the three core reports are printed. Over all runs unless --run or --compare
    names some; games of other rules or policies are counted apart.
    """
    from skatsim.errors import ReportError
    from skatsim.reporting import files

    if is_list:
        _print_list(files.list_reports(reports_dir), form)
        return
    if compare and runs:
        raise click.UsageError("--compare names its runs: leave out --run")
    statements = [files.find_report(name, reports_dir) for name in names or files.CORE_REPORTS]
    given = _parameters(parameters)
    known = {name for statement in statements for name in statement.parameters}
    from skatsim.archive import Archive
    from skatsim.reporting.provenance import select_runs
    from skatsim.reporting.session import Session

    opened = Archive.open(archive)
    try:
        chosen = select_runs(opened, compare or runs)
    except ReportError as error:
        if form != "json":
            raise
        click.echo(f"skatsim: {error}", err=True)
        _put([], form, output, lang)
        return
    with Session(
        chosen, is_comparison=bool(compare), memory_limit=memory_limit, threads=threads
    ) as session:
        results = [
            session.run(
                statement,
                {
                    name: value
                    for name, value in given.items()
                    if len(statements) == 1 or name in statement.parameters or name not in known
                },
            )
            for statement in statements
        ]
    _put(results, form, output, lang, is_brief=not is_full)


def _print_list(statements: list[Any], form: str) -> None:
    from skatsim.cli.options import print_json, print_table

    if form == "json":
        print_json(
            [
                {
                    "name": statement.name,
                    "question": statement.question,
                    "grain": list(statement.grain),
                    "parameters": dict(statement.parameters),
                }
                for statement in statements
            ]
        )
        return
    rows = [
        (
            statement.name,
            statement.question,
            ", ".join(f"{key}={value}" for key, value in statement.parameters.items()) or None,
        )
        for statement in statements
    ]
    print_table(("report", "question", "parameters"), rows)


@click.command()
@click.argument("query")
@archive_option
@runs_option
@parameters_option
@memory_option
@threads_option
@format_option
@output_option
def sql(
    *,
    query: str,
    archive: str,
    runs: tuple[str, ...],
    parameters: tuple[str, ...],
    memory_limit: str | None,
    threads: int | None,
    form: str,
    output: str | None,
) -> None:
    """Answer QUERY, one select over the views games, tricks, plays, bids, deals and runs.

    QUERY may be a file: @question.sql. Values can be given as --param: where bid_value > $least.
    """
    from skatsim.archive import Archive
    from skatsim.errors import ReportError
    from skatsim.reporting.provenance import select_runs
    from skatsim.reporting.session import Session

    if query.startswith("@"):
        try:
            query = Path(query[1:]).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ReportError(f"cannot read {query[1:]!r}: {error}") from error
    given = _parameters(parameters)
    opened = Archive.open(archive)
    try:
        chosen = select_runs(opened, runs)
    except ReportError as error:
        if form != "json":
            raise
        click.echo(f"skatsim: {error}", err=True)
        _put([], form, output)
        return
    with Session(chosen, memory_limit=memory_limit, threads=threads) as session:
        _put([session.sql(query, given)], form, output)
