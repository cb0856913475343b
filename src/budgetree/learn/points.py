"""What is found: Candidates, trees by what they lose and need; Frontier and Point, what each budget buys; Result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

from budgetree._internal import internal
from budgetree.data.frames import make_frame
from budgetree.distributed import AnyCases
from budgetree.errors import SettingError
from budgetree.learn.settings import FitRequest, check_max_error
from budgetree.learn.validation import Validation
from budgetree.problem import Instance
from budgetree.problem.cost_model import TOLERANCE
from budgetree.problem.units import as_fraction, plain_number
from budgetree.services.clock import Ended
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.grown import leaf_nodes
from budgetree.tree.provenance import SIGNIFICANT, Bounds, Estimate, Method, Objective, Origin, ProofState

HELPFUL = 1.0  # standard errors by which a larger budget must be better
FOR_NEW = "lowest error on new cases"  # how trees for new cases are described


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Loss and budget in units; the tree itself is made when asked for."""

    loss: int  # errors where no losses are given
    required_budget: int
    source: str  # what found it, for display
    make: Callable[[], Tree]

    def bounds(self, *, searched: bool, **fields: Any) -> Bounds:
        return Bounds.of(self.loss, self.required_budget, searched=searched, **fields)


class Candidates:
    """The trees that no other beats, cheapest first: a staircase that only ever moves down and to the left.

    loss │■
         │   ■          ■ kept: a larger budget loses less
         │       □      □ not kept: ■ at its left loses no more and needs no larger budget
         │     ■
         └──────────── required budget
    """

    def __init__(self, trees: Iterable[Candidate] = ()) -> None:
        self._kept: list[Candidate] = []
        self.add(*trees)

    def add(self, *trees: Candidate) -> None:
        """Keeps each tree unless another is at least as good and no costlier."""
        for new in trees:
            if not any(old.loss <= new.loss and old.required_budget <= new.required_budget for old in self._kept):
                kept = [old for old in self._kept if old.loss < new.loss or old.required_budget < new.required_budget]
                self._kept = sorted([*kept, new], key=lambda found: found.required_budget)

    def best(self, budget: int) -> Candidate:
        return [found for found in self._kept if found.required_budget <= budget][-1]

    def next_better(self, loss: int) -> Candidate | None:
        """The cheapest tree that loses less."""
        return next((found for found in self._kept if found.loss < loss), None)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._kept)


def candidate_of(tree: Tree, source: str) -> Candidate:
    """A tree by what it really loses and costs, not by a search's word."""
    return Candidate(tree.nodes.loss, tree.need, source, partial(given, tree))


def leaf_candidate(instance: AnyCases) -> Candidate:
    """The tree without any test but what every path begins with, which every budget buys."""
    least = instance.schema.costs.least_budget
    return Candidate(instance.class_order.leaf_loss, least, "single leaf", partial(_single_leaf, instance))


def given(tree: Tree) -> Tree:
    """A tree that need not be made; a function with a name, so that frontiers and curves can be pickled."""
    return tree


def _single_leaf(instance: AnyCases) -> Tree:
    grown, table = leaf_nodes(instance.schema, instance.class_order.counts), instance.fingerprint
    return grown_tree(instance.schema, grown, instance.n_objects, Origin(Method.LEAF, table=table))


@dataclass(frozen=True, eq=False)
class Point:
    """What one budget buys.

    Attributes
    ----------
    candidate : Candidate
        The tree, by what it loses and the least budget that buys it, in units; made when asked for.
    bounds : Bounds
        What is known of other trees within the budget, in units.
    budget : number
        The budget as it was named, or `max_cost`.
    instance : Instance
        The known cases.
    for_new : bool
        Whether it is for new cases, and not for the fewest errors on the known ones.
    estimate : Estimate or None
        The error (and loss) on new cases, cross-validated; None where it was not estimated.
    ended : Ended
        How the search ended.
    known_least, known_proven : number and bool, or None
        Of a frontier for new cases: the fewest errors (the least loss) of a tree for known cases within the budget,
        and whether that is proven.

    Examples
    --------
    >>> import budgetree as bt
    >>> point = bt.frontier(bt.datasets.load("figure1"), folds=0, objective="known")[-1]
    >>> point.max_cost, point.errors, point.proven
    (1, 10, True)
    """

    candidate: Candidate = field(repr=False)
    bounds: Bounds = field(repr=False)
    budget: int | float
    instance: AnyCases = field(repr=False)
    for_new: bool = False
    estimate: Estimate | None = None
    ended: Ended = field(default=Ended.COMPLETE, repr=False)
    known_least: int | float | None = None
    known_proven: bool | None = None

    @property
    def max_cost(self) -> int | float:
        """The least budget that buys the tree: no case, known or new, costs more."""
        return self.instance.schema.costs.amount(self.candidate.required_budget)

    @cached_property
    def errors(self) -> int | float:
        """Known cases that are given another class than theirs, by weight."""
        return self.loss if self.instance.losses is None else self.tree.errors

    @cached_property
    def referred(self) -> int | float:
        """Known cases whose answer is not a class."""
        return 0 if self.instance.losses is None else self.tree.referred

    @property
    def error_rate(self) -> float:
        """The share of errors among the known cases."""
        return self._share(self.errors)

    @property
    def loss(self) -> int | float:
        """What wrong answers cost; the errors, where no losses are given."""
        return plain_number(self.instance.schema.loss(self.candidate.loss))

    @property
    def mean_loss(self) -> float:
        """What a known case loses on average; without losses, the share of errors."""
        return self._share(self.loss)

    @property
    def lower_bound(self) -> int | float:
        """No tree at all loses less within this budget; without losses, makes fewer errors."""
        return plain_number(self.instance.schema.loss(self.bounds.least_loss))

    @property
    def proven(self) -> bool:
        """Whether the loss is the least possible."""
        return self.bounds.state is ProofState.OPTIMAL

    @property
    def source(self) -> str:
        """Exact search, or the impurity and its parameter."""
        return self.candidate.source

    @property
    def new_error(self) -> float | None:
        """The share of new cases to expect wrong; None where it was not estimated."""
        return None if self.estimate is None else self.estimate.new_error.error

    @property
    def new_error_se(self) -> float | None:
        """The standard error of `new_error`."""
        return None if self.estimate is None else self.estimate.new_error.se

    @property
    def new_loss(self) -> float | None:
        """What a new case loses on average; None without losses."""
        return None if self.estimate is None or self.estimate.new_loss is None else self.estimate.new_loss.loss

    @property
    def new_loss_se(self) -> float | None:
        """The standard error of `new_loss`."""
        return None if self.estimate is None or self.estimate.new_loss is None else self.estimate.new_loss.se

    @property
    def new_cost(self) -> float | None:
        """What the rows held out for the estimate cost on average."""
        return None if self.estimate is None else self.estimate.mean_cost

    @property
    def new_recalls(self) -> tuple[float | None, ...] | None:
        """Per class, the share of these rows that is found; None for a class without any."""
        return None if self.estimate is None else self.estimate.recalls or None

    @property
    def overfitted(self) -> bool:
        """Whether the known cases make the tree look significantly better than it is on new ones."""
        return self.estimate is not None and self.estimate.overfitted

    @cached_property
    def tree(self) -> Tree:
        """The tree itself; a greedy one is grown again when first asked for."""
        tree = self.candidate.make()
        bounds = tree.bounds if self.for_new else self.bounds
        ended = tree.ended if self.ended is Ended.COMPLETE else self.ended
        return replace(tree, bounds=bounds, estimate=self.estimate, ended=ended)

    def _share(self, amount: int | float) -> float:
        return float(as_fraction(amount) * self.instance.schema.weight_scale / self.instance.class_order.total)


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """What each budget buys: the points that no other point beats, or those of named budgets; cheapest first.

    `frontier` makes one. It is a sequence of points: `len(frontier)`, `frontier[0]`, `for point in frontier`.

    Attributes
    ----------
    points : tuple of Point
        The points.
    instance : Instance
        The known cases.
    complete : bool
        False when a limit of work or time, or Ctrl-C, ended the search.
    found_by : Method
        How its trees were found.
    n_searched : int
        How many points, from the first on, exact search has settled, with all budgets between them.
    validation : Validation or None
        How the errors on new cases were estimated; None if nothing was held out.
    request : FitRequest
        The request, with the objective and its reason.
    least_loss : int
        No tree within the budget asked for loses less, in units.
    is_named : bool
        Whether the budgets were named.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.frontier(bt.datasets.load("figure1"), folds=0, objective="known")
    objective: known cases (as asked)
    cases: every row counts; outcomes as given
    frontier of 2 points, errors █▃; exact search
      max-cost   errors  error rate  at least  by
             0       30      50.00%    proven  exact search
             1       10      16.67%    proven  exact search
    >>> found = bt.frontier(bt.datasets.load("synthetic"), folds=0, objective="known")
    >>> found.best(budget=1.5).errors, found.cheapest(max_error=0.01).max_cost
    (512, 2)
    >>> found.to_frame()["errors"].tolist()[:3], len(found.to_text().splitlines()) - len(found)
    ([768, 512, 4], 4)
    """

    points: tuple[Point, ...]
    instance: Instance
    complete: bool = True
    found_by: Method = Method.GREEDY
    n_searched: int = 0
    validation: Validation | None = None
    request: FitRequest = field(default_factory=FitRequest)
    least_loss: int = 0
    is_named: bool = False

    @property
    def method(self) -> str:
        """How the trees were found, as a phrase."""
        if self.found_by is Method.PREDICTIVE:
            return FOR_NEW
        words = self.found_by.words
        if self.found_by is Method.EXACT and not self.complete:
            n_proven = sum(point.proven for point in self.points)
            return f"{words}, {n_proven} of {counted(len(self.points), 'point')} proven"
        if self.found_by is Method.LOOKAHEAD:
            size = f"{self.instance.n_objects:,} cases × {self.instance.n_tests:,} tests"
            return f"{words}, as {size} are too many for exact search in this time"
        return words

    @property
    def enough(self) -> Point | None:
        """The cheapest point that no costlier one is better than on new cases, by one standard error.

        That is of the difference on the same rows held out; with losses, in loss. None where nothing was held out.
        """
        advantages = () if self.validation is None else self.validation.advantages
        enough = (index for index, over in enumerate(advantages) if max(over[index:]) <= HELPFUL)
        return self.points[next(enough)] if advantages else None

    @property
    def recommended(self) -> Point | None:
        """The point that is enough, where some budget is significantly better on new cases than no test.

        That is by two standard errors of the difference; else None. Where nothing is known of new cases, the last
        point.
        """
        enough = self.enough
        if enough is None or self.validation is None:
            return self.points[-1]
        if self.points[0].candidate.required_budget > 0:  # no point is without a test
            return enough
        return enough if max(self.validation.advantages[0]) > SIGNIFICANT else None

    def best(self, *, budget: Any) -> Point:
        """The fewest errors, or the least loss, within a budget; below the cheapest test that is the single leaf.

        Parameters
        ----------
        budget : number or None
            What no case may exceed; None for no limit.
        """
        units = self.instance.schema.costs.budget_units(budget)
        return [point for point in self.points if point.candidate.required_budget <= units][-1]

    @property
    def has_losses(self) -> bool:
        """Whether answers have losses of their own, so that loss and errors differ."""
        return self.instance.losses is not None

    def cheapest(self, *, max_error: Any) -> Point:
        """The smallest budget at which at most this share of the cases is wrong.

        Of the known cases; in a frontier for new cases, the cross-validated share of new ones.

        Parameters
        ----------
        max_error : number
            The share, from 0 to 1.

        Raises
        ------
        ValueError
            Where no tree found makes so few errors, or the frontier is about losses on known cases.
        """
        wanted, is_new = check_max_error(max_error), self.found_by is Method.PREDICTIVE
        if self.has_losses and not is_new:
            raise SettingError(
                "max_error: with losses a frontier is about loss, and the cheapest tree with so few errors may not be "
                "on it. Choose a point by its loss, or leave the losses out.",
                subject="max_error",
                found=max_error,
            )
        total = self.instance.class_order.total
        # A share computed in floats may be slightly below the one it means.
        for point in self.points:
            error = point.new_error if is_new else Fraction(point.candidate.loss, total)
            if error is not None and error <= wanted + TOLERANCE:
                return point
        message, least = self._least_for_new() if is_new else self._least_for_known(wanted, total)
        message = f"max_error is {float(wanted):.4g}, but {message}"
        raise SettingError(message, subject="max_error", found=float(wanted), expected=least)

    def _least_for_new(self) -> tuple[str, float | None]:
        estimated = [(point.new_error, point) for point in self.points if point.new_error is not None]
        if not estimated:
            return "nothing was held out, so that no error on new cases is known; give folds, or more time.", None
        least, best = min(estimated, key=lambda entry: entry[0])
        message = f"the lowest error on new cases is {least:.4g}, at a budget of {best.budget} (cross-validated)."
        return f"{message} Allow a max_error of {math.ceil(least * 10**4) / 10**4}, or choose a budget.", least

    def _least_for_known(self, wanted: Fraction, total: int) -> tuple[str, float]:
        stuck, last = self.instance.irreducible, self.points[-1]
        if stuck.units > wanted * total:
            errors = counted(self.instance.schema.cases(stuck.units), "error")
            least = math.ceil(stuck.units / total * 10**4) / 10**4
            return (
                f"any tree does no better than {stuck.units / total:.4g} ({errors}): {stuck.n_objects} cases agree on "
                f"every test with a case of another class. Add a test that separates them, or allow a max_error of "
                f"{least}.",
                least,
            )
        least = last.error_rate
        message = f"the best tree found has an error of {least:.4g} at a budget of {last.max_cost}."
        return f"{message} Raise the budget, give more time or more impurities, or allow more errors.", least

    @property
    def bounds(self) -> tuple[tuple[int | float, int | float], ...]:
        """(budget, loss): from this budget to the next of these, no tree at all loses less; without losses, errs less.

        Between two points settled by search the first one's loss is the least. Before any other only what holds for
        that larger budget is known, even where it is proven: perhaps merely because no error of it can be avoided.
        """
        costs, schema = self.instance.schema.costs, self.instance.schema
        return tuple((costs.amount(units), plain_number(schema.loss(least))) for units, least in self.unit_bounds)

    @internal
    def least_cost(self, loss: int) -> int:
        """The least budget at which no bound on the loss excludes a tree with so little, in units."""
        reached = [units for units, least in self.unit_bounds if least <= loss]
        return min(reached, default=self.points[-1].candidate.required_budget)

    @property
    @internal
    def unit_bounds(self) -> tuple[tuple[int, int], ...]:
        """`bounds` in units."""
        holding = [
            here if index < self.n_searched else after
            for index, (here, after) in enumerate(pairwise([*self.points, self.points[-1]]), start=1)
        ]
        pairs = zip(self.points, holding, strict=True)
        return tuple((here.candidate.required_budget, by.bounds.least_loss) for here, by in pairs)

    @property
    @internal
    def has_budgets(self) -> bool:
        """Whether the points are about budgets that may be more than their trees cost: named, or for new cases."""
        return self.is_named or self.points[0].for_new or self.points[-1].for_new

    @property
    def columns(self) -> tuple[str, ...]:
        """What a table of the points shows: loss and referred only where there are losses."""
        shown = (
            (self.has_budgets, ("budget",)),
            (True, ("max_cost", "errors")),
            (self.has_losses, ("loss", "referred")),
            (True, ("error_rate", "new_error", "new_error_se")),
            (self.has_losses, ("new_loss", "new_loss_se")),
            (True, ("overfitted", "lower_bound", "proven", "source")),
            (any(point.known_least is not None for point in self.points), ("known_least", "known_proven")),
            (any(point.new_recalls for point in self.points), ("new_cost", "new_recalls")),
        )
        return tuple(name for is_shown, names in shown if is_shown for name in names)

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from.

        Returns
        -------
        data frame
            A row per point; the columns are those of `columns`.
        """
        content = {name: [getattr(point, name) for point in self.points] for name in self.columns}
        return make_frame(content, self.instance.frame_library)

    def to_text(self) -> str:
        """The points as a table, with a sparkline of the errors."""
        from budgetree.show.frontier_view import render_text  # the layer above, when it is asked for

        return render_text(self)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> Point:
        return self.points[index]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from budgetree.show.frontier_view import render_html

        return render_html(self)


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
    frontier: Frontier | None = None
    point: Point | None = None

    @property
    def ended(self) -> Ended:
        """Whether the search was complete, or what ended it."""
        return self.tree.ended

    @property
    def bounds(self) -> Bounds | None:
        """What is known of other trees for the known cases, in units; None of a tree for new cases."""
        return self.tree.bounds

    @property
    def estimate(self) -> Estimate | None:
        """The error (and loss) on new cases, cross-validated; None where nothing was held out."""
        return self.tree.estimate

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
            known = f"at least {show_number(self.lower_bound)}" if self.lower_bound else "not proven"
            return f"Result({lost} within {limit}, {known}; worst case {max_cost})"
        is_cheapest = self.bounds.least_cost >= self.tree.need
        least = "the least budget for that" if is_cheapest else "perhaps less would do"
        return f"Result({lost} within {limit}, proven; worst case {max_cost}, {least})"
