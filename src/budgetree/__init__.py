"""budgetree finds the best decision tree that a testing budget can buy."""

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

__version__ = "0.1.0"

__all__ = [
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
    "tradeoff",
    "warm_up",
]
