"""The policy `uniform`: random legal actions.

In the auction a fair coin decides between passing (or not holding) and going on by one step
of the ladder; the skat is taken or left by a fair coin; the contract is drawn evenly from
those that may be declared at the bid, with an even choice of the announcements that may go
with it, the two discards evenly from the 66 pairs; then every legal card is equally likely.
"""

from typing import Any

from numba import int64, types

from skatsim.kernels.bits import lowest_bit, popcount
from skatsim.kernels.cards import NULL
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import bounded, decision_word
from skatsim.kernels.rules import RULES_TYPE, declaration_fault
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
    REVOLUTION_BIT,
    SPITZE_BIT,
    declaration,
    house_announcement_fault,
)

MAX_DRAWS = 64


@kernel(int64(int64, int64))
def nth_card(mask: int, n: int) -> int:
    """The card that has `n` lower cards in a mask."""
    for step in range(12):  # always 12: a fixed loop of selections is never mispredicted
        mask = mask & (mask - 1) if step < n else mask
    return lowest_bit(mask)


@kernel(types.UniTuple(int64, 2)(int64, int64))
def uniform_pair(hand_mask: int, word: int) -> tuple[int, int]:
    """Two of the cards, each pair equally likely."""
    count = popcount(hand_mask)
    low = bounded(word, count)
    high = bounded(word >> 31, count - 1)
    if high >= low:
        high += 1
    return nth_card(hand_mask, low), nth_card(hand_mask, high)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64))
def uniform_call(rules: Any, public: Any, word: int) -> int:
    """Pass, or go on by one step."""
    if word & 1 == 0:
        return CALL_PASS
    state = public["auction_state"]
    if state == AUCTION_ALONE:
        return CALL_PLAY
    if state != AUCTION_SAY_1 and state != AUCTION_SAY_2:
        return CALL_HOLD
    current = public["bid_value"]
    if current == 0:
        return rules["bid_least"]
    index = rules["bid_index"][current] + 1
    return rules["bid_value"][index] if index < rules["bid_count"] else CALL_PASS


@kernel(int64(RULES_TYPE, int64, int64, int64))
def uniform_house_announcement(rules: Any, action: int, hand_mask: int, word: int) -> int:
    """Spitze or Revolution as bits of a declaration, each by a fair coin where it may be said."""
    is_skat_taken = action >> 7 != 0
    if is_skat_taken:
        hand_mask &= ~((1 << ((action >> 7) & 31)) | (1 << ((action >> 12) & 31)))
    bit = 1 << (REVOLUTION_BIT if action & 7 == NULL else SPITZE_BIT)
    if (word >> 59) & 1 and house_announcement_fault(
        rules, action | bit, is_skat_taken, hand_mask
    ) == 0:
        return bit
    return 0


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
        # 0 to 3, the top bits of 63
        level = drawn >> 61 if is_hand or rules["is_announcing_after_skat"] else 0
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
    low, high = 0, 0
    if is_skat_taken:
        low, high = uniform_pair(hand_mask, word)
    action = declaration(contract, announcements, low, high)
    if rules["has_house_decisions"]:
        return action | uniform_house_announcement(rules, action, hand_mask, word)
    return action


@kernel(int64(int64, int64))
def uniform_card(legal_mask: int, word: int) -> int:
    """One of the legal cards."""
    return nth_card(legal_mask, bounded(word, popcount(legal_mask)))
