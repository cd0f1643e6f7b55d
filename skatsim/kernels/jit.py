"""The decorator every kernel is compiled with, and the folder its machine code is kept in.

Each kernel has exactly one explicit signature, so it is compiled when its module is
imported. One that lies in the cache is loaded when it is first needed: most kernels are called
by other kernels alone, whose machine code holds theirs, and never are.

numba notices a change only in the file that defines a function, not in those it calls, and a
stale kernel answers wrongly: therefore each kernel module has its own cache folder, keyed by a
hash of its source, of all kernel sources it imports, and of the versions that matter.

``NUMBA_DISABLE_JIT=1`` leaves every kernel plain Python.
``SKATSIM_CACHE_DIR`` moves the cache; ``SKATSIM_CACHE_DIR=off`` compiles anew each time.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

__all__ = ["cache_root", "kernel", "loaded"]

F = TypeVar("F", bound=Callable[..., Any])

KEPT_FOLDERS = 3
"""How many cache folders (one per state of the sources) are kept for each module."""

_is_announced = False


@functools.cache
def cache_root() -> Path | None:
    """The folder compiled kernels are kept in, or None where nothing can be kept."""
    named = os.environ.get("SKATSIM_CACHE_DIR", "")
    if named.lower() == "off" or numba.config.DISABLE_JIT:
        return None
    try:
        import platformdirs

        base = Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("skatsim"))
    except (RuntimeError, OSError):
        return None
    root = base / "kernels"
    return root if _is_writable(root) else None


def _is_writable(folder: Path) -> bool:
    """True if a file can really be written there: numba would fall back silently."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
    except OSError:
        return False
    return True


_IMPORT = re.compile(r"^ *from skatsim\.kernels(?:\.(\w+) import| import ([\w, ]+)$)", re.MULTILINE)


@functools.cache
def _sources(name: str) -> frozenset[str]:
    """The kernel modules that module `name` is made from: itself and all it imports."""
    found = {name}
    for one, several in _IMPORT.findall(_text(name)):
        for used in [one] if one else several.replace(" ", "").split(","):
            found |= _sources(used)
    return frozenset(found)


@functools.cache
def _text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")


@functools.cache
def _folder(name: str) -> Path | None:
    """The cache folder of one kernel module as its sources are now."""
    root = cache_root()
    if root is None:
        return None
    digest = hashlib.sha256()
    for source in sorted(_sources(name)):
        digest.update(source.encode())
        digest.update(_text(source).encode())
    for version in (
        numba.__version__,
        np.__version__,
        platform.python_version(),
        platform.machine(),
        str(numba.config.CPU_NAME),
    ):
        digest.update(version.encode())
    folder = root / f"{name}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _prune(root, name)
    return folder


def _prune(root: Path, name: str) -> None:
    try:
        folders = sorted(root.glob(f"{name}-*"), key=lambda folder: folder.stat().st_mtime)
    except OSError:
        return
    for folder in folders[: 1 - KEPT_FOLDERS]:
        shutil.rmtree(folder, ignore_errors=True)


def _announce(folder: Path | None) -> None:
    global _is_announced  # noqa: PLW0603 (said once a process)
    if not _is_announced:
        _is_announced = True
        where = f"kept in {folder.parent}" if folder else "not kept: no writable cache folder"
        print(f"skatsim: compiling kernels ({where})", file=sys.stderr, flush=True)  # noqa: T201


def kernel(signature: Any, **options: Any) -> Callable[[F], F]:
    """Compile a function of one explicit `signature`, from the cache where possible.

    The result keeps the plain function as ``py_func`` when it is compiled, and is that
    function when ``NUMBA_DISABLE_JIT=1``.
    """

    def decorate(function: F) -> F:
        if numba.config.DISABLE_JIT:
            return function
        settings = {"nogil": True, "error_model": "numpy", **options}
        folder = _folder(Path(function.__code__.co_filename).stem)
        if folder is None or not folder.exists():
            _announce(folder)
        if folder is None:
            return numba.njit(signature, **settings)(function)
        kept = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            deferred = _deferred(function, signature, settings)
            return deferred or numba.njit(signature, cache=True, **settings)(function)
        except OSError:  # the disk is full: go on without keeping the result
            return numba.njit(signature, **settings)(function)
        finally:
            numba.config.CACHE_DIR = kept

    return decorate


def loaded(function: F) -> F:
    """A kernel with its machine code loaded, for who needs it now rather than at the first call."""
    with global_compiler_lock:
        if isinstance(function, _Deferred):
            with contextlib.suppress(OSError):  # the disk is full: go on without keeping the result
                function.compile(function.kernel_signature)
            function.disable_compile()
            function.__class__ = CPUDispatcher
    return function


class _Deferred(CPUDispatcher):  # type: ignore[misc]
    """A kernel that is loaded when it is first called, compiled into another, or sent away.

    It is numba's own dispatcher from then on, so that calls cost no more.
    """

    kernel_signature: Any

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return loaded(self)(*arguments, **named)

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        return loaded(self).get_call_template(arguments, named)

    def _reduce_states(self) -> Any:
        return loaded(self)._reduce_states()


def _deferred(function: F, signature: Any, settings: dict[str, Any]) -> F | None:
    """A kernel that lies in the cache; None where it does not, or numba cannot be asked."""
    dispatcher = numba.njit(cache=True, **settings)(function)
    try:
        cache = dispatcher._cache
        key = cache._index_key(signature, dispatcher.targetctx.codegen())
        if key not in cache._cache_file._load_index():
            return None
        dispatcher.__class__ = _Deferred
    except (AttributeError, TypeError):  # another numba
        return None
    dispatcher.kernel_signature = signature
    return dispatcher
