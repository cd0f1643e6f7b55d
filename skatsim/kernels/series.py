"""Whole series: the players keep their policies while the deal goes round the table."""

from typing import Any

from numba import int64, types

from skatsim.kernels.columns import CALLS_TYPE, GAMES_TYPE
from skatsim.kernels.engine import FAULT_PLACE, PLAYERS_TYPE, simulate_games
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import RULES_TYPE
from skatsim.kernels.table import HIDDEN_TYPE, PUBLIC_TYPE


@kernel(
    int64(
        RULES_TYPE,
        PLAYERS_TYPE,
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(HIDDEN_TYPE, 1, "C"),
        int64,
        int64,
        int64,
        int64,
        int64,
        GAMES_TYPE,
        CALLS_TYPE,
    )
)
def simulate_series(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    seed: int,
    first: int,
    count: int,
    length: int,
    table_size: int,
    games: Any,
    calls: Any,
) -> int:
    """Play games `first` to ``first + count - 1`` of a seed as deals of series of `length`.

    `players` has the rows of a table for each dealer in turn, one table after the other.
    Returns 0, or ``fault + FAULT_PLACE * index`` of the game at which row 0 of `public_rows`
    stopped.
    """
    per_table = len(players) // table_size
    call_end = 0
    for i in range(count):
        dealer = ((first + i) % length) % table_size
        fault = simulate_games(
            rules,
            players[per_table * dealer : per_table * (dealer + 1)],
            public_rows,
            hidden_rows,
            seed,
            first + i,
            1,
            games[i : i + 1],
            calls[call_end:],
        )
        if fault != 0:
            return fault + FAULT_PLACE * i
        call_end += int64(games[i]["call_end"])
        games[i]["call_end"] = call_end
    return 0
