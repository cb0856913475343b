"""What each budget buys of a grown tree, compiled: the cut at every budget at once, for many trees in a row."""

from __future__ import annotations

import numpy as np
from numba import njit

from budgetree.learn.kernel import DONE, FULL, N_NODES, grow_nodes, plant_root
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
    data, money, functions, settings, nodes, work, state, pool, slots, whole, n_objects, need, gain, summaries
):  # fmt: skip
    """Grow a tree for each function from a pool; returns how many were grown, and how the last growth ended.

    The steps of tree i are need and gain from summaries[i - 1, END] to summaries[i, END]. It stops at a tree that
    needs help, or when the steps might not fit any more.
    """
    kinds, numbers, roundings = functions
    end = 0
    for i in range(len(kinds)):
        function = (kinds[i], numbers[i], roundings[i])
        plant_root(function, nodes, state, whole, n_objects)
        status = grow_nodes(data, money, function, settings, nodes, work, state, True, pool, slots)
        if status == DONE and end + state[N_NODES] > len(need):
            status = FULL
        if status != DONE:
            return i, status
        budget_steps(state[N_NODES], nodes, money, need[end:], gain[end:], summaries[i])
        end += summaries[i, END]
        summaries[i, END] = end
    return len(kinds), DONE
