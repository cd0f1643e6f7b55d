"""Runs made compact, and copied from one archive to another."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skatsim.archive import Archive
from skatsim.durable import holder_of, locked, write_whole
from skatsim.errors import ArchiveError
from skatsim.location import (
    file_names,
    file_sizes,
    is_remote,
    make_folder,
    read_bytes,
    remove_file,
    remove_tree,
)
from skatsim.manifest import MANIFEST, has_parts, lost_manifest, part_hands
from skatsim.records import SCHEMA_VERSION
from skatsim.reviews import REVIEW_FOLDER
from skatsim.run import Run

__all__ = ["Compaction", "compact_run", "copy_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What became of the parts of a run."""

    run: str
    hands: int
    parts_before: int
    parts: int
    bytes_before: int
    bytes: int
    digest: str


def compact_run(
    archive: Archive, name: str, *, on_progress: Callable[[int, int], None] | None = None
) -> Compaction:
    """Put the games of a run into full parts: row groups of 250,000 games.

    The run is the old one until all is written, then at once the new one; its digest and its
    reviews stay. Parts that are full already are left alone, unless the run is of an older
    schema: it becomes one of today's.

    Parameters
    ----------
    archive, name : the archive and the run.
    on_progress : called with the games done and all games.

    Raises
    ------
    ArchiveError
        There is no such run, a part is damaged or missing, or the archive cannot be written.
    """
    with archive.writer(_begun_run(archive, name).manifest, mode="append") as writer:
        old = writer.manifest
        run = Run(writer.folder, old)
        ranges = _full_ranges(run)
        is_current = old.schema_version == SCHEMA_VERSION
        kept = [part for part in old.parts if is_current and (part.first, part.hands) in ranges]
        stale = [part for part in old.parts if part not in kept]
        made = []
        for first, hands in ranges:
            if not any(part.first == first for part in kept):
                made.append(writer.rewrite(run.stored(first, hands), first))
            if on_progress:
                on_progress(first + hands, run.hands)
        writer.replace(stale, made)
        new = writer.manifest
        if new.digest != old.digest:
            raise ArchiveError(
                f"cannot compact run {old.run!r}: its games have another digest than the "
                "manifest's: run 'skatsim verify --deep'"
            )
    return Compaction(
        run=new.run,
        hands=new.hands,
        parts_before=len(old.parts),
        parts=len(new.parts),
        bytes_before=old.bytes,
        bytes=new.bytes,
        digest=new.digest,
    )


def _begun_run(archive: Archive, name: str) -> Run:
    """The run of this name, of which a part at least is finished."""
    run = archive.run(name)
    if not run.manifest.parts:
        holder = holder_of(run.folder)
        why = "" if holder is None else f": it is being written{holder}"
        raise ArchiveError(f"run {run.name!r} has no finished part yet{why}")
    return run


def _full_ranges(run: Run) -> list[tuple[int, int]]:
    """First game and number of games of each part of a compact run."""
    position = 0
    for part in run.manifest.parts:
        if part.first != position:
            raise ArchiveError(
                f"cannot compact run {run.name!r}: games {position} to {part.first - 1} are "
                "missing: simulate it with --resume first"
            )
        position = part.first + part.hands
    most = part_hands(run.manifest.series_length)
    return [(first, min(most, run.hands - first)) for first in range(0, run.hands, most)]


def copy_run(
    archive: Archive,
    name: str,
    target: Archive,
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Copy a run, with its reviews and rejects, into another archive.

    The copy is seen when it is whole: its manifest comes last.

    Parameters
    ----------
    archive, name : the archive and the run.
    target : where to copy it to, a folder or a URL.
    on_progress : called with the games done and all games.

    Raises
    ------
    ArchiveError
        There is no such run, the target has one of this name, a part is damaged, or the target
        cannot be written.
    """
    run = _begun_run(archive, name)
    folder = target.path / run.name
    is_new_folder = not (file_names(folder) if is_remote(folder) else folder.exists())
    make_folder(folder)
    try:
        with locked(folder):
            if run.name in target:
                raise ArchiveError(f"run {run.name!r} exists already in {str(target.path)!r}")
            if has_parts(folder) and not _is_begun_copy(folder, run):
                raise ArchiveError(lost_manifest(folder))
            for left in file_names(folder, ".part-*.tmp"):  # by a copy that was killed
                remove_file(folder / left)
            _copy_files(run, folder, on_progress)
            # not the file, which may name more by now
            write_whole(folder / MANIFEST, run.manifest.to_json().encode())
    except BaseException:
        if is_new_folder:
            with suppress(ArchiveError):  # what went wrong first is what is told
                remove_tree(folder)
        raise
    return target.run(run.name)


def _is_begun_copy(folder: Path, run: Run) -> bool:
    """Whether the parts in a folder are what a copy that was killed left of a run."""
    found = file_sizes(folder, set(file_names(folder, "part-*.parquet")))
    sizes = {part.file: part.bytes for part in run.manifest.parts}
    return all(sizes.get(file) == size for file, size in found.items())


def _copy_files(run: Run, folder: Path, on_progress: Callable[[int, int], None] | None) -> None:
    done = 0
    for part in run.manifest.parts:
        _copy_part(run, part.file, part.sha256, folder)
        done += part.hands
        if on_progress:
            on_progress(done, run.hands)
    for file in file_names(run.folder, "*.jsonl"):
        write_whole(folder / file, read_bytes(run.folder / file))
    reviews = run.reviews
    if reviews is not None:
        make_folder(folder / REVIEW_FOLDER)
        for review in reviews.parts:
            _copy_part(run, f"{REVIEW_FOLDER}/{review.file}", review.sha256, folder)
        reviews.write(folder)


def _copy_part(run: Run, file: str, sha256: str, folder: Path) -> None:
    try:
        content = read_bytes(run.folder / file)
    except FileNotFoundError:
        raise ArchiveError(
            f"cannot read part {file!r} of run {run.name!r}: it is missing: run 'skatsim verify'"
        ) from None
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ArchiveError(
            f"part {file!r} of run {run.name!r} is not as it was written: run 'skatsim verify'"
        )
    write_whole(folder / file, content)
