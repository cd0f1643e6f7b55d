"""Games as server lines.

A game that was imported is given back as it was read, while its columns still say the same;
any other is written in the server's own form.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from skatsim.auction import Auction
from skatsim.cards import cards_text, mask_cards, mask_text
from skatsim.contracts import Contract, iss_code
from skatsim.kernels.columns import (
    END_CLAIMED,
    END_CONCEDED,
    END_LEFT,
    END_PASSED_IN,
    END_POLICY_FAULT,
    END_RESIGNED,
    END_TIMEOUT,
    GAME,
)
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_DECLARER, AWARD_GRANTED
from skatsim.kernels.table import (
    IS_HAND,
    IS_OUVERT,
    IS_SCHNEIDER_ANNOUNCED,
    IS_SCHWARZ_ANNOUNCED,
    UNKNOWN_CARD,
    UNPLAYED,
)
from skatsim.records import from_table

__all__ = ["auction_text", "line", "lines", "moves", "result_text"]

PLACE: Final = "skatsim"
"""``PC`` of games that no server has recorded."""

_TEXTS: Final = ("server", "server_id", "series_id", "played_at", "recorded_score",
                 "recorded_card_points")  # fmt: skip
_PLAYERS: Final = ("forehand_player", "middlehand_player", "rearhand_player")


def lines(table: pa.Table) -> Iterator[str]:
    """The games of a table of `skatsim.records.SCHEMA` as server lines, without line ends."""
    rows, calls = from_table(table)
    wanted = ("hand_number", "source", "source_text", *_TEXTS, *_PLAYERS)
    entries = table.select(list(wanted)).to_pylist()
    agreeing = _agreeing(rows, calls, entries)
    start = 0
    for index, entry in enumerate(entries):
        end = int(rows["call_end"][index])
        if index in agreeing:
            yield entry["source_text"]
        else:
            yield line(rows[index], calls[start:end], entry)
        start = end


def _agreeing(
    rows: np.ndarray, calls: np.ndarray, entries: Sequence[Mapping[str, Any]]
) -> set[int]:
    """The games whose source text still says what their columns say."""
    from skatsim.formats import iss

    records = [
        (index, entry["source_text"])
        for index, entry in enumerate(entries)
        if entry["source_text"] is not None and entry["source"] == "iss"
    ]
    if not records:
        return set()
    block = iss.read_records(records)
    names = [name for name in GAME.names or () if name != "call_end"]
    agreeing = set()
    start = 0
    for place, index in enumerate(block.lines):
        end = int(block.rows["call_end"][place])
        first = int(rows["call_end"][index - 1]) if index else 0
        told = block.imported
        seen = {
            **{name: getattr(told, name)[place] for name in _TEXTS},
            **{name: told.players[seat][place] for seat, name in enumerate(_PLAYERS)},
        }
        seen["played_at"] = _moment(seen["played_at"])
        entry = {**entries[index], "played_at": _moment(entries[index]["played_at"])}
        is_same = (
            all(entry[name] == seen[name] for name in seen)
            and np.array_equal(block.calls[start:end], calls[first : rows["call_end"][index]])
            and all(np.array_equal(block.rows[name][place], rows[name][index]) for name in names)
        )
        if is_same:
            agreeing.add(index)
        start = end
    return agreeing


def _moment(value: Any) -> int | None:
    """Whole seconds since 1970 of a time given as microseconds or as a date."""
    if value is None:
        return None
    return int(value.timestamp()) if isinstance(value, datetime) else int(value) // 1_000_000


def line(row: Any, calls: np.ndarray, told: Mapping[str, Any] | None = None) -> str:
    """One game as a server line.

    Parameters
    ----------
    row : a record of dtype `GAME`, whole.
    calls : its calls.
    told : what is known beside, by column name: players, server, ids, time.
    """
    told = told or {}
    played_at = told.get("played_at")
    date = played_at.strftime("%Y-%m-%d/%H:%M:%S/UTC") if isinstance(played_at, datetime) else ""
    number = told.get("server_id") or told.get("hand_number")
    names = [told.get(name) or "" for name in _PLAYERS]
    values = {
        "GM": "Skat",
        "PC": told.get("server") or PLACE,
        "CO": "",
        "SE": told.get("series_id") or "",
        "ID": "" if number is None else str(number),
        "DT": date,
        **{f"P{seat}": name for seat, name in enumerate(names)},
        **{f"R{seat}": "" for seat in range(3)},
        "MV": moves(row, calls) + " ",
        "R": result_text(row, calls),
    }
    return "(;" + "".join(f"{key}[{value}]" for key, value in values.items()) + " ;)"


@lru_cache(maxsize=1 << 16)
def _auction(codes: tuple[int, ...]) -> tuple[str, int]:
    """The calls in the server's words, and the seat to call next, -1 for none."""
    auction = Auction.from_codes(codes, is_any_value_allowed=True)
    return str(auction), -1 if auction.seat is None else auction.seat


def auction_text(calls: np.ndarray) -> str:
    """Calls in the server's words: ``1 18 0 y 1 p 2 p``."""
    return _auction(tuple(int(call) for call in calls))[0]


def _calls(row: Any, calls: np.ndarray) -> tuple[int, ...]:
    """The calls; where they are not known, the shortest that lead to the declarer."""
    codes = tuple(int(call) for call in calls)
    if codes:
        return codes
    bid = int(row["bid_value"])
    if row["declarer_seat"] >= 0:
        return ((bid, 1, 0, 0), (bid, 0, 0), (0, bid, 0))[int(row["declarer_seat"])]
    return (0, 0, 0) if row["end_reason"] == END_PASSED_IN else ()


def moves(row: Any, calls: np.ndarray) -> str:
    """The text of ``MV``, without the blank at its end."""
    auction_text, to_call = _auction(_calls(row, calls))
    skat = mask_text(int(row["skat_mask"]), separator=".")
    deal = [
        mask_text(int(row[name]), separator=".")
        for name in ("forehand_mask", "middlehand_mask", "rearhand_mask")
    ]
    words = ["w " + ".".join([*deal, skat])]
    if auction_text:
        words.append(auction_text)
    declarer = int(row["declarer_seat"])
    if declarer >= 0 and row["contract"] >= 0:
        if row["is_skat_taken"]:
            words.append(f"{declarer} s w {skat}")
        words.append(f"{declarer} {_declaration(row)}")
        words.extend(_cards(row))
    words.extend(_ending(row, to_call if to_call >= 0 else declarer))
    return " ".join(words)


def _contract(row: Any) -> Contract:
    announcements = (
        IS_HAND * int(row["is_hand"])
        | IS_SCHNEIDER_ANNOUNCED * int(row["is_schneider_announced"])
        | IS_SCHWARZ_ANNOUNCED * int(row["is_schwarz_announced"])
        | IS_OUVERT * int(row["is_ouvert"])
    )
    return Contract.from_number(int(row["contract"]), announcements)


def _declaration(row: Any) -> str:
    discard = cards_text(mask_cards(int(row["discard_mask"])), separator=".")
    code = iss_code(_contract(row))
    return f"{code}.{discard}" if discard else code


def _cards(row: Any) -> Iterator[str]:
    """The cards played with the seats that played them."""
    winners = int(row["trick_winners"])
    leader = 0
    for place, card in enumerate(row["played"]):
        if card == UNPLAYED:
            return
        if place % 3 == 0 and place:
            leader = (winners >> (2 * (place // 3 - 1))) & 3
        name = "??" if card == UNKNOWN_CARD else cards_text([int(card)])
        yield f"{(leader + place) % 3} {name}"


def _ending(row: Any, to_act: int) -> Iterator[str]:
    """The moves that cut the game short."""
    reason, award, declarer = int(row["end_reason"]), int(row["award"]), int(row["declarer_seat"])
    defenders = [seat for seat in range(3) if seat != declarer]
    if reason in (END_TIMEOUT, END_LEFT, END_POLICY_FAULT):
        seat = to_act
        if row["contract"] >= 0:
            seat = defenders[0] if award == AWARD_DECLARER else declarer
        yield f"w {'TI' if reason == END_TIMEOUT else 'LE'}.{seat}"
    elif award == AWARD_GRANTED:
        yield f"{defenders[0]} RE {defenders[1]} RE"
    elif reason == END_CONCEDED or award == AWARD_CONCEDED:
        yield f"{declarer} RE"
    elif reason == END_CLAIMED:
        yield f"{declarer} SC {defenders[0]} RE"
    elif reason == END_RESIGNED:
        yield f"{defenders[0]} RE {defenders[1]} RE"


def result_text(row: Any, calls: np.ndarray) -> str:
    """The text of ``R``."""
    reason = int(row["end_reason"])
    if reason == END_PASSED_IN:
        return "passed"
    declarer = int(row["declarer_seat"])
    is_declared = row["contract"] >= 0
    ending = next(_ending(row, max(_auction(_calls(row, calls))[1], declarer)), "")
    gone = int(ending[-1]) if ending.startswith("w ") else -1
    is_announced = bool(row["is_schneider_announced"] or (row["is_ouvert"] and row["multiplier"]))
    # the declarer's own schneider is left out of lost announced games and of concessions
    is_own = (is_announced and not row["is_won"]) or row["award"] == AWARD_CONCEDED
    flags = {"s": bool(row["is_schneider"]), "z": bool(row["is_schwarz"])}
    if is_own:
        flags["s"] = flags["s"] and row["declarer_card_points"] >= 90
        flags["z"] = flags["z"] and row["declarer_trick_count"] == 10
    outcome = ("win" if row["is_won"] else "loss") if is_declared else "penalty"
    fields = [
        f"d:{declarer} {outcome} v:{int(row['score'])} m:{int(row['matadors'])}",
        "overbid" if row["is_overbid"] else "bidok",
        f"p:{int(row['declarer_card_points'])} t:{int(row['declarer_trick_count'])}",
        " ".join(f"{name}:{int(value)}" for name, value in flags.items()),
        " ".join(f"p{seat}:{int(not is_declared and seat == gone)}" for seat in range(3)),
        f"l:{-1 if reason == END_TIMEOUT else gone} to:{gone if reason == END_TIMEOUT else -1}",
        f"r:{int(reason in (END_RESIGNED, END_CLAIMED, END_CONCEDED))}",
    ]
    return " ".join(fields)
