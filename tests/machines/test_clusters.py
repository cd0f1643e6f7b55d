"""Dask and Ray play the games that threads play, into an archive all their workers reach."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skatsim.archive import Archive
from skatsim.errors import SkatSimWarning
from skatsim.reporting import Session
from skatsim.simulation import simulate

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

HANDS = 600_000
"""Three parts."""


@pytest.fixture(scope="module")
def digest() -> str:
    """What ``--jobs 2`` gives."""
    return simulate(hands=HANDS, seed=1, n_jobs=2).digest


@pytest.fixture
def dask_cluster() -> Iterator[Any]:
    """Two worker processes of one thread each."""
    distributed = pytest.importorskip("distributed", reason="needs the group 'machines'")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "skatsim", "simulate", "--seed", "1", *arguments, "--json"]


def simulated(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        command("--hands", str(HANDS), *arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def test_dask_over_s3(s3_archive: str, dask_cluster: Any, digest: str) -> None:
    where = ["--archive", s3_archive, "--run", "r"]
    cluster = ["--backend", "dask", "--scheduler", dask_cluster.scheduler_address]
    done = simulated(*where, *cluster)
    assert (done["digest"], done["new_hands"]) == (digest, HANDS)
    archive = Archive.open(s3_archive)
    assert archive.verify(deep=True) == []
    assert len(archive.run("r").manifest.parts) == 3
    with Session.open(archive) as session:
        assert session.sql("select count(*) as n from games").rows() == [{"n": HANDS}]
        assert len(session.report("win_rates"))
    archive.run("r").paths[1].unlink()
    again = simulated(*where, *cluster, "--resume")
    assert (again["digest"], again["new_hands"]) == (digest, 0)
    assert archive.verify() == []


def test_ray_over_s3(s3_archive: str, digest: str) -> None:
    pytest.importorskip("ray", reason="needs the group 'machines'")
    done = simulated("--archive", s3_archive, "--run", "r", "--backend", "ray", "--jobs", "2")
    assert (done["digest"], done["new_hands"]) == (digest, HANDS)
    assert Archive.open(s3_archive).verify(deep=True) == []


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_signal_stops_a_cluster_cleanly(
    tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip(backend, reason="needs the group 'machines'")
    where = ["--archive", str(tmp_path), "--run", "r", "--backend", backend]
    if backend == "dask":
        where += ["--scheduler", request.getfixturevalue("dask_cluster").scheduler_address]
    with subprocess.Popen(
        command("--hands", "1000000000", "--jobs", "2", *where), stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_for_part(tmp_path)
            process.send_signal(signal.SIGTERM)
            _, told = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 143, told
    run = Archive.open(tmp_path).run("r")
    assert f"stopped at {run.hands:,} hands" in told
    assert run.manifest.digest == simulate(hands=run.hands, seed=1).digest
    assert Archive.open(tmp_path).verify() == []


def test_a_killed_dask_worker_loses_nothing(tmp_path: Path, dask_cluster: Any, digest: str) -> None:
    """The cluster plays its parts elsewhere; the run goes on."""
    process = subprocess.Popen(
        command(
            "--hands", str(HANDS), "--archive", str(tmp_path), "--run", "r",
            "--backend", "dask", "--scheduler", dask_cluster.scheduler_address,
        ),
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not dask_cluster.scheduler.tasks:
        time.sleep(0.05)
    time.sleep(0.3)
    os.kill(next(iter(dask_cluster.workers.values())).pid, signal.SIGKILL)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert json.loads(out)["digest"] == digest
    assert Archive.open(tmp_path).verify() == []


def _started(tmp_path: Path, hands: int = 2 * HANDS) -> subprocess.Popen[str]:
    """A run on Ray that has finished some parts."""
    process = subprocess.Popen(
        command(
            "--hands", str(hands), "--archive", str(tmp_path), "--run", "r",
            "--backend", "ray", "--jobs", "2",
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    wait_for_part(tmp_path)
    return process


def _children(process: subprocess.Popen[str], title: str) -> list[int]:
    """Processes below it whose command line has `title`."""
    table = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in table.stdout.splitlines()]
    below = {process.pid}
    while more := {int(pid) for pid, parent, _ in rows if int(parent) in below} - below:
        below |= more
    return [int(pid) for pid, _, text in rows if int(pid) in below and title in text]


def test_a_killed_ray_worker_loses_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the group 'machines'")
    with _started(tmp_path) as process:
        os.kill(_children(process, "ray::PoolActor")[0], signal.SIGKILL)
        out, told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    assert json.loads(out)["digest"] == simulate(hands=2 * HANDS, seed=1).digest
    assert Archive.open(tmp_path).verify() == []


def test_a_ray_cluster_that_goes_leaves_finished_parts(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the group 'machines'")
    with _started(tmp_path, 1_000_000_000) as process:
        os.kill(_children(process, "--raylet_socket_name")[0], signal.SIGKILL)
        _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    lines = [line for line in told.splitlines() if line.startswith("skatsim: error:")]
    assert len(lines) == 1
    assert lines[0].startswith("skatsim: error: backend 'ray': ")
    assert lines[0].endswith(": finished parts are kept")
    hands = end_of_parts(tmp_path) + 1000
    assert hands > 1000
    # also clears the parts of workers that lived on
    again = simulate(hands=hands, seed=1, archive=tmp_path, run="r", mode="resume", n_jobs=2)
    assert again.digest == simulate(hands=hands, seed=1).digest
    assert Archive.open(tmp_path).verify() == []


@pytest.fixture
def dask_programs(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]", Any]]:
    """The address of a scheduler, its process, and what starts a worker of so many threads."""
    pytest.importorskip("distributed", reason="needs the group 'machines'")
    file = tmp_path / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []

    def begin(program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments]
        started.append(
            subprocess.Popen(
                [*words, "--scheduler-file", str(file), "--no-dashboard"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        return started[-1]

    scheduler = begin("scheduler", "--port", "0", "--host", "127.0.0.1")
    try:
        wait_for(file)
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        yield address, scheduler, lambda n: begin("worker", "--nthreads", str(n), "--no-nanny")
    finally:
        for process in started:
            process.kill()
            process.wait()


def wait_for_part(archive: Path) -> None:
    """Wait until a part of run ``r`` is finished: the manifest is there before any."""
    wait_for(archive / "r" / "manifest.json")
    deadline = time.monotonic() + 300
    while not Archive.open(archive).run("r").hands:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def end_of_parts(archive: Path) -> int:
    """The number after the last game of run ``r``: earlier parts may not be finished yet."""
    return max(part.first + part.hands for part in Archive.open(archive).run("r").manifest.parts)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 300  # Ray's workers are nice to others
    while not path.is_file():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_dask_scheduler_that_goes_is_one_line(tmp_path: Path, dask_programs: Any) -> None:
    address, scheduler, begin_worker = dask_programs
    begin_worker(2)
    with subprocess.Popen(
        command(
            "--hands", "1000000000", "--archive", str(tmp_path / "a"), "--run", "r",
            "--backend", "dask", "--scheduler", address,
        ),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        wait_for_part(tmp_path / "a")
        scheduler.kill()
        _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    assert told == (
        "skatsim: error: backend 'dask': its scheduler is gone: finished parts are kept\n"
    )
    hands = end_of_parts(tmp_path / "a")
    assert (
        simulate(hands=hands, seed=1, archive=tmp_path / "a", run="r", mode="resume").digest
        == simulate(hands=hands, seed=1).digest
    )


def test_a_cluster_of_one_thread_is_told(dask_programs: Any) -> None:
    """With one, joblib does not use it."""
    address, _, begin_worker = dask_programs
    begin_worker(1)
    with pytest.warns(SkatSimWarning, match="the Dask cluster has one thread"):
        simulate(hands=10, seed=1, backend="dask", scheduler=address)


def test_a_dask_scheduler_without_workers_is_one_line(dask_programs: Any) -> None:
    done = subprocess.run(
        command(
            "--hands", "10", "--no-records", "--backend", "dask", "--scheduler", dask_programs[0]
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "skatsim: error: backend 'dask': no worker has come to its scheduler within 10 s\n"
    )


def test_until_is_the_same_on_a_cluster(dask_cluster: Any) -> None:
    done = subprocess.run(
        command(
            "--until", "0.008", "--no-records",
            "--backend", "dask", "--scheduler", dask_cluster.scheduler_address,
        ),
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    here = simulate(until=0.008, seed=1, n_jobs=1)
    assert json.loads(done.stdout)["digest"] == here.digest


def test_commands_of_readme(
    s3_archive: str, dask_cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (skatsim .*s3://.*)$", text, re.MULTILINE)
    assert len(commands) == 4
    monkeypatch.chdir(tmp_path)
    for line in commands:
        arguments = [
            word.replace("s3://bucket/games", s3_archive).replace(
                "tcp://10.0.0.1:8786", dask_cluster.scheduler_address
            )
            for word in shlex.split(line)[1:]
        ]
        subprocess.run([sys.executable, "-m", "skatsim", *arguments], check=True)
    assert Archive.open("games").run("big").hands == 900_000


def test_no_cluster_is_one_clear_line(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the group 'machines'")
    done = subprocess.run(
        command(
            "--hands", "10", "--archive", str(tmp_path),
            "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9",
        ),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("skatsim: error: backend 'dask'")
    assert len(done.stderr.splitlines()) == 1
