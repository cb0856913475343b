"""Changes of a tree: cut to a budget, trimmed, at other prices. Each makes a new tree, unless nothing changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import TreeError
from budgetree.problem import Prices
from budgetree.problem.units import as_fraction
from budgetree.services.clock import Ended
from budgetree.tree.nodes import charges, paid_on_arrival
from budgetree.tree.provenance import Change, ChangeKind

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


def cut(tree: Tree, budget: Any) -> Tree:
    """The tree with every test left out that could take a path over the budget."""
    _refuse_for_new_cases(tree, "cut", "call budgetree.predictive with the smaller budget")
    stop = ~tree.nodes.is_leaf & (tree.costliest_after > tree.schema.costs.budget_units(budget))
    return _pruned(tree, stop, Change(ChangeKind.CUT, as_fraction(budget))) if stop.any() else tree


def trim(tree: Tree) -> Tree:
    """The tree with every node made a leaf whose leaves all give the same answer."""
    _refuse_for_new_cases(tree, "trim", "what it buys also makes its probabilities")
    stop = idle_nodes(tree)
    return _pruned(tree, stop, Change(ChangeKind.TRIMMED)) if stop.any() else tree


def idle_nodes(tree: Tree) -> NDArray[np.bool_]:
    """The inner nodes whose leaves all give the same answer: no answer depends on their tests."""
    nodes = tree.nodes
    lowest = np.where(nodes.is_leaf, nodes.label, len(tree.answer_names))
    highest = np.where(nodes.is_leaf, nodes.label, -1)
    for first, last in reversed(nodes.levels[1:]):
        np.minimum.at(lowest, nodes.parent[first:last], lowest[first:last])
        np.maximum.at(highest, nodes.parent[first:last], highest[first:last])
    return np.asarray((lowest == highest) & ~nodes.is_leaf)


def without_small_leaves(tree: Tree, share: float) -> Tree:
    """The tree with every node made a leaf that has a leaf of less than this share of the weight below it."""
    _refuse_for_new_cases(tree, "without_small_leaves", "its answers do not depend on the cases of one leaf")
    while True:
        nodes = tree.nodes
        weight = nodes.counts.sum(axis=1)
        small = nodes.is_leaf & (weight < share * weight[0]) & (nodes.parent >= 0)
        if not small.any():
            return tree
        stop = np.zeros(len(nodes), dtype=bool)
        stop[nodes.parent[small]] = True
        tree = _pruned(tree, stop, Change(ChangeKind.JOINED))


def priced(tree: Tree, prices: Any) -> Tree:
    """The same tree at other prices, of which nothing is proven."""
    schema = replace(tree.schema, prices=Prices.of(prices))
    if schema.prices == tree.schema.prices:
        return tree
    _refuse_for_new_cases(tree, "priced", "call budgetree.predictive with cases.priced(…)")
    due = charges(tree.nodes.test, tree.nodes.parent, schema.costs)
    nodes = replace(tree.nodes, paid=paid_on_arrival(tree.nodes, due, schema.n_outcomes))
    origin = tree.origin.then(Change(ChangeKind.REPRICED))
    return replace(tree, schema=schema, nodes=nodes, origin=origin, proven=None, expected=None, ended=Ended.COMPLETE)


def _refuse_for_new_cases(tree: Tree, verb: str, remedy: str) -> None:
    if tree.known is not None:
        message = f"{verb}: a tree for new cases is not changed after it was learned; {remedy}."
        raise TreeError(message, subject=verb, found=tree.origin.method)


def _pruned(tree: Tree, stop: NDArray[np.bool_], change: Change) -> Tree:
    nodes = tree.nodes.pruned(stop, tree.schema.n_outcomes)
    pruned = replace(tree, nodes=nodes, origin=tree.origin.then(change), expected=None)
    if pruned.exact_loss <= tree.exact_loss:
        return pruned
    # What is proven is about trees that lose as little; one that loses more is not what was asked for.
    return replace(pruned, proven=None, ended=Ended.COMPLETE)
