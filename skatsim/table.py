"""Tables played in step, with policies of any kind, or by whoever asks and answers.

`Table` is the step API for learning programs: `Table.waiting` says which tables wait and what
their seats are shown, `Table.apply` answers them. The simulator plays by it wherever a policy is
not built in.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from skatsim.arguments import GREATEST, check_seed, check_whole
from skatsim.cards import SEATS
from skatsim.errors import PolicyError, RuleError
from skatsim.policies.base import Policy
from skatsim.policies.players import Players, PolicyLike
from skatsim.rows import Rows
from skatsim.ruleset import ISKO, Ruleset, find_ruleset
from skatsim.view import Waiting
from skatsim.wording import count_text

__all__ = ["Table"]

CALLER: Final = Policy(
    name="caller", version=0, description="whoever answers by Table.apply", way="plain"
)


MOST_TABLES: Final = 10_000_000
"""All are kept in memory."""


class Table:
    """Many tables at which one hand each is played, in step.

    Parameters
    ----------
    count : how many, at most `MOST_TABLES`.
    seed, first : they get games ``first`` to ``first + count - 1`` of a seed.
    bidding, declaring, play, kontra : who takes which decision at all seats; None for the caller.
    seats : instead, who sits at forehand, middlehand and rearhand; None for the caller.
    ruleset : the rules.

    Raises
    ------
    PolicyError
        A policy is not known, or broke the rules.
    RuleError
        A number is out of range, or the ruleset is not known.

    Examples
    --------
    >>> table = Table(100, seed=1, bidding="heuristic", declaring="heuristic")
    >>> while len(waiting := table.waiting()):
    ...     lowest = waiting.legal_mask & -waiting.legal_mask
    ...     table.apply(np.bitwise_count(lowest - 1))
    >>> table.scores().shape
    (100, 3)
    """

    def __init__(
        self,
        count: int,
        *,
        seed: int = 0,
        first: int = 0,
        bidding: PolicyLike | None = None,
        declaring: PolicyLike | None = None,
        play: PolicyLike | None = None,
        kontra: PolicyLike | None = None,
        seats: Sequence[PolicyLike | None] | None = None,
        ruleset: str | Ruleset = ISKO,
    ) -> None:
        count = check_whole(count, "count", least=0, most=MOST_TABLES)
        first = check_whole(first, "first", least=0, most=GREATEST - count)
        seed = check_seed(seed)
        players = Players.of(
            bidding=bidding or CALLER,
            declaring=declaring or CALLER,
            play=play or CALLER,
            kontra=kontra,
            seats=None if seats is None else [policy or CALLER for policy in seats],
        )
        if isinstance(ruleset, str):
            ruleset = find_ruleset(ruleset)
        self._rows = Rows(np.arange(first, first + count), seed, players, ruleset)
        self._is_caller = np.array([players.player(number) == CALLER for number in range(12)])
        self._go_on(np.arange(count))

    def __len__(self) -> int:
        """The number of tables."""
        return len(self._rows.faults)

    @property
    def is_over(self) -> bool:
        """Whether all hands are played."""
        return not len(self.waiting())

    def waiting(self) -> Waiting:
        """The tables that wait for the caller; none once all hands are played."""
        return self._waiting

    def apply(self, actions: Any) -> None:
        """Answer all tables that wait, and play on until the caller is asked again.

        Parameters
        ----------
        actions : whole numbers, one for each table of `waiting`, in its order: cards in play;
            `skatsim.kernels.table` says the others.

        Raises
        ------
        RuleError
            They are not as many as tables wait; or some are not legal: these tables go on
            waiting, the others were answered.
        """
        rows = self._waiting.row
        array = np.asarray(actions)
        if array.dtype.kind not in "iub" or array.shape != rows.shape:
            raise RuleError(
                f"cannot apply {array.dtype} of shape {array.shape}: "
                f"{len(rows)} whole numbers are waited for"
            )
        self._go_on(rows, array)

    def _go_on(self, rows: np.ndarray, actions: np.ndarray | None = None) -> None:
        """Play on until all rows are over or wait for the caller."""
        table = self._rows
        asked = table.play(rows, actions, self._is_caller)
        table.explain_faults()
        lines = [table.fault_line(row) for row in table.reasons]
        refused = [row for row in table.reasons if table.is_asked_of(row, self._is_caller)]
        if len(refused) < len(lines):
            raise PolicyError(lines[0])
        if refused:  # they go on waiting
            table.faults[refused] = 0
            table.reasons.clear()
            again = table.play(np.array(refused), None, self._is_caller)
            asked = np.sort(np.concatenate((asked, again)), order="row")
        self._waiting = table.shown(asked)
        if refused:
            more = (
                f" (and {count_text(len(refused) - 1, 'more table')})" if len(refused) > 1 else ""
            )
            raise RuleError(f"{lines[0]}{more}")

    def games(self) -> np.ndarray:
        """The hands as records of dtype `skatsim.kernels.columns.GAME`, once all are played.

        Raises
        ------
        RuleError
            A table still waits.
        """
        if not self.is_over:
            raise RuleError(
                f"still waiting at {count_text(len(self._waiting), 'table')}: answer first"
            )
        return self._rows.games()[0]

    def scores(self) -> np.ndarray:
        """What forehand, middlehand and rearhand enter for each hand: int64, shape (n, 3)."""
        games = self.games()
        entries = [games[f"{seat}_entry"] for seat in SEATS]
        scores = np.stack(entries, axis=1).astype(np.int64)
        declared = np.flatnonzero(games["declarer_seat"] >= 0)
        scores[declared, games["declarer_seat"][declared]] = games["score"][declared]
        return scores
