"""Which contracts an estimate tries: those that are named, or all that may be worth a bid."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from skatsim.arguments import items_of
from skatsim.contracts import CONTRACT_NAMES, Contract, parse_contract
from skatsim.errors import NotationError, RuleError
from skatsim.study.choice import CHOOSING, some_worlds
from skatsim.study.question import Method, Question

__all__ = ["announced_contracts", "asked_contracts", "estimate_notes"]

DEFAULT: Final = ("clubs", "spades", "hearts", "diamonds", "grand", "null", "null ouvert")

ANNOUNCING_WORLDS: Final = 4 * 231
"""Played by hand to see whether schneider or schwarz is worth announcing."""

MOST_ANNOUNCING: Final = 2_000_000
"""Drawn at most to find them, where few agree with the auction."""

LEAST_REACHED: Final = 0.5
"""Share of hand games won schneider, or schwarz, from which announcing it is tried: to pay, an
announced game must be won in two games of three, under Seeger-Fabian in more than half."""


def asked_contracts(wanted: Iterable[Contract | str] | str | None) -> list[Contract]:
    """The contracts that are named; None for the games without announcements, and null ouvert.

    A text that does not say ``hand`` means the game with the skat and the hand game.
    """
    if wanted is None:
        wanted = DEFAULT
    if isinstance(wanted, str):
        wanted = [text for text in wanted.split(",") if text.strip()]
    found: list[Contract] = []
    for one in items_of(wanted, "contracts", (str, Contract), "a list of contracts or texts"):
        contract = parse_contract(one) if isinstance(one, str) else one.closed()
        if contract.name not in CONTRACT_NAMES:
            raise RuleError(f"nobody declares {str(contract)!r}")
        both = [contract]
        if isinstance(one, str) and not contract.is_hand:
            both.append(
                Contract(name=contract.name, is_hand=True, is_ouvert=contract.is_ouvert).closed()
            )
        found += [each for each in both if each not in found]
    if not found:
        raise NotationError("no contract is given: leave the option out for all")
    return found


def announced_contracts(question: Question, method: Method) -> list[Contract]:
    """The announced suit games and grands that these ten cards are strong enough to try.

    Announced schwarz is not solved in many worlds, so that there only schneider is found.
    """
    if question.skat_mask is not None:
        return []
    found: list[Contract] = []
    worlds = some_worlds(question, ANNOUNCING_WORLDS, first=CHOOSING, most=MOST_ANNOUNCING)
    if len(worlds.numbers) == 0:
        return []
    for name in ("clubs", "spades", "hearts", "diamonds", "grand"):
        hand = Contract(name=name, is_hand=True)
        outcomes = question.outcomes(
            hand, worlds, discards=question.policy_discards(hand), method="play"
        )
        held = question.multipliers_held(hand)[worlds.numbers % len(question.skats)]
        if np.mean(outcomes > held) >= LEAST_REACHED:
            found.append(Contract(name=name, is_schneider_announced=True).closed())
        if method == "play" and np.mean(outcomes > held + 1) >= LEAST_REACHED:
            found.append(Contract(name=name, is_schwarz_announced=True).closed())
            found.append(Contract(name=name, is_ouvert=True).closed())
    return found


def estimate_notes(
    question: Question, method: Method, announced: Sequence[Contract] | None
) -> tuple[str, ...]:
    """How the bids are meant, and which contracts were left out; None where they were named."""
    if question.skat_mask is not None:
        return ()
    notes = ["A bid is worth what the best plan found for it brings: at least that."]
    if announced is not None and method == "solve":
        notes.append("Of suit games and grand, schwarz and ouvert are not solved.")
    if announced:
        notes.append("Schneider, schwarz, ouvert are tried where half the hand games come to it.")
    elif announced is not None:
        notes.append(
            "Not tried, too rare by hand: schneider, schwarz, ouvert in suit games and grand."
        )
    return tuple(notes)
