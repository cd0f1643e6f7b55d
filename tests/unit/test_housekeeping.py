"""Runs made compact and copied: the same games, and never half of them."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from skatsim.archive import Archive
from skatsim.durable import locked
from skatsim.errors import ArchiveError, ReportError
from skatsim.formats.importing import import_games
from skatsim.housekeeping import compact_run, copy_run
from skatsim.manifest import MANIFEST
from skatsim.records import SCHEMA_VERSION
from skatsim.reporting import Session
from skatsim.simulation import simulate
from skatsim.study.review_run import review_run
from skatsim.verification import verify_run

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive with one run of 2,000 games in five parts."""
    for hands in (300, 700, 1000, 1001, 2000):
        simulate(hands=hands, seed=1, archive=tmp_path / "a", run="games", mode="resume", **UNIFORM)
    return Archive.open(tmp_path / "a")


def test_compacting_keeps_games_and_reviews(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 700)
    review_run(archive, "games", hands=50)
    before = archive.run("games").manifest
    done = []
    result = compact_run(archive, "games", on_progress=lambda hands, total: done.append(hands))
    after = archive.run("games")
    assert (result.parts_before, result.parts, result.hands) == (5, 3, 2000)
    assert [(part.first, part.hands) for part in after.manifest.parts] == [
        (0, 700), (700, 700), (1400, 600)
    ]  # fmt: skip
    assert result.digest == after.manifest.digest == before.digest
    assert sum(part.won for part in after.manifest.parts) == sum(part.won for part in before.parts)
    assert done == [700, 1400, 2000]
    assert archive.verify(deep=True) == []
    assert after.reviews is not None
    assert after.reviews.hands == 50
    names = {path.name for path in after.paths}
    assert compact_run(archive, "games").parts == 3
    assert {path.name for path in archive.run("games").paths} == names


def test_reports_over_a_run_that_is_made_compact_meanwhile(archive: Archive) -> None:
    runs = archive.runs()
    with Session(runs) as session:
        before = session.report("win_rates").table
        compact_run(archive, "games")
        assert session.report("win_rates").table.equals(before)  # open while parts were replaced
        assert session.sql("select parts from runs").rows() == [{"parts": 1}]
    with Session(runs) as session:  # runs that were listed before
        assert session.report("win_rates").table.equals(before)


def test_verify_of_a_run_that_is_written_to_meanwhile(archive: Archive) -> None:
    run = archive.run("games")
    compact_run(archive, "games")
    assert verify_run(run, deep=True) == []  # its parts are replaced: none of them is a problem
    alien = archive.run("games").folder / "part-alien.parquet"
    alien.write_bytes(b"")
    with locked(run.folder):  # may be a part that its writer names next
        assert verify_run(archive.run("games"), deep=True) == []
    problems = verify_run(archive.run("games"), deep=True)
    assert [problem.part for problem in problems] == [alien.name]


def test_a_part_that_is_lost_while_a_session_is_open_is_named(archive: Archive) -> None:
    with Session(archive.runs()) as session:
        archive.run("games").paths[1].unlink()
        with pytest.raises(ReportError, match=r"part-000000000300.*skatsim verify"):
            session.sql("select count(*) from games")


def test_compact_series_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for hands in (36, 72, 360):
        simulate(hands=hands, series=36, seed=1, archive=tmp_path, run="s", mode="resume")
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 200)
    archive = Archive.open(tmp_path)
    compact_run(archive, "s")
    assert [part.hands for part in archive.run("s").manifest.parts] == [180, 180]
    assert archive.verify(deep=True) == []


def test_what_is_damaged_or_has_gaps_is_not_made_compact(archive: Archive) -> None:
    path = archive.path / "games" / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["parts"][1], content["hands"], content["digest"]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ArchiveError, match="games 300 to 699 are missing"):
        compact_run(archive, "games")
    simulate(hands=2000, seed=1, archive=archive.path, run="games", mode="resume", **UNIFORM)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["parts"][1]["digest"] = f"{1:032x}"
    del content["digest"]
    path.write_text(json.dumps(content), encoding="utf-8")
    before = sorted(path.parent.iterdir())
    with pytest.raises(ArchiveError, match="another digest"):
        compact_run(archive, "games")
    assert [path for path in sorted(path.parent.iterdir()) if ".lock" not in path.name] == [
        path for path in before if ".lock" not in path.name
    ]
    archive.run("games").paths[0].unlink()
    with pytest.raises(ArchiveError, match="is not as it was written"):
        compact_run(archive, "games")


@pytest.mark.parametrize("moment", ["write_part", "write_whole"])
def test_a_compaction_that_was_killed_leaves_the_run(archive: Archive, moment: str) -> None:
    """Killed after it wrote a part, and after the manifest but before the old parts went."""
    script = textwrap.dedent(
        f"""
        import os, signal, sys
        from skatsim import manifest, run_writer
        from skatsim.archive import Archive
        from skatsim.housekeeping import compact_run

        def and_die(*arguments, **more):
            write(*arguments, **more)
            if {moment!r} == "write_part" or arguments[0].name == "manifest.json":
                os.kill(os.getpid(), signal.SIGKILL)

        manifest.PART_HANDS = 700
        write = run_writer.{moment}
        run_writer.{moment} = and_die
        compact_run(Archive.open(sys.argv[1]), "games")
        """
    )
    before = archive.run("games").manifest.digest
    done = subprocess.run(
        [sys.executable, "-c", script, str(archive.path)],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == -9
    assert archive.run("games").manifest.digest == before
    assert len(archive.verify()) > 0  # files that no manifest names
    compact_run(archive, "games")
    assert archive.verify(deep=True) == []
    assert archive.run("games").manifest.digest == before


def test_a_copy_is_the_run(archive: Archive, tmp_path: Path) -> None:
    review_run(archive, "games", hands=50)
    (archive.path / "games" / "rejects.jsonl").write_text("{}\n", encoding="utf-8")
    target = Archive.open(tmp_path / "b", create=True)
    copied = copy_run(archive, "games", target)
    source = archive.run("games")
    assert copied.manifest == source.manifest
    assert copied.reviews == source.reviews
    assert (target.path / "games" / "rejects.jsonl").read_text(encoding="utf-8") == "{}\n"
    assert target.verify(deep=True) == []
    with Session.open(target) as session:
        assert session.sql("select count(*) as n from reviews").rows()[0]["n"] > 0
    simulate(hands=2100, seed=1, archive=target.path, run="games", mode="resume", **UNIFORM)
    with pytest.raises(ArchiveError, match="exists already"):
        copy_run(archive, "games", target)


def test_a_copy_that_fails_leaves_nothing(archive: Archive, tmp_path: Path) -> None:
    target = Archive.open(tmp_path / "b", create=True)
    last = archive.run("games").paths[-1]
    last.write_bytes(last.read_bytes()[:-1])
    with pytest.raises(ArchiveError, match="is not as it was written"):
        copy_run(archive, "games", target)
    assert list(target.path.iterdir()) == []
    last.unlink()
    with pytest.raises(ArchiveError, match="cannot read part"):
        copy_run(archive, "games", target)
    assert list(target.path.iterdir()) == []


def test_imported_games_are_made_compact_and_copied(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"
    lines = sample.read_text(encoding="utf-8").splitlines(keepends=True)
    for number in range(2):
        half = tmp_path / f"{number}.sgf"
        half.write_text("".join(lines[number::2]), encoding="utf-8")
        import_games(half, tmp_path / "a", run="club")
    archive = Archive.open(tmp_path / "a")
    before = archive.run("club")
    texts = [table.column("source_text").to_pylist() for table in before.tables()]
    assert len(before.manifest.parts) == 2
    compact_run(archive, "club")
    after = copy_run(archive, "club", Archive.open(tmp_path / "b", create=True))
    assert len(after.manifest.parts) == 1
    assert next(after.tables()).column("source_text").to_pylist() == [*texts[0], *texts[1]]
    assert Archive.open(tmp_path / "b").verify(deep=True) == []


def test_a_run_of_an_earlier_schema_becomes_one_of_this(tmp_path: Path) -> None:
    """What it is made compact from is read as ever; what is written is of today's schema."""
    shutil.copytree(Path(__file__).parents[1] / "archives" / "schema-2", tmp_path / "a")
    archive = Archive.open(tmp_path / "a")
    assert (
        copy_run(archive, "uniform", Archive.open(tmp_path / "b", create=True)).manifest
        == archive.run("uniform").manifest
    )
    simulate(hands=400, seed=5, archive=archive.path, run="uniform", mode="resume", **UNIFORM)
    before = archive.run("uniform").manifest
    compact_run(archive, "uniform")
    after = archive.run("uniform").manifest
    assert (before.schema_version, after.schema_version) == (2, SCHEMA_VERSION)
    assert after.digest == before.digest
    assert archive.verify(["uniform"], deep=True) == []
