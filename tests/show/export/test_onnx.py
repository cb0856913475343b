"""to_onnx: a model of standard operators; tests/show/export/test_program.py compares what it says."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.tree import Model, Totals, TreeBuilder
from built_trees import BUILT, random_rows, random_tree
from exported import by_onnx, deep_tree


@pytest.mark.parametrize("name", BUILT)
def test_operators_are_standard_and_ends_are_named(name: str) -> None:
    tree = BUILT[name]()
    model = onnx.load_from_string(tree.to_onnx())
    onnx.checker.check_model(model, full_check=True)
    assert {node.domain for node in model.graph.node} <= {"", "ai.onnx.ml"}
    assert {given.name for given in model.graph.input} == {tree.test_names[test] for test in tree.tests_used}
    assert [made.name for made in model.graph.output] == ["answer", "probabilities", "cost"]


def test_totals_beyond_single_precision_are_exact() -> None:
    instance = bt.Instance(np.array([[0], [1]]), [0, 1], test_names=["t"])
    builder = TreeBuilder(instance)
    points = np.array([[2**30 + 1], [-(2**30) - 1], [0]], dtype=np.int32)
    model = Model(Totals((0,), (points,), np.array([-(2**30)])))
    builder.leaf(builder.buy(builder.root, 0), model)
    answers, probabilities, _ = by_onnx(builder.build(), [{"t": 0}, {"t": 1}])
    assert answers.tolist() == [1, 0]
    assert 0.5 < probabilities[0, 1] < 0.5 + 1e-6  # one millionth ahead


def test_a_tree_that_asks_nothing_answers_every_row() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=0)
    session = onnxruntime.InferenceSession(tree.to_onnx())
    (given,) = session.get_inputs()
    answers, probabilities, costs = session.run(None, {given.name: np.zeros((3, 1))})
    assert answers.tolist() == ["neg"] * 3
    assert probabilities.shape == (3, 2)
    assert costs.tolist() == [0, 0, 0]


def test_deep_trees_and_no_rows() -> None:
    tree = deep_tree(300)
    row = dict.fromkeys(tree.test_names, 1)
    assert (
        by_onnx(tree, [row, row | {"t7": 0}])[0].tolist()
        == tree.predict_codes([[1] * 300, [1] * 7 + [0] + [1] * 292]).tolist()
    )
    assert [len(found) for found in by_onnx(tree, [])] == [0, 0, 0]


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([True, False, True, None], "tensor(double)"),
        ([1, 2, 1, 3], "tensor(double)"),
        (["a", "b", "a", None], "tensor(string)"),
        ([date(2024, 2, 29), date(2024, 3, 1), date(2024, 2, 29), None], "tensor(string)"),
    ],
)
def test_values_of_every_kind(values: list[Any], asked: str) -> None:
    frame = pd.DataFrame({"answer": pd.Series(values, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    session = onnxruntime.InferenceSession(tree.to_onnx())
    assert [(given.name, given.type) for given in session.get_inputs()] == [("answer", asked)]
    assert session.get_outputs()[0].name == "budgetree answer"
    assert by_onnx(tree, frame.to_dict("records"))[0].tolist() == tree.predict(frame).tolist()


def test_what_one_input_cannot_hold_is_refused() -> None:
    for values in (["1", 1, "1", 1], [2**60, 2**60 + 1] * 2, [b"p", b"q"] * 2):
        frame = pd.DataFrame({"t": pd.Series(values, dtype=object), "y": [0, 1, 0, 1]})
        with refused(TreeError, subject="t"):
            bt.grow(bt.Instance.from_frame(frame, "y")).to_onnx()
    alike = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[1, "1"]))
    with refused(TreeError, found=(1, "1")):
        alike.to_onnx()


def test_the_same_tree_has_the_same_bytes() -> None:
    tree, _ = random_tree(3)
    assert tree.to_onnx() == tree.to_onnx()
    assert by_onnx(tree, random_rows(tree, 3, 5))[1].shape == (5, len(tree.class_names))


def test_without_onnx_the_extra_is_named() -> None:
    script = (
        "import sys; sys.modules['onnx'] = None; import budgetree as bt; bt.grow(bt.datasets.load('figure1')).to_onnx()"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "to_onnx needs onnx: pip install 'budgetree[onnx]'" in ended.stderr
