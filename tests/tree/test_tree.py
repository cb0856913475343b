"""Tree: answers, costs, text."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import as_node, grow_with, to_instance

import budgetree as bt
from _support.reference_walk import follow
from _support.refusals import refused
from budgetree.errors import TableError, TreeError
from budgetree.tree import Origin
from budgetree.tree.builder import grown_tree
from losing import REFERRING, answers_by_hand, exact_losses, losing_tree
from new_cases import PRICES, new_frame


@pytest.fixture(scope="module")
def pima() -> bt.Tree:
    return bt.grow(bt.datasets.load("pima"))


@pytest.mark.parametrize("name", bt.datasets.names())
def test_routing_the_known_objects_gives_the_trees_own_numbers(name: str) -> None:
    instance = bt.datasets.load(name)
    tree = bt.grow(instance, bt.HingedPairs(2))
    costs = tree.walk_codes(instance.codes).cost
    assert costs.max() == tree.known_max_cost == tree.max_cost
    assert costs.mean() == pytest.approx(tree.mean_cost)
    wrong = tree.predict_codes(instance.codes) != instance.schema.classes[instance.labels]
    assert wrong.sum() == tree.errors
    leaves, counts = np.unique(tree.walk_codes(instance.codes).leaf, return_counts=True)
    assert (tree.nodes.counts[leaves].sum(axis=1) == counts).all()
    assert leaves.tolist() == np.flatnonzero(tree.nodes.is_reached).tolist()
    answers = [line for line in tree.to_text().splitlines()[1:] if "→" in line]
    assert tree.n_leaves == len(answers) <= len(leaves)  # leaves with the same answer may share a line


@given(st.integers(0, 10**6))
def test_cost_agrees_with_walking_each_object(seed: int) -> None:
    problem = reference.random_problem(random.Random(seed))
    instance = to_instance(problem)
    tree = bt.grow(instance)
    node = as_node(tree)
    known = np.flatnonzero(instance.weight_units)
    assert max(tree.walk_codes(instance.codes).cost[known]) == pytest.approx(float(reference.max_cost(problem, node)))
    every = list(itertools.product(*(range(n) for n in problem.n_outcomes)))
    assert tree.max_cost == pytest.approx(max(tree.walk_codes(every).cost))
    assert tree.known_max_cost == pytest.approx(max(tree.walk_codes(instance.codes).cost[known]))


def test_an_outcome_never_seen_stops_there_and_the_test_is_paid() -> None:
    prices = {"a": 2, "b": {"0": 5, "1": 1, "2": 7}}
    instance = bt.Instance([[0, 0], [0, 1], [1, 2]], ["x", "y", "y"], prices=prices, test_names=["a", "b"])
    tree = bt.grow(instance, bt.HingedPairs(0))
    assert tree.to_dict()["test"] == "a"
    rows = [[0, 2], [0, 200], [7, 0], [0, 0]]
    leaves = tree.walk_codes(rows).leaf
    assert tree.nodes.is_reached[leaves].tolist() == [False, False, False, True]
    assert [tree.nodes.bought(leaf) for leaf in leaves.tolist()] == [(0, 1), (0, 1), (0,), (0, 1)]
    assert tree.walk_codes(rows).unlisted.tolist() == [-1, 1, 0, -1]
    assert tree.predict_codes(rows).tolist() == ["x", "x", "y", "x"]
    assert tree.walk_codes(rows).cost.tolist() == [9, 9, 2, 7]
    assert tree.known_max_cost == 7
    assert tree.max_cost == 9
    assert "worst case 9 (known cases at most 7), mean" in tree.summary()
    assert tree.cut(8).n_leaves == 2  # no case may exceed 8, seen or not


def test_predictions_are_class_names_of_their_own_type() -> None:
    for labels in (["no", "yes"], [0, 1], [True, False], [1.5, 2.5], ["a", 1]):
        tree = bt.grow(bt.Instance([[0], [1]], labels))
        assert tree.predict_codes([[0], [1]]).tolist() == labels


@pytest.mark.parametrize(
    ("codes", "found", "expected"),
    [([[0, 1]], 2, 8), ([0] * 8, 1, 2), ([[np.nan] * 8], None, "whole numbers")],
)
def test_bad_codes_are_refused(pima: bt.Tree, codes: list, found: object, expected: object) -> None:
    with refused(TableError, subject="codes", found=found, expected=expected):
        pima.predict_codes(codes)


def test_new_cases_are_encoded_as_the_known_ones_were() -> None:
    known = pd.DataFrame({"temp": np.linspace(36, 40, 60), "cough": ["yes", "no", None] * 20})
    known["state"] = np.where(known["temp"] < 38, "well", "ill")
    tree = bt.grow(bt.Instance.from_frame(known, "state"))
    new = pd.DataFrame({"id": range(3), "cough": ["yes", "sometimes", None], "temp": [36.1, 36.5, 45.0]})
    assert tree.predict_codes(tree.encode(new)).tolist() == ["well", "well", "ill"]
    assert tree.encode(new)[1, tree.test_names.index("cough")] == 255
    with refused(TableError, subject="temp", found=["cough"]):
        tree.encode(new.drop(columns="temp"))
    without = new.drop(columns="cough")  # which the tree never asks for
    assert tree.predict_codes(tree.encode(without)).tolist() == ["well", "well", "ill"]
    assert tree.predict(new).tolist() == tree.predict(without).tolist() == ["well", "well", "ill"]
    with refused(TableError, subject="temp"):
        tree.encode(new.assign(temp=["warm"] * 3))
    with refused(TableError, subject="encoders"):
        bt.grow(bt.datasets.load("figure1")).encode(new)
    with refused(TableError, subject="codes", expected="whole numbers"):
        tree.predict_codes([["warm", "yes"]])


def test_a_deep_tree_has_text_dict_and_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    chain = grow_with("native", bt.Instance(np.eye(2100, dtype=np.uint8), np.arange(2100) % 2), bt.Pairs())
    assert chain.depth > 1000  # Python's recursion limit
    assert len(chain.to_text().splitlines()) == chain.n_leaves + chain.nodes.is_buy.sum() + 1
    assert "test" in chain.to_dict()
    chain.to_json(tmp_path / "deep.json")
    assert bt.Tree.from_json(tmp_path / "deep.json") == chain


def test_trees_compare_by_what_they_are() -> None:
    instance = bt.datasets.load("figure1")
    assert bt.grow(instance) == bt.grow(instance, bt.Powers(2))
    assert bt.grow(instance) != bt.grow(instance, bt.HingedPairs(8))
    assert bt.grow(instance) != bt.grow(instance.priced(2))
    assert bt.grow(instance) != "a tree"
    assert len({bt.grow(instance), bt.grow(instance)}) == 1


def test_a_tree_cannot_be_changed() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    with pytest.raises(AttributeError):
        tree.n_objects = 3  # type: ignore[misc]
    for each in (tree, copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert each == tree
        with pytest.raises(ValueError, match="read-only"):
            each.nodes.counts[0] = 7


@pytest.mark.parametrize("seed", range(20))
def test_a_grown_tree_is_walked_as_a_person_would(seed: int) -> None:
    rng = random.Random(seed)
    tree = bt.grow(to_instance(reference.random_problem(rng)), budget=rng.choice([None, 2]))
    codes = np.random.default_rng(seed).integers(0, 6, (500, len(tree.test_names))).astype(np.uint8)
    walk, followed = tree.walk_codes(codes), [follow(tree, row) for row in codes.tolist()]
    assert walk.leaf.tolist() == [found.leaf for found in followed]
    assert walk.spent.tolist() == [found.spent * tree.schema.costs.scale for found in followed]


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_a_tree_with_losses_answers_by_least_expected_loss_and_counts_what_it_says(leaves: str | None) -> None:
    tree = losing_tree(leaves)
    instance = bt.Instance.from_frame(new_frame(1), "class", prices=PRICES, losses=REFERRING)
    codes = tree.encode(new_frame(1))
    answers = tree.walk_codes(codes).answers
    assert answers.tolist() == answers_by_hand(tree, codes)
    assert tree.answer_names == ("ill", "well", "worse", "refer", "wait")
    assert {"refer", "wait"} & set(tree.predict_codes(codes).tolist())
    assert tree.predict_codes(codes).tolist() == [tree.answer_names[answer] for answer in answers]
    assert tree.walk_codes(codes).probabilities.shape[1] == 3
    rows = exact_losses(REFERRING, tree.class_names)
    labels = instance.row_labels.tolist()
    assert tree.exact_loss == sum(rows[true][answer] for true, answer in zip(labels, answers.tolist(), strict=True))
    assert tree.referred == (answers >= 3).sum() > 0
    assert tree.errors == ((answers != labels) & (answers < 3)).sum()
    assert tree.loss == float(tree.exact_loss)


def test_a_schema_with_other_losses_is_refused() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    losses = bt.Losses({"circle": 50, "triangle": 1})
    with refused(TreeError, subject="schema", found=losses):
        replace(tree, schema=replace(tree.schema, losses=losses))
    assert tree.with_labels({"tests": {"t1": "Corners"}}).loss == tree.loss


def test_trees_that_answer_by_other_losses_differ() -> None:
    tree = losing_tree(None)

    def answering(losses: Any) -> bt.Tree:
        schema = replace(tree.schema, losses=bt.Losses.of(losses))
        return grown_tree(schema, replace(tree.nodes, loss_table=schema.loss_table), tree.n_objects, Origin())

    for losses, same in ((REFERRING, True), (None, False), ({"ill": 2}, False)):
        other = answering(losses)
        assert (other == tree) == same
        assert (other.nodes == tree.nodes) == same
        assert all(np.array_equal(array, tree.nodes.arrays[name]) for name, array in other.nodes.arrays.items())
    back = answering(None)
    assert back.nodes.loss_table.is_plain
    assert back.loss == back.errors
    assert (back.nodes.label < 3).all()


def test_encode_warns_of_values_that_no_known_case_had() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 5, "z": [0, 1, 2, 3, 4] * 2, "y": [0, 1] * 5})
    tree = bt.optimal(bt.Instance.from_frame(frame, "y"), budget=1).tree
    with pytest.warns(UserWarning, match="2 rows have a value of 'x' that no known case had; its code is 255"):
        codes = tree.encode(pd.DataFrame({"x": ["a", "c", "d"]}))
    assert codes[:, tree.test_names.index("x")].tolist() == [0, 255, 255]


@pytest.mark.parametrize("n_new", [8, 9])
def test_predict_warns_of_categories_that_many_rows_have_and_no_known_case_had(n_new: int) -> None:
    """At more than 5 % of 160 rows; blanks are not counted, nor rows that are few."""
    frame = pd.DataFrame({"x": ["a", "b"] * 80, "z": [0, 1, 2, 3] * 40, "y": [0, 1] * 80})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    new = frame.assign(x=["c"] * n_new + [None] * 20 + ["a"] * (140 - n_new))
    for predict in (tree.predict, tree.predict_proba):
        with nullcontext() if n_new == 8 else pytest.warns(UserWarning, match="6% of the rows have a category of 'x'"):
            predict(new)
            predict(new[["x"]].iloc[:19])
