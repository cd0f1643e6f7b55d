"""Files that are whole or absent, and the lock of a folder with one writer.

A file is written under a temporary name in the same folder, flushed to the disk and renamed,
so that a reader, or a program that was killed, never leaves half of it behind.
"""

import contextlib
import hashlib
import json
import os
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import filelock

from skatsim.errors import ArchiveError

__all__ = ["file_sha256", "finished_or_absent", "locked", "now", "whole_or_unchanged"]


def now() -> str:
    """The time in UTC as text, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace(temporary: Path, target: Path) -> None:
    """Rename, trying again for a moment where another program holds the file (Windows)."""
    for attempt in range(5):
        try:
            temporary.replace(target)
            break
        except PermissionError:
            if attempt == 4 or os.name != "nt":
                raise
            time.sleep(0.1 * (attempt + 1))
    _sync_folder(target.parent)


@contextlib.contextmanager
def finished_or_absent(target: Path) -> Iterator[Path]:
    """A temporary file beside `target` that takes its place only when all went well."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        _replace(temporary, target)
    except OSError as error:
        raise ArchiveError(
            f"cannot write {str(target)!r}: {error.strerror or error}: nothing was lost of what "
            "the archive already held"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_or_unchanged(target: Path) -> Iterator[Path]:
    """A file to write what the user asked for, which takes the place of `target` when it is whole.

    A link stays a link; what is no regular file (a device, a pipe) is written itself.
    """
    if target.exists() and not target.is_file():
        yield target
        return
    real = target.resolve()
    temporary = real.with_name(f".{real.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        _replace(temporary, real)
    except OSError as error:
        if error.filename is not None:
            error.filename = str(target)
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def locked(folder: Path, *, what: str | None = None) -> Iterator[None]:
    """Hold the lock of a folder, which must exist.

    Parameters
    ----------
    what : what is written there, for the message; by default the run of that name.

    Raises
    ------
    ArchiveError
        Another process holds it; it is named.
    """
    lock = filelock.FileLock(folder / ".lock")
    holder = folder / ".lock-holder.json"
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        who = ""
        with contextlib.suppress(OSError, ValueError, KeyError):
            content = json.loads(holder.read_text(encoding="utf-8"))
            who = f" by process {content['pid']} on {content['host']} since {content['since']}"
        raise ArchiveError(
            f"{what or f'run {folder.name!r}'} is being written{who}: wait for it, or name "
            "another --run"
        ) from None
    except OSError as error:
        raise ArchiveError(f"cannot write to {str(folder)!r}: {error.strerror or error}") from error
    try:
        content = {"pid": os.getpid(), "host": socket.gethostname(), "since": now()}
        with contextlib.suppress(OSError):
            holder.write_text(json.dumps(content), encoding="utf-8")
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()
