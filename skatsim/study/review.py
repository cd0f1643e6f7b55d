"""What each card, discard, contract and call of one game cost against best play.

All cards lie open here. The players did not see them: what cost something may have been the
right thing to do, and what cost nothing may have been luck.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from skatsim.arguments import check_kind
from skatsim.auction import next_bid_value
from skatsim.cards import ALL_MASK
from skatsim.contracts import CONTRACT_NAMES, Contract
from skatsim.errors import RuleError
from skatsim.game import Game
from skatsim.kernels import review as review_kernel
from skatsim.kernels.cards import NULL
from skatsim.kernels.review import NO_VALUE, POSITIONS, STEP_FIELDS
from skatsim.kernels.rules import settle
from skatsim.ruleset import Ruleset
from skatsim.solver import (
    Position,
    best_discard,
    borrowed_workspace,
    card_points,
    reaches,
    solve,
)

__all__ = [
    "WARNING",
    "CallReview",
    "CardReview",
    "ContractReview",
    "DiscardReview",
    "OpenContract",
    "PlayerReview",
    "Review",
    "contract_score",
    "open_values",
    "review",
    "value_games",
]

WARNING: Final = (
    "All cards lie open here. The players did not see them: what cost something may have been"
    " the right thing to do."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReview:
    """One card played.

    Attributes
    ----------
    play_number, trick_number : from 1.
    seat, card : who played which card.
    card_points_before, card_points_after : the declarer's in all, under best play from before
        the card on and from after it on; None in null.
    won_before, won_after : whether the declarer wins then; overbidding is not looked at.
    best_cards : cards that would have cost nothing, where this one did; else empty.
    """

    play_number: int
    trick_number: int
    seat: int
    card: int
    card_points_before: int | None
    card_points_after: int | None
    won_before: bool
    won_after: bool
    best_cards: tuple[int, ...] = ()

    @property
    def card_points_given_away(self) -> int | None:
        """What the card cost its own side, 0 or more; None in null."""
        if self.card_points_before is None or self.card_points_after is None:
            return None
        return abs(self.card_points_before - self.card_points_after)

    @property
    def is_changed(self) -> bool:
        """Whether the card gave away a game that was won for its side."""
        return self.won_before != self.won_after

    @property
    def is_mistake(self) -> bool:
        """Whether the card cost anything."""
        return self.is_changed or bool(self.card_points_given_away)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardReview:
    """The two cards laid away, in the contract that was played.

    Attributes
    ----------
    discard_mask, best_mask : what was laid away, and what was best.
    card_points, best_card_points : the declarer's after each under best play; None in null.
    won, best_won : whether he wins.
    """

    discard_mask: int
    best_mask: int
    card_points: int | None
    best_card_points: int | None
    won: bool
    best_won: bool

    @property
    def card_points_given_away(self) -> int | None:
        """What the discard cost the declarer, 0 or more; None in null."""
        if self.card_points is None or self.best_card_points is None:
            return None
        return self.best_card_points - self.card_points

    @property
    def is_changed(self) -> bool:
        """Whether another discard would have won and this one does not."""
        return self.best_won and not self.won


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenContract:
    """What a contract brings with the best discard and best play of both sides.

    Attributes
    ----------
    discard_mask : the best discard; None in a hand game.
    card_points : the declarer's; None in null.
    won : by the rules, overbidding counted.
    score : the declarer's entry; schwarz that was not announced is left out.
    """

    contract: Contract
    discard_mask: int | None
    card_points: int | None
    won: bool
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractReview:
    """The contract beside the others that could be declared, best first."""

    declared: OpenContract
    options: tuple[OpenContract, ...]

    @property
    def best(self) -> OpenContract:
        """The contract that brings most."""
        return self.options[0]

    @property
    def score_given_away(self) -> int:
        """What the contract cost the declarer in score, 0 or more."""
        return self.best.score - self.declared.score

    @property
    def is_changed(self) -> bool:
        """Whether another contract would have been won and this one is not."""
        return self.best.won and not self.declared.won


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReview:
    """What a seat's last word in the auction cost in the plain list, where passing is worth 0.

    Attributes
    ----------
    bid_value : what the seat bid as declarer; for the others the least with which they would have
        won the auction: a seat before the declarer is asked and holds his value, one behind him
        has to say the next (RULES 3.2).
    best : the best contract the seat could have played there, the skat taken.
    """

    seat: int
    is_declarer: bool
    bid_value: int
    best: OpenContract

    @property
    def score_given_away(self) -> int:
        """Of the declarer what he must lose at best, of the others what they could have won."""
        return max(-self.best.score if self.is_declarer else self.best.score, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReview:
    """The cards of one seat: how many, how many cost something, and what."""

    seat: int
    is_declarer: bool
    cards: int
    mistakes: int
    changed: int
    card_points_given_away: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What one game cost whom.

    ``card_points_before`` less what the declarer's cards gave away, plus what the defenders'
    did, is ``card_points_after``.

    Attributes
    ----------
    contract, declarer_seat, bid_value : what was played.
    card_points_before, card_points_after : the declarer's under best play, before the first
        card and after the last one played; None in null.
    won_before, won_after : whether he wins then; overbidding is not looked at.
    is_overbid : the score of the game was lost by overbidding whatever was played.
    cards : every card played.
    discard : None in hand games.
    contracts, calls : None and empty where they were not asked for.
    """

    contract: Contract
    declarer_seat: int
    bid_value: int
    card_points_before: int | None
    card_points_after: int | None
    won_before: bool
    won_after: bool
    is_overbid: bool
    cards: tuple[CardReview, ...]
    discard: DiscardReview | None
    contracts: ContractReview | None
    calls: tuple[CallReview, ...]

    @property
    def players(self) -> tuple[PlayerReview, PlayerReview, PlayerReview]:
        """The cards summed up by seat."""
        first, second, third = (self._player(seat) for seat in range(3))
        return first, second, third

    def _player(self, seat: int) -> PlayerReview:
        own = [card for card in self.cards if card.seat == seat]
        lost = [card.card_points_given_away for card in own]
        known = [points for points in lost if points is not None]
        return PlayerReview(
            seat=seat,
            is_declarer=seat == self.declarer_seat,
            cards=len(own),
            mistakes=sum(card.is_mistake for card in own),
            changed=sum(card.is_changed for card in own),
            card_points_given_away=None if self.contract.is_null else sum(known),
        )


def value_games(ws: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The open-card values of played games before every card.

    Parameters
    ----------
    ws : address of a workspace, from `skatsim.solver.borrowed_workspace`.
    rows : dtype `skatsim.kernels.columns.GAME`, each with a declarer, and no Ramsch.

    Returns
    -------
    values : uint8, shape (n, 31): the declarer's card points before each card and after the
        last; 255 in null and beyond the end.
    won : uint32, shape (n,): bit k is set if the declarer wins from there.
    counts : int64, shape (n,): cards played; below 0 for a record that does not replay.
    """
    count = len(rows)
    steps = np.zeros((POSITIONS, STEP_FIELDS), dtype=np.int64)
    values = np.zeros((count, POSITIONS), dtype=np.uint8)
    won = np.zeros(count, dtype=np.uint32)
    counts = np.zeros(count, dtype=np.int64)
    review_kernel.review_games(ws, np.ascontiguousarray(rows), steps, values, won, counts)
    return values, won, counts


def open_values(row: Any) -> list[str]:
    """What a game is worth on open cards before the first card and after each one, in words.

    The declarer's card points, in null ``won`` or ``lost``. Empty for a game without a contract,
    or whose cards are not all known.
    """
    is_buried = not row["is_skat_taken"] or row["discard_mask"] != 0
    if not 0 <= row["contract"] <= NULL or not is_buried or row["play_count"] == 0:
        return []
    seen = 0
    for name in ("forehand", "middlehand", "rearhand", "skat"):
        seen |= int(row[f"{name}_mask"])
    if seen != ALL_MASK:
        return []
    with borrowed_workspace() as ws:
        values, won, counts = value_games(ws, np.atleast_1d(row))
    words = ("lost", "won")
    if counts[0] < 0:
        return []
    return [
        words[int(won[0]) >> place & 1] if value == NO_VALUE else str(value)
        for place, value in enumerate(values[0][: int(counts[0]) + 1])
    ]


def contract_score(
    contract: Contract, cards_mask: int, bid_value: int, ruleset: Ruleset, *, points: int, won: bool
) -> tuple[int, bool]:
    """The declarer's score and whether he won.

    Parameters
    ----------
    cards_mask : his hand and the skat as dealt.
    points : his card points; any number on the right side of 30, 61 and 90 will do.
    won : what decides null and announced schwarz.
    """
    if contract.is_null:
        tricks = 0 if won else 1
    else:
        tricks = 10 if contract.is_schwarz_announced and won else 5
    figures = settle(
        ruleset.kernel_record(),
        contract.number,
        contract.is_hand,
        contract.is_schneider_announced,
        contract.is_schwarz_announced,
        contract.is_ouvert,
        cards_mask,
        bid_value,
        points,
        tricks,
        0,
        0,
    )
    return int(figures[9]), bool(figures[8])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deal:
    """The cards as dealt and who would be declarer with which right."""

    masks: tuple[int, int, int]
    skat_mask: int
    seat: int
    is_hand: bool
    bid_value: int
    ruleset: Ruleset

    @property
    def cards_mask(self) -> int:
        return self.masks[self.seat] | self.skat_mask

    def position(self, contract: Contract, discard_mask: int | None) -> Position:
        """Before the first card."""
        masks = list(self.masks)
        if discard_mask is not None:
            masks[self.seat] = self.cards_mask & ~discard_mask
        return Position(
            forehand_mask=masks[0],
            middlehand_mask=masks[1],
            rearhand_mask=masks[2],
            skat_mask=self.skat_mask if discard_mask is None else discard_mask,
            contract=contract,
            declarer_seat=self.seat,
        )

    def open_contract(self, contract: Contract) -> OpenContract:
        """What a contract brings at best."""
        discard = None
        if self.is_hand:
            position = self.position(contract, None)
            points = None if contract.is_null else card_points(position)
        else:
            masks = list(self.masks)
            masks[self.seat] = self.cards_mask
            found = best_discard(
                forehand_mask=masks[0],
                middlehand_mask=masks[1],
                rearhand_mask=masks[2],
                contract=contract,
                declarer_seat=self.seat,
            )
            discard, points = found.skat_mask, found.card_points
            position = self.position(contract, discard)
        needs_search = contract.is_null or contract.is_schwarz_announced
        score, won = contract_score(
            contract,
            self.cards_mask,
            self.bid_value,
            self.ruleset,
            points=points or 0,
            won=needs_search and reaches(position),
        )
        return OpenContract(
            contract=contract, discard_mask=discard, card_points=points, won=won, score=score
        )

    def options(self, declared: Contract | None) -> Iterator[OpenContract]:
        """The contract declared, and each one without announcements."""
        if declared is not None:
            yield self.open_contract(declared)
        for name in reversed(CONTRACT_NAMES):
            contract = Contract(name=name, is_hand=self.is_hand)
            if contract != declared:
                yield self.open_contract(contract)


def _best_first(options: Sequence[OpenContract]) -> tuple[OpenContract, ...]:
    """By score; where equal, the one named first."""
    return tuple(sorted(options, key=lambda option: -option.score))


def review(game: Game, *, with_contracts: bool = True, with_calls: bool = True) -> Review:
    """What each card, the discard, the contract and the calls cost against best play.

    Parameters
    ----------
    game : over, with a declarer who named a contract.
    with_contracts : compare the contract with the others (about 0.15 s).
    with_calls : look at what every seat could have played (about 0.3 s).

    Raises
    ------
    RuleError
        There is nothing to review: passed in, not over, or given up before a card was played.

    Examples
    --------
    >>> from skatsim.formats import iss
    >>> [game] = iss.loads(open("game.txt").read())  # doctest: +SKIP
    >>> review(game).card_points_before  # doctest: +SKIP
    68
    """
    check_kind(game, "game", Game, "a Game")
    row, _ = game.to_record()
    contract = game.contract
    if contract is None or game.declarer is None:
        raise RuleError("nothing to review: no contract was played")
    if game.is_skat_taken and game.discard_mask is None:
        raise RuleError("nothing to review: the game ended before two cards were laid away")
    rows = np.atleast_1d(row)
    with borrowed_workspace() as ws:
        values, won, counts = value_games(ws, rows)
    count = int(counts[0])
    if count < 0:
        raise RuleError("the record of the game does not replay")
    masks = (game.deal.forehand_mask, game.deal.middlehand_mask, game.deal.rearhand_mask)
    deal = _Deal(
        masks=masks,
        skat_mask=game.deal.skat_mask,
        seat=game.declarer,
        is_hand=not game.is_skat_taken,
        bid_value=game.bid_value,
        ruleset=game.ruleset,
    )
    points = [None if value == NO_VALUE else int(value) for value in values[0]]
    wins = [bool(int(won[0]) >> place & 1) for place in range(POSITIONS)]
    start = deal.position(contract, game.discard_mask)
    cards = tuple(_cards(start, game.played[:count], points, wins))
    discard = contracts = None
    if game.discard_mask is not None:
        best = deal.open_contract(contract)
        assert best.discard_mask is not None
        best_won = reaches(deal.position(contract, best.discard_mask))
        is_best = points[0] == best.card_points and wins[0] == best_won
        discard = DiscardReview(
            discard_mask=game.discard_mask,
            best_mask=game.discard_mask if is_best else best.discard_mask,
            card_points=points[0],
            best_card_points=best.card_points,
            won=wins[0],
            best_won=best_won,
        )
    if with_contracts:
        options = list(deal.options(contract))
        contracts = ContractReview(declared=options[0], options=_best_first(options))
    score = game.score
    return Review(
        contract=contract,
        declarer_seat=game.declarer,
        bid_value=game.bid_value,
        card_points_before=points[0],
        card_points_after=points[count],
        won_before=wins[0],
        won_after=wins[count],
        is_overbid=score is not None and score.is_overbid,
        cards=cards,
        discard=discard,
        contracts=contracts,
        calls=tuple(_calls(deal)) if with_calls else (),
    )


def _cards(
    position: Position,
    played: Sequence[int],
    points: Sequence[int | None],
    wins: Sequence[bool],
) -> Iterator[CardReview]:
    for place, card in enumerate(played):
        seat = position.seat
        best: tuple[int, ...] = ()
        if points[place] != points[place + 1] or wins[place] != wins[place + 1]:
            best = _best_cards(position, points[place], is_won=wins[place])
        yield CardReview(
            play_number=place + 1,
            trick_number=place // 3 + 1,
            seat=seat,
            card=card,
            card_points_before=points[place],
            card_points_after=points[place + 1],
            won_before=wins[place],
            won_after=wins[place + 1],
            best_cards=best,
        )
        position = position.after(card)


def _best_cards(position: Position, value: int | None, *, is_won: bool) -> tuple[int, ...]:
    """The cards that cost nothing."""
    moves = solve(position).moves
    if value is None:
        return tuple(card for card, won in moves.items() if won == is_won)
    best = [card for card, points in moves.items() if points == value]
    if position.contract.is_schwarz_announced:
        best = [card for card in best if reaches(position.after(card)) == is_won] or best
    return tuple(best)


def _calls(deal: _Deal) -> Iterator[CallReview]:
    for seat in range(3):
        is_declarer = seat == deal.seat
        bid_value = deal.bid_value if seat <= deal.seat else next_bid_value(deal.bid_value)
        if bid_value is None:
            continue
        own = _Deal(
            masks=deal.masks,
            skat_mask=deal.skat_mask,
            seat=seat,
            is_hand=False,
            bid_value=bid_value,
            ruleset=deal.ruleset,
        )
        best = _best_first(list(own.options(None)))[0]
        yield CallReview(seat=seat, is_declarer=is_declarer, bid_value=bid_value, best=best)
