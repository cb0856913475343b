"""The paper's bounds on the errors of hinged trees, for any tree: with the least α for which no leaf owes anything."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.proof.bounds import text_of
from budgetree.tree import Tree


def bounds_on_errors(tree: Tree) -> list[dict[str, Any]]:
    """For HingedPairs and HingedProduct: α, the paper's bound on the share of errors, and the one refined over η."""
    nodes = tree.nodes
    counts = nodes.counts[nodes.is_leaf]
    k, total = counts.shape[1], int(counts.sum())
    if k < 2:
        return []
    two_largest = np.sort(counts, axis=1)[:, -2:].tolist()
    alphas = {
        "HingedPairs": max((Fraction(a * b, a + b) for b, a in two_largest if a + b), default=Fraction(0)),
        "HingedProduct": Fraction(max(b for b, _ in two_largest)),
    }
    factors = {"HingedPairs": k * (k - 1), "HingedProduct": k - 1}
    heaviest = sorted((int(weight) for weight in counts.sum(axis=1)), reverse=True)
    found = []
    for name, alpha in alphas.items():
        per_leaf = factors[name] * alpha / total
        left, refined = total, []
        for number in range(len(heaviest) + 1):
            # η is the share of the leaves beyond the `number` heaviest: there at most (k − 1) of k are wrong.
            refined.append(per_leaf * number + Fraction(k - 1, k) * Fraction(left, total))
            left -= heaviest[number] if number < len(heaviest) else 0
        found.append({
            "name": name,
            "alpha": text_of(alpha / tree.schema.weight_scale),
            "bound": text_of(per_leaf * len(heaviest)),
            "refined": text_of(min(refined)),
        })  # fmt: skip
    return found
