"""Outcomes of several contracts, by skat and bid: what a plan is worth, and what is known of skats.

A plan says which contract is played with each skat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skatsim.contracts import Contract
from skatsim.study.outcomes import Rate, Scoring, Tally, mean_score, rate, score_table

__all__ = ["Sums", "sum_up"]

CAUTION: Final = 10.0
"""Worlds by which what was known before counts when a contract is chosen for a skat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Tallies as sums over worlds.

    Attributes
    ----------
    wins, scores, squares : of shape (contracts, skats, bids): games won, scores, their squares.
    accepted, trials : of shape (contracts, skats): worlds that agree, worlds drawn.
    """

    wins: NDArray[np.float64]
    scores: NDArray[np.float64]
    squares: NDArray[np.float64]
    accepted: NDArray[np.float64]
    trials: NDArray[np.float64]

    def means(self) -> NDArray[np.float64]:
        """Mean scores by contract and bid, all skats weighing as they should."""
        share = (self.accepted / self.trials).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (self.scores / self.trials[:, :, None]).sum(axis=1)
            means: NDArray[np.float64] = found / share[:, None]
        return means

    def refined(self, before: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores with each skat: what was known before, moved to these means, and these."""
        weights = self.accepted / self.trials
        whole = np.maximum(weights.sum(axis=1), 1e-300)[:, None]
        level = self.means() - (weights[:, :, None] * before).sum(axis=1) / whole
        level = np.nan_to_num(level, nan=0.0)[:, None]
        known = self.scores + CAUTION * (before + level)
        found: NDArray[np.float64] = known / (self.accepted + CAUTION)[:, :, None]
        return found

    def levelled(self, before: NDArray[np.float64]) -> NDArray[np.float64]:
        """What was known before with each skat, moved by what the worlds of all others tell.

        So no world has a say in what is played with its own skat, and those that report may
        choose as well.
        """
        weights = self.accepted / self.trials
        apart = self.scores / self.trials[:, :, None] - weights[:, :, None] * before
        others = np.maximum(weights.sum(axis=1, keepdims=True) - weights, 1e-300)[:, :, None]
        found: NDArray[np.float64] = before + (apart.sum(axis=1, keepdims=True) - apart) / others
        return found

    def of_plan(self, plan: NDArray[np.int64], bid: int) -> tuple[tuple[float, float, float], Rate]:
        """Score and win rate at a bid, by its place, if a plan is followed."""
        skat = np.arange(len(plan))
        accepted, trials = self.accepted[plan, skat], self.trials[plan, skat]
        scores, squares = self.scores[plan, skat, bid], self.squares[plan, skat, bid]
        return (
            mean_score(scores, squares, accepted, trials),
            rate(self.wins[plan, skat, bid], accepted, trials),
        )


def sum_up(
    tried: Sequence[tuple[Contract, Tally]], values: NDArray[np.int64], scoring: Scoring
) -> Sums:
    """The sums of some contracts at some bids."""
    sums: list[list[NDArray[np.float64]]] = [[], [], []]
    for contract, tally in tried:
        won, score = score_table(contract, values, scoring=scoring)
        for part, by_outcome in zip(sums, (won, score, score**2), strict=True):
            part.append(tally.counts.astype(float) @ by_outcome)
    wins, scores, squares = (np.array(part, dtype=float) for part in sums)
    accepted = np.array([tally.counts.sum(axis=1) for _, tally in tried], dtype=float)
    trials = np.array([tally.trials for _, tally in tried], dtype=float)
    return Sums(wins=wins, scores=scores, squares=squares, accepted=accepted, trials=trials)
