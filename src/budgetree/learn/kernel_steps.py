"""What each budget buys of a grown tree, compiled: the cut at every budget at once, for many trees in a row.

The trees of a row are given, or found by bisection over a hinge's α; portfolio.py has the bisection's plain twin.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from budgetree.learn.kernel import DONE, FULL, N_NODES, grow_nodes
from budgetree.learn.kernel_choice import LEAF, fees_due

END, AT_ROOT, AT_LEAVES, MAX_COST = 0, 1, 2, 3  # the columns of `summaries`
N_SUMMARY = 4


@njit(cache=True, nogil=True, error_model="numpy")
def budget_steps(size, nodes, money, need, gain, summary):
    """Per inner node in order: the least budget whose cut does its test, and the errors that doing it saves.

    Sets the summary: how many inner nodes there are, the errors of the root as a leaf and of the whole tree, and the
    dearest path.
    """
    _, _, dearest, fees, fee_mask, _, _ = money
    test_of, parent, _, _, _, paid, fees_paid, counts, _, _, _, _ = nodes
    place = np.empty(size, dtype=np.int64)  # of each inner node among the inner nodes
    n_inner = 0
    wrong_at_leaves = 0
    dearest_path = 0
    for node in range(size):
        total = 0
        most = 0
        for c in range(counts.shape[1]):
            total += counts[node, c]
            most = max(most, counts[node, c])
        wrong = total - most
        dearest_path = max(dearest_path, paid[node])
        reached_at = 0
        if node == 0:
            summary[AT_ROOT] = wrong
        else:
            above = place[parent[node]]
            gain[above] -= wrong
            reached_at = need[above]
        test = test_of[node]
        if test == LEAF:
            wrong_at_leaves += wrong
            continue
        place[node] = n_inner
        cost = paid[node] + dearest[test] + fees_due(fees, fee_mask[test], fees_paid[node])
        need[n_inner] = max(cost, reached_at)
        gain[n_inner] = wrong
        n_inner += 1
    summary[END] = n_inner
    summary[AT_LEAVES] = wrong_at_leaves
    summary[MAX_COST] = dearest_path


@njit(cache=True, nogil=True, error_model="numpy")
def grow_in_a_row(
    functions, bisection, data, money, settings, nodes, work, state, pool, slots, gaps, need, gain, summaries
):  # fmt: skip
    """Grow trees from a pool, one after another; returns how many were grown, and how the last growth ended.

    functions  kinds, numbers and roundings, one row per tree. With a bisection the first two are the ends of a hinge's
               α's, and those found between them are appended round by round.
    bisection  the smallest difference of α's that is bisected (0: no bisection), in the units of numbers[:, 1], and
               whether α² is subtracted
    gaps       scratch: the neighbours still to be compared
    The steps of tree i are need and gain from summaries[i - 1, END] to summaries[i, END]. It stops at a tree that
    needs help, or when something might not fit any more.
    """
    kinds, numbers, roundings = functions
    close, subtract_square = bisection
    end = 0
    first = 0
    n_asked = 2 if close > 0 else len(kinds)
    n_gaps = 1
    gaps[0, 0], gaps[0, 1] = 0, 1
    while first < n_asked:
        for i in range(first, n_asked):
            state[:] = 0
            function = (kinds[i], numbers[i], roundings[i])
            status = grow_nodes(data, money, function, settings, nodes, work, state, True, pool, slots)
            if status == DONE and end + state[N_NODES] > len(need):
                status = FULL
            if status != DONE:
                return i, status
            budget_steps(state[N_NODES], nodes, money, need[end:], gain[end:], summaries[i])
            end += summaries[i, END]
            summaries[i, END] = end
        first = n_asked
        if close == 0:
            break
        if 4 * n_gaps > len(gaps) or n_asked + n_gaps > len(kinds):
            return n_asked, FULL
        kept = 0
        half = len(gaps) // 2  # the new gaps are written behind the old ones, then moved to the front
        for gap in range(n_gaps):
            low, high = gaps[gap, 0], gaps[gap, 1]
            agree = (
                summaries[low, MAX_COST] == summaries[high, MAX_COST]
                and summaries[low, AT_LEAVES] == summaries[high, AT_LEAVES]
            )
            if agree or numbers[high, 1] - numbers[low, 1] < close:
                continue
            middle = (numbers[low, 1] + numbers[high, 1]) / 2.0
            numbers[n_asked, 1] = middle
            numbers[n_asked, 2] = middle * middle if subtract_square else 0.0
            gaps[half + kept, 0], gaps[half + kept, 1] = low, n_asked
            gaps[half + kept + 1, 0], gaps[half + kept + 1, 1] = n_asked, high
            kept += 2
            n_asked += 1
        for gap in range(kept):
            gaps[gap, 0], gaps[gap, 1] = gaps[half + gap, 0], gaps[half + gap, 1]
        n_gaps = kept
    return n_asked, DONE
