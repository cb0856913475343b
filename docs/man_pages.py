"""A manual page for each command, by click-man: `make -C docs man`."""

from __future__ import annotations

import sys
from copy import copy
from inspect import cleandoc
from pathlib import Path

import click
from click_man.core import write_man_pages

from budgetree._version import __version__
from budgetree.cli.main import cli

AS_IT_IS = "\b\n"  # click's mark of a paragraph whose lines stay


def write(folder: Path) -> None:
    """Write budgetree.1 and a page for each of its commands into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_man_pages("budgetree", with_ending(cli), version=__version__, target_dir=str(folder))


def with_ending(command: click.Command) -> click.Command:
    """The command, whose help has its examples in it: click-man leaves out what stands after the options."""
    help_text = cleandoc(command.help or "")
    other = copy(command)
    other.short_help = command.get_short_help_str(limit=1000).rstrip(".")
    other.help = "\n\n".join(map(roff, f"{help_text}\n\n{(command.epilog or '').strip()}".split("\n\n")))
    if isinstance(other, click.Group):
        other.commands = {name: with_ending(each) for name, each in other.commands.items()}
    return other


def roff(paragraph: str) -> str:
    """A paragraph as man reads it."""
    lines = paragraph.strip("\n").removeprefix(AS_IT_IS).replace("\\", r"\e").split("\n")
    safe = "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)
    return f".nf\n{safe}\n.fi" if AS_IT_IS in paragraph else safe


if __name__ == "__main__":
    write(Path(sys.argv[1]))
