"""What may go wrong in a long run: kills, a full disk, places that cannot be written."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from skatsim.archive import Archive
from skatsim.simulation import simulate

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(sys.platform != "linux", reason="kills and mounts as Linux has them"),
]

PROJECT = Path(__file__).parents[2]

SMALL_PARTS = """
import sys
from skatsim import manifest
manifest.PART_HANDS = 20_000
from skatsim.cli import main
main(sys.argv[1:])
"""
"""The command line with parts that are played in some 30 ms, so that every moment is hit."""

MOMENTS = 20
HANDS = 3_000_000


@pytest.fixture(scope="module")
def digest() -> str:
    """What a run gives that nothing interrupts."""
    return simulate(hands=HANDS, seed=1, n_jobs=2).digest


def simulating(archive: Path | str, *arguments: str, hands: int = HANDS) -> list[str]:
    return [
        sys.executable, "-c", SMALL_PARTS, "simulate", "--hands", str(hands), "--seed", "1",
        "--run", "r", "--archive", str(archive), "--json", *arguments,
    ]  # fmt: skip


def finish(archive: Path | str, *arguments: str, hands: int = HANDS) -> dict[str, Any]:
    done = subprocess.run(
        simulating(archive, "--resume", *arguments, hands=hands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def check_whole(folder: Path) -> int:
    """Every part that can be seen is whole; the games the run holds."""
    for path in folder.glob("*.parquet"):
        pq.read_metadata(path)
    if not (folder / "manifest.json").is_file():
        return 0
    run = Archive.open(folder.parent).run(folder.name)
    for part in run.manifest.parts:
        assert run.damage(part) is None
    return run.hands


def held(folder: Path) -> int:
    """The games that a run holds at this moment."""
    if not (folder / "manifest.json").is_file():
        return 0
    return Archive.open(folder.parent).run(folder.name).hands


def test_a_run_that_is_killed_at_any_moment_is_resumed(tmp_path: Path, digest: str) -> None:
    """Each time what was finished is there, whole, and the next call goes on from it.

    The moments are counted from the beginning, and every other time from when a part is finished.
    """
    chance = random.Random(5)
    hands = 0
    for number in range(MOMENTS):
        process = subprocess.Popen(
            simulating(tmp_path, "--resume"), stdout=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while not (tmp_path / "r" / ".lock-holder.json").is_file():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        while number % 2 and held(tmp_path / "r") == hands:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.1 if number % 2 else 0.5))
        process.kill()
        process.wait()
        with contextlib.suppress(FileNotFoundError):
            (tmp_path / "r" / ".lock-holder.json").unlink()
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)  # no orphan
        now = check_whole(tmp_path / "r")
        assert now >= hands, number
        hands = now
    assert 0 < hands < HANDS
    done = finish(tmp_path)
    assert (done["digest"], done["new_hands"]) == (digest, HANDS - hands)
    assert Archive.open(tmp_path).verify() == []
    assert not list(tmp_path.rglob("*.tmp"))


def test_workers_and_parents_of_a_cluster_are_killed_at_any_moment(
    tmp_path: Path, digest: str
) -> None:
    """A worker's death is not the run's; a parent's leaves a run that is resumed."""
    distributed = pytest.importorskip("distributed", reason="needs the group 'machines'")
    chance = random.Random(6)
    hands = 0
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        where = ["--backend", "dask", "--scheduler", cluster.scheduler_address]
        for number in range(MOMENTS):
            process = subprocess.Popen(
                simulating(tmp_path, "--resume", *where), stdout=subprocess.DEVNULL
            )
            deadline = time.monotonic() + 60
            while not (tmp_path / "r" / ".lock-holder.json").is_file():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 1))
            if number % 2:
                with contextlib.suppress(ProcessLookupError, TypeError):  # it is being restarted
                    os.kill(chance.choice(list(cluster.workers.values())).pid, signal.SIGKILL)
                time.sleep(chance.uniform(0, 1))
            process.kill()
            process.wait()
            (tmp_path / "r" / ".lock-holder.json").unlink(missing_ok=True)
            now = check_whole(tmp_path / "r")
            assert now >= hands, number
            hands = now
        done = finish(tmp_path, *where)
    assert (done["digest"], done["hands"]) == (digest, HANDS)
    assert Archive.open(tmp_path).verify() == []


@contextlib.contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    """A file system of its own at a folder, which takes a right that not all users have."""
    done = subprocess.run(
        ["mount", *arguments, str(place)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"cannot mount a file system here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder as its owner, even as root, cannot write it."""
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield


def assert_one_line(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 1, done
    assert done.stderr.startswith("skatsim: error: "), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def test_a_full_disk(tmp_path: Path) -> None:
    hands = 400_000
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "-t", "tmpfs", "-o", "size=6m", "none"):
        archive = disk / "archive"
        done = subprocess.run(
            simulating(archive, hands=hands), capture_output=True, text=True, check=False
        )
        assert_one_line(done, "No space left on device", "nothing was lost")
        kept = check_whole(archive / "r")
        assert 0 < kept < hands
        assert not list(archive.rglob("*.tmp"))
        again = subprocess.run(
            simulating(archive, "--resume", hands=hands),
            capture_output=True,
            text=True,
            check=False,
        )
        assert_one_line(again, "No space left on device")
        assert check_whole(archive / "r") >= kept
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        done_then = finish(archive, hands=hands)
        assert done_then["digest"] == simulate(hands=hands, seed=1).digest
        assert Archive.open(archive).verify() == []


def test_an_archive_that_cannot_be_written_is_still_read(tmp_path: Path) -> None:
    simulate(hands=1000, seed=1, archive=tmp_path / "a", run="r")

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "skatsim", *arguments, "--archive", str(tmp_path / "a")],
            capture_output=True,
            text=True,
            check=False,
        )

    with read_only(tmp_path / "a"):
        more = ["simulate", "--hands", "2000", "--seed", "1"]
        assert_one_line(call(*more, "--run", "r", "--resume"), "Read-only file system")
        assert_one_line(call(*more, "--run", "new"), "Read-only file system")
        assert_one_line(call("runs", "remove", "r", "--yes"), "Read-only file system")
        assert_one_line(call("runs", "compact", "r"), "Read-only file system")
        for reading in (["runs", "list"], ["verify", "--deep"], ["report", "win_rates"]):
            assert call(*reading).returncode == 0
    assert Archive.open(tmp_path / "a").verify(deep=True) == []


def test_a_read_only_install_without_a_home(tmp_path: Path) -> None:
    """Nothing can be kept, so kernels are compiled anew or not at all, and all is said."""
    install, home = tmp_path / "install", tmp_path / "home"
    install.mkdir()
    home.mkdir()
    with mounted(install, "--bind", str(PROJECT)), read_only(home):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(install)], check=True)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(install),
        }

        def call(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-W", "error", "-m", "skatsim", *arguments],
                env={**environment, **more},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )

        done = call("value", "CJ HJ DJ CA CT C9 SA ST HK D7")
        assert done.returncode == 0, done.stderr
        assert "not kept: no writable cache folder" in done.stderr
        assert len(done.stderr.splitlines()) == 1
        done = call("simulate", "--hands", "20", "--archive", "a", NUMBA_DISABLE_JIT="1")
        assert (done.returncode, done.stderr) == (0, "")
        assert call("verify", "--deep", "--archive", "a", NUMBA_DISABLE_JIT="1").returncode == 0
        environment.pop("HOME")
        assert call("--help").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "home", "install"]


def test_two_writers(tmp_path: Path) -> None:
    """The second is told who is the first, and changes nothing."""
    first = subprocess.Popen(simulating(tmp_path), stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "r" / ".lock-holder.json").is_file():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    second = subprocess.run(
        simulating(tmp_path, "--overwrite"), capture_output=True, text=True, check=False
    )
    assert_one_line(second, f"is being written by process {first.pid} on ")
    first.communicate(timeout=300)
    assert first.returncode == 0
    assert Archive.open(tmp_path).verify() == []
