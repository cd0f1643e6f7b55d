"""Processes that lead a group of their own, so that all they started ends with them."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["STOP_SIGNALS", "end_group", "end_groups", "start_group"]

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""What asks a program to end: Ctrl-C, and what schedulers send."""

_leaders: set[int] = set()


def start_group(words: Sequence[str], **settings: Any) -> "subprocess.Popen[bytes]":
    """Start a program as `subprocess.Popen` does, as the leader of a new group."""
    process = subprocess.Popen(words, start_new_session=True, **settings)
    _leaders.add(process.pid)
    return process


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill a group, and wait for its leader."""
    _kill(process.pid)
    process.wait()
    _leaders.discard(process.pid)


def end_groups() -> None:
    """Kill all groups that were started here, for a process that is about to leave at once."""
    for leader in list(_leaders):
        _kill(leader)


def _kill(leader: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
