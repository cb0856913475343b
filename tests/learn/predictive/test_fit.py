"""Policies: within the budget whatever comes, the same every time, and better than not asking."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.table import Table
from budgetree.learn.predictive.fit import Fitter
from budgetree.learn.predictive.small_tree import MAX_LEAVES
from budgetree.services.clock import Clock
from budgetree.tree import Branch, Buy, Origin
from budgetree.tree.provenance import Method

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

LEAVES = st.sampled_from(["tree", "points", "model", None])
CONFIDENCE = st.sampled_from([None, 0.8, 0.95])


def same(one: bt.Tree, other: bt.Tree, codes: np.ndarray) -> bool:
    probabilities = [tree.walk_codes(codes).probabilities.tolist() for tree in (one, other)]
    return len(one.nodes) == len(other.nodes) and probabilities[0] == probabilities[1]


@given(seeds, st.integers(0, 120), LEAVES, CONFIDENCE, st.sampled_from([2, 3]))
@settings(max_examples=40)
def test_nobody_pays_more_than_the_budget(
    seed: int, tenths: int, leaves: Any, confidence: float | None, n_classes: int
) -> None:
    instance = random_instance(seed, prices=random_prices(seed), n_classes=n_classes)
    leaves = "tree" if (leaves, n_classes) == ("points", 3) else leaves
    units = instance.schema.costs.budget_units(tenths / 10)
    tree = fit_tree(instance, budget_units=units, confidence=confidence, leaves=leaves)
    codes = np.vstack([any_codes(seed, instance), instance.codes])
    walk = tree.walk_codes(codes)
    assert walk.spent.max() <= units
    assert np.isfinite(walk.probabilities).all()
    assert walk.probabilities.sum(axis=1) == pytest.approx(np.ones(len(codes)))
    known = tree.walk_codes(instance.codes)
    assert tree.errors == (known.answers != instance.labels).sum()
    assert tree.nodes.counts[0].tolist() == np.bincount(instance.labels, minlength=n_classes).tolist()


@given(seeds, LEAVES)
@settings(max_examples=15)
def test_leaves_are_of_the_kind_that_the_origin_says(seed: int, leaves: Any) -> None:
    tree = fit_tree(random_instance(seed, n_cases=120, n_classes=2), budget_units=3, leaves=leaves)
    kinds = {"tree": bt.Fixed, "points": (bt.Points, bt.Fixed), "model": bt.Model}
    assert tree.origin.leaves is not None
    assert leaves in (None, tree.origin.leaves)
    assert all(isinstance(node, (Buy, Branch, kinds[tree.origin.leaves])) for node in tree.nodes)  # type: ignore[arg-type]


@given(seeds)
@settings(max_examples=10)
def test_the_same_cases_give_the_same_policy(seed: int) -> None:
    instance = random_instance(seed)
    one, other = (fit_tree(instance, budget_units=3) for _ in range(2))
    assert same(one, other, any_codes(seed, instance))
    assert same(one, fit_tree(instance, budget_units=3, threads=2), any_codes(seed, instance))


def test_several_budgets_at_once_are_as_one_by_one() -> None:
    instance = random_instance(7, n_cases=200)
    together = fit_trees(instance, [1, 2, 3])
    for budget, policy in zip([1, 2, 3], together, strict=True):
        assert same(policy, fit_tree(instance, budget_units=budget), instance.codes)


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
def test_raw_rows_with_anything_in_them_are_answered() -> None:
    columns = random_columns(11)
    instance = instance_of(columns, "class")
    tree = fit_tree(instance, budget_units=4)
    new = [column for column in random_columns(12, 30) if column.name != "class"]
    new[3].values[:3] = ["never seen", None, "a"]  # type: ignore[index]
    new[1].numbers[:3] = [np.nan, 1e300, -1e300]  # type: ignore[index]
    probabilities = tree.predict_proba(instance.schema.encode(Table("frame", tuple(new), 30), range(5)))
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize("leaves", ["tree", "points", "model", None])
def test_no_time_at_all_is_an_answer_without_tests(leaves: Any) -> None:
    instance, clock = random_instance(1, n_classes=2), Clock(0)
    tree = fit_tree(instance, budget_units=3, leaves=leaves, clock=clock)
    assert clock.ended_work
    assert tree.walk_codes(instance.codes).spent.max() == 0
    share = np.bincount(instance.labels) / instance.n_objects
    assert tree.walk_codes(instance.codes[:1]).probabilities[0] == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("leaves", ["tree", "points", "model", None])
@pytest.mark.parametrize("prices", [None, random_prices(1)], ids=["one price", "several"])
def test_whenever_the_time_ends_there_is_a_tree_within_the_budget(leaves: Any, prices: Any) -> None:
    """The clock is over after so many looks at it, from the first to beyond the last."""

    class Counting(Clock):
        n_left = 0

        def _is_over(self) -> bool:
            type(self).n_left -= 1
            return self.n_left < 0 or super()._is_over()

    instance = random_instance(1, n_classes=2, prices=prices)
    units = instance.schema.costs.budget_units(6)
    whole = fit_tree(instance, budget_units=units, leaves=leaves)
    for n_looks in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89):
        Counting.n_left, clock = n_looks, Counting(None)
        tree = fit_tree(instance, budget_units=units, leaves=leaves, clock=clock)
        assert tree.walk_codes(instance.codes).spent.max() <= units
        assert clock.ended_work or same(tree, whole, instance.codes)


def test_nothing_is_bought_without_money() -> None:
    tree = fit_tree(random_instance(1), budget_units=0)
    assert len(tree.nodes) == 1


def test_a_branch_on_what_is_paid_buys_different_tests() -> None:
    """The first test says which of two others tells the class; within two tests only a branch can use that."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (600, 4))
    kind = codes[:, 0]
    labels = np.where(kind == 1, codes[:, 1], 2 + codes[:, 2])
    tree = fit_tree(bt.Instance(codes, labels), budget_units=2)
    assert any(isinstance(node, Branch) and node.split.totals is None for node in tree.nodes)
    assert (tree.walk_codes(codes.astype(np.uint8)).probabilities.argmax(axis=1) == labels).all()


def test_the_exact_tree_wins_where_no_sum_of_tests_can() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (300, 5))
    labels = codes[:, 0] ^ codes[:, 1] ^ codes[:, 2]
    tree = fit_tree(bt.Instance(codes, labels), budget_units=3, leaves=None)
    assert not any(isinstance(node, bt.Model) for node in tree.nodes)  # only the exact tree answers without
    assert (tree.walk_codes(codes.astype(np.uint8)).probabilities.argmax(axis=1) == labels).all()
    assert tree.walk_codes(np.full((1, 5), 255, dtype=np.uint8)).spent.max() <= 3


def test_a_plain_tree_is_small_and_nearly_as_good() -> None:
    instance = random_instance(3, n_cases=400)
    models, plain = (fit_tree(instance, budget_units=2, leaves=leaves) for leaves in ("model", "tree"))
    assert plain.nodes.is_leaf.sum() <= MAX_LEAVES
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


@given(seeds, LEAVES, st.booleans())
@settings(max_examples=10)
def test_permuted_rows_and_columns_give_the_same_tree(seed: int, leaves: Any, has_prices: bool) -> None:
    rng, columns = np.random.default_rng(seed), random_columns(seed, 150, 2)
    columns[3].values[:4] = ["a", "b", "c", "d"]  # type: ignore[index]
    order, found = rng.permutation(150), []
    shuffled = []
    for column in columns:
        numbers = None if column.numbers is None else column.numbers[order]
        values = None if column.values is None else [column.values[k] for k in order]
        shuffled.append(type(column)(column.name, column.dtype, numbers=numbers, values=values))
    for table in (columns, [shuffled[k] for k in rng.permutation(len(columns))]):
        instance = instance_of(table, "class", prices=random_prices(seed) if has_prices else None)
        units = instance.schema.costs.budget_units(4)
        found.append(fit_tree(instance, budget_units=units, leaves=leaves))
    assert found[0].to_dict() == found[1].to_dict()
    assert found[0].origin == found[1].origin


@pytest.mark.parametrize("leaves", ["tree", "points", "model", None])
def test_with_losses_less_is_lost(leaves: Any) -> None:
    known, new = (random_instance(seed, n_cases=500, n_classes=2) for seed in (1, 2))
    losses = {known.class_names[1]: 8}
    tables = (known, known.with_losses(losses))
    codes = known.schema.encode(new.source.tests, range(5))  # type: ignore[union-attr]
    lost = []
    for instance in tables:
        answers = fit_tree(instance, budget_units=2, leaves=leaves).walk_codes(codes).answers
        lost.append(np.where(answers == new.labels, 0, np.where(new.labels == 1, 8, 1)).mean())
    assert lost[1] < lost[0]


def test_rows_of_a_group_share_a_fold() -> None:
    instance = random_instance(8, n_cases=120)
    groups = np.random.default_rng(0).integers(0, 12, 120)
    fitter = Fitter(instance, groups=groups)
    for group in range(12):
        assert len(set(fitter._folds[groups == group].tolist())) == 1
        assert len(set(fitter._growth.judge.sample.folds[groups[fitter._growth.judge.sample.positions] == group])) == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_many_cases_only_those_held_out_judge(monkeypatch: pytest.MonkeyPatch, n_classes: int) -> None:
    """What is chosen has the score that the cases of one fifth give it, by a walk that knows nothing of folds."""
    monkeypatch.setattr(sys.modules[Fitter.__module__], "HELD_OUT", ((1000, 1), (0, 5)))
    instance = random_instance(3, n_cases=1000, n_classes=n_classes)
    fitter = Fitter(instance, "model")
    found = fitter.tree(2, Clock(None), Origin(Method.PREDICTIVE))
    held_out = fitter._folds == 0
    assert held_out.sum() == 200
    assert set(fitter._folds[~held_out]) == {-1}
    probabilities = found.walk_codes(instance.codes).probabilities
    losses = ((probabilities - np.eye(n_classes)[instance.labels]) ** 2).sum(axis=1)
    scores = dict(found.origin.choice.scores)
    assert scores["model"] == pytest.approx(losses[held_out].mean(), abs=0.02), "but for the additive part"
    for kind in ("tree", "points")[: 4 - n_classes]:
        tree = fit_tree(instance, budget_units=2, leaves=kind)
        assert np.isfinite(tree.walk_codes(instance.codes).probabilities).all()
