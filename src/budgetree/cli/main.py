"""`budgetree`: the group of commands, and how each kind of failure ends."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

import click

from budgetree._version import __version__
from budgetree.cli.ask import ask
from budgetree.cli.check import check
from budgetree.cli.completion import completion
from budgetree.cli.datasets import datasets
from budgetree.cli.fit import fit
from budgetree.cli.frontier import frontier
from budgetree.cli.output import clean
from budgetree.cli.predict import predict
from budgetree.cli.report import report
from budgetree.cli.reproduce import reproduce
from budgetree.cli.show import show

FAILED, STOPPED, BUG = 1, 130, 70  # click itself ends with 2 where a command was called wrongly

EPILOG = """
\b
A first look, with data that come with budgetree:
  budgetree frontier pima
  budgetree fit pima --budget 2 -o pathway.json
  budgetree ask pathway.json
\b
DATA is a table (.csv, .tsv, .gz, .parquet, .xlsx, .xls, .ods), a pattern such as 'day*.csv' for
several, or one of `budgetree datasets`.
Ctrl-C ends a search with the best tree so far.
Exit codes: 0 done, 1 failed (the message says why), 2 called wrongly, 130 stopped by Ctrl-C.
"""


def _say_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    from budgetree.core import describe

    click.echo(f"budgetree {__version__}, {describe()}")
    context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
    no_args_is_help=True,
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_say_version, help="Show the version."
)
def cli() -> None:
    """The best decision tree that a testing budget can buy, and a proof of how good it is.

    Give a table of known cases, a price for every test and a ceiling that no case may exceed: budgetree says which
    test to do first, which next after each outcome, what the worst case costs and how many known cases it gets wrong.
    """


for command in (check, frontier, fit, predict, ask, report, show, datasets, reproduce, completion):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ● shows ? rather than an error
    colour = False if os.environ.get("NO_COLOR") else None  # None: on a terminal
    with warnings.catch_warnings():
        warnings.showwarning = _note
        return _run(arguments, colour)


def _run(arguments: Sequence[str] | None, colour: bool | None) -> int:
    try:
        outcome = cli.main(args=arguments, prog_name="budgetree", standalone_mode=False, color=colour)
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped.", err=True)
        return STOPPED
    except BrokenPipeError:  # `budgetree show … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, ImportError, MemoryError) as error:
        return _failed(str(error) or "there is not enough memory for this.")
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        if os.environ.get("BUDGETREE_DEBUG"):
            raise
        kind = type(error).__name__
        click.echo(f"this is a mistake of budgetree: {kind}: {error}. BUDGETREE_DEBUG=1 shows where.", err=True)
        return BUG


def _failed(message: str) -> int:
    click.echo(click.style("error: ", fg="red") + clean(message), err=True)
    return FAILED


def _note(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    file: TextIO | None = None, line: str | None = None,
) -> None:  # fmt: skip
    """A warning as a user of the command line reads it; what libraries warn of, as it is."""
    if category.__module__.startswith("budgetree"):
        click.echo(click.style("note: ", fg="yellow") + clean(str(message)), err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True, nl=False)
