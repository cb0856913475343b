"""Numbers are read where they lie, and end where encoders and tables would take them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import budgetree as bt
from budgetree.data.frames import read_raw
from budgetree.errors import TableError
from budgetree.tree import Tree, Walk

N_ROWS = 3000


def cells(seed: int, n_rows: int = N_ROWS) -> pd.DataFrame:
    """Columns of many kinds of numbers, and of texts, truth values and gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["c", "a", "b"])
    frame["few"] = rng.integers(0, 4, n_rows)
    frame["gaps"] = np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows))
    frame["short"] = rng.normal(size=n_rows).astype(np.float32)
    frame["truth"] = rng.random(n_rows) < 0.5
    frame["text"] = rng.choice(["x", "y", "z"], n_rows)
    frame["nullable"] = pd.array(np.where(rng.random(n_rows) < 0.3, None, rng.integers(0, 3, n_rows)), dtype="Int64")
    return frame


def learned(frame: pd.DataFrame, binning: Any = "quantile", leaves: str = "count") -> Tree:
    score = frame["a"] + frame["gaps"].fillna(0) + frame["few"] * (frame["text"] == "x") + frame["truth"]
    labels = (score + frame["short"] > score.median()).map({True: "ill", False: "well"})
    cases = bt.Instance.from_frame(frame.assign(label=labels), "label", binning=binning)
    if leaves == "model":
        return bt.predictive(cases, budget=4)
    return bt.grow(cases, budget=5)


def by_table(tree: Tree, rows: Any) -> Walk:
    """The way without the core's reader."""
    return tree.walk_table(
        read_raw(rows, tree.schema.input_columns, [tree.test_names[test] for test in tree.nodes.columns])
    )


def assert_same(tree: Tree, rows: Any) -> None:
    found, expected = tree.walk(rows), by_table(tree, rows)
    for name in ("leaf", "spent", "unlisted", "answers", "probabilities"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@pytest.mark.parametrize("binning", ["quantile", "uniform"])
@pytest.mark.parametrize("leaves", ["count", "model"])
def test_frames_end_as_their_tables_do(binning: str, leaves: str) -> None:
    tree, new = learned(cells(0, 400), binning, leaves), cells(1, 20_000)
    assert tree.reader is not None
    new.loc[::7, "few"] = 9  # which no known case had
    new.loc[::11, "text"] = "new"
    new.loc[::5, "a"] = np.nan
    for rows in (new, new[:1], new[::-3], new[sorted(new.columns)], new[:0], new.assign(other="text")):
        assert_same(tree, rows)


def test_other_libraries_end_alike() -> None:
    frame = cells(0).drop(columns="nullable")
    tree = learned(frame)
    assert tree.walk(pl.from_pandas(frame)).leaf.tolist() == tree.walk(frame).leaf.tolist()


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1", "?", "O", ">f8"])
def test_arrays_end_as_their_tables_do(dtype: str) -> None:
    rng = np.random.default_rng(5)
    known = pd.DataFrame(rng.integers(0, 30, (500, 4)), columns=list("dbca")).astype(float)
    known["few"] = rng.integers(0, 2, 500)
    tree = bt.grow(bt.Instance.from_frame(known.assign(y=known["a"] + known["few"] > 15), "y"), budget=3)
    rows = rng.integers(0, 40, (900, 5)).astype(dtype)
    for layout in (rows, np.asfortranarray(rows), rows[::-2], rows[:1], rows[:0]):
        assert_same(tree, layout)
    packed = np.zeros(900, dtype=[("odd", "u1"), ("cells", "f8", 5)])["cells"]  # not aligned
    assert_same(tree, packed)


def test_infinity_is_an_error_in_a_frame_and_the_last_level_in_an_array() -> None:
    frame = pd.DataFrame(np.random.default_rng(6).normal(size=(200, 2)), columns=["a", "b"])
    tree = bt.grow(bt.Instance.from_frame(frame.assign(y=frame["a"] > 0), "y"), budget=1)
    rows = np.array([[np.inf, 0.0], [-np.inf, 0.0], [np.nan, 0.0]])
    assert_same(tree, rows)
    assert tree.predict(rows[:2]).tolist() == [True, False]
    with pytest.raises(TableError, match="column 'a' is infinite in row 0"):
        tree.predict(pd.DataFrame(rows, columns=["a", "b"]))


def test_whole_numbers_beyond_floats_keep_their_digits() -> None:
    values = [2**53, 2**53 + 1]
    known = pd.DataFrame({"a": values * 5, "y": [0, 1] * 5})
    tree = bt.grow(bt.Instance.from_frame(known, "y"), budget=1)
    assert tree.predict(known).tolist() == known["y"].tolist()
    assert tree.predict(known[["a"]].to_numpy()).tolist() == known["y"].tolist()
    assert tree.predict(known[["a"]].assign(other=0.5)).tolist() == known["y"].tolist()


def test_a_frame_that_lacks_a_column_or_has_it_twice_is_refused_as_ever() -> None:
    frame = cells(0)
    tree = learned(frame)
    asked = tree.test_names[tree.nodes.columns[0]]
    with pytest.raises(TableError, match=f"there is no column '{asked}'"):
        tree.predict(frame.drop(columns=asked))
    with pytest.raises(TableError, match="distinct column names"):
        tree.predict(pd.concat([frame, frame[["a"]]], axis=1))


def test_a_tree_that_has_read_rows_is_pickled_and_copied_without_its_reader() -> None:
    frame = cells(0)
    tree = learned(frame)
    small = pickle.dumps(tree)
    expected = tree.walk(frame).leaf
    assert len(pickle.dumps(tree)) <= len(small)
    for other in (pickle.loads(small), copy.deepcopy(tree), copy.copy(tree)):
        assert np.array_equal(other.walk(frame).leaf, expected)


def test_classifiers_read_rows_where_they_are() -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(600, 6))
    labels = np.where(rows[:, 4] + rows[:, 1] > 0, "ill", "well")
    frame = pd.DataFrame(rows, columns=list("fedcba"))
    for kind in (bt.OptimalBudgetTreeClassifier(budget=2, method="greedy"), bt.BudgetTreeClassifier(budget=2)):
        by_array, by_frame = copy.deepcopy(kind).fit(rows, labels), copy.deepcopy(kind).fit(frame, labels)
        answers = by_array.predict(rows)
        assert np.array_equal(by_array.tree_.predict(rows), answers)
        assert np.array_equal(by_array.predict(rows.tolist()), answers)  # by scikit-learn's checks
        assert np.array_equal(by_frame.predict(frame[list("abcdef")]), answers)
        with pytest.raises(ValueError, match="infinity"):
            by_array.predict(np.where(rows > 2, np.inf, rows))
        assert len(by_array.predict(np.where(rows > 2, np.nan, rows))) == len(rows)
        with pytest.raises(ValueError, match="5 features"):
            by_array.predict(rows[:, :5])
        with pytest.raises(ValueError, match="0 sample"):
            by_array.predict(rows[:0])
        with pytest.warns(UserWarning, match="feature names"):
            assert np.array_equal(by_frame.predict(rows), answers)
