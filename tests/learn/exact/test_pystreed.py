"""The exact search against pystreed, another optimal solver that shares no code with ours.

pystreed knows binary tests of one price only: there a tree within budget d is a tree of depth d.
"""

from __future__ import annotations

import numpy as np
import pytest

import budgetree as bt

# pystreed brings a compiled part and scikit-survival with it, and either may be missing for a platform.
pystreed = pytest.importorskip(
    "pystreed", reason="pystreed, the optimal solver to compare with, is not installed", exc_type=ImportError
)

PATIENCE = 60  # seconds for a tree; the slowest takes a fraction of one


def random_instance(seed: int) -> bt.Instance:
    """A binary table, sparse, dense or mixed, whose labels are somewhere between a rule and pure noise."""
    rng = np.random.default_rng(seed)
    n_objects, n_tests, n_classes = int(rng.integers(30, 201)), int(rng.integers(5, 16)), 2 + seed % 3
    density = rng.uniform(*np.sort(rng.random(2)), n_tests)
    codes = (rng.random((n_objects, n_tests)) < density).astype(np.uint8)
    rule = codes[:, :5] @ rng.integers(1, 6, 5)
    noise = rng.integers(0, n_classes, n_objects)
    labels = np.where(rng.random(n_objects) < rng.random(), noise, rule % n_classes)
    return bt.Instance(codes, labels, class_names=range(n_classes))


def errors_of_pystreed(instance: bt.Instance, depth: int) -> int:
    # Left to its defaults pystreed optimises accuracy alone: it charges nothing for a node, asks one object of a leaf,
    # and takes columns of 0 and 1 as they are.
    solver = pystreed.STreeDClassifier(max_depth=depth, max_num_nodes=2**depth - 1, time_limit=PATIENCE)
    codes = instance.codes.astype(np.intc)
    solver.fit(codes, instance.labels)
    assert solver.fit_result.is_optimal(), "pystreed ran out of time"
    return int((solver.predict(codes) != instance.labels).sum())


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_as_few_errors_as_pystreed(seed: int, depth: int) -> None:
    instance = random_instance(seed)
    found = bt.optimal(instance, budget=depth)
    assert found.proven
    assert found.errors == errors_of_pystreed(instance, depth)
    assert found.lower_bound == found.errors
