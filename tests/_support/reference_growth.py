"""Growth and counting as small loops in NumPy: what the core and the growth by levels are compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import budgetree as bt
from budgetree.distributed.partition import NOWHERE, Moves, Partition, Step
from budgetree.learn.greedy.rule import Settings, decide, stops
from budgetree.problem import PathState
from budgetree.tree import LEAF, NO_BRANCH, Nodes
from budgetree.tree.grown import grown_nodes
from budgetree.tree.nodes import Kind


def count_in_numpy(instance: bt.Instance, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """The weight of every (test, outcome, class) among these rows."""
    return _counts(instance, rows, instance.weight_units)


def grow_in_numpy(instance: bt.Instance, settings: Settings) -> Nodes:
    """Breadth first, one node after another, from row numbers."""
    costs, n_outcomes = instance.schema.costs, instance.schema.n_outcomes
    rows = [instance.class_order.order]
    test, fallback, spent = [LEAF], [False], [costs.start]
    branches: list[int] = []
    node = 0
    while node < len(rows):
        counts = count_in_numpy(instance, rows[node])
        cases = _counts(instance, rows[node], np.ones_like(instance.weight_units))
        is_leaf = stops(counts[0].sum(axis=0), settings.form, settings.delta)
        choice = None if is_leaf else decide(counts, costs, spent[node], settings, cases)
        if choice is not None:
            test[node], fallback[node] = choice.test, choice.fallback
            state, own = spent[node], costs.amounts[0, choice.test].tolist()
            unpaid = int(costs.pays[choice.test]) & ~state.flags
            due = sum(amount for flag, amount in enumerate(costs.fees[0].tolist()) if unpaid >> flag & 1)
            for outcome in range(n_outcomes[choice.test]):
                part = rows[node][instance.codes[rows[node], choice.test] == outcome]
                branches.append(len(rows) if len(part) else NO_BRANCH)
                if len(part):
                    rows.append(part)
                    spent.append(PathState((state.spent[0] + due + own[outcome],), state.flags | unpaid, ()))
                    test.append(LEAF)
                    fallback.append(False)
        node += 1
    labels, units = instance.labels, instance.weight_units
    nodes = grown_nodes(
        instance.schema,
        np.array(test, dtype=np.int32),
        np.array([np.bincount(labels[r], units[r], instance.n_classes) for r in rows]).astype(np.int64),
        np.array(branches, dtype=np.int32),
        np.array(fallback, dtype=bool),
    )
    kept = (nodes.kind != Kind.BY_RESULT) & nodes.counts.any(axis=1)
    assert nodes.known_spent[kept].tolist() == [state.spent[0] for state in spent]
    return nodes


def move_in_numpy(partition: Partition, positions: NDArray[np.int32], moves: Moves) -> NDArray[np.int32]:
    """Each case's new position, by its outcome of the test at the old one."""
    moved = np.full(len(partition), NOWHERE, dtype=np.int32)
    test = np.where(positions >= 0, moves.test[positions], NOWHERE)
    rows = np.flatnonzero(test >= 0)
    moved[rows] = moves.below[positions[rows], partition.codes[rows, test[rows]]]
    return moved


def count_slots_in_numpy(partition: Partition, positions: NDArray[np.int32], step: Step) -> NDArray[np.int64]:
    """Slot × cell × class."""
    n_cells = int(partition.n_outcomes.sum())
    counts = np.zeros((step.n_slots, n_cells, partition.n_classes), dtype=np.int64)
    slot = np.where(positions >= 0, step.slots[positions], NOWHERE)
    rows = np.flatnonzero(slot >= 0)
    cell = np.cumsum(partition.n_outcomes) - partition.n_outcomes + partition.codes[rows]
    weights = partition.weight_units
    units = 1 if step.by_case or weights is None else weights[rows][:, None]
    np.add.at(counts, (slot[rows][:, None], cell, partition.labels[rows][:, None]), units)
    return counts


def _counts(instance: bt.Instance, rows: NDArray[np.int32], units: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = np.zeros((instance.n_tests, int(instance.schema.n_outcomes.max()), instance.n_classes), dtype=np.int64)
    tests = np.arange(instance.n_tests)
    np.add.at(counts, (tests, instance.codes[rows], instance.labels[rows][:, None]), units[rows][:, None])
    return counts
