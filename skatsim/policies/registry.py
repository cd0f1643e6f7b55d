"""Policies found by text: ``uniform``, ``heuristic:risk=0.6``."""

from skatsim.errors import PolicyError
from skatsim.policies.base import Policy
from skatsim.policies.counts import COUNTS
from skatsim.policies.heuristic import HEURISTIC
from skatsim.policies.uniform import UNIFORM

__all__ = ["find_policy", "policies"]

_BUILT_IN = (UNIFORM, HEURISTIC, *COUNTS)


def policies() -> tuple[Policy, ...]:
    """All policies that can be found by name, with their defaults."""
    return _BUILT_IN


def find_policy(text: str) -> Policy:
    """The policy that a text names, with the parameters it gives: ``name:key=value,key=value``.

    Raises
    ------
    PolicyError : no such policy or parameter, or a value that it cannot take.
    """
    name, colon, settings = text.strip().partition(":")
    policy = next((known for known in policies() if known.name == name.strip()), None)
    if policy is None:
        available = ", ".join(known.name for known in policies())
        raise PolicyError(f"no policy {text!r}: available are {available}")
    if not colon:
        return policy
    values: dict[str, float] = {}
    for setting in settings.split(","):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key:
            raise PolicyError(
                f"cannot read {setting!r} in policy {text!r}: write parameters like "
                f"'{name}:key=value,key=value'"
            )
        if key in values:
            raise PolicyError(f"parameter {key!r} is given twice in policy {text!r}")
        try:
            values[key] = float(value)
        except ValueError:
            raise PolicyError(
                f"parameter {key!r} in policy {text!r} cannot be {value!r}: give a number"
            ) from None
    return policy.with_values(values)
