"""The open-card value of played games before every card: what best play was worth then.

A game is laid out forwards and valued backwards. The card that was played led to a value
that is known by then; so before it one question is enough wherever it was best: does the
seat to play get more?
"""

from typing import Any

from numba import int64, types, void

from skatsim.kernels.bits import lowest_bit
from skatsim.kernels.cards import NULL, mask_points
from skatsim.kernels.columns import GAME_TYPE, GAMES_TYPE
from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_drive import (
    bound,
    set_contract,
    winner_of,
    wins_all,
    wins_null,
)
from skatsim.kernels.solver_layout import (
    next_generation,
    points,
    set_deal,
    set_null_deal,
    to_null_order,
    to_trick_order,
)
from skatsim.kernels.solver_memory import CLASSES, load

__all__ = ["NO_VALUE", "POSITIONS", "STEP_FIELDS", "review_games"]

POSITIONS = 31
"""Before each of 30 cards, and at the end."""

STEP_FIELDS = 9
HAND_0, HAND_1, HAND_2, DECLARER, CARD_0, CARD_1, SURE, LOST, TRICKS = range(STEP_FIELDS)
"""Of a position: the hands from the leader of the trick on, cards on the table among them;
the declarer's place; the cards on the table, -1 without; the declarer's card points from
finished tricks and buried cards; finished tricks he did not take, and finished tricks."""

NO_VALUE = 255
"""In place of card points where they do not count, and after the end."""

FAULT_BURIED, FAULT_CARD = -1, -2

STEPS_TYPE = types.Array(int64, 2, "C")


@kernel(int64(int64, int64, int64))
def in_order(is_null: int, mask: int, contract: int) -> int:
    """A mask of card ids in the solver's order."""
    if is_null:
        return to_null_order(mask)
    return to_trick_order(mask, contract)


@kernel(int64(int64, int64, int64, int64, int64))
def place_of_winner(ws: int, is_null: int, c0: int, c1: int, c2: int) -> int:
    """The place in the trick, 0..2, of the card that wins it."""
    if not is_null:
        return winner_of(ws, c0, c1, c2)
    suit = 255 << (c0 & 24)
    w = 0
    best = 1 << c0
    if (1 << c1) & suit > best:
        best = 1 << c1
        w = 1
    if (1 << c2) & suit > best:
        w = 2
    return w


@kernel(int64(int64, GAME_TYPE, STEPS_TYPE))
def lay_out(ws: int, game: Any, steps: Any) -> int:
    """Write the positions of a game; how many cards were played, or a fault.

    The tables of the deal are made ready.
    """
    contract = int64(game["contract"])
    declarer = int64(game["declarer_seat"])
    is_null = 1 if contract == NULL else 0
    skat = int64(game["skat_mask"])
    h0 = int64(game["forehand_mask"])
    h1 = int64(game["middlehand_mask"])
    h2 = int64(game["rearhand_mask"])
    if game["is_skat_taken"]:
        discard = int64(game["discard_mask"])
        if discard == 0:
            return FAULT_BURIED
        if declarer == 0:
            h0 = (h0 | skat) ^ discard
        elif declarer == 1:
            h1 = (h1 | skat) ^ discard
        else:
            h2 = (h2 | skat) ^ discard
        skat = discard
    x0 = in_order(is_null, h0, contract)
    x1 = in_order(is_null, h1, contract)
    x2 = in_order(is_null, h2, contract)
    if not is_null:
        set_contract(ws, contract)
        next_generation(ws)
    d0, d1, d2 = x0, x1, x2
    if declarer == 1:
        d0, d1, d2 = x1, x2, x0
    elif declarer == 2:
        d0, d1, d2 = x2, x0, x1
    if is_null:
        set_null_deal(ws, d0, d1, d2)
    else:
        set_deal(ws, d0, d1, d2)
    d = declarer
    sure = mask_points(skat)
    lost = 0
    c0, c1 = -1, -1
    count = 0
    while True:
        size = count % 3
        steps[count, HAND_0] = x0
        steps[count, HAND_1] = x1
        steps[count, HAND_2] = x2
        steps[count, DECLARER] = d
        steps[count, CARD_0] = c0
        steps[count, CARD_1] = c1
        steps[count, SURE] = sure
        steps[count, LOST] = lost
        steps[count, TRICKS] = count // 3
        if count == 30 or game["played"][count] > 31:
            return count
        card = lowest_bit(in_order(is_null, 1 << int64(game["played"][count]), contract))
        hand = x0 if size == 0 else x1 if size == 1 else x2
        if hand >> card & 1 == 0:
            return FAULT_CARD
        if size == 0:
            c0 = card
        else:
            suit = 255 << (c0 & 24)
            if not is_null:
                suit = load(ws + CLASSES + 8 * c0)
            if hand & suit != 0 and suit >> card & 1 == 0:
                return FAULT_CARD
        if size == 1:
            c1 = card
        elif size == 2:
            w = place_of_winner(ws, is_null, c0, c1, card)
            if w != d:
                lost += 1
            elif not is_null:
                sure += points(1 << c0 | 1 << c1 | 1 << card)
            x0 ^= 1 << c0
            x1 ^= 1 << c1
            x2 ^= 1 << card
            if w == 1:
                x0, x1, x2 = x1, x2, x0
            elif w == 2:
                x0, x1, x2 = x2, x0, x1
            d = (d - w + 3) % 3
            c0, c1 = -1, -1
        count += 1


@kernel(int64(int64, STEPS_TYPE, int64, int64, int64))
def improved(ws: int, steps: Any, at: int, known: int, is_rising: int) -> int:
    """The value of a position of which one move is known to lead to `known`.

    The seat to play wants it higher with `is_rising`, else lower. Values are the declarer's
    card points in all.
    """
    sure = steps[at, SURE]
    x0, x1, x2 = steps[at, HAND_0], steps[at, HAND_1], steps[at, HAND_2]
    d, c0, c1 = steps[at, DECLARER], steps[at, CARD_0], steps[at, CARD_1]
    low, high = 0, points(x0 | x1 | x2)
    step = 4
    if is_rising:
        low = known - sure
        beta = low + 1
    else:
        high = known - sure
        beta = high
    is_bounded = 0
    while low < high:
        value = bound(ws, x0, x1, x2, d, c0, c1, -1, beta)
        if value >= beta:
            low = value
            if not is_rising:
                is_bounded = 1
        else:
            high = value
            if is_rising:
                is_bounded = 1
        if is_bounded:
            beta = (low + high + 1) >> 1
        elif is_rising:
            beta = min(low + step, high)
        else:
            beta = max(high - step + 1, low + 1)
        step *= 2
    return sure + low


@kernel(int64(int64, STEPS_TYPE, int64))
def null_is_won(ws: int, steps: Any, at: int) -> int:
    """1 if the declarer of null wins from a position."""
    if steps[at, LOST] < steps[at, TRICKS]:
        return 0
    x0, x1, x2 = steps[at, HAND_0], steps[at, HAND_1], steps[at, HAND_2]
    d, c0, c1 = steps[at, DECLARER], steps[at, CARD_0], steps[at, CARD_1]
    if x0 == 0:
        return 1
    return wins_null(ws, x0, x1, x2, d, c0, c1, -1)


@kernel(void(int64, STEPS_TYPE, int64, types.Array(types.uint8, 1, "C")))
def value_cards(ws: int, steps: Any, count: int, values: Any) -> None:
    """The declarer's card points before each card and at the end, last first."""
    known = 0
    for at in range(count, -1, -1):
        own = 1 if steps[at, DECLARER] == at % 3 else 0
        if at == count:
            # of the end nothing is known: every card points to it, or none is left
            known = improved(ws, steps, at, steps[at, SURE], 1)
        else:
            known = improved(ws, steps, at, known, own)
        values[at] = known


@kernel(int64(int64, GAME_TYPE, STEPS_TYPE, int64, types.Array(types.uint8, 1, "C")))
def won_positions(ws: int, game: Any, steps: Any, count: int, values: Any) -> int:
    """The positions before which the declarer wins with best play, one bit each."""
    needed = 90 if game["is_schneider_announced"] else 61
    is_null = 1 if game["contract"] == NULL else 0
    is_schwarz = 1 if game["is_schwarz_announced"] and not is_null else 0
    won = 0
    result = 0
    for at in range(count, -1, -1):
        own = 1 if steps[at, DECLARER] == at % 3 else 0
        is_settled = 1 if at < count and won == own else 0
        if is_null:
            if not is_settled:
                won = null_is_won(ws, steps, at)
        elif not is_schwarz:
            won = 1 if values[at] >= needed else 0
        elif steps[at, LOST] > 0:
            won = 0
        elif not is_settled:
            won = wins_all(
                ws,
                steps[at, HAND_0],
                steps[at, HAND_1],
                steps[at, HAND_2],
                steps[at, DECLARER],
                steps[at, CARD_0],
                steps[at, CARD_1],
                -1,
            )
        result |= won << at
    return result


@kernel(
    void(
        int64,
        GAMES_TYPE,
        STEPS_TYPE,
        types.Array(types.uint8, 2, "C"),
        types.Array(types.uint32, 1, "C"),
        types.Array(int64, 1, "C"),
    )
)
def review_games(ws: int, games: Any, steps: Any, values: Any, won: Any, counts: Any) -> None:
    """Value played games.

    Parameters
    ----------
    ws : address of a workspace.
    games : with a declarer and a contract that is not Ramsch.
    steps : scratch, shape (POSITIONS, STEP_FIELDS).
    values : filled in, shape (n, POSITIONS): the declarer's card points in all under best play
        of both sides before each card, and after the last; NO_VALUE in null.
    won : filled in: bit i is set if the declarer then wins with best play.
    counts : filled in: cards played, or below 0 what is wrong.
    """
    for i in range(len(games)):
        game = games[i]
        count = lay_out(ws, game, steps)
        counts[i] = count
        won[i] = 0
        for at in range(POSITIONS):
            values[i, at] = NO_VALUE
        if count < 0:
            continue
        if game["contract"] != NULL:
            value_cards(ws, steps, count, values[i])
        won[i] = won_positions(ws, game, steps, count, values[i])
