"""The hand in play: its row, and the referee that moves it on.

A row is a `PUBLIC` record (what every seat knows) and a `HIDDEN` one (the cards). A policy
gets the public record, its own cards, its own skat, the legal cards and a random word, and
returns an action; hidden cards are not among its arguments.

Actions are integers:

- in the auction a *call*: 0 pass, 1 hold, 2 play (forehand alone), or a bid value;
- at the pick-up 1 to take the skat, 0 not to;
- at the declaration `declaration(contract, announcements, low, high)`;
- in play the card.
"""

from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from skatsim.kernels.bits import popcount
from skatsim.kernels.cards import ALL_MASK, CLASS, FOLLOW_MASK, NULL, POINTS, trump_mask
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import game_key, philox_block, signed, unsigned
from skatsim.kernels.rules import (
    BID_INDEX,
    FAULT_DISCARD,
    RULES_TYPE,
    beats,
    declaration_fault,
    legal_mask,
)

PHASE_AUCTION, PHASE_PICK_UP, PHASE_DECLARE, PHASE_PLAY, PHASE_OVER = range(5)

AUCTION_SAY_1, AUCTION_ANSWER_1, AUCTION_SAY_2, AUCTION_ANSWER_2, AUCTION_ALONE = range(5)

CALL_PASS, CALL_HOLD, CALL_PLAY = range(3)

BID_LEAST = 18
MAX_CALLS = 132  # 63 bids, 63 answers, 3 passes, rounded up

IS_HAND, IS_SCHNEIDER_ANNOUNCED, IS_SCHWARZ_ANNOUNCED, IS_OUVERT = 1, 2, 4, 8

UNPLAYED = 255
UNKNOWN_CARD = 254
NO_WINNERS = 0xFFFFF  # ten tricks, two bits each, 3 for not completed

FAULT_SEAT = 20
FAULT_CALL = 21
FAULT_CARD = 22
FAULT_PHASE = 23

PUBLIC = np.dtype(
    [
        ("phase", np.int64),
        ("seat", np.int64),  # to act
        ("decision_count", np.int64),
        ("auction_state", np.int64),
        ("survivor", np.int64),  # of the first duel
        ("bid_value", np.int64),  # last value said, 0 before any
        ("limits", np.int64, (3,)),  # highest value each seat said or held, 0 for none
        ("call_count", np.int64),
        ("declarer", np.int64),  # -1 before the auction's end, or when passed in
        ("is_skat_taken", np.int64),
        ("contract", np.int64),  # -1 before the declaration
        ("is_hand", np.int64),
        ("is_schneider_announced", np.int64),
        ("is_schwarz_announced", np.int64),
        ("is_ouvert", np.int64),
        ("trump_mask", np.int64),
        ("open_mask", np.int64),  # the declarer's cards while they lie open, else 0
        ("trick_count", np.int64),  # tricks completed
        ("trick_size", np.int64),  # cards in the trick being played
        ("leader", np.int64),
        ("follow_mask", np.int64),  # the cards that follow the card led, 0 before the lead
        ("lead_class", np.int64),  # 0-3 suits, 4 trumps; meaningless before the lead
        ("best_card", np.int64),  # of the trick being played
        ("best_seat", np.int64),
        ("trick_mask", np.int64),
        ("trick_points", np.int64),
        ("played_mask", np.int64),
        ("void_classes", np.int64, (3,)),  # by seat: bit 0-3 suits, bit 4 trumps, shown in play
        ("declarer_points", np.int64),  # card points in the declarer's tricks
        ("declarer_trick_count", np.int64),
        ("defender_points", np.int64),
        ("play_count", np.int64),
        ("trick_winners", np.int64),
        ("calls", np.uint16, (MAX_CALLS,)),
        ("played", np.uint8, (30,)),
    ],
    align=True,
)
PUBLIC_TYPE = from_dtype(PUBLIC)

HIDDEN = np.dtype(
    [
        ("key", np.int64),
        ("hands", np.int64, (3,)),  # as they are now
        ("dealt", np.int64, (3,)),
        ("skat_mask", np.int64),  # as dealt
        ("discard_mask", np.int64),  # laid away, 0 when no skat was taken
        ("bid_limits", np.int64, (3,)),  # a compiled policy's own, by seat; -1 not yet thought of
        ("cards", np.uint8, (32,)),
    ],
    align=True,
)
HIDDEN_TYPE = from_dtype(HIDDEN)

PARAMETER_COUNT = 16

PLAYER = np.dtype(
    [
        ("policy", np.int64),  # which policy decides (see `skatsim.kernels.engine`)
        ("parameters", np.float64, (PARAMETER_COUNT,)),  # what they mean is the policy's own
    ],
    align=True,
)
PLAYER_TYPE = from_dtype(PLAYER)
"""Who takes one kind of decision at one seat: a table has one for each of seat and decision."""


@kernel(int64(int64, int64, int64, int64))
def declaration(contract: int, announcements: int, low: int, high: int) -> int:
    """A declaration as one integer; `low` and `high` are the discards (0, 0 without)."""
    return contract | (announcements << 3) | (low << 7) | (high << 12)


@kernel(types.void(PUBLIC_TYPE), forceinline=True)
def reset(public: Any) -> None:
    """An empty table before the first call."""
    public["phase"] = PHASE_AUCTION
    public["seat"] = 1
    public["decision_count"] = 0
    public["auction_state"] = AUCTION_SAY_1
    public["survivor"] = 0
    public["bid_value"] = 0
    public["call_count"] = 0
    public["declarer"] = -1
    public["is_skat_taken"] = 0
    public["contract"] = -1
    public["is_hand"] = 0
    public["is_schneider_announced"] = 0
    public["is_schwarz_announced"] = 0
    public["is_ouvert"] = 0
    public["trump_mask"] = 0
    public["open_mask"] = 0
    public["trick_count"] = 0
    public["trick_size"] = 0
    public["leader"] = 0
    public["follow_mask"] = 0
    public["lead_class"] = 0
    public["best_card"] = -1
    public["best_seat"] = -1
    public["trick_mask"] = 0
    public["trick_points"] = 0
    public["played_mask"] = 0
    public["declarer_points"] = 0
    public["declarer_trick_count"] = 0
    public["defender_points"] = 0
    public["play_count"] = 0
    public["trick_winners"] = NO_WINNERS
    for seat in range(3):
        public["limits"][seat] = 0
        public["void_classes"][seat] = 0
    for i in range(30):
        public["played"][i] = UNPLAYED


@kernel(types.void(HIDDEN_TYPE, int64, int64, int64), forceinline=True)
def place(hidden: Any, forehand_mask: int, middlehand_mask: int, rearhand_mask: int) -> None:
    """Put given hands on the table."""
    hidden["hands"][0] = hidden["dealt"][0] = forehand_mask
    hidden["hands"][1] = hidden["dealt"][1] = middlehand_mask
    hidden["hands"][2] = hidden["dealt"][2] = rearhand_mask
    hidden["skat_mask"] = ALL_MASK & ~(forehand_mask | middlehand_mask | rearhand_mask)
    hidden["discard_mask"] = 0
    for seat in range(3):
        hidden["bid_limits"][seat] = -1


@kernel(types.void(HIDDEN_TYPE, int64, int64, int64), forceinline=True)
def shuffle(hidden: Any, seed: int, stream: int, game: int) -> None:
    """Put the cards 0..31 into ``hidden["cards"]`` in a random order.

    Fisher-Yates from the top; 32-bit halves of the Philox words, low half first; Lemire's
    multiplication with rejection, so that every order is equally likely.
    """
    cards = hidden["cards"]
    for i in range(32):
        cards[i] = i
    block = 0
    w0, w1, w2, w3 = unsigned(0), unsigned(0), unsigned(0), unsigned(0)
    used = 8
    for i in range(31, 0, -1):
        bound = i + 1
        while True:
            if used == 8:
                block += 1
                w0, w1, w2, w3 = philox_block(
                    unsigned(seed), unsigned(stream), unsigned(game), unsigned(block)
                )
                used = 0
            half = signed(w0 & unsigned(0xFFFFFFFF))
            w0 = w0 >> unsigned(32)
            used += 1
            if used & 1 == 0:
                w0, w1, w2 = w1, w2, w3
            product = half * bound
            low = product & 0xFFFFFFFF
            if low >= bound or low >= (0x100000000 - bound) % bound:
                break
        j = product >> 32
        cards[i], cards[j] = cards[j], cards[i]


@kernel(types.void(PUBLIC_TYPE, HIDDEN_TYPE, int64, int64), forceinline=True)
def deal(public: Any, hidden: Any, seed: int, game: int) -> None:
    """Game `game` of a seed: shuffled, dealt, ready for the first call."""
    reset(public)
    hidden["key"] = game_key(seed, game)
    shuffle(hidden, seed, 0, game)
    cards = hidden["cards"]
    forehand = middlehand = rearhand = 0
    for i in range(10):
        forehand |= 1 << int(cards[i])
        middlehand |= 1 << int(cards[10 + i])
        rearhand |= 1 << int(cards[20 + i])
    place(hidden, forehand, middlehand, rearhand)


@kernel(types.void(PUBLIC_TYPE, int64))
def _end_auction(public: Any, declarer: int) -> None:
    public["declarer"] = declarer
    if declarer < 0:
        public["phase"] = PHASE_OVER
        public["seat"] = -1
    else:
        public["phase"] = PHASE_PICK_UP
        public["seat"] = declarer


@kernel(int64(PUBLIC_TYPE, int64, int64), forceinline=True)
def apply_call(public: Any, call: int, is_any_value_legal: int) -> int:
    """One call of the seat to act; 0, or the number of the fault (RULES 3.2).

    With `is_any_value_legal` a bid need not be one of the 63 values (recorded games).
    """
    if public["phase"] != PHASE_AUCTION:
        return FAULT_PHASE
    seat = public["seat"]
    state = public["auction_state"]
    current = public["bid_value"]
    is_saying = state == AUCTION_SAY_1 or state == AUCTION_SAY_2
    if call >= 10:
        # forehand alone need not name more than 18, but some records say he did
        is_alone = state == AUCTION_ALONE and is_any_value_legal and call >= BID_LEAST
        if not (is_saying or is_alone) or call <= current or call >= 500:
            return FAULT_CALL
        if not is_any_value_legal and BID_INDEX[call] < 0:
            return FAULT_CALL
    elif call == CALL_HOLD:
        if is_saying or state == AUCTION_ALONE:
            return FAULT_CALL
    elif call == CALL_PLAY:
        if state != AUCTION_ALONE:
            return FAULT_CALL
    elif call != CALL_PASS:
        return FAULT_CALL
    if public["call_count"] >= MAX_CALLS:
        return FAULT_CALL
    public["calls"][public["call_count"]] = call
    public["call_count"] += 1
    public["decision_count"] += 1
    if call >= 10:
        public["bid_value"] = call
        public["limits"][seat] = call
        if state == AUCTION_ALONE:
            _end_auction(public, 0)
            return 0
        public["auction_state"] = state + 1
        public["seat"] = 0 if state == AUCTION_SAY_1 else public["survivor"]
    elif call == CALL_HOLD:
        public["limits"][seat] = current
        public["auction_state"] = state - 1
        public["seat"] = 1 if state == AUCTION_ANSWER_1 else 2
    elif call == CALL_PLAY:
        public["bid_value"] = BID_LEAST
        public["limits"][0] = BID_LEAST
        _end_auction(public, 0)
    elif state == AUCTION_SAY_1 or state == AUCTION_ANSWER_1:
        public["survivor"] = 0 if state == AUCTION_SAY_1 else 1
        public["auction_state"] = AUCTION_SAY_2
        public["seat"] = 2
    elif state == AUCTION_SAY_2:
        if current > 0:
            _end_auction(public, public["survivor"])
        else:
            public["auction_state"] = AUCTION_ALONE
            public["seat"] = 0
    elif state == AUCTION_ANSWER_2:
        _end_auction(public, 2)
    else:
        _end_auction(public, -1)
    return 0


@kernel(int64(PUBLIC_TYPE, HIDDEN_TYPE, int64))
def apply_pick_up(public: Any, hidden: Any, is_skat_taken: int) -> int:
    """The declarer takes the skat, or leaves it; 0, or the number of the fault (RULES 4.1)."""
    if public["phase"] != PHASE_PICK_UP:
        return FAULT_PHASE
    public["is_skat_taken"] = 1 if is_skat_taken else 0
    if is_skat_taken:
        hidden["hands"][public["declarer"]] |= hidden["skat_mask"]
    public["phase"] = PHASE_DECLARE
    public["decision_count"] += 1
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64, int64))
def apply_declaration(rules: Any, public: Any, hidden: Any, action: int, is_referee: int) -> int:
    """Discard and announcement; 0, or the number of the fault (RULES 4).

    Without `is_referee` the contract may be one that must not be declared at this bid
    (recorded games are settled by RULES 7.4); the discard is checked all the same.
    """
    if public["phase"] != PHASE_DECLARE:
        return FAULT_PHASE
    declarer = public["declarer"]
    contract = action & 7
    is_hand = (action >> 3) & 1
    is_schneider_announced = (action >> 4) & 1
    is_schwarz_announced = (action >> 5) & 1
    is_ouvert = (action >> 6) & 1
    hand = hidden["hands"][declarer]
    fault = declaration_fault(
        rules,
        contract,
        is_hand,
        is_schneider_announced,
        is_schwarz_announced,
        is_ouvert,
        public["is_skat_taken"],
        hand,
        public["bid_value"],
    )
    if fault != 0 and (is_referee or contract > NULL):
        return fault
    if public["is_skat_taken"]:
        discard = (1 << ((action >> 7) & 31)) | (1 << ((action >> 12) & 31))
        if discard & ~hand != 0 or popcount(discard) != 2:
            return FAULT_DISCARD
        hidden["discard_mask"] = discard
        hand &= ~discard
        hidden["hands"][declarer] = hand
    elif action >> 7 != 0:
        return FAULT_DISCARD
    public["contract"] = contract
    public["is_hand"] = is_hand
    public["is_schneider_announced"] = is_schneider_announced
    public["is_schwarz_announced"] = is_schwarz_announced
    public["is_ouvert"] = is_ouvert
    public["trump_mask"] = trump_mask(contract)
    public["open_mask"] = hand if is_ouvert else 0
    public["phase"] = PHASE_PLAY
    public["seat"] = 0
    public["decision_count"] += 1
    return 0


@kernel(int64(PUBLIC_TYPE, HIDDEN_TYPE), forceinline=True)
def legal_cards(public: Any, hidden: Any) -> int:
    """The cards the seat to act may play."""
    return legal_mask(hidden["hands"][public["seat"]], public["follow_mask"])


@kernel(types.void(PUBLIC_TYPE, HIDDEN_TYPE, int64), forceinline=True)
def play_card(public: Any, hidden: Any, card: int) -> None:
    """Put a legal card of the seat to act on the table (RULES 5)."""
    seat = public["seat"]
    contract = public["contract"]
    declarer = public["declarer"]
    bit = 1 << card
    hidden["hands"][seat] &= ~bit
    count = public["play_count"]
    public["played"][count] = card
    public["play_count"] = count + 1
    public["played_mask"] |= bit
    public["decision_count"] += 1
    if seat == declarer:
        public["open_mask"] &= ~bit
    points = public["trick_points"] + POINTS[card]
    size = public["trick_size"]
    if size == 0:
        public["follow_mask"] = FOLLOW_MASK[contract, card]
        public["lead_class"] = CLASS[contract, card]
        public["best_card"] = card
        public["best_seat"] = seat
        public["trick_mask"] = bit
    else:
        follow = public["follow_mask"]
        best = public["best_card"]
        best_seat = public["best_seat"]
        is_better = beats(contract, follow, card, best)
        public["best_card"] = card if is_better else best
        public["best_seat"] = seat if is_better else best_seat
        public["void_classes"][seat] |= (((follow >> card) & 1) ^ 1) << public["lead_class"]
        public["trick_mask"] |= bit
    if size < 2:
        public["trick_size"] = size + 1
        public["trick_points"] = points
        public["seat"] = seat + 1 if seat < 2 else 0
        return
    winner = public["best_seat"]
    number = public["trick_count"]
    public["trick_winners"] ^= (3 ^ winner) << (2 * number)
    public["trick_count"] = number + 1
    public["trick_size"] = 0
    public["trick_points"] = 0
    public["follow_mask"] = 0
    public["leader"] = winner
    public["seat"] = winner
    if winner == declarer:
        public["declarer_points"] += points
        public["declarer_trick_count"] += 1
        if contract == NULL:
            public["phase"] = PHASE_OVER
    else:
        public["defender_points"] += points
    if number == 9:
        public["phase"] = PHASE_OVER


@kernel(int64(PUBLIC_TYPE, HIDDEN_TYPE, int64))
def apply_card(public: Any, hidden: Any, card: int) -> int:
    """One card of the seat to act under the referee; 0, or the number of the fault."""
    if public["phase"] != PHASE_PLAY:
        return FAULT_PHASE
    if card < 0 or card > 31 or (legal_cards(public, hidden) >> card) & 1 == 0:
        return FAULT_CARD
    play_card(public, hidden, card)
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64), forceinline=True)
def apply_action(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """The action of the seat to act under the referee; 0, or the number of the fault."""
    phase = public["phase"]
    if phase == PHASE_PLAY:
        return apply_card(public, hidden, action)
    if phase == PHASE_AUCTION:
        return apply_call(public, action, 0)
    if phase == PHASE_PICK_UP:
        return apply_pick_up(public, hidden, action)
    return apply_declaration(rules, public, hidden, action, 1)
