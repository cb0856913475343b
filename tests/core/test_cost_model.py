"""The core's CostModel and Python's give the same answers on every path."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import budgetree as bt
from _support.rules import dominates, random_problem
from budgetree._native import core
from budgetree.problem import CostModel, PathState

Step = tuple[int, int]  # a test, and the outcome that it shows


@st.composite
def cost_models(draw: st.DrawFn) -> CostModel:
    """Up to six tests of one to four outcomes; each fee is needed by any number of them."""
    outcomes = [[str(name) for name in range(n)] for n in draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))]
    names = [f"t{test}" for test in range(len(outcomes))]
    amount = st.one_of(st.integers(0, 9), st.decimals(0, 1000, places=2))
    tests = {name: {outcome: draw(amount) for outcome in of} for name, of in zip(names, outcomes, strict=True)}
    needing = draw(st.lists(st.sets(st.sampled_from(names), min_size=1), max_size=5))
    shared = {f"f{fee}": (draw(amount), sorted(tests)) for fee, tests in enumerate(needing)}
    return bt.Prices(tests, shared=shared).bind(names, outcomes)


@st.composite
def paths(draw: st.DrawFn, costs: CostModel) -> list[Step]:
    """Some of the tests in any order."""
    tests = draw(st.permutations(range(len(costs.n_outcomes))))[: draw(st.integers(0, len(costs.n_outcomes)))]
    return [(test, draw(st.integers(0, int(costs.n_outcomes[test]) - 1))) for test in tests]


def after(costs: CostModel, state: PathState, step: Step) -> PathState:
    return costs.after_seeing(costs.after_buying(state, step[0]), step[0], 1 << step[1])


@given(st.data())
@hypothesis_settings(max_examples=300)
def test_both_charge_the_same_on_every_path(data: st.DataObject) -> None:
    with_rules = st.integers(0, 10**6).map(lambda seed: random_problem(seed).costs)
    costs = data.draw(st.one_of(cost_models(), with_rules))
    native, in_python, in_core = core.CostModel(**costs.lowered), costs.start, core.PathState()
    for step in [*data.draw(paths(costs)), None]:
        for test in set(range(len(costs.n_outcomes))) - set(in_python.tests):
            charge = costs.charge(in_python, test)
            found = [native.charge(in_core, test, outcome) for outcome in range(charge.shape[1] - 1)]
            assert found == charge.T[:-1].tolist()
            assert native.most(in_core, test) == charge[:, -1].tolist() == charge.max(axis=1).tolist()
            assert native.price(charge[:, -1].tolist()) == costs.price(charge[:, -1].tolist())
            limit = max(0, in_python.spent[0] + int(charge[0, -1]) + data.draw(st.integers(-1, 1)))
            within = replace(costs, resources=(replace(costs.resources[0], limit=limit), *costs.resources[1:]))
            may_buy = native.may_buy(in_core, test, list(within.limits))
            assert may_buy == (within.refusal(in_python, test) is None)
        if step is not None:
            in_python, in_core = after(costs, in_python, step), native.after(in_core, *step)
        assert (in_core.spent[: len(in_python.spent)], in_core.flags) == (list(in_python.spent), in_python.flags)


@given(st.data())
@hypothesis_settings(max_examples=200)
def test_both_compare_states_alike(data: st.DataObject) -> None:
    costs = data.draw(cost_models())
    state = st.builds(
        PathState, st.tuples(st.integers(0, 3)), st.integers(0, 2 ** len(costs.fee_names) - 1), st.just(())
    )
    better, worse = data.draw(state), data.draw(state)
    found = core.CostModel.dominates(*(core.PathState(list(state.spent), state.flags) for state in (better, worse)))
    assert found == dominates(better, worse)


@pytest.mark.parametrize(("test", "outcome"), [(-1, 0), (2, 0), (0, -1), (0, 2)])
def test_what_is_not_on_the_list_is_refused(test: int, outcome: int) -> None:
    costs = core.CostModel(**bt.Prices(1).bind(["a", "b"], [["0", "1"]] * 2).lowered)
    for ask in (costs.charge, costs.after):
        with pytest.raises(ValueError, match="expected the number of"):
            ask(core.PathState(), test, outcome)
    if outcome == 0:
        with pytest.raises(ValueError, match="expected the number of a test"):
            costs.most(core.PathState(), test)
        with pytest.raises(ValueError, match="expected the number of a test"):
            costs.may_buy(core.PathState(), test, [1])


def test_the_largest_amounts_and_flags_arrive() -> None:
    names = [f"t{test}" for test in range(62)]
    shared = {name: (1, [name, "t0"]) for name in names}
    costs = bt.Prices(1, shared=shared).bind(names, [["0"]] * 62)
    native = core.CostModel(**costs.lowered)
    assert native.most(core.PathState(), 0) == [63]
    assert native.after(core.PathState(), 0, 0).flags == 2**62 - 1 == costs.after_buying(costs.start, 0).flags
    assert native.most(core.PathState([0], 2**62 - 2), 0) == [2]
