"""The values of server lines: moves, result, date.

The moves stand in ``MV``: the deal, the calls, the pick-up, the declaration, the cards, and
how the game was cut short; the server's result stands in ``R``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn

from skatsim.cards import card_text, mask_of
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import NotationError
from skatsim.kernels.columns import (
    END_CLAIMED,
    END_CONCEDED,
    END_DECIDED_EARLY,
    END_LEFT,
    END_PASSED_IN,
    END_RESIGNED,
    END_TEN_TRICKS,
    END_TIMEOUT,
)
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_DECLARER, AWARD_NONE
from skatsim.kernels.table import BID_LEAST, CALL_HOLD, CALL_PASS, CALL_PLAY, UNKNOWN_CARD
from skatsim.wording import count_text

__all__ = [
    "CARDS",
    "HIDDEN",
    "RESULT_MISSING",
    "RESULT_PASSED",
    "RESULT_STATED",
    "Draft",
    "Result",
    "parse_date",
    "parse_moves",
    "parse_result",
]

CARDS: Final = {card_text(card): card for card in range(32)}
HIDDEN: Final = "??"
"""A card that the writer of the line did not know."""


class Result(NamedTuple):
    """What ``R`` states; `kind` says whether it states anything.

    ``declarer`` -1 none; ``outcome`` 1 won, 0 lost, -1 penalty; ``resigned`` -1 where the field
    is missing, as in the oldest export.
    """

    kind: int
    declarer: int = -1
    outcome: int = -1
    value: int = 0
    matadors: int = 0
    overbid: int = 0
    card_points: int = 0
    trick_count: int = 0
    schneider: int = 0
    schwarz: int = 0
    resigned: int = -1


RESULT_MISSING, RESULT_PASSED, RESULT_STATED = range(3)


class Draft(NamedTuple):
    """One game as its moves tell it, before the referee has seen it."""

    deal: bytes  # 32 cards: forehand, middlehand, rearhand, skat
    calls: tuple[int, ...]
    bid_value: int
    declarer: int
    contract: int
    is_hand: bool
    is_schneider_announced: bool
    is_schwarz_announced: bool
    is_ouvert: bool
    is_skat_taken: bool
    discard_mask: int
    played: bytes  # 30, padded with 255
    seats: bytes  # who played them, digits, padded with blanks
    end_reason: int
    award: int
    is_shown: bool  # the declarer showed his cards before both defenders gave up
    is_inferred: bool  # the end does not stand in the moves


class _Auction(NamedTuple):
    calls: tuple[int, ...]
    bid_value: int
    declarer: int
    is_over: bool
    fault: str | None


# Result and date --------------------------------------------------------------------------

_RESULT = re.compile(
    r"d:(-1|[012]) (win|loss|penalty) v:(-?\d{1,5}) m:(-?\d{1,3}) (bidok|overbid) "
    r"p:(-?\d{1,4}) t:(-?\d{1,3}) s:([01]) z:([01])"
    r"((?: (?:p[012]|l|to):-?\d{1,2})*)(?: r:([01]))?",
    re.ASCII,
)
_OUTCOMES: Final = {"win": 1, "loss": 0, "penalty": -1}


@lru_cache(maxsize=1 << 16)
def parse_result(text: str) -> Result:
    """What the text of ``R`` states.

    Raises
    ------
    NotationError
        The text is no result.
    """
    words = " ".join(text.split())
    if words in ("", "unknown"):
        return Result(RESULT_MISSING)
    if words == "passed":
        return Result(RESULT_PASSED)
    found = _RESULT.fullmatch(words)
    if found is None:
        raise NotationError(f"R[{text[:80]}] is no result")
    declarer, outcome, value, matadors, overbid, points, tricks, s, z, _, resigned = found.groups()
    return Result(
        RESULT_STATED,
        int(declarer),
        _OUTCOMES[outcome],
        int(value),
        int(matadors),
        int(overbid == "overbid"),
        int(points),
        int(tricks),
        int(s),
        int(z),
        -1 if resigned is None else int(resigned),
    )


_DATE = re.compile(r"(\d{4}-\d\d-\d\d)/(\d\d:\d\d:\d\d)/UTC", re.ASCII)


def parse_date(text: str) -> int | None:
    """Microseconds since 1970 of ``YYYY-MM-DD/HH:MM:SS/UTC``; None for anything else."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00")
    except ValueError:
        return None
    return int((moment - _EPOCH).total_seconds()) * 1_000_000


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


# Moves ------------------------------------------------------------------------------------

_MOVES = re.compile(
    r"w (\S+) "
    r"((?:[012] (?:[0-9]{1,9}|[yp]) )*+)"
    r"(?:([012]) s (?:w ([^ .]+\.[^ .]+) )?)?"
    r"(?:([012]) ([CSHDGN][OHSZ]*)(?:\.(\S+))? )?"
    r"(.*)"
)
_MARK = re.compile(r"w (?:TI|LE)\.[012] |[012] (?:RE|SC(?:\.[^ ]*)?) ")


def parse_moves(text: str, result: Result) -> Draft:
    """One game from the text of ``MV``.

    Whose turn it was and whether the cards were legal is left to the referee. `result` helps
    only where the moves stop without telling how the game ended.

    Raises
    ------
    NotationError
        The text is no row of moves, or it tells no end.
    """
    if not text.endswith(" ") or "  " in text or "\t" in text or text.startswith(" "):
        text = " ".join(text.split()) + " "
    found = _MOVES.fullmatch(text)
    if found is None:
        _no_moves(text)
    deal_text, auction_text, taker, skat_text, actor, code, cards_text, rest = found.groups()
    deal = _parse_deal(deal_text)
    auction = _parse_auction(auction_text)
    if auction.fault:
        raise NotationError(auction.fault)
    declarer = auction.declarer
    if taker is not None:
        _check_pick_up(deal, declarer, int(taker), skat_text)
    contract, discard_mask = None, 0
    if code is not None:
        if int(actor) != declarer:
            raise NotationError(_not_declarer(f"declared {code!r}", int(actor), auction))
        contract = _parse_contract(code)
        if taker is not None and contract.is_hand:
            raise NotationError(f"{code!r} was declared, a hand game, after the skat was taken")
        if taker is not None and cards_text is None:
            cards_text, rest = _split_declaration(rest, declarer)
        if cards_text is not None:
            discard_mask = _parse_shown(deal, declarer, cards_text, is_skat_taken=taker is not None)
    play = _parse_play(rest, declarer)
    if contract is None and (play.played or play.is_shown or any(play.resigned)):
        raise NotationError(f"{rest.split()[1]!r} was played before a game was declared")
    is_skat_taken = taker is not None
    if contract is not None and is_skat_taken and discard_mask == 0 and (play.end_reason is None):
        raise NotationError("the skat was taken and no cards were laid away")
    end_reason, award, is_inferred = _end(auction, contract, play, result)
    if contract is None:
        number, announced = -1, (False, False, False, False)
    else:
        number = contract.number
        announced = (
            contract.is_hand,
            contract.is_schneider_announced,
            contract.is_schwarz_announced,
            contract.is_ouvert,
        )
    return Draft(
        deal,
        auction.calls,
        auction.bid_value if declarer >= 0 else 0,
        declarer,
        number,
        *announced,
        is_skat_taken,
        discard_mask,
        play.played.ljust(30, b"\xff"),
        play.seats.ljust(30),
        end_reason,
        award,
        play.is_accepted,
        is_inferred,
    )


def _no_moves(text: str) -> NoReturn:
    word = (text.split() or [""])[0]
    if word != "w":
        raise NotationError(f"the moves begin with {word!r} instead of the deal")
    raise NotationError("the moves hold no deal")


def _parse_card(text: str) -> int:
    card = CARDS.get(text)
    if card is None:
        raise NotationError(f"{text!r} is no card: [CSHD][AKQJT987]")
    return card


_SUIT_NUMBERS: Final = bytes.maketrans(b"DHSC", bytes([0, 8, 16, 24]))
_RANK_NUMBERS: Final = bytes.maketrans(b"789QKTAJ", bytes(range(8)))


def _cards_of(suits: str, ranks: str) -> bytes | None:
    """Cards from a row of suits and a row of ranks; None if one of them is no card.

    The rows are added as one large number each, which is faster than card by card.
    """
    if suits.strip("DHSC") or ranks.strip("789QKTAJ") or len(suits) != len(ranks):
        return None
    eights = int.from_bytes(suits.encode().translate(_SUIT_NUMBERS), "big")
    ones = int.from_bytes(ranks.encode().translate(_RANK_NUMBERS), "big")
    return (eights + ones).to_bytes(len(suits), "big")


def _parse_deal(text: str) -> bytes:
    cards = _cards_of(text[::3], text[1::3]) if text[2::3].strip(".") == "" else None
    if cards is not None and len(text) == 95 and len(set(cards)) == 32:
        return cards
    if "|" in text:
        sizes = [part.count(".") + 1 for part in text.split("|") if part]
        if sizes != [10, 10, 10, 2]:
            counts = ", ".join(str(size) for size in sizes)
            raise NotationError(f"the deal has parts of {counts} cards instead of 10, 10, 10, 2")
        text = text.replace("|", ".")
    words = text.split(".")
    try:
        cards = bytes([CARDS[word] for word in words])
    except KeyError:
        hidden = words.count(HIDDEN)
        if hidden:
            raise NotationError(
                f"the deal has {hidden} hidden cards: a player's view, not the whole game"
            ) from None
        return bytes([_parse_card(word) for word in words])  # names the word
    if len(set(cards)) != len(cards):
        twice = next(word for word in words if words.count(word) > 1)
        raise NotationError(f"the card {twice!r} is dealt twice")
    if len(cards) != 32:
        missing = " ".join(name for name in CARDS if name not in words)
        raise NotationError(
            f"the deal has {count_text(len(cards), 'card')} instead of 32: no {missing}"
        )
    return cards


@lru_cache(maxsize=1 << 16)
def _parse_auction(text: str) -> _Auction:
    """The calls; the same few thousand auctions come again and again."""
    words = text.split()
    calls: list[int] = []
    bid = 0
    sayer, listener, state = 1, 0, "say"
    declarer, is_over = -1, False

    def stop(reason: str) -> _Auction:
        return _Auction((), 0, -1, False, f"call {len(calls) + 1}: {reason}")

    for actor, action in zip(map(int, words[::2]), words[1::2], strict=True):
        if is_over:
            return stop(f"seat {actor} called {action!r} after the auction")
        to_act = {"say": sayer, "answer": listener, "alone": 0}[state]
        if actor != to_act:
            return stop(f"seat {actor} called {action!r}, but seat {to_act} is to call")
        if action == "p":
            calls.append(CALL_PASS)
            if state == "alone":
                is_over = True
            elif sayer == 1:  # the first duel is over
                sayer, listener, state = 2, listener if state == "say" else sayer, "say"
            elif state == "answer":
                declarer, is_over = sayer, True
            elif bid:
                declarer, is_over = listener, True
            else:
                state = "alone"
        elif action == "y":
            if state != "answer":
                return stop(f"seat {actor} held, but there was no bid to hold")
            calls.append(CALL_HOLD)
            state = "say"
        else:
            value = int(action)
            if state == "answer":
                return stop(f"seat {actor} bid {value} instead of holding or passing")
            least = BID_LEAST if state == "alone" else 10
            if value <= bid or value >= 500 or value < least:
                return stop(f"seat {actor} bid {value} over {bid}: bids rise, from 18 to 499")
            bid = value
            if state == "alone":
                calls.append(CALL_PLAY if value == BID_LEAST else value)
                declarer, is_over = 0, True
            else:
                calls.append(value)
                state = "answer"
    return _Auction(tuple(calls), bid, declarer, is_over, None)


def _not_declarer(what: str, actor: int, auction: "_Auction") -> str:
    if not auction.is_over:
        return f"seat {actor} {what} before the auction was over"
    if auction.declarer < 0:
        return f"seat {actor} {what}, but all have passed"
    return f"seat {actor} {what}, but seat {auction.declarer} is the declarer"


def _check_pick_up(deal: bytes, declarer: int, taker: int, text: str | None) -> None:
    if taker != declarer:
        who = f"seat {declarer} is the declarer" if declarer >= 0 else "there is no declarer"
        raise NotationError(f"seat {taker} took the skat, but {who}")
    if text is None or HIDDEN in text:
        return
    cards = [_parse_card(word) for word in text.split(".")]
    if sorted(cards) != sorted(deal[30:]):
        skat = ".".join(card_text(card) for card in deal[30:])
        raise NotationError(f"{text!r} was taken, but the skat is {skat!r}")


@lru_cache(maxsize=256)
def _parse_contract(code: str) -> Contract:
    contract = parse_contract(code)
    if contract.is_null and (contract.is_schneider_announced or contract.is_schwarz_announced):
        raise NotationError(f"{code!r}: null knows neither schneider nor schwarz")
    return contract


def _split_declaration(rest: str, declarer: int) -> tuple[str | None, str]:
    """The discards where they stand in a move of their own, and what follows."""
    words = rest.split(" ", 2)
    if len(words) == 3 and words[0] == str(declarer) and "." in words[1] and words[1][:2] in CARDS:
        return words[1], words[2]
    return None, rest


def _parse_shown(deal: bytes, declarer: int, text: str, *, is_skat_taken: bool) -> int:
    """The discard, from the cards written after a declaration; shown hands are checked."""
    cards = [_parse_card(word) for word in text.split(".")]
    dealt = own = set(deal[10 * declarer : 10 * declarer + 10])
    discard: list[int] = []
    if is_skat_taken:
        own = own | set(deal[30:])
        discard, cards = cards[:2], cards[2:]
        strange = [card for card in discard if card not in own]
        if strange:
            raise NotationError(
                f"seat {declarer} laid away {card_text(strange[0])!r}, which it did not hold"
            )
        if len(set(discard)) != 2:
            raise NotationError(f"{text!r}: two cards must be laid away")
        own = own - set(discard)
    # the client shows the ten cards it was dealt where the discard is a move of its own
    if cards and (len(cards) != 10 or set(cards) not in (own, dealt)):
        raise NotationError(
            f"the cards shown with the declaration are not those of seat {declarer}"
        )
    return mask_of(discard)


@dataclass(slots=True)
class _Play:
    """What stands in the moves after the declaration."""

    played: bytes = b""
    seats: bytes = b""
    end_reason: int | None = None  # a seat ran out of time or left
    end_seat: int = -1
    is_shown: bool = False  # the declarer showed his cards
    is_accepted: bool = False  # and both defenders gave up after it
    resigned: list[bool] = field(default_factory=lambda: [False, False, False])


def _parse_play(text: str, declarer: int) -> _Play:
    play = _Play()
    if not _take_cards(play, text):
        cards = _take_marks(play, text, declarer)
        if not _take_cards(play, cards):
            _take_words(play, cards.split())
    if len(play.played) > 30:
        raise NotationError(f"{len(play.played)} cards were played: there are 30")
    return play


def _take_cards(play: _Play, text: str) -> bool:
    """Take a text of nothing but known cards, each as seat, blank, card, blank."""
    if text and not (text[1::5].isspace() and text[4::5].isspace()):
        return False
    cards = _cards_of(text[2::5], text[3::5])
    seats = text[::5]
    if cards is None or 5 * len(cards) != len(text) or seats.strip("012"):
        return False
    play.played, play.seats = cards, seats.encode()
    return True


def _take_marks(play: _Play, text: str, declarer: int) -> str:
    """Take claims, resignations, timeouts and leavers; returns the text without them."""
    pieces = []
    start = 0
    for mark in _MARK.finditer(text):
        pieces.append(text[start : mark.start()])
        start = mark.end()
        actor, action = mark[0].split()
        if actor == "w":
            play.end_reason = END_TIMEOUT if action.startswith("TI") else END_LEFT
            play.end_seat = int(action[-1])
        else:
            _mark(play, int(actor), action, declarer)
        is_end = play.end_reason is not None or _is_given_up(play, declarer)
        if is_end and start < len(text):
            raise NotationError(f"{text[start:].split()[1]!r} stands after the end of the game")
    return "".join([*pieces, text[start:]])


def _take_words(play: _Play, words: Sequence[str]) -> None:
    """Take cards of which some may not be known; anything else is an error."""
    actors, actions = words[::2], words[1::2]
    cards = []
    for actor, action in zip(actors, actions, strict=False):
        if action not in CARDS and action != HIDDEN:
            raise NotationError(
                f"{action!r} is no move of {actor!r}: a card, SC, RE, or w TI.n, LE.n"
            )
        if actor not in ("0", "1", "2"):
            raise NotationError(f"{actor!r} is no seat that can play {action!r}: 0, 1 or 2")
        cards.append(CARDS.get(action, UNKNOWN_CARD))
    if len(actors) != len(actions):
        raise NotationError(f"the moves stop after the seat {actors[-1]!r}")
    play.played, play.seats = bytes(cards), "".join(actors).encode()


def _mark(play: _Play, seat: int, action: str, declarer: int) -> None:
    """A seat gives up, or the declarer shows his cards."""
    if action == "RE":
        play.resigned[seat] = True
    elif seat != declarer:
        raise NotationError(f"seat {seat} showed its cards, but is not the declarer")
    else:
        if not play.is_shown:
            play.is_accepted = not any(play.resigned)
        play.is_shown = True


def _is_given_up(play: _Play, declarer: int) -> bool:
    if declarer < 0:
        return False
    if play.resigned[declarer]:
        return True
    return all(play.resigned[seat] for seat in range(3) if seat != declarer)


def _end(
    auction: _Auction, contract: Contract | None, play: _Play, result: Result
) -> tuple[int, int, bool]:
    """How the game ended, what was awarded, and whether that is only inferred."""
    declarer = auction.declarer
    if auction.is_over and declarer < 0:
        if play.end_reason is not None:
            raise NotationError("a seat left after all had passed")
        return END_PASSED_IN, AWARD_NONE, False
    if contract is None:
        if play.end_reason is None:
            where = "before a game was declared" if auction.is_over else "in the auction"
            raise NotationError(f"the moves stop {where}")
        return play.end_reason, AWARD_NONE, False
    if len(play.played) == 30:
        return END_TEN_TRICKS, AWARD_NONE, False
    if play.end_reason is not None:
        award = AWARD_CONCEDED if play.end_seat == declarer else AWARD_DECLARER
        return play.end_reason, award, False
    if play.resigned[declarer]:
        return END_CONCEDED, AWARD_CONCEDED, False
    if _is_given_up(play, declarer):
        return END_RESIGNED, AWARD_DECLARER, False
    if result.kind == RESULT_STATED and result.outcome >= 0 and result.resigned != 0:
        if result.outcome == 1 and (play.is_shown or result.resigned == 1):
            return END_CLAIMED, AWARD_DECLARER, True
        if result.outcome == 0 and result.resigned == 1:
            return END_CONCEDED, AWARD_CONCEDED, True
    return END_DECIDED_EARLY, AWARD_NONE, False
