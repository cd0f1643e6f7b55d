"""The game to play at each bid, chosen on one half of the worlds and judged on the other.

Who takes the skat chooses the contract when it is seen; a hand game is chosen before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skatsim.contracts import Contract
from skatsim.ruleset import ISKO
from skatsim.study.outcomes import MOST, Scoring, Tally, mean_score, rate, score_table
from skatsim.study.question import Question

__all__ = ["BidEstimate", "Plans", "values_held"]

CAUTION: Final = 10.0
"""Worlds by which the heuristic's guess counts when a contract is chosen for a skat."""

CHOOSE, REPORT = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BidEstimate:
    """What it is worth to become declarer at a bid.

    Attributes
    ----------
    bid : the value said or held last.
    win_rate, overbid_rate, expected_score : when with each skat the game is played that is
        best at this bid; overbid before anything is played.
    plan : the game to play: a hand game, or that with a skat that is known; None to take the
        skat first.
    """

    bid: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    overbid_rate: float
    expected_score: float
    expected_score_low: float
    expected_score_high: float
    plan: Contract | None


def values_held(question: Question, contract: Contract) -> NDArray[np.int64]:
    """The value of a contract that is just won, with each skat."""
    if contract.is_null:
        value = ISKO.null_values[contract.is_hand + 2 * contract.is_ouvert]
        return np.full(len(question.skats), value, dtype=np.int64)
    return ISKO.base_values[contract.number] * question.multipliers_held(contract)


class Plans:
    """What to play at each bid from the lowest on.

    Parameters
    ----------
    question : what is known.
    tried : the contracts with their outcomes.
    scoring : what they are to bring.
    """

    def __init__(
        self, question: Question, tried: Sequence[tuple[Contract, Tally]], scoring: Scoring
    ) -> None:
        values = [value for value in ISKO.bid_values if value >= question.bid]
        self.values = np.array(values, dtype=np.int64)
        self.contracts = [contract for contract, _ in tried]
        self.is_hand = np.array([contract.is_hand for contract in self.contracts])
        shape = (len(tried), len(question.skats), len(values))
        self.wins, self.scores, self.squares = (np.zeros((2, *shape)) for _ in range(3))
        self.accepted = np.zeros((2, *shape[:2]))
        self.trials = np.array([tally.trials for _, tally in tried], dtype=float).swapaxes(0, 1)
        self.is_overbid = np.zeros(shape, dtype=bool)
        self.guesses = np.zeros(shape)
        for number, (contract, tally) in enumerate(tried):
            won, score = score_table(contract, self.values, scoring=scoring)
            for half in (CHOOSE, REPORT):
                counts = tally.counts[half]
                self.wins[half, number] = counts @ won
                self.scores[half, number] = counts @ score
                self.squares[half, number] = counts @ score**2
                self.accepted[half, number] = counts.sum(axis=1)
            self.is_overbid[number] = values_held(question, contract)[:, None] < self.values
            if not contract.is_hand:
                held = 1 if contract.is_null else question.multipliers_held(contract)
                chance = question.policy_chances(contract)[:, None]
                self.guesses[number] = chance * score[MOST + held]
                self.guesses[number] += (1 - chance) * score[MOST - held]
        may_take_skat = ~self.is_hand
        may_play_hand = self.is_hand & (question.skat_mask is None)
        self.taken = self._best_with_skat(may_take_skat)
        self.played = self._best_hand_games(may_play_hand)

    def _means(self) -> NDArray[np.float64]:
        """Mean scores of the half that chooses, by contract and bid."""
        trials = self.trials[CHOOSE]
        share = (self.accepted[CHOOSE] / trials).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (self.scores[CHOOSE] / trials[:, :, None]).sum(axis=1) / share[:, None]
        return np.where(np.isnan(found), -np.inf, found)

    def _best_with_skat(self, allowed: NDArray[np.bool_]) -> NDArray[np.int64] | None:
        """The contract to play with each skat at each bid, shape (skats, bids)."""
        if not allowed.any():
            return None
        total = self.scores[CHOOSE] + CAUTION * self.guesses
        scores = total / (self.accepted[CHOOSE] + CAUTION)[:, :, None]
        scores = np.where(np.isnan(scores) | ~allowed[:, None, None], -np.inf, scores)
        best: NDArray[np.int64] = np.argmax(scores, axis=0)
        return best

    def _best_hand_games(self, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The hand game to play at each bid, -1 where taking the skat is better."""
        means = np.where(allowed[:, None], self._means(), -np.inf)
        best = np.argmax(means, axis=0)
        is_best = np.isfinite(means.max(axis=0))
        if self.taken is not None:
            taken = np.array([self._figures(CHOOSE, b, -1)[0][0] for b in range(len(self.values))])
            is_best &= means.max(axis=0) > taken
        return np.where(is_best, best, -1)

    def _figures(self, half: int, bid: int, hand: int) -> tuple[Any, Any, float]:
        """Score, rate and share of overbid games of what is played at a bid."""
        if hand >= 0:
            chosen = np.full(self.accepted.shape[2], hand)
        else:
            assert self.taken is not None
            chosen = self.taken[:, bid]
        skat = np.arange(len(chosen))
        accepted = self.accepted[half, chosen, skat]
        trials = self.trials[half, chosen, skat]
        score = mean_score(
            self.scores[half, chosen, skat, bid],
            self.squares[half, chosen, skat, bid],
            accepted,
            trials,
        )
        found = rate(self.wins[half, chosen, skat, bid], accepted, trials)
        weight = accepted / trials
        overbid = float(weight @ self.is_overbid[chosen, skat, bid]) / max(weight.sum(), 1e-300)
        return score, found, overbid

    def bids(self) -> Iterator[BidEstimate]:
        """Each value that may still be bid, judged on the half that reports."""
        for bid, value in enumerate(self.values):
            hand = int(self.played[bid])
            if hand < 0 and self.taken is None:
                return
            score, found, overbid = self._figures(REPORT, bid, hand)
            if not np.isfinite(score[0]):  # nothing can be declared, or no world agrees
                return
            yield BidEstimate(
                bid=int(value),
                win_rate=found.value,
                win_rate_low=found.low,
                win_rate_high=found.high,
                overbid_rate=overbid,
                expected_score=score[0],
                expected_score_low=score[1],
                expected_score_high=score[2],
                plan=self._plan(bid, hand),
            )

    def _plan(self, bid: int, hand: int) -> Contract | None:
        if hand < 0 and self.taken is not None and len(self.taken) == 1:
            hand = int(self.taken[0, bid])
        return self.contracts[hand] if hand >= 0 else None

    def best(self) -> Contract | None:
        """The game to play at the lowest bid; the one most skats lead to, if the skat is taken."""
        hand = int(self.played[0])
        if hand >= 0:
            return self.contracts[hand]
        if self.taken is None:
            return None
        chosen = self.taken[:, 0]
        weights = self.accepted[REPORT, chosen, np.arange(len(chosen))]
        counts = np.bincount(chosen, weights=weights, minlength=len(self.contracts))
        return self.contracts[int(np.argmax(counts))]
