"""Simulated series: who sits where, the same games for any workers, resume, older archives."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import skatsim
from skatsim.archive import Archive
from skatsim.errors import ArchiveError, PolicyError, RuleError
from skatsim.lists import UnfairSeriesWarning
from skatsim.records import SCHEMA
from skatsim.reporting.session import Session
from skatsim.ruleset import ISKO
from skatsim.seating import SeriesPlan
from skatsim.simulation import Players, play_block

NAMES = ("Ann", "Ben", "Cid", "Dee")
MIXED = ("heuristic", "uniform", "heuristic:risk=0.6", "uniform")


def simulate(folder: Path, run: str, **options: object) -> skatsim.SimulationResult:
    given = {"hands": 96, "seed": 5, "series": 48, "table": 4, "seats": MIXED,
             "player_names": NAMES}  # fmt: skip
    return skatsim.simulate(archive=folder, run=run, **{**given, **options})  # type: ignore[arg-type]


def columns(folder: Path, run: str) -> list[dict[str, object]]:
    return [row for table in Archive.open(folder).run(run).tables() for row in table.to_pylist()]


def test_players_keep_their_names_while_the_deal_goes_round(tmp_path: Path) -> None:
    simulate(tmp_path, "four")
    rows = columns(tmp_path, "four")
    for number, row in enumerate(rows):
        dealer = number % 48 % 4
        assert row["series_id"] == str(number // 48)
        assert row["dealer_player"] == NAMES[dealer]
        assert [row[f"{seat}_player"] for seat in ("forehand", "middlehand", "rearhand")] == [
            NAMES[(dealer + step) % 4] for step in (1, 2, 3)
        ]
        assert (row["table_size"], row["dealer_seat"]) == (4, None)
    dealt = [row["dealer_player"] for row in rows[:48]]
    assert {name: dealt.count(name) for name in NAMES} == dict.fromkeys(NAMES, 12)


def test_at_three_rearhand_deals(tmp_path: Path) -> None:
    simulate(tmp_path, "three", table=3, series=9, hands=18, seats=MIXED[:3],
             player_names=NAMES[:3])  # fmt: skip
    for row in columns(tmp_path, "three"):
        assert (row["table_size"], row["dealer_seat"], row["dealer_player"]) == (3, 2, None)
    with Session.open(tmp_path) as session:
        rows = session.sql(
            "select dealer_player, rearhand_player from games order by hand_number"
        ).rows()
    assert all(row["dealer_player"] == row["rearhand_player"] for row in rows)
    assert [row["dealer_player"] for row in rows[:4]] == ["Ann", "Ben", "Cid", "Ann"]


def test_each_game_is_played_by_the_policies_of_its_players() -> None:
    players = Players.of(seats=MIXED, table_size=4)
    plan = SeriesPlan(length=8, players=NAMES)
    rows, calls = play_block(7, 0, 16, players=players, ruleset=ISKO, plan=plan)
    for number in range(16):
        seated = players.at(plan.seats(number))
        alone, said = play_block(7, number, 1, players=seated, ruleset=ISKO)
        for name in alone.dtype.names or ():
            if name != "call_end":
                assert np.array_equal(alone[name][0], rows[name][number]), name
        start = int(rows["call_end"][number - 1]) if number else 0
        assert np.array_equal(calls[start : int(rows["call_end"][number])], said)


def test_one_policy_at_the_whole_table_plays_the_games_of_a_plain_run() -> None:
    plain = skatsim.simulate(hands=360, seed=2)
    for series, table in ((36, 3), (36, 4), (9, 3)):
        result = skatsim.simulate(hands=360, seed=2, series=series, table=table)  # type: ignore[arg-type]
        assert result.digest == plain.digest


def test_workers_and_resume_do_not_matter(tmp_path: Path) -> None:
    whole = simulate(tmp_path, "whole", hands=480, n_jobs=1)
    assert simulate(tmp_path, "two", hands=480, n_jobs=2).digest == whole.digest
    simulate(tmp_path, "parts", hands=144)
    resumed = simulate(tmp_path, "parts", hands=480, mode="resume")
    assert (resumed.digest, resumed.new_hands) == (whole.digest, 336)
    assert columns(tmp_path, "parts") == [
        {**row, "run": "parts"} for row in columns(tmp_path, "whole")
    ]
    assert simulate(tmp_path, "parts", hands=480, mode="resume").new_hands == 0
    with pytest.raises(ArchiveError, match="series_length 48 there, 24 asked"):
        simulate(tmp_path, "parts", hands=480, series=24, mode="resume")
    with pytest.raises(ArchiveError, match="made otherwise: players"):
        simulate(tmp_path, "parts", player_names=NAMES[::-1], hands=480, mode="resume")
    assert skatsim.simulate(seed=1, series=12).hands == 12


def test_parts_hold_whole_series(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("skatsim.simulation.PART_HANDS", 100)
    monkeypatch.setattr("skatsim.simulation.BLOCK_HANDS", 50)
    small = simulate(tmp_path, "small", hands=480)
    parts = Archive.open(tmp_path).run("small").manifest.parts
    assert [part.hands for part in parts] == [96] * 5
    monkeypatch.undo()
    assert simulate(tmp_path, "whole", hands=480).digest == small.digest


def test_series_that_cannot_be() -> None:
    with pytest.raises(RuleError, match="play 72"):
        skatsim.simulate(hands=40, series=36)
    with pytest.raises(RuleError, match="need series"):
        skatsim.simulate(hands=40, table=4)
    with pytest.raises(RuleError, match="one name"):
        skatsim.simulate(series=36, player_names=["Ann", "Ann", "Ben"])
    with pytest.raises(RuleError, match="2 names for a table of 3"):
        skatsim.simulate(series=36, player_names=["Ann", "Ben"])
    with pytest.raises(RuleError, match="at least one deal"):
        skatsim.simulate(series=0, hands=0)
    with pytest.raises(PolicyError, match="four, in the order of the deal"):
        skatsim.simulate(series=48, table=4, seats=["uniform"] * 3)
    with pytest.warns(UnfairSeriesWarning, match="10 deals"):
        skatsim.simulate(series=10)


def test_names_of_one_policy_are_numbered() -> None:
    assert Players.of(table_size=4).own_names() == tuple(f"heuristic {n}" for n in (1, 2, 3, 4))
    assert Players.of(seats=MIXED[:3]).own_names() == MIXED[:3]


def test_until_ends_with_a_whole_series() -> None:
    result = skatsim.simulate(until=0.01, seed=1, series=36)
    assert result.hands % 36 == 0


LATER = {
    "dealer_player", "bock_factor", "kontra_count", "kontra_seat", "house_flags", "knocks",
    "unseen_pushes", "forehand_push_mask", "middlehand_push_mask", "rearhand_push_mask",
    "resort_mask", "forehand_entry", "middlehand_entry", "rearhand_entry",
}  # fmt: skip
"""What the second schema brought."""


def make_old(folder: Path) -> None:
    """Rewrite a run as an archive of the first schema."""
    manifest = folder / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    for part in content["parts"]:
        path = folder / part["file"]
        table = pq.read_table(path)
        later = [field.name for field in table.schema if field.name in LATER]
        pq.write_table(table.drop_columns(later), path)
    content.pop("ruleset_content", None)
    manifest.write_text(json.dumps({**content, "schema_version": 1}), encoding="utf-8")


def test_archives_of_the_first_schema_stay_readable(tmp_path: Path) -> None:
    skatsim.simulate(hands=50, seed=1, archive=tmp_path, run="old")
    make_old(tmp_path / "old")
    run = Archive.open(tmp_path).run("old")
    (table,) = run.tables()
    assert table.schema.names == SCHEMA.names
    assert table.column("dealer_player").null_count == 50
    assert next(iter(run.tables(["score"]))).num_rows == 50
    with Session.open(tmp_path) as session:
        (row,) = session.sql("select count(*) as n, count(dealer_player) as d from games").rows()
    assert row == {"n": 50, "d": 50}
    # together with a newer one, and added to
    skatsim.simulate(hands=48, seed=1, archive=tmp_path, run="new", series=48, table=4)
    with Session.open(tmp_path) as session:
        rows = session.sql(
            "select run, count(*) as n, count(table_size) as t from games group by all order by all"
        ).rows()
    assert rows == [{"run": "new", "n": 48, "t": 48}, {"run": "old", "n": 50, "t": 50}]
    skatsim.simulate(hands=70, seed=1, archive=tmp_path, run="old", mode="resume")
    assert sum(part.num_rows for part in Archive.open(tmp_path).run("old").tables()) == 70
