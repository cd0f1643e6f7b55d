"""The oracle under house rules: Ramsch, pushing, Kontra and further steps, Bock.

Written from the rule book with sets and strings, like the oracle it builds on; nothing of the
package under test is imported. Actions beside those of `OracleGame`:

- Kontra or the next step: `"say"` or `"silent"`;
- the skat of a Ramsch: `"push_on"` unseen, or `"look"` and then a tuple of two cards.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from .oracle_cards import JACKS, card_points, legal_cards, trick_winner
from .oracle_scoring import SEATS, OracleRules
from .rules_oracle import Action, IllegalActionError, OracleGame


@dataclass(frozen=True, kw_only=True)
class HouseRules:
    """What a table has agreed on beside the order of the game."""

    kontra_steps: int = 0
    kontra_before_first_lead: bool = False
    kontra_needs_18: bool = False
    ramsch: bool = False
    skat_goes_to: str = "last_trick"  # last_trick, loser, none
    tie: str = "both"  # both, share, later_trick
    all_equal_lose: bool = False
    virgin_factor: int = 2
    march: int = 120
    cap: int | None = None
    fixed: tuple[int, int, int] | None = None
    push: bool = False
    push_factor: int = 2
    march_is_pushed: bool = True


def ramsch_entries(
    trick_points: Mapping[str, int],
    trick_counts: Mapping[str, int],
    trick_winners: list[str],
    skat: Iterable[str],
    *,
    pushed_on: int,
    house: HouseRules,
    entry_factor: int = 1,
) -> dict[str, int]:
    """What each seat enters for a Ramsch; the factor of Kontra and Bock comes before the cap."""
    nothing = dict.fromkeys(SEATS, 0)
    virgins = [seat for seat in SEATS if trick_counts[seat] == 0]
    factor = house.push_factor**pushed_on
    if len(virgins) == 2 and house.fixed is None:
        (taker,) = set(SEATS) - set(virgins)
        won = house.march * entry_factor
        return {**nothing, taker: won * (factor if house.march_is_pushed else 1)}
    points = dict(trick_points)
    skat_points = card_points(skat)
    if house.skat_goes_to == "last_trick":
        points[trick_winners[-1]] += skat_points
    worst = max(points.values())
    losers = [seat for seat in SEATS if points[seat] == worst]
    if len(losers) == 3 and not house.all_equal_lose:
        return nothing
    loss = worst + (skat_points if house.skat_goes_to == "loser" else 0)
    if house.fixed is not None:
        loss = house.fixed[len(virgins)]
    elif virgins:
        loss *= house.virgin_factor
    loss *= factor * entry_factor
    if house.cap is not None:
        loss = min(loss, house.cap)
    if len(losers) == 2 and house.tie == "share":
        loss = loss // 2 + loss % 2
    if len(losers) == 2 and house.tie == "later_trick":
        losers = [next(seat for seat in reversed(trick_winners) if seat in losers)]
    return {seat: -loss if seat in losers else 0 for seat in SEATS}


class HouseGame(OracleGame):
    """One deal under house rules; further phases are `kontra`, `look` and `push`."""

    def __init__(
        self,
        hands: Mapping[str, Iterable[str]],
        skat: Iterable[str],
        rules: OracleRules,
        house: HouseRules,
        *,
        bock_factor: int = 1,
        is_ramsch_round: bool = False,
    ) -> None:
        super().__init__(hands, skat, rules)
        self.house = house
        self.bock_factor = bock_factor
        self.asked: str | None = None
        self.said: list[str] = []
        self.silent: set[str] = set()
        self.have_played: set[str] = set()
        self.is_ramsch = False
        self.pushed = tuple(self.skat)
        self.pushed_on = 0
        if is_ramsch_round:
            self._start_ramsch()

    @property
    def to_act(self) -> str | None:
        """Seat whose turn it is."""
        if self.phase in ("kontra", "look", "push"):
            return self.asked
        return super().to_act

    def legal_actions(self) -> list[Action]:
        """Every action the seat to act may take."""
        if self.phase == "kontra":
            return ["say", "silent"]
        if self.phase == "look":
            return ["look", "push_on"]
        if self.phase == "push":
            free = self.hands[self.asked or ""] - set(JACKS)
            return list(combinations(sorted(free), 2))
        if self.phase == "play" and self.is_ramsch:
            lead = self.trick[0] if self.trick else None
            return sorted(legal_cards(self.hands[self.to_act or ""], lead, "G"))
        return super().legal_actions()

    def apply(self, action: Action) -> None:
        """Take one step."""
        if self.phase not in ("kontra", "look", "push"):
            seat = self.to_act
            is_card = self.phase == "play"
            super().apply(action)
            if is_card:
                self.have_played.add(seat or "")
            self._ask()
            return
        if isinstance(action, tuple):
            action = tuple(sorted(action))
        if action not in self.legal_actions():
            raise IllegalActionError(f"{self.to_act} may not {action!r} in {self.phase!r}")
        seat = self.asked or ""
        if self.phase == "kontra":
            self._answer_kontra(seat, is_said=action == "say")
        elif action == "look":
            self.hands[seat] |= set(self.pushed)
            self.phase = "push"
        else:
            if action == "push_on":
                self.pushed_on += 1
            else:
                self.hands[seat] -= set(action)
                self.pushed = action
            self._next_pusher(seat)

    def entries(self) -> dict[str, int]:
        """What each seat enters in the plain list."""
        factor = self.bock_factor * 2 ** len(self.said)
        if self.is_ramsch:
            return ramsch_entries(
                self.trick_points,
                self.trick_counts,
                [winner for _, _, winner in self.tricks],
                self.pushed,
                pushed_on=self.pushed_on,
                house=self.house,
                entry_factor=factor,
            )
        return {seat: factor * entry for seat, entry in self.result().seat_scores.items()}

    def _end(self, reason: str) -> None:
        if reason == "passed_in" and self.house.ramsch:
            self._start_ramsch()
        else:
            super()._end(reason)

    def _start_ramsch(self) -> None:
        self.is_ramsch = True
        self.phase = "play"
        if self.house.push:
            self.phase, self.asked = "look", "F"

    def _next_pusher(self, seat: str) -> None:
        following = {"F": "M", "M": "R", "R": None}[seat]
        self.phase, self.asked = ("play", None) if following is None else ("look", following)

    def _ask(self) -> None:
        """Ask for Kontra where a defender may still say it."""
        if self.phase != "play" or self.is_ramsch or self.said or not self.house.kontra_steps:
            return
        defenders = [seat for seat in SEATS if seat != self.declarer]
        if self.house.kontra_before_first_lead:
            candidates = [] if self.have_played else defenders
        else:
            candidates = [seat for seat in defenders if seat == self.to_act]
        for seat in candidates:
            if self._may_say_kontra(seat):
                self.phase, self.asked = "kontra", seat
                return

    def _may_say_kontra(self, seat: str) -> bool:
        if seat in self.silent or seat in self.have_played:
            return False
        if not self.house.kontra_needs_18:
            return True
        return any(
            actor == seat and (isinstance(action, int) or action in ("hold", "play"))
            for actor, action in self.history
        )

    def _answer_kontra(self, seat: str, *, is_said: bool) -> None:
        self.phase, self.asked = "play", None
        if is_said:
            self.said.append(seat)
            if len(self.said) < self.house.kontra_steps:
                other = self.declarer if len(self.said) % 2 else self.said[0]
                self.phase, self.asked = "kontra", other
                return
        elif not self.said:
            self.silent.add(seat)
        self._ask()

    def _finish_trick(self) -> None:
        if not self.is_ramsch:
            super()._finish_trick()
            return
        place = SEATS.index(self.leader) + trick_winner(self.trick, "G")
        winner = SEATS[place % 3]
        self.tricks.append((self.leader, tuple(self.trick), winner))
        self.trick_points[winner] += card_points(self.trick)
        self.trick_counts[winner] += 1
        self.leader = winner
        self.trick = []
        if len(self.tricks) == 10:
            super()._end("ten_tricks")
