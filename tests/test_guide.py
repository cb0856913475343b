"""The pages speak only of options, names and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import pytest

import budgetree as bt
from budgetree.cli.main import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "docs/index.md", ROOT / "docs/paper_map.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
HOLDERS = {
    "tree": bt.Tree, "case": bt.Consultation, "frontier": bt.Frontier, "result": bt.Result, "bt": bt,
    "Tree": bt.Tree, "Instance": bt.Instance, "Prices": bt.Prices, "Losses": bt.Losses, "budgetree": bt,
}  # fmt: skip
EVIDENCE = run_path(str(ROOT / "docs/extensions/evidence.py"))
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
    """Files and folders, and the tests in them (`file.py::test_name`), which become links in the built pages."""
    spans = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    named = [path for span in spans for path in re.findall(r"(?:tests|benchmarks|examples|docs|src)/[\w./]+", span)]
    assert not [path for path in named if not (ROOT / path).exists()]
    assert all(EVIDENCE["found"](span) for span in spans if "::" in span)  # it raises where the file has no such test


def test_the_front_page_leads_to_the_answers_of_ten_questions() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\d+\. ([^?]+\?)((?:.|\n   )*)$", text, re.M)
    assert len(questions) == 10
    for question, answers in questions:
        pages = re.findall(r"\]\(([\w./]+)(?:#[\w-]+)?\)", answers)
        assert pages, question
        assert all((ROOT / "docs" / page).exists() or page.startswith("reference/generated/") for page in pages)


def test_a_named_test_is_a_link_to_its_line_that_reads_like_its_claim() -> None:
    path = Path(__file__).relative_to(ROOT).as_posix()
    place = EVIDENCE["found"](f"{path}::test_a_named_test_is_a_link_to_its_line_that_reads_like_its_claim")
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[place.line - 1]
    assert line.startswith("def test_a_named_test_is_a_link")
    assert (place.path, place.claim) == (path, "a named test is a link to its line that reads like its claim")
    assert EVIDENCE["found"]("proof/ratio.py::functions_for")[::2] == ("src/budgetree/proof/ratio.py", "")
    assert EVIDENCE["found"]("python benchmarks/exact.py --cold").path == "benchmarks/exact.py"
    assert EVIDENCE["found"]("pathway.json") is None
    with pytest.raises(ValueError, match="has no test_that_nobody_wrote"):
        EVIDENCE["found"](f"{path}::test_that_nobody_wrote")
