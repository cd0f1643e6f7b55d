"""The columns of a game: name, type, meaning; and blocks of games as Arrow tables.

`COLUMNS` is the one definition. The archive writes it, the table in ``data/README.md`` is
made from it, the views of ``reports/views`` decode it. Null means "does not apply".
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from skatsim.cards import SEATS
from skatsim.events import END_REASONS
from skatsim.kernels.columns import GAME
from skatsim.scoring import AWARDS

__all__ = [
    "AWARDS",
    "COLUMNS",
    "CONTRACTS",
    "END_REASONS",
    "FLAGS",
    "OLDEST_SCHEMA",
    "RULES_VERSION",
    "SCHEMA",
    "SCHEMA_VERSION",
    "STATUSES",
    "STORED_SCHEMA",
    "UPGRADE_NEEDS",
    "Column",
    "Games",
    "Imported",
    "Seating",
    "counted",
    "from_table",
    "pack_flags",
    "schema_of",
    "stored_names",
    "to_table",
    "unpack_flags",
    "upgraded",
]

SCHEMA_VERSION: Final = 4
"""Rises with every change of `STORED_SCHEMA`."""

OLDEST_SCHEMA: Final = 2
"""The oldest schema whose parts can still be read: `upgraded` makes the columns they lack."""

RULES_VERSION: Final = 1
"""Rises only when some deal could now be bid, played or scored otherwise."""

CONTRACTS: Final = ("diamonds", "hearts", "spades", "clubs", "grand", "null", "ramsch")
"""Names of the contracts by their number in the kernels."""

STATUSES: Final = (
    "simulated",
    "verified",
    "verified_with_policy",
    "inferred_end",
    "aborted",
    "passed",
    "partial_view",
    "result_only",
)
"""Every status but ``result_mismatch:<class>``, whose classes are free."""

_UNCOUNTED: Final = ("aborted", "passed", "partial_view", "result_only")
"""Statuses of games that no rate counts, though somebody may have declared."""

NAME = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the archive.

    `of` says for which games the value exists (all others have null): ``all``, ``declared``
    (somebody is declarer and named a contract), ``named`` (a contract was played, Ramsch
    too), ``ramsch``, ``house`` (where it is not the default), ``trumps`` (suit and grand), ``auction`` (the
    auction ended with a declarer), ``discard`` (skat games), ``known`` (where known).
    `flag` is the bit of a yes or no in the stored column `flags`, which holds all of them: eleven
    columns of their own would cost a quarter of the time of writing.
    """

    name: str
    type: pa.DataType
    of: str
    description: str
    flag: int | None = None


def _column(
    name: str, kind: pa.DataType, of: str, description: str, flag: int | None = None
) -> Column:
    return Column(name=name, type=kind, of=of, description=description, flag=flag)


COLUMNS: Final = (
    _column("run", NAME, "all", "name of the run, unique in the archive"),
    _column("hand_number", pa.int64(), "all", "number of the game in its run, from 0"),
    _column("source", NAME, "all", "where the game comes from: `simulator`, `iss`, ..."),
    _column("ruleset", NAME, "all", "name of the ruleset the game is scored by"),
    _column("server", NAME, "known", "server or program that recorded the game"),
    _column("server_id", pa.string(), "known", "id of the game there"),
    _column("series_id", pa.string(), "known", "series or sitting the game belongs to"),
    _column("played_at", pa.timestamp("us", tz="UTC"), "known", "when the game ended"),
    _column("forehand_player", NAME, "known", "player or policy at forehand"),
    _column("middlehand_player", NAME, "known", "player or policy at middlehand"),
    _column("rearhand_player", NAME, "known", "player or policy at rearhand"),
    _column("dealer_player", NAME, "known", "player who deals and sits out, at a table of four"),
    _column("table_size", pa.int8(), "known", "players at the table, 3 or 4"),
    _column("dealer_seat", pa.int8(), "known", "seat of the dealer; null when he sits out"),
    _column("status", NAME, "all", "how far the record is trusted"),
    _column("end_reason", NAME, "all", "how the game ended"),
    _column("award", NAME, "all", "`declarer`: the tricks not played were credited to the declarer; `conceded`: the declarer gave up; `granted`: the defenders did; `defenders`: the tricks not played were credited to the defenders; else `none`"),
    _column("forehand_mask", pa.uint32(), "all", "forehand's ten cards as dealt; bit 8 * suit + rank, suits D H S C, ranks 7 8 9 Q K T A J"),
    _column("middlehand_mask", pa.uint32(), "all", "middlehand's ten cards as dealt"),
    _column("rearhand_mask", pa.uint32(), "all", "rearhand's ten cards as dealt"),
    _column("skat_mask", pa.uint32(), "all", "the skat as dealt"),
    _column("calls", pa.binary(), "all", "the auction, two bytes a call, low byte first: 0 pass, 1 hold, 2 play, else the value bid; empty where it is not known"),
    _column("bid_value", pa.int16(), "auction", "last value bid, which the declarer has to reach"),
    _column("declarer_seat", pa.int8(), "auction", "seat of the declarer: 0 forehand, 1 middlehand, 2 rearhand"),
    _column("contract", NAME, "named", "the contract"),
    _column("is_skat_taken", pa.bool_(), "auction", "the declarer looked at the skat", 0),
    _column("is_hand", pa.bool_(), "declared", "hand was announced", 1),
    _column("is_schneider_announced", pa.bool_(), "declared", "schneider was announced, by itself or with schwarz", 2),
    _column("is_schwarz_announced", pa.bool_(), "declared", "schwarz was announced, by itself or with ouvert", 3),
    _column("is_ouvert", pa.bool_(), "declared", "ouvert was announced", 4),
    _column("discard_mask", pa.uint32(), "discard", "the two cards laid away"),
    _column("played", pa.binary(30), "all", "the cards in the order played, a byte each; 255 not played, 254 played but not known"),
    _column("play_count", pa.int8(), "all", "cards played, 0 to 30"),
    _column("trick_winners", pa.uint32(), "all", "winner of trick t (from 0) in bits 2t and 2t + 1; 3 where the trick was not completed"),
    _column("matadors", pa.int8(), "trumps", "matadors over hand and skat, with > 0, without < 0"),
    _column("hand_matadors", pa.int8(), "trumps", "matadors of the declarer's ten cards as dealt"),
    _column("multiplier", pa.int8(), "trumps", "|matadors| + level"),
    _column("game_value", pa.int16(), "declared", "base value * multiplier after play; null has fixed values"),
    _column("declarer_card_points", pa.int16(), "declared", "card points of the declarer, skat or discard included"),
    _column("declarer_trick_count", pa.int8(), "declared", "tricks of the declarer"),
    _column("charged_value", pa.int16(), "declared", "value entered before doubling: raised to the bid when overbid"),
    _column("is_schneider", pa.bool_(), "trumps", "one side has 90 card points or more", 5),
    _column("is_schwarz", pa.bool_(), "trumps", "one side has no trick", 6),
    _column("is_overbid_before_play", pa.bool_(), "declared", "the value with the announced levels, schneider and schwarz made in play left out, is below the bid", 7),
    _column("is_overbid", pa.bool_(), "declared", "the value after play is below the bid", 8),
    _column("is_won", pa.bool_(), "declared", "the declarer won", 9),
    _column("is_counted", pa.bool_(), "all", "rates count the game: somebody declared, it was played out or adjudged, and all of it is known", 10),
    _column("entry_factor", pa.int16(), "all", "product of Kontra, Bock and the like; 1 without"),
    _column("bock_factor", pa.int16(), "house", "factor of the Bock rounds the deal belongs to; null for 1"),
    _column("kontra_count", pa.int8(), "house", "doublings said: 1 Kontra, 2 and Re, 3 and a third, 4 and a fourth; null without"),
    _column("kontra_seat", pa.int8(), "kontra", "seat that said Kontra"),
    _column("house_flags", pa.uint8(), "house", "sum of 1 Spitze announced, 4 Revolution, 8 given up and refused, 16 given up and accepted, 32 round of Ramsch; null without"),
    _column("knocks", pa.uint8(), "house", "seats that knocked in Ramsch: sum of 1 forehand, 2 middlehand, 4 rearhand; null without"),
    _column("unseen_pushes", pa.int8(), "house", "how often the skat of a Ramsch was pushed on unseen; null without"),
    _column("forehand_push_mask", pa.uint32(), "house", "the two cards forehand pushed on before a Ramsch; null where none"),
    _column("middlehand_push_mask", pa.uint32(), "house", "the two cards middlehand pushed on"),
    _column("rearhand_push_mask", pa.uint32(), "house", "the two cards rearhand pushed on"),
    _column("resort_mask", pa.uint32(), "house", "cards of the first defender after the defenders shared out theirs anew (Revolution)"),
    _column("forehand_entry", pa.int32(), "ramsch", "what forehand enters for a Ramsch"),
    _column("middlehand_entry", pa.int32(), "ramsch", "what middlehand enters for a Ramsch"),
    _column("rearhand_entry", pa.int32(), "ramsch", "what rearhand enters for a Ramsch"),
    _column("score", pa.int32(), "all", "the declarer's entry in the plain list; 0 when passed in or aborted"),
    _column("recorded_score", pa.int32(), "known", "score that an imported record states"),
    _column("recorded_card_points", pa.int16(), "known", "declarer's card points that an imported record states"),
    _column("source_text", pa.string(), "known", "the record as imported"),
    _column("fault", pa.string(), "known", "what a policy did wrong that ended the game, and what would have been legal"),
)  # fmt: skip


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """The columns as an Arrow schema; a column of all games has no nulls."""
    return pa.schema(
        [
            pa.field(
                column.name,
                column.type,
                nullable=column.of != "all",
                metadata={"description": column.description, "of": column.of},
            )
            for column in columns
        ]
    )


SCHEMA: Final = schema_of(COLUMNS)

FLAGS: Final = {column.name: column.flag for column in COLUMNS if column.flag is not None}
"""The yes-or-no columns with their bit in the stored column `flags`."""

_FLAGS_FIELD: Final = pa.field(
    "flags",
    pa.uint16(),
    nullable=False,
    metadata={
        "description": ", ".join(f"{1 << bit} {name}" for name, bit in FLAGS.items()),
        "of": "all",
    },
)

STORED_SCHEMA: Final = pa.schema(
    [field for field in SCHEMA if field.name not in FLAGS] + [_FLAGS_FIELD]
)
"""What the parts hold: `SCHEMA` with the yes-or-no columns as bits of `flags`."""

_TELLS: Final = {"auction": "declarer_seat", "declared": "game_value", "trumps": "matadors"}
"""The column whose nulls are those of a group."""

_CODES: Final = {"contract": CONTRACTS, "end_reason": END_REASONS, "award": AWARDS}

_DEFAULTS: Final = {"contract": -1, "declarer_seat": -1}
"""What kernels are given for null, where it is not 0."""

_GROUPS: Final = {column.name: column.of for column in COLUMNS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a recorded game says beside its cards; lists as long as the block, None for null."""

    server: Sequence[str | None]
    server_id: Sequence[str | None]
    series_id: Sequence[str | None]
    played_at: Sequence[Any]
    players: tuple[Sequence[str | None], Sequence[str | None], Sequence[str | None]]
    table_size: Sequence[int | None]
    status: Sequence[str]
    recorded_score: Sequence[int | None]
    recorded_card_points: Sequence[int | None]
    source_text: Sequence[str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """Who sits where in the games of a block of series.

    Attributes
    ----------
    names : the players of the table, in the order of the deal.
    seats : int64, shape (n, 4): the players at forehand, middlehand, rearhand, and the dealer.
    series : int64, shape (n,): the number of each game's series, from 0.
    """

    names: tuple[str, ...]
    seats: np.ndarray
    series: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """A block of games: records of dtype `GAME`, their calls, and where they come from.

    Attributes
    ----------
    rows : structured array of shape (n,), dtype `skatsim.kernels.columns.GAME`.
    calls : uint16 array; those of row i end at ``rows[i]["call_end"]``.
    first : hand number of the first row; the others follow.
    players : names by seat, the same for the whole block (simulated games).
    series : who sits where in each game, where series are played (simulated games).
    imported : what the records say beside; None for simulated games.
    faults : by row, what a policy did wrong that ended the game (simulated games).
    """

    run: str
    source: str
    ruleset: str
    rows: np.ndarray
    calls: np.ndarray
    first: int = 0
    players: tuple[str | None, str | None, str | None] = (None, None, None)
    series: "Seating | None" = None
    imported: Imported | None = None
    faults: Mapping[int, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of games."""
        return len(self.rows)


@functools.lru_cache(maxsize=64)
def _constant(value: str | None, count: int) -> pa.Array:
    """A column of one name; blocks are of the same size again and again."""
    if value is None:
        return pa.nulls(count, NAME)
    return pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(count, dtype=np.int32)), pa.array([value], pa.string())
    )


@functools.lru_cache(maxsize=64)
def _nulls(name: str, count: int) -> pa.Array:
    return pa.nulls(count, SCHEMA.field(name).type)


def _names(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode().cast(NAME)


def _bitmap(flags: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _packed_flags(rows: np.ndarray) -> np.ndarray:
    """The yes-or-no fields of rows as bits of a number (uint16): they lie side by side."""
    fields = rows.dtype.fields
    assert fields is not None
    first = fields["is_skat_taken"][1]
    bits = np.ndarray(
        (len(rows), sum(name in fields for name in FLAGS)),
        dtype=np.uint8,
        buffer=rows,
        offset=first,
        strides=(rows.dtype.itemsize, 1),
    )
    return np.packbits(bits, axis=1, bitorder="little").view("<u2")[:, 0].astype(np.uint16)


def to_table(games: Games) -> pa.Table:
    """The block as an Arrow table of `STORED_SCHEMA`."""
    rows = games.rows
    count = len(rows)
    is_named = rows["contract"] >= 0
    is_declared = is_named & (rows["declarer_seat"] >= 0)
    is_trumps = is_declared & (rows["contract"] != CONTRACTS.index("null"))
    valid = {
        "all": np.ones(count, dtype=bool),
        "auction": rows["declarer_seat"] >= 0,
        "named": is_named,
        "declared": is_declared,
        "ramsch": is_named & (rows["declarer_seat"] < 0),
        "kontra": rows["kontra_count"] > 0,
        "trumps": is_trumps & (rows["contract"] < CONTRACTS.index("null")),
        "discard": rows["discard_mask"] != 0,
    }
    masks = {
        of: None if of == "all" or flags.all() else _bitmap(flags) for of, flags in valid.items()
    }
    missing = {of: int(count - np.count_nonzero(flags)) for of, flags in valid.items()}

    def numbers(name: str, kind: pa.DataType) -> pa.Array:
        of = _GROUPS[name]
        if of == "house":
            flags = rows[name] != 0
            missing[of] = int(count - np.count_nonzero(flags))
            masks[of] = _bitmap(flags) if missing[of] < count else None
        if count and missing[of] == count:
            return _nulls(name, count)
        values = np.ascontiguousarray(rows[name])
        return pa.Array.from_buffers(kind, count, [masks[of], pa.py_buffer(values)], missing[of])

    def codes(name: str) -> pa.Array:
        of = _GROUPS[name]
        indices = pa.Array.from_buffers(
            pa.int32(),
            count,
            [masks[of], pa.py_buffer(rows[name].astype(np.int32))],
            missing[of],
        )
        return pa.DictionaryArray.from_arrays(indices, pa.array(_CODES[name], pa.string()))

    offsets = np.zeros(count + 1, dtype=np.int32)
    offsets[1:] = rows["call_end"]
    offsets *= 2
    calls = np.ascontiguousarray(games.calls, dtype="<u2")
    arrays: dict[str, pa.Array] = {
        "run": _constant(games.run, count),
        "hand_number": pa.array(np.arange(games.first, games.first + count, dtype=np.int64)),
        "source": _constant(games.source, count),
        "ruleset": _constant(games.ruleset, count),
        "calls": pa.Array.from_buffers(
            pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(calls)]
        ),
        "played": pa.Array.from_buffers(
            pa.binary(30), count, [None, pa.py_buffer(np.ascontiguousarray(rows["played"]))]
        ),
        **(_imported(games.imported) if games.imported else _simulated(games)),
    }
    is_counted = is_declared & _is_played(arrays["status"])
    arrays["flags"] = pa.array(
        _packed_flags(rows) | is_counted.astype(np.uint16) << FLAGS["is_counted"]
    )
    for column in COLUMNS:
        if column.name in arrays or column.flag is not None:
            continue
        arrays[column.name] = (
            codes(column.name) if column.name in _CODES else numbers(column.name, column.type)
        )
    return pa.Table.from_arrays(
        [arrays[name] for name in STORED_SCHEMA.names], schema=STORED_SCHEMA
    )


def _is_played(status: pa.Array) -> np.ndarray:
    """Whether games of these statuses (a dictionary of names) may be counted."""
    codes = status.dictionary.to_pylist()
    is_played = np.array([code not in _UNCOUNTED for code in codes], dtype=bool)
    return np.asarray(is_played[status.indices.to_numpy()])


def counted(table: pa.Table) -> np.ndarray:
    """`is_counted` of the games of a table that has their `status` and `game_value`."""
    table = table.combine_chunks()
    is_declared = np.asarray(table.column("game_value").is_valid().to_numpy())
    status = table.column("status")
    return is_declared & _is_played(status.chunk(0)) if len(status) else is_declared


def stored_names(names: Sequence[str]) -> list[str]:
    """The stored columns that columns of `SCHEMA` are made from."""
    found = dict.fromkeys(name for name in names if name not in FLAGS)
    for name in names:
        if name in FLAGS:
            found |= dict.fromkeys(("flags", _TELLS.get(_GROUPS[name], "flags")))
    return list(found)


def unpack_flags(table: pa.Table, names: Sequence[str] = SCHEMA.names) -> pa.Table:
    """Columns of `SCHEMA` from a table with their stored columns."""
    table = table.combine_chunks()
    columns = {}
    for name in names:
        if name not in FLAGS:
            columns[name] = table.column(name).cast(SCHEMA.field(name).type)
            continue
        values = (table.column("flags").to_numpy() >> FLAGS[name]) & 1
        tell = _TELLS.get(_GROUPS[name])
        missing = table.column(tell).is_null().to_numpy() if tell else None
        columns[name] = pa.array(values.astype(bool), pa.bool_(), mask=missing)
    schema = pa.schema([SCHEMA.field(name) for name in names])
    return pa.Table.from_arrays(list(columns.values()), schema=schema)


def pack_flags(table: pa.Table) -> pa.Table:
    """A table of `SCHEMA` as one of `STORED_SCHEMA`."""
    flags = np.zeros(table.num_rows, dtype=np.uint16)
    for name, bit in FLAGS.items():
        values = table.column(name).combine_chunks().fill_null(False)
        flags |= values.to_numpy(zero_copy_only=False).astype(np.uint16) << bit
    columns = {name: table.column(name) for name in STORED_SCHEMA.names if name != "flags"}
    return pa.Table.from_arrays([*columns.values(), pa.array(flags)], schema=STORED_SCHEMA)


def _simulated(games: Games) -> dict[str, pa.Array]:
    count = len(games)
    return {
        **_seated(games),
        **_judged(games),
        **{
            name: _nulls(name, count)
            for name in (
                "server",
                "server_id",
                "played_at",
                "recorded_score",
                "recorded_card_points",
                "source_text",
            )
        },
    }


def _judged(games: Games) -> dict[str, pa.Array]:
    """Which games count, and why others do not."""
    count = len(games)
    if not games.faults:
        return {"status": _constant("simulated", count), "fault": _nulls("fault", count)}
    reasons = [games.faults.get(row) for row in range(count)]
    return {
        "status": _names(["simulated" if reason is None else "aborted" for reason in reasons]),
        "fault": pa.array(reasons, pa.string()),
    }


def _seated(games: Games) -> dict[str, pa.Array]:
    """Who plays, and at what table."""
    count = len(games)
    if games.series is None:
        return {
            **{
                f"{seat}_player": _constant(name, count)
                for seat, name in zip(SEATS, games.players, strict=True)
            },
            "dealer_player": _nulls("dealer_player", count),
            "table_size": pa.array(np.full(count, 3, dtype=np.int8)),
            "dealer_seat": pa.array(np.full(count, 2, dtype=np.int8)),
            "series_id": _nulls("series_id", count),
        }
    seating = games.series
    names = pa.array(seating.names, pa.string())
    size = len(seating.names)

    def players(place: int) -> pa.Array:
        indices = pa.array(seating.seats[:, place].astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, names)

    is_sitting = size == 4
    return {
        **{f"{seat}_player": players(place) for place, seat in enumerate(SEATS)},
        "dealer_player": players(3) if is_sitting else _nulls("dealer_player", count),
        "table_size": pa.array(np.full(count, size, dtype=np.int8)),
        "dealer_seat": _nulls("dealer_seat", count)
        if is_sitting
        else pa.array(np.full(count, 2, dtype=np.int8)),
        "series_id": pa.array(seating.series).cast(pa.string()),
    }


def _imported(imported: Imported) -> dict[str, pa.Array]:
    plain = ("server_id", "series_id", "played_at", "table_size", "recorded_score",
             "recorded_card_points", "source_text")  # fmt: skip
    forehand, middlehand, rearhand = imported.players
    return {
        "server": _names(imported.server),
        "status": _names(imported.status),
        "forehand_player": _names(forehand),
        "middlehand_player": _names(middlehand),
        "rearhand_player": _names(rearhand),
        "dealer_seat": pa.array(
            [2 if size == 3 else None for size in imported.table_size], pa.int8()
        ),
        "dealer_player": _nulls("dealer_player", len(imported.status)),
        "fault": _nulls("fault", len(imported.status)),
        **{name: pa.array(getattr(imported, name), SCHEMA.field(name).type) for name in plain},
    }


def _code_numbers(name: str, array: pa.DictionaryArray) -> np.ndarray:
    """Numbers in the kernels of the names in a column."""
    known = array.dictionary.to_pylist()
    numbers = [_CODES[name].index(text) for text in known] + [_DEFAULTS.get(name, 0)]
    indices = array.indices.fill_null(len(known))
    return np.asarray(np.array(numbers, dtype=np.int8)[np.asarray(indices)])


def from_table(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """The rows (dtype `GAME`) and calls of a table of `SCHEMA` or `STORED_SCHEMA`.

    They are what the kernels work on. Columns of later schemas may be missing; they are null
    then.
    """
    count = table.num_rows
    rows = np.zeros(count, dtype=GAME)
    table = table.combine_chunks()
    flags = table.column("flags").to_numpy() if "flags" in table.column_names else None
    for name in GAME.names or ():
        if name in ("played", "call_end"):
            continue
        if flags is not None and name in FLAGS:
            rows[name] = (flags >> FLAGS[name]) & 1
            continue
        if name not in table.column_names:
            rows[name] = _DEFAULTS.get(name, 0)
            continue
        column = table.column(name)
        array = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        missing = _DEFAULTS.get(name, 0)
        if name in _CODES:
            rows[name] = _code_numbers(name, array)
        else:
            filled = array.fill_null(False if pa.types.is_boolean(array.type) else missing)
            rows[name] = filled.to_numpy(zero_copy_only=False)
    played = table.column("played")
    if count:
        block = played.chunk(0)
        data = np.frombuffer(block.buffers()[1], dtype=np.uint8)
        start = block.offset * 30
        rows["played"] = data[start : start + 30 * count].reshape(count, 30)
        block = table.column("calls").chunk(0)
        offsets = np.frombuffer(block.buffers()[1], dtype=np.int32)[
            block.offset : block.offset + count + 1
        ]
        rows["call_end"] = (offsets[1:] - offsets[0]) // 2
        text = block.buffers()[2]
        calls = np.frombuffer(text if text is not None else b"", dtype=np.uint8)
        calls = calls[offsets[0] : offsets[-1]].copy().view("<u2").astype(np.uint16)
    else:
        calls = np.zeros(0, dtype=np.uint16)
    return rows, calls


UPGRADE_NEEDS: Final = (
    "status", "game_value", "contract", "declarer_seat", *(f"{seat}_mask" for seat in SEATS), "flags",
)  # fmt: skip
"""Columns of every schema, of which `upgraded` makes those of later ones."""


def upgraded(table: pa.Table, names: Sequence[str], max_matadors: int) -> pa.Table:
    """Columns `names` of a stored table of an older schema.

    Columns that it lacks are made of what it has (`UPGRADE_NEEDS`) or are null: house rules,
    faults of policies.
    """
    count = table.num_rows
    made = {}
    if "hand_matadors" in names:
        made["hand_matadors"] = _hand_matadors(table, max_matadors)
    if "flags" in names:
        flags = table.column("flags").to_numpy()
        made["flags"] = pa.array(flags | counted(table).astype(np.uint16) << FLAGS["is_counted"])
    fields = [STORED_SCHEMA.field(name) for name in names]
    return pa.table(
        {
            field.name: made.get(
                field.name,
                table.column(field.name)
                if field.name in table.column_names
                else pa.nulls(count, field.type),
            )
            for field in fields
        },
        schema=pa.schema(fields),
    )


def _hand_matadors(table: pa.Table, max_matadors: int) -> pa.Array:
    from skatsim.kernels.rules import matadors_of_hands  # loads kernels, for old parts only

    count = table.num_rows
    table = table.combine_chunks()
    contracts = np.full(count, _DEFAULTS["contract"], dtype=np.int64)
    if count:
        contracts[:] = _code_numbers("contract", table.column("contract").chunk(0))
    seats = table.column("declarer_seat").fill_null(-1).to_numpy()
    contracts[seats < 0] = -1
    masks = np.stack([table.column(f"{seat}_mask").to_numpy() for seat in SEATS])
    hands = masks[np.maximum(seats, 0), np.arange(count)].astype(np.int64)
    signed_matadors = np.zeros(count, dtype=np.int64)
    matadors_of_hands(hands, contracts, max_matadors, signed_matadors)
    return pa.array(signed_matadors.astype(np.int8), mask=signed_matadors == 0)
