"""Where an archive lies: a folder of this machine, or a place that fsspec reaches by its URL.

A remote place is a `upath.UPath`, which has the methods of `pathlib.Path`; so the archive is
written once, for both. What differs stands here and in `skatsim.durable`.
"""

import contextlib
import fnmatch
import os
import re
import shutil
import stat
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final, cast

from skatsim.errors import ArchiveError

__all__ = [
    "error_text",
    "file_names",
    "file_sizes",
    "file_system",
    "folder_names",
    "is_file",
    "is_remote",
    "locate",
    "make_folder",
    "read_bytes",
    "read_errors",
    "reading_remedy",
    "remote_errors",
    "remove_file",
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
        raise ArchiveError(f"{what}: {error_text(error)}") from error


def error_text(error: Exception) -> str:
    """What went wrong, in one line and without the path that the message names already."""
    told = (isinstance(error, OSError) and error.strerror) or str(error)
    return (told.strip().splitlines() or [""])[0] or type(error).__name__


def reading_remedy(error: Exception, path: Path) -> str:
    """What helps where a file cannot be read, its content being as good as it was; may be empty."""
    if isinstance(error, PermissionError):
        return ": ask for the right to read it"
    return ": try again" if is_remote(path) else ""


@contextlib.contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Name in one line why a place cannot be read; ``FileNotFoundError`` passes as it is."""
    try:
        yield
    except (ArchiveError, FileNotFoundError):
        raise
    except Exception as error:
        if not (is_remote(path) or isinstance(error, OSError)):
            raise
        raise ArchiveError(
            f"cannot read {str(path)!r}: {error_text(error)}{reading_remedy(error, path)}"
        ) from error


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises
    ------
    FileNotFoundError
        There is none.
    ArchiveError
        It cannot be read, which says nothing on what is in it.
    """
    with read_errors(path):
        return path.read_bytes()


def is_file(path: Path) -> bool:
    """Whether there is a file; where that cannot be told, the methods of paths may say no.

    Raises
    ------
    ArchiveError
        It cannot be told.
    """
    try:
        with read_errors(path):
            if is_remote(path):
                system = file_system(path)
                return bool(system.info(system._strip_protocol(str(path)))["type"] == "file")
            try:
                return stat.S_ISREG(path.stat().st_mode)
            except NotADirectoryError:
                return False
    except FileNotFoundError:
        return False


def file_names(folder: Path, pattern: str = "*") -> list[str]:
    """The names of the files of a folder that match a pattern; none where there is no folder.

    Raises
    ------
    ArchiveError
        The folder cannot be listed.
    """
    return [
        name
        for name, is_folder in _listing(folder).items()
        if not is_folder and fnmatch.fnmatchcase(name, pattern)
    ]


def folder_names(folder: Path) -> list[str]:
    """The names of the folders in a folder; see `file_names`."""
    return [name for name, is_folder in _listing(folder).items() if is_folder]


def _listing(folder: Path) -> dict[str, bool]:
    """The names in a folder, in order, and whether each is a folder."""
    try:
        with read_errors(folder):
            if not is_remote(folder):
                with os.scandir(folder) as entries:
                    found = {each.name: _is_folder(each) for each in entries}
                return dict(sorted(found.items()))
            system = file_system(folder)
            own = system._strip_protocol(str(folder)).rstrip("/")
            listed = {
                each["name"].rstrip("/"): each["type"] == "directory"
                for each in system.ls(own, detail=True)
            }
    except FileNotFoundError:
        return {}
    listed.pop(own, None)  # some stores list a mark of the folder itself
    return {name.rpartition("/")[2]: listed[name] for name in sorted(listed)}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to where we may not look
        return False


def remove_file(path: Path) -> None:
    """Delete a file, if there is one.

    Raises
    ------
    ArchiveError
        It cannot be deleted.
    """
    try:
        path.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except Exception as error:
        if not (is_remote(path) or isinstance(error, OSError)):
            raise
        raise ArchiveError(f"cannot remove {str(path)!r}: {error_text(error)}") from error


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
    failed = f"cannot remove {str(folder)!r}"
    with remote_errors(failed), contextlib.suppress(FileNotFoundError):
        file_system(folder).rm(file_system(folder)._strip_protocol(str(folder)), recursive=True)
