"""The error to expect on new cases, from the rows held out, and what it says about a tree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from budgetree.tree.expected import NewError

REMEDY = "objective='new', fewer levels or a smaller budget help"
CLI_REMEDY = "use --objective new, fewer levels or a smaller budget"
PAGE_REMEDY = "a tree for new cases (objective new), fewer levels or a smaller budget help"
LAST_REMEDY = "use fewer levels or a smaller budget"  # where the tree is for new cases already


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


def error_of_rows(
    wrong: NDArray[np.bool_],
    weights: NDArray[np.float64],
    groups: NDArray[np.int64] | None = None,
    *,
    learned_from: float = math.inf,
) -> NewError:
    """The weighted mean over rows that were held out, and its standard error; rows of one group count as one draw.

    learned_from  the weight of the rows that each tree was learned from. Other rows would have made other trees, which
                  is why the error is less sure than the rows held out alone say: by 1 + held out / learned from in the
                  variance (Nadeau and Bengio 2003, the corrected resampled t-test)

    One more right and one more wrong draw keep the standard error of a tree without errors above 0.
    """
    total = float(weights.sum())
    mean = float(weights @ wrong) / total
    n_draws = len(wrong) if groups is None else len(np.unique(groups))
    cautious = (mean * n_draws + 1) / (n_draws + 2)
    # As if every row were a draw of its own: where rows of a group are wrong together, the error is less sure than so.
    variance = float((weights**2).sum()) * cautious * (1 - cautious)
    if groups is not None:
        deviations = np.bincount(groups, weights=weights * (wrong - mean))
        variance = max(variance, float((deviations**2).sum()) * n_draws / max(n_draws - 1, 1))
    return NewError(mean, math.sqrt(variance * (1 + total / learned_from)) / total)
