"""Labels in model files: they come back, and what does not fit is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from labelled import heart_tree, tree_of_texts


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_labels_come_back(tmp_path: Path, leaves: str | None) -> None:
    tree = heart_tree(leaves)
    tree.to_json(tmp_path / "m.json")
    read = bt.Tree.from_json(tmp_path / "m.json")
    assert read == tree
    assert read.schema.wording == tree.schema.wording
    assert read.to_text(confusion=True) == tree.to_text(confusion=True)
    read.to_json(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def content_of(tree: bt.Tree, path: Path) -> dict[str, Any]:
    tree.to_json(path)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def test_where_there_are_none_the_entry_is_null(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    assert content_of(tree_of_texts("plain"), path)["labels"] is None
    assert bt.Tree.from_json(path).schema.labels is None


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        ({"tests": []}, "labels.tests"),
        ({"answers": [None]}, "labels.answers"),
        ({"unit": 3}, "labels.unit"),
        ({"unit": "x" * 31}, "labels.unit"),
        ({"tests": [{"name": "x" * 201}, None]}, "labels.tests[0].name"),
        ({"tests": [{"nmae": "x"}, None]}, "labels.tests[0]"),
        ({"tests": [{"outcomes": {"7": "x"}}, None]}, "labels"),
        ({"answers": [{"name": "a"}, {"name": "a"}]}, "labels"),
    ],
)
def test_labels_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, Any], entry: str) -> None:
    path = tmp_path / "m.json"
    content = content_of(heart_tree(), path)
    content["labels"] |= change
    path.write_text(json.dumps(content))
    with refused(bt.ModelFileError, entry=entry):
        bt.Tree.from_json(path)
