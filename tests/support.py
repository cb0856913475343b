"""What several tests share: from the oracle's problems to instances, and the growers called directly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from reference import Node, Problem

import budgetree as bt
from _support.reference_growth import grow_in_numpy
from budgetree.distributed.cases import LocalCases
from budgetree.learn.greedy.levels import LevelGrower
from budgetree.learn.greedy.native import grow_native, native_instance
from budgetree.learn.greedy.rule import PythonRule, Settings, check_settings
from budgetree.tree import Nodes, Origin
from budgetree.tree.builder import grown_tree
from budgetree.tree.nodes import Kind


def native(instance: bt.Instance, settings: Settings, threads: int = 1) -> Nodes:
    """By the core, where its whole numbers are wide enough."""
    is_served = native_instance(instance).serves(settings.form, settings.min_cases)
    return grow_native(instance, settings, threads) if is_served else by_levels(instance, settings)


def by_levels(instance: bt.Instance, settings: Settings) -> Nodes:
    """In Python, by the rule in Python."""
    cases = LocalCases.of_instance(instance)
    return LevelGrower(cases, settings, cases.engine(1), rule=PythonRule(cases.schema, settings)).grow()


GROWERS: dict[str, Any] = {
    "reference": grow_in_numpy,
    "levels": by_levels,
    "native": native,
    "native, 3 threads": partial(native, threads=3),
}


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
    return grown_tree(instance.schema, GROWERS[grower](instance, checked), instance.n_objects, Origin())


def outcomes_below(nodes: Nodes, node: int) -> list[int]:
    """Of a purchase, per outcome the node that follows; -1 where no known case showed it."""
    branch = int(nodes.below(node)[0])
    return [child if nodes.counts[child].any() else -1 for child in nodes.below(branch)[:-1].tolist()]


@dataclass(frozen=True)
class Grown:
    """A grown tree by its purchases and leaves alone, breadth first."""

    test: list[int]  # -1 for leaves
    parent: list[int]
    counts: list[list[int]]
    paid: list[int]


def grown(nodes: Nodes) -> Grown:
    """What was grown, without branches and the leaves that no known case comes to."""
    kept = np.flatnonzero((nodes.kind != Kind.BY_RESULT) & nodes.counts.any(axis=1))
    number = {node: position for position, node in enumerate(kept.tolist())}
    parent = [-1, *(number[above] for above in nodes.parent[nodes.parent[kept[1:]]].tolist())]
    test = np.where(nodes.is_buy, nodes.test, -1)[kept]
    return Grown(test.tolist(), parent, nodes.counts[kept].tolist(), nodes.known_spent[kept].tolist())


def as_node(tree: bt.Tree, at: int = 0) -> Node:
    """The tree in the oracle's form."""
    nodes, scale = tree.nodes, tree.schema.weight_scale
    counts = tuple(Fraction(int(count)) / scale for count in nodes.counts[at])
    if nodes.is_leaf[at]:
        return Node(counts)
    below = enumerate(outcomes_below(nodes, at))
    children = {outcome: as_node(tree, child) for outcome, child in below if child >= 0}
    return Node(counts, int(nodes.test[at]), children, bool(nodes.fallback[at]))


def random_cases(shape: tuple[int, int, int], weighted: bool) -> bt.Instance:
    """(cases, tests, outcomes) at random, of four classes."""
    n_cases, n_tests, n_outcomes = shape
    rng = np.random.default_rng(n_cases)
    codes = rng.integers(0, n_outcomes, (n_cases, n_tests))
    weights = rng.integers(0, 5, n_cases) + (np.arange(n_cases) == 0) if weighted else None
    return bt.Instance(codes, rng.integers(0, 4, n_cases), weights=weights, class_names="abcd")
