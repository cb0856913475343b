"""What the package promises: its names, and that importing it stays cheap."""

from __future__ import annotations

import subprocess
import sys

import budgetree as bt

PROMISED = {
    "Instance", "Prices", "Tree", "grow", "check_admissible", "datasets", "Impurity",
    "Pairs", "Powers", "Polynomial", "HingedPairs", "HingedProduct", "Gini", "Entropy",
    "Counterexample", "ModelFileError", "warm_up", "__version__", "Frontier", "frontier", "tradeoff",
    "optimal", "Solution", "certify", "Certificate", "CertificateError", "Consultation", "BudgetTreeClassifier",
    "plot_frontier", "plot_tree", "ObjectPairs",
}  # fmt: skip


def test_the_public_names() -> None:
    assert set(bt.__all__) == PROMISED
    assert all(hasattr(bt, name) for name in bt.__all__)


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()


def test_small_data_never_wait_for_numba() -> None:
    script = "import sys, budgetree as bt; bt.grow(bt.datasets.load('dna')); print('numba' in sys.modules)"
    assert run(script) == "False"


def test_large_data_use_the_kernels_at_once() -> None:
    script = """
import sys, numpy as np, budgetree as bt
codes = np.random.default_rng(0).integers(0, 3, (50_000, 50))
bt.grow(bt.Instance(codes, codes[:, 0]), budget=2)
print('numba' in sys.modules)
"""
    assert run(script) == "True"


def test_after_enough_plain_work_the_kernels_take_over() -> None:
    script = """
import sys, budgetree as bt
from budgetree.learn import readiness
readiness.SECONDS_TO_LOAD = readiness.SECONDS_TO_COMPILE = 0.0
instance = bt.datasets.load("figure1")
first = bt.grow(instance)
loaded = 'numba' in sys.modules
print(loaded, first == bt.grow(instance), 'numba' in sys.modules)
"""
    assert run(script) == "False True True"


def test_warming_up_loads_the_kernels() -> None:
    assert run("import sys, budgetree as bt; bt.warm_up(); print('numba' in sys.modules)") == "True"
