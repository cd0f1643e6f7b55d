"""The table of columns in data/README.md is the one of records.py."""

from pathlib import Path

import pytest

from skatsim.kernels.columns import GAME
from skatsim.records import COLUMNS, SCHEMA

README = Path(__file__).parents[2] / "data" / "README.md"


def table() -> str:
    rows = ["| column | type | of | meaning |", "| --- | --- | --- | --- |"]
    for column in COLUMNS:
        kind = "string" if str(column.type).startswith("dictionary") else str(column.type)
        meaning = column.description.replace("|", "\\|")
        rows.append(f"| `{column.name}` | {kind} | {column.of} | {meaning} |")
    return "\n".join(rows) + "\n"


def test_readme_has_the_columns(request: pytest.FixtureRequest) -> None:
    text, _, listed = README.read_text(encoding="utf-8").partition("<!-- columns -->\n")
    if request.config.getoption("--update-golden", default=False):
        README.write_text(f"{text}<!-- columns -->\n{table()}", encoding="utf-8")
        listed = table()
    assert listed == table(), "run pytest --update-golden and read the difference"


def test_every_field_of_a_record_is_a_column() -> None:
    names = set(GAME.names or ()) - {"call_end"}
    assert names <= set(SCHEMA.names)


def test_every_column_has_a_description() -> None:
    for field in SCHEMA:
        assert field.metadata[b"description"]
