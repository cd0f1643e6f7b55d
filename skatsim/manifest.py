"""What a run is made of: its parts, and where it comes from."""

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, get_origin

from skatsim import __version__
from skatsim.errors import ArchiveError, NotationError
from skatsim.records import RULES_VERSION, SCHEMA_VERSION
from skatsim.ruleset import Ruleset, find_ruleset

__all__ = [
    "MANIFEST",
    "PART_HANDS",
    "SLOW_PART_HANDS",
    "Manifest",
    "Part",
    "check_run_name",
    "parse_game_id",
    "part_hands",
    "read_manifest",
]

PART_HANDS: Final = 250_000
"""Games in a full part, which is one row group."""

SLOW_PART_HANDS: Final = 10_000
"""Games in a part where policies are not compiled, which play some ten thousand a second."""

MANIFEST: Final = "manifest.json"
RUN_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")


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
        content = json.loads(text)
        known = {entry.name for entry in dataclasses.fields(cls)}
        part_keys = {entry.name for entry in dataclasses.fields(Part)}
        parts = tuple(
            Part(**{key: value for key, value in part.items() if key in part_keys})
            for part in content.get("parts", ())
        )
        values = {key: value for key, value in content.items() if key in known}
        manifest = cls(**{**values, "parts": parts})
        _check_types(manifest)
        for part in parts:
            _check_types(part)
        return manifest


def _check_types(entry: Manifest | Part) -> None:
    """Raise TypeError where a value read from JSON is of another kind, or no plain file name."""
    for attribute in dataclasses.fields(entry):
        value, kind = getattr(entry, attribute.name), attribute.type
        if get_origin(kind) in (Mapping, Sequence):
            kind = get_origin(kind)
        is_text = isinstance(value, str)
        if not isinstance(value, kind) or (is_text and kind is Sequence):  # type: ignore[arg-type]
            raise TypeError(f"{attribute.name!r} cannot be {value!r}")
        if attribute.name == "file" and Path(value).name != value:
            raise TypeError(f"{attribute.name!r} cannot be {value!r}")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run, of whatever schema its parts are."""
    path = folder / MANIFEST
    try:
        return Manifest.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ArchiveError(
            f"cannot read {str(path)!r}: {error}: make the run anew with --overwrite, or "
            f"'skatsim runs remove {folder.name}'"
        ) from error


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
