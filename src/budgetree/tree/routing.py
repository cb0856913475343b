"""Routing: where each row of codes ends and what it has paid, all rows at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree._native import core
from budgetree.tree.leaf_models import LeafModels
from budgetree.tree.nodes import LEAF, NO_BRANCH


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A tree as the arrays that a walk through it reads."""

    test: NDArray[np.int32]
    first_branch: NDArray[np.int64]
    branches: NDArray[np.int32]
    n_outcomes: NDArray[np.int64]  # per test
    price: NDArray[np.int64]  # node × outcome: own price and fees due; the last column for an outcome not on the list
    otherwise: NDArray[np.int32] | None = None  # per node the child for an outcome without a branch; None: it ends
    stops: NDArray[np.bool_] | None = None  # per node, whether a case stops there where its model is sure
    models: LeafModels | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Per row the node where it ends and the price units it paid."""

    node: NDArray[np.int32]
    paid: NDArray[np.int64]


def walk(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """By the native core where there is one, else plainly; the answer is the same."""
    if chart.otherwise is not None:
        return walk_on(chart, chart.otherwise, codes)
    return walk_plainly(chart, codes) if core is None else walk_natively(chart, codes)


def walk_natively(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """One row after the other, all cores at once where there are many rows."""
    from budgetree._core import Clock, Route

    ends = Ends(np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int64))
    route = Route(chart.test, chart.first_branch, chart.branches, chart.n_outcomes, chart.price)
    route.walk(codes, ends.node, ends.paid, Clock())
    return ends


def walk_plainly(chart: Map, codes: NDArray[np.uint8]) -> Ends:
    """Move all rows down one level at a time."""
    at = np.zeros(len(codes), dtype=np.int32)
    paid = np.zeros(len(codes), dtype=np.int64)
    moving = np.arange(len(codes)) if chart.test[0] != LEAF else np.arange(0)
    while len(moving):
        here = at[moving]
        test = chart.test[here]
        outcome = codes[moving, test].astype(np.int64)
        known = outcome < chart.n_outcomes[test]
        outcome = np.where(known, outcome, -1)
        paid[moving] += chart.price[here, outcome]
        child = np.where(known, chart.branches[chart.first_branch[here] + np.maximum(outcome, 0)], NO_BRANCH)
        found = child != NO_BRANCH
        moving, child = moving[found], child[found]
        at[moving] = child
        moving = moving[chart.test[child] != LEAF]
    return Ends(at, paid)


def walk_on(chart: Map, otherwise: NDArray[np.int32], codes: NDArray[np.uint8]) -> Ends:
    """Trees for new cases, node by node: unknown outcomes go on, and a case stops where a model is sure."""
    at = np.zeros(len(codes), dtype=np.int32)
    paid = np.zeros(len(codes), dtype=np.int64)
    for node in np.flatnonzero(chart.test != LEAF).tolist():  # parents come before their children
        here = np.flatnonzero(at == node)
        if not len(here):
            continue
        if chart.models is not None and chart.stops is not None and chart.stops[node]:
            assert chart.models.sure is not None
            here = here[chart.models.probabilities(node, codes[here]).max(axis=1) < chart.models.sure]
        test = int(chart.test[node])
        width = int(chart.n_outcomes[test])
        first = int(chart.first_branch[node])
        goes = np.append(chart.branches[first : first + width], otherwise[node])
        outcome = np.minimum(codes[here, test], width)
        paid[here] += chart.price[node, np.r_[0:width, -1]][outcome]
        at[here] = np.where(goes == NO_BRANCH, otherwise[node], goes)[outcome]
    return Ends(at, paid)
