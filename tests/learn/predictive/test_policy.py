"""Policies: what grew becomes a tree that answers by models, and stops where going on hardly matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.predictive.growth import Place, best_growth
from budgetree.learn.predictive.policy import PolicyTree
from budgetree.learn.predictive.ridge import Models
from budgetree.learn.predictive.sample import Cases
from budgetree.learn.predictive.stages import MAX_STAGES, StopRule
from budgetree.learn.predictive.staging import model_split
from budgetree.services.clock import Clock
from budgetree.tree import Branch

from .tables import any_codes, place_of, random_instance, random_prices, seeds
from .test_growth import growth_of, two_regions


def policy_of(instance: bt.Instance, place: Place, confidence: float | None = None) -> PolicyTree:
    return PolicyTree(
        place, instance, Models(Cases.of(instance), Clock(None)), np.arange(instance.n_objects), confidence
    )


def grown(instance: bt.Instance, units: int) -> Place:
    return best_growth(growth_of(instance), units).policy


@given(seeds, st.integers(0, 120), st.sampled_from([None, 0.6, 0.9]), st.sampled_from([2, 3]))
@settings(max_examples=25)
def test_nobody_pays_more_than_the_budget_and_answers_are_of_all_that_was_paid(
    seed: int, tenths: int, confidence: float | None, n_classes: int
) -> None:
    instance = random_instance(seed, prices=random_prices(seed), n_cases=100, n_classes=n_classes)
    units = instance.schema.costs.budget_units(tenths / 10)
    policy = policy_of(instance, grown(instance, units), confidence)
    tree = policy.tree(budget=instance.schema.costs.amount(units))
    codes = np.vstack([instance.codes, any_codes(seed, instance)])
    walk = tree.walk_codes(codes)
    assert walk.spent.max() <= units
    for number, node in enumerate(tree.nodes):
        if isinstance(node, bt.Model):
            assert set(node.tests) == set(tree.nodes.bought(number))
    for index, row in enumerate(codes[:40]):
        path = follow(policy.root, row)
        bought = [tree.test_names[test] for test in path]
        assert list(walk.tests[index]) == bought[: len(walk.tests[index])], "it may stop, but buys nothing else"


def follow(place: Place, row: Sequence[int]) -> list[int]:
    """What a case buys in what grew, where it never stops."""
    bought = []
    while place.following:
        assert place.test is not None
        if place.goes is not None:
            place = place.sides[place.goes[min(row[place.test], len(place.goes) - 1)]]
        else:
            bought.append(place.test)
            place = place.following[0]
    return bought


@given(seeds, st.sampled_from([2, 3]), st.booleans())
@settings(max_examples=25)
def test_a_confidence_is_taken_literally_also_with_losses(seed: int, n_classes: int, has_losses: bool) -> None:
    """A case that stops before the end has that probability, and no one who goes on past a stop had it there."""
    instance = random_instance(seed, n_cases=200, n_classes=n_classes)
    if has_losses:
        instance = instance.with_losses(bt.Losses({instance.class_names[0]: 7}))
    learner, place = Models(Cases.of(instance), Clock(None)), place_of(instance, [3, 0, 2])
    tree = PolicyTree(place, instance, learner, np.arange(instance.n_objects), 0.7).tree()
    walk = tree.walk_codes(instance.codes)
    n_bought = np.array([len(tests) for tests in walk.tests])
    for end in (1, 2):
        model = learner.model([3, 0, 2][:end])
        largest = model.probabilities(model.totals.add_up(instance.codes)).max(axis=1)
        stops = n_bought == end
        if stops.any() and (n_bought > end).any():  # a stop, rather than the end of all
            assert (largest[stops] >= 0.7 - 1e-6).all()
            assert (largest[n_bought > end] <= 0.7 + 1e-6).all()


def test_what_changes_no_answer_is_not_bought() -> None:
    rng = np.random.default_rng(0)
    telling = rng.integers(0, 2, 200)
    codes = np.column_stack([telling, rng.integers(0, 2, 200)])
    instance = bt.Instance(codes, telling, test_names=["a telling one", "noise"])
    assert policy_of(instance, place_of(instance, [0, 1])).tree().max_cost == 1
    assert policy_of(instance, place_of(instance, [1, 0])).tree().max_cost == 2


def test_whoever_is_settled_stops_and_the_others_go_on() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 2, (2, 400))
    labels = np.where(first == 1, 1, second)
    instance = bt.Instance(np.column_stack([first, second]), labels)
    for confidence in (None, 0.9):
        tree = policy_of(instance, place_of(instance, [0, 1]), confidence).tree()
        walk = tree.walk_codes(instance.codes)
        assert tree.errors == 0
        assert walk.spent[instance.codes[:, 0] == 1].max() == 1
        assert walk.spent[instance.codes[:, 0] == 0].min() == 2


def test_there_are_few_stages_and_none_before_what_is_free() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 600)
    codes = labels[:, None] ^ (rng.random((600, 8)) < 0.25)
    instance = bt.Instance(codes.astype(int), labels)
    tree = policy_of(instance, place_of(instance, range(8))).tree()
    stops = [node for node in tree.nodes if isinstance(node, Branch) and node.split.totals is not None]
    assert 1 <= len(stops) < MAX_STAGES
    free = instance.priced(bt.Prices(0))
    assert not any(isinstance(node, Branch) for node in policy_of(free, place_of(free, range(8))).tree().nodes)


def test_stopping_early_saves_money_and_loses_little() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 2000)
    codes = (labels[:, None] ^ (rng.random((2000, 5)) < 0.2)).astype(int)
    known, new = bt.Instance(codes[:1000], labels[:1000]), codes[1000:].astype(np.uint8)
    place = place_of(known, range(5))
    stops = policy_of(known, place).tree().walk_codes(new)
    never = policy_of(known, place, 1.0).tree().walk_codes(new)
    assert stops.spent.mean() < 0.8 * never.spent.mean()
    assert (stops.answers != labels[1000:]).mean() <= (never.answers != labels[1000:]).mean() + 0.02


def test_branches_stay_and_both_sides_have_models_of_their_own() -> None:
    codes, labels = two_regions()
    instance = bt.Instance(codes, labels)
    policy = policy_of(instance, grown(instance, 2))
    tree = policy.tree(budget=2)
    assert (tree.walk_codes(instance.codes).answers == instance.labels).mean() > 0.95
    assert {frozenset(node.tests) for node in tree.nodes if isinstance(node, bt.Model)} == {
        frozenset({0, 1}),
        frozenset({0, 2}),
    }
    assert policy.final.sum(axis=1) == pytest.approx(1)


def test_nothing_grown_is_one_leaf() -> None:
    instance = random_instance(3)
    tree = policy_of(instance, place_of(instance, [])).tree()
    assert len(tree.nodes) == 1
    assert replace(tree.origin) == tree.origin


def test_a_rule_of_several_classes_that_stops_no_case_is_no_branch() -> None:
    instance = random_instance(1, n_cases=100, n_classes=3)
    model = Models(Cases.of(instance), Clock(None)).model([0, 1])
    assert model_split(model, StopRule(), 3) is None
