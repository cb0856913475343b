"""TreeBuilder: what it refuses, trees that were grown, and somebody else's algorithm in ten lines."""

from __future__ import annotations

import random

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from budgetree.errors import TreeError
from budgetree.learn.greedy.grow import grow_nodes
from budgetree.learn.greedy.rule import check_settings
from budgetree.problem.cost_model import NotAllowedError, Reason
from budgetree.tree import Fixed, Grown, Model, Nodes, Split, Totals, Tree, TreeBuilder
from budgetree.tree.builder import grown_of_nodes, nodes_of_grown
from built_trees import known_cases

seeds = st.integers(0, 10**6)


def grown(seed: int) -> tuple[bt.Instance, Grown]:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    return instance, grow_nodes(instance, check_settings(instance, bt.Pairs(), 0, None, "worst"))


def step_by_step(instance: bt.Instance, tree: Grown) -> Tree:
    """The same, by the builder's single steps, which count the cases again."""
    builder = TreeBuilder(instance)
    ends = {0: builder.root}
    for node in range(len(tree)):
        end = ends.pop(node)
        if tree.is_leaf[node]:
            builder.leaf(end)
            continue
        test = int(tree.test[node])
        children = tree.children(node, int(instance.schema.n_outcomes[test])).tolist()
        below = sorted({child for child in children if child >= 0})
        sides = [below.index(child) if child >= 0 else len(below) for child in [*children, -1]]
        *seen, unseen = builder.branch(builder.buy(end, test), Split.by_result(test, sides))
        ends |= zip(below, seen, strict=True)
        builder.leaf(unseen)
    return builder.build()


@given(seeds)
@settings(max_examples=80, deadline=None)
def test_a_grown_tree_is_what_single_steps_build(seed: int) -> None:
    instance, tree = grown(seed)
    at_once, by_steps = nodes_of_grown(instance.schema, tree), step_by_step(instance, tree).nodes
    for name, array in at_once.arrays.items():
        if name != "fallback":
            assert array.tolist() == by_steps.arrays[name].tolist(), name


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_a_grown_tree_comes_back(seed: int) -> None:
    instance, tree = grown(seed)
    again = grown_of_nodes(nodes_of_grown(instance.schema, tree))
    assert again is not None
    assert again.has_same_arrays(tree)


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
    with pytest.raises(NotAllowedError) as refused:
        builder.buy(builder.root, "colour")
    assert (refused.value.reason, refused.value.subject) == (Reason.LIMIT, "colour")
    builder = TreeBuilder(cases)
    end = builder.buy(builder.root, "age")
    with pytest.raises(NotAllowedError) as refused:
        builder.buy(end, "age")
    assert refused.value.reason is Reason.BOUGHT
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
