"""Tree: routing, costs, cutting, trimming, text."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import as_node, grow_with, to_instance

import budgetree as bt
from budgetree.tree import routing
from budgetree.tree.routing import walk_natively, walk_plainly

BUDGETS = [0, 1, 2, 2.5, 4, 7, 30]


@pytest.fixture(scope="module")
def pima() -> bt.Tree:
    return bt.grow(bt.datasets.load("pima"))


@pytest.mark.parametrize("name", bt.datasets.names())
def test_routing_the_known_objects_gives_the_trees_own_numbers(name: str) -> None:
    instance = bt.datasets.load(name)
    tree = bt.grow(instance, bt.HingedPairs(2))
    costs = tree.cost(instance.codes)
    assert costs.max() == tree.max_cost
    assert costs.mean() == pytest.approx(tree.mean_cost)
    wrong = tree.predict(instance.codes) != instance.schema.classes[instance.labels]
    assert wrong.sum() == tree.errors
    leaves, counts = np.unique(tree.route(instance.codes), return_counts=True)
    assert (tree.nodes.counts[leaves].sum(axis=1) == counts).all()
    assert len(leaves) == tree.n_leaves


@given(st.integers(0, 10**6))
def test_cost_agrees_with_walking_each_object(seed: int) -> None:
    problem = reference.random_problem(random.Random(seed))
    instance = to_instance(problem)
    tree = bt.grow(instance)
    node = as_node(tree)
    known = [i for i, weight in enumerate(problem.weights) if weight]
    assert max(tree.cost(instance.codes)[known]) == pytest.approx(float(reference.max_cost(problem, node)))
    every = list(itertools.product(*(range(n) for n in problem.n_outcomes)))
    assert tree.ceiling == pytest.approx(max(tree.cost(every)))


@pytest.mark.parametrize("budget", BUDGETS)
def test_cut_keeps_every_path_within_the_budget(pima: bt.Tree, budget: float) -> None:
    cut = pima.cut(budget)
    assert cut.max_cost <= budget
    assert cut.errors >= pima.errors
    assert cut.cut(budget) == cut
    codes = np.random.default_rng(0).integers(0, 10, (500, 8))
    assert (cut.cost(codes) <= budget).all()


def test_cutting_at_the_trees_own_cost_changes_nothing(pima: bt.Tree) -> None:
    assert pima.cut(pima.max_cost) is pima
    assert pima.cut(0).n_leaves == 1


def test_a_smaller_cut_never_has_fewer_errors(pima: bt.Tree) -> None:
    errors = [pima.cut(budget).errors for budget in BUDGETS]
    assert errors == sorted(errors, reverse=True)


@given(st.integers(0, 10**6), st.sampled_from([None, 1, 3]))
def test_trim_changes_no_prediction(seed: int, budget: int | None) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (60, 4))
    instance = bt.Instance(codes, rng.integers(0, 2, 60))
    tree = bt.grow(instance, budget=budget)
    trimmed = tree.trim()
    every = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)  # unseen outcomes too
    assert (tree.predict(every) == trimmed.predict(every)).all()
    assert (trimmed.cost(every) <= tree.cost(every)).all()
    assert trimmed.errors == tree.errors
    assert trimmed.trim() == trimmed
    labels = trimmed.nodes.label
    for node in np.flatnonzero(~trimmed.nodes.is_leaf):
        below = {int(labels[leaf]) for leaf in _leaves_below(trimmed, int(node))}
        assert len(below) > 1


def _leaves_below(tree: bt.Tree, node: int) -> list[int]:
    test = tree.nodes.test[node]
    if test < 0:
        return [node]
    below = tree.nodes.children(node, len(tree.schema.outcome_names[test]))
    return [leaf for child in below if child >= 0 for leaf in _leaves_below(tree, int(child))]


def test_an_outcome_never_seen_stops_there_and_the_test_is_paid() -> None:
    prices = {"a": 2, "b": {"0": 5, "1": 1, "2": 7}}
    instance = bt.Instance([[0, 0], [0, 1], [1, 2]], ["x", "y", "y"], prices=prices, test_names=["a", "b"])
    tree = bt.grow(instance, bt.HingedPairs(0))
    assert tree.to_dict()["test"] == "a"
    rows = [[0, 2], [0, 200], [7, 0], [0, 0]]
    assert tree.route(rows).tolist() == [1, 1, 0, 3]
    assert tree.predict(rows).tolist() == ["x", "x", "y", "x"]
    assert tree.cost(rows).tolist() == [9, 9, 2, 7]
    assert tree.max_cost == 7
    assert tree.ceiling == 9
    assert tree.cut(8).n_leaves == 2  # no case may exceed 8, seen or not


def test_predictions_are_class_names_of_their_own_type() -> None:
    for labels in (["no", "yes"], [0, 1], [True, False], [1.5, 2.5], ["a", 1]):
        tree = bt.grow(bt.Instance([[0], [1]], labels))
        assert tree.predict([[0], [1]]).tolist() == labels


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 1]], r"expected 8 columns, one per test, but got 2"),
        ([0] * 8, "one row per case"),
        ([[np.nan] * 8], "outcomes must be whole numbers"),
    ],
)
def test_bad_codes_are_refused(pima: bt.Tree, codes: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pima.predict(codes)


def test_new_cases_are_encoded_as_the_known_ones_were() -> None:
    known = pd.DataFrame({"temp": np.linspace(36, 40, 60), "cough": ["yes", "no", None] * 20})
    known["state"] = np.where(known["temp"] < 38, "well", "ill")
    tree = bt.grow(bt.Instance.from_frame(known, "state"))
    new = pd.DataFrame({"id": range(3), "cough": ["yes", "sometimes", None], "temp": [36.1, 36.5, 45.0]})
    assert tree.predict(tree.encode(new)).tolist() == ["well", "well", "ill"]
    assert tree.encode(new)[1, 1] == 255
    with pytest.raises(ValueError, match="there is no column 'temp'"):
        tree.encode(new.drop(columns="temp"))
    without = tree.encode(new.drop(columns="cough"))  # which the tree never asks for
    assert tree.predict(without).tolist() == ["well", "well", "ill"]
    with pytest.raises(ValueError, match="column 'temp' was numeric when it was learned"):
        tree.encode(new.assign(temp=["warm"] * 3))
    with pytest.raises(ValueError, match="how raw values become codes is not known here"):
        bt.grow(bt.datasets.load("figure1")).encode(new)
    with pytest.raises(ValueError, match=r"by tree\.encode afterwards"):
        tree.predict([["warm", "yes"]])


@pytest.mark.parametrize("budget", [-1, np.nan, "much"])
def test_bad_budgets_are_refused(pima: bt.Tree, budget: object) -> None:
    with pytest.raises(ValueError, match="a budget must be a number of at least 0"):
        pima.cut(budget)


def test_the_text_shows_test_price_outcome_running_cost_and_counts() -> None:
    prices = bt.Prices({"a": 1.5, "b": {"low": 1, "high": 2}}, shared={"draw": (0.25, ["b"])})
    instance = bt.Instance(
        [[0, 0], [0, 1], [1, 0], [1, 1]],
        ["well", "ill", "well", "well"],
        prices=prices,
        test_names=["a", "b"],
        outcome_names=[["no", "yes"], ["low", "high"]],
    )
    assert bt.grow(instance).to_text().splitlines() == [
        "4 objects, 3 leaves; worst case 3.75, mean 2.375; 0 errors (0.0%)",
        "a? costs 1.5  [ill 1, well 3]",
        "├─ no: b? costs 1.25 to 2.25 with 0.25 for draw, spent 1.5  [ill 1, well 1]",
        "│  ├─ low: → well, spent 2.75  [well 1]",
        "│  └─ high: → ill, spent 3.75  [ill 1]",
        "└─ yes: → well, spent 1.5  [well 2]",
    ]


def test_leaves_that_predict_the_same_share_a_line() -> None:
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=[["x", "y", "z"]])
    assert "├─ x | y: → a, spent 1  [a 2]" in bt.grow(instance).to_text()


def test_neighbouring_ranges_are_joined() -> None:
    names = [["1 to 2", "2 to 5", "5 to 9", "missing"]]
    instance = bt.Instance([[0], [1], [2], [3]], ["a", "a", "b", "a"], outcome_names=names)
    assert "├─ 1 to 5 | missing: → a, spent 1  [a 3]" in bt.grow(instance).to_text()


def test_categories_that_look_like_ranges_stay_apart() -> None:
    names = [["home to work", "work to gym", "gym to home"]]
    instance = bt.Instance([[0], [1], [2]], ["a", "a", "b"], outcome_names=names)
    assert "home to work | work to gym" in bt.grow(instance).to_text()


@pytest.mark.parametrize("tree", [bt.grow(bt.datasets.load("pima"), budget=0), bt.grow(bt.Instance([[0]], ["x"]))])
def test_a_single_leaf_has_a_text(tree: bt.Tree) -> None:
    assert tree.to_text().splitlines()[1].startswith("→ ")
    assert tree.to_text(max_depth=0) == tree.to_text()


def test_a_cut_tree_says_so() -> None:
    tree = bt.grow(bt.datasets.load("pima")).cut(3).trim()
    assert tree.origin == "greedy Pairs(), cut at 3, trimmed"


def test_folding_the_text_says_so() -> None:
    text = bt.grow(bt.datasets.load("house_votes")).to_text(max_depth=1)
    assert "→ …" in text
    assert len(text.splitlines()) < 7


def test_a_deep_tree_has_text_dict_and_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    chain = grow_with("native", bt.Instance(np.eye(2100, dtype=np.uint8), np.arange(2100) % 2), bt.Pairs())
    assert chain.depth > 1000  # Python's recursion limit
    assert len(chain.to_text().splitlines()) == chain.n_leaves + (~chain.nodes.is_leaf).sum() + 1
    assert "test" in chain.to_dict()
    chain.to_json(tmp_path / "deep.json")
    assert bt.Tree.from_json(tmp_path / "deep.json") == chain


def test_trees_compare_by_what_they_are() -> None:
    instance = bt.datasets.load("figure1")
    assert bt.grow(instance) == bt.grow(instance, bt.Powers(2))
    assert bt.grow(instance) != bt.grow(instance, bt.HingedPairs(8))
    assert bt.grow(instance) != bt.grow(instance.priced(2))
    assert bt.grow(instance) != "a tree"
    assert len({bt.grow(instance), bt.grow(instance)}) == 1


def test_a_tree_cannot_be_changed() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    with pytest.raises(AttributeError):
        tree.n_objects = 3  # type: ignore[misc]
    for each in (tree, copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert each == tree
        with pytest.raises(ValueError, match="read-only"):
            each.nodes.counts[0] = 7


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_at_other_prices_is_the_same_tree(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    tree = bt.grow(instance)
    other = tree.priced(3)
    assert other.max_cost == 3 * tree.depth
    assert np.array_equal(other.predict(instance.codes), tree.predict(instance.codes))
    assert other.priced(instance.prices) == tree


@pytest.mark.parametrize("native", [None, object()], ids=["plain", "native"])
def test_rows_are_walked_by_the_core_where_there_is_one(native: object, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    monkeypatch.setattr(routing, "core", native)
    monkeypatch.setattr(routing, "walk_natively", lambda *walk: used.append("native") or walk_plainly(*walk))
    tree = bt.grow(bt.datasets.load("figure1"))
    assert tree.predict([[0, 0]]).shape == (1,)
    assert used == ([] if native is None else ["native"])


@pytest.mark.core
@pytest.mark.parametrize("seed", range(20))
def test_both_ways_of_routing_agree(seed: int) -> None:
    rng = random.Random(seed)
    tree = bt.grow(to_instance(reference.random_problem(rng)), budget=rng.choice([None, 2]))
    codes = np.random.default_rng(seed).integers(0, 6, (500, len(tree.test_names))).astype(np.uint8)
    plain, native = walk_plainly(tree.chart, codes), walk_natively(tree.chart, codes)
    assert np.array_equal(plain.node, native.node)
    assert np.array_equal(plain.paid, native.paid)
