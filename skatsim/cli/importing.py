"""The commands ``import`` and ``export``."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from skatsim.cli.options import (
    archive_option,
    console,
    json_option,
    may_be_blank,
    print_json,
    run_option,
)
from skatsim.wording import count_text

if TYPE_CHECKING:
    from skatsim.formats.importing import ImportResult

__all__ = ["export", "import_"]

EXIT_FAILED = 1
EXIT_REJECTS = 3

IMPORT_FORMATS = ("auto", "iss")
EXPORT_FORMATS = ("iss", "jsonl", "csv", "parquet")

JSON_KEYS = ("read", "imported", "duplicates", "rejected", "mismatches", "statuses", "rejects_file")
MORE_KEYS = ("run", "noise", "comments", "recoded")


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=str), metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(IMPORT_FORMATS),
    default="auto",
    show_default=True,
    help="Format of the files.",
)
@archive_option
@run_option
@click.option(
    "--rejects",
    metavar="FILE",
    type=click.Path(path_type=str),
    help="Where to write records that are refused.  [default: rejects.jsonl of the run]",
)
@click.option(
    "--strict", is_flag=True, help="Import nothing unless every line is a comment or a good record."
)
@json_option
@click.pass_context
def import_(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    format_name: str,
    archive: str,
    run: str | None,
    rejects: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Read recorded games, replay them card by card, and archive them.

    FILE holds server lines of ISS (.sgf), among other text or not; it may be compressed
    (.gz .bz2 .xz .zst), - is standard input. A file of another kind is refused whole. The games
    are added to a run, by default named like the first file; those it holds already are left
    out. Records that cannot be read go to a file of rejects with their line and the reason.

    Exit code: 0, 3 when some records were refused, 1 when there was no good one; then nothing
    is changed.
    """
    from skatsim.formats.importing import import_games

    with _byte_bar() as show:
        result = import_games(
            files,
            archive,
            run=run,
            format=format_name,
            rejects=rejects,
            is_strict=strict,
            on_progress=show,
        )
    if as_json:
        print_json({key: getattr(result, key) for key in (*JSON_KEYS, *MORE_KEYS)})
    if result.is_empty:
        click.echo(f"skatsim: error: {_nothing_text(files, result)}", err=True)
        ctx.exit(EXIT_FAILED)
    for reject in result.first_rejects:
        click.echo(f"rejected {reject}", err=True)
    if result.rejected > len(result.first_rejects):
        more = result.rejected - len(result.first_rejects)
        click.echo(f"rejected {more:,} more", err=True)
    if not as_json:
        _print_result(result, archive)
    if result.rejected:
        ctx.exit(EXIT_REJECTS)


def _nothing_text(files: tuple[str, ...], result: "ImportResult") -> str:
    """Why there was no good game, and what to do where there was no record at all."""
    from skatsim.formats.recognition import READ_HERE

    names = ", ".join(repr(name) for name in files)
    if result.first_rejects:
        why = str(result.first_rejects[0])
        if result.rejected > 1:
            why += f", and {result.rejected - 1:,} more"
    else:
        has_text = result.noise + result.comments > 0
        found = "no server line (;GM[Skat]...;) in the text" if has_text else "empty"
        why = f"{found}; {READ_HERE}"
    return f"no good game in {names}, nothing was changed: {why}"


def _print_result(result: "ImportResult", archive: str) -> None:
    click.echo(f"run         {result.run} in {archive}")
    click.echo(f"read        {result.read:,}")
    click.echo(f"imported    {result.imported:,}")
    if result.duplicates:
        click.echo(f"duplicates  {result.duplicates:,}, which the run holds already")
    if result.rejected:
        where = result.rejects_file or "no file"
        click.echo(f"rejected    {result.rejected:,}, see {where}")
    if result.noise:
        click.echo(f"skipped     {count_text(result.noise, 'line')} of no record")
    if result.recoded:
        click.echo(
            f"recoded     {count_text(result.recoded, 'record')} not in UTF-8, kept as \\xNN"
        )
    width = max((len(name) for name in result.statuses), default=0)
    for name, count in result.statuses.items():
        click.echo(f"  {name:<{width}}  {count:,}")


@contextlib.contextmanager
def _byte_bar() -> Iterator[Callable[[int, int | None, str], None]]:
    """A bar on stderr, on a terminal only, that follows the bytes read."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    err = console(is_error=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=err,
        disable=not err.is_terminal,
        transient=True,
    ) as progress:
        task: Any = None

        def show(done: int, total: int | None, name: str) -> None:
            nonlocal task
            if task is None:
                task = progress.add_task(name, total=total)
            progress.update(task, completed=done, description=name)

        yield show


@click.command()
@archive_option
@click.option("--run", "runs", metavar="NAME", multiple=True, help="Run to export, all by default.")
@click.option(
    "--where",
    callback=may_be_blank,  # its error is that of a condition
    metavar="SQL",
    help="Condition over the columns of the view games.",
)
@click.option(
    "--format", "format_name", type=click.Choice(EXPORT_FORMATS), required=True, help="Format."
)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=str), default="-", help="File."
)
def export(
    *, archive: str, runs: tuple[str, ...], where: str | None, format_name: str, output: str
) -> None:
    """Write games of the archive to a file of another format, or to standard output.

    Imported games come out of iss as they went in, while their columns still say the same.
    """
    from skatsim.archive import Archive
    from skatsim.formats.exporting import export_games
    from skatsim.reporting.provenance import select_runs

    chosen = select_runs(Archive.open(archive), runs)
    selection = None
    if where is not None:
        from skatsim.reporting.selection import select_games

        selection = select_games(chosen, where)
    with _output(output) as target:
        count = export_games(chosen, target, format=format_name, selection=selection)
    where_to = "" if output == "-" else f" to {output}"
    click.echo(f"{count_text(count, 'game')} written{where_to}", err=True)


@contextlib.contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that takes its place when it is whole."""
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from skatsim.durable import whole_or_unchanged

    with whole_or_unchanged(Path(name).expanduser()) as path, path.open("wb") as file:
        yield file
