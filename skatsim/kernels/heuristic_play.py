"""The card play of the policy `heuristic`: rules that a player knows, in bit operations.

The declarer draws trumps, runs masters, ruffs and throws losers. Defenders lead the long
suit the short way and the short suit the long way, not from an ace whose ten is out; they
return partner's suit, put card points on his tricks, take what they can, and duck. In null
the declarer stays below, and defenders lead low into his gaps.
"""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.bits import highest_bit, lowest_bit, popcount
from skatsim.kernels.cards import (
    ACE,
    ACE_MASK,
    CLASS,
    EIGHT,
    GRAND,
    JACK,
    JACK_MASK,
    KING,
    KING_MASK,
    LOW_MASK,
    NINE,
    NULL,
    NULL_ORDER,
    PLAIN_MASK,
    POWER,
    QUEEN,
    QUEEN_MASK,
    SEVEN,
    SUIT_MASK,
    TEN,
    TEN_MASK,
)
from skatsim.kernels.hand_worth import null_row
from skatsim.kernels.jit import kernel
from skatsim.kernels.table import (
    PUBLIC_TYPE,
)

FULL_MASK = ACE_MASK | TEN_MASK
"""Aces and tens, the full cards."""

EACH_SUIT = 0x01010101

PLAIN_SUITS = PLAIN_MASK * EACH_SUIT


def _beat_masks() -> np.ndarray:
    """Per contract and card: the cards that win a trick it would have won."""
    masks = np.zeros((8, 32), dtype=np.int64)  # the last row only rounds the number up
    for contract in range(7):
        for card in range(32):
            for other in range(32):
                if CLASS[contract, other] in (CLASS[contract, card], 4) and (
                    POWER[contract, other] > POWER[contract, card]
                ):
                    masks[contract, card] |= 1 << other
    return masks


def _loser_order() -> np.ndarray:
    """By the cards of a suit: how late its lowest is thrown away, times 32, plus its rank."""
    table = np.full(128, 1 << 20, dtype=np.int64)
    for cards in range(1, 128):
        lowest = (cards & -cards).bit_length() - 1
        table[cards] = 32 * (2 * cards.bit_count() + (lowest if lowest > NINE else 0)) + lowest
    return table


LOSER_ORDER = _loser_order()

CHEAPEST, FATTEST, TAKING, HIGHEST, LOWEST = range(5)
"""Orders to pick a card by: of fewest card points, jacks kept; of most; a trump that takes the
trick for good, so ace and ten first; the highest of a side suit; the lowest trump."""

ORDERS = (
    (SEVEN, EIGHT, NINE, QUEEN, KING, JACK, TEN, ACE),
    (ACE, TEN, KING, QUEEN, JACK, SEVEN, EIGHT, NINE),
    (ACE, TEN, SEVEN, EIGHT, NINE, QUEEN, KING, JACK),
    (ACE, TEN, KING, QUEEN, NINE, EIGHT, SEVEN, JACK),
    (SEVEN, EIGHT, NINE, QUEEN, KING, TEN, ACE, JACK),
)

FIRST_RANK = np.array(
    [
        [next((rank for rank in order if ranks >> rank & 1), 0) for ranks in range(256)]
        for order in ORDERS
    ],
    dtype=np.int8,
)
"""By order and the set of ranks there are: the rank that comes first."""

LEAD_LONG_WAY, LEAD_SHORT_WAY, LEAD_GRAND = range(3)
"""Where a defender leads: the declarer plays last, or next; in grand it does not matter."""

(
    IS_DECLARER_VOID,
    IS_PARTNER_RUFFING,
    IS_PARTNER_LED,
    IS_MASTERED,
    IS_TEN_GONE,
    IS_LONE_ACE,
    IS_MUCH_OUT,
    IS_ANY_OUT,
) = (1 << bit for bit in range(8))
"""What a defender sees of a suit when he leads: eight bits, so four suits fill 32."""

SPREAD = np.array(
    [sum((suits >> suit & 1) << (8 * suit) for suit in range(4)) for suits in range(16)],
    dtype=np.int64,
)
"""Four suits, one bit each, spread over 32 bits."""


def _lead_extras() -> np.ndarray:
    """By way and by the bits of a suit: what they add to the worth of leading it."""
    table = np.zeros((3, 256), dtype=np.int16)
    for way, void in enumerate((-12, 12, 24)):
        for bits in range(256):
            extra = 24 if bits & IS_PARTNER_LED else 0
            if bits & IS_DECLARER_VOID:
                extra += void
            else:
                extra += 3 if bits & IS_MASTERED else 0
                extra += 15 if bits & IS_PARTNER_RUFFING else 0
                extra -= 10 if way == LEAD_GRAND and not bits & IS_ANY_OUT else 0
            if bits & IS_LONE_ACE:
                extra += (32 if bits & IS_TEN_GONE else 0) + (0 if bits & IS_MUCH_OUT else 16)
            table[way, bits] = extra
    return table


LEAD_EXTRA = _lead_extras()


def _lead_tables() -> tuple[np.ndarray, np.ndarray]:
    """For a defender's lead: the worth of a side suit by way and cards; the rank led from it.

    The rank depends on whether the suit has a master in it (row 1) or not (row 0).
    """
    worth = np.full((3, 128), -10000, dtype=np.int64)  # an empty suit is not led
    ranks = np.zeros((2, 128), dtype=np.int64)
    for cards in range(1, 128):
        ace, ten, king, queen = (cards >> rank & 1 for rank in (ACE, TEN, KING, QUEEN))
        for way, each in enumerate((-13, 13, 9)):
            value = 1000 + each * cards.bit_count()  # never negative
            if ace and not ten:
                value -= 48
            if ten and king:
                value += 30 if way == LEAD_GRAND else 18
            if king and queen and not ace:
                value += 10
            if ace and ten and way == LEAD_GRAND:
                value += 30
            worth[way, cards] = value
        lowest = (cards & -cards).bit_length() - 1
        ranks[0, cards] = KING if ten and king else lowest
        ranks[1, cards] = TEN if ace and ten else cards.bit_length() - 1
    return worth, ranks


LEAD_WORTH, LEAD_RANK = _lead_tables()

BEAT_MASK = _beat_masks()


@kernel(int64(int64, int64))
def pick(mask: int, order: int) -> int:
    """The card of a mask whose rank comes first in one of the orders."""
    folded = mask | (mask >> 16)
    folded = (folded | (folded >> 8)) & SUIT_MASK
    return lowest_bit(mask & (EACH_SUIT << int(FIRST_RANK[order, folded])))


@kernel(int64(int64))
def shortest_loser(mask: int) -> int:
    """The lowest card of the shortest suit; low cards before queens and kings."""
    best = 1 << 20
    for suit in range(4):
        held = (mask >> (8 * suit)) & PLAIN_MASK
        best = min(best, LOSER_ORDER[held] + 8 * suit)
    return best & 31


@kernel(int64(int64))
def masters_above(unseen_mask: int) -> int:
    """All cards above the highest unseen one of each suit, jacks left out."""
    below = unseen_mask & PLAIN_SUITS
    below |= (below >> 1) & 0x3F3F3F3F
    below |= (below >> 2) & 0x1F1F1F1F
    below |= (below >> 4) & 0x07070707
    return PLAIN_SUITS & ~below


@kernel(int64(int64))
def highest_trump(mask: int) -> int:
    """The highest of some trumps."""
    jacks = mask & JACK_MASK
    return highest_bit(jacks if jacks != 0 else mask)


@kernel(int64(PUBLIC_TYPE, int64))
def led_suits(public: Any, seat: int) -> int:
    """The suits that a seat has led in the first six tricks, as bits."""
    suits = 0
    leader = 0
    winners = public["trick_winners"]
    for trick in range(6):  # always 6: what is not played yet falls on bit 31
        suits |= (1 if leader == seat else 0) << (public["played"][3 * trick] >> 3)
        leader = winners & 3
        winners >>= 2
    return suits


@kernel(int64(PUBLIC_TYPE, int64, int64, int64), forceinline=True)
def declarer_lead(public: Any, hand_mask: int, unseen_mask: int, seat: int) -> int:
    """Draw trumps, then run masters, then give up losers."""
    contract = public["contract"]
    trump = public["trump_mask"]
    right = 2 if seat == 0 else seat - 1
    left = 0 if seat == 2 else seat + 1
    voids = public["void_classes"][left] & public["void_classes"][right]
    enemy = unseen_mask & trump if voids < 16 else 0
    own = hand_mask & trump
    side = hand_mask & ~trump
    masters = side & masters_above(unseen_mask)
    if own != 0 and enemy != 0:
        top = highest_trump(own)
        enemy_count = popcount(enemy)
        own_count = popcount(own)
        if enemy & BEAT_MASK[contract & 7, top & 31] == 0:
            if enemy_count > 1 or own_count > 1 or masters == 0:
                return top
        elif own_count > enemy_count or (own_count > 1 and own_count * 2 >= enemy_count):
            jacks = own & JACK_MASK
            if jacks & (jacks - 1) != 0:  # a jack calls a higher one and draws a trump
                return lowest_bit(jacks)
            thin = own & ~FULL_MASK
            return pick(thin if thin != 0 else own, LOWEST)
        elif own_count >= 2 and side & ~masters == 0:
            return pick(own, LOWEST)
    if masters != 0:
        return highest_bit(masters)
    if side != 0:
        return pick(side, CHEAPEST)
    return highest_trump(own)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, types.float64), forceinline=True)
def declarer_follow(
    public: Any, unseen_mask: int, legal_mask: int, seat: int, ruff_points: float
) -> int:
    """Take what is worth taking, ruff, or throw a loser."""
    contract = public["contract"]
    trump = public["trump_mask"]
    is_last = public["trick_size"] == 2
    winners = legal_mask & BEAT_MASK[contract & 7, public["best_card"] & 31]
    side = legal_mask & ~trump
    points = public["trick_points"]
    follow = public["follow_mask"]
    following = legal_mask & follow
    top = highest_trump(winners)
    cards = side if side != 0 else legal_mask
    order = CHEAPEST
    if winners == 0:
        pass
    elif following == 0:
        light = side & ~masters_above(unseen_mask) & ~FULL_MASK
        if points < ruff_points and light != 0:
            return shortest_loser(light)
        follower = 0 if seat == 2 else seat + 1
        if not is_last and (public["void_classes"][follower] >> public["lead_class"]) & 1:
            return top
        cards, order = winners, TAKING
    elif following & trump == 0:
        is_beaten = unseen_mask & follow & BEAT_MASK[contract & 7, top & 31] != 0
        # the ace waits for a better trick if the ten is still to be caught
        is_waiting = points == 0 and contract != GRAND and following & TEN_MASK == 0
        is_waiting = is_waiting and following & LOW_MASK & ~(1 << top) != 0
        if is_last or not (is_beaten or is_waiting):
            return top
    else:
        if not is_last and unseen_mask & BEAT_MASK[contract & 7, top & 31] & trump == 0:
            return top
        cards, order = winners, TAKING if is_last else LOWEST
    return pick(cards, order)


@kernel(int64(int64))
def suit_counts(mask: int) -> int:
    """The number of cards of each suit, eight bits a suit."""
    pairs = mask - ((mask >> 1) & 0x55555555)
    fours = (pairs & 0x33333333) + ((pairs >> 2) & 0x33333333)
    return (fours + (fours >> 4)) & 0x0F0F0F0F


@kernel(int64(PUBLIC_TYPE, int64, int64, int64), forceinline=True)
def defender_lead(public: Any, hand_mask: int, unseen_mask: int, seat: int) -> int:
    """Short way long suit, long way short suit; not from an ace whose ten is out."""
    contract = public["contract"]
    declarer = public["declarer"]
    partner = 3 - declarer - seat
    side = hand_mask & ~public["trump_mask"]
    if side == 0:
        return pick(hand_mask, LOWEST)
    declarer_voids = public["void_classes"][declarer] & 15
    partner_voids = public["void_classes"][partner]
    ruffs = 0 if partner_voids & 16 else partner_voids & 15
    is_declarer_next = declarer == (0 if seat == 2 else seat + 1)
    way = LEAD_SHORT_WAY if is_declarer_next else LEAD_LONG_WAY
    way = LEAD_GRAND if contract == GRAND else way
    # all four suits at once, eight bits each
    mastered = side & masters_above(unseen_mask)
    mastered |= (mastered >> 4) & 0x0F0F0F0F
    mastered |= (mastered >> 2) & 0x33333333
    mastered |= (mastered >> 1) & 0x55555555
    counts = suit_counts(unseen_mask & PLAIN_SUITS)
    bits = SPREAD[declarer_voids]
    bits |= SPREAD[ruffs] << 1
    bits |= SPREAD[led_suits(public, partner) & 15] << 2
    bits |= (mastered & EACH_SUIT) << 3
    bits |= (~unseen_mask >> TEN & EACH_SUIT) << 4
    bits |= ((side >> ACE) & ~(side >> TEN) & EACH_SUIT) << 5
    bits |= (((counts + 0x0C0C0C0C) >> 4) & EACH_SUIT) << 6
    bits |= (((counts + 0x0F0F0F0F) >> 4) & EACH_SUIT) << 7
    best = 0
    for suit in range(4):
        held = (side >> (8 * suit)) & PLAIN_MASK
        seen = (bits >> (8 * suit)) & 255
        score = LEAD_WORTH[way, held] + LEAD_EXTRA[way, seen]
        row = 1 if seen & (IS_MASTERED | IS_DECLARER_VOID) == IS_MASTERED else 0
        best = max(best, 32 * score + LEAD_RANK[row, held] + 8 * suit)
    return best & 31


@kernel(int64(PUBLIC_TYPE, int64, int64), forceinline=True)
def defender_follow(public: Any, unseen_mask: int, legal_mask: int) -> int:
    """Card points on partner's tricks, take what can be taken, otherwise the cheapest."""
    contract = public["contract"]
    trump = public["trump_mask"]
    declarer = public["declarer"]
    points = public["trick_points"]
    follow = public["follow_mask"]
    is_last = public["trick_size"] == 2
    is_trump_led = follow & trump != 0
    side = legal_mask & ~trump
    spare = side if side != 0 else legal_mask
    beaters = BEAT_MASK[contract & 7, public["best_card"] & 31]
    winners = legal_mask & beaters
    side_winners = winners & ~trump  # in the suit led
    threat = unseen_mask & beaters
    # in grand masters take tricks of their own: smear the others where they have points
    loose = spare & ~masters_above(unseen_mask) if contract == GRAND else 0
    is_loose = loose & (TEN_MASK | KING_MASK | QUEEN_MASK) != 0
    cards = spare
    order = CHEAPEST
    if public["best_seat"] != declarer:
        # the trick is partner's so far
        is_declarer_void = (public["void_classes"][declarer] >> public["lead_class"]) & 1
        if is_last or (threat if is_declarer_void else threat & follow) == 0:
            cards = loose if is_loose and is_last else spare
            order = FATTEST
        elif winners != 0 and not is_declarer_void:
            top = highest_bit(winners)
            if side_winners == 0:
                cards = spare if is_trump_led else winners
                order = CHEAPEST if is_trump_led else LOWEST
            elif unseen_mask & follow & BEAT_MASK[contract & 7, top & 31] == 0:
                return top
    elif winners == 0:
        if not is_last and threat & follow != 0:
            cards = loose if is_loose and spare & follow == 0 else spare
            order = FATTEST
    elif side_winners != 0:
        # a lone ace lets a poor trick of the declarer go and waits for the ten
        is_waiting = points == 0 and legal_mask & TEN_MASK == 0 and side_winners & ACE_MASK != 0
        is_kept = not is_last and is_waiting and side & LOW_MASK != 0
        cards = spare if is_kept else side_winners
        order = CHEAPEST if is_kept else HIGHEST
    elif is_last or is_trump_led:
        poor = side & LOW_MASK != 0 if is_last else threat != 0 and winners & ~JACK_MASK == 0
        is_kept = points < 3 and poor
        cards = spare if is_kept else winners
        order = CHEAPEST if is_kept else TAKING
    else:
        is_partner_able = threat & follow != 0
        cards = spare if is_partner_able else winners
        order = FATTEST if is_partner_able else TAKING
    return pick(cards, order)


NULL_TURN = np.array([null_row(p) for p in range(256)], dtype=np.int64)

NULL_RANK = np.array(NULL_ORDER, dtype=np.int64)


def _null_lead_worth() -> np.ndarray:
    """What leading the lowest of a suit is worth to the declarer, by its eight cards."""
    table = np.zeros(256, dtype=np.int64)
    for cards in range(1, 256):
        held = [rank for rank in range(8) if null_row(cards) >> rank & 1]
        gaps = sum(max(0, rank - 2 * i - 1) for i, rank in enumerate(held[1:]))
        table[cards] = -20 * held[0] - 5 * min(gaps, 6) - len(held)
    return table


NULL_LEAD_WORTH = _null_lead_worth()


@kernel(int64(int64, int64))
def highest_null(mask: int, suit: int) -> int:
    """The highest card of a suit by the order of null."""
    return NULL_RANK[highest_bit(NULL_TURN[(mask >> (8 * suit)) & SUIT_MASK])] + 8 * suit


@kernel(int64(int64, int64))
def lowest_null(mask: int, suit: int) -> int:
    """The lowest card of a suit by the order of null."""
    return NULL_RANK[lowest_bit(NULL_TURN[(mask >> (8 * suit)) & SUIT_MASK])] + 8 * suit


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64))
def null_card(public: Any, hand_mask: int, unseen_mask: int, legal_mask: int, seat: int) -> int:
    """The card in null, for both sides."""
    declarer = public["declarer"]
    best = public["best_card"]
    size = public["trick_size"]
    if seat == declarer:
        if size > 0 and legal_mask & public["follow_mask"] != 0:
            suit = best >> 3
            under = legal_mask & ~BEAT_MASK[NULL, best]
            if under != 0:
                return highest_null(under, suit)
            if size == 2:
                return highest_null(legal_mask, suit)
            return lowest_null(legal_mask, suit)
        chosen, worst = lowest_bit(legal_mask), -1000
        for suit in range(4):
            held = (legal_mask >> (8 * suit)) & SUIT_MASK
            if held == 0:
                continue
            row = NULL_TURN[held]
            out = NULL_TURN[(unseen_mask >> (8 * suit)) & SUIT_MASK]
            if size == 0:  # only in the first trick: a trick won is the end
                low = lowest_bit(row)
                score = NULL_LEAD_WORTH[held]
                card = NULL_RANK[low] + 8 * suit
            else:
                top = highest_bit(row)
                below = popcount(out & ((1 << top) - 1))
                mine = popcount(row) - 1
                score = 4 * (below - 2 * mine) + top
                card = NULL_RANK[top] + 8 * suit
            if score > worst:
                worst, chosen = score, card
        return chosen
    if size > 0 and legal_mask & public["follow_mask"] != 0:
        suit = best >> 3
        has_declarer_played = size == 2 or public["leader"] == declarer
        if has_declarer_played:
            if public["best_seat"] == declarer:
                under = legal_mask & ~BEAT_MASK[NULL, best]
                if under != 0:
                    return highest_null(under, suit)
            return highest_null(legal_mask, suit)
        return lowest_null(legal_mask, suit)
    voids = public["void_classes"][declarer]
    shown = public["open_mask"]
    chosen, best_score = lowest_bit(legal_mask), -1000
    for suit in range(4):
        held = (legal_mask >> (8 * suit)) & SUIT_MASK
        if held == 0:
            continue
        row = NULL_TURN[held]
        count = popcount(row)
        if size == 0:
            low = lowest_bit(row)
            is_void = (voids >> suit) & 1
            score = 10 - 2 * low - count - 30 * is_void
            if shown != 0:
                his = NULL_TURN[(shown >> (8 * suit)) & SUIT_MASK]
                score += 20 if his != 0 and lowest_bit(his) > low else -20
            card = NULL_RANK[low] + 8 * suit
        else:
            top = highest_bit(row)
            score = top - 2 * count
            card = NULL_RANK[top] + 8 * suit
        if score > best_score:
            best_score, chosen = score, card
    return chosen
