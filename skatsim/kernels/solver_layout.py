"""The solvers' own order of cards, and the tables made for each deal.

Suit games and grand: 7 8 9 Q K T A of three side suits in bits 0..6, 7..13, 14..20, of the
trump suit (in grand: clubs) in bits 21..27, the jacks of diamonds to clubs in bits 28..31.
So a class of cards is contiguous, trumps are on top, and the highest bit of led suit and
trumps wins the trick. The two kinds of game differ in their mask of trumps alone. Null:
bit ``8 * suit + strength``.

Seats are counted from the declarer: 0 declarer, 1 the player after, 2 the player before.
"""

from numba import int64, void

from skatsim.kernels.cards import CLUBS, GRAND
from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_memory import (
    CARD_POINTS,
    CLASSES,
    GENERATION,
    KINDS,
    NULL_BUCKETS,
    NULL_CODES,
    NULL_TABLE,
    SAFE,
    SIDE_CODES,
    STEPS,
    SURE,
    TABLE,
    TABLE_BUCKETS,
    TOP_CODES,
    TOP_STEPS,
    TRUMP,
    clear,
    load,
    load_byte,
    lowest_bit,
    popcount,
    store,
)

JACKS = 0xF0000000
ACES = 1 << 6 | 1 << 13 | 1 << 20 | 1 << 27
TENS = ACES >> 1
KINGS = ACES >> 2
QUEENS = ACES >> 3
COUNTING = JACKS | ACES | TENS | KINGS | QUEENS
SUIT_TRUMPS = 0xFFE00000
FIRST_STEPS = 0x7FF  # the lowest step (2 card points) of eleven cards
TEN_STEPS = 0x7FF << 33
HIGH_GENERATION = 120


@kernel(int64(int64))
def points(cards: int) -> int:
    """Card points of a mask in the solver's order."""
    return (
        11 * popcount(cards & ACES)
        + 10 * popcount(cards & TENS)
        + 4 * popcount(cards & KINGS)
        + 3 * popcount(cards & QUEENS)
        + 2 * popcount(cards & JACKS)
    )


@kernel(int64(int64, int64))
def to_trick_order(mask: int, contract: int) -> int:
    """A mask of card ids in the solver's order for suit games and grand."""
    cards = 0
    place = 0
    for suit in range(4):
        if suit == contract or (contract == GRAND and suit == CLUBS):
            at = 21
        else:
            at = 7 * place
            place += 1
        cards |= ((mask >> (8 * suit)) & 127) << at
        cards |= ((mask >> (8 * suit + 7)) & 1) << (28 + suit)
    return cards


@kernel(int64(int64, int64))
def from_trick_order(cards: int, contract: int) -> int:
    """The mask of card ids: the inverse of `to_trick_order`."""
    mask = 0
    place = 0
    for suit in range(4):
        if suit == contract or (contract == GRAND and suit == CLUBS):
            at = 21
        else:
            at = 7 * place
            place += 1
        mask |= ((cards >> at) & 127) << (8 * suit)
        mask |= ((cards >> (28 + suit)) & 1) << (8 * suit + 7)
    return mask


@kernel(int64(int64))
def to_null_order(mask: int) -> int:
    """A mask of card ids with the ranks in the order of null, 7 8 9 T J Q K A."""
    return (
        (mask & 0x07070707)
        | (mask & 0x18181818) << 2
        | (mask & 0x20202020) >> 2
        | (mask & 0x40404040) << 1
        | (mask & 0x80808080) >> 3
    )


@kernel(int64(int64))
def from_null_order(cards: int) -> int:
    """The mask of card ids: the inverse of `to_null_order`."""
    return (
        (cards & 0x07070707)
        | (cards & 0x60606060) >> 2
        | (cards & 0x08080808) << 2
        | (cards & 0x80808080) >> 1
        | (cards & 0x10101010) << 3
    )


@kernel(int64(int64))
def card_points(card: int) -> int:
    """Card points of one card in the solver's order."""
    return points(1 << card)


@kernel(int64(int64))
def steps_of(cards: int) -> int:
    """The card points of the cards of one class, lowest first, as steps 2 3 4 10 11.

    Card `i` sets bit ``11 * s + i`` of each step `s` that it reaches.
    """
    steps = 0
    i = 0
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        value = 2 if card >= 7 else card_points(card)
        if value >= 2:
            steps |= 1 << i
        if value >= 3:
            steps |= 1 << (11 + i)
        if value >= 4:
            steps |= 1 << (22 + i)
        if value >= 10:
            steps |= 1 << (33 + i)
        if value >= 11:
            steps |= 1 << (44 + i)
        i += 1
    return steps


@kernel(void(int64))
def make_workspace(ws: int) -> None:
    """Fill in the tables that are the same for all deals."""
    for cards in range(2048):
        store(ws + STEPS + 8 * cards, steps_of(cards))
    for own in range(256):
        for others in range(256):
            is_safe = 1
            left = own
            i = 0
            while left != 0:
                card = left & -left
                left ^= card
                if popcount(others & (card - 1)) > i:
                    is_safe = 0
                i += 1
            at = ws + SAFE + 256 * own + (others & -8)
            shift = 8 * (others & 7)
            store(at, (load(at) & ~(255 << shift)) | is_safe << shift)
    for card in range(32):
        store(ws + CARD_POINTS + 8 * card, card_points(card))
    store(ws + TRUMP, 0)


@kernel(int64(int64, int64, int64))
def is_suit_safe(ws: int, own: int, others: int) -> int:
    """1 if the declarer of null can never be caught in a suit that the others lead."""
    return load_byte(ws + SAFE + 256 * own + others)


@kernel(void(int64))
def clear_table(ws: int) -> None:
    """Forget everything about suit games and grand."""
    clear(ws + TABLE, 64 * TABLE_BUCKETS)
    store(ws + GENERATION, 0)


@kernel(void(int64))
def clear_null_table(ws: int) -> None:
    """Forget everything about null."""
    clear(ws + NULL_TABLE, 64 * NULL_BUCKETS)


@kernel(void(int64))
def next_generation(ws: int) -> None:
    """Let the entries of earlier deals give way first."""
    generation = load(ws + GENERATION) + 1
    if generation > HIGH_GENERATION:
        clear_table(ws)
        generation = 1
    store(ws + GENERATION, generation)


@kernel(void(int64, int64))
def set_kind(ws: int, trump: int) -> None:
    """Fill in what depends on the mask of trumps: followers, kinds, steps of the top class."""
    if load(ws + TRUMP) == trump:
        return
    store(ws + TRUMP, trump)
    for card in range(32):
        bit = 1 << card
        value = card_points(card)
        rank = 0  # card points in order: 0 2 3 4 10 11
        for step in (2, 3, 4, 10, 11):
            if value >= step:
                rank += 1
        if bit & trump:
            store(ws + CLASSES + 8 * card, trump)
            store(ws + KINDS + 8 * card, 5 + rank)
        else:
            store(ws + CLASSES + 8 * card, 127 << (card // 7 * 7))
            store(ws + KINDS + 8 * card, max(rank - 1, 0))
    for cards in range(2048):
        steps = load(ws + STEPS + 8 * cards)
        if trump == JACKS:
            steps = load(ws + STEPS + 8 * (cards & 127))
        store(ws + TOP_STEPS + 8 * cards, steps)


@kernel(int64(int64, int64, int64, int64))
def owner_of(h0: int, h1: int, h2: int, card: int) -> int:
    """Whose a card is, -1 if nobody's."""
    if h0 >> card & 1:
        return 0
    if h1 >> card & 1:
        return 1
    return 2 if h2 >> card & 1 else -1


@kernel(void(int64, int64, int64, int64))
def add_owner(at: int, size: int, card: int, owner: int) -> None:
    """Extend a table of owners' codes of sets of higher cards by the sets with `card`."""
    for higher in range(at, at + 8 * size, 16 << card):
        store(higher + (8 << card), 3 * load(higher) + owner)


@kernel(void(int64, int64, int64))
def add_sure(at: int, card: int, owner: int) -> None:
    """Extend the table of sure trump tricks by the sets with `card`.

    Going down the trumps, each of a side can be beaten by one higher card of the other side
    that has beaten none yet; those that cannot are sure of a trick. A word holds, in bytes
    from the lowest: sure tricks of seats 0, 1, 2, and for each seat the higher cards of
    the other side that have beaten none.
    """
    for higher in range(at, at + 8 * 2048, 16 << card):
        word = load(higher)
        if owner == 0:
            if word >> 24 & 255:
                word -= 1 << 24
            else:
                word += 1
            word += 1 << 32 | 1 << 40
        elif owner == 1:
            if word >> 32 & 255:
                word -= 1 << 32
            else:
                word += 1 << 8
            word += 1 << 24
        elif owner == 2:
            if word >> 40 & 255:
                word -= 1 << 40
            else:
                word += 1 << 16
            word += 1 << 24
        store(higher + (8 << card), word)


@kernel(void(int64, int64, int64, int64))
def set_deal(ws: int, h0: int, h1: int, h2: int) -> None:
    """Fill in the owners' codes of a deal: hands in the solver's order, declarer's first.

    The code of the cards left in a class is the sequence of their owners in base 3 after
    a leading 1, shifted to its place in the key of the table.
    """
    is_grand = load(ws + TRUMP) == JACKS
    for suit in range(3):
        at = ws + SIDE_CODES + 1024 * suit
        shift = 2 + 13 * suit
        store(at, 1 << shift)
        for card in range(6, -1, -1):
            owner = owner_of(h0, h1, h2, 7 * suit + card)
            if owner >= 0:
                add_owner(at, 128, card, owner << shift)
    at = ws + TOP_CODES
    unit = 1 << 41
    store(at, unit)
    store(ws + SURE, 0)
    for card in range(10, -1, -1):
        owner = owner_of(h0, h1, h2, 21 + card)
        if owner >= 0:
            add_owner(at, 2048, card, owner * unit)
            add_sure(ws + SURE, card, owner if card >= 7 or not is_grand else -1)
    if is_grand:
        # two classes side by side: the fourth suit below 4374, the jacks above; bit 61 is the mark
        for high in range(15, -1, -1):
            jacks = load(at + 8 * (high << 7)) // unit
            for low in range(127, -1, -1):
                suit_code = load(at + 8 * low) // unit
                store(at + 8 * (high << 7 | low), (jacks * 4374 + suit_code) * unit | 1 << 61)


@kernel(void(int64, int64, int64, int64))
def set_null_deal(ws: int, h0: int, h1: int, h2: int) -> None:
    """The owners' codes of a null deal."""
    for suit in range(4):
        at = ws + NULL_CODES + 2048 * suit
        shift = 2 + 14 * suit
        store(at, 1 << shift)
        for card in range(7, -1, -1):
            owner = owner_of(h0, h1, h2, 8 * suit + card)
            if owner >= 0:
                add_owner(at, 256, card, owner << shift)
