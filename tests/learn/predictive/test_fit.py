"""Policies: within the budget whatever comes, the same every time, and better than not asking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_ridge import ReferenceSolver
from _support.refusals import refused
from budgetree.data.table import Table
from budgetree.errors import SettingError
from budgetree.learn.predictive.branching import N_FOLDS
from budgetree.learn.predictive.distillation import MAX_LEAVES
from budgetree.learn.predictive.fit import cases_of
from budgetree.learn.predictive.growth import Growth, Place, cut
from budgetree.learn.predictive.ridge import Models, Solver
from budgetree.learn.validation import deal
from budgetree.services.clock import Clock
from budgetree.tree import Branch, Buy

from .tables import (
    any_codes,
    fit_tree,
    fit_trees,
    instance_of,
    random_columns,
    random_instance,
    random_prices,
    seeds,
)

LEAVES = st.sampled_from(["model", "count"])
SURE = st.sampled_from([None, 0.8, 0.95])


def same(one: bt.Tree, other: bt.Tree, codes: np.ndarray) -> bool:
    probabilities = [tree.walk_codes(codes).probabilities.tolist() for tree in (one, other)]
    return len(one.nodes) == len(other.nodes) and probabilities[0] == probabilities[1]


@given(seeds, st.integers(0, 120), LEAVES, SURE)
@settings(max_examples=60)
def test_nobody_pays_more_than_the_budget(seed: int, tenths: int, leaves: str, sure: float | None) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    units = instance.schema.costs.budget_units(tenths / 10)
    tree = fit_tree(instance, budget_units=units, sure=sure, leaves=leaves)  # type: ignore[arg-type]
    codes = np.vstack([any_codes(seed, instance), instance.codes])
    assert tree.walk_codes(codes).spent.max() <= units
    probabilities = tree.walk_codes(codes).probabilities
    assert np.isfinite(probabilities).all()
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(codes)))


@given(seeds, LEAVES, SURE)
@settings(max_examples=15)
def test_leaves_are_of_the_kind_that_was_asked_for(seed: int, leaves: str, sure: float | None) -> None:
    """And a model uses all that was paid; TreeBuilder refuses what was not."""
    instance = random_instance(seed, n_cases=120)
    tree = fit_tree(instance, budget_units=3, sure=sure, leaves=leaves)  # type: ignore[arg-type]
    for number, node in enumerate(tree.nodes):
        if isinstance(node, bt.Model):
            assert leaves == "model"
            assert set(node.tests) == set(tree.nodes.bought(number))
        elif not isinstance(node, (Buy, Branch)):
            assert isinstance(node, bt.Fixed)
        elif isinstance(node, Branch) and node.split.confidence is not None:
            assert node.split.confidence == sure
    assert tree.nodes.counts[0].tolist() == np.bincount(instance.labels, minlength=3).tolist()


@given(seeds)
@settings(max_examples=10)
def test_the_same_cases_give_the_same_policy(seed: int) -> None:
    instance = random_instance(seed)
    one, other = (fit_tree(instance, budget_units=3) for _ in range(2))
    assert same(one, other, any_codes(seed, instance))
    assert same(one, fit_tree(instance, budget_units=3, threads=2), any_codes(seed, instance))


@given(seeds)
@settings(max_examples=10)
def test_the_core_and_its_reference_grow_the_same(seed: int) -> None:
    instance = random_instance(seed)
    cases = cases_of(instance)
    folds = deal(cases.labels, N_FOLDS, instance.case_ranks)
    paths = []
    for solver in (Solver(cases), ReferenceSolver(cases)):
        models = Models(cases, Clock(None))
        models._solver = solver
        paths.append([end.paid.tests for end in Growth(models, instance.schema.costs, folds).grow(3).ends()])
    assert paths[0] == paths[1]


@given(seeds)
@settings(max_examples=10)
def test_one_growth_cut_short_is_a_growth_to_less(seed: int) -> None:
    instance = random_instance(seed, n_cases=150)
    cases = cases_of(instance)
    growth = Growth(Models(cases, Clock(None)), instance.schema.costs, deal(cases.labels, N_FOLDS, instance.case_ranks))
    whole = growth.grow(4)
    for budget in range(5):
        assert shape(cut(whole, budget, 1)) == shape(growth.grow(budget))


def shape(place: Place) -> object:
    if place.after is not None:
        return "buy", place.test, shape(place.after)
    if place.sides is not None and place.goes is not None:
        return "branch", place.test, place.goes.tolist(), [shape(side) for side in place.sides]
    return "end", place.paid.tests


def test_several_budgets_at_once_are_as_one_by_one() -> None:
    instance = random_instance(7, n_cases=200)
    together = fit_trees(instance, [1, 2, 3])
    for budget, policy in zip([1, 2, 3], together, strict=True):
        assert same(policy, fit_tree(instance, budget_units=budget), instance.codes)


@pytest.mark.filterwarnings("ignore:.* no known case had")
def test_raw_rows_with_anything_in_them_are_answered() -> None:
    columns = random_columns(11)
    instance = instance_of(columns, "class")
    tree = fit_tree(instance, budget_units=4)
    new = [column for column in random_columns(12, 30) if column.name != "class"]
    new[3].values[:3] = ["never seen", None, "a"]  # type: ignore[index]
    new[1].numbers[:3] = [np.nan, 1e300, -1e300]  # type: ignore[index]
    probabilities = tree.predict_proba(instance.schema.encode(Table("frame", tuple(new), 30), range(5)))
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize("leaves", ["model", "count"])
def test_no_time_at_all_is_an_answer_without_tests(leaves: str) -> None:
    instance = random_instance(1)
    tree = fit_tree(instance, budget_units=3, leaves=leaves, clock=Clock(0))  # type: ignore[arg-type]
    assert tree.walk_codes(instance.codes).spent.max() == 0
    share = np.bincount(instance.labels) / instance.n_objects
    assert tree.walk_codes(instance.codes[:1]).probabilities[0] == pytest.approx(share, abs=0.02)


def test_nothing_is_bought_without_money() -> None:
    tree = fit_tree(random_instance(1), budget_units=0)
    assert len(tree.nodes) == 1


def test_who_is_sure_stops() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 400)
    second = rng.integers(0, 2, 400)
    labels = np.where(first == 1, 1, second)
    instance = bt.Instance(np.column_stack([first, second]), labels)
    spends, stops = (fit_tree(instance, budget_units=2, sure=sure) for sure in (None, 0.95))
    assert (stops.walk_codes(instance.codes).probabilities.argmax(axis=1) == instance.labels).all()
    assert stops.walk_codes(instance.codes).spent[instance.codes[:, 0] == 1].max() == 1
    assert stops.walk_codes(instance.codes).spent[instance.codes[:, 0] == 0].min() == 2
    assert spends.walk_codes(instance.codes).spent.mean() >= stops.walk_codes(instance.codes).spent.mean()


def test_a_branch_on_what_is_paid_buys_different_tests() -> None:
    """The first test says which of two others tells the class; within two tests only a branch can use that."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (600, 4))
    kind = codes[:, 0]
    labels = np.where(kind == 1, codes[:, 1], 2 + codes[:, 2])
    tree = fit_tree(bt.Instance(codes, labels), budget_units=2, sure=None)
    assert any(isinstance(node, Branch) and node.split.totals is None for node in tree.nodes)
    assert (tree.walk_codes(codes.astype(np.uint8)).probabilities.argmax(axis=1) == labels).all()


def test_the_exact_tree_wins_where_no_sum_of_tests_can() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (300, 5))
    labels = codes[:, 0] ^ codes[:, 1] ^ codes[:, 2]
    tree = fit_tree(bt.Instance(codes, labels), budget_units=3)
    assert not any(isinstance(node, bt.Model) for node in tree.nodes)  # only the exact tree answers without
    assert (tree.walk_codes(codes.astype(np.uint8)).probabilities.argmax(axis=1) == labels).all()
    assert tree.walk_codes(np.full((1, 5), 255, dtype=np.uint8)).spent.max() <= 3


def test_a_plain_tree_is_small_and_nearly_as_good() -> None:
    instance = random_instance(3, n_cases=400)
    models, plain = (fit_tree(instance, budget_units=2, leaves=leaves) for leaves in ("model", "count"))
    assert plain.nodes.is_leaf.sum() <= MAX_LEAVES * models.nodes.is_leaf.sum()
    assert not any(isinstance(node, bt.Model) for node in plain.nodes)
    errors = [
        (tree.walk_codes(instance.codes).probabilities.argmax(axis=1) != instance.labels).mean()
        for tree in (models, plain)
    ]
    assert errors[1] <= errors[0] + 0.05


def test_cases_of_no_weight_are_absent() -> None:
    whole = random_instance(5, n_cases=120)
    weights = np.r_[np.ones(80), np.zeros(40)]
    common = {"test_names": whole.test_names, "outcome_names": whole.outcome_names, "class_names": whole.class_names}
    weighted = bt.Instance(whole.codes, whole.labels, weights=weights, **common)  # type: ignore[arg-type]
    part = bt.Instance(whole.codes[:80], whole.labels[:80], **common)  # type: ignore[arg-type]
    assert same(fit_tree(weighted, budget_units=2), fit_tree(part, budget_units=2), whole.codes)


@pytest.mark.parametrize("sure", [0, 1.5, "yes", True])
def test_sure_is_a_probability(sure: object) -> None:
    with refused(SettingError, subject="sure", found=sure):
        fit_tree(random_instance(1), budget_units=1, sure=sure)  # type: ignore[arg-type]


def test_leaves_are_of_two_kinds() -> None:
    with refused(SettingError, subject="leaves", found="both", expected=("model", "count")):
        fit_tree(random_instance(1), budget_units=1, leaves="both")  # type: ignore[arg-type]
