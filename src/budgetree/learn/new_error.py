"""The error to expect on new cases, from the rows held out, and what it says about a tree."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.provenance import NewError, NewLoss

REMEDY = "objective='new', fewer levels or a smaller budget help"
CLI_REMEDY = "use --objective new, fewer levels or a smaller budget"
PAGE_REMEDY = "a tree for new cases (objective new), fewer levels or a smaller budget help"
LAST_REMEDY = "expect what new cases say"  # of a tree for new cases, which is no better for being smaller


def overfitted_words(known_error: float, new: NewError, remedy: str = REMEDY) -> str:
    """What is wrong with a tree that knows its table by heart, and what to do; "" where nothing is.

    >>> overfitted_words(0.0, NewError(0.47, 0.04), "use a smaller budget")
    'known cases 0.0 % wrong, new cases about 47 % ± 4: overfitted; use a smaller budget'
    >>> overfitted_words(0.25, NewError(0.26, 0.04))
    ''
    """
    if not new.exceeds(known_error):
        return ""
    digits = 0 if new.se >= 0.005 else 1
    about = f"{100 * new.error:.{digits}f} % ± {100 * new.se:.{digits}f}"
    return f"known cases {100 * known_error:.1f} % wrong, new cases about {about}: overfitted; {remedy}"


def overfitted_loss_words(known_loss: float, new: NewLoss, remedy: str = REMEDY) -> str:
    """The same where losses are given: of the mean losses.

    >>> overfitted_loss_words(0.25, NewLoss(0.714, 0.042), "use a smaller budget")
    'a known case loses 0.25, a new one about 0.71 ± 0.04: overfitted; use a smaller budget'
    """
    if not new.exceeds(known_loss):
        return ""
    about = f"{new.loss:.2g} ± {new.se:.1g}"
    return f"a known case loses {known_loss:.3g}, a new one about {about}: overfitted; {remedy}"


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The rows that were held out.

    learned_from  the weight of the rows that each tree was learned from. Other rows would have made other trees, which
                  is why a mean is less certain than the rows held out alone say: by 1 + held out / learned from in the
                  variance (Nadeau and Bengio 2003, the corrected resampled t-test)
    """

    weights: NDArray[np.float64]
    groups: NDArray[np.int64] | None = None  # rows of one group count as one draw
    learned_from: float = math.inf

    def error(self, wrong: NDArray[np.bool_]) -> NewError:
        """The share that is wrong."""
        return NewError(*self._mean(wrong.astype(np.float64), 1.0))

    def loss(self, lost: NDArray[np.float64], largest: float) -> NewLoss:
        """What a row loses on average, where it may lose as much as the largest."""
        return NewLoss(*self._mean(lost, largest))

    def _mean(self, values: NDArray[np.float64], largest: float) -> tuple[float, float]:
        """The weighted mean and its standard error.

        One more draw that loses nothing and one that loses the most keep the standard error of a tree without errors
        above 0.
        """
        weights, groups = self.weights, self.groups
        total = float(weights.sum())
        mean = float(weights @ values) / total
        n_draws = len(values) if groups is None else len(np.unique(groups))
        cautious = (mean * n_draws + largest) / (n_draws + 2)
        square = (float(weights @ values**2) / total * n_draws + largest**2) / (n_draws + 2)
        # As if every row were a draw of its own: where rows of a group go wrong together, the mean is less certain.
        variance = float((weights**2).sum()) * max(square - cautious**2, 0.0)
        if groups is not None:
            deviations = np.bincount(groups, weights=weights * (values - mean))
            variance = max(variance, float((deviations**2).sum()) * n_draws / max(n_draws - 1, 1))
        return mean, math.sqrt(variance * (1 + total / self.learned_from)) / total
