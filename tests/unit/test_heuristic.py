import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from skatsim.kernels import hand_worth, heuristic, heuristic_play
from skatsim.kernels.cards import CLUBS, GRAND, NULL, mask_points, trump_mask
from skatsim.kernels.columns import GAME
from skatsim.kernels.engine import POLICY_HEURISTIC, simulate_games
from skatsim.kernels.rules import matadors
from skatsim.kernels.table import HIDDEN, IS_HAND, IS_OUVERT, PLAYER, PUBLIC, place
from skatsim.policies import find_policy
from skatsim.ruleset import ISKO

SUITS = "DHSC"
RANKS = "789QKTAJ"


def mask(text):
    return sum(1 << (8 * SUITS.index(card[0]) + RANKS.index(card[1])) for card in text.split())


def players(text="heuristic"):
    policy = find_policy(text)
    rows = np.zeros(9, PLAYER)
    rows["policy"] = policy.code
    rows["parameters"][:, : len(policy.values)] = policy.values
    return rows


def games(count, text="heuristic", seed=7, table=None):
    public, hidden = np.zeros(1, PUBLIC), np.zeros(1, HIDDEN)
    rows, calls = np.zeros(count, GAME), np.zeros(132 * count, np.uint16)
    table = players(text) if table is None else table
    assert simulate_games(rules(), table, public, hidden, seed, 0, count, rows, calls) == 0
    return rows


def rules():
    return ISKO.kernel_record()


def random_hands(size, count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        yield sum(1 << int(card) for card in rng.permutation(32)[:size])


def worth(hand, contract, stage, discard=0):
    """The worth of ten cards in a contract, summed up without any of the packed tables."""
    suits = [(hand >> (8 * suit)) & 0xFF for suit in range(4)]
    if contract == NULL:
        return sum(hand_worth.NULL_SUIT[stage][cards] for cards in suits)
    jacks = sum(((cards >> 7) & 1) << suit for suit, cards in enumerate(suits))
    plain = [cards & 0x7F for cards in suits]
    weights = hand_worth.GRAND_WEIGHTS if contract == GRAND else hand_worth.SUIT_WEIGHTS
    total = mask_points(discard) * weights["card point buried"][stage]
    if contract == GRAND:
        return (
            total
            + hand_worth.GRAND_JACKS[stage][jacks]
            + sum(hand_worth.GRAND_SIDE[stage][cards] for cards in plain)
        )
    trumps = plain.pop(contract)
    return (
        total
        + hand_worth.JACKS[stage][jacks]
        + hand_worth.FULL_TRUMPS[stage][trumps >> 5]
        + hand_worth.TRUMP_COUNTS[stage][trumps.bit_count() + jacks.bit_count()]
        + sum(hand_worth.SIDE[stage][cards] for cards in plain)
    )


def test_packed_worths_are_the_sums_they_stand_for():
    for hand in random_hands(10, 300):
        lanes = hand_worth.hand_lanes(hand, 1)
        for contract in range(6):
            expected = tuple(worth(hand, contract, stage) for stage in range(2))
            if contract == NULL and hand_worth.is_null_certain(lanes[1]):
                expected = (hand_worth.CERTAIN, hand_worth.CERTAIN)
            assert hand_worth.hand_value(hand, contract, *lanes) == expected


def test_discard_is_the_best_of_all_pairs_without_trumps():
    for cards in random_hands(12, 60):
        held = [card for card in range(32) if cards >> card & 1]
        for contract in range(6):
            pairs = [(1 << low) | (1 << high) for low, high in combinations(held, 2)]
            best = max(
                worth(cards & ~pair, contract, hand_worth.AFTER, pair)
                for pair in pairs
                if pair & trump_mask(contract) == 0
            )
            if contract < GRAND:
                assert hand_worth.discarded_suit_values(cards)[contract] == best
            else:
                assert hand_worth.discarded_value(cards, contract) == best
            pair = hand_worth.best_discard(cards, contract)
            if contract == NULL and any(is_sure_null(cards & ~pair) for pair in pairs):
                assert is_sure_null(cards & ~pair)
            else:
                assert worth(cards & ~pair, contract, hand_worth.AFTER, pair) == best


def is_sure_null(hand: int, seat: int = 1) -> bool:
    return bool(hand_worth.is_null_certain(hand_worth.hand_lanes(hand, seat)[1]))


def test_a_null_that_can_be_made_certain_is():
    """Without DA DK there is no gap; the weights alone would lay away C8 HT."""
    cards = mask("CJ C9 C8 C7 HJ HT H9 H7 DA DK D8 D7")
    assert hand_worth.best_discard(cards, NULL) == mask("DA DK")
    found = 0
    for cards in random_hands(12, 4000):
        low = cards & mask("C7 C8 C9 CT CJ S7 S8 S9 ST SJ H7 H8 H9 HT HJ D7 D8 D9 DT DJ")
        if low.bit_count() < 8:
            continue
        held = [card for card in range(32) if cards >> card & 1]
        pairs = [(1 << one) | (1 << other) for one, other in combinations(held, 2)]
        for seat in range(2):  # forehand leads
            if any(is_sure_null(cards & ~pair, seat) for pair in pairs):
                found += 1
                assert is_sure_null(cards & ~hand_worth.best_discard(cards, NULL), seat)
    assert found > 10


def test_eleven_trumps_and_one_more_card_still_have_a_discard():
    cards = mask("CJ SJ HJ DJ CA CT CK CQ C9 C8 C7 H7")
    discard = hand_worth.best_discard(cards, CLUBS)
    assert discard.bit_count() == 2 and discard & ~cards == 0 and discard & mask("CJ SJ HJ DJ") == 0


def test_matadors_are_those_of_the_rules():
    for hand in random_hands(10, 500):
        jacks = hand_worth.jack_bits(hand)
        for contract in range(5):
            assert hand_worth.matador_count(hand, contract, jacks) == abs(
                matadors(hand, contract, 11)
            )


def test_cards_are_picked_in_order():
    cards = mask("DA HT SK CJ C9")
    assert 1 << heuristic_play.pick(cards, heuristic_play.CHEAPEST) == mask("C9")
    assert 1 << heuristic_play.pick(cards, heuristic_play.FATTEST) == mask("DA")
    assert 1 << heuristic_play.pick(mask("CJ SJ CK"), heuristic_play.TAKING) == mask("CK")
    assert 1 << heuristic_play.pick(mask("CJ SJ CT CK"), heuristic_play.TAKING) == mask("CT")
    assert 1 << heuristic_play.pick(mask("CJ SJ"), heuristic_play.LOWEST) == mask("SJ")
    assert 1 << heuristic_play.pick(mask("SK S9 S7"), heuristic_play.HIGHEST) == mask("SK")


def limit(text, policy="heuristic", seat=2):
    return int(heuristic.heuristic_limit(rules(), seat, mask(text), players(policy)[0])) & 511


def test_limits_are_values_of_the_hand():
    assert limit("C7 S8 H9 D7 HQ SQ CK DK HT S7") == 0
    assert limit("CJ SJ HJ DJ CA CT CK CQ HA HT") >= 144  # grand hand with four and more
    assert limit("CJ SJ CA CK C9 C8 HA HT S7 D9") >= 36
    # without two: the skat may leave it without one, so a careful player stops earlier
    careful, daring = (
        limit("HJ DJ CA CT CK C9 HA HT HK S7", f"heuristic:surprise={s}") for s in (1, 0)
    )
    assert careful <= daring
    assert limit("H7 H8 H9 D7 D8 D9 S7 S8 C7 C8") >= 59


def test_null_that_cannot_be_lost_is_played_open_by_hand():
    hand = mask("H7 H8 H9 D7 D8 D9 S7 S8 C7 C8")
    action, is_better = heuristic.best_hand_game(rules(), 0, hand, 18, players()[0])
    assert is_better == 1 and action & 7 == NULL and (action >> 3) & 15 == IS_HAND | IS_OUVERT


def test_null_without_gaps_is_never_lost(played):
    hands = np.stack([played[f"{seat}_mask"] for seat in ("forehand", "middlehand", "rearhand")], 1)
    count = 0
    for i in np.flatnonzero(played["contract"] == NULL):
        seat = int(played["declarer_seat"][i])
        hand = int(hands[i, seat])
        if not played["is_hand"][i]:
            hand = (hand | int(played["skat_mask"][i])) & ~int(played["discard_mask"][i])
        if hand_worth.is_null_certain(hand_worth.hand_lanes(hand, seat)[1]):
            count += 1
            assert played["is_won"][i]
    assert count > 50


def test_more_risk_bids_higher():
    for hand in random_hands(10, 500):
        for seat in range(3):
            limits = [
                int(
                    heuristic.heuristic_limit(
                        rules(), seat, hand, players(f"heuristic:risk={r}")[0]
                    )
                )
                & 511
                for r in (0.2, 0.45, 0.7)
            ]
            assert limits == sorted(limits)


def test_limit_of_a_new_deal_is_not_that_of_the_last():
    hidden = np.zeros(1, HIDDEN)
    hidden["bid_limits"] = 20
    place(hidden[0], 0x3FF, 0xFFC00, 0x3FF00000)
    assert (hidden["bid_limits"] == -1).all()


@pytest.fixture(scope="module")
def played():
    return games(60_000)


def share(flags):
    return float(np.mean(flags))


def test_self_play_looks_like_skat(played):
    assert 0.01 < share(played["contract"] < 0) < 0.08
    declared = played[played["contract"] >= 0]
    assert 0.74 < share(declared["is_won"]) < 0.86
    assert share(declared["is_overbid"]) < 0.02
    assert 0.03 < share(declared["is_hand"]) < 0.15
    assert 0.14 < share(declared["is_schneider"]) < 0.28
    shares = [share(declared["contract"] == contract) for contract in range(6)]
    assert shares[CLUBS] > shares[2] > shares[1] > shares[0] > 0.05
    assert 0.20 < shares[GRAND] < 0.36
    assert 0.03 < shares[NULL] < 0.10


def test_all_kinds_of_games_occur(played):
    for contract in range(6):
        of_it = played[played["contract"] == contract]
        assert of_it["is_hand"].any() and not of_it["is_hand"].all()
    null = played[played["contract"] == NULL]
    assert null["is_ouvert"].any() and not null["is_ouvert"].all()
    assert played["is_schneider_announced"].any()


def test_self_play_repeats_itself():
    first, second = games(500), games(500)
    assert all((first[name] == second[name]).all() for name in GAME.names)


def test_daring_players_pass_in_less_and_lose_more():
    careful, daring = games(20_000, "heuristic:risk=0.3"), games(20_000, "heuristic:risk=0.6")
    assert share(careful["contract"] < 0) > share(daring["contract"] < 0)
    won = [share(rows["is_won"][rows["contract"] >= 0]) for rows in (careful, daring)]
    assert won[0] > won[1]


def test_best_risk_lies_inside():
    """Seeger-Fabian score of one seat against two default players, over the same deals."""
    scores = []
    for risk in (0.15, 0.45, 0.75):
        table = players()
        table["parameters"][:3, 0] = risk
        rows = games(20_000, table=table)
        won = rows["is_won"] == 1
        own = rows["declarer_seat"] == 0
        entry = np.where(own, rows["score"] + np.where(won, 50, -50), np.where(won, 0, 40))
        scores.append(np.where(rows["contract"] < 0, 0, entry).mean())
    assert scores[1] > max(scores[0], scores[2])


def test_parameters_are_documented_and_numbered():
    names = [name for name, *_ in heuristic.PARAMETERS]
    assert names[heuristic.RISK] == "risk" and names[heuristic.RUFF_POINTS] == "ruff"
    assert find_policy("heuristic").code == POLICY_HEURISTIC


PLAIN = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from test_heuristic import games
np.save({file!r}, games(30))
"""


def test_compiled_and_plain_play_the_same_games(tmp_path):
    file = str(tmp_path / "games.npy")
    code = PLAIN.format(folder=str(Path(__file__).parent), file=file)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=environment, check=True)
    plain, compiled = np.load(file), games(30)
    assert all((plain[name] == compiled[name]).all() for name in GAME.names)
