"""``skatsim score`` and ``skatsim value``."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

from skatsim.cli.options import json_option, lang_option, print_json, print_table, ruleset_option

if TYPE_CHECKING:
    from skatsim.explanation import Language
    from skatsim.ruleset import Ruleset
    from skatsim.scoring import Score

_WORDS: Final[dict["Language", dict[str, str]]] = {
    "en": {
        "bid": "bid",
        "won": "won",
        "lost": "lost",
        "overbid": "overbid",
        "list": "list",
        "declarer": "declarer",
        "others": "each other player",
        "plain": "plain",
        "table": "table of",
    },
    "de": {
        "bid": "gereizt",
        "won": "gewonnen",
        "lost": "verloren",
        "overbid": "überreizt",
        "list": "Liste",
        "declarer": "Alleinspieler",
        "others": "jeder andere",
        "plain": "einfach",
        "table": "Tisch zu",
    },
    "pt": {
        "bid": "lance",
        "won": "ganho",
        "lost": "perdido",
        "overbid": "pediu demais",
        "list": "lista",
        "declarer": "declarante",
        "others": "cada um dos outros",
        "plain": "simples",
        "table": "mesa de",
    },
    "es": {
        "bid": "puja",
        "won": "ganado",
        "lost": "perdido",
        "overbid": "se pasó en la subasta",
        "list": "lista",
        "declarer": "declarante",
        "others": "cada uno de los otros",
        "plain": "simple",
        "table": "mesa de",
    },
}
"""The words under the sentence."""


@click.command()
@click.option("--hand", required=True, metavar="CARDS", help="The declarer's ten cards.")
@click.option("--skat", required=True, metavar="CARDS", help="The two cards of the skat.")
@click.option("--contract", required=True, metavar="C", help="'hearts hand', or a code like HH.")
@click.option("--bid", required=True, type=int, metavar="N", help="The value said or held last.")
@click.option("--tricks", required=True, type=int, metavar="N", help="Tricks of the declarer.")
@click.option(
    "--card-points", type=int, metavar="N", help="His card points; not needed in null games."
)
@click.option("--discard", metavar="CARDS", help="The cards laid away, where known.")
@click.option(
    "--kontra",
    type=click.IntRange(0, 4),
    default=0,
    metavar="N",
    help="Doublings said: 1 Kontra, 2 and Re, 3 and 4 further ones.",
)
@click.option(
    "--bock",
    type=click.IntRange(1, 64),
    default=1,
    metavar="N",
    help="Factor of the Bock rounds of the deal: 2, or 4 for two at once where they multiply.",
)
@click.option("--missed-spitze", is_flag=True, help="The Spitze that was announced was not made.")
@ruleset_option
@lang_option
@json_option
def score(
    hand: str,
    skat: str,
    contract: str,
    bid: int,
    tricks: int,
    card_points: int | None,
    discard: str | None,
    kontra: int,
    bock: int,
    missed_spitze: bool,
    ruleset: str,
    lang: "Language",
    as_json: bool,
) -> None:
    """Score one game and explain its value in a sentence.

    An outcome that these cards cannot give is refused.
    """
    from skatsim.cards import find_notation, parse_mask
    from skatsim.contracts import parse_contract
    from skatsim.explanation import contract_name, explain
    from skatsim.ruleset import find_ruleset
    from skatsim.scoring import check_doublings, score_game

    rules = find_ruleset(ruleset)
    check_doublings(rules, kontra=kontra, bock=bock)
    notation = find_notation(hand, skat, discard or "")
    result = score_game(
        parse_contract(contract, rules),
        hand_mask=parse_mask(hand, notation),
        skat_mask=parse_mask(skat, notation),
        bid_value=bid,
        trick_count=tricks,
        card_points=card_points,
        discard_mask=None if discard is None else parse_mask(discard, notation),
        kontra=kontra,
        bock=bock,
        is_spitze_made=not missed_spitze,
        ruleset=rules,
    )
    sentence = explain(result, lang)
    lists = _list_entries(result, rules)
    if as_json:
        print_json(_score_object(result, sentence, lists))
        return
    click.echo(sentence)
    words = _WORDS[lang]
    outcome = "won" if result.is_won else "overbid" if result.is_overbid else "lost"
    name, bid_text = contract_name(result.contract, lang), f"{words['bid']} {result.bid_value}"
    click.echo(f"{name}, {bid_text}: {words[outcome]}, {result.score:+d}")
    print_table(
        (words["list"], words["declarer"], words["others"]),
        [
            (words["plain"], result.score, 0),
            *(
                (f"Seeger-Fabian, {words['table']} {size}", entries[0], entries[1])
                for size, entries in lists.items()
            ),
        ],
    )


def _list_entries(result: "Score", rules: "Ruleset") -> dict[int, list[int]]:
    """The declarer's entry, then those of the other players, by table size."""
    from skatsim.lists import seeger_fabian

    return {
        size: list(
            seeger_fabian(
                result.score, is_won=result.is_won, declarer=0, table_size=size, ruleset=rules
            )
        )
        for size in (3, 4)
    }


def _score_object(result: "Score", sentence: str, lists: dict[int, list[int]]) -> dict[str, Any]:
    names = (
        "matadors",
        "level",
        "multiplier",
        "game_value",
        "is_schneider",
        "is_schwarz",
        "is_overbid_before_play",
        "is_overbid",
        "is_won",
        "charged_value",
        "entry_factor",
        "score",
    )
    return {
        "contract": str(result.contract),
        **{name: getattr(result, name) for name in names},
        "explanation": sentence,
        "seeger_fabian": {str(size): entries for size, entries in lists.items()},
    }


@click.command()
@click.argument("cards", nargs=-1, required=True, metavar="CARDS")
@click.option("--skat", metavar="CARDS", help="The skat, where it is known.")
@click.option("--bid", type=int, metavar="N", help="The chance to be overbid at this value only.")
@ruleset_option
@json_option
def value(
    cards: tuple[str, ...], skat: str | None, bid: int | None, ruleset: str, as_json: bool
) -> None:
    """What ten cards are worth in the bidding, exactly, over all 231 skats.

    For each contract: the value held, the least and greatest that the skat can make of it, and
    how often it makes it less. Schneider and schwarz are left out.
    """
    from skatsim.cards import find_notation, parse_mask
    from skatsim.ruleset import find_ruleset
    from skatsim.scoring import overbid_rates, value_rows

    text = " ".join(cards)
    notation = find_notation(text, skat or "")
    hand_mask = parse_mask(text, notation)
    skat_mask = None if skat is None else parse_mask(skat, notation)
    rows = value_rows(hand_mask, skat_mask, find_ruleset(ruleset))
    rates = overbid_rates(rows, bid)
    if as_json:
        print_json(
            {
                "rows": [
                    {
                        "contract": row.contract,
                        "is_hand": row.is_hand,
                        "matadors": row.matadors,
                        "value_held": row.value_held,
                        "least_value": row.least_value,
                        "greatest_value": row.greatest_value,
                        "lowered_rate": _number(row.lowered_rate),
                        "lowered_fraction": _fraction(row.lowered_rate),
                    }
                    for row in rows
                ],
                "overbid": [
                    {
                        "bid": rate.bid,
                        "contract": rate.contract,
                        "is_hand": rate.is_hand,
                        "rate": _number(rate.rate),
                        "fraction": _fraction(rate.rate),
                    }
                    for rate in rates
                ],
            }
        )
        return
    chances = {(rate.contract, rate.is_hand): rate.rate for rate in rates}
    print_table(
        (
            "contract",
            "matadors",
            "held",
            "least",
            "most",
            "lowered",
            *(() if bid is None else (f"overbid {bid}",)),
        ),
        [
            (
                f"{row.contract} hand" if row.is_hand else row.contract,
                None if row.matadors is None else f"{row.matadors:+d}",
                row.value_held,
                row.least_value,
                row.greatest_value,
                _share(row.lowered_rate),
                *(() if bid is None else (_share(chances[row.contract, row.is_hand]),)),
            )
            for row in rows
        ],
    )


def _number(rate: Fraction | None) -> float | None:
    return None if rate is None else float(rate)


def _fraction(rate: Fraction | None) -> str | None:
    return None if rate is None else f"{rate.numerator}/{rate.denominator}"


def _share(rate: Fraction | None) -> str | None:
    """A rate as a fraction of the 231 skats and in percent."""
    if rate is None:
        return None
    if rate in (0, 1):
        return f"{int(rate) * 100}%"
    return f"{rate * 231}/231 {float(rate):.1%}"
