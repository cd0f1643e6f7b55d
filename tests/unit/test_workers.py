"""Workers: what they are told, and what they say where there is no cluster."""

import threading
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from skatsim.blocks import Task
from skatsim.errors import WorkerError
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate
from skatsim.workers import Workers

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"backend": "cloud"}, "no backend 'cloud': there are local, dask, ray"),
        ({"scheduler": "tcp://10.0.0.1:8786"}, "have no scheduler"),
        ({"backend": "dask"}, "needs the address of a --scheduler"),
    ],
)
def test_nonsense_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkerError, match=message):
        simulate(hands=1, **UNIFORM, **settings)


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_missing_extra_is_named(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("distributed", "ray"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(WorkerError, match=rf"pip install 'skatsim\[{backend}\]'"):
        simulate(hands=1, backend=backend, scheduler="tcp://127.0.0.1:9", **UNIFORM)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_part_is_begun_after_a_stop(n_jobs: int) -> None:
    stop = threading.Event()
    begun: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(100):
            begun.append(number)
            yield Task(
                run="",
                seed=1,
                first=5000 * number,
                hands=5000,
                players=Players.of(**UNIFORM),
                ruleset=ISKO,
                path=None,
            )

    done = []
    for part in Workers(n_jobs=n_jobs).parts(tasks(), stop):
        done.append(part.first)
        stop.set()
    assert len(done) <= len(begun) < 100
    assert sorted(done) == [5000 * number for number in range(len(done))]


def test_giving_up_while_parts_are_played_says_nothing() -> None:
    """The one who gives up, for a full disk, says why; joblib's warning is no second line."""
    tasks = (
        Task(run="r", seed=1, first=first, hands=1 + 400_000 * (first > 0),
             players=Players.of(**UNIFORM), ruleset=ISKO, path=None)
        for first in range(20)
    )  # fmt: skip
    parts = Workers(n_jobs=2).parts(tasks, None)
    assert isinstance(parts, Generator)
    assert next(parts).hands == 1
    parts.close()  # warnings are errors here
