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


def loss_of_pystreed(instance: bt.Instance, depth: int, min_cases: int) -> int:
    """By its task with a cost for each case and answer, in loss units."""
    solver = pystreed.STreeDInstanceCostSensitiveClassifier(
        max_depth=depth, max_num_nodes=2**depth - 1, min_leaf_node_size=min_cases, time_limit=PATIENCE
    )
    codes, costs = instance.codes.astype(np.intc), instance.schema.loss_table.units[instance.labels].astype(float)
    solver.fit(codes, costs)
    assert solver.fit_result.is_optimal(), "pystreed ran out of time"
    return int(costs[np.arange(len(codes)), solver.predict(codes).astype(int)].sum())


@pytest.mark.parametrize("min_cases", [1, 4])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_as_little_loss_as_pystreed(seed: int, depth: int, min_cases: int) -> None:
    plain = random_instance(seed)
    rng = np.random.default_rng(seed)
    losses = rng.integers(1, 12, (plain.n_classes, plain.n_classes)) * (1 - np.eye(plain.n_classes, dtype=int))
    extra = {"refer": rng.integers(1, 4, plain.n_classes).tolist()} if seed % 2 else None
    instance = bt.Instance(
        plain.codes, plain.labels, class_names=plain.class_names, losses=bt.Losses(losses, answers=extra)
    )
    found = bt.optimal(instance, budget=depth, min_cases=min_cases)
    assert found.proven
    units = found.tree.exact_loss * instance.schema.loss_table.scale
    assert units == loss_of_pystreed(instance, depth, min_cases)
