"""The solver against two searches of their own: plain minimax, and a slow one for whole deals."""

import csv
import random
from pathlib import Path

import numpy as np
import pytest

from skatsim.cards import card_text, mask_cards, mask_points, mask_text, parse_mask
from skatsim.contracts import CONTRACT_NAMES, parse_contract
from skatsim.solver import Position, best_discard, card_points, reaches, solve, solve_many
from tests.oracle.minimax import Minimax
from tests.oracle.slow_search import SlowSearch

GAMES = "DHSCGN"


def random_position(rng: random.Random, contract: str, cards: int, table: int = 0) -> Position:
    """A position reached by random legal play from a random deal."""
    while True:
        deck = list(range(32))
        rng.shuffle(deck)
        masks = [sum(1 << card for card in deck[at : at + 10]) for at in (0, 10, 20)]
        position = Position(
            forehand_mask=masks[0],
            middlehand_mask=masks[1],
            rearhand_mask=masks[2],
            skat_mask=sum(1 << card for card in deck[30:]),
            contract=parse_contract(contract),
            declarer_seat=rng.randrange(3),
            leader_seat=rng.randrange(3),
        )
        while not position.is_over and (position.card_count, len(position.trick)) != (cards, table):
            position = position.after(rng.choice(position.legal_cards()))
        if not position.is_over:
            return position


def oracle_of(position: Position) -> tuple[Minimax, tuple[frozenset[str], ...], tuple[str, ...]]:
    game = GAMES[position.contract.number]
    hands = tuple(
        frozenset(card_text(card) for card in mask_cards(hand)) for hand in position.hands
    )
    trick = tuple(card_text(card) for card in position.trick)
    return Minimax(game, position.declarer_seat), hands, trick


def check_against_minimax(position: Position) -> None:
    oracle, hands, trick = oracle_of(position)
    moves = oracle.moves(hands, position.leader_seat, trick)
    solution = solve(position)
    found = {card_text(card): value for card, value in solution.moves.items()}
    if position.contract.is_null:
        assert found == {card: value == 0 for card, value in moves.items()}, position
        assert solution.won == reaches(position)
    else:
        sure = position.card_points + mask_points(position.skat_mask)
        assert found == {card: sure + value for card, value in moves.items()}, position
        pick = max if position.seat == position.declarer_seat else min
        assert solution.card_points == pick(found.values()) == card_points(position)
        assert solution.won == reaches(position) == (solution.card_points >= 61)
    end = position
    for card in solution.line:
        end = end.after(card)
    if position.contract.is_null:
        assert end.is_over
        assert (end.trick_count == 0) == solution.won
    else:
        assert end.card_count == 0
        assert end.card_points + mask_points(end.skat_mask) == solution.card_points


def check_endings(seed: int, counts: dict[int, int]) -> None:
    rng = random.Random(seed)
    for cards, number in counts.items():
        for index in range(number):
            contract = CONTRACT_NAMES[index % 6]
            check_against_minimax(random_position(rng, contract, cards, rng.randrange(3)))


def test_endings_equal_minimax() -> None:
    check_endings(1, {1: 24, 2: 60, 3: 240, 4: 90})


@pytest.mark.slow
def test_endings_of_up_to_six_cards_equal_minimax() -> None:
    check_endings(2, {3: 3000, 4: 1600, 5: 500, 6: 60})


def test_all_tricks_equal_minimax() -> None:
    """An announced schwarz is won with every trick, whatever the card points."""
    rng = random.Random(3)
    outcomes = set()
    for index in range(400):
        name = f"{CONTRACT_NAMES[index % 5]} hand schwarz"
        position = random_position(rng, name, 1 + index % 4, rng.randrange(3))
        finished = 10 - position.card_count
        position = Position(
            **{
                field: getattr(position, field)
                for field in ("skat_mask", "contract", "declarer_seat", "leader_seat", "trick")
            },
            forehand_mask=position.forehand_mask,
            middlehand_mask=position.middlehand_mask,
            rearhand_mask=position.rearhand_mask,
            trick_count=finished,
            card_points=120
            - mask_points(
                position.skat_mask
                | position.forehand_mask
                | position.middlehand_mask
                | position.rearhand_mask
                | sum(1 << card for card in position.trick)
            ),
        )
        oracle, hands, trick = oracle_of(position)
        expected = oracle.wins_all(hands, position.leader_seat, trick)
        assert solve(position).won == reaches(position) == expected, position
        outcomes.add(expected)
    assert outcomes == {True, False}


def deals(corpus: Path) -> list[dict[str, str]]:
    file = corpus / "rules" / "solver-deals.csv"
    if not file.is_file():
        pytest.skip(f"needs {file}")
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def columns_of(rows: list[dict[str, str]]) -> dict[str, list[int]]:
    names = ("declarer", "left", "right")
    return {
        "forehand_mask": [parse_mask(row["declarer"], "english") for row in rows],
        "middlehand_mask": [parse_mask(row["left"], "english") for row in rows],
        "rearhand_mask": [parse_mask(row["right"], "english") for row in rows],
        "skat_mask": [parse_mask(row["skat"], "english") for row in rows],
        "contract": [CONTRACT_NAMES.index(row["game"]) for row in rows],
        "declarer_seat": [0] * len(rows),
        "leader_seat": [names.index(row["leader"]) for row in rows],
    }


def expected_of(row: dict[str, str]) -> int:
    return int(row["value"] == "won") if row["game"] == "null" else int(row["value"])


def check_deals(rows: list[dict[str, str]]) -> None:
    columns = columns_of(rows)
    expected = np.array([expected_of(row) for row in rows])
    is_null = np.array(columns["contract"]) == 5
    assert np.array_equal(solve_many(**columns), expected)
    won = solve_many(**columns, at_least=61)
    assert np.array_equal(won, np.where(is_null, expected, expected >= 61))


def test_known_deals(corpus: Path) -> None:
    check_deals(deals(corpus)[::4])


@pytest.mark.slow
def test_all_known_deals(corpus: Path) -> None:
    rows = deals(corpus)
    assert len(rows) == 2400
    check_deals(rows)


def check_whole_deals(seed: int, contracts: tuple[str, ...], number: int) -> None:
    """One by one: the slow search says no less and no more than the solver."""
    rng = random.Random(seed)
    slow = SlowSearch()
    for index in range(number):
        position = random_position(rng, contracts[index % len(contracts)], 10)
        game = GAMES[position.contract.number]
        first, second, third = (mask_text(hand) for hand in position.hands)
        asked = ((first, second, third), game, position.declarer_seat, position.leader_seat)
        if game == "N":
            assert slow.reaches(*asked, 1) == reaches(position), position
        else:
            future = card_points(position) - mask_points(position.skat_mask)
            assert slow.reaches(*asked, future), position
            assert not slow.reaches(*asked, future + 1), position


def test_whole_deals_equal_slow_search() -> None:
    check_whole_deals(5, ("grand", "hearts", "null"), 12)


@pytest.mark.slow
def test_500_suit_and_grand_deals_equal_slow_search() -> None:
    check_whole_deals(6, CONTRACT_NAMES[:5], 500)


@pytest.mark.slow
def test_500_null_deals_equal_slow_search() -> None:
    check_whole_deals(7, ("null",), 500)


def cannot_lose(number: int, seed: int) -> None:
    """Forehand's clubs hand with CJ SJ HJ DJ CQ C9 C7 SA H7 DK cannot lose (rules 15)."""
    rng = np.random.default_rng(seed)
    hand = parse_mask("CJ SJ HJ DJ CQ C9 C7 SA H7 DK")
    others = np.array([card for card in range(32) if not hand >> card & 1])
    order = rng.permuted(np.tile(others, (number, 1)), axis=1)
    bits = np.int64(1) << order
    won = solve_many(
        forehand_mask=hand,
        middlehand_mask=bits[:, :10].sum(axis=1),
        rearhand_mask=bits[:, 10:20].sum(axis=1),
        skat_mask=bits[:, 20:].sum(axis=1),
        contract=CONTRACT_NAMES.index("clubs"),
        declarer_seat=0,
        at_least=61,
    )
    assert won.all()
    assert len(won) == number


def test_hand_that_cannot_lose() -> None:
    cannot_lose(2_000, 8)


@pytest.mark.slow
def test_hand_that_cannot_lose_in_100000_distributions() -> None:
    cannot_lose(100_000, 9)


@pytest.mark.parametrize("contract", ["clubs", "grand", "null"])
def test_best_discard_is_the_best_of_66(contract: str) -> None:
    rng = random.Random(10)
    game = parse_contract(contract)
    for _ in range(2):
        position = random_position(rng, contract, 10)
        declarer = position.declarer_seat
        names = ("forehand_mask", "middlehand_mask", "rearhand_mask")
        masks = dict(zip(names, position.hands, strict=True))
        masks[names[declarer]] |= position.skat_mask
        twelve = mask_cards(masks[names[declarer]])
        skats = [1 << a | 1 << b for at, a in enumerate(twelve) for b in twelve[at + 1 :]]
        columns: dict[str, object] = dict(masks)
        columns[names[declarer]] = [masks[names[declarer]] & ~skat for skat in skats]
        values = solve_many(
            **columns,  # type: ignore[arg-type]
            skat_mask=skats,
            contract=game.number,
            declarer_seat=declarer,
            leader_seat=position.leader_seat,
        )
        rest = {"contract": game, "declarer_seat": declarer, "leader_seat": position.leader_seat}
        best = best_discard(**masks, **rest)  # type: ignore[arg-type]
        wins = best_discard(**masks, **rest, by="wins")  # type: ignore[arg-type]
        if contract == "null":
            assert best.won == wins.won == bool(values.max())
            assert values[skats.index(best.skat_mask)] == values.max()
        else:
            assert best.card_points == values.max() == values[skats.index(best.skat_mask)]
            assert best.won == wins.won == (values.max() >= 61)
            assert (values[skats.index(wins.skat_mask)] >= 61) == wins.won


def test_two_threads_answer_like_one() -> None:
    rng = random.Random(11)
    positions = [random_position(rng, CONTRACT_NAMES[index % 6], 8) for index in range(600)]
    columns = {
        name: [getattr(position, name) for position in positions]
        for name in (
            "forehand_mask",
            "middlehand_mask",
            "rearhand_mask",
            "skat_mask",
            "declarer_seat",
            "leader_seat",
            "card_points",
        )
    }
    columns["contract"] = [position.contract.number for position in positions]
    one, two = solve_many(**columns), solve_many(**columns, n_jobs=2)
    assert np.array_equal(one, two)
    for position, value in zip(positions[:60], one, strict=False):
        is_null = position.contract.is_null
        assert value == (reaches(position) if is_null else card_points(position))
