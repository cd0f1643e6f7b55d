"""OpenSpiel's Skat as a second witness: which cards may be played, and who wins the tricks.

Its auction is another one (each player names a game once), so only the play is compared.
"""

import random
from typing import Any

import pytest

from skatsim.cards import Deal, mask_of
from skatsim.events import AuctionResult, Row, apply_event
from skatsim.kernels import table
from skatsim.kernels.bits import popcount
from skatsim.ruleset import ISKO

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is an optional dependency of tests")

QUICK_GAMES = 200
SLOW_GAMES = 20_000

BID_PASS, BID_DIAMONDS = 32, 33  # then hearts, spades, clubs, grand, null

# whose card is dealt when: three each, the skat, four each, three each
DEAL_ORDER = (
    [seat for seat in range(3) for _ in range(3)]
    + [3, 3]
    + [seat for seat in range(3) for _ in range(4)]
    + [seat for seat in range(3) for _ in range(3)]
)


def deal_at_random(state: Any, rng: random.Random) -> Deal:
    parts: list[list[int]] = [[], [], [], []]
    for place in DEAL_ORDER:
        card = rng.choice(state.legal_actions())
        parts[place].append(card)
        state.apply_action(card)
    return Deal.from_parts(*parts)


def play_game(rng: random.Random, contract: int) -> int:
    """Play one random game of a contract on both sides; returns the tricks compared."""
    state = pyspiel.load_game("skat").new_initial_state()
    row = Row.of(deal_at_random(state, rng))
    declarer = rng.randrange(3)
    for _ in range(declarer):
        state.apply_action(BID_PASS)
    state.apply_action(BID_DIAMONDS + contract)
    event = AuctionResult(declarer=declarer, bid_value=18)
    apply_event(row, event, ruleset=ISKO, is_recorded=True)
    table.apply_pick_up(row.public, row.hidden, 1)

    assert mask_of(state.legal_actions()) == int(row.hidden["hands"][declarer])
    discard = []
    for _ in range(2):
        discard.append(rng.choice(state.legal_actions()))
        state.apply_action(discard[-1])
    action = table.declaration(contract, 0, *discard)
    rules = ISKO.kernel_record()
    assert table.apply_declaration(rules, row.public, row.hidden, action, 1) == 0

    while int(row.public["phase"]) == table.PHASE_PLAY and not state.is_terminal():
        assert state.current_player() == int(row.public["seat"])
        legal = int(table.legal_cards(row.public, row.hidden))
        assert mask_of(state.legal_actions()) == legal
        card = rng.choice(state.legal_actions())
        state.apply_action(card)
        assert table.apply_card(row.public, row.hidden, card) == 0
    tricks = int(row.public["trick_count"])
    if tricks == 10:
        winner = (int(row.public["trick_winners"]) >> 18) & 3
        assert f"Last trick won by player {winner}" in str(state)
        assert popcount(int(row.public["played_mask"])) == 30
    return tricks


def play_games(count: int, seed: int) -> None:
    rng = random.Random(seed)
    tricks = [play_game(rng, number % 6) for number in range(count)]
    assert sum(tricks) > 8 * count * 5 / 6


def test_openspiel_agrees() -> None:
    play_games(QUICK_GAMES, 1)


@pytest.mark.slow
def test_openspiel_agrees_over_20_000_games() -> None:
    play_games(SLOW_GAMES, 2)
