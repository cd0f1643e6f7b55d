"""Games simulated in blocks, in parallel, into an archive.

Game k of a seed is the same whoever plays it out, whatever the block and however many
workers; so a run can be stopped, resumed and extended, and its digest tells whether two runs
hold the same games. Workers write their own parts; the parent keeps counters.
"""

import dataclasses
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final, Literal

from skatsim.archive import Archive
from skatsim.arguments import (
    GREATEST,
    check_jobs,
    check_number,
    check_path,
    check_seed,
    check_text,
    check_whole,
    check_word,
)
from skatsim.blocks import Task
from skatsim.errors import ArchiveError, RuleError, WorkerError
from skatsim.lists import UnfairSeriesWarning, is_fair_series
from skatsim.location import is_file
from skatsim.manifest import Manifest, Part, check_run_name, part_hands
from skatsim.plugged import FaultAction
from skatsim.policies.players import Players, PolicyLike
from skatsim.precision import Precision
from skatsim.ruleset import Ruleset, find_ruleset
from skatsim.run import Run
from skatsim.run_writer import RunWriter, WriterMode
from skatsim.seating import SeriesPlan
from skatsim.watch import check_time_limit, is_watched
from skatsim.wording import count_text
from skatsim.workers import Backend, Workers, usable_processors

__all__ = ["SimulationResult", "simulate", "usable_processors"]

UNTIL_HANDS: Final = 10_000
"""The precision asked for by `until` is checked each time so many games more are played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationResult:
    """What a simulation did.

    ``hands`` is what the run holds now and ``new_hands`` what this call added; ``seconds`` is
    wall time; ``digest`` depends on the games alone. ``declared`` and ``won`` count games;
    ``repaired`` are the games played anew because their part was damaged, ``aborted`` those that a
    policy spoiled.
    """

    run: str
    hands: int
    new_hands: int
    seed: int
    seconds: float
    hands_per_second: float
    bytes: int
    bytes_per_hand: float
    digest: str
    declared: int
    won: int
    repaired: int = 0
    aborted: int = 0


def _missing(
    parts: Sequence[Part], hands: int, plan: SeriesPlan | None = None, *, are_slow: bool = False
) -> Iterator[tuple[int, int]]:
    """First game and number of games of each part still to be played, in order.

    Parts hold whole series.
    """
    most = part_hands(plan.length if plan else None, are_slow=are_slow)
    position = 0
    ends = [(part.first, part.first + part.hands) for part in parts] + [(hands, hands)]
    for first, end in sorted(ends):
        while position < min(first, hands):
            border = (position // most + 1) * most
            count = min(border, first, hands) - position
            yield position, count
            position += count
        position = max(position, end)


def _differences(old: Manifest, new: Manifest) -> list[str]:
    """What keeps a run from being resumed, each in words."""
    if old.source != new.source:
        return [f"source {old.source} there, {new.source} asked"]
    there, asked = _recipe(old), _recipe(new)
    return [
        f"{name} {there[name]} there, {asked[name]} asked"
        for name in there
        if name in asked and there[name] != asked[name]
    ]


def _recipe(manifest: Manifest) -> dict[str, str]:
    """What the games of a simulated run depend on, by name."""
    recipe = {
        "seed": str(manifest.seed),
        "ruleset": manifest.ruleset_label,
        "rules_version": str(manifest.rules_version),
        "series length": str(manifest.series_length),
        "players": ", ".join(manifest.players or ()),
    }
    for decision, seats in manifest.policies.items():
        recipe[decision] = seats[0] if len(set(seats)) == 1 else ", ".join(seats)
    for policy, version in manifest.policy_versions.items():
        recipe[f"version of {policy}"] = str(version)
    for policy, sha256 in manifest.policy_sources.items():
        recipe[f"source of {policy}"] = sha256[:16]
    return recipe


def default_run_name(players: Players, seed: int) -> str:
    """``<play>-s<seed>`` in the letters a run's name may have."""
    text = "-".join(dict.fromkeys(policy.text for policy in players.play))
    return re.sub(r"[^a-z0-9._-]+", "-", f"{text}-s{seed}".lower()).lstrip("._-")


def simulate(
    *,
    hands: int | None = None,
    until: float | None = None,
    seed: int = 0,
    archive: str | os.PathLike[str] | None = None,
    run: str | None = None,
    bidding: PolicyLike = "heuristic",
    declaring: PolicyLike = "heuristic",
    play: PolicyLike = "heuristic",
    kontra: PolicyLike | None = None,
    seats: Sequence[PolicyLike] | None = None,
    series: int | None = None,
    table: Literal[3, 4] = 3,
    player_names: Sequence[str] | None = None,
    ruleset: str | Ruleset = "isko",
    n_jobs: int | None = None,
    backend: Backend = "local",
    scheduler: str | None = None,
    on_fault: FaultAction = "stop",
    time_limit: float | None = None,
    mode: Literal["new", "resume", "overwrite"] = "new",
    stop: threading.Event | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """Deal and play games, and archive them.

    Parameters
    ----------
    hands : how many games the run shall hold.
    until : instead of `hands`: half-width of the 95 % interval of the declarer's win rate,
        checked every 10,000 games.
    seed : game k of a seed is always the same deal, with the same random bits for policies.
    archive : folder or URL of the archive; None counts and forgets the games.
    run : name of the run, by default ``<play>-s<seed>``.
    bidding, declaring, play : policies for all seats, like ``"heuristic:risk=0.6"``; also a
        class or what `skatsim.compiled_policy` made.
    kontra : policy for Kontra, Re and other house calls, by default that of `play`.
    seats : three policies instead, each for all decisions of one seat; in series one for each
        player of the table, in the order of the deal.
    series : deals of a series: whole series are played by the same players, who keep their
        policy while the deal goes round. Without `hands`, one series.
    table : players at the table in series; at a table of four the dealer sits out.
    player_names : names of the players in series, by default those of their policies.
    ruleset : the rules.
    n_jobs : workers, by default the usable processors, or all of a cluster.
    backend : ``local`` plays in threads of this process, ``dask`` and ``ray`` on a cluster,
        whose workers write to the archive themselves.
    scheduler : address of the cluster.
    on_fault : what is done when a policy breaks the rules: ``stop`` the run, or ``record`` the
        hand as aborted and go on.
    time_limit : seconds a policy that is plugged in may take for an answer; programs have 10
        without it.
    mode : ``new`` refuses a run that exists, ``resume`` adds exactly what is missing and
        replaces damaged parts, ``overwrite`` replaces the run.
    stop : when set, no further part is begun and what is finished is kept.
    on_progress : called with the games done and the games asked for.

    Raises
    ------
    ArchiveError
        The archive cannot be written, the run exists, or it was made otherwise.
    PolicyError
        A policy is not known or broke the rules.
    RuleError
        The ruleset is not known, or `hands` or `until` make no sense.
    WorkerError
        The cluster cannot be reached, or its workers cannot reach the archive.

    Examples
    --------
    >>> result = simulate(hands=1000, seed=1, play="uniform", bidding="uniform")
    >>> result.hands, result.digest == simulate(
    ...     hands=1000, seed=1, play="uniform", bidding="uniform", n_jobs=2
    ... ).digest
    (1000, True)
    """
    seed = check_seed(seed)
    if series is not None:
        series = check_whole(series, "series")
    n_jobs = check_jobs(n_jobs)
    if run is not None:
        check_text(run, "run")
    check_word(mode, "mode", ("new", "resume", "overwrite"))
    if archive is not None:
        check_path(archive, "archive")
    if series is not None and hands is None and until is None:
        hands = series
    if (hands is None) == (until is None):
        raise RuleError("give either the number of hands or the precision to play until")
    if hands is not None:
        hands = check_whole(hands, "hands", least=0, most=GREATEST)
    if until is not None and not 0.0001 <= check_number(until, "until") < 0.5:
        raise RuleError(f"cannot play until {until!r}: give a half-width of 0.0001 to 0.5")
    players = Players.of(
        bidding=bidding,
        declaring=declaring,
        play=play,
        kontra=kontra,
        seats=seats,
        table_size=table,
    )
    plan = _series_plan(series, players, hands, table, player_names)
    rules = find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
    if kontra is not None and not rules.has_house_decisions:
        raise RuleError(f"ruleset {rules.name!r} has no Kontra: leave its policy out")
    if rules.is_value_table_only:
        raise RuleError(
            f"ruleset {rules.name!r} is a table of values: games can be scored by it, not played"
        )
    check_time_limit(players, time_limit, on_fault)
    workers = Workers(
        backend=backend,
        n_jobs=n_jobs,
        scheduler=scheduler,
        has_processes=not players.is_compiled and not is_watched(players, time_limit),
        on_fault=on_fault,
        time_limit=time_limit,
    )
    manifest = Manifest(
        run=check_run_name(default_run_name(players, seed) if run is None else run),
        source="simulator",
        ruleset=rules.name,
        ruleset_content=rules.content(),
        seed=seed,
        policies=players.texts(),
        policy_versions=players.versions(),
        policy_sources=players.sources(),
        series_length=series,
        players=plan.players if plan else (),
    )
    started = time.perf_counter()
    opened = None if archive is None else Archive.open(archive, create=True)
    order = _Order(
        players=players, rules=rules, plan=plan, workers=workers, stop=stop, on_progress=on_progress
    )
    if hands is None:
        play_parts = partial(order.parts_until, precision=until or 0)
    else:
        play_parts = partial(order.parts, wanted=hands)
    repaired = 0
    if opened is None:
        final = dataclasses.replace(manifest, parts=tuple(play_parts(manifest)))
        new = final.hands
    else:
        with _writer(opened, manifest, mode) as writer:
            before = writer.manifest.hands
            repaired = sum(part.hands for part in writer.damaged)
            with closing(play_parts(writer.manifest, writer=writer)) as parts:
                for part in parts:
                    _check_seen(writer, part, workers)
                    writer.add(part)
                    writer.commit()
            repaired -= sum(part.hands for part in writer.damaged if part in writer.manifest.parts)
        final = writer.manifest
        new = final.hands - before
    seconds = time.perf_counter() - started
    return SimulationResult(
        run=final.run,
        hands=final.hands,
        new_hands=new,
        seed=seed,
        seconds=seconds,
        hands_per_second=new / seconds if seconds else 0.0,
        bytes=final.bytes,
        bytes_per_hand=final.bytes / final.hands if final.hands else 0.0,
        digest=final.digest,
        declared=sum(part.declared for part in final.parts),
        won=sum(part.won for part in final.parts),
        repaired=repaired,
        aborted=sum(part.aborted for part in final.parts),
    )


def _series_plan(
    series: int | None,
    players: Players,
    hands: int | None,
    table: int,
    names: Sequence[str] | None,
) -> SeriesPlan | None:
    """The plan of the series asked for; None without."""
    if series is None:
        if table != 3 or names is not None:
            raise RuleError("a table of four and named players need series: give their length")
        return None
    if names is not None and len(names) != table:
        raise RuleError(
            f"{count_text(len(names), 'name')} for a table of {table}: name every player"
        )
    if names is not None and not all(name.strip() for name in names):
        raise RuleError(f"a player of {', '.join(map(repr, names))} has no name")
    plan = SeriesPlan(length=series, players=tuple(names) if names else players.own_names())
    if hands is not None and hands != plan.whole(hands):
        raise RuleError(
            f"cannot play {count_text(hands, 'hand')} in whole series of {series}: "
            f"play {plan.whole(hands)}"
        )
    if not is_fair_series(series, table):
        warnings.warn(
            f"in a series of {count_text(series, 'deal')} the {table} players do not deal equally "
            "often",
            UnfairSeriesWarning,
            stacklevel=3,
        )
    return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What is played, by whom, and who is told of it."""

    players: Players
    rules: Ruleset
    plan: SeriesPlan | None
    workers: Workers
    stop: threading.Event | None
    on_progress: Callable[[int, int], None] | None

    def parts(
        self, manifest: Manifest, writer: RunWriter | None = None, *, wanted: int
    ) -> Generator[Part, None, None]:
        """Play what the manifest lacks of the games wanted, reporting parts as they are done.

        Damaged parts come first.
        """
        damaged = writer.damaged if writer else ()
        done = manifest.hands - sum(part.hands for part in damaged)
        total = max(wanted, manifest.hands)
        self._tell(done, total)
        ranges = chain(
            ((part.first, part.hands) for part in damaged),
            _missing(manifest.parts, wanted, self.plan, are_slow=not self.players.is_compiled),
        )
        tasks = (self._task(manifest, writer, first, hands) for first, hands in ranges)
        for part in self.workers.parts(tasks, self.stop):
            done += part.hands
            yield part
            self._tell(done, total)

    def parts_until(
        self, manifest: Manifest, writer: RunWriter | None = None, *, precision: float
    ) -> Generator[Part, None, None]:
        """Play on until the overall win rate is known to +-`precision`, parts in order of k.

        What the run holds counts; damaged parts and gaps come first. The last part is cut where
        the rate is known, and what workers played beyond it is let go.
        """
        step = self.plan.whole(UNTIL_HANDS) if self.plan else UNTIL_HANDS
        known = Precision(wanted=precision, step=step)
        most = step
        if writer:
            length = self.plan.length if self.plan else None
            most = part_hands(length, are_slow=not self.players.is_compiled)
            end = max((part.first + part.hands for part in manifest.parts), default=0)
            if end:
                yield from self.parts(manifest, writer, wanted=end)
            if self.stop is not None and self.stop.is_set():
                return
            _take_parts(known, writer, writer.manifest.parts)

        def tasks() -> Iterator[Task]:
            first = known.hands
            while not known.is_reached:
                hands = (first // most + 1) * most - first
                yield self._task(manifest, writer, first, hands)
                first += hands

        for part in self.workers.parts(tasks(), self.stop, in_order=True):
            if known.is_reached:
                if writer:
                    writer.drop(part)
                continue
            if writer:
                _check_seen(writer, part, self.workers)
                _take_parts(known, writer, [part])
                yield writer.cut(part, known.hands - part.first)
            else:
                known.add(part.hands, part.declared, part.won)
                yield part
            self._tell(known.hands, known.expected_hands)

    def _task(self, manifest: Manifest, writer: RunWriter | None, first: int, hands: int) -> Task:
        return Task(
            run=manifest.run,
            seed=manifest.seed or 0,
            first=first,
            hands=hands,
            players=self.players,
            ruleset=self.rules,
            path=writer.next_file(first).absolute() if writer else None,
            plan=self.plan,
        )

    def _tell(self, done: int, total: int) -> None:
        if self.on_progress:
            self.on_progress(done, total)


def _take_parts(known: Precision, writer: RunWriter, parts: Sequence[Part]) -> None:
    run = Run(writer.folder, writer.manifest)
    for part in parts:
        table = run.read_part(part, ("is_counted", "is_won"))
        is_counted = table.column("is_counted").to_numpy()
        known.take(is_counted, is_counted & table.column("is_won").fill_null(False).to_numpy())


def _writer(
    archive: Archive, manifest: Manifest, mode: Literal["new", "resume", "overwrite"]
) -> RunWriter:
    """A writer of the run, if it can be resumed where that is asked for."""
    writer_mode: WriterMode = "new"
    if mode == "overwrite":
        writer_mode = "overwrite"
    elif mode == "resume" and manifest.run in archive:
        writer_mode = "repair"
        old = archive.run(manifest.run).manifest
        differences = _differences(old, manifest)
        if differences:
            raise ArchiveError(
                f"cannot resume run {old.run!r}: it was made otherwise: {'; '.join(differences)}"
            )
    return archive.writer(manifest, mode=writer_mode)


def _check_seen(writer: RunWriter, part: Part, workers: Workers) -> None:
    """Raise WorkerError where a worker wrote its part to a place that is not this archive."""
    if not workers.is_local and not is_file(writer.folder / part.file):
        raise WorkerError(
            f"a worker wrote part {part.file!r} where it cannot be seen from here: the archive "
            f"{str(writer.folder.parent)!r} must be a folder that all machines share, or a URL"
        )
