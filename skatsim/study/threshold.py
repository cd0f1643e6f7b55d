"""Thresholds: which value of a bidding parameter pays best.

The policy is played with each value of one of its parameters on the same deals. At a table with
fixed opponents it sits at each seat in turn, the others with another policy; in self-play all
three have the value. The values are compared deal by deal: where they play alike, nothing is
left of the noise of the cards.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from skatsim.arguments import (
    check_jobs,
    check_number,
    check_seed,
    check_text,
    check_whole,
    check_word,
    items_of,
)
from skatsim.cards import SEATS
from skatsim.contracts import CONTRACT_NAMES
from skatsim.errors import PolicyError, RuleError
from skatsim.policies.base import Parameter, Policy
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
from skatsim.wording import count_text

__all__ = [
    "BestValue",
    "ContractRow",
    "SeatCurve",
    "Threshold",
    "ThresholdRow",
    "default_values",
    "threshold",
]

BLOCK: Final = 1_000

DEFAULT_DEALS: Final = 20_000

GREATEST_DEALS: Final = 20_000_000

GREATEST_VALUES: Final = 200

STEPS: Final = 6
"""Steps to either side of the default that are studied if no values are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRow:
    """What one value of the parameter brings.

    Attributes
    ----------
    declared, won : games declared by the policy studied, and those of them it won.
    declared_rate, win_rate, overbid_rate : games declared of all; won and overbid of declared.
    score_per_deal : what a seat of the policy is entered a deal.
    difference : that less the best value's, compared deal by deal: the band of the curve.
    """

    value: float
    games: int
    declared: int
    declared_rate: float
    declared_rate_low: float | None
    declared_rate_high: float | None
    won: int
    win_rate: float
    win_rate_low: float | None
    win_rate_high: float | None
    overbid_rate: float
    overbid_rate_low: float | None
    overbid_rate_high: float | None
    score_per_deal: float
    score_per_deal_low: float | None
    score_per_deal_high: float | None
    difference: float
    difference_low: float | None
    difference_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BestValue:
    """The value with the highest score, and those around it that it is not told apart from.

    Attributes
    ----------
    low, high : the values next to each other around the best whose difference from it has 0 in
        its 95 % interval; with more deals there are fewer of them.
    is_interior : values beyond the interval were studied on both sides, and are worse.
    """

    value: float
    low: float
    high: float
    is_interior: bool

    @property
    def text(self) -> str:
        """The value in words, with what it is not told apart from."""
        if self.low == self.high:
            return f"{self.value:g}, all others are worse"
        edge = "" if self.is_interior else ", where the values studied end"
        return f"{self.value:g}, not told apart from {self.low:g} to {self.high:g}{edge}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCurve:
    """The best value of a seat, and the score of each value there."""

    seat: str
    best: BestValue
    values: tuple[float, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractRow:
    """What became of one contract under one value of the parameter."""

    value: float
    contract: str
    games: int
    win_rate: float
    win_rate_low: float | None
    win_rate_high: float | None
    score_per_game: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The result of `threshold`.

    Attributes
    ----------
    policy, parameter : what was varied.
    default : the value that the policy has if nothing is said.
    opponents : the policy of the others; None in self-play.
    seat, contract : what the figures were confined to; None for all.
    """

    policy: str
    parameter: str
    default: float
    opponents: str | None
    scoring: Scoring
    seed: int
    deals: int
    seat: str | None
    contract: str | None
    rows: tuple[ThresholdRow, ...]
    best: BestValue
    seats: tuple[SeatCurve, ...]
    contracts: tuple[ContractRow, ...]


def default_values(parameter: Parameter) -> tuple[float, ...]:
    """The values to study if none are named: some steps around the default."""
    step = 0.05
    if parameter.greatest - parameter.least > 2:
        raw = max(abs(parameter.default), 1.0) / (2 * STEPS)
        power = 10.0 ** math.floor(math.log10(raw))
        step = min((power, 2 * power, 5 * power, 10 * power), key=lambda nice: abs(nice - raw))
    values = [round(parameter.default + step * count, 10) for count in range(-STEPS, STEPS + 1)]
    return tuple(value for value in values if parameter.least <= value <= parameter.greatest)


@dataclass(slots=True)
class _Sums:
    """Whole numbers added up over deals: by seat, value and contract.

    Attributes
    ----------
    products : of shape (4, values, values): sums of the products of two values' entries in a
        deal, by seat and for all seats together; with `entered` they give every paired interval.
    """

    deals: int
    entered: np.ndarray
    products: np.ndarray
    declared: list[RateSums]
    won: list[RateSums]
    overbid: list[RateSums]
    by_contract: list[list[RateSums]]
    contract_score: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def empty(cls, count: int) -> "_Sums":
        return cls(
            deals=0,
            entered=np.zeros((4, count), dtype=np.int64),
            products=np.zeros((4, count, count), dtype=np.int64),
            declared=[RateSums() for _ in range(count)],
            won=[RateSums() for _ in range(count)],
            overbid=[RateSums() for _ in range(count)],
            by_contract=[[RateSums() for _ in CONTRACT_NAMES] for _ in range(count)],
            contract_score=np.zeros((count, len(CONTRACT_NAMES)), dtype=np.int64),
        )

    def merge(self, other: "_Sums") -> None:
        self.deals += other.deals
        self.entered += other.entered
        self.products += other.products
        self.contract_score += other.contract_score
        for mine, its in (
            (self.declared, other.declared),
            (self.won, other.won),
            (self.overbid, other.overbid),
            *zip(self.by_contract, other.by_contract, strict=True),
        ):
            for one, another in zip(mine, its, strict=True):
                one.merge(another)

    def difference(self, seat: int, one: int, another: int, unit: int) -> Interval:
        """A value's mean entry less another's; seat 3 means all."""
        total = int(self.entered[seat, one] - self.entered[seat, another])
        products = self.products[seat]
        squares = products[one, one] - 2 * products[one, another] + products[another, another]
        return Interval.of_sums(self.deals, total, int(squares), unit=unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    """What is asked, checked."""

    policies: tuple[Policy, ...]
    opponent: Policy | None
    seats: tuple[int, ...]
    contract: int | None
    scoring: Scoring
    seed: int
    ruleset: Ruleset

    def tables(self, policy: Policy) -> list[Players]:
        """The tables at which the policy plays each deal: one for each of its seats."""
        tables = []
        for seat in self.seats if self.opponent else (0,):
            seated = (
                policy if self.opponent is None or place == seat else self.opponent
                for place in range(3)
            )
            tables.append(Players.of(seats=list(seated)))
        return tables

    def play(self, first: int, deals: int) -> _Sums:
        """The sums of a block of deals."""
        sums = _Sums.empty(len(self.policies))
        sums.deals = deals
        entered = np.zeros((4, len(self.policies), deals), dtype=np.int64)
        for index, policy in enumerate(self.policies):
            played = play_tables(self.tables(policy), self.seed, first, deals, self.ruleset)
            counts = np.zeros((3, deals), dtype=np.int64)
            by_contract = np.zeros((2, len(CONTRACT_NAMES), deals), dtype=np.int64)
            for place, seat in enumerate(self.seats):
                rows = played[place if self.opponent else 0]
                own = seat_entries(rows, self.scoring, self.ruleset)[:, seat]
                is_own = (rows["declarer_seat"] == seat) & (rows["contract"] >= 0)
                if self.contract is not None:
                    is_own &= rows["contract"] == self.contract
                    own = np.where(is_own, own, 0)
                is_won = is_own & (rows["is_won"] != 0)
                entered[seat, index] = own
                for count, flags in enumerate((is_own, is_won, is_own & (rows["is_overbid"] != 0))):
                    counts[count] += flags
                for contract in range(len(CONTRACT_NAMES)):
                    is_it = is_own & (rows["contract"] == contract)
                    by_contract[0, contract] += is_it
                    by_contract[1, contract] += is_it & is_won
                    sums.contract_score[index, contract] += int(rows["score"][is_it].sum())
            sums.declared[index].add(counts[0], np.full(deals, len(self.seats)))
            sums.won[index].add(counts[1], counts[0])
            sums.overbid[index].add(counts[2], counts[0])
            for contract, rate in enumerate(sums.by_contract[index]):
                rate.add(by_contract[1, contract], by_contract[0, contract])
        entered[3] = entered[:3].sum(axis=0)
        sums.entered = entered.sum(axis=2)
        sums.products = np.einsum("sid,sjd->sij", entered, entered)
        return sums


def threshold(
    policy: PolicyLike = "heuristic",
    param: str | None = None,
    values: Sequence[float] | None = None,
    *,
    deals: int = DEFAULT_DEALS,
    scoring: Scoring = "seeger3",
    opponents: PolicyLike | None = None,
    is_self_play: bool = False,
    seat: int | None = None,
    contract: str | None = None,
    seed: int = 0,
    ruleset: Ruleset = ISKO,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Threshold:
    """Play a policy with several values of one parameter on the same deals.

    Parameters
    ----------
    policy : by text, with values of its other parameters: ``heuristic:grand=0``.
    param : the parameter; the policy's first if none is named, ``risk`` of `heuristic`.
    values : what it shall be; some steps around its default if none are given.
    deals : each is played with every value at every seat of the policy.
    scoring : ``seeger3`` (the default), ``seeger4`` or ``plain``.
    opponents : the other two players; `policy` as it is named if nothing is said.
    is_self_play : all three players have the value instead.
    seat : 0 to 2: the policy sits there alone; in self-play, only that seat is counted.
    contract : count the games in it that the policy declares, and nothing else.
    seed : deal k of the seed is that of `skatsim.simulate`.
    n_jobs : threads, by default the usable processors.
    on_progress : called with the deals done and all deals.

    Raises
    ------
    PolicyError
        A policy is not known, or has no such parameter, or the parameter no such value.
    RuleError
        A setting makes no sense.

    Examples
    --------
    >>> result = threshold("heuristic", "risk", [0.1, 0.5, 0.9], deals=200, n_jobs=1)
    >>> result.best.value
    0.5
    """
    scoring = check_word(scoring, "scoring", SCORINGS)
    base = named_policy(policy)
    if not base.parameters:
        raise PolicyError(f"policy {base.name!r} has no parameters to study")
    parameter = _parameter(base, param)
    if values is not None:
        listed = items_of(values, "values", object, "a list of numbers")
        values = [check_number(value, "values") for value in listed]
    seed, deals = check_seed(seed), check_whole(deals, "deals", least=1, most=GREATEST_DEALS)
    n_jobs = check_jobs(n_jobs)
    if seat is not None:
        seat = check_whole(seat, "seat", least=0, most=2)
    wanted = sorted(set(values or default_values(parameter)))
    if not 2 <= len(wanted) <= GREATEST_VALUES:
        raise RuleError(
            f"{count_text(len(wanted), 'value')} to compare: give 2 to {GREATEST_VALUES}"
        )
    if is_self_play and opponents is not None:
        raise RuleError("in self-play there are no opponents to name")
    if contract is not None and contract not in CONTRACT_NAMES:
        raise RuleError(f"no contract {contract!r}: one of {', '.join(CONTRACT_NAMES)}")
    other = base if opponents is None else opponents
    study = _Study(
        policies=tuple(base.with_values({parameter.name: value}) for value in wanted),
        opponent=None if is_self_play else named_policy(other),
        seats=(0, 1, 2) if seat is None else (seat,),
        contract=None if contract is None else CONTRACT_NAMES.index(contract),
        scoring=scoring,
        seed=seed,
        ruleset=ruleset,
    )
    sums = _Sums.empty(len(wanted))
    blocks = [(first, min(BLOCK, deals - first)) for first in range(0, deals, BLOCK)]
    for block in over_blocks(
        study.play, blocks, n_jobs=n_jobs or usable_processors(), on_progress=on_progress
    ):
        sums.merge(block)
    return _result(base, parameter, wanted, study, sums)


def _parameter(policy: Policy, name: str | None) -> Parameter:
    if name is None:
        return policy.parameters[0]
    check_text(name, "param")
    policy.value(name)  # which refuses what it does not know
    return next(parameter for parameter in policy.parameters if parameter.name == name)


def _best(sums: _Sums, seat: int, values: Sequence[float], unit: int) -> tuple[int, BestValue]:
    """The place of the best value, and what is said of it."""
    best = int(np.argmax(sums.entered[seat]))

    def is_worse(place: int) -> bool:
        high = sums.difference(seat, place, best, unit).high
        return high is not None and high < 0

    low = high = best
    while low > 0 and not is_worse(low - 1):
        low -= 1
    while high < len(values) - 1 and not is_worse(high + 1):
        high += 1
    return best, BestValue(
        value=values[best],
        low=values[low],
        high=values[high],
        is_interior=low > 0 and high < len(values) - 1,
    )


def _row(sums: _Sums, place: int, best: int, value: float, unit: int) -> ThresholdRow:
    score = Interval.of_sums(
        sums.deals, int(sums.entered[3, place]), int(sums.products[3, place, place]), unit=unit
    )
    difference = sums.difference(3, place, best, unit)
    declared, won, overbid = (
        rates[place].interval() for rates in (sums.declared, sums.won, sums.overbid)
    )
    return ThresholdRow(
        value=value,
        games=sums.declared[place].games,
        declared=sums.declared[place].hits,
        declared_rate=declared.mean,
        declared_rate_low=declared.low,
        declared_rate_high=declared.high,
        won=sums.won[place].hits,
        win_rate=won.mean,
        win_rate_low=won.low,
        win_rate_high=won.high,
        overbid_rate=overbid.mean,
        overbid_rate_low=overbid.low,
        overbid_rate_high=overbid.high,
        score_per_deal=score.mean,
        score_per_deal_low=score.low,
        score_per_deal_high=score.high,
        difference=difference.mean,
        difference_low=difference.low,
        difference_high=difference.high,
    )


def _result(
    policy: Policy, parameter: Parameter, values: Sequence[float], study: _Study, sums: _Sums
) -> Threshold:
    unit = len(study.seats)
    place, best = _best(sums, 3, values, unit)
    contracts = []
    for index, value in enumerate(values):
        for number, name in enumerate(CONTRACT_NAMES):
            rates = sums.by_contract[index][number]
            if rates.games:
                won = rates.interval()
                score = int(sums.contract_score[index, number]) / rates.games
                contracts.append(
                    ContractRow(
                        value=value,
                        contract=name,
                        games=rates.games,
                        win_rate=won.mean,
                        win_rate_low=won.low,
                        win_rate_high=won.high,
                        score_per_game=score,
                    )
                )
    return Threshold(
        policy=policy.text,
        parameter=parameter.name,
        default=parameter.default,
        opponents=None if study.opponent is None else study.opponent.text,
        scoring=study.scoring,
        seed=study.seed,
        deals=sums.deals,
        seat=SEATS[study.seats[0]] if unit == 1 else None,
        contract=None if study.contract is None else CONTRACT_NAMES[study.contract],
        rows=tuple(_row(sums, index, place, value, unit) for index, value in enumerate(values)),
        best=best,
        seats=tuple(
            SeatCurve(
                seat=SEATS[seat],
                best=_best(sums, seat, values, 1)[1],
                values=tuple(values),
                scores=tuple(float(total) / sums.deals for total in sums.entered[seat]),
            )
            for seat in study.seats
        ),
        contracts=tuple(contracts),
    )
