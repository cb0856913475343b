"""What the paper promises. The guarantee: whether the tree is one that the greedy rule grows, from scratch and exactly.

At each node the rule does the test with the least R(t) = max over outcomes of price / (F(G) − F(its cases)), and it
stops where F is 0. Any tree of such choices has the guarantee ln F(S) + 1, whichever of equals was taken.

And the bounds on the share of errors, of a tree whose leaves have no impurity left by a hinged function.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from budgetree.proof.check import witness
from budgetree.proof.check.facts import Whole
from budgetree.proof.check.reading import Deadline, Flaw, fields, short
from budgetree.proof.check.trees import CheckedTree

HINGED = ("HingedPairs", "HingedProduct")


@dataclass(frozen=True)
class Rule:
    """The greedy rule of one function."""

    name: str
    parameter: int
    whole: Whole

    def measure(self, counts: Iterable[int]) -> int:
        """F of class weights in weight units."""
        return witness.impurity(self.name, self.parameter, list(counts))

    def ratio(self, rows: list[int], test: int, everything: int) -> Fraction | None:
        """R(t); None where it is infinite or the test splits nothing."""
        parts = self.whole.part_counts(rows, test)
        removed = everything - max(map(self.measure, parts)) if len(parts) > 1 else 0
        return self.whole.least[test] / removed if removed > 0 else None


def read_rule(entry: Any, whole: Whole) -> Rule:
    """The rule of a guarantee, if its factor is right and the prices are such that the paper proves it."""
    entry = fields(entry, "guarantee", ("impurity", "factor"))
    name, parameter = witness.function(entry["impurity"], "guarantee.impurity")
    facts = whole.facts
    if facts.losses is not None:
        raise Flaw("guarantee: is about errors; expected null, because losses are given")
    if any(fee for fee, _ in facts.fees) or any(len(set(row)) > 1 for row in facts.prices):
        raise Flaw("guarantee: holds without shared fees and prices by outcome only; expected null")
    if parameter.denominator != 1:
        raise Flaw(f"guarantee.impurity.parameter: expected a whole number, got {short(parameter)}")
    if name.startswith("Hinged") and whole.weight_unit != 1:
        raise Flaw(
            f"guarantee.impurity: {name} counts cases, and here one counts {short(whole.weight_unit)}; expected null"
        )
    rule = Rule(name, int(parameter), whole)
    everything = rule.measure(whole.counts(whole.rows))
    right = math.log(everything) + 1 if everything > 0 else -math.inf
    factor = entry["factor"]
    if right < 1:
        raise Flaw("guarantee: F of all cases is below 1, which promises nothing; expected null")
    if not isinstance(factor, float) or not abs(factor - right) <= 1e-9 * right:
        raise Flaw(f"guarantee.factor: expected {right!r}, got {short(factor)}")
    return rule


def check_growth(rule: Rule, tree: CheckedTree, deadline: Deadline) -> None:
    """A Flaw unless every node does what the rule does there."""
    whole, names = rule.whole, rule.whole.facts.test_names
    for leaf in tree.leaves:
        if rule.measure(whole.counts(leaf.rows)) > 0:
            raise Flaw(f"guarantee: is about trees whose leaves have F = 0; that with {_cases(leaf.rows)} has more")
    for node in tree.questions:
        everything = rule.measure(whole.counts(node.rows))
        ratios: dict[int | None, Fraction] = {}
        for test in range(len(names)) if everything else ():
            deadline.check()
            ratio = rule.ratio(node.rows, test, everything)
            if ratio is not None:
                ratios[test] = ratio
        best = min(ratios, key=ratios.__getitem__, default=None)
        if best is None or node.test not in ratios or ratios[node.test] > ratios[best]:
            does = "stops" if best is None else f"does {names[best]!r}"
            raise Flaw(
                f"guarantee: the tree is not one that {rule.name} grows: at a node with {_cases(node.rows)} it does "
                f"{names[node.test or 0]!r}, where the greedy rule {does}"
            )


def _cases(rows: list[int]) -> str:
    return f"{len(rows)} case{'' if len(rows) == 1 else 's'}"


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
