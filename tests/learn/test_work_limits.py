"""Limits of work: the same call gives the same answer however busy the machine is, on however many threads."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.learn.exact.search import NEVER, Layout, Search
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.points import Frontier
from budgetree.learn.routes import learn_known, search_known
from budgetree.learn.settings import CACHE_BYTES, FitRequest
from budgetree.learn.validation import KnownRows, cross_validate
from budgetree.services import clock as clock_module
from budgetree.services.clock import Clock, Ended, WorkPlan
from budgetree.tree import Nodes

HURRIED = WorkPlan(
    moment=0.002,
    quick_seconds=0.003,
    long=0.004,
    broader_seconds=0.01,
    seconds_per_budget=0.01,
    turn=0.01,
)
BUDGET = 5


def hard_table(seed: int, outcomes: int = 2, *, has_prices: bool = False) -> bt.Instance:
    """Whose best trees are far beyond a second of work."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, outcomes, (1500, 30))
    labels = (codes[:, :5].sum(axis=1) + (rng.random(1500) < 0.3)) % 3
    names = [f"t{test}" for test in range(30)]
    prices = dict(zip(names, rng.integers(1, 4, 30).tolist(), strict=True)) if has_prices else 1
    return bt.Instance(codes, labels, test_names=names, prices=prices)


def arrays(nodes: Nodes | None) -> list[Any]:
    return [] if nodes is None else [array.tolist() for array in nodes.arrays.values()]


def frontier_facts(found: Frontier) -> list[Any]:
    trees = [[array.tolist() for array in point.tree.nodes.arrays.values()] for point in found]
    points = [(p.max_cost, p.errors, p.source, p.bounds, p.ended, p.tree.ended) for p in found]
    return [found.complete, found.n_searched, found.least_loss, *zip(points, trees, strict=True)]


def route(method: str, threads: int, **limits: Any) -> Callable[[bt.Instance, Clock, bool | None], Frontier]:
    """One unit is 1 here, so that the budget is in units."""
    limits = {"every_budget": True} | limits
    request = FitRequest(method=method, impurities=DEFAULT_IMPURITIES, threads=threads, **limits)
    return partial(search_known, request)


def search_by(instance: bt.Instance, work: float, threads: int) -> tuple[Frontier, list[Any]]:
    """One budget, as `optimal` asks for it."""
    clock = Clock(None, work=work, plan=HURRIED)
    found = route("exact", threads, budget=BUDGET, every_budget=False)(instance, clock, False)
    return found, [*frontier_facts(found), clock.seconds_passed]


@pytest.mark.parametrize("outcomes", [2, 3])
@pytest.mark.parametrize("has_prices", [False, True])
def test_a_search_cut_by_work_finds_the_same_on_any_number_of_threads(outcomes: int, has_prices: bool) -> None:
    n_cut = n_raised = 0
    for seed, work in itertools.product(range(2), (0.08, 0.2)):
        instance = hard_table(seed, outcomes, has_prices=has_prices)
        assert instance.schema.costs.scale == 1
        found, alone = search_by(instance, work, 1)
        assert [search_by(instance, work, threads)[1] for threads in (2, 4)] == [alone] * 2
        (point,) = found
        assert point.tree.ended is (Ended.COMPLETE if found.complete else Ended.WORK_LIMIT)
        assert point.lower_bound <= point.errors
        assert alone[-1] < 1.5 * work
        n_cut += not found.complete
        n_raised += not found.complete and point.lower_bound > 0
    assert n_cut > 0
    assert n_raised > 0 or (outcomes == 3 and not has_prices), "the bound that rises is part of it"


@pytest.mark.parametrize("outcomes", [2, 3])
def test_workers_take_turns_by_their_work(outcomes: int) -> None:
    for seed, work in itertools.product(range(3), (0.001, 0.05, 0.3)):
        layout = Layout(hard_table(seed, outcomes), BUDGET)
        answers = []
        for threads in (1, 2, 4):
            search, clock = Search(layout, CACHE_BYTES, threads, limits_work=True), Clock(None, work=work)
            # Again with what it has learned: that must be the same, too.
            for budget in (BUDGET - 2, BUDGET - 1, BUDGET - 2):
                share = clock.share(work / 3)
                found, nodes = search.search_long(budget, NEVER, share)
                value = None if found.answer is None else found.answer.value
                answers.append((threads, value, found.lower_bound, arrays(nodes), share.seconds_passed))
        first, *others = ([entry[1:] for entry in answers if entry[0] == threads] for threads in (1, 2, 4))
        assert others == [first] * len(others)


def test_a_clock_that_races_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> tuple[Any, ...]:
        whole = route("auto", 2)(hard_table(1), Clock(None, work=0.4, plan=HURRIED), False)
        return search_by(hard_table(0), 0.1, 2)[1], frontier_facts(whole)

    usual = run()
    real, hours = time.monotonic, itertools.count(step=3600)
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: real() + next(hours))
    assert run() == usual


def _burn() -> None:
    while True:
        pass


@pytest.fixture
def busy_machine() -> Iterator[None]:
    others = [multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(3)]
    for other in others:
        other.start()
    yield
    for other in others:
        other.terminate()
        other.join()


def test_a_busy_machine_finds_the_same_frontier(request: pytest.FixtureRequest) -> None:
    def run() -> list[Any]:
        search = route("exact", os.cpu_count() or 2, budget=7)
        return frontier_facts(search(hard_table(2), Clock(None, work=0.5, plan=HURRIED), False))

    idle = run()
    assert not idle[0], "it is cut"
    request.getfixturevalue("busy_machine")
    assert run() == idle


def test_what_was_proven_before_the_cut_stays_proven() -> None:
    instance = hard_table(3)
    found = route("exact", 2)(instance, Clock(None, work=1.0), False)
    assert not found.complete
    assert {point.tree.ended for point in found} == {Ended.WORK_LIMIT}
    proven = [point for point in found if point.proven and point.max_cost <= 3]
    assert len(proven) >= 3
    for point in proven:
        assert bt.optimal(instance, budget=point.max_cost).errors == point.errors


@pytest.mark.parametrize(("outcomes", "has_prices"), [(2, False), (2, True), (3, True)])
def test_with_more_time_nothing_comes_out_worse(outcomes: int, has_prices: bool) -> None:
    instance, limits = hard_table(0, outcomes, has_prices=has_prices), [0.005 * 2**power for power in range(8)]
    one = [search_by(instance, work, 2)[0] for work in limits]
    assert sorted((found[0].errors for found in one), reverse=True) == [found[0].errors for found in one]
    assert sorted(found[0].lower_bound for found in one) == [found[0].lower_bound for found in one]
    assert one[0][0].errors > one[-1][0].errors, "more time helps"
    assert one[0][0].lower_bound < one[-1][0].lower_bound
    by_budget = []
    for work in limits:
        found = route("exact", 2, budget=BUDGET)(instance, Clock(None, work=work, plan=HURRIED), False)
        fewest = [min(point.errors for point in found if point.max_cost <= budget) for budget in range(BUDGET + 1)]
        by_budget.append([*fewest, -found.n_searched, -found.complete])
    assert all(
        more <= less for few, many in itertools.pairwise(by_budget) for less, more in zip(few, many, strict=True)
    )


def test_a_time_limit_says_so_and_ends_in_time() -> None:
    began = time.monotonic()
    solution = bt.optimal(hard_table(0), budget=9, time_limit=0.3)
    assert time.monotonic() - began < 20
    assert solution.tree.ended is Ended.TIME_LIMIT


def test_all_folds_are_done_however_little_work_is_left() -> None:
    instance, request = hard_table(0), FitRequest(method="greedy", every_budget=True, impurities=DEFAULT_IMPURITIES)
    clock = Clock(None, work=1.0)
    learn = learn_known(request, search_known(request, instance, clock, False))
    clock.spend(2.0)
    found = cross_validate(KnownRows(instance), learn, [0, 1, 2, 3], 4, clock, min_seconds=1.0)
    assert (found.n_done, found.n_folds) == (4, 4)


def test_the_default_of_a_frontier_is_work() -> None:
    found = bt.frontier(bt.datasets.load("house_votes"), objective="known")
    assert found.complete
    assert found.validation is not None
    assert found.validation.n_done == found.validation.n_folds == 5
