"""The greedy frontier: the best of the portfolio at every budget, and clear answers at the edges."""

from __future__ import annotations

import itertools
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from budgetree.distributed.cases import LocalCases
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES, HINGED, Portfolio
from budgetree.learn.settings import FitRequest
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import no_report
from budgetree.tree import Nodes
from sharding import sharded

NINE = bt.datasets.names()[:9]
greedy = partial(bt.frontier, method="greedy", folds=0)


def cases_for(grower: str, instance: bt.Instance) -> Any:
    """The cases so that one of the growers serves."""
    return instance if grower == "native" else LocalCases.of_instance(instance)


def trees_of_the_portfolio(instance: bt.Instance) -> list[bt.Tree]:
    impurities: list[bt.Impurity] = [bt.Powers(power) for power in (2, 3, 4, 5)]
    portfolio = Portfolio(instance)
    for family in HINGED:
        for batch in portfolio.hinged(family, instance.schema.costs.budget_units(None)):
            impurities += [tree.impurity for tree in batch.trees]
    return [bt.grow(instance, impurity) for impurity in impurities]


@pytest.mark.parametrize("name", NINE)
def test_no_tree_of_the_portfolio_beats_the_frontier_at_any_budget(name: str) -> None:
    instance = bt.datasets.load(name)
    frontier = greedy(instance)
    trees = trees_of_the_portfolio(instance)
    fewest = {}
    for point in frontier:
        fewest[point.max_cost] = min(tree.cut(point.max_cost).errors for tree in trees)
        assert point.errors == fewest[point.max_cost]
    budgets = [point.max_cost for point in frontier]
    for low, high in itertools.pairwise(budgets):  # nothing better in between
        between = low + (high - low) * 0.99
        assert min(tree.cut(between).errors for tree in trees) == fewest[low]


@pytest.mark.parametrize("name", NINE)
def test_the_frontier_is_at_least_as_good_as_every_curve(name: str) -> None:
    instance = bt.datasets.load(name)
    frontier = greedy(instance)
    for impurity in (bt.Powers(2), bt.Powers(3), bt.Powers(4), bt.Powers(5), bt.HingedPairs, bt.HingedProduct):
        for point in bt.tradeoff(instance, impurity):
            assert frontier.best(budget=point.max_cost).errors <= point.errors


@pytest.mark.parametrize("name", bt.datasets.names())
def test_each_points_tree_is_what_the_point_says(name: str) -> None:
    instance = bt.datasets.load(name)
    points = greedy(instance).points
    assert points[0].max_cost == 0
    for point in points:
        tree = point.tree
        assert (tree.max_cost, tree.errors) == (point.max_cost, point.errors)
        assert tree == tree.trim()
        assert tree.walk_codes(instance.codes).cost.max() == point.max_cost
        assert point.proven == (point.errors == point.lower_bound)
    costs, errors = [p.max_cost for p in points], [p.errors for p in points]
    assert costs == sorted(set(costs))
    assert errors == sorted(set(errors), reverse=True)


def test_the_papers_synthetic_example() -> None:
    frontier = greedy(bt.datasets.load("synthetic"))
    assert [(p.max_cost, p.errors) for p in frontier] == [(0, 768), (1, 512), (2, 4), (10, 0)]
    assert frontier.points[-1].proven


@pytest.mark.parametrize("grower", ["levels", "native"])
def test_any_prices_fees_and_weights(grower: str) -> None:
    rng = random.Random(8)
    for _ in range(40):
        instance = to_instance(reference.random_problem(rng))
        impurities = [bt.Powers(3), bt.HingedPairs, bt.HingedProduct]
        frontier = greedy(cases_for(grower, instance), impurities=impurities, progress=False)
        for point in frontier:
            assert point.tree.errors == pytest.approx(point.errors)
            assert point.tree.max_cost == pytest.approx(point.max_cost)
            assert frontier.best(budget=point.max_cost) is point
        last = frontier.points[-1]
        assert last.errors == pytest.approx(bt.grow(instance, bt.Powers(3)).errors)
        assert last.proven


def test_both_growers_find_the_same_frontier() -> None:
    for name in ("house_votes", "mammographic"):
        both = [cases_for(grower, bt.datasets.load(name)) for grower in ("levels", "native")]
        found = [[(p.max_cost, p.errors, p.source) for p in greedy(cases)] for cases in both]
        assert found[0] == found[1]


def test_free_tests_are_used_at_a_budget_of_nothing() -> None:
    instance = bt.Instance([[0, 0], [1, 0], [1, 1]], ["a", "b", "a"], prices={"0": 0, "1": 3})
    points = greedy(instance).points
    assert [(p.max_cost, p.errors, p.source != "single leaf") for p in points] == [(0, 1, False), (3, 0, True)]
    helpful = greedy(bt.Instance([[0, 0], [1, 0]], ["a", "b"], prices={"0": 0, "1": 3})).points
    assert [(p.max_cost, p.errors) for p in helpful] == [(0, 0)]
    assert helpful[0].source != "single leaf"
    assert helpful[0].tree.errors == 0


def test_threads_may_share_an_instance() -> None:
    instance = bt.datasets.load("boston")
    expected = [(p.max_cost, p.errors, p.source) for p in greedy(instance)]
    trees = [bt.grow(instance, bt.Powers(power)) for power in (2, 3, 4, 5)]
    with ThreadPoolExecutor(4) as pool:
        grown = pool.map(lambda power: bt.grow(instance, bt.Powers(power)), [2, 3, 4, 5] * 20)
        found = pool.map(lambda _: [(p.max_cost, p.errors, p.source) for p in greedy(instance)], range(8))
        assert list(grown) == trees * 20
        assert all(points == expected for points in found)


def test_max_budget_ends_the_frontier_and_never_makes_it_worse() -> None:
    instance = bt.datasets.load("pima")
    whole = greedy(instance)
    for budget in (0, 2, 5, 20, 24):
        limited = greedy(instance, max_budget=budget)
        assert limited.points[-1].max_cost <= budget
        assert limited.best(budget=budget).errors <= whole.best(budget=budget).errors
        for point in limited:
            assert point.tree.errors == point.errors
            assert point.tree.max_cost == point.max_cost


def test_equal_weights_change_nothing_but_the_unit() -> None:
    pima = bt.datasets.load("pima", prices=1)
    plain = [(p.max_cost, p.errors) for p in greedy(pima)]
    for weight in (1 / 1024, 0.5, 1024, 2.0**30):
        weighted = bt.Instance(pima.codes, pima.labels, weights=[weight] * pima.n_objects)
        assert [(p.max_cost, round(p.errors / weight)) for p in greedy(weighted)] == plain


def test_a_time_limit_returns_what_there_is() -> None:
    frontier = greedy(bt.datasets.load("dna"), time_limit=0)
    assert not frontier.complete
    assert "(ended early)" in frontier.to_text()
    assert frontier.points[-1].tree.errors == frontier.points[-1].errors


@pytest.mark.parametrize("impurities", [None, [bt.HingedPairs]])
@pytest.mark.parametrize("losses", [None, {"pos": 2}])
def test_from_shards_the_first_tree_may_end_early_and_says_so(impurities: Any, losses: Any, tmp_path: Path) -> None:
    instance = bt.datasets.load("pima").with_losses(losses)
    whole = bt.grow(instance)
    frontier = bt.frontier(sharded(instance, 3), impurities=impurities, max_budget=60, time_limit=0, objective="known")
    assert not frontier.complete
    assert len(frontier) > 1
    tree = frontier[-1].tree
    assert 1 < tree.n_leaves < whole.n_leaves
    assert str(tree.origin).startswith("greedy")
    assert "budget=60, ended early" in str(tree.origin)
    assert frontier[-1].source.endswith("budget=60, ended early")
    assert "The search ended early" in str(tree.statement)
    assert not tree.origin.is_whole_greedy
    for point in frontier:
        assert point.errors == np.count_nonzero(point.tree.walk_codes(instance.codes).answers != instance.labels)
    tree.to_json(tmp_path / "tree.json")
    assert bt.Tree.from_json(tmp_path / "tree.json").origin == tree.origin
    assert [point.tree for point in pickle.loads(pickle.dumps(frontier))] == [point.tree for point in frontier]


def test_points_that_are_cuts_of_one_tree_share_its_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = greedy(bt.datasets.load("pima"), impurities=[bt.Powers(2), bt.Powers(5)])
    grown: list[str] = []
    nodes = Portfolio.nodes

    def counting(portfolio: Portfolio, impurity: bt.Impurity, budget: int) -> Nodes:
        grown.append(repr(impurity))
        return nodes(portfolio, impurity, budget)

    monkeypatch.setattr(Portfolio, "nodes", counting)
    again = pickle.loads(pickle.dumps(frontier))
    assert [point.tree.errors for point in frontier] == [point.errors for point in frontier]
    sources = {point.source for point in frontier} - {"single leaf"}
    assert len(sources) < len(frontier) - 1
    assert sorted(grown) == sorted(sources)
    assert [point.tree for point in again] == [point.tree for point in frontier]


def test_whoever_can_do_without_a_tree_gets_none_when_the_time_is_over() -> None:
    instance = bt.datasets.load("dna")
    request = FitRequest(impurities=DEFAULT_IMPURITIES, needs_tree=False)
    with pytest.raises(OutOfTimeError):
        grow_frontier(instance, request, Clock(0), no_report)
    grown = grow_frontier(instance, replace(request, needs_tree=True), Clock(0), no_report)
    assert grown[-1].loss == bt.grow(instance).errors


def test_one_class_is_one_point() -> None:
    frontier = greedy(bt.Instance([[0], [1]], ["x", "x"]))
    assert [(p.max_cost, p.errors, p.proven) for p in frontier] == [(0, 0, True)]


def test_after_ctrl_c_no_tree_is_waited_for() -> None:
    instance = bt.datasets.load("house_votes")
    request = FitRequest(budget=instance.schema.costs.budget_units(5), impurities=DEFAULT_IMPURITIES)
    over, interrupted = Clock(0), Clock(None)
    interrupted.interrupt()
    assert [found.required_budget for found in grow_frontier(instance, request, interrupted, no_report)] == [0]
    assert len(grow_frontier(instance, request, over, no_report)) > 1
