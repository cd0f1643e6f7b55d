"""Trains the solver's move ordering: ``python -m skatsim.study.train_ordering --seed 1``.

The search tries the cards of a trick in the order of a score that is looked up by cheap
features of the card and the position (`skatsim.kernels.solver_trick`). The scores come from
self-play: an instrumented copy of the search counts, cell by cell, how often a card that was
tried ended the search of its node and how many nodes that took; one node in ten is searched
in random order, so that cards the table dislikes are seen too. A card's score is
``log((p + 0.01) / (nodes ** 0.12 + 1))``. Each round searches with the table of the last.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skatsim.kernels import solver_layout, solver_memory
from skatsim.kernels.cards import GRAND, JACK_MASK
from skatsim.kernels.solver_training import counting_search
from skatsim.solver import ORDER_FILE, Workspace

CARDS = 32
CARDS_IN_HAND = 10
EXPONENT = 0.12
FLOOR = 0.01
SCALE = 4000
RARE = 0.1
MEMORY = 0.5


def random_deal(rng: np.random.Generator, contract: int, is_realistic: bool) -> list[int]:
    """Hands of declarer, left and right and the skat as masks; after the discard if realistic."""
    trump = JACK_MASK if contract == GRAND else JACK_MASK | 0xFF << 8 * contract
    while True:
        order = [int(card) for card in rng.permutation(CARDS)]
        hands = [order[:10], order[10:20], order[20:30], order[30:]]
        if not is_realistic:
            break
        trumps = sum(trump >> card & 1 for card in hands[0])
        jacks = sum(card & 7 == 7 for card in hands[0])
        side_aces = sum(card & 7 == 6 and not trump >> card & 1 for card in hands[0])
        if contract == GRAND:
            if jacks < 2 or jacks + side_aces < 4:
                continue
        elif trumps < 5 or jacks < 1 or trumps + side_aces < 7:
            continue
        twelve = hands[0] + hands[3]
        lengths = [0, 0, 0, 0]
        for card in twelve:
            if not trump >> card & 1:
                lengths[card >> 3] += 1
        # lay away from short suits without their ace, high cards first
        twelve.sort(
            key=lambda card: (
                bool(trump >> card & 1) or card & 7 == 6,
                lengths[card >> 3] + (8 * (card >> 3 | 3) + 6 in twelve),
                -(card & 7),
            )
        )
        hands[0], hands[3] = twelve[2:], twelve[:2]
        break
    return [sum(1 << card for card in hand) for hand in hands]


def shorten(rng: np.random.Generator, hands: list[int], count: int) -> list[int]:
    """Hands of `count` random cards of each."""
    short = []
    for hand in hands:
        cards = [card for card in range(CARDS) if hand >> card & 1]
        kept = rng.choice(cards, count, replace=False)
        short.append(sum(1 << int(card) for card in kept))
    return short


def play_round(
    rng: np.random.Generator, deals: int, count: int, scores: NDArray[np.int16]
) -> tuple[NDArray[np.float64], float]:
    """Search `deals` deals of `count` cards; tries, cuts and nodes of each cell, nodes a deal.

    A deal weighs by the square root of its nodes, so that a few hard ones do not decide.
    """
    workspace = Workspace(scores=scores, extra_bytes=24 * solver_memory.CELLS)
    ws = workspace.address
    found = workspace.words(solver_memory.STATISTICS, 3 * solver_memory.CELLS)
    nodes = workspace.words(solver_memory.NODES, 1)
    workspace.words(solver_memory.RANDOM, 1)[0] = rng.integers(1 << 31)
    total = np.zeros(3 * solver_memory.CELLS)
    searched = 0
    for number in range(deals):
        contract = int(rng.integers(4)) if number % 2 else GRAND
        hands = random_deal(rng, contract, number % 4 < 3)[:3]
        if count < CARDS_IN_HAND:
            hands = shorten(rng, hands, count)
        trump = solver_layout.JACKS if contract == GRAND else solver_layout.SUIT_TRUMPS
        x = [int(solver_layout.to_trick_order(hand, contract)) for hand in hands]
        leader = int(rng.integers(3))
        turned = [x[(leader + i) % 3] for i in range(3)]
        solver_layout.set_kind(ws, trump)
        solver_layout.clear_table(ws)
        solver_layout.set_deal(ws, *x)
        value = 55
        for step in (0, 0, 0, 6, -6, 12, -12):  # the questions an exact search asks, roughly
            beta = max(value + step, 1)
            bound = counting_search()(ws, *turned, (3 - leader) % 3, beta)
            value = bound if step == 0 else value
        total += found * (1 + nodes[0]) ** -0.5
        searched += int(nodes[0])
        found[:] = 0
        nodes[0] = 0
    return total.reshape(-1, 3), searched / deals


def fit(statistics: NDArray[np.float64]) -> NDArray[np.int16]:
    """The score of each cell; rare cells lean on the same cell of all phases together."""
    scores = []
    start = 0
    for size in (
        solver_memory.LEAD_CELLS,
        solver_memory.SECOND_CELLS,
        solver_memory.THIRD_CELLS,
    ):
        part = statistics[start : start + size]
        start += size
        part = part.reshape(2, solver_memory.PHASES // 2, -1, 3)
        whole = part.sum(axis=(0, 1))
        whole = (whole + RARE * whole.sum(axis=0) / whole[:, 0].sum()) / (whole[:, :1] + RARE)
        mean = (part + RARE * whole) / (part[..., :1] + RARE)
        score = np.log((mean[..., 1] + FLOOR) / (mean[..., 2] ** EXPONENT + 1))
        scores.append(np.rint(SCALE * score).astype(np.int16).ravel())
    return np.concatenate(scores)


def train(seed: int, deals: int, rounds: int) -> NDArray[np.int16]:
    """The table after two rounds on shortened hands and `rounds` rounds on whole deals."""
    rng = np.random.default_rng(seed)
    scores = np.zeros(solver_memory.CELLS, dtype=np.int16)
    statistics = np.zeros((solver_memory.CELLS, 3))
    for count, number in [(5, 3000), (7, 1500)] + [(CARDS_IN_HAND, deals)] * rounds:
        begin = time.process_time()
        found, nodes = play_round(rng, number, count, scores)
        statistics = found + MEMORY * statistics * (count == CARDS_IN_HAND)
        scores = fit(statistics)
        print(  # noqa: T201
            f"{count} cards, {number} deals: {nodes:.0f} nodes a deal,"
            f" {time.process_time() - begin:.0f} s",
            flush=True,
        )
    return scores


def main() -> None:
    """Train and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=ORDER_FILE)
    options = parser.parse_args()
    scores = train(options.seed, options.deals, options.rounds)
    np.save(options.output, scores)


if __name__ == "__main__":
    main()
