"""A grown tree as nodes, all at once, from what a learner finds that splits by one test at a time.

grown   0: age ──► 1, 2                     nodes   0 buy age ─ 1 by age ─┬─ 2 …  (grown 1)
                                                                          ├─ 3 …  (grown 2)
                                                                          └─ 4 leaf, unseen
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Schema
from budgetree.tree.nodes import NO_RULE, NO_TEST, Kind, Nodes, level_ranges

LEAF = -1
NO_BRANCH = -1


def grown_nodes(
    schema: Schema,
    test: NDArray[np.int32],
    counts: NDArray[np.int64],
    branches: NDArray[np.int32],
    fallback: NDArray[np.bool_],
) -> Nodes:
    """A buy, a branch by its result and a leaf for what no known case showed, for each test that was grown.

    test      per grown node, breadth first: what is bought there; LEAF for leaves
    counts    grown node × class, in weight units
    branches  per outcome of each of these tests, the child; NO_BRANCH where no known case showed it
    fallback  per grown node: Pairs chose here, because every other ratio was infinite
    """
    costs, inner = schema.costs, np.flatnonzero(test != LEAF)
    tests = test[inner].astype(np.int64)
    width = schema.n_outcomes[tests] + 1  # results of each purchase
    first_result = np.cumsum(width) - width
    owner = np.repeat(np.arange(len(inner)), width)
    outcome = np.arange(len(owner)) - first_result[owner]
    is_listed = outcome < width[owner] - 1
    child = np.full(len(owner), NO_BRANCH, dtype=np.int64)
    child[is_listed] = branches
    leads = child != NO_BRANCH
    parent, led_by, flags = np.full(len(test), -1), *np.zeros((2, len(test)), dtype=np.int64)
    parent[child[leads]], led_by[child[leads]] = inner[owner[leads]], outcome[leads]
    levels = level_ranges(parent)
    for low, high in levels[1:]:
        above = parent[low:high]
        flags[low:high] = flags[above] | costs.sets[test[above], led_by[low:high]]
    start, branch, unseen = _numbers(parent, inner, levels)
    buy, size = start[inner], len(test) + 2 * len(inner)
    kind = np.full(size, Kind.LEAF, dtype=np.uint8)
    kind[buy], kind[branch] = Kind.BUY, Kind.BY_RESULT
    node_test = np.full(size, NO_TEST, dtype=np.int32)
    node_test[buy] = node_test[branch] = tests
    n_children = np.zeros(size, dtype=np.int64)
    n_children[buy], n_children[branch] = 1, width
    first = np.cumsum(n_children) - n_children
    children = np.empty(int(n_children.sum()), dtype=np.int32)
    children[first[buy]] = branch
    children[first[branch][owner] + outcome] = np.where(leads, start[child], unseen[owner])
    resources = range(len(costs.resources))
    takes = np.stack([costs.charges(flags[inner], tests, resource) for resource in resources])
    charges = np.ascontiguousarray(takes[:, owner, np.where(is_listed, outcome, takes.shape[2] - 1)])
    paid, taken = np.zeros((2, len(resources), len(test)), dtype=np.int64)  # on arrival; by the result that leads here
    taken[:, child[leads]] = charges[:, leads]
    for low, high in levels[1:]:
        paid[:, low:high] = paid[:, parent[low:high]] + taken[:, low:high]
    spent = np.zeros((len(resources), size), dtype=np.int64)
    spent[:, start] = paid
    spent[:, branch] = spent[:, unseen] = paid[:, inner] + takes[:, :, -1]
    known_spent = spent[0].copy()
    if len(buy):
        # On the branch itself known cases have spent what the costliest result among them takes.
        known_spent[branch] = np.maximum.reduceat(np.where(leads, paid[0, child], 0), first_result)
        known_spent[unseen] = 0
    node_counts = np.zeros((size, counts.shape[1]), dtype=np.int64)
    node_counts[start], node_counts[branch] = counts, counts[inner]
    node_fallback = np.zeros(size, dtype=bool)
    node_fallback[buy] = fallback[inner]
    return Nodes(
        kind=kind,
        test=node_test,
        children=children,
        all_charges=charges,
        shown=np.where(leads, counts.sum(axis=1)[child], 0),
        rule=np.full(size, NO_RULE, dtype=np.int32),
        counts=node_counts,
        all_spent=spent,
        known_spent=known_spent,
        fallback=node_fallback,
        n_outcomes=schema.n_outcomes,
        loss_table=schema.loss_table,
    )


def leaf_nodes(schema: Schema, counts: NDArray[np.int64]) -> Nodes:
    """The nodes of a tree without any test, by the class counts of all cases."""
    return grown_nodes(schema, np.array([LEAF]), counts[None, :], np.empty(0, dtype=np.int32), np.zeros(1, dtype=bool))


def _numbers(
    parent: NDArray[np.int64], inner: NDArray[np.int64], levels: tuple[tuple[int, int], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Breadth first: the number of each grown node, and of the branch and the unseen leaf of each inner one."""
    n_grown, n_inner = len(parent), len(inner)
    level = np.repeat(np.arange(len(levels)), [last - first for first, last in levels])
    depth = np.concatenate([2 * level, 2 * level[inner] + 1, 2 * level[inner] + 2])
    above = np.concatenate([parent, inner, inner])  # parents are numbered in the order of their branches
    is_unseen = np.repeat([0, 1], [n_grown + n_inner, n_inner])
    number = np.empty(len(depth), dtype=np.int64)
    order = np.lexsort((np.concatenate([np.arange(n_grown), inner, inner]), is_unseen, above, depth))
    number[order] = np.arange(len(depth))
    return number[:n_grown], number[n_grown : n_grown + n_inner], number[n_grown + n_inner :]
