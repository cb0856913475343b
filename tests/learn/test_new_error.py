"""new_error: a mean with an honest standard error."""

from __future__ import annotations

import numpy as np
import pytest

from budgetree.learn.new_error import CLI_REMEDY, error_of_rows, overfitted_words
from budgetree.tree.expected import NewError


def test_equal_rows_give_the_binomial_standard_error() -> None:
    wrong = np.arange(400) % 4 == 0
    found = error_of_rows(wrong, np.ones(400))
    assert found.error == 0.25
    assert found.se == pytest.approx(np.sqrt(0.25 * 0.75 / 400), rel=0.01)


def test_a_tree_without_errors_is_not_sure_to_have_none() -> None:
    found = error_of_rows(np.zeros(50, dtype=bool), np.ones(50))
    assert found.error == 0
    assert 0.01 < found.se < 0.04


def test_weights_count_and_the_unit_of_weight_does_not() -> None:
    wrong, weights = np.array([True, False, False]), np.array([2.0, 1.0, 1.0])
    assert error_of_rows(wrong, weights).error == 0.5
    assert error_of_rows(wrong, 10 * weights) == error_of_rows(wrong, weights)


def test_rows_that_are_wrong_together_are_one_draw() -> None:
    groups = np.repeat(np.arange(40), 10)
    together, apart = groups % 4 == 0, np.arange(400) % 4 == 0
    as_groups = error_of_rows(groups[::10] % 4 == 0, np.ones(40))
    assert error_of_rows(together, np.ones(400), groups).se == pytest.approx(as_groups.se, rel=0.05)
    assert error_of_rows(apart, np.ones(400), groups).se == pytest.approx(
        error_of_rows(apart, np.ones(400)).se, rel=0.05
    )


def test_overfitted_in_plain_words_with_the_remedy() -> None:
    words = overfitted_words(0.0, NewError(0.47, 0.04), CLI_REMEDY)
    assert words == (
        "known cases 0.0 % wrong, new cases about 47 % ± 4: overfitted; "
        "use --objective new, fewer levels or a smaller budget"
    )
    assert overfitted_words(0.4, NewError(0.47, 0.04)) == ""
    assert "about 1.5 % ± 0.2" in overfitted_words(0.0, NewError(0.015, 0.002))


def test_few_rows_to_learn_from_make_the_error_less_sure() -> None:
    wrong, weights = np.arange(400) % 4 == 0, np.ones(400)
    held_out_alone = error_of_rows(wrong, weights)
    in_five_folds = error_of_rows(wrong, weights, learned_from=320.0)
    assert in_five_folds.error == held_out_alone.error
    assert in_five_folds.se == pytest.approx(1.5 * held_out_alone.se)
