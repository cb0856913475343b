"""Growth by the kernel: lays out its arrays, and answers when it asks for more room or for the exact rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree.counts import count_classes
from budgetree.counts.kernels import block_levels, new_lanes
from budgetree.impurity import Form
from budgetree.impurity.forms import POLYNOMIAL
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
LARGEST_FLOAT = 10**300  # a threshold above it is as good as infinite: the kernel asks about values that large
MOST_NUMBERS = 3  # of any form but a polynomial's


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
        data=(instance.codes, instance.labels, weights, schema.n_outcomes, block_levels(schema.n_outcomes)),
        money=(own, not table.has_outcome_prices, table.dearest, table.fees, table.fee_mask, cheapest, highest),
        shape=(instance.n_classes, max(2, int(schema.n_outcomes.max())), instance.n_tests),
    )
    _inputs[instance] = inputs
    return inputs


class CompiledGrower:
    """Grows trees on one instance, one after another; with cache_bytes they share what they count."""

    def __init__(self, instance: Instance, cache_bytes: int | None = None) -> None:
        self._instance = instance
        self._inputs = _inputs_of(instance)
        n_classes, width, n_tests = self._inputs.shape
        n_objects = len(instance.class_order.order)
        self._pool = Pool(instance, self._inputs.shape, cache_bytes)
        self._order = np.empty(n_objects, np.int32)
        self._work = (
            np.empty(n_objects, np.int32),
            np.empty(n_objects, np.uint8),
            new_lanes(),
            np.empty(n_classes, np.int64),
            np.empty(MAX_OUTCOMES, np.int64),
            np.empty((N_SCORES, n_tests)),
            np.empty((2, width * n_tests)),
        )
        self._nodes = _Growing.with_room(max(min(2 * n_objects, FIRST_CAPACITY), 1) + 2 * width, n_classes)
        self._state = np.empty(4, np.int64)

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
        size, grown = int(self._state[kernel.N_NODES]), self._nodes
        test = grown.test[:size].copy()
        return Nodes(
            test=test,
            parent=grown.parent[:size].copy(),
            counts=grown.counts[:size].copy(),
            paid=grown.paid[:size].copy(),
            first_branch=grown.first_branch[:size].copy(),
            branches=grown.branches[: self._state[kernel.N_BRANCHES]].copy(),
            fallback=grown.fallback[:size] & (test != LEAF),
        )

    def steps(self) -> Steps:
        """What each budget buys of the tree just grown."""
        size = int(self._state[kernel.N_NODES])
        need, gain = np.empty((2, size), np.int64)
        summaries = np.empty((1, N_SUMMARY), np.int64)
        budget_steps(size, tuple(self._nodes), self._inputs.money, need, gain, summaries[0])
        n_inner = int(summaries[0, END])
        return Steps(need[:n_inner], gain[:n_inner], summaries)

    def steps_of(self, forms: Sequence[Form], budget: int) -> Steps:
        """The steps of the trees for several impurities, grown in a row."""
        parts: list[Steps] = []
        done = 0
        while done < len(forms):
            if self._pool.is_shared and forms[done].kind != POLYNOMIAL:
                parts.append(self._steps_in_a_row(forms[done:], budget))
                done += len(parts[-1])
            if done < len(forms):  # this one needs help on the way
                self.grow(Settings(forms[done], Fraction(0), budget, "worst"))
                parts.append(self.steps())
                done += 1
        return join_steps(parts)

    def _steps_in_a_row(self, forms: Sequence[Form], budget: int) -> Steps:
        """As many as can be grown without help."""
        numbers = np.zeros((len(forms), MOST_NUMBERS))
        for row, form in zip(numbers, forms, strict=True):
            if form.kind == POLYNOMIAL:  # its numbers say by their length how many terms it has
                break
            row[: len(form.numbers)] = form.numbers
        kinds = np.array([form.kind for form in forms])
        roundings = np.array([form.roundings for form in forms], np.float64)
        before = kinds.tolist().index(POLYNOMIAL) if POLYNOMIAL in kinds else len(forms)
        functions = (kinds[:before], numbers[:before], roundings[:before])
        summaries = np.zeros((before, N_SUMMARY), np.int64)
        need, gain = np.empty((2, len(self._nodes.test) * (before + 1)), np.int64)
        n_done, _ = grow_in_a_row(
            self._inputs.data, self._inputs.money, functions, (0.0, budget, True), tuple(self._nodes),
            (self._pool.rows, *self._work), self._state, self._pool.arrays, self._pool.slots,
            self._instance.class_order.counts, len(self._order), need, gain, summaries,
        )  # fmt: skip
        end = int(summaries[n_done - 1, END]) if n_done else 0
        return Steps(need[:end], gain[:end], summaries[:n_done])

    def _grow(self, settings: Settings, *, pooled: bool) -> bool:
        """False when the pool has no room for the tree."""
        objects, form, state = self._instance.class_order, settings.form, self._state
        order = self._pool.rows if pooled else self._order
        if not pooled:
            order[:] = objects.order
        function = (form.kind, form.numbers, float(form.roundings))
        kernel.plant_root(function, tuple(self._nodes), state, objects.counts, len(self._order))
        threshold = settings.delta * form.stretch if settings.delta else 0
        delta = math.inf if threshold > LARGEST_FLOAT else float(int(threshold) if form.exact else threshold)
        limits = (delta, settings.budget, settings.rule == "worst")
        work = (order, *self._work)
        while True:
            status = kernel.grow_nodes(
                self._inputs.data, self._inputs.money, function, limits, tuple(self._nodes), work, state, pooled,
                self._pool.arrays, self._pool.slots,
            )  # fmt: skip
            if status == kernel.DONE:
                return True
            if status == kernel.POOL_FULL:
                return False
            if status == kernel.FULL:
                self._nodes = self._nodes.doubled()
            else:
                state[kernel.FORCED] = self._decide(settings, int(state[kernel.NEXT]), order)

    def _decide(self, settings: Settings, node: int, order: NDArray[np.int32]) -> int:
        """The exact rule's answer for a node where floats could not tell."""
        nodes = self._nodes
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
