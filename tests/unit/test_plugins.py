"""Policies plugged in: the three ways play the same games, and every policy keeps the contract."""

import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import skatsim
from skatsim.archive import Archive
from skatsim.errors import PolicyError
from skatsim.kernels import engine, lockstep
from skatsim.kernels.house import uniform_house
from skatsim.kernels.table import (
    PHASE_AUCTION,
    PHASE_DECLARE,
    PHASE_PICK_UP,
    PHASE_PLAY,
)
from skatsim.kernels.uniform import uniform_call, uniform_card, uniform_declaration
from skatsim.policies.base import Policy
from skatsim.policies.examples import UniformBatch, UniformPlain
from skatsim.policies.players import Players
from skatsim.policies.plugin import as_policy
from skatsim.policies.registry import find_policy, policies
from skatsim.replaying import rows_digest
from skatsim.rows import Rows
from skatsim.ruleset import ISKO, find_ruleset
from skatsim.simulation import simulate
from skatsim.table import CALLER
from tests.cli.test_readme import FILES

OWN_HOUSE = find_ruleset("casa").with_(
    name="everything",
    kontra_steps=4,
    is_schieberamsch=True,
    is_klopfen=True,
    is_schenken=True,
    revolution_value=92,
    spitze_levels=1,
    is_kontra_in_ramsch=True,
)


def all_seats(policy):
    return {"bidding": policy, "declaring": policy, "play": policy}


@skatsim.compiled_policy
def uniform_compiled(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    """The policy uniform as a plug-in."""
    if public["phase"] == PHASE_AUCTION:
        return uniform_call(rules, public, word)
    if public["phase"] == PHASE_PICK_UP:
        return word & 1
    if public["phase"] == PHASE_DECLARE:
        return uniform_declaration(rules, public, hand_mask, word)
    if public["phase"] != PHASE_PLAY:
        return uniform_house(rules, public, hand_mask, legal_mask & ~hand_mask, word)
    return uniform_card(legal_mask, word)


EXAMPLES = [as_policy(UniformPlain), as_policy(UniformBatch), uniform_compiled]


@pytest.fixture
def readme_files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def play(policy, hands=200, *, seed=1, ruleset=ISKO, games=None):
    """Games of one policy at all seats, by the driver of plug-ins; no fault is let pass."""
    table = Rows(
        np.arange(hands) if games is None else games, seed, Players.of(**all_seats(policy)), ruleset
    )
    table.play(np.arange(len(table.faults)))
    table.explain_faults()
    assert table.reasons == {}
    return table.games()


@pytest.mark.parametrize("policy", EXAMPLES, ids=lambda policy: policy.name)
def test_uniform_plays_the_same_games_in_all_ways(policy: Policy) -> None:
    expected = simulate(hands=20_000, seed=7, n_jobs=1, **all_seats("uniform"))
    result = simulate(hands=20_000, seed=7, n_jobs=1, **all_seats(policy))
    assert result.digest == expected.digest
    assert (result.declared, result.won, result.aborted) == (expected.declared, expected.won, 0)


@pytest.mark.parametrize("policy", EXAMPLES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("ruleset", [OWN_HOUSE, find_ruleset("casa")], ids=lambda r: r.name)
def test_ways_agree_on_what_house_rules_ask(policy: Policy, ruleset) -> None:
    for series in (None, 36):
        settings = {"hands": 1440, "seed": 2, "n_jobs": 1, "series": series, "ruleset": ruleset}
        expected = simulate(**settings, **all_seats("uniform"))
        assert simulate(**settings, **all_seats(policy)).digest == expected.digest


def test_readme_shows_one_policy_in_all_ways(readme_files: Path) -> None:
    """Each is a whole policy in fewer than 20 lines."""
    assert max(len(text.splitlines()) for text in FILES.values()) < 20
    digests = {
        simulate(hands=20_000, seed=1, n_jobs=1, play=f"{readme_files}/{name}").digest
        for name in ("plain.py:Thrifty", "batch.py:Thrifty", "compiled.py:thrifty")
    }
    assert len(digests) == 1
    other = simulate(
        hands=20_000, seed=1, n_jobs=1, play=f"{readme_files}/compiled.py:thrifty:points=14"
    )
    assert other.digest not in digests


def test_readme_shows_that_policy_as_a_program_too(readme_files: Path) -> None:
    program = f"cmd:{sys.executable} {readme_files}/bot.py"
    one = simulate(hands=100, seed=1, n_jobs=1, play=program)
    assert one.digest == simulate(hands=100, seed=1, play=f"{readme_files}/plain.py:Thrifty").digest


def test_readme_shows_a_model(readme_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model built here rates cards by number, so that the highest legal card is played."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.zeros((64, 32), dtype=np.float32)
    constants = [("weights", weights), ("bias", np.arange(32, dtype=np.float32))]
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["cards", "weights", "bias"], ["ratings"])],
        "rating",
        [helper.make_tensor_value_info("cards", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("ratings", TensorProto.FLOAT, ["n", 32])],
        [numpy_helper.from_array(array, name) for name, array in constants],
    )
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, readme_files / "cards.onnx")
    monkeypatch.chdir(readme_files)

    class Highest:
        def play(self, view):
            return view.legal_cards[-1]

    found = simulate(hands=500, seed=1, n_jobs=1, play="./net.py:Net")
    assert found.digest == simulate(hands=500, seed=1, n_jobs=1, play=Highest).digest


def test_readme_shows_a_program_that_learns(readme_files: Path, capsys) -> None:
    exec(FILES["learn.py"], {})
    assert capsys.readouterr().out.count(".") >= 3


# The contract, for every policy that has a name and for the examples

CONTRACT = [*policies(), *EXAMPLES]


@pytest.mark.parametrize("policy", CONTRACT, ids=lambda policy: policy.name)
def test_policies_are_legal_repeatable_and_forgetful(policy: Policy) -> None:
    """A game is the same again, alone, and after other games."""
    rows, calls = play(policy, 400)
    again, calls_again = play(policy, 400)
    assert rows_digest(rows, calls) == rows_digest(again, calls_again)
    alone = sum(int(rows_digest(*play(policy, games=np.array([k]))), 16) for k in range(0, 400, 8))
    some = play(policy, games=np.arange(392, -1, -8))
    assert f"{alone % 2**128:032x}" == rows_digest(*some)
    for ruleset in (OWN_HOUSE, find_ruleset("ramsch")):
        play(policy, 200, ruleset=ruleset)


def positions(policy: Policy, count: int) -> tuple[Rows, np.ndarray]:
    """Tables at which the policy has been asked a random number of questions."""
    rng = np.random.default_rng(5)
    table = Rows(np.arange(count), 3, Players.of(**all_seats(CALLER)), ISKO)
    asked = table.play(np.arange(count), None, np.ones(12, dtype=bool))
    stops = rng.integers(0, 30, count)
    kept: list[np.ndarray] = []
    step = 0
    while len(asked):
        is_kept = stops[asked["row"]] <= step
        kept.append(asked[is_kept])
        asked = asked[~is_kept]
        actions = decide(table, asked, policy)
        asked = table.play(asked["row"].copy(), actions, np.ones(12, dtype=bool))
        step += 1
    return table, np.concatenate(kept)


def decide(table: Rows, asked: np.ndarray, policy: Policy) -> np.ndarray:
    """What the policy does at the tables asked, seen from the records after it."""
    if policy.way != "built-in":
        other = Rows(table.numbers, 3, Players.of(**all_seats(policy)), ISKO)
        other.public, other.hidden = table.public, table.hidden
        if policy.way != "compiled":
            return other._answers(asked)
    actions = np.zeros(len(asked), dtype=np.int64)
    rules = ISKO.kernel_record()
    player = Players.of(**all_seats(policy)).kernel_rows()[0]
    for index, one in enumerate(asked):
        public, hidden = table.public[one["row"]].copy(), table.hidden[one["row"]].copy()
        if one["phase"] == PHASE_PLAY:
            legal = int(one["legal_mask"])
            actions[index] = engine.decide_card(rules, player, public, hidden, legal)
        else:
            actions[index] = engine.decide_before_play(rules, player, public, hidden)
    return actions


@pytest.mark.parametrize("policy", CONTRACT, ids=lambda policy: policy.name)
def test_policies_are_blind_to_hidden_cards(policy: Policy) -> None:
    """With the cards it cannot see dealt anew, a policy does the same."""
    table, asked = positions(policy, 600)
    before = decide(table, asked, policy)
    rng = np.random.default_rng(6)
    for one in asked:
        deal_hidden_anew(table, one, rng)
    table.hidden["bid_limits"] = -1
    assert (decide(table, asked, policy) == before).all()
    assert len(np.unique(asked["phase"])) >= 3


def deal_hidden_anew(table: Rows, one: np.ndarray, rng: np.random.Generator) -> None:
    """Give all that the seat asked does not see to others."""
    public, hidden = table.public[one["row"]], table.hidden[one["row"]]
    seat, declarer = int(one["seat"]), int(public["declarer"])
    others = [other for other in range(3) if other != seat]
    if public["open_mask"]:
        others = [other for other in others if other != declarer]
    skat = "discard_mask" if hidden["discard_mask"] else "skat_mask"
    is_skat_seen = seat == declarer and public["is_skat_taken"]
    pool = [card for other in others for card in bits(int(hidden["hands"][other]))]
    pool += [] if is_skat_seen else bits(int(hidden[skat]))
    rng.shuffle(pool)
    for other in others:
        count = int(hidden["hands"][other]).bit_count()
        hidden["hands"][other] = sum(1 << card for card in pool[:count])
        del pool[:count]
    if not is_skat_seen:
        hidden[skat] = sum(1 << card for card in pool)


def bits(mask: int) -> list[int]:
    return [card for card in range(32) if mask >> card & 1]


GOLDEN = {
    ("uniform", 1): "65a2175375362c43591bc7c618523e10",
    ("heuristic", 3): "d5098a6caeb7b9aa71d28d68e7660287",
    ("von_stegen", 2): "b9caee39ef10144c7158dc2b6ee9be06",
    ("wergin", 2): "25629676837cdaec7c47ff1e437959ad",
    ("xskat_rule", 2): "b9c1312d1ac3ce654a92476545df086d",
    ("trumps_and_aces", 2): "4117c9b52fa775300c4df39a665c01e3",
}
"""Digests of 2,000 games, plain and under house rules, by policy and version."""


@pytest.mark.parametrize("policy", policies(), ids=lambda policy: policy.name)
def test_a_policy_that_plays_otherwise_has_another_version(policy: Policy) -> None:
    """Runs are resumed by version: what plays otherwise under an old one mixes two players."""
    digest = 0
    for ruleset in (ISKO, OWN_HOUSE):
        result = simulate(hands=1000, seed=11, n_jobs=1, ruleset=ruleset, **all_seats(policy))
        digest += int(result.digest, 16)
    found = f"{digest % 2**128:032x}"
    assert GOLDEN.get((policy.name, policy.version)) == found, (
        f"{policy.name} plays otherwise than its version {policy.version}: raise the version and "
        f"pin {found}"
    )


# What a policy sees


class Probe:
    """Keeps what it is shown."""

    seen: ClassVar[list[dict]] = []

    def play(self, view):
        self.seen.append({**view.to_dict(), "mask": view.hand_mask, "open": view.open_mask})
        return view.legal_cards[0]

    def declare(self, view):
        self.seen.append({**view.to_dict(), "mask": view.hand_mask, "open": view.open_mask})
        if view.is_skat_taken:
            return "grand" if view.bid_value > 23 else "null", view.hand[:2]
        return "null ouvert hand" if view.bid_value <= 59 else "grand hand"

    def pick_up(self, view):
        return view.bid_value > 30


def test_after_ouvert_the_open_hand_is_in_the_view_and_nothing_hidden_is() -> None:
    Probe.seen.clear()
    rows, _ = play_mixed(Probe, 60)
    shown = [seen for seen in Probe.seen if seen["question"] == "play"]
    ouvert = [seen for seen in shown if "ouvert" in seen["contract"]]
    assert len(ouvert) > 50
    for seen in shown:
        assert bool(seen["open_hand"]) == ("ouvert" in seen["contract"]) or not seen["open"]
        played = {card for trick in seen["tricks"] for card in trick["cards"]}
        known = {*seen["hand"], *seen["open_hand"], *seen["skat"], *played}
        assert len(known) <= 32 and not set(seen["hand"]) & played
        if seen["seat"] != seen["declarer"]:
            assert seen["skat"] == []
    assert set(Probe.seen[0]) - {"mask", "open"} == {
        "question", "seat", "hand", "skat", "legal", "ruleset", "dealer", "auction", "bid_value",
        "declarer", "is_skat_taken", "contract", "open_hand", "tricks", "points", "kontra_count",
        "kontra_seat", "bock_factor", "is_ramsch_round", "is_schenken_refused", "unseen_pushes",
        "knocks", "word",
    }  # fmt: skip
    assert (rows["end_reason"] != 8).all()


def play_mixed(policy, hands):
    players = Players.of(bidding="uniform", declaring=policy, play=policy)
    table = Rows(np.arange(hands), 1, players, ISKO)
    table.play(np.arange(hands))
    table.explain_faults()
    assert table.reasons == {}
    return table.games()


def test_views_tell_what_all_saw() -> None:
    seen = []

    class Watching:
        def bid(self, view):
            seen.append(("bid", view.bid_value, view.legal_calls[:3], str(view.auction)))
            return view.legal_calls[-1] if view.word % 3 else "pass"

        def play(self, view):
            trick = view.trick
            assert view.dealer == 2 and view.ruleset is ISKO
            assert len(view.played) == sum(len(trick.cards) for trick in view.tricks)
            assert sum(view.points) == sum(
                trick.card_points for trick in view.tricks if trick.winner is not None
            )
            assert trick is None or trick.seats[-1] == (view.seat - 1) % 3
            assert view.rng.random() == view.rng.random()
            assert "PlayerView(play" in repr(view)
            return view.rng.choice(view.legal_cards)

    players = Players.of(bidding=Watching, declaring="heuristic", play=Watching)
    table = Rows(np.arange(50), 1, players, ISKO)
    table.play(np.arange(50))
    table.explain_faults()
    assert table.reasons == {}
    assert seen[0] == ("bid", 0, ("pass", 18, 20), "")


def test_policies_are_mixed_freely_at_one_table() -> None:
    """By seat and by decision, of every way, and the games are those of the built-in ones."""
    expected = simulate(hands=500, seed=4, n_jobs=1, **all_seats("uniform")).digest
    mixed = [UniformPlain, uniform_compiled, UniformBatch]
    assert simulate(hands=500, seed=4, n_jobs=1, seats=mixed).digest == expected
    by_decision = {"bidding": UniformBatch, "declaring": uniform_compiled, "play": UniformPlain}
    assert simulate(hands=500, seed=4, n_jobs=1, **by_decision).digest == expected
    house = {"hands": 500, "seed": 4, "n_jobs": 1, "ruleset": OWN_HOUSE}
    said = simulate(**house, **all_seats("uniform"), kontra="uniform").digest
    assert simulate(**house, **all_seats("uniform"), kontra=UniformPlain).digest == said
    assert simulate(**house, **all_seats("uniform"), kontra="heuristic").digest != said


@pytest.mark.parametrize("way", ["plain.py:Thrifty", "compiled.py:thrifty"])
def test_digests_are_free_of_workers(readme_files: Path, way: str, monkeypatch) -> None:
    """Plain policies play in processes, compiled ones in threads."""
    monkeypatch.setattr("skatsim.manifest.SLOW_PART_HANDS", 300)
    monkeypatch.setattr("skatsim.manifest.PART_HANDS", 300)
    policy = f"{readme_files}/{way}:points=7"
    one = simulate(hands=1000, seed=1, n_jobs=1, play=policy)
    assert simulate(hands=1000, seed=1, n_jobs=2, play=policy).digest == one.digest


def test_a_run_keeps_version_and_source_of_a_policy(readme_files: Path) -> None:
    archive, policy = readme_files / "archive", f"{readme_files}/plain.py:Thrifty"
    simulate(hands=50, seed=1, archive=archive, run="own", play=policy)
    manifest = Archive.open(archive).run("own").manifest
    assert manifest.policies["play"] == ["plain.py:Thrifty"] * 3
    assert manifest.policy_versions["plain.py:Thrifty"] == 1
    assert manifest.policy_sources["plain.py:Thrifty"] == find_policy(policy).source_sha256
    more = {"archive": archive, "run": "own", "mode": "resume", "seed": 1}
    simulate(hands=60, play=policy, **more)
    text = FILES["plain.py"]
    for changed, what in (
        (text.replace("max(", "min("), "source of plain.py:Thrifty"),
        (text.replace("version = 1", "version = 2"), "version of plain.py:Thrifty 1 there, 2"),
    ):
        (readme_files / "plain.py").write_text(changed, encoding="utf-8")
        with pytest.raises(skatsim.ArchiveError, match=what):
            simulate(hands=70, play=policy, **more)


def test_plugins_are_studied_like_others(readme_files: Path) -> None:
    """A duel seats them; what plays on from single hands is for built-in policies."""
    thrifty = f"{readme_files}/batch.py:Thrifty"
    result = skatsim.duel(thrifty, "heuristic", deals=20, seed=1)
    assert {row.policy for row in result.rows} == {"batch.py:Thrifty", "heuristic"}
    with pytest.raises(PolicyError, match="only built-in policies"):
        skatsim.estimate("CJ SJ HA HT H9 D7 S7 C7 D8 S8", policy="cmd:true", samples=100)


def test_rows_of_the_driver_name_every_waiting_row_once() -> None:
    table = Rows(np.arange(30), 1, Players.of(**all_seats(CALLER)), ISKO)
    asked = table.play(np.arange(30), None, np.ones(12, dtype=bool))
    assert asked.dtype == lockstep.ASKED
    assert asked["row"].tolist() == list(range(30))


def test_a_policy_is_refused_for_what_it_does_not_decide(readme_files: Path) -> None:
    with pytest.raises(PolicyError, match="does not decide bidding: it takes play"):
        simulate(hands=1, bidding=f"{readme_files}/plain.py:Thrifty")


# What a view tells of house rules


def test_views_tell_who_deals_and_what_house_rules_know(tmp_path) -> None:
    seen: list[dict[str, object]] = []

    class Looking(UniformPlain):
        def play(self, view):
            public = view.waiting
            place = view.place
            row = {name: int(public[name][place]) for name in ("kontra_seat", "kontra_count",
                   "bock_factor", "unseen_pushes", "knocks")}  # fmt: skip
            seen.append(view.to_dict())
            assert view.bock_factor == row["bock_factor"]
            assert view.unseen_pushes == row["unseen_pushes"]
            assert sum(1 << seat for seat in view.knocks) == row["knocks"]
            said = None if row["kontra_count"] == 0 else row["kontra_seat"]
            assert view.kontra_seat == said
            return super().play(view)

    rules = OWN_HOUSE.with_(ramsch_rounds="always", is_ramsch_grand_hand=True)
    for ruleset in (OWN_HOUSE, rules):
        simulate(hands=100, seed=3, n_jobs=1, ruleset=ruleset, seats=[Looking] * 3)
    told = list(seen)
    assert {content["dealer"] for content in told} == {"rearhand"}
    assert {True, False} == {content["is_ramsch_round"] for content in told}
    assert any(content["kontra_seat"] for content in told)
    assert any(content["unseen_pushes"] for content in told)
    assert any(content["knocks"] for content in told)
    seen.clear()
    simulate(hands=8, seed=3, n_jobs=1, series=4, table=4, seats=[Looking] * 4)
    assert {content["dealer"] for content in seen} == {None}
