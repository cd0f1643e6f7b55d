"""Simulated series: who sits where, the same games for any workers, resume, older archives."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skatsim
from skatsim.archive import Archive
from skatsim.blocks import play_block
from skatsim.bock import BockGame, bock_factors
from skatsim.errors import ArchiveError, PolicyError, RuleError
from skatsim.lists import UnfairSeriesWarning, seats_of
from skatsim.policies.players import Players
from skatsim.records import CONTRACTS, SCHEMA
from skatsim.reporting.session import Session
from skatsim.ruleset import ISKO, Ruleset, find_ruleset
from skatsim.seating import SeriesPlan

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
    with pytest.raises(ArchiveError, match="series length 48 there, 24 asked"):
        simulate(tmp_path, "parts", hands=480, series=24, mode="resume")
    with pytest.raises(ArchiveError, match="made otherwise: players"):
        simulate(tmp_path, "parts", player_names=NAMES[::-1], hands=480, mode="resume")
    assert skatsim.simulate(seed=1, series=12).hands == 12


def test_parts_hold_whole_series(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 100)
    monkeypatch.setattr("skatsim.blocks.BLOCK_HANDS", 50)
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
    with pytest.raises(RuleError, match="1 to 9,999 deals"):
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


def test_series_beside_a_run_of_an_older_schema(tmp_path: Path) -> None:
    """Games of schema 2 have no column for the dealer who sits out."""
    shutil.copytree(
        Path(__file__).parents[1] / "archives" / "schema-2" / "heuristic", tmp_path / "heuristic"
    )
    (table,) = Archive.open(tmp_path).run("heuristic").tables()
    assert table.schema.names == SCHEMA.names
    assert table.column("dealer_player").null_count == 300
    skatsim.simulate(hands=48, seed=1, archive=tmp_path, run="new", series=48, table=4)
    with Session.open(tmp_path) as session:
        rows = session.sql(
            "select run, count(*) as n, count(dealer_player) as d, count(dealer_seat) as s "
            "from games group by all order by all"
        ).rows()
    assert rows == [
        {"run": "heuristic", "n": 300, "d": 300, "s": 300},
        {"run": "new", "n": 48, "d": 48, "s": 0},
    ]


HOUSE = find_ruleset("casa")


def house_rows(rules: Ruleset, *, length: int = 24, count: int = 48) -> np.ndarray:
    players = Players.of(seats=("heuristic", "uniform", "heuristic", "uniform"), table_size=4)
    plan = SeriesPlan(length=length, players=NAMES)
    rows, _ = play_block(3, 0, count, players=players, ruleset=rules, plan=plan)
    return rows


@pytest.mark.parametrize("changes", [
    {},
    {"bock_accumulation": "multiply"},
    {"is_bock_trigger_doubled": True},
    {"bock_triggers": ("value_72", "full_hundreds", "equal_digits", "grand_lost")},
])  # fmt: skip
def test_a_bock_round_doubles_exactly_its_deals(changes: dict[str, Any]) -> None:
    rules = HOUSE.with_(name="other", **changes)
    rows = house_rows(rules)
    without = house_rows(rules.with_(bock_triggers=()))
    assert (without["bock_factor"] <= 1).all()
    games = []
    for number, row in enumerate(without):
        entries = [0] * 4
        seats = seats_of(number % 24, 4)
        if row["declarer_seat"] >= 0:
            entries[seats[row["declarer_seat"]]] = int(row["score"])
        for seat, name in zip(seats, ("forehand", "middlehand", "rearhand"), strict=True):
            entries[seat] += int(row[f"{name}_entry"])
        is_declared = row["declarer_seat"] >= 0
        games.append(
            BockGame(
                contract=CONTRACTS[row["contract"]] if row["contract"] >= 0 else None,
                is_hand=bool(row["is_hand"]),
                is_ouvert=bool(row["is_ouvert"]),
                is_won=bool(row["is_won"]) if is_declared else None,
                card_points=int(row["declarer_card_points"]) if is_declared else None,
                game_value=int(row["game_value"]),
                kontra_steps=int(row["kontra_count"]),
                entries=tuple(entries),
            )
        )
    factors = [
        factor
        for start in (0, 24)
        for factor in bock_factors(
            games[start : start + 24],
            table_size=4,
            triggers=rules.bock_triggers,
            accumulation=rules.bock_accumulation,
            is_trigger_doubled=rules.is_bock_trigger_doubled,
        )
    ]
    assert max(factors) > 1
    assert [max(1, int(factor)) for factor in rows["bock_factor"]] == factors
    for name in ("score", "forehand_entry", "middlehand_entry", "rearhand_entry"):
        assert (rows[name] == without[name] * factors).all(), name
    # cards, bids and values are those of a table without Bock
    for name in ("played", "contract", "bid_value", "game_value", "charged_value"):
        assert (rows[name] == without[name]).all(), name


def test_rounds_of_ramsch_follow_bock_rounds() -> None:
    rules = HOUSE.with_(name="other", ramsch_rounds="after_bock", bock_triggers=("value_72",))
    rows = house_rows(rules)
    flags = [bool(row["house_flags"] & 32) for row in rows]
    assert any(flags)
    for start in (0, 24):
        series = rows[start : start + 24]
        in_round = [bool(row["house_flags"] & 32) for row in series]
        first = in_round.index(True)
        assert all(int(row["bock_factor"]) == 2 for row in series[first - 4 : first])
        assert all(CONTRACTS[row["contract"]] == "ramsch" for row in series[first : first + 4])
        assert all(int(row["bock_factor"]) <= 1 for row in series[first : first + 4])


def test_series_of_house_rules_are_archived_and_verified(tmp_path: Path) -> None:
    one = simulate(tmp_path, "casa", ruleset="casa", hands=480, n_jobs=1)
    two = simulate(tmp_path, "again", ruleset="casa", hands=480, n_jobs=2)
    assert one.digest == two.digest
    assert columns(tmp_path, "casa") == [
        {**row, "run": "casa"} for row in columns(tmp_path, "again")
    ]
    assert list(Archive.open(tmp_path).verify(deep=True)) == []
    assert any(row["bock_factor"] for row in columns(tmp_path, "casa"))


def test_a_series_is_not_endless() -> None:
    with pytest.raises(RuleError, match="1 to 9,999 deals"):
        skatsim.simulate(series=36_000_000)
