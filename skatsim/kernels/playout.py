"""Worlds that one seat can imagine, and games played out from a contract on.

A seat knows its ten cards and perhaps the skat. World `number` of a seed deals the rest: the
skat is ``skats[number % len(skats)]``, so that each skat is met equally often; the two other
hands follow from the number. Worlds whose hands would have called otherwise than they did are
left out.
"""

from typing import Any

import numpy as np
from numba import int64, types, void
from numpy.typing import NDArray

from skatsim.kernels.bits import highest_bit, lowest_bit
from skatsim.kernels.cards import ALL_MASK, NULL, mask_points, trump_mask
from skatsim.kernels.engine import (
    ADVANCE_OVER,
    DECISION_BIDDING,
    PLAYERS_TYPE,
    POLICY_UNIFORM,
    advance,
    decide_before_play,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import game_key
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_NONE, BID_FLOOR, RULES_TYPE, settle
from skatsim.kernels.table import (
    CALL_PASS,
    HIDDEN_TYPE,
    IS_HAND,
    IS_OUVERT,
    IS_SCHNEIDER_ANNOUNCED,
    IS_SCHWARZ_ANNOUNCED,
    PHASE_AUCTION,
    PHASE_OVER,
    PHASE_PLAY,
    PUBLIC_TYPE,
    apply_call,
    place,
    reset,
)
from skatsim.kernels.worlds import choose_cards

Column = NDArray[np.int64]

PUBLIC_ROWS = types.Array(PUBLIC_TYPE, 1, "C")
HIDDEN_ROWS = types.Array(HIDDEN_TYPE, 1, "C")

STREAM = 1
"""Of the random numbers of worlds, so that they are not those of the deals of a run."""

SETTLED = types.UniTuple(int64, 2)


@kernel(void(HIDDEN_TYPE, int64, int64, int64, int64))
def seat_hands(hidden: Any, seat: int, own: int, left: int, right: int) -> None:
    """Put three hands on the table: of a seat, of the next, of the one after."""
    if seat == 0:
        place(hidden, own, left, right)
    elif seat == 1:
        place(hidden, right, own, left)
    else:
        place(hidden, left, right, own)


@kernel(int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64[::1], int64))
def replay_calls(
    rules: Any, players: Any, public: Any, hidden: Any, calls: Column, seat: int
) -> int:
    """Make the calls of an auction; 0 as soon as another seat's policy would call otherwise.

    A jump in the bidding agrees if the policy would have bid that value one step below it. A
    uniform policy makes every call as gladly as any other, so that its calls say nothing.
    """
    for call in calls:
        caller = public["seat"]
        player = players[3 * caller + DECISION_BIDDING]
        if caller != seat and player["policy"] != POLICY_UNIFORM:
            said = public["bid_value"]
            index = rules["bid_index"][call] if call >= BID_FLOOR else -1
            if index > 0:
                public["bid_value"] = rules["bid_value"][index - 1]
            elif index == 0:
                public["bid_value"] = 0
            answer = decide_before_play(rules, player, public, hidden)
            public["bid_value"] = said
            if answer != call:
                return 0
        apply_call(rules, public, call, 1)
    return 1


@kernel(
    int64(
        RULES_TYPE,
        PLAYERS_TYPE,
        PUBLIC_ROWS,
        HIDDEN_ROWS,
        int64,
        int64,
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
    )
)
def draw_worlds(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    seat: int,
    own: int,
    skats: Column,
    calls: Column,
    seed: int,
    first: int,
    numbers: Column,
    left: Column,
    right: Column,
) -> int:
    """Draw worlds `first` and following, as many as the columns hold; how many agree.

    The numbers and the hands of the next seat and the one after are written to the front of
    the columns.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    count = 0
    for number in range(first, first + len(numbers)):
        skat = skats[number % len(skats)]
        unseen = ALL_MASK & ~(own | skat)
        hand = choose_cards(unseen, 10, seed, STREAM, number, 0)
        if len(calls) > 0:
            reset(public)
            seat_hands(hidden, seat, own, hand, unseen ^ hand)
            hidden["key"] = game_key(seed, number)
            if replay_calls(rules, players, public, hidden, calls, seat) == 0:
                continue
        numbers[count] = number
        left[count] = hand
        right[count] = unseen ^ hand
        count += 1
    return count


@kernel(int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def finish(rules: Any, players: Any, public: Any, hidden: Any) -> int:
    """Run a game on to its end; 0, or the number of a policy's fault."""
    return advance(rules, players, public, hidden)


@kernel(SETTLED(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64))
def result_of(rules: Any, public: Any, hidden: Any, bid: int) -> tuple[int, int]:
    """The multiplier of a finished game (1 in null) and 1 if it is won at a bid."""
    declarer = public["declarer"]
    buried = hidden["discard_mask"] if hidden["discard_mask"] != 0 else hidden["skat_mask"]
    is_open = public["trick_count"] < 10 and public["contract"] != NULL
    settled = settle(
        rules,
        public["contract"],
        public["is_hand"],
        public["is_schneider_announced"],
        public["is_schwarz_announced"],
        public["is_ouvert"],
        hidden["dealt"][declarer] | hidden["skat_mask"],
        bid,
        public["declarer_points"] + mask_points(buried),
        public["declarer_trick_count"],
        AWARD_CONCEDED if is_open else AWARD_NONE,
        0,
    )
    return max(settled[1], 1), settled[8]


@kernel(
    int64(
        RULES_TYPE,
        PLAYERS_TYPE,
        PUBLIC_ROWS,
        HIDDEN_ROWS,
        int64,
        int64,
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
        int64[::1],
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
    )
)
def play_worlds(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    seat: int,
    own: int,
    skats: Column,
    calls: Column,
    bid: int,
    contract: int,
    announcements: int,
    discards: Column,
    seed: int,
    numbers: Column,
    left: Column,
    right: Column,
    outcomes: Column,
) -> int:
    """Play a contract out in each world; 0, or the number of a policy's fault.

    Parameters
    ----------
    discards : the two cards laid away with each skat, 0 for a hand game.
    outcomes : filled with the multiplier, 1 in null, negative where the game is lost on cards.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    for i in range(len(numbers)):
        number = numbers[i]
        discard = discards[number % len(skats)]
        reset(public)
        seat_hands(hidden, seat, own, left[i], right[i])
        hidden["key"] = game_key(seed, number)
        for call in calls:
            apply_call(rules, public, call, 1)
        hand = own
        if discard != 0:
            hand = (own | skats[number % len(skats)]) & ~discard
        hidden["hands"][seat] = hand
        hidden["discard_mask"] = discard
        public["bid_value"] = bid
        public["declarer"] = seat
        public["is_skat_taken"] = 1 if discard != 0 else 0
        public["contract"] = contract
        public["is_hand"] = 1 if announcements & IS_HAND else 0
        public["is_schneider_announced"] = 1 if announcements & IS_SCHNEIDER_ANNOUNCED else 0
        public["is_schwarz_announced"] = 1 if announcements & IS_SCHWARZ_ANNOUNCED else 0
        public["is_ouvert"] = 1 if announcements & IS_OUVERT else 0
        public["open_mask"] = hand if announcements & IS_OUVERT else 0
        public["trump_mask"] = trump_mask(contract)
        public["phase"] = PHASE_PLAY
        public["seat"] = 0
        fault = finish(rules, players, public, hidden)
        if fault != ADVANCE_OVER:
            return fault
        multiplier, is_won = result_of(rules, public, hidden, 0)
        outcomes[i] = multiplier if is_won else -multiplier
    return 0


@kernel(
    int64(
        RULES_TYPE,
        PLAYERS_TYPE,
        PUBLIC_ROWS,
        HIDDEN_ROWS,
        int64,
        int64,
        int64[::1],
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
    )
)
def pass_worlds(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    seat: int,
    own: int,
    calls: Column,
    seed: int,
    numbers: Column,
    left: Column,
    right: Column,
    outcomes: Column,
) -> int:
    """Play whole games in which a seat passes from now on; 0, or a policy's fault.

    `outcomes` are 1 where another seat won its game, -1 where it lost, 0 when all passed.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    for i in range(len(numbers)):
        reset(public)
        seat_hands(hidden, seat, own, left[i], right[i])
        hidden["key"] = game_key(seed, numbers[i])
        for call in calls:
            apply_call(rules, public, call, 1)
        while public["phase"] == PHASE_AUCTION:
            caller = public["seat"]
            call = CALL_PASS
            if caller != seat:
                player = players[3 * caller + DECISION_BIDDING]
                call = decide_before_play(rules, player, public, hidden)
            fault = apply_call(rules, public, call, 0)
            if fault != 0:
                return fault
        outcomes[i] = 0
        if public["phase"] != PHASE_OVER:
            fault = finish(rules, players, public, hidden)
            if fault != ADVANCE_OVER:
                return fault
            outcomes[i] = 1 if result_of(rules, public, hidden, public["bid_value"])[1] else -1
    return 0


@kernel(void(RULES_TYPE, int64, int64, int64, int64[::1], int64[::1]))
def multipliers_held(
    rules: Any, own: int, contract: int, announcements: int, skats: Column, multipliers: Column
) -> None:
    """What a contract is worth with each skat if it is just won: the multiplier, 1 in null."""
    for i in range(len(skats)):
        settled = settle(
            rules,
            contract,
            1 if announcements & IS_HAND else 0,
            1 if announcements & IS_SCHNEIDER_ANNOUNCED else 0,
            1 if announcements & IS_SCHWARZ_ANNOUNCED else 0,
            1 if announcements & IS_OUVERT else 0,
            own | skats[i],
            0,
            61,
            5,
            AWARD_NONE,
            0,
        )
        multipliers[i] = max(settled[1], 1)


@kernel(void(int64, int64[::1]))
def all_skats(own: int, skats: Column) -> None:
    """The 231 skats that ten cards leave."""
    count = 0
    rest = ALL_MASK & ~own
    while rest != 0:
        high = 1 << highest_bit(rest)
        rest ^= high
        lower = rest
        while lower != 0:
            low = 1 << lowest_bit(lower)
            lower ^= low
            skats[count] = high | low
            count += 1
