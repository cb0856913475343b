"""Compiled: a set of objects sorted by a test's outcome, and what is known of each part."""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel

# What is known of a part: its first object, how many, weight, errors as a leaf, errors of any tree, its key, what is
# proven of its errors, below which budget, and what the tree found for it needs.
FIRST, SIZE, TOTAL, LEAF, LEAST, KEY, KEY2, PROVEN, UP_TO, NEED, N_STATS = range(11)
FEW_CLASSES = 3  # so few that numbering them anew saves nothing


@part_of_kernel
def number_classes(data, objects, first, last, class_here, label_here):
    """The data with the classes of these objects numbered anew.

    Few of many classes may be left in a set, and the tables to clear and to add up become that much smaller.
    """
    codes, labels, weights, n_classes, width = data
    if n_classes <= FEW_CLASSES:
        for position in range(first, last):
            label_here[objects[position]] = labels[objects[position]]
        return codes, label_here, weights, n_classes, width
    n_here = np.int64(0)
    for position in range(first, last):
        row = objects[position]
        label = labels[row]
        if class_here[label] < 0:
            class_here[label] = n_here
            n_here += 1
        label_here[row] = class_here[label]
    for position in range(first, last):
        class_here[labels[objects[position]]] = -1
    return codes, label_here, weights, n_here, width


@part_of_kernel
def group(data, unavoidable, order, spare, first, last, test, n_outcomes, votes, parts, any_unavoidable):
    """Sorts order[first:last] by the test's outcome and describes each outcome's part, but for its key."""
    codes, labels, weights, n_classes, _ = data
    for outcome in range(n_outcomes):
        parts[outcome, SIZE] = 0
        parts[outcome, LEAST] = 0
        parts[outcome, NEED] = 0
        for c in range(n_classes):
            votes[outcome, c] = 0
    for position in range(first, last):
        row = order[position]
        spare[position] = row
        outcome = codes[row, test]
        parts[outcome, SIZE] += 1
        votes[outcome, labels[row]] += weights[row]
        if any_unavoidable:
            parts[outcome, LEAST] += unavoidable[row]
    at = first
    for outcome in range(n_outcomes):
        total = np.int64(0)
        top = np.int64(0)
        for c in range(n_classes):
            held = np.int64(votes[outcome, c])
            total += held
            top = max(top, held)
        parts[outcome, TOTAL] = total
        parts[outcome, LEAF] = total - top
        parts[outcome, FIRST] = at
        at += parts[outcome, SIZE]
    for position in range(first, last):
        row = spare[position]
        outcome = codes[row, test]
        order[parts[outcome, FIRST]] = row
        parts[outcome, FIRST] += 1
    for outcome in range(n_outcomes):
        parts[outcome, FIRST] -= parts[outcome, SIZE]


@part_of_kernel
def sum_keys(codes, keys, order, first, last, test, n_outcomes, parts):
    """The parts' keys, sizes and unavoidable errors alone: enough to ask the cache before sorting anything."""
    unavoidable, random, random2 = keys
    for outcome in range(n_outcomes):
        parts[outcome, SIZE] = parts[outcome, LEAST] = parts[outcome, KEY] = parts[outcome, KEY2] = 0
    for position in range(first, last):
        row = order[position]
        outcome = codes[row, test]
        parts[outcome, SIZE] += 1
        parts[outcome, LEAST] += unavoidable[row]
        parts[outcome, KEY] += random[row]
        parts[outcome, KEY2] += random2[row]


@part_of_kernel
def split(data, keys, order, spare, first, last, test, n_outcomes, votes, parts):
    """As group(), with the keys."""
    unavoidable, random, random2 = keys
    group(data, unavoidable, order, spare, first, last, test, n_outcomes, votes, parts, last > first)
    for outcome in range(n_outcomes):
        key = key2 = np.int64(0)
        start = parts[outcome, FIRST]
        for position in range(start, start + parts[outcome, SIZE]):
            row = order[position]
            key += random[row]
            key2 += random2[row]
        parts[outcome, KEY] = key
        parts[outcome, KEY2] = key2


@part_of_kernel
def sort_by_class(labels, order, spare, first, last, votes):
    """Sorts order[first:last] by class, as packing bits needs it."""
    n_classes = votes.shape[1]
    for c in range(n_classes):
        votes[0, c] = 0
    for position in range(first, last):
        spare[position] = order[position]
        votes[0, labels[order[position]]] += 1
    at = first
    for c in range(n_classes):
        held = votes[0, c]
        votes[0, c] = at
        at += held
    for position in range(first, last):
        label = labels[spare[position]]
        order[votes[0, label]] = spare[position]
        votes[0, label] += 1


@part_of_kernel
def parts_differ(parts, n_outcomes, size):
    """Whether more than one outcome is shown."""
    for outcome in range(n_outcomes):
        if parts[outcome, SIZE] > 0:
            return parts[outcome, SIZE] < size
    return False


@part_of_kernel
def most_mixed(parts, n_outcomes):
    """The part that a leaf would get most wrong beyond what is unavoidable, or -1 where none is mixed."""
    most, found = np.int64(0), -1
    for outcome in range(n_outcomes):
        mixed = parts[outcome, LEAF] - parts[outcome, LEAST]
        if mixed > most:
            most, found = mixed, outcome
    return found
