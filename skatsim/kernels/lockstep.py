"""Many rows in step: each runs until it is over or a seat is waited for; then all are answered."""

from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from skatsim.kernels.columns import CALLS_TYPE, END_POLICY_FAULT, GAME_TYPE, GAMES_TYPE
from skatsim.kernels.engine import (
    ADVANCE_OVER,
    ADVANCE_WAITING,
    PLAYERS_TYPE,
    advance,
    player_number,
    shown_cards,
    store,
    store_calls,
    store_no_house,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import AWARD_NONE, FAULT_NULL_BELOW_BID, RULES_TYPE, declaration_fault
from skatsim.kernels.table import (
    FAULT_RUNNING,
    HIDDEN_TYPE,
    HOUSE_RAMSCH_ROUND,
    PUBLIC_TYPE,
    REVOLUTION_BIT,
    SPITZE_BIT,
    apply_action,
    deal,
    house_announcement_fault,
    start_house_deal,
)

ASKED = np.dtype(
    [
        ("row", np.int64),  # which table waits
        ("player", np.int64),  # for whom, as `engine.player_number` counts
        ("phase", np.int64),
        ("seat", np.int64),
        ("hand_mask", np.int64),
        ("skat_mask", np.int64),  # see `engine.shown_cards`, as for the next two
        ("legal_mask", np.int64),
        ("word", np.int64),
    ],
    align=True,
)
"""What is asked of a seat, and what it is shown beside the public record."""

ASKED_TYPE = from_dtype(ASKED)
PUBLIC_ROWS = types.Array(PUBLIC_TYPE, 1, "C")
HIDDEN_ROWS = types.Array(HIDDEN_TYPE, 1, "C")
INTEGERS = types.Array(int64, 1, "C")


@kernel(types.void(RULES_TYPE, PUBLIC_ROWS, HIDDEN_ROWS, int64, INTEGERS, INTEGERS, INTEGERS))
def deal_rows(
    rules: Any,
    public_rows: Any,
    hidden_rows: Any,
    seed: int,
    games: Any,
    bock_factors: Any,
    are_ramsch_rounds: Any,
) -> None:
    """Deal one game of a seed to each row, with what its series carries on to it."""
    for i in range(len(games)):
        deal(public_rows[i], hidden_rows[i], seed, games[i])
        start_house_deal(rules, public_rows[i], bock_factors[i], are_ramsch_rounds[i])


@kernel(types.void(PUBLIC_TYPE, int64, int64, int64, int64, int64, ASKED_TYPE), forceinline=True)
def ask(
    public: Any, row: int, hand_mask: int, skat_mask: int, legal_mask: int, word: int, asked: Any
) -> None:
    """Write down what is asked at a row."""
    asked["row"] = row
    asked["player"] = player_number(public["phase"], public["seat"])
    asked["phase"] = public["phase"]
    asked["seat"] = public["seat"]
    asked["hand_mask"] = hand_mask
    asked["skat_mask"] = skat_mask
    asked["legal_mask"] = legal_mask
    asked["word"] = word


@kernel(
    types.void(
        RULES_TYPE,
        PLAYERS_TYPE,
        PUBLIC_ROWS,
        HIDDEN_ROWS,
        INTEGERS,
        INTEGERS,
        INTEGERS,
        types.Array(ASKED_TYPE, 1, "C"),
        INTEGERS,
    )
)
def advance_rows(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    rows: Any,
    actions: Any,
    faults: Any,
    asked: Any,
    progress: Any,
) -> None:
    """Answer the `rows` named, run them on, and tell in `asked` which of them wait then.

    `actions` is empty for rows of which nothing was asked. Rows that have a fault are left alone.
    An action that is not legal and a fault of a compiled policy go to `faults`. `progress` counts
    how many of the rows were run and how many wait; zeros to begin with. A row is marked
    FAULT_RUNNING while it runs: an exception of a plug-in ends this function and leaves the mark
    on the row it came from; called again, it goes on after that.
    """
    waiting = progress[1]
    for i in range(progress[0], len(rows)):
        row = rows[i]
        progress[0] = i + 1
        if faults[row] != 0:
            continue
        public, hidden = public_rows[row], hidden_rows[row]
        if len(actions) > 0:
            hidden["answer"] = actions[i]
            faults[row] = apply_action(rules, public, hidden, actions[i])
            if faults[row] != 0:
                continue
        faults[row] = FAULT_RUNNING
        status = advance(rules, players, public, hidden)
        faults[row] = 0
        if status == ADVANCE_WAITING:
            hand_mask, skat_mask, legal_mask, word = shown_cards(rules, public, hidden)
            ask(public, row, hand_mask, skat_mask, legal_mask, word, asked[waiting])
            waiting += 1
            progress[1] = waiting
        elif status != ADVANCE_OVER:
            faults[row] = status


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE))
def store_fault(rules: Any, public: Any, hidden: Any, game: Any) -> None:
    """Write a game that a policy's fault ended: what was played, and no entry.

    Before the contract stands nothing is kept of what house rules asked, as what was not yet
    answered could not be told from a no.
    """
    store(rules, public, hidden, game, END_POLICY_FAULT, AWARD_NONE)
    game["score"] = 0
    if public["contract"] < 0:
        store_no_house(game)
        game["house_flags"] = public["house"] & HOUSE_RAMSCH_ROUND
        game["discard_mask"] = 0
        game["entry_factor"] = max(int64(public["bock_factor"]), 1)
        game["bock_factor"] = public["bock_factor"] if public["bock_factor"] > 1 else 0
    if public["declarer"] < 0:
        game["bid_value"] = 0


@kernel(types.void(RULES_TYPE, PUBLIC_ROWS, HIDDEN_ROWS, INTEGERS, GAMES_TYPE, CALLS_TYPE))
def store_rows(
    rules: Any, public_rows: Any, hidden_rows: Any, faults: Any, games: Any, calls: Any
) -> None:
    """Write the games of all rows, which are over or ended by a fault, and their calls."""
    call_end = 0
    for i in range(len(games)):
        public, hidden = public_rows[i], hidden_rows[i]
        if faults[i] == 0:
            store(rules, public, hidden, games[i], -1, AWARD_NONE)
        else:
            store_fault(rules, public, hidden, games[i])
        call_end = store_calls(public, calls, call_end)
        games[i]["call_end"] = call_end


@kernel(
    types.void(
        RULES_TYPE,
        PUBLIC_ROWS,
        types.Array(ASKED_TYPE, 1, "C"),
        INTEGERS,
        types.Array(types.uint8, 1, "C"),
    )
)
def may_declare(rules: Any, public_rows: Any, asked: Any, declared: Any, answers: Any) -> None:
    """For each row asked: 1 where a declaration (its discard aside) would be accepted."""
    for i in range(len(asked)):
        public = public_rows[asked[i]["row"]]
        action = declared[i]
        is_taken = public["is_skat_taken"]
        hand_mask = asked[i]["hand_mask"]
        fault = declaration_fault(
            rules,
            action & 7,
            (action >> 3) & 1,
            (action >> 4) & 1,
            (action >> 5) & 1,
            (action >> 6) & 1,
            is_taken,
            hand_mask,
            public["bid_value"],
        )
        if (action >> REVOLUTION_BIT) & 1 and rules["revolution_value"] >= public["bid_value"]:
            fault = 0 if fault == FAULT_NULL_BELOW_BID else fault
        if fault == 0 and action >> SPITZE_BIT != 0:
            fault = house_announcement_fault(rules, action, is_taken, hand_mask)
        answers[i] = 1 if fault == 0 else 0
