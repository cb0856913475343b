"""The page's scripts under node: the unit tests in js/, and that together they are one program."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import budgetree as bt
from budgetree.report import page, summarise_tree
from built_trees import late_branch_tree, random_tree
from page_process import Page
from report_cases import large_tree
from ruled_tables import RULES, ruled_table

TESTS = sorted((Path(__file__).parent / "js").glob("*.test.js"))
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed (apt-get install nodejs); it runs the page's scripts"
)


def run_node(*arguments: str | Path) -> None:
    ended = subprocess.run(["node", *arguments], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_scripts_pass_their_unit_tests() -> None:
    assert len(TESTS) > 5
    run_node("--test", *TESTS)


def test_in_one_closure_they_are_a_program(tmp_path: Path) -> None:
    whole = tmp_path / "page.cjs"
    whole.write_text(page._script(), encoding="utf-8")
    run_node("--check", whole)


def test_no_two_scripts_have_one_name() -> None:
    """In one closure the later of two functions would take the place of the first."""
    declared = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.M)
    names = [name for script in page.SCRIPTS for name in declared.findall(page._asset(script))]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_what_may_still_be_paid_never_exceeds_the_worst_case() -> None:
    """Over 10,000 consultations at random: tests of a stage in any order, with any result or none, also with rules."""
    page, above = Page(), []
    trees = [random_tree(seed)[0] for seed in range(43)] + [bt.grow(bt.datasets.load("soybean")), large_tree()]
    ruled = [bt.Instance.from_frame(ruled_table(), "y", prices=prices) for prices in RULES.values()]
    trees += [late_branch_tree(), *(bt.grow(cases, budget=20) for cases in ruled)]
    for seed, tree in enumerate(trees):
        content = summarise_tree(tree, title="")
        above += page.ask({"content": content, "walks": 200, "seed": seed})["above"]
    assert above == []
