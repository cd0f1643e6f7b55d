"""RULES.md 1 to 5, rule by rule: cards, auction, declaration, play."""

import pytest

from skatsim.auction import BID_VALUES, Auction, check_bid_value, next_bid_value
from skatsim.cards import (
    ALL_MASK,
    Deal,
    card_points,
    mask_points,
    mask_text,
    parse_card,
    parse_cards,
    parse_mask,
)
from skatsim.contracts import CONTRACT_NAMES, Contract, check_declaration, parse_contract
from skatsim.errors import RuleError
from skatsim.game import Game, random_deal
from skatsim.play import follow_mask, legal_cards, trick_winner, trump_mask
from skatsim.ruleset import ISKO


def after_auction(declarer: int = 0, bid: int = 18, deal: Deal | None = None) -> Game:
    """A game whose auction made a seat declarer at a value."""
    game = Game(deal=deal or random_deal(1))
    calls = [(bid, "hold", "pass", "pass"), (bid, "pass", "pass"), ("pass", bid, "pass")]
    for call in calls[declarer]:
        game = game.with_call(call)
    return game


def test_1_1_ids() -> None:
    assert [parse_card(text) for text in ("D7", "DJ", "H7", "S7", "C7", "CJ")] == [
        0,
        7,
        8,
        16,
        24,
        31,
    ]


def test_1_2_card_points() -> None:
    points = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
    for suit in "CSHD":
        assert {rank: card_points(parse_card(suit + rank)) for rank in points} == points
    assert mask_points(ALL_MASK) == 120


def test_1_3_trumps_of_a_suit_game() -> None:
    hearts = Contract(name="hearts")
    assert mask_text(trump_mask(hearts), contract=1) == "CJ SJ HJ DJ HA HT HK HQ H9 H8 H7"
    side = follow_mask(hearts, parse_card("S9"))
    assert mask_text(side) == "SA ST SK SQ S9 S8 S7"


def test_1_4_trumps_of_grand() -> None:
    assert mask_text(trump_mask(Contract(name="grand"))) == "CJ SJ HJ DJ"


def test_1_5_null_has_no_trumps() -> None:
    null = Contract(name="null")
    assert trump_mask(null) == 0
    assert mask_text(follow_mask(null, parse_card("S9")), contract=5) == "SA SK SQ SJ ST S9 S8 S7"


def test_2_2_every_deal_is_32_cards_once() -> None:
    deals = [random_deal(1, number) for number in range(50)]
    assert len(set(deals)) == 50


def test_3_1_the_63_values() -> None:
    assert len(BID_VALUES) == 63
    assert BID_VALUES[:12] == (18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44)
    assert (BID_VALUES[-1], next_bid_value(240), next_bid_value(264)) == (264, 264, None)
    for value in (19, 171, 189, 190, 200, 207, 209, 210, 220, 228):
        with pytest.raises(RuleError, match=f"nobody can bid {value}"):
            check_bid_value(value)


@pytest.mark.parametrize(
    ("text", "declarer", "bid_value"),
    [
        ("1 18 0 y 1 20 0 p 2 p", 1, 20),
        ("1 18 0 y 1 p 2 p", 0, 18),
        ("1 18 0 p 2 20 1 p", 2, 20),
        ("1 18 0 p 2 20 1 y 2 p", 1, 20),
        ("1 p 2 18 0 y 2 23 0 p", 2, 23),
        ("1 p 2 p 0 18", 0, 18),
        ("1 p 2 p 0 play", 0, 18),
        ("1 p 2 p 0 p", None, 0),
        ("1 264 0 y 1 p 2 p", 0, 264),
    ],
)
def test_3_2_auctions(text: str, declarer: int | None, bid_value: int) -> None:
    auction = Auction.from_text(text)
    assert (auction.is_over, auction.declarer, auction.bid_value) == (True, declarer, bid_value)
    assert auction.is_passed_in == (declarer is None)


def test_3_2_states() -> None:
    states = []
    auction = Auction()
    for call in (18, "hold", "pass", 20, "pass"):
        states.append((auction.state, auction.seat))
        auction = auction.with_call(call)
    assert states == [("say_1", 1), ("answer_1", 0), ("say_1", 1), ("say_2", 2), ("answer_2", 0)]
    assert (auction.state, auction.seat, auction.declarer) == ("over", None, 2)
    assert auction.limits == (18, 18, 20)


@pytest.mark.parametrize(
    ("said", "call", "what"),
    [
        ("", "0 18", "middlehand's turn"),
        ("", "1 19", "cannot bid 19: no game has that value; next are 18, 20, 22"),
        ("", "1 y", "cannot hold here: to bid or pass"),
        ("", "1 play", "cannot play here"),
        ("1 20", "0 22", "cannot bid 22 here: to hold or pass"),
        ("1 20 0 y", "1 18", "cannot bid 18: 20 was said before"),
        ("1 20 0 y", "1 20", "cannot bid 20: 20 was said before"),
        ("1 264 0 y", "1 300", "none is left to bid"),
        ("1 p 2 p", "0 20", "cannot bid 20 here: to play at 18 or pass"),
        ("1 18 0 p 2 p", "2 20", "the auction is over"),
    ],
)
def test_3_2_calls_that_are_refused(said: str, call: str, what: str) -> None:
    Auction.from_text(said)
    with pytest.raises(RuleError, match=what):
        Auction.from_text(f"{said} {call}")


def test_3_3_values_may_be_skipped_and_holding_is_enough() -> None:
    auction = Auction.from_text("1 60 0 y")
    assert auction.limits == (60, 60, 0)
    assert {call.kind for call in auction.with_call(80).legal_calls()} == {"hold", "pass"}


def test_3_4_passed_in_is_worth_nothing() -> None:
    game = Game(deal=random_deal(1))
    for _ in range(3):
        game = game.with_call("pass")
    assert (game.end_reason, game.score, game.seat_scores) == ("passed_in", None, (0, 0, 0))
    assert game.seeger_fabian(4) == (0, 0, 0, 0)


def test_4_1_the_declarer_takes_the_skat_or_leaves_it() -> None:
    game = after_auction(1)
    taken = game.with_pick_up(True)
    assert taken.hand_masks[1] == game.hand_masks[1] | game.deal.skat_mask
    assert game.with_pick_up(False).hand_masks == game.hand_masks


def test_4_2_two_of_twelve_are_laid_away() -> None:
    game = after_auction(0)
    skat = game.deal.skat_mask
    again = game.with_declaration(Contract(name="grand"), skat)
    assert again.discard_mask == skat
    assert again.declarer_card_points == mask_points(skat)
    strange = game.hand_masks[1] & -game.hand_masks[1]
    one = skat & -skat
    for discard, what in (
        (strange | one, "not among the twelve"),
        (one, "two cards are laid away, not 1"),
        (None, "two of the twelve"),
    ):
        with pytest.raises(RuleError, match=what):
            game.with_pick_up(True).with_declaration(Contract(name="grand"), discard)
    with pytest.raises(RuleError, match="the skat was not taken"):
        game.with_pick_up(False).with_declaration(Contract(name="grand", is_hand=True), skat)


def test_4_3_announcements_need_hand() -> None:
    for name in CONTRACT_NAMES:
        check_declaration(Contract(name=name), 18)
        check_declaration(Contract(name=name, is_hand=True), 18)
        check_declaration(parse_contract(f"{name} hand ouvert"), 18)
    for announced in ("schneider", "schwarz", "ouvert"):
        with pytest.raises(RuleError, match="no hand game"):
            check_declaration(parse_contract(f"clubs {announced}"), 18, is_skat_taken=True)
        check_declaration(parse_contract(f"clubs {announced}"), 18)
    check_declaration(parse_contract("null ouvert"), 18, is_skat_taken=True)


def test_4_3_ouvert_requires_what_the_ruleset_says() -> None:
    ouvert = Contract(name="grand", is_ouvert=True)
    with pytest.raises(RuleError):
        check_declaration(ouvert, 18, is_skat_taken=True)
    check_declaration(ouvert, 18, is_skat_taken=True, ruleset=ISKO.with_(ouvert_requires="none"))


def test_4_3_who_leaves_the_skat_and_does_not_say_hand_plays_a_plain_game() -> None:
    game = after_auction(0, 18).with_pick_up(False).with_declaration(Contract(name="spades"))
    assert game.contract == Contract(name="spades")
    assert not game.is_skat_taken


def test_4_4_null_below_the_bid() -> None:
    for words, most in (("null", 23), ("null hand", 35), ("null ouvert", 46), ("NOH", 59)):
        contract = parse_contract(words)
        check_declaration(contract, most)
        with pytest.raises(RuleError, match="below the bid"):
            check_declaration(contract, most + 1)


def test_4_5_a_suit_game_below_the_bid_may_be_declared() -> None:
    twelve = parse_mask("CJ HJ DA DT DK D9 D8 D7 SA S7 HA H7")
    diamonds = Contract(name="diamonds")
    check_declaration(diamonds, 45, cards_mask=twelve)
    strict = ISKO.with_(is_strict_declare=True)
    check_declaration(diamonds, 36, cards_mask=twelve, ruleset=strict)
    with pytest.raises(RuleError, match="cannot reach the bid of 40"):
        check_declaration(diamonds, 40, cards_mask=twelve, ruleset=strict)


def test_4_6_ouvert_cards_lie_open() -> None:
    game = after_auction(1).with_declaration(parse_contract("null hand ouvert"))
    assert game.open_mask == game.hand_masks[1]
    assert after_auction(1).with_declaration(parse_contract("null hand")).open_mask == 0


def test_5_1_forehand_leads() -> None:
    for declarer in range(3):
        game = after_auction(declarer).with_declaration(parse_contract("grand hand"))
        assert game.seat == 0


@pytest.mark.parametrize(
    ("contract", "hand", "lead", "legal"),
    [
        ("hearts", "SJ CA DA S7", "S9", "S7"),
        ("hearts", "SJ CA DA H7", "S9", "SJ CA DA H7"),
        ("hearts", "SJ CA DA S7", "HA", "SJ"),
        ("grand", "CJ SA HA", "DJ", "CJ"),
        ("grand", "SA HA D7", "DJ", "SA HA D7"),
        ("null", "DJ HA", "D7", "DJ"),
        ("null", "SJ HA", "D7", "SJ HA"),
    ],
)
def test_5_2_following(contract: str, hand: str, lead: str, legal: str) -> None:
    found = legal_cards(Contract(name=contract), parse_mask(hand), lead=parse_card(lead))
    assert found == parse_mask(legal)


@pytest.mark.parametrize(
    ("contract", "cards", "winner"),
    [
        ("hearts", "SK S9 SA", 2),
        ("hearts", "CJ DJ H7", 0),
        ("hearts", "SA H7 DJ", 2),
        ("hearts", "SA CT CA", 0),
        ("grand", "SA HA DJ", 2),
        ("grand", "DJ CJ SJ", 1),
        ("null", "DT DK D9", 1),
        ("null", "DT DJ DQ", 2),
        ("null", "D7 CJ SJ", 0),
    ],
)
def test_5_3_winner(contract: str, cards: str, winner: int) -> None:
    assert trick_winner(Contract(name=contract), parse_cards(cards)) == winner


def test_5_4_null_ends_with_the_declarers_first_trick() -> None:
    deal = Deal.from_text(
        "CA CK CQ CJ CT C9 C8 C7 SA SK",
        "HA HK HQ HJ HT H9 H8 H7 ST S9",
        "DA DK DQ DJ DT D9 D8 D7 S8 S7",
        "SQ SJ",
    )
    game = after_auction(0, deal=deal).with_declaration(parse_contract("null hand"))
    for text in ("C7", "H7", "D7"):
        game = game.with_card(parse_card(text))
    assert (game.end_reason, game.seat, len(game.tricks)) == ("decided_early", None, 1)
    assert game.seat_scores == (-70, 0, 0)
    with pytest.raises(RuleError, match="the game is over"):
        game.with_card(parse_card("C8"))


def test_5_4_suit_games_run_ten_tricks() -> None:
    game = after_auction(0).with_declaration(parse_contract("clubs hand ouvert"))
    while not game.is_over:
        legal = game.legal_cards()
        game = game.with_card((legal & -legal).bit_length() - 1)
    assert (game.end_reason, len(game.tricks)) == ("ten_tricks", 10)
