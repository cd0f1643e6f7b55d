"""Lists: series of deals, what each adds to the list, and who stands where (RULES 8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal, get_args

from skatsim.arguments import check_flag, check_kind, check_text, check_texts, check_whole, items_of
from skatsim.errors import RuleError
from skatsim.ruleset import ISKO, Ruleset
from skatsim.scoring import Score
from skatsim.wording import count_text

__all__ = [
    "SERIES_LENGTHS",
    "Entry",
    "ListScoring",
    "Place",
    "Series",
    "Tally",
    "TieRule",
    "UnfairSeriesWarning",
    "bierlachs",
    "dealer_of",
    "is_fair_series",
    "list_score",
    "seats_of",
    "seeger_fabian",
    "standings",
]

ListScoring = Literal["plain", "own_games", "seeger_fabian"]

TieRule = Literal["skwo", "shared"]

SERIES_LENGTHS: Final = {3: 36, 4: 48}
"""Deals of a series of a tournament, by the players at the table."""


class UnfairSeriesWarning(UserWarning):
    """A series in which the players do not deal equally often."""


def _check_word(what: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise RuleError(f"no {what} is named {word!r}: there is {', '.join(words)}")


def _check_sign(score: int, *, is_won: bool) -> None:
    if (score < 0) if is_won else (score > 0):
        raise RuleError(f"a game {'won' if is_won else 'lost'} is not entered with {score:+d}")


def is_fair_series(deals: int, table_size: int) -> bool:
    """Whether each player deals equally often in so many deals (RULES 8.4).

    Examples
    --------
    >>> is_fair_series(36, 3), is_fair_series(9, 4)
    (True, False)
    """
    return deals % table_size == 0


def dealer_of(deal: int, table_size: int, first_dealer: int = 0) -> int:
    """The player who deals deal `deal` (from 0): the deal goes round, passed in or not."""
    return (first_dealer + deal) % table_size


def seats_of(deal: int, table_size: int, first_dealer: int = 0) -> tuple[int, int, int]:
    """The players at forehand, middlehand and rearhand of deal `deal` (RULES 2, 8.4).

    Examples
    --------
    >>> [seats_of(deal, 4) for deal in range(4)]
    [(1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2)]
    """
    dealer = dealer_of(deal, table_size, first_dealer)
    return (
        (dealer + 1) % table_size,
        (dealer + 2) % table_size,
        (dealer + 3) % table_size,
    )


def seeger_fabian(
    score: int,
    *,
    is_won: bool | None,
    declarer: int | None,
    table_size: int = 3,
    ruleset: Ruleset = ISKO,
) -> tuple[int, ...]:
    """What one deal adds to each player's list (RULES 8.2).

    Parameters
    ----------
    score : the declarer's entry in the plain list.
    is_won : whether he won; None when passed in.
    declarer : his seat; None when passed in.
    table_size : 3, or 4 with the dealer sitting out.

    Returns
    -------
    Entries of forehand, middlehand, rearhand and, at a table of four, the sitting dealer.

    Examples
    --------
    >>> seeger_fabian(-48, is_won=False, declarer=1)
    (40, -98, 40)
    >>> seeger_fabian(24, is_won=True, declarer=0, table_size=4)
    (74, 0, 0, 0)
    """
    score = check_whole(score, "score")
    if is_won is not None:
        is_won = check_flag(is_won, "is_won")
    bonus = ruleset.defender_bonus(check_whole(table_size, "table_size"))
    if declarer is not None:
        declarer = check_whole(declarer, "declarer")
    if declarer is None or is_won is None:
        return (0,) * table_size
    if not 0 <= declarer < 3:
        raise RuleError(f"the declarer sits at {declarer!r}, not 0, 1 or 2")
    _check_sign(score, is_won=is_won)
    others = 0 if is_won else bonus
    own = score + (ruleset.own_game_bonus if is_won else -ruleset.own_game_bonus)
    return tuple(own if seat == declarer else others for seat in range(table_size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a list says of one player: the plain score, and the games won and lost as declarer."""

    player: str
    score: int
    won_count: int
    lost_count: int

    def __post_init__(self) -> None:
        check_text(self.player, "player")
        object.__setattr__(self, "score", check_whole(self.score, "score"))
        for name in ("won_count", "lost_count"):
            object.__setattr__(self, name, check_whole(getattr(self, name), name, least=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A player's place in the standings."""

    rank: int
    player: str
    list_score: int


def list_score(
    tally: Tally,
    *,
    others_lost_count: int,
    table_size: int,
    scoring: ListScoring = "seeger_fabian",
    ruleset: Ruleset = ISKO,
) -> int:
    """A player's score at the foot of the list (RULES 8.1, 8.2).

    Parameters
    ----------
    tally : the player's own games.
    others_lost_count : games that the other players of the table lost as declarer.
    scoring : ``plain``; ``own_games`` adds 50 for each game won less those lost;
        ``seeger_fabian`` adds also what the others lost.

    Raises
    ------
    RuleError
        No scoring has that name.
    """
    _check_word("scoring", scoring, get_args(ListScoring))
    total = tally.score
    if scoring != "plain":
        total += ruleset.own_game_bonus * (tally.won_count - tally.lost_count)
    if scoring == "seeger_fabian":
        total += ruleset.defender_bonus(table_size) * others_lost_count
    return total


def standings(
    tallies: Iterable[Tally],
    *,
    scoring: ListScoring = "seeger_fabian",
    tie_rule: TieRule = "skwo",
    lots: Mapping[str, int] | None = None,
    ruleset: Ruleset = ISKO,
) -> tuple[Place, ...]:
    """The players of one table, best first (RULES 8.3).

    Parameters
    ----------
    tallies : three or four players.
    tie_rule : ``skwo``: more games won, then fewer lost, decide a tie, and who is still tied
        shares a rank until lots are drawn; ``shared``: a tie stays a tie.
    lots : the lots drawn, by player: the lower comes first where `skwo` finds a tie.

    Raises
    ------
    RuleError
        No scoring or no rule for ties has that name, or no table has so many players.

    Examples
    --------
    >>> places = standings(
    ...     [
    ...         Tally(player="A", score=480, won_count=11, lost_count=0),
    ...         Tally(player="B", score=640, won_count=12, lost_count=3),
    ...         Tally(player="C", score=655, won_count=10, lost_count=2),
    ...         Tally(player="D", score=-40, won_count=5, lost_count=4),
    ...     ]
    ... )
    >>> [(place.player, place.list_score) for place in places]
    [('A', 1300), ('B', 1270), ('C', 1265), ('D', 160)]
    """
    _check_word("scoring", scoring, get_args(ListScoring))
    _check_word("rule for ties", tie_rule, get_args(TieRule))
    players = tuple(items_of(tallies, "tallies", Tally, "a list of Tally"))
    table_size = len(players)
    lost = sum(tally.lost_count for tally in players)
    ranked = []
    for tally in players:
        total = list_score(
            tally,
            others_lost_count=lost - tally.lost_count,
            table_size=table_size,
            scoring=scoring,
            ruleset=ruleset,
        )
        lot = -lots.get(tally.player, 0) if lots else 0
        ties = (tally.won_count, -tally.lost_count, lot) if tie_rule == "skwo" else (0, 0, 0)
        ranked.append(((total, *ties), tally.player))
    ranked.sort(key=lambda entry: entry[0], reverse=True)
    keys = [key for key, _ in ranked]
    return tuple(
        Place(rank=keys.index(key) + 1, player=player, list_score=key[0]) for key, player in ranked
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one deal of a series writes into the list, by the places of its players.

    Attributes
    ----------
    declarer : the player; None when passed in and in Ramsch.
    score : the declarer's entry, doublings counted.
    is_won : None without a declarer.
    scores : what each player of the table is given where there is no declarer (Ramsch);
        empty: nothing.
    value : what was entered before a loss was doubled, Kontra and Bock counted; None where it
        is not known. Bierlachs asks for it where losses are not all doubled.

    Raises
    ------
    RuleError
        A game without a declarer is won or lost, or a game won is entered with minus.

    Examples
    --------
    >>> Entry(declarer=1, score=-48, is_won=False).plain(4)
    (0, -48, 0, 0)
    """

    declarer: int | None = None
    score: int = 0
    is_won: bool | None = None
    scores: tuple[int, ...] = ()
    value: int | None = None

    def __post_init__(self) -> None:
        scores = items_of(self.scores, "scores", object, "a tuple of scores")
        plain: dict[str, object] = {
            "score": check_whole(self.score, "score"),
            "scores": tuple(check_whole(score, "scores") for score in scores),
        }
        if self.declarer is not None:
            plain["declarer"] = check_whole(self.declarer, "declarer", least=0, most=3)
        if self.is_won is not None:
            plain["is_won"] = check_flag(self.is_won, "is_won")
        if self.value is not None:
            plain["value"] = check_whole(self.value, "value", least=0)
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        if self.declarer is None:
            if self.score or self.is_won is not None or self.value is not None:
                raise RuleError("a deal without a declarer has neither score nor winner")
            return
        if self.is_won is None or self.scores:
            raise RuleError("a deal with a declarer is won or lost by him, and by nobody else")
        _check_sign(self.score, is_won=self.is_won)

    @classmethod
    def of(cls, score: Score, declarer: int) -> "Entry":
        """What a game adds to the list of the player who declared it."""
        return cls(
            declarer=declarer,
            score=score.score,
            is_won=score.is_won,
            value=score.charged_value * score.entry_factor,
        )

    def plain(self, table_size: int) -> tuple[int, ...]:
        """What each player's column of the plain list is given (RULES 8.1)."""
        if self.declarer is None:
            return self.scores or (0,) * table_size
        return tuple(self.score if player == self.declarer else 0 for player in range(table_size))

    def seeger_fabian(self, table_size: int, ruleset: Ruleset = ISKO) -> tuple[int, ...]:
        """What each player is given with the bonuses of this deal (RULES 8.2).

        They are not doubled with the score, and there are none in Ramsch.
        """
        if self.declarer is None or self.is_won is None:
            return self.plain(table_size)
        others = 0 if self.is_won else ruleset.defender_bonus(table_size)
        own = ruleset.own_game_bonus if self.is_won else -ruleset.own_game_bonus
        return tuple(
            self.score + own if player == self.declarer else others for player in range(table_size)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A series of deals at one table (RULES 8.4).

    Parameters
    ----------
    players : three or four names, in the order of the deal.
    entries : one for each deal, passed-in deals among them.
    first_dealer : the place of the player who deals first.

    Examples
    --------
    >>> series = Series(
    ...     players=("Ann", "Ben", "Cid", "Dee"),
    ...     entries=(
    ...         Entry(declarer=1, score=24, is_won=True),
    ...         Entry(declarer=2, score=-48, is_won=False),
    ...         Entry(),
    ...     ),
    ... )
    >>> series.list_scores()
    {'Ann': 30, 'Ben': 104, 'Cid': -98, 'Dee': 30}
    >>> series.sitting_out(2)
    'Cid'
    """

    players: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    first_dealer: int = 0

    def __post_init__(self) -> None:
        entries = items_of(self.entries, "entries", Entry, "a tuple of Entry")
        object.__setattr__(self, "players", check_texts(self.players, "players"))
        object.__setattr__(self, "entries", entries)
        first_dealer = check_whole(self.first_dealer, "first_dealer")
        object.__setattr__(self, "first_dealer", first_dealer)
        size = len(self.players)
        if size not in (3, 4) or len(set(self.players)) != size:
            raise RuleError(f"a table has three or four different players, not {self.players!r}")
        if not 0 <= self.first_dealer < size:
            raise RuleError(f"the first dealer is player {self.first_dealer!r} of {size}")
        for number, entry in enumerate(self.entries):
            if entry.declarer is None:
                self._check_scores(number, entry.scores)
                continue
            if entry.declarer not in seats_of(number, size, self.first_dealer):
                raise RuleError(
                    f"deal {number} names declarer {entry.declarer!r}, who is not among its "
                    f"three players {seats_of(number, size, self.first_dealer)}"
                )

    def _check_scores(self, number: int, scores: tuple[int, ...]) -> None:
        """Refuse scores of a Ramsch that are not one for each player, or one for who sits out."""
        size = len(self.players)
        if not scores:
            return
        if len(scores) != size:
            raise RuleError(
                f"deal {number} has {count_text(len(scores), 'score')} for {size} players"
            )
        dealer = dealer_of(number, size, self.first_dealer)
        if size == 4 and scores[dealer]:
            raise RuleError(
                f"deal {number} gives {scores[dealer]:+d} to player {dealer}, who sits out"
            )

    @property
    def table_size(self) -> int:
        """The number of players."""
        return len(self.players)

    @property
    def is_fair(self) -> bool:
        """Whether each player dealt equally often."""
        return is_fair_series(len(self.entries), self.table_size)

    def dealer(self, deal: int) -> str:
        """Who deals deal `deal`, from 0."""
        return self.players[dealer_of(deal, self.table_size, self.first_dealer)]

    def sitting_out(self, deal: int) -> str | None:
        """The dealer at a table of four; None at a table of three."""
        return self.dealer(deal) if self.table_size == 4 else None

    def seats(self, deal: int) -> tuple[str, str, str]:
        """The players at forehand, middlehand and rearhand of a deal."""
        forehand, middlehand, rearhand = seats_of(deal, self.table_size, self.first_dealer)
        return self.players[forehand], self.players[middlehand], self.players[rearhand]

    def running_totals(self) -> tuple[tuple[int, ...], ...]:
        """The plain list after each deal, as a tournament writes it."""
        return tuple(
            accumulate(
                (entry.plain(self.table_size) for entry in self.entries),
                lambda total, new: tuple(map(sum, zip(total, new, strict=True))),
            )
        )

    def tallies(self) -> tuple[Tally, ...]:
        """The foot of the list: plain score, games won and lost of each player."""
        totals = (self.running_totals() or ((0,) * self.table_size,))[-1]
        return tuple(
            Tally(
                player=player,
                score=totals[place],
                won_count=sum(e.declarer == place and e.is_won is True for e in self.entries),
                lost_count=sum(e.declarer == place and e.is_won is False for e in self.entries),
            )
            for place, player in enumerate(self.players)
        )

    def list_scores(
        self, scoring: ListScoring = "seeger_fabian", ruleset: Ruleset = ISKO
    ) -> dict[str, int]:
        """The score of each player at the foot of the list."""
        tallies = self.tallies()
        lost = sum(tally.lost_count for tally in tallies)
        return {
            tally.player: list_score(
                tally,
                others_lost_count=lost - tally.lost_count,
                table_size=self.table_size,
                scoring=scoring,
                ruleset=ruleset,
            )
            for tally in tallies
        }

    def standings(
        self,
        *,
        scoring: ListScoring = "seeger_fabian",
        tie_rule: TieRule = "skwo",
        lots: Mapping[str, int] | None = None,
        ruleset: Ruleset = ISKO,
    ) -> tuple[Place, ...]:
        """The players, best first; see `standings`."""
        return standings(
            self.tallies(), scoring=scoring, tie_rule=tie_rule, lots=lots, ruleset=ruleset
        )


def bierlachs(
    series: Series,
    *,
    loss_factor: int = 2,
    limit: int = -500,
    ruleset: Ruleset = ISKO,
) -> tuple[tuple[int, ...], int | None]:
    """Bierlachs, a house game: minus points only, played to a limit (RULES 8.5).

    For a game won, the value is taken from each of the two defenders; for a game lost,
    `loss_factor` times the value from the declarer; for a Durchmarsch what it scores, from
    each of the two others. There is no written authority for it: both parameters are a matter
    of the table.

    Parameters
    ----------
    loss_factor : 1 or 2 at most tables.
    limit : the game ends with the deal that takes a player to it or below.
    ruleset : by which the entries were made; it says what a loss was multiplied by.

    Returns
    -------
    totals : of each player, by place.
    end : the deal that ended it, from 0; None where the limit was not reached.

    Raises
    ------
    RuleError
        The factor or the limit cannot be, or the value of a lost game is not known.

    Examples
    --------
    >>> series = Series(
    ...     players=("Ann", "Ben", "Cid"),
    ...     entries=(
    ...         Entry(declarer=0, score=20, is_won=True),
    ...         Entry(declarer=2, score=-48, is_won=False),
    ...     ),
    ... )
    >>> bierlachs(series)
    ((0, -20, -68), None)
    """
    check_kind(series, "series", Series, "a Series")
    loss_factor, limit = check_whole(loss_factor, "loss_factor"), check_whole(limit, "limit")
    if loss_factor < 1:
        raise RuleError(f"a lost game costs 1 time its value or more, not {loss_factor!r} times")
    if limit >= 0:
        raise RuleError(f"a list of minus points ends below 0, not at {limit!r}")
    totals = [0] * series.table_size
    for number, entry in enumerate(series.entries):
        seats: Sequence[int] = seats_of(number, series.table_size, series.first_dealer)
        if entry.declarer is None:
            for player, score in enumerate(entry.scores):
                for loser in seats if score > 0 else (player,):
                    totals[loser] -= abs(score) if loser != player or score < 0 else 0
        elif entry.is_won:
            for player in seats:
                totals[player] -= entry.score if player != entry.declarer else 0
        else:
            totals[entry.declarer] -= loss_factor * _lost_value(entry, number, ruleset)
        if min(totals) <= limit:
            return tuple(totals), number
    return tuple(totals), None


def _lost_value(entry: Entry, number: int, ruleset: Ruleset) -> int:
    """The value of a lost game, before the list multiplied it."""
    if entry.value is not None:
        return entry.value
    factor = ruleset.lost_factor
    if factor != ruleset.lost_hand_factor or entry.score % factor:
        raise RuleError(
            f"deal {number} is lost with {entry.score}, which by ruleset {ruleset.name!r} does not "
            "say its value: give it as Entry(value=...)"
        )
    return -entry.score // factor
