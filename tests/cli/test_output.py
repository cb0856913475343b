"""What commands print and write: how help ends, streams that are closed or full, a folder that is whole or absent."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import FIT_KNOWN, TABLE, run

import budgetree as bt
from budgetree.cli.main import cli
from budgetree.cli.output import PAGE
from budgetree.services import files

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


posix = pytest.mark.skipif(os.name != "posix", reason="as a POSIX shell closes them")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "m.json"
    bt.grow(bt.datasets.load("soybean")).to_json(path)
    return path


def shell(model: Path, line: str) -> tuple[int, str, str]:
    command = f"{sys.executable} -m budgetree"
    done = subprocess.run(
        ["bash", "-c", line.replace("budgetree", command).replace("m.json", str(model))],
        capture_output=True,
        text=True,
        check=False,
        cwd=model.parent,
    )
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@posix
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("budgetree show m.json | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree show --as rules m.json | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree --help | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("budgetree show m.json >&-", 1, "standard output is closed; there is nowhere to print"),
        ("budgetree show --json m.json >&-", 1, "standard output is closed"),
        ("budgetree show m.json > /dev/full", 1, "No space left on device"),
        ("budgetree ask m.json <&-", 1, "ended before the answer was clear"),
        ("budgetree ask m.json < /dev/null", 1, "ended before the answer was clear"),
        ("budgetree show m.json <&- > /dev/null", 0, ""),
        ("budgetree show nothing.json 2>&-", 1, ""),
        ("budgetree show nothing.json 2> /dev/full", 1, ""),
        ("budgetree nonsense 2>&-", 2, ""),
        ("budgetree show m.json <&- >&- 2>&-", 1, ""),
    ],
)
def test_a_command_ends_sensibly(model: Path, line: str, code: int, words: str) -> None:
    ended, _, said = shell(model, line)
    assert ended == code
    assert words in said


@posix
def test_a_file_is_written_although_nothing_can_be_printed(model: Path) -> None:
    page = model.parent / "page.html"
    assert shell(model, f"budgetree report m.json -o {page} >&-")[0] == 1
    assert page.read_text().rstrip().endswith("</html>")  # and nothing was printed into it


def test_a_folder_is_replaced_only_when_asked(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["frontier", *TABLE, "--objective", "known", "--max-budget", "2", "--out", "out"]
    run(capsys, *quick)
    (clinic / "out" / "mine.txt").write_text("precious")
    assert "out exists and is not empty; --force replaces" in run(capsys, *quick, code=2)
    (clinic / "out" / "model-09-budget-99.json").write_text("of an earlier frontier")
    run(capsys, *quick, "--force")
    assert (clinic / "out" / "mine.txt").read_text() == "precious"
    assert not (clinic / "out" / "model-09-budget-99.json").exists()
    assert "does not exist" in run(capsys, *quick[:-1], "nowhere/out", code=2)
    before = set(os.listdir(clinic))
    run(capsys, *quick[:-1], ".", "--force")  # even here nothing of others is touched
    assert before < set(os.listdir(clinic))
    assert bt.Tree.from_json(clinic / "model-00-budget-0.json").depth == 0


def test_a_failure_while_writing_leaves_nothing(
    clinic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(os.listdir(clinic))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", stopped)
    run(capsys, "frontier", *TABLE, "--objective", "known", "--max-budget", "2", "--out", "out", code=130)
    run(capsys, *FIT_KNOWN, *TABLE, "--budget", "2", "-o", "m.json", code=130)
    assert sorted(os.listdir(clinic)) == before
