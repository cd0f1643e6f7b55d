"""Every exception type of the package.

Messages are lower case, without a full stop; they quote the value with ``!r``,
say what is needed to see the fault again, and what to do.
"""

__all__ = [
    "ArchiveError",
    "NotationError",
    "PolicyError",
    "RecordError",
    "ReportError",
    "RuleError",
    "SkatSimError",
    "SkatSimWarning",
    "UnreadableRunWarning",
    "WorkerError",
]


class SkatSimError(Exception):
    """Base of all errors that skatsim raises on purpose."""


class NotationError(SkatSimError, ValueError):
    """A text is no card, bid, contract or record."""


class RuleError(SkatSimError, ValueError):
    """An action or an outcome that the rules do not allow here."""


class RecordError(SkatSimError, ValueError):
    """A record of a game that does not replay.

    Parameters
    ----------
    message : what is wrong, without the place.
    source : file the record comes from, if known.
    line : its line there, from 1.
    record_id : the id the record carries.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        record_id: str | None = None,
    ) -> None:
        self.message = message
        self.source = source
        self.line = line
        self.record_id = record_id
        place = ":".join(str(part) for part in (source, line) if part is not None)
        where = " ".join(part for part in (place, f"ID {record_id}" if record_id else "") if part)
        super().__init__(f"{where}: {message}" if where else message)


class ArchiveError(SkatSimError):
    """An archive that cannot be read, written or trusted."""


class SkatSimWarning(UserWarning):
    """Base of all warnings of skatsim; the command line shows them as one line."""


class UnreadableRunWarning(SkatSimWarning):
    """A run that was left out because it cannot be read."""


class ReportError(SkatSimError):
    """A report that is not known or cannot be run."""


class PolicyError(SkatSimError):
    """A policy that is not known, cannot be loaded, or broke the rules."""


class WorkerError(SkatSimError):
    """Workers that cannot be reached, or were lost."""
