"""What the claims are tried on: Figure 1's toy, the sizes of the data sets, and Figure 5's curves with exact search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree import datasets
from budgetree.impurity import Entropy, HingedPairs, HingedProduct, Impurity, ObjectPairs, Pairs, Powers
from budgetree.learn import Frontier, frontier, grow, tradeoff
from budgetree.problem import Instance
from budgetree.show.frontier_view import frontier_steps
from budgetree.tree import Tree

# Rows, unique objects and tests as the paper's text has them; None where it says nothing.
PAPER = {
    "house_votes": (435, 342, 16),
    "sonar": (208, None, 60),
    "ionosphere": (351, 350, 34),
    "dna": (3186, 3001, 180),
    "boston": (506, 469, 13),
    "soybean": (307, 303, 34),
    "pima": (768, 753, 8),
    "wdbc": (569, None, 30),
    "mammographic": (830, None, 6),
}
HARD = "dna"  # the one whose frontier takes minutes to prove; the others finish in a moment
POWERS = (2, 3, 4, 5)
HINGED = "HingedPairs"
TOY_ALPHA = 8  # the paper's α in Figure 1
SMALL_BUDGETS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One data set at unit prices: the paper's curves, and the frontier by exact search, as far as the time went."""

    name: str
    instance: Instance
    curves: dict[str, list[tuple[float, float]]]  # (max-cost, errors), cheapest first
    exact: Frontier

    @classmethod
    def of(cls, name: str, impurities: dict[str, object], seconds: float | None = None) -> Panel:
        """The curves of these impurities, and the frontier."""
        instance = datasets.load(name, prices=1)
        curves: dict[str, list[tuple[float, float]]] = {}
        for curve, impurity in impurities.items():
            points = sorted((point.max_cost, point.errors) for point in tradeoff(instance, impurity, progress=False))
            # Of each cost the first has the fewest errors.
            curves[curve] = sorted(dict(reversed(points)).items())
        exact = frontier(instance, objective="known", time_limit=seconds, progress=False, folds=0)
        return cls(name, instance, curves, exact)

    def errors(self, curve: str, budget: float) -> float:
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
        return int(max(cost for curve in self.curves.values() for cost, _ in curve))


def figure5_panel(name: str, hard_seconds: float | None) -> Panel:
    """Powers stopped early, and HingedPairs over its α."""
    impurities: dict[str, object] = {f"Powers({power})": Powers(power) for power in POWERS}
    return Panel.of(name, impurities | {HINGED: HingedPairs}, hard_seconds if name == HARD else None)


def synthetic_panel() -> Panel:
    """The synthetic example: Pairs stopped early."""
    return Panel.of("synthetic", {"Pairs": Pairs()})


def by_outcome(instance: Instance, impurity: Impurity) -> tuple[Fraction, dict[str, dict[int, Fraction]]]:
    """F of all cases, and per test F of the part that shows each outcome."""

    def value(rows: NDArray[np.bool_]) -> Fraction:
        counts = np.bincount(instance.labels[rows], instance.weights[rows], minlength=instance.n_classes)
        return Fraction(impurity(counts.astype(int)))

    parts = {
        test: {int(outcome): value(column == outcome) for outcome in np.unique(column)}
        for test, column in zip(instance.test_names, instance.codes.T, strict=True)
    }
    return value(np.ones(instance.n_objects, dtype=bool)), parts


@dataclass(frozen=True, slots=True)
class ToyColumn:
    """Figure 1's numbers for one impurity: F of sets, each test's R, and which test the rule takes."""

    name: str
    whole: Fraction
    parts: dict[str, tuple[Fraction, ...]]  # per test, of each outcome's part
    ratios: dict[str, Fraction]  # the paper's R(t)
    chosen: str

    @classmethod
    def of(cls, name: str, impurity: Impurity, divisor: int) -> ToyColumn:
        toy = datasets.load("figure1")
        whole, by_test = by_outcome(toy, impurity)
        parts = {test: tuple(part / divisor for part in parts.values()) for test, parts in by_test.items()}
        ratios = {test: 1 / (whole / divisor - max(values)) for test, values in parts.items()}
        return cls(name, whole / divisor, parts, ratios, toy.test_names[grow(toy, impurity).nodes.test[0]])


def toy_columns() -> list[ToyColumn]:
    """Pairs, the hinge as the paper computes it (without −α²), and the hinge as the paper prints it."""
    return [
        ToyColumn.of("Pairs", Pairs(), 1),
        # The paper's computation counts the pair of classes once, its formula in both orders; no choice changes.
        ToyColumn.of("hinged, as computed", HingedProduct(TOY_ALPHA), 2),
        ToyColumn.of("hinged, as printed", HingedPairs(TOY_ALPHA), 1),
    ]


@dataclass(frozen=True, slots=True)
class SetSize:
    """One data set: per number its value in the paper and here."""

    name: str
    numbers: dict[str, tuple[int | None, int]]
    n_classes: int

    @property
    def differences(self) -> list[str]:
        differing = [(what, *pair) for what, pair in self.numbers.items() if pair[0] not in (None, pair[1])]
        return [f"{self.name} has {ours} {what} (the paper says {paper})" for what, paper, ours in differing]


def set_sizes() -> list[SetSize]:
    found = []
    for name, paper in PAPER.items():
        instance = datasets.load(name)
        ours = (len(datasets.table(name)), instance.n_objects, instance.n_tests)
        numbers = dict(zip(("rows", "unique objects", "tests"), zip(paper, ours, strict=True), strict=True))
        found.append(SetSize(name, numbers, instance.n_classes))
    return found


# By their names: whose they are, and how to say them here.
BASELINES: dict[str, tuple[str, Callable[[Instance], Tree]]] = {
    "Pairs, worst case": ("Moshkov; Cicalese, Laber, Saettler", grow),
    "Pairs, expected cost": ("edge cutting; Golovin, Krause, Ray", lambda cases: grow(cases, Pairs(), rule="expected")),
    "binary search": ("every object its own class, balanced splits", lambda cases: grow(cases, ObjectPairs())),
    "entropy, prices ignored": (
        "ID3",
        lambda cases: grow(cases.priced(1), Entropy(), rule="expected").priced(cases.prices),
    ),
    "entropy gain by price": ("cost-divided gain", lambda cases: grow(cases, Entropy(), rule="expected")),
}


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """What one method's tree does on one data set."""

    data: str
    method: str
    max_cost: float  # without errors
    mean_cost: float
    errors: tuple[float, ...]  # cut at each small budget
    is_open: bool = False  # the best that exact search found before it was ended: its costs may not be the least


def baseline_rows(panels: list[Panel]) -> list[BaselineRow]:
    """Every method on the panels at unit prices, with exact search beside them, and on pima at its real prices."""
    rows = []
    unit = [(panel.name, panel.instance, panel.exact) for panel in panels]
    for data, instance, exact in [*unit, ("pima, real prices", datasets.load("pima"), None)]:
        for method, (_, grown) in BASELINES.items():
            tree = grown(instance)
            errors = tuple(tree.cut(budget).errors for budget in SMALL_BUDGETS)
            rows.append(BaselineRow(data, method, tree.max_cost, tree.mean_cost, errors))
        if exact is not None:
            method = "exact search" if exact.complete else "exact search, ended early"
            errors = tuple(exact.best(budget=budget).errors for budget in SMALL_BUDGETS)
            costs = exact[-1].max_cost, exact[-1].tree.mean_cost
            rows.append(BaselineRow(data, method, *costs, errors, not exact.complete))
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All of it."""

    toy: list[ToyColumn]
    sets: list[SetSize]
    synthetic: Panel
    panels: list[Panel]

    @property
    def proven(self) -> list[Panel]:
        return [panel for panel in self.panels if panel.exact.complete]
