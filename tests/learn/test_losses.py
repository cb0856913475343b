"""Losses, referral and leaves of several cases, in every verb, against a brute force that shares no code."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
import reference_losses as brute
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn.greedy.portfolio import AT_LEAVES, Portfolio, weigh_classes
from budgetree.problem.units import as_fraction
from budgetree.tree import Origin
from budgetree.tree.builder import grown_tree
from losing_problems import to_instance, to_tree

KINDS: dict[str, dict[str, Any]] = {
    "any": {},
    "binary": {"weights": False, "max_min_cases": 1},
    "heavy": {"weights": True, "denominators": (1, 5, 8)},
    "many": {"max_cases": 12, "prices_per_outcome": False},
}


def problems(kind: str, n: int, first: int = 0) -> list[brute.Problem]:
    return [brute.random_problem(random.Random(f"{kind}{seed}"), **KINDS[kind]) for seed in range(first, first + n)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_frontier_is_the_brute_forces(kind: str) -> None:
    for problem in problems(kind, 130):
        instance = to_instance(problem)
        found = bt.frontier(instance, method="exact", folds=0, min_cases=problem.min_cases)
        assert [(p.tree.exact_max_cost, p.tree.exact_loss) for p in found] == brute.frontier(problem)
        assert [p.loss for p in found] == pytest.approx([float(loss) for _, loss in brute.frontier(problem)])
        assert all(point.proven for point in found)
        for point in found:
            tree = to_tree(point.tree)
            assert point.tree.trim() is point.tree  # no test on which no answer depends
            assert brute.follows_rules(problem, tree, point.tree.exact_max_cost) == []
            assert brute.loss_of(problem, tree) == point.tree.exact_loss
            assert brute.need_of(problem, tree) == point.tree.exact_max_cost
            assert brute.errors_of(problem, tree) == point.tree.exact_errors
            assert as_fraction(point.errors) == pytest.approx(point.tree.exact_errors)


@pytest.mark.parametrize("kind", KINDS)
def test_optimal_has_the_least_loss_and_the_least_worst_case_for_it(kind: str) -> None:
    for problem in problems(kind, 40, first=1000):
        steps = brute.frontier(problem)
        for budget in (*(need for need, _ in steps), None):
            found = bt.optimal(to_instance(problem), budget=budget, min_cases=problem.min_cases)
            need, least = [step for step in steps if budget is None or step[0] <= budget][-1]
            assert (found.tree.exact_max_cost, found.tree.exact_loss) == (need, least)
            assert found.proven
            assert found.complete
            assert found.gap == 0


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_frontiers_never_beat_the_optimum_and_say_what_their_trees_lose(kind: str) -> None:
    for problem in problems(kind, 30, first=2000):
        found = bt.frontier(to_instance(problem), method="greedy", folds=0, min_cases=problem.min_cases)
        for point in found:
            tree = point.tree
            assert brute.least_loss(problem, tree.exact_max_cost) <= tree.exact_loss == pytest.approx(point.loss)
            assert brute.follows_rules(problem, to_tree(tree), tree.exact_max_cost) == []
            assert as_fraction(point.lower_bound) <= brute.frontier(problem)[-1][1]


@pytest.mark.parametrize("kind", KINDS)
def test_grow_is_the_brute_forces_greedy_tree(kind: str) -> None:
    for problem in problems(kind, 60, first=3000):
        budget = brute.frontier(problem)[-1][0]
        expected = brute.greedy_tree(problem, budget, [Fraction(1)] * problem.n_classes)
        tree = bt.grow(to_instance(problem), budget=budget, min_cases=problem.min_cases)
        assert to_tree(tree) == expected
        assert tree.exact_loss == brute.loss_of(problem, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_classes_weighted_by_their_largest_losses_grow_the_brute_forces_tree(kind: str) -> None:
    n_weighted = 0
    for problem in problems(kind, 60, first=4000):
        instance = to_instance(problem)
        weights = weigh_classes(instance)
        if weights is None:
            continue
        n_weighted += 1
        budget = brute.frontier(problem)[-1][0]
        portfolio = Portfolio(instance, min_cases=problem.min_cases, weights=weights)
        nodes = portfolio.nodes(bt.Pairs(), instance.schema.costs.budget_units(budget))
        factors = [Fraction(int(factor)) for factor in weights.factors]
        tree = grown_tree(instance.schema, nodes, instance.n_objects, Origin())
        assert to_tree(tree) == brute.greedy_tree(problem, budget, factors)
        batch = portfolio.grow_all([bt.Pairs()], instance.schema.costs.budget_units(budget))
        assert batch.steps.summaries[:, AT_LEAVES].tolist() == [tree.nodes.loss]
    assert n_weighted > 20


def test_trees_grown_with_weighted_classes_compete() -> None:
    instance = bt.datasets.load("wdbc").with_losses({"malignant": 50})
    frontier = bt.frontier(instance, method="greedy", folds=0)
    weighted = [point for point in frontier if "classes weighted" in point.source]
    assert weighted
    assert all(str(point.tree.origin).count("classes weighted") == 1 for point in weighted)


def test_without_losses_loss_is_errors() -> None:
    for point in bt.frontier(bt.datasets.load("house_votes"), folds=0, objective="known"):
        assert point.loss == point.errors
        assert point.referred == 0


def test_a_frontier_with_losses_says_loss_and_does_not_answer_for_errors() -> None:
    instance = bt.datasets.load("house_votes").with_losses(bt.Losses(answers={"refer": 0.2}))
    frontier = bt.frontier(instance, folds=0, max_budget=2, objective="known")
    assert list(frontier.to_frame().columns)[1:4] == ["errors", "loss", "referred"]
    assert frontier[0].referred == instance.class_order.total
    assert frontier[0].errors == 0
    with refused(SettingError, subject="max_error", found=0.1):
        frontier.cheapest(max_error=0.1)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3", None])
def test_min_cases_is_a_whole_number(wrong: Any) -> None:
    instance = bt.datasets.load("house_votes")
    for verb in (bt.grow, bt.optimal, bt.frontier):
        with refused(SettingError, subject="min_cases", found=wrong):
            verb(instance, min_cases=wrong, **({"budget": 2} if verb is bt.optimal else {}))


def test_trees_for_new_cases_have_no_min_cases() -> None:
    with refused(SettingError, subject="min_cases", found=2):
        bt.frontier(bt.datasets.load("house_votes"), objective="new", min_cases=2)


def test_what_is_proven_of_large_leaves_says_so(tmp_path: Path) -> None:
    tree = bt.optimal(bt.datasets.load("house_votes"), budget=2, min_cases=30).tree
    assert min(tree.nodes.counts[tree.nodes.is_reached].sum(axis=1)) >= 30
    assert "at least 30 cases at every outcome" in str(tree.statement)
    tree.to_json(tmp_path / "model.json")
    again = bt.Tree.from_json(tmp_path / "model.json")
    assert (again.bounds, again.origin) == (tree.bounds, tree.origin)
