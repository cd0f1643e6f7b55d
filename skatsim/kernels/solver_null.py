"""The search for null: whether the declarer can avoid every trick.

Points do not matter, so a position is its suits as sequences of owners: neighbours in one
hand are equal, and the key of the table says everything. The declarer plays only the
highest card of a suit that does not win (keeping a lower one instead is never worse).
"""

from numba import int64

from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_memory import (
    MOVES,
    NODES,
    NULL_BUCKETS,
    NULL_CODES,
    NULL_TABLE,
    SAFE,
    highest_bit,
    load,
    load_byte,
    lowest_bit,
    popcount,
    store,
)

HASH = 0x1F3B9D2C5A7E4A55
LOW_BITS = 0x01010101


@kernel(int64(int64, int64, int64))
def unsafe_suits(ws: int, declarer: int, others: int) -> int:
    """The suits, as a mask of whole suits, in which the declarer could be caught."""
    found = 0
    for shift in range(0, 32, 8):
        own = declarer >> shift & 255
        if load_byte(ws + SAFE + 256 * own + (others >> shift & 255)) == 0:
            found |= 255 << shift
    return found


@kernel(int64(int64, int64))
def one_of_each_run(own: int, cards: int) -> int:
    """The lowest card of each run of neighbours of `own` among the `cards` still held."""
    way = ~(cards & ~own | LOW_BITS)
    filled = own | (own << 1 & way)
    way &= way << 1
    filled |= filled << 2 & way
    way &= way << 2
    filled |= filled << 4 & way
    return own & ~(filled << 1 & ~LOW_BITS)


@kernel(int64(int64, int64))
def highest_below(cards: int, limit: int) -> int:
    """The highest of `cards` below bit `limit`, as a mask; 0 if there is none."""
    cards &= limit - 1
    if cards == 0:
        return 0
    return 1 << highest_bit(cards)


@kernel(int64(int64))
def one_of_each_suit(own: int) -> int:
    """The highest card of each suit: what the declarer may throw off."""
    found = 0
    for shift in range(0, 32, 8):
        mine = own & 255 << shift
        if mine != 0:
            found |= 1 << highest_bit(mine)
    return found


@kernel(int64(int64, int64, int64))
def safe_leads(own: int, x1: int, x2: int) -> int:
    """The highest card of each suit that someone must overtake."""
    found = 0
    for shift in range(0, 32, 8):
        suit = 255 << shift
        mine = own & suit
        if mine != 0:
            y1 = x1 & suit
            y2 = x2 & suit
            limit = max(y1 & -y1, y2 & -y2)
            if limit != 0:
                found |= highest_below(mine, limit)
    return found


@kernel(int64(int64, int64, int64))
def list_moves(moves: int, own: int, preferred: int) -> int:
    """List cards, the `preferred` first, each group from the lowest; the number of them."""
    count = 0
    for group in range(2):
        left = own & preferred if group == 0 else own & ~preferred
        while left != 0:
            store(moves + 8 * count, lowest_bit(left))
            count += 1
            left &= left - 1
    return count


@kernel(int64(int64, int64, int64))
def list_lead(moves: int, own: int, declarer: int) -> int:
    """List a defender's leads: suits with fewest cards of the declarer below, low cards first."""
    count = 0
    while own != 0:
        card = lowest_bit(own)
        bit = 1 << card
        own ^= bit
        suit = declarer & 255 << (card & 24)
        # a card that the declarer can hardly stay under comes first
        score = 32 - 8 * popcount(suit & (bit - 1)) - (card & 7)
        if suit == 0:
            score -= 20
        entry = (score << 8) + card
        at = moves + 8 * count
        while at > moves and load(at - 8) < entry:
            store(at, load(at - 8))
            at -= 8
        store(at, entry)
        count += 1
    return count


@kernel(int64(int64, int64, int64, int64, int64))
def search_null(ws: int, x0: int, x1: int, x2: int, d: int) -> int:
    """1 if the declarer can avoid all tricks from here on, hands in order from the leader."""
    cards = x0 | x1 | x2
    declarer = x0
    if d == 1:
        declarer = x1
    elif d == 2:
        declarer = x2
    others = cards ^ declarer
    unsafe = unsafe_suits(ws, declarer, others)
    if d != 0 and unsafe == 0:
        return 1
    n = popcount(x0)
    store(ws + NODES, load(ws + NODES) + 1)
    key = (
        load(ws + NULL_CODES + 8 * (cards & 255))
        + load(ws + NULL_CODES + 2048 + 8 * (cards >> 8 & 255))
        + load(ws + NULL_CODES + 4096 + 8 * (cards >> 16 & 255))
        + load(ws + NULL_CODES + 6144 + 8 * (cards >> 24 & 255))
        + d
    ) << 1
    bucket = ws + NULL_TABLE + (((key * HASH) >> 40 & (NULL_BUCKETS - 1)) << 6)
    at = bucket
    if n > 1:
        while at < bucket + 64:
            entry = load(at)
            if entry >> 1 == key >> 1:
                return entry & 1
            at += 8
    result = 0
    moves0 = ws + MOVES + n * 384
    moves1 = moves0 + 128
    moves2 = moves1 + 128
    if d == 0:
        count0 = list_moves(moves0, safe_leads(x0, x1, x2), unsafe)
    else:
        result = 1
        own0 = one_of_each_run(x0, cards)
        count0 = list_lead(moves0, own0, declarer)
    i0 = 0
    while i0 < count0:
        c0 = load(moves0 + 8 * i0) & 31
        i0 += 1
        b0 = 1 << c0
        suit = 255 << (c0 & 24)
        follow1 = x1 & suit
        follow2 = x2 & suit
        if d == 1:
            if follow1 == 0:
                own1 = one_of_each_suit(x1)
            else:
                own1 = highest_below(follow1, max(b0, follow2 & -follow2))
        else:
            own1 = one_of_each_run(x1, cards)
            if follow1 != 0:
                own1 &= suit
        count1 = list_moves(moves1, own1, unsafe)
        value1 = 1 if d != 1 else 0
        i1 = 0
        while i1 < count1:
            c1 = load(moves1 + 8 * i1)
            i1 += 1
            b1 = 1 << c1
            winner = b1 if b1 & suit > b0 else b0
            if d == 2:
                own2 = one_of_each_suit(x2) if follow2 == 0 else highest_below(follow2, winner)
            else:
                own2 = one_of_each_run(x2, cards)
                if follow2 != 0:
                    own2 &= suit
            count2 = list_moves(moves2, own2, unsafe)
            value2 = 1 if d != 2 else 0
            i2 = 0
            while i2 < count2:
                c2 = load(moves2 + 8 * i2)
                i2 += 1
                b2 = 1 << c2
                w = 0
                if winner != b0:
                    w = 1
                if b2 & suit > winner:
                    w = 2
                if w == d:
                    value = 0
                elif n == 1:
                    value = 1
                elif w == 0:
                    value = search_null(ws, x0 ^ b0, x1 ^ b1, x2 ^ b2, d)
                elif w == 1:
                    e = d + 2 if d == 0 else d - 1
                    value = search_null(ws, x1 ^ b1, x2 ^ b2, x0 ^ b0, e)
                else:
                    e = d - 2 if d == 2 else d + 1
                    value = search_null(ws, x2 ^ b2, x0 ^ b0, x1 ^ b1, e)
                if d == 2:
                    if value == 1:
                        value2 = 1
                        break
                elif value == 0:
                    value2 = 0
                    break
            if d == 1:
                if value2 == 1:
                    value1 = 1
                    break
            elif value2 == 0:
                value1 = 0
                break
        if d == 0:
            if value1 == 1:
                result = 1
                break
        elif value1 == 0:
            result = 0
            break
    if n > 1:
        # the oldest entry of the bucket leaves; new ones enter at the front
        at = bucket + 56
        while at > bucket:
            store(at, load(at - 8))
            at -= 8
        store(bucket, key | result)
    return result
