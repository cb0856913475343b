"""Hinged functions: impurities that forgive small classes, to trade a few errors for much cost."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from budgetree.impurity.base import Counts, Impurity, non_negative_fraction
from budgetree.impurity.forms import Form, HingeForm, hinge


class Hinged(Impurity):
    """What both hinged functions share: α, the number of cases of a class that a leaf may leave unsettled."""

    admissible = True
    exact = True
    zero_only_if_pure = False
    subtracts_square: ClassVar[bool]  # the −α² of the paper's formula

    def __init__(self, alpha: Any) -> None:
        self.alpha = non_negative_fraction(alpha, f"{type(self).__name__}: alpha", "alpha")

    def value(self, counts: Counts) -> Any:
        alpha = float(self.alpha) if counts.dtype.kind == "f" else self.alpha
        exact = counts if counts.dtype.kind == "f" else counts.astype(object)
        return hinge(exact, alpha, alpha**2 if self.subtracts_square else 0)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return HingeForm(self.alpha, scale, subtracts_square=self.subtracts_square)

    def __repr__(self) -> str:
        whole = self.alpha.denominator == 1
        return f"{type(self).__name__}({int(self.alpha) if whole else float(self.alpha)})"


class HingedPairs(Hinged):
    """The paper's P_α: Σ over i ≠ j of [[n_i − α]₊ [n_j − α]₊ − α²]₊.

    It forgives small classes: a leaf may leave about α cases of a class unsettled.

    Parameters
    ----------
    alpha : number
        The paper's α, at least 0.

    Raises
    ------
    ValueError
        Where alpha is negative or no number.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.HingedPairs(8)([30, 30])
    840
    """

    subtracts_square = True


class HingedProduct(Hinged):
    """Σ over i ≠ j of [n_i − α]₊ [n_j − α]₊: what the paper's Figure 1 computes. A smaller zero set, same theorem.

    Parameters
    ----------
    alpha : number
        The paper's α, at least 0.

    Raises
    ------
    ValueError
        Where alpha is negative or no number.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.HingedProduct(8)([30, 30])
    968
    """

    subtracts_square = False
