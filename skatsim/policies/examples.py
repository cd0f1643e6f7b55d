"""The policy `uniform` written in the other two ways: for comparison, and to begin from.

Both play the games of the compiled one, card for card: they use the same random word of each
decision in the same way (see `skatsim.kernels.uniform`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skatsim.contracts import Contract
from skatsim.kernels.random import bounded, decision_word
from skatsim.kernels.table import REVOLUTION_BIT, SPITZE_BIT, lowest_of_trumps
from skatsim.kernels.uniform import MAX_DRAWS
from skatsim.view import PlayerView, Waiting

Array = np.ndarray[Any, np.dtype[np.int64]]

__all__ = ["UniformBatch", "UniformPlain"]

PASS, HOLD, PLAY = 0, 1, 2
HAND, SCHNEIDER, SCHWARZ, OUVERT = 1, 2, 4, 8
GRAND, NULL = 4, 5


class UniformPlain:
    """Random legal actions, asked for one table after the other."""

    def bid(self, view: PlayerView) -> int | str:
        """A fair coin between passing and one step."""
        calls = view.legal_calls if view.word & 1 else ("pass",)
        return calls[min(1, len(calls) - 1)]

    def pick_up(self, view: PlayerView) -> int:
        """A fair coin."""
        return view.word & 1

    def declare(self, view: PlayerView) -> tuple[Contract, Sequence[int]]:
        """A contract that may be declared, and two of the twelve cards."""
        is_hand = not view.is_skat_taken
        levels = is_hand or view.ruleset.is_announcing_after_skat
        for attempt in range(MAX_DRAWS):
            drawn = decision_word(view.word, attempt)
            number, level = bounded(drawn, 6), drawn >> 61 if levels else 0
            announcements = HAND * is_hand
            if number == NULL:
                announcements |= OUVERT * (drawn >> 60 & 1)
            else:
                announcements |= SCHNEIDER * (level >= 1) | SCHWARZ * (level >= 2)
                announcements |= OUVERT * (level >= 3)
            contract = Contract.from_number(number, announcements)
            if view.may_declare(contract):
                break
        away = () if is_hand else _pair(view.hand, view.word)
        return self._with_house_announcement(view, contract, away), away

    @staticmethod
    def _with_house_announcement(
        view: PlayerView, contract: Contract, away: Sequence[int]
    ) -> Contract:
        """Spitze or Revolution too, by a fair coin where the rules know it."""
        if contract.is_null and not (contract.is_hand and contract.is_ouvert):
            return contract
        more = replace(contract, is_revolution=contract.is_null, is_spitze=not contract.is_null)
        is_kept = contract.is_null or lowest_of_trumps(contract.number) not in away
        is_said = view.word >> 59 & 1 and is_kept and view.may_declare(more)
        return more if is_said else contract

    def play(self, view: PlayerView) -> int:
        """One of the legal cards."""
        return view.choice(view.legal_cards)

    def kontra(self, view: PlayerView) -> int:
        """A fair coin, as to every question of a house rule that asks for yes or no."""
        return view.word & 1

    grand_hand = look = knock = schenken = accept = kontra

    def push(self, view: PlayerView) -> Sequence[int]:
        """Two of the cards that may be pushed on."""
        return _pair(view.legal_cards, view.word)

    def resort(self, view: PlayerView) -> list[int]:
        """Ten of the twenty cards."""
        chosen: list[int] = []
        for left, card in zip(range(20, 0, -1), view.legal_cards, strict=True):
            if bounded(decision_word(view.word, left), left) < 10 - len(chosen):
                chosen.append(card)
        return chosen


def _pair(cards: Sequence[int], word: int) -> tuple[int, int]:
    low, high = bounded(word, len(cards)), bounded(word >> 31, len(cards) - 1)
    return cards[low], cards[high + (high >= low)]


class UniformBatch:
    """Random legal actions, asked for all tables at once."""

    is_batch = True

    def bid(self, waiting: Waiting) -> Array:
        """A fair coin between passing and one step."""
        state = waiting["auction_state"]
        step = np.where(state == 4, PLAY, np.where(state % 2 == 1, HOLD, waiting.next_bid()))
        return np.where(waiting.word & 1, step, PASS)

    def pick_up(self, waiting: Waiting) -> Array:
        """A fair coin."""
        return waiting.word & 1

    def declare(self, waiting: Waiting) -> Array:
        """A contract that may be declared, and two of the twelve cards."""
        is_hand = 1 - waiting["is_skat_taken"]
        word, declared = waiting.word, np.zeros(len(waiting), dtype=np.int64)
        has_levels = is_hand | waiting.ruleset.is_announcing_after_skat
        left = np.arange(len(waiting))
        for attempt in range(MAX_DRAWS):
            drawn = _words(word[left], attempt)
            number, level = _bounded(drawn, 6), (drawn >> 61) * has_levels[left]
            spoken = SCHNEIDER * (level >= 1) | SCHWARZ * (level >= 2) | OUVERT * (level >= 3)
            spoken = np.where(number == NULL, OUVERT * (drawn >> 60 & 1), spoken)
            declared[left] = waiting.declaration(number, spoken | HAND * is_hand[left])
            left = left[~waiting.select(left).may_declare(declared[left])]
            if not len(left):
                break
        low, high = _pairs(waiting.hand_mask, word)
        declared |= np.where(is_hand, 0, low << 7 | high << 12)
        return declared | self._house_announcements(waiting, declared)

    @staticmethod
    def _house_announcements(waiting: Waiting, declared: Array) -> Array:
        """Spitze or Revolution too, by a fair coin where the rules know it."""
        contract, low, high = declared & 7, declared >> 7 & 31, declared >> 12 & 31
        is_null = contract == NULL
        more = np.where(is_null, 1 << REVOLUTION_BIT, 1 << SPITZE_BIT)
        trump = np.where(contract == GRAND, 7, 8 * contract)
        is_kept = (declared >> 7 == 0) | is_null | ((trump != low) & (trump != high))
        is_said = (waiting.word >> 59 & 1 == 1) & is_kept & waiting.may_declare(declared | more)
        return np.where(is_said, more, 0)

    def play(self, waiting: Waiting) -> Array:
        """One of the legal cards."""
        mask = waiting.legal_mask
        return _nth_card(mask, _bounded(waiting.word, np.bitwise_count(mask)))

    def kontra(self, waiting: Waiting) -> Array:
        """A fair coin, as to every question of a house rule that asks for yes or no."""
        return waiting.word & 1

    grand_hand = look = knock = schenken = accept = kontra

    def push(self, waiting: Waiting) -> Array:
        """Two of the cards that may be pushed on."""
        low, high = _pairs(waiting.legal_mask, waiting.word)
        return low | high << 5

    def resort(self, waiting: Waiting) -> Array:
        """Ten of the twenty cards."""
        rest, chosen = waiting.legal_mask, np.zeros(len(waiting), dtype=np.int64)
        for left in range(20, 0, -1):
            low = rest & -rest
            wanted = 10 - np.bitwise_count(chosen).astype(np.int64)
            chosen |= np.where(_bounded(_words(waiting.word, left), left) < wanted, low, 0)
            rest = rest ^ low
        return chosen


def _words(words: np.ndarray, position: int) -> Array:
    """`skatsim.kernels.random.decision_word` of many words."""
    step = (position + 1) * 0x9E3779B97F4A7C15 % 2**64
    mixed = words.astype(np.uint64) + np.uint64(step)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed = (mixed ^ mixed >> np.uint64(31)) >> np.uint64(1)
    return mixed.astype(np.int64)


def _bounded(words: np.ndarray, counts: Any) -> Array:
    """`skatsim.kernels.random.bounded` of many words."""
    product: Array = (words & 0xFFFFFFFF) * counts
    return product >> 32


def _nth_card(mask: np.ndarray, n: np.ndarray) -> Array:
    """The cards that have `n` lower ones in their masks."""
    mask, n = mask.astype(np.uint32), n.astype(np.uint32)
    for step in range(int(n.max(initial=0))):
        mask ^= (mask & -mask) * (n > step)  # without its lowest card
    lower: np.ndarray = np.bitwise_count((mask & -mask) - 1)
    return lower.astype(np.int64)


def _pairs(masks: np.ndarray, words: np.ndarray) -> tuple[Array, Array]:
    """Two cards of each mask."""
    counts = np.bitwise_count(masks)
    low, high = _bounded(words, counts), _bounded(words >> 31, counts - 1)
    return _nth_card(masks, low), _nth_card(masks, high + (high >= low))
