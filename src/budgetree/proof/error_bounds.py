"""The paper's bounds on the errors of hinged trees, for any tree: with the least α for which no leaf owes anything.

They bound what leaves get wrong that answer with the most common class. With losses leaves answer what loses least,
which may be any class: the bounds do not apply, and a certificate says so.
"""

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
    if k < 2 or not tree.schema.loss_table.is_plain:
        return []
    second, first = np.sort(counts, axis=1)[:, -2:].T
    # In floats to screen: what ties with the largest there is compared exactly.
    owed = np.where(first > 0, first.astype(float) * second / np.maximum(first + second, 1), 0.0)
    nearly = np.flatnonzero(owed >= owed.max() * (1 - 1e-9))
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
        found.append({
            "name": name,
            "alpha": text_of(alpha / tree.schema.weight_scale),
            "bound": text_of(per_leaf * len(counts)),
            "refined": text_of(refined),
        })  # fmt: skip
    return found
