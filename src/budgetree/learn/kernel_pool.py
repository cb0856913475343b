"""The pool, compiled: sets of objects that several trees meet, counted and split once.

A set is a range of the pool's `rows`, known by two 64-bit sums of random numbers, one pair per object: two sets with
equal sums are the same but for a chance of 2**-128. A set that was counted has a slot with its tallies. Splitting a
set by a test appends its rows, sorted by outcome, and remembers the set of each outcome.
"""

from __future__ import annotations

import numpy as np
from numba import njit

N_SETS, N_SLOTS, N_SPLITS, N_ROWS = 0, 1, 2, 3  # the places in a pool's `sizes` and `limits`
FIRST, LAST, SLOT = 0, 1, 2  # the columns of `sets`: the set's range of rows, and where it was counted
NOT_COUNTED = -1
EMPTY = -1
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True, error_model="numpy")
def has_room(sizes, limits, n_objects, width):
    """Whether the pool can take one more set's counting and splitting."""
    return (
        sizes[N_SETS] + width <= limits[N_SETS]
        and sizes[N_SLOTS] < limits[N_SLOTS]
        and sizes[N_SPLITS] < limits[N_SPLITS]
        and sizes[N_ROWS] + n_objects <= limits[N_ROWS]
    )


@njit(cache=True, nogil=True, error_model="numpy")
def find_split(split_keys, split_table, key):
    """The split of a (set, test) or EMPTY, and its place in the table."""
    mask = len(split_table) - 1
    place = np.int64((np.uint64(key) * GOLDEN) >> np.uint64(20)) & mask
    while split_table[place] != EMPTY:
        if split_keys[split_table[place]] == key:
            return np.int64(split_table[place]), place
        place = (place + 1) & mask
    return EMPTY, place


@njit(cache=True, nogil=True, error_model="numpy")
def split_set(the_set, test, key, place, codes, n_outcomes, pool):
    """Split the set by the test for the first time; `place` is where find_split looked in vain."""
    rows, sets, sums, set_table, split_keys, split_table, split_sets, random, sizes = pool
    split = sizes[N_SPLITS]
    sizes[N_SPLITS] = split + 1
    split_table[place] = split
    split_keys[split] = key
    first, last = sets[the_set, FIRST], sets[the_set, LAST]
    ends = np.zeros(n_outcomes + 1, dtype=np.int64)
    for position in range(first, last):
        ends[codes[rows[position], test] + 1] += 1
    for outcome in range(n_outcomes):
        ends[outcome + 1] += ends[outcome]
    base = sizes[N_ROWS]
    sizes[N_ROWS] = base + last - first
    for position in range(first, last):
        outcome = codes[rows[position], test]
        rows[base + ends[outcome]] = rows[position]
        ends[outcome] += 1
    begin = base
    for outcome in range(n_outcomes):
        end = base + ends[outcome]
        split_sets[split, outcome] = EMPTY
        if end > begin:
            split_sets[split, outcome] = _find_or_add_set(begin, end, rows, sets, sums, set_table, random, sizes)
        begin = end
    return split


@njit(cache=True, nogil=True, error_model="numpy")
def _find_or_add_set(begin, end, rows, sets, sums, set_table, random, sizes):
    first_sum = np.uint64(0)
    second_sum = np.uint64(0)
    for position in range(begin, end):
        first_sum += random[rows[position], 0]
        second_sum += random[rows[position], 1]
    mask = len(set_table) - 1
    place = np.int64(first_sum & np.uint64(mask))
    while set_table[place] != EMPTY:
        known = set_table[place]
        if sums[known, 0] == first_sum and sums[known, 1] == second_sum:
            return np.int64(known)
        place = (place + 1) & mask
    new = sizes[N_SETS]
    sizes[N_SETS] = new + 1
    set_table[place] = new
    sums[new, 0] = first_sum
    sums[new, 1] = second_sum
    sets[new, FIRST] = begin
    sets[new, LAST] = end
    sets[new, SLOT] = NOT_COUNTED
    return new
