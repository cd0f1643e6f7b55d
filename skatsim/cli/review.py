"""The command ``review``."""

import dataclasses
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from skatsim.cli.options import (
    LINE_WIDTH,
    archive_option,
    cards_option,
    has_symbols,
    jobs_option,
    json_option,
    print_json,
    print_table,
)
from skatsim.wording import count_text

if TYPE_CHECKING:
    from skatsim.cards import CardStyle
    from skatsim.game import Game
    from skatsim.study.review import CardReview, OpenContract, Review

__all__ = ["review"]

Names = Sequence[str | None]
"""Players by seat, where they are known."""


@click.command()
@click.argument("game_id", required=False, metavar="[ID]")
@click.option("--record", metavar="TEXT", help="A game as a server line.")
@click.option("--run", "run", metavar="NAME", help="Review every game of a run instead.")
@archive_option
@click.option("--with-discards", is_flag=True, help="With --run: also the discards (slower).")
@click.option("--with-contracts", is_flag=True, help="With --run: also the contracts (slower).")
@click.option(
    "--hands", type=click.IntRange(min=0), metavar="N", help="With --run: only the first N games."
)
@click.option("--overwrite", is_flag=True, help="With --run: begin anew.")
@jobs_option
@cards_option
@json_option
@click.pass_context
def review(
    ctx: click.Context,
    *,
    game_id: str | None,
    record: str | None,
    run: str | None,
    archive: str,
    with_discards: bool,
    with_contracts: bool,
    hands: int | None,
    overwrite: bool,
    n_jobs: int | None,
    card_style: "CardStyle",
    as_json: bool,
) -> None:
    """Say what each card, discard, contract and call cost against best play.

    All cards lie open for this. The players did not see them: what cost something may have
    been the right thing to do.

    ID is <run>:<hand_number>, as in 'demo:17'. With --run the reviews of all games with a
    declarer are kept in the archive, for 'skatsim report mistakes'; what is there already is
    left alone, so that a review can be stopped and gone on with.
    """
    if sum(value is not None for value in (game_id, record, run)) != 1:
        raise click.UsageError("give one of ID, --record and --run")
    if run is not None:
        _review_run(
            ctx,
            as_json=as_json,
            archive=archive,
            run=run,
            with_discards=with_discards,
            with_contracts=with_contracts,
            hands=hands,
            is_overwritten=overwrite,
            n_jobs=n_jobs,
        )
        return
    if with_discards or with_contracts or overwrite or hands is not None:
        raise click.UsageError("--with-discards, --with-contracts, --hands, --overwrite: of --run")
    from skatsim.study.review import review as review_game

    game, names = _archived(archive, game_id) if game_id is not None else _recorded(record or "")
    found = review_game(game)
    if as_json:
        print_json(_object(found, game_id, game, names, card_style))
        return
    _print(found, game_id, game, names, card_style)


def _archived(archive: str, game_id: str) -> "tuple[Game, Names]":
    from skatsim.archive import Archive, parse_game_id
    from skatsim.game import Game
    from skatsim.ruleset import find_ruleset

    run, number = parse_game_id(game_id)
    rows, calls, told = Archive.open(archive).run(run).game(number)
    game = Game.from_record(rows[0], calls, ruleset=find_ruleset(told["ruleset"]))
    return game, [told[f"{seat}_player"] for seat in ("forehand", "middlehand", "rearhand")]


def _recorded(text: str) -> "tuple[Game, Names]":
    from skatsim.errors import RecordError
    from skatsim.formats.base import Source
    from skatsim.formats.importing import find_format
    from skatsim.game import Game

    with Source.from_bytes(text.encode("utf-8", "surrogateescape"), "--record") as source:
        blocks = list(find_format(source)(source))
    for block in blocks:
        for reject in block.rejects:
            raise reject.error()
    if sum(map(len, blocks)) != 1:
        raise RecordError(f"--record holds {sum(map(len, blocks))} games: give one")
    [block] = [block for block in blocks if len(block)]
    game = Game.from_record(block.rows[0], block.calls)
    return game, [names[0] for names in block.imported.players]


# One game


def _object(
    found: "Review", game_id: str | None, game: "Game", names: Names, style: "CardStyle"
) -> dict[str, Any]:
    from skatsim.cards import SEATS, card_text, mask_text
    from skatsim.study.review import WARNING

    def cards(mask: int | None) -> list[str] | None:
        return None if mask is None else mask_text(mask, style).split()

    def open_contract(option: "OpenContract") -> dict[str, Any]:
        return {
            "contract": str(option.contract),
            "discard": cards(option.discard_mask),
            "card_points": option.card_points,
            "won": option.won,
            "score": option.score,
        }

    def card(entry: "CardReview") -> dict[str, Any]:
        return {
            "play_number": entry.play_number,
            "trick_number": entry.trick_number,
            "seat": SEATS[entry.seat],
            "card": card_text(entry.card, style),
            "card_points_before": entry.card_points_before,
            "card_points_after": entry.card_points_after,
            "card_points_given_away": entry.card_points_given_away,
            "won_before": entry.won_before,
            "won_after": entry.won_after,
            "best": [card_text(best, style) for best in entry.best_cards],
        }

    discard, contracts, score = found.discard, found.contracts, game.score
    return {
        "game": game_id,
        "warning": WARNING,
        "contract": str(found.contract),
        "declarer": SEATS[found.declarer_seat],
        "bid_value": found.bid_value,
        "score": None if score is None else score.score,
        "is_overbid": found.is_overbid,
        "card_points_before": found.card_points_before,
        "card_points_after": found.card_points_after,
        "won_before": found.won_before,
        "won_after": found.won_after,
        "calls": [
            {
                "seat": SEATS[call.seat],
                "is_declarer": call.is_declarer,
                "bid_value": call.bid_value,
                "score_given_away": call.score_given_away,
                "best": open_contract(call.best),
            }
            for call in found.calls
        ],
        "contracts": contracts
        and {
            "score_given_away": contracts.score_given_away,
            "declared": open_contract(contracts.declared),
            "options": [open_contract(option) for option in contracts.options],
        },
        "discard": discard
        and {
            "cards": cards(discard.discard_mask),
            "best": cards(discard.best_mask),
            "card_points": discard.card_points,
            "best_card_points": discard.best_card_points,
            "card_points_given_away": discard.card_points_given_away,
            "won": discard.won,
            "best_won": discard.best_won,
        },
        "cards": [card(entry) for entry in found.cards],
        "players": [
            {
                "seat": SEATS[player.seat],
                "player": names[player.seat],
                "is_declarer": player.is_declarer,
                "cards": player.cards,
                "mistakes": player.mistakes,
                "changed": player.changed,
                "card_points_given_away": player.card_points_given_away,
            }
            for player in found.players
        ],
    }


def _value(points: int | None, won: bool) -> str:
    word = "won" if won else "lost"
    return word if points is None else f"{points} {word}"


def _step(before: tuple[int | None, bool], after: tuple[int | None, bool]) -> str:
    """The declarer's side of what a decision did: ``68 > 62``, ``61 won > 58 lost``."""
    if before[1] != after[1] or before[0] is None:
        return f"{_value(*before)} > {_value(*after)}"
    return f"{before[0]} > {after[0]}"


def _print(
    found: "Review", game_id: str | None, game: "Game", names: Names, style: "CardStyle"
) -> None:
    from skatsim.cards import SEATS, cards_text, mask_text
    from skatsim.study.review import WARNING

    def cards(shown: Sequence[int]) -> str:
        return cards_text(shown, style, has_symbols=has_symbols())

    def mask(shown: int) -> str:
        return mask_text(shown, style, has_symbols=has_symbols())

    seats = [f"{seat} ({name})" if name else seat for seat, name in zip(SEATS, names, strict=True)]
    place = f"{game_id}: " if game_id else ""
    head = f"{place}{found.contract}, declarer {seats[found.declarer_seat]}, bid {found.bid_value}"
    if game.score is not None:
        outcome = "won" if game.score.is_won else "overbid" if found.is_overbid else "lost"
        head += f": {outcome}, {game.score.score:+d}"
    for text in (head, WARNING):
        click.echo(textwrap.fill(text, LINE_WIDTH))
    click.echo()
    _print_before_play(found, mask)
    _print_grid(found, cards)
    mistakes = [entry for entry in found.cards if entry.is_mistake]
    if mistakes:
        click.echo()
        print_table(
            ("trick", "player", "played", "cost", "declarer's value", "best was"),
            [
                (
                    entry.trick_number,
                    SEATS[entry.seat],
                    cards([entry.card]),
                    _cost(entry),
                    _step(
                        (entry.card_points_before, entry.won_before),
                        (entry.card_points_after, entry.won_after),
                    ),
                    cards(entry.best_cards),
                )
                for entry in mistakes
            ],
        )
    click.echo()
    print_table(
        ("player", "side", "cards", "that cost", "card points", "changed"),
        [
            (
                seats[player.seat],
                "declarer" if player.is_declarer else "defender",
                player.cards,
                player.mistakes,
                player.card_points_given_away,
                player.changed,
            )
            for player in found.players
        ],
    )


def _print_before_play(found: "Review", mask: Callable[[int], str]) -> None:
    from skatsim.cards import SEATS

    lines: list[tuple[str, str]] = []
    for call in found.calls:
        best = f"{call.best.contract} {call.best.score:+d}"
        cost = f", cost {call.score_given_away}" if call.score_given_away else ""
        what = "played" if call.is_declarer else "passed"
        lines.append(
            ("call", f"{SEATS[call.seat]} {what}; at {call.bid_value} best play makes {best}{cost}")
        )
    if found.contracts is not None:
        declared, best_option = found.contracts.declared, found.contracts.best
        text = f"{declared.contract} makes {declared.score:+d}"
        if found.contracts.score_given_away:
            text += f", {best_option.contract} {best_option.score:+d}"
            text += f", cost {found.contracts.score_given_away}"
        else:
            text += ", none more"
        lines.append(("contract", text))
    discard = found.discard
    if discard is not None:
        before = (discard.best_card_points, discard.best_won)
        after = (discard.card_points, discard.won)
        text = mask(discard.discard_mask)
        if before == after:
            text += ": none better"
        else:
            text += f": {_step(before, after)}, best was {mask(discard.best_mask)}"
        lines.append(("discard", text))
    start = _value(found.card_points_before, found.won_before)
    end = _value(found.card_points_after, found.won_after)
    what = "" if found.card_points_before is None else ", the declarer's card points"
    lines.append(("play", f"best play {start} before the first card, {end} after the last{what}"))
    if found.is_overbid:
        lines.append(("", "the game is overbid, which won and lost here leave aside"))
    for label, text in lines:
        click.echo(
            textwrap.fill(
                text, LINE_WIDTH, initial_indent=f"{label:<10}", subsequent_indent=" " * 10
            )
        )
    click.echo()


def _cost(entry: "CardReview") -> str:
    """Card points and, with ``!``, the change of the winner."""
    points = entry.card_points_given_away
    return ("" if points is None else f"-{points}") + ("!" if entry.is_changed else "")


def _print_grid(found: "Review", cards: Callable[[Sequence[int]], str]) -> None:
    """The tricks, a line each: who led, what each card cost, the value after the trick."""
    from skatsim.cards import SEATS

    rows = []
    for start in range(0, len(found.cards), 3):
        trick = found.cards[start : start + 3]
        row: list[Any] = [trick[0].trick_number, "", "", ""]
        for number, entry in enumerate(trick):
            lead = "> " if number == 0 else "  "
            cost = _cost(entry) if entry.is_mistake else ""
            row[1 + entry.seat] = f"{lead}{cards([entry.card])} {cost}".rstrip()
        row.append(_value(trick[-1].card_points_after, trick[-1].won_after))
        rows.append(row)
    if rows:
        print_table(("trick", *SEATS, "value after"), rows)


# A run


def _review_run(ctx: click.Context, *, as_json: bool, **settings: Any) -> None:
    from skatsim.cli.signals import stop_on_signals
    from skatsim.cli.simulate import progress_bar
    from skatsim.study.review_run import review_run

    with stop_on_signals() as (stop, came), progress_bar("games reviewed") as show:
        result = review_run(**settings, stop=stop, on_progress=show)
    if as_json:
        print_json(dataclasses.asdict(result))
    else:
        added = f", {result.new_games:,} new" if result.new_games != result.games else ""
        more = [
            word
            for word, is_there in (
                ("discards", result.has_discards),
                ("contracts", result.has_contracts),
            )
            if is_there and result.games
        ]
        click.echo(f"run       {result.run} in {settings['archive']}")
        click.echo(f"covered   {count_text(result.hands, 'game')}")
        click.echo(f"reviewed  {result.games:,} with a declarer{added}")
        click.echo(f"with      {', '.join(['cards', *more])}")
        click.echo(f"time      {result.seconds:.2f} s, {result.games_per_second:,.0f} games/s")
        click.echo(f"size      {result.bytes:,} bytes")
        click.echo("All cards lay open for this; see 'skatsim report mistakes'.", err=True)
    if came:
        click.echo("skatsim: stopped; the same command goes on from here", err=True)
        ctx.exit(128 + came[0])
