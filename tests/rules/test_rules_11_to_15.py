"""House rules and tables of other countries, a rule's number in each name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skatsim.archive import Archive
from skatsim.blocks import play_block
from skatsim.bock import BOCK_TRIGGERS as KNOWN_TRIGGERS
from skatsim.bock import BockGame, bock_factors
from skatsim.cards import Deal, mask_points, parse_mask
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import RuleError
from skatsim.events import HouseCall
from skatsim.game import Game, random_deal
from skatsim.kernels.columns import GAME
from skatsim.kernels.engine import play_deal
from skatsim.kernels.table import HIDDEN, PUBLIC
from skatsim.policies.players import Players
from skatsim.ramsch import score_ramsch
from skatsim.ruleset import BOCK_TRIGGERS, ISKO, RULESETS, Ruleset, find_ruleset, read_ruleset
from skatsim.scoring import Score, score_game
from skatsim.simulation import simulate

CASA = find_ruleset("casa")
RAMSCH = find_ruleset("ramsch")
HAND = parse_mask("CJ HJ CA CT CK D7 H7 S7 D8 H8")
SKAT = parse_mask("S8 D9")


def clubs(
    card_points: int, *, bid: int = 18, kontra: int = 0, bock: int = 1, ruleset: Ruleset = ISKO
) -> Score:
    return score_game(
        Contract(name="clubs"),
        hand_mask=HAND,
        skat_mask=SKAT,
        bid_value=bid,
        card_points=card_points,
        trick_count=6,
        kontra=kontra,
        bock=bock,
        ruleset=ruleset,
    )


def declared(ruleset: Ruleset, *calls: int | str) -> Game:
    """A game of clubs by the seat that the calls make declarer, before the first card."""
    game = Game(deal=random_deal(3), ruleset=ruleset)
    for call in calls:
        game = game.with_call(call)
    return game.with_declaration(Contract(name="clubs", is_hand=True))


def pushed(ruleset: Ruleset) -> Game:
    return Game(deal=Deal.from_cards(range(32)), ruleset=ruleset, is_ramsch_round=True)


def play_out(game: Game) -> Game:
    """Always the lowest legal card."""
    while not game.is_over:
        legal = game.legal_cards()
        if game.phase == "play":
            game = game.with_card((legal & -legal).bit_length() - 1)
        else:
            game = game.with_house_call(False)
    return game


def test_11_1_one_defender_once_then_the_declarer() -> None:
    game = declared(CASA, 18, "pass", "pass")  # middlehand declares
    assert (game.seat, game.phase) == (0, "kontra")
    said = game.with_house_call()
    assert (said.seat, said.phase, said.kontra_count) == (1, "kontra", 1)
    assert (said.with_house_call().phase, said.with_house_call().kontra_count) == ("play", 2)
    over = play_out(said.with_house_call(False))
    assert over.kontra_count == 1  # rearhand is not asked any more
    with pytest.raises(RuleError, match="turn"):
        game.with_event(HouseCall(seat=2, kind="kontra", is_said=True))


def test_11_1_only_who_bid_18() -> None:
    ruleset = CASA.with_(name="k18", kontra_who="bid18")
    game = declared(ruleset, 18, "pass", "pass")
    assert game.phase == "play"  # forehand passed 18
    game = declared(ruleset, 18, "hold", 20, "pass", "pass")
    assert (game.seat, game.phase) == (0, "kontra")


def test_11_2_before_the_own_first_card_or_the_first_lead() -> None:
    game = declared(CASA, 18, "hold", "pass", "pass")  # forehand declares and leads
    assert game.phase == "play"
    legal = game.legal_cards()
    game = game.with_card((legal & -legal).bit_length() - 1)
    assert (game.seat, game.phase) == (1, "kontra")
    early = CASA.with_(name="early", kontra_when="first_lead")
    game = declared(early, 18, "hold", "pass", "pass")
    assert (game.seat, game.phase) == (1, "kontra")
    assert game.with_house_call(False).seat == 2
    assert game.with_house_call(False).with_house_call(False).phase == "play"


def test_11_3_the_entry_doubles_and_not_the_value() -> None:
    assert [clubs(61, kontra=steps).score for steps in range(4)] == [24, 48, 96, 192]
    assert [clubs(60, kontra=steps).score for steps in range(3)] == [-48, -96, -192]
    overbid = clubs(70, bid=40, kontra=1)
    assert (overbid.is_overbid, overbid.charged_value, overbid.score) == (True, 48, -192)


def test_12_1_every_entry_of_a_bock_deal_is_doubled() -> None:
    assert (clubs(61, bock=2).score, clubs(60, kontra=1, bock=2).score) == (48, -192)
    players = Players.of().kernel_rows()
    public, hidden = np.zeros(1, PUBLIC)[0], np.zeros(1, HIDDEN)[0]
    games = np.zeros(2, GAME)
    for number in range(100):
        for place, factor in enumerate((1, 2)):
            fault = play_deal(
                CASA.kernel_record(), players, public, hidden, games[place], 5, number, factor, 0
            )
            assert fault == 0
        for name in ("score", "forehand_entry", "middlehand_entry", "rearhand_entry"):
            assert games[1][name] == 2 * games[0][name]
        assert games[1]["game_value"] == games[0]["game_value"]
        assert (games[0]["played"] == games[1]["played"]).all()


def test_12_2_every_trigger_is_a_switch() -> None:
    assert set(BOCK_TRIGGERS) == set(KNOWN_TRIGGERS)
    assert CASA.bock_triggers == ("sixty_sixty", "grand_hand_won", "kontra_said", "re_said")
    with pytest.raises(RuleError, match="bock_triggers has 'rain'"):
        CASA.with_(bock_triggers=("rain",))


def test_12_3_rounds_wait_or_multiply() -> None:
    lost = BockGame(contract="hearts", is_won=False, card_points=60)
    rest = [BockGame()] * 5
    assert bock_factors([lost, lost, *rest], table_size=3) == (1, 2, 2, 2, 2, 2, 2)
    multiplied = bock_factors([lost, lost, *rest], table_size=3, accumulation="multiply")
    assert multiplied == (1, 2, 4, 4, 2, 1, 1)


def test_13_1_when_all_pass_or_in_rounds() -> None:
    game = Game(deal=random_deal(1), ruleset=RAMSCH)
    for _ in range(3):
        game = game.with_call("pass")
    assert (str(game.contract), game.seat, game.declarer) == ("ramsch", 0, None)
    plain = Game(deal=random_deal(1))
    for _ in range(3):
        plain = plain.with_call("pass")
    assert plain.end_reason == "passed_in"
    assert pushed(RAMSCH).phase == "play"


def test_13_2_everyone_for_himself_and_120_card_points() -> None:
    game = play_out(pushed(RAMSCH))
    assert len(game.tricks) == 10
    taken = sum(trick.card_points for trick in game.tricks)
    assert taken + mask_points(game.deal.skat_mask) == 120
    assert game.score is None
    assert sum(game.seat_scores) != 0


@pytest.mark.parametrize(
    ("skat", "entries"),
    [("last_trick", (0, -50, 0)), ("loser", (0, -55, 0)), ("none", (0, -45, 0))],
)
def test_13_3_whose_the_skat_is(skat: str, entries: tuple[int, int, int]) -> None:
    ruleset = RAMSCH.with_(ramsch_skat=skat)
    points = (30, 50, 30) if skat == "last_trick" else (40, 45, 25)
    score = score_ramsch(points, (3, 4, 3), (10, 9, 8), skat_points=10, ruleset=ruleset)
    assert score.scores == entries


def test_13_4_ties() -> None:
    points, counts, last = (50, 50, 10), (4, 4, 2), (8, 9, 10)
    for tie, entries in (
        ("both", (-50, -50, 0)),
        ("share", (-25, -25, 0)),
        ("later_trick", (0, -50, 0)),
    ):
        ruleset = RAMSCH.with_(ramsch_tie=tie)
        score = score_ramsch(points, counts, last, skat_points=10, ruleset=ruleset)
        assert score.scores == entries
    equal = score_ramsch((40, 40, 30), (4, 3, 3), last, skat_points=10, ruleset=RAMSCH)
    assert equal.scores == (0, 0, 0)
    losing = RAMSCH.with_(ramsch_forty="all_lose")
    equal = score_ramsch((40, 40, 30), (4, 3, 3), last, skat_points=10, ruleset=losing)
    assert equal.scores == (-40, -40, -40)


def test_13_5_virgins_durchmarsch_cap_and_fixed_losses() -> None:
    virgin = ((0, 60, 50), (0, 6, 4), (0, 10, 9))
    assert score_ramsch(*virgin, skat_points=10).scores == (0, -140, 0)
    march = ((0, 110, 0), (0, 10, 0), (0, 10, 0))
    assert score_ramsch(*march, skat_points=10).scores == (0, 120, 0)
    capped = RAMSCH.with_(ramsch_cap=100)
    assert score_ramsch(*virgin, skat_points=10, ruleset=capped).scores == (0, -100, 0)
    fixed = RAMSCH.with_(ramsch_fixed=(10, 15, 20))
    assert score_ramsch(*virgin, skat_points=10, ruleset=fixed).scores == (0, -15, 0)
    assert score_ramsch(*march, skat_points=10, ruleset=fixed).scores == (0, -20, 0)


@pytest.mark.parametrize(
    ("points", "counts", "lasts", "skat", "more", "what"),
    [
        ((10, 60, 40), (0, 6, 4), (0, 10, 9), 10, {}, "10 card points in 0 tricks"),
        ((0, 60, 0), (0, 10, 0), (0, 10, 0), 60, {}, "no two cards of a skat have 60"),
        ((30, 30, 30), (3, 4, 3), (8, 10, 9), 30, {}, "no two cards of a skat have 30"),
        ((40, 40, 40), (3, 4, 3), (8, 10, 9), 1, {}, "120 card points"),
        ((0, 100, 9), (0, 10, 0), (0, 10, 0), 11, {}, "9 card points in 0 tricks"),
        ((110, 0, 0), (3, 4, 3), (8, 10, 9), 10, {}, "110 card points in 3 tricks"),
        ((40, 40, 30), (4, 3, 3), (10, 10, 10), 10, {}, "last tricks"),
        ((40, 40, 30), (4, 3, 3), (9, 8, 7), 10, {}, "last tricks"),
        ((40, 40, 30), (4, 3, 3), (10, 5, 4), 10, {}, "last tricks"),
        ((40, 40, 30), (4, 3, 3), (10, 2, 9), 10, {}, "last tricks"),
        ((40, 40, 30), (4, 3, 3), (10, 0, 9), 10, {}, "last trick is 0"),
        ((40, 40, 30), (4, 3, 3), (10, 8, 9), 10, {"unseen_pushes": 9}, "pushes"),
        ((40, 40, 30), (4, 3, 3), (10, 8, 9), 10, {"unseen_pushes": 1}, "0 to 0 pushes"),
        ((40, 40, 30), (4, 3, 3), (10, 8, 9), 10, {"kontra": 1}, "doublings"),
        ((40, 40, 30), (4, 3, 3), (10, 8, 9), 10, {"bock": 3}, "factor of Bock"),
        ((40, 40, 30), (4, 3, 3), (10, 8, 9), 10, {"ruleset": ISKO}, "knows no Ramsch: ramsch"),
    ],
)
def test_13_what_no_ramsch_gives_is_refused(
    points: tuple[int, int, int],
    counts: tuple[int, int, int],
    lasts: tuple[int, int, int],
    skat: int,
    more: dict[str, Any],
    what: str,
) -> None:
    with pytest.raises(RuleError, match=what):
        score_ramsch(points, counts, lasts, skat_points=skat, **more)


def test_13_every_ramsch_played_is_possible() -> None:
    """The entries of played games, told again from what each seat took."""
    ruleset = RAMSCH.with_(name="every", ramsch_rounds="always")
    for number in range(60):
        game = play_out(Game(deal=random_deal(number), ruleset=ruleset, is_ramsch_round=True))
        points, counts, lasts = [0, 0, 0], [0, 0, 0], [0, 0, 0]
        for place, trick in enumerate(game.tricks, start=1):
            assert trick.winner is not None
            points[trick.winner] += trick.card_points
            counts[trick.winner] += 1
            lasts[trick.winner] = place
        skat = mask_points(game.deal.skat_mask)
        score = score_ramsch(points, counts, lasts, skat_points=skat, ruleset=ruleset)
        assert score.scores == game.seat_scores


def test_13_6_pushing() -> None:
    ruleset = RAMSCH.with_(name="push", is_schieberamsch=True)
    game = pushed(ruleset)
    assert (game.seat, game.phase) == (0, "look")
    with pytest.raises(RuleError, match="jacks"):
        jack = game.hand_masks[0] & 0x80808080
        other = game.hand_masks[0] & ~0x80808080
        game.with_push((jack & -jack) | (other & -other))
    low = game.hand_masks[0] & 3
    game = game.with_push(low).with_push(None).with_push(None)
    assert (game.phase, game.unseen_pushes, game.discard_mask) == ("play", 2, low)
    over = play_out(game)
    plain = play_out(pushed(RAMSCH))
    assert over.is_over
    assert plain.is_over
    record, calls = over.to_record()
    again = Game.from_record(record, calls, ruleset=ruleset)
    assert again.events == over.events
    assert again.seat_scores == over.seat_scores
    march = ((0, 110, 0), (0, 10, 0), (0, 10, 0))
    assert score_ramsch(*march, skat_points=10, unseen_pushes=2, ruleset=ruleset).scores == (
        0,
        480,
        0,
    )
    kept = ruleset.with_(is_durchmarsch_pushed=False)
    score = score_ramsch(*march, skat_points=10, unseen_pushes=2, ruleset=kept)
    assert score.scores == (0, 120, 0)


def test_13_7_grand_hand_instead() -> None:
    game = pushed(RAMSCH.with_(name="gh", is_ramsch_grand_hand=True))
    assert (game.seat, game.phase) == (0, "grand_hand")
    game = game.with_house_call(False).with_house_call()
    assert (game.declarer, str(game.contract), game.seat) == (1, "grand hand", 0)


def test_14_1_spitze() -> None:
    ruleset = ISKO.with_(name="spitze", spitze_levels=1)
    hand = parse_mask("CJ HJ CA CT CK C7 H7 S7 D8 H8")
    for is_made, entry in ((True, 36), (False, -72)):
        score = score_game(
            parse_contract("clubs spitze", ruleset),
            hand_mask=hand,
            skat_mask=SKAT,
            bid_value=18,
            card_points=70,
            trick_count=7,
            is_spitze_made=is_made,
            ruleset=ruleset,
        )
        assert (score.levels, score.score) == (("game", "spitze"), entry)
    with pytest.raises(RuleError, match="Spitze"):
        score_game(
            parse_contract("clubs spitze"),
            hand_mask=hand,
            skat_mask=SKAT,
            bid_value=18,
            card_points=70,
            trick_count=7,
        )


def test_14_2_revolution_shares_out_the_cards_anew() -> None:
    ruleset = ISKO.with_(name="revolution", revolution_value=92)
    game = Game(deal=random_deal(2), ruleset=ruleset)
    for call in (18, "pass", "pass"):
        game = game.with_call(call)
    game = game.with_declaration(parse_contract("null revolution"))
    assert (game.seat, game.phase) == (0, "resort")
    forehand, _, rearhand = game.hand_masks
    after = game.with_resort(rearhand)
    assert after.hand_masks[0] == rearhand
    assert after.hand_masks[2] == forehand
    assert play_out(after).score is not None


def test_14_3_schenken() -> None:
    ruleset = ISKO.with_(name="gift", is_schenken=True)
    game = declared(ruleset, 18, "pass", "pass")
    assert (game.seat, game.phase) == (0, "schenken")
    offered = game.with_house_call().with_house_call()
    assert (offered.seat, offered.phase) == (1, "accept")
    accepted = offered.with_house_call()
    assert (accepted.end_reason, accepted.score is not None) == ("conceded", True)
    refused = play_out(offered.with_house_call(False))
    assert refused.score is not None
    assert "schneider_announced" in refused.score.levels


def test_14_4_klopfen_doubles_a_ramsch() -> None:
    ruleset = RAMSCH.with_(name="knock", is_klopfen=True)
    game = pushed(ruleset)
    silent = play_out(game)
    loud = play_out(game.with_house_call().with_house_call(False).with_house_call())
    assert tuple(4 * entry for entry in silent.seat_scores) == loud.seat_scores


def test_14_5_values_of_older_rules() -> None:
    old = ISKO.with_(name="old", lost_hand_factor=1, grand_ouvert_base=36)
    score = score_game(
        Contract(name="clubs", is_hand=True),
        hand_mask=HAND,
        skat_mask=SKAT,
        bid_value=18,
        card_points=60,
        trick_count=6,
        ruleset=old,
        award="declarer",
    )
    assert score.score == -36
    allowed = ISKO.with_(name="free", null_below_bid="allow")
    game = Game(deal=random_deal(2), ruleset=allowed)
    for call in (24, "pass", "pass"):
        game = game.with_call(call)
    over = play_out(game.with_declaration(Contract(name="null", is_hand=False), None))
    assert over.score is not None
    assert not over.score.is_won


def test_15_1_denmark() -> None:
    denmark = find_ruleset("denmark")
    assert denmark.base_values == (9, 10, 11, 12, 20)
    assert 220 in denmark.bid_values
    assert not parse_contract("grand ouvert", denmark).is_hand


def test_15_2_texas() -> None:
    texas = find_ruleset("texas")
    assert (texas.grand_base, texas.null_values) == (16, (20, 30, 40, 60))
    assert [clubs(points, ruleset=texas).is_schneider for points in (90, 91, 30, 31)] == [
        False,
        True,
        True,
        False,
    ]
    assert not parse_contract("clubs schneider", texas).is_hand


def test_15_3_robber() -> None:
    robber = find_ruleset("robber")
    game = Game(deal=random_deal(2), ruleset=robber)
    for call in (18, "pass", "pass"):
        game = game.with_call(call)
    with pytest.raises(RuleError, match="always taken"):
        game.with_pick_up(False)


def test_15_4_tournee_is_a_table_of_values() -> None:
    with pytest.raises(RuleError, match="not played"):
        simulate(hands=10, ruleset="tournee")
    tournee = find_ruleset("tournee")
    assert clubs(60, bid=16, ruleset=tournee).score == -2 * 8 * 2
    solo = score_game(
        Contract(name="clubs", is_hand=True),
        hand_mask=HAND,
        skat_mask=SKAT,
        bid_value=24,
        card_points=60,
        trick_count=6,
        award="declarer",
        ruleset=tournee,
    )
    assert solo.score == -12 * 2


def test_15_5_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('base = "casa"\nkontra_steps = 4\nramsch_cap = 250\n')
    club = find_ruleset(str(path))
    assert (club.name, club.kontra_steps, club.all_pass) == ("club", 4, "ramsch")
    for text, message in (
        ("kontra_step = 1", "no field 'kontra_step'"),
        ('kontra_steps = "two"', "kontra_steps is 'two', not 0 to 4"),
        ("null_values = [1, 2]", "null_values is"),
        ("a = [", "is no TOML"),
        ('name = "isko"\ngrand_base = 20', "name of another ruleset"),
    ):
        path.write_text(text)
        with pytest.raises(RuleError, match=message):
            read_ruleset(path)
    for ruleset in RULESETS.values():
        path.write_text(ruleset.to_toml())
        assert read_ruleset(path) == ruleset
        assert Ruleset.from_content(ruleset.content()) == ruleset
        assert ruleset.label == ruleset.name
    assert CASA.with_(kontra_steps=1).label.startswith("casa#")


def test_15_5_runs_keep_their_rules(tmp_path: Path) -> None:
    club = CASA.with_(name="club", kontra_steps=4, is_schieberamsch=True)
    simulate(hands=300, seed=1, archive=tmp_path, run="a", ruleset=club, bidding="uniform")
    archive = Archive.open(tmp_path)
    assert archive.run("a").manifest.rules() == club
    assert archive.verify(deep=True) == []


@pytest.mark.parametrize("name", [name for name in RULESETS if name != "tournee"])
def test_13_2_card_points_are_kept_under_every_ruleset(name: str) -> None:
    ruleset = RULESETS[name]
    uniform = Players.of(bidding="uniform", declaring="uniform", play="uniform")
    rows, _ = play_block(1, 0, 3000, players=uniform, ruleset=ruleset)
    played = rows[rows["play_count"] == 30]
    points = np.array([0, 0, 0, 3, 4, 10, 11, 2] * 4)
    in_tricks = points[played["played"]].sum(axis=1)
    kept = np.where(played["discard_mask"] != 0, played["discard_mask"], played["skat_mask"])
    assert all(
        total + mask_points(int(mask)) == 120 for total, mask in zip(in_tricks, kept, strict=True)
    )


def test_11_1_a_policy_of_its_own_for_kontra() -> None:
    loud = simulate(hands=500, seed=1, ruleset="casa", kontra="uniform")
    quiet = simulate(hands=500, seed=1, ruleset="casa", kontra="heuristic:kontra=0")
    assert loud.digest != quiet.digest
    rows, _ = play_block(1, 0, 500, players=Players.of(kontra="heuristic:kontra=0"), ruleset=CASA)
    assert not rows["kontra_count"].any()
    with pytest.raises(RuleError, match="no Kontra"):
        simulate(hands=1, kontra="uniform")


@pytest.mark.parametrize("name", ["ramsch", "casa"])
def test_13_2_the_heuristic_loses_less_than_chance(name: str) -> None:
    ruleset = find_ruleset(name).with_(name="always", ramsch_rounds="always", is_schieberamsch=True)
    players = Players.of(seats=("heuristic", "uniform", "uniform"))
    rows, _ = play_block(1, 0, 1000, players=players, ruleset=ruleset)
    assert rows["forehand_entry"].mean() > rows["middlehand_entry"].mean() + 20
    assert rows["forehand_entry"].mean() > rows["rearhand_entry"].mean() + 20


def test_11_1_the_heuristic_says_kontra_when_it_pays() -> None:
    rows, _ = play_block(2, 0, 30_000, players=Players.of(), ruleset=CASA)
    doubled = rows[rows["kontra_count"] == 1]
    assert len(doubled) > 300
    # a Kontra gains if the declarer wins less than two games in three
    assert doubled["is_won"].mean() < 2 / 3
    answered = rows[rows["kontra_count"] == 2]
    assert answered["is_won"].mean() > doubled["is_won"].mean()
