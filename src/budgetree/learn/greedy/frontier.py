"""The greedy frontier: for every budget the least loss that any tree of the portfolio reaches."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from budgetree.distributed import AnyCases
from budgetree.impurity import Impurity, Pairs
from budgetree.learn.greedy.portfolio import (
    ROUNDS,
    Batch,
    Portfolio,
    TreeCount,
    WholeTree,
    is_family,
    join_steps,
    weigh_classes,
)
from budgetree.learn.points import Candidate, leaf_candidate
from budgetree.learn.settings import FitRequest
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import ProgressReport
from budgetree.tree import Nodes, Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.changes import beyond, pruned, trimmed
from budgetree.tree.provenance import Change, ChangeKind

MAX_GROWN = 8  # whole trees that are kept for their other cuts


class _Recent:
    """The whole trees that were asked for last: many points of a frontier are cuts of one tree."""

    def __init__(self) -> None:
        self._trees: OrderedDict[WholeTree, Nodes] = OrderedDict()

    def __reduce__(self) -> tuple[type[_Recent], tuple[()]]:
        return _Recent, ()  # they can be grown again

    def cut(self, whole: WholeTree, need: int) -> Tree:
        """The tree cut at this budget, in price units."""
        grown = self._trees.pop(whole, None) or whole.grow()
        self._trees[whole] = grown
        if len(self._trees) > MAX_GROWN:
            self._trees.popitem(last=False)
        schema, origin = whole.instance.schema, whole.origin
        if (over := beyond(grown, need)).any():
            grown = pruned(grown, over)
            origin = origin.then(Change(ChangeKind.CUT, Fraction(need) / schema.costs.scale))
        if (left := trimmed(grown)) is not grown:
            origin = origin.then(Change(ChangeKind.TRIMMED))
        return grown_tree(schema, left, whole.instance.n_objects, origin)


def grow_frontier(instance: AnyCases, request: FitRequest, clock: Clock, report: ProgressReport) -> list[Candidate]:
    """The trees that no other of the portfolio beats within the budget, cheapest first; fewer if time is over.

    The cuts of one tree are always among them.
    """
    # Under the budget first: those trees are quicker to grow and made for it.
    budgets = dict.fromkeys([request.budget, instance.schema.costs.budget_units(None)])
    batches: list[Batch] = []
    # First the cases as they are; then, if there is time, by what missing their classes costs.
    for is_weighted in (False, True):
        weights = weigh_classes(instance) if is_weighted and not clock.is_over else None
        if is_weighted and weights is None:
            break
        portfolio = Portfolio(instance, request.cache_bytes, clock, min_cases=request.min_cases, weights=weights)
        for budget in budgets:
            if not (batches and clock.is_over):
                batches.extend(_grow_all(portfolio, request.impurities, budget, report))
    finished = [batch for batch in batches if len(batch.steps)]
    if not (finished or request.needs_tree):
        raise OutOfTimeError
    if not finished and clock.was_interrupted:  # Ctrl-C: no tree is waited for
        return [leaf_candidate(instance)]
    if not finished:  # however short the time: an Instance with a limit has no less than one that is grown
        portfolio = Portfolio(instance, request.cache_bytes, clock, min_cases=request.min_cases)
        finished = [portfolio.grow_one(Pairs(), request.budget)]
    return _pareto(instance, request, finished)


def _grow_all(portfolio: Portfolio, impurities: Sequence[Any], budget: int, report: ProgressReport) -> Iterator[Batch]:
    singles: list[Impurity] = [impurity for impurity in impurities if not is_family(impurity)]
    families = [impurity for impurity in impurities if is_family(impurity)]
    trees = TreeCount(report, len(families) or 1)
    if singles:
        batch = portfolio.grow_all(singles, budget, trees.tick)
        trees.add(batch, 0)
        yield batch
    for index, family in enumerate(families):
        if portfolio.clock.is_over:
            return
        for number, batch in enumerate(portfolio.hinged(family, budget, trees.tick)):
            trees.add(batch, index + min(number / ROUNDS, 1))
            yield batch


def _pareto(instance: AnyCases, request: FitRequest, batches: list[Batch]) -> list[Candidate]:
    """All cuts of all trees that no other beats; of equals the first in the portfolio's order.

    A tree's steps, cheapest first, are all its cuts: each further step saves its gain.

        tree 1   need 0   2   5         tree 2   need 0   2   4         both, by need:   0   2   2   4   5
                 gain     3   4                  gain     2   6                 loss     9   6   7   1   2
                 loss 9   6   2                  loss 9   7   1                          ■   ■       ■

    Sorted by need, then loss, then tree, a cut is kept (■) if it loses less than all before it.
    """
    trees = [tree for batch in batches for tree in batch.trees]
    at_root, least = instance.class_order.leaf_loss, instance.schema.costs.least_budget
    steps = join_steps([batch.steps for batch in batches])
    by_tree = np.lexsort((steps.need, steps.owner))  # each tree's steps, cheapest first
    need, owner = steps.need[by_tree], steps.owner[by_tree]
    saved = np.cumsum(steps.gain[by_tree])
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # where each tree begins
    saved_before = np.repeat(saved[first] - steps.gain[by_tree][first], np.diff(first, append=len(owner)))
    need = np.maximum(np.concatenate(([0], need)), least)  # the single leaf goes first
    loss = np.concatenate(([at_root], at_root - (saved - saved_before)))
    owner = np.concatenate(([0], owner))
    order = np.lexsort((owner, loss, need))
    order = order[need[order] <= request.budget]
    least_before = np.minimum.accumulate(np.concatenate(([np.iinfo(np.int64).max], loss[order][:-1])))
    found, grown = [], _Recent()
    for i in order[loss[order] < least_before].tolist():
        if loss[i] == at_root and need[i] == least:
            found.append(leaf_candidate(instance))
            continue
        whole, cut = trees[owner[i]], int(need[i])
        found.append(Candidate(int(loss[i]), cut, whole.source, partial(grown.cut, whole, cut)))
    return found
