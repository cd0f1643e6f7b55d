"""Duplicate deals: the same deals played by several tables, and what each seat enters for them.

Game k of a seed is the same deal for whoever plays it, and a decision's random number hangs on
the deal and the place of the decision in it, so tables differ in their players and in nothing
else. Entries are whole numbers and are added up as such: sums do not depend on their order.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import joblib
import numpy as np

from skatsim.arguments import check_kind
from skatsim.blocks import play_block
from skatsim.cards import SEATS
from skatsim.intervals import QUANTILE, wilson
from skatsim.policies.base import Policy
from skatsim.policies.players import Players, PolicyLike
from skatsim.policies.plugin import as_policy
from skatsim.policies.registry import find_policy
from skatsim.ruleset import Ruleset

__all__ = [
    "Interval",
    "RateSums",
    "named_policy",
    "over_blocks",
    "play_tables",
    "seat_entries",
]

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean and its 95 % interval; the bounds are None where fewer than two values gave it."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of_sums(cls, count: int, total: int, squares: int, *, unit: int = 1) -> "Interval":
        """The mean of `count` whole numbers by their sum and sum of squares, in parts of `unit`."""
        mean = total / max(count, 1)
        if count < 2:
            return cls(mean=mean / unit, low=None, high=None)
        # whole numbers up to the last step: the interval of equal values has no width
        variance = (count * squares - total * total) / (count * count * (count - 1))
        margin = QUANTILE * math.sqrt(variance)
        return cls(mean=mean / unit, low=(mean - margin) / unit, high=(mean + margin) / unit)

    @classmethod
    def of_values(cls, values: np.ndarray, *, unit: float = 1) -> "Interval":
        """The mean of an array of shape (n,), in parts of `unit`."""
        count = len(values)
        mean = float(values.mean()) / unit if count else 0.0
        if count < 2:
            return cls(mean=mean, low=None, high=None)
        margin = QUANTILE * float(values.std(ddof=1)) / math.sqrt(count) / unit
        return cls(mean=mean, low=mean - margin, high=mean + margin)

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite where there is none."""
        return math.inf if self.high is None or self.low is None else (self.high - self.low) / 2


@dataclass(slots=True)
class RateSums:
    """Hits and games added up deal by deal: a rate whose games hang together within a deal."""

    games: int = 0
    hits: int = 0
    games_squares: int = 0
    hits_squares: int = 0
    products: int = 0

    def add(self, hits: np.ndarray, games: np.ndarray) -> None:
        """Add deals: whole numbers of shape (deals,)."""
        self.games += int(games.sum())
        self.hits += int(hits.sum())
        self.games_squares += int((games * games).sum())
        self.hits_squares += int((hits * hits).sum())
        self.products += int((hits * games).sum())

    def merge(self, other: "RateSums") -> None:
        """Add the sums of other deals."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def interval(self) -> Interval:
        """The rate with its 95 % interval by Wilson, as if from so many independent games.

        How many that are tells the variance of the ratio from deal to deal; never more than the
        games there were.
        """
        if self.games == 0:
            return Interval(mean=0.0, low=None, high=None)
        rate = self.hits / self.games
        spread = self.hits_squares - 2 * rate * self.products + rate * rate * self.games_squares
        count = float(self.games)
        if 0 < rate < 1 and spread > 0:
            count = min(count, rate * (1 - rate) * self.games**2 / spread)
        low, high = wilson(rate, count)
        return Interval(mean=rate, low=low, high=high)


def seat_entries(rows: np.ndarray, scoring: str, ruleset: Ruleset) -> np.ndarray:
    """What the three seats enter for each game.

    Parameters
    ----------
    rows : of shape (n,) and dtype `skatsim.kernels.columns.GAME`.
    scoring : ``plain`` for the declarer's score alone, or ``seeger3`` and ``seeger4`` with the
        bonuses of a table of three or four (whose dealer, who sits out, is not looked at).
    ruleset : whose bonuses count.

    Returns
    -------
    Whole numbers of shape (n, 3): forehand, middlehand, rearhand.
    """
    entries = np.stack([rows[f"{seat}_entry"] for seat in SEATS], axis=1).astype(np.int64)
    declarer = rows["declarer_seat"].astype(np.int64)
    is_declared = (declarer >= 0) & (rows["contract"] >= 0)
    score = rows["score"].astype(np.int64)
    others = np.zeros_like(score)
    if scoring != "plain":
        is_won = rows["is_won"] != 0
        bonus = ruleset.defender_bonus(3 if scoring == "seeger3" else 4)
        score = score + np.where(is_won, 1, -1) * ruleset.own_game_bonus
        others = np.where(is_won, 0, bonus)
    for seat in range(3):
        entries[:, seat] += np.where(is_declared, np.where(declarer == seat, score, others), 0)
    return entries


def named_policy(policy: PolicyLike) -> Policy:
    """The policy that is meant: by its text, as it is, or as the class that plays it."""
    check_kind(policy, "policy", (str, Policy, type), "a policy, its class or its name")
    return find_policy(policy) if isinstance(policy, str) else as_policy(policy)


def play_tables(
    tables: Sequence[Players], seed: int, first: int, deals: int, ruleset: Ruleset
) -> list[np.ndarray]:
    """The same deals, `first` to ``first + deals - 1`` of a seed, played by each of the tables."""
    return [play_block(seed, first, deals, players=table, ruleset=ruleset)[0] for table in tables]


def over_blocks(
    work: Callable[[int, int], Answer],
    blocks: Sequence[tuple[int, int]],
    *,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Iterator[Answer]:
    """What `work` says of each block ``(first, deals)``, in their order.

    Parameters
    ----------
    n_jobs : threads; compiled policies run side by side in them.
    on_progress : called with the deals done and all deals.
    """
    total = sum(deals for _, deals in blocks)
    done = 0
    results: Any
    if n_jobs == 1 or len(blocks) == 1:
        results = (work(first, deals) for first, deals in blocks)
    else:
        parallel = joblib.Parallel(
            n_jobs=n_jobs or -1, backend="threading", return_as="generator", batch_size=1
        )
        results = parallel(joblib.delayed(work)(first, deals) for first, deals in blocks)
    for (_, deals), result in zip(blocks, results, strict=True):
        done += deals
        if on_progress:
            on_progress(done, total)
        yield result
