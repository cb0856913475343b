"""Basis: what the model sees of an outcome."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgetree.learn.predictive.basis import bases_of, make_basis
from budgetree.problem import Instance

from .tables import random_instance, seeds


@given(seeds)
def test_columns_are_centred_on_the_known_cases(seed: int) -> None:
    instance = random_instance(seed)
    for test, basis in enumerate(bases_of(instance)):
        assert basis.values[instance.codes[:, test]].mean(axis=0) == pytest.approx(np.zeros(basis.width), abs=1e-9)
        assert basis.missing == instance.schema.unknown(test)


@given(seeds, st.booleans())
def test_a_result_that_is_not_known_is_the_average_of_those_that_are(seed: int, is_nominal: bool) -> None:
    cases = np.random.default_rng(seed).integers(0, 4, 20).astype(float)
    cases[:2] += 1
    values = None if is_nominal else np.arange(19.0)
    with_blanks, without = make_basis(cases, values, 19), make_basis(cases[:19], values)
    assert (with_blanks.values[19] == 0).all()
    assert with_blanks.values[:19] == pytest.approx(without.values)


def test_a_number_of_many_values_has_five_columns_of_deviation_one_half() -> None:
    basis = make_basis(np.ones(100), np.arange(100.0))
    assert basis.width == 5
    assert basis.values.std(axis=0) == pytest.approx(np.full(5, 0.5))
    assert basis.is_ordered


@pytest.mark.parametrize(("n_values", "width"), [(1, 0), (2, 1), (3, 3), (8, 8), (9, 5)])
def test_few_values_get_indicators(n_values: int, width: int) -> None:
    assert make_basis(np.full(n_values, 5.0), np.arange(float(n_values))).width == width


def test_a_nominal_outcome_has_an_indicator_unless_it_is_the_commonest() -> None:
    basis = make_basis(np.array([5.0, 9, 0, 1]), None)
    assert (basis.values - basis.values[1]).tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]  # no case has outcome 2


@pytest.mark.parametrize(("n_missing", "width"), [(2, 5), (3, 6)])
def test_a_blank_that_is_a_result_is_the_median_with_an_indicator_of_three(n_missing: int, width: int) -> None:
    basis = make_basis(np.r_[np.ones(99), n_missing], np.arange(99.0))
    assert basis.width == width
    assert basis.missing is None
    assert (basis.values[99, :5] == basis.values[49, :5]).all()


@given(seeds)
def test_a_weight_is_as_many_cases(seed: int) -> None:
    cases = np.random.default_rng(seed).integers(0, 4, 20).astype(float)
    cases[0] += 1
    values = np.sort(np.random.default_rng(seed).normal(size=20))
    rows = np.repeat(values, cases.astype(int))
    z = np.clip((values - rows.mean()) / rows.std(), -3, 3) if rows.std() > 0 else values * 0
    basis = make_basis(cases, values)
    if basis.width:
        scaled = np.repeat(basis.values[:, 0], cases.astype(int))
        assert np.corrcoef(scaled, np.repeat(z, cases.astype(int)))[0, 1] == pytest.approx(1)


def test_outcomes_of_an_instance_of_codes_are_nominal() -> None:
    assert not any(basis.is_ordered for basis in bases_of(Instance([[0, 2], [1, 0], [1, 1]], [0, 1, 1])))
