"""The hand in play: its row, and the referee that moves it on.

A row is a `PUBLIC` record (what every seat knows) and a `HIDDEN` one (the cards). A policy
gets the public record, its own cards, its own skat, the legal cards and a random word, and
returns an action; hidden cards are not among its arguments.

Actions are integers:

- in the auction a *call*: 0 pass, 1 hold, 2 play (forehand alone), or a bid value;
- at the pick-up 1 to take the skat, 0 not to;
- at the declaration `declaration(contract, announcements, low, high)`;
- in play the card.

House rules ask more (`house_next` says what and when): Kontra and further steps 1 or 0; in a
round of Ramsch grand hand 1 or 0; the skat to be pushed, 1 to look at it, 0 to push it unseen,
then ``low | high << 5``; knocking 1 or 0; giving a game up 1 or 0, and accepting that; sharing
out the defenders' cards anew the mask of those for the first of them.
"""

from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from skatsim.kernels.bits import popcount
from skatsim.kernels.cards import (
    ALL_MASK,
    CLASS,
    FOLLOW_MASK,
    GRAND,
    JACK_MASK,
    NULL,
    POINTS,
    RAMSCH,
    trump_mask,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import game_key, philox_block, signed, unsigned
from skatsim.kernels.rules import (
    BID_FLOOR,
    BID_LIMIT,
    FAULT_DISCARD,
    FAULT_NO_HAND_GAMES,
    FAULT_NULL_BELOW_BID,
    FAULT_SPITZE,
    HOUSE_REVOLUTION,
    HOUSE_SCHENKEN_REFUSED,
    RULES_TYPE,
    beats,
    declaration_fault,
    legal_mask,
)

PHASE_AUCTION, PHASE_PICK_UP, PHASE_DECLARE, PHASE_PLAY, PHASE_OVER = range(5)

(
    PHASE_KONTRA,
    PHASE_GRAND_HAND,
    PHASE_LOOK,
    PHASE_PUSH,
    PHASE_KNOCK,
    PHASE_SCHENKEN,
    PHASE_ACCEPT,
    PHASE_RESORT,
) = range(5, 13)
"""What house rules ask: Kontra and further steps; grand hand instead of Ramsch; look at the
pushed skat, push two cards; knock; give the game up, accept that; share out cards anew."""

AUCTION_SAY_1, AUCTION_ANSWER_1, AUCTION_SAY_2, AUCTION_ANSWER_2, AUCTION_ALONE = range(5)

CALL_PASS, CALL_HOLD, CALL_PLAY = range(3)

BID_LEAST = 18
MAX_CALLS = 132  # 63 bids, 63 answers, 3 passes, rounded up

IS_HAND, IS_SCHNEIDER_ANNOUNCED, IS_SCHWARZ_ANNOUNCED, IS_OUVERT = 1, 2, 4, 8

HOUSE_SCHENKEN_ACCEPTED, HOUSE_RAMSCH_ROUND = 16, 32
"""Further bits of a game's house flags, beside those that `skatsim.kernels.rules.settle` reads."""

SPITZE_BIT, REVOLUTION_BIT = 17, 18
"""Where a declaration carries what only house rules know."""

UNPLAYED = 255
UNKNOWN_CARD = 254
NO_WINNERS = 0xFFFFF  # ten tricks, two bits each, 3 for not completed

FAULT_SEAT = 20
FAULT_CALL = 21
FAULT_CARD = 22
FAULT_PHASE = 23
FAULT_WROTE = 24  # a policy wrote to what it was shown
FAULT_RUNNING = 26  # not a fault: a policy is being asked
FAULT_NOT_RUN = 25  # a policy did not come to an answer: exception, time limit, no action at all

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
        ("house", np.int64),  # bits HOUSE_...
        ("bock_factor", np.int64),
        ("kontra_count", np.int64),  # steps said: 1 Kontra, 2 Re, ...
        ("kontra_seat", np.int64),  # who said Kontra
        ("asked", np.int64),  # seats that have answered the question of a phase, as bits
        ("unseen_pushes", np.int64),
        ("knocks", np.int64),  # seats, as bits
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
        ("pushes", np.int64, (3,)),  # the two cards a seat pushed on, 0 for the skat unseen
        ("pushed_mask", np.int64),  # the skat of a Ramsch as it lies now
        ("resort_mask", np.int64),  # cards of the first defender after a revolution, 0 without
        ("answer", np.int64),  # what a policy answered where it broke the rules
        ("cards", np.uint8, (32,)),
    ],
    align=True,
)
HIDDEN_TYPE = from_dtype(HIDDEN)

PARAMETER_COUNT = 16

PLAYER = np.dtype(
    [
        ("policy", np.int64),  # which policy decides (see `skatsim.kernels.engine`)
        ("address", np.int64),  # of a compiled plug-in (see `skatsim.kernels.plugin`), else 0
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
    public["house"] = 0
    public["bock_factor"] = 1
    public["kontra_count"] = 0
    public["kontra_seat"] = 0
    public["asked"] = 0
    public["unseen_pushes"] = 0
    public["knocks"] = 0
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
    hidden["pushed_mask"] = hidden["skat_mask"]
    hidden["resort_mask"] = 0
    for seat in range(3):
        hidden["bid_limits"][seat] = -1
        hidden["pushes"][seat] = 0


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


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64), forceinline=True)
def apply_call(rules: Any, public: Any, call: int, is_any_value_legal: int) -> int:
    """One call of the seat to act; 0, or the number of the fault (RULES 3.2).

    With `is_any_value_legal` a bid need not be a value that some game has (recorded games).
    """
    if public["phase"] != PHASE_AUCTION:
        return FAULT_PHASE
    seat = public["seat"]
    state = public["auction_state"]
    current = public["bid_value"]
    is_saying = state == AUCTION_SAY_1 or state == AUCTION_SAY_2
    if call >= BID_FLOOR:
        # forehand alone need not name more than 18, but some records say he did
        is_alone = state == AUCTION_ALONE and is_any_value_legal and call >= BID_LEAST
        if not (is_saying or is_alone) or call <= current or call >= BID_LIMIT:
            return FAULT_CALL
        if not is_any_value_legal and rules["bid_index"][call] < 0:
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
    if call >= BID_FLOOR:
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
        public["bid_value"] = rules["bid_least"]
        public["limits"][0] = rules["bid_least"]
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


@kernel(int64(int64))
def lowest_of_trumps(contract: int) -> int:
    """The lowest trump of a suit game or grand."""
    return 7 if contract == GRAND else 8 * contract


@kernel(int64(RULES_TYPE, int64, int64, int64))
def house_announcement_fault(rules: Any, action: int, is_skat_taken: int, hand_mask: int) -> int:
    """0, or the fault of a declaration's Spitze or Revolution (RULES 14.1, 14.2)."""
    contract = action & 7
    if (action >> SPITZE_BIT) & 1:
        if rules["spitze_levels"] == 0 or contract == NULL:
            return FAULT_SPITZE
        if (hand_mask >> lowest_of_trumps(contract)) & 1 == 0:
            return FAULT_SPITZE
    if (action >> REVOLUTION_BIT) & 1:
        is_null_ouvert_hand = contract == NULL and (action >> 3) & 9 == 9
        if rules["revolution_value"] == 0 or not is_null_ouvert_hand or is_skat_taken:
            return FAULT_SPITZE
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
    if (action >> REVOLUTION_BIT) & 1 and rules["revolution_value"] >= public["bid_value"]:
        fault = 0 if fault == FAULT_NULL_BELOW_BID else fault
    if fault == 0 and action >> SPITZE_BIT != 0:
        fault = house_announcement_fault(rules, action, public["is_skat_taken"], hand)
    if fault != 0 and (is_referee or contract > NULL):
        return fault
    house = (action >> SPITZE_BIT) & 1
    house |= HOUSE_REVOLUTION * ((action >> REVOLUTION_BIT) & 1)
    action &= (1 << SPITZE_BIT) - 1
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
    public["house"] |= house
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


@kernel(types.void(PUBLIC_TYPE, int64, int64))
def _ask(public: Any, phase: int, seat: int) -> None:
    public["phase"] = phase
    public["seat"] = seat


@kernel(types.void(PUBLIC_TYPE, int64))
def _begin_play(public: Any, contract: int) -> None:
    public["contract"] = contract
    public["trump_mask"] = trump_mask(contract)
    public["asked"] = 0
    _ask(public, PHASE_PLAY, 0)


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE))
def start_ramsch(rules: Any, public: Any) -> None:
    """All have passed, or the deal is one of a round of Ramsch: what is asked first (RULES 13)."""
    public["bid_value"] = 0
    if rules["is_ramsch_grand_hand"] and public["house"] & HOUSE_RAMSCH_ROUND:
        _ask(public, PHASE_GRAND_HAND, 0)
    elif rules["is_schieberamsch"]:
        _ask(public, PHASE_LOOK, 0)
    elif rules["is_klopfen"]:
        _ask(public, PHASE_KNOCK, 0)
    else:
        _begin_play(public, RAMSCH)


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, int64, int64))
def start_house_deal(rules: Any, public: Any, bock_factor: int, is_ramsch_round: int) -> None:
    """What a table has agreed on for a deal, before its first call (RULES 12, 13.1)."""
    public["bock_factor"] = max(bock_factor, 1)
    if is_ramsch_round or rules["ramsch_rounds"] == 2:
        public["house"] |= HOUSE_RAMSCH_ROUND
        start_ramsch(rules, public)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64))
def _may_say_kontra(rules: Any, public: Any, seat: int) -> int:
    """1 if a seat may still say Kontra, as far as the auction and its earlier answer say."""
    if (public["asked"] >> seat) & 1 or seat == public["declarer"]:
        return 0
    return 1 if rules["kontra_who"] == 0 or public["limits"][seat] >= BID_LEAST else 0


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def house_next(rules: Any, public: Any, hidden: Any) -> None:
    """After an action: put the question that a house rule asks now, if any does.

    Between two questions the row stands at PHASE_PLAY or PHASE_OVER as without house rules.
    """
    phase = public["phase"]
    declarer = public["declarer"]
    is_passed = phase == PHASE_OVER and declarer < 0 and public["contract"] < 0
    if is_passed and rules["all_pass"] == 1:
        start_ramsch(rules, public)
        phase = public["phase"]
    if phase != PHASE_PLAY or public["play_count"] > 2:
        return
    if declarer < 0 and not rules["is_kontra_in_ramsch"]:
        return
    if declarer >= 0 and public["play_count"] == 0:
        if public["house"] & HOUSE_REVOLUTION and hidden["resort_mask"] == 0:
            _ask(public, PHASE_RESORT, 1 if declarer == 0 else 0)
            return
        if rules["is_schenken"] and public["asked"] >> 3 == 0:
            _ask(public, PHASE_SCHENKEN, 1 if declarer == 0 else 0)
            return
    if rules["kontra_steps"] == 0 or public["kontra_count"] > 0:
        return
    if rules["kontra_when"] == 1:
        if public["play_count"] == 0:
            for seat in range(3):
                if _may_say_kontra(rules, public, seat):
                    _ask(public, PHASE_KONTRA, seat)
                    return
    elif _may_say_kontra(rules, public, public["seat"]):
        public["phase"] = PHASE_KONTRA


@kernel(types.void(PUBLIC_TYPE))
def _back_to_play(public: Any) -> None:
    seat = public["leader"] + public["trick_size"]
    _ask(public, PHASE_PLAY, seat if seat < 3 else seat - 3)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64))
def _apply_kontra(rules: Any, public: Any, is_said: int) -> int:
    seat = public["seat"]
    declarer = public["declarer"]
    count = public["kontra_count"]
    if count == 0:
        public["asked"] |= 1 << seat
        public["kontra_seat"] = seat if is_said else 0
    if is_said:
        count += 1
        public["kontra_count"] = count
        if count < rules["kontra_steps"] and declarer >= 0:
            public["seat"] = declarer if count & 1 else public["kontra_seat"]
            return 0
    _back_to_play(public)
    return 0


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, int64))
def _after_push(rules: Any, public: Any, seat: int) -> None:
    if seat < 2:
        _ask(public, PHASE_LOOK, seat + 1)
    elif rules["is_klopfen"]:
        _ask(public, PHASE_KNOCK, 0)
    else:
        _begin_play(public, RAMSCH)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64))
def _apply_push(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """Look at the skat or push it unseen; then two cards of the twelve (RULES 13.6)."""
    seat = public["seat"]
    if public["phase"] == PHASE_LOOK:
        if action:
            hidden["hands"][seat] |= hidden["pushed_mask"]
            public["phase"] = PHASE_PUSH
        else:
            public["unseen_pushes"] += 1
            _after_push(rules, public, seat)
        return 0
    cards = (1 << (action & 31)) | (1 << ((action >> 5) & 31))
    if action >> 10 != 0 or popcount(cards) != 2 or cards & ~hidden["hands"][seat] != 0:
        return FAULT_DISCARD
    if cards & JACK_MASK != 0 and not rules["is_pushing_jacks"]:
        return FAULT_DISCARD
    hidden["hands"][seat] &= ~cards
    hidden["pushes"][seat] = cards
    hidden["pushed_mask"] = cards
    hidden["discard_mask"] = cards
    _after_push(rules, public, seat)
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64))
def _apply_ramsch_question(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """Grand hand instead, or knocking."""
    seat = public["seat"]
    if public["phase"] == PHASE_GRAND_HAND:
        if action:
            public["declarer"] = seat
            public["is_hand"] = 1
            _begin_play(public, GRAND)
        elif seat < 2:
            public["seat"] = seat + 1
        elif rules["is_schieberamsch"]:
            _ask(public, PHASE_LOOK, 0)
        elif rules["is_klopfen"]:
            _ask(public, PHASE_KNOCK, 0)
        else:
            _begin_play(public, RAMSCH)
        return 0
    public["knocks"] |= (1 << seat) if action else 0
    if seat < 2:
        public["seat"] = seat + 1
    else:
        _begin_play(public, RAMSCH)
    return 0


@kernel(int64(PUBLIC_TYPE, int64))
def _apply_schenken(public: Any, action: int) -> int:
    """A defender gives the game up, or not; the declarer accepts, or not (RULES 14.3)."""
    seat = public["seat"]
    declarer = public["declarer"]
    if public["phase"] == PHASE_ACCEPT:
        public["asked"] |= 8
        public["house"] |= HOUSE_SCHENKEN_ACCEPTED if action else HOUSE_SCHENKEN_REFUSED
        if action:
            _ask(public, PHASE_OVER, -1)
        else:
            _back_to_play(public)
        return 0
    second = 1 if declarer == 2 else 2
    if action == 0:
        public["asked"] |= 8
        _back_to_play(public)
    elif seat == second:
        _ask(public, PHASE_ACCEPT, declarer)
    else:
        public["seat"] = second
    return 0


@kernel(int64(PUBLIC_TYPE, HIDDEN_TYPE, int64))
def _apply_resort(public: Any, hidden: Any, cards_mask: int) -> int:
    """The defenders share out their twenty cards anew (RULES 14.2)."""
    seat = public["seat"]
    second = 3 - seat - public["declarer"]
    both = hidden["hands"][seat] | hidden["hands"][second]
    if cards_mask & ~both != 0 or popcount(cards_mask) != 10:
        return FAULT_DISCARD
    hidden["hands"][seat] = cards_mask
    hidden["hands"][second] = both & ~cards_mask
    hidden["resort_mask"] = cards_mask
    _back_to_play(public)
    return 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64))
def apply_house(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """The answer to a question of a house rule; 0, or the number of the fault."""
    phase = public["phase"]
    if phase == PHASE_RESORT:
        fault = _apply_resort(public, hidden, action)
    elif phase == PHASE_PUSH:
        fault = _apply_push(rules, public, hidden, action)
    elif action != 0 and action != 1:
        return FAULT_CALL
    elif phase == PHASE_KONTRA:
        fault = _apply_kontra(rules, public, action)
    elif phase == PHASE_LOOK:
        fault = _apply_push(rules, public, hidden, action)
    elif phase == PHASE_GRAND_HAND or phase == PHASE_KNOCK:
        fault = _apply_ramsch_question(rules, public, hidden, action)
    elif phase == PHASE_SCHENKEN or phase == PHASE_ACCEPT:
        fault = _apply_schenken(public, action)
    else:
        return FAULT_PHASE
    public["decision_count"] += 1 if fault == 0 else 0
    return fault


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64), forceinline=True)
def apply_before_play(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """An action up to the declaration, without house rules; 0, or the number of the fault."""
    phase = public["phase"]
    if phase == PHASE_AUCTION:
        return apply_call(rules, public, action, 0)
    if phase == PHASE_PICK_UP:
        return apply_pick_up(public, hidden, action)
    return apply_declaration(rules, public, hidden, action, 1)


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64))
def apply_action(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """The action of the seat to act under the referee; 0, or the number of the fault."""
    phase = public["phase"]
    if phase == PHASE_PLAY:
        fault = apply_card(public, hidden, action)
    elif phase > PHASE_OVER:
        fault = apply_house(rules, public, hidden, action)
    elif phase == PHASE_PICK_UP and action == 0 and rules["is_skat_always_taken"]:
        return FAULT_NO_HAND_GAMES
    else:
        fault = apply_before_play(rules, public, hidden, action)
    if fault == 0 and rules["has_house_decisions"]:
        house_next(rules, public, hidden)
    return fault
