"""Deals that agree with what is known: cards that lie somewhere, counts that must hold.

`Layouts` says how many cards of each class may lie at each of the four places, forehand,
middlehand, rearhand and skat, and in how many deals that is so; `sample` draws such deals, all
equally likely and without rejection.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skatsim.cards import SEATS, mask_text
from skatsim.errors import RuleError
from skatsim.kernels import worlds as _worlds
from skatsim.kernels.cards import ALL_MASK

__all__ = ["PLACES", "Condition", "Layouts"]

PLACES = (*SEATS, "skat")
PLACE_CARDS = (10, 10, 10, 2)

Condition = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Which layouts are allowed: from counts of shape (n, classes, 4) to n booleans. The counts are
those of the unseen cards, without the given ones."""

MOST_LAYOUTS = 2_000_000

worlds: Any = _worlds
"""mypy sees the plain functions, which take no unpacked lists."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layouts:
    """All allowed ways to lay out the unseen cards, by class and place.

    Attributes
    ----------
    given : masks of the cards known to lie at forehand, middlehand, rearhand, in the skat.
    classes : masks that part the other cards; cards of one class are treated alike.
    counts : int64 of shape (layouts, classes, 4), cards of each class at each place.
    deals : int64 of shape (layouts,), in how many deals a layout is found.

    Examples
    --------
    How many deals leave no jack in the skat, of those that give forehand two certain jacks?

    >>> from skatsim.cards import parse_mask
    >>> jacks = parse_mask("HJ DJ")
    >>> layouts = Layouts.of(
    ...     given=(parse_mask("CJ SJ"), 0, 0, 0),
    ...     classes=(jacks,),
    ...     condition=lambda counts: counts[:, 0, 3] == 0,
    ... )
    >>> layouts.total / Layouts.of(given=(parse_mask("CJ SJ"), 0, 0, 0)).total
    0.8689655172413793
    """

    given: tuple[int, int, int, int]
    classes: tuple[int, ...]
    counts: NDArray[np.int64]
    deals: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        *,
        given: Sequence[int] = (0, 0, 0, 0),
        classes: Sequence[int] = (),
        condition: Condition | None = None,
    ) -> Self:
        """All layouts that satisfy a condition.

        Parameters
        ----------
        given : masks of cards known to lie at the four places.
        classes : masks of the cards that the condition tells apart; given cards are taken out
            of them, and what is in none of them is a further class, the last.
        condition : None for any.

        Raises
        ------
        RuleError
            Cards lie at two places or are too many for one, classes overlap, or no deal is so.
        """
        _check_given(given)
        seen = given[0] | given[1] | given[2] | given[3]
        parted = 0
        kept = []
        for mask in classes:
            if mask & parted:
                raise RuleError(f"{mask_text(mask & parted)!r} in two classes of cards")
            parted |= mask
            kept.append(mask & ~seen)
        kept.append(ALL_MASK & ~(seen | parted))
        sizes = [mask.bit_count() for mask in kept]
        room = [size - mask.bit_count() for size, mask in zip(PLACE_CARDS, given, strict=True)]
        counts = _all_counts(sizes, room)
        if condition is not None:
            counts = counts[condition(counts)]
        if len(counts) == 0:
            raise RuleError("no deal meets these conditions")
        return cls(
            given=(given[0], given[1], given[2], given[3]),
            classes=tuple(kept),
            counts=np.ascontiguousarray(counts),
            deals=_deals(sizes, counts),
        )

    @property
    def total(self) -> int:
        """The number of deals that agree."""
        return int(self.deals.sum())

    def sample(
        self, count: int, *, seed: int, stream: int = 0, first: int = 0
    ) -> NDArray[np.int64]:
        """Deals that agree, each equally likely, independent of each other.

        Parameters
        ----------
        count : how many.
        seed, stream : deal `k` of a seed and stream is always the same.
        first : number of the first one.

        Returns
        -------
        int64 of shape (count, 4): the masks of forehand, middlehand, rearhand and skat.
        """
        found = np.empty((count, 4), dtype=np.int64)
        worlds.place_cards(
            np.array(self.given, dtype=np.int64),
            np.array(self.classes, dtype=np.int64),
            self.counts,
            np.cumsum(self.deals),
            seed,
            stream,
            first,
            found,
        )
        return found


def _check_given(given: Sequence[int]) -> None:
    seen = 0
    for name, size, mask in zip(PLACES, PLACE_CARDS, given, strict=True):
        if seen & mask:
            first = next(p for p, other in zip(PLACES, given, strict=True) if other & mask)
            raise RuleError(f"{mask_text(seen & mask)!r} in two places: {first} and {name}")
        if mask.bit_count() > size:
            raise RuleError(f"{name} {mask_text(mask)!r}: {size} cards at most")
        seen |= mask


def _all_counts(sizes: Sequence[int], room: Sequence[int]) -> NDArray[np.int64]:
    """All tables with these sums over places and over classes, shape (n, classes, 4)."""
    tables = np.zeros((1, 0, 4), dtype=np.int64)
    left = np.array([room], dtype=np.int64)
    for number, size in enumerate(sizes):
        rows = (
            left
            if number == len(sizes) - 1
            else np.array(
                [
                    (a, b, c, size - a - b - c)
                    for a in range(min(size, room[0]) + 1)
                    for b in range(min(size - a, room[1]) + 1)
                    for c in range(min(size - a - b, room[2]) + 1)
                    if size - a - b - c <= room[3]
                ],
                dtype=np.int64,
            )
        )
        if number == len(sizes) - 1:  # what is left goes where room is left
            return np.concatenate([tables, rows[:, None, :]], axis=1)
        if len(tables) * len(rows) > MOST_LAYOUTS:
            raise RuleError(
                f"more than {MOST_LAYOUTS:,} layouts: ask about fewer kinds of cards at a time"
            )
        old, new = (index.ravel() for index in np.indices((len(tables), len(rows))))
        rest = left[old] - rows[new]
        is_possible = (rest >= 0).all(axis=1)
        old, new, left = old[is_possible], new[is_possible], rest[is_possible]
        tables = np.concatenate([tables[old], rows[new][:, None, :]], axis=1)
    return tables


def _deals(sizes: Sequence[int], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of deals of each layout: a product of multinomial coefficients."""
    factorial = [math.factorial(n) for n in range(33)]
    ways = np.ones(len(counts), dtype=np.int64)
    for number, size in enumerate(sizes):
        for place in range(3):  # choose what goes to each place from what is left
            taken = counts[:, number, place]
            left = size - counts[:, number, :place].sum(axis=1)
            chosen = np.array(
                [
                    [
                        factorial[n] // (factorial[k] * factorial[n - k]) if k <= n else 0
                        for k in range(11)
                    ]
                    for n in range(33)
                ],
                dtype=np.int64,
            )
            ways *= chosen[left, taken]
    return ways
