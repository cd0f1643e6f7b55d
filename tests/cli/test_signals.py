"""Ctrl-C and SIGTERM: the first stops a run cleanly, the second ends it whatever it does."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from skatsim.archive import Archive
from skatsim.cli import main
from skatsim.simulation import simulate
from tests.unit.test_policy_faults import children_of, is_running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")

POLICIES = """
import os
import sys
import time
from pathlib import Path

ASKED = Path(__file__).parent / "asked"

print("loaded")


class Sleeping:
    def play(self, view):
        ASKED.touch()
        while True:
            time.sleep(600)


class Slow:
    def play(self, view):
        ASKED.touch()
        time.sleep(0.001)
        return view.legal_cards[0]


class Printing:
    def play(self, view):
        print("asked")
        os.write(1, b"and below\\n")
        return view.legal_cards[0]


class Closing:
    def play(self, view):
        if not sys.stdout.closed:
            sys.stdout.close()
            os.close(1)
        return view.legal_cards[0]


class Interrupting:
    def play(self, view):
        raise KeyboardInterrupt
"""

ENDLESS = """
import skatsim
from skatsim.kernels.bits import lowest_bit


@skatsim.compiled_policy(decisions=("play",))
def endless(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    step = 1
    while step != 0:
        step += 2
    return lowest_bit(legal_mask)
"""

SMALL_PARTS = """
import sys
from skatsim import manifest
manifest.SLOW_PART_HANDS = 20
from skatsim.cli import main
main(sys.argv[1:])
"""
"""The command line with parts of policies in Python that take half a second."""


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    path = tmp_path / "policies.py"
    path.write_text(POLICIES, encoding="utf-8")
    path.with_name("endless.py").write_text(ENDLESS, encoding="utf-8")
    return path


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SMALL_PARTS, *arguments, "--seed", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


HANGING = [
    ("Sleeping", ["--jobs", "1"]),
    pytest.param("Sleeping", ["--jobs", "2"], marks=pytest.mark.slow),
    pytest.param("Sleeping", ["--time-limit", "500"], marks=pytest.mark.slow),
    pytest.param("endless", ["--jobs", "1"], marks=pytest.mark.slow),
    pytest.param("endless", ["--jobs", "2"], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "settings"), HANGING)
def test_the_second_signal_ends_what_hangs(policies, name, settings) -> None:
    path = policies.with_name("endless.py") if name == "endless" else policies
    process = start(
        "simulate", "--hands", "100", "--no-records", "--play", f"{path}:{name}", *settings
    )
    if name == "endless":
        time.sleep(10)
    else:
        wait_for(policies.with_name("asked"))
    children = children_of(process.pid)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    out, told = process.communicate(timeout=5)
    assert process.returncode == 128 + signal.SIGTERM
    assert out == ""
    assert told.splitlines()[-2:] == [
        "skatsim: stopping when the parts being played are finished; once more ends at once",
        "skatsim: ended at once: what was finished is kept",
    ]
    assert not any(is_running(pid) for pid in children)


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGTERM, 0.0),
        *(
            pytest.param(number, moment, marks=pytest.mark.slow)
            for number in (signal.SIGINT, signal.SIGTERM)
            for moment in (0.0, 0.3, 1.0)
        ),
    ],
)
def test_a_signal_to_all_processes_stops_the_run_cleanly(
    policies, tmp_path, number, moment
) -> None:
    """As a terminal, ``timeout`` and schedulers send it."""
    process = start(
        "simulate", "--hands", "20000", "--archive", str(tmp_path), "--run", "r",
        "--play", f"{policies}:Slow", "--jobs", "2",
    )  # fmt: skip
    if moment:
        wait_for(policies.with_name("asked"))
        time.sleep(moment)
    else:  # while the workers are started
        deadline = time.monotonic() + 60
        while len(children_of(process.pid)) < 3:  # with the tracker of joblib
            assert time.monotonic() < deadline
            time.sleep(0.005)
    os.killpg(process.pid, number)
    out, told = process.communicate(timeout=60)
    assert process.returncode == 128 + number, told
    assert "Traceback" not in told
    run = Archive.open(tmp_path).run("r")
    assert f"stopped at {run.hands:,} hands" in told
    assert Archive.open(tmp_path).verify() == []
    assert f"digest   {run.manifest.digest}" in out


@pytest.mark.slow
def test_workers_without_a_part_end_with_a_parent_that_is_killed(policies) -> None:
    process = start(
        "simulate", "--hands", "10", "--no-records", "--play", f"{policies}:Sleeping", "--jobs", "4"
    )
    wait_for(policies.with_name("asked"))
    children = children_of(process.pid)
    process.kill()
    process.communicate()
    assert len(children) >= 4
    assert not any(is_running(pid) for pid in children)


# What policies print, and how they leave


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["Printing", "Closing"])
def test_what_policies_do_to_stdout_does_not_reach_it(policies, name, jobs) -> None:
    arguments = ("simulate", "--hands", "10", "--no-records", "--json", "--jobs", jobs)
    process = start(*arguments, "--play", f"{policies}:{name}")
    out, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert json.loads(out)["hands"] == 10
    assert "Traceback" not in told
    if name == "Printing":
        assert {"loaded", "asked", "and below"} <= set(told.splitlines())


@pytest.mark.slow
def test_studies_keep_their_stdout_too(policies) -> None:
    policy = f"{policies}:Printing"
    for arguments in (
        ["duel", policy, "uniform", "--deals", "2", "--json"],
        ["policies", "show", policy, "--json"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "skatsim", *arguments], capture_output=True, check=True
        )
        json.loads(done.stdout)


def test_an_interrupt_that_a_policy_raises_is_its_fault(policies) -> None:
    done = CliRunner().invoke(
        main,
        ["simulate", "--hands", "10", "--no-records", "--jobs", "1", "--seed", "1",
         "--play", f"{policies}:Interrupting"],
    )  # fmt: skip
    assert done.exit_code == 1
    assert "at forehand raised KeyboardInterrupt: legal were" in done.output
    assert len(done.output.splitlines()) == 1


def test_an_interrupt_in_python_is_the_users(policies) -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        simulate(hands=10, n_jobs=1, play=f"{policies}:Interrupting")


@pytest.mark.slow
def test_policies_may_lie_in_files_called_like_modules(policies, tmp_path) -> None:
    for name in ("random", "numpy"):
        (tmp_path / f"{name}.py").write_text(POLICIES, encoding="utf-8")
    for more in ([], ["--time-limit", "60"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "skatsim", "simulate", "--hands", "10", "--no-records",
             "--jobs", "2", "--play", "./random.py:Slow", *more],
            capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
