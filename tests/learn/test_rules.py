"""No case, seen or not, with any result missing or unknown, exceeds a limit or breaks the order, by any learner."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.rules import TESTS, Problem, assert_kept, check_rules, random_problem
from budgetree.errors import SettingError

LEARNERS: dict[str, Callable[[bt.Instance, int | None], bt.Tree]] = {
    "grow": lambda cases, budget: bt.grow(cases, budget=budget),
    "lookahead": lambda cases, budget: bt.grow(cases, budget=budget, lookahead=1),
    "greedy": lambda cases, budget: bt.fit(cases, budget=budget, objective="known", method="greedy").tree,
    "exact": lambda cases, budget: bt.optimal(cases, budget=budget).tree,
    "frontier": lambda cases, budget: bt.frontier(cases, max_budget=budget, objective="known", folds=0)[-1].tree,
    "points": lambda cases, budget: bt.predictive(cases, budget=budget, leaves="points"),
    "tree": lambda cases, budget: bt.predictive(cases, budget=budget, leaves="tree"),
    "model": lambda cases, budget: bt.predictive(cases, budget=budget, leaves="model"),
}


def cases_of(problem: Problem, rng: np.random.Generator, n_cases: int = 90) -> bt.Instance:
    codes = np.column_stack([rng.integers(0, len(names), n_cases) for names in problem.outcomes])
    labels = (codes[:, 0] + codes[:, 2] * codes[:, 5] + codes[:, 1] * codes[:, 3] + (codes[:, 4] > 0)) % 2
    return bt.Instance(codes, labels, test_names=TESTS, outcome_names=problem.outcomes, prices=problem.prices)


@pytest.mark.filterwarnings("ignore:prices. no path can buy")
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_keeps_the_rules(name: str, tmp_path: Path) -> None:
    n_bought, n_trees, refused = 0, 0, set[str]()
    for seed in range(8):
        rng, problem = np.random.default_rng(seed), random_problem(seed)
        cases = cases_of(problem, rng)
        for budget in (None, 14):
            try:
                tree = LEARNERS[name](cases, budget)
            except SettingError as error:  # the beginning takes more
                refused.add(str(error.subject).split()[0])
                continue
            check_rules(tree, rng, 60)
            tree.to_json(tmp_path / "tree.json")
            assert bt.Tree.from_json(tmp_path / "tree.json").costs == tree.costs
            assert budget is None or tree.max_cost <= budget
            n_bought, n_trees = n_bought + len(tree.tests_used), n_trees + 1
    assert n_trees >= 8
    assert refused <= {"budget", "limit"}
    assert n_bought > n_trees  # the rules leave something to do


@pytest.mark.filterwarnings("ignore:prices. no path can buy")
def test_no_consultation_of_a_learned_tree_breaks_a_rule() -> None:
    for seed in range(4):
        rng, problem = np.random.default_rng(seed), random_problem(seed)
        try:
            tree = bt.grow(cases_of(problem, rng))
        except SettingError:
            continue
        for _ in range(20):
            case = bt.Consultation(tree)
            while not case.done:
                case.unavailable() if rng.random() < 0.3 else case.answer(str(rng.choice(case.outcomes)))
            assert_kept(tree, [(step.test, step.outcome if step.available else None) for step in case.history], case)


def test_classifiers_keep_the_rules() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (120, 4))
    answers = (rows[:, 0] + rows[:, 1] * rows[:, 3]) % 2
    prices = bt.Prices(
        1, limits={"time": bt.Limit(6, {"x2": 5}, default=2)}, order={"x3": {"after": ["x1"]}}, first=["x0"]
    )
    for classifier in (
        bt.BudgetTreeClassifier(budget=3, prices=prices),
        bt.OptimalBudgetTreeClassifier(3, prices=prices),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = classifier.fit(rows, answers).tree_
        check_rules(tree, rng, 80)
        assert tree.costs["time"].worst <= 6


def test_a_limit_of_one_test_leaves_the_best_of_them() -> None:
    cases = cases_of(random_problem(0), np.random.default_rng(0)).priced(bt.Prices(1, limits={"tests": 1}))
    best = min(bt.optimal(cases.priced(bt.Prices({name: 1}, default=5)), budget=1).tree.errors for name in TESTS)
    assert bt.optimal(cases, budget=None).tree.errors == best


def test_a_beginning_beyond_the_budget_is_refused() -> None:
    cases = cases_of(random_problem(0), np.random.default_rng(0)).priced(bt.Prices(3, first=["t0", "t1"]))
    for learn in LEARNERS.values():
        with pytest.raises(SettingError, match="budget is 5; every path begins with 't0', 't1', which takes up to 6"):
            learn(cases, 5)


def test_what_no_path_can_buy_is_warned_of() -> None:
    rules = bt.Prices(1, limits={"time": bt.Limit(8, {"t1": 9}, default=0)})
    cases = cases_of(random_problem(0), np.random.default_rng(0)).priced(rules)
    with pytest.warns(UserWarning, match="no path can buy 't1'"):
        bt.grow(cases)


def test_a_frontier_for_new_cases_begins_with_what_every_path_does_first() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (200, 4))
    labels = (codes[:, 0] + codes[:, 1] > 2) ^ (rng.random(200) < 0.1)
    prices = bt.Prices({"b": 3}, default=1, first=["a"])
    frame = pd.DataFrame(codes, columns=list("abcd")).assign(y=labels)
    cases = bt.Instance.from_frame(frame, "y", prices=prices)
    frontier = bt.frontier(cases, budgets=[4, 5])
    assert [point.budget for point in frontier] == [1, 4, 5]
    assert frontier.recommended is frontier.enough
    for tree in (*(point.tree for point in frontier), bt.fit(cases, budget=4).tree):
        assert (np.char.find(["|".join(tests) for tests in tree.walk(frame).tests], "a") == 0).all()
