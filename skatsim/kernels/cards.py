"""Card numbers and masks.

A card is ``8 * suit + rank`` with suits diamonds 0, hearts 1, spades 2, clubs 3 and ranks
7 8 9 Q K T A J = 0..7, so that within a suit a higher number beats a lower one in suit
games and grand. A mask has bit ``card`` set. Contracts are numbered like their suit, then
grand 4 and null 5.
"""

import numpy as np
from numba import int64

from skatsim.kernels.bits import popcount
from skatsim.kernels.jit import kernel

DIAMONDS, HEARTS, SPADES, CLUBS, GRAND, NULL, RAMSCH = range(7)
SEVEN, EIGHT, NINE, QUEEN, KING, TEN, ACE, JACK = range(8)

ALL_MASK = 0xFFFFFFFF
JACK_MASK = 0x80808080
ACE_MASK = 0x40404040
TEN_MASK = 0x20202020
KING_MASK = 0x10101010
QUEEN_MASK = 0x08080808
LOW_MASK = 0x07070707
SUIT_MASK = 0xFF  # of diamonds; shifted left by 8 * suit for the others
PLAIN_MASK = 0x7F  # a suit without its jack

POINTS = np.array([0, 0, 0, 3, 4, 10, 11, 2] * 4, dtype=np.int64)
"""Card points by card."""

NULL_STRENGTH = np.array([0, 1, 2, 5, 6, 3, 7, 4], dtype=np.int64)
"""Order of the ranks in null: 7 8 9 T J Q K A, by rank number."""


@kernel(int64(int64))
def mask_points(mask: int) -> int:
    """Card points of a mask of cards."""
    return (
        11 * popcount(mask & ACE_MASK)
        + 10 * popcount(mask & TEN_MASK)
        + 4 * popcount(mask & KING_MASK)
        + 3 * popcount(mask & QUEEN_MASK)
        + 2 * popcount(mask & JACK_MASK)
    )


@kernel(int64(int64))
def trump_mask(contract: int) -> int:
    """The trumps of a contract: 11 in a suit game, the jacks in grand and Ramsch, none in null."""
    if contract == NULL:
        return 0
    if contract >= GRAND:
        return JACK_MASK
    return JACK_MASK | (SUIT_MASK << (8 * contract))


@kernel(int64(int64, int64))
def class_mask(card: int, trump: int) -> int:
    """The cards that follow `card` where `trump` is the mask of trumps (RULES 5.2)."""
    if (trump >> card) & 1:
        return trump
    return (SUIT_MASK << (8 * (card >> 3))) & ~trump


@kernel(int64(int64, int64))
def trump_strength(card: int, contract: int) -> int:
    """A number that grows with the strength of a card among trumps or within its suit.

    Jacks stand above all other cards, clubs highest; null has its own order.
    """
    rank = card & 7
    if contract == NULL:
        return NULL_STRENGTH[rank]
    if rank == JACK:
        return 8 + (card >> 3)
    return rank
