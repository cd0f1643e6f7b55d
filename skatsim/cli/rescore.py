"""The command ``rescore``."""

import click

from skatsim.cli.options import archive_option, json_option, print_json, print_sentence, print_table
from skatsim.wording import count_text

__all__ = ["rescore"]


@click.command()
@archive_option
@click.option("--run", "run", metavar="NAME", required=True, help="The run.")
@click.option(
    "--ruleset", metavar="NAME|FILE", required=True, help="The other rules: a name or a TOML file."
)
@json_option
def rescore(*, archive: str, run: str, ruleset: str, as_json: bool) -> None:
    """Score the plays of a run under other rules, and compare deal by deal.

    What is compared is what all players of the table are entered for a deal, without (plain) and
    with the bonuses of Seeger-Fabian. Refused where play would have differed.
    """
    import dataclasses

    from skatsim.rescoring import as_rows
    from skatsim.rescoring import rescore as run_rescore

    result = run_rescore(archive, run, ruleset)
    if as_json:
        print_json({**dataclasses.asdict(result), "rows": as_rows(result)})
        return
    print_sentence(
        f"run {result.run}: {count_text(result.deals, 'deal')} played by {result.ruleset}, "
        f"scored by {result.other_ruleset}"
    )
    rows = []
    for row in result.rows:
        margin = None
        if row.difference_high is not None:
            margin = f"{row.difference_high - row.difference:.3f}"
        rows.append(
            (
                "S-F" if row.scoring == "seeger_fabian" else row.scoring,
                row.contract.replace("_", " "),
                f"{row.deals:,}",
                f"{row.changed:,}",
                f"{row.before:.2f}",
                f"{row.after:.2f}",
                f"{row.difference:+.3f}",
                margin,
            )
        )
    print_table(("list", "contract", "deals", "changed", "before", "after", "diff.", "±"), rows)
    print_sentence(
        "per deal, all players together; S-F: with the bonuses of Seeger-Fabian; "
        f"± half the 95 % interval of the paired difference, by {result.unit}"
    )
