"""Thresholds studied on duplicate deals."""

import numpy as np
import pytest

from skatsim.blocks import play_block
from skatsim.errors import PolicyError, RuleError
from skatsim.policies import Parameter, find_policy
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.study.break_even import break_even
from skatsim.study.duplicate import seat_entries
from skatsim.study.threshold import default_values, threshold

VALUES = (0.2, 0.54, 0.9)

RISKS = (0.44, 0.46, 0.48, 0.5, 0.52, 0.54, 0.56, 0.58, 0.6, 0.62)
"""What the default of `risk` was chosen from."""


def entries(value: float, deals: int, seed: int, *, is_self_play: bool = False) -> np.ndarray:
    """What the seats of the policy enter, shape (3, deals), game by game."""
    studied = f"heuristic:risk={value}"
    found = []
    for seat in range(3):
        seats = [studied if is_self_play or s == seat else "heuristic" for s in range(3)]
        rows, _ = play_block(seed, 0, deals, players=Players.of(seats=seats), ruleset=ISKO)
        found.append(seat_entries(rows, "seeger3", ISKO)[:, seat])
    return np.stack(found)


@pytest.mark.parametrize("is_self_play", [False, True])
def test_scores_and_differences_are_those_of_the_games(is_self_play: bool) -> None:
    deals = 250
    result = threshold(
        "heuristic", "risk", VALUES, deals=deals, seed=9, is_self_play=is_self_play, n_jobs=1
    )
    own = [entries(value, deals, 9, is_self_play=is_self_play) for value in VALUES]
    means = [float(one.mean()) for one in own]
    assert [row.score_per_deal for row in result.rows] == pytest.approx(means)
    best = int(np.argmax(means))
    assert result.best.value == VALUES[best]
    for row, one in zip(result.rows, own, strict=True):
        differences = (one - own[best]).sum(axis=0) / 3
        assert row.difference == pytest.approx(differences.mean())
        margin = 1.959964 * differences.std(ddof=1) / np.sqrt(deals)
        assert row.difference_high == pytest.approx(differences.mean() + margin)
    for seat, curve in enumerate(result.seats):
        assert curve.scores == pytest.approx([float(one[seat].mean()) for one in own])


def test_threads_change_nothing() -> None:
    one, two = (threshold(values=VALUES, deals=2500, seed=2, n_jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_more_daring_bids_declare_more_and_win_less() -> None:
    result = threshold(values=[0.3, 0.5, 0.7], deals=1500, seed=3)
    declared = [row.declared_rate for row in result.rows]
    won = [row.win_rate for row in result.rows]
    overbid = [row.overbid_rate for row in result.rows]
    assert declared == sorted(declared) and won == sorted(won, reverse=True)
    assert overbid[0] <= overbid[2]
    assert result.best.value == 0.5
    assert sum(row.games for row in result.contracts if row.value == 0.5) == result.rows[1].declared


def test_a_seat_and_a_contract_are_looked_at_alone() -> None:
    one = threshold(values=VALUES, deals=600, seed=4, seat=1)
    every = threshold(values=VALUES, deals=600, seed=4)
    assert one.seat == "middlehand" and one.rows[0].games == 600
    assert [row.score_per_deal for row in one.rows] == pytest.approx(every.seats[1].scores)
    parts = [
        threshold(values=VALUES, deals=600, seed=4, scoring="plain", contract=name)
        for name in ("diamonds", "hearts", "spades", "clubs", "grand", "null")
    ]
    plain = threshold(values=VALUES, deals=600, seed=4, scoring="plain")
    for place, row in enumerate(plain.rows):
        together = sum(part.rows[place].score_per_deal for part in parts)
        assert row.score_per_deal == pytest.approx(together)
        assert row.declared == sum(part.rows[place].declared for part in parts)


def test_what_is_not_told_apart_from_the_best_is_said() -> None:
    alike = threshold("heuristic", "ruff", [4.0, 4.000001], deals=200)
    assert (alike.best.low, alike.best.high) == (4.0, 4.000001)
    assert not alike.best.is_interior and "where the values studied end" in alike.best.text
    apart = threshold(values=[0.05, 0.54, 0.99], deals=1000)
    assert apart.best.is_interior and apart.best.text == "0.54, all others are worse"


def test_counts_can_be_studied() -> None:
    result = threshold("trumps_and_aces", values=[5, 6, 7, 8, 9], opponents="heuristic", deals=2000)
    assert result.parameter == "least" and result.opponents == "heuristic"
    assert result.best.value == 6


def test_default_values_lie_around_the_default() -> None:
    risk = find_policy("heuristic").parameters[0]
    assert default_values(risk) == pytest.approx([risk.default + 0.05 * k for k in range(-6, 7)])
    stake = Parameter(name="x", default=60.0, description="x", least=0.0, greatest=1000.0)
    assert default_values(stake) == tuple(range(30, 91, 5))
    low = Parameter(name="x", default=0.9, description="x", least=0.0, greatest=1.0)
    assert default_values(low)[-1] == 1.0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"policy": "uniform"}, PolicyError, "has no parameters"),
        ({"param": "rsik"}, PolicyError, "no parameter 'rsik'"),
        ({"values": [0.5, 7]}, PolicyError, "cannot be 7.0"),
        ({"values": [0.5, 0.5]}, RuleError, "1 value to compare"),
        ({"deals": 0}, RuleError, "deals 0: 1 to"),
        ({"is_self_play": True, "opponents": "uniform"}, RuleError, "no opponents"),
        ({"contract": "clubs hand"}, RuleError, "no contract 'clubs hand'"),
        ({"scoring": "x"}, RuleError, "scoring 'x' is none of"),
    ],
)
def test_nonsense_is_refused(settings, error, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        threshold(**settings)


@pytest.mark.parametrize(
    ("value", "plain", "own", "lead"),
    [(18, 2 / 3, 0.558, 0.649), (24, 2 / 3, 0.570, None), (36, 2 / 3, 0.587, None),
     (48, 2 / 3, 0.598, 0.655), (72, 2 / 3, 0.614, None)],
)  # fmt: skip
def test_break_even(value: int, plain: float, own: float, lead: float | None) -> None:
    assert break_even(value) == pytest.approx(plain)
    for size in (3, 4):
        assert break_even(value, f"seeger{size}") == pytest.approx(own, abs=6e-4)
    if lead is not None:
        assert break_even(value, "seeger3", against="opponents") == pytest.approx(lead, abs=6e-4)
    with pytest.raises(RuleError, match="no game has the value 0"):
        break_even(0)
    with pytest.raises(RuleError, match="neither nobody nor opponents"):
        break_even(18, against="me")


@pytest.mark.slow
def test_the_default_risk_is_the_one_that_pays_best() -> None:
    """Seeger-Fabian at a table of three, each seat in turn against opponents of the default."""
    results = [threshold(values=RISKS, deals=150_000, seed=seed) for seed in (11, 12)]
    for result, other in (results, results[::-1]):
        assert result.best.is_interior
        assert result.best.low <= other.best.value <= result.best.high
        assert result.best.value == result.default
