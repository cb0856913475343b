"""frontier: for every budget the fewest errors, proven where exact search can, greedy where the data are too large."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

from budgetree.errors import TooLargeError
from budgetree.impurity import Impurity
from budgetree.learn.exact.frontier import search_frontier, sweep
from budgetree.learn.exact.solver import Help, Solver
from budgetree.learn.found import Found
from budgetree.learn.greedy.frontier import grow_frontier
from budgetree.learn.greedy.portfolio import CACHE_BYTES, DEFAULT_IMPURITIES, HINGED, Portfolio
from budgetree.learn.greedy.settings import check_settings
from budgetree.learn.settings import check_cache_bytes, check_instance, check_threads, check_time_limit
from budgetree.problem import Instance
from budgetree.problem.price_table import TOLERANCE
from budgetree.problem.tables.frames import make_frame
from budgetree.problem.units import non_negative, plain_number
from budgetree.services.clock import Clock
from budgetree.services.progress import progress as show_progress
from budgetree.tree import Tree

COLUMNS = ("max_cost", "errors", "error_rate", "lower_bound", "proven", "source")  # of a point, in tables
METHODS = ("auto", "exact", "greedy")
AUTO_SECONDS = 10.0  # for exact search, where the user leaves the method and the time to us
AUTO_SHARE = 0.02  # of the time: what the last two tests of the whole set may take, which exact search does often


@dataclass(frozen=True, eq=False)
class Point:
    """What one budget buys."""

    max_cost: int | float  # the least budget that buys it: no case, known or new, costs more
    errors: int | float
    error_rate: float
    lower_bound: int | float  # no tree at all makes fewer errors within this budget
    proven: bool  # the errors are the fewest possible
    source: str  # exact search, or the impurity and its parameter
    _found: Found = field(repr=False)

    @cached_property
    def tree(self) -> Tree:
        """The tree itself; a greedy one is grown again when first asked for."""
        return self._found.tree()


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """The points that no other point beats, cheapest first."""

    points: tuple[Point, ...]
    instance: Instance
    complete: bool = True  # False when a time limit or Ctrl-C ended the search
    method: str = ""  # what was done, in words
    n_searched: int = 0  # so many points, from the first on, are settled by exact search, with all budgets between them

    def best(self, *, budget: Any) -> Point:
        """The fewest errors within a budget; below the cheapest test that is the single leaf."""
        table = self.instance.schema.table
        units = table.budget_units(budget)
        affordable = bisect_right([table.budget_units(point.max_cost) for point in self.points], units)
        return self.points[affordable - 1]

    def cheapest(self, *, max_error: Any) -> Point:
        """The smallest budget at which at most this share of the objects is wrong."""
        wanted = non_negative(max_error, "max_error", "expected a share of the objects, from 0 to 1")
        if wanted > 1:
            raise ValueError(f"max_error is {max_error}; expected a share of the objects, from 0 to 1.")
        scale, total = self.instance.schema.weight_scale, int(self.instance.class_order.counts.sum())
        for point in self.points:
            # A share computed in floats may be slightly below the one it means.
            if round(Fraction(str(point.errors)) * scale) <= wanted * total + total * TOLERANCE:
                return point
        raise ValueError(self._unreachable(wanted, total))

    def _unreachable(self, wanted: Fraction, total: int) -> str:
        stuck = self.instance.irreducible
        wish = f"max_error is {float(wanted):.4g}, but"
        if stuck.units > wanted * total:
            errors = plain_number(Fraction(stuck.units) / self.instance.schema.weight_scale)
            return (
                f"{wish} any tree does no better than {stuck.units / total:.4g} ({errors} errors): {stuck.n_objects} "
                "objects agree on every test with an object of another class. Add a test that tells them apart, or "
                f"allow a max_error of {math.ceil(stuck.units / total * 10**4) / 10**4}."
            )
        last = self.points[-1]
        return (
            f"{wish} the best tree found has an error of {last.error_rate:.4g} at a budget of {last.max_cost}. "
            "Raise the budget, give more time or more impurities, or allow more errors."
        )

    @property
    def bounds(self) -> tuple[tuple[int | float, int | float], ...]:
        """(budget, errors): from this budget to the next of these, no tree at all makes fewer errors.

        Between two points settled by search the first one's errors are the fewest. Before any other only what holds for
        that larger budget is known, even where it is proven: perhaps merely because no error of it can be avoided.
        """
        below = [
            here.lower_bound if place < self.n_searched else after.lower_bound
            for place, (here, after) in enumerate(pairwise(self.points), start=1)
        ]
        below.append(self.points[-1].lower_bound)
        return tuple((point.max_cost, bound) for point, bound in zip(self.points, below, strict=True))

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from."""
        content = {name: [getattr(point, name) for point in self.points] for name in COLUMNS}
        return make_frame(content, self.instance.frame_library)

    def to_text(self) -> str:
        """The points as a table, with a sparkline of the errors."""
        from budgetree.show.frontier_table import render_text  # the room above, when it is asked for

        return render_text(self.points, self.complete, self.method)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> Point:
        return self.points[index]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from budgetree.show.frontier_table import render_html

        return render_html(self.points, self.complete, self.method)


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
    request = _Request(instance, chosen, instance.schema.table.budget_units(max_budget, "max_budget"), cache_bytes)
    if method == "greedy" or (method == "auto" and impurities is not None):
        return request.greedy(Clock(seconds), progress, "greedy")
    return request.exact(seconds, progress, must=method == "exact")


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
    for each in chosen:
        if each not in HINGED:
            check_settings(instance, each, 0, None, "worst")
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """What a frontier is asked for, checked."""

    instance: Instance
    impurities: Sequence[Any]
    limit: int
    cache_bytes: int

    def greedy(self, clock: Clock, progress: bool | None, words: str) -> Frontier:
        portfolio = Portfolio(self.instance, self.cache_bytes, clock.deadline)
        with show_progress("greedy frontier", progress) as report:
            found = grow_frontier(portfolio, self.impurities, self.limit, report)
        points = tuple(self._point(each) for each in found)
        return Frontier(points, self.instance, not portfolio.out_of_time, words)

    def exact(self, seconds: float | None, progress: bool | None, must: bool) -> Frontier:
        """By exact search; where that is not a must, for a while only, and not at all where it is hopeless."""
        if seconds is None and not must:
            seconds = AUTO_SECONDS
        with show_progress("exact frontier", progress) as report:
            clock = Clock(seconds)

            def greedy() -> list[Found]:
                portfolio = Portfolio(self.instance, self.cache_bytes, clock.deadline)
                return grow_frontier(portfolio, self.impurities, self.limit, report)

            helped = Help(
                self.cache_bytes,
                check_threads(None),
                report,
                greedy=greedy,
                when_long=lambda solver, budget: sweep(solver, budget, self.limit),
            )
            try:
                solver = Solver(self.instance, self.limit, clock, helped)
            except TooLargeError:
                if must:
                    raise
                return self.greedy(clock, progress, self._too_large())
            if not must and solver.layout.work_for_two > AUTO_SHARE * (seconds or 0) * 1e9:
                return self.greedy(clock, progress, self._too_large())
            result = search_frontier(solver, self.limit)
        points = [self._point(found, found.errors) for found in result.proven]
        points += [self._point(found, solver.lower_bound(found.need)) for found in result.beyond]
        words = "exact search"
        if not result.complete:
            words += f", {sum(point.proven for point in points)} of {len(points)} points proven"
        return Frontier(tuple(points), self.instance, result.complete, words, len(result.proven))

    def _too_large(self) -> str:
        size = f"{self.instance.n_objects:,} objects × {self.instance.n_tests:,} tests"
        return f"greedy, as {size} are too many for exact search in this time"

    def _point(self, found: Found, lower_bound: int | None = None) -> Point:
        scale, stuck = self.instance.schema.weight_scale, self.instance.irreducible.units
        least = stuck if lower_bound is None else lower_bound
        return Point(
            max_cost=self.instance.schema.table.amount(found.need),
            errors=plain_number(Fraction(found.errors) / scale),
            error_rate=found.errors / int(self.instance.class_order.counts.sum()),
            lower_bound=plain_number(Fraction(least) / scale),
            proven=found.errors == least,
            source=found.source,
            _found=found,
        )
