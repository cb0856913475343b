"""frontier: what each budget buys, for new cases or for the known ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import Remedy, SettingError
from budgetree.learn._fit import MethodName, ObjectiveName, make_request
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES
from budgetree.learn.points import Frontier
from budgetree.learn.predictive.budgets import DEFAULT_POINTS
from budgetree.learn.routes import KnownRoute, NewRoute, at_named_budgets, travel
from budgetree.learn.settings import CACHE_BYTES, FitRequest, Leaves, at_least_one, check_cases
from budgetree.learn.validation import DEFAULT_FOLDS
from budgetree.problem.units import as_fraction, is_unlimited, plain_number
from budgetree.services.clock import Clock
from budgetree.tree.provenance import Objective


def frontier(
    instance: AnyCases,
    *,
    method: MethodName = "auto",
    impurities: Sequence[Any] | None = None,
    max_budget: Any = None,
    budgets: Sequence[Any] | None = None,
    points: int | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
    folds: int = DEFAULT_FOLDS,
    groups: Any = None,
    objective: ObjectiveName = "auto",
    leaves: Leaves = "auto",
    confidence: float | None = None,
    min_cases: int = 1,
    threads: int | None = None,
) -> Frontier:
    """What each budget buys: by default the lowest error to expect on new cases.

    Cases in shards (those of `budgetree.dask`, say) have a greedy frontier for known cases, of which nothing is held
    out. Where the first tree takes longer than `time_limit`, it ends early, and its `origin` says so.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        Of trees for known cases. "exact": the fewest errors of any tree at all, each point proven as far as the time
        goes; "greedy": of a tree for each impurity and parameter, each cut at every budget; "auto": exact as far as
        some seconds of counted work (or `time_limit`) go, with what was found beyond, or greedy where the data are too
        large to search or impurities are named. `Frontier.method` says which.
    impurities : sequence, optional
        Of the greedy trees: a hinged class stands for all its α's, an object for itself. By default Powers 2 to 5, and
        HingedPairs and HingedProduct over their α's.
    max_budget : number, optional
        No point beyond it; greedy trees are then grown under this hard budget too.
    budgets : sequence of numbers, optional
        Only these, and 0: a point for each, also where two of them buy the same tree.
    points : int, optional
        Of a frontier for new cases, how many budgets to try where none is named: 12 by default, those at which what
        they buy changes most. Budgets that buy the same are one point.
    time_limit : float, optional
        Seconds after which the best so far is returned; so does Ctrl-C in an exact search. Half of them are for the
        search, and what is left for the folds. By default work is counted instead, and the answer is the same on every
        machine; `math.inf` searches to the end.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.
    cache_bytes : int, optional
        Memory for what trees share or the search has learned.
    folds : int, default 5
        Parts in which the rows are held out, one after the other, while all is learned again from the rest:
        `Point.new_error` is the share of rows that trees get wrong which never saw them. Budgets are compared on the
        same rows, and where a cheaper tree for new cases loses less than a budget's own, by 1.5 standard errors, that
        budget has the cheaper one. 0 leaves all that out, and from 50,000 rows on one fifth is held out, once.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's): they are held out together. By default
        exact copies, as in `fit`.
    objective : {'auto', 'new', 'known'}, default 'auto'
        "new": the lowest error on new cases, at some budgets, and beside it the fewest errors on known ones. "known":
        for every budget the fewest errors on the known cases (the least loss, where losses are given). "auto": as in
        `fit`, new but for lists of facts and where a setting is only about known cases.
    leaves, confidence : optional
        Those of `predictive`, for new cases only.
    min_cases : int, default 1
        No leaf has fewer known cases; for known cases only.
    threads : int, optional
        Of exact search; None means one for each processor. Points that are proven do not depend on it.

    Returns
    -------
    Frontier
        A point for every budget at which something changes, or for each that is named.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, or exact search was asked for and the table is beyond what it can
        hold.

    Examples
    --------
    >>> import budgetree as bt
    >>> found = bt.frontier(bt.datasets.load("house_votes"), budgets=[1, 3])
    >>> [point.budget for point in found], found.recommended.budget  # no evidence that more than 1 helps
    ([0, 1, 3], 1)
    >>> known = bt.frontier(bt.datasets.load("synthetic"), objective="known", folds=0)
    >>> [(point.max_cost, point.errors) for point in known][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_cases(instance)
    named = _check_budgets(instance, budgets, max_budget)
    request = make_request(
        instance,
        objective=objective,
        method=method,
        impurities=impurities,
        time_limit=time_limit,
        cache_bytes=cache_bytes,
        folds=folds,
        groups=groups,
        leaves=leaves,
        confidence=confidence,
        min_cases=min_cases,
        threads=threads,
    )
    n_points = _check_points(points, request, named)
    costs = instance.schema.costs
    limit = costs.budget_units(max_budget, "max_budget") if named is None else costs.budget_units(named[-1])
    request = replace(request, budget=limit)
    if isinstance(instance, DistributedCases) and request.objective is Objective.KNOWN:
        if request.method == "auto":  # of which fit makes one tree
            request = replace(request, method="greedy", impurities=DEFAULT_IMPURITIES)
        found = KnownRoute(request).search(instance, Clock(request.time_limit), progress)
        return found if named is None else at_named_budgets(found, named)
    if request.objective is Objective.NEW:
        route = NewRoute(request, named, n_points, is_named=named is not None)
        return travel(route, instance, progress, known_line=True)
    return travel(KnownRoute(request, named=named), instance, progress)


def _check_budgets(instance: AnyCases, budgets: Any, max_budget: Any) -> list[int | float] | None:
    """The budgets named, smallest first; a limit of none is what all tests cost."""
    if budgets is None:
        return None
    if max_budget is not None:
        message = "budgets and max_budget: the largest of the budgets is the last point; give one of the two."
        raise SettingError(message, subject="max_budget", found=max_budget)
    if isinstance(budgets, str) or not isinstance(budgets, Iterable):
        message = f"budgets is {budgets!r}; expected a list such as [20, 110, 200]."
        raise SettingError(message, subject="budgets", found=budgets)
    costs = instance.schema.costs
    every = costs.amount(costs.price_of_all)
    named = []
    for budget in budgets:
        costs.budget_units(budget, "budgets")
        named.append(every if is_unlimited(budget) else plain_number(as_fraction(budget)))
    if not named:
        message = "budgets: the list is empty; expected at least one budget."
        raise SettingError(message, subject="budgets", found=())
    return sorted(set(named))


def _check_points(points: Any, request: FitRequest, named: Sequence[int | float] | None) -> int:
    """How many budgets to try; only where that is left to us."""
    if points is None:
        return DEFAULT_POINTS
    n_points = at_least_one(points, "points", "a whole number of at least 1")
    if named is not None:
        message = "budgets and points: each budget that is named is a point; give one of the two."
        raise SettingError(message, subject="points", found=points)
    if request.objective is Objective.KNOWN:
        message = "points: for known cases there is a point wherever a larger budget buys fewer errors."
        remedy = Remedy('Leave points out, or give objective="new".', "Leave --points out, or use --objective new.")
        raise SettingError(message, subject="points", found=points, remedy=remedy)
    return n_points
