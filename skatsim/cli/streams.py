"""What is printed while code of others runs."""

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["shielded", "shielded_stdout"]

T = TypeVar("T")

STDOUT, STDERR = 1, 2


@contextlib.contextmanager
def shielded_stdout() -> Iterator[None]:
    """Send what policies and clusters print meanwhile to stderr: stdout has the answer alone.

    That holds for Python's stream and for the file below it, to which compiled code and other
    processes write; closing either harms nobody.
    """
    try:
        kept, other = os.dup(STDOUT), os.dup(STDERR)
    except OSError:  # one is closed: nothing can be mixed up
        yield
        return
    sys.stdout.flush()
    stream = io.TextIOWrapper(
        io.FileIO(other, "w"),
        write_through=True,
        errors="backslashreplace",
    )
    os.dup2(STDERR, STDOUT)
    try:
        with contextlib.redirect_stdout(stream):
            yield
    finally:
        os.dup2(kept, STDOUT)
        os.close(kept)
        with contextlib.suppress(OSError, ValueError):
            stream.close()


def shielded(items: Iterable[T]) -> Iterator[T]:
    """The items, each fetched under `shielded_stdout`."""
    iterator = iter(items)
    while True:
        with shielded_stdout():
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item
