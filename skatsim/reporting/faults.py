"""What DuckDB says where it fails, in one line: of files behind a URL it passes on a traceback."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import duckdb

from skatsim.archive import Run
from skatsim.errors import ArchiveError
from skatsim.location import file_system, is_remote, read_errors

__all__ = ["first_line", "is_of_reading", "reading_fault"]

READ_ERRORS: Final = (duckdb.IOException, duckdb.InvalidInputException)
"""What DuckDB raises where a part is not there or damaged, and now and then otherwise."""

TRACEBACK: Final = "Traceback (most recent call last)"

PROBE_BYTES: Final = 4096
"""What is read of each file to find the one that cannot be."""


def first_line(error: Exception) -> str:
    """What DuckDB says; of an error in Python that it met on the way, what that says."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    if _is_of_python(error):
        frames = [number for number, line in enumerate(lines) if line.lstrip().startswith("File ")]
        after = lines[frames[-1] + 1 :] if frames else lines[1:]
        told = [line.strip() for line in after if not line[0].isspace()]  # not the source
        if told:
            return re.sub(r"^[\w.]+: (?=\S)", "", told[0])
    return lines[0].strip() if lines else type(error).__name__


def is_of_reading(error: Exception) -> bool:
    """Whether it may be that a part is not there, damaged, or cannot be read."""
    return isinstance(error, READ_ERRORS) or _is_of_python(error)


def _is_of_python(error: Exception) -> bool:
    """Whether it is an error of fsspec: only its traceback tells."""
    return TRACEBACK in str(error)


def reading_fault(error: Exception, runs: Sequence[Run], names: Sequence[str]) -> str:
    """What could not be read, why, and what helps.

    Parameters
    ----------
    error : what DuckDB raised (`is_of_reading`).
    runs, names : the runs that were read, and their files.
    """
    text = first_line(error)
    if not _is_of_python(error):
        return f"{text}: run 'skatsim verify'"
    places = [
        run.folder / name.removeprefix(f"{run.folder}/")
        for run in runs
        if is_remote(run.folder)
        for name in names
        if name.startswith(f"{run.folder}/")
    ]
    with ThreadPoolExecutor(max_workers=16) as pool:
        found = next(filter(None, pool.map(_fault_now, places)), None)
        pool.shutdown(cancel_futures=True)
    return found or f"{text}: try again"


def _fault_now(path: Path) -> str | None:
    """Why a remote file cannot be read; DuckDB does not tell which one it was.

    None where it can, as when a fault of the server has passed.
    """
    system = file_system(path)
    name = system._strip_protocol(str(path))
    try:
        with read_errors(path), system.open(name, "rb", cache_type="none") as file:
            file.read(PROBE_BYTES)
    except FileNotFoundError:
        return f"{str(path)!r}: there is no such file: run 'skatsim verify'"
    except ArchiveError as error:
        return str(error).removeprefix("cannot read ")
    return None
