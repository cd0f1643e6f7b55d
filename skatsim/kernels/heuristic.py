"""temporary"""
from numba import int64, types
from skatsim.kernels.jit import kernel
from skatsim.kernels.rules import RULES_TYPE
from skatsim.kernels.table import PLAYER_TYPE, PUBLIC_TYPE
from skatsim.kernels.bits import lowest_bit
@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_call(rules, public, hand_mask, player): return 0
@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, PLAYER_TYPE))
def heuristic_pick_up(rules, public, hand_mask, player): return 0
@kernel(int64(RULES_TYPE, PUBLIC_TYPE, int64, int64, PLAYER_TYPE))
def heuristic_declaration(rules, public, hand_mask, skat_mask, player): return 8
@kernel(int64(PUBLIC_TYPE, int64, int64, int64, int64, PLAYER_TYPE))
def heuristic_card(public, hand_mask, skat_mask, legal, word, player): return lowest_bit(legal)
