"""Frontier and Point: what each budget buys, and what is known of it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from budgetree.data.frames import make_frame
from budgetree.distributed import AnyCases
from budgetree.errors import SettingError
from budgetree.learn.found import Found
from budgetree.learn.validation import Validation
from budgetree.problem import Instance
from budgetree.problem.cost_model import TOLERANCE
from budgetree.problem.units import as_fraction, non_negative, plain_number
from budgetree.services.clock import Ended
from budgetree.services.words import counted
from budgetree.tree import Tree
from budgetree.tree.proven import Proven
from budgetree.tree.provenance import Expected, Method, NewError, NewLoss

# Of a point, in tables: those of losses come after the errors and the new errors, where there are losses.
COLUMNS = (
    "max_cost",
    "errors",
    "error_rate",
    "new_error",
    "new_error_se",
    "overfitted",
    "lower_bound",
    "proven",
    "source",
)
LOSS_COLUMNS, NEW_LOSS_COLUMNS = ("loss", "referred"), ("new_loss", "new_loss_se")
FOR_NEW = "lowest error on new cases"  # what is said of trees that were found for it


@dataclass(frozen=True, eq=False)
class Point:
    """What one budget buys.

    Attributes
    ----------
    max_cost : number
        The least budget that buys it: no case, known or new, costs more.
    errors : number
        Known cases that are given another class than theirs, by weight.
    error_rate : float
        Their share of the known cases.
    loss : number
        What wrong answers cost; the errors, where no losses are given.
    referred : number
        Known cases whose answer is no class.
    lower_bound : number
        No tree at all loses less within this budget; without losses, makes fewer errors.
    proven : bool
        Whether the loss is the least possible.
    source : str
        Exact search, or the impurity and its parameter.
    for_new : bool
        Whether it is for new cases, and not for the fewest errors on the known ones.
    new_error, new_error_se : float or None
        The share of new cases to expect wrong, and its standard error; None where it was not estimated.
    new_loss, new_loss_se : float or None
        What a new case loses on average, and its standard error; None without losses.

    Examples
    --------
    >>> import budgetree as bt
    >>> point = bt.frontier(bt.datasets.load("figure1"), folds=0)[-1]
    >>> point.max_cost, point.errors, point.proven
    (1, 10, True)
    """

    max_cost: int | float
    errors: int | float
    error_rate: float
    lower_bound: int | float
    proven: bool
    source: str
    loss: int | float
    referred: int | float
    for_new: bool
    _found: Found = field(repr=False)
    _proven: Proven | None = field(default=None, repr=False)
    _ended: Ended | None = field(default=None, repr=False)
    new_error: float | None = None
    new_error_se: float | None = None
    _row_error: float | None = field(default=None, repr=False)  # of known rows, where duplicates were merged into cases
    _how: str = field(default="", repr=False)  # new_error came about
    new_loss: float | None = None
    new_loss_se: float | None = None
    _mean_loss: float = field(default=0.0, repr=False)  # of the known cases

    @property
    def expected(self) -> NewError | None:
        """`new_error` and its standard error together."""
        if self.new_error is None or self.new_error_se is None:
            return None
        return NewError(self.new_error, self.new_error_se)

    @property
    def expected_loss(self) -> NewLoss | None:
        """`new_loss` and its standard error together."""
        if self.new_loss is None or self.new_loss_se is None:
            return None
        return NewLoss(self.new_loss, self.new_loss_se)

    @property
    def mean_loss(self) -> float:
        """What a known case loses on average; without losses, the share of errors."""
        return self._mean_loss

    @property
    def overfitted(self) -> bool:
        """Whether the known cases make the tree look significantly better than it is on new ones."""
        if self.expected_loss is not None:
            return self.expected_loss.exceeds(self._mean_loss)
        known = self.error_rate if self._row_error is None else self._row_error
        return self.expected is not None and self.expected.exceeds(known)

    @property
    def _expected_mean(self) -> tuple[float, float] | None:
        """What a new case loses on average, and its standard error; without losses, errs."""
        if self.expected_loss is not None:
            return self.expected_loss.loss, self.expected_loss.se
        return None if self.expected is None else (self.expected.error, self.expected.se)

    @cached_property
    def tree(self) -> Tree:
        """The tree itself; a greedy one is grown again when first asked for."""
        tree, new = self._found.tree(), self.expected
        expected = None if new is None else Expected(new, self.overfitted, self._how, self.expected_loss)
        return replace(tree, proven=self._proven or tree.proven, expected=expected, ended=self._ended or tree.ended)


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """The points that no other point beats, cheapest first.

    `frontier` makes one. It is a sequence of points: `len(frontier)`, `frontier[0]`, `for point in frontier`.

    Attributes
    ----------
    points : tuple of Point
        The points.
    instance : Instance
        The known cases.
    complete : bool
        False when a time limit or Ctrl-C ended the search.
    found_by : Method
        How its trees were found.
    n_searched : int
        So many points, from the first on, are settled by exact search, with all budgets between them.
    validation : Validation or None
        How the errors on new cases came about; None where nothing was held out.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.frontier(bt.datasets.load("figure1"), folds=0)
    frontier of 2 points, errors █▃; exact search
      max-cost   errors  error rate  at least  by
             0       30      50.00%    proven  exact search
             1       10      16.67%    proven  exact search
    """

    points: tuple[Point, ...]
    instance: Instance
    complete: bool = True
    found_by: Method = Method.GREEDY
    n_searched: int = 0
    validation: Validation | None = None

    @property
    def method(self) -> str:
        """What was done, in words."""
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
    def recommended(self) -> Point:
        """The cheapest point whose error (loss, with losses) on new cases is within one standard error of the lowest.

        Where nothing is known of new cases: the last point.
        """
        known = [(point, *found) for point in self.points if (found := point._expected_mean) is not None]
        if not known:
            return self.points[-1]
        _, lowest, se = min(known, key=lambda entry: entry[1])
        return next(point for point, mean, _ in known if mean <= lowest + se)

    def best(self, *, budget: Any) -> Point:
        """The fewest errors, or the least loss, within a budget; below the cheapest test that is the single leaf.

        Parameters
        ----------
        budget : number or None
            What no case may exceed; None for no limit.

        Returns
        -------
        Point
            The point, whose tree is `Point.tree`.

        Raises
        ------
        ValueError
            Where the budget is negative or no number.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.frontier(bt.datasets.load("synthetic"), folds=0).best(budget=1.5).errors
        512
        """
        table = self.instance.schema.costs
        units = table.budget_units(budget)
        affordable = bisect_right([table.budget_units(point.max_cost) for point in self.points], units)
        return self.points[affordable - 1]

    @property
    def has_losses(self) -> bool:
        """Whether answers have losses of their own, so that loss and errors differ."""
        return self.instance.losses is not None

    def cheapest(self, *, max_error: Any) -> Point:
        """The smallest budget at which at most this share of the cases is wrong.

        Parameters
        ----------
        max_error : number
            The share, from 0 to 1.

        Returns
        -------
        Point
            The point, whose tree is `Point.tree`.

        Raises
        ------
        ValueError
            Where no tree found makes so few errors, or the frontier is about losses.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.frontier(bt.datasets.load("synthetic"), folds=0).cheapest(max_error=0.01).max_cost
        2
        """
        if self.has_losses:
            raise SettingError(
                "max_error: with losses a frontier is about loss, and the cheapest tree with so few errors may not be "
                "on it. Choose a point by its loss, or leave the losses out.",
                subject="max_error",
                found=max_error,
            )
        wanted = non_negative(max_error, "max_error", "expected a share of the cases, from 0 to 1")
        if wanted > 1:
            message = f"max_error is {max_error}; expected a share of the cases, from 0 to 1."
            raise SettingError(message, subject="max_error", found=max_error, expected=(0, 1))
        scale, total = self.instance.schema.weight_scale, self.instance.class_order.total
        for point in self.points:
            # A share computed in floats may be slightly below the one it means.
            if round(Fraction(str(point.errors)) * scale) <= wanted * total + total * TOLERANCE:
                return point
        raise self._unreachable(wanted, total)

    def _unreachable(self, wanted: Fraction, total: int) -> SettingError:
        stuck, last = self.instance.irreducible, self.points[-1]
        asked = f"max_error is {float(wanted):.4g}, but"
        if stuck.units > wanted * total:
            errors = counted(self.instance.schema.cases(stuck.units), "error")
            least = math.ceil(stuck.units / total * 10**4) / 10**4
            message = (
                f"{asked} any tree does no better than {stuck.units / total:.4g} ({errors}): {stuck.n_objects} "
                "cases agree on every test with a case of another class. Add a test that separates them, or allow a "
                f"max_error of {least}."
            )
        else:
            least = last.error_rate
            message = (
                f"{asked} the best tree found has an error of {least:.4g} at a budget of {last.max_cost}. "
                "Raise the budget, give more time or more impurities, or allow more errors."
            )
        return SettingError(message, subject="max_error", found=float(wanted), expected=least)

    @property
    def bounds(self) -> tuple[tuple[int | float, int | float], ...]:
        """(budget, loss): from this budget to the next of these, no tree at all loses less; without losses, errs less.

        Between two points settled by search the first one's loss is the least. Before any other only what holds for
        that larger budget is known, even where it is proven: perhaps merely because no error of it can be avoided.
        """
        holding = [
            here if index < self.n_searched else after
            for index, (here, after) in enumerate(pairwise([*self.points, self.points[-1]]), start=1)
        ]
        return tuple((here.max_cost, by.lower_bound) for here, by in zip(self.points, holding, strict=True))

    @property
    def columns(self) -> tuple[str, ...]:
        """What a table of the points shows: loss and referred only where there are losses."""
        if not self.has_losses:
            return COLUMNS
        index = COLUMNS.index("overfitted")
        return (*COLUMNS[:2], *LOSS_COLUMNS, *COLUMNS[2:index], *NEW_LOSS_COLUMNS, *COLUMNS[index:])

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from.

        Returns
        -------
        data frame
            A row per point; the columns are those of `columns`.

        Raises
        ------
        ImportError
            Where no data frame library is installed.

        Examples
        --------
        >>> import budgetree as bt
        >>> table = bt.frontier(bt.datasets.load("figure1"), folds=0).to_frame()
        >>> table["errors"].tolist()
        [30, 10]
        """
        content = {name: [getattr(point, name) for point in self.points] for name in self.columns}
        return make_frame(content, self.instance.frame_library)

    def to_text(self) -> str:
        """The points as a table, with a sparkline of the errors.

        Returns
        -------
        str
            Lines for a terminal.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.frontier(bt.datasets.load("figure1"), folds=0).to_text())
        frontier of 2 points, errors █▃; exact search
          max-cost   errors  error rate  at least  by
                 0       30      50.00%    proven  exact search
                 1       10      16.67%    proven  exact search
        """
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


def make_point(instance: AnyCases, found: Found, lower_bound: int, *, for_new: bool = False) -> Point:
    """A tree found, in the user's own units; no tree loses less than the bound, in loss units."""
    schema = instance.schema
    loss = plain_number(schema.loss(found.loss))
    tree = None if instance.losses is None else found.tree()  # the loss does not say the errors
    errors, referred = (loss, 0) if tree is None else (tree.errors, tree.referred)
    return Point(
        max_cost=schema.costs.amount(found.need),
        errors=errors,
        error_rate=float(as_fraction(errors) * schema.weight_scale / instance.class_order.total),
        lower_bound=plain_number(schema.loss(lower_bound)),
        proven=found.loss == lower_bound,
        source=found.source,
        loss=loss,
        referred=referred,
        for_new=for_new,
        _found=found,
        _mean_loss=float(as_fraction(loss) * schema.weight_scale / instance.class_order.total),
    )
