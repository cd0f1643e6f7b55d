"""The command line as a whole: help, errors, settings, streams."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import skatsim
from skatsim.cli import COMMANDS, SkatSimGroup, main, options
from skatsim.errors import NotationError

CARDS = "HJ DJ CA CT CK C9 SA S7 H7 D7"
SCORE = (
    "score",
    "--hand",
    "HJ DJ HA HT HK H9 SA S7 C7 D7",
    "--skat",
    "S8 C8",
    "--contract",
    "HH",
    "--bid",
    "40",
    "--tricks",
    "7",
    "--card-points",
    "75",
)
GERMAN = "ohne zwei, Spiel drei, Hand vier, mal Herz: vierzig"

HEAVY = ("numba", "numpy", "polars", "duckdb", "pyarrow", "joblib", "rich.console")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["score", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from skatsim.cli import main\n"
        "try:\n"
        f"    main({arguments!r})\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_is_quick() -> None:
    spent = []
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "skatsim", "--help"], check=True, capture_output=True)
        spent.append(time.perf_counter() - begin)
    assert min(spent) < 1  # 0.3 s on a quiet machine


def test_importing_the_package_does_nothing() -> None:
    code = (
        "import sys, skatsim\n"
        f"assert not [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert 'skatsim.cards' not in sys.modules\n"
        "skatsim.parse_card('CJ')\n"
        "assert 'parse_card' in vars(skatsim)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names_exist() -> None:
    for name in skatsim.__all__:
        assert getattr(skatsim, name) is not None
        assert name in dir(skatsim)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        skatsim.nothing  # noqa: B018


def test_every_command_has_help() -> None:
    context = click.Context(main)
    names = main.list_commands(context)
    assert {"score", "value"} <= set(names) <= set(COMMANDS)
    for name in names:
        command = main.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(), name


def test_a_command_whose_module_is_missing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "dance", "dance:dance")
    assert "dance" not in run("--help").stdout
    result = run("dance")
    assert result.exit_code == 2
    assert "No such command 'dance'" in result.stderr


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"skatsim, version {skatsim.__version__}\n")


def test_errors_are_one_line_unless_debugged() -> None:
    result = run("value", "CJ")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "Traceback" in run("--debug", "value", "CJ").stderr


def group_of(callback: Any) -> SkatSimGroup:
    """A group with one command that does something."""
    group = SkatSimGroup("test", params=main.params)
    group.add_command(click.Command("do", callback=callback))
    return group


def raising(error: BaseException) -> Any:
    def callback() -> None:
        raise error

    return callback


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "skatsim: interrupted"),
        (BrokenPipeError(), 141, ""),
        (click.Abort(), 1, "skatsim: aborted"),
        (PermissionError(13, "Permission denied", "/x"), 1, "error: '/x': permission denied"),
        (click.UsageError("no"), 2, "Error: no"),
    ],
)
def test_exit_codes(error: BaseException, code: int, text: str) -> None:
    result = CliRunner().invoke(group_of(raising(error)), ["do"])
    assert result.exit_code == code
    assert result.stderr.strip().endswith(text)
    assert "Traceback" not in result.stderr


def test_a_command_may_leave_with_a_code_of_its_own() -> None:
    group = group_of(lambda: click.get_current_context().exit(3))
    assert CliRunner().invoke(group, ["do"]).exit_code == 3


def test_a_reader_that_goes_away() -> None:
    code = "import sys; from skatsim.cli import main; main(['value', *sys.argv[1:]])"
    process = subprocess.Popen(
        [sys.executable, "-c", code, CARDS, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert "Traceback" not in errors
    assert "Broken" not in errors


def test_settings_from_the_environment(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert working_folder.is_dir()
    monkeypatch.setenv("SKATSIM_LANG", "de")
    assert run(*SCORE).stdout.splitlines()[0] == GERMAN
    monkeypatch.setenv("SKATSIM_SCORE_LANG", "es")
    assert run(*SCORE).stdout.startswith("sin 2")
    assert run(*SCORE, "--lang", "en").stdout.startswith("without 2")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("skatsim.toml", 'lang = "de"\n'),
        ("skatsim.toml", 'lang = "pt"\n[score]\nlang = "de"\n'),
        ("pyproject.toml", '[tool.skatsim]\nlang = "de"\n'),
        ("pyproject.toml", '[tool.skatsim.score]\nlang = "de"\n'),
    ],
)
def test_settings_from_a_file(
    name: str, text: str, working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (working_folder / name).write_text(text, encoding="utf-8")
    assert run(*SCORE).stdout.splitlines()[0] == GERMAN
    monkeypatch.setenv("SKATSIM_LANG", "es")
    assert run(*SCORE).stdout.startswith("sin 2")


def test_flags_from_a_file(working_folder: Path) -> None:
    (working_folder / "skatsim.toml").write_text("[score]\njson = true\n", encoding="utf-8")
    assert json.loads(run(*SCORE).stdout)["score"] == 40


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[score]\nlanguage = 'de'\n", "[score] has no option 'language'"),
        ("score = 1\n", "[score] is a table of options, not 1"),
        ("[score\n", "is no TOML file"),
        ("langage = 'de'\n", "no option is named 'langage'"),
        ("[scores]\nlang = 'de'\n", "no command is named 'scores'"),
        ("[score]\nbid = [1]\n", "[score]: bid cannot be [1]"),
        ("[score]\nbid = {a = 1}\n", "[score]: bid cannot be {'a': 1}"),
    ],
)
def test_settings_that_make_no_sense(text: str, what: str, working_folder: Path) -> None:
    (working_folder / "skatsim.toml").write_text(text, encoding="utf-8")
    for arguments in (SCORE, ("score", "--help")):
        result = run(*arguments)
        assert result.exit_code == 1
        assert what in result.stderr
        assert result.stderr.count("\n") == 1


def test_values_of_a_wrong_kind_are_wrong_usage(working_folder: Path) -> None:
    for text, what in (
        ("[simulate]\nhands = 1.5\n", "'1.5' is not a valid integer"),
        ("[simulate]\nhands = true\n", "'True' is not a valid integer"),
        ("[simulate]\nresume = 'maybe'\n", "'maybe' is not a valid boolean"),
    ):
        (working_folder / "skatsim.toml").write_text(text, encoding="utf-8")
        result = run("simulate", "--no-records")
        assert (result.exit_code, what in result.stderr) == (2, True), result.stderr
    (working_folder / "skatsim.toml").write_text("run = 7\narchive = 8\n", encoding="utf-8")
    result = run("report", "win_rates")
    assert (result.exit_code, "no archive at '8'" in result.stderr) == (1, True)


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nskatsim = 3\n"])
def test_project_files_that_are_odd(text: str, working_folder: Path) -> None:
    (working_folder / "pyproject.toml").write_text(text, encoding="utf-8")
    result = run(*SCORE)
    assert "Traceback" not in result.output
    assert result.exit_code == (1 if "skatsim" in text else 0)


def test_where_settings_come_from(working_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = working_folder / "skatsim.toml"
    file.write_text('lang = "de"\n', encoding="utf-8")
    monkeypatch.setenv("SKATSIM_SCORE_RULESET", "isko")
    context = click.Context(main)
    settings = {
        (setting.command, setting.option): (setting.value, setting.source)
        for setting in options.resolved_settings(context)
    }
    assert settings["score", "lang"] == ("de", str(file))
    assert settings["score", "ruleset"] == ("isko", "SKATSIM_SCORE_RULESET")
    assert settings["value", "ruleset"] == ("isko", "default")
    assert settings["value", "json"] == (False, "default")
    assert settings["score", "hand"] == (None, "default")


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        options.print_json({"rate": float("nan")})


@pytest.mark.usefixtures("working_folder")
def test_colour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    options.print_table(("contract", "value"), [("clubs", 12), ("null", None)], title="values")
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert options.is_colored(sys.stdout)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not options.is_colored(sys.stdout)
    assert not options.has_symbols()


def test_settings_file_of_another_tool(working_folder: Path) -> None:
    (working_folder / "pyproject.toml").write_text("[tool.other]\nx = 1\n", encoding="utf-8")
    assert options.read_settings() == (None, {})
    (working_folder / "skatsim.toml").write_bytes(b"\xff")
    with pytest.raises(NotationError, match=r"skatsim\.toml"):
        options.read_settings(working_folder)


def test_python_m_skatsim() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "skatsim", "value", CARDS, "--json"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert len(json.loads(result.stdout)["rows"]) == 12


def test_closed_streams() -> None:
    shell = '"$0" -m skatsim "$@" >&-'
    for arguments in (SCORE, ("config", "--json"), ("policies", "list")):
        done = subprocess.run(
            ["sh", "-c", shell, sys.executable, *arguments],
            check=False,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (0, "")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_letters_that_the_stream_does_not_know(encoding: str) -> None:
    code = (
        "from skatsim.cli import main, options\n"
        "from skatsim.cli.policies import policies\n"
        "policies.commands['list'].callback = (\n"
        "    lambda **ignored: options.print_table(['a'], [['王']]))\n"
        "main(['policies', 'list'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u738b" in done.stdout


def test_table_into_a_closed_pipe() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "skatsim", "policies", "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.close()
    assert process.wait() == 141
    assert process.stderr
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
