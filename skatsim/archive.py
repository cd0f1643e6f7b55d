"""The archive: runs of games as Parquet parts with a manifest.

A run is a folder ``<archive>/<run>`` with parts and ``manifest.json``. The manifest alone
decides which parts belong to the run. Parts and manifest are written under a temporary
name in the same folder, flushed to the disk and renamed; a finished part is never changed.
One writer at a time: a lock, which the system frees when its holder dies.
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Self, get_origin

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skatsim import __version__
from skatsim.durable import file_sha256, finished_or_absent, locked, now
from skatsim.errors import ArchiveError, NotationError
from skatsim.kernels import replay
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, PUBLIC
from skatsim.records import (
    OLDEST_SCHEMA,
    RULES_VERSION,
    SCHEMA,
    SCHEMA_VERSION,
    STORED_SCHEMA,
    from_table,
    pack_flags,
    stored_names,
    unpack_flags,
    with_all_columns,
)
from skatsim.reviews import REVIEW_FOLDER, ReviewManifest
from skatsim.ruleset import Ruleset, find_ruleset

__all__ = [
    "PART_HANDS",
    "Archive",
    "Manifest",
    "Part",
    "Problem",
    "Run",
    "RunWriter",
    "check_run_name",
    "parse_game_id",
    "replay_rows",
    "rows_digest",
    "write_part",
]

PART_HANDS: Final = 250_000
"""Games in a full part, which is one row group."""

MANIFEST: Final = "manifest.json"
OWN_FILE: Final = re.compile(
    r"part-\d{12}(-\d+)?\.parquet|\.(part-.*\.parquet|manifest\.json)\.\d+\.tmp"
)
RUN_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")

_PLAIN: Final = frozenset(
    {
        "hand_number",
        "server_id",
        "series_id",
        "played_at",
        "source_text",
        "played",
        "forehand_mask",
        "middlehand_mask",
        "rearhand_mask",
        "trick_winners",
    }
)
"""Columns with so many different values that a dictionary of them does not pay."""

_ALWAYS: Final = frozenset(field.name for field in STORED_SCHEMA if not field.nullable)
"""Columns that a part of any schema has."""

_COMPRESSED: Final = frozenset(
    {
        "server_id",
        "series_id",
        "played_at",
        "source_text",
        "calls",
        "skat_mask",
        "discard_mask",
        "played",
        "trick_winners",
        "game_value",
        "declarer_card_points",
        "score",
    }
)
"""Columns that shrink by more than compressing them costs: the others are packed indices
already, or bits of cards that look random."""

_DICTIONARY: Final = [name for name in STORED_SCHEMA.names if name not in _PLAIN]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a run: its name, the games in it, its bytes, SHA-256 and digest (hex)."""

    file: str
    first: int
    hands: int
    bytes: int
    sha256: str
    digest: str
    declared: int
    won: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run is made of and where it comes from.

    ``policies`` maps bidding, declaring and play to the policies at forehand, middlehand
    and rearhand; it is empty for imported games. ``ruleset_content`` are all fields of the
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something `verify` found: in which run, part and game, and what."""

    run: str
    part: str | None
    hand: int | None
    what: str


def rows_digest(rows: np.ndarray, calls: np.ndarray) -> str:
    """Sum of the digests of games given as rows (dtype `GAME`) and calls, 32 hex digits."""
    high, low = replay.digest_games(rows, calls)
    return f"{(high % 2**64) << 64 | (low % 2**64):032x}"


def write_part(
    path: Path, table: pa.Table, *, first: int, digest: str, declared: int, won: int
) -> Part:
    """Write one part of a run, durable before it is visible.

    Parameters
    ----------
    path : the file; its folder exists.
    table : games of `STORED_SCHEMA`, hand numbers from `first`.
    digest : sum of the digests of the games.
    declared, won : games that count for win rates, and those the declarer won.

    Raises
    ------
    ArchiveError
        The disk is full or the folder cannot be written; no file is left behind.
    """
    with finished_or_absent(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata(
                {
                    "schema_version": str(SCHEMA_VERSION),
                    "rules_version": str(RULES_VERSION),
                    "package_version": __version__,
                }
            ),
            temporary,
            row_group_size=PART_HANDS,
            compression={
                name: "ZSTD" if name in _COMPRESSED else "NONE" for name in STORED_SCHEMA.names
            },
            compression_level=dict.fromkeys(_COMPRESSED, 1),
            use_dictionary=_DICTIONARY,
            column_encoding={"hand_number": "DELTA_BINARY_PACKED"},
            write_statistics=["hand_number"],
        )
        sha256 = file_sha256(temporary)
        size = temporary.stat().st_size
    return Part(
        file=path.name,
        first=first,
        hands=table.num_rows,
        bytes=size,
        sha256=sha256,
        digest=digest,
        declared=declared,
        won=won,
    )


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


class Run:
    """One run of an archive, as its manifest says."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    def __repr__(self) -> str:
        return f"Run({self.name!r}, hands={self.hands})"

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.manifest.run

    @property
    def hands(self) -> int:
        """The number of games."""
        return self.manifest.hands

    @property
    def paths(self) -> list[Path]:
        """The files of the parts, in order of their games."""
        return [self.folder / part.file for part in self.manifest.parts]

    @property
    def reviews(self) -> ReviewManifest | None:
        """What has been reviewed of the run; None without, and of a run overwritten since."""
        reviews = ReviewManifest.read(self.folder)
        if reviews is None or reviews.run_created_at != self.manifest.created_at:
            return None
        return reviews

    @property
    def review_paths(self) -> list[Path]:
        """The files of its reviews."""
        reviews = self.reviews
        parts = reviews.parts if reviews is not None else ()
        return [self.folder / REVIEW_FOLDER / part.file for part in parts]

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The parts as Arrow tables of `SCHEMA` (or some of its columns), one at a time.

        Raises
        ------
        ArchiveError
            A part is missing or no Parquet file.
        """
        for part in self.manifest.parts:
            yield self.read_part(part, columns)

    def read_part(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """One part as an Arrow table."""
        names = list(columns) if columns is not None else SCHEMA.names
        return unpack_flags(self._read(part, stored_names(names)), names)

    def _read(self, part: Part, names: Sequence[str] = STORED_SCHEMA.names) -> pa.Table:
        """One part as it is stored, or some columns of it."""
        try:
            path = self.folder / part.file
            stored = set(pq.read_schema(path).names)
            present = [name for name in names if name in stored or name in _ALWAYS]
            table = pq.read_table(path, columns=present, partitioning=None)
        except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            reason = str(error).splitlines()[0]
            raise ArchiveError(
                f"cannot read part {part.file!r} of run {self.name!r}: {reason}: "
                "run 'skatsim verify'"
            ) from error
        table = table.cast(pa.schema([STORED_SCHEMA.field(name) for name in present]))
        return table if present == list(names) else with_all_columns(table, names)

    def game(self, hand_number: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """One game: its row (shape (1,), dtype `GAME`), its calls, and all its columns by name.

        Raises
        ------
        ArchiveError
            The run has no such game.
        """
        for part in self.manifest.parts:
            if part.first <= hand_number < part.first + part.hands:
                table = self._read(part).slice(hand_number - part.first, 1)
                rows, calls = from_table(table)
                return rows, calls, unpack_flags(table).to_pylist()[0]
        raise ArchiveError(
            f"run {self.name!r} has no game {hand_number}: it holds {self.hands}, from 0"
        )

    def rows(self, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Some games in a row: their rows (dtype `GAME`) and calls.

        Parameters
        ----------
        first : hand number of the first.
        count : how many; fewer are returned where the run ends before.
        """
        pieces = []
        for part in self.manifest.parts:
            start = max(first, part.first)
            end = min(first + count, part.first + part.hands)
            if start < end:
                pieces.append(self._read(part).slice(start - part.first, end - start))
        return from_table(pa.concat_tables(pieces) if pieces else STORED_SCHEMA.empty_table())

    def prefix_digest(self, count: int) -> str:
        """The digest of the first `count` games."""
        total = 0
        for part in self.manifest.parts:
            wanted = min(part.hands, count - part.first)
            if wanted == part.hands:
                total += int(part.digest, 16)
            elif wanted > 0:
                rows, calls = from_table(self._read(part).slice(0, wanted))
                total += int(rows_digest(rows, calls), 16)
        return f"{total % 2**128:032x}"


class Archive:
    """A folder of runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"Archive({str(self.path)!r})"

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, create: bool = False) -> Self:
        """Open the archive at a folder.

        Parameters
        ----------
        path : the folder; ``~`` is expanded.
        create : make the folder where there is none.

        Raises
        ------
        ArchiveError
            There is no such folder, or it cannot be made.
        """
        text = os.fspath(path)
        if "://" in text:
            raise ArchiveError(f"cannot open {text!r}: archives on object stores are not supported")
        folder = Path(text).expanduser()
        if create:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ArchiveError(
                    f"cannot make the archive folder {text!r}: {error.strerror or error}"
                ) from error
        if not folder.is_dir():
            raise ArchiveError(
                f"no archive at {text!r}: run 'skatsim simulate' or 'skatsim import' first, "
                "or name another with --archive"
            )
        return cls(folder)

    def runs(self) -> list[Run]:
        """All runs, by name."""
        return [self._load(path.parent) for path in sorted(self.path.glob(f"*/{MANIFEST}"))]

    def run(self, name: str) -> Run:
        """The run of this name.

        Raises
        ------
        ArchiveError
            There is none, or it cannot be read.
        """
        return self._load(self._folder(name))

    def _folder(self, name: str) -> Path:
        """The folder of an existing run."""
        folder = self.path / check_run_name(name)
        if not (folder / MANIFEST).is_file():
            names = sorted(path.parent.name for path in self.path.glob(f"*/{MANIFEST}"))
            known = ", ".join(names) or "none"
            raise ArchiveError(f"no run {name!r} in {str(self.path)!r}: there are: {known}")
        return folder

    def __contains__(self, name: str) -> bool:
        """True if there is a run of this name."""
        return (self.path / check_run_name(name) / MANIFEST).is_file()

    def _load(self, folder: Path) -> Run:
        manifest = _read_manifest(folder)
        if not OLDEST_SCHEMA <= manifest.schema_version <= SCHEMA_VERSION:
            is_later = manifest.schema_version > SCHEMA_VERSION
            remedy = (
                "update skatsim to read it"
                if is_later
                else f"this one reads {OLDEST_SCHEMA} to {SCHEMA_VERSION}: make the run anew with "
                f"--overwrite, or 'skatsim runs remove {folder.name}'"
            )
            raise ArchiveError(
                f"run {folder.name!r} was written by skatsim {manifest.package_version} with "
                f"schema {manifest.schema_version}: {remedy}"
            )
        return Run(folder, manifest)

    def remove(self, name: str) -> None:
        """Delete a run, readable or not; the manifest goes first: no half of it is ever seen."""
        folder = self._folder(name)
        with locked(folder):
            try:
                (folder / MANIFEST).unlink()
            except OSError as error:
                raise ArchiveError(
                    f"cannot remove run {name!r}: {error.strerror or error}"
                ) from error
        shutil.rmtree(folder, ignore_errors=True)

    def writer(
        self, manifest: Manifest, *, mode: Literal["new", "append", "overwrite"] = "new"
    ) -> "RunWriter":
        """A writer of the run that the manifest names (its parts are ignored).

        Parameters
        ----------
        manifest : where the run comes from.
        mode : ``new`` refuses a run that exists, ``append`` adds to it, ``overwrite``
            replaces it when the writer commits.
        """
        return RunWriter(self, manifest, mode)

    def verify(self, names: Sequence[str] | None = None, *, deep: bool = False) -> list[Problem]:
        """Check runs against their manifests; nothing is changed.

        Parameters
        ----------
        names : the runs; all of them by default.
        deep : also replay every game and recompute every derived column and digest.
        """
        problems: list[Problem] = []
        if names is None:
            names = sorted(path.parent.name for path in self.path.glob(f"*/{MANIFEST}"))
            for entry in sorted(self.path.iterdir()):
                if entry.is_dir() and entry.name not in names and any(entry.glob("*.parquet")):
                    problems.append(
                        Problem(run=entry.name, part=None, hand=None, what="no manifest")
                    )
        for name in names:
            try:
                run = self.run(name)
            except ArchiveError as error:
                problems.append(Problem(run=name, part=None, hand=None, what=str(error)))
                continue
            if run.name != run.folder.name:
                what = f"the folder was renamed: its games say run {run.name!r}"
                problems.append(Problem(run=run.folder.name, part=None, hand=None, what=what))
            problems.extend(_verify_run(run, deep=deep))
        return problems


def _read_manifest(folder: Path) -> Manifest:
    """The manifest of a run, of whatever schema its parts are."""
    path = folder / MANIFEST
    try:
        return Manifest.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ArchiveError(f"cannot read {str(path)!r}: {error}") from error


def check_run_name(name: str) -> str:
    """The name in lower case, if it can be a run's."""
    lowered = name.lower()
    if not RUN_NAME.fullmatch(lowered):
        raise ArchiveError(
            f"cannot name a run {name!r}: use letters a-z, digits, and . _ - after the first"
        )
    return lowered


class RunWriter:
    """Adds parts to one run; use as a context manager.

    Leaving the block by an exception makes what was added in it disappear, unless `commit`
    was called: then the run keeps what it held at that call.
    """

    def __init__(self, archive: Archive, manifest: Manifest, mode: str) -> None:
        self._archive = archive
        self._mode = mode
        self._given = dataclasses.replace(manifest, run=check_run_name(manifest.run), parts=())
        self.folder = archive.path / self._given.run
        self.manifest = self._given
        self._stack = contextlib.ExitStack()
        self._added: list[Part] = []
        self._replaced: list[Part] = []

    def __enter__(self) -> Self:
        is_new_folder = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(
                f"cannot write to {str(self.folder)!r}: {error.strerror or error}"
            ) from error
        self._stack.enter_context(locked(self.folder))
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            if is_new_folder:
                self._remove_empty_folder()
            raise
        return self

    def _begin(self) -> None:
        exists = (self.folder / MANIFEST).is_file()
        created = now()
        if exists and self._mode == "new":
            raise ArchiveError(
                f"run {self._given.run!r} exists already in {str(self._archive.path)!r}: "
                "use --resume to add what is missing, --overwrite to replace it, or another --run"
            )
        if exists:
            if self._mode == "append":
                old = self._archive.run(self._given.run).manifest
                if old.source != self._given.source:
                    raise ArchiveError(
                        f"run {old.run!r} holds games of source {old.source!r}, "
                        f"not {self._given.source!r}: name another --run"
                    )
                for part in old.parts:
                    path = self.folder / part.file
                    if not path.is_file() or path.stat().st_size != part.bytes:
                        raise ArchiveError(
                            f"part {part.file!r} of run {old.run!r} is not as it was written: "
                            "run 'skatsim verify'"
                        )
                files = dict.fromkeys((*old.files, *self._given.files))
                self._clear_leftovers(old.parts)
                self.manifest = dataclasses.replace(old, files=tuple(files))
                return
            self._replaced = list(_read_manifest(self.folder).parts)
        self._clear_leftovers(self._replaced)
        self.manifest = dataclasses.replace(self._given, created_at=created)

    def _clear_leftovers(self, parts: Sequence[Part]) -> None:
        """Remove files of our own naming that no manifest names: of a writer that was killed."""
        kept = {part.file for part in parts}
        for path in self.folder.iterdir():
            if OWN_FILE.fullmatch(path.name) and path.name not in kept:
                with contextlib.suppress(OSError):
                    path.unlink()

    def next_file(self, first: int) -> Path:
        """A path for the part that starts with game `first`, free of older files."""
        taken = {part.file for part in (*self.manifest.parts, *self._replaced)}
        name = f"part-{first:012d}.parquet"
        generation = 1
        while name in taken:
            generation += 1
            name = f"part-{first:012d}-{generation}.parquet"
        return self.folder / name

    def add(self, part: Part) -> None:
        """Take a part, written to `folder` by `write_part`, into the run."""
        parts = sorted((*self.manifest.parts, part), key=lambda entry: entry.first)
        self.manifest = dataclasses.replace(self.manifest, parts=tuple(parts))
        self._added.append(part)

    def write(self, table: pa.Table) -> Part:
        """Write games (a table of `SCHEMA` or `STORED_SCHEMA`) as the next part.

        Their hand numbers and run name are set here.
        """
        if "flags" not in table.column_names:
            table = pack_flags(table)
        first = self.manifest.hands
        count = table.num_rows
        for name, values in (
            ("hand_number", pa.array(np.arange(first, first + count, dtype=np.int64))),
            ("run", pa.array([self.manifest.run] * count, SCHEMA.field("run").type)),
        ):
            index = STORED_SCHEMA.get_field_index(name)
            table = table.set_column(index, STORED_SCHEMA.field(name), values)
        rows, calls = from_table(table)
        counted = (rows["contract"] >= 0) & (rows["declarer_seat"] >= 0)
        part = write_part(
            self.next_file(first),
            table,
            first=first,
            digest=rows_digest(rows, calls),
            declared=int(counted.sum()),
            won=int(rows["is_won"][counted].sum()),
        )
        self.add(part)
        return part

    def commit(self) -> None:
        """Make all parts so far the run's."""
        self.manifest = dataclasses.replace(
            self.manifest,
            updated_at=now(),
            rules_version=RULES_VERSION,
            package_version=__version__,
        )
        with finished_or_absent(self.folder / MANIFEST) as temporary:
            temporary.write_text(self.manifest.to_json(), encoding="utf-8")
        self._added.clear()
        if self._replaced:
            shutil.rmtree(self.folder / REVIEW_FOLDER, ignore_errors=True)
        for part in self._replaced:
            with contextlib.suppress(OSError):
                (self.folder / part.file).unlink(missing_ok=True)
        self._replaced.clear()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is None:
                self.commit()
            else:
                for part in self._added:
                    with contextlib.suppress(OSError):
                        (self.folder / part.file).unlink(missing_ok=True)
        finally:
            self._stack.close()
            if kind is not None:
                self._remove_empty_folder()

    def _remove_empty_folder(self) -> None:
        """Leave no trace of a run that never came to be."""
        if not (self.folder / MANIFEST).exists() and self.folder.exists():
            with contextlib.suppress(OSError):
                (self.folder / ".lock").unlink(missing_ok=True)
                self.folder.rmdir()


def replay_rows(
    rows: np.ndarray, calls: np.ndarray, ruleset: str | Ruleset = "isko"
) -> tuple[np.ndarray, np.ndarray]:
    """Replay games card by card and recompute all that follows from them.

    Parameters
    ----------
    rows : shape (n,), dtype `GAME`; only the primary fields are read.
    calls : uint16, their calls.
    ruleset : the rules, or their name.

    Returns
    -------
    replayed : shape (n,), dtype `GAME`, whole for every sound game.
    faults : int64, shape (n,): 0, or the number of what is wrong + 1000 * its position.
    """
    replayed = np.zeros(len(rows), dtype=GAME)
    faults = np.zeros(len(rows), dtype=np.int64)
    replay.replay_games(
        (find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset).kernel_record(),
        np.zeros(1, dtype=PUBLIC),
        np.zeros(1, dtype=HIDDEN),
        np.ascontiguousarray(rows),
        np.ascontiguousarray(calls, dtype=np.uint16),
        replayed,
        faults,
    )
    return replayed, faults


def _verify_run(run: Run, *, deep: bool) -> Iterator[Problem]:
    def problem(what: str, part: str | None = None, hand: int | None = None) -> Problem:
        return Problem(run=run.name, part=part, hand=hand, what=what)

    known = {part.file for part in run.manifest.parts}
    for path in sorted(run.folder.glob("*.parquet")):
        if path.name not in known:
            yield problem("a Parquet file that the manifest does not name", path.name)
    expected = 0
    for part in run.manifest.parts:
        path = run.folder / part.file
        if part.first != expected:
            yield problem(f"starts with game {part.first} instead of {expected}", part.file)
        expected = part.first + part.hands
        if not path.is_file():
            yield problem("the part is missing", part.file)
            continue
        if path.stat().st_size != part.bytes:
            size = path.stat().st_size
            yield problem(f"the file has {size} bytes instead of {part.bytes}", part.file)
        elif file_sha256(path) != part.sha256:
            yield problem("the SHA-256 differs from the manifest's", part.file)
        if deep:
            yield from _verify_games(run, part)
    yield from _verify_reviews(run, deep=deep)


def _verify_reviews(run: Run, *, deep: bool) -> Iterator[Problem]:
    def problem(what: str, file: str) -> Problem:
        return Problem(run=run.name, part=f"{REVIEW_FOLDER}/{file}", hand=None, what=what)

    try:
        reviews = ReviewManifest.read(run.folder)
    except ArchiveError as error:
        yield problem(str(error), MANIFEST)
        return
    if reviews is None:
        return
    if run.reviews is None:
        yield problem("reviews of games that were overwritten since", MANIFEST)
        return
    for file, what in reviews.faults(run.folder):
        yield problem(what, file)
    for part in reviews.parts if deep else ():
        try:
            rows, calls = run.rows(part.first, part.hands)
        except ArchiveError as error:
            yield problem(str(error), part.file)
            continue
        if len(rows) != part.hands or rows_digest(rows, calls) != part.digest:
            yield problem("the games it reviews are not those of the run", part.file)


def _verify_games(run: Run, part: Part) -> Iterator[Problem]:
    def problem(what: str, hand: int | None = None) -> Problem:
        return Problem(run=run.name, part=part.file, hand=hand, what=what)

    try:
        table = run._read(part)
        rows, calls = from_table(table)
    except (ArchiveError, ValueError, KeyError) as error:
        yield problem(str(error).splitlines()[0])
        return
    if table.num_rows != part.hands:
        yield problem(f"holds {table.num_rows} games instead of {part.hands}")
    numbers = table.column("hand_number").to_numpy()
    if not np.array_equal(numbers, np.arange(part.first, part.first + len(numbers))):
        yield problem("the hand numbers do not follow each other")
    if table.column("run").unique().to_pylist() != [run.name] and len(rows):
        yield problem("the column run names another run")
    replayed, faults = replay_rows(rows, calls, run.manifest.rules())
    for index in np.flatnonzero(faults):
        fault = int(faults[index])
        yield problem(
            f"does not replay: fault {fault % replay.POSITION} at position "
            f"{fault // replay.POSITION}",
            int(numbers[index]),
        )
    sound = faults == 0
    for name in GAME.names or ():
        differs = (rows[name] != replayed[name]).reshape(len(rows), -1).any(axis=1) & sound
        for index in np.flatnonzero(differs)[:10]:
            yield problem(
                f"{name} is {rows[name][index]!s}, replayed {replayed[name][index]!s}",
                int(numbers[index]),
            )
    if rows_digest(rows, calls) != part.digest:
        yield problem("the digest differs from the manifest's")
