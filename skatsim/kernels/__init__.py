"""Everything numba compiles, and nothing else.

Rules are written here once, as functions of integers; the modules above check
their input, call these, and name the result. Nothing here raises.
"""
