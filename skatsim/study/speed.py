"""The project's own speed on this machine: games a second of processor time.

Rates are processor time of the whole process (so other programs count less), after a warm-up,
the median of several rounds over fixed games. The peer is OpenSpiel's Skat, where it is
installed: random games of its C++ roll-outs, which have neither an auction with values nor
hand games, measured between the rounds of our own; for the policy in plain Python, random games
driven from Python.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from skatsim.blocks import BLOCK_HANDS, play_block
from skatsim.policies.examples import UniformBatch, UniformPlain
from skatsim.policies.players import Players, PolicyLike
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate

__all__ = ["Speed", "measure", "measure_jobs"]

PEER: Final = "OpenSpiel random games (C++ roll-outs)"
PYTHON_PEER: Final = "OpenSpiel random games (played from Python)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """One figure: what was done, how often per second of processor time, and the rounds.

    ``ratio`` is the median over the rounds of our rate to the peer's in the same round; None
    without a peer.
    """

    name: str
    per_second: float
    least: float
    greatest: float
    rounds: int
    ratio: float | None = None
    note: str = ""


def _games(policy: PolicyLike, hands: int) -> Callable[[], int]:
    players = Players.of(bidding=policy, declaring=policy, play=policy)

    def play() -> int:
        for first in range(0, hands, BLOCK_HANDS):
            play_block(1, first, min(BLOCK_HANDS, hands - first), players=players, ruleset=ISKO)
        return hands

    return play


def _peer_games(rollouts: int) -> Callable[[], int]:
    import random

    import pyspiel

    game = pyspiel.load_game("skat")
    state = game.new_initial_state()
    rng = random.Random(1)
    while state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(actions, weights)[0])
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 2, 1000, False, 1, False)

    def play() -> int:
        bot.step(state)
        return 2 * rollouts

    return play


def _python_peer_games(count: int) -> Callable[[], int]:
    """Random games of OpenSpiel driven from Python, card by card, deal included."""
    import random

    import pyspiel

    game = pyspiel.load_game("skat")
    rng = random.Random(1)

    def play() -> int:
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, weights)[0])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
        return count

    return play


def _rate(work: Callable[[], int]) -> float:
    started = time.process_time()
    done = work()
    return done / (time.process_time() - started)


def _speed(name: str, rates: list[float], peers: list[float], note: str = "") -> Speed:
    ratios = [own / peer for own, peer in zip(rates, peers, strict=False)]
    return Speed(
        name=name,
        per_second=statistics.median(rates),
        least=min(rates),
        greatest=max(rates),
        rounds=len(rates),
        ratio=statistics.median(ratios) if ratios else None,
        note=note,
    )


def _rounds(
    work: Callable[[], int], peer: Callable[[], int] | None, rounds: int
) -> tuple[list[float], list[float]]:
    """The rates of some rounds of our work, and of the peer's before each."""
    work()
    rates, peers = [], []
    for _ in range(rounds):
        if peer:
            peers.append(_rate(peer))
        rates.append(_rate(work))
    return rates, peers


def measure(
    *, hands: int = 200_000, rounds: int = 5, policies: tuple[str, ...] = ("uniform", "heuristic")
) -> Iterator[Speed]:
    """Rates of the simulator on one core, beside the peer's in the same run.

    Parameters
    ----------
    hands : games of a round.
    rounds : the median of how many is given.
    policies : who plays at all seats.
    """
    has_peer = find_spec("pyspiel") is not None
    peer = _peer_games(10_000) if has_peer else None
    if peer:
        peer()
    peer_rates: list[float] = []
    for policy in policies:
        rates, peers = _rounds(_games(policy, hands), peer, rounds)
        peer_rates += peers
        yield _speed(f"{policy}: hands played", rates, peers, f"{hands:,} hands a round")
    fewer = max(1, hands // 2)
    rates, _ = _rounds(_games(UniformBatch, fewer), None, rounds)
    yield _speed("uniform in NumPy, all seats (batch)", rates, [], f"{fewer:,} hands a round")
    python_peer = _python_peer_games(max(1, hands // 400)) if has_peer else None
    fewer = max(1, hands // 20)
    rates, python_peers = _rounds(_games(UniformPlain, fewer), python_peer, rounds)
    yield _speed(
        "uniform in plain Python, all seats", rates, python_peers, f"{fewer:,} hands a round"
    )
    with tempfile.TemporaryDirectory(prefix="skatsim-bench-") as folder:
        settings: dict[str, Any] = {"hands": hands, "seed": 1, "n_jobs": 1, "mode": "overwrite"}
        sizes = []
        rates = []
        for number in range(rounds + 1):

            def work_recorded() -> int:
                result = simulate(archive=folder, run="bench", **settings)
                sizes.append(result.bytes_per_hand)
                return result.hands

            rate = _rate(work_recorded)
            if number:
                rates.append(rate)
        yield _speed(
            "heuristic: hands played and archived", rates, [], f"{sizes[-1]:.1f} bytes a hand"
        )
    if peer_rates:
        yield _speed(PEER, peer_rates, [])
        yield _speed(PYTHON_PEER, python_peers, [])


def measure_jobs(*, hands: int = 1_000_000, rounds: int = 3, policy: str = "heuristic") -> Speed:
    """How many times as many hands two workers play as one: wall time, best of `rounds`."""

    def rate(n_jobs: int) -> float:
        with tempfile.TemporaryDirectory(prefix="skatsim-bench-") as folder:
            return simulate(
                hands=hands,
                seed=1,
                n_jobs=n_jobs,
                archive=folder,
                bidding=policy,
                declaring=policy,
                play=policy,
            ).hands_per_second

    rate(1)
    ones = [rate(1) for _ in range(rounds)]
    twos = [rate(2) for _ in range(rounds)]
    return Speed(
        name="two workers, hands archived (wall time)",
        per_second=max(twos),
        least=min(twos),
        greatest=max(twos),
        rounds=rounds,
        ratio=max(twos) / max(ones),
        note="ratio: best of two workers to best of one",
    )
