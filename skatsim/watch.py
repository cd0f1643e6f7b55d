"""A time limit for policies that run in our own code: parts played by a process that is watched.

What does not come back cannot be stopped from within: a compiled function holds its thread, a
Python method its interpreter. So with a time limit a part is played by a process of its own, whose
rows lie in memory that both see. If it stands still for too long, it is ended; the hand at which it
stood is known from there, and the part is played anew without it, or the run stops.
"""

import contextlib
import mmap
import os
import pickle
import queue
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cloudpickle
import numpy as np

from skatsim.blocks import BLOCK_HANDS, Task, play_part
from skatsim.errors import PolicyError, WorkerError
from skatsim.kernels.jit import loaded
from skatsim.kernels.lockstep import advance_rows
from skatsim.kernels.table import FAULT_RUNNING, HIDDEN, PUBLIC
from skatsim.manifest import Part
from skatsim.plugged import FaultAction, Referee
from skatsim.policies.answers import answerer
from skatsim.policies.players import Players
from skatsim.process_groups import end_group, end_groups, start_group
from skatsim.rows import KnownFault, Rows

__all__ = ["check_time_limit", "end_processes", "is_watched", "play_task", "serve"]

POLL_SECONDS: Final = 0.05

_WORD: Final = np.dtype(np.int64)

_ARRAYS: Final[tuple[tuple[str, np.dtype[Any]], ...]] = (
    ("state", _WORD),
    ("faults", _WORD),
    ("games", _WORD),
    ("public", PUBLIC),
    ("hidden", HIDDEN),
)

BUSY, ROW, BEATS, COUNT = range(4)
"""Places of the state: 1 while rows run and 2 while policies are asked, else 0; the row asked; how
often anything was asked; how many rows there are."""


def check_time_limit(players: Players, time_limit: float | None, on_fault: FaultAction) -> None:
    """Refuse a time limit that could not be kept.

    Raises
    ------
    PolicyError
        It says which policy, and why.
    """
    if time_limit is None:
        return
    for policy in players.seated():
        if policy.way == "batch" and on_fault == "record":
            raise PolicyError(
                f"no time limit for policy {policy.text!r} with --on-fault record: it is asked for "
                "many hands at once, and which one it hangs on cannot be told; let the run stop"
            )
        if policy.way != "built-in" and not policy.reference:
            try:
                cloudpickle.dumps(policy)
            except Exception as error:  # whatever pickling code of others raises
                raise PolicyError(
                    f"no time limit for policy {policy.text!r}: it cannot be sent to the process "
                    f"that would be ended ({type(error).__name__}); put it into a file"
                ) from error


def is_watched(players: Players, time_limit: float | None) -> bool:
    """Whether parts are played by processes that are watched; programs are watched as they are."""
    return time_limit is not None and any(
        policy.way in ("compiled", "batch", "plain") for policy in players.seated()
    )


def play_task(task: Task) -> Part:
    """Play a part here, or where there is a time limit to be kept in a process of its own.

    Raises
    ------
    PolicyError
        A policy broke the rules or took too long, and the run stops then.
    """
    if not is_watched(task.players, task.time_limit):
        return play_part(task)
    known: dict[int, KnownFault] = {}
    ended: set[int] = set()
    while True:
        process = _idle.pop() if _idle else _Process()
        try:
            result = process.play(task, known)
        except BaseException:
            process.end()
            raise
        if isinstance(result, Part):
            _idle.append(process)
            return result
        process.end()
        if result.is_end and result.game not in ended:  # perhaps by somebody else
            ended.add(result.game)
        elif task.on_fault == "stop":
            raise PolicyError(f"hand {result.game} of seed {task.seed}: {result.fault.reason}")
        else:
            known[result.game] = result.fault


_idle: list["_Process"] = []


def end_processes() -> None:
    """End the processes that wait for a part to play."""
    while _idle:
        _idle.pop().end()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standstill:
    """The game at which a policy did not come back, how it stood, and whether it ended its process.

    A process may also have been ended from outside; a policy does it again at the same game.
    """

    game: int
    fault: KnownFault
    is_end: bool


class _Memory:
    """The rows of a block and where they stand, in a file that two processes see."""

    def __init__(self, path: Path, count: int) -> None:
        sizes = [(8 if name == "state" else count) * kind.itemsize for name, kind in _ARRAYS]
        if path.stat().st_size < sum(sizes):
            os.truncate(path, sum(sizes))
        with path.open("r+b") as file:
            memory = mmap.mmap(file.fileno(), sum(sizes))
        start = 0
        self.arrays: dict[str, np.ndarray] = {}
        for (name, kind), size in zip(_ARRAYS, sizes, strict=True):
            length = size // kind.itemsize
            self.arrays[name] = np.frombuffer(memory, kind, count=length, offset=start)
            start += size

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]


class _WatchedRows(Rows):
    """Rows in shared memory that tell when they run and whom they ask."""

    def __init__(self, memory: _Memory, games: np.ndarray, *arguments: Any, **named: Any) -> None:
        self._memory = memory
        memory["state"][COUNT] = len(games)
        memory["games"][: len(games)] = games
        super().__init__(games, *arguments, beat=self._tell, **named)

    def records(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        arrays = [self._memory[name][:count] for name in ("public", "hidden", "faults")]
        for array in arrays:
            array[:] = np.zeros(1, dtype=array.dtype)
        return arrays[0], arrays[1], arrays[2]

    def _tell(self, row: int) -> None:
        state = self._memory["state"]
        state[ROW] = row
        state[BEATS] += 1

    def play(self, *arguments: Any, **named: Any) -> np.ndarray:
        loaded(advance_rows)  # this takes its time, and so may a model
        for policy in self.players.every:
            if policy.way in ("batch", "plain"):
                answerer(policy, self._time_limit)
        return super().play(*arguments, **named)

    def _advance(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        with self._busy(1):
            return super()._advance(rows, actions)

    def _answers(self, asked: np.ndarray) -> np.ndarray:
        with self._busy(2):
            return super()._answers(asked)

    @contextlib.contextmanager
    def _busy(self, how: int) -> Iterator[None]:
        state = self._memory["state"]
        state[BEATS] += 1
        state[BUSY] = how
        yield
        state[BUSY] = 0


class _Process:
    """A process that plays parts, seen from outside."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="skatsim-watch-")
        self._path = Path(self._folder.name) / "rows"
        self._path.touch()
        self._process = start_group(  # -P: nothing is imported from the working folder
            [sys.executable, "-P", "-c", "from skatsim.watch import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
        )

    def end(self) -> None:
        """End it, and all that it started."""
        end_group(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._folder.cleanup()

    def play(self, task: Task, known: Mapping[int, KnownFault]) -> Part | _Standstill:
        """The part; or where a policy did not come back.

        Raises
        ------
        PolicyError
            A policy broke the rules and the run stops then.
        WorkerError
            The process ended while no policy was asked.
        """
        self._task = task
        self._limit = task.time_limit or 0.0
        block = task.plan.whole(BLOCK_HANDS) if task.plan else BLOCK_HANDS
        self._memory = _Memory(self._path, block)
        self._memory["state"][:] = 0
        message = cloudpickle.dumps((task, known, str(self._path), block))
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(len(message).to_bytes(8, "little") + message)
            self._process.stdin.flush()
        return self._wait()

    def _wait(self) -> Part | _Standstill:
        assert self._process.stdout is not None
        answer, mark, since = b"", -1, time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                if selector.select(min(POLL_SECONDS, self._limit / 2)):
                    piece = os.read(self._process.stdout.fileno(), 1 << 20)
                    answer += piece
                    if not piece or len(answer) == 8 + int.from_bytes(answer[:8], "little"):
                        return self._read(answer[8:])
                    continue
                if self._sign() != mark:
                    mark, since = self._sign(), time.monotonic()
                elif time.monotonic() - since > self._limit:
                    return self._standstill(f"gave no answer within {self._limit:g} s")

    def _sign(self) -> int:
        """A number that changes whenever anything moves on, and while nobody is asked."""
        state = self._memory["state"]
        if state[BUSY] == 0:
            return time.monotonic_ns()
        count = int(state[COUNT])
        moved = int(self._memory["public"]["decision_count"][:count].sum())
        return int(state[BEATS]) * 1_000_003 + moved

    def _is_asking(self) -> bool:
        state = self._memory["state"]
        is_running = self._memory["faults"][: state[COUNT]] == FAULT_RUNNING
        return bool(state[BUSY] == 2 or (state[BUSY] == 1 and is_running.any()))

    def _standstill(self, what: str, *, is_end: bool = False) -> _Standstill:
        state = self._memory["state"]
        row = int(state[ROW])
        if state[BUSY] == 1:
            faults = self._memory["faults"][: state[COUNT]]
            row = int(np.flatnonzero(faults == FAULT_RUNNING)[0])
        game = int(self._memory["games"][row])
        task = self._task
        players = task.players
        if task.plan:
            players = players.at(task.plan.seats(game))
        public, hidden = (self._memory[name][row].tobytes() for name in ("public", "hidden"))
        table = Rows(np.array([game]), task.seed, players, task.ruleset)
        table.put_fault(0, KnownFault(public=public, hidden=hidden, reason=""))
        fault = KnownFault(public=public, hidden=hidden, reason=table.describe(0, what))
        return _Standstill(game=game, fault=fault, is_end=is_end)

    def _read(self, answer: bytes) -> Part | _Standstill:
        if not answer:
            code = self._process.wait()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            if self._is_asking():
                return self._standstill(f"ended its process with {how}", is_end=True)
            names = ", ".join(policy.text for policy in self._task.players.seated())
            raise WorkerError(
                f"a process that played with {names} ended with {how}: finished parts are kept"
            )
        result = pickle.loads(answer)
        if isinstance(result, Part):
            return result
        raise result


def serve() -> None:
    """Play the parts that come by standard input, and answer by standard output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what policies print goes to the other stream
    messages: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(messages,), daemon=True).start()
    while True:
        result: Any
        try:
            task, known, path, count = pickle.loads(messages.get())
            result = play_part(task, _referee(task, known, _Memory(Path(path), count)))
        except Exception as error:  # it is raised again on the other side
            result = error
        answer = cloudpickle.dumps(result)
        out.write(len(answer).to_bytes(8, "little") + answer)
        out.flush()


def _referee(task: Task, known: Mapping[int, KnownFault], memory: _Memory) -> Referee:
    return Referee(
        on_fault=task.on_fault,
        time_limit=task.time_limit,
        make_rows=lambda *arguments, **named: _WatchedRows(memory, *arguments, **named),
        known=known,
    )


def _listen(messages: "queue.Queue[bytes]") -> None:
    """Hand on what comes, and leave when the other side is gone."""
    with open(0, "rb", closefd=False) as stream:
        while size := stream.read(8):
            messages.put(stream.read(int.from_bytes(size, "little")))
    end_groups()
    os._exit(0)
