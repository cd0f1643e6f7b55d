"""Giving up, claims and faults (RULES 9.4 to 9.6)."""

from typing import Any

import pytest

import skatsim
from skatsim.adjudication import claim, concede, forfeit, position_of
from skatsim.cards import Deal, mask_cards, parse_card, parse_cards
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import RuleError
from skatsim.game import Game, random_deal
from skatsim.ruleset import ISKO
from skatsim.solver import reaches

SURE = "CJ SJ HJ DJ CA CT CK CQ C9 C8"


def game_with(hand: str, contract: Contract, skat: str = "D7 H7") -> Game:
    """Forehand declares a hand game at 18 with these cards; the rest is dealt in order."""
    forehand, low = parse_cards(hand), parse_cards(skat)
    rest = [card for card in range(32) if card not in (*forehand, *low)]
    game = Game(deal=Deal.from_parts(forehand, rest[:10], rest[10:], low))
    for call in (18, "hold", "pass", "pass"):
        game = game.with_call(call)
    return game.with_declaration(contract)


def play(game: Game, cards: int) -> Game:
    for _ in range(cards):
        game = game.with_card(mask_cards(game.legal_cards())[-1])
    return game


def test_9_4_the_declarer_needs_consent_later() -> None:
    game = game_with(SURE, parse_contract("clubs hand"))
    conceded = concede(game, "declarer")
    assert conceded.score is not None
    assert conceded.score.score == -2 * 12 * (abs(conceded.score.matadors or 0) + 2)
    assert not conceded.score.is_won
    later = play(game, 6)
    with pytest.raises(RuleError, match="8 cards in hand only if a defender agrees"):
        concede(later, "declarer")
    assert concede(later, "declarer", has_consent=True).end_reason == "resigned"


def test_9_4_a_defender_binds_both() -> None:
    game = concede(game_with(SURE, parse_contract("clubs hand")), "defenders")
    assert game.end_reason == "conceded"
    assert game.score is not None
    assert game.score.is_won
    assert game.score.levels == ("game", "hand")
    record, calls = game.to_record()
    assert Game.from_record(record, calls).score == game.score


def test_9_4_a_decided_game_keeps_its_result() -> None:
    game = game_with(SURE, parse_contract("clubs hand"))
    while game.declarer_card_points < 61:
        game = play(game, 1)
    score = concede(game, "declarer", has_consent=True).score
    assert score is not None
    assert score.is_won


def test_9_5_a_claim_is_proved_or_refused() -> None:
    game = game_with(SURE, parse_contract("clubs hand"))
    with pytest.raises(RuleError, match="play on until 8 are left"):
        claim(game)
    granted = claim(play(game, 15))
    assert granted.score is not None
    assert (granted.score.card_points, granted.score.trick_count) == (120, 10)
    assert granted.score.is_schwarz
    weak = game_with("CJ SJ HJ DJ CA H8 H9 S7 S8 D8", parse_contract("clubs hand"))
    with pytest.raises(RuleError, match="the defenders can take one of the tricks to come"):
        claim(play(weak, 12))


def test_9_5_null() -> None:
    low = game_with("C7 C8 C9 CT S7 S8 S9 ST HA HK", parse_contract("null hand"), "DA DK")
    assert reaches(position_of(low)) is False
    with pytest.raises(RuleError, match="claims no trick"):
        claim(low)
    sure = game_with("C7 C8 C9 CT S7 S8 S9 ST D7 D8", parse_contract("null hand"), "HA HK")
    granted = claim(sure)
    assert granted.score is not None
    assert granted.score.score == 35


def test_9_6_a_fault_costs_the_simple_game() -> None:
    game = play(game_with(SURE, parse_contract("clubs hand")), 3)
    lost, won = forfeit(game, "declarer").score, forfeit(game, "defenders").score
    assert lost is not None
    assert won is not None
    assert (lost.is_won, won.is_won) == (False, True)
    assert lost.score == -2 * won.score
    with pytest.raises(RuleError, match="nothing can be given up"):
        forfeit(Game(deal=game.deal), "declarer")


def no_trick_for_declarer(game: Game, claimant: int, trick_count: int) -> bool:
    """By playing on in every way: whether `claimant` can keep the declarer from all tricks."""
    if game.declarer_trick_count > trick_count:
        return False
    if game.phase != "play":
        return True
    results = (
        no_trick_for_declarer(game.with_card(card), claimant, trick_count)
        for card in mask_cards(game.legal_cards())
    )
    return any(results) if game.seat == claimant else all(results)


def test_9_5_a_defender_claims_against_all() -> None:
    claims = granted = 0
    for seed in range(60):
        game = Game(deal=random_deal(seed))
        for call in (18, "pass", "pass"):
            game = game.with_call(call)
        contract = parse_contract(("clubs hand", "grand hand")[seed % 2])
        game = play(game.with_declaration(contract), 21)
        for seat in {0, 1, 2} - {game.declarer or 0}:
            claims += 1
            if no_trick_for_declarer(game, seat, game.declarer_trick_count):
                granted += 1
                ended = claim(game, seat)
                assert ended.end_reason == "claimed"
                assert ended.score is not None
                assert ended.score.award == "defenders"
                assert ended.score.card_points == game.declarer_card_points
                record, calls = ended.to_record()
                assert Game.from_record(record, calls).score == ended.score
            else:
                with pytest.raises(RuleError, match="then the rest is the declarer's"):
                    claim(game, seat)
    assert 10 < granted < claims - 10


def test_9_5_the_rest_counts_with_all_its_levels() -> None:
    """As if it had been played: the declarer without a trick is schwarz."""
    forehand, middlehand = (
        parse_cards("C7 C8 C9 CQ CK D7 D8 D9 DQ H7"),
        parse_cards("CJ SJ HJ DJ CA CT DA DT HA HT"),
    )
    rest = [card for card in range(32) if card not in (*forehand, *middlehand)]
    game = Game(deal=Deal.from_parts(forehand, middlehand, rest[:10], rest[10:]))
    for call in (18, "hold", "pass", "pass"):
        game = game.with_call(call)
    game = game.with_declaration(parse_contract("clubs hand"))
    game = game.with_card(parse_card("D7"))
    while game.hand_masks[0].bit_count() > 3:
        # the declarer plays low, middlehand high
        game = game.with_card(mask_cards(game.legal_cards())[0 if game.seat == 1 else -1])
    assert game.declarer_trick_count == 0
    claimant = next(seat for seat in (1, 2) if no_trick_for_declarer(game, seat, 0))
    score = claim(game, claimant).score
    assert score is not None
    assert (score.card_points, score.is_schwarz) == (game.declarer_card_points, True)
    assert score.levels == ("game", "hand", "schneider", "schwarz")


def test_9_5_claims_of_defenders_that_are_not_judged() -> None:
    with pytest.raises(RuleError, match=r"too many cards to search|can take one of them"):
        claim(game_with("C7 C8 C9 CQ CK D7 D8 H7 H8 H9", parse_contract("clubs hand"), "S7 S8"), 1)
    with pytest.raises(RuleError, match="rest of a null game"):
        claim(game_with("C7 C8 C9 CT S7 S8 S9 ST HA HK", parse_contract("null hand")), 1)


@pytest.mark.parametrize("act", [concede, forfeit])
def test_9_1_there_are_two_sides(act: Any) -> None:
    with pytest.raises(RuleError, match="'x' is none of declarer, defenders"):
        act(game_with(SURE, parse_contract("clubs hand")), "x")


SPITZE = ISKO.with_(name="spitze", spitze_levels=1, is_schenken=True)


def spitze_game() -> Game:
    """Forehand declares diamonds with Spitze, with 1, game, Spitze: 27 or with hand 36."""
    forehand = parse_cards("CJ HJ DA DT DK D7 SA S9 H7 C7")
    skat = parse_cards("H8 C8")
    rest = [card for card in range(32) if card not in (*forehand, *skat)]
    game = Game(deal=Deal.from_parts(forehand, rest[:10], rest[10:], skat), ruleset=SPITZE)
    for call in (18, "hold", "pass", "pass"):
        game = game.with_call(call)
    return game.with_declaration(parse_contract("diamonds hand spitze", SPITZE))


def test_9_2_a_spitze_that_could_be_made_is_granted() -> None:
    game = spitze_game()
    accepted = game.with_house_call().with_house_call().with_house_call()
    given_up = concede(game, "defenders")
    fault = forfeit(game, "defenders")
    for over in (accepted, given_up, fault):
        assert over.score is not None
        assert (over.score.is_won, over.score.score, over.score.is_spitze_made) == (True, 36, True)
        record, calls = over.to_record()
        again = Game.from_record(record, calls, ruleset=SPITZE)
        assert again.score == over.score


def test_9_2_a_spitze_that_is_played_cannot_be_made() -> None:
    game = spitze_game()
    while game.phase != "play":
        game = game.with_house_call(False)
    game = game.with_card(parse_card("D7"))
    over = concede(game, "defenders")
    assert over.score is not None
    assert (over.score.is_won, over.score.score) == (False, -72)


def test_9_5_a_claim_does_not_show_a_spitze() -> None:
    game = spitze_game()
    with pytest.raises(RuleError, match="last trick: play on"):
        claim(game)


def test_the_functions_are_reachable() -> None:
    for name in ("concede", "claim", "forfeit", "bierlachs", "score_ramsch"):
        assert name in skatsim.__all__
        assert callable(getattr(skatsim, name))
