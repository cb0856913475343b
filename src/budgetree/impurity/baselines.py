"""For comparison: Gini and Entropy, which are not supermodular, and ObjectPairs, which knows no classes.

The paper's theorems do not apply to them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.impurity.base import Counts, Impurity
from budgetree.impurity.forms import ENTROPY, GINI, FloatForm, Form


class Gini(Impurity):
    """n times the Gini index: n − Σ n_i² / n. For comparison: it is not supermodular, and no theorem holds for it.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Gini()([2, 2])
    2.0
    """

    def value(self, counts: Counts) -> Any:
        floats = counts.astype(np.float64)
        total = floats.sum(axis=-1)
        return total - (floats**2).sum(axis=-1) / np.maximum(total, np.finfo(float).tiny)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return FloatForm(self.value, scale, GINI)


class Entropy(Impurity):
    """n times the entropy, in nats: n ln n − Σ n_i ln n_i. For comparison: it is not supermodular.

    Examples
    --------
    >>> import budgetree as bt
    >>> round(bt.Entropy()([2, 2]), 4)
    2.7726
    """

    def value(self, counts: Counts) -> Any:
        floats = counts.astype(np.float64)
        return _x_log_x(floats.sum(axis=-1)) - _x_log_x(floats).sum(axis=-1)

    def form(self, scale: Fraction, n_classes: int) -> Form:
        return FloatForm(self.value, scale, ENTROPY)


class ObjectPairs(Impurity):
    """n (n − 1): pairs of cases, as if each were a class of its own.

    With it the rule is generalised binary search: it takes the test whose largest part is smallest. A set of one class
    is not 0, which is why it is not admissible; trees end there all the same.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.ObjectPairs()([2, 1])
    6
    """

    exact = True

    def value(self, counts: Counts) -> Any:
        total = counts.sum(axis=-1)
        return total * (total - 1)


def _x_log_x(x: Any) -> Any:
    return x * np.log(np.where(x > 0, x, 1.0))
