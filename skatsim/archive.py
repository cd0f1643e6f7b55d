"""The archive: runs of games as Parquet parts with a manifest.

A run is a folder ``<archive>/<run>`` with parts and ``manifest.json``. The manifest alone
decides which parts belong to the run. Parts and manifest are whole before they are seen
(`skatsim.durable`); a finished part is never changed. One writer at a time holds a lock.
The archive may lie in a folder or at any URL that fsspec reaches.
"""

import os
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Self

from skatsim.durable import holder_of, is_locked, locked, unlock
from skatsim.errors import ArchiveError, UnreadableRunWarning
from skatsim.location import (
    folder_names,
    is_file,
    is_remote,
    locate,
    make_folder,
    remote_errors,
    remove_file,
    remove_tree,
)
from skatsim.manifest import (
    MANIFEST,
    RUN_NAME,
    Manifest,
    Part,
    check_run_name,
    has_parts,
    lost_manifest,
    parse_game_id,
)
from skatsim.reviews import REVIEW_FOLDER
from skatsim.run import Run
from skatsim.run_writer import RunWriter, WriterMode
from skatsim.verification import Problem, verify_run

__all__ = [
    "Archive",
    "Manifest",
    "Part",
    "Problem",
    "Run",
    "RunWriter",
    "check_run_name",
    "parse_game_id",
]


def _reaching(folder: Path) -> AbstractContextManager[None]:
    """Name in one line why a remote archive cannot be reached."""
    if not is_remote(folder):
        return nullcontext()
    return remote_errors(f"cannot reach the archive {str(folder)!r}")


class Archive:
    """A folder of runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"Archive({str(self.path)!r})"

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, create: bool = False) -> Self:
        """Open the archive at a folder or a URL.

        Parameters
        ----------
        path : the folder; ``~`` is expanded. Or a URL like ``s3://bucket/games``.
        create : make the folder where there is none.

        Raises
        ------
        ArchiveError
            There is no such folder, or it cannot be made.
        """
        folder = locate(path)
        if create:
            make_folder(folder, failed="cannot make the archive folder")
        with _reaching(folder):
            is_there = folder.is_dir() or (create and is_remote(folder))
        if not is_there:
            raise ArchiveError(
                f"no archive at {str(path)!r}: run 'skatsim simulate' or 'skatsim import' first, "
                "or name another with --archive"
            )
        return cls(folder)

    def runs(self, *, are_checked: bool = False) -> list[Run]:
        """All runs that can be read, by name.

        Parameters
        ----------
        are_checked : leave out those with files of another size than written (`Run.checked`).

        Warns
        -----
        UnreadableRunWarning
            A run was left out; the others are not kept from their readers by it.
        """
        found = []
        names = self.names()
        for name in names:
            try:
                run = Run.load(self.path / name)
                found.append(run.checked() if are_checked else run)
            except ArchiveError as error:
                warnings.warn(f"left out: {error}", UnreadableRunWarning, stacklevel=2)
        for name, problem in self._lost(names).items():
            message = f"left out: {problem or lost_manifest(self.path / name)}"
            warnings.warn(message, UnreadableRunWarning, stacklevel=2)
        return found

    def _lost(self, names: Sequence[str]) -> dict[str, str | None]:
        """Folders with parts and without a manifest, where nobody is writing either.

        `names` are the runs that have one. The value is why the folder cannot be listed, so that
        it is not known whether it is one of these; None where it can.
        """
        lost: dict[str, str | None] = {}
        for name in sorted(set(folder_names(self.path)).difference(names)):
            folder = self.path / name
            try:
                if has_parts(folder) and holder_of(folder) is None:
                    lost[name] = None
            except ArchiveError as error:
                if RUN_NAME.fullmatch(name):
                    lost[name] = str(error)
        return lost

    def names(self) -> list[str]:
        """The names of all runs, also of those that cannot be read."""
        return [name for name in folder_names(self.path) if self._may_be_run(name)]

    def _may_be_run(self, name: str) -> bool:
        """Whether a folder has a manifest, or is named like a run and does not let us know."""
        try:
            return is_file(self.path / name / MANIFEST)
        except ArchiveError:
            return bool(RUN_NAME.fullmatch(name))

    def run(self, name: str) -> Run:
        """The run of this name.

        Raises
        ------
        ArchiveError
            There is none, or it cannot be read.
        """
        return Run.load(self.folder(name))

    def folder(self, name: str) -> Path:
        """The folder of a run, readable or not: it has a manifest, or parts whose one is lost.

        Raises
        ------
        ArchiveError
            There is none, or it is only being written.
        """
        folder = self.path / check_run_name(name)
        if is_file(folder / MANIFEST):
            return folder
        holder = holder_of(folder)
        if holder is not None:
            raise ArchiveError(
                f"run {folder.name!r} is being written{holder}, and nothing of it is finished "
                "yet: wait for it"
            )
        if has_parts(folder):
            return folder
        known = ", ".join(self.names()) or "none"
        raise ArchiveError(f"no run {name!r} in {str(self.path)!r}: there are: {known}")

    def __contains__(self, name: str) -> bool:
        """True if there is a run of this name."""
        return is_file(self.path / check_run_name(name) / MANIFEST)

    def remove(self, name: str) -> None:
        """Delete a run, readable or not; the manifest goes first: no half of it is ever seen."""
        folder = self.folder(name)
        with locked(folder):
            remove_file(folder / MANIFEST)
            if is_remote(folder):  # where a folder is gone with its last file
                remove_tree(folder)
        if not is_remote(folder):
            remove_tree(folder)

    def unlock(self, name: str) -> str:
        """Free a run of a remote archive, and its reviews, whose writer was killed.

        Returns
        -------
        Who held the lock.

        Raises
        ------
        ArchiveError
            It is not locked, or the archive is a folder.
        """
        folder = self.path / check_run_name(name)
        locked_folders = [each for each in (folder, folder / REVIEW_FOLDER) if is_locked(each)]
        return ", ".join([unlock(each) for each in locked_folders or [folder]])

    def writer(self, manifest: Manifest, *, mode: WriterMode = "new") -> RunWriter:
        """A writer of the run that the manifest names (its parts are ignored).

        Parameters
        ----------
        manifest : where the run comes from.
        mode : ``new`` refuses a run that holds games; ``append`` adds to it, and refuses one with
            damaged parts; ``repair`` names those as ``damaged``, to be replaced; ``overwrite``
            replaces the run when the writer commits. All but that refuse parts without a manifest.
        """
        return RunWriter(self.path, manifest, mode)

    def verify(self, names: Sequence[str] | None = None, *, deep: bool = False) -> list[Problem]:
        """Check runs against their manifests; nothing is changed.

        Parameters
        ----------
        names : the runs; all of them by default.
        deep : also replay every game and recompute every derived column and digest.
        """
        problems: list[Problem] = []
        if names is None:
            names = self.names()
            problems += [
                Problem(run=name, part=None, hand=None, what=problem or "no manifest")
                for name, problem in self._lost(names).items()
            ]
        for name in names:
            try:
                run = self.run(name)
            except ArchiveError as error:
                problems.append(Problem(run=name, part=None, hand=None, what=str(error)))
                continue
            if run.name != run.folder.name:
                what = f"the folder was renamed: its games say run {run.name!r}"
                problems.append(Problem(run=run.folder.name, part=None, hand=None, what=what))
            problems.extend(verify_run(run, deep=deep))
        return problems
