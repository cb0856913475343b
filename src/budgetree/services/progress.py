"""A progress bar for long work: on a terminal only, and not for what is over at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from budgetree.services.words import visible

SHOW_AFTER = 0.5  # seconds


class ProgressReport(Protocol):
    """Called with what is done so far, what there is to do, and a few words."""

    def __call__(self, done: float, total: float, words: str = "") -> None: ...


def no_report(done: float, total: float, words: str = "") -> None:
    """Shows nothing."""


def on_terminal() -> bool:
    """Whether stderr is shown to a person; some services have none at all."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress_bar(title: str, wanted: bool | None) -> Iterator[ProgressReport]:
    """A bar on stderr; `wanted` None means: when stderr is a terminal."""
    if not (on_terminal() if wanted is None else wanted):
        yield no_report
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}", markup=False)  # a name in brackets is not a style
    columns = (TextColumn(title, markup=False), BarColumn(), words, TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True, force_terminal=True), transient=True)
    task = bar.add_task("")
    start, shown = time.monotonic(), False

    def report(done: float, total: float, words: str = "") -> None:
        nonlocal shown
        if not shown and time.monotonic() - start > SHOW_AFTER:
            bar.start()
            shown = True
        bar.update(task, completed=done, total=total, description=visible(words))

    try:
        yield report
    finally:
        if shown:
            bar.stop()
