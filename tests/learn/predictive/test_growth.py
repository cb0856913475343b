"""Growth: within the budget, cut short as if it had grown so, and as far as the time goes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.predictive import growth as growth_module
from budgetree.learn.predictive.growth import Grown, Growth, Place, best_growth, trim
from budgetree.learn.predictive.judge import Judge
from budgetree.learn.predictive.sample import draw
from budgetree.services.clock import Clock, OutOfTimeError

from .tables import random_instance, random_prices, seeds


def growth_of(instance: bt.Instance, clock: Clock | None = None, threads: int = 1) -> Growth:
    return Growth(Judge(draw(instance), clock or Clock(None), threads), instance.schema.costs)


def both(grown: Grown) -> tuple[Place, Place]:
    return grown.chain, grown.policy


def shape(place: Place) -> object:
    if place.after is not None:
        return "buy", place.test, shape(place.after)
    if place.goes is not None:
        return "branch", place.test, place.goes.tolist(), [shape(side) for side in place.sides]
    return "end", place.state.tests


def places(root: Place) -> Iterator[Place]:
    yield root
    for place in root.following:
        yield from places(place)


def cut(place: Place, budget: int) -> Place:
    """A copy without what a smaller budget cannot pay, where every test costs 1."""
    if place.state.spent[0] + 1 > budget:
        return Place(place.cases, place.state)
    after = None if place.after is None else cut(place.after, budget)
    sides = tuple(cut(side, budget) for side in place.sides)
    return Place(place.cases, place.state, place.test, after, place.goes, sides)


def two_regions(n_cases: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """The first test says which of two others tells the class; within two tests only a branch can use that."""
    codes = np.random.default_rng(0).integers(0, 2, (n_cases, 4))
    return codes, np.where(codes[:, 0] == 1, codes[:, 1], 2 + codes[:, 2])


@given(seeds, st.integers(0, 120), st.sampled_from(["gain", "gain per price"]))
@settings(max_examples=30)
def test_no_path_exceeds_the_budget_and_every_case_ends_once(seed: int, tenths: int, rule: str) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    growth, units = growth_of(instance), instance.schema.costs.budget_units(tenths / 10)
    for root in (growth.grow(units, rule), *both(best_growth(growth, units))):  # type: ignore[arg-type]
        assert max(end.state.spent[0] for end in root.ends()) <= units
        assert sorted(np.concatenate([end.cases for end in root.ends()]).tolist()) == list(range(60))
        for place in places(root):
            assert len(set(place.state.tests)) == len(place.state.tests)
            if place.goes is not None:
                assert place.test in place.state.tests


@given(seeds)
@settings(max_examples=10)
def test_a_growth_cut_short_is_a_growth_to_less(seed: int) -> None:
    growth = growth_of(random_instance(seed, n_cases=150))
    whole = growth.grow(4)
    for budget in range(5):
        assert shape(cut(whole, budget)) == shape(growth.grow(budget))


@given(seeds)
@settings(max_examples=10)
def test_a_chain_has_no_branches_and_is_ordered_by_what_it_brings_per_price(seed: int) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    growth = growth_of(instance)
    root = growth.grow(instance.schema.costs.budget_units(9))
    (end,) = root.ends()
    chain = growth.ordered(end.state.tests)
    assert sorted(chain) == sorted(end.state.tests)
    if len(chain) > 1:
        before, *after = (float(loss.sum()) for loss in growth.judge.losses([(), *((test,) for test in chain)]))
        prices = instance.schema.costs.prices(instance.schema.costs.start)[chain]
        prices = np.maximum(prices, max(prices.max() * 1e-6, 1e-6))
        gains = (before - np.array(after)) / prices
        assert gains.argmax() == 0


def test_two_groups_that_need_different_tests_are_separated() -> None:
    codes, labels = two_regions()
    growth = growth_of(bt.Instance(codes, labels))
    root = best_growth(growth, 2).policy
    assert shape(root)[:2] == ("buy", 0)  # type: ignore[index]
    assert root.after is not None
    assert root.after.goes is not None
    assert {side.test for side in root.after.sides} == {1, 2}
    assert growth.total(root) < 0.1 * len(labels)


def test_a_branch_is_not_made_without_evidence() -> None:
    rng = np.random.default_rng(1)
    n_branches = 0
    for _ in range(10):
        labels = rng.integers(0, 2, 300)
        codes = labels[:, None] ^ (rng.random((300, 5)) < 0.3)  # all alike
        root = growth_of(bt.Instance(codes.astype(int), labels)).grow(3)
        n_branches += sum(place.goes is not None for place in places(root))
    assert n_branches <= 2


def test_what_does_no_good_is_trimmed() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 400)
    codes = np.column_stack([labels ^ (rng.random(400) < 0.05), rng.integers(0, 2, (400, 3))])
    growth = growth_of(bt.Instance(codes, labels))
    root = growth.grow(4)
    grown, before = len(list(places(root))), growth.total(root)
    assert trim(root, growth.judge) == pytest.approx(growth.total(root))
    assert growth.total(root) <= before
    assert len(list(places(root))) < grown
    for place in places(root):
        here = Place(place.cases, place.state)
        assert not place.following or trim(place, growth.judge) < trim(here, growth.judge)


def test_of_many_tests_the_best_of_a_first_look_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 400)
    codes = rng.integers(0, 2, (400, 30))
    codes[:, 17] = labels ^ (rng.random(400) < 0.1)
    growth = growth_of(bt.Instance(codes, labels))
    for most in (growth_module.MAX_CANDIDATES, 30):
        monkeypatch.setattr(growth_module, "MAX_CANDIDATES", most)
        candidates = growth._candidates(growth.root, "gain")
        assert len(candidates) == most
        assert 17 in candidates
        assert growth.grow(1).test == 17


@given(seeds)
@settings(max_examples=10)
def test_tests_that_are_named_are_bought_first(seed: int) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    (end,) = growth_of(instance).grow(instance.schema.costs.price_of_all, first=[3, 0]).ends()
    assert end.state.tests[:2] == (3, 0)


@pytest.mark.parametrize("prices", [1, bt.Prices({"age": 3}, default=2)], ids=["one price", "several"])
def test_where_the_time_is_over_paths_end_where_they_are(prices: object) -> None:
    instance = bt.datasets.load("pima", prices=prices)
    growth = growth_of(instance)
    growth.judge.clock = Clock(0)
    root = best_growth(growth, 6).policy
    assert shape(root) == ("end", ())
    growth.judge.clock = Clock(None)
    growth.grow(instance.schema.costs.highest_price)  # now the first step is known
    growth.judge.clock = Clock(0)
    root = best_growth(growth, 6).policy
    assert max(len(end.state.tests) for end in root.ends()) == 1
    assert growth.judge.clock.ended_work
    with pytest.raises(OutOfTimeError):
        growth.ordered([0, 1, 2])


def test_threads_change_nothing() -> None:
    instance = random_instance(6, n_cases=200, prices=random_prices(6))
    units = instance.schema.costs.budget_units(6)
    one, two = (best_growth(growth_of(instance, threads=threads), units) for threads in (1, 2))
    assert [shape(place) for place in both(one)] == [shape(place) for place in both(two)]
