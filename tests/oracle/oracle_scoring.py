"""Contracts, values, settlement and Seeger-Fabian of one deal."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from .oracle_cards import GAMES, TRUMP_GAMES, TRUMPS, matadors

BASE_VALUES = {"D": 9, "H": 10, "S": 11, "C": 12, "G": 24}
# (hand, ouvert) -> value
NULL_VALUES = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}

SEATS = ("F", "M", "R")


@dataclass(frozen=True)
class OracleRules:
    """Switches of the rule book; the default is the International Skat Order."""

    strict_declare: bool = False
    ouvert_requires: str = "schwarz"  # "schwarz", "hand" or "none"
    max_matadors: int | None = None
    null_below_bid: str = "reject"  # "reject" or "adjudicate"
    # skat left closed, "hand" not said: a plain game (rules 4)
    allow_unannounced_hand: bool = False


ISKO = OracleRules()


class Contract(NamedTuple):
    """A declared game."""

    game: str
    hand: bool = False
    schneider_announced: bool = False
    schwarz_announced: bool = False
    ouvert: bool = False


class Settlement(NamedTuple):
    """Every figure of a settled game; None where null has no such figure."""

    matadors: int | None
    level: int | None
    multiplier: int | None
    game_value: int
    is_schneider: bool | None
    is_schwarz: bool | None
    is_overbid_before_play: bool
    is_overbid: bool
    is_won: bool
    charged_value: int
    score: int


def closed(contract: Contract, rules: OracleRules = ISKO) -> Contract:
    """The contract with everything its announcements imply (rules 4)."""
    game, hand, schneider, schwarz, ouvert = contract
    if game == "N":
        return contract
    schwarz = schwarz or (ouvert and rules.ouvert_requires == "schwarz")
    schneider = schneider or schwarz
    hand = hand or schneider or (ouvert and rules.ouvert_requires != "none")
    return Contract(game, hand, schneider, schwarz, ouvert)


@cache
def all_contracts(rules: OracleRules = ISKO) -> tuple[Contract, ...]:
    """Every contract there is, closed under implication, each once."""
    contracts: dict[Contract, None] = {}
    for game, hand, schneider, schwarz, ouvert in product(GAMES, *[(False, True)] * 4):
        if game == "N" and (schneider or schwarz):
            continue
        contracts[closed(Contract(game, hand, schneider, schwarz, ouvert), rules)] = None
    return tuple(contracts)


def declaration_problem(
    contract: Contract,
    bid_value: int,
    *,
    skat_taken: bool | None = None,
    cards12: Iterable[str] | None = None,
    rules: OracleRules = ISKO,
) -> str | None:
    """Why a contract may not be declared, or None (rules 4).

    `skat_taken` defaults to "the contract does not say hand". `cards12` is needed for
    `strict_declare` alone.
    """
    if skat_taken is None:
        skat_taken = not contract.hand
    full = closed(contract, rules)
    if full.game not in GAMES:
        return f"no such game: {full.game!r}"
    if full.game == "N" and (full.schneider_announced or full.schwarz_announced):
        return "null knows no schneider and no schwarz"
    if full.hand and skat_taken:
        return "the skat was taken, and the announcement needs hand"
    if not full.hand and not skat_taken and not rules.allow_unannounced_hand:
        return "the skat was not taken, and hand is not announced"
    if full.game == "N":
        if null_value(full) < bid_value and rules.null_below_bid == "reject":
            return f"null {null_value(full)} is below the bid {bid_value}"
    elif rules.strict_declare and skat_taken:
        if cards12 is None:
            raise ValueError("strict_declare needs the twelve cards")
        if greatest_value(full, cards12, rules) < bid_value:
            return f"the game cannot reach the bid {bid_value}"
    return None


def may_declare(
    contract: Contract,
    bid_value: int,
    *,
    skat_taken: bool | None = None,
    cards12: Iterable[str] | None = None,
    rules: OracleRules = ISKO,
) -> bool:
    """Whether a contract may be declared at a bid."""
    problem = declaration_problem(
        contract, bid_value, skat_taken=skat_taken, cards12=cards12, rules=rules
    )
    return problem is None


def game_level(contract: Contract, *, schneider: bool = False, schwarz: bool = False) -> int:
    """Game, hand, schneider, schwarz and announcements; announced levels count as reached."""
    return (
        1
        + contract.hand
        + (schneider or contract.schneider_announced)
        + contract.schneider_announced
        + (schwarz or contract.schwarz_announced)
        + contract.schwarz_announced
        + contract.ouvert
    )


def null_value(contract: Contract) -> int:
    """Fixed value of a null game."""
    return NULL_VALUES[contract.hand, contract.ouvert]


def trump_value(
    contract: Contract,
    matador_count: int,
    *,
    schneider: bool = False,
    schwarz: bool = False,
) -> int:
    """Value of a suit or grand game with so many matadors and levels."""
    level = game_level(contract, schneider=schneider, schwarz=schwarz)
    return BASE_VALUES[contract.game] * (matador_count + level)


def greatest_value(contract: Contract, cards12: Iterable[str], rules: OracleRules = ISKO) -> int:
    """Value with schneider and schwarz made."""
    count = abs(matadors(cards12, contract.game, at_most=rules.max_matadors))
    return trump_value(contract, count, schneider=True, schwarz=True)


@cache
def bid_values(rules: OracleRules = ISKO) -> tuple[int, ...]:
    """The values that may be bid: those that some game can have, found by trying all games."""
    values = set(NULL_VALUES.values())
    outcomes = ((False, False), (True, False), (True, True))
    for contract, (schneider, schwarz) in product(all_contracts(rules), outcomes):
        if contract.game == "N":
            continue
        most = len(TRUMPS[contract.game])
        for count in range(1, min(most, rules.max_matadors or most) + 1):
            values.add(trump_value(contract, count, schneider=schneider, schwarz=schwarz))
    return tuple(sorted(values))


def steps_to_reach(bid_value: int, base: int) -> int:
    """The least whole number of base values that reaches a bid."""
    steps = 0
    while steps * base < bid_value:
        steps += 1
    return steps


def settle(
    contract: Contract,
    cards12: Iterable[str],
    bid_value: int,
    *,
    declarer_card_points: int | None,
    declarer_trick_count: int,
    rules: OracleRules = ISKO,
) -> Settlement:
    """Figures of a game played to its end (rules 6 and 7).

    `declarer_card_points` counts tricks and laid-away cards or skat; null does not look at it.
    """
    contract = closed(contract, rules)
    if contract.game == "N":
        return _settle_null(
            contract, cards12, bid_value, is_won=declarer_trick_count == 0, rules=rules
        )
    if declarer_card_points is None:
        raise ValueError("card points are needed in suit and grand games")
    is_schneider = declarer_card_points >= 90 or declarer_card_points <= 30
    is_schwarz = declarer_trick_count in (0, 10)
    is_reached = (
        declarer_card_points >= 61
        and (not contract.schneider_announced or declarer_card_points >= 90)
        and (not contract.schwarz_announced or declarer_trick_count == 10)
    )
    return _settle_trump_game(
        contract,
        cards12,
        bid_value,
        is_reached=is_reached,
        is_schneider=is_schneider,
        is_schwarz=is_schwarz,
        rules=rules,
    )


def settle_concession(
    conceding: str,
    contract: Contract,
    cards12: Iterable[str],
    bid_value: int,
    *,
    declarer_card_points: int = 0,
    defender_card_points: int = 0,
    declarer_trick_count: int = 0,
    defender_trick_count: int = 0,
    rules: OracleRules = ISKO,
) -> Settlement:
    """Figures of a game given up by the `declarer` or the `defenders` (rules 9).

    Card points and tricks are those of the tricks completed before; the declarer's include the
    laid-away cards or the skat.
    """
    contract = closed(contract, rules)
    if conceding not in ("declarer", "defenders"):
        raise ValueError(f"{conceding!r} is no side: declarer or defenders")
    if contract.game == "N":
        is_won = conceding == "defenders" and declarer_trick_count == 0
        return _settle_null(contract, cards12, bid_value, is_won=is_won, rules=rules)
    if conceding == "declarer":
        return _settle_trump_game(
            contract,
            cards12,
            bid_value,
            is_reached=False,
            is_schneider=False,
            is_schwarz=False,
            rules=rules,
        )

    # The declarer is given the least result that announcements and bid ask for, if he could still
    # have made it; what was reached or suffered before stays.
    count = abs(matadors(cards12, contract.game, at_most=rules.max_matadors))
    is_reached = is_schneider = is_schwarz = False
    for schneider, schwarz in ((False, False), (True, False), (True, True)):
        is_possible = (
            defender_card_points < 60
            and not (schneider and defender_card_points > 30)
            and not (schwarz and defender_trick_count > 0)
        )
        is_enough = (
            schneider >= contract.schneider_announced
            and schwarz >= contract.schwarz_announced
            and trump_value(contract, count, schneider=schneider, schwarz=schwarz) >= bid_value
        )
        if is_possible and is_enough:
            is_reached, is_schneider, is_schwarz = True, schneider, schwarz
            break
    is_schneider = is_schneider or declarer_card_points >= 90 or defender_card_points >= 90
    return _settle_trump_game(
        contract,
        cards12,
        bid_value,
        is_reached=is_reached,
        is_schneider=is_schneider,
        is_schwarz=is_schwarz,
        rules=rules,
    )


def _settle_trump_game(
    contract: Contract,
    cards12: Iterable[str],
    bid_value: int,
    *,
    is_reached: bool,
    is_schneider: bool,
    is_schwarz: bool,
    rules: OracleRules,
) -> Settlement:
    """Settlement of a suit or grand game once it is known what was reached."""
    base = BASE_VALUES[contract.game]
    signed = matadors(cards12, contract.game, at_most=rules.max_matadors)
    level = game_level(contract, schneider=is_schneider, schwarz=is_schwarz)
    multiplier = abs(signed) + level
    game_value = base * multiplier
    is_overbid = game_value < bid_value
    is_won = is_reached and not is_overbid
    charged_value = max(game_value, base * steps_to_reach(bid_value, base))
    return Settlement(
        matadors=signed,
        level=level,
        multiplier=multiplier,
        game_value=game_value,
        is_schneider=is_schneider,
        is_schwarz=is_schwarz,
        is_overbid_before_play=trump_value(contract, abs(signed)) < bid_value,
        is_overbid=is_overbid,
        is_won=is_won,
        charged_value=charged_value,
        score=charged_value if is_won else -2 * charged_value,
    )


def _settle_null(
    contract: Contract,
    cards12: Iterable[str],
    bid_value: int,
    *,
    is_won: bool,
    rules: OracleRules,
) -> Settlement:
    """Settlement of a null game; below the bid it is lost whatever was played (rules 7.4)."""
    value = null_value(contract)
    charged_value = value
    is_overbid = value < bid_value
    if is_overbid:
        is_won = False
        charged_value = cheapest_game_at(bid_value, cards12, hand=contract.hand, rules=rules)
    return Settlement(
        matadors=None,
        level=None,
        multiplier=None,
        game_value=value,
        is_schneider=None,
        is_schwarz=None,
        is_overbid_before_play=is_overbid,
        is_overbid=is_overbid,
        is_won=is_won,
        charged_value=charged_value,
        score=charged_value if is_won else -2 * charged_value,
    )


def cheapest_game_at(
    bid_value: int, cards12: Iterable[str], *, hand: bool, rules: OracleRules = ISKO
) -> int:
    """Least value, over the five trump games, that covers the bid with these cards (rules 7.4)."""
    held = set(cards12)
    values = []
    for game in TRUMP_GAMES:
        count = abs(matadors(held, game, at_most=rules.max_matadors))
        own_steps = count + game_level(Contract(game, hand=hand))
        base = BASE_VALUES[game]
        values.append(base * max(own_steps, steps_to_reach(bid_value, base)))
    return min(values)


def seeger_fabian(
    declarer: str | None, score: int, *, is_won: bool | None, table_size: int = 3
) -> dict[str, int]:
    """Seeger-Fabian entries of one deal by seat; at a table of four `D` is the sitting dealer.

    `declarer` None is a passed-in deal.
    """
    seats = {3: SEATS, 4: (*SEATS, "D")}[table_size]
    if declarer is None:
        return dict.fromkeys(seats, 0)
    if is_won:
        entries = dict.fromkeys(seats, 0)
        entries[declarer] = score + 50
        return entries
    entries = dict.fromkeys(seats, {3: 40, 4: 30}[table_size])
    entries[declarer] = score - 50
    return entries
