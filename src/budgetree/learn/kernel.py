"""The growth kernel: counting, choosing and splitting in one compiled loop.

Nodes are numbered breadth first, so the array of nodes is its own queue. A node is a range of `order`, sorted by
class inside; splitting is a stable sort of the range by outcome, which keeps that so. With a pool, several trees are
grown from the same sets of objects: a node is then a set of the pool, whose tallies are kept and whose splits are
remembered.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from budgetree.counts.kernels import count_node
from budgetree.impurity.compiled import MOST, TOTAL, VALUE, add_up, impurities
from budgetree.impurity.forms import HINGE
from budgetree.learn.kernel_choice import (
    EXACT,
    FLOAT_KINDS,
    LEAF,
    NO_SPLIT,
    SETTLED,
    UNKNOWN,
    UNSURE,
    error_bound,
    fees_due,
    find_facts,
    perfect_test,
    pick,
    pick_by_pairs,
    score,
    standing,
    tally_test,
)
from budgetree.learn.kernel_pool import (
    EMPTY,
    FIRST,
    LAST,
    N_SLOTS,
    NOT_COUNTED,
    SLOT,
    find_split,
    has_room,
    split_set,
)

DONE, FULL, UNDECIDED, POOL_FULL = 0, 1, 2, 3
NEXT, N_NODES, N_BRANCHES, FORCED = 0, 1, 2, 3  # the places in `state`; all 0 means: begin
NOT_FORCED = -2
NOTHING_TO_SORT = -1  # the start of a node that is a leaf whatever the impurity
TO_PLACE = -2  # the start of a node that may go on, until its objects are put together
SCRATCH = 0  # the slot for what is not kept
FEW_OBJECTS = 8  # up to here a test that settles everything is likely enough to look for it first


@njit(cache=True, nogil=True, error_model="numpy")
def grow_nodes(data, money, function, settings, nodes, work, state, pooled, pool, slots):
    """Grow until DONE, until the node arrays are FULL or the pool is, or until a node is UNDECIDED.

    data       codes, labels, weights, n_outcomes, block_levels, the class counts of all objects
    money      own prices by outcome, whether none depends on the outcome, dearest, fees, fee_mask, the cheapest test,
               the dearest with all fees
    function   kind, numbers, roundings
    settings   delta, budget, worst
    nodes      test, parent, start, end, set, paid, fees_paid, counts, owes, first_branch, branches, fallback
    work       order, spare, shown, lanes, classes, owing, class_shown, scores, values
    pool       see kernel_pool; empty arrays unless pooled
    slots      tallies, totals and facts of counted sets (a single one unless pooled), the pool's limits
    """
    codes, labels, weights, n_outcomes, block_levels, whole = data
    own, same_price, dearest, fees, fee_mask, cheapest, highest = money
    kind, numbers, roundings = function
    delta, budget, worst = settings
    test_of, parent, start, end, set_of, paid, fees_paid, counts, owes, first_branch, branches, fallback = nodes
    order, spare, shown, lanes, classes, owing, class_shown, scores, values = work
    _, sets, _, _, split_keys, split_table, split_sets, _, sizes = pool
    all_tallies, all_totals, all_facts, limits = slots
    _, n_classes, width, n_tests = all_tallies.shape
    own_tallies, own_totals, own_facts = all_tallies[SCRATCH], all_totals[SCRATCH], all_facts[SCRATCH]
    own_cells = own_tallies.reshape(n_classes, width * n_tests)
    if state[N_NODES] == 0:
        _plant_root(function, nodes, state, whole, len(spare))

    while state[NEXT] < state[N_NODES]:
        node = state[NEXT]
        first, last = start[node], end[node]
        if first == NOTHING_TO_SORT:
            test_of[node] = LEAF
            state[NEXT] = node + 1
            continue
        if state[N_NODES] + width > len(test_of) or state[N_BRANCHES] + width > len(branches):
            return FULL
        if pooled and not has_room(sizes, limits, last - first, width):
            return POOL_FULL
        test = state[FORCED]
        state[FORCED] = NOT_FORCED
        forced = test != NOT_FORCED
        n_present = 0
        total = 0.0
        for c in range(n_classes):
            if counts[node, c] > 0:
                classes[n_present] = c
                n_present += 1
                total += counts[node, c]
        if not forced:
            test = LEAF
            ends_here = n_present < 2 or paid[node] + cheapest > budget
            if not ends_here:
                error = error_bound(kind, numbers, roundings, total, n_classes, 1.0)
                stands = standing(kind, owes[node], error, delta)
                if stands == UNKNOWN or (not worst and total * highest > EXACT):
                    return UNDECIDED  # the mean price, too, must be exact
                ends_here = stands == SETTLED
        else:
            ends_here = test == LEAF
        if ends_here:
            test_of[node] = LEAF
            state[NEXT] = node + 1
            continue

        room = budget - paid[node]
        perfect = LEAF
        if not forced and same_price and kind < FLOAT_KINDS and last - first <= FEW_OBJECTS:
            perfect = perfect_test(
                codes, labels, order, first, last, dearest, fees, fee_mask, fees_paid[node], room, class_shown
            )
        tallies, totals, facts, cells = own_tallies, own_totals, own_facts, own_cells
        counted = False
        if pooled and perfect == LEAF:
            slot = sets[set_of[node], SLOT]
            counted = slot != NOT_COUNTED
            if not counted:
                slot = sizes[N_SLOTS]
                sizes[N_SLOTS] = slot + 1
                sets[set_of[node], SLOT] = slot
            tallies, totals, facts = all_tallies[slot], all_totals[slot], all_facts[slot]
            cells = tallies.reshape(n_classes, width * n_tests)
        if perfect != LEAF:
            test = perfect
            tally_test(
                codes, labels, weights, order, first, last, test, n_outcomes[test], classes, n_present, cells, totals,
                values,
            )  # fmt: skip
        else:
            if not counted:
                count_node(codes, labels, weights, order, first, last, counts[node], block_levels, tallies, lanes)
                add_up(cells, classes, n_present, totals)
                find_facts(totals, facts)
            n_owing = _classes_that_owe(kind, numbers, counts[node], classes, n_present, owing)
            impurities(kind, numbers, cells, owing, n_owing, totals, values)
            if not forced:
                error = error_bound(kind, numbers, roundings, total, n_classes, 1.0 if worst else total)
                splits = score(
                    own, same_price, dearest, fees, fee_mask, fees_paid[node], room, worst, total, owes[node], kind,
                    error, facts, scores, totals, values,
                )  # fmt: skip
                if splits:
                    test = pick(kind, error, facts, scores)
                    if test == NO_SPLIT:  # every R is infinite: Pairs chooses
                        test = pick_by_pairs(
                            cells, classes, n_present, n_classes, own, same_price, dearest, fees, fee_mask,
                            fees_paid[node], room, worst, total, facts, scores, totals, values,
                        )  # fmt: skip
                        fallback[node] = True
                        impurities(kind, numbers, cells, owing, n_owing, totals, values)
                    if test == UNSURE:
                        return UNDECIDED
        test_of[node] = test
        state[NEXT] = node + 1
        if test == LEAF:
            continue

        spent = paid[node] + fees_due(fees, fee_mask[test], fees_paid[node])
        first_branch[node] = state[N_BRANCHES]
        going_on = False
        for outcome in range(n_outcomes[test]):
            branch = state[N_BRANCHES]
            state[N_BRANCHES] = branch + 1
            branches[branch] = -1
            cell = outcome * n_tests + test
            if totals[TOTAL, cell] > 0.0:
                child = state[N_NODES]
                state[N_NODES] = child + 1
                branches[branch] = child
                parent[child] = node
                for c in range(n_classes):
                    counts[child, c] = np.int64(cells[c, cell]) if counts[node, c] > 0 else 0
                owes[child] = values[VALUE, cell]
                paid[child] = spent + np.int64(own[outcome, test])
                fees_paid[child] = fees_paid[node] | fee_mask[test]
                first_branch[child] = -1
                fallback[child] = False
                start[child] = NOTHING_TO_SORT
                if totals[MOST, cell] < totals[TOTAL, cell] and paid[child] + cheapest <= budget:
                    start[child] = TO_PLACE
                    going_on = True
        if not going_on:
            continue
        if pooled:
            key = set_of[node] * n_tests + test
            split, place = find_split(split_keys, split_table, key)
            if split == EMPTY:
                split = split_set(set_of[node], test, key, place, codes, n_outcomes[test], pool)
            for outcome in range(n_outcomes[test]):
                child = branches[first_branch[node] + outcome]
                if child >= 0 and start[child] == TO_PLACE:
                    set_of[child] = split_sets[split, outcome]
                    start[child] = sets[set_of[child], FIRST]
                    end[child] = sets[set_of[child], LAST]
        else:
            ends = _sort_by_outcome(codes, order, spare, shown, first, last, test, n_outcomes[test])
            begin = first
            for outcome in range(n_outcomes[test]):
                child = branches[first_branch[node] + outcome]
                if child >= 0 and start[child] == TO_PLACE:
                    start[child] = begin
                    end[child] = first + ends[outcome]
                begin = first + ends[outcome]
    return DONE


@njit(cache=True, nogil=True, error_model="numpy")
def _classes_that_owe(kind, numbers, node_counts, classes, n_present, owing):
    """The classes that can matter below the node: a hinge forgives those that are no larger than α already."""
    n_owing = 0
    for i in range(n_present):
        c = classes[i]
        if kind != HINGE or numbers[0] * node_counts[c] > numbers[1]:
            owing[n_owing] = c
            n_owing += 1
    return n_owing


@njit(cache=True, nogil=True, error_model="numpy")
def _plant_root(function, nodes, state, whole, n_objects):
    """A tree of one node that holds all objects; `whole` are their class counts."""
    kind, numbers, _ = function
    _, parent, start, end, set_of, paid, fees_paid, counts, owes, first_branch, _, fallback = nodes
    parent[0] = -1
    set_of[0] = 0  # the pool's first set is everything
    paid[0] = 0
    fees_paid[0] = 0
    first_branch[0] = -1
    fallback[0] = False
    start[0] = 0
    end[0] = n_objects
    for c in range(len(whole)):
        counts[0, c] = whole[c]
    owes[0] = _impurity(kind, numbers, whole)
    state[NEXT] = 0
    state[N_NODES] = 1
    state[N_BRANCHES] = 0
    state[FORCED] = NOT_FORCED


@njit(cache=True, nogil=True, error_model="numpy")
def _impurity(kind, numbers, node_counts):
    """The form on one set of objects."""
    counts = node_counts.astype(np.float64).reshape(len(node_counts), 1)
    classes = np.flatnonzero(node_counts)
    totals = np.empty((2, 1))
    values = np.empty((2, 1))
    add_up(counts, classes, len(classes), totals)
    impurities(kind, numbers, counts, classes, len(classes), totals, values)
    return values[VALUE, 0]


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
