"""The judge: out-of-bag losses of sets, each judged once and as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import budgetree as bt
from _support.coded import CodedTable
from _support.reference_forest import ReferenceForest
from budgetree.learn.predictive import judge as judge_module
from budgetree.learn.predictive.judge import MIN_LEAF_OF_ALL, N_BINS, N_TREES, Judge, _binned
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.predictive.sample import draw
from budgetree.services.clock import Clock, OutOfTimeError

from .tables import random_instance, seeds


def judge_of(instance: bt.Instance, clock: Clock | None = None, threads: int = 1) -> Judge:
    return Judge(draw(instance), clock or Clock(None), threads)


@given(seeds)
@settings(max_examples=5)
def test_the_losses_are_those_of_the_reference(seed: int) -> None:
    judge = judge_of(random_instance(seed, n_cases=80))
    sample = judge.sample
    binned = [_binned(codes, basis) for codes, basis in zip(sample.codes.T, sample.bases, strict=True)]
    codes, n_outcomes, is_ordered, missing = zip(*binned, strict=True)
    table = CodedTable(
        np.array(codes),
        sample.labels.astype(np.int32),
        None,
        np.array(n_outcomes, dtype=np.int32),
        np.array(is_ordered),
        np.array(missing, dtype=np.int32),
        sample.n_classes,
    )
    reference = ReferenceForest(table, n_trees=N_TREES, min_leaf=MIN_LEAF_OF_ALL // 2)
    additive = Models(sample, Clock(None))
    expected = (reference.losses((0, 3)) + additive.loss((0, 3))) / 2
    assert judge.loss([3, 0]) == pytest.approx(expected, abs=2e-6)


def test_a_set_is_judged_once_whatever_is_asked_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance(1, n_cases=120)
    together = judge_of(instance, threads=2).losses([(0,), (0, 1), (1, 2, 3)])
    judge = judge_of(instance)
    for tests, losses in zip([(0,), (1, 0), (3, 2, 1)], together, strict=True):
        assert (judge.loss(tests) == losses).all()
    monkeypatch.setattr(judge_module.core, "forest_losses", None)  # nothing is left to judge
    assert (judge.losses([(1, 2, 3), (0, 1)])[1] == together[1]).all()


def test_a_test_that_tells_lowers_the_loss_and_noise_does_not() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 800)
    codes = np.column_stack([labels ^ (rng.random(800) < 0.1), rng.integers(0, 5, (800, 2))])
    judge = judge_of(bt.Instance(codes, labels))
    nothing, telling, noise = (float(loss.mean()) for loss in judge.losses([(), (0,), (1, 2)]))
    assert nothing == pytest.approx(0.5, abs=0.01)
    assert telling == pytest.approx(0.18, abs=0.03)
    assert noise > nothing - 0.01


def test_a_first_look_sees_the_first_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_module, "N_QUICK_CASES", 50)
    judge = judge_of(random_instance(2, n_cases=90))
    assert judge.n_quick == 50
    (glanced,) = judge.glance([(0, 3)])
    assert len(glanced) == 50
    assert len(judge.loss((0, 3))) == 90


def test_numbers_are_binned_by_rank_and_a_missing_one_stays_apart() -> None:
    instance = random_instance(3, n_cases=500)
    sample = draw(instance)
    for codes, basis in zip(sample.codes.T, sample.bases, strict=True):
        binned, n_outcomes, is_ordered, missing = _binned(codes, basis)
        assert binned.max() < n_outcomes
        if not is_ordered:
            assert (binned == codes).all()
            continue
        assert n_outcomes <= N_BINS + 1
        is_known = np.ones(len(codes), dtype=bool) if basis.missing is None else codes != basis.missing
        assert (binned[~is_known] == missing).all()
        assert (binned[is_known] != missing).all()
        order = np.argsort(codes[is_known], kind="stable")
        assert (np.diff(binned[is_known][order].astype(int)) >= 0).all()


def test_without_time_only_the_share_of_the_classes_is_known() -> None:
    clock = Clock(0)
    judge = judge_of(random_instance(4), clock)
    assert len(judge.loss(())) == 60
    with pytest.raises(OutOfTimeError):
        judge.loss((0,))
    assert clock.ended_work
