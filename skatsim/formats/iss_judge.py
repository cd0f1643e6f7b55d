"""What the referee says of recorded games: faults in words, and how far a record is trusted.

The moves of a block are replayed by one call of the kernel. Then the seats that played are
compared with those whose turn it was, ends without a word in the record are checked, and the
server's result is compared with ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from skatsim.cards import card_text, mask_points, mask_text
from skatsim.formats.iss_grammar import RESULT_MISSING, RESULT_PASSED, RESULT_STATED, Draft, Result
from skatsim.kernels.cards import CLASS, FOLLOW_MASK, GRAND, NULL, POINTS
from skatsim.kernels.columns import (
    END_DECIDED_EARLY,
    END_LEFT,
    END_PASSED_IN,
    END_RESIGNED,
    END_TEN_TRICKS,
    END_TIMEOUT,
    GAME,
)
from skatsim.kernels.replay import FAULT_AFTER_END, POSITION
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_DECLARER, AWARD_GRANTED, BID_INDEX
from skatsim.kernels.table import FAULT_CARD, UNKNOWN_CARD, UNPLAYED
from skatsim.replaying import replay_rows
from skatsim.ruleset import ISKO
from skatsim.wording import count_text

__all__ = ["Judged", "draft_rows", "judge"]

OLD_SERVER: Final = "Internet Skat Server"
"""Exports of 2007 and 2008 under this name may give matadors without a sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A block after the referee.

    Attributes
    ----------
    rows : shape (n,), dtype `GAME`, whole where `reasons` has None.
    calls : uint16, the calls of all rows.
    status : one of `skatsim.records.STATUSES` or ``result_mismatch:<class>`` a row.
    reasons : why a row was not taken; None where it was.
    """

    rows: np.ndarray
    calls: np.ndarray
    status: list[str]
    reasons: list[str | None]


def draft_rows(drafts: Sequence[Draft]) -> tuple[np.ndarray, np.ndarray]:
    """Drafts as rows with their primary fields set, and their calls."""
    count = len(drafts)
    rows = np.zeros(count, dtype=GAME)
    columns = list(zip(*drafts, strict=True)) if count else [()] * len(Draft._fields)
    fields = dict(zip(Draft._fields, columns, strict=True))
    cards = np.frombuffer(b"".join(fields["deal"]), dtype=np.uint8).reshape(count, 32)
    bits = np.left_shift(np.uint32(1), cards.astype(np.uint32))
    for name, part in (
        ("forehand_mask", slice(0, 10)),
        ("middlehand_mask", slice(10, 20)),
        ("rearhand_mask", slice(20, 30)),
        ("skat_mask", slice(30, 32)),
    ):
        rows[name] = np.bitwise_or.reduce(bits[:, part], axis=1)
    rows["played"] = np.frombuffer(b"".join(fields["played"]), dtype=np.uint8).reshape(count, 30)
    for name in (
        "bid_value",
        "contract",
        "is_hand",
        "is_schneider_announced",
        "is_schwarz_announced",
        "is_ouvert",
        "is_skat_taken",
        "discard_mask",
        "end_reason",
        "award",
    ):
        rows[name] = fields[name]
    rows["declarer_seat"] = fields["declarer"]
    rows["call_end"] = np.cumsum([len(calls) for calls in fields["calls"]])
    calls = np.fromiter(chain.from_iterable(fields["calls"]), np.uint16)
    return rows, calls


def judge(
    drafts: Sequence[Draft], results: Sequence[Result], servers: Sequence[str | None]
) -> Judged:
    """Replay a block and compare what it says with what the server said."""
    rows, calls = draft_rows(drafts)
    reasons: list[str | None] = [None] * len(drafts)
    status: list[str] = ["verified"] * len(drafts)
    if not drafts:
        return Judged(rows=rows, calls=calls, status=status, reasons=reasons)
    replayed, faults = replay_rows(rows, calls)
    for index in np.flatnonzero(faults):
        reasons[index] = _fault_text(drafts, rows, calls, int(index), int(faults[index]))
    _check_turns(drafts, replayed, faults, reasons)
    _check_unknown(replayed, faults, reasons)
    _check_ends(replayed, faults, reasons)
    settled = _with_simple_wins(drafts, results, replayed, calls, faults)
    _compare(drafts, results, servers, settled, replayed, status, reasons)
    return Judged(rows=settled, calls=calls, status=status, reasons=reasons)


def _with_simple_wins(
    drafts: Sequence[Draft],
    results: Sequence[Result],
    rows: np.ndarray,
    calls: np.ndarray,
    faults: np.ndarray,
) -> np.ndarray:
    """The rows, settled as simple wins where defenders gave up and the result says so (RULES 9.2).

    The server's credit of all that was not played may make levels that the rules do not grant;
    which of the two was entered only the stated value tells.
    """
    settled = rows
    for index in np.flatnonzero((rows["award"] == AWARD_DECLARER) & (faults == 0)).tolist():
        draft, result, row = drafts[index], results[index], rows[index]
        if draft.end_reason != END_RESIGNED or draft.is_shown or result.kind != RESULT_STATED:
            continue
        if result.value == row["score"]:
            continue
        granted = rows[index : index + 1].copy()
        granted["award"] = AWARD_GRANTED
        start = int(rows["call_end"][index - 1]) if index else 0
        own_calls = calls[start : int(row["call_end"])]
        granted["call_end"] = len(own_calls)
        simple, _ = replay_rows(granted, own_calls)
        if simple["score"][0] == result.value:
            settled = settled.copy() if settled is rows else settled
            simple["call_end"] = row["call_end"]
            settled[index] = simple[0]
    return settled


# Faults -----------------------------------------------------------------------------------


def _winners(rows: np.ndarray) -> np.ndarray:
    """Winners of the ten tricks, shape (n, 10); 3 for tricks not completed."""
    return (rows["trick_winners"][:, None] >> (2 * np.arange(10, dtype=np.uint32))) & 3


def _turns(rows: np.ndarray) -> np.ndarray:
    """The seat whose turn it was at each card, shape (n, 30)."""
    leaders = np.zeros((len(rows), 10), dtype=np.int64)
    leaders[:, 1:] = _winners(rows)[:, :9]
    return (np.repeat(leaders, 3, axis=1) + np.tile(np.arange(3), 10)) % 3


def _fault_text(
    drafts: Sequence[Draft], rows: np.ndarray, calls: np.ndarray, index: int, fault: int
) -> str:
    """What is wrong with one game, in words."""
    number, position = fault % POSITION, fault // POSITION
    row = rows[index : index + 1].copy()
    if number == FAULT_AFTER_END:
        name = card_text(int(row["played"][0, position]))
        if (row["played"][0, :position] == UNKNOWN_CARD).any():
            return f"card {position + 1}: {name!r} was played after a card that is not known"
        return f"card {position + 1}: {name!r} was played after the end of the game"
    if number != FAULT_CARD:
        return f"the game does not replay: fault {number} at {position}"
    card = int(row["played"][0, position])
    row["played"][0, position:] = UNPLAYED
    row["end_reason"] = END_RESIGNED
    start = int(rows["call_end"][index - 1]) if index else 0
    own_calls = calls[start : int(rows["call_end"][index])]
    row["call_end"] = len(own_calls)
    before, _ = replay_rows(row, own_calls)
    seat = int(_turns(before)[0, position])
    told = drafts[index].seats[position] - ord("0")
    if told != seat:
        name = card_text(card)
        return f"card {position + 1}: {_turn_text(told, name, seat)}"
    return f"card {position + 1}: {_card_fault_text(before[0], seat, card, position)}"


def _card_fault_text(row: np.void, seat: int, card: int, position: int) -> str:
    """Why a seat could not play a card after the first `position` cards of a game."""
    name = card_text(card)
    played = [int(other) for other in row["played"][:position]]
    if card in played:
        return f"seat {seat} played {name!r}, which had been played"
    hand = int(row[("forehand_mask", "middlehand_mask", "rearhand_mask")[seat]])
    if seat == row["declarer_seat"] and row["is_skat_taken"]:
        hand = (hand | int(row["skat_mask"])) & ~int(row["discard_mask"])
    for other in played:
        hand &= ~(1 << other)
    if not (hand >> card) & 1:
        return f"seat {seat} played {name!r}, which it did not hold"
    contract = int(row["contract"])
    led = played[3 * (position // 3)]
    kept = mask_text(hand & int(FOLLOW_MASK[contract, led]), contract=contract)
    suit = ("diamonds", "hearts", "spades", "clubs", "trump")[int(CLASS[contract, led])]
    return f"seat {seat} played {name} but held {suit}: {kept}"


def _check_turns(
    drafts: Sequence[Draft], rows: np.ndarray, faults: np.ndarray, reasons: list[str | None]
) -> None:
    told = np.frombuffer(b"".join(draft.seats for draft in drafts), dtype=np.uint8)
    told = told.reshape(len(drafts), 30) - ord("0")
    turns = _turns(rows)
    is_wrong = (rows["played"] != UNPLAYED) & (told != turns) & (faults == 0)[:, None]
    for index in np.flatnonzero(is_wrong.any(axis=1)):
        at = int(np.argmax(is_wrong[index]))
        card = int(rows["played"][index, at])
        name = card_text(card) if card < 32 else "??"
        text = _turn_text(int(told[index, at]), name, int(turns[index, at]))
        reasons[index] = f"card {at + 1}: {text}"


def _turn_text(told: int, name: str, seat: int) -> str:
    return f"seat {told} played {name!r}, but it was the turn of seat {seat}"


def _check_unknown(rows: np.ndarray, faults: np.ndarray, reasons: list[str | None]) -> None:
    """Refuse unknown cards, but in a last trick after which the rest was awarded."""
    is_unknown = rows["played"] == UNKNOWN_CARD
    for index in np.flatnonzero(is_unknown.any(axis=1) & (faults == 0)):
        first = int(np.argmax(is_unknown[index]))
        count = int(rows["play_count"][index])
        if count - 3 * (first // 3) >= 3 or not rows["award"][index]:
            reasons[index] = f"card {first + 1} is not known, and the end does not tell the result"


def _check_ends(rows: np.ndarray, faults: np.ndarray, reasons: list[str | None]) -> None:
    """Refuse games that stop without a word and were not decided."""
    is_open = (rows["end_reason"] == END_DECIDED_EARLY) & (faults == 0)
    if not is_open.any():
        return
    for index in np.flatnonzero(is_open & ~_are_decided(rows)):
        if reasons[index] is None:
            count = int(rows["play_count"][index])
            reasons[index] = (
                f"the moves stop after {count_text(count, 'card')}; the game was not decided and "
                "nobody gave up"
            )


def _trick_points(rows: np.ndarray, winners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Card points in the tricks that declarer and defenders have won, each of shape (n,)."""
    points = np.zeros(256, dtype=np.int64)
    points[:32] = POINTS
    tricks = points[rows["played"]].reshape(len(rows), 10, 3).sum(axis=2)
    is_own = winners == rows["declarer_seat"][:, None]
    own = (tricks * is_own).sum(axis=1)
    others = (tricks * (~is_own & (winners < 3))).sum(axis=1)
    return own, others


def _are_decided(rows: np.ndarray) -> np.ndarray:
    """Where nothing in the play to come can change who wins (RULES 5.5)."""
    winners = _winners(rows)
    own = (winners == rows["declarer_seat"][:, None]).sum(axis=1)
    _, defender_points = _trick_points(rows, winners)
    is_null_lost = (rows["contract"] == NULL) & (own > 0)
    is_schwarz_missed = (rows["is_schwarz_announced"] != 0) & (own < rows["play_count"] // 3)
    is_schneider_missed = (rows["is_schneider_announced"] != 0) & (defender_points > 30)
    return np.asarray(
        (rows["play_count"] % 3 == 0) & (is_null_lost | is_schwarz_missed | is_schneider_missed)
    )


def _made_points(row: np.void) -> int:
    """The declarer's card points in tricks completed, with the skat or what he laid away."""
    rows = np.array([row])
    own, _ = _trick_points(rows, _winners(rows))
    buried = row["discard_mask"] if row["is_skat_taken"] else row["skat_mask"]
    return int(own[0]) + mask_points(int(buried))


# Status -----------------------------------------------------------------------------------


def _compare(
    drafts: Sequence[Draft],
    results: Sequence[Result],
    servers: Sequence[str | None],
    rows: np.ndarray,
    credited: np.ndarray,
    status: list[str],
    reasons: list[str | None],
) -> None:
    """Set the status of each row; refuse inferred ends that do not fit the result.

    `credited` are the rows with all that was not played, which the server states for simple wins
    too.
    """
    width = len(Result._fields)
    stated = np.fromiter(chain.from_iterable(results), np.int64, width * len(results))
    stated = stated.reshape(-1, width)
    told = {name: stated[:, number] for number, name in enumerate(Result._fields)}
    is_old = np.array([server == OLD_SERVER for server in servers], dtype=bool)
    matadors = rows["matadors"].astype(np.int64)
    differs = {
        "declarer": told["declarer"] != rows["declarer_seat"],
        "matadors": (told["matadors"] != matadors)
        & ~(is_old & (np.abs(told["matadors"]) == np.abs(matadors))),
        "card_points": (told["card_points"] != rows["declarer_card_points"])
        & (told["card_points"] != credited["declarer_card_points"]),
        "tricks": (told["trick_count"] != rows["declarer_trick_count"])
        & (told["trick_count"] != credited["declarer_trick_count"]),
        "overbid": told["overbid"] != rows["is_overbid"],
        "outcome": told["outcome"] != rows["is_won"],
        "value": told["value"] != rows["score"],
        "schneider": _levels_differ(told, rows),
    }
    is_declared = rows["contract"] >= 0
    is_equal = ~np.logical_or.reduce(list(differs.values()))
    is_plain = (
        is_equal
        & is_declared
        & (told["kind"] == RESULT_STATED)
        & ((rows["end_reason"] == END_TEN_TRICKS) | (rows["end_reason"] == END_DECIDED_EARLY))
        & (BID_INDEX[np.clip(rows["bid_value"], 0, 511)] >= 0)
    )
    for index in np.flatnonzero(~is_plain).tolist():
        if reasons[index] is not None:
            continue
        row, draft, result = rows[index], drafts[index], results[index]
        if not is_declared[index]:
            status[index] = _undeclared_status(row, result)
        elif result.kind == RESULT_MISSING:
            status[index] = "inferred_end"
        elif result.kind == RESULT_PASSED:
            status[index] = "result_mismatch:outcome"
        elif is_equal[index]:
            status[index] = _equal_status(row, draft)
        elif draft.is_inferred:
            reasons[index] = (
                f"the moves stop after {count_text(int(row['play_count']), 'card')}, and the "
                "result fits neither a claim nor a resignation"
            )
        else:
            names = [name for name, flags in differs.items() if flags[index]]
            status[index] = f"result_mismatch:{_mismatch_class(row, result, names)}"


def _levels_differ(told: dict[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Whether s: or z: differ where they can be compared: suit games and grands played out.

    The server leaves them out for the declarer's own schneider in lost announced games.
    """
    is_lost_announced = (rows["is_won"] == 0) & (
        (rows["is_schneider_announced"] != 0) | (rows["is_ouvert"] != 0)
    )
    is_compared = (
        (rows["contract"] >= 0)
        & (rows["contract"] <= GRAND)
        & (rows["end_reason"] == END_TEN_TRICKS)
        & ~is_lost_announced
    )
    is_different = (told["schneider"] != rows["is_schneider"]) | (
        told["schwarz"] != rows["is_schwarz"]
    )
    return np.asarray(is_compared & is_different)


def _undeclared_status(row: np.void, result: Result) -> str:
    if row["end_reason"] == END_PASSED_IN:
        is_fitting = result.kind != RESULT_STATED
        return "passed" if is_fitting else "result_mismatch:outcome"
    is_fitting = result.kind == RESULT_MISSING or result.outcome == -1
    return "aborted" if is_fitting else "result_mismatch:outcome"


def _equal_status(row: np.void, draft: Draft) -> str:
    """The status of a game whose result agrees with ours."""
    if draft.is_inferred:
        return "inferred_end"
    if UNKNOWN_CARD in draft.played:
        return "partial_view"
    bid = int(row["bid_value"])
    if BID_INDEX[bid] < 0:
        return "verified_with_policy"
    if row["award"] == AWARD_DECLARER and (
        row["end_reason"] in (END_TIMEOUT, END_LEFT)
        or (not draft.is_shown and not _is_simple_win(row))
    ):
        return "verified_with_policy"
    return "verified"


def _is_simple_win(row: np.void) -> bool:
    """Whether defenders who gave up lost no more than the rules take (RULES 9.2).

    Levels that the declarer neither announced nor made count only where the bid needs them.
    """
    contract = int(row["contract"])
    if contract == NULL:
        return True
    gifts = 0
    if row["is_schneider"] and not row["is_schneider_announced"] and _made_points(row) < 90:
        gifts += 1
    if row["is_schwarz"] and not row["is_schwarz_announced"]:
        gifts += 1
    base = ISKO.base_values[contract]
    return gifts == 0 or base * (int(row["multiplier"]) - 1) < row["bid_value"]


def _mismatch_class(row: np.void, result: Result, differing: Sequence[str]) -> str:
    """One word for the way in which a stated result differs from ours."""
    for name in ("declarer", "matadors"):
        if name in differing:
            return name
    if row["award"] == AWARD_CONCEDED:
        return "policy"
    for name in ("card_points", "tricks"):
        if name in differing:
            return name
    if row["contract"] == NULL and row["is_overbid"]:
        return "null_below_bid"
    if "overbid" in differing or "outcome" in differing:
        return "overbid" if "overbid" in differing else "outcome"
    if "value" in differing:
        is_announced = row["is_schneider_announced"] or (
            row["is_ouvert"] and row["contract"] != NULL
        )
        is_less = abs(result.value) < abs(int(row["score"]))
        return "announced_level" if is_announced and not row["is_won"] and is_less else "value"
    return differing[0]
