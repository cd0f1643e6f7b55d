"""Loads and stores at raw addresses, and the map of a solver workspace.

A recursive kernel that is handed arrays pays for them at every call. The solvers are
handed one integer instead: the address of their workspace, one block of memory that
holds the transposition table, the tables of the deal and the lists of moves. Uncompiled
(``NUMBA_DISABLE_JIT=1``) the same functions go through ctypes.
"""

import ctypes
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from skatsim.kernels import bits

__all__ = [
    "clear",
    "highest_bit",
    "load",
    "load_byte",
    "load_short",
    "lowest_bit",
    "popcount",
    "store",
]

TABLE = 0
"""Transposition table of suit and grand: buckets of four entries of two words."""
TABLE_BUCKETS = 16384
NULL_TABLE = TABLE + 64 * TABLE_BUCKETS
"""Transposition table of null: one word an entry, buckets of eight."""
NULL_BUCKETS = 2048
TRUMP = NULL_TABLE + 64 * NULL_BUCKETS
"""Mask of trumps of the game in hand, in the solver's own order of cards."""
GENERATION = TRUMP + 8
NODES = TRUMP + 16
"""Count of tricks searched since the workspace was made."""
RANDOM = TRUMP + 24
SEARCHES = TRUMP + 32
"""Addresses of the searches for points and for null (`skatsim.kernels.solver_calls`)."""
CLASSES = TRUMP + 64
"""32 words: the cards that follow suit to each card."""
KINDS = CLASSES + 256
"""32 words: side suit or trump, and its card points, as 0..10 (for move ordering)."""
CARD_POINTS = KINDS + 256
"""32 words: card points of each card."""
TOP_CODES = CARD_POINTS + 256
"""2048 words: owners of the trumps left, or in grand of the fourth suit and the jacks."""
SIDE_CODES = TOP_CODES + 8 * 2048
"""3 x 128 words: owners of the cards left in the other three suits."""
SURE = SIDE_CODES + 8 * 3 * 128
"""2048 words: tricks that the trumps left win for each seat whatever happens."""
NULL_CODES = SURE + 8 * 2048
"""4 x 256 words: the same for the suits of null."""
STEPS = NULL_CODES + 8 * 4 * 256
"""2 x 2048 words: card points of the cards of a class in order, one bit a step."""
TOP_STEPS = STEPS + 8 * 2048
MOVES = TOP_STEPS + 8 * 2048
"""Lists of moves: three seats, up to ten cards each, sixteen moves."""
SAFE = MOVES + 8 * 16 * 3 * 11
"""256 x 256 bytes: is a suit of null safe, by the declarer's and the others' cards."""
ORDER = SAFE + 65536
"""The move-ordering scores, int16, of the three seats one after the other."""

PHASES, POSITIONS, KIND_COUNT = 6, 3, 11
LEAD_CELLS = PHASES * POSITIONS * KIND_COUNT * 3 * 2 * 16
SECOND_CELLS = PHASES * POSITIONS * KIND_COUNT * 3 * 2 * 2 * 2 * 4 * 3
THIRD_CELLS = PHASES * POSITIONS * KIND_COUNT * 3 * 2 * 2 * 2 * 2 * 5
SECOND_ORDER = ORDER + 2 * LEAD_CELLS
THIRD_ORDER = SECOND_ORDER + 2 * SECOND_CELLS
CELLS = LEAD_CELLS + SECOND_CELLS + THIRD_CELLS
STATISTICS = (ORDER + 2 * CELLS + 63) // 64 * 64
"""Where training counts tries, cuts and nodes of each cell; not part of a workspace."""
WORKSPACE_BYTES = STATISTICS


def load(address: int) -> int:
    """The signed 64-bit word at an address."""
    return ctypes.c_int64.from_address(address).value


def load_short(address: int) -> int:
    """The signed 16-bit word at an address."""
    return ctypes.c_int16.from_address(address).value


def load_byte(address: int) -> int:
    """The signed byte at an address."""
    return ctypes.c_int8.from_address(address).value


def store(address: int, value: int) -> None:
    """Write a signed 64-bit word."""
    ctypes.c_int64.from_address(address).value = value


def clear(address: int, count: int) -> None:
    """Set `count` bytes to zero."""
    ctypes.memset(address, 0, count)


def _loader(bits: int) -> Any:
    @intrinsic
    def read(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.IntType(bits)
            word = builder.load(builder.inttoptr(arguments[0], kind.as_pointer()))
            return word if bits == 64 else builder.sext(word, ir.IntType(64))

        return types.int64(types.int64), generate

    return read


_load, _load_short, _load_byte = _loader(64), _loader(16), _loader(8)


@intrinsic
def _store(typing_context: Any, address: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        builder.store(arguments[1], pointer)
        return cgutils.get_null_value(context.get_value_type(types.none))

    return types.none(types.int64, types.int64), generate


@intrinsic
def _clear(typing_context: Any, address: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        cgutils.memset(builder, pointer, arguments[1], 0)
        return cgutils.get_null_value(context.get_value_type(types.none))

    return types.none(types.int64, types.int64), generate


popcount, lowest_bit, highest_bit = bits.popcount, bits.lowest_bit, bits.highest_bit

if not numba.config.DISABLE_JIT:
    # used as they are: a call through an overload takes several times as long to compile
    load, load_short, load_byte, store, clear = _load, _load_short, _load_byte, _store, _clear
    popcount, lowest_bit, highest_bit = bits._popcount, bits._lowest_bit, bits._highest_bit
