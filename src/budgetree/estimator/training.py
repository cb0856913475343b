"""What `fit` is given, checked: settings, what they mean for the columns of a table, y and sample_weight."""

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

from budgetree.errors import SettingError, TableError
from budgetree.learn.settings import check_choice
from budgetree.problem import Prices
from budgetree.problem.units import check_weights, exact_sum, non_negative
from budgetree.services.words import counted
from budgetree.tree.consultation import check_handle_unknown


def wrong(setting: str, found: object, expected: str) -> SettingError:
    """That a setting is not what was expected."""
    message = f"{setting} is {found!r:.80}; expected {expected}."
    return SettingError(message, subject=setting, found=found, expected=expected)


def check_settings(objective: str, handle_unknown: str, impurity: Any, min_cases: Any, max_error: Any) -> None:
    """Refuse what is no setting, and what one objective has and the other has not."""
    check_handle_unknown(handle_unknown)
    check_choice("objective", objective, ("known", "new"))
    if objective == "new" and min_cases != 1:
        raise wrong("min_cases", min_cases, "1, or objective='known': min_cases is about the training rows")
    if objective == "new" and max_error is not None:
        raise wrong("max_error", max_error, "a budget, or objective='known': max_error is about the training rows")
    if isinstance(impurity, str) and impurity != "auto":
        raise wrong("impurity", impurity, "'auto', one such as Powers(3), or a list of them")


def leaf_share(given: Any) -> float:
    """The share of all weight that every leaf has at least."""
    share = float(non_negative(given, "min_weight_fraction_leaf", "expected a share, 0 to 0.5"))
    if share > 0.5:
        raise wrong("min_weight_fraction_leaf", given, "a share of the weight, from 0 to 0.5")
    return share


def prices_by_name(prices: Any, names: Sequence[str]) -> Any:
    """A list of prices, one per column, by their names; anything else as it is."""
    if not isinstance(prices, (Sequence, np.ndarray)) or isinstance(prices, str):
        return prices
    if len(prices) != len(names):
        given = f"{counted(len(prices), 'price')} for {counted(len(names), 'column')}"
        message = f"prices: {given}; expected one for each."
        raise SettingError(message, subject="prices", found=len(prices), expected=len(names))
    return Prices(dict(zip(names, prices, strict=True)))


def listed_columns(given: Any, names: Sequence[str]) -> set[str]:
    """The columns that the user calls categorical: names, positions or a mask, as names."""
    if given is None or (isinstance(given, str) and given == "from_dtype"):
        return set()
    listed = None if isinstance(given, str) else np.array(given, dtype=object).tolist()  # else 1 beside "a" were "1"
    if not isinstance(listed, list):
        raise wrong("categorical_features", given, "'from_dtype' or a list of columns")
    if listed and all(isinstance(entry, (bool, np.bool_)) for entry in listed):
        if len(listed) != len(names):
            message = f"categorical_features: a mask of {len(listed)} for {counted(len(names), 'column')}."
            raise SettingError(message, subject="categorical_features", found=len(listed), expected=len(names))
        return {name for name, is_listed in zip(names, listed, strict=True) if is_listed}
    for entry in listed:
        is_position = isinstance(entry, (int, np.integer)) and 0 <= entry < len(names)
        if not is_position and not (isinstance(entry, str) and entry in names):
            message = f"categorical_features: there is no column {entry!r}."
            raise SettingError(message, subject="categorical_features", found=entry, expected=tuple(names))
    return {entry if isinstance(entry, str) else names[entry] for entry in listed}


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
            sizes = f"{counted(len(answers), 'label')} for {counted(n_rows, 'row')} of X"
            raise TableError(f"y: {sizes}; expected one for each.", subject="y", found=len(answers), expected=n_rows)
        try:
            check_classification_targets(answers)
            classes, labels = np.unique(answers, return_inverse=True)
        except TypeError as error:
            message = "y: labels are missing or of several types; expected one label per row."
            raise TableError(message, subject="y") from error
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
        raise wrong("class_weight", class_weight, "'balanced', {class: weight} or None")
    factors = np.asarray(compute_class_weight(dict(class_weight), classes=np.asarray(classes), y=classes))
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise wrong("class_weight", class_weight, "finite weights of at least 0 for every class")
    return factors
