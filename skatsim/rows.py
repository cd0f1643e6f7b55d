"""Games played in step between policies of any kind: asked in groups, under the referee.

A policy that breaks the rules ends the hand it was asked in and no other; what it did stands in
`Rows.reasons`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from skatsim.cards import SEATS, card_text, mask_text
from skatsim.errors import PolicyError
from skatsim.kernels import engine, lockstep
from skatsim.kernels.columns import GAME
from skatsim.kernels.table import (
    CALL_HOLD,
    CALL_PASS,
    CALL_PLAY,
    FAULT_NOT_RUN,
    FAULT_WROTE,
    HIDDEN,
    MAX_CALLS,
    PHASE_AUCTION,
    PHASE_DECLARE,
    PHASE_PLAY,
    PHASE_PUSH,
    PHASE_RESORT,
    PUBLIC,
    REVOLUTION_BIT,
    SPITZE_BIT,
)
from skatsim.policies.answers import answerer
from skatsim.policies.base import raised_text, reraise_interrupt
from skatsim.policies.players import Players
from skatsim.ruleset import Ruleset
from skatsim.view import QUESTIONS, Waiting, legal_calls

__all__ = ["KnownFault", "Rows", "WroteToRulesError"]

_CALL_NAMES: Final = {CALL_PASS: "pass", CALL_HOLD: "hold", CALL_PLAY: "play"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFault:
    """A hand as it stood when a policy did not come back: bytes of its records, and the reason."""

    public: bytes
    hidden: bytes
    reason: str


class WroteToRulesError(PolicyError):
    """In one of some games a compiled policy wrote to the rules or the parameters."""


class Rows:
    """A row for each of some games of a seed.

    Parameters
    ----------
    games : int64, shape (n,): their numbers.
    bock_factors, are_ramsch_rounds : int64, shape (n,), what their series carry on to them.
    time_limit : seconds that a program may take for an answer.
    is_stopping : play no further once a policy broke the rules.
    beat : called with the number of a row whenever an answer to it is waited for.

    Attributes
    ----------
    faults : int64, shape (n,): 0, or the number of what a policy did wrong there.
    reasons : what that was, by row, with the policy and what would have been legal.
    """

    def __init__(
        self,
        games: np.ndarray,
        seed: int,
        players: Players,
        ruleset: Ruleset,
        *,
        bock_factors: np.ndarray | None = None,
        are_ramsch_rounds: np.ndarray | None = None,
        time_limit: float | None = None,
        is_stopping: bool = False,
        beat: Callable[[int], None] | None = None,
    ) -> None:
        count = len(games)
        self._is_stopping = is_stopping
        self.numbers = np.ascontiguousarray(games, dtype=np.int64)
        self.seed = seed
        self.players = players
        self.ruleset = ruleset
        self.reasons: dict[int, str] = {}
        self.public, self.hidden, self.faults = self.records(count)
        self._rules = ruleset.kernel_record().copy()
        self._player_rows = players.kernel_rows()
        self._untouched = (self._rules.tobytes(), self._player_rows.tobytes())
        self._asked = np.zeros(count, dtype=lockstep.ASKED)
        self._clock = [0]
        self._memo: dict[Any, Any] = {}
        self._time_limit = time_limit
        self._beat = beat
        zeros = np.zeros(count, dtype=np.int64)
        lockstep.deal_rows(
            self._rules,
            self.public,
            self.hidden,
            seed,
            self.numbers,
            zeros if bock_factors is None else bock_factors,
            zeros if are_ramsch_rounds is None else are_ramsch_rounds,
        )
        policies = [players.player(number) for number in range(12)]
        self._policies = list(dict.fromkeys(policies))
        self._policy_of = np.array([self._policies.index(policy) for policy in policies])

    def records(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Zeros of dtype `PUBLIC`, `HIDDEN` and int64, to play on."""
        return (
            np.zeros(count, dtype=PUBLIC),
            np.zeros(count, dtype=HIDDEN),
            np.zeros(count, dtype=np.int64),
        )

    def put_fault(self, row: int, fault: KnownFault) -> None:
        """End a row with a fault of which another process told."""
        self.public[row] = np.frombuffer(fault.public, dtype=PUBLIC)[0]
        self.hidden[row] = np.frombuffer(fault.hidden, dtype=HIDDEN)[0]
        self.faults[row] = FAULT_NOT_RUN
        self.reasons[row] = fault.reason

    def play(
        self,
        rows: np.ndarray,
        actions: np.ndarray | None = None,
        callers: np.ndarray | None = None,
    ) -> np.ndarray:
        """Play some rows on until they are over; `faults` tells what was not legal.

        Parameters
        ----------
        rows : int64, their places.
        actions : int64, the answers to rows that wait for them.
        callers : bool, shape (12,): the players that are not asked here.

        Returns
        -------
        what is asked of those players, of dtype `skatsim.kernels.lockstep.ASKED`.
        """
        held = [self._asked[:0]]
        rows = np.array(rows, dtype=np.int64)
        actions = np.array(() if actions is None else actions, dtype=np.int64)
        while len(rows) and not (self._is_stopping and self.faults.any()):
            asked = self._advance(rows, actions)
            if callers is not None:
                is_held = callers[asked["player"]]
                held.append(asked[is_held])
                asked = asked[~is_held]
            rows = np.ascontiguousarray(asked["row"])
            actions = self._answers(asked)
        return np.sort(np.concatenate(held), order="row")

    def shown(self, asked: np.ndarray) -> Waiting:
        """What is asked, as it is shown to who answers; it holds good until rows are answered."""
        return Waiting(
            asked,
            self.public,
            self.ruleset,
            self._clock,
            memo=self._memo,
            dealer=self.players.dealer,
        )

    def _advance(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Answer rows and run them until they are over or wait; what is asked of them."""
        self._clock[0] += 1
        progress = np.zeros(2, dtype=np.int64)
        while progress[0] < len(rows):
            try:
                lockstep.advance_rows(
                    self._rules,
                    self._player_rows,
                    self.public,
                    self.hidden,
                    rows,
                    actions,
                    self.faults,
                    self._asked,
                    progress,
                )
            except BaseException as error:  # a compiled policy raised: whatever it was
                reraise_interrupt(error)
                row = int(rows[progress[0] - 1])
                self.faults[row] = FAULT_NOT_RUN
                self.reasons[row] = self.describe(row, f"raised {raised_text(error)}")
        return self._asked[: progress[1]]

    def _answers(self, asked: np.ndarray) -> np.ndarray:
        """What the policies answer, each asked once for all rows with one question."""
        actions = np.zeros(len(asked), dtype=np.int64)
        keys = self._policy_of[asked["player"]] * len(QUESTIONS) + asked["phase"]
        whole = self.shown(asked)
        for key in np.flatnonzero(np.bincount(keys)):
            chosen = np.flatnonzero(keys == key)
            waiting = whole if len(chosen) == len(asked) else whole.select(chosen)
            policy = self._policies[key // len(QUESTIONS)]
            faults: dict[int, str] = {}
            ask = answerer(policy, self._time_limit, self._beat, is_stopping=self._is_stopping)
            actions[chosen] = ask(waiting, faults)
            for index, reason in faults.items():
                row = int(waiting.row[index])
                self.faults[row] = FAULT_NOT_RUN
                self.reasons[row] = self.describe(row, reason)
            if faults and self._is_stopping:
                break
        return actions

    def put_written_rules(self, row: int) -> None:
        """End a row in which a compiled policy wrote to the rules or the parameters.

        At which decision is not known, so nothing of the hand is kept but the deal.
        """
        self.faults[row] = FAULT_NOT_RUN
        self.reasons[row] = self._wrote_text()

    def _wrote_text(self) -> str:
        names = [policy.text for policy in self.players.seated() if policy.way == "compiled"]
        who = f"policy {names[0]!r}" if len(names) == 1 else f"one of {', '.join(names)}"
        return f"{who} wrote to the rules or the parameters it was shown"

    def explain_faults(self) -> None:
        """Give each row with a fault its reason."""
        for row in np.flatnonzero(self.faults).tolist():
            if row not in self.reasons:
                self.reasons[row] = self.describe(row, self._wrong(row))

    def _wrong(self, row: int) -> str:
        if self.faults[row] == FAULT_WROTE:
            return "wrote to what it was shown"
        question = QUESTIONS[self.public["phase"][row]]
        return f"answered {self._answer_text(row)} to {question}, which is not legal"

    def _answer_text(self, row: int) -> str:
        answer, phase = int(self.hidden["answer"][row]), self.public["phase"][row]
        if phase == PHASE_PLAY and 0 <= answer < 32:
            return card_text(answer)
        if phase == PHASE_AUCTION:
            return _CALL_NAMES.get(answer, str(answer))
        if phase == PHASE_DECLARE and 0 <= answer < 1 << (REVOLUTION_BIT + 1) and answer & 7 < 6:
            from skatsim.contracts import Contract

            contract = replace(
                Contract.from_number(answer & 7, answer >> 3 & 15),
                is_spitze=bool(answer >> SPITZE_BIT & 1),
                is_revolution=bool(answer >> REVOLUTION_BIT & 1),
            )
            pair = answer >> 7 & 1023
            cards = sorted({pair & 31, pair >> 5}) if pair else []
            away = f" laying away {' '.join(card_text(card) for card in cards)}" if cards else ""
            return f"{str(contract)!r}{away}"
        return str(answer)

    def describe(self, row: int, what: str) -> str:
        """What a policy did at a row, with its name and what would have been legal."""
        public = self.public[row]
        seat, phase = int(public["seat"]), int(public["phase"])
        policy = self.players.player(engine.player_number(phase, seat))
        return f"policy {policy.text!r} at {SEATS[seat]} {what}: legal were {self._legal_text(row)}"

    def _legal_text(self, row: int) -> str:
        public = self.public[row]
        phase, state = public["phase"], public["auction_state"]
        if phase == PHASE_AUCTION:
            calls = legal_calls(self.ruleset, state, int(public["bid_value"]), self._memo)
            return " ".join(map(str, calls))
        cards = mask_text(
            engine.shown_cards(self._rules, public, self.hidden[row])[2],
            contract=int(public["contract"]) if phase == PHASE_PLAY else None,
        )
        if phase == PHASE_DECLARE:
            view = self._view(row)
            contracts = ", ".join(str(contract) for contract in view.legal_contracts)
            return f"{contracts}; two cards of {cards}" if cards else contracts
        if phase in (PHASE_PUSH, PHASE_RESORT):
            return f"{'two' if phase == PHASE_PUSH else 'ten'} cards of {cards}"
        return cards or "yes no"

    def _view(self, row: int) -> Any:
        asked = np.zeros(1, dtype=lockstep.ASKED)
        asked["row"] = row
        asked["phase"] = self.public["phase"][row]
        asked["seat"] = self.public["seat"][row]
        asked["hand_mask"] = self.hidden["hands"][row, self.public["seat"][row]]
        return Waiting(asked, self.public, self.ruleset, memo=self._memo).view(0)

    def is_asked_of(self, row: int, players: np.ndarray) -> bool:
        """Whether one of some players (bool, shape (12,)) decides at a row now."""
        public = self.public[row]
        return bool(players[engine.player_number(int(public["phase"]), int(public["seat"]))])

    def fault_line(self, row: int) -> str:
        """The line for who runs the games: policy, hand and legal actions."""
        return f"hand {self.numbers[row]} of seed {self.seed}: {self.reasons[row]}"

    def games(self) -> tuple[np.ndarray, np.ndarray]:
        """The games, ended by faults or over, and the calls of their auctions."""
        self.check_untouched()
        games = np.empty(len(self.faults), dtype=GAME)
        calls = np.empty(len(games) * MAX_CALLS, dtype=np.uint16)
        lockstep.store_rows(self._rules, self.public, self.hidden, self.faults, games, calls)
        used = int(games["call_end"][-1]) if len(games) else 0
        return games, calls[:used].copy()

    def check_untouched(self) -> None:
        """Raise WroteToRulesError where a compiled policy wrote to the rules or the parameters."""
        rules, players = self._untouched
        if (self._rules.tobytes(), self._player_rows.tobytes()) != (rules, players):
            raise WroteToRulesError(self._wrote_text())
