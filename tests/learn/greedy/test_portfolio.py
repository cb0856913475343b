"""Portfolio: the core's trees are those grown level by level, with any memory."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.greedy.levels import grow_nodes
from budgetree.learn.greedy.portfolio import HINGED, Portfolio, join_steps
from budgetree.learn.greedy.rule import Settings
from budgetree.services.clock import Clock, OutOfTimeError
from sharding import sharded

greedy = partial(bt.frontier, method="greedy", folds=0)


@pytest.mark.parametrize("family", HINGED)
def test_bisection_finds_the_same_trees_in_the_core_and_level_by_level(family: Any) -> None:
    for name in ("house_votes", "pima", "mammographic", "soybean", "figure1"):
        instance = bt.datasets.load(name)
        unlimited = instance.schema.costs.budget_units(None)
        by_core, by_level = (list(Portfolio(of).hinged(family, unlimited)) for of in (instance, sharded(instance, 1)))
        assert len(by_core) > 1
        one, other = (join_steps([batch.steps for batch in found]) for found in (by_core, by_level))
        impurities, same = ([[tree.impurity for tree in of.trees] for of in found] for found in (by_core, by_level))
        assert impurities == same
        assert (one.summaries == other.summaries).all()
        assert (one.need == other.need).all()
        assert (one.gain == other.gain).all()


@pytest.mark.parametrize("cache_bytes", [0, 10_000, 300_000])
def test_little_memory_changes_nothing(cache_bytes: int) -> None:
    for name in ("house_votes", "soybean", "pima"):
        instance = bt.datasets.load(name)
        small = greedy(instance, cache_bytes=cache_bytes)
        assert [(p.max_cost, p.errors, p.source) for p in small] == [
            (p.max_cost, p.errors, p.source) for p in greedy(instance)
        ]


class Mine(bt.Impurity):
    """One that the core does not know."""

    admissible, exact, zero_only_if_pure = False, False, True

    def value(self, counts: Any) -> Any:
        return np.sum(counts, axis=-1) - np.max(counts, axis=-1)


def test_a_tree_in_the_making_is_given_up_when_the_time_is_over() -> None:
    instance, clock = bt.datasets.load("figure1"), Clock(0)
    portfolio = Portfolio(instance, clock=clock)
    assert len(portfolio.grow_all([Mine()], 10).steps) == 0
    assert len(portfolio.grow_one(Mine(), 10).steps) == 1, "which takes as long as it takes"
    settings = Settings(Mine().form(Fraction(1), 2), Fraction(0), 10, "worst", 1)
    with pytest.raises(OutOfTimeError):
        grow_nodes(sharded(instance, 3), settings, clock=clock)
    assert len(bt.frontier(instance, method="greedy", impurities=[Mine()], time_limit=0, folds=0)) > 1


def test_whose_time_is_over_goes_on_with_no_further_batch() -> None:
    instance, clock = sharded(bt.datasets.load("figure1"), 1), Clock(None)
    assert len(list(Portfolio(instance, clock=clock).hinged(bt.HingedPairs, 10))) > 1
    clock.interrupt()
    (batch,) = Portfolio(instance, clock=clock).hinged(bt.HingedPairs, 10)
    assert 1 <= len(batch.steps) <= 2
