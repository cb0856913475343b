"""frontier: for every budget the fewest errors, proven where exact search can, greedy where the data are too large."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from budgetree.errors import TooLargeError
from budgetree.impurity import Impurity
from budgetree.learn.exact.frontier import search_frontier
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.greedy.portfolio import CACHE_BYTES, DEFAULT_IMPURITIES, HINGED
from budgetree.learn.greedy.settings import check_settings
from budgetree.learn.points import Frontier, make_point
from budgetree.learn.proofs import with_proofs
from budgetree.learn.settings import Request, check_cache_bytes, check_instance, check_threads, check_time_limit
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, progress_bar

METHODS = ("auto", "exact", "greedy")
AUTO_SECONDS = 10.0  # for exact search, where the user leaves the method and the time to us
AUTO_SHARE = 0.02  # of the time: what the last two tests of the whole set may take, which exact search does often


def frontier(
    instance: Instance,
    *,
    method: Literal["auto", "exact", "greedy"] = "auto",
    impurities: Sequence[Any] | None = None,
    max_budget: Any = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
) -> Frontier:
    """For every budget the fewest errors.

    method       "exact": the fewest of any tree at all, each point proven as far as the time goes;
                 "greedy": of a tree for each impurity and parameter, each cut at every budget;
                 "auto": exact for ten seconds (or time_limit), with what was found beyond, or greedy where the data
                 are too large to search or impurities are named; Frontier.method says which
    impurities   of the greedy trees; default Powers 2 to 5 and HingedPairs and HingedProduct over their α's; a hinged
                 class stands for all its α's, an object for itself
    max_budget   no point beyond it; greedy trees are then grown under this hard budget too
    time_limit   seconds after which the best so far is returned; so does Ctrl-C in an exact search
    progress     True or False to show or hide the bar; by default it shows on a terminal
    cache_bytes  memory for what trees share or the search has learned

    >>> import budgetree as bt
    >>> [(point.max_cost, point.errors) for point in bt.frontier(bt.datasets.load("synthetic"))][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_instance(instance)
    check_cache_bytes(cache_bytes)
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; expected {', '.join(map(repr, METHODS))}.")
    chosen = _check_impurities(instance, impurities)
    seconds = check_time_limit(time_limit)
    limit = instance.schema.table.budget_units(max_budget, "max_budget")
    request = Request(instance, limit, chosen, cache_bytes, check_threads(None))
    if method == "greedy" or (method == "auto" and impurities is not None):
        return with_proofs(_grown(request, Clock(seconds), progress, "greedy"))
    if method == "auto" and seconds is None:
        seconds = AUTO_SECONDS
    clock = Clock(seconds)
    with progress_bar("exact frontier", progress) as report:
        solver = _make_solver(request, clock, report, None if method == "exact" else seconds)
        if solver is not None:
            return with_proofs(_searched(solver, instance))
    size = f"{instance.n_objects:,} cases × {instance.n_tests:,} tests"
    return with_proofs(
        _grown(request, clock, progress, f"greedy, as {size} are too many for exact search in this time")
    )


def _check_impurities(instance: Instance, impurities: Any) -> Sequence[Any]:
    if impurities is None:
        return DEFAULT_IMPURITIES
    if isinstance(impurities, (Impurity, type)):
        impurities = [impurities]
    if isinstance(impurities, str) or not isinstance(impurities, Iterable):
        raise ValueError(f"impurities is {impurities!r}; expected a list such as [Powers(3), HingedPairs].")
    chosen = tuple(impurities)
    if not chosen:
        raise ValueError("impurities: the list is empty; expected at least one impurity.")
    for impurity in chosen:
        if impurity not in HINGED:
            check_settings(instance, impurity, 0, None, "worst")
    return chosen


def _grown(request: Request, clock: Clock, progress: bool | None, words: str) -> Frontier:
    """By greedy trees; nothing is proven but errors that no tree avoids."""
    instance = request.instance
    with progress_bar("greedy frontier", progress) as report:
        found = grow_frontier(request, clock, report)
    points = tuple(make_point(instance, tree, instance.irreducible.units) for tree in found)
    return Frontier(points, instance, not clock.is_over, words)


def _make_solver(request: Request, clock: Clock, report: ProgressReport, only_if_in: float | None) -> Solver | None:
    """Exact search; where the method is left to us, None if it has no hope within these seconds."""
    try:
        solver = Solver(request, clock, report, wants_every_budget=True)
    except TooLargeError:
        if only_if_in is None:
            raise
        return None
    is_hopeless = only_if_in is not None and solver.layout.work_for_two > AUTO_SHARE * only_if_in * 1e9
    return None if is_hopeless else solver


def _searched(solver: Solver, instance: Instance) -> Frontier:
    """By exact search: what is proven, and beyond it the best that was found."""
    result = search_frontier(solver)
    points = [make_point(instance, found, found.errors) for found in result.proven]
    points += [make_point(instance, found, solver.lower_bound(found.need)) for found in result.beyond]
    words = "exact search"
    if not result.complete:
        words += f", {sum(point.proven for point in points)} of {len(points)} points proven"
    return Frontier(tuple(points), instance, result.complete, words, len(result.proven))
