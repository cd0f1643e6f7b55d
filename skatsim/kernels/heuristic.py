"""The policy `heuristic`: bidding by estimated win probabilities, card play by rules.

A seat bids up to the highest value of a contract that it wins with an estimated probability
(`skatsim.kernels.hand_worth`) of at least ``1 - risk``; for a hand without jacks the chance
counts that the skat lowers the value. A hand game is played if its expected score beats that
of taking the skat; then, and after the skat, the contract of the highest expected score at
this bid is declared. The other parameters move single contracts, hand games, ouvert and
announcements (see `PARAMETERS`). The cards are played by `skatsim.kernels.heuristic_play`.
"""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.bits import highest_bit, lowest_bit
from skatsim.kernels.cards import (
    ALL_MASK,
    GRAND,
    NULL,
)
from skatsim.kernels.hand_worth import (
    CERTAIN,
    HAND,
    NEVER,
    NULL_SEAT_WEIGHTS,
    SEAT_WEIGHTS,
    best_discard,
    discarded_suit_values,
    discarded_value,
    hand_lanes,
    hand_value,
    is_null_certain,
    jack_bits,
    matador_count,
    probability,
)
from skatsim.kernels.heuristic_play import (
    declarer_follow,
    declarer_lead,
    defender_follow,
    defender_lead,
    null_card,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import RULES_TYPE
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
    PLAYER_TYPE,
    PUBLIC_TYPE,
    declaration,
)

PARAMETERS = (
    ("risk", 0.54, 0.0, 1.0, "bids up to the highest value won with at least 1 - risk"),
    ("alone", 0.10, -1.0, 1.0, "added to risk by forehand alone, both others having passed"),
    ("suit", 0.0, -10.0, 10.0, "log-odds added to the estimate of every suit game"),
    ("grand", -0.3, -10.0, 10.0, "log-odds added to the estimate of grand"),
    ("null", -0.6, -10.0, 10.0, "log-odds added to the estimate of null"),
    ("hand", 20.0, -1000.0, 1000.0, "score by which a hand game must beat taking the skat"),
    ("ouvert", 0.90, 0.0, 2.0, "probability wanted of a null before it is played ouvert"),
    ("schneider", 0.90, 0.0, 2.0, "probability wanted of 90 card points to announce them"),
    ("surprise", 1.0, 0.0, 1.0, "share that counts of the danger of a skat lowering the value"),
    ("stake", 60.0, 0.0, 1000.0, "score added to a game's value when contracts are compared"),
    ("ruff", 4.0, 0.0, 120.0, "card points in a trick from which the declarer ruffs"),
    ("kontra", 0.68, 0.0, 1.0, "says Kontra to a game won with at most this probability"),
    ("re", 0.85, 0.0, 1.0, "says Re with a game won with at least this probability"),
    ("push", 4.0, 0.0, 100.0, "danger of a hand in Ramsch up to which the skat is pushed unseen"),
)
"""Name, default, least and greatest value, meaning, in the order the code reads them."""

(
    RISK,
    ALONE,
    SUIT_BONUS,
    GRAND_BONUS,
    NULL_BONUS,
    HAND_MARGIN,
    OUVERT_PROBABILITY,
    SCHNEIDER_PROBABILITY,
    SURPRISE,
    STAKE,
    RUFF_POINTS,
    KONTRA_PROBABILITY,
    RE_PROBABILITY,
    PUSH_DANGER,
) = range(len(PARAMETERS))

HAND_PROBABILITY = 2.0 / 3.0
"""The least for a hand game: below it a further level costs more than it brings."""

ALONE_FLAG = 512
"""Above all values that can be bid."""

SCHNEIDER_WEIGHT = 350
"""By how much the worth of a hand game falls if it needs 90 card points."""

SURVIVAL = np.array([1.0, 1.0, 191 / 231] + [(22 - t) * (21 - t) / 462 for t in range(3, 12)])
"""How often a skat leaves at least `t` matadors to a hand without at least `t`."""

SAFE_MATADORS = np.array(
    [max(t for t in range(1, 12) if SURVIVAL[t] >= i / 64.0) for i in range(65)], dtype=np.int64
)
"""The most matadors that a skat leaves to a hand without them, so often (in 64ths)."""


@kernel(types.UniTuple(int64, 3)(int64, PLAYER_TYPE))
def bonuses(seat: int, player: Any) -> tuple[int, int, int]:
    """What seat and parameters add to the worth of a suit game, of grand, of null."""
    parameters = player["parameters"]
    return (
        SEAT_WEIGHTS[seat] + int(100.0 * parameters[SUIT_BONUS]),
        SEAT_WEIGHTS[seat] + int(100.0 * parameters[GRAND_BONUS]),
        NULL_SEAT_WEIGHTS[seat] + int(100.0 * parameters[NULL_BONUS]),
    )


@kernel(int64(int64, int64, PLAYER_TYPE, int64))
def best_worth(seat: int, hand_mask: int, player: Any, stage: int) -> int:
    """The worth of the best contract, the skat to come or without it."""
    sides, nulls, jacks = hand_lanes(hand_mask, seat)
    in_suit, in_grand, in_null = bonuses(seat, player)
    best = hand_value(hand_mask, 0, sides, nulls, jacks)[stage]
    for contract in range(1, 4):
        best = max(best, hand_value(hand_mask, contract, sides, nulls, jacks)[stage])
    best += in_suit
    best = max(best, hand_value(hand_mask, GRAND, sides, nulls, jacks)[stage] + in_grand)
    return max(best, hand_value(hand_mask, NULL, sides, nulls, jacks)[stage] + in_null)


@kernel(int64(RULES_TYPE, int64, int64, PLAYER_TYPE))
def heuristic_limit(rules: Any, seat: int, hand_mask: int, player: Any) -> int:
    """How high a hand is bid, 0 for not at all; plus 512 if it is played alone at 18.

    It depends on nothing but seat, hand and parameters, so it is kept for the auction.
    """
    parameters = player["parameters"]
    wanted = 1.0 - parameters[RISK]
    by_hand_wanted = max(wanted, HAND_PROBABILITY)
    limit = 0
    best_chance = 0.0
    sides, nulls, jacks = hand_lanes(hand_mask, seat)
    in_suit, in_grand, in_null = bonuses(seat, player)
    share = 1.0 / max(parameters[SURPRISE], 1e-6)
    for contract in range(5):  # without branches: each would be taken half of the time
        extra = in_grand if contract == GRAND else in_suit
        before, by_hand = hand_value(hand_mask, contract, sides, nulls, jacks)
        chance = probability(before + extra)
        safety = max(1.0 - (1.0 - wanted / chance) * share, 0.0)
        length = min(matador_count(hand_mask, contract, jacks), rules["max_matadors"])
        safe_length = min(length, SAFE_MATADORS[int(min(safety, 1.0) * 64.0)])
        levels = (length if jacks >= 8 else safe_length) + 1
        levels += 1 if probability(by_hand + extra) >= by_hand_wanted else 0
        value = rules["base_value"][contract] * levels
        limit = max(limit, value if chance >= wanted else 0)
        best_chance = max(best_chance, chance)
    before, by_hand = hand_value(hand_mask, NULL, sides, nulls, jacks)
    chance = probability(before + in_null)
    best_chance = max(best_chance, chance)
    if chance >= wanted:
        surely = max(parameters[OUVERT_PROBABILITY], wanted)
        limit = max(limit, rules["null_value"][2 if chance >= surely else 0])
        chance = probability(by_hand + in_null)
        if chance >= by_hand_wanted:
            limit = max(limit, rules["null_value"][3 if chance >= surely else 1])
    return limit + (ALONE_FLAG if best_chance >= wanted - parameters[ALONE] else 0)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64), forceinline=True)
def heuristic_call(rules: Any, public: Any, limit: int) -> int:
    """One step of the ladder up to the limit of the hand, then pass."""
    state = public["auction_state"]
    current = public["bid_value"]
    highest = limit & (ALONE_FLAG - 1)
    if state in (AUCTION_SAY_1, AUCTION_SAY_2):
        call = rules["bid_least"]
        if current > 0:
            call = rules["bid_value"][rules["bid_index"][current] + 1]
        return call if call <= highest else CALL_PASS
    if state == AUCTION_ALONE:
        return CALL_PLAY if limit >= ALONE_FLAG else CALL_PASS
    return CALL_HOLD if current <= highest else CALL_PASS


@kernel(types.float64(types.float64, int64, types.float64))
def expected_score(chance: float, value: int, stake: float) -> float:
    """What a game is worth that is won with probability `chance`."""
    return chance * (value + stake) - (1.0 - chance) * (2 * value + stake)


@kernel(types.float64(types.float64, int64, int64, int64, int64))
def holding(chance: float, base: int, length: int, jacks: int, bid: int) -> float:
    """The probability to win and to hold the bid with the matadors of ten cards."""
    needed = min(max(int((bid + base - 1) / base) - 1, 1), 11)  # a real quotient is faster
    lasting = chance * (1.0 if jacks >= 8 else SURVIVAL[needed])
    return lasting if needed <= length else 0.1 * chance


@kernel(types.UniTuple(int64, 2)(RULES_TYPE, int64, int64, int64, PLAYER_TYPE))
def best_hand_game(rules: Any, seat: int, hand_mask: int, bid: int, player: Any) -> tuple[int, int]:
    """The declaration of the best hand game, and 1 if it is better than taking the skat."""
    parameters = player["parameters"]
    stake = parameters[STAKE]
    best_hand, best_skat = -1e9, -1e9
    chosen = -1
    best_sum = 0
    sides, nulls, jacks = hand_lanes(hand_mask, seat)
    in_suit, in_grand, in_null = bonuses(seat, player)
    for contract in range(5):
        extra = in_grand if contract == GRAND else in_suit
        base = rules["base_value"][contract]
        length = min(matador_count(hand_mask, contract, jacks), rules["max_matadors"])
        value = max(base * (length + 1), bid)
        before, by_hand = hand_value(hand_mask, contract, sides, nulls, jacks)
        chance = probability(before + extra)
        score = expected_score(holding(chance, base, length, jacks, bid), value, stake)
        best_skat = max(best_skat, score)
        total = by_hand + extra
        value = max(base * (length + 2), bid)
        score = expected_score(
            holding(probability(total), base, length, jacks, bid - base), value, stake
        )
        if score > best_hand:
            best_hand = score
            chosen = contract
            best_sum = total
    announcements = IS_HAND
    if probability(best_sum - SCHNEIDER_WEIGHT) >= parameters[SCHNEIDER_PROBABILITY]:
        announcements |= IS_SCHNEIDER_ANNOUNCED
    before, by_hand = hand_value(hand_mask, NULL, sides, nulls, jacks)
    chance = probability(before + in_null)
    is_ouvert = chance >= parameters[OUVERT_PROBABILITY]
    value = rules["null_value"][2 if is_ouvert else 0]
    if value >= bid:
        best_skat = max(best_skat, expected_score(chance, value, stake))
    chance = probability(by_hand + in_null)
    is_ouvert = chance >= parameters[OUVERT_PROBABILITY]
    value = rules["null_value"][3 if is_ouvert else 1]
    if value >= bid:
        score = expected_score(chance, value, stake)
        if score > best_hand:
            best_hand = score
            chosen = NULL
            announcements = IS_HAND | (IS_OUVERT if is_ouvert else 0)
    is_certain = chosen == NULL and is_null_certain(nulls)  # nothing to gain from the skat
    margin = 0.0 if is_certain else parameters[HAND_MARGIN]
    is_better = 1 if best_hand >= best_skat + margin else 0
    return declaration(chosen, announcements, 0, 0), is_better


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_pick_up(rules: Any, public: Any, hand_mask: int, player: Any) -> int:
    """1 to take the skat, 0 for a hand game."""
    seat = public["seat"]
    chance = probability(best_worth(seat, hand_mask, player, HAND))
    if chance < HAND_PROBABILITY:
        return 1
    return 1 - best_hand_game(rules, seat, hand_mask, public["bid_value"], player)[1]


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64, PLAYER_TYPE))
def heuristic_declaration(
    rules: Any, public: Any, hand_mask: int, skat_mask: int, player: Any
) -> int:
    """The contract with the highest expected score and its best discard."""
    bid = public["bid_value"]
    seat = public["seat"]
    if not public["is_skat_taken"]:
        return best_hand_game(rules, seat, hand_mask, bid, player)[0]
    parameters = player["parameters"]
    stake = parameters[STAKE]
    best_score = -1e9
    chosen = 0
    announcements = 0
    in_suit, in_grand, in_null = bonuses(seat, player)
    suit_values = discarded_suit_values(hand_mask)
    jacks = jack_bits(hand_mask)
    for contract in range(5):
        if contract == GRAND:
            total = discarded_value(hand_mask, GRAND) + in_grand
        else:
            total = suit_values[contract] + in_suit
        if total < NEVER // 2:
            total = CERTAIN  # nothing but trumps
        base = rules["base_value"][contract]
        length = min(matador_count(hand_mask, contract, jacks), rules["max_matadors"])
        value = base * (length + 1)
        if value < bid:  # schneider would have to save it, or nothing can
            is_near = value + base >= bid
            value = base * ((bid + base - 1) // base)
            total = total - SCHNEIDER_WEIGHT if is_near else -1000
        score = expected_score(probability(total), value, stake)
        if score > best_score:
            best_score = score
            chosen = contract
    if bid <= rules["null_value"][2]:
        chance = probability(discarded_value(hand_mask, NULL) + in_null)
        if chance >= 0.5:
            rest = hand_mask & ~best_discard(hand_mask, NULL)
            chance = 1.0 if is_null_certain(hand_lanes(rest, seat)[1]) else chance
        is_ouvert = chance >= parameters[OUVERT_PROBABILITY] or bid > rules["null_value"][0]
        score = expected_score(chance, rules["null_value"][2 if is_ouvert else 0], stake)
        if score > best_score:
            chosen = NULL
            announcements = IS_OUVERT if is_ouvert else 0
    discard = best_discard(hand_mask, chosen)
    return declaration(chosen, announcements, lowest_bit(discard), highest_bit(discard))


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, PLAYER_TYPE), forceinline=True)
def heuristic_card(public: Any, hand_mask: int, skat_mask: int, legal: int, player: Any) -> int:
    """The card to play; `skat_mask` are the declarer's own discards."""
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    unseen = ALL_MASK & ~(hand_mask | skat_mask | public["played_mask"])
    seat = public["seat"]
    if public["contract"] == NULL:
        return null_card(public, hand_mask, unseen, legal, seat)
    if seat == public["declarer"]:
        if public["trick_size"] == 0:
            return declarer_lead(public, hand_mask, unseen, seat)
        return declarer_follow(public, unseen, legal, seat, player["parameters"][RUFF_POINTS])
    if public["trick_size"] == 0:
        return defender_lead(public, hand_mask, unseen, seat)
    return defender_follow(public, unseen, legal)
