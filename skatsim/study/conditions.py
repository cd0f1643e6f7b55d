"""Conditions on deals: cards that lie somewhere, counts that must hold, SQL over named figures.

``forehand: CJ SJ, 2 aces; skat: no jacks`` gives cards and counts; a boolean SQL expression like
``forehand_trumps_clubs >= 5 and skat_jacks = 0`` says the rest. `FIGURES` are the names that it
may use, each after a place and an underscore.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numpy as np

from skatsim.cards import SUITS, find_notation, mask_of, mask_text, parse_cards, parse_seat
from skatsim.errors import NotationError, RuleError
from skatsim.kernels.cards import (
    ACE_MASK,
    JACK_MASK,
    KING_MASK,
    PLAIN_MASK,
    QUEEN_MASK,
    SUIT_MASK,
    TEN_MASK,
)
from skatsim.sampling import PLACES

__all__ = ["CLASSES", "FIGURES", "CountCondition", "Filter", "count_conditions", "parse_given"]

_LOW_RANKS: Final = ("sevens", "eights", "nines")

CLASSES: Final[Mapping[str, int]] = {
    "jacks": JACK_MASK,
    "aces": ACE_MASK,
    "tens": TEN_MASK,
    "full_cards": ACE_MASK | TEN_MASK,
    "kings": KING_MASK,
    "queens": QUEEN_MASK,
    **{name: 0x01010101 << rank for rank, name in enumerate(_LOW_RANKS)},
    **{suit: PLAIN_MASK << (8 * place) for place, suit in enumerate(SUITS)},
    **{
        f"trumps_{suit}": JACK_MASK | (SUIT_MASK << (8 * place)) for place, suit in enumerate(SUITS)
    },
    **{
        f"side_aces_{suit}": ACE_MASK & ~(SUIT_MASK << (8 * place))
        for place, suit in enumerate(SUITS)
    },
    **{
        f"side_tens_{suit}": TEN_MASK & ~(SUIT_MASK << (8 * place))
        for place, suit in enumerate(SUITS)
    },
}
"""Kinds of cards that are counted, by name: masks. A suit alone is without its jack."""

OPERATORS: Final = frozenset({"+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>"})

FUNCTIONS: Final = OPERATORS | {
    "abs", "sign", "least", "greatest", "bit_count", "floor", "ceil", "round", "mod",
}  # fmt: skip
"""What an expression may call: nothing that hangs on anything but its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountCondition:
    """So many cards of a class lie at a place.

    Attributes
    ----------
    place : index in `skatsim.sampling.PLACES`.
    name : of the class, one of `CLASSES`.
    low, high : how many at least and at most.
    """

    place: int
    name: str
    low: int
    high: int

    @property
    def mask(self) -> int:
        """The cards that are counted."""
        return CLASSES[self.name]

    @property
    def sql(self) -> str:
        """The condition as an expression."""
        figure = f"{PLACES[self.place]}_{self.name}"
        if self.low == self.high:
            return f"{figure} = {self.low}"
        if self.high >= 32:
            return f"{figure} >= {self.low}"
        return f"{figure} between {self.low} and {self.high}"


def _matadors_sql(mask: str, suit: int) -> str:
    """Matadors of the cards of a mask in a suit game, signed."""
    jacks = " + ".join(f"((({mask} >> {8 * s + 7}) & 1) << {s + 7})" for s in range(4))
    row = f"({jacks} + (({mask} >> {8 * suit}) & 127))"
    other = f"xor({row}, if({row} >= 1024, 2047, 0))"
    length = f"(10 - coalesce(floor(log2(nullif({other}, 0))), -1)::integer)"
    return f"(if({row} >= 1024, 1, -1) * {length})"


def _figures() -> Iterator[tuple[str, str]]:
    for place in PLACES:
        mask = f"{place}_mask"
        for name, cards in CLASSES.items():
            yield f"{place}_{name}", f"bit_count({mask} & {cards})::integer"
        points = ((11, ACE_MASK), (10, TEN_MASK), (4, KING_MASK), (3, QUEEN_MASK), (2, JACK_MASK))
        terms = (f"{value} * bit_count({mask} & {cards})::integer" for value, cards in points)
        yield f"{place}_card_points", " + ".join(terms)
        lengths = [f"bit_count({mask} & {PLAIN_MASK << (8 * suit)})::integer" for suit in range(4)]
        yield f"{place}_longest_suit", f"greatest({', '.join(lengths)})"
        yield f"{place}_void_suits", " + ".join(f"({one} = 0)::integer" for one in lengths)
        for suit, name in enumerate(SUITS):
            yield f"{place}_matadors_{name}", _matadors_sql(mask, suit)


FIGURES: Final[Mapping[str, str]] = dict(_figures())
"""What an SQL condition may ask about, by name, as expressions over the four masks."""


def _place(text: str) -> int:
    word = text.strip().lower()
    if word == "skat":
        return PLACES.index("skat")
    try:
        return parse_seat(word)
    except NotationError:
        raise NotationError(f"{text.strip()!r} is no place: one of {', '.join(PLACES)}") from None


_COUNT: Final = re.compile(
    r"(?:(?P<no>no)|(?P<bound>at\s+least|at\s+most)\s+(?P<bounded>\d+)"
    r"|(?P<low>\d+)(?:\s*-\s*(?P<high>\d+)|(?P<more>\+))?)\s+(?P<name>[a-z_ ]+)",
    re.IGNORECASE,
)


def _class_name(text: str) -> str:
    """The name of a class of cards as it is written: ``trumps clubs``, ``ace``."""
    name = "_".join(re.sub(r"\b(in|beside|besides)\b", " ", text.lower()).split())
    for known in (
        name,
        f"{name}s",
        name.replace("trump_", "trumps_"),
        name.replace("ace_", "aces_"),
    ):
        if known in CLASSES:
            return known
    first, _, rest = name.partition("_")
    if f"{rest}_{first}" in CLASSES:  # clubs trumps
        return f"{rest}_{first}"
    if name.rstrip("s") in ("trump", "side_ace", "side_ten"):
        raise NotationError(f"{text.strip()!r} of which suit? write {text.strip()} clubs")
    raise NotationError(f"cannot count {text.strip()!r}: there are {', '.join(CLASSES)}")


def parse_given(text: str) -> tuple[tuple[int, int, int, int], list[CountCondition]]:
    """The cards known to lie at each place, and the counts asked for.

    Parameters
    ----------
    text : places with what is there, ``forehand: CJ SJ, 2 aces; skat: no jacks``. Counts are
        ``no jacks``, ``2 aces``, ``2-3 aces``, ``2+ aces``, ``at least 5 trumps clubs``, ``at
        most 1 ten``; counted cards include those that are named.

    Raises
    ------
    NotationError
        Something is no place, no card, no count.
    """
    cards: list[list[str]] = [[], [], [], []]
    counts: list[CountCondition] = []
    for part in filter(str.strip, text.split(";")):
        head, colon, rest = part.partition(":")
        if not colon:
            raise NotationError(f"{part.strip()!r} names no place: write 'forehand: ...'")
        place = _place(head)
        for item in filter(str.strip, rest.split(",")):
            match = _COUNT.fullmatch(item.strip())
            if match is None:
                cards[place].append(item)
                continue
            low, high = _bounds(match)
            counts.append(
                CountCondition(place=place, name=_class_name(match["name"]), low=low, high=high)
            )
    notation = find_notation(*(item for items in cards for item in items))
    masks = [mask_of(parse_cards(" ".join(items), notation)) for items in cards]
    return (masks[0], masks[1], masks[2], masks[3]), counts


def _bounds(match: re.Match[str]) -> tuple[int, int]:
    if match["no"]:
        return 0, 0
    if match["bound"]:
        number = int(match["bounded"])
        return (number, 32) if match["bound"].lower().endswith("least") else (0, number)
    low = int(match["low"])
    if match["more"]:
        return low, 32
    return low, int(match["high"]) if match["high"] else low


_COMPARISON: Final = re.compile(
    r"(?P<name>\w+)\s*(?:(?P<sign>==|=|<=|>=|<|>)\s*(?P<number>\d+)"
    r"|between\s+(?P<low>\d+)\s+and\s+(?P<high>\d+))",
    re.IGNORECASE,
)

_WORD: Final = re.compile(r"\s+|[()]|'(?:[^']|'')*'|\"[^\"]*\"|\w+|.", re.DOTALL)


def count_conditions(expression: str) -> list[CountCondition]:
    """The comparisons of a count with a number that an expression demands in any case.

    They are those that `and` joins at its top. All else is left to the expression itself, which
    is asked in the end too; so what is not recognised costs time and nothing else.
    """
    found = []
    for part in _conjuncts(expression):
        match = _COMPARISON.fullmatch(part.strip())
        if match is None:
            continue
        place, _, name = match["name"].lower().partition("_")
        if place not in PLACES or name not in CLASSES:
            continue
        low, high = 0, 32
        if match["low"] is not None:
            low, high = int(match["low"]), int(match["high"])
        else:
            number = int(match["number"])
            sign = match["sign"]
            if sign in ("=", "==", ">=", ">"):
                low = number + (sign == ">")
            if sign in ("=", "==", "<=", "<"):
                high = number - (sign == "<")
        found.append(CountCondition(place=PLACES.index(place), name=name, low=low, high=high))
    return found


def _conjuncts(expression: str) -> list[str]:
    """What the `and` at the top of an expression join; nothing where `or` stands at the top."""
    if "--" in expression or "/*" in expression:  # what a comment hides is not demanded
        return []
    words = _WORD.findall(expression)
    depth = 0
    parts = [""]
    is_between = False
    for word in words:
        depth += (word == "(") - (word == ")")
        lower = word.lower()
        if depth == 0 and lower in ("or", "case", "end", "not", ";"):
            return []
        is_between = is_between or (depth == 0 and lower == "between")
        if depth == 0 and lower == "and" and not is_between:
            parts.append("")
            continue
        if lower == "and":
            is_between = False
        parts[-1] += word
    return parts


class Filter:
    """A boolean SQL expression over `FIGURES`, ready to be asked about deals.

    Parameters
    ----------
    expressions : all of which must hold.

    Raises
    ------
    RuleError
        An expression cannot be read, or uses what it may not: other names, functions, tables.
    """

    def __init__(self, expressions: Sequence[str]) -> None:
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "enable_external_access": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "lock_configuration": True,
            },
        )
        names: set[str] = set()
        for expression in expressions:
            names |= self._names(expression)
        columns = "".join(f",\n    {FIGURES[name]} as {name}" for name in sorted(names))
        condition = "\nand ".join(f"(\n{expression}\n)" for expression in expressions)
        self._query = (
            f"with figures as (\n    select given.*{columns}\n    from given\n)\n"
            f"select number from figures\nwhere {condition}\norder by number"
        )
        self.matching(np.zeros((1, 4), dtype=np.int64))

    def _names(self, expression: str) -> set[str]:
        """The figures that an expression uses."""
        query = f"select 1 where (\n{expression}\n)"
        answer = self._connection.execute("select json_serialize_sql($1)", [query]).fetchone()
        assert answer is not None
        tree = json.loads(answer[0])
        what = f"condition {expression!r}"
        if tree["error"]:
            raise RuleError(f"cannot read {what}: {_first_line(tree['error_message'])}")
        statements = tree["statements"]
        node = statements[0]["node"] if len(statements) == 1 else {}
        clauses = ("modifiers", "group_expressions", "having", "qualify", "sample")
        if node.get("type") != "SELECT_NODE" or any(node.get(clause) for clause in clauses):
            raise RuleError(f"{what} is no single expression")
        names: set[str] = set()
        for inner in _nodes(node):
            kind = str(inner.get("class", ""))
            if kind in ("SUBQUERY", "WINDOW", "LAMBDA", "PARAMETER") or "SUBQUERY" in str(
                inner.get("type", "")
            ):
                raise RuleError(f"{what} asks more than one deal can tell: no queries, no tables")
            if kind == "FUNCTION" and inner["function_name"] not in FUNCTIONS:
                known = ", ".join(sorted(FUNCTIONS - OPERATORS))
                raise RuleError(f"{what} calls {inner['function_name']!r}: it may call {known}")
            if kind == "COLUMN_REF":
                name = ".".join(inner["column_names"]).lower()
                if name not in FIGURES:
                    raise RuleError(
                        f"{what} asks about {name!r}: names are a place ({', '.join(PLACES)}), "
                        f"an underscore, and a figure; 'skatsim deal --figures' lists them"
                    )
                names.add(name)
        return names

    def matching(self, masks: np.ndarray) -> np.ndarray:
        """The places of the deals that meet the condition, in order.

        Parameters
        ----------
        masks : int64 of shape (n, 4): forehand, middlehand, rearhand, skat.
        """
        import pyarrow as pa

        given = pa.table(
            {
                "number": pa.array(np.arange(len(masks))),
                **{
                    f"{place}_mask": pa.array(np.ascontiguousarray(masks[:, index]))
                    for index, place in enumerate(PLACES)
                },
            }
        )
        with self._connection.cursor() as cursor:
            try:
                cursor.register("given", given)
                found = cursor.execute(self._query).fetchnumpy()["number"]
            except duckdb.Error as error:
                raise RuleError(f"cannot ask for the condition: {_first_line(error)}") from error
        return np.asarray(found, dtype=np.int64)


def _nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of a parsed statement."""
    if isinstance(tree, Mapping):
        yield tree
        for inner in tree.values():
            yield from _nodes(inner)
    elif isinstance(tree, list):
        for inner in tree:
            yield from _nodes(inner)


def _first_line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def check_cards(given: Sequence[int]) -> None:
    """Refuse a card that is asked for at two places, or too many for one."""
    for first in range(4):
        size = 2 if first == 3 else 10
        if given[first].bit_count() > size:
            raise RuleError(
                f"{PLACES[first]} cannot hold {given[first].bit_count()} cards "
                f"({mask_text(given[first])}): {size} at most"
            )
        for second in range(first):
            both = given[first] & given[second]
            if both:
                raise RuleError(
                    f"{mask_text(both)} cannot lie at {PLACES[second]} and in {PLACES[first]}"
                )
