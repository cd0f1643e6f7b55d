"""The command ``policies``."""

import click

from skatsim.cli.options import json_option, print_json, print_table

__all__ = ["policies"]


@click.group()
def policies() -> None:
    """The players that can be seated."""


@policies.command("list")
@json_option
def list_policies(*, as_json: bool) -> None:
    """All policies."""
    from skatsim.policies import policies as known

    rows = [(policy.name, policy.version, policy.description) for policy in known()]
    if as_json:
        keys = ("name", "version", "description")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    print_table(("name", "version", "description"), rows)


@policies.command()
@click.argument("name")
@json_option
def show(*, name: str, as_json: bool) -> None:
    """A policy's parameters; NAME may carry values, like heuristic:risk=0.6."""
    from skatsim.policies import find_policy

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
                "parameters": [dict(zip(keys, row, strict=True)) for row in rows],
            }
        )
        return
    click.echo(f"{policy.text}, version {policy.version}: {policy.description}")
    if rows:
        print_table(("parameter", "value", "default", "meaning"), rows)
