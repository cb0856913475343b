"""The end of every command's help: examples that the command would take, and a page that exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from budgetree.cli.main import cli
from budgetree.cli.output import PAGE

ROOT = Path(__file__).parents[2]
COMMANDS = ["", *cli.commands]


def help_of(name: str) -> str:
    command = cli.commands[name] if name else cli
    return command.get_help(click.Context(command, info_name=f"budgetree {name}".strip(), max_content_width=100))


def examples(name: str) -> list[str]:
    return re.findall(r"^    (budgetree .*)$", help_of(name), re.M)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_an_example_and_a_page_that_exists(name: str) -> None:
    *_, example, blank, last = help_of(name).splitlines()
    assert example.startswith("    budgetree ")
    assert not blank
    page = re.fullmatch("  Read more: " + re.escape(PAGE).replace(r"\{\}", "(.+)"), last)
    assert page is not None
    assert (ROOT / f"docs/{page[1]}.md").read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("example", [example for name in COMMANDS for example in examples(name)])
def test_an_example_has_only_options_and_values_that_exist(example: str) -> None:
    _, name, *words = shlex.split(example)
    command = cli.commands[name]
    context = click.Context(command)
    given, too_many, _ = command.make_parser(context).parse_args(words)  # an unknown option is an error
    assert not too_many
    for parameter in command.params:
        if isinstance(parameter.type, click.Choice) and parameter.name in given:
            parameter.type.convert(given[parameter.name], parameter, context)  # and so is an unknown choice
        assert not parameter.required or given.get(parameter.name) is not None


@pytest.mark.parametrize("name", cli.commands)
def test_a_command_shows_itself(name: str) -> None:
    assert all(example.split()[1] == name for example in examples(name))
