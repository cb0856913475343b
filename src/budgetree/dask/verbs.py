"""fit, predictive, grow and frontier on a Dask data frame; the same trees as in memory, to the bit.

frame     a Dask data frame, or DaskCases made from one
target    the column that says what each row is
settings  those of budgetree's verb of this name but for groups; prices, losses, levels, binning, duplicates as in
          Instance.from_frame; weights: the column that says how much each row counts; client: a
          dask.distributed.Client, by default the one that was made last
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

from budgetree import learn
from budgetree.distributed.dask_cases import DaskCases
from budgetree.distributed.prepare import CASE_SETTINGS
from budgetree.errors import SettingError
from budgetree.impurity import Impurity, Pairs
from budgetree.learn._fit import SETTINGS
from budgetree.services.words import no_such
from budgetree.tree import Tree

_PAIRS = Pairs()
T = TypeVar("T")


def grow(frame: Any, target: Any = None, impurity: Impurity = _PAIRS, **settings: Any) -> Tree:
    """Grow a tree greedily on a cluster; settings as in this module's description: help(budgetree.dask.verbs)."""
    return _learned(learn.grow, frame, target, {"impurity": impurity, **settings})


def fit(frame: Any, target: Any = None, **settings: Any) -> learn.Result:
    """The best tree for a budget, or the cheapest for an error; settings as help(budgetree.dask.verbs) says."""
    return _learned(learn.fit, frame, target, settings)


def predictive(frame: Any, target: Any = None, **settings: Any) -> Tree:
    """The tree for new cases; settings as help(budgetree.dask.verbs) says."""
    return _learned(learn.predictive, frame, target, settings)


def frontier(frame: Any, target: Any = None, **settings: Any) -> learn.Frontier:
    """What each budget buys; for known cases by greedy trees alone. Settings as help(budgetree.dask.verbs) says."""
    return _learned(learn.frontier, frame, target, settings)


def _learned(verb: Callable[..., T], frame: Any, target: Any, settings: dict[str, Any]) -> T:
    """What the verb says of the cases; TypeError where a setting is neither its own nor one of cases."""
    of_verb, of_cases = list(signature(verb).parameters)[1:], [*CASE_SETTINGS, "client"]
    if of_verb[-1] == "settings":
        of_verb[-1:] = SETTINGS
    for name in settings:
        if name not in (*of_verb, *of_cases):
            meant = no_such("setting", name, [*of_verb, *of_cases])
            raise TypeError(f"{verb.__name__}() got an unexpected setting: {meant}")
    about_cases = {name: value for name, value in settings.items() if name in of_cases}
    settings = {name: value for name, value in settings.items() if name not in of_cases}
    if not isinstance(frame, DaskCases):
        if target is None:
            raise SettingError("target is missing; expected the column that says what each row is.", subject="target")
        return verb(DaskCases(frame, target, **about_cases), **settings)
    if target is not None or about_cases:
        given = ", ".join(["target"] * (target is not None) + list(about_cases))
        raise SettingError(f"{given}: the DaskCases know that already; leave it out.", subject=given)
    return verb(frame, **settings)
