"""Policies found by name, in files, as programs and in packages; the broken ones are said to be."""

import json
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from click.testing import CliRunner

import skatsim
from skatsim.cli import main
from skatsim.errors import PolicyError
from skatsim.policies import registry
from skatsim.policies.heuristic import HEURISTIC
from skatsim.policies.registry import find_policy, list_policies, policies

OWN = """
class Careful:
    '''Plays its lowest card.

    And more.
    '''

    version = 3

    def __init__(self, depth=2, share=0.5):
        self.depth, self.share = depth, share

    def play(self, view):
        return view.legal_cards[0]


class Needy:
    def __init__(self, model):
        pass

    def play(self, view):
        return 0


class Idle:
    pass


class Odd:
    version = "new"

    def play(self, view):
        return 0


class Unwell:
    def __init__(self):
        raise OSError("no model")

    def play(self, view):
        return 0


careful = Careful()
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(OWN, encoding="utf-8")
    return path


def offer(monkeypatch: pytest.MonkeyPatch, folder: Path, **entries: str) -> None:
    """Let an installed package offer policies by entry points."""
    monkeypatch.syspath_prepend(folder)
    made = EntryPoints(
        EntryPoint(name=name, value=value, group=registry.ENTRY_POINTS)
        for name, value in entries.items()
    )
    monkeypatch.setattr(registry, "entry_points", lambda group: made)


def test_a_name_that_two_packages_offer_is_nobodys(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(own.parent)
    twice = [("cards", "own:Careful"), ("cards", "own:Idle"), ("heuristic", "own:Careful")]
    entries = EntryPoints(
        EntryPoint(name=name, value=value, group=registry.ENTRY_POINTS)
        for name, value in [*twice, twice[2]]
    )
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    with pytest.raises(PolicyError, match="'cards' is offered more than once, by own:Careful and"):
        find_policy("cards")
    assert find_policy("heuristic") == HEURISTIC
    broken = [(item.name, item.source) for item in list_policies() if item.policy is None]
    assert broken == [*twice[:1], ("cards", "own:Idle"), twice[2]]
    assert "hidden by skatsim's own" in list(list_policies())[-1].problem
    with pytest.raises(PolicyError, match=r"available are (?!.*heuristic.*heuristic).*cards"):
        find_policy("nobody")


def test_a_policy_in_a_file_has_name_version_parameters_and_source(own: Path) -> None:
    policy = find_policy(f"{own}:Careful:share=0.25")
    assert (policy.name, policy.version, policy.way) == ("own.py:Careful", 3, "plain")
    assert policy.text == "own.py:Careful:share=0.25"
    assert policy.description == "Plays its lowest card"
    assert policy.decisions == ("play",)
    assert (policy.value("depth"), policy.value("share")) == (2, 0.25)
    assert len(policy.source_sha256) == 64
    again = find_policy(f" {own}:Careful ")
    assert again.with_values({"share": 0.25}) == policy
    own.write_text(OWN + "# changed\n", encoding="utf-8")
    assert find_policy(f"{own}:Careful").source_sha256 != policy.source_sha256


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Reckless", r"has no 'Reckless'"),
        ("Needy", r"policy 'own.py:Needy' cannot be made: 'model' needs a number as default"),
        ("Idle", r"policy 'own.py:Idle' answers nothing"),
        ("Odd", r"the version of policy 'own.py:Odd' cannot be 'new'"),
        ("careful", r"policy 'own.py:careful' is Careful: give a class"),
        ("Careful:deep=3", r"no parameter 'deep': it has depth, share"),
        ("Careful:depth", r"cannot read 'depth' in policy"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(own: Path, name: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        find_policy(f"{own}:{name}")


def test_a_file_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    for text, said in (
        ("import no_such_module_x", "cannot be loaded: ModuleNotFoundError: No module named"),
        ("def (", "cannot be loaded: SyntaxError"),
        ("raise SystemExit", "cannot be loaded: SystemExit"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PolicyError, match=f"policy 'bad.py:Mine' {said}"):
            find_policy(f"{path}:Mine")
    with pytest.raises(PolicyError, match="is no file"):
        find_policy(f"{tmp_path}/none.py:Mine")


def test_a_policy_that_cannot_be_started_is_named(own: Path) -> None:
    with pytest.raises(PolicyError, match=r"'own\.py:Unwell' cannot be started: OSError: no model"):
        skatsim.simulate(hands=1, n_jobs=1, play=f"{own}:Unwell")


def test_packages_offer_policies_by_name(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, own.parent, careful="own:Careful")
    assert [policy.name for policy in policies()][-1] == "careful"
    assert find_policy("careful:depth=5").text == "careful:depth=5"
    result = skatsim.simulate(hands=50, seed=1, n_jobs=1, play="careful")
    assert (
        result.digest == skatsim.simulate(hands=50, seed=1, n_jobs=1, play=f"{own}:Careful").digest
    )


def test_a_broken_plugin_breaks_nothing_else(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(
        monkeypatch,
        own.parent,
        careful="own:Careful",
        lost="no_such_package_x:Policy",
        gone="own:Gone",
        idle="own:Idle",
    )
    runner = CliRunner()
    for arguments in (["--help"], ["simulate", "--help"], ["policies", "--help"]):
        assert runner.invoke(main, arguments).exit_code == 0
    listed = {listing.name: listing for listing in list_policies()}
    assert listed["careful"].policy is not None
    assert "ModuleNotFoundError: No module named 'no_such_package_x'" in listed["lost"].problem
    assert "AttributeError" in listed["gone"].problem
    assert "answers nothing" in listed["idle"].problem
    shown = runner.invoke(main, ["policies", "list", "--json"])
    assert shown.exit_code == 0
    ways = {row["name"]: row["way"] for row in json.loads(shown.stdout)}
    assert {name: way for name, way in ways.items() if way != "built-in"} == {
        "careful": "plain",
        "lost": "broken",
        "gone": "broken",
        "idle": "broken",
    }
    assert "no_such_package_x" in runner.invoke(main, ["policies", "list"]).output
    used = runner.invoke(main, ["simulate", "--hands", "1", "--no-records", "--play", "lost"])
    assert used.exit_code == 1
    assert "policy 'lost' cannot be loaded: ModuleNotFoundError" in used.stderr
    one = ["simulate", "--hands", "1", "--no-records", "--play", "uniform"]
    assert runner.invoke(main, one).exit_code == 0
    with pytest.raises(PolicyError, match=r"available are uniform, .*, careful, gone, idle"):
        find_policy("nobody")


def test_a_program_is_known_by_its_own_files(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("pass", encoding="utf-8")
    policy = find_policy(f"cmd:{sys.executable} -u {script}")
    assert policy.way == "command" and policy.text == f"cmd:{sys.executable} -u {script}"
    assert policy.decisions == ("bidding", "declaring", "play", "kontra")
    before = policy.source_sha256
    script.write_text("pass # changed", encoding="utf-8")
    assert find_policy(policy.text).source_sha256 != before


def test_show_says_how_a_policy_is_plugged_in(own: Path) -> None:
    shown = CliRunner().invoke(main, ["policies", "show", f"{own}:Careful:depth=4"])
    assert shown.exit_code == 0
    assert "own.py:Careful:depth=4, version 3, plain: Plays its lowest card" in shown.output
    assert "decides play" in shown.output
    told = json.loads(
        CliRunner().invoke(main, ["policies", "show", f"{own}:Careful", "--json"]).stdout
    )
    assert (told["way"], told["decisions"]) == ("plain", ["play"])
    assert told["parameters"][0] == {
        "name": "depth", "value": 2.0, "default": 2.0, "description": ""
    }  # fmt: skip


def test_a_file_named_for_play_leaves_the_rest_to_heuristic(own: Path) -> None:
    arguments = ["simulate", "--hands", "20", "--no-records", "--json", "--jobs", "1"]
    one = CliRunner().invoke(main, [*arguments, "--play", f"{own}:Careful"])
    assert one.exit_code == 0, one.output
    expected = skatsim.simulate(hands=20, n_jobs=1, play=f"{own}:Careful")
    assert json.loads(one.stdout)["digest"] == expected.digest
    seats = ",".join([f"{own}:Careful:depth=1,share=0.5"] * 3)
    three = CliRunner().invoke(main, [*arguments, "--seats", seats])
    assert json.loads(three.stdout)["digest"] == expected.digest


def test_faults_on_the_command_line(own: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(
        "class Wrong:\n    def play(self, view):\n        return 77\n", encoding="utf-8"
    )
    arguments = ["simulate", "--hands", "20", "--play", f"{path}:Wrong", "--jobs", "1"]
    stopped = CliRunner().invoke(main, [*arguments, "--no-records"])
    assert stopped.exit_code == 1
    assert stopped.stderr.count("\n") == 1
    assert "hand 0 of seed 0: policy 'wrong.py:Wrong' at forehand answered 77" in stopped.stderr
    kept = CliRunner().invoke(
        main, [*arguments, "--on-fault", "record", "--archive", str(tmp_path / "a")]
    )
    assert kept.exit_code == 0, kept.output
    assert "hands that a policy spoiled" in kept.output
