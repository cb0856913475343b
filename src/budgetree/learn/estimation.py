"""Estimation: a search, and then the same on parts of the rows, for the error to expect on new cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from budgetree.learn.points import Frontier
from budgetree.learn.validation import FoldSettings, answers_of_rows, are_wrong, cross_validate, in_time
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
    clock, start = Clock(limits.whole), time.monotonic()
    with clock.listening():
        found = search.search(instance, clock.share(limits.search), progress)
        if settings is None:
            return found
        least = clock.plan.hurried_share * (time.monotonic() - start)  # what is learned in a hurry says little
        try:
            row_errors = _row_errors(found, clock)
        except OutOfTimeError:  # then there is none for folds either
            row_errors = [None] * len(found)
        budgets = [point.max_cost for point in found]
        with progress_bar("error on new cases", progress) as report:
            judged = cross_validate(
                instance, search.again(found), budgets, settings, clock, min_seconds=least, report=report
            )
    points = []
    for index, point in enumerate(found):
        if judged.new_errors:
            new = judged.new_errors[index]
            point = replace(
                point, new_error=new.error, new_error_se=new.se, _row_error=row_errors[index], _how=judged.how
            )
        if judged.new_losses:
            point = replace(point, new_loss=judged.new_losses[index].loss, new_loss_se=judged.new_losses[index].se)
        points.append(point)
    return replace(found, points=tuple(points), validation=judged)


def _row_errors(frontier: Frontier, clock: Clock) -> list[float | None]:
    """Per point the share of known rows that it gets wrong, where those are not the known cases: new cases are rows."""
    instance = frontier.instance
    if instance.source is None or instance.source.duplicates != "merge" or instance.n_rows == instance.n_objects:
        return [None] * len(frontier)
    rows = np.arange(instance.n_rows)
    trees = in_time([partial(getattr, point, "tree") for point in frontier], clock)
    answers = answers_of_rows(trees, instance, instance, rows)
    wrong = are_wrong(answers, instance, rows)
    return [float(share) for share in wrong @ instance.row_weights / instance.row_weights.sum()]
