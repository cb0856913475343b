"""When a raw value takes a branch, in terms that any language has: ranges, lists of values, and missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from budgetree.data.encoders import NumberEncoder
from budgetree.problem import Schema


@dataclass(frozen=True, slots=True)
class Range:
    """low <= x < high; None where there is no such end."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Condition:
    """True for a missing value if so said, and for values of the list or in one of the ranges."""

    missing: bool
    values: tuple[Any, ...] = ()
    ranges: tuple[Range, ...] = ()


def is_numeric(schema: Schema, test: int) -> bool:
    """Whether the test's raw value is a number that is rounded to levels."""
    return schema.encoders is not None and isinstance(schema.encoders[test], NumberEncoder)


def condition(schema: Schema, test: int, outcomes: tuple[int, ...]) -> Condition:
    """What the test's raw value must be for one of these outcomes; where only codes are known, the code itself."""
    if schema.encoders is None:
        return Condition(missing=False, values=outcomes)
    encoder = schema.encoders[test]
    n_present = encoder.levels if isinstance(encoder, NumberEncoder) else len(encoder.values)
    present = [outcome for outcome in outcomes if outcome < n_present]
    missing = len(present) < len(outcomes)
    if isinstance(encoder, NumberEncoder):
        return Condition(missing, ranges=_ranges(encoder, present))
    return Condition(missing, values=tuple(encoder.values[outcome] for outcome in present))


def _ranges(encoder: NumberEncoder, levels: list[int]) -> tuple[Range, ...]:
    """Neighbouring levels become one range; the first and last level have no outer end."""
    edges = (None, *encoder.thresholds, None)
    found: list[Range] = []
    for level in levels:
        low, high = edges[level], edges[level + 1]
        if low == math.inf:  # a level that no value is rounded to
            continue
        high = None if high == math.inf else high
        if found and found[-1].high == low:
            found[-1] = Range(found[-1].low, high)
        else:
            found.append(Range(low, high))
    return tuple(found)
