"""Cards, following suit, tricks and matadors, with strings and sets.

Cards are written suit then rank (`CJ`, `DT`), games `C S H D G N`. Nothing here imports the package
under test.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile

SUITS = "CSHD"
SUIT_GAMES = ("D", "H", "S", "C")
TRUMP_GAMES = (*SUIT_GAMES, "G")
GAMES = (*TRUMP_GAMES, "N")

JACKS = ("CJ", "SJ", "HJ", "DJ")
DECK = tuple(suit + rank for suit in SUITS for rank in "ATKQJ987")
RANK_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
CARD_POINTS = {card: RANK_POINTS[card[1]] for card in DECK}


def card_points(cards: Iterable[str]) -> int:
    """Card points (Augen) of some cards."""
    return sum(CARD_POINTS[card] for card in cards)


def trumps(game: str) -> tuple[str, ...]:
    """Trump cards of a game, highest first; none in null."""
    if game == "N":
        return ()
    if game == "G":
        return JACKS
    return JACKS + tuple(game + rank for rank in "ATKQ987")


def side_suit(suit: str, game: str) -> tuple[str, ...]:
    """Cards of a printed suit that are not trump, highest first."""
    order = "AKQJT987" if game == "N" else "ATKQJ987"
    return tuple(suit + rank for rank in order if suit + rank not in trumps(game))


def _class_of(game: str) -> dict[str, str]:
    """What each card counts as when following: `trump` or the letter of its suit."""
    return {card: "trump" if card in trumps(game) else card[0] for card in DECK}


def _place_of(game: str) -> dict[str, int]:
    """Place of each card from the top of its own class: 0 is the highest."""
    classes = [trumps(game), *(side_suit(suit, game) for suit in SUITS)]
    return {card: place for cards in classes for place, card in enumerate(cards)}


TRUMPS = {game: trumps(game) for game in GAMES}
CLASS_OF = {game: _class_of(game) for game in GAMES}
PLACE_OF = {game: _place_of(game) for game in GAMES}


def legal_cards(hand: Iterable[str], lead: str | None, game: str) -> set[str]:
    """Cards of a hand that may be played to a lead (None: the hand leads) (rules 5)."""
    held = set(hand)
    if lead is None:
        return held
    class_of = CLASS_OF[game]
    following = {card for card in held if class_of[card] == class_of[lead]}
    return following or held


def trick_winner(cards: Sequence[str], game: str) -> int:
    """Index, in the order played, of the card that wins a trick (rules 5)."""
    class_of, place_of = CLASS_OF[game], PLACE_OF[game]
    winning_class = class_of[cards[0]]
    if any(class_of[card] == "trump" for card in cards):
        winning_class = "trump"
    contenders = [card for card in cards if class_of[card] == winning_class]
    return cards.index(min(contenders, key=place_of.__getitem__))


def matadors(cards12: Iterable[str], game: str, *, at_most: int | None = None) -> int:
    """Signed matadors of the twelve cards hand and skat: with > 0, without < 0 (rules 6).

    `at_most` is the house cap on their number. Null has none: ValueError.
    """
    order = TRUMPS[game]
    if not order:
        raise ValueError("null has no matadors")
    held = set(cards12)
    is_with = order[0] in held
    count = sum(1 for _ in takewhile(lambda card: (card in held) == is_with, order))
    if at_most is not None:
        count = min(count, at_most)
    return count if is_with else -count
