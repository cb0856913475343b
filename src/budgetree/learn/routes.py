"""The two ways from a request to trees, and what to expect of those on new cases: the same way without some rows.

known   for each budget the least loss on the known cases, by exact search or greedy trees, with what is proven
new     for each budget the tree with the lowest expected loss on new cases
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, cast

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import TooLargeError
from budgetree.learn.candidates import Candidate, Candidates, candidate_of, leaf_candidate
from budgetree.learn.exact.frontier import search_frontier, solve
from budgetree.learn.exact.layout import work_for_two
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.points import FOR_NEW, Frontier, make_point
from budgetree.learn.predictive.sample import KnownRows
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.learn.settings import FitRequest
from budgetree.learn.validation import FoldSettings, Validation, answers_of_rows, are_wrong, cross_validate, in_time
from budgetree.problem import Instance
from budgetree.services.clock import DEFAULT_PLAN, Clock, Ended, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report, progress_bar
from budgetree.tree import Bounds, Tree
from budgetree.tree.provenance import Estimate, Method, Objective

Learn = Callable[[Instance, Clock], Callable[[Any], Tree]]


class Route(Protocol):
    """A way to find trees for budgets, which can be gone again with some of the rows."""

    @property
    def request(self) -> FitRequest: ...

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier: ...

    def again(self, found: Frontier, /) -> Learn: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Trees for known cases, cheapest first, and per tree the least loss of any within its budget."""

    candidates: Sequence[Candidate]
    least: Sequence[int]
    least_loss: int  # of any tree within the budget asked for
    method: Method
    complete: bool
    n_searched: int = 0  # from the first on, settled by search


@dataclass(frozen=True, slots=True, eq=False)
class KnownRoute:
    """Trees for known cases: for every budget up to the request's, or for that one alone.

    named  of all points, those of these budgets
    """

    request: FitRequest
    every_budget: bool = True
    named: Sequence[int | float] | None = None

    def search(self, instance: AnyCases, clock: Clock, progress: bool | None) -> Frontier:
        """The frontier; exact search by "auto" only where it has hope within the clock's seconds."""
        method = self.request.method
        if method == "greedy" or isinstance(instance, DistributedCases):
            found = self._grown(instance, clock, progress, Method.GREEDY)
        elif method == "exact":
            found = self._searched(instance, clock, progress)
        else:
            try:
                found = self._searched(instance, clock, progress, is_optional=True)
            except (TooLargeError, OutOfTimeError):
                found = self._grown(instance, clock, progress, Method.LOOKAHEAD)
        frontier = self._frontier(instance, found, clock.ended(complete=found.complete))
        return frontier if self.named is None else at_named_budgets(frontier, self.named)

    def again(self, found: Frontier) -> Learn:
        """The same for some of the rows, by the method that this frontier was found by."""
        is_exact = found.found_by is Method.EXACT
        # Exact search within a budget does not depend on what there is beyond it; greedy growth does.
        budget = found[-1].candidate.required_budget if is_exact else self.request.budget
        same = replace(self.request, method="exact" if is_exact else "greedy", budget=budget)

        def learn(part: Instance, clock: Clock) -> Callable[[Any], Tree]:
            share = clock.plan.exact_share if is_exact else clock.plan.greedy_share
            again = replace(self, request=replace(same, needs_tree=clock.counts_work))
            trees = Candidates(again._trees(part, clock.share(clock.seconds_of(share))))
            return lambda budget: trees.best(part.schema.costs.budget_units(budget)).make()

        return learn

    def _trees(self, instance: Instance, clock: Clock) -> list[Candidate]:
        """The trees alone, by the method named; OutOfTimeError where the time does not suffice for one."""
        if self.request.method == "greedy":
            return grow_frontier(instance, self.request, clock, no_report)
        solver = Solver(instance, self.request, clock, wants_every_budget=self.every_budget)
        if not self.every_budget:
            return [leaf_candidate(instance), solve(solver).candidate]
        result = search_frontier(solver)
        return [*result.proven, *result.beyond]

    def _grown(self, instance: AnyCases, clock: Clock, progress: bool | None, method: Method) -> _Found:
        """By greedy trees, with rollouts if wanted; nothing is proven but the loss that no tree avoids."""
        unavoidable = _unavoidable(instance, clock)  # now, while there is time
        left = clock.seconds_left
        if instance.losses is not None and left is not None:  # each point's tree is made, for its errors
            clock = clock.share(left - min(clock.plan.points_share * left, clock.plan.points_seconds))
        with progress_bar("greedy trees", progress) as report:
            grown = grow_frontier(instance, self.request, clock, report)
            if method is Method.LOOKAHEAD:
                grown = _rolled_out(grown, cast(Instance, instance), self.request, clock, report)
        kept = grown if self.every_budget else grown[-1:]
        return _Found(kept, [unavoidable] * len(kept), unavoidable, method, not clock.is_over)

    def _searched(
        self, instance: AnyCases, clock: Clock, progress: bool | None, *, is_optional: bool = False
    ) -> _Found:
        """By exact search: what is proven, and beyond it the best that was found.

        OutOfTimeError where it is optional, and would spend all its time on the last two tests of the whole set.
        """
        instance, left = cast(Instance, instance), clock.seconds_left
        # Asked before anything is laid out for a search: the greedy trees need the time.
        if is_optional and left is not None and work_for_two(instance) > clock.plan.auto_share * left * 1e9:
            raise OutOfTimeError
        with progress_bar("exact search", progress) as report:
            solver = Solver(instance, self.request, clock, report, wants_every_budget=self.every_budget)
            if not self.every_budget:
                best = solve(solver)
                bound = best.lower_bound
                return _Found([best.candidate], [bound], bound, Method.EXACT, best.complete, int(best.complete))
            result = search_frontier(solver)
        least = [found.loss for found in result.proven]
        least += [solver.lower_bound(found.required_budget) for found in result.beyond]
        trees = [*result.proven, *result.beyond]
        least_loss = trees[-1].loss if result.complete else solver.lower_bound(self.request.budget)
        return _Found(trees, least, least_loss, Method.EXACT, result.complete, len(result.proven))

    def _frontier(self, instance: AnyCases, found: _Found, ended: Ended) -> Frontier:
        """With what is proven at each point's own budget; where one budget was asked for, at that."""
        is_exact = found.method is Method.EXACT
        # What no tree avoids holds for trees with leaves of any size; only a search is about those asked for.
        min_cases = self.request.min_cases if is_exact else 1

        def bounds(candidate: Candidate, least: int, least_cost: int = 0) -> Bounds:
            return Bounds.of(
                candidate.loss,
                candidate.required_budget,
                least_loss=least,
                within=candidate.required_budget if self.every_budget else self.request.within,
                least_cost=least_cost,
                min_cases=min_cases,
                searched=is_exact,
            )

        pairs = list(zip(found.candidates, found.least, strict=True))
        points = [make_point(instance, candidate, bounds(candidate, least)) for candidate, least in pairs]
        # Cases in partitions answer whatever a frontier asks of an instance.
        frontier = Frontier(
            tuple(points),
            cast(Instance, instance),
            found.complete,
            found.method,
            found.n_searched,
            request=self.request,
            least_loss=found.least_loss,
        )
        is_settled = self.every_budget or (found.complete and is_exact)
        costs = [frontier.least_cost(candidate.loss) if is_settled else 0 for candidate, _ in pairs]
        points = [
            replace(point, bounds=bounds(*pair, cost), ended=ended)
            for point, pair, cost in zip(points, pairs, costs, strict=True)
        ]
        return replace(frontier, points=tuple(points))


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


def at_named_budgets(found: Frontier, budgets: Sequence[int | float]) -> Frontier:
    """A point for each of these budgets, and for none, of a frontier that was searched up to the largest."""
    named, needs = [], [point.candidate.required_budget for point in found]
    for amount in sorted({0, *budgets}):
        budget = found.instance.schema.costs.budget_units(amount)
        index = sum(need <= budget for need in needs) - 1
        point = found[index]
        least = found.least_loss if index == len(needs) - 1 else found.unit_bounds[index][1]
        bounds = Bounds.of(
            point.candidate.loss,
            point.candidate.required_budget,
            least_loss=least,
            within=budget,
            least_cost=point.bounds.least_cost,
            min_cases=point.bounds.min_cases,
            searched=found.found_by is Method.EXACT,
        )
        named.append(replace(point, bounds=bounds, budget=amount))
    return replace(found, points=tuple(named), n_searched=0, is_named=True)


@dataclass(frozen=True, slots=True, eq=False)
class NewRoute:
    """Trees for new cases at these budgets; where they are named, a point for each."""

    request: FitRequest
    budgets: Sequence[int | float]
    is_named: bool = False

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier:
        """A point for each budget that buys something else than the one before."""
        trees = self._trees_of(instance, clock, groups=self.request.groups)
        fine = trees.cases  # every row is a case, as these trees count them, if there was time
        made = list(self._each_tree(trees, clock, progress))
        found = [(0, leaf_candidate(fine)), *((budget, candidate_of(tree, FOR_NEW)) for budget, tree in made)]
        # Of trees for one budget, or where none is named of trees that cost the same, the one that was made last.
        by = {
            budget if self.is_named else candidate.required_budget: (budget, candidate) for budget, candidate in found
        }
        unavoidable = fine.irreducible.units
        points = [
            make_point(
                fine,
                candidate,
                Bounds.of(candidate.loss, candidate.required_budget, least_loss=unavoidable, searched=False),
                for_new=True,
                budget=budget,
            )
            for _, (budget, candidate) in sorted(by.items())
        ]
        ended = next((tree.ended for _, tree in made if tree.ended is not Ended.COMPLETE), Ended.COMPLETE)
        if len(made) < len(self.budgets):
            ended = clock.ended(complete=False)
        return Frontier(
            tuple(points),
            fine,
            ended is Ended.COMPLETE,
            Method.PREDICTIVE,
            request=self.request,
            least_loss=unavoidable,
            is_named=self.is_named,
        )

    def again(self, found: Frontier) -> Learn:
        """The same for some of the rows; every budget has an equal share of the time."""

        def learn(part: Instance, clock: Clock) -> Callable[[Any], Tree]:
            trees = self._trees_of(part, clock, needs_tree=False)
            seconds = clock.seconds_of(1 / len(found))

            def tree_for(budget: Any) -> Tree:
                if not part.schema.costs.budget_units(budget):
                    return leaf_candidate(part).make()
                return trees.tree(budget, time_limit=seconds, progress=False)

            return tree_for

        return learn

    def _trees_of(self, instance: Instance, clock: Clock, **others: Any) -> PredictiveTrees:
        asked = self.request
        return PredictiveTrees(
            instance, confidence=asked.confidence, leaves=asked.leaves, threads=asked.threads, clock=clock, **others
        )

    def _each_tree(
        self, trees: PredictiveTrees, clock: Clock, progress: bool | None
    ) -> Iterable[tuple[int | float, Tree]]:
        if len(self.budgets) == 1:  # the bar of its growth says more
            yield self.budgets[0], trees.tree(self.budgets[0], time_limit=clock.seconds_of(1), progress=progress)
            return
        with progress_bar("new cases", progress) as report:
            for index, budget in enumerate(self.budgets):
                if index and clock.is_over:
                    break
                report(index, len(self.budgets), f"budget {budget}")
                seconds = clock.seconds_of(1 / (len(self.budgets) - index))
                yield budget, trees.tree(budget, time_limit=seconds, progress=False)


def travel(route: Route, cases: AnyCases, progress: bool | None, *, known_line: bool = False) -> Frontier:
    """The route's frontier, whose points know their error on new cases as far as there is time; Ctrl-C ends that time.

    known_line  beside trees for new cases, the fewest errors on the known ones
    """
    request, instance = route.request, cast(Instance, cases)
    part = instance
    clock, for_search = split_time(request)
    with clock.listening():
        if isinstance(route, NewRoute):
            known = KnownRows.of(cases, request.groups)
            learned = known.learned_from()
            instance, part = known.instance, learned.instance
            route = replace(route, request=replace(request, groups=learned.groups))
        found = route.search(part, for_search, progress)
        taken = clock.seconds_passed
        if known_line:
            found = _with_known_line(found, part, request, clock)
        if request.folds is None:
            return found
        least = clock.plan.hurried_share * taken  # what is learned in a hurry says little
        try:
            row_errors = _row_errors(found, clock)
        except OutOfTimeError:  # then there is none for folds either
            row_errors = [None] * len(found)
        # A smaller budget than the one named buys the same tree for known cases.
        budgets = [point.budget if point.for_new else point.max_cost for point in found]
        with progress_bar("error on new cases", progress) as report:
            if part is instance:
                learn, folds = route.again(found), request.folds
                judged = cross_validate(instance, learn, budgets, folds, clock, min_seconds=least, report=report)
            else:  # these trees have not seen the rows that are held out
                trees = dict(zip(budgets, (point.tree for point in found), strict=True))
                folds = FoldSettings(request.folds.n_folds, known.groups)
                judged = cross_validate(instance, lambda *_: trees.__getitem__, budgets, folds, clock, part=part)
    points = list(found)
    for index, estimate in enumerate(_estimates(found, judged, row_errors)):
        points[index] = replace(points[index], estimate=estimate)
    return replace(found, points=tuple(points), validation=judged)


def split_time(request: FitRequest) -> tuple[Clock, Clock]:
    """The clock of the search and the folds together, and its share for the search; by time, or by counted work.

    Half of the time limit each; where there is none, the folds may take as much work as the search.
    """
    plan, n_parts = DEFAULT_PLAN, 1 if request.folds is None else 2
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
    limit = instance.schema.costs.budget_units(max(budgets))
    route = KnownRoute(replace(request, method="auto", budget=limit, folds=None), named=budgets)
    rows = instance.recoded({}) if _is_merged(instance) else instance  # errors are counted alike in both columns
    by_budget = {point.budget: point for point in route.search(rows, clock.share(seconds), False)}
    least = [by_budget[budget] for budget in budgets]
    points = [replace(p, known_least=k.loss, known_proven=k.proven) for p, k in zip(found, least, strict=True)]
    return replace(found, points=tuple(points))


def _estimates(found: Frontier, judged: Validation, row_errors: Sequence[float | None]) -> Iterable[Estimate]:
    losses = judged.new_losses or (None,) * len(judged.new_errors)
    for point, row_error, error, loss in zip(found, row_errors, judged.new_errors, losses, strict=False):
        known = point.error_rate if row_error is None else row_error
        overfitted = error.exceeds(known) if loss is None else loss.exceeds(point.mean_loss)
        yield Estimate(error, overfitted, judged.how, loss)


def _is_merged(instance: Instance) -> bool:
    """Whether some case stands for several rows."""
    rows = instance.source
    return rows is not None and rows.duplicates == "merge" and instance.n_rows != instance.n_objects


def _row_errors(frontier: Frontier, clock: Clock) -> list[float | None]:
    """Per point the share of known rows that it gets wrong, where those are not the known cases: new cases are rows."""
    instance = frontier.instance
    if not _is_merged(instance):
        return [None] * len(frontier)
    rows = instance.row_order  # sums of floats depend on it
    trees = in_time([partial(getattr, point, "tree") for point in frontier], clock)
    wrong = are_wrong(answers_of_rows(trees, instance, instance, rows), instance, rows)
    weights = instance.row_weights[rows]
    return [float(share) for share in wrong @ weights / weights.sum()]
