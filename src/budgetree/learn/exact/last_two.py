"""Compiled: the answer where no path can afford three tests, for any outcomes: every pair of tests is counted."""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.parts import FIRST, LEAF, LEAST, SIZE, TOTAL, most_mixed, parts_differ, split
from budgetree.learn.exact.splits import NEVER, NO_TEST, affordable, best_split, fees_due

STOPPED = np.int64(-1)
STOP, WORK, MOST_WORK = 0, 1, 2  # flags


@part_of_kernel
def last_two(data, keys, money, scratch, pairwise, first, last, leaf, least, tests, n_tests, budget, fees_paid, cutoff,
             chain, flags):  # fmt: skip
    """(value, changes, need, test) as in search(), for the objects copied to the first of the scratch arrays."""
    own, dearest, n_outcomes, fee_mask, fees = money
    spare, votes, parts, chosen, cells, correct, _ = scratch
    spare2, chosen2 = pairwise
    n_first, nearest = affordable(tests, n_tests, dearest, fee_mask, fees, fees_paid, budget, chosen)
    best, best_test, best_need = leaf, NO_TEST, np.int64(0)
    bound = min(leaf, cutoff)
    refuted = leaf
    for i in range(n_first):
        if flags[STOP] != 0 or flags[WORK] > flags[MOST_WORK]:
            return STOPPED, NEVER, np.int64(0), NO_TEST
        test = np.int64(chosen[i])
        flags[WORK] += (last - first) * n_tests
        due = fees_due(fee_mask, fees, fees_paid, test)
        # Of two cheapest tests the chain may not use the one in hand twice.
        two_more = chain[0] + (chain[2] if chain[3] == test else chain[1])
        split(data, keys, spare, spare2, first, last, test, n_outcomes[test], votes, parts)
        if not parts_differ(parts, n_outcomes[test], last - first):
            continue
        wrong = least
        need = dearest[test] + due
        changes = NEVER
        left_for_second = np.int64(-1)
        n_second, beyond = 0, NEVER
        # The outcomes that are most mixed come first: they end a hopeless test soonest.
        while True:
            outcome = most_mixed(parts, n_outcomes[test])
            if outcome < 0:
                break
            part_leaf, part_least = parts[outcome, LEAF], parts[outcome, LEAST]
            parts[outcome, LEAF] = part_least  # done
            spent = own[test, outcome] + due
            if budget - spent != left_for_second:
                left_for_second = budget - spent
                n_second, beyond = affordable(
                    tests, n_tests, dearest, fee_mask, fees, fees_paid | fee_mask[test], left_for_second, chosen2
                )
            start = parts[outcome, FIRST]
            part_wrong, second = best_split(
                data, spare, start, start + parts[outcome, SIZE], parts[outcome, TOTAL], part_leaf, part_least,
                chosen2, n_second, cells, correct,
            )  # fmt: skip
            wrong += part_wrong - part_least
            if part_wrong > part_least:
                changes = min(changes, spent + min(beyond, two_more))
            if second != NO_TEST:
                second_due = fees_due(fee_mask, fees, fees_paid | fee_mask[test], second)
                need = max(need, spent + dearest[second] + second_due)
            if wrong >= bound:
                break
        refuted = min(refuted, wrong)
        nearest = min(nearest, changes)
        if wrong < bound:
            best, best_test, best_need, bound = wrong, test, need, wrong
            if best == least:
                break
    if best == least:
        nearest = NEVER
    return (best if best < cutoff else refuted), nearest, best_need, best_test
