"""The command ``deal``."""

from typing import Any

import click

from skatsim.cli.options import cards_option, has_symbols, print_table, seed_option
from skatsim.wording import count_text

__all__ = ["deal"]


@click.command()
@click.option(
    "--count", type=click.IntRange(0, 10_000_000), default=1, show_default=True, help="How many."
)
@seed_option
@click.option(
    "--given",
    metavar="TEXT",
    help="Cards and counts at places: 'forehand: CJ SJ, 2 aces, at least 5 trumps clubs; "
    "skat: no jacks'.",
)
@click.option(
    "--where",
    metavar="SQL",
    help="What else shall hold: 'forehand_longest_suit >= 5 and skat_card_points > 10'.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "iss", "jsonl", "html"]),
    default="text",
    show_default=True,
    help="How deals are written; as server lines they are games that were passed in.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="A file.  [default: stdout]")
@cards_option
@click.option("--figures", "is_list", is_flag=True, help="List the names that --where knows.")
def deal(
    *,
    count: int,
    seed: int,
    given: str | None,
    where: str | None,
    form: str,
    output: str | None,
    card_style: Any,
    is_list: bool,
) -> None:
    """Deal, freely or under conditions.

    Free deals are those of 'simulate' with the same seed. Cards and counts are laid out directly;
    what else is asked is found by trying, and how often that was met is said.
    """
    from skatsim.cli.simulate import progress_bar
    from skatsim.formats.deals import deal_lines
    from skatsim.study.conditional import deal as run_deal

    if is_list:
        _print_figures()
        return
    with progress_bar("deals") as show:
        deals = run_deal(count, seed=seed, given=given, where=where, on_progress=show)
    title = "; ".join(filter(None, (given, where))) or "Deals"
    lines = deal_lines(
        zip(deals.numbers.tolist(), deals.masks.tolist(), strict=True),
        form,
        style=card_style,
        has_symbols=output is None and has_symbols(),
        title=title,
    )
    if output is None:
        for line in lines:
            click.echo(line)
    else:
        from pathlib import Path

        from skatsim.durable import whole_or_unchanged

        with (
            whole_or_unchanged(Path(output).expanduser()) as target,
            target.open("w", encoding="utf-8") as file,
        ):
            file.writelines(f"{line}\n" for line in lines)
        click.echo(f"wrote {count_text(len(deals), 'deal')}: {output}", err=True)
    _say_how(deals)


def _say_how(deals: Any) -> None:
    """How usual such deals are, on stderr."""
    parts = []
    if deals.chance < 1:
        parts.append(f"one deal in {1 / deals.chance:,.1f} has these cards and counts")
    if deals.tried > len(deals):
        parts.append(
            f"{deals.rate:.3%} of the {deals.tried:,} deals tried met the rest of the conditions"
        )
    if parts:
        click.echo("; ".join(parts), err=True)


def _print_figures() -> None:
    from skatsim.study.conditions import CLASSES, FIGURES

    rows = [(name, "counts cards: laid out directly") for name in CLASSES]
    others = dict.fromkeys(name.partition("_")[2] for name in FIGURES)
    rows += [(name, "found by trying") for name in others if name not in CLASSES]
    print_table(("figure", "how"), rows)
    click.echo("each after forehand_, middlehand_, rearhand_ or skat_; a suit is without its jack")
