"""Compiled: which tests are worth trying first at a set, and the least that several of them cost."""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.splits import NEVER, NO_TEST, count_splits, fees_due


@part_of_kernel
def insert(score, ranked, n_ranked, own_score, test):
    """Puts the test before all of higher score, behind its equals; how many there are now."""
    at = n_ranked
    while at > 0 and score[at - 1] > own_score:
        score[at] = score[at - 1]
        ranked[at] = ranked[at - 1]
        at -= 1
    score[at] = own_score
    ranked[at] = test
    return n_ranked + 1


@part_of_kernel
def offer(test, money, fees_paid, budget, own_score, score, ranked, n_ranked, beyond, free):
    """Ranks a test that splits the set, if affordable; how many are, the least price beyond, a free test if any."""
    price = money[1][test] + fees_due(money[3], money[4], fees_paid, test)
    if price > budget:
        return n_ranked, min(beyond, price), free
    return insert(score, ranked, n_ranked, own_score, test), beyond, test if price == 0 and free == NO_TEST else free


@part_of_kernel
def rank(data, money, order, first, last, tests, n_tests, fees_paid, budget, cells, correct, score, still, ranked):
    """Which tests split the set (to `still`), which are affordable, the most promising first (to `ranked`).

    Promising is what leaves the fewest pairs of objects of different classes together. Returns how many of each, the
    least price beyond the budget, and a free test if there is one: it is always worth doing.
    """
    codes, labels, weights, n_classes, width = data
    n_outcomes = money[2]
    count_splits(codes, labels, weights, order, first, last, tests, n_tests, n_classes, width, cells, correct)
    size = width * (n_classes + 1)
    n_still = n_ranked = np.int64(0)
    beyond = NEVER
    free = NO_TEST
    for i in range(n_tests):
        pairs = 0.0
        n_shown = 0
        for outcome in range(n_outcomes[tests[i]]):
            together = 0.0
            squares = 0.0
            for c in range(n_classes):
                held = float(cells[i * size + outcome * n_classes + c])
                together += held
                squares += held * held
            pairs += together * together - squares
            n_shown += together > 0
        if n_shown < 2:
            continue
        test = np.int64(tests[i])
        still[n_still] = test
        n_still += 1
        n_ranked, beyond, free = offer(test, money, fees_paid, budget, pairs, score, ranked, n_ranked, beyond, free)
    return n_still, n_ranked, beyond, free


@part_of_kernel
def describe_chain(tests, n_tests, dearest, cheapest, chain):
    """What chains of tests cost at least: the least last price, the two least prices, and whose the least is."""
    chain[0] = chain[1] = chain[2] = NEVER // 4
    chain[3] = NO_TEST
    for i in range(n_tests):
        test = tests[i]
        chain[0] = min(chain[0], dearest[test])
        price = cheapest[test]
        if price < chain[1]:
            chain[2] = chain[1]
            chain[1] = price
            chain[3] = test
        elif price < chain[2]:
            chain[2] = price
