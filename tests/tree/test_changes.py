"""Changes of a tree: cutting, trimming, other prices."""

from __future__ import annotations

import random

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from built_trees import random_codes, random_tree, stages_tree, two_classes
from losing import losses_for

BUDGETS = [0, 1, 2, 2.5, 4, 7, 30]


@pytest.fixture(scope="module")
def pima() -> bt.Tree:
    return bt.grow(bt.datasets.load("pima"))


@pytest.mark.parametrize("budget", BUDGETS)
def test_cut_keeps_every_path_within_the_budget(pima: bt.Tree, budget: float) -> None:
    cut = pima.cut(budget)
    assert cut.max_cost <= budget
    assert cut.errors >= pima.errors
    assert cut.cut(budget) == cut
    codes = np.random.default_rng(0).integers(0, 10, (500, 8))
    assert (cut.walk_codes(codes).cost <= budget).all()


def test_cutting_at_the_trees_own_cost_changes_nothing(pima: bt.Tree) -> None:
    assert pima.cut(pima.max_cost) is pima
    assert pima.cut(0).n_leaves == 1


def test_a_smaller_cut_never_has_fewer_errors(pima: bt.Tree) -> None:
    errors = [pima.cut(budget).errors for budget in BUDGETS]
    assert errors == sorted(errors, reverse=True)


def test_a_cut_stage_is_answered_by_its_own_model() -> None:
    tree = stages_tree()
    cut = tree.cut(5)
    assert cut.max_cost <= 5
    assert [type(rule) for rule in cut.nodes.rules] == [bt.Model]
    assert cut.nodes.rules[0].totals == tree.nodes.splits[0].totals  # type: ignore[union-attr]
    answers = cut.walk_codes(two_classes().codes).answers
    assert np.bincount(answers, minlength=2).tolist() == tree.nodes.given[2].sum(axis=1).tolist()


@given(st.integers(0, 10**6), st.sampled_from([None, 1, 3]))
def test_trim_changes_no_prediction(seed: int, budget: int | None) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (60, 4))
    instance = bt.Instance(codes, rng.integers(0, 2, 60))
    tree = bt.grow(instance, budget=budget)
    trimmed = tree.trim()
    every = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)  # unseen outcomes too
    assert (tree.predict_codes(every) == trimmed.predict_codes(every)).all()
    assert (trimmed.walk_codes(every).spent <= tree.walk_codes(every).spent).all()
    assert trimmed.errors == tree.errors
    assert trimmed.trim() == trimmed
    nodes = trimmed.nodes
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        below = [child for child in set(nodes.below(node).tolist()) if nodes.counts[child].any()]
        assert not nodes.is_leaf[below].all() or len(set(nodes.label[below].tolist())) > 1


def _leaves_below(tree: bt.Tree, node: int) -> list[int]:
    test = tree.nodes.test[node]
    if test < 0:
        return [node]
    below = tree.nodes.children(node, len(tree.schema.outcome_names[test]))
    return [leaf for child in below if child >= 0 for leaf in _leaves_below(tree, int(child))]


@pytest.mark.parametrize("budget", [-1, np.nan, "much"])
def test_bad_budgets_are_refused(pima: bt.Tree, budget: object) -> None:
    with refused(SettingError, subject="budget"):
        pima.cut(budget)


def test_a_cut_tree_says_so() -> None:
    tree = bt.grow(bt.datasets.load("pima")).cut(3).trim()
    assert str(tree.origin) == "greedy Pairs(), cut at 3, trimmed"


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_at_other_prices_is_the_same_tree(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    tree = bt.grow(instance)
    other = tree.priced(3)
    assert other.max_cost == 3 * tree.depth
    assert np.array_equal(other.predict_codes(instance.codes), tree.predict_codes(instance.codes))
    assert other.priced(instance.prices) == tree


@given(st.data())
def test_trimming_and_cutting_by_loss(data: st.DataObject) -> None:
    instance = to_instance(reference.random_problem(random.Random(data.draw(st.integers(0, 10**6)))))
    tree = bt.grow(instance.with_losses(data.draw(losses_for(instance.n_classes))))
    trimmed = tree.trim()
    assert trimmed.exact_loss == tree.exact_loss
    assert (trimmed.walk_codes(instance.codes).answers == tree.walk_codes(instance.codes).answers).all()
    assert trimmed.schema.loss_table == trimmed.cut(0).schema.loss_table == trimmed.priced(7).schema.loss_table
    nodes = trimmed.nodes
    for node in np.flatnonzero(~nodes.is_leaf).tolist():
        children = [child for child in set(nodes.below(node).tolist()) if nodes.counts[child].any()]
        assert not nodes.is_leaf[children].all() or len(set(nodes.label[children].tolist())) > 1
    with_losses = instance.with_losses(tree.schema.losses)
    assert tree.cut(0).exact_loss >= tree.exact_loss
    if tree.cut(0).n_leaves == 1:
        assert tree.cut(0).exact_loss == with_losses.schema.loss(with_losses.class_order.leaf_loss)


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_changes_of_any_tree(seed: int) -> None:
    """Cut, trimmed, priced again and put together again: what they say is what the known cases get."""
    tree, cases = random_tree(seed)
    for budget in (0, 2, 5, 9):
        cut = tree.cut(budget)
        assert cut.max_cost <= budget
        check_facts(cut, cases)
    trimmed = tree.trim()
    check_facts(trimmed, cases)
    assert (trimmed.walk_codes(cases.codes).answers == tree.walk_codes(cases.codes).answers).all()
    priced = tree.priced(3)
    check_facts(priced, cases.priced(3))
    assert priced.max_cost <= 3 * tree.depth
    assert priced.priced(tree.schema.prices).nodes == tree.nodes
    assert tree.replace(0, tree).nodes == tree.nodes
    node = int(np.random.default_rng(seed).integers(len(tree.nodes)))
    check_facts(tree.replace(node, tree, cases), cases)


def test_trim_keeps_the_answer_for_results_that_are_not_listed() -> None:
    builder = bt.TreeBuilder(bt.datasets.load("figure1"))
    listed, unlisted = builder.branch(builder.buy(builder.root, "t1"), bt.Split.by_result(0, (0, 0, 1)))
    builder.leaf(listed, bt.Fixed((0.5, 0.5), 1))
    builder.leaf(unlisted)
    tree = builder.build()
    for each in (tree, tree.trim()):
        assert each.predict_codes([[9, 0], [0, 0]]).tolist() == ["circle", "triangle"]


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=100, deadline=None)
def test_trim_keeps_every_answer_of_any_tree(seed: int, scored: bool) -> None:
    tree, _ = random_tree(seed, scored=scored)
    codes = random_codes(tree, seed)
    trimmed = tree.trim()
    assert (trimmed.walk_codes(codes).answers == tree.walk_codes(codes).answers).all()
    assert (trimmed.walk_codes(codes).spent <= tree.walk_codes(codes).spent).all()
    assert trimmed.trim() == trimmed


def check_facts(tree: bt.Tree, cases: bt.Instance) -> None:
    walk, weights = tree.walk_codes(cases.codes), cases.weight_units
    answered = np.zeros((len(tree.answer_names), cases.n_classes), dtype=np.int64)
    np.add.at(answered, (walk.answers, cases.labels), weights)
    assert tree.nodes.answered.tolist() == answered.tolist()
    assert tree.nodes.total_spent == [int((walk.spent * weights).sum())]
    assert walk.spent.max() <= tree.need
