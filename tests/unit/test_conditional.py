"""Conditional deals: their counts against exact figures, their conditions, what is refused."""

import json
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from skatsim.cards import mask_text, parse_mask
from skatsim.errors import NotationError, RuleError
from skatsim.formats.deals import DEAL_FORMATS, deal_lines
from skatsim.formats.importing import import_games
from skatsim.game import random_deal
from skatsim.kernels.cards import ACE_MASK, ALL_MASK, JACK_MASK
from skatsim.kernels.rules import matadors
from skatsim.study.conditional import deal, deal_layouts
from skatsim.study.conditions import CLASSES, FIGURES, Filter, count_conditions, parse_given

FORE, MIDDLE, REAR, SKAT = range(4)


def held(masks: np.ndarray, place: int, cards: int) -> np.ndarray:
    return np.bitwise_count(masks[:, place] & cards).astype(int)


def assert_share(found: np.ndarray, exact: Fraction | float) -> None:
    """A share is the exact one within four standard errors."""
    share = float(exact)
    error = (share * (1 - share) / len(found)) ** 0.5
    assert abs(found.mean() - share) <= 4 * error


def test_free_deals_are_those_of_the_simulator() -> None:
    deals = deal(20, seed=3)
    assert [deals[k] for k in range(20)] == [random_deal(3, k) for k in range(20)]
    assert deals.rate == deals.chance == 1.0 and list(deals) == deals[:]


def test_more_deals_begin_with_the_same() -> None:
    for settings in ({}, {"given": "skat: no jacks"}, {"where": "forehand_card_points > 50"}):
        few, many = (deal(count, seed=5, **settings) for count in (7, 300))  # type: ignore[arg-type]
        assert (many.masks[:7] == few.masks).all() and (many.numbers[:7] == few.numbers).all()
        other = deal(7, seed=6, **settings)  # type: ignore[arg-type]
        assert not (other.masks == few.masks).all()


def test_i_hold_this_and_the_skat_has_no_jack() -> None:
    deals = deal(20_000, seed=1, given="forehand: CJ SJ HA; skat: no jacks").masks
    assert (deals[:, FORE] & parse_mask("CJ SJ HA") == parse_mask("CJ SJ HA")).all()
    assert (held(deals, SKAT, JACK_MASK) == 0).all()
    assert (np.bitwise_or.reduce(deals, axis=1) == ALL_MASK).all()
    # of 29 cards 7 more come to forehand, 20 to the others, none of 2 jacks to the skat
    jacks_at_forehand = held(deals, FORE, parse_mask("HJ DJ"))
    for count in range(3):
        exact = Fraction(comb(7, count) * comb(20, 2 - count), comb(27, 2))
        assert_share(jacks_at_forehand == count, exact)
    places = [(deals[:, place] & parse_mask("D7") != 0).mean() for place in range(4)]
    left = [7, 10, 10, 2]
    free = 27  # D7 is one of 27 cards that are no jacks; 25 stay in hands
    assert places[SKAT] == pytest.approx(2 / free, abs=0.008)
    assert places[MIDDLE] == pytest.approx(float(Fraction(10, 27)) * 25 / 27, abs=0.015)
    assert sum(left) == 29


def test_five_trumps_and_two_side_aces() -> None:
    deals = deal(20_000, seed=2, given="forehand: 5 trumps clubs, 2 side aces beside clubs")
    masks = deals.masks
    assert (held(masks, FORE, CLASSES["trumps_clubs"]) == 5).all()
    assert (held(masks, FORE, CLASSES["side_aces_clubs"]) == 2).all()
    exact = Fraction(comb(11, 5) * comb(3, 2) * comb(18, 3), comb(32, 10))
    assert deals.chance == pytest.approx(float(exact), rel=1e-12)
    for jacks in range(5):  # among five of eleven trumps
        share = Fraction(comb(4, jacks) * comb(7, 5 - jacks), comb(11, 5))
        assert_share(held(masks, FORE, JACK_MASK) == jacks, share)
    for jacks in range(3):  # the 22 other cards: four jacks less those at forehand
        share = sum(
            Fraction(comb(4, at) * comb(7, 5 - at), comb(11, 5))
            * Fraction(comb(4 - at, jacks) * comb(18 + at, 2 - jacks), comb(22, 2))
            for at in range(5)
        )
        assert_share(held(masks, SKAT, JACK_MASK) == jacks, share)


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ("skat: no jacks", Fraction(189, 248)),
        ("forehand: 4 jacks", Fraction(21, 3596)),
        ("forehand: at least 3 jacks", Fraction(66, 899) + Fraction(21, 3596)),
        ("skat: CJ", Fraction(1, 16)),
        ("forehand: 2-3 aces; skat: 1+ aces", None),
    ],
)
def test_chances_are_exact(given: str, exact: Fraction | None) -> None:
    if exact is None:
        exact = sum(
            Fraction(comb(4, a) * comb(28, 10 - a), comb(32, 10))
            * (1 - Fraction(comb(18 + a, 2), comb(22, 2)))
            for a in (2, 3)
        ) + Fraction(0)
    deals = deal(3, given=given)
    assert deals.chance == pytest.approx(float(exact), rel=1e-12)
    assert deals.tried == 3


def test_counts_of_deals_agree_with_their_number() -> None:
    layouts, left = deal_layouts((0, 0, 0, 0), [])
    assert not left and layouts.total == factorial(32) // (factorial(10) ** 3 * 2)


def test_what_is_laid_out_is_what_would_be_found_by_trying() -> None:
    where = "forehand_jacks = 2 and skat_aces >= 1 and middlehand_card_points between 30 and 50"
    direct = deal(6000, seed=7, where=where)
    tried = deal(2000, seed=7, where=f"({where}) or false")
    assert direct.chance < 0.1 and tried.chance == 1.0
    assert tried.rate == pytest.approx(direct.rate * direct.chance, rel=0.1)
    for cards, place in ((JACK_MASK, REAR), (ACE_MASK, FORE), (parse_mask("CJ"), FORE)):
        one, other = (held(deals.masks, place, cards).mean() for deals in (direct, tried))
        assert one == pytest.approx(other, abs=0.06)


def test_only_what_must_hold_is_laid_out() -> None:
    def found(where: str) -> list[str]:
        return [condition.sql for condition in count_conditions(where)]

    assert found("forehand_jacks = 2 and skat_aces > 0") == ["forehand_jacks = 2", "skat_aces >= 1"]
    assert found("forehand_jacks between 1 and 2 AND skat_tens<2") == [
        "forehand_jacks between 1 and 2",
        "skat_tens between 0 and 1",
    ]
    assert found("forehand_jacks = 2 or skat_aces > 0") == []
    assert found("not forehand_jacks = 2 and skat_aces > 0") == []
    assert found("(forehand_jacks = 2 or skat_aces > 0) and rearhand_tens = 0") == [
        "rearhand_tens = 0"
    ]
    assert found("forehand_jacks + 1 = 2 and forehand_card_points = 3") == []
    assert found("forehand_jacks = 2 -- and skat_jacks = 0") == []
    assert found("forehand_jacks = 2 /* and skat_jacks = 0 */") == []
    assert found("forehand_jacks = 2 = false and skat_jacks = 0 is null") == []
    assert found("case when 1=1 then forehand_jacks = 1 end") == []


def test_figures_are_what_they_are_called() -> None:
    masks = deal(400, seed=11).masks
    for suit, name in enumerate(("diamonds", "hearts", "spades", "clubs")):
        for value in (-4, -2, -1, 1, 2, 3):
            expected = [k for k in range(400) if matadors(int(masks[k, 1]), suit, 11) == value]
            found = Filter([f"middlehand_matadors_{name} = {value}"]).matching(masks)
            assert found.tolist() == expected
    points = Filter(["skat_card_points = 14"]).matching(masks)
    values = (0, 0, 0, 3, 4, 10, 11, 2)
    worth = [sum(values[c & 7] for c in range(32) if int(m) >> c & 1) for m in masks[:, SKAT]]
    assert points.tolist() == [k for k in range(400) if worth[k] == 14]
    assert all(
        name.startswith(("forehand_", "middlehand_", "rearhand_", "skat_")) for name in FIGURES
    )
    longest = Filter(["forehand_longest_suit >= 5 and forehand_void_suits >= 1"]).matching(masks)
    lengths = [[(int(m) >> 8 * s & 127).bit_count() for s in range(4)] for m in masks[:, FORE]]
    assert longest.tolist() == [k for k, own in enumerate(lengths) if max(own) >= 5 and 0 in own]


def test_given_is_read_as_it_is_written() -> None:
    masks, counts = parse_given(
        "Vorhand: KrB PiB, 2 aces; skat: at most 1 ten; 2: 3+ spades trumps"
    )
    assert masks == (parse_mask("CJ SJ"), 0, 0, 0)
    assert [condition.sql for condition in counts] == [
        "forehand_aces = 2",
        "skat_tens between 0 and 1",
        "rearhand_trumps_spades >= 3",
    ]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"given": "forehand: CJ; skat: CJ"}, RuleError, "CJ cannot lie at forehand and in skat"),
        ({"given": "skat: CJ SJ HJ"}, RuleError, "skat cannot hold 3 cards"),
        ({"given": "skat: 3 jacks"}, RuleError, "no deal is so: skat_jacks = 3"),
        (
            {"given": "forehand: CJ, no jacks"},
            RuleError,
            "no deal is so: forehand CJ, forehand_jacks",
        ),
        ({"given": "forehand: 3 jacks; skat: 2 jacks"}, RuleError, "no deal is so"),
        ({"given": "CJ SJ"}, NotationError, "names no place"),
        ({"given": "dealer: CJ"}, NotationError, "'dealer' is no place"),
        ({"given": "forehand: XY"}, NotationError, "'XY' is no card"),
        ({"given": "forehand: CJ CJ"}, NotationError, "CJ"),
        ({"given": "forehand: 5 trumps"}, NotationError, "of which suit"),
        ({"given": "forehand: 2 jokers"}, NotationError, "cannot count 'jokers'"),
        ({"where": "forehand_jacks = 2 and middlehand_jacks = 3"}, RuleError, "no deal is so"),
        ({"where": "forehand_jaks = 2"}, RuleError, "asks about 'forehand_jaks'"),
        ({"where": "forehand_jacks ="}, RuleError, "cannot read condition"),
        ({"where": "forehand_jacks = (select 1)"}, RuleError, "no queries"),
        ({"where": "1=1) union select 1 where (1=1"}, RuleError, "no single expression"),
        ({"where": "1=1); drop table given; select (1"}, RuleError, "condition"),
        ({"where": "random() < 0.5"}, RuleError, "calls 'random'"),
        ({"where": "exists (from read_csv('/etc/passwd'))"}, RuleError, "no queries"),
        ({"where": "forehand_jacks = 'two'"}, RuleError, "cannot ask"),
        ({"count": -1}, RuleError, "count -1: 0 to"),
    ],
)
def test_what_cannot_be_is_said(settings, error, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message.replace("(", r"\(")):
        deal(**settings)


def test_too_many_kinds_of_cards_are_tried_instead() -> None:
    suits = "forehand: 1+ clubs, 1+ spades, 1+ hearts, 1+ diamonds, 1+ jacks, 1+ aces, 1+ tens"
    deals = deal(50, seed=1, given=suits)
    assert len(deals) == 50 and deals.tried > 50
    for name in ("clubs", "spades", "hearts", "diamonds", "jacks", "aces", "tens"):
        assert (held(deals.masks, FORE, CLASSES[name]) >= 1).all()


@pytest.mark.parametrize("form", DEAL_FORMATS)
def test_formats_hold_all_cards(form: str) -> None:
    deals = deal(2, seed=1).masks.tolist()
    text = "\n".join(deal_lines(enumerate(deals), form, title="<x>"))
    assert "<x>" not in text
    assert ("♠" if form == "html" else "CJ") in text
    with pytest.raises(NotationError, match="no format 'pbn'"):
        deal_lines(enumerate(deals), "pbn")


def test_texts_of_deals_are_those_of_masks() -> None:
    deals = deal(50, seed=2).masks.tolist()
    for line, masks in zip(deal_lines(enumerate(deals), "jsonl"), deals, strict=True):
        told = json.loads(line)
        for place, mask in zip(("forehand", "middlehand", "rearhand", "skat"), masks, strict=True):
            assert told[place] == mask_text(mask)
    german = list(deal_lines([(7, deals[0])], "text", style="german"))
    assert german[1] == f"  forehand    {mask_text(deals[0][0], 'german')}"


def test_server_lines_can_be_imported(tmp_path) -> None:  # type: ignore[no-untyped-def]
    deals = deal(5, seed=1, given="skat: 2 jacks")
    path = tmp_path / "deals.sgf"
    path.write_text("\n".join(deal_lines(enumerate(deals.masks.tolist()), "iss")) + "\n")
    result = import_games([str(path)], tmp_path / "archive", run="deals")
    assert (result.imported, result.rejected) == (5, 0)


@pytest.mark.slow
def test_speed_of_a_condition_that_one_hand_in_twenty_meets() -> None:
    """Per second of processor time: a count laid out directly, a figure found by trying."""
    import time

    for where in ("forehand_jacks >= 3 and forehand_clubs > 0", "forehand_card_points >= 57"):
        deal(1000, where=where)
        started = time.process_time()
        deals = deal(100_000, seed=3, where=where)
        seconds = time.process_time() - started
        assert 0.03 < deals.rate * deals.chance < 0.08
        assert len(deals) / seconds > 50_000
