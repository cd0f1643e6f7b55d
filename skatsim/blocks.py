"""Blocks of games played, and parts of a run made of them: the work of one worker.

Game k of a seed is the same whoever plays it out and whatever the block.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from skatsim.cards import SEATS
from skatsim.errors import PolicyError
from skatsim.kernels import engine
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, MAX_CALLS, PUBLIC
from skatsim.manifest import Part
from skatsim.plugged import FaultAction, Played, Referee, play_plugged
from skatsim.policies.answers import close_programs
from skatsim.policies.players import Players
from skatsim.records import Games, to_table
from skatsim.replaying import rows_digest
from skatsim.ruleset import Ruleset
from skatsim.run_writer import write_part
from skatsim.seating import SeriesPlan, series_games
from skatsim.view import QUESTIONS
from skatsim.wording import count_text

__all__ = ["Task", "play_block", "play_games", "play_part"]

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
    on_fault: FaultAction = "stop"
    time_limit: float | None = None


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
    if players.has_plugins:
        played = play_plugged(seed, first, hands, players=players, ruleset=ruleset, plan=plan)
        return played.rows, played.calls
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
        _, deal = plan.place(first + fault // engine.FAULT_PLACE)
        raise _policy_error(public, hidden, tables[deal % plan.table_size], seed)
    return rows, calls


def _policy_error(public: Any, hidden: Any, players: Players, seed: int) -> PolicyError:
    """A built-in policy broke the rules, which is a fault of the project's own."""
    seat, phase = int(public["seat"]), int(public["phase"])
    policy = players.player(engine.player_number(phase, seat))
    return PolicyError(
        f"policy {policy.text!r} at {SEATS[seat]} answered {QUESTIONS[phase]} with an illegal "
        f"action in a game of seed {seed} after "
        f"{count_text(int(public['play_count']), 'card')}"
    )


def play_games(task: "Task", first: int, hands: int, referee: Referee | None = None) -> Played:
    """Play games ``first`` to ``first + hands - 1`` as a task says.

    Raises
    ------
    PolicyError
        A policy broke the rules and the task stops then.
    """
    if not task.players.has_plugins:
        rows, calls = play_block(
            task.seed,
            first,
            hands,
            players=task.players,
            ruleset=task.ruleset,
            plan=task.plan,
        )
        return Played(rows=rows, calls=calls)
    return play_plugged(
        task.seed,
        first,
        hands,
        players=task.players,
        ruleset=task.ruleset,
        plan=task.plan,
        referee=referee or Referee(on_fault=task.on_fault, time_limit=task.time_limit),
    )


def play_part(task: Task, referee: Referee | None = None) -> Part:
    """Play the games of a part in blocks, write them where the task names a file.

    Programs that answer as policies are ended with the part.
    """
    try:
        return _play_part(task, referee)
    finally:
        close_programs()


def _play_part(task: Task, referee: Referee | None) -> Part:
    tables: list[pa.Table] = []
    digest = declared = won = aborted = 0
    block = task.plan.whole(BLOCK_HANDS) if task.plan else BLOCK_HANDS
    names = task.players.names()
    for first in range(task.first, task.first + task.hands, block):
        count = min(block, task.first + task.hands - first)
        played = play_games(task, first, count, referee)
        rows, calls = played.rows, played.calls
        digest += int(rows_digest(rows, calls), 16)
        aborted += len(played.faults)
        counted = rows if not played.faults else np.delete(rows, list(played.faults))
        is_declared = (counted["contract"] >= 0) & (counted["declarer_seat"] >= 0)
        declared += int(np.count_nonzero(is_declared))
        won += int(np.count_nonzero(counted["is_won"]))
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
                faults=played.faults,
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
            aborted=aborted,
        )
    part = write_part(
        task.path,
        pa.concat_tables(tables),
        first=task.first,
        digest=text,
        declared=declared,
        won=won,
    )
    return replace(part, aborted=aborted)
