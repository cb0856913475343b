"""budgetree finds the best decision tree that a testing budget can buy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from budgetree import datasets
from budgetree.impurity import (
    Counterexample,
    Entropy,
    Gini,
    HingedPairs,
    HingedProduct,
    Impurity,
    Pairs,
    Polynomial,
    Powers,
    check_admissible,
)
from budgetree.learn import Frontier, Solution, frontier, grow, optimal, tradeoff, warm_up
from budgetree.problem import Instance, Prices
from budgetree.proof import Certificate, CertificateError, certify
from budgetree.tree import Consultation, ModelFileError, Tree

if TYPE_CHECKING:
    from budgetree.estimator import BudgetTreeClassifier
    from budgetree.report import plot_frontier, plot_tree

__version__ = "0.1.0"

# What needs an extra is imported when it is first asked for.
_ON_REQUEST = {
    "BudgetTreeClassifier": "budgetree.estimator",
    "plot_frontier": "budgetree.report",
    "plot_tree": "budgetree.report",
}

__all__ = [
    "BudgetTreeClassifier",
    "Certificate",
    "CertificateError",
    "Consultation",
    "Counterexample",
    "Entropy",
    "Frontier",
    "Gini",
    "HingedPairs",
    "HingedProduct",
    "Impurity",
    "Instance",
    "ModelFileError",
    "Pairs",
    "Polynomial",
    "Powers",
    "Prices",
    "Solution",
    "Tree",
    "__version__",
    "certify",
    "check_admissible",
    "datasets",
    "frontier",
    "grow",
    "optimal",
    "plot_frontier",
    "plot_tree",
    "tradeoff",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    if name not in _ON_REQUEST:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_REQUEST[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_REQUEST})
