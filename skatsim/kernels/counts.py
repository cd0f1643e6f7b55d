"""The classic counts of a hand's worth, and how high a player bids who goes by one.

Players have counted their hands since before there were computers: so and so much for a jack,
for a trump, for an ace, and with at least so many points the hand is bid. Each count stands here
as it is commonly told; a hand that reaches the `least` of its count is bid up to the value it
holds in the ten cards, without a thought for what the skat may do to it.

All but the bidding is the policy `heuristic`'s, and so are all parameters but the first, second
and ninth, which the counts read in their own way.
"""

from typing import Any

from numba import int64, types

from skatsim.kernels.bits import popcount
from skatsim.kernels.cards import (
    ACE,
    ACE_MASK,
    GRAND,
    JACK_MASK,
    KING_MASK,
    NINE,
    PLAIN_MASK,
    QUEEN,
    QUEEN_MASK,
    SUIT_MASK,
    TEN_MASK,
)
from skatsim.kernels.hand_worth import jack_bits, matador_count
from skatsim.kernels.heuristic import ALONE, ALONE_FLAG, RISK, SURPRISE
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import RULES_TYPE
from skatsim.kernels.table import PLAYER_TYPE

COUNT_VON_STEGEN, COUNT_WERGIN, COUNT_XSKAT, COUNT_TRUMPS_AND_ACES = range(4)

LEAST, COUNT_ALONE, LEAST_GRAND = RISK, ALONE, SURPRISE
"""Where a count's own parameters stand: in the places of what only `heuristic_limit` reads."""

NOT_COUNTED = -1000.0
"""The count of a contract that the rule does not consider."""

TEN_BIT, ACE_BIT, KING_BIT = 32, 64, 16


@kernel(int64(int64, int64))
def suit_cards(hand_mask: int, suit: int) -> int:
    """The seven cards of a suit besides its jack, as bits of their ranks."""
    return (hand_mask >> (8 * suit)) & PLAIN_MASK


@kernel(int64(int64))
def longest_suit(hand_mask: int) -> int:
    """The suit with most cards besides the jacks; of equals the dearer."""
    best = 0
    for suit in range(1, 4):
        if popcount(suit_cards(hand_mask, suit)) >= popcount(suit_cards(hand_mask, best)):
            best = suit
    return best


@kernel(types.float64(int64, int64))
def von_stegen_count(hand_mask: int, suit: int) -> float:
    """Von Stegen, simplified: a jack 2, another trump 1, an ace 1 more, a ten 1/2 more."""
    jacks = popcount(hand_mask & JACK_MASK)
    trumps = popcount(suit_cards(hand_mask, suit))
    aces = popcount(hand_mask & ACE_MASK)
    return 2.0 * jacks + trumps + aces + 0.5 * popcount(hand_mask & TEN_MASK)


@kernel(types.float64(int64, int64))
def grand_count(hand_mask: int, seat: int) -> float:
    """A jack 1, an ace 1 1/2, a ten 1/2, with its ace 1; a little for club jack and lead."""
    jacks = jack_bits(hand_mask)
    count = popcount(jacks)
    both = popcount((hand_mask & ACE_MASK) & ((hand_mask & TEN_MASK) << 1))
    total = count + 1.5 * popcount(hand_mask & ACE_MASK)
    total += 0.5 * popcount(hand_mask & TEN_MASK) + 0.5 * both
    if jacks >= 8 and count < 4:
        total += 0.2
    if count == 2 and seat == 0:
        total += 0.2
    return total


@kernel(int64(int64))
def wergin_jacks(jacks: int) -> int:
    """What Wergin counts for the jacks, given as four bits, clubs highest."""
    count = popcount(jacks)
    if count == 0:
        return 0
    if count == 1:
        return 10 if jacks == 8 else 5
    if count == 2:
        return 25 if jacks == 12 else 20
    if count == 3:
        if jacks == 14:
            return 40
        return 37 if jacks == 13 else 35
    return 50


@kernel(int64(int64))
def wergin_suit(cards: int) -> int:
    """What Wergin counts for the cards of a suit besides the jack."""
    if cards & ACE_BIT == 0:
        return 0
    if cards & TEN_BIT:
        return 25 if cards & KING_BIT else 20
    if cards & KING_BIT:
        if (cards >> QUEEN) & 1:
            return 15
        if (cards >> NINE) & 1:
            return 12
    return 10


@kernel(types.float64(int64))
def wergin_count(hand_mask: int) -> float:
    """Wergin's count of a hand: its jacks, and the high cards of each suit."""
    total = wergin_jacks(jack_bits(hand_mask))
    for suit in range(4):
        total += wergin_suit(suit_cards(hand_mask, suit))
    return float(total)


@kernel(types.float64(int64, int64))
def trumps_and_aces_count(hand_mask: int, suit: int) -> float:
    """Trumps, jacks among them, and aces of the other suits."""
    side = hand_mask & ~(SUIT_MASK << (8 * suit))
    trumps = popcount(suit_cards(hand_mask, suit)) + popcount(hand_mask & JACK_MASK)
    return float(trumps + popcount(side & ACE_MASK))


@kernel(types.float64(int64, int64))
def xskat_count(hand_mask: int, suit: int) -> float:
    """How many trumps fewer XSkat's rule for a full bid would still be met with; below 0 if not.

    The rule asks for more beside the trumps the fewer there are: `aces`, `tens`, and the card
    points of kings and queens, all of the side suits.
    """
    side = hand_mask & ~JACK_MASK & ~(SUIT_MASK << (8 * suit))
    trumps = popcount(suit_cards(hand_mask, suit)) + popcount(hand_mask & JACK_MASK)
    aces = popcount(side & ACE_MASK)
    tens = popcount(side & TEN_MASK)
    points = 4 * popcount(side & KING_MASK) + 3 * popcount(side & QUEEN_MASK) + 10 * tens
    has_club_jack = (hand_mask >> 31) & 1
    needed = 7
    if points >= 14 or tens + aces > 0:
        needed = 6
    if points >= 39 or aces >= 3 or (aces >= 2 and points > 0):
        needed = 5
    if aces >= 1 and tens >= 1 and points >= 11 and has_club_jack:
        needed = 5
    if aces >= 3 or (aces == 2 and tens >= 2):
        needed = 4
    return float(trumps - needed)


@kernel(int64(int64))
def running_cards(hand_mask: int) -> int:
    """The cards that stand at the head of their suits: an ace, its ten, their king and so on."""
    total = 0
    for suit in range(4):
        cards = suit_cards(hand_mask, suit)
        rank = ACE
        while rank >= 0 and (cards >> rank) & 1:
            total += 1
            rank -= 1
    return total


@kernel(int64(int64, int64))
def is_xskat_grand(hand_mask: int, seat: int) -> int:
    """1 if one of XSkat's tests for grand is met, that of running cards aside."""
    jacks = popcount(hand_mask & JACK_MASK)
    aces = popcount(hand_mask & ACE_MASK)
    tens = popcount(hand_mask & TEN_MASK)
    longest = suit_cards(hand_mask, longest_suit(hand_mask))
    length = popcount(longest)
    if jacks == 2 and aces >= 3 and tens >= 1:
        return 1
    if aces == 4 and tens > 2 - jacks:
        return 1
    if jacks == 4 and length >= 4 and longest & (ACE_BIT | TEN_BIT) != 0:
        return 1
    is_led = jacks == 3 and ((hand_mask >> 31) & 1 or seat == 0)
    is_strong = length >= 5 and longest & (ACE_BIT | TEN_BIT) == ACE_BIT | TEN_BIT
    return 1 if is_led and is_strong else 0


@kernel(types.float64(int64, int64, int64, int64))
def contract_count(count: int, seat: int, hand_mask: int, contract: int) -> float:
    """What a hand counts in a suit game or grand by the count with this number."""
    if contract == GRAND:
        if count == COUNT_VON_STEGEN:
            return grand_count(hand_mask, seat)
        if count == COUNT_WERGIN:
            return wergin_count(hand_mask)
        jacks = popcount(hand_mask & JACK_MASK)
        if count == COUNT_XSKAT:
            running = float(running_cards(hand_mask) + jacks)
            return max(running, 6.0) if is_xskat_grand(hand_mask, seat) else running
        return float(jacks + popcount(hand_mask & ACE_MASK))
    if count == COUNT_VON_STEGEN:
        return von_stegen_count(hand_mask, contract)
    if count == COUNT_TRUMPS_AND_ACES:
        return trumps_and_aces_count(hand_mask, contract)
    if contract != longest_suit(hand_mask):
        return NOT_COUNTED
    if count == COUNT_WERGIN:
        return wergin_count(hand_mask)
    return xskat_count(hand_mask, contract)


@kernel(int64(RULES_TYPE, int64, int64, int64, PLAYER_TYPE, types.float64))
def counted_value(
    rules: Any, count: int, seat: int, hand_mask: int, player: Any, leniency: float
) -> int:
    """The highest value held in a contract that reaches its least, 0 if none does.

    `leniency` is taken from what is asked.
    """
    parameters = player["parameters"]
    jacks = jack_bits(hand_mask)
    highest = 0
    for contract in range(GRAND + 1):
        least = parameters[LEAST_GRAND] if contract == GRAND else parameters[LEAST]
        if contract_count(count, seat, hand_mask, contract) >= least - leniency:
            length = min(matador_count(hand_mask, contract, jacks), rules["max_matadors"])
            highest = max(highest, rules["base_value"][contract] * (length + 1))
    return highest


@kernel(int64(RULES_TYPE, int64, int64, int64, PLAYER_TYPE))
def counted_limit(rules: Any, count: int, seat: int, hand_mask: int, player: Any) -> int:
    """How high a hand is bid by a count, as `skatsim.kernels.heuristic.heuristic_limit` says it."""
    limit = counted_value(rules, count, seat, hand_mask, player, 0.0)
    leniency = player["parameters"][COUNT_ALONE]
    alone = counted_value(rules, count, seat, hand_mask, player, leniency)
    return limit + (ALONE_FLAG if alone > 0 else 0)
