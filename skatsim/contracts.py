"""Contracts: what is played, with which announcements, and what may be declared."""

import dataclasses
import re
from dataclasses import dataclass
from typing import Final, Self

from skatsim.arguments import GREATEST, check_flag, check_kind, check_text, check_whole
from skatsim.cards import check_mask
from skatsim.errors import NotationError, RuleError
from skatsim.kernels import rules as kernel_rules
from skatsim.kernels.cards import RAMSCH
from skatsim.kernels.table import IS_HAND, IS_OUVERT, IS_SCHNEIDER_ANNOUNCED, IS_SCHWARZ_ANNOUNCED
from skatsim.ruleset import ISKO, Ruleset

__all__ = [
    "CONTRACT_NAMES",
    "Contract",
    "check_declaration",
    "declaration_fault",
    "fault_text",
    "iss_code",
    "parse_contract",
]

CONTRACT_NAMES = ("diamonds", "hearts", "spades", "clubs", "grand", "null")
"""The contracts by their number in kernels and records."""

_NUMBERED = (*CONTRACT_NAMES, "ramsch")

_ISS_LETTERS = "DHSCGN"

_GAME_WORDS = {
    **{name: number for number, name in enumerate(CONTRACT_NAMES)},
    **{letter.lower(): number for number, letter in enumerate(_ISS_LETTERS)},
    **{"diamond": 0, "heart": 1, "spade": 2, "club": 3},
    **{"karo": 0, "herz": 1, "pik": 2, "kreuz": 3},
    **{"♦": 0, "♥": 1, "♠": 2, "♣": 3},
}
_ANNOUNCEMENT_WORDS = {
    "hand": "is_hand",
    "schneider": "is_schneider_announced",
    "schwarz": "is_schwarz_announced",
    "ouvert": "is_ouvert",
    "open": "is_ouvert",
    "spitze": "is_spitze",
    "revolution": "is_revolution",
}
_ISS_MODIFIERS = {
    "H": "is_hand",
    "S": "is_schneider_announced",
    "Z": "is_schwarz_announced",
    "O": "is_ouvert",
}
_ISS_CODE = re.compile(r"[CSHDGN][OHSZ]*", re.IGNORECASE)


_FLAGS: Final = (
    "is_hand",
    "is_schneider_announced",
    "is_schwarz_announced",
    "is_ouvert",
    "is_spitze",
    "is_revolution",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """A contract as it is declared.

    Parameters
    ----------
    name : ``clubs spades hearts diamonds grand null``; ``ramsch``, which nobody declares.
    is_hand : announced as a hand game.
    is_schneider_announced, is_schwarz_announced, is_ouvert : the other announcements.
    is_spitze, is_revolution : those of house rules (RULES 14).

    Announcements imply others (RULES 4.3); `closed` adds them. What `parse_contract` returns
    is closed.

    Examples
    --------
    >>> str(Contract(name="hearts", is_hand=True))
    'hearts hand'
    """

    name: str
    is_hand: bool = False
    is_schneider_announced: bool = False
    is_schwarz_announced: bool = False
    is_ouvert: bool = False
    is_spitze: bool = False
    is_revolution: bool = False

    def __post_init__(self) -> None:
        if self.name not in _NUMBERED:
            raise NotationError(f"{self.name!r} is no contract: {', '.join(CONTRACT_NAMES)}")
        for flag in _FLAGS:
            if type(getattr(self, flag)) is not bool:
                object.__setattr__(self, flag, check_flag(getattr(self, flag), flag))

    def __str__(self) -> str:
        words = [self.name]
        if self.is_hand:
            words.append("hand")
        if self.is_schneider_announced and not self.is_schwarz_announced:
            words.append("schneider")
        if self.is_schwarz_announced and not self.is_ouvert:
            words.append("schwarz")
        if self.is_ouvert:
            words.append("revolution" if self.is_revolution else "ouvert")
        if self.is_spitze:
            words.append("spitze")
        return " ".join(words)

    @property
    def number(self) -> int:
        """The number in kernels and records: suits 0 to 3, grand 4, null 5, Ramsch 6."""
        return _NUMBERED.index(self.name)

    @property
    def is_null(self) -> bool:
        """Whether it is one of the null games."""
        return self.name == "null"

    @property
    def announcements(self) -> int:
        """The announcements as the bits that `skatsim.kernels.table.declaration` takes."""
        return (
            IS_HAND * self.is_hand
            | IS_SCHNEIDER_ANNOUNCED * self.is_schneider_announced
            | IS_SCHWARZ_ANNOUNCED * self.is_schwarz_announced
            | IS_OUVERT * self.is_ouvert
        )

    @classmethod
    def from_number(cls, number: int, announcements: int = 0) -> Self:
        """A contract from its number and the bits of its announcements."""
        if not 0 <= number <= RAMSCH:
            raise NotationError(f"{number!r} is no contract: 0 to {RAMSCH}")
        return cls(
            name=_NUMBERED[number],
            is_hand=bool(announcements & IS_HAND),
            is_schneider_announced=bool(announcements & IS_SCHNEIDER_ANNOUNCED),
            is_schwarz_announced=bool(announcements & IS_SCHWARZ_ANNOUNCED),
            is_ouvert=bool(announcements & IS_OUVERT),
        )

    def closed(self, ruleset: Ruleset = ISKO) -> "Contract":
        """The contract with all that its announcements imply (RULES 4.3).

        Schwarz implies schneider, schneider implies hand unless the ruleset has
        ``is_announcing_after_skat``; a suit game or grand played ouvert
        implies what the ruleset's ``ouvert_requires`` says. Null games imply nothing.
        """
        if self.is_null:
            if not self.is_revolution:
                return self
            return dataclasses.replace(self, is_hand=True, is_ouvert=True)
        is_schwarz = self.is_schwarz_announced or (
            self.is_ouvert and ruleset.ouvert_requires == "schwarz"
        )
        is_schneider = self.is_schneider_announced or is_schwarz
        needs_hand = is_schneider or (self.is_ouvert and ruleset.ouvert_requires == "hand")
        is_hand = self.is_hand or (needs_hand and not ruleset.is_announcing_after_skat)
        return dataclasses.replace(
            self,
            is_hand=is_hand,
            is_schneider_announced=is_schneider,
            is_schwarz_announced=is_schwarz,
        )


def parse_contract(text: str, ruleset: Ruleset = ISKO) -> Contract:
    """The contract that a text names, with the announcements it implies.

    Read are words (``hearts hand schneider``, ``null ouvert``) and the codes of the server
    (``HHS``, ``GO``, ``NOH``, ``CHZ``; the order of the letters after the first is free).

    Raises
    ------
    NotationError
        If the text is no contract; it names the word that is not understood.

    Examples
    --------
    >>> parse_contract("HHS") == parse_contract("hearts hand schneider")
    True
    >>> parse_contract("GO").is_schwarz_announced
    True
    """
    words = [word for word in re.split(r"[\s,.+_-]+", check_text(text, "contract").strip()) if word]
    if not words:
        raise NotationError(f"{text!r} is no contract: {', '.join(CONTRACT_NAMES)}")
    if len(words) == 1 and words[0].lower() not in _GAME_WORDS and _ISS_CODE.fullmatch(words[0]):
        code = words[0].upper()
        flags = {_ISS_MODIFIERS[letter]: True for letter in code[1:]}
        return Contract(name=CONTRACT_NAMES[_ISS_LETTERS.index(code[0])], **flags).closed(ruleset)
    number = _GAME_WORDS.get(words[0].lower())
    if number is None:
        raise NotationError(
            f"{words[0]!r} is no contract: {', '.join(CONTRACT_NAMES)}, or a code like HHS"
        )
    flags = {}
    for word in words[1:]:
        flag = _ANNOUNCEMENT_WORDS.get(word.lower())
        if flag is None:
            raise NotationError(
                f"{word!r} in {text!r} is no announcement: hand, schneider, schwarz, ouvert"
            )
        flags[flag] = True
    return Contract(name=CONTRACT_NAMES[number], **flags).closed(ruleset)


def iss_code(contract: Contract) -> str:
    """The code of a contract on the server, without what it implies there.

    Examples
    --------
    >>> iss_code(parse_contract("clubs hand schwarz")), iss_code(parse_contract("null hand ouvert"))
    ('CHZ', 'NOH')
    """
    code = _ISS_LETTERS[contract.number]
    if contract.is_ouvert:
        code += "O"
        if not contract.is_null:
            return code
    if contract.is_hand:
        code += "H"
    if contract.is_schwarz_announced:
        return code + "Z"
    return code + "S" if contract.is_schneider_announced else code


def declaration_fault(
    contract: Contract,
    bid_value: int,
    *,
    is_skat_taken: bool | None = None,
    cards_mask: int = 0,
    ruleset: Ruleset = ISKO,
) -> int:
    """0 if a contract may be declared at a bid, or the number of what is wrong (RULES 4.3).

    Parameters
    ----------
    contract : announcements that it implies need not be named.
    bid_value : the value the declarer said or held.
    is_skat_taken : whether the skat was looked at; by default so unless hand is announced.
    cards_mask : the declarer's twelve cards; looked at only under ``is_strict_declare``.
    """
    if is_skat_taken is None:
        is_skat_taken = not contract.is_hand
    full = contract.closed(ruleset)
    if full.name == "ramsch":
        return kernel_rules.FAULT_CONTRACT
    fault = kernel_rules.declaration_fault(
        ruleset.kernel_record(),
        full.number,
        full.is_hand,
        full.is_schneider_announced,
        full.is_schwarz_announced,
        full.is_ouvert,
        is_skat_taken,
        cards_mask,
        bid_value,
    )
    if full.is_revolution and fault == kernel_rules.FAULT_NULL_BELOW_BID:
        fault = 0 if (ruleset.revolution_value or 0) >= bid_value else fault
    if (full.is_spitze and not ruleset.spitze_levels) or (
        full.is_revolution and ruleset.revolution_value is None
    ):
        return kernel_rules.FAULT_SPITZE
    if fault == kernel_rules.FAULT_HAND_AFTER_PICK_UP and not contract.is_hand:
        return kernel_rules.FAULT_HAND_NEEDED
    return int(fault)


def fault_text(fault: int, contract: Contract, bid_value: int) -> str:
    """What is wrong with a declaration, in words: `fault` is a number of `declaration_fault`."""
    return {
        kernel_rules.FAULT_HAND_NEEDED: (
            "schneider, schwarz and ouvert are announced in hand games only, "
            "and the skat was taken or hand was not said"
        ),
        kernel_rules.FAULT_NULL_ANNOUNCEMENT: "null knows neither schneider nor schwarz",
        kernel_rules.FAULT_NULL_BELOW_BID: (
            f"its value is below the bid of {bid_value}; a null game cannot grow"
        ),
        kernel_rules.FAULT_OUVERT_NEEDS_SCHWARZ: (
            "a suit game or grand is played ouvert only with schwarz announced"
        ),
        kernel_rules.FAULT_HAND_AFTER_PICK_UP: "the skat was taken, so it is no hand game",
        kernel_rules.FAULT_DISCARD: "two of the twelve cards must be laid away after the pick-up",
        kernel_rules.FAULT_CONTRACT: f"it is none of {', '.join(CONTRACT_NAMES)}",
        kernel_rules.FAULT_BELOW_BID: (
            f"it cannot reach the bid of {bid_value}, even with schneider and schwarz"
        ),
        kernel_rules.FAULT_SCHWARZ_NEEDS_SCHNEIDER: "schwarz is announced with schneider only",
        kernel_rules.FAULT_NO_HAND_GAMES: "the skat is always taken by these rules",
        kernel_rules.FAULT_SPITZE: (
            "Spitze needs the lowest trump, Revolution is null ouvert hand, and the rules must "
            "know them"
        ),
    }[fault]


def check_declaration(
    contract: Contract,
    bid_value: int,
    *,
    is_skat_taken: bool | None = None,
    cards_mask: int = 0,
    ruleset: Ruleset = ISKO,
) -> None:
    """Refuse a contract that must not be declared at a bid (RULES 4.3, 4.4).

    Parameters are those of `declaration_fault`.

    Raises
    ------
    RuleError
        With a sentence that says what is wrong.

    Examples
    --------
    >>> check_declaration(Contract(name="null"), 24)
    Traceback (most recent call last):
        ...
    skatsim.errors.RuleError: cannot declare 'null': its value is below the bid of 24; a null \
game cannot grow
    """
    check_kind(contract, "contract", Contract, "a Contract")
    bid_value = check_whole(bid_value, "bid_value", least=0, most=GREATEST)
    fault = declaration_fault(
        contract,
        bid_value,
        is_skat_taken=is_skat_taken,
        cards_mask=check_mask(cards_mask, "cards_mask"),
        ruleset=ruleset,
    )
    if fault != kernel_rules.OK:
        raise RuleError(
            f"cannot declare {str(contract)!r}: {fault_text(fault, contract, bid_value)}"
        )
