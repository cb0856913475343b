"""Growth by the kernel: lays out its arrays, and answers when it asks for more room or for the exact rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import count_classes
from budgetree.counts.kernels import block_levels, new_lanes
from budgetree.learn import kernel
from budgetree.learn.rule import choose, stops
from budgetree.learn.settings import Settings
from budgetree.problem import Instance
from budgetree.problem.encoding import MAX_OUTCOMES
from budgetree.tree import LEAF, Nodes

FIRST_CAPACITY = 4096
HUGE = 1e300  # a float threshold above every value


class _Growing(NamedTuple):
    """The kernel's node arrays, in its order; they grow as the tree does."""

    test: NDArray[np.int32]
    parent: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    paid: NDArray[np.int64]
    fees_paid: NDArray[np.int64]
    counts: NDArray[np.int64]
    owes: NDArray[np.float64]  # the impurity, as the kernel computed it
    first_branch: NDArray[np.int64]
    branches: NDArray[np.int32]
    fallback: NDArray[np.bool_]

    @classmethod
    def with_room(cls, capacity: int, n_classes: int) -> _Growing:
        test, parent = np.empty((2, capacity), np.int32)
        branches = np.empty(4 * capacity, np.int32)
        start, end, paid, fees_paid, first_branch = np.empty((5, capacity), np.int64)
        counts, owes = np.empty((capacity, n_classes), np.int64), np.empty(capacity)
        fallback = np.zeros(capacity, np.bool_)
        return cls(test, parent, start, end, paid, fees_paid, counts, owes, first_branch, branches, fallback)

    def doubled(self) -> _Growing:
        return _Growing(*(np.concatenate([array, np.zeros_like(array)]) for array in self))


@dataclass(frozen=True, slots=True, eq=False)
class _Inputs:
    """What the kernel needs of an instance, whatever the settings."""

    data: tuple[Any, ...]
    money: tuple[Any, ...]
    shape: tuple[int, int, int]  # of the tallies: classes, outcomes, tests


# Preparing takes longer than growing a small tree, and one instance is usually grown many times.
_inputs: WeakKeyDictionary[Instance, _Inputs] = WeakKeyDictionary()


def _prepare(instance: Instance) -> _Inputs:
    table, schema = instance.schema.table, instance.schema
    weights = np.empty(0) if instance.has_unit_weights else instance.weight_units.astype(np.float64)
    same_price = bool((table.own == table.dearest[:, None]).all())
    own_by_outcome = np.ascontiguousarray(table.own.T, dtype=np.float64)
    cheapest = int(table.dearest.min())
    inputs = _Inputs(
        data=(instance.codes, instance.labels, weights, schema.n_outcomes, block_levels(schema.n_outcomes)),
        money=(own_by_outcome, same_price, table.dearest, table.fees, table.fee_mask, cheapest),
        shape=(instance.n_classes, max(2, int(schema.n_outcomes.max())), instance.n_tests),
    )
    _inputs[instance] = inputs
    return inputs


def grow_compiled(instance: Instance, settings: Settings) -> Nodes:
    """The same nodes as grow_plain, to the bit."""
    inputs = _inputs.get(instance) or _prepare(instance)
    n_classes, width, n_tests = inputs.shape
    objects = instance.class_order
    n_objects = len(objects.order)
    form = settings.form
    function = (form.kind, form.numbers, float(form.roundings))
    threshold = settings.delta * form.stretch if settings.delta else 0
    delta = float(min(int(threshold) if form.exact else threshold, HUGE))
    work = (
        objects.order.copy(),
        np.empty(n_objects, np.int32),
        np.empty(n_objects, np.uint8),
        np.empty(inputs.shape),
        new_lanes(),
        np.empty(n_classes, np.int64),
        np.empty(MAX_OUTCOMES, np.int64),
        np.empty((kernel.N_SCORES, n_tests)),
        np.empty((kernel.N_SET_ROWS, width * n_tests)),
    )
    nodes = _Growing.with_room(max(min(2 * n_objects, FIRST_CAPACITY), 1) + 2 * width, n_classes)
    nodes.parent[0], nodes.first_branch[0] = -1, -1
    nodes.start[0], nodes.end[0] = 0, n_objects
    nodes.paid[0], nodes.fees_paid[0] = 0, 0
    nodes.counts[0] = objects.counts
    state = np.array([0, 1, 0, kernel.NOT_FORCED])
    limits = (delta, settings.budget, settings.rule == "worst")
    while True:
        status = kernel.grow_nodes(inputs.data, inputs.money, function, limits, tuple(nodes), work, state)
        if status == kernel.DONE:
            break
        if status == kernel.FULL:
            nodes = nodes.doubled()
        else:
            state[kernel.FORCED] = _decide(instance, settings, nodes, int(state[kernel.NEXT]), work[0])
    size, n_branches = int(state[kernel.N_NODES]), int(state[kernel.N_BRANCHES])
    test = nodes.test[:size].copy()
    return Nodes(
        test=test,
        parent=nodes.parent[:size].copy(),
        counts=nodes.counts[:size].copy(),
        paid=nodes.paid[:size].copy(),
        first_branch=nodes.first_branch[:size].copy(),
        branches=nodes.branches[:n_branches].copy(),
        fallback=nodes.fallback[:size] & (test != LEAF),
    )


def _decide(instance: Instance, settings: Settings, nodes: _Growing, node: int, order: NDArray[np.int32]) -> int:
    """The exact rule's answer for a node where floats could not tell."""
    if stops(nodes.counts[node], settings.form, settings.delta):
        return LEAF
    table = instance.schema.table
    counts = count_classes(instance, order[nodes.start[node] : nodes.end[node]])
    due = table.fees_due(int(nodes.fees_paid[node]))
    offered = nodes.paid[node] + due + table.dearest <= settings.budget
    choice = choose(counts, table.own + due[:, None], offered, settings.form, settings.rule)
    if choice is None:
        return LEAF
    nodes.fallback[node] = choice.fallback
    return choice.test
