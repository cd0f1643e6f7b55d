"""The command ``simulate``."""

import contextlib
import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import click

from skatsim.cli.options import (
    FiniteRange,
    archive_option,
    console,
    jobs_option,
    json_option,
    print_json,
    ruleset_option,
    run_option,
    seed_option,
)
from skatsim.cli.signals import stop_on_signals
from skatsim.cli.streams import shielded_stdout
from skatsim.wording import count_text

if TYPE_CHECKING:
    from skatsim.plugged import FaultAction
    from skatsim.workers import Backend

__all__ = ["progress_bar", "simulate"]

JSON_KEYS = (
    "run",
    "hands",
    "new_hands",
    "seed",
    "seconds",
    "hands_per_second",
    "bytes",
    "bytes_per_hand",
    "digest",
)


LINE_SECONDS = 60
"""Where stderr is no terminal, a line says so often how far it is."""


@contextlib.contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, as a function of the done and the total; now and then a line elsewhere."""
    err = console(is_error=True)
    if not err.is_terminal:
        yield _ProgressLines(title).show
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
    ) as progress:
        task: Any = None

        def show(done: int, total: int) -> None:
            nonlocal task
            if task is None:
                task = progress.add_task(title, total=total, completed=done, rate="")
            speed = progress.tasks[0].finished_speed or progress.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            progress.update(task, completed=done, total=total, rate=rate)

        yield show


class _ProgressLines:
    """Progress of long work in lines for a log."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.told = time.monotonic()
        self.began: tuple[float, int] | None = None

    def show(self, done: int, total: int) -> None:
        moment = time.monotonic()
        if self.began is None or done < self.began[1]:
            self.began = (moment, done)
        if moment - self.told < LINE_SECONDS:
            return
        self.told = moment
        began, before = self.began
        rate = (done - before) / max(moment - began, 1e-9)
        left = f", {(total - done) / rate:,.0f} s left" if rate else ""
        text = f"skatsim: {done:,} of {total:,} {self.title}, {rate:,.0f}/s{left}"
        click.echo(text, err=True)


def _has_rounds(ruleset: str) -> bool:
    from skatsim.ruleset import find_ruleset

    rules = find_ruleset(ruleset)
    return bool(rules.bock_triggers) or rules.ramsch_rounds == "after_bock"


@click.command()
@click.option(
    "--hands", type=click.IntRange(0, 10**12), metavar="N", help="Games the run shall hold."
)
@click.option(
    "--until",
    type=FiniteRange(min=0.0001, max=0.5, max_open=True),
    metavar="PRECISION",
    help="Instead of --hands: half-width of the 95 % interval of the declarer's win rate.",
)
@seed_option
@archive_option
@run_option
@click.option("--bidding", metavar="POLICY", default=None, help="Who bids.  [default: heuristic]")
@click.option("--declaring", metavar="POLICY", default=None, help="Who takes the skat or not, ...")
@click.option("--play", metavar="POLICY", default=None, help="Who plays the cards.")
@click.option(
    "--kontra",
    metavar="POLICY",
    default=None,
    help="Who says Kontra, Re and the like under rules that have them.  [default: as --play]",
)
@click.option(
    "--seats",
    metavar="P,P,P",
    default=None,
    help="Instead: a policy for forehand, middlehand and rearhand, or in series for each player "
    "in the order of the deal. Parameters follow a colon.",
)
@click.option(
    "--series",
    type=click.IntRange(1, 9_999),
    metavar="DEALS",
    help="Play whole series of so many deals: 36 at a table of three, 48 at four.",
)
@click.option(
    "--table",
    type=click.Choice(["3", "4"]),
    default="3",
    show_default=True,
    help="Players at the table in series; at four the dealer sits out.",
)
@click.option(
    "--players",
    metavar="NAME,NAME,...",
    default=None,
    help="Names of the players in series.  [default: those of their policies]",
)
@ruleset_option
@jobs_option
@click.option(
    "--backend",
    type=click.Choice(["local", "dask", "ray"]),
    default="local",
    show_default=True,
    help="Who plays: this machine, or the workers of a cluster.",
)
@click.option("--scheduler", metavar="ADDRESS", default=None, help="Where the cluster listens.")
@click.option(
    "--on-fault",
    type=click.Choice(["stop", "record"]),
    default="stop",
    show_default=True,
    help="When a policy breaks the rules: stop the run, or record the hand as aborted.",
)
@click.option(
    "--time-limit",
    type=FiniteRange(min=0.01, max=86_400),
    metavar="SECONDS",
    default=None,
    help="For an answer of a policy that is plugged in.  [default: none; programs have 10]",
)
@click.option("--resume", is_flag=True, help="Add what the run lacks, and play damaged parts anew.")
@click.option("--overwrite", is_flag=True, help="Replace the run.")
@click.option("--no-records", is_flag=True, help="Count the games, archive none.")
@json_option
@click.pass_context
def simulate(
    ctx: click.Context,
    *,
    hands: int | None,
    until: float | None,
    seed: int,
    archive: str,
    run: str | None,
    bidding: str | None,
    declaring: str | None,
    play: str | None,
    kontra: str | None,
    seats: str | None,
    series: int | None,
    table: str,
    players: str | None,
    ruleset: str,
    n_jobs: int | None,
    backend: "Backend",
    scheduler: str | None,
    on_fault: "FaultAction",
    time_limit: float | None,
    resume: bool,
    overwrite: bool,
    no_records: bool,
    as_json: bool,
) -> None:
    """Deal hands, play them, and archive every one.

    Game k of a seed is always the same, for any number of workers; so a run can be stopped
    and resumed. POLICY is a name with parameters, like heuristic:risk=0.6 (see 'skatsim
    policies list'), ./FILE.py:NAME, or cmd:PROGRAM. Left out, --declaring and --play are what
    --bidding is, and the other way round. With --series the players keep their policies while
    the deal goes round; without --hands one series is played.
    """
    if series is not None and hands is None and until is None:
        hands = series
    if (hands is None) == (until is None):
        raise click.UsageError("give either --hands or --until")
    if (scheduler is not None or backend == "dask") and (scheduler is None or backend == "local"):
        raise click.UsageError("--scheduler is the address of a --backend: dask needs it")
    if resume and overwrite:
        raise click.UsageError("give either --resume or --overwrite")
    if seats and (bidding or declaring or play or kontra):
        raise click.UsageError("--seats says who takes every decision: leave out the others")
    if series is None and (players or table != "3"):
        raise click.UsageError("--table 4 and --players need --series")
    size: Literal[3, 4] = 4 if table == "4" else 3
    from skatsim.lists import UnfairSeriesWarning, is_fair_series
    from skatsim.policies import find_policy
    from skatsim.policies.players import taking
    from skatsim.simulation import simulate as run_simulation

    if series is not None and not is_fair_series(series, size):
        click.echo(
            f"skatsim: in a series of {count_text(series, 'deal')} the {size} players do not deal "
            "equally often",
            err=True,
        )

    if series is None and _has_rounds(ruleset):
        click.echo(
            f"skatsim: the Bock rounds of {ruleset!r} are rounds of a series: without --series "
            "there are none",
            err=True,
        )
    named = [policy for policy in (play, bidding, declaring) if policy]
    with (
        shielded_stdout(),
        warnings.catch_warnings(),
        stop_on_signals() as (stop, came),
        progress_bar("hands") as show,
    ):
        warnings.simplefilter("ignore", UnfairSeriesWarning)
        default = find_policy(named[0] if named else "heuristic")
        result = run_simulation(
            hands=hands,
            until=until,
            seed=seed,
            archive=None if no_records else archive,
            run=run,
            bidding=bidding or taking(default, "bidding"),
            declaring=declaring or taking(default, "declaring"),
            play=play or taking(default, "play"),
            kontra=kontra,
            seats=_split_seats(seats) if seats else None,
            series=series,
            table=size,
            player_names=[name.strip() for name in players.split(",")] if players else None,
            ruleset=ruleset,
            n_jobs=n_jobs,
            backend=backend,
            on_fault=on_fault,
            time_limit=time_limit,
            scheduler=scheduler,
            mode="overwrite" if overwrite else "resume" if resume else "new",
            stop=stop,
            on_progress=show,
        )
    if as_json:
        content = dataclasses.asdict(result)
        print_json({key: content[key] for key in JSON_KEYS})
    else:
        from skatsim.ruleset import find_ruleset

        where = None if no_records else archive
        _print_result(result, where, has_ramsch=find_ruleset(ruleset).has_ramsch)
    if came:
        how = "" if no_records else ": the same command with --resume goes on from here"
        click.echo(f"skatsim: stopped at {result.hands:,} hands{how}", err=True)
        ctx.exit(128 + came[0])


def _split_seats(text: str) -> list[str]:
    """Three policies out of ``P,P,P``, whose parameters may hold commas themselves."""
    seats: list[str] = []
    for piece in text.split(","):
        if seats and ":" in seats[-1] and "=" in piece and ":" not in piece:
            seats[-1] += f",{piece}"
        else:
            seats.append(piece)
    return seats


def _print_result(result: Any, archive: str | None, *, has_ramsch: bool) -> None:
    where = f" in {archive}" if archive else ", not archived"
    click.echo(f"run      {result.run}{where}")
    added = f", {result.new_hands:,} new" if result.new_hands != result.hands else ""
    click.echo(f"hands    {result.hands:,}{added}")
    if result.declared:
        passed = result.hands - result.declared - result.aborted
        what = "without a declarer" if has_ramsch else "passed in"
        click.echo(
            f"played   {result.declared:,}, won {result.won / result.declared:.1%}; "
            f"{what} {passed:,} ({passed / result.hands:.1%})"
        )
    if result.aborted:
        click.echo(
            f"aborted  {count_text(result.aborted, 'hand')} that a policy spoiled: "
            "see the column fault"
        )
    if result.repaired:
        click.echo(f"repaired {count_text(result.repaired, 'hand')} of damaged parts")
    if result.new_hands:
        click.echo(f"time     {result.seconds:.2f} s, {result.hands_per_second:,.0f} hands/s")
    if result.bytes:
        click.echo(f"size     {result.bytes:,} bytes, {result.bytes_per_hand:.1f} a hand")
    click.echo(f"digest   {result.digest}")
