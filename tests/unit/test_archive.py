"""The archive: what is written is whole, what is broken is found, nothing is lost."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skatsim.archive import Archive, Manifest
from skatsim.blocks import play_block
from skatsim.errors import ArchiveError, UnreadableRunWarning
from skatsim.housekeeping import compact_run
from skatsim.manifest import MANIFEST
from skatsim.policies.players import Players
from skatsim.records import (
    COLUMNS,
    FLAGS,
    SCHEMA,
    SCHEMA_VERSION,
    STORED_SCHEMA,
    Games,
    from_table,
    pack_flags,
    to_table,
    unpack_flags,
)
from skatsim.replaying import replay_rows, rows_digest
from skatsim.reporting import Session
from skatsim.ruleset import ISKO
from skatsim.simulation import simulate

ARCHIVES = Path(__file__).parents[1] / "archives"
"""Runs written by earlier versions."""

CORE_REPORTS = ("win_rates", "skat_surprise", "overbid_risk")

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive with one run of 3,000 games, in two parts."""
    path = tmp_path / "Bob's [run 1] 100%*"
    simulate(hands=1000, seed=1, archive=path, run="games", n_jobs=1, **UNIFORM)
    simulate(hands=3000, seed=1, archive=path, run="games", n_jobs=1, mode="resume", **UNIFORM)
    return Archive.open(path)


def part_path(archive: Archive) -> Path:
    return archive.run("games").paths[0]


def rewrite(archive: Archive, table: pa.Table) -> None:
    """Put other games into the first part, with size and SHA-256 to match."""
    path = part_path(archive)
    pq.write_table(table, path)
    manifest = path.parent / MANIFEST
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["parts"][0]["bytes"] = path.stat().st_size
    content["parts"][0]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(content), encoding="utf-8")


def test_a_sound_archive_has_no_problems(archive: Archive) -> None:
    assert archive.verify() == []
    assert archive.verify(deep=True) == []


def test_rows_survive_the_way_through_arrow() -> None:
    rows, calls = play_block(5, 0, 2000, players=Players.of(**UNIFORM), ruleset=ISKO)
    table = to_table(
        Games(run="x", source="simulator", ruleset="isko", rows=rows, calls=calls, first=7)
    )
    table.validate(full=True)
    assert table.schema == STORED_SCHEMA
    assert unpack_flags(table).schema == SCHEMA
    assert pack_flags(unpack_flags(table)).equals(table)
    again, calls_again = from_table(table)
    assert np.array_equal(again, rows)
    assert np.array_equal(calls_again, calls)
    middle, calls_of_middle = from_table(table.slice(100, 50))
    assert rows_digest(middle, calls_of_middle) == rows_digest(
        *play_block(5, 100, 50, players=Players.of(**UNIFORM), ruleset=ISKO)
    )


def test_null_means_does_not_apply() -> None:
    rows, calls = play_block(5, 0, 2000, players=Players.of(**UNIFORM), ruleset=ISKO)
    games = Games(run="x", source="simulator", ruleset="isko", rows=rows, calls=calls)
    frame = pl.from_arrow(unpack_flags(to_table(games)))
    assert isinstance(frame, pl.DataFrame)
    of = {column.name: column.of for column in COLUMNS}
    passed = frame.filter(pl.col("contract").is_null())
    null = frame.filter(pl.col("contract") == "null")
    assert len(passed) > 100
    assert len(null) > 50
    for name, group in of.items():
        if group in ("declared", "trumps", "auction", "discard"):
            assert passed[name].null_count() == len(passed), name
        if group == "trumps":
            assert null[name].null_count() == len(null), name
        if group == "all":
            assert frame[name].null_count() == 0, name
    assert set(passed["score"]) == {0}


def test_every_reader_reads_the_parts_alike(archive: Archive) -> None:
    path = part_path(archive)
    with duckdb.connect() as connection:
        found = connection.execute(
            "select sum(score)::bigint, count(contract) from read_parquet($path)",
            {"path": [str(path)]},
        ).fetchone()
    frame = pl.read_parquet(path, glob=False)
    table = pq.read_table(path, partitioning=None)
    assert found == (frame["score"].sum(), frame["contract"].count())
    assert found == (
        sum(table["score"].to_pylist()),
        len(table) - table["contract"].null_count,
    )


def test_file_metadata_names_the_versions(archive: Archive) -> None:
    metadata = pq.read_schema(part_path(archive)).metadata
    assert {b"schema_version", b"rules_version", b"package_version"} <= set(metadata)


def test_verify_finds_a_truncated_part(archive: Archive) -> None:
    path = part_path(archive)
    path.write_bytes(path.read_bytes()[:-100])
    assert any("bytes instead of" in problem.what for problem in archive.verify())
    assert len(archive.verify(deep=True)) >= 2


def test_verify_finds_a_flipped_byte(archive: Archive) -> None:
    path = part_path(archive)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert any("SHA-256" in problem.what for problem in archive.verify())


def test_verify_finds_a_missing_part(archive: Archive) -> None:
    part_path(archive).unlink()
    assert [problem.what for problem in archive.verify()] == ["the part is missing"]


def test_verify_finds_a_foreign_part(archive: Archive) -> None:
    path = part_path(archive)
    (path.parent / "extra.parquet").write_bytes(path.read_bytes())
    problems = archive.verify()
    assert [problem.part for problem in problems] == ["extra.parquet"]


def test_verify_finds_a_part_that_is_no_parquet_file(archive: Archive) -> None:
    part_path(archive).write_bytes(b"no Parquet at all")
    assert any("cannot read part" in problem.what for problem in archive.verify(deep=True))


def test_verify_finds_a_broken_manifest(archive: Archive) -> None:
    (part_path(archive).parent / MANIFEST).write_text("{", encoding="utf-8")
    assert "cannot read" in archive.verify()[0].what


def test_verify_finds_a_run_without_manifest(archive: Archive) -> None:
    (part_path(archive).parent / MANIFEST).unlink()
    assert [problem.what for problem in archive.verify()] == ["no manifest"]


@pytest.mark.parametrize(
    "name", [column.name for column in COLUMNS if column.of in ("declared", "trumps")]
)
def test_deep_verify_finds_a_changed_value(archive: Archive, name: str) -> None:
    """Even where size and hash were made to match, the games speak."""
    table = next(archive.run("games").tables())
    index = next(
        i for i, value in enumerate(table["contract"].to_pylist()) if value not in (None, "null")
    )
    values = table[name].to_pylist()
    value = values[index]
    if name == "contract":
        values[index] = "clubs" if value != "clubs" else "hearts"
    else:
        values[index] = not value if isinstance(value, bool) else value + 1
    changed = pa.array(values, SCHEMA.field(name).type)
    index_of = SCHEMA.get_field_index(name)
    rewrite(archive, pack_flags(table.set_column(index_of, SCHEMA.field(name), changed)))
    assert archive.verify() == []
    problems = archive.verify(deep=True)
    assert problems
    if name == "score":
        assert {problem.hand for problem in problems} == {index}
        assert "score is" in problems[0].what


def test_replay_refuses_what_no_game_can_be() -> None:
    rows, calls = play_block(5, 0, 50, players=Players.of(**UNIFORM), ruleset=ISKO)
    full = int(np.flatnonzero(rows["play_count"] == 30)[0])
    changed = rows.copy()
    changed["played"][full, [3, 4]] = changed["played"][full, [4, 3]]
    assert replay_rows(changed, calls)[1][full] % 1000 == 22
    changed = rows.copy()
    changed["skat_mask"][full] ^= 1
    assert replay_rows(changed, calls)[1][full] == 30
    changed = rows.copy()
    changed["bid_value"][full] += 1
    assert replay_rows(changed, calls)[1][full] % 1000 == 32
    changed = rows.copy()
    changed["played"][full, 29] = 255
    assert replay_rows(changed, calls)[1][full] % 1000 == 33


def test_a_writer_that_fails_leaves_the_archive_as_it_was(archive: Archive) -> None:
    before = {path.name: path.read_bytes() for path in archive.path.rglob("*") if path.is_file()}
    table = next(archive.run("games").tables())
    for name in ("games", "other"):
        with (
            pytest.raises(RuntimeError, match="stop"),
            archive.writer(Manifest(run=name, source="simulator"), mode="append") as writer,
        ):
            writer.write(table)
            raise RuntimeError("stop")
    after = {path.name: path.read_bytes() for path in archive.path.rglob("*") if path.is_file()}
    assert {name for name in after if not name.startswith(".lock")} == {
        name for name in before if not name.startswith(".lock")
    }
    assert all(after[name] == before[name] for name in before)
    assert "other" not in archive


def test_appended_games_are_numbered_on(archive: Archive) -> None:
    table = next(archive.run("games").tables())
    with archive.writer(Manifest(run="games", source="simulator"), mode="append") as writer:
        writer.write(table)
    run = archive.run("games")
    assert run.hands == 4000
    assert archive.verify(deep=True) == []


def test_an_existing_run_is_refused_replaced_or_removed(archive: Archive) -> None:
    manifest = Manifest(run="games", source="simulator")
    with pytest.raises(ArchiveError, match="exists already"), archive.writer(manifest):
        pass
    old = archive.run("games").paths
    table = next(archive.run("games").tables())
    with archive.writer(manifest, mode="overwrite") as writer:
        writer.write(table)
        assert all(path.exists() for path in old)
    assert archive.run("games").hands == 1000
    assert archive.verify(deep=True) == []
    archive.remove("games")
    assert archive.runs() == []
    with pytest.raises(ArchiveError, match="no run 'games'"):
        archive.run("games")


def test_names_of_runs() -> None:
    archive = Archive(Path("nowhere"))
    for name in ("", "../x", ".hidden", "a/b", "ä", "-x"):
        with pytest.raises(ArchiveError, match="cannot name a run"):
            archive.writer(Manifest(run=name, source="simulator"))
    assert archive.writer(Manifest(run="Bert.1", source="simulator")).folder.name == "bert.1"


def test_a_second_writer_is_told_who_holds_the_run(archive: Archive) -> None:
    manifest = Manifest(run="games", source="simulator")
    with archive.writer(manifest, mode="append"):
        script = textwrap.dedent(
            """
            import sys
            from skatsim.archive import Archive, Manifest
            from skatsim.errors import ArchiveError
            manifest = Manifest(run="games", source="simulator")
            try:
                with Archive.open(sys.argv[1]).writer(manifest, mode="append"):
                    pass
            except ArchiveError as error:
                print(error)
            """
        )
        told = subprocess.run(
            [sys.executable, "-c", script, str(archive.path)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert f"is being written by process {os.getpid()} " in told


def test_a_lock_of_a_dead_process_is_taken_over(archive: Archive) -> None:
    script = textwrap.dedent(
        """
        import os, signal, sys
        from skatsim.archive import Archive, Manifest
        archive = Archive.open(sys.argv[1])
        table = next(archive.run("games").tables())
        with archive.writer(Manifest(run="games", source="simulator"), mode="append") as writer:
            writer.write(table)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    subprocess.run([sys.executable, "-c", script, str(archive.path)], check=False)
    assert archive.run("games").hands == 3000
    with archive.writer(Manifest(run="games", source="simulator"), mode="append"):
        pass
    assert archive.verify(deep=True) == []


def test_no_archive_and_a_file_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive at"):
        Archive.open(tmp_path / "none")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ArchiveError, match="cannot make the archive folder"):
        Archive.open(tmp_path / "file", create=True)


def test_a_later_schema_is_refused(archive: Archive) -> None:
    path = part_path(archive).parent / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "schema_version": 99}), encoding="utf-8")
    with pytest.raises(ArchiveError, match="update skatsim"):
        archive.run("games")


def test_an_earlier_schema_is_refused_and_can_be_removed(archive: Archive) -> None:
    path = part_path(archive).parent / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "schema_version": 1}), encoding="utf-8")
    with pytest.raises(ArchiveError, match="with schema 1: this one reads"):
        archive.run("games")
    with pytest.raises(ArchiveError, match="there are: games"):
        archive.run("other")
    simulate(hands=10, archive=archive.path, run="games", n_jobs=1, mode="overwrite", **UNIFORM)
    assert archive.run("games").hands == 10
    assert archive.verify() == []


def test_a_run_that_cannot_be_read_can_be_removed(archive: Archive) -> None:
    manifest = archive.path / "games" / MANIFEST
    content = json.loads(manifest.read_text(encoding="utf-8"))
    (*others, last) = content["parts"]
    odd = [
        {**content, "schema_version": "1"},
        {**content, "source": 3},
        {**content, "policies": ["uniform"]},
        {**content, "parts": 7},
        {**content, "parts": [*others, {**last, "hands": None}]},
        {**content, "parts": [*others, {**last, "file": "../../elsewhere"}]},
    ]
    for text in ("", "[]", "{}", "\0", *map(json.dumps, odd)):
        manifest.write_text(text, encoding="utf-8")
        with pytest.raises(ArchiveError):
            archive.run("games")
        assert len(archive.verify()) == 1
    archive.remove("games")
    assert archive.runs() == []


def test_schema_and_its_version_change_together() -> None:
    """A reader of parts of the other form must not be let near them: raise SCHEMA_VERSION."""
    text = "\n".join(f"{column.name} {column.type}" for column in STORED_SCHEMA)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert (SCHEMA_VERSION, digest) == (4, "64fcf50b2b972033")


def test_one_game_and_prefix_digests(archive: Archive) -> None:
    run = archive.run("games")
    rows, _calls, columns = run.game(1234)
    again, _ = play_block(1, 1234, 1, players=Players.of(**UNIFORM), ruleset=ISKO)
    again["call_end"] = rows["call_end"]
    assert rows[0] == again[0]
    assert columns["hand_number"] == 1234
    with pytest.raises(ArchiveError, match="has no game 3000"):
        run.game(3000)
    shorter = simulate(hands=1500, seed=1, n_jobs=1, **UNIFORM)
    assert run.prefix_digest(1500) == shorter.digest
    assert run.prefix_digest(9999) == run.manifest.digest


def test_an_archive_of_schema_2_is_read_verified_reported_and_extended(tmp_path: Path) -> None:
    """It was written before there were columns of house rules (skatsim 0.1.0, seed 5)."""
    shutil.copytree(ARCHIVES / "schema-2", tmp_path, dirs_exist_ok=True)
    archive = Archive.open(tmp_path)
    old = archive.run("uniform")
    assert old.manifest.schema_version == 2
    assert old.manifest.ruleset_label == "isko"
    assert old.manifest.digest == simulate(hands=300, seed=5, **UNIFORM).digest
    assert archive.verify(deep=True) == []
    totals = (
        "select run, count(*)::bigint as games, count(kontra_seat)::bigint as kontra, "
        "sum(forehand_score + middlehand_score + rearhand_score)::bigint as total, "
        "sum(score)::bigint as scores from games group by run order by run"
    )
    with Session.open(archive) as session:
        heuristic, uniform = session.sql(totals).rows()
    for rows in (heuristic, uniform):
        assert (rows["games"], rows["kontra"]) == (300, 0)
        assert rows["total"] == rows["scores"]

    simulate(hands=400, seed=5, archive=tmp_path, run="uniform", mode="resume", **UNIFORM)
    extended = archive.run("uniform")
    assert extended.manifest.schema_version == 2
    assert extended.prefix_digest(300) == old.manifest.digest
    assert extended.manifest.digest == simulate(hands=400, seed=5, **UNIFORM).digest
    assert archive.verify(deep=True) == []
    with Session.open(archive) as session:
        assert [row["games"] for row in session.sql(totals).rows()] == [300, 400]


@pytest.mark.parametrize("schema", [2, 3])
def test_what_an_older_schema_lacks_is_made_of_what_it_has(schema: int, tmp_path: Path) -> None:
    """The upgraded columns are those of a run made compact, which `verify` replays; and reports
    over old, new and mixed parts say the same."""
    shutil.copytree(ARCHIVES / f"schema-{schema}", tmp_path, dirs_exist_ok=True)
    archive = Archive.open(tmp_path)
    names = [run.name for run in archive.runs()]
    old = {name: next(archive.run(name).tables()) for name in names}
    games = "select run, hand_number, hand_matadors, is_counted from games order by all"

    def answers(runs: list[str]) -> list[list[dict[str, object]]]:
        with Session.open(archive, runs) as session:
            return [
                *(session.report(name).rows() for name in CORE_REPORTS),
                session.sql(games).rows(),
            ]

    before = answers(names)
    assert archive.verify(deep=True) == []
    compact_run(archive, names[0])
    mixed = answers(names)
    compact_run(archive, names[1])
    assert before == mixed == answers(names)
    assert archive.verify(deep=True) == []
    for name in names:
        run = archive.run(name)
        assert run.manifest.schema_version == SCHEMA_VERSION
        assert next(run.tables()) == old[name]
        assert 0 < sum(old[name]["is_counted"].to_pylist()) < len(old[name])
        assert old[name]["hand_matadors"].null_count < len(old[name])


def test_verify_finds_a_game_that_is_counted_and_should_not_be(tmp_path: Path) -> None:
    shutil.copytree(ARCHIVES / "schema-3" / "club", tmp_path / "club")
    archive = Archive.open(tmp_path)
    compact_run(archive, "club")
    run = archive.run("club")
    table = run.read_stored(run.manifest.parts[0])
    flags = table["flags"].to_numpy() ^ (1 << FLAGS["is_counted"])
    index = table.column_names.index("flags")
    with archive.writer(run.manifest, mode="append") as writer:
        spoiled = table.set_column(index, STORED_SCHEMA.field("flags"), pa.array(flags))
        writer.replace(run.manifest.parts, [writer.rewrite(spoiled, 0)])
    problems = archive.verify(deep=True)
    assert len(problems) == 10
    assert all("is_counted" in problem.what for problem in problems)


def test_verify_finds_a_renamed_run(archive: Archive) -> None:
    (archive.path / "games").rename(archive.path / "others")
    (problem,) = archive.verify()
    assert (problem.run, "renamed" in problem.what) == ("others", True)


def test_a_damaged_run_is_not_added_to(archive: Archive) -> None:
    """Only a simulation can make anew what was lost."""
    table = next(archive.run("games").tables())
    for damage in (_truncate, Path.unlink):
        damage(part_path(archive))
        with (
            pytest.raises(ArchiveError, match="is not as it was written"),
            archive.writer(Manifest(run="games", source="simulator"), mode="append") as writer,
        ):
            writer.write(table)
    assert archive.run("games").hands == 3000


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("hands", [500, 3000, 3500])
@pytest.mark.parametrize("damage", [Path.unlink, _truncate, _flip])
def test_resume_plays_damaged_parts_anew(
    archive: Archive, damage: Callable[[Path], None], hands: int
) -> None:
    before = archive.run("games").manifest
    damage(part_path(archive))
    done = simulate(
        hands=hands, seed=1, archive=archive.path, run="games", mode="resume", **UNIFORM
    )
    assert (done.hands, done.repaired) == (max(hands, 3000), 1000)
    assert done.new_hands == max(hands, 3000) - 3000
    assert archive.verify(deep=True) == []
    assert archive.run("games").prefix_digest(3000) == before.digest
    assert len(list(archive.path.rglob("*.parquet"))) == len(archive.run("games").manifest.parts)


def test_resume_does_not_put_other_games_in_place_of_damaged_ones(archive: Archive) -> None:
    """The manifest's digest stands: games of another version are no repair."""
    path = archive.path / "games" / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    content["parts"][0]["digest"] = f"{1:032x}"
    del content["digest"]
    path.write_text(json.dumps(content), encoding="utf-8")
    part_path(archive).unlink()
    files = {path.name for path in archive.path.rglob("*.parquet")}
    with pytest.raises(ArchiveError, match="cannot repair part"):
        simulate(hands=3000, seed=1, archive=archive.path, run="games", mode="resume", **UNIFORM)
    assert {path.name for path in archive.path.rglob("*.parquet")} == files


def test_an_unreadable_run_is_left_out_unless_it_is_named(archive: Archive) -> None:
    simulate(hands=10, seed=1, archive=archive.path, run="broken", n_jobs=1, **UNIFORM)
    (archive.path / "broken" / MANIFEST).write_text("{", encoding="utf-8")
    with pytest.warns(UnreadableRunWarning, match="broken"):
        assert [run.name for run in archive.runs()] == ["games"]
    assert archive.names() == ["broken", "games"]
    with pytest.warns(UnreadableRunWarning), Session.open(archive) as session:
        assert session.sql("select count(*) as n from games").rows() == [{"n": 3000}]
    with pytest.raises(ArchiveError, match="--overwrite"):
        Session.open(archive, ["broken"])
    simulate(hands=10, seed=1, archive=archive.path, run="broken", mode="overwrite", **UNIFORM)
    assert archive.verify(deep=True) == []
