"""CostModel: what a path has spent, by brute force over every combination of results."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.rules import TESTS, Problem, dominates, random_problem
from budgetree.problem import CostModel, PathState
from budgetree.problem.cost_model import NotAllowedError, Reason, RuleKind


def random_path(problem: Problem, seed: int) -> list[tuple[int, set[int]]]:
    """Tests in order, each with the results that a branch leaves."""
    rng, costs = np.random.default_rng(seed), problem.costs
    tests = list(costs.begun.tests)
    for test in rng.permutation(len(TESTS))[: rng.integers(0, 5)].tolist():
        tests += [each for each in costs.given_by(test) if each not in tests]
    return [(test, {0, *np.flatnonzero(rng.random(costs.n_outcomes[test] + 1) < 0.5).tolist()}) for test in tests]


def paid(problem: Problem, results: list[tuple[int, int]]) -> list[int]:
    """Per resource, what one case takes, by the rules as a person reads them."""
    shown = {TESTS[test]: problem.outcomes[test][result : result + 1] for test, result in results}
    totals = []
    for name, amounts in zip(["price", *problem.prices.limits], problem.lists, strict=True):
        total = sum(fee.fee for fee in amounts.shared.values() if not shown.keys().isdisjoint(fee.tests))
        for panel in problem.prices.panels.values():
            taken = len(panel.tests) if name == "tests" else panel.amounts[name]
            total += taken if not shown.keys().isdisjoint(panel.tests) else 0
        for test, outcome in shown.items():
            price = amounts.tests.get(test, amounts.default or 0) if problem.panel(test) == [test] else Fraction(0)
            total += price if isinstance(price, Fraction) else price[outcome[0]] if outcome else max(price.values())
        totals.append(int(total))
    return totals


def may_follow(problem: Problem, path: list[tuple[int, set[int]]], test: str) -> bool:
    """Whether the order lets a test follow, whatever of these results a case shows."""
    left = {TESTS[each]: results for each, results in path}
    needed: list[tuple[str, Any]] = []
    for member in [*problem.panel(test), *(name for name, one in problem.prices.panels.items() if test in one.tests)]:
        needed += problem.prices.order.get(member, {}).items()
    first = [each for name in problem.prices.first for each in (TESTS[4:] if name == "lab" else [name])]
    needed += (
        [(each, None) for each in first[: first.index(test)] if each not in problem.panel(test)]
        if test in first
        else [(each, None) for each in first]
    )
    for before, wanted in needed:
        if before not in left:
            return False
        names = problem.outcomes[TESTS.index(before)]
        if wanted is not None and not left[before] <= {names.index(name) for name in wanted}:
            return False
    return True


def state_of(costs: CostModel, path: list[tuple[int, set[int]]]) -> PathState:
    state = costs.start
    for test, results in path:
        state = costs.after_seeing(costs.after_buying(state, test), test, sum(1 << result for result in results))
    return state


@given(st.integers(0, 10**6))
@settings(max_examples=200)
def test_a_state_has_spent_what_its_costliest_case_has(seed: int) -> None:
    problem = random_problem(seed)
    path = random_path(problem, seed)
    tests = [test for test, _ in path]
    combinations = itertools.product(*(results for _, results in path))
    totals = [paid(problem, list(zip(tests, results, strict=True))) for results in combinations]
    state = state_of(problem.costs, path)
    assert (state.spent, state.tests) == (tuple(np.max(totals, axis=0).tolist()), tuple(tests))


@given(st.integers(0, 10**6))
@settings(max_examples=200)
def test_a_charge_is_the_difference_that_a_test_makes(seed: int) -> None:
    problem = random_problem(seed)
    costs, path = problem.costs, random_path(problem, seed)
    state, before = state_of(costs, path), [(test, min(results)) for test, results in path]
    for test in set(range(len(TESTS))) - set(state.tests):
        shown = range(costs.n_outcomes[test] + 1)
        taken = (
            np.array([paid(problem, [*before, (test, r)]) for r in shown]).T - np.array(paid(problem, before))[:, None]
        )
        assert costs.charge(state, test).tolist() == taken.tolist()
        assert costs.prices(state)[test] == taken[0].max()
        after = costs.after_buying(state, test)
        assert after.spent == tuple((np.array(state.spent) + taken.max(axis=1)).tolist())
        for result in shown:
            one = costs.after_result(state, test, result)
            assert one.spent == tuple((np.array(state.spent) + taken[:, result]).tolist())
            assert one.flags == costs.after_seeing(after, test, 1 << result).flags
    assert not costs.prices(state)[list(state.tests)].any()


@given(st.integers(0, 10**6), st.integers(0, 40))
@settings(max_examples=300)
def test_what_is_allowed_is_what_the_rules_say(seed: int, budget: int) -> None:
    problem = random_problem(seed)
    costs = problem.costs.within(max(budget, problem.costs.least_budget))
    path = random_path(problem, seed)
    state = state_of(costs, path)
    allowed = costs.allowed(state).tolist()
    for test in range(len(TESTS)):
        refusal = costs.refusal(state, test)
        if test in state.tests:
            reason = Reason.BOUGHT
        elif not may_follow(problem, path, TESTS[test]):
            reason = Reason.ORDER
        elif any(map(int.__gt__, costs.after_buying(state, test).spent, costs.limits)):
            reason = Reason.LIMIT
        else:
            assert refusal is None
            assert (test in allowed) == (test == costs.given_by(test)[0])
            continue
        assert refusal is not None
        assert (refusal.reason, refusal.subject) == (reason, TESTS[test])
        assert test not in allowed


@given(st.integers(0, 10**6))
@settings(max_examples=100)
def test_a_state_that_dominates_may_buy_all_that_the_other_may(seed: int) -> None:
    problem = random_problem(seed)
    costs = problem.costs.within(max(20, problem.costs.least_budget))
    states = [state_of(costs, random_path(problem, seed + more)) for more in range(6)]
    for better, worse in itertools.product(states, states):
        if dominates(better, worse):
            same_tests = PathState(better.spent, better.flags, worse.results)
            assert set(costs.allowed(worse)) <= set(costs.allowed(same_tests))
            assert (costs.prices(same_tests) <= costs.prices(worse)).all()


def test_many_paths_at_once_pay_what_each_pays() -> None:
    costs = random_problem(2).costs
    flags = np.arange(2 ** len(costs.fee_names))
    assert len(flags) > 1
    assert costs.surcharge(flags).tolist() == [costs.surcharge(int(mask)).tolist() for mask in flags]


@given(st.integers(0, 10**6))
@settings(max_examples=100)
def test_a_panel_and_the_beginning_are_bought_whole(seed: int) -> None:
    costs = random_problem(seed).costs
    state = costs.start
    for test in costs.first:
        assert costs.missing(state) == test
        assert costs.refusal(state, test) is None or costs.refusal(state, test).reason is Reason.LIMIT  # type: ignore[union-attr]
        state = costs.after_buying(state, test)
    assert state == costs.begun
    for panel in costs.panels:
        if panel[0] not in state.tests:
            state = costs.after_buying(state, panel[0])
            assert costs.missing(state) == panel[1]
        state = costs.after_ordering(state, panel[0])
    assert costs.missing(state) is None


def test_a_refusal_says_what_it_is_about() -> None:
    costs = bt.Prices({"mri": 250, "ecg": 40}).bind(["mri", "ecg"], [["0", "1"]] * 2).within(280)
    refusal = costs.refusal(costs.after_buying(costs.start, 1), 0)
    assert isinstance(refusal, NotAllowedError)
    assert (refusal.reason, refusal.subject, refusal.found, refusal.expected) == (Reason.LIMIT, "mri", 290, 280)
    with pytest.raises(NotAllowedError, match="'ecg' was bought before"):
        raise costs.refusal(costs.after_buying(costs.start, 1), 1) or AssertionError


def test_what_is_known_of_all_paths() -> None:
    names, outcomes = ["a", "b", "c"], [["0", "1"]] * 3
    costs = bt.Prices({"a": 6, "b": {"0": 4, "1": 8}}, shared={"draw": (10, ["c", "a"])}, default=2)
    costs = costs.bind(names, outcomes)
    assert costs.rules == {RuleKind.FEES, RuleKind.OUTCOMES}
    assert costs.amount(costs.unit) == 2
    assert costs.amount(costs.highest_price) == 18
    assert ([costs.amount(units) for _, units in costs.named], costs.payers) == ([10], [{0, 2}])
    assert costs.described(str) == "tests cost 2 to 8, and draw 10"
    flat = bt.Prices(3, shared={"nothing": (0, ["a"])}).bind(names, outcomes)
    assert not flat.rules
    assert flat.described(str) == "every test costs 3, and nothing 0"


@given(st.integers(0, 10**6))
def test_another_order_changes_no_rule(seed: int) -> None:
    problem, order = random_problem(seed), np.random.default_rng(seed).permutation(len(TESTS))
    costs, other = problem.costs, problem.costs.reordered(order)
    assert other.test_names == tuple(costs.test_names[test] for test in order)
    path = random_path(problem, seed)
    place = np.argsort(order).tolist()
    here, there = state_of(costs, path), state_of(other, [(place[test], results) for test, results in path])
    assert (here.spent, here.flags) == (there.spent, there.flags)
    assert costs.prices(here)[order].tolist() == other.prices(there).tolist()
    assert {place[test] for test in costs.allowed(here)} == set(other.allowed(there).tolist())
    assert [place[test] for test in costs.first] == list(other.first)


@given(st.integers(0, 10**6))
def test_at_their_cheapest_tests_keep_all_other_rules(seed: int) -> None:
    problem = random_problem(seed)
    costs = problem.costs
    least = costs.at_cheapest
    factor = least.scale / costs.scale
    assert RuleKind.OUTCOMES not in least.rules
    assert least.rules == costs.rules - {RuleKind.OUTCOMES}
    assert [units * factor for units in costs.cheapest.tolist()] == least.costliest.tolist()
    assert (least.fees[0] == costs.fees[0] * float(factor)).all()
    assert least.payers == costs.payers
    for name in ("needs", "sets"):
        assert (getattr(least, name) == getattr(costs, name)).all()
    assert (least.amounts[1:] == costs.amounts[1:]).all()
    assert least.limits[1:] == costs.limits[1:]


def test_a_budget_computed_in_floats_buys_what_it_means() -> None:
    costs = bt.Prices({"a": 0.7, "b": 0.1}).bind(["a", "b"], [["0"], ["0"]])
    assert 0.1 + 0.7 < 0.8
    assert costs.budget_units(0.1 + 0.7) == costs.budget_units(0.8) == costs.budget_units(0.8 * (1 - 9e-13))
    assert costs.budget_units(0.8 * (1 - 2e-12)) < costs.budget_units(0.8)
