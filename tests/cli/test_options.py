"""Options that say nothing, and numbers that are none: every command refuses them alike."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from skatsim.arguments import MOST_JOBS
from skatsim.cli import main
from skatsim.cli.options import JOBS, FiniteRange
from skatsim.seating import MOST_DEALS

HAND = "CJ SJ HJ DJ CA CT CK CQ C9 C8"

ARGUMENTS = {
    "duel": ["heuristic", "uniform"],
    "estimate": [HAND],
    "import": ["games.sgf"],
    "open-cards": ["suit"],
    "policies show": ["uniform"],
    "replay": ["x:1"],
    "review": ["x:1"],
    "run": ["demo"],
    "runs compact": ["x"],
    "runs copy": ["x", "y"],
    "runs remove": ["x"],
    "runs show": ["x"],
    "runs unlock": ["x"],
    "sql": ["select 1"],
    "value": [HAND],
}

ODD_FLOATS = ("nan", "inf", "-inf", "1e400", "-0.0", "-1", "1e-320")

GREAT = "1" + "0" * 30


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def leaves(names: tuple[str, ...], command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves((*names, name), inner)
    else:
        yield " ".join(names), command


def options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command that takes a value."""
    ctx = click.Context(main)
    for name in main.list_commands(ctx):
        command = main.get_command(ctx, name)
        assert command is not None
        for path, leaf in leaves((name,), command):
            for option in leaf.params:
                if isinstance(option, click.Option) and not option.is_flag:
                    yield path, option


def given(path: str, option: click.Option, value: str) -> Result:
    return call(
        *path.split(), *ARGUMENTS.get(path, ()), *[max(option.opts, key=len), value] * option.nargs
    )


MAY_BE_BLANK = {("estimate", "auction"), ("solve", "played"), ("export", "where")}
"""No calls yet; no cards played; and a condition has an error of its own."""


def test_no_option_says_anything_without_text(working_folder: Path) -> None:
    count = 0
    for path, option in options():
        for value in ("", "  "):
            if (path, option.name) not in MAY_BE_BLANK:
                done = given(path, option, value)
                assert done.exit_code == 2, (path, option.name, done.output)
                assert "Invalid value for" in done.stderr or "requires" in done.stderr
                count += 1
    assert count > 150
    assert list(working_folder.iterdir()) == []


def test_what_may_be_blank(working_folder: Path) -> None:
    seats = ("--forehand", "CA", "--middlehand", "CT", "--rearhand", "CK", "--skat", "HA HT")
    rest = ("--contract", "clubs", "--declarer", "forehand", "--played", "")
    assert "no option" not in call("solve", *seats, *rest).stderr
    assert call("value", HAND).exit_code == 0
    call("simulate", "--hands", "10", "--bidding", "uniform", "--archive", "a")
    done = call("export", "--where", "", "--format", "csv", "--archive", "a")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "--where is empty" in done.stderr


def test_empty_settings_of_the_environment_are_none(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKATSIM_PLAY", "")
    assert call("simulate", "--hands", "1", "--no-records").exit_code == 0
    monkeypatch.setenv("SKATSIM_PLAY", " ")
    assert call("simulate", "--hands", "1", "--no-records").exit_code == 2
    monkeypatch.delenv("SKATSIM_PLAY")
    (working_folder / "skatsim.toml").write_text('[simulate]\nplay = ""\n', encoding="utf-8")
    assert "'--play'" in call("simulate", "--hands", "1", "--no-records").stderr


def test_numbers_that_are_none_or_out_of_range_are_wrong_usage(working_folder: Path) -> None:
    count = 0
    for path, option in options():
        if isinstance(option.type, click.types.FloatParamType) and path != "estimate":
            assert isinstance(option.type, FiniteRange), (path, option.name)
            for value in ODD_FLOATS:
                done = given(path, option, value)
                assert done.exit_code == 2, (path, option.name, value, done.output)
                count += 1
    assert count >= 3 * len(ODD_FLOATS)


def test_whole_numbers_have_two_ends(working_folder: Path) -> None:
    """Where there is no end, it is a run or the rules that have one."""
    open_ended = set()
    for path, option in options():
        if isinstance(option.type, click.types.IntParamType):
            is_range = isinstance(option.type, click.IntRange)
            if not is_range or option.type.max is None:
                open_ended.add((path, option.name))
            else:
                done = given(path, option, GREAT)
                assert done.exit_code == 2, (path, option.name, done.output)
            if is_range:
                assert option.type.min is not None
                assert given(path, option, "-1").exit_code == 2
    assert open_ended == {
        ("estimate", "samples"),
        ("review", "hands"),
        ("runs show", "first"),
        ("score", "bid"),
        ("score", "card_points"),
        ("score", "tricks"),
        ("value", "bid"),
    }


def test_until_is_what_its_text_says(working_folder: Path) -> None:
    done = call("simulate", "--until", "0.5", "--no-records")
    assert done.exit_code == 2
    assert "0.0001<=x<0.5" in done.stderr
    assert call("simulate", "--until", "0.4999", "--no-records").exit_code == 0


def test_ends_of_ranges_are_those_of_the_package() -> None:
    assert JOBS.max == MOST_JOBS
    (option,) = [one for path, one in options() if (path, one.name) == ("simulate", "series")]
    assert isinstance(option.type, click.IntRange)
    assert option.type.max == MOST_DEALS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", ""], "file without a name"),
        (["runs", "copy", "x", ""], "no name"),
        (["runs", "show", ""], "cannot name a run ''"),
        (["simulate", "--series", "36", "--players", "a,,b"], "name"),
        (["simulate", "--hands", "1", "--seats", "uniform,,uniform"], "no policy ''"),
    ],
)
def test_arguments_without_text_are_one_line(
    arguments: list[str], message: str, working_folder: Path
) -> None:
    assert call("simulate", "--hands", "1", "--bidding", "uniform", "--run", "x").exit_code == 0
    done = call(*arguments)
    assert done.exit_code == 1, done.output
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_one_is_said_in_the_singular(working_folder: Path) -> None:
    hands = ("--bidding", "uniform", "--run", "x", "--archive", "a")
    assert call("simulate", "--hands", "1", *hands).exit_code == 0
    said = [
        call("verify", "--archive", "a").output,
        call("runs", "compact", "x", "--archive", "a").output,
        call("runs", "copy", "x", "b", "--archive", "a").output,
        call("runs", "remove", "x", "--archive", "b").output,
        call("export", "--format", "csv", "-o", "out.csv", "--archive", "a").stderr,
        call("review", "--run", "x", "--archive", "a").output,
        call("deal", "--count", "1", "--format", "text", "-o", "deal.txt").stderr,
        call("duel", "heuristic", "uniform", "--deals", "1").output,
    ]
    assert said[0] == "1 hand in 1 part checked, 0 problems\n"
    assert "x: 1 part of " in said[1]
    assert "1 hand, " in said[2]
    text = "\n".join(said)
    assert not [word for word in ("hands", "games", "parts", "deals") if f" 1 {word}" in text], text


@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "-5", GREAT, "", " ", "x", "0", "-0.0"])
@pytest.mark.parametrize("report", ["skat_surprise", "overbid_risk"])
def test_parameters_of_reports_that_are_no_numbers(
    report: str, value: str, working_folder: Path
) -> None:
    assert call("simulate", "--hands", "50", "--run", "x", "--archive", "a").exit_code == 0
    done = call("report", report, "--archive", "a", "--param", f"dealt_sample={value}")
    if value in ("0", "-0.0"):
        assert done.exit_code == 0, done.output
    else:
        assert done.exit_code == 1, done.output
        assert len(done.stderr.splitlines()) == 1
