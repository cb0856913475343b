"""tradeoff, Curve and CurvePoint: the paper's trade-off between errors and worst-case cost, for one impurity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.frames import make_frame
from budgetree.impurity import Impurity
from budgetree.learn.greedy.levels import greedy_origin, grow_nodes
from budgetree.learn.greedy.portfolio import HINGED, ROUNDS, Portfolio, TreeCount, is_family
from budgetree.learn.greedy.rule import FLOAT_TIE, check_settings
from budgetree.learn.points import given
from budgetree.learn.settings import check_instance, check_threads
from budgetree.problem import Instance
from budgetree.problem.units import plain_number
from budgetree.services.progress import progress_bar
from budgetree.services.words import counted, show_number
from budgetree.tree import Nodes, Origin, Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.changes import pruned
from budgetree.tree.nodes import Kind


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One tree of a curve.

    Attributes
    ----------
    parameter : number
        δ, or α for a hinged function.
    epsilon : float or None
        α as a share of all cases; None for δ.
    max_cost : number
        What no case exceeds, known or new.
    known_max_cost : number
        The costliest path of a known case; less than `max_cost` only with prices per outcome.
    mean_cost : float
        Over the known cases, by weight.
    errors : number
        Known cases that are given another class than theirs, by weight.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs()).points[0].tree
    Tree(60 cases, 1 leaf; worst case 0, mean 0; 30 errors (50.0%))
    """

    parameter: int | float | Fraction
    epsilon: float | None
    max_cost: int | float
    known_max_cost: int | float
    mean_cost: float
    errors: int | float
    _make: Callable[[], Tree] = field(repr=False)

    @cached_property
    def tree(self) -> Tree:
        """The tree itself, made when asked for."""
        return self._make()


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """The paper's trade-off curve: from the single leaf to the whole tree.

    `tradeoff` makes one. It is a sequence of points.

    Attributes
    ----------
    name : str
        Of the impurity.
    parameter_name : str
        "delta" or "alpha".
    points : tuple of CurvePoint
        The points.
    instance : Instance
        The known cases.

    Examples
    --------
    >>> import budgetree as bt
    >>> curve = bt.tradeoff(bt.datasets.load("figure1"), bt.HingedPairs)
    >>> curve.parameter_name, [(point.parameter, point.errors) for point in curve][-1]
    ('alpha', (0, 10))
    >>> print(bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs()).to_text())
    Pairs() over delta: 3 points
             delta   max-cost  mean cost   errors
               900          0      0.000       30
               225          1      1.000       30
                 0          2      2.000       10
    >>> list(curve.to_frame().columns)
    ['alpha', 'epsilon', 'max_cost', 'mean_cost', 'errors']
    """

    name: str
    parameter_name: str
    points: tuple[CurvePoint, ...]
    instance: Instance

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from.

        Returns
        -------
        data frame
            A row per point.
        """
        parameters = [float(p.parameter) if isinstance(p.parameter, Fraction) else p.parameter for p in self.points]
        content: dict[str, list[Any]] = {self.parameter_name: parameters}
        for name in ("epsilon", "max_cost", "mean_cost", "errors"):
            content[name] = [getattr(point, name) for point in self.points]
        if all(share is None for share in content["epsilon"]):
            del content["epsilon"]
        return make_frame(content, self.instance.frame_library)

    def to_text(self) -> str:
        """The points as a table."""
        rows = [(self.parameter_name, "max-cost", "mean cost", "errors")]
        amount = self.instance.schema.wording.amount
        for p in self.points:
            rows.append((show_number(p.parameter), amount(p.max_cost), f"{p.mean_cost:.3f}", show_number(p.errors)))
        lines = ["{:>14} {:>10} {:>10} {:>8}".format(*row) for row in rows]
        return "\n".join([f"{self.name} over {self.parameter_name}: {counted(len(self), 'point')}", *lines])

    def __repr__(self) -> str:
        return self.to_text()


def tradeoff(instance: Instance, impurity: Any, *, progress: bool | None = None) -> Curve:
    """Compute the paper's curve of errors against cost for one impurity, cheapest tree first.

    Pairs, Powers, Polynomial and any other function are stopped early: one growth gives every δ, because each δ only
    prunes it. HingedPairs, HingedProduct and families of your own are grown for α's that bisection finds: between
    neighbours until their trees agree in max-cost and errors or the α's differ by less than half a case.

    Parameters
    ----------
    instance : Instance
        The known cases.
    impurity : Impurity or type
        The function; or a class with the one parameter `alpha`, such as HingedPairs or one of your own, for all α.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Curve
        A point for each tree, with its parameter, max_cost, mean_cost and errors.

    Examples
    --------
    >>> import budgetree as bt
    >>> [(point.max_cost, point.errors) for point in bt.tradeoff(bt.datasets.load("synthetic"), bt.Pairs())][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_instance(instance)
    family = type(impurity) if type(impurity) in HINGED else impurity  # a subclass may be another function
    if is_family(family):
        return _family_curve(instance, family, progress)
    return _stopped_curve(instance, impurity)


def _family_curve(instance: Instance, family: Any, progress: bool | None) -> Curve:
    portfolio = Portfolio(instance)
    unlimited = instance.schema.costs.budget_units(None)
    found: list[Impurity] = []
    with progress_bar(f"{family.__name__} over α", progress) as report:
        trees = TreeCount(report, ROUNDS)
        for number, batch in enumerate(portfolio.hinged(family, unlimited, trees.tick)):
            found += [tree.impurity for tree in batch.trees]
            trees.add(batch, number)
    total = float(instance.schema.cases(instance.class_order.total))
    points = []
    for impurity in sorted(found, key=lambda impurity: -impurity.alpha):  # type: ignore[attr-defined]
        grown = portfolio.nodes(impurity, unlimited)
        tree = grown_tree(instance.schema, grown, instance.n_objects, greedy_origin(impurity))
        alpha = impurity.alpha  # type: ignore[attr-defined]
        costs = (tree.max_cost, tree.known_max_cost, tree.mean_cost)
        points.append(CurvePoint(plain_number(alpha), float(alpha) / total, *costs, tree.errors, partial(given, tree)))
    return Curve(family.__name__, "alpha", tuple(points), instance)


def _stopped_curve(instance: Instance, impurity: Impurity) -> Curve:
    """Every δ from one growth: a node is split as long as its impurity and those of all nodes above it exceed δ.

    So a falling δ opens the nodes of the whole tree (δ = 0) one after another, the most impure first; each impurity of
    a node is a point of the curve, and what lies between two of them changes nothing.

                 12                δ ≥ 12   the single leaf
               ┌──┴──┐        7 ≤ δ < 12    the root is split
               7     3        3 ≤ δ < 7     and its left child
             ┌─┴─┐ ┌─┴─┐      0 ≤ δ < 3     and its right child: the whole tree
             0   0 0   0

    Errors and costs are running totals over the nodes in this order; no tree is made for a point until someone
    asks for it.
    """
    schema, costs = instance.schema, instance.schema.costs
    nodes = grow_nodes(instance, check_settings(instance, impurity, 0, None, "worst"), check_threads(None))
    form = impurity.form(schema.weight_scale, instance.n_classes)
    buys = np.flatnonzero(nodes.is_buy)
    counts = nodes.counts[buys]
    # Per purchase the least on its path, the largest δ that does not reach it: a user's own function may rise below.
    impurities, above = np.asarray(form.value(counts.astype(object) if form.exact else counts)).copy(), nodes.parent
    number = dict(zip(buys.tolist(), range(len(buys)), strict=True))
    for at, buy in enumerate(above[above[buys[1:]]].tolist(), start=1):
        impurities[at] = min(impurities[at], impurities[number[buy]])
    order = np.argsort(impurities, kind="stable")[::-1]
    totals = _totals(nodes, buys[order])
    stopped = partial(_stopped, instance, nodes, impurities, greedy_origin(impurity))
    total_weight = int(nodes.counts[0].sum())
    tie = 1 if form.exact else 1 + FLOAT_TIE  # as the growers compare with δ
    falling = impurities[order].tolist()
    points: list[CurvePoint] = []
    done, before = 0, -1
    for threshold in [*dict.fromkeys(falling), 0]:
        while done < len(falling) and falling[done] > threshold * tie:
            done += 1
        if done == before:
            continue
        delta = Fraction(threshold) / form.stretch
        shown = plain_number(delta)
        errors, spent, max_cost, known_max_cost = totals[done]
        point = CurvePoint(
            parameter=shown if not impurity.exact or Fraction(str(shown)) == delta else delta,
            epsilon=None,
            max_cost=costs.amount(max_cost),
            known_max_cost=costs.amount(known_max_cost),
            mean_cost=float(Fraction(spent, total_weight) / costs.scale),
            errors=plain_number(schema.cases(errors)),
            _make=partial(stopped, threshold * tie, delta),
        )
        points.append(point)
        before = done
    return Curve(repr(impurity), "delta", tuple(points), instance)


def _stopped(
    instance: Instance, nodes: Nodes, impurities: NDArray[Any], origin: Origin, threshold: Any, delta: Fraction
) -> Tree:
    """A part of the tree of δ = 0. impurities: per purchase, the least on its path."""
    stopped = np.zeros(len(nodes), dtype=bool)
    stopped[nodes.is_buy] = impurities <= threshold
    if stopped.any():
        nodes, origin = pruned(nodes, stopped), replace(origin, delta=delta)
    return grown_tree(instance.schema, nodes, instance.n_objects, origin)


def _totals(nodes: Nodes, order: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """After each split, in the order in which a falling δ makes them; the first is of the single leaf.

    Errors, Σ weight × price over the leaves, max_cost and known_max_cost.
    """
    parent, ends = nodes.parent, np.flatnonzero(nodes.kind[nodes.parent] == Kind.BY_RESULT)

    def running(values: NDArray[Any]) -> list[int]:
        """Totals over the leaves, where each split puts the values of its children in the place of its own."""
        below = np.zeros_like(values)
        np.add.at(below, parent[parent[ends]], values[ends])
        return list(accumulate([int(values[0]), *(below - values)[order].tolist()]))

    weight, branch = nodes.counts.sum(axis=1), nodes.children[nodes.first[order]]
    wrong, spent = weight - nodes.counts.max(axis=1), weight.astype(object) * nodes.known_spent.astype(object)
    costliest = [
        np.maximum.accumulate([0, *most[branch].tolist()]).tolist() for most in (nodes.spent, nodes.known_spent)
    ]
    return list(zip(running(wrong), running(spent), *costliest, strict=True))
