"""Deals under conditions: exact counts, equal chances, errors."""

import math

import numpy as np
import pytest

from skatsim.cards import parse_mask
from skatsim.errors import RuleError
from skatsim.kernels.worlds import choose_cards
from skatsim.sampling import Layouts

JACKS = parse_mask("CJ SJ HJ DJ")


def test_all_deals() -> None:
    layouts = Layouts.of()
    assert layouts.total == math.factorial(32) // (math.factorial(10) ** 3 * 2)
    worlds = layouts.sample(2_000, seed=1)
    assert (np.bitwise_count(worlds) == (10, 10, 10, 2)).all()
    assert (np.bitwise_or.reduce(worlds, axis=1) == 0xFFFFFFFF).all()


def test_layouts_are_counted_exactly() -> None:
    layouts = Layouts.of(classes=(JACKS,))
    in_skat = layouts.counts[:, 0, 3]
    for jacks, share in enumerate((189 / 248, 7 / 31, 3 / 248)):
        assert int(layouts.deals[in_skat == jacks].sum()) / layouts.total == pytest.approx(share)


def test_worlds_are_equally_likely() -> None:
    given = (parse_mask("CJ SJ CA CT SA ST HA HT DA DT"), parse_mask("CK CQ C9 C8 C7 SK SQ S9"), 0)
    layouts = Layouts.of(given=(*given, parse_mask("S8 S7")))
    assert layouts.total == math.comb(12, 2)
    worlds = layouts.sample(66 * 400, seed=3)
    counts = np.unique(worlds[:, 1], return_counts=True)[1]
    assert len(counts) == 66
    assert ((counts - 400) ** 2 / 400).sum() < 110  # chi-square of 65, beyond 99.9 %


def test_condition_holds_and_shares_are_right() -> None:
    layouts = Layouts.of(
        given=(parse_mask("CJ SJ"), 0, 0, 0),
        classes=(JACKS, parse_mask("CA SA HA DA")),
        condition=lambda counts: (counts[:, 0, 3] == 0) & (counts[:, 1, 0] == 2),
    )
    worlds = layouts.sample(20_000, seed=2)
    assert not (worlds[:, 3] & JACKS).any()
    assert (np.bitwise_count(worlds[:, 0] & parse_mask("CA SA HA DA")) == 2).all()
    more = layouts.counts[:, 0, 0] > 0
    expected = layouts.deals[more].sum() / layouts.total
    found = (np.bitwise_count(worlds[:, 0] & JACKS) > 2).mean()
    assert found == pytest.approx(expected, abs=0.015)


def test_worlds_are_reproducible() -> None:
    layouts = Layouts.of(classes=(JACKS,))
    whole = layouts.sample(50, seed=7, stream=2)
    assert (layouts.sample(20, seed=7, stream=2, first=30) == whole[30:]).all()
    assert (layouts.sample(50, seed=7, stream=3) != whole).any()


def test_plain_choice_is_the_compiled_one() -> None:
    plain = getattr(choose_cards, "py_func", choose_cards)
    for number in range(20):
        arguments = (0x00FFFFF0, 7, 5, 1, number, 2)
        assert plain(*arguments) == choose_cards(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"given": (JACKS, JACKS, 0, 0)}, "two places: forehand and middlehand"),
        ({"given": (0, 0, 0, JACKS)}, "2 cards at most"),
        ({"classes": (JACKS, JACKS)}, "two classes"),
        ({"classes": (JACKS,), "condition": lambda counts: counts[:, 0, 3] > 2}, "no deal"),
    ],
)
def test_errors(arguments: dict, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        Layouts.of(**arguments)
