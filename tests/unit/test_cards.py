"""Cards as text: every notation the interface promises, and what is said of anything else."""

import pytest

from skatsim.cards import (
    CARD_STYLES,
    Deal,
    _readings,
    card_text,
    cards_text,
    find_notation,
    mask_cards,
    mask_text,
    parse_cards,
    parse_iss_card,
    parse_iss_cards,
    parse_mask,
    parse_seat,
    seat_name,
)
from skatsim.errors import NotationError


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("CJ SA HT D7", "CJ SA HT D7"),
        ("cj sa ht d7", "CJ SA HT D7"),
        ("CJ,SA,H10,D7", "CJ SA HT D7"),
        ("CJ.SA.HT.D7", "CJ SA HT D7"),
        ("CJ, SA;".rstrip(";"), "CJ SA"),
        ("♣J ♠A ♥10 ♦7", "CJ SA HT D7"),
        ("♧J ♤A ♡T ♢7", "CJ SA HT D7"),
        ("♣\ufe0fJ ♥\ufe0fA", "CJ HA"),
        ("KrB PiA He10 Ka7", "CJ SA HT D7"),
        ("krb pia het kad", "CJ SA HT DQ"),
        ("♣B ♠D", "CJ SQ"),
        ("EU GA R10 S7", "CJ SA HT D7"),
        ("EO GK RT SU", "CQ SK HT DJ"),
        ("J♠ A♣ 10♥", "SJ CA HT"),
        ("7s 8S tc", "S7 S8 CT"),
        ("♥\ufe0eA ♥\ufe0e7 K♦\ufe0f", "HA H7 DK"),
        ("D♥ B♠ ♣D", "HQ SJ CQ"),
        ("DKr 10Pi KHe BKa", "CQ ST HK DJ"),
        ("UE 7S KR", "CJ D7 HK"),
        ("KS KH KC AD", "SK HK CK DA"),
        ("KD 7S", "DK S7"),
        ("7S HA", "S7 HA"),
        ("", ""),
    ],
)
def test_notations(text: str, english: str) -> None:
    assert cards_text(parse_cards(text)) == english


def test_english_wins_where_both_make_sense() -> None:
    assert parse_cards("SA S7 SK") == parse_cards("♠A ♠7 ♠K")
    assert cards_text(parse_cards("EU SA S7")) == "CJ DA D7"


def test_several_texts_are_read_in_one_notation() -> None:
    style = find_notation("EU GU EA", "S7 S8")
    assert style == "german-suited"
    assert mask_text(parse_mask("S7 S8", style)) == "D8 D7"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("CJ XX D7", "XX"),
        ("CJ S1 D7", "S1"),
        ("CJ SA HT D", "D"),
        ("KrB PiX", "PiX"),
        ("EU GX", "GX"),
        ("C J", "C"),
        ("CJSA", "CJSA"),
        ("??", "??"),
    ],
)
def test_the_word_that_is_no_card_is_named(text: str, word: str) -> None:
    with pytest.raises(NotationError, match=r"is no card") as caught:
        parse_cards(text)
    assert repr(word) in str(caught.value)


@pytest.mark.parametrize("text", ["KD", "kd HA", "HA KD CJ"])
def test_a_rank_first_that_may_be_a_suit_is_refused(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_cards(text)
    assert str(caught.value).lower() == (
        "'kd' can be read in two ways: write 'dk' for the king of diamonds, "
        "'krd' or 'kad' for the queen of kreuz or karo"
    )


@pytest.mark.parametrize(
    ("text", "word", "one", "other"),
    [
        ("K9 KA K10 KK KD S7", "K9", "Kr9", "Ka9"),
        ("KrB K9 KA", "K9", "Kr9", "Ka9"),
        ("KrB S7 H7 K10", "K10", "Kr10", "Ka10"),
        ("AS DH", "DH", "HQ", "diamonds"),
        ("KR", "KR", "RK", "Kreuz"),
        ("KR GA", "KR", "RK", "Kreuz"),
    ],
)
def test_letters_of_suit_and_rank_are_not_guessed(
    text: str, word: str, one: str, other: str
) -> None:
    with pytest.raises(NotationError) as caught:
        parse_cards(text)
    assert str(caught.value).startswith(f"{word!r} can be read in two ways: write ")
    assert one in str(caught.value)
    assert other in str(caught.value)


def test_the_word_that_is_a_card_in_no_letters_is_named_first() -> None:
    with pytest.raises(NotationError, match=r"^'X9' is no card"):
        parse_cards("KrB X9 KaA PiA")
    with pytest.raises(NotationError, match=r"^'X9' is no card"):
        parse_cards("KrB SA S7 X9")
    with pytest.raises(NotationError, match=r"^'KrB' is no card: .* the letters of 'SA'"):
        parse_cards("KrB SA S7")


def test_no_word_is_a_card_in_both_orders() -> None:
    for style in CARD_STYLES:
        first, last = _readings(style), _readings(style, is_rank_first=True)
        assert not first.keys() & last.keys()
        assert len({*first.values()}) == len({*last.values()}) == 32


def test_a_doubled_card_is_named() -> None:
    with pytest.raises(NotationError, match="'SA' is there twice"):
        parse_mask("CJ SA SA")


@pytest.mark.parametrize("text", ["cj", "C10", "♣J", "KrB", "EU", "C", "", "??", "CJ ", "CJD"])
def test_server_lines_are_read_strictly(text: str) -> None:
    with pytest.raises(NotationError, match="server line"):
        parse_iss_card(text)


def test_server_cards() -> None:
    assert parse_iss_cards("CJ.HT.D7") == parse_cards("CJ HT D7")
    with pytest.raises(NotationError):
        parse_iss_cards("CJ HT")


def test_styles_and_symbols() -> None:
    cards = parse_cards("CJ HT D7")
    assert cards_text(cards, "german") == "KrB He10 Ka7"
    assert cards_text(cards, "german-suited") == "EU R10 S7"
    assert cards_text(cards, has_symbols=True) == "♣J ♥T ♦7"
    assert cards_text(cards, "german", has_symbols=True) == "♣B ♥10 ♦7"
    assert cards_text(cards, "german-suited", has_symbols=True) == "EU R10 S7"


def test_players_sort_by_contract() -> None:
    mask = parse_mask("D7 HT CJ DJ SA HA CT")
    assert mask_text(mask) == "CJ DJ CT SA HA HT D7"
    assert mask_text(mask, contract=1) == "CJ DJ HA HT CT SA D7"
    assert mask_text(mask, contract=5) == "CJ CT SA HA HT DJ D7"
    assert mask_cards(0) == ()


@pytest.mark.parametrize("card", [-1, 32])
def test_numbers_out_of_range(card: int) -> None:
    with pytest.raises(NotationError):
        card_text(card)


@pytest.mark.parametrize(
    ("text", "seat"), [("forehand", 0), ("Middlehand", 1), ("2", 2), ("R", 2), ("vorhand", 0)]
)
def test_seats(text: str, seat: int) -> None:
    assert parse_seat(text) == seat


def test_no_seat() -> None:
    assert [seat_name(seat) for seat in range(3)] == ["forehand", "middlehand", "rearhand"]
    with pytest.raises(NotationError, match="'3' is no seat"):
        parse_seat("3")
    with pytest.raises(NotationError):
        seat_name(3)


FOREHAND = "CJ SJ CA CT CK CQ C9 C8 C7 SA"
MIDDLEHAND = "HJ HA HT HK HQ H9 H8 H7 ST SK"
REARHAND = "DJ DA DT DK DQ D9 D8 D7 SQ S9"


def test_deal_from_text() -> None:
    deal = Deal.from_text(FOREHAND, MIDDLEHAND, REARHAND, "S8 S7")
    assert mask_text(deal.skat_mask) == "S8 S7"
    assert Deal.from_cards([*range(32)]).skat_mask == parse_mask("CA CJ")


def test_31_cards_name_the_one_missing() -> None:
    with pytest.raises(NotationError, match="here are 31: no 'S7'"):
        Deal.from_text(FOREHAND, MIDDLEHAND, REARHAND, "S8")


def test_a_card_dealt_twice_is_named() -> None:
    with pytest.raises(NotationError, match="'SA' is dealt twice: to forehand and to skat"):
        Deal.from_text(FOREHAND, MIDDLEHAND, REARHAND, "S8 SA")


def test_nine_and_eleven_name_the_card_too_many() -> None:
    nine = FOREHAND.removesuffix(" SA")
    with pytest.raises(NotationError, match="middlehand has 11 cards instead of 10: 'SA' is too"):
        Deal.from_text(nine, f"{MIDDLEHAND} SA", REARHAND, "S8 S7")


def test_masks_are_checked_like_cards() -> None:
    masks = [parse_mask(text) for text in (FOREHAND, MIDDLEHAND, REARHAND)]
    with pytest.raises(NotationError, match="dealt twice"):
        Deal(
            forehand_mask=masks[0],
            middlehand_mask=masks[1],
            rearhand_mask=masks[2],
            skat_mask=parse_mask("S8 CJ"),
        )
