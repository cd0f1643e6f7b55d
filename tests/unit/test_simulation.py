"""The simulator: the same games for any number of workers, any block and any resume."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skatsim import simulation
from skatsim.archive import Archive
from skatsim.blocks import play_block
from skatsim.errors import ArchiveError, PolicyError, RuleError
from skatsim.intervals import wilson_half_width
from skatsim.kernels.random import game_key, philox_block
from skatsim.manifest import PART_HANDS
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}
GOLDEN = {
    "uniform": "71c20ca2711a20791121b407b420c248",
}
"""Digests of the first 1,000 games of seed 3: they change only with the rules or a policy."""


def test_digests_are_stable() -> None:
    assert simulate(hands=1000, seed=3, **UNIFORM).digest == GOLDEN["uniform"]


@pytest.mark.parametrize("policy", ["uniform", "heuristic"])
def test_digest_is_free_of_workers_parts_and_blocks(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = {"bidding": policy, "declaring": policy, "play": policy}
    once = simulate(hands=3000, seed=1, n_jobs=1, **players)
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 400)
    monkeypatch.setattr("skatsim.blocks.BLOCK_HANDS", 37)
    again = simulate(hands=3000, seed=1, n_jobs=2, **players)
    assert once.digest == again.digest
    assert (once.declared, once.won) == (again.declared, again.won)


def test_seeds_share_no_deal() -> None:
    deals = []
    for seed in (1, 2):
        rows, _ = play_block(seed, 0, 20_000, players=Players.of(**UNIFORM), ruleset=ISKO)
        deals.append(
            {tuple(row) for row in np.stack([rows["forehand_mask"], rows["middlehand_mask"]], 1)}
        )
    assert len(deals[0]) == len(deals[1]) == 20_000
    assert not deals[0] & deals[1]


def test_words_are_those_of_numpy() -> None:
    for seed, stream, game in ((0, 0, 0), (7, 3, 5), (2**63 - 1, 1, 2**40)):
        numpy = np.random.Philox(
            key=np.array([seed, stream], dtype=np.uint64), counter=[0, game, 0, 0]
        ).random_raw(8)
        assert list(numpy[:4]) == list(philox_block(seed, stream, game, 1))
        assert list(numpy[4:]) == list(philox_block(seed, stream, game, 2))


def test_keys_differ() -> None:
    keys = {game_key(seed, game) for seed in range(50) for game in range(50)}
    assert len(keys) == 2500


def test_plain_python_plays_the_same_games() -> None:
    """What numba compiles and what Python runs are the same functions."""
    script = (
        "from skatsim.simulation import simulate\n"
        "for policy in ('uniform', 'heuristic'):\n"
        "    print(simulate(hands=25, seed=4, n_jobs=1, bidding=policy, declaring=policy, "
        "play=policy).digest)\n"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for extra in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 2


def test_resume_adds_exactly_what_is_missing(tmp_path: Path) -> None:
    whole = simulate(hands=2500, seed=9, **UNIFORM)
    first = simulate(hands=700, seed=9, archive=tmp_path, run="r", **UNIFORM)
    second = simulate(hands=2500, seed=9, archive=tmp_path, run="r", mode="resume", **UNIFORM)
    third = simulate(hands=2500, seed=9, archive=tmp_path, run="r", mode="resume", **UNIFORM)
    assert (first.new_hands, second.new_hands, third.new_hands) == (700, 1800, 0)
    assert whole.digest == second.digest == third.digest
    assert Archive.open(tmp_path).verify(deep=True) == []
    with pytest.raises(ArchiveError, match="seed 9 there, 8 asked"):
        simulate(hands=2500, seed=8, archive=tmp_path, run="r", mode="resume", **UNIFORM)


def test_a_missing_part_in_the_middle_is_played_again() -> None:
    from skatsim.manifest import PART_HANDS, Part

    def part(first: int, hands: int) -> Part:
        return Part(
            file="", first=first, hands=hands, bytes=0, sha256="", digest="0", declared=0, won=0
        )

    step = PART_HANDS
    have = [part(0, 100), part(step, step)]
    assert list(simulation._missing(have, 3 * step)) == [(100, step - 100), (2 * step, step)]
    assert list(simulation._missing([], 0)) == []
    assert list(simulation._missing([part(0, 10)], 5)) == []


def test_stop_keeps_finished_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 500)
    stop = threading.Event()

    def progress(done: int, total: int) -> None:
        if done >= 1000:
            stop.set()

    stopped = simulate(
        hands=5000,
        seed=2,
        archive=tmp_path,
        run="r",
        n_jobs=1,
        stop=stop,
        on_progress=progress,
        **UNIFORM,
    )
    assert 1000 <= stopped.hands < 5000
    resumed = simulate(hands=5000, seed=2, archive=tmp_path, run="r", mode="resume", **UNIFORM)
    assert resumed.digest == simulate(hands=5000, seed=2, **UNIFORM).digest


def test_until_a_precision_is_free_of_workers() -> None:
    one = simulate(until=0.008, seed=1, n_jobs=1)
    two = simulate(until=0.008, seed=1, n_jobs=2)
    assert one.digest == two.digest
    assert one.hands % simulation.UNTIL_HANDS == 0
    assert wilson_half_width(one.won, one.declared) <= 0.008


def test_a_stop_while_precision_is_sought_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        stop.set()

    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 25_000)
    settings: dict[str, Any] = {"until": 0.004, "seed": 1, "archive": tmp_path, "run": "r"}
    stopped = simulate(**settings, n_jobs=1, stop=stop, on_progress=progress)
    assert stopped.hands == told[0][0] == 25_000 < told[0][1]
    resumed = simulate(**settings, mode="resume")
    assert resumed.digest == simulate(until=0.004, seed=1).digest
    assert resumed.new_hands == resumed.hands - 25_000
    assert simulate(**settings, mode="resume").new_hands == 0
    with pytest.raises(ArchiveError, match="exists already"):
        simulate(**settings)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_is_kept_ends_where_precision_is_reached(n_jobs: int, tmp_path: Path) -> None:
    """In the middle of a part: nothing is left of the games that were played beyond."""
    settings: dict[str, Any] = {"seed": 1, "archive": tmp_path, "run": "r", "n_jobs": n_jobs}
    result = simulate(until=0.008, **settings)
    again = simulate(until=0.008, seed=1)
    assert result.hands % simulation.UNTIL_HANDS == 0 < result.hands < PART_HANDS
    assert (result.digest, result.declared, result.won, result.aborted) == (
        again.digest, again.declared, again.won, again.aborted
    )  # fmt: skip
    assert Archive.open(tmp_path).verify(deep=True) == []
    finer = simulate(until=0.004, mode="resume", **settings)
    assert finer.digest == simulate(until=0.004, seed=1).digest
    assert Archive.open(tmp_path).verify(deep=True) == []


def test_damaged_parts_count_for_the_precision_when_they_are_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 10_000)
    settings: dict[str, Any] = {"seed": 1, "archive": tmp_path, "run": "r"}
    simulate(hands=40_000, **settings)
    damaged = Archive.open(tmp_path).run("r").paths[1]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    result = simulate(until=0.004, mode="resume", **settings)
    assert result.repaired == 10_000
    assert result.digest == simulate(until=0.004, seed=1).digest
    assert Archive.open(tmp_path).verify(deep=True) == []


def test_spoiled_games_do_not_count_for_the_precision(tmp_path: Path) -> None:
    class Forgetful:
        """Gives no card now and then."""

        def play(self, view: Any) -> Any:
            return view.rng.choice(view.legal_cards) if view.rng.random() < 0.999 else None

    settings: dict[str, Any] = {"seed": 1, "play": Forgetful, "n_jobs": 1, "on_fault": "record"}
    kept = simulate(until=0.02, archive=tmp_path, run="r", **settings)
    free = simulate(until=0.02, **settings)
    assert kept.aborted == free.aborted > 0
    assert (kept.hands, kept.declared, kept.won, kept.digest) == (
        free.hands, free.declared, free.won, free.digest
    )  # fmt: skip


def test_no_hands_is_an_empty_run(tmp_path: Path) -> None:
    result = simulate(hands=0, seed=1, archive=tmp_path, **UNIFORM)
    assert (result.hands, result.bytes_per_hand) == (0, 0.0)
    assert Archive.open(tmp_path).run("uniform-s1").hands == 0
    assert Archive.open(tmp_path).verify(deep=True) == []


def test_seats_take_every_decision() -> None:
    players = Players.of(seats=["uniform", "heuristic", "uniform"])
    assert players.names() == ("uniform", "heuristic", "uniform")
    assert Players.of(bidding="heuristic", declaring="heuristic", play="uniform").names() == (
        ("heuristic|heuristic|uniform",) * 3
    )


def test_nonsense_is_refused() -> None:
    with pytest.raises(RuleError, match="either"):
        simulate(hands=1, until=0.1)
    with pytest.raises(RuleError, match="hands -1: 0 to"):
        simulate(hands=-1)
    with pytest.raises(RuleError, match="until"):
        simulate(until=0.9)
    with pytest.raises(PolicyError, match="no policy 'nobody'"):
        simulate(hands=1, play="nobody")
    with pytest.raises(PolicyError, match="cannot seat 2"):
        simulate(hands=1, seats=["uniform", "uniform"])
    with pytest.raises(RuleError, match="no ruleset"):
        simulate(hands=1, ruleset="none")


def test_an_unwritable_archive_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ArchiveError, match="cannot make the archive folder"):
        simulate(hands=1, archive=tmp_path / "file" / "archive", **UNIFORM)
