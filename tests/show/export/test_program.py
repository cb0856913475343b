"""Trees with every kind of node: Python, SQL on two engines, JavaScript and PMML say what predict says."""

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
from exported import assert_javascript_agrees, assert_pmml_agrees, by_duckdb, compiled
from new_cases import frame_of, wild_rows
from show.export.test_sql import by_sqlite, has_exp


def assert_programs_agree(tree: bt.Tree, rows: list[dict[str, object]], frame: pd.DataFrame) -> None:
    wanted, diagnose = tree.predict(frame).tolist(), compiled(tree)
    assert [diagnose(row) for row in rows] == wanted
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    types = {name: pa.float64() if frame[name].dtype == float else pa.string() for name in plain[0]}
    assert by_duckdb(tree, pa.Table.from_pylist(plain, schema=pa.schema(list(types.items())))) == wanted
    if has_exp() or "EXP" not in tree.to_sql():
        assert by_sqlite(tree, plain) == wanted
    assert_javascript_agrees(tree, rows, tree.walk(frame))
    if not has_totals(tree):
        assert_pmml_agrees(tree, rows, tree.walk(frame))


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
    assert sum("EXP" in tree.to_sql() for tree in trees) > 10
    assert sum(bool(tree.nodes.splits) and "EXP" not in tree.to_sql() for tree in trees) > 10


@given(st.floats(0.01, 1) | st.sampled_from([0.5, 0.8, 0.95, 1.0]))
def test_the_limit_of_a_difference_is_that_of_the_probability(confidence: float) -> None:
    limit = least_difference(confidence)
    differences = np.array([limit, limit + 1, max(limit - 1, 0), limit // 2, 2 * limit])
    likeliest = softmax(np.stack([np.zeros_like(differences), -differences], axis=1)).max(axis=1)
    assert (likeliest >= confidence).tolist() == (differences >= limit).tolist()
