"""The sentence that explains a value."""

import dataclasses
import re

import pytest

from skatsim.cards import parse_mask
from skatsim.contracts import parse_contract
from skatsim.explanation import LANGUAGES, Language, _german, contract_name, explain
from skatsim.ruleset import find_ruleset
from skatsim.scoring import Score, score_game

WITHOUT_TWO = ("HJ DJ HA HT HK H9 SA S7 C7 D7", "S8 C8")
WITH_ONE = ("CJ HJ CA CT CK D7 H7 S7 D8 H8", "S8 D9")
WITH_FOUR = ("CJ SJ HJ DJ HA HT DA DT SA ST", "S7 H7")


def scored(
    contract: str,
    cards: tuple[str, str],
    bid: int,
    points: int | None,
    tricks: int,
    award: str = "none",
) -> Score:
    return score_game(
        parse_contract(contract),
        hand_mask=parse_mask(cards[0]),
        skat_mask=parse_mask(cards[1]),
        bid_value=bid,
        card_points=points,
        trick_count=tricks,
        award=award,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "without 2, game 3, hand 4, times hearts 10 = 40"),
        ("de", "ohne zwei, Spiel drei, Hand vier, mal Herz: vierzig"),
        ("pt", "sem 2, jogo 3, hand 4, vezes copas 10 = 40"),
        ("es", "sin 2, juego 3, hand 4, por corazones 10 = 40"),
    ],
)
def test_the_four_languages(language: Language, sentence: str) -> None:
    assert explain(scored("hearts hand", WITHOUT_TWO, 40, 75, 7), language) == sentence


@pytest.mark.parametrize(
    ("contract", "cards", "bid", "points", "tricks", "sentence"),
    [
        ("clubs", WITH_ONE, 18, 95, 8, "with 1, game 2, schneider 3, times clubs 12 = 36"),
        (
            "clubs",
            WITH_ONE,
            33,
            95,
            8,
            "with 1, game 2, schneider 3, times clubs 12 = 36; schneider lifts it to the bid of 33",
        ),
        (
            "clubs",
            WITH_ONE,
            48,
            120,
            10,
            "with 1, game 2, schneider 3, schwarz 4, times clubs 12 = 48; "
            "schwarz lifts it to the bid of 48",
        ),
        (
            "clubs",
            WITH_ONE,
            18,
            60,
            5,
            "with 1, game 2, times clubs 12 = 24; lost at 60 card points: -48",
        ),
        (
            "clubs",
            WITH_ONE,
            27,
            70,
            6,
            "with 1, game 2, times clubs 12 = 24; overbid (the bid of 27 is charged as 36): -72",
        ),
        (
            "clubs",
            WITH_ONE,
            27,
            50,
            5,
            "with 1, game 2, times clubs 12 = 24; lost at 50 card points, "
            "overbid (the bid of 27 is charged as 36): -72",
        ),
        (
            "clubs hand schneider",
            WITH_ONE,
            18,
            89,
            8,
            "with 1, game 2, hand 3, schneider 4, schneider announced 5, times clubs 12 = 60; "
            "lost at 89 card points, schneider announced and missed: -120",
        ),
        (
            "grand ouvert",
            WITH_FOUR,
            18,
            106,
            9,
            "with 4, game 5, hand 6, schneider 7, schneider announced 8, schwarz 9, "
            "schwarz announced 10, ouvert 11, times grand 24 = 264; lost at 106 card points, "
            "schwarz announced and missed at 9 of ten tricks: -528",
        ),
        ("null", WITH_ONE, 18, None, 0, "null = 23"),
        ("null hand ouvert", WITH_ONE, 18, None, 0, "null hand ouvert = 59"),
        ("null", WITH_ONE, 18, None, 1, "null = 23; lost by taking a trick: -46"),
        (
            "null",
            WITH_ONE,
            24,
            None,
            0,
            "null = 23; overbid (the bid of 24 is charged as the cheapest game that holds it, "
            "24): -48",
        ),
    ],
)
def test_sentences(
    contract: str,
    cards: tuple[str, str],
    bid: int,
    points: int | None,
    tricks: int,
    sentence: str,
) -> None:
    assert explain(scored(contract, cards, bid, points, tricks)) == sentence


def test_who_gives_up_gets_no_levels_he_did_not_make() -> None:
    score = scored("clubs", WITH_ONE, 18, 10, 0, "conceded")
    assert explain(score) == "with 1, game 2, times clubs 12 = 24; lost by giving up: -48"
    null = scored("null", WITH_ONE, 18, None, 0, "conceded")
    assert explain(null) == "null = 23; lost by giving up: -46"


@pytest.mark.parametrize("language", LANGUAGES)
def test_null_is_free_of_matadors_and_levels(language: Language) -> None:
    for tricks in (0, 1):
        for bid in (18, 60):
            sentence = explain(scored("null ouvert", WITH_ONE, bid, None, tricks), language)
            levels = r"\b(with|without|mit|ohne|com|sem|con|sin)\b|schneider|schwarz"
            assert not re.search(levels, sentence, re.IGNORECASE), sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_and_without_differ(language: Language) -> None:
    with_one = explain(scored("clubs", WITH_ONE, 18, 70, 6), language)
    without = explain(scored("hearts", WITHOUT_TWO, 18, 70, 6), language)
    assert with_one.split()[0] != without.split()[0]


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (0, "null"),
        (1, "eins"),
        (16, "sechzehn"),
        (17, "siebzehn"),
        (21, "einundzwanzig"),
        (30, "dreißig"),
        (66, "sechsundsechzig"),
        (100, "einhundert"),
        (101, "einhunderteins"),
        (264, "zweihundertvierundsechzig"),
        (528, "fünfhundertachtundzwanzig"),
        (1008, "eintausendacht"),
        (2112, "zweitausendeinhundertzwölf"),
    ],
)
def test_german_numbers(number: int, word: str) -> None:
    assert _german(number) == word


def national(name: str, contract: str) -> Score:
    rules = find_ruleset(name)
    return score_game(
        parse_contract(contract, rules),
        hand_mask=parse_mask(WITH_ONE[0]),
        skat_mask=parse_mask(WITH_ONE[1]),
        bid_value=18,
        card_points=120,
        trick_count=10,
        ruleset=rules,
    )


@pytest.mark.parametrize(
    ("name", "contract", "language", "part"),
    [
        ("texas", "clubs ouvert", "en", "ouvert: times 2, times clubs 12"),
        ("texas", "clubs ouvert", "de", "ouvert: mal zwei, mal Kreuz"),
        ("texas", "clubs ouvert", "pt", "ouvert: vezes 2, vezes paus 12"),
        ("texas", "clubs ouvert", "es", "ouvert: por 2, por tréboles 12"),
        ("robber", "clubs schneider", "en", "schneider announced: times 2, times clubs 12"),
        ("robber", "clubs schwarz", "en", "schwarz announced: times 3, times clubs 12"),
    ],
)
def test_what_multiplies_is_named(name: str, contract: str, language: Language, part: str) -> None:
    assert part in explain(national(name, contract), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_loss_has_one_colon_before_its_entry(language: Language) -> None:
    """In the part that says why; in front of it German has one more for the value."""
    for score in (
        scored("clubs", WITH_ONE, 27, 70, 6),
        scored("clubs", WITH_ONE, 18, 60, 5),
        scored("null", WITH_ONE, 24, None, 0),
        scored("clubs", WITH_ONE, 18, 10, 0, "conceded"),
        dataclasses.replace(scored("clubs", WITH_ONE, 27, 50, 5), kontra_count=1),
    ):
        reason = explain(score, language).split("; ", 1)[1]
        assert reason.count(":") == 1, reason


def test_kontra_on_a_loss() -> None:
    score = dataclasses.replace(scored("clubs", WITH_ONE, 18, 60, 5), kontra_count=1, score=-96)
    assert explain(score).endswith("; lost at 60 card points, Kontra: times 2 = -96")


def test_contracts_in_four_languages() -> None:
    contract = parse_contract("grand hand schneider")
    names = [contract_name(contract, language) for language in LANGUAGES]
    assert names == [
        "grand hand schneider",
        "Grand Hand Schneider angesagt",
        "grand hand schneider anunciado",
        "grand hand schneider anunciado",
    ]
    assert contract_name(parse_contract("null ouvert"), "de") == "Null ouvert"
    assert contract_name(parse_contract("clubs ouvert"), "es") == "tréboles hand ouvert"
