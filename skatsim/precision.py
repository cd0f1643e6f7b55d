"""How well a win rate is known while games are still being played."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skatsim.intervals import wilson_half_width

__all__ = ["Precision"]


@dataclass(slots=True, kw_only=True)
class Precision:
    """Whether the overall win rate is known well enough, asked each time `step` more are played.

    Games are taken in order of k, so that the answer is the same for any number of workers.

    Attributes
    ----------
    wanted : half-width of the 95 % interval (Wilson).
    step : games between two questions.
    hands, declared, won : what was taken so far.
    """

    wanted: float
    step: int
    hands: int = 0
    declared: int = 0
    won: int = 0

    @property
    def is_reached(self) -> bool:
        """Whether it is known after a whole number of steps; no games are taken any more."""
        is_asked = self.declared > 0 and self.hands % self.step == 0
        return is_asked and wilson_half_width(self.won, self.declared) <= self.wanted

    @property
    def expected_hands(self) -> int:
        """About how many games it takes, as far as one can tell now."""
        half_width = wilson_half_width(self.won, self.declared) if self.declared else 0.5
        return max(self.hands, round(self.hands * (half_width / self.wanted) ** 2))

    def add(self, hands: int, declared: int, won: int) -> None:
        """Count games that end no later than a step does."""
        self.hands += hands
        self.declared += declared
        self.won += won

    def take(self, declared: npt.NDArray[np.bool_], won: npt.NDArray[np.bool_]) -> None:
        """Count the games that follow, up to the one after which it is known.

        Parameters
        ----------
        declared, won : one truth value a game: whether rates count it, and whether it was won.
        """
        position = 0
        while position < len(declared) and not self.is_reached:
            end = position + self.step - self.hands % self.step
            taken = declared[position:end]
            self.add(len(taken), int(taken.sum()), int(won[position:end].sum()))
            position = end
