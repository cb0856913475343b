"""Trees for the report's tests: hostile names, missing values, prices by outcome, shared fees, a test used twice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt
from budgetree.tree.nodes import Kind

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


def repeating_tree() -> bt.Tree:
    """A tree that branches on its first test again: the outcome is known then, and costs nothing."""
    codes = [[0, 0], [1, 0], [1, 0], [0, 1], [2, 0], [2, 0]]
    classes = ["well", "ill", "ill", "well", "well", "ill"]
    cases = bt.Instance(
        codes,
        classes,
        test_names=["colour", "size"],
        outcome_names=[["red", "green", "blue"], ["s", "l"]],
        prices=bt.Prices(2, shared={"visit": (0.5, ["colour", "size"])}),
    )
    builder = bt.TreeBuilder(cases)
    bought = builder.buy(builder.root, "colour")
    first, *others = builder.branch(bought, bt.Split.by_result(0, (0, 0, 1, 2)))
    small, *large = builder.branch(builder.buy(first, "size"), "size")
    for end in [*others, *large, *builder.branch(small, bt.Split.by_result(0, (0, 1, 2, 2)))]:
        builder.leaf(end)
    return builder.build()


def large_tree(least: int = 500) -> bt.Tree:
    """At least so many nodes, with ten classes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (700, 12))
    tree = bt.grow(bt.Instance(codes, rng.integers(0, 10, 700)))
    assert len(tree.nodes) >= least
    return tree


def outcomes_to(tree: bt.Tree, node: int) -> list[tuple[int, int]]:
    """The way to a node: (test, outcome) pairs from the root, with the last of the listed outcomes that lead there."""
    way: dict[int, int] = {}
    for above, below in pairwise(tree.nodes.path(node)):
        if tree.nodes.kind[above] == Kind.BY_RESULT:
            leading = np.flatnonzero(tree.nodes.below(above) == below).tolist()
            test = int(tree.nodes.test[above])
            way[test] = max(result for result in leading if result < tree.schema.n_outcomes[test])
    return list(way.items())


def known_leaves(tree: bt.Tree) -> list[int]:
    """Those that some known case comes to."""
    found: list[int] = np.flatnonzero(tree.nodes.is_leaf & tree.nodes.counts.any(axis=1)).tolist()
    return found
