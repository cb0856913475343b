"""frontier: what "auto" makes of time and size, exact beside greedy, and requests that are refused."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.routes import search_known
from budgetree.learn.settings import FitRequest
from budgetree.services.clock import Clock, WorkPlan

NINE = bt.datasets.names()[:9]
greedy = partial(bt.frontier, method="greedy", folds=0)


def points(frontier: bt.Frontier) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(str(point.max_cost)), Fraction(str(point.errors))) for point in frontier]


@pytest.mark.parametrize("name", [name for name in NINE if name != "dna"])
def test_the_sets_of_the_paper_are_proven_and_never_behind_greedy(name: str) -> None:
    instance = bt.datasets.load(name)
    exact = bt.frontier(instance, folds=0, objective="known")
    assert exact.complete
    assert all(point.proven for point in exact)
    for point in greedy(instance):
        assert exact.best(budget=point.max_cost).errors <= point.errors
    for point in exact:
        assert point.tree.errors == point.errors
        assert point.tree.max_cost == point.max_cost


def test_max_budget_ends_the_frontier() -> None:
    pima = bt.datasets.load("pima")
    whole = bt.frontier(pima, folds=0, objective="known")
    for budget in (0, 2, 5.5, 20, 24):
        limited = bt.frontier(pima, max_budget=budget, folds=0, objective="known")
        assert limited.complete
        assert points(limited) == [point for point in points(whole) if point[0] <= Fraction(str(budget))]


def test_auto_looks_ahead_where_the_data_are_too_large() -> None:
    pima = bt.datasets.load("pima")
    assert bt.frontier(pima, folds=0, objective="known").method == "exact search"
    assert bt.frontier(pima, impurities=[bt.Powers(3)], method="greedy", folds=0).method == "greedy"
    hopeless = Clock(10.0, plan=WorkPlan(auto_share=1e-9))
    large = search_known(FitRequest(every_budget=True, impurities=DEFAULT_IMPURITIES, threads=2), pima, hopeless, False)
    assert large.method == "greedy with lookahead, as 753 cases × 8 tests are too many for exact search in this time"
    assert large.method in large.to_text()
    without = bt.frontier(pima, method="greedy", folds=0)
    best = [(large.best(budget=point.max_cost).errors, point.errors) for point in without]
    assert all(ahead <= errors for ahead, errors in best)
    assert any(ahead < errors for ahead, errors in best)
    assert {point.source for point in large} >= {"single leaf", "lookahead"}


def test_impurities_may_be_chosen() -> None:
    instance = bt.datasets.load("house_votes")
    assert {p.source for p in greedy(instance, impurities=[bt.Powers(3)])} == {"single leaf", "Powers(3)"}
    one = greedy(instance, impurities=[bt.HingedPairs(5)])
    assert one.points[-1].errors == bt.grow(instance, bt.HingedPairs(5)).errors

    class Own(bt.Impurity):
        exact = True

        def value(self, counts: Any) -> Any:
            return counts.sum(axis=-1) ** 2 - (counts**2).sum(axis=-1)

    mixed = greedy(instance, impurities=[Own(), bt.Gini(), bt.Polynomial([(1, (1, 1))])])
    assert mixed.points[-1].errors == 0


def test_one_impurity_needs_no_list() -> None:
    instance = bt.datasets.load("figure1")
    assert greedy(instance, impurities=bt.HingedPairs)[-1].errors == 10
    assert greedy(instance, impurities=bt.Powers(3), time_limit=math.inf, cache_bytes=2**40).complete


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", "magic"),
        ("max_budget", -1),
        ("max_budget", -3),
        ("time_limit", -1),
        ("impurities", "Powers"),
        ("impurities", 3),
        ("impurities", ()),
        ("cache_bytes", "1GB"),
        ("cache_bytes", -1),
    ],
)
def test_bad_requests_are_refused(name: str, value: Any) -> None:
    with refused(SettingError, subject=name, found=value):
        greedy(bt.datasets.load("figure1"), **{name: value})


def test_impurities_are_impurities() -> None:
    with refused(SettingError, subject="impurity", found="pairs"):
        greedy(bt.datasets.load("figure1"), impurities=["pairs"])
