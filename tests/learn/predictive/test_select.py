"""Which kind of leaf: the simplest that is good enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.learn.predictive.basis import bases_of
from budgetree.learn.predictive.select import brier, choose, mean_and_error, with_tree
from budgetree.learn.predictive.small_tree import MAX_LEAVES, fit_small_tree, leaves_of
from budgetree.learn.validation import deal
from budgetree.tree.provenance import KINDS

from .tables import instance_of, pathway_of, random_columns, random_instance, random_prices, seeds


def two_classes(p: Any) -> Any:
    return np.column_stack([1 - np.asarray(p), p])


def test_the_simplest_kind_within_half_a_standard_error_is_taken() -> None:
    labels, ones = np.array([0, 1] * 50), np.ones(100)
    good = two_classes(np.where(labels == 1, 0.8, 0.2))
    # Half of the cases a little better, half a little worse, and slightly worse on average.
    off = np.where(np.arange(100) % 4 < 2, 0.08, -0.15)
    noisy = two_classes(np.where(labels == 1, 0.8 - off, 0.2 + off))
    bad = two_classes(np.full(100, 0.5))
    choice = choose({"tree": bad, "points": noisy, "model": good}, labels, ones)
    assert (choice.kind, choice.best) == ("points", "model")
    assert choice.is_good_enough
    assert 0 < choice.excess <= choice.standard_error
    assert choose({"tree": bad, "model": good}, labels, ones).kind == "model"
    assert choose({"tree": good, "points": good, "model": good}, labels, ones).kind == "tree"


def test_a_kind_that_is_named_is_taken_and_what_it_costs_is_reported() -> None:
    labels, ones = np.array([0, 1] * 50), np.ones(100)
    good, bad = two_classes(np.where(labels == 1, 0.8, 0.2)), two_classes(np.full(100, 0.5))
    choice = choose({"tree": good, "points": bad, "model": good}, labels, ones, "points")
    assert choice.kind == "points"
    assert choice.excess == pytest.approx(0.5 - 0.08)
    assert not choice.is_good_enough
    assert dict(choice.scores) == pytest.approx({"tree": 0.08, "points": 0.5, "model": 0.08})


def test_of_kinds_that_are_good_enough_one_that_costs_much_less_is_taken_before_a_simpler_one() -> None:
    labels, ones = np.array([0, 1] * 50), np.ones(100)
    good, bad = two_classes(np.where(labels == 1, 0.8, 0.2)), two_classes(np.full(100, 0.5))
    found: Any = {"tree": good, "points": good, "model": good}
    for costs, kind in (((10, 9, 9), "tree"), ((10, 7, 6), "points"), ((10, 7, 5), "model"), ((0, 0, 0), "tree")):
        by_kind = dict(zip(KINDS, costs, strict=True))
        assert choose(found, labels, ones, mean_cost=by_kind.__getitem__).kind == kind
        assert choose(found, labels, ones, "tree", by_kind.__getitem__).kind == "tree"
    cheap_but_bad = {"tree": 10.0, "points": 1.0, "model": 10.0}
    assert choose(found | {"points": bad}, labels, ones, mean_cost=cheap_but_bad.__getitem__).kind == "tree"


def test_an_exact_tree_takes_the_place_of_the_plain_one() -> None:
    labels, ones = np.array([0, 1] * 50), np.ones(100)
    good, bad = two_classes(np.where(labels == 1, 0.8, 0.2)), two_classes(np.full(100, 0.5))
    choice = choose({"tree": bad, "model": good}, labels, ones)
    better, between = with_tree(choice, 0.05), with_tree(choice, 0.1)
    assert (better.kind, better.best, better.excess) == ("tree", "tree", 0)
    assert (between.kind, between.best, between.excess) == ("tree", "model", pytest.approx(0.02))
    assert better.scores == (("tree", 0.05), ("model", 0.08))


@given(seeds, st.integers(2, 5))
def test_a_weight_counts_as_equal_cases(seed: int, times: int) -> None:
    values = np.random.default_rng(seed).normal(size=20)
    weighted = mean_and_error(values, np.full(20, float(times)))
    assert weighted == pytest.approx(mean_and_error(np.repeat(values, times), np.ones(20 * times)))


def test_the_brier_score_is_the_squared_distance_from_the_class() -> None:
    assert brier(np.array([[0.5, 0.3, 0.2], [1, 0, 0]]), np.array([1, 0])).tolist() == pytest.approx([0.78, 0])


@given(seeds, st.sampled_from([2, 3]))
def test_a_plain_tree_is_small_and_every_purchase_can_change_the_answer(seed: int, n_classes: int) -> None:
    instance = random_instance(seed, prices=random_prices(seed), n_cases=200, n_classes=n_classes)
    folds = deal(instance.labels, 4, instance.case_ranks)
    small = fit_small_tree(instance, range(instance.n_tests), folds, bases_of(instance))
    assert len(leaves_of(small.root)) <= MAX_LEAVES
    assert small.out_of_fold.sum(axis=1) == pytest.approx(1)
    tree = small.tree(instance)
    for buy in np.flatnonzero(tree.nodes.is_buy).tolist():
        leaves = [leaf for leaf in np.flatnonzero(tree.nodes.is_leaf).tolist() if buy in tree.nodes.path(leaf)]
        assert len({int(tree.nodes.label[leaf]) for leaf in leaves}) > 1


def test_the_out_of_fold_score_of_a_plain_tree_on_noise_is_no_better_than_chance() -> None:
    scores = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        instance = bt.Instance(rng.integers(0, 10, (200, 6)), rng.integers(0, 2, 200))
        folds = deal(instance.labels, 5, instance.case_ranks)
        out_of_fold = fit_small_tree(instance, range(6), folds, bases_of(instance)).out_of_fold
        scores.append(brier(out_of_fold, instance.labels).mean())
    assert np.mean(scores) >= 0.495


@given(seeds, st.sampled_from([*KINDS, None]), st.sampled_from([2, 3]))
@settings(max_examples=25)
def test_permuted_rows_give_the_same_tree(seed: int, leaves: Any, n_classes: int) -> None:
    leaves = "model" if (leaves, n_classes) == ("points", 3) else leaves
    columns = random_columns(seed, 90, n_classes)
    order = np.random.default_rng(seed + 1).permutation(90)
    shuffled = []
    for column in columns:
        numbers = None if column.numbers is None else column.numbers[order]
        values = None if column.values is None else [column.values[k] for k in order]
        shuffled.append(type(column)(column.name, column.dtype, numbers=numbers, values=values))
    first, second = (pathway_of(instance_of(each, "class"), leaves=leaves) for each in (columns, shuffled))
    assert first.to_dict() == second.to_dict()
    assert first.origin.choice == second.origin.choice


def test_no_tests_give_the_common_answer_for_nothing() -> None:
    instance = random_instance(2, n_classes=2)
    for kind in KINDS:
        assert pathway_of(instance, [], leaves=kind).max_cost == 0
