"""The classic counts as bidding policies, with their folk thresholds as parameters.

Each bids a hand that counts at least `least` in a suit, or `least_grand` in grand, up to the
value it holds, and forehand alone plays what lacks no more than `alone`; what else there is to
decide, the policy `heuristic` decides. ``skatsim threshold --policy von_stegen`` finds the
threshold that pays best.

The rules are facts about how people bid, told in many books and programs: von Stegen's count as
it is commonly simplified; the count of Joseph Wergin, *Wergin on Skat and Sheepshead* (1975);
the conditions under which the program XSkat bids a hand to its full value; and the rule of
thumb that trumps and aces of the side suits should be seven.
"""

from typing import Final

from skatsim.kernels.counts import (
    COUNT_ALONE,
    COUNT_TRUMPS_AND_ACES,
    COUNT_VON_STEGEN,
    COUNT_WERGIN,
    COUNT_XSKAT,
    LEAST,
    LEAST_GRAND,
)
from skatsim.kernels.engine import POLICY_COUNTS
from skatsim.policies.base import Parameter, Policy
from skatsim.policies.heuristic import HEURISTIC

__all__ = ["COUNTS"]


def _policy(
    count: int,
    name: str,
    description: str,
    least: tuple[float, str],
    least_grand: tuple[float, str],
) -> Policy:
    """The policy of a count: its own parameters in their places among those of `heuristic`."""
    own = {
        LEAST: ("least", *least),
        COUNT_ALONE: ("alone", 0.0, "how much less forehand alone asks, both others having passed"),
        LEAST_GRAND: ("least_grand", *least_grand),
    }
    parameters = list(HEURISTIC.parameters)
    for place, (parameter, default, meaning) in own.items():
        parameters[place] = Parameter(
            name=parameter, default=default, description=meaning, least=-100.0, greatest=1000.0
        )
    return Policy(
        name=name,
        version=2,
        description=description,
        code=POLICY_COUNTS + count,
        parameters=tuple(parameters),
    )


COUNTS: Final = (
    _policy(
        COUNT_VON_STEGEN,
        "von_stegen",
        "bids by von Stegen's count, else as heuristic: jack 2, trump 1, ace 1, ten 1/2",
        (7.0, "points from which a suit is bid: 7 is called the least that can be played"),
        (6.0, "points from which grand is bid: jack 1, ace 1 1/2, ten 1/2, ten with its ace 1"),
    ),
    _policy(
        COUNT_WERGIN,
        "wergin",
        "bids by Wergin's count of jacks and high cards, else as heuristic",
        (51.0, "points from which the longest suit is bid: more than 50"),
        (61.0, "points from which grand is bid; Wergin's own figure is not known"),
    ),
    _policy(
        COUNT_XSKAT,
        "xskat_rule",
        "bids by the conditions of the program XSkat for a full bid, else as heuristic",
        (0.0, "trumps that the longest suit must have beyond what the rule asks for"),
        (6.0, "jacks and running cards from which grand is bid, beside XSkat's other tests"),
    ),
    _policy(
        COUNT_TRUMPS_AND_ACES,
        "trumps_and_aces",
        "bids by trumps and aces of the side suits, else as heuristic",
        (7.0, "trumps and side aces from which a suit is bid: 7 is the rule of thumb"),
        (5.0, "jacks and aces from which grand is bid"),
    ),
)
