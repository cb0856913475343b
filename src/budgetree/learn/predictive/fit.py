"""From known cases to the policy with the lowest expected loss on new ones, within a budget."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, fit_fine_levels
from budgetree.errors import SettingError
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.distillation import distil
from budgetree.learn.predictive.exact_start import ExactStarts, exact_place
from budgetree.learn.predictive.growth import BuyingRule, Finishing, Growth, Place, cut, trim
from budgetree.learn.predictive.ridge import Cases, Models
from budgetree.learn.predictive.tree_making import Policy
from budgetree.learn.settings import Leaves, check_choice
from budgetree.learn.validation import deal, deal_groups
from budgetree.problem import Instance, LossTable
from budgetree.services.clock import DEFAULT_PLAN, Clock, OutOfTimeError, WorkPlan

SURE = 0.95  # as good an answer on new cases, for a seventh less on average
N_RIVALS = 3  # the next-best first tests
MARGIN = 2.0  # standard errors by which a rival must be better


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits policies to one table, a budget at a time or several at once: each model is fitted only once.

    sure     a case stops where its likeliest class has this probability; None to buy all that helps on average
    leaves   "model": an end predicts by the model of all that was paid; "count": by fixed probabilities
    threads  for the models; the policy does not depend on it
    groups   per case the number of its group: those of one group are in the same fold
    """

    instance: Instance
    sure: float | None
    leaves: Leaves
    threads: int = 1
    plan: WorkPlan = DEFAULT_PLAN
    groups: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_choice("leaves", self.leaves, ("model", "count"))

    def policies(self, budgets: Sequence[int], clock: Clock) -> list[Policy]:
        """The policies for these budgets in price units, which share most of the work; as good as the clock allows."""
        left = clock.seconds_left
        growing = clock if left is None or self.leaves == "model" else clock.share(clock.plan.growth_share * left)
        self._growth.models.clock = growing
        grown = best_growths(self._growth, budgets)
        return [self._policy(place, budget, clock) for place, budget in zip(grown, budgets, strict=True)]

    def _policy(self, place: Place, budget: int, clock: Clock) -> Policy:
        models = self._growth.models
        limit = float(models.cases.weights @ self._growth.loss(place))
        start = self._exact.start(budget, self._growth.finishing.before(models.clock, place.n_visits), limit)
        if start is not None:
            return Policy(exact_place(start, models.cases, self._present, self.sure), None, self.sure)
        if self.leaves == "model":
            return Policy(place, models, self.sure)
        # What is plain has about twice as many places for the tree to be made of.
        before = self._growth.finishing.before(clock, 2 * place.n_visits)
        return Policy(distil(place, models, self._growth.prices, self.sure, before), None, self.sure)

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
        return Growth(models, self.instance.schema.costs, self._folds(cases.labels), finishing)

    def _folds(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Per case that counts, its fold."""
        if self.groups is None:
            return deal(labels, N_FOLDS, self._present.case_ranks)
        _, groups = np.unique(self.groups[self.instance.weight_units > 0], return_inverse=True)
        return deal_groups(labels, groups, N_FOLDS)

    @cached_property
    def _exact(self) -> ExactStarts:
        return ExactStarts(self._present, self._growth.folds)


def cases_of(instance: Instance) -> Cases:
    """What the models see of an instance whose cases all count."""
    return Cases(instance.codes, instance.labels, instance.weights, instance.n_classes, bases_of(instance))


def best_growths(growth: Growth, budgets: Sequence[int]) -> list[Place]:
    """Per budget, the growth to keep.

    The greedy first test is sometimes a dead end, and its rivals rarely deserve to win.
    """
    price = growth.prices.one_price
    if price is None:
        return [_unequal(growth, budget) for budget in budgets]
    # A growth to the largest budget is, cut short, what it would have been to any smaller one.
    largest = max(budgets)
    start = growth.grow(largest)
    starts = [start, *_rivals(growth, largest, "gain", start)]
    return [_guarded(growth, [cut(start, budget, price) for start in starts]) for budget in budgets]


def _unequal(growth: Growth, budget: int) -> Place:
    """The better of two whole growths, by gain and by gain per price; then the rivals of its first test."""
    rules: tuple[BuyingRule, ...] = ("gain", "gain per price")
    by_gain = growth.grow(budget, rules[0])
    grown = [(by_gain, rules[0]), (growth.grow(budget, rules[1], rival=by_gain), rules[1])]
    totals = [growth.models.cases.weights @ growth.loss(place) for place, _ in grown]
    place, rule = grown[int(np.argmin(totals))]
    return _guarded(growth, [place, *_rivals(growth, budget, rule, place)])


def _rivals(growth: Growth, budget: int, rule: BuyingRule, best: Place) -> list[Place]:
    """The growths from the next-best first tests, as far as the time goes."""
    n_visits = best.n_visits
    tests = [] if growth.is_late(n_visits) else growth.first_tests(budget, rule)[1 : N_RIVALS + 1]
    in_time = takewhile(lambda _: not growth.is_late(n_visits), tests)
    return [growth.grow(budget, rule, first=test, rival=best) for test in in_time]


def _guarded(growth: Growth, starts: list[Place]) -> Place:
    """The first, unless another's honest loss is lower by some standard errors of the paired differences; trimmed."""
    weights = growth.models.cases.weights
    first = growth.loss(starts[0])
    best, most = starts[0], 0.0
    for rival in starts[1:]:
        gain = first - growth.loss(rival)
        total = float(weights @ gain)
        deviation = np.sqrt(weights @ (gain - weights @ gain / weights.sum()) ** 2)
        if total > max(most, MARGIN * deviation):
            best, most = rival, total
    trim(best, growth.models)
    return best


def careful(sure: float | None, losses: LossTable) -> float | None:
    """The probability at which stopping risks as little as it does without losses.

    A case that stops at p loses at most (1 − p) × the largest loss on average; it may be (1 − sure) × the least loss of
    an error. With equal losses that is p = sure.

    >>> careful(0.95, LossTable.plain(["benign", "cancer"]))
    0.95
    """
    if sure is None or losses.is_plain:
        return sure
    errors = losses.units[:, : losses.n_classes][~np.eye(losses.n_classes, dtype=bool)]
    least = int(errors[errors > 0].min(initial=losses.largest or 1))
    return 1 - (1 - sure) * least / max(losses.largest, least)


def check_sure(sure: Any, subject: str = "sure") -> float | None:
    """A probability, or None to spend the whole budget on everyone."""
    if sure is None:
        return None
    if isinstance(sure, bool) or not isinstance(sure, (int, float)) or not 0 < sure <= 1:
        message = f"{subject} is {sure!r}; expected a probability above 0 and at most 1, or None to spend all."
        raise SettingError(message, subject=subject, found=sure, expected=(0, 1))
    return float(sure)


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
