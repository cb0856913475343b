"""Routes: a cheaper tree takes the place of a budget's own only on evidence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.points import Frontier
from budgetree.learn.routes import REPLACED, _with_cheaper
from budgetree.learn.validation import Validation


@cache
def named_budgets() -> Frontier:
    return bt.frontier(bt.datasets.load("house_votes"), budgets=[1, 2, 3], folds=0, leaves="tree")


def with_places(frontier: Frontier, places: list[float]) -> Frontier:
    """Compared as if each budget were as much better than no test, in standard errors."""
    advantages = tuple(tuple(there - here for there in places) for here in places)
    judged = Validation((), 5, 5, 100, False, advantages=advantages)
    return _with_cheaper(replace(frontier, validation=judged), judged)


@given(places=st.lists(st.floats(-4, 4), min_size=4, max_size=4))
def test_a_cheaper_tree_that_is_better_by_enough_replaces_a_budgets_own(places: list[float]) -> None:
    named = named_budgets()
    found = with_places(named, places)
    best, kept = 0, []
    for index in range(4):
        best = index if places[index] > places[best] else best
        kept.append(best if places[best] - places[index] > REPLACED else index)
    assert [point.budget for point in found] == [0, 1, 2, 3]
    assert [point.candidate for point in found] == [named[index].candidate for index in kept]
    assert [point.known_least for point in found] == [point.known_least for point in named]
    assert np.shape(found.validation.advantages) == (4, 4)
    unnamed = with_places(replace(named, is_named=False), places)
    assert [point.budget for point in unnamed] == [index for index in range(4) if kept[index] == index]
    assert [point.candidate for point in unnamed] == [point.candidate for point in named if point.budget in set(kept)]


def test_a_budget_that_buys_worse_than_nothing_buys_nothing() -> None:
    rng = np.random.default_rng(3)
    codes, labels = rng.integers(0, 4, (300, 3)), rng.random(300) < 0.35
    found = bt.frontier(bt.Instance(codes, labels), budgets=[1, 3], leaves="model")
    for point, over in zip(found, found.validation.advantages, strict=True):
        assert max(over[: found.points.index(point) + 1]) <= REPLACED
    assert found.recommended is None
