"""The runs that reports are about: which they are, and what their manifests tell of them."""

import json
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from skatsim.archive import Archive, Manifest, Run
from skatsim.arguments import check_texts
from skatsim.errors import ReportError

__all__ = ["cohorts", "deal_paths", "provenance", "run_policies", "select_runs"]

LABEL_LENGTH: Final = 60


def run_policies(manifest: Manifest) -> str:
    """The policies of a run in one text: one name where one policy decides all."""
    by_decision = {}
    for decision, seats in manifest.policies.items():
        names = list(dict.fromkeys(seats))
        by_decision[decision] = names[0] if len(names) == 1 else ", ".join(seats)
    if not by_decision:
        return "recorded players"
    texts = list(dict.fromkeys(by_decision.values()))
    if len(texts) == 1:
        return texts[0]
    return "; ".join(f"{decision} {text}" for decision, text in by_decision.items())


def select_runs(archive: Archive, names: Sequence[str] = ()) -> list[Run]:
    """The runs of these names, or all of an archive; at least one game.

    Raises
    ------
    ReportError
        There are no games to report on.
    ArchiveError
        A run that is named cannot be read, or a file of it has another size than written.
    """
    names = check_texts(names, "runs")
    is_one_left_out = False
    if names:
        runs = [archive.run(name).checked() for name in dict.fromkeys(names)]
    else:
        runs = archive.runs(are_checked=True)
        is_one_left_out = len(archive.names()) > len(runs)
    runs = [run for run in runs if run.hands]
    if not runs:
        where = f"run {', '.join(names)!r}" if names else f"archive {str(archive.path)!r}"
        if is_one_left_out:
            raise ReportError(f"no games in {where} that can be read: see what was left out")
        raise ReportError(f"no games in {where}: run 'skatsim simulate' or 'skatsim import' first")
    return runs


def _label(names: Sequence[str]) -> str:
    text = " + ".join(names)
    return text if len(text) <= LABEL_LENGTH else f"{len(names)} runs"


def cohorts(runs: Sequence[Run], is_comparison: bool) -> pa.Table:
    """For each run the games its rows are counted with: same ruleset, same policies."""
    keys = [(run.manifest.ruleset_label, run_policies(run.manifest)) for run in runs]
    members: dict[Any, list[str]] = {}
    for run, key in zip(runs, keys, strict=True):
        members.setdefault((key, run.name) if is_comparison else key, []).append(run.name)
    labels = [
        _label(members[(key, run.name) if is_comparison else key])
        for run, key in zip(runs, keys, strict=True)
    ]
    return pa.table(
        {
            "run": pa.array([run.name for run in runs], pa.string()),
            "runs": pa.array(labels, pa.string()),
            "ruleset": pa.array([ruleset for ruleset, _ in keys], pa.string()),
            "policies": pa.array([policies for _, policies in keys], pa.string()),
        }
    )


def provenance(runs: Sequence[Run]) -> pa.Table:
    """The table `runs`: one row per run, from the manifests."""
    manifests = [run.manifest for run in runs]
    decisions = ("bidding", "declaring", "play")

    def text(values: Sequence[str | None]) -> pa.Array:
        return pa.array(values, pa.string())

    columns = {
        "run": text([manifest.run for manifest in manifests]),
        "source": text([manifest.source for manifest in manifests]),
        "ruleset": text([manifest.ruleset_label for manifest in manifests]),
        "policies": text([run_policies(manifest) for manifest in manifests]),
        **{
            decision: text(
                [", ".join(manifest.policies.get(decision, ())) or None for manifest in manifests]
            )
            for decision in decisions
        },
        "policy_versions": text(
            [json.dumps(dict(manifest.policy_versions), sort_keys=True) for manifest in manifests]
        ),
        "seed": pa.array([manifest.seed for manifest in manifests], pa.int64()),
        "hands": pa.array([manifest.hands for manifest in manifests], pa.int64()),
        "parts": pa.array([len(manifest.parts) for manifest in manifests], pa.int64()),
        "bytes": pa.array([manifest.bytes for manifest in manifests], pa.int64()),
        "digest": text([manifest.digest for manifest in manifests]),
        "files": pa.array([list(manifest.files) for manifest in manifests], pa.list_(pa.string())),
        "created_at": text([manifest.created_at for manifest in manifests]),
        "updated_at": text([manifest.updated_at for manifest in manifests]),
        "schema_version": pa.array([m.schema_version for m in manifests], pa.int64()),
        "rules_version": pa.array([m.rules_version for m in manifests], pa.int64()),
        "package_version": text([manifest.package_version for manifest in manifests]),
    }
    return pa.table(columns)


def deal_paths(runs: Sequence[Run]) -> list[str]:
    """The parts of which the deals are taken: of runs with one seed only the longest."""
    longest: dict[int, Run] = {}
    for run in runs:
        seed = run.manifest.seed
        if seed is not None and (seed not in longest or run.hands > longest[seed].hands):
            longest[seed] = run
    chosen = [run for run in runs if run.manifest.seed is None or longest[run.manifest.seed] is run]
    return [str(path) for run in chosen for path in run.paths]
