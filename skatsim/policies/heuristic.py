"""The policy `heuristic`: bidding by estimated win probabilities, card play by rules.

The rules stand in `skatsim.kernels.heuristic`, which plays it; here are its parameters.
The one to turn first is `risk`: a hand is bid up to the highest value of a contract that
is won with an estimated probability of at least ``1 - risk``. A larger number bids more
daringly: at 0 almost every deal is passed in, at 1 every seat bids as high as its best
contract reaches.
"""

from skatsim.kernels.engine import POLICY_HEURISTIC
from skatsim.kernels.heuristic import PARAMETERS
from skatsim.policies.base import Parameter, Policy

__all__ = ["HEURISTIC"]

HEURISTIC = Policy(
    name="heuristic",
    version=3,
    description="bids by estimated win probability, plays by rules",
    code=POLICY_HEURISTIC,
    parameters=tuple(
        Parameter(
            name=name, default=default, description=description, least=least, greatest=greatest
        )
        for name, default, least, greatest, description in PARAMETERS
    ),
)
