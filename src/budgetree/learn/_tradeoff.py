"""tradeoff: the paper's curve for one impurity, errors against worst-case cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.impurity import Impurity
from budgetree.learn._grow import grow
from budgetree.learn.curves import Curve, CurvePoint
from budgetree.learn.greedy.grow import greedy_origin
from budgetree.learn.greedy.portfolio import HINGED, ROUNDS, Portfolio, TreeCount
from budgetree.learn.greedy.rule import FLOAT_TIE, check_settings
from budgetree.learn.settings import check_instance
from budgetree.problem import Instance
from budgetree.problem.units import plain_number
from budgetree.services.progress import progress_bar
from budgetree.tree import Tree


def tradeoff(instance: Instance, impurity: Any, *, progress: bool | None = None) -> Curve:
    """The paper's curve for one impurity, costliest trees last.

    Pairs, Powers, Polynomial and any other function are stopped early: one growth gives every δ, because each δ only
    prunes it. HingedPairs and HingedProduct are grown for α's that bisection finds: between neighbours until their
    trees agree in max-cost and errors or the α's differ by less than half a case.

    Parameters
    ----------
    instance : Instance
        The known cases.
    impurity : Impurity or type
        The function; of a hinged one the class, or an object with any alpha.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.

    Returns
    -------
    Curve
        A point for each tree, with its parameter, max_cost, mean_cost and errors.

    Raises
    ------
    ValueError
        Where the impurity or the instance is none.

    Examples
    --------
    >>> import budgetree as bt
    >>> [(point.max_cost, point.errors) for point in bt.tradeoff(bt.datasets.load("synthetic"), bt.Pairs())][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_instance(instance)
    for family in HINGED:
        if impurity is family or type(impurity) is family:  # a subclass may be another function
            return _hinged_curve(instance, family, progress)
    check_settings(instance, impurity, 0, None, "worst")
    return _stopped_curve(instance, impurity)


def _hinged_curve(instance: Instance, family: Any, progress: bool | None) -> Curve:
    portfolio = Portfolio(instance)
    unlimited = instance.schema.table.budget_units(None)
    found: list[Impurity] = []
    with progress_bar(f"{family.__name__} over α", progress) as report:
        trees = TreeCount(report, ROUNDS)
        for number, batch in enumerate(portfolio.hinged(family, unlimited, trees.tick)):
            found += batch.impurities()
            trees.add(batch, number)
    total = float(instance.schema.cases(instance.class_order.total))
    points = []
    for impurity in sorted(found, key=lambda impurity: -impurity.alpha):  # type: ignore[attr-defined]
        tree = Tree(instance.schema, portfolio.nodes(impurity, unlimited), instance.n_objects, greedy_origin(impurity))
        alpha = impurity.alpha  # type: ignore[attr-defined]
        points.append(_point(plain_number(alpha), float(alpha) / total, tree))
    return Curve(family.__name__, "alpha", tuple(points), instance.frame_library)


def _point(parameter: int | float, epsilon: float, tree: Tree) -> CurvePoint:
    costs = (tree.max_cost, tree.known_max_cost, tree.mean_cost)
    return CurvePoint(parameter, epsilon, *costs, tree.errors, tree.n_leaves, tree)


def _stopped_curve(instance: Instance, impurity: Impurity) -> Curve:
    """Every δ from one growth: a node is split as long as it and all nodes above it owe more than δ.

    So a falling δ opens the nodes of the whole tree (δ = 0) one after another, those that owe most first; each value
    that some node owes is a point of the curve, and what lies between two of them changes nothing.

                 12                δ ≥ 12   the single leaf
               ┌──┴──┐        7 ≤ δ < 12    the root is split
               7     3        3 ≤ δ < 7     and its left child
             ┌─┴─┐ ┌─┴─┐      0 ≤ δ < 3     and its right child: the whole tree
             0   0 0   0

    Errors, costs and leaves are running totals over the nodes in this order (_Gains); no tree is made for a point until
    someone asks for it.
    """
    tree = grow(instance, impurity)
    nodes, schema = tree.nodes, instance.schema
    form = impurity.form(schema.weight_scale, instance.n_classes)
    inner = np.flatnonzero(~nodes.is_leaf)
    owed = _owed_on_the_way(tree, np.asarray(form.value(nodes.counts.astype(object) if form.exact else nodes.counts)))
    order = inner[np.argsort(owed[inner], kind="stable")[::-1]]
    gains = _gains(tree, order)
    tie = 1 if form.exact else 1 + FLOAT_TIE  # as the growers compare with δ
    falling = owed[order].tolist()
    points: list[CurvePoint] = []
    done, before = 0, -1
    for threshold in [*dict.fromkeys(falling), 0]:
        while done < len(falling) and falling[done] > threshold * tie:
            done += 1
        if done > before:
            delta = Fraction(threshold) / form.stretch
            point = _stopped_point(tree, impurity, delta, gains, done)
            points.append(replace(point, _owed=owed, _max_owed=threshold * tie))
            before = done
    return Curve(repr(impurity), "delta", tuple(points), instance.frame_library)


@dataclass(frozen=True, slots=True, eq=False)
class _Gains:
    """Running totals after each split, in the order in which a falling δ makes them; the first is the single leaf."""

    errors: list[int]
    spent: list[int]  # Σ weight × price over the leaves
    leaves: list[int]
    max_cost: list[int]
    known_max_cost: list[int]


def _gains(tree: Tree, order: NDArray[np.int64]) -> _Gains:
    nodes = tree.nodes
    weight = nodes.counts.sum(axis=1)
    wrong = nodes.wrong
    paid = nodes.paid.astype(object)
    errors, spent, leaves, costliest, known_costliest = [int(wrong[0])], [0], [1], [0], [0]
    for node in order.tolist():
        below = nodes.children(node, int(tree.schema.n_outcomes[nodes.test[node]]))
        children = np.unique(below[below >= 0])
        errors.append(errors[-1] - int(wrong[node]) + int(wrong[children].sum()))
        moved = sum(int(weight[child]) * paid[child] for child in children) - int(weight[node]) * paid[node]
        spent.append(spent[-1] + moved)
        leaves.append(leaves[-1] + len(children) - 1)
        costliest.append(max(costliest[-1], int(tree.costliest_after[node])))
        known_costliest.append(max(known_costliest[-1], *(int(paid[child]) for child in children)))
    return _Gains(errors, spent, leaves, costliest, known_costliest)


def _owed_on_the_way(tree: Tree, owed: NDArray[Any]) -> NDArray[Any]:
    """Per node, the least that any node from the root to it owes: the largest δ that does not reach the node.

    For monotone functions it is what the node itself owes; a function of one's own may owe more below than above.
    """
    least = owed.copy()
    for first, last in tree.nodes.levels[1:]:
        least[first:last] = np.minimum(owed[first:last], least[tree.nodes.parent[first:last]])
    return least


def _stopped_point(tree: Tree, impurity: Impurity, delta: Fraction, gains: _Gains, done: int) -> CurvePoint:
    table = tree.schema.table
    total = int(tree.nodes.counts[0].sum())
    shown = plain_number(delta)
    exact = shown if not impurity.exact or Fraction(str(shown)) == delta else delta
    return CurvePoint(
        parameter=exact,
        epsilon=None,
        max_cost=table.amount(gains.max_cost[done]),
        known_max_cost=table.amount(gains.known_max_cost[done]),
        mean_cost=float(Fraction(gains.spent[done], total) / table.scale),
        errors=plain_number(tree.schema.cases(gains.errors[done])),
        n_leaves=gains.leaves[done],
        _whole=tree,
    )
