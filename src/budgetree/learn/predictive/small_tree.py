"""A plain tree of at most eight leaves on the tests of a chain, grown best first.

Every split halves the cases by one test: numbers at a round threshold, values by how common the node's class is among
them. A result that is not known goes with the larger half, and its case says nothing about how the halves differ. How
many leaves it has is decided by the Brier score of trees grown without each fold; that score is itself estimated
without the fold that it is of. Where every leaf below a purchase gives the same answer, it is not made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.basis import Basis
from budgetree.learn.predictive.points import MIN_CASES, MIN_SHARE, round_cuts, weight_at
from budgetree.learn.predictive.select import brier, is_clearly_worse
from budgetree.problem import CostModel, Instance, LossTable, PathState
from budgetree.problem.cost_model import mask_of
from budgetree.tree import Fixed, Split, Tree, TreeBuilder
from budgetree.tree.builder import OpenEnd

MAX_LEAVES = 8
SMOOTHING = 2.0  # cases of the node above that each leaf's chances are mixed with
PRIOR = 20.0  # cases of each class that a split divides as all cases, where some results are not known
LEAST_GAIN = 1e-9  # of the cases' weight


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A split of a node: the side of each outcome, last of a result that is not listed."""

    test: int
    sides: NDArray[np.int64]
    gain: float
    unknown: int | None = None  # the outcome of a result that is not known


@dataclass(slots=True, eq=False)
class SmallNode:
    """A node while it grows; `rank` says as which one it was split, from 0 on."""

    cases: NDArray[np.int64]
    counts: NDArray[np.float64]  # per class, by weight
    chances: NDArray[np.float64]
    state: PathState
    cut: Cut | None = None
    rank: int = MAX_LEAVES
    children: list[SmallNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class SmallTreeGrower:
    """Grows plain trees on the tests of a chain."""

    instance: Instance
    tests: tuple[int, ...]
    bases: Sequence[Basis]  # of all tests
    costs: CostModel

    def grow(self, cases: NDArray[np.int64]) -> SmallNode:
        """Best first, to the most leaves that it may have."""
        counts = self._counts(cases)
        root = SmallNode(cases, counts, counts / counts.sum(), self.costs.begun)
        least = max(MIN_CASES, MIN_SHARE * float(counts.sum()))
        open_nodes = [(root, self._best_cut(root, least))]
        for rank in range(MAX_LEAVES - 1):
            scored = [(-cut.gain, at) for at, (_, cut) in enumerate(open_nodes) if cut is not None]
            if not scored:
                break
            node, cut = open_nodes.pop(min(scored)[1])
            assert cut is not None
            node.cut, node.rank, node.children = cut, rank, self._children(node, cut)
            open_nodes += [(child, self._best_cut(child, least)) for child in node.children]
        return root

    def _counts(self, cases: NDArray[np.int64]) -> NDArray[np.float64]:
        instance = self.instance
        return weight_at(instance.labels[cases], instance.weights[cases], instance.n_classes)

    def _children(self, node: SmallNode, cut: Cut) -> list[SmallNode]:
        codes, found = np.minimum(self.instance.codes[node.cases, cut.test], len(cut.sides) - 1), []
        state = node.state
        state = state if cut.test in state.tests else self.costs.after_ordering(state, cut.test)
        for side, counts in enumerate(self._halves(node, cut, codes)):
            chances = counts + SMOOTHING * node.chances
            seen = self.costs.after_seeing(state, cut.test, mask_of(cut.sides == side))
            found.append(SmallNode(node.cases[cut.sides[codes] == side], counts, chances / chances.sum(), seen))
        return found

    def _halves(self, node: SmallNode, cut: Cut, codes: NDArray[np.uint8]) -> list[NDArray[np.float64]]:
        """Side × class: the node's cases by class, each class divided as its cases whose result is known.

        Else the half with all unknown results would get their classes, as if these were what it shows. Some cases more
        of each class are divided as all cases are: a class may have few known results, or none.
        """
        is_known = codes != cut.unknown
        sides = [self._counts(node.cases[is_known & (cut.sides[codes] == side)]) for side in (0, 1)]
        known = sides[0] + sides[1]
        more = np.where((known == 0) | (not is_known.all()), PRIOR, 0.0)
        return [(side + more * side.sum() / known.sum()) * (node.counts / (known + more)) for side in sides]

    def _best_cut(self, node: SmallNode, least: float) -> Cut | None:
        best, most = None, LEAST_GAIN * float(self.instance.weights.sum())
        for test in self.tests:
            if test not in node.state.tests and self.costs.refusal(node.state, test) is not None:
                continue
            cut = self._cut(node, test, self.bases[test], least)
            if cut is not None and cut.gain > most * (1 + 1e-9):  # of equals the first of the chain
                best, most = cut, cut.gain
        return best

    def _cut(self, node: SmallNode, test: int, basis: Basis, least: float) -> Cut | None:
        instance, n_classes = self.instance, self.instance.n_classes
        cells = instance.codes[node.cases, test].astype(np.int64) * n_classes + instance.labels[node.cases]
        counts = weight_at(cells, instance.weights[node.cases], 256 * n_classes).reshape(256, n_classes)
        counts, is_nominal = counts[: basis.n_outcomes], not basis.is_ordered
        if is_nominal:
            listed = counts.sum(axis=1) > 0
            listed[basis.missing if basis.missing is not None else []] = False
            order = np.flatnonzero(listed)
            share = counts[order, int(node.chances.argmax())] / counts[order].sum(axis=1)
            order = order[np.argsort(share, kind="stable")]
        else:
            order = np.arange(basis.n_levels if basis.missing is not None else basis.n_outcomes)
        below = np.asarray(np.cumsum(counts[order], axis=0), dtype=np.float64)
        if len(order) < 2:
            return None
        gains = _gains(below, least)
        at = int(gains.argmax()) + 1  # the first of the upper half
        if gains[at - 1] <= 0:
            return None
        if not is_nominal and at < basis.n_levels:  # else between numbers and a blank that is a result
            (rounded,) = round_cuts([at], counts[: basis.n_levels].sum(axis=1), basis, least)
            at = rounded if gains[rounded - 1] > 0 else at
        sides = np.full(basis.n_outcomes + 1, int(2 * below[at - 1].sum() < below[-1].sum()), dtype=np.int64)
        sides[order] = np.arange(len(order)) >= at
        return Cut(test, sides, float(gains[at - 1]), basis.missing)


def _gains(below: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Per cut, how much lower the Brier score of the two halves is, added up; 0 where one has too few cases."""
    whole, lower = below[-1], below[:-1]
    upper = whole - lower
    sizes = lower.sum(axis=1), upper.sum(axis=1)
    parts = [(half**2).sum(axis=1) / np.maximum(size, 1e-300) for half, size in zip((lower, upper), sizes, strict=True)]
    gains = parts[0] + parts[1] - (whole**2).sum() / max(float(whole.sum()), 1e-300)
    return np.where((sizes[0] >= least) & (sizes[1] >= least), gains, 0.0)


def pruned(node: SmallNode, n_splits: int, table: LossTable) -> SmallNode:
    """The tree after so many splits, without purchases below which every leaf gives the same answer.

    A split by what was bought before costs nothing: it stays, for the chances.
    """
    if node.rank >= n_splits or node.cut is None:
        return replace(node, cut=None, children=[])
    children = [pruned(child, n_splits, table) for child in node.children]
    is_bought = node.cut.test in node.state.tests
    if not is_bought and len({int(table.best(leaf.chances)) for child in children for leaf in leaves_of(child)}) == 1:
        return replace(node, cut=None, children=[])
    return replace(node, children=children)


def leaves_of(node: SmallNode) -> list[SmallNode]:
    """The leaves below a node, or the node itself."""
    return [node] if node.cut is None else [leaf for child in node.children for leaf in leaves_of(child)]


def predicted(node: SmallNode, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Case × class: the chances of the leaf that each case comes to.

    Where a result is not known, they are those of the node: the case is judged as without the test.
    """
    found = np.tile(node.chances, (len(codes), 1))
    if node.cut is None:
        return found
    own = codes[:, node.cut.test]
    sides = np.where(own == node.cut.unknown, -1, node.cut.sides[np.minimum(own, len(node.cut.sides) - 1)])
    for side, child in enumerate(node.children):
        found[sides == side] = predicted(child, codes[sides == side])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class SmallTree:
    """A plain tree, and how trees learned in the same way do on cases left out."""

    root: SmallNode
    out_of_fold: NDArray[np.float64]  # case × class; NaN of cases that are never held out

    def tree(self, instance: Instance, *, budget: Any = None) -> Tree:
        builder = TreeBuilder(instance, budget=budget)
        waiting: list[tuple[OpenEnd, SmallNode]] = [(builder.begin(), self.root)]
        while waiting:
            end, node = waiting.pop()
            if node.cut is None:
                builder.leaf(end, Fixed(tuple(node.chances.tolist())))
                continue
            test = node.cut.test
            end = end if test in end.state.tests else builder.buy(end, test)
            ends = builder.branch(end, Split.by_result(test, node.cut.sides.tolist()))
            waiting += zip(ends, node.children, strict=True)
        return builder.build()


def fit_small_tree(
    instance: Instance,
    tests: Sequence[int],
    folds: NDArray[np.int64],
    bases: Sequence[Basis],
    *,
    budget: Any = None,
    rival: NDArray[np.float64] | None = None,
) -> SmallTree | None:
    """The tree of as many leaves as do best on cases left out.

    None where, after the first fold, even the best number of leaves is clearly worse than a rival's losses per case.
    """
    growth = SmallTreeGrower(instance, tuple(tests), bases, instance.schema.costs.within(budget))
    table = instance.schema.loss_table
    sizes = range(MAX_LEAVES)  # splits
    left_out = np.full((len(sizes), len(folds), instance.n_classes), np.nan)
    numbers, judged = np.unique(folds[folds >= 0]), folds >= 0
    for fold in numbers:
        held = np.flatnonzero(folds == fold)
        root = growth.grow(np.flatnonzero(folds != fold))
        for size in sizes:
            left_out[size, held] = predicted(pruned(root, size, table), instance.codes[held])
        if rival is not None and fold == numbers[0]:
            losses = [brier(left_out[size, held], instance.labels[held]) for size in sizes]
            if all(is_clearly_worse(loss, rival[held], instance.weights[held]) for loss in losses):
                return None
    scores = np.stack([brier(each, instance.labels) * instance.weights for each in left_out])
    honest = left_out[0].copy()
    for fold in numbers:
        others = judged & (folds != fold) if len(numbers) > 1 else judged  # eight sizes fit no noise of many cases
        size = int(scores[:, others].sum(axis=1).argmin())
        honest[folds == fold] = left_out[size, folds == fold]
    root = growth.grow(np.arange(len(folds)))
    return SmallTree(pruned(root, int(scores[:, judged].sum(axis=1).argmin()), table), honest)
