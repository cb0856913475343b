"""CART within a budget, for benchmarks/new_cases.py: a test already paid on the path may be split on again for nothing.

Binary splits by Gini impurity on fine codes, grown until pure, then cut back by cost-complexity pruning with the
penalty that five inner folds like best. No library has such a tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_FOLDS = 5
ROWS_PER_LEAF_ROW = 2_000  # a leaf has one row more for each so many: larger tables would take hours


@dataclass(eq=False)
class Part:
    """A node: its class counts, and where it goes on, the test, which outcomes go left, and the two sides."""

    counts: NDArray[np.float64]
    test: int = -1
    left: NDArray[np.bool_] | None = None
    sides: tuple[Part, Part] | None = None
    link: float = np.inf  # what each leaf below saves: the penalty from which on it is a leaf


@dataclass(frozen=True, eq=False)
class Sample:
    codes: NDArray[np.uint8]
    labels: NDArray[np.int64]
    n_classes: int
    n_outcomes: NDArray[np.int64]
    is_ordered: NDArray[np.bool_]
    fees: list[tuple[float, frozenset[int]]]  # each paid with the first of its tests
    price: NDArray[np.float64]

    def part(self, rows: NDArray[np.bool_]) -> Sample:
        return Sample(self.codes[rows], self.labels[rows], *list(vars(self).values())[2:])


def fit_cart(sample: Sample, budget: float) -> Part:
    """Grown within the budget, and pruned by inner folds."""
    whole = grow(sample, np.arange(len(sample.labels)), frozenset(), budget)
    links = np.unique([0.0, *all_links(whole)])
    links = links[np.isfinite(links)]
    penalties = np.r_[np.sqrt(links[:-1] * links[1:]), links[-1]]  # between two, the same tree
    folds = np.empty(len(sample.labels), dtype=int)
    folds[np.argsort(sample.labels, kind="stable")] = np.arange(len(folds)) % N_FOLDS
    errors = np.zeros(len(penalties))
    for fold in range(N_FOLDS):
        known, judged = sample.part(folds != fold), sample.part(folds == fold)
        tree = grow(known, np.arange(len(known.labels)), frozenset(), budget)
        all_links(tree)
        scale = len(known.labels) / len(sample.labels)
        for index, penalty in enumerate(penalties):
            predicted = predict_proba(tree, judged.codes, penalty * scale).argmax(axis=1)
            errors[index] += (predicted != judged.labels).sum()
    best = len(penalties) - 1 - int(errors[::-1].argmin())
    return pruned(whole, penalties[best])


def grow(sample: Sample, rows: NDArray[np.int64], paid: frozenset[int], budget: float) -> Part:
    counts = np.bincount(sample.labels[rows], minlength=sample.n_classes).astype(float)
    part = Part(counts)
    if (counts > 0).sum() < 2:
        return part
    price = sample.price.copy()
    for fee, shared in sample.fees:
        if not shared & paid:
            price[list(shared)] += fee
    price[list(paid)] = 0
    tests = np.flatnonzero(price <= budget + 1e-9)
    best = best_split(sample, rows, counts, tests)
    if best is None:
        return part
    part.test, part.left = best
    goes = part.left[sample.codes[rows, part.test]]
    left = budget - price[part.test]
    part.sides = tuple(grow(sample, rows[side], paid | {part.test}, left) for side in (goes, ~goes))  # type: ignore
    return part


def best_split(
    sample: Sample, rows: NDArray[np.int64], counts: NDArray[np.float64], tests: NDArray[np.int64]
) -> tuple[int, NDArray[np.bool_]] | None:
    """The split that lowers Gini's impurity most; one against the rest for nominal tests."""
    if not len(tests):
        return None
    width, n_classes = int(sample.n_outcomes[tests].max()), sample.n_classes
    key = (np.arange(len(tests)) * width + sample.codes[np.ix_(rows, tests)]) * n_classes + sample.labels[rows][:, None]
    sums = np.bincount(key.ravel(), minlength=len(tests) * width * n_classes).reshape(len(tests), width, n_classes)
    left = np.where(sample.is_ordered[tests][:, None, None], np.cumsum(sums, axis=1), sums)
    right = counts - left
    n_left, n_right = left.sum(axis=2), right.sum(axis=2)
    pure = (left**2).sum(axis=2) / np.maximum(n_left, 1) + (right**2).sum(axis=2) / np.maximum(n_right, 1)
    least = 1 + len(sample.labels) // ROWS_PER_LEAF_ROW
    pure = np.where((n_left >= least) & (n_right >= least), pure, -1.0)
    at, outcome = np.unravel_index(int(pure.argmax()), pure.shape)
    if pure[at, outcome] <= (counts**2).sum() / counts.sum() + 1e-9:
        return None
    test, outcomes = int(tests[at]), np.arange(256)
    return test, outcomes <= outcome if sample.is_ordered[test] else outcomes == outcome


def all_links(part: Part) -> list[float]:
    """Weakest-link pruning in errors per leaf, the whole sequence: a node's link is where it becomes a leaf."""
    links: list[float] = []
    while True:
        saved: list[tuple[Part, float]] = []
        _savings(part, saved)
        if not saved:
            return links
        least = max(min(value for _, value in saved), links[-1] if links else 0.0)
        for node, value in saved:
            if value <= least + 1e-12:
                node.link = least
        links.append(least)


def _savings(node: Part, saved: list[tuple[Part, float]]) -> tuple[float, int]:
    """Errors and leaves from here on; into `saved`, what each leaf below saves, of the nodes that are still open."""
    errors = float(node.counts.sum() - node.counts.max())
    if node.sides is None or np.isfinite(node.link):
        return errors, 1
    below, leaves = (sum(pair) for pair in zip(*(_savings(side, saved) for side in node.sides), strict=True))
    saved.append((node, (errors - below) / (leaves - 1)))
    return below, int(leaves)


def pruned(part: Part, penalty: float) -> Part:
    if part.sides is None or part.link <= penalty:
        return Part(part.counts)
    return Part(part.counts, part.test, part.left, tuple(pruned(side, penalty) for side in part.sides))  # type: ignore


def predict_proba(part: Part, codes: NDArray[np.uint8], penalty: float = -1.0) -> NDArray[np.float64]:
    """Shares of the classes at the leaf, one case of each added."""
    result = np.empty((len(codes), len(part.counts)))
    if part.sides is None or part.link <= penalty:
        result[:] = (part.counts + 1 / len(part.counts)) / (part.counts.sum() + 1)
        return result
    assert part.left is not None
    goes = part.left[codes[:, part.test]]
    for side, here in zip(part.sides, (goes, ~goes), strict=True):
        result[here] = predict_proba(side, codes[here], penalty)
    return result
