"""A second solver for whole deals: alpha-beta card by card, compiled, and otherwise simple.

It remembers positions by the very cards that are left and who leads; it has no bounds, no
equal cards and no learned ordering. Its rules and its numbering of cards are its own:
``8 * suit + place`` with suits C S H D = 0..3 and places 7 8 9 Q K T A J, in null 7 8 9 T J Q
K A. Nothing here imports the package under test.
"""

import numba
import numpy as np

SUITS = "CSHD"
PLACES = "789QKTAJ"
NULL_PLACES = "789TJQKA"
WORTH = np.array([0, 0, 0, 3, 4, 10, 11, 2], dtype=np.int64)
SIZE = 1 << 22
NULL = 5
GRAND = 4


def encode(cards: str, game: str) -> int:
    """A hand written like ``CJ SA H7`` as a mask."""
    places = NULL_PLACES if game == "N" else PLACES
    mask = 0
    for card in cards.split():
        mask |= 1 << (8 * SUITS.index(card[0]) + places.index(card[1]))
    return mask


@numba.njit("boolean(int64, int64)", error_model="numpy")
def is_trump(card, game):
    if game == NULL:
        return False
    return (card & 7) == 7 or (card >> 3) == game


@numba.njit("int64(int64, int64)", error_model="numpy")
def followers(card, game):
    mask = 0
    for other in range(32):
        is_same_suit = is_trump(card, game) or (card >> 3) == (other >> 3)
        if is_trump(card, game) == is_trump(other, game) and is_same_suit:
            mask |= 1 << other
    return mask


@numba.njit("boolean(int64, int64, int64)", error_model="numpy")
def beats(card, best, game):
    """Whether a card played later takes the trick from the best so far."""
    if is_trump(card, game):
        if not is_trump(best, game):
            return True
        if (card & 7) == 7 and (best & 7) == 7:
            return card < best
        return (card & 7) > (best & 7)
    if is_trump(best, game) or (card >> 3) != (best >> 3):
        return False
    return (card & 7) > (best & 7)


@numba.njit(
    "int64(int64[:, ::1], int64[::1], int64[::1], int64, int64, int64, int64, int64, int64)",
    error_model="numpy",
)
def search(table, follow, hands, leader, first, second, declarer, game, goal):
    """1 if the declarer gets `goal` card points from here on; in null, if he takes no trick."""
    if game != NULL and goal <= 0:
        return 1
    left = hands[0] | hands[1] | hands[2]
    row = 0
    key = 0
    if first < 0:
        if left == 0:
            return 1 if game == NULL else 0
        key = (left << 2 | leader) + 1
        row = (key * 0x2545F4914F6CDD1D >> 20) & (SIZE - 1)
        if table[row, 0] == key:
            if table[row, 1] >= goal:
                return 1
            if table[row, 2] <= goal:
                return 0
    turn = leader if first < 0 else (leader + 1) % 3 if second < 0 else (leader + 2) % 3
    own = hands[turn]
    moves = own
    if first >= 0 and own & follow[first] != 0:
        moves = own & follow[first]
    is_declarer = turn == declarer
    best = first
    best_seat = leader
    if second >= 0 and beats(second, first, game):
        best = second
        best_seat = (leader + 1) % 3
    result = 0 if is_declarer else 1
    for phase in range(2):
        for step in range(32):
            # takers from the top first; cards that lose to the other side from the bottom
            card = 31 - step if phase == 0 else step
            if not (moves >> card) & 1:
                continue
            takes = first < 0 or beats(card, best, game)
            is_ours = first >= 0 and (best_seat == declarer) == is_declarer and second >= 0
            if (phase == 0) != (takes or is_ours):
                continue
            hands[turn] = own & ~(1 << card)
            if second >= 0:
                taker = turn if takes else best_seat
                gain = 0
                if taker == declarer:
                    gain = WORTH[first & 7] + WORTH[second & 7] + WORTH[card & 7]
                if game == NULL:
                    if taker == declarer:
                        value = 0
                    else:
                        value = search(table, follow, hands, taker, -1, -1, declarer, game, 1)
                else:
                    value = search(table, follow, hands, taker, -1, -1, declarer, game, goal - gain)
            elif first >= 0:
                value = search(table, follow, hands, leader, first, card, declarer, game, goal)
            else:
                value = search(table, follow, hands, leader, card, -1, declarer, game, goal)
            hands[turn] = own
            if is_declarer == (value == 1):
                result = value
                break
        if is_declarer == (result == 1):
            break
    if first < 0:
        if table[row, 0] != key:
            table[row, 0] = key
            table[row, 1] = 0
            table[row, 2] = 1000
        if result == 1:
            table[row, 1] = max(table[row, 1], goal)
        else:
            table[row, 2] = min(table[row, 2], goal)
    return result


class SlowSearch:
    """Answers yes/no questions about whole deals."""

    def __init__(self) -> None:
        self.table = np.zeros((SIZE, 3), dtype=np.int64)
        self.deal: object = None

    def reaches(
        self, hands: tuple[str, str, str], game: str, declarer: int, leader: int, goal: int
    ) -> bool:
        """Whether the declarer gets `goal` card points in tricks; in null, takes none."""
        deal = (hands, game, declarer)
        if deal != self.deal:
            self.table[:, 0] = 0
            self.deal = deal
        number = NULL if game == "N" else GRAND if game == "G" else SUITS.index(game)
        follow = np.array([followers(card, number) for card in range(32)], dtype=np.int64)
        masks = np.array([encode(hand, game) for hand in hands], dtype=np.int64)
        return bool(search(self.table, follow, masks, leader, -1, -1, declarer, number, goal))
