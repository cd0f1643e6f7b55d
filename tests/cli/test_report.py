"""The commands ``report`` and ``sql``."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from skatsim.cli import main
from skatsim.durable import whole_or_unchanged
from skatsim.reporting import Session
from skatsim.reporting.files import CORE_REPORTS
from skatsim.simulation import simulate

HANDS = 300


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("archive")
    for policy in ("uniform", "heuristic"):
        simulate(hands=HANDS, seed=1, archive=folder, play=policy, n_jobs=1)
    return str(folder)


@pytest.fixture(autouse=True)
def _in_working_folder(working_folder: Path) -> None:
    pass


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(main, list(arguments), **options)


def refuse(word: str) -> None:
    raise AssertionError(word)


def rows(*arguments: str) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout, parse_constant=refuse)


def test_core_reports_without_a_name(archive: str) -> None:
    result = run("report", "--archive", archive)
    assert result.exit_code == 0, result.stderr
    for name in CORE_REPORTS:
        assert name in result.stdout
    assert "\x1b" not in result.stdout
    assert "1 000 000 deals" in result.stdout


def test_json_is_a_list_of_rows(archive: str) -> None:
    found = rows("report", "win_rates", "--archive", archive, "--run", "uniform-s1")
    total = found[-1]
    assert (total["contract"], total["hand"], total["announcement"]) == ("all", "all", "all")
    assert total["games"] <= HANDS
    assert total["win_rate_low"] <= total["win_rate"] <= total["win_rate_high"]
    together = rows("report", "--archive", archive)
    assert {row.get("part") for row in together} == {None, "dealt", "declared"}


def test_runs_are_chosen(archive: str) -> None:
    both = rows("report", "win_rates", "--archive", archive)
    assert {row["policies"] for row in both} == {
        "heuristic",
        "bidding heuristic; play uniform",
    } or len({row["policies"] for row in both}) == 2
    compared = rows(
        "report", "seats", "--archive", archive, "--compare", "uniform-s1", "heuristic-s1"
    )
    assert {row["runs"] for row in compared} == {"uniform-s1", "heuristic-s1"}
    result = run("report", "seats", "--archive", archive, "--run", "nobody")
    assert result.exit_code == 1
    assert "no run 'nobody'" in result.stderr
    result = run("report", "--archive", archive, "--run", "a", "--compare", "a", "b")
    assert result.exit_code == 2


def test_parameters(archive: str) -> None:
    found = rows("report", "skat_surprise", "--archive", archive, "--param", "dealt_sample=10")
    assert max(row["hands"] for row in found if row["part"] == "dealt") == 150
    result = run("report", "--archive", archive, "--param", "dealt_sample=10")
    assert "first 10 deals" in result.stdout
    result = run("report", "win_rates", "--archive", archive, "--param", "dealt_sample=10")
    assert result.exit_code == 1
    assert "no parameter 'dealt_sample'" in result.stderr
    assert run("report", "--archive", archive, "--param", "nonsense").exit_code == 2


def test_list() -> None:
    result = run("report", "--list")
    assert result.exit_code == 0, result.stderr
    assert "overbid_risk" in result.stdout
    names = [row["name"] for row in rows("report", "--list")]
    assert set(CORE_REPORTS) <= set(names)


def test_unknown_report(archive: str) -> None:
    result = run("report", "nonsense", "--archive", archive)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "win_rates" in result.stderr


def test_empty_archive(tmp_path: Path) -> None:
    for command in (["report"], ["sql", "select * from games"]):
        result = run(*command, "--archive", str(tmp_path))
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1
        assert "no games" in result.stderr
        result = run(*command, "--archive", str(tmp_path), "--format", "json")
        assert result.exit_code == 0
        assert json.loads(result.stdout) == []
        assert "no games" in result.stderr


def test_no_archive(tmp_path: Path) -> None:
    result = run("report", "--archive", str(tmp_path / "none"))
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_files(archive: str, tmp_path: Path) -> None:
    for form in ("table", "json", "csv", "excel-de", "parquet", "html"):
        path = tmp_path / f"out.{form}"
        result = run("report", "seats", "--archive", archive, "--format", form, "-o", str(path))
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert path.stat().st_size > 100
    assert pq.read_table(tmp_path / "out.parquet").num_rows == len(
        rows("report", "seats", "--archive", archive)
    )
    assert (tmp_path / "out.excel-de").read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in (tmp_path / "out.excel-de").read_bytes()
    result = run("report", "seats", "--archive", archive, "--format", "parquet")
    assert result.exit_code == 2
    result = run("report", "--archive", archive, "--format", "csv")
    assert result.exit_code == 1
    result = run("report", "seats", "--archive", archive, "-o", str(tmp_path / "no" / "file"))
    assert result.exit_code == 1
    assert "cannot write" in result.stderr


def test_html_holds_all_reports(archive: str) -> None:
    result = run("report", "--archive", archive, "--format", "html", "--lang", "de")
    assert result.exit_code == 0
    assert result.stdout.startswith("<!doctype html>")
    assert "Kreuz" in result.stdout


def test_german(archive: str) -> None:
    result = run("report", "seats", "--archive", archive, "--lang", "de")
    assert "Vorhand" in result.stdout


def test_color_only_where_wanted(archive: str) -> None:
    forced = run("report", "seats", "--archive", archive, env={"FORCE_COLOR": "1"})
    assert "\x1b[" in forced.stdout
    refused = run("--no-color", "report", "seats", "--archive", archive)
    assert "\x1b" not in refused.stdout


def test_own_reports(archive: str, tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text(
        "select count(*) as games from games where bid_value >= $least"
    )
    found = rows(
        "report",
        "mine",
        "--archive",
        archive,
        "--reports-dir",
        str(tmp_path),
        "--param",
        "least=18",
    )
    assert 0 < found[0]["games"] <= 2 * HANDS


def test_sql(archive: str, tmp_path: Path) -> None:
    query = "select run, count(*) as games from games group by run order by run"
    assert rows("sql", query, "--archive", archive) == [
        {"run": "heuristic-s1", "games": HANDS},
        {"run": "uniform-s1", "games": HANDS},
    ]
    assert "heuristic-s1" in run("sql", query, "--archive", archive).stdout
    text = run("sql", query, "--archive", archive, "--format", "csv").stdout
    assert next(iter(csv.DictReader(io.StringIO(text))))["games"] == str(HANDS)
    (tmp_path / "question.sql").write_text(query)
    assert len(rows("sql", f"@{tmp_path / 'question.sql'}", "--archive", archive)) == 2
    least = rows(
        "sql",
        "select count(*) as n from games where bid_value > $b",
        "--archive",
        archive,
        "--param",
        "b=264",
    )
    assert least == [{"n": 0}]


def test_sql_answers_any_type(archive: str) -> None:
    found = rows(
        "sql",
        "select 1.5::decimal(5,2) as d, [1, 2] as l, 'x'::blob as b, date '2024-01-01' as t, "
        "0.0 / 0 as n, null as nothing, true as y",
        "--archive",
        archive,
    )
    assert found == [
        {"d": 1.5, "l": [1, 2], "b": "78", "t": "2024-01-01", "n": None, "nothing": None, "y": True}
    ]
    for form in ("table", "csv", "html"):
        query = "select * from games limit 3"
        assert run("sql", query, "--archive", archive, "--format", form).exit_code == 0


@pytest.mark.parametrize(
    "query", ["drop view games", "selekt", "copy games to 'x'", "select 1; select 2"]
)
def test_sql_reads_only(archive: str, query: str) -> None:
    result = run("sql", query, "--archive", archive)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert list(Path.cwd().iterdir()) == []


def test_memory_limit(archive: str) -> None:
    assert rows(
        "report", "seats", "--archive", archive, "--memory-limit", "200MB", "--threads", "1"
    )
    for odd in ("much", "1KB"):
        result = run("report", "seats", "--archive", archive, "--memory-limit", odd)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1


def sql(query: str, archive: str, *arguments: str, **options: Any) -> Any:
    result = run("sql", query, "--archive", archive, *arguments, **options)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_columns_of_one_name_are_all_there(archive: str) -> None:
    query = "select 1 as a, 2 as a, 3 as a_1, 4 as a"
    assert rows("sql", query, "--archive", archive) == [{"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}]


def test_odd_numbers_in_json_and_csv(archive: str) -> None:
    query = "select ['nan'::double, 1] as a, {'x': 'inf'::double} as b, 1e30::hugeint as c"
    (found,) = rows("sql", query, "--archive", archive)
    assert (found["a"], found["b"]) == ([None, 1.0], {"x": None})
    assert 0.999e30 < found["c"] < 1.001e30
    assert sql(query, archive, "--format", "csv").splitlines()[1].startswith('"[null, 1.0]",')


def test_own_question_is_one_table_in_its_own_order(archive: str) -> None:
    shown = sql("select unnest(['b', 'a', 'b']) as policies, 7 as part", archive).split()
    assert shown[:2] == ["policies", "part"]
    assert shown[3:] == ["b", "7", "a", "7", "b", "7"]


def test_own_question_without_rows_shows_its_columns(archive: str) -> None:
    assert sql("select contract, score from games where false", archive).split()[:2] == [
        "contract",
        "score",
    ]


def test_wide_rows_are_printed_upright(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = sql("from games order by run, hand_number limit 2", archive)
    lines = [line.split() for line in shown.splitlines()]
    assert lines.count(["hand_number", "0"]) == lines.count(["hand_number", "1"]) == 1
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_card_text_knows_32_cards(archive: str) -> None:
    query = "select card_text(0) a, card_text(31) b, card_text(32) c, card_text(-1) d"
    assert rows("sql", query, "--archive", archive) == [
        {"a": "D7", "b": "CJ", "c": None, "d": None}
    ]


@pytest.mark.parametrize(
    "arguments",
    [("export", "--format", "csv"), ("report", "seats", "--format", "html")],
    ids=lambda arguments: arguments[0],
)
def test_output_is_whole_or_unchanged(
    archive: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    def put(path: str) -> Any:
        return run(*arguments, "--archive", archive, "-o", path)

    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    assert put(str(link)).exit_code == 0
    assert link.is_symlink()
    assert target.read_text() != "before"
    result = put(str(tmp_path / "none" / "x"))
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert repr(str(tmp_path / "none" / "x")) in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_written_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with whole_or_unchanged(tmp_path / "pipe") as path:
        assert path == tmp_path / "pipe"
    assert path.is_fifo()


@pytest.mark.parametrize("width", [30, 60, 80, 100])
def test_reports_fit_the_window(archive: str, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = run("report", "win_rates", "--run", "uniform-s1", "--archive", archive)
    assert "…" not in result.stdout
    assert "contract" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= width
    assert ("no room for" in result.stdout) is (width < 80)


def test_a_page_says_how_many_rows_it_leaves_out(working_folder: Path) -> None:
    simulate(hands=30_000, seed=1, archive="a", n_jobs=1)
    shown = run("report", "win_rates", "--archive", "a").stdout
    count = int(shown.split(" further rows")[0].split()[-1])
    for lang, told in (("en", "further rows, which rest"), ("de", "weitere Zeilen, die")):
        page = run("report", "win_rates", "--archive", "a", "--format", "html", "--lang", lang)
        assert f"{count} {told}" in page.stdout


def test_one_game_has_an_interval_that_reaches_its_bound(working_folder: Path) -> None:
    """Near 0 and 1 the interval is lopsided: ± tells of the farther end."""
    simulate(hands=1, seed=1, archive="a", n_jobs=1)
    with Session.open("a") as session:
        total = session.report("win_rates").rows()[-1]
    reach = 100 * max(
        total["win_rate_high"] - total["win_rate"], total["win_rate"] - total["win_rate_low"]
    )
    assert reach > 75
    assert f"±{reach:.1f}" in run("report", "win_rates", "--archive", "a", "--all-rows").stdout


def test_what_is_rare_is_shown_where_it_is_looked_for(working_folder: Path) -> None:
    simulate(hands=20_000, seed=1, archive="a", n_jobs=1)
    sample = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"
    assert run("import", str(sample), "--archive", "a").exit_code == 0
    shown = run("report", "data_quality", "--archive", "a").stdout
    assert "aborted" in shown
    assert "further rows" not in shown


def test_no_two_columns_of_a_report_have_one_heading(archive: str) -> None:
    from skatsim.reporting import Session
    from skatsim.reporting.files import list_reports
    from skatsim.reporting.layout import sections

    with Session.open(archive) as session:
        for statement in list_reports():
            for section in sections(session.report(statement.name)):
                # an exact rate stands beside the rate it belongs to
                names = [heading for heading in section.headings if heading != "exact"]
                assert len(set(names)) == len(names), statement.name
