"""ShardedCases: known cases that lie in shards, on disk or on a cluster; what a verb needs to know of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from budgetree.counts.levels import LevelCounter
from budgetree.counts.shard import Step
from budgetree.problem import Instance, Schema
from budgetree.problem.duplicates import ClassTotals, Unavoidable
from budgetree.problem.schema import HasSchema
from budgetree.services.clock import Clock
from budgetree.services.words import counted


class Origin:
    """Shared by copies with other prices or class weights: their counts are the same."""


class ShardedCases(HasSchema, ABC):
    """The sibling of an Instance whose cases are elsewhere: grow and the greedy frontier take either."""

    raw = None  # no raw rows are kept

    def __init__(self, schema: Schema, n_objects: int, totals: ClassTotals, *, counts_once: bool) -> None:
        _ = schema.table  # prices that do not fit are refused here
        self.schema = schema
        self.n_objects = n_objects  # those of weight 0 among them
        self.class_order = totals
        self.counts_once = counts_once  # every case in a shard does, so that weight is a number of cases
        self.origin = Origin()
        self.factors: NDArray[np.int64] | None = None  # per class, where classes are weighted

    @abstractmethod
    def levels(self, threads: int) -> LevelCounter:
        """Who counts the shards.

        :meta private:
        """

    @abstractmethod
    def _find_unavoidable(self, clock: Clock | None = None) -> Unavoidable:
        """What every tree loses, because cases agree on every test but not on the class.

        OutOfTimeError where that takes longer than the clock allows, or would.
        """

    def irreducible_in(self, clock: Clock) -> Unavoidable:
        """What no tree avoids; OutOfTimeError where finding it would take too long.

        :meta private:
        """
        known: Unavoidable | None = self.__dict__.get("irreducible")
        if known is None:
            known = self.__dict__["irreducible"] = self._find_unavoidable(clock)
        return known

    @cached_property
    def irreducible(self) -> Unavoidable:
        """What no tree avoids; finding it groups all cases by their codes, once.

        :meta private:
        """
        return self._find_unavoidable()

    def outcome_counts(self) -> list[NDArray[np.int64]]:
        """Per test, how much the cases with each outcome count; a pass over the shards.

        :meta private:
        """
        counter = self.levels(1)
        counts, _ = counter.advance(counter.start(), Step((), np.zeros(1, dtype=np.int32), 1))
        return np.split(counts[0].sum(axis=1), np.cumsum(self.schema.n_outcomes)[:-1])

    @property
    def has_one_row_per_class(self) -> bool:
        """Whether no two cases have the same class.

        :meta private:
        """
        return self.n_objects == self.n_classes

    @property
    def frame_library(self) -> str | None:
        """The first data frame library that is installed, for answers.

        :meta private:
        """
        return None

    @property
    def n_tests(self) -> int:
        """The number of tests."""
        return len(self.schema.test_names)

    def weighted_by_class(self, factors: NDArray[np.int64], weight_scale: Fraction) -> ShardedCases:
        """The same cases, which count so many times as much by their class; an error costs 1.

        :meta private:
        """
        other = copy(self)
        other.__dict__.pop("irreducible", None)
        other.schema = replace(self.schema, losses=None, weight_scale=weight_scale)
        totals = self.class_order
        other.class_order = ClassTotals(totals.counts * factors, other.schema.loss_table, totals.n_cases)
        other.factors = factors
        return other

    def __repr__(self) -> str:
        return "{}({}, {}, {})".format(
            type(self).__name__,
            counted(self.n_objects, "case"),
            counted(self.n_tests, "test"),
            counted(self.n_classes, "class", "classes"),
        )


AnyCases = Instance | ShardedCases  # here or elsewhere
