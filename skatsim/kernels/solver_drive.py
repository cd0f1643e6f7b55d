"""Whole answers from the searches: values in mid-trick, lines, many deals, discards.

A trick that has begun is given by its cards `c0`, `c1`, `c2` (-1: not played yet), which
still count among the hands.
"""

import numpy as np
from numba import int64, void
from numpy.typing import NDArray

from skatsim.kernels.cards import GRAND, NULL, mask_points
from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_calls import search, search_null
from skatsim.kernels.solver_layout import (
    JACKS,
    SUIT_TRUMPS,
    clear_null_table,
    clear_table,
    from_null_order,
    from_trick_order,
    next_generation,
    points,
    set_deal,
    set_kind,
    set_null_deal,
    to_null_order,
    to_trick_order,
)
from skatsim.kernels.solver_memory import (
    CARD_POINTS,
    CLASSES,
    MOVES,
    TRUMP,
    highest_bit,
    load,
    lowest_bit,
    popcount,
    store,
)
from skatsim.kernels.solver_trick import (
    insert,
    order_lead,
    order_second,
    order_third,
    without_twins,
)

INFINITY = 1000

Column = NDArray[np.int64]


@kernel(int64(int64, int64, int64))
def legal(ws: int, hand: int, c0: int) -> int:
    """The cards of a hand that may be played to a lead."""
    follow = hand & load(ws + CLASSES + 8 * c0)
    return follow if follow != 0 else hand


@kernel(int64(int64, int64, int64, int64))
def winner_of(ws: int, c0: int, c1: int, c2: int) -> int:
    """The place in the trick, 0..2, of the card that wins it."""
    high = load(ws + CLASSES + 8 * c0) | load(ws + TRUMP)
    w = 0
    best = 1 << c0
    if (1 << c1) & high > best:
        best = 1 << c1
        w = 1
    if (1 << c2) & high > best:
        w = 2
    return w


@kernel(int64(int64, int64, int64, int64, int64, int64, int64, int64, int64))
def bound(ws: int, x0: int, x1: int, x2: int, d: int, c0: int, c1: int, c2: int, beta: int) -> int:
    """A bound as from `search`, in mid-trick too."""
    if c0 < 0:
        return search(ws, x0, x1, x2, d, beta)
    if c2 >= 0:
        w = winner_of(ws, c0, c1, c2)
        y0 = x0 ^ (1 << c0)
        y1 = x1 ^ (1 << c1)
        y2 = x2 ^ (1 << c2)
        gain = 0
        if w == d:
            gain = points(1 << c0 | 1 << c1 | 1 << c2)
        if w == 1:
            y0, y1, y2 = y1, y2, y0
        elif w == 2:
            y0, y1, y2 = y2, y0, y1
        return gain + search(ws, y0, y1, y2, (d + 3 - w) % 3, beta - gain)
    seat = 1 if c1 < 0 else 2
    moves = ws + MOVES + (popcount(x0) * 3 + seat) * 128
    hand = x1 if seat == 1 else x2
    own = without_twins(hand, x0 | x1 | x2) & legal(ws, hand, c0)
    if seat == 1:
        count = order_second(ws, moves, own, c0, x1, x2, d)
    else:
        count = order_third(ws, moves, own, c0, c1, x2, d)
    best = -INFINITY if d == seat else INFINITY
    for i in range(count):
        card = load(moves + 8 * i) & 255
        if seat == 1:
            value = bound(ws, x0, x1, x2, d, c0, card, c2, beta)
        else:
            value = bound(ws, x0, x1, x2, d, c0, c1, card, beta)
        if d == seat:
            best = max(best, value)
            if value >= beta:
                break
        else:
            best = min(best, value)
            if value < beta:
                break
    return best


@kernel(int64(int64, int64, int64, int64, int64))
def guess(ws: int, x0: int, x1: int, x2: int, d: int) -> int:
    """The declarer's card points if everyone plays the card the move ordering likes best."""
    total = 0
    moves = ws + MOVES + 768
    while x0 != 0:
        order_lead(ws, moves, x0, x0, x1, x2, d)
        c0 = load(moves) & 255
        order_second(ws, moves, legal(ws, x1, c0), c0, x1, x2, d)
        c1 = load(moves) & 255
        order_third(ws, moves, legal(ws, x2, c0), c0, c1, x2, d)
        c2 = load(moves) & 255
        x0 ^= 1 << c0
        x1 ^= 1 << c1
        x2 ^= 1 << c2
        w = winner_of(ws, c0, c1, c2)
        if w == d:
            total += load(ws + CARD_POINTS + 8 * c0)
            total += load(ws + CARD_POINTS + 8 * c1)
            total += load(ws + CARD_POINTS + 8 * c2)
        if w == 1:
            x0, x1, x2 = x1, x2, x0
            d = (d + 2) % 3
        elif w == 2:
            x0, x1, x2 = x2, x0, x1
            d = (d + 1) % 3
    return total


@kernel(int64(int64, int64, int64, int64, int64))
def guess_from(ws: int, h0: int, h1: int, h2: int, leader: int) -> int:
    """`guess` of hands given from the declarer on, with the leader counted from there."""
    if leader == 1:
        return guess(ws, h1, h2, h0, 2)
    if leader == 2:
        return guess(ws, h2, h0, h1, 1)
    return guess(ws, h0, h1, h2, 0)


@kernel(int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64))
def exact(
    ws: int, x0: int, x1: int, x2: int, d: int, c0: int, c1: int, c2: int, first: int, low: int
) -> int:
    """The declarer's card points from here on under best play, sought from a first guess.

    They are known to be `low` at least.
    """
    high = points(x0 | x1 | x2)
    beta = min(max(first, low + 1), high)
    step = 8
    is_bounded_below = 1 if low > 0 else 0
    is_bounded_above = 0
    while low < high:
        value = bound(ws, x0, x1, x2, d, c0, c1, c2, beta)
        if value >= beta:
            low = value
            is_bounded_below = 1
        else:
            high = value
            is_bounded_above = 1
        if is_bounded_below and is_bounded_above:
            beta = (low + high + 1) >> 1
        elif is_bounded_below:
            beta = min(low + step, high)
            step *= 2
        else:
            beta = max(high - step + 1, low + 1)
            step *= 2
    return low


@kernel(int64(int64, int64, int64, int64, int64, int64, int64, int64))
def wins_all(ws: int, x0: int, x1: int, x2: int, d: int, c0: int, c1: int, c2: int) -> int:
    """1 if the declarer can win every trick from here on, in mid-trick too."""
    if c2 >= 0:
        w = winner_of(ws, c0, c1, c2)
        if w != d:
            return 0
        y0 = x0 ^ (1 << c0)
        y1 = x1 ^ (1 << c1)
        y2 = x2 ^ (1 << c2)
        if w == 1:
            y0, y1, y2 = y1, y2, y0
        elif w == 2:
            y0, y1, y2 = y2, y0, y1
        none = -1 - w + d  # not a literal: numba would look for another signature
        return wins_all(ws, y0, y1, y2, d - w, none, none, none)
    seat = 0 if c0 < 0 else 1 if c1 < 0 else 2
    if seat == 0:
        trump = load(ws + TRUMP)
        declarer = x0
        if d == 1:
            declarer = x1
        elif d == 2:
            declarer = x2
        others = (x0 | x1 | x2) ^ declarer
        if (others & trump) > (declarer & trump):
            return 0
        if x0 == 0:
            return 1
        total = points(x0 | x1 | x2)
        if total > 0 and search(ws, x0, x1, x2, d, total) < total:
            return 0
        own = without_twins(x0, x0 | x1 | x2)
    else:
        own = legal(ws, x1 if seat == 1 else x2, c0)
    while own != 0:
        card = highest_bit(own)
        own ^= 1 << card
        if seat == 0:
            value = wins_all(ws, x0, x1, x2, d, card, c1, c2)
        elif seat == 1:
            value = wins_all(ws, x0, x1, x2, d, c0, card, c2)
        else:
            value = wins_all(ws, x0, x1, x2, d, c0, c1, card)
        if value == (1 if d == seat else 0):
            return value
    return 0 if d == seat else 1


@kernel(int64(int64, int64, int64, int64, int64, int64, int64, int64))
def wins_null(ws: int, x0: int, x1: int, x2: int, d: int, c0: int, c1: int, c2: int) -> int:
    """1 if the declarer of null can avoid every trick from here on, in mid-trick too."""
    if c0 < 0:
        return search_null(ws, x0, x1, x2, d)
    suit = 255 << (c0 & 24)
    if c2 >= 0:
        w = 0
        best = 1 << c0
        if (1 << c1) & suit > best:
            best = 1 << c1
            w = 1
        if (1 << c2) & suit > best:
            w = 2
        y0 = x0 ^ (1 << c0)
        y1 = x1 ^ (1 << c1)
        y2 = x2 ^ (1 << c2)
        if w == d or y0 == 0:
            return 0 if w == d else 1
        if w == 1:
            y0, y1, y2 = y1, y2, y0
        elif w == 2:
            y0, y1, y2 = y2, y0, y1
        return search_null(ws, y0, y1, y2, (d + 3 - w) % 3)
    seat = 1 if c1 < 0 else 2
    hand = x1 if seat == 1 else x2
    own = hand & suit
    if own == 0:
        own = hand
    while own != 0:
        card = lowest_bit(own)
        own &= own - 1
        if seat == 1:
            value = wins_null(ws, x0, x1, x2, d, c0, card, c2)
        else:
            value = wins_null(ws, x0, x1, x2, d, c0, c1, card)
        if value == (1 if d == seat else 0):
            return value
    return 0 if d == seat else 1


@kernel(int64(int64, int64))
def set_contract(ws: int, contract: int) -> int:
    """Make the tables of a contract ready; its trumps in the solver's order."""
    trump = JACKS if contract == GRAND else SUIT_TRUMPS
    set_kind(ws, trump)
    return trump


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def solve_deal(
    ws: int, h0: int, h1: int, h2: int, contract: int, leader: int, at_least: int
) -> int:
    """The value of a deal at the start of a trick.

    Hands are masks of card ids from the declarer on; `leader` counts from the declarer.
    With `at_least` >= 0 the result is 1 or 0 for that many card points from here on,
    otherwise the card points; null: 1 if the declarer wins.
    """
    d = (3 - leader) % 3
    if contract == NULL:
        x0 = to_null_order(h0)
        x1 = to_null_order(h1)
        x2 = to_null_order(h2)
        set_null_deal(ws, x0, x1, x2)
    else:
        x0 = to_trick_order(h0, contract)
        x1 = to_trick_order(h1, contract)
        x2 = to_trick_order(h2, contract)
        set_contract(ws, contract)
        set_deal(ws, x0, x1, x2)
    if leader == 1:
        x0, x1, x2 = x1, x2, x0
    elif leader == 2:
        x0, x1, x2 = x2, x0, x1
    if contract == NULL:
        return search_null(ws, x0, x1, x2, d)
    if at_least >= 0:
        return 1 if search(ws, x0, x1, x2, d, at_least) >= at_least else 0
    return exact(ws, x0, x1, x2, d, -1, -1, -1, guess(ws, x0, x1, x2, d), 0)


@kernel(
    void(
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
    )
)
def solve_block(
    ws: int,
    forehand_mask: Column,
    middlehand_mask: Column,
    rearhand_mask: Column,
    skat_mask: Column,
    contract: Column,
    declarer_seat: Column,
    leader_seat: Column,
    card_points: Column,
    at_least: Column,
    value: Column,
) -> None:
    """Solve many deals; `card_points` are the declarer's so far, the skat's come on top.

    `at_least` -1 asks for the card points in all, otherwise whether they reach it.
    """
    for i in range(len(value)):
        declarer = declarer_seat[i]
        h0 = forehand_mask[i]
        h1 = middlehand_mask[i]
        h2 = rearhand_mask[i]
        if declarer == 1:
            h0, h1, h2 = h1, h2, h0
        elif declarer == 2:
            h0, h1, h2 = h2, h0, h1
        leader = (leader_seat[i] - declarer + 3) % 3
        if contract[i] == NULL:
            value[i] = solve_deal(ws, h0, h1, h2, NULL, leader, -1)
            continue
        next_generation(ws)
        sure = card_points[i] + mask_points(skat_mask[i])
        if at_least[i] < 0:
            value[i] = sure + solve_deal(ws, h0, h1, h2, contract[i], leader, -1)
        else:
            needed = max(at_least[i] - sure, 0)
            value[i] = solve_deal(ws, h0, h1, h2, contract[i], leader, needed)


@kernel(int64(int64, int64))
def keeps_higher(twelve: int, skat: int) -> int:
    """1 if, in null, a card is kept that is higher than one laid away of its suit."""
    while skat != 0:
        card = lowest_bit(skat)
        if twelve & ~skat & (255 << (card & 24)) & (-2 << card) != 0:
            return 1
        skat &= skat - 1
    return 0


@kernel(int64(int64, int64, int64, int64))
def is_poorer(ws: int, twelve: int, others: int, skat: int) -> int:
    """1 if laying away a neighbour in rank of one of these cards instead is never worse."""
    left = skat
    while left != 0:
        card = lowest_bit(left)
        left &= left - 1
        led = load(ws + CLASSES + 8 * card)
        value = load(ws + CARD_POINTS + 8 * card)
        kept = twelve & ~skat & led
        enemy = others & led
        while kept != 0:
            other = lowest_bit(kept)
            kept &= kept - 1
            between = (1 << other) - (1 << card)
            if enemy & (between if between > 0 else -between) != 0:
                continue
            gain = load(ws + CARD_POINTS + 8 * other) - value
            if gain > 0 or (gain == 0 and other < card):
                return 1
    return 0


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def best_discard(
    ws: int, twelve: int, h1: int, h2: int, contract: int, leader: int, at_least: int
) -> int:
    """The best two of the declarer's twelve cards to lay away.

    The result is ``value << 32 | mask of card ids``. The value is the declarer's card
    points with the discard; with `at_least` >= 0, 1 or 0 for that aim; null: 1 or 0.
    Discards share one table of positions; each is only asked whether it beats the best.
    """
    is_null = 1 if contract == NULL else 0
    d = (3 - leader) % 3
    if is_null:
        own = to_null_order(twelve)
        x1 = to_null_order(h1)
        x2 = to_null_order(h2)
        clear_null_table(ws)
    else:
        own = to_trick_order(twelve, contract)
        x1 = to_trick_order(h1, contract)
        x2 = to_trick_order(h2, contract)
        set_contract(ws, contract)
        clear_table(ws)
    others = x1 | x2
    moves = ws + MOVES
    count = 0
    left = own
    while left != 0:
        first = lowest_bit(left)
        left &= left - 1
        rest = left
        while rest != 0:
            second = lowest_bit(rest)
            rest &= rest - 1
            skat = 1 << first | 1 << second
            if is_null:
                if keeps_higher(own, skat):
                    continue
                score = 0
            else:
                if is_poorer(ws, own, others, skat):
                    continue
                set_deal(ws, own ^ skat, x1, x2)
                score = points(skat) + guess_from(ws, own ^ skat, x1, x2, leader)
            store(moves + 8 * count, score << 32 | first << 8 | second)
            insert(moves, count)
            count += 1
    best = -1
    best_skat = 0
    for i in range(count):
        entry = load(moves + 8 * i)
        skat = 1 << (entry >> 8 & 255) | 1 << (entry & 255)
        y0 = own ^ skat
        y1 = x1
        y2 = x2
        if leader == 1:
            y0, y1, y2 = x1, x2, y0
        elif leader == 2:
            y0, y1, y2 = x2, y0, x1
        if is_null:
            set_null_deal(ws, own ^ skat, x1, x2)
            value = search_null(ws, y0, y1, y2, d)
        else:
            set_deal(ws, own ^ skat, x1, x2)
            sure = points(skat)
            if at_least >= 0:
                value = 1 if search(ws, y0, y1, y2, d, at_least - sure) >= at_least - sure else 0
            elif best < 0:
                value = sure + exact(ws, y0, y1, y2, d, -1, -1, -1, (entry >> 32) - sure, 0)
            else:
                value = sure + search(ws, y0, y1, y2, d, best + 1 - sure)
                if value > best:
                    low = value - sure
                    value = sure + exact(ws, y0, y1, y2, d, -1, -1, -1, low + 3, low)
        if value > best:
            best = value
            best_skat = skat
        if best == 1 and (is_null or at_least >= 0):
            break
    if is_null:
        return best << 32 | from_null_order(best_skat)
    return best << 32 | from_trick_order(best_skat, contract)
