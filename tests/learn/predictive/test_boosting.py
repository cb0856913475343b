"""Boosted models: better than additive ones where results interact, judged on cases left out, within the time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.predictive import boosting
from budgetree.learn.predictive.boosting import BoostedModels, _scores
from budgetree.learn.predictive.sample import Cases
from budgetree.learn.predictive.select import brier
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock

from .tables import random_instance, seeds


def models_of(instance: bt.Instance, clock: Clock | None = None, threads: int = 1) -> BoostedModels:
    folds = deal(instance.labels, 5, instance.case_ranks)
    return BoostedModels(Cases.of(instance), folds, clock or Clock(None), threads)


def exclusive_or(n_cases: int = 400) -> bt.Instance:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (n_cases, 3))
    return bt.Instance(codes, codes[:, 0] ^ codes[:, 1] ^ (rng.random(n_cases) < 0.05))


def test_trees_find_what_a_sum_cannot() -> None:
    instance = exclusive_or()
    models = models_of(instance)
    boosted = brier(models.probabilities((0, 1)), instance.labels).mean()
    additive = brier(models.additive.probabilities((0, 1)), instance.labels).mean()
    assert additive == pytest.approx(0.5, abs=0.02)
    assert boosted < 0.2
    model = models.model((1, 0))
    assert model.totals.trees is not None
    answers = model.probabilities(model.totals.add_up(instance.codes)).argmax(axis=1)
    assert (answers == instance.codes[:, 0] ^ instance.codes[:, 1]).all()


def n_ends(model: bt.Model) -> int:
    return 0 if model.totals.trees is None else int((model.totals.trees.test < 0).sum())


def test_models_that_are_too_large_together_are_replaced_by_smaller_ones_unless_those_are_worse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance, limit = exclusive_or(800), 400
    models = models_of(instance)
    sets = [(0,), (0, 1), (0, 1, 2)]
    large = {tests: models.model(tests) for tests in sets}
    assert sum(map(n_ends, large.values())) > limit
    assert models.smaller(sets) == {}
    monkeypatch.setattr(boosting, "MAX_ENDS", limit)
    smaller = models.smaller(sets)
    assert smaller
    assert sum(n_ends(model) for model in (large | smaller).values()) <= limit
    assert models.smaller(sets[::-1]) == smaller
    for tests, model in smaller.items():
        assert n_ends(model) < n_ends(large[tests])
    model = smaller[0, 1, 2]
    answers = model.probabilities(model.totals.add_up(instance.codes)).argmax(axis=1)
    assert (answers == instance.codes[:, 0] ^ instance.codes[:, 1]).all()  # what matters is still there
    monkeypatch.setattr(boosting, "MAX_SMALL", 100)
    assert models.smaller(sets) == {}
    monkeypatch.setattr(boosting, "MAX_SMALL", 1000)
    monkeypatch.setattr(boosting, "MAX_ENDS", 60)
    assert (0, 1, 2) not in models.smaller(sets), "one round says less"


def test_where_a_sum_says_all_no_trees_are_added_for_noise() -> None:
    rng = np.random.default_rng(1)
    scores = []
    for _ in range(5):
        instance = bt.Instance(rng.integers(0, 6, (200, 3)), rng.integers(0, 2, 200))
        scores.append(brier(models_of(instance).probabilities((0, 1, 2)), instance.labels).mean())
    assert np.mean(scores) >= 0.49  # on cases left out, noise tells nothing


@given(seeds, st.sampled_from([2, 3]))
@settings(max_examples=10)
def test_probabilities_are_of_models_that_have_not_seen_the_case(seed: int, n_classes: int) -> None:
    """The mean of the models has seen every case, and so knows it better."""
    instance = random_instance(seed, n_cases=100, n_classes=n_classes)
    models = models_of(instance)
    honest, model = models.probabilities((0, 1, 3)), models.model((0, 1, 3))
    known = model.probabilities(model.totals.add_up(instance.codes))
    assert honest.sum(axis=1) == pytest.approx(1)
    assert brier(honest, instance.labels).mean() > brier(known, instance.labels).mean()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_threads_and_the_order_of_a_set_change_no_bit(n_classes: int) -> None:
    instance = random_instance(3, n_cases=300, n_classes=n_classes)
    one, other = models_of(instance), models_of(instance, threads=3)
    other.model((1,))
    assert (one.probabilities((0, 2, 3)) == other.probabilities((3, 0, 2))).all()
    assert one.model((0, 2, 3)) == other.model((3, 2, 0))


def test_two_classes_have_one_score() -> None:
    for n_classes, n_totals in ((2, 1), (3, 3)):
        models = models_of(random_instance(2, n_classes=n_classes))
        assert models.model(()).totals.n_totals == models.model((0, 1)).totals.n_totals == n_totals


def test_without_time_the_additive_model_answers_and_with_it_later_the_boosted_one() -> None:
    instance, clock = exclusive_or(), Clock(0)
    models = models_of(instance, clock)
    assert models.model((0, 1)).totals.trees is None
    assert (models.probabilities((0, 1)) == models.additive.probabilities((0, 1))).all()
    assert clock.ended_work
    models.clock = Clock(None)
    assert models.model((0, 1)).totals.trees is not None


def test_start_scores_are_whole_units_within_bounds() -> None:
    probabilities = np.array([[1, 0], [0.25, 0.75], [1e-30, 1]])
    scores = _scores(probabilities)
    assert scores.shape == (3, 1)
    assert (scores * 1024 == np.rint(scores * 1024)).all()
    assert scores[:, 0] == pytest.approx([-16, np.log(3), 16], abs=1e-3)
    three = _scores(np.array([[0.2, 0.3, 0.5]]))
    assert three.sum() == pytest.approx(0, abs=2e-3)
