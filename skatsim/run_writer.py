"""Adding parts to a run: each whole before it is seen, the manifest last."""

import contextlib
import dataclasses
import hashlib
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skatsim import __version__
from skatsim.durable import locked, now, write_whole
from skatsim.errors import ArchiveError
from skatsim.location import file_names, is_file, is_remote, make_folder, remove_file, remove_tree
from skatsim.manifest import (
    MANIFEST,
    PART_HANDS,
    Manifest,
    Part,
    check_run_name,
    find_manifest,
    has_parts,
    lost_manifest,
)
from skatsim.records import (
    END_REASONS,
    RULES_VERSION,
    SCHEMA,
    SCHEMA_VERSION,
    STORED_SCHEMA,
    from_table,
    pack_flags,
)
from skatsim.reviews import REVIEW_FOLDER
from skatsim.run import Run

__all__ = ["RunWriter", "WriterMode", "write_part"]

WriterMode = Literal["new", "append", "repair", "overwrite"]

OWN_FILE: Final = re.compile(
    r"part-\d{12}(-\d+)?\.parquet|\.(part-.*\.parquet|manifest\.json)\.\d+\.tmp"
)

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
    buffer = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(
            {
                "schema_version": str(SCHEMA_VERSION),
                "rules_version": str(RULES_VERSION),
                "package_version": __version__,
            }
        ),
        buffer,
        row_group_size=PART_HANDS,
        compression={
            name: "ZSTD" if name in _COMPRESSED else "NONE" for name in STORED_SCHEMA.names
        },
        compression_level=dict.fromkeys(_COMPRESSED, 1),
        use_dictionary=_DICTIONARY,
        column_encoding={"hand_number": "DELTA_BINARY_PACKED"},
        write_statistics=["hand_number"],
    )
    content = memoryview(buffer.getvalue())
    write_whole(path, content)
    return Part(
        file=path.name,
        first=first,
        hands=table.num_rows,
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        digest=digest,
        declared=declared,
        won=won,
    )


class RunWriter:
    """Adds parts to one run; use as a context manager.

    Leaving the block by an exception makes what was added in it disappear, unless `commit`
    was called: then the run keeps what it held at that call. A new run has a manifest without
    parts from the first moment; so parts without any are never those of a writer that was killed.

    Attributes
    ----------
    folder : the folder of the run.
    manifest : the run as it is after the next `commit`.
    damaged : parts that are not as they were written, in the mode ``repair``: a part of the
        same games takes their place.
    """

    def __init__(self, archive: Path, manifest: Manifest, mode: WriterMode) -> None:
        self._mode = mode
        self._given = dataclasses.replace(manifest, run=check_run_name(manifest.run), parts=())
        folder = archive / self._given.run
        # a policy may change the working folder
        self.folder = folder if is_remote(folder) else folder.absolute()
        self.manifest = self._given
        self.damaged: tuple[Part, ...] = ()
        self._stack = contextlib.ExitStack()
        self._added: list[Part] = []
        self._replaced: list[Part] = []
        self._is_overwritten = False
        self._is_begun = False
        self._awaited: set[str] = set()

    def __enter__(self) -> Self:
        is_new_folder = not is_remote(self.folder) and not self.folder.exists()
        make_folder(self.folder)
        self._stack.enter_context(locked(self.folder))
        try:
            self._begin()
        except BaseException as error:
            self._leave(error)
            if is_new_folder:
                self._remove_empty_folder()
            raise
        return self

    def _begin(self) -> None:
        exists = is_file(self.folder / MANIFEST)
        if exists and self._mode == "new" and not self._is_without_games():
            raise ArchiveError(
                f"run {self._given.run!r} exists already in {str(self.folder.parent)!r}: "
                "use --resume to add what is missing, --overwrite to replace it, or another --run"
            )
        if exists and self._mode in ("append", "repair"):
            self._go_on(Run.load(self.folder))
            return
        self._is_overwritten = self._mode == "overwrite"
        if exists:
            there = find_manifest(self.folder)
            self._replaced = list(there.parts) if there else []  # else its parts are leftovers
        elif self._mode != "overwrite" and has_parts(self.folder):
            raise ArchiveError(lost_manifest(self.folder))
        self._clear_leftovers(self._replaced)
        self.manifest = dataclasses.replace(self._given, created_at=now())
        if not exists or self._mode == "new":
            self._write_manifest()  # first of all: parts without one are known to have lost it
            self._is_begun = True

    def _is_without_games(self) -> bool:
        """Whether the run that is there was begun and came to nothing."""
        there = find_manifest(self.folder)
        return there is not None and not there.parts

    def _go_on(self, run: Run) -> None:
        """Take over what a run holds."""
        old = run.manifest
        if old.source != self._given.source:
            raise ArchiveError(
                f"run {old.run!r} holds games of source {old.source!r}, "
                f"not {self._given.source!r}: name another --run"
            )
        with ThreadPoolExecutor() as pool:
            damages = list(pool.map(run.damage, old.parts))
        faults = zip(old.parts, damages, strict=True)
        self.damaged = tuple(part for part, damage in faults if damage)
        if self.damaged and self._mode != "repair":
            raise ArchiveError(
                f"part {self.damaged[0].file!r} of run {old.run!r} is not as it was written: "
                "run 'skatsim verify'"
            )
        files = dict.fromkeys((*old.files, *self._given.files))
        self._clear_leftovers(old.parts)
        self.manifest = dataclasses.replace(old, files=tuple(files))

    def _clear_leftovers(self, parts: Sequence[Part]) -> None:
        """Remove files of our own naming that no manifest names: of a writer that was killed."""
        kept = {part.file for part in parts}
        for name in file_names(self.folder):
            if OWN_FILE.fullmatch(name) and name not in kept:
                with contextlib.suppress(ArchiveError):
                    remove_file(self.folder / name)

    def next_file(self, first: int) -> Path:
        """A path for the part that starts with game `first`, free of older files."""
        taken = {part.file for part in (*self.manifest.parts, *self._replaced)}
        name = f"part-{first:012d}.parquet"
        generation = 1
        while name in taken:
            generation += 1
            name = f"part-{first:012d}-{generation}.parquet"
        self._awaited.add(name)
        return self.folder / name

    def add(self, part: Part) -> None:
        """Take a part, written to `folder` by `write_part`, into the run.

        Raises
        ------
        ArchiveError
            It takes the place of a damaged part, whose digest says that it held other games.
        """
        if part not in self._added:
            self._added.append(part)
        self._awaited.discard(part.file)
        place = (part.first, part.hands)
        replaced = [old for old in self.damaged if (old.first, old.hands) == place]
        for old in replaced:
            if old.digest != part.digest:
                raise ArchiveError(
                    f"cannot repair part {old.file!r} of run {self.manifest.run!r}: played "
                    "anew, its games have another digest than the manifest's"
                )
        self.replace(replaced, [part])

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
        part = self.rewrite(table, first)
        self.add(part)
        return part

    def rewrite(self, table: pa.Table, first: int) -> Part:
        """Write games of `STORED_SCHEMA`, numbered from `first`, as a part that none knows yet."""
        from skatsim.replaying import rows_digest  # loads the kernels of a whole game

        rows, calls = from_table(table)
        is_spoiled = rows["end_reason"] == END_REASONS.index("policy_fault")
        counted = (rows["contract"] >= 0) & (rows["declarer_seat"] >= 0) & ~is_spoiled
        part = write_part(
            self.next_file(first),
            table,
            first=first,
            digest=rows_digest(rows, calls),
            declared=int(counted.sum()),
            won=int(rows["is_won"][counted].sum()),
        )
        part = dataclasses.replace(part, aborted=int(is_spoiled.sum()))
        self._added.append(part)
        self._awaited.discard(part.file)
        return part

    def cut(self, part: Part, hands: int) -> Part:
        """A part that is not in the run yet with no more than its first games."""
        if part.hands <= hands:
            return part
        table = Run(self.folder, self.manifest).read_stored(part)
        return self.rewrite(table.slice(0, hands), part.first)

    def drop(self, part: Part) -> None:
        """Let go of a part that is not in the run."""
        with contextlib.suppress(ArchiveError):  # then the next writer clears it away
            remove_file(self.folder / part.file)
        self._awaited.discard(part.file)

    def replace(self, old: Sequence[Part], new: Sequence[Part]) -> None:
        """Let parts made by `rewrite` take the place of those that hold their games now."""
        kept = [part for part in self.manifest.parts if part not in old]
        self._replaced += old
        self.manifest = dataclasses.replace(
            self.manifest,
            parts=tuple(sorted((*kept, *new), key=lambda entry: entry.first)),
            schema_version=SCHEMA_VERSION if old and not kept else self.manifest.schema_version,
        )

    def _write_manifest(self) -> None:
        self.manifest = dataclasses.replace(
            self.manifest,
            updated_at=now(),
            rules_version=RULES_VERSION,
            package_version=__version__,
        )
        write_whole(self.folder / MANIFEST, self.manifest.to_json().encode())

    def commit(self) -> None:
        """Make all parts so far the run's."""
        self._write_manifest()
        self._is_begun = False
        self._added.clear()
        if self._is_overwritten:
            remove_tree(self.folder / REVIEW_FOLDER)
            self._is_overwritten = False
        for part in self._replaced:
            with contextlib.suppress(ArchiveError):
                remove_file(self.folder / part.file)
        self._replaced.clear()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            with self._stack:
                self.commit()
            return
        try:
            for part in self._added:
                with contextlib.suppress(ArchiveError):
                    remove_file(self.folder / part.file)
            if self._is_begun:
                with contextlib.suppress(ArchiveError):
                    self._forget()
        finally:
            self._leave(error)
            self._remove_empty_folder()

    def _leave(self, error: BaseException) -> None:
        """Free the lock, which tells what went wrong first where it cannot be freed."""
        self._stack.__exit__(type(error), error, error.__traceback__)

    def _forget(self) -> None:
        """Leave nothing of a run of which nothing was committed.

        A worker may yet write a part, which without a manifest would be taken for one that lost
        it. A folder is removed then, or the manifest comes back; elsewhere it stays.
        """
        self._clear_leftovers(())
        if not (self._awaited and is_remote(self.folder)):
            remove_file(self.folder / MANIFEST)

    def _remove_empty_folder(self) -> None:
        """Leave no trace of a run that never came to be."""
        if is_remote(self.folder) or (self.folder / MANIFEST).exists():
            return
        if not self.folder.exists():
            return
        try:
            (self.folder / ".lock").unlink(missing_ok=True)
            self.folder.rmdir()
        except OSError:
            is_late = any(OWN_FILE.fullmatch(path.name) for path in self.folder.iterdir())
            if self._is_begun and is_late:  # a worker has just written a part
                with contextlib.suppress(ArchiveError):
                    self._write_manifest()
