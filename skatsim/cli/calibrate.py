"""The command ``calibrate``."""

from typing import TYPE_CHECKING

import click

from skatsim.cli.options import json_option, print_json, print_table, seed_option
from skatsim.cli.streams import shielded_stdout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skatsim.study.calibration import Group

__all__ = ["calibrate"]


@click.command()
@click.option(
    "--games",
    type=click.IntRange(10, 10_000_000),
    default=2_000,
    show_default=True,
    metavar="N",
    help="Declared games to look at.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 10_000_000),
    default=400,
    show_default=True,
    metavar="N",
    help="Deals for each prediction, all in agreement with the auction.",
)
@click.option(
    "--policy", metavar="P", default="heuristic", show_default=True, help="Who bids and plays."
)
@seed_option
@json_option
def calibrate(*, games: int, samples: int, policy: str, seed: int, as_json: bool) -> None:
    """Whether estimated chances come true, on simulated games.

    Each declared game is predicted from what its declarer knows at the declaration, under the
    policy that then plays it, and counted as it ended.
    """
    from skatsim.cli.simulate import progress_bar
    from skatsim.study.calibration import PUBLISHED
    from skatsim.study.calibration import calibrate as run_calibration

    with shielded_stdout(), progress_bar("games") as show:
        found = run_calibration(games, seed=seed, samples=samples, policy=policy, on_progress=show)
    if as_json:
        print_json(found.to_dict())
        return
    click.echo(
        f"{games:,} declared games of {found.policy} (seed {seed}), each predicted from at least"
        f" {found.least_samples:,} deals\n"
    )
    _print_groups("predicted", found.groups)
    click.echo(f"\ngreatest gap {100 * found.greatest_gap:.1f} points\n")
    _print_groups("contract", found.by_contract)
    click.echo()
    _print_groups("seat", found.by_seat)
    click.echo(
        f"\nBrier score {found.brier:.4f} = reliability {found.reliability:.4f}"
        f" - resolution {found.resolution:.4f}\n    + uncertainty {found.uncertainty:.4f}"
        f" + within groups {found.within:.4f}\n"
    )
    click.echo("published elsewhere, of other players; not to be mistaken for the above:")
    print_table(
        ("", "what", "predicted %", "won %"),
        [
            (number, row.what, _percent(row.predicted), _percent(row.won))
            for number, row in enumerate(PUBLISHED, 1)
        ],
    )
    for source in dict.fromkeys(row.source for row in PUBLISHED):
        names = ", ".join(
            str(number) for number, row in enumerate(PUBLISHED, 1) if row.source == source
        )
        click.echo(f"{names}: {source}")


def _percent(rate: float | None) -> str | None:
    return None if rate is None else f"{100 * rate:.1f}"


def _print_groups(title: str, groups: "Sequence[Group]") -> None:
    print_table(
        (title, "games", "predicted %", "won %", "95 %", "gap", "Brier"),
        [
            (
                group.name,
                f"{group.games:,}",
                f"{100 * group.predicted:.1f}",
                f"{100 * group.won:.1f}",
                f"{100 * group.won_low:.1f}-{100 * group.won_high:.1f}",
                f"{100 * (group.predicted - group.won):+.1f}",
                f"{group.brier:.3f}",
            )
            for group in groups
        ],
    )
