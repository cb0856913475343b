"""Stability: what comes back when a pathway is learned again from some of the cases.

    learned from all       cp ─ thal ─ age         answers to the rows left out     + − + +
    … from four fifths     cp ─ age                                                 + − − +

The refits are those that estimate the error on new cases, so knowing how firm a pathway is costs no further fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.tree import Tree
from budgetree.tree.nodes import Kind
from budgetree.tree.provenance import Stability


@dataclass(frozen=True, slots=True)
class Bought:
    """What a tree buys."""

    first: str | None  # None where its first node buys nothing
    tests: frozenset[str]

    @classmethod
    def by(cls, tree: Tree) -> Bought:
        """The tests of this tree."""
        names, nodes = tree.test_names, tree.nodes
        first = names[int(nodes.test[0])] if nodes.kind[0] == Kind.BUY else None
        return cls(first, frozenset(names[test] for test in tree.tests_used))


def compare(
    tree: Tree, refits: Sequence[Bought], is_same: NDArray[np.bool_], weights: NDArray[np.float64], learned_from: float
) -> Stability:
    """How firm a tree is.

    is_same       per row left out, whether the refit without it gives the answer of the tree
    learned_from  the share of the rows that each refit saw
    """
    own, n_refits = Bought.by(tree), len(refits)
    every = own.tests.union(*(refit.tests for refit in refits))
    return Stability(
        n_refits=n_refits,
        learned_from=round(learned_from, 6),
        first_test=own.first,
        same_first=sum(refit.first == own.first for refit in refits) / n_refits,
        tests=tuple((name, sum(name in refit.tests for refit in refits) / n_refits) for name in sorted(every)),
        same_answers=float(weights @ is_same) / float(weights.sum()),
    )
