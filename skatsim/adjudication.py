"""Games that end before their last card: given up, claimed, ended by a fault (RULES 9).

Simulated games never end so; recorded games and tables that ask for a judge do.
"""

from typing import Final, Literal, get_args

from skatsim.arguments import check_kind, check_word
from skatsim.cards import mask_cards, seat_name
from skatsim.errors import RuleError
from skatsim.game import Game
from skatsim.play import legal_cards, trick_winner
from skatsim.solver import Position, reaches, takes_the_rest
from skatsim.wording import count_text

__all__ = ["Side", "claim", "concede", "forfeit", "position_of"]

Side = Literal["declarer", "defenders"]

MOST_TRICKS: Final = 8
"""Tricks to come that a declarer's claim is searched for: more can take minutes."""

MOST_POSITIONS: Final = 200_000
"""Positions that are looked at for a defender's claim: some seconds."""

FREE_TO_CONCEDE: Final = 9
"""Cards in hand with which the declarer may give up without asking."""


def concede(game: Game, side: Side, *, has_consent: bool = False) -> Game:
    """The game given up by one side (RULES 9.1, 9.2, 9.4).

    Parameters
    ----------
    game : at play, or before the first lead.
    side : who gives up. A defender binds both.
    has_consent : one defender agrees that the declarer gives up.

    Raises
    ------
    RuleError
        The game is not at play, no side has that name, or the declarer needs consent that he
        has not.

    Examples
    --------
    >>> from skatsim.contracts import Contract
    >>> from skatsim.game import random_deal
    >>> game = Game(deal=random_deal(1))
    >>> for call in (18, "pass", "pass"):
    ...     game = game.with_call(call)
    >>> game = game.with_declaration(Contract(name="clubs", is_hand=True))
    >>> concede(game, "declarer").score.is_won, concede(game, "defenders").score.is_won
    (False, True)
    """
    check_word(side, "side", get_args(Side))
    game, declarer = _at_play(game)
    if side == "declarer" and not has_consent:
        held = game.hand_masks[declarer].bit_count()
        if held < FREE_TO_CONCEDE:
            raise RuleError(
                f"the declarer gives up with {count_text(held, 'card')} in hand only if a "
                "defender agrees"
            )
    return game.with_concession(side)


def forfeit(game: Game, guilty: Side) -> Game:
    """The game ended by a fault: the guilty side loses it simple, if it was open (RULES 9.6)."""
    check_word(guilty, "guilty", get_args(Side))
    game, _ = _at_play(game)
    return game.with_concession(guilty)


def claim(game: Game, seat: int | None = None) -> Game:
    """A player claims the rest (RULES 9.5).

    The declarer claims all tricks to come, in null none of them, against every defence. A
    defender claims that the declarer gets no further trick, whatever he and the other defender
    play. Granted if an exact search of the remaining cards proves it.

    Parameters
    ----------
    seat : who claims, by default the declarer.

    Raises
    ------
    RuleError
        It can be prevented, more is to come than is searched, a Spitze is announced, or the
        game is not at play.
    """
    position = position_of(game)
    if seat is not None and seat != position.declarer_seat:
        return _defender_claims(game, position, seat)
    is_null = position.contract.is_null
    if position.contract.is_spitze:
        raise RuleError("a claim does not show that the lowest trump wins the last trick: play on")
    if not is_null and position.card_count > MOST_TRICKS:
        raise RuleError(
            f"a claim of {position.card_count} tricks is not searched: play on until "
            f"{MOST_TRICKS} are left"
        )
    if not (reaches(position) if is_null else takes_the_rest(position)):
        what = "a trick" if is_null else "one of the tricks to come"
        wanted = "no trick" if is_null else "all of them"
        raise RuleError(
            f"{seat_name(position.declarer_seat)} claims {wanted}, but the defenders can "
            f"{'give him' if is_null else 'take'} {what}"
        )
    return game.with_end("claimed", award="declarer")


def _defender_claims(game: Game, position: Position, seat: int) -> Game:
    who = seat_name(seat)
    if position.contract.is_null:
        raise RuleError(f"{who} claims the rest of a null game: play on, or let the declarer claim")
    if not _NoTrick(position, seat).is_sure():
        raise RuleError(
            f"{who} claims all tricks to come, but the declarer can take one of them: "
            "then the rest is the declarer's"
        )
    return game.with_end("claimed", award="defenders")


class _NoTrick:
    """Whether one defender can keep the declarer from every trick, whatever the others play."""

    def __init__(self, position: Position, claimant: int) -> None:
        self.start = position
        self.claimant = claimant
        self.known: dict[tuple[tuple[int, ...], int, tuple[int, ...]], bool] = {}

    def is_sure(self) -> bool:
        start = self.start
        hands = (start.forehand_mask, start.middlehand_mask, start.rearhand_mask)
        return self._holds(hands, start.leader_seat, tuple(start.trick))

    def _holds(self, hands: tuple[int, ...], leader: int, trick: tuple[int, ...]) -> bool:
        """Whether it holds with `hands` left and `trick` lying, led by `leader`."""
        contract = self.start.contract
        if len(trick) == 3:
            winner = (leader + trick_winner(contract, trick)) % 3
            return winner != self.start.declarer_seat and self._holds(hands, winner, ())
        seat = (leader + len(trick)) % 3
        if not hands[seat]:
            return True
        key = (hands, leader, trick)
        if key not in self.known:
            if len(self.known) >= MOST_POSITIONS:
                raise RuleError(
                    f"the claim of {seat_name(self.claimant)} leaves too many cards to search: "
                    "play on and claim later"
                )
            lead = trick[0] if trick else None
            legal = mask_cards(legal_cards(contract, hands[seat], lead=lead))
            results = (
                self._holds(
                    (*hands[:seat], hands[seat] & ~(1 << card), *hands[seat + 1 :]),
                    leader,
                    (*trick, card),
                )
                for card in legal
            )
            self.known[key] = any(results) if seat == self.claimant else all(results)
        return self.known[key]


def position_of(game: Game) -> Position:
    """A game at play as an open-card position."""
    game, declarer = _at_play(game)
    contract = game.contract
    assert contract is not None
    last = game.tricks[-1] if game.tricks else None
    is_between = last is None or last.winner is not None
    leader = 0 if last is None else last.leader if last.winner is None else last.winner
    buried = game.discard_mask if game.is_skat_taken else game.deal.skat_mask
    taken = sum(trick.card_points for trick in game.tricks if trick.winner == declarer)
    forehand, middlehand, rearhand = game.hand_masks
    return Position(
        forehand_mask=forehand,
        middlehand_mask=middlehand,
        rearhand_mask=rearhand,
        skat_mask=buried or 0,
        contract=contract,
        declarer_seat=declarer,
        leader_seat=leader,
        trick=() if is_between or last is None else last.cards,
        card_points=taken,
        trick_count=game.declarer_trick_count,
    )


def _at_play(game: Game) -> tuple[Game, int]:
    """The game with nothing left to be asked, and its declarer."""
    check_kind(game, "game", Game, "a Game")
    while game.phase in ("kontra", "schenken"):
        game = game.with_house_call(False)
    if game.phase != "play" or game.declarer is None:
        raise RuleError(f"nothing can be given up or claimed: the game is at the {game.phase}")
    return game, game.declarer
