"""The exact start: judged by real refits, and only where the search ends."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.exact_start import ExactStarts, exact_place
from budgetree.learn.predictive.fit import cases_of
from budgetree.learn.validation import deal
from budgetree.services import clock as clock_module
from budgetree.services.clock import Clock, WorkPlan
from budgetree.tree import Grown

from .tables import random_instance


def noise(n_cases: int = 200) -> bt.Instance:
    rng = np.random.default_rng(0)
    return bt.Instance(rng.integers(0, 3, (n_cases, 6)), rng.integers(0, 2, n_cases))


def test_of_noise_most_is_cut_and_the_loss_is_that_of_guessing() -> None:
    instance = noise()
    start = ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(3, Clock(None))
    assert start is not None
    assert start.loss == pytest.approx(0.5 * instance.n_objects, rel=0.05)
    assert reached(start.nodes, start.stops) < reached(start.nodes, start.nodes.is_leaf) / 2


def reached(nodes: Grown, stops: np.ndarray) -> int:
    """How many nodes are left when paths end where they stop."""
    left = [True]
    for above in nodes.parent[1:].tolist():
        left.append(left[above] and not stops[above])
    return sum(left)


def test_known_errors_are_not_believed() -> None:
    instance = noise(60)
    start = ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(4, Clock(None))
    assert start is not None
    known = bt.optimal(instance, budget=4).errors
    assert known < 6  # a tree that has learned the noise by heart
    assert start.loss > 20


def test_tables_of_numbers_and_expired_clocks_have_none() -> None:
    instance = random_instance(1)
    assert ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(2, Clock(None)) is None
    assert ExactStarts(noise(), deal(noise().labels, N_FOLDS, noise().case_ranks)).start(2, Clock(0)) is None


def test_whether_there_is_one_depends_on_work_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, hours = noise(), itertools.count(step=3600)

    def start(clock: Clock) -> tuple[float, list[int]] | None:
        found = ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(4, clock)
        assert not clock.ended_work, "it is not missed"
        return None if found is None else (found.loss, found.nodes.test.tolist())

    plenty, little = WorkPlan(start_seconds=1.0), WorkPlan(start_seconds=1e-4)
    usual = start(Clock(None, plan=plenty))
    assert usual is not None
    assert start(Clock(600.0, plan=plenty)) == usual
    assert start(Clock(600.0, plan=little)) is None
    real = time.monotonic
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: real() + next(hours))
    assert start(Clock(None, plan=plenty)) == usual
    assert start(Clock(None, plan=little)) is None


def test_the_places_are_the_pruned_tree() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (300, 4))
    instance = bt.Instance(codes, (codes[:, 0] + codes[:, 1]) % 3)
    start = ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(2, Clock(None))
    assert start is not None
    place = exact_place(start, cases_of(instance), instance, sure=None)
    ends = [end for end in place.ends() if len(end.cases)]
    assert len(ends) == 9
    assert all(len(set(instance.labels[end.cases])) == 1 for end in ends)
    assert all(end.paid.spent <= 2 for end in place.ends())
