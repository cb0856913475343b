"""Paths of 5,000 tests: everything that can shows them, and what cannot says what to do instead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.cli import main
from budgetree.errors import TreeError
from budgetree.report import summarise_tree
from exported import compiled, deep_tree

DEPTH = 5000


@pytest.fixture(scope="module")
def tree() -> bt.Tree:
    return deep_tree(DEPTH)


def codes_to(leaf: int) -> np.ndarray:
    """A case that goes on at every test before this one."""
    codes = np.ones((1, DEPTH), dtype=np.uint8)
    codes[0, leaf:] = 0
    return codes


@pytest.mark.parametrize("leaf", [0, 1, 63, 64, 65, 2500, DEPTH - 1, DEPTH])
def test_rows_questions_and_python_come_to_the_same_end(tree: bt.Tree, leaf: int) -> None:
    codes = codes_to(leaf)
    done = min(leaf + 1, DEPTH)
    assert tree.tests_done(codes) == [tuple(tree.test_names[:done])]
    assert tree.cost(codes) == [done]
    case = tree.ask(dict(zip(tree.test_names, codes[0].tolist(), strict=True)))
    assert (case.prediction, case.spent, case.node) == (tree.predict(codes)[0], done, tree.route(codes)[0])
    assert tree.first_unknown(codes).tolist() == [-1]


def test_a_consultation_does_as_much_work_for_the_last_answer_as_for_the_first(
    tree: bt.Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, looked = bt.Consultation(tree), 0
    child = bt.Consultation._child

    def counting(self: bt.Consultation, *arguments: object) -> int:
        nonlocal looked
        looked += 1
        return child(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(bt.Consultation, "_child", counting)
    for _ in range(DEPTH):
        case.answer("1")
    assert looked == DEPTH
    for left in range(1, 101):
        case.undo()
        assert (case.spent, case.next_test) == (DEPTH - left, f"t{DEPTH - left}")


def test_the_text_says_how_deep_a_line_is_and_stays_short(tree: bt.Tree) -> None:
    lines = tree.to_text().splitlines()
    assert len(lines) == 2 * DEPTH + 2
    assert max(map(len, lines)) < 300
    assert lines[-1].startswith(f"{DEPTH - 41} ⋯ ")
    assert not any("⋯" in line for line in tree.to_text(max_depth=40).splitlines())


def test_the_file_brings_it_back(tree: bt.Tree, tmp_path: Path) -> None:
    tree.to_json(tmp_path / "deep.json")
    again = bt.Tree.from_json(tmp_path / "deep.json")
    assert (again, again.depth, again.max_cost) == (tree, DEPTH, DEPTH)


def test_what_others_read(tree: bt.Tree) -> None:
    assert tree.to_dot().count("->") == 2 * DEPTH
    assert tree.to_svg().count("<rect") < 100
    assert len(summarise_tree(tree, title="deep")["trees"][0]["outline"]) == 2 * DEPTH + 1
    diagnose = compiled(tree)
    assert diagnose(dict.fromkeys(tree.test_names, 1)) == tree.predict(codes_to(DEPTH))[0]


def test_a_refusal_says_what_to_do_instead(tree: bt.Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with refused(TreeError, subject="depth", found=5000, expected=900):
        tree.to_sql()
    with refused(TreeError, subject="rules", expected=2_000_000):
        tree.to_rules()
    tree.to_json(tmp_path / "deep.json")
    assert main(["show", "--json", str(tmp_path / "deep.json")]) == 1
    assert 'read its "nodes"' in capsys.readouterr().err
    tree.cut(150).to_json(tmp_path / "cut.json")
    assert main(["show", "--json", str(tmp_path / "cut.json")]) == 0
    assert json.loads(capsys.readouterr().out)["depth"] == 150
    with refused(TreeError, subject="depth", found=25_000, expected=20_000):
        deep_tree_of_few_tests(25_000).to_python()


def deep_tree_of_few_tests(depth: int) -> bt.Tree:
    """The same chain over three tests, as a file may say it."""
    from dataclasses import replace

    chain, few = deep_tree(3), 3
    inner = np.arange(depth)
    size = 2 * depth + 1
    test = np.full(size, -1, dtype=np.int32)
    test[inner * 2] = inner % few
    parent = np.concatenate([[-1], np.repeat(inner * 2, 2)]).astype(np.int32)
    branches = np.stack([inner * 2 + 1, inner * 2 + 2], axis=1).ravel().astype(np.int32)
    counts = np.ones((size, 2), dtype=np.int64)
    nodes = replace(
        chain.nodes,
        test=test,
        parent=parent,
        counts=counts,
        paid=np.zeros(size, dtype=np.int64),
        first_branch=np.where(test >= 0, np.arange(size) // 2 * 2, -1).astype(np.int64),
        branches=branches,
        fallback=np.zeros(size, dtype=bool),
    )
    return replace(chain, nodes=nodes)


def test_a_test_that_comes_again_and_again_is_paid_once() -> None:
    tree = deep_tree_of_few_tests(1000)
    assert tree.charges.repeated.sum() == 997
    assert tree.ask(dict.fromkeys(tree.test_names, 1)).spent == 3
