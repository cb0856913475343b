"""What the paper promises. The guarantee: whether the tree is one that the greedy rule grows, from scratch and exactly.

At each node the rule does the test with the least R(t) = max over outcomes of price / (F(G) − F(its cases)), and it
stops where F is 0. Any tree of such choices has the guarantee ln F(S) + 1, whichever of equals was taken.

And the bounds on the share of errors, of a tree whose leaves have no impurity left by a hinged function.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import Any

from budgetree.proof.check.facts import Whole
from budgetree.proof.check.reading import Flaw, counted, fields, short
from budgetree.proof.check.trees import Node
from budgetree.proof.check.witness import Function, ratios, read_function

HINGED = ("HingedPairs", "HingedProduct")


def read_rule(entry: Any, whole: Whole) -> Function:
    """The function of a guarantee, if its factor is right and the prices are such that the paper proves it."""
    entry = fields(entry, "guarantee", ("impurity", "factor"))
    function, facts = read_function(entry["impurity"], "guarantee.impurity"), whole.facts
    if facts.losses is not None:
        raise Flaw("guarantee: is about errors; expected null, because losses are given")
    if facts.ignored("ratio"):
        raise Flaw(
            "guarantee: holds only where a test costs the same on every path and outcome, by no rule; expected null"
        )
    if function.parameter.denominator != 1:
        raise Flaw(f"guarantee.impurity.parameter: expected a whole number, got {short(function.parameter)}")
    if function.name in HINGED and whole.weight_unit != 1:
        unit = short(whole.weight_unit)
        raise Flaw(f"guarantee.impurity: {function.name} counts cases, and here one counts {unit}; expected null")
    everything = function(whole.counts(whole.rows))
    right = math.log(everything) + 1 if everything > 0 else -math.inf
    factor = entry["factor"]
    if right < 1:
        raise Flaw("guarantee: F of all cases is below 1, which promises nothing; expected null")
    if not isinstance(factor, float) or not abs(factor - right) <= 1e-9 * right:
        raise Flaw(f"guarantee.factor: expected {right!r}, got {short(factor)}")
    return function


def check_growth(function: Function, tree: list[Node], whole: Whole) -> None:
    """A Flaw unless every node does what the rule of this function does there."""
    names = whole.facts.test_names
    for leaf in tree:
        if leaf.test is None and function(whole.counts(leaf.rows)) > 0:
            cases = counted(len(leaf.rows), "case")
            raise Flaw(f"guarantee: is about trees whose leaves have F = 0; that with {cases} has more")
    for node in tree:
        if node.test is None:
            continue
        found = ratios(function, node.rows, whole)
        best = min(found, key=found.__getitem__, default=None)
        if best is None or node.test not in found or found[node.test] > found[best]:
            does = "stops" if best is None else f"does {names[best]!r}"
            raise Flaw(
                f"guarantee: the tree is not one that {function.name} grows: at a node with "
                f"{counted(len(node.rows), 'case')} it does {names[node.test]!r}, where the greedy rule {does}"
            )


def error_bounds(name: str, leaves: list[list[int]], whole: Whole) -> dict[str, Fraction]:
    """The least α for which no leaf has impurity left, the bound, and the one refined over η.

    `leaves` are the class weights of each leaf in weight units, the heaviest first.
    """
    pairs = name == "HingedPairs"
    tops = {(counts[0], counts[1] if len(counts) > 1 else 0) for counts in leaves}
    alpha = max(Fraction(a * b, a + b) if pairs else Fraction(b) for a, b in tops)  # in weight units
    k, n = whole.n_classes, sum(whole.weights)
    per_leaf = (k if pairs else 1) * (k - 1) * alpha / n  # of the error rate, per leaf
    heaviest = [0, *accumulate(sorted((sum(counts) for counts in leaves), reverse=True))]
    # Over a common denominator, all whole: the tree may have many leaves.
    below = math.lcm(per_leaf.denominator, k * n)
    step, rest = int(per_leaf * below), (k - 1) * (below // (k * n))
    refined = Fraction(min(step * j + rest * (n - covered) for j, covered in enumerate(heaviest)), below)
    return {"alpha": alpha * whole.weight_unit, "bound": len(leaves) * per_leaf, "refined": refined}
