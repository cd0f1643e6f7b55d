"""The step API: many tables asked and answered from outside."""

from typing import Any

import numpy as np
import pytest

from skatsim import Table, random_deal
from skatsim.errors import PolicyError, RuleError
from skatsim.policies.examples import UniformBatch, UniformPlain
from skatsim.policies.players import Players
from skatsim.replaying import rows_digest
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate
from skatsim.view import QUESTIONS


def lowest(waiting):
    return np.bitwise_count((waiting.legal_mask & -waiting.legal_mask) - 1).astype(np.int64)


def answer(waiting):
    """What uniform answers, whatever is asked."""
    actions = np.zeros(len(waiting), dtype=np.int64)
    for phase in np.unique(waiting.phase):
        chosen = waiting.phase == phase
        actions[chosen] = getattr(UniformBatch(), QUESTIONS[phase])(waiting.select(chosen))
    return actions


@pytest.mark.parametrize("ruleset", ["isko", "casa"])
def test_a_caller_that_answers_as_uniform_plays_its_games(ruleset: str) -> None:
    table = Table(300, seed=3, first=50, ruleset=ruleset)
    assert len(table) == 300 and not table.is_over
    while len(waiting := table.waiting()):
        table.apply(answer(waiting))
    assert table.is_over
    from skatsim.blocks import play_block
    from skatsim.ruleset import find_ruleset

    players = Players.of(bidding="uniform", declaring="uniform", play="uniform")
    rows, calls = play_block(3, 50, 300, players=players, ruleset=find_ruleset(ruleset))
    games = table.games()
    assert rows_digest(games, calls) == rows_digest(rows, calls)
    scores = table.scores()
    assert scores.shape == (300, 3)
    declared = rows["declarer_seat"] >= 0
    assert (scores.sum(axis=1)[declared] == rows["score"][declared]).all()


def test_others_sit_at_the_table_too() -> None:
    """Policies of every kind are asked in between; the caller plays one seat, or one decision."""
    seats = Table(200, seed=1, seats=[None, UniformPlain, "uniform"])
    while len(waiting := seats.waiting()):
        assert set(waiting.seat.tolist()) == {0}
        seats.apply(answer(waiting))
    expected = simulate(hands=200, seed=1, bidding="uniform", declaring="uniform", play="uniform")
    games = seats.games()
    assert int((games["declarer_seat"] >= 0).sum()) == expected.declared
    play = Table(100, seed=1, bidding="heuristic", declaring=UniformBatch)
    assert set(play.waiting().phase.tolist()) == {QUESTIONS.index("play")}
    with pytest.raises(RuleError, match=r"^still waiting at \d+ tables"):
        play.games()


def test_what_is_not_legal_goes_on_waiting() -> None:
    table = Table(50, seed=1, bidding="heuristic", declaring="heuristic")
    first = table.waiting()
    actions = lowest(first)
    wrong = actions.copy()
    wrong[[3, 7]] = 99
    text = r"hand \d+ of seed 1: .* answered 99 to play, .*legal were .*\(and 1 more table\)"
    with pytest.raises(RuleError, match=text):
        table.apply(wrong)
    again = table.waiting()
    assert set(first.row[[3, 7]]) <= set(again.row)
    while len(waiting := table.waiting()):
        table.apply(lowest(waiting))
    right = Table(50, seed=1, bidding="heuristic", declaring="heuristic")
    while len(waiting := right.waiting()):
        right.apply(lowest(waiting))
    assert (table.games() == right.games()).all()


def test_answers_of_another_form_are_refused() -> None:
    table = Table(5, seed=1, bidding="heuristic", declaring="heuristic")
    count = len(table.waiting())
    for actions in (np.zeros(count + 1, dtype=int), np.zeros(count), None):
        with pytest.raises(RuleError, match="whole numbers are waited for"):
            table.apply(actions)


def test_what_was_shown_cannot_be_written_or_read_late() -> None:
    table = Table(20, seed=1, bidding="heuristic", declaring="heuristic")
    waiting = table.waiting()
    view = next(waiting.views())
    for name in ("hand_mask", "legal_mask", "word"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(waiting, name)[0] = 1
        with pytest.raises(AttributeError):
            setattr(view, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        waiting["played"][0, 0] = 1
    hand = view.hand
    table.apply(lowest(waiting))
    assert view.hand == hand  # what was the seat's own can be kept
    for late in (lambda: waiting["leader"], lambda: view.declarer):
        with pytest.raises(RuleError, match="have been answered since"):
            late()


def test_a_policy_at_the_table_that_breaks_the_rules_is_named() -> None:
    class Wrong:
        def play(self, view):
            return 40

    with pytest.raises(PolicyError, match=r"policy 'Wrong' at \w+ answered 40"):
        Table(20, seed=1, bidding="heuristic", declaring="heuristic", play=Wrong)
    assert ISKO.kernel_record()["bid_least"] == 18


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": -1}, "count -1: 0 to 10,000,000"),
        ({"count": 10**9}, "count 1000000000: 0 to 10,000,000"),
        ({"seed": -1}, "seed -1: 0 to"),
        ({"seed": 2**63}, "seed 9223372036854775808: 0 to"),
        ({"seed": 2**70}, "seed 1180591620717411303424: 0 to"),
        ({"first": -1}, "first -1: 0 to"),
        ({"first": 2**63 - 2}, "first 9223372036854775806: 0 to"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError, match=message):
        Table(**{"count": 2, **arguments})


@pytest.mark.parametrize("name", ["count", "seed", "first"])
def test_other_than_whole_numbers_are_refused(name: str) -> None:
    for value in (1.5, None, "3"):
        with pytest.raises(TypeError, match=f"{name} .*: a whole number is needed"):
            Table(**{"count": 2, name: value})


def test_numbers_of_numpy_and_the_last_game_are_fine() -> None:
    assert len(Table(np.int64(2), seed=np.uint32(3), first=2**63 - 3)) == 2
    assert len(Table(0)) == 0


@pytest.mark.parametrize("arguments", [(-1,), (2**63,), (1, -1), (1, 2**70)])
def test_there_is_no_deal_of_numbers_out_of_range(arguments: tuple[int, ...]) -> None:
    with pytest.raises(RuleError, match="0 to"):
        random_deal(*arguments)
