"""Finding SQL files, and reading what their head comment says.

A report is one statement in one file; the file's name is the report's name. Its head comment
states ``question:``, ``grain:`` and a line ``param name = default: meaning`` per parameter, or
``param name = default of default, other: meaning`` where it takes one of some words.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skatsim.errors import ReportError

__all__ = [
    "CORE_REPORTS",
    "Statement",
    "find_report",
    "list_audits",
    "list_reports",
    "reports_folder",
    "shipped_folder",
    "views",
]

VIEWS: Final = (
    "macros",
    "games",
    "list_entries",
    "deals",
    "plays",
    "tricks",
    "bids",
    "skat_pairs",
    "dealt_values",
    "review_rows",
    "reviews",
)
"""The files of ``views/``, in the order in which they build on each other."""

CORE_REPORTS: Final = ("win_rates", "skat_surprise", "overbid_risk")
"""What `skatsim report` prints when no report is named."""

_HEAD: Final = re.compile(r"--\s?(.*)")
_KEY: Final = re.compile(r"(question|grain|columns|chart|note):\s*(.*)")
_PARAMETER: Final = re.compile(r"param\s+(\w+)\s*=\s*(.*?)(?:\s+of\s+(.*?))?:\s+(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One SQL file: its name, its text, and what its head comment says.

    ``columns`` are those shown where a table is read and not processed, with their interval where
    ``±`` follows; a chart reads ``win_rate
    by contract where hand = all``; ``parameters`` maps each parameter to its default as text,
    ``choices`` to the words it may be, where these are few;
    ``notes`` are printed below the result, with ``{name}`` standing for a parameter.
    """

    name: str
    sql: str
    question: str = ""
    grain: Sequence[str] = ()
    columns: Sequence[str] = ()
    charts: Sequence[str] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @classmethod
    def from_text(cls, name: str, sql: str) -> "Statement":
        """Read the head comment of a file."""
        lines: list[str] = []
        for line in sql.splitlines():
            match = _HEAD.fullmatch(line.strip())
            if match is None:
                break
            text = match[1].strip()
            if lines and text and not (_KEY.match(text) or _PARAMETER.match(text)):
                lines[-1] += f" {text}"
            else:
                lines.append(text)
        found: dict[str, list[str]] = {"question": [], "grain": [], "note": []}
        parameters = {}
        choices = {}
        for line in lines:
            if key := _KEY.fullmatch(line):
                found.setdefault(key[1], []).append(key[2])
            elif parameter := _PARAMETER.fullmatch(line):
                parameters[parameter[1]] = parameter[2]
                if parameter[3]:
                    choices[parameter[1]] = tuple(word.strip() for word in parameter[3].split(","))

        def names(key: str) -> tuple[str, ...]:
            return tuple(part.strip() for text in found.get(key, ()) for part in text.split(","))

        return cls(
            name=name,
            sql=sql,
            question=" ".join(found["question"]),
            grain=names("grain"),
            columns=names("columns"),
            charts=tuple(found.get("chart", ())),
            parameters=parameters,
            choices=choices,
            notes=tuple(found["note"]),
        )


def shipped_folder(name: str) -> Path:
    """A folder that comes with the package: of the source tree, or of the wheel."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "_shipped" / name
    return inside if inside.is_dir() else package.parent / name


def reports_folder() -> Path:
    """The folder of the SQL that comes with the package."""
    folder = shipped_folder("reports")
    if not (folder / "views").is_dir():
        raise ReportError(f"the reports that come with skatsim are missing: no {str(folder)!r}")
    return folder


def _read(path: Path) -> Statement:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"cannot read {str(path)!r}: {error}") from error
    return Statement.from_text(path.stem, text)


def _folders(own: str | os.PathLike[str] | None) -> Iterable[Path]:
    if own is not None:
        folder = Path(own).expanduser()
        if not folder.is_dir():
            raise ReportError(f"no folder {str(own)!r}: --reports-dir names a folder of SQL files")
        yield folder / "queries" if (folder / "queries").is_dir() else folder
    yield reports_folder() / "queries"


def list_reports(own: str | os.PathLike[str] | None = None) -> list[Statement]:
    """All reports by name; those of the user's own folder go before shipped ones of their name."""
    found: dict[str, Path] = {}
    for folder in _folders(own):
        for path in sorted(folder.glob("*.sql")):
            found.setdefault(path.stem, path)
    return [_read(found[name]) for name in sorted(found)]


def find_report(name: str, own: str | os.PathLike[str] | None = None) -> Statement:
    """The report of this name.

    Raises
    ------
    ReportError
        There is none.
    """
    paths = [path for folder in _folders(own) for path in folder.glob("*.sql")]
    for path in paths:
        if path.stem == name:
            return _read(path)
    known = ", ".join(sorted({path.stem for path in paths}))
    raise ReportError(f"no report {name!r}: there are: {known}")


def list_audits() -> list[Statement]:
    """The claims about a sound archive: each returns no row where it holds."""
    return [_read(path) for path in sorted((reports_folder() / "audits").glob("*.sql"))]


def views() -> list[Statement]:
    """The views and macros, in the order in which they are made."""
    folder = reports_folder() / "views"
    return [_read(folder / f"{name}.sql") for name in VIEWS]
