"""The growth kernel: counting, choosing and splitting in one compiled loop.

Nodes are numbered breadth first, so the array of nodes is its own queue. A node is a range of `order`, sorted by
class inside; splitting is a stable sort of the range by outcome, which keeps that so. The kernel decides by itself
wherever float64 holds all the numbers exactly. Where it does not (large powers of large counts) it decides by error
bounds, and hands a node whose best tests lie too close together back to the exact rule.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from budgetree.counts.kernels import count_node
from budgetree.impurity.compiled import MOST, TOTAL, VALUE, add_up, impurities, largest_value
from budgetree.impurity.forms import GINI, HINGE
from budgetree.learn.rule import FLOAT_TIE

EXACT = 2.0**53
HALF_ULP = 2.0**-53
FLOAT_KINDS = GINI  # from this kind on, functions are compared with a tolerance
PAIRS_NUMBERS = np.array([1.0, 0.0, 0.0])

DONE, FULL, UNDECIDED = 0, 1, 2
NEXT, N_NODES, N_BRANCHES, FORCED = 0, 1, 2, 3  # the places in `state`
LEAF = -1
NOT_FORCED = -2
NO_SPLIT, UNSURE = -1, -2  # what the choice answers instead of a test
FEW_OBJECTS = 8  # up to here a test that settles everything is likely enough to look for it first
NOTHING_TO_SORT = -1  # the start of a leaf whose objects were never put together

# The rows of `scores`, one column per test. R is price / reduction; a reduction of 0 stands for an infinite R, a
# price of −1 for a test that is not offered or does not split. LOW and HIGH bound R where floats are not exact.
PRICE, REDUCTION, LOW, HIGH, WRONG, SHOWN = 0, 1, 2, 3, 4, 5
N_SCORES, N_SET_ROWS = 6, 4


@njit(cache=True, nogil=True, error_model="numpy")
def grow_nodes(data, money, function, settings, nodes, work, state):
    """Grow until DONE, until the node arrays are FULL, or until a node is UNDECIDED.

    data       codes, labels, weights, n_outcomes, block_levels
    money      own prices by outcome, whether none depends on the outcome, dearest, fees, fee_mask, the cheapest test
    function   kind, numbers, roundings
    settings   delta, budget, worst
    nodes      test, parent, start, end, paid, fees_paid, counts, owes, first_branch, branches, fallback
    work       order, spare, shown, tallies, lanes, classes, class_shown, scores, sets (a column per outcome and test)
    """
    codes, labels, weights, n_outcomes, block_levels = data
    own, same_price, dearest, fees, fee_mask, cheapest = money
    kind, numbers, roundings = function
    delta, budget, worst = settings
    test_of, parent, start, end, paid, fees_paid, counts, owes, first_branch, branches, fallback = nodes
    order, spare, shown, tallies, lanes, classes, class_shown, scores, sets = work
    n_classes, width, n_tests = tallies.shape
    cells = tallies.reshape(n_classes, width * n_tests)
    if state[NEXT] == 0:
        owes[0] = _impurity(kind, numbers, counts[0])

    while state[NEXT] < state[N_NODES]:
        node = state[NEXT]
        if state[N_NODES] + width > len(test_of) or state[N_BRANCHES] + width > len(branches):
            return FULL
        test = state[FORCED]
        state[FORCED] = NOT_FORCED
        if test != LEAF and start[node] != NOTHING_TO_SORT:
            n_present = 0
            total = 0.0
            for c in range(n_classes):
                if counts[node, c] > 0:
                    classes[n_present] = c
                    n_present += 1
                    total += counts[node, c]
            if test == NOT_FORCED:
                test = LEAF
                if n_present > 1 and paid[node] + cheapest <= budget:
                    error = _error_bound(kind, numbers, roundings, total, n_classes, 1.0)
                    standing = _standing(kind, owes[node], error, delta)
                    if standing == UNDECIDED:
                        return UNDECIDED
                    if standing == FULL:
                        room = budget - paid[node]
                        _set_prices(dearest, fees, fee_mask, fees_paid[node], room, scores)
                        if same_price and kind < FLOAT_KINDS and end[node] - start[node] <= FEW_OBJECTS:
                            test = _perfect_test(codes, labels, order, start[node], end[node], scores, class_shown)
                        if test != LEAF:
                            _tally_test(
                                codes, labels, weights, order, start[node], end[node], test, n_outcomes[test],
                                classes, n_present, cells, sets,
                            )  # fmt: skip
                        else:
                            count_node(
                                codes, labels, weights, order, start[node], end[node], counts[node], block_levels,
                                tallies, lanes,
                            )  # fmt: skip
                            add_up(cells, classes, n_present, sets)
                            impurities(kind, numbers, cells, classes, n_present, sets)
                            error = _error_bound(kind, numbers, roundings, total, n_classes, 1.0 if worst else total)
                            if _score(own, same_price, worst, total, owes[node], kind, error, dearest, scores, sets):
                                test = _pick(kind, error, scores)
                                if test == NO_SPLIT:  # every R is infinite: Pairs chooses
                                    test = _pick_by_pairs(
                                        cells, classes, n_present, total, n_classes, own, same_price, dearest, fees,
                                        fee_mask, fees_paid[node], room, worst, scores, sets,
                                    )  # fmt: skip
                                    fallback[node] = True
                                    impurities(kind, numbers, cells, classes, n_present, sets)
                                if test == UNSURE:
                                    return UNDECIDED
            else:
                count_node(
                    codes, labels, weights, order, start[node], end[node], counts[node], block_levels, tallies, lanes
                )
                add_up(cells, classes, n_present, sets)
                impurities(kind, numbers, cells, classes, n_present, sets)
        else:
            test = LEAF
        test_of[node] = test
        state[NEXT] = node + 1
        if test == LEAF:
            continue

        spent = paid[node] + _fees_due(fees, fee_mask[test], fees_paid[node])
        first_branch[node] = state[N_BRANCHES]
        going_on = False
        for outcome in range(n_outcomes[test]):
            branch = state[N_BRANCHES]
            state[N_BRANCHES] = branch + 1
            branches[branch] = -1
            cell = outcome * n_tests + test
            if sets[TOTAL, cell] > 0.0:
                child = state[N_NODES]
                state[N_NODES] = child + 1
                branches[branch] = child
                parent[child] = node
                for c in range(n_classes):
                    counts[child, c] = np.int64(cells[c, cell]) if counts[node, c] > 0 else 0
                owes[child] = sets[VALUE, cell]
                paid[child] = spent + np.int64(own[outcome, test])
                fees_paid[child] = fees_paid[node] | fee_mask[test]
                start[child] = NOTHING_TO_SORT
                first_branch[child] = -1
                fallback[child] = False
                impure = sets[MOST, cell] < sets[TOTAL, cell]
                going_on = going_on or (impure and paid[child] + cheapest <= budget)
        if going_on:
            ends = _sort_by_outcome(codes, order, spare, shown, start[node], end[node], test, n_outcomes[test])
            position = start[node]
            for outcome in range(n_outcomes[test]):
                child = branches[first_branch[node] + outcome]
                if child >= 0:
                    start[child] = position
                    position = start[node] + ends[outcome]
                    end[child] = position
    return DONE


@njit(cache=True, nogil=True, error_model="numpy")
def _impurity(kind, numbers, node_counts):
    """The form on one set of objects."""
    counts = node_counts.astype(np.float64).reshape(len(node_counts), 1)
    classes = np.flatnonzero(node_counts)
    one = np.empty((N_SET_ROWS, 1))
    add_up(counts, classes, len(classes), one)
    impurities(kind, numbers, counts, classes, len(classes), one)
    return one[VALUE, 0]


@njit(cache=True, nogil=True, error_model="numpy")
def _standing(kind, whole, error, delta):
    """DONE when the node owes at most δ, FULL when it owes more, UNDECIDED when floats cannot tell."""
    if kind >= FLOAT_KINDS:
        return DONE if whole <= delta else FULL
    if not math.isfinite(error):
        return UNDECIDED
    if whole + error <= delta:
        return DONE
    return FULL if whole - error > delta else UNDECIDED


@njit(cache=True, nogil=True, error_model="numpy")
def _error_bound(kind, numbers, roundings, total, n_classes, factor):
    """How far a computed value may be off on sets of up to `total` units: 0 when all fits into float64."""
    if kind >= FLOAT_KINDS:
        return 0.0
    largest = largest_value(kind, numbers, total, n_classes) * factor
    if largest <= EXACT:
        return 0.0
    return roundings * HALF_ULP * largest


@njit(cache=True, nogil=True, error_model="numpy")
def _fees_due(fees, mask, fees_paid):
    due = 0
    for fee in range(len(fees)):
        if (mask >> fee) & 1 and not (fees_paid >> fee) & 1:
            due += fees[fee]
    return due


@njit(cache=True, nogil=True, error_model="numpy")
def _set_prices(dearest, fees, fee_mask, fees_paid, left, scores):
    """Per test, the price of its dearest outcome with the fees due, or −1 where that exceeds what is left."""
    for test in range(len(dearest)):
        cost = dearest[test]
        if len(fees):
            cost += _fees_due(fees, fee_mask[test], fees_paid)
        scores[PRICE, test] = np.float64(cost) if cost <= left else -1.0


@njit(cache=True, nogil=True, error_model="numpy")
def _perfect_test(codes, labels, order, start, end, scores, class_shown):
    """The first of the cheapest tests, if any, whose outcomes are all pure; LEAF if none.

    No R is below its price / F(G), and of the tests that reach it only others like it leave no error: the rule
    would choose this one. Most nodes of a tree are small, and there it saves counting.
    """
    cheapest = math.inf
    for test in range(scores.shape[1]):
        if scores[PRICE, test] >= 0.0:
            cheapest = min(cheapest, scores[PRICE, test])
    for test in range(scores.shape[1]):
        if scores[PRICE, test] != cheapest:
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
def _tally_test(codes, labels, weights, order, start, end, test, n_outcomes, classes, n_present, cells, sets):
    """What counting would leave in the columns of a perfect test."""
    n_tests = codes.shape[1]
    for outcome in range(n_outcomes):
        cell = outcome * n_tests + test
        sets[TOTAL, cell] = 0.0
        sets[VALUE, cell] = 0.0
        for i in range(n_present):
            cells[classes[i], cell] = 0.0
    for position in range(start, end):
        row = order[position]
        cell = np.int64(codes[row, test]) * n_tests + test
        weight = weights[row] if len(weights) else 1.0
        cells[labels[row], cell] += weight
        sets[TOTAL, cell] += weight
        sets[MOST, cell] = sets[TOTAL, cell]


@njit(cache=True, nogil=True, error_model="numpy")
def _score(own, same_price, worst, total, whole, kind, error, dearest, scores, sets):
    """Fill the scores of the tests that are offered; returns whether any of them splits the node."""
    n_tests = scores.shape[1]
    width = sets.shape[1] // n_tests
    for test in range(n_tests):
        scores[REDUCTION, test] = 0.0
        scores[WRONG, test] = 0.0
        scores[SHOWN, test] = 0.0
    for outcome in range(width):
        first = outcome * n_tests
        for test in range(n_tests):
            weight, most = sets[TOTAL, first + test], sets[MOST, first + test]
            shown, wrong = scores[SHOWN, test], scores[WRONG, test]
            scores[SHOWN, test] = shown + (1.0 if weight > 0.0 else 0.0)
            scores[WRONG, test] = wrong + (weight - most)
        # Until the end REDUCTION holds what is kept: the most of any outcome, or the mean over outcomes times total.
        if worst:
            for test in range(n_tests):
                kept, largest = sets[VALUE, first + test], scores[REDUCTION, test]
                scores[REDUCTION, test] = kept if kept > largest else largest
        else:
            for test in range(n_tests):
                scores[REDUCTION, test] += sets[TOTAL, first + test] * sets[VALUE, first + test]
    nothing = FLOAT_TIE * whole if kind >= FLOAT_KINDS else 0.0
    splits = False
    for test in range(n_tests):
        if scores[PRICE, test] < 0.0:
            continue
        if scores[SHOWN, test] < 2.0:
            scores[PRICE, test] = -1.0
            continue
        splits = True
        if worst and not same_price:
            _score_outcomes(test, own, scores[PRICE, test] - dearest[test], whole, nothing, error, scores, sets)
            continue
        if worst:
            gain = whole - scores[REDUCTION, test]
            least = nothing
        else:
            gain = total * whole - scores[REDUCTION, test]
            least = total * nothing
            due = scores[PRICE, test] - dearest[test]
            mean = 0.0
            for outcome in range(width):
                mean += sets[TOTAL, outcome * n_tests + test] * (own[outcome, test] + due)
            scores[PRICE, test] = mean
        scores[REDUCTION, test] = gain if gain > least else 0.0
        if error > 0.0:
            scores[LOW, test] = _quotient(scores[PRICE, test], gain + error)
            scores[HIGH, test] = _quotient(scores[PRICE, test], gain - error)
    return splits


@njit(cache=True, nogil=True, error_model="numpy")
def _score_outcomes(test, own, due, whole, nothing, error, scores, sets):
    """The worst outcome of a test whose price depends on the outcome."""
    n_tests = scores.shape[1]
    price, reduction, low, high = 0.0, 1.0, 0.0, 0.0
    for outcome in range(sets.shape[1] // n_tests):
        cell = outcome * n_tests + test
        if sets[TOTAL, cell] == 0.0:
            continue
        cost = own[outcome, test] + due
        gain = whole - sets[VALUE, cell]
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
def _pick(kind, error, scores):
    """The test with the smallest R, NO_SPLIT when every R is infinite, UNSURE when floats cannot tell."""
    if error > 0.0:
        return _pick_by_bounds(scores)
    smallest = math.inf
    if kind >= FLOAT_KINDS:
        for test in range(scores.shape[1]):
            if scores[PRICE, test] >= 0.0 and scores[REDUCTION, test] > 0.0:
                smallest = min(smallest, scores[PRICE, test] / scores[REDUCTION, test])
    best = NO_SPLIT
    for test in range(scores.shape[1]):
        if scores[PRICE, test] < 0.0 or scores[REDUCTION, test] == 0.0:
            continue
        order = -1
        if kind >= FLOAT_KINDS:
            if scores[PRICE, test] / scores[REDUCTION, test] > smallest * (1.0 + FLOAT_TIE):
                continue
            order = 0 if best != NO_SPLIT else -1
        elif best != NO_SPLIT:
            order = _compare(scores[PRICE, test], scores[REDUCTION, test], scores[PRICE, best], scores[REDUCTION, best])
        if order < 0 or (order == 0 and scores[WRONG, test] < scores[WRONG, best]):
            best = test
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _pick_by_pairs(
    cells, classes, n_present, total, n_classes, own, same_price, dearest, fees, fee_mask, fees_paid, left, worst,
    scores, sets,
):  # fmt: skip
    """The choice by Pairs, which parts something whenever a test splits an impure node."""
    impurities(HINGE, PAIRS_NUMBERS, cells, classes, n_present, sets)
    whole = total * total
    for i in range(n_present):
        in_class = 0.0
        for outcome in range(len(own)):  # any test's outcomes together are the whole node
            in_class += cells[classes[i], outcome * len(dearest)]
        whole -= in_class * in_class
    roundings = 4.0 * (n_classes * n_classes + 4)
    error = _error_bound(HINGE, PAIRS_NUMBERS, roundings, total, n_classes, 1.0 if worst else total)
    _set_prices(dearest, fees, fee_mask, fees_paid, left, scores)
    _score(own, same_price, worst, total, whole, HINGE, error, dearest, scores, sets)
    test = _pick(HINGE, error, scores)
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


@njit(cache=True, nogil=True, error_model="numpy")
def _sort_by_outcome(codes, order, spare, shown, start, end, test, n_outcomes):
    """A stable counting sort of order[start:end] by the outcome of the test; where each outcome ends."""
    ends = np.zeros(n_outcomes + 1, dtype=np.int64)
    for position in range(start, end):
        outcome = codes[order[position], test]
        shown[position] = outcome  # the table is read once, for its rows are far apart
        ends[outcome + 1] += 1
    for outcome in range(n_outcomes):
        ends[outcome + 1] += ends[outcome]
    for position in range(start, end):
        outcome = shown[position]
        spare[ends[outcome]] = order[position]
        ends[outcome] += 1
    for position in range(start, end):
        order[position] = spare[position - start]
    return ends
