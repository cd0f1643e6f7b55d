"""Policies made from what others write: a function that is compiled, or a class with methods.

A class answers with one method for each question (`skatsim.view.QUESTIONS`): ``bid``, ``pick_up``
and ``declare``, ``play``, and what house rules ask. It takes those decisions for which it has a
method; ``is_batch = True`` says that its methods take `skatsim.view.Waiting` and return an array.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, overload

from skatsim.errors import PolicyError
from skatsim.kernels.plugin import POLICY_PLUGIN, compile_plugin
from skatsim.kernels.table import PARAMETER_COUNT
from skatsim.policies.base import DECISIONS, Parameter, Policy
from skatsim.view import QUESTIONS

__all__ = ["as_policy", "compiled_policy", "file_sha256", "plugin_address"]

_METHODS: Final = {
    "bidding": ("bid",),
    "declaring": ("declare",),
    "play": ("play",),
    "kontra": ("kontra", "schenken", "accept", "resort"),
}
"""The methods of which a class must have one, to take a decision. What is asked before a Ramsch
(``grand_hand look push knock``) belongs to declaring, and is answered with no without a method."""


@functools.cache
def plugin_address(function: Callable[..., int]) -> int:
    """The address of a function's machine code in this process; compiled when first asked."""
    try:
        return compile_plugin(function)
    except TypeError as error:
        raise PolicyError(f"compiled policy {function.__name__!r} {error}") from error


@overload
def compiled_policy(function: Callable[..., int], /) -> Policy: ...


@overload
def compiled_policy(
    *,
    name: str | None = None,
    version: int = 1,
    parameters: Mapping[str, float] | None = None,
    decisions: tuple[str, ...] = DECISIONS,
) -> Callable[[Callable[..., int]], Policy]: ...


def compiled_policy(
    function: Callable[..., int] | None = None,
    /,
    *,
    name: str | None = None,
    version: int = 1,
    parameters: Mapping[str, float] | None = None,
    decisions: tuple[str, ...] = DECISIONS,
) -> Any:
    """Make a policy of a function that numba compiles: the way that plays a million hands a second.

    The function takes ``(rules, player, public, hand_mask, skat_mask, legal_mask, word)`` and
    returns the action as a whole number, on every path; `skatsim.kernels.table` says what the
    actions and the fields of ``public`` are, ``public["phase"]`` what is asked. The masks and the
    word are those of `skatsim.view.Waiting`; ``player["parameters"]`` holds the parameters in the
    order named.

    Parameters
    ----------
    name : what it is called, by default the function's name.
    version : to be raised when it would play some deal differently.
    parameters : names with defaults.
    decisions : those it takes, of ``bidding declaring play kontra``.

    Raises
    ------
    PolicyError
        The function takes other arguments, does not compile, or returns anything else.
    """

    def decorate(function: Callable[..., int]) -> Policy:
        plugin_address(function)
        return Policy(
            name=name or function.__name__,
            version=version,
            description=_first_line(function),
            code=POLICY_PLUGIN,
            parameters=_numbers(name or function.__name__, parameters or {}),
            decisions=_known_decisions(name or function.__name__, decisions),
            way="compiled",
            player=function,
        )

    return decorate if function is None else decorate(function)


def as_policy(thing: Any, *, name: str | None = None, reference: str = "") -> Policy:
    """The policy that an object found in a file or by an entry point stands for.

    Parameters
    ----------
    thing : a `Policy`, or a class with a method for each question it answers.
    name : what it is called; by default the policy's own name.
    reference : the text that finds it in another process.

    Raises
    ------
    PolicyError
        It is neither, or cannot be made without arguments.
    """
    if isinstance(thing, Policy):
        return replace(thing, name=name or thing.name, reference=reference or thing.reference)
    name = str(name or getattr(thing, "name", "") or getattr(thing, "__name__", repr(thing)))
    if not inspect.isclass(thing):
        raise PolicyError(
            f"policy {name!r} is {type(thing).__name__}: give a class, or a function with "
            "@skatsim.compiled_policy"
        )
    for question in QUESTIONS:
        if inspect.iscoroutinefunction(getattr(thing, question, None)):
            raise PolicyError(f"method {question!r} of policy {name!r} is async: write it plain")
    decisions = tuple(
        decision
        for decision in DECISIONS
        if any(callable(getattr(thing, method, None)) for method in _METHODS[decision])
    )
    if not decisions:
        raise PolicyError(f"policy {name!r} answers nothing: give it a method bid, declare or play")
    version = getattr(thing, "version", 1)
    if not isinstance(version, int):
        raise PolicyError(f"the version of policy {name!r} cannot be {version!r}: a whole number")
    return Policy(
        name=name,
        version=version,
        description=_first_line(thing),
        parameters=_numbers(name, _arguments(name, thing)),
        decisions=decisions,
        way="batch" if getattr(thing, "is_batch", False) else "plain",
        player=thing,
        reference=reference,
    )


def file_sha256(path: Path) -> str:
    """The hash of a file's content, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _arguments(name: str, kind: type) -> dict[str, float]:
    if kind.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    found: dict[str, float] = {}
    for argument in list(inspect.signature(kind).parameters.values()):
        if not isinstance(argument.default, int | float):
            raise PolicyError(
                f"policy {name!r} cannot be made: {argument.name!r} needs a number as default"
            )
        found[argument.name] = argument.default
    return found


def _numbers(name: str, defaults: Mapping[str, float]) -> tuple[Parameter, ...]:
    if len(defaults) > PARAMETER_COUNT:
        raise PolicyError(f"policy {name!r} has {len(defaults)} parameters: {PARAMETER_COUNT} fit")
    return tuple(
        Parameter(name=key, default=float(value), description="") for key, value in defaults.items()
    )


def _known_decisions(name: str, decisions: tuple[str, ...]) -> tuple[str, ...]:
    for decision in decisions:
        if decision not in DECISIONS:
            raise PolicyError(
                f"policy {name!r} cannot take {decision!r}: there are {', '.join(DECISIONS)}"
            )
    return tuple(decisions)


def _first_line(thing: Any) -> str:
    lines = (inspect.getdoc(thing) or "").splitlines()
    return lines[0].rstrip(".") if lines else ""
