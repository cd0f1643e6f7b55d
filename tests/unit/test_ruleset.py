"""Rulesets as frozen values."""

import dataclasses
from pathlib import Path

import pytest

from skatsim.cards import parse_mask
from skatsim.contracts import parse_contract
from skatsim.errors import RuleError
from skatsim.kernels.rules import RULES
from skatsim.ruleset import ISKO, Ruleset, find_ruleset, read_ruleset
from skatsim.scoring import score_game


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
        {"bock_triggers": 3},
        {"bock_triggers": "kontra_said"},
        {"name": "two\nlines"},
        {"name": "a\x1b[0m"},
    ],
)
def test_nonsense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(RuleError, match=f"^ruleset .*{next(iter(changes))}"):
        ISKO.with_(**changes)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"suit_bases": (400,) * 4, "schwarz_announced_factor": 5}, "value 36000"),
        ({"ouvert_factor": 8}, "multiplier 144"),
        (
            {
                "suit_bases": (400,) * 4,
                "schwarz_announced_factor": 4,
                "lost_factor": 10,
                "kontra_steps": 4,
            },
            "entered with",
        ),
        (
            {
                "suit_bases": (1,) * 4,
                "grand_base": 1,
                "null_values": (1,) * 4,
                "max_matadors": 1,
            },
            "0 values",
        ),
        (
            {
                "suit_bases": (5, 6, 7, 8),
                "skat_suit_bases": (9, 10, 11, 13),
                "schneider_announced_level": 10,
                "schwarz_announced_level": 10,
                "ouvert_level": 10,
                "hand_level": 10,
            },
            "257 values from 10 to 511 could be bid",
        ),
    ],
)
def test_what_no_column_holds_is_refused(changes: dict[str, object], what: str) -> None:
    with pytest.raises(RuleError, match=what) as error:
        ISKO.with_(name="large", **changes)
    assert "\n" not in str(error.value)


def test_the_greatest_numbers_fit() -> None:
    large = ISKO.with_(name="large", suit_bases=(400,) * 4, schwarz_announced_factor=4)
    score = score_game(
        parse_contract("clubs ouvert"),
        hand_mask=parse_mask("CJ SJ HJ DJ CA CT CK CQ C9 C8"),
        skat_mask=parse_mask("C7 D7"),
        bid_value=23,
        card_points=120,
        trick_count=10,
        ruleset=large,
    )
    assert score.multiplier == 4 * 18
    assert score.game_value == 28_800


def test_a_base_lies_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "base.toml").write_text('base = "casa"\nkontra_steps = 4\n')
    (tmp_path / "house" / "ours.toml").write_text('base = "base.toml"\nbock_triggers = []\n')
    ours = read_ruleset(tmp_path / "house" / "ours.toml")
    assert (ours.name, ours.kontra_steps, ours.all_pass) == ("ours", 4, "ramsch")
    (tmp_path / "house" / "base.toml").write_text("kontra_steps = 5\n")
    with pytest.raises(RuleError, match=r"ours\.toml.*base\.toml.*kontra_steps is 5"):
        read_ruleset(tmp_path / "house" / "ours.toml")


@pytest.mark.parametrize("other", ["a.toml", "b.toml", "../{folder}/a.toml"])
def test_a_circle_of_bases_is_one_line(tmp_path: Path, other: str) -> None:
    (tmp_path / "a.toml").write_text(f'base = "{other.format(folder=tmp_path.name)}"')
    (tmp_path / "b.toml").write_text('base = "a.toml"')
    with pytest.raises(RuleError, match=r"in a circle: 'a\.toml' ->") as error:
        find_ruleset(str(tmp_path / "a.toml"))
    assert "\n" not in str(error.value)


def test_a_byte_order_mark_and_names_like_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_bytes(b"\xef\xbb\xbfgrand_base = 20\n")
    assert read_ruleset(path).grand_base == 20
    for name in ("ISKO", " isko", "Casa"):
        path.write_text(f'name = "{name}"\ngrand_base = 20\n')
        with pytest.raises(RuleError, match="name of another ruleset"):
            read_ruleset(path)


def test_unknown_names() -> None:
    with pytest.raises(RuleError, match="no ruleset is named 'skat'"):
        find_ruleset("skat")
    with pytest.raises(RuleError, match="table of 5"):
        ISKO.defender_bonus(5)
