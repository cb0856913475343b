"""Trees for new cases do what grew, whatever the codes; and nobody pays more than the tree says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_walk import add_up, softmax
from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.tree_making import Policy, to_tree
from budgetree.tree import Origin

from .tables import any_codes, fit_all, random_instance, random_prices, seeds

LEAVES = st.sampled_from(["model", "count"])
SURE = st.sampled_from([None, 0.6, 0.95])


def fitted(seed: int, tenths: int, leaves: str, sure: float | None) -> tuple[bt.Instance, Policy, bt.Tree]:
    instance = random_instance(seed, prices=random_prices(seed), n_cases=100)
    units = instance.schema.costs.budget_units(tenths / 10)
    (policy,) = fit_all(instance, [units], sure=sure, leaves=leaves)
    tree = to_tree(policy, instance, Origin("predictive"))
    assert tree.need <= units
    return instance, policy, tree


def follow(policy: Policy, row: Sequence[int]) -> tuple[list[float], list[int]]:
    """One case through what grew: the probabilities where it ends, and the tests that it bought."""
    place: Place = policy.root
    bought: list[int] = []
    while True:
        if place.sides is not None and place.goes is not None and place.test is not None:
            place = place.sides[place.goes[min(row[place.test], len(place.goes) - 1)]]
            continue
        if place.probabilities is not None:
            return place.probabilities.tolist(), bought
        if policy.models is not None:
            chances = softmax(add_up(policy.models.model(place.paid.tests).totals, row))
            is_sure = policy.sure is not None and max(chances) >= policy.sure
            if place.after is None or is_sure:
                return [float(chance) for chance in chances], bought
        assert place.after is not None
        assert place.test is not None
        bought.append(place.test)
        place = place.after


@given(seeds, st.integers(0, 120), LEAVES, SURE)
@settings(max_examples=60, deadline=None)
def test_a_tree_answers_and_buys_what_grew(seed: int, tenths: int, leaves: str, sure: float | None) -> None:
    instance, policy, tree = fitted(seed, tenths, leaves, sure)
    codes = np.vstack([any_codes(seed, instance)[:60], instance.codes])
    walk = tree.walk_codes(codes)
    for index, row in enumerate(codes.tolist()):
        chances, bought = follow(policy, row)
        assert walk.probabilities[index] == pytest.approx(chances, abs=1e-12)
        assert walk.tests[index] == tree.names_of(bought)
    assert walk.spent.max() <= tree.need
    known = tree.walk_codes(instance.codes)
    assert tree.errors == (known.answers != instance.labels).sum()
    assert tree.mean_cost == pytest.approx(known.cost.mean())
    assert tree.known_max_cost >= known.cost.max()


def test_a_tree_for_new_cases_can_be_cut_trimmed_and_priced_again() -> None:
    cases = bt.datasets.load("pima")
    for leaves in ("model", "count"):
        tree = bt.predictive(cases, budget=3, leaves=leaves)
        assert tree.cut(2).max_cost <= 2
        assert tree.cut(2).walk_codes(cases.codes).spent.max() == tree.cut(2).need
        assert tree.priced(2).max_cost == 2 * tree.max_cost
        assert tree.priced(2).errors == tree.errors
        assert (tree.trim().walk_codes(cases.codes).answers == tree.walk_codes(cases.codes).answers).all()
