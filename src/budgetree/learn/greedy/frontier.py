"""The greedy frontier: for every budget the fewest errors that any tree of the portfolio reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from budgetree.impurity import Impurity
from budgetree.learn.found import Found
from budgetree.learn.greedy.growers import grow_nodes
from budgetree.learn.greedy.origins import greedy_origin
from budgetree.learn.greedy.portfolio import HINGED, Batch, Portfolio
from budgetree.learn.greedy.settings import Settings
from budgetree.learn.greedy.steps import join_steps
from budgetree.problem import Instance
from budgetree.services.progress import Report
from budgetree.tree import LEAF, Nodes, Tree
from budgetree.tree.origin import Origin

ROUNDS = 12  # of a bisection, about


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


def grow_frontier(portfolio: Portfolio, chosen: Sequence[Any], limit: int, report: Report) -> list[Found]:
    """The trees that no other of the portfolio beats within the limit, cheapest first."""
    # Under the limit first: those trees are quicker to grow and made for it.
    budgets = dict.fromkeys([limit, portfolio.instance.schema.table.budget_units(None)])
    batches: list[Batch] = []
    for budget in budgets:
        if not (batches and portfolio.out_of_time):
            batches.extend(_grow_all(portfolio, chosen, budget, report))
    return _pareto(portfolio.instance, [batch for batch in batches if len(batch.steps)], limit)


def _grow_all(portfolio: Portfolio, chosen: Sequence[Any], budget: int, report: Report) -> Iterator[Batch]:
    singles: list[Impurity] = [each for each in chosen if each not in HINGED]
    families = [each for each in chosen if each in HINGED]
    n_trees = 0
    portfolio.tick = partial(_tell, report, 0, len(families) or 1, 0)
    if singles:
        batch = portfolio.grow_all(singles, budget)
        n_trees += len(batch.steps)
        report(0, len(families) or 1, f"{n_trees} trees")
        yield batch
    for index, family in enumerate(families):
        if portfolio.out_of_time:
            return
        portfolio.tick = partial(_tell, report, index, len(families), n_trees)
        for number, batch in enumerate(portfolio.hinged(family, budget)):
            n_trees += len(batch.steps)
            report(index + min(number / ROUNDS, 1), len(families), f"{n_trees} trees")
            yield batch


def _tell(report: Report, done: int, total: int, before: int, n_trees: int, _: int) -> None:
    report(done, total, f"{before + n_trees} trees")


def _pareto(instance: Instance, batches: list[Batch], limit: int) -> list[Found]:
    """All cuts of all trees that no other beats; of equals the first in the portfolio's order."""
    growers = [(batch, i) for batch in batches for i in range(len(batch.steps))]
    at_root = _errors_as_a_leaf(instance)
    if not batches:
        return [Found(at_root, 0, "single leaf", partial(_single_leaf, instance))]
    steps = join_steps([batch.steps for batch in batches])
    by_tree = np.lexsort((steps.need, steps.owner))  # each tree's steps, cheapest first
    need, owner = steps.need[by_tree], steps.owner[by_tree]
    saved = np.cumsum(steps.gain[by_tree])
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # where each tree begins
    saved_before = np.repeat(saved[first] - steps.gain[by_tree][first], np.diff(first, append=len(owner)))
    need = np.concatenate(([0], need))
    errors = np.concatenate(([at_root], at_root - (saved - saved_before)))
    owner = np.concatenate(([0], owner))
    order = np.lexsort((owner, errors, need))
    order = order[need[order] <= limit]
    fewest_before = np.minimum.accumulate(np.concatenate(([np.iinfo(np.int64).max], errors[order][:-1])))
    kept = order[errors[order] < fewest_before].tolist()
    found = []
    for i in kept:
        if errors[i] == at_root and need[i] == 0:
            found.append(Found(at_root, 0, "single leaf", partial(_single_leaf, instance)))
            continue
        batch, tree = growers[owner[i]]
        recipe = _Recipe(instance, batch.impurity(tree), batch.budget, int(need[i]))
        found.append(Found(int(errors[i]), int(need[i]), recipe.source, recipe.make))
    return found


def _errors_as_a_leaf(instance: Instance) -> int:
    counts = instance.class_order.counts
    return int(counts.sum() - counts.max())


def _single_leaf(instance: Instance) -> Tree:
    nodes = Nodes(
        test=np.array([LEAF], np.int32),
        parent=np.array([-1], np.int32),
        counts=instance.class_order.counts[None].copy(),
        paid=np.zeros(1, np.int64),
        first_branch=np.array([-1]),
        branches=np.empty(0, np.int32),
        fallback=np.zeros(1, bool),
    )
    return Tree(instance.schema, nodes, instance.n_objects, Origin("leaf"))
