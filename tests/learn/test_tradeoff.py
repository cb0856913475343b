"""tradeoff: every δ from one growth, every α that bisection finds."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError

SETS = ["house_votes", "pima", "boston", "soybean"]


def facts(tree: bt.Tree) -> tuple:
    return tree.known_max_cost, pytest.approx(tree.mean_cost), tree.errors


@pytest.mark.parametrize("impurity", [bt.Pairs(), bt.Powers(4), bt.Gini()], ids=repr)
@pytest.mark.parametrize("name", SETS)
def test_each_point_is_the_tree_that_its_delta_grows(name: str, impurity: bt.Impurity) -> None:
    instance = bt.datasets.load(name)
    curve = bt.tradeoff(instance, impurity)
    assert curve.points[0].max_cost == 0
    assert curve.points[-1].tree == bt.grow(instance, impurity)
    for point in curve.points[:: max(1, len(curve) // 25)]:
        grown = bt.grow(instance, impurity, delta=point.parameter)
        assert point.tree == grown
        assert (point.known_max_cost, point.mean_cost, point.errors) == facts(grown)


def test_every_delta_is_on_the_curve() -> None:
    instance = bt.datasets.load("house_votes")
    curve = bt.tradeoff(instance, bt.Pairs())
    known = {(point.max_cost, point.errors) for point in curve}
    for delta in range(0, 30_000, 251):
        tree = bt.grow(instance, bt.Pairs(), delta=delta)
        assert (tree.max_cost, tree.errors) in known


def test_weights_prices_and_polynomials_have_curves_too() -> None:
    rng = random.Random(3)
    for _ in range(60):
        problem = reference.random_problem(rng)
        instance = to_instance(problem)
        terms = [(Fraction(1, 2), tuple(1 + (i == 0) for i in range(problem.n_classes)))]
        impurity = rng.choice([bt.Powers(3), bt.Entropy()] + [bt.Polynomial(terms)] * (problem.n_classes > 1))
        for point in bt.tradeoff(instance, impurity):
            grown = bt.grow(instance, impurity, delta=point.parameter)
            assert point.tree == grown
            assert (point.known_max_cost, point.mean_cost, point.errors) == facts(grown)
            assert point.max_cost == grown.max_cost
            assert (
                bt.frontier(instance, impurities=impurity, method="greedy", folds=0).best(budget=point.max_cost).errors
                <= point.errors
            )


def test_a_hinge_of_ones_own_is_stopped_like_any_function() -> None:
    class Own(bt.HingedPairs):
        pass

    assert bt.tradeoff(bt.datasets.load("figure1"), Own(8)).parameter_name == "delta"


def test_the_papers_synthetic_curve() -> None:
    points = {(p.max_cost, p.errors) for p in bt.tradeoff(bt.datasets.load("synthetic"), bt.Pairs())}
    assert {(0, 768), (1, 512), (2, 4), (10, 0)} <= points


@pytest.mark.parametrize("family", [bt.HingedPairs, bt.HingedProduct])
@pytest.mark.parametrize("name", SETS)
def test_bisection_stops_only_between_equals_or_close_neighbours(name: str, family: type) -> None:
    instance = bt.datasets.load(name)
    curve = bt.tradeoff(instance, family)
    points = curve.points
    assert points[0].max_cost == 0
    assert points[-1].parameter == 0
    for high, low in itertools.pairwise(points):
        assert high.parameter > low.parameter
        agree = (high.max_cost, high.errors) == (low.max_cost, low.errors)
        assert agree or high.parameter - low.parameter < 0.5
    for point in points[:: max(1, len(points) // 12)]:
        grown = bt.grow(instance, family(point.parameter))
        assert point.tree == grown
        assert (point.known_max_cost, point.mean_cost, point.errors) == facts(grown)
        assert point.epsilon == pytest.approx(point.parameter / instance.n_objects)


def test_a_hinged_object_stands_for_its_family() -> None:
    instance = bt.datasets.load("figure1")
    by_class, by_object = bt.tradeoff(instance, bt.HingedPairs), bt.tradeoff(instance, bt.HingedPairs(3))
    assert [p.parameter for p in by_class] == [p.parameter for p in by_object]


def test_one_class_is_one_point() -> None:
    instance = bt.Instance([[0], [1]], ["x", "x"])
    for impurity in (bt.Pairs(), bt.HingedPairs):
        assert {(p.max_cost, p.errors) for p in bt.tradeoff(instance, impurity)} == {(0, 0)}


def test_bad_requests_are_refused() -> None:
    with refused(SettingError, subject="instance", found=np.ndarray):
        bt.tradeoff(np.zeros((2, 2)), bt.Pairs())
    with refused(SettingError, subject="impurity", found="pairs"):
        bt.tradeoff(bt.datasets.load("figure1"), "pairs")
    with refused(SettingError, subject="impurity", found=bt.Pairs):
        bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs)
