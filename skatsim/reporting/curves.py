"""Curves with their bands, for pages: a value along a parameter."""

from collections.abc import Sequence
from dataclasses import dataclass

from skatsim.reporting.session import Result
from skatsim.reporting.words import heading

__all__ = ["Curve", "curves"]

PREFIX = "curve "

TICKS = 5


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


def _curve(result: Result, value: str, label: str, lang: str) -> Curve:
    rows = result.rows()
    numbers = [float(row[label]) for row in rows]
    lows = [row[value] if row[f"{value}_low"] is None else row[f"{value}_low"] for row in rows]
    highs = [row[value] if row[f"{value}_high"] is None else row[f"{value}_high"] for row in rows]
    bottom, top = min(lows), max(highs)
    height, width = (top - bottom) or 1.0, (numbers[-1] - numbers[0]) or 1.0

    def share(number: float) -> float:
        return float((top - number) / height)

    ticks = [bottom + height * place / (TICKS - 1) for place in range(TICKS)]
    return Curve(
        title=f"{heading(value, lang)} / {heading(label, lang)}",
        places=[(number - numbers[0]) / width for number in numbers],
        labels=[str(row[label]) for row in rows],
        values=[share(row[value]) for row in rows],
        lows=[share(low) for low in lows],
        highs=[share(high) for high in highs],
        ticks=[(share(tick), f"{tick:.1f}") for tick in ticks],
    )
