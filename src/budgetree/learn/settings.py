"""What several verbs are asked for, checked once."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import Remedy, SettingError
from budgetree.learn.validation import KnownRows
from budgetree.problem import Instance
from budgetree.problem.units import is_unlimited, non_negative
from budgetree.services.words import counted
from budgetree.tree.leaves import is_whole
from budgetree.tree.provenance import KINDS, LeafKind, Objective, ObjectiveChoice

Leaves = Literal["auto", "tree", "points", "model"]
CACHE_BYTES = 1 << 28  # for what trees share or a search has learned
MOST_WARNINGS = 5  # of tests that cannot be had


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitRequest:
    """One question about known cases, checked: amounts are whole units."""

    choice: ObjectiveChoice | None = None  # which cases the tree is for; None where only a search is asked for
    method: str = "auto"  # of trees for known cases: "exact", "greedy"
    budget: int = LARGEST_EXACT  # no tree beyond it is wanted, in price units; LARGEST_EXACT for no limit
    every_budget: bool = False  # up to it; else it alone counts
    budgets: Sequence[int | float] | None = None  # where they are named, a point for each
    n_points: int | None = None  # of trees for new cases, how many budgets to try where none is named
    max_error: Fraction | None = None  # the cheapest tree with at most this share wrong is wanted
    min_cases: int = 1  # of every leaf
    folds: int = 0  # 0: nothing is held out
    rows: KnownRows | None = None  # those to hold out, for the estimate and where trees for new cases are judged
    leaves: Leaves = "auto"  # of trees for new cases, as `confidence`
    confidence: float | None = None
    time_limit: float | None = None
    impurities: Sequence[Any] = ()  # of greedy trees: an object stands for itself, a hinged class for all its α's
    cache_bytes: int = CACHE_BYTES
    threads: int = 1
    needs_tree: bool = True  # a greedy one, however short the time; otherwise OutOfTimeError is an answer too

    @property
    def objective(self) -> Objective:
        return Objective.KNOWN if self.choice is None else self.choice.objective

    @property
    def within(self) -> int | None:
        """The budget; None for no limit."""
        return None if self.budget >= LARGEST_EXACT else self.budget


def check_cases(cases: Any) -> None:
    """An error unless they are an Instance, or shards of one."""
    if not isinstance(cases, DistributedCases):
        check_instance(cases)
    messages = list(cases.schema.costs.unreachable())
    if len(messages) > MOST_WARNINGS:
        others = counted(len(messages) - MOST_WARNINGS + 1, "further test")
        messages[MOST_WARNINGS - 1 :] = [f"prices: no path can buy {others}"]
    for message in messages:
        warnings.warn(message, stacklevel=3)


def check_instance(instance: Any) -> None:
    if isinstance(instance, DistributedCases):
        message = f"instance: got {instance!r}, whose cases are not in memory; expected an Instance. "
        message += "Shards are for fit, predictive, grow and frontier."
    elif not isinstance(instance, Instance):
        message = f"instance: expected an Instance, but got {type(instance).__name__}; see Instance.from_frame."
    else:
        return
    raise SettingError(message, subject="instance", found=type(instance), expected=Instance)


def check_cache_bytes(cache_bytes: Any) -> None:
    at_least(0, cache_bytes, "cache_bytes", "a whole number of bytes of at least 0")


def check_choice(subject: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        expected = (" or " if len(choices) == 2 else ", ").join(map(repr, choices))
        raise SettingError.refusing(subject, value, expected, choices)


def check_blanks(cases: AnyCases) -> None:
    """An error if empty cells are set to unknown: a tree for known cases treats them as results."""
    schema = cases.schema
    names = [encoder.name for encoder in schema.encoders or () if encoder.has_missing]
    unknown = [name for name in names if schema.blanks.reading(name) == "unknown"]
    if unknown:
        message = (
            f"blanks is 'unknown' for {unknown[0]!r}; in a tree for known cases an empty cell is a result, since every "
            "case needs an answer."
        )
        remedy = Remedy(
            'Give blanks="result", or objective="new".', "Use --blanks result, --objective new, or --drop the column."
        )
        raise SettingError(message, subject="blanks", found="unknown", expected=("result",), remedy=remedy)


def check_leaves(leaves: Any, n_classes: int) -> LeafKind | None:
    """A kind of leaf, or None for the simplest that is good enough."""
    check_choice("leaves", leaves, ("auto", *KINDS))
    if leaves == "points" and n_classes > 2:
        message = f"leaves is 'points', but there are {n_classes} classes; points are for two."
        remedy = "Expected 'auto', 'tree' or 'model'."
        raise SettingError(f"{message} {remedy}", subject="leaves", found=leaves, expected=("auto", "tree", "model"))
    return None if leaves == "auto" else leaves


def check_confidence(confidence: Any) -> float | None:
    """A probability, or None to stop where going on would hardly change the answer."""
    if confidence is None:
        return None
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)) or not 0 < confidence <= 1:
        raise SettingError.refusing("confidence", confidence, "a probability above 0 and at most 1, or None", (0, 1))
    return float(confidence)


def check_threads(threads: Any) -> int:
    """How many; None means one for each processor that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return at_least_one(threads, "threads", "None or a whole number of at least 1")


def check_min_cases(min_cases: Any, subject: str = "min_cases") -> int:
    return min(at_least_one(min_cases, subject), 2**31 - 1)  # more cases than any table has


def at_least_one(number: Any, subject: str, expected: str = "a whole number of at least 1") -> int:
    return at_least(1, number, subject, expected)


def at_least(least: int, number: Any, subject: str, expected: str) -> int:
    if not is_whole(number) or number < least:
        raise SettingError.refusing(subject, number, expected)
    return int(number)


def check_time_limit(time_limit: Any) -> float | None:
    """The seconds, infinity for no limit at all, or None where none is given: counted work is the limit then."""
    if time_limit is None:
        return None
    if is_unlimited(time_limit):
        return math.inf
    return float(non_negative(time_limit, "time_limit", "expected a number of seconds of at least 0"))


def check_max_error(max_error: Any) -> Fraction:
    expected = "a share of the cases, from 0 to 1"
    share = non_negative(max_error, "max_error", f"expected {expected}")
    if share > 1:
        raise SettingError.refusing("max_error", max_error, expected, (0, 1))
    return share
