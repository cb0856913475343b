"""The two ways from a request to trees, and what to expect of those on new cases: the same way without some rows.

known   for each budget the least loss on the known cases, by exact search or greedy trees, with what is proven
new     for each budget the tree with the lowest expected loss on new cases
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import TooLargeError
from budgetree.learn.exact.frontier import SearchResult, search_frontier, solve
from budgetree.learn.exact.search import work_for_two
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.points import FOR_NEW, Candidate, Candidates, Frontier, Point, candidate_of, leaf_candidate
from budgetree.learn.predictive.budgets import DEFAULT_POINTS
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.learn.settings import FitRequest
from budgetree.learn.validation import Groups, KnownRows, Learn, Validation, cross_validate
from budgetree.problem import Instance
from budgetree.problem.cost_model import OF_LONG_SEARCHES
from budgetree.services.clock import DEFAULT_PLAN, Clock, Ended, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report, progress_bar
from budgetree.tree import Tree
from budgetree.tree.provenance import Bounds, Method, Objective

REPLACED = 1.5  # standard errors by which a cheaper tree must be better than a budget's own


def search_known(request: FitRequest, instance: AnyCases, clock: Clock, progress: bool | None) -> Frontier:
    """The frontier; exact search by "auto" only where it has hope within the clock's seconds."""
    method = request.method
    if method == "greedy" or isinstance(instance, DistributedCases):
        frontier = _grown(request, instance, clock, progress, Method.GREEDY)
    else:
        try:
            frontier = _searched(request, instance, clock, progress)
        except (TooLargeError, OutOfTimeError):
            if method == "exact":
                raise
            frontier = _grown(request, instance, clock, progress, Method.LOOKAHEAD)
    return frontier if request.budgets is None else _at_named_budgets(frontier, request.budgets)


def learn_known(request: FitRequest, found: Frontier) -> Learn:
    """The same for some of the rows, by the method that this frontier was found by."""
    is_exact = found.found_by is Method.EXACT
    # Exact search within a budget does not depend on what there is beyond it; greedy growth does.
    budget = found[-1].candidate.required_budget if is_exact else request.budget
    same = replace(request, budget=budget)

    def learn(part: Instance, _: Groups | None, clock: Clock) -> Callable[[Any], Tree]:
        share = clock.plan.exact_share if is_exact else clock.plan.greedy_share
        again, clock = replace(same, needs_tree=clock.counts_work), clock.share(clock.seconds_of(share))
        if not is_exact:
            trees = grow_frontier(part, again, clock, no_report)
        elif request.every_budget:
            trees = search_frontier(Solver(part, again, clock)).candidates
        else:
            trees = [leaf_candidate(part), *solve(Solver(part, again, clock)).candidates]
        kept = Candidates(trees)
        return lambda budget: kept.best(part.schema.costs.budget_units(budget)).make()

    return learn


def _grown(request: FitRequest, instance: AnyCases, clock: Clock, progress: bool | None, method: Method) -> Frontier:
    """By greedy trees, with rollouts if wanted; nothing is proven but the loss that no tree avoids."""
    unavoidable = _unavoidable(instance, clock)  # now, while there is time
    left = clock.seconds_left
    if instance.losses is not None and left is not None:  # each point's tree is made, for its errors
        clock = clock.share(left - min(clock.plan.points_share * left, clock.plan.points_seconds))
    with progress_bar("greedy trees", progress) as report:
        grown = grow_frontier(instance, request, clock, report)
        if method is Method.LOOKAHEAD:
            grown = _rolled_out(grown, cast(Instance, instance), request, clock, report)
    kept = grown if request.every_budget else grown[-1:]
    result = SearchResult(kept, [unavoidable] * len(kept), 0, not clock.is_over, unavoidable)
    return _frontier(request, instance, method, result, clock)


def _searched(request: FitRequest, cases: AnyCases, clock: Clock, progress: bool | None) -> Frontier:
    """By exact search: what is proven, and beyond it the best that was found.

    OutOfTimeError where it is optional, and would spend all its time on the last two tests of the whole set.
    """
    instance, left, is_optional = cast(Instance, cases), clock.seconds_left, request.method == "auto"
    # Asked before anything is laid out for a search: the greedy trees need the time.
    if is_optional and left is not None and work_for_two(instance) > clock.plan.auto_share * left * 1e9:
        raise OutOfTimeError
    with progress_bar("exact search", progress) as report:
        solver = Solver(instance, request, clock, report)
        result = search_frontier(solver) if request.every_budget else solve(solver)
    return _frontier(request, instance, Method.EXACT, result, clock)


def _bounds(found: Frontier, candidate: Candidate, least: int, within: int | None, **others: int) -> Bounds:
    """What is known of other trees within a budget: none loses less than the least.

    What no tree avoids knows no rule; the bound that a long search raises takes order for kept, and least amounts.
    """
    is_exact, rules = found.found_by is Method.EXACT, found.instance.schema.costs.rules
    if is_exact and least > found.instance.irreducible.units:
        rules -= OF_LONG_SEARCHES
    return candidate.bounds(searched=is_exact, least_loss=least, within=within, ignores=rules, **others)


def _frontier(request: FitRequest, cases: AnyCases, method: Method, result: SearchResult, clock: Clock) -> Frontier:
    """The trees found, with the least loss of any within each budget of its own; or the one budget asked for."""
    instance, is_exact, is_complete = cast(Instance, cases), method is Method.EXACT, result.complete
    found = Frontier((), instance, is_complete, method, result.n_proven, request=request, least_loss=result.least_loss)
    points, ended = [], clock.ended(complete=is_complete)
    # What no tree avoids holds for trees with leaves of any size; only a search is about those asked for.
    min_cases = request.min_cases if is_exact else 1
    for candidate, bound in zip(result.candidates, result.bounds, strict=True):
        within = candidate.required_budget if request.every_budget else request.within
        bounds = _bounds(found, candidate, bound, within, min_cases=min_cases)
        amount = instance.schema.costs.amount(candidate.required_budget)
        points.append(Point(candidate, bounds, amount, instance, ended=ended))
    found = replace(found, points=tuple(points))
    if not request.every_budget and not (is_complete and is_exact):
        return found
    for index, point in enumerate(points):
        cost = found.least_cost(point.candidate.loss)
        points[index] = replace(point, bounds=replace(point.bounds, least_cost=cost))
    return replace(found, points=tuple(points))


def _unavoidable(instance: AnyCases, clock: Clock) -> int:
    """What every tree loses; 0 where cases in partitions are too many to compare all of them in a share of the time."""
    if not isinstance(instance, DistributedCases):
        return instance.irreducible.units
    try:
        return instance.irreducible_in(clock.share(clock.seconds_of(clock.plan.unavoidable_share))).units
    except OutOfTimeError:
        return 0


def _rolled_out(
    grown: list[Candidate], instance: Instance, request: FitRequest, clock: Clock, report: ProgressReport
) -> list[Candidate]:
    """The same trees, and better ones where a look ahead finds them."""
    if clock.is_over:  # laying a large table out takes a while
        return grown
    try:
        solver = Solver(instance, request, clock, report)
    except TooLargeError:
        return grown
    solver.trees.add(*grown)
    solver.roll_out(clock.seconds_left)
    return list(solver.trees)


def _at_named_budgets(found: Frontier, budgets: Sequence[int | float]) -> Frontier:
    """A point for each of these budgets, and for none, of a frontier that was searched up to the largest."""
    named, needs = [], [point.candidate.required_budget for point in found]
    costs = found.instance.schema.costs
    for amount in sorted({costs.amount(costs.least_budget), *budgets}):
        budget = costs.budget_units(amount)
        index = sum(need <= budget for need in needs) - 1
        point, least = found[index], found.least_loss if index == len(needs) - 1 else found.unit_bounds[index][1]
        known = {"least_cost": point.bounds.least_cost, "min_cases": point.bounds.min_cases}
        bounds = _bounds(found, point.candidate, least, budget, **known)
        named.append(replace(point, bounds=bounds, budget=amount))
    return replace(found, points=tuple(named), n_searched=0, is_named=True)


def search_new(request: FitRequest, instance: Instance, clock: Clock, progress: bool | None) -> Frontier:
    """A point for each budget that buys something else than those before."""
    trees = _trees_of(request, instance, clock, groups=None if request.rows is None else request.rows.groups)
    fine = trees.cases  # every row is a case, as these trees count them, if there was time
    budgets, is_named = request.budgets, request.budgets is not None
    if budgets is None:
        budgets = trees.budgets(request.budget, request.n_points or DEFAULT_POINTS, clock)
    leaf, costs = (0, leaf_candidate(fine)), fine.schema.costs
    by: dict[int | float, tuple[int | float, Candidate]] = {} if costs.begun.tests else {0: leaf}
    if costs.begun.tests:  # the least budget pays the tests that every path begins with
        budgets = sorted({costs.amount(costs.least_budget), *budgets})
    made = list(_each_tree(trees, budgets, clock, progress))
    for budget, tree in made:
        if is_named:
            by[budget] = (budget, candidate_of(tree, FOR_NEW))
        # Trees that cost the same are one point, at the smallest budget; free tests may do better than a leaf.
        elif tree.need not in by or (by[tree.need] is leaf and tree.n_leaves > 1):
            by[tree.need] = (budget, candidate_of(tree, FOR_NEW))
    least, rules = fine.irreducible.units, fine.schema.costs.rules
    points = [
        Point(tree, tree.bounds(searched=False, least_loss=least, ignores=rules), budget, fine, for_new=True)
        for budget, tree in by.values()
    ]
    ended = next((tree.ended for _, tree in made if tree.ended is not Ended.COMPLETE), Ended.COMPLETE)
    complete = ended is Ended.COMPLETE and len(made) == len(budgets)
    return Frontier(
        tuple(points), fine, complete, Method.PREDICTIVE, request=request, least_loss=least, is_named=is_named
    )


def learn_new(request: FitRequest, found: Frontier) -> Learn:
    """The same for some of the rows; every budget has an equal share of the time."""

    def learn(part: Instance, groups: Groups | None, clock: Clock) -> Callable[[Any], Tree]:
        trees = _trees_of(request, part, clock, groups=groups, needs_tree=False)
        seconds, costs = clock.seconds_of(1 / len(found)), part.schema.costs

        def tree_for(budget: Any) -> Tree:
            if not costs.begun.tests and not costs.budget_units(budget) and costs.prices(costs.start).all():
                return leaf_candidate(part).make()
            return trees.tree(budget, time_limit=seconds, progress=False)

        return tree_for

    return learn


def _trees_of(request: FitRequest, instance: Instance, clock: Clock, **others: Any) -> PredictiveTrees:
    asked = {name: getattr(request, name) for name in ("confidence", "leaves", "threads")}
    return PredictiveTrees(instance, clock=clock, **asked, **others)


def _each_tree(
    trees: PredictiveTrees, budgets: Sequence[int | float], clock: Clock, progress: bool | None
) -> Iterable[tuple[int | float, Tree]]:
    if len(budgets) == 1:  # the bar of its growth says more
        yield budgets[0], trees.tree(budgets[0], time_limit=clock.seconds_of(1), progress=progress)
        return
    with progress_bar("new cases", progress) as report:
        for index, budget in enumerate(budgets):
            if index and clock.is_over:
                break
            report(index, len(budgets), f"budget {budget}")
            seconds = clock.seconds_of(1 / (len(budgets) - index))
            yield budget, trees.tree(budget, time_limit=seconds, progress=False)


def find_frontier(request: FitRequest, cases: AnyCases, progress: bool | None, *, known_line: bool = False) -> Frontier:
    """The frontier, whose points know their error on new cases as far as there is time; Ctrl-C ends that time.

    known_line  beside trees for new cases, the fewest errors on the known ones
    """
    is_new, instance = request.objective is Objective.NEW, cast(Instance, cases)
    if isinstance(cases, DistributedCases) and not is_new:  # nothing is held out
        return search_known(request, cases, Clock(request.time_limit), progress)
    learned = request
    clock, for_search = split_time(request)
    with clock.listening():
        if is_new and request.rows is not None:
            learned = replace(request, rows=request.rows.learned_from())
            instance = cast(KnownRows, learned.rows).instance
        found = (search_new if is_new else search_known)(learned, instance, for_search, progress)
        taken = clock.seconds_passed
        if known_line:
            found = _with_known_line(found, instance, request, clock)
        if not request.folds or request.rows is None:
            return found
        learn, budgets, part = learn_again(request, found)
        how: dict[str, Any] = {"part": part}
        if part is None:  # else these trees have not seen the rows that are held out
            how["trees"] = [point.tree for point in found] if is_new else []
            how["min_seconds"] = clock.plan.hurried_share * taken
        with progress_bar("error on new cases", progress) as report:
            judged = cross_validate(request.rows, learn, budgets, request.folds, clock, report=report, **how)
    points = list(found)
    for index, (point, estimate) in enumerate(zip(found, judged.estimates, strict=False)):
        overfitted = (estimate.new_loss or estimate.new_error).exceeds(point.mean_loss)
        points[index] = replace(point, estimate=replace(estimate, overfitted=overfitted))
    found = replace(found, points=tuple(points), validation=judged)
    return _with_cheaper(found, judged) if is_new else found


def learn_again(request: FitRequest, found: Frontier) -> tuple[Learn, list[Any], Instance | None]:
    """What found this frontier, for some of the rows; the budgets to ask it for.

    And where its trees have not seen the rows that judge them, those that they have: they are not learned again then.
    """
    # A smaller budget than the one named buys the same tree for known cases.
    budgets = [point.budget if point.for_new else point.max_cost for point in found]
    rows = found.request.rows
    if rows is None or rows is request.rows:
        learn = learn_new if request.objective is Objective.NEW else learn_known
        return learn(found.request, found), budgets, None
    tree_for = {budget: point.tree for budget, point in zip(budgets, found, strict=True)}.__getitem__
    return lambda *_: tree_for, budgets, rows.instance


def split_time(request: FitRequest) -> tuple[Clock, Clock]:
    """The clock of the search and the folds together, and its share for the search; by time, or by counted work.

    Half of the time limit each; where there is none, the folds may take as much work as the search.
    """
    plan, n_parts = DEFAULT_PLAN, 2 if request.folds else 1
    work = {"auto": plan.auto_seconds, "exact": plan.exact_seconds}.get(request.method)
    if work is None or request.objective is Objective.NEW:
        clock = Clock(request.time_limit)
    else:
        clock = Clock(request.time_limit, work=n_parts * work)
    return clock, clock.share(clock.seconds_of(1 / n_parts))


def _with_known_line(found: Frontier, instance: Instance, request: FitRequest, clock: Clock) -> Frontier:
    """The same points, each with the least loss on known cases of any tree for them within its budget."""
    left, plan = clock.seconds_left, clock.plan
    seconds = plan.known_line_seconds if left is None else plan.known_line_share * left
    budgets = [point.budget for point in found]
    limit, source = instance.schema.costs.budget_units(max(budgets)), instance.source
    # Errors are counted alike in both columns: no case stands for several rows.
    is_merged = source is not None and source.duplicates == "merge" and instance.n_rows != instance.n_objects
    rows = instance.recoded({}) if is_merged else instance
    known = replace(request, method="auto", budget=limit, budgets=budgets)
    by_budget = {point.budget: point for point in search_known(known, rows, clock.share(seconds), False)}
    least = [by_budget[budget] for budget in budgets]
    points = [replace(p, known_least=k.loss, known_proven=k.proven) for p, k in zip(found, least, strict=True)]
    return replace(found, points=tuple(points))


def _with_cheaper(found: Frontier, judged: Validation) -> Frontier:
    """The same, but where a cheaper tree is better by some standard errors it takes the place of a budget's own.

    Not where it merely looks better: of many budgets, the best so far is often the luckiest.
    """
    kept: list[int] = []  # per budget, whose tree
    for index, over in enumerate(judged.advantages):
        best = max(kept, default=index, key=over.__getitem__)
        kept.append(best if over[best] > REPLACED else index)
    numbers = [index for index, by in enumerate(kept) if by == index or found.is_named]
    points = []
    for index in numbers:
        own, by = found[index], found[kept[index]]
        points.append(replace(by, budget=own.budget, known_least=own.known_least, known_proven=own.known_proven))
    rows = tuple(tuple(judged.advantages[kept[a]][kept[b]] for b in numbers) for a in numbers)
    return replace(found, points=tuple(points), validation=replace(judged, advantages=rows)) if kept else found
