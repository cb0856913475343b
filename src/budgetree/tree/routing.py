"""Routing: where rows of codes end, what they have paid, and which tests they did on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.tree.nodes import LEAF, NO_BRANCH, Nodes

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

ALL_KNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A tree as the arrays that the core's walk reads."""

    test: NDArray[np.int32]
    first_branch: NDArray[np.int64]
    branches: NDArray[np.int32]
    n_outcomes: NDArray[np.int64]  # per test
    price: NDArray[np.int64]  # node × outcome: own price and fees due; the last column for an outcome not on the list

    @classmethod
    def of(cls, tree: Tree) -> Map:
        """That of a tree whose paths end where an outcome has no branch."""
        nodes = tree.nodes
        return cls(nodes.test, nodes.first_branch, nodes.branches, tree.schema.n_outcomes, tree.charges.price)


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Per row the node where it ends and the price units it paid."""

    node: NDArray[np.int32]
    paid: NDArray[np.int64]


def walk(tree: Tree, codes: NDArray[np.uint8]) -> Ends:
    """Where each row ends; trees for new cases go on where others end."""
    return walk_natively(Map.of(tree), codes) if tree.nodes.otherwise is None else _walk_on(tree, codes)


def walk_natively(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """One row after the other, all cores at once where there are many rows."""
    ends = Ends(np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int64))
    route = core.Route(chart.test, chart.first_branch, chart.branches, chart.n_outcomes, chart.price)
    route.walk(codes, ends.node, ends.paid, core.Clock())
    return ends


def _walk_on(tree: Tree, codes: NDArray[np.uint8]) -> Ends:
    """Node by node: unknown outcomes go on, and a case stops where a model is confident."""
    nodes, models, prices = tree.nodes, tree.models, tree.charges.price
    assert nodes.otherwise is not None
    at = np.zeros(len(codes), dtype=np.int32)
    paid = np.zeros(len(codes), dtype=np.int64)
    for node in np.flatnonzero(~nodes.is_leaf).tolist():  # parents come before their children
        here = np.flatnonzero(at == node)
        if not len(here):
            continue
        if models is not None and models.sure is not None and tree.may_stop[node]:
            here = here[models.probabilities(node, codes[here]).max(axis=1) < models.sure]
        test, otherwise = int(nodes.test[node]), nodes.otherwise[node]
        width = int(tree.schema.n_outcomes[test])
        child = np.append(nodes.children(node, width), otherwise)
        outcome = np.minimum(codes[here, test], width)
        paid[here] += prices[node, np.r_[0:width, -1]][outcome]
        at[here] = np.where(child == NO_BRANCH, otherwise, child)[outcome]
    return Ends(at, paid)


def tests_on_path(nodes: Nodes, end: int) -> tuple[int, ...]:
    """The tests that a case which ends at this node has done, in their order.

    In a tree for new cases one that ends above a test has not done it: the answer was clear before. In any other, the
    test was done, and showed what no known case did there.
    """
    node = end if nodes.otherwise is None else int(nodes.parent[end])
    tests = []
    while node >= 0:
        tests.append(int(nodes.test[node]))
        node = int(nodes.parent[node])
    return tuple(test for test in dict.fromkeys(reversed(tests)) if test != LEAF)


def first_unknown(
    nodes: Nodes, n_outcomes: NDArray[np.int64], codes: NDArray[np.uint8], end: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Per row, the first test that it did and whose answer is on no list; ALL_KNOWN where all are."""
    first = np.full(len(codes), ALL_KNOWN, dtype=np.int64)
    rows, at = np.arange(len(codes)), end.astype(np.int64)
    if nodes.otherwise is not None:
        at = nodes.parent[at].astype(np.int64)
    rows, at = rows[at >= 0], at[at >= 0]
    while len(rows):  # up from where each row ends, so that the first test counts last
        test = nodes.test[at].astype(np.int64)
        done = np.flatnonzero(test != LEAF)
        unknown = done[codes[rows[done], test[done]] >= n_outcomes[test[done]]]
        first[rows[unknown]] = test[unknown]
        if nodes.otherwise is None:  # what is on no list ends a path, so nothing above the end was
            break
        at = nodes.parent[at].astype(np.int64)
        rows, at = rows[at >= 0], at[at >= 0]
    return first


class MajorityBranch(NamedTuple):
    """The child of a node that a case without a result goes on to."""

    child: int
    outcomes: str | None  # those that lead there, in words; None where all do


def majority_branch(tree: Tree, node: int) -> MajorityBranch:
    """The child that most known cases came to; of equals the first.

    A tree with models has chosen one for what is on no list: the larger side too, as its models saw it.
    """
    nodes, test = tree.nodes, int(tree.nodes.test[node])
    children = nodes.children(node, int(tree.schema.n_outcomes[test])).tolist()
    if tree.models is not None:
        assert nodes.otherwise is not None
        child = int(nodes.otherwise[node])
        children = [child if other == NO_BRANCH else other for other in children]
    else:
        found = dict.fromkeys(other for other in children if other != NO_BRANCH)
        child = max(found, key=lambda other: int(nodes.counts[other].sum()))
    if set(children) == {child}:
        return MajorityBranch(child, None)
    outcomes = [outcome for outcome, other in enumerate(children) if other == child]
    return MajorityBranch(child, " or ".join(tree.outline.names(test, outcomes)) or "none of the known")
