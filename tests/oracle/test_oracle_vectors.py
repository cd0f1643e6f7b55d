"""The oracle against the worked examples of the rule collection, each test named by its vector."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from .rules_oracle import (
    BASE_VALUES,
    DECK,
    GAMES,
    SEATS,
    SUITS,
    TRUMP_GAMES,
    Auction,
    Contract,
    IllegalActionError,
    OracleGame,
    OracleRules,
    Settlement,
    auction_actions,
    bid_values,
    card_points,
    cheapest_game_at,
    closed,
    greatest_value,
    legal_cards,
    matadors,
    may_declare,
    seeger_fabian,
    settle,
    settle_concession,
    side_suit,
    trick_winner,
    trump_value,
    trumps,
)

Vector = dict[str, Any]

# clubs with 1, game 2: 24
WITH_ONE = ["CJ", "HJ", "CA", "CT", "CK", "D7", "H7", "S7", "D8", "H8", "S8", "D9"]

DEFAULT_VECTORS = Path(__file__).parents[1] / "rules" / "vectors.json"
VECTORS: list[Vector] = json.loads(
    Path(os.environ.get("SKATSIM_VECTORS", DEFAULT_VECTORS)).read_text(encoding="utf-8")
)["vectors"]


def each(*categories: str) -> pytest.MarkDecorator:
    """Parametrize by the vectors of some categories that concern the International Skat Order."""
    chosen = [
        vector
        for vector in VECTORS
        if vector["category"] in categories
        and "house" not in vector["input"]
        and vector["input"].get("contract", {}).get("game") != "R"
    ]
    assert chosen, f"no vectors for {categories}"
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def twelve_cards(given: Vector) -> set[str]:
    return {*given["hand"], *given["skat"]}


def check_settlement(settlement: Settlement, expected: Vector) -> None:
    """Compare the figures a vector states; it calls them by older names."""
    signed = settlement.matadors
    found = {
        "matadors": None if signed is None else abs(signed),
        "with": None if signed is None else signed > 0,
        "levels": settlement.multiplier,
        "game_value": settlement.game_value,
        "won": settlement.is_won,
        "overbid": settlement.is_overbid,
        "charged": settlement.charged_value,
        "list_points": settlement.score,
    }
    stated = {key: value for key, value in expected.items() if not key.startswith("seeger")}
    assert {key: found[key] for key in stated} == stated


@each("score")
def test_score(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    outcome = given["outcome"]
    settlement = settle(
        Contract(**given["contract"]),
        twelve_cards(given),
        given["bid"],
        declarer_card_points=outcome.get("declarer_points"),
        declarer_trick_count=outcome["declarer_tricks"],
    )
    check_settlement(settlement, expected)
    for table_size in (3, 4):
        if f"seeger{table_size}" in expected:
            entries = seeger_fabian(
                "F", settlement.score, is_won=settlement.is_won, table_size=table_size
            )
            own, *others = expected[f"seeger{table_size}"]
            assert entries.pop("F") == own
            assert len(entries) == table_size - 1
            assert set(entries.values()) == set(others)


@each("concede")
def test_concede(vector: Vector) -> None:
    given = vector["input"]
    settlement = settle_concession(
        given["conceding"], Contract(**given["contract"]), twelve_cards(given), given["bid"]
    )
    check_settlement(settlement, vector["expected"])


@each("bidding")
def test_bidding(vector: Vector) -> None:
    expected = vector["expected"]
    auction = Auction()
    illegal_at = None
    for place, (seat, action) in enumerate(vector["input"]["actions"]):
        if seat != auction.to_act or action not in auction.legal_actions():
            illegal_at = place
            break
        auction.apply(action)
    found = {
        "declarer": auction.declarer,
        "bid": auction.bid_value,
        "to_act": auction.to_act,
        "state": auction.state,
        "current": auction.bid_value,
        "illegal_at": illegal_at,
    }
    assert illegal_at == expected.get("illegal_at")
    assert {key: found[key] for key in expected} == expected
    if "declarer" in expected:
        assert auction.state == "over"


@each("declare")
def test_declare(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    contract, bid_value = Contract(**given["contract"]), given["bid"]
    rules = OracleRules(**given.get("config", {}))
    cards12 = given.get("cards12")
    assert may_declare(contract, bid_value, cards12=cards12, rules=rules) == expected["legal"]
    if "max_reachable" in expected:
        greatest = greatest_value(contract, cards12)
        assert greatest == expected["max_reachable"]
        strict = OracleRules(strict_declare=True)
        assert may_declare(contract, bid_value, cards12=cards12, rules=strict) == (
            greatest >= bid_value
        )


@each("null_overbid")
def test_null_overbid(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    contract, cards12 = Contract(**given["contract"]), twelve_cards(given)
    assert may_declare(contract, given["bid"]) == expected["declarable"]
    cheapest = cheapest_game_at(given["bid"], cards12, hand=contract.hand)
    assert -2 * cheapest == expected["adjudicated_points"]
    for trick_count in (0, 1):
        settlement = settle(
            contract,
            cards12,
            given["bid"],
            declarer_card_points=None,
            declarer_trick_count=trick_count,
        )
        assert settlement.score == expected["adjudicated_points"]


@each("matadors")
def test_matadors(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    sign = 1 if expected["with"] else -1
    assert matadors(given["trumps_in_12"], given["game"]) == sign * expected["matadors"]


@each("trick")
def test_trick(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    assert trick_winner(given["cards"], given["game"]) == expected["winner_index"]
    assert card_points(given["cards"]) == expected["points"]


@each("legal")
def test_legal(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    assert sorted(legal_cards(given["hand"], given["lead"], given["game"])) == expected["legal"]


@each("card_points")
def test_card_points(vector: Vector) -> None:
    assert card_points(vector["input"]["cards"]) == vector["expected"]["points"]


@each("value_table")
def test_value_table(vector: Vector) -> None:
    table = vector["expected"]["table"]
    assert set(table) == set(TRUMP_GAMES)
    for game, row in table.items():
        assert [BASE_VALUES[game] * multiplier for multiplier in range(2, 12)] == row
        assert [trump_value(Contract(game), count) for count in range(1, 11)] == row


@each("bid_list")
def test_bid_list(vector: Vector) -> None:
    assert list(bid_values()) == vector["expected"]["values"]
    assert len(bid_values()) == vector["expected"]["count"]


@each("play")
def test_play(vector: Vector) -> None:
    given, expected = vector["input"], vector["expected"]
    contract = Contract(**given["contract"])
    game = OracleGame(given["hands"], given["skat"])
    for call in auction_actions(given["declarer"], given["bid"]):
        game.apply(call)
    game.apply("hand" if contract.hand else "pick_up")
    if not contract.hand:
        game.apply(tuple(given["discard"]))
    game.apply(contract)
    for trick in given["tricks"]:
        for card in trick:
            game.apply(card)

    assert game.declarer == given["declarer"]
    found = {
        "winners": [winner for _, _, winner in game.tricks],
        "trick_points": game.trick_points,
        "tricks_won": game.trick_counts,
        "declarer_points": game.declarer_card_points,
        "declarer_tricks": game.trick_counts[given["declarer"]],
        "complete": game.is_over,
        # the vectors say so of a null lost with its very last trick too
        "early_stop": contract.game == "N" and game.trick_counts[given["declarer"]] > 0,
    }
    stated = {key: value for key, value in expected.items() if key != "score"}
    assert {key: found[key] for key in stated} == stated
    if "score" in expected:
        result = game.result()
        check_settlement(
            Settlement(*(getattr(result, field) for field in Settlement._fields)),
            expected["score"],
        )


def random_game(rng: random.Random, rules: OracleRules) -> OracleGame:
    """A random game; short auctions, so that most games are played."""
    cards = rng.sample(DECK, 32)
    hands = {seat: cards[10 * i : 10 * i + 10] for i, seat in enumerate(SEATS)}
    game = OracleGame(hands, cards[30:], rules)
    while not game.is_over:
        actions = game.legal_actions()
        if game.phase == "auction" and game.auction.state == "say":
            actions = [*actions[:2], "pass"]
        game.apply(rng.choice(actions))
    return game


@pytest.mark.parametrize(
    "rules",
    [
        OracleRules(),
        OracleRules(strict_declare=True, allow_unannounced_hand=True),
        OracleRules(ouvert_requires="hand", null_below_bid="adjudicate"),
        OracleRules(ouvert_requires="none", max_matadors=4),
    ],
    ids=["isko", "strict", "ouvert_hand", "ouvert_free"],
)
def test_random_games_are_sound(rules: OracleRules) -> None:
    rng = random.Random(20)
    for _ in range(200):
        game = random_game(rng, rules)
        result = game.result()
        for table_size, bonus in ((3, 40), (4, 30)):
            entries = result.seeger_fabian[table_size]
            assert len(entries) == table_size
            if result.is_won is None:
                assert set(entries.values()) == {0}
            elif result.is_won:
                assert sum(entries.values()) == result.score + 50
            else:
                assert sum(entries.values()) == result.score - 50 + bonus * (table_size - 1)
        if result.declarer is None:
            continue
        assert result.score == result.charged_value * (1 if result.is_won else -2)
        if result.end_reason == "ten_tricks":
            kept = game.skat if game.discard is None else game.discard
            assert sum(game.trick_points.values()) + card_points(kept) == 120
            assert sum(game.trick_counts.values()) == 10


def test_the_whole_set_of_announcements() -> None:
    full = Contract("G", True, True, True, True)
    assert closed(Contract("G", ouvert=True)) == full
    assert closed(Contract("N", ouvert=True)) == Contract("N", ouvert=True)
    assert may_declare(Contract("G", ouvert=True), 18, skat_taken=False)
    assert not may_declare(Contract("G", ouvert=True), 18, skat_taken=True)
    assert may_declare(
        Contract("G", ouvert=True), 18, skat_taken=True, rules=OracleRules(ouvert_requires="none")
    )
    assert not may_declare(Contract("N", schneider_announced=True, hand=True), 18)


def test_trumps_and_side_suits_make_up_the_deck() -> None:
    for game in GAMES:
        classes = [trumps(game), *(side_suit(suit, game) for suit in SUITS)]
        assert sorted(card for cards in classes for card in cards) == sorted(DECK)
    assert trumps("H") == ("CJ", "SJ", "HJ", "DJ", "HA", "HT", "HK", "HQ", "H9", "H8", "H7")
    assert trumps("G") == ("CJ", "SJ", "HJ", "DJ")
    assert side_suit("S", "H") == ("SA", "ST", "SK", "SQ", "S9", "S8", "S7")
    assert side_suit("S", "N") == ("SA", "SK", "SQ", "SJ", "ST", "S9", "S8", "S7")


def test_forehand_alone_may_play_or_pass() -> None:
    auction = Auction()
    for call in ("pass", "pass"):
        auction.apply(call)
    assert (auction.to_act, auction.legal_actions()) == ("F", ["play", "pass"])
    auction.apply("pass")
    assert (auction.state, auction.declarer) == ("over", None)


def test_an_illegal_action_changes_nothing() -> None:
    game = OracleGame({"F": DECK[:10], "M": DECK[10:20], "R": DECK[20:30]}, DECK[30:])
    with pytest.raises(IllegalActionError):
        game.apply(19)
    assert (game.phase, game.to_act, game.history) == ("auction", "M", [])


# ISkO case: skat never looked at, hand not said: a plain game, 22 below the bid of 23
def test_hand_not_said_is_a_plain_game() -> None:
    without_one = ["SJ", "SA", "ST", "SK", "SQ", "S9", "S8", "S7", "HA", "HT", "C7", "D7"]
    plain = settle(Contract("S"), without_one, 23, declarer_card_points=89, declarer_trick_count=8)
    assert (plain.matadors, plain.game_value, plain.is_overbid, plain.score) == (-1, 22, True, -66)


@pytest.mark.parametrize(
    ("bid_value", "announced", "defender_points", "defender_tricks", "score"),
    [
        pytest.param(18, {}, 59, 5, 24, id="undecided"),
        pytest.param(18, {}, 60, 5, -48, id="decided_against_him"),
        pytest.param(36, {}, 30, 3, 36, id="schneider_needed_and_possible"),
        pytest.param(36, {}, 31, 3, -72, id="schneider_needed_and_gone"),
        pytest.param(48, {}, 0, 0, 48, id="schwarz_needed_and_possible"),
        pytest.param(48, {}, 0, 1, -96, id="schwarz_needed_and_gone"),
        pytest.param(60, {}, 0, 0, -120, id="out_of_reach"),
        pytest.param(18, {"schneider_announced": True}, 30, 1, 60, id="announced_and_possible"),
        pytest.param(18, {"schneider_announced": True}, 31, 1, -120, id="announced_and_gone"),
    ],
)
def test_defenders_give_up(
    bid_value: int,
    announced: dict[str, bool],
    defender_points: int,
    defender_tricks: int,
    score: int,
) -> None:
    settlement = settle_concession(
        "defenders",
        Contract("C", **announced),
        WITH_ONE,
        bid_value,
        defender_card_points=defender_points,
        defender_trick_count=defender_tricks,
    )
    assert settlement.score == score


@pytest.mark.parametrize(
    ("bid_value", "announced", "points", "tricks", "flags"),
    [
        # flags: schneider, schwarz, overbid before play, overbid, won
        pytest.param(24, {}, 61, 5, (False, False, False, False, True), id="at_its_value"),
        pytest.param(27, {}, 89, 9, (False, False, True, True, False), id="overbid"),
        pytest.param(27, {}, 90, 9, (True, False, True, False, True), id="made_schneider"),
        pytest.param(27, {}, 30, 1, (True, False, True, False, False), id="suffered_schneider"),
        pytest.param(18, {}, 31, 1, (False, False, False, False, False), id="not_yet_schneider"),
        pytest.param(48, {}, 120, 10, (True, True, True, False, True), id="made_schwarz"),
        pytest.param(
            60,
            {"hand": True, "schneider_announced": True},
            89,
            9,
            (False, False, False, False, False),
            id="announced_counts_before_play",
        ),
    ],
)
def test_flags(
    bid_value: int,
    announced: dict[str, bool],
    points: int,
    tricks: int,
    flags: tuple[bool, ...],
) -> None:
    settlement = settle(
        Contract("C", **announced),
        WITH_ONE,
        bid_value,
        declarer_card_points=points,
        declarer_trick_count=tricks,
    )
    assert flags == (
        settlement.is_schneider,
        settlement.is_schwarz,
        settlement.is_overbid_before_play,
        settlement.is_overbid,
        settlement.is_won,
    )


@pytest.mark.parametrize(
    ("side", "score"), [("declarer", -264), ("defenders", 132)], ids=["declarer", "defenders"]
)
def test_a_game_given_up_before_the_first_card(side: str, score: int) -> None:
    # all eleven trumps but the lowest in hand, which is in the skat: with 11, game 12
    hand = ["CJ", "SJ", "HJ", "DJ", "SA", "ST", "SK", "SQ", "S9", "S8"]
    rest = [card for card in DECK if card not in (*hand, "S7", "C7")]
    game = OracleGame({"F": hand, "M": rest[:10], "R": rest[10:]}, ["S7", "C7"])
    for action in ("pass", "pass", "play", "pick_up", ("S7", "C7"), Contract("S")):
        game.apply(action)
    game.concede(side)
    result = game.result()
    assert (result.end_reason, result.matadors, result.score) == ("conceded", 11, score)
    assert (result.is_schneider, result.is_schwarz) == (False, False)


def test_null_hand_below_the_bid_keeps_hand() -> None:
    # without 3: game 4, hand 5; diamonds is the cheapest either way
    without_three = [*DECK[5:8], *DECK[13:16], *DECK[21:24], "DJ", "D8", "D7"]
    assert cheapest_game_at(36, without_three, hand=False) == 36
    assert cheapest_game_at(36, without_three, hand=True) == 45
