"""The classic counts: by hand, and as they bid."""

import pytest

from skatsim.cards import parse_mask
from skatsim.kernels import counts
from skatsim.kernels.cards import CLUBS, DIAMONDS, GRAND, HEARTS, SPADES
from skatsim.kernels.counts import (
    COUNT_TRUMPS_AND_ACES,
    COUNT_VON_STEGEN,
    COUNT_WERGIN,
    COUNT_XSKAT,
)
from skatsim.kernels.heuristic import ALONE_FLAG
from skatsim.policies import find_policy
from skatsim.policies.players import Players
from skatsim.ruleset import ISKO
from skatsim.study.conditional import deal

POLICIES = {
    COUNT_VON_STEGEN: "von_stegen",
    COUNT_WERGIN: "wergin",
    COUNT_XSKAT: "xskat_rule",
    COUNT_TRUMPS_AND_ACES: "trumps_and_aces",
}

HAND = parse_mask("CJ SJ CA CT C9 SA ST HA H7 D7")


def limit(text: str, hand: int = HAND, seat: int = 1) -> int:
    policy = find_policy(text)
    player = Players(bidding=(policy,) * 3, declaring=(policy,) * 3, play=(policy,) * 3)
    row = player.kernel_rows()[0]
    count = next(number for number, name in POLICIES.items() if name == policy.name)
    return int(counts.counted_limit(ISKO.kernel_record(), count, seat, hand, row))


@pytest.mark.parametrize(
    ("count", "contract", "expected"),
    [
        # two jacks 4, three trumps 3, three aces 3, two tens 1
        (COUNT_VON_STEGEN, CLUBS, 11.0),
        (COUNT_VON_STEGEN, DIAMONDS, 9.0),
        # jacks 2, aces 4.5, tens 1 and beside their aces 1 more, the club jack 0.2
        (COUNT_VON_STEGEN, GRAND, 8.7),
        # club and spade jack 25, ace and ten of clubs 20, of spades 20, ace of hearts 10
        (COUNT_WERGIN, CLUBS, 75.0),
        (COUNT_WERGIN, SPADES, counts.NOT_COUNTED),
        (COUNT_TRUMPS_AND_ACES, CLUBS, 7.0),
        (COUNT_TRUMPS_AND_ACES, HEARTS, 6.0),
        (COUNT_TRUMPS_AND_ACES, GRAND, 5.0),
        # five trumps, two side aces and a ten: five are enough
        (COUNT_XSKAT, CLUBS, 0.0),
        # CA CT, SA ST, HA run; two jacks; and two jacks with three aces and a ten
        (COUNT_XSKAT, GRAND, 7.0),
    ],
)
def test_a_hand_is_counted_as_one_counts_by_hand(
    count: int, contract: int, expected: float
) -> None:
    assert counts.contract_count(count, 1, HAND, contract) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("jacks", "expected"),
    [("", 0), ("CJ", 10), ("DJ", 5), ("CJ SJ", 25), ("CJ DJ", 20), ("CJ SJ HJ", 40),
     ("CJ SJ DJ", 37), ("CJ HJ DJ", 35), ("SJ HJ DJ", 35), ("CJ SJ HJ DJ", 50)],
)  # fmt: skip
def test_wergin_counts_jacks(jacks: str, expected: int) -> None:
    bits = sum(1 << (card >> 3) for card in range(32) if parse_mask(jacks) >> card & 1)
    assert counts.wergin_jacks(bits) == expected


@pytest.mark.parametrize(
    ("cards", "expected"),
    [("CA CT CK", 25), ("CA CT", 20), ("CA CK CQ", 15), ("CA CK C9", 12), ("CA CK", 10),
     ("CA", 10), ("CT CK", 0)],
)  # fmt: skip
def test_wergin_counts_suits(cards: str, expected: int) -> None:
    assert counts.wergin_suit(counts.suit_cards(parse_mask(cards), CLUBS)) == expected


def test_a_hand_that_counts_enough_is_bid_to_the_value_it_holds() -> None:
    clubs, grand = 12 * 3, 24 * 3
    assert limit("trumps_and_aces") == grand + ALONE_FLAG
    assert limit("trumps_and_aces:least_grand=6") == clubs + ALONE_FLAG
    assert limit("trumps_and_aces:least=8,least_grand=6") == 0
    assert limit("trumps_and_aces:least=8,least_grand=6,alone=1") == ALONE_FLAG
    assert limit("xskat_rule") == grand + ALONE_FLAG
    assert limit("wergin:least_grand=76") == clubs + ALONE_FLAG
    assert limit("von_stegen:least=20,least_grand=9") == 0


def test_as_many_hands_reach_a_full_bid_of_xskat_as_others_have_counted() -> None:
    """23.5 % of 1,007 random hands: within three standard errors."""
    hands = deal(5000, seed=4).masks[:, 0]
    full = [counts.xskat_count(int(hand), counts.longest_suit(int(hand))) >= 0 for hand in hands]
    assert sum(full) / len(full) == pytest.approx(0.235, abs=3 * 0.0148)


def test_a_count_differs_from_heuristic_in_its_bidding_alone() -> None:
    heuristic = find_policy("heuristic")
    for name in POLICIES.values():
        policy = find_policy(name)
        shared = [parameter for parameter in policy.parameters if parameter in heuristic.parameters]
        assert len(shared) == len(heuristic.parameters) - 3
        assert find_policy(f"{name}:ruff=9").value("ruff") == 9
