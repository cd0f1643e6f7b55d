"""Many deals at once: the games of a seed as they are dealt, not played."""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.cards import ALL_MASK
from skatsim.kernels.jit import kernel
from skatsim.kernels.table import HIDDEN_TYPE, shuffle


@kernel(types.void(types.Array(HIDDEN_TYPE, 1, "C"), int64, int64, int64[:, ::1]))
def deal_games(hidden_rows: Any, seed: int, first: int, masks: np.ndarray) -> None:
    """The deals of games `first` and following of a seed.

    `masks` of shape (n, 4) is filled with forehand, middlehand, rearhand, skat; `hidden_rows`
    is one row to work with.
    """
    hidden = hidden_rows[0]
    cards = hidden["cards"]
    for i in range(len(masks)):
        shuffle(hidden, seed, 0, first + i)
        taken = 0
        for place in range(3):
            mask = 0
            for k in range(10):
                mask |= 1 << int(cards[10 * place + k])
            masks[i, place] = mask
            taken |= mask
        masks[i, 3] = ALL_MASK & ~taken
