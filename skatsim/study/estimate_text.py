"""An estimate as two tables of text: what each contract is worth, and each bid."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from skatsim.cards import CardStyle, mask_text, seat_name

if TYPE_CHECKING:
    from skatsim.study.estimate import ContractEstimate, Estimate
    from skatsim.study.plans import BidEstimate

__all__ = ["as_html", "bid_table", "contract_table", "heading", "summary"]

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]

HOPELESS = 0.99
"""Share of overbid games from which higher bids are not shown."""

METHOD_WORDS = {
    "play": "{policy} against itself",
    "solve": "all cards open, best play",
}


def heading(found: "Estimate", style: CardStyle = "english", *, has_symbols: bool = False) -> str:
    """Whose cards these are, and how the figures were come by."""
    cards = mask_text(found.hand_mask, style, has_symbols=has_symbols)
    if found.skat_mask is not None:
        cards += f" + {mask_text(found.skat_mask, style, has_symbols=has_symbols)}"
    how = METHOD_WORDS[found.method].format(policy=found.policy)
    worlds = f"{found.samples:,} deals, {found.seconds:.1f} s"
    if found.samples < found.drawn:
        worlds = (
            f"{found.samples:,} deals in which the others bid so, of {found.drawn:,} drawn,"
            f" {found.seconds:.1f} s"
        )
    place = f"{seat_name(found.seat)}, {'declarer at' if found.is_declarer else 'from'} {found.bid}"
    return f"{cards}, {place}\n{found.method}: {how}\n{worlds}"


def contract_table(
    found: "Estimate", style: CardStyle = "english", *, has_symbols: bool = False
) -> Table:
    """A row for each contract: with the skat to the left, as a hand game to the right."""
    is_known = found.skat_mask is not None
    columns: tuple[str, ...] = ("", "win %", "score", "held", *(("lay away",) if is_known else ()))
    columns += ("hand win %", "score", "held")
    by_contract = {row.contract: row for row in found.contracts}
    rows = []
    for name in dict.fromkeys(replace(row.contract, is_hand=False) for row in found.contracts):
        taken = by_contract.get(name)
        by_hand = by_contract.get(replace(name, is_hand=True))
        away = ""
        if taken is not None and taken.discard_mask is not None:
            away = mask_text(taken.discard_mask, style, has_symbols=has_symbols)
        cells = (str(name), *_cells(taken), *((away,) if is_known else ()), *_cells(by_hand))
        rows.append(cells)
    return columns, rows


def _cells(row: "ContractEstimate | None") -> tuple[str, str, str]:
    if row is None:
        return "", "", ""
    win, score = "-", "-"
    if row.win_rate is not None and row.win_rate_low is not None and row.win_rate_high is not None:
        win = _plus_minus(100 * row.win_rate, 100 * row.win_rate_low, 100 * row.win_rate_high)
        score = f"{row.expected_score:+.1f}"
    return win, score, str(row.value_held)


def bid_table(found: "Estimate") -> Table:
    """A row for each range of bids that are worth the same."""
    rows: list[tuple[str, ...]] = [
        (
            span,
            _plus_minus(100 * row.win_rate, 100 * row.win_rate_low, 100 * row.win_rate_high),
            f"{100 * row.overbid_rate:.1f}",
            _plus_minus(
                row.expected_score, row.expected_score_low, row.expected_score_high, sign="+"
            ),
            "take the skat" if row.plan is None else str(row.plan),
        )
        for span, row in _spans(found.bids)
    ]
    return ("bid", "win %", "overbid %", "score", "then"), rows


def _plus_minus(value: float, low: float, high: float, *, sign: str = "") -> str:
    """A figure with half the width of its interval."""
    return f"{value:{sign}.1f} ±{(high - low) / 2:.1f}"


def _spans(bids: Sequence["BidEstimate"]) -> Iterator[tuple[str, "BidEstimate"]]:
    """Bids of equal figures together; what is hopeless is left out after its first."""
    start = 0
    for number, row in enumerate(bids):
        following = bids[number + 1] if number + 1 < len(bids) else None
        if following is not None and _is_like(row, following):
            continue
        span = f"{bids[start].bid}" if start == number else f"{bids[start].bid}-{row.bid}"
        yield span, row
        start = number + 1
        if row.overbid_rate > HOPELESS:
            return


def _is_like(one: "BidEstimate", other: "BidEstimate") -> bool:
    """Whether two bids look the same in the table."""
    return (
        abs(one.win_rate - other.win_rate) < 0.005
        and abs(one.overbid_rate - other.overbid_rate) < 0.005
        and abs(one.expected_score - other.expected_score) < 1.0
        and one.plan == other.plan
    )


def summary(found: "Estimate", style: CardStyle = "english", *, has_symbols: bool = False) -> str:
    """How high to bid, and what to play at the lowest bid; below it how that is meant."""
    play = f"at {found.bid} {_game(found, style, has_symbols=has_symbols)}"
    if found.is_declarer:
        text = play
    else:
        text = "pass" if found.best_bid is None else f"bid up to {found.best_bid}"
        if found.is_last_bid and found.best_bid is not None:
            text = f"bid {found.best_bid}, the others have passed"
        if found.scoring != "plain":
            text += f" (passing is worth {found.passing_score:+.1f})"
        text += f"; {play}" if found.best is not None else ""
    return "\n".join((*found.notes, text))


def _game(found: "Estimate", style: CardStyle, *, has_symbols: bool) -> str:
    """What to play at the lowest bid."""
    if found.best is None:
        return "nothing that was asked can be played"
    if found.skat_mask is not None or found.best.contract.is_hand:
        text = f"play {found.best.contract}"
    else:
        text = f"take the skat, most often for {found.best.contract}"
    if found.best.discard_mask is not None:
        away = mask_text(found.best.discard_mask, style, has_symbols=has_symbols)
        text += f", laying away {away}"
    return text


def as_html(found: "Estimate") -> str:
    """The heading, both tables, and the advice."""
    parts = [f"<p>{escape(heading(found, has_symbols=True)).replace(chr(10), '<br>')}</p>"]
    for columns, rows in (contract_table(found, has_symbols=True), bid_table(found)):
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    advice = escape(summary(found, has_symbols=True)).replace(chr(10), "<br>")
    parts.append(f"<p><b>{advice}</b></p>")
    return "".join(parts)
