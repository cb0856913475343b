"""What each case is and how much it counts: labels become class codes, weights whole units."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem.tables.coded import Coded
from budgetree.problem.tables.frames import code_series
from budgetree.problem.tables.values import sort_key
from budgetree.problem.units import check_weights, weights_to_units
from budgetree.services.words import counted


def class_codes(
    labels: Any, n_cases: int, class_names: Sequence[Any] | None, what: str = "labels"
) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    """Class codes and class names; with class_names, labels are positions in it, else the names are the labels."""
    names = tuple(map(_plain_name, class_names or ()))
    if len({(type(name), name) for name in names}) < len(names):
        raise ValueError(f"class_names: {names!r:.80} has a name twice; names must differ.")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and labels.shape == (n_cases,):
        # Whole numbers in an array, as from a million rows: no Python loop.
        if class_names is None:
            distinct_codes, codes = np.unique(labels, return_inverse=True)
            return codes.astype(np.int64), tuple(distinct_codes.tolist())
        if labels.min() >= 0 and labels.max() < len(names):
            return labels.astype(np.int64), names
    coded = _coded(labels, what)
    if len(coded) != n_cases:
        found = f"{counted(len(coded), 'label')} for {counted(n_cases, 'case')}"
        raise ValueError(f"{what}: {found}; expected one for each.")
    absent = np.flatnonzero(coded.is_absent)
    if len(absent):
        raise ValueError(
            f"{what}: {counted(len(absent), 'label is', 'labels are')} missing, the first in row {absent[0]}; "
            "drop those rows or label them."
        )
    if class_names is None:
        distinct = sorted(coded.present(), key=sort_key)
        place = {value: index for index, value in enumerate(distinct)}
        codes_of_values = np.array([place.get(value, -1) for value in coded.distinct], dtype=np.int64)
        return coded.look_up(codes_of_values, -1), tuple(distinct)
    positions = range(len(names))
    for position, value in enumerate(coded.distinct):
        if isinstance(value, bool) or value not in positions:
            raise ValueError(
                f"{what}: row {coded.first_row(position)} has {value!r}; with class_names, labels are positions in it, "
                f"0 to {len(names) - 1}."
            )
    return coded.look_up(np.array(coded.distinct, dtype=np.int64), -1), names


def weight_units(weights: Any, n_cases: int) -> tuple[NDArray[np.int64], Fraction]:
    """Weights in whole units, and how many units make one."""
    if weights is None:
        return np.ones(n_cases, dtype=np.int64), Fraction(1)
    array = _as_numbers(weights, n_cases)
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"weights: row {bad[0]} has weight {array[bad[0]]}; weights must be finite and at least 0.")
    if not array.any():
        raise ValueError("weights: every weight is 0; at least one case must count.")
    return weights_to_units(array)


def _as_numbers(weights: Any, n_cases: int) -> NDArray[np.float64]:
    """One float for each case, in which no weight of many digits has become another."""
    try:
        given = np.asarray(weights)
    except ValueError:  # rows of several lengths
        raise ValueError("weights: expected one number per case, but there are lists of several lengths.") from None
    if given.shape != (n_cases,):
        raise ValueError(f"weights: shape {given.shape} for {counted(n_cases, 'case')}; expected one weight for each.")
    check_weights(given)
    try:
        return given.astype(np.float64)
    except (TypeError, ValueError):
        wrong = next((value for value in given.tolist() if not _is_number(value)), given[0])
        raise ValueError(f"weights: there is {wrong!r:.60}; expected one number per case.") from None


def _is_number(value: Any) -> bool:
    try:
        np.float64(value)
    except (TypeError, ValueError):
        return False
    return True


def _plain_name(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) and not isinstance(name, np.datetime64) else name


def _coded(labels: Any, what: str) -> Coded:
    """The labels, each different one once, from whatever holds them."""
    if isinstance(labels, Coded):
        return labels
    try:
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iufUb" and labels.ndim == 1:
            distinct, positions = np.unique(labels, return_inverse=True)
            return Coded.of_distinct(distinct.tolist(), positions)
        if hasattr(labels, "to_pylist") or hasattr(labels, "to_list"):
            return code_series(labels)
        return Coded.of(_as_list(labels, what))
    except TypeError as error:
        raise ValueError(f"{what}: expected one plain value per case: {error}.") from error


def _as_list(labels: Any, what: str) -> list[Any]:
    """Plain Python values, from whatever can be iterated."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "mM":
        return [None if np.isnat(value) else str(value) for value in labels]
    if hasattr(labels, "tolist"):
        return list(labels.tolist())
    try:
        return [_plain_name(label) for label in labels]
    except TypeError:
        raise ValueError(f"{what}: got {labels!r:.60}; expected one label per case.") from None
