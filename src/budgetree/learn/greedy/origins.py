"""Where a greedy tree came from, as a record."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from budgetree.impurity import Impurity
from budgetree.problem.units import as_fraction
from budgetree.tree.provenance import Function, Method, Origin


def greedy_origin(impurity: Impurity, delta: Fraction = Fraction(0), budget: Any = None, rule: str = "worst") -> Origin:
    """The settings of a growth; a budget without limit is none."""
    limit = None if budget is None or budget == math.inf else as_fraction(budget)
    return Origin(Method.GREEDY, _function(impurity), delta, limit, rule)


def _function(impurity: Impurity) -> Function:
    """Its class, so that nobody takes a user's Powers for ours, and its numbers; what is no number is in its words."""
    kind = type(impurity)
    is_ours = kind.__module__.startswith("budgetree.impurity.")
    name = kind.__name__ if is_ours else f"{kind.__module__}.{kind.__qualname__}"
    numbers = {key: value for key, value in vars(impurity).items() if isinstance(value, (int, Fraction)) and value >= 0}
    parameters = tuple((key, Fraction(value)) for key, value in numbers.items()) if is_ours else ()
    return Function(name, parameters, repr(impurity))
