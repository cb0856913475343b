"""From known cases to pathways for new ones: what to buy, which kind of leaf, where to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import Column
from budgetree.data.encoders import ColumnEncoder, fit_fine_levels
from budgetree.learn.predictive.boosting import BoostedModels
from budgetree.learn.predictive.budgets import worthwhile_budgets
from budgetree.learn.predictive.exact_start import ExactStarts, exact_tree
from budgetree.learn.predictive.growth import Growth, Place, best_growth
from budgetree.learn.predictive.judge import Judge
from budgetree.learn.predictive.points import FittedPoints, telling_points
from budgetree.learn.predictive.policy import Followed, PolicyTree
from budgetree.learn.predictive.sample import N_FOLDS, Cases, counted_cases, draw
from budgetree.learn.predictive.select import brier, choose, is_clearly_worse, with_tree
from budgetree.learn.predictive.small_tree import fit_small_tree
from budgetree.learn.predictive.stages import Chain, find_stages, prefix_costs
from budgetree.learn.predictive.staging import points_tree
from budgetree.learn.validation import NEVER_HELD_OUT, deal, deal_groups
from budgetree.problem import Instance
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.tree import Fixed, Origin, Tree, TreeBuilder
from budgetree.tree.provenance import LeafChoice, LeafKind

HELD_OUT = ((50_000, 1), (5_000, 3), (0, N_FOLDS))  # from so many cases on, how many of the folds are held out


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits pathways to one table, a budget at a time or several at once: every set of tests is judged only once.

    leaves      None for the simplest kind that is good enough
    confidence  a case stops where its likeliest class has this probability, and only there
    threads     the pathway does not depend on them
    groups      per case the number of its group: those of one group are in the same fold, and equal ones are one case
    """

    instance: Instance
    leaves: LeafKind | None = None
    confidence: float | None = None
    threads: int = 1
    groups: NDArray[np.int64] | None = None

    def budgets(self, largest: int, n_budgets: int, clock: Clock) -> list[int]:
        """So many budgets up to the largest, in price units, at which what is bought changes most."""
        if self.instance.n_classes == 1 or not largest:  # there is nothing to predict, or nothing to pay for
            return []
        self._growth.judge.clock = clock.share(clock.seconds_of(clock.plan.growth_share / (n_budgets + 1)))
        return worthwhile_budgets(self._growth, largest, n_budgets)

    def tree(self, budget: int, clock: Clock, origin: Origin) -> Tree:
        """The pathway for a budget in price units; as good as the clock allows."""
        if self.instance.n_classes == 1:  # there is nothing to predict
            choice = LeafChoice("tree", (("tree", 0.0),), "tree", 0.0, 0.0)
            return replace(_one_leaf(self.instance), origin=replace(origin, choice=choice))
        self._growth.judge.clock = clock.share(clock.seconds_of(clock.plan.growth_share))
        grown = best_growth(self._growth, budget)
        return self.pathway(grown.policy, self._ordered(grown.chain), budget, clock, origin)

    def pathway(self, place: Place, chain: Sequence[int], budget: int, clock: Clock, origin: Origin) -> Tree:
        """The pathway of what has grown; leaves other than models are for a chain of tests without branches."""
        learner, folds, amount = self._learner, self._folds, self.instance.schema.costs.amount(budget)
        learner.clock = clock
        cases, judged = self._cases, np.flatnonzero(folds >= 0)
        labels, weights = cases.labels[judged], cases.weights[judged]
        policy = PolicyTree(place, cases, learner, judged, self.confidence, clock, self._scout(place))
        found: dict[LeafKind, NDArray[np.float64]] = {"model": policy.final[judged]}
        make: dict[LeafKind, Callable[[], Tree]] = {
            "model": lambda: policy.tree(budget=amount, models=learner.smaller(policy.models()))
        }
        if self.leaves or not chain or not clock.is_over:  # else the model is known, and others take time
            rival = None if self.leaves else brier(policy.final, cases.labels)
            small = fit_small_tree(cases, chain, folds, learner.cases.bases, budget=amount, rival=rival)
            if small is not None:
                found["tree"], make["tree"] = small.out_of_fold[judged], lambda: small.tree(cases, budget=amount)
            # Points are an additive model in coarse steps: where that is clearly worse, so are they.
            if (
                cases.n_classes == 2
                and self.leaves in (None, "points")
                and not (
                    rival is not None
                    and is_clearly_worse(learner.additive.loss(chain, Clock(None))[judged], rival[judged], weights)
                )
            ):
                fitted = telling_points(cases, chain, learner.additive, folds)
                if fitted.table.tests or self.leaves:  # without a test, a total is just a leaf
                    found["points"] = fitted.out_of_fold[-1][judged]
                    make["points"] = lambda: self._points_tree(cases, fitted, judged, amount)
        made = cache(lambda kind: make[kind]())
        choice = choose(found, labels, weights, self.leaves, lambda kind: made(kind).mean_cost)
        start = None
        if choice.kind != "points" and self.leaves != "model":
            start = self._exact.start(budget, clock, float(weights @ brier(found[choice.kind], labels)))
        if start is not None:
            choice = with_tree(choice, start.loss / float(weights.sum()))
        tree = made(choice.kind) if start is None else exact_tree(start, cases)
        return replace(tree, origin=replace(origin, choice=choice))

    def _points_tree(self, cases: Instance, fitted: FittedPoints, judged: NDArray[np.int64], budget: Any) -> Tree:
        tests, table = fitted.table.tests, cases.schema.loss_table
        honest = [prefix[judged] for prefix in fitted.out_of_fold]
        costs = prefix_costs(cases, tests)
        stages = find_stages(Chain(honest, costs, table, cases.weights[judged], self.confidence))
        return points_tree(cases, fitted, stages, budget=budget)

    def _ordered(self, chain: Place) -> list[int]:
        """The tests of a pathway without branches, in the order to buy them."""
        (end,) = chain.ends()
        try:
            return [*self._growth.costs.begun.tests, *self._growth.ordered(end.state.tests)]
        except OutOfTimeError:
            return list(end.state.tests)

    @cached_property
    def _counted(self) -> tuple[Instance, NDArray[np.int64] | None]:
        return counted_cases(self.instance, self.groups)

    @property
    def _cases(self) -> Instance:
        return self._counted[0]

    @cached_property
    def _folds(self) -> NDArray[np.int64]:
        """Per case that counts, its fold; of many cases only some are ever held out, and judge."""
        cases, groups = self._counted
        if groups is None:
            folds = deal(cases.labels, N_FOLDS, cases.case_ranks)
        else:
            folds = deal_groups(cases.labels, groups, N_FOLDS)
        n_held_out = next(n for least, n in HELD_OUT if len(folds) >= least)
        return np.where(folds < n_held_out, folds, NEVER_HELD_OUT)

    @cached_property
    def _growth(self) -> Growth:
        sample = draw(*self._counted)
        return Growth(Judge(sample, Clock(None), self.threads), self.instance.schema.costs)

    def _scout(self, place: Place) -> Followed:
        judge, first = self._growth.judge, np.arange(self._growth.judge.n_scouts)
        return Followed(place, judge.sample.codes[first], judge.sample.weights[first], judge, first)

    @cached_property
    def _learner(self) -> BoostedModels:
        return BoostedModels(Cases.of(self._cases), self._folds, Clock(None), self.threads)

    @cached_property
    def _exact(self) -> ExactStarts:
        return ExactStarts(self._cases, self._folds)


def _one_leaf(instance: Instance) -> Tree:
    builder = TreeBuilder(instance)
    builder.leaf(builder.begin(), Fixed((1.0,)))
    return builder.build()


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
        if _has_numbers(column) and not instance.prices.names_outcomes(column.name):
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
