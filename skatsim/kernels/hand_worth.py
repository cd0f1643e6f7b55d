"""What a hand is worth: log-odds to win, summed up suit by suit.

A hand is worth, in each contract, one number for its trumps and one for each side suit, in
hundredths of log-odds; the logistic of the sum estimates how often the contract is won. The
weights were fitted by logistic regression to contracts that the policy `heuristic` played
against itself on random deals, and set right on the games it chose itself. Because the sum
goes suit by suit, the best of all 66 discards is found from tables of the best one and the
best two cards to lay away from each suit.
"""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.bits import highest_bit, popcount
from skatsim.kernels.cards import (
    ACE,
    ALL_MASK,
    GRAND,
    JACK_MASK,
    KING,
    NULL,
    NULL_ORDER,
    PLAIN_MASK,
    SUIT_MASK,
    TEN,
)
from skatsim.kernels.jit import kernel

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


def null_row(p: int) -> int:
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
        row = null_row(cards)
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
        row = null_row(cards)
        held = [rank for rank in range(8) if row >> rank & 1]
        table[cards] = int(any(rank > 2 * below for below, rank in enumerate(held)))
    return table


def _null_safe_leads() -> np.ndarray:
    """1 for each suit whose seven can be led and leaves no gap, by its eight cards."""
    table = np.zeros(256, dtype=np.int64)
    for cards in range(256):
        row = null_row(cards)
        held = [rank for rank in range(8) if row >> rank & 1]
        is_safe = all(rank <= 2 * below - 1 for below, rank in enumerate(held) if below > 0)
        table[cards] = int(bool(held) and held[0] == 0 and is_safe)
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


TABLE_TYPE = types.Array(int64, 2, "C", readonly=True)

NULL_SAFE_LEAD = _null_safe_leads()

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

NULL_LANES = _lanes((NULL_SUIT[BEFORE], NULL_SUIT[HAND]), NULL_BIAS)
NULL_LANES += (NULL_GAP << 32) + (NULL_SAFE_LEAD << 40)

SIDE_BEST, SIDE_CARDS = _discards(SIDE[AFTER], SUIT_WEIGHTS["card point buried"][AFTER])

GRAND_BEST, GRAND_CARDS = _discards(GRAND_SIDE[AFTER], GRAND_WEIGHTS["card point buried"][AFTER])

NULL_BEST, NULL_CARDS = _discards(NULL_SUIT[AFTER], 0)

NULL_SURE_BEST, NULL_SURE_CARDS = _discards(
    NULL_SUIT[AFTER] - 5000 * NULL_GAP + 1000 * NULL_SAFE_LEAD, 0
)
"""Those that leave the fewest suits with a gap, then the most with a safe lead: a null without any
gap cannot be lost, by forehand if a lead is safe."""

LOGISTIC = 1.0 / (1.0 + np.exp(-np.arange(-300, 301) / 50.0))
"""The logistic function from -6 to 6 in steps of 0.02."""


@kernel(int64(int64))
def jack_bits(mask: int) -> int:
    """The jacks of a mask as four bits, diamonds lowest."""
    return ((((mask & JACK_MASK) >> 7) * 0x1020408) >> 24) & 15


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


@kernel(types.UniTuple(int64, 3)(int64, int64))
def hand_lanes(hand_mask: int, seat: int) -> tuple[int, int, int]:
    """What `hand_value` needs of ten cards: all side suits, null, jacks.

    Forehand, who leads, also has a gap in null if no lead is safe.
    """
    sides = 0
    nulls = 0
    for suit in range(4):
        cards = (hand_mask >> (8 * suit)) & SUIT_MASK
        sides += SIDE_LANES[cards & PLAIN_MASK]
        nulls += NULL_LANES[cards]
    nulls += (1 << 32) if seat == 0 and nulls >> 40 == 0 else 0
    return sides, nulls, jack_bits(hand_mask)


@kernel(int64(int64))
def is_null_certain(nulls: int) -> int:
    """1 if null cannot be lost: no suit has a gap."""
    return 1 if (nulls >> 32) & 255 == 0 else 0


@kernel(types.UniTuple(int64, 2)(int64, int64, int64, int64, int64))
def hand_value(
    hand_mask: int, contract: int, sides: int, nulls: int, jacks: int
) -> tuple[int, int]:
    """The worth of ten cards in a contract, the skat to come and without it."""
    if contract == NULL:
        if is_null_certain(nulls):
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


@kernel(int64(int64, int64, TABLE_TYPE, TABLE_TYPE))
def _best_two(cards_mask: int, keep: int, best: Any, cards: Any) -> int:
    """The two cards whose laying away gains most by suits; fewer where `keep` has not so many."""
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
    return (pair if is_pair else first | second) & ALL_MASK


@kernel(int64(int64))
def _null_discard(cards_mask: int) -> int:
    """Two cards without which null cannot be lost, where there are such, else the best two."""
    discard = _best_two(cards_mask, ALL_MASK, NULL_SURE_BEST, NULL_SURE_CARDS)
    gaps = 0
    for suit in range(4):
        gaps += NULL_GAP[((cards_mask & ~discard) >> (8 * suit)) & SUIT_MASK]
    return discard if gaps == 0 else _best_two(cards_mask, ALL_MASK, NULL_BEST, NULL_CARDS)


@kernel(int64(int64, int64))
def best_discard(cards_mask: int, contract: int) -> int:
    """The two of twelve cards to lay away in a contract."""
    if contract == NULL:
        return _null_discard(cards_mask)
    if contract < GRAND:
        keep = ALL_MASK & ~JACK_MASK & ~(SUIT_MASK << (8 * contract))
        discard = _best_two(cards_mask, keep, SIDE_BEST, SIDE_CARDS)
    else:
        discard = _best_two(cards_mask, ALL_MASK & ~JACK_MASK, GRAND_BEST, GRAND_CARDS)
    while popcount(discard) < 2:  # eleven trumps: the lowest go
        rest = cards_mask & ~discard & ~JACK_MASK
        discard |= rest & -rest
    return discard
