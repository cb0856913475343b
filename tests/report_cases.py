"""Trees for the report's tests: hostile names, missing values, prices by outcome, shared fees, repeated tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt

SCRIPT = "</script><script>window.hacked=1;alert(1)</script>"
IMAGE = "<img src=x onerror=window.hacked=1>"
PLACE = "{{data}} & {{script}}"
LINES = "a\u2028b\u2029c ]]>"
HALF = "\ud800"  # half a surrogate pair: Python holds it, a file in UTF-8 does not
HOSTILE_CLASSES = ['"><svg onload=window.hacked=1>', "__proto__", "<!-- <b>bold</b>"]


def hostile_frame(rows: int = 90, seed: int = 3) -> pd.DataFrame:
    """Rounded numbers with gaps, few numbers, texts with gaps, and a column with more values than fit on buttons."""
    rng = np.random.default_rng(seed)
    pressure = np.round(rng.normal(120, 25, rows), 1)
    pressure[rng.random(rows) < 0.12] = np.nan
    smell: Any = rng.choice(["none", IMAGE, "missing", None], rows)
    place = rng.choice([f"ward {number:02}" for number in range(19)], rows)
    grade = rng.integers(0, 4, rows)
    score = np.nan_to_num(pressure, nan=90) / 40 + (smell == IMAGE) * 2 + grade + (place > "ward 11") * 1.5
    label = np.array(HOSTILE_CLASSES, dtype=object)[np.digitize(score + rng.normal(0, 0.5, rows), [5, 7])]
    return pd.DataFrame({SCRIPT: pressure, IMAGE: smell, PLACE: place, LINES: grade, "class": label})


def hostile_instance() -> bt.Instance:
    """The frame with amounts that floats cannot add: 0.1 and 0.2, and a price for each outcome of one test."""
    frame = hostile_frame()
    plain = bt.Instance.from_frame(frame, "class")
    outcomes = dict(zip(plain.test_names, plain.outcome_names, strict=True))
    prices = bt.Prices(
        {
            SCRIPT: 0.1,
            IMAGE: {name: round(0.2 + 0.1 * place, 1) for place, name in enumerate(outcomes[IMAGE])},
            PLACE: 0.7,
        },
        shared={"<i>blood</i> draw": (0.1, [SCRIPT, IMAGE]), "visit": (0.3, [PLACE, IMAGE])},
        default=0.2,
    )
    return bt.Instance.from_frame(frame, "class", prices=prices)


def repeating_tree(folder: Path) -> bt.Tree:
    """A tree that asks for its first test again: the outcome is known then, and costs nothing."""
    model = {
        "format": "budgetree",
        "version": 6,
        "origin": {"method": "unknown", "rule": "worst", "changes": []},
        **dict.fromkeys(("proven", "expected", "known", "losses", "labels", "models")),
        "n_objects": 6,
        "units_per_object": 1,
        "classes": ["well", "ill"],
        "tests": [{"name": "colour", "outcomes": ["red", "green", "blue"]}, {"name": "size", "outcomes": ["s", "l"]}],
        "prices": {"tests": {}, "default": 2, "shared": {"visit": {"fee": 0.5, "tests": ["colour", "size"]}}},
        "nodes": [
            {"counts": [3, 3], "test": 0, "branches": [1, 1, 2]},
            {"counts": [2, 2], "test": 1, "branches": [3, 4]},
            {"counts": [1, 1]},
            {"counts": [1, 2], "test": 0, "branches": [5, 6, None]},
            {"counts": [1, 0]},
            {"counts": [1, 0]},
            {"counts": [0, 2]},
        ],
    }
    path = folder / "repeating.json"
    path.write_text(json.dumps(model), encoding="utf-8")
    return bt.Tree.from_json(path)


def large_tree(least: int = 500) -> bt.Tree:
    """At least so many nodes, with ten classes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (700, 12))
    tree = bt.grow(bt.Instance(codes, rng.integers(0, 10, 700)))
    assert len(tree.nodes) >= least
    return tree


def outcomes_to(tree: bt.Tree, node: int) -> list[tuple[int, int]]:
    """The way to a node: (test, outcome) pairs from the root, with the last of the outcomes that lead there."""
    way = []
    while node:
        above = int(tree.nodes.parent[node])
        test = int(tree.nodes.test[above])
        branches = tree.nodes.children(above, int(tree.schema.n_outcomes[test])).tolist()
        way.append((test, len(branches) - 1 - branches[::-1].index(node)))
        node = above
    return way[::-1]
