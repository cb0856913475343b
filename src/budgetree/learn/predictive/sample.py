"""Samples of the known cases, drawn by their content: of a large table the rows to look at, and those that decide.

table ─► MAX_ROWS rows ─┬─ four fifths: leaves are fitted to them ─► MAX_DECIDING cases: what to buy
                        └─ one fifth: it judges what was learned
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed import AnyCases
from budgetree.learn.predictive.basis import Basis, bases_of
from budgetree.learn.validation import FoldSettings, deal, deal_groups
from budgetree.problem import Instance, drawing
from budgetree.problem.duplicates import dealing_order

MAX_DECIDING = 10_000  # cases; more do not find better tests
MAX_COPIES = 1_000_000  # beyond so many, a case of weight k is one case that counts k times
N_FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """The raw rows of an instance, and per row its group where some belong together."""

    instance: Instance
    groups: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, cases: AnyCases, groups: tuple[Any, ...] | None = None) -> KnownRows:
        """Those that are looked at: all, or of a large table some that are drawn, wherever it lies."""
        return cls(cases if isinstance(cases, Instance) else cases.drawn, groups).drawn()

    def take(self, positions: NDArray[np.int64]) -> KnownRows:
        """Only these, some perhaps several times, coded as they are."""
        groups = None if self.groups is None else tuple(self.groups[row] for row in positions.tolist())
        return KnownRows(self.instance.recoded({}, positions), groups)

    def drawn(self) -> KnownRows:
        """Those of a large table that are looked at, else all."""
        positions = drawing.drawn_rows(self.instance)
        return self if positions is None else self.take(positions)

    def learned_from(self) -> KnownRows:
        """All; where there are as many as are drawn of a large table, but for the fifth that judges what is learned."""
        if self.instance.n_rows < drawing.MAX_ROWS:
            return self
        return self.take(np.flatnonzero(FoldSettings(groups=self.groups).folds(self.instance) != 0))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Some of the known cases in random order; a case of weight k is drawn as k equal cases would be."""

    codes: NDArray[np.uint8]  # test × case
    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    folds: NDArray[np.int64]  # per case, for the evidence of branches
    positions: NDArray[np.int64]  # per case, in the instance
    bases: tuple[Basis, ...]
    n_classes: int

    @property
    def n_cases(self) -> int:
        return len(self.labels)


def draw(instance: Instance, groups: NDArray[np.int64] | None = None, max_cases: int = MAX_DECIDING) -> Sample:
    """The cases that come first in an order by the hash of their content, or all of them.

    groups  per case the number of its group, whose cases share a fold
    """
    cases, weights = _copies(instance)
    order = dealing_order(_ranks(instance, cases))[:max_cases]
    cases, weights = cases[order], weights[order]
    labels = instance.labels[cases]
    if groups is None:
        folds = deal(labels, N_FOLDS, np.arange(len(labels)))
    else:
        _, numbers = np.unique(groups[cases], return_inverse=True)
        folds = deal_groups(labels, numbers, N_FOLDS)
    codes = np.ascontiguousarray(instance.codes[cases].T)
    return Sample(codes, labels.astype(np.int32), weights, folds, cases, bases_of(instance), instance.n_classes)


def _copies(instance: Instance) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cases that count, each as often as its weight says where weights are whole numbers, and what each weighs."""
    weights = instance.weights
    counting = np.flatnonzero(weights > 0)
    whole = weights[counting]
    if (whole != np.rint(whole)).any() or whole.sum() > MAX_COPIES:
        return counting, whole
    cases = np.repeat(counting, whole.astype(np.int64))
    return cases, np.ones(len(cases))


def _ranks(instance: Instance, cases: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of these cases, each one's rank in the canonical order, which those of equal results and class share."""
    codes, labels = instance.codes[cases], instance.labels[cases]
    is_new = (codes[1:] != codes[:-1]).any(axis=1) | (labels[1:] != labels[:-1])
    return np.concatenate([[0], np.cumsum(is_new)])
