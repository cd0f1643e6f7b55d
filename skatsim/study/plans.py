"""The game to play at each bid, chosen on worlds of its own and judged on those that report.

Who takes the skat chooses the contract when it is seen; a hand game is chosen before.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skatsim.contracts import Contract
from skatsim.ruleset import ISKO
from skatsim.study.outcomes import DIGITS, MOST, Scoring, Tally, score_table
from skatsim.study.question import Method, Question
from skatsim.study.sums import sum_up

__all__ = ["BidEstimate", "Plans", "Tried"]

CHOOSING_WORLDS: Final[dict[Method, int]] = {"play": 512 * 231, "solve": 128 * 231}
"""Played out to choose contracts, at least; where games are played, as many as report."""

SOLVED_CHOOSING: Final = 462
"""Solved to choose a contract where the skat is known."""

HAND_SHARE: Final = 8
"""Hand games are tried in every so manieth of these worlds: their mean alone is wanted."""

FIRST_CHOOSING: Final = 1 << 48
"""Number of the first world that only helps to choose a contract."""

MOST_CHOOSING: Final = 10_000_000
"""Drawn at most to find worlds that choose, where few agree with the auction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BidEstimate:
    """What it is worth to become declarer at a bid.

    Attributes
    ----------
    bid : the value said or held last.
    win_rate, overbid_rate, expected_score : when with each skat the game is played that was
        found best at this bid; overbid before anything is played. The best that there is can
        only bring more. The score never rises with the bid; the rate may, where a dearer game
        is won more often.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A contract that was tried.

    Attributes
    ----------
    discards : the two cards laid away with each skat.
    tally : its outcomes.
    """

    contract: Contract
    discards: NDArray[np.int64]
    tally: Tally


def _guesses(
    question: Question, contracts: Sequence[Contract], values: NDArray[np.int64], scoring: Scoring
) -> NDArray[np.float64]:
    """Scores by the heuristic's rule of thumb, of games with the skat."""
    found = np.zeros((len(contracts), len(question.skats), len(values)))
    for number, contract in enumerate(contracts):
        if contract.is_hand:
            continue
        _, score = score_table(contract, values, scoring=scoring)
        held = 1 if contract.is_null else question.multipliers_held(contract)
        chance = question.policy_chances(contract)[:, None]
        found[number] = chance * score[MOST + held] + (1 - chance) * score[MOST - held]
    return found


def _try(
    question: Question, tried: Sequence[Tried], method: Method, wanted: int
) -> list[tuple[Contract, Tally]]:
    """Outcomes in about so many worlds that report nothing."""
    skats = len(question.skats)
    whole = max(2, math.ceil(wanted / skats)) * skats
    part = max(2, math.ceil(wanted / skats / HAND_SHARE)) * skats
    found = [(one.contract, Tally(skats)) for one in tried]
    for contract, tally in found:
        tally.add_trials(0, part if contract.is_hand else whole)
    for start, end in ((0, part), (part, whole)):
        for worlds in question.draw(FIRST_CHOOSING + start, FIRST_CHOOSING + end):
            for one, (contract, tally) in zip(tried, found, strict=True):
                if start == 0 or not contract.is_hand:
                    outcomes = question.outcomes(
                        contract, worlds, discards=one.discards, method=method
                    )
                    tally.add(worlds.numbers, outcomes)
    return found


class Plans:
    """What to play at each bid from the lowest on.

    Contracts are chosen by the heuristic's rule of thumb, corrected by games played out. Where
    the method is to solve, those tell the skats apart, and solved games the contracts.

    Parameters
    ----------
    question : what is known.
    tried : the contracts with their outcomes, by which plans are judged.
    method, scoring : how they are chosen.
    """

    def __init__(
        self, question: Question, tried: Sequence[Tried], *, method: Method, scoring: Scoring
    ) -> None:
        values = [value for value in ISKO.bid_values if value >= question.bid]
        self.values = np.array(values[:1] if question.is_last_bid else values, dtype=np.int64)
        self.contracts = [one.contract for one in tried]
        self.is_hand = np.array([contract.is_hand for contract in self.contracts])
        self.is_playable = ~self.is_hand | (question.skat_mask is None)
        self.report = sum_up([(one.contract, one.tally) for one in tried], self.values, scoring)
        self.is_overbid = np.array(
            [question.values_held(c)[:, None] < self.values for c in self.contracts]
        )
        self.choices = self._choices(question, tried, method, scoring)
        self.plans = self._kept()

    def _choices(
        self, question: Question, tried: Sequence[Tried], method: Method, scoring: Scoring
    ) -> NDArray[np.int64]:
        """The contract to play at each bid with each skat, shape (bids, skats)."""
        found = np.zeros((len(self.values), len(question.skats)), dtype=np.int64)
        if len(tried) == 1:
            return found
        worlds = max(one.tally.worlds for one in tried)
        share = max(worlds / max(float(one.tally.trials.sum()) for one in tried), 1e-9)
        wanted = max(CHOOSING_WORLDS[method], worlds if method == "play" else 0)
        drawn = math.ceil(min(wanted / share, max(MOST_CHOOSING, wanted)))
        played = sum_up(_try(question, tried, "play", drawn), self.values, scoring)
        known = played.refined(_guesses(question, self.contracts, self.values, scoring))
        means = played.means()
        if method == "solve":
            known, means = self._solved(question, tried, known, means, scoring)
        known = np.where(np.isnan(known), -np.inf, known)
        means = np.where(np.isnan(means), -np.inf, means)
        weights = (played.accepted / played.trials).mean(axis=0)
        weights /= max(weights.sum(), 1e-300)
        for bid in range(len(self.values)):
            found[bid] = self._choice(known[:, :, bid], means[:, bid], weights)
        return found

    def _solved(
        self,
        question: Question,
        tried: Sequence[Tried],
        known: NDArray[np.float64],
        means: NDArray[np.float64],
        scoring: Scoring,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Played scores with each skat, and their means, moved to what solved games bring."""
        if len(question.skats) > 1:
            return self.report.levelled(known), self.report.means()
        solved = sum_up(_try(question, tried, "solve", SOLVED_CHOOSING), self.values, scoring)
        found = solved.means()  # there are no other skats: worlds of their own
        return known + (found - means)[:, None, :], found

    def _choice(
        self, known: NDArray[np.float64], means: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The contract with each skat: of those with it the best, or one hand game for all."""
        with_skat = np.where(self.is_hand[:, None], -np.inf, known)
        hands = np.where(self.is_hand & self.is_playable, means, -np.inf)
        taken: NDArray[np.int64] = np.argmax(with_skat, axis=0)
        best = np.max(with_skat, axis=0)
        score = float(weights @ best) if np.isfinite(best).all() else -math.inf
        return np.full(len(weights), int(np.argmax(hands))) if hands.max() > score else taken

    def _kept(self) -> list[NDArray[np.int64]]:
        """The plan of each bid, the lowest first, as far up as anything can be declared.

        What can be played at a bid can be played at a lower one, and brings no less: so the plan
        of the higher bid is kept where the own one, chosen elsewhere, seems to bring less than
        that did there; and one contract with all skats where it seems better than several.
        """
        kept: list[NDArray[np.int64]] = []
        least = -math.inf
        for bid in reversed(range(len(self.values)) if self.is_playable.any() else range(0)):
            plan = self.choices[bid]
            score = self.report.of_plan(plan, bid)[0][0]
            if (plan != plan[0]).any():
                single = np.nan_to_num(self.report.means()[:, bid], nan=-np.inf)
                if single.max() > score:
                    plan, score = np.full_like(plan, int(np.argmax(single))), single.max()
            if kept and not score >= least:
                plan = kept[-1]
            score = self.report.of_plan(plan, bid)[0][0]
            if kept or math.isfinite(score):  # else nothing can be declared, or no world agrees
                kept.append(plan)
                least = score
        return kept[::-1]

    def _overbid_rate(self, plan: NDArray[np.int64], bid: int) -> float:
        """In how many games a plan has overbid before anything is played."""
        skat = np.arange(len(plan))
        weight = self.report.accepted[plan, skat] / self.report.trials[plan, skat]
        share = weight @ self.is_overbid[plan, skat, bid] / max(weight.sum(), 1e-300)
        return round(min(float(share), 1.0), DIGITS)

    def bids(self) -> Iterator[BidEstimate]:
        """Each value that may still be bid."""
        for bid, plan in enumerate(self.plans):
            score, found = self.report.of_plan(plan, bid)
            one = self.contracts[int(plan[0])]
            yield BidEstimate(
                bid=int(self.values[bid]),
                win_rate=found.value,
                win_rate_low=found.low,
                win_rate_high=found.high,
                overbid_rate=self._overbid_rate(plan, bid),
                expected_score=score[0],
                expected_score_low=score[1],
                expected_score_high=score[2],
                plan=one if one.is_hand or len(plan) == 1 else None,
            )

    def best(self) -> Contract | None:
        """The game to play at the lowest bid; the one most skats lead to, if the skat is taken."""
        if not self.plans:
            return None
        plan = self.plans[0]
        weights = self.report.accepted[plan, np.arange(len(plan))]
        counts = np.bincount(plan, weights=weights, minlength=len(self.contracts))
        return self.contracts[int(np.argmax(counts))]
