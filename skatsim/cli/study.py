"""The commands ``duel`` and ``threshold``."""

import dataclasses
from typing import Any

import click

from skatsim.cli.options import (
    FiniteRange,
    jobs_option,
    json_option,
    name_lines,
    print_json,
    print_sentence,
    print_table,
    seed_option,
)
from skatsim.cli.streams import shielded_stdout
from skatsim.wording import count_text

__all__ = ["duel", "threshold"]

scoring_option = click.option(
    "--scoring",
    type=click.Choice(["plain", "seeger3", "seeger4"]),
    default="seeger3",
    show_default=True,
    help="The declarer's score alone, or with the bonuses of a table of three or four.",
)


def _with_margin(mean: float, high: float | None, *, digits: int = 2) -> str:
    margin = "" if high is None else f" ±{high - mean:.{digits}f}"
    return f"{mean:+.{digits}f}{margin}"


def _percent(rate: float, high: float | None = None, low: float | None = None) -> str:
    if high is None or low is None:
        return f"{100 * rate:.1f}"
    return f"{100 * rate:.1f} ±{100 * max(high - rate, rate - low):.1f}"


@click.command()
@click.argument("policies", nargs=-1, required=True, metavar="POLICY POLICY...")
@scoring_option
@click.option(
    "--deals", type=click.IntRange(1, 20_000_000), help="Deals of each pair.  [default: 2000]"
)
@click.option(
    "--precision",
    type=FiniteRange(min=0.001, max=1000),
    help="Instead: play on until every difference is known to ± so much.",
)
@seed_option
@jobs_option
@json_option
def duel(
    *,
    policies: tuple[str, ...],
    scoring: Any,
    deals: int | None,
    precision: float | None,
    seed: int,
    n_jobs: int | None,
    as_json: bool,
) -> None:
    """Let policies play against each other on the same deals, in all seatings.

    Each deal is played six times by two policies, in every way to seat both. The difference is
    the mean score of a seat of the one less that of a seat of the other.
    """
    from skatsim.cli.simulate import progress_bar
    from skatsim.study.duel import duel as run_duel

    if len(policies) < 2:
        raise click.UsageError("name two policies or more")
    if deals is not None and precision is not None:
        raise click.UsageError("give --deals or --precision, not both")
    with shielded_stdout(), progress_bar("deals") as show:
        result = run_duel(
            *policies,
            deals=deals,
            precision=precision,
            scoring=scoring,
            seed=seed,
            n_jobs=n_jobs,
            on_progress=show,
        )
    if as_json:
        print_json(dataclasses.asdict(result))
        return
    head = ("score a deal", "declaring", "defending", "declared %", "won %")
    rows = [
        (
            _with_margin(row.score_per_deal, row.score_per_deal_high),
            f"{row.declaring:+.2f}",
            f"{row.defending:+.2f}",
            _percent(row.declared_rate, row.declared_rate_high, row.declared_rate_low),
            _percent(row.win_rate, row.win_rate_high, row.win_rate_low),
        )
        for row in result.rows
    ]
    names = name_lines([row.policy for row in result.rows], [head, *rows])
    print_table(("policy", *head), [(name, *row) for name, row in zip(names, rows, strict=True)])
    for difference in result.differences:
        verdict = "not decided"
        if difference.is_decided:
            verdict = f"{difference.a if difference.mean > 0 else difference.b} is better"
        elif difference.low is not None and difference.low == difference.high:
            verdict = "no difference"
        print_sentence(
            f"{difference.a} less {difference.b}: "
            f"{_with_margin(difference.mean, difference.high)} a deal "
            f"over {count_text(difference.deals, 'deal')}, {verdict}"
        )
    click.echo(f"{result.scoring}, seed {result.seed}; ± 95 %, by deal")


@click.command()
@click.option(
    "--policy", default="heuristic", show_default=True, help="Whose parameter; values may follow."
)
@click.option("--param", metavar="NAME", help="The parameter.  [default: the policy's first]")
@click.option(
    "--values",
    metavar="V,V,...|LOW:HIGH:STEP",
    help="What it shall be.  [default: some steps around its default]",
)
@click.option(
    "--deals",
    type=click.IntRange(1, 20_000_000),
    default=20_000,
    show_default=True,
    help="Deals, each played with every value at every seat.",
)
@scoring_option
@click.option("--opponents", metavar="POLICY", help="The other two.  [default: --policy]")
@click.option("--self-play", "is_self_play", is_flag=True, help="All three have the value.")
@click.option(
    "--seat",
    metavar="SEAT",
    help="The policy sits at forehand, middlehand or rearhand only.",
)
@click.option("--contract", metavar="NAME", help="Count the games declared in it only.")
@click.option(
    "--break-even",
    "is_break_even",
    is_flag=True,
    help="Instead: how often a game of each value must be won to be worth declaring.",
)
@seed_option
@jobs_option
@json_option
def threshold(
    *,
    policy: str,
    param: str | None,
    values: str | None,
    deals: int,
    scoring: Any,
    opponents: str | None,
    is_self_play: bool,
    seat: str | None,
    contract: str | None,
    is_break_even: bool,
    seed: int,
    n_jobs: int | None,
    as_json: bool,
) -> None:
    """Find the value of a bidding parameter that pays best.

    A policy plays the same deals with each value of one of its parameters, at each seat against
    fixed opponents or, with --self-play, at all seats at once.
    """
    from skatsim.cards import parse_seat
    from skatsim.cli.simulate import progress_bar
    from skatsim.study.threshold import threshold as run_threshold

    if is_break_even:
        _print_break_even(as_json)
        return
    wanted = None if values is None else _values(values)
    with shielded_stdout(), progress_bar("deals") as show:
        result = run_threshold(
            policy,
            param,
            wanted,
            deals=deals,
            scoring=scoring,
            opponents=opponents,
            is_self_play=is_self_play,
            seat=None if seat is None else parse_seat(seat),
            contract=contract,
            seed=seed,
            n_jobs=n_jobs,
            on_progress=show,
        )
    if as_json:
        print_json(dataclasses.asdict(result))
        return
    _print_threshold(result)


def _print_break_even(as_json: bool) -> None:
    from skatsim.study.break_even import GAME_VALUES, break_even

    columns = {
        "plain": ("plain", "nobody"),
        "seeger": ("seeger3", "nobody"),
        "lead_of_three": ("seeger3", "opponents"),
        "lead_of_four": ("seeger4", "opponents"),
    }
    rows = [
        {
            "game_value": value,
            **{
                name: break_even(value, scoring, against=against)
                for name, (scoring, against) in columns.items()
            },
        }
        for value in GAME_VALUES
    ]
    if as_json:
        print_json({"rows": rows})
        return
    print_table(
        ("value", "plain %", "S-F %", "lead of three %", "lead of four %"),
        [(str(row["game_value"]), *(_percent(row[name]) for name in columns)) for row in rows],
    )
    click.echo(
        "to be won so often that declaring costs nothing: by plain score; on the own list by "
        "Seeger-Fabian; of the lead on each opponent, who gets a bonus for a game lost"
    )


def _values(text: str) -> list[float]:
    """The numbers of ``0.3,0.4`` or ``0.3:0.5:0.1``."""
    try:
        if ":" in text:
            low, high, step = (float(part) for part in text.split(":"))
            if not step > 0 or not low <= high or (high - low) / step > 1000:
                raise ValueError
            return [round(low + step * count, 10) for count in range(int((high - low) / step + 1.5))
                    if low + step * count <= high + step / 1e6]  # fmt: skip
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: write numbers like 0.4,0.5,0.6 or LOW:HIGH:STEP", param_hint="--values"
        ) from None


BAND_WIDTH = 17
"""Letters of the curve at most; it is shorter where the table would be wider than 80 columns."""


def _band(row: Any, least: float, width: int) -> str:
    """A row's place on the curve, and its band: ``--o-- `` on a scale from `least` to the best."""

    def place(value: float) -> int:
        share = (value - least) / -least if least else 1.0
        return min(max(round(share * (width - 1)), 0), width - 1)

    low = row.difference if row.difference_low is None else row.difference_low
    high = row.difference if row.difference_high is None else row.difference_high
    cells = [" "] * width
    for cell in range(place(low), place(high) + 1):
        cells[cell] = "-"
    cells[place(row.difference)] = "o"
    return "".join(cells).rstrip()


def _print_threshold(result: Any) -> None:
    table = "self-play" if result.opponents is None else f"against {result.opponents}"
    confined = "".join(f", {part}" for part in (result.seat, result.contract) if part)
    click.echo(
        f"{result.policy}: {result.parameter} by {result.scoring}, {table}{confined}, "
        f"{count_text(result.deals, 'deal')}, seed {result.seed}"
    )
    least = min(row.difference for row in result.rows)
    head = (result.parameter, "declared %", "won %", "overbid %", "score", "to best")
    rows = [
        (
            f"{row.value:g}",
            _percent(row.declared_rate),
            _percent(row.win_rate),
            _percent(row.overbid_rate),
            f"{row.score_per_deal:.2f}",
            _with_margin(row.difference, row.difference_high),
        )
        for row in result.rows
    ]
    used = sum(max(map(len, column)) + 3 for column in zip(head, *rows, strict=True))
    width = max(min(BAND_WIDTH, 80 - used), 5)
    bands = [_band(row, least, width) for row in result.rows]
    print_table((*head, "curve"), [(*row, band) for row, band in zip(rows, bands, strict=True)])
    best = result.best
    click.echo(f"best: {best.text}; the default is {result.default:g}")
    if len(result.seats) > 1:
        seats = (
            f"{curve.seat} {curve.best.value:g} ({curve.best.low:g} to {curve.best.high:g})"
            for curve in result.seats
        )
        click.echo("by seat: " + ", ".join(seats))
    chosen = [row for row in result.contracts if row.value == best.value]
    print_table(
        ("contract", "games", "won %", "score a game"),
        [
            (
                row.contract,
                f"{row.games:,}",
                _percent(row.win_rate, row.win_rate_high, row.win_rate_low),
                f"{row.score_per_game:+.2f}",
            )
            for row in chosen
        ],
        title=f"at {best.value:g}",
    )
    click.echo("± 95 %; 'to best' is compared deal by deal")
