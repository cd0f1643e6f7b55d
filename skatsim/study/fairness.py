"""Are deals fair? Counted features of many deals against their exact distributions.

What a fair deal gives is known exactly: how many jacks a hand has, how often a card lies in the
skat. Each feature is tested by chi-square with one value a deal, so that the deals are
independent of each other; since many features are looked at, the p-values are adjusted by Holm,
and what is called unusual is so for the whole set of tests.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from skatsim.archive import Archive, Run
from skatsim.arguments import check_texts
from skatsim.cards import SUITS, card_text
from skatsim.errors import RuleError
from skatsim.kernels.cards import ACE_MASK, ALL_MASK, JACK_MASK, PLAIN_MASK, POINTS, TEN_MASK
from skatsim.sampling import PLACES
from skatsim.wording import count_text

__all__ = ["Fairness", "FairnessTest", "chi_square_tail", "fairness", "holm", "judge_deals"]

PLACE_SIZES: Final = (10, 10, 10, 2)

LEAST_EXPECTED: Final = 5.0
"""Cells of which a fair set has fewer deals are joined with a neighbour."""

LEAST_DEALS: Final = 100

UNUSUAL: Final = 0.05

ODD: Final = 0.001

MASK_COLUMNS: Final = tuple(f"{place}_mask" for place in PLACES)

Cells = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class FairnessTest:
    """One feature: how far it is from what fair deals give.

    Attributes
    ----------
    feature : what was counted, and where.
    deals : values tested.
    chi_square, degrees : the statistic and its degrees of freedom.
    p_value : how often fair deals are at least so far off; `adjusted` for all tests by Holm.
    cell : where the largest deviation lies, in words.
    observed_rate, expected_rate : the share of the deals there, and that of fair deals.
    """

    feature: str
    deals: int
    chi_square: float
    degrees: int
    p_value: float
    adjusted: float
    cell: str
    observed_rate: float
    expected_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fairness:
    """All tests of a set of deals, the most unusual first.

    Attributes
    ----------
    is_fair : fair deals are as odd more often than once in a thousand sets, all tests together,
        and no deal is there twice.
    repeated : deals that are there a second time.
    verdict : how unusual the set is, in words.
    """

    runs: tuple[str, ...]
    deals: int
    repeated: int
    is_fair: bool
    verdict: str
    tests: tuple[FairnessTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feature:
    """A feature: the cell of each deal, the exact chance of each cell, and what it is called."""

    name: str
    cells: Cells
    chances: np.ndarray
    labels: tuple[str, ...]


def chi_square_tail(value: float, degrees: int) -> float:
    """How often a chi-square variable with whole degrees of freedom is at least `value`.

    A finite sum: with an even number the Poisson distribution, with an odd one half-integer
    powers behind the tail of the normal distribution.

    Examples
    --------
    >>> round(chi_square_tail(3.841, 1), 4), round(chi_square_tail(18.307, 10), 4)
    (0.05, 0.05)
    """
    if degrees < 1:
        raise RuleError(f"a chi-square of {degrees!r} degrees of freedom is none")
    half = value / 2
    if half <= 0:
        return 1.0
    power = 0.0 if degrees % 2 == 0 else 0.5
    total = 0.0 if degrees % 2 == 0 else math.erfc(math.sqrt(half))
    while power < degrees / 2 - 0.25:
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        power += 1
    return min(total, 1.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted by Holm: the chance that fair data give one so small anywhere.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def _hypergeometric(good: int, size: int) -> np.ndarray:
    """The chances of 0, 1, ... of `good` cards among `size` of the 32."""
    ways = [math.comb(good, k) * math.comb(32 - good, size - k) for k in range(size + 1)]
    chances = np.array([way / math.comb(32, size) for way in ways])
    return np.trim_zeros(chances, "b")


@cache
def _point_ways(size: int) -> tuple[int, ...]:
    """In how many ways `size` cards have 0, 1, ... 120 card points."""
    ways = np.zeros((size + 1, 121), dtype=object)
    ways[0, 0] = 1
    for points in map(int, POINTS):
        for count in range(size, 0, -1):
            shifted = ways[count - 1, : 121 - points]
            ways[count, points:] = ways[count, points:] + shifted
    return tuple(ways[size])


@cache
def _longest_ways() -> tuple[int, ...]:
    """In how many ways ten cards have a longest suit, jacks aside, of 0, 1, ... 7 cards."""
    ways = [0] * 8
    for jacks in range(5):
        for a in range(8):
            for b in range(8):
                for c in range(8):
                    d = 10 - jacks - a - b - c
                    if 0 <= d <= 7:
                        count = math.comb(4, jacks)
                        for length in (a, b, c, d):
                            count *= math.comb(7, length)
                        ways[max(a, b, c, d)] += count
    return tuple(ways)


def _matador_chances(size: int) -> np.ndarray:
    """The chances of matadors in a suit game among `size` cards: without 11 to 1, with 1 to 11."""
    everything = math.comb(32, size)
    chances = np.zeros(22)
    for length in range(1, 12):
        rest = 32 - min(length + 1, 11)
        more = 0 if length == 11 else 1  # the next trump decides where matadors end
        ways_without = math.comb(rest, size - more) if size >= more else 0
        ways_with = math.comb(rest, size - length) if size >= length else 0
        chances[11 - length] = ways_without / everything
        chances[10 + length] = ways_with / everything
    return chances


def _matador_cells(masks: np.ndarray, suit: int) -> np.ndarray:
    """The cell of `_matador_chances` of each mask."""
    row = (masks >> (8 * suit)) & PLAIN_MASK
    for jack in range(4):
        row = row | (((masks >> (8 * jack + 7)) & 1) << (7 + jack))
    has_first = row >= 1024
    other = np.where(has_first, row ^ 2047, row)
    length = np.full(len(masks), 11)
    for bit in range(11):
        length = np.where(other >= 1 << bit, 10 - bit, length)
    return np.where(has_first, 10 + length, 11 - length)


def _points(masks: np.ndarray) -> np.ndarray:
    return np.asarray(sum(((masks >> card) & 1) * int(POINTS[card]) for card in range(32)))


def _longest(masks: np.ndarray) -> np.ndarray:
    lengths = [np.bitwise_count(masks & (PLAIN_MASK << (8 * suit))) for suit in range(4)]
    return np.asarray(np.max(lengths, axis=0), dtype=np.int64)


def _places_of(masks: np.ndarray, card: int) -> np.ndarray:
    """Where a card lies in each deal: 0 to 3."""
    return np.asarray(np.argmax((masks >> card) & 1, axis=1))


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _counted(place: int, mask: int, what: str) -> _Feature:
    chances = _hypergeometric(mask.bit_count(), PLACE_SIZES[place])
    return _Feature(
        name=_at(place, what),
        cells=lambda masks: np.bitwise_count(masks[:, place] & mask).astype(np.int64),
        chances=chances,
        labels=_numbers(len(chances)),
    )


def _at(place: int, what: str) -> str:
    return f"{what} at {PLACES[place]}" if place < 3 else f"{what} in the skat"


@cache
def _features() -> tuple[_Feature, ...]:
    """All that is tested."""
    features = []
    for place, size in enumerate(PLACE_SIZES):
        for mask, what in ((JACK_MASK, "jacks"), (ACE_MASK, "aces"), (TEN_MASK, "tens")):
            features.append(_counted(place, mask, what))
        for suit, name in enumerate(SUITS):
            features.append(_counted(place, JACK_MASK | PLAIN_MASK << (8 * suit), f"{name} trumps"))
        ways = np.array(_point_ways(size), dtype=float) / math.comb(32, size)
        features.append(
            _Feature(
                name=_at(place, "card points"),
                cells=lambda masks, place=place: _points(masks[:, place]),  # type: ignore[misc]
                chances=ways,
                labels=_numbers(121),
            )
        )
    for place in range(3):
        features.append(
            _Feature(
                name=_at(place, "longest suit"),
                cells=lambda masks, place=place: _longest(masks[:, place]),  # type: ignore[misc]
                chances=np.array(_longest_ways(), dtype=float) / math.comb(32, 10),
                labels=_numbers(8),
            )
        )
        features.append(
            _Feature(
                name=_at(place, "matadors in clubs"),
                cells=lambda masks, place=place: _matador_cells(masks[:, place], 3),  # type: ignore[misc]
                chances=_matador_chances(10),
                labels=tuple(
                    f"{'without' if cell < 11 else 'with'} {11 - cell if cell < 11 else cell - 10}"
                    for cell in range(22)
                ),
            )
        )
    for card in range(31, -1, -1):
        features.append(
            _Feature(
                name=f"place of {card_text(card)}",
                cells=lambda masks, card=card: _places_of(masks, card),  # type: ignore[misc]
                chances=np.array(PLACE_SIZES) / 32,
                labels=PLACES,
            )
        )
    return (*features, _neighbours())


def _neighbours() -> _Feature:
    """Where the club jack lies in one deal and in the next, over pairs of deals."""
    places = np.array(PLACE_SIZES) / 32

    def cells(masks: np.ndarray) -> np.ndarray:
        found = _places_of(masks[: len(masks) // 2 * 2], 31)
        return np.asarray(4 * found[0::2] + found[1::2])

    return _Feature(
        name="CJ in a deal and the next",
        cells=cells,
        chances=np.outer(places, places).ravel(),
        labels=tuple(f"{one}, then {other}" for one in PLACES for other in PLACES),
    )


def _joined(observed: np.ndarray, expected: np.ndarray) -> list[list[int]]:
    """Cells in groups next to each other, each with enough expected deals."""
    groups: list[list[int]] = []
    current: list[int] = []
    for cell in range(len(expected)):
        current.append(cell)
        if expected[current].sum() >= LEAST_EXPECTED:
            groups.append(current)
            current = []
    if current and groups:
        groups[-1] += current
    return groups


def _test(feature: _Feature, observed: np.ndarray) -> FairnessTest | None:
    """The test of a feature by the deals in each cell; None where too few deals tell anything."""
    deals = int(observed.sum())
    expected = feature.chances * deals
    groups = _joined(observed, expected)
    if len(groups) < 2:
        return None
    seen = np.array([observed[group].sum() for group in groups], dtype=float)
    wanted = np.array([expected[group].sum() for group in groups])
    deviations = (seen - wanted) / np.sqrt(wanted)
    worst = int(np.argmax(np.abs(deviations)))
    group = groups[worst]
    label = feature.labels[group[0]]
    if len(group) > 1:
        possible = [feature.labels[cell] for cell in group if expected[cell] > 0]
        label = " to ".join(dict.fromkeys((possible[0], possible[-1])))
    statistic = float((deviations * deviations).sum())
    return FairnessTest(
        feature=feature.name,
        deals=deals,
        chi_square=statistic,
        degrees=len(groups) - 1,
        p_value=chi_square_tail(statistic, len(groups) - 1),
        adjusted=1.0,
        cell=label,
        observed_rate=float(seen[worst]) / deals,
        expected_rate=float(wanted[worst]) / deals,
    )


def judge_deals(blocks: Iterable[np.ndarray], runs: Sequence[str] = ()) -> Fairness:
    """Test deals that come in blocks.

    Parameters
    ----------
    blocks : integers of shape (n, 4): the masks of forehand, middlehand, rearhand, skat.
    runs : where they come from.

    Raises
    ------
    RuleError
        There are fewer than 100 deals, or something is no deal.
    """
    features = _features()
    observed = [np.zeros(len(feature.chances), dtype=np.int64) for feature in features]
    marks = []
    deals = 0
    for block in blocks:
        masks = np.asarray(block, dtype=np.int64)
        _check_deals(masks, deals)
        deals += len(masks)
        marks.append(masks[:, 0] * 0x9E3779B1 ^ (masks[:, 1] << 31) ^ masks[:, 2] * 0x85EBCA6B)
        for place, feature in enumerate(features):
            cells = feature.cells(masks)
            observed[place] += np.bincount(cells, minlength=len(feature.chances))
    if deals < LEAST_DEALS:
        raise RuleError(
            f"{count_text(deals, 'deal')} cannot tell about fairness: {LEAST_DEALS} at least"
        )
    repeated = deals - len(np.unique(np.concatenate(marks)))
    tests = [
        test
        for feature, counts in zip(features, observed, strict=True)
        if (test := _test(feature, counts)) is not None
    ]
    adjusted = holm([test.p_value for test in tests])
    ordered = sorted(
        (replace(test, adjusted=value) for test, value in zip(tests, adjusted, strict=True)),
        key=lambda test: (test.p_value, test.feature),
    )
    return Fairness(
        runs=tuple(runs),
        deals=deals,
        repeated=repeated,
        is_fair=ordered[0].adjusted > ODD and not repeated,
        verdict=_verdict(ordered, deals, repeated),
        tests=tuple(ordered),
    )


def _check_deals(masks: np.ndarray, first: int) -> None:
    sizes = np.bitwise_count(masks)
    together = np.bitwise_or.reduce(masks, axis=1)
    is_deal = (sizes == PLACE_SIZES).all(axis=1) & (together == ALL_MASK)
    if not is_deal.all():
        raise RuleError(f"number {first + int(np.argmin(is_deal))} is no deal of 32 cards")


def _verdict(tests: Sequence[FairnessTest], deals: int, repeated: int) -> str:
    """How unusual a set of deals is, in words."""
    worst = tests[0]
    where = (
        f"{worst.feature}: {worst.cell} in {worst.observed_rate:.2%} of {worst.deals:,} deals, "
        f"expected {worst.expected_rate:.2%}"
    )
    said = ""
    if repeated:
        said = f"{repeated:,} of the {deals:,} deals came before, which is no chance. "
    if worst.adjusted > UNUSUAL:
        share = "most" if worst.adjusted > 0.5 else f"one in {round(1 / worst.adjusted)}"
        return (
            f"{said}Nothing unusual in {len(tests)} tests. The most unusual is {where}; {share} "
            "of such sets of fair deals has something at least as odd."
        )
    times = 1 / worst.adjusted if worst.adjusted > 1e-12 else math.inf
    often = f"{times:,.0f}" if times < 1e12 else "a million million"
    if worst.adjusted > ODD:
        return (
            f"{said}A little unusual, as one in {often} sets of fair deals is: {where}. "
            "Ask again with other deals."
        )
    others = sum(test.adjusted <= UNUSUAL for test in tests) - 1
    more = f" {others} more of {len(tests)} tests are unusual." if others else ""
    return (
        f"{said}These deals are not fair: {where}; among sets of fair deals one in {often} has "
        f"something as odd.{more}"
    )


def _blocks(runs: Sequence[Run]) -> Iterator[np.ndarray]:
    """The deals of runs of which all cards are known."""
    for run in runs:
        for table in run.tables(MASK_COLUMNS):
            known = table.drop_null()
            masks = np.stack(
                [known.column(name).to_numpy().astype(np.int64) for name in MASK_COLUMNS], axis=1
            )
            is_whole = np.bitwise_or.reduce(masks, axis=1) == ALL_MASK
            yield masks[is_whole]


def _once(runs: Sequence[Run]) -> list[Run]:
    """The runs without those whose deals are others' too: of runs of one seed the longest."""
    longest: dict[int, Run] = {}
    for run in runs:
        seed = run.manifest.seed
        if seed is not None and (seed not in longest or run.hands > longest[seed].hands):
            longest[seed] = run
    return [run for run in runs if run.manifest.seed is None or longest[run.manifest.seed] is run]


def fairness(archive: Archive | str | os.PathLike[str], runs: Sequence[str] = ()) -> Fairness:
    """Test whether the deals of runs are fair.

    Parameters
    ----------
    archive : the archive, or its folder.
    runs : names of runs, simulated or recorded; none means all. Deals of which cards are not
        known are left out.

    Raises
    ------
    RuleError
        There are fewer than 100 deals.
    ArchiveError
        A run cannot be read.

    Notes
    -----
    Records that leave out some deals, such as those that were passed in, are not fair in this
    sense however well the cards were shuffled.
    """
    runs = check_texts(runs, "runs")
    opened = archive if isinstance(archive, Archive) else Archive.open(archive)
    chosen = _once([opened.run(name) for name in runs] if runs else opened.runs(are_checked=True))
    return judge_deals(_blocks(chosen), [run.name for run in chosen])
