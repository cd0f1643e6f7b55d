"""Questions to the archive: SQL files run by DuckDB, and their answers as text, files and pages."""

from skatsim.reporting.files import Statement, find_report, list_audits, list_reports
from skatsim.reporting.page import write_page
from skatsim.reporting.session import Result, Session, run_report, run_sql

__all__ = [
    "Result",
    "Session",
    "Statement",
    "find_report",
    "list_audits",
    "list_reports",
    "run_report",
    "run_sql",
    "write_page",
]
