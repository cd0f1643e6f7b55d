"""One contract solved in many worlds: won or lost, and by how much."""

import numpy as np
from numba import int64, void
from numpy.typing import NDArray

from skatsim.kernels.cards import NULL, mask_points
from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_drive import solve_deal
from skatsim.kernels.solver_layout import next_generation

Column = NDArray[np.int64]


@kernel(
    void(
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
        int64[::1],
        int64[::1],
    )
)
def solve_worlds(
    ws: int,
    own: Column,
    left: Column,
    right: Column,
    buried: Column,
    contract: int,
    leader: int,
    needed: int,
    asked: Column,
    outcomes: Column,
) -> None:
    """Solve a contract for the declarer's hands, the next seat's and that of the one after.

    Parameters
    ----------
    ws : address of a workspace.
    buried : the two cards laid away.
    leader : 0 the declarer, 1 the next seat, 2 the one after.
    needed : card points with which the game is won.
    asked : 1 for the worlds in which it is also asked whether the loser has 30 card points or
        less.
    outcomes : filled with 1 where the game is won and -1 where it is lost, 2 and -2 with
        schneider.
    """
    for i in range(len(outcomes)):
        next_generation(ws)
        if contract == NULL:
            won = solve_deal(ws, own[i], left[i], right[i], NULL, leader, -1)
            outcomes[i] = 1 if won == 1 else -1
            continue
        sure = mask_points(buried[i])
        won = solve_deal(ws, own[i], left[i], right[i], contract, leader, max(needed - sure, 0))
        more = 0
        if asked[i] == 1:
            points = max((90 if won == 1 else 31) - sure, 0)
            more = solve_deal(ws, own[i], left[i], right[i], contract, leader, points)
            more = more if won == 1 else 1 - more
        outcomes[i] = 1 + more if won == 1 else -1 - more


@kernel(
    void(
        int64,
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64[::1],
    )
)
def count_wins(
    ws: int,
    twelve: int,
    left: Column,
    right: Column,
    discards: Column,
    needed: Column,
    contract: int,
    leader: int,
    wins: Column,
) -> None:
    """In how many worlds each way to lay away two of twelve cards wins.

    All discards of a world share the table of positions, which is several times faster than
    one discard after the other.

    Parameters
    ----------
    ws : address of a workspace.
    twelve : the declarer's cards with the skat.
    left, right : the hands of the next seat and of the one after, by world.
    discards : what is laid away.
    needed : card points in tricks that win with each of them.
    leader : 0 the declarer, 1 the next seat, 2 the one after.
    wins : filled, by discard.
    """
    for k in range(len(discards)):
        wins[k] = 0
    for i in range(len(left)):
        next_generation(ws)
        for k in range(len(discards)):
            own = twelve & ~discards[k]
            at_least = -1 if contract == NULL else max(needed[k], 0)
            wins[k] += solve_deal(ws, own, left[i], right[i], contract, leader, at_least)


@kernel(int64(int64, int64, int64[::1], int64[::1], int64[::1], int64[::1], int64, int64))
def first_best(
    ws: int,
    twelve: int,
    left: Column,
    right: Column,
    discards: Column,
    needed: Column,
    contract: int,
    leader: int,
) -> int:
    """The place of the first discard that wins in most worlds, and how many: ``place << 8 | wins``.

    The arguments are those of `count_wins`. A discard is given up as soon as it cannot win in
    more worlds than the best so far.
    """
    best, place = -1, 0
    next_generation(ws)
    for k in range(len(discards)):
        own = twelve & ~discards[k]
        wins = 0
        for i in range(len(left)):
            wins += solve_deal(ws, own, left[i], right[i], contract, leader, max(needed[k], 0))
            if wins + len(left) - 1 - i <= best:
                break
        if wins > best:
            best, place = wins, k
        if best == len(left):
            break
    return place << 8 | best
