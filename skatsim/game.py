"""One deal from the first call to the last card, as a list of frozen events.

A `Game` is built by steps, each of which returns a new game, or from a record of an archive.
Every step goes through the kernels' referee; what a game knows follows from its events.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from skatsim.arguments import check_kind, check_seed, items_of
from skatsim.auction import Auction, Call
from skatsim.cards import SEATS, Deal, mask_points
from skatsim.contracts import Contract
from skatsim.errors import NotationError, RecordError, RuleError
from skatsim.events import (
    END_REASONS,
    PHASES,
    AuctionResult,
    CardPlayed,
    Declaration,
    EndReason,
    Event,
    GameEnd,
    HouseCall,
    Phase,
    PickUp,
    Push,
    Resort,
    Row,
    apply_event,
)
from skatsim.kernels import table
from skatsim.kernels.columns import GAME
from skatsim.kernels.engine import store
from skatsim.kernels.rules import HOUSE_REVOLUTION, HOUSE_SCHENKEN_REFUSED, HOUSE_SPITZE
from skatsim.lists import seeger_fabian
from skatsim.play import Trick, legal_cards
from skatsim.ruleset import ISKO, Ruleset
from skatsim.scoring import AWARDS, Award, Score, score_from_record

__all__ = ["Game", "random_deal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One deal and what has happened in it.

    Parameters
    ----------
    deal : the cards as dealt.
    events : calls, pick-up, declaration, cards, end, in their order.
    ruleset : the rules it is played by.
    is_recorded : take what a server took though the rules do not: bids outside the 63 values,
        a contract that must not be declared at its bid (it is settled by RULES 7.4).
    bock_factor : factor of the Bock rounds that the deal belongs to (RULES 12).
    is_ramsch_round : the deal is one of a round of Ramsch, without an auction (RULES 13.1).

    Raises
    ------
    RuleError
        If an event is not allowed where it stands.

    Examples
    --------
    >>> from skatsim.cards import Deal, seat_name
    >>> game = Game(deal=Deal.from_cards(range(32)))
    >>> for call in ("pass", 18, "pass"):
    ...     game = game.with_call(call)
    >>> seat_name(game.declarer), game.phase
    ('rearhand', 'pick_up')
    """

    deal: Deal
    events: tuple[Event, ...] = ()
    ruleset: Ruleset = ISKO
    is_recorded: bool = False
    bock_factor: int = 1
    is_ramsch_round: bool = False
    _row: Row | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_kind(self.deal, "deal", Deal, "a Deal")
        check_kind(self.ruleset, "ruleset", Ruleset, "a Ruleset")
        if self._row is None:
            row = Row.of(
                self.deal,
                ruleset=self.ruleset,
                bock_factor=self.bock_factor,
                is_ramsch_round=self.is_ramsch_round,
            )
            for event in items_of(self.events, "events", get_args(Event), "a tuple of events"):
                apply_event(row, event, ruleset=self.ruleset, is_recorded=self.is_recorded)
            object.__setattr__(self, "_row", row)

    # What has happened

    @property
    def phase(self) -> Phase:
        """What is to be done next: ``auction pick_up declare play over``.

        Or what a house rule asks: ``kontra grand_hand look push knock schenken accept resort``.
        """
        if self._end is not None or self._has_unknown_card:
            return "over"
        return PHASES[int(self._public["phase"])]

    @property
    def seat(self) -> int | None:
        """The seat to act; None when the game is over."""
        return None if self.phase == "over" else int(self._public["seat"])

    @property
    def auction(self) -> Auction:
        """The auction so far; without calls where they were not recorded."""
        calls = tuple(event for event in self.events if isinstance(event, Call))
        return Auction(calls=calls, is_any_value_allowed=self.is_recorded, ruleset=self.ruleset)

    @property
    def bid_value(self) -> int:
        """The last value said, which the declarer has to reach; 0 before any."""
        return int(self._public["bid_value"])

    @property
    def declarer(self) -> int | None:
        """The declarer's seat; None before he is known, and when passed in."""
        declarer = int(self._public["declarer"])
        return declarer if declarer >= 0 else None

    @property
    def is_skat_taken(self) -> bool:
        """Whether the declarer took the skat."""
        return bool(self._public["is_skat_taken"])

    @property
    def contract(self) -> Contract | None:
        """The contract, once it is declared."""
        declared = next((e.contract for e in self.events if isinstance(e, Declaration)), None)
        number = int(self._public["contract"])
        if declared is None and number >= 0:  # Ramsch, or grand hand in its place
            return Contract.from_number(number, int(self._public["is_hand"]))
        return declared

    @property
    def kontra_count(self) -> int:
        """The doublings said: 1 Kontra, 2 and Re, ..."""
        return int(self._public["kontra_count"])

    @property
    def unseen_pushes(self) -> int:
        """How often the skat of a Ramsch was pushed on unseen."""
        return int(self._public["unseen_pushes"])

    @property
    def discard_mask(self) -> int | None:
        """The two cards laid away; None without."""
        discard = int(self._hidden["discard_mask"])
        return discard if discard != 0 else None

    @property
    def hand_masks(self) -> tuple[int, int, int]:
        """The cards each seat holds now."""
        first, second, third = (int(mask) for mask in self._hidden["hands"])
        return first, second, third

    @property
    def open_mask(self) -> int:
        """The declarer's cards while they lie open in an ouvert game; else empty."""
        return int(self._public["open_mask"])

    @property
    def played(self) -> tuple[int, ...]:
        """The cards played, in their order."""
        count = int(self._public["play_count"])
        return tuple(int(card) for card in self._public["played"][:count])

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks so far; the last may be incomplete."""
        winners = int(self._public["trick_winners"])
        played = self.played
        tricks = []
        leader = 0
        for first in range(0, len(played), 3):
            number = first // 3
            cards = played[first : first + 3]
            winner = (winners >> (2 * number)) & 3 if len(cards) == 3 else None
            tricks.append(Trick(number=number + 1, leader=leader, cards=cards, winner=winner))
            leader = leader if winner is None else winner
        return tuple(tricks)

    @property
    def declarer_card_points(self) -> int:
        """Card points of the declarer so far, with the skat or the cards laid away."""
        if self.declarer is None:
            return 0
        buried = int(self._hidden["discard_mask" if self.is_skat_taken else "skat_mask"])
        return int(self._public["declarer_points"]) + mask_points(buried)

    @property
    def defender_card_points(self) -> int:
        """Card points in the defenders' tricks so far."""
        return int(self._public["defender_points"])

    @property
    def declarer_trick_count(self) -> int:
        """Tricks of the declarer so far."""
        return int(self._public["declarer_trick_count"])

    @property
    def end_reason(self) -> EndReason | None:
        """How the game ended; None while it goes on."""
        if self._end is not None:
            return self._end.reason
        if int(self._public["phase"]) != table.PHASE_OVER:
            return None
        if int(self._public["contract"]) < 0:
            return "passed_in"
        if int(self._public["house"]) & table.HOUSE_SCHENKEN_ACCEPTED:
            return "conceded"
        return "ten_tricks" if int(self._public["trick_count"]) == 10 else "decided_early"

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.end_reason is not None

    @property
    def score(self) -> Score | None:
        """The result; None while the game goes on, when passed in, and when aborted."""
        if not self.is_over or self.contract is None or self.end_reason == "policy_fault":
            return None
        if self.declarer is None:
            return None  # Ramsch: see `seat_scores`
        record, _ = self.to_record()
        return score_from_record(record, self.ruleset)

    @property
    def seat_scores(self) -> tuple[int, int, int]:
        """What each seat enters in the plain list."""
        score, declarer = self.score, self.declarer
        entries = [0, 0, 0]
        if self.is_over and declarer is None and self.contract is not None:
            record, _ = self.to_record()
            entries = [int(record[f"{name}_entry"]) for name in SEATS]
        if score is not None and declarer is not None:
            entries[declarer] = score.score
        return entries[0], entries[1], entries[2]

    def seeger_fabian(self, table_size: int = 3) -> tuple[int, ...]:
        """What each seat enters with the bonuses of Seeger-Fabian (RULES 8.2)."""
        score = self.score
        if score is None and self.contract is not None:  # Ramsch has no bonuses
            return (*self.seat_scores, 0)[:table_size]
        return seeger_fabian(
            0 if score is None else score.score,
            is_won=None if score is None else score.is_won,
            declarer=self.declarer,
            table_size=table_size,
            ruleset=self.ruleset,
        )

    # What may happen

    def legal_cards(self) -> int:
        """The mask of the cards the seat to act may play; empty when it is not play."""
        contract, seat = self.contract, self.seat
        if self.phase != "play" or contract is None or seat is None:
            return 0
        return legal_cards(contract, self.hand_masks[seat], lead=self._lead)

    def with_event(self, event: Event) -> "Game":
        """The game one event later."""
        row = self._state.copy()
        apply_event(row, event, ruleset=self.ruleset, is_recorded=self.is_recorded)
        return replace(self, events=(*self.events, event), _row=row)

    def with_call(self, call: Call | int | str) -> "Game":
        """The game after a call: a `Call`, a value, or ``hold pass play``."""
        return self.with_event(self.auction.with_call(call).calls[-1])

    def with_pick_up(self, is_skat_taken: bool) -> "Game":
        """The game after the declarer took the skat, or left it."""
        return self.with_event(PickUp(seat=self._acting_seat(), is_skat_taken=is_skat_taken))

    def with_declaration(self, contract: Contract, discard_mask: int | None = None) -> "Game":
        """The game after the declaration; before a pick-up it includes it.

        Parameters
        ----------
        contract : announcements that it implies need not be named.
        discard_mask : the two cards laid away; None leaves the skat.
        """
        game = self
        if self.phase == "pick_up":
            game = self.with_pick_up(discard_mask is not None)
        return game.with_event(
            Declaration(
                seat=game._acting_seat(),
                contract=contract.closed(self.ruleset),
                discard_mask=discard_mask,
            )
        )

    def with_card(self, card: int) -> "Game":
        """The game after the seat to act played a card; who could say Kontra first does not."""
        game = self
        while game.phase in ("kontra", "schenken"):
            game = game.with_house_call(False)
        return game.with_event(CardPlayed(seat=game._acting_seat(), card=card))

    def with_house_call(self, is_said: bool = True) -> "Game":
        """The game after the seat to act answered the question of a house rule.

        Examples
        --------
        >>> from skatsim.ruleset import find_ruleset
        >>> game = Game(deal=Deal.from_cards(range(32)), ruleset=find_ruleset("casa"))
        >>> for call in ("pass", 18, "pass"):
        ...     game = game.with_call(call)
        >>> game = game.with_declaration(Contract(name="grand", is_hand=True))
        >>> game.seat, game.phase
        (0, 'kontra')
        >>> game.with_house_call().seat  # rearhand, the declarer, may say Re
        2
        """
        if self.phase in ("look", "push"):
            raise RuleError("the skat of a Ramsch is pushed on: use with_push")
        return self.with_event(
            HouseCall(seat=self._acting_seat(), kind=self.phase, is_said=is_said)
        )

    def with_push(self, cards_mask: int | None) -> "Game":
        """The game after the seat to act pushed two cards on, or with None the skat unseen."""
        return self.with_event(Push(seat=self._acting_seat(), cards_mask=cards_mask))

    def with_resort(self, cards_mask: int) -> "Game":
        """The game after the defenders shared out their cards anew (RULES 14.2)."""
        return self.with_event(Resort(seat=self._acting_seat(), cards_mask=cards_mask))

    def with_concession(self, side: Literal["declarer", "defenders"]) -> "Game":
        """The game given up by one side (RULES 9.1, 9.2).

        A game decided before keeps its result: the declarer who has 61 card points has won.
        """
        if side == "declarer":
            return self.with_end("resigned", award="conceded")
        return self.with_end("conceded", award="granted")

    def with_end(self, reason: EndReason, *, award: Award = "none") -> "Game":
        """The game ended before its last card."""
        return self.with_event(GameEnd(reason=reason, award=award))

    # Records

    def to_record(self) -> tuple[Any, np.ndarray]:
        """The game as a record of dtype `skatsim.kernels.columns.GAME`, and its calls.

        Raises
        ------
        RuleError
            If the game is not over.
        """
        if self.end_reason is None:
            raise RuleError(f"the game is not over: it is at the {self.phase}")
        record = np.zeros(1, GAME)[0]
        end = self._end
        store(
            self.ruleset.kernel_record(),
            self._public,
            self._hidden,
            record,
            END_REASONS.index(self.end_reason),
            AWARDS.index(self._settled_award if end is None else end.award),
        )
        if self._has_unknown_card:
            record["played"][int(record["play_count"])] = table.UNKNOWN_CARD
            record["play_count"] += 1
        if self.declarer is None:
            record["bid_value"] = 0  # nobody has to reach it
        if self.end_reason == "policy_fault":
            record["score"] = 0
        calls = np.array([call.code for call in self.auction.calls], dtype=np.uint16)
        record["call_end"] = len(calls)
        return record, calls

    @classmethod
    def from_record(
        cls, record: Any, calls: Iterable[int] = (), *, ruleset: Ruleset = ISKO
    ) -> "Game":
        """The game of a record of dtype `skatsim.kernels.columns.GAME`, replayed event by event.

        Parameters
        ----------
        record : of which the cards, the declaration and the end are read, not the results.
        calls : its calls: 0 pass, 1 hold, 2 play, else the value bid.

        Raises
        ------
        RecordError
            If the record does not replay.
        """
        try:
            deal = Deal(
                forehand_mask=int(record["forehand_mask"]),
                middlehand_mask=int(record["middlehand_mask"]),
                rearhand_mask=int(record["rearhand_mask"]),
                skat_mask=int(record["skat_mask"]),
            )
            flags = int(record["house_flags"])
            game = cls(
                deal=deal,
                ruleset=ruleset,
                is_recorded=True,
                bock_factor=max(1, int(record["bock_factor"])),
                is_ramsch_round=bool(flags & table.HOUSE_RAMSCH_ROUND),
            )
            game = game._after_auction(record, tuple(int(call) for call in calls))
            game = game._after_declaration(record)._after_house(record)
            return game._after_play(record)
        except (RuleError, NotationError) as error:
            raise RecordError(str(error)) from None

    def _after_auction(self, record: Any, calls: tuple[int, ...]) -> "Game":
        declarer, bid_value = int(record["declarer_seat"]), int(record["bid_value"])
        game = self
        for code in calls:
            seat = game._public["seat"] if game.phase == "auction" else 0
            game = game.with_event(Call.from_code(int(seat), code))
        game = game._after_house(record)
        if not calls and declarer >= 0 and game.phase == "auction":
            game = game.with_event(AuctionResult(declarer=declarer, bid_value=bid_value))
        if (game.declarer if game.declarer is not None else -1) != declarer:
            raise RecordError(f"the calls do not make seat {declarer} the declarer")
        if declarer >= 0 and game.bid_value != bid_value:
            raise RecordError(f"the last value said is {game.bid_value}, not {bid_value}")
        return game

    def _after_house(self, record: Any) -> "Game":
        """The questions of house rules that stand here, answered as a record did."""
        game = self
        flags, kontra = int(record["house_flags"]), int(record["kontra_count"])
        while game.phase in PHASES[table.PHASE_KONTRA :]:
            seat, phase = game._acting_seat(), game.phase
            if phase == "look":
                game = game.with_push(int(record[f"{SEATS[seat]}_push_mask"]) or None)
            elif phase == "resort":
                game = game.with_resort(int(record["resort_mask"]))
            elif phase == "kontra":
                is_turn = seat == int(record["kontra_seat"]) or game.kontra_count > 0
                game = game.with_house_call(is_turn and kontra > game.kontra_count)
            elif phase == "grand_hand":
                game = game.with_house_call(seat == int(record["declarer_seat"]))
            elif phase == "knock":
                game = game.with_house_call(bool(int(record["knocks"]) >> seat & 1))
            else:
                said = table.HOUSE_SCHENKEN_ACCEPTED
                said |= HOUSE_SCHENKEN_REFUSED if phase == "schenken" else 0
                game = game.with_house_call(bool(flags & said))
        return game

    def _after_declaration(self, record: Any) -> "Game":
        if int(record["contract"]) < 0 or self.phase != "pick_up":
            return self
        announcements = (
            table.IS_HAND * bool(record["is_hand"])
            | table.IS_SCHNEIDER_ANNOUNCED * bool(record["is_schneider_announced"])
            | table.IS_SCHWARZ_ANNOUNCED * bool(record["is_schwarz_announced"])
            | table.IS_OUVERT * bool(record["is_ouvert"])
        )
        discard = int(record["discard_mask"])
        game = self.with_pick_up(bool(record["is_skat_taken"]))
        return game.with_event(
            Declaration(
                seat=game._acting_seat(),
                contract=replace(
                    Contract.from_number(int(record["contract"]), announcements),
                    is_spitze=bool(int(record["house_flags"]) & HOUSE_SPITZE),
                    is_revolution=bool(int(record["house_flags"]) & HOUSE_REVOLUTION),
                ),
                discard_mask=discard if discard != 0 else None,
            )
        )

    def _after_play(self, record: Any) -> "Game":
        game = self
        for place, number in enumerate(record["played"]):
            if number == table.UNPLAYED:
                break
            card = None if number == table.UNKNOWN_CARD else int(number)
            try:
                game = game.with_event(CardPlayed(seat=game._acting_seat(), card=card))
                if place < 2:
                    game = game._after_house(record)
            except RuleError as error:
                raise RecordError(f"card {place + 1}: {error}") from None
        reason = END_REASONS[int(record["end_reason"])]
        award = AWARDS[int(record["award"])]
        if game.end_reason == reason and award == game._settled_award:
            return game
        if reason in ("ten_tricks", "passed_in"):
            raise RecordError(f"the game does not end with {reason!r}: it is at the {game.phase}")
        return game.with_end(reason, award=award)

    # The row

    @property
    def _state(self) -> Row:
        assert self._row is not None
        return self._row

    @property
    def _public(self) -> Any:
        return self._state.public

    @property
    def _hidden(self) -> Any:
        return self._state.hidden

    @property
    def _end(self) -> GameEnd | None:
        last = self.events[-1] if self.events else None
        return last if isinstance(last, GameEnd) else None

    @property
    def _settled_award(self) -> Award:
        """What is awarded without being said: a game given up at the start and accepted."""
        is_accepted = int(self._public["house"]) & table.HOUSE_SCHENKEN_ACCEPTED
        return "granted" if is_accepted else "none"

    @property
    def _has_unknown_card(self) -> bool:
        return any(isinstance(e, CardPlayed) and e.card is None for e in self.events[-2:])

    @property
    def _lead(self) -> int | None:
        size = int(self._public["trick_size"])
        return int(self._public["played"][int(self._public["play_count"]) - size]) if size else None

    def _acting_seat(self) -> int:
        seat = self.seat
        if seat is None:
            raise RuleError("nothing can follow: the game is over")
        return seat


def random_deal(seed: int, game_number: int = 0) -> Deal:
    """The deal of a game of a seed, as the simulator deals it.

    Examples
    --------
    >>> random_deal(1, 7) == random_deal(1, 7)
    True
    """
    seed, game_number = check_seed(seed), check_seed(game_number, "game_number")
    public, hidden = np.zeros(1, table.PUBLIC)[0], np.zeros(1, table.HIDDEN)[0]
    table.deal(public, hidden, seed, game_number)
    first, second, third = (int(mask) for mask in hidden["dealt"])
    return Deal(
        forehand_mask=first,
        middlehand_mask=second,
        rearhand_mask=third,
        skat_mask=int(hidden["skat_mask"]),
    )
