"""HeldOut: a mean with its standard error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from budgetree.learn.validation import HeldOut


def test_equal_rows_give_the_binomial_standard_error() -> None:
    wrong = np.arange(400) % 4 == 0
    found = HeldOut(np.ones(400)).error(wrong)
    assert found.error == 0.25
    assert found.se == pytest.approx(np.sqrt(0.25 * 0.75 / 400), rel=0.01)


def test_a_tree_without_errors_is_not_sure_to_have_none() -> None:
    found = HeldOut(np.ones(50)).error(np.zeros(50, dtype=bool))
    assert found.error == 0
    assert 0.01 < found.se < 0.04


def test_weights_count_and_the_unit_of_weight_does_not() -> None:
    wrong, weights = np.array([True, False, False]), np.array([2.0, 1.0, 1.0])
    assert HeldOut(weights).error(wrong).error == 0.5
    assert HeldOut(10 * weights).error(wrong) == HeldOut(weights).error(wrong)


def test_rows_that_are_wrong_together_are_one_draw() -> None:
    groups = np.repeat(np.arange(40), 10)
    together, apart = groups % 4 == 0, np.arange(400) % 4 == 0
    as_groups = HeldOut(np.ones(40)).error(groups[::10] % 4 == 0)
    assert HeldOut(np.ones(400), groups).error(together).se == pytest.approx(as_groups.se, rel=0.05)
    assert HeldOut(np.ones(400), groups).error(apart).se == pytest.approx(
        HeldOut(np.ones(400)).error(apart).se, rel=0.05
    )


def test_few_rows_to_learn_from_make_the_error_less_sure() -> None:
    wrong, weights = np.arange(400) % 4 == 0, np.ones(400)
    held_out_alone = HeldOut(weights).error(wrong)
    in_five_folds = HeldOut(weights, learned_from=320.0).error(wrong)
    assert in_five_folds.error == held_out_alone.error
    assert in_five_folds.se == pytest.approx(1.5 * held_out_alone.se)


def test_losses_of_zero_and_one_are_errors() -> None:
    rng = np.random.default_rng(1)
    wrong, groups = rng.random(300) < 0.2, rng.integers(0, 40, 300)
    for held_out in (HeldOut(rng.random(300)), HeldOut(np.ones(300), groups, 900.0)):
        error, loss = held_out.error(wrong), held_out.loss(wrong.astype(float), 1.0)
        assert (loss.loss, loss.se) == pytest.approx((error.error, error.se))


def test_the_standard_error_of_a_mean_loss_is_that_of_its_rows() -> None:
    lost = np.tile([0.0, 0.0, 1.0, 50.0], 500)
    found = HeldOut(np.ones(2000)).loss(lost, 50.0)
    assert found.loss == pytest.approx(lost.mean())
    assert found.se == pytest.approx(lost.std() / np.sqrt(2000), rel=0.01)
    assert HeldOut(np.ones(50)).loss(np.zeros(50), 50.0).se > 0.9  # a miss may still come


def test_budgets_are_compared_by_a_paired_t_test() -> None:
    rng = np.random.default_rng(5)
    hard = rng.random(3000)
    lost = np.array([(hard + noise * rng.random(3000) > 0.8).astype(float) for noise in (0.0, 0.1, 0.3)])
    found = HeldOut(np.ones(3000)).advantages(lost, 1.0)
    for first in range(3):
        for second in range(3):
            expected = stats.ttest_rel(lost[first], lost[second]).statistic if first != second else 0
            assert found[first, second] == pytest.approx(expected, rel=0.02)
    assert np.allclose(HeldOut(np.full(3000, 7.0)).advantages(lost, 1.0), found)
    assert HeldOut(np.ones(3000), learned_from=2400.0).advantages(lost, 1.0) == pytest.approx(found / 1.5)


def test_groups_of_rows_are_compared_as_one() -> None:
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(200), 5)
    of_groups = (rng.random((2, 200)) < [[0.4], [0.3]]).astype(float)
    found = HeldOut(np.ones(1000), groups).advantages(of_groups[:, groups], 1.0)
    assert found[0, 1] == pytest.approx(stats.ttest_rel(*of_groups).statistic, rel=0.02)


@pytest.mark.parametrize("n_better", [0, 1, 2])
def test_one_or_two_rows_are_no_evidence(n_better: int) -> None:
    lost = np.zeros((2, 5000))
    lost[0, :n_better] = 1
    assert abs(HeldOut(np.ones(5000), learned_from=4000.0).advantages(lost, 1.0)[0, 1]) < 1
