"""Work that may be cut short: a clock, Ctrl-C that ends it, and the plan of how its time is divided."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import Enum
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from budgetree._core import Clock as CoreClock

BETWEEN_TICKS = 0.05  # seconds
HURRY = 1.0  # seconds; who presses Ctrl-C twice within them means it once
AGAIN = 0.02  # seconds

Tick = Callable[[int, int], object]  # called with what is done and what there is to do


class Ended(Enum):
    """How a search came to its end."""

    COMPLETE = "complete"
    WORK_LIMIT = "work limit"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"


class OutOfTimeError(Exception):
    """The clock was over before there was anything to answer with; who can do without catches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlan:
    """How the time for work is divided: seconds, and shares of the time that is left or of a time limit.

    A clock carries its plan to whatever works by it; tests pass in another.
    """

    # A frontier, where the user leaves the method and the time to us
    auto_seconds: float = 10.0  # for exact search
    auto_share: float = 0.02  # what the last two tests of the whole set may take, which exact search does often
    # Exact search: one question to the next
    moment: float = 0.2  # after which good trees are looked for before the search goes on
    long: float = 4.0  # after which a search counts as long …
    long_share: float = 0.3  # … or after this share
    quick_seconds: float = 0.3  # for narrow passes
    broader_seconds: float = 2.0  # for broader ones …
    look_share: float = 0.05  # … or this share
    late_share: float = 0.3  # when it has passed, greedy trees are grown before the search goes on
    sweep_seconds: float = 10.0  # for the budgets beyond the first that takes long, where there is no limit
    sweep_share: float = 0.3  # the same with a limit
    seconds_per_budget: float = 1.0  # in a sweep
    short: float = 2.0  # of which greedy trees may need most
    bound_seconds: float = 1.5  # for the iterative lower bound, where there is no limit
    bound_share: float = 0.85  # the same with a limit: a search that does not end says nothing else
    # Greedy frontiers
    unavoidable_share: float = 0.3  # for comparing all cases in shards
    points_share: float = 0.2  # for the points of trees with losses …
    points_seconds: float = 1.0  # … and at most so long
    # Folds: what is learned in a hurry says little, and coding raw rows does not ask the clock
    hurried_share: float = 0.1  # a fold that could have less than this share of the search's time is left out
    exact_share: float = 0.9  # of a fold's time, for the search; the rest is for its trees and their answers
    greedy_share: float = 0.6  # the same where trees are grown again for that
    seconds_per_test: float = 1.2e-4  # for coding the rows of a fold
    seconds_per_cell: float = 1.5e-8
    # Trees for new cases
    fine_share: float = 0.5  # for finding fine levels; the rest is for learning
    encoding_factor: float = 1.2  # how much longer than finding a column's levels it takes to code its rows, at most
    first_look: float = 0.01  # after which the time for all columns can be told from the first of them
    start_seconds: float = 0.5  # per exact search for a start: where one is not proven in time, there is none
    growth_share: float = 0.7  # where leaves become trees of counts; that takes the rest
    seconds_per_visit: float = 4e-7  # for putting a tree together: per case and node …
    seconds_per_score: float = 4e-8  # … per score of a model …
    seconds_per_loss: float = 2e-9  # … and, with losses, what each answer would lose with each class
    # Certificates
    fit_share: float = 0.5  # of a command's time limit, for the tree; the rest is for its certificate
    certificate_seconds: float = 10.0  # where there is no limit
    search_share: float = 0.6  # for the bound of search
    setup_seconds_per_cell: float = 3e-8  # that laying out a table takes; with less left a search proves nothing
    ratio_share: float = 0.2  # of the rest, for the ratio; the cover has what is left
    ratio_seconds: float = 0.05  # for the ratio in any case, so that it does not depend on how busy the machine is
    screen_share: float = 0.5  # of the cover's time, for choosing cases
    import_seconds: float = 0.7  # that loading SciPy's solvers takes, the first time
    seal_share: float = 0.3  # of the time that the other parts of a certificate took, for sealing it


DEFAULT_PLAN = WorkPlan()


class Clock:
    """When to stop. Whoever works asks often; every now and then that is passed on to `tick`, for a progress bar."""

    def __init__(
        self,
        seconds: float | None,
        tick: Tick | None = None,
        whole: Clock | None = None,
        *,
        plan: WorkPlan | None = None,
    ) -> None:
        self.plan: WorkPlan = plan or (DEFAULT_PLAN if whole is None else whole.plan)
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._tick, self._next_tick = tick, time.monotonic() + BETWEEN_TICKS
        self._whole = whole  # the clock that this one is a share of
        self._interrupted = False
        self.ended_work = False  # whether who asked this clock or a share of it was told that it is over
        self._in_core: set[CoreClock] = set()  # those of the core that run now, in the whole clock

    @property
    def is_over(self) -> bool:
        is_over = self._is_over()
        if is_over:
            self._note_end()
        return is_over

    def ended(self, *, complete: bool) -> Ended:
        """How work by this clock ended: where it is not complete, Ctrl-C or the time is the reason."""
        if complete:
            return Ended.COMPLETE
        return Ended.INTERRUPTED if self.was_interrupted else Ended.TIME_LIMIT

    def _note_end(self) -> None:
        for clock in self._wholes:
            clock.ended_work = True

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

    def seconds_of(self, share: float) -> float | None:
        """This share of the seconds left; None where there is no limit."""
        return None if (left := self.seconds_left) is None else share * left

    def end(self) -> None:
        """Over from now on: what is left does not suffice for anything."""
        self._deadline = time.monotonic()
        self._note_end()

    def share(self, seconds: float | None, tick: Tick | None = None) -> Clock:
        """A clock that stops after so many seconds, or with this one."""
        left = self.seconds_left
        shorter = seconds if left is None or (seconds is not None and seconds < left) else left
        return Clock(shorter, tick, self)

    def listening(self) -> AbstractContextManager[None]:
        """While it lasts, Ctrl-C ends this clock and nothing else: what works by it returns the best so far."""
        return instead_of_interrupt(self.interrupt)

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
        from budgetree._native import core  # which a command line that only listens does not need

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

    Nothing changes in other threads than the main one, and where another handler listens to Ctrl-C.
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
