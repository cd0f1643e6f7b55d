"""The list of a series and the standings, against the same lists reckoned in Python."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import skatsim
from skatsim.archive import Archive
from skatsim.errors import ReportError
from skatsim.lists import Entry, Series
from skatsim.reporting.output import print_result, to_text
from skatsim.reporting.session import Session

GOLDEN = Path(__file__).parents[1] / "golden" / "lists"
NAMES = ("Ann", "Ben", "Cid", "Dee")
SEATS = ("heuristic", "uniform", "heuristic:risk=0.6", "uniform")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Series at a table of four and of three, and games without any."""
    folder = tmp_path_factory.mktemp("lists")
    skatsim.simulate(hands=96, seed=5, series=48, table=4, seats=SEATS, player_names=NAMES,
                     archive=folder, run="four")  # fmt: skip
    skatsim.simulate(hands=72, seed=6, series=36, seats=SEATS[:3], player_names=NAMES[:3],
                     archive=folder, run="three")  # fmt: skip
    skatsim.simulate(hands=20, seed=6, archive=folder, run="none")
    return folder


@pytest.fixture(scope="module")
def session(folder: Path) -> Any:
    with Session.open(folder) as opened:
        yield opened


def series_of(folder: Path, run: str, length: int, number: int) -> Series:
    """A series of a run, reckoned from the columns of its games."""
    opened = Archive.open(folder).run(run)
    rows = [row for table in opened.tables() for row in table.to_pylist()]
    players = tuple(opened.manifest.players)
    entries = []
    for row in rows[number * length : (number + 1) * length]:
        if row["declarer_seat"] is None:
            entries.append(Entry())
            continue
        seat = ("forehand", "middlehand", "rearhand")[row["declarer_seat"]]
        entries.append(
            Entry(
                declarer=players.index(row[f"{seat}_player"]),
                score=row["score"],
                is_won=row["is_won"],
            )
        )
    return Series(players=players, entries=tuple(entries))


@pytest.mark.parametrize(("run", "length"), [("four", 48), ("three", 36)])
def test_score_sheet_is_the_list(folder: Path, session: Session, run: str, length: int) -> None:
    rows = [row for row in session.report("score_sheet").rows() if row["runs"] == run]
    for number in range(2):
        series = series_of(folder, run, length, number)
        lines = [row for row in rows if row["series_id"] == str(number)]
        deals, foot = lines[:length], {row["line"]: row for row in lines[length:]}
        size = series.table_size
        columns = [f"total_{place + 1}" for place in range(size)]
        for deal, row in enumerate(deals):
            assert row["line"] == str(deal + 1)
            assert row["dealer"] == series.dealer(deal)
            assert tuple(row[column] for column in columns) == series.running_totals()[deal]
            assert [row[f"player_{place + 1}"] for place in range(size)] == list(series.players)
        tallies = series.tallies()
        assert [foot["won"][name] for name in columns] == [t.won_count for t in tallies]
        assert [foot["lost"][name] for name in columns] == [t.lost_count for t in tallies]
        assert [foot["total"][name] for name in columns] == list(series.list_scores().values())
        for column in columns:
            parts = deals[-1][column] + foot["own"][column] + foot["others"][column]
            assert foot["total"][column] == parts
            won, lost = foot["won"][column], foot["lost"][column]
            assert foot["own"][column] == 50 * (won - lost)
            all_lost = sum(tally.lost_count for tally in tallies)
            assert foot["others"][column] == {3: 40, 4: 30}[size] * (all_lost - lost)


@pytest.mark.parametrize("scoring", ["plain", "own_games", "seeger_fabian"])
@pytest.mark.parametrize("tie_rule", ["skwo", "shared"])
def test_standings_are_those_of_the_lists(
    folder: Path, session: Session, scoring: Any, tie_rule: Any
) -> None:
    rows = session.report("standings", {"scoring": scoring, "tie_rule": tie_rule}).rows()
    for run, length in (("four", 48), ("three", 36)):
        for number in range(2):
            series = series_of(folder, run, length, number)
            places = series.standings(scoring=scoring, tie_rule=tie_rule)
            found = [
                (row["rank"], row["player"], row["total"])
                for row in rows
                if (row["runs"], row["series_id"]) == (run, str(number))
            ]
            assert found == [(p.rank, p.player, p.list_score) for p in places]
        both = {
            row["player"]: row for row in rows if (row["runs"], row["series_id"]) == (run, "all")
        }
        for player, row in both.items():
            parts = [r for r in rows if r["runs"] == run and r["player"] == player][-2:]
            for name in ("deals", "won", "lost", "score", "own_games", "others_lost", "total"):
                assert row[name] == sum(part[name] for part in parts)
    assert not [row for row in rows if row["runs"] == "none"]


def test_standings_of_all_series_only(session: Session) -> None:
    rows = session.report("standings", {"each": "false"}).rows()
    assert {row["series_id"] for row in rows} == {"all"}


def test_ties(folder: Path) -> None:
    # nobody plays: the totals are equal, and so are won and lost
    with Session.open(folder, ["none"]) as opened:
        assert opened.report("standings").rows() == []
        assert opened.report("score_sheet").rows() == []


def test_players_add_up_with_the_sitting_dealer(session: Session) -> None:
    rows = {row["player"]: row for row in session.report("players").rows() if row["sat_out"]}
    standing = {
        row["player"]: row
        for row in session.report("standings").rows()
        if (row["runs"], row["series_id"]) == ("four", "all")
    }
    assert set(rows) == set(NAMES)
    for name, row in rows.items():
        assert (row["games"], row["sat_out"]) == (72, 24)
        total = row["seeger_fabian_per_deal"]
        assert total == pytest.approx(standing[name]["total"] / 96)
        parts = ("declaring", "defending", "sitting_out")
        assert total == pytest.approx(sum(row[f"seeger_fabian_{part}"] for part in parts))


def test_choosing_series(session: Session) -> None:
    rows = session.report("score_sheet", {"series": "1", "most": 3}).rows()
    assert {(row["runs"], row["series_id"]) for row in rows} == {("four", "1"), ("three", "1")}
    rows = session.report("score_sheet", {"most": 1}).rows()
    assert {row["series_id"] for row in rows} == {"0"}


def test_recorded_tables_of_four_find_their_dealer(folder: Path, tmp_path: Path) -> None:
    """Records that do not name the sitting dealer: he is the one who does not play."""
    import pyarrow as pa

    opened = Archive.open(folder).run("four")
    (table,) = opened.tables()
    place = table.schema.get_field_index("dealer_player")
    empty = pa.nulls(len(table), table.schema.field(place).type)
    copy = Archive.open(tmp_path, create=True)
    with copy.writer(opened.manifest.__class__(run="four", source="iss")) as writer:
        writer.write(table.set_column(place, table.schema.field(place), empty))
    with Session.open(folder, ["four"]) as known, Session.open(copy) as found:
        for name in ("score_sheet", "standings"):
            assert known.report(name).rows() == found.report(name).rows()


@pytest.mark.parametrize("name", ["score_sheet", "standings", "players"])
def test_reports_as_they_were(folder: Path, name: str, is_update: bool) -> None:
    with Session.open(folder) as opened:
        texts = {to_text([opened.report(name)], "csv")}
    with Session.open(folder, threads=1) as opened:
        texts.add(to_text([opened.report(name)], "csv"))
    (text,) = texts
    path = GOLDEN / f"{name}.csv"
    if is_update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="", encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_players_count_their_ramsch(tmp_path: Path) -> None:
    """Under the same play a Ramsch costs what a passed-in deal does not."""
    for ruleset in ("isko", "ramsch"):
        skatsim.simulate(hands=2000, seed=3, ruleset=ruleset, archive=tmp_path, run=ruleset)
    with Session.open(tmp_path) as opened:
        isko, ramsch = opened.report("players").rows()
        (lost,) = opened.sql(
            "select sum(forehand_score + middlehand_score + rearhand_score) as lost, "
            "count(*) as games from games where contract = 'ramsch'"
        ).rows()
    assert isko["games"] == ramsch["games"] == 6000
    assert lost["games"] > 20
    difference = lost["lost"] / 6000
    assert ramsch["score_per_deal"] - isko["score_per_deal"] == pytest.approx(difference)
    assert ramsch["seeger_fabian_ramsch"] == pytest.approx(difference)
    parts = ("declaring", "defending", "sitting_out", "ramsch")
    total = sum(ramsch[f"seeger_fabian_{part}"] for part in parts)
    assert ramsch["seeger_fabian_per_deal"] == pytest.approx(total)


def test_parameters_of_few_words(session: Session) -> None:
    for name, value in (("tie_rule", "foo"), ("scoring", "zz"), ("each", "maybe")):
        with pytest.raises(ReportError, match=f"{name!r} of 'standings' cannot be {value!r}"):
            session.report("standings", {name: value})
    assert session.report("standings", {"each": "FALSE"}).rows()


def test_reports_without_series_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skatsim.simulate(hands=50, seed=1, archive=tmp_path, run="none")
    with Session.open(tmp_path) as opened:
        print_result(opened.report("standings"), Console(width=80))
    assert "nothing: these runs have no such games" in capsys.readouterr().out
