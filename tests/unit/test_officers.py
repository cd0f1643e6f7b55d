"""The game for two: deal, trump, open and closed cards, following, result, record."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skatsim.cards import card_points, mask_cards, mask_of, parse_card, parse_cards
from skatsim.errors import RecordError, RuleError
from skatsim.officers import (
    ELDER,
    OFFICERS,
    YOUNGER,
    OfficersDeal,
    OfficersGame,
    OfficersRules,
    OfficersView,
    play_officers,
    random_player,
)

DEAL = OfficersDeal(
    closed=(parse_cards("D7 D8 D9 DQ H7 H8 H9 HQ"), parse_cards("S7 S8 S9 SQ C7 C8 C9 CQ")),
    open=(parse_cards("CJ SJ CA CT CK DK HK SK"), parse_cards("HJ DJ SA ST HA HT DA DT")),
)


def card(text: str) -> int:
    return parse_card(text)


def lowest(view: OfficersView) -> str | int:
    return view.trumps[0] if view.trump is None else min(mask_cards(view.legal_mask))


def test_deal_has_eight_piles_each() -> None:
    for number in range(50):
        deal = OfficersDeal.from_seed(1, number)
        cards = [c for row in (*deal.closed, *deal.open) for c in row]
        assert sorted(cards) == list(range(32))
    with pytest.raises(RuleError, match="32 different cards"):
        OfficersDeal(closed=DEAL.closed, open=(DEAL.open[0], DEAL.open[0]))
    with pytest.raises(RuleError, match="not 24"):
        OfficersDeal.from_cards(range(24))


def test_trump_is_named_by_the_first_four_open_cards() -> None:
    game = OfficersGame(deal=DEAL)
    assert game.player == ELDER
    assert game.view.open_masks == (mask_of(parse_cards("CJ SJ CA CT")), 0)
    assert game.view.legal_mask == 0
    with pytest.raises(RuleError, match="not named"):
        game.with_card(card("CJ"))
    with pytest.raises(RuleError, match="trump is one of"):
        game.with_trump("grand")
    game = game.with_trump("clubs")
    with pytest.raises(RuleError, match="clubs already"):
        game.with_trump("hearts")
    assert len(game.open_cards(ELDER)) == len(game.open_cards(YOUNGER)) == 8
    rules = OfficersRules(trumps=("grand",))
    assert OfficersGame(deal=DEAL, rules=rules).with_trump("grand").trump == "grand"


def test_elder_leads_and_freed_cards_are_turned_after_the_trick() -> None:
    game = OfficersGame(deal=DEAL).with_trump("clubs").with_card(card("CJ"))
    assert game.player == YOUNGER
    assert card("D7") not in game.open_cards(ELDER)  # not turned yet
    with pytest.raises(RuleError, match="trumps in hand: HJ DJ"):
        game.with_card(card("SA"))  # jacks are trumps
    game = game.with_card(card("DJ"))
    assert game.tricks == ((ELDER, (card("CJ"), card("DJ")), ELDER),)
    assert game.player == ELDER
    assert game.open_cards(ELDER)[0] == card("D7")
    assert game.open_cards(YOUNGER)[1] == card("S8")
    assert game.card_points == (4, 0)


def test_only_open_cards_are_followed_with() -> None:
    game = OfficersGame(deal=DEAL).with_trump("hearts")
    # the dealer has closed clubs only: he may play anything that lies open
    game = game.with_card(card("CA"))
    assert game.legal_cards == mask_of(game.open_cards(YOUNGER))
    with pytest.raises(RuleError, match="not in the hand"):
        game.with_card(card("C7"))
    game = game.with_card(card("HJ"))  # a trump takes the trick
    assert game.tricks[0][2] == YOUNGER
    assert game.player == YOUNGER


def test_sixteen_tricks_and_120_card_points() -> None:
    game = play_officers(DEAL, lowest)
    assert (len(game.tricks), game.is_over, game.player) == (16, True, None)
    assert sum(game.card_points) == 120
    assert sum(game.trick_counts) == 16
    with pytest.raises(RuleError, match="over"):
        game.with_card(card("CJ"))
    with pytest.raises(RuleError, match="over"):
        _ = game.view


def finished(points: int) -> OfficersGame:
    """A random game in which elder has so many card points."""
    for number in range(100_000):
        deal = OfficersDeal.from_seed(9, number)
        game = play_officers(deal, random_player(9, number))
        if game.card_points[ELDER] == points:
            return game
    raise AssertionError(points)


@pytest.mark.parametrize(("points", "winner"), [(61, ELDER), (60, YOUNGER)])
def test_elder_needs_61_and_the_dealer_60(points: int, winner: int) -> None:
    result = finished(points).result
    assert result is not None
    assert (result.winner, result.score, result.is_schneider) == (winner, 1, False)


def test_scores_are_parameters() -> None:
    rules = OfficersRules(win_score=10, schneider_score=25, schwarz_score=50, schneider_points=59)
    game = play_officers(DEAL, random_player(1), rules=rules)
    result = game.result
    assert result is not None
    assert result.score in (25, 50)
    loser = 1 - result.winner
    assert result.is_schneider == (game.card_points[loser] <= 59)
    for bad in ({"elder_needs": 0}, {"schneider_points": 60}, {"trumps": ("null",)}):
        with pytest.raises(RuleError):
            OfficersRules(**bad)  # type: ignore[arg-type]


def test_schneider_and_schwarz() -> None:
    """Every card that elder plays beats every card of the dealer."""
    high = parse_cards("CJ SJ HJ DJ CA CT CK CQ C9 C8 C7 SA HA DA ST HT")
    low = [c for c in range(32) if c not in high]
    deal = OfficersDeal(closed=(high[8:], tuple(low[:8])), open=(high[:8], tuple(low[8:])))

    def play(view: OfficersView) -> str | int:
        if view.trump is None:
            return "clubs"
        cards = mask_cards(view.legal_mask)
        order = {c: place for place, c in enumerate((*high, *low))}
        return min(cards, key=lambda c: order[c])

    result = play_officers(deal, play).result
    assert result is not None
    assert (result.winner, result.trick_counts, result.score) == (ELDER, (16, 0), 3)
    assert result.is_schwarz
    assert result.is_schneider


@settings(max_examples=60)
@given(st.integers(0, 2**40), st.integers(0, 32))
def test_records_replay(number: int, cards: int) -> None:
    game = play_officers(OfficersDeal.from_seed(4, number), random_player(4, number))
    part = OfficersGame(deal=game.deal, trump=game.trump, played=game.played[:cards])
    for known in (game, part, OfficersGame(deal=game.deal)):
        assert OfficersGame.from_text(known.to_text()) == known
    result = game.result
    assert result is not None
    assert sum(result.card_points) == sum(card_points(c) for c in range(32)) == 120


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("officers", "skat", "is no record"),
        ("; trump", "; suit", "is no record"),
        ("D7/", "D8/", "given twice|32 different"),
        ("clubs", "null", "trump is one of"),
        ("played CJ", "played C7", "not in the hand"),
        ("CJ DJ", "CJ SA", "trumps in hand"),
        ("CJ DJ", "XX DJ", "does not replay"),
    ],
)
def test_damaged_records_are_refused(old: str, new: str, message: str) -> None:
    game = OfficersGame(deal=DEAL).with_trump("clubs")
    text = game.with_card(card("CJ")).with_card(card("DJ")).to_text()
    assert old in text
    with pytest.raises(RecordError, match=message):
        OfficersGame.from_text(text.replace(old, new))


def test_views_hide_closed_cards() -> None:
    def watch(view: OfficersView) -> str | int:
        seen = view.open_masks[0] | view.open_masks[1] | mask_of(view.played)
        closed = sum(1 for c in range(32) if not (seen >> c) & 1)
        assert closed >= max(0, 16 - len(view.played))
        return random_player(2)(view)

    assert play_officers(OfficersDeal.from_seed(2), watch).is_over
    assert OFFICERS.elder_needs == 61
