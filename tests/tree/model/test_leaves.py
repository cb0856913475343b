"""Trees for new cases in model files: what is written is read back, and what is broken is refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.tree import Tree


@cache
def learned(leaves: str) -> Tree:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 120)
    table = {
        "age": (labels * 1.5 + rng.normal(size=120)).tolist(),
        "colour": ["rgb"[k] for k in rng.integers(0, 3, 120)],
        "dose": np.where(rng.random(120) < 0.1, np.nan, labels + rng.normal(size=120)).tolist(),
        "class": np.array(["well", "ill"])[labels].tolist(),
    }
    import pandas as pd

    prices = {"age": 1, "colour": {"r": 1, "g": 2, "b": 3}, "dose": 2}
    instance = bt.Instance.from_frame(pd.DataFrame(table), "class", prices=prices)
    return bt.predictive(instance, budget=6, leaves=leaves, sure=0.9 if leaves == "model" else None)  # type: ignore[arg-type]


@pytest.mark.parametrize("leaves", ["model", "count"])
def test_a_tree_reads_back_as_it_was(leaves: str, tmp_path: Path) -> None:
    tree = learned(leaves)
    tree.to_json(tmp_path / "tree.json")
    again = Tree.from_json(tmp_path / "tree.json")
    assert again == tree
    assert again.origin == tree.origin
    codes = np.random.default_rng(1).integers(0, 256, (500, 3)).astype(np.uint8)
    assert (again.predict_proba(codes) == tree.predict_proba(codes)).all()
    assert (again.units(codes) == tree.units(codes)).all()
    assert (again.errors, again.mean_cost, again.max_cost) == (tree.errors, tree.mean_cost, tree.max_cost)


def _inner(content: dict[str, Any]) -> dict[str, Any]:
    return next(node for node in content["nodes"] if "test" in node)


def _leaf(content: dict[str, Any]) -> dict[str, Any]:
    return next(node for node in content["nodes"] if "test" not in node)


Break = Callable[[dict[str, Any]], Any]
BROKEN: list[tuple[str, Break, str]] = [
    ("model", lambda c: c.update(known=None), "'known' is missing"),
    ("model", lambda c: c["known"].update(max_cost=99), "at most what a path can cost"),
    ("model", lambda c: c["known"].update(errors=999), "more than there are known cases"),
    ("model", lambda c: c["models"].update(sure=0), "models.sure is 0"),
    ("model", lambda c: c["models"].update(sure=2), "models.sure is 2"),
    ("model", lambda c: c.update(models=None), "there are no models"),
    ("model", lambda c: _leaf(c).update(model=99), "has the model 99"),
    ("model", lambda c: c["nodes"][0].update(model=len(c["models"]["models"]) - 1), "not paid there"),
    ("model", lambda c: _leaf(c).pop("model"), "leaf without a model"),
    ("model", lambda c: c["models"]["models"][-1]["intercept"].pop(), "an intercept per class"),
    ("model", lambda c: c["models"]["models"][-1]["coefficients"].pop(), "coefficients per test"),
    ("model", lambda c: c["models"]["models"][-1]["tests"].append(0), "ascending"),
    ("model", lambda c: c["models"]["columns"][0]["outcomes"].pop(), "outcomes, as its test does"),
    ("model", lambda c: c["models"]["columns"][0]["outcomes"][0].append(1), "rows of different lengths"),
    ("model", lambda c: c["models"]["columns"][0].update(test=77), "has the test 77"),
    ("model", lambda c: _inner(c).pop("otherwise"), "nodes with a test have 'otherwise'"),
    ("model", lambda c: _inner(c).update(otherwise=0), "expected a node after it"),
    ("count", lambda c: _leaf(c).pop("probabilities"), "probabilities stand in all leaves"),
    ("count", lambda c: _leaf(c).update(probabilities=[0.5, 0.4]), "with the sum 1"),
    ("count", lambda c: c["tests"][0]["encoding"]["means"].pop(), "expected one more than thresholds"),
    ("count", lambda c: c["tests"][0]["encoding"]["thresholds"].reverse(), "do not ascend"),
    ("count", lambda c: c["tests"][0]["encoding"].pop("thresholds"), "'thresholds' is missing"),
    ("count", lambda c: c["nodes"][0]["counts"].__setitem__(0, 0), "not the sum of its children"),
]  # fmt: skip


@pytest.mark.parametrize(("leaves", "damage", "words"), BROKEN, ids=[words for _, _, words in BROKEN])
def test_a_broken_file_is_refused_in_words(leaves: str, damage: Break, words: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    learned(leaves).to_json(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    damage(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(bt.ModelFileError, match=words):
        Tree.from_json(path)
