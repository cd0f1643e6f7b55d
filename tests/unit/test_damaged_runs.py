"""Runs whose files or manifest are not as they were written: every reader says so in one line."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skatsim.archive import Archive
from skatsim.cli import main
from skatsim.durable import locked
from skatsim.errors import ArchiveError, UnreadableRunWarning
from skatsim.formats.importing import import_games
from skatsim.housekeeping import compact_run, copy_run
from skatsim.location import locate
from skatsim.manifest import MANIFEST, Manifest, Part
from skatsim.reporting import Session
from skatsim.reporting.provenance import cohorts, provenance
from skatsim.reviews import REVIEW_FOLDER, ReviewManifest
from skatsim.run import Run
from skatsim.simulation import simulate
from skatsim.study.fairness import fairness
from skatsim.study.review_run import review_run

UNIFORM: dict[str, Any] = {"bidding": "uniform", "declaring": "uniform", "play": "uniform"}

READERS = [
    ["sql", "select count(*) from games", "--run", "games"],
    ["report", "win_rates", "--run", "games"],
    ["replay", "games:3"],
    ["export", "--run", "games", "--format", "csv"],
    ["rescore", "--run", "games", "--ruleset", "club.toml"],
    ["review", "--run", "games"],
    ["review", "games:3"],
]
"""Commands that read the games of a run."""

USERS = [
    *READERS,
    ["runs", "show", "games"],
    ["runs", "compact", "games"],
    ["runs", "copy", "games", "elsewhere"],
    ["simulate", "--hands", "400", "--bidding", "uniform", "--run", "games", "--resume"],
    ["verify", "--run", "games"],
]
"""Commands that read the manifest of a run."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with two runs of 300 games in two parts, the first reviewed in part."""
    path = tmp_path_factory.mktemp("made") / "a"
    for run, seed in (("games", 1), ("others", 2)):
        for hands in (100, 300):
            simulate(
                hands=hands, seed=seed, archive=path, run=run, mode="resume", n_jobs=1, **UNIFORM
            )
    review_run(str(path), "games", hands=20, n_jobs=1)
    return path


@pytest.fixture
def archive(made: Path, working_folder: Path) -> Archive:
    """A copy of that archive in the working folder."""
    shutil.copytree(made, "a")
    Path("club.toml").write_text('base = "isko"\nlost_factor = 1\n', encoding="utf-8")
    return Archive.open("a")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--archive", "a"])


def assert_one_line(done: Result, *texts: str) -> None:
    assert done.exit_code == 1, (done.output, done.exception)
    assert isinstance(done.exception, SystemExit)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for text in texts:
        assert text in done.stderr


def swap(archive: Archive) -> Path:
    """Put the first part of another run in the place of one."""
    path = archive.run("games").paths[0]
    shutil.copy(archive.run("others").paths[0], path)
    return path


def damage(archive: Archive, how: str) -> None:
    path = archive.run("games").paths[0]
    if how == "swapped":
        swap(archive)
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    elif how == "grown":
        path.write_bytes(path.read_bytes() + b"0")
    elif how == "missing":
        path.unlink()


@pytest.mark.parametrize("how", ["swapped", "cut", "grown", "missing"])
@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_no_reader_reads_a_part_of_another_size(
    archive: Archive, how: str, command: list[str]
) -> None:
    damage(archive, how)
    assert_one_line(call(*command), "part-000000000000.parquet", "skatsim verify", "--resume")


def test_of_all_runs_the_damaged_one_is_left_out(archive: Archive) -> None:
    damage(archive, "swapped")
    with pytest.warns(UnreadableRunWarning, match="'games'"), Session.open(archive) as session:
        rows = session.sql("select distinct run from games").rows()
    assert rows == [{"run": "others"}]
    done = call("export", "--format", "csv")
    assert done.exit_code == 0
    assert "left out: cannot read part" in done.stderr.splitlines()[0]
    with pytest.warns(UnreadableRunWarning, match="'games'"):
        assert fairness(archive).deals == 300
    assert [run.name for run in archive.runs()] == ["games", "others"]  # they are only listed


def test_a_part_of_the_same_size_with_other_games_is_found_where_it_is_read(
    archive: Archive,
) -> None:
    run = archive.run("games")
    first, second = run.manifest.parts
    shutil.copy(run.paths[0], run.paths[1])
    with_its_size = json.loads((run.folder / MANIFEST).read_text(encoding="utf-8"))
    with_its_size["parts"][1]["bytes"] = first.bytes
    (run.folder / MANIFEST).write_text(json.dumps(with_its_size), encoding="utf-8")
    with pytest.raises(ArchiveError, match=f"holds {first.hands} games instead of {second.hands}"):
        archive.run("games").game(200)


def test_a_damaged_review_is_named(archive: Archive) -> None:
    next((archive.path / "games" / REVIEW_FOLDER).glob("*.parquet")).unlink()
    done = call("sql", "select 1 as one", "--run", "games")
    assert_one_line(done, f"{REVIEW_FOLDER}/part-", "skatsim review --run games --overwrite")
    assert call("review", "--run", "games", "--hands", "5", "--overwrite").exit_code == 0
    assert call("sql", "select 1 as one", "--run", "games").exit_code == 0


def test_a_run_that_is_rewritten_meanwhile_is_read_again(archive: Archive) -> None:
    before = archive.run("games")
    compact_run(archive, "games")
    assert before.checked().manifest == archive.run("games").manifest
    assert len(before.checked().manifest.parts) == 1
    grown = archive.run("games")
    simulate(hands=400, seed=1, archive="a", run="games", mode="resume", n_jobs=1, **UNIFORM)
    assert grown.checked() is grown  # parts that came later are not its own


def test_a_session_that_is_open_goes_on_while_its_run_grows(archive: Archive) -> None:
    with Session.open(archive, ["games"]) as session:
        simulate(hands=400, seed=1, archive="a", run="games", mode="resume", n_jobs=1, **UNIFORM)
        assert session.sql("select count(*) as n from games").rows() == [{"n": 300}]


def test_thousands_of_parts_are_checked_at_once(archive: Archive) -> None:
    run = archive.run("games")
    content = run.paths[0].read_bytes()
    part = run.manifest.parts[0]
    names = [f"part-{number:012d}.parquet" for number in range(100, 5100)]
    for name in names:
        (run.folder / name).write_bytes(content[:10])
    parts = [
        {**part_content(part), "file": name, "first": 100 * number, "bytes": 10}
        for number, name in enumerate(names)
    ]
    manifest = json.loads((run.folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["hands"], manifest["digest"]
    (run.folder / MANIFEST).write_text(json.dumps({**manifest, "parts": parts}), encoding="utf-8")
    started = time.process_time()
    many = archive.run("games")
    read = time.process_time()
    many.checked()
    assert time.process_time() - read < 0.5
    assert read - started < 2


def part_content(part: Part) -> dict[str, Any]:
    return {name: getattr(part, name) for name in Part.__slots__}


ODD_TEXTS = [
    "[]",
    "null",
    "3",
    '"text"',
    "",
    "{",
    "[" * 100_000,
    '{"run": "games"}',
    "\ud800",
    "{}",
]


@pytest.mark.parametrize("command", USERS, ids=" ".join)
def test_a_manifest_that_is_none_is_one_line(archive: Archive, command: list[str]) -> None:
    path = archive.path / "games" / MANIFEST
    for text in ODD_TEXTS:
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        if command[0] == "verify":
            done = call("verify", "--run", "games")
            assert_one_line(done, "manifest.json")
        else:
            assert_one_line(call(*command), "manifest.json", "--overwrite", "runs remove games")


def test_all_runs_are_read_without_those_of_odd_manifests(archive: Archive) -> None:
    for text in ODD_TEXTS:
        path = archive.path / "games" / MANIFEST
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        done = call("runs", "list", "--json")
        assert done.exit_code == 0
        assert [entry["run"] for entry in json.loads(done.stdout)] == ["others"]
        assert len(done.stderr.splitlines()) == 1


ODD_VALUES: list[Any] = [
    None, True, -1, 0, 7, 2**62, 2**63, 2**70, 1.5, float("nan"), "", " ", "x", "../x", "..",
    "/etc/passwd", "a\0b", "\ud800", "part-1.parquet", "ff", [], [1], ["x"], [["x"]], {}, {"x": 1},
    {"x": ["y"]}, [{"x": 1}], "3" * 5000,
]  # fmt: skip


def mutations(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All places in a JSON document, with what else could stand there."""
    for value in ODD_VALUES:
        yield path, value
    if isinstance(content, dict | list):
        for key in list(content) if isinstance(content, dict) else range(len(content)):
            yield from mutations(content[key], (*path, key))


def mutated(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    content = content.copy()
    content[path[0]] = mutated(content[path[0]], path[1:], value)
    return content


def test_only_archive_errors_come_of_a_manifest(archive: Archive) -> None:
    folder = archive.path / "games"
    content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    names = ("name", "suit_bases", "all_pass", "bock_triggers")
    content["ruleset_content"] = {name: content["ruleset_content"][name] for name in names}
    refused = read = 0
    for path, value in mutations(content):
        text = json.dumps(mutated(content, path, value))
        (folder / MANIFEST).write_text(text, encoding="utf-8")
        try:
            run = Run.load(folder)
            provenance([run])
            cohorts([run], is_comparison=False)
            assert Manifest.from_json(run.manifest.to_json()) == run.manifest
            read += 1
            run.checked()
        except ArchiveError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 500
    assert read > 50  # texts and numbers that may be anything


def test_only_archive_errors_come_of_a_manifest_of_reviews(archive: Archive) -> None:
    folder = archive.path / "games"
    path_of_manifest = folder / REVIEW_FOLDER / MANIFEST
    content = json.loads(path_of_manifest.read_text(encoding="utf-8"))
    del content["columns"]
    for path, value in mutations(content):
        path_of_manifest.write_text(json.dumps(mutated(content, path, value)), encoding="utf-8")
        try:
            ReviewManifest.read(folder)
            archive.run("games").checked()
        except ArchiveError as error:
            assert "\n" not in str(error)
    path_of_manifest.write_text("[]", encoding="utf-8")
    assert_one_line(call("sql", "select 1", "--run", "games"), "review --run games --overwrite")
    with pytest.warns(UnreadableRunWarning, match="review"), Session.open(archive) as session:
        assert [run.name for run in session.runs] == ["others"]


@pytest.mark.parametrize(("name", "value"), [("digest", "00"), ("hands", 7)])
def test_totals_that_contradict_the_parts_are_refused(
    archive: Archive, name: str, value: object
) -> None:
    path = archive.path / "games" / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, name: value}), encoding="utf-8")
    with pytest.raises(ArchiveError, match=f"'{name}' is .*, its parts say .*: it was changed"):
        archive.run("games")


def test_parts_that_hold_the_same_games_are_refused(archive: Archive) -> None:
    path = archive.path / "games" / MANIFEST
    content = json.loads(path.read_text(encoding="utf-8"))
    content["parts"].append(content["parts"][0])
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ArchiveError, match="hold the same games"):
        archive.run("games")


@pytest.mark.parametrize("what", ["the manifest", "the folder"])
def test_what_may_not_be_read_is_told_and_not_called_damaged(
    archive: Archive, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods = ["read_bytes", "stat"] if what == "the folder" else ["read_bytes"]
    for method in methods:
        ask = getattr(Path, method)

        def asked(self: Path, ask: Any = ask, **options: Any) -> Any:  # as root may read all
            if self.parent.name == "games":
                raise PermissionError(13, "Permission denied", str(self))
            return ask(self, **options)

        monkeypatch.setattr(Path, method, asked)
    told = "cannot read 'a/games/manifest.json': Permission denied: ask for the right to read it"
    for command in USERS[:-1]:
        done = call(*command)
        assert (done.exit_code, done.stderr) == (1, f"skatsim: error: {told}\n")
    listed = call("runs", "list")
    assert (listed.exit_code, listed.stderr) == (0, f"skatsim: left out: {told}\n")
    assert f"games: {told}" in call("verify").stdout
    shutil.rmtree("a/others")
    done = call("report", "win_rates")
    assert done.stderr.splitlines()[0] == f"skatsim: left out: {told}"
    assert "simulate" not in done.stderr


def test_a_lost_manifest_is_pointed_out_and_nothing_is_deleted(archive: Archive) -> None:
    (archive.path / "games" / MANIFEST).unlink()
    files = sorted(archive.path.rglob("part-*"))
    simulation = ["simulate", "--hands", "300", "--bidding", "uniform", "--run", "games"]
    for command in (*READERS, simulation, [*simulation, "--resume"], ["runs", "show", "games"]):
        assert_one_line(call(*command), "no manifest.json", "--overwrite", "runs remove games")
    with pytest.raises(ArchiveError, match=r"no manifest\.json"):
        import_games(SAMPLE, "a", run="games")
    listed = call("runs", "list")
    assert listed.exit_code == 0
    assert "no manifest.json" in listed.stderr
    with pytest.warns(UnreadableRunWarning, match=r"no manifest\.json"):
        assert [run.name for run in archive.runs()] == ["others"]
    with pytest.raises(ArchiveError, match=r"no manifest\.json"):
        copy_run(Archive.open("a"), "others", Archive.open(renamed(archive), create=True))
    assert sorted(archive.path.rglob("part-*")) == files


SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"


def renamed(archive: Archive) -> Path:
    """An archive in which the parts of `games` are called those of `others`."""
    shutil.copytree(archive.path / "games", "b/others")
    return Path("b")


def test_a_run_that_lost_its_manifest_is_removed_or_made_anew(archive: Archive) -> None:
    manifest = archive.path / "games" / MANIFEST
    digest = archive.run("games").manifest.digest
    manifest.unlink()
    simulate(hands=300, seed=1, archive="a", run="games", mode="overwrite", n_jobs=1, **UNIFORM)
    assert archive.run("games").manifest.digest == digest
    assert archive.verify() == []
    manifest.unlink()
    assert "cannot be read" in CliRunner().invoke(
        main, ["runs", "remove", "games", "--archive", "a"], input="n\n"
    ).output  # fmt: skip
    assert call("runs", "remove", "games", "--yes").exit_code == 0
    assert archive.names() == ["others"]
    assert not (archive.path / "games").exists()


def test_a_copy_that_was_killed_is_made_again(archive: Archive) -> None:
    target = Archive.open("b", create=True)
    copy_run(archive, "games", target)
    (target.path / "games" / MANIFEST).unlink()
    half = target.path / "games" / ".part-000000000000.parquet.4711.tmp"
    half.write_bytes(b"half a part")
    copy_run(archive, "games", target)
    assert target.verify() == []
    assert not half.exists()


KILLED_AT_ITS_FIRST_PART = textwrap.dedent(
    """
    import os, signal, sys
    from skatsim import run_writer
    from skatsim.simulation import simulate

    def kill(*arguments):
        os.kill(os.getpid(), signal.SIGKILL)

    run_writer.RunWriter.add = kill
    simulate(
        hands=300, seed=1, archive="a", run="killed", n_jobs=1,
        bidding="uniform", declaring="uniform", play="uniform",
    )
    """
)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_run_that_is_killed_before_its_first_part_counts_is_resumed(archive: Archive) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT_ITS_FIRST_PART],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == -9
    assert list((archive.path / "killed").glob("part-*"))
    assert archive.run("killed").hands == 0
    simulate(hands=300, seed=1, archive="a", run="killed", mode="resume", n_jobs=1, **UNIFORM)
    assert archive.run("killed").manifest.digest == archive.run("games").manifest.digest
    assert archive.verify() == []


def test_a_run_that_fails_at_its_start_is_not_in_the_way(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither do parts that workers finished after the one that failed."""

    def fail(*_: Any) -> None:
        raise RuntimeError("out of luck")

    there = f"memory://{archive.path.resolve()}"
    with monkeypatch.context() as patch:
        patch.setattr("skatsim.simulation.part_hands", lambda *_, **__: 100)
        patch.setattr("skatsim.simulation._check_seen", fail)
        for number, place in enumerate(("a", there) * 5):
            with pytest.raises(RuntimeError, match="out of luck"):
                simulate(hands=900, seed=number, archive=place, run="new", n_jobs=2, **UNIFORM)
            time.sleep(0.1)  # for parts that come late
            runs = Archive.open(place).runs()
            assert [run.hands for run in runs if run.name == "new"] in ([], [0])
    for place in ("a", there):
        simulate(hands=300, seed=1, archive=place, run="new", n_jobs=2, **UNIFORM)
        done = Archive.open(place)
        assert done.run("new").manifest.digest == archive.run("games").manifest.digest
        assert done.verify() == []
    locate(there).fs.store.clear()  # type: ignore[attr-defined]


def test_a_run_that_is_being_written_says_so(archive: Archive) -> None:
    """Also where no part of it is finished yet."""
    given = archive.run("games").manifest
    new = Manifest(**{**manifest_content(given), "run": "new"})
    with archive.writer(new):
        for command in (
            ["runs", "remove", "new", "--yes"],
            ["runs", "compact", "new"],
            ["runs", "copy", "new", "b"],
        ):
            assert_one_line(call(*command), "'new'", "being written by process")
        assert archive.runs()[1].name == "new"
    with locked(archive.path / "games"):  # as a copy that has just begun
        (archive.path / "games" / MANIFEST).unlink()
        assert_one_line(call("runs", "remove", "games", "--yes"), "'games'", "being written by")
        assert call("runs", "list").stderr == ""
    assert_one_line(call("runs", "compact", "new"), "'new' has no finished part yet")


def manifest_content(manifest: Manifest) -> dict[str, Any]:
    return {name: getattr(manifest, name) for name in Manifest.__slots__ if name != "parts"}
