"""Answers of studies as results, so that they are printed and written like reports."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from skatsim.reporting.files import Statement
from skatsim.reporting.session import Result
from skatsim.study.duel import Duel
from skatsim.study.estimate import Estimate
from skatsim.study.fairness import Fairness
from skatsim.study.threshold import Threshold
from skatsim.wording import count_text

__all__ = ["study_results"]

FAIRNESS_ROWS = 12
"""Tests shown: the most unusual ones, which come first."""


def study_results(name: str, answer: Duel | Estimate | Fairness | Threshold) -> list[Result]:
    """The tables of an answer, called by the name of its step."""
    if isinstance(answer, Threshold):
        return _threshold(name, answer)
    if isinstance(answer, Duel):
        return _duel(name, answer)
    if isinstance(answer, Fairness):
        return _fairness(name, answer)
    return _estimate(name, answer)


def _result(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    question: str,
    grain: Sequence[str],
    columns: Sequence[str],
    notes: Sequence[str] = (),
    charts: Sequence[str] = (),
) -> Result:
    statement = Statement(
        name=name,
        sql="",
        question=question,
        grain=tuple(grain),
        columns=tuple(columns),
        charts=tuple(charts),
        notes=tuple(note.replace("{", "{{").replace("}", "}}") for note in notes),
    )
    return Result(statement=statement, table=pa.Table.from_pylist(list(rows)))


def _threshold(name: str, answer: Threshold) -> list[Result]:
    best = answer.best
    table = "in self-play" if answer.opponents is None else f"against {answer.opponents}"
    confined = "".join(f", {part} only" for part in (answer.seat, answer.contract) if part)
    seats = "; ".join(
        f"{curve.seat} {curve.best.value:g} ({curve.best.low:g} to {curve.best.high:g})"
        for curve in answer.seats
    )
    rows = [{**dataclasses.asdict(row), "value": f"{row.value:g}"} for row in answer.rows]
    curve = _result(
        name,
        rows,
        question=f"which {answer.parameter} pays best for {answer.policy}, {table}{confined}?",
        grain=("value",),
        columns=(
            "value",
            "declared_rate ±",
            "win_rate ±",
            "overbid_rate ±",
            "score_per_deal ±",
            "difference ±",
        ),
        charts=("curve difference by value",),
        notes=(
            f"Best is {best.text}. The default is {answer.default:g}. By seat: {seats}.",
            f"{count_text(answer.deals, 'deal')} of seed {answer.seed}, scored by "
            f"{answer.scoring}, the same for all values. `difference`: to the best value, "
            "compared deal by deal.",
        ),
    )
    contracts = _result(
        f"{name}_contracts",
        [
            {**dataclasses.asdict(row), "value": f"{row.value:g}"}
            for row in answer.contracts
            if row.value == best.value
        ],
        question=f"what is won at {best.value:g}?",
        grain=("contract",),
        columns=("contract", "games", "win_rate ±", "score_per_game"),
        charts=("win_rate by contract",),
    )
    return [curve, contracts] if len(contracts) else [curve]


def _duel(name: str, answer: Duel) -> list[Result]:
    policies = _result(
        name,
        [dataclasses.asdict(row) for row in answer.rows],
        question="who plays better on the same deals?",
        grain=("policy",),
        columns=(
            "policy",
            "score_per_deal ±",
            "declaring",
            "defending",
            "declared_rate ±",
            "win_rate ±",
        ),
    )
    differences = _result(
        f"{name}_differences",
        [
            {
                "a": row.a,
                "b": row.b,
                "deals": row.deals,
                "mean": row.mean,
                "mean_low": row.low,
                "mean_high": row.high,
                "is_decided": row.is_decided,
            }
            for row in answer.differences
        ],
        question="by how much?",
        grain=("a", "b"),
        columns=("a", "b", "deals", "mean ±", "is_decided"),
        notes=(
            f"The mean score of a seat of a less that of a seat of b, by {answer.scoring}; each "
            f"deal of seed {answer.seed} is played in all six seatings and is one value.",
        ),
    )
    return [policies, differences]


def _fairness(name: str, answer: Fairness) -> list[Result]:
    shown = [dataclasses.asdict(test) for test in answer.tests[:FAIRNESS_ROWS]]
    rows = [
        {
            **row,
            "p_value": f"{row['p_value']:.3g}",
            "adjusted": f"{row['adjusted']:.3g}",
            "observed": f"{row['observed_rate']:.3%}",
            "expected": f"{row['expected_rate']:.3%}",
        }
        for row in shown
    ]
    return [
        _result(
            name,
            rows,
            question="are the deals fair?",
            grain=("feature",),
            columns=(
                "feature",
                "p_value",
                "adjusted",
                "cell",
                "observed",
                "expected",
            ),
            notes=(
                answer.verdict,
                f"{count_text(answer.deals, 'deal')} of {', '.join(answer.runs) or 'no run'}. "
                f"The most unusual of {len(answer.tests)} tests; `adjusted` by Holm for all of "
                "them. `cell`: where the deviation is largest.",
            ),
        )
    ]


def _estimate(name: str, answer: Estimate) -> list[Result]:
    told = answer.to_dict()
    contracts = [
        {"contract": str(row.contract), **{key: value for key, value in plain.items()
                                           if key not in ("contract", "discard")}}
        for row, plain in zip(answer.contracts, told["contracts"], strict=True)
    ]  # fmt: skip
    best = "no bid" if answer.best_bid is None else f"{answer.best_bid}"
    return [
        _result(
            name,
            contracts,
            question=f"what is {told['hand']} worth at {told['seat']}?",
            grain=("contract",),
            columns=(
                "contract",
                "win_rate ±",
                "expected_score ±",
                "value_held",
                "overbid_rate",
            ),
            notes=(
                f"Best bid: {best}. Method {answer.method}, policy {answer.policy}, "
                f"scored by {answer.scoring}, {answer.samples:,} deals, judged at {answer.bid}.",
            ),
        )
    ]
