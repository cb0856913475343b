"""Fitter: from known cases to the policy with the lowest expected loss on new ones, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from budgetree.learn.folds import deal
from budgetree.learn.predictive.assembly import Assembly
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.distillation import distil
from budgetree.learn.predictive.exact_start import ExactStarts, exact_place
from budgetree.learn.predictive.finishing import Finishing
from budgetree.learn.predictive.growth import Growth, Place
from budgetree.learn.predictive.policy import Policy
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.learn.predictive.starts import best_growths
from budgetree.learn.settings import check_choice
from budgetree.problem import Instance
from budgetree.services.clock import DEFAULT_PLAN, Clock, WorkPlan

Leaves = Literal["model", "count"]


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits policies to one table, a budget at a time or several at once: each model is fitted only once.

    sure     a case stops where its likeliest class has this probability; None to buy all that helps on average
    leaves   "model": an end predicts by the model of all that was paid; "count": by fixed probabilities
    threads  for the models; the policy does not depend on it
    """

    instance: Instance
    sure: float | None
    leaves: Leaves
    threads: int = 1
    plan: WorkPlan = DEFAULT_PLAN

    def __post_init__(self) -> None:
        check_choice("leaves", self.leaves, ("model", "count"))

    def policies(self, budgets: Sequence[int], clock: Clock) -> list[Policy]:
        """The policies for these budgets in price units, which share most of the work; as good as the clock allows."""
        left = clock.seconds_left
        growing = clock if left is None or self.leaves == "model" else clock.share(clock.plan.growth_share * left)
        self._growth.models.clock = growing
        grown = best_growths(self._growth, list(budgets))
        return [self._policy(place, budget, clock) for place, budget in zip(grown, budgets, strict=True)]

    def _policy(self, place: Place, budget: int, clock: Clock) -> Policy:
        models, is_plain = self._growth.models, self.leaves == "count"
        limit = float(models.cases.weights @ self._growth.loss(place))
        start = self._exact.start(budget, self._growth.finishing.before(models.clock, place.n_visits), limit)
        if start is not None:
            exact = exact_place(start, models.cases, self._present, self.sure)
            return Assembly(models, self.sure, is_plain=True).policy(exact, self._present, budget, "exact search")
        if is_plain:
            # What is plain has about twice as many places for the tree to be made of.
            before = self._growth.finishing.before(clock, 2 * place.n_visits)
            place = distil(place, models, self._growth.prices, self.sure, before)
        return Assembly(models, self.sure, is_plain).policy(place, self._present, budget, "growth")

    @cached_property
    def _present(self) -> Instance:
        """The cases that count."""
        units = self.instance.weight_units
        return self.instance if units.all() else self.instance.part(np.flatnonzero(units))

    @cached_property
    def _growth(self) -> Growth:
        cases = cases_of(self._present)
        models = Models(cases, Clock(None), self.threads)
        finishing = Finishing.of(self._present, self.plan)
        return Growth(models, self.instance.schema.table, deal(cases.labels, N_FOLDS), finishing)

    @cached_property
    def _exact(self) -> ExactStarts:
        return ExactStarts(self._present, self._growth.folds)


def cases_of(instance: Instance) -> Cases:
    """What the models see of an instance whose cases all count."""
    return Cases(instance.codes, instance.labels, instance.weights, instance.n_classes, bases_of(instance))
