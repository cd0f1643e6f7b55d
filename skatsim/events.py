"""What can happen in a deal, as frozen events, and the referee's row they move on."""

from dataclasses import dataclass
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from skatsim.auction import Auction, Call
from skatsim.cards import Deal, card_text, mask_cards, mask_text, seat_name
from skatsim.contracts import Contract, check_declaration, fault_text
from skatsim.errors import RuleError
from skatsim.kernels import table
from skatsim.kernels.cards import JACK_MASK
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
    "HouseCall",
    "Phase",
    "PickUp",
    "Push",
    "Resort",
    "Row",
    "apply_event",
]

Phase = Literal[
    "auction",
    "pick_up",
    "declare",
    "play",
    "over",
    "kontra",
    "grand_hand",
    "look",
    "push",
    "knock",
    "schenken",
    "accept",
    "resort",
]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseCall:
    """The answer to a question of a house rule: Kontra and further steps, knocking, and so on.

    `kind` is the phase that puts the question: ``kontra grand_hand knock schenken accept``.
    """

    seat: int
    kind: Phase
    is_said: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """Two cards pushed on before a Ramsch; None pushes the skat on unseen (RULES 13.6)."""

    seat: int
    cards_mask: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resort:
    """After a revolution: the cards of the first defender, the rest are his partner's."""

    seat: int
    cards_mask: int


Event = (
    Call | AuctionResult | PickUp | Declaration | CardPlayed | GameEnd | HouseCall | Push | Resort
)


@dataclass(slots=True)
class Row:
    """The kernels' records of the game as it stands."""

    public: Any
    hidden: Any

    @classmethod
    def of(
        cls,
        deal: Deal,
        *,
        ruleset: Ruleset | None = None,
        bock_factor: int = 1,
        is_ramsch_round: bool = False,
    ) -> Self:
        """A deal before the first call, or before the first question of a Ramsch."""
        row = cls(np.zeros(1, table.PUBLIC)[0], np.zeros(1, table.HIDDEN)[0])
        table.reset(row.public)
        table.place(row.hidden, *deal.hand_masks)
        if ruleset is not None:
            rules = ruleset.kernel_record()
            table.start_house_deal(rules, row.public, bock_factor, is_ramsch_round)
            if ruleset.has_house_decisions:
                table.house_next(rules, row.public, row.hidden)
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
            _apply_call(row, event, ruleset=ruleset, is_any_value_allowed=is_recorded)
        case AuctionResult():
            _apply_auction_result(row, event)
        case PickUp():
            _check_turn(row, event.seat, table.PHASE_PICK_UP, "take the skat")
            if ruleset.is_skat_always_taken and not event.is_skat_taken:
                raise RuleError("the skat is always taken by these rules")
            table.apply_pick_up(row.public, row.hidden, event.is_skat_taken)
        case Declaration():
            _apply_declaration(row, event, ruleset=ruleset, is_recorded=is_recorded)
        case CardPlayed():
            _apply_card(row, event)
        case GameEnd():
            if int(row.public["phase"]) == table.PHASE_OVER and not is_recorded:
                raise RuleError("the game is over and cannot end again")
            return
        case HouseCall() | Push() | Resort():
            _apply_house(row, event, ruleset)
    if ruleset.has_house_decisions:
        table.house_next(ruleset.kernel_record(), row.public, row.hidden)


_SAID: Final = {
    "kontra": "say Kontra",
    "grand_hand": "declare grand hand",
    "look": "push",
    "push": "push",
    "knock": "knock",
    "schenken": "give the game up",
    "accept": "accept the game",
    "resort": "share out the cards anew",
}


def _apply_house(row: Row, event: HouseCall | Push | Resort, ruleset: Ruleset) -> None:
    public, hidden = row.public, row.hidden
    rules = ruleset.kernel_record()
    match event:
        case HouseCall():
            if event.kind not in _SAID:
                raise RuleError(f"{event.kind!r} is no question of a house rule")
            _check_turn(row, event.seat, PHASES.index(event.kind), _SAID[event.kind])
            fault = table.apply_house(rules, public, hidden, event.is_said)
        case Push(cards_mask=None):
            _check_turn(row, event.seat, table.PHASE_LOOK, "push")
            fault = table.apply_house(rules, public, hidden, 0)
        case Push(cards_mask=int() as cards_mask):
            _check_turn(row, event.seat, table.PHASE_LOOK, "push")
            low, high = _discards(
                cards_mask,
                int(hidden["hands"][event.seat]) | int(hidden["pushed_mask"]),
                is_taken=True,
            )
            if cards_mask & JACK_MASK and not ruleset.is_pushing_jacks:
                raise RuleError(f"jacks cannot be pushed on: {mask_text(cards_mask)}")
            table.apply_house(rules, public, hidden, 1)
            fault = table.apply_house(rules, public, hidden, low | high << 5)
        case Resort():
            _check_turn(row, event.seat, table.PHASE_RESORT, "share out the cards anew")
            fault = table.apply_house(rules, public, hidden, event.cards_mask)
    if fault != 0:
        raise RuleError("ten of the defenders' twenty cards are shared out")


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
    action |= contract.is_spitze << table.SPITZE_BIT
    action |= contract.is_revolution << table.REVOLUTION_BIT
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


def _apply_call(row: Row, call: Call, *, ruleset: Ruleset, is_any_value_allowed: bool) -> None:
    _check_turn(row, call.seat, table.PHASE_AUCTION, "call")
    rules = ruleset.kernel_record()
    if table.apply_call(rules, row.public, call.code, is_any_value_allowed) != 0:
        said = [int(code) for code in row.public["calls"][: int(row.public["call_count"])]]
        auction = Auction.from_codes(
            said, is_any_value_allowed=is_any_value_allowed, ruleset=ruleset
        )
        auction.with_call(call)  # raises, and says what is wrong
        raise RuleError(f"{seat_name(call.seat)} cannot say {call.code}")


def _apply_auction_result(row: Row, event: AuctionResult) -> None:
    public = row.public
    if int(public["phase"]) != table.PHASE_AUCTION or int(public["call_count"]) != 0:
        raise RuleError("the result of an auction stands in place of its calls")
    seat_name(event.declarer)
    public["declarer"] = event.declarer
    public["limits"][:] = table.BID_LEAST  # nobody knows who did not say it
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
