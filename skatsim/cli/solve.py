"""The command ``solve``."""

import contextlib
import csv
import io
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from skatsim.cli.options import (
    JOBS,
    LINE_WIDTH,
    cards_option,
    has_symbols,
    json_option,
    may_be_blank,
    print_json,
    print_table,
)
from skatsim.wording import count_text

if TYPE_CHECKING:
    from skatsim.cards import CardStyle
    from skatsim.solver import Position, Solution
    from skatsim.study.deals import SolvedDeal

__all__ = ["solve"]

EXIT_FAILED = 1

SHOWN_DIFFERENCES = 10

HARD_BLANK = "\u00a0"
"""Keeps the cards of a trick on one line."""

POSITION_OPTIONS = ("forehand", "middlehand", "rearhand", "skat", "contract", "declarer")


@click.command()
@click.option("--forehand", metavar="CARDS", help="Forehand's cards.")
@click.option("--middlehand", metavar="CARDS", help="Middlehand's cards.")
@click.option("--rearhand", metavar="CARDS", help="Rearhand's cards.")
@click.option("--skat", metavar="CARDS", help="The two cards laid away, or a hand game's skat.")
@click.option("--contract", metavar="C", help="'hearts hand', or a code like HH.")
@click.option("--declarer", metavar="SEAT", help="forehand, middlehand, rearhand or 0, 1, 2.")
@click.option(
    "--leader", metavar="SEAT", default=None, help="Who leads first.  [default: forehand]"
)
@click.option(
    "--played",
    callback=may_be_blank,
    metavar="CARDS",
    help="Cards of these hands that have been played since, in their order.",
)
@click.option(
    "--card-points",
    metavar="N",
    type=click.IntRange(0, 120),
    help="In an ending: the declarer's card points from tricks before it.",
)
@click.option(
    "--tricks",
    metavar="N",
    type=click.IntRange(0, 10),
    help="In an ending: the declarer's tricks before it.",
)
@click.option(
    "--file",
    "file_name",
    metavar="FILE",
    type=click.Path(path_type=str),
    help="A CSV file of deals instead, with the columns game leader declarer left right skat.",
)
@click.option(
    "--at-least",
    metavar="N",
    type=click.IntRange(0, 120),
    help="With --file: only whether the declarer gets N card points.",
)
@click.option(
    "--best-discard",
    "discard_by",
    type=click.Choice(["points", "wins"]),
    help="Choose the two cards to lay away among the declarer's cards and the skat.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "parquet"]),
    default=None,
    help="With --file: how the result is written.  [default: csv]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=str),
    help="With --file: file to write to.",
)
@click.option(
    "--jobs",
    "n_jobs",
    type=JOBS,
    default=1,
    show_default=True,
    help="With --file: threads.",
)
@cards_option
@json_option
@click.pass_context
def solve(
    ctx: click.Context,
    /,
    *,
    file_name: str | None,
    at_least: int | None,
    discard_by: Literal["points", "wins"] | None,
    form: Literal["csv", "parquet"] | None,
    output: str | None,
    n_jobs: int,
    card_style: "CardStyle",
    as_json: bool,
    **position: Any,
) -> None:
    """Say what best play of both sides is worth when all cards lie open.

    One position is given by its cards: hands of ten, or of fewer in an ending. Shown are the
    declarer's card points in the end, the skat included, those after each card that may be
    played now, and an optimal line; in null whether the declarer wins.

    With --file each deal of a CSV file is solved by itself, with a table cleared before. A
    column leader says declarer, left or right; left plays after the declarer. Added are
    solved_value and seconds (of the processor); where a column value differs, the exit code
    is 1.
    """
    given = [name for name, value in position.items() if value is not None]
    if file_name is not None:
        if given:
            raise click.UsageError(f"--file holds the deals: leave out --{_option(given[0])}")
        if as_json:
            raise click.UsageError("--file writes CSV or Parquet: leave out --json")
        if at_least is not None and discard_by is not None:
            raise click.UsageError("give either --at-least or --best-discard")
        _solve_file(ctx, file_name, at_least, discard_by, form or "csv", output, n_jobs)
        return
    missing = [name for name in POSITION_OPTIONS if name not in given]
    if missing:
        raise click.UsageError(f"--{_option(missing[0])} is missing, or --file")
    for name, value in (("at-least", at_least), ("format", form), ("output", output)):
        if value is not None:
            raise click.UsageError(f"--{name} goes with --file")
    _solve_one(position, discard_by, card_style, as_json=as_json)


def _option(name: str) -> str:
    return name.replace("_", "-")


def _solve_one(
    given: dict[str, Any],
    discard_by: Literal["points", "wins"] | None,
    style: "CardStyle",
    *,
    as_json: bool,
) -> None:
    from skatsim.cards import SEATS, card_text, mask_text
    from skatsim.solver import solve as solve_position

    position, discard_mask = _position(given, discard_by)
    solution = solve_position(position)

    def text(card: int) -> str:
        return card_text(card, style, has_symbols=has_symbols())

    if as_json:
        content: dict[str, Any] = {
            "card_points": solution.card_points,
            "won": solution.won,
            "line": [card_text(card, style) for card in solution.line],
            "moves": {card_text(card, style): value for card, value in solution.moves.items()},
            "seat": None if position.is_over else SEATS[position.seat],
        }
        if discard_mask is not None:
            content["discard"] = [card_text(card, style) for card in _cards(discard_mask)]
        print_json(content)
        return
    won = "won" if solution.won else "lost"
    points = "" if solution.card_points is None else f"{solution.card_points} card points, "
    declarer = SEATS[position.declarer_seat]
    click.echo(f"{position.contract}, declarer {declarer}: {points}{won} with best play")
    if discard_mask is not None:
        laid = mask_text(discard_mask, style, has_symbols=has_symbols())
        click.echo(f"discard  {laid}")
    if solution.moves:
        _print_moves(position, solution, text)
        tricks = [HARD_BLANK.join(map(text, trick)) for trick in _tricks(position, solution.line)]
        shown = textwrap.wrap(
            ", ".join(tricks), LINE_WIDTH, initial_indent="line  ", subsequent_indent=" " * 6
        )
        click.echo("\n" + "\n".join(shown).replace(HARD_BLANK, " "))


def _cards(mask: int) -> Iterator[int]:
    return (card for card in range(31, -1, -1) if mask >> card & 1)


def _position(
    given: dict[str, Any], discard_by: Literal["points", "wins"] | None
) -> "tuple[Position, int | None]":
    """The position once all played cards are played, and the best discard where asked."""
    from skatsim.cards import SEATS, find_notation, parse_cards, parse_mask, parse_seat
    from skatsim.contracts import parse_contract
    from skatsim.errors import RuleError
    from skatsim.solver import Position, best_discard

    played = given["played"] or ""
    notation = find_notation(*(given[name] for name in (*SEATS, "skat")), played)
    masks: dict[str, Any] = {
        f"{name}_mask": parse_mask(given[name], notation) for name in (*SEATS, "skat")
    }
    declarer = parse_seat(given["declarer"])
    rest: dict[str, Any] = {
        "contract": parse_contract(given["contract"]),
        "declarer_seat": declarer,
        "leader_seat": parse_seat(given["leader"] or "forehand"),
    }
    taken: dict[str, Any] = {
        "card_points": given["card_points"] or 0,
        "trick_count": given["tricks"] or 0,
    }
    position = Position(**masks, **rest, **taken)
    discard_mask = None
    if discard_by is not None:
        own = f"{SEATS[declarer]}_mask"
        twelve = masks[own] | masks.pop("skat_mask")
        found = best_discard(**{**masks, own: twelve}, **rest, by=discard_by)
        discard_mask = found.skat_mask
        kept = {**masks, own: twelve & ~discard_mask}
        position = Position(**kept, skat_mask=discard_mask, **rest, **taken)
    for number, card in enumerate(parse_cards(played, notation), 1):
        if position.is_over:
            raise RuleError(f"card {number} of those played: the game is over before it")
        try:
            position = position.after(card)
        except RuleError as error:
            seat = SEATS[position.seat]
            raise RuleError(f"card {number} of those played, by {seat}: {error}") from None
    return position, discard_mask


def _tricks(position: "Position", line: Sequence[int]) -> Iterator[Sequence[int]]:
    """An optimal line trick by trick; the first one goes on from the table."""
    first = 3 - len(position.trick)
    yield line[:first]
    for start in range(first, len(line), 3):
        yield line[start : start + 3]


def _print_moves(position: "Position", solution: "Solution", text: Any) -> None:
    from skatsim.cards import SEATS

    own = position.seat == position.declarer_seat
    order = sorted(solution.moves.items(), key=lambda move: (move[1] if own else -move[1], move[0]))
    best = order[-1][1]
    rows = [
        (
            text(card),
            value if solution.card_points is not None else "won" if value else "lost",
            "best" if value == best else "",
        )
        for card, value in reversed(order)
    ]
    what = "card points" if solution.card_points is not None else "declarer"
    click.echo()
    print_table((SEATS[position.seat], what, ""), rows)


def _solve_file(
    ctx: click.Context,
    name: str,
    at_least: int | None,
    discard_by: Literal["points", "wins"] | None,
    form: str,
    output: str | None,
    n_jobs: int,
) -> None:
    from skatsim.cli.simulate import progress_bar
    from skatsim.study.deals import read_deals, solve_deals

    if form == "parquet" and output in (None, "-"):
        raise click.UsageError("--format parquet needs a file: -o FILE")
    with _opened(name) as file:
        deals = read_deals(file, name, is_twelve=discard_by is not None)
    with progress_bar("deals") as show:
        solved = solve_deals(
            deals, at_least=at_least, discard_by=discard_by, n_jobs=n_jobs, on_progress=show
        )
    _write(solved, form, output)
    _print_summary(solved)
    different = [entry for entry in solved if entry.is_different]
    for entry in different[:SHOWN_DIFFERENCES]:
        solved_value = entry.cells["solved_value"]
        click.echo(
            f"row {entry.deal.number}: solved {solved_value}, given {entry.deal.cells['value']}",
            err=True,
        )
    if different:
        more = len(different) - SHOWN_DIFFERENCES
        tail = f", {more:,} of them not shown" if more > 0 else ""
        differ = "1 value differs" if len(different) == 1 else f"{len(different):,} values differ"
        click.echo(f"skatsim: error: {differ}{tail}", err=True)
        ctx.exit(EXIT_FAILED)


@contextlib.contextmanager
def _opened(name: str) -> Iterator[TextIO]:
    if name == "-":
        yield sys.stdin
        return
    with Path(name).expanduser().open(encoding="utf-8-sig", newline="") as file:
        yield file


def _write(solved: "Sequence[SolvedDeal]", form: str, output: str | None) -> None:
    """The rows with what was added, to standard output or a file that is whole or absent."""
    rows = [entry.cells for entry in solved]
    columns = list(rows[0]) if rows else []
    if form == "parquet":
        import polars as pl

        table: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in columns}
        if rows:
            table["seconds"] = [entry.seconds for entry in solved]
        data = io.BytesIO()
        pl.DataFrame(table).write_parquet(data)
        content = data.getvalue()
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        if columns:
            writer.writeheader()
            writer.writerows(rows)
        content = text.getvalue().encode()
    if output in (None, "-"):
        click.echo(content, nl=False)
        return
    from skatsim.durable import whole_or_unchanged

    with whole_or_unchanged(Path(str(output)).expanduser()) as target:
        target.write_bytes(content)
    click.echo(f"wrote {output}", err=True)


def _print_summary(solved: "Sequence[SolvedDeal]") -> None:
    """Times by set and game on standard error."""
    from skatsim.study.deals import summarize

    seconds = sum(entry.seconds for entry in solved)
    click.echo(f"{count_text(len(solved), 'deal')}, {seconds:.2f} s of processor time", err=True)
    timings = list(summarize(solved))
    if not timings:
        return
    width = max(len("set"), *(len(timing.set) for timing in timings))
    click.echo(
        f"{'set':<{width}}  {'game':<5}  {'deals':>6}  {'mean ms':>8}  {'median':>8}"
        f"  {'p95':>8}  {'max':>8}",
        err=True,
    )
    for timing in timings:
        click.echo(
            f"{timing.set:<{width}}  {timing.game:<5}  {timing.deals:>6,}  {timing.mean:>8.3f}"
            f"  {timing.median:>8.3f}  {timing.p95:>8.3f}  {timing.max:>8.3f}",
            err=True,
        )
