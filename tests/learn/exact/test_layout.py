"""Layout: tests by price, cases by class, what no tree avoids; and advice where it would not fit."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest
from reference import random_problem
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TooLargeError
from budgetree.learn.exact import search as search_module
from budgetree.learn.exact.search import Layout


def test_a_layout_is_the_instance_in_another_order() -> None:
    for seed in range(40):
        instance = to_instance(random_problem(random.Random(seed)))
        layout = Layout(instance, 100)
        assert (np.diff(layout.labels) >= 0).all()
        assert (np.diff(layout.costs.costliest) >= 0).all()
        cases = instance.class_order.order
        assert (layout.codes == instance.codes[np.ix_(cases, layout.by_price)]).all()
        assert layout.weights.sum() == instance.weight_units.sum()


def test_unavoidable_is_what_a_vote_of_identical_cases_gets_wrong() -> None:
    for seed in range(40):
        layout = Layout(to_instance(random_problem(random.Random(seed), max_tests=2)), 100)
        votes: dict[bytes, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for codes, label, weight in zip(layout.codes, layout.labels, layout.weights, strict=True):
            votes[codes.tobytes()][int(label)] += int(weight)
        expected = sum(sum(group.values()) - max(group.values()) for group in votes.values())
        assert layout.unavoidable_loss == layout.unavoidable.sum() == expected
        assert set(layout.unavoidable - layout.weights) | {0} <= {0, *(-layout.weights)}
        assert layout.leaf_loss >= expected


def test_binary_is_two_outcomes_on_cases_that_count_once() -> None:
    codes, labels = [[0, 1], [1, 0], [1, 1]], [0, 1, 1]
    assert Layout(bt.Instance(codes, labels), 2).is_binary
    assert not Layout(bt.Instance(codes, labels, weights=[1, 2, 1]), 2).is_binary
    assert not Layout(bt.Instance([[0, 2], [1, 0], [1, 1]], labels), 2).is_binary


def test_a_table_beyond_the_memory_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "SHARE_OF_MEMORY", 1e-9)
    with refused(TooLargeError, subject="instance") as caught:
        bt.optimal(bt.datasets.load("dna"), budget=3)
    assert "Use a sample of the cases" in caught.value.message


def test_any_number_of_tests_is_searched() -> None:
    codes = np.zeros((4, 40_000), dtype=int)
    codes[:2, 39_998], codes[::2, 39_999] = 1, 1
    assert bt.optimal(bt.Instance(codes, [0, 1, 1, 0]), budget=2).errors == 0
