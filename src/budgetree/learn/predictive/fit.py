"""fit_policy: from known cases to the policy with the lowest expected loss on new ones, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from budgetree.learn.folds import deal
from budgetree.learn.predictive.assembly import Assembly
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.distillation import distil
from budgetree.learn.predictive.exact_start import ExactStarts, exact_place
from budgetree.learn.predictive.growth import Growth, Place
from budgetree.learn.predictive.policy import Policy
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.learn.predictive.starts import best_growths
from budgetree.learn.predictive.stop import SURE, check_sure
from budgetree.problem import Instance
from budgetree.services.clock import Clock

Leaves = Literal["model", "count"]


def fit_policy(
    instance: Instance,
    *,
    budget_units: int,
    sure: float | None = SURE,
    leaves: Leaves = "model",
    clock: Clock | None = None,
    threads: int = 1,
) -> Policy:
    """The policy for one budget; see fit_policies."""
    return fit_policies(instance, [budget_units], sure=sure, leaves=leaves, clock=clock, threads=threads)[0]


def fit_policies(
    instance: Instance,
    budgets: Sequence[int],
    *,
    sure: float | None = SURE,
    leaves: Leaves = "model",
    clock: Clock | None = None,
    threads: int = 1,
) -> list[Policy]:
    """The policies for several budgets in price units, which share most of the work.

    sure     a case stops where its likeliest class has this probability; None to buy all that helps on average
    leaves   "model": an end predicts by the model of all that was paid; "count": by fixed probabilities
    clock    where it is over, the best so far is the answer
    threads  for the models; the policy does not depend on it
    """
    limit = check_sure(sure)
    if leaves not in ("model", "count"):
        raise ValueError(f"leaves is {leaves!r}; expected 'model' or 'count'.")
    present = _present(instance)
    cases = cases_of(present)
    models = Models(cases, clock or Clock(None), threads)
    growth = Growth(models, instance.schema.table, deal(cases.labels, N_FOLDS))
    grown = best_growths(growth, list(budgets))
    exact = ExactStarts(present, growth.folds, models.clock)
    fits = _Fit(present, growth, exact, limit, leaves == "count")
    return [fits.policy(place, budget) for place, budget in zip(grown, budgets, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """From a growth to the policy of a budget."""

    instance: Instance
    growth: Growth
    exact: ExactStarts
    sure: float | None
    is_plain: bool

    def policy(self, place: Place, budget: int) -> Policy:
        models = self.growth.models
        start = self.exact.start(budget, limit=float(models.cases.weights @ self.growth.loss(place)))
        if start is not None:
            exact = exact_place(start, models.cases, self.instance, self.sure)
            return Assembly(models, self.sure, is_plain=True).policy(exact, self.instance, budget, "exact search")
        if self.is_plain:
            place = distil(place, models, self.growth.prices, self.sure)
        return Assembly(models, self.sure, self.is_plain).policy(place, self.instance, budget, "growth")


def _present(instance: Instance) -> Instance:
    """The cases that count."""
    return instance if instance.weight_units.all() else instance.part(np.flatnonzero(instance.weight_units))


def cases_of(instance: Instance) -> Cases:
    """What the models see of an instance whose cases all count."""
    return Cases(instance.codes, instance.labels, instance.weights, instance.n_classes, bases_of(instance))
