"""Curves with their bands, for pages: a value along a parameter."""

from collections.abc import Sequence
from dataclasses import dataclass

from skatsim.reporting.session import Result
from skatsim.reporting.words import heading

__all__ = ["Curve", "curves", "readable_labels"]

PREFIX = "curve "

TICKS = 5
LETTER = 0.015
"""The width of a letter of a label, as a share of the axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A curve: places along the axis and values as shares of both, from left and from above."""

    title: str
    places: Sequence[float]
    labels: Sequence[str]
    values: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    ticks: Sequence[tuple[float, str]]

    @property
    def line(self) -> Sequence[tuple[float, float]]:
        """The points of the curve."""
        return list(zip(self.places, self.values, strict=True))

    @property
    def band(self) -> Sequence[tuple[float, float]]:
        """The corners of the band: along its upper edge, and back along the lower."""
        upper = list(zip(self.places, self.highs, strict=True))
        return upper + list(zip(self.places, self.lows, strict=True))[::-1]


def curves(result: Result, lang: str) -> list[Curve]:
    """The curves that the statement of a result asks for: ``curve difference by value``."""
    found = []
    for text in result.statement.charts:
        if text.startswith(PREFIX):
            value, _, label = text.removeprefix(PREFIX).partition(" by ")
            found.append(_curve(result, value.strip(), label.strip(), lang))
    return found


def readable_labels(labels: Sequence[str], places: Sequence[float]) -> list[str]:
    """The labels, those left empty that would stand on the one before."""
    shown: list[str] = []
    free = -1.0
    for label, place in zip(labels, places, strict=True):
        half = LETTER * len(label) / 2
        shown.append(label if place - half >= free else "")
        if shown[-1]:
            free = place + half + LETTER
    return shown


def _curve(result: Result, value: str, label: str, lang: str) -> Curve:
    rows = result.rows()
    numbers = [float(row[label]) for row in rows]
    lows = [row[value] if row[f"{value}_low"] is None else row[f"{value}_low"] for row in rows]
    highs = [row[value] if row[f"{value}_high"] is None else row[f"{value}_high"] for row in rows]
    bottom, top = min(lows), max(highs)
    height, width = (top - bottom) or 1.0, (numbers[-1] - numbers[0]) or 1.0

    def share(number: float) -> float:
        return float((top - number) / height)

    places = [(number - numbers[0]) / width for number in numbers]
    ticks = [bottom + height * place / (TICKS - 1) for place in range(TICKS)]
    return Curve(
        title=f"{heading(value, lang)} / {heading(label, lang)}",
        places=places,
        labels=readable_labels([str(row[label]) for row in rows], places),
        values=[share(row[value]) for row in rows],
        lows=[share(low) for low in lows],
        highs=[share(high) for high in highs],
        ticks=[(share(tick), f"{tick:.1f}") for tick in ticks],
    )
