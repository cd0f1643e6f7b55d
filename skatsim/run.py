"""One run of an archive, to be read."""

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skatsim.durable import file_damage, size_damage
from skatsim.errors import ArchiveError, RuleError
from skatsim.location import (
    error_text,
    file_sizes,
    is_file,
    is_remote,
    reading_remedy,
    remote_errors,
)
from skatsim.manifest import Manifest, Part, read_manifest
from skatsim.records import (
    OLDEST_SCHEMA,
    SCHEMA,
    SCHEMA_VERSION,
    STORED_SCHEMA,
    UPGRADE_NEEDS,
    from_table,
    stored_names,
    unpack_flags,
    upgraded,
)
from skatsim.reviews import REVIEW_FOLDER, ReviewManifest, ReviewPart
from skatsim.wording import count_text

__all__ = ["Run"]

_ALWAYS: Final = {field.name for field in STORED_SCHEMA if not field.nullable} | {*UPGRADE_NEEDS}
"""Columns that a part of any schema has."""


class Run:
    """One run of an archive, as its manifest says."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The run in a folder.

        Raises
        ------
        ArchiveError
            Its manifest cannot be read, or is of a schema that this skatsim does not know.
        """
        manifest = read_manifest(folder)
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
        try:
            manifest.rules()
        except RuleError as error:
            raise ArchiveError(f"cannot read run {folder.name!r}: {error}") from error
        return cls(folder, manifest)

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

    def checked(self) -> "Run":
        """The run as it is now, if each file is there with the size that its manifest says.

        It takes one listing of the folder, and one of the reviews where there are some; whether
        the content is the right one, `damage` tells. A run that is written to meanwhile, as when
        it is made compact, is read again.

        Raises
        ------
        ArchiveError
            A file is not as it was written: it is named.
        """
        run = self
        while True:
            reviews = run.reviews
            problem = run._file_problem(reviews)
            if problem is None:
                return run
            again = Run.load(run.folder)
            if again.manifest == run.manifest and again.reviews == reviews:
                raise ArchiveError(problem)
            run = again

    def _file_problem(self, reviews: ReviewManifest | None) -> str | None:
        """What is wrong with the size of the first file that is not as it was written."""
        groups: list[tuple[Path, Sequence[Part] | Sequence[ReviewPart]]]
        groups = [(self.folder, self.manifest.parts)]
        if reviews is not None:
            groups.append((self.folder / REVIEW_FOLDER, reviews.parts))
        for folder, parts in groups:
            found = file_sizes(folder, {part.file for part in parts}) if parts else {}
            for part in parts:
                unknown = part.file in found and found[part.file] is None
                damage = None if unknown else size_damage(found.get(part.file), part.bytes)
                if damage:
                    name = str((folder / part.file).relative_to(self.folder))
                    return self._part_problem(name, damage)
        return None

    def _part_problem(self, file: str, reason: str) -> str:
        """The message on a part that cannot be read."""
        remedy = "--resume plays damaged parts of a simulation anew"
        if file.startswith(REVIEW_FOLDER):
            remedy = f"'skatsim review --run {self.name} --overwrite' makes the reviews anew"
        return (
            f"cannot read part {file!r} of run {self.name!r}: {reason}: run 'skatsim verify'; "
            f"{remedy}"
        )

    def damage(self, part: Part) -> str | None:
        """In which way the file of a part is not as it was written; None where it is."""
        return file_damage(self.folder / part.file, part.bytes, part.sha256)

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
        return unpack_flags(self.read_stored(part, stored_names(names)), names)

    def read_stored(self, part: Part, names: Sequence[str] = STORED_SCHEMA.names) -> pa.Table:
        """One part as it is stored (`STORED_SCHEMA`), or some columns of it."""
        path = self.folder / part.file
        failed = f"cannot read part {part.file!r} of run {self.name!r}"
        try:
            with remote_errors(failed) if is_remote(path) else nullcontext():
                if is_remote(path):
                    source: Any = path.open("rb")
                    found = source.seek(0, os.SEEK_END)
                else:
                    source = path
                    found = path.stat().st_size if is_file(path) else None
                self._refuse(part, size_damage(found, part.bytes))
                with pq.ParquetFile(source) as file:
                    self._refuse(part, _other_games(file.metadata, part))
                    stored = set(file.schema_arrow.names)
                    is_old = not stored.issuperset(STORED_SCHEMA.names)
                    wanted = dict.fromkeys((*names, *UPGRADE_NEEDS) if is_old else names)
                    present = [name for name in wanted if name in stored or name in _ALWAYS]
                    table = file.read(columns=present).select(present)
        except PermissionError as error:
            raise ArchiveError(
                f"{failed}: {error_text(error)}{reading_remedy(error, path)}"
            ) from error
        except (OSError, pa.ArrowException, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise ArchiveError(self._part_problem(part.file, reason)) from error
        table = table.cast(pa.schema([STORED_SCHEMA.field(name) for name in present]))
        if not is_old:
            return table
        rules = self.manifest.rules().kernel_record()
        return upgraded(table, names, int(rules["max_matadors"]))

    def _refuse(self, part: Part, problem: str | None) -> None:
        """Raise ArchiveError where there is a problem with a part."""
        if problem:
            raise ArchiveError(self._part_problem(part.file, problem))

    def game(self, hand_number: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """One game: its row (shape (1,), dtype `GAME`), its calls, and all its columns by name.

        Raises
        ------
        ArchiveError
            The run has no such game.
        """
        for part in self.manifest.parts:
            if part.first <= hand_number < part.first + part.hands:
                table = self.read_stored(part).slice(hand_number - part.first, 1)
                rows, calls = from_table(table)
                return rows, calls, unpack_flags(table).to_pylist()[0]
        raise ArchiveError(
            f"run {self.name!r} has no game {hand_number}: it holds {self.hands}, from 0"
        )

    def stored(self, first: int, count: int) -> pa.Table:
        """Some games in a row as they are stored (`STORED_SCHEMA`); fewer where the run ends."""
        pieces = []
        for part in self.manifest.parts:
            start = max(first, part.first)
            end = min(first + count, part.first + part.hands)
            if start < end:
                pieces.append(self.read_stored(part).slice(start - part.first, end - start))
        return pa.concat_tables(pieces) if pieces else STORED_SCHEMA.empty_table()

    def rows(self, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Some games in a row: their rows (dtype `GAME`) and calls.

        Parameters
        ----------
        first : hand number of the first.
        count : how many; fewer are returned where the run ends before.
        """
        return from_table(self.stored(first, count))

    def prefix_digest(self, count: int) -> str:
        """The digest of the first `count` games."""
        total = 0
        for part in self.manifest.parts:
            wanted = min(part.hands, count - part.first)
            if wanted == part.hands:
                total += int(part.digest, 16)
            elif wanted > 0:
                from skatsim.replaying import rows_digest  # loads the kernels of a whole game

                rows, calls = from_table(self.read_stored(part).slice(0, wanted))
                total += int(rows_digest(rows, calls), 16)
        return f"{total % 2**128:032x}"


def _other_games(metadata: pq.FileMetaData, part: Part) -> str | None:
    """In which way the foot of a file says that it holds other games than the part."""
    if metadata.num_rows != part.hands:
        return f"it holds {count_text(metadata.num_rows, 'game')} instead of {part.hands}"
    place = STORED_SCHEMA.get_field_index("hand_number")
    if metadata.num_row_groups == 0 or metadata.num_columns <= place:
        return None
    numbers = metadata.row_group(0).column(place).statistics
    if numbers is not None and numbers.has_min_max and numbers.min != part.first:
        return f"it starts with game {numbers.min} instead of {part.first}"
    return None
