"""The greedy frontier: for every budget the fewest errors that any tree of the portfolio reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.impurity import Impurity
from budgetree.learn.found import Found, found_leaf
from budgetree.learn.greedy.growers import grow_nodes
from budgetree.learn.greedy.origins import greedy_origin
from budgetree.learn.greedy.portfolio import HINGED, ROUNDS, Batch, Portfolio, TreeCount
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.greedy.steps import join_steps
from budgetree.learn.settings import Request
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport
from budgetree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class _Recipe:
    """How to grow a tree again: most are never asked for."""

    instance: Instance
    impurity: Impurity
    hard_budget: int  # in price units
    cut: int

    @property
    def source(self) -> str:
        table = self.instance.schema.table
        if self.hard_budget >= table.budget_units(None):
            return repr(self.impurity)
        return f"{self.impurity!r}, budget={table.amount(self.hard_budget)}"

    def make(self) -> Tree:
        schema = self.instance.schema
        form = self.impurity.form(schema.weight_scale, self.instance.n_classes)
        nodes = grow_nodes(self.instance, Settings(form, Fraction(0), self.hard_budget, "worst"))
        unlimited = self.hard_budget >= schema.table.budget_units(None)
        budget = None if unlimited else Fraction(self.hard_budget) / schema.table.scale
        whole = Tree(schema, nodes, self.instance.n_objects, greedy_origin(self.impurity, budget=budget))
        return whole.cut(schema.table.amount(self.cut)).trim()


def grow_frontier(request: Request, clock: Clock, report: ProgressReport) -> list[Found]:
    """The trees that no other of the portfolio beats within the limit, cheapest first; fewer if time is over."""
    portfolio = Portfolio(request.instance, request.cache_bytes, clock)
    # Under the limit first: those trees are quicker to grow and made for it.
    budgets = dict.fromkeys([request.limit, request.instance.schema.table.budget_units(None)])
    batches: list[Batch] = []
    for budget in budgets:
        if not (batches and clock.is_over):
            batches.extend(_grow_all(portfolio, request.impurities, budget, report))
    return _pareto(request.instance, [batch for batch in batches if len(batch.steps)], request.limit)


def _grow_all(portfolio: Portfolio, impurities: Sequence[Any], budget: int, report: ProgressReport) -> Iterator[Batch]:
    singles: list[Impurity] = [impurity for impurity in impurities if impurity not in HINGED]
    families = [impurity for impurity in impurities if impurity in HINGED]
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


def _pareto(instance: Instance, batches: list[Batch], limit: int) -> list[Found]:
    """All cuts of all trees that no other beats; of equals the first in the portfolio's order.

    A tree's steps, cheapest first, are all its cuts: each further step saves its gain.

        tree 1   need 0   2   5         tree 2   need 0   2   4         both, by need:   0   2   2   4   5
                 gain     3   4                  gain     2   6                 errors   9   6   7   1   2
               errors 9   6   2                errors 9   7   1                          ■   ■       ■

    Sorted by need, then errors, then tree, a cut is kept (■) if it makes fewer errors than all before it.
    """
    growers = [(batch, i) for batch in batches for i in range(len(batch.steps))]
    at_root = instance.class_order.leaf_errors
    if not batches:
        return [found_leaf(instance)]
    steps = join_steps([batch.steps for batch in batches])
    by_tree = np.lexsort((steps.need, steps.owner))  # each tree's steps, cheapest first
    need, owner = steps.need[by_tree], steps.owner[by_tree]
    saved = np.cumsum(steps.gain[by_tree])
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # where each tree begins
    saved_before = np.repeat(saved[first] - steps.gain[by_tree][first], np.diff(first, append=len(owner)))
    need = np.concatenate(([0], need))  # the single leaf goes first
    errors = np.concatenate(([at_root], at_root - (saved - saved_before)))
    owner = np.concatenate(([0], owner))
    order = np.lexsort((owner, errors, need))
    order = order[need[order] <= limit]
    fewest_before = np.minimum.accumulate(np.concatenate(([np.iinfo(np.int64).max], errors[order][:-1])))
    found = []
    for i in order[errors[order] < fewest_before].tolist():
        if errors[i] == at_root and need[i] == 0:
            found.append(found_leaf(instance))
            continue
        batch, tree = growers[owner[i]]
        recipe = _Recipe(instance, batch.impurity(tree), batch.budget, int(need[i]))
        found.append(Found(int(errors[i]), int(need[i]), recipe.source, recipe.make))
    return found
