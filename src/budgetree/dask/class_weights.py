"""class_weight on a cluster: what each class weighs in all partitions, and each row's weight times its class's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from dask.delayed import delayed
from distributed import Client
from numpy.typing import NDArray

from budgetree.dask.cluster import results
from budgetree.dask.partitions import Partitions, label_codes
from budgetree.data.column import Coded, sort_key
from budgetree.estimator.training import class_factors, class_totals


def weighted_by_class(client: Client, partitions: Partitions, class_weight: Any) -> Partitions:
    """The same rows, which count by their class, too; their labels and weights are read for it."""
    rows = [part[1:] for part in partitions.parts]
    totals: dict[Any, Fraction] = {}
    for found in results(client, client.compute([delayed(_totals)(part) for part in rows])):
        for label, total in found.items():
            totals[label] = totals.get(label, Fraction(0)) + total
    classes = sorted(totals, key=sort_key)
    factors = class_factors(classes, [totals[label] for label in classes], class_weight)
    by_class = dict(zip(classes, factors.tolist(), strict=True))
    parts = [(*part[:2], delayed(_weighted)(part[1:], by_class)) for part in partitions.parts]
    return replace(partitions, parts=parts)


def _totals(rows: Sequence[Any]) -> dict[Any, Fraction]:
    """What each class weighs in a partition."""
    labels, weights = _labelled(rows)
    if len(labels) != len(weights) or not _are_weights(weights).all():
        return {}  # which is refused when all of it is read
    present = labels.positions >= 0
    totals = class_totals(labels.positions[present], weights[present], len(labels.distinct))
    return dict(zip(labels.distinct, totals, strict=True))


def _weighted(rows: Sequence[Any], by_class: Mapping[Any, float]) -> NDArray[np.float64]:
    """The weights of a partition; those that are none stay as they are, to be named when they are refused."""
    labels, weights = _labelled(rows)
    if len(labels) != len(weights):
        return weights
    factors = np.array([by_class.get(label, 1.0) for label in labels.distinct], dtype=np.float64)
    return np.where(_are_weights(weights), weights * labels.look_up(factors, 1.0), weights)


def _labelled(rows: Sequence[Any]) -> tuple[Coded, NDArray[np.float64]]:
    labels = label_codes(rows[0])
    weights = np.ones(len(labels)) if len(rows) < 2 else np.asarray(rows[1], dtype=np.float64).ravel()
    return labels, weights


def _are_weights(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isfinite(weights) & (weights >= 0)
