"""Policies that break the rules: the run stops with a line, or the hand is recorded as aborted."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import skatsim
from skatsim.archive import Archive
from skatsim.errors import PolicyError, WorkerError
from skatsim.kernels.bits import lowest_bit as lowest
from skatsim.policies.plugin import compiled_policy
from skatsim.reporting.session import Session
from skatsim.simulation import simulate


class Faulty:
    """Plays the lowest card, and in one hand of eight what it should not."""

    def play(self, view):
        return self.wrong(view) if view.word % 128 == 5 else view.legal_cards[0]


class Illegal(Faulty):
    def wrong(self, view):
        return next(card for card in range(32) if card not in view.legal_cards)


class Nothing(Faulty):
    def wrong(self, view):
        return None


class Raising(Faulty):
    def wrong(self, view):
        raise KeyError("lost")


class Exiting(Faulty):
    def wrong(self, view):
        sys.exit(0)


class Leaving(Faulty):
    def wrong(self, view):
        raise GeneratorExit


class Wordy(Faulty):
    def wrong(self, view):
        raise ValueError("two\nlines \x1b[31m" + 500 * "!")


class Writing(Faulty):
    def wrong(self, view):
        view.hand_mask = 0


class Huge(Faulty):
    def wrong(self, view):
        return 1 << 70


class Many:
    """The same at many tables."""

    is_batch = True

    def play(self, waiting):
        cards = np.bitwise_count((waiting.legal_mask & -waiting.legal_mask) - 1).astype(np.int64)
        return self.answered(waiting, waiting.word % 128 == 5, cards)


class ManyIllegal(Many):
    def answered(self, waiting, chosen, cards):
        return np.where(chosen, 99, cards)


class ManyNothing(Many):
    def answered(self, waiting, chosen, cards):
        return None if chosen.any() else cards


class ManyRaising(Many):
    def answered(self, waiting, chosen, cards):
        if chosen.any():
            raise KeyError("lost")
        return cards


class ManyExiting(Many):
    def answered(self, waiting, chosen, cards):
        if chosen.any():
            sys.exit(0)
        return cards


class ManyWriting(Many):
    def answered(self, waiting, chosen, cards):
        if chosen.any():
            waiting.hand_mask[0] = 0
        return cards


class ManyFloats(Many):
    def answered(self, waiting, chosen, cards):
        return cards / 2 if chosen.any() else cards


@compiled_policy(decisions=("play",))
def compiled_illegal(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    return 99 if word % 128 == 5 else lowest(legal_mask)


@compiled_policy(decisions=("play",))
def compiled_raising(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    if word % 128 == 5:
        raise KeyError("lost")
    return lowest(legal_mask)


@compiled_policy(decisions=("play",))
def compiled_writing(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    if word % 128 == 5:
        public["bid_value"] = 18 + public["bid_value"]
    return lowest(legal_mask)


FAULTS = [
    (Illegal, "answered [CSHD].", "legal were"),
    (Nothing, "answered None to play: wanted is a card", "legal were"),
    (Raising, "raised KeyError: 'lost'", "legal were"),
    (Exiting, "raised SystemExit: 0", "legal were"),
    (Leaving, "raised GeneratorExit", "legal were"),
    (Wordy, r"raised ValueError: two lines .x1b.31m!+[.]{3}", "legal were"),
    (Writing, "raised AttributeError", "legal were"),
    (Huge, "answered 1180591620717411303424", "legal were"),
    (ManyIllegal, "answered 99 to play, which is not legal", "legal were"),
    (ManyNothing, "answered None: wanted are 1 whole numbers", "legal were"),
    (ManyRaising, "raised KeyError: 'lost'", "legal were"),
    (ManyExiting, "raised SystemExit: 0", "legal were"),
    (ManyWriting, "raised ValueError: assignment destination is read-only", "legal were"),
    (ManyFloats, "answered float64 of shape", "legal were"),
    (compiled_illegal, "answered 99 to play, which is not legal", "legal were"),
    (compiled_raising, "raised KeyError: 'lost'", "legal were"),
    (compiled_writing, "wrote to what it was shown", "legal were"),
]
"""Policies with one kind of fault each, and what is said of it."""

NAMES = [getattr(policy, "__name__", None) or policy.name for policy, _, _ in FAULTS]


@pytest.mark.parametrize(("policy", "said", "legal"), FAULTS, ids=NAMES)
def test_the_run_stops_with_a_line_that_names_policy_hand_and_legal_actions(
    policy, said, legal
) -> None:
    where = r"^hand \d+ of seed 1: policy '\w+' at (forehand|middlehand|rearhand) "
    with pytest.raises(PolicyError, match=f"{where}{said}.*{legal} [CSHD]"):
        simulate(hands=100, seed=1, n_jobs=1, play=policy)


@pytest.mark.parametrize(("policy", "said", "legal"), FAULTS, ids=NAMES)
def test_the_hand_is_recorded_as_aborted_and_the_run_goes_on(
    policy, said, legal, tmp_path, monkeypatch
) -> None:
    result = simulate(
        hands=300, seed=1, n_jobs=1, archive=tmp_path, run="r", play=policy, on_fault="record"
    )
    assert 20 < result.aborted < 150 and result.hands == 300
    assert Archive.open(tmp_path).verify(deep=True) == []
    with Session.open(Archive.open(tmp_path)) as session:
        (row,) = session.sql(
            "select count(*)::bigint as hands, "
            "count(*) filter (status = 'aborted')::bigint as aborted, "
            "count(*) filter (end_reason = 'policy_fault')::bigint as spoiled, "
            "count(fault)::bigint as told, "
            f"count(*) filter (regexp_matches(fault, '{said.replace(chr(39), chr(39) * 2)}'))"
            "::bigint as said, "
            "coalesce(sum(abs(score)) filter (status = 'aborted'), 0)::bigint as score, "
            "count(*) filter (is_counted and status = 'aborted')::bigint as counted, "
            "count(*) filter (is_counted)::bigint as declared from games"
        ).rows()
    assert row["aborted"] == row["spoiled"] == row["told"] == row["said"] == result.aborted
    assert (row["score"], row["counted"]) == (0, 0)
    assert row["declared"] == result.declared
    # and so it is for any block and any number of workers
    from skatsim import blocks

    monkeypatch.setattr(blocks, "BLOCK_HANDS", 37)
    again = simulate(hands=300, seed=1, n_jobs=1, play=policy, on_fault="record")
    assert (again.digest, again.aborted) == (result.digest, result.aborted)


def spoiling(question):
    """A policy that is uniform but for one question, to which it answers nothing."""
    from skatsim.policies.examples import UniformPlain

    return type(f"No{question}", (UniformPlain,), {question: lambda self, view: "what?"})


QUESTIONS = ("bid", "pick_up", "declare", "play", "kontra", "grand_hand", "look", "push", "knock",
             "schenken", "accept", "resort")  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_played_before_a_fault_is_kept_whatever_was_asked(question, tmp_path) -> None:
    from tests.unit.test_plugins import OWN_HOUSE

    policy = spoiling(question)
    rules = OWN_HOUSE.with_(ramsch_rounds="always", is_ramsch_grand_hand=True)
    aborted = 0
    for run, ruleset in (("auction", OWN_HOUSE), ("ramsch", rules)):
        result = simulate(
            hands=300,
            seed=3,
            n_jobs=1,
            archive=tmp_path,
            run=run,
            ruleset=ruleset,
            on_fault="record",
            seats=[policy, "uniform", policy],
        )
        aborted += result.aborted
    assert aborted > 0
    assert Archive.open(tmp_path).verify(deep=True) == []


def test_a_fault_in_a_series_moves_nothing_on(tmp_path) -> None:
    result = simulate(
        hands=720, seed=1, n_jobs=1, archive=tmp_path, run="r", series=36, ruleset="casa",
        play=Illegal, on_fault="record",
    )  # fmt: skip
    assert result.aborted > 20
    assert Archive.open(tmp_path).verify(deep=True) == []


def test_games_of_a_faulty_policy_are_replayed(tmp_path) -> None:
    from click.testing import CliRunner

    from skatsim.cli import main

    simulate(hands=100, seed=1, n_jobs=1, archive=tmp_path, run="r", play=Raising,
             on_fault="record")  # fmt: skip
    with Session.open(Archive.open(tmp_path)) as session:
        rows = session.sql("select hand_number from games where status = 'aborted' limit 1").rows()
    shown = CliRunner().invoke(
        main, ["replay", f"r:{rows[0]['hand_number']}", "--archive", str(tmp_path)]
    )
    assert shown.exit_code == 0, shown.output
    assert "A policy broke the rules" in shown.output


# Programs


def test_a_policy_that_changes_the_working_folder_does_no_harm(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    class Moving:
        def play(self, view):
            os.chdir(tmp_path / "elsewhere")
            return view.legal_cards[0]

    done = simulate(hands=20, seed=1, n_jobs=1, archive="games", run="r", play=Moving)
    assert done.hands == 20
    assert Archive.open(tmp_path / "games").verify(deep=True) == []
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_refused_declaration_is_told_as_it_was_answered() -> None:
    class Revolution:
        def bid(self, view):
            return 18 if 18 in view.legal_calls else "pass"

        def pick_up(self, view):
            return False

        def declare(self, view):
            return skatsim.Contract(name="null", is_revolution=True), None

    with pytest.raises(
        PolicyError, match=r"answered 'null [^']*revolution[^']*' to declare, which"
    ):
        simulate(hands=20, seed=1, n_jobs=1, bidding=Revolution, declaring=Revolution)


def test_the_first_fault_stops_the_run() -> None:
    """Nobody is asked further: an answer may be waited for as long as the time limit."""
    asked = []

    class Once:
        def play(self, view):
            asked.append(view)

    class Batch:
        is_batch = True

        def play(self, waiting):
            asked.append(waiting)

    for policy, most in ((Once, 1), (Batch, 2)):
        asked.clear()
        with pytest.raises(PolicyError, match="answered None"):
            simulate(hands=50, seed=1, n_jobs=1, play=policy)
        assert len(asked) == most


def test_policies_that_leave_when_they_are_made_or_loaded_are_named(tmp_path) -> None:
    (tmp_path / "leaving.py").write_text(
        "import sys\n"
        "class Early:\n"
        "    def __init__(self): sys.exit(5)\n"
        "    def play(self, view): return view.legal_cards[0]\n"
        "class Async:\n"
        "    async def play(self, view): return view.legal_cards[0]\n",
        encoding="utf-8",
    )
    (tmp_path / "gone.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    for jobs in (1, 2):
        with pytest.raises(PolicyError, match=r"Early' cannot be started: SystemExit: 5$"):
            simulate(hands=5, n_jobs=jobs, play=f"{tmp_path}/leaving.py:Early")
    with pytest.raises(PolicyError, match=r"method 'play' of policy .* is async"):
        simulate(hands=5, n_jobs=1, play=f"{tmp_path}/leaving.py:Async")
    found: list[str] = []

    def load() -> None:  # where no Ctrl-C can come from
        with pytest.raises(PolicyError) as caught:
            skatsim.find_policy(f"{tmp_path}/gone.py:Any")
        found.append(str(caught.value))

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert found == ["policy 'gone.py:Any' cannot be loaded: KeyboardInterrupt"]


BOTS = {
    "sleeping": "import sys, time\nfor line in sys.stdin: time.sleep(60)\n",
    "ending": "import sys\nsys.stdin.readline()\nsys.exit(3)\n",
    "raving": "import sys\nfor line in sys.stdin: print('no idea', flush=True)\n",
    "wrong": "import sys\nfor line in sys.stdin: print('\"CJ CJ\"', flush=True)\n",
    "endless": "import sys\nwhile True: sys.stdout.write('x' * 65536)\n",
    "deaf": "import time\nwhile True: time.sleep(1)\n",
}

BOT_FAULTS = {
    "sleeping": "gave no answer within 0.3 s",
    "ending": "ended with exit code 3",
    "raving": "answered 'no idea', which is no JSON",
    "wrong": "answered 'CJ CJ' to play: wanted is a card",
    "endless": "answered 1,[0-9]{3},[0-9]{3} bytes in a line and more",
    "deaf": "gave no answer within 0.3 s",
}


def program(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return f"cmd:{sys.executable} {folder}/{name}.py"


@pytest.mark.parametrize("name", BOTS)
def test_programs_that_do_not_answer_are_faults(name, tmp_path) -> None:
    settings = {"seed": 1, "n_jobs": 1, "play": program(tmp_path, name, BOTS[name])}
    with pytest.raises(PolicyError, match=f"{BOT_FAULTS[name]}: legal were"):
        simulate(hands=3, time_limit=0.3, **settings)
    result = simulate(hands=3, time_limit=0.3, on_fault="record", **settings)
    assert result.aborted == 3


def test_a_program_that_answers_twice_is_told_at_the_next_question(tmp_path) -> None:
    bot = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    card = json.dumps(json.loads(line)['legal'][0])\n"
        "    sys.stdout.write(f'{card}\\n{card}\\n')\n"
        "    sys.stdout.flush()\n"
    )
    with pytest.raises(PolicyError, match="answered more than one line to the question before"):
        simulate(hands=3, seed=1, n_jobs=1, play=program(tmp_path, "twice", bot))


def test_a_program_and_all_it_started_end_with_the_run(tmp_path) -> None:
    text = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} {{child.pid}} ')\n"
        "import json\n"
        "for line in sys.stdin: print(json.dumps(json.loads(line)['legal'][0]), flush=True)\n"
        "import time; time.sleep(600)\n"  # it does not leave when its input ends
    )
    simulate(hands=2, seed=1, n_jobs=1, play=program(tmp_path, "family", text))
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert not any(is_running(pid) for pid in pids)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


def test_programs_that_cannot_be_run_are_named() -> None:
    for text, said in (
        ("cmd:", "names no program"),
        ("cmd:/no/such/bot", "names no program"),
        ("cmd:'bot", "cannot read the command"),
    ):
        with pytest.raises(PolicyError, match=said):
            skatsim.find_policy(text)


# Time limits of what runs in our own code

HANGING = """
import time


class Sleeping:
    def play(self, view):
        if view.word % 512 == 5:
            time.sleep(600)
        return view.legal_cards[0]


class Many:
    is_batch = True

    def play(self, waiting):
        time.sleep(600)


class Leaving:
    def play(self, view):
        import os

        os._exit(7)
"""

# compiled by each process that loads it, therefore in a file of its own
ENDLESS = """
import skatsim
from skatsim.kernels.bits import lowest_bit


@skatsim.compiled_policy(decisions=("play",))
def endless(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    step = 1
    while word % 512 == 5 and step != 0:
        step += 2
    return lowest_bit(legal_mask)
"""


@pytest.fixture
def hanging(tmp_path: Path) -> str:
    path = tmp_path / "hanging.py"
    path.write_text(HANGING, encoding="utf-8")
    path.with_name("endless.py").write_text(
        ENDLESS, encoding="utf-8"
    )  # it takes a second each time
    return str(path)


@pytest.mark.parametrize("name", ["hanging.py:Sleeping", "endless.py:endless"])
def test_a_policy_that_never_returns_ends_its_process_and_not_the_run(name, hanging) -> None:
    settings = {"hands": 8, "seed": 1, "n_jobs": 1, "play": f"{Path(hanging).parent}/{name}"}
    line = rf"hand \d+ of seed 1: policy '{name}' at \w+ gave no answer within 0.5 s"
    with pytest.raises(PolicyError, match=line):
        simulate(time_limit=0.5, **settings)
    result = simulate(time_limit=0.5, on_fault="record", **settings)
    assert 0 < result.aborted < 5
    unlimited = {**settings, "hands": 2}
    assert simulate(time_limit=5.0, **unlimited).digest == simulate(**unlimited).digest


def test_a_time_limit_that_cannot_be_kept_is_refused(hanging) -> None:
    with pytest.raises(PolicyError, match="asked for many hands at once"):
        simulate(hands=2, play=f"{hanging}:Many", time_limit=1.0, on_fault="record")
    with pytest.raises(PolicyError, match="gave no answer within 1 s"):
        simulate(hands=2, n_jobs=1, play=f"{hanging}:Many", time_limit=1.0)

    class Local:
        lock = threading.Lock()  # which no other process can have

        def play(self, view):
            return view.legal_cards[0]

    with pytest.raises(PolicyError, match="put it into a file"):
        simulate(hands=2, play=Local, time_limit=1.0)


def test_a_policy_that_ends_its_process_is_named(hanging) -> None:
    settings = {"hands": 2, "seed": 1, "n_jobs": 1, "play": f"{hanging}:Leaving"}
    line = (
        r"^hand \d of seed 1: policy 'hanging.py:Leaving' at \w+ ended its process with exit code 7"
    )
    with pytest.raises(PolicyError, match=f"{line}: legal were"):
        simulate(time_limit=5.0, **settings)
    assert simulate(time_limit=5.0, on_fault="record", **settings).aborted == 2


# What is refused when a policy is compiled


def test_compiled_policies_have_one_signature() -> None:
    def floats(rules, player, public, hand_mask, skat_mask, legal_mask, word):
        return 1.5

    def nothing(rules, player, public, hand_mask, skat_mask, legal_mask, word):
        if word > 5:
            return 1
        return None

    def yes(rules, player, public, hand_mask, skat_mask, legal_mask, word):
        return word > 5

    def fewer(rules, public):
        return 1

    def broken(rules, player, public, hand_mask, skat_mask, legal_mask, word):
        return no_such_thing(word)  # noqa: F821

    for function, said in (
        (floats, "returns float64: every path must return a whole number"),
        (nothing, "returns .*[Oo]ption"),
        (yes, "returns bool"),
        (fewer, r"takes \(rules, public\): a compiled policy takes \(rules, player, public"),
        (broken, r"does not compile: .*no_such_thing.* \(test_policy_faults.py, line \d+\)"),
    ):
        with pytest.raises(PolicyError, match=said):
            compiled_policy(function)


@compiled_policy(decisions=("play",))
def cheating(rules, player, public, hand_mask, skat_mask, legal_mask, word):
    if word % 128 == 5:
        rules["bid_least"] = 2
        player["parameters"][3] += 1
    return lowest(legal_mask)


def test_a_compiled_policy_that_writes_to_the_rules_is_at_fault_in_that_hand(
    tmp_path, monkeypatch
) -> None:
    settings = {"hands": 200, "seed": 1, "n_jobs": 1, "play": cheating}
    said = r"^hand \d+ of seed 1: policy 'cheating' wrote to the rules or the parameters it was"
    with pytest.raises(PolicyError, match=said):
        simulate(**settings)
    result = simulate(archive=tmp_path, run="r", on_fault="record", **settings)
    assert 10 < result.aborted < 150
    assert skatsim.ISKO.kernel_record()["bid_least"] == 18
    assert Archive.open(tmp_path).verify(deep=True) == []
    with Session.open(Archive.open(tmp_path)) as session:
        (row,) = session.sql(
            "select count(*)::bigint as n from games where fault like 'policy ''cheating'' wrote%'"
        ).rows()
    assert row["n"] == result.aborted
    # one that does not write plays the same in all other hands, whatever the block
    from skatsim import blocks

    monkeypatch.setattr(blocks, "BLOCK_HANDS", 37)
    assert simulate(on_fault="record", **settings).digest == result.digest
    mixed = {**settings, "seats": [cheating, "uniform", "heuristic"]}
    del mixed["play"]
    first = simulate(on_fault="record", **mixed)
    monkeypatch.setattr(blocks, "BLOCK_HANDS", 200)
    again = simulate(on_fault="record", **mixed)
    assert (first.digest, first.aborted) == (again.digest, again.aborted)


SLOW = """
import time


class Slow:
    def play(self, view):
        time.sleep(0.01)
        return view.legal_cards[0]


class Leaving:
    def play(self, view):
        import os

        os._exit(7)
"""


@pytest.fixture
def slow(tmp_path: Path) -> str:
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    return f"{tmp_path}/slow.py"


def test_a_policy_that_ends_its_worker_is_one_line(slow, monkeypatch) -> None:
    monkeypatch.setattr("skatsim.manifest.SLOW_PART_HANDS", 10)
    with pytest.raises(WorkerError, match="a process that played was ended, from outside or"):
        simulate(hands=40, seed=1, n_jobs=2, play=f"{slow}:Leaving")


@pytest.mark.slow
@pytest.mark.parametrize("limit", [[], ["--time-limit", "5"]], ids=["plain", "watched"])
def test_processes_end_with_a_parent_that_is_killed(slow, limit) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "skatsim", "simulate", "--hands", "40000", "--no-records",
         "--jobs", "2", "--play", f"{slow}:Slow", *limit],
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            children = children_of(run.pid)
            if len(children) >= 2:
                break
            time.sleep(0.1)
        time.sleep(3)
        children |= children_of(run.pid)
    finally:
        run.kill()
        run.wait()
    assert len(children) >= 2
    assert not any(is_running(pid) for pid in children)


def children_of(parent: int) -> set[int]:
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.add(int(stat.parent.name))
    return found


def test_no_process_is_left(hanging) -> None:
    from skatsim import watch

    simulate(hands=2, seed=1, n_jobs=1, play=f"{hanging}:Sleeping", time_limit=5.0)
    assert watch._idle == []
