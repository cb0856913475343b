"""frontier: for every budget the fewest errors, and the error to expect on new cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import SettingError
from budgetree.learn._fit import MethodName, ObjectiveName, make_request
from budgetree.learn.points import Frontier
from budgetree.learn.predictive.trees import budgets_up_to, price_of_all
from budgetree.learn.routes import KnownRoute, NewRoute, at_named_budgets, travel
from budgetree.learn.settings import CACHE_BYTES, Leaves, check_cases
from budgetree.learn.validation import DEFAULT_FOLDS
from budgetree.problem.units import as_fraction, is_unlimited, plain_number
from budgetree.services.clock import Clock
from budgetree.tree.provenance import Objective

DEFAULT_OBJECTIVE: ObjectiveName = "known"


def frontier(
    instance: AnyCases,
    *,
    method: MethodName = "auto",
    impurities: Sequence[Any] | None = None,
    max_budget: Any = None,
    budgets: Sequence[Any] | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
    folds: int = DEFAULT_FOLDS,
    groups: Any = None,
    objective: ObjectiveName | None = None,
    leaves: Leaves = "auto",
    confidence: float | None = None,
    min_cases: int = 1,
    threads: int | None = None,
) -> Frontier:
    """For every budget the fewest errors (the least loss, where losses are given), and what to expect on new cases.

    Cases in shards (those of `budgetree.dask`, say) have a greedy frontier for known cases, of which nothing is held
    out. Where the first tree takes longer than `time_limit`, it ends early, and its `origin` says so.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        "exact": the fewest of any tree at all, each point proven as far as the time goes; "greedy": of a tree for each
        impurity and parameter, each cut at every budget; "auto": exact as far as some seconds of counted work
        (or `time_limit`) go, with what was found beyond, or greedy where the data are too large to search or impurities
        are named. `Frontier.method` says which.
    impurities : sequence, optional
        Of the greedy trees: a hinged class stands for all its α's, an object for itself. By default Powers 2 to 5, and
        HingedPairs and HingedProduct over their α's.
    max_budget : number, optional
        No point beyond it; greedy trees are then grown under this hard budget too.
    budgets : sequence of numbers, optional
        Only these, and 0: a point for each, also where two of them buy the same tree.
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
        `Point.new_error` is the share of rows that trees get wrong which never saw them. 0 leaves that out, and from
        50,000 rows on one fifth is held out, once.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's): they are held out together.
    objective : {'known', 'new', 'auto'}, optional
        "known" (the default): the fewest errors on the known cases. "new": the lowest error on new cases, at a few
        budgets, and beside it the fewest errors on known ones; `method`, `impurities` and `cache_bytes` are then
        without effect. "auto": as in `fit`.
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
    >>> [(point.max_cost, point.errors) for point in bt.frontier(bt.datasets.load("synthetic"), folds=0)][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    check_cases(instance)
    named = _check_budgets(instance, budgets, max_budget)
    request = make_request(
        instance,
        objective=objective or DEFAULT_OBJECTIVE,
        method="greedy" if isinstance(instance, DistributedCases) and method == "auto" else method,
        impurities=impurities,
        time_limit=time_limit,
        cache_bytes=cache_bytes,
        folds=folds,
        groups=groups,
        leaves=leaves,
        confidence=confidence,
        min_cases=min_cases,
        is_default=objective is None,
        threads=threads,
    )
    costs = instance.schema.costs
    limit = costs.budget_units(max_budget, "max_budget") if named is None else costs.budget_units(named[-1])
    request = replace(request, budget=limit)
    if isinstance(instance, DistributedCases) and request.objective is Objective.KNOWN:
        found = KnownRoute(request).search(instance, Clock(request.time_limit), progress)
        return found if named is None else at_named_budgets(found, named)
    if request.objective is Objective.NEW:
        wanted = [costs.amount(units) for units in budgets_up_to(instance, limit)] if named is None else named
        return travel(NewRoute(request, wanted, is_named=named is not None), instance, progress, known_line=True)
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
    every = price_of_all(instance.schema)
    named = []
    for budget in budgets:
        instance.schema.costs.budget_units(budget, "budgets")
        named.append(every if is_unlimited(budget) else plain_number(as_fraction(budget)))
    if not named:
        message = "budgets: the list is empty; expected at least one budget."
        raise SettingError(message, subject="budgets", found=())
    return sorted(set(named))
