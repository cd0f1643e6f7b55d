"""The oracle: a deal of Skat stepped through by the rule book, one action at a time.

Actions, in the order in which a game asks for them:

- auction: a value (`18`), `"hold"`, `"pass"`, and `"play"` for forehand alone at 18;
- pick-up: `"pick_up"` or `"hand"`;
- discard (after a pick-up): a tuple of two cards, sorted;
- declaration: a `Contract`;
- play: a card.

>>> game = OracleGame({"F": DECK[:10], "M": DECK[10:20], "R": DECK[20:30]}, DECK[30:])
>>> for action in (18, "pass", "pass", "pick_up"):
...     game.apply(action)
>>> game.phase, game.to_act, len(game.legal_actions())
('discard', 'M', 66)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from .oracle_cards import (
    CARD_POINTS,
    DECK,
    GAMES,
    SUITS,
    TRUMP_GAMES,
    card_points,
    legal_cards,
    matadors,
    side_suit,
    trick_winner,
    trumps,
)
from .oracle_scoring import (
    BASE_VALUES,
    ISKO,
    NULL_VALUES,
    SEATS,
    Contract,
    OracleRules,
    Settlement,
    all_contracts,
    bid_values,
    cheapest_game_at,
    closed,
    declaration_problem,
    game_level,
    greatest_value,
    may_declare,
    null_value,
    seeger_fabian,
    settle,
    settle_concession,
    trump_value,
)

__all__ = [
    "BASE_VALUES",
    "CARD_POINTS",
    "DECK",
    "GAMES",
    "ISKO",
    "NULL_VALUES",
    "SEATS",
    "SUITS",
    "TRUMP_GAMES",
    "Action",
    "Auction",
    "Contract",
    "GameResult",
    "IllegalActionError",
    "OracleGame",
    "OracleRules",
    "Settlement",
    "all_contracts",
    "auction_actions",
    "bid_values",
    "card_points",
    "cheapest_game_at",
    "closed",
    "declaration_problem",
    "game_level",
    "greatest_value",
    "legal_cards",
    "matadors",
    "may_declare",
    "null_value",
    "seeger_fabian",
    "settle",
    "settle_concession",
    "side_suit",
    "trick_winner",
    "trump_value",
    "trumps",
]

Action = int | str | tuple[str, ...] | Contract


class IllegalActionError(ValueError):
    """An action the rules do not allow here; nothing was changed."""


class Auction:
    """The auction of one deal (rules 3.2).

    `state` is `say`, `listen`, `last_chance` or `over`; `to_act` the seat whose turn it is;
    `bid_value` the last value named, 0 before any. When over, `declarer` None means passed in.
    """

    def __init__(self, rules: OracleRules = ISKO) -> None:
        self.rules = rules
        self.state = "say"
        self.sayer = "M"
        self.listener = "F"
        self.bid_value = 0
        self.declarer: str | None = None

    @property
    def to_act(self) -> str | None:
        """Seat whose turn it is, None when the auction is over."""
        if self.state == "say":
            return self.sayer
        if self.state == "listen":
            return self.listener
        return "F" if self.state == "last_chance" else None

    def legal_actions(self) -> list[int | str]:
        """What the seat to act may do."""
        if self.state == "say":
            return [*(value for value in bid_values(self.rules) if value > self.bid_value), "pass"]
        if self.state == "listen":
            return ["hold", "pass"]
        return ["play", "pass"] if self.state == "last_chance" else []

    def apply(self, action: int | str) -> None:
        """Take one step."""
        if action not in self.legal_actions():
            raise IllegalActionError(f"{self.to_act} may not {action!r} in {self.state!r}")
        if self.state == "say":
            self._say(action)
        elif self.state == "listen":
            self._listen(action)
        else:
            self.state = "over"
            if action == "play":
                self.declarer = "F"
                self.bid_value = 18

    def _say(self, action: int | str) -> None:
        if isinstance(action, int):
            self.bid_value = action
            self.state = "listen"
        else:
            self._finish_duel(survivor=self.listener)

    def _listen(self, action: int | str) -> None:
        if action == "hold":
            self.state = "say"
        else:
            self._finish_duel(survivor=self.sayer)

    def _finish_duel(self, survivor: str) -> None:
        """After a pass: rearhand comes in against the survivor, or the auction is decided."""
        if self.sayer == "M":
            self.sayer, self.listener, self.state = "R", survivor, "say"
        elif self.bid_value == 0:
            self.state = "last_chance"
        else:
            self.state = "over"
            self.declarer = survivor


def auction_actions(declarer: str, bid_value: int) -> list[int | str]:
    """A short auction that makes a seat declarer at a value."""
    return {
        "F": [bid_value, "hold", "pass", "pass"],
        "M": [bid_value, "pass", "pass"],
        "R": ["pass", bid_value, "pass"],
    }[declarer]


@dataclass(frozen=True, kw_only=True)
class GameResult:
    """Every figure of a finished deal; None where it does not apply."""

    end_reason: str  # passed_in, ten_tricks, decided_early, conceded, null_below_bid
    declarer: str | None = None
    bid_value: int | None = None
    contract: Contract | None = None
    is_skat_taken: bool | None = None
    discard: tuple[str, ...] | None = None
    declarer_card_points: int | None = None
    declarer_trick_count: int | None = None
    matadors: int | None = None
    level: int | None = None
    multiplier: int | None = None
    game_value: int | None = None
    is_schneider: bool | None = None
    is_schwarz: bool | None = None
    is_overbid_before_play: bool | None = None
    is_overbid: bool | None = None
    is_won: bool | None = None
    charged_value: int | None = None
    score: int = 0
    seat_scores: dict[str, int]  # plain list
    seeger_fabian: dict[int, dict[str, int]]  # table size -> seat -> entry


class OracleGame:
    """One deal from the first call to the last card.

    `phase` is `auction`, `pick_up`, `discard`, `declare`, `play` or `over`.
    """

    def __init__(
        self,
        hands: Mapping[str, Iterable[str]],
        skat: Iterable[str],
        rules: OracleRules = ISKO,
    ) -> None:
        self.rules = rules
        self.hands = {seat: set(hands[seat]) for seat in SEATS}
        self.skat = tuple(skat)
        if len(self.skat) != 2 or any(len(hand) != 10 for hand in self.hands.values()):
            raise ValueError("a deal is three hands of ten cards and a skat of two")
        if set(self.skat).union(*self.hands.values()) != set(DECK):
            raise ValueError("a deal has each of the 32 cards once")

        self.auction = Auction(rules)
        self.phase = "auction"
        self.history: list[tuple[str, Action]] = []
        self.is_skat_taken: bool | None = None
        self.discard: tuple[str, ...] | None = None
        self.contract: Contract | None = None
        self.cards12: set[str] = set()
        self.end_reason: str | None = None
        self.conceding: str | None = None

        self.leader = "F"
        self.trick: list[str] = []
        self.tricks: list[tuple[str, tuple[str, ...], str]] = []  # leader, cards, winner
        self.trick_points = dict.fromkeys(SEATS, 0)
        self.trick_counts = dict.fromkeys(SEATS, 0)

    @property
    def declarer(self) -> str | None:
        """Seat of the declarer, None before the auction is over and when passed in."""
        return self.auction.declarer

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase == "over"

    @property
    def to_act(self) -> str | None:
        """Seat whose turn it is, None at the end."""
        if self.phase == "auction":
            return self.auction.to_act
        if self.phase == "play":
            return SEATS[(SEATS.index(self.leader) + len(self.trick)) % 3]
        return None if self.is_over else self.declarer

    @property
    def declarer_card_points(self) -> int:
        """Card points of the declarer so far, laid-away cards or skat included."""
        kept = self.skat if self.discard is None else self.discard
        return self.trick_points[self._declarer()] + card_points(kept)

    def legal_actions(self) -> list[Action]:
        """Every action the seat to act may take."""
        match self.phase:
            case "auction":
                return list(self.auction.legal_actions())
            case "pick_up":
                return ["pick_up", "hand"]
            case "discard":
                return list(combinations(sorted(self.hands[self._declarer()]), 2))
            case "declare":
                return self._legal_contracts()
            case "play":
                hand = self.hands[self.to_act or ""]
                lead = self.trick[0] if self.trick else None
                return sorted(legal_cards(hand, lead, self._contract().game))
        return []

    def apply(self, action: Action) -> None:
        """Take one step; a contract may leave out what it implies, a discard be in any order."""
        if isinstance(action, Contract):
            action = closed(action, self.rules)
        elif not isinstance(action, int | str):
            action = tuple(sorted(action))
        if action not in self.legal_actions():
            raise IllegalActionError(f"{self.to_act} may not {action!r} in {self.phase!r}")
        self.history.append((self.to_act or "", action))
        match self.phase:
            case "auction":
                self._apply_call(action)
            case "pick_up":
                self._apply_pick_up(action)
            case "discard":
                self._apply_discard(action)
            case "declare":
                self._apply_contract(action)
            case "play":
                self._apply_card(action)

    def concede(self, side: str) -> None:
        """End the play: the `declarer` or the `defenders` give up (rules 9)."""
        if side not in ("declarer", "defenders"):
            raise IllegalActionError(f"{side!r} is no side: declarer or defenders")
        if self.phase != "play":
            raise IllegalActionError(f"nothing to concede in {self.phase!r}")
        self.conceding = side
        self._end("conceded")

    def result(self) -> GameResult:
        """Every figure of the finished deal."""
        if self.end_reason is None:
            raise IllegalActionError("the deal is not over")
        declarer = self.declarer
        if declarer is None:
            return GameResult(
                end_reason=self.end_reason,
                seat_scores=dict.fromkeys(SEATS, 0),
                seeger_fabian={
                    n: seeger_fabian(None, 0, is_won=None, table_size=n) for n in (3, 4)
                },
            )
        settlement = self._settlement()
        score, is_won = settlement.score, settlement.is_won
        return GameResult(
            end_reason=self.end_reason,
            declarer=declarer,
            bid_value=self.auction.bid_value,
            contract=self.contract,
            is_skat_taken=self.is_skat_taken,
            discard=self.discard,
            declarer_card_points=self.declarer_card_points,
            declarer_trick_count=self.trick_counts[declarer],
            **settlement._asdict(),
            seat_scores={seat: score if seat == declarer else 0 for seat in SEATS},
            seeger_fabian={
                n: seeger_fabian(declarer, score, is_won=is_won, table_size=n) for n in (3, 4)
            },
        )

    def _declarer(self) -> str:
        if self.declarer is None:
            raise IllegalActionError("there is no declarer")
        return self.declarer

    def _contract(self) -> Contract:
        if self.contract is None:
            raise IllegalActionError("no game has been declared")
        return self.contract

    def _end(self, reason: str) -> None:
        self.phase = "over"
        self.end_reason = reason

    def _apply_call(self, action: Action) -> None:
        self.auction.apply(action)
        if self.auction.state != "over":
            return
        if self.declarer is None:
            self._end("passed_in")
        else:
            self.cards12 = self.hands[self.declarer] | set(self.skat)
            self.phase = "pick_up"

    def _apply_pick_up(self, action: Action) -> None:
        self.is_skat_taken = action == "pick_up"
        if self.is_skat_taken:
            self.hands[self._declarer()] |= set(self.skat)
            self.phase = "discard"
        else:
            self.phase = "declare"

    def _apply_discard(self, cards: Action) -> None:
        self.discard = tuple(cards)
        self.hands[self._declarer()] -= set(self.discard)
        self.phase = "declare"

    def _legal_contracts(self) -> list[Contract]:
        return [
            contract
            for contract in all_contracts(self.rules)
            if may_declare(
                contract,
                self.auction.bid_value,
                skat_taken=self.is_skat_taken,
                cards12=self.cards12,
                rules=self.rules,
            )
        ]

    def _apply_contract(self, contract: Action) -> None:
        self.contract = contract
        if contract.game == "N" and null_value(contract) < self.auction.bid_value:
            self._end("null_below_bid")
        else:
            self.phase = "play"

    def _apply_card(self, card: Action) -> None:
        self.hands[self.to_act].remove(card)
        self.trick.append(card)
        if len(self.trick) == 3:
            self._finish_trick()

    def _finish_trick(self) -> None:
        game = self._contract().game
        winner_place = SEATS.index(self.leader) + trick_winner(self.trick, game)
        winner = SEATS[winner_place % 3]
        self.tricks.append((self.leader, tuple(self.trick), winner))
        self.trick_points[winner] += card_points(self.trick)
        self.trick_counts[winner] += 1
        self.leader = winner
        self.trick = []
        if len(self.tricks) == 10:
            self._end("ten_tricks")
        elif game == "N" and winner == self.declarer:
            self._end("decided_early")

    def _settlement(self) -> Settlement:
        declarer, contract = self._declarer(), self._contract()
        if self.conceding is None:
            return settle(
                contract,
                self.cards12,
                self.auction.bid_value,
                declarer_card_points=self.declarer_card_points,
                declarer_trick_count=self.trick_counts[declarer],
                rules=self.rules,
            )
        defenders = [seat for seat in SEATS if seat != declarer]
        return settle_concession(
            self.conceding,
            contract,
            self.cards12,
            self.auction.bid_value,
            declarer_card_points=self.declarer_card_points,
            defender_card_points=sum(self.trick_points[seat] for seat in defenders),
            declarer_trick_count=self.trick_counts[declarer],
            defender_trick_count=sum(self.trick_counts[seat] for seat in defenders),
            rules=self.rules,
        )
