"""Walk: where cases end in a tree and what they spent, from one pass; everything else follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.data.encoders import ColumnEncoder, NumberCuts
from budgetree.data.frames import number_array, pandas_columns, read_frame
from budgetree.problem import Schema
from budgetree.tree.leaves import Fixed, Scored
from budgetree.tree.nodes import Nodes

Found = Callable[[Any], tuple[Any, ...]]  # what the core finds by a route


@dataclass(frozen=True, eq=False)
class Walk:
    """The leaf and the cost of each case, from one pass through a tree.

    Attributes
    ----------
    nodes : Nodes
        Of the tree.
    schema : Schema
        What the codes mean.
    leaf : array of int
        Per case, the number of its leaf.
    all_spent : array of int
        Resource × case: what the case took, in units.
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
    all_spent: NDArray[np.int64]
    _unlisted: NDArray[np.int32]  # by the position in nodes.columns
    _totals: NDArray[np.int64]  # row × total, where the leaf has scores
    _highest: NDArray[np.int64]  # per row, which of its totals

    @cached_property
    def unlisted(self) -> NDArray[np.int32]:
        """Per row, the first test that it bought whose result is not listed; -1 for none."""
        return np.append(self.nodes.columns, -1).astype(np.int32)[self._unlisted]  # -1 is the last position

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Row × class."""
        probabilities, nodes = self.nodes.shares[self.leaf], self.nodes
        for rule, rows in self._by_rule(nodes.by_model | nodes.by_points):
            probabilities[rows] = rule.probabilities(self._totals[rows, : rule.totals.n_totals])
        return probabilities

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """Per row, the position of its answer."""
        nodes, table = self.nodes, self.nodes.loss_table
        answers, others = nodes.label[self.leaf], nodes.by_points
        if table.is_plain and len(self._highest):  # the highest score is the likeliest class
            answers = np.where(nodes.by_model[self.leaf], self._highest, answers)
        else:
            others = others | nodes.by_model
        for _, rows in self._by_rule(others):
            answers[rows] = table.best(self.probabilities[rows])
        return answers

    def _by_rule(self, leaves: NDArray[np.bool_]) -> Iterator[tuple[Scored, NDArray[np.int64]]]:
        """The rules of these leaves, which add up totals, each with the rows that end there."""
        rows = np.flatnonzero(leaves[self.leaf])
        number = self.nodes.leaf_rule[self.leaf[rows]]
        order = np.argsort(number, kind="stable")
        for of_rule in np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(rows) else ():
            rule = self.nodes.rules[number[of_rule[0]]]
            assert not isinstance(rule, Fixed)
            yield rule, rows[of_rule]

    @property
    def spent(self) -> NDArray[np.int64]:
        """Per row, in price units."""
        return np.asarray(self.all_spent[0])

    @property
    def cost(self) -> NDArray[np.float64]:
        """What each row spent, in the user's own currency."""
        return np.asarray(self.spent / float(self.schema.costs.scale))

    @property
    def further_costs(self) -> dict[str, NDArray[np.float64]]:
        """What each row took of each further resource, in its own unit."""
        further = zip(self.schema.costs.resources[1:], self.all_spent[1:], strict=True)
        return {resource.name: np.asarray(spent / float(resource.scale)) for resource, spent in further}

    @property
    def tests(self) -> list[tuple[str, ...]]:
        """Per row, the names of the tests that it bought, in order."""
        leaves, named = self.leaf.tolist(), self.schema.test_names
        names = {leaf: tuple(named[test] for test in self.nodes.bought(leaf)) for leaf in set(leaves)}
        return [names[leaf] for leaf in leaves]


def walk_codes(nodes: Nodes, schema: Schema, codes: NDArray[np.uint8]) -> Walk:
    """Rows of codes, one column per test of the schema."""
    as_they_are = [None] * len(nodes.columns)
    return _walk(nodes, schema, lambda route: route.walk_table(codes, nodes.columns, as_they_are, core.Clock()))[0]


def walk_columns(nodes: Nodes, schema: Schema, columns: NDArray[np.uint8]) -> Walk:
    """The columns that the tree reads, test × row, in the order of `nodes.columns`."""
    return _walk(nodes, schema, lambda route: route.walk(columns, core.Clock()))[0]


def _walk(nodes: Nodes, schema: Schema, found: Found) -> tuple[Walk, bool]:
    """What the core found, and whether no number was so large that digits may be lost; a walk for each resource."""
    (leaf, spent, *arrays, are_exact), *further = map(found, nodes.routes)
    all_spent = np.stack([spent, *(more[1] for more in further)]) if further else spent[None]
    return Walk(nodes, schema, leaf, all_spent, *arrays), are_exact


class Reader:
    """Walks numbers where they lie in memory: the core codes the columns that the tree reads, block by block.

    What it cannot read, it returns None for: texts and other values, which have encoders, and numbers so large that
    floats may lose digits.
    """

    def __init__(self, nodes: Nodes, schema: Schema, encoders: Sequence[ColumnEncoder]) -> None:
        self._nodes, self._schema = nodes, schema
        self._encoders = [encoders[test] for test in nodes.columns]
        self._names = [encoder.name for encoder in self._encoders]
        position_of = {name: position for position, name in enumerate(schema.input_columns)}
        self._positions = np.array([position_of[name] for name in self._names], dtype=np.int64)
        self._in_order = np.arange(len(self._names))
        cuts = [NumberCuts.of(encoder) for encoder in self._encoders]
        self._coders = [core.Coder(of.cuts, of.codes, of.missing) for of in cuts]

    def walk(self, cases: Any) -> Walk | None:
        """Rows with the columns of the table of known cases, or a pandas frame."""
        if isinstance(cases, np.ndarray):
            return self.walk_array(cases)
        columns = pandas_columns(cases, self._names)
        if columns is None or not self._names:
            return None
        if isinstance(columns, np.ndarray):
            walk, are_exact = self._walk_table(columns, self._in_order)
        else:
            walk, are_exact = self._walk_columns(cases, columns)
        return walk if are_exact else None  # infinity is an error in a frame

    def walk_array(self, array: NDArray[Any]) -> Walk | None:
        """The same for an array."""
        cells = number_array(array)
        if cells is None or cells.ndim != 2 or cells.shape[1] != len(self._schema.input_columns):
            return None
        walk, are_exact = self._walk_table(cells, self._positions)
        return walk if are_exact or cells.dtype.kind == "f" else None

    def _walk_table(self, cells: NDArray[Any], positions: NDArray[np.int64]) -> tuple[Walk, bool]:
        coders = self._coders
        return _walk(self._nodes, self._schema, lambda route: route.walk_table(cells, positions, coders, core.Clock()))

    def _walk_columns(self, frame: Any, columns: list[NDArray[Any] | None]) -> tuple[Walk, bool]:
        """Columns that are not numbers are coded by their encoders."""
        others = [encoder for encoder, column in zip(self._encoders, columns, strict=True) if column is None]
        table = read_frame(frame, only=[encoder.name for encoder in others]) if others else None
        coded = {} if table is None else {of.name: of.encode(table.column(of.name)) for of in others}
        cells = [coded[name] if column is None else column for name, column in zip(self._names, columns, strict=True)]
        coders = [None if column is None else coder for coder, column in zip(self._coders, columns, strict=True)]
        return _walk(self._nodes, self._schema, lambda route: route.walk_columns(cells, coders, core.Clock()))
