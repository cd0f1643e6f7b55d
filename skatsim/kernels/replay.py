"""Recorded games replayed card by card under the referee, and their digest."""

from typing import Any

from numba import int64, types

from skatsim.kernels.bits import lowest_bit, popcount
from skatsim.kernels.cards import ALL_MASK, RAMSCH, trump_mask
from skatsim.kernels.columns import (
    CALLS_TYPE,
    END_PASSED_IN,
    END_POLICY_FAULT,
    END_TEN_TRICKS,
    GAME_TYPE,
    GAMES_TYPE,
)
from skatsim.kernels.engine import store
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import add, mix, multiply_high, multiply_low, signed, unsigned
from skatsim.kernels.rules import (
    HOUSE_REVOLUTION,
    HOUSE_SCHENKEN_REFUSED,
    HOUSE_SPITZE,
    RULES_TYPE,
)
from skatsim.kernels.table import (
    BID_LEAST,
    FAULT_CARD,
    HIDDEN_TYPE,
    HOUSE_RAMSCH_ROUND,
    HOUSE_SCHENKEN_ACCEPTED,
    PHASE_ACCEPT,
    PHASE_AUCTION,
    PHASE_GRAND_HAND,
    PHASE_KNOCK,
    PHASE_KONTRA,
    PHASE_LOOK,
    PHASE_OVER,
    PHASE_PICK_UP,
    PHASE_PLAY,
    PHASE_PUSH,
    PHASE_SCHENKEN,
    PUBLIC_TYPE,
    REVOLUTION_BIT,
    SPITZE_BIT,
    UNKNOWN_CARD,
    UNPLAYED,
    apply_call,
    apply_card,
    apply_declaration,
    apply_house,
    apply_pick_up,
    declaration,
    house_next,
    place,
    reset,
    start_house_deal,
    start_ramsch,
)

FAULT_DEAL = 30
FAULT_DECLARER = 31
FAULT_BID = 32
FAULT_END = 33
FAULT_AFTER_END = 34
FAULT_HOUSE = 35  # something said or done that these rules do not know

POSITION = 1000
"""A fault is its number plus POSITION times the index of the call or card where it stands."""


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE))
def replay_house(rules: Any, public: Any, hidden: Any, game: Any) -> int:
    """Answer the questions of house rules as a recorded game did; 0 or a fault."""
    house_next(rules, public, hidden)
    while public["phase"] > PHASE_OVER:
        phase, seat = public["phase"], public["seat"]
        pushed = int64(game["forehand_push_mask"])
        if seat == 1:
            pushed = int64(game["middlehand_push_mask"])
        elif seat == 2:
            pushed = int64(game["rearhand_push_mask"])
        action = 0
        if phase == PHASE_KONTRA:
            is_turn = seat == game["kontra_seat"] or public["kontra_count"] > 0
            action = 1 if is_turn and game["kontra_count"] > public["kontra_count"] else 0
        elif phase == PHASE_GRAND_HAND:
            action = 1 if game["declarer_seat"] == seat else 0
        elif phase == PHASE_LOOK:
            action = 1 if pushed != 0 else 0
        elif phase == PHASE_PUSH:
            action = lowest_bit(pushed) | (lowest_bit(pushed & (pushed - 1)) << 5)
        elif phase == PHASE_KNOCK:
            action = (int64(game["knocks"]) >> seat) & 1
        elif phase == PHASE_SCHENKEN:
            said = HOUSE_SCHENKEN_ACCEPTED | HOUSE_SCHENKEN_REFUSED
            action = 1 if game["house_flags"] & said else 0
        elif phase == PHASE_ACCEPT:
            action = 1 if game["house_flags"] & HOUSE_SCHENKEN_ACCEPTED else 0
        else:
            action = int64(game["resort_mask"])
            if action == 0 and game["end_reason"] == END_POLICY_FAULT:
                return 0  # it was asked and not answered
        if apply_house(rules, public, hidden, action) != 0:
            return FAULT_HOUSE
        house_next(rules, public, hidden)
    return 0


@kernel(int64(PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE))
def house_fault(public: Any, hidden: Any, game: Any) -> int:
    """FAULT_HOUSE if a recorded game says more than could be said where it was replayed."""
    if (
        public["kontra_count"] != game["kontra_count"]
        or public["kontra_seat"] != game["kontra_seat"]
        or public["knocks"] != game["knocks"]
        or public["house"] != game["house_flags"]
        or hidden["resort_mask"] != int64(game["resort_mask"])
        or hidden["pushes"][0] != int64(game["forehand_push_mask"])
        or hidden["pushes"][1] != int64(game["middlehand_push_mask"])
        or hidden["pushes"][2] != int64(game["rearhand_push_mask"])
    ):
        return FAULT_HOUSE
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE, CALLS_TYPE, int64))
def replay_auction(rules: Any, public: Any, hidden: Any, game: Any, calls: Any, start: int) -> int:
    """Deal and auction of a recorded game; 0 or a fault.

    A game without calls is taken up after the auction that its columns tell.
    """
    hands_mask = game["forehand_mask"] | game["middlehand_mask"] | game["rearhand_mask"]
    if (
        popcount(int64(game["forehand_mask"])) != 10
        or popcount(int64(game["middlehand_mask"])) != 10
        or popcount(int64(game["rearhand_mask"])) != 10
        or popcount(int64(hands_mask)) != 30
        or int64(hands_mask) ^ ALL_MASK != int64(game["skat_mask"])
    ):
        return FAULT_DEAL
    reset(public)
    place(
        hidden,
        int64(game["forehand_mask"]),
        int64(game["middlehand_mask"]),
        int64(game["rearhand_mask"]),
    )
    is_ramsch_round = 1 if game["house_flags"] & HOUSE_RAMSCH_ROUND else 0
    start_house_deal(rules, public, int64(game["bock_factor"]), is_ramsch_round)
    count = int64(game["call_end"]) - start
    for i in range(count):
        fault = apply_call(rules, public, int64(calls[start + i]), 1)
        if fault != 0:
            return fault + POSITION * i
    if public["phase"] > PHASE_OVER or is_ramsch_round:
        return 0
    if count == 0 and game["contract"] == RAMSCH:
        start_ramsch(rules, public)
        return 0
    if count == 0 and game["declarer_seat"] >= 0:
        for seat in range(3):
            public["limits"][seat] = BID_LEAST  # nobody knows who did not say it
        public["declarer"] = game["declarer_seat"]
        public["bid_value"] = game["bid_value"]
        public["phase"] = PHASE_PICK_UP
        public["seat"] = game["declarer_seat"]
    elif count == 0 and game["end_reason"] == END_PASSED_IN:
        public["phase"] = PHASE_OVER
    if public["declarer"] != game["declarer_seat"]:
        return FAULT_DECLARER + POSITION * count
    if game["declarer_seat"] >= 0 and public["bid_value"] != game["bid_value"]:
        return FAULT_BID + POSITION * count
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE))
def replay_declaration(rules: Any, public: Any, hidden: Any, game: Any) -> int:
    """Pick-up, discard and announcement of a recorded game; 0 or a fault."""
    contract = int64(game["contract"])
    announcements = (
        int64(game["is_hand"])
        | (int64(game["is_schneider_announced"]) << 1)
        | (int64(game["is_schwarz_announced"]) << 2)
        | (int64(game["is_ouvert"]) << 3)
    )
    apply_pick_up(public, hidden, int64(game["is_skat_taken"]))
    discard = int64(game["discard_mask"])
    if game["is_skat_taken"] and discard == 0 and game["played"][0] == UNPLAYED:
        # the game ended between the announcement and the discard
        public["contract"] = contract
        public["is_hand"] = game["is_hand"]
        public["is_schneider_announced"] = game["is_schneider_announced"]
        public["is_schwarz_announced"] = game["is_schwarz_announced"]
        public["is_ouvert"] = game["is_ouvert"]
        public["trump_mask"] = trump_mask(contract)
        public["phase"] = PHASE_PLAY
        return 0
    low, high = 0, 0
    if discard != 0:
        low = lowest_bit(discard)
        high = lowest_bit(discard & (discard - 1)) & 31
    action = declaration(contract, announcements, low, high)
    flags = int64(game["house_flags"])
    action |= (1 if flags & HOUSE_SPITZE else 0) << SPITZE_BIT
    action |= (1 if flags & HOUSE_REVOLUTION else 0) << REVOLUTION_BIT
    return apply_declaration(rules, public, hidden, action, 0)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE, CALLS_TYPE, int64))
def replay_game(rules: Any, public: Any, hidden: Any, game: Any, calls: Any, start: int) -> int:
    """Replay one recorded game on the row; 0, or a fault with its position."""
    fault = replay_auction(rules, public, hidden, game, calls, start)
    if fault != 0:
        return fault
    if game["contract"] < 0 and game["end_reason"] == END_POLICY_FAULT:
        if game["is_skat_taken"]:
            apply_pick_up(public, hidden, 1)
        return 0 if game["played"][0] == UNPLAYED else FAULT_END
    has_house = rules["has_house_decisions"]
    if has_house:
        fault = replay_house(rules, public, hidden, game)
        if fault != 0:
            return fault
        if public["declarer"] != game["declarer_seat"]:
            return FAULT_DECLARER
    if game["contract"] < 0:
        if game["end_reason"] == END_PASSED_IN and public["phase"] != PHASE_OVER:
            return FAULT_END
        if game["end_reason"] <= 1 or game["played"][0] != UNPLAYED:
            return FAULT_END
        return 0
    is_over = public["phase"] == PHASE_OVER and public["contract"] < 0
    if public["phase"] == PHASE_AUCTION or is_over:
        return FAULT_DECLARER
    if public["phase"] == PHASE_PICK_UP:
        fault = replay_declaration(rules, public, hidden, game)
        if fault == 0 and has_house:
            fault = replay_house(rules, public, hidden, game)
        if fault != 0:
            return fault
    elif public["contract"] != game["contract"]:
        return FAULT_END
    i = 0
    while i < 30:
        card = int64(game["played"][i])
        if card == UNPLAYED or card == UNKNOWN_CARD:
            break
        if public["phase"] != PHASE_PLAY:
            return FAULT_AFTER_END + POSITION * i
        if apply_card(public, hidden, card) != 0:
            return FAULT_CARD + POSITION * i
        i += 1
        if has_house and i < 3 and replay_house(rules, public, hidden, game) != 0:
            return FAULT_HOUSE + POSITION * i
    if house_fault(public, hidden, game) != 0:
        return FAULT_HOUSE + POSITION * i
    for j in range(i + 1, 30):
        if game["played"][j] < UNKNOWN_CARD:
            return FAULT_AFTER_END + POSITION * j
    if game["end_reason"] == END_TEN_TRICKS and public["trick_count"] != 10:
        return FAULT_END + POSITION * i
    if game["end_reason"] == END_PASSED_IN:
        return FAULT_END + POSITION * i
    if game["contract"] == RAMSCH and public["trick_count"] != 10 and game["end_reason"] <= 1:
        return FAULT_END + POSITION * i
    return 0


@kernel(
    types.void(
        RULES_TYPE,
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(HIDDEN_TYPE, 1, "C"),
        GAMES_TYPE,
        CALLS_TYPE,
        GAMES_TYPE,
        types.Array(int64, 1, "C"),
    )
)
def replay_games(
    rules: Any,
    public_rows: Any,
    hidden_rows: Any,
    games: Any,
    calls: Any,
    replayed: Any,
    faults: Any,
) -> None:
    """Replay a block of recorded games and write all that follows from them.

    Of `games` only the primary fields are read: the cards, the bid value and the declarer,
    the declaration, the discard, the cards played, how the game ended and what was awarded.
    Sound games are written whole to the same place of `replayed`; `faults` (int64) gets 0
    or the number of what is wrong with its position.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    start = 0
    for i in range(len(games)):
        game = games[i]
        fault = replay_game(rules, public, hidden, game, calls, start)
        faults[i] = fault
        if fault == 0:
            store(
                rules, public, hidden, replayed[i], int64(game["end_reason"]), int64(game["award"])
            )
            count = 0
            for j in range(30):
                card = game["played"][j]
                replayed[i]["played"][j] = card
                count += 1 if card != UNPLAYED else 0
            replayed[i]["play_count"] = count
            if game["declarer_seat"] < 0:
                replayed[i]["bid_value"] = 0  # no declarer has to reach it
            if game["end_reason"] == END_POLICY_FAULT:
                replayed[i]["score"] = 0
        replayed[i]["call_end"] = game["call_end"]
        start = int64(game["call_end"])


LANE_0 = 0xA0761D6478BD642F
LANE_1 = 0xE7037ED1A0B428DB


@kernel(types.UniTuple(int64, 2)(int64, int64, int64, int64))
def _absorb(h0: int, h1: int, a: int, b: int) -> tuple[int, int]:
    x = unsigned(a) ^ unsigned(h0) ^ unsigned(LANE_0)
    y = unsigned(b) ^ unsigned(h1) ^ unsigned(LANE_1)
    low = multiply_low(x, y)
    high = multiply_high(x, y)
    return signed(add(low, unsigned(h1))), signed(high ^ add(unsigned(h0), unsigned(a)))


@kernel(types.UniTuple(int64, 2)(GAMES_TYPE, CALLS_TYPE))
def digest_games(games: Any, calls: Any) -> tuple[int, int]:
    """Sum modulo 2^128 of a 128-bit hash of each game, as its upper and lower half.

    Hashed are the deal, the auction, the declaration, the discard, the cards played, the end,
    and what was said and pushed under house rules, if anything; neither numbers, names nor
    results. The sum is free of order.
    """
    total_high, total_low = unsigned(0), unsigned(0)
    start = 0
    for i in range(len(games)):
        game = games[i]
        end = int64(game["call_end"])
        h0, h1 = 0, end - start
        h0, h1 = _absorb(
            h0,
            h1,
            int64(game["forehand_mask"]) | (int64(game["middlehand_mask"]) << 31),
            int64(game["rearhand_mask"]) | ((int64(game["middlehand_mask"]) >> 31) << 32),
        )
        declared = (
            (int64(game["contract"]) + 1)
            | ((int64(game["declarer_seat"]) + 1) << 4)
            | (int64(game["is_skat_taken"]) << 8)
            | (int64(game["is_hand"]) << 9)
            | (int64(game["is_schneider_announced"]) << 10)
            | (int64(game["is_schwarz_announced"]) << 11)
            | (int64(game["is_ouvert"]) << 12)
            | (int64(game["end_reason"]) << 16)
            | (int64(game["award"]) << 24)
            | (int64(game["bid_value"]) << 32)
        )
        h0, h1 = _absorb(h0, h1, int64(game["discard_mask"]), declared)
        for j in range(start, end, 4):
            word = 0
            for k in range(min(4, end - j)):
                word |= int64(calls[j + k]) << (15 * k)
            h0, h1 = _absorb(h0, h1, word, j - start)
        for j in range(0, 30, 15):
            first, second = 0, 0
            for k in range(7):
                first |= int64(game["played"][j + k]) << (8 * k)
                second |= int64(game["played"][j + 7 + k]) << (8 * k)
            h0, h1 = _absorb(h0, h1, first, second)
            h0, h1 = _absorb(h0, h1, int64(game["played"][j + 14]), j)
        pushes = int64(game["forehand_push_mask"]) | int64(game["middlehand_push_mask"])
        pushes |= int64(game["rearhand_push_mask"]) | int64(game["resort_mask"])
        said = (
            int64(game["house_flags"])
            | (int64(game["kontra_count"]) << 8)
            | (int64(game["kontra_seat"]) << 16)
            | (int64(game["knocks"]) << 24)
        )
        if pushes != 0 or said != 0:
            h0, h1 = _absorb(
                h0, h1, int64(game["forehand_push_mask"]) | (said << 32), int64(game["resort_mask"])
            )
            h0, h1 = _absorb(
                h0, h1, int64(game["middlehand_push_mask"]), int64(game["rearhand_push_mask"])
            )
        low = mix(unsigned(h0))
        high = mix(unsigned(h1) ^ low)
        total_low = add(total_low, low)
        carry = unsigned(1) if total_low < low else unsigned(0)
        total_high = add(add(total_high, high), carry)
        start = end
    return signed(total_high), signed(total_low)
