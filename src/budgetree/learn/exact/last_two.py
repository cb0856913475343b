"""Compiled: the answer where no path can afford three tests, for any outcomes: every pair of tests is counted."""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.parts import (
    FIRST,
    LEAF,
    LEAST,
    PROVEN,
    SIZE,
    TOTAL,
    group,
    most_mixed,
    number_classes,
    parts_differ,
)
from budgetree.learn.exact.splits import NEVER, NO_TEST, affordable, best_split, fees_due

STOPPED = np.int64(-1)
STOP, WORK, MOST_WORK = 0, 1, 2  # flags


@part_of_kernel
def bound_by_classes(parts, votes, n_outcomes, n_classes, most_outcomes):
    """What the parts get wrong at least with one test more, which has so many outcomes: that many classes are right.

    votes holds the parts' classes and is used up where they are more than that.
    """
    wrong = np.int64(0)
    for outcome in range(n_outcomes):
        bound = parts[outcome, LEAST]
        if n_classes > most_outcomes and parts[outcome, LEAF] > bound:
            rest = parts[outcome, TOTAL]
            for _ in range(most_outcomes):
                largest = 0
                for c in range(1, n_classes):
                    if votes[outcome, c] > votes[outcome, largest]:
                        largest = c
                rest -= votes[outcome, largest]
                votes[outcome, largest] = 0
            bound = max(bound, rest)
        parts[outcome, PROVEN] = bound
        wrong += bound
    return wrong


@part_of_kernel
def last_two(data, unavoidable, money, scratch, pairwise, first, last, leaf, least, tests, n_tests, budget, fees_paid,
             cutoff, chain, flags):  # fmt: skip
    """(value, changes, need, test) as in search(), for the objects copied to the first of the scratch arrays."""
    own, dearest, n_outcomes, fee_mask, fees = money
    spare, votes, parts, chosen, cells, correct, _, class_here, label_here = scratch
    spare2, chosen2 = pairwise
    here = number_classes(data, spare, first, last, class_here, label_here)
    n_here = here[3]
    n_first, nearest = affordable(tests, n_tests, dearest, fee_mask, fees, fees_paid, budget, chosen)
    best, best_test, best_need = leaf, NO_TEST, np.int64(0)
    bound = min(leaf, cutoff)
    refuted = leaf
    for i in range(n_first):
        if flags[STOP] != 0 or flags[WORK] > flags[MOST_WORK]:
            return STOPPED, NEVER, np.int64(0), NO_TEST
        test = np.int64(chosen[i])
        flags[WORK] += (last - first) * n_tests + n_tests * n_here * n_outcomes[test]
        due = fees_due(fee_mask, fees, fees_paid, test)
        # Of two cheapest tests the chain may not use the one in hand twice.
        two_more = chain[0] + (chain[2] if chain[3] == test else chain[1])
        group(here, unavoidable, spare, spare2, first, last, test, n_outcomes[test], votes, parts, least > 0)
        if not parts_differ(parts, n_outcomes[test], last - first):
            continue
        fees_after = fees_paid | fee_mask[test]
        left, n_second, beyond, most_outcomes = np.int64(-1), 0, NEVER, np.int64(0)
        for outcome in range(n_outcomes[test]):
            if parts[outcome, LEAF] > parts[outcome, LEAST]:
                spent = own[test, outcome] + due
                if budget - spent != left:
                    left = budget - spent
                    n_second, beyond = affordable(tests, n_tests, dearest, fee_mask, fees, fees_after, left, chosen2)
                    for second in range(n_second):
                        most_outcomes = max(most_outcomes, n_outcomes[chosen2[second]])
                nearest = min(nearest, spent + min(beyond, two_more))
        wrong = bound_by_classes(parts, votes, n_outcomes[test], n_here, max(most_outcomes, 1))
        need = dearest[test] + due
        while wrong < bound:
            # The outcome that is most mixed comes first: it ends a hopeless test soonest.
            outcome = most_mixed(parts, n_outcomes[test])
            if outcome < 0:
                break
            spent = own[test, outcome] + due
            if budget - spent != left:
                left = budget - spent
                n_second, beyond = affordable(tests, n_tests, dearest, fee_mask, fees, fees_after, left, chosen2)
            start, part_least = parts[outcome, FIRST], parts[outcome, LEAST]
            part_wrong, second = best_split(
                here, spare, start, start + parts[outcome, SIZE], parts[outcome, TOTAL], parts[outcome, LEAF],
                part_least, chosen2, n_second, cells, correct,
            )  # fmt: skip
            parts[outcome, LEAF] = part_least  # done
            wrong += part_wrong - parts[outcome, PROVEN]
            if second != NO_TEST:
                need = max(need, spent + dearest[second] + fees_due(fee_mask, fees, fees_after, second))
        refuted = min(refuted, wrong)
        if wrong < bound:
            best, best_test, best_need, bound = wrong, test, need, wrong
            if best == least:
                break
    if best == least:
        nearest = NEVER
    return (best if best < cutoff else refuted), nearest, best_need, best_test
