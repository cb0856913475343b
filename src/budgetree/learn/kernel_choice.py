"""The greedy rule, compiled: scores all tests of a node side by side and picks one.

The twin is `rule.py`. All numbers are float64. Where no intermediate result passes 2**53 they are exact, and so are
the comparisons; beyond that every R has bounds, and a node whose best tests they cannot part is left UNSURE.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from budgetree.impurity.compiled import MOST, TOTAL, VALUE, impurities, largest_value
from budgetree.impurity.forms import GINI, HINGE
from budgetree.learn.rule import FLOAT_TIE

EXACT = 2.0**53
HALF_ULP = 2.0**-53
FLOAT_KINDS = GINI  # from this kind on, functions are compared with a tolerance

LEAF = -1
NO_SPLIT, UNSURE = -1, -2  # what a choice answers instead of a test
SETTLED, OWING, UNKNOWN = 0, 1, 2  # how a node stands to δ

# The rows of `facts`, one column per test, which no impurity changes: the number of outcomes present, and the weight
# that stays misclassified.
SHOWN, WRONG = 0, 1
N_FACTS = 2
# The rows of `scores`, one column per test. R is price / reduction; a reduction of 0 stands for an infinite R, a
# price of −1 for a test that is not offered or does not split. LOW and HIGH bound R where floats are not exact.
PRICE, REDUCTION, LOW, HIGH = 0, 1, 2, 3
N_SCORES = 4


@njit(cache=True, nogil=True, error_model="numpy")
def standing(kind, whole, error, delta):
    """SETTLED when the node owes at most δ, OWING when it owes more, UNKNOWN when floats cannot tell."""
    if kind >= FLOAT_KINDS:
        return SETTLED if whole <= delta * (1.0 + FLOAT_TIE) else OWING
    if not math.isfinite(error):
        return UNKNOWN
    if whole + error <= delta:
        return SETTLED
    return OWING if whole - error > delta else UNKNOWN


@njit(cache=True, nogil=True, error_model="numpy")
def error_bound(kind, numbers, roundings, total, n_classes, factor):
    """How far a computed value may be off on sets of up to `total` units: 0 when all fits into float64."""
    if kind >= FLOAT_KINDS:
        return 0.0
    largest = largest_value(kind, numbers, total, n_classes) * factor
    if largest <= EXACT:
        return 0.0
    return roundings * HALF_ULP * largest


@njit(cache=True, nogil=True, error_model="numpy")
def fees_due(fees, mask, fees_paid):
    """The fees of a test that a path has not paid yet."""
    due = 0
    for fee in range(len(fees)):
        if (mask >> fee) & 1 and not (fees_paid >> fee) & 1:
            due += fees[fee]
    return due


@njit(cache=True, nogil=True, error_model="numpy")
def perfect_test(codes, labels, order, start, end, dearest, fees, fee_mask, fees_paid, room, class_shown):
    """The first of the cheapest tests, if any, whose outcomes are all pure; LEAF if none.

    No R is below its price / F(G), and of the tests that reach it only others like it leave no error: the rule
    would choose this one. Most nodes of a tree are small, and there it saves counting.
    """
    cheapest = room + 1
    for test in range(len(dearest)):
        cheapest = min(cheapest, dearest[test] + fees_due(fees, fee_mask[test], fees_paid))
    if cheapest > room:
        return LEAF
    for test in range(len(dearest)):
        if dearest[test] + fees_due(fees, fee_mask[test], fees_paid) != cheapest:
            continue
        for position in range(start, end):
            class_shown[codes[order[position], test]] = labels[order[position]]
        pure = True
        for position in range(start, end):
            pure = pure and class_shown[codes[order[position], test]] == labels[order[position]]
        if pure:
            return test
    return LEAF


@njit(cache=True, nogil=True, error_model="numpy")
def tally_test(codes, labels, weights, order, start, end, test, n_outcomes, classes, n_present, cells, totals, values):
    """What counting would leave in the columns of a perfect test."""
    n_tests = codes.shape[1]
    for outcome in range(n_outcomes):
        cell = outcome * n_tests + test
        totals[TOTAL, cell] = 0.0
        values[VALUE, cell] = 0.0
        for i in range(n_present):
            cells[classes[i], cell] = 0.0
    for position in range(start, end):
        row = order[position]
        cell = np.int64(codes[row, test]) * n_tests + test
        weight = weights[row] if len(weights) else 1.0
        cells[labels[row], cell] += weight
        totals[TOTAL, cell] += weight
        totals[MOST, cell] = totals[TOTAL, cell]


@njit(cache=True, nogil=True, error_model="numpy")
def find_facts(totals, facts):
    """Per test, how many outcomes are present and how much stays misclassified."""
    n_tests = facts.shape[1]
    for test in range(n_tests):
        facts[SHOWN, test] = 0.0
        facts[WRONG, test] = 0.0
    for outcome in range(totals.shape[1] // n_tests):
        first = outcome * n_tests
        for test in range(n_tests):
            weight, most = totals[TOTAL, first + test], totals[MOST, first + test]
            shown, wrong = facts[SHOWN, test], facts[WRONG, test]
            facts[SHOWN, test] = shown + (1.0 if weight > 0.0 else 0.0)
            facts[WRONG, test] = wrong + (weight - most)


@njit(cache=True, nogil=True, error_model="numpy")
def score(
    own, same_price, dearest, fees, fee_mask, fees_paid, room, worst, total, whole, kind, error, facts, scores,
    totals, values,
):  # fmt: skip
    """Fill the scores; returns whether any test that is offered splits the node."""
    n_tests = scores.shape[1]
    width = totals.shape[1] // n_tests
    # Until the end REDUCTION holds what is kept: the most of any outcome, or the mean over outcomes times total.
    for test in range(n_tests):
        scores[REDUCTION, test] = 0.0
    for outcome in range(width):
        first = outcome * n_tests
        if worst:
            for test in range(n_tests):
                kept, largest = values[VALUE, first + test], scores[REDUCTION, test]
                scores[REDUCTION, test] = kept if kept > largest else largest
        else:
            for test in range(n_tests):
                kept, weight, mean = values[VALUE, first + test], totals[TOTAL, first + test], scores[REDUCTION, test]
                scores[REDUCTION, test] = mean + weight * kept
    nothing = FLOAT_TIE * whole if kind >= FLOAT_KINDS else 0.0
    splits = False
    if worst and same_price and error == 0.0:  # the usual case, in loops that vectorise
        for test in range(n_tests):
            gain = whole - scores[REDUCTION, test]
            scores[REDUCTION, test] = gain if gain > nothing else 0.0
        for test in range(n_tests):
            scores[PRICE, test] = own[0, test]
        for fee in range(len(fees)):
            if not (fees_paid >> fee) & 1:
                for test in range(n_tests):
                    scores[PRICE, test] += fees[fee] * ((fee_mask[test] >> fee) & 1)
        for test in range(n_tests):
            shown, cost = facts[SHOWN, test], scores[PRICE, test]
            scores[PRICE, test] = cost if shown >= 2.0 and cost <= room else -1.0
        for test in range(n_tests):
            splits = splits or scores[PRICE, test] >= 0.0
        return splits
    for test in range(n_tests):
        due = fees_due(fees, fee_mask[test], fees_paid) if len(fees) else 0
        if facts[SHOWN, test] < 2.0 or dearest[test] + due > room:
            scores[PRICE, test] = -1.0
            continue
        splits = True
        if worst and not same_price:
            _score_outcomes(test, own, due, whole, nothing, error, scores, totals, values)
            continue
        if worst:
            gain = whole - scores[REDUCTION, test]
            least = nothing
            scores[PRICE, test] = np.float64(dearest[test] + due)
        else:
            gain = total * whole - scores[REDUCTION, test]
            least = total * nothing
            mean = 0.0
            for outcome in range(width):
                mean += totals[TOTAL, outcome * n_tests + test] * (own[outcome, test] + due)
            scores[PRICE, test] = mean
        scores[REDUCTION, test] = gain if gain > least else 0.0
        if error > 0.0:
            scores[LOW, test] = _quotient(scores[PRICE, test], gain + error)
            scores[HIGH, test] = _quotient(scores[PRICE, test], gain - error)
    return splits


@njit(cache=True, nogil=True, error_model="numpy")
def _score_outcomes(test, own, due, whole, nothing, error, scores, totals, values):
    """The worst outcome of a test whose price depends on the outcome."""
    n_tests = scores.shape[1]
    price, reduction, low, high = 0.0, 1.0, 0.0, 0.0
    for outcome in range(totals.shape[1] // n_tests):
        cell = outcome * n_tests + test
        if totals[TOTAL, cell] == 0.0:
            continue
        cost = own[outcome, test] + due
        gain = whole - values[VALUE, cell]
        low = max(low, _quotient(cost, gain + error))
        high = max(high, _quotient(cost, gain - error))
        if gain <= nothing:
            reduction = 0.0
        elif reduction > 0.0 and _compare(cost, gain, price, reduction) > 0:
            price = cost
            reduction = gain
    scores[PRICE, test] = price
    scores[REDUCTION, test] = reduction
    scores[LOW, test] = low
    scores[HIGH, test] = high


@njit(cache=True, nogil=True, error_model="numpy")
def _quotient(price, reduction):
    return price / reduction if reduction > 0.0 else math.inf


@njit(cache=True, nogil=True, error_model="numpy")
def pick(kind, error, facts, scores):
    """The test with the smallest R, NO_SPLIT when every R is infinite, UNSURE when floats cannot tell."""
    if error > 0.0:
        return _pick_by_bounds(scores)
    if kind >= FLOAT_KINDS:
        return _pick_with_tolerance(facts, scores)
    best = NO_SPLIT
    price, reduction, wrong = 0.0, 1.0, 0.0
    for test in range(scores.shape[1]):
        if scores[PRICE, test] < 0.0 or scores[REDUCTION, test] == 0.0:
            continue
        order = -1
        if best != NO_SPLIT:
            order = _compare(scores[PRICE, test], scores[REDUCTION, test], price, reduction)
        if order < 0 or (order == 0 and facts[WRONG, test] < wrong):
            best = test
            price, reduction, wrong = scores[PRICE, test], scores[REDUCTION, test], facts[WRONG, test]
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _pick_with_tolerance(facts, scores):
    smallest = math.inf
    for test in range(scores.shape[1]):
        if scores[PRICE, test] >= 0.0 and scores[REDUCTION, test] > 0.0:
            smallest = min(smallest, scores[PRICE, test] / scores[REDUCTION, test])
    best = NO_SPLIT
    for test in range(scores.shape[1]):
        if scores[PRICE, test] < 0.0 or scores[REDUCTION, test] == 0.0:
            continue
        ties = scores[PRICE, test] / scores[REDUCTION, test] <= smallest * (1.0 + FLOAT_TIE)
        if ties and (best == NO_SPLIT or facts[WRONG, test] < facts[WRONG, best]):
            best = test
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def pick_by_pairs(
    cells, classes, n_present, n_classes, own, same_price, dearest, fees, fee_mask, fees_paid, room, worst, total,
    facts, scores, totals, values,
):  # fmt: skip
    """The choice by Pairs, which parts something whenever a test splits an impure node."""
    kind = np.int64(HINGE)  # a variable, and numbers an array of the usual type: a constant would be compiled anew
    numbers = np.zeros(3)
    numbers[0] = 1.0
    impurities(kind, numbers, cells, classes, n_present, totals, values)
    whole = total * total
    for i in range(n_present):
        in_class = 0.0
        for outcome in range(len(own)):  # any test's outcomes together are the whole node
            in_class += cells[classes[i], outcome * len(dearest)]
        whole -= in_class * in_class
    roundings = 4.0 * (n_classes * n_classes + 4)
    error = error_bound(kind, numbers, roundings, total, n_classes, 1.0 if worst else total)
    score(
        own, same_price, dearest, fees, fee_mask, fees_paid, room, worst, total, whole, kind, error, facts, scores,
        totals, values,
    )  # fmt: skip
    test = pick(kind, error, facts, scores)
    return test if test >= 0 else UNSURE


@njit(cache=True, nogil=True, error_model="numpy")
def _pick_by_bounds(scores):
    ceiling = math.inf
    for test in range(scores.shape[1]):
        if scores[PRICE, test] >= 0.0:
            ceiling = min(ceiling, scores[HIGH, test])
    if not math.isfinite(ceiling):
        return UNSURE
    best = UNSURE
    for test in range(scores.shape[1]):
        # The quotients are rounded too, hence the margin; written so that a NaN counts as a candidate.
        if scores[PRICE, test] >= 0.0 and not scores[LOW, test] > ceiling * (1.0 + 8.0 * HALF_ULP):
            if best != UNSURE:
                return UNSURE
            best = test
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _compare(price_a, reduction_a, price_b, reduction_b):
    """The sign of a's R minus b's, exactly: R is price / reduction, all whole numbers up to 2**53."""
    left = price_a * reduction_b
    right = price_b * reduction_a
    if left != right:
        return -1 if left < right else 1
    if left <= EXACT:
        return 0
    left_error = _product_error(price_a, reduction_b, left)
    right_error = _product_error(price_b, reduction_a, right)
    if left_error == right_error:
        return 0
    return -1 if left_error < right_error else 1


@njit(cache=True, nogil=True, error_model="numpy")
def _product_error(a, b, product):
    """a·b − fl(a·b), exactly (Dekker): each factor is split into halves whose products fit."""
    a_high = a * 134217729.0
    a_high = a_high - (a_high - a)
    b_high = b * 134217729.0
    b_high = b_high - (b_high - b)
    a_low = a - a_high
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
