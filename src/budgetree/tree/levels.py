"""The levels of numbers that a tree tells apart: the others are joined, so that a model file has what decides alone.

    known     < 30   30 to 40   40 to 50   50 or more      a tree that asks only whether somebody is 40 or older
    joined         < 40              40 or more

Every raw value ends where it did, and is paid and answered alike. A test that no path buys keeps one level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import FineLevels
from budgetree.problem import Schema
from budgetree.tree.builder import TreeBuilder
from budgetree.tree.leaves import Ensemble, Model, Points, Totals
from budgetree.tree.nodes import Branch, Buy, Node, Nodes

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

DIGITS = 4  # of the mean of a level, which nothing decides by


def join_levels(tree: Tree) -> Tree:
    """The same tree, in which levels of numbers are one where no node tells them apart."""
    begins = _begins(tree.nodes, tree.schema)
    if not begins:
        return tree
    joined = _Joined(begins, tree.schema.n_outcomes)
    builder = TreeBuilder(_schema(tree.schema, begins))
    builder.add_nodes(builder.root, tree.nodes, recode=joined.node)
    made = builder.build(origin=tree.origin, n_cases=tree.n_objects)
    return replace(made, bounds=tree.bounds, estimate=tree.estimate, ended=tree.ended)


def _begins(nodes: Nodes, schema: Schema) -> dict[int, NDArray[np.bool_]]:
    """By test whose levels can be joined: per level, whether some node tells it from the one before."""
    begins: dict[int, NDArray[np.bool_]] = {}
    for test, encoder in enumerate(schema.encoders or ()):
        is_named = schema.prices.names_outcomes(encoder.name) or schema.wording.labelled[test]
        if isinstance(encoder, FineLevels) and not is_named:  # neither prices nor labels name an outcome
            begins[test] = np.arange(encoder.levels) == 0
    for node in nodes:
        if isinstance(node, Branch) and node.split.test in begins:
            _mark(begins[node.split.test], np.array(node.split.sides)[:, None])
    for totals in nodes.totals:
        for test, points in zip(totals.tests, totals.points, strict=True):
            if test in begins:
                _mark(begins[test], points)
        if totals.trees is not None:
            _mark_cuts(begins, totals.trees)
    return {test: own for test, own in begins.items() if not own.all()}


def _mark(begins: NDArray[np.bool_], rows: NDArray[np.int32] | NDArray[np.int64]) -> None:
    levels = rows[: len(begins)]
    begins[1:] |= (levels[1:] != levels[:-1]).any(axis=1)


def _mark_cuts(begins: Mapping[int, NDArray[np.bool_]], trees: Ensemble) -> None:
    for test, own in begins.items():
        at = trees.test == test
        first = trees.cut[at].astype(np.int64)
        own[np.minimum(first + 1, len(own))[first + 1 < len(own)]] = True
        alone = np.concatenate([first[trees.by_equal[at]], trees.missing[at].astype(np.int64)])
        alone = alone[(alone >= 0) & (alone < len(own))]
        own[alone] = True
        own[(alone + 1)[alone + 1 < len(own)]] = True


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


@dataclass(frozen=True, eq=False)
class _Joined:
    """Nodes by the joined levels."""

    begins: Mapping[int, NDArray[np.bool_]]
    n_outcomes: NDArray[np.int64]

    def node(self, node: Node) -> Node:
        if isinstance(node, Buy):
            shown = np.zeros(self._of_result(node.test)[-1] + 1, dtype=np.int64)
            np.add.at(shown, self._of_result(node.test), node.shown)
            return replace(node, shown=shown)
        if isinstance(node, Branch):
            split = node.split
            if split.totals is not None:
                return replace(node, split=replace(split, totals=self._totals(split.totals)))
            return replace(node, split=replace(split, sides=tuple(split.sides[k] for k in self._kept(split.test))))
        return replace(node, totals=self._totals(node.totals)) if isinstance(node, (Points, Model)) else node

    def _of_result(self, test: int) -> NDArray[np.int64]:
        """Per result, and last where it is not listed, its position among the joined ones."""
        begins = np.ones(int(self.n_outcomes[test]) + 1, dtype=np.bool_)
        if test in self.begins:
            begins[: len(self.begins[test])] = self.begins[test]
        return np.cumsum(begins) - 1

    def _kept(self, test: int) -> list[int]:
        """The first result of each joined one."""
        return list(map(int, np.unique(self._of_result(test), return_index=True)[1]))

    def _totals(self, totals: Totals) -> Totals:
        points = tuple(own[self._kept(test)] for test, own in zip(totals.tests, totals.points, strict=True))
        return Totals(totals.tests, points, totals.intercept, totals.trees and self._trees(totals.trees))

    def _trees(self, trees: Ensemble) -> Ensemble:
        cut, missing = trees.cut.astype(np.int64), trees.missing.astype(np.int64)
        for test in trees.tests:
            at, of_result = trees.test == test, self._of_result(test)
            cut[at] = of_result[cut[at]]
            missing[at] = np.where(missing[at] < 0, missing[at], of_result[missing[at]])
        arrays = {name: getattr(trees, name) for name in Ensemble.__slots__}
        return Ensemble(**arrays | {"cut": cut, "missing": missing})
