"""Class weights on a cluster: the weights of rows in memory, to the bit, however the rows are cut."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client
from sklearn.utils.class_weight import compute_sample_weight

from budgetree.dask.estimator import weighted_by_class
from budgetree.distributed.dask_cases import parts_of_columns

NAMES = ("y", "w")
CLASSES = np.array(["ill", "well", "unsure"])


def by_hand(labels: Any, weights: Any, class_weight: Any) -> list[float]:
    """As fractions, a row at a time."""
    totals = {label: sum(Fraction(w) for y, w in zip(labels, weights, strict=True) if y == label) for label in labels}
    total = sum(totals.values())
    factors = {
        label: class_weight.get(label, 1)
        if isinstance(class_weight, dict)
        else (float(total / (len(totals) * one)) if one else 0)
        for label, one in totals.items()
    }
    return [weight * factors[label] for label, weight in zip(labels, weights, strict=True)]


def weights_of(client: Client, labels: Any, weights: Any, class_weight: Any) -> list[float]:
    X = da.zeros((labels.shape[0], 1), chunks=(labels.chunks[0], 1))  # noqa: N806
    made = weighted_by_class(client, parts_of_columns(X, labels, weights, NAMES), class_weight)
    return np.concatenate(dask.compute(*(part[2] for part in made.parts()))).tolist()


@pytest.mark.parametrize("class_weight", ["balanced", {"ill": 3, "well": 0.1, "unsure": 1 / 3}])
def test_weights_do_not_depend_on_partitions(client: Client, class_weight: Any) -> None:
    rng = np.random.default_rng(7)
    for n_parts in (1, 2, 7, 50):
        labels, weights = rng.choice(CLASSES, 99), rng.random(99) * rng.choice([0, 1, 1e-9, 1e9], 99)
        size = -(-99 // n_parts)
        found = weights_of(client, da.from_array(labels, size), da.from_array(weights, size), class_weight)
        assert found == by_hand(labels.tolist(), weights.tolist(), class_weight)
        unweighted = weights_of(client, da.from_array(labels, size), None, class_weight)
        assert unweighted == compute_sample_weight(class_weight, labels).tolist()


def test_a_class_without_weight_counts_for_nothing(client: Client) -> None:
    labels, weights = da.from_array(np.array([0, 0, 1, 1]), 2), da.from_array(np.array([1e9, 3e9, 0, 0]), 2)
    assert weights_of(client, labels, weights, "balanced") == [5e8, 1.5e9, 0, 0]
