"""The command ``policies``."""

from typing import Any

import click

from skatsim.cli.options import json_option, print_json, print_table
from skatsim.cli.streams import shielded_stdout

__all__ = ["policies"]


@click.group()
def policies() -> None:
    """The players that can be seated."""


@policies.command("list")
@json_option
def list_policies(*, as_json: bool) -> None:
    """All policies that have a name; those that cannot be loaded say why."""
    from skatsim.policies import list_policies as known

    with shielded_stdout():
        listings = list(known())
    rows: list[tuple[Any, ...]] = []
    for listing in listings:
        policy = listing.policy
        if policy is None:
            rows.append((listing.name, None, "broken", listing.source, listing.problem))
        else:
            rows.append(
                (listing.name, policy.version, policy.way, listing.source, policy.description)
            )
    keys = ("name", "version", "way", "source", "description")
    if as_json:
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    print_table(keys, rows)


@policies.command()
@click.argument("name")
@json_option
def show(*, name: str, as_json: bool) -> None:
    """A policy's parameters; NAME may carry values, like heuristic:risk=0.6.

    It may also be ./FILE.py:NAME or cmd:PROGRAM.
    """
    from skatsim.policies import find_policy

    with shielded_stdout():
        policy = find_policy(name)
    rows = [
        (parameter.name, value, parameter.default, parameter.description)
        for parameter, value in zip(policy.parameters, policy.values, strict=True)
    ]
    if as_json:
        keys = ("name", "value", "default", "description")
        print_json(
            {
                "name": policy.name,
                "version": policy.version,
                "description": policy.description,
                "text": policy.text,
                "way": policy.way,
                "decisions": policy.decisions,
                "source_sha256": policy.source_sha256 or None,
                "parameters": [dict(zip(keys, row, strict=True)) for row in rows],
            }
        )
        return
    said = f": {policy.description}" if policy.description else ""
    click.echo(f"{policy.text}, version {policy.version}, {policy.way}{said}")
    click.echo(f"decides {', '.join(policy.decisions)}")
    if rows:
        print_table(("parameter", "value", "default", "meaning"), rows)
