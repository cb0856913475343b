"""The paper's a-priori guarantee for greedy trees: their worst case is within ln F(S) + 1 of the best."""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np

from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs, Powers
from budgetree.problem import Instance
from budgetree.proof.bounds import text_of
from budgetree.tree import Tree

# Those whose a-priori guarantee the paper has.
FUNCTIONS: dict[str, type[Any]] = {
    "Pairs": Pairs,
    "Powers": Powers,
    "HingedPairs": HingedPairs,
    "HingedProduct": HingedProduct,
}


def stated_guarantee(instance: Instance, tree: Tree) -> dict[str, Any] | None:
    """ln F(S) + 1, for a whole greedy tree of an admissible function whose leaves all have F = 0.

    Shared fees, prices by outcome and fallbacks void it; so do losses, because a tree that loses as little need not
    have such leaves, and min_cases, because the rule may not choose freely then.
    """
    grown = tree.origin.impurity if tree.origin.is_whole_greedy else None
    table = instance.schema.table
    if len(table.fees) or table.has_outcome_prices or tree.n_fallbacks or not instance.schema.loss_table.is_plain:
        return None
    counts = [int(count) for count in instance.class_order.counts]
    common = gcd(*(int(weight) for weight in set(instance.weight_units.tolist())))
    if grown is None or grown.name not in FUNCTIONS or not common:
        return None
    name, parameter = grown.name, next((value for _, value in grown.parameters), None)
    if (parameter is None) != (name == "Pairs"):
        return None  # a model file that was changed
    if name in ("HingedPairs", "HingedProduct") and (common != 1 or instance.schema.weight_scale != 1):
        return None  # α counts cases
    if parameter is not None and parameter.denominator != 1:
        return None  # the least nonzero F may be below 1 then
    function: Impurity = Pairs() if parameter is None else FUNCTIONS[name](int(parameter))
    whole = [count // common for count in counts]
    leaves = tree.nodes.counts[tree.nodes.is_leaf] // common
    mixed = leaves[np.count_nonzero(leaves, axis=1) > 1]
    # Cases that no test separates, or a size that leaves must have, may keep F above 0.
    if function(whole) < 1 or (len(mixed) and function.zero_only_if_pure):
        return None
    if any(function(counts) > 0 for counts in np.unique(mixed, axis=0)):
        return None
    impurity = {"name": name, "parameter": None if parameter is None else text_of(parameter)}
    return {"impurity": impurity, "factor": function.guarantee(whole)}
