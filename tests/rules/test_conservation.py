"""What must add up in the hands of each ruleset.

``SKATSIM_CONSERVATION_HANDS=1000000`` looks at a million of each.
"""

import os

import numpy as np
import pytest

from skatsim.blocks import play_block
from skatsim.kernels.cards import POINTS
from skatsim.lists import seats_of
from skatsim.policies.players import Players
from skatsim.records import CONTRACTS
from skatsim.ruleset import RULESETS, Ruleset
from skatsim.seating import SeriesPlan, SeriesState

HANDS = int(os.environ.get("SKATSIM_CONSERVATION_HANDS", "9600"))
BLOCK = 48 * 200
NAMES = ("A", "B", "C", "D")
PLAYED = sorted(name for name, rules in RULESETS.items() if not rules.is_value_table_only)

RAMSCH = CONTRACTS.index("ramsch")
NULL = CONTRACTS.index("null")


def trick_card_points(rows: np.ndarray) -> np.ndarray:
    """Card points taken by each seat in complete tricks, shape (n, 3)."""
    taken = np.zeros((len(rows), 3), dtype=np.int64)
    values = np.append(np.asarray(POINTS, dtype=np.int64), np.zeros(256 - len(POINTS), np.int64))
    for trick in range(10):
        winner = (rows["trick_winners"] >> np.uint32(2 * trick)) & 3
        points = values[rows["played"][:, 3 * trick : 3 * trick + 3]].sum(axis=1)
        for seat in range(3):
            taken[:, seat] += np.where(winner == seat, points, 0)
    return taken


def mask_card_points(masks: np.ndarray) -> np.ndarray:
    return sum(((masks.astype(np.int64) >> card) & 1) * int(POINTS[card]) for card in range(32))  # type: ignore[return-value]


def check_cards(rows: np.ndarray) -> None:
    whole = rows[(rows["play_count"] == 30) & (rows["contract"] >= 0)]
    buried = np.where(whole["discard_mask"] != 0, whole["discard_mask"], whole["skat_mask"])
    ramsch = whole["contract"] == RAMSCH
    taken = trick_card_points(whole)
    declared = whole[~ramsch]
    total = taken.sum(axis=1) + mask_card_points(buried)
    assert (total[~ramsch] == 120).all()
    own = taken[~ramsch][np.arange(len(declared)), declared["declarer_seat"]]
    own = own + mask_card_points(buried[~ramsch])
    is_null = declared["contract"] == NULL
    assert (own[~is_null] == declared["declarer_card_points"][~is_null]).all()
    assert (taken[ramsch].sum(axis=1) <= 120).all()


def seeger_fabian_totals(rows: np.ndarray, rules: Ruleset, table_size: int) -> None:
    """By deal and at the foot: the same totals."""
    bonus = rules.defender_bonus(table_size)
    seats = np.array([seats_of(deal, table_size) for deal in range(table_size)])
    dealer = np.arange(len(rows)) % table_size
    players = seats[dealer]
    declared = (rows["contract"] >= 0) & (rows["declarer_seat"] >= 0)
    won = declared & (rows["is_won"] == 1)
    lost = declared & (rows["is_won"] == 0)
    declarer = players[np.arange(len(rows)), np.maximum(rows["declarer_seat"], 0)]
    by_deal = np.zeros(table_size, dtype=np.int64)
    foot = np.zeros(table_size, dtype=np.int64)
    for player in range(table_size):
        own = declared & (declarer == player)
        plain = rows["score"][own].sum(dtype=np.int64)
        for seat, name in enumerate(("forehand_entry", "middlehand_entry", "rearhand_entry")):
            plain += rows[name][players[:, seat] == player].sum(dtype=np.int64)
        won_count, lost_count = int((own & won).sum()), int((own & lost).sum())
        foot[player] = plain + rules.own_game_bonus * (won_count - lost_count)
        foot[player] += bonus * (int(lost.sum()) - lost_count)
        entry = np.where(
            own,
            rows["score"] + np.where(won, rules.own_game_bonus, -rules.own_game_bonus),
            np.where(lost, bonus, 0),
        )
        by_deal[player] = entry.sum(dtype=np.int64)
        for seat, name in enumerate(("forehand_entry", "middlehand_entry", "rearhand_entry")):
            by_deal[player] += rows[name][players[:, seat] == player].sum(dtype=np.int64)
    assert (by_deal == foot).all()
    whole = rows["score"].sum(dtype=np.int64) + sum(
        rows[name].sum(dtype=np.int64)
        for name in ("forehand_entry", "middlehand_entry", "rearhand_entry")
    )
    whole += rules.own_game_bonus * (int(won.sum()) - int(lost.sum()))
    assert by_deal.sum() == whole + bonus * (table_size - 1) * int(lost.sum())


def check_bock(rows: np.ndarray, rules: Ruleset, plan: SeriesPlan) -> None:
    """Every entry is its own times the factor that the deals before it give."""
    factors = np.maximum(1, rows["bock_factor"])
    if not rules.bock_triggers:
        assert (factors == 1).all()
        return
    assert (rows["entry_factor"] % factors == 0).all()
    state = SeriesState.start(rules, plan.table_size)
    for game, row in enumerate(rows):
        if game % plan.length == 0:
            state = SeriesState.start(rules, plan.table_size)
        assert int(factors[game]) == state.factor
        state = state.after(row.copy(), plan.seats(game))
    # doubled once for each step of Kontra, and by nothing else
    steps = rows["kontra_count"].astype(np.int64)
    declared = (rows["declarer_seat"] >= 0) & (rows["contract"] >= 0)
    assert (rows["entry_factor"] == factors * 2**steps)[declared].all()
    sign = np.where(rows["is_won"] == 1, 1, -2)
    assert (rows["score"] == rows["charged_value"].astype(np.int64) * sign * rows["entry_factor"])[
        declared
    ].all()


@pytest.mark.parametrize("name", PLAYED)
def test_everything_adds_up(name: str) -> None:
    rules = RULESETS[name]
    players = Players.of(
        seats=("heuristic", "heuristic", "heuristic:risk=0.6", "uniform"), table_size=4
    )
    plan = SeriesPlan(length=48, players=NAMES)
    for first in range(0, HANDS, BLOCK):
        rows, _ = play_block(11, first, BLOCK, players=players, ruleset=rules, plan=plan)
        check_cards(rows)
        seeger_fabian_totals(rows, rules, 4)
        check_bock(rows, rules, plan)
        dealers = np.arange(first, first + BLOCK) % 48 % 4
        assert (np.bincount(dealers) == BLOCK // 4).all()
