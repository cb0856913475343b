"""A clock for work that may be cut short: by a time limit, or when the user says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from budgetree.core import core

if TYPE_CHECKING:
    from budgetree._core import Clock as CoreClock

BETWEEN_TICKS = 0.05  # seconds

Tick = Callable[[int, int], object]  # called with what is done and what there is to do


class OutOfTimeError(Exception):
    """The clock was over before there was anything to answer with; whoever can do without catches it."""


class Clock:
    """When to stop. Whoever works asks often; every now and then that is passed on to `tick`, for a progress bar."""

    def __init__(self, seconds: float | None, tick: Tick | None = None, whole: Clock | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._tick, self._next_tick = tick, time.monotonic() + BETWEEN_TICKS
        self._whole = whole  # the clock that this one is a share of
        self._interrupted = False

    @property
    def is_over(self) -> bool:
        if self._interrupted or (self._whole is not None and self._whole.is_over):
            return True
        now = time.monotonic()
        if self._tick is not None and now >= self._next_tick:
            self._next_tick = now + BETWEEN_TICKS
            self._tick(0, 1)
        return self._deadline is not None and now >= self._deadline

    @property
    def seconds_left(self) -> float | None:
        if self._interrupted:
            return 0.0
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    def share(self, seconds: float | None, tick: Tick | None = None) -> Clock:
        """A clock that stops after so many seconds, or with this one."""
        left = self.seconds_left
        shorter = seconds if left is None or (seconds is not None and seconds < left) else left
        return Clock(shorter, tick, self)

    def interrupt(self) -> None:
        """Ctrl-C: this clock is over, and so is the one that it is a share of."""
        self._interrupted = True
        if self._whole is not None:
            self._whole.interrupt()

    @contextmanager
    def in_core(self) -> Iterator[CoreClock]:
        """The same clock for a call of the native core that answers also where Ctrl-C ends it."""
        assert core is not None
        clock = core.Clock(0.0 if self.is_over else self.seconds_left, self._tick)
        yield clock
        if clock.was_interrupted:
            self.interrupt()
