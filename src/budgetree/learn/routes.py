"""The two ways from a request to trees, and what to expect of those on new cases: the same way without some rows.

known   for each budget the least loss on the known cases, by exact search or greedy trees, with what is proven
new     for each budget the tree with the lowest expected loss on new cases
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import TooLargeError
from budgetree.learn.candidates import Candidate, Candidates, candidate_of, leaf_candidate
from budgetree.learn.exact.frontier import search_frontier, solve
from budgetree.learn.exact.layout import work_for_two
from budgetree.learn.exact.solver import Solver
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.points import FOR_NEW, Frontier, make_point
from budgetree.learn.predictive.budgets import DEFAULT_POINTS
from budgetree.learn.predictive.trees import PredictiveTrees
from budgetree.learn.settings import FitRequest
from budgetree.learn.validation import Groups, Learn, Validation, cross_validate
from budgetree.problem import Instance
from budgetree.services.clock import DEFAULT_PLAN, Clock, Ended, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report, progress_bar
from budgetree.tree import Bounds, Tree
from budgetree.tree.provenance import Estimate, Method, Objective

REPLACED = 1.5  # standard errors by which a cheaper tree must be better than a budget's own


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

        def learn(part: Instance, _: Groups | None, clock: Clock) -> Callable[[Any], Tree]:
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
    """Trees for new cases at these budgets; where they are named, a point for each.

    budgets    None for as many as `n_points`, up to the request's, where what they buy changes most
    """

    request: FitRequest
    budgets: Sequence[int | float] | None = None
    n_points: int = DEFAULT_POINTS
    is_named: bool = False

    def search(self, instance: Instance, clock: Clock, progress: bool | None) -> Frontier:
        """A point for each budget that buys something else than those before."""
        trees = self._trees_of(instance, clock, groups=None if self.request.rows is None else self.request.rows.groups)
        fine = trees.cases  # every row is a case, as these trees count them, if there was time
        budgets = self.budgets
        if budgets is None:
            budgets = trees.budgets(self.request.budget, self.n_points, clock)
        made = list(self._each_tree(trees, budgets, clock, progress))
        leaf = (0, leaf_candidate(fine))
        by: dict[int | float, tuple[int | float, Candidate]] = {0: leaf}
        for budget, tree in made:
            if self.is_named:
                by[budget] = (budget, candidate_of(tree, FOR_NEW))
            # Trees that cost the same are one point, at the smallest budget; free tests may do better than a leaf.
            elif tree.need not in by or (by[tree.need] is leaf and tree.n_leaves > 1):
                by[tree.need] = (budget, candidate_of(tree, FOR_NEW))
        unavoidable = fine.irreducible.units
        points = [
            make_point(
                fine,
                candidate,
                Bounds.of(candidate.loss, candidate.required_budget, least_loss=unavoidable, searched=False),
                for_new=True,
                budget=budget,
            )
            for budget, candidate in by.values()
        ]
        ended = next((tree.ended for _, tree in made if tree.ended is not Ended.COMPLETE), Ended.COMPLETE)
        if len(made) < len(budgets):
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

        def learn(part: Instance, groups: Groups | None, clock: Clock) -> Callable[[Any], Tree]:
            trees = self._trees_of(part, clock, groups=groups, needs_tree=False)
            seconds, costs = clock.seconds_of(1 / len(found)), part.schema.costs

            def tree_for(budget: Any) -> Tree:
                if not costs.budget_units(budget) and costs.prices(costs.start).all():
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
        self, trees: PredictiveTrees, budgets: Sequence[int | float], clock: Clock, progress: bool | None
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


def travel(route: Route, cases: AnyCases, progress: bool | None, *, known_line: bool = False) -> Frontier:
    """The route's frontier, whose points know their error on new cases as far as there is time; Ctrl-C ends that time.

    known_line  beside trees for new cases, the fewest errors on the known ones
    """
    request, instance = route.request, cast(Instance, cases)
    part = instance
    clock, for_search = split_time(request)
    with clock.listening():
        if isinstance(route, NewRoute) and request.rows is not None:
            learned = request.rows.learned_from()
            instance, part = request.rows.instance, learned.instance
            route = replace(route, request=replace(request, rows=learned))
        found = route.search(part, for_search, progress)
        taken = clock.seconds_passed
        if known_line:
            found = _with_known_line(found, part, request, clock)
        if request.folds is None or request.rows is None:
            return found
        least = clock.plan.hurried_share * taken  # what is learned in a hurry says little
        # A smaller budget than the one named buys the same tree for known cases.
        budgets = [point.budget if point.for_new else point.max_cost for point in found]
        with progress_bar("error on new cases", progress) as report:
            if part is instance:
                judged = cross_validate(
                    request.rows.instance,
                    route.again(found),
                    budgets,
                    request.folds,
                    clock,
                    trees=[point.tree for point in found] if found.found_by is Method.PREDICTIVE else [],
                    min_seconds=least,
                    report=report,
                )
            else:  # these trees have not seen the rows that are held out
                trees = dict(zip(budgets, (point.tree for point in found), strict=True))
                judged = cross_validate(
                    instance, lambda *_: trees.__getitem__, budgets, request.folds, clock, part=part
                )
    judged = replace(judged, n_copies=request.rows.n_copies)
    points = list(found)
    for index, estimate in enumerate(_estimates(found, judged)):
        cost, recalls = judged.mean_costs[index], judged.recalls[index]
        points[index] = replace(points[index], estimate=estimate, new_cost=cost, new_recalls=recalls)
    judged_points = replace(found, points=tuple(points), validation=judged)
    return _with_cheaper(judged_points, judged) if request.objective is Objective.NEW else judged_points


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


def _estimates(found: Frontier, judged: Validation) -> Iterable[Estimate]:
    losses = judged.new_losses or (None,) * len(judged.new_errors)
    firm = judged.stabilities or (None,) * len(judged.new_errors)
    for point, error, loss, stability in zip(found, judged.new_errors, losses, firm, strict=False):
        overfitted = error.exceeds(point.error_rate) if loss is None else loss.exceeds(point.mean_loss)
        yield Estimate(error, overfitted, judged.how, loss, stability)


def _is_merged(instance: Instance) -> bool:
    """Whether some case stands for several rows."""
    rows = instance.source
    return rows is not None and rows.duplicates == "merge" and instance.n_rows != instance.n_objects
