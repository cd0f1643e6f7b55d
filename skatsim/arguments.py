"""Numbers that callers give, checked once for all."""

import operator
from typing import Any, Final

from skatsim.errors import RuleError

__all__ = ["GREATEST_SEED", "whole_number"]

GREATEST_SEED: Final = 2**63 - 1
"""Seeds and the numbers of games are at most this: kernels and records hold 64 bits."""


def whole_number(value: Any, what: str, *, least: int = 0, greatest: int = GREATEST_SEED) -> int:
    """The number, if it is whole and in range; also one of NumPy's.

    `what` names it in the message.

    Raises
    ------
    RuleError
        It is not.

    Examples
    --------
    >>> whole_number(-1, "the seed")
    Traceback (most recent call last):
    skatsim.errors.RuleError: the seed cannot be -1: give 0 to 9,223,372,036,854,775,807
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise RuleError(f"{what} cannot be {value!r}: give a whole number") from None
    if not least <= number <= greatest:
        raise RuleError(f"{what} cannot be {number}: give {least:,} to {greatest:,}")
    return number
