"""What pyproject.toml promises of versions is what CI tests."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def padded(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in version.split(".")]
    return (*numbers, *[0] * (3 - len(numbers)))


def test_the_oldest_versions_tested_are_the_lower_bounds() -> None:
    group = PROJECT["dependency-groups"]["test"]
    bounds = dict(text.split(">=") for text in [*PROJECT["project"]["dependencies"], *group])
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: padded(version) for name, version in tested.items()} == {
        name: padded(version) for name, version in bounds.items()
    }


def test_the_oldest_python_is_named_alike() -> None:
    (oldest,) = re.findall(r">=3\.(\d+)$", PROJECT["project"]["requires-python"])
    minors = [
        int(minor)
        for text in PROJECT["project"]["classifiers"]
        for minor in re.findall(r":: 3\.(\d+)$", text)
    ]
    assert min(minors) == int(oldest)
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py3{oldest}"
    assert PROJECT["tool"]["mypy"]["python_version"] == f"3.{oldest}"


def test_extras_are_tested_where_ci_tests_them() -> None:
    machines = set(PROJECT["dependency-groups"]["machines"])
    test = set(PROJECT["dependency-groups"]["test"])
    extras = PROJECT["project"]["optional-dependencies"]
    for extra in ("remote", "dask", "ray"):
        assert set(extras[extra]) <= machines | test, extra
