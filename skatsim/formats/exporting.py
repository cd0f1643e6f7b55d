"""Export: games of an archive as files of other formats."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from skatsim.archive import Run
from skatsim.cards import card_text
from skatsim.errors import NotationError
from skatsim.formats import iss
from skatsim.formats.iss_write import auction_text
from skatsim.kernels.table import UNKNOWN_CARD, UNPLAYED
from skatsim.records import CONTRACTS, SCHEMA, from_table
from skatsim.replaying import replay_rows
from skatsim.ruleset import ISKO

__all__ = ["EXPORT_FORMATS", "export_games"]

EXPORT_FORMATS: Final = ("iss", "jsonl", "csv", "parquet")

SLICE_GAMES: Final = 10_000

Selection = Mapping[str, Sequence[int]]
"""Hand numbers by run."""


def _tables(runs: Sequence[Run], selection: Selection | None) -> Iterator[pa.Table]:
    """The wanted games in slices."""
    for run in runs:
        wanted = None if selection is None else np.sort(np.array(selection.get(run.name, ())))
        for part in run.manifest.parts:
            if wanted is None:
                indices = None
            else:
                inside = wanted[(wanted >= part.first) & (wanted < part.first + part.hands)]
                if not len(inside):
                    continue
                indices = inside - part.first
            table = run.read_part(part)
            if indices is not None:
                table = table.take(pa.array(indices, pa.int64()))
            for start in range(0, table.num_rows, SLICE_GAMES):
                yield table.slice(start, SLICE_GAMES)


def export_games(
    runs: Sequence[Run], target: BinaryIO, *, format: str, selection: Selection | None = None
) -> int:
    """Write games to a binary file; returns how many.

    Parameters
    ----------
    runs : whose games are written, one run after the other.
    target : where to; it stays open.
    format : one of `EXPORT_FORMATS`. ``iss`` gives imported games back as they were read;
        ``parquet`` has the archive's own columns; ``jsonl`` and ``csv`` write the auction and
        the cards played as text.
    selection : the hand numbers wanted, by run; None for all.

    Raises
    ------
    NotationError
        There is no such format.
    """
    tables = _tables(runs, selection)
    if format == "iss":
        return _write_lines(target, tables)
    if format == "jsonl":
        return _write_json(target, tables)
    if format == "csv":
        return _write_csv(target, tables)
    if format == "parquet":
        count = 0
        with pq.ParquetWriter(target, SCHEMA, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table.cast(SCHEMA))
                count += table.num_rows
        return count
    raise NotationError(f"cannot write format {format!r}: one of {', '.join(EXPORT_FORMATS)}")


def _write_lines(target: BinaryIO, tables: Iterator[pa.Table]) -> int:
    count = 0
    for table in tables:
        _check_no_house_rules(table)
        for line in iss.write(table):
            target.write(line.encode("utf-8") + b"\n")
            count += 1
    return count


def _check_no_house_rules(table: pa.Table) -> None:
    """Server lines know the International Skat Order only: refuse what they would lose.

    A game under other rules is written where it is the same game under that order: it replays
    to the same entries.
    """
    is_other = pc.not_equal(table.column("ruleset").cast(pa.string()), ISKO.name)
    indices = np.flatnonzero(is_other.to_numpy(zero_copy_only=False))
    if not len(indices):
        return
    others = table.take(pa.array(indices))
    rows, calls = from_table(others)
    bare = rows.copy()
    bare["bock_factor"] = 1
    replayed, faults = replay_rows(bare, calls, ISKO)
    is_lost = (faults != 0) | (rows["contract"] == CONTRACTS.index("ramsch"))
    for name in ("score", "entry_factor", "game_value"):
        is_lost |= rows[name] != replayed[name]
    is_lost |= rows["house_flags"] != 0
    if is_lost.any():
        place = int(np.flatnonzero(is_lost)[0])
        game = others.slice(place, 1).select(["run", "hand_number", "ruleset"]).to_pylist()[0]
        raise NotationError(
            f"game {game['run']}:{game['hand_number']} cannot be a server line, which knows no "
            f"house rules: it was played by {game['ruleset']!r} with Ramsch, Kontra, Bock or other "
            "values: choose games with --where, or write jsonl or parquet"
        )


def _readable(table: pa.Table) -> pa.Table:
    """The table with the auction and the cards played as text."""
    calls = [auction_text(np.frombuffer(data, "<u2")) for data in table["calls"].to_pylist()]
    played = [_played_text(data) for data in table["played"].to_pylist()]
    for name, values in (("calls", calls), ("played", played)):
        column = pa.array(values, pa.string())
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _played_text(cards: bytes) -> str:
    names = (
        "??" if card == UNKNOWN_CARD else card_text(card) for card in cards if card != UNPLAYED
    )
    return " ".join(names)


def _write_json(target: BinaryIO, tables: Iterator[pa.Table]) -> int:
    count = 0
    for table in tables:
        for row in _readable(table).to_pylist():
            target.write(json.dumps(row, ensure_ascii=False, default=_json_value).encode() + b"\n")
            count += 1
    return count


def _json_value(value: Any) -> str:
    return str(value.isoformat())


def _write_csv(target: BinaryIO, tables: Iterator[pa.Table]) -> int:
    count = 0
    for table in tables:
        frame = pl.from_arrow(_readable(table))
        assert isinstance(frame, pl.DataFrame)
        text = frame.write_csv(include_header=count == 0, datetime_format="%Y-%m-%dT%H:%M:%SZ")
        target.write(text.encode("utf-8"))
        count += len(frame)
    return count
