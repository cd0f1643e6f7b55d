"""A finished game as the kernels write it: one record a game, narrow integers.

The archive's columns are the fields of these records (see `skatsim.records`). Where a
column does not apply, its number is 0 and the writer of the archive puts a null. The calls
of the auction differ in number, so they lie in one array of a block beside its records:
those of record i are ``calls[call_end of i - 1 : call_end of i]``, each 0 pass, 1 hold,
2 play, or the value bid.
"""

import numpy as np
from numba import from_dtype, types

GAME = np.dtype(
    [
        ("forehand_mask", np.uint32),
        ("middlehand_mask", np.uint32),
        ("rearhand_mask", np.uint32),
        ("skat_mask", np.uint32),
        ("discard_mask", np.uint32),  # 0 without
        ("trick_winners", np.uint32),  # two bits a trick, 3 for not completed
        ("score", np.int32),
        ("call_end", np.int32),
        ("bid_value", np.int16),
        ("game_value", np.int16),
        ("charged_value", np.int16),
        ("declarer_card_points", np.int16),
        ("entry_factor", np.int16),
        ("declarer_seat", np.int8),  # -1 none
        ("contract", np.int8),  # -1 none
        ("end_reason", np.int8),
        ("award", np.int8),
        ("matadors", np.int8),
        ("hand_matadors", np.int8),
        ("multiplier", np.int8),
        ("declarer_trick_count", np.int8),
        ("play_count", np.int8),
        ("is_skat_taken", np.uint8),
        ("is_hand", np.uint8),
        ("is_schneider_announced", np.uint8),
        ("is_schwarz_announced", np.uint8),
        ("is_ouvert", np.uint8),
        ("is_schneider", np.uint8),
        ("is_schwarz", np.uint8),
        ("is_overbid_before_play", np.uint8),
        ("is_overbid", np.uint8),
        ("is_won", np.uint8),
        ("bock_factor", np.int16),  # 0 without
        ("forehand_push_mask", np.uint32),  # the two cards pushed on, 0 for none
        ("middlehand_push_mask", np.uint32),
        ("rearhand_push_mask", np.uint32),
        ("resort_mask", np.uint32),  # cards of the first defender after a revolution, 0 without
        ("forehand_entry", np.int32),  # what the seats enter for a Ramsch
        ("middlehand_entry", np.int32),
        ("rearhand_entry", np.int32),
        ("kontra_count", np.int8),  # steps said
        ("kontra_seat", np.int8),  # who said Kontra; 0 without
        ("unseen_pushes", np.int8),
        ("knocks", np.uint8),  # seats, as bits
        ("house_flags", np.uint8),  # bits HOUSE_...
        ("played", np.uint8, (30,)),  # card ids, 255 not played, 254 not known
    ],
    align=True,
)
GAME_TYPE = from_dtype(GAME)
GAMES_TYPE = types.Array(GAME_TYPE, 1, "C")
CALLS_TYPE = types.Array(types.uint16, 1, "C")

(
    END_TEN_TRICKS,
    END_DECIDED_EARLY,
    END_RESIGNED,
    END_CLAIMED,
    END_CONCEDED,
    END_TIMEOUT,
    END_LEFT,
    END_PASSED_IN,
    END_POLICY_FAULT,
) = range(9)
