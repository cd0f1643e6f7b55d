"""Rulesets as frozen values."""

import dataclasses

import pytest

from skatsim.errors import RuleError
from skatsim.kernels.rules import RULES
from skatsim.ruleset import ISKO, Ruleset, find_ruleset


def test_the_default_is_the_international_order() -> None:
    assert Ruleset() == ISKO == find_ruleset("ISKO")
    record = ISKO.kernel_record()
    assert record.dtype == RULES
    assert list(record["base_value"]) == [9, 10, 11, 12, 24]
    assert list(record["null_value"]) == [23, 35, 46, 59]
    assert (int(record["max_matadors"]), int(record["is_strict_declare"])) == (11, 0)
    assert int(record["ouvert_requires"]) == 2


def test_switches_reach_the_kernels() -> None:
    house = ISKO.with_(
        grand_base=20, max_matadors=4, is_strict_declare=True, ouvert_requires="none"
    )
    record = house.kernel_record()
    assert int(record["base_value"][4]) == 20
    assert (int(record["max_matadors"]), int(record["is_strict_declare"])) == (4, 1)
    assert int(record["ouvert_requires"]) == 0
    assert ISKO.grand_base == 24


def test_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ISKO.grand_base = 20  # type: ignore[misc]


@pytest.mark.parametrize(
    "changes",
    [
        {"grand_base": 0},
        {"suit_bases": (9, 10, 11)},
        {"max_matadors": 0},
        {"ouvert_requires": "schneider"},
    ],
)
def test_nonsense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(RuleError, match="'isko'"):
        ISKO.with_(**changes)


def test_unknown_names() -> None:
    with pytest.raises(RuleError, match="no ruleset is named 'skat'"):
        find_ruleset("skat")
    with pytest.raises(RuleError, match="table of 5"):
        ISKO.defender_bonus(5)
