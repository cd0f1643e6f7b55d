"""The real list of a club that plays Ramsch, Bock, Kontra and Re, line by line.

6,149 lines of 2018 to 2021 with renamed players. 17 cannot be checked and are named with the
reason; all others recompute from contract, matadors, level and house factors.
"""

import csv
from collections import Counter
from pathlib import Path

import pytest

from skatsim.contracts import Contract
from skatsim.lists import Entry
from skatsim.ruleset import ISKO
from skatsim.sheets import score_line, score_ramsch_line

CLUB = ISKO.with_(
    name="club",
    all_pass="ramsch",
    kontra_steps=2,
    is_kontra_in_ramsch=True,
    is_schieberamsch=True,
    ramsch_cap=250,
)

CONTRACTS = {"Karo": "diamonds", "Herz": "hearts", "Pik": "spades", "Kreuz": "clubs",
             "Grand": "grand", "Null": "null"}  # fmt: skip

LEVELS = {
    "Einfach": {},
    "Schneider": {"is_schneider": True},
    "Schwarz": {"is_schwarz": True},
    "Hand": {"is_hand": True},
    "Hand Schneider": {"is_hand": True, "is_schneider": True},
    "Hand Schwarz": {"is_hand": True, "is_schwarz": True},
    "Schneider angesagt": {"is_hand": True, "is_schneider_announced": True, "is_schneider": True},
    "Schneider ang. Schwarz": {
        "is_hand": True,
        "is_schneider_announced": True,
        "is_schwarz": True,
    },
    "Schwarz angesagt": {"is_hand": True, "is_schwarz_announced": True, "is_schwarz": True},
    "Offen": {"is_ouvert": True},
    "Hand Offen": {"is_hand": True, "is_ouvert": True},
}
MADE = ("is_schneider", "is_schwarz")

NO_CONTRACT = {"3362", "3431", "4646", "4660", "4692", "5154", "5161", "5451", "6198"}
"""Lines that name neither contract nor declarer: deals passed in, or not written down."""

NO_ENTRY = {"3170", "3412", "3413", "3414", "3415", "3417", "3419", "3420"}
"""Lines of two sittings without players and without any entry."""

ALREADY_DOUBLED = {"32": 3, "39": 1, "41": 1, "391": 1}
"""Ramsch with more than 120 card points: those stated are doubled so often already."""

Row = dict[str, str]


def lines(corpus: Path) -> list[Row]:
    path = corpus / "records" / "scoresheets.csv"
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def reason(row: Row) -> str | None:
    """Why a line cannot be checked; None where it can."""
    if not row["contract"]:
        return "no contract"
    return None if row["base_points"] else "no entry"


def entries(text: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (part.partition(":") for part in text.split())}


def kontra_of(row: Row) -> int:
    return (row["kontra"] == "X") + (row["re"] == "X")


def recomputed(row: Row) -> int:
    """The entry of the player that the line names."""
    bock = 2 if row["bock"] else 1
    if row["contract"] == "Ramsch":
        doubled = ALREADY_DOUBLED.get(row["game_id"], 0)
        score = score_ramsch_line(
            int(row["augen"]) >> doubled,
            virgin_count=int(row["jungfrau"]),
            unseen_pushes=int(row["geschoben"]) + doubled,
            is_durchmarsch=row["status"] == "G",
            kontra=kontra_of(row),
            bock=bock,
            ruleset=CLUB,
        )
        return score.scores[0]
    level = LEVELS[row["level"]]
    announced = {name: flag for name, flag in level.items() if name not in MADE}
    contract = Contract(name=CONTRACTS[row["contract"]], **announced)
    is_null = row["contract"] == "Null"
    return score_line(
        contract,
        matadors=None if is_null else int(row["matadors"]),
        is_won=row["status"] == "G",
        is_schneider=level.get("is_schneider", False),
        is_schwarz=level.get("is_schwarz", False),
        kontra=kontra_of(row),
        bock=bock,
        ruleset=CLUB,
    ).score


def test_every_checkable_line_recomputes(corpus: Path) -> None:
    rows = [row for row in lines(corpus) if reason(row) is None]
    wrong = [
        (row["game_id"], recomputed(row), row["base_points"])
        for row in rows
        if entries(row["base_points"]) != {row["declarer"]: recomputed(row)}
    ]
    assert wrong == []
    assert len(rows) == 6132


def test_lines_that_cannot_be_checked_are_known(corpus: Path) -> None:
    rows = lines(corpus)
    found = {row["game_id"]: reason(row) for row in rows if reason(row)}
    assert found == {
        **dict.fromkeys(NO_CONTRACT, "no contract"),
        **dict.fromkeys(NO_ENTRY, "no entry"),
    }
    assert len(rows) == 6149


def test_house_rules_are_all_there(corpus: Path) -> None:
    rows = [row for row in lines(corpus) if reason(row) is None]
    counts = Counter()
    for row in rows:
        is_ramsch = row["contract"] == "Ramsch"
        counts["ramsch"] += is_ramsch
        counts["bock"] += row["bock"] == "X"
        counts["kontra"] += row["kontra"] == "X"
        counts["kontra in ramsch"] += is_ramsch and row["kontra"] == "X"
        counts["re"] += row["re"] == "X"
        counts["capped"] += is_ramsch and row["base_points"].endswith(":-250")
    assert counts["ramsch"] == 183
    assert counts["kontra in ramsch"] == 4
    assert counts["re"] == 9
    assert counts["capped"] == 19
    # the cap is the last thing: some are cut only because of Bock and Kontra
    first = [row for row in rows if row["game_id"] in ("1564", "1589", "2478", "2831", "2953")]
    assert [recomputed(row) for row in first] == [-250] * 5


def test_bonuses_are_not_multiplied_and_ramsch_has_none(corpus: Path) -> None:
    """The club's column of Seeger-Fabian bonuses, by the package's entries of one deal."""
    checked = Counter()
    for row in lines(corpus):
        if reason(row) is not None or not row["seat1"]:
            continue
        players = (row["seat1"], row["seat2"], row["seat3"])
        if row["contract"] == "Ramsch":
            scores = tuple(recomputed(row) if name == row["declarer"] else 0 for name in players)
            entry = Entry(scores=scores)
        else:
            entry = Entry(
                declarer=players.index(row["declarer"]),
                score=recomputed(row),
                is_won=row["status"] == "G",
            )
        bonuses = {
            name: whole - plain
            for name, whole, plain in zip(
                players, entry.seeger_fabian(3), entry.plain(3), strict=True
            )
            if whole != plain
        }
        checked[bonuses == entries(row["seeger"])] += 1
    assert checked[False] == 0
    assert checked[True] > 6000
