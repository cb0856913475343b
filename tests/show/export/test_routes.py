"""Six routes to one answer: predict, consultation, Python, JavaScript, SQL and ONNX, for every kind of leaf."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import budgetree as bt
from built_trees import two_classes
from exported import (
    assert_all_of_sql,
    assert_javascript_agrees,
    assert_onnx_agrees,
    assert_python_agrees,
    by_duckdb,
    costs_of,
    full_by_duckdb,
)
from losing import losing_tree
from new_cases import frame_of, new_frame, new_tree, wild_rows
from ruled_tables import RULES, ruled_table

TREES = {
    "tree": lambda: learned("tree"),
    "points": lambda: learned("points"),
    "model": lambda: learned("model"),
    "model of three classes": lambda: new_tree("model", 0.8),
    "model with losses": lambda: losing_tree("model"),
}


@cache
def learned(leaves: str) -> bt.Tree:
    """Two classes, and enough cases that a model has small trees."""
    frame = new_frame(6, 1500).replace({"class": {"worse": "ill"}})
    instance = bt.Instance.from_frame(frame, "class", prices=two_classes().prices)
    return bt.predictive(instance, budget=8, leaves=leaves)  # type: ignore[arg-type]


def assert_routes_agree(tree: bt.Tree, rows: list[dict[str, Any]]) -> None:
    """Answer, probabilities and costs of every row, also with missing values and unseen ones."""
    frame = frame_of(rows) if "dose" in rows[0] else pd.DataFrame(rows)
    walk = tree.walk(frame)
    predicted, costs = tree.predict(frame).tolist(), costs_of(walk)
    assert len(set(predicted)) > 1
    for number, row in enumerate(rows):
        case = tree.ask(row)
        assert case.prediction == predicted[number]
        assert list(case.distribution.values()) == walk.probabilities[number].tolist()
        assert [cost.spent for cost in case.costs.values()] == costs[number]
    assert_python_agrees(tree, rows, walk)
    assert_javascript_agrees(tree, rows, walk)
    table = pa.Table.from_pylist(
        [{name: None if value != value else value for name, value in row.items()} for row in rows]
    )
    assert by_duckdb(tree, table) == predicted
    assert_all_of_sql(full_by_duckdb(tree, table), tree, walk)
    assert_onnx_agrees(tree, rows, walk)


@pytest.mark.parametrize("kind", TREES)
def test_all_routes_lead_to_the_same(kind: str) -> None:
    assert_routes_agree(TREES[kind](), wild_rows(33, 200))


@pytest.mark.slow
@pytest.mark.parametrize("kind", TREES)
def test_all_routes_lead_to_the_same_for_many_rows(kind: str) -> None:
    assert_routes_agree(TREES[kind](), wild_rows(33, 10_000))


@pytest.mark.parametrize("leaves", ["tree", "points", "model"])
@pytest.mark.parametrize("rules", RULES)
def test_every_resource_is_charged_alike_on_all_routes(rules: str, leaves: Literal["tree", "points", "model"]) -> None:
    cases = bt.Instance.from_frame(ruled_table(), "y", prices=RULES[rules])
    tree = bt.predictive(cases, budget=14, leaves=leaves)
    rows = ruled_table(60).drop(columns="y").astype(object).to_dict("records")
    rng = np.random.default_rng(3)
    for row, test in zip(rows, rng.choice(["age", "sex", "n", "x", "scan"], 60), strict=True):
        row[test] = math.nan if rng.random() < 0.5 else {"sex": "?"}.get(test, 9)
    assert_routes_agree(tree, rows)


def test_the_models_have_small_trees() -> None:
    models = [rule for rule in learned("model").nodes.rules if isinstance(rule, bt.Model)]
    assert any(model.totals.trees is not None for model in models)
