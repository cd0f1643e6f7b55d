"""What can happen in a deal, as frozen events, and the referee's row they move on."""

from dataclasses import dataclass
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from skatsim.auction import Auction, Call
from skatsim.cards import Deal, card_text, mask_cards, mask_text, seat_name
from skatsim.contracts import Contract, check_declaration, fault_text
from skatsim.errors import RuleError
from skatsim.kernels import table
from skatsim.kernels.rules import FAULT_DISCARD
from skatsim.play import check_card
from skatsim.ruleset import Ruleset
from skatsim.scoring import Award

__all__ = [
    "END_REASONS",
    "PHASES",
    "AuctionResult",
    "CardPlayed",
    "Declaration",
    "EndReason",
    "Event",
    "GameEnd",
    "Phase",
    "PickUp",
    "Row",
    "apply_event",
]

Phase = Literal["auction", "pick_up", "declare", "play", "over"]

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
"""What is to be done next, by number in kernels."""

EndReason = Literal[
    "ten_tricks",
    "decided_early",
    "resigned",
    "claimed",
    "conceded",
    "timeout",
    "left",
    "passed_in",
    "policy_fault",
]

END_REASONS: Final[tuple[EndReason, ...]] = get_args(EndReason)
"""How games end, by number in records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionResult:
    """How an auction ended whose calls were not recorded."""

    declarer: int
    bid_value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PickUp:
    """The declarer takes the skat, or leaves it."""

    seat: int
    is_skat_taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The declarer names the contract and lays away two cards if he took the skat.

    `discard_mask` is None without; with the skat taken it means that the game ended between
    the announcement and the discard.
    """

    seat: int
    contract: Contract
    discard_mask: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed:
    """A card played; None for one that a record does not know."""

    seat: int
    card: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnd:
    """The game ends before its last card, and what is credited then."""

    reason: EndReason
    award: Award = "none"


Event = Call | AuctionResult | PickUp | Declaration | CardPlayed | GameEnd


@dataclass(slots=True)
class Row:
    """The kernels' records of the game as it stands."""

    public: Any
    hidden: Any

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """A deal before the first call."""
        row = cls(np.zeros(1, table.PUBLIC)[0], np.zeros(1, table.HIDDEN)[0])
        table.reset(row.public)
        table.place(row.hidden, *deal.hand_masks)
        return row

    def copy(self) -> "Row":
        """A row of its own that stands the same."""
        return Row(self.public.copy(), self.hidden.copy())


def apply_event(row: Row, event: Event, *, ruleset: Ruleset, is_recorded: bool) -> None:
    """Move a row on by one event.

    Parameters
    ----------
    row : changed in place.
    event : what happens next.
    ruleset : the rules it is played by.
    is_recorded : take what a server took though the rules do not (see `skatsim.game.Game`).

    Raises
    ------
    RuleError
        If the event is not allowed here; the row is as before then.
    """
    match event:
        case Call():
            _apply_call(row, event, is_any_value_allowed=is_recorded)
        case AuctionResult():
            _apply_auction_result(row, event)
        case PickUp():
            _check_turn(row, event.seat, table.PHASE_PICK_UP, "take the skat")
            table.apply_pick_up(row.public, row.hidden, event.is_skat_taken)
        case Declaration():
            _apply_declaration(row, event, ruleset=ruleset, is_recorded=is_recorded)
        case CardPlayed():
            _apply_card(row, event)
        case GameEnd():
            if int(row.public["phase"]) == table.PHASE_OVER and not is_recorded:
                raise RuleError("the game is over and cannot end again")


def _apply_declaration(
    row: Row, event: Declaration, *, ruleset: Ruleset, is_recorded: bool
) -> None:
    public, hidden = row.public, row.hidden
    _check_turn(row, event.seat, table.PHASE_DECLARE, "declare")
    is_taken = bool(public["is_skat_taken"])
    contract = event.contract
    if is_taken and event.discard_mask is None and is_recorded:
        _announce_only(row, contract)
        return
    hand_mask = int(hidden["hands"][event.seat])
    if not is_recorded:
        check_declaration(
            contract,
            int(public["bid_value"]),
            is_skat_taken=is_taken,
            cards_mask=hand_mask,
            ruleset=ruleset,
        )
    low, high = _discards(event.discard_mask, hand_mask, is_taken=is_taken)
    action = table.declaration(contract.number, contract.announcements, low, high)
    rules = ruleset.kernel_record()
    fault = table.apply_declaration(rules, public, hidden, action, not is_recorded)
    if fault != 0:
        text = fault_text(int(fault), contract, int(public["bid_value"]))
        raise RuleError(f"cannot declare {str(contract)!r}: {text}")


def _check_turn(row: Row, seat: int, phase: int, what: str) -> None:
    now = int(row.public["phase"])
    if now != phase:
        raise RuleError(f"{seat_name(seat)} cannot {what} now: the game is at {PHASES[now]!r}")
    to_act = int(row.public["seat"])
    if to_act != seat:
        raise RuleError(f"{seat_name(seat)} cannot {what} now: it is {seat_name(to_act)}'s turn")


def _apply_call(row: Row, call: Call, *, is_any_value_allowed: bool) -> None:
    _check_turn(row, call.seat, table.PHASE_AUCTION, "call")
    if table.apply_call(row.public, call.code, is_any_value_allowed) != 0:
        said = [int(code) for code in row.public["calls"][: int(row.public["call_count"])]]
        auction = Auction.from_codes(said, is_any_value_allowed=is_any_value_allowed)
        auction.with_call(call)  # raises, and says what is wrong
        raise RuleError(f"{seat_name(call.seat)} cannot say {call.code}")


def _apply_auction_result(row: Row, event: AuctionResult) -> None:
    public = row.public
    if int(public["phase"]) != table.PHASE_AUCTION or int(public["call_count"]) != 0:
        raise RuleError("the result of an auction stands in place of its calls")
    seat_name(event.declarer)
    public["declarer"] = event.declarer
    public["bid_value"] = event.bid_value
    public["phase"] = table.PHASE_PICK_UP
    public["seat"] = event.declarer


def _announce_only(row: Row, contract: Contract) -> None:
    """A declaration after which the game ended before the discard."""
    public = row.public
    public["contract"] = contract.number
    public["is_hand"] = contract.is_hand
    public["is_schneider_announced"] = contract.is_schneider_announced
    public["is_schwarz_announced"] = contract.is_schwarz_announced
    public["is_ouvert"] = contract.is_ouvert
    public["phase"] = table.PHASE_PLAY


def _discards(discard_mask: int | None, hand_mask: int, *, is_taken: bool) -> tuple[int, int]:
    """The two cards laid away, or 0, 0 without."""
    if discard_mask is None:
        if is_taken:
            raise RuleError(fault_text(FAULT_DISCARD, Contract(name="null"), 0))
        return 0, 0
    cards = mask_cards(discard_mask)
    if not is_taken:
        raise RuleError(
            f"nothing can be laid away: the skat was not taken ({mask_text(discard_mask)})"
        )
    strange = [card_text(card) for card in cards if not (hand_mask >> card) & 1]
    if strange:
        raise RuleError(f"cannot lay away {strange[0]!r}: it is not among the twelve cards")
    if len(cards) != 2:
        raise RuleError(f"two cards are laid away, not {len(cards)}: {mask_text(discard_mask)}")
    return cards[0], cards[1]


def _apply_card(row: Row, event: CardPlayed) -> None:
    _check_turn(row, event.seat, table.PHASE_PLAY, "play a card")
    public = row.public
    if event.card is None:
        return
    if table.apply_card(public, row.hidden, event.card) != 0:
        size, count = int(public["trick_size"]), int(public["play_count"])
        lead = int(public["played"][count - size]) if size else None
        contract = Contract.from_number(int(public["contract"]))
        check_card(contract, int(row.hidden["hands"][event.seat]), event.card, lead=lead)
