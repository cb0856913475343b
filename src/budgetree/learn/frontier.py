"""frontier: for every budget the fewest errors that any tree of the portfolio reaches."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from budgetree.impurity import Impurity
from budgetree.learn.frontier_text import COLUMNS, render_html, render_text
from budgetree.learn.greedy import grow_nodes
from budgetree.learn.portfolio import CACHE_BYTES, DEFAULT_IMPURITIES, HINGED, Batch, Portfolio
from budgetree.learn.progress import Report
from budgetree.learn.progress import progress as show_progress
from budgetree.learn.settings import Settings, check_settings
from budgetree.learn.steps import AT_ROOT, join_steps
from budgetree.problem import Instance
from budgetree.problem.columns import make_frame
from budgetree.problem.prices import HAIR
from budgetree.problem.units import non_negative, plain_number
from budgetree.tree import Tree

ROUNDS = 12  # of a bisection, about


@dataclass(frozen=True, slots=True, eq=False)
class _Recipe:
    """How to grow a point's tree again."""

    instance: Instance
    impurity: Impurity
    hard_budget: int  # in price units
    cut: int | float

    @property
    def source(self) -> str:
        table = self.instance.schema.table
        if self.hard_budget >= table.budget_units(None):
            return repr(self.impurity)
        return f"{self.impurity!r}, budget={table.amount(self.hard_budget)}"

    def make(self) -> Tree:
        schema = self.instance.schema
        form = self.impurity.form(schema.weight_scale, self.instance.n_classes)
        nodes = grow_nodes(self.instance, Settings(form, Fraction(0), self.hard_budget, "worst"))
        return Tree(schema, nodes, self.instance.n_objects, f"greedy {self.source}").cut(self.cut).trim()


@dataclass(frozen=True, eq=False)
class Point:
    """What one budget buys."""

    max_cost: int | float  # the least budget that buys it: no case, known or new, costs more
    errors: int | float
    error_rate: float
    lower_bound: int | float  # no tree at all makes fewer errors within this budget
    proven: bool  # the errors are the fewest possible
    source: str  # the impurity and its parameter
    _recipe: _Recipe = field(repr=False)

    @cached_property
    def tree(self) -> Tree:
        """The tree itself, grown again when first asked for."""
        return self._recipe.make()


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """The points that no other point beats, cheapest first."""

    points: tuple[Point, ...]
    instance: Instance
    complete: bool = True  # False when a time limit ended the search

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
            # A share computed in floats may be a hair below the one it means.
            if round(Fraction(str(point.errors)) * scale) <= wanted * total + Fraction(total, HAIR):
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
            "Raise max_budget, give more time or more impurities, or allow more errors."
        )

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from."""
        content = {name: [getattr(point, name) for point in self.points] for name in COLUMNS}
        return make_frame(content, self.instance.frame_library)

    def to_text(self) -> str:
        """The points as a table, with a sparkline of the errors."""
        return render_text(self.points, self.complete)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> Point:
        return self.points[index]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return render_html(self.points, self.complete)


def frontier(
    instance: Instance,
    *,
    method: Literal["auto", "greedy"] = "auto",
    impurities: Sequence[Any] | None = None,
    max_budget: Any = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    cache_bytes: int = CACHE_BYTES,
) -> Frontier:
    """For every budget the fewest errors that a tree of the portfolio reaches.

    method       "greedy" (what "auto" does too): a tree for each impurity and parameter, each cut at every budget
    impurities   default Powers 2 to 5 and HingedPairs and HingedProduct over their α's; a hinged class stands for all
                 its α's, an object for itself
    max_budget   no point beyond it; trees are then grown under this hard budget too
    time_limit   seconds after which the best so far is returned
    progress     True or False to show or hide the bar; by default it shows on a terminal
    cache_bytes  memory for counts that trees share; beyond it they are counted again

    >>> import budgetree as bt
    >>> [(point.max_cost, point.errors) for point in bt.frontier(bt.datasets.load("synthetic"))][:3]
    [(0, 768), (1, 512), (2, 4)]
    """
    chosen = _check_request(instance, method, impurities, cache_bytes)
    table = instance.schema.table
    limit = table.budget_units(max_budget, "max_budget")
    # Under the limit first: those trees are quicker to grow and made for it.
    budgets = dict.fromkeys([limit, table.budget_units(None)])
    deadline = _deadline(time_limit)
    portfolio = Portfolio(instance, cache_bytes, deadline)
    batches: list[Batch] = []
    with show_progress("greedy frontier", progress) as report:
        for budget in budgets:
            if not (batches and portfolio.out_of_time):
                batches.extend(_grow_all(portfolio, chosen, budget, report))
    complete = not portfolio.out_of_time
    return Frontier(_pareto(instance, batches, limit), instance, complete)


def _check_request(instance: Any, method: Any, impurities: Any, cache_bytes: Any) -> Sequence[Any]:
    if not isinstance(instance, Instance):
        raise ValueError(f"instance: expected an Instance, but got {type(instance).__name__}; see Instance.from_frame.")
    if method not in ("auto", "greedy"):
        raise ValueError(f"method is {method!r}; expected 'auto' or 'greedy'.")
    if isinstance(cache_bytes, bool) or not isinstance(cache_bytes, int) or cache_bytes < 0:
        raise ValueError(f"cache_bytes is {cache_bytes!r}; expected a whole number of bytes of at least 0.")
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


def _deadline(time_limit: Any) -> float | None:
    if time_limit is None or time_limit == math.inf:
        return None
    seconds = non_negative(time_limit, "time_limit", "expected a number of seconds of at least 0")
    return time.monotonic() + float(seconds)


def _grow_all(portfolio: Portfolio, chosen: Sequence[Any], budget: int, report: Report) -> Iterator[Batch]:
    singles: list[Impurity] = [each for each in chosen if each not in HINGED]
    families = [each for each in chosen if each in HINGED]
    n_trees = 0
    if singles:
        batch = portfolio.grow_all(singles, budget)
        n_trees += len(batch.steps)
        report(0, len(families) or 1, f"{n_trees} trees")
        yield batch
    for index, family in enumerate(families):
        if portfolio.out_of_time and n_trees:
            return
        for number, batch in enumerate(portfolio.hinged(family, budget)):
            n_trees += len(batch.steps)
            report(index + min(number / ROUNDS, 1), len(families), f"{n_trees} trees")
            yield batch


def _pareto(instance: Instance, batches: list[Batch], limit: int) -> tuple[Point, ...]:
    """The points of all cuts of all trees that no other beats; of equals the first in the portfolio's order."""
    growers = [(batch, i) for batch in batches for i in range(len(batch.steps))]
    steps = join_steps([batch.steps for batch in batches])
    by_tree = np.lexsort((steps.need, steps.owner))  # each tree's steps, cheapest first
    need, owner = steps.need[by_tree], steps.owner[by_tree]
    saved = np.cumsum(steps.gain[by_tree])
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # where each tree begins
    saved_before = np.repeat(saved[first] - steps.gain[by_tree][first], np.diff(first, append=len(owner)))
    at_root = int(steps.summaries[0, AT_ROOT])
    need = np.concatenate(([0], need))
    errors = np.concatenate(([at_root], at_root - (saved - saved_before)))
    owner = np.concatenate(([0], owner))
    order = np.lexsort((owner, errors, need))
    order = order[need[order] <= limit]
    fewest_before = np.minimum.accumulate(np.concatenate(([np.iinfo(np.int64).max], errors[order][:-1])))
    kept = order[errors[order] < fewest_before].tolist()
    points = []
    for i in kept:
        batch, tree = growers[owner[i]]
        cut = instance.schema.table.amount(int(need[i]))
        recipe = _Recipe(instance, batch.impurity(tree), batch.budget, cut)
        is_leaf = errors[i] == at_root and need[i] == 0
        points.append(_point(recipe, int(errors[i]), "single leaf" if is_leaf else recipe.source))
    return tuple(points)


def _point(recipe: _Recipe, wrong: int, source: str) -> Point:
    instance = recipe.instance
    scale, stuck = instance.schema.weight_scale, instance.irreducible.units
    return Point(
        max_cost=recipe.cut,
        errors=plain_number(Fraction(wrong) / scale),
        error_rate=wrong / int(instance.class_order.counts.sum()),
        lower_bound=plain_number(Fraction(stuck) / scale),
        proven=wrong == stuck,
        source=source,
        _recipe=recipe,
    )
