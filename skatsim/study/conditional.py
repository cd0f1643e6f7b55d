"""Conditional deals: deals as they would be seen by someone who throws all others away.

Counts and cards are laid out directly, by exactly counted layouts; what else is asked is found
by trying. Without cards and counts, deal k is game k of the seed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from skatsim.arguments import check_seed, check_text, check_whole
from skatsim.cards import Deal, mask_text
from skatsim.errors import RuleError
from skatsim.kernels import dealing as _dealing
from skatsim.kernels.cards import ALL_MASK
from skatsim.kernels.table import HIDDEN
from skatsim.sampling import PLACES, Layouts
from skatsim.study.conditions import (
    CountCondition,
    Filter,
    check_cards,
    count_conditions,
    parse_given,
)
from skatsim.wording import count_text

__all__ = ["ConditionalDeals", "deal", "deal_layouts"]

dealing: Any = _dealing
"""mypy sees the plain functions, which take no unpacked lists."""

MOST_DEALS: Final = 10_000_000
"""At once: they are kept in memory."""

STREAM: Final = 6
"""Where the random numbers of deals that are laid out come from: none of the simulator's."""

FIRST_TRIES: Final = 4_096

MOST_TRIES: Final = 262_144
"""Deals tried at a time."""

PATIENCE: Final = 20_000_000
"""Deals tried in vain before it is said that there seem to be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalDeals(Sequence[Deal]):
    """Deals that meet conditions, and how they were found.

    Attributes
    ----------
    masks : int64 of shape (n, 4): forehand, middlehand, rearhand, skat.
    numbers : of shape (n,): the number of each among those that were tried.
    tried : deals that were laid out to find these.
    chance : how often a deal meets the conditions that were laid out directly, exactly.
    """

    masks: np.ndarray
    numbers: np.ndarray
    seed: int
    tried: int
    chance: float

    @property
    def rate(self) -> float:
        """The share of the deals tried that met what was found by trying; 1 without such."""
        return len(self) / self.tried if self.tried else 1.0

    def __len__(self) -> int:
        return len(self.masks)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        names = (f"{place}_mask" for place in PLACES)
        return Deal(**dict(zip(names, map(int, self.masks[index]), strict=True)))

    def __iter__(self) -> Iterator[Deal]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        found = count_text(len(self), "deal")
        return f"ConditionalDeals({found}, {self.tried:,} tried, seed {self.seed})"


def deal_layouts(
    given: Sequence[int], counts: Sequence[CountCondition]
) -> tuple[Layouts, list[CountCondition]]:
    """The layouts of deals with these cards and counts, and counts that are left to be tried.

    The latter are the last ones, where all of them together have too many layouts.

    Raises
    ------
    RuleError
        No deal is so.
    """
    check_cards(given)
    layouts = Layouts.of(given=given)
    for kept in range(1, len(counts) + 1):
        chosen = counts[:kept]
        classes = _parted([condition.mask for condition in chosen])
        try:
            layouts = Layouts.of(
                given=given, classes=classes[:-1], condition=_condition(given, classes, chosen)
            )
        except RuleError as error:
            if "layouts" in str(error):  # too many
                return layouts, list(counts[kept - 1 :])
            asked = [
                f"{place} {mask_text(mask)}"
                for place, mask in zip(PLACES, given, strict=True)
                if mask
            ]
            asked += [condition.sql for condition in chosen]
            raise RuleError(f"no deal is so: {', '.join(asked)}") from None
    return layouts, []


def _parted(masks: Sequence[int]) -> list[int]:
    """Classes of cards that no mask tells apart; the last are those in none."""
    parts = [ALL_MASK]
    for mask in masks:
        parts = [piece for part in parts for piece in (part & mask, part & ~mask) if piece]
    rest = ALL_MASK
    for mask in masks:
        rest &= ~mask
    return [part for part in parts if part & rest == 0] + [rest]


def _condition(
    given: Sequence[int], classes: Sequence[int], counts: Sequence[CountCondition]
) -> Callable[[np.ndarray], np.ndarray]:
    """Which layouts of the unseen cards agree with the counts."""

    def agrees(laid: np.ndarray) -> np.ndarray:
        allowed = np.ones(len(laid), dtype=bool)
        for condition in counts:
            inside = [number for number, part in enumerate(classes) if part & condition.mask]
            held = (given[condition.place] & condition.mask).bit_count()
            found = laid[:, inside, condition.place].sum(axis=1) + held
            allowed &= (condition.low <= found) & (found <= condition.high)
        return allowed

    return agrees


def deal(
    count: int = 1,
    *,
    seed: int = 0,
    given: str | None = None,
    where: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> ConditionalDeals:
    """Deal, freely or under conditions.

    Parameters
    ----------
    count : how many deals; the first of them are the same for a larger count.
    seed : of the random numbers. Without cards and counts, deal k is game k of this seed.
    given : cards and counts at places, ``forehand: CJ SJ, 2 aces; skat: no jacks``.
    where : a boolean SQL expression, ``forehand_trumps_clubs >= 5 and skat_card_points > 10``;
        comparisons of a count with a number, joined by ``and``, are laid out directly, the rest
        is found by trying (see `ConditionalDeals.rate`). The names are those of
        `skatsim.study.conditions.FIGURES`.
    on_progress : called with the deals found and those wanted.

    Raises
    ------
    NotationError, RuleError
        A condition cannot be read, contradicts itself, or is met by no deal that was tried.

    Examples
    --------
    >>> deals = deal(1000, seed=1, given="forehand: CJ SJ; skat: no jacks")
    >>> len(deals), deals.rate
    (1000, 1.0)
    >>> from skatsim.cards import mask_text
    >>> mask_text(deals[0].skat_mask)
    'HA D8'
    """
    count, seed = check_whole(count, "count", least=0, most=MOST_DEALS), check_seed(seed)
    for name, text in (("given", given), ("where", where)):
        if text is not None:
            check_text(text, name)
    cards, counts = parse_given(given or "")
    direct = counts + count_conditions(where or "")
    layouts, left = deal_layouts(cards, direct)
    expressions = [condition.sql for condition in left if condition in counts]
    is_laid_out = any(cards) or len(left) < len(direct)
    if where is not None and where.strip():
        expressions.append(where)
    tried_by = Filter(expressions) if expressions else None
    chance = layouts.total / Layouts.of().total

    def lay_out(first: int, tries: int) -> np.ndarray:
        if is_laid_out:
            return layouts.sample(tries, seed=seed, stream=STREAM, first=first)
        masks = np.empty((tries, 4), dtype=np.int64)
        dealing.deal_games(np.zeros(1, dtype=HIDDEN), seed, first, masks)
        return masks

    masks, numbers, tried = _found(count, lay_out, tried_by, on_progress)
    return ConditionalDeals(masks=masks, numbers=numbers, seed=seed, tried=tried, chance=chance)


def _found(
    count: int,
    lay_out: Callable[[int, int], np.ndarray],
    tried_by: Filter | None,
    on_progress: Callable[[int, int], None] | None,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The first deals that pass: their masks and numbers, and how many were tried for them."""
    masks, numbers = [np.empty((0, 4), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    found = tried = 0
    tries = FIRST_TRIES
    while found < count:
        if tried_by is None:
            tries = min(MOST_TRIES, count - found)
        laid = lay_out(tried, tries)
        chosen = np.arange(len(laid)) if tried_by is None else tried_by.matching(laid)
        chosen = chosen[: count - found]
        masks.append(laid[chosen])
        numbers.append(chosen + tried)
        found += len(chosen)
        tried = tried + tries if found < count or tried_by is None else int(numbers[-1][-1]) + 1
        if found == 0 and tried >= PATIENCE:
            raise RuleError(f"none of {tried:,} deals meets the condition: it seems that none can")
        tries = min(2 * tries, MOST_TRIES)
        if on_progress:
            on_progress(found, count)
    return np.concatenate(masks), np.concatenate(numbers), tried
