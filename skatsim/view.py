"""What a seat may know when it is asked: `Waiting` for many tables at once, `PlayerView` for one.

Nothing hidden is in them: a seat's own cards, what it laid away, the cards that lie open, and what
all saw and heard. They are copies; writing to them changes nothing and is an error.
"""

import functools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from skatsim.auction import Auction
from skatsim.cards import SEATS, card_text, cards_text, mask_cards
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.events import PHASES
from skatsim.kernels import lockstep
from skatsim.kernels.cards import NULL
from skatsim.kernels.rules import HOUSE_REVOLUTION, HOUSE_SCHENKEN_REFUSED, HOUSE_SPITZE
from skatsim.kernels.table import (
    AUCTION_ALONE,
    AUCTION_SAY_1,
    AUCTION_SAY_2,
    HOUSE_RAMSCH_ROUND,
    REVOLUTION_BIT,
    SPITZE_BIT,
)
from skatsim.play import Trick
from skatsim.ruleset import Ruleset

__all__ = ["QUESTIONS", "PlayerView", "Waiting", "declaration_code"]

T = TypeVar("T")

QUESTIONS: Final = ("bid", *PHASES[1:])
"""What a seat is asked, by the number of the phase: also the names of a policy's methods."""


def declaration_code(contract: Contract) -> int:
    """A contract with its announcements as the kernels take it, the discard left out."""
    return (
        contract.number
        | contract.announcements << 3
        | contract.is_spitze << SPITZE_BIT
        | contract.is_revolution << REVOLUTION_BIT
    )


class Waiting:
    """The tables that wait for an answer, and what their seats are shown.

    It can be read until the tables are answered; read first afterwards it is a `RuleError`. All
    arrays are int64 of shape (n,), n the number of tables, unless said otherwise; they cannot be
    written.

    Attributes
    ----------
    ruleset : the rules of all tables.
    dealer : the seat that deals, 2 rearhand; None at tables of four, where the dealer sits out.
    row : which table waits, from 0.
    phase : what is asked, a number of `QUESTIONS`.
    seat : who is asked: 0 forehand, 1 middlehand, 2 rearhand.
    hand_mask : the cards of the seat; at the declaration after a pick-up all twelve.
    skat_mask : the skat at the declaration; then what the declarer laid away, or in Ramsch what
        the seat pushed on; 0 where it knows nothing.
    legal_mask : the cards to choose from: to play, to lay away, to push on, to share out.
    word : 63 random bits, of this decision of this game alone.
    """

    def __init__(
        self,
        asked: np.ndarray,
        public: np.ndarray,
        ruleset: Ruleset,
        clock: Sequence[int] = (0,),
        chosen: np.ndarray | None = None,
        memo: dict[Any, Any] | None = None,
        dealer: int | None = 2,
    ) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.memo = {} if memo is None else memo
        self._asked = asked
        self._chosen = chosen
        self._public = public
        self._clock = clock
        self._step = clock[0]
        self._columns: dict[str, np.ndarray] = {}
        self._lists: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """The number of tables that wait."""
        return len(self._asked if self._chosen is None else self._chosen)

    def _column(self, name: str) -> np.ndarray:
        if name not in self._columns:
            self._check_time()
            column = self._asked[name]
            column = column.copy() if self._chosen is None else column[self._chosen]
            column.flags.writeable = False
            self._columns[name] = column
        return self._columns[name]

    def _check_time(self) -> None:
        if self._clock[0] != self._step:
            raise RuleError("these tables have been answered since: ask for those that wait now")

    @property
    def row(self) -> np.ndarray:
        """Which table waits."""
        return self._column("row")

    @property
    def phase(self) -> np.ndarray:
        """What is asked: a number of `QUESTIONS`."""
        return self._column("phase")

    @property
    def seat(self) -> np.ndarray:
        """Who is asked."""
        return self._column("seat")

    @property
    def hand_mask(self) -> np.ndarray:
        """The cards of the seat."""
        return self._column("hand_mask")

    @property
    def skat_mask(self) -> np.ndarray:
        """The skat, or what the seat laid away, as far as it knows."""
        return self._column("skat_mask")

    @property
    def legal_mask(self) -> np.ndarray:
        """The cards to choose from."""
        return self._column("legal_mask")

    @property
    def word(self) -> np.ndarray:
        """63 random bits of the decision."""
        return self._column("word")

    def __getitem__(self, name: str) -> np.ndarray:
        """A field of what all know, as `skatsim.kernels.table.PUBLIC` lists them.

        Returns
        -------
        array of shape (n,), or (n, k) for ``limits calls played void_classes``.
        """
        self._check_time()
        if name not in self._columns:
            column = self._public[name][self.row]
            column.flags.writeable = False
            self._columns[name] = column
        return self._columns[name]

    def next_bid(self) -> np.ndarray:
        """The least value a seat may say, its next step; 0 where it may say none."""
        rules = self.ruleset.kernel_record()
        current = self["bid_value"]
        state = self["auction_state"]
        first = rules["bid_index"][rules["bid_least"]]
        place = np.where(current == 0, first, rules["bid_index"][current] + 1)
        is_saying = (state == AUCTION_SAY_1) | (state == AUCTION_SAY_2)
        is_left = is_saying & (place < rules["bid_count"])
        return np.where(is_left, rules["bid_value"][place], 0)

    def may_declare(self, code: np.ndarray) -> np.ndarray:
        """Where a declaration would be accepted, whatever is laid away: bool.

        Parameters
        ----------
        code : ``contract | announcements << 3`` with the bits 1 hand, 2 schneider, 4 schwarz,
            8 ouvert; see `declaration_code`.
        """
        answers = np.zeros(len(self), dtype=np.uint8)
        lockstep.may_declare(
            self.ruleset.kernel_record(),
            self._public,
            self._records(),
            np.ascontiguousarray(code, dtype=np.int64),
            answers,
        )
        return answers.astype(bool)

    def select(self, chosen: np.ndarray) -> "Waiting":
        """Some of the tables, by a mask or by indices."""
        chosen = np.arange(len(self))[chosen]
        if self._chosen is not None:
            chosen = self._chosen[chosen]
        return Waiting(
            self._asked, self._public, self.ruleset, self._clock, chosen, self.memo, self.dealer
        )

    def _records(self) -> np.ndarray:
        return self._asked if self._chosen is None else self._asked[self._chosen]

    @staticmethod
    def declaration(contract: Any, announcements: Any, low: Any = 0, high: Any = 0) -> Any:
        """Declarations as the numbers to answer ``declare`` with; see `may_declare`.

        Parameters
        ----------
        contract : 0 diamonds, 1 hearts, 2 spades, 3 clubs, 4 grand, 5 null.
        announcements : sum of 1 hand, 2 schneider, 4 schwarz, 8 ouvert.
        low, high : the two cards laid away; 0 and 0 without.
        """
        return contract | announcements << 3 | low << 7 | high << 12

    def views(self) -> "Iterator[PlayerView]":
        """A view for each table."""
        shown = [self._column(name).tolist() for name in _SHOWN]
        return map(PlayerView._make, zip(*shown, range(len(self)), repeat(self)))

    def view(self, place: int) -> "PlayerView":
        """The view of one of the tables, by its place here."""
        shown = [int(self._column(name)[place]) for name in _SHOWN]
        return PlayerView._make((*shown, place, self))

    def known(self, name: str) -> list[Any]:
        """A field of what all know (see `__getitem__`) as Python numbers."""
        if name not in self._lists:
            self._lists[name] = self[name].tolist()
        return self._lists[name]


_SHOWN: Final = ("phase", "seat", "hand_mask", "skat_mask", "legal_mask", "word")


class _Shown(NamedTuple):
    """What a view begins with."""

    phase: int
    seat: int
    hand_mask: int
    skat_mask: int
    legal_mask: int
    word: int
    place: int
    waiting: Waiting


class PlayerView(_Shown):
    """What one seat may know when it is asked.

    Cards are numbers ``8 * suit + rank`` (see `skatsim.cards`), seats 0 forehand, 1 middlehand,
    2 rearhand. A view cannot be written to. What all know is read when it is asked for, so it can
    be had until the question is answered; afterwards that is a `RuleError`.

    Attributes
    ----------
    phase : what is asked, a number of `QUESTIONS`.
    seat : who is asked.
    hand_mask : the cards of the seat; at the declaration after a pick-up all twelve.
    skat_mask : the skat picked up, then what the seat laid away or in Ramsch pushed on; 0 where it
        knows nothing.
    legal_mask : the cards to choose from: to play, to lay away, to push on, to share out.
    word : 63 random bits, of this decision of this game alone.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        hand = cards_text(mask_cards(self.hand_mask))
        return f"PlayerView({self.question}, {SEATS[self.seat]}, hand {hand})"

    @property
    def question(self) -> str:
        """What is asked: ``bid pick_up declare play``, under house rules more (`QUESTIONS`)."""
        return QUESTIONS[self.phase]

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the table."""
        return self.waiting.ruleset

    @property
    def dealer(self) -> int | None:
        """The seat that deals: rearhand; None at a table of four, where the dealer sits out."""
        return self.waiting.dealer

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards of the seat, from the lowest number."""
        return cards_of(self.hand_mask)

    @property
    def legal_cards(self) -> tuple[int, ...]:
        """The cards to choose from, from the lowest number."""
        return cards_of(self.legal_mask)

    @property
    def rng(self) -> random.Random:
        """A random stream of this decision, begun anew each time it is asked for."""
        return random.Random(self.word)

    def choice(self, options: Sequence[T]) -> T:
        """One of some options, each equally likely, by `word`."""
        return options[(self.word & 0xFFFFFFFF) * len(options) >> 32]

    def _known(self, name: str) -> Any:
        return self.waiting.known(name)[self.place]

    @property
    def auction(self) -> Auction:
        """The auction so far, with the calls and who made them."""
        calls = self._known("calls")[: self._known("call_count")]
        return Auction.from_codes(calls, ruleset=self.ruleset)

    @property
    def bid_value(self) -> int:
        """The last value said, 0 before any."""
        return int(self._known("bid_value"))

    @property
    def legal_calls(self) -> tuple[int | str, ...]:
        """What may be answered to ``bid``: ``pass``, then ``hold``, ``play`` or the values."""
        return legal_calls(
            self.ruleset, self._known("auction_state"), self.bid_value, self.waiting.memo
        )

    @property
    def declarer(self) -> int | None:
        """The declarer; None before the auction's end and in Ramsch."""
        seat = int(self._known("declarer"))
        return seat if seat >= 0 else None

    @property
    def is_skat_taken(self) -> bool:
        """Whether the declarer looked at the skat."""
        return bool(self._known("is_skat_taken"))

    @property
    def contract(self) -> Contract | None:
        """What is played; None before the declaration."""
        known = self._known
        if known("contract") < 0:
            return None
        house = known("house")
        return Contract(
            name=Contract.from_number(known("contract")).name,
            is_hand=bool(known("is_hand")),
            is_schneider_announced=bool(known("is_schneider_announced")),
            is_schwarz_announced=bool(known("is_schwarz_announced")),
            is_ouvert=bool(known("is_ouvert")),
            is_spitze=bool(house & HOUSE_SPITZE),
            is_revolution=bool(house & HOUSE_REVOLUTION),
        )

    def may_declare(self, contract: Contract) -> bool:
        """Whether a contract would be accepted now; what it implies need not be named."""
        memo, ruleset = self.waiting.memo, self.ruleset
        is_of_cards = ruleset.is_strict_declare or contract.is_spitze
        cards = self.hand_mask if is_of_cards else 0
        key = (contract, self.bid_value, self._known("is_skat_taken"), cards)
        if key not in memo:
            code = declaration_code(contract.closed(ruleset))
            one = self.waiting.select(np.array([self.place]))
            memo[key] = bool(one.may_declare(np.array([code]))[0])
        is_accepted: bool = memo[key]
        return is_accepted

    @property
    def legal_contracts(self) -> tuple[Contract, ...]:
        """What may be declared now: every contract with what may be announced with it."""
        return tuple(
            contract for contract in _contracts(self.ruleset) if self.may_declare(contract)
        )

    @property
    def open_mask(self) -> int:
        """The declarer's cards while they lie open (ouvert), else 0."""
        return int(self._known("open_mask"))

    @property
    def played(self) -> tuple[int, ...]:
        """The cards played, in order."""
        return tuple(self._known("played")[: self._known("play_count")])

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks so far, with leaders and winners; the last may be being played."""
        return tuple(_tricks(self.played, self._known("trick_winners")))

    @property
    def trick(self) -> Trick | None:
        """The trick being played; None before its first card."""
        size = self._known("trick_size")
        if size == 0:
            return None
        count = self._known("play_count")
        return Trick(
            number=self._known("trick_count") + 1,
            leader=self._known("leader"),
            cards=tuple(self._known("played")[count - size : count]),
            winner=None,
        )

    @property
    def points(self) -> tuple[int, int, int]:
        """Card points in the tricks of each seat, without the skat."""
        taken = [0, 0, 0]
        for trick in self.tricks:
            if trick.winner is not None:
                taken[trick.winner] += trick.card_points
        return taken[0], taken[1], taken[2]

    @property
    def kontra_count(self) -> int:
        """Doublings said: 1 Kontra, 2 and Re, ..."""
        return int(self._known("kontra_count"))

    @property
    def kontra_seat(self) -> int | None:
        """Who said Kontra; None before."""
        return int(self._known("kontra_seat")) if self.kontra_count else None

    @property
    def bock_factor(self) -> int:
        """By what the game counts more in a Bock round: 1 outside."""
        return int(self._known("bock_factor"))

    @property
    def is_ramsch_round(self) -> bool:
        """Whether this is a deal of a compulsory round of Ramsch."""
        return bool(self._known("house") & HOUSE_RAMSCH_ROUND)

    @property
    def is_schenken_refused(self) -> bool:
        """Whether the defenders gave the game up and the declarer plays on (RULES 14.3)."""
        return bool(self._known("house") & HOUSE_SCHENKEN_REFUSED)

    @property
    def unseen_pushes(self) -> int:
        """How often the skat of a Ramsch was pushed on unseen."""
        return int(self._known("unseen_pushes"))

    @property
    def knocks(self) -> tuple[int, ...]:
        """The seats that knocked in a Ramsch."""
        bits = self._known("knocks")
        return tuple(seat for seat in range(len(SEATS)) if bits >> seat & 1)

    def to_dict(self) -> dict[str, Any]:
        """The view in words and numbers, as a program in another language is sent it."""
        contract, tricks = self.contract, self.tricks
        return {
            "question": self.question,
            "seat": SEATS[self.seat],
            "hand": _texts(self.hand_mask),
            "skat": _texts(self.skat_mask),
            "legal": self._legal(),
            "ruleset": self.ruleset.name,
            "dealer": None if self.dealer is None else SEATS[self.dealer],
            "auction": [[SEATS[call.seat], call.value or call.kind] for call in self.auction.calls],
            "bid_value": self.bid_value,
            "declarer": None if self.declarer is None else SEATS[self.declarer],
            "is_skat_taken": self.is_skat_taken,
            "contract": None if contract is None else str(contract),
            "open_hand": _texts(self.open_mask),
            "tricks": [
                {
                    "leader": SEATS[trick.leader],
                    "cards": [card_text(card) for card in trick.cards],
                    "winner": None if trick.winner is None else SEATS[trick.winner],
                }
                for trick in tricks
            ],
            "points": list(self.points),
            "kontra_count": self.kontra_count,
            "kontra_seat": None if self.kontra_seat is None else SEATS[self.kontra_seat],
            "bock_factor": self.bock_factor,
            "is_ramsch_round": self.is_ramsch_round,
            "is_schenken_refused": self.is_schenken_refused,
            "unseen_pushes": self.unseen_pushes,
            "knocks": [SEATS[seat] for seat in self.knocks],
            "word": self.word,
        }

    def _legal(self) -> list[Any]:
        question = self.question
        if question == "bid":
            return list(self.legal_calls)
        if question == "declare":
            return [str(contract) for contract in self.legal_contracts]
        return _texts(self.legal_mask) if self.legal_mask else [False, True]


_OF_BYTE: Final = [
    [tuple(8 * place + bit for bit in range(8) if byte >> bit & 1) for byte in range(256)]
    for place in range(4)
]
_LOWEST, _LOW, _HIGH, _HIGHEST = _OF_BYTE


def cards_of(mask: int) -> tuple[int, ...]:
    """The cards of a mask, from the lowest number."""
    return (
        _LOWEST[mask & 255] + _LOW[mask >> 8 & 255] + _HIGH[mask >> 16 & 255] + _HIGHEST[mask >> 24]
    )


def legal_calls(
    ruleset: Ruleset, state: int, current: int, memo: dict[Any, Any]
) -> tuple[int | str, ...]:
    """What may be said in an auction: ``pass``, then ``hold``, ``play`` or the values."""
    if state in (AUCTION_SAY_1, AUCTION_SAY_2):
        if current not in memo:
            values = [value for value in ruleset.bid_values if value > current]
            least = int(ruleset.kernel_record()["bid_least"])
            memo[current] = ("pass", *(value for value in values if current or value >= least))
        found: tuple[int | str, ...] = memo[current]
        return found
    return ("pass", "play" if state == AUCTION_ALONE else "hold")


@functools.cache
def _contracts(ruleset: Ruleset) -> tuple[Contract, ...]:
    """Every contract with all that it implies, whether or not it may be declared."""
    found = []
    for number in range(6):
        for announcements in range(16):
            contract = Contract.from_number(number, announcements)
            for is_spitze in (False, True) if number < NULL else (False,):
                found.append(replace(contract, is_spitze=is_spitze))
    found.append(Contract(name="null", is_revolution=True).closed(ruleset))
    return tuple(contract for contract in found if contract.closed(ruleset) == contract)


def _texts(mask: int) -> list[str]:
    return [card_text(card) for card in cards_of(mask)]


def _tricks(played: Sequence[int], winners: int) -> Iterator[Trick]:
    leader = 0
    for start in range(0, len(played), 3):
        number = start // 3
        winner = (winners >> (2 * number)) & 3
        is_complete = winner < 3
        yield Trick(
            number=number + 1,
            leader=leader,
            cards=tuple(played[start : start + 3]),
            winner=winner if is_complete else None,
        )
        leader = winner
