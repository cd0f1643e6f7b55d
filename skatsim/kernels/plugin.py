"""Compiled policies that others write: one signature, called by address.

A plug-in is a function like `plugin_action` below, with `PLUGIN_ARGUMENTS` in place of the
player's address. It is compiled by itself and called through the address that the player's record
holds, so that no kernel is compiled anew for it and plug-ins can be mixed at one table. It is
shown a copy of the public record: one that differs afterwards was written to.
"""

import inspect
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import int64, types
from numba.core import cgutils
from numba.extending import intrinsic

from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import RULES_TYPE
from skatsim.kernels.table import PLAYER_TYPE, PUBLIC, PUBLIC_TYPE

__all__ = ["PLUGIN_NAMES", "POLICY_PLUGIN", "WROTE", "compile_plugin", "plugin_action"]

POLICY_PLUGIN = -1
"""The code of every compiled plug-in: which one it is, the player's ``address`` says."""

WROTE = -(1 << 62)
"""What `plugin_action` returns for a plug-in that wrote to what it was shown."""

SAID_LENGTH = 200
"""So much is told of what numba says."""

PLUGIN_NAMES = ("rules", "player", "public", "hand_mask", "skat_mask", "legal_mask", "word")
PLUGIN_ARGUMENTS = (RULES_TYPE, PLAYER_TYPE, PUBLIC_TYPE, int64, int64, int64, int64)
"""Machine code lives as long as the dispatcher it belongs to."""

_kept: list[Any] = []
"""Machine code lives as long as the dispatcher it belongs to."""

_plain_functions: list[Callable[..., int]] = []
"""Where nothing is compiled, an address is a place in this list, from 1."""


def _call(
    rules: Any,
    player: Any,
    public: Any,
    hand_mask: int,
    skat_mask: int,
    legal_mask: int,
    word: int,
    address: int,
) -> int:
    """What the function at an address answers, or WROTE."""
    shown = public.copy()
    action = _plain_functions[address - 1](
        rules, player, shown, hand_mask, skat_mask, legal_mask, word
    )
    return operator.index(action) if shown == public else WROTE


def _is_changed(builder: Any, before: Any, after: Any) -> Any:
    """Whether two public records differ, as a loop that is compiled to wide instructions."""
    word = ir.IntType(64)
    first = builder.bitcast(before, word.as_pointer())
    second = builder.bitcast(after, word.as_pointer())
    found = cgutils.alloca_once_value(builder, word(0))
    with cgutils.for_range(builder, word(PUBLIC.itemsize // 8)) as loop:
        a = builder.load(builder.gep(first, [loop.index]))
        b = builder.load(builder.gep(second, [loop.index]))
        builder.store(builder.or_(builder.load(found), builder.xor(a, b)), found)
    return builder.icmp_unsigned("!=", builder.load(found), word(0))


@intrinsic
def _call_compiled(
    typing_context: Any,
    rules: Any,
    player: Any,
    public: Any,
    hand_mask: Any,
    skat_mask: Any,
    legal_mask: Any,
    word: Any,
    address: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *shown, at = arguments
        kind = context.call_conv.get_function_type(int64, PLUGIN_ARGUMENTS)
        callee = builder.inttoptr(at, kind.as_pointer())
        size = ir.IntType(64)(PUBLIC.itemsize)
        scratch = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), PUBLIC.itemsize // 8))
        copy = builder.bitcast(scratch, shown[2].type)
        cgutils.raw_memcpy(builder, copy, shown[2], size, 1)
        status, action = context.call_conv.call_function(
            builder, callee, int64, PLUGIN_ARGUMENTS, [*shown[:2], copy, *shown[3:]]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        is_changed = _is_changed(builder, shown[2], copy)
        return builder.select(is_changed, ir.IntType(64)(WROTE), action)

    return int64(*PLUGIN_ARGUMENTS, int64), generate


if not numba.config.DISABLE_JIT:
    _call = _call_compiled


@kernel(int64(*PLUGIN_ARGUMENTS))
def plugin_action(
    rules: Any,
    player: Any,
    public: Any,
    hand_mask: int,
    skat_mask: int,
    legal_mask: int,
    word: int,
) -> int:
    """What the plug-in of a player answers, or WROTE; an exception of it is passed on."""
    return _call(rules, player, public, hand_mask, skat_mask, legal_mask, word, player["address"])


def _numba_text(error: Exception) -> str:
    """What numba says in many lines, in one: what is wrong, and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if not line.startswith("Failed in ")), str(type(error)))
    place = getattr(error, "loc", None)
    where = f" ({Path(place.filename).name}, line {place.line})" if place else ""
    return f"{said if len(said) <= SAID_LENGTH else said[: SAID_LENGTH - 3] + '...'}{where}"


def compile_plugin(function: Callable[..., int]) -> int:
    """The address of a plug-in, compiled for the one signature there is.

    Raises
    ------
    TypeError
        It does not take the arguments `PLUGIN_NAMES`, does not compile, or returns anything but an
        int64. The message says which.
    """
    names = tuple(inspect.signature(function).parameters)
    if names != PLUGIN_NAMES:
        raise TypeError(
            f"takes ({', '.join(names)}): a compiled policy takes ({', '.join(PLUGIN_NAMES)})"
        )
    if numba.config.DISABLE_JIT:
        _plain_functions.append(function)
        return len(_plain_functions)
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    try:
        dispatcher.compile(PLUGIN_ARGUMENTS)
    except Exception as error:  # numba's own have no class in common
        raise TypeError(f"does not compile: {_numba_text(error)}") from error
    compiled = dispatcher.overloads[PLUGIN_ARGUMENTS]
    kind = compiled.signature.return_type
    if kind != int64 and not isinstance(kind, types.IntegerLiteral):
        raise TypeError(f"returns {kind}: every path must return a whole number (int64)")
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    _kept.append(dispatcher)
    return int(address)
