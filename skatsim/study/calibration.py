"""Whether estimated chances come true: predicted against realised win rates.

Games are simulated; for each that is declared, the chance to win is estimated at its
declaration from what the declarer knows then: his cards, the skat if he took it, what he laid
away, and the auction. The estimate takes all three for the policy that did play, so it should
come true, and this shows whether it does. It says nothing of how people win.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skatsim.arguments import GREATEST, check_seed, check_text, check_whole
from skatsim.auction import Auction
from skatsim.blocks import play_block
from skatsim.cards import SEATS
from skatsim.contracts import CONTRACT_NAMES, Contract
from skatsim.errors import RuleError
from skatsim.intervals import wilson
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.study.choice import MOST_WORLDS, some_worlds
from skatsim.study.outcomes import MOST, score_table
from skatsim.study.question import Question

__all__ = ["PUBLISHED", "Calibration", "Group", "Prediction", "Published", "calibrate"]

BLOCK: Final = 2_000
GROUPS: Final = 10
SEED_STEP: Final = 1_000_003
"""Between the seed of the deals and that of the worlds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One declared game: what was expected of it, and what came of it.

    Attributes
    ----------
    hand_number : the game of its seed.
    predicted : the estimated chance to win.
    samples : worlds that agreed, on which it rests.
    """

    hand_number: int
    contract: Contract
    seat: int
    predicted: float
    samples: int
    is_won: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Games together: mean prediction, and the rate at which they were won.

    Attributes
    ----------
    name : what they have in common.
    brier : mean squared difference between prediction and outcome, 1 won and 0 lost.
    """

    name: str
    games: int
    predicted: float
    won: float
    won_low: float
    won_high: float
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure from elsewhere, to be seen beside ours and not taken for it."""

    what: str
    predicted: float | None
    won: float | None
    source: str


LONG: Final = "J. Long, PhD thesis, University of Alberta 2011, table 4.1: 10,000 human games"
ONLINE: Final = "Skat-Online, 17,967,106 tournament games (skatblog.com, Skat in Zahlen 2)"
SAXONY: Final = "four large Saxon tournaments, 20,000 games (lars-gebauer.de)"
OPEN: Final = "skatsearch, 10,000 random hands solved with open cards, best discard"

PUBLISHED: Final = (
    Published(what="people, suit; open-card estimate", predicted=0.67, won=0.80, source=LONG),
    Published(what="people, grand; open-card estimate", predicted=0.82, won=0.93, source=LONG),
    Published(what="people, null; open-card estimate", predicted=0.58, won=0.75, source=LONG),
    Published(what="people, all games", predicted=None, won=0.8164, source=ONLINE),
    Published(what="people, grand", predicted=None, won=0.914, source=ONLINE),
    Published(what="people, clubs", predicted=None, won=0.775, source=ONLINE),
    Published(what="people, all games", predicted=None, won=0.8187, source=SAXONY),
    Published(what="open cards, suit, any hand", predicted=0.165, won=None, source=OPEN),
    Published(what="open cards, grand, any hand", predicted=0.162, won=None, source=OPEN),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How well predictions came true.

    Attributes
    ----------
    predictions : every game.
    groups : ten of equal size, from the lowest predictions to the highest.
    by_contract, by_seat : the same games by what was played, and from where.
    brier, reliability, resolution, uncertainty : Brier score and its parts over the ten groups
        (Murphy 1973): score = reliability - resolution + uncertainty + `within`, where
        `within` is what lies in the differences inside the groups.
    """

    policy: str
    seed: int
    least_samples: int
    predictions: tuple[Prediction, ...]
    groups: tuple[Group, ...]
    by_contract: tuple[Group, ...]
    by_seat: tuple[Group, ...]
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @property
    def greatest_gap(self) -> float:
        """The largest difference between prediction and rate among the ten groups."""
        return max(abs(group.predicted - group.won) for group in self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        import dataclasses

        names = ("brier", "reliability", "resolution", "uncertainty", "within", "greatest_gap")
        return {
            "policy": self.policy,
            "seed": self.seed,
            "games": len(self.predictions),
            "least_samples": self.least_samples,
            **{name: getattr(self, name) for name in names},
            **{
                name: [dataclasses.asdict(group) for group in getattr(self, name)]
                for name in ("groups", "by_contract", "by_seat")
            },
            "published": [dataclasses.asdict(figure) for figure in PUBLISHED],
        }


def calibrate(
    games: int = 2_000,
    *,
    seed: int = 0,
    samples: int = 400,
    policy: str = "heuristic",
    on_progress: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Predict declared games of simulated deals, and count how they ended.

    Parameters
    ----------
    games : declared games to look at.
    seed : of the deals.
    samples : worlds for each prediction at least, all in agreement with the auction.
    policy : who bids, declares and plays, in the games and in the worlds.

    Raises
    ------
    RuleError
        Fewer games than groups, or no samples.
    """
    games = check_whole(games, "games", most=GREATEST)
    if games < GROUPS:
        raise RuleError(f"{games!r} games: at least {GROUPS}, one for each group")
    samples, seed = check_whole(samples, "samples", least=1, most=MOST_WORLDS), check_seed(seed)
    check_text(policy, "policy")
    players = Players.of(seats=[policy] * 3)
    found: list[Prediction] = []
    for prediction in _predictions(players, seed, samples):
        found.append(prediction)
        if on_progress is not None and len(found) % 50 == 0:
            on_progress(len(found), games)
        if len(found) == games:
            break
    return _judged(found, players.names()[0], seed)


def _predictions(players: Players, seed: int, samples: int) -> Iterator[Prediction]:
    first = 0
    while True:
        rows, calls = play_block(seed, first, BLOCK, players=players, ruleset=ISKO)
        start = 0
        for number, row in enumerate(rows):
            end = int(row["call_end"])
            if row["contract"] >= 0 and row["declarer_seat"] >= 0:
                codes = [int(code) for code in calls[start:end]]
                yield _prediction(first + number, row, codes, players, seed, samples)
            start = end
        first += BLOCK


def _prediction(
    number: int, row: Any, codes: Sequence[int], players: Players, seed: int, samples: int
) -> Prediction:
    """The chance of a declared game, from what its declarer knows."""
    seat = int(row["declarer_seat"])
    is_taken = bool(row["is_skat_taken"])
    question = Question(
        hand_mask=int(row[f"{SEATS[seat]}_mask"]),
        seat=seat,
        skat_mask=int(row["skat_mask"]) if is_taken else None,
        auction=Auction.from_codes(codes),
        players=players,
        seed=(seed + 1) * SEED_STEP + number,
    )
    contract = Contract.from_number(
        int(row["contract"]),
        int(row["is_hand"])
        | int(row["is_schneider_announced"]) << 1
        | int(row["is_schwarz_announced"]) << 2
        | int(row["is_ouvert"]) << 3,
    )
    worlds = some_worlds(question, samples, first=0)
    discards = np.full(len(question.skats), int(row["discard_mask"]), dtype=np.int64)
    outcomes = question.outcomes(contract, worlds, discards=discards, method="play")
    won, _ = score_table(contract, np.array([int(row["bid_value"])]), scoring="plain")
    return Prediction(
        hand_number=number,
        contract=contract,
        seat=seat,
        predicted=float(won[outcomes + MOST, 0].mean()) if len(outcomes) else math.nan,
        samples=len(outcomes),
        is_won=bool(row["is_won"]),
    )


def _judged(found: Sequence[Prediction], policy: str, seed: int) -> Calibration:
    chances = np.array([one.predicted for one in found])
    won = np.array([one.is_won for one in found], dtype=float)
    order = np.argsort(chances, kind="stable")
    parts = np.array_split(order, GROUPS)
    groups = tuple(
        _group(f"{chances[part[0]]:.2f}-{chances[part[-1]]:.2f}", chances[part], won[part])
        for part in parts
    )
    names = np.array([one.contract.name for one in found])
    seats = np.array([one.seat for one in found])
    weights = np.array([len(part) / len(found) for part in parts])
    base = won.mean()
    predicted, realised = (np.array([getattr(g, n) for g in groups]) for n in ("predicted", "won"))
    reliability = float(weights @ (predicted - realised) ** 2)
    resolution = float(weights @ (realised - base) ** 2)
    uncertainty = float(base * (1 - base))
    brier = float(((chances - won) ** 2).mean())
    return Calibration(
        policy=policy,
        seed=seed,
        least_samples=min(one.samples for one in found),
        predictions=tuple(found),
        groups=groups,
        by_contract=tuple(
            _group(name, chances[names == name], won[names == name])
            for name in reversed(CONTRACT_NAMES)
            if (names == name).any()
        ),
        by_seat=tuple(
            _group(name, chances[seats == seat], won[seats == seat])
            for seat, name in enumerate(SEATS)
            if (seats == seat).any()
        ),
        brier=brier,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within=brier - reliability + resolution - uncertainty,
    )


def _group(name: str, chances: NDArray[np.float64], won: NDArray[np.float64]) -> Group:
    low, high = wilson(float(won.mean()), len(won))
    return Group(
        name=name,
        games=len(won),
        predicted=float(chances.mean()),
        won=float(won.mean()),
        won_low=low,
        won_high=high,
        brier=float(((chances - won) ** 2).mean()),
    )
