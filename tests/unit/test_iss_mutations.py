"""Damaged server lines: every record is either read or rejected, and nothing raises."""

import bz2
import gzip
import io
import lzma
import random
from collections.abc import Callable

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from skatsim.formats import iss
from skatsim.formats.base import LONGEST_LINE, Block, Source

from .test_iss import HAND, HAND_RESULT, NULL_DEAL, record

GOOD = record(HAND, HAND_RESULT, ID="1")
PASSED = record(f"{NULL_DEAL} 1 p 2 p 0 p", "passed", ID="2")
CLAIMED = record(
    f"{NULL_DEAL} 1 18 0 p 2 p 1 s w ST.S9 1 G.C9.S9 0 C7 1 CA 2 HA 1 SC 0 RE 2 RE",
    "d:1 win v:192 m:0 bidok p:120 t:10 s:1 z:1 p0:0 p1:0 p2:0 l:-1 to:-1 r:1",
    ID="3",
)


def blocks(data: bytes) -> list[Block]:
    """A source of these bytes, read to its end."""
    return list(iss.read(Source.from_bytes(data, "f"), block_games=7))


def counts(data: bytes) -> tuple[int, int, int]:
    """Games, rejects and lines of noise."""
    read = blocks(data)
    return (
        sum(len(block) for block in read),
        sum(len(block.rejects) for block in read),
        sum(block.noise_count for block in read),
    )


def told(data: bytes) -> list[object]:
    """Everything that blocks say about their games."""
    [block] = iss.read(Source.from_bytes(data, "f"))
    return [block.rows.tobytes(), block.calls.tobytes(), block.imported]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n", "\r\n\r\n", "\n \n"])
@pytest.mark.parametrize("is_ended", [False, True])
def test_line_ends_change_nothing(end: str, is_ended: bool) -> None:
    lines = [GOOD, PASSED, CLAIMED]
    plain = "\n".join(lines).encode()
    other = end.join(lines).encode() + (end.encode() if is_ended else b"")
    assert told(other) == told(plain)


@pytest.mark.parametrize("size", range(1, 9))
def test_chunks_change_nothing(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\r\n".join([b"", GOOD.encode(), b"", b"\r\r", PASSED.encode()])
    expected = list(Source.from_bytes(data).lines())
    monkeypatch.setattr("skatsim.formats.base.CHUNK_BYTES", size)
    assert list(Source.from_bytes(data).lines()) == expected
    assert len(expected) == len(data.splitlines())


def test_a_byte_order_mark_is_no_part_of_the_first_record() -> None:
    data = f"{GOOD}\n{PASSED}\n".encode()
    assert told(b"\xef\xbb\xbf" + data) == told(data)


def test_bytes_that_are_no_utf8_stay_visible() -> None:
    data = GOOD.replace("P0[ann]", "P0[M\xfcller]").encode("latin-1")
    [block] = blocks(data + b"\n" + PASSED.encode())
    assert len(block) == 2
    assert block.recoded_count == 1
    assert block.imported.players[0][0] == r"M\xfcller"
    assert r"P0[M\xfcller]" in (block.imported.source_text[0] or "")


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress],
    ids=["gz", "bz2", "xz", "zst"],
)
def test_compressed_sources(pack: Callable[[bytes], bytes]) -> None:
    data = "\n".join([GOOD, PASSED, CLAIMED, ""]).encode()
    assert told(pack(data)) == told(data)
    assert counts(pack(data) + pack(data)) == (6, 0, 0)
    packed = pack(data * 50)
    games, rejects, _ = counts(packed[: len(packed) // 2])
    assert games < 150
    assert rejects in (1, 2)  # what is missing, and the record in which it begins


def test_damaged_compression_is_a_reject() -> None:
    packed = bytearray(gzip.compress("\n".join([GOOD] * 3000).encode()))
    packed[len(packed) // 2] ^= 255
    read = blocks(bytes(packed))
    assert "compressed data are damaged" in read[-1].rejects[-1].reason
    packed = bytearray(gzip.compress(GOOD.encode()))
    assert "end too early" in blocks(bytes(packed[:-9]))[-1].rejects[-1].reason


def test_a_source_without_line_ends() -> None:
    assert counts(GOOD.encode() * 5000) == (5000, 0, 0)
    games, rejects, noise = counts(b"x" * (3 * LONGEST_LINE) + b"\n" + GOOD.encode())
    assert (games, rejects) == (1, 0)
    assert noise >= 3


def test_utf16_is_named() -> None:
    with pytest.raises(ValueError, match="UTF-16"):
        blocks(GOOD.encode("utf-16"))


CARDS = [suit + rank for suit in "CSHD" for rank in "AKQJT987"]


@settings(max_examples=150)
@given(st.data())
def test_a_changed_card_is_found(data: st.DataObject) -> None:
    """Any other card in the deal or in the play is refused, or changes the result."""
    places = [
        at for at in range(GOOD.index("MV["), GOOD.index("R[d:")) if GOOD[at : at + 2] in CARDS
    ]
    at = data.draw(st.sampled_from(places))
    card = data.draw(st.sampled_from([card for card in CARDS if card != GOOD[at : at + 2]]))
    [block] = blocks((GOOD[:at] + card + GOOD[at + 2 :]).encode())
    assert len(block.rejects) == 1
    assert block.rejects[0].record_id == "1"


@settings(max_examples=300)
@given(st.data())
def test_one_changed_byte(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from([GOOD, PASSED, CLAIMED])).encode()
    at = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value not in (line[at], 10, 13)))
    changed = line[:at] + bytes([byte]) + line[at + 1 :]
    if changed.startswith(b"#"):
        return  # a comment
    games, rejects, noise = counts(b"\n".join([GOOD.encode(), changed, PASSED.encode()]))
    assert games + rejects == 3 or (games + rejects == 2 and noise >= 1)
    assert games >= 2


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=60), max_size=6), st.booleans())
def test_random_bytes_are_noise(pieces: list[bytes], is_spaced: bool) -> None:
    lines = [piece.replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"") for piece in pieces]
    data = (b"\n" if is_spaced else b"").join([b"\n", *lines, b"\n", GOOD.encode()])
    games, _, _ = counts(data)
    assert games >= 1


def test_pieces_of_records_in_any_order() -> None:
    rng = random.Random(5)
    for _ in range(300):
        pieces = []
        for _ in range(rng.randint(1, 5)):
            line = rng.choice([GOOD, PASSED, CLAIMED])
            start, end = sorted(rng.randint(0, len(line)) for _ in range(2))
            pieces.append(line[start:end])
        text = rng.choice(["", "\n", " "]).join(pieces)
        games, rejects, noise = counts(f"{text}\n{GOOD}".encode())
        assert games >= 1
        assert games + rejects + noise >= 2 or not text.strip()


def test_moves_that_are_shuffled_never_raise() -> None:
    rng = random.Random(6)
    words = HAND.split()
    for _ in range(300):
        some = words[:]
        for _ in range(rng.randint(1, 4)):
            first, second = rng.randrange(len(some)), rng.randrange(len(some))
            change = rng.randrange(4)
            if change == 0:
                some[first], some[second] = some[second], some[first]
            elif change == 1:
                del some[first]
            elif change == 2:
                some.insert(first, rng.choice(["RE", "SC", "w", "TI.1", "LE.0", "0", "y", "??"]))
            else:
                some[first] = some[second]
        games, rejects, noise = counts(record(" ".join(some), HAND_RESULT).encode())
        assert (games + rejects, noise) == (1, 0)


@pytest.mark.parametrize(
    "moves",
    ["0 " * 5000, "1 18 " * 40, "1 9999999999999999 0 y", f"{HAND} " + "0 CJ " * 100, "?" * 9000],
)
def test_extreme_moves_are_refused(moves: str) -> None:
    games, rejects, _ = counts(record(moves, HAND_RESULT).encode())
    assert (games, rejects) == (0, 1)


def test_lines_of_a_stream_that_cannot_seek() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.stream = io.BytesIO(data)

        def read(self, size: int = -1) -> bytes:  # type: ignore[override]
            return self.stream.read(min(size, 7))

    source = Source(name="pipe", size=None, _raw=Pipe(gzip.compress(GOOD.encode())))  # type: ignore[arg-type]
    [block] = iss.read(source)
    assert len(block) == 1
    assert np.count_nonzero(block.rows["is_won"]) == 1
