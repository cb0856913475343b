"""Ctrl-C: KeyboardInterrupt that is not forgotten, or a word to a search that it should come to its end."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

HURRY = 1.0  # seconds; who presses Ctrl-C twice within them means it once
AGAIN = 0.02  # seconds

_was_raised = threading.Event()


def raise_interrupt(number: int, frame: FrameType | None) -> None:
    """Python's own handler, which remembers that it was called: an import may make another error of it."""
    _was_raised.set()
    signal.default_int_handler(number, frame)


def was_interrupted() -> bool:
    """Whether Ctrl-C has raised KeyboardInterrupt in this process, by our handler."""
    return _was_raised.is_set()


@contextmanager
def instead_of_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """While it lasts, Ctrl-C calls this and raises nothing; only who presses it again later gets KeyboardInterrupt.

    Nothing changes in other threads than the main one, and where somebody else listens to Ctrl-C.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before not in (signal.default_int_handler, raise_interrupt):
        yield
        return
    first: float | None = None

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal first
        if first is None:
            first = time.monotonic()
            stop()
        elif time.monotonic() - first > HURRY:
            raise_interrupt(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def none_lost() -> Iterator[None]:
    """KeyboardInterrupt where Python cannot raise it (while it cleans up) comes again a moment later, without noise."""
    before = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        again = threading.Timer(AGAIN, signal.raise_signal, [signal.SIGINT])
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
