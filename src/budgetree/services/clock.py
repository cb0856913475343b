"""Work that may be cut short: the clock, Ctrl-C that ends it, and the plan by which time is divided."""

from __future__ import annotations

import math
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
NANOSECONDS = 10**9  # in a second

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
    """How much work is done, and how it is divided: seconds, and shares of what is left or of a limit.

    The seconds are of time where the user gave a time limit; else they are counted, by what an ordinary processor does
    in one second at most (often it takes half of it). A clock carries its plan to whatever works by it; tests pass in
    another.
    """

    # Where the user gives no time limit
    auto_seconds: float = 20.0  # for a frontier whose method is left to us
    exact_seconds: float = 10_000.0  # for exact search that was asked for
    certificate_seconds: float = 20.0
    auto_share: float = 0.02  # what the last two tests of the whole set may take, which exact search does often
    # Beside a frontier for new cases, the fewest errors on the known ones
    known_line_seconds: float = 2.0  # where there is no limit …
    known_line_share: float = 0.1  # … or this share
    # Exact search: one question to the next
    moment: float = 0.2  # after which good trees are looked for before the search goes on
    quick_seconds: float = 0.3  # for narrow passes
    long: float = 1.5  # after which a search counts as long
    broader_seconds: float = 1.0  # for broader passes
    seconds_per_budget: float = 1.0  # for the budgets beyond the first that takes long
    turn: float = 1.0  # for the iterative lower bound and for the search each, doubled in every round …
    bound_work: float = 30.0  # … where work is counted, so much for the bound: a search with much more will end
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
    start_seconds: float = 1.0  # counted, per exact search for a start: where one takes more, it is left out
    growth_share: float = 0.7  # for growth; the rest is for leaves
    # Certificates
    fit_share: float = 0.5  # of a command's time limit, for the tree; the rest is for its certificate
    search_share: float = 0.6  # for the bound of search
    setup_seconds_per_cell: float = 3e-8  # that laying out a table takes; with less left a search proves nothing
    ratio_share: float = 0.2  # of the rest, for the ratio; the cover has what is left
    ratio_seconds: float = 0.05  # for the ratio in any case, so that it does not depend on how busy the machine is
    screen_share: float = 0.5  # of the cover's time, for choosing cases
    import_seconds: float = 0.7  # that loading SciPy's solvers takes, the first time
    seconds_per_separation: float = 1e-8  # of counted work: per case and test of a cover's program …
    seconds_per_iteration: float = 5e-5  # … and per iteration of its solver, beside that of its cells
    seconds_per_count: float = 3e-9  # the same for a ratio: per case and test that is counted
    seconds_per_level_cell: float = 1e-8  # of greedy growth by levels: per case and test, and number of a table
    seal_share: float = 0.3  # of the time that the other parts of a certificate took, for sealing it


DEFAULT_PLAN = WorkPlan()


class Clock:
    """When to stop: by time where the user gave seconds, else by counted work, whose limit every machine reaches alike.

    Work is counted in seconds too, of an ordinary processor, and only where it is done: by the core, or by `spend`.
    Working code asks often; every now and then that is passed on to `tick`, for a progress bar.

    seconds  a time limit; None: the time does not matter; infinity: neither does the work
    work     where there is no time limit: seconds of counted work; None: no limit
    """

    def __init__(
        self,
        seconds: float | None,
        tick: Tick | None = None,
        whole: Clock | None = None,
        *,
        work: float | None = None,
        plan: WorkPlan | None = None,
    ) -> None:
        self.plan: WorkPlan = plan or (DEFAULT_PLAN if whole is None else whole.plan)
        if seconds == math.inf:
            seconds = work = None
        self.counts_work: bool = seconds is None and (whole is None or work is not None or whole.counts_work)
        self._whole = whole  # the clock that this one is a share of
        self._root: Clock = self if whole is None else whole._root
        self._work = 0  # nanoseconds that were counted, in the root
        self._began = self._now
        limit = work if self.counts_work else seconds
        self._end = None if limit is None else self._began + round(limit * NANOSECONDS)
        self._tick, self._next_tick = tick, time.monotonic() + BETWEEN_TICKS
        self._interrupted = False
        self._is_trial = False
        self.ended_work = False  # whether who asked this clock or a share of it was told that it is over
        self._in_core: set[CoreClock] = set()  # those of the core that run now, in the whole clock

    @property
    def _now(self) -> int:
        """The nanoseconds by which this clock goes."""
        return self._root._work if self.counts_work else round(time.monotonic() * NANOSECONDS)

    @property
    def is_over(self) -> bool:
        is_over = self._is_over()
        if is_over:
            self._note_end()
        return is_over

    def ended(self, *, complete: bool) -> Ended:
        """How work by this clock ended: where it is not complete, Ctrl-C or its limit is the reason."""
        if complete:
            return Ended.COMPLETE
        if self.was_interrupted:
            return Ended.INTERRUPTED
        return Ended.WORK_LIMIT if self.counts_work else Ended.TIME_LIMIT

    def _note_end(self) -> None:
        self.ended_work = True
        if self._whole is not None and (not self._is_trial or self._whole._is_over()):
            self._whole._note_end()

    def _is_over(self) -> bool:
        if self._interrupted or (self._whole is not None and self._whole._is_over()):
            return True
        if self._tick is not None and (now := time.monotonic()) >= self._next_tick:
            self._next_tick = now + BETWEEN_TICKS
            self._tick(0, 1)
        return self._end is not None and self._now >= self._end

    @property
    def is_out_of_time(self) -> bool:
        """Whether a time limit or Ctrl-C has ended it: what follows counted work and is short need not be done."""
        return self.was_interrupted or any(not clock.counts_work and clock._is_over() for clock in self._wholes)

    @property
    def was_interrupted(self) -> bool:
        return self._interrupted or (self._whole is not None and self._whole.was_interrupted)

    def spend(self, seconds: float) -> None:
        """Counts work that was done outside the core."""
        self._root._work += round(seconds * NANOSECONDS)

    @property
    def seconds_passed(self) -> float:
        """Seconds so far: of counted work if it counts work, else of time."""
        return (self._now - self._began) / NANOSECONDS

    @property
    def seconds_left(self) -> float | None:
        """Seconds left, of counted work if it counts work, else of time; None without a limit."""
        if self._interrupted:
            return 0.0
        return None if self._end is None else max(self._end - self._now, 0) / NANOSECONDS

    def seconds_of(self, share: float) -> float | None:
        """This share of the seconds left; None where there is no limit."""
        return None if (left := self.seconds_left) is None else share * left

    def end(self) -> None:
        """Over from now on: what is left does not suffice for anything."""
        self._end = self._now
        self._note_end()

    def share(self, seconds: float | None, tick: Tick | None = None) -> Clock:
        """A clock that stops after so many seconds, or with this one."""
        left = self.seconds_left
        shorter = seconds if left is None or (seconds is not None and seconds < left) else left
        return Clock(None, tick, self, work=shorter) if self.counts_work else Clock(shorter, tick, self)

    def trial(self, work: float) -> Clock:
        """A clock for what can be done without: it stops after so much counted work, or with this one.

        Where only the work is over, nothing is noted here: the answer is the same wherever it is asked for.
        """
        clock = Clock(None, None, self, work=work)
        clock._is_trial = True
        return clock

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
        return [self] if self._whole is None else [self, *self._whole._wholes]

    def _left(self, *, of_work: bool) -> int | None:
        """The least nanoseconds of work, or of time, that this clock and those that it is a share of have left."""
        ends = ((clock._end, clock) for clock in self._wholes if clock.counts_work is of_work)
        return min((max(end - clock._now, 0) for end, clock in ends if end is not None), default=None)

    @contextmanager
    def in_core(self) -> Iterator[CoreClock]:
        """The same clock for a call of the native core that answers also where Ctrl-C ends it."""
        from budgetree._native import core  # which a command line that only listens does not need

        time_left = 0 if self.is_over and self.is_out_of_time else self._left(of_work=False)
        seconds = None if time_left is None else time_left / NANOSECONDS
        clock, wholes = core.Clock(seconds, self._tick, self._left(of_work=True)), self._wholes
        for whole in wholes:
            whole._in_core.add(clock)
        try:
            if any(whole._interrupted for whole in wholes):  # Ctrl-C may have come just before the clock was known
                clock.stop()
            yield clock
        finally:
            for whole in wholes:
                whole._in_core.discard(clock)
            self._root._work += clock.work
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


_stops: list[Callable[[], object]] = []  # of searches, and of the searches within them: what Ctrl-C calls instead
_first: float | None = None  # when Ctrl-C came, in the outermost search


def _stop_all(number: int, frame: FrameType | None) -> None:
    global _first
    if _first is None:
        _first = time.monotonic()
    elif time.monotonic() - _first > HURRY:
        raise_interrupt(number, frame)
    for stop in _stops:
        stop()


@contextmanager
def instead_of_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """While it lasts, Ctrl-C calls this and raises nothing; only who presses it again later gets KeyboardInterrupt.

    Nothing changes in other threads than the main one, and where another handler listens to Ctrl-C.
    """
    global _first
    before, is_main = signal.getsignal(signal.SIGINT), threading.current_thread() is threading.main_thread()
    if not is_main or before not in (signal.default_int_handler, raise_interrupt, _stop_all):
        yield
        return
    if before is not _stop_all:
        _first = None
    _stops.append(stop)
    try:
        if _first is not None:
            stop()
        signal.signal(signal.SIGINT, _stop_all)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
    finally:
        _stops.remove(stop)


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
