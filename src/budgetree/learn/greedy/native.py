"""Growth by the native core: what it is given of an instance, and what it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.counts import core_cases
from budgetree.impurity.forms import ENTROPY, GENERAL, GINI, Form, HingeForm, Hinges, PolynomialForm, PowersForm
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.greedy.steps import Steps
from budgetree.problem import Instance, LossTable, PriceTable
from budgetree.services.clock import Clock
from budgetree.tree import Nodes

WIDEST = 1 << 1000  # the core compares whole numbers of up to 1,024 bits
WHOLE_BYTES = 128


@dataclass(frozen=True, slots=True, eq=False)
class NativeInstance:
    """An instance as the core knows it."""

    table: Any  # core.PackedTable: the cases, packed
    costs: Any  # core.CostModel
    total: int  # weight units of all cases
    n_classes: int
    highest_price: int  # the costliest test with all fees
    counts_once: bool = True  # every case does, so that weight is a number of cases

    def compares(self, form: Form) -> bool:
        """Whether the core can settle every comparison that the form may need."""
        if form.kind == GENERAL:
            return False
        if not form.exact:
            return True
        largest = form.largest(self.total)
        return largest is not None and largest * max(self.highest_price, 1) * self.total**2 < WIDEST

    def counts_cases(self, min_cases: int) -> bool:
        """Whether the core can tell how many cases a leaf has: it counts weight."""
        return min_cases == 1 or self.counts_once


# Packing takes longer than growing a small tree, and one instance is usually grown many times.
_known: WeakKeyDictionary[Instance, NativeInstance] = WeakKeyDictionary()


def native_instance(instance: Instance) -> NativeInstance | None:
    """Packed once; None where there is no core."""
    if core is None:
        return None
    native = _known.get(instance)
    if native is None:
        prices = instance.schema.table
        table = core.PackedTable(core_cases(instance), core.Clock())
        native = NativeInstance(
            table=table,
            costs=core_costs(prices),
            total=table.total_weight,
            n_classes=instance.n_classes,
            highest_price=int(prices.costliest.max() + prices.fees.sum()),
            counts_once=bool((instance.weight_units == 1).all()),
        )
        _known[instance] = native
    return native


def core_costs(prices: PriceTable) -> Any:
    """The core's Money."""
    assert core is not None
    return core.CostModel(prices.own, prices.fees, prices.fee_mask.astype(np.uint64))


def is_native(instance: Instance, form: Form, min_cases: int = 1) -> bool:
    """Whether the core serves: it is there, knows the function, and its whole numbers are wide enough."""
    native = native_instance(instance) if form.kind != GENERAL else None
    return native is not None and native.counts_cases(min_cases) and native.compares(form)


def grow_native(instance: Instance, settings: Settings, threads: int = 1) -> Nodes:
    """The same nodes as grow_plain, to the bit."""
    native = native_instance(instance)
    assert core is not None
    assert native is not None
    grown = core.grow(native.table, native.costs, core_settings(native, settings), threads, core.Clock())
    return Nodes(**{name: array.view(bool) if name == "fallback" else array for name, array in grown.items()})


class NativePool:
    """Grows many trees on one instance from sets of cases that they share."""

    def __init__(self, native: NativeInstance, losses: LossTable, cache_bytes: int) -> None:
        assert core is not None
        self._native = native
        units = None if losses.is_plain else np.ascontiguousarray(losses.units)
        self._pool = core.Pool(native.table, native.costs, core.LeafPolicy(units, native.n_classes), cache_bytes)

    def steps(self, all_settings: list[Settings], clock: Clock) -> Steps:
        """The steps of the trees that were finished in time, in order."""
        wanted = [core_settings(self._native, settings) for settings in all_settings]
        with clock.in_core() as core_clock:
            return Steps(*self._pool.grow(wanted, core_clock))

    def bisect(
        self, hinges: Hinges, ends: tuple[int, int], budget: int, clock: Clock, min_cases: int = 1
    ) -> tuple[NDArray[np.int64], Steps]:
        """The multiples from 0 to the first of the ends, no closer than the second, and their trees' steps."""
        assert core is not None
        q, p = hinges.in_units.denominator, hinges.in_units.numerator
        family = core.Hinges(_bytes(q), _bytes(p), hinges.subtracts_square, budget, min_cases)
        with clock.in_core() as core_clock:
            multiples, steps = self._pool.bisect(family, *ends, core_clock)
        return multiples, Steps(*steps)


def core_form(form: Form, n_classes: int) -> Any:
    """A form as the core knows it."""
    assert core is not None
    if isinstance(form, PowersForm):
        return core.IntegerImpurity.powers(form.power, n_classes)
    if isinstance(form, HingeForm):
        return core.IntegerImpurity.hinge(_bytes(form.q), _bytes(form.p), form.b > 0, n_classes)
    if isinstance(form, PolynomialForm):
        coefficients = [_bytes(coefficient) for coefficient, _ in form.terms]
        return core.IntegerImpurity.polynomial(
            coefficients, [list(exponents) for _, exponents in form.terms], n_classes
        )
    return {GINI: core.IntegerImpurity.gini, ENTROPY: core.IntegerImpurity.entropy}[form.kind](n_classes)


def core_settings(native: NativeInstance, settings: Settings) -> Any:
    """Settings as the core knows them; the threshold is δ in the form's whole numbers."""
    assert core is not None
    form = settings.form
    threshold: Fraction | int = settings.delta * form.stretch if settings.delta else 0
    whole = 0
    if form.exact:
        largest = form.largest(native.total)
        assert largest is not None
        whole = min(math.floor(threshold), largest)  # no node owes more
    floats = 0.0 if form.exact else float(min(threshold, Fraction(10**300)))
    return core.GrowthSettings(
        core_form(form, native.n_classes),
        _bytes(whole),
        floats,
        settings.budget,
        settings.rule == "worst",
        settings.min_cases,
    )


def _bytes(number: int) -> bytes:
    return number.to_bytes(WHOLE_BYTES, "little")
