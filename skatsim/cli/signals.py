"""Ctrl-C and SIGTERM: the first asks a command to end, the second ends it at once.

Python runs its handlers between two steps of its main thread, and so never while that waits for a
compiled function that does not return. A thread of its own hears the signals whatever the main
thread does.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import click

from skatsim.process_groups import STOP_SIGNALS, end_groups

__all__ = ["hear_signals", "stop_on_signals"]

ONE_SECONDS: Final = 0.3
"""What comes within this time of the first is the same wish: it may be sent to a process and to
its group."""


class _Listener:
    """What came, and what the first signal does."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self.stop: threading.Event | None = None
        self._first = 0.0

    def hear(self, number: int) -> None:
        """Take note of a signal; the second does not return."""
        if not self.came:
            self.came.append(number)
            self._first = time.monotonic()
            if self.stop is not None:
                self.stop.set()
                _tell("stopping when the parts being played are finished; once more ends at once")
        elif time.monotonic() - self._first > ONE_SECONDS:
            _end(number)


_listening: list[_Listener] = []
"""The listener of the command that runs, if any."""


@contextlib.contextmanager
def hear_signals() -> Iterator[None]:
    """Hear the signals that ask to end, for as long as a command runs in the main thread."""
    if threading.current_thread() is not threading.main_thread() or _listening:
        yield
        return
    listener = _Listener()
    _listening.append(listener)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def listen() -> None:
        while data := os.read(reading, 1):
            if data[0] in STOP_SIGNALS:
                listener.hear(data[0])

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writing)
        thread.join()
        os.close(reading)
        _listening.clear()


@contextlib.contextmanager
def stop_on_signals() -> Iterator[tuple[threading.Event, list[int]]]:
    """An event that SIGINT and SIGTERM set, and the signals that came, for work in parts."""
    stop = threading.Event()
    if not _listening:
        yield stop, []
        return
    listener = _listening[0]
    before = {number: signal.signal(number, _wait) for number in STOP_SIGNALS}
    listener.stop = stop
    try:
        yield stop, listener.came
    finally:
        listener.stop = None
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _wait(number: int, frame: Any) -> None:
    """Go on: the listener has set the event."""


def _end(number: int) -> None:
    """End this process and all that it started, whatever it is doing."""
    end_groups()
    if sys.stderr.isatty():
        sys.stderr.write("\x1b[?25h")  # a progress bar hides the cursor
    _tell("ended at once: what was finished is kept")
    os._exit(128 + number)


def _tell(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"skatsim: {text}", err=True)
