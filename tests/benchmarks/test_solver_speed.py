"""Speed of the solver, as ratios to a peer measured in the same run."""

import os
import random
import time
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from skatsim.cards import mask_points, mask_text
from skatsim.solver import Position, card_points, solve_many
from tests.oracle.slow_search import SlowSearch
from tests.unit.test_solver_oracle import GAMES, random_position


def some_deals(number: int, seed: int = 20) -> list[Position]:
    rng = random.Random(seed)
    return [random_position(rng, ("grand", "hearts", "clubs")[k % 3], 10) for k in range(number)]


def columns_of(positions: list[Position]) -> dict[str, Any]:
    names = ("forehand_mask", "middlehand_mask", "rearhand_mask", "skat_mask")
    columns: dict[str, Any] = {
        name: np.array([getattr(position, name) for position in positions])
        for name in (*names, "declarer_seat", "leader_seat")
    }
    columns["contract"] = np.array([position.contract.number for position in positions])
    return columns


def measure(benchmark: BenchmarkFixture, **question: int) -> None:
    """Time rounds of 60 deals that no round before has seen."""
    seeds = iter(range(100, 200))

    def fresh() -> tuple[tuple[()], dict[str, Any]]:
        return (), {**columns_of(some_deals(60, next(seeds))), **question}

    values = benchmark.pedantic(solve_many, setup=fresh, rounds=3)
    assert len(values) == 60


def test_exact_values(benchmark: BenchmarkFixture) -> None:
    measure(benchmark)


def test_wins(benchmark: BenchmarkFixture) -> None:
    measure(benchmark, at_least=61)


def test_faster_than_a_search_without_bounds() -> None:
    """Even asked only to confirm the value, the slow search takes many times as long."""
    slow = SlowSearch()
    deals = some_deals(9)
    card_points(deals[0])
    fast_seconds = slow_seconds = 0.0
    for deal in deals:
        start = time.thread_time()
        value = card_points(deal) - mask_points(deal.skat_mask)
        fast_seconds += time.thread_time() - start
        first, second, third = (mask_text(hand) for hand in deal.hands)
        game = GAMES[deal.contract.number]
        asked = ((first, second, third), game, deal.declarer_seat, deal.leader_seat)
        start = time.thread_time()
        assert slow.reaches(*asked, value)
        assert not slow.reaches(*asked, value + 1)
        slow_seconds += time.thread_time() - start
    assert slow_seconds > 5 * fast_seconds


@pytest.mark.slow
def test_two_threads_solve_more_than_one() -> None:
    """Exact values, best of some rounds; needs two cores that are free in one of them."""
    if (os.cpu_count() or 1) < 2:
        pytest.skip("needs two cores")
    columns = columns_of(some_deals(1000))
    solve_many(**columns, at_least=61, n_jobs=2)
    ratios: list[float] = []
    while len(ratios) < 6 and max(ratios, default=0.0) < 1.7:
        seconds = []
        for n_jobs in (1, 2):
            start = time.perf_counter()
            solve_many(**columns, n_jobs=n_jobs)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    assert max(ratios) >= 1.7, ratios
