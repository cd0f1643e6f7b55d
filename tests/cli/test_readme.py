"""The commands of README run in their order, with fewer hands."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from skatsim.cli import main

PROJECT = Path(__file__).parents[2]

COMMANDS = re.findall(
    r"^    ((?:skatsim|echo|printf) .+)$", (PROJECT / "README.md").read_text("utf-8"), re.M
)

FILES = dict(
    re.findall(
        r"^```python\n# (\w+\.py)\n(.*?)^```$",
        (PROJECT / "README.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
"""The Python files that README shows, by name."""

FEWER = {"100000": "100", "200000": "200", "50000": "50", "200": "10"}
FEWER |= {"20000": "40", "300": "2"}
"""Hands to simulate and to review; what other commands ask for is there all the same."""


def test_commands(working_folder: Path) -> None:
    shutil.copytree(PROJECT / "data" / "sample", working_folder / "data" / "sample")
    for name, text in FILES.items():
        (working_folder / name).write_text(text, encoding="utf-8")
    assert len(COMMANDS) >= 15  # those of more machines are run by tests/machines
    for command in COMMANDS:
        program, *arguments = [FEWER.get(word, word) for word in shlex.split(command)]
        if program in ("echo", "printf"):
            text, arrow, name = arguments
            assert arrow == ">"
            text = text.replace("\\n", "\n") if program == "printf" else f"{text}\n"
            (working_folder / name).write_text(text, encoding="utf-8")
        elif arguments != ["bench"] and not any("s3://" in word for word in arguments):
            result = CliRunner().invoke(main, arguments)
            assert result.exit_code == 0, f"{command}: {result.output}"


def test_python(working_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (PROJECT / "README.md").read_text("utf-8").partition("## In Python")[2]
    lines = re.findall(r"^(?:    (.*)|)$", text.partition("## Speed")[0], re.M)
    exec("\n".join(lines).replace("10_000", "100"), {})
    assert "30 with 2, game 3, times hearts 10 = 30" in capsys.readouterr().out
