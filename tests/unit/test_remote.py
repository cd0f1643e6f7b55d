"""Archives behind a URL, here in fsspec's memory: what a folder can do, they can."""

import json
import re
import uuid
from collections.abc import Callable, Iterator, Sequence
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
    with pytest.raises(
        ArchiveError, match=r"is being written by process .* 'skatsim runs unlock r'"
    ):
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


class CutError(Exception):
    """What a library that speaks to a server may raise, like aiohttp: no ``OSError``."""


Fail = Callable[[str, Exception, Sequence[str]], None]


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Let the server refuse to read what has a text in its name."""

    def fail(text: str, error: Exception, methods: Sequence[str]) -> None:
        system = type(UPath("memory://archives").fs)
        for method in methods:
            ask = getattr(system, method)

            def asked(self: Any, path: str, *more: Any, ask: Any = ask, **options: Any) -> Any:
                if text in path:
                    raise error
                return ask(self, path, *more, **options)

            monkeypatch.setattr(system, method, asked)

    return fail


READING = ("cat_file", "open")
FAULTS = [
    (PermissionError("Forbidden"), "Forbidden: ask for the right to read it"),
    (OSError(121, "SlowDown"), "SlowDown: try again"),
    (CutError("payload is not completed\nmore"), "payload is not completed: try again"),
    (TimeoutError(), "TimeoutError: try again"),
]


@pytest.mark.parametrize("methods", [READING, (*READING, "info")], ids=["reading", "asking"])
@pytest.mark.parametrize(("error", "told"), FAULTS)
def test_a_manifest_that_cannot_be_read_is_not_called_damaged(
    url: str, fail: Fail, error: Exception, told: str, methods: Sequence[str]
) -> None:
    simulate(hands=100, seed=1, archive=url, run="r", **UNIFORM)
    before = files(url)
    fail(MANIFEST, error, methods)
    archive = Archive.open(url)
    message = re.escape(f"cannot read '{url}/r/{MANIFEST}': {told}")
    with pytest.warns(UnreadableRunWarning, match=f"^left out: {message}$"):
        assert archive.runs() == []
    for use in (
        lambda: archive.run("r"),
        lambda: simulate(hands=9, seed=1, archive=url, run="r", mode="resume", **UNIFORM),
        lambda: simulate(hands=9, seed=1, archive=url, run="r", mode="overwrite", **UNIFORM),
        lambda: simulate(hands=9, seed=1, archive=url, run="r", **UNIFORM),
    ):
        with pytest.raises(ArchiveError, match=f"^{message}$"):
            use()
    assert [problem.what for problem in archive.verify()] == [message.replace("\\", "")]
    assert files(url) == before
    for command in (["runs", "list", "--json"], ["report", "win_rates"]):
        done = CliRunner().invoke(main, [*command, "--archive", url])
        assert told in done.stderr.splitlines()[0]
        assert "skatsim simulate" not in done.stderr
        assert not isinstance(done.exception, CutError)


def test_a_folder_that_cannot_be_listed_is_told(url: str, fail: Fail) -> None:
    simulate(hands=100, seed=1, archive=url, run="r", **UNIFORM)
    (Archive.open(url).folder("r") / MANIFEST).unlink()
    fail("/r", PermissionError("Forbidden"), ["ls"])
    archive = Archive.open(url)
    with pytest.warns(UnreadableRunWarning, match=r"left out: cannot read '.*/r': Forbidden"):
        assert archive.runs() == []
    assert "Forbidden" in archive.verify()[0].what


def test_a_manifest_that_is_forgotten_for_a_moment_is_not_called_lost(url: str, fail: Fail) -> None:
    simulate(hands=100, seed=1, archive=url, run="r", **UNIFORM)
    fail(MANIFEST, FileNotFoundError("NoSuchKey"), READING)
    with pytest.raises(ArchiveError, match=r"which is there: try again$"):
        Archive.open(url).run("r")


@pytest.mark.parametrize(
    ("error", "told"),
    [*FAULTS, (FileNotFoundError("gone"), "there is no such file: run 'skatsim verify'")],
)
def test_a_part_that_cannot_be_read_is_named_by_reports(
    url: str, fail: Fail, error: Exception, told: str
) -> None:
    for run in ("a", "r"):
        simulate(hands=100, seed=1, archive=url, run=run, **UNIFORM)
    fail("/r/part-", error, READING)
    message = f"cannot read the archive: '{url}/r/part-000000000000.parquet': {told}"
    with pytest.raises(ReportError, match=f"{re.escape(message)}$"), Session.open(url) as session:
        session.report("win_rates")
    for command in (["verify"], ["replay", "r:3"], ["report", "win_rates"]):
        done = CliRunner().invoke(main, [*command, "--archive", url])
        assert isinstance(done.exception, SystemExit), done.exception
        assert len(done.output.splitlines()) <= 2
        assert "Traceback" not in done.output


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


def test_a_run_that_cannot_be_begun_says_why_before_the_lock(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(hands=100, seed=1, archive=url, run="r", **UNIFORM)

    def fail(*arguments: object) -> None:
        raise ArchiveError("cannot remove the lock: Forbidden")

    monkeypatch.setattr("skatsim.durable._remove_lock", fail)
    told = r"^run 'r' exists already .*; the lock .* stays, too: 'skatsim runs unlock r'"
    with pytest.raises(ArchiveError, match=told):
        simulate(hands=100, seed=1, archive=url, run="r", **UNIFORM)
    assert Archive.open(url).unlock("r")
    monkeypatch.setattr("skatsim.run_writer.write_whole", fail)
    with pytest.raises(ArchiveError, match=r"^cannot remove the lock: Forbidden; the lock"):
        simulate(hands=100, seed=1, archive=url, run="new", **UNIFORM)
    monkeypatch.undo()
    monkeypatch.setattr("skatsim.durable._remove_lock", fail)
    with pytest.raises(ArchiveError, match=r"Forbidden: all else is done.*unlock other' frees it$"):
        simulate(hands=100, seed=1, archive=url, run="other", **UNIFORM)
    assert Archive.open(url).run("other").hands == 100


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
