"""What a policy is: a name, a version, parameters with values, and what plays it."""

import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal

from skatsim.errors import PolicyError
from skatsim.kernels.engine import POLICY_EXTERNAL

__all__ = [
    "DECISIONS",
    "BadAnswer",
    "Parameter",
    "Policy",
    "Way",
    "raised_text",
    "reraise_interrupt",
]

DECISIONS: Final = ("bidding", "declaring", "play", "kontra")
"""What can be given to different policies; ``kontra`` is all that house rules ask."""


class BadAnswer(Exception):  # noqa: N818 (no error of skatsim's: a fault of the policy)
    """A policy gave no answer, or one that is no action at all; says what."""


SAID_LENGTH: Final = 200
"""So much is told of what an exception of others says."""


def raised_text(error: BaseException) -> str:
    """What code of others raised, in one line that can be printed: its type and what it says."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # its own text raises
        said = ""
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in said)
    if len(printable) > SAID_LENGTH:
        printable = f"{printable[: SAID_LENGTH - 3]}..."
    return f"{type(error).__name__}: {printable}" if printable else type(error).__name__


def reraise_interrupt(error: BaseException) -> None:
    """Raise the Ctrl-C of who runs the program again; all else is a fault of the code that ran.

    Where a signal raises nothing, as in threads and under handlers of others, a
    `KeyboardInterrupt` comes from nowhere but that code; so do `SystemExit` and `GeneratorExit`.
    """
    if (
        isinstance(error, KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):
        raise error


Way = Literal["built-in", "compiled", "batch", "plain", "command"]
"""How a policy is plugged in: code number of an own kernel; a function that is compiled; an object
that is asked for many tables at once; one that is asked for one; a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number that a policy goes by."""

    name: str
    default: float
    description: str
    least: float = float("-inf")
    greatest: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A player, described: what it is called, what it goes by, which code plays it.

    Parameters
    ----------
    name : what it is found by.
    version : rises only when the policy would play some deal differently.
    description : one line.
    parameters : the numbers it goes by, in the order the code reads them.
    values : those of `parameters`; the defaults where left out.
    code : number of the compiled policy (see `skatsim.kernels.engine`).
    decisions : those of `DECISIONS` that it takes.
    way : how it is plugged in.
    player : what plays it: a function (compiled), a class (batch, plain), words (command).
    reference : the text that finds it in another process, where its name does not.
    source_sha256 : hash of its source, where that is a file.

    Examples
    --------
    >>> from skatsim.policies import find_policy
    >>> policy = find_policy("heuristic:risk=0.6")
    >>> policy.text, policy.value("risk")
    ('heuristic:risk=0.6', 0.6)
    """

    name: str
    version: int
    description: str
    code: int = POLICY_EXTERNAL
    parameters: tuple[Parameter, ...] = ()
    values: tuple[float, ...] = field(default=())
    decisions: tuple[str, ...] = DECISIONS
    way: Way = "built-in"
    player: Any = None
    reference: str = ""
    source_sha256: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            defaults = tuple(parameter.default for parameter in self.parameters)
            object.__setattr__(self, "values", defaults)
        if len(self.values) != len(self.parameters):
            raise PolicyError(
                f"policy {self.name!r} has {len(self.parameters)} parameters: "
                f"{len(self.values)} values given"
            )
        for parameter, value in zip(self.parameters, self.values, strict=True):
            if not parameter.least <= value <= parameter.greatest:  # also refuses nan
                raise PolicyError(
                    f"parameter {parameter.name!r} of policy {self.name!r} cannot be {value!r}: "
                    f"give {parameter.least:g} to {parameter.greatest:g}"
                )

    @property
    def text(self) -> str:
        """The name with the values that differ from the defaults: ``heuristic:risk=0.6``."""
        return f"{self.name}{self._changed}"

    @property
    def _changed(self) -> str:
        changed = [
            f"{parameter.name}={repr(value).removesuffix('.0')}"
            for parameter, value in zip(self.parameters, self.values, strict=True)
            if value != parameter.default
        ]
        return f":{','.join(changed)}" if changed else ""

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Another process finds it by its reference, and refuses it if it has changed since."""
        if self.reference:
            from skatsim.policies.registry import find_again

            return find_again, (f"{self.reference}{self._changed}", self.name, self.source_sha256)
        return _remake, tuple(getattr(self, entry.name) for entry in fields(self))

    def value(self, name: str) -> float:
        """The value of the parameter called `name`.

        Raises
        ------
        PolicyError : the policy has no such parameter.
        """
        return self.values[self._index(name)]

    def with_values(self, values: Mapping[str, float]) -> "Policy":
        """A copy of this policy with other values for the parameters named.

        Raises
        ------
        PolicyError : the policy has no such parameter, or it cannot take the value.
        """
        changed = list(self.values)
        for name, value in values.items():
            changed[self._index(name)] = float(value)
        return replace(self, values=tuple(changed))

    def _index(self, name: str) -> int:
        for index, parameter in enumerate(self.parameters):
            if parameter.name == name:
                return index
        known = ", ".join(parameter.name for parameter in self.parameters) or "none"
        raise PolicyError(f"policy {self.name!r} has no parameter {name!r}: it has {known}")


def _remake(*values: Any) -> Policy:
    names = (entry.name for entry in fields(Policy))
    return Policy(**dict(zip(names, values, strict=True)))
