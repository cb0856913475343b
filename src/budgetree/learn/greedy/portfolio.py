"""The portfolio: a tree for each impurity and parameter, grown from counts that all of them share."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.impurity import Form, HingedPairs, HingedProduct, Impurity, Powers
from budgetree.impurity.forms import Hinges
from budgetree.impurity.hinged import Hinged
from budgetree.learn.greedy.growers import grow_nodes
from budgetree.learn.greedy.native import NativePool, Tick, native_instance
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.greedy.steps import AT_LEAVES, MAX_COST, Steps, join_steps, steps_of_nodes
from budgetree.problem import Instance
from budgetree.tree import Nodes

CACHE_BYTES = 256 * 2**20
HINGED = (HingedPairs, HingedProduct)
DEFAULT_IMPURITIES: tuple[Any, ...] = (Powers(2), Powers(3), Powers(4), Powers(5), HingedPairs, HingedProduct)
CLOSE = 2  # quarters of a case: nearer than this, bisection stops
OUTCOME = [MAX_COST, AT_LEAVES]  # what neighbours are compared by


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some trees of the portfolio: what grew them, under which hard budget, and what their cuts buy."""

    impurity: Callable[[int], Impurity]  # of tree i; most are never asked for
    budget: int
    steps: Steps

    def impurities(self) -> list[Impurity]:
        return [self.impurity(i) for i in range(len(self.steps))]


class Portfolio:
    """Grows the trees of an instance, counting each set of cases once as long as the memory lasts."""

    def __init__(self, instance: Instance, cache_bytes: int = CACHE_BYTES, deadline: float | None = None) -> None:
        self.instance = instance
        self.tick: Tick | None = None  # called now and then with how many trees of a batch are grown
        self._scale = instance.schema.weight_scale
        self._cache_bytes = cache_bytes
        self._deadline = deadline
        self._native = native_instance(instance)
        self._pool: NativePool | None = None

    @property
    def out_of_time(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def grow_all(self, impurities: Sequence[Impurity], budget: int) -> Batch:
        """A tree for each impurity, in order; fewer when the time is over."""
        forms = [self._form(impurity) for impurity in impurities]
        return Batch(impurities.__getitem__, budget, self._steps(forms, budget))

    def hinged(self, family: type[Hinged], budget: int) -> Iterator[Batch]:
        """The family over its α's, found by bisection; ends early when the time is over.

        Between neighbours whose trees agree in max-cost and errors nothing is looked for, nor between α's that differ
        by less than half a case. The largest α is a power of two, so that all are multiples of a quarter of a case,
        and these quarters are what is counted here.
        """
        quarter = _usual_weight(self.instance) / 4
        hinges = Hinges(quarter, self._scale, family.subtracts_square)
        largest = self._quarters_that_forgive_all(quarter)
        if self._native is not None and self._native.compares(hinges.form(largest)):
            found, steps = self._shared_pool().bisect(hinges, (largest, CLOSE), budget, self._seconds_left, self.tick)
            multiples = found.tolist()
            yield Batch(lambda i: family(multiples[i] * quarter), budget, steps)
            return
        known: dict[int, tuple[int, int]] = {}
        asked = [0, largest]
        gaps = [(asked[0], asked[1])]
        while asked:
            steps = self._steps([hinges.form(multiple) for multiple in asked], budget)
            known.update(zip(asked, map(tuple, steps.summaries[:, OUTCOME].tolist()), strict=False))
            yield Batch(lambda i, asked=asked: family(asked[i] * quarter), budget, steps)  # type: ignore[misc]
            if self.out_of_time:
                return
            gaps = [(low, high) for low, high in gaps if known[low] != known[high] and high - low >= CLOSE]
            asked = [(low + high) // 2 for low, high in gaps]
            gaps = [half for (low, high), mid in zip(gaps, asked, strict=True) for half in ((low, mid), (mid, high))]

    def nodes(self, impurity: Impurity, budget: int) -> Nodes:
        """One tree itself."""
        return grow_nodes(self.instance, _settings(self._form(impurity), budget))

    def _steps(self, forms: Sequence[Form], budget: int) -> Steps:
        """The core takes as many in a row as it knows; the plain grower takes the others one by one."""
        parts: list[Steps] = []
        first = 0
        while first < len(forms) and not (parts and self.out_of_time):
            last = first
            while self._native is not None and last < len(forms) and self._native.compares(forms[last]):
                last += 1
            if last > first:
                settings = [_settings(form, budget) for form in forms[first:last]]
                parts.append(self._shared_pool().steps(settings, self._seconds_left, self.tick))
                first = last
            else:
                nodes = grow_nodes(self.instance, _settings(forms[first], budget))
                parts.append(steps_of_nodes(nodes, self.instance.schema.table))
                first += 1
        return join_steps(parts)

    def _shared_pool(self) -> NativePool:
        if self._pool is None:
            assert self._native is not None
            self._pool = NativePool(self._native, self._cache_bytes)
        return self._pool

    @property
    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    def _quarters_that_forgive_all(self, quarter: Fraction) -> int:
        """The power of two from which on α makes the root a leaf: no less than the second largest class."""
        second = sorted(self.instance.class_order.counts.tolist())[-2] if self.instance.n_classes > 1 else 0
        cases = math.ceil(Fraction(second) / self._scale / (4 * quarter))
        return 4 << max(cases - 1, 0).bit_length()

    def _form(self, impurity: Impurity) -> Form:
        return impurity.form(self._scale, self.instance.n_classes)


def _settings(form: Form, budget: int) -> Settings:
    return Settings(form, Fraction(0), budget, "worst")


def _usual_weight(instance: Instance) -> Fraction:
    """What counts as one case: the power of two nearest to the mean weight, so 1 where there are no weights."""
    cases = instance.class_order
    mean = Fraction(int(cases.counts.sum()), len(cases.order)) / instance.schema.weight_scale
    return Fraction(2) ** round(math.log2(mean))
