"""Who takes which decision: a policy for each seat and each kind of decision."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from skatsim.cards import SEATS
from skatsim.errors import PolicyError
from skatsim.kernels import engine
from skatsim.kernels.table import PLAYER
from skatsim.policies.base import Policy
from skatsim.policies.heuristic import HEURISTIC
from skatsim.policies.plugin import as_policy, plugin_address
from skatsim.policies.registry import find_policy

__all__ = ["DECISIONS", "Players", "PolicyLike", "taking"]

DECISIONS: Final = ("bidding", "declaring", "play")

REARHAND: Final = 2

PolicyLike = str | Policy | type
"""A policy, the text that names it, or the class that plays it."""


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
    dealer: int | None = REARHAND
    """The seat that deals; None where a fourth player deals, and sits out."""

    @classmethod
    def of(
        cls,
        *,
        bidding: PolicyLike = "heuristic",
        declaring: PolicyLike = "heuristic",
        play: PolicyLike = "heuristic",
        kontra: PolicyLike | None = None,
        seats: Sequence[PolicyLike] | None = None,
        table_size: int = 3,
    ) -> "Players":
        """Players by text: a policy for each decision, or a policy for each seat.

        What a policy of a seat does not decide itself, `heuristic` decides.

        Raises
        ------
        PolicyError
            A policy is not known or does not take the decision it is named for, or `seats` does
            not name as many as sit at the table.
        """
        if seats is not None:
            if len(seats) != table_size:
                wanted = (
                    "three, for forehand, middlehand and rearhand"
                    if table_size == 3
                    else "four, in the order of the deal"
                )
                raise PolicyError(f"cannot seat {len(seats)} policies: name {wanted}")
            found = [_found(text) for text in seats]
            taken = {
                decision: tuple(taking(policy, decision) for policy in found)
                for decision in DECISIONS
            }
            return cls(bidding=taken["bidding"], declaring=taken["declaring"], play=taken["play"])
        named = {"bidding": bidding, "declaring": declaring, "play": play, "kontra": kontra}
        policies: dict[str, tuple[Policy, ...]] = {}
        for decision, text in named.items():
            if text is None:
                continue
            policy = _found(text)
            if decision not in policy.decisions:
                raise PolicyError(
                    f"policy {policy.text!r} does not decide {decision}: it takes "
                    f"{', '.join(policy.decisions)}"
                )
            policies[decision] = (policy,) * table_size
        return cls(
            bidding=policies["bidding"],
            declaring=policies["declaring"],
            play=policies["play"],
            kontra=policies.get("kontra", ()),
        )

    def at(self, seats: Sequence[int]) -> "Players":
        """The players with these places, at forehand, middlehand and rearhand."""
        chosen = {
            name: tuple(getattr(self, name)[place] for place in seats) for name in self.decisions
        }
        dealer = REARHAND if len(self.play) == len(SEATS) else None
        return dataclasses.replace(self, **chosen, dealer=dealer)

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions that have policies of their own."""
        return (*DECISIONS, "kontra") if self.kontra else DECISIONS

    def player(self, number: int) -> Policy:
        """The policy of a player as the kernels number them (`engine.player_number`)."""
        if number >= engine.KONTRA_PLAYER:
            seat = number - engine.KONTRA_PLAYER
            return self.kontra[seat] if self.kontra else taking(self.play[seat], "kontra")
        policy: Policy = getattr(self, DECISIONS[number % 3])[number // 3]
        return policy

    @property
    def every(self) -> tuple[Policy, ...]:
        """All policies that may be asked at the first three places, each once."""
        return tuple(dict.fromkeys(self.player(number) for number in range(12)))

    @property
    def has_plugins(self) -> bool:
        """Whether any policy is not built in."""
        return any(policy.way != "built-in" for policy in self.seated())

    @property
    def is_compiled(self) -> bool:
        """Whether all policies are: then threads can play side by side."""
        return all(policy.way in ("built-in", "compiled") for policy in self.seated())

    def seated(self) -> tuple[Policy, ...]:
        """All policies of the table, each once."""
        every = [policy for name in self.decisions for policy in getattr(self, name)]
        return tuple(dict.fromkeys(every))

    def texts(self) -> dict[str, list[str]]:
        """The policies as text, by decision and seat."""
        return {name: [policy.text for policy in getattr(self, name)] for name in self.decisions}

    def versions(self) -> dict[str, int]:
        """The version of each policy by its name."""
        return {policy.name: policy.version for policy in self.seated()}

    def sources(self) -> dict[str, str]:
        """The hash of the source of each policy that is a file, by its name."""
        return {
            policy.name: policy.source_sha256 for policy in self.seated() if policy.source_sha256
        }

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
        for number, row in enumerate(rows):
            policy = self.player(number)
            row["policy"] = policy.code
            row["parameters"][: len(policy.values)] = policy.values
            if policy.way == "compiled":
                row["address"] = plugin_address(policy.player)
        return rows


def _found(policy: PolicyLike) -> Policy:
    return find_policy(policy) if isinstance(policy, str) else as_policy(policy)


def taking(policy: Policy, decision: str) -> Policy:
    """Who takes a decision where this policy is seated."""
    return policy if decision in policy.decisions else HEURISTIC
