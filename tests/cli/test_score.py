"""``skatsim score`` and ``skatsim value``, and the reported faults of other programs (rules)."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skatsim.cli import main
from skatsim.ruleset import RULESETS

SPADES_WITH_TWO = ("CJ SJ SA ST SK SQ S9 HA H7 DA", "S8 D7")
HEARTS_HAND = ("HJ DJ HA HT HK H9 SA S7 C7 D7", "S8 C8")
GRAND_WITH_FOUR = ("CJ SJ HJ DJ HA HT DA DT SA ST", "S7 H7")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def score_arguments(
    cards: tuple[str, str], contract: str, bid: int, tricks: int, points: int | None, *more: str
) -> list[str]:
    hand, skat = cards
    arguments = ["score", "--hand", hand, "--skat", skat, "--contract", contract]
    arguments += ["--bid", str(bid), "--tricks", str(tricks)]
    if points is not None:
        arguments += ["--card-points", str(points)]
    return [*arguments, *more]


def scored(*arguments: Any) -> dict[str, Any]:
    result = run(*score_arguments(*arguments), "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_keys() -> None:
    found = scored(HEARTS_HAND, "HH", 40, 7, 75)
    promised = {
        "matadors": -2,
        "level": 2,
        "multiplier": 4,
        "game_value": 40,
        "is_overbid_before_play": False,
        "is_overbid": False,
        "is_won": True,
        "charged_value": 40,
        "score": 40,
        "explanation": "without 2, game 3, hand 4, times hearts 10 = 40",
        "seeger_fabian": {"3": [90, 0, 0], "4": [90, 0, 0, 0]},
    }
    assert {name: found[name] for name in promised} == promised


@pytest.mark.usefixtures("working_folder")
def test_text() -> None:
    result = run(*score_arguments(HEARTS_HAND, "hearts hand", 40, 7, 75, "--lang", "de"))
    assert result.exit_code == 0
    first, second, *table = result.stdout.splitlines()
    assert first == "ohne zwei, Spiel drei, Hand vier, mal Herz: vierzig"
    assert second == "Herz Hand, gereizt 40: gewonnen, +40"
    assert max(len(line) for line in table) <= 80
    assert "Alleinspieler" in table[0]


@pytest.mark.usefixtures("working_folder")
@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "hearts hand, bid 40: won, +40"),
        ("de", "Herz Hand, gereizt 40: gewonnen, +40"),
        ("pt", "copas hand, lance 40: ganho, +40"),
        ("es", "corazones hand, puja 40: ganado, +40"),
    ],
)
def test_all_of_the_text_is_in_the_language(language: str, line: str) -> None:
    english = run(*score_arguments(HEARTS_HAND, "hearts hand", 40, 7, 75)).stdout.splitlines()
    lines = run(
        *score_arguments(HEARTS_HAND, "hearts hand", 40, 7, 75, "--lang", language)
    ).stdout.splitlines()
    assert lines[1] == line
    same = {line for line in lines if line in english}
    assert language == "en" or all(not any(map(str.isalpha, line)) for line in same), same


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("--kontra", "1"), "'isko' knows no Kontra: casa does"),
        (("--bock", "2"), "'isko' knows no Bock: casa does"),
        (("--ruleset", "casa", "--kontra", "3"), "'casa' knows at most 2 steps of Kontra, not 3"),
        (("--ruleset", "casa", "--bock", "4"), "'casa' knows at most 2 as the factor of Bock"),
        (("--ruleset", "MULTIPLY", "--bock", "3"), "the factor of Bock cannot be 3: 1, 2, 4"),
        (("--missed-spitze",), "announces no Spitze"),
        (("--ruleset", "STRICT", "--bid", "55"), "cannot reach the bid of 55"),
    ],
)
def test_what_the_ruleset_lacks_is_refused(
    more: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    files = {
        "MULTIPLY": 'base = "casa"\nbock_accumulation = "multiply"\n',
        "STRICT": "is_strict_declare = true\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name.lower()}.toml").write_text(text, encoding="utf-8")
    given = [str(tmp_path / f"{word.lower()}.toml") if word in files else word for word in more]
    cards = ("CJ DA DT DK D9 D8 SA S7 H7 C7", "S8 C8")
    result = run(*score_arguments(cards, "diamonds", 18, 7, 75, *given))
    assert (result.exit_code, result.stdout) == (1, "")
    assert what in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["score", "simulate"])
def test_help_names_the_rulesets(command: str) -> None:
    text = run(command, "--help").stdout
    assert all(name in text for name in RULESETS)


def test_case_a2_overbid_is_charged_from_the_hand() -> None:
    cards = ("HJ DJ HA HT HK H9 SA S7 C7 D7", "CJ C8")
    found = scored(cards, "hearts", 24, 6, 64)
    assert (found["is_won"], found["is_overbid"]) == (False, True)
    assert (found["matadors"], found["charged_value"], found["score"]) == (1, 30, -60)
    assert "overbid" in found["explanation"]


def test_case_a4_jacks_in_the_untouched_skat_count() -> None:
    cards = ("CJ HA HT HK HQ H9 H8 SA ST D7", "SJ D8")
    found = scored(cards, "hearts hand", 18, 8, 95)
    assert found["game_value"] == 50
    expected = "with 2, game 3, hand 4, schneider 5, times hearts 10 = 50"
    assert found["explanation"] == expected


@pytest.mark.parametrize(
    ("points", "tricks", "score"),
    [(30, 3, -88), (31, 3, -66), (60, 5, -66), (61, 5, 33), (89, 8, 33), (90, 8, 44)],
)
def test_case_a6_borders(points: int, tricks: int, score: int) -> None:
    assert scored(SPADES_WITH_TWO, "spades", 18, tricks, points)["score"] == score


@pytest.mark.parametrize("contract", ["GO", "grand ouvert", "grand hand schwarz ouvert"])
def test_case_a7_ouvert_carries_every_announcement(contract: str) -> None:
    found = scored(GRAND_WITH_FOUR, contract, 18, 9, 106)
    assert (found["is_won"], found["score"]) == (False, -528)
    assert "schwarz announced and missed" in found["explanation"]


@pytest.mark.parametrize(("contract", "value"), [("N", 23), ("NH", 35), ("NO", 46), ("NOH", 59)])
def test_case_a8_null_has_no_levels(contract: str, value: int) -> None:
    found = scored(GRAND_WITH_FOUR, contract, 18, 0, None)
    assert (found["score"], found["is_won"]) == (value, True)
    for name in ("matadors", "level", "multiplier", "is_schneider", "is_schwarz"):
        assert found[name] is None
    assert "with" not in found["explanation"]


def test_case_a16_hand_is_declared_not_inferred() -> None:
    cards = ("SJ HJ SA ST SK SQ S9 HA CA D7", "S8 D8")
    found = scored(cards, "spades", 23, 8, 89)
    assert (found["is_overbid"], found["score"]) == (True, -66)


def test_case_a21_without_is_not_with() -> None:
    found = scored(HEARTS_HAND, "hearts", 18, 6, 70)
    assert found["explanation"].startswith("without 2,")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((HEARTS_HAND, "hearts", 40, 10, 31), "31 card points with 10 tricks"),
        ((HEARTS_HAND, "hearts", 40, 5, 121), "121 card points: 0 to 120"),
        ((HEARTS_HAND, "hearts", 19, 5, 61), "nobody can bid 19"),
        ((HEARTS_HAND, "null", 18, 2, None), "null ends with his first trick"),
        ((HEARTS_HAND, "heart's", 18, 5, 61), "is no contract"),
        ((HEARTS_HAND, "null schneider", 18, 0, None), "null knows neither"),
        ((("HJ DJ HA HT HK H9 SA S7 C7 XX", "S8 C8"), "hearts", 18, 5, 61), "'XX' is no card"),
        ((("HJ DJ HA HT HK H9 SA S7 C7", "S8 C8"), "hearts", 18, 5, 61), "here are 9"),
        ((("HJ DJ HA HT HK H9 SA S7 C7 C7", "S8 C8"), "hearts", 18, 5, 61), "'C7' is there twice"),
        ((HEARTS_HAND, "hearts", 18, 5, 61, "--ruleset", "skat"), "no ruleset is named 'skat'"),
    ],
)
def test_bad_input_is_one_line_and_exit_1(arguments: tuple[Any, ...], what: str) -> None:
    result = run(*score_arguments(*arguments), "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("skatsim: error: ")
    assert result.stderr.count("\n") == 1
    assert what in result.stderr


def test_wrong_usage_is_exit_2() -> None:
    assert run("score").exit_code == 2
    assert run("score", "--hand", "CJ", "--bid", "x").exit_code == 2


def test_german_cards_of_hand_and_skat_are_read_together() -> None:
    german = ("HeB KaB HeA He10 HeK He9 PiA Pi7 Kr7 Ka7", "Pi8 Kr8")
    suited = ("RU SU RA R10 RK R9 GA G7 E7 S7", "G8 E8")
    expected = scored(HEARTS_HAND, "HH", 40, 7, 75)
    assert scored(german, "HH", 40, 7, 75) == scored(suited, "HH", 40, 7, 75) == expected


def value_of(*arguments: str) -> dict[str, Any]:
    result = run("value", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


WITHOUT_TWO = "HJ DJ CA CT CK C9 SA S7 H7 D7"


def test_value_rows() -> None:
    found = value_of(WITHOUT_TWO)
    rows = {(row["contract"], row["is_hand"]): row for row in found["rows"]}
    assert len(rows) == 12
    clubs = rows["clubs", False]
    assert (clubs["value_held"], clubs["least_value"], clubs["greatest_value"]) == (36, 24, 96)
    assert clubs["lowered_rate"] == 40 / 231
    assert clubs["lowered_fraction"] == "40/231"
    assert rows["clubs", True]["value_held"] == 48
    null = rows["null", False]
    assert (null["value_held"], null["lowered_rate"], null["matadors"]) == (23, 0, None)


def test_value_has_no_hand_games_where_the_skat_is_always_taken() -> None:
    found = value_of(WITHOUT_TWO, "--ruleset", "robber")
    assert {row["is_hand"] for row in found["rows"] + found["overbid"]} == {False}
    assert len(found["rows"]) == 6


def test_value_overbid_rates() -> None:
    found = value_of(WITHOUT_TWO)
    rates = {(row["bid"], row["contract"], row["is_hand"]): row["rate"] for row in found["overbid"]}
    assert rates[24, "clubs", False] == 0
    assert rates[27, "clubs", False] == rates[36, "clubs", False] == 40 / 231
    assert rates[33, "spades", False] == 40 / 231
    assert (23, "null", False) in rates
    assert (24, "null", False) not in rates


def test_value_at_one_bid() -> None:
    rates = value_of(WITHOUT_TWO, "--bid", "36")["overbid"]
    assert len(rates) == 12
    by_contract = {row["contract"]: row["rate"] for row in rates if not row["is_hand"]}
    assert (by_contract["null"], by_contract["grand"], by_contract["clubs"]) == (1, 0, 40 / 231)


def test_value_with_the_skat_is_exact() -> None:
    found = value_of(WITHOUT_TWO, "--skat", "CJ D8")
    clubs = found["rows"][2]
    assert (clubs["contract"], clubs["value_held"], clubs["matadors"]) == ("clubs", 24, 1)
    assert clubs["lowered_rate"] is None


def test_value_takes_cards_as_words_too() -> None:
    assert value_of(*WITHOUT_TWO.split()) == value_of(WITHOUT_TWO)


@pytest.mark.usefixtures("working_folder")
def test_value_as_a_table_of_80_columns() -> None:
    result = run("value", WITHOUT_TWO, "--bid", "36")
    lines = result.stdout.splitlines()
    assert len(lines) == 14
    assert max(len(line) for line in lines) <= 80


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["CJ"], "a hand has 10 cards, here are 1"),
        ([WITHOUT_TWO, "--bid", "19"], "nobody can bid 19"),
        ([WITHOUT_TWO, "--skat", "HJ S8"], "'HJ' is in the hand and in the skat"),
    ],
)
def test_value_of_nonsense(arguments: list[str], what: str) -> None:
    result = run("value", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert what in result.stderr


def test_facts_of_the_skat(corpus: Any) -> None:
    """The chance that the skat lowers the value, against the table of exact facts."""
    facts = (corpus / "rules" / "facts.json").read_text(encoding="utf-8")
    assert "40/231" in facts
    without = {
        3: ("DJ CT CK C9 SA S7 H7 D7 S8 H8", "60/231"),
        4: ("CA CT CK C9 SA S7 H7 D7 S8 H8", "78/231"),
        5: ("CT CK C9 SA S7 H7 D7 S8 H8 D8", "95/231"),
    }
    for matadors, (cards, fraction) in without.items():
        clubs = value_of(cards)["rows"][2]
        numerator, denominator = map(int, fraction.split("/"))
        assert (clubs["contract"], clubs["matadors"]) == ("clubs", -matadors)
        assert clubs["lowered_rate"] == numerator / denominator
