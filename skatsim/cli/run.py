"""The commands ``run`` and ``config``."""

import dataclasses
from typing import Any

import click

from skatsim.cli.options import (
    archive_option,
    console,
    jobs_option,
    json_option,
    print_json,
    print_table,
    resolved_settings,
)
from skatsim.cli.streams import shielded
from skatsim.wording import count_text

__all__ = ["config", "run"]


@click.command()
@click.argument("pipeline", required=False)
@archive_option
@jobs_option
@click.option(
    "--run",
    "runs",
    metavar="NAME",
    multiple=True,
    help="Ask about these runs, and simulate and import nothing.",
)
@click.option("--list", "is_list", is_flag=True, help="List the pipelines that come along.")
def run(
    *,
    pipeline: str | None,
    archive: str,
    n_jobs: int | None,
    runs: tuple[str, ...],
    is_list: bool,
) -> None:
    """Run PIPELINE: a TOML file of steps, or the name of a shipped one, like demo.

    Its simulations and imports replace the runs of the same names in the archive.
    """
    from skatsim import pipeline as studies
    from skatsim.cli.simulate import progress_bar

    if is_list:
        found = [studies.find_pipeline(name) for name in studies.list_pipelines()]
        print_table(("pipeline", "title"), [(study.name, study.title) for study in found])
        return
    if pipeline is None:
        raise click.UsageError("name a pipeline; --list shows those that come along")
    study = studies.find_pipeline(pipeline)
    click.echo(study.title)
    with progress_bar("hands") as show:
        steps = studies.run_pipeline(study, archive, runs=runs, n_jobs=n_jobs, on_progress=show)
        for step, result in shielded(steps):
            _print_step(step, result, archive)


def _print_step(step: Any, result: Any, archive: str) -> None:
    if step.do == "simulate":
        click.echo(
            f"simulated {count_text(result.hands, 'hand')} in {result.seconds:.1f} s "
            f"({result.hands_per_second:,.0f}/s, {result.bytes_per_hand:.1f} bytes each): "
            f"run {result.run} in {archive}"
        )
    elif step.do == "import":
        rejected = f", {result.rejected:,} rejected" if result.rejected else ""
        click.echo(
            f"imported {count_text(result.imported, 'game')}{rejected}: "
            f"run {result.run} in {archive}"
        )
    elif isinstance(result, list):
        from skatsim.reporting.output import print_result

        for one in result:
            click.echo()
            print_result(one, console())
    else:
        click.echo(f"wrote {result}")


@click.command()
@json_option
@click.pass_context
def config(ctx: click.Context, *, as_json: bool) -> None:
    """Every option as it is set now, and where that comes from."""
    settings = resolved_settings(ctx)
    if as_json:
        print_json([dataclasses.asdict(setting) for setting in settings])
        return
    rows = [
        (setting.command, setting.option, setting.value, setting.source)
        for setting in settings
        if setting.source != "default"
    ]
    if rows:
        print_table(("command", "option", "value", "from"), rows)
    else:
        click.echo("every option has its default; --json lists them all")
