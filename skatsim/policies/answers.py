"""Policies asked, and their answers read as the integers that the kernels take."""

import operator
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

import numpy as np

from skatsim.cards import parse_card
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import PolicyError
from skatsim.kernels.table import CALL_HOLD, CALL_PASS, CALL_PLAY, PHASE_RESORT
from skatsim.policies.base import BadAnswer, Policy, raised_text, reraise_interrupt
from skatsim.policies.command import Program
from skatsim.view import QUESTIONS, PlayerView, Waiting, declaration_code

__all__ = ["Answerer", "answerer", "close_programs", "read_answer"]

_CALLS: Final = {"pass": CALL_PASS, "hold": CALL_HOLD, "play": CALL_PLAY}

_WANTED: Final = {
    "bid": "a value, 'hold', 'play' or 'pass'",
    "declare": "a contract, after a pick-up with two cards to lay away",
    "play": "a card",
    "push": "two cards",
    "resort": "ten cards",
}


class Answerer(Protocol):
    """A policy at work: it answers one question at several tables."""

    def __call__(self, waiting: Waiting, faults: dict[int, str]) -> np.ndarray:
        """The actions (int64), one a table; for those without one, the reason in `faults`."""
        ...


_made = threading.local()


def answerer(
    policy: Policy,
    time_limit: float | None = None,
    beat: Callable[[int], None] | None = None,
    *,
    is_stopping: bool = False,
) -> Answerer:
    """The policy at work in this thread: its object or its program, made when first asked for.

    Parameters
    ----------
    time_limit : seconds that a program may take for an answer.
    beat : called with the number of the table before each answer that is waited for.
    is_stopping : ask no further once there was a fault.

    Raises
    ------
    PolicyError
        Its class cannot be instantiated.
    """
    kept: dict[Any, Any] = _made.__dict__.setdefault("players", {})
    key = (policy, time_limit)
    if key not in kept:
        kept[key] = (
            Program(policy.player, time_limit) if policy.way == "command" else _instance(policy)
        )
    player = kept[key]
    if policy.way == "batch":
        return _Batch(player, beat, is_stopping)
    return _Plain(player, beat, is_stopping)


def close_programs() -> None:
    """End the programs that answer in this thread; they are begun anew when asked again."""
    for player in _made.__dict__.get("players", {}).values():
        if isinstance(player, Program):
            player.close()


def _instance(policy: Policy) -> Any:
    arguments = {
        parameter.name: int(value)
        if isinstance(_default(policy, parameter.name), int) and value.is_integer()
        else value
        for parameter, value in zip(policy.parameters, policy.values, strict=True)
    }
    try:
        return policy.player(**arguments)
    except BaseException as error:  # code of others: whatever it raises
        reraise_interrupt(error)
        raise PolicyError(
            f"policy {policy.text!r} cannot be started: {raised_text(error)}"
        ) from error


def _default(policy: Policy, name: str) -> Any:
    import inspect

    return inspect.signature(policy.player).parameters[name].default


def _method(player: Any, question: str) -> Callable[[PlayerView], Any]:
    """What answers a question: the object's method, or what is said without one."""
    method = getattr(player, question, None)
    if method is not None:
        found: Callable[[PlayerView], Any] = method
        return found
    if question == "resort":
        return lambda view: view.hand
    return lambda view: question == "pick_up"


class _Plain:
    """A policy that is asked for one table after the other."""

    def __init__(self, player: Any, beat: Callable[[int], None] | None, is_stopping: bool) -> None:
        self._player = player
        self._beat = beat
        self._is_stopping = is_stopping

    def __call__(self, waiting: Waiting, faults: dict[int, str]) -> np.ndarray:
        question = QUESTIONS[waiting.phase[0]]
        ask = self._asking(question)
        is_number = question in ("play", "bid")
        actions: list[int] = []
        for view in waiting.views():
            if faults and self._is_stopping:
                break
            if self._beat is not None:
                self._beat(int(waiting.row[view.place]))
            try:
                answer = ask(view)
                if not (is_number and type(answer) is int):
                    answer = read_answer(question, answer, view)
            except BadAnswer as error:
                faults[view.place], answer = str(error), 0
            except BaseException as error:  # code of others: whatever it raises is its fault
                reraise_interrupt(error)
                faults[view.place], answer = f"raised {raised_text(error)}", 0
            actions.append(answer)
        actions += [0] * (len(waiting) - len(actions))
        return _int64(actions, faults)

    def _asking(self, question: str) -> Callable[[PlayerView], Any]:
        if isinstance(self._player, Program):
            return self._player.answer
        try:
            return _method(self._player, question)
        except BaseException as error:  # a property of others
            reraise_interrupt(error)
            said = f"raised {raised_text(error)}"

            def fail(view: PlayerView) -> Any:
                raise BadAnswer(said)

            return fail


def _int64(actions: list[int], faults: dict[int, str]) -> np.ndarray:
    try:
        return np.array(actions, dtype=np.int64)
    except OverflowError:
        for index, action in enumerate(actions):
            if not -(2**63) <= action < 2**63:
                faults[index], actions[index] = f"answered {action}", 0
        return np.array(actions, dtype=np.int64)


class _Batch:
    """A policy that is asked for all tables at once."""

    def __init__(self, player: Any, beat: Callable[[int], None] | None, is_stopping: bool) -> None:
        self._player = player
        self._beat = beat
        self._is_stopping = is_stopping

    def __call__(self, waiting: Waiting, faults: dict[int, str]) -> np.ndarray:
        question = QUESTIONS[waiting.phase[0]]
        if self._beat is not None:
            self._beat(int(waiting.row[0]))
        try:
            method = getattr(self._player, question, None)
            if method is None:
                if waiting.phase[0] == PHASE_RESORT:
                    return waiting.hand_mask
                return np.full(len(waiting), question == "pick_up", dtype=np.int64)
            return self._checked(method(waiting), len(waiting))
        except BadAnswer as error:
            fault = str(error)
        except BaseException as error:  # code of others: whatever it raises is its fault
            reraise_interrupt(error)
            fault = f"raised {raised_text(error)}"
        if len(waiting) == 1:
            faults[0] = fault
            return np.zeros(1, dtype=np.int64)
        return self._one_by_one(waiting, faults)

    def _one_by_one(self, waiting: Waiting, faults: dict[int, str]) -> np.ndarray:
        """Asked for each table alone, to find those that the fault is of."""
        actions = np.zeros(len(waiting), dtype=np.int64)
        for index in range(len(waiting)):
            found: dict[int, str] = {}
            actions[index] = self(waiting.select(np.array([index])), found)[0]
            if found:
                faults[index] = found[0]
                if self._is_stopping:
                    break
        return actions

    @staticmethod
    def _checked(answer: Any, count: int) -> np.ndarray:
        array = np.asarray(answer)
        if array.shape != (count,) or array.dtype.kind not in "iub":
            what = repr(answer) if array.shape == () else f"{array.dtype} of shape {array.shape}"
            raise BadAnswer(f"answered {what}: wanted are {count} whole numbers")
        return np.ascontiguousarray(array, dtype=np.int64)


def read_answer(question: str, answer: Any, view: PlayerView) -> int:
    """The action of an answer: in Python, or as it comes out of JSON.

    Raises
    ------
    BadAnswer
        It is nothing that can be answered to this question.
    """
    try:
        if question == "bid":
            return _call(answer)
        if question == "play":
            return _card(answer)
        if question == "declare":
            return _declaration(answer, view)
        if question == "push":
            low, high = sorted(_card(card) for card in _several(answer))
            return low | high << 5
        if question == "resort":
            return sum({1 << _card(card) for card in _several(answer)})
        if isinstance(answer, bool | np.bool_ | int) and answer in (0, 1):
            return int(answer)
    except (TypeError, ValueError):
        pass
    wanted = _WANTED.get(question, "True or False")
    raise BadAnswer(f"answered {_shown(answer)} to {question}: wanted is {wanted}")


def _shown(answer: Any) -> str:
    text = repr(answer)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _call(answer: Any) -> int:
    if isinstance(answer, str):
        return _CALLS[answer] if answer in _CALLS else int(answer)
    if isinstance(answer, bool):
        raise TypeError
    return operator.index(answer)


def _card(answer: Any) -> int:
    if isinstance(answer, str):
        return parse_card(answer, "english")
    if isinstance(answer, bool):
        raise TypeError
    return operator.index(answer)


def _several(answer: Any) -> Iterable[Any]:
    return answer.split() if isinstance(answer, str) else tuple(answer)


def _declaration(answer: Any, view: PlayerView) -> int:
    discard: Any = ()
    if isinstance(answer, Mapping):
        discard = answer.get("discard") or ()
        answer = answer["contract"]
    elif isinstance(answer, tuple | list):
        answer, discard = answer
        discard = () if discard is None else discard
    if isinstance(answer, str):
        answer = parse_contract(answer, view.ruleset)
    if not isinstance(answer, Contract):
        raise TypeError
    memo = view.waiting.memo
    if answer not in memo:
        memo[answer] = declaration_code(answer.closed(view.ruleset))
    code: int = memo[answer]
    cards = sorted(_card(card) for card in _several(discard))
    if cards:
        low, high = cards
        if not 0 <= low < high < 32:
            raise ValueError
        code |= low << 7 | high << 12
    return code
