"""The command line: a group whose commands are imported when they are called.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with rejects, 130 interrupted, 141 the
reader of the output went away.
"""

import contextlib
import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from skatsim import __version__
from skatsim.cli.options import apply_settings
from skatsim.cli.signals import hear_signals
from skatsim.errors import SkatSimError, SkatSimWarning

__all__ = ["COMMANDS", "SkatSimGroup", "main"]

COMMANDS = {
    "bench": "bench:bench",
    "calibrate": "calibrate:calibrate",
    "config": "run:config",
    "deal": "deal:deal",
    "duel": "study:duel",
    "estimate": "estimate:estimate",
    "export": "importing:export",
    "import": "importing:import_",
    "open-cards": "open_cards:open_cards",
    "policies": "policies:policies",
    "replay": "replay:replay",
    "report": "report:report",
    "rescore": "rescore:rescore",
    "review": "review:review",
    "run": "run:run",
    "runs": "archive:runs",
    "score": "score:score",
    "simulate": "simulate:simulate",
    "solve": "solve:solve",
    "sql": "report:sql",
    "threshold": "study:threshold",
    "value": "score:value",
    "verify": "archive:verify",
}
"""Each command's module in this package and its function there."""

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


class SkatSimGroup(click.Group):
    """Loads commands late, and turns the package's errors into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in sorted({*COMMANDS, *self.commands}) if self._load(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self._load(cmd_name)
        if command is not None:
            apply_settings(ctx, cmd_name, command)
        return command

    def _load(self, name: str) -> click.Command | None:
        if name not in self.commands and name in COMMANDS:
            module_name, _, function = COMMANDS[name].partition(":")
            if find_spec(f"{__name__}.{module_name}") is None:
                return None
            command = getattr(import_module(f"{__name__}.{module_name}"), function, None)
            if command is None:
                return None
            self.add_command(command, name)
        return self.commands.get(name)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and leave the process with an exit code."""
        if standalone_mode:
            _prepare_streams()
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        try:
            with hear_signals():
                code: Any = run()
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except click.Abort as error:
            is_interrupted = isinstance(error.__cause__, KeyboardInterrupt)
            click.echo("skatsim: interrupted" if is_interrupted else "skatsim: aborted", err=True)
            sys.exit(EXIT_INTERRUPTED if is_interrupted else EXIT_FAILED)
        except SkatSimError as error:  # before any command runs: a settings file that is none
            click.echo(f"skatsim: error: {error}", err=True)
            sys.exit(EXIT_FAILED)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _warnings_as_lines():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except SkatSimError as error:
            _fail(ctx, str(error))
        except BrokenPipeError:
            _leave_broken_pipe(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:
                _leave_broken_pipe(ctx)
            _fail(ctx, _os_error_text(error))
        return result


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Show the package's own warnings as lines on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SkatSimWarning)
        show = warnings.showwarning

        def show_line(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, SkatSimWarning):
                click.echo(f"skatsim: {message}", err=True)
            else:
                show(message, category, *place, **more)

        warnings.showwarning = show_line
        yield


def _prepare_streams() -> None:
    """Let nothing that is printed fail: on a stream that is closed, or in another encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller, as with >&-
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(ctx: click.Context, message: str) -> None:
    if ctx.params.get("debug"):
        traceback.print_exc()
    click.echo(f"skatsim: error: {message}", err=True)
    ctx.exit(EXIT_FAILED)


def _leave_broken_pipe(ctx: click.Context) -> None:
    """Leave quietly: what is still in the buffer has nowhere to go."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    ctx.exit(EXIT_BROKEN_PIPE)


def _os_error_text(error: OSError) -> str:
    what = (error.strerror or str(error)).lower()
    return f"{error.filename!r}: {what}" if error.filename else what


@click.group(cls=SkatSimGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="skatsim")
@click.option("--no-color", is_flag=True, help="Plain text, as with NO_COLOR=1.")
@click.option("--debug", is_flag=True, help="Show where an error came from.")
@click.pass_context
def main(ctx: click.Context, no_color: bool, debug: bool) -> None:
    """Deal, play, archive and count hands of Skat, the German card game for three.

    Options can also be set as SKATSIM_<OPTION> in the environment, and in skatsim.toml or
    under [tool.skatsim] in pyproject.toml of the working folder.
    """
    if no_color or os.environ.get("NO_COLOR"):
        ctx.color = False
