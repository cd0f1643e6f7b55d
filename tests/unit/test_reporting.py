"""Views, reports, audits, and their results as text and files."""

import csv
import dataclasses
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from skatsim.archive import Archive, Run
from skatsim.cards import SEATS
from skatsim.errors import ReportError
from skatsim.records import SCHEMA, from_table, pack_flags
from skatsim.reporting import (
    Session,
    Statement,
    find_report,
    list_audits,
    list_reports,
    run_report,
    run_sql,
    write_page,
)
from skatsim.reporting.curves import readable_labels
from skatsim.reporting.files import reports_folder
from skatsim.reporting.output import print_result, to_text, write_result
from skatsim.ruleset import RULESETS
from skatsim.simulation import simulate
from skatsim.study.review_run import review_run

GOLDEN = Path(__file__).parents[1] / "golden" / "reports"
REPORTS = [statement.name for statement in list_reports()]
HANDS = 600


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Two runs of different policies, in a folder whose name needs care."""
    folder = tmp_path_factory.mktemp("reports") / "Bob's [run 1] 100%*"
    for policy, seed in (("uniform", 1), ("heuristic", 2)):
        simulate(
            hands=HANDS,
            seed=seed,
            archive=folder,
            bidding=policy,
            declaring=policy,
            play=policy,
            n_jobs=1,
        )
    return Archive.open(folder)


@pytest.fixture(scope="module")
def session(archive: Archive) -> Any:
    with Session.open(archive) as opened:
        yield opened


@pytest.fixture(scope="module")
def single_sessions(archive: Archive) -> Any:
    opened = [Session.open(archive, [run.name]) for run in archive.runs()]
    yield opened
    for each in opened:
        each.close()


@pytest.fixture(scope="module")
def golden_session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("golden")
    names = dict.fromkeys(("bidding", "declaring", "play"), "uniform")
    simulate(hands=HANDS, seed=7, archive=folder, n_jobs=1, **names)  # type: ignore[arg-type]
    review_run(
        str(folder), "uniform-s7", hands=20, n_jobs=1, with_discards=True, with_contracts=True
    )
    with Session.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def threaded_sessions(archive: Archive) -> Any:
    opened = [Session.open(archive, threads=threads) for threads in (1, 8)]
    yield opened
    for each in opened:
        each.close()


@pytest.fixture(scope="module")
def games(archive: Archive) -> pa.Table:
    return pa.concat_tables(
        [pa.concat_tables(run.tables()).cast(SCHEMA) for run in archive.runs()]
    ).unify_dictionaries()


def forged(run: Run, folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Session:
    """The run with its columns changed, as nobody should."""
    table = pa.concat_tables(run.tables())
    changed = change(pl.DataFrame(table)).to_arrow()
    columns = [changed.column(field.name).cast(field.type) for field in SCHEMA]
    stored = pack_flags(pa.Table.from_arrays(columns, schema=SCHEMA))
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(stored, folder / "part-000.parquet")
    part = dataclasses.replace(run.manifest.parts[0], file="part-000.parquet", hands=len(changed))
    return Session([Run(folder, dataclasses.replace(run.manifest, parts=(part,)))])


def test_games_names_every_column() -> None:
    text = (reports_folder() / "views" / "games.sql").read_text()
    entries = {f"{seat}_entry" for seat in SEATS}  # they are the seats' scores in a Ramsch
    assert {
        name for name in SCHEMA.names if f"\n    {name}" not in text and f" as {name}," not in text
    } == {"house_flags", "knocks", *entries}


def test_only_views_read_parquet() -> None:
    for path in reports_folder().rglob("*.sql"):
        if path.parent.name != "views":
            assert "read_parquet" not in path.read_text(), path


@pytest.mark.parametrize("statement", [*list_reports(), *list_audits()], ids=lambda s: s.name)
def test_files_say_what_they_answer(statement: Statement) -> None:
    assert statement.question
    assert statement.grain
    assert statement.sql.endswith(";\n")
    for line in statement.sql.splitlines():
        assert len(line) <= 120


def test_views_show_all_games(session: Session, games: pa.Table) -> None:
    rows = session.sql(
        "select run, count(*) as games, sum(score) as score from games group by all order by run"
    ).rows()
    assert [row["games"] for row in rows] == [HANDS, HANDS]
    assert sum(row["score"] for row in rows) == sum(games.column("score").to_pylist())
    assert all(isinstance(row["score"], int) for row in rows)


def test_plays_and_tricks_are_those_played(session: Session, games: pa.Table) -> None:
    rows, _ = from_table(games)
    numbers = games.column("hand_number").to_pylist()
    runs = games.column("run").to_pylist()
    plays = session.sql("select * from plays order by run, hand_number, play_number").rows()
    known: dict[Any, list[Any]] = {}
    for play in plays:
        known.setdefault((play["run"], play["hand_number"]), []).append(play)
    for row, run, number in zip(rows, runs, numbers, strict=True):
        found = known.get((run, number), [])
        assert [play["card_id"] for play in found] == list(row["played"][: row["play_count"]])
        leader = 0
        for play in found:
            k = play["play_number"] - 1
            if k and k % 3 == 0:
                leader = int(row["trick_winners"]) >> (2 * (k // 3 - 1)) & 3
            assert play["trick_number"] == k // 3 + 1
            assert play["seat"] == (leader + k % 3) % 3
            dealt = ("forehand_mask", "middlehand_mask", "rearhand_mask")[play["seat"]]
            declared = int(row["skat_mask"]) if play["seat"] == row["declarer_seat"] else 0
            assert (int(row[dealt]) | declared) >> play["card_id"] & 1
    totals = session.sql(
        "select tricks.run, tricks.hand_number, sum(tricks.card_points) as trick_points, "
        "any_value(mask_points(coalesce(discard_mask, skat_mask))) as laid_away from tricks "
        "join games using (run, hand_number) where end_reason = 'ten_tricks' group by all"
    ).rows()
    assert totals
    assert {row["trick_points"] + row["laid_away"] for row in totals} == {120}


def test_bids_follow_the_auction(session: Session, games: pa.Table) -> None:
    words = {0: "pass", 1: "hold", 2: "play"}
    expected = []
    for run, number, blob in zip(
        games.column("run").to_pylist(),
        games.column("hand_number").to_pylist(),
        games.column("calls").to_pylist(),
        strict=True,
    ):
        sayer, answerer, duel, value = 1, 0, 1, 0
        is_saying = True
        for k, call in enumerate(np.frombuffer(blob, dtype="<u2").tolist()):
            seat = 0 if duel == 3 else sayer if is_saying else answerer
            value = call if call > 2 else 18 if call == 2 else value
            expected.append(
                (run, number, k + 1, seat, words.get(call, "bid"), value if call else None)
            )
            if call == 0 and duel == 1:
                sayer, answerer, duel, is_saying = 2, answerer if seat == sayer else sayer, 2, True
            elif call == 0:
                duel = 3
            else:
                is_saying = not is_saying
    found = session.sql("select * from bids order by run, hand_number, call_number").rows()
    assert [tuple(row.values()) for row in found] == sorted(expected)


def test_macros(session: Session) -> None:
    row = session.sql(
        "select card_text(31) as high, card_text(0) as low, "
        "mask_text(3221225473::uinteger) as mask, "
        "mask_points(4294967295::uinteger) as points, mask_text(0::uinteger) as none"
    ).rows()[0]
    assert row == {"high": "CJ", "low": "D7", "mask": "CJ CA D7", "points": 120, "none": ""}


@pytest.mark.parametrize(("k", "n"), [(0, 3), (3, 3), (1, 2), (0, 1), (817, 1000), (0, 10**9)])
def test_wilson(session: Session, k: int, n: int) -> None:
    row = session.sql(
        "select wilson_low($k, $n) as low, wilson_high($k, $n) as high", {"k": k, "n": n}
    ).rows()[0]
    z = 1.959963984540054
    middle = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    assert row["low"] == pytest.approx(max(0.0, middle - half), abs=2e-9)
    assert row["high"] == pytest.approx(min(1.0, middle + half), abs=2e-9)
    assert 0 <= row["low"] <= k / n <= row["high"] <= 1


def test_no_interval_without_games(session: Session) -> None:
    row = session.sql("select rate(0, 0) as r, wilson_low(0, 0) as l, wilson_high(null, 3) as h")
    assert row.rows() == [{"r": None, "l": None, "h": None}]


def test_seeger_fabian_entries(session: Session) -> None:
    rows = session.sql("select * from games").rows()
    for row in rows:
        entries = [row[f"{seat}_seeger_fabian"] for seat in ("forehand", "middlehand", "rearhand")]
        expected = [0, 0, 0]
        if row["is_won"] is not None:
            expected = [0, 0, 0] if row["is_won"] else [40, 40, 40]
            expected[row["declarer_seat"]] = row["score"] + (50 if row["is_won"] else -50)
        assert entries == expected
        assert row["dealer_seeger_fabian"] is None


def test_seeger_fabian_at_four(archive: Archive, tmp_path: Path) -> None:
    with forged(
        archive.runs()[0],
        tmp_path,
        lambda frame: frame.with_columns(table_size=pl.lit(4, pl.Int8), dealer_seat=None),
    ) as four:
        row = four.sql(
            "select sum(forehand_seeger_fabian + middlehand_seeger_fabian "
            "+ rearhand_seeger_fabian) as players, "
            "sum(dealer_seeger_fabian) as dealer, count(*) filter (not is_won) as lost, "
            "count(*) filter (is_won) as won, sum(score) as score from games"
        ).rows()[0]
    assert row["dealer"] == 30 * row["lost"]
    assert row["players"] == row["score"] + 50 * row["won"] + 10 * row["lost"]


@pytest.mark.parametrize("name", REPORTS)
def test_reports_as_they_were(golden_session: Session, name: str, is_update: bool) -> None:
    text = to_text([golden_session.report(name)], "csv")
    path = GOLDEN / f"{name}.csv"
    if is_update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    assert text == path.read_text()


@pytest.mark.parametrize("name", REPORTS)
def test_same_bytes_with_any_threads(threaded_sessions: list[Session], name: str) -> None:
    assert len({to_text([each.report(name)], "json") for each in threaded_sessions}) == 1


@pytest.mark.parametrize("name", REPORTS)
def test_rates_lie_in_their_intervals(session: Session, name: str) -> None:
    for row in session.report(name).rows():
        for column, value in row.items():
            if f"{column}_low" in row and value is not None:
                low, high = row[f"{column}_low"], row[f"{column}_high"]
                if low is not None:
                    assert low <= value <= high
                if column.endswith(("_rate", "share")):
                    assert 0 <= low <= high <= 1


@pytest.mark.parametrize("k", range(3))
def test_one_hand_is_enough(archive: Archive, tmp_path: Path, k: int) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    with forged(archive.runs()[1], tmp_path, lambda frame: frame[k : k + 1]) as one:
        for name in REPORTS:
            text = to_text([one.report(name)], "json")
            assert isinstance(json.loads(text, parse_constant=refuse), list)


def test_rows_name_policies_where_they_differ(archive: Archive, session: Session) -> None:
    both = session.report("win_rates")
    assert {"runs", "policies"} <= set(both.table.column_names)
    assert "ruleset" not in both.table.column_names
    assert both.shared == {"ruleset": "isko"}
    totals = {
        row["policies"]: row["games"]
        for row in both.rows()
        if row["contract"] == row["hand"] == "all"
    }
    for run in archive.runs():
        alone = run_report("win_rates", archive, [run.name])
        assert "policies" not in alone.table.column_names
        assert alone.rows()[-1]["games"] == totals[alone.shared["policies"]]


def test_comparison_keeps_runs_apart(archive: Archive, tmp_path: Path) -> None:
    for seed in (1, 2):
        simulate(hands=200, seed=seed, archive=tmp_path / "a", n_jobs=1)
    names = [run.name for run in Archive.open(tmp_path / "a").runs()]
    together = run_report("seats", tmp_path / "a")
    apart = run_report("seats", tmp_path / "a", names, is_comparison=True)
    assert "runs" not in together.table.column_names
    assert set(apart.table.column("runs").to_pylist()) == set(names)


def test_win_rates_add_up(session: Session, games: pa.Table) -> None:
    frame = pl.DataFrame(games).filter(pl.col("contract").is_not_null())
    rows = session.report("win_rates").rows()
    total = [row for row in rows if row["contract"] == row["hand"] == "all"]
    assert sum(row["games"] for row in total) == frame.height
    assert sum(row["wins"] for row in total) == frame["is_won"].sum()
    assert sum(row["schneider"] for row in total) == frame["is_schneider"].sum()
    assert sum(row["schwarz"] for row in total) == frame["is_schwarz"].sum()
    single = [
        row for row in rows if "all" not in (row["contract"], row["hand"], row["announcement"])
    ]
    assert sum(row["games"] for row in single) == frame.height


def matadors_of(mask: int, contract: str) -> int:
    """Matadors by going down the trumps, card by card."""
    suits = ("diamonds", "hearts", "spades", "clubs")
    order = [31, 23, 15, 7]
    if contract != "grand":
        order += [8 * suits.index(contract) + rank for rank in (6, 5, 4, 3, 2, 1, 0)]
    is_with = mask >> 31 & 1
    count = 0
    for card in order:
        if mask >> card & 1 != is_with:
            break
        count += 1
    return count if is_with else -count


def test_skat_surprise_counts_hand_by_hand(session: Session, games: pa.Table) -> None:
    rows = {
        (row["contract"], row["matadors"]): row
        for row in session.report("skat_surprise").rows()
        if row["part"] == "dealt"
    }
    expected: dict[tuple[str, str], list[int]] = {}
    for masks in zip(
        *(
            games.column(f"{name}_mask").to_pylist()
            for name in ("forehand", "middlehand", "rearhand", "skat")
        ),
        strict=True,
    ):
        for hand in masks[:3]:
            for contract in ("clubs", "spades", "hearts", "diamonds", "grand"):
                before = matadors_of(hand, contract)
                after = matadors_of(hand | masks[3], contract)
                counts = expected.setdefault((contract, str(before)), [0, 0, 0])
                counts[0] += 1
                counts[1] += abs(after) < abs(before)
                counts[2] += abs(after) > abs(before)
    found = {
        key: [row["hands"], row["lowered"], row["raised"]]
        for key, row in rows.items()
        if "all" not in key
    }
    assert found == expected
    assert rows["all", "all"]["hands"] == 15 * 2 * HANDS


def test_declared_parts_count_game_by_game(session: Session, games: pa.Table) -> None:
    frame = pl.DataFrame(games).filter(pl.col("matadors").is_not_null())
    surprise: dict[Any, list[int]] = {}
    risk: dict[Any, list[int]] = {}
    bases = {"diamonds": 9, "hearts": 10, "spades": 11, "clubs": 12, "grand": 24}
    for game in frame.iter_rows(named=True):
        seat = ("forehand", "middlehand", "rearhand")[game["declarer_seat"]]
        before = matadors_of(game[f"{seat}_mask"], game["contract"])
        key = (game["run"], game["contract"], str(before))
        counts = surprise.setdefault(key, [0, 0, 0])
        counts[0] += 1
        counts[1] += abs(game["matadors"]) < abs(before)
        counts[2] += (game["skat_mask"] & 0x80808080).bit_count()
        base = bases[game["contract"]]
        margin = (base * (abs(before) + 1 + game["is_hand"]) - game["bid_value"]) // base
        counts = risk.setdefault((*key, str(margin)), [0, 0, 0, 0, 0])
        counts[0] += 1
        counts[1] += game["is_overbid_before_play"]
        counts[2] += game["is_overbid_before_play"] and game["is_won"]
        counts[3] += game["is_overbid"]
        counts[4] -= game["score"] if game["is_overbid"] else 0
    found = {
        (row["runs"], row["contract"], row["matadors"]): [
            row["hands"],
            row["lowered"],
            round(row["mean_jacks"] * row["hands"]),
        ]
        for row in session.report("skat_surprise").rows()
        if row["part"] == "declared" and "all" not in (row["contract"], row["matadors"])
    }
    assert found == surprise
    columns = ("hands", "overbid_before", "rescued", "overbid", "score_lost")
    found = {
        (row["runs"], row["contract"], row["matadors"], row["bid_margin"]): [
            row[column] for column in columns
        ]
        for row in session.report("overbid_risk").rows()
        if row["part"] == "declared"
        and "all" not in (row["contract"], row["matadors"], row["bid_margin"])
    }
    assert found == risk


def test_exact_figures_by_closed_form(session: Session) -> None:
    pairs = math.comb(32, 10) * math.comb(22, 2)
    rows = session.sql("select kind, sum(pairs) as pairs from skat_pairs group by kind").rows()
    assert {row["kind"]: row["pairs"] for row in rows} == {"suit": pairs, "grand": pairs}
    exact = {
        (row["contract"], row["matadors"]): row
        for row in session.report("skat_surprise").rows()
        if row["part"] == "dealt"
    }
    assert exact["clubs", "all"]["lowered_exact"] == pytest.approx(433571 / 2977488, abs=1e-9)
    assert exact["grand", "all"]["lowered_exact"] == pytest.approx(1331 / 10788, abs=1e-9)
    for n in range(1, 10):
        missed = 0 if n == 1 else 40 / 231 if n == 2 else 1 - math.comb(22 - n, 2) / 231
        if ("hearts", str(-n)) in exact:
            assert exact["hearts", str(-n)]["lowered_exact"] == pytest.approx(missed, abs=1e-9)
        if ("hearts", str(n)) in exact:
            assert exact["hearts", str(n)]["raised_exact"] == pytest.approx(21 / 231, abs=1e-9)
    for row in session.report("overbid_risk").rows():
        if row["part"] == "dealt" and row["contract"] == "spades" and row["matadors"][0] == "-":
            t = -int(row["matadors"]) - int(row["bid_margin"])
            sunk = 0 if t == 1 else 40 / 231 if t == 2 else 1 - math.comb(22 - t, 2) / 231
            assert row["overbid_exact"] == pytest.approx(sunk, abs=1e-9)


def test_dealt_sample_is_the_first_deals(session: Session) -> None:
    result = session.report("skat_surprise", {"dealt_sample": "100"})
    total = next(
        row
        for row in result.rows()
        if row["part"] == "dealt" and row["contract"] == "all" and row["matadors"] == "all"
    )
    assert total["hands"] == 1500
    assert {row["deals"] for row in result.rows() if row["part"] == "dealt"} == {100}
    assert any("100 deals" in note for note in result.notes)


def test_a_seed_is_dealt_once(tmp_path: Path) -> None:
    for policy in ("uniform", "heuristic"):
        simulate(hands=50, seed=3, archive=tmp_path, play=policy, n_jobs=1)
    with Session.open(tmp_path) as opened:
        assert opened.sql("select count(*) as n from games").rows() == [{"n": 100}]
        assert opened.sql("select count(*) as n from deals").rows() == [{"n": 50}]


@pytest.fixture(scope="module")
def house_archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Series under house rules, and games under the rules of every other table."""
    folder = tmp_path_factory.mktemp("house")
    for name, rules in RULESETS.items():
        if not rules.is_value_table_only:
            simulate(hands=480, series=48, table=4, seed=1, ruleset=name, archive=folder, run=name)
    return Archive.open(folder)


def test_audits_find_nothing_in_a_sound_archive(session: Session, house_archive: Archive) -> None:
    assert session.audit() == []
    with Session.open(house_archive) as opened:
        assert opened.audit() == []


def _first(
    frame: pl.DataFrame, name: str, value: Any, where: pl.Expr | None = None
) -> pl.DataFrame:
    """The frame with one value changed in the first row that meets a condition."""
    mask = pl.lit(True) if where is None else where
    chosen = frame.with_row_index().filter(mask)["index"][0]
    return (
        frame.with_row_index()
        .with_columns(
            pl.when(pl.col("index") == chosen)
            .then(value)
            .otherwise(pl.col(name))
            .cast(frame[name].dtype)
            .alias(name)
        )
        .drop("index")
    )


TEN_TRICKS = (pl.col("end_reason") == "ten_tricks") & (pl.col("play_count") == 30)
DECLARED = pl.col("matadors").is_not_null()
RAMSCH = pl.col("contract") == "ramsch"
HOUSE_FAULTS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "dealers_rotate": lambda f: _first(
        f, "rearhand_player", pl.col("dealer_player"), pl.col("hand_number") == 9
    ),
    "entries_are_doubled": lambda f: _first(f, "entry_factor", pl.lit(3)),
    "ramsch_has_no_declarer": lambda f: _first(f, "score", pl.lit(-30), RAMSCH),
}
FAULTS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "bids_rise": lambda f: _first(f, "bid_value", pl.lit(264), pl.col("bid_value").is_not_null()),
    "card_points_add_up": lambda f: _first(f, "played", pl.lit(bytes([31] * 30)), TEN_TRICKS),
    "cards_are_dealt_once": lambda f: _first(f, "skat_mask", pl.col("skat_mask") ^ 1),
    "declarer_card_points_recount": lambda f: _first(
        f, "declarer_card_points", pl.col("declarer_card_points") ^ 1, TEN_TRICKS
    ),
    "hand_numbers_are_unique": lambda f: _first(f, "hand_number", pl.lit(1)),
    "matadors_recount": lambda f: _first(f, "matadors", pl.lit(5), DECLARED),
    "null_values": lambda f: _first(f, "game_value", pl.lit(24), pl.col("contract") == "null"),
    "one_winner_a_trick": lambda f: _first(f, "trick_winners", pl.lit(3), TEN_TRICKS),
    "scores_recompute": lambda f: _first(f, "score", pl.col("score") + 1, DECLARED),
}


@pytest.mark.parametrize("name", [audit.name for audit in list_audits()])
def test_audits_find_one_planted_fault(
    archive: Archive, house_archive: Archive, tmp_path: Path, name: str
) -> None:
    run = house_archive.run("casa") if name in HOUSE_FAULTS else archive.run("uniform-s1")
    (audit,) = (audit for audit in list_audits() if audit.name == name)
    with forged(run, tmp_path, {**FAULTS, **HOUSE_FAULTS}[name]) as changed:
        assert len(changed.run(audit)) == 1


def test_all_audits_are_run(archive: Archive, tmp_path: Path) -> None:
    name = "scores_recompute"
    with forged(archive.run("uniform-s1"), tmp_path, FAULTS[name]) as changed:
        found = {result.name: len(result) for result in changed.audit()}
        alone = {audit.name: len(changed.run(audit)) for audit in list_audits()}
    assert found == {audit: count for audit, count in alone.items() if count}
    assert found[name] == 1


def test_a_part_without_a_column_is_an_error(archive: Archive, tmp_path: Path) -> None:
    run = archive.runs()[0]
    table = pack_flags(pa.concat_tables(run.tables()))
    pq.write_table(table.drop_columns(["score"]), tmp_path / "part-000.parquet")
    part = dataclasses.replace(run.manifest.parts[0], file="part-000.parquet")
    broken = Run(tmp_path, dataclasses.replace(run.manifest, parts=(part,)))
    for runs in ([broken], [run, broken]):
        with pytest.raises(ReportError, match="score"), Session(runs) as opened:
            opened.report("win_rates")


@pytest.mark.parametrize("content", [None, b"no parquet", b""])
def test_a_broken_part_is_one_line(archive: Archive, tmp_path: Path, content: bytes | None) -> None:
    run = archive.runs()[0]
    path = tmp_path / "part-000.parquet"
    if content is not None:
        path.write_bytes(content)
    part = dataclasses.replace(run.manifest.parts[0], file=path.name)
    broken = Run(tmp_path, dataclasses.replace(run.manifest, parts=(part,)))
    with (
        pytest.raises(ReportError, match=r"part-000\.parquet") as caught,
        Session([broken]) as opened,
    ):
        opened.report("win_rates")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("drop view games", "only select"),
        ("copy games to 'x.csv'", "only select"),
        ("insert into runs select * from runs", "only select"),
        ("select 1; select 2", "2 statements"),
        ("select nothing from games", "nothing"),
        ("selekt 1", "syntax error"),
        ("select $least", "needs a value"),
        ("", "0 statements"),
    ],
)
def test_questions_that_cannot_be_asked(session: Session, query: str, what: str) -> None:
    with pytest.raises(ReportError, match=what) as caught:
        session.sql(query)
    assert "\n" not in str(caught.value)


def test_unknown_reports_and_parameters(session: Session) -> None:
    with pytest.raises(ReportError, match="no report 'nonsense': there are: bid_outcomes"):
        session.report("nonsense")
    with pytest.raises(ReportError, match="no parameter 'x'"):
        session.report("win_rates", {"x": 1})
    with pytest.raises(ReportError, match="no folder"):
        list_reports("missing")


def test_own_reports_go_first(session: Session, tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text(
        "-- question: how many?\n-- grain: run\n-- param least = 0: games at least\n"
        "select run, count(*) as games from games group by all having count(*) > $least "
        "order by run\n"
    )
    (tmp_path / "seats.sql").write_text("select 1 as one\n")
    result = session.report("mine", reports_dir=tmp_path)
    assert [row["games"] for row in result.rows()] == [HANDS, HANDS]
    assert len(session.report("mine", {"least": HANDS}, reports_dir=tmp_path)) == 0
    assert session.report("seats", reports_dir=tmp_path).rows() == [{"one": 1}]
    assert "mine" in [statement.name for statement in list_reports(tmp_path)]


def test_no_games_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no games in archive"):
        run_report("win_rates", tmp_path)


def test_names_that_are_missing_empty_or_null_differ(archive: Archive, tmp_path: Path) -> None:
    names = pl.Series(["", None, "NULL"] * (HANDS // 3), dtype=pl.String)
    with forged(
        archive.runs()[0], tmp_path, lambda frame: frame.with_columns(forehand_player=names)
    ) as changed:
        players = changed.report("players").table.column("player").to_pylist()
    assert {"", None, "NULL"} <= set(players)
    assert len(players) == len(set(players))


def test_csv_and_excel(session: Session) -> None:
    result = session.report("win_rates")
    plain = list(csv.DictReader(io.StringIO(to_text([result], "csv"))))
    assert len(plain) == len(result)
    assert float(plain[0]["win_rate"]) == result.rows()[0]["win_rate"]
    text = to_text([result], "excel-de")
    assert text.startswith("\ufeff")
    german = list(csv.DictReader(io.StringIO(text[1:]), delimiter=";"))
    assert german[0]["win_rate"] == plain[0]["win_rate"].replace(".", ",")
    assert "\r\n" in text
    names = session.sql("select '=1+1' as a, '+7' as b, -7 as c, '@x' as d, 'x=1' as e")
    assert to_text([names], "excel-de").splitlines()[1] == "'=1+1;'+7;-7;'@x;x=1"
    assert to_text([names], "csv").splitlines()[1] == "=1+1,+7,-7,@x,x=1"
    nulls = [row for row in plain if row["contract"] == "null"]
    assert nulls
    assert {row["mean_card_points"] for row in nulls} == {""}


def test_parquet_and_arrow(session: Session, tmp_path: Path) -> None:
    result = session.report("seats")
    write_result([result], tmp_path / "seats.parquet", "parquet")
    assert pq.read_table(tmp_path / "seats.parquet").to_pylist() == result.rows()
    assert pl.DataFrame(result).height == len(result)


def test_files_that_cannot_be_written(session: Session, tmp_path: Path) -> None:
    for form in ("json", "parquet", "table"):
        with pytest.raises(ReportError, match="cannot write"):
            write_result([session.report("seats")], tmp_path / "no" / "file", form)


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", REPORTS)
def test_tables_fit_80_columns(single_sessions: list[Session], name: str, lang: str) -> None:
    text = io.StringIO()
    console = Console(file=text, width=80, no_color=True, highlight=False)
    for each in single_sessions:
        print_result(each.report(name), console, lang=lang)
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in text.getvalue()
    assert "…" not in text.getvalue()


def test_long_tables_show_their_totals(session: Session) -> None:
    result = session.report("overbid_risk")
    lengths = []
    for is_brief in (True, False):
        text = io.StringIO()
        print_result(result, Console(file=text, width=120), is_brief=is_brief)
        lengths.append(len(text.getvalue().splitlines()))
    assert lengths[0] < lengths[1] / 2
    assert lengths[1] > len(result)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_page_is_self_contained(archive: Archive, tmp_path: Path, lang: str) -> None:
    path = write_page(archive, [], REPORTS, tmp_path / "page.html", lang=lang, title="A <b> & c")
    text = path.read_text(encoding="utf-8")
    assert text == write_page(archive, [], REPORTS, path, lang=lang, title="A <b> & c").read_text(
        encoding="utf-8"
    )
    assert "A &lt;b&gt; &amp; c" in text
    for outside in ("http://", "https://", "src=", "@import", "<script"):
        assert outside not in text
    assert "prefers-color-scheme: dark" in text
    for name in REPORTS:
        assert f'id="{name}"' in text
    assert "nan" not in text.lower().replace("finance", "")


def test_results_show_in_notebooks(session: Session) -> None:
    html = session.report("seats")._repr_html_()
    assert html.lstrip().startswith("<section")
    assert "forehand" in html


def test_sql_over_runs(archive: Archive) -> None:
    result = run_sql("select run, seed, hands, policies from runs order by run", archive)
    assert result.rows() == [
        {"run": "heuristic-s2", "seed": 2, "hands": HANDS, "policies": "heuristic"},
        {"run": "uniform-s1", "seed": 1, "hands": HANDS, "policies": "uniform"},
    ]


def test_reports_are_found_by_name() -> None:
    assert find_report("win_rates").parameters == {}
    assert find_report("skat_surprise").parameters == {"dealt_sample": "1000000"}
    assert find_report("overbid_risk").grain == ("part", "contract", "matadors", "bid_margin")


def test_labels_of_a_curve_do_not_lie_on_each_other() -> None:
    labels = ["0.3", "0.48", "0.5", "0.52", "0.54", "0.7"]
    places = [0.0, 0.45, 0.5, 0.55, 0.6, 1.0]
    assert readable_labels(labels, places) == ["0.3", "0.48", "", "0.52", "", "0.7"]
