"""A clock for work that may be cut short: by a time limit, or when the user says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from budgetree._native import core
from budgetree.services.interrupts import instead_of_interrupt

if TYPE_CHECKING:
    from budgetree._core import Clock as CoreClock

BETWEEN_TICKS = 0.05  # seconds

Tick = Callable[[int, int], object]  # called with what is done and what there is to do


class Ended(Enum):
    """How a search came to its end."""

    COMPLETE = "complete"
    WORK_LIMIT = "work limit"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"


class OutOfTimeError(Exception):
    """The clock was over before there was anything to answer with; whoever can do without catches it."""


class Clock:
    """When to stop. Whoever works asks often; every now and then that is passed on to `tick`, for a progress bar."""

    def __init__(self, seconds: float | None, tick: Tick | None = None, whole: Clock | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._tick, self._next_tick = tick, time.monotonic() + BETWEEN_TICKS
        self._whole = whole  # the clock that this one is a share of
        self._interrupted = False
        self._ended_work = False
        self._in_core: set[CoreClock] = set()  # those of the core that run now, in the whole clock

    @property
    def is_over(self) -> bool:
        is_over = self._is_over()
        if is_over:
            self._note_end()
        return is_over

    @property
    def ended_work(self) -> bool:
        """Whether somebody who asked this clock or a share of it was told that it is over: something ended early."""
        return self._ended_work

    def ended(self, *, complete: bool) -> Ended:
        """How work by this clock ended: where it is not complete, Ctrl-C or the time is the reason."""
        if complete:
            return Ended.COMPLETE
        return Ended.INTERRUPTED if self.was_interrupted else Ended.TIME_LIMIT

    def _note_end(self) -> None:
        for clock in self._wholes:
            clock._ended_work = True

    def _is_over(self) -> bool:
        if self._interrupted or (self._whole is not None and self._whole._is_over()):
            return True
        now = time.monotonic()
        if self._tick is not None and now >= self._next_tick:
            self._next_tick = now + BETWEEN_TICKS
            self._tick(0, 1)
        return self._deadline is not None and now >= self._deadline

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self._interrupted or (self._whole is not None and self._whole.was_interrupted)

    @property
    def seconds_left(self) -> float | None:
        if self._interrupted:
            return 0.0
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    def end(self) -> None:
        """Over from now on: what is left does not suffice for anything."""
        self._deadline = time.monotonic()
        self._note_end()

    def share(self, seconds: float | None, tick: Tick | None = None) -> Clock:
        """A clock that stops after so many seconds, or with this one."""
        left = self.seconds_left
        shorter = seconds if left is None or (seconds is not None and seconds < left) else left
        return Clock(shorter, tick, self)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """While it lasts, Ctrl-C ends this clock and nothing else: whoever works returns the best so far."""
        with instead_of_interrupt(self.interrupt):
            yield

    def interrupt(self) -> None:
        """Ctrl-C: this clock is over, and so is the one that it is a share of."""
        self._interrupted = True
        for clock in tuple(self._in_core):
            clock.stop()
        if self._whole is not None:
            self._whole.interrupt()

    @property
    def _wholes(self) -> list[Clock]:
        """This clock, and those that it is a share of."""
        return [self] if self._whole is None else [self, *self._whole._wholes]

    @contextmanager
    def in_core(self) -> Iterator[CoreClock]:
        """The same clock for a call of the native core that answers also where Ctrl-C ends it."""
        clock, wholes = core.Clock(0.0 if self.is_over else self.seconds_left, self._tick), self._wholes
        for whole in wholes:
            whole._in_core.add(clock)
        try:
            if any(whole._interrupted for whole in wholes):  # Ctrl-C may have come just before the clock was known
                clock.stop()
            yield clock
        finally:
            for whole in wholes:
                whole._in_core.discard(clock)
        if clock.was_interrupted:
            self.interrupt()
