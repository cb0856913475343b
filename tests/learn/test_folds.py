"""folds: stratified, grouped, and the same for everyone who asks."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.learn import validation
from budgetree.learn.validation import NEVER_HELD_OUT, deal, group_numbers, make_folds


def test_every_class_is_spread_evenly() -> None:
    labels = np.repeat([0, 1, 2], [50, 13, 7])
    found = make_folds(labels, 5)
    for label in range(3):
        sizes = np.bincount(found[labels == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(found, minlength=5)
    assert sizes.max() - sizes.min() <= 1


def test_without_an_order_rows_are_dealt_as_they_come() -> None:
    assert deal(np.array([1, 0, 1, 1, 0]), 3).tolist() == [2, 0, 0, 1, 1]


def test_the_seed_alone_decides() -> None:
    labels = np.arange(40) % 3
    assert (make_folds(labels, 4) == make_folds(labels, 4)).all()
    assert (make_folds(labels, 4) != make_folds(labels, 4, seed=1)).any()


def test_rows_of_a_group_stay_together_and_classes_are_spread() -> None:
    generator = np.random.default_rng(3)
    groups = generator.integers(0, 60, 400)
    labels = (groups % 4 == 0).astype(int)  # a group is of one class, a quarter of them of the rarer
    found = make_folds(labels, 5, groups=groups.tolist())
    assert all(len(set(found[groups == group])) == 1 for group in set(groups.tolist()))
    share = [labels[found == fold].mean() for fold in range(5)]
    assert max(share) - min(share) < 0.1


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_no_fold_is_empty_where_every_group_has_a_class_of_its_own(n_folds: int) -> None:
    labels = np.repeat(np.arange(5), 4)
    assert set(make_folds(labels, n_folds, groups=labels.tolist()).tolist()) == set(range(n_folds))


def test_groups_may_be_of_several_types() -> None:
    assert group_numbers(["a", 1, "a", (2, 3), 1.0]).tolist() == [0, 1, 0, 2, 1]


@pytest.mark.parametrize("n_folds", [2, 10])
def test_of_a_large_table_one_fifth_is_held_out(n_folds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "HOLD_OUT_FROM", 1000)
    labels = np.arange(1000) % 2
    found = make_folds(labels, n_folds)
    assert set(found.tolist()) == {0, NEVER_HELD_OUT}
    assert (found == 0).sum() == 200
    grouped = make_folds(labels, n_folds, groups=(np.arange(1000) // 10).tolist())
    assert 150 <= (grouped == 0).sum() <= 250
