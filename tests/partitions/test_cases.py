"""DistributedCases: what verbs ask of all cases, answered as an Instance does."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from support import random_cases

import budgetree as bt
from _support.refusals import refused
from budgetree.distributed.partition import Step
from budgetree.errors import SettingError
from sharding import sharded


def test_totals_are_those_of_the_instance() -> None:
    instance = random_cases((300, 5, 4), weighted=True)
    cases = sharded(instance, 7)
    assert repr(cases) == "LocalCases(300 cases, 5 tests, 4 classes)"
    assert cases.class_order.counts.tolist() == instance.class_order.counts.tolist()
    assert cases.class_order.n_cases == len(instance.class_order.order)
    assert cases.test_names == instance.test_names


@pytest.mark.parametrize("weighted", [False, True])
def test_outcomes_are_counted_over_all_partitions(weighted: bool) -> None:
    instance = random_cases((300, 5, 4), weighted=weighted)
    expected = [
        np.bincount(codes, weights=instance.weight_units, minlength=len(names)).tolist()
        for codes, names in zip(instance.codes.T, instance.outcome_names, strict=True)
    ]
    engine = sharded(instance, 7).engine(1)
    counts, _ = engine.advance(engine.start(), Step((), np.zeros(1, dtype=np.int32), 1))
    found = np.split(counts[0].sum(axis=1), np.cumsum(instance.schema.n_outcomes)[:-1])
    assert [one.tolist() for one in found] == expected


def test_classes_can_count_otherwise() -> None:
    instance = random_cases((300, 5, 4), weighted=False)
    cases = sharded(instance, 3)
    weighted = cases.weighted_by_class(np.array([1, 2, 3, 4]))
    assert (weighted.class_order.counts == instance.class_order.counts * [1, 2, 3, 4]).all()
    assert cases.factors is None
    assert weighted.origin is cases.origin


def test_other_verbs_say_what_they_need() -> None:
    cases: Any = sharded(random_cases((30, 3, 2), weighted=False), 2)
    curve = partial(bt.tradeoff, impurity=bt.Pairs())
    for verb in (partial(bt.optimal, budget=1), curve):
        with refused(SettingError, subject="instance"):
            verb(cases)
