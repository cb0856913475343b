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

TOTAL, MOST, VALUE, SPARE = 0, 1, 2, 3  # the rows of `sets`: weight, its largest class, impurity, scratch


@njit(cache=True, nogil=True, error_model="numpy")
def add_up(counts, classes, n_present, sets):
    """Fill the rows TOTAL and MOST from counts[class, set]; only the classes listed are read."""
    for s in range(sets.shape[1]):
        sets[TOTAL, s] = 0.0
        sets[MOST, s] = 0.0
    for i in range(n_present):
        c = classes[i]
        for s in range(sets.shape[1]):
            count, total, most = counts[c, s], sets[TOTAL, s], sets[MOST, s]
            sets[TOTAL, s] = total + count
            sets[MOST, s] = count if count > most else most


@njit(cache=True, nogil=True, error_model="numpy")
def impurities(kind, numbers, counts, classes, n_present, sets):
    """Fill the row VALUE with the form on counts[:, set]; exact when no intermediate result exceeds 2**53."""
    if kind == HINGE:
        if numbers[2] > 0.0:
            _hinged_pairs(numbers[0], numbers[1], numbers[2], counts, classes, n_present, sets)
        else:
            _hinged_products(numbers[0], numbers[1], counts, classes, n_present, sets)
    elif kind == POWERS:
        _powers(int(numbers[0]), counts, classes, n_present, sets)
    elif kind == POLYNOMIAL:
        _polynomial(numbers, counts, classes, n_present, sets)
    elif kind == GINI:
        _gini(counts, classes, n_present, sets)
    elif kind == ENTROPY:
        _entropy(counts, classes, n_present, sets)


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
def _fill(sets, row, number):
    for s in range(sets.shape[1]):
        sets[row, s] = number


@njit(cache=True, nogil=True, error_model="numpy")
def _hinged_products(q, p, counts, classes, n_present, sets):
    """Without a subtraction inside, all ordered pairs together are (Σx)² − Σx²."""
    _fill(sets, VALUE, 0.0)
    _fill(sets, SPARE, 0.0)
    for i in range(n_present):
        c = classes[i]
        for s in range(sets.shape[1]):
            above, linear, squares = q * counts[c, s] - p, sets[VALUE, s], sets[SPARE, s]
            above = above if above > 0.0 else 0.0
            sets[VALUE, s] = linear + above
            sets[SPARE, s] = squares + above * above
    for s in range(sets.shape[1]):
        sets[VALUE, s] = sets[VALUE, s] * sets[VALUE, s] - sets[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _hinged_pairs(q, p, b, counts, classes, n_present, sets):
    _fill(sets, VALUE, 0.0)
    for i in range(1, n_present):
        one = classes[i]
        for j in range(i):
            other = classes[j]
            for s in range(sets.shape[1]):
                x, y, value = q * counts[one, s] - p, q * counts[other, s] - p, sets[VALUE, s]
                x = x if x > 0.0 else 0.0
                y = y if y > 0.0 else 0.0
                excess = x * y - b
                sets[VALUE, s] = value + (2.0 * excess if excess > 0.0 else 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _powers(power, counts, classes, n_present, sets):
    """Powers by repeated multiplication: exact as long as the result is, which pow() does not promise."""
    _fill(sets, VALUE, 1.0)
    for _ in range(power):
        for s in range(sets.shape[1]):
            sets[VALUE, s] *= sets[TOTAL, s]
    for i in range(n_present):
        c = classes[i]
        _fill(sets, SPARE, 1.0)
        for _ in range(power):
            for s in range(sets.shape[1]):
                sets[SPARE, s] *= counts[c, s]
        for s in range(sets.shape[1]):
            sets[VALUE, s] -= sets[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _polynomial(numbers, counts, classes, n_present, sets):
    n_classes = len(counts)
    _fill(sets, VALUE, 0.0)
    for term in range(0, len(numbers), n_classes + 1):
        missing = 0
        for c in range(n_classes):
            missing += numbers[term + 1 + c] > 0.0
        for i in range(n_present):
            missing -= numbers[term + 1 + classes[i]] > 0.0
        if missing > 0:
            continue  # a class of this term is absent, so the term is 0
        _fill(sets, SPARE, numbers[term])
        for i in range(n_present):
            c = classes[i]
            for _ in range(int(numbers[term + 1 + c])):
                for s in range(sets.shape[1]):
                    sets[SPARE, s] *= counts[c, s]
        for s in range(sets.shape[1]):
            sets[VALUE, s] += sets[SPARE, s]


@njit(cache=True, nogil=True, error_model="numpy")
def _gini(counts, classes, n_present, sets):
    _fill(sets, VALUE, 0.0)
    for i in range(n_present):
        c = classes[i]
        for s in range(sets.shape[1]):
            sets[VALUE, s] += counts[c, s] * counts[c, s]
    for s in range(sets.shape[1]):
        total = sets[TOTAL, s]
        sets[VALUE, s] = total - sets[VALUE, s] / total if total > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _entropy(counts, classes, n_present, sets):
    for s in range(sets.shape[1]):
        total = sets[TOTAL, s]
        sets[VALUE, s] = total * math.log(total) if total > 0.0 else 0.0
    for i in range(n_present):
        c = classes[i]
        for s in range(sets.shape[1]):
            if counts[c, s] > 0.0:
                sets[VALUE, s] -= counts[c, s] * math.log(counts[c, s])
