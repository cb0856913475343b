"""Walk: where cases end in a tree and what they spent, from one pass; everything else follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.problem import Schema
from budgetree.tree.leaves import Model
from budgetree.tree.nodes import NO_RULE, Nodes


@dataclass(frozen=True, eq=False)
class Walk:
    """Where cases end, from one pass through a tree.

    Attributes
    ----------
    nodes : Nodes
        Of the tree.
    schema : Schema
        What the codes mean.
    leaf : array of int
        Per case, the number of its leaf.
    spent : array of int
        Per case, in price units.
    unlisted : array of int
        Per case, the first test that it bought whose result is not listed; -1 for none.

    Examples
    --------
    >>> import budgetree as bt
    >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
    >>> walk = tree.walk(bt.datasets.frame("pima").head(3))
    >>> walk.cost.tolist(), walk.unlisted.tolist(), walk.tests[0]
    ([2.0, 2.0, 2.0], [-1, -1, -1], ('age', 'pregnant'))
    """

    nodes: Nodes
    schema: Schema
    leaf: NDArray[np.int32]
    spent: NDArray[np.int64]
    unlisted: NDArray[np.int32]
    _totals: NDArray[np.int64]  # row × total, where the leaf has scores

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Row × class."""
        probabilities = self.nodes.shares[self.leaf]
        for rule, rows in self._scored:
            probabilities[rows] = rule.probabilities(self._totals[rows][:, : rule.totals.n_totals])
        return probabilities

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """Per row, the position of its answer."""
        nodes = self.nodes
        answers = nodes.label[self.leaf]
        for rule, rows in self._scored:
            totals = self._totals[rows][:, : rule.totals.n_totals]
            if isinstance(rule, Model) and nodes.loss_table.is_plain:
                answers[rows] = rule.likeliest(totals)
            else:
                answers[rows] = nodes.loss_table.best(rule.probabilities(totals))
        return answers

    @property
    def _scored(self) -> list[tuple[Any, NDArray[np.int64]]]:
        """What adds up totals, with the rows that end there."""
        nodes = self.nodes
        if not nodes.rules:
            return []
        rule = np.where(nodes.is_leaf, nodes.rule, NO_RULE)[self.leaf]
        found = [(nodes.rules[number], np.flatnonzero(rule == number)) for number in range(len(nodes.rules))]
        return [(rule, rows) for rule, rows in found if hasattr(rule, "totals") and len(rows)]

    @property
    def cost(self) -> NDArray[np.float64]:
        """What each row spent, in the user's own currency."""
        return np.asarray(self.spent / float(self.schema.costs.scale))

    @property
    def tests(self) -> list[tuple[str, ...]]:
        """Per row, the names of the tests that it bought, in order."""
        leaves, named = self.leaf.tolist(), self.schema.test_names
        names = {leaf: tuple(named[test] for test in self.nodes.bought(leaf)) for leaf in set(leaves)}
        return [names[leaf] for leaf in leaves]


def walk_codes(nodes: Nodes, schema: Schema, codes: NDArray[np.uint8]) -> Walk:
    """Rows of codes, one column per test of the schema."""
    return walk_columns(nodes, schema, np.ascontiguousarray(codes.T[nodes.columns]))


def walk_columns(nodes: Nodes, schema: Schema, columns: NDArray[np.uint8]) -> Walk:
    """The columns that the tree reads, test × row, in the order of `nodes.columns`."""
    leaf, spent, unlisted, totals = nodes.route.walk(columns, core.Clock())
    if len(nodes.columns):
        unlisted = np.where(unlisted < 0, unlisted, nodes.columns[unlisted])
    return Walk(nodes, schema, leaf, spent, unlisted, totals)
