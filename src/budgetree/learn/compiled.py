"""Growth by the kernel: lays out its arrays, and answers when it asks for more room or for the exact rule."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import count_classes
from budgetree.counts.kernels import block_levels, new_lanes
from budgetree.impurity.forms import HINGE, MOST_NUMBERS, POLYNOMIAL, FormRow
from budgetree.learn import kernel
from budgetree.learn.decision import Purse, decide
from budgetree.learn.kernel_choice import N_SCORES
from budgetree.learn.kernel_steps import END, N_SUMMARY, budget_steps, grow_in_a_row
from budgetree.learn.pool import Pool, Shape
from budgetree.learn.settings import Settings
from budgetree.learn.steps import Steps, join_steps
from budgetree.problem import Instance
from budgetree.problem.encoding import MAX_OUTCOMES
from budgetree.tree import LEAF, Nodes

FIRST_CAPACITY = 4096
OFTEN_GROWN = 100_000  # objects: below, the arrays of a growth are kept for the next one
MOST_BISECTED, MOST_STEPS = 2**12, 2**20  # trees and inner nodes in one go of a bisection
Row = tuple[list[float], Steps]
LARGEST_FLOAT = 10**300  # a threshold above it is as good as infinite: the kernel asks about values that large


class _Growing(NamedTuple):
    """The kernel's node arrays, in its order; they grow as the tree does."""

    test: NDArray[np.int32]
    parent: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    set: NDArray[np.int64]
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
        start, end, set_of, paid, fees_paid, first_branch = np.empty((6, capacity), np.int64)
        counts, owes = np.empty((capacity, n_classes), np.int64), np.empty(capacity)
        fallback = np.empty(capacity, np.bool_)
        return cls(test, parent, start, end, set_of, paid, fees_paid, counts, owes, first_branch, branches, fallback)

    def doubled(self) -> _Growing:
        return _Growing(*(np.concatenate([array, np.empty_like(array)]) for array in self))


@dataclass(frozen=True, slots=True, eq=False)
class _Inputs:
    """What the kernel needs of an instance, whatever the settings."""

    data: tuple[Any, ...]
    money: tuple[Any, ...]
    shape: Shape  # of a node's tallies


# Preparing takes longer than growing a small tree, and one instance is usually grown many times.
_inputs: WeakKeyDictionary[Instance, _Inputs] = WeakKeyDictionary()


def _inputs_of(instance: Instance) -> _Inputs:
    known = _inputs.get(instance)
    if known is not None:
        return known
    table, schema = instance.schema.table, instance.schema
    weights = np.empty(0) if instance.has_unit_weights else instance.weight_units.astype(np.float64)
    own = np.ascontiguousarray(table.own.T, dtype=np.float64)
    cheapest, highest = int(table.dearest.min()), float(table.dearest.max() + table.fees.sum())
    inputs = _Inputs(
        data=(
            instance.codes,
            instance.labels,
            weights,
            schema.n_outcomes,
            block_levels(schema.n_outcomes),
            instance.class_order.counts,
        ),
        money=(own, not table.has_outcome_prices, table.dearest, table.fees, table.fee_mask, cheapest, highest),
        shape=(instance.n_classes, max(2, int(schema.n_outcomes.max())), instance.n_tests),
    )
    _inputs[instance] = inputs
    return inputs


class _Workspace:
    """The arrays a growth writes to. It keeps nothing of the instance, so that it may be cached by it."""

    def __init__(self, instance: Instance, shape: Shape, cache_bytes: int | None) -> None:
        n_classes, width, n_tests = shape
        n_objects = len(instance.class_order.order)
        self.pool = Pool(instance, shape, cache_bytes)
        self.order = np.empty(n_objects, np.int32)
        self.work = (
            np.empty(n_objects, np.int32),
            np.empty(n_objects, np.uint8),
            new_lanes(),
            np.empty(n_classes, np.int64),
            np.empty(n_classes, np.int64),
            np.empty(MAX_OUTCOMES, np.int64),
            np.empty((N_SCORES, n_tests)),
            np.empty((2, width * n_tests)),
        )
        self.nodes = _Growing.with_room(max(min(2 * n_objects, FIRST_CAPACITY), 1) + 2 * width, n_classes)
        self.state = np.zeros(4, np.int64)


class _Workspaces(threading.local):
    """Each thread's workspaces for instances that are small and therefore often grown."""

    def __init__(self) -> None:
        self.known: WeakKeyDictionary[Instance, _Workspace] = WeakKeyDictionary()

    def of(self, instance: Instance, shape: Shape) -> _Workspace:
        space = self.known.get(instance)
        if space is None:
            space = _Workspace(instance, shape, None)
            if instance.n_objects <= OFTEN_GROWN:
                self.known[instance] = space
        return space


_workspaces = _Workspaces()


class CompiledGrower:
    """Grows trees on one instance, one after another; with cache_bytes they share what they count."""

    def __init__(self, instance: Instance, cache_bytes: int | None = None) -> None:
        self._instance = instance
        self._inputs = _inputs_of(instance)
        shape = self._inputs.shape
        if cache_bytes is None:
            self._space = _workspaces.of(instance, shape)
        else:
            self._space = _Workspace(instance, shape, cache_bytes)
        self._pool = self._space.pool

    def grow(self, settings: Settings) -> None:
        """Grow a tree; nodes() and steps() tell of it until the next one is grown."""
        if self._pool.is_shared:
            if self._grow(settings, pooled=True):
                return
            fresh = self._pool.is_fresh
            self._pool.clear()
            if not fresh and self._grow(settings, pooled=True):
                return
            self._pool.clear()  # a tree too large for the pool: grown by itself, it needs none
        self._grow(settings, pooled=False)

    def nodes(self) -> Nodes:
        """The tree just grown."""
        size, grown = int(self._space.state[kernel.N_NODES]), self._space.nodes
        test = grown.test[:size].copy()
        return Nodes(
            test=test,
            parent=grown.parent[:size].copy(),
            counts=grown.counts[:size].copy(),
            paid=grown.paid[:size].copy(),
            first_branch=grown.first_branch[:size].copy(),
            branches=grown.branches[: self._space.state[kernel.N_BRANCHES]].copy(),
            fallback=grown.fallback[:size] & (test != LEAF),
        )

    def steps(self) -> Steps:
        """What each budget buys of the tree just grown."""
        size = int(self._space.state[kernel.N_NODES])
        need, gain = np.empty((2, size), np.int64)
        summaries = np.empty((1, N_SUMMARY), np.int64)
        budget_steps(size, tuple(self._space.nodes), self._inputs.money, need, gain, summaries[0])
        n_inner = int(summaries[0, END])
        return Steps(need[:n_inner], gain[:n_inner], summaries)

    def steps_of(self, row: FormRow, budget: int) -> Steps:
        """The steps of the trees for several impurities, grown in a row."""
        parts: list[Steps] = []
        done = 0
        while done < len(row):
            if self._pool.is_shared and row.kinds[done] != POLYNOMIAL:
                parts.append(self._steps_in_a_row(row, done, budget))
                done += len(parts[-1])
            if done < len(row):  # this one needs help on the way
                self.grow(Settings(row.form(done), Fraction(0), budget, "worst"))
                parts.append(self.steps())
                done += 1
        return join_steps(parts)

    def bisect(self, ends: FormRow, close: float, budget: int) -> Row | None:
        """The hinges between two ends that bisection finds, as their α's in the form's units, and their trees' steps.

        None when it is too much for one go: then the caller takes a round at a time.
        """
        numbers = np.empty((MOST_BISECTED, MOST_NUMBERS))
        numbers[:2] = ends.numbers
        numbers[2:, 0] = ends.numbers[0, 0]
        functions = (np.full(MOST_BISECTED, HINGE), numbers, np.full(MOST_BISECTED, ends.roundings[0]))
        found, status = self._in_a_row(functions, (close, bool(ends.numbers[1, 2])), budget, MOST_STEPS)
        if status != kernel.DONE:
            return None
        return numbers[: len(found), 1].tolist(), found

    def _steps_in_a_row(self, row: FormRow, first: int, budget: int) -> Steps:
        """As many as can be grown without help."""
        polynomials = np.flatnonzero(row.kinds[first:] == POLYNOMIAL)
        last = first + int(polynomials[0]) if len(polynomials) else len(row)
        functions = (row.kinds[first:last], row.numbers[first:last], row.roundings[first:last])
        room = len(self._space.nodes.test) * (last - first + 1)
        return self._in_a_row(functions, (0.0, False), budget, room)[0]

    def _in_a_row(
        self, functions: tuple[NDArray[Any], ...], bisection: tuple[float, bool], budget: int, room: int
    ) -> tuple[Steps, int]:
        size = len(functions[0])
        gaps = np.empty((max(4 * size, 4), 2), np.int64)
        summaries = np.empty((size, N_SUMMARY), np.int64)
        need, gain = np.empty((2, room), np.int64)
        n_done, status = grow_in_a_row(
            functions, bisection, self._inputs.data, self._inputs.money, (0.0, budget, True),
            tuple(self._space.nodes), (self._pool.rows, *self._space.work), self._space.state, self._pool.arrays,
            self._pool.slots, gaps, need, gain, summaries,
        )  # fmt: skip
        end = int(summaries[n_done - 1, END]) if n_done else 0
        # Copies, because the arrays have room for far more than they hold.
        return Steps(need[:end].copy(), gain[:end].copy(), summaries[:n_done].copy()), status

    def _grow(self, settings: Settings, *, pooled: bool) -> bool:
        """False when the pool has no room for the tree."""
        objects, form, state = self._instance.class_order, settings.form, self._space.state
        order = self._pool.rows if pooled else self._space.order
        if not pooled:
            order[:] = objects.order
        state[:] = 0
        function = (form.kind, form.numbers, float(form.roundings))
        threshold = settings.delta * form.stretch if settings.delta else 0
        delta = math.inf if threshold > LARGEST_FLOAT else float(int(threshold) if form.exact else threshold)
        limits = (delta, settings.budget, settings.rule == "worst")
        work = (order, *self._space.work)
        while True:
            status = kernel.grow_nodes(
                self._inputs.data, self._inputs.money, function, limits, tuple(self._space.nodes), work, state, pooled,
                self._pool.arrays, self._pool.slots,
            )  # fmt: skip
            if status == kernel.DONE:
                return True
            if status == kernel.POOL_FULL:
                return False
            if status == kernel.FULL:
                self._space.nodes = self._space.nodes.doubled()
            else:
                state[kernel.FORCED] = self._decide(settings, int(state[kernel.NEXT]), order)

    def _decide(self, settings: Settings, node: int, order: NDArray[np.int32]) -> int:
        """The exact rule's answer for a node where floats could not tell."""
        nodes = self._space.nodes
        choice = decide(
            nodes.counts[node],
            lambda: count_classes(self._instance, order[nodes.start[node] : nodes.end[node]]),
            Purse(self._instance.schema.table, int(nodes.paid[node]), int(nodes.fees_paid[node])),
            settings,
        )
        nodes.fallback[node] = choice.fallback if choice else False
        return choice.test if choice else LEAF


def grow_compiled(instance: Instance, settings: Settings) -> Nodes:
    """The same nodes as grow_plain, to the bit."""
    grower = CompiledGrower(instance)
    grower.grow(settings)
    return grower.nodes()
