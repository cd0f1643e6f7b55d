"""A game as a person reads it: deal, auction, contract, trick by trick, result.

Every line fits in 80 columns.
"""

import dataclasses
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from skatsim.auction import Auction, Call
from skatsim.cards import SEATS, CardStyle, card_text, mask_points, mask_text
from skatsim.contracts import Contract
from skatsim.explanation import Language, explain
from skatsim.game import Game
from skatsim.kernels.rules import HOUSE_REVOLUTION, HOUSE_SCHENKEN_REFUSED, HOUSE_SPITZE
from skatsim.kernels.table import (
    HOUSE_RAMSCH_ROUND,
    HOUSE_SCHENKEN_ACCEPTED,
    UNKNOWN_CARD,
    UNPLAYED,
)
from skatsim.records import AWARDS, END_REASONS
from skatsim.ruleset import ISKO, Ruleset
from skatsim.scoring import Score, score_from_record
from skatsim.wording import count_text

__all__ = ["game_transcript", "transcript"]

WIDTH: Final = 80
LABEL_WIDTH: Final = 12

_PLAYERS: Final = ("forehand_player", "middlehand_player", "rearhand_player")
_HANDS: Final = ("forehand_mask", "middlehand_mask", "rearhand_mask")
_CALLS: Final = {"pass": "pass", "hold": "yes", "play": "18"}

_ENDS: Final = {
    "decided_early": "The game was decided.",
    "resigned": "The defenders gave up.",
    "claimed": "The rest was claimed.",
    "conceded": "The declarer gave up.",
    "timeout": "A player ran out of time.",
    "left": "A player left the table.",
    "policy_fault": "A policy broke the rules; the game does not count.",
}
_AWARDS: Final = {
    "none": "",
    "declarer": " What was not played counts for the declarer.",
    "conceded": " Nothing more is counted against him.",
    "granted": " The declarer wins the simple game.",
    "defenders": " What was not played counts for the defenders.",
}
_DOUBLINGS: Final = ("Kontra", "Re", "Supra", "Hirsch")
_PUSHES: Final = ("forehand_push_mask", "middlehand_push_mask", "rearhand_push_mask")
_ENTRIES: Final = ("forehand_entry", "middlehand_entry", "rearhand_entry")

_VALUES_NOTE: Final = (
    "for the declarer before the first card, and beside each card after it, with best play of"
    " both sides when all cards lie open. The players did not see them."
)

_TIE: Final = "\x1f"
"""A blank at which no line is broken."""

_RED, _BOLD, _DIM, _RESET = "\033[31m", "\033[1m", "\033[2m", "\033[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How cards and headings are shown."""

    style: CardStyle
    has_symbols: bool
    is_colored: bool

    def paint(self, text: str, *codes: str) -> str:
        return "".join(codes) + text + _RESET if self.is_colored and codes else text

    def card(self, card: int) -> str:
        if card == UNKNOWN_CARD:
            return "??"
        return card_text(card, self.style, has_symbols=self.has_symbols)

    def painted_card(self, card: int, *codes: str) -> str:
        is_red = card < 16 and self.style != "german-suited"
        return self.paint(self.card(card), *codes, *((_RED,) if is_red else ()))

    def cards(self, mask: int, contract: int | None) -> str:
        words = mask_text(mask, self.style, contract=contract, has_symbols=self.has_symbols).split()
        names = {self.card(card): card for card in range(32)}
        return " ".join(self.painted_card(names[word]) for word in words)

    def heading(self, text: str) -> str:
        return self.paint(text.ljust(LABEL_WIDTH), _BOLD)


def game_transcript(
    game: Game,
    *,
    language: Language = "en",
    style: CardStyle = "english",
    has_symbols: bool = False,
    is_colored: bool = False,
) -> str:
    """A finished game as text; parameters are those of `transcript`."""
    row, calls = game.to_record()
    return transcript(
        row,
        calls,
        language=language,
        style=style,
        has_symbols=has_symbols,
        is_colored=is_colored,
        ruleset=game.ruleset,
    )


def transcript(
    row: Any,
    calls: Sequence[int] | np.ndarray,
    told: Mapping[str, Any] | None = None,
    *,
    language: Language = "en",
    style: CardStyle = "english",
    has_symbols: bool = False,
    is_colored: bool = False,
    ruleset: Ruleset = ISKO,
    values: Sequence[str] = (),
) -> str:
    """One game as text.

    Parameters
    ----------
    row : a record of dtype `skatsim.kernels.columns.GAME`, whole.
    calls : its calls.
    told : what is known beside, by column name: run, players, server, ids, time, status.
    language : of the sentence that explains the value.
    style, has_symbols : how cards are shown.
    is_colored : with colours and bold type, as ANSI codes.
    ruleset : by which the game was scored.
    values : what the game is worth on open cards before the first card and after each card
        played, to stand beside it; at most five letters each.
    """
    told = told or {}
    look = _Look(style=style, has_symbols=has_symbols, is_colored=is_colored)
    blocks = [
        _title(told, look),
        _deal(row, told, look),
        _auction(row, calls, look),
        _house(row, look),
        _tricks(row, look, values, ruleset),
        _result(row, told, look, language, ruleset),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _title(told: Mapping[str, Any], look: _Look) -> str:
    words = []
    if told.get("run") is not None:
        words.append(f"{told['run']}:{told['hand_number']}")
    if told.get("server"):
        words.append(" ".join(str(told[key]) for key in ("server", "server_id") if told.get(key)))
    elif told.get("server_id"):
        words.append(str(told["server_id"]))
    if isinstance(told.get("played_at"), datetime):
        words.append(told["played_at"].strftime("%Y-%m-%d %H:%M UTC"))
    if told.get("status"):
        words.append(str(told["status"]))
    lines = [""]
    for word in words:
        longer = f"{lines[-1]}  {word}" if lines[-1] else word
        if len(longer) > WIDTH and lines[-1]:
            lines.append(_fit(word, WIDTH))
        else:
            lines[-1] = _fit(longer, WIDTH)
    return look.paint("\n".join(lines), _BOLD)


def _fit(text: str, width: int) -> str:
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= width else text[: width - 1] + "~"


def _name(told: Mapping[str, Any], seat: int, width: int) -> str:
    return _fit(str(told.get(_PLAYERS[seat]) or ""), width)


def _deal(row: Any, told: Mapping[str, Any], look: _Look) -> str:
    contract = int(row["contract"]) if row["contract"] >= 0 else None
    names = [_name(told, seat, 14) for seat in range(3)]
    width = max(len(name) for name in names)
    lines = []
    for seat in range(3):
        label = f"{SEATS[seat]:<{LABEL_WIDTH}}"
        if seat == row["declarer_seat"]:
            label = look.paint(label, _BOLD)
        space = f"{names[seat]:<{width}}  " if width else ""
        lines.append(f"{label}{space}{look.cards(int(row[_HANDS[seat]]), contract)}")
    space = " " * (width + 2) if width else ""
    label = f"{'skat':<{LABEL_WIDTH}}"
    lines.append(f"{label}{space}{look.cards(int(row['skat_mask']), contract)}")
    return "\n".join(lines)


def _wrapped(label: str, text: str, look: _Look) -> str:
    """A text after a label, on as many lines as it needs."""
    lines = textwrap.wrap(text, WIDTH - LABEL_WIDTH, break_on_hyphens=False)
    lines = [line.replace(_TIE, " ") for line in lines]
    return ("\n" + " " * LABEL_WIDTH).join([look.heading(label) + lines[0], *lines[1:]])


def _auction(row: Any, calls: Sequence[int] | np.ndarray, look: _Look) -> str:
    lines = [_wrapped(label, text, look) for label, text in _duels(row, calls)]
    if row["contract"] >= 0:
        lines.append(look.heading("contract") + str(_contract(row)))
        if row["is_skat_taken"]:
            contract = int(row["contract"])
            cards = look.cards(int(row["discard_mask"]), contract) or "nothing yet"
            lines.append(f"{look.heading('laid away')}{cards}")
        elif not row["is_hand"] and row["declarer_seat"] >= 0:
            lines.append(f"{look.heading('skat')}not looked at; hand was not announced")
    return "\n".join(lines)


def _duels(row: Any, calls: Sequence[int] | np.ndarray) -> Iterator[tuple[str, str]]:
    """The auction duel by duel: who asks whom, and what they said."""
    auction = Auction(is_any_value_allowed=True)
    duels: dict[str, list[str]] = {}
    for code in calls:
        state = auction.state
        if state == "alone":
            title = "forehand alone"
        else:
            first = "middlehand to forehand"
            survivor = SEATS[1 if duels.get(first, [""])[-1].endswith(f"{_TIE}pass") else 0]
            title = first if state.endswith("_1") else f"rearhand to {survivor}"
        auction = auction.with_call(
            Call.from_code(0 if auction.seat is None else auction.seat, int(code))
        )
        call = auction.calls[-1]
        said = duels.setdefault(title, [])
        word = str(call.value) if call.kind == "bid" else _CALLS[call.kind]
        if state.startswith("answer"):
            said[-1] += f"{_TIE}{word}"
        else:
            said.append(word)
    texts = [f"{title}: {', '.join(said)}" for title, said in duels.items()]
    if row["declarer_seat"] >= 0:
        declarer = SEATS[int(row["declarer_seat"])]
        has_bid = int(row["bid_value"]) > 0
        texts.append(
            f"{declarer} plays at {int(row['bid_value'])}" if has_bid else f"{declarer} plays"
        )
    for number, text in enumerate(texts):
        yield ("auction" if number == 0 else "", text)


def _contract(row: Any) -> Contract:
    flags = ("is_hand", "is_schneider_announced", "is_schwarz_announced", "is_ouvert")
    bits = sum(int(row[name]) << place for place, name in enumerate(flags))
    return dataclasses.replace(
        Contract.from_number(int(row["contract"]), bits),
        is_spitze=bool(row["house_flags"] & HOUSE_SPITZE),
        is_revolution=bool(row["house_flags"] & HOUSE_REVOLUTION),
    )


def _house(row: Any, look: _Look) -> str:
    """What house rules asked and what was answered; empty without."""
    return "\n".join(
        f"{look.heading('' if number else 'house')}{text}"
        for number, text in enumerate(_house_calls(row, look))
    )


def _house_calls(row: Any, look: _Look) -> Iterator[str]:
    house, contract = int(row["house_flags"]), max(int(row["contract"]), 0)
    if row["bock_factor"] > 1:
        yield f"Bock: every entry times {int(row['bock_factor'])}"
    if house & HOUSE_RAMSCH_ROUND:
        yield "a compulsory round of Ramsch: no auction"
    for seat, name in enumerate(_PUSHES):
        if row[name]:
            cards = look.cards(int(row[name]), contract)
            yield f"{SEATS[seat]} took the skat and pushed on {cards}"
    if row["unseen_pushes"]:
        yield f"the skat was pushed on unseen {_times(int(row['unseen_pushes']))}"
    for seat in range(3):
        if int(row["knocks"]) >> seat & 1:
            yield f"{SEATS[seat]} knocked"
    if house & HOUSE_SCHENKEN_REFUSED:
        yield "the defenders gave up; the declarer plays on for schneider"
    if house & HOUSE_SCHENKEN_ACCEPTED:
        yield "the defenders gave up; the declarer accepted"
    if row["resort_mask"]:
        first = (int(row["declarer_seat"]) + 1) % 3
        cards = look.cards(int(row["resort_mask"]), contract)
        yield "the defenders shared out their cards anew; after that held"
        yield f"{SEATS[first]} {cards}"
    if row["kontra_count"]:
        said = ", ".join(_DOUBLINGS[: int(row["kontra_count"])])
        yield f"{said}; Kontra by {SEATS[int(row['kontra_seat'])]}"


def _times(count: int) -> str:
    return ("once", "twice", "three times")[count - 1] if count <= 3 else f"{count} times"


@dataclass(slots=True)
class _Sides:
    """Running card points of those who play for themselves, as the last columns of the tricks."""

    declarer: int
    points: list[int]

    @classmethod
    def of(cls, declarer: int) -> "_Sides":
        """The declarer and the defenders; without a declarer each seat."""
        return cls(declarer, [0, 0] if declarer >= 0 else [0, 0, 0])

    @property
    def heading(self) -> str:
        if self.declarer >= 0:
            return f"  {'declarer':>8} {'defenders':>9}"
        return "  " + "".join(f"{name[0].upper():>6}" for name in SEATS)

    def add(self, seat: int, points: int) -> None:
        side = seat if self.declarer < 0 else int(seat != self.declarer)
        self.points[side] += points

    def __str__(self) -> str:
        if self.declarer >= 0:
            return f"  {self.points[0]:>8} {self.points[1]:>9}"
        return "  " + "".join(f"{points:>6}" for points in self.points)


def _tricks(row: Any, look: _Look, values: Sequence[str], ruleset: Ruleset) -> str:
    """A line a trick: the cards by seat, who led and who won, card points of both sides."""
    if row["contract"] < 0 or row["played"][0] == UNPLAYED:
        return ""
    declarer = int(row["declarer_seat"])
    sides = _Sides.of(declarer)
    columns = "".join(f"{name:<11}" for name in SEATS)
    lines = [look.paint(f"{'trick':<7}{columns}{'winner':<12}{'points':>6}{sides.heading}", _DIM)]
    buried = mask_points(int(row["discard_mask" if row["is_skat_taken"] else "skat_mask"]))
    if declarer >= 0 and buried:
        sides.add(declarer, buried)
        words = "laid away" if row["is_skat_taken"] else "skat"
        lines.append(f"{'':<7}{words:<45}{buried:>6}{sides}")
    leader = 0
    for number in range(10):
        cards = [int(card) for card in row["played"][3 * number : 3 * number + 3]]
        if cards[0] == UNPLAYED:
            break
        winner = (int(row["trick_winners"]) >> (2 * number)) & 3
        cells = []
        for seat in range(3):
            card = cards[(seat - leader) % 3]
            mark = ">" if seat == leader else " "
            if card == UNPLAYED:
                cells.append(f"{mark}{'-':<10}")
                continue
            codes = (_BOLD,) if seat == winner else ()
            shown = look.painted_card(card, *codes) + ("*" if seat == winner else "")
            width = len(look.card(card)) + (seat == winner)
            place = 3 * number + (seat - leader) % 3 + 1
            if place < len(values):
                gap = " " if seat == winner else "  "
                shown += f"{gap}{values[place]}"
                width += len(gap) + len(values[place])
            cells.append(f"{mark}{shown}{' ' * (10 - width)}")
        line = f"{number + 1:>4}   {''.join(cells)}"
        if winner < 3:
            points = sum(mask_points(1 << card) for card in cards)
            sides.add(winner, points)
            line += f"{SEATS[winner]:<12}{points:>6}{sides}"
            leader = winner
        lines.append(line.rstrip())
    if declarer < 0:
        lines.append(_skat_of_ramsch(row, look, sides, leader, ruleset))
    if values:
        lines += ["", *textwrap.wrap(f"Open cards: {values[0]} {_VALUES_NOTE}", WIDTH)]
    return "\n".join(lines)


def _skat_of_ramsch(
    row: Any, look: _Look, sides: _Sides, last_winner: int, ruleset: Ruleset
) -> str:
    """The skat as it lies in the end, and whose its card points are."""
    pushed = [int(row[name]) for name in _PUSHES if row[name]]
    mask = pushed[-1] if pushed else int(row["skat_mask"])
    points = mask_points(mask)
    if ruleset.ramsch_skat == "last_trick":
        sides.add(last_winner, points)
        whose = f"{SEATS[last_winner]:<12}"
    else:
        whose = f"{'the loser' if ruleset.ramsch_skat == 'loser' else 'nobody':<12}"
    width = 33 - len(mask_text(mask, look.style, has_symbols=look.has_symbols))
    cards = look.cards(mask, int(row["contract"]))
    return f"{'skat':<7}{cards}{' ' * width}{whose}{points:>6}{sides}"


def _ramsch_factors(row: Any, ruleset: Ruleset, trick_counts: Sequence[int]) -> list[str]:
    """What multiplies the loss of a Ramsch, each in words."""
    factors = []
    if 0 in trick_counts and ruleset.ramsch_fixed is None and ruleset.ramsch_jungfrau_factor > 1:
        factors.append(f"a player without a trick: times {ruleset.ramsch_jungfrau_factor}")
    pushes = int(row["unseen_pushes"])
    if pushes:
        factors.append(f"pushed on unseen {_times(pushes)}: times {ruleset.push_factor**pushes}")
    knocks = int(row["knocks"]).bit_count()
    if knocks:
        factors.append(f"knocked {_times(knocks)}: times {2**knocks}")
    if row["kontra_count"]:
        factors.append(f"Kontra: times {2 ** int(row['kontra_count'])}")
    if row["bock_factor"] > 1:
        factors.append(f"Bock: times {int(row['bock_factor'])}")
    return factors


def _ramsch_result(row: Any, look: _Look, ruleset: Ruleset) -> list[str]:
    """Who enters what for a Ramsch, and why."""
    winners = [(int(row["trick_winners"]) >> 2 * trick) & 3 for trick in range(10)]
    counts = [winners.count(seat) for seat in range(3)]
    entries = [(SEATS[seat], int(row[name])) for seat, name in enumerate(_ENTRIES) if row[name]]
    lines = []
    if any(entry > 0 for _, entry in entries):
        lines.append(f"{look.heading('result')}Durchmarsch by {entries[0][0]}")
    else:
        losers = " and ".join(name for name, _ in entries) or "nobody"
        lines.append(f"{look.heading('result')}lost by {losers}")
        factors = _ramsch_factors(row, ruleset, counts)
        if factors and entries:
            lines.append(_wrapped("value", ", ".join(factors), look))
    score = ", ".join(f"{entry:+d} for {name}" for name, entry in entries) or "0 for all"
    lines.append(f"{look.heading('score')}{score}")
    return lines


def _result(
    row: Any, told: Mapping[str, Any], look: _Look, language: Language, ruleset: Ruleset
) -> str:
    reason: str = END_REASONS[int(row["end_reason"])]
    lines = []
    if reason in _ENDS:
        award = AWARDS[int(row["award"])] if row["contract"] >= 0 else "none"
        if reason in ("resigned", "conceded"):  # servers use either word for either side
            reason_of = {"conceded": "conceded", "granted": "resigned", "declarer": "resigned"}
            reason = reason_of.get(award, reason)
        lines.append(_wrapped("end", _ENDS[reason] + _AWARDS[award], look))
    if reason == "passed_in":
        lines.append(f"{look.heading('result')}passed in: nothing is scored")
    elif row["contract"] < 0 or reason == "policy_fault":
        lines.append(f"{look.heading('result')}no result: the game does not count")
    elif row["declarer_seat"] < 0:
        lines += _ramsch_result(row, look, ruleset)
    else:
        score = score_from_record(row, ruleset)
        lines.append(f"{look.heading('result')}{_outcome(row, score)}")
        lines.append(_wrapped("value", explain(score, language), look))
        lines.append(f"{look.heading('score')}{score.score:+d} for {SEATS[row['declarer_seat']]}")
    recorded = told.get("recorded_score")
    if recorded is not None and recorded != row["score"]:
        lines.append(f"{look.heading('recorded')}{recorded:+d}")
    return "\n".join(lines)


def _outcome(row: Any, score: Score) -> str:
    tricks = score.trick_count
    taken = count_text(tricks, "trick")
    if not score.contract.is_null:
        taken = f"{count_text(int(row['declarer_card_points']), 'card point')}, {taken}"
    words = ["won" if score.is_won else "lost", taken]
    if score.award == "conceded":
        words.append("given up")
    elif score.is_schwarz:
        words.append("schwarz")
    elif score.is_schneider:
        words.append("schneider")
    if score.is_overbid:
        words.append("overbid")
    return ": ".join([words[0], ", ".join(words[1:])])
