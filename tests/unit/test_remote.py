"""Archives behind a URL, here in fsspec's memory: what a folder can do, they can."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from upath import UPath

from skatsim.archive import Archive
from skatsim.cli import main
from skatsim.durable import locked
from skatsim.errors import ArchiveError, ReportError, UnreadableRunWarning
from skatsim.formats.importing import import_games
from skatsim.housekeeping import compact_run, copy_run
from skatsim.location import file_system, locate
from skatsim.manifest import MANIFEST
from skatsim.reporting import Session
from skatsim.simulation import simulate
from skatsim.study.review_run import review_run

UNIFORM = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}
SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"


@pytest.fixture
def url() -> Iterator[str]:
    """A place of its own in memory."""
    place = f"memory://archives/{uuid.uuid4().hex}"
    yield place
    UPath(place).fs.store.clear()


def files(url: str) -> set[str]:
    return {str(path).removeprefix(url) for path in UPath(url).rglob("*") if path.is_file()}


def test_the_same_run_as_in_a_folder(url: str, tmp_path: Path) -> None:
    here = simulate(hands=500, seed=1, archive=tmp_path, run="r", **UNIFORM)
    there = simulate(hands=300, seed=1, archive=url, run="r", **UNIFORM)
    assert files(url) == {f"/r/{MANIFEST}", "/r/part-000000000000.parquet"}
    with pytest.raises(ArchiveError, match="exists already"):
        simulate(hands=500, seed=1, archive=url, run="r", **UNIFORM)
    there = simulate(hands=500, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    assert (there.digest, there.new_hands) == (here.digest, 200)
    archive = Archive.open(url)
    assert [run.name for run in archive.runs()] == ["r"]
    assert archive.verify(deep=True) == []
    assert archive.run("r").game(400)[2] == Archive.open(tmp_path).run("r").game(400)[2]


def test_reports_read_through_fsspec(url: str, tmp_path: Path) -> None:
    for place in (url, tmp_path):
        simulate(hands=2000, seed=1, archive=place, run="r")
        review_run(str(place), "r", hands=30, n_jobs=1)
    for name in ("win_rates", "skat_surprise", "mistakes", "data_quality"):
        with Session.open(url) as remote, Session.open(tmp_path) as local:
            assert remote.report(name).rows() == local.report(name).rows(), name


def test_imports_and_exports(url: str, tmp_path: Path) -> None:
    here = import_games(SAMPLE, tmp_path, run="club")
    there = import_games(SAMPLE, url, run="club")
    again = import_games(SAMPLE, url, run="club")
    assert (there.imported, there.rejected) == (here.imported, here.rejected)
    assert (again.imported, again.duplicates) == (0, there.imported)
    assert Archive.open(url).run("club").manifest.digest == (
        Archive.open(tmp_path).run("club").manifest.digest
    )
    if here.rejects_file is not None:
        assert there.rejects_file is not None
        assert UPath(there.rejects_file).read_bytes() == Path(here.rejects_file).read_bytes()
    bad = tmp_path / "bad.sgf"
    bad.write_text("(;GM[Skat]x\n", encoding="utf-8")
    assert import_games(bad, f"{url}/other").imported == 0
    assert files(f"{url}/other") == set()


def test_damage_is_found_and_repaired(url: str) -> None:
    simulate(hands=300, seed=1, archive=url, run="r", **UNIFORM)
    done = simulate(hands=500, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    first, second = Archive.open(url).run("r").paths
    first.write_bytes(first.read_bytes()[:-10])
    second.unlink()
    assert len(Archive.open(url).verify()) == 2
    again = simulate(hands=500, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    assert (again.digest, again.repaired) == (done.digest, 500)
    assert Archive.open(url).verify(deep=True) == []
    assert len(files(url)) == 3


def test_readers_look_at_all_parts_by_one_listing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hands in range(100, 1100, 100):
        simulate(hands=hands, seed=1, archive=url, run="r", mode="resume", n_jobs=1, **UNIFORM)
    run = Archive.open(url).run("r")
    system = type(file_system(run.folder))
    requests = []
    for name in ("ls", "info", "cat_file", "open"):
        ask = getattr(system, name)

        def asked(*arguments: Any, name: str = name, ask: Any = ask, **more: Any) -> Any:
            requests.append(name)
            return ask(*arguments, **more)

        monkeypatch.setattr(system, name, asked)
    assert run.checked() is run
    assert requests.count("ls") == 1
    assert len(requests) <= 4, requests
    monkeypatch.undo()
    for change in (lambda content: content[:-1], lambda content: content + b"0"):
        content = run.paths[3].read_bytes()
        run.paths[3].write_bytes(change(content))
        with pytest.raises(ArchiveError, match=r"part-000000000300.*instead of"):
            run.checked()
        with pytest.raises(ArchiveError, match=r"part-000000000300.*instead of"):
            run.game(310)
        with pytest.warns(UnreadableRunWarning), pytest.raises(ReportError, match="no games"):
            Session.open(url)
        run.paths[3].write_bytes(content)
    run.paths[3].unlink()
    with pytest.raises(ArchiveError, match=r"part-000000000300.*missing"):
        run.checked()


def test_a_lost_manifest_is_pointed_out(url: str) -> None:
    simulate(hands=300, seed=1, archive=url, run="r", **UNIFORM)
    (Archive.open(url).folder("r") / MANIFEST).unlink()
    before = files(url)
    with pytest.raises(ArchiveError, match=r"no manifest\.json"):
        simulate(hands=300, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    with pytest.warns(UnreadableRunWarning, match=r"no manifest\.json"):
        assert Archive.open(url).runs() == []
    assert [problem.what for problem in Archive.open(url).verify()] == ["no manifest"]
    assert files(url) == before
    Archive.open(url).remove("r")
    assert files(url) == set()
    simulate(hands=300, seed=1, archive=url, run="r", **UNIFORM)
    assert Archive.open(url).verify() == []


def test_the_lock_names_its_holder_and_can_be_freed(url: str) -> None:
    simulate(hands=300, seed=1, archive=url, run="r", **UNIFORM)
    folder = locate(url) / "r"
    lock = locked(folder)
    lock.__enter__()
    with pytest.raises(ArchiveError, match=r"is being written by process .* 'skatsim runs unlock r'"):
        simulate(hands=500, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    done = CliRunner().invoke(main, ["runs", "unlock", "r", "--archive", url])
    assert done.exit_code == 0, done.output
    assert "was held by process" in done.stdout
    with locked(folder):  # another takes it; the first, which was no dead one, leaves it alone
        lock.__exit__(None, None, None)
        assert (folder / ".lock").is_file()
    assert not (folder / ".lock").exists()
    done = CliRunner().invoke(main, ["runs", "unlock", "r", "--archive", url])
    assert (done.exit_code, "is not locked" in done.stderr) == (1, True)


def test_what_failed_first_is_told_where_the_lock_stays_too(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the server is gone in the middle of a run."""

    def fail(*arguments: object) -> None:
        raise ArchiveError("cannot remove the lock: no connection")

    monkeypatch.setattr("skatsim.durable._remove_lock", fail)
    with (
        pytest.raises(
            ArchiveError, match=r"^cannot write part 3; the lock .*runs unlock"
        ) as caught,
        locked(locate(url) / "r"),
    ):
        raise ArchiveError("cannot write part 3")
    assert str(caught.value).endswith("finished parts are kept")


def test_housekeeping_between_places(url: str, tmp_path: Path) -> None:
    for hands in (100, 200, 300):
        simulate(hands=hands, seed=1, archive=url, run="r", mode="resume", **UNIFORM)
    review_run(url, "r", hands=50, n_jobs=1)
    archive = Archive.open(url)
    assert compact_run(archive, "r").parts == 1
    there = copy_run(archive, "r", Archive.open(tmp_path, create=True))
    back = copy_run(Archive.open(tmp_path), "r", Archive.open(f"{url}-copies", create=True))
    assert there.manifest == back.manifest == archive.run("r").manifest
    assert back.reviews == archive.run("r").reviews is not None
    assert Archive.open(f"{url}-copies").verify(deep=True) == []
    archive.remove("r")
    assert files(url) == set()


def test_commands(url: str) -> None:
    for arguments in (
        ["simulate", "--hands", "100", "--run", "r"],
        ["runs", "list", "--json"],
        ["runs", "show", "r"],
        ["verify", "--deep"],
        ["report", "win_rates"],
        ["replay", "r:3"],
        ["export", "--run", "r", "--format", "iss"],
    ):
        done = CliRunner().invoke(main, [*arguments, "--archive", url])
        assert done.exit_code == 0, (arguments, done.output)
    assert json.loads(CliRunner().invoke(main, ["verify", "--archive", url, "--json"]).stdout) == {
        "hands": 100, "parts": 1, "problems": []
    }  # fmt: skip


def test_a_pipeline_writes_its_page_there(url: str, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        '[[step]]\ndo = "simulate"\nhands = 100\nrun = "r"\n'
        '[[step]]\ndo = "page"\nnames = ["win_rates"]\nfile = "page.html"\n',
        encoding="utf-8",
    )
    done = CliRunner().invoke(main, ["run", str(study), "--archive", url])
    assert done.exit_code == 0, done.output
    assert "win_rates" in UPath(f"{url}/page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("memory://nowhere/at-all", "no archive at"),
        ("nosuch://bucket/games", "cannot open"),
        ("s3://", "names no place"),
        ("s3:///games", "names no place"),
        ("s3://  ", "names no place"),
        ("gs:///", "names no place"),
        ("memory://", "names no place"),
        ("file://", "names no place"),
        ("simplecache::s3://", "names no place"),
        ("://", "names no place"),
        ("nosuch:/bucket/games", "neither a folder nor a URL"),
        ("s3:/bucket/games", "neither a folder nor a URL"),
    ],
)
def test_a_place_that_is_none_is_one_clear_line(
    place: str, message: str, working_folder: Path
) -> None:
    done = CliRunner().invoke(main, ["runs", "list", "--archive", place])
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    if message != "no archive at":
        arguments = ["simulate", "--hands", "1", "--archive", place]
        assert CliRunner().invoke(main, arguments).stderr == done.stderr
    assert list(working_folder.iterdir()) == []
