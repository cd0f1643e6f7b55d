"""Games played from the deal to the stored row.

`advance` runs a row until the hand is over or until a seat must decide whose policy is not
compiled; then the caller answers with `skatsim.kernels.table.apply_action` and calls again.
"""

from typing import Any

from numba import int64, types

from skatsim.kernels.bits import lowest_bit, popcount
from skatsim.kernels.cards import JACK_MASK, NULL, POINTS, RAMSCH, mask_points
from skatsim.kernels.columns import (
    CALLS_TYPE,
    END_CONCEDED,
    END_DECIDED_EARLY,
    END_PASSED_IN,
    END_TEN_TRICKS,
    GAME_TYPE,
    GAMES_TYPE,
)
from skatsim.kernels.counts import counted_limit
from skatsim.kernels.heuristic import (
    heuristic_call,
    heuristic_card,
    heuristic_declaration,
    heuristic_limit,
    heuristic_pick_up,
)
from skatsim.kernels.house import heuristic_house, ramsch_card, uniform_house
from skatsim.kernels.jit import kernel
from skatsim.kernels.plugin import POLICY_PLUGIN, WROTE, plugin_action
from skatsim.kernels.random import decision_word
from skatsim.kernels.rules import (
    AWARD_CONCEDED,
    AWARD_DECLARER,
    AWARD_GRANTED,
    AWARD_NONE,
    HOUSE_SCHNEIDER_POSSIBLE,
    HOUSE_SCHWARZ_POSSIBLE,
    HOUSE_SPITZE,
    HOUSE_SPITZE_MADE,
    RULES_TYPE,
    matadors,
    power,
    settle,
    settle_ramsch,
)
from skatsim.kernels.table import (
    FAULT_CARD,
    FAULT_WROTE,
    HIDDEN_TYPE,
    HOUSE_SCHENKEN_ACCEPTED,
    PHASE_AUCTION,
    PHASE_DECLARE,
    PHASE_KONTRA,
    PHASE_OVER,
    PHASE_PICK_UP,
    PHASE_PLAY,
    PHASE_PUSH,
    PHASE_RESORT,
    PHASE_SCHENKEN,
    PLAYER_TYPE,
    PUBLIC_TYPE,
    apply_action,
    apply_before_play,
    deal,
    legal_cards,
    lowest_of_trumps,
    play_card,
    start_house_deal,
)
from skatsim.kernels.uniform import uniform_call, uniform_card, uniform_declaration

POLICY_EXTERNAL, POLICY_UNIFORM, POLICY_HEURISTIC = range(3)

POLICY_COUNTS = 16
"""Number of the first policy that bids by a count; all else it does is the heuristic's."""

DECISION_BIDDING, DECISION_DECLARING, DECISION_PLAY = range(3)

KONTRA_PLAYER = 9
"""Number of the player who decides on Kontra and the like at forehand; the others follow."""

PLAYERS_TYPE = types.Array(PLAYER_TYPE, 1, "C")
"""Twelve players, of dtype `PLAYER`: that of a seat's decision is number ``3 * seat + decision``,
that of its house calls KONTRA_PLAYER + seat."""

NOTHING = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

FAULT_PLACE = 1000
"""A fault in a block is its number plus this times the place of the game in the block."""

ADVANCE_OVER = 0
ADVANCE_WAITING = -1
"""What `advance` returns beside the numbers of faults, which are positive."""


@kernel(types.UniTuple(int64, 4)(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def shown_cards(rules: Any, public: Any, hidden: Any) -> tuple[int, int, int, int]:
    """What the seat to act is shown beside the public record, whoever decides for it.

    Its hand; the skat or what it laid away or pushed on itself, as far as it knows; the cards it
    may choose from (to play, to lay away, to push on, to share out); its random word.
    """
    seat, phase = public["seat"], public["phase"]
    hand_mask = hidden["hands"][seat]
    skat_mask, legal_mask = 0, 0
    if phase == PHASE_PLAY:
        legal_mask = legal_cards(public, hidden)
    if phase == PHASE_DECLARE:
        if public["is_skat_taken"]:
            skat_mask, legal_mask = hidden["skat_mask"], hand_mask
    elif phase == PHASE_PUSH:
        skat_mask = hidden["pushed_mask"]
        legal_mask = hand_mask if rules["is_pushing_jacks"] else hand_mask & ~JACK_MASK
    elif phase == PHASE_RESORT:
        legal_mask = hand_mask | hidden["hands"][3 - seat - public["declarer"]]
    elif seat == public["declarer"]:
        skat_mask = hidden["discard_mask"]
    elif public["declarer"] < 0:
        skat_mask = hidden["pushes"][seat]
    word = decision_word(hidden["key"], public["decision_count"])
    return hand_mask, skat_mask, legal_mask, word


@kernel(int64(RULES_TYPE, PLAYER_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def decide_by_plugin(rules: Any, player: Any, public: Any, hidden: Any) -> int:
    """The action of a compiled plug-in for the seat to act."""
    hand_mask, skat_mask, legal_mask, word = shown_cards(rules, public, hidden)
    return plugin_action(rules, player, public, hand_mask, skat_mask, legal_mask, word)


@kernel(int64(HIDDEN_TYPE, int64, int64))
def faulty(hidden: Any, action: int, fault: int) -> int:
    """The number of the fault of an answer, which is kept for the message."""
    hidden["answer"] = action
    return FAULT_WROTE if action == WROTE else fault


@kernel(int64(RULES_TYPE, PLAYER_TYPE, PUBLIC_TYPE, HIDDEN_TYPE), forceinline=True)
def decide_before_play(rules: Any, player: Any, public: Any, hidden: Any) -> int:
    """The action of a compiled policy for the seat to act, up to the declaration.

    A policy is given the public record, its own cards, the skat it knows, and random bits.
    """
    seat = public["seat"]
    phase = public["phase"]
    hand_mask = hidden["hands"][seat]
    is_uniform = player["policy"] == POLICY_UNIFORM
    word = decision_word(hidden["key"], public["decision_count"]) if is_uniform else 0
    if phase == PHASE_PICK_UP and rules["is_skat_always_taken"]:
        return 1
    if player["policy"] == POLICY_PLUGIN:
        return decide_by_plugin(rules, player, public, hidden)
    if phase == PHASE_AUCTION:
        if is_uniform:
            return uniform_call(rules, public, word)
        limits = hidden["bid_limits"]
        if limits[seat] < 0:
            count = player["policy"] - POLICY_COUNTS
            if count < 0:
                limits[seat] = heuristic_limit(rules, seat, hand_mask, player)
            else:
                limits[seat] = counted_limit(rules, count, seat, hand_mask, player)
        return heuristic_call(rules, public, limits[seat])
    if phase == PHASE_PICK_UP:
        if is_uniform:
            return word & 1
        return heuristic_pick_up(rules, public, hand_mask, player)
    if is_uniform:
        return uniform_declaration(rules, public, hand_mask, word)
    skat_mask = hidden["skat_mask"] if public["is_skat_taken"] else 0
    return heuristic_declaration(rules, public, hand_mask, skat_mask, player)


@kernel(int64(RULES_TYPE, PLAYER_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64), forceinline=True)
def decide_card(rules: Any, player: Any, public: Any, hidden: Any, legal_mask: int) -> int:
    """The card of a compiled policy for the seat to act."""
    if player["policy"] == POLICY_UNIFORM:
        return uniform_card(legal_mask, decision_word(hidden["key"], public["decision_count"]))
    if player["policy"] == POLICY_PLUGIN:
        return decide_by_plugin(rules, player, public, hidden)
    seat = public["seat"]
    if public["contract"] == RAMSCH:
        return ramsch_card(public, hidden["hands"][seat], legal_mask)
    skat_mask = hidden["discard_mask"] if seat == public["declarer"] else 0
    return heuristic_card(public, hidden["hands"][seat], skat_mask, legal_mask, player)


@kernel(int64(RULES_TYPE, PLAYER_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def decide_house(rules: Any, player: Any, public: Any, hidden: Any) -> int:
    """The answer of a compiled policy to a question of a house rule.

    It is given its own cards, and after a revolution its partner's, as both see them.
    """
    if player["policy"] == POLICY_PLUGIN:
        return decide_by_plugin(rules, player, public, hidden)
    seat = public["seat"]
    hand_mask = hidden["hands"][seat]
    word = decision_word(hidden["key"], public["decision_count"])
    partner_mask = 0
    if public["phase"] == PHASE_RESORT:
        partner_mask = hidden["hands"][3 - seat - public["declarer"]]
    if player["policy"] == POLICY_UNIFORM:
        return uniform_house(rules, public, hand_mask, partner_mask, word)
    skat_mask = hidden["discard_mask"] if seat == public["declarer"] else 0
    return heuristic_house(rules, public, hand_mask, skat_mask, player)


@kernel(int64(int64, int64))
def player_number(phase: int, seat: int) -> int:
    """The number of the player who decides in a phase."""
    if phase == PHASE_AUCTION:
        return 3 * seat + DECISION_BIDDING
    if phase == PHASE_PLAY:
        return 3 * seat + DECISION_PLAY
    if phase == PHASE_KONTRA or phase >= PHASE_SCHENKEN:
        return KONTRA_PLAYER + seat
    return 3 * seat + DECISION_DECLARING


@kernel(int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE))
def advance_house(rules: Any, players: Any, public: Any, hidden: Any) -> int:
    """Run the row on until house rules ask nothing more, or a seat is waited for.

    Returns ADVANCE_OVER when the rest can be run as without house rules.
    """
    while public["phase"] != PHASE_OVER:
        phase, seat = public["phase"], public["seat"]
        if phase == PHASE_PLAY and public["play_count"] > 2:
            break
        player = players[player_number(phase, seat)]
        legal_mask = legal_cards(public, hidden) if phase == PHASE_PLAY else 0
        is_forced = phase == PHASE_PLAY and legal_mask & (legal_mask - 1) == 0
        is_forced |= phase == PHASE_PICK_UP and rules["is_skat_always_taken"] != 0
        if player["policy"] == POLICY_EXTERNAL and not is_forced:
            return ADVANCE_WAITING
        if phase == PHASE_PLAY:
            action = lowest_bit(legal_mask)
            if not is_forced:
                action = decide_card(rules, player, public, hidden, legal_mask)
        elif phase <= PHASE_DECLARE:
            action = decide_before_play(rules, player, public, hidden)
        else:
            action = decide_house(rules, player, public, hidden)
        fault = apply_action(rules, public, hidden, action)
        if fault != 0:
            return faulty(hidden, action, fault)
    return ADVANCE_OVER


@kernel(int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE), forceinline=True)
def advance(rules: Any, players: Any, public: Any, hidden: Any) -> int:
    """Run the row on; ADVANCE_OVER, ADVANCE_WAITING, or the number of a policy's fault."""
    if rules["has_house_decisions"]:
        status = advance_house(rules, players, public, hidden)
        if status != ADVANCE_OVER:
            return status
    while public["phase"] < PHASE_PLAY:
        decision = DECISION_BIDDING if public["phase"] == PHASE_AUCTION else DECISION_DECLARING
        player = players[3 * public["seat"] + decision]
        if player["policy"] == POLICY_EXTERNAL:
            is_asked = public["phase"] != PHASE_PICK_UP or not rules["is_skat_always_taken"]
            if is_asked:
                return ADVANCE_WAITING
        action = decide_before_play(rules, player, public, hidden)
        fault = apply_before_play(rules, public, hidden, action)
        if fault != 0:
            return faulty(hidden, action, fault)
    while public["phase"] == PHASE_PLAY:
        player = players[3 * public["seat"] + DECISION_PLAY]
        legal_mask = legal_cards(public, hidden)
        card = lowest_bit(legal_mask)
        if legal_mask & (legal_mask - 1) != 0:  # a choice
            if player["policy"] == POLICY_EXTERNAL:
                return ADVANCE_WAITING
            card = decide_card(rules, player, public, hidden, legal_mask)
        if card < 0 or card > 31 or (legal_mask >> card) & 1 == 0:
            return faulty(hidden, card, FAULT_CARD)
        play_card(public, hidden, card)
    return ADVANCE_OVER


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE, int64))
def store_ramsch(rules: Any, public: Any, hidden: Any, game: Any, factor: int) -> None:
    """What the three seats enter for a Ramsch (RULES 13)."""
    p0, p1, p2, c0, c1, c2, l0, l1, l2 = 0, 0, 0, 0, 0, 0, 0, 0, 0
    for trick in range(public["trick_count"]):
        winner = (public["trick_winners"] >> (2 * trick)) & 3
        points = 0
        for place in range(3):
            points += POINTS[public["played"][3 * trick + place]]
        if winner == 0:
            p0, c0, l0 = p0 + points, c0 + 1, trick + 1
        elif winner == 1:
            p1, c1, l1 = p1 + points, c1 + 1, trick + 1
        else:
            p2, c2, l2 = p2 + points, c2 + 1, trick + 1
    e0, e1, e2 = 0, 0, 0
    if public["trick_count"] == 10:
        e0, e1, e2 = settle_ramsch(
            rules,
            (p0, p1, p2),
            (c0, c1, c2),
            (l0, l1, l2),
            mask_points(hidden["pushed_mask"]),
            public["unseen_pushes"],
            factor,
        )
    game["forehand_entry"] = e0
    game["middlehand_entry"] = e1
    game["rearhand_entry"] = e2


@kernel(types.void(GAME_TYPE))
def store_no_house(game: Any) -> None:
    """Write into a game's record that no house rule said anything."""
    game["bock_factor"] = 0
    game["forehand_push_mask"] = 0
    game["middlehand_push_mask"] = 0
    game["rearhand_push_mask"] = 0
    game["resort_mask"] = 0
    game["forehand_entry"] = 0
    game["middlehand_entry"] = 0
    game["rearhand_entry"] = 0
    game["kontra_count"] = 0
    game["kontra_seat"] = 0
    game["unseen_pushes"] = 0
    game["knocks"] = 0
    game["house_flags"] = 0


@kernel(types.void(PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE))
def store_house(public: Any, hidden: Any, game: Any) -> None:
    """Write what was said and done under house rules into a game's record."""
    game["bock_factor"] = public["bock_factor"] if public["bock_factor"] > 1 else 0
    game["kontra_count"] = public["kontra_count"]
    game["kontra_seat"] = public["kontra_seat"]
    game["unseen_pushes"] = public["unseen_pushes"]
    game["knocks"] = public["knocks"]
    game["house_flags"] = public["house"]
    game["forehand_push_mask"] = hidden["pushes"][0]
    game["middlehand_push_mask"] = hidden["pushes"][1]
    game["rearhand_push_mask"] = hidden["pushes"][2]
    game["resort_mask"] = hidden["resort_mask"]
    game["forehand_entry"] = 0
    game["middlehand_entry"] = 0
    game["rearhand_entry"] = 0


@kernel(int64(PUBLIC_TYPE))
def is_spitze_made(public: Any) -> int:
    """1 if the declarer took the last trick with the lowest trump (RULES 14.1)."""
    if public["trick_count"] < 10 or (public["trick_winners"] >> 18) & 3 != public["declarer"]:
        return 0
    lowest = lowest_of_trumps(public["contract"])
    for i in range(27, 30):
        if public["played"][i] == lowest and public["best_card"] == lowest:
            return 1
    return 0


@kernel(types.void(RULES_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE, int64, int64), forceinline=True)
def store(rules: Any, public: Any, hidden: Any, game: Any, end_reason: int, award: int) -> None:
    """Write a finished game and all that follows from it into its record (without the calls).

    `end_reason` -1 means as the play tells. With AWARD_DECLARER the tricks and card points
    not played count for the declarer.
    """
    declarer = public["declarer"]
    contract = public["contract"]
    game["forehand_mask"] = hidden["dealt"][0]
    game["middlehand_mask"] = hidden["dealt"][1]
    game["rearhand_mask"] = hidden["dealt"][2]
    game["skat_mask"] = hidden["skat_mask"]
    game["discard_mask"] = hidden["discard_mask"]
    game["trick_winners"] = public["trick_winners"]
    game["bid_value"] = public["bid_value"]
    factor = public["bock_factor"]
    if rules["has_house_decisions"] or factor > 1:
        store_house(public, hidden, game)
        factor *= power(2, public["kontra_count"] + popcount(public["knocks"]))
    else:
        store_no_house(game)
    game["entry_factor"] = factor
    game["declarer_seat"] = declarer
    game["contract"] = contract
    game["play_count"] = public["play_count"]
    game["is_skat_taken"] = public["is_skat_taken"]
    game["is_hand"] = public["is_hand"]
    game["is_schneider_announced"] = public["is_schneider_announced"]
    game["is_schwarz_announced"] = public["is_schwarz_announced"]
    game["is_ouvert"] = public["is_ouvert"]
    for i in range(30):
        game["played"][i] = public["played"][i]
    if end_reason >= 0:
        game["end_reason"] = end_reason
    elif contract < 0:
        game["end_reason"] = END_PASSED_IN
    elif public["house"] & HOUSE_SCHENKEN_ACCEPTED:
        game["end_reason"] = END_CONCEDED
        award = AWARD_GRANTED
    elif public["trick_count"] < 10:
        game["end_reason"] = END_DECIDED_EARLY
    else:
        game["end_reason"] = END_TEN_TRICKS
    game["award"] = award
    card_points = 0
    trick_count = 0
    own_matadors = 0
    result = NOTHING
    if contract == RAMSCH:
        store_ramsch(rules, public, hidden, game, factor)
    elif contract >= 0:
        buried = hidden["discard_mask"] if hidden["discard_mask"] != 0 else hidden["skat_mask"]
        card_points = public["declarer_points"] + mask_points(buried)
        trick_count = public["declarer_trick_count"]
        if award == AWARD_DECLARER and contract != NULL:
            card_points = 120 - public["defender_points"]
            trick_count = 10 - (public["trick_count"] - trick_count)
        # a game that stopped before its last trick leaves open what was not yet made
        is_open = award == AWARD_NONE and public["trick_count"] < 10 and contract != NULL
        counted = AWARD_CONCEDED if is_open else award
        house = public["house"]
        if house & HOUSE_SPITZE and is_spitze_made(public):
            house |= HOUSE_SPITZE_MADE
        if award == AWARD_GRANTED:
            if public["defender_points"] >= 60:
                counted = AWARD_CONCEDED
            if 120 - public["defender_points"] >= rules["schneider_points"]:
                house |= HOUSE_SCHNEIDER_POSSIBLE
            if public["trick_count"] == trick_count:
                house |= HOUSE_SCHWARZ_POSSIBLE
            lowest = lowest_of_trumps(contract)
            if house & HOUSE_SPITZE and (hidden["hands"][declarer] >> lowest) & 1:
                house |= HOUSE_SPITZE_MADE  # granted, as he could still make it (RULES 9.2)
        own_matadors = matadors(hidden["dealt"][declarer], contract, rules["max_matadors"])
        result = settle(
            rules,
            contract,
            public["is_hand"],
            public["is_schneider_announced"],
            public["is_schwarz_announced"],
            public["is_ouvert"],
            hidden["dealt"][declarer] | hidden["skat_mask"],
            public["bid_value"],
            card_points,
            trick_count,
            counted,
            house,
        )
    game["declarer_card_points"] = card_points
    game["declarer_trick_count"] = trick_count
    game["matadors"] = result[0]
    game["hand_matadors"] = own_matadors
    game["multiplier"] = result[1]
    game["game_value"] = result[2]
    game["charged_value"] = result[3]
    game["is_schneider"] = result[4]
    game["is_schwarz"] = result[5]
    game["is_overbid_before_play"] = result[6]
    game["is_overbid"] = result[7]
    game["is_won"] = result[8]
    game["score"] = factor * result[9]


@kernel(int64(PUBLIC_TYPE, CALLS_TYPE, int64), forceinline=True)
def store_calls(public: Any, calls: Any, start: int) -> int:
    """Write the calls of a game at `start` of its block's calls; returns where they end."""
    count = public["call_count"]
    for i in range(count):
        calls[start + i] = public["calls"][i]
    return start + count


@kernel(
    int64(
        RULES_TYPE,
        PLAYERS_TYPE,
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(HIDDEN_TYPE, 1, "C"),
        int64,
        int64,
        int64,
        GAMES_TYPE,
        CALLS_TYPE,
    )
)
def simulate_games(
    rules: Any,
    players: Any,
    public_rows: Any,
    hidden_rows: Any,
    seed: int,
    first: int,
    count: int,
    games: Any,
    calls: Any,
) -> int:
    """Play games `first` to ``first + count - 1`` of a seed between compiled policies.

    Returns 0, or ``fault + FAULT_PLACE * index`` of the game at which row 0 of `public_rows`
    stopped; those before it are stored.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    call_end = 0
    for i in range(count):
        deal(public, hidden, seed, first + i)
        if rules["has_house_decisions"]:
            start_house_deal(rules, public, 1, 0)
        fault = advance(rules, players, public, hidden)
        if fault != 0:
            return fault + FAULT_PLACE * i
        store(rules, public, hidden, games[i], -1, AWARD_NONE)
        call_end = store_calls(public, calls, call_end)
        games[i]["call_end"] = call_end
    return 0


@kernel(
    int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, GAME_TYPE, int64, int64, int64, int64)
)
def play_deal(
    rules: Any,
    players: Any,
    public: Any,
    hidden: Any,
    game: Any,
    seed: int,
    number: int,
    bock_factor: int,
    is_ramsch_round: int,
) -> int:
    """Play one deal of a series and store it (without the calls); 0, or a policy's fault.

    What a series carries from deal to deal comes in from outside: the factor of the deal's
    Bock rounds, and whether it belongs to a round of Ramsch (RULES 12, 13.1).
    """
    deal(public, hidden, seed, number)
    start_house_deal(rules, public, bock_factor, is_ramsch_round)
    fault = advance(rules, players, public, hidden)
    if fault == 0:
        store(rules, public, hidden, game, -1, AWARD_NONE)
    return fault
