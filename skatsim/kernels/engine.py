"""Games played from the deal to the stored row.

`advance` runs a row until the hand is over or until a seat must decide whose policy is not
compiled; then the caller answers with `skatsim.kernels.table.apply_action` and calls again.
"""

from typing import Any

from numba import int64, types

from skatsim.kernels.bits import lowest_bit
from skatsim.kernels.cards import NULL, mask_points
from skatsim.kernels.columns import (
    CALLS_TYPE,
    END_DECIDED_EARLY,
    END_PASSED_IN,
    END_TEN_TRICKS,
    GAME_TYPE,
    GAMES_TYPE,
)
from skatsim.kernels.heuristic import (
    heuristic_call,
    heuristic_card,
    heuristic_declaration,
    heuristic_limit,
    heuristic_pick_up,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import decision_word
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_DECLARER, AWARD_NONE, RULES_TYPE, settle
from skatsim.kernels.table import (
    FAULT_CARD,
    HIDDEN_TYPE,
    PHASE_AUCTION,
    PHASE_PICK_UP,
    PHASE_PLAY,
    PLAYER_TYPE,
    PUBLIC_TYPE,
    apply_action,
    deal,
    legal_cards,
    play_card,
)
from skatsim.kernels.uniform import uniform_call, uniform_card, uniform_declaration

POLICY_EXTERNAL, POLICY_UNIFORM, POLICY_HEURISTIC = range(3)

DECISION_BIDDING, DECISION_DECLARING, DECISION_PLAY = range(3)

PLAYERS_TYPE = types.Array(PLAYER_TYPE, 1, "C")
"""Nine players, of dtype `PLAYER`: that of a seat's decision is number ``3 * seat + decision``."""

NOTHING = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

ADVANCE_OVER = 0
ADVANCE_WAITING = -1
"""What `advance` returns beside the numbers of faults, which are positive."""


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
    if phase == PHASE_AUCTION:
        if is_uniform:
            return uniform_call(public, word)
        limits = hidden["bid_limits"]
        if limits[seat] < 0:
            limits[seat] = heuristic_limit(rules, seat, hand_mask, player)
        return heuristic_call(public, limits[seat])
    if phase == PHASE_PICK_UP:
        if is_uniform:
            return word & 1
        return heuristic_pick_up(rules, public, hand_mask, player)
    if is_uniform:
        return uniform_declaration(rules, public, hand_mask, word)
    skat_mask = hidden["skat_mask"] if public["is_skat_taken"] else 0
    return heuristic_declaration(rules, public, hand_mask, skat_mask, player)


@kernel(int64(PLAYER_TYPE, PUBLIC_TYPE, HIDDEN_TYPE, int64), forceinline=True)
def decide_card(player: Any, public: Any, hidden: Any, legal_mask: int) -> int:
    """The card of a compiled policy for the seat to act."""
    if player["policy"] == POLICY_UNIFORM:
        return uniform_card(legal_mask, decision_word(hidden["key"], public["decision_count"]))
    seat = public["seat"]
    skat_mask = hidden["discard_mask"] if seat == public["declarer"] else 0
    return heuristic_card(public, hidden["hands"][seat], skat_mask, legal_mask, player)


@kernel(int64(RULES_TYPE, PLAYERS_TYPE, PUBLIC_TYPE, HIDDEN_TYPE), forceinline=True)
def advance(rules: Any, players: Any, public: Any, hidden: Any) -> int:
    """Run the row on; ADVANCE_OVER, ADVANCE_WAITING, or the number of a policy's fault."""
    while public["phase"] < PHASE_PLAY:
        decision = DECISION_BIDDING if public["phase"] == PHASE_AUCTION else DECISION_DECLARING
        player = players[3 * public["seat"] + decision]
        if player["policy"] == POLICY_EXTERNAL:
            return ADVANCE_WAITING
        action = decide_before_play(rules, player, public, hidden)
        fault = apply_action(rules, public, hidden, action)
        if fault != 0:
            return fault
    while public["phase"] == PHASE_PLAY:
        player = players[3 * public["seat"] + DECISION_PLAY]
        if player["policy"] == POLICY_EXTERNAL:
            return ADVANCE_WAITING
        legal_mask = legal_cards(public, hidden)
        card = lowest_bit(legal_mask)
        if legal_mask & (legal_mask - 1) != 0:  # a choice
            card = decide_card(player, public, hidden, legal_mask)
        if card < 0 or card > 31 or (legal_mask >> card) & 1 == 0:
            return FAULT_CARD
        play_card(public, hidden, card)
    return ADVANCE_OVER


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
    game["entry_factor"] = 1
    game["declarer_seat"] = declarer
    game["contract"] = contract
    game["award"] = award
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
    elif declarer < 0:
        game["end_reason"] = END_PASSED_IN
    elif public["trick_count"] < 10:
        game["end_reason"] = END_DECIDED_EARLY
    else:
        game["end_reason"] = END_TEN_TRICKS
    card_points = 0
    trick_count = 0
    result = NOTHING
    if contract >= 0:
        buried = hidden["discard_mask"] if hidden["discard_mask"] != 0 else hidden["skat_mask"]
        card_points = public["declarer_points"] + mask_points(buried)
        trick_count = public["declarer_trick_count"]
        if award == AWARD_DECLARER and contract != NULL:
            card_points = 120 - public["defender_points"]
            trick_count = 10 - (public["trick_count"] - trick_count)
        # a game that stopped before its last trick leaves open what was not yet made
        is_open = award == AWARD_NONE and public["trick_count"] < 10 and contract != NULL
        counted = AWARD_CONCEDED if is_open else award
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
        )
    game["declarer_card_points"] = card_points
    game["declarer_trick_count"] = trick_count
    game["matadors"] = result[0]
    game["multiplier"] = result[1]
    game["game_value"] = result[2]
    game["charged_value"] = result[3]
    game["is_schneider"] = result[4]
    game["is_schwarz"] = result[5]
    game["is_overbid_before_play"] = result[6]
    game["is_overbid"] = result[7]
    game["is_won"] = result[8]
    game["score"] = result[9]


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

    Returns 0, or the number of the fault at which row 0 of `public_rows` stopped.
    """
    public = public_rows[0]
    hidden = hidden_rows[0]
    call_end = 0
    for i in range(count):
        deal(public, hidden, seed, first + i)
        fault = advance(rules, players, public, hidden)
        if fault != 0:
            return fault
        store(rules, public, hidden, games[i], -1, AWARD_NONE)
        call_end = store_calls(public, calls, call_end)
        games[i]["call_end"] = call_end
    return 0
