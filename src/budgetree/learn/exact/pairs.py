"""Compiled: binary tests eight objects to a byte: packing a set, counting its pairs of tests, splitting it.

How many objects of each class show a one in both of every two tests is all that trees of two tests need
(pair_scores.py). The last lane of a row stands for a test that shows a one on every object. The arrays come as one
tuple, `bits`, in the order of searcher._bits.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.pair_lanes import BLOCK, LANES, count_1_vector, count_2_vectors, count_3_vectors
from budgetree.learn.exact.parts import FIRST, KEY, KEY2, LEAF, LEAST, NEED, SIZE, TOTAL
from budgetree.learn.exact.ranking import offer
from budgetree.learn.exact.splits import NEVER, NO_TEST


@part_of_kernel
def pack(rows, labels, objects, first, last, packed, blocks, totals):
    """Writes the bits of objects sorted by class; blocks[c] is where class c begins, totals[c] how many it has."""
    n_classes = len(totals)
    lanes = rows.shape[1]
    block = 0
    position = first
    for c in range(n_classes):
        blocks[c] = block
        held = 0
        while position < last and labels[objects[position]] == c:
            shown = rows[objects[position]]
            into = packed[block]
            if held % BLOCK == 0:
                for lane in range(lanes):
                    into[lane] = shown[lane]
            else:
                for lane in range(lanes):
                    into[lane] += into[lane] + shown[lane]  # one bit to the left, and the new one
            held += 1
            position += 1
            if held % BLOCK == 0:
                block += 1
        if held % BLOCK != 0:
            block += 1
        totals[c] = held
    blocks[n_classes] = block


@part_of_kernel
def count_row(packed, lanes, blocks, n_classes, test, column, out, at, step):
    """out[at + c·step + other]: the objects of class c with a one in both, for the columns from `column` on.

    packed and out are flat.
    """
    for c in range(n_classes):
        first, last = blocks[c], blocks[c + 1]
        place = column
        while lanes - place >= 3 * LANES:
            count_3_vectors(packed, lanes, first, last, test, place, out, at + c * step + place)
            place += 3 * LANES
        if lanes - place == 2 * LANES:
            count_2_vectors(packed, lanes, first, last, test, place, out, at + c * step + place)
        elif lanes - place == LANES:
            count_1_vector(packed, lanes, first, last, test, place, out, at + c * step + place)


@part_of_kernel
def rank_by_ones(
    bits, money, labels, order, first, last, tests, n_tests, fees_paid, budget, depth, score, still, ranked
):
    """As ranking.rank, by the errors that each test alone leaves; packs the set and counts its ones on the way."""
    rows, packed, blocks, totals, ones = bits[0], bits[1], bits[2], bits[3], bits[5]
    n_classes, lanes = ones.shape[1], ones.shape[2]
    n_still = n_ranked = zero = np.int64(0)
    pack(rows, labels, order, first, last, packed, blocks, totals[depth])
    count_row(packed.reshape(-1), lanes, blocks, n_classes, lanes - 1, zero, ones[depth].reshape(-1), zero, lanes)
    beyond = NEVER
    free = NO_TEST
    for i in range(n_tests):
        test = np.int64(tests[i])
        n_ones = np.int64(0)
        squares_one = squares_zero = 0.0
        for c in range(n_classes):
            held = np.int64(ones[depth, c, test])
            others = np.int64(totals[depth, c]) - held
            n_ones += held
            squares_one += float(held * held)
            squares_zero += float(others * others)
        if n_ones == 0 or n_ones == last - first:
            continue
        still[n_still] = test
        n_still += 1
        n_zeros = last - first - n_ones
        unlike = -squares_one / n_ones - squares_zero / n_zeros
        n_ranked, beyond, free = offer(test, money, fees_paid, budget, unlike, score, ranked, n_ranked, beyond, free)
    return n_still, n_ranked, beyond, free


@part_of_kernel
def count_pairs(bits, order, first, last, tests, n_tests, depth):
    """Fills the pair counts of the set that rank_by_ones has just packed, and keeps its objects as they are sorted."""
    packed, blocks, pairs, objects = bits[1], bits[2], bits[4], bits[18]
    for position in range(first, last):
        objects[depth, position] = order[position]
    n_classes, lanes = pairs.shape[1], pairs.shape[3]
    step = pairs.shape[2] * lanes
    out, flat = pairs[depth].reshape(-1), packed.reshape(-1)
    for i in range(n_tests):
        test = np.int64(tests[i])
        count_row(flat, lanes, blocks, n_classes, test, test // LANES * LANES, out, test * lanes, step)


@part_of_kernel
def split_in_two(bits, keys, order, stats, depth, test, parts):
    """As parts.split, for the set whose pairs are counted at this depth; each part stays sorted by class."""
    totals, ones, columns, objects = bits[3], bits[5], bits[17], bits[18]
    unavoidable, random, random2 = keys
    first, last = stats[FIRST], stats[FIRST] + stats[SIZE]
    n_ones = right_one = right_zero = np.int64(0)
    for c in range(ones.shape[1]):
        held = np.int64(ones[depth, c, test])
        n_ones += held
        right_one = max(right_one, held)
        right_zero = max(right_zero, np.int64(totals[depth, c]) - held)
    next_zero, next_one = first, last - n_ones
    key = key2 = least = np.int64(0)
    for position in range(first, last):
        row = objects[depth, position]
        one = np.int64(columns[test, row])
        order[next_one if one else next_zero] = row
        next_one += one
        next_zero += 1 - one
        key += random[row] & -one
        key2 += random2[row] & -one
    if stats[LEAST] > 0:
        for position in range(last - n_ones, last):
            least += unavoidable[order[position]]
    parts[1, FIRST], parts[1, SIZE], parts[1, TOTAL] = last - n_ones, n_ones, n_ones
    parts[1, LEAF], parts[1, LEAST] = n_ones - right_one, least
    parts[1, KEY], parts[1, KEY2] = key, key2
    n_zeros = last - first - n_ones
    parts[0, FIRST], parts[0, SIZE], parts[0, TOTAL] = first, n_zeros, n_zeros
    parts[0, LEAF], parts[0, LEAST] = n_zeros - right_zero, stats[LEAST] - least
    parts[0, KEY], parts[0, KEY2] = stats[KEY] - key, stats[KEY2] - key2
    parts[0, NEED] = parts[1, NEED] = 0
