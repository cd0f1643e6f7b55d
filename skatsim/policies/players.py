"""Who takes which decision: a policy for each seat and each kind of decision."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from skatsim.errors import PolicyError
from skatsim.kernels import engine
from skatsim.kernels.table import PLAYER
from skatsim.policies.base import Policy
from skatsim.policies.registry import find_policy

__all__ = ["DECISIONS", "Players"]

DECISIONS: Final = ("bidding", "declaring", "play")


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Which policy takes which decision: a policy for each seat and decision.

    In series the places are those of the players at the table, three or four, in the order of
    the deal; `at` seats three of them.
    """

    bidding: tuple[Policy, ...]
    declaring: tuple[Policy, ...]
    play: tuple[Policy, ...]
    kontra: tuple[Policy, ...] = ()
    """Who says Kontra, Re and the like; empty for who plays the cards."""

    @classmethod
    def of(
        cls,
        *,
        bidding: str = "heuristic",
        declaring: str = "heuristic",
        play: str = "heuristic",
        kontra: str | None = None,
        seats: Sequence[str] | None = None,
        table_size: int = 3,
    ) -> "Players":
        """Players by text: a policy for each decision, or a policy for each seat.

        Raises
        ------
        PolicyError
            A policy is not known, or `seats` does not name as many as sit at the table.
        """
        if seats is not None:
            if len(seats) != table_size:
                wanted = (
                    "three, for forehand, middlehand and rearhand"
                    if table_size == 3
                    else "four, in the order of the deal"
                )
                raise PolicyError(f"cannot seat {len(seats)} policies: name {wanted}")
            found = tuple(find_policy(text) for text in seats)
            return cls(bidding=found, declaring=found, play=found)
        bidder, declarer, player = (find_policy(text) for text in (bidding, declaring, play))
        return cls(
            bidding=(bidder,) * table_size,
            declaring=(declarer,) * table_size,
            play=(player,) * table_size,
            kontra=() if kontra is None else (find_policy(kontra),) * table_size,
        )

    def at(self, seats: Sequence[int]) -> "Players":
        """The players with these places, at forehand, middlehand and rearhand."""
        chosen = {
            name: tuple(getattr(self, name)[place] for place in seats) for name in self.decisions
        }
        return dataclasses.replace(self, **chosen)

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions that have policies of their own."""
        return (*DECISIONS, "kontra") if self.kontra else DECISIONS

    def texts(self) -> dict[str, list[str]]:
        """The policies as text, by decision and seat."""
        return {name: [policy.text for policy in getattr(self, name)] for name in self.decisions}

    def versions(self) -> dict[str, int]:
        """The version of each policy by its name."""
        every = (policy for name in self.decisions for policy in getattr(self, name))
        return {policy.name: policy.version for policy in every}

    def names(self) -> tuple[str, ...]:
        """What the players are called in records: the policy of their seat, or of each decision."""

        def name(seat: int) -> str:
            texts = [getattr(self, decision)[seat].text for decision in self.decisions]
            return texts[0] if len(set(texts)) == 1 else "|".join(texts)

        return tuple(name(seat) for seat in range(len(self.play)))

    def own_names(self) -> tuple[str, ...]:
        """Names that tell the players of a table apart: those of one policy are numbered."""
        names = self.names()
        return tuple(
            f"{name} {names[: place + 1].count(name)}" if names.count(name) > 1 else name
            for place, name in enumerate(names)
        )

    def kernel_rows(self) -> np.ndarray:
        """Twelve records of dtype `skatsim.kernels.table.PLAYER`."""
        rows = np.zeros(12, dtype=PLAYER)
        for seat in range(3):
            for index, decision in enumerate(DECISIONS):
                policy: Policy = getattr(self, decision)[seat]
                row = rows[3 * seat + index]
                row["policy"] = policy.code
                row["parameters"][: len(policy.values)] = policy.values
            caller = (self.kontra or self.play)[seat]
            row = rows[engine.KONTRA_PLAYER + seat]
            row["policy"] = caller.code
            row["parameters"][: len(caller.values)] = caller.values
        return rows
