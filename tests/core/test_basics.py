"""Clock, Money and Cases of the core: when they stop, and what they refuse."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from budgetree import _core

CASES: dict[str, Any] = {
    "codes": np.zeros((3, 2), dtype=np.uint8),
    "labels": np.array([0, 1, 1], dtype=np.int32),
    "weights": None,
    "n_outcomes": np.array([2, 2], dtype=np.int32),
    "n_classes": 2,
}
MONEY: dict[str, Any] = {
    "amounts": np.ones((1, 2, 3), dtype=np.int64),
    "flag_amounts": np.array([[5]], dtype=np.int64),
    "pays": np.array([1, 0], dtype=np.uint64),
    "needs": np.zeros(2, dtype=np.uint64),
    "sets": np.array([[1] * 4, [0] * 4], dtype=np.uint64),
    "limits": np.array([9], dtype=np.int64),
}


def long_walk(n_rows: int, n_nodes: int = 1000) -> Callable[[_core.Clock], None]:
    """A call of the core that takes a while: rows go down a chain of nodes."""
    kind, test = np.zeros(n_nodes, dtype=np.uint8), np.zeros(n_nodes, dtype=np.int32)
    kind[-1] = 3  # a leaf
    charge_at, charges = np.zeros(n_nodes, dtype=np.int64), np.ones(2, dtype=np.int64)
    children, rule = np.arange(1, n_nodes + 1, dtype=np.int32), np.full(n_nodes, -1, dtype=np.int32)
    n_outcomes = np.array([1], dtype=np.int32)
    route = _core.Route(kind, test, np.arange(n_nodes), children, charge_at, charges, rule, n_outcomes, [], [])
    codes = np.zeros((1, n_rows), dtype=np.uint8)
    return lambda clock: route.walk(codes, clock)


def test_the_processor_has_a_name() -> None:
    assert _core.processor() in ("AVX2", "NEON", "baseline")


def test_a_clock_without_a_limit_does_not_stop_by_itself() -> None:
    clock = _core.Clock()
    long_walk(1000)(clock)
    assert not clock.is_stopped
    clock.stop()
    assert clock.is_stopped


def test_a_time_limit_ends_the_work() -> None:
    clock, start = _core.Clock(0.1), time.perf_counter()
    long_walk(10_000_000)(clock)
    assert clock.is_stopped
    assert 0.09 < time.perf_counter() - start < 1


def test_the_tick_is_called_while_the_core_works() -> None:
    ticks: list[tuple[int, int]] = []
    long_walk(10_000_000)(_core.Clock(0.3, lambda done, total: ticks.append((done, total))))
    assert 2 <= len(ticks) <= 7
    assert ticks[0] == (0, 0)


def test_what_the_tick_raises_ends_the_work_and_arrives() -> None:
    def refuse(done: int, total: int) -> None:
        raise LookupError("no more")

    clock, start = _core.Clock(tick=refuse), time.perf_counter()
    with pytest.raises(LookupError, match="no more"):
        long_walk(10_000_000)(clock)
    assert clock.is_stopped
    assert time.perf_counter() - start < 1


def test_another_thread_may_stop_the_clock() -> None:
    clock = _core.Clock(20)
    start = time.perf_counter()
    threading.Timer(0.1, clock.stop).start()
    long_walk(10_000_000)(clock)
    assert time.perf_counter() - start < 2


def test_ctrl_c_arrives_at_once() -> None:
    sent: list[float] = []

    def interrupt(done: int, total: int) -> None:
        if not sent:
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        long_walk(10_000_000)(_core.Clock(tick=interrupt))
    assert time.perf_counter() - sent[0] < 0.5  # a tenth, on a machine that is not busy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([0, 1], dtype=np.int32)}, "labels: expected one per row of codes"),
        ({"labels": np.array([0, 1, 2], dtype=np.int32)}, "labels: expected classes from 0 to n_classes - 1"),
        ({"labels": np.array([0, 1, -1], dtype=np.int32)}, "labels: expected classes from 0 to n_classes - 1"),
        ({"weights": np.ones(2, dtype=np.int64)}, "weights: expected one per row of codes"),
        ({"n_outcomes": np.array([2], dtype=np.int32)}, "n_outcomes: expected one per column of codes"),
        ({"n_classes": 0}, "n_classes: expected at least 1"),
    ],
)
def test_cases_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    _core.Cases(**CASES)
    with pytest.raises(ValueError, match=message):
        _core.Cases(**(CASES | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"amounts": np.ones((1, 0, 3), dtype=np.int64)}, "amounts: expected tests × outcomes"),
        ({"amounts": np.ones((1, 2, 0), dtype=np.int64)}, "amounts: expected tests × outcomes"),
        ({"amounts": np.ones((5, 2, 3), dtype=np.int64)}, "amounts: expected 1 to 4 resources"),
        ({"pays": np.array([1], dtype=np.uint64)}, "pays, needs: expected one entry per test"),
        ({"flag_amounts": np.ones((1, 64), dtype=np.int64)}, "flag_amounts: expected at most 63"),
    ],
)
def test_money_that_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    _core.CostModel(**MONEY)
    with pytest.raises(ValueError, match=message):
        _core.CostModel(**(MONEY | change))
