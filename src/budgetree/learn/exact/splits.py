"""Compiled: what one or two more tests make of a set of objects, counted object by object, for any outcomes and prices.

Tests are numbered by price here, cheapest first. Every function answers with whole numbers of weight and price units.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel

NEVER = np.int64(2**62)
NO_TEST = np.int64(-1)


@part_of_kernel
def fees_due(fee_mask, fees, fees_paid, test):
    """The shared fees that a path with these fees paid still owes for the test."""
    missing = fee_mask[test] & ~fees_paid
    due = np.int64(0)
    fee = 0
    while missing:
        if missing & 1:
            due += fees[fee]
        missing >>= 1
        fee += 1
    return due


@part_of_kernel
def affordable(tests, n_tests, dearest, fee_mask, fees, fees_paid, budget, chosen):
    """Writes the tests within the budget to `chosen`; how many, and the least price beyond the budget."""
    n_chosen = 0
    beyond = NEVER
    for i in range(n_tests):
        test = tests[i]
        price = dearest[test]
        if price <= budget:
            price += fees_due(fee_mask, fees, fees_paid, test)
        if price <= budget:
            chosen[n_chosen] = test
            n_chosen += 1
        else:
            beyond = min(beyond, price)
            if len(fees) == 0:
                break  # the others cost no less
    return n_chosen, beyond


@part_of_kernel
def count_splits(codes, labels, weights, objects, first, last, tests, n_tests, n_classes, width, cells, correct):
    """correct[i]: the weight that test i gets right when each of its outcomes becomes a leaf.

    cells holds, per test, width × n_classes weights and then each outcome's largest; a weight that passes its
    outcome's largest raises what is right by as much.
    """
    size = width * (n_classes + 1)
    for i in range(n_tests):
        correct[i] = 0
    for i in range(n_tests * size):
        cells[i] = 0
    tops = width * n_classes
    for position in range(first, last):
        row = objects[position]
        label = labels[row]
        weight = weights[row]
        for i in range(n_tests):
            outcome = codes[row, tests[i]]
            cell = i * size + outcome * n_classes + label
            top = i * size + tops + outcome
            held = cells[cell] + weight
            cells[cell] = held
            more = max(held - cells[top], 0)
            cells[top] += more
            correct[i] += more


@part_of_kernel
def tell_two_apart(codes, one, other, tests, n_tests):
    """The first test that shows different outcomes on the two objects, or NO_TEST."""
    for i in range(n_tests):
        if codes[one, tests[i]] != codes[other, tests[i]]:
            return tests[i]
    return NO_TEST


@part_of_kernel
def best_split(data, objects, first, last, total, leaf, least, tests, n_tests, cells, correct):
    """The fewest errors with at most one of the tests, and the first test that reaches them (NO_TEST: none helps)."""
    codes, labels, weights, n_classes, width = data
    if n_tests == 0:
        return leaf, NO_TEST
    if last - first == 2:
        test = tell_two_apart(codes, objects[first], objects[first + 1], tests, n_tests)
        return (leaf, NO_TEST) if test == NO_TEST else (least, test)
    count_splits(codes, labels, weights, objects, first, last, tests, n_tests, n_classes, width, cells, correct)
    best, best_test = leaf, NO_TEST
    for i in range(n_tests):
        wrong = total - correct[i]
        if wrong < best:
            best, best_test = wrong, tests[i]
    return best, best_test
