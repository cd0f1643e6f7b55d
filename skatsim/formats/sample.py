"""The sample of recorded games that is shipped: played by the simulator, told like a server.

``python -m skatsim.formats.sample data/sample/sample.sgf`` writes it again.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from skatsim.blocks import play_block
from skatsim.formats.iss_write import line
from skatsim.kernels.cards import NULL
from skatsim.kernels.columns import END_CONCEDED, END_LEFT, END_RESIGNED, END_TIMEOUT
from skatsim.kernels.rules import AWARD_CONCEDED, AWARD_DECLARER, AWARD_NONE
from skatsim.kernels.table import UNPLAYED
from skatsim.policies.players import Players
from skatsim.replaying import replay_rows
from skatsim.ruleset import ISKO

__all__ = ["sample_lines", "write_sample"]

SEED: Final = 2024
SERVER: Final = "skatsim"
START: Final = datetime(2024, 1, 5, 19, 0, tzinfo=UTC)

TABLES: Final = (
    (("anton", "berta", "caesar"), 36),
    (("dora", "emil", "friedrich", "gustav"), 48),
    (("berta", "heinrich", "ida"), 36),
    (("anton", "dora", "julius", "kaufmann"), 48),
    (("emil", "ludwig", "martha"), 36),
    (("caesar", "gustav", "ida", "nordpol"), 48),
    (("otto", "paula", "quelle"), 36),
    (("berta", "friedrich", "otto", "richard"), 48),
    (("anton", "ida", "samuel"), 36),
    (("julius", "ludwig", "theodor", "viktor"), 48),
    (("dora", "martha", "quelle"), 36),
    (("caesar", "heinrich", "paula", "wilhelm"), 48),
)
"""Who sits at each table, in the order of the seats, and the deals of the series."""


def _shortened(row: np.void, calls: np.ndarray, number: int) -> tuple[Any, np.ndarray, str | None]:
    """One game, some cut short as people do, with the moves that a server writes then."""
    games = np.array([row])
    games["call_end"] = len(calls)
    cut = None
    declarer = int(row["declarer_seat"])
    winners = [(int(row["trick_winners"]) >> (2 * trick)) & 3 for trick in range(10)]
    if number % 97 == 50 and len(calls) > 2:
        calls = calls[:2]
        games["call_end"] = 2
        games["declarer_seat"] = games["contract"] = -1
        games["bid_value"] = games["is_skat_taken"] = games["discard_mask"] = 0
        games["played"] = UNPLAYED
        games["end_reason"], games["award"] = END_LEFT, AWARD_NONE
    elif declarer >= 0 and row["contract"] != NULL and row["play_count"] == 30:
        own = [trick for trick in range(10) if winners[trick] == declarer]
        others = [trick for trick in range(10) if winners[trick] != declarer]
        last = max(others, default=-1) + 1
        if row["is_won"] and number % 3 == 0 and last <= 8:
            cut, games["end_reason"], games["award"] = 3 * last, END_RESIGNED, AWARD_DECLARER
        elif row["is_won"] and number % 61 == 7:
            cut, games["end_reason"], games["award"] = 14, END_TIMEOUT, AWARD_DECLARER
        elif not row["is_won"] and number % 7 == 0 and len(own) < 8:
            cut, games["end_reason"], games["award"] = 21, END_CONCEDED, AWARD_CONCEDED
        if cut is not None:
            games["played"][0, cut:] = UNPLAYED
    replayed, faults = replay_rows(games, calls)
    if faults[0]:
        raise AssertionError(f"game {number} of the sample does not replay: fault {faults[0]}")
    is_claim = int(replayed["end_reason"][0]) == END_RESIGNED
    return replayed[0], calls, f"{declarer} SC" if is_claim else None


def sample_lines() -> Iterator[str]:
    """The games of the sample as server lines."""
    total = sum(deals for _, deals in TABLES)
    players = Players.of(bidding="heuristic", declaring="heuristic", play="heuristic", seats=None)
    rows, calls = play_block(SEED, 0, total, players=players, ruleset=ISKO)
    number, start = 0, 0
    moment = START
    for series, (names, deals) in enumerate(TABLES):
        for deal in range(deals):
            end = int(rows["call_end"][number])
            row, said, claim = _shortened(rows[number], calls[start:end], number)
            moment += timedelta(seconds=6 + 4 * int(row["play_count"]) + len(said))
            first = deal + (1 if len(names) == 4 else 0)  # at four, the dealer sits out
            seated = [names[(first + seat) % len(names)] for seat in range(3)]
            told = {
                "server": SERVER,
                "series_id": str(series + 1),
                "server_id": str(1000 + number),
                "played_at": moment,
                "forehand_player": seated[0],
                "middlehand_player": seated[1],
                "rearhand_player": seated[2],
            }
            text = line(row, said, told)
            if claim is not None:
                first_resignation = text.index(" RE ") - 2
                text = f"{text[:first_resignation]} {claim}{text[first_resignation:]}"
            yield text
            number, start = number + 1, end
        moment += timedelta(days=7) - timedelta(hours=1)


def write_sample(path: Path) -> int:
    """Write the sample; returns the number of games."""
    texts = list(sample_lines())
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8", newline="\n")
    return len(texts)


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
