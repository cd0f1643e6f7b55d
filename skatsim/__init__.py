"""skatsim: hand-record archive and simulation analytics for Skat."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_MODULES = {
    "Archive": "archive",
    "ArchiveError": "errors",
    "Auction": "auction",
    "break_even": "study.break_even",
    "best_discard": "solver",
    "bierlachs": "lists",
    "BID_VALUES": "auction",
    "calibrate": "study.calibration",
    "Call": "auction",
    "card_text": "cards",
    "cards_text": "cards",
    "compiled_policy": "policies",
    "check_declaration": "contracts",
    "claim": "adjudication",
    "compact_run": "housekeeping",
    "concede": "adjudication",
    "Contract": "contracts",
    "copy_run": "housekeeping",
    "count_matadors": "scoring",
    "Deal": "cards",
    "deal": "study.conditional",
    "duel": "study.duel",
    "estimate": "study.estimate",
    "explain": "explanation",
    "export_games": "formats.exporting",
    "fairness": "study.fairness",
    "find_policy": "policies",
    "find_ruleset": "ruleset",
    "forfeit": "adjudication",
    "Game": "game",
    "import_games": "formats.importing",
    "ISKO": "ruleset",
    "legal_cards": "play",
    "mask_text": "cards",
    "NotationError": "errors",
    "parse_card": "cards",
    "parse_cards": "cards",
    "parse_contract": "contracts",
    "parse_mask": "cards",
    "parse_seat": "cards",
    "PlayerView": "view",
    "PolicyError": "errors",
    "Position": "solver",
    "random_deal": "game",
    "RecordError": "errors",
    "ReportError": "errors",
    "rescore": "rescoring",
    "review": "study.review",
    "review_run": "study.review_run",
    "RuleError": "errors",
    "Ruleset": "ruleset",
    "run_report": "reporting",
    "run_sql": "reporting",
    "Score": "scoring",
    "score_game": "scoring",
    "score_ramsch": "ramsch",
    "Entry": "lists",
    "seeger_fabian": "lists",
    "Series": "lists",
    "simulate": "simulation",
    "SimulationResult": "simulation",
    "SkatSimError": "errors",
    "solve": "solver",
    "solve_many": "solver",
    "standings": "lists",
    "Table": "table",
    "Tally": "lists",
    "threshold": "study.threshold",
    "Trick": "play",
    "trick_winner": "play",
    "value_rows": "scoring",
    "Waiting": "view",
    "write_page": "reporting",
}
"""The public names and the modules they come from: each is imported when it is first asked for."""

__all__ = [*_MODULES]  # noqa: PLE0604 (the names are strings)


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
