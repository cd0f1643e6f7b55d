"""Where an archive lies: a folder of this machine, or a place that fsspec reaches by its URL.

A remote place is a `upath.UPath`, which has the methods of `pathlib.Path`; so the archive is
written once, for both. What differs stands here and in `skatsim.durable`.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final, cast

from skatsim.errors import ArchiveError

__all__ = [
    "file_sizes",
    "file_system",
    "is_remote",
    "locate",
    "make_folder",
    "remote_errors",
    "remove_tree",
]


_BUCKETS: Final = ("s3", "s3a", "gs", "gcs")
"""Stores that would take the name of a run for their bucket."""

_ONE_SLASH: Final = re.compile(r"[a-z][a-z0-9+]+:/", re.IGNORECASE)
"""A slip that would make a folder of this name; ``C:/`` is none."""


def locate(place: str | os.PathLike[str]) -> Path:
    """The folder of this name, ``~`` expanded, or the place of this URL.

    Raises
    ------
    ArchiveError
        It is empty, or a URL that names no place, or what reads it is not installed or does not
        know it.
    """
    text = str(place)
    if not text.strip():
        raise ArchiveError("the archive has no name: give a folder or a URL")
    scheme, mark, rest = text.partition("://")
    if not mark:
        if _ONE_SLASH.match(text):
            raise ArchiveError(f"{text!r} is neither a folder nor a URL, which has :// in it")
        return Path(text).expanduser()
    if not rest.strip("/ ") or (scheme.rpartition(":")[2] in _BUCKETS and rest.startswith("/")):
        raise ArchiveError(f"{text!r} names no place: give more, like s3://bucket/games")
    if scheme == "file":
        return Path(rest)
    try:
        from upath import UPath
    except ImportError:
        raise ArchiveError(
            f"cannot open {text!r}: install the extra 'remote': pip install 'skatsim[remote]'"
        ) from None
    with remote_errors(f"cannot open {text!r}"):
        remote = UPath(text, use_listings_cache=False)  # others write there too
        assert remote.fs is not None  # it loads what reads there, like s3fs
        return cast(Path, remote)


def is_remote(path: Path) -> bool:
    """Whether a path is no place in the file system of this machine."""
    return not isinstance(path, Path)


def file_system(path: Path) -> Any:
    """What fsspec reads and writes a remote path with."""
    return cast(Any, path).fs


@contextlib.contextmanager
def remote_errors(what: str) -> Iterator[None]:
    """Name in one line what went wrong in a library that speaks to a server.

    Their errors have no class in common. ``FileExistsError`` and ours pass as they are.
    """
    try:
        yield
    except (ArchiveError, FileExistsError):
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or [""])[0] or type(error).__name__
        raise ArchiveError(f"{what}: {reason}") from error


def make_folder(folder: Path, *, failed: str = "cannot write to") -> None:
    """Make a folder and those above it; object stores have none.

    `failed` begins the message of the error.

    Raises
    ------
    ArchiveError
        It cannot be made.
    """
    if is_remote(folder):
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveError(f"{failed} {str(folder)!r}: {error.strerror or error}") from error


def file_sizes(folder: Path, names: Container[str]) -> dict[str, int | None]:
    """The bytes of those files of a folder that are named, by one listing; None where unknown.

    Raises
    ------
    ArchiveError
        The folder cannot be listed.
    """
    failed = f"cannot list {str(folder)!r}"
    sizes: dict[str, int | None] = {}
    if is_remote(folder):
        system = file_system(folder)
        with remote_errors(failed):
            for entry in system.ls(system._strip_protocol(str(folder)), detail=True):
                name = entry["name"].rpartition("/")[2]
                if entry["type"] == "file" and name in names:
                    sizes[name] = entry.get("size")
        return sizes
    try:
        with os.scandir(folder) as entries:
            for file in entries:
                if file.name in names and file.is_file():
                    with contextlib.suppress(FileNotFoundError):  # gone since it was listed
                        sizes[file.name] = file.stat().st_size
    except OSError as error:
        raise ArchiveError(f"{failed}: {error.strerror or error}") from error
    return sizes


def remove_tree(folder: Path) -> None:
    """Delete a folder with all that is in it, as far as that can be done."""
    if not is_remote(folder):
        shutil.rmtree(folder, ignore_errors=True)
        return
    with contextlib.suppress(FileNotFoundError):
        file_system(folder).rm(file_system(folder)._strip_protocol(str(folder)), recursive=True)
