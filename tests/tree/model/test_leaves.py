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
from _support.refusals import refused
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
OUTCOMES, LAST = "models.columns[0].outcomes", "the last model"
BROKEN: list[tuple[str, Break, str]] = [
    ("model", lambda c: c.update(known=None), "known"),
    ("model", lambda c: c["known"].update(max_cost=99), "known.max_cost"),
    ("model", lambda c: c["known"].update(errors=999), "known.loss"),
    ("model", lambda c: c["known"].update(errors=999, loss=999), "known.loss"),
    ("model", lambda c: c["models"].update(sure=0), "models.sure"),
    ("model", lambda c: c["models"].update(sure=2), "models.sure"),
    ("model", lambda c: c.update(models=None), "models"),
    ("model", lambda c: _leaf(c).update(model=99), "a leaf's model"),
    ("model", lambda c: c["nodes"][0].update(model=len(c["models"]["models"]) - 1), "nodes[0].model"),
    ("model", lambda c: _leaf(c).pop("model"), "a leaf's model"),
    ("model", lambda c: c["models"]["models"][-1]["intercept"].pop(), LAST),
    ("model", lambda c: c["models"]["models"][-1]["coefficients"].pop(), LAST),
    ("model", lambda c: c["models"]["models"][-1]["tests"].append(0), f"{LAST}.tests"),
    ("model", lambda c: c["models"]["columns"][0]["outcomes"].pop(), OUTCOMES),
    ("model", lambda c: c["models"]["columns"][0]["outcomes"][0].append(1), OUTCOMES),
    ("model", lambda c: c["models"]["columns"][0].update(test=77), "models.columns[0].test"),
    ("model", lambda c: _inner(c).pop("otherwise"), "nodes[0].otherwise"),
    ("model", lambda c: _inner(c).update(otherwise=0), "nodes[0].otherwise"),
    ("count", lambda c: _leaf(c).pop("probabilities"), "a leaf's probabilities"),
    ("count", lambda c: _leaf(c).update(probabilities=[0.5, 0.4]), "a leaf's probabilities"),
    ("count", lambda c: c["tests"][0]["encoding"]["means"].pop(), "tests[0].encoding.means"),
    ("count", lambda c: c["tests"][0]["encoding"]["thresholds"].reverse(), "tests[0].encoding.thresholds"),
    ("count", lambda c: c["tests"][0]["encoding"].pop("thresholds"), "tests[0].encoding"),
    ("count", lambda c: c["nodes"][0]["counts"].__setitem__(0, 0), "nodes[0].counts"),
]  # fmt: skip


@pytest.mark.parametrize(("leaves", "damage", "entry"), BROKEN, ids=[entry for _, _, entry in BROKEN])
def test_a_broken_file_is_refused_by_its_entry(leaves: str, damage: Break, entry: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    learned(leaves).to_json(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    leaf = f"nodes[{content['nodes'].index(_leaf(content))}]."
    entry = entry.replace("a leaf's ", leaf)
    if leaves == "model":
        entry = entry.replace(LAST, f"models.models[{len(content['models']['models']) - 1}]")
    damage(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with refused(bt.ModelFileError, source=str(path), entry=entry):
        Tree.from_json(path)
