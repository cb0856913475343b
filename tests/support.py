"""What several tests share: from the oracle's problems to instances, and the growers called directly."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from reference import Node, Problem

import budgetree as bt
from budgetree.counts import MemoryCounter
from budgetree.learn.greedy.native import grow_native, is_native
from budgetree.learn.greedy.plain import grow_plain
from budgetree.learn.greedy.settings import Settings, check_settings
from budgetree.tree import Nodes


def plain(instance: bt.Instance, settings: Settings) -> Nodes:
    return grow_plain(MemoryCounter(instance), instance.schema, settings)


def native(instance: bt.Instance, settings: Settings, threads: int = 1) -> Nodes:
    """By the core, where it is there and its whole numbers are wide enough."""
    return grow_native(instance, settings, threads) if is_native(instance, settings.form) else plain(instance, settings)


GROWERS: dict[str, Any] = {"plain": plain, "native": native, "native, 3 threads": partial(native, threads=3)}


def to_instance(problem: Problem) -> bt.Instance:
    """The oracle's problem as the library sees it."""
    names = [f"t{i}" for i in range(len(problem.n_outcomes))]
    tests = {
        name: {str(outcome): price for outcome, price in enumerate(prices)}
        for name, prices in zip(names, problem.prices, strict=True)
    }
    shared = {f"fee{i}": (fee, [names[t] for t in sorted(tests)]) for i, (fee, tests) in enumerate(problem.fees)}
    return bt.Instance(
        np.array(problem.codes),
        problem.labels,
        prices=bt.Prices(tests, shared=shared),
        weights=[float(weight) for weight in problem.weights],
        test_names=names,
        outcome_names=[[str(i) for i in range(n)] for n in problem.n_outcomes],
        class_names=[f"class {c}" for c in range(problem.n_classes)],
    )


def grow_with(grower: str, instance: bt.Instance, impurity: bt.Impurity, **settings: Any) -> bt.Tree:
    """bt.grow by one of the growers, whichever it would have chosen."""
    wanted = {"delta": 0, "budget": None, "rule": "worst"} | settings
    checked = check_settings(instance, impurity, **wanted)
    return bt.Tree(instance.schema, GROWERS[grower](instance, checked), instance.n_objects)


def as_node(tree: bt.Tree, at: int = 0) -> Node:
    """The tree in the oracle's form."""
    nodes, scale = tree.nodes, tree.schema.weight_scale
    counts = tuple(Fraction(int(count)) / scale for count in nodes.counts[at])
    if nodes.test[at] < 0:
        return Node(counts)
    test = int(nodes.test[at])
    below = nodes.children(at, len(tree.schema.outcome_names[test]))
    children = {outcome: as_node(tree, int(child)) for outcome, child in enumerate(below) if child >= 0}
    return Node(counts, test, children, bool(nodes.fallback[at]))


def random_cases(shape: tuple[int, int, int], weighted: bool) -> bt.Instance:
    """(cases, tests, outcomes) at random, of four classes."""
    n_cases, n_tests, n_outcomes = shape
    rng = np.random.default_rng(n_cases)
    codes = rng.integers(0, n_outcomes, (n_cases, n_tests))
    weights = rng.integers(0, 5, n_cases) + (np.arange(n_cases) == 0) if weighted else None
    return bt.Instance(codes, rng.integers(0, 4, n_cases), weights=weights, class_names="abcd")
