"""What a seat knows before it plays, and the worlds that agree with it.

A `Question` is ten cards at a seat, the skat where it is known, the auction so far, and the
policy by which everybody is taken to bid and play. It draws worlds, plays contracts out in them,
or solves them on open cards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from skatsim.auction import Auction, next_bid_value
from skatsim.cards import SEATS, mask_points, mask_text
from skatsim.contracts import Contract
from skatsim.errors import PolicyError, RuleError
from skatsim.kernels import hand_worth as _heuristic
from skatsim.kernels import playout as _playout
from skatsim.kernels import solver_worlds as _solver
from skatsim.kernels.cards import ALL_MASK, GRAND
from skatsim.kernels.table import BID_LEAST, HIDDEN, PUBLIC
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.solver import GAME_POINTS, SCHNEIDER_POINTS, borrowed_workspace
from skatsim.study.outcomes import null_value

__all__ = ["METHODS", "Method", "Question", "Worlds"]

Method = Literal["play", "solve"]
METHODS: Final[tuple[Method, ...]] = ("play", "solve")

playout: Any = _playout
heuristic: Any = _heuristic
solver: Any = _solver
"""mypy sees the plain functions, which take no unpacked lists."""

SCHNEIDER_EVERY: Final = 4
"""Solved, only every so manieth world is asked for schneider: 231 skats leave a remainder of 3, so
that each skat has its turn."""

CHUNK: Final = 1 << 18
"""Worlds drawn at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds:
    """Worlds that agree with what is known.

    Attributes
    ----------
    numbers, left, right : int64 columns: the number of a world, the cards of the next seat and
        of the one after.
    """

    numbers: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    def part(self, start: int, end: int) -> "Worlds":
        """Some of them, by their place."""
        return Worlds(
            numbers=self.numbers[start:end], left=self.left[start:end], right=self.right[start:end]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Ten cards at a seat, and what else is known.

    Parameters
    ----------
    hand_mask : the ten cards.
    seat : 0, 1, 2.
    skat_mask : the skat where it is known, else None.
    auction : the calls so far; worlds in which the others would have called otherwise are left
        out.
    players : who bids and plays.
    seed : of the worlds.

    Attributes
    ----------
    bid : the lowest value at which the seat can still become declarer.
    skats : the skats there may be.

    Raises
    ------
    RuleError
        The cards are not ten and two different ones, or the seat cannot become declarer.
    PolicyError
        A policy is not built in.
    """

    hand_mask: int
    seat: int
    skat_mask: int | None = None
    auction: Auction = field(default_factory=Auction)
    players: Players
    seed: int = 0
    bid: int = field(init=False)
    skats: NDArray[np.int64] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        _check_cards(self.hand_mask, self.skat_mask)
        for policy in self.players.seated():
            if policy.way != "built-in":
                raise PolicyError(
                    f"policy {policy.text!r} cannot be asked about single hands: only built-in "
                    "policies play on from a given hand"
                )
        if self.seat not in range(3):
            raise RuleError(f"seat {self.seat!r} is no seat: 0, 1 or 2")
        object.__setattr__(self, "bid", _lowest_bid(self.auction, self.seat))
        skats = np.zeros(231, dtype=np.int64)
        if self.skat_mask is None:
            playout.all_skats(self.hand_mask, skats)
        else:
            skats = np.array([self.skat_mask], dtype=np.int64)
        object.__setattr__(self, "skats", skats)

    @property
    def has_passed_calls(self) -> bool:
        """Whether somebody has said something that tells worlds apart."""
        return any(call.seat != self.seat for call in self.auction.calls)

    @property
    def is_last_bid(self) -> bool:
        """Whether both others have passed, so that nobody can drive this seat any higher."""
        passed = {call.seat for call in self.auction.calls if call.kind == "pass"}
        return len(passed - {self.seat}) == 2

    def _calls(self) -> NDArray[np.int64]:
        return np.array([call.code for call in self.auction.calls], dtype=np.int64)

    def _table(self) -> tuple[Any, ...]:
        rows = self.players.kernel_rows()
        return ISKO.kernel_record(), rows, np.zeros(1, dtype=PUBLIC), np.zeros(1, dtype=HIDDEN)

    def draw(self, start: int, end: int) -> Iterator[Worlds]:
        """Worlds `start` to ``end - 1``, those that agree, in chunks."""
        calls = self._calls() if self.has_passed_calls else np.zeros(0, dtype=np.int64)
        for begin in range(start, end, CHUNK):
            columns = np.zeros((3, min(CHUNK, end - begin)), dtype=np.int64)
            found = playout.draw_worlds(
                *self._table(),
                self.seat,
                self.hand_mask,
                self.skats,
                calls,
                self.seed,
                begin,
                *columns,
            )
            numbers, left, right = (column[:found] for column in columns)
            yield Worlds(numbers=numbers, left=left, right=right)

    def policy_discards(self, contract: Contract) -> NDArray[np.int64]:
        """The two cards that the heuristic lays away with each skat; 0 in a hand game."""
        if contract.is_hand:
            return np.zeros(len(self.skats), dtype=np.int64)
        return np.array(
            [heuristic.best_discard(self.hand_mask | int(s), contract.number) for s in self.skats],
            dtype=np.int64,
        )

    def policy_chances(self, contract: Contract) -> NDArray[np.float64]:
        """The heuristic's guess how often a contract is won with each skat."""
        if contract.number < GRAND:
            worths = [
                heuristic.discarded_suit_values(self.hand_mask | int(s))[contract.number]
                for s in self.skats
            ]
        else:
            worths = [
                heuristic.discarded_value(self.hand_mask | int(s), contract.number)
                for s in self.skats
            ]
        return np.array([heuristic.probability(worth) for worth in worths])

    def outcomes(
        self,
        contract: Contract,
        worlds: Worlds,
        *,
        discards: NDArray[np.int64],
        method: Method,
    ) -> NDArray[np.int64]:
        """How a contract ends in each world: its multiplier (1 in null), negative if lost.

        Solved, schneider is asked in some of the worlds and taken to be as frequent in others.

        Overbidding is not looked at. `discards` has the two cards laid away with each skat.
        """
        if method == "solve":
            return self._solve(contract, worlds, discards)
        found = np.zeros(len(worlds.numbers), dtype=np.int64)
        fault = playout.play_worlds(
            *self._table(),
            self.seat,
            self.hand_mask,
            self.skats,
            self._calls(),
            self.bid,
            contract.number,
            contract.announcements,
            discards,
            self.seed,
            worlds.numbers,
            worlds.left,
            worlds.right,
            found,
        )
        if fault:
            raise PolicyError(f"a policy of {self.players.names()} played an illegal card")
        return found

    def _solve(
        self,
        contract: Contract,
        worlds: Worlds,
        discards: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        if contract.is_schwarz_announced:
            raise RuleError(f"cannot solve {str(contract)!r} in many worlds: schwarz is announced")
        place = worlds.numbers % len(self.skats)
        skat = self.skats[place]
        buried = np.where(discards[place] == 0, skat, discards[place])
        is_announced = contract.is_schneider_announced
        is_asked = worlds.numbers % SCHNEIDER_EVERY == 0
        asked = (is_asked & (not is_announced)).astype(np.int64)
        found = np.zeros(len(place), dtype=np.int64)
        with borrowed_workspace() as ws:
            solver.solve_worlds(
                ws,
                (self.hand_mask | skat) & ~buried,
                worlds.left,
                worlds.right,
                buried,
                contract.number,
                -self.seat % 3,
                SCHNEIDER_POINTS if is_announced else GAME_POINTS,
                asked,
                found,
            )
        if contract.is_null:
            return found
        if not is_announced:
            _spread_schneider(found, is_asked)
        more: NDArray[np.int64] = self.multipliers_held(contract)[place] - 1
        return np.where(found > 0, found + more, found - more)

    def discard_wins(
        self,
        contract: Contract,
        worlds: Worlds,
        discards: Sequence[int],
        *,
        is_discard_counted: bool = True,
    ) -> NDArray[np.int64]:
        """In how many worlds each discard wins on open cards; the skat must be known.

        Parameters
        ----------
        discards : the ways to lay two of the twelve cards away.
        is_discard_counted : whether their card points count for the declarer, as they do.
        """
        wins = np.zeros(len(discards), dtype=np.int64)
        needed = SCHNEIDER_POINTS if contract.is_schneider_announced else GAME_POINTS
        counted = [mask_points(discard) if is_discard_counted else 0 for discard in discards]
        with borrowed_workspace() as ws:
            solver.count_wins(
                ws,
                self.hand_mask | int(self.skats[0]),
                worlds.left,
                worlds.right,
                np.array(discards, dtype=np.int64),
                needed - np.array(counted, dtype=np.int64),
                contract.number,
                -self.seat % 3,
                wins,
            )
        return wins

    def first_best_discard(
        self,
        contract: Contract,
        worlds: Worlds,
        discards: Sequence[int],
        *,
        is_discard_counted: bool = True,
    ) -> tuple[int, int]:
        """The first of the discards that win in most worlds, no null game, and in how many."""
        needed = [GAME_POINTS - (mask_points(d) if is_discard_counted else 0) for d in discards]
        with borrowed_workspace() as ws:
            found = solver.first_best(
                ws,
                self.hand_mask | int(self.skats[0]),
                worlds.left,
                worlds.right,
                np.array(discards, dtype=np.int64),
                np.array(needed, dtype=np.int64),
                contract.number,
                -self.seat % 3,
            )
        return discards[found >> 8], found & 255

    def multipliers_held(
        self, contract: Contract, skats: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """What a contract is worth with each skat if it is just won: its multiplier."""
        skats = self.skats if skats is None else skats
        found = np.zeros(len(skats), dtype=np.int64)
        playout.multipliers_held(
            ISKO.kernel_record(),
            self.hand_mask,
            contract.number,
            contract.announcements,
            skats,
            found,
        )
        return found

    def values_held(self, contract: Contract) -> NDArray[np.int64]:
        """The value of a contract that is just won, with each skat."""
        if contract.is_null:
            return np.full(len(self.skats), null_value(contract), dtype=np.int64)
        return ISKO.base_values[contract.number] * self.multipliers_held(contract)

    def value_in_hand(self, contract: Contract) -> int:
        """The value of a contract that is just won, by the cards that are known."""
        if contract.is_null:
            return null_value(contract)
        known = np.array([self.skat_mask or 0], dtype=np.int64)
        return ISKO.base_values[contract.number] * int(self.multipliers_held(contract, known)[0])

    def passing(self, worlds: Worlds) -> NDArray[np.int64]:
        """What comes of each world if the seat passes: 1 another won, -1 lost, 0 passed in."""
        found = np.zeros(len(worlds.numbers), dtype=np.int64)
        fault = playout.pass_worlds(
            *self._table(),
            self.seat,
            self.hand_mask,
            self._calls(),
            self.seed,
            worlds.numbers,
            worlds.left,
            worlds.right,
            found,
        )
        if fault:
            raise PolicyError(f"a policy of {self.players.names()} acted illegally")
        return found


def _spread_schneider(found: NDArray[np.int64], is_asked: NDArray[np.bool_]) -> None:
    """Give as many of the other worlds schneider (2, -2) as of those that were asked."""
    for sign in (1, -1):
        is_meant = np.sign(found) == sign
        known = found[is_meant & is_asked]
        if len(known) == 0:
            continue
        share = float((known == 2 * sign).mean())
        others = np.flatnonzero(is_meant & ~is_asked)
        steps = np.floor(share * np.arange(len(others) + 1))
        found[others[np.diff(steps) > 0]] = 2 * sign


def _check_cards(hand_mask: int, skat_mask: int | None) -> None:
    for name, mask, size in (("hand", hand_mask, 10), ("skat", skat_mask, 2)):
        if mask is None:
            continue
        if not 0 <= mask <= ALL_MASK:
            raise RuleError(f"{name} {mask!r} is no mask of cards")
        if mask.bit_count() != size:
            hint = "; give the skat apart" if name == "hand" and mask.bit_count() == 12 else ""
            raise RuleError(
                f"{name} {mask_text(mask)!r} has {mask.bit_count()} cards: {size} needed{hint}"
            )
    if skat_mask is not None and hand_mask & skat_mask:
        raise RuleError(f"{mask_text(hand_mask & skat_mask)!r} both in the hand and in the skat")


def _lowest_bid(auction: Auction, seat: int) -> int:
    """The lowest value at which a seat can still become declarer."""
    name = SEATS[seat]
    if auction.is_passed_in:
        raise RuleError(f"{str(auction)!r} is passed in: {name} plays no game")
    if auction.is_over and auction.declarer != seat:
        declarer = SEATS[auction.declarer or 0]
        raise RuleError(f"{str(auction)!r} makes {declarer} the declarer, not {name}")
    if any(call.seat == seat and call.kind == "pass" for call in auction.calls):
        raise RuleError(f"{name} has passed in {str(auction)!r}: it plays no game")
    said = auction.bid_value
    if said == 0:
        return BID_LEAST
    is_answering = auction.seat == seat and auction.state in ("answer_1", "answer_2")
    if auction.is_over or auction.limits[seat] == said or is_answering:
        return said
    above = next_bid_value(said)
    if above is None:
        raise RuleError(f"nothing is left to bid above {said}")
    return above
