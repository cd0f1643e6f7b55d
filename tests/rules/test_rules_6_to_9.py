"""RULES.md 6 to 9, rule by rule: value, settlement, lists, games that end early."""

import pytest

from skatsim.cards import find_notation, mask_cards, parse_mask
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import RuleError
from skatsim.lists import Tally, list_score, seeger_fabian, standings
from skatsim.ruleset import ISKO
from skatsim.scoring import Score, count_matadors, score_game

WITH_TWO = ("CJ SJ SA ST SK SQ S9 HA H7 DA", "S8 D7")
WITH_ONE = ("CJ HJ CA CT CK D7 H7 S7 D8 H8", "S8 D9")
WITH_FOUR = ("CJ SJ HJ DJ HA HT DA DT SA ST", "S7 H7")


def settled(
    contract: str,
    cards: tuple[str, str],
    bid: int,
    card_points: int | None,
    trick_count: int,
    award: str = "none",
) -> Score:
    style = find_notation(*cards)
    return score_game(
        parse_contract(contract),
        hand_mask=parse_mask(cards[0], style),
        skat_mask=parse_mask(cards[1], style),
        bid_value=bid,
        card_points=card_points,
        trick_count=trick_count,
        award=award,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("cards", "contract", "found"),
    [
        ("CJ SJ HJ DJ", "grand", 4),
        ("", "grand", -4),
        ("CJ HJ", "grand", 1),
        ("SJ HJ", "grand", -1),
        ("CJ SJ HJ DJ HA", "hearts", 5),
        ("CJ SJ HJ DJ HT", "hearts", 4),
        ("CJ SJ HJ DJ HA HT HK HQ H9 H8 H7", "hearts", 11),
        ("CA", "hearts", -11),
        ("H7", "hearts", -10),
        ("HA", "hearts", -4),
        ("HA", "spades", -11),
    ],
)
def test_6_1_matadors(cards: str, contract: str, found: int) -> None:
    assert count_matadors(parse_mask(cards), Contract(name=contract)) == found


def test_6_1_a_ruleset_may_cap_matadors() -> None:
    capped = ISKO.with_(max_matadors=4)
    assert count_matadors(parse_mask("CA"), Contract(name="hearts"), capped) == -4


def test_6_1_jacks_in_a_skat_not_taken_count() -> None:
    hand, skat = "CJ HA HT HK HQ H9 H8 SA ST D7", "SJ D8"
    score = settled("hearts hand", (hand, skat), 18, 95, 8)
    assert (score.matadors, score.game_value) == (2, 50)


def test_6_1_jacks_laid_away_count() -> None:
    score = score_game(
        Contract(name="hearts"),
        hand_mask=parse_mask("CJ SJ HA HT HK HQ SA ST D7 D8"),
        skat_mask=parse_mask("D9 C7"),
        bid_value=18,
        card_points=70,
        trick_count=6,
        discard_mask=parse_mask("CJ SJ"),
    )
    assert (score.matadors, score.score) == (2, 30)


def test_6_2_base_values() -> None:
    assert ISKO.base_values == (9, 10, 11, 12, 24)


@pytest.mark.parametrize(
    ("points", "tricks", "score"),
    [(30, 3, -88), (31, 3, -66), (60, 5, -66), (61, 5, 33), (89, 8, 33), (90, 8, 44)],
)
def test_6_3_borders(points: int, tricks: int, score: int) -> None:
    assert settled("spades", WITH_TWO, 18, points, tricks).score == score


@pytest.mark.parametrize(
    ("contract", "level"),
    [
        ("clubs", 1),
        ("clubs hand", 2),
        ("clubs hand schneider", 4),
        ("clubs hand schwarz", 6),
        ("clubs hand ouvert", 7),
    ],
)
def test_6_3_announced_levels_count_when_missed(contract: str, level: int) -> None:
    score = settled(contract, WITH_ONE, 18, 70, 6)
    assert (score.level, score.multiplier) == (level, level + 1)
    assert score.is_won == (level < 3)


def test_6_3_no_level_counts_twice() -> None:
    made = settled("clubs hand schneider", WITH_ONE, 18, 95, 8)
    own = settled("clubs hand schneider", WITH_ONE, 18, 25, 3)
    assert made.level == own.level == 4
    assert made.is_schneider
    assert own.is_schneider


def test_6_3_more_made_than_announced() -> None:
    score = settled("grand hand schneider", WITH_FOUR, 18, 120, 10)
    assert score.levels == ("game", "hand", "schneider", "schneider_announced", "schwarz")


def test_6_4_value() -> None:
    score = settled("grand hand ouvert", WITH_FOUR, 18, 120, 10)
    assert (score.multiplier, score.game_value) == (11, 264)


def test_6_5_schwarz_is_no_trick() -> None:
    assert settled("clubs", WITH_ONE, 18, 120, 9).is_schwarz is False
    no_trick = ("SJ C7 D7 H7 S7 C8 D8 H8 S8 D9", "ST SK")
    score = settled("clubs hand", no_trick, 18, 14, 0)
    assert (score.is_schwarz, score.levels[-1]) == (True, "schwarz")


@pytest.mark.parametrize(
    ("contract", "value"),
    [("null", 23), ("null hand", 35), ("null ouvert", 46), ("null hand ouvert", 59)],
)
def test_6_6_null_is_fixed(contract: str, value: int) -> None:
    won, lost = (settled(contract, WITH_ONE, 18, None, tricks) for tricks in (0, 1))
    assert (won.score, lost.score) == (value, -2 * value)
    for score in (won, lost):
        assert score.matadors is score.level is score.multiplier is None
        assert score.is_schneider is score.is_schwarz is None


def test_7_1_the_value_is_entered_not_the_bid() -> None:
    assert settled("grand", WITH_FOUR, 18, 70, 6).score == 120


def test_7_1_announced_means_reached() -> None:
    assert settled("clubs hand schneider", WITH_ONE, 18, 90, 8).is_won
    assert not settled("clubs hand schneider", WITH_ONE, 18, 89, 8).is_won
    assert not settled("clubs hand schwarz", WITH_ONE, 18, 118, 9).is_won


def test_7_2_lost_hand_games_are_doubled() -> None:
    assert settled("clubs hand", WITH_ONE, 18, 60, 6).score == -72


@pytest.mark.parametrize(
    ("bid", "points", "tricks", "charged", "is_won"),
    [
        (24, 70, 6, 24, True),
        (27, 70, 6, 36, False),
        (27, 92, 8, 36, True),
        (40, 92, 8, 48, False),
        (48, 120, 10, 48, True),
        (48, 120, 9, 48, False),
        (60, 120, 10, 60, False),
        (27, 20, 2, 36, False),
        (27, 50, 5, 36, False),
    ],
)
def test_7_3_overbid(bid: int, points: int, tricks: int, charged: int, is_won: bool) -> None:
    score = settled("clubs", WITH_ONE, bid, points, tricks)
    assert (score.charged_value, score.is_won) == (charged, is_won)
    assert score.score == (charged if is_won else -2 * charged)
    assert score.is_overbid_before_play == (bid > 24)


def test_7_3_schwarz_suffered_can_charge_more_than_the_bid() -> None:
    cards = ("SJ C7 D7 H7 S7 C8 D8 H8 S8 D9", "ST SK")
    assert settled("grand", cards, 50, 14, 0).score == -192


@pytest.mark.parametrize("trick_count", [0, 1])
def test_7_4_null_below_its_bid_is_lost_as_the_cheapest_game(trick_count: int) -> None:
    score = settled("null", WITH_ONE, 24, None, trick_count)
    # with 1, game 2: clubs 24, hearts 30, spades 33, diamonds 27, grand 48
    assert (score.is_won, score.is_overbid, score.game_value) == (False, True, 23)
    assert (score.charged_value, score.score) == (24, -48)


@pytest.mark.parametrize(
    ("contract", "points", "tricks", "what"),
    [
        ("clubs", 121, 10, "0 to 120"),
        ("clubs", -1, 0, "0 to 120"),
        ("clubs", 1, 1, "nearest"),
        ("clubs", 119, 9, "nearest"),
        ("clubs", 31, 10, "31 card points with 10 tricks cannot be .* nearest are 120"),
        ("clubs", 119, 10, "nearest are 120"),
        ("clubs", 60, 0, "nearest"),
        ("clubs", 110, 2, "nearest"),
        ("clubs", 70, 11, "11 tricks: there are ten"),
        ("clubs", 70, -1, "-1 tricks"),
        ("null", None, 2, "null ends with his first trick"),
        ("clubs", None, 5, "how many did he take"),
    ],
)
def test_7_5_outcomes_no_cards_can_give(
    contract: str, points: int | None, tricks: int, what: str
) -> None:
    with pytest.raises(RuleError, match=what):
        settled(contract, WITH_ONE, 18, points, tricks)


def test_7_5_what_any_ten_tricks_give_is_possible() -> None:
    assert settled("clubs", WITH_ONE, 18, 120, 10).score == 48


@pytest.mark.parametrize(
    ("hand", "skat", "what"),
    [
        ("CJ", "S8 D9", "a hand has 10 cards, here are 1"),
        (WITH_ONE[0], "S8", "the skat has 2 cards, here are 1"),
        (WITH_ONE[0], "CJ S8", "'CJ' is in the hand and in the skat"),
    ],
)
def test_7_5_twelve_cards_are_needed(hand: str, skat: str, what: str) -> None:
    with pytest.raises(RuleError, match=what):
        settled("clubs", (hand, skat), 18, 70, 6)


def test_8_1_only_the_declarers_column_moves() -> None:
    tally = Tally(player="A", score=90, won_count=1, lost_count=1)
    assert list_score(tally, others_lost_count=3, table_size=3, scoring="plain") == 90


@pytest.mark.parametrize(
    ("score", "is_won", "size", "entries"),
    [
        (24, True, 3, (0, 74, 0)),
        (24, True, 4, (0, 74, 0, 0)),
        (-48, False, 3, (40, -98, 40)),
        (-48, False, 4, (30, -98, 30, 30)),
    ],
)
def test_8_2_seeger_fabian(score: int, is_won: bool, size: int, entries: tuple[int, ...]) -> None:
    assert seeger_fabian(score, is_won=is_won, declarer=1, table_size=size) == entries


def test_8_2_passed_in() -> None:
    assert seeger_fabian(0, is_won=None, declarer=None, table_size=4) == (0, 0, 0, 0)
    with pytest.raises(RuleError, match="table of 5"):
        seeger_fabian(0, is_won=None, declarer=None, table_size=5)
    with pytest.raises(RuleError, match="sits at 3"):
        seeger_fabian(18, is_won=True, declarer=3)


FOUR = [
    Tally(player="A", score=480, won_count=11, lost_count=0),
    Tally(player="B", score=640, won_count=12, lost_count=3),
    Tally(player="C", score=655, won_count=10, lost_count=2),
    Tally(player="D", score=-40, won_count=5, lost_count=4),
]


@pytest.mark.parametrize(
    ("scoring", "order", "best"),
    [
        ("plain", "CBAD", [655, 640, 480]),
        ("own_games", "BCAD", [1090, 1055, 1030]),
        ("seeger_fabian", "ABCD", [1300, 1270, 1265]),
    ],
)
def test_8_3_the_order_flips_with_the_list(scoring: str, order: str, best: list[int]) -> None:
    places = standings(FOUR, scoring=scoring)  # type: ignore[arg-type]
    assert "".join(place.player for place in places) == order
    assert [place.list_score for place in places][:3] == best


def test_8_3_ties() -> None:
    tied = [
        Tally(player="A", score=100, won_count=2, lost_count=2),
        Tally(player="B", score=100, won_count=1, lost_count=1),
        Tally(player="C", score=0, won_count=2, lost_count=2),
    ]
    ranks = {
        rule: [place.rank for place in standings(tied, scoring="own_games", tie_rule=rule)]
        for rule in ("skwo", "shared")
    }
    assert ranks == {"skwo": [1, 2, 3], "shared": [1, 1, 3]}


def test_9_1_who_gives_up_is_not_charged_schneider() -> None:
    for points, tricks in ((0, 0), (25, 3), (55, 5)):
        score = settled("clubs", WITH_ONE, 18, points, tricks, award="conceded")
        assert (score.levels, score.score) == (("game",), -48)


def test_9_1_but_the_bid() -> None:
    assert settled("clubs", WITH_ONE, 27, 0, 0, award="conceded").score == -72


def test_9_1_and_a_game_already_won_stays_won() -> None:
    assert settled("clubs", WITH_ONE, 18, 61, 5, award="conceded").score == 24


def test_cards_of_these_tests() -> None:
    for hand, skat in (WITH_TWO, WITH_ONE, WITH_FOUR):
        assert len(mask_cards(parse_mask(f"{hand} {skat}"))) == 12
