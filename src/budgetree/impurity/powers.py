"""Powers and Pairs: the paper's error-free impurities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.errors import ImpurityError
from budgetree.impurity.base import Counts, Impurity
from budgetree.impurity.forms import Form, HingeForm, PowersForm, powers


class Pairs(Impurity):
    """The number of pairs of cases with different classes: Σ over i < j of n_i n_j.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Pairs()([30, 30])
    900
    """

    admissible = True
    exact = True

    def value(self, counts: Counts) -> Any:
        before = np.cumsum(counts, axis=-1)[..., :-1]  # each class meets all the classes before it
        return (counts[..., 1:] * before).sum(axis=-1)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return HingeForm(Fraction(0), scale, subtracts_square=False, factor=2)


class Powers(Impurity):
    """(Σ n_i)^l − Σ n_i^l for a whole l of at least 2; Powers(2) is twice Pairs.

    Parameters
    ----------
    l : int
        The power.

    Raises
    ------
    ValueError
        Where l is no whole number of at least 2.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Powers(3)([2, 1])
    18
    """

    admissible = True
    exact = True

    def __init__(self, l: int) -> None:  # noqa: E741  (the paper's l)
        if isinstance(l, bool) or not isinstance(l, (int, np.integer)) or l < 2:
            raise ImpurityError(f"Powers: l is {l!r}; expected a whole number of at least 2.", subject="l", found=l)
        self.l = int(l)

    def value(self, counts: Counts) -> Any:
        return powers(counts, self.l)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return PowersForm(self.l, scale)

    def __repr__(self) -> str:
        return f"Powers({self.l})"
