"""Open-card play by plain minimax: every legal card, no pruning, its own rules.

Cards are strings like ``CJ`` and ``D7``, hands are frozen sets, games are ``D H S C G N``.
Positions are remembered by what everybody holds and who leads, nothing cleverer. Nothing
here imports the package under test, nor the rules of the other oracle.
"""

from dataclasses import dataclass, field

WORTH = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
RANKS = "789QKTA"
NULL_RANKS = "789TJQKA"
JACKS = ("DJ", "HJ", "SJ", "CJ")
NULL_LOST = -1


def is_trump(card: str, game: str) -> bool:
    return game != "N" and (card[1] == "J" or card[0] == game)


def follows(card: str, led: str, game: str) -> bool:
    if is_trump(led, game):
        return is_trump(card, game)
    return card[0] == led[0] and not is_trump(card, game)


def rank(card: str, game: str) -> int:
    if game == "N":
        return NULL_RANKS.index(card[1])
    if card[1] == "J":
        return 10 + JACKS.index(card)
    return RANKS.index(card[1])


def winner(trick: tuple[str, ...], game: str) -> int:
    """The place of the card that takes the trick."""
    best = 0
    for place in range(1, len(trick)):
        card, top = trick[place], trick[best]
        if is_trump(card, game) != is_trump(top, game):
            is_better = is_trump(card, game)
        else:
            is_better = follows(card, top, game) and rank(card, game) > rank(top, game)
        if is_better:
            best = place
    return best


def legal(hand: frozenset[str], trick: tuple[str, ...], game: str) -> list[str]:
    if trick:
        same = [card for card in hand if follows(card, trick[0], game)]
        if same:
            return same
    return list(hand)


@dataclass
class Minimax:
    """Values of one game with one declarer, from here on.

    Suit and grand: the declarer's card points still to come. Null: 0 if the declarer takes
    no trick, else -1.
    """

    game: str
    declarer: int
    known: dict[tuple[tuple[frozenset[str], ...], int], int] = field(default_factory=dict)

    def value(
        self, hands: tuple[frozenset[str], ...], leader: int, trick: tuple[str, ...] = ()
    ) -> int:
        if len(trick) == 3:
            return self.finished(hands, leader, trick)
        key = (hands, leader)
        if not trick:
            if not any(hands):
                return 0
            if key in self.known:
                return self.known[key]
        values = list(self.moves(hands, leader, trick).values())
        seat = (leader + len(trick)) % 3
        best = max(values) if seat == self.declarer else min(values)
        if not trick:
            self.known[key] = best
        return best

    def moves(
        self, hands: tuple[frozenset[str], ...], leader: int, trick: tuple[str, ...] = ()
    ) -> dict[str, int]:
        """The value of each legal card."""
        seat = (leader + len(trick)) % 3
        found = {}
        for card in legal(hands[seat], trick, self.game):
            rest = tuple(
                hand - {card} if number == seat else hand for number, hand in enumerate(hands)
            )
            found[card] = self.value(rest, leader, (*trick, card))
        return found

    def finished(
        self, hands: tuple[frozenset[str], ...], leader: int, trick: tuple[str, ...]
    ) -> int:
        taker = (leader + winner(trick, self.game)) % 3
        if taker == self.declarer and self.game == "N":
            return NULL_LOST
        future = self.value(hands, taker)
        if self.game == "N" or taker != self.declarer:
            return future
        return future + sum(WORTH[card[1]] for card in trick)

    def wins_all(
        self, hands: tuple[frozenset[str], ...], leader: int, trick: tuple[str, ...] = ()
    ) -> bool:
        """Whether the declarer can take every trick from here on."""
        if len(trick) == 3:
            taker = (leader + winner(trick, self.game)) % 3
            return taker == self.declarer and self.wins_all(hands, taker)
        if not trick and not any(hands):
            return True
        seat = (leader + len(trick)) % 3
        outcomes = (
            self.wins_all(
                tuple(hand - {card} if at == seat else hand for at, hand in enumerate(hands)),
                leader,
                (*trick, card),
            )
            for card in legal(hands[seat], trick, self.game)
        )
        return any(outcomes) if seat == self.declarer else all(outcomes)
