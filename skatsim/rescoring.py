"""The same plays under other rules, deal by deal: what a rule is worth.

Only rules that score can be exchanged so. Where the other rules would have let somebody bid,
declare, say or play something else, the plays would not have been the same, and there is
nothing to compare.
"""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from skatsim.archive import Archive, Run
from skatsim.arguments import check_kind, check_path, check_text
from skatsim.errors import RuleError
from skatsim.intervals import QUANTILE
from skatsim.records import CONTRACTS, from_table
from skatsim.replaying import replay_rows
from skatsim.ruleset import Ruleset, find_ruleset
from skatsim.seating import SeriesPlan, SeriesState, multiply_entries

__all__ = ["Rescored", "RescoredRow", "obstacles", "rescore"]


SCORING_FIELDS: Final = frozenset(
    {
        "lost_factor",
        "lost_hand_factor",
        "schneider_points",
        "schneider_against_points",
        "bock_triggers",
        "bock_accumulation",
        "is_bock_trigger_doubled",
        "ramsch_skat",
        "ramsch_tie",
        "ramsch_forty",
        "ramsch_jungfrau_factor",
        "ramsch_durchmarsch",
        "ramsch_cap",
        "ramsch_fixed",
        "push_factor",
        "is_durchmarsch_pushed",
        "own_game_bonus",
        "defender_bonus_three",
        "defender_bonus_four",
    }
)
"""Fields that change what is entered, and nothing that anybody may do."""

BOCK_FIELDS: Final = ("bock_triggers", "bock_accumulation", "is_bock_trigger_doubled")

BONUS_FIELDS: Final = frozenset({"own_game_bonus", "defender_bonus_three", "defender_bonus_four"})

RAMSCH_FIELDS: Final = frozenset(
    {"is_schieberamsch", "is_pushing_jacks", "is_ramsch_grand_hand", "is_klopfen",
     "is_kontra_in_ramsch"}
)  # fmt: skip

KONTRA_FIELDS: Final = frozenset({"kontra_who", "kontra_when", "is_kontra_in_ramsch"})

REASONS: Final = {
    **dict.fromkeys(
        ("all_pass", "ramsch_rounds"), "deals would have been played that were not, or otherwise"
    ),
    **dict.fromkeys(
        ("is_strict_declare", "null_below_bid", "ouvert_requires", "is_announcing_after_skat",
         "is_skat_always_taken", "spitze_levels", "revolution_value"),
        "other games could have been declared",
    ),
    **dict.fromkeys(
        ("kontra_steps", "kontra_who", "kontra_when", "is_kontra_in_ramsch", "is_schenken",
         "is_klopfen"),
        "other things could have been said before the play",
    ),
    **dict.fromkeys(
        ("is_schieberamsch", "is_pushing_jacks", "is_ramsch_grand_hand"),
        "the skat of a Ramsch would have gone another way",
    ),
    "is_value_table_only": "those rules score games and are not played",
}  # fmt: skip
"""Why a field makes it impossible; of all others: other values could have been bid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoredRow:
    """What the other rules change in one kind of deals.

    Attributes
    ----------
    scoring : ``plain`` or ``seeger_fabian``: what all players of the table are entered together.
    contract : the contract, ``passed_in``, or ``all``.
    deals, changed : how many deals, and how many of them are entered otherwise.
    before, after : the mean a deal.
    difference : the mean of the paired differences, with its 95 % interval; the bounds are None
        with fewer than two deals.
    """

    scoring: str
    contract: str
    deals: int
    changed: int
    before: float
    after: float
    difference: float
    difference_low: float | None
    difference_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """A run under two rulesets.

    ``unit`` is what the intervals take as independent: the deals, or with Bock rounds, which
    tie the deals of a series together, the series.
    """

    run: str
    ruleset: str
    other_ruleset: str
    deals: int
    unit: Literal["deal", "series"]
    rows: tuple[RescoredRow, ...]


def obstacles(rules: Ruleset, other: Ruleset, *, has_series: bool = True) -> dict[str, str]:
    """The fields by which play would have differed, and why; empty where plays can be rescored.

    Parameters
    ----------
    has_series : whether the games were played as series, which Bock rounds need.

    Examples
    --------
    >>> from skatsim.ruleset import ISKO
    >>> obstacles(ISKO, ISKO.with_(lost_hand_factor=1))
    {}
    >>> obstacles(ISKO, ISKO.with_(grand_base=20))
    {'grand_base': 'other values could have been bid'}
    """
    mine, its = rules.content(), other.content()
    different = {name for name in mine if name != "name" and mine[name] != its[name]}
    if not (rules.has_ramsch or other.has_ramsch):
        different -= RAMSCH_FIELDS
    if not (rules.kontra_steps or other.kontra_steps):
        different -= KONTRA_FIELDS
    if not (rules.is_schieberamsch or other.is_schieberamsch):
        different.discard("is_pushing_jacks")
    found = {
        name: REASONS.get(name, "other values could have been bid")
        for name in mine
        if name in different - SCORING_FIELDS
    }
    if rules.ramsch_rounds == other.ramsch_rounds == "after_bock":
        for name in sorted((different & SCORING_FIELDS) - BONUS_FIELDS):
            found[name] = "rounds of Ramsch would have come after other deals"
    if not has_series:
        for name in BOCK_FIELDS:
            if name in different and name not in found:
                found[name] = "Bock rounds are rounds of a series, and the run has none"
    return found


def rescore(
    archive: Archive | str | os.PathLike[str], run: str, ruleset: str | Ruleset
) -> Rescored:
    """Score the plays of a run under other rules, and compare deal by deal.

    Parameters
    ----------
    archive : the archive, or its folder.
    run : the run.
    ruleset : the other rules: a name, a TOML file, or a ruleset.

    Raises
    ------
    RuleError
        Play would have differed under them: names the fields.
    ArchiveError
        The run cannot be read.
    """
    check_text(run, "run")
    if not isinstance(archive, Archive):
        check_path(archive, "archive")
    check_kind(ruleset, "ruleset", (str, Ruleset), "a ruleset or its name")
    opened = archive if isinstance(archive, Archive) else Archive.open(archive)
    chosen = opened.run(run)
    other = find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
    rules = chosen.manifest.rules()
    found = obstacles(rules, other, has_series=chosen.manifest.series_length is not None)
    if found:
        reasons = "; ".join(
            f"{name} is {rules.content()[name]!r} there and {other.content()[name]!r} in "
            f"{other.name!r}: {reason}"
            for name, reason in found.items()
        )
        raise RuleError(f"cannot rescore run {chosen.name!r}: play would have differed: {reasons}")
    length = chosen.manifest.series_length
    is_by_series = length is not None and bool(rules.bock_triggers or other.bock_triggers)
    unit_deals = length if length is not None and is_by_series else 1
    sums: dict[tuple[str, str], _Sums] = {}
    deals = 0
    for before, after, table_sizes in _pairs(chosen, other):
        units = (deals + np.arange(len(before))) // unit_deals
        deals += len(before)
        kinds = np.where(before["contract"] < 0, len(CONTRACTS), before["contract"])
        for scoring in ("plain", "seeger_fabian"):
            old = _entered(before, rules, table_sizes, scoring)
            new = _entered(after, other, table_sizes, scoring)
            sums.setdefault((scoring, "all"), _Sums()).add(old, new, units)
            for kind in np.unique(kinds):
                name = "passed_in" if kind == len(CONTRACTS) else CONTRACTS[kind]
                chosen_rows = kinds == kind
                sums.setdefault((scoring, name), _Sums()).add(
                    old[chosen_rows], new[chosen_rows], units[chosen_rows]
                )
    order = ("all", *reversed(CONTRACTS[:5]), *CONTRACTS[5:], "passed_in")
    return Rescored(
        run=chosen.name,
        ruleset=chosen.manifest.ruleset_label,
        other_ruleset=other.label,
        deals=deals,
        unit="series" if is_by_series else "deal",
        rows=tuple(
            sums[scoring, name].row(scoring, name)
            for scoring in ("plain", "seeger_fabian")
            for name in order
            if (scoring, name) in sums
        ),
    )


def _pairs(run: Run, other: Ruleset) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Part by part the deals as archived, as scored by the other rules, and the table sizes."""
    manifest = run.manifest
    plan = None
    if manifest.series_length is not None:
        plan = SeriesPlan(length=manifest.series_length, players=tuple(manifest.players))
    state = None
    for part in manifest.parts:
        table = run.read_part(part)
        rows, calls = from_table(table)
        sizes = table.column("table_size").fill_null(3).to_numpy()
        bare = rows.copy()
        bare["bock_factor"] = 1
        replayed, faults = replay_rows(bare, calls, other)
        if faults.any():
            number = part.first + int(np.flatnonzero(faults)[0])
            raise RuleError(
                f"game {run.name}:{number} does not replay under {other.name!r}: "
                "run 'skatsim verify --deep'"
            )
        for index in range(len(rows)) if plan and other.bock_triggers else ():
            game = part.first + index
            if plan.place(game)[1] == 0 or state is None:  # type: ignore[union-attr]
                state = SeriesState.start(other, plan.table_size)  # type: ignore[union-attr]
            row = replayed[index]
            if state.factor > 1:
                multiply_entries(row, state.factor, ramsch_cap=other.ramsch_cap)
            state = state.after(row, plan.seats(game))  # type: ignore[union-attr]
        yield rows, replayed, sizes


def _entered(rows: np.ndarray, rules: Ruleset, table_sizes: np.ndarray, scoring: str) -> np.ndarray:
    """What all players of the table are entered for each deal, together."""
    entered = rows["score"].astype(np.int64)
    for name in ("forehand_entry", "middlehand_entry", "rearhand_entry"):
        entered = entered + rows[name]
    if scoring == "plain":
        return entered
    is_declared = (rows["declarer_seat"] >= 0) & (rows["contract"] >= 0)
    is_won = is_declared & (rows["is_won"] != 0)
    is_lost = is_declared & (rows["is_won"] == 0)
    others = np.where(
        table_sizes == 4, 3 * rules.defender_bonus_four, 2 * rules.defender_bonus_three
    )
    bonus = rules.own_game_bonus
    return np.asarray(entered + is_won * bonus + is_lost * (others - bonus))


@dataclass(slots=True)
class _Sums:
    """Whole numbers that are added up, so that their order does not matter.

    The mean a deal is a ratio of sums over independent units (deals, or series): its variance
    is that of the units' sums less the mean times their deals.
    """

    deals: int = 0
    changed: int = 0
    before: int = 0
    after: int = 0
    units: int = 0
    squares: int = 0
    products: int = 0
    square_deals: int = 0

    def add(self, old: np.ndarray, new: np.ndarray, units: np.ndarray) -> None:
        """Add deals; `units`, ascending, says which belong together."""
        difference = new - old
        starts = np.flatnonzero(np.diff(units, prepend=-1))
        sums = np.add.reduceat(difference, starts) if len(starts) else difference
        counts = np.diff(starts, append=len(old))
        self.units += len(starts)
        self.deals += len(old)
        self.changed += int(np.count_nonzero(difference))
        self.before += int(old.sum())
        self.after += int(new.sum())
        self.squares += int((sums * sums).sum())
        self.products += int((sums * counts).sum())
        self.square_deals += int((counts * counts).sum())

    def row(self, scoring: str, contract: str) -> RescoredRow:
        count = max(1, self.deals)
        mean = (self.after - self.before) / count
        margin = None
        if self.units > 1:
            spread = self.squares - 2 * mean * self.products + mean * mean * self.square_deals
            variance = max(0.0, spread) * self.units / (self.units - 1) / count**2
            margin = QUANTILE * math.sqrt(variance)
        return RescoredRow(
            scoring=scoring,
            contract=contract,
            deals=self.deals,
            changed=self.changed,
            before=self.before / count,
            after=self.after / count,
            difference=mean,
            difference_low=None if margin is None else mean - margin,
            difference_high=None if margin is None else mean + margin,
        )


def as_rows(result: Rescored) -> list[dict[str, Any]]:
    """The rows as dictionaries."""
    return [
        {name: getattr(row, name) for name in RescoredRow.__dataclass_fields__}
        for row in result.rows
    ]
