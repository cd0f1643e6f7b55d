"""Lines of a score sheet: games known by their result alone, scored without their cards.

A score sheet says contract, matadors, level and who won, not the cards. The functions here
find an outcome that says the same and score it like any other game.
"""

import functools
from collections.abc import Iterable

from skatsim.cards import ALL_MASK, mask_cards, mask_of
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.kernels.cards import POWER, trump_mask
from skatsim.ramsch import RamschScore, score_ramsch
from skatsim.ruleset import ISKO, RULESETS, Ruleset
from skatsim.scoring import Score, score_game

__all__ = ["score_line", "score_ramsch_line", "twelve_with"]


def twelve_with(contract: Contract, matadors: int) -> tuple[int, int]:
    """A hand and a skat with so many matadors, signed.

    Raises
    ------
    RuleError
        No twelve cards have them.

    Examples
    --------
    >>> from skatsim.scoring import count_matadors
    >>> hand, skat = twelve_with(Contract(name="clubs"), -3)
    >>> count_matadors(hand | skat, Contract(name="clubs"))
    -3
    """
    trumps = sorted(
        mask_cards(int(trump_mask(contract.number))),
        key=lambda card: int(POWER[contract.number, card]),
        reverse=True,
    )
    length = abs(matadors)
    if not 1 <= length <= len(trumps):
        raise RuleError(f"{contract.name} has 1 to {len(trumps)} matadors, not {matadors!r}")
    top, rest = trumps[:length], trumps[length:]
    plain = [card for card in mask_cards(ALL_MASK) if card not in trumps]
    # with: the next trump is somewhere else
    cards = ([*top, *rest[1:], *plain] if matadors > 0 else [*rest, *plain])[:12]
    return mask_of(cards[:10]), mask_of(cards[10:])


def _outcomes(*, is_won: bool, is_schneider: bool, is_schwarz: bool) -> Iterable[tuple[int, int]]:
    """Card points and tricks that say the same as a line; not all of them cards can give."""
    if is_schwarz:
        return [(120, 10)] if is_won else [(points, 0) for points in range(23)]
    if is_won:
        points = range(90, 120) if is_schneider else range(61, 90)
        return [(p, t) for t in (9, 8, 7, 6, 5, 4) for p in points]
    points = range(30, -1, -1) if is_schneider else range(60, 30, -1)
    return [(p, t) for t in (3, 2, 4, 1, 5) for p in points]


@functools.lru_cache(maxsize=4096)
def score_line(
    contract: Contract,
    *,
    is_won: bool,
    matadors: int | None = None,
    is_schneider: bool = False,
    is_schwarz: bool = False,
    bid_value: int = 18,
    kontra: int = 0,
    bock: int = 1,
    ruleset: Ruleset = ISKO,
) -> Score:
    """The score of a line of a score sheet.

    Parameters
    ----------
    contract : with what was announced.
    matadors : signed; None in null.
    is_schneider, is_schwarz : made, on either side.
    bid_value : where it is known; sheets often do not say it.
    kontra : doublings said: 1 Kontra, 2 and Re.
    bock : factor of the Bock rounds.

    Raises
    ------
    RuleError
        No game says what the line says.

    Examples
    --------
    >>> score_line(Contract(name="spades"), matadors=-2, is_won=True, is_schneider=True).score
    44
    """
    if contract.is_null:
        hand, skat = twelve_with(Contract(name="grand"), 1)
        return score_game(
            contract,
            hand_mask=hand,
            skat_mask=skat,
            bid_value=bid_value,
            trick_count=0 if is_won else 1,
            kontra=kontra,
            bock=bock,
            ruleset=ruleset,
        )
    if matadors is None:
        raise RuleError(f"{contract.name} is scored by matadors: how many?")
    hand, skat = twelve_with(contract, matadors)
    for card_points, trick_count in _outcomes(
        is_won=is_won, is_schneider=is_schneider, is_schwarz=is_schwarz
    ):
        try:
            score = score_game(
                contract,
                hand_mask=hand,
                skat_mask=skat,
                bid_value=bid_value,
                card_points=card_points,
                trick_count=trick_count,
                kontra=kontra,
                bock=bock,
                ruleset=ruleset,
            )
        except RuleError:  # the sums of these cards skip it
            continue
        if score.is_won == is_won:
            return score
    raise RuleError(
        f"no game says {contract}, matadors {matadors}, {'won' if is_won else 'lost'}, "
        f"schneider {is_schneider}, schwarz {is_schwarz}"
    )


def score_ramsch_line(
    card_points: int,
    *,
    virgin_count: int = 0,
    unseen_pushes: int = 0,
    is_durchmarsch: bool = False,
    kontra: int = 0,
    bock: int = 1,
    ruleset: Ruleset = RULESETS["ramsch"],
) -> RamschScore:
    """The score of a Ramsch on a score sheet; forehand stands for who is entered.

    Parameters
    ----------
    card_points : of who is entered, the skat included where it is his.
    virgin_count : the players without a trick.
    unseen_pushes : how often the skat was pushed on unseen.
    is_durchmarsch : he took all ten tricks.

    Raises
    ------
    RuleError
        No Ramsch by these rules ends so.

    Examples
    --------
    >>> score_ramsch_line(69).scores
    (-69, 0, 0)
    """
    problem = RuleError(f"no Ramsch is lost with {card_points!r} card points")
    for points, counts, lasts in _ramsch_outcomes(
        card_points, virgin_count=virgin_count, is_durchmarsch=is_durchmarsch
    ):
        try:
            return score_ramsch(
                points,
                counts,
                lasts,
                skat_points=0,
                unseen_pushes=unseen_pushes,
                kontra=kontra,
                bock=bock,
                ruleset=ruleset,
            )
        except RuleError as error:  # the sums of cards skip it, or no Ramsch is so
            problem = error
    raise problem


def _ramsch_outcomes(
    card_points: int, *, virgin_count: int, is_durchmarsch: bool
) -> Iterable[tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]]:
    """Card points, tricks, last tricks that say the same as a line; not all can be."""
    if is_durchmarsch:
        return [((120, 0, 0), (10, 0, 0), (10, 0, 0))]
    rest = 120 - card_points
    if virgin_count and rest <= card_points:
        return [((card_points, rest, 0), (t, 10 - t, 0), (10, 9, 0)) for t in range(9, 0, -1)]
    if virgin_count:
        return []
    splits = [points for points in range(rest // 2, -1, -1) if rest - points <= card_points]
    return [
        ((card_points, low, rest - low), (t, (10 - t) // 2, 10 - t - (10 - t) // 2), (10, 9, 8))
        for low in splits
        for t in (4, 5, 3, 6, 2, 7, 8)
    ]
