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


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per contract and card: who must follow it, its class, its power in a trick."""
    follow = np.zeros((RAMSCH + 1, 32), dtype=np.int64)
    classes = np.zeros((RAMSCH + 1, 32), dtype=np.int64)
    power = np.zeros((RAMSCH + 1, 32), dtype=np.int64)
    plain = getattr(trump_mask, "py_func", trump_mask)  # nothing is loaded for an import
    for contract in range(RAMSCH + 1):
        trump = int(plain(contract))
        for card in range(32):
            suit, rank = card >> 3, card & 7
            if (trump >> card) & 1:
                follow[contract, card] = trump
                classes[contract, card] = TRUMP_CLASS
                power[contract, card] = 16 + (8 + suit if rank == JACK else rank)
            else:
                follow[contract, card] = (SUIT_MASK << (8 * suit)) & ~trump
                classes[contract, card] = suit
                power[contract, card] = NULL_ORDER.index(rank) if contract == NULL else rank
    return follow, classes, power


TRUMP_CLASS = 4

NULL_ORDER = (SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE)

FOLLOW_MASK, CLASS, POWER = _tables()
"""Tables of shape (7, 32), by contract and card (RULES 5.2, 5.3): the cards that follow a card;
its class, 0-3 for the suits and 4 for trumps; its power, by which the highest card that is of
the led class or trump wins the trick."""
