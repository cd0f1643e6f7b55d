"""The command ``estimate``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skatsim.cli import main

HAND = "SJ CA CK C9 ST S8 HA HT DK D9"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["estimate", *arguments])


def test_json(working_folder: Path) -> None:
    result = run(*HAND.split(), "--samples", "462", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["hand"] == HAND and found["seat"] == "forehand" and found["method"] == "play"
    assert [row["contract"] for row in found["contracts"][::2]] == [
        "clubs",
        "spades",
        "hearts",
        "diamonds",
        "grand",
        "null",
        "null ouvert",
    ]
    assert found["notes"]
    for row in found["contracts"]:
        assert 0 <= row["win_rate_low"] <= row["win_rate"] <= row["win_rate_high"] <= 1


@pytest.mark.parametrize(
    "options",
    [(), ("--skat", "CJ D8"), ("--seat", "rearhand", "--auction", "1 18 0 y 1 20 0 p")],
    ids=["ten", "twelve", "auction"],
)
def test_tables_fit_the_terminal(working_folder: Path, options: tuple[str, ...]) -> None:
    result = run(HAND, *options, "--samples", "462")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert any(line.startswith("grand") for line in lines)
    assert lines[-1].startswith(("bid up to", "pass"))
    start = next(n for n, line in enumerate(lines) if line.lstrip().startswith("bid "))
    assert lines[start + 2].count("±") == 2


def test_longest_tables_fit_the_terminal(working_folder: Path) -> None:
    lines = run("CJ SJ HJ DJ CA SA HA DA CT ST", "--samples", "231").stdout.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[-1] == "bid up to 264; at 18 play grand hand ouvert"


def test_auction_that_is_over(working_folder: Path) -> None:
    result = run(HAND, "--seat", "middlehand", "--auction", "1 18 0 p 2 p", "--samples", "300")
    lines = result.stdout.splitlines()
    assert lines[0].endswith("middlehand, declarer at 18")
    assert lines[-1].startswith("at 18 take the skat, most often for ")
    result = run(HAND, "--auction", "1 p 2 p", "--samples", "300")
    assert result.stdout.splitlines()[-1].startswith("bid 18, the others have passed; at 18 ")


def test_help_explains_the_figures(working_folder: Path) -> None:
    text = " ".join(run("--help").stdout.split())
    assert "at least that" in text and "effective_samples is the number" in text


def test_german_cards(working_folder: Path) -> None:
    result = run("Pi B Kr A".replace(" ", ""), *HAND.split()[2:], "--samples", "10")
    assert result.exit_code == 1
    result = run(HAND, "--cards", "german", "--samples", "10")
    assert result.stdout.startswith("PiB KrA")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((HAND[:-3],), "has 9 cards: 10 needed"),
        ((HAND, "--skat", "SJ D8"), "both in the hand and in the skat"),
        ((HAND, "--auction", "1 18 0 p"), "forehand has passed"),
        ((HAND, "--method", "human"), "not available"),
    ],
)
def test_impossible_questions(
    working_folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("skatsim: error: ")
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
