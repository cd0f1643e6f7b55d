"""What commands share: options, settings from environment and file, and output.

A setting is looked for in this order: the command line, ``SKATSIM_<COMMAND>_<OPTION>``,
``SKATSIM_<OPTION>``, the file (``skatsim.toml``, else ``[tool.skatsim]`` of
``pyproject.toml``, in the working folder), the default. In the file a key at the top holds for
every command that has such an option, a table ``[command]`` for one.
"""

import functools
import json
import math
import os
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from skatsim.errors import NotationError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "DEFAULT_ARCHIVE",
    "JOBS",
    "LINE_WIDTH",
    "FiniteRange",
    "Setting",
    "apply_settings",
    "archive_option",
    "cards_option",
    "console",
    "has_symbols",
    "jobs_option",
    "json_option",
    "lang_option",
    "may_be_blank",
    "name_lines",
    "print_json",
    "print_sentence",
    "print_table",
    "read_settings",
    "resolved_settings",
    "ruleset_option",
    "run_option",
    "seed_option",
]

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_ARCHIVE = Path("data/archive")

LINE_WIDTH = 80

ENVIRONMENT_PREFIX = "SKATSIM"


class FiniteRange(click.FloatRange):
    """A range of numbers without nan and infinity, which are in no order or at no end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = click.FLOAT.convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number to reckon with.", param, ctx)
        return super().convert(value, param, ctx)


JOBS = click.IntRange(1, 4096)
"""As many workers or threads as any machine has use for."""

archive_option = click.option(
    "--archive",
    type=click.Path(path_type=str),
    default=str(DEFAULT_ARCHIVE),
    show_default=True,
    metavar="DIR",
    help="Folder of the archive, or a URL like s3://bucket/games.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Seed."
)
jobs_option = click.option(
    "--jobs",
    "n_jobs",
    type=JOBS,
    default=None,
    help="Workers.  [default: the usable processors]",
)
run_option = click.option("--run", "run", metavar="NAME", default=None, help="Name of the run.")
lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "de", "pt", "es"]),
    default="en",
    show_default=True,
    help="Language of sentences.",
)
ruleset_option = click.option(
    "--ruleset",
    metavar="NAME|FILE",
    default="isko",
    show_default=True,
    help="Rules to play by: isko, ramsch, casa, denmark, texas, robber, tournee (values only), or "
    "a TOML file.",
)
cards_option = click.option(
    "--cards",
    "card_style",
    type=click.Choice(["english", "german", "german-suited"]),
    default="english",
    show_default=True,
    help="How cards are shown.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """An option of a command, its value, and where the value came from."""

    command: str
    option: str
    value: Any
    source: str


@functools.cache
def _read_toml(path: Path, stamp: int) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotationError(f"{str(path)!r} is no TOML file: {error}") from None


def read_settings(folder: Path | None = None) -> tuple[Path | None, dict[str, Any]]:
    """The settings file of a folder (default: the working folder) and what it holds."""
    folder = folder or Path.cwd()
    for path, keys in (
        (folder / "skatsim.toml", ()),
        (folder / "pyproject.toml", ("tool", "skatsim")),
    ):
        if not path.is_file():
            continue
        settings = _read_toml(path, path.stat().st_mtime_ns)
        for key in keys:
            settings = settings.get(key, {}) if isinstance(settings, Mapping) else {}
        if not isinstance(settings, Mapping):
            raise NotationError(f"{str(path)!r}: [{'.'.join(keys)}] is a table, not {settings!r}")
        if settings or not keys:
            return path, settings
    return None, {}


def _long_name(option: click.Option) -> str:
    """The name of an option in files: its longest flag without dashes."""
    return max(option.opts, key=len).lstrip("-").replace("_", "-")


def _settable(command: click.Command) -> Iterator[click.Option]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_eager:
            yield parameter


def _environment_names(path: Sequence[str], option: click.Option) -> list[str]:
    name = _long_name(option).replace("-", "_").upper()
    command = "_".join(path).replace("-", "_").upper()
    return [f"{ENVIRONMENT_PREFIX}_{command}_{name}", f"{ENVIRONMENT_PREFIX}_{name}"]


def apply_settings(ctx: click.Context, name: str, command: click.Command) -> None:
    """Let environment and file answer for the options of a command that is about to run."""
    path, settings = read_settings()
    if ctx.default_map is None:
        ctx.default_map = {}
    _check_general(ctx, path, settings)
    ctx.default_map[name] = _defaults(path, settings, settings.get(name, {}), (name,), command)


def _check_general(ctx: click.Context, path: Path | None, settings: Mapping[str, Any]) -> None:
    """Refuse keys at the top that are neither a command nor an option of any."""
    group = ctx.command
    if not settings or not isinstance(group, click.Group):
        return
    names = group.list_commands(ctx)  # which loads them
    options = {
        _long_name(option)
        for command in _leaves(group.commands.values())
        for option in _settable(command)
    }
    for key, value in settings.items():
        known = names if isinstance(value, Mapping) else [*options, *names]
        if key.replace("_", "-") not in known:
            what = "command" if isinstance(value, Mapping) else "option"
            raise NotationError(f"{str(path)!r}: no {what} is named {key!r}")


def _leaves(commands: Iterable[click.Command]) -> Iterator[click.Command]:
    for command in commands:
        yield command
        if isinstance(command, click.Group):
            yield from _leaves(command.commands.values())


def may_be_blank(_ctx: click.Context, _option: click.Parameter, value: Any) -> Any:
    """Callback of an option that says something without text, such as a list of no cards."""
    return value


def _refuse_blank(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """An option that was given without text says nothing: it is no way to ask for the default."""
    texts = value if isinstance(value, tuple) else (value,)
    if value != option.default and any(isinstance(t, str) and not t.strip() for t in texts):
        raise click.BadParameter("it is empty: leave it out, or say what it shall be.", ctx, option)
    return value


def _default(place: str, option: click.Option, value: Any) -> Any:
    """A value of the file as the command line would give it, for the option to read."""
    is_list = option.multiple or option.nargs != 1
    values = value if isinstance(value, list) else [value]
    if (isinstance(value, list) and not is_list) or any(
        isinstance(one, list | Mapping) for one in values
    ):
        raise NotationError(f"{place}: {_long_name(option)} cannot be {value!r}")
    if option.is_flag:
        return value
    texts = [str(one) for one in values]
    return texts if is_list else texts[0]


def _defaults(
    path: Path | None,
    general: Mapping[str, Any],
    own: Any,
    names: tuple[str, ...],
    command: click.Command,
) -> dict[str, Any]:
    """The file's values for one command by parameter, those of its subcommands below it."""
    place = f"{str(path)!r}: [{'.'.join(names)}]"
    if not isinstance(own, Mapping):
        raise NotationError(f"{place} is a table of options, not {own!r}")
    own = {key.replace("_", "-"): value for key, value in own.items()}
    defaults: dict[str, Any] = {}
    known = set()
    for option in _settable(command):
        option.envvar = option.envvar or _environment_names(names, option)
        option.callback = option.callback or _refuse_blank
        key = _long_name(option)
        known.add(key)
        if key in own:
            defaults[option.name or key] = _default(place, option, own[key])
        elif key in general and not isinstance(general[key], Mapping):
            defaults[option.name or key] = _default(repr(str(path)), option, general[key])
    if isinstance(command, click.Group):
        for sub_name, sub in command.commands.items():
            known.add(sub_name)
            defaults[sub_name] = _defaults(
                path, general, own.get(sub_name, {}), (*names, sub_name), sub
            )
    unknown = [key for key in own if key not in known]
    if unknown:
        raise NotationError(f"{place} has no option {unknown[0]!r}")
    return defaults


def resolved_settings(ctx: click.Context) -> list[Setting]:
    """Every option of every command as it is set now, and where that came from.

    `ctx` is the context of the main group, or one below it.
    """
    root = ctx.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    path, _ = read_settings()
    settings: list[Setting] = []
    for name in group.list_commands(root):
        command = group.get_command(root, name)
        if command is not None:
            defaults = (root.default_map or {}).get(name, {})
            settings += _resolved(root, (name,), command, defaults, path)
    return settings


def _resolved(
    ctx: click.Context,
    names: tuple[str, ...],
    command: click.Command,
    defaults: Mapping[str, Any],
    path: Path | None,
) -> Iterator[Setting]:
    label = " ".join(names)
    for option in _settable(command):
        variables = [option.envvar] if isinstance(option.envvar, str) else option.envvar or ()
        value, source = option.get_default(ctx, call=True), "default"
        if isinstance(value, Enum):  # click's mark for an option without a default
            value = None
        if option.name in defaults:
            value, source = defaults[option.name], str(path)
        for variable in reversed(list(variables)):
            if os.environ.get(variable):
                value, source = os.environ[variable], variable
        yield Setting(command=label, option=_long_name(option), value=value, source=source)
    if isinstance(command, click.Group):
        for sub_name, sub in command.commands.items():
            yield from _resolved(ctx, (*names, sub_name), sub, defaults.get(sub_name, {}), path)


def is_colored(stream: Any) -> bool:
    """Whether colour is wanted on a stream."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.find_root().color is False:
        return False
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def has_symbols() -> bool:
    """Whether suit symbols can be shown: stdout is a terminal that speaks Unicode."""
    encoding = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "")
    return sys.stdout.isatty() and encoding.startswith("utf")


def console(*, is_error: bool = False) -> "Console":
    """A rich console on stdout, or on stderr with `is_error`, that keeps to --no-color."""
    from rich.console import Console

    class PipedConsole(Console):
        """A console that leaves it to the main group what a reader that went away means."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stderr if is_error else sys.stdout
    is_terminal = stream.isatty() or bool(os.environ.get("FORCE_COLOR"))
    return PipedConsole(
        file=stream,
        no_color=not is_colored(stream),
        force_terminal=is_terminal,
        highlight=False,
        soft_wrap=False,
    )


def print_json(value: Any) -> None:
    """One JSON document on stdout; a number that JSON does not know is an error."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def print_sentence(text: str) -> None:
    """A sentence on stdout over lines of at most `LINE_WIDTH` columns."""
    lines = textwrap.wrap(
        text, LINE_WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    click.echo("\n".join(lines))


def name_lines(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Names of policies for the first column of a table, over lines where they are too long.

    Parameters
    ----------
    names : texts like ``heuristic:risk=0.6,null=0.3``; they break between their parts.
    rows : the other columns, with their headings as a row.
    """
    taken = sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True))
    room = console().width - taken
    found = []
    for name in names:
        lines = [""]
        for part in re.findall(r"[^:,]*[:,]?", name):
            if lines[-1] and len(lines[-1] + part) > room:
                lines.append("")
            lines[-1] += part
        found.append("\n".join(lines))
    return found


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str | None = None,
) -> None:
    """A table on stdout, as wide as its contents and at most as wide as the terminal.

    Numbers stand to the right; None is shown as a dash.
    """
    from rich import box
    from rich.table import Table

    cells = [["-" if value is None else str(value) for value in row] for row in rows]
    table = Table(
        title=title, box=box.SIMPLE_HEAD, title_justify="left", show_edge=False, pad_edge=False
    )
    for number, column in enumerate(columns):
        is_number = all(row[number][:1] in "+-0123456789" for row in cells)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    console().print(table)
