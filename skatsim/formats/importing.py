"""Import: from files of recorded games into a run of an archive."""

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final, Literal

import numpy as np
import pyarrow as pa

from skatsim.archive import Archive, Manifest, RunWriter, check_run_name
from skatsim.durable import write_whole
from skatsim.errors import NotationError, RecordError
from skatsim.formats.base import Block, Reader, Reject, Source, take
from skatsim.formats.duplicates import SeenGames, identities
from skatsim.formats.recognition import check_readable
from skatsim.kernels.columns import GAME
from skatsim.location import is_file, is_remote, locate, read_bytes, remove_file
from skatsim.records import Games, Imported, from_table, to_table

__all__ = ["FORMATS", "ImportResult", "find_format", "import_games", "read_blocks"]

FORMATS: Final = ("iss",)
"""Formats that can be read: each is a module of this package."""

PART_GAMES: Final = 100_000
ImportMode = Literal["append", "overwrite"]

REJECTS_FILE: Final = "rejects.jsonl"
REJECTS_SHOWN: Final = 10

_PLAYERS: Final = ("forehand_player", "middlehand_player", "rearhand_player")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    r"""What an import did.

    Attributes
    ----------
    run : the run the games went to.
    read : records met: imported, duplicates and rejected ones.
    imported : games added to the run.
    duplicates : games that the run held already.
    rejected : records that could not be read or do not replay.
    mismatches : imported games whose stated result differs from ours.
    statuses : imported games by status.
    rejects_file : where the rejects were written; None when there were none.
    noise : lines that belong to no record.
    comments : comment lines.
    recoded : records with bytes that are no UTF-8; they are kept as ``\xNN``.
    first_rejects : the first of the rejects.
    """

    run: str
    read: int
    imported: int
    duplicates: int
    rejected: int
    mismatches: int
    statuses: dict[str, int]
    rejects_file: str | None
    noise: int
    comments: int
    recoded: int
    first_rejects: tuple[Reject, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether not one good game was met."""
        return self.imported + self.duplicates == 0


def find_format(source: Source, name: str = "auto") -> Reader:
    """The reader of a format.

    Raises
    ------
    NotationError
        There is no such format, or the source is of none; it says what the source is.
    """
    if name == "auto":
        name = "iss"
    if name not in FORMATS:
        raise NotationError(f"cannot read format {name!r}: one of {', '.join(FORMATS)}")
    check_readable(source)
    reader: Reader = import_module(f"skatsim.formats.{name}").read
    return reader


def read_blocks(path: str | os.PathLike[str], *, format: str = "auto") -> Iterator[Block]:
    """The games of a file, block by block: its records replayed, rescored and judged."""
    with Source.open(path) as source:
        yield from find_format(source, format)(source)


def default_run_name(path: str | os.PathLike[str]) -> str:
    """The stem of a file as the name of a run."""
    text = os.fspath(path)
    stem = "stdin" if text == "-" else Path(text).name.split(".")[0].lower()
    return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._") or "import"


@dataclass(slots=True)
class _Rejects:
    """Rejects on their way to a file."""

    file: IO[str]
    count: int = 0
    first: list[Reject] = field(default_factory=list)

    def add(self, reject: Reject) -> None:
        self.count += 1
        if len(self.first) < REJECTS_SHOWN:
            self.first.append(reject)
        entry = {
            "file": reject.file,
            "line": reject.line,
            "record_id": reject.record_id,
            "reason": reject.reason,
            "text": reject.text,
        }
        self.file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def texts(self) -> Iterator[str]:
        self.file.seek(0)
        yield from self.file


class _Target:
    """The run that an import adds to; it is touched when the first game arrives."""

    def __init__(
        self, archive: str | os.PathLike[str], manifest: Manifest, mode: ImportMode
    ) -> None:
        self._archive = archive
        self._mode = mode
        self._manifest = manifest
        self._stack = ExitStack()
        self._writer: RunWriter | None = None
        self._waiting: list[pa.Table] = []
        self._seen = SeenGames()
        self._is_new_archive = False
        self.imported = 0
        self.duplicates = 0
        self.statuses: Counter[str] = Counter()

    def __enter__(self) -> "_Target":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None and self.imported == 0:
            kind, error = _NothingNewError, _NothingNewError()
        self._stack.__exit__(kind, error, trace)
        if kind is not None and self._is_new_archive:
            with suppress(OSError):
                locate(self._archive).rmdir()

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return locate(self._archive) / self._manifest.run

    def add(self, block: Block) -> None:
        if not len(block):
            return
        if self._writer is None:
            self._open()
        hashes = identities(block.rows, block.calls, block.imported.players)
        is_new = self._seen.add(hashes)
        self.duplicates += int(np.count_nonzero(~is_new))
        block = _select(block, is_new)
        if not len(block):
            return
        self.imported += len(block)
        self.statuses.update(block.imported.status)
        games = Games(
            run=self._manifest.run,
            source=self._manifest.source,
            ruleset=self._manifest.ruleset,
            rows=block.rows,
            calls=block.calls,
            imported=block.imported,
        )
        self._waiting.append(to_table(games))
        if sum(table.num_rows for table in self._waiting) >= PART_GAMES:
            self.flush()

    def flush(self) -> None:
        """Write what waits as a part."""
        if self._waiting and self._writer is not None:
            self._writer.write(pa.concat_tables(self._waiting))
            self._waiting.clear()

    def _open(self) -> None:
        place = locate(self._archive)
        self._is_new_archive = not is_remote(place) and not place.exists()
        archive = Archive.open(self._archive, create=True)
        writer = archive.writer(self._manifest, mode=self._mode)
        self._writer = self._stack.enter_context(writer)
        if self._mode == "overwrite" or self._manifest.run not in archive:
            return
        columns = [name for name in GAME.names or () if name != "call_end"]
        for table in archive.run(self._manifest.run).tables([*columns, "calls", *_PLAYERS]):
            rows, calls = from_table(table)
            players = [table.column(name).to_pylist() for name in _PLAYERS]
            self._seen.add(identities(rows, calls, players))


class _NothingNewError(Exception):
    """Tells a writer to leave the run as it is."""


def _select(block: Block, is_wanted: np.ndarray) -> Block:
    """The wanted games of a block."""
    if is_wanted.all():
        return block
    indices = np.flatnonzero(is_wanted)
    rows, calls = take(block.rows, block.calls, indices)
    told = block.imported

    def some(values: Sequence[Any]) -> list[Any]:
        return [values[index] for index in indices.tolist()]

    imported = Imported(
        server=some(told.server),
        server_id=some(told.server_id),
        series_id=some(told.series_id),
        played_at=some(told.played_at),
        players=(some(told.players[0]), some(told.players[1]), some(told.players[2])),
        table_size=some(told.table_size),
        status=some(told.status),
        recorded_score=some(told.recorded_score),
        recorded_card_points=some(told.recorded_card_points),
        source_text=some(told.source_text),
    )
    return replace(block, rows=rows, calls=calls, imported=imported, lines=some(block.lines))


def import_games(
    paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    archive: str | os.PathLike[str],
    *,
    run: str | None = None,
    format: str = "auto",
    rejects: str | os.PathLike[str] | None = None,
    is_strict: bool = False,
    mode: ImportMode = "append",
    on_progress: Callable[[int, int | None, str], None] | None = None,
) -> ImportResult:
    """Read files of recorded games and add them to a run.

    Every game is replayed card by card and rescored; what cannot be read is written to a file
    of rejects with its place and the reason. Games that the run holds already are not added
    again. Without one good game nothing changes.

    Parameters
    ----------
    paths : files, also compressed; ``-`` is standard input.
    archive : folder of the archive; it is made where there is none.
    run : name of the run, by default the stem of the first file.
    format : ``auto`` or one of `FORMATS`.
    rejects : file for the rejects, by default ``rejects.jsonl`` in the run's folder.
    is_strict : refuse everything when a record cannot be read or a line belongs to none.
    mode : ``append`` adds to a run that exists, ``overwrite`` replaces it when all is read.
    on_progress : called with the bytes read, their total if known, and the file's name.

    Raises
    ------
    RecordError
        Something could not be read, and `is_strict` is set.
    NotationError
        A file is no text with server lines: it says what it is; nothing is changed.
    ArchiveError
        The archive cannot be written, or the run holds games of another source.
    OSError
        A file cannot be read.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    if not paths:
        raise NotationError("no file to import")
    names = [os.fspath(path) for path in paths]
    name = check_run_name(default_run_name(paths[0]) if run is None else run)
    manifest = Manifest(run=name, source="iss", files=tuple(names))
    noise = comments = recoded = 0
    done_bytes = 0
    total = _total_size(names)
    target = _Target(archive, manifest, mode)
    if rejects is not None:
        Path(rejects).expanduser().open("a").close()  # fail before anything is imported
    with tempfile.SpooledTemporaryFile(
        max_size=1 << 22, mode="w+", encoding="utf-8", newline="\n"
    ) as spool:
        refused = _Rejects(spool)
        with target:
            for path in names:
                with Source.open(path) as source:
                    for block in find_format(source, format)(source):
                        for reject in block.rejects:
                            refused.add(reject)
                        if is_strict:
                            _refuse(source.name, block)
                        target.add(block)
                        noise += block.noise_count
                        comments += block.comment_count
                        recoded += block.recoded_count
                        if on_progress is not None:
                            on_progress(done_bytes + source.position, total, source.name)
                    done_bytes += source.position
            target.flush()
        rejects_file = None
        if mode == "overwrite" and target.imported:
            remove_file(target.folder / REJECTS_FILE)
        if rejects is not None:
            rejects_file = _write_rejects(Path(rejects).expanduser(), refused.texts())
        elif refused.count and target.imported:
            rejects_file = _add_rejects(target.folder / REJECTS_FILE, refused.texts())
    mismatches = [status for status in target.statuses if status.startswith("result_mismatch:")]
    return ImportResult(
        run=name,
        read=target.imported + target.duplicates + refused.count,
        imported=target.imported,
        duplicates=target.duplicates,
        rejected=refused.count,
        mismatches=sum(target.statuses[status] for status in mismatches),
        statuses=dict(sorted(target.statuses.items())),
        rejects_file=rejects_file,
        noise=noise,
        comments=comments,
        recoded=recoded,
        first_rejects=tuple(refused.first),
    )


def _total_size(names: Sequence[str]) -> int | None:
    sizes = [None if name == "-" else Path(name).expanduser().stat().st_size for name in names]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _refuse(name: str, block: Block) -> None:
    """Raise on the first thing in a block that is no good record."""
    if block.rejects:
        raise block.rejects[0].error()
    if block.noise:
        line, text = block.noise[0]
        raise RecordError(f"{text[:60]!r} belongs to no record", source=name, line=line)


def _write_rejects(path: Path, texts: Iterator[str]) -> str:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(texts)
    return str(path)


def _add_rejects(path: Path, texts: Iterator[str]) -> str:
    """Add to the rejects of earlier imports what is not among them."""
    old = read_bytes(path).decode("utf-8") if is_file(path) else ""
    known = dict.fromkeys(old.splitlines(keepends=True))
    new = [text for text in texts if text not in known]
    write_whole(path, "".join([old, *new]).encode())
    return str(path)
