"""The portfolio: a tree for each impurity and parameter, grown from counts that all of them share."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from budgetree.impurity import Form, HingedPairs, HingedProduct, Impurity, Powers
from budgetree.impurity.forms import GENERAL, FormRow, row_of_forms, row_of_hinges
from budgetree.impurity.hinged import Hinged
from budgetree.learn.plain import PlainGrower
from budgetree.learn.readiness import kernel_work, kernels_pay, plain_work
from budgetree.learn.settings import Settings
from budgetree.learn.steps import AT_LEAVES, MAX_COST, Steps
from budgetree.problem import Instance
from budgetree.tree import Nodes

CACHE_BYTES = 256 * 2**20
HINGED = (HingedPairs, HingedProduct)
DEFAULT_IMPURITIES: tuple[Any, ...] = (Powers(2), Powers(3), Powers(4), Powers(5), HingedPairs, HingedProduct)
BATCH = 64
SOON_DONE = 2_000_000  # objects × tests: up to here a whole bisection takes less than a second
CLOSE = 2  # quarters of an object: nearer than this, bisection stops
OUTCOME = [MAX_COST, AT_LEAVES]  # what neighbours are compared by

T = TypeVar("T")


class Grower(Protocol):
    """What PlainGrower and CompiledGrower both do."""

    def grow(self, settings: Settings) -> None: ...
    def nodes(self) -> Nodes: ...
    def steps_of(self, row: FormRow, budget: int) -> Steps: ...
    def bisect(self, ends: FormRow, close: float, budget: int) -> tuple[list[float], Steps] | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some trees of the portfolio: what grew them, under which hard budget, and what their cuts buy."""

    impurity: Callable[[int], Impurity]  # of tree i; most are never asked for
    budget: int
    steps: Steps

    def impurities(self) -> list[Impurity]:
        return [self.impurity(i) for i in range(len(self.steps))]


class Portfolio:
    """Grows the trees of an instance, counting each set of objects once as long as the memory lasts."""

    def __init__(self, instance: Instance, cache_bytes: int = CACHE_BYTES, deadline: float | None = None) -> None:
        self.instance = instance
        self._scale = instance.schema.weight_scale
        self._quarter = _usual_weight(instance) / 4
        self._cache_bytes = cache_bytes
        self._deadline = deadline
        self._plain = PlainGrower(instance)
        self._compiled: Grower | None = None

    @property
    def out_of_time(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def grow_all(self, impurities: Sequence[Impurity], budget: int) -> Batch:
        """A tree for each impurity."""
        row = row_of_forms([self._form(impurity) for impurity in impurities])
        return Batch(impurities.__getitem__, budget, self._run(row, lambda grower: grower.steps_of(row, budget)))

    def hinged(self, family: type[Hinged], budget: int) -> Iterator[Batch]:
        """The family over its α's, found by bisection; ends early when the time is over.

        Between neighbours whose trees agree in max-cost and errors nothing is looked for, nor between α's that differ
        by less than half an object. The largest α is a power of two, so that all are multiples of a quarter of an
        object, and these quarters are what is counted here.
        """
        largest = self._quarters_that_forgive_all()
        in_one_go = self._bisect_in_one_go(family, largest, budget)
        if in_one_go is not None:
            yield in_one_go
            return
        known: dict[int, tuple[int, int]] = {}
        asked = [0, largest]
        gaps = [(asked[0], asked[1])]
        while asked:
            for start in range(0, len(asked), BATCH):
                part = asked[start : start + BATCH]
                batch = self._grow_hinges(family, part, budget)
                known.update(zip(part, zip(*batch.steps.summaries[:, OUTCOME].T.tolist(), strict=True), strict=True))
                yield batch
                if self.out_of_time:
                    return
            gaps = [(low, high) for low, high in gaps if known[low] != known[high] and high - low >= CLOSE]
            asked = [(low + high) // 2 for low, high in gaps]
            gaps = [half for (low, high), mid in zip(gaps, asked, strict=True) for half in ((low, mid), (mid, high))]

    def _bisect_in_one_go(self, family: type[Hinged], largest: int, budget: int) -> Batch | None:
        """The kernel's bisection, on data so small that nobody waits for it; None where it cannot or should not."""
        if self.instance.codes.size > SOON_DONE or self._deadline is not None or not kernels_pay(self.instance):
            return None
        square = family.subtracts_square
        ends = row_of_hinges([0, largest], self._quarter, self._scale, self.instance.n_classes, subtract_square=square)
        in_units = float(ends.numbers[1, 1]) / largest
        found = self._run(ends, lambda grower: grower.bisect(ends, CLOSE * in_units, budget))
        if found is None:
            return None
        alphas, steps = found
        return Batch(lambda i: family(round(alphas[i] / in_units) * self._quarter), budget, steps)

    def nodes(self, impurity: Impurity, budget: int) -> Nodes:
        """One tree itself."""
        form = self._form(impurity)

        def grow(grower: Grower) -> Nodes:
            grower.grow(Settings(form, Fraction(0), budget, "worst"))
            return grower.nodes()

        return self._run(row_of_forms([form]), grow)

    def _grow_hinges(self, family: type[Hinged], quarters: list[int], budget: int) -> Batch:
        square = family.subtracts_square
        row = row_of_hinges(quarters, self._quarter, self._scale, self.instance.n_classes, subtract_square=square)
        steps = self._run(row, lambda grower: grower.steps_of(row, budget))
        return Batch(lambda i: family(quarters[i] * self._quarter), budget, steps)

    def _quarters_that_forgive_all(self) -> int:
        """The power of two from which on α makes the root a leaf: no less than the second largest class."""
        second = sorted(self.instance.class_order.counts.tolist())[-2] if self.instance.n_classes > 1 else 0
        objects = math.ceil(Fraction(second) / self._scale / (4 * self._quarter))
        return 4 << max(objects - 1, 0).bit_length()

    def _form(self, impurity: Impurity) -> Form:
        return impurity.form(self._scale, self.instance.n_classes)

    def _run(self, row: FormRow, job: Callable[[Grower], T]) -> T:
        """By the kernels where they pay and know the functions."""
        if (row.kinds == GENERAL).any():
            return job(self._plain)
        if not kernels_pay(self.instance):
            with plain_work():
                return job(self._plain)
        with kernel_work:
            if self._compiled is None:
                from budgetree.learn.compiled import CompiledGrower  # numba takes half a second to import

                self._compiled = CompiledGrower(self.instance, self._cache_bytes)
            return job(self._compiled)


def _usual_weight(instance: Instance) -> Fraction:
    """What counts as one object: the power of two nearest to the mean weight, so 1 where there are no weights."""
    objects = instance.class_order
    mean = Fraction(int(objects.counts.sum()), len(objects.order)) / instance.schema.weight_scale
    return Fraction(2) ** round(math.log2(mean))
