"""Counter-based random numbers: game `k` of seed `s` depends on (s, k) alone.

Deals come from Philox4x64-10 (Salmon et al., SC 2011) with key [seed, stream] and NumPy's
counter [0, k, 0, 0], so that ``numpy.random.Philox`` gives the same words. The random word of
a decision is mixed from the game's key and the position of the decision in the game.

Only this module uses unsigned integers; it takes and gives int64.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, types, uint64
from numba.extending import intrinsic, overload

from skatsim.kernels.jit import kernel

__all__ = ["bounded", "decision_word", "game_key", "philox_block", "signed", "unsigned"]

MASK_64 = 0xFFFFFFFFFFFFFFFF
PHILOX_MULTIPLIER_0 = 0xD2E7470EE14C6C93
PHILOX_MULTIPLIER_1 = 0xCA5A826395121157
PHILOX_WEYL_0 = 0x9E3779B97F4A7C15
PHILOX_WEYL_1 = 0xBB67AE8584CAA73B
MIX_0 = 0xBF58476D1CE4E5B9
MIX_1 = 0x94D049BB133111EB


def multiply_low(a: int, b: int) -> int:
    """The lower 64 bits of a product."""
    return (int(a) * int(b)) & MASK_64


def multiply_high(a: int, b: int) -> int:
    """The upper 64 bits of the 128-bit product."""
    return (int(a) * int(b)) >> 64


def add(a: int, b: int) -> int:
    """The sum modulo 2^64."""
    return (int(a) + int(b)) & MASK_64


def unsigned(a: int) -> int:
    """The 64 bits of a signed number as an unsigned one."""
    return int(a) & MASK_64


def signed(a: int) -> int:
    """The 64 bits of an unsigned number as a signed one."""
    a = int(a)
    return a - (1 << 64) if a >> 63 else a


@intrinsic
def _multiply_high(typing_context: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@overload(multiply_low, inline="always")
def _overload_multiply_low(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: np.uint64(a) * np.uint64(b)


@overload(multiply_high, inline="always")
def _overload_multiply_high(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: _multiply_high(a, b)  # noqa: PLW0108 (numba inlines lambdas only)


@overload(add, inline="always")
def _overload_add(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: np.uint64(a) + np.uint64(b)


@overload(unsigned, inline="always")
def _overload_unsigned(a):  # type: ignore[no-untyped-def]
    return lambda a: np.uint64(a)  # noqa: PLW0108


@overload(signed, inline="always")
def _overload_signed(a):  # type: ignore[no-untyped-def]
    return lambda a: np.int64(a)  # noqa: PLW0108


@kernel(types.UniTuple(uint64, 4)(uint64, uint64, uint64, uint64))
def philox_block(seed: int, stream: int, game: int, count: int) -> tuple[int, int, int, int]:
    """Four 64-bit words: block `count` (from 1) of the stream of one game."""
    x0, x1, x2, x3 = unsigned(count), unsigned(game), unsigned(0), unsigned(0)
    key_0, key_1 = unsigned(seed), unsigned(stream)
    for _ in range(10):
        high_0 = multiply_high(unsigned(PHILOX_MULTIPLIER_0), x0)
        low_0 = multiply_low(unsigned(PHILOX_MULTIPLIER_0), x0)
        high_1 = multiply_high(unsigned(PHILOX_MULTIPLIER_1), x2)
        low_1 = multiply_low(unsigned(PHILOX_MULTIPLIER_1), x2)
        x0, x1, x2, x3 = high_1 ^ x1 ^ key_0, low_1, high_0 ^ x3 ^ key_1, low_0
        key_0 = add(key_0, unsigned(PHILOX_WEYL_0))
        key_1 = add(key_1, unsigned(PHILOX_WEYL_1))
    return x0, x1, x2, x3


@kernel(uint64(uint64))
def mix(word: int) -> int:
    """A bijection of 64-bit words whose output bits each depend on all input bits (splitmix64)."""
    word = multiply_low(word ^ (word >> unsigned(30)), unsigned(MIX_0))
    word = multiply_low(word ^ (word >> unsigned(27)), unsigned(MIX_1))
    return word ^ (word >> unsigned(31))


@kernel(int64(int64, int64))
def game_key(seed: int, game: int) -> int:
    """The key that the random words of all decisions of one game are mixed from."""
    return signed(
        mix(
            add(
                mix(add(unsigned(seed), unsigned(PHILOX_WEYL_0))),
                multiply_low(unsigned(game), unsigned(PHILOX_WEYL_1)),
            )
        )
    )


@kernel(int64(int64, int64))
def decision_word(key: int, position: int) -> int:
    """63 random bits for the decision at `position` (from 0) of the game with this key."""
    step = multiply_low(unsigned(position + 1), unsigned(PHILOX_WEYL_0))
    return signed(mix(add(unsigned(key), step)) >> unsigned(1))


@kernel(int64(int64, int64))
def bounded(word: int, count: int) -> int:
    """One of ``range(count)`` from the low 32 bits of a random word; count below 2^20.

    The bias is below count / 2^32: for choices of policies, not for deals.
    """
    return ((word & 0xFFFFFFFF) * count) >> 32
