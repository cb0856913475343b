"""The sample: some of the cases, drawn by what they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import budgetree as bt
from budgetree.learn.predictive.sample import N_FOLDS, draw

from .tables import instance_of, random_columns, random_instance, seeds


@given(seeds)
@settings(max_examples=20)
def test_permuted_rows_are_drawn_alike(seed: int) -> None:
    columns, order = random_columns(seed, 80), np.random.default_rng(seed).permutation(80)
    shuffled = [
        type(column)(
            column.name,
            column.dtype,
            numbers=None if column.numbers is None else column.numbers[order],
            values=None if column.values is None else [column.values[k] for k in order],
        )
        for column in columns
    ]
    one, other = (draw(instance_of(each, "class"), max_cases=50) for each in (columns, shuffled))
    assert one.codes.tolist() == other.codes.tolist()
    assert one.labels.tolist() == other.labels.tolist()
    assert one.folds.tolist() == other.folds.tolist()


def test_other_weights_are_kept_and_cases_of_none_left_out() -> None:
    instance = bt.Instance([[0], [1], [1], [0]], [0, 1, 0, 1], weights=[0.5, 0, 2, 1])
    sample = draw(instance)
    assert sorted(sample.weights.tolist()) == [0.5, 1, 2]
    assert sample.n_cases == 3
    assert (instance.labels[sample.positions] == sample.labels).all()
    assert (sample.codes == instance.codes[sample.positions].T).all()


def test_the_first_cases_are_a_random_sample() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000)
    instance = bt.Instance(np.column_stack([labels, rng.integers(0, 200, 4000)]), labels)
    sample = draw(instance, max_cases=1000)
    assert sample.n_cases == 1000
    assert sample.labels.mean() == pytest.approx(labels.mean(), abs=0.05)
    assert sample.codes[1].mean() == pytest.approx(instance.codes[:, 1].mean(), abs=6)


def test_groups_share_a_fold() -> None:
    instance = random_instance(4, n_cases=90)
    groups = np.random.default_rng(1).integers(0, 20, 90)
    sample = draw(instance, groups)
    for group in range(20):
        assert len(set(sample.folds[groups[sample.positions] == group].tolist())) <= 1
    assert set(sample.folds.tolist()) == set(range(N_FOLDS))
