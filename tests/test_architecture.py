"""A module imports only from modules named before it in the order of DESIGN.md."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "skatsim"
EVERYWHERE = {"__init__"}


def order() -> list[str]:
    text = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    block = text.split("    errors . kernels", 1)[1].split("\n\n", 1)[0]
    return ("errors . kernels" + block).replace(".", " ").split()


def place(module: str) -> int:
    """Where a module like ``skatsim.kernels.jit`` stands in the order."""
    name = module.split(".")[1] if "." in module else "__init__"
    return -1 if name in EVERYWHERE else order().index(name)


def modules() -> list[Path]:
    return sorted(
        path for path in PACKAGE.rglob("*.py") if path.name not in ("__main__.py", "__init__.py")
    ) + sorted(path for path in PACKAGE.rglob("*/__init__.py"))


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are written in full"
            if node.module == "skatsim":
                found |= {f"skatsim.{alias.name}" for alias in node.names}
            found.add(node.module)
    return {name for name in found if name.split(".")[0] == "skatsim"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_backwards(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    own = ".".join(part for part in parts if part != "__init__")
    for name in imported(path):
        inner = name.split(".")
        if len(inner) == 2 and inner[1].startswith("__"):
            continue  # skatsim.__version__
        assert place(name) <= place(own), f"{own} imports {name}"


def test_only_kernels_import_numba() -> None:
    for path in modules():
        if "kernels" not in path.parts:
            source = path.read_text(encoding="utf-8")
            assert not re.search(r"^\s*(import|from) numba", source, re.MULTILINE), path


def test_only_the_views_read_parquet() -> None:
    for path in (ROOT / "reports").rglob("*.sql"):
        if "views" not in path.parts:
            assert "read_parquet" not in path.read_text(encoding="utf-8"), path


def test_nothing_runs_at_import() -> None:
    """Importing the package imports no library."""
    import subprocess
    import sys

    script = (
        "import sys, skatsim; print([m for m in ('numba', 'polars', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_archive_and_reports_load_no_engine() -> None:
    """What only reads files need not wait for the kernels of a whole game."""
    import subprocess
    import sys

    script = (
        "import sys, skatsim.archive, skatsim.reporting, skatsim.cli.archive, skatsim.cli.report\n"
        "print([m for m in ('engine', 'replay') if f'skatsim.kernels.{m}' in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
