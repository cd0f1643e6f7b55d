"""Pipelines: checked before they run, and run again without complaint."""

from pathlib import Path

import pytest

from skatsim.archive import Archive
from skatsim.errors import NotationError
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
    ],
)
def test_what_is_no_pipeline_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        find_pipeline(write(tmp_path, text))


def test_unknown_names_are_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(NotationError, match=r"shipped are .*demo"):
        find_pipeline("nothing")
    with pytest.raises(NotationError, match="cannot read pipeline"):
        find_pipeline(tmp_path / "none.toml")
