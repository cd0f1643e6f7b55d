"""The auction: the ladder of values, and the state machine of calls (RULES 3)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from skatsim.arguments import GREATEST, check_whole, check_word, items_of
from skatsim.cards import parse_seat, seat_name
from skatsim.errors import NotationError, RuleError
from skatsim.kernels import rules as kernel_rules
from skatsim.kernels import table
from skatsim.ruleset import ISKO, Ruleset

__all__ = [
    "BID_VALUES",
    "Auction",
    "Call",
    "CallKind",
    "check_bid_value",
    "next_bid_value",
]

BID_VALUES: Final[tuple[int, ...]] = tuple(int(value) for value in kernel_rules.BID_VALUES)
"""The 63 values that some game can have, ascending (RULES 3.1)."""

CallKind = Literal["bid", "hold", "pass", "play"]

_CODES: Final[dict[CallKind, int]] = {
    "pass": table.CALL_PASS,
    "hold": table.CALL_HOLD,
    "play": table.CALL_PLAY,
}
_KINDS: Final = {code: kind for kind, code in _CODES.items()}

_CALL_WORDS: Final[dict[str, CallKind]] = {
    "p": "pass",
    "pass": "pass",
    "y": "hold",
    "yes": "hold",
    "hold": "hold",
    "play": "play",
}

AuctionState = Literal["say_1", "answer_1", "say_2", "answer_2", "alone", "over"]

_STATES: Final[tuple[AuctionState, ...]] = ("say_1", "answer_1", "say_2", "answer_2", "alone")


def check_bid_value(value: int, ruleset: Ruleset = ISKO) -> None:
    """Refuse a value that no game has (RULES 3.1).

    Raises
    ------
    RuleError
        Naming the nearest values.

    Examples
    --------
    >>> check_bid_value(19)
    Traceback (most recent call last):
        ...
    skatsim.errors.RuleError: nobody can bid 19: no game has that value; near it are 18 and 20
    """
    values = ruleset.bid_values
    if check_whole(value, "bid") in values:
        return
    below = [str(bid) for bid in values if bid < value][-1:]
    above = [str(bid) for bid in values if bid > value][:1]
    near = " and ".join(below + above)
    raise RuleError(f"nobody can bid {value!r}: no game has that value; near it are {near}")


def next_bid_value(value: int) -> int | None:
    """The next value of the ladder above `value`; None above the last.

    Examples
    --------
    >>> next_bid_value(0), next_bid_value(24), next_bid_value(264)
    (18, 27, None)
    """
    return next((bid for bid in BID_VALUES if bid > value), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a seat says in the auction.

    Parameters
    ----------
    seat : 0 forehand, 1 middlehand, 2 rearhand.
    kind : ``bid`` a value, ``hold`` the value asked, ``pass``, or, for forehand after two
        passes, ``play`` at 18.
    value : the value bid; None with the other kinds.

    Examples
    --------
    >>> str(Call(seat=1, kind="bid", value=18)), str(Call(seat=0, kind="hold"))
    ('1 18', '0 y')
    """

    seat: int
    kind: CallKind
    value: int | None = None

    def __post_init__(self) -> None:
        seat_name(self.seat)
        object.__setattr__(self, "seat", int(self.seat))
        object.__setattr__(self, "kind", check_word(self.kind, "kind", get_args(CallKind)))
        if self.value is not None:
            value = check_whole(self.value, "value", least=1, most=GREATEST)
            object.__setattr__(self, "value", value)
        if (self.kind == "bid") != (self.value is not None):
            raise NotationError(f"a call of {self.kind!r} with the value {self.value!r}")

    def __str__(self) -> str:
        """The call in the server's words: seat, then value, ``y``, ``p``."""
        word = {"hold": "y", "pass": "p", "play": "18"}.get(self.kind, str(self.value))
        return f"{self.seat} {word}"

    @property
    def code(self) -> int:
        """The call as an integer: 0 pass, 1 hold, 2 play, else the value."""
        return self.value if self.value is not None else _CODES[self.kind]

    @classmethod
    def from_code(cls, seat: int, code: int) -> Self:
        """A call of a seat from its integer."""
        if code in _KINDS:
            return cls(seat=seat, kind=_KINDS[code])
        return cls(seat=seat, kind="bid", value=code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Auction:
    """An auction as far as it has come: its calls, and all that follows from them (RULES 3.2).

    Parameters
    ----------
    calls : the calls so far.
    is_any_value_allowed : bids need not be one of the 63 values, as on some servers.
    ruleset : whose values may be bid.

    Attributes
    ----------
    seat : the seat to call; None when the auction is over.
    state : ``say_1 answer_1`` middlehand against forehand, ``say_2 answer_2`` rearhand
        against the survivor, ``alone`` forehand after two passes, ``over``.
    bid_value : the last value said, 0 before any.
    declarer : the declarer's seat once the auction is over; None if passed in.
    limits : the highest value each seat said or held, 0 for none.

    Raises
    ------
    RuleError
        If a call is not allowed where it stands.

    Examples
    --------
    >>> auction = Auction.from_text("1 18 0 y 1 20 0 p 2 p")
    >>> auction.declarer, auction.bid_value
    (1, 20)
    """

    calls: tuple[Call, ...] = ()
    is_any_value_allowed: bool = False
    ruleset: Ruleset = field(default=ISKO, compare=False)
    seat: int | None = field(init=False, compare=False)
    state: AuctionState = field(init=False, compare=False)
    bid_value: int = field(init=False, compare=False)
    declarer: int | None = field(init=False, compare=False)
    limits: tuple[int, int, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        public = np.zeros(1, table.PUBLIC)[0]
        table.reset(public)
        object.__setattr__(self, "calls", items_of(self.calls, "calls", Call, "a tuple of Call"))
        for call in self.calls:
            self._take(public, call)
        is_over = public["phase"] != table.PHASE_AUCTION
        declarer = int(public["declarer"])
        for name, value in (
            ("seat", None if is_over else int(public["seat"])),
            ("state", "over" if is_over else _STATES[public["auction_state"]]),
            ("bid_value", int(public["bid_value"])),
            ("declarer", declarer if declarer >= 0 else None),
            ("limits", tuple(int(limit) for limit in public["limits"])),
        ):
            object.__setattr__(self, name, value)

    def _take(self, public: Any, call: Call) -> None:
        if public["phase"] != table.PHASE_AUCTION:
            raise RuleError(f"{seat_name(call.seat)} cannot call any more: the auction is over")
        to_call = int(public["seat"])
        if call.seat != to_call:
            raise RuleError(
                f"{seat_name(call.seat)} cannot call now: it is {seat_name(to_call)}'s turn"
            )
        rules = self.ruleset.kernel_record()
        if table.apply_call(rules, public, call.code, self.is_any_value_allowed) != 0:
            state = int(public["auction_state"])
            raise RuleError(_call_fault_text(call, state, public, self.ruleset))

    @property
    def is_over(self) -> bool:
        """Whether no call is left to make."""
        return self.state == "over"

    @property
    def is_passed_in(self) -> bool:
        """Whether all three passed."""
        return self.is_over and self.declarer is None

    def legal_calls(self) -> tuple[Call, ...]:
        """The calls the seat to call may make; none when the auction is over."""
        if self.seat is None:
            return ()
        passing = Call(seat=self.seat, kind="pass")
        if self.state in ("say_1", "say_2"):
            bids = tuple(
                Call(seat=self.seat, kind="bid", value=value)
                for value in self.ruleset.bid_values
                if value > self.bid_value
            )
            return (*bids, passing)
        return (Call(seat=self.seat, kind="play" if self.state == "alone" else "hold"), passing)

    def with_call(self, call: Call | int | str) -> "Auction":
        """The auction one call later.

        Parameters
        ----------
        call : a `Call`, or what the seat to call says: a value, or ``hold pass play``.
        """
        if not isinstance(call, Call):
            seat = 0 if self.seat is None else self.seat
            call = _parse_call(seat, str(call), is_alone=self.state == "alone")
        return replace(self, calls=(*self.calls, call))

    @classmethod
    def from_text(cls, text: str, *, is_any_value_allowed: bool = False) -> Self:
        """An auction from the server's words: ``1 18 0 y 1 20 0 p 2 p``."""
        words = re.split(r"[\s,;]+", text.strip()) if text.strip() else []
        if len(words) % 2:
            raise NotationError(f"{text!r} is no auction: seat and call in turn, like '1 18 0 y'")
        auction = cls(is_any_value_allowed=is_any_value_allowed)
        for seat_text, word in zip(words[::2], words[1::2], strict=True):
            seat = parse_seat(seat_text)
            call = _parse_call(seat, word, is_alone=auction.state == "alone")
            auction = cls(calls=(*auction.calls, call), is_any_value_allowed=is_any_value_allowed)
        return auction

    @classmethod
    def from_codes(
        cls, codes: Iterable[int], *, is_any_value_allowed: bool = False, ruleset: Ruleset = ISKO
    ) -> Self:
        """An auction from the integers of its calls; the seats follow from them."""
        public = np.zeros(1, table.PUBLIC)[0]
        table.reset(public)
        rules = ruleset.kernel_record()
        calls = []
        for code in codes:
            calls.append(Call.from_code(max(0, int(public["seat"])), int(code)))
            table.apply_call(rules, public, int(code), is_any_value_allowed)
        return cls(calls=tuple(calls), is_any_value_allowed=is_any_value_allowed, ruleset=ruleset)

    def __str__(self) -> str:
        """The calls in the server's words."""
        return " ".join(str(call) for call in self.calls)


def _parse_call(seat: int, word: str, *, is_alone: bool) -> Call:
    kind = _CALL_WORDS.get(word.lower())
    if kind is not None:
        return Call(seat=seat, kind=kind)
    if not word.isdecimal():
        raise NotationError(f"{word!r} is no call: a value, y or hold, p or pass, play")
    value = int(word)
    if is_alone and value == table.BID_LEAST:
        return Call(seat=seat, kind="play")
    return Call(seat=seat, kind="bid", value=value)


def _call_fault_text(call: Call, state: int, public: Any, ruleset: Ruleset) -> str:
    """Why the seat to call may not make a call."""
    seat = seat_name(call.seat)
    current = int(public["bid_value"])
    may = {
        table.AUCTION_SAY_1: "bid or pass",
        table.AUCTION_ANSWER_1: "hold or pass",
        table.AUCTION_SAY_2: "bid or pass",
        table.AUCTION_ANSWER_2: "hold or pass",
        table.AUCTION_ALONE: "play at 18 or pass",
    }[state]
    if call.kind != "bid" or "bid" not in may:
        said = f"bid {call.value}" if call.kind == "bid" else call.kind
        return f"{seat} cannot {said} here: to {may} is left"
    if call.value is not None and call.value <= current:
        return f"{seat} cannot bid {call.value}: {current} was said before"
    above = [str(value) for value in ruleset.bid_values if value > current][:3]
    following = f"next are {', '.join(above)}" if above else "none is left to bid"
    return f"{seat} cannot bid {call.value}: no game has that value; {following}"
