"""The policy `uniform`: random legal actions.

In the auction a fair coin decides between passing (or not holding) and going on by one step
of the ladder; the skat is taken or left by a fair coin; the contract is drawn evenly from
those that may be declared at the bid, with an even choice of the announcements that may go
with it, the two discards evenly from the 66 pairs; then every legal card is equally likely.
"""

from typing import Any

from numba import int64

from skatsim.kernels.bits import lowest_bit, popcount
from skatsim.kernels.cards import NULL
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import bounded, decision_word
from skatsim.kernels.rules import BID_INDEX, BID_VALUES, RULES_TYPE, declaration_fault
from skatsim.kernels.table import (
    AUCTION_ALONE,
    AUCTION_SAY_1,
    AUCTION_SAY_2,
    CALL_HOLD,
    CALL_PASS,
    CALL_PLAY,
    IS_HAND,
    IS_OUVERT,
    IS_SCHNEIDER_ANNOUNCED,
    IS_SCHWARZ_ANNOUNCED,
    PUBLIC_TYPE,
    declaration,
)

MAX_DRAWS = 64


@kernel(int64(int64, int64))
def nth_card(mask: int, n: int) -> int:
    """The card that has `n` lower cards in a mask."""
    for step in range(12):  # always 12: a fixed loop of selections is never mispredicted
        mask = mask & (mask - 1) if step < n else mask
    return lowest_bit(mask)


@kernel(int64(PUBLIC_TYPE, int64))
def uniform_call(public: Any, word: int) -> int:
    """Pass, or go on by one step."""
    if word & 1 == 0:
        return CALL_PASS
    state = public["auction_state"]
    if state == AUCTION_ALONE:
        return CALL_PLAY
    if state != AUCTION_SAY_1 and state != AUCTION_SAY_2:
        return CALL_HOLD
    current = public["bid_value"]
    index = BID_INDEX[current] + 1 if current > 0 else 0
    return BID_VALUES[index] if index < 63 else CALL_PASS


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64))
def uniform_declaration(rules: Any, public: Any, hand_mask: int, word: int) -> int:
    """A declarable contract and two of the twelve cards."""
    is_skat_taken = public["is_skat_taken"]
    is_hand = 1 - is_skat_taken
    bid = public["bid_value"]
    contract, announcements = 0, 0
    for attempt in range(MAX_DRAWS):
        drawn = decision_word(word, attempt)
        contract = bounded(drawn, 6)
        level = drawn >> 61 if is_hand else 0  # 0 to 3, the top bits of 63
        announcements = IS_HAND * is_hand
        if contract == NULL:
            announcements |= IS_OUVERT * ((drawn >> 60) & 1)
        else:
            if level >= 1:
                announcements |= IS_SCHNEIDER_ANNOUNCED
            if level >= 2:
                announcements |= IS_SCHWARZ_ANNOUNCED
            if level >= 3:
                announcements |= IS_OUVERT
        fault = declaration_fault(
            rules,
            contract,
            is_hand,
            (announcements >> 1) & 1,
            (announcements >> 2) & 1,
            (announcements >> 3) & 1,
            is_skat_taken,
            hand_mask,
            bid,
        )
        if fault == 0:
            break
    if not is_skat_taken:
        return declaration(contract, announcements, 0, 0)
    low = bounded(word, 12)
    high = bounded(word >> 31, 11)
    if high >= low:
        high += 1
    return declaration(contract, announcements, nth_card(hand_mask, low), nth_card(hand_mask, high))


@kernel(int64(int64, int64))
def uniform_card(legal_mask: int, word: int) -> int:
    """One of the legal cards."""
    return nth_card(legal_mask, bounded(word, popcount(legal_mask)))
