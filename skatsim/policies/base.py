"""What a policy is: a name, a version, parameters with values, and the code that plays it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from skatsim.errors import PolicyError

__all__ = ["Parameter", "Policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number that a policy goes by."""

    name: str
    default: float
    description: str
    least: float = float("-inf")
    greatest: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A player, described: what it is called, what it goes by, which code plays it.

    Parameters
    ----------
    name : what it is found by.
    version : rises only when the policy would play some deal differently.
    description : one line.
    parameters : the numbers it goes by, in the order the code reads them.
    values : those of `parameters`; the defaults where left out.
    code : number of the compiled policy (see `skatsim.kernels.engine`).

    Examples
    --------
    >>> from skatsim.policies import find_policy
    >>> policy = find_policy("heuristic:risk=0.6")
    >>> policy.text, policy.value("risk")
    ('heuristic:risk=0.6', 0.6)
    """

    name: str
    version: int
    description: str
    code: int
    parameters: tuple[Parameter, ...] = ()
    values: tuple[float, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.values:
            defaults = tuple(parameter.default for parameter in self.parameters)
            object.__setattr__(self, "values", defaults)
        if len(self.values) != len(self.parameters):
            raise PolicyError(
                f"policy {self.name!r} has {len(self.parameters)} parameters: "
                f"{len(self.values)} values given"
            )
        for parameter, value in zip(self.parameters, self.values, strict=True):
            if not parameter.least <= value <= parameter.greatest:  # also refuses nan
                raise PolicyError(
                    f"parameter {parameter.name!r} of policy {self.name!r} cannot be {value!r}: "
                    f"give {parameter.least:g} to {parameter.greatest:g}"
                )

    @property
    def text(self) -> str:
        """The name with the values that differ from the defaults: ``heuristic:risk=0.6``."""
        changed = [
            f"{parameter.name}={repr(value).removesuffix('.0')}"
            for parameter, value in zip(self.parameters, self.values, strict=True)
            if value != parameter.default
        ]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def value(self, name: str) -> float:
        """The value of the parameter called `name`.

        Raises
        ------
        PolicyError : the policy has no such parameter.
        """
        return self.values[self._index(name)]

    def with_values(self, values: Mapping[str, float]) -> "Policy":
        """A copy of this policy with other values for the parameters named.

        Raises
        ------
        PolicyError : the policy has no such parameter, or it cannot take the value.
        """
        changed = list(self.values)
        for name, value in values.items():
            changed[self._index(name)] = float(value)
        return replace(self, values=tuple(changed))

    def _index(self, name: str) -> int:
        for index, parameter in enumerate(self.parameters):
            if parameter.name == name:
                return index
        known = ", ".join(parameter.name for parameter in self.parameters) or "none"
        raise PolicyError(f"policy {self.name!r} has no parameter {name!r}: it has {known}")
