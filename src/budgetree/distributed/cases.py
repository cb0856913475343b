"""DistributedCases: known cases in partitions, what learning must know of all of them, and what counts them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.distributed.partition import (
    SIZES,
    AnyPartition,
    Partition,
    Positions,
    Sizes,
    Step,
    add,
    bucketed,
    class_counts,
    count,
    lost_in_bucket,
    move,
    partitions_of,
)
from budgetree.problem import Instance, Schema
from budgetree.problem.duplicates import ClassTotals, Unavoidable
from budgetree.problem.schema import HasSchema
from budgetree.services.clock import Clock


class Engine(Protocol):
    """Maps `move` and `count` over partitions, and adds the counts; positions are opaque, an array per partition."""

    def start(self) -> Any:
        """All cases at position 0."""

    def advance(self, positions: Any, step: Step) -> tuple[NDArray[np.int64], Any]:
        """The counts of all partitions together, and the new positions; the old ones may be asked again."""


class LocalEngine:
    """Counts partitions of this machine, one per thread at a time."""

    def __init__(self, partitions: Sequence[AnyPartition], threads: int) -> None:
        self._partitions = partitions
        self._threads = max(1, min(threads, len(partitions)))

    def start(self) -> list[Positions | None]:
        return [None] * len(self._partitions)

    def advance(
        self, positions: Sequence[Positions | None], step: Step
    ) -> tuple[NDArray[np.int64], list[Positions | None]]:
        after = self.start()

        def count_one(number: int) -> Any:
            moved = after[number] = move(self._partitions[number], positions[number], step)
            return count(self._partitions[number], moved, step)

        def count_every(first: int) -> NDArray[np.int64]:
            """This partition, and every so many after it: each thread adds up its own."""
            return add(map(count_one, range(first, len(self._partitions), self._threads)))

        if self._threads == 1:
            return count_every(0), after
        with ThreadPoolExecutor(self._threads) as pool:
            return add(pool.map(count_every, range(self._threads))), after


class Origin:
    """Shared by copies with other prices or class weights: their counts are the same."""


class DistributedCases(HasSchema, ABC):
    """The sibling of an Instance whose cases are in partitions: grow and the greedy frontier take either."""

    raw = None  # no raw rows are kept
    fingerprint: str | None = None  # which would take all cases in one order
    frame_library: str | None = None  # answers are frames of the first library that is installed

    def __init__(
        self,
        schema: Schema,
        n_objects: int,
        totals: ClassTotals,
        *,
        counts_once: bool,
        drawn: Callable[[], Instance],
        sizes: Sizes = SIZES,
    ) -> None:
        _ = schema.costs  # prices that do not fit are refused here
        self.schema = schema
        self.n_objects = n_objects  # those of weight 0 among them
        self.class_order = totals
        self.counts_once = counts_once  # every case in a partition does, so that weight is a number of cases
        self.sizes = sizes
        self._drawn = drawn
        self.origin = Origin()
        self.factors: NDArray[np.int64] | None = None  # per class, where classes are weighted
        self._irreducible: Unavoidable | None = None

    @abstractmethod
    @internal
    def engine(self, threads: int) -> Engine:
        """What counts the partitions."""

    @cached_property
    def _drawn_as_made(self) -> Instance:
        return self._drawn()

    @property
    @internal
    def drawn(self) -> Instance:
        """The rows that trees for new cases are learned from: all, or those that are drawn of a large table."""
        found = self._drawn_as_made
        return found if found.prices == self.prices else found.priced(self.prices)

    @abstractmethod
    def _lost(self, clock: Clock | None) -> Iterable[Unavoidable]:
        """What every tree loses, bucket by bucket, because cases agree on every test but not on the class.

        OutOfTimeError where that takes longer than the clock allows, or would.
        """

    @internal
    def irreducible_in(self, clock: Clock | None = None) -> Unavoidable:
        """What no tree avoids; finding it groups all cases by their codes, once."""
        if self._irreducible is None:
            buckets = list(self._lost(clock))
            self._irreducible = Unavoidable(sum(one.units for one in buckets), sum(one.n_objects for one in buckets))
        return self._irreducible

    irreducible = property(irreducible_in)

    @property
    @internal
    def has_one_row_per_class(self) -> bool:
        """Whether no two cases have the same class."""
        return self.n_objects == self.n_classes

    @internal
    def weighted_by_class(self, factors: NDArray[np.int64]) -> DistributedCases:
        """The same cases, which count so many times as much by their class; an error costs 1."""
        other = copy(self)
        other.schema, other._irreducible = replace(self.schema, losses=None), None
        totals = self.class_order
        other.class_order = ClassTotals(totals.counts * factors, other.schema.loss_table, totals.n_cases)
        other.factors = factors
        return other


class LocalCases(DistributedCases):
    """Partitions of this machine, in memory or mapped into it."""

    def __init__(
        self,
        schema: Schema,
        partitions: Sequence[Partition],
        n_objects: int,
        sizes: Sizes = SIZES,
        *,
        drawn: Callable[[], Instance],
    ) -> None:
        counts = class_counts(partitions, len(schema.class_names))
        totals = ClassTotals(counts, schema.loss_table, sum(map(len, partitions)))
        counts_once = all(one.weight_units is None for one in partitions)
        super().__init__(schema, n_objects, totals, counts_once=counts_once, drawn=drawn, sizes=sizes)
        self._partitions = partitions

    @classmethod
    @internal
    def of_instance(cls, instance: Instance) -> LocalCases:
        """The cases of an instance as one partition."""
        return LocalCases(instance.schema, list(partitions_of(instance)), instance.n_objects, drawn=lambda: instance)

    @internal
    def engine(self, threads: int) -> Engine:
        return LocalEngine(self._partitions, threads)

    def _lost(self, clock: Clock | None) -> Iterable[Unavoidable]:
        buckets = bucketed(self._partitions, self.sizes.bucket_bytes, clock=clock)
        return (lost_in_bucket(bucket, self.schema.loss_table) for bucket in buckets)


AnyCases = Instance | DistributedCases
