"""tradeoff: the paper's curve for one impurity, errors against worst-case cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.impurity import Impurity
from budgetree.learn._grow import grow
from budgetree.learn.greedy.origins import greedy_origin
from budgetree.learn.greedy.portfolio import HINGED, Portfolio
from budgetree.learn.greedy.rule import FLOAT_TIE
from budgetree.learn.greedy.settings import check_settings
from budgetree.problem import Instance
from budgetree.problem.tables.columns import make_frame
from budgetree.problem.units import plain_number, show_number
from budgetree.services.progress import progress as show_progress
from budgetree.tree import Tree

ROUNDS = 12  # of a bisection, about


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One tree of a curve."""

    parameter: int | float | Fraction  # δ, or α for a hinged function
    epsilon: float | None  # α as a share of all cases
    max_cost: int | float  # what no case exceeds, known or new
    known_max_cost: int | float  # the costliest path of a known case; less than max_cost only with prices per outcome
    mean_cost: float
    errors: int | float
    n_leaves: int
    _whole: Tree = field(repr=False)
    # What each node of the whole tree owes, shared by all points of a curve, and up to what this point stops.
    _owed: NDArray[Any] | None = field(default=None, repr=False)
    _most: Any = field(default=0, repr=False)

    @property
    def ceiling(self) -> int | float:
        """The old name of max_cost."""
        return self.max_cost

    @cached_property
    def tree(self) -> Tree:
        """The tree itself, pruned when asked for."""
        whole = self._whole
        if self._owed is None:
            return whole
        stopped = np.asarray(self._owed <= self._most, dtype=bool) & ~whole.nodes.is_leaf
        if not stopped.any():
            return whole
        nodes = whole.nodes.pruned(stopped, whole.schema.n_outcomes)
        return replace(whole, nodes=nodes, origin=replace(whole.origin, delta=Fraction(str(self.parameter))))


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """The paper's trade-off curve: from the single leaf to the whole tree."""

    name: str  # of the impurity
    parameter_name: str
    points: tuple[CurvePoint, ...]
    frame_library: str | None = None

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from."""
        columns = (self.parameter_name, "epsilon", "max_cost", "mean_cost", "errors", "n_leaves")
        rows = [(_plain(p.parameter), p.epsilon, p.max_cost, p.mean_cost, p.errors, p.n_leaves) for p in self.points]
        content = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
        if all(share is None for share in content["epsilon"]):
            del content["epsilon"]
        return make_frame(content, self.frame_library)

    def to_text(self) -> str:
        """The points as a table."""
        lines = [
            f"{self.name} over {self.parameter_name}: {len(self)} points",
            f"{self.parameter_name:>14} {'max-cost':>10} {'mean cost':>10} {'errors':>8} {'leaves':>7}",
        ]
        lines += [
            f"{show_number(p.parameter):>14} {show_number(p.max_cost):>10} {p.mean_cost:>10.3f} "
            f"{show_number(p.errors):>8} {p.n_leaves:>7}"
            for p in self.points
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.to_text()


def tradeoff(instance: Instance, impurity: Any, *, progress: bool | None = None) -> Curve:
    """The paper's curve for one impurity, costliest trees last.

    Pairs, Powers, Polynomial and any other function are stopped early: one growth gives every δ, because each δ only
    prunes it. HingedPairs and HingedProduct (the class, or an object with any alpha) are grown for α's that bisection
    finds: between neighbours until their trees agree in max-cost and errors or the α's differ by less than half a
    case.

    >>> import budgetree as bt
    >>> [(p.max_cost, p.errors) for p in bt.tradeoff(bt.datasets.load("synthetic"), bt.Pairs())][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    if not isinstance(instance, Instance):
        raise ValueError(f"instance: expected an Instance, but got {type(instance).__name__}.")
    for family in HINGED:
        if impurity is family or type(impurity) is family:  # a subclass may be another function
            return _hinged_curve(instance, family, progress)
    check_settings(instance, impurity, 0, None, "worst")
    return _stopped_curve(instance, impurity)


def _hinged_curve(instance: Instance, family: Any, progress: bool | None) -> Curve:
    portfolio = Portfolio(instance)
    unlimited = instance.schema.table.budget_units(None)
    found: list[Impurity] = []
    with show_progress(f"{family.__name__} over α", progress) as report:
        portfolio.tick = lambda done, _: report(0, ROUNDS, f"{done} trees")
        for number, batch in enumerate(portfolio.hinged(family, unlimited)):
            found += batch.impurities()
            report(number, max(ROUNDS, number), f"{len(found)} trees")
    total = float(Fraction(int(instance.class_order.counts.sum())) / instance.schema.weight_scale)
    points = []
    for each in sorted(found, key=lambda impurity: -impurity.alpha):  # type: ignore[attr-defined]
        tree = Tree(instance.schema, portfolio.nodes(each, unlimited), instance.n_objects, greedy_origin(each))
        alpha = each.alpha  # type: ignore[attr-defined]
        points.append(_point(plain_number(alpha), float(alpha) / total, tree))
    return Curve(family.__name__, "alpha", tuple(points), instance.frame_library)


def _point(parameter: int | float, epsilon: float, tree: Tree) -> CurvePoint:
    costs = (tree.max_cost, tree.known_max_cost, tree.mean_cost)
    return CurvePoint(parameter, epsilon, *costs, tree.errors, tree.n_leaves, tree)


def _stopped_curve(instance: Instance, impurity: Impurity) -> Curve:
    """Every δ from one growth: a node is split as long as it and all nodes above it owe more than δ."""
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
            points.append(replace(point, _owed=owed, _most=threshold * tie))
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
    wrong = weight - nodes.counts.max(axis=1)
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
    """Per node, the least that any node from the root to it owes (the node's own, for monotone functions)."""
    least = owed.copy()
    for first, last in tree.nodes.levels[1:]:
        least[first:last] = np.minimum(owed[first:last], least[tree.nodes.parent[first:last]])
    return least


def _stopped_point(tree: Tree, impurity: Impurity, delta: Fraction, gains: _Gains, done: int) -> CurvePoint:
    table, scale = tree.schema.table, tree.schema.weight_scale
    total = int(tree.nodes.counts[0].sum())
    shown = plain_number(delta)
    exact = shown if not impurity.exact or Fraction(str(shown)) == delta else delta
    return CurvePoint(
        parameter=exact,
        epsilon=None,
        max_cost=table.amount(gains.max_cost[done]),
        known_max_cost=table.amount(gains.known_max_cost[done]),
        mean_cost=float(Fraction(gains.spent[done], total) / table.scale),
        errors=plain_number(Fraction(gains.errors[done]) / scale),
        n_leaves=gains.leaves[done],
        _whole=tree,
    )


def _plain(parameter: int | float | Fraction) -> int | float:
    return float(parameter) if isinstance(parameter, Fraction) else parameter
