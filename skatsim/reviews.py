"""Reviews of a run: a table of their own beside the games, with a manifest.

``<archive>/<run>/review`` holds parts and ``manifest.json``, which alone decides what belongs
to it. A part covers a range of the run's games and has a row for each game with a declarer.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from skatsim import __version__
from skatsim.durable import file_damage, write_whole
from skatsim.errors import ArchiveError
from skatsim.location import file_names, is_file, read_bytes
from skatsim.manifest import MANIFEST, UNNAMED, UNREADABLE, from_json
from skatsim.records import NAME, Column, schema_of

__all__ = [
    "REVIEW_COLUMNS",
    "REVIEW_FOLDER",
    "REVIEW_SCHEMA",
    "ReviewManifest",
    "ReviewPart",
    "write_review_part",
]

REVIEW_FOLDER: Final = "review"
REVIEW_SCHEMA_VERSION: Final = 1


def _column(name: str, kind: pa.DataType, of: str, description: str) -> Column:
    return Column(name=name, type=kind, of=of, description=description)


REVIEW_COLUMNS: Final = (
    _column("run", NAME, "all", "name of the run"),
    _column("hand_number", pa.int64(), "all", "number of the game in its run"),
    _column("declarer_seat", pa.int8(), "all", "seat of the declarer"),
    _column("contract", NAME, "all", "the contract that was played"),
    _column("play_count", pa.int8(), "all", "cards played that are known, 0 to 30"),
    _column("trick_winners", pa.uint32(), "all", "winner of trick t (from 0) in bits 2t and 2t + 1; 3 where the trick was not completed"),
    _column("card_values", pa.binary(31), "all", "the declarer's card points in all under best play of both sides with all cards open, before each card and after the last, a byte each; 255 in null and beyond the end"),
    _column("won_bits", pa.uint32(), "all", "bit k is set if with best play on open cards the declarer wins from before card k + 1 on: by 61 card points, by 90 or all tricks where announced, in null without a trick"),
    _column("best_discard_mask", pa.uint32(), "discard", "the two cards best laid away in the contract that was played; null where it was not asked"),
    _column("best_discard_value", pa.int16(), "discard", "the declarer's card points after the best discard; null in null games"),
    _column("is_best_discard_won", pa.bool_(), "discard", "with the best discard best play wins"),
    _column("contract_score", pa.int32(), "contract", "the declarer's score in the contract played, with the best discard and best play, schwarz left out unless announced; null where it was not asked"),
    _column("is_contract_won", pa.bool_(), "contract", "the game is then won, overbidding counted"),
    _column("best_contract", NAME, "contract", "the contract that brings most, without announcements unless it is the one played"),
    _column("best_contract_score", pa.int32(), "contract", "the declarer's score there"),
    _column("is_best_contract_won", pa.bool_(), "contract", "the game is won there"),
)  # fmt: skip

REVIEW_SCHEMA: Final = schema_of(REVIEW_COLUMNS)

_DICTIONARY: Final = ["run", "declarer_seat", "contract", "play_count", "best_contract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPart:
    """One file of reviews.

    Attributes
    ----------
    first, hands : the games of the run that it covers.
    games : how many of them have a row.
    digest : sum of the digests of the games it covers, hex.
    has_discards, has_contracts : whether discards and contracts were reviewed too.
    """

    file: str
    first: int
    hands: int
    games: int
    bytes: int
    sha256: str
    digest: str
    has_discards: bool = False
    has_contracts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewManifest:
    """What has been reviewed of a run.

    ``run_created_at`` says of which state of the run: one that was overwritten since has no
    reviews.
    """

    run: str
    run_created_at: str
    created_at: str = ""
    updated_at: str = ""
    schema_version: int = REVIEW_SCHEMA_VERSION
    package_version: str = __version__
    parts: Sequence[ReviewPart] = ()

    @property
    def hands(self) -> int:
        """How many games of the run are covered."""
        return sum(part.hands for part in self.parts)

    @property
    def games(self) -> int:
        """How many games have a review."""
        return sum(part.games for part in self.parts)

    @property
    def bytes(self) -> int:
        """The size of all parts."""
        return sum(part.bytes for part in self.parts)

    @property
    def done(self) -> list[tuple[int, int]]:
        """The ranges of games that are covered: first game, and the one after the last."""
        ranges: list[tuple[int, int]] = []
        for part in sorted(self.parts, key=lambda entry: entry.first):
            if ranges and ranges[-1][1] == part.first:
                ranges[-1] = (ranges[-1][0], part.first + part.hands)
            else:
                ranges.append((part.first, part.first + part.hands))
        return ranges

    def to_json(self) -> str:
        """The text of the file, with the columns and the totals."""
        content = dataclasses.asdict(self)
        parts = content.pop("parts")
        columns = {
            column.name: {"type": str(column.type), "description": column.description}
            for column in REVIEW_COLUMNS
        }
        totals = {"hands": self.hands, "games": self.games, "bytes": self.bytes, "done": self.done}
        return json.dumps(
            {**content, **totals, "columns": columns, "parts": parts}, indent=1, ensure_ascii=False
        )

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The manifest of the reviews in a run's folder; None without.

        Raises
        ------
        ArchiveError
            It cannot be read.
        """
        path = folder / REVIEW_FOLDER / MANIFEST
        if not is_file(path):
            return None
        try:
            manifest = from_json(cls, ReviewPart, read_bytes(path).decode("utf-8"))
        except UNREADABLE as error:
            raise ArchiveError(
                f"cannot read {str(path)!r}: {error}: make the reviews anew with "
                f"'skatsim review --run {folder.name} --overwrite'"
            ) from error
        if manifest.schema_version > REVIEW_SCHEMA_VERSION:
            raise ArchiveError(
                f"the reviews of run {manifest.run!r} were written by skatsim "
                f"{manifest.package_version}: update skatsim to read them"
            )
        return manifest

    def write(self, folder: Path) -> None:
        """Make this the manifest of the reviews in a run's folder."""
        write_whole(folder / REVIEW_FOLDER / MANIFEST, self.to_json().encode())

    def faults(self, folder: Path) -> Iterator[tuple[str, str]]:
        """What is wrong with the files: name and reason of each."""
        known = {part.file for part in self.parts}
        for name in file_names(folder / REVIEW_FOLDER, "*.parquet"):
            if name not in known:
                yield name, UNNAMED
        for part in self.parts:
            damage = file_damage(folder / REVIEW_FOLDER / part.file, part.bytes, part.sha256)
            if damage:
                yield part.file, damage


def write_review_part(path: Path, table: pa.Table, **facts: Any) -> ReviewPart:
    """Write a table of `REVIEW_SCHEMA`, durable before it is visible; `facts` go into its part."""
    buffer = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(
            {
                "schema_version": str(REVIEW_SCHEMA_VERSION),
                "package_version": __version__,
            }
        ),
        buffer,
        compression="zstd",
        compression_level=3,
        use_dictionary=_DICTIONARY,
        column_encoding={"hand_number": "DELTA_BINARY_PACKED"},
    )
    content = memoryview(buffer.getvalue())
    write_whole(path, content)
    return ReviewPart(
        file=path.name,
        games=table.num_rows,
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        **facts,
    )
