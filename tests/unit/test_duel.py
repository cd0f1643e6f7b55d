"""Duels on duplicate deals."""

from typing import Any

import numpy as np
import pytest

from skatsim.blocks import play_block
from skatsim.errors import PolicyError, RuleError
from skatsim.game import Game
from skatsim.intervals import wilson
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.study.duel import BLOCK, SEATINGS, duel
from skatsim.study.duplicate import Interval, RateSums, seat_entries


def test_a_policy_against_itself_is_exactly_nothing() -> None:
    for policy in ("heuristic", "uniform", "heuristic:risk=0.7"):
        difference = duel(policy, policy, deals=700, n_jobs=1).differences[0]
        assert (difference.mean, difference.low, difference.high) == (0.0, 0.0, 0.0)
        assert not difference.is_decided


def test_a_few_hundred_deals_tell_heuristic_from_uniform() -> None:
    result = duel("heuristic", "uniform", deals=300, n_jobs=1)
    difference = result.differences[0]
    assert difference.is_decided and difference.low is not None and difference.low > 50
    assert result.deals == difference.deals == 300


def test_the_figure_is_that_of_six_seatings() -> None:
    """Seat for seat, as one would add it up with paper and pencil."""
    deals, values = 12, []
    for k in range(deals):
        a, b = [], []
        for seating in SEATINGS:
            names = [("heuristic", "uniform")[side] for side in seating]
            rows, calls = play_block(5, k, 1, players=Players.of(seats=names), ruleset=ISKO)
            entries = Game.from_record(rows[0], calls).seeger_fabian()
            for side, entry in zip(seating, entries, strict=True):
                (a, b)[side].append(entry)
        assert len(a) == len(b) == 9
        values.append(sum(a) / 9 - sum(b) / 9)
    difference = duel("heuristic", "uniform", deals=deals, seed=5, n_jobs=1).differences[0]
    assert difference.mean == pytest.approx(np.mean(values))
    margin = 1.959964 * np.std(values, ddof=1) / np.sqrt(deals)
    assert difference.high == pytest.approx(np.mean(values) + margin)


def test_rows_add_up() -> None:
    result = duel("heuristic", "uniform", "heuristic:risk=0.3", deals=200, scoring="plain")
    assert [row.policy for row in result.rows] == ["heuristic", "uniform", "heuristic:risk=0.3"]
    for row in result.rows:
        assert row.score_per_deal == pytest.approx(row.declaring + row.defending)
        assert row.defending == 0  # in the plain list defenders enter nothing
        assert row.games == 2 * 9 * 200
        assert row.declared_rate_low is not None and row.win_rate_high is not None
        assert row.declared_rate_low <= row.declared / row.games <= row.declared_rate_high  # type: ignore[operator]
    pairs = [(difference.a, difference.b) for difference in result.differences]
    assert pairs == [
        ("heuristic", "uniform"),
        ("heuristic", "heuristic:risk=0.3"),
        ("uniform", "heuristic:risk=0.3"),
    ]


def test_threads_and_turns_change_nothing() -> None:
    one = duel("heuristic", "uniform", deals=1100, seed=3, n_jobs=1)
    assert duel("heuristic", "uniform", deals=1100, seed=3, n_jobs=2) == one
    turned = duel("uniform", "heuristic", deals=1100, seed=3, n_jobs=1)
    assert turned.differences[0].mean == -one.differences[0].mean


def test_precision_is_reached_and_no_more_is_played_than_that() -> None:
    result = duel("heuristic", "heuristic:risk=0.3", precision=1.0, seed=1, n_jobs=1)
    difference = result.differences[0]
    assert difference.deals % BLOCK == 0
    assert difference.high is not None and difference.high - difference.mean <= 1.0
    less = duel("heuristic", "heuristic:risk=0.3", deals=difference.deals - BLOCK, seed=1, n_jobs=1)
    high = less.differences[0].high
    assert high is not None and high - less.differences[0].mean > 1.0


def test_scorings_differ_by_their_bonuses() -> None:
    rows, calls = play_block(1, 0, 60, players=Players.of(play="uniform"), ruleset=ISKO)
    for size, scoring in ((3, "seeger3"), (4, "seeger4")):
        entries = seat_entries(rows, scoring, ISKO)
        start = 0
        for row, own in zip(rows, entries, strict=True):
            game = Game.from_record(row, calls[start : row["call_end"]])
            start = int(row["call_end"])
            assert tuple(own) == game.seeger_fabian(size)[:3]
            assert tuple(seat_entries(np.array([row]), "plain", ISKO)[0]) == game.seat_scores


def test_nonsense_is_refused() -> None:
    with pytest.raises(RuleError, match="two policies or more: 1 given"):
        duel("heuristic")
    with pytest.raises(RuleError, match="not both"):
        duel("heuristic", "uniform", deals=5, precision=1)
    with pytest.raises(RuleError, match="deals 0: 1 to"):
        duel("heuristic", "uniform", deals=0)
    with pytest.raises(RuleError, match="precision of -1"):
        duel("heuristic", "uniform", precision=-1)
    with pytest.raises(RuleError, match="scoring 'bierlachs' is none of"):
        duel("heuristic", "uniform", scoring="bierlachs")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="no policy 'expertt'"):
        duel("heuristic", "expertt")


def test_intervals() -> None:
    values = np.array([1, 5, 2, 9, 9])
    interval = Interval.of_sums(5, int(values.sum()), int((values**2).sum()), unit=2)
    margin = 1.959964 * values.std(ddof=1) / np.sqrt(5) / 2
    assert interval.mean == values.mean() / 2
    assert interval.high == pytest.approx(interval.mean + margin)
    assert Interval.of_sums(1, 3, 9).half_width == float("inf")


def test_games_that_hang_together_count_as_fewer() -> None:
    rng = np.random.default_rng(1)
    hits = rng.binomial(1, 0.4, size=2000)
    alone, thrice = RateSums(), RateSums()
    alone.add(hits, np.ones_like(hits))
    thrice.add(3 * hits, np.full_like(hits, 3))  # the same game, seen three times
    assert thrice.interval().mean == alone.interval().mean
    assert thrice.interval().half_width == pytest.approx(alone.interval().half_width)
    low, high = wilson(float(hits.mean()), 2000)
    assert alone.interval().low == pytest.approx(low) and alone.interval().high == pytest.approx(
        high
    )
    assert RateSums().interval().high is None


class FirstCard:
    """Plays the first legal card; all else is the heuristic's."""

    def play(self, view: Any) -> int:
        return int(view.legal_cards[0])


def test_plugged_in_policies_duel_too() -> None:
    assert duel(FirstCard, FirstCard, deals=20, n_jobs=1).differences[0].mean == 0
    difference = duel("heuristic", FirstCard, deals=200).differences[0]
    assert difference.b == "FirstCard" and difference.is_decided and difference.mean > 0
