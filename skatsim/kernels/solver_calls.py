"""The two searches called through their addresses, which a workspace holds.

A kernel that calls another is linked with it and optimised with it once more, and a search
takes seconds. So the kernels above the searches, several and in several modules, call them by
address; `addresses` gives what to store in a workspace.
"""

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from skatsim.kernels.jit import loaded
from skatsim.kernels.solver_memory import SEARCHES
from skatsim.kernels.solver_null import search_null as _search_null
from skatsim.kernels.solver_trick import search as _search

__all__ = ["addresses", "search", "search_null"]


def search(ws: int, x0: int, x1: int, x2: int, d: int, beta: int) -> int:
    """`skatsim.kernels.solver_trick.search`."""
    return _search(ws, x0, x1, x2, d, beta)


def search_null(ws: int, x0: int, x1: int, x2: int, d: int) -> int:
    """`skatsim.kernels.solver_null.search_null`."""
    return _search_null(ws, x0, x1, x2, d)


def _called(builder: Any, context: Any, signature: Any, arguments: Any, number: int) -> Any:
    at = builder.add(arguments[0], ir.Constant(ir.IntType(64), SEARCHES + 8 * number))
    word = builder.load(builder.inttoptr(at, ir.IntType(64).as_pointer()))
    kind = context.call_conv.get_function_type(signature.return_type, signature.args)
    callee = builder.inttoptr(word, kind.as_pointer())
    _, result = context.call_conv.call_function(
        builder, callee, signature.return_type, signature.args, arguments
    )
    return result  # a search raises nothing


@intrinsic
def _call_search(typing_context: Any, ws: Any, x0: Any, x1: Any, x2: Any, d: Any, beta: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _called(builder, context, signature, arguments, 0)

    return types.int64(*[types.int64] * 6), generate


@intrinsic
def _call_search_null(typing_context: Any, ws: Any, x0: Any, x1: Any, x2: Any, d: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _called(builder, context, signature, arguments, 1)

    return types.int64(*[types.int64] * 5), generate


def addresses() -> list[int]:
    """The two addresses in this process; zeros if nothing is compiled."""
    if numba.config.DISABLE_JIT:
        return [0, 0]
    found = []
    for function in (_search, _search_null):
        dispatcher: Any = loaded(function)
        compiled = dispatcher.overloads[dispatcher.signatures[0]]
        name = compiled.fndesc.llvm_func_name
        found.append(int(compiled.library.get_pointer_to_function(name)))
    return found


if not numba.config.DISABLE_JIT:
    search, search_null = _call_search, _call_search_null
