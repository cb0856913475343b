"""Growth: what it sums up is what it would write out, and it looks at the clock while it does."""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.fit import cases_of
from budgetree.learn.predictive.growth import BuyingRule, Growth, Place
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock, OutOfTimeError


@pytest.fixture
def growth() -> Growth:
    instance = bt.datasets.load("pima", prices=bt.Prices({"age": 3}, default=2))
    cases = cases_of(instance)
    return Growth(Models(cases, Clock(None)), instance.schema.costs, deal(cases.labels, N_FOLDS, instance.case_ranks))


@pytest.mark.parametrize("rule", ["gain", "gain per price"])
@pytest.mark.parametrize("n_cases", [1, 7, 129, 300])
def test_totals_are_the_sums_of_scores_to_the_bit(growth: Growth, rule: BuyingRule, n_cases: int) -> None:
    place = Place(np.arange(n_cases), growth.prices.start)
    candidates = np.arange(len(growth.prices.costliest))
    totals = growth._totals(place, candidates, rule)
    assert totals.tolist() == growth._scores(place, candidates, rule).sum(axis=1).tolist()


def test_where_the_time_is_over_no_further_score_is_written(growth: Growth) -> None:
    place, candidates = Place(np.arange(300), growth.prices.start), np.arange(8)
    growth._totals(place, candidates, "gain")  # now the models are known, and fitting takes no time
    growth.models.clock = Clock(0)
    with pytest.raises(OutOfTimeError):
        growth._totals(place, candidates, "gain")
    assert growth.models.clock.ended_work
    assert growth.grow(6).test is None
    assert growth.first_tests(6) == []
