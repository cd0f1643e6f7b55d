"""The rules of the International Skat Order and of house tables as functions of integers.

A *rules record* (dtype `RULES`) holds the numbers in which rulesets differ. Sections refer
to RULES.md.
"""

from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from skatsim.kernels.bits import highest_bit
from skatsim.kernels.cards import GRAND, NULL, PLAIN_MASK, POWER, trump_mask
from skatsim.kernels.jit import kernel

BID_FLOOR, BID_LIMIT = 10, 512
"""Values that can be said: from BID_FLOOR (smaller numbers are other calls), below BID_LIMIT."""

MOST_BIDS = 256

RULES = np.dtype(
    [
        ("base_value", np.int64, (5,)),  # diamonds hearts spades clubs grand
        ("null_value", np.int64, (4,)),  # null, null hand, null ouvert, null ouvert hand
        ("max_matadors", np.int64),
        ("is_strict_declare", np.int64),
        ("ouvert_requires", np.int64),  # 0 nothing, 1 hand, 2 hand and schwarz announced
        ("skat_base_value", np.int64, (5,)),  # of games with the skat taken
        ("grand_ouvert_base", np.int64),  # 0 for none of its own
        ("hand_level", np.int64),
        ("ouvert_level", np.int64),
        ("ouvert_factor", np.int64),
        ("schneider_announced_level", np.int64),
        ("schneider_announced_factor", np.int64),
        ("schwarz_announced_level", np.int64),
        ("schwarz_announced_factor", np.int64),
        ("schneider_points", np.int64),
        ("schneider_against_points", np.int64),
        ("is_announcing_after_skat", np.int64),
        ("is_skat_always_taken", np.int64),
        ("lost_factor", np.int64),
        ("lost_hand_factor", np.int64),
        ("null_below_bid", np.int64),  # 1 may be declared
        ("has_house_decisions", np.int64),
        ("kontra_steps", np.int64),
        ("kontra_who", np.int64),  # 1 only who said or held 18
        ("kontra_when", np.int64),  # 1 before the first lead
        ("is_kontra_in_ramsch", np.int64),
        ("bock_triggers", np.int64),  # bits
        ("bock_accumulation", np.int64),  # 0 queue, 1 multiply
        ("is_bock_trigger_doubled", np.int64),
        ("all_pass", np.int64),  # 1 Ramsch
        ("ramsch_rounds", np.int64),  # 1 after Bock, 2 always
        ("ramsch_skat", np.int64),  # 0 last trick, 1 loser, 2 nobody
        ("ramsch_tie", np.int64),  # 0 both, 1 share, 2 later trick
        ("ramsch_forty", np.int64),  # 0 nothing, 1 all lose
        ("ramsch_jungfrau_factor", np.int64),
        ("ramsch_durchmarsch", np.int64),
        ("ramsch_cap", np.int64),
        ("ramsch_fixed", np.int64, (3,)),  # by the number of virgins; 0 for card points
        ("is_schieberamsch", np.int64),
        ("is_pushing_jacks", np.int64),
        ("push_factor", np.int64),
        ("is_durchmarsch_pushed", np.int64),
        ("is_ramsch_grand_hand", np.int64),
        ("spitze_levels", np.int64),
        ("revolution_value", np.int64),  # 0 for none
        ("is_schenken", np.int64),
        ("is_klopfen", np.int64),
        ("bid_count", np.int64),
        ("bid_least", np.int64),  # the first value, also of who plays alone
        ("bid_value", np.int64, (MOST_BIDS,)),  # what may be bid, ascending
        ("bid_index", np.int64, (BID_LIMIT,)),  # place of a value among them, or -1
    ],
    align=True,
)
RULES_TYPE = from_dtype(RULES)

AWARD_NONE, AWARD_DECLARER, AWARD_CONCEDED, AWARD_GRANTED, AWARD_DEFENDERS = range(5)
"""What was credited beside the cards played: nothing; the rest to the declarer; the declarer gave
up; the defenders gave up."""

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
FAULT_NO_HAND_GAMES = 10
FAULT_SPITZE = 11  # no such announcement here, or not with this contract


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


@kernel(types.void(int64[::1], int64[::1], int64, int64[::1]))
def matadors_of_hands(
    cards_masks: Any, contracts: Any, max_matadors: int, signed_matadors: Any
) -> None:
    """Signed matadors of many hands, each in its contract; 0 where that has no trumps."""
    for i in range(len(cards_masks)):
        is_trumps = 0 <= contracts[i] <= GRAND
        signed_matadors[i] = (
            matadors(cards_masks[i], contracts[i], max_matadors) if is_trumps else 0
        )


@kernel(int64(int64, int64))
def next_multiple(base: int, bid: int) -> int:
    """The smallest multiple of a base value that reaches the bid."""
    return base * ((bid + base - 1) // base)


@kernel(int64(RULES_TYPE, int64, int64, int64))
def null_below_bid_value(rules: np.void, cards_mask: int, is_hand: int, bid: int) -> int:
    """What a null game below its bid is charged: the cheapest game that holds it (RULES 7.4)."""
    least = 1 << 30
    for contract in range(5):
        base = rules["base_value"][contract] if is_hand else rules["skat_base_value"][contract]
        length = abs(matadors(cards_mask, contract, rules["max_matadors"]))
        level = 1 + is_hand * rules["hand_level"]
        least = min(least, max(base * (length + level), next_multiple(base, bid)))
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
    if is_hand and rules["is_skat_always_taken"]:
        return FAULT_NO_HAND_GAMES
    if contract == NULL:
        if is_schneider_announced or is_schwarz_announced:
            return FAULT_NULL_ANNOUNCEMENT
        if rules["null_value"][is_hand + 2 * is_ouvert] < bid and not rules["null_below_bid"]:
            return FAULT_NULL_BELOW_BID
        return OK
    is_hand_enough = is_hand or rules["is_announcing_after_skat"]
    if (is_schneider_announced or is_schwarz_announced) and not is_hand_enough:
        return FAULT_HAND_NEEDED
    if is_schwarz_announced and not is_schneider_announced:
        return FAULT_SCHWARZ_NEEDS_SCHNEIDER
    if is_ouvert:
        if rules["ouvert_requires"] >= 1 and not is_hand_enough:
            return FAULT_HAND_NEEDED
        if rules["ouvert_requires"] >= 2 and not is_schwarz_announced:
            return FAULT_OUVERT_NEEDS_SCHWARZ
    if rules["is_strict_declare"] and is_skat_taken:
        length = abs(matadors(cards_mask, contract, rules["max_matadors"]))
        if rules["skat_base_value"][contract] * (length + 3) < bid:
            return FAULT_BELOW_BID
    return OK


SETTLEMENT = types.UniTuple(int64, 10)

HOUSE_SPITZE, HOUSE_SPITZE_MADE, HOUSE_REVOLUTION, HOUSE_SCHENKEN_REFUSED = 1, 2, 4, 8
"""What `settle` is told of house rules: bits, as they are in a game."""

HOUSE_SCHNEIDER_POSSIBLE, HOUSE_SCHWARZ_POSSIBLE = 64, 128
"""What the declarer could still make when the defenders gave up (RULES 9.2)."""


@kernel(
    SETTLEMENT(
        RULES_TYPE, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64
    )
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
    house: int,
) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """Value and entry of one game (RULES 6 and 7).

    `cards_mask` is the declarer's hand as dealt with the skat as dealt; `card_points` and
    `trick_count` are the declarer's, skat or laid-away cards included, and with the rest
    where it was awarded. With AWARD_CONCEDED the declarer gave up: levels not yet made do
    not count against him (RULES 9.1); with AWARD_DEFENDERS the defenders get the rest, and
    all counts. `house` are bits HOUSE_SPITZE and so on (RULES 14), 0 without; with
    AWARD_GRANTED a Spitze that he could still make is told as made. Kontra and Bock come
    after (RULES 11.3, 12.1).

    Returns matadors (signed; 0 in null), multiplier (0 in null), game_value, charged_value,
    is_schneider, is_schwarz, is_overbid_before_play, is_overbid, is_won, score.
    """
    is_null_lost = trick_count != 0 or award == AWARD_CONCEDED
    factor = rules["lost_hand_factor"] if is_hand else rules["lost_factor"]
    if contract == NULL:
        game_value = rules["null_value"][is_hand + 2 * is_ouvert]
        if house & HOUSE_REVOLUTION:
            game_value = rules["revolution_value"]
        is_overbid = 1 if game_value < bid else 0
        charged = (
            null_below_bid_value(rules, cards_mask, is_hand, bid) if is_overbid else game_value
        )
        is_won = 0 if is_null_lost or is_overbid else 1
        score = charged if is_won else -factor * charged
        return 0, 0, game_value, charged, 0, 0, is_overbid, is_overbid, is_won, score
    base = rules["base_value"][contract] if is_hand else rules["skat_base_value"][contract]
    ouvert_level = rules["ouvert_level"]
    if contract == GRAND and is_ouvert and rules["grand_ouvert_base"] > 0:
        base = rules["grand_ouvert_base"]
        ouvert_level = 0
    signed_matadors = matadors(cards_mask, contract, rules["max_matadors"])
    most, least = rules["schneider_points"], rules["schneider_against_points"]
    is_schneider = 1 if card_points >= most or card_points <= least else 0
    is_schwarz = 1 if trick_count == 10 or trick_count == 0 else 0
    counts_schneider, counts_schwarz = is_schneider, is_schwarz
    if award == AWARD_CONCEDED:
        counts_schneider = 1 if card_points >= most else 0
        counts_schwarz = 0
    elif award == AWARD_GRANTED:
        is_schneider = 1 if card_points >= most else 0
        is_schwarz = 1 if trick_count == 10 else 0
        counts_schneider, counts_schwarz = is_schneider, is_schwarz
    needs_schneider = is_schneider_announced
    if house & HOUSE_SCHENKEN_REFUSED:
        needs_schneider = 1
    announced = (
        abs(signed_matadors)
        + 1
        + is_hand * rules["hand_level"]
        + needs_schneider * rules["schneider_announced_level"]
        + is_schwarz_announced * rules["schwarz_announced_level"]
        + is_ouvert * ouvert_level
    )
    if house & HOUSE_SPITZE:
        announced += rules["spitze_levels"]
    times = rules["ouvert_factor"] if is_ouvert else 1
    if is_schwarz_announced:
        times *= rules["schwarz_announced_factor"]
    elif needs_schneider:
        times *= rules["schneider_announced_factor"]
    if award == AWARD_GRANTED:
        # what he announced, or his bid needs, is granted if he could still make it
        can_schneider = 1 if house & HOUSE_SCHNEIDER_POSSIBLE else 0
        can_schwarz = 1 if house & HOUSE_SCHWARZ_POSSIBLE else 0
        level = times * (announced + needs_schneider + is_schwarz_announced)
        if not needs_schneider and not counts_schneider and can_schneider and base * level < bid:
            counts_schneider = 1
        level += times * (counts_schneider if not needs_schneider else 0)
        if not is_schwarz_announced and not counts_schwarz and can_schwarz and base * level < bid:
            counts_schwarz = 1
        is_schneider = 1 if counts_schneider or (needs_schneider and can_schneider) else 0
        is_schwarz = 1 if counts_schwarz or (is_schwarz_announced and can_schwarz) else 0
    before_play = times * (announced + needs_schneider + is_schwarz_announced)
    multiplier = times * (
        announced
        + (1 if needs_schneider or counts_schneider else 0)
        + (1 if is_schwarz_announced or counts_schwarz else 0)
    )
    game_value = base * multiplier
    is_overbid_before_play = 1 if base * before_play < bid else 0
    is_overbid = 1 if game_value < bid else 0
    has_schneider, has_schwarz = card_points >= most, trick_count == 10
    if award == AWARD_GRANTED:
        has_schneider, has_schwarz = is_schneider == 1, is_schwarz == 1
    is_won = (
        1
        if (card_points >= 61 or award == AWARD_GRANTED)
        and (not needs_schneider or has_schneider)
        and (not is_schwarz_announced or has_schwarz)
        and not is_overbid
        and house & (HOUSE_SPITZE | HOUSE_SPITZE_MADE) != HOUSE_SPITZE
        else 0
    )
    charged = max(game_value, next_multiple(base, bid)) if is_overbid else game_value
    score = charged if is_won else -factor * charged
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


RAMSCH_ENTRIES = types.UniTuple(int64, 3)


@kernel(int64(int64, int64))
def power(base: int, exponent: int) -> int:
    """A small power."""
    result = 1
    for _ in range(exponent):
        result *= base
    return result


@kernel(
    RAMSCH_ENTRIES(
        RULES_TYPE,
        types.UniTuple(int64, 3),
        types.UniTuple(int64, 3),
        types.UniTuple(int64, 3),
        int64,
        int64,
        int64,
    )
)
def settle_ramsch(
    rules: np.void,
    trick_points: tuple[int, int, int],
    trick_counts: tuple[int, int, int],
    last_tricks: tuple[int, int, int],
    skat_points: int,
    unseen_pushes: int,
    factor: int,
) -> tuple[int, int, int]:
    """What each seat enters for a Ramsch (RULES 13).

    `last_tricks` is the number of each seat's last trick from 1, 0 for none; `factor` that of
    Kontra and Bock. The cap comes last.
    """
    p0, p1, p2 = trick_points
    l0, l1, l2 = last_tricks
    pushed = power(rules["push_factor"], unseen_pushes)
    virgins = 0
    for seat in range(3):
        virgins += 1 if trick_counts[seat] == 0 else 0
    is_fixed = rules["ramsch_fixed"][0] > 0
    last = max(l0, l1, l2)
    if virgins == 2 and not is_fixed:
        won = rules["ramsch_durchmarsch"] * factor
        won *= pushed if rules["is_durchmarsch_pushed"] else 1
        return (
            won if trick_counts[0] == 10 else 0,
            won if trick_counts[1] == 10 else 0,
            won if trick_counts[2] == 10 else 0,
        )
    if rules["ramsch_skat"] == 0:
        p0 += skat_points if l0 == last else 0
        p1 += skat_points if l1 == last else 0
        p2 += skat_points if l2 == last else 0
    loss = max(p0, p1, p2)
    loses0 = 1 if p0 == loss else 0
    loses1 = 1 if p1 == loss else 0
    loses2 = 1 if p2 == loss else 0
    losers = loses0 + loses1 + loses2
    if losers == 3 and rules["ramsch_forty"] == 0:
        return 0, 0, 0
    if losers == 2 and rules["ramsch_tie"] == 2:
        latest = max(l0 * loses0, l1 * loses1, l2 * loses2)
        loses0 = loses0 if l0 == latest else 0
        loses1 = loses1 if l1 == latest else 0
        loses2 = loses2 if l2 == latest else 0
    if rules["ramsch_skat"] == 1:
        loss += skat_points
    if is_fixed:
        loss = rules["ramsch_fixed"][virgins]
    elif virgins > 0:
        loss *= rules["ramsch_jungfrau_factor"]
    loss = min(loss * pushed * factor, rules["ramsch_cap"])
    if losers == 2 and rules["ramsch_tie"] == 1:
        loss = (loss + 1) // 2
    return -loss * loses0, -loss * loses1, -loss * loses2
