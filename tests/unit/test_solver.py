"""Positions the solver refuses, and what its answers look like."""

import random
from typing import Any

import numpy as np
import pytest

from skatsim.cards import parse_card, parse_cards, parse_mask
from skatsim.contracts import parse_contract
from skatsim.errors import RuleError
from skatsim.kernels.solver_trick import highest_of_runs, lowest_of_runs
from skatsim.solver import Position, best_discard, card_points, reaches, solve, solve_many

FOREHAND = "CJ SJ CA CT CK SA ST HA H7 D7"
MIDDLEHAND = "HJ DJ CQ C9 SK SQ S9 HT HK DA"
REARHAND = "C8 C7 S8 S7 HQ H9 H8 DT DK DQ"
SKAT = "D9 D8"


def position(**changes: Any) -> Position:
    fields: dict[str, Any] = {
        "forehand_mask": parse_mask(FOREHAND),
        "middlehand_mask": parse_mask(MIDDLEHAND),
        "rearhand_mask": parse_mask(REARHAND),
        "skat_mask": parse_mask(SKAT),
        "contract": parse_contract("clubs"),
        "declarer_seat": 0,
        **changes,
    }
    return Position(**fields)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"skat_mask": parse_mask("D9")}, "skat 'D9': two cards are needed"),
        ({"skat_mask": parse_mask("D9 CJ")}, "'CJ' in two places: forehand and skat"),
        (
            {"middlehand_mask": parse_mask("CJ HJ DJ CQ C9 SK SQ S9 HT HK")},
            "'CJ' in two places: forehand and middlehand",
        ),
        (
            {"rearhand_mask": parse_mask("C8 C7 S8 S7 HQ H9 H8 DT DK")},
            "uneven hands at the start of a trick: forehand 10, middlehand 10, rearhand 9",
        ),
        ({"leader_seat": 3}, "leader_seat 3 is no seat: 0, 1 or 2"),
        ({"declarer_seat": -1}, "declarer_seat -1 is no seat: 0, 1 or 2"),
        ({"trick": (32,)}, "32 on the table is no card: 0 to 31"),
        (
            {"trick": (parse_card("D7"),)},
            "'D7' in two places: forehand and the card forehand played",
        ),
        (
            {"forehand_mask": parse_mask(FOREHAND) & ~1, "trick": (0,), "leader_seat": 1},
            "uneven hands with 1 card on the table led by middlehand: forehand 9, middlehand 10,"
            " rearhand 10",
        ),
        ({"card_points": 5}, "declarer with 5 card points in 0 of 0 tricks: 0 to 0 are possible"),
        ({"trick_count": 1}, "declarer with 1 tricks: 0 are finished"),
        ({"forehand_mask": 1 << 40}, f"forehand {1 << 40} is no mask of cards: 0 to 0xffffffff"),
    ],
)
def test_bad_positions_say_what_is_wrong(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError) as caught:
        position(**changes)
    assert str(caught.value) == message


def test_revoke_on_the_table_is_refused() -> None:
    with pytest.raises(RuleError, match="cannot play 'HT' under 'D7': middlehand holds DA"):
        position(
            forehand_mask=parse_mask(FOREHAND) & ~parse_mask("D7"),
            middlehand_mask=parse_mask(MIDDLEHAND) & ~parse_mask("HT"),
            trick=parse_cards("D7 HT"),
        )


def test_card_that_is_not_legal_is_refused() -> None:
    with pytest.raises(RuleError, match="cannot play 'HT' under 'D7'"):
        position().after(parse_card("D7")).after(parse_card("HT"))


def test_moves_and_line_of_a_whole_deal() -> None:
    start = position()
    solution = solve(start)
    assert solution.card_points == card_points(start)
    assert set(solution.moves) == set(start.legal_cards())
    assert max(solution.moves.values()) == solution.card_points
    assert len(solution.line) == 30
    assert reaches(start, solution.card_points)
    assert not reaches(start, (solution.card_points or 0) + 1)
    here = start
    for card in solution.line:
        assert card_points(here) == solution.card_points
        here = here.after(card)
    assert here.is_over
    assert solve(here).card_points == solution.card_points
    assert solve(here).moves == {}


def test_null_line_ends_with_the_lost_trick() -> None:
    start = position(contract=parse_contract("null"))
    solution = solve(start)
    assert solution.card_points is None
    assert not solution.won
    here = start
    for card in solution.line:
        assert not here.is_over
        here = here.after(card)
    assert here.trick_count == 1
    assert not solve(here).won
    with pytest.raises(RuleError, match="card points of null"):
        card_points(start)
    with pytest.raises(RuleError, match="at least 61 card points in null"):
        reaches(start, 61)


def test_announcements_raise_the_aim() -> None:
    points = card_points(position())
    assert 61 <= points < 90
    assert solve(position()).won
    assert not solve(position(contract=parse_contract("clubs hand schneider"))).won
    assert not reaches(position(contract=parse_contract("clubs hand schneider")))
    assert not reaches(position(contract=parse_contract("clubs hand schwarz")))


def test_schwarz_needs_every_trick_not_only_all_card_points() -> None:
    """120 card points with a worthless trick lost is no schwarz (RULES 6)."""
    everything = {
        "forehand_mask": parse_mask("H9"),
        "middlehand_mask": parse_mask("D7"),
        "rearhand_mask": parse_mask("D8"),
        "skat_mask": parse_mask("CA ST"),
        "leader_seat": 1,
        "trick_count": 9,
        "card_points": 99,
    }
    lost = position(contract=parse_contract("clubs hand schwarz"), **everything)
    assert solve(lost).card_points == 120
    assert not solve(lost).won
    assert solve(position(contract=parse_contract("clubs hand schneider"), **everything)).won


def test_rows_that_are_no_positions_are_named() -> None:
    fields = {
        "forehand_mask": [parse_mask(FOREHAND)] * 3,
        "middlehand_mask": parse_mask(MIDDLEHAND),
        "rearhand_mask": parse_mask(REARHAND),
        "skat_mask": parse_mask(SKAT),
        "contract": 3,
        "declarer_seat": 0,
    }
    expected = card_points(position())
    assert solve_many(**fields).tolist() == [expected] * 3
    assert solve_many(**fields, at_least=[expected, expected + 1, -1]).tolist() == [1, 0, expected]
    with pytest.raises(RuleError, match="row 2: leader_seat 4 is no seat"):
        solve_many(**fields, leader_seat=[0, 1, 4])
    with pytest.raises(RuleError, match="row 1: contract 6 is no contract"):
        solve_many(**{**fields, "contract": [3, 6, 3]})
    with pytest.raises(RuleError, match="row 0: 7 card points from earlier tricks"):
        solve_many(**fields, card_points=7)
    with pytest.raises(RuleError, match="row 1: uneven hands at the start"):
        masks = np.array([parse_mask(FOREHAND)] * 3)
        masks[1] &= ~parse_mask("CJ")
        solve_many(**{**fields, "forehand_mask": masks})
    assert solve_many(**{**fields, "forehand_mask": []}).shape == (0,)


def test_discard_needs_twelve_cards() -> None:
    fields: dict[str, Any] = {
        "forehand_mask": parse_mask(FOREHAND),
        "middlehand_mask": parse_mask(MIDDLEHAND),
        "rearhand_mask": parse_mask(REARHAND),
        "contract": parse_contract("clubs"),
        "declarer_seat": 0,
    }
    with pytest.raises(RuleError, match="twelve cards are needed"):
        best_discard(**fields)
    fields["forehand_mask"] |= parse_mask("D9 C8")
    with pytest.raises(RuleError, match="'C8' in two places: forehand and rearhand"):
        best_discard(**fields)
    fields["forehand_mask"] = parse_mask(f"{FOREHAND} {SKAT}")
    with pytest.raises(RuleError, match="by 'luck' is none of points, wins"):
        best_discard(**fields, by="luck")
    best = best_discard(**fields)
    assert best.card_points is not None
    assert best.card_points >= card_points(position())


def test_runs_end_at_cards_of_others_and_at_suits() -> None:
    """Against a walk card by card: 7 bits a suit, the four jacks above."""
    rng = random.Random(4)
    for _ in range(300):
        own = rng.getrandbits(32)
        others = rng.getrandbits(32) & ~own
        lowest = highest = 0
        for start, end in ((0, 7), (7, 14), (14, 21), (21, 28), (28, 32)):
            run: list[int] = []
            for card in range(start, end):
                if own >> card & 1:
                    run.append(card)
                if run and (others >> card & 1 or not own >> card >> 1 & (1 << end - card - 1) - 1):
                    lowest |= 1 << run[0]
                    highest |= 1 << run[-1]
                    run = []
        assert lowest_of_runs(own, others) == lowest
        assert highest_of_runs(own, others) == highest
