"""The policy `heuristic`: bidding by estimated win probabilities, card play by rules.

Evaluation. A hand is worth, in each contract, a sum of one number for its trumps and one
for each side suit, in hundredths of a log-odds unit; the logistic of the sum estimates how
often the contract is won (fitted to games that this policy played against itself). Because
the sum goes suit by suit, the best of all 66 discards is found from tables of the best one
and the best two cards to lay away from each suit.

Bidding. A seat bids up to the highest value of a contract that it wins with a probability
of at least ``1 - risk``; the other parameters move single contracts, hand games, ouvert and
announcements (see `PARAMETERS`).

Play. The declarer draws trumps, runs masters, ruffs and throws losers; defenders lead by
position, take with what is worth most, put card points on partner's tricks, and duck. In
null the declarer stays below, and defenders lead low into his gaps.
"""

from typing import Any

import numpy as np
from numba import int64, types

from skatsim.kernels.bits import highest_bit, lowest_bit, popcount
from skatsim.kernels.cards import (
    ACE_MASK,
    ALL_MASK,
    CLASS,
    GRAND,
    JACK_MASK,
    KING_MASK,
    LOW_MASK,
    NULL,
    NULL_ORDER,
    PLAIN_MASK,
    POWER,
    QUEEN_MASK,
    SUIT_MASK,
    TEN_MASK,
)
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import BID_INDEX, BID_VALUES, RULES_TYPE, matadors
from skatsim.kernels.table import (
    AUCTION_ALONE,
    AUCTION_SAY_1,
    AUCTION_SAY_2,
    BID_LEAST,
    CALL_HOLD,
    CALL_PASS,
    CALL_PLAY,
    IS_HAND,
    IS_OUVERT,
    IS_SCHNEIDER_ANNOUNCED,
    PLAYER_TYPE,
    PUBLIC_TYPE,
    declaration,
)

PARAMETERS = (
    ("risk", 0.40, 0.0, 1.0, "bids up to the highest value won with at least 1 - risk"),
    ("alone", 0.10, -1.0, 1.0, "added to risk by forehand alone, both others having passed"),
    ("suit", 0.0, -10.0, 10.0, "log-odds added to the estimate of every suit game"),
    ("grand", 0.0, -10.0, 10.0, "log-odds added to the estimate of grand"),
    ("null", 0.0, -10.0, 10.0, "log-odds added to the estimate of null"),
    ("hand", 0.0, -1000.0, 1000.0, "score by which a hand game must beat taking the skat"),
    ("ouvert", 0.90, 0.0, 2.0, "probability wanted of a null before it is played ouvert"),
    ("schneider", 0.90, 0.0, 2.0, "probability wanted of 90 card points to announce them"),
    ("surprise", 1.0, 0.0, 1.0, "share that counts of the danger of a skat lowering the value"),
    ("stake", 60.0, 0.0, 1000.0, "score added to a game's value when contracts are compared"),
    ("ruff", 3.0, 0.0, 120.0, "card points in a trick from which the declarer ruffs"),
)
"""Name, default, least and greatest value, meaning, in the order the code reads them."""

(
    RISK,
    ALONE,
    SUIT_BONUS,
    GRAND_BONUS,
    NULL_BONUS,
    HAND_MARGIN,
    OUVERT_PROBABILITY,
    SCHNEIDER_PROBABILITY,
    SURPRISE,
    STAKE,
    RUFF_POINTS,
) = range(len(PARAMETERS))

VARIANT = 15

ALONE_FLAG = 512
"""Above all values that can be bid."""

PLAIN_SUITS = PLAIN_MASK * 0x01010101

NEVER = -30000
"""A sum that no discard reaches."""


def _popcounts(n: int) -> np.ndarray:
    return np.array([i.bit_count() for i in range(n)], dtype=np.int64)


def _side_values(stage: int) -> np.ndarray:
    """The worth of a side suit in a suit game by its seven cards, before or after the skat."""
    values = np.zeros(128, dtype=np.int64)
    for p in range(128):
        ace, ten, king = p >> 6 & 1, p >> 5 & 1, p >> 4 & 1
        n = p.bit_count()
        v = 75 * ace
        if ten:
            v += 45 if ace else (10 if n >= 2 and king else (-5 if n >= 2 else -30))
        if king:
            v += 15 if ace and ten else (5 if ace else 0)
        if stage:
            losers = n - ace - (ten if ace else 0) - (king if ace and ten else 0)
            v -= 25 * losers
            if n == 0:
                v += 30
        elif n == 0:
            v += 50
        elif n == 1:
            v += 15
        values[p] = v
    return values


def _trump_values(stage: int) -> np.ndarray:
    """The worth of trumps in a suit game by jacks (16) and plain trumps (128)."""
    values = np.zeros(2048, dtype=np.int64)
    by_count = (-900, -700, -520, -360, -220, -60, 90, 220, 330, 430, 500, 600)
    for j in range(16):
        for p in range(128):
            n = j.bit_count() + p.bit_count()
            v = by_count[n]
            v += 40 * (j >> 3 & 1) + 28 * (j >> 2 & 1) + 15 * (j >> 1 & 1) + 8 * (j & 1)
            v += 25 * (p >> 6 & 1) + 12 * (p >> 5 & 1)
            values[j * 128 + p] = v + (40 if stage else -30)
    return values


def _grand_side_values(stage: int) -> np.ndarray:
    values = np.zeros(128, dtype=np.int64)
    for p in range(128):
        ace, ten, king = p >> 6 & 1, p >> 5 & 1, p >> 4 & 1
        n = p.bit_count()
        v = 120 * ace
        if ten:
            v += 70 if ace else (10 if n >= 2 else -20)
        if ace and ten:
            v += 20 * king + 25 * max(0, n - 3)
        if stage:
            losers = n - ace - (ten if ace else 0) - (king if ace and ten else 0)
            v -= 25 * min(losers, 3)
        values[p] = v
    return values


def _grand_jack_values(stage: int) -> np.ndarray:
    values = np.zeros(16, dtype=np.int64)
    for j in range(16):
        v = 90 * (j >> 3 & 1) + 70 * (j >> 2 & 1) + 60 * (j >> 1 & 1) + 50 * (j & 1)
        values[j] = v - (420 if stage else 460)
    return values


def _null_row(p: int) -> int:
    """The eight cards of a suit with bits in the order of null."""
    return sum((p >> rank & 1) << NULL_ORDER.index(rank) for rank in range(8))


def _null_values(stage: int) -> np.ndarray:
    """The danger of a suit in null, by its eight cards: the worse, the more gaps lie below."""
    values = np.zeros(256, dtype=np.int64)
    for p in range(256):
        row = _null_row(p)
        v = 0
        n = row.bit_count()
        held = [i for i in range(8) if row >> i & 1]
        for i, card in enumerate(held):
            if card > 2 * i:  # enemy cards below exceed own cards below
                v -= 25 * (card - 2 * i)
        if n == 1 and held[0] <= 1:
            v = 0 if held[0] == 0 else -15
        values[p] = v + (75 if stage else 20)
    return values


def _discards(values: np.ndarray, weight: int) -> tuple[np.ndarray, np.ndarray]:
    """What a suit is worth after the best 0, 1, 2 of its cards are laid away, and which.

    `weight` is what a card point laid away is worth.
    """
    points = (0, 0, 0, 3, 4, 10, 11, 2)
    size = len(values)
    best = np.full((3, size), NEVER, dtype=np.int64)
    cards = np.zeros((3, size), dtype=np.int64)
    for p in range(size):
        best[0, p] = values[p]
        held = [i for i in range(8) if p >> i & 1]
        for i in held:
            v = values[p ^ (1 << i)] + weight * points[i]
            if v > best[1, p]:
                best[1, p], cards[1, p] = v, 1 << i
            for k in held:
                if k < i:
                    v = values[p ^ (1 << i) ^ (1 << k)] + weight * (points[i] + points[k])
                    if v > best[2, p]:
                        best[2, p], cards[2, p] = v, (1 << i) | (1 << k)
    return best, cards


BEFORE, AFTER = 0, 1

SIDE = _side_values(BEFORE)
TRUMPS = np.array([_trump_values(BEFORE), _trump_values(AFTER)])
GRAND_SIDE = _grand_side_values(BEFORE)
GRAND_JACKS = np.array([_grand_jack_values(BEFORE), _grand_jack_values(AFTER)])
NULL_SUIT = _null_values(BEFORE)

SIDE_BEST, SIDE_CARDS = _discards(_side_values(AFTER), 4)
GRAND_BEST, GRAND_CARDS = _discards(_grand_side_values(AFTER), 4)
NULL_BEST, NULL_CARDS = _discards(_null_values(AFTER), 0)

HAND_SUIT = -60
HAND_GRAND = -60
HAND_NULL = -80

LOGISTIC = 1.0 / (1.0 + np.exp(-np.arange(-1000, 1001) / 100.0))
"""The logistic function by hundredths from -10 to 10."""

SURVIVAL = np.array([1.0, 1.0, 191 / 231] + [(22 - t) * (21 - t) / 462 for t in range(3, 12)])
"""How often a skat leaves at least `t` matadors to a hand without at least `t`."""


def _beat_masks() -> np.ndarray:
    """Per contract and card: the cards that win a trick it would have won."""
    masks = np.zeros((7, 32), dtype=np.int64)
    for contract in range(7):
        for card in range(32):
            for other in range(32):
                if CLASS[contract, other] in (CLASS[contract, card], 4) and (
                    POWER[contract, other] > POWER[contract, card]
                ):
                    masks[contract, card] |= 1 << other
    return masks


BEAT_MASK = _beat_masks()


@kernel(int64(int64))
def jack_bits(mask: int) -> int:
    """The jacks of a mask as four bits, diamonds lowest."""
    return ((((mask & JACK_MASK) >> 7) * 0x1020408) >> 24) & 15


@kernel(types.float64(int64))
def probability(sum_value: int) -> float:
    """The probability that a sum of worths stands for."""
    return LOGISTIC[min(max(sum_value, -1000), 1000) + 1000]


@kernel(int64(int64, int64))
def suit_value(hand_mask: int, contract: int) -> int:
    """The worth of ten cards in a suit game, the skat to come."""
    jacks = jack_bits(hand_mask)
    total = TRUMPS[0, jacks * 128 + ((hand_mask >> (8 * contract)) & PLAIN_MASK)]
    for suit in range(4):
        if suit != contract:
            total += SIDE[(hand_mask >> (8 * suit)) & PLAIN_MASK]
    return total


@kernel(int64(int64))
def grand_value(hand_mask: int) -> int:
    """The worth of ten cards in grand, the skat to come."""
    total = GRAND_JACKS[0, jack_bits(hand_mask)]
    for suit in range(4):
        total += GRAND_SIDE[(hand_mask >> (8 * suit)) & PLAIN_MASK]
    return total


@kernel(int64(int64))
def null_value(hand_mask: int) -> int:
    """The worth of ten cards in null, the skat to come."""
    total = 0
    for suit in range(4):
        total += NULL_SUIT[(hand_mask >> (8 * suit)) & SUIT_MASK]
    return total


@kernel(int64(RULES_TYPE, int64, PLAYER_TYPE, types.float64))
def highest_bid(rules: Any, hand_mask: int, player: Any, wanted: float) -> int:
    """The highest value held with a probability of at least `wanted`; 0 for none."""
    parameters = player["parameters"]
    limit = 0
    surprise = parameters[SURPRISE]
    for contract in range(5):
        if contract == GRAND:
            value = grand_value(hand_mask) + int(100.0 * parameters[GRAND_BONUS])
        else:
            value = suit_value(hand_mask, contract) + int(100.0 * parameters[SUIT_BONUS])
        chance = probability(value)
        if chance < wanted:
            continue
        base = rules["base_value"][contract]
        length = matadors(hand_mask, contract, rules["max_matadors"])
        held = length if length > 0 else 1
        if length < 0:
            for t in range(2, 1 - length):
                if chance * (1.0 - surprise * (1.0 - SURVIVAL[t])) >= wanted:
                    held = t
        limit = max(limit, base * (held + 1))
        hand_chance = probability(value + (HAND_GRAND if contract == GRAND else HAND_SUIT))
        if hand_chance >= wanted:
            limit = max(limit, base * (held + 2))
    value = null_value(hand_mask) + int(100.0 * parameters[NULL_BONUS])
    chance = probability(value)
    if chance >= wanted:
        limit = max(limit, rules["null_value"][0])
        if probability(value + HAND_NULL) >= wanted:
            limit = max(limit, rules["null_value"][1])
        if chance >= parameters[OUVERT_PROBABILITY]:
            limit = max(limit, rules["null_value"][2])
        if probability(value + HAND_NULL) >= parameters[OUVERT_PROBABILITY]:
            limit = max(limit, rules["null_value"][3])
    return limit


@kernel(int64(RULES_TYPE, int64, PLAYER_TYPE))
def heuristic_limit(rules: Any, hand_mask: int, player: Any) -> int:
    """How high a hand is bid, plus 512 if it would also be played alone at 18.

    It depends on nothing but the hand and the parameters, so it is kept for the auction.
    """
    parameters = player["parameters"]
    wanted = 1.0 - parameters[RISK]
    limit = highest_bid(rules, hand_mask, player, wanted)
    if limit > 0 or highest_bid(rules, hand_mask, player, wanted - parameters[ALONE]) > 0:
        limit += ALONE_FLAG
    return limit


@kernel(int64(PUBLIC_TYPE, int64))
def heuristic_call(public: Any, limit: int) -> int:
    """One step of the ladder up to the limit of the hand, then pass."""
    state = public["auction_state"]
    current = public["bid_value"]
    highest = limit & (ALONE_FLAG - 1)
    if state in (AUCTION_SAY_1, AUCTION_SAY_2):
        call = BID_VALUES[BID_INDEX[current] + 1] if current > 0 else BID_LEAST
        return call if call <= highest else CALL_PASS
    if state == AUCTION_ALONE:
        return CALL_PLAY if limit >= ALONE_FLAG else CALL_PASS
    return CALL_HOLD if current <= highest else CALL_PASS


@kernel(types.float64(types.float64, int64, types.float64))
def expected_score(chance: float, value: int, stake: float) -> float:
    """What a game is worth that is won with probability `chance`."""
    return chance * (value + stake) - (1.0 - chance) * (2 * value + stake)


@kernel(int64(RULES_TYPE, int64, int64, PLAYER_TYPE))
def best_hand_game(rules: Any, hand_mask: int, bid: int, player: Any) -> int:
    """The declaration of the best hand game, or -1 if taking the skat is better."""
    parameters = player["parameters"]
    stake = parameters[STAKE]
    best_hand, best_skat = -1e9, -1e9
    chosen = -1
    for contract in range(5):
        if contract == GRAND:
            value = grand_value(hand_mask) + int(100.0 * parameters[GRAND_BONUS])
            hand_sum = value + HAND_GRAND
        else:
            value = suit_value(hand_mask, contract) + int(100.0 * parameters[SUIT_BONUS])
            hand_sum = value + HAND_SUIT
        base = rules["base_value"][contract]
        length = matadors(hand_mask, contract, rules["max_matadors"])
        needed = (bid + base - 1) // base  # levels
        lost = max(needed - 1, 1)
        size = abs(length)
        chance = probability(value)
        if size + 1 < needed:
            chance *= 0.1
        elif length < 0:
            chance *= SURVIVAL[min(lost, 11)]
        score = expected_score(chance, base * max(size + 1, needed), stake)
        best_skat = max(best_skat, score)
        chance = probability(hand_sum)
        lost = max(needed - 2, 1)
        if size + 2 < needed:
            chance *= 0.1
        elif length < 0:
            chance *= SURVIVAL[min(lost, 11)]
        score = expected_score(chance, base * max(size + 2, needed), stake)
        if score > best_hand:
            best_hand = score
            chosen = contract
            announcements = IS_HAND
            if probability(hand_sum - 350) >= parameters[SCHNEIDER_PROBABILITY]:
                announcements |= IS_SCHNEIDER_ANNOUNCED
            chosen = declaration(contract, announcements, 0, 0)
    value = null_value(hand_mask) + int(100.0 * parameters[NULL_BONUS])
    chance = probability(value)
    if rules["null_value"][0] >= bid:
        best_skat = max(best_skat, expected_score(chance, rules["null_value"][0], stake))
    if rules["null_value"][2] >= bid and chance >= parameters[OUVERT_PROBABILITY]:
        best_skat = max(best_skat, expected_score(chance, rules["null_value"][2], stake))
    chance = probability(value + HAND_NULL)
    if rules["null_value"][3] >= bid and chance >= parameters[OUVERT_PROBABILITY]:
        score = expected_score(chance, rules["null_value"][3], stake)
        if score > best_hand:
            best_hand = score
            chosen = declaration(NULL, IS_HAND | IS_OUVERT, 0, 0)
    elif rules["null_value"][1] >= bid:
        score = expected_score(chance, rules["null_value"][1], stake)
        if score > best_hand:
            best_hand = score
            chosen = declaration(NULL, IS_HAND, 0, 0)
    if best_hand >= best_skat + parameters[HAND_MARGIN]:
        return chosen
    return -1


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_pick_up(rules: Any, public: Any, hand_mask: int, player: Any) -> int:
    """1 to take the skat, 0 for a hand game."""
    return 1 if best_hand_game(rules, hand_mask, public["bid_value"], player) < 0 else 0


@kernel(types.UniTuple(int64, 2)(int64, int64))
def best_discard(cards_mask: int, contract: int) -> tuple[int, int]:
    """The worth of twelve cards after the best discard, and that discard (0 if none fits)."""
    total = 0
    first = second = NEVER * 4
    first_suit = second_suit = 0
    pair = NEVER * 4
    pair_suit = 0
    if contract < GRAND:
        best, cards, keep = SIDE_BEST, SIDE_CARDS, PLAIN_MASK
        total = TRUMPS[
            1, jack_bits(cards_mask) * 128 + ((cards_mask >> (8 * contract)) & PLAIN_MASK)
        ]
    elif contract == GRAND:
        best, cards, keep = GRAND_BEST, GRAND_CARDS, PLAIN_MASK
        total = GRAND_JACKS[1, jack_bits(cards_mask)]
    else:
        best, cards, keep = NULL_BEST, NULL_CARDS, SUIT_MASK
    for suit in range(4):
        if suit == contract:
            continue
        held = (cards_mask >> (8 * suit)) & keep
        kept = best[0, held]
        total += kept
        single = best[1, held] - kept
        double = best[2, held] - kept
        if single > first:
            second, second_suit = first, first_suit
            first, first_suit = single, suit
        elif single > second:
            second, second_suit = single, suit
        if double > pair:
            pair, pair_suit = double, suit
    if pair >= first + second:
        if pair < NEVER // 2:
            return NEVER, 0
        discard = cards[2, (cards_mask >> (8 * pair_suit)) & keep] << (8 * pair_suit)
        return total + pair, discard
    if second < NEVER // 2:
        return NEVER, 0
    discard = cards[1, (cards_mask >> (8 * first_suit)) & keep] << (8 * first_suit)
    discard |= cards[1, (cards_mask >> (8 * second_suit)) & keep] << (8 * second_suit)
    return total + first + second, discard


@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64, PLAYER_TYPE))
def heuristic_declaration(
    rules: Any, public: Any, hand_mask: int, skat_mask: int, player: Any
) -> int:
    """The contract with the highest expected score and its best discard."""
    bid = public["bid_value"]
    if not public["is_skat_taken"]:
        return best_hand_game(rules, hand_mask, bid, player)
    parameters = player["parameters"]
    stake = parameters[STAKE]
    best_score = -1e9
    chosen = 0
    announcements = 0
    chosen_discard = 0
    for contract in range(5):
        value, discard = best_discard(hand_mask, contract)
        if discard == 0:
            # nearly all cards are trumps: the lowest go
            discard = hand_mask & ~JACK_MASK & ~(SUIT_MASK << (8 * contract))
            while popcount(discard) < 2:
                rest = hand_mask & ~discard & ~JACK_MASK
                discard |= rest & -rest
            value = 900
        value += int(100.0 * parameters[GRAND_BONUS if contract == GRAND else SUIT_BONUS])
        base = rules["base_value"][contract]
        levels = abs(matadors(hand_mask, contract, rules["max_matadors"])) + 1
        needed = (bid + base - 1) // base
        chance = probability(value)
        if levels < needed:
            chance = probability(value - 250) if levels + 1 == needed else 0.02 * chance
        score = expected_score(chance, base * max(levels, needed), stake)
        if score > best_score:
            best_score = score
            chosen = contract
            chosen_discard = discard
    if bid <= rules["null_value"][2]:
        value, discard = best_discard(hand_mask, NULL)
        value += int(100.0 * parameters[NULL_BONUS])
        chance = probability(value)
        is_ouvert = chance >= parameters[OUVERT_PROBABILITY] or bid > rules["null_value"][0]
        if is_ouvert:
            score = expected_score(chance, rules["null_value"][2], stake)
        else:
            score = expected_score(chance, rules["null_value"][0], stake)
        if score > best_score:
            chosen = NULL
            chosen_discard = discard
            announcements = IS_OUVERT if is_ouvert else 0
    return declaration(
        chosen, announcements, lowest_bit(chosen_discard), highest_bit(chosen_discard)
    )


@kernel(int64(int64))
def cheapest(mask: int) -> int:
    """The card of fewest card points, of the lowest rank among them."""
    low = mask & LOW_MASK
    middle = mask & (QUEEN_MASK | KING_MASK)
    queens = mask & QUEEN_MASK
    middle = queens if queens != 0 else middle
    jacks = mask & JACK_MASK
    rest = mask & TEN_MASK
    rest = rest if rest != 0 else mask
    rest = jacks if jacks != 0 else rest
    rest = middle if middle != 0 else rest
    return lowest_bit(low if low != 0 else rest)


@kernel(int64(int64))
def fattest(mask: int) -> int:
    """The card of most card points, tens before aces."""
    tens = mask & TEN_MASK
    aces = mask & ACE_MASK
    kings = mask & KING_MASK
    queens = mask & QUEEN_MASK
    jacks = mask & JACK_MASK
    rest = jacks if jacks != 0 else mask
    rest = queens if queens != 0 else rest
    rest = kings if kings != 0 else rest
    rest = aces if aces != 0 else rest
    return lowest_bit(tens if tens != 0 else rest)


@kernel(int64(int64))
def masters_above(unseen_mask: int) -> int:
    """All cards above the highest unseen one of each suit, jacks left out."""
    below = unseen_mask & PLAIN_SUITS
    below |= (below >> 1) & 0x3F3F3F3F
    below |= (below >> 2) & 0x1F1F1F1F
    below |= (below >> 4) & 0x07070707
    return PLAIN_SUITS & ~below


@kernel(int64(int64))
def lowest_trump(mask: int) -> int:
    """The lowest of some trumps."""
    plain = mask & ~JACK_MASK
    return lowest_bit(plain if plain != 0 else mask)


@kernel(int64(int64))
def highest_trump(mask: int) -> int:
    """The highest of some trumps."""
    jacks = mask & JACK_MASK
    return highest_bit(jacks if jacks != 0 else mask)


@kernel(int64(int64))
def winning_trump(mask: int) -> int:
    """The trump to take a trick with that nobody can take back: card points before jacks."""
    full = mask & (ACE_MASK | TEN_MASK)
    return highest_bit(full) if full != 0 else lowest_trump(mask)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64))
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
        is_master = enemy & BEAT_MASK[contract, top] == 0
        enemy_count = popcount(enemy)
        own_count = popcount(own)
        if is_master:
            if enemy_count > 1 or own_count > 1 or masters == 0:
                return top
        elif own_count > enemy_count or (own_count > 2 and enemy_count > 2):
            return lowest_trump(own)
    if masters != 0:
        return highest_bit(masters)
    if side != 0:
        return cheapest(side)
    return highest_trump(own)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64, PLAYER_TYPE))
def declarer_follow(
    public: Any, hand_mask: int, unseen_mask: int, legal_mask: int, seat: int, player: Any
) -> int:
    """Take what is worth taking, ruff, or throw a loser."""
    contract = public["contract"]
    trump = public["trump_mask"]
    best = public["best_card"]
    points = public["trick_points"]
    is_last = public["trick_size"] == 2
    winners = legal_mask & BEAT_MASK[contract, best]
    if winners == 0:
        side = legal_mask & ~trump
        return cheapest(side if side != 0 else legal_mask)
    following = legal_mask & public["follow_mask"]
    if following != 0 and following & trump == 0:
        top = highest_bit(winners)
        if is_last or unseen_mask & public["follow_mask"] & BEAT_MASK[contract, top] == 0:
            return top
        return cheapest(legal_mask)
    if following != 0:
        if is_last:
            return winning_trump(winners)
        top = highest_trump(winners)
        if unseen_mask & BEAT_MASK[contract, top] & trump == 0:
            return top
        return lowest_trump(legal_mask)
    side = legal_mask & ~trump
    losers = side & ~masters_above(unseen_mask)
    if points < player["parameters"][RUFF_POINTS] and losers & ~(ACE_MASK | TEN_MASK) != 0:
        return cheapest(losers)
    if is_last:
        return winning_trump(winners)
    follower = 0 if seat == 2 else seat + 1
    if (public["void_classes"][follower] >> public["lead_class"]) & 1:
        return highest_trump(winners)
    return winning_trump(winners)


@kernel(int64(PUBLIC_TYPE, int64, int64, int64))
def defender_lead(public: Any, hand_mask: int, unseen_mask: int, seat: int) -> int:
    """Short way long suit, long way short suit; masters first."""
    trump = public["trump_mask"]
    declarer = public["declarer"]
    declarer_voids = public["void_classes"][declarer]
    is_declarer_next = declarer == (0 if seat == 2 else seat + 1)
    side = hand_mask & ~trump
    if side == 0:
        return lowest_trump(hand_mask)
    masters = masters_above(unseen_mask)
    best_score = -1000
    chosen = 0
    for suit in range(4):
        held = (side >> (8 * suit)) & PLAIN_MASK
        if held == 0:
            continue
        count = popcount(held)
        is_void = (declarer_voids >> suit) & 1
        has_master = held & (masters >> (8 * suit)) != 0
        score = 3 * count if is_declarer_next else -3 * count
        if has_master and not is_void:
            score += 20
        if is_void:
            score += 6 if is_declarer_next else -6
        if not has_master and held & 0x20 != 0:
            score -= 8
        if score > best_score:
            best_score = score
            if has_master and not is_void:
                chosen = highest_bit(held) + 8 * suit
            else:
                chosen = lowest_bit(held) + 8 * suit
    return chosen


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64))
def defender_follow(
    public: Any, hand_mask: int, unseen_mask: int, legal_mask: int, seat: int
) -> int:
    """Card points on partner's tricks, take what can be taken, otherwise the cheapest."""
    contract = public["contract"]
    trump = public["trump_mask"]
    best = public["best_card"]
    best_seat = public["best_seat"]
    declarer = public["declarer"]
    is_last = public["trick_size"] == 2
    side = legal_mask & ~trump
    spare = side if side != 0 else legal_mask
    beaters = BEAT_MASK[contract, best]
    winners = legal_mask & beaters
    follow = public["follow_mask"]
    is_partner_best = best_seat != declarer
    if is_last:
        if is_partner_best:
            return fattest(spare)
        if winners == 0:
            return cheapest(spare)
        if winners & trump == 0:
            return highest_bit(winners)
        return winning_trump(winners)
    threat = unseen_mask & beaters
    if best_seat != declarer:
        # partner led, the declarer plays last
        is_declarer_void = (public["void_classes"][declarer] >> public["lead_class"]) & 1
        threat = threat if is_declarer_void else threat & follow
        if threat == 0:
            return fattest(spare)
        if winners != 0 and winners & trump == 0:
            top = highest_bit(winners)
            if unseen_mask & follow & BEAT_MASK[contract, top] == 0 and not is_declarer_void:
                return top
        return cheapest(spare)
    # the declarer led, partner plays last
    if winners != 0:
        if winners & follow & ~trump != 0:
            return highest_bit(winners & follow)
        if follow & trump != 0:
            top = highest_trump(winners)
            if unseen_mask & BEAT_MASK[contract, top] == 0:
                return top
            return cheapest(legal_mask)
        return winning_trump(winners)
    if threat & follow != 0 and follow & trump == 0:
        return fattest(spare)
    return cheapest(spare)


NULL_TURN = np.array([_null_row(p) for p in range(256)], dtype=np.int64)
NULL_RANK = np.array(NULL_ORDER, dtype=np.int64)


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
            if size == 0:
                low = lowest_bit(row)
                above = popcount(out >> (low + 1))
                below = popcount(out) - above
                score = 4 * min(above, 3) - 10 * below + (20 if below == 0 and above > 0 else 0)
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


@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64, PLAYER_TYPE))
def heuristic_card(
    public: Any, hand_mask: int, skat_mask: int, legal: int, word: int, player: Any
) -> int:
    """The card to play; `skat_mask` are the declarer's own discards."""
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    unseen = ALL_MASK & ~(hand_mask | skat_mask | public["played_mask"])
    seat = public["seat"]
    if public["contract"] == NULL:
        return null_card(public, hand_mask, unseen, legal, seat)
    if seat == public["declarer"]:
        if public["trick_size"] == 0:
            return declarer_lead(public, hand_mask, unseen, seat)
        return declarer_follow(public, hand_mask, unseen, legal, seat, player)
    if public["trick_size"] == 0:
        return defender_lead(public, hand_mask, unseen, seat)
    return defender_follow(public, hand_mask, unseen, legal, seat)
