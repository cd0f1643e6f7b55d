"""Files that are whole or absent, and the lock of a folder with one writer.

A file is written under a temporary name in the same folder, flushed to the disk and renamed,
so that a reader, or a program that was killed, never leaves half of it behind. A remote file
is one put. The lock of a folder is freed by the system when its holder dies; the lock of a
remote one is a file created exclusively, which a holder that was killed leaves behind.
"""

import contextlib
import errno
import hashlib
import json
import os
import socket
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import filelock

from skatsim.errors import ArchiveError, SkatSimError
from skatsim.location import file_system, is_file, is_remote, read_bytes, read_errors, remote_errors
from skatsim.wording import count_text

__all__ = [
    "file_damage",
    "file_sha256",
    "finished_or_absent",
    "holder_of",
    "is_locked",
    "locked",
    "now",
    "size_damage",
    "unlock",
    "whole_or_unchanged",
    "write_whole",
]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What the system says of a write, without a name: a disk or a quota is full, or it failed."""

LOCK = ".lock"
HOLDER = ".lock-holder.json"


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


def write_whole(target: Path, content: bytes | memoryview) -> None:
    """Make these bytes the file, here or remote; a reader sees all of them or none.

    Raises
    ------
    ArchiveError
        The disk is full or the place cannot be written.
    """
    if is_remote(target):
        with remote_errors(f"cannot write {str(target)!r}"):
            file_system(target).pipe_file(str(target), bytes(content))
        return
    with finished_or_absent(target) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def whole_or_unchanged(target: Path) -> Iterator[Path]:
    """A file to write what the user asked for, which takes the place of `target` when it is whole.

    A link stays a link; what is no regular file (a device, a pipe) is written itself.
    """
    real = target.resolve()
    is_special = target.exists() and not target.is_file()
    temporary = target if is_special else real.with_name(f".{real.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        if not is_special:
            _replace(temporary, real)
    except OSError as error:
        if error.filename is not None or error.errno in _FULL:
            error.filename = str(target)
        raise
    finally:
        if not is_special:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_damage(found: int | None, size: int) -> str | None:
    """In which way a file of `found` bytes, None where there is none, is not one of `size`."""
    if found is None:
        return "the part is missing"
    return None if found == size else f"the file has {count_text(found, 'byte')} instead of {size}"


def file_damage(path: Path, size: int, sha256: str) -> str | None:
    """In which way a file is not as it was written, in words; None where it is.

    Raises
    ------
    ArchiveError
        It cannot be read, so that this cannot be told.
    """
    is_there = is_file(path)
    try:
        with read_errors(path):
            damage = size_damage(path.stat().st_size if is_there else None, size)
            if damage:
                return damage
            is_same = file_sha256(path) == sha256
    except FileNotFoundError:  # gone in this moment
        return size_damage(None, size)
    return None if is_same else "the SHA-256 differs from the manifest's"


@contextlib.contextmanager
def locked(folder: Path, *, run: str | None = None, what: str | None = None) -> Iterator[None]:
    """Hold the lock of a folder, which must exist unless it is remote.

    Parameters
    ----------
    run : the run whose folder it is or lies in, for the message; by default of that name.
    what : what is written there, for the message; by default the run.

    Raises
    ------
    ArchiveError
        Another process holds it; it is named.
    """
    run = run or folder.name
    what = what or f"run {run!r}"
    with _remote_lock(folder, run, what) if is_remote(folder) else _local_lock(folder, what):
        yield


@contextlib.contextmanager
def _local_lock(folder: Path, what: str) -> Iterator[None]:
    lock = filelock.FileLock(folder / LOCK)
    holder = folder / HOLDER
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise ArchiveError(
            f"{what} is being written{_holder(holder)}: wait for it, or name another --run"
        ) from None
    except OSError as error:
        raise ArchiveError(f"cannot write to {str(folder)!r}: {error.strerror or error}") from error
    try:
        with contextlib.suppress(OSError):
            holder.write_bytes(_own_mark())
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()


@contextlib.contextmanager
def _remote_lock(folder: Path, run: str, what: str) -> Iterator[None]:
    lock = folder / LOCK
    mark = _own_mark()
    try:
        with remote_errors(f"cannot write to {str(folder)!r}"):
            file_system(folder).pipe_file(str(lock), mark, mode="create")
    except FileExistsError:
        raise ArchiveError(
            f"{what} is being written{_holder(lock)}: wait for it; if that process is gone, "
            f"'skatsim runs unlock {run}' frees it"
        ) from None
    try:
        yield
    except SkatSimError as error:
        try:
            _remove_lock(lock, mark)
        except ArchiveError:  # what went wrong first is what is told
            raise ArchiveError(
                f"{error}; the lock {str(lock)!r} stays, too: 'skatsim runs unlock {run}' frees "
                "it, and finished parts are kept"
            ) from error
        raise
    except BaseException:
        with contextlib.suppress(ArchiveError):
            _remove_lock(lock, mark)
        raise
    else:
        try:
            _remove_lock(lock, mark)
        except ArchiveError as error:
            raise ArchiveError(
                f"{error}: all else is done, and 'skatsim runs unlock {run}' frees it"
            ) from error


def _remove_lock(lock: Path, mark: bytes) -> None:
    with remote_errors(f"cannot remove {str(lock)!r}"), contextlib.suppress(FileNotFoundError):
        if lock.read_bytes() == mark:  # it may have been unlocked and taken by another
            lock.unlink()


def _own_mark() -> bytes:
    """Who writes here, as the text of a lock."""
    mark = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": now(),
        "token": uuid.uuid4().hex,
    }
    return json.dumps(mark).encode()


def _holder(mark: Path) -> str:
    """Who wrote a mark, in words; empty where it cannot be read."""
    try:
        content = json.loads(read_bytes(mark))
        return f" by process {content['pid']} on {content['host']} since {content['since']}"
    except (ArchiveError, OSError, ValueError, KeyError, TypeError):
        return ""


def holder_of(folder: Path) -> str | None:
    """Who writes in a folder, in words that may be empty; None where nobody does.

    Of a remote folder it may be a process that is gone.
    """
    if is_remote(folder):
        return _holder(folder / LOCK) if is_locked(folder) else None
    if not (folder / HOLDER).is_file():
        return None
    lock = filelock.FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return _holder(folder / HOLDER)
    except OSError:  # it cannot be written, so nobody does
        return None
    lock.release()  # the mark is of a process that was killed
    return None


def is_locked(folder: Path) -> bool:
    """Whether the lock of a remote folder is held, perhaps by a process that is gone."""
    if not is_remote(folder):
        return False
    return is_file(folder / LOCK)


def unlock(folder: Path) -> str:
    """Remove the lock of a remote folder, whose holder is gone; returns who held it.

    Raises
    ------
    ArchiveError
        The folder is of this machine, or not locked.
    """
    if not is_remote(folder):
        raise ArchiveError(
            f"{str(folder)!r} is a folder: its lock is free when the process that holds it ends"
        )
    with remote_errors(f"cannot unlock {str(folder)!r}"):
        lock = folder / LOCK
        if not is_locked(folder):
            raise ArchiveError(f"{str(folder)!r} is not locked")
        who = _holder(lock)
        lock.unlink()
        return who.strip()
