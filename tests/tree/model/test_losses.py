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


@pytest.mark.parametrize("leaves", [None, "count", "model"])
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
    ("losses", "message"),
    [
        ({"answers": ["refer"], "losses": [[0, 1], [1, 0]]}, "a row for each of 2 classes, with 3 numbers"),
        ({"answers": [], "losses": [[0, 1]]}, "a row for each of 2 classes, with 2 numbers"),
        ({"answers": ["a", "a"], "losses": [[0, 1, 1, 1], [1, 0, 1, 1]]}, "losses.answers has a name twice"),
        ({"answers": ["ill"], "losses": [[0, 1, 1], [1, 0, 1]]}, "the answer 'ill' has the name of a class"),
        ({"answers": [], "losses": [[0, -1], [1, 0]]}, "-1"),
        ({"answers": [], "losses": [[0, "1/0"], [1, 0]]}, r"losses.losses\[0\]\[1\] is 1/0; expected a number"),
        ({"answers": [], "losses": [[0, "much"], [1, 0]]}, "much"),
        ({"answers": [], "losses": [[0, 1e31], [1, 0]]}, "expected 0 or a number between 1e-30 and 1e30"),
        ({"answers": [], "losses": [[0, 9e15], [1, 0]]}, "multiplied by a loss"),
        ({"answers": [3], "losses": [[0, 1, 1], [1, 0, 1]]}, "answers"),
        ({"losses": [[0, 1], [1, 0]]}, "answers"),
        ([], "losses"),
    ],
)
def test_losses_that_do_not_fit_are_refused(tmp_path: Path, losses: Any, message: str) -> None:
    path = tmp_path / "model.json"
    content = content_of(bt.grow(bt.Instance([[0], [1], [1]], ["ill", "well", "well"])), path)
    path.write_text(json.dumps(content | {"losses": losses}))
    with pytest.raises(bt.ModelFileError, match=message) as caught:
        bt.Tree.from_json(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"loss": 10**9}, "known.loss is more than the largest loss"),
        ({"referred": 10**9}, "known.errors and known.referred are more than there are known cases"),
        ({"loss": -1}, "-1"),
        ({"answered": [[1, 2, 3]]}, "a row for each of 5 answers, with 3 numbers"),
        ({"answered": [[1, 2, 3]] * 5}, "does not add up to the known cases of each class"),
        ({"answered": [[0, 0, 0], [48, 45, 57], [0, 0, 0], [0, 0, 0], [0, 0, 0]]}, "contradicts known.errors"),
    ],
)
def test_what_came_of_the_known_cases_must_be_possible(tmp_path: Path, known: dict[str, Any], message: str) -> None:
    path = tmp_path / "model.json"
    content = content_of(losing_tree("count"), path)
    path.write_text(json.dumps(content | {"known": content["known"] | known}))
    with pytest.raises(bt.ModelFileError, match=message):
        bt.Tree.from_json(path)


def test_a_file_before_losses_has_the_errors_as_its_loss(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    tree = losing_tree("count")
    plain = content_of(tree, path) | {"version": 4}
    del plain["losses"], plain["known"]["loss"], plain["known"]["referred"], plain["known"]["answered"]
    path.write_text(json.dumps(plain))
    read = bt.Tree.from_json(path)
    assert (read.exact_loss, read.referred) == (tree.exact_errors, 0)
    assert read.confusion is None
    path.write_text(json.dumps(plain | {"known": plain["known"] | {"loss": 0}}))
    with pytest.raises(bt.ModelFileError, match="without losses, the loss is the errors"):
        bt.Tree.from_json(path)
