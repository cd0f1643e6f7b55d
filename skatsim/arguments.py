"""What public functions ask of their arguments: the right kind, said in one line where it is not.

A wrong kind is a `TypeError`, a value that cannot be a `RuleError`; both name the argument, what
it is, and what is wanted. NumPy's numbers are taken as Python's.
"""

import math
import operator
import os
import reprlib
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np

from skatsim.errors import RuleError

__all__ = [
    "GREATEST",
    "MOST_JOBS",
    "check_flag",
    "check_jobs",
    "check_kind",
    "check_number",
    "check_path",
    "check_seed",
    "check_text",
    "check_texts",
    "check_whole",
    "check_word",
    "items_of",
]

Word = TypeVar("Word", bound=str)

GREATEST: Final = 2**63 - 1
"""Of the whole numbers that kernels take."""

MOST_JOBS: Final = 4_096


def _shown(value: object) -> str:
    """A value in one short line."""
    return " ".join(reprlib.repr(value).split())


def _wrong(value: object, name: str, wanted: str) -> TypeError:
    return TypeError(f"{name} {_shown(value)} ({type(value).__name__}): {wanted} is needed")


def check_whole(value: Any, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """A whole number within bounds, as Python's int.

    Raises
    ------
    TypeError
        It is no whole number; a bool is none either.
    RuleError
        It lies outside the bounds.

    Examples
    --------
    >>> check_whole(np.int64(3), "deals")
    3
    """
    if type(value) is not int:
        if isinstance(value, bool):
            raise _wrong(value, name, "a whole number")
        try:
            value = operator.index(value)
        except TypeError:
            raise _wrong(value, name, "a whole number") from None
    if (least is not None and value < least) or (most is not None and value > most):
        if most is None:
            wanted = f"{least:,} or more"
        elif least is None:
            wanted = f"{most:,} or less"
        else:
            wanted = f"{least:,} to {most:,}"
        raise RuleError(f"{name} {_shown(value)}: {wanted}")
    return int(value)


def check_seed(value: Any, name: str = "seed") -> int:
    """A seed, or the number of a game of one."""
    return check_whole(value, name, least=0, most=GREATEST)


def check_jobs(value: Any) -> int | None:
    """A number of workers; None leaves it open."""
    return None if value is None else check_whole(value, "n_jobs", least=1, most=MOST_JOBS)


def check_number(value: Any, name: str) -> float:
    """A finite number, as Python's float."""
    if isinstance(value, bool | str | bytes):
        raise _wrong(value, name, "a number")
    try:
        found = float(value)
    except TypeError:
        raise _wrong(value, name, "a number") from None
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise RuleError(f"{name} {_shown(value)} is not finite")
    return found


def check_flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise _wrong(value, name, "True or False")
    return bool(value)


def check_text(value: Any, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise _wrong(value, name, "a text")
    return value


def check_texts(values: Any, name: str) -> tuple[str, ...]:
    """Several texts; a single one is none, since it would be taken letter by letter."""
    if isinstance(values, str):
        raise _wrong(values, name, "a list of texts")
    return items_of(values, name, str, "a list of texts")


def check_path(value: Any, name: str) -> None:
    """Refuse what names no file or folder; paths of a remote archive are none of the system's."""
    if not isinstance(value, str | os.PathLike) and not hasattr(value, "joinpath"):
        raise _wrong(value, name, "a path")
    if not str(value).strip():
        raise RuleError(f"{name} {_shown(value)}: no file or folder is named")


def check_kind(value: Any, name: str, kind: type | tuple[type, ...], wanted: str) -> None:
    """Refuse a value of another kind; `wanted` says in words what is needed."""
    if not isinstance(value, kind):
        raise _wrong(value, name, wanted)


def check_word(value: Any, name: str, words: Sequence[Word]) -> Word:
    """One of some words."""
    if not isinstance(value, str):
        raise _wrong(value, name, f"one of {', '.join(words)}")
    if value not in words:
        raise RuleError(f"{name} {_shown(value)} is none of {', '.join(words)}")
    return words[words.index(value)]


def items_of(values: Any, name: str, kind: type | tuple[type, ...], wanted: str) -> tuple[Any, ...]:
    """The items of a list, all of a kind."""
    try:
        found = tuple(values)
    except TypeError:
        raise _wrong(values, name, wanted) from None
    for place, item in enumerate(found):
        check_kind(item, f"{name}[{place}]", kind, wanted)
    return found
