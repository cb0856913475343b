"""The tree that `budgetree fit` is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from budgetree.learn import Frontier, Point, frontier
from budgetree.learn._frontier import frontier_for_new
from budgetree.learn.proofs import tree_for_budget, tree_for_error
from budgetree.problem import Instance
from budgetree.tree import Tree


@dataclass(frozen=True, slots=True)
class Wish:
    """Either a budget or a max_error, and how to search."""

    budget: float | None
    max_error: float | None
    method: str
    time_limit: float | None
    min_cases: int
    folds: int
    objective: str
    leaves: str
    sure: float


def find_tree(instance: Instance, groups: Any, wish: Wish) -> tuple[Frontier, Point, Tree]:
    """What was found, the point of it that is wanted, and its tree with what is proven about it."""
    if wish.objective == "new":
        learner = {"sure": None if wish.sure == 1 else wish.sure, "leaves": wish.leaves}
        found = frontier_for_new(
            instance, [wish.budget], learner, folds=wish.folds, groups=groups, time_limit=wish.time_limit
        )
        return found, found[-1], found[-1].tree
    found = frontier(
        instance,
        method=wish.method,  # type: ignore[arg-type]
        max_budget=wish.budget,
        time_limit=wish.time_limit,
        folds=wish.folds,
        groups=groups,
        min_cases=wish.min_cases,
    )
    if wish.max_error is None:
        return found, found[-1], tree_for_budget(found, wish.budget)
    return found, found.cheapest(max_error=wish.max_error), tree_for_error(found, wish.max_error)
