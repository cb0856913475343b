"""Compiled exact search: the fewest errors of any tree on a set of objects within a budget.

Where at most one more test is affordable it counts, where at most two are it counts pairs; elsewhere it tries the tests
one after another, each part with what the others leave of the bound. The objects of a set lie side by side in `order`;
trying a test sorts them by its outcome.
"""

from __future__ import annotations

import numpy as np

from budgetree.learn.exact.answer import ALL_TESTS
from budgetree.learn.exact.cache import BOUND, BOUND_UP_TO, FOUND, FOUND_FROM, FOUND_TEST, MISSING, claim, look_up
from budgetree.learn.exact.compiling import part_of_kernel
from budgetree.learn.exact.last_two import MOST_WORK, STOP, STOPPED, WORK, last_two
from budgetree.learn.exact.pair_scores import last_two_of_parts
from budgetree.learn.exact.pairs import count_pairs, rank_by_ones, split_in_two
from budgetree.learn.exact.parts import (
    FIRST,
    KEY,
    KEY2,
    LEAF,
    LEAST,
    N_STATS,
    NEED,
    PROVEN,
    SIZE,
    TOTAL,
    UP_TO,
    most_mixed,
    number_classes,
    split,
    sum_keys,
)
from budgetree.learn.exact.ranking import describe_chain, rank
from budgetree.learn.exact.similarity import bound_by_similarity, forget_parts, remember_parts
from budgetree.learn.exact.splits import NEVER, NO_TEST, affordable, best_split, fees_due

TEST_BITS = 16
FEE_MIX = np.int64(0x9E3779B97F4A7C1)  # spreads a set of fees over the key


@part_of_kernel
def key_of(stats, fees_paid):
    """The key of a set together with the fees paid on the way to it."""
    return stats[KEY] + fees_paid * FEE_MIX, stats[KEY2] + (fees_paid ^ FEE_MIX) * FEE_MIX


@part_of_kernel
def remember(entries, filled, stats, fees_paid, effort, value, changes, proves, need, found):
    """Writes to the cache what was proven of a set and, where `found` is not negative, the tree that reaches it."""
    key, key2 = key_of(stats, fees_paid)
    row = claim(entries, key, key2, effort, filled)
    if proves and (entries[row, BOUND_UP_TO] < changes - 1 or entries[row, BOUND] < value):
        entries[row, BOUND] = value
        entries[row, BOUND_UP_TO] = changes - 1
    if found >= 0:
        entries[row, FOUND] = value
        entries[row, FOUND_FROM] = need
        entries[row, FOUND_TEST] = found


@part_of_kernel
def recall_part(entries, part, left, fees_paid):
    """Raises what is proven of a part to what the cache knows; an exact answer settles the part."""
    key, key2 = key_of(part, fees_paid)
    row = look_up(entries, key, key2)
    if row == MISSING or entries[row, BOUND_UP_TO] < left:
        return
    if entries[row, BOUND] >= part[PROVEN]:
        part[PROVEN] = entries[row, BOUND]
        part[UP_TO] = entries[row, BOUND_UP_TO] + 1
        if entries[row, FOUND] == entries[row, BOUND] and entries[row, FOUND_FROM] <= left:
            part[LEAF] = part[LEAST]
            part[NEED] = entries[row, FOUND_FROM]


@part_of_kernel
def work_of_pairs(n_objects, n_tests, n_classes):
    """About how many nanoseconds counting and scoring all pairs of binary tests takes."""
    return n_tests * n_tests * (n_objects + 128 * n_classes) // 256 + 2000


@part_of_kernel
def recall_bound(entries, part, left, fees_paid):
    """What is known to be wrong with a part at least, and below which budget: of its keys alone."""
    part[UP_TO] = NEVER
    if part[SIZE] > 1:
        key, key2 = key_of(part, fees_paid)
        row = look_up(entries, key, key2)
        if row != MISSING and entries[row, BOUND_UP_TO] >= left and entries[row, BOUND] > part[LEAST]:
            part[UP_TO] = entries[row, BOUND_UP_TO] + 1
            return entries[row, BOUND]
    return part[LEAST]


@part_of_kernel
def search(room, pairwise, bits, breadth, stats, budget, fees_paid, cutoff, depth, only, afresh):
    """(value, changes, need, test) for the set that `stats` describes.

    value    the fewest errors if below the cutoff, else a lower bound of at least the cutoff; STOPPED if interrupted
    changes  the least budget at which that may no longer hold
    need     what the tree found needs, and its first test
    breadth  how many tests to try at each set: ALL_TESTS proves, less only finds
    only     the one test to try at this set, or NO_TEST
    afresh   1: the value is the cutoff less one, and the first test that reaches it is wanted, whatever the cache says
    """
    data, keys, money, tables, scratch, entries, filled, flags = room
    start, total, leaf, least = stats[FIRST], stats[TOTAL], stats[LEAF], stats[LEAST]
    # Not literals: numba would compile a recursion with those apart.
    nothing, no_test = np.int64(0), np.int64(NO_TEST)
    if leaf == least:
        return leaf, NEVER, nothing, no_test
    if least >= cutoff:
        return least, NEVER, nothing, no_test
    end = start + stats[SIZE]
    labels = data[1]
    own, dearest, n_outcomes, fee_mask, fees = money
    order, active, n_active, chains, ranks, all_parts, cheapest = tables
    spare, votes, _, chosen, cells, correct, score, class_here, label_here = scratch
    above = depth - 1
    chain = chains[above]
    two = chain[0] + chain[1]
    if only == NO_TEST and budget < two:
        n_chosen, beyond = affordable(
            active[above], n_active[above], dearest, fee_mask, fees, fees_paid, budget, chosen
        )
        if pairwise is not None:
            data = number_classes(data, order, start, end, class_here, label_here)
        value, test = best_split(data, order, start, end, total, leaf, least, chosen, n_chosen, cells, correct)
        changes = NEVER if value == least else min(beyond, two)
        need = nothing if test == NO_TEST else dearest[test] + fees_due(fee_mask, fees, fees_paid, test)
        return value, changes, need, test
    best, best_need, best_test = leaf, nothing, no_test
    proven, proven_up_to = cutoff - 1 if afresh else least, NEVER - 1
    proves = breadth >= ALL_TESTS
    tag = (np.int64(breadth) << TEST_BITS) | ((budget & (2**30 - 1)) << 32)
    if only == NO_TEST and not afresh:
        key, key2 = key_of(stats, fees_paid)
        row = look_up(entries, key, key2)
        if row != MISSING:
            found = entries[row, FOUND_TEST]
            if entries[row, FOUND_FROM] <= budget and entries[row, FOUND] < best:
                best, best_need = entries[row, FOUND], entries[row, FOUND_FROM]
                best_test = (found & (2**TEST_BITS - 1)) - 1
            if entries[row, BOUND_UP_TO] >= budget and entries[row, BOUND] > proven:
                proven, proven_up_to = entries[row, BOUND], entries[row, BOUND_UP_TO]
            if proven >= cutoff:
                return proven, proven_up_to + 1, nothing, no_test
            if best == proven or (not proves and (found >> TEST_BITS) == (tag >> TEST_BITS)):
                return best, proven_up_to + 1, best_need, best_test
    if flags[STOP] != 0 or flags[WORK] > flags[MOST_WORK]:
        return STOPPED, NEVER, nothing, no_test
    work_before = flags[WORK]
    if only == NO_TEST and budget < two + chain[2]:
        if bits is not None:
            parts = all_parts[depth]
            for field in range(N_STATS):
                parts[0, field] = stats[field]
                parts[1, field] = 0
            last_two_of_parts(
                bits, money, labels, order, active[above], n_active[above], chain, budget, budget, fees_paid, nothing,
                parts,
            )  # fmt: skip
            value, changes, need, test = parts[0, PROVEN], parts[0, UP_TO], parts[0, NEED], bits[11][0]
            flags[WORK] += work_of_pairs(end - start, n_active[above], data[3])
        if pairwise is not None:
            for position in range(start, end):
                spare[position] = order[position]
            value, changes, need, test = last_two(
                data, keys[0], money, scratch, pairwise, start, end, leaf, least, active[above], n_active[above],
                budget, fees_paid, cutoff, chain, flags,
            )  # fmt: skip
            if value == STOPPED:
                return STOPPED, NEVER, nothing, no_test
        found = test + 1 if value < cutoff else no_test
        remember(entries, filled, stats, fees_paid, 1 + flags[WORK] - work_before, value, changes, True, need, found)
        return value, changes, need, test
    still, ranked, parts = active[depth], ranks[depth], all_parts[depth]
    if bits is not None:
        n_still, n_ranked, changes, free = rank_by_ones(
            bits, money, labels, order, start, end, active[above], n_active[above], fees_paid, budget, depth, score,
            still, ranked,
        )  # fmt: skip
        count_pairs(bits, order, start, end, still, n_still, depth)
    if pairwise is not None:
        n_still, n_ranked, changes, free = rank(
            number_classes(data, order, start, end, class_here, label_here), money, order, start, end, active[above],
            n_active[above], fees_paid, budget, cells, correct, score, still, ranked,
        )  # fmt: skip
    flags[WORK] += (end - start) * n_active[above] + n_active[above] * data[3] * data[4]
    if bits is not None:
        flags[WORK] += work_of_pairs(end - start, n_still, data[3])
    n_active[depth] = n_still
    describe_chain(still, n_still, dearest, cheapest, chains[depth])
    if only == NO_TEST and free != NO_TEST:
        ranked[0] = free
        n_ranked = np.int64(1)
    if n_ranked < len(ranked):
        ranked[n_ranked] = NO_TEST  # where the ranking ends, for those who read it
    bound = min(best, cutoff)
    refuted = leaf
    tried = 0
    if bits is not None:  # noqa: SIM102 - numba drops a branch only if None alone decides
        if only == NO_TEST:
            forget_parts(bits, depth)
    for i in range(n_ranked):
        test = np.int64(ranked[i])
        if only != NO_TEST and test != only:
            continue
        tried += 1
        if tried > breadth:
            break
        flags[WORK] += 3 * (end - start) + 4 * i + 100  # splitting, similarity, looking up
        due = fees_due(fee_mask, fees, fees_paid, test)
        fees_after = fees_paid | fee_mask[test]
        for outcome in range(n_outcomes[test]):
            parts[outcome, PROVEN] = 0
            parts[outcome, UP_TO] = NEVER
        if bits is not None:
            wrong = bound_by_similarity(bits, own, depth, test, budget - due, fees_after, parts)
            if wrong >= bound:
                for outcome in range(2):
                    changes = min(changes, parts[outcome, UP_TO] + due + own[test, outcome])
                refuted = min(refuted, wrong)
                continue
            split_in_two(bits, keys, order, stats, depth, test, parts)
        if pairwise is not None:
            sum_keys(data[0], keys, order, start, end, test, n_outcomes[test], parts)
            wrong = nothing
            for outcome in range(n_outcomes[test]):
                wrong += recall_bound(entries, parts[outcome], budget - due - own[test, outcome], fees_after)
            if wrong >= bound:  # most tests end here
                for outcome in range(n_outcomes[test]):
                    changes = min(changes, parts[outcome, UP_TO] + due + own[test, outcome])
                refuted = min(refuted, wrong)
                continue
            split(data, keys, order, spare, start, end, test, n_outcomes[test], votes, parts)
        wrong = nothing
        for outcome in range(n_outcomes[test]):
            if parts[outcome, PROVEN] <= parts[outcome, LEAST]:
                parts[outcome, PROVEN] = parts[outcome, LEAST]
                parts[outcome, UP_TO] = NEVER
            if parts[outcome, LEAF] > parts[outcome, LEAST]:
                recall_part(entries, parts[outcome], budget - due - own[test, outcome], fees_after)
            wrong += parts[outcome, PROVEN]
        if bits is not None:
            scored = -1
            if wrong < bound:
                scored = last_two_of_parts(
                    bits, money, labels, order, still, n_still, chains[depth], budget - due - own[test, 0],
                    budget - due - own[test, 1], fees_after, depth, parts,
                )  # fmt: skip
            if scored >= 0:
                flags[WORK] += work_of_pairs((end - start) // 2, n_still, data[3])
                wrong = parts[0, PROVEN] + parts[1, PROVEN]
                for outcome in range(2):
                    if scored & (1 << outcome):
                        remember(
                            entries, filled, parts[outcome], fees_after, parts[outcome, SIZE], parts[outcome, PROVEN],
                            parts[outcome, UP_TO], True, parts[outcome, NEED], bits[11][outcome] + 1,
                        )  # fmt: skip
        while wrong < bound:
            outcome = most_mixed(parts, n_outcomes[test])
            if outcome < 0:
                break
            rest = wrong - parts[outcome, PROVEN]
            value, part_changes, part_need, _ = search(
                room, pairwise, bits, breadth, parts[outcome], budget - due - own[test, outcome], fees_after,
                bound - rest, depth + 1, no_test, nothing,
            )  # fmt: skip
            if value == STOPPED:
                return STOPPED, NEVER, nothing, no_test
            parts[outcome, LEAF] = parts[outcome, LEAST]  # settled
            parts[outcome, PROVEN] = value
            parts[outcome, UP_TO] = part_changes
            parts[outcome, NEED] = part_need
            wrong = rest + value
        need = dearest[test] + due
        for outcome in range(n_outcomes[test]):
            need = max(need, due + own[test, outcome] + parts[outcome, NEED])
            if parts[outcome, PROVEN] > parts[outcome, LEAST]:
                changes = min(changes, parts[outcome, UP_TO] + due + own[test, outcome])
        if bits is not None:  # noqa: SIM102
            if proves:
                remember_parts(bits, depth, test, fees_after, parts)
        refuted = min(refuted, wrong)
        if wrong < bound:
            best, best_need, best_test, bound = wrong, need, test, wrong
            if best == proven:
                changes = proven_up_to + 1  # of the tests not tried only the bound is known
                break
    if bits is not None:  # noqa: SIM102 - numba drops a branch only if None alone decides
        if only == NO_TEST:
            forget_parts(bits, depth)
    if only != NO_TEST:
        return refuted, changes, best_need, best_test
    value = best if best < cutoff else max(min(refuted, best), proven)
    if afresh:
        return value, changes, best_need, best_test
    if value == proven:
        changes = max(changes, proven_up_to + 1)
    found = no_test
    if best < cutoff:
        found = best_test + 1 if proves else tag | (best_test + 1)
    remember(entries, filled, stats, fees_paid, 1 + flags[WORK] - work_before, value, changes, proves, best_need, found)
    return value, changes, best_need, best_test
