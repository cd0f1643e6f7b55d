"""The decorator every kernel is compiled with, and the folder its machine code is kept in.

Each kernel has exactly one explicit signature, so it is compiled when its module is
imported, or loaded from the cache. numba notices a change only in the file that defines
a function, not in those it calls, and a stale kernel answers wrongly: therefore the cache
folder is keyed by a hash of all kernel sources and of the versions that matter.

``NUMBA_DISABLE_JIT=1`` leaves every kernel plain Python.
``SKATSIM_CACHE_DIR`` moves the cache; ``SKATSIM_CACHE_DIR=off`` compiles anew each time.
"""

import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

__all__ = ["cache_folder", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])

KEPT_FOLDERS = 4
"""How many cache folders (one per state of the sources) are kept."""

_is_announced = False


def _source_key() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    for version in (
        numba.__version__,
        np.__version__,
        platform.python_version(),
        platform.machine(),
        numba.config.CPU_NAME or "",
    ):
        digest.update(version.encode())
    return digest.hexdigest()[:20]


def _root() -> Path | None:
    named = os.environ.get("SKATSIM_CACHE_DIR", "")
    if named.lower() == "off":
        return None
    if named:
        return Path(named).expanduser() / "kernels"
    try:
        import platformdirs

        return Path(platformdirs.user_cache_dir("skatsim")) / "kernels"
    except (RuntimeError, OSError):
        return None


def _writable(folder: Path) -> bool:
    """True if a file can really be written there: numba would fall back silently."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x" * 4096)
    except OSError:
        return False
    return True


def _prune(root: Path, current: Path) -> None:
    try:
        folders = [folder for folder in root.iterdir() if folder.is_dir() and folder != current]
        folders.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in folders[KEPT_FOLDERS - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _find_folder() -> Path | None:
    root = _root()
    if root is None or numba.config.DISABLE_JIT:
        return None
    folder = root / _source_key()
    is_new = not folder.exists()
    if not _writable(folder):
        return None
    if is_new:
        _prune(root, folder)
    return folder


_folder = _find_folder()


def cache_folder() -> Path | None:
    """The folder compiled kernels are kept in, or None where nothing can be kept."""
    return _folder


def _announce() -> None:
    global _is_announced
    if not _is_announced:
        _is_announced = True
        where = f"kept in {_folder}" if _folder else "not kept: no writable cache folder"
        print(f"skatsim: compiling kernels, {where}", file=sys.stderr, flush=True)  # noqa: T201


def kernel(signature: Any, **options: Any) -> Callable[[F], F]:
    """Compile a function of one explicit `signature`, from the cache where possible.

    The result keeps the plain function as ``py_func`` when it is compiled, and is that
    function when ``NUMBA_DISABLE_JIT=1``.
    """

    def decorate(function: F) -> F:
        if numba.config.DISABLE_JIT:
            return function
        settings = {"nogil": True, "error_model": "numpy", **options}
        if _folder is None:
            _announce()
            return numba.njit(signature, **settings)(function)
        if not _is_announced and _is_cold(function):
            _announce()
        kept = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_folder)
        try:
            return numba.njit(signature, cache=True, **settings)(function)
        except OSError:
            return numba.njit(signature, **settings)(function)
        finally:
            numba.config.CACHE_DIR = kept

    return decorate


def _is_cold(function: Callable[..., Any]) -> bool:
    """True if no index of this function lies in the cache folder yet."""
    assert _folder is not None
    name = function.__qualname__.replace("<", "").replace(">", "")
    stem = Path(function.__code__.co_filename).stem
    return not any(_folder.glob(f"*/{stem}.{name}-*.nbi"))
