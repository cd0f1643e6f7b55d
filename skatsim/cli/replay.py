"""The command ``replay``."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from skatsim.cli.options import (
    archive_option,
    cards_option,
    has_symbols,
    is_colored,
    lang_option,
)

if TYPE_CHECKING:
    import numpy as np

    from skatsim.cards import CardStyle
    from skatsim.explanation import Language
    from skatsim.formats.base import Block, Source
    from skatsim.ruleset import Ruleset

__all__ = ["replay"]

EXIT_REJECTS = 3

Shown = tuple[Any, "np.ndarray", Mapping[str, Any], "Ruleset"]
"""Row, calls, what is told beside, ruleset."""


@click.command()
@click.argument("game_id", required=False, metavar="[ID]")
@click.option("--record", metavar="TEXT", help="A game as a server line.")
@click.option(
    "--file",
    "file_name",
    metavar="FILE",
    type=click.Path(path_type=str),
    help="All games of a file of server lines; - is standard input.",
)
@click.option("--solve", is_flag=True, help="Beside each card what best play is worth after it.")
@archive_option
@cards_option
@lang_option
@click.pass_context
def replay(
    ctx: click.Context,
    *,
    game_id: str | None,
    record: str | None,
    file_name: str | None,
    solve: bool,
    archive: str,
    card_style: "CardStyle",
    lang: "Language",
) -> None:
    """Show a game: deal, auction, contract, every trick, and how its value came about.

    ID is <run>:<hand_number>, as in 'demo:17'. In the list of tricks > marks who led and * the
    card that won; the card points of both sides are running totals.
    """
    if sum(value is not None for value in (game_id, record, file_name)) != 1:
        raise click.UsageError("give one of ID, --record and --file")
    import sys

    from skatsim.formats.base import Source
    from skatsim.formats.transcript import transcript

    rejected = 0

    def games() -> Iterator[Shown]:
        nonlocal rejected
        if game_id is not None:
            yield _archived(archive, game_id)
            return
        source = (
            Source.open(file_name)
            if file_name is not None
            else Source.from_bytes((record or "").encode("utf-8", "surrogateescape"), "--record")
        )
        with source:
            for block in _blocks(source):
                for reject in block.rejects:
                    rejected += 1
                    click.echo(f"rejected {reject}", err=True)
                yield from _of_block(block)

    def values(row: Any) -> list[str]:
        if not solve:
            return []
        from skatsim.study.review import open_values

        return open_values(row)

    count = 0
    for row, calls, told, ruleset in games():
        if count:
            click.echo(f"\n{'-' * 80}\n")
        click.echo(
            transcript(
                row,
                calls,
                told,
                language=lang,
                style=card_style,
                has_symbols=has_symbols(),
                is_colored=is_colored(sys.stdout),
                ruleset=ruleset,
                values=values(row),
            ),
            nl=False,
            color=is_colored(sys.stdout),
        )
        count += 1
    if count == 0:
        click.echo("skatsim: error: no game to show", err=True)
        ctx.exit(1)
    if rejected:
        ctx.exit(EXIT_REJECTS)


def _archived(archive: str, game_id: str) -> Shown:
    from skatsim.archive import Archive, parse_game_id

    run, number = parse_game_id(game_id)
    opened = Archive.open(archive).run(run)
    rows, calls, told = opened.game(number)
    return rows[0], calls, told, opened.manifest.rules()


def _blocks(source: "Source") -> "Iterator[Block]":
    from skatsim.formats.importing import find_format

    return find_format(source)(source, block_games=100)


def _of_block(block: "Block") -> Iterator[Shown]:
    from datetime import UTC, datetime, timedelta

    from skatsim.ruleset import ISKO

    told = block.imported
    start = 0
    for place, row in enumerate(block.rows):
        end = int(row["call_end"])
        moment = told.played_at[place]
        epoch = datetime(1970, 1, 1, tzinfo=UTC)
        beside = {
            "server": told.server[place],
            "server_id": told.server_id[place],
            "played_at": None if moment is None else epoch + timedelta(microseconds=moment),
            "status": told.status[place],
            "recorded_score": told.recorded_score[place],
            "forehand_player": told.players[0][place],
            "middlehand_player": told.players[1][place],
            "rearhand_player": told.players[2][place],
        }
        yield row, block.calls[start:end], beside, ISKO
        start = end
