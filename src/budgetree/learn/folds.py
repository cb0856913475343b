"""Folds: which rows are held out together, so that every row is predicted once by a tree that has not seen it.

    rows    a a b b a b a b …          classes are spread evenly over the folds; rows of one group (a patient, a
    fold    0 1 0 1 2 2 0 3 …          machine) are always in the same fold, or what is held out would be known already

The folds depend on the labels, the groups and the seed alone: all budgets and all methods are tried on the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

DEFAULT_FOLDS = 5
HOLD_OUT_FROM = 50_000  # rows; from there on one fifth stands for all folds
HOLD_OUT_PARTS = 5
NEVER_HELD_OUT = -1


def make_folds(
    labels: NDArray[np.integer[Any]], n_folds: int, *, groups: Sequence[Any] | None = None, seed: int = 0
) -> NDArray[np.int64]:
    """The fold of each row; NEVER_HELD_OUT for the rows of a large table that are only learned from."""
    generator = np.random.default_rng(seed)
    is_large = len(labels) >= HOLD_OUT_FROM
    n_parts = HOLD_OUT_PARTS if is_large else n_folds
    if groups is None:
        folds = deal(labels, n_parts, generator.permutation(len(labels)))
    else:
        group = group_numbers(groups)
        folds = _deal_groups(labels, group, min(n_parts, int(group.max()) + 1), generator)
    return np.where(folds == 0, 0, NEVER_HELD_OUT) if is_large else folds


def group_numbers(groups: Sequence[Any]) -> NDArray[np.int64]:
    """Per row the number of its group, by first appearance; values of any type that can be told apart."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in groups], dtype=np.int64)


def deal(labels: NDArray[np.integer[Any]], n_folds: int, order: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Class by class in the order given, like cards: the next class goes on where the last one ended."""
    order = np.arange(len(labels)) if order is None else order
    by_class = order[np.argsort(labels[order], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(labels)) % n_folds
    return folds


def _deal_groups(
    labels: NDArray[np.integer[Any]], group: NDArray[np.int64], n_folds: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """The largest groups first, each to the fold whose classes it leaves most even."""
    n_groups, n_classes = int(group.max()) + 1, int(labels.max()) + 1
    counts = np.zeros((n_groups, n_classes + 1))
    np.add.at(counts, (group, labels), 1)
    counts[:, n_classes] = counts.sum(axis=1)  # the rows are spread evenly too, so that no fold stays empty
    share = counts / np.maximum(counts.sum(axis=0), 1)  # so that rare classes matter as much as common ones
    shuffled = generator.permutation(n_groups)
    order = shuffled[np.argsort(-counts[shuffled, n_classes], kind="stable")]
    in_fold = np.zeros((n_folds, n_classes + 1))
    fold_of = np.empty(n_groups, dtype=np.int64)
    for number in order.tolist():
        # Adding to one fold changes the sum of squares by 2·(what is there)·(what comes); the rest is the same for all.
        fold_of[number] = int((in_fold @ share[number]).argmin())
        in_fold[fold_of[number]] += share[number]
    folds: NDArray[np.int64] = fold_of[group]
    return folds
