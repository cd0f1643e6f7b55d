"""`skatsim solve`: one position, files of deals, and what is refused."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from skatsim.cards import card_text, parse_card, parse_mask
from skatsim.cli import main
from skatsim.contracts import parse_contract
from skatsim.errors import NotationError, RuleError
from skatsim.solver import Position, best_discard, solve
from skatsim.study.deals import read_deals, solve_deals, summarize

HANDS = {
    "forehand": "CJ SJ CA CT CK SA ST HA H7 D7",
    "middlehand": "HJ DJ CQ C9 SK SQ S9 HT HK DA",
    "rearhand": "C8 C7 S8 S7 HQ H9 H8 DT DK DQ",
    "skat": "D9 D8",
    "contract": "clubs",
    "declarer": "forehand",
}
HEADING = "set,game,leader,declarer,left,right,skat,value\n"
SUIT_ROW = (
    "random,clubs,right,CJ CT C7 SQ SJ S7 HJ H8 H7 DA,CQ C9 SK ST HK HQ HT DJ D9 D8,"
    "CA C8 SA S9 S8 HA H9 DK DT D7,CK DQ,57\n"
)
NULL_ROW = (
    "realistic,null,left,C9 C7 HK HJ HT H9 DA DQ DT D7,CK CJ C8 SA SJ ST S9 S7 HA DK,"
    "CA CQ CT SK SQ S8 HQ H8 H7 D8,DJ D9,lost\n"
)


def run(*words: str, code: int = 0, **changes: str | None) -> Result:
    """The command on the position of `HANDS`, with changes."""
    arguments = ["solve", *words]
    for name, value in {**HANDS, **changes}.items():
        if value is not None:
            arguments += [f"--{name.replace('_', '-')}", value]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    return result


def position(**changes: Any) -> Position:
    masks = {f"{name}_mask": parse_mask(HANDS[name]) for name in (*list(HANDS)[:4],)}
    fields = {"contract": parse_contract("clubs"), "declarer_seat": 0, **masks, **changes}
    return Position(**fields)  # type: ignore[arg-type]


def of_file(text: str, *words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["solve", "--file", "-", *words], input=text)
    assert result.exit_code == code, result.output
    return result


def rows_of(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_json_says_what_the_call_says() -> None:
    content = json.loads(run("--json").stdout)
    solution = solve(position())
    assert content["card_points"] == solution.card_points == 74
    assert content["won"] is True
    assert content["line"] == [card_text(card) for card in solution.line]
    assert content["moves"] == {card_text(card): value for card, value in solution.moves.items()}
    assert content["seat"] == "forehand"


def test_null_in_json() -> None:
    content = json.loads(run("--json", contract="null").stdout)
    assert content["card_points"] is None
    assert content["won"] is False
    assert set(content["moves"].values()) == {False}


def test_played_cards_are_played() -> None:
    played = run("--json", played="SA SK S7, CJ")
    content = json.loads(played.stdout)
    after = position()
    for text in ("SA", "SK", "S7", "CJ"):
        after = after.after(parse_card(text))
    solution = solve(after)
    assert content["seat"] == "middlehand"
    assert content["card_points"] == solution.card_points
    assert content["moves"] == {card_text(card): v for card, v in solution.moves.items()}


def test_an_ending() -> None:
    ending = {
        "forehand": "CJ C7", "middlehand": "CA ST", "rearhand": "HA H7", "skat": "D7 D8",
        "card_points": "30", "tricks": "3",
    }  # fmt: skip
    content = json.loads(run("--json", **ending).stdout)
    assert content["card_points"] == 64
    other = json.loads(run("--json", **{**ending, "leader": "1"}).stdout)
    assert other["seat"] == "middlehand"


def test_a_finished_game() -> None:
    ending = {"forehand": "CJ", "middlehand": "CA", "rearhand": "HA", "skat": "D7 D8"}
    content = json.loads(run("--json", **ending, played="CJ CA HA").stdout)
    assert content == {"card_points": 24, "won": False, "line": [], "moves": {}, "seat": None}
    assert "24 card points, lost" in run(**ending, played="CJ CA HA").stdout


def test_for_reading() -> None:
    text = run().stdout
    assert "clubs, declarer forehand: 74 card points, won with best play" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "best" in text
    german = run("--cards", "german").stdout
    assert "KrB" in german
    assert "lost with best play" in run(contract="null").stdout


def test_best_discard_of_one_deal() -> None:
    masks = {f"{name}_mask": parse_mask(HANDS[name]) for name in (*list(HANDS)[:3],)}
    masks["forehand_mask"] |= parse_mask(HANDS["skat"])
    best = best_discard(**masks, contract=parse_contract("clubs"), declarer_seat=0)  # type: ignore[arg-type]
    content = json.loads(run("--json", "--best-discard", "points").stdout)
    assert content["card_points"] == best.card_points
    assert parse_mask(" ".join(content["discard"])) == best.skat_mask
    assert "discard" in run("--best-discard", "wins").stdout


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"skat": "D9"}, "skat 'D9': two cards are needed"),
        ({"skat": "D9 CJ"}, "'CJ' in two places: forehand and skat"),
        ({"rearhand": "C8 C7"}, "uneven hands"),
        ({"rearhand": "C8 XX"}, "'XX' is no card"),
        ({"contract": "clab"}, "'clab' is no contract"),
        ({"declarer": "dealer"}, "'dealer' is no seat"),
        ({"played": "SA C8"}, "card 2 of those played, by middlehand"),
        ({"played": "SA H9"}, "card 2 of those played, by middlehand"),
        ({"card_points": "30"}, "declarer with 30 card points in 0 of 0 tricks"),
    ],
)
def test_bad_positions(changes: dict[str, str], message: str) -> None:
    result = run(code=1, **changes)
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["solve"], "--forehand is missing, or --file"),
        (["solve", "--file", "x.csv", "--skat", "D7 D8"], "leave out --skat"),
        (["solve", "--file", "x.csv", "--json"], "leave out --json"),
        (["solve", "--file", "x", "--at-least", "61", "--best-discard", "wins"], "give either"),
        (["solve", "--file", "-", "--format", "parquet"], "needs a file: -o FILE"),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_options_of_files_without_a_file() -> None:
    assert "--at-least goes with --file" in run("--at-least", "61", code=2).stderr


# Files


def test_a_file_of_deals() -> None:
    result = of_file(HEADING + SUIT_ROW + NULL_ROW)
    first, second = rows_of(result)
    assert list(first) == [*HEADING.strip().split(","), "solved_value", "seconds"]
    assert first["solved_value"] == first["value"] == "57"
    assert second["solved_value"] == second["value"] == "lost"
    assert 0 <= float(first["seconds"]) < 10
    assert "2 deals" in result.stderr
    assert "random" in result.stderr
    assert "realistic" in result.stderr


def test_other_columns_pass_through_and_value_may_be_missing() -> None:
    rows = SUIT_ROW.strip().split(",")
    text = "note,game,leader,declarer,left,right,skat\n" + ",".join(rows[:-1]) + "\n"
    [row] = rows_of(of_file(text))
    assert row["note"] == "random"
    assert row["solved_value"] == "57"
    [row] = rows_of(of_file(HEADING + SUIT_ROW.replace(",57", ",")))
    assert (row["value"], row["solved_value"]) == ("", "57")


def test_a_value_that_differs_is_exit_1() -> None:
    result = of_file(HEADING + SUIT_ROW.replace(",57", ",58") + NULL_ROW, code=1)
    assert len(rows_of(result)) == 2
    assert "row 1: solved 57, given 58" in result.stderr
    assert "1 value differs" in result.stderr


@pytest.mark.parametrize(("least", "word"), [(57, "yes"), (58, "no")])
def test_at_least(least: int, word: str) -> None:
    first, second = rows_of(of_file(HEADING + SUIT_ROW + NULL_ROW, "--at-least", str(least)))
    assert first["solved_value"] == word
    assert second["solved_value"] == "lost"


def test_at_least_contradicts_a_wrong_value() -> None:
    of_file(HEADING + SUIT_ROW.replace(",57", ",58"), "--at-least", "58", code=1)


def test_best_discards_of_a_file() -> None:
    [row] = rows_of(of_file(HEADING + SUIT_ROW, "--best-discard", "points"))
    assert int(row["solved_value"]) >= 57
    masks = [parse_mask(row[name]) for name in ("declarer", "left", "right", "skat")]
    best = best_discard(
        forehand_mask=masks[0] | masks[3],
        middlehand_mask=masks[1],
        rearhand_mask=masks[2],
        contract=parse_contract("clubs"),
        declarer_seat=0,
        leader_seat=2,
    )
    assert (int(row["solved_value"]), parse_mask(row["discard"])) == (
        best.card_points,
        best.skat_mask,
    )
    [row] = rows_of(of_file(HEADING + SUIT_ROW, "--best-discard", "wins"))
    assert row["solved_value"] == ("won" if best.won else "lost")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "has no column 'game'"),
        ("", "has no column 'game'"),
        (HEADING + SUIT_ROW + NULL_ROW.replace("lost", "33"), "row 2 (line 3): value '33'"),
        (HEADING + SUIT_ROW.replace(",57", ",x"), "row 1 (line 2): value 'x'"),
        (HEADING + SUIT_ROW.replace("right,", "middle,"), "leader 'middle' is none of"),
        (HEADING + SUIT_ROW.replace("D9 D8", "D9 D7"), "'D7' in two places: left and right"),
        (HEADING + SUIT_ROW.replace("D9 D8", "D9"), "declarer 10, left 9, right 10"),
        (HEADING + SUIT_ROW.replace("CK DQ", "CK"), "skat 'CK': two cards are needed"),
        (HEADING + SUIT_ROW.replace("D9 D8", "D9 ZZ"), "left: 'ZZ' is no card"),
        (HEADING + "random,clubs\n", "row 1 (line 2): 8 columns are needed"),
        (HEADING + SUIT_ROW.replace("clubs", "ramsch"), "row 1 (line 2): 'ramsch'"),
    ],
)
def test_bad_files_give_no_rows(text: str, message: str) -> None:
    result = of_file(text, code=1)
    assert message in result.stderr
    assert result.stdout == ""


def test_files_in_and_out(tmp_path: Path) -> None:
    source = tmp_path / "Bob's deals 100%.csv"
    source.write_text("\ufeff" + HEADING + SUIT_ROW, encoding="utf-8")
    target = tmp_path / "out.parquet"
    words = ["solve", "--file", str(source), "--format", "parquet", "-o", str(target)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0
    assert result.stdout == ""
    frame = pl.read_parquet(target)
    assert frame["solved_value"].to_list() == ["57"]
    assert frame["seconds"].dtype == pl.Float64
    target = tmp_path / "out.csv"
    CliRunner().invoke(main, ["solve", "--file", str(source), "-o", str(target)])
    assert target.read_text().startswith("set,game")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "Bob's deals 100%.csv",
        "out.csv",
        "out.parquet",
    ]
    missing = CliRunner().invoke(main, ["solve", "--file", str(tmp_path / "none.csv")])
    assert missing.exit_code == 1
    assert "no such file" in missing.stderr


def test_a_file_without_deals() -> None:
    result = of_file(HEADING)
    assert result.stdout == ""
    assert "0 deals" in result.stderr


# The same in Python


def test_threads_give_the_same_in_the_same_order() -> None:
    rows = [SUIT_ROW, NULL_ROW] * 15
    deals = read_deals(io.StringIO(HEADING + "".join(rows)), "deals")
    steps: list[tuple[int, int]] = []
    solved = solve_deals(deals, n_jobs=2, on_progress=lambda *step: steps.append(step))
    assert [entry.value for entry in solved] == [57, False] * 15
    assert [entry.deal.number for entry in solved] == list(range(1, 31))
    assert steps[-1] == (30, 30)
    [suit, null] = summarize(solved)
    assert (suit.set, suit.game, suit.deals) == ("random", "suit", 15)
    assert (null.set, null.game, null.deals) == ("realistic", "null", 15)
    assert 0 <= suit.median <= suit.p95 <= suit.max


def test_what_cannot_be_asked() -> None:
    with pytest.raises(RuleError, match="at least 121 card points"):
        solve_deals([], at_least=121)
    with pytest.raises(RuleError, match="not both"):
        solve_deals([], at_least=61, discard_by="wins")
    ending = "clubs,left,CJ,CA,HA,D7 D8\n"
    with pytest.raises(RuleError, match="twelve cards needed"):
        read_deals(
            io.StringIO("game,leader,declarer,left,right,skat\n" + ending), "x", is_twelve=True
        )
    with pytest.raises(NotationError, match="is no CSV file"):
        read_deals(io.StringIO(HEADING + '"x'), "x")


def test_some_deals_of_the_corpus(corpus: Path) -> None:
    with (corpus / "rules" / "solver-deals.csv").open(encoding="utf-8", newline="") as file:
        deals = read_deals(file, file.name)
    assert len(deals) == 2400
    for entry in solve_deals(deals[::60]):
        assert not entry.is_different


@pytest.mark.slow
def test_all_deals_of_the_corpus(corpus: Path) -> None:
    path = corpus / "rules" / "solver-deals.csv"
    for words in ([], ["--at-least", "61"], ["--best-discard", "wins"]):
        result = CliRunner().invoke(main, ["solve", "--file", str(path), *words])
        assert result.exit_code == 0, result.stderr
        assert len(rows_of(result)) == 2400
