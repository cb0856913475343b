"""fit_policy: from known cases to the policy with the lowest expected loss on new ones, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from budgetree.learn.clock import Clock
from budgetree.learn.predictive.assembly import Assembly
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.growth import Growth, stratified_folds
from budgetree.learn.predictive.policy import Policy
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.learn.predictive.starts import best_growths
from budgetree.learn.predictive.stop import SURE, check_sure
from budgetree.problem import Instance

Leaves = Literal["model", "count"]


def fit_policy(
    instance: Instance,
    *,
    budget_units: int,
    sure: float | None = SURE,
    leaves: Leaves = "model",
    clock: Clock | None = None,
) -> Policy:
    """The policy for one budget."""
    return fit_policies(instance, [budget_units], sure=sure, leaves=leaves, clock=clock)[0]


def fit_policies(
    instance: Instance,
    budgets: Sequence[int],
    *,
    sure: float | None = SURE,
    leaves: Leaves = "model",
    clock: Clock | None = None,
) -> list[Policy]:
    """The policies for several budgets in price units, which share most of the work.

    sure     a case stops where its likeliest class has this probability; None to spend all
    leaves   "model": an end predicts by the model of all that was paid; "count": by fixed probabilities
    clock    where it is over, the best so far is the answer
    """
    limit = check_sure(sure)
    clock = clock or Clock(None)
    cases = cases_of(instance)
    models = Models(cases, clock)
    growth = Growth(models, instance.schema.table, stratified_folds(cases.labels))
    grown = best_growths(growth, list(budgets))
    return [
        Assembly(models, limit).policy(place, instance, budget)
        for place, budget in zip(grown, budgets, strict=True)
    ]


def cases_of(instance: Instance) -> Cases:
    """The cases that count."""
    present = np.flatnonzero(instance.weight_units)
    return Cases(
        np.ascontiguousarray(instance.codes[present]),
        instance.labels[present],
        instance.weights[present],
        instance.n_classes,
        bases_of(instance),
    )
