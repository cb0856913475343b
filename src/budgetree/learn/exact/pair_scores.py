"""Compiled: the last two of binary tests, from pair counts.

Of a test's two parts only the smaller is counted: the larger has what is left of the whole.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.pair_lanes import LANES, score_pairs
from budgetree.learn.exact.pairs import count_row, pack
from budgetree.learn.exact.parts import FIRST, LEAF, LEAST, NEED, PROVEN, SIZE, UP_TO
from budgetree.learn.exact.splits import NEVER, NO_TEST, fees_due

ALL_ALLOWED = np.int64(-1)


@part_of_kernel
def masks_for(bits, money, budget, fees_paid, in_use):
    """The slot of masks that say which test may follow which, and the least budget at which they change.

    The slot `in_use` is not given up for new ones.
    """
    masks, known, newest = bits[8], bits[9], bits[10]
    own, dearest, _, fee_mask, fees = money
    n_tests, n_slots = len(dearest), len(known)
    if n_slots == 0:
        return ALL_ALLOWED, NEVER  # where all prices are the same, the chain of three says when that changes
    for slot in range(n_slots):
        if known[slot, 0] == budget and known[slot, 1] == fees_paid:
            return slot, known[slot, 2]
    slot = newest[0] if newest[0] != in_use else (newest[0] + 1) % n_slots
    newest[0] = (slot + 1) % n_slots
    changes = NEVER
    all_bits = np.uint16(0xFFFF)
    for first in range(n_tests):
        due = fees_due(fee_mask, fees, fees_paid, first)
        if dearest[first] + due > budget:
            changes = min(changes, dearest[first] + due)
        for second in range(n_tests):
            price = dearest[second] + fees_due(fee_mask, fees, fees_paid | fee_mask[first], second)
            for outcome in range(2):
                total = due + own[first, outcome] + price
                fits = total <= budget or first == second
                masks[slot, 1 - outcome, first, second] = all_bits if fits else 0
                masks[slot, 3 - outcome, second, first] = all_bits if fits else 0
                if not fits:
                    changes = min(changes, total)
    known[slot, 0], known[slot, 1], known[slot, 2] = budget, fees_paid, changes
    return slot, changes


@part_of_kernel
def mask_rows(slot, test, n_tests, lanes, last):
    """Where in the flat masks the four rows of a test begin; the last row allows everything."""
    if slot == ALL_ALLOWED:
        return last, last, last, last
    step = n_tests * lanes
    at = slot * 4 * step + test * lanes
    return at, at + step, at + 2 * step, at + 3 * step


@part_of_kernel
def fewest(best, ones, tests, n_tests, dearest, fee_mask, fees, fees_paid, budget, size, leaf):
    """The fewest errors with two tests, and the first test that leads there."""
    value, found = leaf, NO_TEST
    for i in range(n_tests):
        test = np.int64(tests[i])
        if dearest[test] + fees_due(fee_mask, fees, fees_paid, test) <= budget:
            wrong = size - np.int64(best[0, test]) - np.int64(best[1, test])
            if wrong < value:
                n_ones = np.int64(0)
                for c in range(len(ones)):
                    n_ones += ones[c, test]
                # A test that shows the same on all would only delay the one that follows it.
                if 0 < n_ones < size:
                    value, found = wrong, test
    return value, found


@part_of_kernel
def score_both_parts(bits, labels, order, first, last, smaller, tests, n_tests, depth, slots):
    """What pairs of tests get right in both parts of a set whose pairs are counted.

    order[first:last] are the objects of the smaller part, which is the test's outcome `smaller`; best[outcome] is
    filled. Without a whole to subtract from (depth 0) only that part is scored.
    """
    rows, packed, blocks, totals, pairs, ones, row_counts, best, masks = bits[:9]
    nothing, zero = bits[12], np.int64(0)
    n_classes, lanes = ones.shape[1], ones.shape[2]
    flat, part, whole = packed.reshape(-1), row_counts.reshape(-1), pairs[depth].reshape(-1)
    flat_best, flat_masks = best.reshape(-1), masks.reshape(-1)
    step, width, last_mask = pairs.shape[2] * lanes, masks.shape[2], len(flat_masks) - lanes
    # The two parts' own ones and totals are kept behind those of the depths.
    small, large = ones.shape[0] - 2 + smaller, ones.shape[0] - 1 - smaller
    small_ones, large_ones = ones[small].reshape(-1), ones[large].reshape(-1)
    small_totals, large_totals = totals[small], totals[large]
    pack(rows, labels, order, first, last, packed, blocks, small_totals)
    count_row(flat, lanes, blocks, n_classes, lanes - 1, zero, small_ones, zero, lanes)
    for c in range(n_classes):
        large_totals[c] = totals[depth, c] - small_totals[c]
        for lane in range(lanes):
            large_ones[c * lanes + lane] = ones[depth, c, lane] - small_ones[c * lanes + lane]
    flat_best[:] = 0
    small_best, large_best = 2 * lanes * smaller, 2 * lanes * (1 - smaller)
    for i in range(n_tests):
        test = np.int64(tests[i])
        column = test // LANES * LANES
        count_row(flat, lanes, blocks, n_classes, test, column, part, zero, lanes)
        score_pairs(
            part, 0, lanes, nothing, 0, 0, small_ones, lanes, small_totals, n_classes, test, column, lanes, flat_masks,
            mask_rows(slots[smaller], test, width, lanes, last_mask), flat_best, small_best,
        )  # fmt: skip
        if depth > 0:
            score_pairs(
                whole, test * lanes, step, part, 0, lanes, large_ones, lanes, large_totals, n_classes, test, column,
                lanes, flat_masks, mask_rows(slots[1 - smaller], test, width, lanes, last_mask), flat_best, large_best,
            )  # fmt: skip


@part_of_kernel
def last_two_of_parts(bits, money, labels, order, tests, n_tests, chain, left_0, left_1, fees_paid, depth, parts):
    """Settles both parts of a test at once, if neither can afford three tests more; which were settled, as bits.

    left_0 and left_1 are their budgets; at depth 0 there is only part 0. The first tests found are left in bits[11]. A
    negative answer means that nothing was done.
    """
    ones, best, found = bits[5], bits[7], bits[11]
    dearest, fee_mask, fees = money[1], money[3], money[4]
    two, three = chain[0] + chain[1], chain[0] + chain[1] + chain[2]
    unsettled = 0
    for outcome in range(2):
        if parts[outcome, LEAF] > parts[outcome, LEAST]:
            unsettled |= 1 << outcome
            if not two <= (left_1 if outcome else left_0) < three:
                return -1
    if unsettled == 0:
        return -1
    smaller = np.int64(depth > 0 and parts[0, SIZE] > parts[1, SIZE])
    first = parts[smaller, FIRST]
    whole = np.int64(0) if unsettled == 1 << smaller else depth
    slot_0, changes_0 = masks_for(bits, money, left_0, fees_paid, ALL_ALLOWED)
    slot_1, changes_1 = slot_0, changes_0
    if left_1 != left_0:
        slot_1, changes_1 = masks_for(bits, money, left_1, fees_paid, slot_0)
    score_both_parts(
        bits, labels, order, first, first + parts[smaller, SIZE], smaller, tests, n_tests, whole, (slot_0, slot_1)
    )
    for outcome in range(2):
        if unsettled & (1 << outcome):
            left_here = left_1 if outcome else left_0
            value, second = fewest(
                best[outcome], ones[ones.shape[0] - 2 + outcome], tests, n_tests, dearest, fee_mask, fees, fees_paid,
                left_here, parts[outcome, SIZE], parts[outcome, LEAF],
            )  # fmt: skip
            found[outcome] = second
            changes = min(changes_1 if outcome else changes_0, three)
            parts[outcome, UP_TO] = NEVER if value == parts[outcome, LEAST] else changes
            parts[outcome, PROVEN] = value
            parts[outcome, NEED] = need_of_two(slot_0, dearest, left_here)
            parts[outcome, LEAF] = parts[outcome, LEAST]  # settled
    return unsettled


@part_of_kernel
def need_of_two(slot, dearest, budget):
    """A budget at which the same two tests fit: both prices where all are the same, else simply this budget."""
    return 2 * dearest[0] if slot == ALL_ALLOWED else budget
