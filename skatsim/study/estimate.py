"""What a hand is worth before it is played: for each contract, and for each bid.

Two methods, never mixed. With ``play`` a policy plays sampled deals out: how often it wins
against itself. With ``solve`` all cards lie open and everybody plays best: how often the deal is
a win for who sees everything. Neither is how often a person wins.
"""

import dataclasses
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from skatsim.arguments import (
    check_kind,
    check_number,
    check_seed,
    check_text,
    check_whole,
    check_word,
)
from skatsim.auction import Auction
from skatsim.cards import CardStyle, find_notation, mask_text, parse_mask, parse_seat, seat_name
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import RuleError
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.study.choice import CHOOSING, best_discards, some_worlds
from skatsim.study.forms import announced_contracts, asked_contracts, estimate_notes
from skatsim.study.outcomes import (
    DIGITS,
    SCORINGS,
    Rate,
    Scoring,
    Tally,
    mean_score,
    rate,
    score_table,
)
from skatsim.study.plans import BidEstimate, Plans, Tried
from skatsim.study.question import METHODS, Method, Question

__all__ = ["Best", "BidEstimate", "ContractEstimate", "Estimate", "estimate"]

DEFAULT_PRECISION: Final[dict[Method, float]] = {"play": 0.01, "solve": 0.03}
FIRST_WORLDS: Final = 231
"""Drawn before it is asked for the first time whether they are enough."""

LEAST_STEP: Final = 6
"""The worlds grow by a sixth at least: who looks more often stops more often by chance."""

MOST_WORLDS: Final = 20_000_000
"""Drawn for one question at most; where hardly any agree with the auction it is given up."""

PASSING_WORLDS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractEstimate:
    """What one contract is worth at the bid of the estimate.

    Attributes
    ----------
    contract : what is played.
    win_rate, win_rate_low, win_rate_high : the share of worlds in which it is won, overbid games
        counted as lost, with its 95 % interval; None where it cannot be declared at the bid.
    expected_score, expected_score_low, expected_score_high : the declarer's entry.
    value_held : what the ten cards (twelve where the skat is known) are worth if it is just won.
    overbid_rate : in how many of the skats that value falls below the bid; exact, unless an
        auction makes some skats likelier than others.
    samples, effective_samples : worlds in which it was tried, and how many independent ones
        would tell as much: more than `samples` where every skat is met equally often, so that the
        chance of the skat is left out.
    discard_mask : the two cards laid away, where the skat is known.
    """

    contract: Contract
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None
    expected_score: float | None
    expected_score_low: float | None
    expected_score_high: float | None
    value_held: int
    overbid_rate: float
    samples: int
    effective_samples: int
    discard_mask: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The game to play at the bid of the estimate.

    Attributes
    ----------
    contract : in a game with the skat, unless it is known, the one that most skats lead to.
    discard_mask : the two cards to lay away, where the skat is known.
    """

    contract: Contract
    discard_mask: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What ten cards are worth: the answer of `estimate`.

    Attributes
    ----------
    bid : the lowest value at which the seat can become declarer; `contracts` are judged at it.
    samples : worlds looked at, that agree with the auction.
    drawn : worlds drawn for that.
    passing_score : what it is worth to pass.
    best_bid : the highest value at which playing is expected to bring more than passing, None
        if there is none.
    is_last_bid : both others have passed, so that `bids` has only the bid that is asked for.
    is_declarer : the auction is over: the seat plays at `bid`.
    notes : how the bids are meant, and which contracts were left out.
    """

    hand_mask: int
    seat: int
    skat_mask: int | None
    auction: Auction
    method: Method
    policy: str
    scoring: Scoring
    bid: int
    samples: int
    drawn: int
    seconds: float
    passing_score: float
    contracts: tuple[ContractEstimate, ...]
    bids: tuple[BidEstimate, ...]
    best_bid: int | None
    best: Best | None
    is_last_bid: bool
    is_declarer: bool
    notes: tuple[str, ...]

    def contract(self, text: str) -> ContractEstimate:
        """The row of a contract, like ``"grand"`` or ``"clubs hand"``."""
        wanted = parse_contract(text)
        for row in self.contracts:
            if row.contract == wanted:
                return row
        raise RuleError(
            f"{text!r} was not asked: {', '.join(str(r.contract) for r in self.contracts)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        best = None
        if self.best is not None:
            best = {**_named(self.best.contract), "discard": _cards(self.best.discard_mask)}
        return {
            "hand": mask_text(self.hand_mask),
            "seat": seat_name(self.seat),
            "skat": _cards(self.skat_mask),
            "auction": str(self.auction),
            "method": self.method,
            "policy": self.policy,
            "scoring": self.scoring,
            "bid": self.bid,
            "samples": self.samples,
            "drawn": self.drawn,
            "seconds": self.seconds,
            "passing_score": self.passing_score,
            "contracts": [_contract_dict(row) for row in self.contracts],
            "bids": [_bid_dict(row) for row in self.bids],
            "best_bid": self.best_bid,
            "best": best,
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """Both tables, for notebooks."""
        from skatsim.study.estimate_text import as_html

        return as_html(self)


def estimate(
    hand: int | str,
    seat: int | str = 0,
    *,
    skat: int | str | None = None,
    auction: Auction | str = "",
    contracts: Iterable[Contract | str] | str | None = None,
    method: Method | str = "play",
    policy: str = "heuristic",
    scoring: str = "plain",
    precision: float | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Estimate:
    """What a hand is worth in each contract, and how high to bid it.

    All contracts meet the same deals, as many of each skat. The discard depends on the skat
    alone. What is chosen (the contract with a skat, the discard where the skat is known) is
    chosen on other worlds than those that are reported, so a bid is worth at least what it says.

    Parameters
    ----------
    hand : ten cards, as text or mask.
    seat : 0 forehand, 1 middlehand, 2 rearhand, or the name.
    skat : its two cards, where they are known.
    auction : the calls so far, ``1 18 0 y``: only worlds count in which the others' hands
        would have called so under `policy`.
    contracts : those to try, as texts separated by commas or one by one; a text without ``hand``
        means the game with the skat and the hand game, a `Contract` itself. Default: the six
        and null ouvert, both ways, and schneider, schwarz and ouvert in suit games and grand
        where at least half of the hand games come to it.
    method : ``play`` or ``solve``.
    policy : who plays, and by whose bidding the auction is read.
    scoring : ``plain``, or Seeger-Fabian at a table of three or four, ``seeger3 seeger4``.
    precision : half-width of the 95 % interval of each win rate; default 0.01, solved 0.03.
    samples : worlds to look at instead of a precision.
    seed : of the worlds.

    Raises
    ------
    NotationError, RuleError
        The question cannot be asked; it says why.
    PolicyError
        There is no such policy.

    Examples
    --------
    >>> answer = estimate("CJ SJ HJ DJ CA CT CK CQ C9 C8", samples=500)
    >>> answer.contract("clubs").win_rate
    1.0
    """
    started = time.perf_counter()
    method, scoring = _method(method), check_word(scoring, "scoring", SCORINGS)
    question = _question(hand, seat, skat, auction, policy, seed)
    precision, samples = _check_effort(precision, samples, method)
    wanted = asked_contracts(contracts)
    announced = announced_contracts(question, method) if contracts is None else []
    wanted += announced
    rows = [
        Tried(contract=contract, discards=discards, tally=Tally(len(question.skats)))
        for contract, discards in zip(
            wanted, best_discards(question, wanted, method=method), strict=True
        )
    ]
    drawn = _sample(question, rows, method=method, precision=precision, samples=samples)
    notes = estimate_notes(question, method, announced if contracts is None else None)
    return _answer(question, rows, drawn, started, method, scoring, notes)


def _method(value: str) -> Method:
    if value == "human":
        raise RuleError("method 'human' is not available yet: play and solve are")
    return check_word(value, "method", METHODS)


def _check_effort(
    precision: float | None, samples: int | None, method: Method
) -> tuple[float, int | None]:
    if precision is not None and samples is not None:
        raise RuleError("a precision or a number of samples: not both")
    if samples is not None:
        samples = check_whole(samples, "samples", least=1, most=MOST_WORLDS)
    wanted = DEFAULT_PRECISION[method]
    if precision is not None:
        wanted = check_number(precision, "precision")
    if not 0.0005 <= wanted < 0.5:
        raise RuleError(f"precision {precision!r}: 0.0005 to 0.5, like 0.01 for one point")
    return wanted, samples


def _question(
    hand: int | str,
    seat: int | str,
    skat: int | str | None,
    auction: Auction | str,
    policy: str,
    seed: int,
) -> Question:
    notation = find_notation(*(text for text in (hand, skat) if isinstance(text, str)))
    hand_mask = _mask(hand, "hand", notation)
    skat_mask = None if skat is None else _mask(skat, "skat", notation)
    check_kind(auction, "auction", (str, Auction), "an auction or its text")
    check_text(policy, "policy")
    players = Players.of(seats=[policy] * 3)
    return Question(
        hand_mask=hand_mask,
        seat=parse_seat(seat) if isinstance(seat, str) else check_whole(seat, "seat"),
        skat_mask=skat_mask,
        auction=Auction.from_text(auction) if isinstance(auction, str) else auction,
        players=players,
        seed=check_seed(seed),
    )


def _mask(cards: int | str, name: str, notation: CardStyle) -> int:
    """Cards given as text or mask."""
    return parse_mask(cards, notation) if isinstance(cards, str) else check_whole(cards, name)


def _sample(
    question: Question,
    rows: Sequence[Tried],
    *,
    method: Method,
    precision: float,
    samples: int | None,
) -> int:
    """Try the contracts in worlds until each is known well enough; how many were drawn.

    A number of samples is rounded up to as many of each skat, two at least.
    """
    skats = len(question.skats)
    done = 0
    step = FIRST_WORLDS if samples is None else max(2, math.ceil(samples / skats)) * skats
    open_rows = list(rows)
    while True:
        end = done + step
        for worlds in question.draw(done, end):
            for row in open_rows:
                found = question.outcomes(
                    row.contract, worlds, discards=row.discards, method=method
                )
                row.tally.add(worlds.numbers, found)
        for row in open_rows:
            row.tally.add_trials(done, end)
        done = end
        accepted = max(row.tally.worlds for row in rows)
        if accepted == 0 and done >= MOST_WORLDS:
            raise RuleError(
                f"hands of the others that lead to {str(question.auction)!r} were not found among"
                f" {done:,}: {question.players.names()[0]} would not call so"
            )
        if samples is None:
            open_rows, step = _missing(question, open_rows, precision, done)
        else:
            wanted = done * max(0.0, samples / max(accepted, 1) - 1)
            step = math.ceil(wanted / skats) * skats
        step = min(step, 8 * done, MOST_WORLDS - done)
        if step <= 0:
            return done


def _missing(
    question: Question, rows: Sequence[Tried], precision: float, done: int
) -> tuple[list[Tried], int]:
    """The contracts not known well enough, and how many worlds more the first of them needs."""
    left: list[Tried] = []
    least = 0.0
    for row in rows:
        ratio = _win_rate(row.contract, row.tally, question.bid).half_width / precision
        if ratio > 1:
            left.append(row)
            needed = done * (1.02 * ratio**2 - 1)
            least = needed if len(left) == 1 else min(least, needed)
    return left, max(math.ceil(least), done // LEAST_STEP) if left else 0


def _win_rate(contract: Contract, tally: Tally, bid: int) -> Rate:
    won, _ = score_table(contract, np.array([bid]), scoring="plain")
    counts = tally.counts.astype(float)
    return rate(counts @ won[:, 0], counts.sum(axis=1), tally.trials.astype(float))


def _answer(
    question: Question,
    rows: Sequence[Tried],
    drawn: int,
    started: float,
    method: Method,
    scoring: Scoring,
    notes: tuple[str, ...],
) -> Estimate:
    plans = Plans(question, rows, method=method, scoring=scoring)
    passing = _passing_score(question, scoring)
    bids = tuple(plans.bids())
    playing = [each.bid for each in bids if each.expected_score > passing]
    best = plans.best()
    discards = {row.contract: int(row.discards[0]) for row in rows}
    is_known = question.skat_mask is not None
    return Estimate(
        hand_mask=question.hand_mask,
        seat=question.seat,
        skat_mask=question.skat_mask,
        auction=question.auction,
        method=method,
        policy=question.players.names()[0],
        scoring=scoring,
        bid=question.bid,
        samples=max(row.tally.worlds for row in rows),
        drawn=drawn,
        passing_score=passing,
        contracts=tuple(_contract_row(question, row, scoring) for row in rows),
        bids=bids,
        best_bid=max(playing, default=None),
        best=None
        if best is None
        else Best(
            contract=best,
            discard_mask=discards[best] if is_known and not best.is_hand else None,
        ),
        is_last_bid=question.is_last_bid,
        is_declarer=question.auction.is_over,
        notes=notes,
        seconds=time.perf_counter() - started,
    )


def _contract_row(question: Question, row: Tried, scoring: Scoring) -> ContractEstimate:
    contract, tally, bid = row.contract, row.tally, question.bid
    won, scores = score_table(contract, np.array([bid]), scoring=scoring)
    counts = tally.counts.astype(float)
    accepted, trials = counts.sum(axis=1), tally.trials.astype(float)
    is_declarable = not np.isnan(scores[:, 0]).any()
    found = rate(counts @ won[:, 0], accepted, trials)
    score = mean_score(counts @ scores[:, 0], counts @ scores[:, 0] ** 2, accepted, trials)
    held = question.values_held(contract)
    return ContractEstimate(
        contract=contract,
        win_rate=found.value if is_declarable else None,
        win_rate_low=found.low if is_declarable else None,
        win_rate_high=found.high if is_declarable else None,
        expected_score=score[0] if is_declarable else None,
        expected_score_low=score[1] if is_declarable else None,
        expected_score_high=score[2] if is_declarable else None,
        value_held=question.value_in_hand(contract),
        overbid_rate=round(
            float(accepted @ (held < bid)) / max(float(accepted.sum()), 1.0), DIGITS
        ),
        samples=tally.worlds,
        effective_samples=round(found.effective),
        discard_mask=int(row.discards[0]) or None if question.skat_mask is not None else None,
    )


def _passing_score(question: Question, scoring: Scoring) -> float:
    """What this seat is entered on average if it passes now: nothing in the plain list."""
    if scoring == "plain" or question.auction.is_over:
        return 0.0
    bonus = ISKO.defender_bonus(3 if scoring == "seeger3" else 4)
    worlds = some_worlds(question, PASSING_WORLDS, first=CHOOSING)
    return float(bonus * (question.passing(worlds) == -1).mean())


def _cards(mask: int | None) -> str | None:
    return None if mask is None else mask_text(mask)


def _named(contract: Contract) -> dict[str, Any]:
    """A contract by its name without ``hand``, and whether it is a hand game."""
    name = str(dataclasses.replace(contract, is_hand=False))
    return {"contract": name, "is_hand": contract.is_hand}


def _contract_dict(row: ContractEstimate) -> dict[str, Any]:
    figures = {name: getattr(row, name) for name in _CONTRACT_FIGURES}
    return {**_named(row.contract), **figures, "discard": _cards(row.discard_mask)}


_CONTRACT_FIGURES: Final = (
    "win_rate",
    "win_rate_low",
    "win_rate_high",
    "expected_score",
    "expected_score_low",
    "expected_score_high",
    "value_held",
    "overbid_rate",
    "samples",
    "effective_samples",
)


def _bid_dict(row: BidEstimate) -> dict[str, Any]:
    figures = {f.name: getattr(row, f.name) for f in dataclasses.fields(row) if f.name != "plan"}
    return {**figures, "plan": "skat" if row.plan is None else str(row.plan)}
