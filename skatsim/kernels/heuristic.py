"""The policy `heuristic`: bidding by estimated win probabilities, card play by rules.

Evaluation. A hand is worth, in each contract, a sum of one number for its trumps and one
for each side suit, in hundredths of a log-odds unit; the logistic of the sum estimates how
often the contract is won (fitted to games that this policy played against itself). Because
the sum goes suit by suit, the best of all 66 discards is found from tables of the best one
and the best two cards to lay away from each suit.

Bidding. A seat bids up to the highest value of a contract that it wins with a probability
of at least ``1 - risk``; the other parameters move single contracts, hand games, ouvert and
announcements (see `PARAMETERS`).

Play. The declarer draws trumps, runs masters, ruffs and throws losers; defenders lead by
position, take with what is worth most, put card points on partner's tricks, and duck. In
null the declarer stays below, and defenders lead low into his gaps.
"""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.bits import highest_bit, lowest_bit, popcount
from skatsim.kernels.cards import (
    ACE,
    ACE_MASK,
    ALL_MASK,
    CLASS,
    EIGHT,
    GRAND,
    JACK,
    JACK_MASK,
    KING,
    KING_MASK,
    LOW_MASK,
    NINE,
    NULL,
    NULL_ORDER,
    PLAIN_MASK,
    POWER,
    QUEEN,
    QUEEN_MASK,
    SEVEN,
    SUIT_MASK,
    TEN,
    TEN_MASK,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import BID_INDEX, BID_VALUES, RULES_TYPE
from skatsim.kernels.table import (
    AUCTION_ALONE,
    AUCTION_SAY_1,
    AUCTION_SAY_2,
    BID_LEAST,
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
    ("risk", 0.45, 0.0, 1.0, "bids up to the highest value won with at least 1 - risk"),
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
) = range(len(PARAMETERS))

ALONE_FLAG = 512
"""Above all values that can be bid."""

FULL_MASK = ACE_MASK | TEN_MASK
EACH_SUIT = 0x01010101
PLAIN_SUITS = PLAIN_MASK * EACH_SUIT

CERTAIN = 1000
"""A worth that stands for a game that cannot be lost."""

NEVER = -30000
"""A sum that no discard reaches."""


BEFORE, HAND, AFTER = range(3)
"""When a hand is judged: the skat to come; to be played without it; after the discard."""

SUIT_WEIGHTS = {
    "constant": (-285, -483, -683),
    "up to 4 trumps": (-87, -138, -147),
    "6 trumps": (93, 134, 148),  # and more
    "7 trumps": (107, 131, 146),
    "8 trumps": (124, 152, 186),
    "diamond jack": (32, 32, 32),
    "heart jack": (46, 51, 52),
    "spade jack": (59, 58, 62),
    "club jack": (85, 86, 104),
    "both black jacks": (53, 72, 90),
    "trump ace": (76, 74, 105),
    "trump ten": (59, 62, 88),
    "ace": (110, 168, 205),
    "ace ten": (59, 77, 87),
    "ten king": (54, 87, 110),  # without the ace
    "ten guarded": (50, 79, 94),
    "ten alone": (38, -23, -42),
    "king": (10, 13, 18),
    "void": (48, 82, 117),
    "single": (30, 31, 55),  # without the ace
    "fourth card": (-6, 27, 13),  # and each further one, without the ace
    "fourth card with ace": (24, 35, 20),
    "card point buried": (0, 0, 7),
}
"""What decides a suit game, in hundredths of log-odds, by stage."""

GRAND_WEIGHTS = {
    "constant": (-729, -1331, -1540),
    "diamond jack": (89, 138, 142),
    "heart jack": (93, 144, 149),
    "spade jack": (91, 138, 149),
    "club jack": (139, 212, 234),
    "1 jack": (74, 130, 121),  # and more
    "2 jacks": (146, 239, 252),
    "3 jacks": (44, 51, 69),
    "4 jacks": (1, -29, -21),
    "ace": (148, 231, 264),
    "ace ten": (71, 118, 119),
    "ten king": (69, 115, 120),
    "ten guarded": (64, 100, 106),
    "ten alone": (63, -28, -31),
    "king": (11, 15, 19),
    "void": (35, 90, 109),
    "single": (23, 56, 69),
    "fourth card": (-7, 8, -10),
    "fourth card with ace": (7, 25, 9),
    "card point buried": (0, 0, 14),
}
"""What decides grand, in hundredths of log-odds, by stage."""

SEAT_WEIGHTS = np.array([10, -15, 0], dtype=np.int64)
"""What leading, sitting between, or sitting last in the first trick is worth."""


def _side_values(weights: dict[str, tuple[int, int, int]], stage: int) -> np.ndarray:
    """The worth of a side suit by its seven cards."""
    w = {name: values[stage] for name, values in weights.items()}
    table = np.zeros(128, dtype=np.int64)
    for cards in range(128):
        ace, ten, king = (cards >> rank & 1 for rank in (ACE, TEN, KING))
        count = cards.bit_count()
        value = w["void"] if count == 0 else 0
        if ace:
            value += w["ace"] + w["ace ten"] * ten
        elif ten:
            if king:
                value += w["ten king"]
            else:
                value += w["ten guarded"] if count > 1 else w["ten alone"]
        elif king and count > 1:
            value += w["king"]
        if count == 1 and not ace:
            value += w["single"]
        if count > 3:
            value += (count - 3) * w["fourth card with ace" if ace else "fourth card"]
        table[cards] = value
    return table


def _jack_values(stage: int) -> np.ndarray:
    """The worth of the jacks in a suit game."""
    w = {name: values[stage] for name, values in SUIT_WEIGHTS.items()}
    table = np.zeros(16, dtype=np.int64)
    for jacks in range(16):
        diamond, heart, spade, club = (jacks >> suit & 1 for suit in range(4))
        value = w["constant"] + w["both black jacks"] * (spade & club)
        value += w["diamond jack"] * diamond + w["heart jack"] * heart
        value += w["spade jack"] * spade + w["club jack"] * club
        table[jacks] = value
    return table


def _full_trump_values(stage: int) -> np.ndarray:
    """The worth of ace and ten of trumps: ten 1, ace 2."""
    ten, ace = SUIT_WEIGHTS["trump ten"][stage], SUIT_WEIGHTS["trump ace"][stage]
    return np.array([0, ten, ace, ten + ace], dtype=np.int64)


def _trump_count_values(stage: int) -> np.ndarray:
    """The worth of the number of trumps."""
    w = {name: values[stage] for name, values in SUIT_WEIGHTS.items()}
    table = np.zeros(12, dtype=np.int64)
    for count in range(12):
        table[count] = w["up to 4 trumps"] * max(0, 5 - max(count, 2))
        table[count] += sum(w[f"{more} trumps"] for more in (6, 7, 8) if count >= more)
    return table


def _grand_jack_values(stage: int) -> np.ndarray:
    """The worth of the jacks in grand."""
    w = {name: values[stage] for name, values in GRAND_WEIGHTS.items()}
    table = np.zeros(16, dtype=np.int64)
    for jacks in range(16):
        value = w["constant"]
        for suit, name in enumerate(("diamond", "heart", "spade", "club")):
            value += w[f"{name} jack"] * (jacks >> suit & 1)
        for more in range(1, jacks.bit_count() + 1):
            value += w["1 jack" if more == 1 else f"{more} jacks"]
        table[jacks] = value
    return table


def _null_row(p: int) -> int:
    """The eight cards of a suit with bits in the order of null."""
    return sum((p >> rank & 1) << NULL_ORDER.index(rank) for rank in range(8))


NULL_WEIGHTS = {
    "constant": (4, -169, -293),  # a quarter of it for each suit
    "void": (57, 184, 231),
    "single": (
        (61, 50, -2, 2, 6, 18, 24, 48),
        (131, 116, 32, -59, -138, -188, -218, -230),
        (178, 159, -8, -123, -202, -243, -312, -362),
    ),
    "pair": ((63, 50, -55, -87, -94), (72, 73, -9, -115, -272), (126, 122, -51, -204, -441)),
    "pair gap": (-11, -28, -36),  # for each step of the second card above the third lowest
    "long": ((85, 48, -104, -155), (65, 57, -39, -141), (136, 118, -87, -190)),
    "second gap": (-56, -49, -88),
    "third gap": (-12, -13, -21),  # for each step above the fifth lowest
    "four cards": (-33, -30, -52),
    "five cards": (-13, -11, -27),
}
"""What decides null, in hundredths of log-odds, by stage; pairs and more go by the lowest card."""

NULL_SEAT_WEIGHTS = np.array([-60, -10, 0], dtype=np.int64)


def _null_values(stage: int) -> np.ndarray:
    """The worth of a suit in null by its eight cards."""
    w: dict[str, Any] = {name: values[stage] for name, values in NULL_WEIGHTS.items()}
    table = np.zeros(256, dtype=np.int64)
    for cards in range(256):
        row = _null_row(cards)
        held = [rank for rank in range(8) if row >> rank & 1]
        count = len(held)
        value = w["constant"] / 4
        if count == 0:
            value += w["void"]
        elif count == 1:
            value += w["single"][held[0]]
        elif count == 2:
            value += w["pair"][min(held[0], 4)]
            value += w["pair gap"] * max(0, held[1] - max(2, held[0]))
        else:
            value += w["long"][min(held[0], 3)]
            value += w["second gap"] * max(0, held[1] - 2) + w["third gap"] * max(0, held[2] - 4)
            value += w["four cards"] * (count >= 4) + w["five cards"] * (count >= 5)
        table[cards] = round(value)
    return table


def _null_gaps() -> np.ndarray:
    """1 for each suit in which a defender can stay below a card, by its eight cards."""
    table = np.zeros(256, dtype=np.int64)
    for cards in range(256):
        row = _null_row(cards)
        held = [rank for rank in range(8) if row >> rank & 1]
        table[cards] = int(any(rank > 2 * below for below, rank in enumerate(held)))
    return table


def _discards(values: np.ndarray, weight: int) -> tuple[np.ndarray, np.ndarray]:
    """What a suit is worth after the best 0, 1, 2 of its cards are laid away, and which.

    `weight` is what a card point laid away is worth.
    """
    points = (0, 0, 0, 3, 4, 10, 11, 2)
    size = len(values)
    best = np.full((3, size), NEVER, dtype=np.int64)
    cards = np.zeros((3, size), dtype=np.int64)
    for p in range(size):
        best[0, p] = values[p]
        held = [i for i in range(8) if p >> i & 1]
        for i in held:
            v = values[p ^ (1 << i)] + weight * points[i]
            if v > best[1, p]:
                best[1, p], cards[1, p] = v, 1 << i
            for k in held:
                if k < i:
                    v = values[p ^ (1 << i) ^ (1 << k)] + weight * (points[i] + points[k])
                    if v > best[2, p]:
                        best[2, p], cards[2, p] = v, (1 << i) | (1 << k)
    return best, cards


NULL_GAP = _null_gaps()
"""1 for the suits that null can be lost in: fewer own cards than others below one of them."""

LANE_BIAS, TRUMP_BIAS, NULL_BIAS = 1000, 4000, 2000
"""Added to worths that lie side by side in 16 bits of one number, so that none is negative."""

SIDE = np.array([_side_values(SUIT_WEIGHTS, stage) for stage in range(3)])
JACKS = np.array([_jack_values(stage) for stage in range(3)])
FULL_TRUMPS = np.array([_full_trump_values(stage) for stage in range(3)])
TRUMP_COUNTS = np.array([_trump_count_values(stage) for stage in range(3)])
GRAND_SIDE = np.array([_side_values(GRAND_WEIGHTS, stage) for stage in range(3)])
GRAND_JACKS = np.array([_grand_jack_values(stage) for stage in range(3)])
NULL_SUIT = np.array([_null_values(stage) for stage in range(3)])


def _lanes(tables: tuple[np.ndarray, ...], bias: int) -> np.ndarray:
    """Tables side by side in 16 bits each of one table."""
    return np.array(sum((table + bias) << (16 * i) for i, table in enumerate(tables)))


SIDE_LANES = _lanes((SIDE[BEFORE], SIDE[HAND], GRAND_SIDE[BEFORE], GRAND_SIDE[HAND]), LANE_BIAS)
JACK_LANES = _lanes(
    (JACKS[BEFORE], JACKS[HAND], GRAND_JACKS[BEFORE], GRAND_JACKS[HAND]), TRUMP_BIAS
)
FULL_LANES = _lanes((FULL_TRUMPS[BEFORE], FULL_TRUMPS[HAND]), LANE_BIAS)
COUNT_LANES = _lanes((TRUMP_COUNTS[BEFORE], TRUMP_COUNTS[HAND]), LANE_BIAS)
NULL_LANES = _lanes((NULL_SUIT[BEFORE], NULL_SUIT[HAND]), NULL_BIAS) + (NULL_GAP << 32)

SIDE_BEST, SIDE_CARDS = _discards(SIDE[AFTER], SUIT_WEIGHTS["card point buried"][AFTER])
GRAND_BEST, GRAND_CARDS = _discards(GRAND_SIDE[AFTER], GRAND_WEIGHTS["card point buried"][AFTER])
NULL_BEST, NULL_CARDS = _discards(NULL_SUIT[AFTER], 0)

SCHNEIDER_WEIGHT = 350
"""By how much the worth of a hand game falls if it needs 90 card points."""

LOGISTIC = 1.0 / (1.0 + np.exp(-np.arange(-300, 301) / 50.0))
"""The logistic function from -6 to 6 in steps of 0.02."""

SURVIVAL = np.array([1.0, 1.0, 191 / 231] + [(22 - t) * (21 - t) / 462 for t in range(3, 12)])
"""How often a skat leaves at least `t` matadors to a hand without at least `t`."""


def _beat_masks() -> np.ndarray:
    """Per contract and card: the cards that win a trick it would have won."""
    masks = np.zeros((7, 32), dtype=np.int64)
    for contract in range(7):
        for card in range(32):
            for other in range(32):
                if CLASS[contract, other] in (CLASS[contract, card], 4) and (
                    POWER[contract, other] > POWER[contract, card]
                ):
                    masks[contract, card] |= 1 << other
    return masks


def _loser_order() -> np.ndarray:
    """By the cards of a suit: how late its lowest is thrown away, times 32, plus its rank."""
    table = np.full(128, 1 << 20, dtype=np.int64)
    for cards in range(1, 128):
        lowest = (cards & -cards).bit_length() - 1
        table[cards] = 32 * (2 * cards.bit_count() + (lowest if lowest > NINE else 0)) + lowest
    return table


LOSER_ORDER = _loser_order()

CHEAPEST, FATTEST, TAKING, HIGHEST, LOWEST = range(5)
"""Orders to pick a card by: of fewest card points, jacks kept; of most; a trump that takes the
trick for good, so ace and ten first; the highest of a side suit; the lowest trump."""

ORDERS = (
    (SEVEN, EIGHT, NINE, QUEEN, KING, JACK, TEN, ACE),
    (ACE, TEN, KING, QUEEN, JACK, SEVEN, EIGHT, NINE),
    (ACE, TEN, SEVEN, EIGHT, NINE, QUEEN, KING, JACK),
    (ACE, TEN, KING, QUEEN, NINE, EIGHT, SEVEN, JACK),
    (SEVEN, EIGHT, NINE, QUEEN, KING, TEN, ACE, JACK),
)

FIRST_RANK = np.array(
    [
        [next((rank for rank in order if ranks >> rank & 1), 0) for ranks in range(256)]
        for order in ORDERS
    ],
    dtype=np.int8,
)
"""By order and the set of ranks there are: the rank that comes first."""

LEAD_LONG_WAY, LEAD_SHORT_WAY, LEAD_GRAND = range(3)
"""Where a defender leads: the declarer plays last, or next; in grand it does not matter."""

LEAD_VOID = np.array([-12, 12, 24], dtype=np.int64)
"""What leading a suit is worth that the declarer has not got, by way."""


def _lead_tables() -> tuple[np.ndarray, np.ndarray]:
    """For a defender's lead: the worth of a side suit by way and cards; the rank led from it.

    The rank depends on whether the suit has a master in it (row 1) or not (row 0).
    """
    worth = np.full((3, 128), -10000, dtype=np.int64)  # an empty suit is not led
    ranks = np.zeros((2, 128), dtype=np.int64)
    for cards in range(1, 128):
        ace, ten, king, queen = (cards >> rank & 1 for rank in (ACE, TEN, KING, QUEEN))
        for way, each in enumerate((-13, 13, 9)):
            value = 1000 + each * cards.bit_count()  # never negative
            if ace and not ten:
                value -= 48
            if ten and king:
                value += 30 if way == LEAD_GRAND else 18
            if king and queen and not ace:
                value += 10
            if ace and ten and way == LEAD_GRAND:
                value += 30
            worth[way, cards] = value
        lowest = (cards & -cards).bit_length() - 1
        ranks[0, cards] = KING if ten and king else lowest
        ranks[1, cards] = TEN if ace and ten else cards.bit_length() - 1
    return worth, ranks


LEAD_WORTH, LEAD_RANK = _lead_tables()

BEAT_MASK = _beat_masks()


@kernel(int64(int64))
def jack_bits(mask: int) -> int:
    """The jacks of a mask as four bits, diamonds lowest."""
    return ((((mask & JACK_MASK) >> 7) * 0x1020408) >> 24) & 15


SAFE_MATADORS = np.array(
    [max(t for t in range(1, 12) if SURVIVAL[t] >= i / 64.0) for i in range(65)], dtype=np.int64
)
"""The most matadors that a skat leaves to a hand without them, so often (in 64ths)."""


@kernel(int64(int64, int64, int64))
def matador_count(hand_mask: int, contract: int, jacks: int) -> int:
    """The matadors of a hand without their sign: `skatsim.kernels.rules.matadors` unbranched."""
    plain = (hand_mask >> (8 * contract)) & PLAIN_MASK  # nothing in grand
    row = (jacks << 7) | plain
    other = row ^ (2047 if jacks >= 8 else 0)
    return min(10 - highest_bit(other), 4 if contract == GRAND else 11)


@kernel(types.float64(int64))
def probability(sum_value: int) -> float:
    """The probability that a sum of worths stands for."""
    return LOGISTIC[(min(max(sum_value, -600), 600) + 600) >> 1]


@kernel(types.UniTuple(int64, 3)(int64))
def hand_lanes(hand_mask: int) -> tuple[int, int, int]:
    """What `hand_value` needs of ten cards: all side suits, null, jacks."""
    sides = 0
    nulls = 0
    for suit in range(4):
        cards = (hand_mask >> (8 * suit)) & SUIT_MASK
        sides += SIDE_LANES[cards & PLAIN_MASK]
        nulls += NULL_LANES[cards]
    return sides, nulls, jack_bits(hand_mask)


@kernel(types.UniTuple(int64, 2)(int64, int64, int64, int64, int64))
def hand_value(
    hand_mask: int, contract: int, sides: int, nulls: int, jacks: int
) -> tuple[int, int]:
    """The worth of ten cards in a contract, the skat to come and without it."""
    if contract == NULL:
        if nulls >> 32 == 0:
            return CERTAIN, CERTAIN
        bias = 4 * NULL_BIAS
        return (nulls & 0xFFFF) - bias, ((nulls >> 16) & 0xFFFF) - bias
    if contract == GRAND:
        total = (JACK_LANES[jacks] + sides) >> 32
        bias = 4 * LANE_BIAS + TRUMP_BIAS
    else:
        plain = (hand_mask >> (8 * contract)) & PLAIN_MASK
        total = JACK_LANES[jacks] + sides - SIDE_LANES[plain]
        total += FULL_LANES[plain >> 5] + COUNT_LANES[popcount(plain) + popcount(jacks)]
        bias = 5 * LANE_BIAS + TRUMP_BIAS
    return (total & 0xFFFF) - bias, ((total >> 16) & 0xFFFF) - bias


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
    sides, nulls, jacks = hand_lanes(hand_mask)
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
    limit = 0
    best_chance = 0.0
    sides, nulls, jacks = hand_lanes(hand_mask)
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
        levels += 1 if probability(by_hand + extra) >= wanted else 0
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
        if chance >= wanted:
            limit = max(limit, rules["null_value"][3 if chance >= surely else 1])
    return limit + (ALONE_FLAG if best_chance >= wanted - parameters[ALONE] else 0)


@kernel(int64(PUBLIC_TYPE, int64))
def heuristic_call(public: Any, limit: int) -> int:
    """One step of the ladder up to the limit of the hand, then pass."""
    state = public["auction_state"]
    current = public["bid_value"]
    highest = limit & (ALONE_FLAG - 1)
    if state in (AUCTION_SAY_1, AUCTION_SAY_2):
        call = BID_VALUES[BID_INDEX[current] + 1] if current > 0 else BID_LEAST
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
    sides, nulls, jacks = hand_lanes(hand_mask)
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
    is_certain = chosen == NULL and nulls >> 32 == 0  # nothing to gain from the skat
    margin = 0.0 if is_certain else parameters[HAND_MARGIN]
    is_better = 1 if best_hand >= best_skat + margin else 0
    return declaration(chosen, announcements, 0, 0), is_better


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_pick_up(rules: Any, public: Any, hand_mask: int, player: Any) -> int:
    """1 to take the skat, 0 for a hand game, which must be as safe as a bid."""
    seat = public["seat"]
    chance = probability(best_worth(seat, hand_mask, player, HAND))
    if chance < 1.0 - player["parameters"][RISK]:
        return 1
    return 1 - best_hand_game(rules, seat, hand_mask, public["bid_value"], player)[1]


@kernel(int64(int64, int64, int64, int64, int64, int64))
def best_pair(s1: int, s2: int, s3: int, d1: int, d2: int, d3: int) -> int:
    """The most that two discards from three suits gain: `s` one from a suit, `d` two."""
    return max(s1 + s2, s1 + s3, s2 + s3, d1, d2, d3)


@kernel(types.UniTuple(int64, 4)(int64))
def discarded_suit_values(cards_mask: int) -> tuple[int, int, int, int]:
    """The worth of twelve cards in the four suit games after the best discard."""
    p0, p1 = cards_mask & PLAIN_MASK, (cards_mask >> 8) & PLAIN_MASK
    p2, p3 = (cards_mask >> 16) & PLAIN_MASK, (cards_mask >> 24) & PLAIN_MASK
    k0, k1, k2, k3 = SIDE_BEST[0, p0], SIDE_BEST[0, p1], SIDE_BEST[0, p2], SIDE_BEST[0, p3]
    s0, s1, s2, s3 = SIDE_BEST[1, p0], SIDE_BEST[1, p1], SIDE_BEST[1, p2], SIDE_BEST[1, p3]
    d0, d1, d2, d3 = SIDE_BEST[2, p0], SIDE_BEST[2, p1], SIDE_BEST[2, p2], SIDE_BEST[2, p3]
    s0, s1, s2, s3 = s0 - k0, s1 - k1, s2 - k2, s3 - k3
    d0, d1, d2, d3 = d0 - k0, d1 - k1, d2 - k2, d3 - k3
    jacks = jack_bits(cards_mask)
    count = popcount(jacks)
    kept = k0 + k1 + k2 + k3 + JACKS[AFTER, jacks]
    t0 = FULL_TRUMPS[AFTER, p0 >> 5] + TRUMP_COUNTS[AFTER, count + popcount(p0)] - k0
    t1 = FULL_TRUMPS[AFTER, p1 >> 5] + TRUMP_COUNTS[AFTER, count + popcount(p1)] - k1
    t2 = FULL_TRUMPS[AFTER, p2 >> 5] + TRUMP_COUNTS[AFTER, count + popcount(p2)] - k2
    t3 = FULL_TRUMPS[AFTER, p3 >> 5] + TRUMP_COUNTS[AFTER, count + popcount(p3)] - k3
    return (
        kept + t0 + best_pair(s1, s2, s3, d1, d2, d3),
        kept + t1 + best_pair(s0, s2, s3, d0, d2, d3),
        kept + t2 + best_pair(s0, s1, s3, d0, d1, d3),
        kept + t3 + best_pair(s0, s1, s2, d0, d1, d2),
    )


@kernel(int64(int64, int64))
def discarded_value(cards_mask: int, contract: int) -> int:
    """The worth of twelve cards in grand or null after the best discard."""
    if contract == GRAND:
        best, keep = GRAND_BEST, PLAIN_MASK
        total = GRAND_JACKS[AFTER, jack_bits(cards_mask)]
    else:
        best, keep = NULL_BEST, SUIT_MASK
        total = 0
    first = second = pair = 4 * NEVER
    for suit in range(4):
        held = (cards_mask >> (8 * suit)) & keep
        kept = best[0, held]
        single = best[1, held] - kept
        total += kept
        pair = max(pair, best[2, held] - kept)
        second = max(second, min(first, single))
        first = max(first, single)
    return total + max(pair, first + second)


@kernel(int64(int64, int64))
def best_discard(cards_mask: int, contract: int) -> int:
    """The two of twelve cards to lay away in a contract."""
    if contract < GRAND:
        best, cards = SIDE_BEST, SIDE_CARDS
        keep = PLAIN_SUITS & ~(SUIT_MASK << (8 * contract))
    elif contract == GRAND:
        best, cards = GRAND_BEST, GRAND_CARDS
        keep = PLAIN_SUITS
    else:
        best, cards = NULL_BEST, NULL_CARDS
        keep = ALL_MASK
    # gain and cards in one number: the larger gain is chosen without a branch
    first = second = pair = 0
    for suit in range(4):
        held = ((cards_mask & keep) >> (8 * suit)) & SUIT_MASK
        single = (best[1, held] - best[0, held] - 4 * NEVER) << 32 | cards[1, held] << (8 * suit)
        double = (best[2, held] - best[0, held] - 4 * NEVER) << 32 | cards[2, held] << (8 * suit)
        pair = max(pair, double)
        second = max(second, min(first, single))
        first = max(first, single)
    is_pair = (pair >> 32) + (-4 * NEVER) >= (first >> 32) + (second >> 32)
    discard = (pair if is_pair else first | second) & ALL_MASK
    while popcount(discard) < 2:  # eleven trumps: the lowest go
        rest = cards_mask & ~discard & ~JACK_MASK
        discard |= rest & -rest
    return discard


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
            chance = 1.0 if hand_lanes(rest)[1] >> 32 == 0 else chance
        is_ouvert = chance >= parameters[OUVERT_PROBABILITY] or bid > rules["null_value"][0]
        score = expected_score(chance, rules["null_value"][2 if is_ouvert else 0], stake)
        if score > best_score:
            chosen = NULL
            announcements = IS_OUVERT if is_ouvert else 0
    discard = best_discard(hand_mask, chosen)
    return declaration(chosen, announcements, lowest_bit(discard), highest_bit(discard))


@kernel(int64(int64, int64))
def pick(mask: int, order: int) -> int:
    """The card of a mask whose rank comes first in one of the orders."""
    folded = mask | (mask >> 16)
    folded = (folded | (folded >> 8)) & SUIT_MASK
    return lowest_bit(mask & (EACH_SUIT << int(FIRST_RANK[order, folded])))


@kernel(int64(int64))
def shortest_loser(mask: int) -> int:
    """The lowest card of the shortest suit; low cards before queens and kings."""
    best = 1 << 20
    for suit in range(4):
        held = (mask >> (8 * suit)) & PLAIN_MASK
        best = min(best, LOSER_ORDER[held] + 8 * suit)
    return best & 31


@kernel(int64(int64))
def masters_above(unseen_mask: int) -> int:
    """All cards above the highest unseen one of each suit, jacks left out."""
    below = unseen_mask & PLAIN_SUITS
    below |= (below >> 1) & 0x3F3F3F3F
    below |= (below >> 2) & 0x1F1F1F1F
    below |= (below >> 4) & 0x07070707
    return PLAIN_SUITS & ~below


@kernel(int64(int64))
def highest_trump(mask: int) -> int:
    """The highest of some trumps."""
    jacks = mask & JACK_MASK
    return highest_bit(jacks if jacks != 0 else mask)


@kernel(int64(PUBLIC_TYPE, int64))
def led_suits(public: Any, seat: int) -> int:
    """The suits that a seat has led, as bits."""
    suits = 0
    leader = 0
    winners = public["trick_winners"]
    for trick in range(9):  # always 9: what is not played yet falls on bit 31
        suits |= (1 if leader == seat else 0) << (public["played"][3 * trick] >> 3)
        leader = winners & 3
        winners >>= 2
    return suits


@kernel(int64(PUBLIC_TYPE, int64, int64, int64))
def declarer_lead(public: Any, hand_mask: int, unseen_mask: int, seat: int) -> int:
    """Draw trumps, then run masters, then give up losers."""
    contract = public["contract"]
    trump = public["trump_mask"]
    right = 2 if seat == 0 else seat - 1
    left = 0 if seat == 2 else seat + 1
    voids = public["void_classes"][left] & public["void_classes"][right]
    enemy = unseen_mask & trump if voids < 16 else 0
    own = hand_mask & trump
    side = hand_mask & ~trump
    masters = side & masters_above(unseen_mask)
    if own != 0 and enemy != 0:
        top = highest_trump(own)
        enemy_count = popcount(enemy)
        own_count = popcount(own)
        if enemy & BEAT_MASK[contract, top] == 0:
            if enemy_count > 1 or own_count > 1 or masters == 0:
                return top
        elif own_count > enemy_count or (own_count > 1 and own_count * 2 >= enemy_count):
            jacks = own & JACK_MASK
            if jacks & (jacks - 1) != 0:  # a jack calls a higher one and draws a trump
                return lowest_bit(jacks)
            thin = own & ~FULL_MASK
            return pick(thin if thin != 0 else own, LOWEST)
        elif own_count >= 2 and side & ~masters == 0:
            return pick(own, LOWEST)
    if masters != 0:
        return highest_bit(masters)
    if side != 0:
        return pick(side, CHEAPEST)
    return highest_trump(own)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, PLAYER_TYPE))
def declarer_follow(public: Any, unseen_mask: int, legal_mask: int, seat: int, player: Any) -> int:
    """Take what is worth taking, ruff, or throw a loser."""
    contract = public["contract"]
    trump = public["trump_mask"]
    is_last = public["trick_size"] == 2
    winners = legal_mask & BEAT_MASK[contract, public["best_card"]]
    side = legal_mask & ~trump
    points = public["trick_points"]
    follow = public["follow_mask"]
    following = legal_mask & follow
    top = highest_trump(winners)
    cards = side if side != 0 else legal_mask
    order = CHEAPEST
    if winners == 0:
        pass
    elif following == 0:
        light = side & ~masters_above(unseen_mask) & ~FULL_MASK
        if points < player["parameters"][RUFF_POINTS] and light != 0:
            return shortest_loser(light)
        follower = 0 if seat == 2 else seat + 1
        if not is_last and (public["void_classes"][follower] >> public["lead_class"]) & 1:
            return top
        cards, order = winners, TAKING
    elif following & trump == 0:
        is_beaten = unseen_mask & follow & BEAT_MASK[contract, top] != 0
        # the ace waits for a better trick if the ten is still to be caught
        is_waiting = points == 0 and contract != GRAND and following & TEN_MASK == 0
        is_waiting = is_waiting and following & LOW_MASK & ~(1 << top) != 0
        if is_last or not (is_beaten or is_waiting):
            return top
    else:
        if not is_last and unseen_mask & BEAT_MASK[contract, top] & trump == 0:
            return top
        cards, order = winners, TAKING if is_last else LOWEST
    return pick(cards, order)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64))
def defender_lead(public: Any, hand_mask: int, unseen_mask: int, seat: int) -> int:
    """Short way long suit, long way short suit; not from an ace whose ten is out."""
    contract = public["contract"]
    trump = public["trump_mask"]
    declarer = public["declarer"]
    partner = 3 - declarer - seat
    side = hand_mask & ~trump
    if side == 0:
        return pick(hand_mask, LOWEST)
    declarer_voids = public["void_classes"][declarer]
    partner_voids = public["void_classes"][partner]
    ruffs = ((partner_voids >> 4) & 1) ^ 1
    is_declarer_next = declarer == (0 if seat == 2 else seat + 1)
    way = (
        LEAD_GRAND if contract == GRAND else (LEAD_SHORT_WAY if is_declarer_next else LEAD_LONG_WAY)
    )
    void_worth = LEAD_VOID[way]
    masters = masters_above(unseen_mask)
    partner_led = led_suits(public, partner)
    best = 0
    for suit in range(4):
        held = (side >> (8 * suit)) & PLAIN_MASK
        out = (unseen_mask >> (8 * suit)) & PLAIN_MASK
        out_count = popcount(out)
        is_void = (declarer_voids >> suit) & 1
        is_master = 1 if held & (masters >> (8 * suit)) != 0 else 0
        partner_ruffs = ruffs & (partner_voids >> suit)
        score = LEAD_WORTH[way, held] + 24 * ((partner_led >> suit) & 1)
        open_score = 3 * is_master + 15 * partner_ruffs
        open_score -= 10 if way == LEAD_GRAND and out_count == 0 else 0
        score += void_worth if is_void else open_score
        late = (32 if out & 0x20 == 0 else 0) + (16 if out_count <= 3 else 0)
        score += late if held & 0x60 == 0x40 else 0
        best = max(best, 32 * score + LEAD_RANK[is_master & (1 - is_void), held] + 8 * suit)
    return best & 31


@kernel(int64(PUBLIC_TYPE, int64, int64))
def defender_follow(public: Any, unseen_mask: int, legal_mask: int) -> int:
    """Card points on partner's tricks, take what can be taken, otherwise the cheapest."""
    contract = public["contract"]
    trump = public["trump_mask"]
    declarer = public["declarer"]
    points = public["trick_points"]
    follow = public["follow_mask"]
    is_last = public["trick_size"] == 2
    is_trump_led = follow & trump != 0
    side = legal_mask & ~trump
    spare = side if side != 0 else legal_mask
    beaters = BEAT_MASK[contract, public["best_card"]]
    winners = legal_mask & beaters
    side_winners = winners & ~trump  # in the suit led
    threat = unseen_mask & beaters
    # in grand masters take tricks of their own: smear the others where they have points
    loose = spare & ~masters_above(unseen_mask)
    is_loose = contract == GRAND and loose & (TEN_MASK | KING_MASK | QUEEN_MASK) != 0
    cards = spare
    order = CHEAPEST
    if public["best_seat"] != declarer:
        # the trick is partner's so far
        is_declarer_void = (public["void_classes"][declarer] >> public["lead_class"]) & 1
        if is_last or (threat if is_declarer_void else threat & follow) == 0:
            cards = loose if is_loose and is_last else spare
            order = FATTEST
        elif winners != 0 and not is_declarer_void:
            top = highest_bit(winners)
            if side_winners == 0:
                cards = spare if is_trump_led else winners
                order = CHEAPEST if is_trump_led else LOWEST
            elif unseen_mask & follow & BEAT_MASK[contract, top] == 0:
                return top
    elif winners == 0:
        if not is_last and threat & follow != 0:
            cards = loose if is_loose and spare & follow == 0 else spare
            order = FATTEST
    elif side_winners != 0:
        # a lone ace lets a poor trick of the declarer go and waits for the ten
        is_waiting = points == 0 and legal_mask & TEN_MASK == 0 and side_winners & ACE_MASK != 0
        is_kept = not is_last and is_waiting and side & LOW_MASK != 0
        cards = spare if is_kept else side_winners
        order = CHEAPEST if is_kept else HIGHEST
    elif is_last or is_trump_led:
        poor = side & LOW_MASK != 0 if is_last else threat != 0 and winners & ~JACK_MASK == 0
        is_kept = points < 3 and poor
        cards = spare if is_kept else winners
        order = CHEAPEST if is_kept else TAKING
    else:
        is_partner_able = threat & follow != 0
        cards = spare if is_partner_able else winners
        order = FATTEST if is_partner_able else TAKING
    return pick(cards, order)


NULL_TURN = np.array([_null_row(p) for p in range(256)], dtype=np.int64)
NULL_RANK = np.array(NULL_ORDER, dtype=np.int64)


@kernel(int64(int64, int64))
def highest_null(mask: int, suit: int) -> int:
    """The highest card of a suit by the order of null."""
    return NULL_RANK[highest_bit(NULL_TURN[(mask >> (8 * suit)) & SUIT_MASK])] + 8 * suit


@kernel(int64(int64, int64))
def lowest_null(mask: int, suit: int) -> int:
    """The lowest card of a suit by the order of null."""
    return NULL_RANK[lowest_bit(NULL_TURN[(mask >> (8 * suit)) & SUIT_MASK])] + 8 * suit


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64))
def null_card(public: Any, hand_mask: int, unseen_mask: int, legal_mask: int, seat: int) -> int:
    """The card in null, for both sides."""
    declarer = public["declarer"]
    best = public["best_card"]
    size = public["trick_size"]
    if seat == declarer:
        if size > 0 and legal_mask & public["follow_mask"] != 0:
            suit = best >> 3
            under = legal_mask & ~BEAT_MASK[NULL, best]
            if under != 0:
                return highest_null(under, suit)
            if size == 2:
                return highest_null(legal_mask, suit)
            return lowest_null(legal_mask, suit)
        chosen, worst = lowest_bit(legal_mask), -1000
        for suit in range(4):
            held = (legal_mask >> (8 * suit)) & SUIT_MASK
            if held == 0:
                continue
            row = NULL_TURN[held]
            out = NULL_TURN[(unseen_mask >> (8 * suit)) & SUIT_MASK]
            if size == 0:
                low = lowest_bit(row)
                above = popcount(out >> (low + 1))
                below = popcount(out) - above
                score = 4 * min(above, 3) - 10 * below + (20 if below == 0 and above > 0 else 0)
                card = NULL_RANK[low] + 8 * suit
            else:
                top = highest_bit(row)
                below = popcount(out & ((1 << top) - 1))
                mine = popcount(row) - 1
                score = 4 * (below - 2 * mine) + top
                card = NULL_RANK[top] + 8 * suit
            if score > worst:
                worst, chosen = score, card
        return chosen
    if size > 0 and legal_mask & public["follow_mask"] != 0:
        suit = best >> 3
        has_declarer_played = size == 2 or public["leader"] == declarer
        if has_declarer_played:
            if public["best_seat"] == declarer:
                under = legal_mask & ~BEAT_MASK[NULL, best]
                if under != 0:
                    return highest_null(under, suit)
            return highest_null(legal_mask, suit)
        return lowest_null(legal_mask, suit)
    voids = public["void_classes"][declarer]
    shown = public["open_mask"]
    chosen, best_score = lowest_bit(legal_mask), -1000
    for suit in range(4):
        held = (legal_mask >> (8 * suit)) & SUIT_MASK
        if held == 0:
            continue
        row = NULL_TURN[held]
        count = popcount(row)
        if size == 0:
            low = lowest_bit(row)
            is_void = (voids >> suit) & 1
            score = 10 - 2 * low - count - 30 * is_void
            if shown != 0:
                his = NULL_TURN[(shown >> (8 * suit)) & SUIT_MASK]
                score += 20 if his != 0 and lowest_bit(his) > low else -20
            card = NULL_RANK[low] + 8 * suit
        else:
            top = highest_bit(row)
            score = top - 2 * count
            card = NULL_RANK[top] + 8 * suit
        if score > best_score:
            best_score, chosen = score, card
    return chosen


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, PLAYER_TYPE))
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
        return declarer_follow(public, unseen, legal, seat, player)
    if public["trick_size"] == 0:
        return defender_lead(public, hand_mask, unseen, seat)
    return defender_follow(public, unseen, legal)
