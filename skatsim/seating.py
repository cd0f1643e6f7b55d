"""Series at one table: who sits where in each game, and games played out as its deals.

Game k of a seed is deal ``k % length`` of series ``k // length``; the deal goes round from
player 0, who deals first in every series. The cards are those of game k in every other run
of the seed too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from skatsim.bock import BockGame, BockRounds
from skatsim.errors import RuleError
from skatsim.kernels import engine
from skatsim.kernels import series as series_kernel
from skatsim.kernels.columns import GAME
from skatsim.kernels.engine import FAULT_PLACE
from skatsim.kernels.table import HIDDEN, MAX_CALLS, PUBLIC
from skatsim.lists import seats_of
from skatsim.records import CONTRACTS, Seating
from skatsim.ruleset import Ruleset

__all__ = ["SeriesPlan", "SeriesState", "is_deal_by_deal", "multiply_entries", "series_games"]

MOST_DEALS: Final = 9_999
"""Deals of a series: a worker plays whole series at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlan:
    """How long a series is and who sits at its table.

    Parameters
    ----------
    length : deals of a series.
    players : three or four names, in the order of the deal; player 0 deals first.

    Examples
    --------
    >>> plan = SeriesPlan(length=36, players=("Ann", "Ben", "Cid", "Dee"))
    >>> plan.table_size, plan.whole(100), plan.place(37)
    (4, 108, (1, 1))
    """

    length: int
    players: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.length <= MOST_DEALS:
            raise RuleError(f"a series has 1 to {MOST_DEALS:,} deals, not {self.length!r}")
        if len(self.players) not in (3, 4):
            raise RuleError(f"a table of {len(self.players)!r} is not known: 3 or 4")
        if len(set(self.players)) != len(self.players):
            raise RuleError(f"two players of a table have one name: {', '.join(self.players)}")

    @property
    def table_size(self) -> int:
        """The number of players."""
        return len(self.players)

    def whole(self, hands: int) -> int:
        """The games of the fewest whole series with at least so many."""
        return -(-hands // self.length) * self.length

    def place(self, game: int) -> tuple[int, int]:
        """The series of a game and its deal there, both from 0."""
        return game // self.length, game % self.length

    def seats(self, game: int) -> tuple[int, int, int]:
        """The players at forehand, middlehand and rearhand of a game."""
        return seats_of(game % self.length, self.table_size)

    def seating(self, first: int, count: int) -> Seating:
        """Who sits where in games `first` to ``first + count - 1``."""
        numbers = np.arange(first, first + count, dtype=np.int64)
        dealers = numbers % self.length % self.table_size
        seats = (dealers[:, None] + np.array([1, 2, 3, 0])) % self.table_size
        return Seating(names=self.players, seats=seats, series=numbers // self.length)


def is_deal_by_deal(ruleset: Ruleset) -> bool:
    """Whether a deal of a series hangs on the results before it: Bock, rounds of Ramsch."""
    return bool(ruleset.bock_triggers) or ruleset.ramsch_rounds == "after_bock"


def series_games(
    seed: int,
    first: int,
    count: int,
    *,
    plan: SeriesPlan,
    tables: Sequence[np.ndarray],
    ruleset: Ruleset,
) -> tuple[np.ndarray, np.ndarray, int, tuple[Any, Any]]:
    """Play games `first` to ``first + count - 1`` as deals of series.

    Parameters
    ----------
    tables : for each player as dealer, the records of dtype `skatsim.kernels.table.PLAYER` of
        who sits at the three seats then.

    Returns
    -------
    rows : structured array of shape (count,), dtype `skatsim.kernels.columns.GAME`.
    calls : uint16 array, the calls of all auctions.
    fault : 0, or the number of a policy's fault plus `FAULT_PLACE` times the index of its game.
    table : the public and the hidden record where it happened.
    """
    if is_deal_by_deal(ruleset):
        return _deal_by_deal(seed, first, count, plan, tables, ruleset)
    rows = np.empty(count, dtype=GAME)
    calls = np.empty(count * MAX_CALLS, dtype=np.uint16)
    public, hidden = np.zeros(1, dtype=PUBLIC), np.zeros(1, dtype=HIDDEN)
    fault = series_kernel.simulate_series(
        ruleset.kernel_record(),
        np.concatenate(tables),
        public,
        hidden,
        seed,
        first,
        count,
        plan.length,
        plan.table_size,
        rows,
        calls,
    )
    used = int(rows["call_end"][-1]) if count and not fault else 0
    return rows, calls[:used].copy(), int(fault), (public[0], hidden[0])


def _deal_by_deal(
    seed: int,
    first: int,
    count: int,
    plan: SeriesPlan,
    tables: Sequence[np.ndarray],
    ruleset: Ruleset,
) -> tuple[np.ndarray, np.ndarray, int, tuple[Any, Any]]:
    """Play series whose deals hang on the results before them: Bock rounds, rounds of Ramsch."""
    rows = np.empty(count, dtype=GAME)
    calls = np.empty(count * MAX_CALLS, dtype=np.uint16)
    public, hidden = np.zeros(1, dtype=PUBLIC)[0], np.zeros(1, dtype=HIDDEN)[0]
    rules = ruleset.kernel_record()
    call_end = 0
    state = SeriesState.start(ruleset, plan.table_size)
    for index in range(count):
        game = first + index
        _, deal = plan.place(game)
        if deal == 0:
            state = SeriesState.start(ruleset, plan.table_size)
        row = rows[index]
        fault = engine.play_deal(
            rules,
            tables[deal % plan.table_size],
            public,
            hidden,
            row,
            seed,
            game,
            state.factor,
            state.is_ramsch_round,
        )
        if fault:
            return rows, calls[:0], int(fault) + FAULT_PLACE * index, (public, hidden)
        call_end = int(engine.store_calls(public, calls, call_end))
        row["call_end"] = call_end
        state = state.after(row, plan.seats(game))
    return rows, calls[:call_end].copy(), 0, (public, hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesState:
    """What a series carries from deal to deal (RULES 12, 13.1).

    A round of Ramsch after a Bock round stands between Bock rounds: those that wait go on after
    it. A grand hand instead of a Ramsch uses up no deal of that round, and the deal moves on all
    the same, so that in a series all players deal equally often.

    Attributes
    ----------
    rounds : the Bock rounds.
    ramsch_left : deals left of compulsory rounds of Ramsch.
    has_ramsch_rounds : whether a Ramsch round follows each Bock round.
    ramsch_cap : most that a Ramsch can cost.
    """

    rounds: BockRounds
    ramsch_left: int = 0
    has_ramsch_rounds: bool = False
    ramsch_cap: int | None = None

    @classmethod
    def start(cls, ruleset: Ruleset, table_size: int) -> "SeriesState":
        """The state before the first deal of a series."""
        return cls(
            rounds=BockRounds(
                table_size=table_size,
                triggers=ruleset.bock_triggers,
                accumulation=ruleset.bock_accumulation,
                is_trigger_doubled=ruleset.is_bock_trigger_doubled,
            ),
            has_ramsch_rounds=ruleset.ramsch_rounds == "after_bock",
            ramsch_cap=ruleset.ramsch_cap,
        )

    @property
    def is_ramsch_round(self) -> bool:
        """Whether the next deal belongs to a compulsory round of Ramsch."""
        return self.ramsch_left > 0

    @property
    def factor(self) -> int:
        """The factor of the next deal's Bock rounds."""
        return 1 if self.is_ramsch_round else self.rounds.factor

    def after(self, row: Any, seats: Sequence[int]) -> "SeriesState":
        """The state after the next deal.

        Parameters
        ----------
        row : the deal as played with `factor`, dtype `GAME`; it is doubled in place where the
            deal that starts a Bock round is.
        seats : the players at the three seats.
        """
        game = _bock_game(row, seats, self.rounds.table_size, self.factor)
        is_outside = self.is_ramsch_round
        factor = self.rounds.factor_of(game, is_outside=is_outside)
        if factor != self.factor:
            multiply_entries(row, factor // self.factor, ramsch_cap=self.ramsch_cap)
        ramsch_left = self.ramsch_left
        if is_outside:
            is_grand_hand = CONTRACTS[row["contract"]] == "grand"
            ramsch_left -= 0 if is_grand_hand else 1
        elif self.has_ramsch_rounds:
            ramsch_left += self.rounds.table_size * self.rounds.ending_count
        rounds = self.rounds.with_game(game, is_outside=is_outside)
        if rounds is self.rounds and ramsch_left == self.ramsch_left:
            return self
        return replace(self, rounds=rounds, ramsch_left=ramsch_left)


def multiply_entries(row: Any, factor: int, *, ramsch_cap: int | None = None) -> None:
    """Multiply what a deal enters by a factor of Bock rounds; `row` is changed."""
    row["bock_factor"] = max(1, int(row["bock_factor"])) * factor
    row["entry_factor"] *= factor
    row["score"] *= factor
    for name in ("forehand_entry", "middlehand_entry", "rearhand_entry"):
        row[name] *= factor
        if ramsch_cap is not None:
            row[name] = max(int(row[name]), -ramsch_cap)


def _bock_game(row: Any, seats: Sequence[int], table_size: int, factor: int) -> BockGame:
    """What Bock triggers look at in a deal that was played with this factor."""
    number = int(row["contract"])
    declarer = int(row["declarer_seat"])
    entries = [0] * table_size
    if declarer >= 0:
        entries[seats[declarer]] = int(row["score"]) // factor
    elif number >= 0:
        for seat, name in enumerate(("forehand_entry", "middlehand_entry", "rearhand_entry")):
            entries[seats[seat]] = int(row[name]) // factor
    is_declared = declarer >= 0 and number >= 0
    return BockGame(
        contract=CONTRACTS[number] if number >= 0 else None,
        is_hand=bool(row["is_hand"]),
        is_ouvert=bool(row["is_ouvert"]),
        is_won=bool(row["is_won"]) if is_declared else None,
        card_points=int(row["declarer_card_points"]) if is_declared else None,
        game_value=int(row["game_value"]) if is_declared else 0,
        kontra_steps=int(row["kontra_count"]),
        entries=tuple(entries),
    )
