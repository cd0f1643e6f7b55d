"""What best play on open cards is worth: exact, for every contract and any position.

All cards are seen by everyone here. That is more than the players know, so a value is what
a deal holds, not what a player could have been sure of.

`solve` answers one position with the value of every card and an optimal line; `card_points`
and `reaches` answer less and faster; `solve_many` takes columns of deals; `best_discard`
chooses among the 66 ways to lay away two of twelve cards.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skatsim.arguments import MOST_JOBS, check_kind, check_whole, check_word, items_of
from skatsim.cards import SEATS, card_text, check_mask, mask_of, mask_text
from skatsim.cards import mask_points as points_of
from skatsim.contracts import Contract
from skatsim.errors import RuleError
from skatsim.kernels import solver_calls, solver_layout, solver_memory
from skatsim.kernels import solver_drive as _drive
from skatsim.kernels.cards import ALL_MASK, NULL
from skatsim.play import check_card, follow_mask, legal_cards, trick_winner
from skatsim.wording import count_text

__all__ = [
    "Discard",
    "Position",
    "Solution",
    "best_discard",
    "card_points",
    "reaches",
    "solve",
    "solve_many",
    "takes_the_rest",
]

solver_drive: Any = _drive
"""mypy sees the plain functions, which take no unpacked lists and no arrays."""

ORDER_FILE = Path(__file__).parent / "kernels" / "solver_order.npy"
"""The move-ordering table; ``python -m skatsim.study.train_ordering`` makes it."""

GAME_POINTS = 61
SCHNEIDER_POINTS = 90
HAND_CARDS = 10
SKAT_CARDS = 2
LINE_BYTES = 64
BLOCK = 32
"""Rows a thread solves at a time: few, since some deals take a hundred times as long."""


class Workspace:
    """Transposition tables and tables of a deal, for one thread at a time.

    Parameters
    ----------
    scores : move-ordering scores in place of those that are shipped.
    extra_bytes : memory after the workspace proper, for training.
    """

    def __init__(self, *, scores: NDArray[np.int16] | None = None, extra_bytes: int = 0) -> None:
        size = solver_memory.WORKSPACE_BYTES + extra_bytes + LINE_BYTES
        self._bytes = np.zeros(size, dtype=np.uint8)
        start = int(self._bytes.ctypes.data)
        self._skipped = -start % LINE_BYTES
        self.address = start + self._skipped
        solver_layout.make_workspace(self.address)
        self.words(solver_memory.SEARCHES, 2)[:] = solver_calls.addresses()
        scores = np.load(ORDER_FILE) if scores is None else scores
        start = self._skipped + solver_memory.ORDER
        self._bytes[start : start + 2 * solver_memory.CELLS] = scores.view(np.uint8)

    def words(self, offset: int, count: int) -> NDArray[np.int64]:
        """A view of the words at an offset."""
        start = self._skipped + offset
        return self._bytes[start : start + 8 * count].view(np.int64)


_idle: deque[Workspace] = deque()


@contextmanager
def borrowed_workspace() -> Iterator[int]:
    """The address of a workspace that nobody else uses meanwhile."""
    try:
        held = _idle.pop()
    except IndexError:
        held = Workspace()
    try:
        yield held.address
    finally:
        _idle.append(held)


_WHOLE_FIELDS: Final = (
    "forehand_mask",
    "middlehand_mask",
    "rearhand_mask",
    "skat_mask",
    "declarer_seat",
    "leader_seat",
    "card_points",
    "trick_count",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """An open-card position: what everyone holds, what lies on the table, what was taken.

    Parameters
    ----------
    forehand_mask, middlehand_mask, rearhand_mask : cards still held, without those of the
        trick that is being played.
    skat_mask : the two cards laid away, or the skat of a hand game; they count for the
        declarer.
    contract : what is played; announced schneider and schwarz raise what `Solution.won` asks.
    declarer_seat : who plays it.
    leader_seat : who led, or will lead, the trick that is being played.
    trick : the cards on the table in the order played, none to two.
    card_points : the declarer's card points from finished tricks, without the skat.
    trick_count : the declarer's finished tricks.

    Raises
    ------
    RuleError
        If no game leads to such a position; it says what is wrong.
    """

    forehand_mask: int
    middlehand_mask: int
    rearhand_mask: int
    skat_mask: int
    contract: Contract
    declarer_seat: int
    leader_seat: int = 0
    trick: tuple[int, ...] = ()
    card_points: int = 0
    trick_count: int = 0

    def __post_init__(self) -> None:
        check_kind(self.contract, "contract", Contract, "a Contract")
        for name in _WHOLE_FIELDS:
            object.__setattr__(self, name, check_whole(getattr(self, name), name))
        cards = items_of(self.trick, "trick", object, "a tuple of cards")
        trick = tuple(check_whole(card, "trick") for card in cards)
        object.__setattr__(self, "trick", trick)
        for name in ("declarer_seat", "leader_seat"):
            if getattr(self, name) not in range(3):
                raise RuleError(f"{name} {getattr(self, name)!r} is no seat: 0, 1 or 2")
        self._check_cards()
        self._check_taken()

    def _check_cards(self) -> None:
        placed: dict[str, int] = {**dict(zip(SEATS, self.hands, strict=True))}
        placed["skat"] = self.skat_mask
        for place, mask in placed.items():
            if not 0 <= mask <= ALL_MASK:
                raise RuleError(f"{place} {mask!r} is no mask of cards: 0 to {ALL_MASK:#x}")
        for card in self.trick:
            if card not in range(32):
                raise RuleError(f"{card!r} on the table is no card: 0 to 31")
        for number, card in enumerate(self.trick):
            seat = SEATS[(self.leader_seat + number) % 3]
            placed[f"the card {seat} played"] = 1 << card
        seen = 0
        for place, mask in placed.items():
            if seen & mask:
                first = next(name for name, other in placed.items() if other & mask)
                raise RuleError(f"{mask_text(seen & mask)!r} in two places: {first} and {place}")
            seen |= mask
        if self.skat_mask.bit_count() != SKAT_CARDS:
            raise RuleError(f"skat {mask_text(self.skat_mask)!r}: two cards are needed")
        if len(self.trick) > 2:
            raise RuleError(
                f"{len(self.trick)} cards on the table: a finished trick belongs to its winner"
            )
        counts = [hand.bit_count() for hand in self.hands]
        whole = [
            count + ((seat - self.leader_seat) % 3 < len(self.trick))
            for seat, count in enumerate(counts)
        ]
        if len(set(whole)) != 1:
            held = ", ".join(f"{SEATS[seat]} {count}" for seat, count in enumerate(counts))
            if len(self.trick):
                leader = SEATS[self.leader_seat]
                table = f"with {count_text(len(self.trick), 'card')} on the table led by {leader}"
            else:
                table = "at the start of a trick"
            raise RuleError(f"uneven hands {table}: {held}")
        if whole[0] > HAND_CARDS:
            raise RuleError(f"hands of {whole[0]} cards: ten at most")
        if whole[0] == HAND_CARDS and seen != ALL_MASK:
            raise RuleError(f"cards missing: {mask_text(ALL_MASK & ~seen)!r}")
        self._check_trick()

    def _check_trick(self) -> None:
        """That those who have played to the trick could not have followed suit."""
        for number, card in enumerate(self.trick[1:], 1):
            seat = (self.leader_seat + number) % 3
            led = follow_mask(self.contract, self.trick[0])
            if not led >> card & 1 and self.hands[seat] & led:
                raise RuleError(
                    f"cannot play {card_text(card)!r} under {card_text(self.trick[0])!r}:"
                    f" {SEATS[seat]} holds {mask_text(self.hands[seat] & led)}"
                )

    def _check_taken(self) -> None:
        played = HAND_CARDS - self.card_count
        if not 0 <= self.trick_count <= played:
            raise RuleError(f"declarer with {self.trick_count!r} tricks: {played} are finished")
        seen = self.skat_mask | mask_of(self.trick)
        for hand in self.hands:
            seen |= hand
        gone = points_of(ALL_MASK & ~seen)
        low = gone if self.trick_count == played else 0
        high = 0 if self.trick_count == 0 else gone
        if not low <= self.card_points <= high:
            raise RuleError(
                f"declarer with {self.card_points!r} card points in {self.trick_count} of"
                f" {played} tricks: {low} to {high} are possible"
            )

    @property
    def hands(self) -> tuple[int, int, int]:
        """The three hands by seat."""
        return self.forehand_mask, self.middlehand_mask, self.rearhand_mask

    @property
    def card_count(self) -> int:
        """How many tricks are still to be finished."""
        return self.hands[self.leader_seat].bit_count() + (len(self.trick) > 0)

    @property
    def seat(self) -> int:
        """The seat to play."""
        return (self.leader_seat + len(self.trick)) % 3

    @property
    def is_over(self) -> bool:
        """Whether no card is left, or null is decided."""
        return self.card_count == 0 or (self.contract.is_null and self.trick_count > 0)

    def legal_cards(self) -> tuple[int, ...]:
        """The cards the seat to play may play, by number (RULES 5.1)."""
        lead = self.trick[0] if self.trick else None
        mask = legal_cards(self.contract, self.hands[self.seat], lead=lead)
        return tuple(card for card in range(32) if mask >> card & 1)

    def after(self, card: int) -> Self:
        """The position once the seat to play has played a card.

        Raises
        ------
        RuleError
            If the card is not held, or suit must be followed.
        """
        seat = self.seat
        lead = self.trick[0] if self.trick else None
        check_card(self.contract, self.hands[seat], card, lead=lead)
        hands = {f"{SEATS[seat]}_mask": self.hands[seat] & ~(1 << card)}
        trick = (*self.trick, card)
        if len(trick) < 3:
            return replace(self, trick=trick, **hands)  # type: ignore[arg-type]  # masks
        winner = (self.leader_seat + trick_winner(self.contract, trick)) % 3
        is_declarers = winner == self.declarer_seat
        return replace(
            self,
            trick=(),
            leader_seat=winner,
            card_points=self.card_points + points_of(mask_of(trick)) * is_declarers,
            trick_count=self.trick_count + is_declarers,
            **hands,  # type: ignore[arg-type]  # masks
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What best play of both sides leads to.

    Parameters
    ----------
    card_points : the declarer's in the end, skat included; None in null.
    won : whether the declarer wins: 61 card points, 90 or all tricks where announced, in
        null no trick. Overbidding is not looked at.
    line : an optimal line of play, card by card; in a null game that is lost it ends with the
        declarer's trick.
    moves : for the seat to play, the value of each card it may play: the declarer's card
        points, in null whether the declarer wins.
    """

    card_points: int | None
    won: bool
    line: tuple[int, ...]
    moves: dict[int, int] | dict[int, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """A choice of two cards to lay away.

    Parameters
    ----------
    skat_mask : the two cards.
    card_points : what they lead to, the declarer's card points with the two; None in null
        and where only winning was asked.
    won : whether the declarer wins.
    """

    skat_mask: int
    card_points: int | None
    won: bool


class _Search:
    """A position laid out for the kernels, in a borrowed workspace.

    Cards are bits of the solver's order; `hands` run from the leader of the trick and
    include the cards on the table.
    """

    def __init__(self, ws: int, position: Position) -> None:
        self.ws = ws
        self.contract = position.contract.number
        self.is_null = self.contract == NULL
        masks = list(position.hands)
        for number, card in enumerate(position.trick):
            masks[(position.leader_seat + number) % 3] |= 1 << card
        hands = [self.to_order(mask) for mask in masks]
        declarer, leader = position.declarer_seat, position.leader_seat
        from_declarer = [hands[(declarer + number) % 3] for number in range(3)]
        if self.is_null:
            solver_layout.set_null_deal(ws, *from_declarer)
        else:
            solver_drive.set_contract(ws, self.contract)
            solver_layout.next_generation(ws)
            solver_layout.set_deal(ws, *from_declarer)
        self.hands = [hands[(leader + number) % 3] for number in range(3)]
        self.d = (declarer - leader) % 3
        self.trick = tuple(self.place(card) for card in position.trick)

    def to_order(self, mask: int) -> int:
        """A mask of card ids in the solver's order."""
        if self.is_null:
            return int(solver_layout.to_null_order(mask))
        return int(solver_layout.to_trick_order(mask, self.contract))

    def place(self, card: int) -> int:
        """A card id's bit in the solver's order."""
        return self.to_order(1 << card).bit_length() - 1

    def _played(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        trick = self.trick + cards
        return trick + (-1,) * (3 - len(trick))

    def exact(self, *cards: int, first: int = -1) -> int:
        """The declarer's card points from the trick on, once `cards` are played to it."""
        trick = self._played(cards)
        if first < 0:
            first = solver_drive.guess(self.ws, *self.hands, self.d)
        return int(solver_drive.exact(self.ws, *self.hands, self.d, *trick, first, 0))

    def is_at_least(self, value: int, *cards: int) -> bool:
        """Whether the declarer gets `value` card points from the trick on."""
        if value <= 0:
            return True
        trick = self._played(cards)
        return bool(solver_drive.bound(self.ws, *self.hands, self.d, *trick, value) >= value)

    def wins_null(self, *cards: int) -> bool:
        """Whether the declarer of null takes neither this trick nor a later one."""
        trick = self._played(cards)
        return bool(solver_drive.wins_null(self.ws, *self.hands, self.d, *trick))

    def wins_all(self) -> bool:
        """Whether the declarer can take this trick and all later ones."""
        trick = self._played(())
        return bool(solver_drive.wins_all(self.ws, *self.hands, self.d, *trick))


def _final_points(position: Position) -> int:
    return position.card_points + points_of(position.skat_mask)


def _is_won(position: Position, value: int, search: _Search | None) -> bool:
    """Whether the declarer wins who gets `value` card points in all at best."""
    contract = position.contract
    if contract.is_schwarz_announced:
        finished = HAND_CARDS - position.card_count
        if position.trick_count < finished:
            return False
        return search is None or search.wins_all()
    return value >= (SCHNEIDER_POINTS if contract.is_schneider_announced else GAME_POINTS)


def card_points(position: Position) -> int:
    """The declarer's card points under best play of both sides, skat included.

    Raises
    ------
    RuleError
        In null, where card points do not count: ask `reaches`.
    """
    check_kind(position, "position", Position, "a Position")
    if position.contract.is_null:
        raise RuleError("card points of null: only whether it is won counts")
    if position.is_over:
        return _final_points(position)
    with borrowed_workspace() as ws:
        return _final_points(position) + _Search(ws, position).exact()


def reaches(position: Position, at_least: int | None = None) -> bool:
    """Whether the declarer gets that many card points under best play, skat included.

    Without `at_least`: whether the declarer wins, as `Solution.won`. This is several times
    faster than the exact value. In null `at_least` is not allowed.
    """
    check_kind(position, "position", Position, "a Position")
    contract = position.contract
    if contract.is_null:
        if at_least is not None:
            raise RuleError(f"at least {at_least!r} card points in null: they do not count")
        if position.is_over:
            return position.trick_count == 0
        with borrowed_workspace() as ws:
            return position.trick_count == 0 and _Search(ws, position).wins_null()
    if at_least is None and contract.is_schwarz_announced:
        if position.is_over:
            return _is_won(position, _final_points(position), None)
        with borrowed_workspace() as ws:
            return _is_won(position, 0, _Search(ws, position))
    if at_least is None:
        at_least = SCHNEIDER_POINTS if contract.is_schneider_announced else GAME_POINTS
    missing = at_least - _final_points(position)
    if position.is_over or missing <= 0:
        return missing <= 0
    with borrowed_workspace() as ws:
        return _Search(ws, position).is_at_least(missing)


def takes_the_rest(position: Position) -> bool:
    """Whether the declarer of a suit game or grand can take every trick still to be finished."""
    if position.contract.is_null:
        raise RuleError("the declarer of null wants no trick: ask `reaches`")
    if position.is_over:
        return True
    with borrowed_workspace() as ws:
        return _Search(ws, position).wins_all()


def solve(position: Position) -> Solution:
    """The value of a position, of each card that may be played, and an optimal line.

    Examples
    --------
    >>> from skatsim.cards import parse_mask
    >>> from skatsim.contracts import parse_contract
    >>> position = Position(
    ...     forehand_mask=parse_mask("CJ C7"), middlehand_mask=parse_mask("CA ST"),
    ...     rearhand_mask=parse_mask("HA H7"), skat_mask=parse_mask("D7 D8"),
    ...     contract=parse_contract("clubs"), declarer_seat=0,
    ... )
    >>> solution = solve(position)
    >>> solution.card_points, [card_text(card) for card in solution.line]
    (34, ['CJ', 'CA', 'HA', 'C7', 'ST', 'H7'])
    """
    check_kind(position, "position", Position, "a Position")
    if position.is_over:
        won = position.trick_count == 0
        if not position.contract.is_null:
            value = _final_points(position)
            return Solution(
                card_points=value, won=_is_won(position, value, None), line=(), moves={}
            )
        return Solution(card_points=None, won=won, line=(), moves={})
    with borrowed_workspace() as ws:
        search = _Search(ws, position)
        if position.contract.is_null:
            losses = {card: search.wins_null(search.place(card)) for card in position.legal_cards()}
            own = position.seat == position.declarer_seat
            won = any(losses.values()) if own else all(losses.values())
            line = _null_line(ws, position, won)
            return Solution(card_points=None, won=won, line=line, moves=losses)
        future = search.exact()
        sure = _final_points(position)
        moves = {
            card: sure + search.exact(search.place(card), first=future)
            for card in position.legal_cards()
        }
        won = _is_won(position, sure + future, search)
        line = _points_line(ws, position, sure + future)
    return Solution(card_points=sure + future, won=won, line=line, moves=moves)


def _points_line(ws: int, position: Position, value: int) -> tuple[int, ...]:
    """Cards that keep to the value, one after the other."""
    line = []
    while not position.is_over:
        search = _Search(ws, position)
        future = value - _final_points(position)
        own = position.seat == position.declarer_seat
        for card in reversed(position.legal_cards()):
            place = search.place(card)
            if own == search.is_at_least(future + (not own), place):
                break
        line.append(card)
        position = position.after(card)
    return tuple(line)


def _null_line(ws: int, position: Position, won: bool) -> tuple[int, ...]:
    line = []
    while not position.is_over:
        search = _Search(ws, position)
        for card in position.legal_cards():
            if search.wins_null(search.place(card)) == won:
                break
        line.append(card)
        position = position.after(card)
    return tuple(line)


def best_discard(
    *,
    forehand_mask: int,
    middlehand_mask: int,
    rearhand_mask: int,
    contract: Contract,
    declarer_seat: int,
    leader_seat: int = 0,
    by: Literal["points", "wins"] = "points",
) -> Discard:
    """The best two of the declarer's twelve cards to lay away.

    Parameters
    ----------
    forehand_mask, middlehand_mask, rearhand_mask : ten cards, the declarer's twelve.
    by : ``points`` seeks the most card points, ``wins`` any discard that wins, which is
        several times faster. In null both are the same.

    Raises
    ------
    RuleError
        If the 32 cards are not placed so.
    """
    check_kind(contract, "contract", Contract, "a Contract")
    masks = [
        check_mask(forehand_mask, "forehand_mask"),
        check_mask(middlehand_mask, "middlehand_mask"),
        check_mask(rearhand_mask, "rearhand_mask"),
    ]
    declarer_seat = check_whole(declarer_seat, "declarer_seat")
    leader_seat = check_whole(leader_seat, "leader_seat")
    if declarer_seat not in range(3):
        raise RuleError(f"declarer_seat {declarer_seat!r} is no seat: 0, 1 or 2")
    check_word(by, "by", ("points", "wins"))
    twelve = masks[declarer_seat]
    if twelve.bit_count() != HAND_CARDS + SKAT_CARDS:
        raise RuleError(f"declarer {mask_text(twelve)!r}: twelve cards are needed")
    top = 1 << twelve.bit_length() - 1
    skat = top | 1 << (twelve ^ top).bit_length() - 1
    kept = {f"{seat}_mask": mask for seat, mask in zip(SEATS, masks, strict=True)}
    kept[f"{SEATS[declarer_seat]}_mask"] = twelve & ~skat
    Position(
        skat_mask=skat,
        contract=contract,
        declarer_seat=declarer_seat,
        leader_seat=leader_seat,
        **kept,  # type: ignore[arg-type]  # masks
    )
    needed = SCHNEIDER_POINTS if contract.is_schneider_announced else GAME_POINTS
    aim = needed if by == "wins" else -1
    from_declarer = [masks[(declarer_seat + number) % 3] for number in range(3)]
    with borrowed_workspace() as ws:
        found = int(
            solver_drive.best_discard(
                ws, *from_declarer, contract.number, (leader_seat - declarer_seat) % 3, aim
            )
        )
    value, skat_mask = found >> 32, found & ALL_MASK
    if contract.is_null or by == "wins":
        return Discard(skat_mask=skat_mask, card_points=None, won=value == 1)
    return Discard(skat_mask=skat_mask, card_points=value, won=value >= needed)


def solve_many(
    *,
    forehand_mask: ArrayLike,
    middlehand_mask: ArrayLike,
    rearhand_mask: ArrayLike,
    skat_mask: ArrayLike,
    contract: ArrayLike,
    declarer_seat: ArrayLike,
    leader_seat: ArrayLike = 0,
    card_points: ArrayLike = 0,
    at_least: ArrayLike | None = None,
    n_jobs: int = 1,
) -> NDArray[np.int64]:
    """Solve columns of positions at the start of a trick.

    Parameters
    ----------
    forehand_mask, middlehand_mask, rearhand_mask, skat_mask : cards held and laid away, one
        entry a position; numbers stand for a whole column.
    contract : contract numbers, 0 to 5 (`skatsim.contracts.Contract.number`).
    declarer_seat, leader_seat : 0, 1, 2.
    card_points : the declarer's card points from earlier tricks.
    at_least : ask only whether the declarer gets that many card points in all, -1 for the
        exact value of that row; null rows ignore it.
    n_jobs : threads.

    Returns
    -------
    The declarer's card points, skat included; 1 or 0 where `at_least` was asked; in null 1
    if the declarer wins, else 0. Shape (n,), int64.

    Raises
    ------
    RuleError
        For the first row that is no position; it names the row.
    """
    n_jobs = check_whole(n_jobs, "n_jobs", least=1, most=MOST_JOBS)
    wanted: dict[str, ArrayLike] = {
        "forehand_mask": forehand_mask,
        "middlehand_mask": middlehand_mask,
        "rearhand_mask": rearhand_mask,
        "skat_mask": skat_mask,
        "contract": contract,
        "declarer_seat": declarer_seat,
        "leader_seat": leader_seat,
        "card_points": card_points,
        "at_least": -1 if at_least is None else at_least,
    }
    wide = np.broadcast_arrays(*[_whole_column(name, column) for name, column in wanted.items()])
    columns = [np.ascontiguousarray(column, dtype=np.int64) for column in wide]
    _check_rows(columns)
    value = np.zeros(len(columns[0]), dtype=np.int64)

    def run(start: int) -> None:
        part = slice(start, start + BLOCK)
        with borrowed_workspace() as ws:
            solver_drive.solve_block(ws, *[column[part] for column in columns], value[part])

    starts = range(0, len(value), BLOCK)
    if n_jobs == 1 or len(starts) < 2:
        for start in starts:
            run(start)
    else:
        import joblib

        joblib.Parallel(n_jobs=n_jobs, backend="threading", batch_size=1)(
            joblib.delayed(run)(start) for start in starts
        )
    return value


def _whole_column(name: str, column: ArrayLike) -> NDArray[Any]:
    """A column of whole numbers; an empty one may be of any kind."""
    found = np.atleast_1d(np.asarray(column))
    if found.ndim != 1:
        raise RuleError(f"{name} of {found.ndim} dimensions: a column is needed")
    if found.dtype.kind not in "iu" and found.size:
        raise TypeError(f"{name} of {found.dtype}: a column of whole numbers up to 2^63 is needed")
    return found


def _check_rows(columns: list[NDArray[np.int64]]) -> None:
    """Refuse rows that are no position."""
    forehand, middlehand, rearhand, skat, contract, declarer, leader, points, _ = columns
    count = np.bitwise_count(forehand)
    seen = forehand | middlehand | rearhand | skat
    placed = sum(
        (np.bitwise_count(mask).astype(np.int64) for mask in (forehand, middlehand, rearhand)),
        np.bitwise_count(skat).astype(np.int64),
    )
    is_good = (count == np.bitwise_count(middlehand)) & (count == np.bitwise_count(rearhand))
    is_good &= (count <= HAND_CARDS) & (np.bitwise_count(skat) == SKAT_CARDS)
    is_good &= (seen >= 0) & (seen <= ALL_MASK) & (placed == np.bitwise_count(seen))
    is_good &= (declarer >= 0) & (declarer < 3) & (leader >= 0) & (leader < 3)
    is_good &= (contract >= 0) & (contract <= NULL)
    is_good &= (points >= 0) & (points <= 120 * (count < HAND_CARDS))
    if is_good.all():
        return
    row = int(np.flatnonzero(~is_good)[0])
    values: list[Any] = [int(column[row]) for column in columns]
    if not 0 <= values[4] <= NULL:
        raise RuleError(f"row {row}: contract {values[4]!r} is no contract: 0 to {NULL}")
    try:
        Position(
            forehand_mask=values[0],
            middlehand_mask=values[1],
            rearhand_mask=values[2],
            skat_mask=values[3],
            contract=Contract.from_number(values[4]),
            declarer_seat=values[5],
            leader_seat=values[6],
        )
    except RuleError as error:
        raise RuleError(f"row {row}: {error}") from None
    raise RuleError(f"row {row}: {values[7]!r} card points from earlier tricks cannot be")
