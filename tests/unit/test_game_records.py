"""Simulated and imported games through `Game` and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skatsim.blocks import play_block
from skatsim.formats import iss
from skatsim.formats.base import Block
from skatsim.game import Game
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO


def check_rows(rows: np.ndarray, calls: np.ndarray) -> list[Game]:
    games = []
    start = 0
    for row in rows:
        end = int(row["call_end"])
        game = Game.from_record(row, calls[start:end])
        record, own_calls = game.to_record()
        found: dict[str, Any] = {}
        expected: dict[str, Any] = {}
        for name in row.dtype.names or ():
            if name != "call_end" and not np.array_equal(row[name], record[name]):
                found[name], expected[name] = record[name], row[name]
        assert found == expected
        assert list(own_calls) == list(calls[start:end])
        games.append(game)
        start = end
    return games


@pytest.mark.parametrize("policy", ["uniform", "heuristic"])
def test_simulated_games(policy: str) -> None:
    players = Players.of(bidding=policy, declaring=policy, play=policy)
    rows, calls = play_block(3, 0, 150, players=players, ruleset=ISKO)
    games = check_rows(rows, calls)
    assert any(game.score is not None and game.score.is_won for game in games)


@pytest.mark.parametrize("name", ["iss-samples.sgf", "iss-client-random.sgf"])
def test_imported_games(name: str, corpus: Path) -> None:
    lines = (corpus / "records" / name).read_text(encoding="utf-8").splitlines()[:600]
    block: Block = iss.read_records(enumerate(lines, start=1))
    assert len(block.rows) > 30
    check_rows(block.rows, block.calls)
