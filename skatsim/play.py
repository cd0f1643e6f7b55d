"""Following suit and winning tricks (RULES 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from skatsim import cards as card_names
from skatsim.arguments import check_kind, check_whole, items_of
from skatsim.cards import card_points, card_text, mask_text
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.kernels.cards import FOLLOW_MASK
from skatsim.kernels.cards import trump_mask as kernel_trump_mask
from skatsim.kernels.rules import beats, legal_mask

__all__ = [
    "Trick",
    "check_card",
    "follow_mask",
    "legal_cards",
    "trick_winner",
    "trump_mask",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """A trick, complete or being played.

    Parameters
    ----------
    number : from 1.
    leader : the seat that led.
    cards : in the order played.
    winner : the seat that took it; None before it is complete.
    """

    number: int
    leader: int
    cards: tuple[int, ...]
    winner: int | None

    @property
    def card_points(self) -> int:
        """Card points of the cards on the table."""
        return sum(card_points(card) for card in self.cards)

    @property
    def seats(self) -> tuple[int, ...]:
        """Who played each of the cards."""
        return tuple((self.leader + place) % 3 for place in range(len(self.cards)))

    def card_of(self, seat: int) -> int | None:
        """The card of a seat; None if it has not played yet."""
        place = (seat - self.leader) % 3
        return self.cards[place] if place < len(self.cards) else None


def trump_mask(contract: Contract) -> int:
    """The trumps of a contract (RULES 1.3)."""
    return int(kernel_trump_mask(contract.number))


def follow_mask(contract: Contract, lead: int) -> int:
    """All cards that follow a card led: the trumps, or the rest of its suit (RULES 5.2).

    Examples
    --------
    >>> mask_text(follow_mask(Contract(name="grand"), 31))
    'CJ SJ HJ DJ'
    """
    return int(FOLLOW_MASK[contract.number, lead])


def legal_cards(contract: Contract, hand_mask: int, *, lead: int | None = None) -> int:
    """The mask of the cards that may be played from a hand (RULES 5.2).

    Parameters
    ----------
    contract : what is played.
    hand_mask : the cards held.
    lead : the card led; None to lead.
    """
    check_kind(contract, "contract", Contract, "a Contract")
    hand_mask = card_names.check_mask(hand_mask, "hand_mask")
    if lead is not None:
        lead = check_whole(lead, "lead", least=0, most=31)
    following = 0 if lead is None else follow_mask(contract, lead)
    return int(legal_mask(hand_mask, following))


def check_card(contract: Contract, hand_mask: int, card: int, *, lead: int | None = None) -> None:
    """Refuse a card that must not be played.

    Raises
    ------
    RuleError
        Naming the cards that had to be played.

    Examples
    --------
    >>> hand = card_names.parse_mask("SQ S8 H7")
    >>> check_card(Contract(name="grand"), hand, 8, lead=card_names.parse_card("S9"))
    Traceback (most recent call last):
        ...
    skatsim.errors.RuleError: cannot play 'H7' under 'S9': spades in hand: SQ S8
    """
    text = card_text(card)
    if not (hand_mask >> card) & 1:
        held = mask_text(hand_mask) or "none"
        raise RuleError(f"cannot play {text!r}: it is not in the hand; cards held: {held}")
    legal = legal_cards(contract, hand_mask, lead=lead)
    if lead is not None and not (legal >> card) & 1:
        is_trump_led = (trump_mask(contract) >> lead) & 1
        suit = "trumps" if is_trump_led else card_names.SUITS[lead >> 3]
        held = mask_text(legal, contract=contract.number)
        raise RuleError(f"cannot play {text!r} under {card_text(lead)!r}: {suit} in hand: {held}")


def trick_winner(contract: Contract, cards: Sequence[int]) -> int:
    """The place, 0 to 2, of the card that wins a trick, in the order played (RULES 5.3).

    A trick that is being played has a winner so far.

    Examples
    --------
    >>> trick_winner(Contract(name="hearts"), card_names.parse_cards("SK S9 SA"))
    2
    """
    check_kind(contract, "contract", Contract, "a Contract")
    listed = items_of(cards, "cards", object, "a list of cards")
    cards = [check_whole(card, "cards", least=0, most=31) for card in listed]
    if not 1 <= len(cards) <= 3:
        raise RuleError(f"a trick has one to three cards, not {len(cards)}")
    number, follow = contract.number, follow_mask(contract, cards[0])
    best = 0
    for place in range(1, len(cards)):
        if beats(number, follow, cards[place], cards[best]):
            best = place
    return best
