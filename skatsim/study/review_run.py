"""A whole run reviewed: resumable, by several threads, into a table beside its games."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import joblib
import numpy as np
import pyarrow as pa

from skatsim.archive import Archive, Run
from skatsim.arguments import check_jobs, check_text, check_whole
from skatsim.cards import ALL_MASK
from skatsim.contracts import CONTRACT_NAMES, Contract
from skatsim.durable import locked, now
from skatsim.errors import ArchiveError
from skatsim.kernels import solver_drive as _drive
from skatsim.kernels.cards import NULL, mask_points
from skatsim.location import file_names, make_folder, remove_file
from skatsim.records import CONTRACTS
from skatsim.replaying import rows_digest
from skatsim.reviews import (
    REVIEW_FOLDER,
    REVIEW_SCHEMA,
    ReviewManifest,
    ReviewPart,
    write_review_part,
)
from skatsim.ruleset import Ruleset
from skatsim.simulation import usable_processors
from skatsim.solver import Position, borrowed_workspace, reaches
from skatsim.study.review import contract_score, value_games

__all__ = ["PART_GAMES", "RunReview", "review_run"]

solver_drive: Any = _drive
"""mypy sees the plain functions, which take no unpacked lists."""

PART_GAMES: Final = 10_000
"""Games of the run that a part covers; what is lost when the program is killed."""

BLOCK_GAMES: Final = 100
"""Games that a thread reviews at a time."""

SCHNEIDER_LOST, LOST, WON, SCHNEIDER_WON = 30, 60, 61, 90
"""Card points that stand for all with which a game ends alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReview:
    """What a review of a run did.

    ``hands`` are the games of the run that are covered now, ``games`` those of them that have
    a review; the ``new_`` ones are this call's. ``seconds`` is wall time.
    """

    run: str
    hands: int
    games: int
    new_hands: int
    new_games: int
    seconds: float
    games_per_second: float
    bytes: int
    has_discards: bool
    has_contracts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reviewed:
    """Reviews of a block of rows."""

    values: np.ndarray
    won: np.ndarray
    counts: np.ndarray
    discards: list[tuple[int, int] | None]
    contracts: list[tuple[int, bool, str, int, bool] | None]


def review_run(
    archive: str | Archive,
    run: str,
    *,
    with_discards: bool = False,
    with_contracts: bool = False,
    hands: int | None = None,
    n_jobs: int | None = None,
    is_overwritten: bool = False,
    stop: threading.Event | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> RunReview:
    """Review the games of a run that have a declarer, and archive the reviews.

    What has been reviewed is left alone, so that a review can be stopped and resumed.

    Parameters
    ----------
    archive : folder of the archive.
    run : name of the run.
    with_discards : also find the best of the 66 discards (some 20 ms a game).
    with_contracts : also compare the contract with the others (some 40 ms a game).
    hands : only the first so many games.
    n_jobs : threads, by default the usable processors.
    is_overwritten : begin anew.
    stop : when set, no further block is begun and what is finished is kept.
    on_progress : called with the games covered and the games asked for.

    Raises
    ------
    ArchiveError
        There is no such run, it is being reviewed, or a record does not replay.
    """
    check_text(run, "run")
    if hands is not None:
        hands = check_whole(hands, "hands", least=0)
    n_jobs = check_jobs(n_jobs)
    opened = archive if isinstance(archive, Archive) else Archive.open(archive)
    found = opened.run(run)
    wanted = found.hands if hands is None else min(hands, found.hands)
    started = time.perf_counter()
    folder = found.folder / REVIEW_FOLDER
    make_folder(folder)
    with locked(folder, run=found.name, what=f"the review of run {found.name!r}"):
        manifest = _begin(found, with_discards, with_contracts, is_overwritten)
        before = manifest
        workers = n_jobs or usable_processors()
        work = _Work(found, with_discards, with_contracts, workers, stop)
        done = sum(max(min(end, wanted) - first, 0) for first, end in manifest.done)
        if on_progress:
            on_progress(done, wanted)
        for first, count in _missing(manifest, wanted):
            part: ReviewPart | None = None
            for made, covered in work.part(first, count):
                part = made
                if on_progress:
                    on_progress(done + covered, wanted)
            if part is not None:
                done += part.hands
                manifest = replace(manifest, parts=(*manifest.parts, part), updated_at=now())
                manifest.write(found.folder)
            if stop is not None and stop.is_set():
                break
    seconds = time.perf_counter() - started
    new = manifest.games - before.games
    return RunReview(
        run=found.name,
        hands=manifest.hands,
        games=manifest.games,
        new_hands=manifest.hands - before.hands,
        new_games=new,
        seconds=seconds,
        games_per_second=new / seconds if seconds else 0.0,
        bytes=manifest.bytes,
        has_discards=all(part.has_discards for part in manifest.parts),
        has_contracts=all(part.has_contracts for part in manifest.parts),
    )


def _begin(
    run: Run, with_discards: bool, with_contracts: bool, is_overwritten: bool
) -> ReviewManifest:
    """The manifest to go on from; files that it does not name are removed."""
    folder = run.folder / REVIEW_FOLDER
    manifest = None if is_overwritten else run.reviews
    if manifest is None:
        manifest = ReviewManifest(
            run=run.name, run_created_at=run.manifest.created_at, created_at=now()
        )
    kept = tuple(
        part
        for part in manifest.parts
        if part.has_discards >= with_discards
        and part.has_contracts >= with_contracts
        and part.first + part.hands <= run.hands
    )
    manifest = replace(manifest, parts=kept, updated_at=now())
    manifest.write(run.folder)
    names = {part.file for part in kept}
    for name in file_names(folder, "*part-*"):
        if name not in names:
            remove_file(folder / name)
    return manifest


def _missing(manifest: ReviewManifest, wanted: int) -> Iterator[tuple[int, int]]:
    """First game and number of games of each part still to be made."""
    position = 0
    for first, end in [*manifest.done, (wanted, wanted)]:
        while position < min(first, wanted):
            border = (position // PART_GAMES + 1) * PART_GAMES
            count = min(border, first, wanted) - position
            yield position, count
            position += count
        position = max(position, end)


class _Work:
    """How a run is reviewed."""

    def __init__(
        self,
        run: Run,
        with_discards: bool,
        with_contracts: bool,
        n_jobs: int,
        stop: threading.Event | None,
    ) -> None:
        self.run = run
        self.ruleset = run.manifest.rules()
        self.with_discards = with_discards
        self.with_contracts = with_contracts
        self.n_jobs = n_jobs
        self.stop = stop

    def part(self, first: int, count: int) -> Iterator[tuple[ReviewPart | None, int]]:
        """Review some games in a row; the part comes last, with what it covers.

        When stopped, the part covers what was finished without a gap.
        """
        rows, calls = self.run.rows(first, count)
        chosen = np.flatnonzero(_is_reviewable(rows) & self._is_counted(first, count))
        blocks = [chosen[at : at + BLOCK_GAMES] for at in range(0, len(chosen), BLOCK_GAMES)]
        finished: list[_Reviewed] = []
        covered = count
        for block, reviewed in zip(blocks, self._reviewed(rows, blocks), strict=True):
            if covered < count:
                continue  # the blocks after a gap are left for another time
            if reviewed is None:
                covered = int(block[0])
                continue
            finished.append(reviewed)
            yield None, int(block[-1]) + 1
        if covered == 0:
            return
        if covered < count:
            rows, calls = self.run.rows(first, covered)
            chosen = chosen[chosen < covered]
        table = self._table(first, rows, chosen, finished)
        part = write_review_part(
            self.run.folder / REVIEW_FOLDER / f"part-{first:012d}.parquet",
            table,
            first=first,
            hands=covered,
            digest=rows_digest(rows, calls),
            has_discards=self.with_discards,
            has_contracts=self.with_contracts,
        )
        yield part, covered

    def _is_counted(self, first: int, count: int) -> np.ndarray:
        """The column `is_counted`, shape (count,)."""
        pieces = []
        for part in self.run.manifest.parts:
            start, end = max(first, part.first), min(first + count, part.first + part.hands)
            if start < end:
                column = self.run.read_part(part, ["is_counted"]).column("is_counted")
                pieces.append(column.to_numpy()[start - part.first : end - part.first])
        return np.concatenate(pieces)

    def _reviewed(self, rows: np.ndarray, blocks: list[np.ndarray]) -> Iterator[_Reviewed | None]:
        """Reviews of blocks in their order, None from where it was stopped."""
        if self.n_jobs == 1 or len(blocks) < 2:
            return (self._block(rows[block]) for block in blocks)
        parallel = joblib.Parallel(
            n_jobs=self.n_jobs, backend="threading", return_as="generator", batch_size=1
        )
        reviewed: Iterator[_Reviewed | None] = parallel(
            joblib.delayed(self._block)(rows[block]) for block in blocks
        )
        return reviewed

    def _block(self, rows: np.ndarray) -> _Reviewed | None:
        if self.stop is not None and self.stop.is_set():
            return None
        discards: list[tuple[int, int] | None] = [None] * len(rows)
        contracts: list[tuple[int, bool, str, int, bool] | None] = [None] * len(rows)
        with borrowed_workspace() as ws:
            values, won, counts = value_games(ws, rows)
            for place, row in enumerate(rows):
                if counts[place] < 0:
                    continue
                game = _Open(ws, row)
                if self.with_discards and game.is_skat_taken:
                    discards[place] = game.best_discard()
                if self.with_contracts:
                    contracts[place] = game.best_contract(self.ruleset)
        return _Reviewed(
            values=values, won=won, counts=counts, discards=discards, contracts=contracts
        )

    def _table(
        self, first: int, rows: np.ndarray, chosen: np.ndarray, finished: list[_Reviewed]
    ) -> pa.Table:
        rows = rows[chosen]
        counts = np.concatenate([block.counts for block in finished] or [np.zeros(0, np.int64)])
        if np.any(counts < 0):
            number = first + int(chosen[int(np.flatnonzero(counts < 0)[0])])
            raise ArchiveError(
                f"game {number} of run {self.run.name!r} does not replay: run 'skatsim verify"
                " --deep'"
            )
        values = [bytes(value) for block in finished for value in block.values]
        won = np.concatenate([block.won for block in finished] or [np.zeros(0, np.uint32)])
        discards = [discard for block in finished for discard in block.discards]
        contracts = [contract for block in finished for contract in block.contracts]
        is_null = rows["contract"] == NULL

        def discard_value(place: int) -> int | None:
            found = discards[place]
            return None if found is None or is_null[place] else found[0]

        def discard_won(place: int) -> bool | None:
            found = discards[place]
            if found is None:
                return None
            needed = 90 if rows[place]["is_schneider_announced"] else 61
            return found[0] >= (1 if is_null[place] else needed)

        def of_contract(index: int) -> list[Any]:
            return [None if found is None else found[index] for found in contracts]

        places = range(len(rows))
        columns = {
            "run": [self.run.name] * len(rows),
            "hand_number": first + chosen,
            "declarer_seat": rows["declarer_seat"],
            "contract": [CONTRACTS[number] for number in rows["contract"]],
            "play_count": counts,
            "trick_winners": rows["trick_winners"],
            "card_values": values,
            "won_bits": won,
            "best_discard_mask": [None if found is None else found[1] for found in discards],
            "best_discard_value": [discard_value(place) for place in places],
            "is_best_discard_won": [discard_won(place) for place in places],
            "contract_score": of_contract(0),
            "is_contract_won": of_contract(1),
            "best_contract": of_contract(2),
            "best_contract_score": of_contract(3),
            "is_best_contract_won": of_contract(4),
        }
        return pa.table(
            [
                pa.array(columns[field.name], field.type)
                if not pa.types.is_dictionary(field.type)
                else pa.array(columns[field.name], pa.string()).dictionary_encode().cast(field.type)
                for field in REVIEW_SCHEMA
            ],
            schema=REVIEW_SCHEMA,
        )


def _is_reviewable(rows: np.ndarray) -> np.ndarray:
    """Games with a declarer, a contract that is not Ramsch, and all cards known."""
    masks = [rows[f"{name}_mask"] for name in ("forehand", "middlehand", "rearhand", "skat")]
    seen = masks[0] | masks[1] | masks[2] | masks[3]
    is_known = seen == ALL_MASK
    for mask in masks[:3]:
        is_known &= np.bitwise_count(mask) == 10
    is_played = (rows["contract"] >= 0) & (rows["contract"] <= NULL) & (rows["declarer_seat"] >= 0)
    is_buried = (rows["is_skat_taken"] == 0) | (rows["discard_mask"] != 0)
    return np.asarray(is_known & is_played & is_buried)


class _Open:
    """A game's deal from the declarer's side, and what he could have made of it."""

    def __init__(self, ws: int, row: Any) -> None:
        masks = [int(row[f"{name}_mask"]) for name in ("forehand", "middlehand", "rearhand")]
        self.ws = ws
        seat = int(row["declarer_seat"])
        self.skat_mask = int(row["skat_mask"])
        self.is_skat_taken = bool(row["is_skat_taken"])
        self.hands = [masks[(seat + number) % 3] for number in range(3)]
        self.cards_mask = self.hands[0] | self.skat_mask
        self.leader = -seat % 3
        self.bid_value = int(row["bid_value"])
        self.declared = Contract(
            name=CONTRACT_NAMES[int(row["contract"])],
            is_hand=bool(row["is_hand"]),
            is_schneider_announced=bool(row["is_schneider_announced"]),
            is_schwarz_announced=bool(row["is_schwarz_announced"]),
            is_ouvert=bool(row["is_ouvert"]),
        )

    def best_discard(self, contract: int | None = None, at_least: int = -1) -> tuple[int, int]:
        """Value and mask of the best discard; see `skatsim.kernels.solver_drive`."""
        number = self.declared.number if contract is None else contract
        found = int(
            solver_drive.best_discard(
                self.ws, self.cards_mask, *self.hands[1:], number, self.leader, at_least
            )
        )
        return found >> 32, found & ALL_MASK

    def reaches(self, contract: int, at_least: int) -> bool:
        """Whether the declarer gets so many card points at best; null: whether he wins."""
        if self.is_skat_taken:
            return self.best_discard(contract, at_least)[0] == 1
        missing = max(at_least - int(mask_points(self.skat_mask)), 0)
        solved = solver_drive.solve_deal(self.ws, *self.hands, contract, self.leader, missing)
        return bool(solved == 1)

    def outcome(self, contract: Contract, ruleset: Ruleset) -> tuple[int, bool]:
        """Score and whether won under best discard and play; schwarz only where announced."""
        won, points = False, SCHNEIDER_LOST
        number = contract.number
        if contract.is_null:
            won = self.reaches(number, -1)
        elif self.reaches(number, WON):
            points = SCHNEIDER_WON if self.reaches(number, SCHNEIDER_WON) else WON
        elif self.reaches(number, SCHNEIDER_LOST + 1):
            points = LOST
        if contract.is_schwarz_announced:
            won = points == SCHNEIDER_WON and self._takes_all(contract)
        return contract_score(
            contract, self.cards_mask, self.bid_value, ruleset, points=points, won=won
        )

    def _takes_all(self, contract: Contract) -> bool:
        """Whether the declarer of a hand game can take every trick."""
        return reaches(
            Position(
                forehand_mask=self.hands[self.leader],
                middlehand_mask=self.hands[(self.leader + 1) % 3],
                rearhand_mask=self.hands[(self.leader + 2) % 3],
                skat_mask=self.skat_mask,
                contract=contract,
                declarer_seat=-self.leader % 3,
            )
        )

    def best_contract(self, ruleset: Ruleset) -> tuple[int, bool, str, int, bool]:
        """Score and win of the contract declared; name, score and win of the best."""
        score, won = self.outcome(self.declared, ruleset)
        best = (self.declared.name, score, won)
        for name in reversed(CONTRACT_NAMES):
            contract = Contract(name=name, is_hand=not self.is_skat_taken)
            if contract != self.declared:
                other, is_other_won = self.outcome(contract, ruleset)
                if other > best[1]:
                    best = (name, other, is_other_won)
        return (score, won, *best)
