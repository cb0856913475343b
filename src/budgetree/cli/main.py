"""`budgetree`: the group of commands, and how each kind of failure ends."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from errno import ENOENT
from glob import glob
from typing import Any

import click

from budgetree._version import __version__
from budgetree.cli.ask import ask
from budgetree.cli.check import check
from budgetree.cli.evaluate import evaluate
from budgetree.cli.fit import fit
from budgetree.cli.frontier import frontier
from budgetree.cli.output import ending, give_up, prepare_streams, sentence_of
from budgetree.cli.predict import predict
from budgetree.cli.show import report, show
from budgetree.cli.small import completion, datasets, reproduce
from budgetree.errors import BudgetreeError
from budgetree.services.clock import none_lost, was_interrupted
from budgetree.services.words import no_such, visible_lines

REPORT_IT = "Please report it, with what BUDGETREE_DEBUG=1 shows."
FAILED, BUG, STOPPED = 1, 70, ("stopped.\n", 130)  # click itself ends with 2 where a command was called wrongly
COMPLETION = "_BUDGETREE_COMPLETE"  # what a shell asks by, when someone presses Tab

EPILOG = """
\b
DATA is a table (.csv, .tsv, .gz, .parquet, .xlsx, .xls, .ods), a pattern such as 'day*.csv', or
one of `budgetree datasets`. `budgetree DATA` describes it and suggests a command to try next.
Ctrl-C ends a search with the best tree so far.
Exit codes: 0 done, 1 failed, 2 called wrongly, 70 internal error, 130 stopped by Ctrl-C.

""" + ending(
    "budgetree check cases.csv",
    "budgetree fit mammographic --budget 2",
    page="index",
)


class Commands(click.Group):
    """The commands, in the order of use; the name of a file alone shows what is in it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.commands or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from budgetree import datasets

        if name.endswith(".toml") and os.path.isfile(name):
            use = f"give it to a table: budgetree check cases.csv --prices {name}"
            raise click.UsageError(f"{name} is a list of prices, losses or labels, not a table; {use}.", ctx)
        if name in datasets.names() or os.path.exists(name) or glob(name):
            command = "show" if name.endswith(".json") else "check"
            return command, self.commands[command], args

        if os.path.splitext(name)[1]:
            raise FileNotFoundError(ENOENT, "there is no such file, and no such command", name)
        raise click.UsageError(no_such("command", name, list(self.commands)), ctx)


def _say_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    from budgetree._native import core

    click.echo(f"budgetree {__version__}, native core ({core.processor()})")
    context.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
    epilog=EPILOG,
    no_args_is_help=True,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_say_version, help="Show the version."
)
def cli() -> None:
    """Find the best decision pathway that a testing budget can buy.

    From a table of known cases, the price of every test and the most that a case may cost: which test to do first,
    which next after each result, what the worst case costs, and how many cases are answered wrongly.
    """


for command in (check, frontier, fit, evaluate, predict, ask, report, show, datasets, reproduce, completion):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    prepare_streams()
    colour = False if os.environ.get("NO_COLOR") else None  # None: on a terminal
    with none_lost(), warnings.catch_warnings():
        warnings.showwarning = _warn_once(set())
        try:
            outcome = cli.main(args=arguments, prog_name="budgetree", standalone_mode=False, color=colour)
            sys.stdout.flush()  # or the error that it cannot be printed
            return outcome if isinstance(outcome, int) else 0
        except click.exceptions.Exit as end:
            return end.exit_code
        except (KeyboardInterrupt, click.Abort):
            return _tell(*STOPPED)
        except SystemExit:
            if os.environ.get(COMPLETION):
                raise
            return _ended_by(BrokenPipeError())  # which is what click means
        except Exception as error:
            return _tell(*STOPPED) if was_interrupted() else _ended_by(error)


def _ended_by(error: Exception) -> int:

    if isinstance(error, click.ClickException):
        usage, context = "", getattr(error, "ctx", None)
        if context is not None:
            usage = f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n"
        return _failed(error.format_message(), usage, error.exit_code)
    if isinstance(error, OSError):
        give_up(sys.stdout)  # it may be what is full or closed
    if isinstance(error, BrokenPipeError):  # `budgetree show … | head`
        return 0
    if isinstance(error, BudgetreeError):
        return _failed(error.on_command_line())
    if isinstance(error, (ValueError, ImportError, MemoryError)):
        return _failed(str(error) or "not enough memory.")
    if isinstance(error, OSError):
        return _failed(sentence_of(error))
    if os.environ.get("BUDGETREE_DEBUG"):
        raise error
    kind = type(error).__name__
    return _tell(visible_lines(f"internal error: {kind}: {error}. {REPORT_IT}\n"), BUG)


def _warn_once(said: set[str]) -> Callable[..., None]:
    """Shows warnings without the place in the code, each once."""

    def warn(message: Warning | str, *_where: Any, **_others: Any) -> None:
        if str(message) not in said:
            said.add(str(message))
            _tell(click.style("warning: ", fg="yellow") + visible_lines(str(message)) + "\n", 0)

    return warn


def _failed(message: str, usage: str = "", exit_code: int = FAILED) -> int:
    return _tell(usage + click.style("error: ", fg="red") + visible_lines(message) + "\n", exit_code)


def _tell(message: str, exit_code: int) -> int:
    """Print on stderr, if it can be written; return the exit code."""
    try:
        click.echo(message, err=True, nl=False)
    except OSError:
        give_up(sys.stderr)
    return exit_code
