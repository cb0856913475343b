"""When to use the kernels: at once on large data, on small data only when they cost no wait.

Loading the kernels takes about a second, compiling them the first time ever about thirty. Small data are answered by
the plain twins until those have taken as long in this process as the kernels would: from then on the kernels pay.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from budgetree.learn.progress import on_terminal
from budgetree.problem import Instance

# Above these the plain twin would take longer than loading the kernels.
LARGE_TABLE = 2_000_000  # objects × tests
LARGE_NODE = 100_000  # tests × outcomes × classes, the work at even the smallest node
SECONDS_TO_LOAD = 1.0
SECONDS_TO_COMPILE = 30.0


class _Readiness:
    def __init__(self) -> None:
        self.loaded = False
        self.plain_seconds = 0.0
        self.lock = threading.Lock()


_state = _Readiness()


def kernels_pay(instance: Instance) -> bool:
    """Whether this instance should be grown by the kernels."""
    if _state.loaded:
        return True
    node = instance.n_tests * int(instance.schema.n_outcomes.max()) * instance.n_classes
    if instance.codes.size > LARGE_TABLE or node > LARGE_NODE:
        return True
    return _state.plain_seconds > (SECONDS_TO_LOAD if _are_compiled() else SECONDS_TO_COMPILE)


@contextmanager
def plain_work() -> Iterator[None]:
    """Adds the time spent inside to what plain work has cost so far."""
    start = time.perf_counter()
    try:
        yield
    finally:
        with _state.lock:
            _state.plain_seconds += time.perf_counter() - start


class _KernelWork:
    """`with kernel_work:` around the kernels' use; says so on a terminal when they have to be compiled first."""

    def __enter__(self) -> None:
        if not _state.loaded and not _are_compiled() and on_terminal():
            print(
                "budgetree: compiling its kernels, once on this machine (about half a minute) …",
                file=sys.stderr,
                flush=True,
            )

    def __exit__(self, *error: object) -> None:
        _state.loaded = _state.loaded or error[0] is None


kernel_work = _KernelWork()


def _are_compiled() -> bool:
    # numba keeps what it compiled beside the source; where it must keep it elsewhere, this errs on the patient side.
    return any((Path(__file__).parent / "__pycache__").glob("kernel.grow_nodes-*.nbi"))
