"""y and sample_weight, checked as scikit-learn does: what each training row is, and how much it counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, column_or_1d

from budgetree.problem.units import check_weights, exact_sum
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
    totals = class_totals(labelled.labels, weights, len(labelled.classes))
    factors: NDArray[np.float64] = class_factors(labelled.classes.tolist(), totals, class_weight)[labelled.labels]
    return weights * factors


def class_totals(labels: NDArray[Any], weights: NDArray[np.float64], n_classes: int) -> list[Fraction]:
    """What the rows of each class weigh, exactly: rows of a table that is elsewhere are added up in another order."""
    by_class = weights[np.argsort(labels, kind="stable")]
    sizes = np.bincount(labels, minlength=n_classes)
    return [exact_sum(by_class[end - size : end]) for end, size in zip(np.cumsum(sizes), sizes, strict=True)]


def class_factors(classes: Sequence[Any], totals: Sequence[Fraction], class_weight: Any) -> NDArray[np.float64]:
    """How much more or less the rows of each class count; the totals are what they weigh without that."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        # By weight, so that a row of weight 2 is as good as two rows.
        mean = sum(totals, Fraction(0)) / max(len(totals), 1)
        return np.array([float(mean / total) if total else 0.0 for total in totals])
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight is {class_weight!r:.80}; expected 'balanced', {{class: weight}} or None.")
    factors = np.asarray(compute_class_weight(dict(class_weight), classes=np.asarray(classes), y=classes))
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise ValueError(
            f"class_weight is {class_weight!r:.80}; expected finite weights of at least 0 for every class."
        )
    return factors
