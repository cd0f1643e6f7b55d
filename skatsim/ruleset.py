"""Rulesets: the numbers and switches in which tables differ, as frozen values.

The default is the International Skat Order (`ISKO`). House rules and national tables are
further values of the same class; a user writes his own as a TOML file.
"""

import dataclasses
import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from skatsim.arguments import check_text
from skatsim.errors import RuleError
from skatsim.kernels.rules import BID_FLOOR, BID_LIMIT, MOST_BIDS, RULES

__all__ = [
    "BOCK_TRIGGERS",
    "ISKO",
    "MOST_BOCK",
    "RULESETS",
    "BockTrigger",
    "OuvertRequires",
    "Ruleset",
    "find_ruleset",
    "read_ruleset",
]

OuvertRequires = Literal["none", "hand", "schwarz"]

BockTrigger = Literal[
    "sixty_sixty",
    "grand_hand_won",
    "grand_lost",
    "null_ouvert_hand",
    "kontra_said",
    "re_said",
    "kontra_lost",
    "kontra_and_re",
    "equal_digits",
    "full_hundreds",
    "value_72",
    "value_96",
]

BOCK_TRIGGERS: Final[tuple[BockTrigger, ...]] = get_args(BockTrigger)
"""What can call a Bock round (RULES 12.2), each a switch of its own."""

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "ouvert_requires": get_args(OuvertRequires),
    "null_below_bid": ("reject", "allow"),
    "kontra_who": ("any", "bid18"),
    "kontra_when": ("own_card", "first_lead"),
    "bock_accumulation": ("queue", "multiply"),
    "all_pass": ("pass_in", "ramsch"),
    "ramsch_rounds": ("none", "after_bock", "always"),
    "ramsch_skat": ("last_trick", "loser", "none"),
    "ramsch_tie": ("both", "share", "later_trick"),
    "ramsch_forty": ("zero", "all_lose"),
}
"""The words a field may hold; their places are the numbers that kernels know."""

_RANGES: Final[dict[str, tuple[int, int]]] = {
    "grand_base": (1, 100),
    "skat_grand_base": (1, 100),
    "grand_ouvert_base": (1, 100),
    "hand_level": (0, 10),
    "ouvert_level": (0, 10),
    "ouvert_factor": (1, 10),
    "schneider_announced_level": (0, 10),
    "schneider_announced_factor": (1, 10),
    "schwarz_announced_level": (0, 10),
    "schwarz_announced_factor": (1, 10),
    "schneider_points": (61, 120),
    "schneider_against_points": (0, 60),
    "lost_factor": (1, 10),
    "lost_hand_factor": (1, 10),
    "max_matadors": (1, 11),
    "kontra_steps": (0, 4),
    "ramsch_jungfrau_factor": (1, 10),
    "ramsch_durchmarsch": (0, 1000),
    "ramsch_cap": (1, 100_000),
    "push_factor": (1, 4),
    "spitze_levels": (0, 5),
    "revolution_value": (1, 400),
    "own_game_bonus": (0, 1000),
    "defender_bonus_three": (0, 1000),
    "defender_bonus_four": (0, 1000),
}

_LENGTHS: Final[dict[str, int]] = {
    "suit_bases": 4,
    "skat_suit_bases": 4,
    "null_values": 4,
    "ramsch_fixed": 3,
}

NO_CAP = 11
"""Matadors of a suit game with all trumps: no hand has more."""

_NO_RAMSCH_CAP = 1 << 40

MOST_BOCK: Final = 1024
"""The greatest factor of Bock: nine rounds at once, and a deal doubled itself (RULES 12.3)."""

_MOST_MULTIPLIER: Final = 127
_MOST_VALUE: Final = 2**15 - 1
_MOST_ENTRY: Final = 2**31 - 1
"""What the columns `multiplier`, `game_value` and `score` of a game hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """The rules a table has agreed on.

    Every field is a switch of its own; the defaults are the International Skat Order. Names of
    the house rules: RULES 11 to 14.

    Parameters
    ----------
    name : under which a run and its reports know them.
    suit_bases : base values of diamonds, hearts, spades, clubs (RULES 6.2).
    grand_base : base value of grand.
    null_values : of null, null hand, null ouvert, null ouvert hand (RULES 6.6).
    skat_suit_bases, skat_grand_base : base values of games with the skat taken, where they
        differ; the other bases are those of hand games then.
    grand_ouvert_base : base value of grand ouvert, which is no level of its own then.
    hand_level, ouvert_level : levels that hand and ouvert count.
    ouvert_factor : by which a suit game or grand played ouvert is multiplied beside that.
    schneider_announced_level, schwarz_announced_level : levels that the announcements count.
    schneider_announced_factor, schwarz_announced_factor : by which they multiply the value; of
        both, that of schwarz counts.
    schneider_points : card points with which the declarer makes the defenders schneider.
    schneider_against_points : up to how many card points he is schneider himself.
    is_announcing_after_skat : schneider and schwarz may be announced after the pick-up too.
    is_skat_always_taken : there are no hand games.
    lost_factor, lost_hand_factor : what a lost game with the skat, a lost hand game, is
        multiplied by.
    max_matadors : most matadors that count; None counts them all.
    is_strict_declare : refuse a suit game or grand after the pick-up that cannot reach the
        bid even with schneider and schwarz (RULES 4.5).
    null_below_bid : whether a null game below the bid can be declared, and is lost then.
    ouvert_requires : what a suit game or grand played ouvert must announce (RULES 4.3).
    is_value_table_only : games can be scored by these rules, but not played: their auction or
        their skat is another one.
    kontra_steps : doublings that may be said in a row: 1 Kontra, 2 and Re, 3 and a third, 4 and
        a fourth (RULES 11).
    kontra_who : any defender, or only one who said or held at least 18.
    kontra_when : before the defender's own first card, or before the first lead.
    is_kontra_in_ramsch : Ramsch can be doubled too.
    bock_triggers : what calls a Bock round (RULES 12.2).
    bock_accumulation : further rounds wait in a queue, or multiply.
    is_bock_trigger_doubled : the deal that called a Bock round is doubled itself.
    all_pass : when all pass the deal is passed in, or Ramsch is played (RULES 13).
    ramsch_rounds : compulsory rounds of Ramsch: none, after each Bock round, or every deal.
    ramsch_skat : whose the skat is: winner of the last trick, the loser, nobody.
    ramsch_tie : two players with most card points both lose, share, or the one with the later
        trick loses.
    ramsch_forty : three equal players enter nothing, or all lose.
    ramsch_jungfrau_factor : factor of the loss when a player has no trick.
    ramsch_durchmarsch : what all ten tricks score.
    ramsch_cap : most that a Ramsch can cost, Bock and Kontra counted; None for no cap.
    ramsch_fixed : instead of card points, the loss without, with one, with two players without
        a trick; there is no Durchmarsch then.
    is_schieberamsch : players may take the skat and push two cards on, or push it unseen.
    is_pushing_jacks : jacks may be pushed by who has looked at the skat.
    push_factor : factor of each skat pushed unseen.
    is_durchmarsch_pushed : that factor counts for a Durchmarsch too.
    is_ramsch_grand_hand : grand hand may be declared instead of Ramsch.
    spitze_levels : levels for winning the last trick with the lowest trump, announced; 0
        without (RULES 14.1).
    revolution_value : of null ouvert hand against defenders who share out their cards anew;
        None without (RULES 14.2).
    is_schenken : defenders may give the game up after the declaration (RULES 14.3).
    is_klopfen : each player may double a Ramsch before the first lead (RULES 14.4).
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
    skat_suit_bases: tuple[int, int, int, int] | None = None
    skat_grand_base: int | None = None
    grand_ouvert_base: int | None = None
    hand_level: int = 1
    ouvert_level: int = 1
    ouvert_factor: int = 1
    schneider_announced_level: int = 1
    schneider_announced_factor: int = 1
    schwarz_announced_level: int = 1
    schwarz_announced_factor: int = 1
    schneider_points: int = 90
    schneider_against_points: int = 30
    is_announcing_after_skat: bool = False
    is_skat_always_taken: bool = False
    lost_factor: int = 2
    lost_hand_factor: int = 2
    max_matadors: int | None = None
    is_strict_declare: bool = False
    null_below_bid: Literal["reject", "allow"] = "reject"
    ouvert_requires: OuvertRequires = "schwarz"
    is_value_table_only: bool = False
    kontra_steps: int = 0
    kontra_who: Literal["any", "bid18"] = "any"
    kontra_when: Literal["own_card", "first_lead"] = "own_card"
    is_kontra_in_ramsch: bool = False
    bock_triggers: tuple[BockTrigger, ...] = ()
    bock_accumulation: Literal["queue", "multiply"] = "queue"
    is_bock_trigger_doubled: bool = False
    all_pass: Literal["pass_in", "ramsch"] = "pass_in"
    ramsch_rounds: Literal["none", "after_bock", "always"] = "none"
    ramsch_skat: Literal["last_trick", "loser", "none"] = "last_trick"
    ramsch_tie: Literal["both", "share", "later_trick"] = "both"
    ramsch_forty: Literal["zero", "all_lose"] = "zero"
    ramsch_jungfrau_factor: int = 2
    ramsch_durchmarsch: int = 120
    ramsch_cap: int | None = None
    ramsch_fixed: tuple[int, int, int] | None = None
    is_schieberamsch: bool = False
    is_pushing_jacks: bool = False
    push_factor: int = 2
    is_durchmarsch_pushed: bool = True
    is_ramsch_grand_hand: bool = False
    spitze_levels: int = 0
    revolution_value: int | None = None
    is_schenken: bool = False
    is_klopfen: bool = False
    own_game_bonus: int = 50
    defender_bonus_three: int = 40
    defender_bonus_four: int = 30

    def __post_init__(self) -> None:
        for entry in dataclasses.fields(self):
            problem = _problem(entry, getattr(self, entry.name))
            if problem:
                raise RuleError(f"ruleset {self.name!r}: {entry.name} {problem}")
        problem = _sum_problem(self)
        if problem:
            raise RuleError(f"ruleset {self.name!r}: {problem}")

    @property
    def base_values(self) -> tuple[int, int, int, int, int]:
        """Base values of diamonds, hearts, spades, clubs, grand: by the number of a contract."""
        return (*self.suit_bases, self.grand_base)

    @property
    def skat_base_values(self) -> tuple[int, int, int, int, int]:
        """Base values of games in which the skat was taken."""
        return (
            *(self.skat_suit_bases or self.suit_bases),
            self.skat_grand_base or self.grand_base,
        )

    @property
    def bid_values(self) -> tuple[int, ...]:
        """What may be bid: the values that some game can have, ascending (RULES 3.1)."""
        return reachable_values(self)

    @property
    def has_ramsch(self) -> bool:
        """Whether Ramsch is played at all."""
        return self.all_pass == "ramsch" or self.ramsch_rounds != "none"

    @property
    def most_bock(self) -> int:
        """The greatest factor that Bock rounds can give a deal; 1 without Bock (RULES 12)."""
        if not self.bock_triggers:
            return 1
        if self.bock_accumulation == "multiply":
            return MOST_BOCK
        return 4 if self.is_bock_trigger_doubled else 2

    @property
    def has_house_decisions(self) -> bool:
        """Whether there is something to decide that the Skat Order does not know."""
        return (
            self.kontra_steps > 0
            or self.has_ramsch
            or self.spitze_levels > 0
            or self.revolution_value is not None
            or self.is_schenken
            or self.is_skat_always_taken
        )

    @property
    def label(self) -> str:
        """The name, marked with a hash where a known ruleset of that name says otherwise.

        Two rulesets have the same label only if they say the same.
        """
        if RULESETS.get(self.name) == self:
            return self.name
        text = json.dumps(self.content(), sort_keys=True)
        return f"{self.name}#{hashlib.sha256(text.encode()).hexdigest()[:8]}"

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

    def content(self) -> dict[str, Any]:
        """All fields as numbers, words and lists: what a run's manifest keeps."""
        return {
            entry.name: list(value) if isinstance(value, tuple) else value
            for entry in dataclasses.fields(self)
            for value in (getattr(self, entry.name),)
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> "Ruleset":
        """The ruleset of a mapping like `content` returns; what is left out is as in `ISKO`.

        With the key ``base`` what is left out is as in the ruleset of that name, or of that
        TOML file, looked for in the working folder.

        Raises
        ------
        RuleError
            A field is not known, or cannot have that value.

        Examples
        --------
        >>> Ruleset.from_content({"base": "casa", "name": "ours", "kontra_steps": 1}).all_pass
        'ramsch'
        """
        return _from_content(content)

    def to_toml(self) -> str:
        """The ruleset as the text of a TOML file that `read_ruleset` reads; without defaults.

        Examples
        --------
        >>> print(ISKO.with_(name="club", kontra_steps=2, max_matadors=4).to_toml(), end="")
        name = "club"
        base = "isko"
        max_matadors = 4
        kontra_steps = 2
        """
        lines = [f"name = {json.dumps(self.name, ensure_ascii=False)}", 'base = "isko"']
        for key, value in self.content().items():
            if key != "name" and getattr(self, key) != getattr(ISKO, key):
                lines.append(f"{key} = {json.dumps(value)}")
        return "\n".join(lines) + "\n"


def _from_content(
    content: Mapping[str, Any], folder: Path | None = None, files: tuple[Path, ...] = ()
) -> Ruleset:
    """The ruleset of a mapping, whose ``base`` may be a file beside it.

    `folder` is where that file is looked for, `files` those that are being read already.
    """
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
    }
    base = ISKO
    if "base" in values:
        name = values.pop("base")
        if not isinstance(name, str):
            raise RuleError(f"base is {name!r}, not the name of a ruleset or of a file")
        if name.strip().lower().endswith(".toml"):
            base = _read((folder or Path()) / Path(name.strip()).expanduser(), files)
        else:
            base = find_ruleset(name)
        values.setdefault("name", base.name)
    known = {entry.name for entry in dataclasses.fields(Ruleset)}
    for key in values:
        if key not in known:
            raise RuleError(f"a ruleset has no field {key!r}: it has {', '.join(sorted(known))}")
    return base.with_(**values)


def _sum_problem(ruleset: Ruleset) -> str:
    """What the fields together make impossible to bid or to store; empty if nothing."""
    count = len(reachable_values(ruleset))
    if not 1 <= count <= MOST_BIDS:
        return (
            f"{count} values from {BID_FLOOR} to {BID_LIMIT - 1} could be bid, not 1 to "
            f"{MOST_BIDS}: change bases, levels or factors"
        )
    multiplier, value = _greatest(ruleset)
    entry = value * max(ruleset.lost_factor, ruleset.lost_hand_factor)
    entry *= MOST_BOCK << ruleset.kontra_steps
    for number, most, what in (
        (multiplier, _MOST_MULTIPLIER, "a game could have the multiplier"),
        (value, _MOST_VALUE, "a game could have the value"),
        (entry, _MOST_ENTRY, "with Kontra and Bock a game could be entered with"),
    ):
        if number > most:
            return (
                f"{what} {number}, and an archive holds {most}: "
                "take smaller bases, levels or factors"
            )
    return ""


def _greatest(ruleset: Ruleset) -> tuple[int, int]:
    """No multiplier and no charged value of a game is greater than these (RULES 6, 7)."""
    levels = 3 + ruleset.schneider_announced_level + ruleset.schwarz_announced_level
    levels += ruleset.hand_level + ruleset.ouvert_level + ruleset.spitze_levels
    times = ruleset.ouvert_factor * max(
        ruleset.schneider_announced_factor, ruleset.schwarz_announced_factor
    )
    suits = max(*ruleset.suit_bases, *(ruleset.skat_suit_bases or (1,)))
    grands = max(ruleset.grand_base, ruleset.skat_grand_base or 1, ruleset.grand_ouvert_base or 1)
    cap = ruleset.max_matadors or NO_CAP
    multiplier = times * (min(cap, NO_CAP) + levels)
    values = (
        suits * multiplier,
        grands * times * (min(cap, 4) + levels),
        max(suits, grands) + BID_LIMIT,  # the first multiple that reaches a bid
        *ruleset.null_values,
        ruleset.revolution_value or 0,
    )
    return multiplier, max(values)


def _problem(entry: "dataclasses.Field[Any]", value: Any) -> str:
    """What is wrong with the value of a field; empty if nothing is."""
    name = entry.name
    if name == "name":
        if not isinstance(value, str) or not value.strip():
            return "must be a text"
        return "" if value.isprintable() else "has characters that cannot be printed"
    if value is None and entry.default is None:
        return ""
    if name in _CHOICES:
        words = _CHOICES[name]
        return "" if value in words else f"is {value!r}, not one of {', '.join(words)}"
    if name == "bock_triggers":
        if not isinstance(value, tuple):
            return f"is {value!r}, not a list of names: {', '.join(BOCK_TRIGGERS)}"
        strange = [word for word in value if word not in BOCK_TRIGGERS]
        if strange:
            return f"has {strange[0]!r}, not one of {', '.join(BOCK_TRIGGERS)}"
        return "" if len(set(value)) == len(value) else "names one of them twice"
    if name in _LENGTHS:
        is_fine = isinstance(value, tuple) and len(value) == _LENGTHS[name]
        if is_fine and all(type(number) is int and 1 <= number <= 400 for number in value):
            return ""
        return f"is {value!r}, not {_LENGTHS[name]} numbers of at least 1"
    if name in _RANGES:
        least, greatest = _RANGES[name]
        if type(value) is int and least <= value <= greatest:
            return ""
        return f"is {value!r}, not {least} to {greatest}"
    return "" if type(value) is bool else f"is {value!r}, not true or false"


@cache
def reachable_values(ruleset: Ruleset) -> tuple[int, ...]:
    """The values that some game can have, ascending: what may be bid (RULES 3.1).

    Of the ISkO they are 63.
    """
    announced = (
        ruleset.schneider_announced_level
        + ruleset.schwarz_announced_level
        + 2
        + 1
        + ruleset.spitze_levels
    )
    values = set(ruleset.null_values)
    if ruleset.is_skat_always_taken:
        values = {ruleset.null_values[0], ruleset.null_values[2]}
    if ruleset.revolution_value is not None:
        values.add(ruleset.revolution_value)
    factors = {
        ouvert * announcement
        for ouvert in (1, ruleset.ouvert_factor)
        for announcement in (
            1,
            ruleset.schneider_announced_factor,
            ruleset.schwarz_announced_factor,
        )
    }
    if not ruleset.is_skat_always_taken:
        announced += ruleset.hand_level
    for bases in {ruleset.base_values, ruleset.skat_base_values}:
        for number, base in enumerate(bases):
            is_grand = number == len(bases) - 1
            top = announced + min(4 if is_grand else 11, ruleset.max_matadors or NO_CAP)
            if not (is_grand and ruleset.grand_ouvert_base is not None):
                top += ruleset.ouvert_level
            values |= {base * step * factor for step in range(2, top + 1) for factor in factors}
    return tuple(sorted(value for value in values if BID_FLOOR <= value < BID_LIMIT))


@cache
def _kernel_record(ruleset: Ruleset) -> Any:
    record = np.zeros(1, RULES)
    record["base_value"] = ruleset.base_values
    record["skat_base_value"] = ruleset.skat_base_values
    record["null_value"] = ruleset.null_values
    record["grand_ouvert_base"] = ruleset.grand_ouvert_base or 0
    record["max_matadors"] = NO_CAP if ruleset.max_matadors is None else ruleset.max_matadors
    record["ramsch_cap"] = ruleset.ramsch_cap or _NO_RAMSCH_CAP
    record["ramsch_fixed"] = ruleset.ramsch_fixed or (0, 0, 0)
    record["revolution_value"] = ruleset.revolution_value or 0
    record["has_house_decisions"] = ruleset.has_house_decisions
    for name in RULES.names or ():
        if name in _CHOICES:
            record[name] = _CHOICES[name].index(getattr(ruleset, name))
        elif name in _COPIED:
            record[name] = getattr(ruleset, name)
    record["bock_triggers"] = sum(
        1 << BOCK_TRIGGERS.index(trigger) for trigger in ruleset.bock_triggers
    )
    values = reachable_values(ruleset)
    record["bid_count"] = len(values)
    record["bid_least"] = next(value for value in values if value >= min(18, values[-1]))
    index = np.full(BID_LIMIT, -1, dtype=np.int16)
    index[list(values)] = np.arange(len(values))
    record["bid_index"] = index
    record["bid_value"][0, : len(values)] = values
    return record[0]


_COPIED: Final = {
    entry.name
    for entry in dataclasses.fields(Ruleset)
    if entry.name in (RULES.names or ()) and entry.type in (int, bool, "int", "bool")
}

ISKO = Ruleset()
"""The International Skat Order."""

_RAMSCH = ISKO.with_(name="ramsch", all_pass="ramsch")

_CASA = _RAMSCH.with_(
    name="casa",
    kontra_steps=2,
    bock_triggers=("sixty_sixty", "grand_hand_won", "kontra_said", "re_said"),
)

RULESETS: Final[dict[str, Ruleset]] = {
    ruleset.name: ruleset
    for ruleset in (
        ISKO,
        _RAMSCH,
        _CASA,
        ISKO.with_(name="denmark", grand_base=20, ouvert_requires="none"),
        ISKO.with_(
            name="texas",
            grand_base=16,
            null_values=(20, 30, 40, 60),
            hand_level=0,
            ouvert_level=0,
            ouvert_factor=2,
            schneider_points=91,
            is_announcing_after_skat=True,
        ),
        ISKO.with_(
            name="robber",
            is_skat_always_taken=True,
            is_announcing_after_skat=True,
            ouvert_requires="none",
            schneider_announced_level=0,
            schneider_announced_factor=2,
            schwarz_announced_level=0,
            schwarz_announced_factor=3,
        ),
        ISKO.with_(
            name="tournee",
            grand_base=20,
            skat_suit_bases=(5, 6, 7, 8),
            skat_grand_base=16,
            grand_ouvert_base=24,
            null_values=(15, 20, 30, 40),
            hand_level=0,
            ouvert_level=0,
            lost_hand_factor=1,
            revolution_value=60,
            is_value_table_only=True,
        ),
    )
}
"""The rulesets that have a name."""


def find_ruleset(name: str) -> Ruleset:
    """The ruleset of a name, or of a TOML file.

    Raises
    ------
    RuleError
        If there is none, or the file is none of a ruleset.
    """
    text = check_text(name, "name").strip()
    ruleset = RULESETS.get(text.lower())
    if ruleset is not None:
        return ruleset
    if text.lower().endswith(".toml"):
        return read_ruleset(text)
    raise RuleError(
        f"no ruleset is named {name!r}: there is {', '.join(RULESETS)}, or a file like mine.toml"
    )


def read_ruleset(path: str | Path) -> Ruleset:
    """The ruleset of a TOML file: ``base = "isko"`` and the fields that differ.

    Without a name it is called like the file. A ``base`` that is a file is looked for beside it.

    Raises
    ------
    RuleError
        The file cannot be read or is no TOML, a field is not known or cannot have that value,
        or the name belongs to another ruleset.
    """
    return _read(Path(path).expanduser(), ())


def _read(file: Path, files: tuple[Path, ...]) -> Ruleset:
    """The ruleset of a TOML file; `files` are those that are based on it."""
    here = Path(os.path.realpath(file))
    if here in files:
        chain = " -> ".join(repr(one.name) for one in (*files[files.index(here) :], here))
        raise RuleError(f"rulesets are based on each other in a circle: {chain}")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RuleError(f"cannot read {str(file)!r}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RuleError(f"{str(file)!r} is no TOML: {error}") from error
    content.setdefault("name", file.stem)
    try:
        ruleset = _from_content(content, file.parent, (*files, here))
    except RuleError as error:
        raise RuleError(f"in {str(file)!r}: {error}") from error
    known = RULESETS.get(ruleset.name.strip().lower())
    if known is not None and known != ruleset:
        raise RuleError(
            f"in {str(file)!r}: {ruleset.name!r} is the name of another ruleset: give a name"
        )
    return ruleset
