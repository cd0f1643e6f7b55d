"""Whole answers from the searches: exact values, many positions, discards."""

from numba import int64

from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_layout import points
from skatsim.kernels.solver_trick import search


@kernel(int64(int64, int64, int64, int64, int64, int64))
def exact(ws: int, x0: int, x1: int, x2: int, d: int, guess: int) -> int:
    """The declarer's card points from here on under best play, sought from a guess."""
    low = 0
    high = points(x0 | x1 | x2)
    beta = min(max(guess, 1), high)
    step = 6
    is_below = 0
    is_above = 0
    while low < high:
        value = search(ws, x0, x1, x2, d, beta)
        if value >= beta:
            low = value
            is_below = 1
        else:
            high = value
            is_above = 1
        if is_below and is_above:
            beta = (low + high + 1) >> 1
        elif is_below:
            beta = min(low + step, high)
            step *= 2
        else:
            beta = max(high - step + 1, 1)
            step *= 2
    return low
