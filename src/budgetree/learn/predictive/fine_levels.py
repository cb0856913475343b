"""From an instance to one of fine codes: every row counts, and numbers keep up to 254 levels."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, fit_fine_levels
from budgetree.problem import Instance
from budgetree.services.clock import Clock, OutOfTimeError


def fine_instance(instance: Instance, clock: Clock | None = None) -> Instance:
    """Every raw row a case, nothing merged; numbers in fine levels, all else as it is.

    A test whose price depends on its outcome keeps its outcomes, since its prices name them. An instance made from
    codes is as fine as it can be. OutOfTimeError where it would take most of the time that the clock has left.
    """
    if instance.source is None:
        return instance
    fine: dict[str, ColumnEncoder] = {}
    n_numbers = sum(map(_has_numbers, instance.source.tests.columns))
    clock = clock or Clock(None)
    began, left, plan, n_done = time.monotonic(), clock.seconds_left, clock.plan, 0
    for column in instance.source.tests.columns:
        if _has_numbers(column) and not isinstance(instance.prices.tests.get(column.name), Mapping):
            fine[column.name] = fit_fine_levels(column)
            n_done += 1
        if left is not None and (used := time.monotonic() - began) > min(plan.first_look, plan.fine_share * left):
            whole = used / max(n_done, 1) * max(n_numbers, 1) * (1 + plan.encoding_factor)
            if whole > plan.fine_share * left:
                raise OutOfTimeError
    return instance.recoded(fine)


def _has_numbers(column: Column) -> bool:
    """Whether it can be cut at thresholds: floats that lose no digits, at least one of them there."""
    return column.numbers is not None and column.values is None and not bool(np.isnan(column.numbers).all())
