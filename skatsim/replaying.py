"""Stored games replayed card by card, and their digest."""

import numpy as np

from skatsim.kernels import replay
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import HIDDEN, PUBLIC
from skatsim.ruleset import Ruleset, find_ruleset

__all__ = ["replay_rows", "rows_digest"]


def rows_digest(rows: np.ndarray, calls: np.ndarray) -> str:
    """Sum of the digests of games given as rows (dtype `GAME`) and calls, 32 hex digits."""
    high, low = replay.digest_games(rows, calls)
    return f"{(high % 2**64) << 64 | (low % 2**64):032x}"


def replay_rows(
    rows: np.ndarray, calls: np.ndarray, ruleset: str | Ruleset = "isko"
) -> tuple[np.ndarray, np.ndarray]:
    """Replay games card by card and recompute all that follows from them.

    Parameters
    ----------
    rows : shape (n,), dtype `GAME`; only the primary fields are read.
    calls : uint16, their calls.
    ruleset : the rules, or their name.

    Returns
    -------
    replayed : shape (n,), dtype `GAME`, whole for every sound game.
    faults : int64, shape (n,): 0, or the number of what is wrong + 1000 * its position.
    """
    replayed = np.zeros(len(rows), dtype=GAME)
    faults = np.zeros(len(rows), dtype=np.int64)
    replay.replay_games(
        (find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset).kernel_record(),
        np.zeros(1, dtype=PUBLIC),
        np.zeros(1, dtype=HIDDEN),
        np.ascontiguousarray(rows),
        np.ascontiguousarray(calls, dtype=np.uint16),
        replayed,
        faults,
    )
    return replayed, faults
