"""Pipelines: checked before they run, and run again without complaint."""

from contextlib import suppress
from pathlib import Path

import pytest

from skatsim.archive import Archive
from skatsim.errors import ArchiveError, NotationError, ReportError
from skatsim.pipeline import find_pipeline, list_pipelines, run_pipeline

STUDY = """
title = "a study"
[[step]]
do = "simulate"
hands = 300
run = "small"
bidding = "uniform"
declaring = "uniform"
play = "uniform"
[[step]]
do = "report"
names = ["win_rates"]
[[step]]
do = "page"
names = ["win_rates"]
file = "page.html"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_can_be_run_again(tmp_path: Path) -> None:
    study = find_pipeline(write(tmp_path, STUDY))
    for _ in range(2):
        results = {step.do: result for step, result in run_pipeline(study, tmp_path / "archive")}
        assert results["simulate"].hands == 300
        assert results["report"][0].name == "win_rates"
        assert results["page"].read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [run.name for run in Archive.open(tmp_path / "archive").runs()] == ["small"]


def test_every_shipped_pipeline_is_sound() -> None:
    assert "demo" in list_pipelines()
    for name in list_pipelines():
        assert find_pipeline(name).steps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "is no TOML file"),
        ("", "has no"),
        ("steps = 3", "does not know 'steps'"),
        ('[[step]]\ndo = "dance"', "is none of simulate"),
        ('[[step]]\ndo = "simulate"\nhand = 3', "does not know 'hand'"),
        ('[[step]]\ndo = "report"', "needs 'names'"),
        ("step = [3]", "is a table, not 3"),
        ("[[step]]\ndo = [1]", "is none of simulate"),
        ('[[step]]\ndo = "simulate"\nhands = "x"', "hands is a whole number, not 'x'"),
        ('[[step]]\ndo = "simulate"\nhands = true', "hands is a whole number, not True"),
        ('[[step]]\ndo = "simulate"\nhands = 1.5', "hands is a whole number, not 1.5"),
        ('[[step]]\ndo = "simulate"\nhands = 9\nrun = 3', "run is a text, not 3"),
        ('[[step]]\ndo = "import"\nfiles = "x.sgf"', "files is a list of texts"),
        ('[[step]]\ndo = "report"\nnames = 3', "names is a list of texts, not 3"),
        ('[[step]]\ndo = "page"\nnames = ["seats"]', "needs 'file'"),
        ('[[step]]\ndo = "duel"', "needs 'policies'"),
        ('[[step]]\ndo = "estimate"', "needs 'hand'"),
        ('[[step]]\ndo = "threshold"\nvalues = ["a"]', "values is a list of numbers"),
        ('[[step]]\ndo = "threshold"\nis_self_play = 1', "is_self_play is true or false, not 1"),
        ('[[step]]\ndo = "fairness"\n[[step]]\ndo = "fairness"', "'fairness' came before"),
        ('[[step]]\ndo = "page"\nfile = "x"\nstudies = ["x"]', "no study 'x' comes before"),
    ],
)
def test_what_is_no_pipeline_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        find_pipeline(write(tmp_path, text))


def test_names_are_checked_before_anything_runs(tmp_path: Path) -> None:
    text = STUDY.replace('"win_rates"', '"win_rate"')
    with pytest.raises(ReportError, match="no report 'win_rate'"):
        find_pipeline(write(tmp_path, text))
    with pytest.raises(ArchiveError, match="cannot name a run"):
        find_pipeline(write(tmp_path, STUDY.replace('"small"', '"../small"')))


def test_an_import_replaces_a_run_only_when_it_went_well(tmp_path: Path) -> None:
    text = '[[step]]\ndo = "import"\nrun = "club"\nfiles = ["sample:sample.sgf"]\n'
    for _ in range(2):
        ((_, result),) = run_pipeline(find_pipeline(write(tmp_path, text)), tmp_path / "archive")
        assert (result.duplicates, result.rejected) == (0, 0)
        assert Archive.open(tmp_path / "archive").run("club").hands == result.imported
    digest = Archive.open(tmp_path / "archive").run("club").manifest.digest
    (tmp_path / "none.sgf").write_text("nothing", encoding="utf-8")
    for name in ("missing.sgf", "none.sgf"):
        study = find_pipeline(
            write(tmp_path, text.replace("sample:sample.sgf", str(tmp_path / name)))
        )
        with suppress(OSError):
            list(run_pipeline(study, tmp_path / "archive"))
        assert Archive.open(tmp_path / "archive").run("club").manifest.digest == digest
    assert Archive.open(tmp_path / "archive").verify() == []


def test_unknown_names_are_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(NotationError, match=r"shipped are .*demo"):
        find_pipeline("nothing")
    with pytest.raises(NotationError, match="cannot read pipeline"):
        find_pipeline(tmp_path / "none.toml")


QUESTIONS = """
title = "questions"
[[step]]
do = "simulate"
hands = 300
run = "small"
[[step]]
do = "threshold"
name = "risk"
values = [0.3, 0.54, 0.8]
deals = 100
[[step]]
do = "duel"
policies = ["heuristic", "uniform"]
deals = 50
[[step]]
do = "estimate"
hand = "CJ SJ CA CT C9 SA ST HA H7 D7"
samples = 231
contracts = "clubs"
[[step]]
do = "fairness"
runs = ["small"]
[[step]]
do = "page"
file = "page.html"
studies = ["risk", "duel", "estimate", "fairness"]
names = ["break_even"]
runs = ["small"]
"""


def test_studies_end_in_a_page(tmp_path: Path) -> None:
    study = find_pipeline(write(tmp_path, QUESTIONS))
    steps = list(run_pipeline(study, tmp_path / "archive", n_jobs=1))
    answers = {step.do: result for step, result in steps}
    assert [result.name for result in answers["threshold"]] == ["risk", "risk_contracts"]
    assert answers["threshold"][0].rows()[1]["value"] == "0.54"
    assert answers["duel"][1].rows()[0]["is_decided"] is True
    assert answers["estimate"][0].rows()[0]["contract"] == "clubs"
    assert len(answers["fairness"][0]) == 12
    page = answers["page"].read_text(encoding="utf-8")
    for name in ("risk", "risk_contracts", "duel", "duel_differences", "estimate", "fairness"):
        assert f'<section class="report" id="{name}">' in page
    assert '<polygon class="band"' in page and 'id="break_even"' in page


def test_a_pipeline_asks_about_runs_that_are_there(tmp_path: Path) -> None:
    text = '[[step]]\ndo = "import"\nrun = "club"\nfiles = ["sample:sample.sgf"]\n'
    list(run_pipeline(find_pipeline(write(tmp_path, text)), tmp_path / "archive"))
    study = find_pipeline(write(tmp_path, STUDY))
    steps = list(run_pipeline(study, tmp_path / "archive", runs=["club"]))
    assert [step.do for step, _ in steps] == ["report", "page"]
    assert "club" in steps[1][1].read_text(encoding="utf-8")
    assert [run.name for run in Archive.open(tmp_path / "archive").runs()] == ["club"]
    with pytest.raises(ArchiveError, match="none"):
        list(run_pipeline(study, tmp_path / "archive", runs=["none"]))


def test_the_studies_promised_are_there() -> None:
    promised = {"thresholds", "hand_strength", "skat_surprise", "overbid", "fairness"}
    assert promised <= set(list_pipelines())
    for name in promised:
        assert find_pipeline(name).steps[-1].do == "page"
