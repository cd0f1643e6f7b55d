"""Kernels compiled against the same functions run plain, and random words against NumPy."""

import ast
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skatsim.kernels import bits, cards, jit, rules, table
from skatsim.kernels import random as kernel_random
from skatsim.ruleset import ISKO, Ruleset

PACKAGE = "skatsim.kernels"

RNG = random.Random(5)

RULESETS = (ISKO, Ruleset(max_matadors=4, is_strict_declare=True, ouvert_requires="none"))


def plain(function: Any) -> Any:
    return getattr(function, "py_func", function)


def hands(count: int, size: int) -> list[int]:
    return [sum(1 << card for card in RNG.sample(range(32), size)) for _ in range(count)]


def test_bits() -> None:
    for mask in [0, 1, 1 << 31, (1 << 63) - 1, *hands(50, 10)]:
        assert bits.popcount(mask) == bin(mask).count("1")
        assert bits.highest_bit(mask) == mask.bit_length() - 1
        lowest = (mask & -mask).bit_length() - 1 if mask else 64
        assert bits.lowest_bit(mask) == lowest


def test_points_and_trumps() -> None:
    for mask in hands(200, 12):
        expected = sum(int(cards.POINTS[card]) for card in range(32) if mask >> card & 1)
        assert cards.mask_points(mask) == plain(cards.mask_points)(mask) == expected
    for contract in range(7):
        assert cards.trump_mask(contract) == plain(cards.trump_mask)(contract)


def test_tables_of_following() -> None:
    for contract in range(7):
        for card in range(32):
            follow = int(cards.FOLLOW_MASK[contract, card])
            assert follow >> card & 1
            same = [c for c in range(32) if cards.CLASS[contract, c] == cards.CLASS[contract, card]]
            assert follow == sum(1 << c for c in same)


@pytest.mark.parametrize("ruleset", RULESETS, ids=["isko", "other"])
def test_rules(ruleset: Ruleset) -> None:
    record = ruleset.kernel_record()
    cap = int(record["max_matadors"])
    for mask in hands(300, 12):
        for contract in range(6):
            assert rules.matadors(mask, contract, cap) == plain(rules.matadors)(mask, contract, cap)
        bid = int(RNG.choice(rules.BID_VALUES))
        flags = [RNG.randrange(2) for _ in range(4)]
        contract = RNG.randrange(7)
        arguments = (record, contract, *flags, RNG.randrange(2), mask, bid)
        assert rules.declaration_fault(*arguments) == plain(rules.declaration_fault)(*arguments)
        for is_hand in (0, 1):
            value = rules.null_below_bid_value(record, mask, is_hand, bid)
            assert value == plain(rules.null_below_bid_value)(record, mask, is_hand, bid)
        points, tricks, award = RNG.randrange(121), RNG.randrange(11), RNG.randrange(4)
        outcome = (points, tricks, award, RNG.randrange(256))
        settled = (record, contract % 6, *flags, mask, bid, *outcome)
        assert rules.settle(*settled) == plain(rules.settle)(*settled)


def test_tricks() -> None:
    for _ in range(300):
        contract = RNG.randrange(6)
        lead, card = RNG.sample(range(32), 2)
        follow = int(cards.FOLLOW_MASK[contract, lead])
        hand = hands(1, 10)[0]
        assert rules.legal_mask(hand, follow) == plain(rules.legal_mask)(hand, follow)
        arguments = (contract, follow, card, lead)
        assert rules.beats(*arguments) == plain(rules.beats)(*arguments)


def play_random_game(number: int, apply_action: Any) -> tuple[Any, Any]:
    """One random game of a seed, with an action function that is compiled or not."""
    rng = random.Random(number)
    public, hidden = np.zeros(1, table.PUBLIC)[0], np.zeros(1, table.HIDDEN)[0]
    table.deal(public, hidden, 7, number)
    record = ISKO.kernel_record()
    while int(public["phase"]) != table.PHASE_OVER:
        match int(public["phase"]):
            case table.PHASE_AUCTION:
                action = rng.choice([0, 1, 2, 18, 20, 22, 23, 24])
            case table.PHASE_PICK_UP:
                action = rng.randrange(2)
            case table.PHASE_DECLARE:
                hand = int(hidden["hands"][int(public["seat"])])
                held = [card for card in range(32) if hand >> card & 1]
                low, high = rng.sample(held, 2) if len(held) == 12 else (0, 0)
                action = table.declaration(rng.randrange(6), 0, low, high)
            case _:
                action = rng.randrange(32)
        apply_action(record, public, hidden, action)
    return public, hidden


def test_the_referee() -> None:
    def apply_plain(record: Any, public: Any, hidden: Any, action: int) -> int:
        phase = int(public["phase"])
        if phase == table.PHASE_PLAY:
            return int(plain(table.apply_card)(public, hidden, action))
        if phase == table.PHASE_AUCTION:
            return int(plain(table.apply_call)(record, public, action, 0))
        if phase == table.PHASE_PICK_UP:
            return int(plain(table.apply_pick_up)(public, hidden, action))
        return int(plain(table.apply_declaration)(record, public, hidden, action, 1))

    for number in range(30):
        compiled = play_random_game(number, table.apply_action)
        uncompiled = play_random_game(number, apply_plain)
        assert compiled == uncompiled


def test_philox_gives_numpys_words() -> None:
    for seed, stream, game in [(0, 0, 0), (1, 0, 7), (2**63 - 1, 3, 2**40)]:
        generator = np.random.Philox(key=[seed, stream], counter=[0, game, 0, 0])
        expected = [int(word) for word in generator.random_raw(8)]
        found = [
            int(word)
            for block in (1, 2)
            for word in kernel_random.philox_block(
                np.uint64(seed), np.uint64(stream), np.uint64(game), np.uint64(block)
            )
        ]
        assert found == expected


def test_shuffles_are_numpys_words_by_lemires_method() -> None:
    for game in range(20):
        words = np.random.Philox(key=[3, 0], counter=[0, game, 0, 0]).random_raw(64)
        halves = (half for word in words for half in (int(word) & 0xFFFFFFFF, int(word) >> 32))
        expected = list(range(32))
        for i in range(31, 0, -1):
            bound = i + 1
            while True:
                product = next(halves) * bound
                if product & 0xFFFFFFFF >= (1 << 32) % bound:
                    break
            j = product >> 32
            expected[i], expected[j] = expected[j], expected[i]
        hidden = np.zeros(1, table.HIDDEN)[0]
        table.shuffle(hidden, 3, 0, game)
        assert list(hidden["cards"]) == expected


def test_decision_words_do_not_repeat() -> None:
    words = {
        kernel_random.decision_word(kernel_random.game_key(seed, game), position)
        for seed in range(4)
        for game in range(50)
        for position in range(50)
    }
    assert len(words) == 4 * 50 * 50
    assert all(0 <= word < 2**63 for word in words)


@pytest.mark.slow
def test_without_compiler_the_rules_are_the_same() -> None:
    code = (
        "from skatsim.game import random_deal\n"
        "from skatsim.scoring import value_rows\n"
        "deal = random_deal(1, 5)\n"
        "print(deal, [(r.value_held, r.lowered_rate) for r in value_rows(deal.forehand_mask)])\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
        ).stdout
        for flag in ("0", "1")
    ]
    assert outputs[0] == outputs[1] != ""


DEFERRED = """
import pickle
import pkgutil
from importlib import import_module

import numpy as np
from numba.core.registry import CPUDispatcher as dispatcher

import skatsim.simulation
from skatsim.kernels import engine, lockstep, rules
from skatsim.kernels.jit import loaded

kernels = [engine.advance, engine.store, lockstep.deal_rows, lockstep.store_rows]
assert not any(type(kernel) is dispatcher for kernel in kernels)
try:
    lockstep.deal_rows(*[np.zeros(1)] * 7)
except TypeError:
    assert type(lockstep.deal_rows) is dispatcher
else:
    raise AssertionError("rows of floats are no rows")
assert rules.matadors(np.int32(1), 0, 11) != 0 and len(rules.matadors.signatures) == 1
assert pickle.dumps(rules.beats) and len(rules.beats.signatures) == 1
assert type(engine.advance) is not dispatcher
package = import_module("skatsim.kernels")
for module in pkgutil.iter_modules(package.__path__, "skatsim.kernels."):
    for value in vars(import_module(module.name)).values():
        assert not hasattr(loaded(value), "kernel_signature") or type(value) is dispatcher
"""


@pytest.mark.skipif(jit.cache_root() is None, reason="nothing is kept")
def test_kernels_in_the_cache_are_loaded_when_they_are_needed() -> None:
    """So that no process waits for what it never calls; and then each can be loaded."""
    for code in ("import skatsim.simulation", DEFERRED):  # the first compiles what is not there yet
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_a_kernel_is_called_first_by_several_threads() -> None:
    code = (
        "import threading\n"
        "from skatsim.kernels import cards\n"
        "found = []\n"
        "gate = threading.Barrier(8)\n"
        "def call():\n"
        "    gate.wait()\n"
        "    found.append(cards.mask_points((1 << 32) - 1))\n"
        "threads = [threading.Thread(target=call) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert found == 8 * [120], found\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_a_kernel_is_compiled_anew_with_all_it_is_made_of() -> None:
    """The sources that a cache folder is named after are those that Python's parser finds."""
    for path in Path(jit.__file__).parent.glob("*.py"):
        used = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                inner = (node.module or "").removeprefix(PACKAGE).lstrip(".")
                used |= {inner} if inner else {alias.name for alias in node.names}
        assert jit._sources(path.stem) == {path.stem}.union(*map(jit._sources, used)), path
