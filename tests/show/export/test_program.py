"""Trees with every kind of node: Python, SQL on two engines, JavaScript, ONNX and PMML say what predict says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.show.export.program import has_totals, least_difference
from budgetree.tree.leaves import softmax
from built_trees import BUILT, frame_of_rows, random_rows, random_tree
from exported import (
    assert_all_of_sql,
    assert_javascript_agrees,
    assert_onnx_agrees,
    assert_pmml_agrees,
    assert_python_agrees,
    by_duckdb,
    compiled,
    full_by_duckdb,
)
from new_cases import frame_of, wild_rows
from show.export.test_sql import by_sqlite, has_exp


def assert_programs_agree(tree: bt.Tree, rows: list[dict[str, object]], frame: pd.DataFrame) -> None:
    wanted, diagnose = tree.predict(frame).tolist(), compiled(tree)
    assert [diagnose(row) for row in rows] == wanted
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    types = {name: pa.float64() if frame[name].dtype == float else pa.string() for name in plain[0]}
    table, walk = pa.Table.from_pylist(plain, schema=pa.schema(list(types.items()))), tree.walk(frame)
    assert by_duckdb(tree, table) == wanted
    assert_all_of_sql(full_by_duckdb(tree, table), tree, walk)
    if has_exp() or "EXP" not in tree.export("sql"):
        assert by_sqlite(tree, plain) == wanted
    if has_exp() or "EXP" not in tree.export("sql", full=True):
        assert_all_of_sql(by_sqlite(tree, plain, full=True), tree, walk)
    assert_python_agrees(tree, rows, walk)
    assert_javascript_agrees(tree, rows, walk)
    assert_onnx_agrees(tree, rows, walk)
    if not has_totals(tree):
        assert_pmml_agrees(tree, rows, walk)


@pytest.mark.parametrize("name", BUILT)
def test_trees_that_show_one_thing_each(name: str) -> None:
    rows = wild_rows(51)
    assert_programs_agree(BUILT[name](), rows, frame_of(rows))


@pytest.mark.parametrize("seed", range(80))
def test_any_tree(seed: int) -> None:
    tree, _ = random_tree(seed, scored=seed % 4 > 0)
    rows = random_rows(tree, seed)
    assert_programs_agree(tree, rows, frame_of_rows(rows))


def test_random_trees_cover_what_programs_do() -> None:
    trees = [random_tree(seed, scored=seed % 4 > 0)[0] for seed in range(80)]
    assert sum(has_totals(tree) for tree in trees) > 40
    assert sum("EXP" in tree.export("sql") for tree in trees) > 10
    assert sum(bool(tree.nodes.splits) and "EXP" not in tree.export("sql") for tree in trees) > 10
    splits = [split for tree in trees for split in tree.nodes.splits]
    assert sum(split.is_score for split in splits) > 20
    models = [rule for tree in trees for rule in tree.nodes.rules if isinstance(rule, bt.Model)]
    models += [split.model for split in splits if split.model is not None]
    assert sum(model.totals.trees is not None for model in models) > 100
    assert sum(model.totals.n_totals == 1 for model in models) > 40


@given(st.floats(0.01, 1) | st.sampled_from([0.5, 0.8, 0.95, 1.0]))
def test_the_limit_of_a_difference_is_that_of_the_probability(confidence: float) -> None:
    limit = least_difference(confidence)
    differences = np.array([limit, limit + 1, max(limit - 1, 0), limit // 2, 2 * limit])
    likeliest = softmax(np.stack([np.zeros_like(differences), -differences], axis=1)).max(axis=1)
    assert (likeliest >= confidence).tolist() == (differences >= limit).tolist()
