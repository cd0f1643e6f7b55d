"""RULES.md: what code and tests refer to is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def sections() -> set[str]:
    text = (ROOT / "RULES.md").read_text(encoding="utf-8")
    return set(re.findall(r"^## (\d+) ", text, re.MULTILINE)) | set(
        re.findall(r"^(\d+\.\d+) ", text, re.MULTILINE)
    )


def test_sections_that_code_names_exist() -> None:
    known = sections()
    for path in (ROOT / "skatsim").rglob("*.py"):
        for group in re.findall(r"RULES (\d[\d., and]*)", path.read_text(encoding="utf-8")):
            for section in re.findall(r"\d+(?:\.\d+)?", group):
                assert section in known, f"{path.name} names RULES {section}"


def test_rules_that_tests_name_exist() -> None:
    known = sections()
    named = {
        f"{chapter}.{section}"
        for path in (ROOT / "tests" / "rules").glob("test_rules_*.py")
        for chapter, section in re.findall(
            r"^def test_(\d+)_(\d+)_", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert named <= known
    tested_elsewhere = {"2.1", "2.3", "5.5", "9.2", "9.3"}
    assert known - named - tested_elsewhere <= {str(chapter) for chapter in range(1, 16)}
