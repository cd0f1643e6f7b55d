"""What a file is that holds no server lines, told by its first bytes.

Server lines may stand among other text, and are looked for anywhere in it. In a table, a page
or packed data that finds a game here and there, with names as they are quoted there: so these
are known by how they begin and refused whole, in one line that says what to do instead.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from skatsim.errors import NotationError
from skatsim.formats.base import Source

__all__ = ["check_readable", "foreign_kind"]

READ_HERE: Final = "only server lines of ISS can be read (.sgf, also .gz or standard input)"

_UNPACK: Final = "unpack it first"
_LOG: Final = "give the log itself"
_SERVER_LOG: Final = "give the server's log"
_EXPORT: Final = f"export the run again with --format iss, or {_SERVER_LOG}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What a file is, with its article, and what to do with it."""

    name: str
    advice: str


_MAGIC: Final = tuple(
    (offset, magic, _Kind(name=name, advice=advice))
    for offset, magic, name, advice in (
        (0, b"PAR1", "a Parquet table", _EXPORT),
        (0, b"ARROW1", "an Arrow table", _EXPORT),
        (0, b"\xff\xff\xff\xff", "an Arrow table", _EXPORT),
        (0, b"SQLite format 3\0", "an SQLite database", _SERVER_LOG),
        (8, b"DUCK", "a DuckDB database", _SERVER_LOG),
        (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document or spreadsheet", _SERVER_LOG),
        (0, b"%PDF-", "a PDF document", _SERVER_LOG),
        (0, b"{\\rtf", "an RTF document", "save it as plain text"),
        (0, b"Rar!", "a RAR archive", _UNPACK),
        (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
        (257, b"ustar", "a tar archive", _UNPACK),
        (0, b"\x1f\x9d", "data packed by compress", _UNPACK),
        (0, b"\x04\x22\x4d\x18", "data packed by lz4", _UNPACK),
        (0, b"\x1f\x8b", "data packed twice", _UNPACK),
        (0, b"BZh", "data packed twice", _UNPACK),
        (0, b"\xfd7zXZ\x00", "data packed twice", _UNPACK),
        (0, b"\x28\xb5\x2f\xfd", "data packed twice", _UNPACK),
        (0, b"\x89PNG", "a picture", _LOG),
        (0, b"\xff\xd8\xff", "a picture", _LOG),
        (0, b"GIF8", "a picture", _LOG),
    )
)
"""Where a kind of file has which bytes."""

_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_SHEET: Final = _Kind(name="a spreadsheet", advice=_SERVER_LOG)
_ZIP: Final = _Kind(name="a zip archive", advice=_UNPACK)
_BINARY: Final = _Kind(name="binary data", advice=_LOG)
_JSON: Final = _Kind(name="JSON", advice=_EXPORT)
_CSV: Final = _Kind(name="a CSV table", advice=_EXPORT)
_HTML: Final = _Kind(name="an HTML page", advice="save the lines as plain text")
_XML: Final = _Kind(name="an XML document", advice="save the lines as plain text")
_XSKAT: Final = _Kind(name="a log of XSkat", advice=_SERVER_LOG)

_CONTROLS: Final = bytes({*range(32)} - {*b"\t\n\r\f\b\a\x1b"})
_CONTROL_SHARE: Final = 0.05
"""A log may hold a stray byte or a block of zeros where a disk failed; data hold more."""

_HTML_START: Final = re.compile(
    rb"\s*(<!--.*?-->\s*)*<(!doctype html|html|head|body)\b", re.I | re.S
)
_XML_START: Final = re.compile(rb"\s*<\?xml\b", re.I)
_JSON_START: Final = re.compile(rb'\s*(\[\s*)*(\{\s*("([^"\\]|\\.)*"\s*:|$|\})|\[\s*$|\[\s*")')
_XSKAT_RULE: Final = re.compile(rb"-{4} random_seed \d+ ")
_COLUMN: Final = re.compile(r"[A-Za-z_][\w.-]*( [\w.()-]+)*")


def check_readable(source: Source) -> None:
    """Refuse a source that is no text with server lines.

    Raises
    ------
    NotationError
        It says what the source is, what is read, and what to do.
    """
    kind = foreign_kind(source.head())
    if kind is not None:
        name, advice = kind
        raise NotationError(f"{source.name!r} is {name}, but {READ_HERE}: {advice}")


def foreign_kind(head: bytes) -> tuple[str, str] | None:
    """What the first bytes of a file show it to be, and what to do; None for text.

    Parameters
    ----------
    head : the beginning of the content, unpacked.

    Examples
    --------
    >>> foreign_kind(b"PAR1...")[0], foreign_kind(b"(;GM[Skat]")
    ('a Parquet table', None)
    """
    kind = _packed_kind(head) or _text_kind(head)
    return None if kind is None else (kind.name, kind.advice)


def _packed_kind(head: bytes) -> _Kind | None:
    for offset, magic, kind in _MAGIC:
        if head[offset : offset + len(magic)] == magic:
            return kind
    if head.startswith(_ZIP_STARTS):
        is_sheet = any(
            name in head for name in (b"xl/", b"[Content_Types]", b"opendocument.spread")
        )
        return _SHEET if is_sheet else _ZIP
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return _BINARY if controls > _CONTROL_SHARE * len(head) else None


def _text_kind(head: bytes) -> _Kind | None:
    if _HTML_START.match(head):
        return _HTML
    if _XML_START.match(head):
        return _XML
    lines = [line for line in head.splitlines() if line.strip() and not line.startswith(b"#")]
    if not lines:
        return None
    json_lines = sum(_JSON_START.match(line) is not None for line in lines)
    if 2 * json_lines >= len(lines) or _JSON_START.match(lines[0]):
        return _JSON
    if any(_XSKAT_RULE.match(line) for line in lines):
        return _XSKAT
    return _CSV if _is_table([line.decode("utf-8", "replace") for line in lines]) else None


def _is_table(lines: Sequence[str]) -> bool:
    """Whether lines begin with the names of columns, and what follows has as many."""
    for delimiter in ",;\t|":
        names = next(csv.reader(lines[:1], delimiter=delimiter))
        if len(names) < 3 or len({*names}) < len(names):
            continue
        if not all(_COLUMN.fullmatch(name) for name in names):
            continue
        if len(lines) == 1:
            return True
        if not lines[1].lstrip().startswith("(;"):
            row = next(csv.reader(lines[1:], delimiter=delimiter), [])
            return len(row) == len(names)
    return False
