"""The slow oracle for optimal trees: fewest errors at every budget, by exhaustion.

Two answers to one question, written apart: `optimal_frontier` collects every (budget, errors) worth
having, `fewest_errors_by_enumeration` walks every tree that one budget allows. Plain Python and exact
fractions; nothing here is fast, and nothing here may import the library.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import product

from reference import Problem

Point = tuple[Fraction, Fraction]  # the least budget that allows a tree, and the errors of that tree


def optimal_frontier(problem: Problem, *, known_only: bool = False) -> list[Point]:
    """Every point (least budget, fewest errors) of the optimal frontier, cheapest first, first point at budget 0.

    known_only: the paper's max-cost, the costliest path that a known object takes, instead of what any case may cost.
    """

    @cache
    def frontier(objects: frozenset[int], done: frozenset[int]) -> list[Point]:
        points = [(Fraction(0), _leaf_errors(problem, objects))]  # a leaf does no test, so budget 0 allows it
        for test, prices in enumerate(problem.prices):
            if test in done:
                continue  # free again, but it splits nothing
            unpaid = sum((fee for fee, tests in problem.fees if test in tests and not tests & done), Fraction(0))
            outcomes = sorted({problem.codes[s][test] for s in objects})
            children = [
                frontier(frozenset(s for s in objects if problem.codes[s][test] == i), done | {test}) for i in outcomes
            ]
            for chosen in product(*children):  # one subtree for each outcome, in every combination
                below = [prices[i] + need for i, (need, _) in zip(outcomes, chosen, strict=True)]
                # A new object may have any outcome, so the costliest one counts even if absent here.
                need = unpaid + max(below if known_only else [max(prices), *below])
                points.append((need, sum((errors for _, errors in chosen), Fraction(0))))
        return _undominated(points)

    return frontier(_present(problem), frozenset())


def fewest_errors(problem: Problem, budget: Fraction) -> Fraction:
    """The fewest errors of any tree that the budget allows, read off the frontier."""
    _require_budget(budget)
    return min(errors for need, errors in optimal_frontier(problem) if need <= budget)


def fewest_errors_by_enumeration(problem: Problem, budget: Fraction) -> Fraction:
    """The same number without a frontier: try every allowed test at every node."""
    _require_budget(budget)

    def fewest(objects: frozenset[int], left: Fraction, tests: frozenset[int], paid: frozenset[int]) -> Fraction:
        """The fewest errors with this budget left, these tests still to do and these fees paid."""
        best = _leaf_errors(problem, objects)
        for test in tests:
            due = {f for f, (_, members) in enumerate(problem.fees) if test in members} - paid
            after_fees = left - sum(problem.fees[f][0] for f in due)
            if any(price > after_fees for price in problem.prices[test]):  # absent outcomes too: see above
                continue
            groups: dict[int, set[int]] = {}
            for s in objects:
                groups.setdefault(problem.codes[s][test], set()).add(s)
            errors = Fraction(0)
            for outcome, group in groups.items():
                rest = after_fees - problem.prices[test][outcome]
                errors += fewest(frozenset(group), rest, tests - {test}, paid | due)
            best = min(best, errors)
        return best

    return fewest(_present(problem), Fraction(budget), frozenset(range(len(problem.prices))), frozenset())


def _present(problem: Problem) -> frozenset[int]:
    return frozenset(s for s, weight in enumerate(problem.weights) if weight > 0)


def _leaf_errors(problem: Problem, objects: Iterable[int]) -> Fraction:
    """The weight that is not in the heaviest class."""
    held = [Fraction(0)] * problem.n_classes
    for s in objects:
        held[problem.labels[s]] += problem.weights[s]
    return sum(held, Fraction(0)) - max(held)


def _undominated(points: Iterable[Point]) -> list[Point]:
    """The points with fewer errors than every cheaper one, cheapest first."""
    kept: list[Point] = []
    for need, errors in sorted(points):  # of points at one budget, the fewest errors come first
        if not kept or errors < kept[-1][1]:
            kept.append((need, errors))
    return kept


def _require_budget(budget: Fraction) -> None:
    if budget < 0:
        raise ValueError(f"budget: expected at least 0, got {budget}; pass 0 for the free tests alone")
