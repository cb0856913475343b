"""Reading parts of an untrusted document, in time: each function returns what it asked for or raises a Flaw."""

from __future__ import annotations

import gc
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

LONGEST_NUMBER = 4000  # digits; Python refuses to read integers much longer than this


class Flaw(Exception):  # noqa: N818 - carries problems to where they are collected
    """One or more problems, each a sentence in `args` that begins with its place."""


def fraction(value: Any, where: str) -> Fraction:
    """An exact number, written "p" or "p/q"."""
    if isinstance(value, str) and len(value) <= LONGEST_NUMBER:
        match = re.fullmatch(r"(-?[0-9]+)(?:/([0-9]*[1-9][0-9]*))?", value)
        if match:
            return Fraction(int(match[1]), int(match[2] or 1))
    raise Flaw(f'{where}: expected an exact number as text, "p" or "p/q", got {short(value)}')


def index(value: Any, size: int, where: str, *, text: bool = False) -> int:
    """A number from 0 to size - 1, given as an integer or, as the key of an object, as its plain decimal text."""
    number = value
    if text:
        number = int(value) if isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]{0,17}", value) else None
    if type(number) is int and 0 <= number < size:  # True is not an index
        return int(number)
    raise Flaw(f"{where}: expected {'the text of ' if text else ''}a number from 0 to {size - 1}, got {short(value)}")


def items(value: Any, where: str) -> Sequence[Any]:
    """A list."""
    if isinstance(value, (list, tuple)):
        return value
    raise Flaw(f"{where}: expected a list, got {short(value)}")


def fields(value: Any, where: str, keys: Sequence[str] | None = None) -> Mapping[Any, Any]:
    """An object; with `keys`, one that has exactly these."""
    if not isinstance(value, Mapping):
        raise Flaw(f"{where}: expected an object, got {short(value)}")
    if keys is not None and set(value) != set(keys):
        raise Flaw(f"{where}: expected the keys {', '.join(keys)}, got {short(list(value))}")
    return value


def counted(number: Any, one: str) -> str:
    """1 error, 2 errors: written here, since the checker shares no code with the rest."""
    return f"{short(number)} {one if number == 1 else one + 's'}"


def short(value: Any) -> str:
    """Any value in a few characters, for a message."""
    if isinstance(value, (list, tuple, Mapping)) and len(value) > 20:
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, int) and abs(value) > 10**18:
        return "a huge integer"
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except (ValueError, RecursionError):  # a huge integer or a deep nest inside
        text = type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."


class OutOfTimeError(Exception):
    """The time is over before the answer is there."""


class Deadline:
    """When to stop. `seconds` is None for no limit."""

    def __init__(self, seconds: float | None = None) -> None:
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or math.isnan(seconds) or seconds < 0
        ):
            raise ValueError(f"time_limit is {seconds!r:.40}; expected a number of seconds of at least 0, or None.")
        self.seconds = None if seconds == math.inf else seconds
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
