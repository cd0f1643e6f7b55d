"""The same plays under other rules: paired differences, and what cannot be compared."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import skatsim
from skatsim.archive import Archive
from skatsim.blocks import play_block
from skatsim.cli import main
from skatsim.errors import RuleError
from skatsim.policies.players import Players
from skatsim.records import from_table
from skatsim.rescoring import SCORING_FIELDS, Rescored, obstacles, rescore
from skatsim.ruleset import ISKO, RULESETS, Ruleset, find_ruleset
from skatsim.seating import SeriesPlan

CASA = find_ruleset("casa")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rescoring")
    skatsim.simulate(hands=3000, seed=4, archive=folder, run="plain", play="uniform",
                     bidding="heuristic")  # fmt: skip
    seats = ["heuristic", "uniform", "heuristic", "uniform"]
    skatsim.simulate(hands=480, seed=4, archive=folder, run="casa", series=48, table=4,
                     ruleset="casa", seats=seats)  # fmt: skip
    return folder


def whole(result: Rescored, scoring: str = "plain", contract: str = "all") -> Any:
    (row,) = [row for row in result.rows if (row.scoring, row.contract) == (scoring, contract)]
    return row


def rows_of(folder: Path, run: str) -> np.ndarray:
    opened = Archive.open(folder).run(run)
    return np.concatenate([from_table(table)[0] for table in opened.tables()])


def test_the_same_rules_change_nothing(folder: Path) -> None:
    for run, rules in (("plain", "isko"), ("casa", "casa")):
        result = rescore(folder, run, rules)
        assert all(row.changed == 0 and row.before == row.after for row in result.rows)
        assert whole(result).difference_low == whole(result).difference_high == 0


def test_lost_hand_games_counted_single(folder: Path) -> None:
    result = rescore(folder, "plain", ISKO.with_(name="old", lost_hand_factor=1))
    rows = rows_of(folder, "plain")
    is_hit = (rows["contract"] >= 0) & (rows["is_hand"] == 1) & (rows["is_won"] == 0)
    gains = np.where(is_hit, -rows["score"] // 2, 0)
    row = whole(result)
    assert (row.deals, row.changed) == (3000, int(is_hit.sum()))
    assert row.changed > 10
    assert row.difference == pytest.approx(gains.mean())
    margin = 1.959963984540054 * gains.std(ddof=1) / math.sqrt(len(gains))
    assert row.difference_high - row.difference == pytest.approx(margin, rel=1e-6)
    assert row.difference - row.difference_low == pytest.approx(margin, rel=1e-6)
    # the parts make up the whole
    parts = [r for r in result.rows if r.scoring == "plain" and r.contract != "all"]
    assert sum(part.deals for part in parts) == 3000
    assert sum(part.difference * part.deals for part in parts) == pytest.approx(gains.sum())


def test_bonuses_change_seeger_fabian_only(folder: Path) -> None:
    other = ISKO.with_(name="gentle", defender_bonus_three=30)
    result = rescore(folder, "plain", other)
    assert whole(result).changed == 0
    lost = int((rows_of(folder, "plain")["contract"] >= 0).sum()) - int(
        rows_of(folder, "plain")["is_won"].sum()
    )
    row = whole(result, "seeger_fabian")
    assert row.changed == lost
    assert row.difference == pytest.approx(-20 * lost / 3000)


def test_bock_is_worked_out_anew(folder: Path) -> None:
    without = CASA.with_(name="no-bock", bock_triggers=())
    result = rescore(folder, "casa", without)
    rows = rows_of(folder, "casa")
    assert whole(result).changed == int(
        np.count_nonzero((rows["bock_factor"] > 1) & (rows["end_reason"] != 7)
                         & ((rows["score"] != 0) | (rows["forehand_entry"] != 0)
                            | (rows["middlehand_entry"] != 0) | (rows["rearhand_entry"] != 0)))
    )  # fmt: skip
    assert whole(result).changed > 0


def test_there_and_back(folder: Path, tmp_path: Path) -> None:
    """A run played without Bock and scored with it is the run that was played with it."""
    seats = ["heuristic", "uniform", "heuristic", "uniform"]
    without = CASA.with_(name="no-bock", bock_triggers=())
    skatsim.simulate(hands=480, seed=4, archive=tmp_path, run="none", series=48, table=4,
                     ruleset=without, seats=seats)  # fmt: skip
    there = rescore(tmp_path, "none", "casa")
    back = rescore(folder, "casa", without)
    assert whole(there).after == whole(back).before
    assert whole(there).before == whole(back).after
    assert whole(there).difference == -whole(back).difference


def test_ramsch_scored_otherwise(folder: Path) -> None:
    result = rescore(folder, "casa", CASA.with_(name="tame", ramsch_cap=10))
    assert whole(result, contract="ramsch").changed > 0
    assert whole(result, contract="ramsch").after >= -3 * 10
    assert whole(result, contract="grand").changed >= 0


@pytest.mark.parametrize("name", sorted(set(RULESETS) - {"isko"}))
def test_named_rulesets_play_otherwise(folder: Path, name: str) -> None:
    with pytest.raises(RuleError, match=f"in {name!r}: "):
        rescore(folder, "plain", name)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"grand_base": 20}, "grand_base"),
        ({"all_pass": "ramsch"}, "all_pass"),
        ({"kontra_steps": 1}, "kontra_steps"),
        ({"ouvert_requires": "hand"}, "ouvert_requires"),
        ({"is_strict_declare": True}, "is_strict_declare"),
        ({"max_matadors": 4}, "max_matadors"),
        ({"bock_triggers": ("value_72",)}, "bock_triggers"),
    ],
)
def test_the_field_that_makes_it_impossible_is_named(
    folder: Path, changes: dict[str, Any], field: str
) -> None:
    other = ISKO.with_(name="other", **changes)
    assert list(obstacles(ISKO, other, has_series=False)) == [field]
    with pytest.raises(RuleError, match=f"play would have differed: {field} is"):
        rescore(folder, "plain", other)


def test_every_field_is_thought_of() -> None:
    names = {entry.name for entry in dataclasses.fields(Ruleset)} - {"name"}
    assert names >= SCORING_FIELDS
    # rules that are not played at either table are no obstacle
    assert obstacles(ISKO, ISKO.with_(is_klopfen=True, kontra_when="first_lead")) == {}
    assert "is_klopfen" in obstacles(CASA, CASA.with_(is_klopfen=True))
    assert "kontra_when" in obstacles(CASA, CASA.with_(kontra_when="first_lead"))
    rounds = CASA.with_(ramsch_rounds="after_bock")
    assert "bock_triggers" in obstacles(rounds, rounds.with_(bock_triggers=("value_72",)))


def test_command(folder: Path, tmp_path: Path) -> None:
    rules = tmp_path / "single.toml"
    rules.write_text("lost_hand_factor = 1\n", encoding="utf-8")
    arguments = ["rescore", "--archive", str(folder), "--run", "plain", "--ruleset", str(rules)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "3,000 deals played by isko" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = CliRunner().invoke(main, [*arguments, "--json"])
    content = json.loads(done.stdout)
    assert content["deals"] == 3000
    assert set(content["rows"][0]) == {
        "scoring", "contract", "deals", "changed", "before", "after", "difference",
        "difference_low", "difference_high",
    }  # fmt: skip
    refused = CliRunner().invoke(main, [*arguments[:-1], "denmark"])
    assert refused.exit_code == 1
    assert "grand_base is 24 there and 20" in refused.stderr


def test_with_bock_the_series_are_the_units(tmp_path: Path) -> None:
    """Deals of a series hang together where their factors do: 9,000 deals in 250 series."""
    skatsim.simulate(hands=9000, series=36, seed=2, archive=tmp_path, run="evening", n_jobs=1)
    bock = ISKO.with_(name="bock", bock_triggers=("value_96", "sixty_sixty", "grand_lost"))
    result = skatsim.rescore(tmp_path, "evening", bock)
    assert result.unit == "series"
    (row,) = (row for row in result.rows if (row.scoring, row.contract) == ("plain", "all"))
    (table,) = Archive.open(tmp_path).run("evening").tables(["score"])
    before = table.column("score").to_numpy().reshape(250, 36).sum(axis=1)
    other = SeriesPlan(length=36, players=("a", "b", "c"))
    players = Players.of()
    rows, _ = play_block(2, 0, 9000, players=players, ruleset=bock, plan=other)
    difference = rows["score"].reshape(250, 36).sum(axis=1) - before
    assert row.difference == pytest.approx(difference.mean() / 36)
    margin = 1.96 * difference.std(ddof=1) / np.sqrt(250) / 36
    assert row.difference_high is not None
    assert row.difference_high - row.difference == pytest.approx(margin, rel=1e-3)
    assert skatsim.rescore(tmp_path, "evening", ISKO.with_(name="x", lost_factor=1)).unit == "deal"
