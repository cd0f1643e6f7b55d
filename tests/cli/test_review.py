"""`skatsim review`: a game for reading and as JSON, a run into the archive."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skatsim.archive import Archive
from skatsim.cli import main
from skatsim.formats import iss
from skatsim.game import Game
from skatsim.simulation import simulate
from skatsim.study.review import WARNING, open_values, review

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "archive"
    simulate(hands=60, seed=7, archive=path, run="games", n_jobs=1, **UNIFORM)
    return path


def numbers(folder: Path) -> dict[str, int]:
    """A game of each kind of contract, and one that was passed in."""
    found: dict[str, int] = {}
    for number in range(60):
        _, _, told = Archive.open(folder).run("games").game(number)
        found.setdefault(told["contract"] or "passed in", number)
    return found


def game_of(folder: Path, number: int) -> Game:
    rows, calls, _ = Archive.open(folder).run("games").game(number)
    return Game.from_record(rows[0], calls)


def run(*words: str, folder: Path | None = None, code: int = 0) -> Result:
    place = [] if folder is None else ["--archive", str(folder)]
    result = CliRunner().invoke(main, ["review", *words, *place])
    assert result.exit_code == code, result.output
    return result


def test_a_game_for_reading(folder: Path) -> None:
    found = numbers(folder)
    for contract in ("grand", "null", "clubs"):
        text = run(f"games:{found[contract]}", folder=folder).stdout
        assert max(map(len, text.splitlines())) <= 80
        assert text.startswith(f"games:{found[contract]}: {contract}")
        assert " ".join(text.split()).count(WARNING) == 1
        for word in ("call", "contract", "play", "trick", "forehand", "defender", "declarer"):
            assert word in text


def test_a_game_as_json(folder: Path) -> None:
    number = numbers(folder)["grand"]
    content = json.loads(run(f"games:{number}", "--json", folder=folder).stdout)
    found = review(game_of(folder, number))
    assert content["warning"] == WARNING
    assert content["card_points_before"] == found.card_points_before
    assert content["card_points_after"] == found.card_points_after
    assert len(content["cards"]) == len(found.cards)
    assert [card["card_points_given_away"] for card in content["cards"]] == [
        card.card_points_given_away for card in found.cards
    ]
    assert [player["card_points_given_away"] for player in content["players"]] == [
        player.card_points_given_away for player in found.players
    ]
    assert content["contracts"]["score_given_away"] >= 0
    assert content["players"][0]["player"] == "uniform"


def test_a_server_line(folder: Path) -> None:
    line = iss.dumps([game_of(folder, numbers(folder)["clubs"])])
    own = json.loads(run(f"games:{numbers(folder)['clubs']}", "--json", folder=folder).stdout)
    content = json.loads(run("--record", line, "--json").stdout)
    assert content["game"] is None
    assert content["cards"] == own["cards"]


def test_a_run(folder: Path) -> None:
    words = ["--run", "games", "--jobs", "1", "--hands"]
    text = run(*words, "10", folder=folder).stdout
    assert "covered   10 games" in text
    content = json.loads(run(*words, "14", "--json", folder=folder).stdout)
    assert (content["hands"], content["new_hands"]) == (14, 4)
    assert content["games"] > 0
    assert run(*words, "14", folder=folder).stdout.count("0 new") == 1
    report = CliRunner().invoke(main, ["report", "mistakes", "--archive", str(folder)])
    assert report.exit_code == 0
    assert "defender play" in report.stdout
    verify = CliRunner().invoke(main, ["verify", "--deep", "--archive", str(folder)])
    assert verify.exit_code == 0


def test_refused(folder: Path) -> None:
    passed = numbers(folder)["passed in"]
    assert "nothing to review" in run(f"games:{passed}", folder=folder, code=1).stderr
    assert "has no game 99" in run("games:99", folder=folder, code=1).stderr
    assert "is no id of a game" in run("games", folder=folder, code=1).stderr
    assert "no run 'other'" in run("--run", "other", folder=folder, code=1).stderr
    assert "error" in run("--record", "nonsense", code=1).stderr
    assert "give one of" in run(code=2).stderr
    assert "give one of" in run("games:1", "--run", "games", code=2).stderr
    assert "of --run" in run("games:1", "--with-discards", code=2).stderr


def test_replay_with_values(folder: Path) -> None:
    found = numbers(folder)
    for contract, number in found.items():
        words = ["replay", f"games:{number}", "--archive", str(folder)]
        plain = CliRunner().invoke(main, words).stdout
        shown = CliRunner().invoke(main, [*words, "--solve"]).stdout
        assert max(map(len, shown.splitlines())) <= 80
        if contract == "passed in":
            assert shown == plain
            continue
        values = open_values(game_of(folder, number).to_record()[0])
        review_found = review(game_of(folder, number), with_contracts=False, with_calls=False)
        start = review_found.card_points_before
        word = "won" if review_found.won_before else "lost"
        assert values[0] == (word if start is None else str(start))
        assert len(values) == len(review_found.cards) + 1
        assert f"Open cards: {values[0]} for the declarer" in shown
