"""Blocks of games played, and parts of a run made of them: the work of one worker.

Game k of a seed is the same whoever plays it out and whatever the block.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from skatsim.cards import mask_text
from skatsim.errors import PolicyError
from skatsim.kernels import engine
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, MAX_CALLS, PHASE_PLAY, PUBLIC, legal_cards
from skatsim.manifest import Part
from skatsim.policies.players import DECISIONS, Players
from skatsim.records import SEATS, Games, to_table
from skatsim.replaying import rows_digest
from skatsim.ruleset import Ruleset
from skatsim.run_writer import write_part
from skatsim.seating import FAULT_PLACE, SeriesPlan, series_games

__all__ = ["Task", "play_block", "play_part"]

BLOCK_HANDS: Final = 16_384
"""Games played and turned into columns at a time: as many as fit a processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One part to be played: games `first` to ``first + hands - 1``, into `path` if any."""

    run: str
    seed: int
    first: int
    hands: int
    players: Players
    ruleset: Ruleset
    path: Path | None
    plan: SeriesPlan | None = None


def play_block(
    seed: int,
    first: int,
    hands: int,
    *,
    players: Players,
    ruleset: Ruleset,
    plan: SeriesPlan | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Play games ``first`` to ``first + hands - 1`` of a seed, as deals of series with a `plan`.

    Returns
    -------
    rows : structured array of shape (hands,), dtype `skatsim.kernels.columns.GAME`.
    calls : uint16 array, the calls of all auctions; see ``rows["call_end"]``.

    Raises
    ------
    PolicyError
        A policy answered with an action that is not legal.
    """
    if plan is not None:
        return _play_series(seed, first, hands, players, ruleset, plan)
    rows = np.empty(hands, dtype=GAME)
    calls = np.empty(hands * MAX_CALLS, dtype=np.uint16)
    public, hidden = np.zeros(1, dtype=PUBLIC), np.zeros(1, dtype=HIDDEN)
    fault = engine.simulate_games(
        ruleset.kernel_record(),
        players.kernel_rows(),
        public,
        hidden,
        seed,
        first,
        hands,
        rows,
        calls,
    )
    if fault:
        raise _policy_error(public[0], hidden[0], players, seed)
    used = int(rows["call_end"][-1]) if hands else 0
    return rows, calls[:used].copy()


def _play_series(
    seed: int, first: int, hands: int, players: Players, ruleset: Ruleset, plan: SeriesPlan
) -> tuple[np.ndarray, np.ndarray]:
    tables = [players.at(plan.seats(dealer)) for dealer in range(plan.table_size)]
    rows, calls, fault, (public, hidden) = series_games(
        seed,
        first,
        hands,
        plan=plan,
        tables=[table.kernel_rows() for table in tables],
        ruleset=ruleset,
    )
    if fault:
        _, deal = plan.place(first + fault // FAULT_PLACE)
        raise _policy_error(public, hidden, tables[deal % plan.table_size], seed)
    return rows, calls


def _policy_error(public: Any, hidden: Any, players: Players, seed: int) -> PolicyError:
    seat, phase = int(public["seat"]), int(public["phase"])
    decision = DECISIONS[2 if phase >= PHASE_PLAY else min(phase, 1)]
    policy = getattr(players, decision)[seat]
    legal = f": legal were {mask_text(legal_cards(public, hidden))}" if phase == PHASE_PLAY else ""
    return PolicyError(
        f"policy {policy.text!r} at {SEATS[seat]} answered {decision} with an illegal action in "
        f"a game of seed {seed} after {int(public['play_count'])} cards{legal}"
    )


def play_part(task: Task) -> Part:
    """Play the games of a part in blocks, write them where the task names a file."""
    tables: list[pa.Table] = []
    digest = declared = won = 0
    block = task.plan.whole(BLOCK_HANDS) if task.plan else BLOCK_HANDS
    names = task.players.names()
    for first in range(task.first, task.first + task.hands, block):
        count = min(block, task.first + task.hands - first)
        rows, calls = play_block(
            task.seed,
            first,
            count,
            players=task.players,
            ruleset=task.ruleset,
            plan=task.plan,
        )
        digest += int(rows_digest(rows, calls), 16)
        is_declared = (rows["contract"] >= 0) & (rows["declarer_seat"] >= 0)
        declared += int(np.count_nonzero(is_declared))
        won += int(np.count_nonzero(rows["is_won"]))
        if task.path is not None:
            games = Games(
                run=task.run,
                source="simulator",
                ruleset=task.ruleset.name,
                rows=rows,
                calls=calls,
                first=first,
                players=(names[0], names[1], names[2]),
                series=task.plan.seating(first, count) if task.plan else None,
            )
            tables.append(to_table(games))
    text = f"{digest % 2**128:032x}"
    if task.path is None:
        return Part(
            file="",
            first=task.first,
            hands=task.hands,
            bytes=0,
            sha256="",
            digest=text,
            declared=declared,
            won=won,
        )
    return write_part(
        task.path,
        pa.concat_tables(tables),
        first=task.first,
        digest=text,
        declared=declared,
        won=won,
    )
