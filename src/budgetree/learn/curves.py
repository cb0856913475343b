"""Curve and CurvePoint: the paper's trade-off between errors and worst-case cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.frames import make_frame
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One tree of a curve.

    Attributes
    ----------
    parameter : number
        δ, or α for a hinged function.
    epsilon : float or None
        α as a share of all cases; None for δ.
    max_cost : number
        What no case exceeds, known or new.
    known_max_cost : number
        The costliest path of a known case; less than `max_cost` only with prices per outcome.
    mean_cost : float
        Over the known cases, by weight.
    errors : number
        Known cases that are given another class than theirs, by weight.
    n_leaves : int
        The number of leaves.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs()).points[0].tree
    Tree(60 cases, 1 leaf; worst case 0, mean 0; 30 errors (50.0%))
    """

    parameter: int | float | Fraction
    epsilon: float | None
    max_cost: int | float
    known_max_cost: int | float
    mean_cost: float
    errors: int | float
    n_leaves: int
    _whole: Tree = field(repr=False)
    # What each node of the whole tree owes, shared by all points of a curve, and up to what this point stops.
    _owed: NDArray[Any] | None = field(default=None, repr=False)
    _max_owed: Any = field(default=0, repr=False)

    @cached_property
    def tree(self) -> Tree:
        """The tree itself, pruned when asked for."""
        whole = self._whole
        if self._owed is None:
            return whole
        stopped = np.asarray(self._owed <= self._max_owed, dtype=bool) & ~whole.nodes.is_leaf
        if not stopped.any():
            return whole
        nodes = whole.nodes.pruned(stopped, whole.schema.n_outcomes)
        return replace(whole, nodes=nodes, origin=replace(whole.origin, delta=Fraction(str(self.parameter))))


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """The paper's trade-off curve: from the single leaf to the whole tree.

    `tradeoff` makes one. It is a sequence of points.

    Attributes
    ----------
    name : str
        Of the impurity.
    parameter_name : str
        "delta" or "alpha".
    points : tuple of CurvePoint
        The points.
    frame_library : str or None
        Of the data frames that `to_frame` makes.

    Examples
    --------
    >>> import budgetree as bt
    >>> curve = bt.tradeoff(bt.datasets.load("figure1"), bt.HingedPairs)
    >>> curve.parameter_name, [(point.parameter, point.errors) for point in curve][-1]
    ('alpha', (0, 10))
    """

    name: str
    parameter_name: str
    points: tuple[CurvePoint, ...]
    frame_library: str | None = None

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_frame(self) -> Any:
        """The points as a data frame of the library the instance came from.

        Returns
        -------
        data frame
            A row per point.

        Raises
        ------
        ImportError
            Where no data frame library is installed.

        Examples
        --------
        >>> import budgetree as bt
        >>> list(bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs()).to_frame().columns)
        ['delta', 'max_cost', 'mean_cost', 'errors', 'n_leaves']
        """
        columns = (self.parameter_name, "epsilon", "max_cost", "mean_cost", "errors", "n_leaves")
        rows = [(_plain(p.parameter), p.epsilon, p.max_cost, p.mean_cost, p.errors, p.n_leaves) for p in self.points]
        content = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
        if all(share is None for share in content["epsilon"]):
            del content["epsilon"]
        return make_frame(content, self.frame_library)

    def to_text(self) -> str:
        """The points as a table.

        Returns
        -------
        str
            Lines for a terminal.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.tradeoff(bt.datasets.load("figure1"), bt.Pairs()).to_text())
        Pairs() over delta: 3 points
                 delta   max-cost  mean cost   errors  leaves
                   900          0      0.000       30       1
                   225          1      1.000       30       2
                     0          2      2.000       10       4
        """
        amount = self.points[0]._whole.schema.wording.amount if self.points else show_number
        lines = [
            f"{self.name} over {self.parameter_name}: {counted(len(self), 'point')}",
            f"{self.parameter_name:>14} {'max-cost':>10} {'mean cost':>10} {'errors':>8} {'leaves':>7}",
        ]
        lines += [
            f"{show_number(p.parameter):>14} {amount(p.max_cost):>10} {p.mean_cost:>10.3f} "
            f"{show_number(p.errors):>8} {p.n_leaves:>7}"
            for p in self.points
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.to_text()


def _plain(parameter: int | float | Fraction) -> int | float:
    return float(parameter) if isinstance(parameter, Fraction) else parameter
