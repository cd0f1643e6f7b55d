"""Who plays the parts of a run: threads of this process, or joblib's workers on other machines.

Compiled policies let go of Python's lock, so threads are as fast as processes here. Dask and Ray
come in through joblib's own backends; their workers write their parts themselves.
"""

import contextlib
import itertools
import logging
import multiprocessing.resource_tracker
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import joblib
from joblib.externals.loky.backend import resource_tracker as loky_tracker

from skatsim.blocks import Task
from skatsim.errors import SkatSimError, SkatSimWarning, WorkerError
from skatsim.manifest import Part
from skatsim.plugged import FaultAction
from skatsim.process_groups import STOP_SIGNALS, end_groups
from skatsim.watch import end_processes, play_task

__all__ = ["BACKENDS", "Backend", "Workers", "usable_processors"]

Backend = Literal["local", "dask", "ray"]

BACKENDS: Final = ("local", "dask", "ray")
"""Where parts can be played; all but the first need the extra of their name."""

CONNECT_SECONDS: Final = 10

PARTS_KEPT: Final = ": finished parts are kept"

WORKER_ENVIRONMENT: Final = {
    "PYTHONSAFEPATH": "1",
    "PYTHONWARNINGS": "ignore:resource_tracker:UserWarning",
}
"""With what processes of this machine begin: without the working folder on their path, whose files
may be called like modules, and without a word about what a killed one left to clear away."""

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
        settings: dict[str, Any] = {"backend": "threading"}
        if self.has_processes:
            settings = {
                "backend": "loky",
                "initializer": _begin_worker,
                "initargs": (os.getpid(), _kept_environment()),
            }
        parallel = joblib.Parallel(
            n_jobs=n_jobs,
            pre_dispatch=n_jobs,
            batch_size=1,
            return_as=_order(in_order),
            **settings,
        )
        with _process_errors():
            with _starting_workers() if self.has_processes else contextlib.nullcontext():
                parts = parallel(joblib.delayed(play_task)(task) for task in tasks)
            yield from parts

    def _by_dask(self, tasks: Iterator[Task], *, in_order: bool) -> Iterator[Part]:
        with _extra("dask"):
            from distributed import Client
        with _quiet("distributed"), _cluster_errors("dask"):
            client = Client(self.scheduler, timeout=CONNECT_SECONDS)
        with (
            _quiet("distributed"),
            _cluster_errors("dask", PARTS_KEPT),
            client,
            joblib.parallel_config(backend="dask", client=client),
        ):
            _await_worker(client)
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
                _cluster_errors("ray", PARTS_KEPT),
                joblib.parallel_config(backend="ray"),
            ):
                yield from _ray_rounds(tasks, n_jobs)
        finally:
            if is_ours:
                ray.shutdown()


def _await_worker(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError as error:
        raise WorkerError(
            f"backend 'dask': no worker has come to its scheduler within {CONNECT_SECONDS} s"
        ) from error
    if sum(client.nthreads().values()) == 1:
        warnings.warn(
            "the Dask cluster has one thread: joblib plays in this process instead",
            SkatSimWarning,
            stacklevel=2,
        )


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


@contextlib.contextmanager
def _starting_workers() -> Iterator[None]:
    """Let processes that are started within begin deaf to signals, and with `WORKER_ENVIRONMENT`.

    `_begin_worker` ends both in them.
    """
    kept = _kept_environment()
    os.environ.update(WORKER_ENVIRONMENT)
    for tracker in (multiprocessing.resource_tracker, loky_tracker):
        tracker.ensure_running()  # started later, they would let the signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _restore_environment(kept)


def _begin_worker(parent: int, environment: Mapping[str, str | None]) -> None:
    """Leave signals to the parent, which may be meant for all its group, and end when it is gone.

    They have a handler and are not ignored, so that programs started here do not inherit that.
    """
    _restore_environment(environment)
    for number in STOP_SIGNALS:
        signal.signal(number, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        end_groups()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _kept_environment() -> dict[str, str | None]:
    return {name: os.environ.get(name) for name in WORKER_ENVIRONMENT}


def _restore_environment(kept: Mapping[str, str | None]) -> None:
    for name, value in kept.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextlib.contextmanager
def _process_errors() -> Iterator[None]:
    """Name in one line what processes of this machine did not bring back."""
    try:
        yield
    except BrokenProcessPool as error:
        raise WorkerError(
            "a process that played was ended, from outside or by a policy (with --time-limit it "
            f"is told which){PARTS_KEPT}"
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
def _cluster_errors(name: str, kept: str = "") -> Iterator[None]:
    """Name in one line what a cluster complains of; our own errors come through as they are.

    Those of Dask and Ray have no class in common.

    Parameters
    ----------
    kept : what is said of the games played before.
    """
    try:
        yield
    except SkatSimError:
        raise
    except CancelledError as error:  # what Dask makes of parts nobody tells it of any more
        raise WorkerError(f"backend {name!r}: its scheduler is gone{kept}") from error
    except Exception as error:
        text = "" if isinstance(error, KeyError) else str(error).strip()
        reason = text.splitlines()[0] if text else f"the cluster is gone ({type(error).__name__})"
        raise WorkerError(f"backend {name!r}: {reason}{kept}") from error


@contextlib.contextmanager
def _quiet(library: str) -> Iterator[None]:
    """Leave out what a library logs of a cluster that is lost: it comes as an error too."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == library]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
