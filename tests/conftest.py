"""What all tests share: the corpus of reference files, and a working folder of their own."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("skatsim", deadline=None)
settings.load_profile("skatsim")

PROJECT = Path(__file__).parents[1]

CORPUS = Path(os.environ.get("SKATSIM_CORPUS", PROJECT.parent / "shared"))
"""Reference files outside the project; tests that need them skip where they are missing."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``pytest --update-golden`` rewrites golden files; read the difference like code."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def is_update(request: pytest.FixtureRequest) -> bool:
    """True where golden files shall be rewritten."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> Path:
    """The folder of reference files."""
    if not CORPUS.is_dir():
        if os.environ.get("SKATSIM_REQUIRE_CORPUS"):
            pytest.fail(f"{CORPUS} is required and missing")
        pytest.skip(f"{request.node.name} needs the reference files: SKATSIM_CORPUS is {CORPUS}")
    return CORPUS


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and an environment without settings of skatsim."""
    for name in list(os.environ):
        if name.startswith("SKATSIM_") and name != "SKATSIM_CACHE_DIR":
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
