"""Reviews: every value is the solver's, every cost is explained, nothing is reviewed twice."""

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skatsim.archive import Archive, parse_game_id
from skatsim.auction import Auction
from skatsim.blocks import play_block
from skatsim.contracts import Contract, parse_contract
from skatsim.errors import ArchiveError, NotationError, RuleError
from skatsim.game import Game, random_deal
from skatsim.policies.players import Players
from skatsim.reporting import Session
from skatsim.reviews import REVIEW_COLUMNS, REVIEW_SCHEMA, ReviewManifest
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate
from skatsim.solver import Position, borrowed_workspace, card_points, reaches, solve
from skatsim.study.review import Review, review, value_games
from skatsim.study.review_run import review_run

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}
SEED = 7
CONTRACTS = ("clubs", "diamonds", "grand", "null", "grand hand", "null ouvert", "hearts hand")


def dealt_game(number: int, contract: str, *, declarer: int = 0) -> Game:
    """A game declared on a deal of the simulator; the two lowest cards are laid away."""
    game = Game(deal=random_deal(SEED, number))
    calls: list[Any] = {
        0: ["pass", "pass", "play"],
        1: [18, "pass", "pass"],
        2: ["pass", 18, "pass"],
    }[declarer]
    for call in calls:
        game = game.with_call(call)
    declared = parse_contract(contract)
    if declared.is_hand:
        return game.with_declaration(declared)
    game = game.with_pick_up(True)
    hand = game.hand_masks[declarer]
    low = hand & -hand
    rest = hand ^ low
    return game.with_declaration(declared, low | (rest & -rest))


def position_of(game: Game) -> Position:
    """Before the first card."""
    assert game.declarer is not None
    assert game.contract is not None
    masks = list(game.deal.hand_masks)
    skat = game.deal.skat_mask
    if game.discard_mask is not None:
        masks[game.declarer] = (masks[game.declarer] | skat) & ~game.discard_mask
        skat = game.discard_mask
    return Position(
        forehand_mask=masks[0],
        middlehand_mask=masks[1],
        rearhand_mask=masks[2],
        skat_mask=skat,
        contract=game.contract,
        declarer_seat=game.declarer,
    )


def played_out(game: Game, *, rng: np.random.Generator) -> Game:
    """The game with random cards to its end."""
    while not game.is_over:
        mask = game.legal_cards()
        cards = [card for card in range(32) if mask >> card & 1]
        game = game.with_card(int(rng.choice(cards)))
    return game


def best_played(game: Game) -> Game:
    """The game along an optimal line, which is sought again before each trick."""
    position = position_of(game)
    while not game.is_over:
        for card in solve(position).line[:3]:
            game, position = game.with_card(card), position.after(card)
    return game


def check(game: Game, found: Review) -> None:
    """Every value is the solver's for that position; costs are of the seat that played."""
    position = position_of(game)
    points, won = found.card_points_before, found.won_before
    for number, entry in enumerate(found.cards, 1):
        solution = solve(position)
        values = list(solution.moves.values())
        own = position.seat == found.declarer_seat
        assert entry.play_number == number
        assert entry.seat == position.seat
        assert (entry.card_points_before, entry.won_before) == (points, won)
        assert entry.card_points_before == solution.card_points
        assert entry.won_before == reaches(position)
        if position.contract.is_null:
            if not position.is_over:
                assert entry.won_before == (any(values) if own else all(values))
            assert entry.card_points_given_away is None
        else:
            best = max(values) if own else min(values)
            assert entry.card_points_before == best
            assert entry.card_points_after == solution.moves[entry.card]
            if entry.card_points_given_away and not position.contract.is_schwarz_announced:
                wanted = {card for card, value in solution.moves.items() if value == best}
                assert set(entry.best_cards) == wanted
        if not entry.is_mistake:
            assert entry.best_cards == ()
        if entry.is_changed:
            assert entry.won_before == own
        points, won = entry.card_points_after, entry.won_after
        position = position.after(entry.card)
    assert (points, won) == (found.card_points_after, found.won_after)
    if position.contract.is_null:
        return
    assert card_points(position) == found.card_points_after
    lost = [player.card_points_given_away for player in found.players]
    assert all(value is not None and value >= 0 for value in lost)
    defenders = sum(v or 0 for s, v in enumerate(lost) if s != found.declarer_seat)
    assert found.card_points_before is not None
    assert found.card_points_after == (
        found.card_points_before - (lost[found.declarer_seat] or 0) + defenders
    )


@pytest.mark.parametrize("contract", CONTRACTS)
def test_values_are_the_solvers(contract: str) -> None:
    rng = np.random.default_rng(3)
    for declarer in range(3):
        game = played_out(dealt_game(declarer, contract, declarer=declarer), rng=rng)
        found = review(game, with_contracts=False, with_calls=False)
        check(game, found)
        assert len(found.cards) == len(game.played)
        if not game.contract or game.contract.is_null:
            continue
        assert found.card_points_after == game.declarer_card_points


@pytest.mark.parametrize("contract", ["spades", "grand", "null", "grand hand schwarz"])
def test_an_optimal_line_costs_nothing(contract: str) -> None:
    game = best_played(dealt_game(11, contract))
    found = review(game, with_contracts=False, with_calls=False)
    assert [entry for entry in found.cards if entry.is_mistake] == []
    assert found.card_points_before == found.card_points_after
    assert found.won_before == found.won_after
    assert [player.mistakes for player in found.players] == [0, 0, 0]


def test_announced_schwarz_asks_for_all_tricks() -> None:
    game = Game(deal=random_deal(SEED, 1))
    rng = np.random.default_rng(1)
    for call in (18, "pass", "pass"):
        game = game.with_call(call)
    game = played_out(game.with_declaration(parse_contract("clubs hand schwarz")), rng=rng)
    found = review(game, with_contracts=False, with_calls=False)
    check(game, found)
    assert not found.won_after


def test_a_game_given_up_is_reviewed_as_far_as_it_went() -> None:
    rng = np.random.default_rng(5)
    game = dealt_game(2, "hearts")
    for _ in range(7):
        mask = game.legal_cards()
        game = game.with_card(int(rng.choice([c for c in range(32) if mask >> c & 1])))
    game = game.with_end("conceded", award="conceded")
    found = review(game, with_contracts=False, with_calls=False)
    assert len(found.cards) == 7
    check(game, found)


def test_nothing_to_review() -> None:
    game = Game(deal=random_deal(SEED, 0))
    with pytest.raises(RuleError, match="the game is not over"):
        review(game)
    for _ in range(3):
        game = game.with_call("pass")
    with pytest.raises(RuleError, match="nothing to review: no contract was played"):
        review(game)


@pytest.mark.parametrize(
    ("calls", "declarer", "values"),
    [
        ("1 18 0 p 2 p", 1, [18, 18, 20]),
        ("1 18 0 y 1 p 2 p", 0, [18, 20, 20]),
        ("1 18 0 y 1 20 0 p 2 22 1 p", 2, [22, 22, 22]),
        ("1 p 2 p 0 18", 0, [18, 20, 20]),
    ],
)
def test_who_is_asked_holds_the_value_and_who_asks_says_the_next(
    calls: str, declarer: int, values: list[int]
) -> None:
    """RULES 3.2: forehand is asked by middlehand, the survivor by rearhand."""
    game = Game(deal=random_deal(SEED, 1))
    for call in Auction.from_text(calls).calls:
        game = game.with_call(call)
    game = game.with_declaration(parse_contract("grand hand")).with_end(
        "conceded", award="conceded"
    )
    found = review(game, with_contracts=False)
    assert game.declarer == declarer
    assert [call.bid_value for call in found.calls] == values


def test_discard_contract_and_calls() -> None:
    game = played_out(dealt_game(4, "grand"), rng=np.random.default_rng(0))
    found = review(game)
    assert found.discard is not None
    assert found.contracts is not None
    assert game.discard_mask == found.discard.discard_mask
    assert found.discard.card_points == found.card_points_before
    assert found.discard.card_points_given_away is not None
    assert found.discard.card_points_given_away >= 0
    # the best discard, laid away, reaches what is said of it
    masks = list(game.deal.hand_masks)
    masks[0] = (masks[0] | game.deal.skat_mask) & ~found.discard.best_mask
    best = dataclasses.replace(
        position_of(game), forehand_mask=masks[0], skat_mask=found.discard.best_mask
    )
    assert card_points(best) == found.discard.best_card_points
    options = found.contracts.options
    assert {option.contract.name for option in options} == {
        *("clubs", "spades", "hearts", "diamonds", "grand", "null")
    }
    assert [option.score for option in options] == sorted(
        (option.score for option in options), reverse=True
    )
    assert found.contracts.declared.contract == Contract(name="grand")
    assert found.contracts.score_given_away >= 0
    assert [call.seat for call in found.calls] == [0, 1, 2]
    assert [call.is_declarer for call in found.calls] == [True, False, False]
    declarer = found.calls[0]
    assert declarer.best == found.contracts.best
    assert [call.bid_value for call in found.calls] == [18, 20, 20]
    for call in found.calls:
        worth = -call.best.score if call.is_declarer else call.best.score
        assert call.score_given_away == max(worth, 0)


def test_a_record_that_does_not_replay_is_no_crash() -> None:
    rows, _ = play_block(1, 0, 50, players=Players.of(**UNIFORM), ruleset=ISKO)
    rows = rows[(rows["contract"] >= 0) & (rows["play_count"] == 30)][:2].copy()
    rows["played"][0][5] = rows["played"][0][6]
    with borrowed_workspace() as ws:
        values, won, counts = value_games(ws, rows)
    assert counts[0] < 0
    assert won[0] == 0
    assert set(values[0]) == {255}
    assert counts[1] == 30


# Runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reviews") / "Bob's [run 1] 100%*"
    simulate(hands=60, seed=SEED, archive=path, run="games", n_jobs=1, **UNIFORM)
    return path


@pytest.fixture
def archive(folder: Path, tmp_path: Path) -> Archive:
    """An archive of its own with 60 games and no reviews."""
    import shutil

    shutil.copytree(folder, tmp_path / "archive")
    return Archive.open(tmp_path / "archive")


def reviewed(archive: Archive) -> pa.Table:
    paths = archive.run("games").review_paths
    tables = [pq.read_table(path, partitioning=None) for path in paths]
    table = pa.concat_tables(tables).cast(REVIEW_SCHEMA)
    return table.unify_dictionaries().sort_by("hand_number")


def test_a_run_reviewed_agrees_with_its_games(archive: Archive) -> None:
    result = review_run(archive, "games", hands=20, n_jobs=1)
    rows = reviewed(archive).to_pylist()
    assert result.games == len(rows) > 4
    assert result.hands == 20
    for row in rows:
        records, calls, told = archive.run("games").game(row["hand_number"])
        found = review(Game.from_record(records[0], calls), with_contracts=False, with_calls=False)
        count = row["play_count"]
        assert count == len(found.cards) == told["play_count"]
        assert row["contract"] == told["contract"]
        assert row["declarer_seat"] == found.declarer_seat
        values = [None if value == 255 else value for value in row["card_values"]]
        assert values[0] == found.card_points_before
        assert values[1 : count + 1] == [entry.card_points_after for entry in found.cards]
        wins = [bool(row["won_bits"] >> place & 1) for place in range(count + 1)]
        assert wins == [found.won_before, *(entry.won_after for entry in found.cards)]
        assert row["best_contract"] is row["best_discard_mask"] is None


def test_discards_and_contracts_of_a_run_are_those_of_a_game(archive: Archive) -> None:
    review_run(archive, "games", hands=9, n_jobs=1, with_discards=True, with_contracts=True)
    rows = reviewed(archive).to_pylist()
    assert rows
    for row in rows:
        records, calls, _ = archive.run("games").game(row["hand_number"])
        found = review(Game.from_record(records[0], calls), with_calls=False)
        assert found.contracts is not None
        assert row["contract_score"] == found.contracts.declared.score
        assert row["is_contract_won"] == found.contracts.declared.won
        assert row["best_contract_score"] == found.contracts.best.score
        assert row["is_best_contract_won"] == found.contracts.best.won
        if found.discard is None:
            assert row["best_discard_mask"] is None
        else:
            assert row["best_discard_value"] == found.discard.best_card_points
            assert row["is_best_discard_won"] == found.discard.best_won


def test_resumed_stopped_and_by_threads_it_is_the_same(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skatsim.study.review_run.BLOCK_GAMES", 2)
    monkeypatch.setattr("skatsim.study.review_run.PART_GAMES", 25)
    steps: list[tuple[int, int]] = []
    stop = threading.Event()

    def note(done: int, total: int) -> None:
        steps.append((done, total))
        if done >= 10:
            stop.set()

    first = review_run(archive, "games", n_jobs=1, stop=stop, on_progress=note)
    assert 10 <= first.hands < 25
    assert steps == sorted(steps)
    assert {total for _, total in steps} == {60}
    second = review_run(archive, "games", n_jobs=2)
    assert second.hands == 60
    assert second.new_hands == 60 - first.hands
    manifest = archive.run("games").reviews
    assert manifest is not None
    assert manifest.done == [(0, 60)]
    assert manifest.games == second.games
    before = reviewed(archive)
    again = review_run(archive, "games", n_jobs=2)
    assert (again.new_hands, again.new_games, again.games) == (0, 0, second.games)
    review_run(archive, "games", n_jobs=1, is_overwritten=True)
    assert reviewed(archive).equals(before)
    assert archive.verify(deep=True) == []


def test_asking_for_more_replaces_what_lacks_it(archive: Archive) -> None:
    review_run(archive, "games", hands=10, n_jobs=1)
    result = review_run(archive, "games", hands=5, n_jobs=1, with_discards=True)
    assert result.has_discards
    assert result.hands == 5
    kept = review_run(archive, "games", hands=5, n_jobs=1)
    assert kept.new_hands == 0
    assert kept.has_discards


def test_verify_knows_reviews(archive: Archive) -> None:
    review_run(archive, "games", hands=20, n_jobs=1)
    assert archive.verify(deep=True) == []
    run = archive.run("games")
    [path] = run.review_paths
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    [problem] = archive.verify()
    assert problem.part == f"review/{path.name}"
    assert "SHA-256" in problem.what
    path.write_bytes(data[:-4])
    assert "bytes instead of" in archive.verify()[0].what
    path.rename(path.with_name("part-of-another.parquet"))
    assert {problem.what for problem in archive.verify()} == {
        "a Parquet file that the manifest does not name",
        "the part is missing",
    }
    (path.parent / "manifest.json").write_text("{", encoding="utf-8")
    assert "cannot read" in archive.verify()[0].what
    with pytest.raises(ArchiveError, match="cannot read"):
        review_run(archive, "games", n_jobs=1)


def test_reviews_of_other_games_are_found(archive: Archive) -> None:
    review_run(archive, "games", hands=20, n_jobs=1)
    run = archive.run("games")
    path = run.folder / "review" / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["parts"][0]["digest"] = f"{1:032x}"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert archive.verify() == []
    [problem] = archive.verify(deep=True)
    assert problem.what == "the games it reviews are not those of the run"
    content["run_created_at"] = "2001-01-01T00:00:00+00:00"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert archive.verify()[0].what == "reviews of games that were overwritten since"
    assert archive.run("games").review_paths == []
    review_run(archive, "games", hands=3, n_jobs=1)
    assert archive.verify(deep=True) == []


def test_an_overwritten_run_loses_its_reviews(archive: Archive) -> None:
    review_run(archive, "games", hands=5, n_jobs=1)
    simulate(
        hands=5, seed=9, archive=archive.path, run="games", n_jobs=1, mode="overwrite", **UNIFORM
    )
    assert archive.run("games").reviews is None
    assert not (archive.run("games").folder / "review").exists()


def test_a_longer_run_keeps_its_reviews(archive: Archive) -> None:
    review_run(archive, "games", n_jobs=1, hands=40)
    simulate(
        hands=65, seed=SEED, archive=archive.path, run="games", n_jobs=1, mode="resume", **UNIFORM
    )
    assert archive.verify(deep=True) == []
    assert review_run(archive, "games", n_jobs=1, hands=62).new_hands == 22
    assert archive.verify(deep=True) == []


def test_one_review_of_a_run_at_a_time(archive: Archive) -> None:
    from skatsim.durable import locked

    review_run(archive, "games", hands=0, n_jobs=1)
    with (
        locked(archive.run("games").folder / "review"),
        pytest.raises(ArchiveError, match="the review of run 'games' is being written by process"),
    ):
        review_run(archive, "games", n_jobs=1)


def test_refused(archive: Archive) -> None:
    with pytest.raises(ArchiveError, match="no run 'other'"):
        review_run(archive, "other")
    with pytest.raises(RuleError, match="hands -1: 0 or more"):
        review_run(archive, "games", hands=-1)
    for text in ("games", "games:", ":3", "games:x", "games:-1"):
        with pytest.raises(NotationError, match="is no id of a game"):
            parse_game_id(text)
    assert parse_game_id("a:b:3") == ("a:b", 3)


def test_the_manifest_describes_its_columns(archive: Archive) -> None:
    review_run(archive, "games", hands=5, n_jobs=1)
    path = archive.run("games").folder / "review" / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    assert list(content["columns"]) == [column.name for column in REVIEW_COLUMNS]
    assert content["hands"] == 5
    assert content["done"] == [[0, 5]]
    assert ReviewManifest.read(archive.run("games").folder) == archive.run("games").reviews


# The view and the report


def test_the_view_tells_what_a_review_tells(archive: Archive) -> None:
    review_run(archive, "games", hands=16, n_jobs=1, with_discards=True)
    with Session.open(archive) as session:
        cards = session.sql(
            "select * from reviews where play_number is not null order by hand_number, play_number"
        ).rows()
        others = session.sql("select * from reviews where play_number is null").rows()
    by_game: dict[int, list[dict[str, Any]]] = {}
    for row in cards:
        by_game.setdefault(row["hand_number"], []).append(row)
    assert len(by_game) > 3
    for number, rows in by_game.items():
        records, calls, _ = archive.run("games").game(number)
        found = review(Game.from_record(records[0], calls), with_contracts=False, with_calls=False)
        assert len(rows) == len(found.cards)
        for row, entry in zip(rows, found.cards, strict=True):
            assert row["seat"] == entry.seat
            assert row["trick_number"] == entry.trick_number
            assert row["card_points_before"] == entry.card_points_before
            assert row["card_points_after"] == entry.card_points_after
            assert row["card_points_given_away"] == entry.card_points_given_away
            assert (row["is_won_before"], row["is_won_after"]) == (
                entry.won_before,
                entry.won_after,
            )
            assert row["is_changed"] == entry.is_changed
            is_own = entry.seat == found.declarer_seat
            assert row["phase"] == ("declarer play" if is_own else "defender play")
    assert {row["phase"] for row in others} == {"discard"}
    assert all(row["card_points_given_away"] >= 0 for row in others if row["contract"] != "null")


def test_the_report_adds_up(archive: Archive) -> None:
    review_run(archive, "games", hands=30, n_jobs=1)
    with Session.open(archive) as session:
        rows = session.report("mistakes").rows()
        [sums] = session.sql(
            "select count(*) as decisions, sum(card_points_given_away) as card_points,"
            " count(*) filter (is_changed) as changed from reviews"
        ).rows()
    total = [row for row in rows if row["player"] == "all"]
    assert [row["phase"] for row in total] == ["declarer play", "defender play"]
    assert sum(row["decisions"] for row in total) == sums["decisions"]
    assert sum(row["card_points_given_away"] for row in total) == sums["card_points"]
    assert sum(row["changed"] for row in total) == sums["changed"]
    for row in rows:
        assert row["changed_game_rate_low"] <= row["changed_game_rate"]
        assert row["changed_game_rate"] <= row["changed_game_rate_high"]
        assert row["mistakes"] <= row["decisions"]


def test_without_reviews_the_report_is_empty(folder: Path) -> None:
    with Session.open(folder) as session:
        assert session.report("mistakes").rows() == []
        assert session.sql("select count(*) as n from reviews").rows() == [{"n": 0}]


@pytest.mark.slow
def test_values_are_the_solvers_in_many_games() -> None:
    rows, calls = play_block(3, 0, 400, players=Players.of(), ruleset=ISKO)
    ends = rows["call_end"]
    for place, row in enumerate(rows):
        if row["contract"] < 0:
            continue
        start = int(ends[place - 1]) if place else 0
        game = Game.from_record(row, calls[start : int(ends[place])])
        check(game, review(game, with_contracts=False, with_calls=False))
