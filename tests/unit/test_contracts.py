"""Contracts as text and as codes, and the sentence for each fault."""

import pytest

from skatsim.contracts import (
    CONTRACT_NAMES,
    Contract,
    check_declaration,
    fault_text,
    iss_code,
    parse_contract,
)
from skatsim.errors import NotationError, RuleError
from skatsim.kernels import rules as kernel_rules
from skatsim.ruleset import ISKO


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("clubs", "clubs", "C"),
        ("C", "clubs", "C"),
        ("HH", "hearts hand", "HH"),
        ("HHS", "hearts hand schneider", "HHS"),
        ("CHS", "clubs hand schneider", "CHS"),
        ("CHZ", "clubs hand schwarz", "CHZ"),
        ("CHSZ", "clubs hand schwarz", "CHZ"),
        ("GO", "grand hand ouvert", "GO"),
        ("GHO", "grand hand ouvert", "GO"),
        ("SHO", "spades hand ouvert", "SO"),
        ("CHOSZ", "clubs hand ouvert", "CO"),
        ("CO", "clubs hand ouvert", "CO"),
        ("N", "null", "N"),
        ("NH", "null hand", "NH"),
        ("NO", "null ouvert", "NO"),
        ("NOH", "null hand ouvert", "NOH"),
        ("NHO", "null hand ouvert", "NOH"),
        ("nho", "null hand ouvert", "NOH"),
        ("hearts hand schneider", "hearts hand schneider", "HHS"),
        ("Hearts, Hand, Schwarz", "hearts hand schwarz", "HHZ"),
        ("grand schneider", "grand hand schneider", "GHS"),
        ("Herz Hand", "hearts hand", "HH"),
        ("♠", "spades", "S"),
        ("null open", "null ouvert", "NO"),
    ],
)
def test_read_and_written(text: str, words: str, code: str) -> None:
    contract = parse_contract(text)
    assert str(contract) == words
    assert iss_code(contract) == code
    assert parse_contract(words) == contract


@pytest.mark.parametrize(
    ("text", "word"),
    [("hearst", "hearst"), ("hearts hnad", "hnad"), ("", ""), ("X", "X"), ("19", "19")],
)
def test_the_word_not_understood_is_named(text: str, word: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_contract(text)
    assert repr(word) in str(caught.value)


def test_closing_follows_the_ruleset() -> None:
    ouvert = Contract(name="grand", is_ouvert=True)
    assert ouvert.closed() == Contract(
        name="grand",
        is_hand=True,
        is_schneider_announced=True,
        is_schwarz_announced=True,
        is_ouvert=True,
    )
    assert ouvert.closed(ISKO.with_(ouvert_requires="hand")) == Contract(
        name="grand", is_hand=True, is_ouvert=True
    )
    assert ouvert.closed(ISKO.with_(ouvert_requires="none")) == ouvert


@pytest.mark.parametrize(
    ("contract", "bid", "is_taken", "what"),
    [
        (Contract(name="null"), 24, True, "below the bid of 24"),
        (Contract(name="null", is_schneider_announced=True), 18, True, "neither schneider"),
        (Contract(name="clubs", is_schneider_announced=True), 18, True, "hand games only"),
        (Contract(name="grand", is_ouvert=True), 18, True, "hand games only"),
        (Contract(name="clubs", is_hand=True), 18, True, "no hand game"),
    ],
)
def test_what_must_not_be_declared(contract: Contract, bid: int, is_taken: bool, what: str) -> None:
    with pytest.raises(RuleError, match=what) as caught:
        check_declaration(contract, bid, is_skat_taken=is_taken)
    assert repr(str(contract)) in str(caught.value)


def test_every_fault_has_a_sentence() -> None:
    faults = [
        value
        for name, value in vars(kernel_rules).items()
        if name.startswith("FAULT_") and isinstance(value, int)
    ]
    sentences = {fault_text(fault, Contract(name="null"), 24) for fault in faults}
    assert len(sentences) == len(faults) == 11


def test_numbers() -> None:
    for number, name in enumerate(CONTRACT_NAMES):
        assert Contract(name=name).number == number
        assert Contract.from_number(number) == Contract(name=name)
    assert Contract.from_number(6) == Contract(name="ramsch")
    with pytest.raises(NotationError):
        Contract.from_number(7)
    with pytest.raises(NotationError):
        Contract(name="misere")
