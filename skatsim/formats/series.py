"""How many sit at a table, told from the seats of a series.

Recorded games name the three who play; at a table of four the sitting dealer is not named.
The deal goes round by one place a game, so at a table of four the same three always sit in
the same order, while at a table of three they sit in three orders.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

__all__ = ["TableSizes"]

SERIES_KEPT: Final = 10_000
"""Series remembered from earlier blocks, the latest ones."""

Players = tuple[str | None, ...]


class TableSizes:
    """Infers table sizes block by block; what earlier blocks showed of a series counts."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str | None, str], set[Players]] = OrderedDict()

    def infer(
        self,
        servers: Sequence[str | None],
        series: Sequence[str | None],
        players: Sequence[Players],
    ) -> list[int | None]:
        """The table size of each game, None where its series does not tell.

        Examples
        --------
        >>> sizes = TableSizes()
        >>> games = [("a", "b", "c"), ("b", "c", "a")]
        >>> sizes.infer(["s", "s"], ["1", "1"], games)
        [3, 3]
        """
        groups: dict[tuple[str | None, str], list[int]] = {}
        for index, number in enumerate(series):
            if number is not None:
                groups.setdefault((servers[index], number), []).append(index)
        sizes: list[int | None] = [None] * len(series)
        for key, indices in groups.items():
            seatings = self._seen.pop(key, None) or set()
            seatings.update([players[index] for index in indices])
            self._seen[key] = seatings
            if len(seatings) > 1:
                size = _size(seatings)
                for index in indices:
                    sizes[index] = size
        while len(self._seen) > SERIES_KEPT:
            self._seen.popitem(last=False)
        return sizes


def _size(seatings: set[Players]) -> int | None:
    """3, 4, or None if the seatings tell neither."""
    names = {name for seating in seatings for name in seating}
    trios = {frozenset(seating) for seating in seatings}
    if None in names or any(len(trio) < 3 for trio in trios):
        return None
    if len(trios) == 1 and len(seatings) > 1:
        return 3
    if len(names) == 4 and len(trios) == len(seatings):
        return 4
    return None
