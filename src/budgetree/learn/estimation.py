"""Estimation: a search, and then the same on parts of the rows, for the error to expect on new cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from budgetree.learn.points import Frontier
from budgetree.learn.validation import FoldSettings, Validation, answers_of_rows, are_wrong, cross_validate, in_time
from budgetree.problem import Instance
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import progress_bar
from budgetree.tree import Tree


class Search(Protocol):
    """A way to find trees for many budgets, which can be gone again with some of the rows."""

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier: ...

    def again(self, found: Frontier, /) -> Callable[[Instance, Clock], Callable[[Any], Tree]]: ...


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds for the search, and for the search and the folds together; None for no limit."""

    search: float | None
    whole: float | None

    @classmethod
    def of(cls, time_limit: float | None, settings: FoldSettings | None, default: float | None = None) -> TimeLimits:
        """Half of the time limit each; where there is none, the folds may take as long as the search by default."""
        if time_limit is None:
            return cls(default, None if default is None else default * (1 if settings is None else 2))
        return cls(time_limit if settings is None else time_limit / 2, time_limit)


def estimated(
    search: Search, instance: Instance, limits: TimeLimits, settings: FoldSettings | None, progress: bool | None
) -> Frontier:
    """The frontier, whose points know their error on new cases as far as there is time; Ctrl-C ends that time."""
    clock = Clock(limits.whole)
    with clock.listening():
        return _estimated(search, instance, clock, limits, settings, progress)


def _estimated(
    search: Search,
    instance: Instance,
    clock: Clock,
    limits: TimeLimits,
    settings: FoldSettings | None,
    progress: bool | None,
) -> Frontier:
    start = time.monotonic()
    share = clock.share(limits.search)
    found = search.search(instance, share, progress)
    if settings is None:
        return found
    seconds = time.monotonic() - start
    try:
        row_errors = _row_errors(found, clock)
    except OutOfTimeError:  # then there is none for folds either
        row_errors = [None] * len(found)
    with progress_bar("error on new cases", progress) as report:
        validation = cross_validate(
            instance,
            search.again(found),
            [point.max_cost for point in found],
            settings,
            clock,
            min_seconds=clock.plan.hurried_share * seconds,
            report=report,
        )
    return _with_new_errors(found, validation, row_errors)


def _with_new_errors(frontier: Frontier, validation: Validation, row_errors: list[float | None]) -> Frontier:
    """The same frontier with what was found out about new cases."""
    points = frontier.points
    if validation.new_errors:
        points = tuple(
            replace(point, new_error=new.error, new_error_se=new.se, _row_error=row_error, _how=validation.how)
            for point, new, row_error in zip(points, validation.new_errors, row_errors, strict=True)
        )
    if validation.new_losses:
        points = tuple(
            replace(point, new_loss=new.loss, new_loss_se=new.se)
            for point, new in zip(points, validation.new_losses, strict=True)
        )
    return replace(frontier, points=points, validation=validation)


def _row_errors(frontier: Frontier, clock: Clock) -> list[float | None]:
    """Per point the share of known rows that it gets wrong, where those are not the known cases: new cases are rows."""
    instance = frontier.instance
    if instance.raw is None or instance.raw.duplicates != "merge" or instance.n_rows == instance.n_objects:
        return [None] * len(frontier)
    rows = np.arange(instance.n_rows)
    trees = in_time([partial(getattr, point, "tree") for point in frontier], clock)
    answers = answers_of_rows(trees, instance, instance, rows)
    wrong = are_wrong(answers, instance, rows)
    return [float(share) for share in wrong @ instance.row_weights / instance.row_weights.sum()]
