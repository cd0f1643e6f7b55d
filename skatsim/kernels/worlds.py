"""Deals that agree with what is known, drawn with exactly equal chances.

World `number` of a seed and stream depends on these three alone. Each choice of cards has
Philox blocks of its own, so that no choice moves the random numbers of another.
"""

import numpy as np
from numba import int64, void
from numpy.typing import NDArray

from skatsim.kernels.bits import popcount
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import philox_block, signed, unsigned

Column = NDArray[np.int64]

BLOCKS_A_CHOICE = 16
"""Philox blocks set apart for each choice: 128 numbers, of which 32 are wanted at most."""


@kernel(int64(int64, int64, int64, int64, int64, int64))
def choose_cards(mask: int, count: int, seed: int, stream: int, number: int, choice: int) -> int:
    """Some `count` cards of a mask, each set of them equally likely.

    `choice` tells the choices of one world apart. Goes through the cards: one is taken with
    the chance of those still wanted among those left (Lemire's bounded numbers, with rejection).
    """
    chosen = 0
    left = popcount(mask)
    block = choice * BLOCKS_A_CHOICE
    w0, w1, w2, w3 = unsigned(0), unsigned(0), unsigned(0), unsigned(0)
    used = 8
    while count > 0:
        card = mask & -mask
        if count == left:
            return chosen | mask
        while True:
            if used == 8:
                block += 1
                w0, w1, w2, w3 = philox_block(
                    unsigned(seed), unsigned(stream), unsigned(number), unsigned(block)
                )
                used = 0
            half = signed(w0 & unsigned(0xFFFFFFFF))
            w0 = w0 >> unsigned(32)
            used += 1
            if used & 1 == 0:
                w0, w1, w2 = w1, w2, w3
            product = half * left
            low = product & 0xFFFFFFFF
            if low >= left or low >= (0x100000000 - left) % left:
                break
        if product >> 32 < count:
            chosen |= card
            count -= 1
        mask ^= card
        left -= 1
    return chosen


@kernel(int64(int64, int64, int64, int64))
def choose_number(total: int, seed: int, stream: int, number: int) -> int:
    """One of ``range(total)``, exactly equally likely; total below 2^62."""
    limit = 0x7FFFFFFFFFFFFFFF - 0x7FFFFFFFFFFFFFFF % total
    block = 0
    while True:
        block += 1
        word = signed(
            philox_block(unsigned(seed), unsigned(stream), unsigned(number), unsigned(block))[0]
            >> unsigned(1)
        )
        if word < limit:
            return word % total


@kernel(
    void(
        int64[::1],
        int64[::1],
        int64[:, :, ::1],
        int64[::1],
        int64,
        int64,
        int64,
        int64[:, ::1],
    )
)
def place_cards(
    given: Column,
    classes: Column,
    counts: Column,
    ends: Column,
    seed: int,
    stream: int,
    first: int,
    worlds: Column,
) -> None:
    """Worlds `first` and following: where the unseen cards lie, by class and place.

    Parameters
    ----------
    given : the cards known to lie at the four places.
    classes : masks that part the unseen cards.
    counts : shape (layouts, classes, places), how many cards of each class lie where.
    ends : running sum of the deals of each layout.
    worlds : shape (n, 4), filled.
    """
    total = ends[len(ends) - 1]
    for i in range(len(worlds)):
        number = first + i
        word = choose_number(total, seed, stream, number)
        low, high = 0, len(ends) - 1
        while low < high:
            middle = (low + high) >> 1
            if ends[middle] > word:
                high = middle
            else:
                low = middle + 1
        for place in range(4):
            worlds[i, place] = given[place]
        for j in range(len(classes)):
            rest = classes[j]
            for place in range(3):
                taken = choose_cards(
                    rest, counts[low, j, place], seed, stream, number, 1 + 4 * j + place
                )
                worlds[i, place] |= taken
                rest ^= taken
            worlds[i, 3] |= rest
