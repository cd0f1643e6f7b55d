"""Players: the policies that bid, declare and play."""

from skatsim.policies.base import Parameter, Policy
from skatsim.policies.plugin import compiled_policy
from skatsim.policies.registry import find_policy, list_policies, policies

__all__ = [
    "Parameter",
    "Policy",
    "compiled_policy",
    "find_policy",
    "list_policies",
    "policies",
]
