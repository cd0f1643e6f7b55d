"""A copy of the search that counts what the training of the move ordering needs."""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

from skatsim.kernels import solver_trick

__all__ = ["counting_search"]


def uncached(signature: Any) -> Any:
    """A stand-in for `skatsim.kernels.jit.kernel` that keeps nothing."""
    return numba.njit(signature, nogil=True, error_model="numpy")


def _counting(module: ModuleType) -> ModuleType:
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    source = source.replace("COLLECT = False", "COLLECT = True")
    source = source.replace(
        "from skatsim.kernels.jit import kernel",
        f"from {__name__} import uncached as kernel",
    )
    name = module.__name__.rpartition(".")[2] + "_counting"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        copy = importlib.util.module_from_spec(spec)
        sys.modules[name] = copy
        spec.loader.exec_module(copy)
    return copy


@cache
def counting_search() -> Callable[..., int]:
    """`solver_trick.search` in a workspace with room for counts, compiled on first use."""
    search: Callable[..., int] = _counting(solver_trick).search
    return search
