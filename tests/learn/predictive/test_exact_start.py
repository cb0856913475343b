"""The exact start: judged by real refits, and only where the search ends."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.exact_start import ExactStarts, exact_tree
from budgetree.learn.validation import deal
from budgetree.services import clock as clock_module
from budgetree.services.clock import Clock, WorkPlan
from budgetree.tree import Nodes

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


def reached(nodes: Nodes, stops: np.ndarray) -> int:
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


def test_the_tree_is_the_pruned_one() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (300, 4))
    instance = bt.Instance(codes, (codes[:, 0] + codes[:, 1]) % 3)
    start = ExactStarts(instance, deal(instance.labels, N_FOLDS, instance.case_ranks)).start(2, Clock(None))
    assert start is not None
    tree = exact_tree(start, instance)
    assert tree.errors == 0
    assert len(np.unique(tree.walk_codes(instance.codes).leaf)) == 9
    assert tree.max_cost == 2
    unlisted = tree.walk_codes(np.full((1, 4), 255, dtype=np.uint8))
    assert unlisted.probabilities[0] == pytest.approx(start.probabilities[0])  # as the node where it is found out


def test_with_more_tests_than_exact_search_takes_there_is_none() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (30, 32_768), dtype=np.uint8)
    instance = bt.Instance(codes, codes[:, 777])
    assert bt.predictive(instance, budget=1, leaves="tree").errors == 0
