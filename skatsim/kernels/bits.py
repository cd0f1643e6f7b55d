"""Bit operations: plain functions, replaced by single machine instructions when compiled."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

__all__ = ["highest_bit", "lowest_bit", "popcount"]


def popcount(mask: int) -> int:
    """The number of bits set in a mask of at most 63 bits."""
    return int(mask).bit_count()


def lowest_bit(mask: int) -> int:
    """The index of the lowest bit set; 64 for an empty mask."""
    mask = int(mask)
    return (mask & -mask).bit_length() - 1 if mask else 64


def highest_bit(mask: int) -> int:
    """The index of the highest bit set; -1 for an empty mask."""
    return int(mask).bit_length() - 1


@intrinsic
def _popcount(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest_bit(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return types.int64(types.int64), generate


@intrinsic
def _highest_bit(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], cgutils.false_bit)
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), generate


@overload(popcount, inline="always")
def _overload_popcount(mask):  # type: ignore[no-untyped-def]  # numba compares the two parameter lists
    return lambda mask: _popcount(mask)  # noqa: PLW0108 (numba inlines lambdas only)


@overload(lowest_bit, inline="always")
def _overload_lowest_bit(mask):  # type: ignore[no-untyped-def]  # numba compares the two parameter lists
    return lambda mask: _lowest_bit(mask)  # noqa: PLW0108


@overload(highest_bit, inline="always")
def _overload_highest_bit(mask):  # type: ignore[no-untyped-def]  # numba compares the two parameter lists
    return lambda mask: _highest_bit(mask)  # noqa: PLW0108
