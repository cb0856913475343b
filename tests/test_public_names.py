"""What the package promises: its names, and that importing it stays cheap."""

from __future__ import annotations

import os
import subprocess
import sys

import budgetree as bt

PROMISED = {
    "Instance", "Prices", "Tree", "grow", "check_admissible", "datasets", "Impurity",
    "Pairs", "Powers", "Polynomial", "HingedPairs", "HingedProduct", "Gini", "Entropy",
    "Counterexample", "ModelFileError", "__version__", "Frontier", "frontier", "tradeoff",
    "optimal", "Solution", "certify", "Certificate", "CertificateError", "Consultation", "BudgetTreeClassifier",
    "plot_frontier", "plot_tree", "ObjectPairs", "predictive", "Losses", "Reading", "Shards",
}  # fmt: skip


def test_the_public_names() -> None:
    assert set(bt.__all__) == PROMISED
    assert all(hasattr(bt, name) for name in bt.__all__)


def run(script: str, **environment: str) -> str:
    command, env = [sys.executable, "-c", script], os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout.strip()


def test_without_the_core_the_plain_twins_answer_the_same() -> None:
    script = """
import budgetree as bt
from budgetree.core import core
instance = bt.datasets.load("figure1")
frontier = bt.frontier(instance, method="greedy", folds=0)
print(core is None, bt.grow(instance).to_text(), [(p.max_cost, p.errors) for p in frontier])
"""
    plain = run(script, BUDGETREE_PLAIN="1")
    assert plain.startswith("True")
    assert run(script, BUDGETREE_PLAIN="0").removeprefix("False").removeprefix("True") == plain.removeprefix("True")
