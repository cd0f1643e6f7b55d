"""The result of a Ramsch (RULES 13), and which outcomes cards can give at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from skatsim.arguments import check_whole, items_of
from skatsim.cards import SEATS, card_points
from skatsim.errors import RuleError
from skatsim.kernels import rules as kernel_rules
from skatsim.ruleset import MOST_BOCK, RULESETS, Ruleset
from skatsim.scoring import card_sums
from skatsim.wording import count_text

__all__ = ["RamschScore", "score_ramsch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RamschScore:
    """The result of a Ramsch (RULES 13).

    Attributes
    ----------
    scores : what forehand, middlehand, rearhand enter.
    is_durchmarsch : one player took all ten tricks.
    virgins : the seats without a trick.
    """

    scores: tuple[int, int, int]
    is_durchmarsch: bool
    virgins: tuple[int, ...]


def score_ramsch(
    trick_points: Sequence[int],
    trick_counts: Sequence[int],
    last_tricks: Sequence[int],
    *,
    skat_points: int,
    unseen_pushes: int = 0,
    kontra: int = 0,
    bock: int = 1,
    ruleset: Ruleset = RULESETS["ramsch"],
) -> RamschScore:
    """The result of a Ramsch from what each seat took (RULES 13).

    Parameters
    ----------
    trick_points : card points in each seat's tricks, without the skat.
    trick_counts : tricks of each seat.
    last_tricks : number of each seat's last trick, 1 to 10; 0 without a trick.
    skat_points : card points of the skat as it lies in the end.
    unseen_pushes : how often the skat was pushed on unseen (RULES 13.6).
    kontra : doublings said, Klopfen among them.
    bock : factor of Bock rounds.

    Raises
    ------
    RuleError
        No Ramsch by these rules ends so.

    Examples
    --------
    >>> score_ramsch((0, 60, 50), (0, 6, 4), (0, 10, 9), skat_points=10).scores
    (0, -140, 0)
    """
    points = _three(trick_points, "trick_points")
    counts = _three(trick_counts, "trick_counts")
    lasts = _three(last_tricks, "last_tricks")
    skat_points = check_whole(skat_points, "skat_points")
    unseen_pushes = check_whole(unseen_pushes, "unseen_pushes")
    kontra, bock = check_whole(kontra, "kontra"), check_whole(bock, "bock")
    _check_taken(points, counts, lasts, skat_points)
    _check_said(ruleset, unseen_pushes=unseen_pushes, kontra=kontra, bock=bock)
    entries = kernel_rules.settle_ramsch(
        ruleset.kernel_record(),
        points,
        counts,
        lasts,
        skat_points,
        unseen_pushes,
        bock << kontra,
    )
    first, second, third = (int(entry) for entry in entries)
    return RamschScore(
        scores=(first, second, third),
        is_durchmarsch=max(counts) == 10 and ruleset.ramsch_fixed is None,
        virgins=tuple(seat for seat in range(3) if counts[seat] == 0),
    )


def _three(values: Sequence[int], name: str) -> tuple[int, int, int]:
    """A whole number for each seat."""
    listed = items_of(values, name, object, "a number for each seat")
    found = [check_whole(value, name) for value in listed]
    if len(found) != 3:
        raise RuleError(f"{name} of {len(found)} seats: three players play Ramsch")
    return found[0], found[1], found[2]


def _check_taken(
    points: tuple[int, ...], counts: tuple[int, ...], lasts: tuple[int, ...], skat_points: int
) -> None:
    """Refuse what no ten tricks give; each player's sum is looked at on its own."""
    if (
        sum(points) + skat_points != 120
        or sum(counts) != 10
        or min(*points, *counts, skat_points) < 0
    ):
        raise RuleError(
            f"a Ramsch has ten tricks and 120 card points with the skat, not {sum(counts)} and "
            f"{sum(points) + skat_points}"
        )
    if not _is_sum(2, skat_points):
        raise RuleError(f"no two cards of a skat have {count_text(skat_points, 'card point')}")
    for seat in range(3):
        if not _is_sum(3 * counts[seat], points[seat]):
            raise RuleError(
                f"{SEATS[seat]} cannot have {count_text(points[seat], 'card point')} in "
                f"{count_text(counts[seat], 'trick')}"
            )
    if any((last == 0) != (count == 0) for last, count in zip(lasts, counts, strict=True)):
        raise RuleError("the last trick is 0 for who has no trick, and only for him")
    ends = sorted(zip(lasts, counts, strict=True))
    taken = list(accumulate(count for _, count in ends))
    is_early = any(most > last for (last, _), most in zip(ends, taken, strict=True))
    given = [last for last in lasts if last]
    if is_early or max(lasts) != 10 or len(set(given)) != len(given):
        raise RuleError(
            f"the last tricks cannot be {', '.join(map(str, lasts))} with "
            f"{', '.join(map(str, counts))} tricks: one player has the tenth, and nobody "
            "more tricks than there were until his last"
        )


def _check_said(ruleset: Ruleset, *, unseen_pushes: int, kontra: int, bock: int) -> None:
    """Refuse what a ruleset does not know in a Ramsch."""
    if not ruleset.has_ramsch:
        knowing = [known.name for known in RULESETS.values() if known.has_ramsch]
        raise RuleError(
            f"ruleset {ruleset.name!r} knows no Ramsch: {', '.join(knowing)} do, or a TOML file "
            "with all_pass or ramsch_rounds"
        )
    most_pushes = 3 if ruleset.is_schieberamsch else 0
    most_kontra = 3 * ruleset.is_klopfen
    most_kontra += ruleset.is_kontra_in_ramsch and ruleset.kontra_steps > 0
    for number, most, what, field in (
        (unseen_pushes, most_pushes, "pushes of an unseen skat", "is_schieberamsch"),
        (kontra, most_kontra, "doublings", "is_kontra_in_ramsch or is_klopfen"),
    ):
        if not 0 <= number <= most:
            raise RuleError(
                f"a Ramsch by ruleset {ruleset.name!r} has 0 to {most} {what}, not {number} "
                f"({field})"
            )
    if not 1 <= bock <= MOST_BOCK or bock & (bock - 1):
        raise RuleError(f"the factor of Bock cannot be {bock!r}: 1, 2, 4, ... {MOST_BOCK}")


@cache
def _sums() -> list[int]:
    """For each count of cards of the pack the sums they can have, as bits of an integer."""
    return card_sums((card_points(card) for card in range(32)), 30)


def _is_sum(count: int, points: int) -> bool:
    return bool(_sums()[count] >> points & 1)
