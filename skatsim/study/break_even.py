"""Break-even probabilities: how often a game must be won to be worth declaring."""

from typing import Final

from skatsim.arguments import check_whole, check_word
from skatsim.errors import RuleError
from skatsim.ruleset import ISKO
from skatsim.study.outcomes import SCORINGS

__all__ = ["GAME_VALUES", "break_even"]

GAME_VALUES: Final = (18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 46, 48, 59, 60, 72, 96, 120)
"""Values of common games, by which a table is made."""


def break_even(game_value: int, scoring: str = "plain", *, against: str = "nobody") -> float:
    """The probability to win from which a game of this value is worth declaring.

    Parameters
    ----------
    game_value : what is won; a lost game costs twice as much.
    scoring : ``plain``, or ``seeger3`` and ``seeger4`` with their bonuses.
    against : ``nobody``: the own score shall not fall; ``opponents``: nor the lead on each
        opponent, who gets a bonus for a lost game too.

    Examples
    --------
    >>> [round(break_even(24, scoring), 3) for scoring in ("plain", "seeger3")]
    [0.667, 0.57]
    >>> round(break_even(18, "seeger3", against="opponents"), 3)
    0.649
    """
    check_word(scoring, "scoring", SCORINGS)
    game_value = check_whole(game_value, "game_value")
    if game_value <= 0:
        raise RuleError(f"no game has the value {game_value!r}")
    if against not in ("nobody", "opponents"):
        raise RuleError(f"against {against!r} is neither nobody nor opponents")
    won, lost = game_value, 2 * game_value
    if scoring != "plain":
        won, lost = won + ISKO.own_game_bonus, lost + ISKO.own_game_bonus
        if against == "opponents":
            lost += ISKO.defender_bonus(3 if scoring == "seeger3" else 4)
    return lost / (won + lost)
