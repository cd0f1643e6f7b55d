"""`seeds.md`: every test and vector that it names is there, and every line says something."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parents[1]
TEXT = (FOLDER / "seeds.md").read_text(encoding="utf-8")
LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| page")
]
REASONS = ("overruled:", "nothing to test:", "no rule", "a word only", "a name only")


def functions(path: Path) -> set[str]:
    return set(re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_vector_named_exists() -> None:
    vectors = json.loads((FOLDER / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    known = {vector["id"] for vector in vectors}
    named = set(re.findall(r"vector ([A-Z]\d\d)", TEXT))
    assert named - {"A01"} <= known
    assert len(named) >= 80


def test_every_test_named_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", TEXT)
    assert len(named) >= 80
    for file, function in named:
        path = PROJECT / file if file.startswith("tests/") else FOLDER / file
        assert path.is_file(), file
        assert function in functions(path), f"{file}::{function}"


@pytest.mark.parametrize("page", "0123")
def test_every_page_is_there(page: str) -> None:
    assert sum(page in line[0].split() for line in LINES) > 30


def test_every_line_has_a_test_or_a_reason() -> None:
    for pages, says, held in LINES:
        assert set(pages.split()) <= set("0123"), says
        assert says
        has_test = "vector " in held or "::" in held
        assert has_test or held.startswith(REASONS), says


def test_examples_of_the_pages_are_all_named() -> None:
    source = (FOLDER / "test_seed_examples.py").read_text(encoding="utf-8")
    for function in re.findall(r"^def (test_\w+)\(", source, re.MULTILINE):
        assert f"test_seed_examples.py::{function}" in TEXT, function
