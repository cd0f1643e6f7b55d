"""The command ``estimate``."""

from typing import TYPE_CHECKING

import click

from skatsim.cli.options import (
    cards_option,
    has_symbols,
    json_option,
    print_json,
    print_table,
    seed_option,
)
from skatsim.cli.streams import shielded_stdout

if TYPE_CHECKING:
    from skatsim.cards import CardStyle

__all__ = ["estimate"]


@click.command()
@click.argument("cards", nargs=-1, required=True, metavar="CARDS")
@click.option("--seat", default="forehand", show_default=True, help="Whose cards they are.")
@click.option("--skat", metavar="CARDS", help="The skat, where it is known.")
@click.option(
    "--auction", default="", metavar="TOKENS", help="The calls so far, like '1 18 0 y 1 20'."
)
@click.option(
    "--contracts",
    metavar="C,C",
    help="Those to try: without 'hand' it means with and without the skat.  [default: the six and"
    " null ouvert, and what is strong enough to be announced]",
)
@click.option(
    "--method",
    type=click.Choice(["play", "solve", "human"]),
    default="play",
    show_default=True,
    help="Played out by a policy, or solved on open cards; human is not available yet.",
)
@click.option(
    "--policy", metavar="P", default="heuristic", show_default=True, help="Who bids and plays."
)
@click.option(
    "--scoring",
    type=click.Choice(["plain", "seeger3", "seeger4"]),
    default="plain",
    show_default=True,
    help="The plain list, or Seeger-Fabian at a table of three or four.",
)
@click.option(
    "--precision",
    type=float,
    metavar="X",
    help="Half-width of the interval of each win rate.  [default: 0.01, solved 0.03]",
)
@click.option("--samples", type=int, metavar="N", help="Deals to look at instead.")
@seed_option
@cards_option
@json_option
def estimate(
    *,
    cards: tuple[str, ...],
    seat: str,
    skat: str | None,
    auction: str,
    contracts: str | None,
    method: str,
    policy: str,
    scoring: str,
    precision: float | None,
    samples: int | None,
    seed: int,
    card_style: "CardStyle",
    as_json: bool,
) -> None:
    """What ten cards are worth: the chance to win each contract, and how high to bid.

    The deals that these cards leave are played out by a policy, or solved with all cards open:
    two figures that mean different things. A game is not won by them alone: people play
    otherwise than either. Intervals: 95 %.

    A bid is worth what the best plan found for it brings (which contract with which skat, or
    a hand game), so at least that. Once both others have passed there is one bid only.
    Schneider, schwarz and ouvert in suit games and grand are tried where at least half of
    the hand games come to it.

    In JSON, effective_samples is the number of independent deals that would tell as much: more
    than samples, since every skat is met equally often.
    """
    from skatsim.study import estimate_text
    from skatsim.study.estimate import estimate as run_estimate

    with shielded_stdout():
        found = run_estimate(
            " ".join(cards),
            seat,
            skat=skat,
            auction=auction,
            contracts=contracts,
            method=method,
            policy=policy,
            scoring=scoring,
            precision=precision,
            samples=samples,
            seed=seed,
        )
    if as_json:
        print_json(found.to_dict())
        return
    symbols = has_symbols()
    click.echo(estimate_text.heading(found, card_style, has_symbols=symbols))
    click.echo()
    columns, rows = estimate_text.contract_table(found, card_style, has_symbols=symbols)
    print_table(columns, rows)
    click.echo()
    columns, rows = estimate_text.bid_table(found)
    print_table(columns, rows)
    click.echo()
    click.echo(estimate_text.summary(found, card_style, has_symbols=symbols))
