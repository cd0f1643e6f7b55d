"""Who plays the parts of a run: threads of this process, or joblib's workers on other machines.

Compiled policies let go of Python's lock, so threads are as fast as processes here. Dask and Ray
come in through joblib's own backends; their workers write their parts themselves.
"""

import contextlib
import functools
import itertools
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Final, Literal

import joblib

from skatsim.blocks import Task
from skatsim.errors import SkatSimError, WorkerError
from skatsim.manifest import Part
from skatsim.plugged import FaultAction
from skatsim.watch import end_processes, play_task

__all__ = ["BACKENDS", "Backend", "Workers", "usable_processors"]

Backend = Literal["local", "dask", "ray"]

BACKENDS: Final = ("local", "dask", "ray")
"""Where parts can be played; all but the first need the extra of their name."""

CONNECT_SECONDS: Final = 10

MOST_LOSSES: Final = 10
"""So often a worker of Ray may end before its part is there, then the run is given up."""


def usable_processors() -> int:
    """The processors this process may use, at least 1."""
    return max(1, int(joblib.cpu_count()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Workers of a backend.

    Parameters
    ----------
    backend : ``local`` threads, or a cluster of ``dask`` or ``ray``.
    n_jobs : how many parts are played at a time; None is all there are.
    scheduler : address of the cluster; without it Ray starts one on this machine.
    has_processes : policies are Python, which lets only one thread run: local workers are
        processes.
    on_fault, time_limit : what is done about policies that break the rules (`Task`).
    """

    backend: Backend = "local"
    n_jobs: int | None = None
    scheduler: str | None = None
    has_processes: bool = False
    on_fault: FaultAction = "stop"
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise WorkerError(f"no backend {self.backend!r}: there are {', '.join(BACKENDS)}")
        if self.backend == "local" and self.scheduler is not None:
            raise WorkerError("workers of this machine have no scheduler: name a --backend")
        if self.backend == "dask" and self.scheduler is None:
            raise WorkerError("Dask needs the address of a --scheduler, like tcp://10.0.0.1:8786")

    @property
    def is_local(self) -> bool:
        """Whether they share this process."""
        return self.backend == "local"

    def parts(
        self, tasks: Iterable[Task], stop: threading.Event | None, *, in_order: bool = False
    ) -> Iterator[Part]:
        """Parts as they are finished; none is begun once `stop` is set.

        Raises
        ------
        WorkerError
            The cluster cannot be reached, is lost, or needs an extra.
        """
        refereed = (
            replace(task, on_fault=self.on_fault, time_limit=self.time_limit) for task in tasks
        )
        found = self._parts(_until(stop, refereed), in_order=in_order)
        try:
            for part in found:  # noqa: UP028 (`yield from` would close `found` itself)
                yield part
        finally:
            with warnings.catch_warnings():
                # that parts are cancelled is meant: who asked for them gave up, and says why
                warnings.filterwarnings("ignore", ".*still being processed by the workers")
                found.close()
            end_processes()

    def _parts(self, pending: Iterator[Task], *, in_order: bool) -> Generator[Part, None, None]:
        if self.backend == "dask":
            yield from self._by_dask(pending, in_order=in_order)
        elif self.backend == "ray":
            yield from self._by_ray(pending)
        elif self.n_jobs == 1:
            yield from map(play_task, pending)
        else:
            yield from self._here(pending, in_order=in_order)

    def _here(self, tasks: Iterator[Task], *, in_order: bool) -> Iterator[Part]:
        n_jobs = self.n_jobs or usable_processors()
        parallel = joblib.Parallel(
            n_jobs=n_jobs,
            backend="loky" if self.has_processes else "threading",
            pre_dispatch=n_jobs,
            batch_size=1,
            return_as=_order(in_order),
        )
        play = functools.partial(_play_below, os.getpid()) if self.has_processes else play_task
        with _process_errors():
            yield from parallel(joblib.delayed(play)(task) for task in tasks)

    def _by_dask(self, tasks: Iterator[Task], *, in_order: bool) -> Iterator[Part]:
        with _extra("dask"):
            from distributed import Client
        with _cluster_errors("dask"):
            client = Client(self.scheduler, timeout=CONNECT_SECONDS)
        with (
            _cluster_errors("dask"),
            client,
            joblib.parallel_config(backend="dask", client=client),
        ):
            parallel = joblib.Parallel(
                n_jobs=self.n_jobs or -1,
                pre_dispatch="2*n_jobs",
                batch_size=1,
                return_as=_order(in_order),
            )
            yield from parallel(joblib.delayed(play_task)(task) for task in tasks)

    def _by_ray(self, tasks: Iterator[Task]) -> Iterator[Part]:
        """Parts in rounds, since Ray's backend does not stream results."""
        with _kept_sigterm(), _extra("ray"):
            import ray
            from ray.util.joblib import register_ray
        register_ray()
        is_ours = not ray.is_initialized()
        with _kept_sigterm(), _cluster_errors("ray"):
            if is_ours:
                ray.init(
                    address=self.scheduler,
                    num_cpus=None if self.scheduler else self.n_jobs or usable_processors(),
                    include_dashboard=None if self.scheduler else False,
                    log_to_driver=False,
                    logging_level="error",
                )
            n_jobs = self.n_jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            with (
                _cluster_errors("ray"),
                joblib.parallel_config(backend="ray"),
                contextlib.redirect_stdout(sys.stderr),  # where Ray tells of lost workers
            ):
                yield from _ray_rounds(tasks, n_jobs)
        finally:
            if is_ours:
                ray.shutdown()


def _ray_rounds(tasks: Iterator[Task], n_jobs: int) -> Iterator[Part]:
    """Parts in rounds of one a worker; where a worker is lost, its round is played again."""
    from ray.exceptions import RayActorError

    batch = list(itertools.islice(tasks, n_jobs))
    losses = 0
    while batch:
        with joblib.Parallel(n_jobs=n_jobs, pre_dispatch="all", batch_size=1) as parallel:
            try:
                while batch:
                    parts = parallel(joblib.delayed(play_task)(task) for task in batch)
                    batch = list(itertools.islice(tasks, n_jobs))
                    yield from parts
            except RayActorError:
                losses += 1
                if losses == MOST_LOSSES:
                    raise


def _play_below(parent: int, task: Task) -> Part:
    """Play a part in a process that leaves Ctrl-C to its parent, and ends when that is gone."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    return play_task(task)


@functools.cache
def _end_with(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _process_errors() -> Iterator[None]:
    """Name in one line what processes of this machine did not bring back."""
    try:
        yield
    except BrokenProcessPool as error:
        raise WorkerError(
            "a process that played was ended from outside, or by a policy: finished parts are kept"
        ) from error
    except pickle.PicklingError as error:
        raise WorkerError(
            "a policy cannot be sent to another process: put it into a file, or play with one job"
        ) from error


def _until(stop: threading.Event | None, tasks: Iterable[Task]) -> Iterator[Task]:
    for task in tasks:
        if stop is not None and stop.is_set():
            return
        yield task


def _order(in_order: bool) -> str:
    return "generator" if in_order else "generator_unordered"


@contextlib.contextmanager
def _kept_sigterm() -> Iterator[None]:
    """Leave SIGTERM to whom it belongs: Ray sets a handler of its own, which exits at once."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and handler is not None:
            signal.signal(signal.SIGTERM, handler)


@contextlib.contextmanager
def _extra(name: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise WorkerError(
            f"backend {name!r} needs an extra: pip install 'skatsim[{name}]': {error}"
        ) from error


@contextlib.contextmanager
def _cluster_errors(name: str) -> Iterator[None]:
    """Name in one line what a cluster complains of; our own errors come through as they are.

    Those of Dask and Ray have no class in common.
    """
    try:
        yield
    except SkatSimError:
        raise
    except Exception as error:
        text = "" if isinstance(error, KeyError) else str(error).strip()
        reason = text.splitlines()[0] if text else f"the cluster is gone ({type(error).__name__})"
        raise WorkerError(f"backend {name!r}: {reason}: finished parts are kept") from error
