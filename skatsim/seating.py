"""Series at one table: who sits where in each game, and games played out as its deals.

Game k of a seed is deal ``k % length`` of series ``k // length``; the deal goes round from
player 0, who deals first in every series. The cards are those of game k in every other run
of the seed too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from skatsim.errors import RuleError
from skatsim.kernels import series as series_kernel
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, MAX_CALLS, PUBLIC
from skatsim.lists import seats_of
from skatsim.records import Seating
from skatsim.ruleset import Ruleset

__all__ = ["SeriesPlan", "series_games"]

FAULT_PLACE: Final = 1000
"""A fault in a series is its number plus this times the place of the game in the block."""


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
        if self.length < 1:
            raise RuleError(f"a series has at least one deal, not {self.length!r}")
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
