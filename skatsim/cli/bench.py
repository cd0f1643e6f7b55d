"""The command ``bench``."""

import dataclasses

import click

from skatsim.cli.options import json_option, print_json, print_table

__all__ = ["bench"]


@click.command()
@click.option("--hands", type=click.IntRange(1000, 10_000_000), default=200_000, show_default=True)
@click.option("--rounds", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--jobs/--no-jobs", "with_jobs", default=False, help="Also one against two workers.")
@json_option
def bench(*, hands: int, rounds: int, with_jobs: bool, as_json: bool) -> None:
    """Speed on this machine: per second of processor time, one core, medians.

    Where OpenSpiel is installed (pip install open-spiel), its random games are measured
    between our rounds, and the ratio is given.
    """
    from skatsim.study.speed import measure, measure_jobs

    speeds = list(measure(hands=hands, rounds=rounds))
    if with_jobs:
        speeds.append(measure_jobs(hands=5 * hands))
    if as_json:
        print_json([dataclasses.asdict(speed) for speed in speeds])
        return
    print_table(
        ("what", "per second", "from", "to", "ratio", "note"),
        [
            (
                speed.name,
                f"{speed.per_second:,.0f}",
                f"{speed.least:,.0f}",
                f"{speed.greatest:,.0f}",
                None if speed.ratio is None else f"{speed.ratio:.2f}",
                speed.note,
            )
            for speed in speeds
        ],
    )
