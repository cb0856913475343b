"""Instances in partitions, as tests cut them: anyhow, with empty ones among them and some of one class."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
from reference import random_problem
from support import to_instance

import budgetree as bt
from budgetree.distributed.cases import LocalCases
from budgetree.distributed.partition import SIZES, Partition, Sizes

PARTITIONS = (1, 2, 7, 50)


def cut(instance: bt.Instance, n_parts: int, *, by_class: bool = False) -> list[Partition]:
    """The cases that count, in so many partitions: at random, or each class apart."""
    kept = np.flatnonzero(instance.weight_units)
    labels = instance.labels[kept]
    part = labels % n_parts if by_class else np.random.default_rng(n_parts).integers(0, n_parts, len(kept))
    counts_once = bool((instance.weight_units[kept] == 1).all())
    return [
        Partition(
            np.ascontiguousarray(instance.codes[rows]),
            instance.labels[rows].astype(np.int32),
            None if counts_once else instance.weight_units[rows],
            instance.schema.n_outcomes.astype(np.int32),
            instance.n_classes,
        )
        for rows in (kept[part == number] for number in range(n_parts))
    ]


def sharded(instance: bt.Instance, n_parts: int, *, by_class: bool = False, sizes: Sizes = SIZES) -> LocalCases:
    partitions = cut(instance, n_parts, by_class=by_class)
    return LocalCases(instance.schema, partitions, instance.n_objects, sizes=sizes, drawn=partial(_given, instance))


def _given(instance: bt.Instance) -> bt.Instance:
    return instance


def random_instance(seed: int) -> bt.Instance:
    """With prices by outcome, shared fees and weights, some of which are 0."""
    return to_instance(random_problem(random.Random(seed), max_objects=60))
