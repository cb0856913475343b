"""to_sql: one expression in standard SQL."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest

import budgetree as bt
from exported import deep_tree


def test_sql_runs_on_a_second_engine() -> None:
    raw = bt.datasets.frame("mammographic")
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), budget=3)
    with sqlite3.connect(":memory:") as connection:
        raw.to_sql("cases", connection, index=False)
        found = [row[0] for row in connection.execute(f"SELECT {tree.to_sql()} FROM cases")]
    assert found == tree.predict(tree.encode(raw)).tolist()


def test_what_cannot_be_written_as_sql_is_refused() -> None:
    raw = bt.grow(bt.Instance.from_frame(pd.DataFrame({"a": [b"p", b"q"], "y": [0, 1]}), "y"))
    with pytest.raises(ValueError, match="is a bytes, which cannot be written as SQL"):
        raw.to_sql()
    alike = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[1, "1"]))
    with pytest.raises(ValueError, match="look alike as text"):
        alike.to_sql()


def test_leaves_and_deep_trees() -> None:
    assert bt.grow(bt.datasets.load("pima"), budget=0).to_sql().strip() == "'neg'"
    assert deep_tree(1500).to_sql().count("CASE") == 1500
