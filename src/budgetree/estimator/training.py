"""y and sample_weight, checked as scikit-learn does: what each training row is, and how much it counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, column_or_1d

from budgetree.problem.units import check_weights
from budgetree.services.words import counted


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """The classes of a table's rows."""

    answers: NDArray[Any]  # as y has them
    classes: NDArray[Any]
    labels: NDArray[np.int64]  # per row, the position of its class

    @classmethod
    def of(cls, y: Any, n_rows: int) -> Labelled:
        """One class for each row, or an error that says what is wrong."""
        answers = column_or_1d(y, warn=True)
        assert_all_finite(answers, input_name="y")
        if len(answers) != n_rows:
            raise ValueError(
                f"y: {counted(len(answers), 'label')} for {counted(n_rows, 'row')} of X; expected one for each."
            )
        try:
            check_classification_targets(answers)
            classes, labels = np.unique(answers, return_inverse=True)
        except TypeError as error:
            raise ValueError("y: labels are missing or of several types; expected one label per row.") from error
        return cls(answers, classes, labels)


def training_weights(labelled: Labelled, sample_weight: Any, class_weight: Any) -> NDArray[np.float64]:
    """How much each row counts, by its own weight and its class's."""
    if isinstance(sample_weight, Iterable):
        check_weights(sample_weight, "sample_weight")
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, labelled.answers, dtype=np.float64, copy=True, ensure_non_negative=True
    )
    if class_weight is None:
        return weights
    factors = _class_factors(labelled, weights, class_weight)
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise ValueError(
            f"class_weight is {class_weight!r:.80}; expected finite weights of at least 0 for every class."
        )
    return weights * factors


def _class_factors(labelled: Labelled, weights: NDArray[np.float64], class_weight: Any) -> NDArray[np.float64]:
    """How much more or less each row counts because of its class."""
    if not (isinstance(class_weight, str) and class_weight == "balanced"):
        return np.asarray(compute_sample_weight(class_weight, labelled.answers), dtype=np.float64)
    labels = labelled.labels
    in_class = np.bincount(labels, weights=weights)  # by weight, so that a row of weight 2 is as good as two rows
    factors = weights.sum() / (len(in_class) * np.maximum(in_class, np.finfo(float).tiny))
    return np.asarray(factors[labels])
