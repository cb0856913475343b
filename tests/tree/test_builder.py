"""TreeBuilder: what it refuses, trees that were grown, and somebody else's algorithm in ten lines."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import given, settings, target
from hypothesis import strategies as st
from support import outcomes_below, to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.learn.greedy.levels import grow_nodes
from budgetree.learn.greedy.rule import check_settings
from budgetree.problem.cost_model import NotAllowedError, Reason
from budgetree.tree import Fixed, Model, Nodes, Points, Split, Totals, Tree, TreeBuilder
from built_trees import known_cases, odd_tree, random_codes, random_tree

seeds = st.integers(0, 10**6)


def grown(seed: int) -> tuple[bt.Instance, Nodes]:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    return instance, grow_nodes(instance, check_settings(instance, bt.Pairs(), 0, None, "worst"))


def step_by_step(instance: bt.Instance, tree: Nodes) -> Tree:
    """The same, by the builder's single steps, which count the cases again."""
    builder = TreeBuilder(instance)
    ends = [(0, builder.root)]
    for node, end in ends:  # which grow on the way
        if tree.is_leaf[node]:
            builder.leaf(end)
            continue
        children = outcomes_below(tree, node)
        below = sorted({child for child in children if child >= 0})
        sides = [below.index(child) if child >= 0 else len(below) for child in [*children, -1]]
        test = int(tree.test[node])
        *seen, unseen = builder.branch(builder.buy(end, test), Split.by_result(test, sides))
        ends += zip(below, seen, strict=True)
        builder.leaf(unseen)
    return builder.build()


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_a_grown_tree_is_what_single_steps_build(seed: int) -> None:
    instance, tree = grown(seed)
    by_steps = step_by_step(instance, tree).nodes
    for name, array in tree.arrays.items():
        if name != "fallback":
            assert array.tolist() == by_steps.arrays[name].tolist(), name


def test_a_grown_tree_may_stand_below_other_steps() -> None:
    cases = bt.datasets.load("figure1")
    tree = grow_nodes(cases, check_settings(cases, bt.Pairs(), 0, None, "worst"))
    builder = TreeBuilder(cases)
    builder.add_grown(builder.buy(builder.root, "t1"), tree)
    found = builder.build()
    assert (found.max_cost, found.errors) == (2, bt.grow(cases).errors)


def test_somebody_elses_algorithm_is_a_tree_in_ten_lines(tmp_path: object) -> None:
    """CART's first two splits, by hand: shown, certified, saved and consulted."""
    cases = bt.datasets.load("figure1")
    builder = bt.TreeBuilder(cases, budget=2)
    for end in builder.branch(builder.buy(builder.root, "t1"), "t1"):
        if end is builder.root or len(end.state.tests) == 2:
            continue
        for leaf in builder.branch(builder.buy(end, "t2"), "t2"):
            builder.leaf(leaf)
    tree = builder.build()
    assert "t1? costs 1" in tree.to_text()
    assert bt.certify(cases, tree).lower_bound <= tree.max_cost
    assert tree.ask({"t1": 1, "t2": 0}).prediction == "triangle"


def test_a_rule_that_is_broken_is_named() -> None:
    cases = known_cases()
    builder = TreeBuilder(cases, budget=1)
    with pytest.raises(NotAllowedError) as found:
        builder.buy(builder.root, "colour")
    assert (found.value.reason, found.value.subject) == (Reason.LIMIT, "colour")
    builder = TreeBuilder(cases)
    end = builder.buy(builder.root, "age")
    with pytest.raises(NotAllowedError) as found:
        builder.buy(end, "age")
    assert found.value.reason is Reason.BOUGHT
    with pytest.raises(TreeError, match="test 'colour' was not bought"):
        builder.branch(end, "colour")
    with pytest.raises(TreeError, match="there is no test 'weight'"):
        builder.buy(end, "weight")
    with pytest.raises(TreeError, match="expected 4 sides"):
        builder.branch(builder.buy(end, "colour"), Split.by_result(1, (0, 1)))


def test_what_does_not_fit_is_refused() -> None:
    builder = TreeBuilder(known_cases())
    end = builder.buy(builder.root, "colour")
    with pytest.raises(TreeError, match="expected one for each of 3 classes"):
        builder.leaf(end, Fixed((0.5, 0.5)))
    with pytest.raises(TreeError, match="the last for an unlisted result"):
        builder.leaf(end, Model(Totals((1,), (np.zeros((2, 3), dtype=np.int32),), np.zeros(3, dtype=np.int64))))
    with pytest.raises(TreeError, match="ascending"):
        builder.branch(end, Split.by_points({1: (0, 1, 2, 3)}, cuts=(3, 1)))
    with pytest.raises(TreeError, match="node 1 is open"):
        builder.build()
    builder.leaf(end)
    with pytest.raises(TreeError, match="was built before"):
        builder.leaf(end)
    assert isinstance(builder.build().nodes, Nodes)


SPLIT_POINTS = {0: (0, 5, 2)}
TWO = Totals((0,), (np.zeros((3, 2), dtype=np.int32),), np.zeros(2, dtype=np.int64))
ONE = Totals.of_points(SPLIT_POINTS)
HALVES = ((0.5, 0.5), (0.5, 0.5))


@pytest.mark.parametrize(
    ("make", "subject"),
    [
        (lambda: Fixed((math.nan, 0.5)), "chances"),
        (lambda: Fixed((1.5, 0.9)), "chances"),
        (lambda: Fixed((-1, 2)), "chances"),
        (lambda: Fixed((2.0, 3.0)), "chances"),
        (lambda: Fixed((0.5, 0.4)), "chances"),
        (lambda: Fixed((0.5, 0.5 + 3e-6, *[-1e-6] * 3)), "chances"),  # with the sum 1, but not once rounded to 0
        (lambda: Fixed(("0.5", "0.5")), "chances"),  # type: ignore[arg-type]
        (lambda: Fixed((0.5, 0.5), 0.5), "answer"),  # type: ignore[arg-type]
        (lambda: Points(ONE, (2,), ((0.5, 0.5), (math.nan, 0.5))), "chances"),
        (lambda: Points(ONE, (2,), ((0.5, 0.5),)), "chances"),
        (lambda: Points(ONE, (2,), ((0.5, 0.5), (1.0,))), "chances"),
        (lambda: Points(TWO, (2,), HALVES), "totals"),
        (lambda: Points(ONE, (5, 2), (*HALVES, (1.0, 0.0))), "cuts"),
        (lambda: Points(ONE, (2, 2), (*HALVES, (1.0, 0.0))), "cuts"),
        (lambda: Points(ONE, (2.5,), HALVES), "cuts"),  # type: ignore[arg-type]
        (lambda: Points(ONE, (2**31,), HALVES), "cuts"),
        (lambda: Totals((1, 0), ONE.points * 2, ONE.intercept), "tests"),
        (lambda: Totals((0, 0), ONE.points * 2, ONE.intercept), "tests"),
        (lambda: Totals((-1,), ONE.points, ONE.intercept), "tests"),
        (lambda: Totals((0,), (), ONE.intercept), "points"),
        (lambda: Totals((0,), ONE.points, TWO.intercept), "points"),
        (lambda: Totals((0,), (np.zeros((3, 1)),), ONE.intercept), "points"),  # type: ignore[arg-type]
        (lambda: Totals((0,), ONE.points, np.array([2**31])), "intercept"),
        (lambda: Totals.of_points({"t1": (0, 3, 0)}), "tests"),  # type: ignore[dict-item]
        (lambda: Totals.of_points({0: (0, 3, 0), "t2": (0, 3, 0)}), "tests"),  # type: ignore[dict-item]
        (lambda: Totals.of_points({0.0: (0, 3, 0)}), "tests"),  # type: ignore[dict-item]
        (lambda: Totals.of_points({0: (0, 3.7, 0)}), "points"),  # type: ignore[dict-item]
        (lambda: Totals.of_points({0: (0, 2**31, 0)}), "points"),
        (lambda: Totals.of_points({0: (0, 1, 0)}, intercept=0.5), "intercept"),  # type: ignore[arg-type]
        (lambda: Split.by_points(TWO, (2,)), "totals"),
        (lambda: Split.by_score(Model(TWO), (2,)), "totals"),
        (lambda: Split.by_score(Model(ONE), (5, 2)), "cuts"),
        (lambda: Split.by_score(Model(ONE), (2.5,)), "cuts"),  # type: ignore[list-item]
        (lambda: Split.by_score(Model(ONE), (2**31,)), "cuts"),
        (lambda: Split(0, (0, 1, 1), is_score=True), "sides"),
        (lambda: Split(totals=TWO, confidence=0.5, is_score=True), "totals"),
        (lambda: Split(totals=ONE, is_score=1), "is_score"),  # type: ignore[arg-type]
        (lambda: Totals((0,), ONE.points, ONE.intercept, [[0]]), "trees"),  # type: ignore[arg-type]
        (lambda: Totals.of_points({2**31: (0, 3, 0)}), "tests"),
        (lambda: Totals.of_points({0: [0] * 257}), "points"),
        (lambda: Split.by_points(SPLIT_POINTS, (2.5,)), "cuts"),  # type: ignore[list-item]
        (lambda: Split.by_result(0.5, (0, 1, 1)), "test"),  # type: ignore[arg-type]
        (lambda: Split.by_result(0, (0, 0.5, 1)), "sides"),  # type: ignore[list-item]
        (lambda: Split.by_result(0, ()), "sides"),
        (lambda: Split(), "test"),
        (lambda: Split(totals=ONE, cuts=(2,), confidence=0.5), "totals"),
        *((lambda it=it: Split.by_confidence(Model(TWO), it), "confidence") for it in (math.nan, 1.5, 0, -1, "0.5")),
    ],
)
def test_a_record_that_a_file_cannot_hold_is_refused(make: Callable[[], object], subject: str) -> None:
    with refused(TreeError, subject=subject):
        make()


def test_what_a_record_holds_is_its_own() -> None:
    points, intercept = np.array([[0], [5], [2]]), np.array([1])
    totals = Totals((np.int64(0),), (points,), intercept)  # type: ignore[arg-type]
    points[0], intercept[0] = 9, 9
    assert totals == Totals.of_points(SPLIT_POINTS, intercept=1)
    assert Fixed([0.25, 0.75], np.int64(1)) == Fixed((0.25, 0.75), 1)  # type: ignore[arg-type]
    assert Fixed(np.array([1 + 1e-12, -1e-12])).chances == (1.0, 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", [0.5, True, -1, 2, "t3", None, math.nan])
def test_what_is_not_a_test_is_refused(test: Any) -> None:
    builder = TreeBuilder(bt.datasets.load("figure1"))
    with pytest.raises(TreeError, match=r"there is no test .* a position from 0 to 1") as found:
        builder.buy(builder.root, test)
    assert found.value.found is test
    with pytest.raises(TreeError, match="there is no test"):
        builder.branch(builder.root, test)
    assert builder.buy(builder.root, np.int64(1)).state.tests == (1,)  # type: ignore[arg-type]


def test_an_end_of_another_builder_is_refused() -> None:
    cases = bt.datasets.load("figure1")
    builder, other = TreeBuilder(cases), TreeBuilder(cases)
    far = other.buy(other.root, "t1")
    steps: list[Callable[[Any], object]] = [
        lambda end: builder.buy(end, 0), lambda end: builder.branch(end, 0), builder.leaf, builder.allowed,
    ]  # fmt: skip
    for end in (far, other.root, [builder.root], None):
        for step in steps:
            with refused(TreeError, subject="end", found=end):
                step(end)


def test_a_rule_must_fit_the_classes_and_be_one() -> None:
    builder = TreeBuilder(bt.datasets.load("figure1"))
    end = builder.buy(builder.root, 0)
    three = Model(Totals((0,), (np.zeros((3, 3), dtype=np.int32),), np.zeros(3, dtype=np.int64)))
    with refused(TreeError, subject="branch", found=3, expected=2):
        builder.branch(end, Split.by_confidence(three, 0.8))
    with refused(TreeError, subject="leaf", found=0.5):
        builder.leaf(end, 0.5)  # type: ignore[arg-type]
    builder.leaf(end)
    for n_cases in (-1, 2.5):
        with refused(TreeError, subject="n_cases", found=n_cases):
            builder.build(n_cases=n_cases)  # type: ignore[arg-type]


def read_again(tree: Tree) -> Tree:
    with tempfile.TemporaryDirectory() as folder:
        tree.to_json(Path(folder) / "m.json")
        return Tree.from_json(Path(folder) / "m.json")


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_any_tree_comes_back_from_its_file(seed: int) -> None:
    tree, _ = random_tree(seed)
    again, codes = read_again(tree), random_codes(tree, seed)
    assert again == tree
    assert (again.walk_codes(codes).probabilities == tree.walk_codes(codes).probabilities).all()


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_steps_that_seldom_fit_are_refused_or_come_back_from_a_file(seed: int) -> None:
    tree, n_fitting = odd_tree(seed)
    target(n_fitting)
    again, codes = read_again(tree), random_codes(tree, seed)
    assert again == tree
    assert (again.walk_codes(codes).answers == tree.walk_codes(codes).answers).all()


def test_a_tree_that_no_case_was_counted_in_comes_back() -> None:
    builder = TreeBuilder(bt.datasets.load("figure1").schema)
    stop, on = builder.branch(builder.buy(builder.root, 0), Split.by_confidence(Model(TWO), 0.9))
    builder.leaf(stop, Model(TWO))
    builder.leaf(on, Fixed((0.25, 0.75)))
    tree = builder.build()
    assert read_again(tree) == tree
    with refused(TreeError, subject="n_cases", found=5):
        builder.build(n_cases=5)


def test_a_leaf_without_known_cases_answers_as_the_nearest_node_above_with_some() -> None:
    builder = TreeBuilder(
        bt.Instance([[0, 0], [0, 1], [1, 1]], ["a", "b", "b"], outcome_names=[list("xyz"), list("pq")])
    )
    *_, never, unlisted = builder.branch(builder.buy(builder.root, 0), 0)
    for end in [*_, never, unlisted]:
        builder.leaf(end)
    tree = builder.build()
    assert tree.predict_codes([[2, 0], [9, 0]]).tolist() == ["b", "b"]
    assert tree.walk_codes([[2, 0]]).probabilities.tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]
