"""Server lines: reading, statuses, writing."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from skatsim.errors import NotationError, RecordError
from skatsim.formats import iss
from skatsim.formats.base import Block, Reject, Source
from skatsim.formats.iss_frame import parse_properties
from skatsim.formats.iss_grammar import parse_date, parse_moves, parse_result
from skatsim.formats.iss_write import line as write_line
from skatsim.formats.series import TableSizes
from skatsim.game import Game
from skatsim.kernels.rules import AWARD_DECLARER, AWARD_GRANTED
from skatsim.records import END_REASONS

from ..strategies import games

# A deal in which forehand holds the four jacks and clubs, spades; middlehand hearts; rearhand
# diamonds; the skat CQ SQ.
DEAL = (
    "CJ.SJ.HJ.DJ.CA.CT.CK.SA.ST.SK.HA.HT.HK.HQ.H9.H8.H7.S9.S8.S7."
    "DA.DT.DK.DQ.D9.D8.D7.C9.C8.C7.CQ.SQ"
)
FOREHAND = "1 p 2 p 0 18"
NULL_DEAL = (
    "C7.C8.S7.S8.H7.H8.D7.D8.H9.D9.CA.CK.CQ.CJ.CT.C9.SA.SK.SQ.SJ."
    "HA.HT.HK.HQ.HJ.DA.DT.DK.DQ.DJ.ST.S9"
)
TRICKS = (
    "0 CJ 1 S7 2 C7 0 SJ 1 S8 2 C8 0 HJ 1 H7 2 C9 0 DJ 1 H8 2 D7 0 CA 1 H9 2 D8 0 CT 1 HQ 2 D9 "
    "0 CK 1 HK 2 DQ 0 SA 1 S9 2 DK 0 ST 1 HT 2 DT 0 SK 1 HA 2 DA"
)
WON = "d:0 win v:{} m:{} bidok p:{} t:{} s:{} z:{} p0:0 p1:0 p2:0 l:-1 to:-1 r:{}"


def record(moves: str, result: str | None, *, more: str = "", **fields: str) -> str:
    """A line around moves."""
    values = {"PC": "test", "CO": "", "SE": "5", "ID": "77", "DT": "2020-01-02/03:04:05/UTC"}
    values |= {"P0": "ann", "P1": "bob", "P2": "cid", "R0": "", "R1": "null", "R2": "12.5"}
    values |= fields
    head = "".join(f"{key}[{value}]" for key, value in values.items())
    tail = "" if result is None else f"R[{result}]"
    return f"(;GM[Skat]{head}{more}MV[w {moves} ]{tail} ;)"


def read(*lines: str, data: bytes | None = None) -> Block:
    """The lines as one block."""
    source = Source.from_bytes("\n".join(lines).encode() if data is None else data, "games.sgf")
    [block] = iss.read(source)
    return block


def status(line: str) -> str:
    """The status of one good line."""
    block = read(line)
    assert [str(reject) for reject in block.rejects] == []
    return block.imported.status[0]


def reason(line: str) -> str:
    """Why one line is rejected."""
    block = read(line)
    assert len(block) == 0
    [reject] = block.rejects
    return reject.reason


HAND = f"{DEAL} {FOREHAND} 0 CH {TRICKS}"
"""With 8, game 9, hand 10, schneider 11, schwarz 12, times clubs 12 = 144."""
HAND_RESULT = WON.format(144, 8, 120, 10, 1, 1, 0)


# The corpus -------------------------------------------------------------------------------


def test_every_sample_has_its_status_and_scores(corpus: Path) -> None:
    path = corpus / "records" / "iss-samples.sgf"
    expected_path = corpus / "records" / "iss-samples.expected.csv"
    with expected_path.open(encoding="utf-8", newline="") as file:
        expected = {int(entry["file_line"]): entry for entry in csv.DictReader(file)}
    with Source.open(path) as source:
        [block] = iss.read(source)
    assert not block.rejects
    assert list(block.lines) == sorted(expected)
    for place, number in enumerate(block.lines):
        entry, row, told = expected[number], block.rows[place], block.imported
        recorded = told.recorded_score[place]
        assert (told.server[place], told.server_id[place]) == (entry["server"], entry["id"])
        assert str(row["score"]) == entry["recomputed_score"]
        assert ("" if recorded is None else str(recorded)) == entry["recorded_score"]
        assert END_REASONS[row["end_reason"]] == entry["end_reason"]
        if entry["status"] != "duplicate":
            assert told.status[place] == entry["status"], number


def test_games_of_the_client_replay(corpus: Path) -> None:
    with Source.open(corpus / "records" / "iss-client-random.sgf") as source:
        blocks = list(iss.read(source))
    assert sum(len(block) for block in blocks) == 3000
    for block in blocks:
        for row, name in zip(block.rows, block.imported.status, strict=True):
            is_lost_announced = row["is_schneider_announced"] and not row["is_won"]
            assert name in ("verified", "passed", "result_mismatch:announced_level")
            assert is_lost_announced or name != "result_mismatch:announced_level"


def test_samples_written_anew_replay_to_the_same_games(corpus: Path) -> None:
    with Source.open(corpus / "records" / "iss-samples.sgf") as source:
        [block] = iss.read(source)
    ends = [0, *(int(end) for end in block.rows["call_end"])]
    texts = [
        write_line(row, block.calls[ends[place] : ends[place + 1]])
        for place, row in enumerate(block.rows)
    ]
    again = read(*texts)
    assert not again.rejects
    assert np.array_equal(again.rows, block.rows)
    assert np.array_equal(again.calls, block.calls)
    assert not any(name.startswith("result_mismatch") for name in again.imported.status)


# Values and fields ------------------------------------------------------------------------


def test_a_hand_game_is_verified() -> None:
    block = read(record(HAND, HAND_RESULT))
    assert block.imported.status == ["verified"]
    row = block.rows[0]
    assert (row["score"], row["matadors"], row["is_hand"], row["is_skat_taken"]) == (144, 8, 1, 0)
    assert block.imported.players == (["ann"], ["bob"], ["cid"])
    assert block.imported.played_at == [1577934245000000]


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        ("CH", (1, 0, 0, 0)),
        ("CHS", (1, 1, 0, 0)),
        ("CHZ", (1, 1, 1, 0)),
        ("CHSZ", (1, 1, 1, 0)),
        ("CO", (1, 1, 1, 1)),
        ("CHO", (1, 1, 1, 1)),
        ("CHOSZ", (1, 1, 1, 1)),
        ("CO." + ".".join(DEAL.split(".")[:10]), (1, 1, 1, 1)),
    ],
)
def test_announcements_and_what_they_imply(code: str, flags: tuple[int, ...]) -> None:
    level = 1 + flags[0] + 1 + flags[1] + 1 + flags[2] + flags[3]
    result = WON.format(12 * (8 + level), 8, 120, 10, 1, 1, 0)
    block = read(record(f"{DEAL} {FOREHAND} 0 {code} {TRICKS}", result))
    assert block.imported.status == ["verified"]
    row = block.rows[0]
    names = ("is_hand", "is_schneider_announced", "is_schwarz_announced", "is_ouvert")
    assert tuple(row[name] for name in names) == flags


@pytest.mark.parametrize(("code", "value"), [("N", 23), ("NH", 35), ("NO", 46), ("NOH", 59)])
def test_null_games_end_with_the_declarers_first_trick(code: str, value: int) -> None:
    is_hand = "H" in code
    declared = f"0 {code}" if is_hand else f"0 s w ST.S9 0 {code}.ST.S9"
    lost = f"d:0 loss v:-{2 * value} m:0 bidok p:8 t:1 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:0"
    on_jack = declared.replace("ST.S9", "CQ.SQ")
    block = read(record(f"{DEAL} {FOREHAND} {on_jack} 0 CJ 1 S7 2 C7", lost))
    assert block.imported.status == ["verified"]
    assert END_REASONS[block.rows[0]["end_reason"]] == "decided_early"
    resigned = f"d:0 win v:{value} m:0 bidok p:10 t:0 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:1"
    assert status(record(f"{NULL_DEAL} {FOREHAND} {declared} 1 RE 2 RE", resigned)) == "verified"


def test_discards_in_a_move_of_their_own() -> None:
    taken = f"{DEAL} {FOREHAND} 0 s w CQ.SQ"
    result = WON.format(132, 8, 120, 10, 1, 1, 0)
    cards = TRICKS
    one = read(record(f"{taken} 0 C.CQ.SQ {cards}", result))
    two = read(record(f"{taken} 0 C 0 CQ.SQ {cards}", result))
    assert len(one) == len(two) == 1
    assert np.array_equal(one.rows, two.rows)
    assert one.rows[0]["discard_mask"] == one.rows[0]["skat_mask"]


def test_the_deal_may_have_bars() -> None:
    cards = DEAL.split(".")
    parts = "|".join(".".join(cards[a:b]) for a, b in ((0, 10), (10, 20), (20, 30), (30, 32)))
    assert np.array_equal(
        read(record(HAND.replace(DEAL, parts), HAND_RESULT)).rows,
        read(record(HAND, HAND_RESULT)).rows,
    )
    shifted = "|".join(".".join(cards[a:b]) for a, b in ((0, 9), (9, 20), (20, 30), (30, 32)))
    assert "parts of 9, 11, 10, 2" in reason(record(HAND.replace(DEAL, shifted), HAND_RESULT))


def test_who_bid_what() -> None:
    moves = f"{DEAL} 1 18 0 y 1 20 0 y 1 22 0 p 2 23 1 p w TI.2"
    block = read(record(moves, "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0"))
    assert block.imported.status == ["aborted"]
    game = Game.from_record(block.rows[0], block.calls)
    assert game.auction.limits == (20, 22, 23)


@pytest.mark.parametrize(
    ("moves", "result", "expected"),
    [
        ("1 p 2 p 0 p", "passed", "passed"),
        ("1 p 2 p 0 p", None, "passed"),
        ("1 p w TI.2", "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p2:1", "aborted"),
        ("1 18 0 p w LE.2", "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 l:2", "aborted"),
        ("1 18 0 p 2 p 1 s w CQ.SQ w LE.1", "d:1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0", "aborted"),
        ("1 p 2 p 0 p", WON.format(24, 1, 61, 5, 0, 0, 0), "result_mismatch:outcome"),
    ],
)
def test_games_without_a_declaration(moves: str, result: str | None, expected: str) -> None:
    assert status(record(f"{DEAL} {moves}", result)) == expected


def test_missing_and_odd_fields_are_no_error() -> None:
    line = f"(;MV[w {HAND}]XX[1]R[{HAND_RESULT.removesuffix(' r:0')}] ;)"
    block = read(line)
    assert block.imported.status == ["verified"]
    assert block.imported.server == block.imported.server_id == [None]
    assert block.imported.played_at == block.imported.table_size == [None]
    assert block.imported.source_text == [line]


@pytest.mark.parametrize("text", ["", "????", "2024-02-30/10:00:00/UTC", "2024-01-01/25:00:00/UTC"])
def test_dates_that_are_none(text: str) -> None:
    assert parse_date(text) is None
    block = read(record(HAND, HAND_RESULT, DT=text))
    assert block.imported.played_at == [None]
    assert f"DT[{text}]" in (block.imported.source_text[0] or "")


def test_a_missing_result_is_inferred_from_the_play() -> None:
    assert status(record(HAND, None)) == "inferred_end"
    assert status(record(HAND, "unknown")) == "inferred_end"


def test_old_exports_give_matadors_without_a_sign() -> None:
    moves = f"{NULL_DEAL} {FOREHAND} 0 s w ST.S9 0 G.ST.S9 w TI.0"
    result = "d:0 loss v:-240 m:4 bidok p:10 t:0 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:0"
    assert status(record(moves, result, PC="Internet Skat Server")) == "verified"
    assert status(record(moves, result, PC="ISS2")) == "result_mismatch:matadors"


# Shortened games --------------------------------------------------------------------------

PARTS = " ".join(TRICKS.split()[:18])  # three tricks: 21 points of 0 3 tricks
REST = WON.format(144, 8, 120, 10, 1, 1, 1)


@pytest.mark.parametrize(
    ("tail", "result", "expected", "end"),
    [
        ("0 SC 1 RE 2 RE", REST, "verified", "resigned"),
        ("0 SC 1 RE 0 DJ 2 RE", REST, "verified", "resigned"),
        ("1 RE 2 RE", REST, "verified_with_policy", "resigned"),
        ("w TI.2", REST.replace("to:-1 r:1", "to:2 r:0"), "verified_with_policy", "timeout"),
        ("w LE.1", REST.replace("l:-1", "l:1"), "verified_with_policy", "left"),
        ("0 SC 1 RE", REST, "inferred_end", "claimed"),
        ("0 SC", REST, "inferred_end", "claimed"),
    ],
)
def test_defenders_give_up(tail: str, result: str, expected: str, end: str) -> None:
    block = read(record(f"{DEAL} {FOREHAND} 0 CH {PARTS} {tail}", result))
    assert [str(reject) for reject in block.rejects] == []
    assert block.imported.status == [expected]
    assert END_REASONS[block.rows[0]["end_reason"]] == end


def test_a_resignation_that_the_bid_needs_is_a_simple_win() -> None:
    moves = f"{DEAL} 1 p 2 144 0 y 2 p 0 CH {PARTS} 1 RE 2 RE"
    # with 8, game 9, hand 10 is 120; at 144 schneider and schwarz are needed, and granted
    assert status(record(moves, REST)) == "verified"


@pytest.mark.parametrize(
    ("value", "points", "tricks", "expected"),
    [
        (120, 120, 10, "verified"),  # the server states all points, and no schneider
        (120, 12, 3, "verified"),  # as played
        (144, 120, 10, "verified_with_policy"),  # with schneider and schwarz, not yet made
        (132, 120, 10, "result_mismatch:value"),
        (120, 100, 10, "result_mismatch:card_points"),
    ],
)
def test_a_resignation_is_the_win_that_the_result_states(
    value: int, points: int, tricks: int, expected: str
) -> None:
    moves = f"{DEAL} {FOREHAND} 0 CH {PARTS} 1 RE 2 RE"
    line = record(moves, WON.format(value, 8, points, tricks, 0, 0, 1))
    block = read(record(HAND, HAND_RESULT), line, record(HAND, HAND_RESULT))
    assert block.imported.status == ["verified", expected, "verified"]
    assert block.rows["score"].tolist() == [144, 120 if value == 120 else 144, 144]
    assert block.rows["award"].tolist()[1] == (AWARD_GRANTED if value == 120 else AWARD_DECLARER)
    assert block.rows["is_schneider"].tolist()[1] == (value != 120)


def test_defenders_who_gave_up_stand_so_in_the_line() -> None:
    [game] = iss.loads(record(f"{DEAL} {FOREHAND} 0 CH {PARTS} 0 RE", None))
    block = read(record(f"{DEAL} {FOREHAND} 0 CH {PARTS} 1 RE 2 RE",
                        WON.format(120, 8, 120, 10, 0, 0, 1)))  # fmt: skip
    [given_up] = [Game.from_record(row, block.calls) for row in block.rows]
    assert "1 RE 2 RE" in iss.dumps([given_up])
    again = read(iss.dumps([given_up]).strip())
    assert again.imported.status == ["verified"]
    assert np.array_equal(again.rows, block.rows)
    assert "0 RE" in iss.dumps([game])


@pytest.mark.parametrize("tail", ["0 RE", "w TI.0", "w LE.0"])
def test_the_declarer_gives_up(tail: str) -> None:
    moves = f"{DEAL} {FOREHAND} 0 CH {PARTS} {tail}"
    result = "d:0 loss v:{} m:8 bidok p:{} t:3 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:1"
    points = read(record(moves, result.format(-240, 0))).rows[0]["declarer_card_points"]
    assert status(record(moves, result.format(-240, points))) == "verified"
    assert status(record(moves, result.format(-264, points))) == "result_mismatch:policy"


def test_one_defender_gives_up_and_the_game_goes_on() -> None:
    moves = f"{DEAL} {FOREHAND} 0 CH {PARTS} 1 RE {' '.join(TRICKS.split()[18:])}"
    block = read(record(moves, HAND_RESULT))
    assert block.imported.status == ["verified"]
    assert END_REASONS[block.rows[0]["end_reason"]] == "ten_tricks"


def test_an_unknown_card_before_the_end() -> None:
    start = f"{DEAL} {FOREHAND} 0 CH {PARTS}"
    block = read(record(f"{start} 0 ?? w LE.1", REST.replace("l:-1", "l:1")))
    assert block.imported.status == ["partial_view"]
    assert "is not known" in reason(record(f"{start} 0 ?? 1 ?? 2 ?? 1 RE 2 RE", REST))
    assert "after a card that is not known" in reason(record(f"{start} 0 ?? 1 H8 1 RE 2 RE", REST))


def test_bids_outside_the_ladder() -> None:
    moves = f"{DEAL} 1 p 2 19 0 y 2 p 0 CH {TRICKS}"
    assert status(record(moves, HAND_RESULT)) == "verified_with_policy"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("v:144", "v:120", "value"),
        ("m:8", "m:7", "matadors"),
        ("p:120", "p:119", "card_points"),
        ("t:10", "t:9", "tricks"),
        ("bidok", "overbid", "overbid"),
        ("d:0 win v:144", "d:1 win v:144", "declarer"),
        ("win v:144", "loss v:144", "outcome"),
        ("z:1", "z:0", "schneider"),
    ],
)
def test_classes_of_mismatches(old: str, new: str, name: str) -> None:
    block = read(record(HAND, HAND_RESULT.replace(old, new)))
    assert block.imported.status == [f"result_mismatch:{name}"]
    assert block.rows[0]["score"] == 144
    stated = int(new.split("v:")[1]) if "v:" in new else 144
    assert block.imported.recorded_score == [stated]


def test_missed_announcements_counted_too_low() -> None:
    moves = f"{NULL_DEAL} {FOREHAND} 0 DHS 0 C7 1 CA 2 HA 1 CK 2 HT 0 C8"
    ours = read(record(moves, None)).rows[0]
    result = f"d:0 loss v:{{}} m:-8 bidok p:{ours['declarer_card_points']} t:0 s:0 z:0"
    assert status(record(moves, result.format(ours["score"]))) == "verified"
    low = int(ours["score"]) + 18
    assert status(record(moves, result.format(low))) == "result_mismatch:announced_level"


# What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        (HAND.replace("CJ.SJ", "XJ.SJ"), "'XJ' is no card"),
        (HAND.replace("CJ.SJ", "cj.SJ", 1), "'cj' is no card"),
        (HAND.replace("ST.SK", "S10.SK", 1), "'S10' is no card"),
        (HAND.replace(".CQ.SQ", ".CQ", 1), "31 cards instead of 32: no SQ"),
        (HAND.replace(".CQ.SQ", ".CQ.CQ", 1), "'CQ' is dealt twice"),
        (HAND.replace("DEAL", "").replace("CQ.SQ", "??.??", 1), "2 hidden cards"),
        (HAND.replace("0 CJ", "1 H7", 1), "seat 1 played 'H7', but it was the turn of seat 0"),
        (HAND.replace("2 C7", "2 D7", 1), "seat 2 played D7 but held trump: C9 C8 C7"),
        (HAND.replace("0 SJ", "0 CJ", 1), "had been played"),
        (f"{HAND} 0 CJ", "31 cards were played"),
        (HAND.replace("0 SK 1 HA 2 DA", ""), "stop after 27 cards"),
        (f"{DEAL} {FOREHAND} 0 CH", "stop after 0 cards"),
        (f"{DEAL} {FOREHAND}", "stop before a game was declared"),
        (f"{DEAL} 1 18", "stop in the auction"),
        (f"{DEAL} 1 18 1 20", "seat 0 is to call"),
        (f"{DEAL} 1 18 0 y 1 18", "bids rise"),
        (f"{DEAL} 1 18 0 20", "instead of holding or passing"),
        (f"{DEAL} 1 p 2 y", "no bid to hold"),
        (f"{DEAL} 1 p 2 p 0 p 1 18", "after the auction"),
        (f"{DEAL} {FOREHAND} 1 CH", "seat 0 is the declarer"),
        (f"{DEAL} {FOREHAND} 0 s w CQ.CJ 0 C.CQ.SQ", "the skat is 'CQ.SQ'"),
        (f"{DEAL} {FOREHAND} 0 s w CQ.SQ 0 C.CQ.HA", "'HA', which it did not hold"),
        (f"{DEAL} {FOREHAND} 0 s w CQ.SQ 0 C.CQ.CQ", "two cards must be laid away"),
        (f"{DEAL} {FOREHAND} 0 s w CQ.SQ 0 C 0 CJ", "no cards were laid away"),
        (f"{DEAL} {FOREHAND} 0 s w CQ.SQ 0 CH.CQ.SQ", "after the skat was taken"),
        (f"{DEAL} {FOREHAND} 0 NHS", "neither schneider nor schwarz"),
        (f"{DEAL} {FOREHAND} 0 CO.HA.HT.HK.HQ.H9.H8.H7.S9.S8.S7", "not those of seat 0"),
        (f"{DEAL} {FOREHAND} 0 CH 1 SC", "not the declarer"),
        (f"{DEAL} {FOREHAND} 0 CH 1 RE 2 RE 0 CJ", "'CJ' stands after the end"),
        (f"{DEAL} {FOREHAND} 0 CH 0 XX", "'XX' is no move"),
        (f"{DEAL} {FOREHAND} 0 CH 3 CJ", "'3' is no seat"),
        (f"{DEAL} {FOREHAND} 0 CH 0", "stop after the seat '0'"),
        ("", "no deal"),
    ],
)
def test_records_that_are_refused(moves: str, words: str) -> None:
    text = reason(record(moves, "unknown"))
    assert any(part in text for part in words.split("|")), text


def test_a_reject_says_where_and_what() -> None:
    bad = record(HAND.replace("2 C7", "2 D7", 1), HAND_RESULT, ID="103")
    block = read(record(HAND, HAND_RESULT), "", bad)
    [reject] = block.rejects
    assert str(reject) == ("games.sgf:3 ID 103: card 3: seat 2 played D7 but held trump: C9 C8 C7")
    assert reject.text == bad
    with pytest.raises(RecordError, match=r"<text>:1 ID 103: card 3"):
        iss.loads(bad)
    rejects: list[Reject] = []
    assert len(iss.loads(f"{bad}\n{record(HAND, None)}", on_error="collect", rejects=rejects)) == 1
    assert [entry.record_id for entry in rejects] == ["103"]


@pytest.mark.parametrize("text", ["d:0 win", "won", "d:5 win v:1 m:1 bidok p:1 t:1 s:0 z:0"])
def test_results_that_are_none(text: str) -> None:
    with pytest.raises(NotationError, match="is no result"):
        parse_result(text)


# Framing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [r"a\]b", "a]b", "x[y", "[]", "]", r"c\\", "a] ;", ";MV[fake", "q];", "#1"]
)
def test_brackets_in_values_go_round(name: str) -> None:
    line = record(HAND, HAND_RESULT, P0=name, CO=name)
    block = read(line)
    assert [str(reject) for reject in block.rejects] == []
    assert block.imported.players[0] == [name]
    assert block.imported.source_text == [line]


def test_a_value_ends_before_an_unknown_key() -> None:
    properties = parse_properties("(;GM[Skat]P0[a]ZZZ[x]b]MV[w] ;)")
    assert properties == {"GM": "Skat", "P0": "a]ZZZ[x]b", "MV": "w"}
    properties = parse_properties("(;GM[Skat]P0[a]ZZ9[x]b]MV[w] ;)")
    assert properties == {"GM": "Skat", "P0": "a", "ZZ9": "x]b", "MV": "w"}


def test_a_property_twice_is_refused() -> None:
    assert "'R' stands there twice" in reason(record(HAND, HAND_RESULT, P0="x]R[passed", more=""))


def test_another_game_is_refused() -> None:
    assert "GM[Chess]" in reason(record(HAND, HAND_RESULT).replace("GM[Skat]", "GM[Chess]"))


def test_noise_between_records_is_counted() -> None:
    good = record(HAND, HAND_RESULT)
    block = read("# comment", "3 games, 2 won", good, "(;)", f"x {good} y", "</html>", "")
    assert len(block) == 2
    assert (block.noise_count, block.comment_count) == (5, 1)
    assert block.noise[0] == (2, "3 games, 2 won")


def test_a_record_on_several_lines() -> None:
    good = record(HAND, HAND_RESULT)
    spread = good.replace("]", "]\n").replace(" 0 CH", "\n0 CH").replace("(;", "(;\n", 1)
    spread = spread.replace("\nMV", "\n# in between\nMV")
    block = read(spread, good)
    assert [str(reject) for reject in block.rejects] == []
    assert np.array_equal(block.rows[0]["played"], block.rows[1]["played"])
    assert block.lines[0] == 1


def test_a_cut_record_costs_only_itself() -> None:
    good = record(HAND, HAND_RESULT)
    for cut in range(2, len(good) - 1, 7):
        block = read(good[:cut], good)
        assert len(block) == 1, good[:cut]
        assert len(block.rejects) + block.noise_count == 1, good[:cut]
        block = read(good, good[:cut])
        assert len(block) == 1
        assert len(block.rejects) + block.noise_count == 1
        assert not block.rejects or "cut short" in block.rejects[0].reason
        block = read(good[:cut] + good)
        assert len(block) == 1
        assert len(block.rejects) + block.noise_count == 1


def test_several_records_on_a_line() -> None:
    good = record(HAND, HAND_RESULT)
    assert len(read(good + good + " " + good)) == 3


# Series -----------------------------------------------------------------------------------


def test_table_sizes() -> None:
    three = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    four = [("b", "c", "d"), ("c", "d", "a"), ("d", "a", "b"), ("a", "b", "c")]

    def infer(seatings: list[tuple[str, ...]]) -> list[int | None]:
        return TableSizes().infer(["s"] * len(seatings), ["1"] * len(seatings), seatings)

    assert infer(three) == [3, 3, 3]
    assert infer(four) == [4, 4, 4, 4]
    assert infer(four[:2]) == [4, 4]
    assert infer([three[0], three[0]]) == [None, None]
    assert infer([three[0]]) == [None]
    assert infer([*four, ("c", "b", "a")]) == [None] * 5
    sizes = TableSizes()
    sizes.infer(["s"], ["1"], [three[0]])
    assert sizes.infer(["s"], ["1"], [three[1]]) == [3]
    assert sizes.infer(["t"], ["1"], [three[2]]) == [None]


# Writing ----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(games())
def test_games_go_round(game: Game) -> None:
    text = iss.dumps([game])
    [again] = iss.loads(text)
    assert again.deal == game.deal
    assert again.events == game.events
    assert again.seat_scores == game.seat_scores
    assert iss.dumps([again]) == text
    [block] = iss.read(Source.from_bytes(text.encode()))
    assert block.imported.status[0] in ("verified", "passed", "verified_with_policy")


@pytest.mark.parametrize(
    ("reason", "award"),
    [
        ("resigned", "declarer"),
        ("claimed", "declarer"),
        ("conceded", "conceded"),
        ("timeout", "declarer"),
        ("timeout", "conceded"),
        ("left", "declarer"),
        ("left", "conceded"),
    ],
)
def test_shortened_games_go_round(reason: str, award: str) -> None:
    [game] = iss.loads(record(HAND, None))
    short = Game(deal=game.deal, events=game.events[: -30 + 9])
    short = short.with_end(reason, award=award)  # type: ignore[arg-type]
    [again] = iss.loads(iss.dumps([short]))
    assert again.events == short.events
    assert again.score == short.score


def test_dump_writes_what_load_reads(tmp_path: Path) -> None:
    games = iss.loads(record(HAND, None))
    iss.dump(games, tmp_path / "games.sgf")
    assert list(iss.load(tmp_path / "games.sgf")) == games


def test_moves_of_a_passed_in_deal_name_no_declarer() -> None:
    [game] = iss.loads(record(f"{DEAL} 1 p 2 p 0 p", "passed"))
    assert " 1 p 2 p 0 p ]R[passed] ;)" in iss.dumps([game])


def test_parse_moves_reads_what_the_server_wrote() -> None:
    draft = parse_moves(f"w {HAND} ", parse_result(HAND_RESULT))
    assert draft.calls == (0, 0, 2)
    assert draft.bid_value == 18
    assert len(draft.played) == 30


def test_forehand_alone_may_name_more_than_18() -> None:
    """A value above 18 is never needed, but it binds (RULES 3.2)."""
    sample = Path(__file__).parents[2] / "data" / "sample" / "sample.sgf"
    text = next(
        line
        for line in sample.read_text(encoding="utf-8").splitlines()
        if " 1 p 2 p 0 18 0 s" in line and "R[d:0" in line
    )
    block = read(text.replace(" 1 p 2 p 0 18 ", " 1 p 2 p 0 20 "))
    assert not block.rejects
    assert block.rows["bid_value"].tolist() == [20]
    assert block.rows["declarer_seat"].tolist() == [0]
    assert " 1 p 2 p 0 20 0 s" in write_line(block.rows[0], block.calls)
