"""KnownSearch: for every budget the least loss on the known cases, by exact search or greedy trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import TooLargeError
from budgetree.learn.exact.frontier import search_frontier
from budgetree.learn.exact.layout import work_for_two
from budgetree.learn.exact.solver import Solver
from budgetree.learn.found import BestFound, Found
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.points import Frontier, make_point
from budgetree.learn.proofs import with_proofs
from budgetree.learn.settings import Request
from budgetree.problem import Instance
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report, progress_bar
from budgetree.tree import Tree
from budgetree.tree.provenance import Method


@dataclass(frozen=True, slots=True, eq=False)
class KnownSearch:
    """What frontier() is asked for, apart from the cases."""

    method: str
    impurities: Sequence[Any]
    max_budget: Any
    cache_bytes: int
    threads: int
    min_cases: int = 1

    def search(self, instance: AnyCases, clock: Clock, progress: bool | None) -> Frontier:
        """The frontier; exact search by "auto" only where it has hope within the clock's seconds."""
        request = self._request(instance)
        if self.method == "greedy" or isinstance(instance, DistributedCases):
            found = _grown(request, clock, progress, Method.GREEDY)
        elif self.method == "exact":
            found = _searched(request, clock, progress)
        else:
            try:
                found = _searched(request, clock, progress, is_optional=True)
            except (TooLargeError, OutOfTimeError):
                found = _grown(request, clock, progress, Method.LOOKAHEAD)
        return with_proofs(found, clock, self.min_cases)

    def again(self, found: Frontier) -> Callable[[Instance, Clock], Callable[[Any], Tree]]:
        """The same for some of the rows, by the method that this frontier was found by."""
        is_exact = found.found_by is Method.EXACT
        # Exact search within a budget does not depend on what there is beyond it; greedy growth does.
        limit = found[-1].max_cost if is_exact else self.max_budget
        same = replace(self, method="exact" if is_exact else "greedy", max_budget=limit)

        def learn(part: Instance, clock: Clock) -> Callable[[Any], Tree]:
            share = clock.plan.exact_share if is_exact else clock.plan.greedy_share
            trees = same._trees(part, clock.share(clock.seconds_of(share)))
            return lambda budget: trees.best(part.schema.costs.budget_units(budget)).tree()

        return learn

    def _trees(self, instance: Instance, clock: Clock) -> BestFound:
        """The trees alone, by the method named; OutOfTimeError where the time does not suffice for one."""
        request = self._request(instance)
        if self.method == "greedy":
            return BestFound(grow_frontier(replace(request, needs_tree=False), clock, no_report))
        result = search_frontier(Solver(request, clock, wants_every_budget=True))
        return BestFound([*result.proven, *result.beyond])

    def _request(self, instance: AnyCases) -> Request:
        limit = instance.schema.costs.budget_units(self.max_budget, "max_budget")
        return Request(instance, limit, self.impurities, self.cache_bytes, self.threads, self.min_cases)


def _grown(request: Request, clock: Clock, progress: bool | None, method: Method) -> Frontier:
    """By greedy trees, with rollouts if wanted; nothing is proven but the loss that no tree avoids."""
    instance = request.instance
    unavoidable = _unavoidable(instance, clock)  # now, while there is time
    left = clock.seconds_left
    if instance.losses is not None and left is not None:  # each point's tree is made, for its errors
        clock = clock.share(left - min(clock.plan.points_share * left, clock.plan.points_seconds))
    with progress_bar("greedy frontier", progress) as report:
        found = grow_frontier(request, clock, report)
        if method is Method.LOOKAHEAD:
            found = _rolled_out(found, request, clock, report)
    points = tuple(make_point(instance, tree, unavoidable) for tree in found)
    # Sharded cases answer whatever a frontier asks of an instance.
    return Frontier(points, cast(Instance, instance), not clock.is_over, method)


def _unavoidable(instance: AnyCases, clock: Clock) -> int:
    """What every tree loses; 0 where cases in shards are too many to compare all of them in a share of the time."""
    if not isinstance(instance, DistributedCases):
        return instance.irreducible.units
    try:
        return instance.irreducible_in(clock.share(clock.seconds_of(clock.plan.unavoidable_share))).units
    except OutOfTimeError:
        return 0


def _rolled_out(grown: list[Found], request: Request, clock: Clock, report: ProgressReport) -> list[Found]:
    """The same trees, and better ones where a look ahead finds them."""
    if clock.is_over:  # laying a large table out takes a while
        return grown
    try:
        solver = Solver(request, clock, report)
    except TooLargeError:
        return grown
    solver.trees.add(*grown)
    solver.roll_out(clock.seconds_left)
    return list(solver.trees)


def _searched(request: Request, clock: Clock, progress: bool | None, *, is_optional: bool = False) -> Frontier:
    """By exact search: what is proven, and beyond it the best that was found.

    OutOfTimeError where it is optional, and would spend all its time on the last two tests of the whole set.
    """
    instance, left = cast(Instance, request.instance), clock.seconds_left
    # Asked before anything is laid out for a search: the greedy trees need the time.
    if is_optional and left is not None and work_for_two(instance) > clock.plan.auto_share * left * 1e9:
        raise OutOfTimeError
    with progress_bar("exact frontier", progress) as report:
        solver = Solver(request, clock, report, wants_every_budget=True)
        result = search_frontier(solver)
    points = [make_point(instance, found, found.loss) for found in result.proven]
    points += [make_point(instance, found, solver.lower_bound(found.need)) for found in result.beyond]
    return Frontier(tuple(points), instance, result.complete, Method.EXACT, len(result.proven))
