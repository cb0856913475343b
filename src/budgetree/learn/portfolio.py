"""The portfolio: a tree for each impurity and parameter, grown from counts that all of them share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from budgetree.impurity import Form, HingedPairs, HingedProduct, Impurity, Powers
from budgetree.impurity.forms import GENERAL
from budgetree.learn.plain import PlainGrower
from budgetree.learn.readiness import kernel_work, kernels_pay, plain_work
from budgetree.learn.settings import Settings
from budgetree.learn.steps import Steps
from budgetree.problem import Instance
from budgetree.tree import Nodes

CACHE_BYTES = 256 * 2**20
HINGED = (HingedPairs, HingedProduct)
DEFAULT_IMPURITIES: tuple[Any, ...] = (Powers(2), Powers(3), Powers(4), Powers(5), HingedPairs, HingedProduct)
BATCH = 64
CLOSE_ALPHAS = Fraction(1, 2)  # of an object: nearer than this, bisection stops

T = TypeVar("T")


class Grower(Protocol):
    """What PlainGrower and CompiledGrower both do."""

    def grow(self, settings: Settings) -> None: ...
    def nodes(self) -> Nodes: ...
    def steps_of(self, forms: Sequence[Form], budget: int) -> Steps: ...


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some trees of the portfolio: what grew them, under which hard budget, and what their cuts buy."""

    impurities: list[Impurity]
    budget: int
    steps: Steps


class Portfolio:
    """Grows the trees of an instance, counting each set of objects once as long as the memory lasts."""

    def __init__(self, instance: Instance, cache_bytes: int = CACHE_BYTES, deadline: float | None = None) -> None:
        self._instance = instance
        self._cache_bytes = cache_bytes
        self._deadline = deadline
        self._plain = PlainGrower(instance)
        self._compiled: Grower | None = None

    @property
    def out_of_time(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def grow_all(self, impurities: Sequence[Impurity], budget: int) -> Iterator[Batch]:
        """A tree for each impurity, a batch at a time, until the time is over; never fewer than one batch."""
        for start in range(0, len(impurities), BATCH):
            if start and self.out_of_time:
                return
            part = list(impurities[start : start + BATCH])
            forms = [self._form(impurity) for impurity in part]

            def steps_of(grower: Grower, forms: Sequence[Form] = forms) -> Steps:
                return grower.steps_of(forms, budget)

            yield Batch(part, budget, self._run(forms, steps_of))

    def nodes(self, impurity: Impurity, budget: int) -> Nodes:
        """One tree itself."""
        form = self._form(impurity)

        def grow(grower: Grower) -> Nodes:
            grower.grow(Settings(form, Fraction(0), budget, "worst"))
            return grower.nodes()

        return self._run([form], grow)

    def hinged(self, family: type[HingedPairs] | type[HingedProduct], budget: int) -> Iterator[Batch]:
        """The family over its α's, found by bisection.

        Between neighbours whose trees agree in max-cost and errors nothing is looked for, nor between α's that differ
        by less than half an object. The largest α is a power of two, so that all are multiples of a quarter.
        """
        largest = _root_is_leaf_from(self._instance)
        known: dict[Fraction, tuple[int, int]] = {}
        asked = [Fraction(0), largest]
        gaps = [(Fraction(0), largest)]
        while asked:
            grown = 0
            for batch in self.grow_all([family(alpha) for alpha in asked], budget):
                yield batch
                results = zip(batch.steps.max_cost.tolist(), batch.steps.errors.tolist(), strict=True)
                known.update(zip(asked[grown:], results, strict=False))
                grown += len(batch.steps)
            if self.out_of_time:
                return
            gaps = [(low, high) for low, high in gaps if known[low] != known[high] and high - low >= CLOSE_ALPHAS]
            asked = [(low + high) / 2 for low, high in gaps]
            gaps = [half for (low, high), mid in zip(gaps, asked, strict=True) for half in ((low, mid), (mid, high))]

    def _form(self, impurity: Impurity) -> Form:
        return impurity.form(self._instance.schema.weight_scale, self._instance.n_classes)

    def _run(self, forms: Sequence[Form], job: Callable[[Grower], T]) -> T:
        """By the kernels where they pay and know the functions."""
        if any(form.kind == GENERAL for form in forms):
            return job(self._plain)
        if not kernels_pay(self._instance):
            with plain_work():
                return job(self._plain)
        with kernel_work():
            if self._compiled is None:
                from budgetree.learn.compiled import CompiledGrower  # numba takes half a second to import

                self._compiled = CompiledGrower(self._instance, self._cache_bytes)
            return job(self._compiled)


def _root_is_leaf_from(instance: Instance) -> Fraction:
    """The power of two from which on α forgives everything: no less than the second largest class."""
    second = sorted(instance.class_order.counts.tolist())[-2] if instance.n_classes > 1 else 0
    weight = Fraction(second) / instance.schema.weight_scale
    largest = Fraction(1)
    while largest < weight:
        largest *= 2
    return largest
