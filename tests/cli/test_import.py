"""``skatsim import`` and ``skatsim export``."""

import bz2
import contextlib
import gzip
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from skatsim.archive import Archive
from skatsim.cli import main
from skatsim.errors import NotationError, RecordError
from skatsim.formats import iss
from skatsim.formats.base import Source
from skatsim.formats.duplicates import SeenGames
from skatsim.formats.importing import import_games
from skatsim.formats.sample import write_sample
from skatsim.records import END_REASONS
from skatsim.simulation import simulate

from ..unit.test_iss import DEAL, HAND, HAND_RESULT, NULL_DEAL, record

GOOD = record(HAND, HAND_RESULT, ID="1")
OTHER = record(f"{NULL_DEAL} 1 p 2 p 0 p", "passed", ID="2")
THIRD = record(f"{DEAL} 1 p 2 p 0 p", "passed", ID="3")
WRONG = record(HAND, HAND_RESULT.replace("v:144", "v:120"), ID="4", P0="zoe")
BAD = record(HAND.replace("2 C7", "2 D7", 1), HAND_RESULT, ID="103")


def run(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(main, [*arguments], catch_exceptions=False, **options)


def write(name: str, *lines: str) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


def digest(run_name: str, archive: str = "a") -> str:
    return Archive.open(archive).run(run_name).manifest.digest


def test_import_counts_and_json(working_folder: Path) -> None:
    done = run(
        "import", write("Games.sgf", GOOD, BAD, OTHER, GOOD, WRONG), "--archive", "a", "--json"
    )
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert {key: told[key] for key in ("read", "imported", "duplicates", "rejected")} == {
        "read": 5,
        "imported": 3,
        "duplicates": 1,
        "rejected": 1,
    }
    assert told["mismatches"] == 1
    assert told["statuses"] == {"passed": 1, "result_mismatch:value": 1, "verified": 1}
    assert "Games.sgf:2 ID 103: card 3: seat 2 played D7 but held trump" in done.stderr
    rejects = Path(told["rejects_file"])
    assert rejects == Path("a/games/rejects.jsonl")
    [entry] = [json.loads(line) for line in rejects.read_text(encoding="utf-8").splitlines()]
    assert (entry["file"], entry["line"], entry["record_id"]) == ("Games.sgf", 2, "103")
    assert entry["text"] == BAD
    assert Archive.open("a").verify(deep=True) == []
    table = next(Archive.open("a").run("games").tables())
    assert table["hand_number"].to_pylist() == [0, 1, 2]
    assert table["recorded_score"].to_pylist() == [144, None, 120]
    assert table["score"].to_pylist() == [144, 0, 144]
    assert table["source_text"].to_pylist() == [GOOD, OTHER, WRONG]


def test_importing_twice_adds_nothing(working_folder: Path) -> None:
    write("one.sgf", GOOD, OTHER)
    write("both.sgf", GOOD, THIRD, OTHER)
    assert run("import", "one.sgf", "--archive", "a").exit_code == 0
    before = digest("one")
    again = run("import", "one.sgf", "--archive", "a")
    assert again.exit_code == 0
    assert "duplicates  2" in again.stdout
    assert digest("one") == before
    more = run("import", "both.sgf", "--archive", "a", "--run", "ONE", "--json")
    told = json.loads(more.stdout)
    assert (told["imported"], told["duplicates"], told["run"]) == (1, 2, "one")
    assert Archive.open("a").run("one").hands == 3
    # another run is another matter
    assert (
        json.loads(run("import", "one.sgf", "--archive", "a", "--run", "x", "--json").stdout)[
            "imported"
        ]
        == 2
    )


def test_identity_is_not_the_id(working_folder: Path) -> None:
    """Another id or date is the same game, other players are another game."""
    same = record(HAND, HAND_RESULT, ID="999", PC="ISS2", DT="", P0=" ANN")
    other = record(HAND, HAND_RESULT, ID="1", P0="dan")
    done = run("import", write("g.sgf", GOOD, same, other), "--archive", "a", "--json")
    told = json.loads(done.stdout)
    assert (told["imported"], told["duplicates"]) == (2, 1)


@pytest.mark.parametrize("content", [BAD, "", "nothing but text", GOOD[:300]])
def test_without_a_good_game_nothing_changes(working_folder: Path, content: str) -> None:
    write("good.sgf", GOOD)
    done = run("import", write("bad.sgf", content), "--archive", "new", "--json")
    assert done.exit_code == 1
    assert not Path("new").exists()
    assert json.loads(done.stdout)["imported"] == 0
    assert "no good game in 'bad.sgf', nothing was changed" in done.stderr
    assert done.stderr.count("\n") == 1
    run("import", "good.sgf", "--archive", "a")
    before = {path: path.read_bytes() for path in Path("a").rglob("*") if path.is_file()}
    done = run("import", "bad.sgf", "--archive", "a", "--run", "good", "--rejects", "r.jsonl")
    assert done.exit_code == 1
    assert before == {path: path.read_bytes() for path in Path("a").rglob("*") if path.is_file()}
    assert len(Path("r.jsonl").read_text(encoding="utf-8").splitlines()) == (
        0 if content in ("", "nothing but text") else 1
    )


@pytest.mark.parametrize("bad", [BAD, "some text", "(;)"])
def test_strict_refuses_everything(working_folder: Path, bad: str) -> None:
    write("g.sgf", "# a comment", GOOD, bad, OTHER)
    done = run("import", "g.sgf", "--archive", "a", "--strict")
    assert done.exit_code == 1
    assert done.stderr.startswith("skatsim: error: g.sgf:3")
    assert not Path("a").exists()
    write("g.sgf", "# a comment", GOOD, OTHER)
    assert run("import", "g.sgf", "--archive", "a", "--strict").exit_code == 0
    with pytest.raises(RecordError):
        import_games(write("h.sgf", bad), "a", is_strict=True)


def test_line_ends_and_mark_give_equal_parts(working_folder: Path) -> None:
    lines = ["# comment", GOOD, OTHER, WRONG]
    parts = set()
    for number, end in enumerate(("\n", "\r\n", "\r", "\n\n")):
        mark = b"\xef\xbb\xbf" if number % 2 else b""
        Path("games.sgf").write_bytes(mark + end.join(lines).encode())
        assert run("import", "games.sgf", "--archive", f"a{number}").exit_code == 0
        [path] = Archive.open(f"a{number}").run("games").paths
        parts.add(path.read_bytes())
    assert len(parts) == 1


def test_compressed_files_and_standard_input(working_folder: Path) -> None:
    data = f"{GOOD}\n{OTHER}\n".encode()
    Path("x.sgf.gz").write_bytes(gzip.compress(data))
    Path("y.sgf.bz2").write_bytes(bz2.compress(data))
    for name in ("x.sgf.gz", "y.sgf.bz2"):
        assert run("import", name, "--archive", "a").exit_code == 0
    done = run("import", "-", "--archive", "a", "--json", input=data)
    assert json.loads(done.stdout)["run"] == "stdin"
    assert digest("x") == digest("y") == digest("stdin")


def spread(name: str) -> str:
    """A run of games whose names hold quotes, in another format."""
    if not Path("source.sgf").exists():
        odd = record(HAND, HAND_RESULT, ID="9", P0='a"b\\', P1="c,d;e")
        assert run("import", write("source.sgf", GOOD, OTHER, odd), "--archive", "s").exit_code == 0
    file = f"games.{name}"
    assert run("export", "--archive", "s", "--format", name, "-o", file).exit_code == 0
    return file


def packed(name: str, compression: int) -> str:
    with zipfile.ZipFile(name, "w", compression) as file:
        file.writestr("xl/games.sgf" if name.endswith("x") else "games.sgf", f"{GOOD}\n{OTHER}\n")
    return name


def of_bytes(name: str, data: bytes) -> str:
    Path(name).write_bytes(data)
    return name


def database() -> str:
    with contextlib.closing(sqlite3.connect("games.db")) as base:
        base.execute("create table lines (line)")
        base.execute("insert into lines values (?)", (f"{GOOD}\n{OTHER}\n",))
        base.commit()
    return "games.db"


LINES = f"{GOOD}\n{OTHER}\n".encode()
PAGE = b"<!-- saved -->\n<!DOCTYPE html>\n<html><body><pre>\n" + LINES
NOISE_BYTES = np.random.default_rng(8).bytes(5_000)

FOREIGN: dict[str, tuple[Callable[[], str], str]] = {
    "parquet": (lambda: spread("parquet"), "a Parquet table"),
    "csv": (lambda: spread("csv"), "a CSV table"),
    "jsonl": (lambda: spread("jsonl"), "JSON"),
    "packed csv": (
        lambda: of_bytes("x.gz", gzip.compress(Path(spread("csv")).read_bytes())),
        "a CSV table",
    ),
    "json": (lambda: of_bytes("x", b'[\n {\n  "text": "' + GOOD.encode() + b'"}]'), "JSON"),
    "noise, then json": (
        lambda: of_bytes("x", b"two games\n" + Path(spread("jsonl")).read_bytes()),
        "JSON",
    ),
    "semicolons": (lambda: of_bytes("x", b"\xef\xbb\xbfa;b c;d\n1;2;3\n" + LINES), "a CSV table"),
    "stored zip": (lambda: packed("x.zip", zipfile.ZIP_STORED), "a zip archive"),
    "zip": (lambda: packed("x.zip", zipfile.ZIP_DEFLATED), "a zip archive"),
    "xlsx": (lambda: packed("x.xlsx", zipfile.ZIP_STORED), "a spreadsheet"),
    "twice packed": (
        lambda: of_bytes("x", gzip.compress(bz2.compress(LINES))),
        "data packed twice",
    ),
    "html": (lambda: of_bytes("x.html", PAGE), "an HTML page"),
    "xml": (lambda: of_bytes("x", b'<?xml version="1.0"?><a>' + LINES), "an XML document"),
    "sqlite": (database, "an SQLite database"),
    "noise": (lambda: of_bytes("x", NOISE_BYTES + b"\n" + LINES), "binary data"),
    "zeros": (lambda: of_bytes("x", bytes(5_000)), "binary data"),
}


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("format_name", ["auto", "iss"])
def test_what_is_no_log_is_named_and_refused(
    working_folder: Path, kind: str, format_name: str
) -> None:
    make, name = FOREIGN[kind]
    file = make()
    write("good.sgf", THIRD)
    run("import", "good.sgf", "--archive", "a")
    before = {path: path.read_bytes() for path in Path("a").rglob("*") if path.is_file()}
    for files in ((file,), ("good.sgf", file)):
        done = run("import", *files, "--archive", "a", "--run", "good", "--format", format_name)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"skatsim: error: {file!r} is {name}, but only server lines")
        assert done.stderr.count("\n") == 1
    assert before == {path: path.read_bytes() for path in Path("a").rglob("*") if path.is_file()}
    done = run("import", file, "--archive", "new", "--format", format_name)
    assert not Path("new").exists()
    with pytest.raises(NotationError, match=f"is {name}"):
        list(iss.load(file))


@pytest.mark.parametrize(
    ("name", "words"),
    [("scoresheets.csv", "is a CSV table"), ("xskat-sample.log", "is a log of XSkat")],
)
def test_games_of_other_programs_are_named(
    working_folder: Path, corpus: Path, name: str, words: str
) -> None:
    done = run("import", str(corpus / "records" / name), "--archive", "a")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert words in done.stderr
    assert "only server lines of ISS can be read (.sgf" in done.stderr


@pytest.mark.parametrize(
    "head",
    [
        b"2024-01-02, 10:00, table 5\n",
        b"day,time,table\n",
        b'[12:00:01] <ann> "hello"\n',
        b"{server} hello, all, here\n1, 2, 3\n",
        b"<ann> good game\n",
        b"\0\0\0\0\0 \x1b[31mred\x1b[0m\n",
        "Grüße, Zoë\n".encode("latin-1"),
        b"table 5 end 2024-01-02,",
    ],
)
def test_a_log_with_other_text_is_still_read(working_folder: Path, head: bytes) -> None:
    Path("x.log").write_bytes(head + LINES)
    told = json.loads(run("import", "x.log", "--archive", "a", "--json").stdout)
    assert (told["imported"], told["rejected"]) == (2, 0)


@pytest.mark.parametrize(
    ("data", "why"), [(b"", "empty"), (b"\n \n", "empty"), (b"text", "no server line (;GM[Skat]")]
)
def test_what_is_said_where_no_line_is_found(working_folder: Path, data: bytes, why: str) -> None:
    done = run("import", of_bytes("x.sgf", data), "--archive", "a")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert f"nothing was changed: {why}" in done.stderr
    assert "only server lines of ISS can be read (.sgf, also .gz or standard input)" in done.stderr


def test_several_files_make_one_run(working_folder: Path) -> None:
    done = run(
        "import",
        write("b.sgf", GOOD, OTHER),
        write("c.sgf", OTHER, THIRD),
        "--archive",
        "a",
        "--json",
    )
    told = json.loads(done.stdout)
    assert (told["run"], told["imported"], told["duplicates"]) == ("b", 3, 1)
    assert list(Archive.open("a").run("b").manifest.files) == ["b.sgf", "c.sgf"]


def test_rejects_of_later_imports_are_added_once(working_folder: Path) -> None:
    for lines in ((GOOD, BAD), (GOOD, BAD, OTHER), (GOOD, BAD, THIRD)):
        run("import", write("g.sgf", *lines), "--archive", "a")
    text = Path("a/g/rejects.jsonl").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1


def test_errors_are_one_line(working_folder: Path) -> None:
    write("g.sgf", GOOD)
    for arguments in (
        ("import", "missing.sgf", "--archive", "a"),
        ("import", ".", "--archive", "a"),
        ("import", "g.sgf", "--archive", "g.sgf"),
        ("import", "g.sgf", "--archive", "a", "--run", "../x"),
        ("import", "g.sgf", "--archive", "a", "--rejects", "no/such/folder"),
    ):
        done = run(*arguments)
        assert done.exit_code == 1, arguments
        assert done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith("skatsim: error: "), done.stderr
    assert not Path("a").exists()
    assert run("import").exit_code == 2


def test_simulated_games_go_out_and_in(working_folder: Path) -> None:
    simulate(hands=300, seed=3, archive="a", run="sim", bidding="uniform", play="uniform",
             declaring="uniform", n_jobs=1)  # fmt: skip
    done = run("export", "--archive", "a", "--run", "sim", "--format", "iss", "-o", "sim.sgf")
    assert done.exit_code == 0, done.stderr
    told = json.loads(run("import", "sim.sgf", "--archive", "b", "--json").stdout)
    assert (told["imported"], told["rejected"], told["mismatches"]) == (300, 0, 0)
    assert digest("sim", "b") == digest("sim", "a")


def test_imported_games_come_out_as_they_were(working_folder: Path) -> None:
    spread = GOOD.replace("]MV", "]\nMV").replace("ID[1]", "ID[8]").replace("P0[ann]", r"P0[a\]b]")
    write("g.sgf", GOOD, OTHER, WRONG, spread)
    run("import", "g.sgf", "--archive", "a")
    done = run("export", "--archive", "a", "--format", "iss")
    assert done.stdout == Path("g.sgf").read_text(encoding="utf-8")


def test_a_changed_column_is_written_anew(working_folder: Path) -> None:
    write("g.sgf", GOOD, OTHER)
    run("import", "g.sgf", "--archive", "a")
    table = next(Archive.open("a").run("g").tables())
    names = table["forehand_player"].to_pylist()
    at = table.schema.get_field_index("forehand_player")
    changed = pa.array(["eva", names[1]], pa.string()).dictionary_encode()
    first, second = iss.write(
        table.set_column(at, table.schema.field(at), changed.cast(table.schema.field(at).type))
    )
    assert second == OTHER
    assert "P0[eva]" in first
    assert first.endswith(f"R[{HAND_RESULT}] ;)")


def test_export_of_a_choice(working_folder: Path) -> None:
    write("g.sgf", GOOD, OTHER, WRONG)
    run("import", "g.sgf", "--archive", "a")
    done = run("export", "--archive", "a", "--where", "status = 'verified'", "--format", "iss")
    assert done.stdout == f"{GOOD}\n"
    for where in ("nonsense", "nope = 1", "score =", "sum(score) > 1", "1 = 1; select 2", " "):
        bad = run("export", "--archive", "a", "--where", where, "--format", "iss")
        assert (bad.exit_code, bad.stderr.count("\n")) == (1, 1)
        named = f"'--where {where}': " if where.strip() else "--where is empty: "
        assert bad.stderr.startswith(f"skatsim: error: {named}")


def test_export_as_tables(working_folder: Path) -> None:
    write("g.sgf", GOOD, OTHER, WRONG)
    run("import", "g.sgf", "--archive", "a")
    for kind in ("jsonl", "csv", "parquet"):
        assert run("export", "--archive", "a", "--format", kind, "-o", f"g.{kind}").exit_code == 0
    rows = [json.loads(line) for line in Path("g.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["score"] for row in rows] == [144, 0, 144]
    assert rows[0]["calls"] == "1 p 2 p 0 18"
    assert rows[0]["played"].startswith("CJ S7 C7 SJ")
    assert rows[0]["played_at"] == "2020-01-02T03:04:05+00:00"
    assert pl.read_csv("g.csv")["score"].to_list() == [144, 0, 144]
    assert pq.read_table("g.parquet").equals(next(Archive.open("a").run("g").tables()))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("kind", ["iss", "jsonl", "csv", "parquet"])
def test_export_to_a_full_disk_names_the_file(working_folder: Path, kind: str) -> None:
    run("import", write("g.sgf", GOOD), "--archive", "a")
    done = run("export", "--archive", "a", "--format", kind, "-o", "/dev/full")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert done.stderr == "skatsim: error: '/dev/full': no space left on device\n"


def test_seen_games() -> None:
    rng = np.random.default_rng(1)
    pool = rng.integers(0, 2**63, (500, 2), dtype=np.uint64)
    seen, known = SeenGames(), set()
    for _ in range(50):
        block = pool[rng.integers(0, 500, 40)]
        expected = []
        for pair in map(tuple, block.tolist()):
            expected.append(pair not in known)
            known.add(pair)
        assert seen.add(block).tolist() == expected
        assert len(seen) == len(known)


def test_the_shipped_sample(working_folder: Path) -> None:
    path = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"
    assert path.stat().st_size < 300_000
    told = json.loads(run("import", str(path), "--archive", "a", "--strict", "--json").stdout)
    assert told["imported"] == 504
    assert set(told["statuses"]) == {"aborted", "passed", "verified", "verified_with_policy"}
    sizes = next(Archive.open("a").run("sample").tables())["table_size"].to_pylist()
    assert set(sizes) == {3, 4}


def test_the_sample_can_be_made_again(tmp_path: Path) -> None:
    assert write_sample(tmp_path / "sample.sgf") == 504
    with Source.open(tmp_path / "sample.sgf") as source:
        [block] = iss.read(source)
    assert len(block) == 504
    ends = {END_REASONS[reason] for reason in block.rows["end_reason"].tolist()}
    assert {"resigned", "conceded", "timeout", "left", "passed_in", "ten_tricks"} <= ends
    assert not any(name.startswith("result_mismatch") for name in block.imported.status)


def test_house_games_are_not_bent_into_server_lines(working_folder: Path) -> None:
    simulate(hands=480, series=48, seed=2, ruleset="casa", archive="a", run="house")
    refused = run("export", "--archive", "a", "--run", "house", "--format", "iss", "-o", "x.sgf")
    assert refused.exit_code == 1
    assert "knows no house rules: it was played by 'casa'" in refused.output
    assert "house:" in refused.output
    assert not Path("x.sgf").exists()
    same = "contract is distinct from 'ramsch' and entry_factor = 1"
    done = run("export", "--archive", "a", "--run", "house", "--where", same, "--format", "iss",
               "-o", "x.sgf")  # fmt: skip
    assert done.exit_code == 0, done.output
    again = run("import", "x.sgf", "--archive", "a", "--json")
    counts = json.loads(again.output)
    assert counts["imported"] == counts["read"] > 300
    assert counts["mismatches"] == 0
    assert run("export", "--archive", "a", "--run", "house", "--format", "jsonl").exit_code == 0
