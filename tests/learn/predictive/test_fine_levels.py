"""Fine levels: numbers keep what they say, and new ones always have a place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.column import Column
from budgetree.data.encoders import MAX_LEVELS, UNSEEN, fit_fine_levels
from budgetree.data.table import Table
from budgetree.learn.predictive.fit import fine_instance
from budgetree.services.clock import Clock, OutOfTimeError

from .tables import instance_of

numbers = st.floats(-1e6, 1e6, allow_nan=False)


def column(values: object) -> Column:
    return Column("x", "float", numbers=np.asarray(values, dtype=np.float64))


@given(st.lists(numbers, min_size=1, max_size=50))
def test_every_value_has_a_level_of_its_own_while_they_are_few(values: list[float]) -> None:
    levels = fit_fine_levels(column(values))
    distinct = np.unique(values)
    assert levels.encode(column(distinct)).tolist() == list(range(len(distinct)))
    assert levels.values == pytest.approx(distinct.tolist())


@given(st.lists(numbers, min_size=1, max_size=50), st.lists(numbers, max_size=20))
def test_a_new_number_is_at_the_level_of_a_neighbour(values: list[float], new: list[float]) -> None:
    levels = fit_fine_levels(column(values))
    distinct = np.unique(values)
    for value, code in zip(new, levels.encode(column(new)), strict=True):
        above = int(np.searchsorted(distinct, value))  # the first that is not below it
        assert code in (max(above - 1, 0), min(above, len(distinct) - 1))


def test_many_values_share_levels_of_about_as_many_cases() -> None:
    values = np.random.default_rng(0).lognormal(size=20_000)
    levels = fit_fine_levels(column(values))
    count = np.bincount(levels.encode(column(values)))
    assert len(count) == len(levels.values) == MAX_LEVELS
    assert count.max() <= 2 * count.min()
    assert list(levels.values) == sorted(levels.values)


def test_one_value_that_most_cases_have_is_a_level_of_its_own() -> None:
    values = np.r_[np.zeros(5_000), np.random.default_rng(0).normal(5, 1, 5_000)]
    levels = fit_fine_levels(column(values))
    codes = levels.encode(column(values))
    assert (codes[:5_000] == codes[0]).all()
    assert 100 < len(levels.values) <= MAX_LEVELS


def test_missing_is_an_outcome_where_it_was_known_and_unseen_elsewhere() -> None:
    assert fit_fine_levels(column([1, 2, np.nan])).encode(column([np.nan])).tolist() == [2]
    assert fit_fine_levels(column([1, 2])).encode(column([np.nan])).tolist() == [UNSEEN]


def test_outcomes_have_names_that_differ() -> None:
    levels = fit_fine_levels(column([1, 1 + 1e-9, 1 + 2e-9, 2]))
    assert len(set(levels.outcome_names)) == 4
    assert fit_fine_levels(column([1, 2, 4])).outcome_names == ("below 2", "2 to 4", "4 or more")


def test_a_test_priced_by_outcome_keeps_the_outcomes_that_its_prices_name() -> None:
    columns = [column(np.arange(40)), Column("y", "text", values=["a", "b"] * 20)]
    names = bt.Instance.from_table(Table("frame", tuple(columns), 40), "y").outcome_names[0]
    instance = instance_of(columns, "y", prices={"x": {name: 1 + at for at, name in enumerate(names)}})
    assert instance.outcome_names[0] == names
    assert len(instance_of(columns, "y").outcome_names[0]) == 40


def test_fine_levels_are_not_begun_that_would_take_most_of_the_time() -> None:
    columns = [column(np.arange(40)), Column("y", "text", values=["a", "b"] * 20)]
    instance = bt.Instance.from_table(Table("frame", tuple(columns), 40), "y")
    assert fine_instance(instance, Clock(None)).schema.n_outcomes.tolist() == [40]
    assert fine_instance(instance, Clock(60)).schema.n_outcomes.tolist() == [40]
    with pytest.raises(OutOfTimeError):
        fine_instance(instance, Clock(0))


def test_text_where_numbers_were_is_refused() -> None:
    with pytest.raises(ValueError, match="was numeric when it was learned"):
        fit_fine_levels(column([1, 2])).encode(Column("x", "text", values=["a"]))
