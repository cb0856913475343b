"""Growth by the native core: what it is given of an instance, and what it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.distributed import AnyCases, DistributedCases
from budgetree.impurity import Form
from budgetree.impurity.functions import whole_bytes
from budgetree.learn.greedy.rule import Choice, LevelNodes, Settings
from budgetree.problem import Instance, LossTable, Schema
from budgetree.tree import Nodes
from budgetree.tree.grown import grown_nodes

WIDEST = 1 << 1000  # the core compares whole numbers of up to 1,024 bits


@dataclass(frozen=True, eq=False)
class NativeInstance:
    """An instance as the core knows it."""

    cases: Any  # core.Cases, which refers to the instance's arrays; None where cases are in partitions
    costs: Any  # core.CostModel
    total: int  # weight units of all cases
    n_classes: int
    highest_price: int
    counts_once: bool = True  # every case does, so that weight is a number of cases

    @cached_property
    def table(self) -> Any:
        """The cases, packed. That takes longer than growing a small tree, and is needed by most growth."""
        return core.PackedTable(self.cases, core.Clock())

    def pool(self, losses: LossTable, cache_bytes: int) -> Any:
        """What grows many trees from sets of cases that they share, and says what their cuts lose."""
        units = None if losses.is_plain else np.ascontiguousarray(losses.units)
        return core.Pool(self.table, self.costs, core.LeafPolicy(units, self.n_classes), cache_bytes)

    def serves(self, form: Form, min_cases: int = 1) -> bool:
        """Whether the core can grow by it: it knows the function, and its whole numbers are wide enough."""
        return self.counts_cases(min_cases) and self.compares(form)

    def compares(self, form: Form) -> bool:
        """Whether the core can settle every comparison that the form may need."""
        if form.kernel is None or not form.exact:
            return form.kernel is not None
        largest = form.largest(self.total)
        return largest is not None and largest * max(self.highest_price, 1) * self.total**2 < WIDEST

    def counts_cases(self, min_cases: int) -> bool:
        """Whether the core can tell how many cases a leaf has: it counts weight."""
        return min_cases == 1 or self.counts_once


_known: WeakKeyDictionary[Instance, NativeInstance] = WeakKeyDictionary()  # an instance is usually grown many times


def native_instance(instance: Instance) -> NativeInstance:
    """Made once, and nothing of the instance is copied."""
    native = _known.get(instance)
    if native is None:
        counts_once = bool((instance.weight_units == 1).all())
        weights = None if counts_once else instance.weight_units
        cases = core_cases(instance.codes, instance.labels, weights, instance.schema.n_outcomes, instance.n_classes)
        total = int(instance.weight_units.sum())  # sooner than by class_order, which sorts
        native = _known[instance] = _native(instance, cases, total, counts_once=counts_once)
    return native


def core_cases(
    codes: NDArray[np.uint8],
    labels: NDArray[np.integer[Any]],
    weights: NDArray[np.int64] | None,
    n_outcomes: NDArray[np.int64],
    n_classes: int,
) -> Any:
    """Cases as the core knows them; without weights each counts once."""
    arrays = (np.ascontiguousarray(codes), np.ascontiguousarray(labels, dtype=np.int32))
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.int64)
    # The codes were checked by the instance, whose codes cannot be changed.
    return core.Cases(*arrays, weights, n_outcomes.astype(np.int32), n_classes, codes_are_checked=True)


def native_totals(cases: DistributedCases) -> NativeInstance:
    """The same of cases in partitions, without the cases."""
    counts_once = cases.counts_once and cases.factors is None
    return _native(cases, None, cases.class_order.total, counts_once=counts_once)


def _native(cases: AnyCases, in_core: Any, total: int, *, counts_once: bool) -> NativeInstance:
    costs = cases.schema.costs
    in_core_too = core.CostModel(**costs.lowered)
    return NativeInstance(in_core, in_core_too, total, cases.n_classes, costs.highest_price, counts_once)


def count_classes(instance: Instance, rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """The weight of every (test, outcome, class) among these rows."""
    cases, numbers = native_instance(instance).cases, np.ascontiguousarray(rows, dtype=np.int32)
    return np.asarray(core.count_classes(cases, numbers, core.Clock()))


def grow_native(instance: Instance, settings: Settings, threads: int = 1) -> Nodes:
    """The nodes of one tree, by the core alone."""
    native = native_instance(instance)
    grown = core.grow(native.table, native.costs, core_settings(native, settings), threads, core.Clock())
    arrays = (grown["test"], grown["counts"], grown["branches"], grown["fallback"].view(bool))
    return grown_nodes(instance.schema, *arrays)


class NativeRule:
    """The rule for all nodes of a level, by the core; the same choices as PythonRule's."""

    def __init__(self, schema: Schema, native: NativeInstance, settings: Settings) -> None:
        outcomes = schema.n_outcomes.astype(np.int32)
        self._chooser = core.LevelChooser(outcomes, native.n_classes, native.costs, core_settings(native, settings))

    def stops(self, nodes: LevelNodes) -> NDArray[np.bool_]:
        stopped: NDArray[np.uint8] = self._chooser.stops(nodes.class_counts, nodes.spent, nodes.flags)
        return stopped.view(np.bool_)

    def choose(
        self, nodes: LevelNodes, counts: NDArray[np.int64], cases: NDArray[np.int64] | None
    ) -> list[Choice | None]:
        rows = counts.reshape(len(counts), -1)
        test, fallback = self._chooser.choose(rows, nodes.spent, nodes.flags, core.Clock())
        chosen = zip(test.tolist(), fallback.tolist(), strict=True)
        return [None if index < 0 else Choice(index, fallback=bool(by_pairs)) for index, by_pairs in chosen]


def core_form(form: Form, n_classes: int) -> Any:
    """A form as the core knows it."""
    assert form.kernel is not None
    return getattr(core.IntegerImpurity, form.kernel)(*form.numbers(), n_classes)


def core_settings(native: NativeInstance, settings: Settings) -> Any:
    """Settings as the core knows them; the threshold is δ in the form's whole numbers."""
    form, whole, real = settings.form, 0, 0.0
    threshold: Fraction | int = settings.delta * form.stretch if settings.delta else 0
    if form.exact:
        largest = form.largest(native.total)
        assert largest is not None
        whole = min(math.floor(threshold), largest)  # the impurity of no node is more
    else:
        real = float(min(threshold, Fraction(10**300)))
    impurity = (core_form(form, native.n_classes), whole_bytes(whole), real)
    return core.GrowthSettings(*impurity, settings.budget, settings.rule == "worst", settings.min_cases)
