"""Compiled: what Python calls. The answer for the whole, or the tree itself, node by node, from what is cached.

Both are one function, so that the search is compiled once.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import kernel
from budgetree.learn.exact.last_two import STOPPED
from budgetree.learn.exact.parts import FIRST, N_STATS, SIZE, sort_by_class, split
from budgetree.learn.exact.search import search
from budgetree.learn.exact.splits import NEVER, NO_TEST, fees_due

ANSWER, TREE, CANONICAL_TREE = 0, 1, 2  # what is wanted


@kernel
def run(room, pairwise, bits, breadth, root, budget, cutoff, only, wanted, nodes):
    """The search's answer for the root (with `only` its test), or how many nodes of its tree were written (else 0s)."""
    data, keys, money, tables, scratch, _, _, _ = room
    zero, one = np.int64(0), np.int64(1)
    order, spare, votes, parts = tables[0], scratch[0], scratch[1], scratch[2]
    by_class = pairwise is None
    if wanted == ANSWER:
        if by_class:
            sort_by_class(data[1], order, spare, zero, root[SIZE], votes)
        return search(room, pairwise, bits, breadth, root, budget, zero, cutoff, one, only, zero)
    stats, test_of, parent, outcome_of, paid, fees_paid = nodes
    own, _, n_outcomes, fee_mask, fees = money
    never, no_test = np.int64(NEVER), np.int64(NO_TEST)
    for field in range(N_STATS):
        stats[0, field] = root[field]
    paid[0] = 0
    fees_paid[0] = 0
    parent[0] = -1
    outcome_of[0] = -1
    count = one
    node = 0
    while node < count:
        # First what is reached, then, if it is to be canonical, the first test of the set's own ranking that does so:
        # that does not depend on what was searched before.
        test, ceiling, afresh = only, never, zero
        if node > 0 or only == NO_TEST:
            while True:
                if by_class:  # an earlier search has left them in another order
                    first = stats[node, FIRST]
                    sort_by_class(data[1], order, spare, first, first + stats[node, SIZE], votes)
                value, _, _, test = search(
                    room, pairwise, bits, breadth, stats[node], budget - paid[node], fees_paid[node], ceiling, one,
                    no_test, afresh,
                )  # fmt: skip
                if value == STOPPED:
                    return STOPPED, zero, zero, zero
                if wanted != CANONICAL_TREE or afresh == one or test == NO_TEST:
                    break
                ceiling, afresh = value + 1, one
        test_of[node] = test
        if test != NO_TEST:
            first = stats[node, FIRST]
            last = first + stats[node, SIZE]
            split(data, keys, order, spare, first, last, test, n_outcomes[test], votes, parts)
            due = fees_due(fee_mask, fees, fees_paid[node], test)
            for outcome in range(n_outcomes[test]):
                if parts[outcome, SIZE] > 0:
                    for field in range(N_STATS):
                        stats[count, field] = parts[outcome, field]
                    parent[count] = node
                    outcome_of[count] = outcome
                    paid[count] = paid[node] + due + own[test, outcome]
                    fees_paid[count] = fees_paid[node] | fee_mask[test]
                    count += 1
        node += 1
    return count, zero, zero, zero
