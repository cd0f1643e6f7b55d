"""simulate, verify, runs, run, config: what they print, and how they fail."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skatsim.archive import Archive
from skatsim.cli import main

UNIFORM = ["--bidding", "uniform"]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def simulate(*arguments: str) -> Result:
    return call("simulate", *UNIFORM, *arguments)


def test_json_has_the_promised_keys(working_folder: Path) -> None:
    done = simulate("--hands", "1001", "--seed", "3", "--archive", "a b", "--json")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert list(content) == [
        "run", "hands", "new_hands", "seed", "seconds", "hands_per_second", "bytes",
        "bytes_per_hand", "digest",
    ]  # fmt: skip
    assert (content["run"], content["hands"], content["new_hands"]) == ("uniform-s3", 1001, 1001)
    assert done.stderr == ""


def test_one_policy_named_is_all_three(working_folder: Path) -> None:
    assert simulate("--hands", "10", "--archive", "a").exit_code == 0
    manifest = Archive.open("a").run("uniform-s0").manifest
    assert manifest.policies == {name: ["uniform"] * 3 for name in ("bidding", "declaring", "play")}


def test_seats_may_carry_parameters(working_folder: Path) -> None:
    seats = "heuristic:risk=0.61,suit=0.1,uniform,uniform"
    done = call("simulate", "--hands", "10", "--archive", "a", "--run", "x", "--seats", seats)
    assert done.exit_code == 0, done.output
    play = Archive.open("a").run("x").manifest.policies["play"]
    assert play == ["heuristic:risk=0.61,suit=0.1", "uniform", "uniform"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "either --hands or --until"),
        (["--hands", "-5"], 2, "-5"),
        (["--hands", "1", "--until", "0.1"], 2, "either"),
        (["--hands", "1", "--resume", "--overwrite"], 2, "either --resume or --overwrite"),
        (["--hands", "1", "--seats", "uniform,uniform,uniform"], 2, "--seats"),
        (["--hands", "1", "--scheduler", "tcp://x:1"], 2, "--scheduler"),
        (["--hands", "1", "--backend", "dask"], 2, "--scheduler"),
        (["--hands", "1", "--play", "nobody"], 1, "no policy 'nobody'"),
        (["--hands", "1", "--run", "../x"], 1, "cannot name a run"),
        (["--hands", "1", "--ruleset", "none"], 1, "no ruleset"),
        (["--hands", "1", "--archive", "file"], 1, "cannot make the archive folder"),
    ],
)
def test_bad_input_is_one_clear_line(
    working_folder: Path, arguments: list[str], code: int, message: str
) -> None:
    Path("file").write_text("", encoding="utf-8")
    done = simulate(*arguments)
    assert done.exit_code == code
    assert message in done.stderr
    if code == 1:
        assert len(done.stderr.splitlines()) == 1
    assert not Path("data").exists()


def test_a_run_is_not_overwritten_unasked(working_folder: Path) -> None:
    assert simulate("--hands", "10", "--archive", "a").exit_code == 0
    again = simulate("--hands", "10", "--archive", "a")
    assert again.exit_code == 1
    assert "--resume" in again.stderr
    assert simulate("--hands", "20", "--archive", "a", "--resume").exit_code == 0
    assert simulate("--hands", "5", "--archive", "a", "--overwrite").exit_code == 0
    assert Archive.open("a").run("uniform-s0").hands == 5


def test_verify_speaks_json_and_exits_1(working_folder: Path) -> None:
    simulate("--hands", "50", "--archive", "a")
    sound = call("verify", "--deep", "--archive", "a", "--json")
    assert sound.exit_code == 0
    assert json.loads(sound.stdout) == {"hands": 50, "parts": 1, "problems": []}
    next(Path("a").rglob("*.parquet")).unlink()
    broken = call("verify", "--archive", "a", "--json")
    assert broken.exit_code == 1
    assert list(json.loads(broken.stdout)["problems"][0]) == ["run", "part", "hand", "what"]
    assert call("verify", "--archive", "none").exit_code == 1


def test_runs_are_listed_shown_and_removed(working_folder: Path) -> None:
    simulate("--hands", "50", "--archive", "a", "--seed", "7")
    assert json.loads(call("runs", "list", "--archive", "a", "--json").stdout)[0]["hands"] == 50
    shown = json.loads(
        call("runs", "show", "uniform-s7", "--archive", "a", "--first", "20", "--json").stdout
    )
    assert shown["seed"] == 7
    fewer = json.loads(simulate("--hands", "20", "--seed", "7", "--no-records", "--json").stdout)
    assert shown["first_digest"] == fewer["digest"]
    assert call("runs", "remove", "uniform-s7", "--archive", "a").exit_code == 1
    assert call("runs", "remove", "uniform-s7", "--archive", "a", "--yes").exit_code == 0
    assert call("runs", "show", "uniform-s7", "--archive", "a").exit_code == 1


def test_config_says_where_a_value_comes_from(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("skatsim.toml").write_text('archive = "here"\n', encoding="utf-8")
    monkeypatch.setenv("SKATSIM_SEED", "5")
    settings = {
        (entry["command"], entry["option"]): entry
        for entry in json.loads(call("config", "--json").stdout)
    }
    assert settings["simulate", "seed"]["source"] == "SKATSIM_SEED"
    assert settings["simulate", "archive"]["value"] == "here"
    assert simulate("--hands", "3").exit_code == 0
    assert Archive.open("here").run("uniform-s5").hands == 3


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_cleanly_and_resume_goes_on(working_folder: Path, number: int) -> None:
    command = [sys.executable, "-m", "skatsim", "simulate", *UNIFORM, "--archive", "a"]
    many = ["--hands", "100000000", "--run", "r", "--seed", "1"]
    process = subprocess.Popen([*command, *many], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300  # kernels may have to be compiled first
    while time.monotonic() < deadline and not list(Path("a").glob("r/manifest.json")):
        time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert "stopping when the parts being played are finished" in told
    run = Archive.open("a").run("r")
    assert f"stopped at {run.hands:,} hands: the same command with --resume goes on" in told
    assert 0 < run.hands < 100_000_000
    assert Archive.open("a").verify() == []
    assert not list(Path("a").rglob("*.tmp"))
    more = str(run.hands + 1000)
    resumed = subprocess.run([*command, *many[2:], "--hands", more, "--resume"], check=False)
    assert resumed.returncode == 0
    assert Archive.open("a").run("r").hands == run.hands + 1000


def test_what_a_resume_did_is_said(working_folder: Path) -> None:
    assert "hands/s" in simulate("--hands", "50", "--archive", "a").stdout
    nothing = simulate("--hands", "50", "--archive", "a", "--resume").stdout
    assert "50, 0 new" in nothing
    assert "hands/s" not in nothing
    next(Path("a").rglob("*.parquet")).unlink()
    repaired = simulate("--hands", "50", "--archive", "a", "--resume").stdout
    assert "repaired 50 hands of damaged parts" in repaired
    other = simulate("--hands", "50", "--archive", "a", "--run", "uniform-s0", "--seed", "1",
                     "--play", "heuristic", "--resume")  # fmt: skip
    assert other.exit_code == 1
    assert "seed 0 there, 1 asked; " in other.stderr
    assert "play uniform there, heuristic asked" in other.stderr


def test_runs_are_made_compact_and_copied(working_folder: Path) -> None:
    for hands in ("20", "50"):
        assert simulate("--hands", hands, "--archive", "a", "--resume").exit_code == 0
    done = call("runs", "compact", "uniform-s0", "--archive", "a")
    assert done.exit_code == 0
    assert "2 parts of" in done.stdout
    done = call("runs", "copy", "uniform-s0", "b", "--archive", "a")
    assert (done.exit_code, done.stdout) == (0, "copied uniform-s0, 50 hands, to b\n")
    assert Archive.open("b").verify(deep=True) == []
    assert call("runs", "unlock", "uniform-s0", "--archive", "a").exit_code == 1


def test_an_unreadable_run_is_pointed_out(working_folder: Path) -> None:
    for run in ("broken", "sound"):
        simulate("--hands", "50", "--archive", "a", "--run", run)
    Path("a/broken/manifest.json").write_text("{", encoding="utf-8")
    for command in (["runs", "list"], ["report", "win_rates"], ["sql", "select 1 as one"]):
        done = call(*command, "--archive", "a")
        assert done.exit_code == 0, done.output
        assert done.stderr.startswith("skatsim: left out: cannot read 'a/broken/manifest.json'")
        assert len(done.stderr.splitlines()) == 1
    assert call("runs", "show", "broken", "--archive", "a").exit_code == 1
    assert call("report", "win_rates", "--run", "broken", "--archive", "a").exit_code == 1
    verified = call("verify", "--archive", "a", "--json")
    assert verified.exit_code == 1
    assert (verified.stderr, len(json.loads(verified.stdout)["problems"])) == ("", 1)
    assert json.loads(verified.stdout)["hands"] == 50


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skatsim.cli.simulate.LINE_SECONDS", 0)
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 100)
    done = simulate("--hands", "300", "--archive", "a", "--jobs", "1")
    lines = done.stderr.splitlines()
    assert lines[0] == "skatsim: 0 of 300 hands, 0/s"
    assert re.fullmatch(r"skatsim: 200 of 300 hands, [\d,]+/s, [\d,]+ s left", lines[2])


def test_series(working_folder: Path) -> None:
    arguments = ("--series", "12", "--table", "4", "--players", "Ann, Ben,Cid,Dee")
    done = simulate(*arguments, "--archive", "a", "--run", "x", "--json")
    assert done.exit_code == 0, done.output
    assert (json.loads(done.stdout)["hands"], done.stderr) == (12, "")
    manifest = Archive.open("a").run("x").manifest
    assert (manifest.series_length, list(manifest.players)) == (12, ["Ann", "Ben", "Cid", "Dee"])
    more = simulate(*arguments, "--hands", "24", "--archive", "a", "--run", "x", "--resume")
    assert more.exit_code == 0, more.output
    assert "12 new" in more.stdout


def test_series_that_are_not_fair_are_pointed_out(working_folder: Path) -> None:
    done = simulate("--series", "10", "--no-records")
    assert done.exit_code == 0
    assert "do not deal equally often" in done.stderr
    assert simulate("--series", "36", "--hands", "40").exit_code == 1
    assert simulate("--table", "4", "--hands", "40").exit_code == 2
    four = simulate("--series", "36", "--table", "4", "--seats", "uniform,uniform,uniform")
    assert four.exit_code == 2  # with --bidding
    four = call("simulate", "--series", "36", "--table", "4", "--seats", "uniform,uniform,uniform")
    assert four.exit_code == 1
    assert "four, in the order of the deal" in four.stderr


def test_bock_without_series_is_pointed_out(working_folder: Path) -> None:
    asked = ["simulate", "--hands", "36", "--ruleset", "casa", "--no-records"]
    told = "rounds of a series: without --series there are none"
    assert told in CliRunner().invoke(main, asked).stderr
    assert told not in CliRunner().invoke(main, [*asked, "--series", "36"]).stderr
