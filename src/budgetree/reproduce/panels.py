"""Figure 5 and the synthetic example: curves of errors against max-cost, with what is proven in the same picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from budgetree import datasets
from budgetree.impurity import HingedPairs, Pairs, Powers
from budgetree.learn import Frontier, frontier, tradeoff
from budgetree.problem import Instance
from budgetree.show.steps import frontier_steps

NINE = (
    "house_votes", "sonar", "ionosphere", "dna", "boston", "soybean", "pima", "wdbc", "mammographic",
)  # fmt: skip
POWERS = (2, 3, 4, 5)
HINGED = "HingedPairs"
HARD = "dna"  # the one whose frontier takes minutes to prove


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One data set at unit prices: the paper's curves, and the frontier by exact search, as far as the time went."""

    name: str
    instance: Instance
    curves: dict[str, list[tuple[float, float]]]  # (max-cost, errors), cheapest first
    exact: Frontier

    def errors(self, curve: str, budget: float) -> float:
        """The fewest errors of a curve within a budget."""
        return min(errors for cost, errors in self.curves[curve] if cost <= budget)

    def least(self, budget: float) -> float:
        """No tree within the budget makes fewer errors than this: the proven part of what exact search says."""
        point = self.exact.best(budget=budget)
        return point.lower_bound if point.max_cost == budget else frontier_steps(self.exact).bound.at(budget)

    def is_proven(self, budget: float) -> bool:
        """Whether the fewest errors found within the budget are the fewest of any tree."""
        return self.exact.best(budget=budget).errors <= self.least(budget)

    @property
    def longest(self) -> int:
        """The largest max-cost of any curve."""
        return int(max(cost for curve in self.curves.values() for cost, _ in curve))


def panel(name: str, seconds: float) -> Panel:
    """The curves of Figure 5, and the exact frontier as far as the time goes."""
    instance = datasets.load(name, prices=1)
    curves = {f"Powers({power})": _points(instance, Powers(power)) for power in POWERS}
    curves[HINGED] = _points(instance, HingedPairs)
    return Panel(
        name, instance, curves, frontier(instance, method="exact", time_limit=seconds, progress=False, folds=0)
    )


def synthetic_panel() -> Panel:
    """The synthetic example: Pairs stopped early, and the exact frontier."""
    instance = datasets.load("synthetic")
    curves = {"Pairs": _points(instance, Pairs())}
    return Panel("synthetic", instance, curves, frontier(instance, method="exact", progress=False, folds=0))


def _points(instance: Instance, impurity: object) -> list[tuple[float, float]]:
    """Per max-cost the fewest errors of the curve, cheapest first."""
    best: dict[float, float] = {}
    for point in tradeoff(instance, impurity, progress=False):
        best[point.max_cost] = min(point.errors, best.get(point.max_cost, point.errors))
    return sorted(best.items())


def all_panels(names: Sequence[str], hard_seconds: float, report: Callable[[str], None]) -> list[Panel]:
    """Every panel; the hard one has a limit, the others finish in a moment."""
    found = []
    for name in names:
        report(name)
        found.append(panel(name, hard_seconds if name == HARD else 60.0))
    return found
