"""Duels: policies against each other on duplicate deals, in all seatings.

Each deal is played six times by two policies A and B: in every way to seat both of them at a
table of three. The figure of a deal is the mean score of a seat of A less that of a seat of B:
over the six games each policy sits in each seat equally often, and the cards cancel out. A
policy against itself gives exactly 0.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Final

import numpy as np

from skatsim.arguments import check_jobs, check_number, check_seed, check_whole, check_word
from skatsim.errors import RuleError
from skatsim.policies.base import Policy
from skatsim.policies.players import Players, PolicyLike
from skatsim.ruleset import ISKO, Ruleset
from skatsim.simulation import usable_processors
from skatsim.study.duplicate import (
    Interval,
    RateSums,
    named_policy,
    over_blocks,
    play_tables,
    seat_entries,
)
from skatsim.study.outcomes import SCORINGS, Scoring

__all__ = ["Duel", "DuelDifference", "DuelRow", "duel"]

SEATINGS: Final = tuple(seats for seats in product((0, 1), repeat=3) if 0 < sum(seats) < 3)
"""Who sits at forehand, middlehand, rearhand: 0 for the first policy, 1 for the second."""

SEATS_A_DEAL: Final = 9
"""Seats of each policy over the six games of a deal."""

BLOCK: Final = 500
"""Deals after which `precision` is looked at; also the work of one thread."""

DEFAULT_DEALS: Final = 2_000

GREATEST_DEALS: Final = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelDifference:
    """The mean score a deal of a seat of `a` less that of a seat of `b`, with its interval.

    Attributes
    ----------
    deals : how many it rests on; each is one value.
    is_decided : the 95 % interval leaves 0 out.
    """

    a: str
    b: str
    deals: int
    mean: float
    low: float | None
    high: float | None

    @property
    def is_decided(self) -> bool:
        """Whether one of the two is better, as far as these deals tell."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelRow:
    """What one policy did in all its duels.

    Attributes
    ----------
    games : seats it sat in, over all games.
    score_per_deal : what it entered a game, ``declaring + defending``: as declarer and else.
    declared_rate, win_rate : games it declared of all, and won of those; the intervals by
        Wilson take into account that the games of a deal hang together.
    """

    policy: str
    games: int
    score_per_deal: float
    score_per_deal_low: float | None
    score_per_deal_high: float | None
    declaring: float
    defending: float
    declared: int
    declared_rate: float
    declared_rate_low: float | None
    declared_rate_high: float | None
    won: int
    win_rate: float
    win_rate_low: float | None
    win_rate_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """The result of `duel`."""

    deals: int
    scoring: Scoring
    seed: int
    rows: tuple[DuelRow, ...]
    differences: tuple[DuelDifference, ...]


@dataclass(slots=True)
class _Sums:
    """Sums of one policy over its seats; a deal is one value of `entered`."""

    deals: int = 0
    declaring: int = 0
    entered: int = 0
    squares: int = 0
    declared: RateSums = field(default_factory=RateSums)
    won: RateSums = field(default_factory=RateSums)

    def add(self, other: "_Sums") -> None:
        for name in ("deals", "declaring", "entered", "squares"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.declared.merge(other.declared)
        self.won.merge(other.won)

    def row(self, policy: str) -> DuelRow:
        games = SEATS_A_DEAL * self.deals
        score = Interval.of_sums(self.deals, self.entered, self.squares, unit=SEATS_A_DEAL)
        declared, won = self.declared.interval(), self.won.interval()
        return DuelRow(
            policy=policy,
            games=games,
            score_per_deal=score.mean,
            score_per_deal_low=score.low,
            score_per_deal_high=score.high,
            declaring=self.declaring / games,
            defending=(self.entered - self.declaring) / games,
            declared=self.declared.hits,
            declared_rate=declared.mean,
            declared_rate_low=declared.low,
            declared_rate_high=declared.high,
            won=self.won.hits,
            win_rate=won.mean,
            win_rate_low=won.low,
            win_rate_high=won.high,
        )


@dataclass(slots=True)
class _Pair:
    """Two policies, by their places among those of the duel, and what they did so far."""

    places: tuple[int, int]
    sides: tuple[_Sums, _Sums] = field(default_factory=lambda: (_Sums(), _Sums()))
    difference: int = 0
    squares: int = 0

    def add(self, block: "_Pair") -> None:
        for mine, its in zip(self.sides, block.sides, strict=True):
            mine.add(its)
        self.difference += block.difference
        self.squares += block.squares

    def interval(self) -> Interval:
        return Interval.of_sums(
            self.sides[0].deals, self.difference, self.squares, unit=SEATS_A_DEAL
        )


def duel(
    *policies: PolicyLike,
    deals: int | None = None,
    precision: float | None = None,
    scoring: Scoring = "seeger3",
    seed: int = 0,
    ruleset: Ruleset = ISKO,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Duel:
    """Let policies play against each other, two by two, on duplicate deals.

    Parameters
    ----------
    policies : two or more, by text (``heuristic:risk=0.6``) or as they are.
    deals : how many deals each pair plays, six times each; 2,000 if nothing is said.
    precision : instead: play on until the half-width of the 95 % interval of every difference
        is at most this; looked at after every 500 deals.
    scoring : ``seeger3`` (the default), ``seeger4`` or ``plain``.
    seed : deal k of the seed is the same for all pairs, and that of `skatsim.simulate`.
    n_jobs : threads, by default the usable processors.
    on_progress : called with the deals done and those to be done, all pairs together.

    Raises
    ------
    RuleError
        Fewer than two policies, or `deals` and `precision` are both given.
    PolicyError
        A policy is not known or answers what is not legal.

    Examples
    --------
    >>> result = duel("heuristic", "heuristic", deals=50, n_jobs=1)
    >>> result.differences[0].mean, result.differences[0].low
    (0.0, 0.0)
    """
    scoring = check_word(scoring, "scoring", SCORINGS)
    if len(policies) < 2:
        raise RuleError(f"a duel needs two policies or more: {len(policies)} given")
    if deals is not None and precision is not None:
        raise RuleError("give the number of deals or the precision: not both")
    seed = check_seed(seed)
    n_jobs = check_jobs(n_jobs)
    if deals is not None:
        deals = check_whole(deals, "deals", least=1, most=GREATEST_DEALS)
    if precision is not None and not check_number(precision, "precision") > 0:
        raise RuleError(f"cannot reach a precision of {precision!r}: give a score above 0")
    found = [named_policy(policy) for policy in policies]
    rounds = _rounds(deals or (DEFAULT_DEALS if precision is None else None))
    pairs = []
    for first, second in combinations(range(len(found)), 2):
        pair = _Pair(places=(first, second))
        tables = [_seated(found[first], found[second], seating) for seating in SEATINGS]
        for blocks in rounds():
            work = _work(tables, pair.places, seed, scoring, ruleset)
            for block in over_blocks(
                work, blocks, n_jobs=n_jobs or usable_processors(), on_progress=on_progress
            ):
                pair.add(block)
            if precision is not None and pair.interval().half_width <= precision:
                break
        pairs.append(pair)
    return _result(found, pairs, scoring, seed)


def _rounds(deals: int | None) -> Callable[[], Iterator[list[tuple[int, int]]]]:
    """Blocks of deals to be played before it is asked whether that is enough."""

    def rounds() -> Iterator[list[tuple[int, int]]]:
        if deals is not None:
            yield [(first, min(BLOCK, deals - first)) for first in range(0, deals, BLOCK)]
            return
        first = 0
        while first < GREATEST_DEALS:
            # an eighth of what is done: little is played in vain, and threads have work
            count = max(1, first // (8 * BLOCK))
            yield [(first + BLOCK * place, BLOCK) for place in range(count)]
            first += BLOCK * count

    return rounds


def _seated(first: Policy, second: Policy, seating: Sequence[int]) -> Players:
    return Players.of(seats=[(first, second)[side] for side in seating])


def _work(
    tables: Sequence[Players],
    places: tuple[int, int],
    seed: int,
    scoring: Scoring,
    ruleset: Ruleset,
) -> Callable[[int, int], _Pair]:
    """The work of one thread: the six games of each deal of a block, added up."""

    def play(first: int, deals: int) -> _Pair:
        entered, declared, won = np.zeros((3, 2, deals), dtype=np.int64)
        block = _Pair(places=places)
        for seating, rows in zip(
            SEATINGS, play_tables(tables, seed, first, deals, ruleset), strict=True
        ):
            entries = seat_entries(rows, scoring, ruleset)
            for seat, side in enumerate(seating):
                is_declarer = (rows["declarer_seat"] == seat) & (rows["contract"] >= 0)
                declared[side] += is_declarer
                won[side] += is_declarer & (rows["is_won"] != 0)
                block.sides[side].declaring += int(entries[is_declarer, seat].sum())
                entered[side] += entries[:, seat]
        for side, sums in enumerate(block.sides):
            values = entered[side]
            sums.deals = deals
            sums.declared.add(declared[side], np.full(deals, SEATS_A_DEAL))
            sums.won.add(won[side], declared[side])
            sums.entered = int(values.sum())
            sums.squares = int((values * values).sum())
        difference = entered[0] - entered[1]
        block.difference = int(difference.sum())
        block.squares = int((difference * difference).sum())
        return block

    return play


def _result(found: Sequence[Policy], pairs: Sequence[_Pair], scoring: Scoring, seed: int) -> Duel:
    totals = [_Sums() for _ in found]
    differences = []
    for pair in pairs:
        for place, sums in zip(pair.places, pair.sides, strict=True):
            totals[place].add(sums)
        interval = pair.interval()
        first, second = pair.places
        differences.append(
            DuelDifference(
                a=found[first].text,
                b=found[second].text,
                deals=pair.sides[0].deals,
                mean=interval.mean,
                low=interval.low,
                high=interval.high,
            )
        )
    return Duel(
        deals=max(difference.deals for difference in differences),
        scoring=scoring,
        seed=seed,
        rows=tuple(sums.row(policy.text) for policy, sums in zip(found, totals, strict=True)),
        differences=tuple(differences),
    )
