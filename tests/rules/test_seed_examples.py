"""Worked examples of the four rule pages that no vector holds; `seeds.md` tells what is where."""

import pytest

from skatsim.auction import BID_VALUES, Auction
from skatsim.cards import parse_mask
from skatsim.contracts import Contract, parse_contract
from skatsim.explanation import explain
from skatsim.lists import Entry, Series
from skatsim.play import follow_mask
from skatsim.ruleset import ISKO
from skatsim.scoring import Score, count_matadors, score_game, value_rows


def settled(
    contract: str, hand: str, skat: str, *, bid: int, points: int | None, tricks: int,
    discard: str | None = None,
) -> Score:  # fmt: skip
    return score_game(
        parse_contract(contract),
        hand_mask=parse_mask(hand),
        skat_mask=parse_mask(skat),
        bid_value=bid,
        card_points=points,
        trick_count=tricks,
        discard_mask=parse_mask(discard) if discard else None,
    )


def test_the_club_jack_in_the_skat_makes_without_one_with_four() -> None:
    hand = parse_mask("SJ HJ DJ CA CT C9 SA S7 H7 D7")
    assert count_matadors(hand, Contract(name="spades")) == -1
    assert count_matadors(hand | parse_mask("CJ S9"), Contract(name="hearts")) == 4


def test_the_club_jack_in_the_skat_sinks_without_three() -> None:
    score = settled(
        "clubs hand", "DJ CA CT CK CQ C9 C8 SA HA H7", "CJ D7", bid=60, points=70, tricks=7
    )
    assert (score.matadors, score.game_value, score.is_won, score.score) == (1, 36, False, -120)


def test_the_cheapest_game_is_18_and_the_dearest_264() -> None:
    assert (BID_VALUES[0], BID_VALUES[-1]) == (18, 264)
    lowest = settled(
        "diamonds", "CJ HJ DA DT DK D9 SA S7 H7 C7", "S8 H8", bid=18, points=61, tricks=5
    )
    assert lowest.score == 18


def test_a_grand_is_worth_a_club_game_with_three() -> None:
    grand = settled("grand", "CJ HJ DA DT CA CT SA S7 H7 C7", "S8 H8", bid=18, points=75, tricks=6)
    clubs = settled("clubs", "CJ SJ HJ CA CT C9 SA S7 H7 D7", "S8 H8", bid=18, points=75, tricks=6)
    assert grand.game_value == clubs.game_value == 48


def test_with_two_game_three_times_hearts_is_thirty() -> None:
    score = settled("hearts", "CJ SJ HA HT H9 D7 S7 C7 D8 S8", "D9 C8", bid=30, points=70, tricks=6)
    assert explain(score, "en").startswith("with 2, game 3, times hearts 10 = 30")
    assert "mit zwei, Spiel drei, mal Herz" in explain(score, "de")


def test_with_two_game_three_schneider_four_times_spades_is_44() -> None:
    score = settled("spades", "CJ SJ SA ST SK S9 HA HT DA CA", "D7 C7", bid=18, points=95, tricks=8)
    assert (score.matadors, score.level, score.game_value) == (2, 2, 44)
    assert explain(score, "en").startswith("with 2, game 3, schneider 4, times spades 11 = 44")


def test_the_overbid_hearts_game_with_78_card_points() -> None:
    """Bid 23, with one: 20; the least multiple of ten that reaches 23 is 30, lost double."""
    score = settled(
        "hearts", "CJ HJ HA HT HK H8 SA ST CA D7", "DT CK", bid=23, points=78, tricks=6,
        discard="DT CK",
    )  # fmt: skip
    assert (score.matadors, score.multiplier, score.game_value) == (1, 2, 20)
    assert (score.is_overbid, score.is_won, score.score) == (True, False, -60)


def test_how_high_may_i_bid_hearts_hand_with_two() -> None:
    rows = value_rows(parse_mask("CJ SJ HA HT HQ S7 S8 D7 D8 C7"))
    (row,) = [row for row in rows if row.contract == "hearts" and row.is_hand]
    assert (row.matadors, row.value_held) == (2, 40)
    (plain,) = [row for row in rows if row.contract == "clubs" and not row.is_hand]
    assert plain.value_held == 36  # with 2, game 3, times 12


def test_a_jack_is_no_card_of_its_suit() -> None:
    hearts = Contract(name="hearts")
    spades = parse_mask("SA ST SK SQ S9 S8 S7")
    assert follow_mask(hearts, parse_mask("SK").bit_length() - 1) == spades
    clubs_jack = parse_mask("CJ").bit_length() - 1
    assert follow_mask(hearts, clubs_jack) == parse_mask("CJ SJ HJ DJ HA HT HK HQ H9 H8 H7")


@pytest.mark.parametrize(
    ("text", "declarer", "bid"),
    [
        # middlehand goes to 30 and passes, rearhand passes at once
        ("1 18 0 y 1 20 0 y 1 22 0 y 1 23 0 y 1 24 0 y 1 27 0 y 1 30 0 y 1 p 2 p", 0, 30),
        # 18 held, 20 not; then rearhand says 22, held, and 23, which is not
        ("1 18 0 y 1 20 0 p 2 22 1 y 2 23 1 p", 2, 23),
        # both others pass: forehand plays at 18
        ("1 p 2 p 0 18", 0, 18),
    ],
)
def test_auctions_of_the_pages(text: str, declarer: int, bid: int) -> None:
    from skatsim.auction import Call

    auction = Auction()
    words = text.split()
    for seat, said in zip(words[::2], words[1::2], strict=True):
        kind = {"y": "hold", "p": "pass"}.get(said, "bid")
        value = None
        if kind == "bid":
            kind, value = ("play", None) if auction.state == "alone" else ("bid", int(said))
        auction = auction.with_call(Call(seat=int(seat), kind=kind, value=value))  # type: ignore[arg-type]
    assert (auction.is_over, auction.declarer, auction.bid_value) == (True, declarer, bid)


def test_the_tournament_table() -> None:
    won, lost = Entry(declarer=1, score=30, is_won=True), Entry(declarer=1, score=-60, is_won=False)
    assert won.seeger_fabian(3) == (0, 80, 0)
    assert lost.seeger_fabian(3) == (40, -110, 40)
    assert lost.seeger_fabian(4) == (30, -110, 30, 30)


def test_the_online_match_of_nine_hands() -> None:
    series = Series(players=("A", "B", "C"), entries=(Entry(),) * 9)
    assert series.is_fair
    assert [series.dealer(deal) for deal in range(9)] == ["A", "B", "C"] * 3


def test_null_values_lie_just_below_multiples_of_twelve() -> None:
    assert ISKO.null_values == (23, 35, 46, 59)
    assert [value % 12 for value in ISKO.null_values] == [11, 11, 10, 11]
