"""One tree by the core: any number of threads, any processor, and an end when it is asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from support import grow_with

import budgetree as bt
from _support.reference_growth import grow_in_numpy
from budgetree._core import Clock, PackedTable, grow
from budgetree.learn.greedy.native import core_settings, native_instance
from budgetree.learn.greedy.rule import check_settings
from budgetree.tree.grown import grown_nodes


def large_instance(n_cases: int, n_tests: int, n_outcomes: int, *, weighted: bool = False) -> bt.Instance:
    rng = np.random.default_rng(n_cases)
    codes = rng.integers(0, n_outcomes, (n_cases, n_tests))
    labels = (codes[:, 0] + codes[:, 1] * codes[:, 2] + rng.integers(0, 2, n_cases)) % 3
    return bt.Instance(codes, labels, weights=rng.integers(0, 4, n_cases) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_tests", "n_outcomes"), [(40, 7), (70, 2), (12, 40), (6, 200)])
def test_any_number_of_threads_grows_the_same_tree(n_tests: int, n_outcomes: int, weighted: bool) -> None:
    instance = large_instance(90_000, n_tests, n_outcomes, weighted=weighted)
    for settings in ({"budget": 3}, {"delta": 50_000}):
        one = bt.grow(instance, **settings, threads=1)
        assert len(one.nodes) > 10
        assert all(bt.grow(instance, **settings, threads=threads) == one for threads in (2, 4))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("budget", [1, 2, 3])
def test_large_nodes_are_grown_like_small_ones(budget: int, weighted: bool) -> None:
    # Rows of large nodes are counted as they are moved; those before the last test are not even kept.
    instance = large_instance(25_000, 33, 10, weighted=weighted)
    prices = bt.Instance(
        instance.codes,
        instance.labels,
        weights=instance.weights,
        prices=bt.Prices({"0": {str(o): o % 2 for o in range(10)}}, shared={"fee": (1, ["1", "2"])}, default=1),
    )
    for each in (instance, prices):
        assert grow_with("native", each, bt.Pairs(), budget=budget) == grow_with(
            "reference", each, bt.Pairs(), budget=budget
        )


def test_wide_tables_and_many_classes() -> None:
    rng = np.random.default_rng(3)
    wide = bt.Instance(rng.integers(0, 3, (40, 5000)), rng.integers(0, 4, 40))
    assert grow_with("native", wide, bt.Pairs()) == grow_with("reference", wide, bt.Pairs())
    labels = np.concatenate([np.arange(500), rng.integers(0, 500, 500)])
    many = bt.Instance(rng.integers(0, 255, (1000, 3)), labels)
    for impurity in (bt.Pairs(), bt.Entropy()):
        settings = {"budget": 1}  # the reference takes its time
        assert grow_with("native", many, impurity, **settings) == grow_with("reference", many, impurity, **settings)


def test_a_deep_tree_needs_no_deep_stack() -> None:
    size = 1500
    deep = bt.Instance(np.eye(size, dtype=int), np.arange(size) % 2)
    tree = bt.grow(deep)
    assert tree.depth == size // 2  # one class is peeled off case by case
    assert tree.errors == 0


def test_the_baseline_grows_the_same_trees() -> None:
    script = """
import sys, numpy as np, budgetree as bt
from budgetree._core import processor
rng = np.random.default_rng(0)
for n_outcomes in (2, 5, 16, 17, 70, 255):
    codes = rng.integers(0, n_outcomes, (700, 37))
    instance = bt.Instance(codes, rng.integers(0, 3, 700))
    hinged = [bt.HingedPairs(4), bt.HingedProduct(2.5)]
    for impurity in (bt.Pairs(), bt.Powers(3), bt.Powers(12), *hinged, bt.Gini(), bt.Entropy()):
        print(bt.grow(instance, impurity).to_text())
print([(p.max_cost, p.errors, p.source) for p in bt.frontier(bt.datasets.load("pima"), method="greedy", folds=0)])
print(processor(), file=sys.stderr)
"""
    ran = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ | more
        )
        for more in ({}, {"BUDGETREE_BASELINE": "1"})
    ]
    assert ran[1].stderr.strip() != "AVX2"
    assert ran[0].stdout == ran[1].stdout


def test_a_clock_that_is_over_ends_packing_and_growth() -> None:
    instance = large_instance(60_000, 40, 7)
    native = native_instance(instance)
    settings = core_settings(native, check_settings(instance, bt.Pairs(), 0, None, "worst"))
    for threads in (1, 3):
        assert grow(native.table, native.costs, settings, threads, Clock(0.0)) is None
        start = time.perf_counter()
        assert grow(native.table, native.costs, settings, threads, Clock(0.002)) is None
        assert time.perf_counter() - start < 0.3
    assert grow(native.table, native.costs, settings, 1, Clock(100.0)) is not None
    stopped = Clock(0.0)
    PackedTable(native_instance(instance).cases, stopped)
    assert stopped.is_stopped


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_growth(threads: int) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (60_000, 200), dtype=np.uint8)
    instance = bt.Instance(codes, rng.integers(0, 2, 60_000))
    bt.grow(instance, budget=1)  # packed
    pressed = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.15, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        [bt.grow(instance, threads=threads) for _ in range(1000)]
    assert time.perf_counter() - pressed[0] < 1.0  # 0.1 s on an idle machine
    timer.join()


def test_a_table_outlives_its_instance() -> None:
    instance = large_instance(500, 10, 5)
    native = native_instance(instance)
    settings = check_settings(instance, bt.Pairs(), 0, None, "worst")
    expected, schema = grow_in_numpy(instance, settings), instance.schema
    wanted = core_settings(native, settings)
    del instance
    grown = grow(native.table, native.costs, wanted, 1, Clock())
    arrays = (grown["test"], grown["counts"], grown["branches"], grown["fallback"].view(bool))
    assert grown_nodes(schema, *arrays) == expected
