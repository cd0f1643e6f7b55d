"""Cards, masks, seats and deals, and how they are written.

A card is an integer ``8 * suit + rank`` with suits diamonds, hearts, spades, clubs = 0..3 and
ranks 7 8 9 Q K T A J = 0..7. A mask is an integer with bit ``card`` set. Card 0 (the seven of
diamonds) and the empty mask are falsy: compare, never truth-test.

Three notations are read, in upper or lower case:

============== ================= ========================
notation       suits             ranks
============== ================= ========================
english        C S H D or ♣♠♥♦   A T (or 10) K Q J 9 8 7
german         Kr Pi He Ka, ♣♠♥♦ A 10 (or T) K D B 9 8 7
german-suited  E G R S           A 10 (or T) K O U 9 8 7
============== ================= ========================

``S7`` is the seven of spades in English and the seven of diamonds (Schellen) in German-suited
letters, so a whole text is read in one notation: the first of the table in which each of its
cards makes sense. ``SA S7`` is English; ``EU SA S7`` is German-suited, as no suit is named E in
English. `find_notation` decides for several texts together, such as a hand and a skat.

The rank may also come first, ``7S 10♥ PiA``, where that can be read in one way only: ``KD``, the
king of diamonds or the queen (Dame) of Kreuz or Karo, is a card only beside others written so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Self

from skatsim.arguments import check_text, check_whole, check_word, items_of
from skatsim.errors import NotationError
from skatsim.kernels.cards import ALL_MASK, NULL
from skatsim.kernels.cards import mask_points as _kernel_mask_points

__all__ = [
    "ALL_MASK",
    "CARD_STYLES",
    "SEATS",
    "SUITS",
    "CardStyle",
    "Deal",
    "card_points",
    "card_text",
    "cards_text",
    "check_mask",
    "find_notation",
    "mask_cards",
    "mask_of",
    "mask_points",
    "mask_text",
    "parse_card",
    "parse_cards",
    "parse_iss_card",
    "parse_iss_cards",
    "parse_mask",
    "parse_seat",
    "seat_name",
]

CardStyle = Literal["english", "german", "german-suited"]

CARD_STYLES: tuple[CardStyle, ...] = ("english", "german", "german-suited")
"""The notations, in the order in which they are tried."""

SUITS = ("diamonds", "hearts", "spades", "clubs")

SEATS = ("forehand", "middlehand", "rearhand")

_SUIT_LETTERS: dict[CardStyle, tuple[str, str, str, str]] = {
    "english": ("D", "H", "S", "C"),
    "german": ("Ka", "He", "Pi", "Kr"),
    "german-suited": ("S", "R", "G", "E"),
}
_RANK_LETTERS: dict[CardStyle, tuple[str, ...]] = {
    "english": ("7", "8", "9", "Q", "K", "T", "A", "J"),
    "german": ("7", "8", "9", "D", "K", "10", "A", "B"),
    "german-suited": ("7", "8", "9", "O", "K", "10", "A", "U"),
}
_SYMBOLS = ("♦", "♥", "♠", "♣")
_OUTLINE_SYMBOLS = ("♢", "♡", "♤", "♧")
_SELECTORS = re.compile("[\ufe0e\ufe0f]")  # what makes a suit symbol plain, or a coloured picture

_SPLIT = re.compile(r"[\s.,]+")

_SEAT_WORDS = {
    **{str(seat): seat for seat in range(3)},
    **{name: seat for seat, name in enumerate(SEATS)},
    **{name[0]: seat for seat, name in enumerate(SEATS)},
    "vorhand": 0,
    "mittelhand": 1,
    "hinterhand": 2,
}

_JACKS_FIRST = (7, 6, 5, 4, 3, 2, 1, 0)  # J A T K Q 9 8 7
_NULL_RANKS = (6, 4, 3, 7, 5, 2, 1, 0)  # A K Q J T 9 8 7


_SHOWN_RANK_FIRST = ("KD", "KR")
"""King of diamonds or Dame of Kreuz or Karo, king of Rot or Kreuz: rank first if others are."""


@cache
def _readings(style: CardStyle, *, is_rank_first: bool = False) -> dict[str, int]:
    """Every way to write a card in one notation, in upper case."""
    suits = [{letters.upper()} for letters in _SUIT_LETTERS[style]]
    if style != "german-suited":
        for suit in range(4):
            suits[suit] |= {_SYMBOLS[suit], _OUTLINE_SYMBOLS[suit]}
    readings = {}
    for suit, names in enumerate(suits):
        for rank, letter in enumerate(_RANK_LETTERS[style]):
            for name in names:
                for written in {"T", "10"} if letter in {"T", "10"} else {letter}:
                    text = written + name if is_rank_first else name + written
                    readings[text] = 8 * suit + rank
    return readings


def _is_rank_first(key: str, style: CardStyle) -> bool:
    """Whether a word is a card with the rank first, and nothing else."""
    return key not in _SHOWN_RANK_FIRST and key in _readings(style, is_rank_first=True)


def _find(key: str, style: CardStyle, *, is_rank_first: bool = False) -> int | None:
    """The card of a word; `is_rank_first` says that the words beside it are written so."""
    card = _readings(style).get(key)
    if card is None and (is_rank_first or _is_rank_first(key, style)):
        card = _readings(style, is_rank_first=True).get(key)
    return card


_ISS_CARDS = {
    suit + rank: 8 * s + r
    for s, suit in enumerate(_SUIT_LETTERS["english"])
    for r, rank in enumerate(_RANK_LETTERS["english"])
}


def _words(text: str) -> list[str]:
    return [word for word in _SPLIT.split(text) if word]


def _key(word: str) -> str:
    return _SELECTORS.sub("", word).upper()


def find_notation(*texts: str) -> CardStyle:
    """The notation in which texts of cards are written, decided for all of them together.

    The first of `CARD_STYLES` that can read every card; where none can, the one that reads
    most, so that the card it cannot read is the one to be named.
    """
    keys = [_key(word) for text in texts for word in _words(check_text(text, "cards"))]
    counts = {style: sum(_find(key, style) is not None for key in keys) for style in CARD_STYLES}
    return max(CARD_STYLES, key=lambda style: (counts[style], -CARD_STYLES.index(style)))


def _notation(text: str, notation: CardStyle | None) -> CardStyle:
    """The notation that is asked for, or the one that the text is written in."""
    check_text(text, "cards")
    if notation is None:
        return find_notation(text)
    check_word(notation, "notation", CARD_STYLES)
    return notation


def parse_card(text: str, notation: CardStyle | None = None) -> int:
    """The card that a text names.

    Raises
    ------
    NotationError
        If the text is no card, or not one in the given `notation`.

    Examples
    --------
    >>> parse_card("CJ"), parse_card("h10"), parse_card("KrB")
    (31, 13, 31)
    """
    style = _notation(text, notation)
    card = _find(_key(text.strip()), style)
    if card is None:
        raise _no_card([text], style)
    return card


def _no_card(
    words: Sequence[str], style: CardStyle, *, is_rank_first: bool = False
) -> NotationError:
    """What is wrong with words of which one is no card in a notation.

    A word that is a card in none is named before one that is a card in another.
    """

    def is_card(word: str, style: CardStyle) -> bool:
        return _find(_key(word), style, is_rank_first=is_rank_first) is not None

    unread = [word for word in words if not is_card(word, style)]
    strange = [word for word in unread if not any(is_card(word, other) for other in CARD_STYLES)]
    word = (strange or unread)[0]
    readings = _two_readings(_key(word)) if strange else None
    if readings is not None:
        return NotationError(f"{word!r} can be read in two ways: write {readings}")
    suits = " ".join(reversed(_SUIT_LETTERS[style]))
    ranks = " ".join(_RANK_LETTERS[style][rank] for rank in _NULL_RANKS)
    need = f"write a suit ({suits}) and a rank ({ranks})"
    others = [other for other in words if other not in unread]
    if not strange and others:
        need += f", the letters of {others[0]!r}, or all cards in the same other letters"
    return NotationError(f"{word!r} is no card: {need}")


def _two_readings(key: str) -> str | None:
    """Both readings of a word with a letter that may name a suit or a rank; None without."""
    first, second = key[:1], key[1:]
    if key == "KD":
        return "'DK' for the king of diamonds, 'KrD' or 'KaD' for the queen of Kreuz or Karo"
    if key == "KR":
        return "'RK' for the king of Rot, a rank after 'Kr' for Kreuz"
    if first == "K" and second in {"T", "J", "Q", *_RANK_LETTERS["german"]}:
        return f"'Kr{second}' for Kreuz, 'Ka{second}' for Karo"
    if first == "D" and second in {"D", "H", "S", "C"}:
        return f"'{second}Q' for the queen (Dame), a rank after 'D' for diamonds"
    return None


def parse_cards(text: str, notation: CardStyle | None = None) -> tuple[int, ...]:
    """The cards of a text in the order written, split by blanks, dots or commas.

    Raises
    ------
    NotationError
        If a word is no card, or may be one of two; it names the word.

    Examples
    --------
    >>> parse_cards("CJ, SA, D7")
    (31, 22, 0)
    """
    style = _notation(text, notation)
    words = _words(text)
    is_rank_first = any(_is_rank_first(_key(word), style) for word in words)
    cards = [_find(_key(word), style, is_rank_first=is_rank_first) for word in words]
    found = tuple(card for card in cards if card is not None)
    if len(found) < len(words):
        raise _no_card(words, style, is_rank_first=is_rank_first)
    return found


def parse_mask(text: str, notation: CardStyle | None = None) -> int:
    """The mask of the cards of a text.

    Raises
    ------
    NotationError
        If a word is no card, or a card is there twice.
    """
    return mask_of(parse_cards(text, notation))


def parse_iss_card(text: str) -> int:
    """The card named by two letters of a server line: nothing but ``[CSHD][AKQJT987]``.

    Raises
    ------
    NotationError
        For anything else, lower case and ``10`` among it.
    """
    card = _ISS_CARDS.get(text)
    if card is None:
        raise NotationError(f"{text!r} is no card of a server line: [CSHD][AKQJT987]")
    return card


def parse_iss_cards(text: str) -> tuple[int, ...]:
    """The cards of a server line, separated by single dots, in the order written."""
    return tuple(parse_iss_card(word) for word in text.split("."))


def card_text(card: int, style: CardStyle = "english", *, has_symbols: bool = False) -> str:
    """A card as text.

    Parameters
    ----------
    card : 0 to 31.
    style : which letters are used; the German-suited deck has no symbols.
    has_symbols : write ♣♠♥♦ for the suits of the French deck.

    Examples
    --------
    >>> card_text(31), card_text(13, "german"), card_text(31, "german-suited")
    ('CJ', 'He10', 'EU')
    """
    if not 0 <= check_whole(card, "card") < 32:
        raise NotationError(f"{card!r} is no card: 0 to 31")
    check_word(style, "style", CARD_STYLES)
    return _written(card, style, has_symbols)


def _written(card: int, style: CardStyle, has_symbols: bool) -> str:
    is_symbol = has_symbols and style != "german-suited"
    suit = _SYMBOLS[card >> 3] if is_symbol else _SUIT_LETTERS[style][card >> 3]
    return suit + _RANK_LETTERS[style][card & 7]


def cards_text(
    cards: Iterable[int],
    style: CardStyle = "english",
    *,
    has_symbols: bool = False,
    separator: str = " ",
) -> str:
    """Cards as text, in the order given."""
    listed = items_of(cards, "cards", object, "a list of cards")
    return separator.join(
        card_text(check_whole(card, "cards"), style, has_symbols=has_symbols) for card in listed
    )


def mask_text(
    mask: int,
    style: CardStyle = "english",
    *,
    contract: int | None = None,
    has_symbols: bool = False,
    separator: str = " ",
) -> str:
    """The cards of a mask as text, in the order of `mask_cards`."""
    cards = mask_cards(mask, contract=contract)
    check_word(style, "style", CARD_STYLES)
    return separator.join(_written(card, style, has_symbols) for card in cards)


def mask_cards(mask: int, *, contract: int | None = None) -> tuple[int, ...]:
    """The cards of a mask as a player sorts them.

    Jacks first, then clubs, spades, hearts, diamonds, high cards first; in a suit game
    (`contract` 0 to 3) the trump suit follows the jacks, in null (5) each suit runs from ace
    to seven with its jack and ten in their places.
    """
    mask = check_mask(mask, "mask")
    return tuple(card for card in _display_order(contract) if (mask >> card) & 1)


def check_mask(mask: int, name: str) -> int:
    """A mask of cards, as Python's int.

    Raises
    ------
    TypeError, NotationError
        It is none: the line names the argument.
    """
    found = check_whole(mask, name)
    if not 0 <= found <= ALL_MASK:
        raise NotationError(f"{name} {mask!r} is no mask of cards: 0 to {ALL_MASK:#x}")
    return found


@cache
def _display_order(contract: int | None) -> tuple[int, ...]:
    suits = [3, 2, 1, 0]
    if contract == NULL:
        return tuple(8 * suit + rank for suit in suits for rank in _NULL_RANKS)
    if contract is not None and 0 <= contract < 4:
        suits.remove(contract)
        suits.insert(0, contract)
    jacks = tuple(8 * suit + 7 for suit in (3, 2, 1, 0))
    return jacks + tuple(8 * suit + rank for suit in suits for rank in _JACKS_FIRST[1:])


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some cards.

    Raises
    ------
    NotationError
        If one of them is no card, or there twice.
    """
    mask = 0
    for card in items_of(cards, "cards", object, "a list of cards"):
        bit = 1 << int(card) if 0 <= check_whole(card, "cards") < 32 else 0
        if bit == 0:
            raise NotationError(f"{card!r} is no card: 0 to 31")
        if mask & bit:
            raise NotationError(f"the card {card_text(card)!r} is there twice")
        mask |= bit
    return mask


def mask_points(mask: int) -> int:
    """Card points of a mask of cards (RULES 1.2).

    Examples
    --------
    >>> mask_points(ALL_MASK)
    120
    """
    return int(_kernel_mask_points(check_mask(mask, "mask")))


def card_points(card: int) -> int:
    """Card points of one card: ace 11, ten 10, king 4, queen 3, jack 2 (RULES 1.2)."""
    return mask_points(1 << card)


def parse_seat(text: str) -> int:
    """The number of a seat: ``forehand middlehand rearhand``, their initials, or ``0 1 2``.

    Raises
    ------
    NotationError
        If the text names no seat.
    """
    seat = _SEAT_WORDS.get(check_text(text, "seat").strip().lower())
    if seat is None:
        raise NotationError(f"{text!r} is no seat: {', '.join(SEATS)} or 0, 1, 2")
    return seat


def seat_name(seat: int) -> str:
    """The name of a seat."""
    if not 0 <= check_whole(seat, "seat") < 3:
        raise NotationError(f"{seat!r} is no seat: 0, 1 or 2")
    return SEATS[seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """The 32 cards placed: three hands of ten and a skat of two.

    Raises
    ------
    NotationError
        If it is not so; the message names the card in question.

    Examples
    --------
    >>> deal = Deal.from_cards(range(32))
    >>> mask_text(deal.skat_mask)
    'CJ CA'
    """

    forehand_mask: int
    middlehand_mask: int
    rearhand_mask: int
    skat_mask: int

    def __post_init__(self) -> None:
        for name in ("forehand_mask", "middlehand_mask", "rearhand_mask", "skat_mask"):
            object.__setattr__(self, name, check_mask(getattr(self, name), name))
        _check_parts([mask_cards(mask) for mask in (*self.hand_masks, self.skat_mask)])

    @property
    def hand_masks(self) -> tuple[int, int, int]:
        """The three hands as dealt, by seat."""
        return self.forehand_mask, self.middlehand_mask, self.rearhand_mask

    @classmethod
    def from_cards(cls, cards: Iterable[int]) -> Self:
        """A deal from 32 cards: ten for each seat, then the skat."""
        cards = tuple(cards)
        return cls.from_parts(cards[:10], cards[10:20], cards[20:30], cards[30:])

    @classmethod
    def from_parts(
        cls,
        forehand: Sequence[int],
        middlehand: Sequence[int],
        rearhand: Sequence[int],
        skat: Sequence[int],
    ) -> Self:
        """A deal from the cards of each hand and of the skat."""
        parts = [tuple(part) for part in (forehand, middlehand, rearhand, skat)]
        _check_parts(parts)
        masks = [mask_of(part) for part in parts]
        return cls(
            forehand_mask=masks[0],
            middlehand_mask=masks[1],
            rearhand_mask=masks[2],
            skat_mask=masks[3],
        )

    @classmethod
    def from_text(cls, forehand: str, middlehand: str, rearhand: str, skat: str) -> Self:
        """A deal from texts, all read in the same notation."""
        texts = (forehand, middlehand, rearhand, skat)
        style = find_notation(*texts)
        return cls.from_parts(*(parse_cards(text, style) for text in texts))


def _check_parts(parts: Sequence[Sequence[int]]) -> None:
    """Refuse a deal that is not three hands of ten and a skat of two, each card once."""
    places: dict[int, str] = {}
    for place, part in zip((*SEATS, "skat"), parts, strict=True):
        for card in part:
            text = card_text(card)
            if card in places:
                raise NotationError(
                    f"the card {text!r} is dealt twice: to {places[card]} and to {place}"
                )
            places[card] = place
    if len(places) < 32:
        missing = cards_text(card for card in range(32) if card not in places)
        raise NotationError(f"a deal has 32 cards, here are {len(places)}: no {missing!r}")
    for place, part in zip((*SEATS, "skat"), parts, strict=True):
        size = 2 if place == "skat" else 10
        if len(part) > size:
            raise NotationError(
                f"{place} has {len(part)} cards instead of {size}: "
                f"{card_text(part[size])!r} is too many"
            )
