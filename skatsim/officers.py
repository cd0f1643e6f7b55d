"""Officers' Skat (Offiziersskat): the game for two, over the same 32 cards.

Each player has eight piles of one closed card under an open one. The player who does not deal
names trump when he sees the first four of his open cards, and leads. Only open cards are
played, and followed with; a closed card is turned when the trick is over in which the card on
it went. Jacks are trumps, cards rank and count as in Skat.

It is no game of the International Skat Order, and tables score it as they like: the points
are parameters of `OfficersRules`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from skatsim.cards import (
    SUITS,
    card_points,
    card_text,
    cards_text,
    mask_cards,
    mask_of,
    parse_cards,
)
from skatsim.contracts import Contract
from skatsim.errors import RecordError, RuleError
from skatsim.kernels import table
from skatsim.kernels.random import bounded, decision_word, game_key
from skatsim.play import check_card, legal_cards, trick_winner

__all__ = [
    "ELDER",
    "OFFICERS",
    "YOUNGER",
    "OfficersDeal",
    "OfficersGame",
    "OfficersPlayer",
    "OfficersResult",
    "OfficersRules",
    "OfficersView",
    "play_officers",
    "random_player",
]

ELDER: Final = 0
"""The player who names trump and leads: the other one deals."""

YOUNGER: Final = 1
"""The dealer."""

PILES: Final = 8
FIRST_OPEN: Final = 4
"""Open cards that elder sees before he names trump."""

TRICKS: Final = 16

MARK: Final = "officers"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficersRules:
    """What tables agree on.

    Parameters
    ----------
    elder_needs : card points with which the player who named trump wins; his opponent needs
        the rest of 121.
    schneider_points : up to so many card points the loser is schneider.
    win_score, schneider_score, schwarz_score : what the winner is given for a game, with the
        loser schneider, and with the loser without a trick.
    trumps : what may be named.
    """

    elder_needs: int = 61
    schneider_points: int = 30
    win_score: int = 1
    schneider_score: int = 2
    schwarz_score: int = 3
    trumps: tuple[str, ...] = SUITS

    def __post_init__(self) -> None:
        if not 1 <= self.elder_needs <= 120 or not 0 <= self.schneider_points < 60:
            raise RuleError(
                f"elder needs 1 to 120 card points and schneider ends below 60, not "
                f"{self.elder_needs!r} and {self.schneider_points!r}"
            )
        known = (*SUITS, "grand")
        if not self.trumps or any(name not in known for name in self.trumps):
            raise RuleError(f"trump is one of {', '.join(known)}, not {self.trumps!r}")


OFFICERS: Final = OfficersRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficersDeal:
    """The piles of both players: closed cards, and the open cards on them, in order.

    The first four open cards of elder are those he names trump by.

    Examples
    --------
    >>> deal = OfficersDeal.from_seed(1)
    >>> len(deal.closed[ELDER]), len(deal.open[YOUNGER])
    (8, 8)
    """

    closed: tuple[tuple[int, ...], tuple[int, ...]]
    open: tuple[tuple[int, ...], tuple[int, ...]]

    def __post_init__(self) -> None:
        rows = (*self.closed, *self.open)
        cards = [card for row in rows for card in row]
        if any(len(row) != PILES for row in rows) or sorted(cards) != list(range(32)):
            raise RuleError(
                "the game for two needs 32 different cards, eight closed and eight open for each: "
                f"here are {', '.join(cards_text(row) for row in rows)}"
            )

    @classmethod
    def from_cards(cls, cards: Sequence[int]) -> "OfficersDeal":
        """Piles of 32 cards as they are dealt: elder's closed and open, then the dealer's."""
        rows = [tuple(cards[start : start + PILES]) for start in range(0, len(cards), PILES)]
        if len(rows) != 4:
            raise RuleError(f"the game for two is dealt from 32 cards, not {len(cards)}")
        return cls(closed=(rows[0], rows[2]), open=(rows[1], rows[3]))

    @classmethod
    def from_seed(cls, seed: int, number: int = 0) -> "OfficersDeal":
        """Game `number` of a seed, from the shuffle that Skat deals it from."""
        hidden = np.zeros(1, table.HIDDEN)[0]
        table.shuffle(hidden, seed, 0, number)
        return cls.from_cards([int(card) for card in hidden["cards"]])


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficersView:
    """What a player may know when he decides.

    Attributes
    ----------
    player : who decides, `ELDER` or `YOUNGER`.
    open_masks : the open cards of both players; before trump is named, elder's first four.
    trump : None before it is named.
    lead : the card led to the trick; None to lead.
    legal_mask : the cards he may play; 0 when trump is to be named.
    trumps : what may be named.
    played : all cards played so far.
    card_points : taken by each.
    position : decisions before this one.
    """

    player: int
    open_masks: tuple[int, int]
    trump: str | None
    lead: int | None
    legal_mask: int
    trumps: tuple[str, ...]
    played: tuple[int, ...]
    card_points: tuple[int, int]
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficersResult:
    """How a game ended.

    Attributes
    ----------
    winner : `ELDER` or `YOUNGER`.
    card_points, trick_counts : of each.
    is_schneider, is_schwarz : what the loser is.
    score : what the winner is given.
    """

    winner: int
    card_points: tuple[int, int]
    trick_counts: tuple[int, int]
    is_schneider: bool
    is_schwarz: bool
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficersGame:
    """A game for two as far as it has been played; each step returns a new value.

    Examples
    --------
    >>> game = play_officers(OfficersDeal.from_seed(3), random_player(3))
    >>> game.is_over, sum(game.card_points)
    (True, 120)
    >>> OfficersGame.from_text(game.to_text()) == game
    True
    """

    deal: OfficersDeal
    rules: OfficersRules = OFFICERS
    trump: str | None = None
    played: tuple[int, ...] = ()

    @property
    def tricks(self) -> tuple[tuple[int, tuple[int, ...], int | None], ...]:
        """For each trick its leader, its cards, and who took it; None before it is complete."""
        found: list[tuple[int, tuple[int, ...], int | None]] = []
        leader = ELDER
        for start in range(0, len(self.played), 2):
            cards = self.played[start : start + 2]
            winner = (leader + trick_winner(self._contract, cards)) % 2 if len(cards) == 2 else None
            found.append((leader, cards, winner))
            leader = leader if winner is None else winner
        return tuple(found)

    @property
    def is_over(self) -> bool:
        """Whether all 16 tricks have been played."""
        return len(self.played) == 2 * TRICKS

    @property
    def player(self) -> int | None:
        """Who has to name trump or play; None when the game is over."""
        if self.is_over:
            return None
        tricks = self.tricks
        if not tricks:
            return ELDER
        leader, cards, winner = tricks[-1]
        return 1 - leader if len(cards) == 1 else winner

    @property
    def lead(self) -> int | None:
        """The card led to the trick being played; None where the next card leads."""
        return self.played[-1] if len(self.played) % 2 else None

    def open_cards(self, player: int) -> tuple[int, ...]:
        """The open cards of a player, by pile; before trump is named, elder's first four."""
        if self.trump is None:
            return self.deal.open[player][:FIRST_OPEN] if player == ELDER else ()
        gone = set(self.played)
        settled = set(self.played[:-1] if self.lead is not None else self.played)
        cards = []
        for closed, upper in zip(self.deal.closed[player], self.deal.open[player], strict=True):
            if upper not in gone:
                cards.append(upper)
            elif upper in settled and closed not in gone:
                cards.append(closed)  # turned after the trick
        return tuple(cards)

    @property
    def legal_cards(self) -> int:
        """The mask of the open cards that may be played: the class led is followed if it can be."""
        if self.trump is None or self.player is None:
            return 0
        return legal_cards(self._contract, mask_of(self.open_cards(self.player)), lead=self.lead)

    @property
    def card_points(self) -> tuple[int, int]:
        """Card points in the tricks of elder and dealer."""
        taken = [0, 0]
        for _, cards, winner in self.tricks:
            if winner is not None:
                taken[winner] += sum(card_points(card) for card in cards)
        return taken[ELDER], taken[YOUNGER]

    @property
    def trick_counts(self) -> tuple[int, int]:
        """Tricks of elder and dealer."""
        winners = [winner for _, _, winner in self.tricks]
        return winners.count(ELDER), winners.count(YOUNGER)

    @property
    def result(self) -> OfficersResult | None:
        """Who won and what it scores; None before the end."""
        if not self.is_over:
            return None
        points, counts = self.card_points, self.trick_counts
        winner = ELDER if points[ELDER] >= self.rules.elder_needs else YOUNGER
        loser = 1 - winner
        is_schwarz = counts[loser] == 0
        is_schneider = points[loser] <= self.rules.schneider_points
        score = self.rules.win_score
        if is_schwarz:
            score = self.rules.schwarz_score
        elif is_schneider:
            score = self.rules.schneider_score
        return OfficersResult(
            winner=winner,
            card_points=points,
            trick_counts=counts,
            is_schneider=is_schneider,
            is_schwarz=is_schwarz,
            score=score,
        )

    @property
    def view(self) -> OfficersView:
        """What the player to act may know: no closed card is in it."""
        if self.player is None:
            raise RuleError("the game is over: nobody has to decide")
        return OfficersView(
            player=self.player,
            open_masks=(mask_of(self.open_cards(ELDER)), mask_of(self.open_cards(YOUNGER))),
            trump=self.trump,
            lead=self.lead,
            legal_mask=self.legal_cards,
            trumps=self.rules.trumps,
            played=self.played,
            card_points=self.card_points,
            position=len(self.played) + (self.trump is not None),
        )

    def with_trump(self, name: str) -> "OfficersGame":
        """Elder names trump.

        Raises
        ------
        RuleError
            It is named already, or may not be.
        """
        if self.trump is not None:
            raise RuleError(f"trump is {self.trump} already, and cannot be {name!r}")
        if name not in self.rules.trumps:
            raise RuleError(f"trump is one of {', '.join(self.rules.trumps)}, not {name!r}")
        return replace(self, trump=name)

    def with_card(self, card: int) -> "OfficersGame":
        """The player to act plays an open card.

        Raises
        ------
        RuleError
            Trump is not named, the game is over, the card does not lie open before him, or he
            has an open card to follow with.
        """
        if self.trump is None:
            raise RuleError(f"cannot play {card_text(card)!r}: trump is not named yet")
        player = self.player
        if player is None:
            raise RuleError(f"cannot play {card_text(card)!r}: the game is over")
        check_card(self._contract, mask_of(self.open_cards(player)), card, lead=self.lead)
        return replace(self, played=(*self.played, card))

    def to_text(self) -> str:
        """The record: the piles as ``closed/open``, trump, and the cards in the order played."""

        def piles(player: int) -> str:
            pairs = zip(self.deal.closed[player], self.deal.open[player], strict=True)
            return " ".join(f"{card_text(closed)}/{card_text(upper)}" for closed, upper in pairs)

        return (
            f"{MARK}; elder {piles(ELDER)}; dealer {piles(YOUNGER)}; trump {self.trump or '-'}; "
            f"played {cards_text(self.played) or '-'}"
        )

    @classmethod
    def from_text(cls, text: str, rules: OfficersRules = OFFICERS) -> "OfficersGame":
        """Replay a record.

        Raises
        ------
        RecordError
            It is no record, or breaks the rules.
        """
        fields = [part.strip() for part in text.strip().split(";")]
        names = ("elder", "dealer", "trump", "played")
        if fields[0] != MARK or [part.split(" ")[0] for part in fields[1:]] != list(names):
            raise RecordError(
                f"{text[:40]!r} is no record of the game for two: "
                f"'{MARK}; elder ...; dealer ...; trump ...; played ...'"
            )
        elder, dealer, trump, played = (part.partition(" ")[2] for part in fields[1:])
        try:
            rows = [parse_cards(piles.replace("/", " ")) for piles in (elder, dealer)]
            deal = OfficersDeal(
                closed=(rows[0][::2], rows[1][::2]), open=(rows[0][1::2], rows[1][1::2])
            )
            game = cls(deal=deal, rules=rules)
            if trump != "-":
                game = game.with_trump(trump)
            for card in parse_cards(played) if played != "-" else ():
                game = game.with_card(card)
        except ValueError as error:
            raise RecordError(f"the record of a game for two does not replay: {error}") from error
        return game

    @property
    def _contract(self) -> Contract:
        if self.trump is None:
            raise RuleError("trump is not named yet")
        return Contract(name=self.trump)


OfficersPlayer = Callable[[OfficersView], "str | int"]
"""Answers a view with the name of trump, or with a card."""


def random_player(seed: int, number: int = 0) -> OfficersPlayer:
    """A player of uniformly random legal actions, the same for the same game of a seed."""
    key = game_key(seed, number)

    def choose(view: OfficersView) -> str | int:
        word = decision_word(key, view.position)
        if view.trump is None:
            return view.trumps[bounded(word, len(view.trumps))]
        cards = mask_cards(view.legal_mask)
        return cards[bounded(word, len(cards))]

    return choose


def play_officers(
    deal: OfficersDeal,
    elder: OfficersPlayer,
    dealer: OfficersPlayer | None = None,
    rules: OfficersRules = OFFICERS,
) -> OfficersGame:
    """Play a deal to its end.

    Parameters
    ----------
    elder, dealer : who decides for either player; without `dealer`, one decides for both.

    Raises
    ------
    RuleError
        A player answers with what is not allowed.
    """
    players = (elder, dealer or elder)
    game = OfficersGame(deal=deal, rules=rules)
    while (player := game.player) is not None:
        answer = players[player](game.view)
        game = game.with_trump(str(answer)) if game.trump is None else game.with_card(int(answer))
    return game
