"""grow: the paper's GreedyTree, as a user calls it."""

from __future__ import annotations

from typing import Any

import numpy as np

from budgetree.counts import MemoryCounter
from budgetree.impurity import Impurity, Pairs
from budgetree.impurity.forms import GENERAL, row_of_forms
from budgetree.learn.plain import grow_plain
from budgetree.learn.readiness import kernel_work, kernels_pay, plain_work
from budgetree.learn.rule import Rule
from budgetree.learn.settings import Settings, check_instance, check_settings
from budgetree.problem import Instance
from budgetree.tree import Nodes, Tree

_PAIRS = Pairs()


def grow(
    instance: Instance,
    impurity: Impurity = _PAIRS,
    *,
    delta: Any = 0,
    budget: Any = None,
    rule: Rule = "worst",
) -> Tree:
    """Grow a tree greedily: at each node the test whose worst outcome buys the most purity for its price.

    impurity  what a node still owes; any admissible one is within O(log n) of the best worst-case cost
    delta     stop where the impurity is at most this (the paper's δ)
    budget    no path may cost more than this; a path that costs exactly this is allowed
    rule      "worst" outcome (the paper), or "expected": the weighted mean price over the weighted mean reduction

    >>> import budgetree as bt
    >>> bt.grow(bt.datasets.load("synthetic"), budget=2)
    Tree(1024 objects, 4 leaves; worst case 2, mean 2; 4 errors (0.4%))
    """
    check_instance(instance)
    settings = check_settings(instance, impurity, delta, budget, rule)
    return Tree(
        instance.schema, grow_nodes(instance, settings), instance.n_objects, _origin(impurity, delta, budget, rule)
    )


def grow_nodes(instance: Instance, settings: Settings) -> Nodes:
    """By the kernel where it pays and knows the function, else plainly; the nodes are the same."""
    if settings.form.kind == GENERAL:
        return grow_plain(MemoryCounter(instance), instance.schema, settings)
    if not kernels_pay(instance):
        with plain_work():
            return grow_plain(MemoryCounter(instance), instance.schema, settings)
    with kernel_work:
        from budgetree.learn.compiled import grow_compiled  # numba takes half a second to import

        return grow_compiled(instance, settings)


def warm_up() -> None:
    """Load the compiled kernels now (compiling them the first time ever, which takes seconds).

    Nobody needs to call this. A service may, so that not even its first requests are served by the slower twins.
    """
    with kernel_work:
        from budgetree.learn.compiled import CompiledGrower

        tiny = Instance(np.array([[0, 1], [1, 0]]), [0, 1])
        settings = check_settings(tiny, _PAIRS, 0, None, "worst")
        grower = CompiledGrower(tiny, cache_bytes=0)
        grower.grow(settings)
        grower.steps()
        grower.steps_of(row_of_forms([settings.form]), settings.budget)


def _origin(impurity: Impurity, delta: Any, budget: Any, rule: str) -> str:
    parts = [repr(impurity)]
    if delta:
        parts.append(f"delta={delta}")
    if budget is not None:
        parts.append(f"budget={budget}")
    if rule != "worst":
        parts.append(f"rule={rule}")
    return f"greedy {', '.join(parts)}"
