"""Says what is happening when the first call has to compile the search first."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Timer

from budgetree.learn.progress import on_terminal

SECONDS_TO_LOAD = 2.0  # longer than loading what was compiled before takes

_called: set[Hashable] = set()


@contextmanager
def first_call(kind: Hashable) -> Iterator[None]:
    """Around every call: the first of its kind in a process compiles, unless an earlier process has."""
    if kind in _called or not on_terminal():
        yield
    else:
        timer = Timer(SECONDS_TO_LOAD, _say)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
    _called.add(kind)


def _say() -> None:
    print(
        "budgetree: compiling its exact search, once on this machine (about 15 seconds) …", file=sys.stderr, flush=True
    )
