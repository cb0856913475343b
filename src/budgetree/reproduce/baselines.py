"""The baselines that the paper names, as rules and impurities of ours, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from budgetree import datasets
from budgetree.impurity import Entropy, ObjectPairs, Pairs
from budgetree.learn import grow
from budgetree.problem import Instance
from budgetree.reproduce.panels import Panel
from budgetree.tree import Tree

SMALL_BUDGETS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A method from the literature, and how to say it here."""

    name: str
    whose: str
    grow: Callable[[Instance], Tree]


def _ignoring_prices(instance: Instance) -> Tree:
    return grow(instance.priced(1), Entropy(), rule="expected").priced(instance.prices)


BASELINES = (
    Baseline("Pairs, worst case", "Moshkov; Cicalese, Laber, Saettler", grow),
    Baseline(
        "Pairs, expected cost",
        "edge cutting; Golovin, Krause, Ray",
        lambda instance: grow(instance, Pairs(), rule="expected"),
    ),
    Baseline(
        "binary search", "every object its own class, balanced splits", lambda instance: grow(instance, ObjectPairs())
    ),
    Baseline("entropy, prices ignored", "ID3", _ignoring_prices),
    Baseline("entropy gain by price", "cost-divided gain", lambda instance: grow(instance, Entropy(), rule="expected")),
)


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """What one method's tree does on one data set."""

    data: str
    method: str
    max_cost: float  # without errors
    mean_cost: float
    errors: tuple[float, ...]  # cut at each small budget
    ended_early: bool = False  # a search whose costs may not be the least


def baseline_rows(panels: list[Panel]) -> list[BaselineRow]:
    """Every method on the panels at unit prices, with exact search beside them, and on pima at its real prices."""
    rows: list[BaselineRow] = []
    for panel in panels:
        rows.extend(_row(panel.name, baseline, panel.instance) for baseline in BASELINES)
        rows.append(_best_row(panel))
    priced = datasets.load("pima")
    rows.extend(_row("pima, real prices", baseline, priced) for baseline in BASELINES)
    return rows


def _row(data: str, baseline: Baseline, instance: Instance) -> BaselineRow:
    tree = baseline.grow(instance)
    errors = tuple(tree.cut(budget).errors for budget in SMALL_BUDGETS)
    return BaselineRow(data, baseline.name, tree.max_cost, tree.mean_cost, errors)


def _best_row(panel: Panel) -> BaselineRow:
    """The best that exact search found: the optimum, unless it ended early."""
    last = panel.exact[-1]
    errors = tuple(panel.exact.best(budget=budget).errors for budget in SMALL_BUDGETS)
    ended_early = not panel.exact.complete
    name = "exact search, ended early" if ended_early else "exact search"
    return BaselineRow(panel.name, name, last.max_cost, last.tree.mean_cost, errors, ended_early)
