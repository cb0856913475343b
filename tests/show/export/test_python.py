"""export("python"): a function that needs nothing but Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError, TreeError
from built_trees import frame_of_rows, random_rows, random_tree
from exported import by_duckdb, compiled, deep_tree, expected
from losing import losing_tree
from new_cases import frame_of, new_tree, wild_rows


def test_pandas_moments_become_plain_ones() -> None:
    frame = pd.DataFrame({"v": pd.to_datetime(["2024-02-29 12:00", "2024-03-01 00:00"]), "label": ["a", "b"]})
    tree = bt.grow(bt.Instance.from_frame(frame, "label"))
    assert [compiled(tree)({"v": value}) for value in frame["v"]] == ["a", "b"]


def test_whole_numbers_and_short_floats_are_rounded_as_in_a_table() -> None:
    whole = [2**60 + i * 7 for i in range(600)]
    frame = pd.DataFrame({"a": whole, "y": ["low" if i <= 300 else "high" for i in range(600)]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    diagnose = compiled(tree)
    assert [diagnose({"a": value}) for value in whole] == expected(tree, frame)
    base = pd.DataFrame({"a": np.linspace(0, 1, 50), "y": [0, 1] * 25})
    tree = bt.grow(bt.Instance.from_frame(base, "y", levels={"a": 100}))
    edges = np.float32(tree.schema.encoders[0].thresholds)
    near = np.concatenate([edges, np.nextafter(edges, np.float32(0)), np.nextafter(edges, np.float32(9))])
    diagnose = compiled(tree)
    assert [diagnose({"a": value}) for value in near] == expected(tree, pd.DataFrame({"a": near}))


def test_numpys_values_become_pythons() -> None:
    known = pd.DataFrame({"a": pd.Series([np.str_("p"), np.float64(1.5)] * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(known, "y"))
    assert [compiled(tree)({"a": value}) for value in known["a"]] == [0, 1, 0, 1]


def test_a_function_must_have_a_functions_name() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    for name in ("class", "two words", "1st", "float", "f(): pass\ndef g"):
        with refused(SettingError, subject="name", found=name):
            tree.export("python", name=name)


def test_missing_values_of_python_are_missing() -> None:
    frame = pd.DataFrame({"x": [float(i) for i in range(20)], "label": ["a"] * 10 + ["b"] * 10})
    diagnose = compiled(bt.grow(bt.Instance.from_frame(frame, "label", duplicates="keep")))
    assert diagnose({"x": None}) == diagnose({"x": math.nan}) == "a"
    assert diagnose({"x": 19}) == "b"


@pytest.mark.parametrize("depth", [1, 39, 40, 41, 79, 80, 81, 1500])
def test_a_deep_tree_is_still_a_function(depth: int) -> None:
    tree = deep_tree(depth)
    diagnose = compiled(tree)
    for ones in {0, 1, depth // 2, depth - 1, depth}:
        codes = [int(i < ones) for i in range(depth)]
        case = {f"t{i}": code for i, code in enumerate(codes)}
        assert diagnose(case) == tree.predict_codes([codes])[0]


class CountedReads(dict[str, Any]):
    """A case that says which tests were read."""

    def __init__(self, values: dict[Any, Any]) -> None:
        super().__init__(values)
        self.reads: list[str] = []

    def __getitem__(self, name: str) -> Any:
        self.reads.append(name)
        return super().__getitem__(name)


@pytest.mark.parametrize("full", [False, True])
def test_a_test_is_read_once_though_the_path_branches_on_it_again(full: bool) -> None:
    n_again = 0
    for tree in (random_tree(seed, scored=False)[0] for seed in range(30)):
        diagnose, rows = compiled(tree, full=full), random_rows(tree, 7)
        for row, answer in zip(rows, tree.predict(frame_of_rows(rows)).tolist(), strict=True):
            case = CountedReads(row)
            found = diagnose(case)
            assert (found["answer"] if full else found) == answer
            assert len(case.reads) == len(set(case.reads))
        n_again += "value_" in tree.export("python")
    assert n_again > 3


def test_a_value_is_handed_to_the_function_of_what_is_deeper() -> None:
    names = ["x", *(f"t{i}" for i in range(45))]
    cases = bt.Instance([[0] * 46, [1] * 46, [2] * 46], ["a", "b", "c"], test_names=names)
    builder = bt.TreeBuilder(cases)
    first = [builder.schema.test_names.index(name) for name in names]
    node = builder.buy(builder.root, first[0])
    node, rest = builder.branch(node, bt.Split.by_result(first[0], (0, 0, 1, 1)))
    builder.leaf(rest)
    for test in first[1:]:
        node, rest = builder.branch(builder.buy(node, test), bt.Split.by_result(test, (0, 0, 1, 1)))
        builder.leaf(rest)
    for leaf in builder.branch(node, bt.Split.by_result(first[0], (0, 1, 1, 1))):
        builder.leaf(leaf)
    tree = builder.build()
    for x, answer in enumerate("abc"):
        case = CountedReads({name: min(x, 1) for name in names} | {"x": x})
        assert compiled(tree)(case) == answer
        assert case.reads.count("x") == 1


def test_what_cannot_be_written_as_python_is_refused() -> None:
    moments = [pd.Timestamp("2024-01-01T00:00:00.000000001"), pd.Timestamp("2024-01-01T00:00:00.000000002")]
    parts = list(pd.cut(np.arange(20), 3))
    for values in (moments * 3, parts[:10]):
        known = pd.DataFrame({"a": pd.Series(values, dtype=object), "y": [0, 1] * (len(values) // 2)})
        tree = bt.grow(bt.Instance.from_frame(known, "y", duplicates="keep"), budget=1)
        if len(tree.nodes) == 1:
            tree = bt.grow(bt.Instance.from_frame(known.assign(y=range(len(values))), "y", duplicates="keep"), budget=1)
        with pytest.raises(TreeError):
            tree.export("python")


def test_a_single_leaf_is_a_function() -> None:
    assert compiled(bt.grow(bt.datasets.load("pima"), budget=0))({}) == "neg"


@pytest.mark.parametrize("leaves", [None, "tree"])
def test_answers_that_are_no_class_are_returned(leaves: str | None) -> None:
    tree, rows = losing_tree(leaves), wild_rows(21, 300)
    predicted = tree.predict(frame_of(rows)).tolist()
    assert {"refer", "wait"} <= set(predicted)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in rows] == predicted


KINDS = [("model", 0.8), ("model", None), ("tree", None), ("tree", 0.8)]


@pytest.mark.parametrize(("leaves", "confidence"), KINDS)
def test_the_python_function_says_what_predict_says(leaves: str, confidence: float | None) -> None:
    tree, rows = new_tree(leaves, confidence), wild_rows(11)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in rows] == tree.predict(frame_of(rows)).tolist()


def test_the_python_function_asks_only_for_what_is_paid() -> None:
    tree = new_tree("model", 0.8)
    diagnose, rows = compiled(tree), wild_rows(12, 50)
    for row, wanted in zip(rows, tree.walk(frame_of(rows)).tests, strict=True):
        asked: list[str] = []

        class Row(dict[str, Any]):
            def __getitem__(self, name: str, asked: list[str] = asked) -> Any:
                asked.append(name)
                return super().__getitem__(name)

        diagnose(Row(row))
        assert tuple(asked) == wanted


@pytest.mark.parametrize("confidence", [None, 0.8])
def test_the_sql_of_a_plain_tree_says_what_predict_says(confidence: float | None) -> None:
    import pyarrow as pa

    tree, rows = new_tree("tree", confidence), wild_rows(13)
    table = pa.Table.from_pylist(
        [{name: None if value != value else value for name, value in row.items()} for row in rows]
    )
    assert by_duckdb(tree, table) == tree.predict(frame_of(rows)).tolist()


def test_answers_by_losses_are_those_of_predict() -> None:
    tree, rows = losing_tree("model"), wild_rows(14, 400)
    predicted = tree.predict(frame_of(rows)).tolist()
    assert len(set(predicted)) > 2
    assert "refer" in predicted
    diagnose = compiled(tree)
    assert [diagnose(row) for row in rows] == predicted


def test_without_losses_no_losses_are_written() -> None:
    assert "LOSSES" not in new_tree("model", 0.8).export("python")
