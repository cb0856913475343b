"""Compiled: bounds for a test's parts from those of tests tried before at the same set.

Without d of its objects a set has at most d errors less, and the pair counts say how many objects two parts share.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.parts import PROVEN, UP_TO


@part_of_kernel
def together(pairs, one, other):
    """How many objects show a one in both; pairs is class × test × column, filled from the test's own lanes on."""
    low, high = min(one, other), max(one, other)
    count = np.int64(0)
    for c in range(pairs.shape[0]):
        count += pairs[c, low, high]
    return count


@part_of_kernel
def forget_parts(bits, depth):
    """No part of this depth's set is known any more."""
    bits[16][depth] = 0


@part_of_kernel
def remember_parts(bits, depth, test, fees_paid, parts):
    """Keeps what is proven of a test's two parts, for tests tried later at the same set."""
    tests, bounds, fees, counts = bits[13:17]
    at = counts[depth]
    if at == tests.shape[1]:
        return
    counts[depth] = at + 1
    tests[depth, at] = test
    fees[depth, at] = fees_paid
    for outcome in range(2):
        bounds[depth, at, outcome, 0] = parts[outcome, PROVEN]
        bounds[depth, at, outcome, 1] = parts[outcome, UP_TO]


@part_of_kernel
def bound_by_similarity(bits, own, depth, test, left, fees_paid, parts):
    """Bounds a test's parts by those of tests already tried.

    A bound found with more fees paid, or for a larger budget, holds for fewer and less. Returns the sum.
    """
    totals, pairs, ones = bits[3], bits[4], bits[5]
    tests, bounds, fees, counts = bits[13:17]
    n_classes = ones.shape[1]
    n_test = n_all = np.int64(0)
    for c in range(n_classes):
        n_test += ones[depth, c, test]
        n_all += totals[depth, c]
    for at in range(counts[depth]):
        if fees_paid & ~fees[depth, at]:
            continue
        other = np.int64(tests[depth, at])
        both = together(pairs[depth], test, other)
        n_other = np.int64(0)
        for c in range(n_classes):
            n_other += ones[depth, c, other]
        # outside[i, j]: objects of the other test's part j that are not in this test's part i
        for outcome in range(2):
            for other_outcome in range(2):
                if other_outcome == 1:
                    outside = n_other - both if outcome == 1 else both
                else:
                    outside = n_all - n_other - (n_test - both) if outcome == 1 else n_test - both
                bound = bounds[depth, at, other_outcome, 0] - outside
                if bound > parts[outcome, PROVEN] and bounds[depth, at, other_outcome, 1] > left - own[test, outcome]:
                    parts[outcome, PROVEN] = bound
                    parts[outcome, UP_TO] = bounds[depth, at, other_outcome, 1]
    return parts[0, PROVEN] + parts[1, PROVEN]
