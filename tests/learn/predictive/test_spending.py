"""Paid: what the costliest answers that lead to a place have cost."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given

from budgetree.learn.predictive.growth import Paid

from .tables import random_instance, random_prices, seeds


@given(seeds)
def test_units_are_the_cost_of_the_costliest_answers(seed: int) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    table, rng = instance.schema.table, np.random.default_rng(seed)
    paid = Paid()
    for test in rng.permutation(instance.n_tests)[:3].tolist():
        more = int(paid.prices_of_more(table)[test])
        bought = paid.buy(test, int(instance.schema.n_outcomes[test]), table)
        assert bought.units == paid.units + more
        answers = rng.random(int(instance.schema.n_outcomes[test]) + 1) < 0.5
        answers[rng.integers(len(answers))] = True
        paid = bought.given(test, answers, table)
        assert paid.units <= bought.units
    costs = []
    fees = sum(int(fee) for at, fee in enumerate(table.fees) if any(table.fee_mask[t] >> at & 1 for t in paid.tests))
    own = []
    for test, answers in zip(paid.tests, paid.answers, strict=True):
        prices = [*table.own[test, : len(answers) - 1], table.costliest[test]]
        own.append({int(price) for price, may in zip(prices, answers, strict=True) if may})
    costs = [fees + sum(prices) for prices in itertools.product(*own)]
    assert paid.units == max(costs)


def test_a_test_that_is_paid_costs_nothing_more() -> None:
    instance = random_instance(1, prices=random_prices(1))
    table = instance.schema.table
    paid = Paid().buy(3, int(instance.schema.n_outcomes[3]), table)
    assert paid.prices_of_more(table)[3] == 0
    assert paid.prices_of_more(table)[0] == table.costliest[0]  # they share the blood draw, which is paid
