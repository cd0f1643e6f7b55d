"""Lines of the International Skat Server: one game a line.

The reader checks every game card by card and compares the server's result with its own. What
cannot be read is an error or a `Reject`, never silence.

>>> line = (
...     "(;GM[Skat]PC[]CO[]SE[]ID[7]DT[]P0[a]P1[b]P2[c]R0[]R1[]R2[]MV[w C8.DQ.DJ.HK.S9.SK.SQ.HQ.CK."
...     "D9.S8.DT.SJ.C9.CQ.SA.DK.HT.D7.H7.ST.HJ.C7.H8.S7.DA.CJ.CT.D8.H9.CA.HA 1 p 2 p 0 p ]"
...     "R[passed] ;)"
... )
>>> [block] = read(Source.from_bytes(line.encode()))
>>> block.imported.status, block.imported.server_id
(['passed'], ['7'])
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TextIO

import numpy as np

from skatsim.errors import NotationError, RecordError
from skatsim.formats.base import BLOCK_GAMES, Block, Reject, Source, take
from skatsim.formats.iss_frame import Framer, parse_properties
from skatsim.formats.iss_grammar import (
    RESULT_STATED,
    Draft,
    Result,
    parse_date,
    parse_moves,
    parse_result,
)
from skatsim.formats.iss_judge import judge
from skatsim.formats.iss_write import line as write_line
from skatsim.formats.iss_write import lines as write
from skatsim.formats.recognition import check_readable
from skatsim.formats.series import TableSizes
from skatsim.game import Game
from skatsim.records import Imported

__all__ = ["dump", "dumps", "load", "loads", "read", "read_records", "write"]

OnError = Literal["raise", "collect"]

_ID: Final = re.compile(r"(?<![A-Z])ID\[([^\]]{1,40})\]")
_AGAIN: Final = "(;GM["


@dataclass(slots=True)
class _Batch:
    """Records on their way to a block."""

    source: str
    drafts: list[Draft] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    properties: list[dict[str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    recoded_count: int = 0

    def __len__(self) -> int:
        return len(self.drafts) + len(self.rejects)

    def add(self, line: int, data: bytes) -> None:
        """Read one record."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("utf-8", "backslashreplace")
            self.recoded_count += 1
        self._add_text(line, text)

    def _add_text(self, line: int, text: str) -> None:
        try:
            properties = parse_properties(text)
            game = properties.get("GM", "Skat")
            if game != "Skat":
                raise NotationError(f"GM[{game}] is not Skat")
            moves = properties.get("MV")
            if moves is None:
                raise NotationError("it has no moves MV[...]")
            result = parse_result(properties.get("R", ""))
            draft = parse_moves(moves, result)
        except NotationError as error:
            again = text.find(_AGAIN, 2)
            if again > 0:  # a record that was cut, and another on the same line
                self.reject(line, text[:again], "cut short: another record begins in it")
                self._add_text(line + text.count("\n", 0, again), text[again:])
            else:
                self.reject(line, text, str(error))
            return
        self.drafts.append(draft)
        self.results.append(result)
        self.properties.append(properties)
        self.texts.append(text)
        self.lines.append(line)

    def reject(self, line: int, text: str, reason: str) -> None:
        found = _ID.search(text)
        self.rejects.append(
            Reject(
                file=self.source,
                line=line,
                record_id=found[1] if found and found[1].isprintable() else None,
                reason=reason,
                text=text,
            )
        )

    def finish(self, sizes: TableSizes, framer: Framer) -> Block:
        """Let the referee see the batch."""
        properties = self.properties
        servers = [entry.get("PC") or None for entry in properties]
        judged = judge(self.drafts, self.results, servers)
        for index, reason in enumerate(judged.reasons):
            if reason is not None:
                self.reject(self.lines[index], self.texts[index], reason)
        self.rejects.sort(key=lambda reject: reject.line)
        kept = [index for index, reason in enumerate(judged.reasons) if reason is None]
        series = [properties[index].get("SE") or None for index in kept]
        players = [
            tuple(properties[index].get(key) or None for key in ("P0", "P1", "P2"))
            for index in kept
        ]
        results = [self.results[index] for index in kept]
        kept_servers = [servers[index] for index in kept]
        rows, calls = take(judged.rows, judged.calls, np.array(kept, dtype=np.int64))
        return Block(
            rows=rows,
            calls=calls,
            imported=Imported(
                server=kept_servers,
                server_id=[properties[index].get("ID") or None for index in kept],
                series_id=series,
                played_at=[parse_date(properties[index].get("DT", "")) for index in kept],
                players=tuple([names[seat] for names in players] for seat in range(3)),  # type: ignore[arg-type]
                table_size=sizes.infer(kept_servers, series, players),
                status=[judged.status[index] for index in kept],
                recorded_score=[
                    result.value if result.kind == RESULT_STATED else None for result in results
                ],
                recorded_card_points=[
                    result.card_points if result.kind == RESULT_STATED else None
                    for result in results
                ],
                source_text=[self.texts[index] for index in kept],
            ),
            lines=[self.lines[index] for index in kept],
            rejects=self.rejects,
            noise=framer.noise,
            noise_count=framer.noise_count,
            comment_count=framer.comment_count,
            recoded_count=self.recoded_count,
        )


def read(source: Source, *, block_games: int = BLOCK_GAMES) -> Iterator[Block]:
    """The games of a source, block by block; memory does not grow with it.

    Parameters
    ----------
    source : an open source.
    block_games : records in a block.

    Yields
    ------
    Block
        Every record of the source is either among its games or among its rejects.
    """
    framer = Framer()
    sizes = TableSizes()
    batch = _Batch(source.name)
    line = 0
    for line, data in framer.records(source.lines()):
        batch.add(line, data)
        if len(batch) >= block_games:
            yield batch.finish(sizes, framer)
            framer.reset()
            batch = _Batch(source.name)
    if source.damage:
        batch.reject(line, "", source.damage)
    yield batch.finish(sizes, framer)


def read_records(records: Iterable[tuple[int, str]], name: str = "<text>") -> Block:
    """Records that are already cut, each with its number, as one block."""
    batch = _Batch(name)
    for number, text in records:
        batch._add_text(number, text)
    return batch.finish(TableSizes(), Framer())


def load(
    path: str | os.PathLike[str],
    *,
    on_error: OnError = "raise",
    rejects: list[Reject] | None = None,
) -> Iterator[Game]:
    """The games of a file, one after the other.

    Parameters
    ----------
    path : the file, also compressed; ``-`` is standard input.
    on_error : ``raise`` stops at the first record that cannot be read, ``collect`` goes on.
    rejects : a list to which ``collect`` adds what could not be read.

    Raises
    ------
    RecordError
        A record cannot be read, or does not replay.
    NotationError
        The file is no text with server lines.
    """
    with Source.open(path) as source:
        yield from _games(source, on_error, rejects)


def loads(
    text: str, *, on_error: OnError = "raise", rejects: list[Reject] | None = None
) -> list[Game]:
    """The games of a text; parameters and errors are those of `load`."""
    source = Source.from_bytes(text.encode("utf-8", "surrogatepass"))
    return list(_games(source, on_error, rejects))


def _games(source: Source, on_error: OnError, rejects: list[Reject] | None) -> Iterator[Game]:
    check_readable(source)
    for block in read(source, block_games=1000):
        for reject in block.rejects:
            if on_error == "raise":
                raise reject.error()
            if rejects is not None:
                rejects.append(reject)
        start = 0
        for row in block.rows:
            end = int(row["call_end"])
            try:
                yield Game.from_record(row, block.calls[start:end])
            except RecordError as error:
                raise RecordError(error.message, source=source.name) from None
            start = end


def dumps(games: Iterable[Game]) -> str:
    """Games as server lines.

    Raises
    ------
    RuleError
        A game is not over.
    """
    return "".join(f"{write_line(*game.to_record())}\n" for game in games)


def dump(games: Iterable[Game], target: str | os.PathLike[str] | TextIO) -> None:
    """Write games as server lines to a file."""
    if isinstance(target, str | os.PathLike):
        with Path(target).expanduser().open("w", encoding="utf-8", newline="\n") as file:
            dump(games, file)
        return
    for game in games:
        target.write(dumps([game]))
