"""Outcomes of one contract in many worlds: rates, scores, and how sure they are.

Worlds are drawn skat by skat, equally many of each, and only those that agree with the
auction count. A rate is therefore a ratio over strata, and its error that of the worlds within
each skat; chance between skats has none, since all of them are met equally often.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from skatsim.contracts import Contract
from skatsim.intervals import QUANTILE, wilson
from skatsim.ruleset import ISKO

__all__ = [
    "DIGITS",
    "MOST",
    "SCORINGS",
    "Rate",
    "Scoring",
    "Tally",
    "mean_score",
    "null_value",
    "rate",
    "score_table",
]

Scoring = Literal["plain", "seeger3", "seeger4"]
SCORINGS: Final[tuple[Scoring, ...]] = ("plain", "seeger3", "seeger4")

MOST: Final = 20
"""Multipliers lie below: 11 matadors and 7 levels at most (RULES 6)."""

OUTCOMES: Final = np.arange(-MOST, MOST + 1)
"""What a game can end with: its multiplier, negative where it is lost on cards."""

MOST_GAIN: Final = 4.0
"""By how much strata may at most seem to have made a sample larger."""

ROUNDING: Final = 1e-12
"""What sums of squares are off by, as a share of them."""

DIGITS, SCORE_DIGITS = 12, 9
"""Decimals of rates and scores that are told: what stands behind them is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its 95 % interval.

    Attributes
    ----------
    value, low, high : the share, and Wilson's interval for it.
    effective : the number of independent worlds that would tell as much.
    """

    value: float
    low: float
    high: float
    effective: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


class Tally:
    """Outcomes of one contract, counted by skat.

    Attributes
    ----------
    counts : int64 of shape (skats, outcomes).
    trials : int64 of shape (skats,), worlds drawn, those that do not agree included.
    """

    def __init__(self, skats: int) -> None:
        self.counts: NDArray[np.int64] = np.zeros((skats, len(OUTCOMES)), dtype=np.int64)
        self.trials: NDArray[np.int64] = np.zeros(skats, dtype=np.int64)

    def add(self, numbers: NDArray[np.int64], outcomes: NDArray[np.int64]) -> None:
        """Count the outcomes of worlds by their numbers."""
        place = numbers % len(self.trials)
        cells = np.bincount(place * len(OUTCOMES) + outcomes + MOST, minlength=self.counts.size)
        self.counts += cells.reshape(self.counts.shape)

    def add_trials(self, start: int, end: int) -> None:
        """Note that the worlds `start` to ``end - 1`` were drawn."""
        rounds, rest = divmod(end - start, len(self.trials))
        self.trials += rounds
        self.trials[(start + np.arange(rest)) % len(self.trials)] += 1

    @property
    def worlds(self) -> int:
        """The worlds that agree."""
        return int(self.counts.sum())


def null_value(contract: Contract) -> int:
    """What a null game is worth (RULES 6.6)."""
    return ISKO.null_values[contract.is_hand + 2 * contract.is_ouvert]


def score_table(
    contract: Contract, bids: NDArray[np.int64], *, scoring: Scoring
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether an outcome wins at a bid, and the declarer's entry (RULES 7, 8).

    Returns
    -------
    won, score : arrays of shape (outcomes, bids); scores are nan where the contract cannot be
        declared at the bid.
    """
    size = np.abs(OUTCOMES)[:, None]
    if contract.is_null:
        base = value = np.full_like(size, null_value(contract))
    else:
        base = np.full_like(size, ISKO.base_values[contract.number])
        value = base * size
    is_held = value >= bids
    won = (OUTCOMES[:, None] > 0) & is_held
    charged = np.maximum(value, base * -(-bids // base))
    bonus = 0 if scoring == "plain" else ISKO.own_game_bonus
    score = np.where(won, value + bonus, -ISKO.lost_factor * charged - bonus).astype(np.float64)
    if contract.is_null:
        score[:, ~is_held[0]] = np.nan
    return won, score


def _deviation(
    total: NDArray[np.float64],
    squares: NDArray[np.float64],
    accepted: NDArray[np.float64],
    trials: NDArray[np.float64],
) -> tuple[float, float]:
    """A ratio over strata and its standard error.

    Parameters
    ----------
    total, squares, accepted : by stratum, of the worlds that agree: sum, sum of squares, number.
    trials : worlds drawn, by stratum, at least one.
    """
    whole = float((accepted / trials).sum())
    if whole <= 0:
        return math.nan, math.inf
    mean = float((total / trials).sum()) / whole
    rest = total - mean * accepted
    rest_squares = squares - 2 * mean * total + mean**2 * accepted
    spare = np.maximum(trials - 1, 1)
    noise = ROUNDING * (squares + mean**2 * accepted)
    spread = (rest_squares - rest**2 / trials) * trials / spare
    # one world says nothing of its skat's own mean: the next skat's stands for it, which has a
    # card in common; what the two differ in makes this cautious
    single = np.flatnonzero(trials == 1)
    if len(single) == 1:
        spread[single] = rest_squares[single]
    else:
        spread[single] = np.square(rest[single] - rest[np.roll(single, -1)]) / 2
    variance = np.where(spread > noise, spread, 0) / np.square(trials)
    return mean, math.sqrt(float(variance.sum())) / whole


def rate(
    wins: NDArray[np.float64],
    accepted: NDArray[np.float64],
    trials: NDArray[np.float64],
) -> Rate:
    """The share of wins among the worlds that agree, all skats weighing as they should."""
    share, error = _deviation(wins, wins, accepted, trials)
    count = float(accepted.sum())
    if math.isnan(share):
        return Rate(value=math.nan, low=0.0, high=1.0, effective=0.0)
    share = round(min(max(share, 0.0), 1.0), DIGITS)
    effective = count
    if 0 < share < 1:  # without any error it is the skat alone that decides
        alike = share * (1 - share) / error**2 if error > 0 else math.inf
        effective = min(alike, MOST_GAIN * count)
    low, high = wilson(share, effective)
    return Rate(value=share, low=low, high=high, effective=effective)


def mean_score(
    total: NDArray[np.float64],
    squares: NDArray[np.float64],
    accepted: NDArray[np.float64],
    trials: NDArray[np.float64],
) -> tuple[float, float, float]:
    """A mean score with its 95 % interval."""
    mean, error = _deviation(total, squares, accepted, trials)
    mean = round(mean, SCORE_DIGITS)
    return mean, mean - QUANTILE * error, mean + QUANTILE * error
