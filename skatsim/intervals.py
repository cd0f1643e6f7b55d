"""Intervals of 95 %: the quantile, and Wilson's for shares."""

import math
from typing import Final

__all__ = ["QUANTILE", "wilson", "wilson_half_width"]

QUANTILE: Final = 1.959963984540054
"""Of the normal distribution, for intervals of 95 %."""


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of `count` independent trials.

    Examples
    --------
    >>> [round(bound, 3) for bound in wilson(1.0, 100)]
    [0.963, 1.0]
    """
    if count <= 0:
        return 0.0, 1.0
    square = QUANTILE**2 / count
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    low = 0.0 if share <= 0 else max(0.0, middle - half)
    high = 1.0 if share >= 1 else min(1.0, middle + half)
    return low, high


def wilson_half_width(hits: int, count: int) -> float:
    """Half the width of Wilson's interval."""
    low, high = wilson(hits / count, count)
    return (high - low) / 2
