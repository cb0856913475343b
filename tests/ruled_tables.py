"""A table with every rule of a pathway on its tests, to learn from wherever its rows are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import budgetree as bt

TIME = bt.Limit(
    25, {"scan": 12, "sex": {"f": 1, "m": 2}}, shared={"visit": (4, ["age", "scan"])}, default=3, unit="min"
)
RULES: dict[str, bt.Prices] = {
    "time": bt.Prices({"age": 2, "scan": 7}, shared={"lab": (2, ["n", "age"])}, default=1, limits={"time": TIME}),
    "panel": bt.Prices({"scan": 7}, default=1, panels={"blood": {"tests": ["n", "x"], "price": 3}}),
    "order": bt.Prices(
        {"scan": {"0": 4, "1": 6}},
        default=1,
        order={"scan": {"after": {"sex": ["f"], "n": ["0", "1"]}}, "x": {"after": ["age"]}},
    ),
    "first": bt.Prices({"scan": 6}, default=1.5, first=["sex", "n"]),
    "all": bt.Prices(
        {"age": 2, "sex": 1, "scan": 7},
        shared={"lab": (2, ["age", "scan"])},
        limits={"time": TIME, "tests": 4},
        panels={"blood": {"tests": ["n", "x"], "price": 3, "time": 5}},
        order={"scan": {"after": {"sex": ["f"]}}, "blood": {"after": ["age"]}},
        first=["age"],
    ),
}


def ruled_table(n_rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({
        "age": rng.normal(50, 10, n_rows).round(),
        "sex": rng.choice(["m", "f"], n_rows),
        "n": rng.integers(0, 4, n_rows),
        "x": rng.random(n_rows).round(2),
        "scan": rng.integers(0, 2, n_rows),
    })  # fmt: skip
    score = (frame["age"] > 50) * 1.0 + (frame["scan"] == 1) * 2 + (frame["x"] > 0.4) + (frame["n"] > 1) * 0.7
    return frame.assign(y=np.where(score + rng.normal(0, 0.8, n_rows) + (frame["sex"] == "m") > 2.8, "ill", "well"))


def model_of(tree: bt.Tree) -> str:
    """Everything that its file says."""
    return json.dumps(tree.to_dict())


# By name, what is learned from known cases, wherever these are.
VERBS: dict[str, Callable[[Any], Iterator[bt.Tree]]] = {
    "grow": lambda cases: (bt.grow(cases, budget=12, min_cases=least) for least in (1, 5)),
    "fit": lambda cases: iter([bt.fit(cases, budget=12, objective="known", method="greedy", folds=0).tree]),
    "frontier": lambda cases: (
        point.tree
        for point in bt.frontier(
            cases,
            objective="known",
            method="greedy",
            impurities=[bt.Pairs(), bt.HingedPairs(9)],
            max_budget=14,
            folds=0,
        )
    ),
}
# For new cases, which takes longer.
FOR_NEW_CASES: dict[str, Callable[[Any], Iterator[bt.Tree]]] = {
    "predictive": lambda cases: iter([bt.predictive(cases, budget=12)]),
    "fit": lambda cases: iter([bt.fit(cases, budget=12, objective="new", folds=2).tree]),
    "frontier": lambda cases: (
        point.tree for point in bt.frontier(cases, objective="new", points=2, max_budget=14, folds=2)
    ),
}
