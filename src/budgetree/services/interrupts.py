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
    """Whether Ctrl-C has raised KeyboardInterrupt by our handler, since `none_lost` began."""
    return _was_raised.is_set()


class _Listeners:
    """Who wants to hear of Ctrl-C instead of being ended by it: searches, and the searches within them."""

    def __init__(self) -> None:
        self.stops: list[Callable[[], object]] = []
        self.first: float | None = None  # when Ctrl-C came

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.first is None:
            self.first = time.monotonic()
        elif time.monotonic() - self.first > HURRY:
            raise_interrupt(number, frame)
        for stop in self.stops:
            stop()

    @contextmanager
    def add(self, stop: Callable[[], object]) -> Iterator[None]:
        self.stops.append(stop)
        try:
            if self.first is not None:
                stop()
            yield
        finally:
            self.stops.remove(stop)


_listeners: _Listeners | None = None  # those of the outermost search


@contextmanager
def instead_of_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """While it lasts, Ctrl-C calls this and raises nothing; only who presses it again later gets KeyboardInterrupt.

    Nothing changes in other threads than the main one, and where somebody else listens to Ctrl-C.
    """
    global _listeners
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and _listeners is not None and before == _listeners.handle:
        with _listeners.add(stop):
            yield
    elif is_main and before in (signal.default_int_handler, raise_interrupt):
        _listeners = _Listeners()
        with _listeners.add(stop):
            signal.signal(signal.SIGINT, _listeners.handle)
            try:
                yield
            finally:
                signal.signal(signal.SIGINT, before)
                _listeners = None
    else:
        yield


@contextmanager
def none_lost() -> Iterator[None]:
    """KeyboardInterrupt where Python cannot raise it (while it cleans up) comes again a moment later, without noise."""
    before = sys.unraisablehook
    _was_raised.clear()  # what an earlier command was told is not meant for this one

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
