"""Predictions against outcomes, and the published open-card tables."""

import numpy as np
import pytest

from skatsim.errors import RuleError
from skatsim.study.calibration import Calibration, calibrate
from skatsim.study.open_cards import GRAND_TABLE, SUIT_TABLE, open_card_table


@pytest.fixture(scope="module")
def small() -> Calibration:
    return calibrate(200, seed=3, samples=100)


def test_every_game_is_predicted(small: Calibration) -> None:
    assert len(small.predictions) == 200
    assert sum(group.games for group in small.groups) == 200
    assert [group.games for group in small.groups] == [20] * 10
    assert sum(group.games for group in small.by_contract) == 200
    assert sum(group.games for group in small.by_seat) == 200
    assert small.least_samples >= 100
    means = [group.predicted for group in small.groups]
    assert means == sorted(means)


def test_parts_add_up_to_the_score(small: Calibration) -> None:
    parts = small.reliability - small.resolution + small.uncertainty + small.within
    assert small.brier == pytest.approx(parts)
    chances = np.array([one.predicted for one in small.predictions])
    won = np.array([one.is_won for one in small.predictions])
    assert small.brier == pytest.approx(np.mean((chances - won) ** 2))
    assert small.uncertainty == pytest.approx(won.mean() * (1 - won.mean()))
    assert small.brier < small.uncertainty  # better than the base rate


def test_dictionary_names_the_published_figures(small: Calibration) -> None:
    found = small.to_dict()
    assert len(found["groups"]) == 10
    assert all(figure["source"] for figure in found["published"])


def test_too_few_games() -> None:
    with pytest.raises(RuleError, match="at least 10"):
        calibrate(5)


@pytest.mark.slow
def test_predictions_come_true() -> None:
    """20,000 declared games, 400 worlds each or more: ten groups, each within two points."""
    found = calibrate(20_000, seed=1)
    assert found.least_samples >= 400
    assert found.greatest_gap <= 0.02
    assert found.reliability < 0.0002


def test_open_card_cells() -> None:
    cells = open_card_table("suit", hands=8, only=[(6, 1), (3, 0)])
    assert [(cell.trumps, cell.aces) for cell in cells] == [(6, 1), (3, 0)]
    strong, weak = cells
    assert strong.win_rate > 0.5 > weak.win_rate
    assert strong.share == pytest.approx(0.01753, abs=1e-5)
    assert strong.published == SUIT_TABLE[6][1]
    (counted,) = open_card_table("suit", hands=8, only=[(6, 1)], is_discard_counted=True)
    assert counted.win_rate >= strong.win_rate


def test_impossible_tables() -> None:
    with pytest.raises(RuleError, match="no table 'null'"):
        open_card_table("null")  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="no cell"):
        open_card_table("grand", only=[(5, 0)])
    assert len(GRAND_TABLE) == 5


def test_a_few_hands_that_agree_refute_nothing() -> None:
    (cell,) = open_card_table("suit", hands=3, only=[(3, 1)])
    assert cell.win_rate == 0
    assert cell.low == 0
    assert cell.high > 0.5
    assert cell.is_alike


@pytest.mark.slow
def test_published_tables() -> None:
    """As published: within two points or three standard errors, where not a hand is missing."""
    cells = open_card_table("suit", hands=100, seed=5, only=[(3, 1), (4, 1), (5, 1), (6, 0)])
    cells += open_card_table("grand", hands=100, seed=5, only=[(1, 2), (2, 3)])
    for cell in cells:
        assert cell.is_alike, cell
