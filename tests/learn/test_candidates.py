"""Candidates keeps exactly what nothing else beats; a tree found says what it really costs and gets wrong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.points import Candidate, Candidates, candidate_of, leaf_candidate


def _no_tree() -> bt.Tree:
    raise AssertionError("the tree was not asked for")


@given(points=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_only_what_nothing_else_beats_is_kept(points: list[tuple[int, int]]) -> None:
    trees = Candidates()
    for errors, need in points:
        trees.add(Candidate(errors, need, "", _no_tree))
    unbeaten = {
        (need, errors)
        for errors, need in points
        if not any(e <= errors and n <= need and (e, n) != (errors, need) for e, n in points)
    }
    assert [(found.required_budget, found.loss) for found in trees] == sorted(unbeaten)
    for budget in range(min(need for _, need in points), 10):
        assert trees.best(budget).loss == min(errors for errors, need in points if need <= budget)
    for errors in range(10):
        better = trees.next_better(errors)
        cheapest = min((need for e, need in points if e < errors), default=None)
        assert (None if better is None else better.required_budget) == cheapest


def test_a_tree_found_is_known_by_what_it_does() -> None:
    instance = bt.datasets.load("pima")
    tree = bt.grow(instance, budget=5)
    found = candidate_of(tree, "greedy")
    assert found.make() is tree
    assert instance.schema.costs.amount(found.required_budget) == tree.max_cost
    assert found.loss == tree.errors
    leaf = leaf_candidate(instance)
    assert (leaf.required_budget, leaf.loss) == (0, leaf.make().errors)
    assert leaf.make().n_leaves == 1
