"""Wrong arguments of the public functions: one clear line that names the argument, no traceback
from the depths."""

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skatsim
from skatsim.arguments import check_number, check_text, check_texts, check_whole
from skatsim.errors import RuleError, SkatSimError

HAND = "SJ CA CK C9 ST S8 HA HT DK D9"
HAND_MASK = skatsim.parse_mask(HAND)
CLUBS = skatsim.parse_contract("clubs")
DEAL = skatsim.random_deal(1)
PLACED = {
    "forehand_mask": DEAL.forehand_mask,
    "middlehand_mask": DEAL.middlehand_mask,
    "rearhand_mask": DEAL.rearhand_mask,
}
POSITION = skatsim.Position(
    forehand_mask=skatsim.parse_mask("CJ C7"),
    middlehand_mask=skatsim.parse_mask("CA ST"),
    rearhand_mask=skatsim.parse_mask("HA H7"),
    skat_mask=skatsim.parse_mask("D7 D8"),
    contract=CLUBS,
    declarer_seat=0,
)
SERIES = skatsim.Series(players=("Ann", "Ben", "Cid"))
TALLY = skatsim.Tally(player="Ann", score=48, won_count=1, lost_count=0)


def _null_game(*, is_over: bool) -> skatsim.Game:
    game = skatsim.Game(deal=DEAL)
    for call in (18, "pass", "pass"):
        game = game.with_call(call)
    game = game.with_declaration(skatsim.parse_contract("clubs hand"))
    return skatsim.concede(game, "declarer") if is_over else game


PLAYING = _null_game(is_over=False)
SCORE = skatsim.score_game(
    CLUBS,
    hand_mask=HAND_MASK,
    skat_mask=skatsim.parse_mask("CJ D8"),
    bid_value=18,
    trick_count=6,
    card_points=70,
)

NO_NUMBERS = (None, "3", b"3", 1.5, math.nan, True, [3], {}, object())
NO_TEXTS = (None, 3, math.nan, b"CJ", ["CJ"], {}, object())
NO_LISTS = (None, 3, math.nan, object())

WHOLE = (*NO_NUMBERS, -(10**30), 10**30)
"""Nothing of it is a number that makes sense anywhere here."""
MAYBE_WHOLE = tuple(wrong for wrong in WHOLE if wrong is not None)
NUMBER = ("3", b"3", math.nan, math.inf, True, [3], {}, object(), -1)
FLAG = (3, "x", math.nan, [], object())
TEXT = (*NO_TEXTS, "no such thing")
ANY_TEXT = NO_TEXTS
MAYBE_TEXT = tuple(wrong for wrong in NO_TEXTS if wrong is not None)
LIST = (*NO_LISTS, [object()], "x")
KIND = (None, 3, "x", math.nan, [], object())
PATH = (None, 3, math.nan, b"x", ["x"], object(), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A public function with good arguments, and for each of them what it must refuse."""

    function: Callable[..., Any]
    good: dict[str, Any]
    wrong: dict[str, tuple[Any, ...]]


def _asked(function: Callable[..., Any], **arguments: tuple[Any, tuple[Any, ...]]) -> Asked:
    return Asked(
        function=function,
        good={name: good for name, (good, _) in arguments.items()},
        wrong={name: wrong for name, (_, wrong) in arguments.items()},
    )


def _public() -> Iterator[Asked]:
    s = skatsim
    masks = {name: (mask, WHOLE) for name, mask in PLACED.items()}
    skat = {"skat_mask": (DEAL.skat_mask, WHOLE)}
    declared = {"contract": (CLUBS, KIND), "declarer_seat": (0, WHOLE), "leader_seat": (0, WHOLE)}
    yield _asked(s.Call, seat=(0, WHOLE), kind=("bid", TEXT), value=(18, WHOLE))
    yield _asked(s.Auction, calls=((), LIST))
    yield _asked(s.Contract, name=("clubs", TEXT), is_hand=(True, (*FLAG, None)))
    yield _asked(s.Deal, **masks, **skat)
    yield _asked(s.Position, **masks, **skat, **declared, trick=((), LIST))
    yield _asked(s.Game, deal=(DEAL, KIND), events=((), LIST))
    yield _asked(
        s.Entry, declarer=(1, MAYBE_WHOLE), score=(24, WHOLE[:-1]), is_won=(True, (*FLAG, None))
    )
    yield _asked(
        s.Tally,
        player=("Ann", ANY_TEXT),
        score=(3, NO_NUMBERS),
        won_count=(1, WHOLE[:-1]),
        lost_count=(1, WHOLE[:-1]),
    )
    yield _asked(s.Series, players=(("Ann", "Ben", "Cid"), LIST), first_dealer=(0, WHOLE))
    yield _asked(s.Table, count=(2, WHOLE), seed=(0, WHOLE), first=(0, WHOLE))
    twelve = {**masks, "forehand_mask": (DEAL.forehand_mask | DEAL.skat_mask, WHOLE)}
    yield _asked(s.best_discard, **twelve, **declared, by=("wins", TEXT))
    yield _asked(s.bierlachs, series=(SERIES, KIND), limit=(-500, (*NO_NUMBERS, 0, 10**30)))
    yield _asked(s.break_even, game_value=(24, WHOLE[:-1]), scoring=("plain", TEXT))
    yield _asked(
        s.calibrate,
        games=(10, (*NO_NUMBERS, 0, -1, 10**30)),
        samples=(10, WHOLE),
        seed=(0, WHOLE),
        policy=("uniform", TEXT),
    )
    yield _asked(s.card_text, card=(31, WHOLE), style=("german", TEXT))
    yield _asked(s.cards_text, cards=([31, 0], LIST))
    yield _asked(
        s.check_declaration,
        contract=(CLUBS, KIND),
        bid_value=(18, WHOLE),
        cards_mask=(HAND_MASK, WHOLE),
    )
    yield _asked(s.claim, game=(PLAYING, KIND))
    yield _asked(s.concede, game=(PLAYING, KIND), side=("declarer", TEXT))
    yield _asked(s.forfeit, game=(PLAYING, KIND), guilty=("declarer", TEXT))
    yield _asked(s.count_matadors, cards_mask=(HAND_MASK, WHOLE), contract=(CLUBS, KIND))
    yield _asked(
        s.deal,
        count=(2, WHOLE),
        seed=(0, WHOLE),
        given=("skat: no jacks", (*MAYBE_TEXT, "x")),
        where=("skat_jacks = 0", (*MAYBE_TEXT, "x")),
    )
    yield _asked(
        s.estimate,
        hand=(HAND, (*NO_TEXTS[:1], *TEXT[1:], [HAND], -1, 10**30)),
        seat=(0, (*NO_NUMBERS[:1], "x", b"0", 1.5, math.nan, True, [0], 3, -1, 10**30)),
        skat=("CJ D8", (math.nan, b"CJ", ["CJ"], {}, object(), "x", 1, -1, 10**30)),
        auction=("", (*NO_TEXTS, "x")),
        contracts=("clubs", (3, math.nan, b"x", object(), [3], "x")),
        method=("play", TEXT),
        policy=("uniform", TEXT),
        scoring=("plain", TEXT),
        samples=(2, MAYBE_WHOLE),
        seed=(0, WHOLE),
    )
    yield _asked(
        s.estimate, hand=(HAND, ()), contracts=("null", ()), precision=(0.2, (*NUMBER, 0, 1))
    )
    yield _asked(s.explain, score=(SCORE, KIND), language=("de", TEXT))
    yield _asked(s.find_ruleset, name=("isko", TEXT))
    yield _asked(
        s.legal_cards, contract=(CLUBS, KIND), hand_mask=(HAND_MASK, WHOLE), lead=(3, MAYBE_WHOLE)
    )
    yield _asked(s.mask_text, mask=(HAND_MASK, WHOLE))
    yield _asked(s.parse_card, text=("CJ", TEXT))
    yield _asked(s.parse_cards, text=("CJ", TEXT))
    yield _asked(s.parse_contract, text=("clubs", TEXT))
    yield _asked(s.parse_mask, text=("CJ", TEXT))
    yield _asked(s.parse_seat, text=("rearhand", TEXT))
    yield _asked(s.random_deal, seed=(1, WHOLE), game_number=(0, WHOLE))
    yield _asked(s.review, game=(_null_game(is_over=True), KIND))
    yield _asked(
        s.score_game,
        contract=(CLUBS, KIND),
        hand_mask=(HAND_MASK, WHOLE),
        skat_mask=(skatsim.parse_mask("CJ D8"), WHOLE),
        bid_value=(18, WHOLE),
        trick_count=(6, WHOLE),
        card_points=(70, WHOLE),
        kontra=(0, WHOLE),
        bock=(1, WHOLE),
        award=("none", TEXT),
    )
    yield _asked(
        s.score_ramsch,
        trick_points=((0, 60, 50), LIST),
        trick_counts=((0, 6, 4), LIST),
        last_tricks=((0, 10, 9), LIST),
        skat_points=(10, WHOLE),
        kontra=(0, WHOLE),
    )
    yield _asked(
        s.seeger_fabian,
        score=(24, NO_NUMBERS),
        is_won=(True, FLAG),
        declarer=(0, MAYBE_WHOLE),
        table_size=(3, WHOLE),
    )
    yield _asked(
        s.simulate,
        hands=(20, WHOLE),
        seed=(1, WHOLE),
        run=("mine", (*MAYBE_TEXT, "..")),
        n_jobs=(1, MAYBE_WHOLE),
        mode=("new", TEXT),
    )
    yield _asked(
        s.simulate, until=(0.4, NUMBER), archive=("games", PATH[1:]), mode=("overwrite", TEXT)
    )
    yield _asked(s.solve, position=(POSITION, KIND))
    no_columns = ([1.5], ["x"], [-1], object(), [[[1]]])
    columns = {name: ([mask], no_columns) for name, mask in PLACED.items()}
    yield _asked(
        s.solve_many,
        **columns,
        skat_mask=([DEAL.skat_mask], (None, "x", [1.5], [-1], [10**30])),
        contract=([0], (None, "x", [1.5], [-1], [10**30])),
        declarer_seat=([0], (None, "x", [1.5], [-1], [10**30])),
        n_jobs=(1, WHOLE),
    )
    yield _asked(s.standings, tallies=([TALLY] * 3, LIST), scoring=("plain", TEXT))
    yield _asked(
        s.threshold,
        policy=("heuristic", TEXT),
        param=("risk", (*MAYBE_TEXT, "x")),
        values=([0.5, 0.6], (3, math.nan, object(), ["x"], [math.nan, 0.5], [0.5])),
        deals=(2, WHOLE),
        scoring=("plain", TEXT),
        seat=(0, MAYBE_WHOLE),
        seed=(0, WHOLE),
        n_jobs=(1, MAYBE_WHOLE),
    )
    yield _asked(s.trick_winner, contract=(CLUBS, KIND), cards=((3, 4), (*LIST, (), (32,))))
    yield _asked(s.value_rows, hand_mask=(HAND_MASK, WHOLE), skat_mask=(None, MAYBE_WHOLE))


def _duel(policy: Any, **options: Any) -> Any:
    return skatsim.duel(policy, "uniform", **options)


PUBLIC = [
    *_public(),
    _asked(
        _duel,
        policy=("uniform", TEXT),
        deals=(2, MAYBE_WHOLE),
        scoring=("plain", TEXT),
        seed=(0, WHOLE),
        n_jobs=(1, MAYBE_WHOLE),
    ),
    _asked(_duel, policy=("uniform", ()), precision=(10_000.0, (*NUMBER, 0))),
]


def _name(asked: Asked) -> str:
    return f"{asked.function.__name__.strip('_')}-{'-'.join(asked.good)}"[:40]


def _refuses(asked: Asked, name: str, wrong: Any) -> None:
    """A `SkatSimError`, or a `TypeError` that names the argument, of one line."""
    where = f"{asked.function.__name__}({name}={wrong!r})"
    try:
        found = asked.function(**{**asked.good, name: wrong})
    except SkatSimError as error:
        text = str(error)
    except TypeError as error:
        text = str(error)
        assert name in text and "needed" in text, f"{where}: {text}"
    else:
        pytest.fail(f"{where} gives {str(found)[:80]}")
    assert text and "\n" not in text and len(text) < 300, f"{where}: {text}"


@pytest.mark.parametrize("asked", PUBLIC, ids=_name)
def test_wrong_arguments_are_refused_in_one_line(asked: Asked, working_folder: Path) -> None:
    for name, values in asked.wrong.items():
        for wrong in values:
            _refuses(asked, name, wrong)


@pytest.mark.parametrize(
    "asked", [one for one in PUBLIC if one.function is not skatsim.claim], ids=_name
)
def test_numbers_of_numpy_are_numbers(asked: Asked, working_folder: Path) -> None:
    found = asked.function(**asked.good)
    for name, good in asked.good.items():
        kind = {bool: np.bool_, int: np.int64, float: np.float64}.get(type(good))
        if kind is None:
            continue
        with_numpy = asked.function(**{**asked.good, name: kind(good)})
        if not hasattr(found, "seconds") and type(found).__repr__ is not object.__repr__:
            assert repr(with_numpy) == repr(found)


def test_paths_are_texts_or_paths(working_folder: Path) -> None:
    first = skatsim.simulate(hands=200, seed=1, archive="games", run="one")
    second = skatsim.simulate(hands=200, seed=1, archive=Path("games"), run="two")
    assert first.digest == second.digest
    for archive in ("games", Path("games"), skatsim.Archive.open("games")):
        assert skatsim.run_report("seats", archive).rows()
        assert skatsim.rescore(archive, "one", "isko").deals == 200
        assert skatsim.fairness(archive, ["one"]).deals == 200
        assert skatsim.review_run(archive, "one", hands=1).hands == 1
    asked = [
        _asked(skatsim.run_sql, query=("select 1", ()), archive=("games", PATH), runs=((), LIST)),
        _asked(skatsim.run_report, name=("seats", ()), archive=("games", PATH), runs=((), LIST)),
        _asked(skatsim.fairness, archive=("games", PATH), runs=((), LIST)),
        _asked(skatsim.rescore, archive=("games", PATH), run=("one", TEXT), ruleset=("isko", TEXT)),
        _asked(
            skatsim.review_run,
            archive=("games", PATH),
            run=("one", TEXT),
            hands=(1, MAYBE_WHOLE[:-1]),
            n_jobs=(1, MAYBE_WHOLE),
        ),
        _asked(
            skatsim.write_page,
            archive=("games", PATH),
            runs=((), LIST),
            reports=(("seats",), LIST),
            path=("page.html", PATH),
        ),
    ]
    for one in asked:
        for name, values in one.wrong.items():
            for wrong in values:
                _refuses(one, name, wrong)
    assert {path.name for path in Path().iterdir()} == {"games"}


def test_messages_say_argument_value_and_what_is_wanted() -> None:
    with pytest.raises(TypeError, match=r"^samples '100' \(str\): a whole number is needed$"):
        skatsim.estimate(HAND, samples="100")
    with pytest.raises(TypeError, match=r"^cards None \(NoneType\): a text is needed$"):
        skatsim.parse_mask(None)
    with pytest.raises(TypeError, match=r"^position 'x' \(str\): a Position is needed$"):
        skatsim.solve("x")
    with pytest.raises(RuleError, match=r"^deals 0: 1 to 20,000,000$"):
        skatsim.threshold(deals=0)
    with pytest.raises(RuleError, match=r"^count -1: 0 or more$"):
        check_whole(-1, "count", least=0)
    with pytest.raises(RuleError, match=r"^count 2: 1 or less$"):
        check_whole(2, "count", most=1)
    with pytest.raises(TypeError, match=r"^runs 'mine' \(str\): a list of texts is needed$"):
        check_texts("mine", "runs")
    with pytest.raises(RuleError, match="is not finite"):
        check_number(10**400, "precision")
    assert type(check_whole(np.uint8(3), "count")) is int
    assert check_number(np.float32(0.5), "precision") == 0.5
    assert check_text("x", "name") == "x"


def test_every_public_function_is_asked() -> None:
    """But those that take an archive, and those that are asked for elsewhere."""
    elsewhere = {
        "compact_run",
        "compiled_policy",
        "copy_run",
        "duel",
        "export_games",
        "find_policy",
        "import_games",
        "fairness",
        "rescore",
        "review_run",
        "run_report",
        "run_sql",
        "write_page",
    }
    asked = {one.function.__name__ for one in PUBLIC}
    functions = {name for name in skatsim.__all__ if inspect.isfunction(getattr(skatsim, name))}
    assert functions - asked == elsewhere
