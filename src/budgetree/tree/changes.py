"""Changes of a tree: cut to a budget, trimmed, at other prices, with another tree in it. Each makes a new tree.

Levels of numbers that a tree does not tell apart are joined, so that a model file has what decides alone:

    known     < 30   30 to 40   40 to 50   50 or more      a tree that asks only whether somebody is 40 or older
    joined         < 40              40 or more
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import FineLevels
from budgetree.errors import TreeError
from budgetree.problem import CostModel, Instance, Prices, Schema
from budgetree.problem.units import as_fraction
from budgetree.services.clock import Ended
from budgetree.tree.builder import TreeBuilder
from budgetree.tree.leaves import Ensemble, Fixed, Leaf, Majority, Model, Points, Totals
from budgetree.tree.nodes import NO_TEST, Kind, Nodes, Split
from budgetree.tree.provenance import Change, ChangeKind

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

AddsUp = TypeVar("AddsUp", bound=Split | Points | Model)

DIGITS = 4  # of the mean of a level, which nothing decides by


def cut(tree: Tree, budget: Any) -> Tree:
    """The tree with every test left out that could take a path over the budget."""
    nodes, limit = tree.nodes, tree.schema.costs.within(budget).limit
    too_much = beyond(nodes, limit)
    if not too_much.any():
        return tree
    stops = set[int]()
    for node in np.flatnonzero(too_much).tolist():  # a path ends at the branch by a model before it, if there is one
        above = int(nodes.parent[node])
        stops.add(above if above >= 0 and _model_at(nodes, above) is not None else node)
    return _stopped(tree, _answers_at(nodes, stops), Change(ChangeKind.CUT, as_fraction(budget)))


def beyond(nodes: Nodes, limit: int) -> NDArray[np.bool_]:
    """The purchases after which a path may have spent more than this, in price units."""
    too_much, buys = np.zeros(len(nodes), dtype=bool), np.flatnonzero(nodes.is_buy)
    too_much[buys] = nodes.spent[nodes.children[nodes.first[buys]]] > limit
    return too_much


def _model_at(nodes: Nodes, node: int) -> Model | None:
    return nodes.splits[nodes.rule[node]].model if nodes.kind[node] == Kind.BY_TOTAL else None


def _answers_at(nodes: Nodes, stops: Iterable[int]) -> dict[int, Leaf]:
    return {node: _model_at(nodes, node) or Majority() for node in stops}


def trim(tree: Tree) -> Tree:
    """The tree with every node made a leaf whose leaves all give the same answer."""
    nodes, leaves = tree.nodes, dict[int, Leaf]()
    answers = common_answers(nodes)
    for node in np.flatnonzero((answers >= 0) & ~nodes.is_leaf).tolist():
        answer, of_cases = int(answers[node]), int(nodes.loss_table.best(nodes.counts[nodes.voters[node]]))
        leaves[node] = Majority() if of_cases == answer else Fixed(tuple(nodes.shares[node].tolist()), answer)
    return _stopped(tree, leaves, Change(ChangeKind.TRIMMED)) if leaves else tree


def common_answers(nodes: Nodes) -> NDArray[np.int64]:
    """Per node, the answer that all leaves below it give; -1 where they differ, or where totals decide.

    A leaf that no known case comes to, as those for unlisted results, answers as a node above it does. Where majorities
    answer, that is the answer of the other leaves, so that it does not keep a purchase alive.
    """
    label, is_leaf = nodes.label, nodes.is_leaf
    lowest = np.where(is_leaf, np.where(nodes.by_model | nodes.by_points, -1, label), np.iinfo(np.int64).max)
    highest = np.where(is_leaf, label, -1)
    for first, last in reversed(nodes.levels[1:]):
        np.minimum.at(lowest, nodes.parent[first:last], lowest[first:last])
        np.maximum.at(highest, nodes.parent[first:last], highest[first:last])
    return np.where(lowest == highest, lowest, -1)


def trimmed(nodes: Nodes) -> Nodes:
    """The same of a grown tree, where a purchase becomes a leaf if all leaves below it give the same answer."""
    redundant = (common_answers(nodes) >= 0) & nodes.is_buy
    return pruned(nodes, redundant) if redundant.any() else nodes


def pruned(nodes: Nodes, stops: NDArray[np.bool_]) -> Nodes:
    """What remains of a grown tree, all at once, when these purchases become leaves."""
    kept, goes_on = [True], (~(stops | nodes.is_leaf)).tolist()
    for above in nodes.parent[1:].tolist():
        kept.append(kept[above] and goes_on[above])
    left = np.array(kept)
    goes = left & np.array(goes_on)
    number = np.cumsum(left) - 1
    results = np.repeat(goes, nodes.n_results * nodes.is_buy)
    return replace(
        nodes,
        kind=np.where(stops, np.uint8(Kind.LEAF), nodes.kind)[left],
        test=np.where(stops, np.int32(NO_TEST), nodes.test)[left],
        children=number[nodes.children[np.repeat(goes, nodes.n_children)]].astype(np.int32),
        all_charges=np.ascontiguousarray(nodes.all_charges[:, results]),
        shown=nodes.shown[results],
        rule=nodes.rule[left],
        counts=nodes.counts[left],
        all_spent=np.ascontiguousarray(nodes.all_spent[:, left]),
        known_spent=nodes.known_spent[left],
        fallback=(nodes.fallback & ~stops)[left],
    )


def without_small_leaves(tree: Tree, share: float) -> Tree:
    """The tree with every node made a leaf that has a leaf of less than this share of the weight below it."""
    while True:
        nodes = tree.nodes
        weight = nodes.counts.sum(axis=1)
        small = nodes.is_leaf & (weight < share * weight[0]) & (weight > 0)
        stops = {_purchase_above(nodes, node, tree.schema.costs) for node in np.flatnonzero(small).tolist()} - {-1}
        if not stops:
            return tree
        tree = _stopped(tree, _answers_at(nodes, stops), Change(ChangeKind.JOINED))


def _purchase_above(nodes: Nodes, node: int, costs: CostModel) -> int:
    """The nearest purchase above a node, or the branch that it is; -1 for the root."""
    above = int(nodes.parent[node])
    buy = int(nodes.parent[above]) if above >= 0 else -1
    if buy < 0 or not nodes.is_buy[buy] or nodes.test[buy] in costs.begun.tests:
        return above
    while (before := int(nodes.parent[buy])) >= 0 and nodes.test[before] in costs.given_by(int(nodes.test[buy])):
        if not nodes.is_buy[before]:
            break
        buy = before
    return buy


def priced(tree: Tree, prices: Any) -> Tree:
    """The same tree at other prices, of which nothing is proven."""
    schema = replace(tree.schema, prices=Prices.of(prices))
    if schema.prices == tree.schema.prices:
        return tree
    builder = TreeBuilder(schema)
    builder.add_nodes(builder.root, tree.nodes)
    origin = tree.origin.then(Change(ChangeKind.REPRICED))
    return builder.build(origin=origin, n_cases=tree.n_objects)


def replace_node(tree: Tree, node: int, other: Tree, cases: Instance | None) -> Tree:
    """The tree with another one in the place of a node."""
    mine, its = tree.schema, other.schema
    if not 0 <= node < len(tree.nodes):
        message = f"replace: there is no node {node}; expected one from 0 to {len(tree.nodes) - 1}."
        raise TreeError(message, subject="node", found=node, expected=len(tree.nodes) - 1)
    if (mine.test_names, mine.outcome_names, mine.class_names) != (its.test_names, its.outcome_names, its.class_names):
        message = "replace: the other tree is of other tests, outcomes or classes; expected the same."
        raise TreeError(message, subject="tree")
    if cases is None and not np.array_equal(tree.nodes.counts[node], other.nodes.counts[0]):
        message = "replace: the other tree was learned from other cases than those that come to the node; give `cases`."
        raise TreeError(message, subject="tree")
    builder = TreeBuilder(mine if cases is None else cases)
    end = builder.add_nodes(builder.root, tree.nodes, leave_out=node)
    assert end is not None
    builder.add_nodes(end, other.nodes)
    return builder.build(origin=tree.origin.then(Change(ChangeKind.REPLACED)), n_cases=tree.n_objects)


def _stopped(tree: Tree, leaves: Mapping[int, Leaf], change: Change) -> Tree:
    """The tree with these nodes made leaves."""
    builder = TreeBuilder(tree.schema)
    builder.add_nodes(builder.root, tree.nodes, leaves=leaves)
    record = {"bounds": tree.bounds, "ended": tree.ended}
    stopped = builder.build(origin=tree.origin.then(change), n_cases=tree.n_objects, **record)
    if stopped.exact_loss <= tree.exact_loss:
        return stopped
    # What is proven is about trees that lose as little; one that loses more is not what was asked for.
    return replace(stopped, bounds=None, ended=Ended.COMPLETE)


def join_levels(tree: Tree) -> Tree:
    """The same tree, in which levels of numbers are one where no node tells them apart.

    Every raw value ends where it did, and is paid and answered alike. A test that no path buys keeps one level.
    """
    nodes, found = tree.nodes, _begins(tree.nodes, tree.schema)
    if not found:
        return tree
    schema = _schema(tree.schema, found)
    begins = [np.ones(n_outcomes + 1, dtype=np.bool_) for n_outcomes in tree.schema.n_outcomes.tolist()]
    for test, own in found.items():
        begins[test][: len(own)] = own
    bought = np.concatenate([np.ones(0, dtype=np.bool_), *(begins[test] for test in nodes.test[nodes.is_buy])])
    ways = zip(nodes.kind == Kind.BY_RESULT, nodes.test, nodes.n_children, strict=True)
    kept = np.concatenate([begins[test] if by_result else np.ones(n, dtype=np.bool_) for by_result, test, n in ways])
    joined = replace(
        nodes,
        children=nodes.children[kept],
        all_charges=np.ascontiguousarray(nodes.all_charges[:, bought]),
        shown=np.add.reduceat(nodes.shown, np.flatnonzero(bought)),
        n_outcomes=schema.n_outcomes,
        splits=tuple(_with_totals(split, begins) for split in nodes.splits),
        rules=tuple(rule if isinstance(rule, Fixed) else _with_totals(rule, begins) for rule in nodes.rules),
    )
    return replace(tree, schema=schema, nodes=joined)


def _begins(nodes: Nodes, schema: Schema) -> dict[int, NDArray[np.bool_]]:
    """By test whose levels can be joined: per level, whether some node tells it from the one before."""
    begins: dict[int, NDArray[np.bool_]] = {}
    for test, encoder in enumerate(schema.encoders or ()):
        is_named = schema.prices.names_outcomes(encoder.name) or schema.wording.labelled[test]
        if isinstance(encoder, FineLevels) and not is_named:  # neither prices nor labels name an outcome
            begins[test] = np.arange(encoder.levels) == 0
    for node in np.flatnonzero(nodes.kind == Kind.BY_RESULT).tolist():
        if nodes.test[node] in begins:
            _mark(begins[int(nodes.test[node])], nodes.below(node)[:, None])
    for totals in nodes.totals:
        for test, points in zip(totals.tests, totals.points, strict=True):
            if test in begins:
                _mark(begins[test], points)
        trees = totals.trees
        if trees is not None:
            for test, own in begins.items():
                at = trees.test == test
                first, missing = trees.cut[at].astype(np.int64), trees.missing[at].astype(np.int64)
                edges = np.concatenate([first + 1, first[trees.by_equal[at]], missing, missing + 1])
                own[edges[(edges >= 0) & (edges < len(own))]] = True
    return {test: own for test, own in begins.items() if not own.all()}


def _mark(begins: NDArray[np.bool_], rows: NDArray[np.int32] | NDArray[np.int64]) -> None:
    levels = rows[: len(begins)]
    begins[1:] |= (levels[1:] != levels[:-1]).any(axis=1)


def _schema(schema: Schema, begins: Mapping[int, NDArray[np.bool_]]) -> Schema:
    encoders, names = list(schema.encoders or ()), list(schema.outcome_names)
    for test, own in begins.items():
        encoder = encoders[test]
        assert isinstance(encoder, FineLevels)
        starts = np.flatnonzero(own)
        means = np.add.reduceat(np.array(encoder.values), starts) / np.diff([*starts, len(own)])
        encoders[test] = joined = replace(
            encoder,
            thresholds=tuple(encoder.thresholds[start - 1] for start in starts[1:]),
            values=tuple(float(f"{mean:.{DIGITS}g}") for mean in means.tolist()),
        )
        names[test] = joined.outcome_names
    return replace(schema, encoders=tuple(encoders), outcome_names=tuple(names))


def _with_totals(adds_up: AddsUp, begins: Sequence[NDArray[np.bool_]]) -> AddsUp:
    """A split or the rule of a leaf, by the joined levels."""
    if (totals := adds_up.totals) is None:
        return adds_up
    points = tuple(own[begins[test]] for test, own in zip(totals.tests, totals.points, strict=True))
    if (trees := totals.trees) is not None:
        arrays = {name: getattr(trees, name).astype(np.int64) for name in Ensemble.__slots__}
        cut, missing = arrays["cut"], arrays["missing"]
        for test in trees.tests:
            at, of_result = trees.test == test, np.cumsum(begins[test]) - 1
            cut[at] = of_result[cut[at]]
            missing[at] = np.where(missing[at] < 0, missing[at], of_result[missing[at]])
        trees = Ensemble(**arrays)
    return replace(adds_up, totals=Totals(totals.tests, points, totals.intercept, trees))
