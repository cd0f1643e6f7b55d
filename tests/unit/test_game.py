"""Games as lists of events: steps, what a viewer is told, records."""

import numpy as np
import pytest

from skatsim import records
from skatsim.auction import Auction, Call
from skatsim.cards import Deal, mask_cards, mask_points, parse_card, parse_mask
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import NotationError, RecordError, RuleError
from skatsim.events import (
    END_REASONS,
    AuctionResult,
    CardPlayed,
    Declaration,
    Event,
    GameEnd,
    PickUp,
)
from skatsim.game import Game, random_deal
from skatsim.kernels import table
from skatsim.ruleset import find_ruleset
from skatsim.scoring import AWARDS

DEAL = Deal.from_text(
    "CJ SJ CA CT CK CQ C9 C8 C7 SA",
    "HJ HA HT HK HQ H9 H8 H7 ST SK",
    "DJ DA DT DK DQ D9 D8 D7 SQ S9",
    "S8 S7",
)


def declared(contract: str = "clubs hand") -> Game:
    game = Game(deal=DEAL)
    for call in (18, "hold", "pass", "pass"):
        game = game.with_call(call)
    return game.with_declaration(parse_contract(contract))


def with_cards(game: Game, text: str) -> Game:
    for word in text.split():
        game = game.with_card(parse_card(word))
    return game


def played_out(game: Game) -> Game:
    while not game.is_over:
        game = game.with_card(mask_cards(game.legal_cards())[0])
    return game


def test_names_of_records_are_those_of_games() -> None:
    assert records.END_REASONS == END_REASONS
    assert records.AWARDS == AWARDS


def test_events_in_their_order() -> None:
    game = with_cards(declared(), "CJ HJ DJ")
    assert game.events == (
        Call(seat=1, kind="bid", value=18),
        Call(seat=0, kind="hold"),
        Call(seat=1, kind="pass"),
        Call(seat=2, kind="pass"),
        PickUp(seat=0, is_skat_taken=False),
        Declaration(seat=0, contract=Contract(name="clubs", is_hand=True), discard_mask=None),
        CardPlayed(seat=0, card=parse_card("CJ")),
        CardPlayed(seat=1, card=parse_card("HJ")),
        CardPlayed(seat=2, card=parse_card("DJ")),
    )
    assert Game(deal=DEAL, events=game.events) == game
    assert game.auction == Auction.from_text("1 18 0 y 1 p 2 p")


def test_what_a_viewer_is_told() -> None:
    game = with_cards(declared(), "CJ HJ DJ SA ST S9 CA HA")
    first, second, third = game.tricks
    assert (first.number, first.leader, first.winner, first.card_points) == (1, 0, 0, 6)
    assert (second.winner, second.card_points) == (0, 21)
    assert (third.winner, third.cards) == (None, (parse_card("CA"), parse_card("HA")))
    assert third.seats == (0, 1)
    assert third.card_of(1) == parse_card("HA")
    assert third.card_of(2) is None
    assert (game.phase, game.seat, game.declarer, game.bid_value) == ("play", 2, 0, 18)
    assert game.declarer_card_points == 6 + 21 + mask_points(DEAL.skat_mask)
    assert (game.defender_card_points, game.declarer_trick_count) == (0, 2)
    assert game.hand_masks[0] == parse_mask("SJ CT CK CQ C9 C8 C7")
    assert game.legal_cards() == game.hand_masks[2]
    assert (game.end_reason, game.score, game.is_over) == (None, None, False)


def test_result() -> None:
    game = played_out(declared())
    score = game.score
    assert score is not None
    assert (score.matadors, score.is_won, score.is_schneider) == (2, True, True)
    assert game.seat_scores == (score.score, 0, 0)
    assert game.seeger_fabian(4) == (score.score + 50, 0, 0, 0)
    assert (game.phase, game.seat, game.legal_cards()) == ("over", None, 0)


def test_games_are_values() -> None:
    before = declared()
    after = with_cards(before, "CJ")
    assert before.played == ()
    assert before.hand_masks[0] == DEAL.forehand_mask
    assert after.hand_masks[0] != before.hand_masks[0]
    assert hash(before.deal) == hash(DEAL)


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (CardPlayed(seat=1, card=16), "middlehand cannot play a card now: it is forehand's turn"),
        (CardPlayed(seat=0, card=parse_card("HA")), "'HA': it is not in the hand"),
        (Call(seat=0, kind="pass"), "forehand cannot call now: the game is at 'play'"),
        (PickUp(seat=0, is_skat_taken=True), "cannot take the skat now"),
        (AuctionResult(declarer=0, bid_value=18), "in place of its calls"),
        (
            Declaration(seat=0, contract=Contract(name="null"), discard_mask=None),
            "cannot declare now",
        ),
    ],
)
def test_events_out_of_place(event: Event, what: str) -> None:
    with pytest.raises(RuleError, match=what):
        declared().with_event(event)


def test_a_card_that_does_not_follow() -> None:
    game = with_cards(declared("grand hand"), "SA")
    with pytest.raises(RuleError, match="cannot play 'HA' under 'SA': spades in hand: ST SK"):
        game.with_card(parse_card("HA"))


def test_a_call_that_is_refused() -> None:
    with pytest.raises(RuleError, match="cannot bid 19"):
        Game(deal=DEAL).with_call(19)
    with pytest.raises(RuleError, match="forehand cannot call now: it is middlehand's turn"):
        Game(deal=DEAL).with_event(Call(seat=0, kind="pass"))


def test_nothing_follows_the_end() -> None:
    game = played_out(declared())
    with pytest.raises(RuleError, match="over"):
        game.with_end("claimed")
    with pytest.raises(RuleError, match="over"):
        game.with_card(0)
    with pytest.raises(RuleError, match="not over: it is at the play"):
        declared().to_record()


def test_given_up() -> None:
    game = with_cards(declared("clubs"), "CJ HJ DJ").with_end("conceded", award="conceded")
    assert game.score is not None
    assert (game.score.score, game.score.levels) == (-72, ("game",))
    assert game.seeger_fabian() == (-122, 40, 40)
    record, calls = game.to_record()
    assert Game.from_record(record, calls).events[-1] == GameEnd(
        reason="conceded", award="conceded"
    )


def test_the_rest_to_the_declarer() -> None:
    game = with_cards(declared(), "CJ HJ DJ").with_end("resigned", award="declarer")
    assert game.score is not None
    assert (game.score.card_points, game.score.trick_count) == (120, 10)
    assert game.score.is_schwarz


def test_a_record_without_calls() -> None:
    record, _ = played_out(declared()).to_record()
    game = Game.from_record(record)
    assert game.events[0] == AuctionResult(declarer=0, bid_value=18)
    assert game.auction.calls == ()
    again, calls = game.to_record()
    assert (again["score"], len(calls)) == (record["score"], 0)


def test_a_record_that_ended_in_the_auction() -> None:
    game = Game(deal=DEAL).with_call(18).with_end("left")
    record, calls = game.to_record()
    assert (int(record["declarer_seat"]), int(record["bid_value"])) == (-1, 0)
    assert Game.from_record(record, calls).events == game.events


def test_a_record_that_ended_before_the_discard() -> None:
    game = Game(deal=DEAL)
    for call in (18, "hold", "pass", "pass"):
        game = game.with_call(call)
    record, calls = game.with_end("left").to_record()
    assert int(record["contract"]) == -1
    assert Game.from_record(record, calls).score is None
    record["contract"], record["is_skat_taken"] = 3, 1
    again = Game.from_record(record, calls)
    assert (again.contract, again.discard_mask) == (Contract(name="clubs"), None)
    assert again.end_reason == "left"
    assert int(again.to_record()[0]["discard_mask"]) == 0


def test_an_unknown_card() -> None:
    record, calls = with_cards(declared(), "CJ HJ").with_end("left").to_record()
    record["played"][2] = table.UNKNOWN_CARD
    record["play_count"] = 3
    game = Game.from_record(record, calls)
    assert game.events[-2] == CardPlayed(seat=2, card=None)
    assert game.to_record()[0]["play_count"] == 3
    assert list(game.to_record()[0]["played"]) == list(record["played"])


def test_a_bid_no_game_has_is_taken_from_records_only() -> None:
    record, _ = played_out(declared()).to_record()
    record["bid_value"] = 19
    calls = [19, table.CALL_HOLD, table.CALL_PASS, table.CALL_PASS]
    assert Game.from_record(record, calls).bid_value == 19
    with pytest.raises(RuleError):
        Game(deal=DEAL).with_call(19)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("declarer_seat", 1, "do not make seat 1"),
        ("bid_value", 20, "the last value said is 18, not 20"),
        ("skat_mask", 3, "dealt twice"),
        ("end_reason", END_REASONS.index("passed_in"), "does not end with 'passed_in'"),
    ],
)
def test_records_that_do_not_replay(field: str, value: int, what: str) -> None:
    record, calls = played_out(declared()).to_record()
    record[field] = value
    with pytest.raises(RecordError, match=what):
        Game.from_record(record, calls)


def test_a_record_with_a_revoke_names_the_card() -> None:
    record, calls = played_out(declared("grand hand")).to_record()
    cards = np.array(record["played"])
    second = next(i for i in range(1, 30) if i % 3 and cards[i] != cards[1])
    record["played"][1], record["played"][second] = cards[second], cards[1]
    with pytest.raises(RecordError, match="card 2"):
        Game.from_record(record, calls)


def test_deals_of_a_seed() -> None:
    assert random_deal(1, 3) == random_deal(1, 3)
    assert random_deal(1, 3) != random_deal(2, 3)
    assert len({random_deal(5, number) for number in range(20)}) == 20


def test_calls_as_text() -> None:
    with pytest.raises(NotationError, match="'x' is no call"):
        Auction().with_call("x")
    with pytest.raises(NotationError, match="seat and call in turn"):
        Auction.from_text("1 18 0")
    with pytest.raises(NotationError, match="with the value None"):
        Call(seat=0, kind="bid")
    assert str(Auction.from_text("1 p 2 p 0 play")) == "1 p 2 p 0 18"


def test_ramsch_has_no_bonuses_and_is_pushed_with_push() -> None:
    rules = find_ruleset("ramsch").with_(name="push", is_schieberamsch=True)
    game = Game(deal=random_deal(1), ruleset=rules)
    for _ in range(3):
        game = game.with_call("pass")
    assert game.phase == "look"
    with pytest.raises(RuleError, match="use with_push"):
        game.with_house_call(True)
    for _ in range(3):
        game = game.with_push(None)
    game = played_out(game)
    assert sum(game.seat_scores) < 0
    assert game.seeger_fabian() == game.seat_scores
    assert game.seeger_fabian(4) == (*game.seat_scores, 0)
