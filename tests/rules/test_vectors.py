"""The rule vectors through the public interface.

``SKATSIM_VECTORS`` names the file (default: the copy beside this module), so that further
vectors of the same form can be run.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skatsim.auction import BID_VALUES, Auction, Call
from skatsim.cards import SEATS, Deal, card_points, cards_text, mask_of, parse_card, parse_mask
from skatsim.contracts import Contract, check_declaration, parse_contract
from skatsim.errors import RuleError
from skatsim.explanation import explain
from skatsim.game import Game
from skatsim.lists import Entry, Series, is_fair_series, seeger_fabian
from skatsim.play import legal_cards, trick_winner
from skatsim.ramsch import score_ramsch
from skatsim.ruleset import ISKO, Ruleset, find_ruleset
from skatsim.scoring import Score, count_matadors, score_game

Vector = dict[str, Any]

VECTORS_FILE = Path(os.environ.get("SKATSIM_VECTORS", Path(__file__).parent / "vectors.json"))
VECTORS: list[Vector] = json.loads(VECTORS_FILE.read_text(encoding="utf-8"))["vectors"]

KONTRA_STEPS = {"kontra": 1, "re": 2, "supra": 3, "hirsch": 4}

GAMES = dict(zip("DHSCGN", ("diamonds", "hearts", "spades", "clubs", "grand", "null"), strict=True))
SEAT_LETTERS = "FMR"


def contract_of(given: Vector) -> Contract:
    return Contract(
        name=GAMES[given["game"]],
        is_hand=given.get("hand", False),
        is_schneider_announced=given.get("schneider_announced", False),
        is_schwarz_announced=given.get("schwarz_announced", False),
        is_ouvert=given.get("ouvert", False),
    )


def mask(cards: list[str]) -> int:
    return mask_of(parse_card(card) for card in cards)


def ruleset_of(config: Vector) -> Ruleset:
    names = {"strict_declare": "is_strict_declare"}
    return ISKO.with_(**{names.get(name, name): value for name, value in config.items()})


def check_score(score: Score, expected: Vector) -> None:
    """Compare the figures a vector states; it calls them by older names."""
    found = {
        "matadors": None if score.matadors is None else abs(score.matadors),
        "with": None if score.matadors is None else score.matadors > 0,
        "levels": score.multiplier,
        "game_value": score.game_value,
        "won": score.is_won,
        "overbid": score.is_overbid,
        "charged": score.charged_value,
        "list_points": score.score,
    }
    stated = {key: value for key, value in expected.items() if not key.startswith("seeger")}
    assert {key: found[key] for key in stated} == stated
    for table_size in (3, 4):
        if f"seeger{table_size}" in expected:
            own, *others = expected[f"seeger{table_size}"]
            entries = seeger_fabian(
                score.score, is_won=score.is_won, declarer=0, table_size=table_size
            )
            assert entries[0] == own
            assert set(entries[1:]) == set(others)


def run_score(given: Vector, expected: Vector) -> None:
    outcome = given["outcome"]
    score = score_game(
        contract_of(given["contract"]),
        hand_mask=mask(given["hand"]),
        skat_mask=mask(given["skat"]),
        bid_value=given["bid"],
        card_points=outcome.get("declarer_points"),
        trick_count=outcome["declarer_tricks"],
        discard_mask=mask(given["discard"]) if given.get("discard") else None,
        kontra=KONTRA_STEPS.get(given.get("house", {}).get("kontra", ""), 0),
        bock=2 ** given.get("house", {}).get("bock", 0),
    )
    check_score(score, expected)
    for language in ("en", "de", "pt", "es"):
        assert explain(score, language)


def run_ramsch(given: Vector, expected: Vector) -> None:
    options = dict(given.get("options", {}))
    pushes = options.pop("pushes_untouched", 0)
    names = {"tie": "ramsch_tie", "skat": "ramsch_skat"}
    ruleset = find_ruleset("ramsch").with_(
        is_schieberamsch=pushes > 0, **{names[key]: options[key] for key in options}
    )
    tricks = [given["tricks"][letter] for letter in SEAT_LETTERS]
    later = given.get("later_trick_among_tied", given["last_trick"])
    late = [SEAT_LETTERS.index(letter) for letter in (later, given["last_trick"])]
    order = sorted(range(3), key=lambda seat: (seat == late[1], seat == late[0]))
    last = [0, 0, 0]
    for place, seat in enumerate(order, start=1):
        last[seat] = sum(tricks[one] for one in order[:place]) if tricks[seat] else 0
    score = score_ramsch(
        [given["trick_points"][letter] for letter in SEAT_LETTERS],
        tricks,
        last,
        skat_points=given["skat_points"],
        unseen_pushes=pushes,
        ruleset=ruleset,
    )
    assert dict(zip(SEAT_LETTERS, score.scores, strict=True)) == expected["scores"]


def run_concede(given: Vector, expected: Vector) -> None:
    score = score_game(
        contract_of(given["contract"]),
        hand_mask=mask(given["hand"]),
        skat_mask=mask(given["skat"]),
        bid_value=given["bid"],
        card_points=0,
        trick_count=0,
        award="conceded" if given["conceding"] == "declarer" else "granted",
    )
    assert score.score == expected["list_points"]
    for language in ("en", "de", "pt", "es"):
        assert explain(score, language)


VARIANTS: dict[str, Vector] = {
    "L01": {"contract": "grand ouvert", "hand": "CJ SJ HJ DJ CA CT CK CQ C9 C8", "won": True},
    "L02": {"contract": "spades schneider", "hand": "SJ HJ SA ST SK SQ S9 CA HA DA", "won": True},
    "L04": {
        "contract": "grand schwarz",
        "hand": "CJ SJ HJ DJ CA CT CK DA DT DK",
        "won": False,
    },
    "L05": {"contract": "diamonds", "hand": "CJ HJ DA DT DK DQ D9 CA HA SA", "won": True},
    "L06": {"contract": "grand", "hand": "CJ HJ DA DT CA CT HA HT SA ST", "won": True},
    "L07": {
        "contract": "grand ouvert",
        "hand": "CJ HJ DJ CA CT CK CQ C9 C8 C7",
        "won": True,
    },
    "L08": {"contract": "null revolution", "hand": "C7 C8 C9 CT S7 S8 S9 H7 H8 D7", "won": True},
}
"""Cards and contracts with which the values of the national tables come about."""

VARIANT_RULES = {
    "old_rules": ISKO.with_(name="old", grand_ouvert_base=36, lost_hand_factor=1),
    "revolution": ISKO.with_(name="revolution", revolution_value=92),
}


def run_variant(given: Vector, expected: Vector, *, name: str) -> None:
    played = VARIANTS[name]
    ruleset = VARIANT_RULES.get(given["variant"]) or find_ruleset(given["variant"])
    contract = parse_contract(played["contract"], ruleset)
    hand_mask = parse_mask(played["hand"])
    rest = [card for card in range(32) if not hand_mask >> card & 1 and card & 7 < 7]
    is_null = contract.is_null
    all_tricks = contract.is_schwarz_announced and played["won"]
    score = score_game(
        contract,
        hand_mask=hand_mask,
        skat_mask=mask_of(rest[:2]),
        bid_value=18,
        trick_count=0 if is_null else 10 if all_tricks else 8,
        card_points=None if is_null else 120 if all_tricks else _points(contract, played["won"]),
        award="declarer",
        ruleset=ruleset,
    )
    assert score.is_won == played["won"]
    assert abs(score.score) == expected["value"]
    for language in ("en", "de", "pt", "es"):
        assert explain(score, language)


def _points(contract: Contract, is_won: bool) -> int:
    if contract.is_schneider_announced:
        return 100
    return 70 if is_won else 50


def run_ramsch_play(given: Vector, expected: Vector) -> None:
    hands = [[parse_card(card) for card in given["hands"][letter]] for letter in SEAT_LETTERS]
    skat = [parse_card(card) for card in given["skat"]]
    game = Game(deal=Deal.from_parts(*hands, skat), ruleset=find_ruleset("ramsch"))
    for _ in range(3):
        game = game.with_call("pass")
    assert str(game.contract) == "ramsch"
    for trick in given["tricks"]:
        for card in trick:
            game = game.with_card(parse_card(card))
    winners = [trick.winner or 0 for trick in game.tricks]
    points = dict.fromkeys(SEAT_LETTERS, 0)
    for trick in game.tricks:
        points[SEAT_LETTERS[trick.winner or 0]] += trick.card_points
    found = {
        "winners": [SEAT_LETTERS[winner] for winner in winners],
        "trick_points": points,
        "tricks_won": {letter: winners.count(seat) for seat, letter in enumerate(SEAT_LETTERS)},
        "skat_points": sum(card_points(card) for card in skat),
        "early_stop": False,
        "declarer_points": 0,
        "declarer_tricks": 0,
    }
    stated = {key: value for key, value in expected.items() if key != "ramsch"}
    assert {key: found[key] for key in stated} == stated
    scores = dict(zip(SEAT_LETTERS, game.seat_scores, strict=True))
    assert scores == expected["ramsch"]["scores"]
    assert game.score is None
    record, calls = game.to_record()
    assert Game.from_record(record, calls, ruleset=game.ruleset).seat_scores == game.seat_scores


def run_bidding(given: Vector, expected: Vector) -> None:
    auction = Auction()
    illegal_at = None
    for place, (seat_letter, said) in enumerate(given["actions"]):
        seat = SEAT_LETTERS.index(seat_letter)
        kind, value = ("bid", said) if isinstance(said, int) else (said, None)
        call = Call(seat=seat, kind=kind, value=value)
        try:
            auction = auction.with_call(call)
        except RuleError:
            assert call not in auction.legal_calls()
            illegal_at = place
            break
    state = {"say_1": "say", "say_2": "say", "answer_1": "listen", "answer_2": "listen"}
    found = {
        "declarer": None if auction.declarer is None else SEAT_LETTERS[auction.declarer],
        "bid": auction.bid_value,
        "current": auction.bid_value,
        "to_act": None if auction.seat is None else SEAT_LETTERS[auction.seat],
        "state": state.get(auction.state, {"alone": "last_chance"}.get(auction.state, "over")),
        "illegal_at": illegal_at,
    }
    assert illegal_at == expected.get("illegal_at")
    assert {key: found[key] for key in expected} == expected
    if "declarer" in expected:
        assert auction.is_over


def run_declare(given: Vector, expected: Vector) -> None:
    contract, bid = contract_of(given["contract"]), given["bid"]
    ruleset = ruleset_of(given.get("config", {}))
    cards = [parse_card(card) for card in given.get("cards12", [])]

    def is_legal(rules: Ruleset) -> bool:
        try:
            check_declaration(contract, bid, cards_mask=mask_of(cards), ruleset=rules)
        except RuleError as error:
            assert str(contract) in str(error)
            return False
        return True

    assert is_legal(ruleset) == expected["legal"]
    if "max_reachable" in expected:
        best = score_game(
            contract,
            hand_mask=mask_of(cards[:10]),
            skat_mask=mask_of(cards[10:]),
            bid_value=bid,
            card_points=120,
            trick_count=10,
        )
        assert best.game_value == expected["max_reachable"]
        strict = ruleset.with_(is_strict_declare=True)
        assert is_legal(strict) == (best.game_value >= bid)


def run_null_overbid(given: Vector, expected: Vector) -> None:
    contract, bid = contract_of(given["contract"]), given["bid"]
    if expected["declarable"]:
        check_declaration(contract, bid)
    else:
        with pytest.raises(RuleError, match="below the bid"):
            check_declaration(contract, bid)
    for trick_count in (0, 1):
        score = score_game(
            contract,
            hand_mask=mask(given["hand"]),
            skat_mask=mask(given["skat"]),
            bid_value=bid,
            trick_count=trick_count,
        )
        assert score.score == expected["adjudicated_points"]


def run_matadors(given: Vector, expected: Vector) -> None:
    contract = Contract(name=GAMES[given["game"]])
    sign = 1 if expected["with"] else -1
    assert count_matadors(mask(given["trumps_in_12"]), contract) == sign * expected["matadors"]


def run_trick(given: Vector, expected: Vector) -> None:
    cards = [parse_card(card) for card in given["cards"]]
    assert trick_winner(Contract(name=GAMES[given["game"]]), cards) == expected["winner_index"]
    if "points" in expected:
        assert sum(card_points(card) for card in cards) == expected["points"]


def run_legal(given: Vector, expected: Vector) -> None:
    lead = given.get("lead")
    legal = legal_cards(
        Contract(name=GAMES[given["game"]]),
        mask(given["hand"]),
        lead=None if lead is None else parse_card(lead),
    )
    assert legal == mask(expected["legal"])


def run_card_points(given: Vector, expected: Vector) -> None:
    assert sum(card_points(parse_card(card)) for card in given["cards"]) == expected["points"]


def run_value_table(given: Vector, expected: Vector) -> None:
    for letter, row in expected["table"].items():
        base = ISKO.base_values["DHSCG".index(letter)]
        assert [base * multiplier for multiplier in range(2, 2 + len(row))] == row


def run_bid_list(given: Vector, expected: Vector) -> None:
    assert list(BID_VALUES) == expected["values"]
    assert len(BID_VALUES) == expected["count"]


def run_play(given: Vector, expected: Vector) -> None:
    hands = [[parse_card(card) for card in given["hands"][letter]] for letter in SEAT_LETTERS]
    skat = [parse_card(card) for card in given["skat"]]
    declarer = SEAT_LETTERS.index(given["declarer"])
    contract, bid = contract_of(given["contract"]), given["bid"]
    calls = {
        0: (bid, "hold", "pass", "pass"),
        1: (bid, "pass", "pass"),
        2: ("pass", bid, "pass"),
    }[declarer]
    game = Game(deal=Deal.from_parts(*hands, skat))
    for call in calls:
        game = game.with_call(call)
    discard = None if contract.is_hand else mask(given["discard"])
    game = game.with_declaration(contract, discard)
    for trick in given["tricks"]:
        for card in trick:
            game = game.with_card(parse_card(card))

    complete = [trick for trick in game.tricks if trick.winner is not None]
    by_seat = {
        letter: [trick for trick in complete if trick.winner == seat]
        for seat, letter in enumerate(SEAT_LETTERS)
    }
    found = {
        "winners": [SEAT_LETTERS[trick.winner or 0] for trick in complete],
        "trick_points": {
            letter: sum(trick.card_points for trick in tricks) for letter, tricks in by_seat.items()
        },
        "tricks_won": {letter: len(tricks) for letter, tricks in by_seat.items()},
        "declarer_points": game.declarer_card_points,
        "declarer_tricks": game.declarer_trick_count,
        "complete": game.is_over,
        # said of a null lost with its very last trick too
        "early_stop": contract.is_null and game.declarer_trick_count > 0,
        "skat_points": sum(card_points(card) for card in skat),
    }
    stated = {key: value for key, value in expected.items() if key != "score"}
    assert {key: found[key] for key in stated} == stated, cards_text(game.played)
    assert game.declarer == declarer, SEATS[declarer]
    if "score" in expected:
        assert game.score is not None
        check_score(game.score, expected["score"])


def run_series(given: Vector, expected: Vector) -> None:
    players = tuple(given["players"])
    entries = tuple(
        Entry()
        if deal.get("passed_in")
        else Entry(
            declarer=players.index(deal["declarer"]),
            score=deal["list_points"],
            is_won=deal["list_points"] > 0,
        )
        for deal in given["deals"]
    )
    series = Series(players=players, entries=entries, first_dealer=given["first_dealer"])
    count = len(entries)
    found = {
        "list": series.list_scores("plain"),
        "seeger_fabian": series.list_scores(),
        "dealers": [series.dealer(deal) for deal in range(count)],
        "sitting_out": [series.sitting_out(deal) for deal in range(count)],
        "forehand": [series.seats(deal)[0] for deal in range(count)],
    }
    assert {key: found[key] for key in expected} == expected
    # the totals are the sum of what each deal gives
    by_deal = [entry.seeger_fabian(series.table_size) for entry in entries]
    assert list(series.list_scores().values()) == [
        sum(column) for column in zip(*by_deal, strict=True)
    ]


def run_series_rule(given: Vector, expected: Vector) -> None:
    fair = is_fair_series(given["deals"], given["players"])
    assert fair == expected["every_player_deals_equally"]
    dealt = Series(players=tuple("ABCD"[: given["players"]]), entries=(Entry(),) * given["deals"])
    counts = [dealt.dealer(deal) for deal in range(given["deals"])]
    assert (len({counts.count(player) for player in dealt.players}) == 1) == fair


RUN: dict[str, Callable[[Vector, Vector], None]] = {
    "score": run_score,
    "bidding": run_bidding,
    "declare": run_declare,
    "null_overbid": run_null_overbid,
    "matadors": run_matadors,
    "trick": run_trick,
    "legal": run_legal,
    "card_points": run_card_points,
    "value_table": run_value_table,
    "bid_list": run_bid_list,
    "play": run_play,
    "ramsch": run_ramsch,
    "concede": run_concede,
    "series": run_series,
    "series_rule": run_series_rule,
}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector: Vector) -> None:
    category, given = vector["category"], vector["input"]
    if category == "variant":
        run_variant(given, vector["expected"], name=vector["id"])
        return
    if given.get("contract", {}).get("game") == "R":
        run_ramsch_play(given, vector["expected"])
        return
    assert category in RUN, f"no test knows the category {category!r}"
    RUN[category](given, vector["expected"])
