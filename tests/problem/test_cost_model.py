"""CostModel: what a path has spent, by brute force over every combination of results."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.problem import CostModel, PathState
from budgetree.problem.cost_model import NotAllowedError, Reason
from budgetree.problem.prices import at_cheapest


def random_costs(seed: int) -> CostModel:
    """Four tests of two to four outcomes, prices by outcome, up to three fees."""
    rng = np.random.default_rng(seed)
    outcomes = [[str(name) for name in range(n)] for n in rng.integers(2, 5, 4)]
    tests = {f"t{test}": {name: int(rng.integers(0, 7)) for name in names} for test, names in enumerate(outcomes)}
    shared = {
        f"f{fee}": (int(rng.integers(0, 5)), [f"t{test}" for test in np.flatnonzero(rng.random(4) < 0.6)])
        for fee in range(rng.integers(0, 4))
    }
    shared = {name: entry for name, entry in shared.items() if entry[1]}
    return bt.Prices(tests, shared=shared).bind(list(tests), outcomes)


def random_path(costs: CostModel, seed: int) -> list[tuple[int, set[int]]]:
    """Tests in order, each with the results that a branch leaves."""
    rng = np.random.default_rng(seed)
    tests = rng.permutation(4)[: rng.integers(0, 5)].tolist()
    return [(test, {0, *np.flatnonzero(rng.random(costs.n_outcomes[test] + 1) < 0.5).tolist()}) for test in tests]


def paid(costs: CostModel, results: list[tuple[int, int]]) -> int:
    """What one case pays, by the rules as a person reads them."""
    total, fees = 0, set[int]()
    for test, result in results:
        listed = costs.amounts[test, : costs.n_outcomes[test]].tolist()
        total += listed[result] if result < len(listed) else max(listed)
        fees |= {fee for fee in range(len(costs.fees)) if costs.flags[test] >> fee & 1}
    return total + sum(int(costs.fees[fee]) for fee in fees)


def state_of(costs: CostModel, path: list[tuple[int, set[int]]]) -> PathState:
    state = costs.start
    for test, results in path:
        state = costs.after_seeing(costs.after_buying(state, test), test, sum(1 << result for result in results))
    return state


@given(st.integers(0, 10**6))
@settings(max_examples=200)
def test_a_state_has_spent_what_its_costliest_case_has(seed: int) -> None:
    costs = random_costs(seed)
    path = random_path(costs, seed)
    tests = [test for test, _ in path]
    combinations = itertools.product(*(results for _, results in path))
    costliest = max(paid(costs, list(zip(tests, results, strict=True))) for results in combinations)
    state = state_of(costs, path)
    assert (state.spent, state.tests) == (costliest, tuple(tests))


@given(st.integers(0, 10**6))
@settings(max_examples=200)
def test_a_charge_is_the_difference_that_a_test_makes(seed: int) -> None:
    costs = random_costs(seed)
    path = random_path(costs, seed)
    state, before = state_of(costs, path), [(test, min(results)) for test, results in path]
    for test in set(range(4)) - set(state.tests):
        charge = [paid(costs, [*before, (test, r)]) - paid(costs, before) for r in range(costs.n_outcomes[test] + 1)]
        assert costs.charge(state, test).tolist() == charge
        assert costs.prices(state)[test] == max(charge)
        assert costs.after_buying(state, test).spent == state.spent + max(charge)
    assert not costs.prices(state)[list(state.tests)].any()


@given(st.integers(0, 10**6), st.integers(0, 25))
@settings(max_examples=200)
def test_what_is_allowed_is_not_refused_and_keeps_the_limit(seed: int, budget: int) -> None:
    costs = random_costs(seed).within(budget)
    state = state_of(costs, random_path(costs, seed))
    allowed = costs.allowed(state).tolist()
    assert allowed == [test for test in range(4) if costs.refusal(state, test) is None]
    assert all(costs.after_buying(state, test).spent <= costs.limit for test in allowed)
    for test in set(range(4)) - set(allowed):
        refusal = costs.refusal(state, test)
        assert refusal is not None
        assert (refusal.reason is Reason.BOUGHT) == (test in state.tests)
        assert refusal.subject == f"t{test}"


@given(st.integers(0, 10**6))
@settings(max_examples=100)
def test_a_state_that_dominates_may_buy_all_that_the_other_may(seed: int) -> None:
    costs = random_costs(seed).within(12)
    states = [state_of(costs, random_path(costs, seed + more)) for more in range(6)]
    for better, worse in itertools.product(states, states):
        if costs.dominates(better, worse):
            same_tests = PathState(better.spent, better.flags, worse.results)
            assert set(costs.allowed(worse)) <= set(costs.allowed(same_tests))
            assert (costs.prices(same_tests) <= costs.prices(worse)).all()


def test_many_paths_at_once_pay_what_each_pays() -> None:
    costs = random_costs(3)
    flags = np.arange(2 ** len(costs.fees))
    assert costs.surcharge(flags).tolist() == [costs.surcharge(int(mask)).tolist() for mask in flags]


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
    assert costs.depends_on_path
    assert costs.amount(costs.unit) == 2
    assert costs.amount(costs.highest_price) == 18
    assert [(costs.amount(units), tests) for units, tests in costs.shared] == [(10, {0, 2})]
    assert costs.described(str) == "tests cost 2 to 8, and draw 10"
    flat = bt.Prices(3, shared={"nothing": (0, ["a"])}).bind(names, outcomes)
    assert not flat.depends_on_path
    assert flat.described(str) == "every test costs 3, and nothing 0"


@given(st.integers(0, 10**6))
def test_another_order_changes_no_price(seed: int) -> None:
    costs, order = random_costs(seed), np.random.default_rng(seed).permutation(4)
    other = costs.reordered(order)
    assert other.test_names == tuple(costs.test_names[test] for test in order)
    path = random_path(costs, seed)
    place = np.argsort(order).tolist()
    here, there = state_of(costs, path), state_of(other, [(place[test], results) for test, results in path])
    assert (here.spent, here.flags) == (there.spent, there.flags)
    assert costs.prices(here)[order].tolist() == other.prices(there).tolist()


@given(st.integers(0, 10**6))
def test_at_their_cheapest_tests_share_the_same_fees(seed: int) -> None:
    costs = random_costs(seed)
    outcomes = [[str(name) for name in range(n)] for n in costs.n_outcomes]
    least = at_cheapest(costs).bind(costs.test_names, outcomes)
    factor = least.scale / costs.scale
    assert not least.depends_on_outcome
    assert [units * factor for units in costs.cheapest.tolist()] == least.costliest.tolist()
    assert [(units * factor, tests) for units, tests in costs.shared] == least.shared


def test_a_budget_computed_in_floats_buys_what_it_means() -> None:
    costs = bt.Prices({"a": 0.7, "b": 0.1}).bind(["a", "b"], [["0"], ["0"]])
    assert 0.1 + 0.7 < 0.8
    assert costs.budget_units(0.1 + 0.7) == costs.budget_units(0.8) == costs.budget_units(0.8 * (1 - 9e-13))
    assert costs.budget_units(0.8 * (1 - 2e-12)) < costs.budget_units(0.8)
