import pytest

from skatsim.errors import PolicyError
from skatsim.kernels.engine import POLICY_HEURISTIC, POLICY_UNIFORM
from skatsim.kernels.table import PARAMETER_COUNT
from skatsim.policies import Parameter, Policy, find_policy, policies


def test_built_in_policies_are_found_by_name():
    assert [policy.name for policy in policies()] == [
        "uniform",
        "heuristic",
        "von_stegen",
        "wergin",
        "xskat_rule",
        "trumps_and_aces",
    ]
    assert find_policy("uniform").code == POLICY_UNIFORM
    assert find_policy("heuristic").code == POLICY_HEURISTIC


def test_parameters_fit_into_a_player():
    for policy in policies():
        assert len(policy.values) == len(policy.parameters) <= PARAMETER_COUNT
        assert len({parameter.name for parameter in policy.parameters}) == len(policy.parameters)
        assert all(parameter.description for parameter in policy.parameters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heuristic", "heuristic"),
        (" heuristic ", "heuristic"),
        ("heuristic:risk=0.6", "heuristic:risk=0.6"),
        ("heuristic: stake=50 , risk=0.60", "heuristic:risk=0.6,stake=50"),
        ("heuristic:ruff=4.0", "heuristic"),
        ("uniform", "uniform"),
    ],
)
def test_text_of_a_policy_names_what_differs_from_the_defaults(text, expected):
    policy = find_policy(text)
    assert policy.text == expected
    assert find_policy(policy.text) == policy


def test_values_are_read_by_name():
    policy = find_policy("heuristic:risk=0.6")
    assert policy.value("risk") == 0.6
    assert policy.value("stake") == find_policy("heuristic").value("stake")
    assert policy.with_values({"risk": 0.25}).text == "heuristic:risk=0.25"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("heuristik", r"no policy 'heuristik': available are uniform, heuristic, von_stegen"),
        ("", r"no policy ''"),
        ("heuristic:risc=0.5", r"no parameter 'risc': it has risk, alone, suit"),
        ("uniform:risk=0.5", r"no parameter 'risk': it has none"),
        ("heuristic:risk", r"cannot read 'risk'"),
        ("heuristic:", r"cannot read ''"),
        ("heuristic:risk=high", r"cannot be 'high': give a number"),
        ("heuristic:risk=1.5", r"cannot be 1.5: give 0 to 1"),
        ("heuristic:risk=nan", r"cannot be nan"),
        ("heuristic:risk=inf", r"cannot be inf"),
        ("heuristic:risk=0.5,risk=0.6", r"'risk' is given twice"),
    ],
)
def test_faults_in_a_text_are_named(text, said):
    with pytest.raises(PolicyError, match=said):
        find_policy(text)


def test_values_must_be_as_many_as_parameters():
    with pytest.raises(PolicyError, match="1 parameters: 2 values"):
        Policy(
            name="x",
            version=1,
            description="x",
            code=1,
            parameters=(Parameter(name="a", default=0.0, description="a"),),
            values=(1.0, 2.0),
        )
