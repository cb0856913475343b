"""folds: stratified, grouped, and the same for everyone who asks."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.learn import validation
from budgetree.learn.validation import NEVER_HELD_OUT, deal, group_numbers, make_folds


def test_every_class_is_spread_evenly() -> None:
    labels = np.repeat([0, 1, 2], [50, 13, 7])
    found = make_folds(labels, 5, np.arange(70))
    for label in range(3):
        sizes = np.bincount(found[labels == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(found, minlength=5)
    assert sizes.max() - sizes.min() <= 1


def test_where_a_row_stands_does_not_matter() -> None:
    ranks = np.random.default_rng(1).permutation(40)
    found = make_folds(ranks % 3, 4, ranks)
    assert (found == make_folds(np.arange(40) % 3, 4, np.arange(40))[ranks]).all()


def test_rows_that_are_all_equal_are_spread_evenly() -> None:
    assert np.bincount(deal(np.zeros(50, dtype=int), 5, np.zeros(50, dtype=int))).tolist() == [10] * 5


@pytest.mark.parametrize("grouped", [False, True])
def test_of_noise_half_is_expected_to_be_wrong(grouped: bool) -> None:
    """Rows that are equal are neither all in one fold nor as frequent in one as in the next."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(100):
        tests, labels = rng.integers(0, 8, 200), rng.integers(0, 2, 200)
        folds = make_folds(labels, 5, tests * 2 + labels, groups=list(range(200)) if grouped else None)
        for fold in range(5):
            votes = np.zeros((8, 2))
            np.add.at(votes, (tests[folds != fold], labels[folds != fold]), 1)
            shares.append((votes.argmax(axis=1)[tests[folds == fold]] != labels[folds == fold]).mean())
    assert np.mean(shares) == pytest.approx(0.5, abs=0.02)


def test_rows_of_a_group_stay_together_and_classes_are_spread() -> None:
    generator = np.random.default_rng(3)
    groups = generator.integers(0, 60, 400)
    labels = (groups % 4 == 0).astype(int)  # a group is of one class, a quarter of them of the rarer
    found = make_folds(labels, 5, np.arange(400), groups=groups.tolist())
    assert all(len(set(found[groups == group])) == 1 for group in set(groups.tolist()))
    share = [labels[found == fold].mean() for fold in range(5)]
    assert max(share) - min(share) < 0.1


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_no_fold_is_empty_where_every_group_has_a_class_of_its_own(n_folds: int) -> None:
    labels = np.repeat(np.arange(5), 4)
    assert set(make_folds(labels, n_folds, np.arange(20), groups=labels.tolist()).tolist()) == set(range(n_folds))


def test_groups_may_be_of_several_types() -> None:
    found = group_numbers(["a", 1, "a", (2, 3), 1.0], np.arange(5)).tolist()
    assert (found[0], found[1], len(set(found))) == (found[2], found[4], 3)


@pytest.mark.parametrize("n_folds", [2, 10])
def test_of_a_large_table_one_fifth_is_held_out(n_folds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "HOLD_OUT_FROM", 1000)
    labels = np.arange(1000) % 2
    found = make_folds(labels, n_folds, np.arange(1000))
    assert set(found.tolist()) == {0, NEVER_HELD_OUT}
    assert (found == 0).sum() == 200
    grouped = make_folds(labels, n_folds, np.arange(1000), groups=(np.arange(1000) // 10).tolist())
    assert 150 <= (grouped == 0).sum() <= 250
