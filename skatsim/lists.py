"""Lists: the Seeger-Fabian entries of one deal, and who stands where (RULES 8).

Series of deals, with their rotation and foot, belong here too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from skatsim.errors import RuleError
from skatsim.ruleset import ISKO, Ruleset

__all__ = [
    "ListScoring",
    "Place",
    "Tally",
    "TieRule",
    "list_score",
    "seeger_fabian",
    "standings",
]

ListScoring = Literal["plain", "own_games", "seeger_fabian"]

TieRule = Literal["skwo", "shared"]


def seeger_fabian(
    score: int,
    *,
    is_won: bool | None,
    declarer: int | None,
    table_size: int = 3,
    ruleset: Ruleset = ISKO,
) -> tuple[int, ...]:
    """What one deal adds to each player's list (RULES 8.2).

    Parameters
    ----------
    score : the declarer's entry in the plain list.
    is_won : whether he won; None when passed in.
    declarer : his seat; None when passed in.
    table_size : 3, or 4 with the dealer sitting out.

    Returns
    -------
    Entries of forehand, middlehand, rearhand and, at a table of four, the sitting dealer.

    Examples
    --------
    >>> seeger_fabian(-48, is_won=False, declarer=1)
    (40, -98, 40)
    >>> seeger_fabian(24, is_won=True, declarer=0, table_size=4)
    (74, 0, 0, 0)
    """
    bonus = ruleset.defender_bonus(table_size)
    if declarer is None or is_won is None:
        return (0,) * table_size
    if not 0 <= declarer < 3:
        raise RuleError(f"the declarer sits at {declarer!r}, not 0, 1 or 2")
    others = 0 if is_won else bonus
    own = score + (ruleset.own_game_bonus if is_won else -ruleset.own_game_bonus)
    return tuple(own if seat == declarer else others for seat in range(table_size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a list says of one player: the plain score, and the games won and lost as declarer."""

    player: str
    score: int
    won_count: int
    lost_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A player's place in the standings."""

    rank: int
    player: str
    list_score: int


def list_score(
    tally: Tally,
    *,
    others_lost_count: int,
    table_size: int,
    scoring: ListScoring = "seeger_fabian",
    ruleset: Ruleset = ISKO,
) -> int:
    """A player's score at the foot of the list (RULES 8.1, 8.2).

    Parameters
    ----------
    tally : the player's own games.
    others_lost_count : games that the other players of the table lost as declarer.
    scoring : ``plain``; ``own_games`` adds 50 for each game won less those lost;
        ``seeger_fabian`` adds also what the others lost.
    """
    total = tally.score
    if scoring != "plain":
        total += ruleset.own_game_bonus * (tally.won_count - tally.lost_count)
    if scoring == "seeger_fabian":
        total += ruleset.defender_bonus(table_size) * others_lost_count
    return total


def standings(
    tallies: Iterable[Tally],
    *,
    scoring: ListScoring = "seeger_fabian",
    tie_rule: TieRule = "skwo",
    ruleset: Ruleset = ISKO,
) -> tuple[Place, ...]:
    """The players of one table, best first (RULES 8.3).

    Parameters
    ----------
    tallies : three or four players.
    tie_rule : ``skwo``: more games won, then fewer lost, decide a tie, and who is still tied
        shares a rank until lots are drawn; ``shared``: a tie stays a tie.

    Examples
    --------
    >>> places = standings(
    ...     [
    ...         Tally(player="A", score=480, won_count=11, lost_count=0),
    ...         Tally(player="B", score=640, won_count=12, lost_count=3),
    ...         Tally(player="C", score=655, won_count=10, lost_count=2),
    ...         Tally(player="D", score=-40, won_count=5, lost_count=4),
    ...     ]
    ... )
    >>> [(place.player, place.list_score) for place in places]
    [('A', 1300), ('B', 1270), ('C', 1265), ('D', 160)]
    """
    players = tuple(tallies)
    table_size = len(players)
    lost = sum(tally.lost_count for tally in players)
    ranked = []
    for tally in players:
        total = list_score(
            tally,
            others_lost_count=lost - tally.lost_count,
            table_size=table_size,
            scoring=scoring,
            ruleset=ruleset,
        )
        ties = (tally.won_count, -tally.lost_count) if tie_rule == "skwo" else (0, 0)
        ranked.append(((total, *ties), tally.player))
    ranked.sort(key=lambda entry: entry[0], reverse=True)
    keys = [key for key, _ in ranked]
    return tuple(
        Place(rank=keys.index(key) + 1, player=player, list_score=key[0]) for key, player in ranked
    )
