"""Impurity functions, each declaring what it is, and the checker that tries to refute it."""

from budgetree.impurity.admissible import Counterexample, check_admissible
from budgetree.impurity.base import Form, Impurity
from budgetree.impurity.functions import (
    Entropy,
    Gini,
    HingedPairs,
    HingedProduct,
    ObjectPairs,
    Pairs,
    Polynomial,
    Powers,
)

__all__ = [
    "Counterexample", "Entropy", "Form", "Gini", "HingedPairs", "HingedProduct", "Impurity", "ObjectPairs", "Pairs",
    "Polynomial", "Powers", "check_admissible",
]  # fmt: skip
