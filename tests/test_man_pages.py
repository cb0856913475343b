"""The manual pages: one for each command, with its options and its examples, in a form that man reads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from budgetree.cli.main import cli

pytest.importorskip("click_man", reason="of the docs extra")
SCRIPT = Path(__file__).parent.parent / "docs/man_pages.py"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    from runpy import run_path

    folder = tmp_path_factory.mktemp("man") / "new"
    run_path(str(SCRIPT))["write"](folder)
    return {path.stem: path for path in folder.iterdir()}


def test_every_command_has_a_page_with_its_options_and_examples(pages: dict[str, Path]) -> None:
    assert set(pages) == {"budgetree", *(f"budgetree-{name}" for name in cli.commands)}
    for name, command in cli.commands.items():
        text = pages[f"budgetree-{name}"].read_text(encoding="utf-8")
        assert f"\n  budgetree {name}" in text
        assert "\b" not in text
        assert all(
            option.replace("-", r"\-") in text for each in command.params for option in each.opts if "--" in option
        )


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_man_has_nothing_to_complain_about(pages: dict[str, Path]) -> None:
    command = ["groff", "-man", "-Tutf8", "-ww", "-Kutf8", *map(str, pages.values())]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stderr == ""
