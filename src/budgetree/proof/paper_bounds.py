"""What the paper promises of a tree: greedy ones are within ln F(S) + 1 of the best, hinged ones bound their errors.

The bounds on errors hold for any tree, with the least α for which no leaf has impurity left. They bound what leaves get
wrong that answer with the most common class. With losses leaves answer what loses least, which may be any class: the
bounds do not apply, and a certificate says so.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs, Powers
from budgetree.problem import Instance
from budgetree.tree import Tree

# Those whose a-priori guarantee the paper has.
FUNCTIONS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Pairs, Powers, HingedPairs, HingedProduct)}


def stated_guarantee(instance: Instance, tree: Tree) -> dict[str, Any] | None:
    """ln F(S) + 1, for a whole greedy tree of an admissible function whose leaves all have F = 0.

    Prices that depend on the path or the outcome, other rules and fallbacks void it; so do losses, because a tree that
    loses as little need not have such leaves, and min_cases, because the rule may not choose freely then.
    """
    grown = tree.origin.impurity if tree.origin.is_whole_greedy else None
    if instance.schema.costs.rules or tree.n_fallbacks or not instance.schema.loss_table.is_plain:
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
    leaves = tree.nodes.counts[tree.nodes.is_reached] // common
    mixed = leaves[np.count_nonzero(leaves, axis=1) > 1]
    # Cases that no test separates, or a size that leaves must have, may keep F above 0.
    if function(whole) < 1 or (len(mixed) and function.zero_only_if_pure):
        return None
    if any(function(counts) > 0 for counts in np.unique(mixed, axis=0)):
        return None
    impurity = {"name": name, "parameter": None if parameter is None else str(parameter)}
    return {"impurity": impurity, "factor": function.guarantee(whole)}


def bounds_on_errors(tree: Tree) -> list[dict[str, Any]]:
    """For HingedPairs and HingedProduct: α, the paper's bound on the share of errors, and the one refined over η."""
    nodes = tree.nodes
    counts = nodes.counts[nodes.is_reached]
    k, total = counts.shape[1], int(counts.sum())
    if k < 2 or not tree.schema.loss_table.is_plain:
        return []
    second, first = np.sort(counts, axis=1)[:, -2:].T
    # In floats to screen: what ties with the largest there is compared exactly.
    left = np.where(first > 0, first.astype(float) * second / np.maximum(first + second, 1), 0.0)
    nearly = np.flatnonzero(left >= left.max() * (1 - 1e-9))
    pairs = set(zip(first[nearly].tolist(), second[nearly].tolist(), strict=True))
    alphas = {
        "HingedPairs": max((Fraction(a * b, a + b) for a, b in pairs if a + b), default=Fraction(0)),
        "HingedProduct": Fraction(int(second.max())),
    }
    factors = {"HingedPairs": k * (k - 1), "HingedProduct": k - 1}
    weights = counts.sum(axis=1)
    found = []
    for name, alpha in alphas.items():
        per_leaf = factors[name] * alpha / total
        # η is the share of the leaves beyond some of the heaviest: there at most (k − 1) of k are wrong. Each leaf is
        # best on the side where it adds less.
        counted = weights > per_leaf * k * total // (k - 1)
        refined = per_leaf * int(counted.sum()) + Fraction((k - 1) * int(weights[~counted].sum()), k * total)
        stated = {"alpha": alpha / tree.schema.weight_scale, "bound": per_leaf * len(counts), "refined": refined}
        found.append({"name": name} | {key: str(number) for key, number in stated.items()})
    return found
