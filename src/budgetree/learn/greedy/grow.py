"""Greedy growth of one tree: by the core wherever it can, else level by level; the nodes are the same, to the bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from budgetree.distributed import AnyCases
from budgetree.distributed.cases import LocalCases
from budgetree.impurity import Impurity
from budgetree.learn.greedy.levels import CountCache, LevelGrower
from budgetree.learn.greedy.native import grow_native, native_instance
from budgetree.learn.greedy.rule import Settings
from budgetree.problem import Instance
from budgetree.problem.units import as_fraction
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, no_report
from budgetree.tree import Grown
from budgetree.tree.provenance import Function, Method, Origin


def grow_nodes(
    instance: AnyCases,
    settings: Settings,
    threads: int = 1,
    clock: Clock | None = None,
    report: ProgressReport = no_report,
    cache: CountCache | None = None,
) -> Grown:
    """The nodes of one tree. EndedEarlyError where a clock is over in the middle; the core, which is quick, ends it.

    By levels, trees that share a cache share what they count.
    """
    if not isinstance(instance, Instance):
        cases = instance
    elif native_instance(instance).serves(settings.form, settings.min_cases):
        return grow_native(instance, settings, threads)
    else:
        cases = LocalCases.of_instance(instance)
    return LevelGrower(cases, settings, cases.engine(threads), cache, clock=clock).grow(report)


def greedy_origin(impurity: Impurity, delta: Fraction = Fraction(0), budget: Any = None, rule: str = "worst") -> Origin:
    """The settings of a growth; a budget without limit is none.

    Of the impurity its class, so that a user's Powers is not taken for ours, and its numbers; the rest is in its repr.
    """
    limit = None if budget is None or budget == math.inf else as_fraction(budget)
    kind, numbers = type(impurity), [pair for pair in vars(impurity).items() if isinstance(pair[1], (int, Fraction))]
    if kind.__module__.startswith("budgetree.impurity."):
        parameters = tuple((key, Fraction(value)) for key, value in numbers if value >= 0)
        function = Function(kind.__name__, parameters, repr(impurity))
    else:
        function = Function(f"{kind.__module__}.{kind.__qualname__}", (), repr(impurity))
    return Origin(Method.GREEDY, function, delta, limit, rule)
