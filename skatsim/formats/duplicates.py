"""Which games a run already holds.

Two records are the same game when they agree in the deal, the players' names, the auction,
the declaration and the cards played: ids and dates are the servers' own affair. Of each game
a hash of 128 bits is kept, 16 bytes in sorted arrays, so that millions fit in memory.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

__all__ = ["SeenGames", "identities"]

_DECLARED: Final = (
    "declarer_seat",
    "contract",
    "is_skat_taken",
    "is_hand",
    "is_schneider_announced",
    "is_schwarz_announced",
    "is_ouvert",
)


@lru_cache(maxsize=1 << 16)
def _normalised(name: str | None) -> str:
    """A name without differences that no player means: case, composed letters, outer blanks."""
    return unicodedata.normalize("NFC", name or "").strip().casefold()


def identities(
    rows: np.ndarray, calls: np.ndarray, players: Sequence[Sequence[str | None]]
) -> np.ndarray:
    """Hashes of games, uint64 of shape (n, 2).

    Parameters
    ----------
    rows : shape (n,), dtype `skatsim.kernels.columns.GAME`.
    calls : uint16, their calls.
    players : names by seat, each as long as `rows`.
    """
    count = len(rows)
    heads = np.empty((count, 49), dtype=np.uint8)
    masks = [rows[name] for name in ("forehand_mask", "middlehand_mask", "rearhand_mask")]
    heads[:, :12] = np.stack(masks, axis=1).astype("<u4").view(np.uint8)
    for place, name in enumerate(_DECLARED):
        heads[:, 12 + place] = rows[name].astype(np.uint8)
    heads[:, 19:] = rows["played"]
    head = heads.tobytes()
    said = calls.astype("<u2").tobytes()
    hashes = bytearray()
    start = 0
    for index, (end, *names) in enumerate(zip(rows["call_end"].tolist(), *players, strict=True)):
        text = "\0".join(map(_normalised, names)).encode("utf-8", "surrogatepass")
        data = head[49 * index : 49 * index + 49] + said[2 * start : 2 * end] + b"\0\0\0" + text
        hashes += hashlib.blake2b(data, digest_size=16).digest()
        start = end
    return np.frombuffer(bytes(hashes), dtype="<u8").astype(np.uint64).reshape(count, 2)


class SeenGames:
    """A set of game hashes that takes blocks.

    It keeps sorted arrays whose lengths at least halve from one to the next, so that adding n
    games costs n log n and looking one up a few binary searches.
    """

    def __init__(self) -> None:
        self._arrays: list[tuple[np.ndarray, np.ndarray]] = []

    def __len__(self) -> int:
        """The number of games."""
        return sum(len(high) for high, _ in self._arrays)

    def add(self, hashes: np.ndarray) -> np.ndarray:
        """Add a block; True where a game is new: neither known nor earlier in the block.

        Parameters
        ----------
        hashes : uint64 of shape (n, 2), as `identities` returns them.
        """
        high, low = np.ascontiguousarray(hashes[:, 0]), np.ascontiguousarray(hashes[:, 1])
        order = np.argsort(high, kind="stable")
        repeats = (high[order][1:] == high[order][:-1]) & (low[order][1:] == low[order][:-1])
        is_new = np.ones(len(hashes), dtype=bool)
        is_new[order[1:][repeats]] = False
        for known_high, known_low in self._arrays:
            places = np.minimum(np.searchsorted(known_high, high), len(known_high) - 1)
            is_new &= (known_high[places] != high) | (known_low[places] != low)
        order = order[is_new[order]]
        if len(order):
            self._push(high[order], low[order])
        return is_new

    def _push(self, high: np.ndarray, low: np.ndarray) -> None:
        while self._arrays and len(self._arrays[-1][0]) < 2 * len(high):
            known_high, known_low = self._arrays.pop()
            high, low = np.concatenate([known_high, high]), np.concatenate([known_low, low])
            order = np.argsort(high, kind="stable")
            high, low = high[order], low[order]
        self._arrays.append((high, low))
