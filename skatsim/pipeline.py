"""Studies as TOML files: steps that simulate, import, study, report and write a page.

A pipeline has a ``title`` and a list of ``[[step]]``, each with ``do`` and the settings of what it
does, named like the parameters of the Python call. ``skatsim run NAME`` finds shipped ones by
name, others by their file.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from skatsim.archive import Archive, check_run_name
from skatsim.errors import NotationError
from skatsim.location import locate
from skatsim.reporting.files import find_report, shipped_folder

if TYPE_CHECKING:
    from skatsim.reporting.session import Result

__all__ = ["Pipeline", "Step", "find_pipeline", "list_pipelines", "run_pipeline"]

SAMPLE: Final = "sample:"
"""What a file name starts with that lies in the package's sample data."""

TEXTS: Final = "a list of texts"

NUMBERS: Final = "a list of numbers"

STUDIES: Final = ("threshold", "duel", "estimate", "fairness")
"""Steps that ask a question; a page shows their answers by their `name`."""

SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "simulate": {
        "hands": "a whole number",
        "until": "a number",
        "seed": "a whole number",
        "run": "a text",
        "bidding": "a text",
        "declaring": "a text",
        "play": "a text",
        "seats": TEXTS,
        "ruleset": "a text",
    },
    "import": {"files": TEXTS, "run": "a text", "format": "a text"},
    "threshold": {
        "name": "a text",
        "policy": "a text",
        "param": "a text",
        "values": NUMBERS,
        "deals": "a whole number",
        "scoring": "a text",
        "opponents": "a text",
        "is_self_play": "true or false",
        "seat": "a whole number",
        "contract": "a text",
        "seed": "a whole number",
    },
    "duel": {
        "name": "a text",
        "policies": TEXTS,
        "deals": "a whole number",
        "precision": "a number",
        "scoring": "a text",
        "seed": "a whole number",
    },
    "estimate": {
        "name": "a text",
        "hand": "a text",
        "seat": "a text",
        "skat": "a text",
        "auction": "a text",
        "contracts": "a text",
        "method": "a text",
        "policy": "a text",
        "scoring": "a text",
        "precision": "a number",
        "samples": "a whole number",
        "seed": "a whole number",
    },
    "fairness": {"name": "a text", "runs": TEXTS},
    "report": {"names": TEXTS, "runs": TEXTS, "parameters": "a table"},
    "page": {
        "names": TEXTS,
        "studies": TEXTS,
        "runs": TEXTS,
        "file": "a text",
        "title": "a text",
        "parameters": "a table",
    },
}
"""What each kind of step may be told, and of what kind that is."""

NEEDED: Final[Mapping[str, frozenset[str]]] = {
    "simulate": frozenset(),
    "import": frozenset({"files"}),
    "report": frozenset({"names"}),
    "threshold": frozenset(),
    "duel": frozenset({"policies"}),
    "estimate": frozenset({"hand"}),
    "fairness": frozenset(),
    "page": frozenset({"file"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what to do, and its settings."""

    do: str
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the answer of a study is called."""
        return str(self.settings.get("name", self.do))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A study: its name, its title, its steps in order."""

    name: str
    title: str
    steps: Sequence[Step]


def list_pipelines() -> list[str]:
    """Names of the pipelines that come with the package."""
    return sorted(path.stem for path in shipped_folder("pipelines").glob("*.toml"))


def find_pipeline(name: str | os.PathLike[str]) -> Pipeline:
    """A pipeline by its file, or by the name of a shipped one.

    Raises
    ------
    NotationError
        There is none, or the file is no pipeline.
    ArchiveError, ReportError
        A step names a run as none can be named, or a report that there is not.
    """
    text = os.fspath(name)
    path = Path(text).expanduser()
    if not text.endswith(".toml"):
        path = shipped_folder("pipelines") / f"{text}.toml"
        if text not in list_pipelines():
            known = ", ".join(list_pipelines())
            raise NotationError(
                f"no pipeline {text!r}: shipped are {known}; a file's name ends in .toml"
            )
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotationError(f"cannot read pipeline {text!r}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotationError(f"{text!r} is no TOML file: {error}") from error
    return _checked(path.stem, text, content)


def _checked(name: str, source: str, content: Mapping[str, Any]) -> Pipeline:
    unknown = sorted(content.keys() - {"title", "step"})
    steps = content.get("step", [])
    if unknown or not isinstance(steps, list) or not steps:
        what = f"does not know {unknown[0]!r}" if unknown else "has no [[step]]"
        raise NotationError(f"pipeline {source!r} {what}: it has a title and [[step]] tables")
    checked: list[Step] = []
    for number, step in enumerate(steps, start=1):
        place = f"pipeline {source!r}, step {number}"
        if not isinstance(step, Mapping):
            raise NotationError(f"{place} is a table, not {step!r}")
        do = step.get("do")
        if not isinstance(do, str) or do not in SETTINGS:
            raise NotationError(f"{place}: do = {do!r} is none of {', '.join(SETTINGS)}")
        settings = {key: value for key, value in step.items() if key != "do"}
        strange = sorted(settings.keys() - SETTINGS[do].keys())
        if strange:
            known = ", ".join(sorted(SETTINGS[do]))
            raise NotationError(f"{place}: {do} does not know {strange[0]!r}: it knows {known}")
        missing = sorted(NEEDED[do] - settings.keys())
        if missing:
            raise NotationError(f"{place}: {do} needs {missing[0]!r}")
        for key, value in settings.items():
            if not _is_a(SETTINGS[do][key], value):
                raise NotationError(f"{place}: {key} is {SETTINGS[do][key]}, not {value!r}")
        if "run" in settings:
            check_run_name(settings["run"])
        for report in settings.get("names", ()):
            find_report(report)
        _check_studies(place, do, settings, checked)
        checked.append(Step(do=do, settings=settings))
    return Pipeline(name=name, title=str(content.get("title", name)), steps=tuple(checked))


def _check_studies(place: str, do: str, settings: Mapping[str, Any], before: list[Step]) -> None:
    """Refuse a study whose name is taken, and a page of studies that come later or never."""
    names = [step.name for step in before if step.do in STUDIES]
    if do in STUDIES and settings.get("name", do) in names:
        raise NotationError(f"{place}: a study {settings.get('name', do)!r} came before: name it")
    for name in settings.get("studies", ()):
        if name not in names:
            known = ", ".join(names) or "none"
            raise NotationError(f"{place}: no study {name!r} comes before: there are {known}")


def _is_a(kind: str, value: Any) -> bool:
    if kind == "true or false":
        return isinstance(value, bool)
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if kind == NUMBERS:
        return isinstance(value, list) and all(_is_a("a number", one) for one in value)
    kinds: Mapping[str, tuple[type, ...]] = {
        "a text": (str,),
        "a whole number": (int,),
        "a number": (int, float),
        "a table": (dict,),
    }
    return isinstance(value, kinds[kind]) and not isinstance(value, bool)


def run_pipeline(
    pipeline: Pipeline,
    archive: str | os.PathLike[str],
    *,
    runs: Sequence[str] = (),
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Step, Any]]:
    """Run the steps one by one; yields each with what it gave.

    A step that simulates or imports replaces the run of its name, so that a pipeline can be
    run again. A page is written into the archive's folder unless its file is a full path.

    Parameters
    ----------
    runs : runs that are there already: the steps ask about them in place of their own, and
        those that simulate or import are left out.

    Yields
    ------
    (step, result) : a `SimulationResult`, an `ImportResult`, the answer of a study as a list of
        `Result`, a list of `Result`, or the path of the page.
    """
    opened = Archive.open(archive, create=True)
    for name in runs:
        opened.run(name)
    answers: dict[str, list[Result]] = {}
    for step in pipeline.steps:
        settings = dict(step.settings)
        if runs:
            if step.do in ("simulate", "import"):
                continue
            if "runs" in SETTINGS[step.do]:
                settings["runs"] = list(runs)
        if step.do in STUDIES:
            answers[step.name] = _study(step, settings, archive, n_jobs, on_progress)
            yield step, answers[step.name]
        elif step.do == "page":
            yield step, _page(settings, archive, answers)
        else:
            runner = {"simulate": _simulate, "import": _import, "report": _report}[step.do]
            yield step, runner(settings, archive, n_jobs, on_progress)


def _study(
    step: Step, settings: dict[str, Any], archive: Any, n_jobs: Any, on_progress: Any
) -> list["Result"]:
    """The answer of a step that asks a question."""
    from skatsim.reporting.studies import study_results

    settings.pop("name", None)
    answer: Any
    if step.do == "threshold":
        from skatsim.study.threshold import threshold

        answer = threshold(**settings, n_jobs=n_jobs, on_progress=on_progress)
    elif step.do == "duel":
        from skatsim.study.duel import duel

        policies = settings.pop("policies")
        answer = duel(*policies, **settings, n_jobs=n_jobs, on_progress=on_progress)
    elif step.do == "estimate":
        from skatsim.study.estimate import estimate

        answer = estimate(**settings)
    else:
        from skatsim.study.fairness import fairness

        answer = fairness(archive, **settings)
    return study_results(step.name, answer)


def _simulate(settings: Mapping[str, Any], archive: Any, n_jobs: Any, on_progress: Any) -> Any:
    from skatsim.simulation import simulate

    return simulate(
        **settings, archive=archive, n_jobs=n_jobs, on_progress=on_progress, mode="overwrite"
    )


def _import(settings: Mapping[str, Any], archive: Any, n_jobs: Any, on_progress: Any) -> Any:
    from skatsim.formats.importing import import_games

    files = [
        str(shipped_folder("data") / "sample" / name.removeprefix(SAMPLE))
        if name.startswith(SAMPLE)
        else name
        for name in settings["files"]
    ]
    return import_games(
        files,
        archive,
        run=settings.get("run"),
        format=settings.get("format", "auto"),
        mode="overwrite",
    )


def _report(settings: Mapping[str, Any], archive: Any, n_jobs: Any, on_progress: Any) -> Any:
    from skatsim.reporting import Session

    with Session.open(archive, settings.get("runs", ())) as session:
        return [session.report(name, settings.get("parameters", {})) for name in settings["names"]]


def _page(
    settings: Mapping[str, Any], archive: Any, answers: Mapping[str, Sequence["Result"]]
) -> Path:
    from skatsim.reporting.page import write_page

    page = Path(settings["file"])
    if not page.is_absolute():
        page = locate(archive) / settings["file"]
    return write_page(
        archive,
        settings.get("runs", ()),
        settings.get("names", ()),
        page,
        parameters=settings.get("parameters", {}),
        studies=[result for name in settings.get("studies", ()) for result in answers[name]],
        title=settings.get("title"),
    )
