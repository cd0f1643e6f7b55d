"""The search for suit games and grand.

Zero-window alpha-beta over whole tricks: `search` answers "does the declarer get at least
`beta` of the card points still in the hands?" by a bound of them: a result of `beta` or
more is a lower bound, one below is an upper bound. Hands come in the order of play from
the leader, with `d` the declarer's place in it, so a position is the same whoever sits
where, and a value does not depend on skat or tricks already taken.
"""

from numba import int64

from skatsim.kernels.jit import kernel
from skatsim.kernels.solver_layout import ACES, JACKS, KINGS, QUEENS, TEN_STEPS, TENS, points
from skatsim.kernels.solver_memory import (
    CARD_POINTS,
    CLASSES,
    GENERATION,
    KINDS,
    LEAD_CELLS,
    MOVES,
    NODES,
    ORDER,
    RANDOM,
    SECOND_CELLS,
    SECOND_ORDER,
    SIDE_CODES,
    STATISTICS,
    STEPS,
    SURE,
    TABLE,
    TABLE_BUCKETS,
    THIRD_ORDER,
    TOP_CODES,
    TOP_STEPS,
    TRUMP,
    highest_bit,
    load,
    load_short,
    lowest_bit,
    popcount,
    store,
)

COLLECT = False
"""True in the copy of this module that training makes: counts what the ordering needs."""

INFINITY = 1000
NONE = -2000
LOOK_AHEAD_CARDS = 6
SIDE_SUITS = 127 | 127 << 7 | 127 << 14 | 127 << 21
EIGHTS = 1 << 1 | 1 << 8 | 1 << 15 | 1 << 22
NINES = EIGHTS << 1
TOP_JACKS = JACKS & (JACKS << 1)
HIGH_JACKS = JACKS & (JACKS << 2)
CLUB_JACK = 1 << 31
HASH = 0x1F3B9D2C5A7E4A55 | 1
FIRST_STEPS = 0x7FF
STARTS = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28
ENDS = STARTS >> 1


@kernel(int64(int64, int64))
def top_points(cards: int, count: int) -> int:
    """Card points of the `count` best counting cards of a hand."""
    found = min(popcount(cards & ACES), count)
    total = 11 * found
    count -= found
    found = min(popcount(cards & TENS), count)
    total += 10 * found
    count -= found
    found = min(popcount(cards & KINGS), count)
    total += 4 * found
    count -= found
    found = min(popcount(cards & QUEENS), count)
    total += 3 * found
    count -= found
    return total + 2 * min(popcount(cards & JACKS), count)


@kernel(int64(int64, int64))
def above(cards: int, others: int) -> int:
    """Those of `cards` that are higher than the highest of `others`."""
    return cards & (-1 << (highest_bit(others) + 1))


@kernel(int64(int64, int64, int64, int64))
def cash_out(x0: int, x1: int, x2: int, trump: int) -> int:
    """Cards that win one trick each if the leader goes on leading them now, and what they catch.

    Where his master trumps draw all trumps of the others: all his trumps and the side suits'
    masters, a suit whole if its masters exhaust the others; else nothing. Cards of `x1`
    and `x2` in the result are those that must fall to these leads.
    """
    t0 = x0 & trump
    t1 = x1 & trump
    t2 = x2 & trump
    if popcount(above(t0, t1 | t2)) < max(popcount(t1), popcount(t2)):
        return 0
    result = t0 | t1 | t2
    sides = x0 & ~trump
    while sides != 0:
        suit = 127 << (lowest_bit(sides) // 7 * 7)
        own = sides & suit
        sides ^= own
        s1 = x1 & suit & ~trump
        s2 = x2 & suit & ~trump
        masters = above(own, s1 | s2)
        count = popcount(masters)
        n1 = popcount(s1)
        n2 = popcount(s2)
        if count >= n1:
            masters |= s1
            if count >= n2:
                masters |= own
        if count >= n2:
            masters |= s2
        result |= masters
    return result


@kernel(int64(int64, int64, int64, int64, int64))
def all_masters(own: int, others: int, x1: int, x2: int, trump: int) -> int:
    """The winners of a hand with trumps, as long as no enemy ruffs.

    Its trumps, and in the side suits its masters over both others. Whoever leads, only its
    other cards lose tricks: it follows with a master or ruffs, and once on lead it cashes
    its masters first. (A partner with trumps does not matter: forced to ruff, he has nothing
    but trumps and takes the rest.)
    """
    result = own & trump
    sides = own & ~trump
    while sides != 0:
        suit = 127 << (lowest_bit(sides) // 7 * 7)
        mine = sides & suit
        sides ^= mine
        masters = above(mine, others & suit)
        if popcount(masters) >= max(popcount(x1 & suit), popcount(x2 & suit)):
            masters = mine
        result |= masters
    return result


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def most_lost(own: int, x1: int, x2: int, t2: int, trump: int, sure: int, is_leader: int) -> int:
    """The most card points a hand and its side can lose, by its trumps and masters alone.

    The other hands are `x1`, an enemy, and `x2`, whose trumps `t2` count if it is one too.
    `sure` trumps of the hand win a trick each in any case. Two plans of play, the better counts:

    Its winners are trumps and masters (`all_masters`). An enemy's trump can take one winner
    and gain the lead; then a ruff gains it back, and a hand with as many trumps as the
    enemies (one more if it is not on lead) never has to give a winner away. If it is on lead it
    draws trumps first with its highest.

    Or all cards of side suits are lost, and of the trumps below the highest no more than
    the enemies have once those have been drawn; not on lead, one of the highest may be
    needed to win the lead.
    """
    t0 = own & trump
    if t0 == 0:
        return INFINITY
    others = x1 | x2
    n0 = popcount(t0)
    n1 = popcount(x1 & trump)
    n2 = popcount(t2)
    kept = above(t0, others & trump)
    highest = popcount(kept)
    draws = highest if is_leader else max(highest - 1, 0)
    left = max(n1 - draws, 0) + max(n2 - draws, 0)
    least = INFINITY
    taken = left
    spare = n0 - highest
    if is_leader == 0:
        kept = 0
        taken = n1 + n2
        spare = n0 - 1
    if spare >= taken:
        winners = all_masters(own, others, x1, x2, trump)
        losers = own ^ winners
        lost = popcount(losers) + taken
        if lost < popcount(own):
            least = points(losers) + top_points(winners & ~kept, taken)
            least += top_points(x1, lost) + top_points(x2, lost)
    won = max(n0 - min(n0 - highest, left), sure)
    if won > 0:
        lost = popcount(own) - won
        found = points(own ^ t0) + top_points(t0, n0 - won)
        found += top_points(x1, lost) + top_points(x2, lost)
        least = min(least, found)
    return least


@kernel(int64(int64, int64, int64, int64, int64))
def lose_first(ws: int, x0: int, x1: int, x2: int, cashed: int) -> int:
    """The most the others can get from a leader who draws their trumps and has trumps left.

    Next he leads a loser, to which the others must follow suit who could not throw off
    all of that suit while trumps were drawn; then he is sure to get the lead back.
    """
    trump = load(ws + TRUMP)
    losers = x0 & ~cashed
    n1 = popcount(x1 & trump)
    n2 = popcount(x2 & trump)
    rounds = max(n1, n2)
    if losers == 0 or popcount(x0 & trump) <= rounds:
        return INFINITY
    free1 = rounds - n1
    free2 = rounds - n2
    x1 &= ~trump
    x2 &= ~trump
    count = popcount(losers) - 1
    whole = points(losers) + top_points(x1, count) + top_points(x2, count)
    best1 = top_points(x1, 1)
    best2 = top_points(x2, 1)
    least = INFINITY
    while losers != 0:
        led = load(ws + CLASSES + 8 * lowest_bit(losers))
        losers &= losers - 1
        found = whole
        if popcount(x1 & led) > free1:
            found += top_points(x1 & led, 1)
        else:
            found += best1
        if popcount(x2 & led) > free2:
            found += top_points(x2 & led, 1)
        else:
            found += best2
        least = min(least, found)
    return least


@kernel(int64(int64, int64))
def without_twins(own: int, cards: int) -> int:
    """`own` without those that equal, in rank and points, a lower one of the same hand."""
    gap1 = ~(cards << 1)
    gap2 = gap1 & ~(cards << 2)
    twins = own << 1 & (EIGHTS | NINES | TOP_JACKS)
    twins |= own << 2 & gap1 & (NINES | HIGH_JACKS)
    twins |= own << 3 & gap2 & CLUB_JACK
    return own & ~twins


@kernel(int64(int64, int64))
def lowest_of_runs(own: int, others: int) -> int:
    """The lowest card of each run of a hand: cards of a suit without `others` in between."""
    way = ~(others | STARTS)
    filled = own | (own << 1 & way)
    way &= way << 1
    filled |= filled << 2 & way
    way &= way << 2
    filled |= filled << 4 & way
    return own & ~(filled << 1 & ~STARTS)


@kernel(int64(int64, int64))
def highest_of_runs(own: int, others: int) -> int:
    """The highest card of each run of a hand."""
    way = ~(others | ENDS)
    filled = own | (own >> 1 & way)
    way &= way >> 1
    filled |= filled >> 2 & way
    way &= way >> 2
    filled |= filled >> 4 & way
    return own & ~(filled >> 1 & ~ENDS)


# Cards of one run win and lose the same tricks. Where it is settled which side gets the trick,
# the one to play is that with most points (the highest) if it is the player's own, else that
# with fewest: a card kept instead is worth at most the difference later. Jacks, with few
# points above the ace, are runs of their own.


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def lead_choice(ws: int, x0: int, x1: int, x2: int, cards: int, trump: int, d: int) -> int:
    """The cards the leader needs to try."""
    own = without_twins(x0, cards)
    lowest = lowest_of_runs(x0, x1 | x2)
    if own & ~lowest == 0:
        return own
    highest = highest_of_runs(x0, x1 | x2)
    found = 0
    while own != 0:
        led = load(ws + CLASSES + 8 * lowest_bit(own))
        mine = own & led
        own ^= mine
        if mine & ~lowest == 0:
            found |= mine
            continue
        # the highest the others can put in, and the lowest if they must (else 0)
        high = led | trump
        y1 = x1 & led
        if y1 == 0:
            y1 = x1
        y2 = x2 & led
        if y2 == 0:
            y2 = x2
        reach1 = 1 << highest_bit(y1 & high | 1)
        reach2 = 1 << highest_bit(y2 & high | 1)
        floor1 = 0
        if y1 & ~high == 0:
            floor1 = y1 & -y1
        floor2 = 0
        if y2 & ~high == 0:
            floor2 = y2 & -y2
        if d == 0:
            won = -(max(reach1, reach2) << 1)
            lost = max(floor1, floor2, 1) - 1
        elif d == 1:
            won = -1 if floor2 > reach1 else -(reach1 << 1)
            lost = floor1 - 1 if floor1 > reach2 else 0
        else:
            won = -1 if floor1 > reach2 else -(reach2 << 1)
            lost = floor2 - 1 if floor2 > reach1 else 0
        found |= (highest & won | lowest & lost | mine & ~(won | lost)) & (x0 & led)
    return found


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def second_choice(
    own: int, others: int, high: int, b0: int, follow2: int, cards: int, d: int
) -> int:
    """The cards the second player needs to try of those he may play.

    `others` are the cards of the other two, `b0` the card led among them, `follow2` those the
    third may play to it, `high` the led suit and trumps.
    """
    if own & (own - 1) == 0:
        return own
    # the highest the third can put in, and the lowest if he must (else 0)
    reach = 0
    if follow2 & high != 0:
        reach = 1 << highest_bit(follow2 & high)
    floor = 0
    if follow2 & ~high == 0:
        floor = follow2 & -follow2
    beats = high & -(b0 << 1)
    won = 0
    lost = 0
    if d == 0:
        won = beats
        if b0 > reach:
            lost = ~beats
        elif b0 < floor:
            won = -1
    elif d == 1:
        won = beats
        if reach != 0:
            won &= -(reach << 1)
        lost = ~beats
        if floor != 0:
            lost |= high & (floor - 1)
    else:
        won = -1 if b0 > reach else high & -(reach << 1)
        if b0 < floor:
            lost = ~high | (high & (floor - 1))
    found = without_twins(own, cards) & ~(won | lost)
    if own & won != 0:
        found |= highest_of_runs(own, others) & won
    if own & lost != 0:
        found |= lowest_of_runs(own, others) & lost
    return found


@kernel(int64(int64, int64, int64, int64, int64))
def third_choice(own: int, others: int, high: int, winner: int, is_won: int) -> int:
    """The cards the third player needs to try of those he may play.

    `others` are the cards the other two keep, `winner` the best card on the table, `is_won`
    whether it is of his own side.
    """
    if own & (own - 1) == 0:
        return own
    others |= winner
    found = highest_of_runs(own, others)
    if is_won == 0:
        beats = high & -(winner << 1)
        found = (found & beats) | (lowest_of_runs(own, others) & ~beats)
    return found


@kernel(int64(int64, int64, int64, int64, int64))
def standing(hand: int, led: int, trump: int, winner: int, is_ruffed: int) -> int:
    """What a hand still to play can do: 0 follow below, 1 follow above, 2 throw off, 3 ruff."""
    follow = hand & led
    if follow != 0:
        if is_ruffed == 0 and follow > winner:
            return 1
        return 0
    if led != trump and (hand & trump) > winner * is_ruffed:
        return 3
    return 2


@kernel(int64(int64, int64))
def insert(moves: int, count: int) -> int:
    """Move the last entry of a list to its place, highest first."""
    at = moves + 8 * count
    entry = load(at)
    while at > moves and load(at - 8) < entry:
        store(at, load(at - 8))
        at -= 8
    store(at, entry)
    return 0


@kernel(int64(int64))
def random_bits(ws: int) -> int:
    """A pseudo-random number of 31 bits (training only)."""
    state = (load(ws + RANDOM) * 1103515245 + 12345) & 0x7FFFFFFFFFFF
    store(ws + RANDOM, state)
    return (state >> 12) & 0x7FFFFFFF


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def order_lead(ws: int, moves: int, own: int, x0: int, x1: int, x2: int, d: int) -> int:
    """List the cards `own` of the leader, best first; the number of them."""
    trump = load(ws + TRUMP)
    n = popcount(x0)
    phase = 0 if n <= 4 else 1 if n <= 7 else 2
    if trump == JACKS:
        phase += 3
    base = (phase * 3 + d) * 11
    shuffle = 0
    if COLLECT:
        shuffle = 1 if random_bits(ws) % 10 == 0 else 0
    count = 0
    if own & (own - 1) == 0:
        store(moves, lowest_bit(own))
        return 1
    while own != 0:
        card = lowest_bit(own)
        bit = 1 << card
        own ^= bit
        led = load(ws + CLASSES + 8 * card)
        mine = x0 & led
        cell = base + load(ws + KINDS + 8 * card)
        cell = cell * 3 + min(popcount(mine), 3) - 1
        cell = cell * 2 + (1 if mine > 2 * bit - 1 else 0)
        cell = cell * 4 + standing(x1, led, trump, bit, 0)
        cell = cell * 4 + standing(x2, led, trump, bit, 0)
        score = load_short(ws + ORDER + 2 * cell)
        if COLLECT:
            if shuffle:
                score = random_bits(ws) & 0x7FFF
            card |= cell << 8
        store(moves + 8 * count, (score << 32) | card)
        insert(moves, count)
        count += 1
    return count


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def order_second(ws: int, moves: int, own: int, c0: int, x1: int, x2: int, d: int) -> int:
    """List the cards `own` of the second player, best first; the number of them."""
    if own & (own - 1) == 0:
        store(moves, lowest_bit(own))
        return 1
    trump = load(ws + TRUMP)
    n = popcount(x1)
    phase = 0 if n <= 4 else 1 if n <= 7 else 2
    if trump == JACKS:
        phase += 3
    base = (phase * 3 + d) * 11
    shuffle = 0
    if COLLECT:
        shuffle = 1 if random_bits(ws) % 10 == 0 else 0
    led = load(ws + CLASSES + 8 * c0)
    bit0 = 1 << c0
    follows = 1 if x1 & led != 0 else 0
    value = load(ws + CARD_POINTS + 8 * c0)
    lure = 0 if value == 0 else 1 if value < 10 else 2
    count = 0
    while own != 0:
        card = lowest_bit(own)
        bit = 1 << card
        own ^= bit
        mine = x1 & load(ws + CLASSES + 8 * card)
        beats = 1 if bit & (led | trump) > bit0 else 0
        is_ruffed = 0
        winner = bit0
        if beats:
            winner = bit
            is_ruffed = 1 if bit & led == 0 else 0
        cell = base + load(ws + KINDS + 8 * card)
        cell = cell * 3 + min(popcount(mine), 3) - 1
        cell = cell * 2 + (1 if mine > 2 * bit - 1 else 0)
        cell = cell * 2 + beats
        cell = cell * 2 + follows
        cell = cell * 4 + standing(x2, led, trump, winner, is_ruffed)
        cell = cell * 3 + lure
        score = load_short(ws + SECOND_ORDER + 2 * cell)
        if COLLECT:
            if shuffle:
                score = random_bits(ws) & 0x7FFF
            card |= (cell + LEAD_CELLS) << 8
        store(moves + 8 * count, (score << 32) | card)
        insert(moves, count)
        count += 1
    return count


@kernel(int64(int64, int64, int64, int64, int64, int64, int64))
def order_third(ws: int, moves: int, own: int, c0: int, c1: int, x2: int, d: int) -> int:
    """List the cards `own` of the third player, best first; the number of them."""
    if own & (own - 1) == 0:
        store(moves, lowest_bit(own))
        return 1
    trump = load(ws + TRUMP)
    n = popcount(x2)
    phase = 0 if n <= 4 else 1 if n <= 7 else 2
    if trump == JACKS:
        phase += 3
    base = (phase * 3 + d) * 11
    shuffle = 0
    if COLLECT:
        shuffle = 1 if random_bits(ws) % 10 == 0 else 0
    led = load(ws + CLASSES + 8 * c0)
    winner = 1 << c0
    by_second = 0
    if (1 << c1) & (led | trump) > winner:
        winner = 1 << c1
        by_second = 1
    follows = 1 if x2 & led != 0 else 0
    value = load(ws + CARD_POINTS + 8 * c0) + load(ws + CARD_POINTS + 8 * c1)
    lure = 0 if value == 0 else 1 if value < 8 else 2 if value < 12 else 3 if value < 16 else 4
    count = 0
    while own != 0:
        card = lowest_bit(own)
        bit = 1 << card
        own ^= bit
        mine = x2 & load(ws + CLASSES + 8 * card)
        cell = base + load(ws + KINDS + 8 * card)
        cell = cell * 3 + min(popcount(mine), 3) - 1
        cell = cell * 2 + (1 if mine > 2 * bit - 1 else 0)
        cell = cell * 2 + (1 if bit & (led | trump) > winner else 0)
        cell = cell * 2 + follows
        cell = cell * 2 + by_second
        cell = cell * 5 + lure
        score = load_short(ws + THIRD_ORDER + 2 * cell)
        if COLLECT:
            if shuffle:
                score = random_bits(ws) & 0x7FFF
            card |= (cell + LEAD_CELLS + SECOND_CELLS) << 8
        store(moves + 8 * count, (score << 32) | card)
        insert(moves, count)
        count += 1
    return count


@kernel(int64(int64, int64, int64))
def step_distance(ws: int, cards: int, others: int) -> int:
    """Sum of the differences in card points, card by card, of two sets of equal structure."""
    distance = 0
    for at in range(0, 21, 7):
        if (cards ^ others) >> at & 127:
            steps = load(ws + STEPS + 8 * (cards >> at & 127)) ^ load(
                ws + STEPS + 8 * (others >> at & 127)
            )
            distance += (
                popcount(steps) + popcount(steps & FIRST_STEPS) + 5 * popcount(steps & TEN_STEPS)
            )
    if (cards ^ others) >> 21:
        steps = load(ws + TOP_STEPS + 8 * (cards >> 21)) ^ load(ws + TOP_STEPS + 8 * (others >> 21))
        distance += (
            popcount(steps) + popcount(steps & FIRST_STEPS) + 5 * popcount(steps & TEN_STEPS)
        )
    return distance


@kernel(int64(int64, int64, int64, int64))
def look_up(ws: int, cards: int, d: int, beta: int) -> int:
    """What the transposition table says of a position if that settles `beta`, else `NONE`."""
    key = (
        load(ws + TOP_CODES + 8 * (cards >> 21))
        + load(ws + SIDE_CODES + 8 * (cards & 127))
        + load(ws + SIDE_CODES + 1024 + 8 * (cards >> 7 & 127))
        + load(ws + SIDE_CODES + 2048 + 8 * (cards >> 14 & 127))
        + d
    )
    at = ws + TABLE + ((((key * HASH) >> 40) & (TABLE_BUCKETS - 1)) << 6)
    end = at + 64
    while at < end:
        if load(at) == key:
            data = load(at + 8)
            others = data & 0xFFFFFFFF
            lower = data >> 32 & 127
            upper = data >> 40 & 127
            if others != cards:
                distance = step_distance(ws, cards, others)
                change = points(cards) - points(others)
                lower -= (distance - change) >> 1
                upper += (distance + change) >> 1
            if lower >= beta:
                return lower
            if upper < beta:
                return upper
        at += 16
    return NONE


@kernel(int64(int64, int64, int64))
def record(ws: int, entry: int, is_cut: int) -> int:
    """Count one try of a move (training only); called before and after its search."""
    at = ws + STATISTICS + 24 * (entry >> 8 & 0xFFFFFF)
    store(at, load(at) + 1)
    store(at + 8, load(at + 8) + is_cut)
    return at


@kernel(int64(int64, int64, int64, int64, int64, int64))
def last_trick(ws: int, x0: int, x1: int, x2: int, trump: int, d: int) -> int:
    """1 if the declarer takes the trick of the last three cards."""
    high = load(ws + CLASSES + 8 * lowest_bit(x0)) | trump
    x1 &= high
    x2 &= high
    best = max(x0, x1, x2)
    w = 0 if best == x0 else 1 if best == x1 else 2
    return 1 if w == d else 0


@kernel(int64(int64, int64, int64, int64, int64, int64))
def search(ws: int, x0: int, x1: int, x2: int, d: int, beta: int) -> int:
    """A bound of the declarer's card points from here on, `beta` or more or below it."""
    if beta <= 0:
        return 0
    cards = x0 | x1 | x2
    total = points(cards)
    if beta > total:
        return total
    trump = load(ws + TRUMP)
    n = popcount(x0)
    if n == 1:
        return last_trick(ws, x0, x1, x2, trump, d) * total
    store(ws + NODES, load(ws + NODES) + 1)

    # sure tricks
    sure = load(ws + SURE + 8 * (cards >> 21))
    y0 = x0
    y1 = x1
    y2 = x2
    if d == 1:
        y0 = x1
        y1 = x2
        y2 = x0
    elif d == 2:
        y0 = x2
        y1 = x0
        y2 = x1
    cashed = cash_out(x0, x1, x2, trump)
    if d == 0 and cashed != 0:
        losers = x0 & ~cashed
        k = n - popcount(losers)
        low = total - points(losers)
        low -= top_points(x1 & ~cashed, n - k) + top_points(x2 & ~cashed, n - k)
        if low >= beta:
            return low
        low = total - lose_first(ws, x0, x1, x2, cashed)
        if low >= beta:
            return low
    else:
        low = total - most_lost(y0, y1, y2, y2 & trump, trump, sure & 255, 1 if d == 0 else 0)
        if low >= beta:
            return low
    if d != 0 and cashed != 0:
        losers = x0 & ~cashed
        k = n - popcount(losers)
        high = points(losers)
        high += top_points(x1 & ~cashed, n - k) + top_points(x2 & ~cashed, n - k)
        if high < beta:
            return high
        high = lose_first(ws, x0, x1, x2, cashed)
        if high < beta:
            return high
    else:
        none = 0
        high = most_lost(y1, y0, y2, none, trump, sure >> 8 & 255, 1 if d == 2 else 0)
        if high < beta:
            return high
        high = most_lost(y2, y0, y1, none, trump, sure >> 16 & 255, 1 if d == 1 else 0)
        if high < beta:
            return high

    # transposition table
    lower = 0
    upper = total
    key = 0
    bucket = 0
    if n >= 3:
        key = (
            load(ws + TOP_CODES + 8 * (cards >> 21))
            + load(ws + SIDE_CODES + 8 * (cards & 127))
            + load(ws + SIDE_CODES + 1024 + 8 * (cards >> 7 & 127))
            + load(ws + SIDE_CODES + 2048 + 8 * (cards >> 14 & 127))
            + d
        )
        bucket = ws + TABLE + ((((key * HASH) >> 40) & (TABLE_BUCKETS - 1)) << 6)
        at = bucket
        end = bucket + 64
        while at < end:
            if load(at) == key:
                data = load(at + 8)
                others = data & 0xFFFFFFFF
                low = data >> 32 & 127
                high = data >> 40 & 127
                if others != cards:
                    distance = step_distance(ws, cards, others)
                    change = total - points(others)
                    low -= (distance - change) >> 1
                    high += (distance + change) >> 1
                if low >= beta:
                    return low
                if high < beta:
                    return high
                lower = max(lower, low)
                upper = min(upper, high)
            at += 16

    moves0 = ws + MOVES + (n * 3) * 128
    moves1 = moves0 + 128
    moves2 = moves1 + 128
    count0 = order_lead(ws, moves0, lead_choice(ws, x0, x1, x2, cards, trump, d), x0, x1, x2, d)
    best0 = -INFINITY if d == 0 else INFINITY
    i0 = 0
    while i0 < count0:
        entry0 = load(moves0 + 8 * i0)
        i0 += 1
        c0 = entry0 & 255
        b0 = 1 << c0
        led = load(ws + CLASSES + 8 * c0)
        high = led | trump
        p0 = load(ws + CARD_POINTS + 8 * c0)
        own1 = x1 & led
        if own1 == 0:
            own1 = x1
        follow2 = x2 & led
        if follow2 == 0:
            follow2 = x2
        nodes0 = 0
        if COLLECT:
            nodes0 = load(ws + NODES)
        own1 = second_choice(own1, x0 | x2, high, b0, follow2, cards, d)
        count1 = order_second(ws, moves1, own1, c0, x1, x2, d)
        best1 = -INFINITY if d == 1 else INFINITY
        i1 = 0
        while i1 < count1:
            entry1 = load(moves1 + 8 * i1)
            i1 += 1
            c1 = entry1 & 255
            b1 = 1 << c1
            p1 = p0 + load(ws + CARD_POINTS + 8 * c1)
            nodes1 = 0
            if COLLECT:
                nodes1 = load(ws + NODES)
            w1 = b0
            is_won = 1 if d == 1 else 0
            if b1 & high > w1:
                w1 = b1
                is_won = 1 if d == 0 else 0
            own2 = third_choice(follow2, (x0 ^ b0) | (x1 ^ b1), high, w1, is_won)
            count2 = order_third(ws, moves2, own2, c0, c1, x2, d)
            best2 = -INFINITY if d == 2 else INFINITY
            i2 = 0
            if n >= LOOK_AHEAD_CARDS and count2 > 1:
                while i2 < count2:
                    c2 = load(moves2 + 8 * i2) & 255
                    b2 = 1 << c2
                    w = 0
                    winner = b0
                    if b1 & high > winner:
                        winner = b1
                        w = 1
                    if b2 & high > winner:
                        w = 2
                    gain = 0
                    if w == d:
                        gain = p1 + load(ws + CARD_POINTS + 8 * c2)
                    e = d - w
                    if e < 0:
                        e += 3
                    value = look_up(ws, cards ^ b0 ^ b1 ^ b2, e, beta - gain)
                    if value != NONE:
                        value += gain
                        if (value >= beta) == (d == 2):
                            best2 = value
                            count2 = 0
                            break
                    i2 += 1
                i2 = 0
            while i2 < count2:
                entry2 = load(moves2 + 8 * i2)
                i2 += 1
                c2 = entry2 & 255
                b2 = 1 << c2
                w = 0
                winner = b0
                if b1 & high > winner:
                    winner = b1
                    w = 1
                if b2 & high > winner:
                    w = 2
                p2 = p1 + load(ws + CARD_POINTS + 8 * c2)
                gain = p2 if w == d else 0
                rest = total - p2
                need = beta - gain
                nodes2 = 0
                if COLLECT:
                    nodes2 = load(ws + NODES)
                if need <= 0:
                    value = 0
                elif need > rest:
                    value = rest
                elif w == 0:
                    if n == 2:
                        value = last_trick(ws, x0 ^ b0, x1 ^ b1, x2 ^ b2, trump, d) * rest
                    else:
                        value = search(ws, x0 ^ b0, x1 ^ b1, x2 ^ b2, d, need)
                elif w == 1:
                    e = d + 2 if d == 0 else d - 1
                    if n == 2:
                        value = last_trick(ws, x1 ^ b1, x2 ^ b2, x0 ^ b0, trump, e) * rest
                    else:
                        value = search(ws, x1 ^ b1, x2 ^ b2, x0 ^ b0, e, need)
                else:
                    e = d - 2 if d == 2 else d + 1
                    if n == 2:
                        value = last_trick(ws, x2 ^ b2, x0 ^ b0, x1 ^ b1, trump, e) * rest
                    else:
                        value = search(ws, x2 ^ b2, x0 ^ b0, x1 ^ b1, e, need)
                value += gain
                if COLLECT and count2 > 1:
                    at = record(ws, entry2, 1 if (value >= beta) == (d == 2) else 0)
                    store(at + 16, load(at + 16) + load(ws + NODES) - nodes2 + 1)
                if d == 2:
                    if value > best2:
                        best2 = value
                        if value >= beta:
                            break
                elif value < best2:
                    best2 = value
                    if value < beta:
                        break
            if COLLECT and count1 > 1:
                at = record(ws, entry1, 1 if (best2 >= beta) == (d == 1) else 0)
                store(at + 16, load(at + 16) + load(ws + NODES) - nodes1 + 1)
            if d == 1:
                if best2 > best1:
                    best1 = best2
                    if best2 >= beta:
                        break
            elif best2 < best1:
                best1 = best2
                if best2 < beta:
                    break
        if COLLECT and count0 > 1:
            at = record(ws, entry0, 1 if (best1 >= beta) == (d == 0) else 0)
            store(at + 16, load(at + 16) + load(ws + NODES) - nodes0 + 1)
        if d == 0:
            if best1 > best0:
                best0 = best1
                if best1 >= beta:
                    break
        elif best1 < best0:
            best0 = best1
            if best1 < beta:
                break

    if n >= 3:
        if best0 >= beta:
            lower = max(lower, best0)
        else:
            upper = min(upper, best0)
        generation = load(ws + GENERATION)
        at = bucket
        end = bucket + 64
        slot = bucket
        least = INFINITY
        while at < end:
            data = load(at + 8)
            if load(at) == key and data & 0xFFFFFFFF == cards:
                slot = at
                break
            worth = data >> 48 & 15
            if data >> 56 == generation:
                worth += 16
            if worth < least:
                least = worth
                slot = at
            at += 16
        store(slot, key)
        store(slot + 8, cards | lower << 32 | upper << 40 | n << 48 | generation << 56)
    return best0
