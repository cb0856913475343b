"""The time that a check may take; whoever works long asks often."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTimeError(Exception):
    """The time is over before the answer is there."""


class Deadline:
    """When to stop. `seconds` is None for no limit."""

    def __init__(self, seconds: float | None = None) -> None:
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or math.isnan(seconds) or seconds < 0
        ):
            raise ValueError(f"time_limit is {seconds!r:.40}; expected a number of seconds of at least 0, or None.")
        self.seconds = seconds
        self.end = math.inf if seconds is None else time.monotonic() + seconds  # a reading of time.monotonic()

    def check(self) -> None:
        """Raises OutOfTimeError where the time is over."""
        if time.monotonic() > self.end:
            raise OutOfTimeError

    def __str__(self) -> str:
        return (
            "Python's recursion limit"
            if self.seconds is None
            else f"{self.seconds:g} second{'' if self.seconds == 1 else 's'}"
        )


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without the collector of circular garbage, which would walk through thousands of small lists again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
