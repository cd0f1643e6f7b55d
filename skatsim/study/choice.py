"""Which two cards to lay away, chosen on worlds that no estimate is reported from."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skatsim.cards import mask_cards
from skatsim.contracts import Contract
from skatsim.kernels.cards import trump_mask
from skatsim.study.outcomes import MOST, score_table
from skatsim.study.question import Method, Question, Worlds

__all__ = ["CHOOSING", "best_discards", "chosen_discard", "discards_of", "some_worlds"]

CHOOSING: Final = 1 << 47
"""Number of the first world that only helps to choose."""

MOST_WORLDS: Final = 100_000_000
"""Drawn at most to find some that agree with an auction."""

ROUNDS: Final[dict[Method, tuple[tuple[int, int], ...]]] = {
    "play": ((64, 16), (256, 4), (1024, 1)),
    "solve": ((10, 10), (30, 3), (100, 1)),
}
"""Worlds by which the discards left are compared, and how many of them stay."""


def best_discards(
    question: Question, contracts: Sequence[Contract], *, method: Method
) -> list[NDArray[np.int64]]:
    """For each contract the discard with each skat: searched where there is one skat only.

    With the skat unknown the discards are the heuristic's, which go by the cards alone.
    """
    if len(question.skats) > 1:
        return [question.policy_discards(contract) for contract in contracts]
    wanted = sum(worlds for worlds, _ in ROUNDS[method])
    worlds = some_worlds(question, wanted, first=CHOOSING)
    return [
        question.policy_discards(contract)
        if contract.is_hand
        else np.array([chosen_discard(question, contract, worlds, method=method)])
        for contract in contracts
    ]


def some_worlds(question: Question, wanted: int, *, first: int, most: int = MOST_WORLDS) -> Worlds:
    """So many worlds that agree, or fewer where of `most` drawn hardly any do.

    With several skats rounds are not broken off, so that each is met equally often.
    """
    columns: list[NDArray[np.int64]] = []
    skats = len(question.skats)
    found = drawn = 0
    step = -(-wanted // skats) * skats
    while found < wanted and drawn < most:
        for worlds in question.draw(first + drawn, first + drawn + step):
            columns.append(np.stack([worlds.numbers, worlds.left, worlds.right]))
            found += len(worlds.numbers)
        drawn += step
        step *= 2
    whole = np.concatenate(columns, axis=1)
    numbers, left, right = whole[:, :wanted] if len(question.skats) == 1 else whole
    return Worlds(
        numbers=np.ascontiguousarray(numbers),
        left=np.ascontiguousarray(left),
        right=np.ascontiguousarray(right),
    )


def discards_of(twelve_mask: int, contract: Contract) -> list[int]:
    """The ways to lay two of twelve cards away; trumps stay while there are four others."""
    cards = mask_cards(twelve_mask)
    trump = int(trump_mask(contract.number))
    plain = [card for card in cards if not trump >> card & 1]
    return [1 << a | 1 << b for a, b in combinations(plain if len(plain) > 3 else cards, 2)]


def chosen_discard(
    question: Question, contract: Contract, worlds: Worlds, *, method: Method
) -> int:
    """The discard of the highest mean score, solved of the most games won.

    The better part of them stays from round to round.
    """
    first = int(question.policy_discards(contract)[0])  # wins ties
    left = discards_of(question.hand_mask | int(question.skats[0]), contract)
    left = [first, *(discard for discard in left if discard != first)]
    _, scores = score_table(contract, np.array([question.bid]), scoring="plain")
    by_outcome = np.nan_to_num(scores[:, 0])
    total = dict.fromkeys(left, 0.0)
    start = 0
    for count, kept in ROUNDS[method]:
        part = worlds.part(start, start + count)
        start += count
        if method == "solve":
            for discard, wins in zip(
                left, question.discard_wins(contract, part, left), strict=True
            ):
                total[discard] += float(wins)
        else:
            for discard in left:
                found = question.outcomes(
                    contract, part, discards=np.array([discard]), method=method
                )
                total[discard] += float(by_outcome[found + MOST].sum())
        left = sorted(left, key=lambda discard: -total[discard])[:kept]
    return left[0]
