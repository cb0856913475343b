"""Compiled counting: the weight of every (class, outcome, test) among the objects of one node.

Tallies are float64, which is exact up to 2**53 and spares the scoring a conversion. Their layout is
class × outcome × test, so that neighbouring tests lie side by side as in the table's rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from budgetree.counts.lanes import (
    LANES,
    LEVELS_AT_ONCE,
    MOST_ROWS,
    count_1_level,
    count_4_levels,
    count_6_levels,
    count_10_levels,
)

FEW_ROWS = 4  # below this, setting up the lanes costs more than counting cell by cell
MANY_LEVELS = 60  # above this, one comparison per level costs more than counting cell by cell


@njit(cache=True, nogil=True, error_model="numpy")
def count_node(codes, labels, weights, order, start, end, node_counts, block_levels, tallies, lanes):
    """Fill `tallies` for the objects order[start:end], which are sorted by class and then by row.

    weights is empty when every object counts once; node_counts then says where each class begins.
    tallies has room for at least two outcomes, also where no test has as many.
    """
    n_classes, _, n_tests = tallies.shape
    for c in range(n_classes):
        if node_counts[c] > 0:
            tallies[c] = 0.0
    if len(weights) > 0:
        for position in range(start, end):
            row = order[position]
            tally = tallies[labels[row]]
            weight = weights[row]
            for test in range(n_tests):
                tally[codes[row, test], test] += weight
        return
    first = start
    for c in range(n_classes):
        last = first + np.int64(node_counts[c])
        if last > first:
            _count_rows(codes, order, first, last, block_levels, tallies[c], lanes)
        first = last


@njit(cache=True, nogil=True, error_model="numpy")
def _count_rows(codes, order, first, last, block_levels, tally, lanes):
    n_objects, n_tests = codes.shape
    # A vector load at the start of a row must end inside the table; rows too near its end are counted singly.
    safe_rows = (n_objects * n_tests - LANES - n_tests) // n_tests
    while last > first and (last - first < FEW_ROWS or order[last - 1] >= safe_rows):
        last -= 1
        _count_cells(codes, order[last], 0, n_tests, tally)
    for part in range(first, last, MOST_ROWS):
        end = min(part + MOST_ROWS, last)
        for block in range(len(block_levels)):
            column = block * LANES
            stop = min(column + LANES, n_tests)
            if block_levels[block] > MANY_LEVELS:
                for position in range(part, end):
                    _count_cells(codes, order[position], column, stop, tally)
                continue
            if block_levels[block] <= 2:
                count_1_level(codes, order, part, end, column, 1, lanes)
                _add_binary(lanes[0], end - part, tally[0, column:stop], tally[1, column:stop])
                continue
            level = 0
            while level < block_levels[block]:
                left = min(block_levels[block] - level, LEVELS_AT_ONCE)
                if left <= 4:
                    count_4_levels(codes, order, part, end, column, level, lanes)
                elif left <= 6:
                    count_6_levels(codes, order, part, end, column, level, lanes)
                else:
                    count_10_levels(codes, order, part, end, column, level, lanes)
                for v in range(left):
                    _add_lanes(lanes[v], tally[level + v, column:stop])
                level += left


@njit(cache=True, nogil=True, error_model="numpy")
def _add_lanes(counted, tally):
    for lane in range(len(tally)):
        tally[lane] += counted[lane]


@njit(cache=True, nogil=True, error_model="numpy")
def _add_binary(counted, n_rows, zeros, ones):
    """Binary columns: what is not a one is a zero."""
    for lane in range(len(zeros)):
        ones[lane] += counted[lane]
        zeros[lane] += n_rows - counted[lane]


@njit(cache=True, nogil=True, error_model="numpy")
def _count_cells(codes, row, column, stop, tally):
    for test in range(column, stop):
        tally[codes[row, test], test] += 1.0


def block_levels(n_outcomes):
    """The most outcomes in each block of columns that is counted together."""
    return np.array([n_outcomes[i : i + LANES].max() for i in range(0, len(n_outcomes), LANES)], dtype=np.int64)


def new_lanes():
    """The buffer that the lane counters write to."""
    return np.empty((LEVELS_AT_ONCE, LANES), dtype=np.uint8)
