"""Games that meet a condition of the user's own."""

from collections.abc import Sequence

from skatsim.archive import Run
from skatsim.errors import ReportError
from skatsim.reporting.files import Statement
from skatsim.reporting.session import Session

__all__ = ["select_games"]


def select_games(runs: Sequence[Run], where: str) -> dict[str, list[int]]:
    """Hand numbers of the games that meet a condition, by run.

    Parameters
    ----------
    runs : the runs looked through.
    where : a boolean SQL expression over the columns of the view ``games``.

    Raises
    ------
    ReportError
        The condition is no such expression.
    """
    text = " ".join(where.split())
    if not text:
        raise ReportError("--where is empty: give a condition like \"status = 'verified'\"")
    query = (
        "select games.run, games.hand_number\nfrom games\nwhere (\n"
        + where
        + "\n)\norder by games.run, games.hand_number"
    )
    with Session(runs) as session:
        table = session.run(Statement(name=f"--where {text}", sql=query)).table
    selection: dict[str, list[int]] = {}
    for row in table.to_pylist():
        selection.setdefault(row["run"], []).append(row["hand_number"])
    return selection
