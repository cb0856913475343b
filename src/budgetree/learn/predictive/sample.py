"""The cases that count, and the sample of them on which a learner decides what to buy, drawn by their content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.learn.predictive.basis import Basis, bases_of
from budgetree.learn.validation import deal, deal_groups
from budgetree.problem import Instance
from budgetree.problem.duplicates import canonical_order, code_words, dealing_order

MAX_DECIDING = 5_000  # cases; more do not find better tests
N_FOLDS = 5


# What the core sees of a test: its codes, how many there are, whether they are ordered, and the missing one or -1.
Seen = tuple[NDArray[np.uint8], int, bool, int]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Known cases as models and forests see them; all have a weight above 0."""

    codes: NDArray[np.uint8]  # case × test
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_classes: int
    bases: tuple[Basis, ...]
    groups: NDArray[np.int32] | None = None  # per case, the number of its group

    @classmethod
    def of(cls, instance: Instance) -> Cases:
        """All cases of an instance."""
        return cls(instance.codes, instance.labels, instance.weights, instance.n_classes, bases_of(instance))

    @property
    def n_cases(self) -> int:
        return len(self.labels)

    def in_core(self, see: Callable[[NDArray[np.uint8], Basis], Seen]) -> Any:
        """The rows for the core's forests and boosted trees."""
        seen = [see(codes, basis) for codes, basis in zip(self.codes.T, self.bases, strict=True)]
        codes, n_outcomes, is_ordered, missing = map(np.array, zip(*seen, strict=True))
        return core.CodedRows(
            np.ascontiguousarray(codes, dtype=np.uint8),
            self.labels.astype(np.int32),
            None if (self.weights == 1).all() else self.weights,
            n_outcomes.astype(np.int32),
            is_ordered,
            missing.astype(np.int32),
            self.n_classes,
            self.groups,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sample(Cases):
    """Some of the known cases in random order."""

    folds: NDArray[np.int64]  # per case, for the evidence of branches
    positions: NDArray[np.int64]  # per case, in the instance


def counted_cases(instance: Instance, groups: NDArray[np.int64] | None) -> tuple[Instance, NDArray[np.int64] | None]:
    """The cases that count, and per case the number of its group; None where each is a group of its own.

    Equal cases of one group are one case of their weight: all else would be known from its copy.
    """
    units = instance.weight_units
    counting = np.flatnonzero(units)
    if groups is None:
        return instance if len(counting) == len(units) else instance.part(counting), None
    ranks = canonical_order(code_words(instance.codes[counting]), instance.labels[counting], groups[counting])
    _, first, case = np.unique(ranks, return_index=True, return_inverse=True)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, case, units[counting])
    order = np.argsort(first)  # as they come
    kept = counting[first[order]]
    numbers = np.unique(groups[kept], return_inverse=True)[1]
    is_alone = int(numbers.max()) + 1 == len(kept)
    return instance.part(kept, units=total[order]), None if is_alone else numbers


def draw(instance: Instance, groups: NDArray[np.int64] | None = None, max_cases: int = MAX_DECIDING) -> Sample:
    """The cases that come first in an order by the hash of their content, or all of them.

    groups  per case the number of its group, whose cases share a fold
    """
    counting = np.flatnonzero(instance.weight_units)
    cases = counting[dealing_order(_ranks(instance, counting))[:max_cases]]
    labels = instance.labels[cases]
    numbers = None if groups is None else np.unique(groups[cases], return_inverse=True)[1]
    in_turn = np.arange(len(labels))
    folds = deal(labels, N_FOLDS, in_turn) if numbers is None else deal_groups(labels, numbers, N_FOLDS)
    return Sample(
        instance.codes[cases],
        labels,
        instance.weights[cases],
        instance.n_classes,
        bases_of(instance),
        None if numbers is None else numbers.astype(np.int32),
        folds=folds,
        positions=cases,
    )


def _ranks(instance: Instance, cases: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of these cases, each one's rank in the canonical order, which those of equal results and class share."""
    codes, labels = instance.codes[cases], instance.labels[cases]
    is_new = (codes[1:] != codes[:-1]).any(axis=1) | (labels[1:] != labels[:-1])
    return np.concatenate([[0], np.cumsum(is_new)])
