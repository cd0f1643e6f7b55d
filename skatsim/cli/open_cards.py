"""The command ``open-cards``."""

import click

from skatsim.cli.options import json_option, print_json, print_table, seed_option

__all__ = ["open_cards"]


@click.command("open-cards")
@click.argument("table", type=click.Choice(["suit", "grand"]))
@click.option(
    "--hands",
    type=click.IntRange(2, 10_000_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Hands tried in each cell.",
)
@click.option(
    "--count-discard",
    is_flag=True,
    help="Count the cards laid away for the declarer, as the rules do.",
)
@seed_option
@json_option
def open_cards(table: str, *, hands: int, count_discard: bool, seed: int, as_json: bool) -> None:
    """How often random hands win with all cards open, beside the published table.

    A suit game by trumps and side aces of the ten cards, grand by jacks, and aces after the
    discard. The published figures leave the two cards laid away out of the count: the declarer
    needs 61 card points in tricks. So does this, unless --count-discard is given.
    """
    from typing import cast

    from skatsim.cli.simulate import progress_bar
    from skatsim.study.open_cards import SOURCE, Kind, open_card_table

    with progress_bar("hands") as show:
        cells = open_card_table(
            cast("Kind", table),
            hands=hands,
            seed=seed,
            is_discard_counted=count_discard,
            on_progress=show,
        )
    if as_json:
        print_json(
            {
                "table": table,
                "hands": hands,
                "seed": seed,
                "is_discard_counted": count_discard,
                "source": SOURCE,
                "cells": [cell.to_dict() for cell in cells],
            }
        )
        return
    columns = ("trumps", "side aces") if table == "suit" else ("jacks", "aces")
    print_table(
        (*columns, "hands", "all hands %", "win %", "published", "gap", "alike"),
        [
            (
                cell.trumps,
                cell.aces,
                f"{cell.hands:,}",
                f"{100 * cell.share:.2f}",
                f"{100 * cell.win_rate:.1f} ±{196 * cell.error:.1f}",
                f"{100 * cell.published:.0f} ±{196 * cell.published_error:.1f}",
                f"{100 * cell.gap:+.1f}",
                {True: "yes", False: "no"}[cell.is_alike],
            )
            for cell in cells
        ],
    )
    click.echo(f"\npublished: {SOURCE}")
    click.echo("alike: within 2 points, or 3 standard errors of both; ± 95 %")
