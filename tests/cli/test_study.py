"""The commands duel, threshold, deal, and pipelines of studies."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skatsim.cli import main
from skatsim.simulation import simulate


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(autouse=True)
def _folder(working_folder: Path) -> Path:
    return working_folder


def test_duel_of_a_policy_with_itself() -> None:
    result = run("duel", "heuristic", "heuristic", "--deals", "200")
    assert result.exit_code == 0, result.output
    assert "+0.00 ±0.00 a deal over 200 deals, no difference" in result.output


def test_duel_breaks_long_names_between_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ("heuristic:risk=0.4", "heuristic:risk=0.6,null=0.3", "trumps_and_aces")
    lines = run("duel", *names, "--deals", "20").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[2:7]] == [
        *("heuristic:", "risk=0.4", "heuristic:", "risk=0.6,", "null=0.3"),
    ]
    text = " ".join(" ".join(lines).split())
    assert "heuristic:risk=0.6,null=0.3 less trumps_and_aces: " in text
    monkeypatch.setenv("COLUMNS", "120")
    assert "heuristic:risk=0.6,null=0.3  " in run("duel", *names, "--deals", "20").stdout


def test_one_deal_decides_nothing() -> None:
    result = run("duel", "heuristic", "uniform", "--deals", "1")
    assert "over 1 deal, not decided" in result.output


def test_duel_as_json() -> None:
    result = run("duel", "heuristic", "uniform", "--deals", "300", "--seed", "2", "--json")
    answer = json.loads(result.stdout)
    assert answer["deals"] == 300 and answer["scoring"] == "seeger3" and answer["seed"] == 2
    assert {"policy", "score_per_deal", "declaring", "defending"} <= answer["rows"][0].keys()
    (difference,) = answer["differences"]
    assert {"a", "b", "mean", "low", "high"} <= difference.keys()
    assert difference["low"] > 0


def test_duel_is_told_what_it_cannot_do() -> None:
    assert run("duel", "heuristic").exit_code == 2
    assert run("duel", "heuristic", "uniform", "--deals", "3", "--precision", "1").exit_code == 2
    result = run("duel", "heuristic", "nobody")
    assert result.exit_code == 1 and "no policy 'nobody'" in result.stderr


def test_threshold_as_json() -> None:
    result = run("threshold", "--values", "0.2:0.8:0.3", "--deals", "300", "--json")
    answer = json.loads(result.stdout)
    assert [row["value"] for row in answer["rows"]] == [0.2, 0.5, 0.8]
    for name in ("declared_rate", "win_rate", "overbid_rate", "score_per_deal"):
        for row in answer["rows"]:
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert answer["best"]["value"] == 0.5
    assert answer["policy"] == "heuristic" and answer["parameter"] == "risk"


def test_threshold_as_a_table() -> None:
    result = run("threshold", "--values", "0.2,0.5,0.8", "--deals", "500", "--self-play")
    assert result.exit_code == 0, result.output
    assert "risk by seeger3, self-play, 500 deals" in result.output
    assert re.search(r"0\.5 .*\+0\.00 ±0\.00 +o", result.output)
    assert "best: 0.5" in result.output and "by seat: forehand" in result.output
    chosen = ("--seat", "Vorhand", "--contract", "clubs")
    one = run("threshold", "--values", "0.2,0.5", "--deals", "90", *chosen)
    assert "forehand, clubs, 90 deals" in one.output


@pytest.mark.parametrize("values", ["a", "0.1:0.5", "0.5:0.1:0.1", "0:1:0", "0:9:0.000001"])
def test_threshold_reads_values(values: str) -> None:
    result = run("threshold", "--values", values)
    assert result.exit_code == 2 and "write numbers like" in result.stderr


def test_the_curve_of_a_parameter_with_a_long_name_fits(working_folder: Path) -> None:
    own = working_folder / "own.py"
    own.write_text(
        "class Own:\n"
        "    def __init__(self, patience=1): self.patience = patience\n"
        "    def play(self, view): return view.legal_cards[int(self.patience) - 1 and -1]\n"
    )
    result = run("threshold", "--policy", f"{own}:Own", "--values", "1,2", "--deals", "20")
    table = result.stdout.splitlines()[1:5]
    assert table[0].split()[0] == "patience"
    assert [row.split()[0] for row in table[2:]] == ["1", "2"]  # no row takes a second line
    assert max(map(len, table)) <= 80


def test_threshold_is_told_what_it_cannot_do() -> None:
    for arguments, message in (
        (("--policy", "uniform"), "has no parameters"),
        (("--param", "rsik"), "no parameter 'rsik'"),
        (("--seat", "north"), "'north' is no seat"),
        (("--self-play", "--opponents", "uniform"), "no opponents to name"),
    ):
        result = run("threshold", "--deals", "10", *arguments)
        assert result.exit_code == 1 and message in result.stderr


def test_break_even_by_game_value() -> None:
    result = run("threshold", "--break-even")
    assert re.search(r"^ +18 +66\.7 +55\.8 +64\.9 +63\.", result.output, re.M), result.output
    rows = json.loads(run("threshold", "--break-even", "--json").stdout)["rows"]
    assert rows[0] == pytest.approx(
        {"game_value": 18, "plain": 2 / 3, "seeger": 86 / 154, "lead_of_three": 126 / 194,
         "lead_of_four": 116 / 184}
    )  # fmt: skip


def test_deals_are_printed() -> None:
    result = run("deal", "--count", "2", "--seed", "1")
    assert result.stdout.splitlines()[0] == "deal 0"
    assert len(result.stdout.splitlines()) == 10 and result.stderr == ""
    german = run("deal", "--seed", "1", "--cards", "german")
    assert "KrA" in german.stdout


def test_how_usual_such_deals_are_is_said_beside_them() -> None:
    result = run("deal", "--count", "20", "--given", "forehand: CJ SJ; skat: no jacks",
                 "--where", "forehand_longest_suit >= 5", "--format", "jsonl")  # fmt: skip
    deals = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(deals) == 20
    assert all("CJ SJ" in deal["forehand"] and "J" not in deal["skat"] for deal in deals)
    assert re.search(
        r"one deal in 12\.7 has these cards and counts; \d+\.\d+% of the", result.stderr
    )


def test_deals_go_into_files(working_folder: Path) -> None:
    result = run("deal", "--count", "3", "--format", "html", "-o", "deals.html")
    assert result.exit_code == 0 and result.stdout == ""
    assert (working_folder / "deals.html").read_text("utf-8").count("<table>") == 3
    assert "wrote 3 deals: deals.html" in result.stderr


def test_deal_names_its_figures() -> None:
    result = run("deal", "--figures")
    for name in ("trumps_clubs", "side_aces_clubs", "card_points", "matadors_grand"[:8]):
        assert name in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--given", "forehand: CJ; skat: CJ"), "CJ cannot lie at forehand and in skat"),
        (("--given", "forehand: CJ SJ HJ DJ CA CT CK CQ C9 C8 C7"), "11 cards"),
        (("--where", "forehand_points > 3"), "asks about 'forehand_points'"),
        (("--where", "skat_jacks = 3"), "no deal is so"),
    ],
)
def test_impossible_deals_are_refused_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = run("deal", *arguments)
    assert result.exit_code == 1 and message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_fairness_of_a_run_that_is_there(working_folder: Path) -> None:
    simulate(hands=2000, seed=4, archive="games", run="mine", n_jobs=1)
    result = run("run", "fairness", "--run", "mine", "--archive", "games")
    assert result.exit_code == 0, result.output
    assert "simulated" not in result.output
    words = " ".join(result.output.split())
    assert "2,000 deals of mine" in words and "in 7" in words
    assert (working_folder / "games" / "fairness.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["thresholds", "hand_strength", "skat_surprise", "overbid", "fairness"]
)
def test_shipped_studies_run(name: str, working_folder: Path) -> None:
    result = run("run", name, "--archive", "games")
    assert result.exit_code == 0, result.output
    assert (working_folder / "games" / f"{name}.html").stat().st_size > 10_000
