"""budgetree's two frontiers, as one of the methods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from peer_trees import (
    Case,
    Leaf,
    Result,
    Split,
    Sweep,
    judged,
)

import budgetree as bt

OUR_PATIENCE = 20.0  # seconds for a frontier; only dna needs more to be proven


def read_budgetree(node: Mapping[str, Any], instance: bt.Instance) -> Leaf | Split:
    if "test" not in node:
        return Leaf(instance.class_names.index(node["label"]))
    column = instance.test_names.index(node["test"])
    names = instance.outcome_names[column]
    below = node["children"].items()
    branches = ((frozenset([names.index(name)]), read_budgetree(child, instance)) for name, child in below)
    return Split(column, tuple(branches))


def of_frontier(case: Case, frontier: bt.Frontier, seconds: float) -> Sweep:
    cells, instance = {}, case.instance
    for budget in case.budgets:
        point = frontier.best(budget=budget)
        tree = read_budgetree(point.tree.to_dict(), instance)
        predicted = [instance.class_names.index(label) for label in point.tree.predict_codes(instance.codes)]
        result = judged(case, tree, np.array(predicted))
        assert result == Result(Fraction(str(point.max_cost)), int(point.errors)), "the walk and the frontier differ"
        # A cheaper point stands for this budget too, but only if the search got as far as this budget.
        proven = point.proven and (result.max_cost == budget or frontier.complete or point.errors == 0)
        cells[budget] = replace(result, finished=proven)
    return Sweep(cells, seconds, len(frontier))


def budgetree_greedy(case: Case) -> Sweep:
    bt.frontier(case.instance, method="greedy", progress=False, folds=0)
    start = time.perf_counter()
    frontier = bt.frontier(case.instance, method="greedy", progress=False, folds=0)
    seconds = time.perf_counter() - start
    sweep = of_frontier(case, frontier, seconds)
    cells = {budget: replace(cell, finished=True) for budget, cell in sweep.cells.items()}
    return replace(sweep, cells=cells)  # a greedy growth always ends; it claims no proof


def budgetree_exact(case: Case) -> Sweep:
    bt.frontier(case.instance, method="exact", max_budget=case.budgets[2], progress=False, folds=0)  # loads the core
    start = time.perf_counter()
    frontier = bt.frontier(case.instance, method="exact", time_limit=OUR_PATIENCE, progress=False, folds=0)
    return of_frontier(case, frontier, time.perf_counter() - start)
