"""The policy `uniform`: random legal actions.

What it does at each decision is said in `skatsim.kernels.uniform`, which plays it.
"""

from skatsim.kernels.engine import POLICY_UNIFORM
from skatsim.policies.base import Policy

__all__ = ["UNIFORM"]

UNIFORM = Policy(
    name="uniform",
    version=1,
    description="random legal actions; in the auction a fair coin between passing and one step",
    code=POLICY_UNIFORM,
)
