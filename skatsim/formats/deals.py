"""Deals that nobody has played yet, as text, server lines, JSON lines or a page."""

import html
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from skatsim.cards import SUITS, CardStyle, card_text, mask_cards, mask_text
from skatsim.errors import NotationError
from skatsim.formats.iss_write import line
from skatsim.kernels.columns import END_PASSED_IN, GAME
from skatsim.sampling import PLACES

__all__ = ["DEAL_FORMATS", "deal_lines"]

DEAL_FORMATS: Final = ("text", "iss", "jsonl", "html")

NumberedDeals = Iterable[tuple[int, Sequence[int]]]
"""Numbers, and the masks of forehand, middlehand, rearhand, skat."""

_PAGE_HEAD: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 44rem; padding: 0 1rem;
  color-scheme: light dark; }}
table {{ border-collapse: collapse; margin: 0 0 1.5rem; width: 100%; }}
caption {{ text-align: left; font-weight: 600; }}
th {{ text-align: left; font-weight: 400; width: 7.5rem; }}
td, th {{ border-top: 1px solid #8884; padding: .2rem 0; }}
.card {{ display: inline-block; min-width: 2.4rem; font-variant-numeric: tabular-nums; }}
.red {{ color: #c22; }}
</style></head><body>
<h1>{title}</h1>"""


def deal_lines(
    deals: NumberedDeals,
    format: str,
    *,
    style: CardStyle = "english",
    has_symbols: bool = False,
    title: str = "Deals",
) -> Iterator[str]:
    """The lines of a file of deals, without line ends.

    Parameters
    ----------
    deals : numbers, and the masks of forehand, middlehand, rearhand and skat.
    format : one of `DEAL_FORMATS`. ``iss`` writes games that were passed in, since a server line
        without an auction is none; ``jsonl`` has the cards of each place as text.
    style, has_symbols : how ``text`` shows cards.
    title : heading of the page.

    Raises
    ------
    NotationError
        There is no such format.
    """
    if format == "text":
        return _text(deals, style, has_symbols)
    if format == "iss":
        return _server_lines(deals)
    if format == "jsonl":
        return _json_lines(deals)
    if format == "html":
        return _page(deals, title)
    raise NotationError(f"no format {format!r} of deals: one of {', '.join(DEAL_FORMATS)}")


class _CardTexts:
    """The texts of masks, put together from those of the jacks and of each suit.

    `skatsim.cards.mask_text` says the same, card by card.
    """

    def __init__(self, style: CardStyle = "english", *, has_symbols: bool = False) -> None:
        self.suits = [
            [mask_text(part << (8 * suit), style, has_symbols=has_symbols) for part in range(128)]
            for suit in range(4)
        ]
        jacks = [
            sum((part >> suit & 1) << (8 * suit + 7) for suit in range(4)) for part in range(16)
        ]
        self.jacks = [mask_text(mask, style, has_symbols=has_symbols) for mask in jacks]

    def of(self, mask: int) -> str:
        """The cards of a mask, jacks first."""
        jacks = (mask >> 7 & 1) | (mask >> 14 & 2) | (mask >> 21 & 4) | (mask >> 28 & 8)
        texts = (
            self.jacks[jacks],
            *(self.suits[suit][mask >> (8 * suit) & 127] for suit in (3, 2, 1, 0)),
        )
        return " ".join(filter(None, texts))


def _text(deals: NumberedDeals, style: CardStyle, has_symbols: bool) -> Iterator[str]:
    texts = _CardTexts(style, has_symbols=has_symbols)
    for number, masks in deals:
        yield f"deal {number}"
        for place, mask in zip(PLACES, masks, strict=True):
            yield f"  {place:<12}{texts.of(mask)}"


def _server_lines(deals: NumberedDeals) -> Iterator[str]:
    row = np.zeros((), dtype=GAME)
    row["declarer_seat"] = row["contract"] = -1
    row["end_reason"] = END_PASSED_IN
    for number, masks in deals:
        for place, mask in zip(PLACES, masks, strict=True):
            row[f"{place}_mask"] = mask
        yield line(row, np.zeros(3, dtype=np.uint16), {"hand_number": number})


def _json_lines(deals: NumberedDeals) -> Iterator[str]:
    texts = _CardTexts()
    for number, masks in deals:
        cards = {place: texts.of(mask) for place, mask in zip(PLACES, masks, strict=True)}
        yield json.dumps({"number": number, **cards})


def _page(deals: NumberedDeals, title: str) -> Iterator[str]:
    yield _PAGE_HEAD.format(title=html.escape(title))
    for number, masks in deals:
        yield f"<table><caption>{number}</caption>"
        for place, mask in zip(PLACES, masks, strict=True):
            cards = " ".join(_page_card(card) for card in mask_cards(mask))
            yield f"<tr><th>{place}</th><td>{cards}</td></tr>"
        yield "</table>"
    yield "</body></html>"


def _page_card(card: int) -> str:
    is_red = SUITS[card >> 3] in ("hearts", "diamonds")
    return (
        f'<span class="card{" red" if is_red else ""}">{card_text(card, has_symbols=True)}</span>'
    )
