"""Engine and oracle side by side over random games: every action's legality and every result."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

from skatsim.cards import Deal, card_text, mask_cards, parse_card, parse_mask
from skatsim.contracts import Contract as EngineContract
from skatsim.events import END_REASONS, Row
from skatsim.game import Game
from skatsim.kernels import table
from skatsim.kernels.columns import GAME
from skatsim.kernels.engine import store
from skatsim.kernels.rules import AWARD_NONE, BID_VALUES, declaration_fault
from skatsim.ruleset import Ruleset

from .rules_oracle import DECK, SEATS, Contract, OracleGame, OracleRules

CARD_IDS = {card: parse_card(card) for card in DECK}
CARD_NAMES = {number: card for card, number in CARD_IDS.items()}
LETTERS = "DHSCGN"
CALL_CODES = {"pass": table.CALL_PASS, "hold": table.CALL_HOLD, "play": table.CALL_PLAY}
BID_NUMBERS = [int(value) for value in BID_VALUES]
NOT_TO_BE_SAID = (9, 17, 19, 171, 189, 190, 265)

QUICK_GAMES = 2_000
SLOW_GAMES = 100_000

RULESETS = {
    "isko": (Ruleset(), OracleRules(allow_unannounced_hand=True)),
    "strict": (
        Ruleset(is_strict_declare=True),
        OracleRules(allow_unannounced_hand=True, strict_declare=True),
    ),
    "ouvert_hand": (
        Ruleset(ouvert_requires="hand"),
        OracleRules(allow_unannounced_hand=True, ouvert_requires="hand"),
    ),
    "ouvert_free_capped": (
        Ruleset(ouvert_requires="none", max_matadors=4),
        OracleRules(allow_unannounced_hand=True, ouvert_requires="none", max_matadors=4),
    ),
}


@numba.njit(error_model="numpy")
def apply_action(rules: Any, public: Any, hidden: Any, action: int) -> int:
    """`table.apply_action` of arrays of one record, which come in ten times as fast as records."""
    return table.apply_action(rules[0], public[0], hidden[0], action)


@numba.njit(error_model="numpy")
def fault_of(rules: Any, contract: int, bits: int, is_taken: bool, hand: int, bid: int) -> int:
    """`declaration_fault` of an array of one record."""
    flags = (bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1)
    return declaration_fault(rules[0], contract, *flags, is_taken, hand, bid)


@dataclass
class Pair:
    """One deal in the engine and in the oracle."""

    rules: Any
    row: Row
    oracle: OracleGame
    rng: random.Random
    is_thorough: bool  # try every action there is, not a sample of those that must be refused

    def __post_init__(self) -> None:
        self.records = (self.row.public.base, self.row.hidden.base)
        self.tried = tuple(np.zeros_like(array) for array in self.records)
        self.rules_array = np.zeros(1, self.rules.dtype)
        self.rules_array[0] = self.rules

    @classmethod
    def deal(cls, rng: random.Random, ruleset: Ruleset, oracle_rules: OracleRules) -> "Pair":
        cards = rng.sample(DECK, 32)
        hands = {seat: cards[10 * i : 10 * i + 10] for i, seat in enumerate(SEATS)}
        return cls(
            rules=ruleset.kernel_record(),
            row=Row.of(Deal.from_cards(CARD_IDS[card] for card in cards)),
            oracle=OracleGame(hands, cards[30:], oracle_rules),
            rng=rng,
            is_thorough=rng.random() < 0.05,
        )

    def accepts(self, action: int) -> bool:
        """Whether the engine takes an action; the row is not changed."""
        for tried, array in zip(self.tried, self.records, strict=True):
            tried[0] = array[0]
        return int(apply_action(self.rules_array, *self.tried, action)) == 0

    def refuses(self, action: int) -> bool:
        """Whether the engine refuses an action; then it must leave the row as it is."""
        return int(apply_action(self.rules_array, *self.records, action)) != 0

    def play(self) -> None:
        """Play the deal to its end, comparing at every step."""
        while not self.oracle.is_over:
            public = self.row.public
            assert SEATS[int(public["seat"])] == self.oracle.to_act
            match self.oracle.phase:
                case "auction":
                    self.step_auction()
                case "pick_up":
                    self.step_pick_up()
                case "declare":
                    raise AssertionError("the declaration follows the pick-up")
                case "play":
                    self.step_play()
        assert int(self.row.public["phase"]) == table.PHASE_OVER
        self.compare_result()

    def apply(self, action: int) -> None:
        assert apply_action(self.rules_array, *self.records, action) == 0

    def step_auction(self) -> None:
        legal = self.oracle.legal_actions()
        codes = {CALL_CODES.get(action, action) for action in legal}
        values = BID_NUMBERS if self.is_thorough else self.rng.sample(BID_NUMBERS, 4)
        for code in (*CALL_CODES.values(), *values, self.rng.choice(NOT_TO_BE_SAID)):
            assert self.accepts(code) if code in codes else self.refuses(code), code
        bids = [action for action in legal if isinstance(action, int)]
        choice = self.rng.random()
        if bids and choice < 0.05:
            action = self.rng.choice(bids[:25])
        elif bids and choice < 0.6:
            action = bids[min(len(bids) - 1, self.rng.randrange(3))]
        else:
            action = self.rng.choice([a for a in legal if not isinstance(a, int)])
        self.oracle.apply(action)
        self.apply(CALL_CODES.get(action, action))

    def step_pick_up(self) -> None:
        for is_taken in self.rng.sample((True, False), 2):
            assert self.accepts(int(is_taken))
        self.oracle.apply("pick_up" if is_taken else "hand")
        self.apply(int(is_taken))
        low = high = 0
        if is_taken:
            low, high = self.choose_discard()
        self.declare(low, high, is_taken=is_taken)

    def choose_discard(self) -> tuple[int, int]:
        discards = self.oracle.legal_actions()
        assert len(discards) == 66
        hand = int(self.row.hidden["hands"][int(self.row.public["declarer"])])
        assert {card for pair in discards for card in pair} == {
            CARD_NAMES[card] for card in mask_cards(hand)
        }
        chosen = self.rng.choice(discards)
        low, high = (CARD_IDS[card] for card in chosen)
        strange = next(card for card in range(32) if not (hand >> card) & 1)
        for pair in ((low, low), (strange, high)):
            assert self.refuses(table.declaration(self.rng.randrange(6), 0, *pair))
        self.oracle.apply(chosen)
        return low, high

    def declare(self, low: int, high: int, *, is_taken: bool) -> None:
        public = self.row.public
        legal = self.oracle.legal_actions()
        hand = int(self.row.hidden["hands"][int(public["declarer"])])
        for contract in range(6):
            for bits in range(16):
                flags = [bool(bits & bit) for bit in (1, 2, 4, 8)]
                bid = int(public["bid_value"])
                fault = fault_of(self.rules_array, contract, bits, is_taken, hand, bid)
                is_legal = Contract(LETTERS[contract], *flags) in legal
                assert (fault == 0) == is_legal, (contract, bits, fault)
                if self.is_thorough:
                    action = table.declaration(contract, bits, low, high)
                    assert self.accepts(action) == is_legal
        null = [contract for contract in legal if contract.game == "N"]
        chosen = self.rng.choice(null if null and self.rng.random() < 0.2 else legal)
        self.oracle.apply(chosen)
        bits = sum(bit for bit, flag in zip((1, 2, 4, 8), chosen[1:], strict=True) if flag)
        self.apply(table.declaration(LETTERS.index(chosen.game), bits, low, high))

    def step_play(self) -> None:
        row, oracle = self.row, self.oracle
        legal = oracle.legal_actions()
        mask = int(table.legal_cards(row.public, row.hidden))
        assert mask == sum(1 << CARD_IDS[card] for card in legal)
        refused = self.rng.choice([card for card in range(32) if not (mask >> card) & 1])
        assert self.refuses(refused), card_text(refused)
        card = self.rng.choice(legal)
        oracle.apply(card)
        self.apply(CARD_IDS[card])
        if not oracle.trick:
            self.compare_trick()

    def compare_trick(self) -> None:
        public = self.row.public
        number = len(self.oracle.tricks) - 1
        _, _, winner = self.oracle.tricks[-1]
        assert SEATS[(int(public["trick_winners"]) >> (2 * number)) & 3] == winner
        declarer = self.oracle.declarer or ""
        points = self.oracle.trick_points
        assert int(public["declarer_points"]) == points[declarer]
        assert int(public["defender_points"]) == sum(points.values()) - points[declarer]
        assert int(public["declarer_trick_count"]) == self.oracle.trick_counts[declarer]

    def compare_result(self) -> None:
        record = np.zeros(1, GAME)[0]
        store(self.rules, self.row.public, self.row.hidden, record, -1, AWARD_NONE)
        result = self.oracle.result()
        assert END_REASONS[int(record["end_reason"])] == result.end_reason
        if result.contract is None:
            assert (int(record["declarer_seat"]), int(record["score"])) == (-1, 0)
            return
        expected = {
            "declarer_seat": SEATS.index(result.declarer or ""),
            "bid_value": result.bid_value,
            "matadors": result.matadors,
            "multiplier": result.multiplier,
            "game_value": result.game_value,
            "charged_value": result.charged_value,
            "is_schneider": result.is_schneider,
            "is_schwarz": result.is_schwarz,
            "is_overbid_before_play": result.is_overbid_before_play,
            "is_overbid": result.is_overbid,
            "is_won": result.is_won,
            "score": result.score,
            "declarer_card_points": result.declarer_card_points,
            "declarer_trick_count": result.declarer_trick_count,
        }
        found = {name: int(record[name]) for name in expected}
        # what does not apply in null is 0 in the record
        assert found == {name: int(value or 0) for name, value in expected.items()}


def play_games(count: int, seed: int, name: str) -> Iterator[OracleGame]:
    """Play games on both sides, and give out the oracle's as they end."""
    rng = random.Random(f"{seed} {name}")
    ruleset, oracle_rules = RULESETS[name]
    for _ in range(count):
        pair = Pair.deal(rng, ruleset, oracle_rules)
        pair.play()
        yield pair.oracle


def test_engine_and_oracle_agree() -> None:
    games = list(play_games(QUICK_GAMES, 1, "isko"))
    played = [game.result() for game in games if game.contract is not None]
    names = {result.contract.game for result in played if result.contract}
    assert names == set(LETTERS)
    for flag in ("hand", "schneider_announced", "schwarz_announced", "ouvert"):
        assert any(getattr(result.contract, flag) for result in played), flag
    assert any(result.is_overbid for result in played)
    assert any(result.is_overbid_before_play and result.is_won for result in played)
    assert any(result.end_reason == "decided_early" for result in played)
    assert len(played) < len(games)
    assert {result.is_won for result in played} == {True, False}
    assert any(result.is_schneider for result in played)


@pytest.mark.parametrize("name", [name for name in RULESETS if name != "isko"])
def test_engine_and_oracle_agree_under_other_rules(name: str) -> None:
    assert sum(1 for _ in play_games(QUICK_GAMES // 10, 2, name)) == QUICK_GAMES // 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_engine_and_oracle_agree_over_100_000_games(seed: int) -> None:
    """In four parts, for several processes to share."""
    assert sum(1 for _ in play_games(SLOW_GAMES // 4, seed, "isko")) == SLOW_GAMES // 4


def test_games_of_the_public_interface_agree() -> None:
    """The same through `skatsim.game.Game`, event by event, and back from its record."""
    for oracle in play_games(100, 4, "isko"):
        taken = {seat: [] for seat in SEATS}
        hands = {seat: set() for seat in SEATS}
        for seat, cards in oracle.hands.items():
            hands[seat] |= cards
        for leader, cards, _ in oracle.tricks:
            for place, card in enumerate(cards):
                hands[SEATS[(SEATS.index(leader) + place) % 3]].add(card)
        if oracle.declarer and oracle.is_skat_taken:
            hands[oracle.declarer] |= set(oracle.discard or ())
            hands[oracle.declarer] -= set(oracle.skat)
        assert taken.keys() == hands.keys()
        masks = [parse_mask(" ".join(hands[seat])) for seat in SEATS]
        game = Game(
            deal=Deal(
                forehand_mask=masks[0],
                middlehand_mask=masks[1],
                rearhand_mask=masks[2],
                skat_mask=parse_mask(" ".join(oracle.skat)),
            )
        )
        discard = None
        for _, action in oracle.history:
            if isinstance(action, Contract):
                contract = EngineContract(
                    name=("diamonds", "hearts", "spades", "clubs", "grand", "null")[
                        LETTERS.index(action.game)
                    ],
                    is_hand=action.hand,
                    is_schneider_announced=action.schneider_announced,
                    is_schwarz_announced=action.schwarz_announced,
                    is_ouvert=action.ouvert,
                )
                game = game.with_declaration(contract, discard)
            elif isinstance(action, tuple):
                discard = parse_mask(" ".join(action))
            elif action in ("pick_up", "hand"):
                continue
            elif isinstance(action, int) or action in CALL_CODES:
                game = game.with_call(action)
            else:
                assert game.legal_cards() >> CARD_IDS[action] & 1
                game = game.with_card(CARD_IDS[action])
        result = oracle.result()
        assert game.is_over
        assert game.seat_scores == tuple(result.seat_scores[seat] for seat in SEATS)
        for size, entries in result.seeger_fabian.items():
            assert game.seeger_fabian(size) == tuple(entries.values())
        if game.score is not None:
            for field in ("matadors", "level", "multiplier", "game_value", "is_schneider"):
                assert getattr(game.score, field) == getattr(result, field), field
        record, calls = game.to_record()
        again = Game.from_record(record, calls)
        assert again.events == game.events
        assert again.score == game.score
