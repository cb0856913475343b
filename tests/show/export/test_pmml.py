"""export("pmml"): a document as PMML 4.4 says, scored by a reader that shares no code with the exporter."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.show.export.pmml import INSTEAD_OF_PMML
from exported import assert_pmml_agrees, deep_tree
from losing import losing_tree
from new_cases import frame_of, new_tree, wild_rows
from pmml_reader import SPACE, PmmlTree, check_structure


@pytest.mark.parametrize("confidence", [None, 0.8])
def test_plain_trees_for_new_cases_send_the_unknown_on(confidence: float | None) -> None:
    tree, rows = new_tree("tree", confidence), wild_rows(41, 300)
    assert_pmml_agrees(tree, rows, tree.walk(frame_of(rows)))


@pytest.mark.parametrize("leaves", [None, "tree"])
def test_answers_that_are_no_class_are_scores(leaves: str | None) -> None:
    tree, rows = losing_tree(leaves), wild_rows(42, 300)
    assert {"refer", "wait"} <= set(tree.predict(frame_of(rows)))
    assert_pmml_agrees(tree, rows, tree.walk(frame_of(rows)))


def test_leaves_that_are_models_are_refused_with_what_to_do() -> None:
    with refused(TreeError, remedy=INSTEAD_OF_PMML):
        new_tree("model", 0.8).export("pmml")


def test_a_node_says_what_its_path_has_cost() -> None:
    tree = losing_tree(None)
    root = ET.fromstring(tree.export("pmml"))
    costs = {
        int(node.attrib["id"]): float(cost.attrib["value"])
        for node in root.iter(f"{SPACE}Node")
        for cost in node.findall(f"{SPACE}Extension")
    }
    walk = tree.walk(frame_of(wild_rows(43)))
    shown = [(leaf, cost) for leaf, cost in zip(walk.leaf.tolist(), walk.cost.tolist(), strict=True) if leaf in costs]
    assert len(shown) > 100
    assert [costs[leaf] for leaf, _ in shown] == [cost for _, cost in shown]


def test_a_deep_tree_is_still_a_document() -> None:
    depth = 1500
    tree = deep_tree(depth)
    codes = np.array([[int(i < ones) for i in range(depth)] for ones in (0, 1, depth // 2, depth)])
    model = PmmlTree(tree.export("pmml"))
    rows = [{f"t{i}": code for i, code in enumerate(row)} for row in codes.tolist()]
    assert [model.score(row).answer for row in rows] == tree.predict_codes(codes).tolist()


def test_a_single_leaf_is_a_document() -> None:
    text = bt.grow(bt.datasets.load("pima"), budget=0).export("pmml")
    check_structure(text)
    assert PmmlTree(text).score({}).answer == "neg"


@pytest.mark.parametrize(
    "values",
    [
        [datetime(2024, 2, 29, 12), datetime(2024, 3, 1)],
        [datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)],
        [date(2024, 2, 29), date(2024, 3, 1)],
        [time(8), time(8, 30)],
        [Decimal("1.5"), Decimal("2.25")],
        [2**60, 2**60 + 1],
        [True, False],
        ["\ttab ", "new\r\nline"],
    ],
    ids=str,
)
def test_values_of_other_kinds(values: list[Any]) -> None:
    frame = pd.DataFrame({"v": pd.Series(values * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    text = tree.export("pmml")
    check_structure(text)
    assert [PmmlTree(text).score({"v": value}).answer for value in values] == [0, 1]


def test_numbers_are_compared_as_numbers_and_texts_as_texts() -> None:
    frame = pd.DataFrame({"code": [0, 1, 0, 1], "word": ["a", "a", "b", "b"], "y": [0, 1, 2, 3]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    text = tree.export("pmml")
    assert '<DataField name="code" optype="continuous" dataType="double"><Value value="0"/>' in text
    assert '<DataField name="word" optype="categorical" dataType="string"><Value value="a"/>' in text
    assert [PmmlTree(text).score({"code": code, "word": "b"}).answer for code in (0, 1)] == [2, 3]


@pytest.mark.parametrize("classes", [[True, False], [1, 2], [0.5, 1.5], ["a", "<&\"'>"]])
def test_classes_of_every_type(classes: list[Any]) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=classes, test_names=["t"]))
    check_structure(tree.export("pmml"))
    model = PmmlTree(tree.export("pmml"))
    assert [model.score({"t": code}).answer for code in (0, 1)] == classes


@pytest.mark.parametrize(
    "values", [["p", 1.5], [b"p", b"q"], [timedelta(1), timedelta(2)], ["1", 1], [date(2024, 1, 1), "x"]], ids=str
)
def test_values_that_one_field_cannot_hold_are_refused(values: list[Any]) -> None:
    frame = pd.DataFrame({"v": pd.Series(values * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    with refused(TreeError, subject="test 'v'"):
        tree.export("pmml")


def test_a_name_that_xml_cannot_hold_is_refused() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], test_names=["bell\x07"]))
    with refused(TreeError, found="\x07"):
        tree.export("pmml")


def test_a_test_called_answer_keeps_its_name() -> None:
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], test_names=["answer"]))
    check_structure(tree.export("pmml"))
    assert PmmlTree(tree.export("pmml")).score({"answer": 1}).answer == "b"
