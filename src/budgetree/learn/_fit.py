"""fit, frontier and grow: the one place where "budget or error, new or known, exact or greedy, how long" is decided."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from inspect import signature
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import Remedy, SettingError
from budgetree.impurity import Impurity, Pairs
from budgetree.learn import settings as checks
from budgetree.learn.exact.search import leaf_count_bound
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.levels import greedy_origin, grow_nodes
from budgetree.learn.greedy.portfolio import DEFAULT_IMPURITIES, is_family
from budgetree.learn.greedy.rule import RuleName, Settings, check_settings
from budgetree.learn.points import Frontier, Point, Result, candidate_of
from budgetree.learn.routes import find_frontier
from budgetree.learn.settings import CACHE_BYTES, FitRequest, Leaves
from budgetree.learn.validation import DEFAULT_FOLDS, KnownRows, check_folds, check_row_groups
from budgetree.problem import Instance
from budgetree.problem.cost_model import TOLERANCE
from budgetree.problem.units import as_fraction, is_unlimited, plain_number
from budgetree.services.clock import Clock
from budgetree.services.progress import progress_bar
from budgetree.services.words import no_such
from budgetree.tree import Bounds, Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.provenance import Method, Objective, ObjectiveChoice, Reason

ObjectiveName = Literal["auto", "new", "known"]
MethodName = Literal["auto", "exact", "greedy"]
_PAIRS = Pairs()
FEW_ROWS = 3  # a class with fewer is a fact rather than a sample


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
    """Find the best tree for a budget, or the cheapest for an error rate, for new or for known cases.

    Parameters
    ----------
    cases : Instance or Shards
        The known cases. For cases in partitions, trees for known cases are greedy and nothing is held out; for new
        cases, rows are sampled from all partitions, as from a large table in memory.
    budget : number, optional
        The most that any case, known or new, may cost; None for no limit.
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
        Of greedy trees for known cases: an object stands for itself, a class with the one parameter `alpha` (such as
        HingedPairs, or your own) for all its α's. By default Powers 2 to 5, HingedPairs and HingedProduct.
    cache_bytes : int, optional
        Memory for what trees share or the search has learned.
    threads : int, optional
        None means one for each processor; the tree does not depend on it.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Result
        The tree, what is proven of others, and what to expect on new cases.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.fit(bt.datasets.load("house_votes"), budget=5, objective="known", folds=0)
    Result(0 errors within 5, proven; worst case 5, the least budget for that)
    """
    asked = {name: value for name, value in locals().items() if name in SETTINGS}
    return fit_request(cases, make_request(cases, **asked), progress)


SETTINGS: dict[str, Any] = {
    name: setting.default for name, setting in signature(fit).parameters.items() if name not in ("cases", "progress")
}


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
    """Find the tree with the fewest errors, or the least loss, of all trees within the budget.

    It is `fit` with objective="known", method="exact" and no folds. Of trees that lose as little it is one with the
    least worst case; and then at every node it does the cheapest test that reaches the least loss, and no test on which
    no answer depends. With a time limit, or after Ctrl-C, it is the best tree found so far, and `lower_bound` says how
    much better another could be.

    Parameters
    ----------
    instance : Instance
        The known cases.
    budget : number or None
        The most that a path may cost, whatever its outcomes; None for no limit.
    time_limit, progress, cache_bytes, threads, min_cases : optional
        Those of `fit`.

    Returns
    -------
    Result
        The tree, its errors, and what is proven of them.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.optimal(bt.datasets.load("house_votes"), budget=5)
    Result(0 errors within 5, proven; worst case 5, the least budget for that)
    """
    asked = {name: value for name, value in locals().items() if name != "instance"}
    checks.check_instance(instance)
    return fit(instance, objective="known", method="exact", folds=0, **asked)


def frontier(
    instance: AnyCases,
    *,
    max_budget: Any = None,
    budgets: Sequence[Any] | None = None,
    points: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Frontier:
    """Find what each budget buys: some budgets for new cases, or every budget that matters for known ones.

    Trees for new cases come with the fewest errors on known ones beside them. Trees for known cases are proven by exact
    search as far as the time goes; where the data are too large for it, they are a portfolio of greedy trees, one for
    each impurity and parameter, each cut at every budget. `Frontier.method` says which.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    max_budget : number, optional
        The largest budget; greedy trees are then grown within it, too.
    budgets : sequence of numbers, optional
        Only these and 0, with a point for each, even if two of them buy the same tree.
    points : int, optional
        Of a frontier for new cases, how many budgets to try where none is named: 12 by default, those at which what
        they buy changes most. Budgets that buy the same are one point.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.
    **settings
        Others of `fit`: objective, method, time_limit, folds, groups, min_cases, leaves, confidence, impurities,
        cache_bytes, threads. Half of the time is for the search, and what is left for the folds. Budgets are compared
        on the same rows held out, and where a cheaper tree for new cases loses less than a budget's own, by 1.5
        standard errors, that budget has the cheaper one. From 50,000 rows on one fifth is held out, once. Points that
        are proven do not depend on the threads.

    Returns
    -------
    Frontier
        A point for every budget at which something changes, or for each that is named.

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
    checks.check_cases(instance)
    named = _check_budgets(instance, budgets, max_budget)
    request = make_request(instance, budget=None, max_error=None, **settings)
    is_new = request.objective is Objective.NEW
    if points is not None:
        points = _check_points(points, named, is_new=is_new)
    limit = instance.schema.costs.budget_units(max_budget if named is None else named[-1], "max_budget")
    request = replace(request, budget=limit, every_budget=True, budgets=named, n_points=points)
    if isinstance(instance, DistributedCases) and not is_new and request.method == "auto":  # fit makes one tree of it
        request = replace(request, impurities=DEFAULT_IMPURITIES)
    return find_frontier(request, instance, progress, known_line=is_new)


def _check_budgets(instance: AnyCases, budgets: Any, max_budget: Any) -> list[int | float] | None:
    """The budgets named, smallest first; a limit of none is what all tests cost."""
    if budgets is None:
        return None
    if max_budget is not None:
        message = "budgets and max_budget: the largest of the budgets is the last point; give one of the two."
        raise SettingError(message, subject="max_budget", found=max_budget)
    if isinstance(budgets, str) or not isinstance(budgets, Iterable):
        raise SettingError.refusing("budgets", budgets, "a list such as [20, 110, 200]")
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


def _check_points(points: Any, named: Sequence[int | float] | None, *, is_new: bool) -> int:
    """How many budgets to try; only where that is left to us."""
    n_points = checks.at_least_one(points, "points")
    if named is not None:
        message = "budgets and points: each budget that is named is a point; give one of the two."
        raise SettingError(message, subject="points", found=points)
    if not is_new:
        message = "points: for known cases there is a point wherever a larger budget buys fewer errors."
        remedy = Remedy('Leave points out, or give objective="new".', "Leave --points out, or use --objective new.")
        raise SettingError(message, subject="points", found=points, remedy=remedy)
    return n_points


def grow(
    instance: AnyCases,
    impurity: Impurity = _PAIRS,
    *,
    delta: Any = 0,
    budget: Any = None,
    rule: RuleName = "worst",
    threads: int | None = None,
    min_cases: int = 1,
    lookahead: int = 0,
    progress: bool | None = None,
) -> Tree:
    """Grow a tree greedily: at each node, the test that removes the most impurity for its price in its worst outcome.

    Cases in shards (those of `budgetree.dask`, say) are counted where they are, level by level.

    With losses, leaves give the answer of least loss; the choice of tests does not use them.

    Parameters
    ----------
    instance : Instance or Shards
        The known cases.
    impurity : Impurity, default Pairs()
        How mixed a node still is. With an admissible one the worst case is within O(log n) of the best.
    delta : number, default 0
        Stop where the impurity is at most this (the paper's δ).
    budget : number, optional
        No path may cost more than this; a path that costs exactly this is allowed.
    rule : {'worst', 'expected'}, default 'worst'
        Tests are judged by their worst outcome, as in the paper, or by the weighted mean price over the weighted mean
        reduction.
    threads : int, optional
        For large tables; None means one for each processor. The tree does not depend on it.
    min_cases : int, default 1
        No leaf has fewer known cases: a test is not done where it shows an outcome in fewer, so that coarse levels
        leave more tests to do than fine ones.
    lookahead : {0, 1}, default 0
        1: each test is judged by the errors (the loss) of the trees below it within the budget that is left, and the
        tree never loses more than without; impurity, delta and rule are then as they are by default.
    progress : bool, optional
        Show a bar while cases in shards are counted; by default, when stderr is a terminal.

    Returns
    -------
    Tree
        The tree.

    Raises
    ------
    ValueError
        Where a setting is not what was expected.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.grow(bt.datasets.load("synthetic"), budget=2)
    Tree(1024 cases, 4 leaves; worst case 2, mean 2; 4 errors (0.4%))
    """
    checks.check_cases(instance)
    n_threads = checks.check_threads(threads)
    least = checks.check_min_cases(min_cases)
    if isinstance(lookahead, bool) or lookahead not in (0, 1):
        raise SettingError.refusing("lookahead", lookahead, "0, or 1 to judge each test by the trees below it", (0, 1))
    if lookahead and (impurity != _PAIRS or delta != 0 or rule != "worst"):
        raise SettingError(
            "lookahead: tests are judged by what is lost below them, not by an impurity; leave impurity, delta and "
            "rule out, or lookahead.",
            subject="lookahead",
        )
    if lookahead and isinstance(instance, DistributedCases):
        message = "lookahead: it needs the cases in memory, and these are in shards; expected 0."
        raise SettingError(message, subject="lookahead", found=lookahead, expected=0)
    settings = replace(check_settings(instance, impurity, delta, budget, rule), min_cases=least)
    with progress_bar("growing", progress if isinstance(instance, DistributedCases) else False) as report:
        nodes = grow_nodes(instance, settings, n_threads, report=report)
    if impurity != _PAIRS and nodes.is_buy.any() and nodes.fallback[nodes.is_buy].all():
        message = f"{impurity!r}: no test reduces it in every outcome of a node, so Pairs chose every test."
        warnings.warn(message, stacklevel=2)
    origin = replace(greedy_origin(impurity, settings.delta, budget, rule), min_cases=least, table=instance.fingerprint)
    tree = grown_tree(instance.schema, nodes, instance.n_objects, origin)
    return tree if isinstance(instance, DistributedCases) or not lookahead else _look_ahead(tree, instance, settings)


def _look_ahead(grown: Tree, instance: Instance, settings: Settings) -> Tree:
    """The better of two trees: this one, and one whose tests are judged by the trees below them, one step ahead.

        at a node   test a ──► parts ──► each part: the tests that look best, one after another,  ──►  loses 12
                    test b ──► parts ──►            and the last two, or the last, found exactly   ──►  loses  9  ◄ done
                    …

    and then the same at each part of the test that is done. (A rollout; the pilot method.)
    """
    request = FitRequest(budget=settings.budget, min_cases=settings.min_cases)
    solver = Solver(instance, request, Clock(None))
    solver.trees.add(candidate_of(grown, "greedy"))
    solver.look_ahead(settings.budget)
    return solver.trees.best(settings.budget).make()


def for_one_tree(cases: AnyCases, request: FitRequest) -> FitRequest:
    """What is searched where one tree is asked for: its budget alone, or every budget where an error is."""
    if request.max_error is not None:
        return replace(request, every_budget=True)
    costs, is_new = cases.schema.costs, request.objective is Objective.NEW
    largest = costs.amount(min(request.budget, costs.price_of_all))  # stands for no limit
    return replace(request, budgets=[largest] if is_new else None)


def fit_request(cases: AnyCases, request: FitRequest, progress: bool | None) -> Result:
    """The tree that is asked for; where one impurity grows it from partitions, without what is known of others."""
    is_new, impurities = request.objective is Objective.NEW, request.impurities
    is_one = not is_new and len(impurities) == 1 and isinstance(impurities[0], Impurity)
    if isinstance(cases, DistributedCases) and is_one and request.max_error is None and request.time_limit is None:
        # What is known of others would take another pass over the cases, where they are.
        budget = None if request.within is None else Fraction(request.within) / cases.schema.costs.scale
        how: dict[str, Any] = {"threads": request.threads, "min_cases": request.min_cases, "progress": progress}
        return Result(grow(cases, impurities[0], budget=budget, **how), request)
    found = find_frontier(for_one_tree(cases, request), cases, progress)
    point = found[-1] if request.max_error is None else found.cheapest(max_error=request.max_error)
    tree = point.tree
    if request.max_error is not None and not is_new:
        tree = replace(tree, bounds=_bounds_for_error(found, point, request.max_error))
    return Result(tree, request, found, point)


def _bounds_for_error(found: Frontier, point: Point, max_error: Fraction) -> Bounds:
    """By the bounds on the loss at each budget, and by the leaves that a tree with so few errors needs."""
    schema, total = found.instance.schema, found.instance.class_order.total
    allowed, known = (max_error + TOLERANCE) * total, point.bounds
    least = found.least_cost(int(allowed))
    if not isinstance(found.instance, DistributedCases):
        least = max(least, leaf_count_bound(found.instance, allowed / schema.weight_scale))
    return point.candidate.bounds(
        searched=found.found_by is Method.EXACT,
        least_loss=known.least_loss,
        within=known.within,
        least_cost=min(least, point.candidate.required_budget),
        max_error=max_error,
        min_cases=known.min_cases,
        ignores=schema.costs.rules,
    )


def make_request(cases: AnyCases, **given: Any) -> FitRequest:
    """What `fit` is asked for, checked; TypeError where it has no such setting."""
    if unknown := given.keys() - SETTINGS.keys():
        raise TypeError(f"{no_such('setting', min(unknown), [*SETTINGS])}")
    asked = SimpleNamespace(**SETTINGS | given)
    checks.check_cases(cases)
    checks.check_cache_bytes(asked.cache_bytes)
    checks.check_choice("method", asked.method, ("auto", "exact", "greedy"))
    checks.check_choice("objective", asked.objective, ("auto", "known", "new"))
    checks.check_leaves(asked.leaves, len(cases.schema.class_names))
    least, chosen = checks.check_min_cases(asked.min_cases), _check_impurities(cases, asked.impurities)
    share = None if asked.max_error is None else checks.check_max_error(asked.max_error)
    is_distributed, names_impurities = isinstance(cases, DistributedCases), asked.impurities is not None
    if is_distributed and asked.method == "exact":
        message = 'method is "exact", but the cases are in shards; expected "greedy" or "auto".'
        raise SettingError(message, subject="method", found=asked.method, expected=("greedy", "auto"))
    if is_distributed and asked.method == "auto" and not names_impurities:
        chosen = (Pairs(),)
    if names_impurities and asked.method == "auto" and not is_distributed:
        message = "impurities are named, so trees are grown greedily and not searched; method='greedy' says the same."
        warnings.warn(message, stacklevel=3)
    only_known = {
        "min_cases": least > 1,
        "max_error 0": share == 0,  # no estimate says that no new case is wrong
        "method": asked.method != "auto",
        "impurities": names_impurities,
    }
    choice = _choose(cases, asked.objective, [name for name, is_given in only_known.items() if is_given])
    is_new = choice.objective is Objective.NEW
    if not is_new:
        checks.check_blanks(cases)
    began, limit, folds, rows = time.monotonic(), checks.check_time_limit(asked.time_limit), 0, None
    if is_new or (isinstance(cases, Instance) and (asked.folds != 0 or asked.folds is False)):
        rows = KnownRows.of(cases, choice.objective, asked.groups)
        folds = check_folds(asked.folds, rows)
    else:  # nothing is held out
        check_row_groups(cases, asked.groups)
    if is_new and least > 1:
        raise SettingError(
            'min_cases is for known cases, and this tree is for new ones; leave it out, or give objective="known".',
            subject="min_cases",
            found=least,
        )
    if is_new and share is not None and not folds:
        raise SettingError(
            "max_error: for new cases it is compared with the error on held-out rows; expected folds of at least 2.",
            subject="max_error",
            found=float(share),
            remedy=Remedy('Give folds of at least 2, or objective="known".', "Use --folds 5 or --objective known."),
        )
    return FitRequest(
        choice=choice,
        method="greedy" if asked.method == "auto" and names_impurities else asked.method,
        budget=cases.schema.costs.budget_units(asked.budget),
        max_error=share,
        min_cases=least,
        folds=folds,
        rows=rows,
        leaves=asked.leaves,
        confidence=checks.check_confidence(asked.confidence),
        time_limit=limit if limit is None else max(0.0, limit - (time.monotonic() - began)),  # drawing takes a while
        impurities=chosen,
        cache_bytes=asked.cache_bytes,
        threads=checks.check_threads(asked.threads),
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
        raise SettingError.refusing("impurities", impurities, "a list such as [Powers(3), HingedPairs]")
    chosen = tuple(impurities)
    if not chosen:
        message = "impurities: the list is empty; expected at least one impurity."
        raise SettingError(message, subject="impurities", found=chosen)
    for impurity in chosen:
        if not is_family(impurity):
            check_settings(cases, impurity, 0, None, "worst")
    return chosen
