"""finishing: growth leaves the time that making a tree takes."""

from __future__ import annotations

import pytest

import budgetree as bt
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.fit import best_growths, cases_of
from budgetree.learn.predictive.growth import Finishing, Growth
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock, WorkPlan

from .tables import random_instance


def growth_with(finishing: Finishing, clock: Clock) -> Growth:
    instance = random_instance(3, n_cases=150)
    cases = cases_of(instance)
    return Growth(
        Models(cases, clock), instance.schema.costs, deal(cases.labels, N_FOLDS, instance.case_ranks), finishing
    )


def test_a_clock_without_a_limit_has_none_before_it_either() -> None:
    assert Finishing(1e9).before(Clock(None), 1000).seconds_left is None


def test_what_finishing_takes_is_taken_from_the_clock() -> None:
    finishing = Finishing(seconds_per_visit=2.0, seconds_for_losses=100.0)
    assert finishing.seconds(50) == 200
    left = finishing.before(Clock(1000), 50).seconds_left
    assert left is not None
    assert left <= 800
    assert finishing.before(Clock(150), 50).is_over


def test_more_cases_classes_and_losses_take_longer() -> None:
    codes, labels = [[0], [1]] * 10, [0, 1, 2, 1] * 5
    small = Finishing.of(bt.Instance(codes[:4], [0, 1, 0, 1]), WorkPlan())
    classes = Finishing.of(bt.Instance(codes, labels), WorkPlan())
    losses = Finishing.of(bt.Instance(codes, labels, losses={0: 3}), WorkPlan())
    assert small.seconds(4) < classes.seconds(4) < losses.seconds(4)


@pytest.mark.parametrize("budget", [2, 4])
def test_growth_ends_when_the_time_left_is_needed_for_finishing(budget: int) -> None:
    free = growth_with(Finishing(), Clock(1000)).grow(budget)
    assert free.after is not None
    assert growth_with(Finishing(seconds_per_visit=1e6), Clock(1000)).grow(budget).after is None
    # Time for the root and one purchase more, whatever a case costs: then the paths end.
    n_cases = len(free.cases)
    one = growth_with(Finishing(seconds_per_visit=1000 / (1.5 * n_cases)), Clock(1000)).grow(budget)
    assert one.after is not None
    assert one.after.test is None


def test_rivals_do_not_use_up_what_the_first_growth_needs() -> None:
    n_cases = 150
    finishing = Finishing(seconds_per_visit=1000 / (1.5 * n_cases))
    growth = growth_with(finishing, Clock(1000))
    calls: list[int | None] = []

    class Counting(Growth):
        def grow(self, budget, rule="gain", first=None, rival=None):  # type: ignore[no-untyped-def]
            calls.append(first)
            return super().grow(budget, rule, first, rival)

    best_growths(Counting(growth.models, growth.prices, growth.folds, finishing), [3])
    assert calls == [None]
