"""to_sql: one expression in standard SQL."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pandas as pd
import pyarrow as pa
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from exported import by_duckdb, deep_tree
from losing import losing_tree
from new_cases import frame_of, wild_rows


def test_sql_runs_on_a_second_engine() -> None:
    raw = bt.datasets.frame("mammographic")
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), budget=3)
    with closing(sqlite3.connect(":memory:")) as connection:
        raw.to_sql("cases", connection, index=False)
        found = [row[0] for row in connection.execute(f"SELECT {tree.to_sql()} FROM cases")]
    assert found == tree.predict(tree.encode(raw)).tolist()


def test_what_cannot_be_written_as_sql_is_refused() -> None:
    raw = bt.grow(bt.Instance.from_frame(pd.DataFrame({"a": [b"p", b"q"], "y": [0, 1]}), "y"))
    with refused(TreeError, found=b"p"):
        raw.to_sql()
    alike = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[1, "1"]))
    with refused(TreeError, found=(1, "1")):
        alike.to_sql()


def test_leaves_and_deep_trees() -> None:
    assert bt.grow(bt.datasets.load("pima"), budget=0).to_sql().strip() == "'neg'"
    assert deep_tree(900).to_sql().count("CASE") == 900
    with refused(TreeError, subject="depth", found=1500, expected=900):
        deep_tree(1500).to_sql()


@pytest.mark.parametrize("leaves", [None, "count"])
def test_answers_that_are_no_class_are_values_too(leaves: str | None) -> None:
    tree, rows = losing_tree(leaves), wild_rows(22, 300)
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    predicted = tree.predict(tree.encode(frame_of(rows))).tolist()
    assert {"refer", "wait"} <= set(predicted)
    assert by_duckdb(tree, pa.Table.from_pylist(plain)) == predicted


def test_classes_that_are_numbers_become_texts_beside_another_answer() -> None:
    losses = bt.Losses(answers={"refer": 0.25})
    tree = bt.grow(bt.Instance([[0], [1], [1], [2]], [1, 1, 2, 2], test_names=["a"], losses=losses))
    found = by_duckdb(tree, pa.table({"a": [0, 1, 2]}))
    assert found == ["1", "refer", "2"] == list(map(str, tree.predict([[0], [1], [2]])))
