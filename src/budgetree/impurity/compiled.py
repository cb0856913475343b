"""The forms, compiled, for many sets of objects at a time.

Kernels get a form's kind and numbers, never a function: functions defeat numba's cache. Every inner loop runs over
the sets, which lie side by side in memory, so that the compiler turns it into vector instructions; for that it
must read all it needs before it writes. Arrays are indexed in two dimensions rather than sliced: in numba a slice
costs more than a short loop.
"""

from __future__ import annotations

import math

from numba import njit

from budgetree.impurity.forms import ENTROPY, GINI, HINGE, POLYNOMIAL, POWERS

TOTAL, MOST = 0, 1  # the rows of `totals`: the weight of each set, and of its most common class
VALUE, SPARE = 0, 1  # the rows of `values`: the impurity of each set, and scratch


@njit(cache=True, nogil=True, error_model="numpy")
def add_up(counts, classes, n_present, totals):
    """Fill the rows TOTAL and MOST from counts[class, set]; only the classes listed are read."""
    for s in range(totals.shape[1]):
        totals[TOTAL, s] = 0.0
        totals[MOST, s] = 0.0
    for i in range(n_present):
        c = classes[i]
        for s in range(totals.shape[1]):
            count, total, most = counts[c, s], totals[TOTAL, s], totals[MOST, s]
            totals[TOTAL, s] = total + count
            totals[MOST, s] = count if count > most else most


@njit(cache=True, nogil=True, error_model="numpy")
def impurities(kind, numbers, counts, classes, n_present, totals, values):
    """Fill the row VALUE with the form on counts[:, set]; exact when no intermediate result exceeds 2**53."""
    if kind == HINGE:
        if numbers[1] == 0.0:
            _pairs(numbers[0], counts, classes, n_present, totals, values)
        elif numbers[2] > 0.0:
            _hinged_pairs(numbers[0], numbers[1], numbers[2], counts, classes, n_present, values)
        else:
            _hinged_products(numbers[0], numbers[1], counts, classes, n_present, values)
    elif kind == POWERS:
        _powers(int(numbers[0]), counts, classes, n_present, totals, values)
    elif kind == POLYNOMIAL:
        _polynomial(numbers, counts, classes, n_present, values)
    elif kind == GINI:
        _gini(counts, classes, n_present, totals, values)
    elif kind == ENTROPY:
        _entropy(counts, classes, n_present, totals, values)


@njit(cache=True, nogil=True, error_model="numpy")
def largest_value(kind, numbers, total, n_classes):
    """Form.largest, in floats; only its comparison with 2**53 matters."""
    if kind == HINGE:
        return max((numbers[0] * total) * (numbers[0] * total), numbers[2])
    if kind == POWERS:
        return total ** numbers[0]
    largest = 0.0
    if kind == POLYNOMIAL:
        for term in range(0, len(numbers), n_classes + 1):
            degree = 0.0
            for c in range(n_classes):
                degree += numbers[term + 1 + c]
            largest += numbers[term] * max(total, 1.0) ** degree
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def _fill(values, row, number):
    for s in range(values.shape[1]):
        values[row, s] = number


@njit(cache=True, nogil=True, error_model="numpy")
def _pairs(q, counts, classes, n_present, totals, values):
    """Without a hinge all ordered pairs together are (Σx)² − Σx², and the totals are known."""
    _fill(values, VALUE, 0.0)
    for i in range(n_present):
        c = classes[i]
        for s in range(values.shape[1]):
            count, squares = counts[c, s], values[VALUE, s]
            values[VALUE, s] = squares + count * count
    for s in range(values.shape[1]):
        total, squares = totals[TOTAL, s], values[VALUE, s]
        values[VALUE, s] = (q * q) * (total * total - squares)


@njit(cache=True, nogil=True, error_model="numpy")
def _hinged_products(q, p, counts, classes, n_present, values):
    """Without a subtraction inside, all ordered pairs together are (Σx)² − Σx²."""
    _fill(values, VALUE, 0.0)
    _fill(values, SPARE, 0.0)
    for i in range(n_present):
        c = classes[i]
        for s in range(values.shape[1]):
            above, linear, squares = q * counts[c, s] - p, values[VALUE, s], values[SPARE, s]
            above = above if above > 0.0 else 0.0
            values[VALUE, s] = linear + above
            values[SPARE, s] = squares + above * above
    for s in range(values.shape[1]):
        values[VALUE, s] = values[VALUE, s] * values[VALUE, s] - values[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _hinged_pairs(q, p, b, counts, classes, n_present, values):
    _fill(values, VALUE, 0.0)
    for i in range(1, n_present):
        one = classes[i]
        for j in range(i):
            other = classes[j]
            for s in range(values.shape[1]):
                x, y, value = q * counts[one, s] - p, q * counts[other, s] - p, values[VALUE, s]
                x = x if x > 0.0 else 0.0
                y = y if y > 0.0 else 0.0
                excess = x * y - b
                values[VALUE, s] = value + (2.0 * excess if excess > 0.0 else 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _powers(power, counts, classes, n_present, totals, values):
    """Powers by repeated multiplication: exact as long as the result is, which pow() does not promise."""
    _fill(values, VALUE, 1.0)
    for _ in range(power):
        for s in range(values.shape[1]):
            values[VALUE, s] *= totals[TOTAL, s]
    for i in range(n_present):
        c = classes[i]
        _fill(values, SPARE, 1.0)
        for _ in range(power):
            for s in range(values.shape[1]):
                values[SPARE, s] *= counts[c, s]
        for s in range(values.shape[1]):
            values[VALUE, s] -= values[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _polynomial(numbers, counts, classes, n_present, values):
    n_classes = len(counts)
    _fill(values, VALUE, 0.0)
    for term in range(0, len(numbers), n_classes + 1):
        missing = 0
        for c in range(n_classes):
            missing += numbers[term + 1 + c] > 0.0
        for i in range(n_present):
            missing -= numbers[term + 1 + classes[i]] > 0.0
        if missing > 0:
            continue  # a class of this term is absent, so the term is 0
        _fill(values, SPARE, numbers[term])
        for i in range(n_present):
            c = classes[i]
            for _ in range(int(numbers[term + 1 + c])):
                for s in range(values.shape[1]):
                    values[SPARE, s] *= counts[c, s]
        for s in range(values.shape[1]):
            values[VALUE, s] += values[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _gini(counts, classes, n_present, totals, values):
    _fill(values, VALUE, 0.0)
    for i in range(n_present):
        c = classes[i]
        for s in range(values.shape[1]):
            values[VALUE, s] += counts[c, s] * counts[c, s]
    for s in range(values.shape[1]):
        total = totals[TOTAL, s]
        values[VALUE, s] = total - values[VALUE, s] / total if total > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _entropy(counts, classes, n_present, totals, values):
    for s in range(values.shape[1]):
        total = totals[TOTAL, s]
        values[VALUE, s] = total * math.log(total) if total > 0.0 else 0.0
    for i in range(n_present):
        c = classes[i]
        for s in range(values.shape[1]):
            if counts[c, s] > 0.0:
                values[VALUE, s] -= counts[c, s] * math.log(counts[c, s])
