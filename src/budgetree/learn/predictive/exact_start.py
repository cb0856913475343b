"""The exact tree as one more start: on small tables of few-valued tests it can beat every model.

It is the tree with the fewest errors on the known cases within the budget, cut back until it no longer fits their
noise. How far is chosen by real refits on five folds, which also say what to expect of it; a leaf's probabilities lean
on its parent's: (cases + the parent's) / (n + 1). A tree for known cases would branch on a blank; so it does without
tests whose results are not all known.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import TooLargeError
from budgetree.learn.exact.frontier import solve
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.predictive.basis import FEW_VALUES
from budgetree.learn.settings import FitRequest
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.tree import Fixed, Nodes, Tree, TreeBuilder
from budgetree.tree.nodes import Kind
from budgetree.tree.walk import walk_codes

MAX_CASES = 20_000
# What a leaf must save, in cases of Brier loss. One of these is chosen by folds.
PENALTIES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)


@dataclass(frozen=True, slots=True, eq=False)
class ExactStart:
    """A pruned exact tree, and its loss on cases that it was not made from."""

    nodes: Nodes
    stops: NDArray[np.bool_]
    probabilities: NDArray[np.float64]  # node × class
    loss: float  # sum over all cases, by weight


class ExactStarts:
    """The starts of one table for several budgets, refitted on the same folds."""

    def __init__(self, instance: Instance, folds: NDArray[np.int64]) -> None:
        self._instance, self._folds = _with_known_results(instance), folds
        self._is_fit = instance.schema.n_outcomes.max() <= FEW_VALUES + 1 and instance.n_objects <= MAX_CASES
        self._scale = float(instance.schema.weight_scale)

    def start(self, budget: int, clock: Clock, limit: float = np.inf) -> ExactStart | None:
        """The start for one budget.

        None where its loss is not below the limit, where tests have many values, or where a search takes much work.
        """
        nodes = _search(self._instance, budget, clock) if self._is_fit else None
        if nodes is None:
            return None
        losses = np.zeros(len(PENALTIES))
        for judged, known in self._parts:
            refit = _search(known, budget, clock)
            if refit is None:
                return None
            losses += self._losses(refit, judged)
            if losses.min() >= limit:
                return None
        best = len(losses) - 1 - int(losses[::-1].argmin())  # of equals the smallest tree
        stops = _pruning(nodes, PENALTIES[best], self._scale)
        return ExactStart(nodes, stops, _probabilities(nodes, self._scale), float(losses[best]))

    @cached_property
    def _parts(self) -> list[tuple[NDArray[np.int64], Instance]]:
        """Per fold its cases, and the table without them."""
        folds = [self._folds == fold for fold in np.unique(self._folds[self._folds >= 0])]
        of_all = folds if len(folds) > 1 else []
        return [(np.flatnonzero(fold), self._instance.part(np.flatnonzero(~fold))) for fold in of_all]

    def _losses(self, refit: Nodes, judged: NDArray[np.int64]) -> NDArray[np.float64]:
        """Per penalty, the loss on cases that the tree has not seen."""
        codes, weights = self._instance.codes[judged], self._instance.weights[judged]
        answers = np.eye(self._instance.n_classes)[self._instance.labels[judged]]
        of_node, losses = _probabilities(refit, self._scale), []
        ends = walk_codes(refit, self._instance.schema, codes).leaf
        for penalty in PENALTIES:
            at = _stopped(refit, _pruning(refit, penalty, self._scale))[ends]
            losses.append(weights @ ((of_node[at] - answers) ** 2).sum(axis=1))
        return np.array(losses)


def exact_tree(start: ExactStart, cases: Instance) -> Tree:
    """The tree: each test separates the cases as soon as it is bought."""
    builder, ends = TreeBuilder(cases), np.flatnonzero(start.stops).tolist()
    # What no known case showed gets the answer of the node where it is found out.
    leaves = {node: Fixed(tuple(start.probabilities[node].tolist())) for node in ends}
    builder.add_nodes(builder.begin(), start.nodes, leaves=leaves)
    return builder.build()


def _with_known_results(instance: Instance) -> Instance:
    """The same where a test of which some results are not known has one and the same result in every case."""
    unknown = [instance.schema.unknown(test) for test in range(instance.n_tests)]
    is_open = [code is not None and bool((instance.codes[:, test] == code).any()) for test, code in enumerate(unknown)]
    if not any(is_open):
        return instance
    known = copy(instance)
    known.codes = np.where(is_open, np.uint8(0), instance.codes)
    return known.part(np.arange(len(known.codes)))


def _search(instance: Instance, budget: int, clock: Clock) -> Nodes | None:
    if clock.is_over or not instance.schema.costs.is_plain:
        return None
    request = FitRequest(budget=budget, impurities=DEFAULT_IMPURITIES)
    try:
        best = solve(Solver(instance, request, clock.trial(clock.plan.start_seconds)))
    except TooLargeError:  # no start then
        return None
    return best.candidates[0].make().nodes if best.complete else None


def _probabilities(nodes: Nodes, scale: float) -> NDArray[np.float64]:
    """Node × class; a branch has those of the purchase before it."""
    n_classes = nodes.counts.shape[1]
    probabilities = np.full((len(nodes), n_classes), 1 / n_classes)
    for node, parent in enumerate(nodes.parent.tolist()):  # parents come first
        above, counts = probabilities[max(parent, 0)], nodes.counts[node] / scale
        is_branch = nodes.kind[node] == Kind.BY_RESULT
        probabilities[node] = above if is_branch else (counts + above) / (counts.sum() + 1)
    return probabilities


def _pruning(nodes: Nodes, penalty: float, scale: float) -> NDArray[np.bool_]:
    """Where to stop: what is below does not save the penalty for each leaf that a case comes to."""
    counts = nodes.counts / scale
    total = counts.sum(axis=1)
    alone = total - (counts**2).sum(axis=1) / np.maximum(total, np.finfo(float).tiny) + penalty * (total > 0)
    below = np.zeros(len(nodes))
    stops = nodes.is_leaf.copy()
    for node in range(len(nodes) - 1, -1, -1):  # children come later
        stops[node] |= nodes.is_buy[node] and alone[node] <= below[node]
        if nodes.parent[node] >= 0:
            below[nodes.parent[node]] += alone[node] if stops[node] else below[node]
    return stops


def _stopped(nodes: Nodes, stops: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Per node, where a case that would come to it stops: there, or at the first node above that stops."""
    at = np.arange(len(nodes))
    for node, above in enumerate(nodes.parent.tolist()):  # parents come first
        if above >= 0 and stops[at[above]]:
            at[node] = at[above]
    return at
