"""What a frontier proves about one of its trees: the record that goes with the tree into its model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from budgetree.learn.points import Frontier, Point
from budgetree.problem.cost_model import TOLERANCE
from budgetree.problem.units import as_fraction, is_unlimited
from budgetree.services.clock import Clock
from budgetree.tree import Tree
from budgetree.tree.proven import Asked, Proven
from budgetree.tree.provenance import Method

Bounds = Sequence[tuple[int | float, int | float]]


def with_proofs(frontier: Frontier, clock: Clock, min_cases: int = 1) -> Frontier:
    """The same frontier, whose trees know what was proven at their own budgets, of trees with so large leaves."""
    bounds, ended = frontier.bounds, clock.ended(complete=frontier.complete)
    proofs = [replace(_at_its_budget(frontier, point, bounds), min_cases=min_cases) for point in frontier]
    points = [replace(point, _proven=proven, _ended=ended) for point, proven in zip(frontier, proofs, strict=True)]
    return replace(frontier, points=tuple(points))


def tree_for_budget(frontier: Frontier, budget: Any) -> Tree:
    """The best tree of a frontier that was searched up to this budget (None: without limit), with what is proven there.

    A bound holds at the point's own budget; at a larger one if the whole frontier was searched, or if it is of errors
    that no tree avoids.
    """
    point = frontier[-1]
    proven = point._proven or _at_its_budget(frontier, point, frontier.bounds)
    limit = None if is_unlimited(budget) else as_fraction(budget)
    searched = frontier.complete and frontier.n_searched == len(frontier)
    unavoidable = frontier.instance.schema.loss(frontier.instance.irreducible.units)
    reach = limit if searched or proven.least_errors <= unavoidable else proven.budget
    return replace(point.tree, proven=replace(proven, limit=limit, budget=reach))


def tree_for_error(frontier: Frontier, max_error: Any) -> Tree:
    """The cheapest tree that gets at most this share of the cases wrong, with the proven lower bound on the cost."""
    point = frontier.cheapest(max_error=max_error)
    share = as_fraction(max_error)
    scale, total = frontier.instance.schema.weight_scale, int(frontier.instance.class_order.counts.sum())
    allowed = (share + TOLERANCE) * total / scale
    proven = point._proven or _at_its_budget(frontier, point, frontier.bounds)
    least_cost = _least_cost(frontier.bounds, allowed, point)
    return replace(point.tree, proven=replace(proven, asked=Asked.MAX_ERROR, limit=share, least_cost=least_cost))


def _at_its_budget(frontier: Frontier, point: Point, bounds: Bounds) -> Proven:
    budget = as_fraction(point.max_cost)
    return Proven(
        asked=Asked.BUDGET,
        limit=budget,
        method=Method.EXACT if frontier.found_by is Method.EXACT else Method.GREEDY,
        budget=budget,
        least_errors=as_fraction(point.lower_bound),
        least_cost=_least_cost(bounds, as_fraction(point.loss), point),
    )


def _least_cost(bounds: Bounds, loss: Fraction, point: Point) -> Fraction:
    """The least budget at which no bound on the loss excludes a tree with so little."""
    reached = [as_fraction(budget) for budget, least in bounds if as_fraction(least) <= loss]
    return min([*reached, as_fraction(point.max_cost)])
