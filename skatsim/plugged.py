"""Games played where policies are plugged in, and what becomes of those a policy spoils."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from skatsim.errors import PolicyError
from skatsim.kernels import engine
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, MAX_CALLS, PUBLIC
from skatsim.policies.base import reraise_interrupt
from skatsim.policies.players import Players
from skatsim.rows import KnownFault, Rows, WroteToRulesError
from skatsim.ruleset import Ruleset
from skatsim.seating import SeriesPlan, SeriesState, is_deal_by_deal

__all__ = ["FAULT_ACTIONS", "FaultAction", "Played", "Referee", "play_plugged"]

MANY_FAULTS: Final = 8
"""With so many faults in a block the rest of it is played in step."""

FaultAction = Literal["stop", "record"]

FAULT_ACTIONS: Final = ("stop", "record")
"""What is done when a policy breaks the rules: the run stops, or the hand is recorded as
aborted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Referee:
    """What is done about policies that break the rules.

    Parameters
    ----------
    on_fault : one of `FAULT_ACTIONS`.
    time_limit : seconds for an answer; None for as long as it takes, programs for 10.
    make_rows : makes the rows of a block.
    known : by game, hands that a policy is known never to have come back from.
    """

    on_fault: FaultAction = "stop"
    time_limit: float | None = None
    make_rows: Callable[..., Rows] = Rows
    known: Mapping[int, KnownFault] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Games of a block: rows of dtype `GAME`, their calls, and by place why some are aborted."""

    rows: np.ndarray
    calls: np.ndarray
    faults: Mapping[int, str] = field(default_factory=dict)


def play_plugged(
    seed: int,
    first: int,
    hands: int,
    *,
    players: Players,
    ruleset: Ruleset,
    plan: SeriesPlan | None = None,
    referee: Referee | None = None,
) -> Played:
    """Play games ``first`` to ``first + hands - 1`` of a seed with policies of any kind.

    Raises
    ------
    PolicyError
        A policy broke the rules and the referee stops then; the line names it, the hand and what
        would have been legal.
    """
    referee = referee or Referee()
    games = np.arange(first, first + hands)
    if plan is None and players.is_compiled and referee.make_rows is Rows:
        return _play_compiled(seed, first, hands, players, ruleset, referee)
    if plan is None:
        return _join(hands, [(np.arange(hands), _play(games, seed, players, ruleset, referee))])
    tables = [players.at(plan.seats(dealer)) for dealer in range(plan.table_size)]
    deals = games % plan.length
    if is_deal_by_deal(ruleset):
        steps = _deal_by_deal(games, seed, tables, ruleset, plan, referee)
        return _join(hands, list(steps))
    pieces = []
    for dealer, table in enumerate(tables):
        places = np.flatnonzero(deals % plan.table_size == dealer)
        if len(places):
            pieces.append((places, _play(games[places], seed, table, ruleset, referee)))
    return _join(hands, pieces)


def _play(
    games: np.ndarray,
    seed: int,
    players: Players,
    ruleset: Ruleset,
    referee: Referee,
    *,
    bock_factors: np.ndarray | None = None,
    are_ramsch_rounds: np.ndarray | None = None,
) -> Played:
    def rows_of(places: slice) -> Rows:
        return referee.make_rows(
            games[places],
            seed,
            players,
            ruleset,
            bock_factors=None if bock_factors is None else bock_factors[places],
            are_ramsch_rounds=None if are_ramsch_rounds is None else are_ramsch_rounds[places],
            time_limit=referee.time_limit,
            is_stopping=referee.on_fault == "stop",
        )

    def played(first: int, end: int) -> list[tuple[np.ndarray, Played]]:
        """The games at these places; halved to find those whose rules were written to."""
        rows = rows_of(slice(first, end))
        for place in np.flatnonzero(np.isin(rows.numbers, list(referee.known))).tolist():
            rows.put_fault(place, referee.known[int(rows.numbers[place])])
        rows.play(np.arange(end - first))
        rows.explain_faults()
        try:
            rows.check_untouched()
        except WroteToRulesError:
            if end - first > 1:
                middle = (first + end) // 2
                return played(first, middle) + played(middle, end)
            rows = rows_of(slice(first, end))
            rows.put_written_rules(0)
        if rows.reasons and referee.on_fault == "stop":
            raise PolicyError(rows.fault_line(min(rows.reasons)))
        records, calls = rows.games()
        return [(np.arange(first, end), Played(rows=records, calls=calls, faults=rows.reasons))]

    return _join(len(games), played(0, len(games)))


def _play_compiled(
    seed: int, first: int, hands: int, players: Players, ruleset: Ruleset, referee: Referee
) -> Played:
    """One game after the other, which is twice as fast as in step; what a fault spoils, in step."""
    rules, table = ruleset.kernel_record().copy(), players.kernel_rows()
    untouched = rules.tobytes(), table.tobytes()
    pieces: list[tuple[np.ndarray, Played]] = []
    start, spoiled = 0, 0
    while start < hands and spoiled < MANY_FAULTS:
        rows = np.empty(hands - start, dtype=GAME)
        rows["call_end"] = -1  # not played
        calls = np.empty(len(rows) * MAX_CALLS, dtype=np.uint16)
        public, hidden = np.zeros(1, dtype=PUBLIC), np.zeros(1, dtype=HIDDEN)
        try:
            fault = engine.simulate_games(
                rules, table, public, hidden, seed, first + start, len(rows), rows, calls
            )
            count = fault // engine.FAULT_PLACE if fault else len(rows)
        except BaseException as error:  # of a plug-in: told when the hand is played in step
            reraise_interrupt(error)
            count = int(np.argmax(rows["call_end"] < 0))
        if (rules.tobytes(), table.tobytes()) != untouched:
            break  # in which game, is found in step
        if count:
            used = int(rows["call_end"][count - 1])
            whole = Played(rows=rows[:count], calls=calls[:used].copy())
            pieces.append((np.arange(start, start + count), whole))
        start += count
        if start < hands:
            one = _play(np.array([first + start]), seed, players, ruleset, referee)
            pieces.append((np.array([start]), one))
            start, spoiled = start + 1, spoiled + 1
    if start < hands:
        rest = np.arange(start, hands)
        pieces.append((rest, _play(first + rest, seed, players, ruleset, referee)))
    return _join(hands, pieces)


def _deal_by_deal(
    games: np.ndarray,
    seed: int,
    tables: Sequence[Players],
    ruleset: Ruleset,
    plan: SeriesPlan,
    referee: Referee,
) -> Iterator[tuple[np.ndarray, Played]]:
    """Series whose deals hang on the results before them: all series in step, deal by deal.

    A deal that a policy spoiled moves nothing on.
    """
    states: dict[int, SeriesState] = {}
    for deal in range(plan.length):
        places = np.flatnonzero(games % plan.length == deal)
        if not len(places):
            continue
        series = (games[places] // plan.length).tolist()
        for number in series:
            if deal == 0 or number not in states:
                states[number] = SeriesState.start(ruleset, plan.table_size)
        played = _play(
            games[places],
            seed,
            tables[deal % plan.table_size],
            ruleset,
            referee,
            bock_factors=np.array([states[number].factor for number in series]),
            are_ramsch_rounds=np.array(
                [states[number].is_ramsch_round for number in series], dtype=np.int64
            ),
        )
        for index, number in enumerate(series):
            if index not in played.faults:
                states[number] = states[number].after(played.rows[index], plan.seats(deal))
        yield places, played


def _join(hands: int, pieces: Sequence[tuple[np.ndarray, Played]]) -> Played:
    """Games played in pieces, each with the places of its games, in one block."""
    if len(pieces) == 1:
        return pieces[0][1]
    rows = np.empty(hands, dtype=GAME)
    calls: list[np.ndarray] = [np.zeros(0, dtype=np.uint16)] * hands
    faults: dict[int, str] = {}
    for places, played in pieces:
        ends = played.rows["call_end"]
        for place, own in zip(places.tolist(), np.split(played.calls, ends[:-1]), strict=True):
            calls[place] = own
        rows[places] = played.rows
        faults |= {int(places[index]): reason for index, reason in played.faults.items()}
    rows["call_end"] = np.cumsum([len(own) for own in calls])
    return Played(rows=rows, calls=np.concatenate(calls), faults=faults)
