"""Losses in model files: they come back exactly, and what does not fit is refused in words."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from losing import losing_tree, losses_for


def again(tree: bt.Tree) -> bt.Tree:
    with tempfile.TemporaryDirectory() as folder:
        tree.to_json(Path(folder) / "model.json")
        return bt.Tree.from_json(Path(folder) / "model.json")


@given(st.data())
def test_random_losses_come_back(data: st.DataObject) -> None:
    instance = to_instance(reference.random_problem(random.Random(data.draw(st.integers(0, 10**6)))))
    tree = bt.grow(instance.with_losses(data.draw(losses_for(instance.n_classes) | st.none())))
    read = again(tree)
    assert read == tree
    assert (read.exact_loss, read.errors, read.referred) == (tree.exact_loss, tree.errors, tree.referred)
    assert read.to_dict() == tree.to_dict()
    assert (read.schema.losses is None) == (tree.schema.losses is None)


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_trees_for_new_cases_keep_what_their_answers_cost(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    read = again(tree)
    assert read == tree
    assert (read.exact_loss, read.referred) == (tree.exact_loss, tree.referred)


def test_classes_need_not_be_texts() -> None:
    losses = bt.Losses({1: 3}, answers={"refer": 0.25})
    tree = bt.grow(bt.Instance([[0], [1], [1]], [1, "1", 2], losses=bt.Losses([[0, 2, 2]] * 3)))
    assert again(tree) == tree
    assert again(bt.grow(bt.Instance([[0], [1]], [1, 2], losses=losses))).answer_names == (1, 2, "refer")


def content_of(tree: bt.Tree, path: Path) -> dict[str, Any]:
    tree.to_json(path)
    return dict(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("losses", "entry"),
    [
        ({"answers": ["refer"], "losses": [[0, 1], [1, 0]]}, "losses.losses"),
        ({"answers": [], "losses": [[0, 1]]}, "losses.losses"),
        ({"answers": ["a", "a"], "losses": [[0, 1, 1, 1], [1, 0, 1, 1]]}, "losses.answers"),
        ({"answers": ["ill"], "losses": [[0, 1, 1], [1, 0, 1]]}, "losses"),
        ({"answers": [], "losses": [[0, -1], [1, 0]]}, "losses.losses[0][1]"),
        ({"answers": [], "losses": [[0, "1/0"], [1, 0]]}, "losses.losses[0][1]"),
        ({"answers": [], "losses": [[0, "much"], [1, 0]]}, "losses.losses[0][1]"),
        ({"answers": [], "losses": [[0, 1e31], [1, 0]]}, "losses"),
        ({"answers": [], "losses": [[0, 9e15], [1, 0]]}, "nodes[0].counts"),
        ({"answers": [3], "losses": [[0, 1, 1], [1, 0, 1]]}, "losses.answers[0]"),
        ({"losses": [[0, 1], [1, 0]]}, "losses"),
        ([], "losses"),
    ],
)
def test_losses_that_do_not_fit_are_refused(tmp_path: Path, losses: Any, entry: str) -> None:
    path = tmp_path / "model.json"
    content = content_of(bt.grow(bt.Instance([[0], [1], [1]], ["ill", "well", "well"])), path)
    path.write_text(json.dumps(content | {"losses": losses}))
    with refused(bt.ModelFileError, source=str(path), entry=entry):
        bt.Tree.from_json(path)


@pytest.mark.parametrize(
    "given", [None, [[1, 2, 3]], [[0, 0, 0]] * 5, [[10**9, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], [[]] * 5]
)
def test_what_known_cases_were_answered_must_be_possible(tmp_path: Path, given: Any) -> None:
    path = tmp_path / "model.json"
    content = content_of(losing_tree("model"), path)
    node = next(node for node, entry in enumerate(content["nodes"]) if any(map(any, entry.get("given", []))))
    content["nodes"][node].pop("given")
    content["nodes"][node] |= {} if given is None else {"given": given}
    path.write_text(json.dumps(content))
    with refused(bt.ModelFileError, entry=f"nodes[{node}].given"):
        bt.Tree.from_json(path)
