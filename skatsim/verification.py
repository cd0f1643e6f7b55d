"""What `verify` finds: runs checked against their manifests, games against the rules."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from skatsim.durable import holder_of
from skatsim.errors import ArchiveError
from skatsim.kernels.columns import GAME
from skatsim.location import file_names, is_file, is_remote
from skatsim.manifest import MANIFEST, UNNAMED, Part
from skatsim.records import FLAGS, counted, from_table
from skatsim.reviews import REVIEW_FOLDER, ReviewManifest
from skatsim.run import Run
from skatsim.wording import count_text

__all__ = ["Problem", "verify_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something `verify` found: in which run, part and game, and what."""

    run: str
    part: str | None
    hand: int | None
    what: str


def verify_run(run: Run, *, deep: bool) -> list[Problem]:
    """What is wrong with a run; `deep` also replays every game.

    A run may be written to meanwhile: a part that was not named yet, or is named no more, is none.
    """
    problems = []
    try:
        for problem in _problems(run, deep=deep):
            problems.append(problem)
    except ArchiveError as error:
        problems.append(Problem(run=run.name, part=None, hand=None, what=str(error)))
    if not problems:
        return problems
    try:
        now = {part.file for part in Run.load(run.folder).manifest.parts}
    except ArchiveError:
        return problems
    before = {part.file for part in run.manifest.parts}
    is_written = not is_remote(run.folder) and holder_of(run.folder) is not None

    def lasts(problem: Problem) -> bool:
        if problem.part in before:
            return problem.part in now
        return problem.part not in now and not (is_written and problem.what == UNNAMED)

    return [problem for problem in problems if lasts(problem)]


def _problems(run: Run, *, deep: bool) -> Iterator[Problem]:
    def problem(what: str, part: str | None = None, hand: int | None = None) -> Problem:
        return Problem(run=run.name, part=part, hand=hand, what=what)

    known = {part.file for part in run.manifest.parts}
    for name in file_names(run.folder, "*.parquet"):
        if name not in known:
            yield problem(UNNAMED, name)
    expected = 0
    for part in run.manifest.parts:
        if part.first != expected:
            yield problem(f"starts with game {part.first} instead of {expected}", part.file)
        expected = part.first + part.hands
        try:
            damage = run.damage(part)
            is_there = is_file(run.folder / part.file)
        except ArchiveError as error:
            yield problem(str(error), part.file)
            continue
        if damage:
            yield problem(damage, part.file)
        if deep and is_there:
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
    if deep:
        yield from _verify_reviewed_games(run, reviews)


def _verify_reviewed_games(run: Run, reviews: ReviewManifest) -> Iterator[Problem]:
    from skatsim.replaying import rows_digest

    def problem(what: str, file: str) -> Problem:
        return Problem(run=run.name, part=f"{REVIEW_FOLDER}/{file}", hand=None, what=what)

    for part in reviews.parts:
        try:
            rows, calls = run.rows(part.first, part.hands)
        except ArchiveError as error:
            yield problem(str(error), part.file)
            continue
        if len(rows) != part.hands or rows_digest(rows, calls) != part.digest:
            yield problem("the games it reviews are not those of the run", part.file)


def _verify_games(run: Run, part: Part) -> Iterator[Problem]:
    # they load the kernels of a whole game, which a check of the files can do without
    from skatsim.kernels.replay import POSITION
    from skatsim.replaying import replay_rows, rows_digest

    def problem(what: str, hand: int | None = None) -> Problem:
        return Problem(run=run.name, part=part.file, hand=hand, what=what)

    try:
        table = run.read_stored(part)
        rows, calls = from_table(table)
    except (ArchiveError, ValueError, KeyError) as error:
        yield problem(str(error).splitlines()[0])
        return
    if table.num_rows != part.hands:
        yield problem(f"holds {count_text(table.num_rows, 'game')} instead of {part.hands}")
    numbers = table.column("hand_number").to_numpy()
    if not np.array_equal(numbers, np.arange(part.first, part.first + len(numbers))):
        yield problem("the hand numbers do not follow each other")
    if table.column("run").unique().to_pylist() != [run.name] and len(rows):
        yield problem("the column run names another run")
    replayed, faults = replay_rows(rows, calls, run.manifest.rules())
    for index in np.flatnonzero(faults):
        fault = int(faults[index])
        yield problem(
            f"does not replay: fault {fault % POSITION} at position {fault // POSITION}",
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
    is_counted = (table.column("flags").to_numpy() >> FLAGS["is_counted"]) & 1 != 0
    for index in np.flatnonzero(is_counted != counted(table))[:10]:
        yield problem(
            f"is_counted is {is_counted[index]}, its status says otherwise", int(numbers[index])
        )
    if rows_digest(rows, calls) != part.digest:
        yield problem("the digest differs from the manifest's")
