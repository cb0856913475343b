"""What the classifier's settings may be, and what they mean for the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from budgetree.learn._frontier import OBJECTIVES
from budgetree.problem import Prices
from budgetree.problem.units import non_negative
from budgetree.services.words import counted
from budgetree.tree.consultation import check_handle_unknown


def check_settings(objective: str, handle_unknown: str, impurity: Any, min_cases: Any, max_error: Any) -> None:
    """Refuse what is no setting, and what one objective has and the other has not."""
    check_handle_unknown(handle_unknown)
    if objective not in OBJECTIVES:
        raise ValueError(f"objective is {objective!r}; expected {' or '.join(map(repr, OBJECTIVES))}.")
    if objective == "new" and min_cases != 1:
        raise ValueError(
            f"min_cases is {min_cases!r}, which is about the training rows, but objective is 'new'; expected 1, or "
            "objective='known'."
        )
    if objective == "new" and max_error is not None:
        raise ValueError(
            f"max_error is {max_error!r}, which is about the training rows, but objective is 'new'; expected a budget, "
            "or objective='known'."
        )
    if isinstance(impurity, str) and impurity != "auto":
        raise ValueError(f"impurity is {impurity!r}; expected 'auto', one such as Powers(3), or a list of them.")


def leaf_share(given: Any) -> float:
    """The share of all weight that every leaf has at least."""
    share = float(non_negative(given, "min_weight_fraction_leaf", "expected a share, 0 to 0.5"))
    if share > 0.5:
        raise ValueError(f"min_weight_fraction_leaf is {share}; expected a share of the weight, from 0 to 0.5.")
    return share


def prices_by_name(prices: Any, names: Sequence[str]) -> Any:
    """A list of prices, one per column, by their names; anything else as it is."""
    if not isinstance(prices, (Sequence, np.ndarray)) or isinstance(prices, str):
        return prices
    if len(prices) != len(names):
        given = f"{counted(len(prices), 'price')} for {counted(len(names), 'column')}"
        raise ValueError(f"prices: {given}; expected one for each.")
    return Prices(dict(zip(names, prices, strict=True)))


def listed_columns(given: Any, names: Sequence[str]) -> set[str]:
    """The columns that the user calls categorical: names, positions or a mask, as names."""
    if given is None or (isinstance(given, str) and given == "from_dtype"):
        return set()
    if isinstance(given, str):
        raise ValueError(f"categorical_features is {given!r}; expected 'from_dtype' or a list of columns.")
    listed = np.array(given, dtype=object).tolist()  # objects: else 1 beside "a" would become "1"
    if not isinstance(listed, list):
        raise ValueError(f"categorical_features is {given!r:.60}; expected 'from_dtype' or a list of columns.")
    if listed and all(isinstance(entry, (bool, np.bool_)) for entry in listed):
        if len(listed) != len(names):
            raise ValueError(f"categorical_features: a mask of {len(listed)} for {counted(len(names), 'column')}.")
        return {name for name, is_listed in zip(names, listed, strict=True) if is_listed}
    for entry in listed:
        is_place = isinstance(entry, (int, np.integer)) and 0 <= entry < len(names)
        if not is_place and not (isinstance(entry, str) and entry in names):
            raise ValueError(f"categorical_features: there is no column {entry!r}.")
    return {entry if isinstance(entry, str) else names[entry] for entry in listed}
