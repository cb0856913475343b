"""Many trees from shared sets, against one growth each; little memory, little time."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from _support.reference_growth import grow_in_numpy
from budgetree.learn.greedy.native import core_settings, native_instance
from budgetree.learn.greedy.portfolio import Steps, join_steps, steps_of_nodes
from budgetree.learn.greedy.rule import Settings
from budgetree.services.clock import Clock
from losing import random_losses

IMPURITIES = [
    *(bt.Powers(power) for power in (2, 3, 4, 5, 12)),
    *(family(alpha) for alpha in (0, 0.25, 1, 2.5, 4, 30) for family in (bt.HingedPairs, bt.HingedProduct)),
    bt.Gini(),
    bt.Entropy(),
]


def settings_for(instance: bt.Instance, budget: int) -> list[Settings]:
    forms = [each.form(instance.schema.weight_scale, instance.n_classes) for each in IMPURITIES]
    return [Settings(form, Fraction(0), budget, "worst") for form in forms]


class SharedPool:
    """The core's pool for an instance."""

    def __init__(self, instance: bt.Instance, cache_bytes: int) -> None:
        self._native = native_instance(instance)
        self._pool = self._native.pool(instance.schema.loss_table, cache_bytes)

    def steps(self, wanted: list[Settings], clock: Clock) -> Steps:
        with clock.in_core() as in_core:
            return Steps(*self._pool.grow([core_settings(self._native, settings) for settings in wanted], in_core))


def same(one: Steps, other: Steps) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("need", "gain", "summaries"))


@pytest.mark.parametrize("cache_bytes", [0, 4_000, 60_000, 2**28])
def test_steps_are_those_of_trees_grown_one_by_one(cache_bytes: int) -> None:
    rng = random.Random(cache_bytes)
    for _ in range(30):
        instance = to_instance(reference.random_problem(rng, max_objects=25))
        if rng.random() < 0.5:
            instance = instance.with_losses(random_losses(rng, instance.n_classes))
        budget = rng.choice([2**53, rng.randint(0, 20)])
        wanted = settings_for(instance, budget)
        nodes = [grow_in_numpy(instance, settings) for settings in wanted]
        apart = [steps_of_nodes(each, instance.schema.loss_table) for each in nodes]
        assert same(SharedPool(instance, cache_bytes).steps(wanted, Clock(None)), join_steps(apart))


@pytest.mark.parametrize("cache_bytes", [0, 100_000, 2**28])
@pytest.mark.parametrize("name", ["soybean", "boston", "house_votes"])
def test_a_pool_that_is_emptied_changes_nothing(name: str, cache_bytes: int) -> None:
    instance = bt.datasets.load(name)
    wanted = settings_for(instance, instance.schema.costs.budget_units(None))
    losses = instance.schema.loss_table
    apart = [steps_of_nodes(grow_in_numpy(instance, settings), losses) for settings in wanted]
    pool = SharedPool(instance, cache_bytes)
    for _ in range(2):  # the second time from what the first one left
        assert same(pool.steps(wanted, Clock(None)), join_steps(apart))


def test_the_trees_finished_in_time_are_the_first_ones() -> None:
    instance = bt.datasets.load("dna")
    wanted = settings_for(instance, instance.schema.costs.budget_units(None))
    whole = SharedPool(instance, 2**28).steps(wanted, Clock(None))
    assert len(SharedPool(instance, 2**28).steps(wanted, Clock(0.0))) == 0
    for seconds in (0.002, 0.005, 0.01):
        some = SharedPool(instance, 2**28).steps(wanted, Clock(seconds))
        assert np.array_equal(some.summaries, whole.summaries[: len(some)])
        assert np.array_equal(some.need, whole.need[: len(some.need)])


def test_progress_counts_trees() -> None:
    rng = np.random.default_rng(0)
    instance = bt.Instance(rng.integers(0, 3, (3000, 60)), rng.integers(0, 3, 3000))
    wanted = settings_for(instance, 6) * 6
    seen: list[int] = []
    steps = SharedPool(instance, 2**26).steps(wanted, Clock(None, lambda done, _: seen.append(done)))
    assert len(steps) == len(wanted)
    assert seen == sorted(seen)
    assert all(0 <= done <= len(wanted) for done in seen)


def test_what_a_tick_raises_arrives() -> None:
    rng = np.random.default_rng(0)
    instance = bt.Instance(rng.integers(0, 3, (3000, 60)), rng.integers(0, 3, 3000))

    def tick(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        SharedPool(instance, 2**26).steps(settings_for(instance, 60) * 20, Clock(None, tick))
