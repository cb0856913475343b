"""Tree: which test first, which next after each outcome, what it costs and what it gets wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Prices, Schema, check_codes
from budgetree.problem.tables.frames import read_frame
from budgetree.problem.units import as_fraction, plain_number
from budgetree.tree.consultation import Consultation, HandleUnknown
from budgetree.tree.model import file as model_file
from budgetree.tree.nodes import LEAF, NO_BRANCH, Charges, Nodes, charges, paid_on_arrival
from budgetree.tree.origin import Change, Origin
from budgetree.tree.proven import Proven, Statement, state
from budgetree.tree.routing import Ends, Map, walk
from budgetree.tree.shown import Shown

UNKNOWN = Origin()


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Shown):
    """An immutable decision tree with its prices; grow one with budgetree.grow."""

    schema: Schema
    nodes: Nodes
    n_objects: int
    origin: Origin = UNKNOWN  # what made it; str() of it is for people to read
    proven: Proven | None = None  # what is known about other trees for the same cases and prices

    @property
    def test_names(self) -> tuple[str, ...]:
        return self.schema.test_names

    @property
    def class_names(self) -> tuple[Any, ...]:
        return self.schema.class_names

    @cached_property
    def max_cost(self) -> int | float:
        """What no case exceeds, known or new: also one that shows an outcome never seen at some node."""
        return plain_number(self.exact_max_cost)

    @cached_property
    def known_max_cost(self) -> int | float:
        """The cost of the costliest path that a known case takes: the paper's worst case.

        It is below max_cost only where prices depend on outcomes and no known case showed the costly one there.
        """
        return self.schema.table.amount(self.nodes.paid.max())

    @property
    def ceiling(self) -> int | float:
        """The old name of max_cost."""
        return self.max_cost

    @property
    def need(self) -> int:
        """The least budget that buys the tree, in price units."""
        return int(self.worst_from[0])

    @cached_property
    def mean_cost(self) -> float:
        """The mean cost over the known cases, by weight."""
        leaves = self.nodes.is_leaf
        weight = self.nodes.counts[leaves].sum(axis=1).astype(object)
        units = (weight * self.nodes.paid[leaves].astype(object)).sum()
        return float(Fraction(int(units), int(weight.sum())) / self.schema.table.scale)

    @property
    def errors(self) -> int | float:
        """The known cases that the tree gets wrong, by weight."""
        return plain_number(self.exact_errors)

    @cached_property
    def exact_errors(self) -> Fraction:
        """errors, to the last digit."""
        return self.schema.cases(self.nodes.errors)

    @cached_property
    def exact_max_cost(self) -> Fraction:
        """max_cost, to the last digit."""
        return Fraction(self.need) / self.schema.table.scale

    @property
    def statement(self) -> Statement:
        """What was proven about other trees, in words."""
        return state(self.proven, self.exact_errors, self.exact_max_cost)

    @property
    def n_leaves(self) -> int:
        return int(self.nodes.is_leaf.sum())

    @property
    def depth(self) -> int:
        """The most tests on a path."""
        return len(self.nodes.levels) - 1

    @property
    def n_fallbacks(self) -> int:
        """Nodes where every ratio of the impurity was infinite and Pairs chose instead."""
        return int(self.nodes.fallback.sum())

    @cached_property
    def tests_used(self) -> frozenset[int]:
        """The positions of the tests that some path does."""
        return frozenset(self.nodes.test[~self.nodes.is_leaf].tolist())

    def route(self, codes: Any) -> NDArray[np.int32]:
        """The node where each row of codes ends: a leaf, or the node whose test showed an outcome never seen there."""
        return self._walk(codes).node

    def predict(self, codes: Any) -> NDArray[Any]:
        """The class name for each row of codes."""
        return self.schema.classes[self.answers(codes)]

    def answers(self, codes: Any) -> NDArray[np.int64]:
        """The position in class_names for each row of codes."""
        return self.nodes.label[self.route(codes)]

    def cost(self, codes: Any) -> NDArray[np.float64]:
        """What each row's path costs.

        A path that stops at an outcome never seen there has done, and paid for, that test; an outcome that is in
        no price list costs what the test's costliest one does.
        """
        return self._walk(codes).paid / float(self.schema.table.scale)

    def plain_cost(self, codes: Any) -> list[int | float]:
        """cost() as people write it: 3 rather than 3.0."""
        units = self._walk(codes).paid.tolist()
        amounts = {unit: self.schema.table.amount(unit) for unit in set(units)}
        return [amounts[unit] for unit in units]

    def tests_done(self, codes: Any) -> list[tuple[str, ...]]:
        """The tests on each row's path, in their order; also one whose outcome was never seen there."""
        nodes = self.nodes
        done: list[tuple[int, ...]] = []
        for node, above in enumerate(nodes.parent.tolist()):  # parents come before their children
            before = done[above] if above >= 0 else ()
            test = int(nodes.test[node])
            done.append(before if test == LEAF or test in before else (*before, test))
        names = [tuple(self.test_names[test] for test in tests) for tests in done]
        return [names[node] for node in self.route(codes).tolist()]

    def cut(self, budget: Any) -> Tree:
        """The tree with every test left out that could take a path over the budget."""
        stop = ~self.nodes.is_leaf & (self.costliest_after > self.schema.table.budget_units(budget))
        return self._pruned(stop, Change("cut", as_fraction(budget))) if stop.any() else self

    def trim(self) -> Tree:
        """The tree with every node made a leaf whose leaves all predict the same class."""
        nodes = self.nodes
        lowest = np.where(nodes.is_leaf, nodes.label, len(self.class_names))
        highest = np.where(nodes.is_leaf, nodes.label, -1)
        for first, last in reversed(nodes.levels[1:]):
            np.minimum.at(lowest, nodes.parent[first:last], lowest[first:last])
            np.maximum.at(highest, nodes.parent[first:last], highest[first:last])
        stop = (lowest == highest) & ~nodes.is_leaf
        return self._pruned(stop, Change("trimmed")) if stop.any() else self

    def priced(self, prices: Any) -> Tree:
        """The same tree at other prices, of which nothing is proven."""
        schema = replace(self.schema, prices=Prices.of(prices))
        if schema.prices == self.schema.prices:
            return self
        due = charges(self.nodes.test, self.nodes.parent, schema.table)
        paid = paid_on_arrival(self.nodes, due, schema.n_outcomes)
        return Tree(schema, replace(self.nodes, paid=paid), self.n_objects, self.origin.then(Change("repriced")))

    def encode(self, frame: Any) -> NDArray[np.uint8]:
        """The codes of new cases, from a table like the one the tree was learned from.

        Extra columns do not matter, and columns of tests that the tree never does may be absent.
        """
        return self.schema.encode(read_frame(frame, only=self.test_names), self.tests_used)

    def ask(
        self, fetch: Callable[[str], Any] | Mapping[str, Any], *, handle_unknown: HandleUnknown = "stop"
    ) -> Consultation:
        """Follow one case down, calling fetch(test name) for its raw value only where the path needs that test.

        Returns the finished Consultation: its prediction, distribution, spent and history. A mapping will do for fetch.
        A value that no known case had stops the path there, as in predict; handle_unknown="error" refuses it instead.
        What is no number where numbers were learned is refused, and what fetch raises passes through.

        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> tree.ask({"age": 42, "pregnant": 3}).prediction
        'neg'
        """
        consultation = Consultation(self)
        consultation.fetch(fetch, handle_unknown=handle_unknown)
        return consultation

    def to_dict(self) -> dict[str, Any]:
        """Nested: {"test", "counts", "label", "children": {outcome: …}}; leaves have no "test" and no "children"."""
        nodes, schema = self.nodes, self.schema
        counts = nodes.counts.tolist()
        if schema.weight_scale != 1:
            counts = [[plain_number(schema.cases(count)) for count in row] for row in counts]
        entries: list[dict[str, Any]] = []
        for node in range(len(nodes)):
            entry: dict[str, Any] = {"counts": counts[node], "label": schema.class_names[nodes.label[node]]}
            if nodes.test[node] != LEAF:
                entry = {"test": schema.test_names[nodes.test[node]], **entry, "children": {}}
            entries.append(entry)
        for node in np.flatnonzero(~nodes.is_leaf).tolist():
            names = schema.outcome_names[nodes.test[node]]
            for name, child in zip(names, nodes.children(node, len(names)), strict=True):
                if child != NO_BRANCH:
                    entries[node]["children"][name] = entries[child]
        return entries[0]

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write a model file; an existing one is replaced only once the new one is complete."""
        model_file.write(path, self)

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Tree:
        """Read a model file; nothing in it is ever executed."""
        return model_file.read(path, cls)

    @cached_property
    def charges(self) -> Charges:
        """What doing each node's test costs there."""
        return charges(self.nodes.test, self.nodes.parent, self.schema.table)

    @cached_property
    def costliest_after(self) -> NDArray[np.int64]:
        """Per node, what a case has paid after its test, at worst."""
        return self.nodes.paid + self.charges.costliest

    def _pruned(self, stop: NDArray[np.bool_], change: Change) -> Tree:
        nodes = self.nodes.pruned(stop, self.schema.n_outcomes)
        tree = replace(self, nodes=nodes, origin=self.origin.then(change), proven=None)
        # What is proven is about trees that make as few errors; one that makes more is not what was asked for.
        return tree if tree.exact_errors > self.exact_errors else replace(tree, proven=self.proven)

    @cached_property
    def worst_from(self) -> NDArray[np.int64]:
        """Per node, the most that the tests from there on can cost."""
        nodes = self.nodes
        most = self.costliest_after.copy()
        for first, last in reversed(nodes.levels[1:]):
            np.maximum.at(most, nodes.parent[first:last], most[first:last])
        return most - nodes.paid

    @cached_property
    def chart(self) -> Map:
        """The tree as the arrays that a walk through it reads."""
        nodes, schema = self.nodes, self.schema
        return Map(nodes.test, nodes.first_branch, nodes.branches, schema.n_outcomes, self.charges.price)

    def _walk(self, codes: Any) -> Ends:
        return walk(self.chart, check_codes(codes, len(self.test_names)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self.nodes, other.nodes
        return (
            (self.test_names, self.schema.outcome_names, self.class_names, self.schema.prices, self.n_objects)
            == (other.test_names, other.schema.outcome_names, other.class_names, other.schema.prices, other.n_objects)
            and (self.schema.weight_scale, self.schema.encoders) == (other.schema.weight_scale, other.schema.encoders)
            and all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in mine.__dataclass_fields__)
        )

    def __hash__(self) -> int:
        return hash((self.n_objects, self.nodes.test.tobytes()))

    def __repr__(self) -> str:
        return f"Tree({self.summary()})"
