"""The portfolio: a tree for each impurity and parameter, grown from counts that all of them share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.distributed import AnyCases, DistributedCases
from budgetree.distributed.cases import LocalCases
from budgetree.impurity import Form, HingedPairs, HingedProduct, Impurity, Powers
from budgetree.impurity.functions import Hinged
from budgetree.learn.greedy.levels import EndedEarlyError, cache_of, greedy_origin, grow_nodes
from budgetree.learn.greedy.native import NativeInstance, core_settings, native_instance
from budgetree.learn.greedy.rule import Settings
from budgetree.learn.settings import CACHE_BYTES, check_threads
from budgetree.problem import Instance, LossTable
from budgetree.services.clock import Clock, Tick
from budgetree.services.progress import ProgressReport
from budgetree.tree import Nodes, Origin
from budgetree.tree.nodes import Kind
from budgetree.tree.provenance import Change, ChangeKind

HINGED = (HingedPairs, HingedProduct)  # the families that the core knows
DEFAULT_IMPURITIES: tuple[Any, ...] = (Powers(2), Powers(3), Powers(4), Powers(5), HingedPairs, HingedProduct)
CLOSE = 2  # quarters of a case: nearer than this, bisection stops
ROUNDS = 12  # of a bisection, about
MAX_WHOLE = 10  # up to this mean, whole weights are numbers of cases: larger ones would only add rounds

END, AT_ROOT, AT_LEAVES, MAX_COST = 0, 1, 2, 3  # the columns of a summary, as in core/growth/steps.hpp


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Which budget adds which test to a cut of a tree and what that saves, for several trees in a row.

    The inner nodes of tree i are at need and gain from summaries[i - 1, END] to summaries[i, END].
    """

    need: NDArray[np.int64]  # per inner node, the least budget whose cut does its test
    gain: NDArray[np.int64]  # the loss that doing it saves
    summaries: NDArray[np.int64]  # per tree: END, loss as a single leaf, loss of the whole, its costliest path

    def __len__(self) -> int:
        return len(self.summaries)

    @property
    def owner(self) -> NDArray[np.int64]:
        """Per inner node, which tree it is of."""
        return np.repeat(np.arange(len(self)), np.diff(self.summaries[:, END], prepend=0))


def is_family(impurity: Any) -> bool:
    """Whether it is a class of impurities with the one parameter alpha, of which all α's are wanted."""
    is_class = isinstance(impurity, type) and issubclass(impurity, Impurity)
    return is_class and list(signature(impurity).parameters) == ["alpha"]


def join_steps(parts: Sequence[Steps]) -> Steps:
    """Several rows of trees as one."""
    every = (Steps(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 4), np.int64)), *parts)
    need, gain, summaries = (np.concatenate([getattr(part, name) for part in every]) for name in Steps.__slots__)
    summaries[:, END] = np.cumsum(np.concatenate([np.diff(part.summaries[:, END], prepend=0) for part in every]))
    return Steps(need, gain, summaries)


def steps_of_nodes(nodes: Nodes, losses: LossTable) -> Steps:
    """The steps of a tree that was not grown in a pool."""
    buys, parent = np.flatnonzero(nodes.is_buy), nodes.parent
    need = np.zeros(len(nodes), dtype=np.int64)
    need[buys] = nodes.spent[nodes.children[nodes.first[buys]]]
    for first, last in nodes.levels[1:]:
        need[first:last] = np.maximum(need[first:last], need[parent[first:last]])
    lost = np.asarray(losses.of_counts(nodes.counts).min(axis=1), dtype=np.int64)
    gain, ends = lost.copy(), np.flatnonzero(nodes.kind[parent] == Kind.BY_RESULT)  # the root has no parent
    np.subtract.at(gain, parent[parent[ends]], lost[ends])
    most = nodes.known_spent[nodes.is_reached].max()
    summary = [len(buys), lost[0], lost[nodes.is_leaf].sum(), most]
    return Steps(need[buys], gain[buys], np.array([summary], dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class WholeTree:
    """How to grow a tree again: most are never asked for."""

    instance: AnyCases
    impurity: Impurity
    hard_budget: int  # in price units
    weights: ClassWeights | None  # where classes counted by their losses
    min_cases: int
    ended: Nodes | None  # what there is of it, where the time was over before its end

    @property
    def source(self) -> str:
        costs = self.instance.schema.costs
        parts = [repr(self.impurity)] + ["classes weighted"] * (self.weights is not None)
        if self.hard_budget < costs.budget_units(None):
            parts.append(f"budget={costs.amount(self.hard_budget)}")
        return ", ".join(parts + ["ended early"] * (self.ended is not None))

    def grow(self) -> Nodes:
        """The tree that is cut."""
        if self.ended is not None:
            return self.ended
        portfolio = Portfolio(self.instance, min_cases=self.min_cases, weights=self.weights)
        return portfolio.nodes(self.impurity, self.hard_budget)

    @property
    def origin(self) -> Origin:
        """What made it."""
        costs, budget = self.instance.schema.costs, None
        if self.hard_budget < costs.budget_units(None):
            budget = Fraction(self.hard_budget) / costs.scale
        table, origin = self.instance.fingerprint, greedy_origin(self.impurity, budget=budget)
        origin = replace(origin, min_cases=self.min_cases, table=table)
        if self.weights is not None:
            origin = origin.then(Change(ChangeKind.WEIGHTED))
        return origin if self.ended is None else origin.then(Change(ChangeKind.ENDED))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some trees of the portfolio, and what their cuts buy."""

    trees: Sequence[WholeTree]
    steps: Steps


@dataclass(slots=True, eq=False)
class TreeCount:
    """How many trees are grown so far, for a progress bar."""

    report: ProgressReport
    total: int  # of what `done` counts
    n_trees: int = 0
    done: float = 0.0

    def add(self, batch: Batch, done: float) -> None:
        self.n_trees += len(batch.steps)
        self.done = min(done, self.total)
        self.tick(0, 0)

    def tick(self, n_more: int, _: int) -> None:
        """In the middle of a batch, which has so many trees by now."""
        self.report(self.done, self.total, f"{self.n_trees + n_more} trees")


@dataclass(frozen=True, slots=True, eq=False)
class ClassWeights:
    """Classes weighted by what missing them may cost: the rule itself knows counts, not losses.

        case      class    largest loss   counts in the growth as
          7      benign         1                1                   a test that separates cancer from the rest
          8      cancer        50               50                   removes fifty times as much impurity

    Trees grown so are judged by their loss like all others. What the paper proves is about the weighted cases then.
    """

    instance: AnyCases  # weighted
    factors: NDArray[np.int64]  # per class
    losses: LossTable  # by which the weighted cases lose what they do, times `scale`
    scale: int

    def real_nodes(self, nodes: Nodes, losses: LossTable) -> Nodes:
        """The same tree, which counts the real cases."""
        counts = nodes.counts // self.factors
        led_to = nodes.children[np.repeat(nodes.kind == Kind.BY_RESULT, nodes.n_children)]
        return replace(nodes, counts=counts, shown=counts.sum(axis=1)[led_to], loss_table=losses)


def weigh_classes(instance: AnyCases) -> ClassWeights | None:
    """None where that changes nothing, or leads beyond exact numbers."""
    losses = instance.schema.loss_table
    factors = np.maximum(losses.units.max(axis=1), 1)  # a class that cannot be missed still counts
    divisor = math.gcd(*factors.tolist())
    factors = factors // divisor
    if (factors == factors[0]).all():
        return None
    scale = math.lcm(*factors.tolist())
    total = int(instance.class_order.total)
    if total * int(factors.max()) * scale * losses.largest >= LARGEST_EXACT:
        return None
    units = losses.units * (scale // factors)[:, None]
    if isinstance(instance, DistributedCases):
        weighted: AnyCases = instance.weighted_by_class(factors)
    else:
        weighted = instance.counted_by(instance.weight_units * factors[instance.labels], instance.schema.weight_scale)
    return ClassWeights(weighted, factors, LossTable(losses.answers, units, losses.scale * scale), scale)


class Portfolio:
    """Grows the trees of an instance, counting each set of cases once as long as the memory lasts."""

    def __init__(
        self,
        instance: AnyCases,
        cache_bytes: int = CACHE_BYTES,
        clock: Clock | None = None,
        *,
        min_cases: int = 1,
        weights: ClassWeights | None = None,
    ) -> None:
        self.instance, self._real_cases = instance if weights is None else weights.instance, instance
        self.clock = Clock(None) if clock is None else clock
        self._losses = instance.schema.loss_table  # of the real cases
        self._weights = weights
        self._min_cases = min_cases
        self._scale = instance.schema.weight_scale
        real = instance.class_order
        is_whole = self._scale == 1 and real.total <= MAX_WHOLE * real.n_cases
        self._n_cases = real.total if is_whole else real.n_cases  # a case of weight 3 is as good as three
        self._cache_bytes = cache_bytes
        self._native: NativeInstance | None = None
        if isinstance(self.instance, Instance) and native_instance(self.instance).counts_cases(min_cases):
            self._native = native_instance(self.instance)
        # Without the core the first tree is grown to its end, since another in its place takes as long; from partitions
        # it may end early.
        self._needs_tree = self._native is None and weights is None
        self._ended: Nodes | None = None

    @cached_property
    def _cases(self) -> DistributedCases:
        """What is counted by levels, where the core does not grow."""
        return LocalCases.of_instance(self.instance) if isinstance(self.instance, Instance) else self.instance

    def grow_all(self, impurities: Sequence[Impurity], budget: int, tick: Tick | None = None) -> Batch:
        """A tree for each impurity, in order; fewer when the time is over."""
        return self._batch(impurities, budget, self._steps([self._form(of) for of in impurities], budget, tick))

    def _batch(self, impurities: Sequence[Impurity], budget: int, steps: Steps) -> Batch:
        how = (budget, self._weights, self._min_cases, self._ended)
        return Batch([WholeTree(self._real_cases, impurity, *how) for impurity in impurities[: len(steps)]], steps)

    def grow_one(self, impurity: Impurity, budget: int) -> Batch:
        """A tree, from partitions as far as the time goes, else however long it takes.

        On large tables that is sooner than by grow_all, which keeps counts for others.
        """
        if isinstance(self.instance, DistributedCases):
            return self.grow_all([impurity], budget)
        return self._batch([impurity], budget, steps_of_nodes(self.nodes(impurity, budget), self._losses))

    def hinged(self, family: type[Hinged], budget: int, tick: Tick | None = None) -> Iterator[Batch]:
        """The family over its α's, found by bisection; ends early when the time is over.

        The larger α, the more cases a leaf may leave unsettled: from the whole tree at 0 to a single leaf at L. Between
        neighbours whose trees agree in max-cost and errors nothing is looked for, nor between α's that differ by less
        than half a case; between all others a tree is grown in the middle.

            round 1   0 ─────────────── ≠ ─────────────── L     two trees that differ
            round 2   0 ────── = ───── L/2 ────── ≠ ───── L     the left pair agrees: done
            round 3   0                L/2 ─ ≠ ─ 3L/4 ─ = L     …

        L is a power of two, so that all α's are multiples of a quarter of a case, and these quarters are what is
        counted here.
        """
        cases = self.instance.class_order
        # What counts as one case: the power of two nearest to the mean weight, so 1 where there are no weights.
        case = Fraction(2) ** round(math.log2(self.instance.schema.cases(cases.total) / self._n_cases))
        second = sorted([0, *cases.counts.tolist()])[-2]  # the second largest class: no smaller α makes the root a leaf
        largest = 4 << max(math.ceil(Fraction(second) / self._scale / case) - 1, 0).bit_length()
        quarter = case / 4
        known: dict[int, tuple[int, int]] = {}  # per multiple, the max-cost and the loss of its tree
        asked, gaps = [0, largest], [(0, largest)]
        while asked:
            batch = self.grow_all([family(multiple * quarter) for multiple in asked], budget, tick)
            differing = batch.steps.summaries[:, [MAX_COST, AT_LEAVES]].tolist()
            known.update(zip(asked, map(tuple, differing), strict=False))
            yield batch
            if self.clock.is_over:
                return
            gaps = [(low, high) for low, high in gaps if known[low] != known[high] and high - low >= CLOSE]
            asked = [(low + high) // 2 for low, high in gaps]
            gaps = [half for (low, high), mid in zip(gaps, asked, strict=True) for half in ((low, mid), (mid, high))]

    def nodes(self, impurity: Impurity, budget: int) -> Nodes:
        """One tree itself."""
        return self._grow(self._form(impurity), budget)

    def _steps(self, forms: Sequence[Form], budget: int, tick: Tick | None) -> Steps:
        """The core takes as many in a row as it knows; the others are grown by levels, one by one."""
        parts: list[Steps] = []
        first = 0
        while first < len(forms) and not (parts and self.clock.is_over):
            last = first
            while self._native is not None and last < len(forms) and self._native.compares(forms[last]):
                last += 1
            if last > first and self._native is not None:
                wanted = [core_settings(self._native, self._settings(form, budget)) for form in forms[first:last]]
                with self.clock.share(None, tick).in_core() as clock:
                    parts.append(self._real(*self._pool.grow(wanted, clock)))  # those finished in time
                first = last
            else:
                is_whole = self._needs_tree and not isinstance(self.instance, DistributedCases)
                try:
                    nodes = self._grow(forms[first], budget, None if is_whole else self.clock)
                except EndedEarlyError as early:
                    if not self._needs_tree:
                        break
                    nodes = self._ended = self._real_nodes(early.nodes)
                self._needs_tree = False
                parts.append(steps_of_nodes(nodes, self._losses))
                first += 1
        return join_steps(parts)

    @cached_property
    def _pool(self) -> Any:
        """The core's: its trees share sets of cases."""
        native, losses = self._native, self._losses if self._weights is None else self._weights.losses
        assert native is not None
        return native.pool(losses, self._cache_bytes)

    def _grow(self, form: Form, budget: int, clock: Clock | None = None) -> Nodes:
        settings = self._settings(form, budget)
        if self._native is not None and self._native.compares(form):
            return self._real_nodes(grow_nodes(self.instance, settings))
        cache = cache_of(self._cases, self._cache_bytes)
        return self._real_nodes(grow_nodes(self._cases, settings, check_threads(None), clock, cache=cache))

    def _real_nodes(self, nodes: Nodes) -> Nodes:
        return nodes if self._weights is None else self._weights.real_nodes(nodes, self._losses)

    def _real(self, need: NDArray[np.int64], gain: NDArray[np.int64], summaries: NDArray[np.int64]) -> Steps:
        """The core's steps: what those of weighted cases save of the real loss, in whole numbers."""
        scale = 1 if self._weights is None else self._weights.scale
        return Steps(need, gain // scale, summaries // np.array([1, scale, scale, 1]))

    def _settings(self, form: Form, budget: int) -> Settings:
        return Settings(form, Fraction(0), budget, "worst", self._min_cases)

    def _form(self, impurity: Impurity) -> Form:
        return impurity.form(self._scale, self.instance.n_classes)
