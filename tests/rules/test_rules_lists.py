"""RULES.md 8.4, 8.5 and Bock rounds: series of deals, rule by rule."""

from itertools import pairwise
from typing import Any

import pytest

from skatsim.bock import BOCK_TRIGGERS, DEFAULT_TRIGGERS, BockGame, BockRounds, bock_factors
from skatsim.cards import parse_mask
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.lists import (
    SERIES_LENGTHS,
    Entry,
    Series,
    Tally,
    bierlachs,
    dealer_of,
    is_fair_series,
    seats_of,
    seeger_fabian,
    standings,
)
from skatsim.ruleset import BOCK_TRIGGERS as ruleset_triggers
from skatsim.ruleset import ISKO, find_ruleset
from skatsim.scoring import score_game

PLAIN = BockGame()
LOST_60 = BockGame(contract="hearts", is_won=False, card_points=60, game_value=20)
GRAND_HAND = BockGame(contract="grand", is_hand=True, is_won=True, game_value=72)


@pytest.mark.parametrize("size", [3, 4])
def test_8_4_everybody_deals_and_sits_everywhere_equally_often(size: int) -> None:
    length = SERIES_LENGTHS[size]
    assert is_fair_series(length, size)
    dealers = [dealer_of(deal, size) for deal in range(length)]
    assert {dealers.count(player) for player in range(size)} == {12}
    for seat in range(3):
        players = [seats_of(deal, size)[seat] for deal in range(length)]
        assert {players.count(player) for player in range(size)} == {12}
    assert all((old + 1) % size == new for old, new in pairwise(dealers))
    for deal, dealer in enumerate(dealers):
        if size == 3:
            assert seats_of(deal, size)[2] == dealer
        else:
            assert dealer not in seats_of(deal, size)


def test_8_4_passed_in_deals_count_and_move_the_deal() -> None:
    series = Series(players=("A", "B", "C"), entries=(Entry(), Entry(), Entry()), first_dealer=1)
    assert [series.dealer(deal) for deal in range(3)] == ["B", "C", "A"]
    assert series.running_totals() == ((0, 0, 0),) * 3
    assert series.is_fair
    assert series.list_scores() == {"A": 0, "B": 0, "C": 0}


def test_8_4_running_totals_and_the_foot() -> None:
    series = Series(
        players=("A", "B", "C"),
        entries=(
            Entry(declarer=0, score=144, is_won=True),
            Entry(declarer=0, score=-54, is_won=False),
            Entry(declarer=2, score=46, is_won=True),
        ),
    )
    assert series.running_totals() == ((144, 0, 0), (90, 0, 0), (90, 0, 46))
    assert series.tallies()[0] == Tally(player="A", score=90, won_count=1, lost_count=1)
    assert series.list_scores() == {"A": 90, "B": 40, "C": 136}
    assert [place.player for place in series.standings()] == ["C", "A", "B"]


def test_8_4_the_sitting_dealer_is_given_thirty_and_cannot_be_declarer() -> None:
    entry = Entry(declarer=1, score=-48, is_won=False)
    assert Series(players=tuple("ABCD"), entries=(entry,)).list_scores() == {
        "A": 30, "B": -98, "C": 30, "D": 30,
    }  # fmt: skip
    with pytest.raises(RuleError, match="not among its three players"):
        Series(players=tuple("ABCD"), entries=(Entry(declarer=0, score=18, is_won=True),))
    with pytest.raises(RuleError, match="three or four"):
        Series(players=("A", "B"))
    with pytest.raises(RuleError, match="first dealer"):
        Series(players=("A", "B", "C"), first_dealer=3)


def test_8_4_ramsch_gives_no_bonus() -> None:
    entry = Entry(scores=(0, -45, 0))
    assert entry.plain(3) == entry.seeger_fabian(3) == (0, -45, 0)


def test_8_3_lots_decide_the_last_tie() -> None:
    tied = [Tally(player=name, score=100, won_count=2, lost_count=1) for name in "ABC"]
    assert [place.rank for place in standings(tied)] == [1, 1, 1]
    drawn = standings(tied, lots={"A": 3, "B": 1, "C": 2})
    assert [place.player for place in drawn] == ["B", "C", "A"]
    assert [place.rank for place in drawn] == [1, 2, 3]
    assert [place.rank for place in standings(tied, tie_rule="shared", lots={"A": 3})] == [1, 1, 1]


def test_8_5_bierlachs_knows_minus_points_only() -> None:
    series = Series(
        players=("A", "B", "C", "D"),
        entries=(
            Entry(declarer=1, score=24, is_won=True),
            Entry(declarer=2, score=-96, is_won=False),
            Entry(),
            Entry(declarer=1, score=60, is_won=True),
        ),
    )
    assert bierlachs(series) == ((-60, 0, -180, -24), None)
    assert bierlachs(series, loss_factor=1) == ((-60, 0, -132, -24), None)
    assert bierlachs(series, limit=-100) == ((0, 0, -120, -24), 1)


def test_8_5_bierlachs_goes_by_the_value_of_a_lost_game() -> None:
    single = ISKO.with_(name="old", lost_hand_factor=1)
    known = Series(
        players=("A", "B", "C"),
        entries=(Entry(declarer=0, score=-40, is_won=False, value=40),),
    )
    assert bierlachs(known, loss_factor=1, ruleset=single) == ((-40, 0, 0), None)
    unknown = Series(players=("A", "B", "C"), entries=(Entry(declarer=0, score=-40, is_won=False),))
    assert bierlachs(unknown, loss_factor=1) == ((-20, 0, 0), None)
    with pytest.raises(RuleError, match="does not say its value"):
        bierlachs(unknown, ruleset=single)
    both = ISKO.with_(name="single", lost_factor=1, lost_hand_factor=1)
    assert bierlachs(unknown, loss_factor=1, ruleset=both) == ((-40, 0, 0), None)


def test_8_5_an_entry_of_a_score_knows_its_value() -> None:
    score = score_game(
        Contract(name="clubs", is_hand=True),
        hand_mask=parse_mask("CJ HJ CA CT CK D7 H7 S7 D8 H8"),
        skat_mask=parse_mask("S8 D9"),
        bid_value=18,
        card_points=60,
        trick_count=6,
        kontra=1,
        ruleset=ISKO.with_(name="old", lost_hand_factor=1),
    )
    entry = Entry.of(score, 2)
    assert (entry.score, entry.value, entry.declarer) == (-72, 72, 2)


def test_8_5_a_durchmarsch_costs_the_two_others() -> None:
    series = Series(players=("A", "B", "C", "D"), entries=(Entry(scores=(0, 120, 0, 0)),))
    assert bierlachs(series) == ((0, 0, -120, -120), None)
    series = Series(players=("A", "B", "C"), entries=(Entry(scores=(0, -60, -60)),))
    assert bierlachs(series) == ((0, -60, -60), None)


@pytest.mark.parametrize("given", [{"loss_factor": 0}, {"limit": 0}, {"limit": 500}])
def test_8_5_numbers_that_end_no_list(given: dict[str, int]) -> None:
    with pytest.raises(RuleError, match="not"):
        bierlachs(Series(players=("A", "B", "C")), **given)


@pytest.mark.parametrize(
    "given",
    [
        {"declarer": 0, "score": -20, "is_won": True},
        {"declarer": 0, "score": 20, "is_won": False},
        {"declarer": 0, "score": 20},
        {"declarer": 0, "score": 20, "is_won": True, "scores": (0, 0, 0)},
        {"score": 20},
        {"is_won": True},
    ],
)
def test_8_1_entries_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(RuleError):
        Entry(**given)


def test_8_1_scores_are_those_of_the_players() -> None:
    with pytest.raises(RuleError, match="2 scores for 3 players"):
        Series(players=("A", "B", "C"), entries=(Entry(scores=(0, -40)),))
    with pytest.raises(RuleError, match="who sits out"):
        Series(players=("A", "B", "C", "D"), entries=(Entry(scores=(-40, 0, 0, 0)),))
    with pytest.raises(RuleError, match="won is not entered with -20"):
        seeger_fabian(-20, is_won=True, declarer=0)


def test_8_3_unknown_words_are_refused() -> None:
    tallies = [Tally(player=name, score=0, won_count=0, lost_count=0) for name in "ABC"]
    with pytest.raises(RuleError, match="no rule for ties is named 'xx': there is skwo, shared"):
        standings(tallies, tie_rule="xx")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="no scoring is named 'zz': there is plain"):
        standings(tallies, scoring="zz")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="no scoring is named 'zz'"):
        Series(players=("A", "B", "C")).list_scores("zz")  # type: ignore[arg-type]


def test_bock_rounds_multiply_up_to_nine() -> None:
    factors = bock_factors([LOST_60] * 30, table_size=4, accumulation="multiply")
    assert max(factors) == 16
    many = BockRounds(accumulation="multiply", left=(3,) * 20, is_trigger_doubled=True)
    assert (many.factor, many.factor_of(LOST_60)) == (512, 1024)


def test_bock_a_round_is_one_deal_a_player() -> None:
    deals = [LOST_60] + [PLAIN] * 6
    assert bock_factors(deals, table_size=3) == (1, 2, 2, 2, 1, 1, 1)
    assert bock_factors(deals, table_size=4) == (1, 2, 2, 2, 2, 1, 1)


def test_bock_rounds_queue_or_multiply() -> None:
    deals = [LOST_60, GRAND_HAND] + [PLAIN] * 6
    assert bock_factors(deals, table_size=3) == (1, 2, 2, 2, 2, 2, 2, 1)
    assert bock_factors(deals, table_size=3, accumulation="multiply") == (1, 2, 4, 4, 2, 1, 1, 1)
    with pytest.raises(RuleError, match="accumulate"):
        BockRounds(accumulation="add")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("trigger", "game", "other"),
    [
        ("sixty_sixty", LOST_60, BockGame(contract="hearts", is_won=False, card_points=59)),
        ("sixty_sixty", LOST_60, BockGame(contract="null", is_won=False, card_points=60)),
        ("grand_hand_won", GRAND_HAND, BockGame(contract="grand", is_won=True)),
        ("grand_lost", BockGame(contract="grand", is_won=False), GRAND_HAND),
        (
            "null_ouvert_hand",
            BockGame(contract="null", is_ouvert=True, is_hand=True, is_won=True),
            BockGame(contract="null", is_ouvert=True, is_won=True),
        ),
        ("kontra_said", BockGame(contract="grand", is_won=True, kontra_steps=1), GRAND_HAND),
        ("re_said", BockGame(is_won=True, kontra_steps=2), BockGame(is_won=True, kontra_steps=1)),
        (
            "kontra_lost",
            BockGame(is_won=False, kontra_steps=1),
            BockGame(is_won=True, kontra_steps=1),
        ),
        (
            "kontra_and_re",
            BockGame(is_won=True, kontra_steps=2),
            BockGame(is_won=False, kontra_steps=1),
        ),
        ("equal_digits", BockGame(entries=(0, -222, 0)), BockGame(entries=(0, 22, 0))),
        ("full_hundreds", BockGame(entries=(0, 0, 300)), BockGame(entries=(0, 0, 310))),
        ("value_72", BockGame(game_value=72), BockGame(game_value=70)),
        ("value_96", BockGame(game_value=96), BockGame(game_value=72)),
    ],
)
def test_bock_each_trigger_is_its_own_switch(trigger: str, game: BockGame, other: BockGame) -> None:
    assert bock_factors([game, PLAIN], table_size=3, triggers={trigger}) == (1, 2)
    assert bock_factors([other, PLAIN], table_size=3, triggers={trigger}) == (1, 1)
    assert bock_factors([game, PLAIN], table_size=3, triggers=()) == (1, 1)
    silent = [name for name in BOCK_TRIGGERS if name != trigger]
    if trigger == "sixty_sixty":
        assert bock_factors([game, PLAIN], table_size=3, triggers=silent) == (1, 1)


def test_bock_kontra_flags_of_one_game_count_once() -> None:
    game = BockGame(contract="clubs", is_won=False, kontra_steps=2, card_points=50)
    names = ("kontra_said", "re_said", "kontra_lost", "kontra_and_re")
    deals = [game] + [PLAIN] * 5
    assert bock_factors(deals, table_size=3, triggers=names) == (1, 2, 2, 2, 1, 1)
    # with another kind of trigger it starts a second round
    game = BockGame(contract="clubs", is_won=False, kontra_steps=2, card_points=60)
    deals = [game] + [PLAIN] * 7
    assert bock_factors(deals, table_size=3, triggers=(*names, "sixty_sixty")) == (
        1, 2, 2, 2, 2, 2, 2, 1,
    )  # fmt: skip


def test_bock_totals_count_the_doubling() -> None:
    deals = [LOST_60, BockGame(entries=(50, 0, 0)), PLAIN, PLAIN, PLAIN]
    names = ("sixty_sixty", "full_hundreds")
    # 50 in a Bock round makes 100, which starts the next
    assert bock_factors(deals, table_size=3, triggers=names) == (1, 2, 2, 2, 2)


def test_bock_the_trigger_itself_may_be_doubled() -> None:
    deals = [LOST_60, PLAIN, LOST_60, PLAIN]
    factors = bock_factors(deals, table_size=3, is_trigger_doubled=True)
    assert factors == (2, 2, 4, 2)
    lost = BockGame(contract="hearts", is_won=False, card_points=60, entries=(-40, 0, 0))
    rounds = BockRounds(is_trigger_doubled=True).with_game(lost)
    assert (rounds.left, rounds.totals) == ((3,), ())
    names = ("sixty_sixty", "full_hundreds")
    rounds = BockRounds(is_trigger_doubled=True, triggers=names).with_game(lost)
    assert rounds.totals == (-80, 0, 0)


def test_bock_unknown_trigger() -> None:
    with pytest.raises(RuleError, match="no Bock trigger is named 'rain'"):
        bock_factors([], table_size=3, triggers=["rain"])


def test_bock_triggers_are_those_of_rulesets() -> None:
    assert sorted(BOCK_TRIGGERS) == sorted(ruleset_triggers)
    assert set(DEFAULT_TRIGGERS) == set(find_ruleset("casa").bock_triggers)
