"""budgetree finds the best decision tree that a testing budget can buy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from budgetree._version import __version__

if TYPE_CHECKING:
    from budgetree import datasets
    from budgetree.estimator import BudgetTreeClassifier
    from budgetree.impurity import (
        Counterexample,
        Entropy,
        Gini,
        HingedPairs,
        HingedProduct,
        Impurity,
        ObjectPairs,
        Pairs,
        Polynomial,
        Powers,
        check_admissible,
    )
    from budgetree.learn import Frontier, Solution, frontier, grow, optimal, tradeoff
    from budgetree.problem import Instance, Prices
    from budgetree.proof import Certificate, CertificateError, certify
    from budgetree.report import plot_frontier, plot_tree
    from budgetree.tree import Consultation, ModelFileError, Tree

# Where each name lives. It is imported when first asked for, so that the command line answers at once and nobody needs
# an extra (scikit-learn, matplotlib) that they do not use.
_HOMES = {
    "BudgetTreeClassifier": "estimator",
    "Certificate": "proof",
    "CertificateError": "proof",
    "Consultation": "tree",
    "Counterexample": "impurity",
    "Entropy": "impurity",
    "Frontier": "learn",
    "Gini": "impurity",
    "HingedPairs": "impurity",
    "HingedProduct": "impurity",
    "Impurity": "impurity",
    "Instance": "problem",
    "ModelFileError": "tree",
    "ObjectPairs": "impurity",
    "Pairs": "impurity",
    "Polynomial": "impurity",
    "Powers": "impurity",
    "Prices": "problem",
    "Solution": "learn",
    "Tree": "tree",
    "certify": "proof",
    "check_admissible": "impurity",
    "frontier": "learn",
    "grow": "learn",
    "optimal": "learn",
    "plot_frontier": "report",
    "plot_tree": "report",
    "tradeoff": "learn",
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
    "ObjectPairs",
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
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("budgetree.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"budgetree.{_HOMES[name]}"), name)
    globals()[name] = value  # the next time it is there
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
