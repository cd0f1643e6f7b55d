"""Headings and values of reports in English and German."""

from collections.abc import Mapping
from typing import Final

__all__ = ["LANGUAGES", "heading", "value_word", "word"]

LANGUAGES: Final = ("en", "de")

_HEADINGS: Final[Mapping[str, tuple[str, str]]] = {
    "all_games": ("all games", "alle Spiele"),
    "announcement": ("announced", "Ansage"),
    "at_least_share": ("or more", "oder mehr"),
    "bid_margin": ("margin", "Spanne"),
    "bid_value": ("bid", "Reizwert"),
    "card_points": ("card points", "Augen"),
    "card_points_per_game": ("points", "Augen"),
    "changed_game_rate": ("games lost", "Spiele verschenkt"),
    "contract": ("contract", "Spiel"),
    "declared": ("declared", "gespielt"),
    "difference": ("to best", "zum besten"),
    "decisions": ("decisions", "Entscheidungen"),
    "declared_rate": ("declared", "gespielt"),
    "defence_rate": ("saved", "gehalten"),
    "defended": ("defended", "gegen"),
    "games": ("games", "Spiele"),
    "hand": ("hand", "Hand"),
    "hands": ("hands", "Blätter"),
    "human_share": ("humans", "Menschen"),
    "human_won": ("humans won", "Menschen gew."),
    "jack_exact": ("exact", "exakt"),
    "jack_rate": ("jack", "Bube"),
    "kept_rate": ("kept", "gleich"),
    "kept_exact": ("exact", "exakt"),
    "lowered_exact": ("exact", "exakt"),
    "lowered_rate": ("lowered", "gesunken"),
    "matadors": ("matadors", "Spitzen"),
    "entry_factor": ("×", "×"),
    "mean_card_points": ("points", "Augen"),
    "mean_jacks": ("jacks", "Buben"),
    "mean_trumps": ("trumps", "Trümpfe"),
    "mistake_rate": ("cost", "kostete"),
    "lead_exact": ("lead", "Vorsprung"),
    "plain_exact": ("plain", "einfach"),
    "seeger_exact": ("S-F", "S-F"),
    "simple_value": ("value", "Wert"),
    "phase": ("phase", "Phase"),
    "overbid": ("overbid", "überreizt"),
    "overbid_before_rate": ("before", "vorher"),
    "overbid_exact": ("exact", "exakt"),
    "overbid_rate": ("overbid", "überreizt"),
    "part": ("part", "Teil"),
    "player": ("player", "Spieler"),
    "policies": ("policies", "Strategien"),
    "raised_exact": ("exact", "exakt"),
    "raised_rate": ("raised", "gestiegen"),
    "rescued_rate": ("rescued", "gerettet"),
    "ruleset": ("rules", "Regeln"),
    "run": ("run", "Lauf"),
    "runs": ("run", "Lauf"),
    "schneider_rate": ("schn.", "Schn."),
    "schwarz_rate": ("schw.", "schw."),
    "score": ("score", "Punkte"),
    "score_lost": ("score lost", "Verlust"),
    "score_lost_per_game": ("lost", "Verlust"),
    "score_per_game": ("score", "Punkte"),
    "seat": ("seat", "Platz"),
    "score_per_deal": ("score", "Punkte"),
    "seeger_fabian_per_deal": ("S-F", "S-F"),
    "share": ("share", "Anteil"),
    "source": ("source", "Quelle"),
    "status": ("status", "Status"),
    "switched_rate": ("switched", "umgestellt"),
    "win_rate": ("won", "gewonnen"),
    "wins": ("wins", "Siege"),
    "dealer": ("dealer", "Geber"),
    "deals": ("deals", "Spiele"),
    "declarer": ("declarer", "Alleinsp."),
    "line": ("deal", "Spiel"),
    "lost": ("lost", "verloren"),
    "others_lost": ("others", "andere"),
    "own_games": ("own", "eigene"),
    "rank": ("rank", "Platz"),
    "series_id": ("series", "Serie"),
    "total": ("total", "Summe"),
    "total_1": ("1", "1"),
    "total_2": ("2", "2"),
    "total_3": ("3", "3"),
    "total_4": ("4", "4"),
    "value": ("value", "Wert"),
    "won": ("won", "gewonnen"),
}

_VALUES: Final[Mapping[str, str]] = {
    "all": "alle",
    "clubs": "Kreuz",
    "dealt": "ausgeteilt",
    "declared": "gespielt",
    "declarer play": "Alleinspiel",
    "defender play": "Gegenspiel",
    "contract": "Ansage",
    "diamonds": "Karo",
    "discard": "Drücken",
    "forehand": "Vorhand",
    "grand": "Grand",
    "hearts": "Herz",
    "middlehand": "Mittelhand",
    "no": "nein",
    "none": "keine",
    "null": "Null",
    "ouvert": "ouvert",
    "rearhand": "Hinterhand",
    "ramsch": "Ramsch",
    "schneider": "Schneider",
    "schwarz": "schwarz",
    "spades": "Pik",
    "yes": "ja",
    "won": "gewonnen",
    "lost": "verloren",
    "own": "eigene",
    "total": "Summe",
    "others": "andere",
}

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "hidden": (
        "{count} further rows: --all-rows shows them",
        "{count} weitere Zeilen: --all-rows zeigt sie",
    ),
    "hidden_on_page": (
        "{count} further rows, which rest on few games, are left out",
        "{count} weitere Zeilen, die auf wenigen Spielen ruhen, sind weggelassen",
    ),
    "narrow": (
        "no room for: {names} (widen the window, or --format csv)",
        "kein Platz für: {names} (Fenster verbreitern oder --format csv)",
    ),
    "nothing": (
        "nothing: these runs have no such games (series are played with --series)",
        "nichts: in diesen Läufen gibt es keine solchen Spiele (Serien spielt --series)",
    ),
    "interval": (
        "rates in %, ± to the farther end of the 95 % interval",
        "Anteile in %, ± bis zum ferneren Ende des 95-%-Intervalls",
    ),
    "title": ("Skat reports", "Skat-Auswertungen"),
    "hands": ("hands", "Spiele"),
    "runs": ("runs", "Läufe"),
    "seed": ("seed", "Startwert"),
    "created": ("written", "geschrieben"),
    "exact": ("exact", "exakt"),
    "contents": ("Contents", "Inhalt"),
    "where": ("Where the games come from", "Woher die Spiele stammen"),
}


def heading(name: str, lang: str) -> str:
    """The heading of a column."""
    words = _HEADINGS.get(name)
    return words[LANGUAGES.index(lang)] if words else name.replace("_", " ")


def value_word(text: str, lang: str) -> str:
    """A value such as a contract's name, in the language."""
    return _VALUES.get(text, text) if lang == "de" else text


def word(name: str, lang: str) -> str:
    """A sentence or label of the pages."""
    return _WORDS[name][LANGUAGES.index(lang)]
