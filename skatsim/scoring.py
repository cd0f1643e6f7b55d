"""The value of a game and its score (RULES 6, 7), and which outcomes cards can give at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, Literal

from skatsim.arguments import check_kind, check_whole, check_word
from skatsim.auction import BID_VALUES, check_bid_value
from skatsim.cards import ALL_MASK, card_points, card_text, check_mask, mask_cards, mask_text
from skatsim.contracts import CONTRACT_NAMES, Contract, check_declaration
from skatsim.errors import RuleError
from skatsim.kernels import rules as kernel_rules
from skatsim.kernels.table import lowest_of_trumps
from skatsim.ruleset import ISKO, MOST_BOCK, RULESETS, Ruleset
from skatsim.wording import count_text

__all__ = [
    "AWARDS",
    "Award",
    "OverbidRate",
    "Score",
    "ValueRow",
    "card_sums",
    "check_doublings",
    "check_outcome",
    "count_matadors",
    "overbid_rates",
    "score_from_record",
    "score_game",
    "value_rows",
]

Award = Literal["none", "declarer", "conceded", "granted", "defenders"]

AWARDS: Final[tuple[Award, ...]] = ("none", "declarer", "conceded", "granted", "defenders")
"""What was credited beside the cards played, by number: nothing; the rest to the declarer; the
declarer gave up; the defenders gave up."""

SKAT_COUNT = 231
"""Skats that one hand can meet: pairs of the 22 cards it does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The result of one game with a declarer.

    Attributes
    ----------
    contract : as declared, with what it implies.
    bid_value : the value said or held last; 0 where none is known.
    matadors : with > 0, without < 0; None in null.
    level : game, hand, schneider, ... counted; None in null.
    levels : the names of the levels that `level` counts, in the order they are named.
    multiplier : ``abs(matadors) + level``; None in null.
    base_value : of the suit or grand; None in null.
    game_value : base value times multiplier after play; null has fixed values.
    charged_value : what is entered before doubling: raised to the bid when overbid.
    is_schneider, is_schwarz : by the cards taken, on either side; None in null.
    is_overbid_before_play : the value without schneider and schwarz made in play is below the bid.
    is_overbid : the value after play is below the bid.
    is_won : whether the declarer won.
    score : the declarer's entry in the plain list: the value, or minus twice the charged value,
        times `entry_factor`.
    announcement_factor : by which announcements multiply the levels (national tables); else 1.
    factor_names : the announcements that do, by the names of their levels.
    kontra_count : doublings said: 1 Kontra, 2 and Re, ... (RULES 11).
    bock_factor : factor of the Bock rounds (RULES 12).
    is_spitze_made : whether an announced Spitze was made; None without (RULES 14.1).
    card_points : the declarer's, skat or discard included; None where it does not matter.
    trick_count : the declarer's tricks.
    award : whether one side was credited the rest, or gave up.
    """

    contract: Contract
    bid_value: int
    matadors: int | None
    level: int | None
    levels: tuple[str, ...]
    multiplier: int | None
    base_value: int | None
    game_value: int
    charged_value: int
    is_schneider: bool | None
    is_schwarz: bool | None
    is_overbid_before_play: bool
    is_overbid: bool
    is_won: bool
    score: int
    card_points: int | None
    trick_count: int
    award: Award
    announcement_factor: int = 1
    factor_names: tuple[str, ...] = ()
    kontra_count: int = 0
    bock_factor: int = 1
    is_spitze_made: bool | None = None

    @property
    def entry_factor(self) -> int:
        """By which Kontra and Bock multiply the entry, not the value."""
        return self.bock_factor << self.kontra_count


def count_matadors(cards_mask: int, contract: Contract, ruleset: Ruleset = ISKO) -> int | None:
    """Signed matadors of hand and skat: with > 0, without < 0; None in null (RULES 6.1).

    Examples
    --------
    >>> from skatsim.cards import parse_mask
    >>> count_matadors(parse_mask("CJ HJ DJ"), Contract(name="grand"))
    1
    >>> count_matadors(parse_mask("HJ DJ HA"), Contract(name="hearts"))
    -2
    """
    check_kind(contract, "contract", Contract, "a Contract")
    cards_mask = check_mask(cards_mask, "cards_mask")
    if contract.is_null:
        return None
    cap = int(ruleset.kernel_record()["max_matadors"])
    return int(kernel_rules.matadors(cards_mask, contract.number, cap))


def score_game(
    contract: Contract,
    *,
    hand_mask: int,
    skat_mask: int,
    bid_value: int,
    trick_count: int,
    card_points: int | None = None,
    discard_mask: int | None = None,
    award: Award = "none",
    kontra: int = 0,
    bock: int = 1,
    is_spitze_made: bool = True,
    defender_card_points: int = 0,
    defender_trick_count: int = 0,
    ruleset: Ruleset = ISKO,
) -> Score:
    """The score of a game from the declarer's cards and what he took (RULES 6, 7).

    Parameters
    ----------
    contract : announcements that it implies need not be named.
    hand_mask, skat_mask : the declarer's ten cards and the skat, as dealt.
    bid_value : the value said or held last.
    trick_count : tricks of the declarer.
    card_points : the declarer's, with the skat or the cards laid away; null does without.
    discard_mask : the cards laid away, where they are known.
    award : ``conceded`` when the declarer gave up: what he had not yet made does not count;
        ``granted`` when the defenders did: he wins simple, with what he announced or needs.
    kontra : doublings said: 1 Kontra, 2 and Re, 3 and a third, ... (RULES 11). They count
        whatever the ruleset knows, since a list may not say its rules; `check_doublings` asks.
    bock : factor of the deal's Bock rounds: 1, 2, 4, ... (RULES 12); the same holds.
    is_spitze_made : whether a Spitze that the contract announces was made.
    defender_card_points, defender_trick_count : what the defenders had when they gave up.

    Raises
    ------
    RuleError
        If the contract cannot be declared at all, or no play gives that outcome. A null game
        below the bid is settled by RULES 7.4; with ``is_strict_declare`` a suit game or grand
        that cannot reach the bid is refused (RULES 4.5).

    Examples
    --------
    >>> from skatsim.cards import parse_mask
    >>> score = score_game(
    ...     Contract(name="hearts", is_hand=True),
    ...     hand_mask=parse_mask("HJ DJ HA HT HK H9 SA S7 C7 D7"),
    ...     skat_mask=parse_mask("S8 C8"),
    ...     bid_value=40,
    ...     card_points=75,
    ...     trick_count=7,
    ... )
    >>> score.matadors, score.multiplier, score.game_value, score.score
    (-2, 4, 40, 40)
    """
    check_kind(contract, "contract", Contract, "a Contract")
    check_kind(ruleset, "ruleset", Ruleset, "a Ruleset")
    award = check_word(award, "award", AWARDS)
    contract = contract.closed(ruleset)
    bid_value = check_whole(bid_value, "bid_value")
    check_bid_value(bid_value, ruleset)
    trick_count = check_whole(trick_count, "trick_count")
    if card_points is not None:
        card_points = check_whole(card_points, "card_points")
    if discard_mask is not None:
        discard_mask = check_mask(discard_mask, "discard_mask")
    hand_mask, skat_mask = check_mask(hand_mask, "hand_mask"), check_mask(skat_mask, "skat_mask")
    kontra, bock = check_whole(kontra, "kontra"), check_whole(bock, "bock")
    defender_card_points = check_whole(defender_card_points, "defender_card_points")
    defender_trick_count = check_whole(defender_trick_count, "defender_trick_count")
    if not 0 <= kontra <= 4:
        raise RuleError(f"Kontra cannot be {kontra!r} steps: 0 to 4")
    if not 1 <= bock <= MOST_BOCK or bock & (bock - 1):
        raise RuleError(f"the factor of Bock cannot be {bock!r}: 1, 2, 4, ... {MOST_BOCK}")
    if not is_spitze_made and not contract.is_spitze:
        raise RuleError(f"{str(contract)!r} announces no Spitze that could be missed")
    _check_twelve(hand_mask, skat_mask)
    is_strict = ruleset.is_strict_declare and not contract.is_null
    check_declaration(
        contract,
        bid_value if is_strict else 0,
        is_skat_taken=not contract.is_hand,
        cards_mask=hand_mask | skat_mask,
        ruleset=ruleset,
    )
    if contract.is_spitze and not (hand_mask | skat_mask) >> lowest_of_trumps(contract.number) & 1:
        raise RuleError("Spitze is announced with the lowest trump, which is not in these cards")
    if card_points is None and not contract.is_null:
        raise RuleError(f"{str(contract)!r} is scored by card points: how many did he take?")
    if award == "none":
        check_outcome(
            contract,
            hand_mask=hand_mask,
            skat_mask=skat_mask,
            discard_mask=discard_mask,
            card_points=card_points,
            trick_count=trick_count,
        )
    house = kernel_rules.HOUSE_SPITZE * contract.is_spitze
    house |= kernel_rules.HOUSE_SPITZE_MADE * (contract.is_spitze and is_spitze_made)
    house |= kernel_rules.HOUSE_REVOLUTION * contract.is_revolution
    counted = award
    if award == "granted":
        house |= kernel_rules.HOUSE_SCHNEIDER_POSSIBLE * (
            120 - defender_card_points >= ruleset.schneider_points
        )
        house |= kernel_rules.HOUSE_SCHWARZ_POSSIBLE * (defender_trick_count == 0)
        if defender_card_points >= 60:
            counted = "conceded"  # it was lost before
    figures = kernel_rules.settle(
        ruleset.kernel_record(),
        contract.number,
        contract.is_hand,
        contract.is_schneider_announced,
        contract.is_schwarz_announced,
        contract.is_ouvert,
        hand_mask | skat_mask,
        bid_value,
        0 if card_points is None else card_points,
        trick_count,
        AWARDS.index(counted),
        house,
    )
    *settled, score = (int(figure) for figure in figures)
    return _score(
        contract,
        [*settled, score * (bock << kontra)],
        bid_value=bid_value,
        card_points=card_points,
        trick_count=trick_count,
        award=award,
        kontra=kontra,
        bock=bock,
        is_spitze_made=is_spitze_made,
        ruleset=ruleset,
    )


def check_doublings(ruleset: Ruleset, *, kontra: int = 0, bock: int = 1) -> None:
    """Refuse doublings that a ruleset does not know (RULES 11, 12).

    Parameters
    ----------
    kontra : doublings said.
    bock : factor of the deal's Bock rounds.

    Raises
    ------
    RuleError
        Saying which rulesets know them.
    """
    for count, most, name, field in (
        (kontra, ruleset.kontra_steps, "Kontra", "kontra_steps"),
        (bock, ruleset.most_bock, "Bock", "bock_triggers"),
    ):
        if count <= most:
            continue
        if most > (name == "Bock"):
            what = "steps of Kontra" if name == "Kontra" else "as the factor of Bock"
            raise RuleError(f"ruleset {ruleset.name!r} knows at most {most} {what}, not {count}")
        knowing = [known.name for known in RULESETS.values() if getattr(known, field)]
        raise RuleError(
            f"ruleset {ruleset.name!r} knows no {name}: {', '.join(knowing)} does, or a TOML "
            f"file with {field}"
        )


_SETTLED = (
    "matadors",
    "multiplier",
    "game_value",
    "charged_value",
    "is_schneider",
    "is_schwarz",
    "is_overbid_before_play",
    "is_overbid",
    "is_won",
    "score",
)
"""What the kernel `settle` returns, in its order."""


def score_from_record(record: Any, ruleset: Ruleset = ISKO) -> Score:
    """The score that a record of dtype `skatsim.kernels.columns.GAME` states.

    The record must have a contract.
    """
    contract = Contract.from_number(
        int(record["contract"]),
        int(record["is_hand"])
        | int(record["is_schneider_announced"]) << 1
        | int(record["is_schwarz_announced"]) << 2
        | int(record["is_ouvert"]) << 3,
    )
    flags = int(record["house_flags"])
    contract = replace(
        contract,
        is_spitze=bool(flags & kernel_rules.HOUSE_SPITZE),
        is_revolution=bool(flags & kernel_rules.HOUSE_REVOLUTION),
    )
    return _score(
        contract,
        [int(record[name]) for name in _SETTLED],
        bid_value=int(record["bid_value"]),
        card_points=int(record["declarer_card_points"]),
        trick_count=int(record["declarer_trick_count"]),
        award=AWARDS[int(record["award"])],
        kontra=int(record["kontra_count"]),
        bock=max(1, int(record["bock_factor"])),
        is_spitze_made=bool(record["is_won"]) or _has_made_spitze(record),
        is_schneider_needed=bool(flags & kernel_rules.HOUSE_SCHENKEN_REFUSED),
        ruleset=ruleset,
    )


def _has_made_spitze(record: Any) -> bool:
    """Whether the declarer's lowest trump took the last trick of a record (RULES 14.1)."""
    winners, declarer = int(record["trick_winners"]), int(record["declarer_seat"])
    if int(record["declarer_trick_count"]) == 0 or winners >> 18 & 3 != declarer:
        return False
    own = int(record["played"][27 + (declarer - (winners >> 16 & 3)) % 3])
    return own == int(lowest_of_trumps(int(record["contract"])))


def _score(
    contract: Contract,
    figures: Sequence[int],
    *,
    bid_value: int,
    card_points: int | None,
    trick_count: int,
    award: Award,
    kontra: int,
    bock: int,
    is_spitze_made: bool,
    ruleset: Ruleset,
    is_schneider_needed: bool = False,
) -> Score:
    """A score from the kernel's figures, with None where null has none."""
    matadors, multiplier, game_value, charged_value, *flags, score = figures
    is_schneider, is_schwarz, is_overbid_before_play, is_overbid, is_won = map(bool, flags)
    is_null = contract.is_null
    is_conceded = award == "conceded"
    levels = _level_names(
        contract,
        is_schneider=(card_points or 0) >= ruleset.schneider_points
        if is_conceded
        else is_schneider,
        is_schwarz=is_schwarz and not is_conceded,
        is_schneider_needed=is_schneider_needed,
        ruleset=ruleset,
    )
    return Score(
        contract=contract,
        bid_value=bid_value,
        matadors=None if is_null else matadors,
        level=None if is_null else multiplier - abs(matadors),
        multiplier=None if is_null else multiplier,
        base_value=None if is_null else game_value // multiplier,
        levels=() if is_null else levels,
        game_value=game_value,
        charged_value=charged_value,
        is_schneider=None if is_null else is_schneider,
        is_schwarz=None if is_null else is_schwarz,
        is_overbid_before_play=is_overbid_before_play,
        is_overbid=is_overbid,
        is_won=is_won,
        score=score,
        card_points=card_points,
        trick_count=trick_count,
        award=award,
        announcement_factor=1 if is_null else multiplier // (abs(matadors) + len(levels)),
        factor_names=_factor_names(contract, ruleset, is_schneider_needed=is_schneider_needed),
        kontra_count=kontra,
        bock_factor=bock,
        is_spitze_made=is_spitze_made if contract.is_spitze else None,
    )


def _level_names(
    contract: Contract,
    *,
    is_schneider: bool,
    is_schwarz: bool,
    is_schneider_needed: bool,
    ruleset: Ruleset,
) -> tuple[str, ...]:
    """The levels that count: announced ones count as reached (RULES 6.3)."""
    is_announced = contract.is_schneider_announced or is_schneider_needed
    has_grand_ouvert_base = contract.name == "grand" and ruleset.grand_ouvert_base is not None
    counted = (
        ("game", 1),
        ("hand", contract.is_hand * ruleset.hand_level),
        ("schneider", is_schneider or is_announced),
        ("schneider_announced", is_announced * ruleset.schneider_announced_level),
        ("schwarz", is_schwarz or contract.is_schwarz_announced),
        (
            "schwarz_announced",
            contract.is_schwarz_announced * ruleset.schwarz_announced_level,
        ),
        ("ouvert", 0 if has_grand_ouvert_base else contract.is_ouvert * ruleset.ouvert_level),
        ("spitze", contract.is_spitze * ruleset.spitze_levels),
    )
    return tuple(name for name, times in counted for _ in range(int(times)))


def _factor_names(
    contract: Contract, ruleset: Ruleset, *, is_schneider_needed: bool
) -> tuple[str, ...]:
    """The announcements that multiply the levels, where any do."""
    is_schneider = contract.is_schneider_announced or is_schneider_needed
    factors = {
        "schneider_announced": (
            is_schneider and not contract.is_schwarz_announced,
            ruleset.schneider_announced_factor,
        ),
        "schwarz_announced": (contract.is_schwarz_announced, ruleset.schwarz_announced_factor),
        "ouvert": (contract.is_ouvert, ruleset.ouvert_factor),
    }
    names = (name for name, (is_said, times) in factors.items() if is_said and times > 1)
    return () if contract.is_null else tuple(names)


def _check_twelve(hand_mask: int, skat_mask: int) -> None:
    """Refuse anything but ten cards and two others."""
    for mask, size, what in ((hand_mask, 10, "a hand"), (skat_mask, 2, "the skat")):
        cards = mask_cards(mask)
        if len(cards) != size:
            raise RuleError(
                f"{what} has {size} cards, here are {len(cards)}: {mask_text(mask) or 'none'}"
            )
    if hand_mask & skat_mask:
        doubled = card_text(mask_cards(hand_mask & skat_mask)[0])
        raise RuleError(f"the card {doubled!r} is in the hand and in the skat")


def check_outcome(
    contract: Contract,
    *,
    hand_mask: int,
    skat_mask: int,
    trick_count: int,
    card_points: int | None,
    discard_mask: int | None = None,
) -> None:
    """Refuse card points and tricks that no play of these cards can give.

    What is checked is which sums the cards have: the declarer has two cards laid away (the
    skat, in a hand game), one card of his own and two others in each of his tricks. Null ends
    with the declarer's first trick.

    Raises
    ------
    RuleError
        Saying what is possible.
    """
    most_tricks = 1 if contract.is_null else 10
    if not 0 <= trick_count <= most_tricks:
        what = "null ends with his first trick" if contract.is_null else "there are ten"
        raise RuleError(f"the declarer cannot have {count_text(trick_count, 'trick')}: {what}")
    if card_points is None:
        return
    if not 0 <= card_points <= 120:
        raise RuleError(f"the declarer cannot have {card_points} card points: 0 to 120 are dealt")
    twelve = hand_mask | skat_mask
    if discard_mask is not None:
        if mask_cards(discard_mask & ~twelve) or len(mask_cards(discard_mask)) != 2:
            raise RuleError(
                f"{mask_text(discard_mask)!r} is not two of the declarer's twelve cards"
            )
        if contract.is_hand and discard_mask != skat_mask:
            raise RuleError("a hand game lays nothing away: the skat stays as it is")
    possible = _possible_points(
        twelve,
        skat_mask if contract.is_hand else discard_mask,
        trick_count,
    )
    if not (possible >> card_points) & 1:
        sums = [points for points in range(121) if (possible >> points) & 1]
        below = [points for points in sums if points < card_points][-1:]
        above = [points for points in sums if points > card_points][:1]
        near = " and ".join(str(points) for points in below + above)
        tricks = count_text(trick_count, "trick")
        raise RuleError(
            f"{card_points} card points with {tricks} cannot be with these cards: "
            f"the nearest are {near}"
        )


def card_sums(points: Iterable[int], most: int) -> list[int]:
    """For each count of cards the sums they can have, as bits of an integer."""
    sums = [1] + [0] * most
    for value in points:
        for count in range(most, 0, -1):
            sums[count] |= sums[count - 1] << value
    return sums


def _possible_points(twelve_mask: int, buried_mask: int | None, trick_count: int) -> int:
    """The declarer's possible card points with so many tricks, as bits of an integer."""
    others = card_sums((card_points(card) for card in mask_cards(ALL_MASK & ~twelve_mask)), 20)
    taken = others[2 * trick_count]
    own = mask_cards(twelve_mask)
    pairs = combinations(own, 2) if buried_mask is None else [mask_cards(buried_mask)]
    seen: dict[tuple[int, ...], int] = {}
    possible = 0
    for pair in pairs:
        buried = sorted(card_points(card) for card in pair)
        if tuple(buried) in seen:
            continue
        seen[tuple(buried)] = 1
        kept = card_sums((card_points(card) for card in own if card not in pair), 10)[trick_count]
        possible |= _all_sums(kept, taken) << sum(buried)
    return possible


def _all_sums(a: int, b: int) -> int:
    """All sums of a number of one set and a number of another, sets given as bits."""
    result, shift = 0, 0
    while a >> shift:
        if (a >> shift) & 1:
            result |= b << shift
        shift += 1
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """What one contract is worth with a hand, over all skats it can meet.

    Attributes
    ----------
    contract : name of the contract; nothing is announced but hand.
    is_hand : as a hand game.
    matadors : of the cards known; None in null.
    value_held : value with the ten cards alone, or exactly with the skat where it is known.
    least_value, greatest_value : over all skats.
    lowered_rate : exact share of the skats that make the value less than `value_held`; None
        where the skat is known.
    value_counts : how many of the skats give each value, by value.
    """

    contract: str
    is_hand: bool
    matadors: int | None
    value_held: int
    least_value: int
    greatest_value: int
    lowered_rate: Fraction | None
    value_counts: tuple[tuple[int, int], ...]

    def overbid_rate(self, bid_value: int) -> Fraction:
        """The exact share of the skats with which the value stays below a bid."""
        total = sum(count for _, count in self.value_counts)
        below = sum(count for value, count in self.value_counts if value < bid_value)
        return Fraction(below, total)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverbidRate:
    """The chance that a contract at a bid is overbid before anything is played."""

    bid: int
    contract: str
    is_hand: bool
    rate: Fraction


def value_rows(
    hand_mask: int, skat_mask: int | None = None, ruleset: Ruleset = ISKO
) -> tuple[ValueRow, ...]:
    """What each contract is worth with ten cards: the ceiling of the bidding, exactly (RULES 6).

    Schneider and schwarz are left out, as nobody can be sure of them. Where the skat is always
    taken there are no hand games.

    Parameters
    ----------
    hand_mask : ten cards.
    skat_mask : the skat, where it is known; None looks at all 231.

    Examples
    --------
    >>> from skatsim.cards import parse_mask
    >>> rows = value_rows(parse_mask("HJ DJ CA CT CK C9 SA S7 H7 D7"))
    >>> [(row.value_held, row.lowered_rate) for row in rows if row.contract == "clubs"]
    [(36, Fraction(40, 231)), (48, Fraction(40, 231))]
    """
    hand_mask = check_mask(hand_mask, "hand_mask")
    if skat_mask is not None:
        skat_mask = check_mask(skat_mask, "skat_mask")
        _check_twelve(hand_mask, skat_mask)
        skats: Sequence[int] = (skat_mask,)
    else:
        _check_twelve(hand_mask, _any_skat(hand_mask))
        rest = mask_cards(ALL_MASK & ~hand_mask)
        skats = [1 << low | 1 << high for low, high in combinations(rest, 2)]
    rows = []
    hands = (False,) if ruleset.is_skat_always_taken else (False, True)
    for number, name in reversed(list(enumerate(CONTRACT_NAMES[:-1]))):
        contract = Contract(name=name)
        held = count_matadors(hand_mask | (skat_mask or 0), contract, ruleset)
        counts: dict[int, int] = {}
        for skat in skats:
            length = abs(count_matadors(hand_mask | skat, contract, ruleset) or 0)
            counts[length] = counts.get(length, 0) + 1
        for is_hand in hands:
            bases = ruleset.base_values if is_hand else ruleset.skat_base_values
            base, level = bases[number], 1 + is_hand * ruleset.hand_level
            values = {base * (length + level): count for length, count in counts.items()}
            rows.append(
                _value_row(name, is_hand, held, base * (abs(held or 0) + level), values, skat_mask)
            )
    for is_hand in hands:
        value = ruleset.null_values[int(is_hand)]
        rows.append(_value_row("null", is_hand, None, value, {value: len(skats)}, skat_mask))
    return tuple(rows)


def _any_skat(hand_mask: int) -> int:
    rest = mask_cards(ALL_MASK & ~hand_mask)
    return 1 << rest[0] | 1 << rest[1] if len(rest) > 1 else 0


def _value_row(
    name: str,
    is_hand: bool,
    matadors: int | None,
    value_held: int,
    counts: dict[int, int],
    skat_mask: int | None,
) -> ValueRow:
    total = sum(counts.values())
    lowered = sum(count for value, count in counts.items() if value < value_held)
    return ValueRow(
        contract=name,
        is_hand=is_hand,
        matadors=matadors,
        value_held=value_held,
        least_value=min(counts),
        greatest_value=max(counts),
        lowered_rate=None if skat_mask is not None else Fraction(lowered, total),
        value_counts=tuple(sorted(counts.items())),
    )


def overbid_rates(
    rows: Iterable[ValueRow], bid_value: int | None = None
) -> tuple[OverbidRate, ...]:
    """The chance of being overbid for each contract at a bid, or at every bid it can reach.

    Parameters
    ----------
    rows : from `value_rows`.
    bid_value : one bid; None takes each up to the greatest value a contract can have, above
        which it is overbid for certain.
    """
    if bid_value is not None:
        check_bid_value(bid_value)
    return tuple(
        OverbidRate(bid=bid, contract=row.contract, is_hand=row.is_hand, rate=row.overbid_rate(bid))
        for row in rows
        for bid in ((bid_value,) if bid_value is not None else BID_VALUES)
        if bid_value is not None or bid <= row.greatest_value
    )
