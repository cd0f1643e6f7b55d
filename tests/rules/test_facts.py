"""Deals of the simulator against exact facts, counted in SQL over an archive (RULES 1).

Every count is of deals: a fact about hands or seats is counted for forehand, or as the number
of deals that show it, so that the deals are independent and the error is that of a share.
"""

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from skatsim.reporting import Session
from skatsim.simulation import simulate

QUICK_HANDS = 200_000
SLOW_HANDS = 10_000_000

LEAST_DEALS = 1_000
"""What fewer deals show is not compared."""

ERRORS = 4.0
"""A share may be so many standard errors off."""


def _fraction(entry: Any) -> Fraction:
    return Fraction(entry["frac"])


@pytest.fixture(scope="module")
def quick_session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from _session(tmp_path_factory.mktemp("facts"), QUICK_HANDS)


@pytest.fixture(scope="module")
def slow_session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    yield from _session(tmp_path_factory.mktemp("facts"), SLOW_HANDS)


def _session(folder: Path, hands: int) -> Any:
    simulate(
        hands=hands,
        seed=1,
        archive=folder,
        bidding="uniform",
        declaring="uniform",
        play="uniform",
    )
    with Session.open(folder) as session:
        yield session


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    from tests.conftest import CORPUS

    path = CORPUS / "rules" / "facts.json"
    if not path.is_file():
        pytest.skip(f"test_facts needs the reference files: no {path}")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {name: entry["value"] for name, entry in loaded.items()}


def counted(session: Session, expression: str, where: str = "true") -> tuple[dict[Any, int], int]:
    """How many deals show each value of an expression, and how many deals there are."""
    rows = session.sql(
        f"select {expression} as value, count(*) as deals from deals where {where} group by all"
    ).rows()
    counts = {row["value"]: row["deals"] for row in rows}
    return counts, sum(counts.values())


def pairs_of(session: Session, *expressions: str) -> dict[tuple[Any, ...], int]:
    """How many deals show each combination of several expressions."""
    columns = ", ".join(f"{text} as value_{k}" for k, text in enumerate(expressions))
    rows = session.sql(f"select {columns}, count(*) as deals from deals group by all").rows()
    return {tuple(row.values())[:-1]: row["deals"] for row in rows}


def regrouped(
    deals: dict[tuple[Any, ...], int], key: Callable[[tuple[Any, ...]], Any]
) -> tuple[dict[Any, int], int]:
    """The same deals counted by something else, and how many there are."""
    counts: dict[Any, int] = {}
    for combination, count in deals.items():
        counts[key(combination)] = counts.get(key(combination), 0) + count
    return counts, sum(counts.values())


def compare(
    label: str, counts: dict[Any, int], total: int, expected: dict[Any, Fraction]
) -> list[str]:
    """What is more than so many standard errors off, one line each."""
    problems = [f"{label}: {value!r} cannot be" for value in counts if value not in expected]
    for value, share in expected.items():
        error = math.sqrt(float(share * (1 - share)) / total) if total else 1.0
        found = counts.get(value, 0) / total if total else 0.0
        # a rare value is no normal variable: one deal more or less is no fault
        if abs(found - float(share)) > ERRORS * error + 1.5 / total:
            problems.append(
                f"{label}: {value!r} {found:.6f}, not {float(share):.6f} ({total} deals)"
            )
    return problems


def jacks(name: str) -> str:
    return f"bit_count({name}_mask & 2155905152::uinteger)::integer"


def by_number(entries: dict[str, Any]) -> dict[Any, Fraction]:
    return {int(key): _fraction(entry) for key, entry in entries.items()}


def runs_of(entries: dict[str, Any]) -> dict[Any, Fraction]:
    """``mit 2`` and ``ohne 3`` as signed matadors."""
    return {
        (1 if key.startswith("mit") else -1) * int(key.split()[1]): _fraction(entry)
        for key, entry in entries.items()
        if re.fullmatch(r"(mit|ohne) \d+", key)
    }


def check(session: Session, facts: dict[str, Any]) -> list[str]:
    """Everything that the deals of a session show otherwise than the facts."""
    problems: list[str] = []

    def test(
        label: str, expression: str, expected: dict[Any, Fraction], where: str = "true"
    ) -> None:
        counts, total = counted(session, expression, where)
        problems.extend(compare(label, counts, total, expected))

    twelve = "(forehand_mask | skat_mask)"
    hand_jacks, skat_jacks = jacks("forehand"), jacks("skat")
    twelve_jacks = f"bit_count({twelve} & 2155905152::uinteger)::integer"
    for name, expression, most in (
        ("P_skat_jacks", skat_jacks, 2),
        ("P_hand_jacks", hand_jacks, 4),
        ("P_12cards_jacks", twelve_jacks, 4),
    ):
        expected = {k: _fraction(facts[f"{name}_{k}"]) for k in range(most + 1)}
        test(name, expression, expected)
    test(
        "some hand has all four jacks",
        f"{hand_jacks} = 4 or {jacks('middlehand')} = 4 or {jacks('rearhand')} = 4",
        _binary(facts["P_some_hand_has_all_four_jacks"]),
    )
    test(
        "club jack in the skat",
        "skat_mask >= 2147483648",
        _binary(facts["P_club_jack_in_skat_unconditional"]),
    )
    test(
        "joint jacks",
        f"concat_ws(',', {hand_jacks}, {jacks('middlehand')}, {jacks('rearhand')}, {skat_jacks})",
        {key: _fraction(entry) for key, entry in facts["joint_jacks_F_M_R_skat"].items()},
    )
    for held in range(5):
        expected = {}
        for found in range(3):
            entry = facts.get(f"P_skat_has_{found}_jacks_given_hand_has_{held}")
            if entry is not None and _fraction(entry):
                expected[found] = _fraction(entry)
        test(f"jacks in the skat, {held} in hand", skat_jacks, expected, f"{hand_jacks} = {held}")

    problems += check_matadors(session, facts)
    for shift in (0, 8, 16, 24):
        trumps = f"(bit_count((forehand_mask >> {shift}) & 127) + {hand_jacks})::integer"
        test(
            f"trumps in hand, suit at {shift}",
            trumps,
            by_number(facts["P_trumps_in_10card_hand_suit"]),
        )
        side = f"bit_count((middlehand_mask >> {shift}) & 127)::integer"
        test(
            f"length of the suit at {shift}",
            side,
            by_number(facts["P_specific_suit_length_10cards"]),
        )
        test(
            f"suit at {shift} missing in null",
            f"(rearhand_mask >> {shift}) & 255 = 0",
            _binary(facts["P_given_suit_void_in_10card_hand_null"]),
        )
    test(
        "aces in hand",
        "bit_count(rearhand_mask & 1077952576::uinteger)::integer",
        by_number(facts["P_hand_has_k_aces"]),
    )
    test(
        "card points in the skat",
        "mask_points(skat_mask)::integer",
        by_number(facts["skat_points_distribution"]),
    )
    problems += check_splits(session, facts)
    for name, mask in (("E_skat_points", "skat_mask"), ("E_hand_points", "forehand_mask")):
        variance = float(_fraction(facts[name.replace("E_", "Var_")]))
        row = session.sql(
            f"select sum(mask_points({mask})) as total, count(*) as deals from deals"
        ).rows()[0]
        mean = float(_fraction(facts[name]))
        if abs(row["total"] / row["deals"] - mean) > ERRORS * math.sqrt(variance / row["deals"]):
            problems.append(f"{name}: {row['total'] / row['deals']}")
    return problems


def _binary(entry: Any) -> dict[Any, Fraction]:
    return {True: _fraction(entry), False: 1 - _fraction(entry)}


def check_matadors(session: Session, facts: dict[str, Any]) -> list[str]:
    """Matadors of ten and of twelve cards; the skat lowering the value."""
    problems: list[str] = []
    rows_of = {
        **{
            contract: "row_matadors(suit_row({mask}, suit_shift('" + contract + "')))::integer"
            for contract in ("clubs", "spades", "hearts", "diamonds")
        },
        "grand": "row_matadors(grand_row(jack_row({mask})))::integer",
    }
    for contract, text in rows_of.items():
        kind = "grand" if contract == "grand" else "suit"
        hand, both = (
            text.format(mask=mask) for mask in ("forehand_mask", "(forehand_mask | skat_mask)")
        )
        pairs = pairs_of(session, hand, both)
        for size, position in ((10, 0), (12, 1)):
            problems += compare(
                f"matadors of {size}, {contract}",
                *regrouped(pairs, lambda pair, position=position: pair[position]),
                runs_of(facts[f"P_run_{kind}_{size}"]),
            )
        problems += compare(
            f"value falls, {contract}",
            *regrouped(pairs, lambda pair: abs(pair[1]) < abs(pair[0])),
            _binary(facts[f"P_random_hand_{kind}_value_falls"]),
        )
        for n in range(1, 12 if kind == "suit" else 5):
            closed = facts["P_lower_closed_form"].get(f"ohne {n}")
            falls = (
                _fraction(closed)
                if closed
                else 1 - Fraction(math.comb(22 - n, 2), math.comb(22, 2))
            )
            rises = Fraction(0) if kind == "grand" and n == 4 else Fraction(1, 11)
            for label, held, sign, share in (
                ("lowered without", -n, -1, falls),
                ("raised with", n, 1, rises),
            ):
                counts, total = regrouped(
                    {pair: deals for pair, deals in pairs.items() if pair[0] == held},
                    lambda pair, sign=sign: sign * (abs(pair[1]) - abs(pair[0])) > 0,
                )
                if total >= LEAST_DEALS:
                    problems += compare(f"{label} {n}, {contract}", counts, total, _two(share))
    return problems


def _two(share: Fraction) -> dict[Any, Fraction]:
    return {value: part for value, part in ((True, share), (False, 1 - share)) if part}


def check_splits(session: Session, facts: dict[str, Any]) -> list[str]:
    """How the trumps that forehand does not hold lie with the others."""
    problems: list[str] = []
    for contract in ("clubs", "diamonds", "grand"):
        places = [
            f"bit_count({name}_mask & trump_mask('{contract}'))::integer"
            for name in ("forehand", "middlehand", "rearhand", "skat")
        ]
        trump_count = 4 if contract == "grand" else 11
        deals = pairs_of(session, *places)
        for n, entries in facts["split_of_n_outstanding_hand_game"].items():
            counts, total = regrouped(
                {key: k for key, k in deals.items() if key[0] == trump_count - int(n)},
                lambda key: f"{key[1]}-{key[2]}|skat {key[3]}",
            )
            expected = {key: _fraction(entry) for key, entry in entries.items()}
            if total >= LEAST_DEALS:
                problems += compare(f"{contract}: {n} out, hand game", counts, total, expected)
        for n, entries in facts["split_of_n_outstanding_over_two_defenders_after_pickup"].items():
            counts, total = regrouped(
                {key: k for key, k in deals.items() if key[0] + key[3] == trump_count - int(n)},
                lambda key: f"{key[1]}-{key[2]}",
            )
            expected = {key: _fraction(entry) for key, entry in entries.items()}
            if total >= LEAST_DEALS:
                problems += compare(f"{contract}: {n} out after pick-up", counts, total, expected)
    return problems


def test_rule_1_deals_are_fair(quick_session: Session, facts: dict[str, Any]) -> None:
    assert check(quick_session, facts) == []


@pytest.mark.slow
def test_rule_1_ten_million_deals_are_fair(slow_session: Session, facts: dict[str, Any]) -> None:
    assert check(slow_session, facts) == []


def test_exact_columns_are_the_facts(quick_session: Session, facts: dict[str, Any]) -> None:
    """The exact figures of the reports come from counting; here they meet the reference."""
    surprise = {
        (row["contract"], row["matadors"]): row
        for row in quick_session.report("skat_surprise").rows()
        if row["part"] == "dealt"
    }
    falls = {
        kind: facts[f"P_random_hand_{kind}_value_falls"]["float"] for kind in ("suit", "grand")
    }
    for contract in ("clubs", "spades", "hearts", "diamonds", "grand"):
        kind = "grand" if contract == "grand" else "suit"
        row = surprise[contract, "all"]
        assert row["lowered_exact"] == pytest.approx(falls[kind], abs=1e-9)
        assert row["jack_exact"] == pytest.approx(1 - 189 / 248, abs=1e-9)
    for name, entry in facts["P_lower_closed_form"].items():
        key = ("clubs", f"-{name.split()[1]}")
        if key in surprise:
            assert surprise[key]["lowered_exact"] == pytest.approx(entry["float"], abs=1e-9)
    for row in quick_session.report("overbid_risk").rows():
        if row["part"] != "dealt" or "all" in (row["contract"], row["matadors"]):
            continue
        need = abs(int(row["matadors"])) - int(row["bid_margin"])
        if int(row["matadors"]) > 0:
            assert row["overbid_exact"] == 0
        elif f"t={need}" in facts["P_matadors_at_least_t_closed_form"]:
            kept = facts["P_matadors_at_least_t_closed_form"][f"t={need}"]["float"]
            assert row["overbid_exact"] == pytest.approx(1 - kept, abs=1e-9)
