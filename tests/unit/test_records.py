"""The tables of columns in data/README.md are those of records.py and reviews.py."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from skatsim.kernels.columns import GAME
from skatsim.records import COLUMNS, FLAGS, SCHEMA, Column
from skatsim.reviews import REVIEW_COLUMNS

README = Path(__file__).parents[2] / "data" / "README.md"


MARKERS = {"<!-- columns -->\n": COLUMNS, "<!-- review columns -->\n": REVIEW_COLUMNS}


def table(columns: Sequence[Column]) -> str:
    rows = ["| column | type | of | meaning |", "| --- | --- | --- | --- |"]
    for column in columns:
        kind = "string" if str(column.type).startswith("dictionary") else str(column.type)
        if getattr(column, "flag", None) is not None:
            kind = f"bit {1 << column.flag} of `flags`"
        meaning = column.description.replace("|", "\\|")
        rows.append(f"| `{column.name}` | {kind} | {column.of} | {meaning} |")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("marker", MARKERS)
def test_readme_has_the_columns(request: pytest.FixtureRequest, marker: str) -> None:
    text, _, rest = README.read_text(encoding="utf-8").partition(marker)
    listed, blank, more = rest.partition("\n\n")
    listed = listed.rstrip("\n") + "\n"
    wanted = table(MARKERS[marker])
    if request.config.getoption("--update-golden", default=False):
        tail = f"\n{more}" if blank else ""
        README.write_text(f"{text}{marker}{wanted}{tail}", encoding="utf-8")
        listed = wanted
    assert listed == wanted, "run pytest --update-golden and read the difference"


def test_every_field_of_a_record_is_a_column() -> None:
    names = set(GAME.names or ()) - {"call_end"}
    assert names <= set(SCHEMA.names)


def test_flags_lie_side_by_side_in_a_record() -> None:
    """But `is_counted`, which hangs on the status."""
    fields = GAME.fields
    assert fields is not None
    offsets = {name: fields[name][1] for name in FLAGS if name in fields}
    start = offsets["is_skat_taken"]
    packed = {name: offset - start for name, offset in offsets.items()}
    assert {**packed, "is_counted": len(packed)} == FLAGS


def test_every_column_has_a_description() -> None:
    for field in SCHEMA:
        assert field.metadata[b"description"]
