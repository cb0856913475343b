"""The guide speaks only of options, names and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import budgetree as bt
from budgetree.cli.main import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "docs/index.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
HOLDERS = {
    "tree": bt.Tree, "case": bt.Consultation, "frontier": bt.Frontier, "solution": bt.Solution, "bt": bt,
    "Tree": bt.Tree, "Instance": bt.Instance, "Prices": bt.Prices, "Losses": bt.Losses, "budgetree": bt,
}  # fmt: skip
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@pages
def test_options(page: Path) -> None:
    """Of the command line, or of a program that the page names."""
    text = page.read_text(encoding="utf-8")
    known = {option for command in cli.commands.values() for each in command.params for option in each.opts}
    for program in re.findall(r"benchmarks/\w+\.py", text):
        known.update(OPTION.findall((ROOT / program).read_text(encoding="utf-8")))
    assert set(OPTION.findall(text)) <= known | {"--help", "--version"}


@pages
def test_names(page: Path) -> None:
    holders = "|".join(HOLDERS)
    text = page.read_text(encoding="utf-8")
    spans = [*re.findall(r"```python\n(.*?)```", text, re.S), *re.findall(r"`([^`\n]+)`", text)]
    named = {pair for span in spans for pair in re.findall(rf"(?<![\w/])({holders})\.([a-zA-Z_]\w*)", span)}
    missing = [f"{holder}.{name}" for holder, name in named if not has(HOLDERS[holder], name)]
    assert not missing


def has(holder: object, name: str) -> bool:
    """Whether it has the name; a package that needs an extra is there even where the extra is not."""
    return hasattr(holder, name) or (holder is bt and (ROOT / "src/budgetree" / name / "__init__.py").exists())


@pages
def test_paths(page: Path) -> None:
    named = re.findall(r"`((?:tests|benchmarks|examples|docs)/[\w./]+)`", page.read_text(encoding="utf-8"))
    assert not [path for path in named if not (ROOT / path).exists()]
