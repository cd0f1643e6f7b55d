"""Records of server lines: where they begin and end, and the properties they are made of.

A line is ``(;`` KEY[value] ... `` ;)``. It looks like SGF but is not: the server escapes
nothing, so a value ends at the first ``]`` that is followed by a key (one or two capitals, at
most one digit) and ``[``, or by `` ;)``. A record may also stand on several lines; a line end
counts as a blank then. Lines that begin with ``#`` are comments.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from skatsim.errors import NotationError
from skatsim.formats.base import Line

__all__ = ["Framer", "parse_properties"]

_KEY = r"[A-Z]{1,2}[0-9]?\["
_END = r"\s*;\)"
_PROPERTIES = re.compile(rf"([A-Z]{{1,2}}[0-9]?)\[([^\]]*+(?:\](?!{_KEY}|{_END})[^\]]*+)*+)\]")
_START_BYTES = re.compile(rb"\(;\s*(?=[A-Z]{1,2}[0-9]?\[|\)|;|$)")
_END_BYTES = re.compile(rb"\]\s*;\)")
_EMPTY_BYTES = re.compile(rb"\(;\s*;?\)")
_USUAL_KEYS: Final = (
    *("GM", "PC", "CO", "SE", "ID", "DT"),
    *("P0", "P1", "P2", "R0", "R1", "R2", "MV", "R"),
)
_USUAL = re.compile(r"\(;" + "".join(rf"{key}\[([^\]]*+)\]" for key in _USUAL_KEYS) + r" ;\)")
"""A record as the server writes it, without a bracket in a value."""

LONGEST_RECORD: Final = 1 << 16


@dataclass(slots=True)
class Framer:
    """Cuts lines into records; counts what is none."""

    noise: list[tuple[int, str]] = field(default_factory=list)
    noise_count: int = 0
    comment_count: int = 0

    def records(self, lines: Iterator[Line]) -> Iterator[tuple[int, bytes]]:
        """The records with the number of their first line; a cut one lacks its end."""
        pending: list[bytes] = []
        pending_line = 0
        pending_size = 0
        for number, line in lines:
            if pending:
                text = line.strip()
                if _START_BYTES.match(text) or pending_size > LONGEST_RECORD:
                    yield pending_line, b"\n".join(pending)
                    pending = []
                elif not text or text.startswith(b"#"):
                    self.comment_count += 1 if text else 0
                    continue
                else:
                    found = _END_BYTES.search(line)
                    if found is None:
                        pending.append(line)
                        pending_size += len(line)
                        continue
                    pending.append(line[: found.end()])
                    yield pending_line, b"\n".join(pending)
                    pending = []
                    line = line[found.end() :]  # noqa: PLW2901 -- the rest is a line of its own
            elif line.startswith(b"(;") and line.endswith(b" ;)") and line.count(b"(;") == 1:
                yield number, line
                continue
            for text, is_whole in self._cut(number, line):
                if is_whole:
                    yield number, text
                else:
                    pending, pending_line, pending_size = [text], number, len(text)
        if pending:
            yield pending_line, b"\n".join(pending)

    def _cut(self, number: int, line: bytes) -> Iterator[tuple[bytes, bool]]:
        """The records of one line; the last may go on in the next lines."""
        while line := line.strip():
            if line.startswith(b"#"):
                self.comment_count += 1
                return
            start = _START_BYTES.search(line)
            if start is None or start.start() > 0:
                self._skip(number, line[: start.start()] if start else line)
                if start is None:
                    return
                line = line[start.start() :]
                continue
            empty = _EMPTY_BYTES.match(line)
            if empty is not None:
                self._skip(number, empty.group())
                line = line[empty.end() :]
                continue
            end = _END_BYTES.search(line)
            if end is None:
                yield line, False
                return
            yield line[: end.end()], True
            line = line[end.end() :]

    def _skip(self, number: int, text: bytes) -> None:
        self.noise_count += 1
        if len(self.noise) < 10:
            self.noise.append((number, text[:200].decode("utf-8", "backslashreplace")))

    def reset(self) -> None:
        """Begin to count anew."""
        self.noise, self.noise_count, self.comment_count = [], 0, 0


def parse_properties(text: str) -> dict[str, str]:
    """The properties of a record; values are the bare text between the brackets.

    Raises
    ------
    NotationError
        The record is cut, is not made of properties, or has one twice.
    """
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        return dict(zip(_USUAL_KEYS, usual.groups(), strict=True))
    if "\n" in text:
        text = re.sub(r"\]\s*\n\s*", "]", text).replace("\n", " ")
    pairs = _PROPERTIES.findall(text)
    if not _is_whole(text, pairs):
        text = re.sub(r"^\(;\s*", "(;", re.sub(rf"\]\s+(?={_KEY})", "]", text))
        text = re.sub(rf"\]{_END}\s*$", "] ;)", text)
        pairs = _PROPERTIES.findall(text)
        if not text.endswith("] ;)"):
            raise NotationError("cut short: the closing ' ;)' is missing")
        if not _is_whole(text, pairs):
            raise NotationError("not a row of properties KEY[value]")
    properties = dict(pairs)
    if len(properties) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotationError(f"the property {twice!r} stands there twice")
    return properties


def _is_whole(text: str, pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether a record is made of these properties and nothing else."""
    length = sum(map(len, chain.from_iterable(pairs))) + 2 * len(pairs)
    return length + 5 == len(text) and text.startswith("(;") and text.endswith("] ;)")
