"""How often random hands win with all cards open: the published tables, made anew.

Forehand holds ten random cards, finds a random skat, lays away the two cards that are best
over worlds of their own, and plays a fixed suit or grand against open cards; other worlds tell
how often that wins. In the published tables the cards laid away do not count for the declarer,
who needs 61 card points in tricks. Hands are drawn cell by cell, as many in rare cells as in
common ones.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from skatsim.cards import mask_cards
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.intervals import QUANTILE
from skatsim.kernels.cards import ACE_MASK, CLUBS, JACK_MASK, trump_mask
from skatsim.policies.players import Players
from skatsim.sampling import Layouts
from skatsim.study.choice import CHOOSING, some_worlds
from skatsim.study.question import Question

__all__ = ["GRAND_TABLE", "SOURCE", "SUIT_TABLE", "Cell", "open_card_table"]

SOURCE: Final = (
    "skatsearch (github.com/jenafrank/skatsearch): 10,000 random hands for each table, declarer"
    " on lead, best of 66 discards by 20 worlds"
)

SUIT_TABLE: Final = {
    3: (0.00, 0.03, 0.13, 0.37),
    4: (0.04, 0.19, 0.44, 0.71),
    5: (0.19, 0.51, 0.73, 0.96),
    6: (0.54, 0.79, 0.90),
    7: (0.72, 0.93, 0.96),
}
"""A fixed suit: win rate by trumps and by side aces (0, 1, 2, 3) in the ten cards."""

GRAND_TABLE: Final = {
    0: (0.00, 0.00, 0.01, 0.09, 0.40),
    1: (0.00, 0.02, 0.15, 0.30, 0.70),
    2: (0.01, 0.12, 0.42, 0.81, 0.96),
    3: (0.05, 0.34, 0.81, 0.98, 0.97),
    4: (0.25, 0.57, 0.94),
}
"""Grand: win rate by jacks of the ten cards and by aces (0 to 4) after the discard."""

PUBLISHED_HANDS: Final = 10_000

CHOSEN_FROM: Final = 20
"""Worlds by which the discards are compared."""

REPORTED: Final = 20
"""Worlds that tell how often a hand wins with the discard chosen."""

Kind = Literal["suit", "grand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Hands of one kind.

    Attributes
    ----------
    trumps : trumps of the ten cards, jacks included; in grand its jacks.
    aces : side aces of the ten cards; in grand the aces after the discard.
    hands : how many were tried.
    share : how many of all hands are so.
    win_rate, low, high : mean over the hands, with a 95 % interval.
    error : standard error of the mean.
    published : the figure printed elsewhere.
    published_error : its standard error, from the number of its hands.
    """

    trumps: int
    aces: int
    hands: int
    share: float
    win_rate: float
    low: float
    high: float
    error: float
    published: float
    published_error: float

    @property
    def gap(self) -> float:
        """Our figure less the published one."""
        return self.win_rate - self.published

    @property
    def is_alike(self) -> bool:
        """Whether they are within two points or three standard errors of the difference."""
        return abs(self.gap) <= max(0.02, 3 * math.hypot(self.error, self.published_error))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        import dataclasses

        return {**dataclasses.asdict(self), "gap": self.gap, "is_alike": self.is_alike}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hand:
    """One hand of the sample: the cell it fell into, its weight, how often it won."""

    cell: tuple[int, int]
    weight: float
    win_rate: float


def open_card_table(
    kind: Kind,
    *,
    hands: int = 400,
    seed: int = 0,
    is_discard_counted: bool = False,
    only: Sequence[tuple[int, int]] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[Cell, ...]:
    """The win rates of a fixed suit or of grand on open cards, cell by cell.

    Parameters
    ----------
    kind : ``suit`` by trumps and side aces of the ten cards, ``grand`` by their jacks and the aces
        after the discard.
    hands : tried in each cell; in grand by the twelve cards, a few of which lay an ace away.
    seed : of hands and worlds.
    only : these cells, (trumps, aces), instead of all; in grand without the hands that would
        come into them by laying an ace away.
    on_progress : called with the hands done and all hands.

    Raises
    ------
    RuleError
        There is no such table or cell.
    """
    if kind not in ("suit", "grand"):
        raise RuleError(f"no table {kind!r}: suit and grand")
    if hands < 2:
        raise RuleError(f"{hands!r} hands a cell: at least two")
    table = SUIT_TABLE if kind == "suit" else GRAND_TABLE
    cells = [(row, column) for row, rates in table.items() for column in range(len(rates))]
    strange = [cell for cell in only or () if cell not in cells]
    if strange:
        raise RuleError(f"no cell {strange[0]!r} in the table of {kind}")
    found: list[_Hand] = []
    asked = list(only) if only is not None else cells
    drawn = asked
    if kind == "grand" and only is None:  # who lays an ace away comes from a cell beyond
        drawn = [(jacks, aces) for jacks in range(5) for aces in range(5)]
    for cell in drawn:
        for one in _tried(kind, cell, hands, seed, is_discard_counted):
            found.append(one)
            if on_progress is not None:
                on_progress(len(found), len(drawn) * hands)
    return tuple(_cell(kind, cell, found) for cell in asked)


def _layouts(kind: Kind, cell: tuple[int, int]) -> Layouts:
    """All deals in which forehand has such cards."""
    if kind == "suit":
        trump = int(trump_mask(CLUBS))
        return Layouts.of(
            classes=(trump, ACE_MASK & ~trump),
            condition=lambda n: (n[:, 0, 0] == cell[0]) & (n[:, 1, 0] == cell[1]),
        )
    return Layouts.of(
        classes=(JACK_MASK, ACE_MASK),
        condition=lambda n: (n[:, 0, 0] == cell[0]) & (n[:, 1, 0] + n[:, 1, 3] == cell[1]),
    )


def _tried(
    kind: Kind, cell: tuple[int, int], hands: int, seed: int, is_discard_counted: bool
) -> Iterator[_Hand]:
    layouts = _layouts(kind, cell)
    weight = layouts.total / Layouts.of().total / hands
    contract = Contract(name="clubs" if kind == "suit" else "grand")
    deals = layouts.sample(hands, seed=seed, stream=2 + 10 * cell[0] + cell[1])
    players = Players.of()
    for number, (hand, _, _, skat) in enumerate(deals.tolist()):
        question = Question(
            hand_mask=hand, seat=0, skat_mask=skat, players=players, seed=seed + number
        )
        discard = _best_discard(question, contract, is_discard_counted)
        worlds = some_worlds(question, REPORTED, first=0)
        wins = question.discard_wins(
            contract, worlds, [discard], is_discard_counted=is_discard_counted
        )
        place = cell
        if kind == "grand":
            kept = (hand | skat) & ~discard
            place = (cell[0], (kept & ACE_MASK).bit_count())
        yield _Hand(cell=place, weight=weight, win_rate=int(wins[0]) / REPORTED)


def _best_discard(question: Question, contract: Contract, is_discard_counted: bool) -> int:
    """The discard that wins most often over worlds that are not reported.

    As in the published tables all 66 are tried, and of equals the one of the highest cards is
    taken: jacks before clubs, spades, hearts, diamonds.
    """
    worlds = some_worlds(question, CHOSEN_FROM, first=CHOOSING)
    cards = mask_cards(question.hand_mask | int(question.skats[0]))  # from high to low
    order = sorted(combinations(range(12), 2), key=lambda pair: (pair[1], pair[0]))
    discards = [1 << cards[one] | 1 << cards[other] for one, other in order]
    return question.first_best_discard(
        contract, worlds, discards, is_discard_counted=is_discard_counted
    )[0]


def _cell(kind: Kind, cell: tuple[int, int], found: Sequence[_Hand]) -> Cell:
    mine = [one for one in found if one.cell == cell]
    if not mine:
        raise RuleError(f"no hand fell into cell {cell}: try more")
    rates: NDArray[np.float64] = np.array([one.win_rate for one in mine])
    weights = np.array([one.weight for one in mine])
    share = float(weights.sum())
    mean = float(weights @ rates) / share
    # as in Agresti and Coull's interval a hand that always wins and one that never does are added:
    # a few hands that agree say little about the others
    spread = float(weights @ (rates - mean) ** 2) / share
    spread += (mean**2 + (1 - mean) ** 2) / len(mine)
    error = math.sqrt(spread * float(weights @ weights)) / share
    table = SUIT_TABLE if kind == "suit" else GRAND_TABLE
    return Cell(
        trumps=cell[0],
        aces=cell[1],
        hands=len(mine),
        share=share,
        win_rate=mean,
        low=max(0.0, mean - QUANTILE * error),
        high=min(1.0, mean + QUANTILE * error),
        error=error,
        published=table[cell[0]][cell[1]],
        published_error=math.sqrt(spread / (PUBLISHED_HANDS * share)),
    )
