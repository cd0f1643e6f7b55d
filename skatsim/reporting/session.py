"""Runs of an archive as views in DuckDB, and statements run over them."""

import contextlib
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from skatsim.archive import Archive, Run
from skatsim.durable import finished_or_absent
from skatsim.errors import ArchiveError, ReportError
from skatsim.location import file_system, is_remote
from skatsim.records import SCHEMA_VERSION, STORED_SCHEMA
from skatsim.reporting import files
from skatsim.reporting.faults import first_line, is_of_reading, reading_fault
from skatsim.reporting.files import Statement
from skatsim.reporting.provenance import cohorts, deal_paths, provenance, select_runs
from skatsim.reviews import REVIEW_SCHEMA
from skatsim.wording import count_text

__all__ = ["Result", "Session", "run_report", "run_sql"]

COHORT_COLUMNS: Final = ("runs", "ruleset", "policies")
"""Columns that name the games a row is about; shown where rows differ in them."""

SPILL_VARIABLE: Final = "SKATSIM_SPILL_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a statement returned: an Arrow table, with the report it answers.

    `shared` are the columns that name runs, ruleset and policies where all rows agree in them
    (they are no columns of the table then).
    """

    statement: Statement
    table: pa.Table
    parameters: Mapping[str, Any] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the report."""
        return self.statement.name

    @property
    def notes(self) -> list[str]:
        """The notes of the report with its parameters filled in."""
        values = {
            name: f"{value:,}".replace(",", " ") if isinstance(value, int) else value
            for name, value in self.parameters.items()
        }
        return [note.format_map(values) for note in self.statement.notes]

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries; null is None."""
        rows: list[dict[str, Any]] = self.table.to_pylist()
        return rows

    def __len__(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"Result({self.name!r}, {count_text(len(self), 'row')})"

    def _repr_html_(self) -> str:
        from skatsim.reporting.page import section_html

        return section_html(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def _whole_schema(runs: Sequence[Run]) -> list[str]:
    """An empty part with all columns, where runs are of an older schema.

    The columns that those lack are null then; it lies in DuckDB's own folder.
    """
    if all(run.manifest.schema_version == SCHEMA_VERSION for run in runs):
        return []
    try:
        path = Path(_spill_folder()) / f"schema-{SCHEMA_VERSION}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        with finished_or_absent(path) as temporary:
            pq.write_table(STORED_SCHEMA.empty_table(), temporary)
    except (OSError, pa.ArrowException):
        return []  # the view says what is wrong
    return [str(path)]


def _spill_folder() -> str:
    own = os.environ.get(SPILL_VARIABLE)
    return own or str(Path(tempfile.gettempdir()) / "skatsim-spill")


class Session:
    """Runs of an archive, open for questions.

    Parameters
    ----------
    runs : the runs the views show.
    is_comparison : count each run by itself, also where ruleset and policies are the same.
    memory_limit : such as ``"2GB"``; DuckDB then spills to SKATSIM_SPILL_DIR.
    threads : at most so many.

    Raises
    ------
    ReportError
        A part cannot be read, or a setting is not understood.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        is_comparison: bool = False,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self._is_comparison = is_comparison
        self._config: dict[str, Any] = {
            "temp_directory": _spill_folder(),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if memory_limit is not None:
            self._config["memory_limit"] = memory_limit
        if threads is not None:
            self._config["threads"] = threads
        self._take(runs)
        self._connect()

    @classmethod
    def open(
        cls,
        archive: Archive | str | os.PathLike[str],
        names: Sequence[str] = (),
        *,
        is_comparison: bool = False,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> Self:
        """The runs of these names, or all runs, of an archive or of the folder it lies in."""
        opened = archive if isinstance(archive, Archive) else Archive.open(archive)
        return cls(
            select_runs(opened, names),
            is_comparison=is_comparison,
            memory_limit=memory_limit,
            threads=threads,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all files."""
        self._connection.close()

    def _take(self, runs: Sequence[Run]) -> None:
        self.runs = list(runs)
        self._parts = [str(path) for run in self.runs for path in run.paths]
        whole_schema = _whole_schema(self.runs)
        self._is_mixed = bool(whole_schema)
        self._game_parts = [*whole_schema, *self._parts]
        self._only_run = self.runs[0].name if len(self.runs) == 1 else None
        self._deal_parts = deal_paths(self.runs)
        self._review_parts = [str(path) for run in self.runs for path in run.review_paths]

    def _renew(self) -> bool:
        """Take the parts that the runs have now; whether parts that were read are replaced.

        So does `runs compact`: what it replaces is gone soon after.
        """
        try:
            runs = [run.checked() for run in self.runs]
        except ArchiveError:
            return False
        now = {str(path) for run in runs for path in (*run.paths, *run.review_paths)}
        if now.issuperset((*self._parts, *self._review_parts)):
            return False
        self._take(runs)
        return True

    def _connect(self) -> None:
        while True:
            try:
                self._connection = duckdb.connect(":memory:", config=self._config)
            except duckdb.Error as error:
                raise ReportError(f"DuckDB does not start: {first_line(error)}") from error
            try:
                self._reach_remote_runs()
                self._make_views()
            except duckdb.Error as error:  # too little memory even for the views, too
                self.close()
                if not (is_of_reading(error) and self._renew()):
                    raise ReportError(self._explain(error)) from error
            except BaseException:
                self.close()
                raise
            else:
                return

    def _reach_remote_runs(self) -> None:
        """Let DuckDB read through fsspec what lies behind a URL."""
        systems = {
            id(system): system
            for system in (file_system(run.folder) for run in self.runs if is_remote(run.folder))
        }
        for system in systems.values():
            self._connection.register_filesystem(system)

    def _make_views(self) -> None:
        for name, table in (
            ("runs", provenance(self.runs)),
            ("run_cohorts", cohorts(self.runs, self._is_comparison)),
        ):
            with self._connection.cursor() as cursor:
                cursor.register("given", table)
                cursor.execute(f"create table {name} as select * from given")
        with self._cursor() as cursor:
            for view in files.views():
                if view.name == "review_rows" and not self._review_parts:
                    cursor.register("given", REVIEW_SCHEMA.empty_table())
                    cursor.execute("create table review_rows as select * from given")
                    continue
                for statement in cursor.extract_statements(view.sql):
                    cursor.execute(statement)

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own: an unfetched result of another would block it."""
        cursor = self._connection.cursor()
        cursor.execute("set variable parts = $parts", {"parts": self._parts})
        cursor.execute("set variable game_parts = $parts", {"parts": self._game_parts})
        cursor.execute("set variable is_mixed = $is_mixed", {"is_mixed": self._is_mixed})
        cursor.execute("set variable only_run = $run", {"run": self._only_run})
        cursor.execute("set variable deal_parts = $parts", {"parts": self._deal_parts})
        cursor.execute("set variable review_parts = $parts", {"parts": self._review_parts})
        return cursor

    def _explain(self, error: duckdb.Error) -> str:
        if is_of_reading(error):
            names = [*self._parts, *self._review_parts]
            return f"cannot read the archive: {reading_fault(error, self.runs, names)}"
        return first_line(error)

    def run(self, statement: Statement, parameters: Mapping[str, Any] | None = None) -> Result:
        """The answer of one statement.

        Parameters
        ----------
        statement : the statement.
        parameters : values that take the place of its defaults.

        Raises
        ------
        ReportError
            A parameter is unknown or missing, or the statement cannot be run.
        """
        given = dict(parameters or {})
        with self._cursor() as cursor:
            try:
                parsed = cursor.extract_statements(statement.sql)
            except duckdb.Error as error:
                raise ReportError(f"{statement.name!r}: {first_line(error)}") from error
            if len(parsed) != 1:
                raise ReportError(f"{statement.name!r} holds {len(parsed)} statements, not one")
            if parsed[0].type not in (
                duckdb.StatementType.SELECT,
                duckdb.StatementType.EXPLAIN,
            ):
                raise ReportError(
                    f"{statement.name!r} is a {parsed[0].type.name.lower()} statement: only "
                    "select is allowed, the archive is read, never changed"
                )
            wanted = set(parsed[0].named_parameters)
        values = _values(statement, given, wanted)
        table = self._answer(statement, values)
        return _without_shared(statement, _plain(table), values)

    def _answer(self, statement: Statement, values: Mapping[str, Any]) -> pa.Table:
        while True:
            with self._cursor() as cursor:
                try:
                    return cursor.sql(statement.sql, params=values).to_arrow_table()
                except duckdb.Error as error:
                    if not (is_of_reading(error) and self._renew()):
                        raise ReportError(f"{statement.name!r}: {self._explain(error)}") from error
            self.close()
            self._connect()

    def report(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        reports_dir: str | os.PathLike[str] | None = None,
    ) -> Result:
        """The report of this name."""
        return self.run(files.find_report(name, reports_dir), parameters)

    def sql(self, query: str, parameters: Mapping[str, Any] | None = None) -> Result:
        """The answer to one's own select statement over the views."""
        return self.run(Statement(name="sql", sql=query), parameters)

    def audit(self) -> list[Result]:
        """The audits that found something."""
        results = [self.run(statement) for statement in files.list_audits()]
        return [result for result in results if len(result)]


def _value(text: Any) -> Any:
    """A parameter given as text as the number, truth value or null that it names."""
    if not isinstance(text, str):
        return text
    words: dict[str, Any] = {"null": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text.replace("_", ""))
        except ValueError:
            continue
    return text


def _values(statement: Statement, given: Mapping[str, Any], wanted: set[str]) -> dict[str, Any]:
    """Exactly the parameters that the statement names."""
    unknown = sorted(set(given) - wanted)
    if unknown:
        known = ", ".join(sorted(wanted)) or "none"
        raise ReportError(f"{statement.name!r} has no parameter {unknown[0]!r}: it has: {known}")
    merged = {**statement.parameters, **given}
    missing = sorted(wanted - set(merged))
    if missing:
        raise ReportError(
            f"{statement.name!r} needs a value for {missing[0]!r}: --param {missing[0]}=..."
        )
    for name, words in statement.choices.items():
        if str(merged[name]).lower() not in words:
            raise ReportError(
                f"{name!r} of {statement.name!r} cannot be {merged[name]!r}: one of "
                f"{', '.join(words)}"
            )
    return {name: _value(merged[name]) for name in wanted}


def _plain(table: pa.Table) -> pa.Table:
    """The table with sums as whole numbers and without numbers that JSON does not know.

    Of columns of one name the later ones get a number: rows are dictionaries.
    """
    columns: dict[str, pa.ChunkedArray] = {}
    for name, column, kind in zip(
        table.column_names, table.columns, table.schema.types, strict=True
    ):
        if pa.types.is_decimal(kind) and kind.scale == 0:
            with contextlib.suppress(pa.ArrowInvalid):  # more than 64 bits: it stays a decimal
                column = column.cast(pa.int64())  # noqa: PLW2901
        elif pa.types.is_floating(kind):
            column = _finite(column)  # noqa: PLW2901
        columns[_free_name(name, columns, table.column_names)] = column
    return pa.table(columns) if columns else table


def _free_name(name: str, used: Collection[str], named: Collection[str]) -> str:
    """The name, or where a column before has it the first ``name_1``, ... that none has."""
    if name not in used:
        return name
    number = 1
    while f"{name}_{number}" in used or f"{name}_{number}" in named:
        number += 1
    return f"{name}_{number}"


def _finite(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    is_known = pc.is_finite(column)
    return pc.if_else(is_known, column, pa.scalar(None, column.type))


def _without_shared(statement: Statement, table: pa.Table, values: Mapping[str, Any]) -> Result:
    """The result without the naming columns in which its rows agree."""
    shared = {}
    if statement.grain:
        for name in COHORT_COLUMNS:
            if name in table.column_names:
                known = table.column(name).unique().to_pylist()
                texts = [text for text in known if text is not None]
                if len(texts) <= 1:
                    table = table.drop_columns([name])
                    if texts:
                        shared[name] = texts[0]
    return Result(statement=statement, table=table, parameters=values, shared=shared)


def run_report(
    name: str,
    archive: Archive | str | os.PathLike[str],
    runs: Sequence[str] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    reports_dir: str | os.PathLike[str] | None = None,
    is_comparison: bool = False,
    memory_limit: str | None = None,
) -> Result:
    """One report over runs of an archive.

    Parameters
    ----------
    name : the report, one of `list_reports`.
    archive : the archive, or its folder.
    runs : names of runs; none means all.
    parameters : values for the report's parameters.
    reports_dir : a folder of one's own reports, looked through first.
    is_comparison : count each run by itself.
    memory_limit : such as ``"2GB"``.

    Returns
    -------
    An Arrow table with the report's name and notes: ``result.rows()`` are dictionaries,
    ``polars.DataFrame(result)`` is a frame.

    Raises
    ------
    ReportError
        The report is not known, has no such parameter, or cannot be run.
    """
    with Session.open(
        archive, runs, is_comparison=is_comparison, memory_limit=memory_limit
    ) as session:
        return session.report(name, parameters, reports_dir=reports_dir)


def run_sql(
    query: str,
    archive: Archive | str | os.PathLike[str],
    runs: Sequence[str] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    memory_limit: str | None = None,
) -> Result:
    """The answer to one's own select statement over the views of an archive."""
    with Session.open(archive, runs, memory_limit=memory_limit) as session:
        return session.sql(query, parameters)
