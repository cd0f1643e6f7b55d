"""Policies found by text.

``uniform`` a built-in one, or one that an installed package offers under the entry point
`ENTRY_POINTS`; ``./mine.py:MyPolicy`` one in a file; ``cmd:./mybot --fast`` a program. Parameters
follow a colon: ``heuristic:risk=0.6``, ``./mine.py:MyPolicy:depth=3``.
"""

import functools
import importlib.util
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

from skatsim.errors import PolicyError
from skatsim.policies.base import Policy, raised_text, reraise_interrupt
from skatsim.policies.counts import COUNTS
from skatsim.policies.heuristic import HEURISTIC
from skatsim.policies.plugin import as_policy, file_sha256
from skatsim.policies.uniform import UNIFORM

__all__ = ["ENTRY_POINTS", "Listing", "find_again", "find_policy", "list_policies", "policies"]

ENTRY_POINTS: Final = "skatsim.policies"
"""The group of entry points by which installed packages offer policies."""

COMMAND: Final = "cmd:"

_FILE: Final = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)(?::(?P<settings>.*))?", re.DOTALL)

_BUILT_IN = (UNIFORM, HEURISTIC, *COUNTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A policy that has a name: where it comes from, and what is wrong if it cannot be used."""

    name: str
    source: str
    policy: Policy | None
    problem: str = ""


def policies() -> tuple[Policy, ...]:
    """All policies that are found by name and work, with their defaults."""
    return tuple(listing.policy for listing in list_policies() if listing.policy is not None)


def list_policies() -> Iterator[Listing]:
    """All policies that have a name; of those that cannot be loaded, the reason."""
    for policy in _BUILT_IN:
        yield Listing(name=policy.name, source="skatsim", policy=policy)
    for name, entries in sorted(_offered().items()):
        for entry in entries:
            source = _source(entry)
            try:
                policy = _loaded_entry(name, entries)
            except PolicyError as error:
                yield Listing(name=name, source=source, policy=None, problem=str(error))
            else:
                yield Listing(name=name, source=source, policy=policy)


def find_policy(text: str) -> Policy:
    """The policy that a text names, with the parameters it gives: ``name:key=value,key=value``.

    Raises
    ------
    PolicyError : no such policy or parameter, a value that it cannot take, or one that does not
        load.
    """
    text = text.strip()
    if text.startswith(COMMAND):
        return _command(text)
    in_file = _FILE.fullmatch(text)
    if in_file:
        policy = _from_file(Path(in_file["file"]), in_file["name"])
        settings = in_file["settings"]
        return policy if settings is None else _with_settings(policy, settings, text)
    name, colon, settings = text.partition(":")
    policy = _named(name.strip(), text)
    return _with_settings(policy, settings, text) if colon else policy


def find_again(text: str, name: str, source_sha256: str) -> Policy:
    """The policy that another process found by this text.

    Raises
    ------
    PolicyError : it is not the same any more.
    """
    policy = find_policy(text)
    if policy.source_sha256 != source_sha256:
        raise PolicyError(f"policy {name!r} was changed while it was playing")
    return policy


def _named(name: str, text: str) -> Policy:
    for policy in _BUILT_IN:
        if policy.name == name:
            return policy
    offered = _offered()
    if name in offered:
        return _loaded_entry(name, offered[name])
    available = ", ".join(dict.fromkeys([*(policy.name for policy in _BUILT_IN), *sorted(offered)]))
    raise PolicyError(
        f"no policy {text!r}: available are {available}, ./FILE.py:NAME and cmd:PROGRAM"
    )


def _offered() -> dict[str, list[EntryPoint]]:
    """What installed packages offer, by name: more than one where several offer the same name."""
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry.name, {})[_source(entry), entry.value] = entry
    return {name: list(entries.values()) for name, entries in found.items()}


def _source(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


def _loaded_entry(name: str, entries: list[EntryPoint]) -> Policy:
    if any(policy.name == name for policy in _BUILT_IN):
        raise PolicyError(f"policy {name!r} is hidden by skatsim's own: offer it by another name")
    if len(entries) > 1:
        packages = " and ".join(sorted({_source(entry) for entry in entries}))
        raise PolicyError(f"policy {name!r} is offered more than once, by {packages}: keep one")
    return _load(entries[0])


def _with_settings(policy: Policy, settings: str, text: str) -> Policy:
    values: dict[str, float] = {}
    for setting in settings.split(","):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key:
            raise PolicyError(
                f"cannot read {setting!r} in policy {text!r}: write parameters like "
                f"'{policy.name}:key=value,key=value'"
            )
        if key in values:
            raise PolicyError(f"parameter {key!r} is given twice in policy {text!r}")
        try:
            values[key] = float(value)
        except ValueError:
            raise PolicyError(
                f"parameter {key!r} in policy {text!r} cannot be {value!r}: give a number"
            ) from None
    return policy.with_values(values)


def _loaded(what: str, load: Callable[[], Policy]) -> Policy:
    """What `load` returns; whatever goes wrong in code of others is a `PolicyError`."""
    try:
        return load()
    except PolicyError:
        raise
    except BaseException as error:
        reraise_interrupt(error)
        raise PolicyError(f"policy {what!r} cannot be loaded: {raised_text(error)}") from error


@functools.cache
def _load(entry: EntryPoint) -> Policy:
    return _loaded(
        entry.name, lambda: as_policy(entry.load(), name=entry.name, reference=entry.name)
    )


def _from_file(path: Path, name: str) -> Policy:
    if not path.is_file():
        raise PolicyError(f"no policy {f'{path}:{name}'!r}: {str(path)!r} is no file")
    path = path.resolve()
    return _from_source(path, name, file_sha256(path))


@functools.cache
def _from_source(path: Path, name: str, source_sha256: str) -> Policy:
    title = f"{path.name}:{name}"

    def load() -> Policy:
        module = _module(path, source_sha256)
        if not hasattr(module, name):
            raise PolicyError(f"no policy {title!r}: {str(path)!r} has no {name!r}")
        return as_policy(getattr(module, name), name=title, reference=f"{path}:{name}")

    return replace(_loaded(title, load), source_sha256=source_sha256)


@functools.cache
def _module(path: Path, source_sha256: str) -> Any:
    """A file run as a module of its own, once for each content; its folder can be imported from."""
    name = f"skatsim_policy_{source_sha256[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{str(path)!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(path.parent))
    return module


def _command(text: str) -> Policy:
    line = text.removeprefix(COMMAND).strip()
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PolicyError(f"cannot read the command of policy {text!r}: {error}") from None
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise PolicyError(f"policy {text!r} names no program that can be run")
    # its own files, and not an interpreter found on the path
    hashes = [file_sha256(Path(word)) for word in words if Path(word).is_file()]
    return Policy(
        name=f"{COMMAND}{line}",
        version=1,
        description="a program that is sent views and answers, a line of JSON each",
        way="command",
        player=(str(Path(program).absolute()), *words[1:]),
        reference=f"{COMMAND}{line}",
        source_sha256="-".join(hashes),
    )
