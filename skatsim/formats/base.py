"""What the readers of all formats share: sources, lines, rejects, blocks of games.

A *reader* turns an open `Source` into `Block` s: games replayed and rescored by the referee,
with what their records say beside the cards, and the records that could not be read. One
reader serves the import, `load` and the check of an export.
"""

import bz2
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Protocol, Self

import numpy as np
import zstandard

from skatsim.errors import NotationError, RecordError
from skatsim.records import Imported

__all__ = ["BLOCK_GAMES", "Block", "Line", "Reader", "Reject", "Source", "take"]

BLOCK_GAMES: Final = 4_000
"""Records in a block."""

CHUNK_BYTES: Final = 1 << 20
HEAD_BYTES: Final = 1 << 16
LONGEST_LINE: Final = 1 << 20
"""A longer line is cut, so that a file without line ends cannot fill the memory."""

BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    r"""A record that was not taken, and why.

    Attributes
    ----------
    file : name of the source.
    line : its first line there, from 1.
    record_id : the id it carries, None without.
    reason : what is wrong.
    text : the record; bytes that are no UTF-8 are shown as ``\xNN``.
    """

    file: str
    line: int
    record_id: str | None
    reason: str
    text: str

    def error(self) -> RecordError:
        """The same as an exception."""
        return RecordError(self.reason, source=self.file, line=self.line, record_id=self.record_id)

    def __str__(self) -> str:
        record_id = f" ID {self.record_id}" if self.record_id else ""
        return f"{self.file}:{self.line}{record_id}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    r"""Some records of a source, read.

    Attributes
    ----------
    rows : shape (n,), dtype `skatsim.kernels.columns.GAME`, every field set.
    calls : uint16, the calls of all rows.
    imported : what the records say beside.
    lines : the first line of each row's record.
    rejects : records that were not taken.
    noise : lines that belong to no record, with their numbers: at most the first ten.
    noise_count : how many there were.
    comment_count : comment lines.
    recoded_count : records with bytes that are no UTF-8, which are kept as ``\xNN``.
    """

    rows: np.ndarray
    calls: np.ndarray
    imported: Imported
    lines: Sequence[int]
    rejects: Sequence[Reject] = ()
    noise: Sequence[tuple[int, str]] = ()
    noise_count: int = 0
    comment_count: int = 0
    recoded_count: int = 0

    def __len__(self) -> int:
        """The number of games."""
        return len(self.rows)


def take(rows: np.ndarray, calls: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of a block, with their calls."""
    if len(indices) == len(rows):
        return rows, calls
    ends = rows["call_end"].astype(np.int64)
    starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    taken = rows[indices]
    pieces = [calls[starts[index] : ends[index]] for index in indices]
    taken["call_end"] = np.cumsum([len(piece) for piece in pieces])
    return taken, np.concatenate(pieces) if pieces else calls[:0]


class Reader(Protocol):
    """Reads a source block by block; memory does not grow with the source."""

    def __call__(self, source: "Source", *, block_games: int = BLOCK_GAMES) -> Iterator[Block]:
        """The blocks of a source."""


Line = tuple[int, bytes]
"""A line's number, from 1, and its bytes without the end of line."""


@dataclass(slots=True, kw_only=True)
class Source:
    """A stream of bytes with a name, decompressed as it is read.

    Attributes
    ----------
    name : as shown in messages.
    size : bytes of the file as it lies on the disk, None where it is not known.
    damage : what went wrong where the compressed data ended too early or are damaged.
    """

    name: str
    size: int | None
    _raw: BinaryIO
    damage: str | None = field(default=None, init=False)
    _position: int = field(default=0, init=False)
    _ahead: list[bytes] = field(default_factory=list, init=False)
    _content: Iterator[bytes] | None = field(default=None, init=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file, or standard input for ``-``; ``.gz .bz2 .xz .zst`` are known by content.

        Raises
        ------
        OSError
            The file cannot be read.
        NotationError
            It has no name.
        """
        text = os.fspath(path)
        if text == "-":
            return cls(name="<stdin>", size=None, _raw=sys.stdin.buffer)
        if not text.strip():
            raise NotationError(f"{text!r} is a file without a name")
        file = Path(text).expanduser()
        if file.is_dir():
            raise IsADirectoryError(21, "is a folder", text)
        stream = file.open("rb")
        return cls(name=text, size=os.fstat(stream.fileno()).st_size, _raw=stream)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<text>") -> Self:
        """A source over bytes in memory."""
        return cls(name=name, size=len(data), _raw=io.BytesIO(data))

    @property
    def position(self) -> int:
        """Bytes read so far, before decompression."""
        return self._position

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._raw is not getattr(sys.stdin, "buffer", None):
            self._raw.close()

    def __enter__(self) -> Self:
        """The source itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def _read(self) -> bytes:
        data = self._raw.read(CHUNK_BYTES)
        self._position += len(data)
        return data

    def head(self) -> bytes:
        """The first `HEAD_BYTES` of the content; whoever reads it next gets them again.

        Raises
        ------
        NotationError
            The content is UTF-16.
        """
        if self._content is None:
            self._content = self._decoded()
        while sum(map(len, self._ahead)) < HEAD_BYTES:
            piece = next(self._content, None)
            if piece is None:
                break
            self._ahead.append(piece)
        return b"".join(self._ahead)[:HEAD_BYTES]

    def chunks(self) -> Iterator[bytes]:
        """The content, decompressed, without a byte order mark.

        Raises
        ------
        NotationError
            The content is UTF-16.
        """
        self.head()
        ahead, self._ahead = self._ahead, []
        yield from ahead
        yield from self._content or ()

    def _decoded(self) -> Iterator[bytes]:
        data = self._read()
        opener = next((make for magic, make in _COMPRESSED.items() if data.startswith(magic)), None)
        pieces = self._plain(data) if opener is None else self._unpacked(data, opener)
        is_first = True
        for piece in pieces:
            if is_first and piece.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise NotationError(f"{self.name!r} is UTF-16: save it as UTF-8")
            yield piece.removeprefix(BOM) if is_first else piece
            is_first = False

    def _plain(self, data: bytes) -> Iterator[bytes]:
        while data:
            yield data
            data = self._read()

    def _unpacked(self, data: bytes, opener: "Callable[[], _Decompressor]") -> Iterator[bytes]:
        """Decompress one stream after the other; what is damaged ends the content."""
        try:
            unpacker = opener()
            while data:
                piece = unpacker.decompress(data)
                if piece:
                    yield piece
                data = b""
                if unpacker.eof:
                    data = unpacker.unused_data
                    unpacker = opener()
                    is_between = True
                else:
                    is_between = False
                if not data.strip(b"\0"):
                    data = self._read()
            if not is_between:
                self.damage = "the compressed data end too early"
        except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
            self.damage = f"the compressed data are damaged: {error}"

    def lines(self) -> Iterator[Line]:
        """The lines, ended by LF, CRLF or CR."""
        number = 0
        rest = b""
        for chunk in self.chunks():
            data = rest + chunk
            rest = b"\r" if data.endswith(b"\r") else b""  # perhaps the first half of CRLF
            data = data.removesuffix(b"\r")
            lines = data.splitlines()
            if data and not data.endswith((b"\n", b"\r")):
                rest = lines.pop() + rest
            for line in lines:
                number += 1
                yield number, line
            if len(rest) > LONGEST_LINE:
                cut = rest.rfind(b";)") + 2
                cut = cut if cut >= 2 else LONGEST_LINE
                yield number + 1, rest[:cut]
                rest = rest[cut:]
        for line in rest.splitlines():
            number += 1
            yield number, line


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


_COMPRESSED: Final[dict[bytes, Callable[[], _Decompressor]]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}
