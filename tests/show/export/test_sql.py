"""export("sql"): one expression in standard SQL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.show.export.conditions import Condition, Range
from budgetree.show.export.sql import column, condition_words, literal
from exported import by_duckdb, database, deep_tree
from losing import losing_tree
from new_cases import frame_of, new_tree, wild_rows


def test_sql_runs_on_a_second_engine() -> None:
    raw = bt.datasets.frame("mammographic")
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), budget=3)
    with closing(sqlite3.connect(":memory:")) as connection:
        raw.to_sql("cases", connection, index=False)
        found = [row[0] for row in connection.execute(f"SELECT {tree.export('sql')} FROM cases")]
    assert found == tree.predict(raw).tolist()


def test_what_cannot_be_written_as_sql_is_refused() -> None:
    raw = bt.grow(bt.Instance.from_frame(pd.DataFrame({"a": [b"p", b"q"], "y": [0, 1]}), "y"))
    with refused(TreeError, found=b"p"):
        raw.export("sql")
    alike = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[1, "1"]))
    with refused(TreeError, found=(1, "1")):
        alike.export("sql")


def test_columns_called_true_and_false_are_not_the_answers() -> None:
    frame = pd.DataFrame({"TRUE": [3, 3, 7, 7], "false": [5, 6, 5, 6], "y": [True, False, True, False]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y", levels=2))
    with closing(sqlite3.connect(":memory:")) as connection:
        frame[["TRUE", "false"]].to_sql("cases", connection, index=False)
        found = [row[0] for row in connection.execute(f"SELECT {tree.export('sql')} FROM cases")]
    assert found == tree.predict(frame).tolist() == [True, False, True, False]
    assert by_duckdb(tree, pa.table(frame)) == [True, False, True, False]


def test_leaves_and_deep_trees() -> None:
    assert bt.grow(bt.datasets.load("pima"), budget=0).export("sql").strip() == "'neg'"
    assert deep_tree(900).export("sql").count("CASE") == 900
    with refused(TreeError, subject="depth", found=1500, expected=900):
        deep_tree(1500).export("sql")


@pytest.mark.parametrize("leaves", [None, "tree"])
def test_answers_that_are_no_class_are_values_too(leaves: str | None) -> None:
    tree, rows = losing_tree(leaves), wild_rows(22, 300)
    plain = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    predicted = tree.predict(frame_of(rows)).tolist()
    assert {"refer", "wait"} <= set(predicted)
    assert by_duckdb(tree, pa.Table.from_pylist(plain)) == predicted


def test_classes_that_are_numbers_become_texts_beside_another_answer() -> None:
    losses = bt.Losses(answers={"refer": 0.25})
    tree = bt.grow(bt.Instance([[0], [1], [1], [2]], [1, 1, 2, 2], test_names=["a"], losses=losses))
    found = by_duckdb(tree, pa.table({"a": [0, 1, 2]}))
    assert found == ["1", "refer", "2"] == list(map(str, tree.predict_codes([[0], [1], [2]])))


Rows = list[dict[str, Any]]


def by_sqlite(tree: bt.Tree, rows: Rows, *, full: bool = False) -> list[Any]:
    """The answer of each row, or all that there is of it."""
    names = list(rows[0])
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    values = [[None if row[name] != row[name] else row[name] for name in names] for row in rows]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE cases ({columns})")
        connection.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(names))})", values)
        query = tree.export("sql", full=True) if full else f"SELECT {tree.export('sql')} FROM cases"
        found = connection.execute(query).fetchall()
        return found if full else [answer for (answer,) in found]


def as_table(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(
        [{name: None if value != value else value for name, value in row.items()} for row in rows]
    )


@cache
def has_exp() -> bool:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            return bool(connection.execute("SELECT EXP(0)").fetchall())
    except sqlite3.OperationalError:
        return False


@pytest.mark.parametrize("confidence", [1.0, 0.8, 0.5])
def test_three_classes(confidence: float) -> None:
    tree, rows = new_tree("model", confidence), wild_rows(13)
    predicted = tree.predict(frame_of(rows)).tolist()
    assert ("EXP" in tree.export("sql")) == bool(tree.nodes.splits) == (confidence < 1)
    assert len(set(predicted)) > 1
    assert by_duckdb(tree, as_table(rows)) == predicted
    if confidence == 1 or has_exp():
        assert by_sqlite(tree, rows) == predicted


def strange_frame(seed: int, n_cases: int = 120) -> pd.DataFrame:
    """Two classes, names and values that need quotes, a column called as the query calls its own, and zeros."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, 2, n_cases)
    return pd.DataFrame(
        {
            "t_outcome_0": np.round(ill + rng.normal(size=n_cases)) * rng.choice([-1.0, 1.0], n_cases),
            'the "colour"\nof it': np.array(["it's", "a\n  b", "c"])[(ill + rng.integers(0, 2, n_cases)) % 3],
            "Score": np.where(rng.random(n_cases) < 0.1, np.nan, ill * 0.8 + rng.normal(size=n_cases)),
            "count": ill + rng.integers(0, 3, n_cases),
            "class": np.array(["it's\n well", "ill"])[ill],
        }
    )


@pytest.mark.parametrize("confidence", [None, 0.7, 0.95])
def test_two_classes_need_no_exp(confidence: float | None) -> None:
    known = strange_frame(4)
    tree = bt.predictive(bt.Instance.from_frame(known, "class"), budget=4, confidence=confidence)
    assert len(tree.tests_used) == 4
    assert "EXP" not in tree.export("sql")
    rng = np.random.default_rng(2)
    fresh = strange_frame(3, 300).drop(columns="class")
    fresh = fresh.mask(rng.random(fresh.shape) < 0.15)
    fresh.iloc[::7, 1] = "never seen"
    fresh.iloc[::5, 0] = -0.0
    fresh.iloc[1::5, 0] = 0.0
    predicted = tree.predict(fresh).tolist()
    rows = fresh.astype(object).where(fresh.notna(), None).to_dict("records")
    assert set(predicted) == {"it's\n well", "ill"}
    assert by_sqlite(tree, rows) == predicted
    assert by_duckdb(tree, as_table(rows)) == predicted


@pytest.mark.parametrize("seed", range(3))
def test_trees_learned_from_codes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (80, 5))
    tree = bt.predictive(bt.Instance(codes, (codes[:, 0] + codes[:, seed + 1]) // 2 % 3), budget=2, confidence=None)
    fresh = rng.integers(0, 6, (200, 5))
    predicted = tree.predict_codes(np.where(fresh < 4, fresh, 255)).tolist()
    rows = [dict(zip(tree.test_names, row, strict=True)) for row in fresh.tolist()]
    assert by_sqlite(tree, rows) == predicted


def test_a_tree_that_asks_nothing_is_still_an_expression() -> None:
    tree = new_tree("model", None, 0)
    rows = wild_rows(1, 3)
    assert by_sqlite(tree, rows) == tree.predict(frame_of(rows)).tolist()


def test_answers_of_least_expected_loss() -> None:
    tree, rows = losing_tree("model"), wild_rows(15, 400)
    predicted = tree.predict(frame_of(rows)).tolist()
    assert {"refer", "wait"} <= set(predicted)
    assert by_duckdb(tree, as_table(rows)) == predicted
    if has_exp():
        assert by_sqlite(tree, rows) == predicted


def test_two_classes_with_losses() -> None:
    known = strange_frame(1)
    losses = bt.Losses({"ill": 3}, answers={"see a doctor": [0.25, 0.5]})
    tree = bt.predictive(bt.Instance.from_frame(known, "class", losses=losses), budget=4, confidence=0.7)
    rows = strange_frame(4, 300).drop(columns="class")
    predicted = tree.predict(rows).tolist()
    assert set(predicted) == {"it's\n well", "ill", "see a doctor"}
    assert by_duckdb(tree, as_table(rows.astype(object).where(rows.notna(), None).to_dict("records"))) == predicted


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_characters="\0", codec="utf-8"))
)
def test_numbers_and_texts_read_back_as_they_were(value: float | str) -> None:
    ((found,),) = database().execute(f"SELECT {literal(value)}").fetchall()  # SQLite loses the last digit of some
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        (Condition(True), '"a ""b""" IS NULL'),
        (Condition(False, ranges=(Range(None, 2.0), Range(3.5, None))), '"a ""b""" < 2.0e0 OR "a ""b""" >= 3.5e0'),
        (Condition(False, ranges=(Range(None, None),)), '"a ""b""" IS NOT NULL'),
        (Condition(True, values=("x", 1)), '"a ""b""" IS NULL OR "a ""b""" IN (\'x\', 1)'),
        (Condition(False), "(1 = 0)"),
    ],
)
def test_conditions_in_words(taken: Condition, words: str) -> None:
    assert condition_words(column('a "b"'), taken) == words
