"""What a run is made of: its parts, and where it comes from."""

import dataclasses
import functools
import json
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Any, Final, Self, TypeVar, get_args, get_origin, get_type_hints

from skatsim import __version__
from skatsim.errors import ArchiveError, NotationError
from skatsim.location import file_names, is_file, read_bytes
from skatsim.records import RULES_VERSION, SCHEMA_VERSION
from skatsim.ruleset import Ruleset, find_ruleset

__all__ = [
    "MANIFEST",
    "PART_HANDS",
    "RUN_NAME",
    "SLOW_PART_HANDS",
    "UNNAMED",
    "UNREADABLE",
    "Manifest",
    "Part",
    "check_run_name",
    "find_manifest",
    "from_json",
    "has_parts",
    "lost_manifest",
    "parse_game_id",
    "part_hands",
    "read_manifest",
]

PART_HANDS: Final = 250_000
"""Games in a full part, which is one row group."""

SLOW_PART_HANDS: Final = 10_000
"""Games in a part where policies are not compiled, which play some ten thousand a second."""

MANIFEST: Final = "manifest.json"
UNNAMED: Final = "a Parquet file that the manifest does not name"
RUN_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")

UNREADABLE: Final = (FileNotFoundError, ValueError, TypeError, RecursionError)
"""What `read_bytes` and `from_json` raise where the file is not there or holds something else.

That it cannot be read, as for lack of a right, is an `ArchiveError`: it may be sound.
"""

_TEXTS: Final = {
    "run": RUN_NAME,
    "file": re.compile(r"\w[\w.-]*\.parquet", re.ASCII),
    "digest": re.compile(r"[0-9a-f]{1,32}"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
}
"""What some texts of a manifest look like; a name of a file must not lead out of the folder."""

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a run: its name, the games in it, its bytes, SHA-256 and digest (hex).

    ``aborted`` are the games that a policy spoiled.
    """

    file: str
    first: int
    hands: int
    bytes: int
    sha256: str
    digest: str
    declared: int
    won: int
    aborted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run is made of and where it comes from.

    ``policies`` maps bidding, declaring and play to the policies at forehand, middlehand
    and rearhand; it is empty for imported games. ``policy_sources`` are hashes of the files of
    policies that are files. ``ruleset_content`` are all fields of the
    ruleset; it is empty in manifests of schema 2, whose rulesets had names of their own. Where
    whole series were simulated, ``series_length`` is their deals and ``players`` names who sat
    at the table, in the order of the deal; the policies are then listed by player.
    ``schema_version`` is the oldest of the parts': a run of an older skatsim may be extended.
    """

    run: str
    source: str
    ruleset: str = "isko"
    ruleset_content: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    policies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    policy_versions: Mapping[str, int] = field(default_factory=dict)
    policy_sources: Mapping[str, str] = field(default_factory=dict)
    series_length: int | None = None
    players: Sequence[str] = ()
    files: Sequence[str] = ()
    created_at: str = ""
    updated_at: str = ""
    schema_version: int = SCHEMA_VERSION
    rules_version: int = RULES_VERSION
    package_version: str = __version__
    parts: Sequence[Part] = ()

    @property
    def hands(self) -> int:
        """The number of games."""
        return sum(part.hands for part in self.parts)

    @property
    def bytes(self) -> int:
        """The size of all parts."""
        return sum(part.bytes for part in self.parts)

    @property
    def digest(self) -> str:
        """Sum of the digests of all games, 32 hex digits: free of order and of part borders."""
        return f"{sum(int(part.digest, 16) for part in self.parts) % 2**128:032x}"

    def rules(self) -> Ruleset:
        """The ruleset, as it was when the run was made."""
        if self.ruleset_content:
            return Ruleset.from_content(self.ruleset_content)
        return find_ruleset(self.ruleset)

    @property
    def ruleset_label(self) -> str:
        """The name of the ruleset, marked where the known one of that name says otherwise."""
        return self.rules().label

    def to_json(self) -> str:
        """The text of the file, with the totals beside the parts."""
        content = dataclasses.asdict(self)
        totals = {"hands": self.hands, "bytes": self.bytes, "digest": self.digest}
        parts = content.pop("parts")
        return json.dumps({**content, **totals, "parts": parts}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text of the file; unknown keys of later versions are left aside."""
        manifest = from_json(cls, Part, text)
        for part in manifest.parts:
            if not part.won <= part.declared <= part.hands:
                raise ValueError(
                    f"part {part.file!r} cannot have {part.won} won of {part.declared} declared "
                    f"of {part.hands} games"
                )
        return manifest


def from_json(kind: type[_Entry], part_kind: type[Any], text: str) -> _Entry:
    """A manifest, which has parts of `part_kind`, of the text of its file.

    Raises
    ------
    ValueError, TypeError, RecursionError
        The text is no JSON, or something in it is not what it must be: its name is told.
    """
    content = _named_values(json.loads(text))
    listed = content.get("parts", [])
    if not isinstance(listed, list):
        raise TypeError(f"'parts' cannot be {reprlib.repr(listed)}")
    parts = tuple(_entry(part_kind, part, f"part {number}: ") for number, part in enumerate(listed))
    ordered = sorted(parts, key=lambda part: part.first)
    for part, following in pairwise(ordered):
        if part.first + part.hands > following.first:
            raise ValueError(f"parts {part.file!r} and {following.file!r} hold the same games")
    for name in ("hands", "bytes"):
        if sum(getattr(part, name) for part in parts) >= 2**63:
            raise ValueError(f"the sum of {name!r} is out of range")
    entry = _entry(kind, {**content, "parts": parts})
    for name in ("hands", "digest"):
        total = getattr(entry, name, None)
        if name in content and total is not None and content[name] != total:
            raise ValueError(
                f"{name!r} is {reprlib.repr(content[name])}, its parts say {total}: it was changed"
            )
    return entry


def _named_values(content: Any, place: str = "") -> dict[str, Any]:
    """What was read from JSON, if it is an object."""
    if not isinstance(content, dict):
        raise TypeError(f"{place}{reprlib.repr(content)} has no names and values")
    return content


def _entry(kind: type[_Entry], content: Any, place: str = "") -> _Entry:
    """A dataclass of what a JSON object holds; unknown keys are left aside."""
    content = _named_values(content, place)
    kinds, needed = _fields(kind)  # type: ignore[arg-type]
    missing = [name for name in needed if name not in content]
    if missing:
        raise TypeError(f"{place}{missing[0]!r} is missing")
    values = {name: content[name] for name in kinds if name in content}
    for name, value in values.items():
        pattern = _TEXTS.get(name)
        if not _fits(value, kinds[name]) or (pattern and not pattern.fullmatch(value)):
            raise TypeError(f"{place}{name!r} cannot be {reprlib.repr(value)}")
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


@functools.cache
def _fields(kind: type[Any]) -> tuple[dict[str, Any], list[str]]:
    """The types of the fields of a dataclass, and those that have no default."""
    needed = [
        entry.name
        for entry in dataclasses.fields(kind)
        if entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING
    ]
    return get_type_hints(kind), needed


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value read from JSON is of a type; numbers are never negative here."""
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
    if kind is str:  # an escape like \ud800 is a text that cannot be written
        return isinstance(value, str) and (value.isascii() or _is_unicode(value))
    container = get_origin(kind)
    if container is UnionType:
        return any(_fits(value, one) for one in get_args(kind))
    if container is Sequence:
        (inner,) = get_args(kind)
        return isinstance(value, list | tuple) and all(_fits(one, inner) for one in value)
    if container is Mapping:
        _, inner = get_args(kind)
        return isinstance(value, dict) and all(
            _fits(name, str) and _fits(one, inner) for name, one in value.items()
        )
    return kind is Any or isinstance(value, kind)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run, of whatever schema its parts are.

    Raises
    ------
    ArchiveError
        It is not there, holds something else, or cannot be read.
    """
    path = folder / MANIFEST
    try:
        return Manifest.from_json(read_bytes(path).decode("utf-8"))
    except UNREADABLE as error:
        is_absent = isinstance(error, FileNotFoundError)
        if is_absent and is_file(path):  # some servers forget a file for a moment
            raise ArchiveError(f"cannot read {str(path)!r}, which is there: try again") from error
        if is_absent and has_parts(folder):
            raise ArchiveError(lost_manifest(folder)) from None
        raise ArchiveError(
            f"cannot read {str(path)!r}: {'there is none' if is_absent else error}: make the run "
            f"anew with --overwrite, or 'skatsim runs remove {folder.name}'"
        ) from error


def find_manifest(folder: Path) -> Manifest | None:
    """The manifest of a run; None where it is not there or holds something else.

    Raises
    ------
    ArchiveError
        It cannot be read, so that this cannot be told.
    """
    try:
        return Manifest.from_json(read_bytes(folder / MANIFEST).decode("utf-8"))
    except UNREADABLE:
        return None


def has_parts(folder: Path) -> bool:
    """Whether a folder holds files that are named like parts."""
    return bool(file_names(folder, "part-*.parquet"))


def lost_manifest(folder: Path) -> str:
    """The message on a folder that has parts and no manifest.

    Whoever writes a run makes the manifest first, so it was there once.
    """
    return (
        f"{str(folder)!r} holds parts of a run but no {MANIFEST}, which says what they are: put "
        f"it back, repeat the copy that was cut off, make the run anew with --overwrite, or "
        f"'skatsim runs remove {folder.name}'"
    )


def part_hands(series_length: int | None = None, *, are_slow: bool = False) -> int:
    """Games in a full part: `PART_HANDS`, or the whole series that fit, at least one.

    With `are_slow`, of policies that are not compiled, `SLOW_PART_HANDS`.
    """
    most = SLOW_PART_HANDS if are_slow else PART_HANDS
    if series_length is None:
        return most
    return max(series_length, most // series_length * series_length)


def check_run_name(name: str) -> str:
    """The name in lower case, if it can be a run's."""
    lowered = name.lower()
    if not RUN_NAME.fullmatch(lowered):
        raise ArchiveError(
            f"cannot name a run {name!r}: use letters a-z, digits, and . _ - after the first"
        )
    return lowered


def parse_game_id(text: str) -> tuple[str, int]:
    """The run and the number of a game by its id ``<run>:<hand_number>``.

    Raises
    ------
    NotationError
        If the text is no such id.
    """
    run, colon, number = text.rpartition(":")
    if not colon or not run or not (number.isascii() and number.isdecimal()):
        raise NotationError(f"{text!r} is no id of a game: <run>:<hand_number>, like 'demo:17'")
    return run, int(number)
