"""What must add up in the hands of each ruleset."""

import numpy as np
import pytest

from skatsim.blocks import play_block
from skatsim.kernels.cards import POINTS
from skatsim.lists import seats_of
from skatsim.policies.players import Players
from skatsim.records import CONTRACTS
from skatsim.ruleset import RULESETS, Ruleset
from skatsim.seating import SeriesPlan

BLOCK = 48 * 200
MILLION = -(-1_000_000 // BLOCK) * BLOCK
NAMES = ("A", "B", "C", "D")
PLAYED = sorted(name for name, rules in RULESETS.items() if not rules.is_value_table_only)

RAMSCH = CONTRACTS.index("ramsch")
NULL = CONTRACTS.index("null")
GRAND = CONTRACTS.index("grand")


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


def starts_of_bock(rows: np.ndarray) -> np.ndarray:
    """How many rounds each deal calls: 60:60, a grand hand won, Kontra (with or without Re)."""
    declared = (rows["declarer_seat"] >= 0) & (rows["contract"] >= 0)
    won, contract = rows["is_won"] == 1, rows["contract"]
    sixty = declared & ~won & (contract != NULL) & (rows["declarer_card_points"] == 60)
    grand_hand = declared & won & (contract == GRAND) & (rows["is_hand"] == 1)
    return sixty.astype(np.int64) + grand_hand + (rows["kontra_count"] > 0)


def check_bock(rows: np.ndarray, rules: Ruleset, plan: SeriesPlan) -> None:
    """Every entry is its own times the factor that the deals before it give."""
    factors = np.maximum(1, rows["bock_factor"])
    if not rules.bock_triggers:
        assert (factors == 1).all()
        return
    assert (rows["entry_factor"] % factors == 0).all()
    assert rules.bock_accumulation == "queue"
    assert set(rules.bock_triggers) == {"sixty_sixty", "grand_hand_won", "kontra_said", "re_said"}
    starts = starts_of_bock(rows)
    left = 0
    for game, start in enumerate(starts.tolist()):
        if game % plan.length == 0:
            left = 0
        assert int(factors[game]) == (2 if left else 1)
        left = max(0, left - 1) + plan.table_size * start
    # doubled once for each step of Kontra, and by nothing else
    steps = rows["kontra_count"].astype(np.int64)
    declared = (rows["declarer_seat"] >= 0) & (rows["contract"] >= 0)
    assert (rows["entry_factor"] == factors * 2**steps)[declared].all()
    sign = np.where(rows["is_won"] == 1, 1, -2)
    assert (rows["score"] == rows["charged_value"].astype(np.int64) * sign * rows["entry_factor"])[
        declared
    ].all()


def check_everything(name: str, hands: int) -> None:
    rules = RULESETS[name]
    players = Players.of(
        seats=("heuristic", "heuristic", "heuristic:risk=0.6", "uniform"), table_size=4
    )
    plan = SeriesPlan(length=48, players=NAMES)
    for first in range(0, hands, BLOCK):
        rows, _ = play_block(11, first, BLOCK, players=players, ruleset=rules, plan=plan)
        check_cards(rows)
        seeger_fabian_totals(rows, rules, 4)
        check_bock(rows, rules, plan)
        places = plan.seating(first, BLOCK).seats
        for place in range(4):  # forehand, middlehand, rearhand, the dealer
            assert (np.bincount(places[:, place]) == BLOCK // 4).all()


@pytest.mark.parametrize("name", PLAYED)
def test_everything_adds_up(name: str) -> None:
    check_everything(name, BLOCK)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYED)
def test_everything_adds_up_in_a_million_hands(name: str) -> None:
    check_everything(name, MILLION)
