"""The paper's bounds on the share of errors of a tree whose leaves owe nothing to a hinged function."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from budgetree.proof.check.facts import Whole

NAMES = ("HingedPairs", "HingedProduct")


def bounds(name: str, leaves: list[list[int]], whole: Whole) -> dict[str, Fraction]:
    """The least α for which no leaf owes anything, the bound, and the one refined over η.

    `leaves` are the class weights of each leaf in grains, the heaviest first.
    """
    pairs = name == "HingedPairs"
    tops = {(counts[0], counts[1] if len(counts) > 1 else 0) for counts in leaves}
    alpha = max(Fraction(a * b, a + b) if pairs else Fraction(b) for a, b in tops)  # in grains
    k, n = whole.n_classes, sum(whole.weights)
    per_leaf = (k if pairs else 1) * (k - 1) * alpha / n  # of the error rate, per leaf
    heaviest = [0, *accumulate(sorted((sum(counts) for counts in leaves), reverse=True))]
    # Over a common denominator, all whole: the tree may have many leaves.
    below = math.lcm(per_leaf.denominator, k * n)
    step, rest = int(per_leaf * below), (k - 1) * (below // (k * n))
    refined = Fraction(min(step * j + rest * (n - covered) for j, covered in enumerate(heaviest)), below)
    return {"alpha": alpha * whole.grain, "bound": len(leaves) * per_leaf, "refined": refined}
