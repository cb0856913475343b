"""A clock for work that may be cut short: by a time limit, or when the user says so."""

from __future__ import annotations

import math
import time
from typing import Any

from budgetree.problem.units import non_negative

FOREVER = 2**62  # nanoseconds


class Clock:
    """When to stop."""

    def __init__(self, seconds: float | None, whole: Clock | None = None) -> None:
        self._seconds = seconds
        self._whole = whole  # the clock that this one is a share of
        self.interrupted = False
        self.restart()

    def restart(self) -> None:
        """From now on."""
        self.deadline = None if self._seconds is None else time.monotonic() + self._seconds

    @property
    def is_over(self) -> bool:
        if self.interrupted or (self._whole is not None and self._whole.is_over):
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def seconds_left(self) -> float | None:
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    @property
    def nanoseconds_left(self) -> int:
        left = self.seconds_left
        return FOREVER if left is None else int(left * 1e9)

    def share(self, seconds: float) -> Clock:
        """A clock that stops after so many seconds, or with this one."""
        left = self.seconds_left
        return Clock(seconds if left is None else min(seconds, left), self)


def check_time_limit(time_limit: Any) -> float | None:
    """The seconds, or None for no limit."""
    if time_limit is None or time_limit == math.inf:
        return None
    return float(non_negative(time_limit, "time_limit", "expected a number of seconds of at least 0"))
