"""``skatsim replay``."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skatsim.archive import Archive
from skatsim.cards import SEATS
from skatsim.cli import main
from skatsim.formats.transcript import game_transcript, transcript
from skatsim.game import Game, random_deal
from skatsim.ruleset import find_ruleset
from skatsim.simulation import simulate

from ..unit.test_iss import DEAL, FOREHAND, HAND, HAND_RESULT, NULL_DEAL, record

GOOD = record(HAND, HAND_RESULT, ID="1")
PASSED = record(f"{NULL_DEAL} 1 p 2 p 0 p", "passed", ID="2")
SHOWN = """\
test 1  2020-01-02 03:04 UTC  verified

forehand    ann  CJ SJ HJ DJ CA CT CK SA ST SK
middlehand  bob  S9 S8 S7 HA HT HK HQ H9 H8 H7
rearhand    cid  C9 C8 C7 DA DT DK DQ D9 D8 D7
skat             CQ SQ

auction     middlehand to forehand: pass
            rearhand to forehand: pass
            forehand alone: 18
            forehand plays at 18
contract    clubs hand

trick  forehand   middlehand rearhand   winner      points  declarer defenders
       skat                                              6         6         0
   1   >CJ*        S7         C7        forehand         2         8         0
"""
LAST = """\
  10   >SK*        HA         DA        forehand        26       120         0

result      won: 120 card points, 10 tricks, schwarz
value       with 8, game 9, hand 10, schneider 11, schwarz 12, times clubs 12 =
            144
score       +144 for forehand
"""


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(main, ["replay", *arguments], catch_exceptions=False, **options)


def test_a_record(working_folder: Path) -> None:
    done = run("--record", GOOD)
    assert done.exit_code == 0
    assert done.stdout.startswith(SHOWN)
    assert done.stdout.endswith(LAST)
    assert done.stderr == ""


def test_a_game_of_an_archive(working_folder: Path) -> None:
    Path("g.sgf").write_text(f"{PASSED}\n{GOOD}\n", encoding="utf-8")
    CliRunner().invoke(main, ["import", "g.sgf", "--archive", "a"])
    done = run("g:1", "--archive", "a")
    assert done.exit_code == 0
    assert done.stdout == "g:1  " + run("--record", GOOD).stdout
    assert "passed in: nothing is scored" in run("g:0", "--archive", "a").stdout
    for bad in ("g:2", "h:0", "g", "g:x"):
        done = run(bad, "--archive", "a")
        assert done.exit_code == 1
        assert done.stderr.count("\n") == 1


def test_all_games_of_a_file(working_folder: Path) -> None:
    bad = record(HAND.replace("2 C7", "2 D7", 1), HAND_RESULT, ID="103")
    Path("g.sgf").write_text(f"{PASSED}\n{bad}\n{GOOD}\n", encoding="utf-8")
    done = run("--file", "g.sgf")
    assert done.exit_code == 3
    assert done.stdout.count("auction") == 2
    assert "g.sgf:2 ID 103" in done.stderr
    assert run("--file", "-", input=GOOD).stdout == run("--record", GOOD).stdout


@pytest.mark.parametrize(
    "arguments", [(), ("a:1", "--record", GOOD), ("--file", "x", "--record", "y")]
)
def test_usage(working_folder: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_nothing_to_show(working_folder: Path) -> None:
    done = run("--record", "no game")
    assert done.exit_code == 1
    assert "no game to show" in done.stderr


@pytest.mark.parametrize(
    ("moves", "result", "words"),
    [
        ("0 CH 0 CJ 1 RE 2 RE", None, "The defenders gave up. What was not played counts"),
        ("0 CH 0 CJ 0 RE", None, "lost: 6 card points, 0 tricks, given up"),
        ("0 CH 0 ?? w LE.1", None, ">??"),
        ("0 s w CQ.SQ 0 C w TI.0", None, "nothing yet"),
        ("w LE.1", None, "no result: the game does not count"),
        ("0 C 0 CJ 0 RE", None, "not looked at; hand was not announced"),
        ("0 CH 0 CJ 0 RE", "d:0 loss v:-264 m:8 bidok p:6 t:0 s:0 z:0", "recorded    -264"),
    ],
)
def test_short_games(working_folder: Path, moves: str, result: str | None, words: str) -> None:
    done = run("--record", record(f"{DEAL} {FOREHAND} {moves}", result))
    assert done.stderr == ""
    assert " ".join(words.split()) in " ".join(done.stdout.split())


@pytest.mark.parametrize("style", ["english", "german", "german-suited"])
@pytest.mark.parametrize("language", ["en", "de", "pt", "es"])
def test_everything_fits_in_eighty_columns(working_folder: Path, style: str, language: str) -> None:
    long = record(
        HAND.replace(FOREHAND, " ".join(f"1 {v} 0 y" for v in (18, 20, 22, 23, 24, 27, 30, 33, 35))
                     + " 1 p 2 p"),
        HAND_RESULT.replace("v:144", "v:120"),
        P0="a name much longer than any", PC="International Skat Server", ID="123456789",
    )  # fmt: skip
    done = run("--record", long, "--cards", style, "--lang", language)
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_colours_change_nothing_else(working_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("--record", GOOD).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("--record", GOOD).stdout
    assert "\033[31m" in coloured
    assert re.sub(r"\033\[[0-9]+m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("--record", GOOD).stdout == plain


def test_a_game_value_as_text() -> None:
    game = Game(deal=random_deal(1))
    for call in ("pass", "pass", "pass"):
        game = game.with_call(call)
    assert "passed in" in game_transcript(game)


EVERY_HOUSE_RULE = find_ruleset("casa").with_(
    name="every-house-rule",
    spitze_levels=1,
    revolution_value=92,
    is_schenken=True,
    is_klopfen=True,
    is_schieberamsch=True,
    is_ramsch_grand_hand=True,
    ramsch_rounds="after_bock",
    is_kontra_in_ramsch=True,
    kontra_steps=4,
)


def test_games_of_house_rules_are_shown(tmp_path: Path) -> None:
    seats = ("uniform", "heuristic", "uniform")
    simulate(hands=3600, series=36, seed=3, seats=seats, ruleset=EVERY_HOUSE_RULE,
             archive=tmp_path, run="house")  # fmt: skip
    run = Archive.open(tmp_path).run("house")
    rows, calls = run.rows(0, run.hands)
    shown, start = [], 0
    for row in rows:
        end = int(row["call_end"])
        shown.append(transcript(row, calls[start:end], ruleset=EVERY_HOUSE_RULE))
        start = end
    assert max(len(line) for text in shown for line in text.splitlines()) <= 80
    everything = "\n".join(shown)
    for words in (
        "Kontra, Re, Supra, Hirsch; Kontra by",
        "Bock: every entry times 2",
        "took the skat and pushed on",
        "the skat was pushed on unseen",
        "knocked",
        "the defenders gave up; the declarer accepted",
        "the defenders shared out their cards anew",
        "compulsory round of Ramsch",
        "spitze",
        "Durchmarsch by",
        "lost by",
        "a player without a trick: times 2",
    ):
        assert words in everything
    for row, text in zip(rows, shown, strict=True):
        entries = [int(row[f"{seat}_entry"]) for seat in SEATS]
        scores = [int(row["score"])] if row["declarer_seat"] >= 0 else entries
        for score in filter(None, scores):
            assert f"{score:+d} for " in text
