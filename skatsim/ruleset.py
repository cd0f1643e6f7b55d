"""Rulesets: the numbers and switches in which tables differ, as frozen values.

The default is the International Skat Order (`ISKO`). House rules and national tables are
further fields and further values of the same class.
"""

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from skatsim.errors import RuleError
from skatsim.kernels.rules import RULES

__all__ = ["ISKO", "RULESETS", "OuvertRequires", "Ruleset", "find_ruleset"]

OuvertRequires = Literal["none", "hand", "schwarz"]

_OUVERT_REQUIRES: tuple[OuvertRequires, ...] = ("none", "hand", "schwarz")

NO_CAP = 11
"""Matadors of a suit game with all trumps: no hand has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """The rules a table has agreed on.

    Parameters
    ----------
    name : under which a run and its reports know them.
    suit_bases : base values of diamonds, hearts, spades, clubs (RULES 6.2).
    grand_base : base value of grand.
    null_values : of null, null hand, null ouvert, null ouvert hand (RULES 6.6).
    max_matadors : most matadors that count; None counts them all.
    is_strict_declare : refuse a suit game or grand after the pick-up that cannot reach the
        bid even with schneider and schwarz (RULES 4.5).
    ouvert_requires : what a suit game or grand played ouvert must announce (RULES 4.3).
    own_game_bonus : Seeger-Fabian, for a game won; as much is taken for one lost (RULES 8.2).
    defender_bonus_three : Seeger-Fabian, for each other player of a table of three when the
        declarer loses.
    defender_bonus_four : the same at a table of four, the sitting dealer among them.

    Examples
    --------
    >>> ISKO.grand_base
    24
    >>> ISKO.with_(name="copenhagen", grand_base=20).base_values
    (9, 10, 11, 12, 20)
    """

    name: str = "isko"
    suit_bases: tuple[int, int, int, int] = (9, 10, 11, 12)
    grand_base: int = 24
    null_values: tuple[int, int, int, int] = (23, 35, 46, 59)
    max_matadors: int | None = None
    is_strict_declare: bool = False
    ouvert_requires: OuvertRequires = "schwarz"
    own_game_bonus: int = 50
    defender_bonus_three: int = 40
    defender_bonus_four: int = 30

    def __post_init__(self) -> None:
        values = (*self.suit_bases, self.grand_base, *self.null_values)
        if len(self.suit_bases) != 4 or len(self.null_values) != 4 or min(values) < 1:
            raise RuleError(
                f"ruleset {self.name!r}: four suit bases, a grand base and four null values "
                "are needed, each at least 1"
            )
        if self.max_matadors is not None and self.max_matadors < 1:
            raise RuleError(
                f"ruleset {self.name!r}: max_matadors is {self.max_matadors!r}, not 1 or more"
            )
        if self.ouvert_requires not in _OUVERT_REQUIRES:
            raise RuleError(
                f"ruleset {self.name!r}: ouvert_requires is {self.ouvert_requires!r}, "
                f"not one of {', '.join(_OUVERT_REQUIRES)}"
            )

    @property
    def base_values(self) -> tuple[int, int, int, int, int]:
        """Base values of diamonds, hearts, spades, clubs, grand: by the number of a contract."""
        return (*self.suit_bases, self.grand_base)

    def with_(self, **changes: Any) -> "Ruleset":
        """A copy with other values of some fields."""
        return dataclasses.replace(self, **changes)

    def defender_bonus(self, table_size: int) -> int:
        """What Seeger-Fabian gives each other player at a table of three or four."""
        if table_size not in (3, 4):
            raise RuleError(f"a table of {table_size!r} is not known: 3 or 4")
        return self.defender_bonus_three if table_size == 3 else self.defender_bonus_four

    def kernel_record(self) -> Any:
        """The numbers that kernels need, as one record of dtype `skatsim.kernels.rules.RULES`."""
        return _kernel_record(self)


@cache
def _kernel_record(ruleset: Ruleset) -> Any:
    record = np.zeros(1, RULES)
    record["base_value"] = ruleset.base_values
    record["null_value"] = ruleset.null_values
    record["max_matadors"] = NO_CAP if ruleset.max_matadors is None else ruleset.max_matadors
    record["is_strict_declare"] = ruleset.is_strict_declare
    record["ouvert_requires"] = _OUVERT_REQUIRES.index(ruleset.ouvert_requires)
    return record[0]


ISKO = Ruleset()
"""The International Skat Order."""

RULESETS = {ISKO.name: ISKO}
"""The rulesets that have a name."""


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of a name.

    Raises
    ------
    RuleError
        If there is none.
    """
    ruleset = RULESETS.get(name.strip().lower())
    if ruleset is None:
        raise RuleError(f"no ruleset is named {name!r}: there is {', '.join(RULESETS)}")
    return ruleset
