"""Files of deals solved one by one: the benchmark of the solver.

A file has the columns ``game leader declarer left right skat``: the contract, who leads
(``declarer left right``), the declarer's hand, those of the seats that play after and before
him, and the two cards laid away. ``value`` is the declarer's card points under best play, in null
``won`` or ``lost``; where it is given it is compared.
"""

import csv
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TextIO

import joblib

from skatsim.cards import SEATS, find_notation, mask_points, mask_text, parse_mask
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import NotationError, RuleError
from skatsim.kernels import solver_drive as _drive
from skatsim.kernels.cards import ALL_MASK
from skatsim.kernels.solver_layout import clear_null_table, clear_table
from skatsim.solver import GAME_POINTS, Position, borrowed_workspace

__all__ = [
    "COLUMNS",
    "DealRow",
    "SolvedDeal",
    "Timing",
    "read_deals",
    "solve_deals",
    "summarize",
]

solver_drive: Any = _drive
"""mypy sees the plain functions, which take no unpacked lists."""

COLUMNS: Final = ("game", "leader", "declarer", "left", "right", "skat")
PLACES: Final = ("declarer", "left", "right")
TWELVE: Final = 12
BLOCK: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRow:
    """A row of a file: its cells, and what they mean.

    Attributes
    ----------
    number : from 1, without the heading.
    cells : every column as it is written.
    masks : the hands of declarer, left, right.
    leader : 0 declarer, 1 left, 2 right.
    value : what the row says; None without.
    """

    number: int
    cells: Mapping[str, str]
    contract: Contract
    masks: tuple[int, int, int]
    skat_mask: int
    leader: int
    value: int | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedDeal:
    """A row and its answer.

    Attributes
    ----------
    value : card points; whether the declarer wins in null and by ``wins``, whether he gets so
        many where that was asked.
    discard_mask : the best discard, where that was asked.
    seconds : processor time, with the clearing of the table before.
    is_different : it contradicts the value given.
    """

    deal: DealRow
    value: int | bool
    discard_mask: int | None
    seconds: float
    is_different: bool
    is_question: bool = False

    @property
    def cells(self) -> dict[str, str]:
        """The columns of the row, then ``solved_value``, ``discard`` where asked, ``seconds``."""
        if isinstance(self.value, bool):
            words = ("no", "yes") if self.is_question else ("lost", "won")
            text = words[self.value]
        else:
            text = str(self.value)
        cells = {**self.deal.cells, "solved_value": text}
        if self.discard_mask is not None:
            cells["discard"] = mask_text(self.discard_mask)
        return {**cells, "seconds": f"{self.seconds:.7f}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds of processor time of the deals of one set and kind of game."""

    set: str
    game: str
    deals: int
    mean: float
    median: float
    p95: float
    max: float


def read_deals(file: TextIO, name: str, *, is_twelve: bool = False) -> list[DealRow]:
    """The rows of a file, all of them checked.

    Parameters
    ----------
    file : open for reading, with ``newline=""``.
    name : for messages.
    is_twelve : the declarer's hand and the skat together are the twelve cards to choose from.

    Raises
    ------
    NotationError, RuleError
        A column is missing, or a row is no position; the row is named.
    """
    reader = csv.DictReader(file, strict=True)
    rows: list[DealRow] = []
    try:
        columns = [column.strip().lower() for column in reader.fieldnames or ()]
        missing = [column for column in COLUMNS if column not in columns]
        if missing:
            raise NotationError(
                f"{name!r} has no column {missing[0]!r}: needed are {' '.join(COLUMNS)}"
            )
        reader.fieldnames = columns
        for number, cells in enumerate(reader, 1):
            place = f"{name!r} row {number} (line {reader.line_num})"
            if None in cells or None in cells.values():
                raise NotationError(f"{place}: {len(columns)} columns are needed")
            try:
                rows.append(_row(number, cells, is_twelve=is_twelve))
            except NotationError as error:
                raise NotationError(f"{place}: {error}") from None
            except RuleError as error:
                raise RuleError(f"{place}: {error}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise NotationError(f"{name!r} is no CSV file: {error}") from None
    return rows


def _row(number: int, cells: dict[str, str], *, is_twelve: bool) -> DealRow:
    contract = parse_contract(cells["game"])
    leader = cells["leader"].strip().lower()
    if leader not in PLACES:
        raise NotationError(f"leader {cells['leader']!r} is none of {' '.join(PLACES)}")
    texts = [cells[column] for column in (*PLACES, "skat")]
    notation = find_notation(*texts)
    masks = []
    for column, text in zip((*PLACES, "skat"), texts, strict=True):
        try:
            masks.append(parse_mask(text, notation))
        except NotationError as error:
            raise NotationError(f"{column}: {error}") from None
    declarer, left, right, skat = masks
    try:
        Position(
            forehand_mask=declarer,
            middlehand_mask=left,
            rearhand_mask=right,
            skat_mask=skat,
            contract=contract,
            declarer_seat=0,
        )
    except RuleError as error:
        message = str(error)
        for seat, column in zip(SEATS, PLACES, strict=True):
            message = message.replace(seat, column)
        raise RuleError(message) from None
    if is_twelve and (declarer | skat).bit_count() != TWELVE:
        raise RuleError(f"declarer and skat {mask_text(declarer | skat)!r}: twelve cards needed")
    return DealRow(
        number=number,
        cells=cells,
        contract=contract,
        masks=(declarer, left, right),
        skat_mask=skat,
        leader=PLACES.index(leader),
        value=_value(contract, cells.get("value", "").strip().lower()),
    )


def _value(contract: Contract, text: str) -> int | bool | None:
    if not text:
        return None
    if contract.is_null:
        if text not in ("won", "lost"):
            raise NotationError(f"value {text!r} of a null game is neither won nor lost")
        return text == "won"
    if not (text.isascii() and text.isdecimal() and int(text) <= 120):
        raise NotationError(f"value {text!r} is no number of card points: 0 to 120")
    return int(text)


def solve_deals(
    deals: Sequence[DealRow],
    *,
    at_least: int | None = None,
    discard_by: Literal["points", "wins"] | None = None,
    n_jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[SolvedDeal]:
    """Solve deals one by one, each with a table that was cleared before.

    Parameters
    ----------
    deals : from `read_deals`.
    at_least : ask only whether the declarer gets so many card points; null rows ignore it.
    discard_by : choose the two cards to lay away among declarer's hand and skat: ``points``
        the most card points, ``wins`` any that win.
    n_jobs : threads; ``seconds`` are those of the thread.
    on_progress : called with the deals done and all deals.
    """
    if at_least is not None and not 0 <= at_least <= 120:
        raise RuleError(f"at least {at_least!r} card points: give 0 to 120")
    if at_least is not None and discard_by is not None:
        raise RuleError("at least so many card points, or the best discard: not both")

    def solve_block(block: Sequence[DealRow]) -> list[SolvedDeal]:
        with borrowed_workspace() as ws:
            if discard_by is not None:
                return [_best_discard(ws, deal, discard_by) for deal in block]
            return [_solved(ws, deal, at_least) for deal in block]

    blocks = [deals[start : start + BLOCK] for start in range(0, len(deals), BLOCK)]
    results: Iterable[list[SolvedDeal]]
    if n_jobs == 1:
        results = map(solve_block, blocks)
    else:
        parallel = joblib.Parallel(
            n_jobs=n_jobs, backend="threading", return_as="generator", batch_size=1
        )
        results = parallel(joblib.delayed(solve_block)(block) for block in blocks)
    solved: list[SolvedDeal] = []
    for result in results:
        solved += result
        if on_progress:
            on_progress(len(solved), len(deals))
    return solved


def _solved(ws: int, deal: DealRow, at_least: int | None) -> SolvedDeal:
    contract = deal.contract
    is_question = at_least is not None and not contract.is_null
    sure = mask_points(deal.skat_mask)
    aim = -1 if at_least is None else max(at_least - sure, 0)
    clear = clear_null_table if contract.is_null else clear_table
    started = time.thread_time()
    clear(ws)
    found = int(solver_drive.solve_deal(ws, *deal.masks, contract.number, deal.leader, aim))
    seconds = time.thread_time() - started
    value: int | bool = found == 1 if contract.is_null or is_question else sure + found
    expected = deal.value
    if is_question and expected is not None and at_least is not None:
        expected = expected >= at_least
    return SolvedDeal(
        deal=deal,
        value=value,
        discard_mask=None,
        seconds=seconds,
        is_different=expected is not None and expected != value,
        is_question=is_question,
    )


def _best_discard(ws: int, deal: DealRow, by: Literal["points", "wins"]) -> SolvedDeal:
    contract = deal.contract
    declarer, left, right = deal.masks
    aim = GAME_POINTS if by == "wins" else -1
    started = time.thread_time()
    found = int(
        solver_drive.best_discard(
            ws, declarer | deal.skat_mask, left, right, contract.number, deal.leader, aim
        )
    )
    seconds = time.thread_time() - started
    best = found >> 32
    is_yes_no = contract.is_null or by == "wins"
    value: int | bool = best == 1 if is_yes_no else best
    given = deal.value
    if given is not None and is_yes_no and not contract.is_null:
        given = given >= GAME_POINTS
    return SolvedDeal(
        deal=deal,
        value=value,
        discard_mask=found & ALL_MASK,
        seconds=seconds,
        is_different=given is not None and value < given,
    )


def summarize(solved: Iterable[SolvedDeal]) -> Iterator[Timing]:
    """The times by set and kind of game, in the order in which they come."""
    groups: dict[tuple[str, str], list[float]] = {}
    for entry in solved:
        name = entry.deal.contract.name
        kind = name if name in ("grand", "null") else "suit"
        key = (entry.deal.cells.get("set", ""), kind)
        groups.setdefault(key, []).append(1000 * entry.seconds)
    for (group, kind), times in groups.items():
        times.sort()
        yield Timing(
            set=group,
            game=kind,
            deals=len(times),
            mean=math.fsum(times) / len(times),
            median=(times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2,
            p95=times[math.ceil(0.95 * len(times)) - 1],
            max=times[-1],
        )
