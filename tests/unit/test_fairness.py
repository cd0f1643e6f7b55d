"""Fairness: exact distributions, simulated deals that pass, planted faults that are found."""

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest

from skatsim.errors import RuleError
from skatsim.formats.importing import import_games
from skatsim.kernels.cards import JACK_MASK
from skatsim.kernels.rules import matadors
from skatsim.simulation import simulate
from skatsim.study import fairness as module
from skatsim.study.conditional import deal
from skatsim.study.fairness import chi_square_tail, fairness, holm, judge_deals


@pytest.fixture(scope="module")
def deals() -> np.ndarray:
    return deal(40_000, seed=1).masks


def test_chances_are_exact(corpus: Path) -> None:
    facts = json.loads((corpus / "rules" / "facts.json").read_text(encoding="utf-8"))
    features = {feature.name: feature for feature in module._features()}
    for name, feature in features.items():
        assert feature.chances.sum() == pytest.approx(1, abs=1e-9), name
        assert len(feature.labels) == len(feature.chances), name
    for jacks in range(3):
        exact = Fraction(facts[f"P_skat_jacks_{jacks}"]["value"]["frac"])
        assert features["jacks in the skat"].chances[jacks] == pytest.approx(float(exact))
    for jacks in range(5):
        exact = Fraction(facts[f"P_hand_jacks_{jacks}"]["value"]["frac"])
        assert features["jacks at rearhand"].chances[jacks] == pytest.approx(float(exact))
    # without 11: ten of the 21 other cards
    assert features["matadors in clubs at forehand"].chances[0] == pytest.approx(
        comb(21, 10) / comb(32, 10)
    )


def test_cells_are_those_of_the_rules(deals: np.ndarray) -> None:
    masks = deals[:300, 0]
    for cell, mask in zip(module._matador_cells(masks, 3), masks, strict=True):
        count = matadors(int(mask), 3, 11)
        assert cell == (10 + count if count > 0 else 11 + count)


@pytest.mark.parametrize(
    ("value", "degrees", "tail"),
    [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (16.266236, 3, 0.001), (0.0, 4, 1.0),
     (18.307038, 10, 0.05), (124.342113, 100, 0.05), (2000.0, 3, 0.0), (29.141238, 14, 0.01)],
)  # fmt: skip
def test_chi_square_tail(value: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(value, degrees) == pytest.approx(tail, abs=2e-7)
    with pytest.raises(RuleError, match="0 degrees"):
        chi_square_tail(1.0, 0)


def test_holm() -> None:
    assert holm([0.04, 0.001, 0.03]) == pytest.approx([0.06, 0.003, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_simulated_deals_pass(deals: np.ndarray) -> None:
    result = judge_deals([deals[:15_000], deals[15_000:]])
    assert result.is_fair and result.repeated == 0 and result.deals == 40_000
    assert result.verdict.startswith(("Nothing unusual in 7", "A little unusual"))
    values = np.array([test.p_value for test in result.tests])
    assert 0.25 < values.mean() < 0.75
    assert all(test.adjusted >= test.p_value for test in result.tests)


def test_p_values_are_what_they_say() -> None:
    """Over many sets of fair deals as many lie below a bound as the bound says."""
    values = np.array(
        [
            test.p_value
            for seed in range(12)
            for test in judge_deals([deal(5000, seed=seed).masks]).tests
        ]
    )
    assert (values < 0.05).mean() == pytest.approx(0.05, abs=0.03)
    assert (values < 0.5).mean() == pytest.approx(0.5, abs=0.08)


def with_more_jacks_in_the_skat(deals: np.ndarray, share: float) -> np.ndarray:
    """A jack of forehand and a card of the skat change places in a share of the deals."""
    changed = deals.copy()
    for k in range(round(share * len(deals))):
        jacks, others = int(changed[k, 0]) & JACK_MASK, int(changed[k, 3]) & ~JACK_MASK
        if jacks and others:
            both = (jacks & -jacks) | (others & -others)
            changed[k, 0] ^= both
            changed[k, 3] ^= both
    return changed


def test_a_skat_with_too_many_jacks_is_found(deals: np.ndarray) -> None:
    result = judge_deals([with_more_jacks_in_the_skat(deals, 0.03)])
    assert not result.is_fair
    assert result.tests[0].feature == "jacks in the skat"
    assert result.tests[0].observed_rate > result.tests[0].expected_rate
    assert result.verdict.startswith("These deals are not fair: jacks in the skat: ")


def test_cards_that_stay_together_are_found(deals: np.ndarray) -> None:
    badly_shuffled = deals.copy()
    badly_shuffled[1::4] = deals[0::4]  # every fourth deal is the one before
    result = judge_deals([badly_shuffled])
    assert not result.is_fair and result.repeated == 10_000
    assert "10,000 of the 40,000 deals came before" in result.verdict
    assert "CJ in a deal and the next" in [test.feature for test in result.tests[:5]]


def test_one_seat_with_a_card_too_often_is_found(deals: np.ndarray) -> None:
    turned = deals.copy()
    is_there = (deals[:, 1] >> 31) & 1 == 1
    swapped = np.flatnonzero(is_there)[:600]
    turned[swapped, 0], turned[swapped, 1] = deals[swapped, 1], deals[swapped, 0]
    assert judge_deals([turned]).tests[0].feature == "place of CJ"


def test_runs_of_an_archive(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        simulate(hands=400, seed=seed, archive=tmp_path, run=name, n_jobs=1)
    result = fairness(tmp_path)
    assert result.deals == 800 and result.repeated == 0  # runs of one seed are the same deals
    assert fairness(tmp_path, ["two"]).runs == ("two",)


def test_recorded_games_are_judged(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"
    import_games([str(sample)], tmp_path, run="club")
    try:
        assert fairness(tmp_path, ["club"]).deals >= 100
    except RuleError as error:
        assert "cannot tell about fairness" in str(error)


def test_nonsense_is_refused(deals: np.ndarray) -> None:
    with pytest.raises(RuleError, match="99 deals cannot tell"):
        judge_deals([deals[:99]])
    broken = deals[:200].copy()
    broken[7, 3] |= broken[7, 0] & -broken[7, 0]
    with pytest.raises(RuleError, match="number 7 is no deal"):
        judge_deals([broken])
