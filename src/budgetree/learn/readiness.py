"""When to use the kernels: at once on large data, on small data only when they cost no wait.

Loading or compiling them takes seconds the first time. Small data are answered by the plain twins until those have
taken as long in this process as the kernels would take to load: from then on the kernels pay.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from budgetree.problem import Instance

# Above these the plain twin would take longer than loading the kernels.
LARGE_TABLE = 2_000_000  # objects × tests
LARGE_NODE = 100_000  # tests × outcomes × classes, the work at even the smallest node
PATIENCE = 2.0  # seconds of plain work in this process before loading pays


class _Readiness:
    def __init__(self) -> None:
        self.loaded = False
        self.plain_seconds = 0.0
        self.lock = threading.Lock()


_state = _Readiness()


def kernels_pay(instance: Instance) -> bool:
    """Whether this instance should be grown by the kernels."""
    if _state.loaded or _state.plain_seconds > PATIENCE:
        return True
    node = instance.n_tests * int(instance.schema.n_outcomes.max()) * instance.n_classes
    return instance.codes.size > LARGE_TABLE or node > LARGE_NODE


@contextmanager
def plain_work() -> Iterator[None]:
    """Adds the time spent inside to what plain work has cost so far."""
    start = time.perf_counter()
    try:
        yield
    finally:
        with _state.lock:
            _state.plain_seconds += time.perf_counter() - start


def kernels_loaded() -> None:
    """From now on the kernels cost no wait."""
    _state.loaded = True
