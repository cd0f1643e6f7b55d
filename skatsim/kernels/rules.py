"""The rules of the International Skat Order as functions of integers.

A *rules record* (dtype `RULES`) holds the numbers in which rulesets differ. Sections refer
to RULES.md.
"""

import numpy as np
from numba import from_dtype, int64, types

from skatsim.kernels.bits import highest_bit
from skatsim.kernels.cards import GRAND, NULL, PLAIN_MASK, POWER, trump_mask
from skatsim.kernels.jit import kernel

RULES = np.dtype(
    [
        ("base_value", np.int64, (5,)),  # diamonds hearts spades clubs grand
        ("null_value", np.int64, (4,)),  # null, null hand, null ouvert, null ouvert hand
        ("max_matadors", np.int64),
        ("is_strict_declare", np.int64),
        ("ouvert_requires", np.int64),  # 0 nothing, 1 hand, 2 hand and schwarz announced
    ],
    align=True,
)
RULES_TYPE = from_dtype(RULES)

AWARD_NONE, AWARD_DECLARER, AWARD_CONCEDED = range(3)

BID_VALUES = np.array(
    sorted(
        {base * m for base in (9, 10, 11, 12) for m in range(2, 19)}
        | {24 * m for m in range(2, 12)}
        | {23, 35, 46, 59}
    ),
    dtype=np.int64,
)
"""The 63 values that some game can have (RULES 3.1), ascending."""

BID_INDEX = np.full(512, -1, dtype=np.int64)
"""Position of a value in BID_VALUES, -1 for values no game has."""
BID_INDEX[BID_VALUES] = np.arange(len(BID_VALUES))

OK = 0
FAULT_HAND_NEEDED = 1  # an announcement that only a hand game may carry
FAULT_NULL_ANNOUNCEMENT = 2  # schneider or schwarz announced in null
FAULT_NULL_BELOW_BID = 3
FAULT_OUVERT_NEEDS_SCHWARZ = 4
FAULT_HAND_AFTER_PICK_UP = 5
FAULT_DISCARD = 6  # not two of the twelve cards
FAULT_CONTRACT = 7
FAULT_BELOW_BID = 8  # strict_declare: the bid cannot be reached
FAULT_SCHWARZ_NEEDS_SCHNEIDER = 9


@kernel(int64(int64, int64))
def legal_mask(hand_mask: int, follow_mask: int) -> int:
    """The cards of a hand that may be played (RULES 5.2).

    `follow_mask` are the cards that follow the card led, ``FOLLOW_MASK[contract, card]``; 0 to
    lead.
    """
    following = hand_mask & follow_mask
    return following if following != 0 else hand_mask


@kernel(int64(int64, int64, int64, int64))
def beats(contract: int, follow_mask: int, card: int, best: int) -> int:
    """1 if `card`, played later, beats the `best` card of a trick so far (RULES 5.3)."""
    is_counting = ((follow_mask | trump_mask(contract)) >> card) & 1
    return is_counting if POWER[contract, card] > POWER[contract, best] else 0


@kernel(int64(int64, int64, int64))
def matadors(cards_mask: int, contract: int, max_matadors: int) -> int:
    """Signed matadors of hand and skat: +n with n, -n without n, 0 in null (RULES 6.1)."""
    if contract == NULL:
        return 0
    jacks = (
        ((cards_mask >> 7) & 1)
        | ((cards_mask >> 14) & 2)
        | ((cards_mask >> 21) & 4)
        | ((cards_mask >> 28) & 8)
    )
    if contract == GRAND:
        row, length = jacks, 4
    else:
        row, length = (jacks << 7) | ((cards_mask >> (8 * contract)) & PLAIN_MASK), 11
    full = (1 << length) - 1
    if (row >> (length - 1)) & 1:
        return min(length - 1 - highest_bit(~row & full), max_matadors)
    return -min(length - 1 - highest_bit(row), max_matadors)


@kernel(int64(int64, int64))
def next_multiple(base: int, bid: int) -> int:
    """The smallest multiple of a base value that reaches the bid."""
    return base * ((bid + base - 1) // base)


@kernel(int64(RULES_TYPE, int64, int64, int64))
def null_below_bid_value(rules: np.void, cards_mask: int, is_hand: int, bid: int) -> int:
    """What a null game below its bid is charged: the cheapest game that holds it (RULES 7.4)."""
    least = 1 << 30
    for contract in range(5):
        base = rules["base_value"][contract]
        length = abs(matadors(cards_mask, contract, rules["max_matadors"]))
        least = min(least, max(base * (length + 1 + is_hand), next_multiple(base, bid)))
    return least


@kernel(int64(RULES_TYPE, int64, int64, int64, int64, int64, int64, int64, int64))
def declaration_fault(
    rules: np.void,
    contract: int,
    is_hand: int,
    is_schneider_announced: int,
    is_schwarz_announced: int,
    is_ouvert: int,
    is_skat_taken: int,
    cards_mask: int,
    bid: int,
) -> int:
    """0 if the contract may be declared at this bid, or the number of what is wrong (RULES 4.3).

    `cards_mask` are the declarer's cards with the skat as far as he knows it; it counts
    only under ``strict_declare``.
    """
    if contract < 0 or contract > NULL:
        return FAULT_CONTRACT
    if is_hand and is_skat_taken:
        return FAULT_HAND_AFTER_PICK_UP
    if contract == NULL:
        if is_schneider_announced or is_schwarz_announced:
            return FAULT_NULL_ANNOUNCEMENT
        if rules["null_value"][is_hand + 2 * is_ouvert] < bid:
            return FAULT_NULL_BELOW_BID
        return OK
    if (is_schneider_announced or is_schwarz_announced) and not is_hand:
        return FAULT_HAND_NEEDED
    if is_schwarz_announced and not is_schneider_announced:
        return FAULT_SCHWARZ_NEEDS_SCHNEIDER
    if is_ouvert:
        if rules["ouvert_requires"] >= 1 and not is_hand:
            return FAULT_HAND_NEEDED
        if rules["ouvert_requires"] >= 2 and not is_schwarz_announced:
            return FAULT_OUVERT_NEEDS_SCHWARZ
    if rules["is_strict_declare"] and is_skat_taken:
        length = abs(matadors(cards_mask, contract, rules["max_matadors"]))
        if rules["base_value"][contract] * (length + 3) < bid:
            return FAULT_BELOW_BID
    return OK


SETTLEMENT = types.UniTuple(int64, 10)


@kernel(
    SETTLEMENT(RULES_TYPE, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)
)
def settle(
    rules: np.void,
    contract: int,
    is_hand: int,
    is_schneider_announced: int,
    is_schwarz_announced: int,
    is_ouvert: int,
    cards_mask: int,
    bid: int,
    card_points: int,
    trick_count: int,
    award: int,
) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """Value and entry of one game (RULES 6 and 7).

    `cards_mask` is the declarer's hand as dealt with the skat as dealt; `card_points` and
    `trick_count` are the declarer's, skat or laid-away cards included, and with the rest
    where it was awarded. With AWARD_CONCEDED the declarer gave up: levels not yet made do
    not count against him (RULES 9.1).

    Returns matadors (signed; 0 in null), multiplier (0 in null), game_value, charged_value,
    is_schneider, is_schwarz, is_overbid_before_play, is_overbid, is_won, score.
    """
    if contract == NULL:
        game_value = rules["null_value"][is_hand + 2 * is_ouvert]
        is_overbid = 1 if game_value < bid else 0
        charged = (
            null_below_bid_value(rules, cards_mask, is_hand, bid) if is_overbid else game_value
        )
        is_won = 1 if trick_count == 0 and not is_overbid and award != AWARD_CONCEDED else 0
        score = charged if is_won else -2 * charged
        return 0, 0, game_value, charged, 0, 0, is_overbid, is_overbid, is_won, score
    base = rules["base_value"][contract]
    signed_matadors = matadors(cards_mask, contract, rules["max_matadors"])
    is_schneider = 1 if card_points >= 90 or card_points <= 30 else 0
    is_schwarz = 1 if trick_count == 10 or trick_count == 0 else 0
    counts_schneider, counts_schwarz = is_schneider, is_schwarz
    if award == AWARD_CONCEDED:
        counts_schneider = 1 if card_points >= 90 else 0
        counts_schwarz = 0
    announced = (
        abs(signed_matadors)
        + 1
        + is_hand
        + is_schneider_announced
        + is_schwarz_announced
        + is_ouvert
    )
    before_play = announced + is_schneider_announced + is_schwarz_announced
    multiplier = (
        announced
        + (1 if is_schneider_announced or counts_schneider else 0)
        + (1 if is_schwarz_announced or counts_schwarz else 0)
    )
    game_value = base * multiplier
    is_overbid_before_play = 1 if base * before_play < bid else 0
    is_overbid = 1 if game_value < bid else 0
    is_won = (
        1
        if card_points >= 61
        and (not is_schneider_announced or card_points >= 90)
        and (not is_schwarz_announced or trick_count == 10)
        and not is_overbid
        else 0
    )
    charged = max(game_value, next_multiple(base, bid)) if is_overbid else game_value
    score = charged if is_won else -2 * charged
    return (
        signed_matadors,
        multiplier,
        game_value,
        charged,
        is_schneider,
        is_schwarz,
        is_overbid_before_play,
        is_overbid,
        is_won,
        score,
    )
