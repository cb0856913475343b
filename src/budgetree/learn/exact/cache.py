"""The cache of object sets: what exact search has learned about a set, whatever path led to it.

A set is recognised by two 64-bit sums of random numbers, one pair per object, to which the fees paid are added. An
entry is one row of eight whole numbers, so one line of the processor's cache; four rows make a bucket. Of a full bucket
the row that took the least work is given up: losing one only costs time.

A lower bound holds for every budget up to its own; a tree found holds for every budget from its own.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import kernel, part_of_kernel

KEY, KEY2, BOUND, BOUND_UP_TO, FOUND, FOUND_FROM, FOUND_TEST, EFFORT = range(8)
N_FIELDS = 8
WAYS = 4
NOTHING_FOUND = np.int64(2**62)
MISSING = -1


@part_of_kernel
def look_up(entries, key, key2):
    """The row that holds the set, or MISSING."""
    first = (key & (len(entries) // WAYS - 1)) * WAYS
    for row in range(first, first + WAYS):
        if entries[row, KEY] == key and entries[row, KEY2] == key2:
            return row
    return MISSING


@part_of_kernel
def claim(entries, key, key2, effort, filled):
    """The set's own row, a free one, or that of the least effort, made empty for it."""
    first = (key & (len(entries) // WAYS - 1)) * WAYS
    given_up = first
    for row in range(first, first + WAYS):
        if entries[row, KEY] == key and entries[row, KEY2] == key2:
            entries[row, EFFORT] = max(entries[row, EFFORT], effort)
            return row
        if entries[row, EFFORT] < entries[given_up, EFFORT]:
            given_up = row
    if entries[given_up, EFFORT] == 0:
        filled[0] += 1
    entries[given_up, KEY] = key
    entries[given_up, KEY2] = key2
    entries[given_up, BOUND] = 0
    entries[given_up, BOUND_UP_TO] = -1
    entries[given_up, FOUND] = NOTHING_FOUND
    entries[given_up, FOUND_FROM] = 0
    entries[given_up, FOUND_TEST] = -1
    entries[given_up, EFFORT] = effort
    return given_up


@kernel
def copy_entries(old, new, filled):
    """Move everything into a larger cache."""
    filled[0] = 0
    for row in range(len(old)):
        if old[row, EFFORT] > 0:
            to = claim(new, old[row, KEY], old[row, KEY2], old[row, EFFORT], filled)
            for field in range(BOUND, EFFORT):
                new[to, field] = old[row, field]
