"""fit: the same answer from every door, no claim beyond the truth by brute force, and the right question by default."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run
from reference import Problem, random_problem
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.learn._fit import make_request
from budgetree.learn.exact.solver import BudgetResult, Solver
from budgetree.services.clock import Ended
from budgetree.tree.provenance import Objective, ProofState, Reason
from reference_exact import optimal_frontier


def fewest(problem: Problem, budget: Fraction) -> Fraction:
    return min(wrong for need, wrong in optimal_frontier(problem) if need <= budget)


def least_cost(problem: Problem, errors: Fraction) -> Fraction:
    return min(need for need, wrong in optimal_frontier(problem) if wrong <= errors)


def check_bounds(result: bt.Result, problem: Problem) -> None:
    """No claim of a result exceeds the truth."""
    schema, found = result.tree.schema, result.bounds
    assert found is not None
    within = Fraction(10**9) if found.within is None else Fraction(found.within) / schema.costs.scale
    assert schema.loss(found.least_loss) <= fewest(problem, within)
    allowed = result.tree.exact_loss
    if found.max_error is not None:
        allowed = found.max_error * sum(problem.weights) + Fraction(1, 10**9)
    assert Fraction(found.least_cost) / schema.costs.scale <= least_cost(problem, allowed)


@pytest.mark.parametrize("method", ["auto", "exact", "greedy"])
@pytest.mark.parametrize("seed", range(12))
def test_the_loss_is_that_of_brute_force_and_no_claim_exceeds_it(method: Any, seed: int) -> None:
    rng, problem = random.Random(seed), random_problem(random.Random(seed))
    instance = to_instance(problem)
    for budget in {Fraction(0), *(Fraction(rng.randrange(80), 10) for _ in range(4))}:
        result = bt.fit(instance, budget=budget, objective="known", method=method, folds=0)
        check_bounds(result, problem)
        assert result.bounds is not None
        assert result.bounds.within == instance.schema.costs.budget_units(budget)
        assert result.tree.exact_max_cost <= budget
        truth = fewest(problem, budget)
        assert result.tree.exact_loss >= truth
        assert result.proven == result.tree.statement.is_proven
        if method == "greedy":
            assert result.bounds.state is not ProofState.BOUNDED
        else:
            assert result.tree.exact_loss == truth
            assert result.tree.exact_max_cost == least_cost(problem, truth)
            assert (result.bounds.state, result.ended) == (ProofState.OPTIMAL, Ended.COMPLETE)


@pytest.mark.parametrize("method", ["exact", "greedy"])
@pytest.mark.parametrize("seed", range(12))
def test_the_cheapest_tree_for_an_error_against_brute_force(method: Any, seed: int) -> None:
    problem = random_problem(random.Random(seed))
    instance, total = to_instance(problem), sum(problem.weights)
    for _, wrong in optimal_frontier(problem):
        share = wrong / total
        try:
            result = bt.fit(instance, max_error=share, objective="known", method=method, folds=0)
        except SettingError:
            assert method == "greedy"  # no tree of the portfolio is so good
            continue
        check_bounds(result, problem)
        assert result.tree.exact_loss <= wrong + Fraction(1, 10**9)
        if method == "exact":
            assert result.tree.exact_max_cost == least_cost(problem, wrong)
            assert result.proven


@pytest.mark.parametrize("seed", range(6))
def test_whatever_ends_the_search_the_bound_is_about_the_budget_that_was_asked_for(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_problem(random.Random(seed), max_objects=12)
    instance, decide, n_left = to_instance(problem), Solver.decide, seed % 3

    def few_questions(solver: Solver, budget: int, cutoff: int) -> BudgetResult:
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise KeyboardInterrupt
        return decide(solver, budget, cutoff)

    monkeypatch.setattr(Solver, "decide", few_questions)
    result = bt.fit(instance, budget=6, objective="known", method="exact", folds=0)
    assert result.bounds is not None
    assert result.bounds.within == instance.schema.costs.budget_units(6)
    check_bounds(result, problem)
    if result.ended is not Ended.COMPLETE and not result.proven:
        assert "within a budget of 6" in str(result.tree.statement)


def test_a_claim_about_min_cases_is_made_only_for_what_was_searched() -> None:
    votes = bt.datasets.load("house_votes")
    searched = bt.fit(votes, budget=2, method="exact", min_cases=5, folds=0)
    assert searched.bounds is not None
    assert searched.bounds.min_cases == 5
    assert "at least 5 cases at every outcome" in str(searched.tree.statement)
    grown = bt.fit(votes, budget=2, method="greedy", min_cases=5, folds=0)
    assert grown.bounds is not None
    assert (grown.bounds.min_cases, grown.bounds.state) == (1, ProofState.NOT_SEARCHED)
    assert "at least 5" not in str(grown.tree.statement)


def test_no_errors_are_no_proof_that_nothing_is_cheaper() -> None:
    votes = bt.datasets.load("house_votes")
    grown = bt.fit(votes, max_error=0, objective="known", method="greedy", folds=0).tree
    assert grown.errors == 0
    least = "No tree without errors costs less than 1 in the worst case."  # two classes need two leaves
    assert str(grown.statement).startswith(f"not proven: {least}")
    exact = bt.fit(votes, max_error=0, objective="known", folds=0).tree
    assert str(exact.statement) == f"proven: No tree without errors costs less than {exact.max_cost} in the worst case."


def facts(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(capsys, *arguments, "--json"))
    return found


@pytest.mark.parametrize("objective", ["known", "new"])
def test_every_door_gives_the_same_tree_and_figures(
    objective: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.integers(0, 3, 150) for name in "abcd"})
    frame["class"] = np.where((frame["a"] + frame["b"] + (rng.random(150) < 0.2)) % 3 == 0, "ill", "well")
    frame.to_csv(tmp_path / "cases.csv", index=False)
    cases = bt.Instance.from_frame(frame, "class", duplicates="keep")
    result = bt.fit(cases, budget=2, objective=objective)
    model = tmp_path / "model.json"
    options = ("--target", "class", "--objective", objective)
    told = facts(capsys, "fit", str(tmp_path / "cases.csv"), *options, "--budget", "2", "-o", str(model))
    assert result.estimate is not None
    assert (told["errors"], told["max_cost"], told["proven"]) == (result.errors, result.max_cost, result.proven)
    assert (told["lower_bound"], told["new_error"]) == (result.lower_bound, result.estimate.new_error.error)
    assert bt.Tree.from_json(model) == result.tree
    point = bt.frontier(cases, objective=objective, budgets=[2]).best(budget=2)
    assert (point.tree, point.estimate) == (result.tree, result.estimate)
    assert point.tree.bounds == result.bounds
    listed = facts(capsys, "frontier", str(tmp_path / "cases.csv"), *options, "--budgets", "2")["points"][-1]
    assert (listed["errors"], listed["new_error"]) == (point.errors, point.new_error)
    made = {"known": bt.OptimalBudgetTreeClassifier, "new": bt.BudgetTreeClassifier}[objective](budget=2)
    classifier = made.fit(frame.drop(columns="class"), frame["class"])
    assert classifier.tree_ == result.tree
    assert classifier.tree_.errors == result.errors
    assert classifier.max_cost_ == result.max_cost


def sized(*sizes: int) -> bt.Instance:
    """Classes of so many rows each."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return bt.Instance(np.arange(len(labels))[:, None] % 200, labels.tolist())


@pytest.mark.parametrize(
    ("sizes", "objective", "reason"),
    [
        ((1, 1, 1), Objective.KNOWN, Reason.FACTS),
        ((2, 2, 50), Objective.KNOWN, Reason.FACTS),
        ((2, 3), Objective.NEW, Reason.ROWS),
        ((3, 3, 2), Objective.NEW, Reason.ROWS),
        ((1,), Objective.KNOWN, Reason.FACTS),
        ((50,), Objective.NEW, Reason.ROWS),
    ],
)
def test_a_list_of_facts_is_for_known_cases_and_other_tables_for_new(
    sizes: tuple[int, ...], objective: Objective, reason: Reason
) -> None:
    choice = make_request(sized(*sizes)).choice
    assert choice is not None
    assert (choice.objective, choice.reason) == (objective, reason)
    assert (choice.n_rows, choice.n_classes) == (sum(sizes), len(sizes))
    found = bt.frontier(sized(*sizes), objective="auto", folds=0)
    assert found.request.objective is objective
    assert str(found).splitlines()[0].startswith(f"objective: {objective} cases (")


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({"min_cases": 2}, "min_cases"),
        ({"method": "exact"}, "method"),
        ({"impurities": bt.Pairs()}, "impurities"),
        ({"max_error": 0}, "max_error 0"),
    ],
)
def test_what_is_only_about_known_cases_makes_them_the_objective(settings: dict[str, Any], setting: str) -> None:
    says_greedy = pytest.warns(UserWarning, match="impurities are named, so trees are grown greedily")
    with says_greedy if "impurities" in settings else nullcontext():
        choice = make_request(bt.datasets.load("pima"), **settings).choice
    assert choice is not None
    assert (choice.objective, choice.reason, choice.setting) == (Objective.KNOWN, Reason.SETTING, setting)


def test_an_error_on_new_cases_is_reached_by_the_cheapest_budget_that_does() -> None:
    votes = bt.datasets.load("house_votes")
    frontier = bt.frontier(votes, objective="new")
    errors = [point.new_error for point in frontier]
    assert errors[1] is not None
    result = bt.fit(votes, max_error=errors[1])
    assert result.point is not None
    assert (result.max_cost, result.point.new_error) == (frontier[1].max_cost, errors[1])
    assert result.objective is Objective.NEW
    with refused(SettingError, subject="max_error", found=0.0, expected=min(e for e in errors if e is not None)):
        bt.fit(votes, max_error=0, objective="new")
    with refused(SettingError, subject="max_error"):
        bt.fit(votes, max_error=0.1, folds=0)


def test_the_request_and_the_result_say_what_was_asked_and_found() -> None:
    votes = bt.datasets.load("house_votes")
    result = bt.fit(votes, budget=4.5, objective="known", folds=0)
    assert (result.request.budget, result.max_cost) == (4, 4)
    assert str(result.tree.statement).startswith("proven: No tree within a budget of 4 makes fewer errors.")
    assert "proven; worst case 4, the least budget for that" in repr(result)
    assert result.gap == 0
    anything = bt.fit(votes, objective="known", folds=0)
    assert str(anything.tree.statement).startswith("proven: No tree at any budget")
    new = bt.fit(votes, budget=1)
    assert (new.bounds, new.proven, new.lower_bound, new.gap) == (None, False, None, None)
    assert repr(new).startswith("Result(new cases: ")


@pytest.mark.parametrize("objective", ["known", "new"])
def test_each_named_budget_is_a_point(objective: Any) -> None:
    votes = bt.datasets.load("house_votes")
    found = bt.frontier(votes, budgets=[3, 1, 1.5], objective=objective, folds=2)
    assert [point.budget for point in found] == [0, 1, 1.5, 3]
    assert found[1].tree == found[2].tree
    assert found.columns[0] == "budget"
    assert [line.split()[0] for line in found.to_text().splitlines()[4:8]] == ["0", "1", "1.5", "3"]
    if objective == "known":
        whole = bt.frontier(votes, folds=0, objective="known")
        assert [point.errors for point in found] == [whole.best(budget=point.budget).errors for point in found]
        assert all(point.proven for point in found)
        for budget, least in found.bounds:
            assert least <= whole.best(budget=budget).errors
    for budgets in ([], "12", 5, [-1]):
        with refused(SettingError, subject="budgets"):
            bt.frontier(votes, budgets=budgets, objective="known")
    with refused(SettingError, subject="max_budget"):
        bt.frontier(votes, budgets=[1], max_budget=2, objective="known")


def test_beside_trees_for_new_cases_stand_the_fewest_errors_on_known_ones() -> None:
    votes = bt.datasets.load("house_votes")  # merged; both figures count rows
    found, known = (
        bt.frontier(votes, objective="new", max_budget=3, folds=0),
        bt.frontier(votes.recoded({}), folds=0, objective="known"),
    )
    assert [point.known_least for point in found] == [known.best(budget=point.budget).errors for point in found]
    assert all(point.known_proven for point in found)
    assert found.columns[-2:] == ("known_least", "known_proven")
    assert found.to_frame()["known_least"].tolist() == [point.known_least for point in found]
    assert f"{found[1].known_least}, proven" in found.to_text()
    assert all(point.known_least is None for point in known)


def test_that_outcomes_of_one_leaf_count_one_by_one_is_said() -> None:
    codes = np.repeat([0, 1, 2, 3], 3)[:, None]
    instance = bt.Instance(codes, np.repeat([0, 1], 6))
    free = bt.fit(instance, objective="known", folds=0).tree
    assert (free.errors, free.n_leaves) == (0, 2)  # as it is printed, of six cases each
    asked = bt.fit(instance, objective="known", min_cases=4, folds=0).tree  # four outcomes of three cases each
    assert asked.errors == 6
    assert "at every outcome were asked for; outcomes that share a leaf count one by one." in str(asked.statement)
