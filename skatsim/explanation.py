"""The sentence that explains a value, the way players say it, in four languages.

In English, Portuguese and Spanish numbers are figures; in German they are words, as at the
table: "ohne zwei, Spiel drei, Hand vier, mal Herz: vierzig".
"""

from dataclasses import dataclass
from typing import Final, Literal

from skatsim.arguments import check_kind, check_word
from skatsim.contracts import Contract
from skatsim.scoring import Score

__all__ = ["LANGUAGES", "Language", "contract_name", "explain"]

Language = Literal["en", "de", "pt", "es"]

LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "pt", "es")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """One language: words, and patterns for `str.format`."""

    with_: str
    without: str
    levels: dict[str, str]
    contracts: dict[str, str]
    sentence: str
    null: str
    null_words: dict[str, str]
    rescued: str
    overbid: str
    overbid_null: str
    lost_points: str
    lost_trick: str
    lost: str
    conceded: str
    missed_schneider: str
    missed_schwarz: str
    missed_spitze: str
    granted: str
    steps: tuple[str, str, str, str]
    bock: str
    factor: str
    entry: str


_WORDS: Final[dict[Language, _Words]] = {
    "en": _Words(
        with_="with",
        without="without",
        levels={
            "game": "game",
            "hand": "hand",
            "schneider": "schneider",
            "schneider_announced": "schneider announced",
            "schwarz": "schwarz",
            "schwarz_announced": "schwarz announced",
            "ouvert": "ouvert",
            "spitze": "spitze",
        },
        contracts={
            "clubs": "clubs",
            "spades": "spades",
            "hearts": "hearts",
            "diamonds": "diamonds",
            "grand": "grand",
        },
        sentence="{levels}, times {contract} {base} = {value}",
        null="{name} = {value}",
        null_words={"null": "null", "hand": "hand", "ouvert": "ouvert", "revolution": "revolution"},
        rescued="{level} lifts it to the bid of {bid}",
        overbid="overbid (the bid of {bid} is charged as {charged})",
        overbid_null=(
            "overbid (the bid of {bid} is charged as the cheapest game that holds it, {charged})"
        ),
        lost_points="lost at {points} card points",
        lost_trick="lost by taking a trick",
        lost="lost",
        conceded="lost by giving up",
        missed_schneider="schneider announced and missed",
        missed_schwarz="schwarz announced and missed at {tricks} of ten tricks",
        missed_spitze="Spitze announced and missed",
        granted="given up by the defenders",
        steps=("Kontra", "Re", "Supra", "Hirsch"),
        bock="Bock",
        factor="{names}: times {factor}",
        entry="{clauses}: {score}",
    ),
    "de": _Words(
        with_="mit",
        without="ohne",
        levels={
            "game": "Spiel",
            "hand": "Hand",
            "schneider": "Schneider",
            "schneider_announced": "Schneider angesagt",
            "schwarz": "schwarz",
            "schwarz_announced": "schwarz angesagt",
            "ouvert": "ouvert",
            "spitze": "Spitze",
        },
        contracts={
            "clubs": "Kreuz",
            "spades": "Pik",
            "hearts": "Herz",
            "diamonds": "Karo",
            "grand": "Grand",
        },
        sentence="{levels}, mal {contract}: {value}",
        null="{name}: {value}",
        null_words={"null": "Null", "hand": "Hand", "ouvert": "ouvert", "revolution": "Revolution"},
        rescued="{level} hebt es auf die gereizten {bid}",
        overbid="überreizt (für die gereizten {bid} zählen {charged})",
        overbid_null=(
            "überreizt (für die gereizten {bid} zählt das billigste Spiel, das sie erreicht, "
            "nämlich {charged})"
        ),
        lost_points="verloren mit {points} Augen",
        lost_trick="verloren durch einen Stich",
        lost="verloren",
        conceded="verloren durch Aufgeben",
        missed_schneider="angesagter Schneider verfehlt",
        missed_schwarz="angesagtes Schwarz mit {tricks} von zehn Stichen verfehlt",
        missed_spitze="angesagte Spitze verfehlt",
        granted="von den Gegenspielern aufgegeben",
        steps=("Kontra", "Re", "Supra", "Hirsch"),
        bock="Bock",
        factor="{names}: mal {factor}",
        entry="{clauses}: {score}",
    ),
    "pt": _Words(
        with_="com",
        without="sem",
        levels={
            "game": "jogo",
            "hand": "hand",
            "schneider": "schneider",
            "schneider_announced": "schneider anunciado",
            "schwarz": "schwarz",
            "schwarz_announced": "schwarz anunciado",
            "ouvert": "ouvert",
            "spitze": "spitze",
        },
        contracts={
            "clubs": "paus",
            "spades": "espadas",
            "hearts": "copas",
            "diamonds": "ouros",
            "grand": "grand",
        },
        sentence="{levels}, vezes {contract} {base} = {value}",
        null="{name} = {value}",
        null_words={"null": "null", "hand": "hand", "ouvert": "ouvert", "revolution": "revolução"},
        rescued="{level} eleva-o ao lance de {bid}",
        overbid="pediu demais (o lance de {bid} conta como {charged})",
        overbid_null=(
            "pediu demais (pelo lance de {bid} conta o jogo mais barato que o alcança, {charged})"
        ),
        lost_points="perdido com {points} pontos nas cartas",
        lost_trick="perdido por fazer uma vaza",
        lost="perdido",
        conceded="perdido por desistência",
        missed_schneider="schneider anunciado e falhado",
        missed_schwarz="schwarz anunciado e falhado com {tricks} das dez vazas",
        missed_spitze="Spitze anunciada e falhada",
        granted="desistência dos adversários",
        steps=("Kontra", "Re", "Supra", "Hirsch"),
        bock="Bock",
        factor="{names}: vezes {factor}",
        entry="{clauses}: {score}",
    ),
    "es": _Words(
        with_="con",
        without="sin",
        levels={
            "game": "juego",
            "hand": "hand",
            "schneider": "schneider",
            "schneider_announced": "schneider anunciado",
            "schwarz": "schwarz",
            "schwarz_announced": "schwarz anunciado",
            "ouvert": "ouvert",
            "spitze": "spitze",
        },
        contracts={
            "clubs": "tréboles",
            "spades": "picas",
            "hearts": "corazones",
            "diamonds": "diamantes",
            "grand": "grand",
        },
        sentence="{levels}, por {contract} {base} = {value}",
        null="{name} = {value}",
        null_words={"null": "null", "hand": "hand", "ouvert": "ouvert", "revolution": "revolución"},
        rescued="{level} lo sube hasta la puja de {bid}",
        overbid="se pasó en la subasta (la puja de {bid} cuenta como {charged})",
        overbid_null=(
            "se pasó en la subasta (por la puja de {bid} cuenta el juego más barato que la "
            "alcanza, {charged})"
        ),
        lost_points="perdido con {points} puntos en cartas",
        lost_trick="perdido por hacer una baza",
        lost="perdido",
        conceded="perdido por abandono",
        missed_schneider="schneider anunciado y fallado",
        missed_schwarz="schwarz anunciado y fallado con {tricks} de las diez bazas",
        missed_spitze="Spitze anunciada y fallada",
        granted="abandono de los defensores",
        steps=("Kontra", "Re", "Supra", "Hirsch"),
        bock="Bock",
        factor="{names}: por {factor}",
        entry="{clauses}: {score}",
    ),
}


def explain(score: Score, language: Language = "en") -> str:
    """How the value of a game came about, and why it was lost, in one sentence.

    Parameters
    ----------
    score : a result.
    language : ``en``, ``de``, ``pt`` or ``es``.

    Examples
    --------
    >>> from skatsim.cards import parse_mask
    >>> from skatsim.contracts import parse_contract
    >>> from skatsim.scoring import score_game
    >>> score = score_game(
    ...     parse_contract("hearts hand"),
    ...     hand_mask=parse_mask("HJ DJ HA HT HK H9 SA S7 C7 D7"),
    ...     skat_mask=parse_mask("S8 C8"),
    ...     bid_value=40,
    ...     card_points=75,
    ...     trick_count=7,
    ... )
    >>> explain(score)
    'without 2, game 3, hand 4, times hearts 10 = 40'
    >>> explain(score, "de")
    'ohne zwei, Spiel drei, Hand vier, mal Herz: vierzig'
    """
    check_kind(score, "score", Score, "a Score")
    check_word(language, "language", tuple(_WORDS))
    words = _WORDS[language]
    value = _null_value(score, words, language) or _trump_value(score, words, language)
    clauses = _clauses(score, words, language)
    factor = _factor(score, words, language)
    if score.is_won:
        total = [f"{factor} = {_number(score.score, language)}"] if factor else []
        return "; ".join([value, *clauses, *total])
    if factor:
        lost = ", ".join([*(clauses or [words.lost]), factor])
        return f"{value}; {lost} = {_number(score.score, language)}"
    entry = words.entry.format(
        clauses=", ".join(clauses) or words.lost, score=_number(score.score, language)
    )
    return f"{value}; {entry}"


def contract_name(contract: Contract, language: Language = "en") -> str:
    """A contract with its announcements, in one of the languages.

    Examples
    --------
    >>> contract_name(Contract(name="hearts", is_hand=True), "de")
    'Herz Hand'
    """
    if language == "en":
        return str(contract)
    words = _WORDS[language]
    if contract.is_null:
        return _null_name(contract, words)
    names = [words.contracts.get(contract.name, contract.name)]
    for is_said, level in (
        (contract.is_hand, "hand"),
        (
            contract.is_schneider_announced and not contract.is_schwarz_announced,
            "schneider_announced",
        ),
        (contract.is_schwarz_announced and not contract.is_ouvert, "schwarz_announced"),
        (contract.is_ouvert, "ouvert"),
        (contract.is_spitze, "spitze"),
    ):
        if is_said:
            names.append(words.levels[level])
    return " ".join(names)


def _factor(score: Score, words: _Words, language: Language) -> str:
    """What Kontra and Bock make of the entry; empty without."""
    if score.entry_factor == 1:
        return ""
    names = list(words.steps[: score.kontra_count])
    if score.bock_factor > 1:
        names.append(words.bock)
    return words.factor.format(names=", ".join(names), factor=_number(score.entry_factor, language))


def _null_value(score: Score, words: _Words, language: Language) -> str:
    """The value of a null game; empty for the others."""
    if not score.contract.is_null:
        return ""
    name = _null_name(score.contract, words)
    return words.null.format(name=name, value=_number(score.game_value, language))


def _null_name(contract: Contract, words: _Words) -> str:
    """Null with what was announced."""
    if contract.is_revolution:
        return words.null_words["revolution"]
    names = [words.null_words["null"]]
    if contract.is_hand:
        names.append(words.null_words["hand"])
    if contract.is_ouvert:
        names.append(words.null_words["ouvert"])
    return " ".join(names)


def _trump_value(score: Score, words: _Words, language: Language) -> str:
    """The counted levels and the value of a suit game or grand."""
    matadors = score.matadors or 0
    side = words.with_ if matadors > 0 else words.without
    count = abs(matadors)
    parts = [f"{side} {_matador_number(count, language, is_with=matadors > 0)}"]
    for step, level in enumerate(score.levels, start=1):
        parts.append(f"{words.levels[level]} {_number(count + step, language)}")
    if score.announcement_factor > 1:
        names = ", ".join(words.levels[name] for name in score.factor_names)
        factor = _number(score.announcement_factor, language)
        parts.append(words.factor.format(names=names, factor=factor))
    return words.sentence.format(
        levels=", ".join(parts),
        contract=words.contracts[score.contract.name],
        base=score.base_value,
        value=_number(score.game_value, language),
    )


def _clauses(score: Score, words: _Words, language: Language) -> list[str]:
    """What must be said beside the value: rescued, missed, lost, overbid."""
    bid = _number(score.bid_value, language)
    charged = _number(score.charged_value, language)
    clauses = [words.granted] if score.award == "granted" else []
    if score.is_won:
        if score.is_overbid_before_play and not score.is_overbid:
            level = "schwarz" if score.is_schwarz and _needs_schwarz(score) else "schneider"
            clauses.append(words.rescued.format(level=words.levels[level], bid=bid))
        return clauses
    if score.contract.is_null:
        if score.is_overbid:
            clauses.append(words.overbid_null.format(bid=bid, charged=charged))
        elif score.trick_count > 0:
            clauses.append(words.lost_trick)
    else:
        clauses += _missed(score, words, language)
        if score.is_overbid:
            clauses.append(words.overbid.format(bid=bid, charged=charged))
    if score.award == "conceded" and not clauses:
        clauses.append(words.conceded)
    return clauses


def _missed(score: Score, words: _Words, language: Language) -> list[str]:
    """What a lost suit game or grand fell short of."""
    points = score.card_points or 0
    if score.award == "conceded":
        return [words.conceded]
    if score.award == "granted":
        return []
    missed = []
    if score.is_spitze_made is False:
        missed.append(words.missed_spitze)
    needs_schneider = score.contract.is_schneider_announced or "schneider_announced" in score.levels
    if needs_schneider and not (score.is_schneider and points >= 61):
        missed.append(words.missed_schneider)
    if score.contract.is_schwarz_announced and score.trick_count < 10:
        missed.append(words.missed_schwarz.format(tricks=_number(score.trick_count, language)))
    if points >= 61 and not missed:
        return []
    return [words.lost_points.format(points=_number(points, language)), *missed]


def _needs_schwarz(score: Score) -> bool:
    """Whether the bid is reached only because of schwarz made in play."""
    is_announced = score.contract.is_schwarz_announced
    return not is_announced and score.game_value - (score.base_value or 0) < score.bid_value


def _matador_number(count: int, language: Language, *, is_with: bool) -> str:
    if language == "de" and count == 1:
        return "einem" if is_with else "einen"
    return _number(count, language)


_ONES: Final = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_TENS: Final = [
    "_",
    "_",
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
]


def _number(value: int, language: Language) -> str:
    """A number as the language's sentence writes it."""
    if language != "de":
        return str(value)
    return f"minus {_german(-value)}" if value < 0 else _german(value)


def _german(value: int) -> str:
    """A number up to 999999 in German words, written as one."""
    if value >= 1000:
        head = _german(value // 1000)
        rest = _german(value % 1000) if value % 1000 else ""
        return ("ein" if head == "eins" else head) + "tausend" + rest
    if value >= 100:
        head = "ein" if value < 200 else _ONES[value // 100]
        return head + "hundert" + (_german(value % 100) if value % 100 else "")
    if value < 20:
        return _ONES[value]
    ones = value % 10
    head = "" if ones == 0 else ("ein" if ones == 1 else _ONES[ones]) + "und"
    return head + _TENS[value // 10]
