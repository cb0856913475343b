"""What `fit` is given, checked: settings, what they mean for the columns of a table, y, weights and groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, column_or_1d

from budgetree.data.table import Table, name_key
from budgetree.errors import PricesError, SettingError, TableError
from budgetree.learn.validation import check_groups
from budgetree.problem import Prices
from budgetree.problem.duplicates import repeats
from budgetree.problem.units import check_weights, exact_sum, non_negative
from budgetree.services.words import counted, no_such
from budgetree.tree.leaves import is_whole


def n_threads(n_jobs: Any) -> int:
    """How many, as joblib counts them: one in a worker of a parallel search, so that these do not multiply."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise SettingError.refusing("n_jobs", n_jobs, "a number of threads, -1 for one per processor, or None")
    return int(effective_n_jobs(n_jobs))


def impurities_of(impurity: Any) -> Any:
    """Those of greedy trees; None for the portfolio."""
    if isinstance(impurity, str) and impurity == "auto":
        return None
    if isinstance(impurity, (str, Mapping)) or impurity is None:
        raise SettingError.refusing("impurity", impurity, "'auto', one such as Powers(3), or a list of them")
    return impurity


def leaf_share(given: Any) -> float:
    """The share of all weight that every leaf has at least."""
    share = float(non_negative(given, "min_weight_fraction_leaf", "expected a share, 0 to 0.5"))
    if share > 0.5:
        raise SettingError.refusing("min_weight_fraction_leaf", given, "a share of the weight, from 0 to 0.5")
    return share


def prices_by_name(prices: Any, names: Sequence[str]) -> Any:
    """Prices by the names of columns, so that their order says nothing; what needs no change as it is.

    One per column, by position ({0: 3}), or for a group (country_*), which is paid once.
    """
    if isinstance(prices, (Mapping, Prices)):
        return _named_prices(prices, names)
    if not isinstance(prices, (Sequence, np.ndarray)) or isinstance(prices, str):
        return prices
    if len(prices) != len(names):
        given = f"{counted(len(prices), 'price')} for {counted(len(names), 'column')}"
        message = f"prices: {given}; expected one for each."
        raise SettingError(message, subject="prices", found=len(prices), expected=len(names))
    return Prices(dict(sorted(zip(names, prices, strict=True), key=lambda pair: name_key(pair[0]))))


def _named_prices(prices: Mapping[Any, Any] | Prices, names: Sequence[str]) -> Any:
    given = prices.tests if isinstance(prices, Prices) else prices
    known, tests = set(names), dict[str, Any]()
    shared: dict[str, Any] = dict(prices.shared) if isinstance(prices, Prices) else {}
    for key, price in given.items():
        is_position = isinstance(key, (int, np.integer)) and str(key) not in known and 0 <= key < len(names)
        name = names[int(key)] if is_position else str(key)
        pattern = re.compile(".*".join(map(re.escape, name.split("*"))))
        group = list(filter(pattern.fullmatch, names)) if "*" in name and name not in known else []
        shared |= {name: (price, group)} if group else {}
        tests |= dict.fromkeys(group, 0) if group else {name: price}
    unknown = next((name for name in tests if name not in known), None)
    if unknown is not None and list(names) == [f"x{at}" for at in range(len(names))]:
        message = (
            f"prices: no column is named {unknown!r}, since X has no names, and its columns are x0 to {names[-1]}."
        )
        advice = "Give prices by position, [3, 1] or {0: 3}, or let what makes X name its columns:"
        raise PricesError(f"{message} {advice} ColumnTransformer(…).set_output(transform='pandas').", subject=unknown)
    if tests.keys() == given.keys():
        return prices
    return (prices if isinstance(prices, Prices) else Prices({})).changed(tests=tests, shared=shared)


def listed_columns(given: Any, names: Sequence[str]) -> set[str]:
    """The columns that the user calls categorical: names, positions or a mask, as names."""
    if given is None or (isinstance(given, str) and given == "from_dtype"):
        return set()
    listed = None if isinstance(given, str) else np.array(given, dtype=object).tolist()  # else 1 beside "a" were "1"
    if not isinstance(listed, list):
        raise SettingError.refusing("categorical_features", given, "'from_dtype' or a list of columns")
    if listed and all(isinstance(entry, (bool, np.bool_)) for entry in listed):
        if len(listed) != len(names):
            message = f"categorical_features: a mask of {len(listed)} for {counted(len(names), 'column')}."
            raise SettingError(message, subject="categorical_features", found=len(listed), expected=len(names))
        return {name for name, is_listed in zip(names, listed, strict=True) if is_listed}
    for entry in listed:
        is_position = isinstance(entry, (int, np.integer)) and 0 <= entry < len(names)
        if not is_position and not (isinstance(entry, str) and entry in names):
            message = f"categorical_features: {no_such('column', str(entry), names)}"
            raise SettingError(message, subject="categorical_features", found=entry, expected=tuple(names))
    return {entry if isinstance(entry, str) else names[entry] for entry in listed}


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The rows that count, and for how much."""

    table: Table
    classes: NDArray[Any]
    labels: NDArray[np.int64]  # per row, the position of its class
    weights: NDArray[np.float64]  # its own
    factors: NDArray[np.float64]  # of its class
    groups: NDArray[Any] | None  # per row, the number of its group

    @classmethod
    def of(cls, table: Table, y: Any, sample_weight: Any, class_weight: Any, groups: Any) -> Training:
        """All of them checked, without the rows of weight 0."""
        classes, labels = classes_of(y, len(table))
        if isinstance(sample_weight, Iterable):
            check_weights(sample_weight, "sample_weight")
        weights: NDArray[np.float64] = _check_sample_weight(
            sample_weight, labels, dtype=np.float64, copy=True, ensure_non_negative=True
        )
        factors = np.ones(len(weights))
        if class_weight is not None:
            totals = class_totals(labels, weights, len(classes))
            factors = class_factors(classes.tolist(), totals, class_weight)[labels]
        numbers = None if groups is None else np.array(check_groups(groups, len(table)), dtype=object)
        kept = np.flatnonzero(weights * factors > 0)
        if not len(kept):
            raise TableError("sample_weight: every weight is 0; at least one row must count.", subject="sample_weight")
        training = cls(table, classes, labels, weights, factors, numbers)
        return training if len(kept) == len(table) else training.take(kept)

    def take(self, positions: NDArray[np.int64]) -> Training:
        """Only these rows, some perhaps several times."""
        groups = None if self.groups is None else self.groups[positions]
        each = (self.labels[positions], self.weights[positions], self.factors[positions])
        return Training(self.table.take(positions), self.classes, *each, groups)

    def as_cases(self) -> Training:
        """The same rows as cases to hold out: one of weight 2 is two of them.

        A class's factor is how much its errors matter, and stays a weight.
        """
        positions = repeats(self.weights)
        return self if positions is None else replace(self.take(positions), weights=np.ones(len(positions)))


def classes_of(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes, and the position of that of each row; or an error that says what is wrong."""
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
    return classes, labels


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
        raise SettingError.refusing("class_weight", class_weight, "'balanced', {class: weight} or None")
    factors = np.asarray(compute_class_weight(dict(class_weight), classes=np.asarray(classes), y=classes))
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise SettingError.refusing("class_weight", class_weight, "finite weights of at least 0 for every class")
    if unknown := [name for name in class_weight if name not in classes]:
        raise SettingError.refusing("class_weight", unknown[0], f"a class among {list(classes)!r:.60}")
    return factors
