"""Guarded starts: the greedy first test is sometimes a dead end, and its rivals rarely deserve to win."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.growth import BuyingRule, Growth, Place, cut, trim

N_RIVALS = 3  # the next-best first tests
MARGIN = 2.0  # standard errors by which a rival must be better


def best_growths(growth: Growth, budgets: list[int]) -> list[Place]:
    """Per budget, the growth to keep."""
    price = growth.prices.one_price
    if price is None:
        return [_unequal(growth, budget) for budget in budgets]
    # A growth to the largest budget is, cut short, what it would have been to any smaller one.
    largest = max(budgets)
    start = growth.grow(largest)
    starts = [start, *_rivals(growth, largest, "gain", start)]
    return [_guarded(growth, [cut(start, budget, price) for start in starts]) for budget in budgets]


def _unequal(growth: Growth, budget: int) -> Place:
    """The better of two whole growths, by gain and by gain per price; then the rivals of its first test."""
    rules: tuple[BuyingRule, ...] = ("gain", "gain per price")
    by_gain = growth.grow(budget, rules[0])
    grown = [(by_gain, rules[0]), (growth.grow(budget, rules[1], rival=by_gain), rules[1])]
    totals = [growth.models.cases.weights @ growth.loss(place) for place, _ in grown]
    place, rule = grown[int(np.argmin(totals))]
    return _guarded(growth, [place, *_rivals(growth, budget, rule, place)])


def _rivals(growth: Growth, budget: int, rule: BuyingRule, best: Place) -> list[Place]:
    """The growths from the next-best first tests, as far as the time goes."""
    rivals: list[Place] = []
    if growth.is_late(best):
        return rivals
    for test in growth.first_tests(budget, rule)[1 : N_RIVALS + 1]:
        if growth.is_late(best):
            break
        rivals.append(growth.grow(budget, rule, first=test, rival=best))
    return rivals


def _guarded(growth: Growth, starts: list[Place]) -> Place:
    """The first, unless another's honest loss is lower by some standard errors of the paired differences; trimmed."""
    weights = growth.models.cases.weights
    first = growth.loss(starts[0])
    best, most = starts[0], 0.0
    for rival in starts[1:]:
        gain = first - growth.loss(rival)
        total = float(weights @ gain)
        if total > most and total > MARGIN * _deviation(gain, weights):
            best, most = rival, total
    trim(best, growth.models)
    return best


def _deviation(gain: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    mean = weights @ gain / weights.sum()
    return float(np.sqrt(weights @ (gain - mean) ** 2))
