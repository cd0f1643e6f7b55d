"""Policies in another language: a program that reads a line of JSON and answers with one."""

import contextlib
import json
import os
import selectors
import subprocess
import time
import weakref
from collections.abc import Sequence
from typing import IO, Any, Final

from skatsim.policies.base import BadAnswer
from skatsim.process_groups import end_group, start_group
from skatsim.view import PlayerView

__all__ = ["ANSWER_SECONDS", "Program"]

ANSWER_SECONDS: Final = 10.0
"""How long a program may take for an answer, unless a time limit is given."""

ANSWER_BYTES: Final = 1 << 20
"""How long the line of an answer may be."""

LEAVE_SECONDS: Final = 1.0
"""How long it may take to leave once its input has ended."""


class Program:
    """A program kept running: asked one view at a time, begun anew after a fault.

    It leads a group of processes, so that what it started ends with it. It is asked to leave by
    the end of its input, and killed if it does not.

    Parameters
    ----------
    words : the program and its arguments.
    time_limit : seconds for an answer.
    """

    def __init__(self, words: Sequence[str], time_limit: float | None = None) -> None:
        self._words = list(words)
        self._time_limit = time_limit or ANSWER_SECONDS
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def answer(self, view: PlayerView) -> Any:
        """What the program answers, out of JSON.

        Raises
        ------
        BadAnswer
            It cannot be started, ended, took too long, or answered with something else.
        """
        line = json.dumps(view.to_dict(), separators=(",", ":")) + "\n"
        try:
            text = self._exchange(line.encode())
            return json.loads(text)
        except (ValueError, RecursionError):
            fault = f"answered {text[:80]!r}, which is no JSON"
        except BadAnswer as error:
            fault = str(error)
        self.close(is_hurried=True)
        raise BadAnswer(fault)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            process = start_group(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise BadAnswer(f"cannot be started: {error.strerror}") from error
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        self._rest = b""
        self._ender = weakref.finalize(self, _end, process, LEAVE_SECONDS)
        return process

    def _exchange(self, line: bytes) -> str:
        if self._process is None:
            self._process = self._start()
        end = time.monotonic() + self._time_limit
        if self._has_more():
            raise BadAnswer("answered more than one line to the question before")
        try:
            while line:
                self._wait("stdin", selectors.EVENT_WRITE, end)
                line = line[os.write(self._stream("stdin").fileno(), line) :]
        except OSError:
            raise BadAnswer(self._ended()) from None
        while b"\n" not in self._rest:
            self._wait("stdout", selectors.EVENT_READ, end)
            piece = os.read(self._stream("stdout").fileno(), 65_536)
            if not piece:
                raise BadAnswer(self._ended())
            self._rest += piece
            if len(self._rest) > ANSWER_BYTES:
                raise BadAnswer(f"answered {len(self._rest):,} bytes in a line and more")
        answer, _, self._rest = self._rest.partition(b"\n")
        return answer.decode("utf-8", "replace")

    def _has_more(self) -> bool:
        """Whether the program has said what nobody asked; blank lines are nothing."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream("stdout"), selectors.EVENT_READ)
            if selector.select(0):
                self._rest += os.read(self._stream("stdout").fileno(), 65_536)
        self._rest = self._rest.lstrip()
        return bool(self._rest)

    def _wait(self, name: str, event: int, end: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream(name), event)
            if not selector.select(max(0.0, end - time.monotonic())):
                raise BadAnswer(f"gave no answer within {self._time_limit:g} s")

    def _stream(self, name: str) -> IO[bytes]:
        stream: IO[bytes] = getattr(self._process, name)
        return stream

    def _ended(self) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"ended with exit code {code}"

    def close(self, *, is_hurried: bool = False) -> None:
        """End the program and all that it started."""
        if self._process is not None:
            self._ender.detach()
            _end(self._process, 0.0 if is_hurried else LEAVE_SECONDS)
            self._process = None


def _end(process: "subprocess.Popen[bytes]", seconds: float) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    end_group(process)
