"""A game as a person reads it: deal, auction, contract, trick by trick, result.

Every line fits in 80 columns.
"""

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
from skatsim.kernels.table import UNKNOWN_CARD, UNPLAYED
from skatsim.records import AWARDS, END_REASONS
from skatsim.ruleset import ISKO, Ruleset
from skatsim.scoring import Score, score_from_record

__all__ = ["game_transcript", "transcript"]

WIDTH: Final = 80
LABEL_WIDTH: Final = 12

_PLAYERS: Final = ("forehand_player", "middlehand_player", "rearhand_player")
_HANDS: Final = ("forehand_mask", "middlehand_mask", "rearhand_mask")
_CALLS: Final = {"pass": "pass", "hold": "yes", "play": "18"}

_ENDS: Final = {
    "decided_early": "The game was decided.",
    "resigned": "The defenders gave up.",
    "claimed": "The declarer claimed the rest.",
    "conceded": "The declarer gave up.",
    "timeout": "A player ran out of time.",
    "left": "A player left the table.",
    "policy_fault": "A policy broke the rules; the game does not count.",
}
_AWARDS: Final = {
    "none": "",
    "declarer": " What was not played counts for the declarer.",
    "conceded": " Nothing more is counted against him.",
}

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
        _tricks(row, look, values),
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
        elif not row["is_hand"]:
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
        texts.append(f"{SEATS[int(row['declarer_seat'])]} plays at {int(row['bid_value'])}")
    for number, text in enumerate(texts):
        yield ("auction" if number == 0 else "", text)


def _contract(row: Any) -> Contract:
    flags = ("is_hand", "is_schneider_announced", "is_schwarz_announced", "is_ouvert")
    bits = sum(int(row[name]) << place for place, name in enumerate(flags))
    return Contract.from_number(int(row["contract"]), bits)


def _tricks(row: Any, look: _Look, values: Sequence[str] = ()) -> str:
    """A line a trick: the cards by seat, who led and who won, card points of both sides."""
    if row["contract"] < 0 or row["played"][0] == UNPLAYED:
        return ""
    declarer = int(row["declarer_seat"])
    buried = mask_points(int(row["discard_mask" if row["is_skat_taken"] else "skat_mask"]))
    sides = [buried, 0]
    columns = "".join(f"{name:<11}" for name in SEATS)
    head = f"{'trick':<7}{columns}{'winner':<12}{'points':>6}  {'declarer':>8} {'defenders':>9}"
    lines = [look.paint(head, _DIM)]
    if buried:
        words = "laid away" if row["is_skat_taken"] else "skat"
        lines.append(f"{'':<7}{words:<45}{buried:>6}  {sides[0]:>8} {sides[1]:>9}")
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
            sides[0 if winner == declarer else 1] += points
            line += f"{SEATS[winner]:<12}{points:>6}  {sides[0]:>8} {sides[1]:>9}"
            leader = winner
        lines.append(line.rstrip())
    if values:
        lines += ["", *textwrap.wrap(f"Open cards: {values[0]} {_VALUES_NOTE}", WIDTH)]
    return "\n".join(lines)


def _result(
    row: Any, told: Mapping[str, Any], look: _Look, language: Language, ruleset: Ruleset
) -> str:
    reason = END_REASONS[int(row["end_reason"])]
    lines = []
    if reason in _ENDS:
        award = _AWARDS[AWARDS[int(row["award"])]] if row["contract"] >= 0 else ""
        lines.append(f"{look.heading('end')}{_ENDS[reason]}{award}")
    if reason == "passed_in":
        lines.append(f"{look.heading('result')}passed in: nothing is scored")
    elif row["contract"] < 0 or reason == "policy_fault":
        lines.append(f"{look.heading('result')}no result: the game does not count")
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
    taken = f"{tricks} trick" if tricks == 1 else f"{tricks} tricks"
    if not score.contract.is_null:
        taken = f"{int(row['declarer_card_points'])} card points, {taken}"
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
