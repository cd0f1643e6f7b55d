"""Players: the policies that bid, declare and play."""

from skatsim.policies.base import Parameter, Policy
from skatsim.policies.registry import find_policy, policies

__all__ = ["Parameter", "Policy", "find_policy", "policies"]
