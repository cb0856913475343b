"""Paths of 5,000 tests: everything that can shows them, and what cannot says what to do instead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import budgetree as bt
from _support.refusals import refused
from budgetree.cli import main
from budgetree.errors import TreeError
from budgetree.report import summarise_tree
from budgetree.tree.nodes import Nodes
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
    assert tree.walk_codes(codes).tests == [tuple(tree.test_names[:done])]
    assert tree.walk_codes(codes).cost == [done]
    case = tree.ask(dict(zip(tree.test_names, codes[0].tolist(), strict=True)))
    assert (case.prediction, case.spent, case.node) == (
        tree.predict_codes(codes)[0],
        done,
        tree.walk_codes(codes).leaf[0],
    )
    assert tree.walk_codes(codes).unlisted.tolist() == [-1]


def test_a_consultation_does_as_much_work_for_the_last_answer_as_for_the_first(
    tree: bt.Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, looked, below = bt.Consultation(tree), [0], Nodes.below

    def counting(nodes: Nodes, node: int) -> NDArray[np.int32]:
        looked[-1] += 1
        return below(nodes, node)

    monkeypatch.setattr(Nodes, "below", counting)
    for _ in range(DEPTH):
        case.answer("1")
        looked.append(0)
    assert case.done
    assert 0 < looked[0] < 10
    assert set(looked[:DEPTH]) == {looked[0]}
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
    assert tree.export("dot").count("->") == 2 * DEPTH
    assert tree.to_svg().count("<rect") < 100
    assert len(summarise_tree(tree, title="deep")["trees"][0]["outline"]) == 2 * DEPTH + 1
    diagnose = compiled(tree)
    assert diagnose(dict.fromkeys(tree.test_names, 1)) == tree.predict_codes(codes_to(DEPTH))[0]


def test_a_refusal_says_what_to_do_instead(tree: bt.Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with refused(TreeError, subject="depth", found=5000, expected=900):
        tree.export("sql")
    with refused(TreeError, subject="rules", expected=2_000_000):
        tree.export("rules")
    tree.to_json(tmp_path / "deep.json")
    assert main(["show", "--json", str(tmp_path / "deep.json")]) == 1
    assert 'read its "nodes"' in capsys.readouterr().err
    tree.cut(150).to_json(tmp_path / "cut.json")
    assert main(["show", "--json", str(tmp_path / "cut.json")]) == 0
    assert json.loads(capsys.readouterr().out)["depth"] == 150


def deep_tree_of_few_tests(depth: int) -> bt.Tree:
    """The same chain over three tests, as a file may say it."""
    builder = bt.TreeBuilder(deep_tree(3).schema)
    end = builder.root
    for level in range(depth):
        end = builder.buy(end, level) if level < 3 else end
        stop, end, unlisted = builder.branch(end, level % 3)
        builder.leaf(stop)
        builder.leaf(unlisted)
    builder.leaf(end)
    return builder.build()


def test_a_test_that_comes_again_and_again_is_paid_once() -> None:
    tree = deep_tree_of_few_tests(1000)
    assert (tree.nodes.is_buy.sum(), tree.depth) == (3, 3)
    assert tree.ask(dict.fromkeys(tree.test_names, 1)).spent == 3
