"""What the policies do under house rules: Kontra and Re, pushing, Ramsch and the like.

Ramsch. A hand's *danger* is what its suits and jacks threaten to take: a high card weighs its
card points, the more so the fewer low cards guard it. The two cards pushed on are those whose
loss lowers the danger most; a hand of little danger pushes the skat unseen. In play the highest
card that does not take the trick goes, void suits throw what is most dangerous, and suits are led
from below where others hold higher cards.

Kontra. A defender estimates from his cards how often the declarer wins (fitted to games of the
policy `heuristic`), and says Kontra below a limit; the declarer says Re by his own estimate.
"""

from typing import Any

import numpy as np
from numba import int64

from skatsim.kernels.bits import highest_bit, lowest_bit, popcount
from skatsim.kernels.cards import (
    ACE_MASK,
    ALL_MASK,
    GRAND,
    JACK_MASK,
    NULL,
    PLAIN_MASK,
    RAMSCH,
    SUIT_MASK,
    TEN_MASK,
    trump_mask,
)
from skatsim.kernels.hand_worth import (
    AFTER,
    FULL_TRUMPS,
    GRAND_JACKS,
    GRAND_SIDE,
    JACKS,
    NULL_SUIT,
    SIDE,
    TRUMP_COUNTS,
    jack_bits,
    probability,
)
from skatsim.kernels.heuristic import (
    KONTRA_PROBABILITY,
    PUSH_DANGER,
    RE_PROBABILITY,
    RISK,
    bonuses,
)
from skatsim.kernels.heuristic_play import BEAT_MASK
from skatsim.kernels.jit import kernel
from skatsim.kernels.random import bounded, decision_word
from skatsim.kernels.rules import RULES_TYPE
from skatsim.kernels.table import (
    PHASE_ACCEPT,
    PHASE_GRAND_HAND,
    PHASE_KNOCK,
    PHASE_KONTRA,
    PHASE_LOOK,
    PHASE_PUSH,
    PHASE_RESORT,
    PLAYER_TYPE,
    PUBLIC_TYPE,
)
from skatsim.kernels.uniform import uniform_pair

HIGH_CARD_DANGER = (0, 0, 0, 3, 4, 10, 11)
"""By rank 7 8 9 Q K T A: card points, which come back to who must take with them."""

GUARDED = (10, 7, 4, 2)
"""Tenths that count of a high card beside so many low ones (7 8 9) of its suit."""

JACK_DANGER = np.array([30, 45, 60, 75], dtype=np.int64)
"""Of the jacks, diamonds first, in tenths: each takes a trick more likely than the one before."""


def _suit_danger() -> np.ndarray:
    """The danger of a suit by its seven cards, in tenths."""
    table = np.zeros(128, dtype=np.int64)
    for cards in range(128):
        low = (cards & 7).bit_count()
        high = sum(HIGH_CARD_DANGER[rank] for rank in range(7) if cards >> rank & 1)
        table[cards] = high * GUARDED[low]
    return table


SUIT_DANGER = _suit_danger()

TO_THROW = np.array([0, 1, 2, 30, 40, 90, 100, 50], dtype=np.int64)
"""How gladly a card is thrown by rank 7 8 9 Q K T A J, before its guards count against it."""


@kernel(int64(int64))
def danger(hand_mask: int) -> int:
    """What a hand threatens to take in Ramsch, in tenths of card points."""
    total = 0
    for suit in range(4):
        total += SUIT_DANGER[(hand_mask >> (8 * suit)) & PLAIN_MASK]
        total += JACK_DANGER[suit] * ((hand_mask >> (8 * suit + 7)) & 1)
    return total


@kernel(int64(int64, int64))
def cards_to_push(hand_mask: int, is_pushing_jacks: int) -> int:
    """The two of twelve cards without which a hand is least dangerous, ``low | high << 5``."""
    free = hand_mask if is_pushing_jacks else hand_mask & ~JACK_MASK
    best, chosen = 1 << 30, 0
    first = free
    while first != 0:
        low = lowest_bit(first)
        first &= first - 1
        second = first
        while second != 0:
            high = lowest_bit(second)
            second &= second - 1
            left = danger(hand_mask & ~((1 << low) | (1 << high)))
            if left < best:
                best, chosen = left, low | (high << 5)
    return chosen


@kernel(int64(int64, int64))
def ramsch_lead(hand_mask: int, unseen_mask: int) -> int:
    """The lowest card of the suit in which others most likely must take it."""
    chosen, best = lowest_bit(hand_mask), -1000
    for group in range(5):
        cards = JACK_MASK if group == 4 else PLAIN_MASK << (8 * group)
        held = hand_mask & cards
        if held == 0:
            continue
        low = lowest_bit(held)
        out = unseen_mask & cards
        above = popcount(out >> low)
        below = popcount(out) - above
        score = 4 * min(above, 3) - 5 * below - popcount(held)
        score -= 12 if above == 0 else 0
        if score > best:
            best, chosen = score, low
    return chosen


@kernel(int64(int64, int64))
def ramsch_throw(mask: int, hand_mask: int) -> int:
    """The card to be rid of: high, and with few low ones beside it."""
    chosen, best = lowest_bit(mask), -1000
    rest = mask
    while rest != 0:
        card = lowest_bit(rest)
        rest &= rest - 1
        guards = popcount((hand_mask >> (card & 24)) & 7)
        score = TO_THROW[card & 7] + (card >> 3)
        score -= 20 * guards if card & 7 != 7 else 0
        if score > best:
            best, chosen = score, card
    return chosen


@kernel(int64(PUBLIC_TYPE, int64, int64))
def ramsch_card(public: Any, hand_mask: int, legal: int) -> int:
    """The card in Ramsch."""
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    unseen = ALL_MASK & ~(hand_mask | public["played_mask"])
    if public["trick_size"] == 0:
        return ramsch_lead(hand_mask, unseen)
    winners = legal & BEAT_MASK[RAMSCH, public["best_card"]]
    under = legal & ~winners
    is_following = legal & public["follow_mask"] != 0
    if under != 0:
        return highest_bit(under) if is_following else ramsch_throw(under, hand_mask)
    top = highest_bit(winners)
    is_top = unseen & BEAT_MASK[RAMSCH, top] & (public["follow_mask"] | JACK_MASK) == 0
    return top if public["trick_size"] == 2 or is_top else lowest_bit(winners)


@kernel(int64(int64, int64))
def kept_value(hand_mask: int, contract: int) -> int:
    """The worth of the declarer's ten cards after the discard."""
    total = 0
    if contract == NULL:
        for suit in range(4):
            total += NULL_SUIT[AFTER, (hand_mask >> (8 * suit)) & SUIT_MASK]
        return total
    for suit in range(4):
        plain = (hand_mask >> (8 * suit)) & PLAIN_MASK
        if contract == GRAND:
            total += GRAND_SIDE[AFTER, plain]
        elif suit == contract:
            jacks = jack_bits(hand_mask)
            total += JACKS[AFTER, jacks] + FULL_TRUMPS[AFTER, plain >> 5]
            total += TRUMP_COUNTS[AFTER, popcount(plain) + popcount(jacks)]
        else:
            total += SIDE[AFTER, plain]
    if contract == GRAND:
        total += GRAND_JACKS[AFTER, jack_bits(hand_mask)]
    return total


KONTRA_WEIGHTS = np.array(
    [
        [281, -30, -6, -25, -14, -46],
        [306, -2, -16, -35, -22, 58],
        [177, -15, 0, 0, 0, 22],
    ],
    dtype=np.int64,
)
"""How a defender judges a suit game, grand, null, in hundredths of log-odds for the declarer: to
begin with; each trump (null: each card of 7 8 9); the strength of his jacks; each ace; each ten;
a hand game."""


@kernel(int64(int64, int64, int64))
def defended_value(hand_mask: int, contract: int, is_hand: int) -> int:
    """How the declarer's chances look from a defender's hand, in hundredths of log-odds."""
    if contract == NULL:
        low = popcount(hand_mask & 0x07070707)
        return KONTRA_WEIGHTS[2, 0] + low * KONTRA_WEIGHTS[2, 1] + is_hand * KONTRA_WEIGHTS[2, 5]
    kind = 1 if contract == GRAND else 0
    trumps = trump_mask(contract)
    side = hand_mask & ~trumps
    jacks = jack_bits(hand_mask)
    strength = (jacks & 1) + ((jacks >> 1) & 1) * 2 + ((jacks >> 2) & 1) * 3 + (jacks >> 3) * 4
    return (
        KONTRA_WEIGHTS[kind, 0]
        + popcount(hand_mask & trumps) * KONTRA_WEIGHTS[kind, 1]
        + strength * KONTRA_WEIGHTS[kind, 2]
        + popcount(side & ACE_MASK) * KONTRA_WEIGHTS[kind, 3]
        + popcount(side & TEN_MASK) * KONTRA_WEIGHTS[kind, 4]
        + is_hand * KONTRA_WEIGHTS[kind, 5]
    )


@kernel(int64(PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_kontra(public: Any, hand_mask: int, player: Any) -> int:
    """1 to say Kontra or the next step."""
    parameters = player["parameters"]
    contract = public["contract"]
    if contract == RAMSCH:
        return 1 if danger(hand_mask) <= 10 * parameters[PUSH_DANGER] else 0
    if public["seat"] == public["declarer"]:
        chance = probability(kept_value(hand_mask, contract))
        return 1 if chance >= parameters[RE_PROBABILITY] else 0
    chance = probability(defended_value(hand_mask, contract, public["is_hand"]))
    limit = parameters[KONTRA_PROBABILITY]
    return 1 if chance <= (limit if public["kontra_count"] == 0 else limit / 2) else 0


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64, PLAYER_TYPE))
def heuristic_house(rules: Any, public: Any, hand_mask: int, skat_mask: int, player: Any) -> int:
    """The answer of `heuristic` to a question of a house rule."""
    phase = public["phase"]
    parameters = player["parameters"]
    if phase == PHASE_KONTRA:
        return heuristic_kontra(public, hand_mask, player)
    if phase == PHASE_LOOK or phase == PHASE_KNOCK:
        is_safe = danger(hand_mask) <= 10 * parameters[PUSH_DANGER]
        return 1 if is_safe == (phase == PHASE_KNOCK) else 0
    if phase == PHASE_PUSH:
        return cards_to_push(hand_mask, rules["is_pushing_jacks"])
    if phase == PHASE_GRAND_HAND:
        value = kept_value(hand_mask, GRAND) + bonuses(public["seat"], player)[1]
        return 1 if probability(value) >= 1.0 - parameters[RISK] else 0
    if phase == PHASE_RESORT:
        return hand_mask
    if phase == PHASE_ACCEPT:
        return 1
    chance = probability(defended_value(hand_mask, public["contract"], public["is_hand"]))
    return 1 if chance >= 0.98 else 0


@kernel(int64(int64, int64, int64))
def uniform_tens(hand_mask: int, partner_mask: int, word: int) -> int:
    """Ten of twenty cards, each choice equally likely."""
    chosen, wanted = 0, 10
    rest = hand_mask | partner_mask
    for left in range(20, 0, -1):
        card = lowest_bit(rest)
        rest &= rest - 1
        if bounded(decision_word(word, left), left) < wanted:
            chosen |= 1 << card
            wanted -= 1
    return chosen


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64, int64))
def uniform_house(rules: Any, public: Any, hand_mask: int, partner_mask: int, word: int) -> int:
    """The answer of `uniform` to a question of a house rule: all answers equally likely."""
    phase = public["phase"]
    if phase == PHASE_PUSH:
        free = hand_mask if rules["is_pushing_jacks"] else hand_mask & ~JACK_MASK
        low, high = uniform_pair(free, word)
        return low | (high << 5)
    if phase == PHASE_RESORT:
        return uniform_tens(hand_mask, partner_mask, word)
    return word & 1
