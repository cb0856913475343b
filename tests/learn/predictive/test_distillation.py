"""Distillation: plain ends instead of models, as far as the time goes."""

from __future__ import annotations

import budgetree as bt
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.distillation import MAX_LEAVES, distil
from budgetree.learn.predictive.fit import cases_of, fine_instance
from budgetree.learn.predictive.growth import Growth
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock


def test_every_end_is_plain_and_without_time_it_is_one_answer() -> None:
    instance = fine_instance(bt.datasets.load("pima"))
    cases, prices = cases_of(instance), instance.schema.costs
    models = Models(cases, Clock(None))
    root = Growth(models, prices, deal(cases.labels, N_FOLDS, instance.case_ranks)).grow(
        instance.schema.costs.budget_units(2)
    )
    n_ends = len(list(root.ends()))
    plain = list(distil(root, models, prices, None, Clock(None)).ends())
    assert n_ends < len(plain) <= n_ends * MAX_LEAVES
    hurried = list(distil(root, models, prices, None, Clock(0)).ends())
    assert len(hurried) == n_ends
    assert all(end.probabilities is not None for end in (*plain, *hurried))
    assert all(end.probabilities is None for end in root.ends()), "what was grown stays as it was"
