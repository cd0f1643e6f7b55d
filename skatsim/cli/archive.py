"""The commands ``verify`` and ``runs``."""

import dataclasses
import warnings
from typing import Any

import click

from skatsim.cli.options import (
    archive_option,
    json_option,
    print_json,
    print_table,
    run_option,
)
from skatsim.wording import count_text

__all__ = ["runs", "verify"]


@click.command()
@archive_option
@run_option
@click.option("--deep", is_flag=True, help="Replay every game and recompute every column.")
@json_option
@click.pass_context
def verify(ctx: click.Context, *, archive: str, run: str | None, deep: bool, as_json: bool) -> None:
    """Check an archive against its manifests; exit 1 when something is wrong."""
    from skatsim.archive import Archive
    from skatsim.errors import UnreadableRunWarning

    opened = Archive.open(archive)
    problems = opened.verify([opened.run(run).name] if run else None, deep=deep)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadableRunWarning)  # they are among the problems
        chosen = [opened.run(run)] if run else opened.runs()
    hands = sum(entry.hands for entry in chosen)
    parts = sum(len(entry.manifest.parts) for entry in chosen)
    if as_json:
        keys = ("run", "part", "hand", "what")
        found = [{key: dataclasses.asdict(problem)[key] for key in keys} for problem in problems]
        print_json({"hands": hands, "parts": parts, "problems": found})
    else:
        for problem in problems:
            place = "/".join(
                str(piece)
                for piece in (problem.run, problem.part, problem.hand)
                if piece is not None
            )
            click.echo(f"{place}: {problem.what}")
        how = "replayed" if deep else "checked"
        click.echo(
            f"{count_text(hands, 'hand')} in {count_text(parts, 'part')} {how}, "
            f"{count_text(len(problems), 'problem')}"
        )
    if problems:
        ctx.exit(1)


@click.group()
def runs() -> None:
    """What runs an archive holds."""


@runs.command("list")
@archive_option
@json_option
def list_runs(*, archive: str, as_json: bool) -> None:
    """All runs of the archive."""
    from skatsim.archive import Archive

    entries = [entry.manifest for entry in Archive.open(archive).runs()]
    if as_json:
        print_json(
            [
                {
                    "run": entry.run,
                    "source": entry.source,
                    "ruleset": entry.ruleset_label,
                    "hands": entry.hands,
                    "bytes": entry.bytes,
                    "digest": entry.digest,
                    "created_at": entry.created_at,
                }
                for entry in entries
            ]
        )
        return
    print_table(
        ("run", "source", "ruleset", "hands", "bytes", "made"),
        [
            (
                entry.run,
                entry.source,
                entry.ruleset_label,
                f"{entry.hands:,}",
                f"{entry.bytes:,}",
                entry.created_at[:10],
            )
            for entry in entries
        ],
    )


@runs.command()
@click.argument("name")
@archive_option
@click.option("--first", type=click.IntRange(min=0), metavar="N", help="Digest of the first N.")
@json_option
def show(*, name: str, archive: str, first: int | None, as_json: bool) -> None:
    """Where a run comes from, and its digest."""
    from skatsim.archive import Archive

    run = Archive.open(archive).run(name)
    content = dataclasses.asdict(run.manifest)
    content["parts"] = len(run.manifest.parts)
    content |= {"hands": run.hands, "bytes": run.manifest.bytes, "digest": run.manifest.digest}
    if first is not None:
        content |= {"first": min(first, run.hands), "first_digest": run.prefix_digest(first)}
    if as_json:
        print_json(content)
        return
    for key, value in content.items():
        if isinstance(value, dict):
            pairs = ((inner, one) for inner, several in value.items() for one in _distinct(several))
            shown = ", ".join(f"{inner} {one}" for inner, one in pairs)
        elif isinstance(value, list | tuple):
            shown = ", ".join(map(str, value))
        else:
            shown = "-" if value is None else str(value)
        click.echo(f"{key.replace('_', ' '):16} {shown or '-'}")


def _distinct(values: Any) -> list[str]:
    """The values, or the one value, as texts without repeats."""
    several = values if isinstance(values, list | tuple) else [values]
    return list(dict.fromkeys(map(str, several)))


@runs.command()
@click.argument("name")
@archive_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(*, name: str, archive: str, yes: bool) -> None:
    """Delete a run."""
    from skatsim.archive import Archive
    from skatsim.errors import ArchiveError

    opened = Archive.open(archive)
    opened.folder(name)
    if not yes:
        try:
            what = f"with {count_text(opened.run(name).hands, 'hand')}"
        except ArchiveError:
            what = "which cannot be read"
        click.confirm(f"delete run {name.lower()!r}, {what}?", abort=True)
    opened.remove(name)
    click.echo(f"removed {name.lower()}")


@runs.command()
@click.argument("name")
@archive_option
def compact(*, name: str, archive: str) -> None:
    """Put the games of a run into as few full parts as hold them."""
    from skatsim.archive import Archive
    from skatsim.cli.simulate import progress_bar
    from skatsim.housekeeping import compact_run

    with progress_bar("hands") as show:
        result = compact_run(Archive.open(archive), name, on_progress=show)
    click.echo(
        f"{result.run}: {count_text(result.parts_before, 'part')} of {result.bytes_before:,} "
        f"bytes before, {count_text(result.parts, 'part')} of {result.bytes:,} now"
    )


@runs.command()
@click.argument("name")
@click.argument("target", metavar="ARCHIVE")
@archive_option
def copy(*, name: str, target: str, archive: str) -> None:
    """Copy a run with its reviews into another archive, a folder or a URL."""
    from skatsim.archive import Archive
    from skatsim.cli.simulate import progress_bar
    from skatsim.housekeeping import copy_run

    with progress_bar("hands") as show:
        copied = copy_run(
            Archive.open(archive), name, Archive.open(target, create=True), on_progress=show
        )
    click.echo(f"copied {copied.name}, {count_text(copied.hands, 'hand')}, to {target}")


@runs.command()
@click.argument("name")
@archive_option
def unlock(*, name: str, archive: str) -> None:
    """Free a run of a remote archive whose writer was killed.

    A folder needs no such thing: its lock is free when the process that holds it ends.
    """
    from skatsim.archive import Archive

    who = Archive.open(archive).unlock(name)
    click.echo(f"unlocked {name.lower()}, which was held {who}")
