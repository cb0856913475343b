"""Policies: within the budget whatever comes, the same every time, and better than not asking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_policy import Branch, Buy, End, ReferencePolicy
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

from .tables import (
    any_codes,
    fit_policies,
    fit_policy,
    instance_of,
    random_columns,
    random_instance,
    random_prices,
    seeds,
)

LEAVES = st.sampled_from(["model", "count"])
SURE = st.sampled_from([None, 0.8, 0.95])


def same(one: ReferencePolicy, other: ReferencePolicy, codes: np.ndarray) -> bool:
    return len(one.nodes) == len(other.nodes) and bool((one.predict_proba(codes) == other.predict_proba(codes)).all())


@given(seeds, st.integers(0, 120), LEAVES, SURE)
@settings(max_examples=60)
def test_nobody_pays_more_than_the_budget(seed: int, tenths: int, leaves: str, sure: float | None) -> None:
    instance = random_instance(seed, prices=random_prices(seed))
    units = instance.schema.costs.budget_units(tenths / 10)
    policy = fit_policy(instance, budget_units=units, sure=sure, leaves=leaves)  # type: ignore[arg-type]
    codes = np.vstack([any_codes(seed, instance), instance.codes])
    assert policy.cost(codes).max() <= units
    probabilities = policy.predict_proba(codes)
    assert np.isfinite(probabilities).all()
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(codes)))


@given(seeds, LEAVES, SURE)
@settings(max_examples=15)
def test_the_shape_is_sound(seed: int, leaves: str, sure: float | None) -> None:
    """Children come after parents, each is reached once, and branches ask for what was paid above."""
    instance = random_instance(seed, n_cases=120)
    policy = fit_policy(instance, budget_units=3, sure=sure, leaves=leaves)  # type: ignore[arg-type]
    paid: dict[int, frozenset[int]] = {0: frozenset()}
    for number, node in enumerate(policy.nodes):
        have = paid[number]
        if isinstance(node, Buy):
            assert node.test not in have
            assert node.model is None or set(policy.models[node.model].tests) == have
            paid[node.child] = have | {node.test}
        elif isinstance(node, Branch):
            assert node.test in have
            assert len(node.goes) == policy.bases[node.test].n_outcomes + 1
            assert set(node.goes.tolist()) <= set(range(len(node.children)))
            paid.update(dict.fromkeys(node.children, have))
        else:
            assert (node.model is None) != (node.probabilities is None)
            assert node.model is None or set(policy.models[node.model].tests) == have
            assert leaves == "model" or node.model is None
    assert sorted(paid) == list(range(len(policy.nodes)))
    assert policy.nodes[0].counts.tolist() == np.bincount(instance.labels, minlength=3).tolist()
    stopped = np.bincount(policy.end(instance.codes), minlength=len(policy.nodes))
    for number, node in enumerate(policy.nodes):
        if isinstance(node, End):
            assert node.counts.sum() == stopped[number]


@given(seeds)
@settings(max_examples=10)
def test_the_same_cases_give_the_same_policy(seed: int) -> None:
    instance = random_instance(seed)
    one, other = (fit_policy(instance, budget_units=3) for _ in range(2))
    assert same(one, other, any_codes(seed, instance))
    assert same(one, fit_policy(instance, budget_units=3, threads=2), any_codes(seed, instance))


@given(seeds)
@settings(max_examples=10)
def test_the_core_and_its_reference_grow_the_same(seed: int) -> None:
    instance = random_instance(seed)
    cases = cases_of(instance)
    folds = deal(cases.labels, N_FOLDS)
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
    growth = Growth(Models(cases, Clock(None)), instance.schema.costs, deal(cases.labels, N_FOLDS))
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
    together = fit_policies(instance, [1, 2, 3])
    for budget, policy in zip([1, 2, 3], together, strict=True):
        assert same(policy, fit_policy(instance, budget_units=budget), instance.codes)


def test_raw_rows_with_anything_in_them_are_answered() -> None:
    columns = random_columns(11)
    instance = instance_of(columns, "class")
    policy = fit_policy(instance, budget_units=4)
    new = [column for column in random_columns(12, 30) if column.name != "class"]
    new[3].values[:3] = ["never seen", None, "a"]  # type: ignore[index]
    new[1].numbers[:3] = [np.nan, 1e300, -1e300]  # type: ignore[index]
    probabilities = policy.predict_proba(instance.schema.encode(Table("frame", tuple(new), 30), range(5)))
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize("leaves", ["model", "count"])
def test_no_time_at_all_is_an_answer_without_tests(leaves: str) -> None:
    instance = random_instance(1)
    policy = fit_policy(instance, budget_units=3, leaves=leaves, clock=Clock(0))  # type: ignore[arg-type]
    assert policy.cost(instance.codes).max() == 0
    share = np.bincount(instance.labels) / instance.n_objects
    assert policy.predict_proba(instance.codes[:1])[0] == pytest.approx(share, abs=0.02)


def test_nothing_is_bought_without_money() -> None:
    policy = fit_policy(random_instance(1), budget_units=0)
    assert [type(node) for node in policy.nodes] == [End]


def test_who_is_sure_stops() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 400)
    second = rng.integers(0, 2, 400)
    labels = np.where(first == 1, 1, second)
    instance = bt.Instance(np.column_stack([first, second]), labels)
    spends, stops = (fit_policy(instance, budget_units=2, sure=sure) for sure in (None, 0.95))
    assert (stops.predict_proba(instance.codes).argmax(axis=1) == labels).all()
    assert stops.cost(instance.codes)[first == 1].max() == 1
    assert stops.cost(instance.codes)[first == 0].min() == 2
    assert spends.cost(instance.codes).mean() >= stops.cost(instance.codes).mean()


def test_a_branch_on_what_is_paid_buys_different_tests() -> None:
    """The first test says which of two others tells the class; within two tests only a branch can use that."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (600, 4))
    kind = codes[:, 0]
    labels = np.where(kind == 1, codes[:, 1], 2 + codes[:, 2])
    policy = fit_policy(bt.Instance(codes, labels), budget_units=2, sure=None)
    assert any(isinstance(node, Branch) for node in policy.nodes)
    assert (policy.predict_proba(codes.astype(np.uint8)).argmax(axis=1) == labels).all()


def test_the_exact_tree_wins_where_no_sum_of_tests_can() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (300, 5))
    labels = codes[:, 0] ^ codes[:, 1] ^ codes[:, 2]
    policy = fit_policy(bt.Instance(codes, labels), budget_units=3)
    assert not policy.models  # only the exact tree answers without
    assert (policy.predict_proba(codes.astype(np.uint8)).argmax(axis=1) == labels).all()
    assert policy.cost(np.full((1, 5), 255, dtype=np.uint8)).max() <= 3


def test_a_plain_tree_is_small_and_nearly_as_good() -> None:
    instance = random_instance(3, n_cases=400)
    models, plain = (fit_policy(instance, budget_units=2, leaves=leaves) for leaves in ("model", "count"))
    n_ends = sum(isinstance(node, End) for node in models.nodes)
    assert sum(isinstance(node, End) for node in plain.nodes) <= MAX_LEAVES * n_ends
    assert not plain.models
    errors = [
        (policy.predict_proba(instance.codes).argmax(axis=1) != instance.labels).mean() for policy in (models, plain)
    ]
    assert errors[1] <= errors[0] + 0.05


def test_cases_of_no_weight_are_absent() -> None:
    whole = random_instance(5, n_cases=120)
    weights = np.r_[np.ones(80), np.zeros(40)]
    common = {"test_names": whole.test_names, "outcome_names": whole.outcome_names, "class_names": whole.class_names}
    weighted = bt.Instance(whole.codes, whole.labels, weights=weights, **common)  # type: ignore[arg-type]
    part = bt.Instance(whole.codes[:80], whole.labels[:80], **common)  # type: ignore[arg-type]
    assert same(fit_policy(weighted, budget_units=2), fit_policy(part, budget_units=2), whole.codes)


@pytest.mark.parametrize("sure", [0, 1.5, "yes", True])
def test_sure_is_a_probability(sure: object) -> None:
    with refused(SettingError, subject="sure", found=sure):
        fit_policy(random_instance(1), budget_units=1, sure=sure)  # type: ignore[arg-type]


def test_leaves_are_of_two_kinds() -> None:
    with refused(SettingError, subject="leaves", found="both", expected=("model", "count")):
        fit_policy(random_instance(1), budget_units=1, leaves="both")  # type: ignore[arg-type]
