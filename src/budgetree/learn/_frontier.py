"""frontier: for every budget the fewest errors, and the error to expect on new cases."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import SettingError
from budgetree.impurity import Impurity
from budgetree.learn._predictive import NewSearch, budgets_up_to, price_of_all
from budgetree.learn.greedy.portfolio import CACHE_BYTES, DEFAULT_IMPURITIES, HINGED
from budgetree.learn.greedy.rule import check_settings
from budgetree.learn.known_search import KnownSearch
from budgetree.learn.points import Frontier
from budgetree.learn.predictive.fit import SURE, check_sure
from budgetree.learn.settings import (
    check_cache_bytes,
    check_cases,
    check_choice,
    check_min_cases,
    check_threads,
    check_time_limit,
)
from budgetree.learn.validation import (
    DEFAULT_FOLDS,
    FoldSettings,
    answers_of_rows,
    are_wrong,
    check_folds,
    cross_validate,
    in_time,
)
from budgetree.problem import Instance
from budgetree.problem.units import is_unlimited
from budgetree.services.clock import DEFAULT_PLAN, Clock, OutOfTimeError
from budgetree.services.progress import progress_bar
from budgetree.tree import Tree


def frontier(
    instance: AnyCases,
    *,
    method: Literal["auto", "exact", "greedy"] = "auto",
    impurities: Sequence[Any] | None = None,
    max_budget: Any = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
    folds: int = DEFAULT_FOLDS,
    groups: Any = None,
    objective: Literal["known", "new"] = "known",
    leaves: Literal["model", "count"] = "model",
    sure: float | None = SURE,
    min_cases: int = 1,
) -> Frontier:
    """For every budget the fewest errors (the least loss, where losses are given), and what to expect on new cases.

    Cases in shards (those of `budgetree.dask`, say) have a greedy frontier, and nothing of them is held out. Where the
    first tree takes longer than `time_limit`, it ends early, and its `origin` says so.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        "exact": the fewest of any tree at all, each point proven as far as the time goes; "greedy": of a tree for each
        impurity and parameter, each cut at every budget; "auto": exact for ten seconds (or `time_limit`), with what was
        found beyond, or greedy where the data are too large to search or impurities are named. `Frontier.method` says
        which.
    impurities : sequence, optional
        Of the greedy trees: a hinged class stands for all its α's, an object for itself. By default Powers 2 to 5, and
        HingedPairs and HingedProduct over their α's.
    max_budget : number, optional
        No point beyond it; greedy trees are then grown under this hard budget too.
    time_limit : float, optional
        Seconds after which the best so far is returned; so does Ctrl-C in an exact search. Half of them are for the
        search, and what is left for the folds.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.
    cache_bytes : int, optional
        Memory for what trees share or the search has learned.
    folds : int, default 5
        Parts in which the rows are held out, one after the other, while all is learned again from the rest:
        `Point.new_error` is the share of rows that trees get wrong which never saw them. 0 leaves that out, and from
        50,000 rows on one fifth is held out, once.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's): they are held out together.
    objective : {'known', 'new'}, default 'known'
        "known": the fewest errors on the known cases. "new": the lowest error on new cases, at a few budgets; `method`,
        `impurities` and `cache_bytes` are then without effect.
    leaves, sure : optional
        Those of `predictive`, for new cases only.
    min_cases : int, default 1
        No leaf has fewer known cases; for known cases only.

    Returns
    -------
    Frontier
        A point for every budget at which something changes.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, or exact search was asked for and the table is beyond what it can
        hold.

    Examples
    --------
    >>> import budgetree as bt
    >>> [(point.max_cost, point.errors) for point in bt.frontier(bt.datasets.load("synthetic"), folds=0)][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_cases(instance)
    check_cache_bytes(cache_bytes)
    check_choice("method", method, ("auto", "exact", "greedy"))
    check_choice("objective", objective, ("known", "new"))
    chosen = _check_impurities(instance, impurities)
    seconds = check_time_limit(time_limit)
    instance.schema.costs.budget_units(max_budget, "max_budget")
    least = check_min_cases(min_cases)
    if isinstance(instance, DistributedCases):
        _check_sharded(method, objective, groups)
        greedy = KnownSearch("greedy", chosen, max_budget, cache_bytes, check_threads(None), least)
        return greedy.search(instance, Clock(seconds), progress)
    settings = check_folds(folds, groups, instance)
    if objective == "new" and least > 1:
        raise SettingError(
            "min_cases: how small the leaves of trees for new cases may be is decided by evidence, not by a number; "
            'leave min_cases out, or give objective="known".',
            subject="min_cases",
            found=least,
        )
    if objective == "new":
        new = NewSearch(budgets_up_to(instance, max_budget), check_sure(sure), leaves)
        return _estimated(new, instance, settings, progress, split_time(seconds, settings))
    by = "greedy" if method == "auto" and impurities is not None else method
    search = KnownSearch(by, chosen, max_budget, cache_bytes, check_threads(None), least)
    limits = split_time(seconds, settings, DEFAULT_PLAN.auto_seconds if by == "auto" else None)
    return _estimated(search, instance, settings, progress, limits)


def frontier_for_new(
    instance: Instance,
    budgets: Sequence[Any],
    learner: Mapping[str, Any],
    *,
    folds: int = DEFAULT_FOLDS,
    groups: Any = None,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Frontier:
    """frontier(objective="new") for the budgets named, None for all tests; learner has sure and leaves."""
    for budget in budgets:
        instance.schema.costs.budget_units(budget)
    budgets = [price_of_all(instance) if is_unlimited(budget) else budget for budget in budgets]
    settings = check_folds(folds, groups, instance)
    limits = split_time(check_time_limit(time_limit), settings)
    return _estimated(NewSearch(budgets, **learner), instance, settings, progress, limits)


class Search(Protocol):
    """A way to find trees for many budgets, which can be gone again with some of the rows."""

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier: ...

    def again(self, found: Frontier, /) -> Callable[[Instance, Clock], Callable[[Any], Tree]]: ...


def split_time(
    time_limit: float | None, settings: FoldSettings | None, default: float | None = None
) -> tuple[float | None, float | None]:
    """Seconds for the search, and for the search and the folds together; None for no limit.

    Half of the time limit each; where there is none, the folds may take as long as the search by default.
    """
    if time_limit is None:
        return default, None if default is None else default * (1 if settings is None else 2)
    return time_limit if settings is None else time_limit / 2, time_limit


def _estimated(
    search: Search,
    instance: Instance,
    settings: FoldSettings | None,
    progress: bool | None,
    seconds: tuple[float | None, float | None],
) -> Frontier:
    """The frontier, whose points know their error on new cases as far as there is time; Ctrl-C ends that time."""
    for_search, whole = seconds
    clock, start = Clock(whole), time.monotonic()
    with clock.listening():
        found = search.search(instance, clock.share(for_search), progress)
        if settings is None:
            return found
        least = clock.plan.hurried_share * (time.monotonic() - start)  # what is learned in a hurry says little
        try:
            row_errors = _row_errors(found, clock)
        except OutOfTimeError:  # then there is none for folds either
            row_errors = [None] * len(found)
        budgets = [point.max_cost for point in found]
        with progress_bar("error on new cases", progress) as report:
            learn = search.again(found)
            judged = cross_validate(instance, learn, budgets, settings, clock, min_seconds=least, report=report)
    points = list(found)
    for index, new in enumerate(judged.new_errors):
        row_error = row_errors[index]
        points[index] = replace(
            points[index], new_error=new.error, new_error_se=new.se, _row_error=row_error, _how=judged.how
        )
    for index, new_loss in enumerate(judged.new_losses):
        points[index] = replace(points[index], new_loss=new_loss.loss, new_loss_se=new_loss.se)
    return replace(found, points=tuple(points), validation=judged)


def _row_errors(frontier: Frontier, clock: Clock) -> list[float | None]:
    """Per point the share of known rows that it gets wrong, where those are not the known cases: new cases are rows."""
    instance = frontier.instance
    if instance.source is None or instance.source.duplicates != "merge" or instance.n_rows == instance.n_objects:
        return [None] * len(frontier)
    rows = np.arange(instance.n_rows)
    trees = in_time([partial(getattr, point, "tree") for point in frontier], clock)
    wrong = are_wrong(answers_of_rows(trees, instance, instance, rows), instance, rows)
    return [float(share) for share in wrong @ instance.row_weights / instance.row_weights.sum()]


def _check_impurities(instance: AnyCases, impurities: Any) -> Sequence[Any]:
    if impurities is None:
        return DEFAULT_IMPURITIES
    if isinstance(impurities, (Impurity, type)):
        impurities = [impurities]
    if isinstance(impurities, str) or not isinstance(impurities, Iterable):
        message = f"impurities is {impurities!r}; expected a list such as [Powers(3), HingedPairs]."
        raise SettingError(message, subject="impurities", found=impurities)
    chosen = tuple(impurities)
    if not chosen:
        message = "impurities: the list is empty; expected at least one impurity."
        raise SettingError(message, subject="impurities", found=chosen)
    for impurity in chosen:
        if impurity not in HINGED:
            check_settings(instance, impurity, 0, None, "worst")
    return chosen


def _check_sharded(method: str, objective: str, groups: Any) -> None:
    """What shards do not allow, because only sums are known of their cases."""
    if method == "exact":
        message = 'method is "exact", but the cases are in shards; expected "greedy" or "auto".'
        raise SettingError(message, subject="method", found=method, expected=("greedy", "auto"))
    if objective == "new":
        message = 'objective is "new", but the cases are in shards; expected "known".'
        raise SettingError(message, subject="objective", found=objective, expected=("known",))
    if groups is not None:
        message = "groups: the cases are in shards, and nothing of them is held out; leave groups out."
        raise SettingError(message, subject="groups")
