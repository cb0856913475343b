"""Ridge: honest probabilities without refits, by the core and by its reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from _support.reference_ridge import ReferenceSolver, design_of, softmax
from budgetree._native import core
from budgetree.learn.predictive.basis import Basis, make_basis
from budgetree.learn.predictive.ridge import Models, Solver
from budgetree.learn.predictive.sample import Cases
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.tree.leaves import SCORE_UNIT

from .tables import random_instance, seeds

SETS = [(), (0,), (3,), (0, 1), (2, 3, 4), (0, 1, 2, 3, 4)]
forever = Clock(None)


def without(cases: Cases, row: int) -> Cases:
    kept = np.arange(cases.n_cases) != row
    return Cases(cases.codes[kept], cases.labels[kept], cases.weights[kept], cases.n_classes, cases.bases)


@pytest.mark.parametrize(
    ("n_classes", "mean", "share", "weight"), [(2, 0.005, 0.1, 1), (3, 0.02, 0.5, 1), (2, 0.01, 0.1, 3)]
)
def test_honest_probabilities_are_those_of_refits_to_first_order(
    n_classes: int, mean: float, share: float, weight: int
) -> None:
    cases = Cases.of(random_instance(3, n_cases=50, n_classes=n_classes))
    weights = np.where(np.arange(50) % 2, float(weight), 1.0)  # a case is left out with all its weight
    cases = Cases(cases.codes, cases.labels, weights, *list_rest(cases))
    honest = ReferenceSolver(cases).honest((0, 2, 3))
    refits = np.empty_like(honest)
    for row in range(cases.n_cases):
        coefficients, _ = ReferenceSolver(without(cases, row)).fit([(0, 2, 3)], forever)  # type: ignore[misc]
        refits[row] = softmax(design_of(cases, (0, 2, 3))[row : row + 1] @ coefficients[0].T)
    # One Newton step; with three classes of one class's block alone, which goes a little too far.
    assert np.abs(honest - refits).max() < 0.06
    assert np.abs(honest - refits).mean() < mean
    fitted = Models(cases, forever).model((0, 2, 3))
    fitted = fitted.probabilities(fitted.totals.add_up(cases.codes))
    right = np.arange(cases.n_cases), cases.labels
    assert np.abs(honest - refits)[right].mean() < share * np.abs(fitted - refits)[right].mean()


@given(seeds, st.sampled_from([1, 2, 3, 5]))
@settings(max_examples=20)
def test_the_core_is_its_reference(seed: int, n_classes: int) -> None:
    cases = Cases.of(random_instance(seed, n_classes=n_classes))
    cases = Cases(cases.codes, cases.labels, np.random.default_rng(seed).random(60) * 3 + 0.1, *list_rest(cases))
    native, plain = Solver(cases).fit(SETS, forever), ReferenceSolver(cases).fit(SETS, forever)
    assert native is not None
    assert plain is not None
    for mine, reference in zip(native[0], plain[0], strict=True):
        assert mine == pytest.approx(reference, abs=1e-7)
    assert native[1] == pytest.approx(plain[1], abs=1e-5)
    for tests in SETS:
        assert Solver(cases).honest(tests)[1] == pytest.approx(ReferenceSolver(cases).honest(tests), abs=1e-7)


def list_rest(cases: Cases) -> tuple[int, tuple[Basis, ...]]:
    return cases.n_classes, cases.bases


def test_threads_change_no_number() -> None:
    cases = Cases.of(random_instance(1))
    one, three = Solver(cases, 1).fit(SETS, forever), Solver(cases, 3).fit(SETS, forever)
    assert one is not None
    assert three is not None
    assert (one[1] == three[1]).all()
    assert all((a == b).all() for a, b in zip(one[0], three[0], strict=True))


@pytest.mark.parametrize("solver", [ReferenceSolver, Solver])
def test_a_weight_is_as_many_cases(solver: type) -> None:
    whole = Cases.of(random_instance(5))
    times = np.random.default_rng(0).integers(1, 4, whole.n_cases)
    rows = np.repeat(np.arange(whole.n_cases), times)
    weighted = Cases(whole.codes, whole.labels, times.astype(float), whole.n_classes, whole.bases)
    copied = Cases(whole.codes[rows], whole.labels[rows], np.ones(len(rows)), whole.n_classes, whole.bases)
    by_weight, by_copies = (solver(cases).fit(SETS, forever) for cases in (weighted, copied))
    for a, b in zip(by_weight[0], by_copies[0], strict=True):
        assert a == pytest.approx(b, abs=1e-8)


@pytest.mark.parametrize("solver", [ReferenceSolver, Solver])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_separated_rare_and_absent_classes_stay_finite(solver: type, n_classes: int) -> None:
    codes = np.r_[np.zeros(30), np.ones(30), 2].astype(np.uint8)[:, None]
    labels = np.minimum(codes[:, 0], n_classes - 1).astype(np.int64)  # of four classes one has no case, one has one
    basis = make_basis(np.bincount(codes[:, 0]).astype(float), None)
    cases = Cases(np.hstack([codes, codes]), labels, np.ones(61), n_classes, (basis, basis))  # the same test twice
    coefficients, losses = solver(cases).fit([(0,), (0, 1)], forever)
    assert all(np.isfinite(part).all() for part in coefficients)
    assert np.isfinite(losses).all()
    assert losses[:, :60].max() < 0.1  # told apart
    if n_classes > 2:
        assert losses[:, 60].min() > 0.5  # the only case of its class: left out, it is not guessed


def test_a_test_without_columns_adds_nothing() -> None:
    cases = Cases.of(random_instance(2))
    constant = make_basis(np.array([60.0]), None)
    codes = np.hstack([cases.codes, np.zeros((60, 1), dtype=np.uint8)])
    wider = Models(Cases(codes, cases.labels, cases.weights, cases.n_classes, (*cases.bases, constant)), forever)
    assert (wider.loss((0, 5)) == wider.loss((0,))).all()


def test_the_scores_are_a_sum_of_tables() -> None:
    models = Models(Cases.of(random_instance(4)), forever)
    cases, model = models.cases, models.model((0, 3))
    tables, intercept = model.totals.points, model.totals.intercept
    scores = intercept + tables[0][cases.codes[:, 0]] + tables[1][cases.codes[:, 3]]
    totals = model.totals.add_up(cases.codes)
    assert totals.tolist() == scores.tolist()
    assert model.probabilities(totals) == pytest.approx(softmax(scores / SCORE_UNIT))
    unknown = np.full((1, 5), 255, dtype=np.uint8)
    assert model.totals.add_up(unknown)[0].tolist() == intercept.tolist()  # as the average case


def test_no_model_is_fitted_when_the_time_is_over_but_the_share_of_the_classes_is_known() -> None:
    models = Models(Cases.of(random_instance(4)), Clock(0))
    with pytest.raises(OutOfTimeError):
        models.loss((0,))
    assert models.model(()).totals.add_up(models.cases.codes).shape == (60, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.full((2, 4), 3, dtype=np.uint8)}, "codes: expected outcomes that have a row"),
        ({"codes": np.zeros((3, 4), dtype=np.uint8)}, "codes: expected one row per test"),
        ({"labels": np.array([0, 1, 2, 0], dtype=np.int32)}, "labels: expected numbers below n_classes"),
        ({"weights": np.array([1.0, 0, 1, 1])}, "weights: expected numbers above 0"),
        ({"weights": np.ones(3)}, "weights: expected one per case"),
    ],
)
def test_the_core_refuses_what_it_could_not_look_up(change: dict[str, object], message: str) -> None:
    given: dict[str, object] = {
        "codes": np.zeros((2, 4), dtype=np.uint8),
        "labels": np.array([0, 1, 0, 1], dtype=np.int32),
        "weights": np.ones(4),
        "bases": [np.zeros((2, 1)), np.zeros((3, 2))],
        "n_classes": 2,
    }
    core.Ridge(**given)
    with pytest.raises(ValueError, match=message):
        core.Ridge(**given | change)
    with pytest.raises(ValueError, match="expected numbers of tests"):
        core.Ridge(**given).fit([[2]], 1, core.Clock())
