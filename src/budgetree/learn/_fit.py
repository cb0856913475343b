"""fit: the one place where "budget or error, new or known, exact or greedy, how long" is decided."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import Remedy, SettingError
from budgetree.impurity import Impurity, Pairs
from budgetree.learn._grow import grow
from budgetree.learn.exact.layout import leaf_count_bound
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES, HINGED
from budgetree.learn.greedy.rule import check_settings
from budgetree.learn.known_rows import KnownRows, check_row_groups
from budgetree.learn.points import Frontier, Point
from budgetree.learn.routes import KnownRoute, NewRoute, travel
from budgetree.learn.settings import (
    CACHE_BYTES,
    FitRequest,
    Leaves,
    check_blanks,
    check_cache_bytes,
    check_cases,
    check_choice,
    check_confidence,
    check_instance,
    check_leaves,
    check_max_error,
    check_min_cases,
    check_threads,
    check_time_limit,
)
from budgetree.learn.validation import DEFAULT_FOLDS, check_folds
from budgetree.problem import Instance
from budgetree.problem.cost_model import TOLERANCE
from budgetree.problem.units import plain_number
from budgetree.services.clock import Clock, Ended
from budgetree.services.words import counted, show_number
from budgetree.tree import Bounds, Estimate, Tree
from budgetree.tree.provenance import Method, Objective, ObjectiveChoice, ProofState, Reason

ObjectiveName = Literal["auto", "new", "known"]
MethodName = Literal["auto", "exact", "greedy"]
FEW_ROWS = 3  # a class with fewer is a fact rather than a sample


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """The tree that was asked for, what is proven of others, and what to expect of it on new cases.

    `fit` and `optimal` make one.

    Attributes
    ----------
    tree : Tree
        The tree.
    request : FitRequest
        What was asked for, in units.
    ended : Ended
        Whether the search was complete, or what ended it.
    bounds : Bounds or None
        What is known of other trees for the known cases, in units; None of a tree for new cases.
    estimate : Estimate or None
        The error (and loss) on new cases, cross-validated; None where nothing was held out.
    frontier : Frontier or None
        The points among which the tree was chosen; None where one tree was grown.
    point : Point or None
        The one that was chosen.

    Examples
    --------
    >>> import budgetree as bt
    >>> result = bt.fit(bt.datasets.load("figure1"), budget=1, objective="known", folds=0)
    >>> result.errors, result.proven, result.gap
    (10, True, 0)
    """

    tree: Tree
    request: FitRequest
    ended: Ended
    bounds: Bounds | None
    estimate: Estimate | None
    frontier: Frontier | None
    point: Point | None

    @property
    def objective(self) -> Objective:
        """Which cases the tree is for."""
        return self.request.objective

    @property
    def complete(self) -> bool:
        """Whether the search ended by itself."""
        return self.ended is Ended.COMPLETE

    @property
    def max_cost(self) -> int | float:
        """The least budget that buys the tree: no case, known or new, costs more."""
        return self.tree.max_cost

    @property
    def errors(self) -> int | float:
        """Known cases that the tree gives another class than theirs, by weight."""
        return self.tree.errors

    @property
    def loss(self) -> int | float:
        """What its wrong answers cost; the errors, where no losses are given."""
        return self.tree.loss

    @property
    def proven(self) -> bool:
        """Whether no tree does better what was asked for."""
        return self.bounds is not None and self.bounds.state is ProofState.OPTIMAL

    @property
    def lower_bound(self) -> int | float | None:
        """No tree within the budget loses less; None where nothing is known."""
        return None if self.bounds is None else plain_number(self.tree.schema.loss(self.bounds.least_loss))

    @property
    def gap(self) -> int | float | None:
        """How much less a better tree could lose at most; without losses, how many errors fewer it could make."""
        if self.bounds is None:
            return None
        return plain_number(self.tree.exact_loss - self.tree.schema.loss(self.bounds.least_loss))

    def __repr__(self) -> str:
        schema, amount = self.tree.schema, self.tree.schema.wording.amount
        within, max_cost = self.request.within, amount(self.max_cost)
        limit = "any budget" if within is None else amount(Fraction(within) / schema.costs.scale)
        lost = counted(self.errors, "error") if schema.losses is None else f"loss {show_number(self.loss)}"
        if self.bounds is None:
            return f"Result({self.estimate or 'for new cases'}; within {limit}, worst case {max_cost})"
        if not self.proven:
            return (
                f"Result({lost} within {limit}, at least {show_number(self.lower_bound or 0)}; worst case {max_cost})"
            )
        is_cheapest = self.bounds.least_cost >= self.tree.need
        least = "the least budget for that" if is_cheapest else "perhaps less would do"
        return f"Result({lost} within {limit}, proven; worst case {max_cost}, {least})"


def fit(
    cases: AnyCases,
    *,
    budget: Any = None,
    max_error: Any = None,
    objective: ObjectiveName = "auto",
    method: MethodName = "auto",
    time_limit: float | None = None,
    folds: int = DEFAULT_FOLDS,
    groups: Any = None,
    min_cases: int = 1,
    leaves: Leaves = "auto",
    confidence: float | None = None,
    impurities: Any = None,
    cache_bytes: int = CACHE_BYTES,
    threads: int | None = None,
    progress: bool | None = None,
) -> Result:
    """The best tree for a budget, or the cheapest for an error; for new cases, or for the known ones.

    Parameters
    ----------
    cases : Instance or Shards
        The known cases. Those in partitions have greedy trees for known cases, of which nothing is held out; for new
        cases, some rows are drawn from all partitions, as from a large table in memory.
    budget : number, optional
        No case, known or new, pays more than this, whatever its outcomes; None for no limit.
    max_error : number, optional
        Find the cheapest tree (within the budget) with at most this share wrong: of the known cases, or for new cases
        the least budget whose cross-validated error is at most this.
    objective : {'auto', 'new', 'known'}, default 'auto'
        "new": the lowest error to expect on cases that are not in the table. "known": the fewest errors on those in it.
        "auto": known where the table is a list of facts (most classes have fewer than three rows) or a setting is only
        about known cases (`min_cases`, `method`, `impurities`, a `max_error` of 0); else new.
    method : {'auto', 'exact', 'greedy'}, default 'auto'
        Of trees for known cases. "exact": the best of all trees, proven as far as the time goes; "greedy": the best of
        a portfolio, at once; "auto": exact for some ten seconds of counted work (or `time_limit`), greedy where the
        data are too large or impurities are named.
    time_limit : float, optional
        Seconds after which the best so far is returned; so does Ctrl-C.
    folds : int, default 5
        Parts in which the rows are held out for `Result.estimate`; 0 leaves that out. Where a tree for new cases
        loses more on them than no test at all, by 1.5 standard errors, the result is a single leaf.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's): they are held out together, for the
        estimate and where a tree for new cases is judged while it is learned. By default rows belong together that are
        exact copies of each other, where chance does not explain them; `estimate.how` says how many.
    min_cases : int, default 1
        No leaf has fewer known cases; for known cases only.
    leaves, confidence : optional
        Those of `predictive`, for new cases only.
    impurities : Impurity or sequence, optional
        Of greedy trees for known cases, as in `frontier`.
    cache_bytes : int, optional
        Memory for what trees share or the search has learned.
    threads : int, optional
        None means one for each processor; the tree does not depend on it.
    progress : bool, optional
        Whether to show the bar; by default it shows on a terminal.

    Returns
    -------
    Result
        The tree, what is proven of others, and what to expect on new cases.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, no tree has so few errors, or exact search was asked for and the table
        is beyond what it can hold.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.fit(bt.datasets.load("house_votes"), budget=5, objective="known", folds=0)
    Result(0 errors within 5, proven; worst case 5, the least budget for that)
    """
    request = make_request(
        cases,
        budget=budget,
        max_error=max_error,
        objective=objective,
        method=method,
        time_limit=time_limit,
        folds=folds,
        groups=groups,
        min_cases=min_cases,
        leaves=leaves,
        confidence=confidence,
        impurities=impurities,
        cache_bytes=cache_bytes,
        threads=threads,
    )
    return answer(cases, request, progress)


def optimal(
    instance: Instance,
    *,
    budget: Any,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
    threads: int | None = None,
    min_cases: int = 1,
) -> Result:
    """The tree with the fewest errors, or the least loss, among all whose every path costs at most the budget.

    It is `fit` with objective="known", method="exact" and no folds. Of trees that lose as little it is one with the
    least worst case; and then at every node it does the cheapest test that reaches the least loss, and no test on which
    no answer depends. With a time limit, or after Ctrl-C, it is the best tree found so far, and `lower_bound` says how
    much better another could be.

    Parameters
    ----------
    instance : Instance
        The known cases.
    budget : number or None
        No path may cost more than this, whatever its outcomes; None for no limit.
    time_limit, progress, cache_bytes, threads, min_cases : optional
        Those of `fit`.

    Returns
    -------
    Result
        The tree, its errors, and what is proven of them.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, or the table is beyond what exact search can hold.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.optimal(bt.datasets.load("house_votes"), budget=5)
    Result(0 errors within 5, proven; worst case 5, the least budget for that)
    """
    check_instance(instance)
    return fit(
        instance,
        budget=budget,
        objective="known",
        method="exact",
        time_limit=time_limit,
        folds=0,
        min_cases=min_cases,
        cache_bytes=cache_bytes,
        threads=threads,
        progress=progress,
    )


def answer(cases: AnyCases, request: FitRequest, progress: bool | None) -> Result:
    """What a request asks for."""
    if request.objective is Objective.NEW:
        costs, has_budget = cases.schema.costs, request.max_error is None
        largest = costs.amount(min(request.budget, costs.price_of_all))  # stands for no limit
        found = travel(NewRoute(request, [largest] if has_budget else None, is_named=has_budget), cases, progress)
    elif isinstance(cases, DistributedCases):
        is_one = len(request.impurities) == 1 and isinstance(request.impurities[0], Impurity)
        if is_one and request.max_error is None and request.time_limit is None:
            return _grown(cases, request, progress)
        route = KnownRoute(request, every_budget=request.max_error is not None)
        found = route.search(cases, Clock(request.time_limit), progress)
    else:
        found = travel(KnownRoute(request, every_budget=request.max_error is not None), cases, progress)
    return _result(found, request)


def _grown(cases: DistributedCases, request: FitRequest, progress: bool | None) -> Result:
    """One tree by one impurity, where the cases are: what is known of others would take another pass over them."""
    within = request.within
    amount = None if within is None else Fraction(within) / cases.schema.costs.scale
    tree = grow(
        cases,
        request.impurities[0],
        budget=amount,
        threads=request.threads,
        min_cases=request.min_cases,
        progress=progress,
    )
    return Result(tree, request, tree.ended, tree.bounds, None, None, None)


def _result(found: Frontier, request: FitRequest) -> Result:
    if request.max_error is None:
        point = found[-1]
        tree = point.tree
        if request.objective is Objective.KNOWN:
            least = replace(point.bounds, least_loss=found.least_loss, within=request.within)
            tree = replace(tree, bounds=_judged(least, point, found))
    else:
        point = found.cheapest(max_error=request.max_error)
        tree = point.tree
        if request.objective is Objective.KNOWN:
            tree = replace(tree, bounds=_judged(_bounds_for_error(found, point, request.max_error), point, found))
    return Result(tree, request, tree.ended, tree.bounds, point.estimate, found, point)


def _bounds_for_error(found: Frontier, point: Point, max_error: Fraction) -> Bounds:
    """By the bounds on the loss at each budget, and by the leaves that a tree with so few errors needs."""
    schema, total = found.instance.schema, found.instance.class_order.total
    allowed = (max_error + TOLERANCE) * total
    least = found.least_cost(int(allowed))
    if not isinstance(found.instance, DistributedCases):
        least = max(least, leaf_count_bound(found.instance, allowed / schema.weight_scale))
    return replace(point.bounds, least_cost=min(least, point.candidate.required_budget), max_error=max_error)


def _judged(bounds: Bounds, point: Point, found: Frontier) -> Bounds:
    """The same, with the state that its numbers say."""
    return Bounds.of(
        point.candidate.loss,
        point.candidate.required_budget,
        least_loss=bounds.least_loss,
        within=bounds.within,
        least_cost=bounds.least_cost,
        max_error=bounds.max_error,
        min_cases=bounds.min_cases,
        searched=found.found_by is Method.EXACT,
    )


def make_request(
    cases: AnyCases,
    *,
    budget: Any = None,
    max_error: Any = None,
    objective: str = "auto",
    method: str = "auto",
    time_limit: Any = None,
    folds: Any = DEFAULT_FOLDS,
    groups: Any = None,
    min_cases: Any = 1,
    leaves: Any = "auto",
    confidence: Any = None,
    impurities: Any = None,
    cache_bytes: Any = CACHE_BYTES,
    threads: Any = None,
) -> FitRequest:
    """The request that these settings make, checked."""
    check_cases(cases)
    check_cache_bytes(cache_bytes)
    check_choice("method", method, ("auto", "exact", "greedy"))
    check_choice("objective", objective, ("auto", "known", "new"))
    check_leaves(leaves, len(cases.schema.class_names))
    least, chosen = check_min_cases(min_cases), _check_impurities(cases, impurities)
    share = None if max_error is None else check_max_error(max_error)
    is_distributed = isinstance(cases, DistributedCases)
    if is_distributed and method == "exact":
        message = 'method is "exact", but the cases are in shards; expected "greedy" or "auto".'
        raise SettingError(message, subject="method", found=method, expected=("greedy", "auto"))
    if is_distributed and method == "auto" and impurities is None:
        chosen = (Pairs(),)
    only_known = [
        name
        for name, is_given in (
            ("min_cases", least > 1),
            ("max_error 0", share == 0),  # no estimate says that no new case is wrong
            ("method", method != "auto"),
            ("impurities", impurities is not None),
        )
        if is_given
    ]
    choice = _choose(cases, objective, only_known)
    if choice.objective is Objective.KNOWN:
        check_blanks(cases)
    began, limit, settings, rows = time.monotonic(), check_time_limit(time_limit), None, None
    if choice.objective is Objective.NEW or (isinstance(cases, Instance) and (folds != 0 or folds is False)):
        rows = KnownRows.of(cases, choice.objective, groups)
        settings = check_folds(folds, rows.groups, rows.instance)
    else:  # nothing is held out
        check_row_groups(cases, groups)
    if choice.objective is Objective.NEW and least > 1:
        raise SettingError(
            "min_cases: how small the leaves of trees for new cases may be is decided by evidence, not by a number; "
            'leave min_cases out, or give objective="known".',
            subject="min_cases",
            found=least,
        )
    if share is not None and choice.objective is Objective.NEW and settings is None:
        raise SettingError(
            "max_error: for new cases it is about the error on rows that are held out, and nothing is.",
            subject="max_error",
            found=float(share),
            remedy=Remedy('Give folds of at least 2, or objective="known".', "Use --folds 5 or --objective known."),
        )
    return FitRequest(
        choice=choice,
        method="greedy" if method == "auto" and impurities is not None else method,
        budget=cases.schema.costs.budget_units(budget),
        max_error=share,
        min_cases=least,
        folds=settings,
        rows=rows,
        leaves=leaves,
        confidence=check_confidence(confidence),
        time_limit=limit if limit is None else max(0.0, limit - (time.monotonic() - began)),  # drawing takes a while
        impurities=chosen,
        cache_bytes=cache_bytes,
        threads=check_threads(threads),
    )


def _choose(cases: AnyCases, asked: str, only_known: Sequence[str]) -> ObjectiveChoice:
    """Which cases trees are for: as asked, or what the table is good for."""
    if isinstance(cases, DistributedCases) and (asked == "known" or only_known):
        sizes = cases.class_order.counts  # which count as rows do, but for weights
    else:
        rows = cases if isinstance(cases, Instance) else cases.drawn
        sizes = np.bincount(rows.row_labels[rows.row_weights > 0])
    sizes = sizes[sizes > 0]
    n_small = int((sizes < FEW_ROWS).sum())
    size = (int(sizes.sum()) if isinstance(cases, Instance) else cases.n_objects, len(sizes), n_small)
    if asked != "auto":
        return ObjectiveChoice(Objective(asked), Reason.ASKED, *size)
    if only_known:
        return ObjectiveChoice(Objective.KNOWN, Reason.SETTING, *size, only_known[0])
    if 2 * n_small > len(sizes):
        return ObjectiveChoice(Objective.KNOWN, Reason.FACTS, *size)
    return ObjectiveChoice(Objective.NEW, Reason.ROWS, *size)


def _check_impurities(cases: AnyCases, impurities: Any) -> Sequence[Any]:
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
            check_settings(cases, impurity, 0, None, "worst")
    return chosen
