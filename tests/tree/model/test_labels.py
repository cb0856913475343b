"""Labels in model files: they come back, older files have none, and what does not fit is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from labelled import heart_tree, tree_of_texts


@pytest.mark.parametrize("leaves", [None, "count", "model"])
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


def test_a_file_of_an_older_version_has_none(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    content = content_of(tree_of_texts("plain"), path)
    assert content["labels"] is None
    del content["labels"]
    path.write_text(json.dumps(content | {"version": 5}))
    assert bt.Tree.from_json(path).schema.labels is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tests": []}, r"labels.tests has 0 entries; expected 2, one for each"),
        ({"answers": [None]}, r"labels.answers has 1 entries; expected 2"),
        ({"unit": 3}, r"labels\.unit"),
        ({"unit": "x" * 31}, r"labels\.unit"),
        ({"tests": [{"name": "x" * 201}, None]}, r"labels\.tests"),
        ({"tests": [{"nmae": "x"}, None]}, r"labels\.tests"),
        ({"tests": [{"outcomes": {"7": "x"}}, None]}, "test 'sex' has no outcome '7'"),
        ({"answers": [{"name": "a"}, {"name": "a"}]}, "would all be called 'a'"),
    ],
)
def test_labels_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "m.json"
    content = content_of(heart_tree(), path)
    content["labels"] |= change
    path.write_text(json.dumps(content))
    with pytest.raises(bt.ModelFileError, match=message):
        bt.Tree.from_json(path)
