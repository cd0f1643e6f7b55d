"""Bock rounds: which deals of a series count double, told from the results before them.

A Bock round is one deal for each player at the table; bidding and values stay, the entries
double. What starts a round is a matter of switches, one for each trigger. Nothing here is a
rule of the International Skat Order: the names and most of the triggers are those of house
tables and of their programs.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from skatsim.errors import RuleError
from skatsim.ruleset import MOST_BOCK

__all__ = [
    "BOCK_TRIGGERS",
    "DEFAULT_TRIGGERS",
    "Accumulation",
    "BockGame",
    "BockRounds",
    "bock_factors",
]

Accumulation = Literal["queue", "multiply"]

ACCUMULATIONS: Final[tuple[Accumulation, ...]] = ("queue", "multiply")


@dataclass(frozen=True, slots=True, kw_only=True)
class BockGame:
    """What Bock triggers look at in one deal.

    Attributes
    ----------
    contract : ``clubs`` ... ``null``, ``ramsch``; None when passed in.
    is_hand, is_ouvert : as announced.
    is_won : None in Ramsch and when passed in.
    card_points : the declarer's; None where there is none or they are not known.
    game_value : of the game, not doubled; 0 without.
    kontra_steps : 0 nothing said, 1 Kontra, 2 Re, and so on.
    entries : what the deal adds to each player of the table in the plain list, Kontra
        counted, Bock not.
    """

    contract: str | None = None
    is_hand: bool = False
    is_ouvert: bool = False
    is_won: bool | None = None
    card_points: int | None = None
    game_value: int = 0
    kontra_steps: int = 0
    entries: tuple[int, ...] = ()


def _is_lost(game: BockGame) -> bool:
    return game.is_won is False


_OF_THE_GAME: Final[Mapping[str, Callable[[BockGame], bool]]] = {
    "sixty_sixty": lambda game: (
        _is_lost(game) and game.contract != "null" and game.card_points == 60
    ),
    "grand_hand_won": lambda game: (
        game.is_won is True and game.contract == "grand" and game.is_hand
    ),
    "grand_lost": lambda game: _is_lost(game) and game.contract == "grand",
    "null_ouvert_hand": lambda game: (
        game.is_won is True and game.contract == "null" and game.is_ouvert and game.is_hand
    ),
}

_OF_KONTRA: Final[Mapping[str, Callable[[BockGame], bool]]] = {
    "kontra_said": lambda game: game.kontra_steps >= 1,
    "re_said": lambda game: game.kontra_steps >= 2,
    "kontra_lost": lambda game: game.kontra_steps >= 1 and _is_lost(game),
    "kontra_and_re": lambda game: game.kontra_steps >= 2,
}

_OF_VALUE: Final[Mapping[str, Callable[[BockGame], bool]]] = {
    "value_72": lambda game: game.game_value >= 72,
    "value_96": lambda game: game.game_value >= 96,
}

_OF_TOTALS: Final[Mapping[str, Callable[[int], bool]]] = {
    "equal_digits": lambda total: (
        abs(total) >= 100 and abs(total) % 10 == abs(total) // 10 % 10 == abs(total) // 100 % 10
    ),
    "full_hundreds": lambda total: total % 100 == 0,
}

BOCK_TRIGGERS: Final = (*_OF_THE_GAME, *_OF_KONTRA, *_OF_TOTALS, *_OF_VALUE)
"""The names of all triggers.

``sixty_sixty`` a suit game or grand lost with 60 card points; ``grand_hand_won``;
``grand_lost``; ``null_ouvert_hand``; ``kontra_said`` and ``re_said`` whatever the result;
``kontra_lost`` by the declarer; ``kontra_and_re``; ``equal_digits`` and ``full_hundreds``:
the deal brings a player's total to such a number; ``value_72`` and ``value_96``: the game's
value is so much or more. Of the triggers about Kontra a game fires one at most, so of those
about the value, and so each player of those about totals.
"""

DEFAULT_TRIGGERS: Final = frozenset({"sixty_sixty", "grand_hand_won", "kontra_said", "re_said"})
"""What starts a Bock round at most tables that play it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BockRounds:
    """The Bock rounds of a series before one of its deals.

    Parameters
    ----------
    table_size : deals of a round.
    triggers : names from `BOCK_TRIGGERS`.
    accumulation : ``queue``: rounds follow each other; ``multiply``: rounds at the same time
        multiply.
    is_trigger_doubled : the deal that starts a round is itself doubled.
    left : deals left of each round that is on, or waiting.
    totals : of each player in the plain list, by the places of ``BockGame.entries``; kept
        where a trigger asks for them.

    Examples
    --------
    >>> rounds = BockRounds(table_size=3)
    >>> rounds.factor
    1
    >>> rounds = rounds.with_game(BockGame(contract="grand", is_hand=True, is_won=True))
    >>> rounds.factor
    2
    """

    table_size: int = 3
    triggers: Collection[str] = DEFAULT_TRIGGERS
    accumulation: Accumulation = "queue"
    is_trigger_doubled: bool = False
    left: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        unknown = [name for name in self.triggers if name not in BOCK_TRIGGERS]
        if unknown:
            raise RuleError(
                f"no Bock trigger is named {unknown[0]!r}: there is {', '.join(BOCK_TRIGGERS)}"
            )
        if self.accumulation not in ACCUMULATIONS:
            raise RuleError(
                f"Bock rounds accumulate by {' or '.join(ACCUMULATIONS)}, not {self.accumulation!r}"
            )

    @property
    def factor(self) -> int:
        """By what the entries of the next deal are multiplied: at most by 512 (RULES 12.3)."""
        if self.accumulation == "multiply":
            return int(min(2 ** len(self.left), MOST_BOCK // 2))
        return 2 if self.left else 1

    @property
    def ending_count(self) -> int:
        """How many rounds end with the next deal."""
        left = self.left if self.accumulation == "multiply" else self.left[:1]
        return left.count(1)

    def factor_of(self, game: BockGame, *, is_outside: bool = False) -> int:
        """By what the entries of the next deal are multiplied, once its result is known.

        A deal `is_outside` where it stands between Bock rounds: a compulsory Ramsch.
        """
        factor = 1 if is_outside else self.factor
        is_doubled = self.is_trigger_doubled and self._fired(game, *self._totals(game, factor)) > 0
        return 2 * factor if is_doubled else factor

    def _totals(self, game: BockGame, factor: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The players' totals before and after a deal of this factor, where a trigger asks."""
        if not any(name in _OF_TOTALS for name in self.triggers):
            return (), ()
        totals = self.totals or (0,) * len(game.entries)
        entries = game.entries or (0,) * len(totals)
        after = (total + entry * factor for total, entry in zip(totals, entries, strict=True))
        return totals, tuple(after)

    def with_game(self, game: BockGame, *, is_outside: bool = False) -> "BockRounds":
        """The rounds after the next deal; one outside uses up no deal of theirs."""
        totals, after = self._totals(game, 1 if is_outside else self.factor)
        fired = self._fired(game, totals, after)
        if not (fired or self.left or after):
            return self
        if fired and self.is_trigger_doubled:
            after = tuple(2 * new - old for old, new in zip(totals, after, strict=True))
        if is_outside:
            left = self.left
        elif self.accumulation == "multiply":
            left = tuple(count - 1 for count in self.left if count > 1)
        elif self.left:
            left = ((self.left[0] - 1,) if self.left[0] > 1 else ()) + self.left[1:]
        else:
            left = ()
        return dataclasses.replace(self, left=left + (self.table_size,) * fired, totals=after)

    def _fired(self, game: BockGame, before: tuple[int, ...], after: tuple[int, ...]) -> int:
        """How many rounds a deal starts."""
        own = sum(_OF_THE_GAME[name](game) for name in self.triggers if name in _OF_THE_GAME)
        kontra = any(_OF_KONTRA[name](game) for name in self.triggers if name in _OF_KONTRA)
        value = any(_OF_VALUE[name](game) for name in self.triggers if name in _OF_VALUE)
        tests = [_OF_TOTALS[name] for name in self.triggers if name in _OF_TOTALS]
        totals = sum(
            old != new and any(test(new) for test in tests)
            for old, new in zip(before, after, strict=True)
        )
        return own + kontra + value + totals


def bock_factors(
    games: Iterable[BockGame],
    *,
    table_size: int,
    triggers: Collection[str] = DEFAULT_TRIGGERS,
    accumulation: Accumulation = "queue",
    is_trigger_doubled: bool = False,
) -> tuple[int, ...]:
    """By what the entries of each deal of a series are multiplied.

    Parameters
    ----------
    games : the deals of one series in order, passed-in deals among them: they use up a deal
        of a round like any other.
    table_size : players at the table, which is the length of a round.
    triggers : names from `BOCK_TRIGGERS`.
    accumulation : ``queue``: rounds follow each other; ``multiply``: rounds at the same time
        multiply.
    is_trigger_doubled : the deal that starts a round is itself doubled.

    Examples
    --------
    >>> lost = BockGame(contract="hearts", is_won=False, card_points=60)
    >>> bock_factors([lost, BockGame(), lost, BockGame()] + [BockGame()] * 4, table_size=3)
    (1, 2, 2, 2, 2, 2, 2, 1)
    >>> bock_factors([lost, lost, *[BockGame()] * 4], table_size=3, accumulation="multiply")
    (1, 2, 4, 4, 2, 1)
    """
    rounds = BockRounds(
        table_size=table_size,
        triggers=triggers,
        accumulation=accumulation,
        is_trigger_doubled=is_trigger_doubled,
    )
    factors = []
    for game in games:
        factors.append(rounds.factor_of(game))
        rounds = rounds.with_game(game)
    return tuple(factors)
