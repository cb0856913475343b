"""The ratio bound (the paper's Lemma 2.1): min over tests of R(t) · F(G), for an admissible F and any set G of cases.

It holds for every tree whose leaves have F = 0: the error-free ones for Pairs and Powers; for a hinged function with
α = m all trees with at most m errors. Each test stands at its least price on any path: so it holds with prices that
depend on the path or the outcome.

With losses the cases are counted by error weights (error_weights.py), and every function and set serves as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs, Powers
from budgetree.learn.greedy.native import count_classes
from budgetree.problem import Instance
from budgetree.proof.entries import Bound, present_rows, tree_entries
from budgetree.services.clock import Clock
from budgetree.tree import Tree

RANDOM_SETS = 200
MAX_PAIRS_OF_CLASSES = 50
SEED = 7
MAX_PAIRS_AT_ONCE = 10**6  # of classes, whose product a hinged function computes
EXACT_TRIES = 5  # sets that floats find best, computed again in fractions


def functions_for(errors: Fraction) -> list[tuple[Impurity, dict[str, Any]]]:
    """Every admissible function that is zero on each leaf with at most these errors, and how a certificate names it."""
    if errors > 0:
        hinged = (HingedPairs, HingedProduct)
        return [(kind(errors), {"name": kind.__name__, "parameter": str(errors)}) for kind in hinged]
    powers = [(Powers(l), {"name": "Powers", "parameter": str(l)}) for l in (3, 4, 5)]  # noqa: E741 - the paper's l
    return [(Pairs(), {"name": "Pairs", "parameter": None}), *powers]


def ratio_bound(instance: Instance, tree: Tree, errors: Fraction, clock: Clock) -> Bound | None:
    """The best over functions and sets: the whole, the tree's nodes, pairs of classes, and others while time lasts."""
    clock = _patient(clock)
    prices = instance.schema.costs.cheapest
    in_units = errors * instance.schema.weight_scale
    functions = functions_for(in_units)
    tried: list[tuple[float, int, NDArray[np.int32]]] = []
    for rows in _sets(instance, tree):
        if clock.is_over:
            break
        counts = count_classes(instance, rows)
        clock.spend(clock.plan.seconds_per_count * (len(rows) * len(prices) + counts.size * len(functions)))
        for index, (function, _) in enumerate(functions):
            tried.append((_in_floats(counts, prices, function, clock), index, rows))
    tried.sort(key=lambda entry: -entry[0])
    stated = functions_for(errors)  # in cases, as people and certificates count
    found: list[Bound] = []
    clock = _patient(clock)
    for value_in_floats, index, rows in tried[:EXACT_TRIES]:
        if value_in_floats <= 0:
            break
        units = _exactly(count_classes(instance, rows), prices, functions[index][0], clock)
        if units is not None:
            witness = {"impurity": stated[index][1], "objects": rows.tolist()}
            found.append(Bound("ratio", units / instance.schema.costs.scale, witness))
    return max(found, key=lambda bound: bound.value, default=None)


def _patient(clock: Clock) -> Clock:
    """The same, or a moment where it is over: what is found in it does not depend on how busy the machine is."""
    left, least = clock.seconds_left, clock.plan.ratio_seconds
    if left is None or left >= least:
        return clock
    return Clock(None if clock.counts_work else least, work=least, plan=clock.plan)


def _sets(instance: Instance, tree: Tree) -> Iterator[NDArray[np.int32]]:
    rows = present_rows(instance)
    yield rows
    yield from _sets_of_nodes(instance, tree, rows)
    classes = [rows[instance.labels[rows] == c] for c in range(instance.n_classes)]
    pairs = [pair for pair in combinations([c for c in classes if len(c)], 2) if instance.n_classes > 2]
    for one, other in pairs[:MAX_PAIRS_OF_CLASSES]:
        yield np.sort(np.concatenate([one, other]))
    rng = np.random.default_rng(SEED)
    for _ in range(RANDOM_SETS if len(rows) > 2 else 0):
        # Those that share outcomes with one case are hard to tell from it.
        centre = rows[rng.integers(len(rows))]
        alike = (instance.codes[rows] == instance.codes[centre]).sum(axis=1)
        size = int(rng.integers(2, len(rows) + 1))
        yield np.sort(rows[np.argsort(-alike, kind="stable")[:size]])


def _sets_of_nodes(instance: Instance, tree: Tree, rows: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    entries = tree_entries(tree)
    rows_at = {0: rows}
    for node, entry in enumerate(entries):
        if entry["test"] is None:
            continue
        here = rows_at.pop(node)
        shown = instance.codes[here, entry["test"]]
        for child in dict.fromkeys(entry["children"].values()):
            if entries[child]["test"] is not None:
                outcomes = [int(outcome) for outcome, at in entry["children"].items() if at == child]
                rows_at[child] = here[np.isin(shown, outcomes)]
                yield rows_at[child]


def _in_floats(counts: NDArray[np.int64], prices: NDArray[np.int64], function: Impurity, clock: Clock) -> float:
    """In price units; 0 where nothing is found, or not in time."""
    whole = float(function(counts[0].sum(axis=0).astype(float)))
    if whole <= 0:
        return 0.0
    best = np.inf
    step = max(1, MAX_PAIRS_AT_ONCE // (counts.shape[1] * counts.shape[2] ** 2))
    for start in range(0, len(counts), step):
        if clock.is_over:
            return 0.0
        some = counts[start : start + step]
        shown = some.sum(axis=2) > 0
        left = np.asarray(function(some.astype(float)), dtype=float)
        gain = np.where(shown, whole - left, np.inf).min(axis=1)
        useful = (shown.sum(axis=1) > 1) & (gain > 0)
        ratios = prices[start : start + step][useful] / gain[useful]
        best = min(best, float(ratios.min(initial=np.inf)))
    return best * whole if best < np.inf else 0.0


def _exactly(counts: NDArray[np.int64], prices: NDArray[np.int64], function: Impurity, clock: Clock) -> Fraction | None:
    """In price units; None where no test makes progress, or the time is over."""
    whole = Fraction(function(counts[0].sum(axis=0)))
    ratios = []
    for test in range(len(counts)):
        if clock.is_over:
            return None
        shown = counts[test][counts[test].sum(axis=1) > 0]
        if len(shown) > 1:
            gain = min(whole - Fraction(function(counted)) for counted in shown)
            if gain > 0:
                ratios.append(Fraction(int(prices[test])) / gain)
    return min(ratios) * whole if ratios else None
