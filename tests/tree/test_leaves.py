"""Totals: points and small trees that add up, however the trees are given."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_walk import add_up
from _support.refusals import refused
from budgetree import _core
from budgetree.errors import TreeError
from budgetree.tree import Ensemble, Model, Split, Totals, TreeBuilder
from budgetree.tree.leaves import class_scores, softmax
from built_trees import AGE, COLOUR, ensemble, known_cases, scores, stages_tree, two_classes

STUMP: dict[str, Any] = {
    "start": [0],
    "test": [0, -1, -1],
    "cut": [1, 0, 0],
    "by_equal": [False] * 3,
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "default_left": [True, False, False],
    "missing": [-1] * 3,
    "value": [[0], [-5], [7]],
}


def random_totals(seed: int) -> tuple[Totals, int]:
    """Of tests with up to 255 outcomes, and how many tests there are in all."""
    rng = random.Random(seed)
    n_tests, n_totals = rng.randint(1, 6), rng.randint(1, 4)
    tests = sorted(rng.sample(range(n_tests), rng.randint(1, n_tests)))
    widths = {test: rng.choice([2, 3, 8, 65, 256]) for test in tests}

    def row() -> list[int]:
        return [rng.randint(-(2**31), 2**31 - 1) for _ in range(n_totals)]

    trees = ensemble(rng, widths, rng.randint(1, 12), row, max_ends=rng.choice([2, 12, 60]))
    points = tuple(np.array([row() for _ in range(widths[test])], dtype=np.int32) for test in tests)
    return Totals(tuple(tests), points, np.array(row(), dtype=np.int64), trees), n_tests


@given(st.integers(0, 10**6), st.sampled_from([1, 31, 33, 255, 256, 257, 600]))
@settings(max_examples=60, deadline=None)
def test_totals_are_those_of_a_case_followed_by_hand(seed: int, n_rows: int) -> None:
    totals, n_tests = random_totals(seed)
    rng = np.random.default_rng(seed)
    codes = np.where(
        rng.random((n_rows, n_tests)) < 0.1, 255, rng.integers(0, rng.choice([3, 70, 256]), (n_rows, n_tests))
    )
    found = totals.add_up(codes.astype(np.uint8))
    rows = range(n_rows) if n_rows < 40 else rng.choice(n_rows, 40)
    assert [found[row].tolist() for row in rows] == [add_up(totals, codes[row].tolist()) for row in rows]


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_order_in_which_nodes_are_given_does_not_matter(seed: int) -> None:
    trees = random_totals(seed)[0].trees
    assert trees is not None
    order = np.random.default_rng(seed).permutation(len(trees.test))
    number = np.append(np.argsort(order), -1)
    names = [name for name in Ensemble.__slots__ if name != "start"]
    given = {name: getattr(trees, name)[order] for name in names}
    given |= {"left": number[given["left"]], "right": number[given["right"]]}
    assert Ensemble(start=number[trees.start], **given) == trees
    assert (trees.left[trees.test >= 0] == np.flatnonzero(trees.test >= 0) + 1).all()
    assert pickle.loads(pickle.dumps(trees)) == trees
    assert not any(getattr(trees, name).flags.writeable for name in Ensemble.__slots__)


@pytest.mark.parametrize(
    "change",
    [
        {"left": [0, -1, -1]},  # a circle
        {"left": [2, -1, -1]},  # one end below both
        {"left": [1, -1, -1], "right": [3, -1, -1]},
        {"right": [-1, -1, -1]},
        {"start": [0, 1]},
        {"start": []},
        {"start": [-1]},
        {"test": [-1, -1, -1]},
        {"cut": [300, 0, 0]},
        {"cut": [1, 0]},
        {"missing": [40_000, -1, -1]},
        {"value": [0, -5, 7]},
        {"value": [[0], [2**31], [7]]},
        {"value": [[0.0], [5.0], [7.0]]},
        {"value": [[0], [5, 6], [7]]},
        {"value": 7},
        {"test": ["0", "-1", "-1"]},
        {"test": [0.0, -1.0, -1.0]},
        {"by_equal": [2, 0, 0]},
        {"by_equal": [0.0, 0.0, 0.0]},
        {"default_left": None},
        {"missing": [[-1] * 3]},
    ],
)
def test_arrays_that_are_not_trees_are_refused(change: dict[str, Any]) -> None:
    assert Ensemble(**STUMP).n_trees == 1
    with refused(TreeError, subject="trees"):
        Ensemble(**(STUMP | change))


def boosted(test: int, n_totals: int = 3, **change: Any) -> Model:
    """A model of colour with a stump."""
    value = {"value": [[0] * n_totals, [-5] * n_totals, [7] * n_totals]}
    trees = Ensemble(**(STUMP | value | {"test": [test, -1, -1]} | change))
    points = (np.zeros((4, n_totals), dtype=np.int32),)
    return Model(Totals((COLOUR,), points, np.zeros(n_totals, dtype=np.int64), trees))


def test_trees_that_do_not_fit_the_tests_are_refused() -> None:
    for test, change in (
        (AGE, {}),  # which the totals do not list
        (99, {}),
        (COLOUR, {"cut": [3, 0, 0]}),  # the outcomes are 0 to 2
        (COLOUR, {"missing": [3, -1, -1]}),
        (COLOUR, {"value": [[0], [1], [2]]}),
    ):
        with refused(TreeError, subject="trees"):
            boosted(test, **change)
    builder = TreeBuilder(known_cases())
    builder.leaf(builder.buy(builder.root, "colour"), boosted(COLOUR))


def test_a_single_score_is_for_two_classes() -> None:
    builder = TreeBuilder(known_cases())
    end = builder.buy(builder.root, "colour")
    with refused(TreeError, subject="leaf", found=1, expected=3):
        builder.leaf(end, boosted(COLOUR, 1))
    with refused(TreeError, subject="branch", found=1, expected=3):
        builder.branch(end, Split.by_score(boosted(COLOUR, 1), (0,)))
    with refused(TreeError, subject="totals", found=3):
        Split.by_points(boosted(COLOUR).totals, (0,))
    lone = TreeBuilder(bt.Instance([[0], [1]], ["a", "a"]))
    with refused(TreeError, subject="leaf", found=1, expected=1):
        lone.leaf(lone.root, Model(Totals((), (), np.zeros(1, dtype=np.int64))))


def test_a_single_score_says_what_two_scores_say() -> None:
    model = scores(random.Random(3), TreeBuilder(two_classes()), [AGE, COLOUR], boosted=True)
    codes = two_classes().codes
    single = model.totals.add_up(codes)
    assert single.shape[1] == 1
    pairs = np.hstack([np.zeros_like(single), single])
    assert model.probabilities(single).tolist() == softmax(pairs).tolist()
    assert class_scores(single).argmax(axis=1).tolist() == pairs.argmax(axis=1).tolist()
    assert model.probabilities(np.array([[0]])).tolist() == [[0.5, 0.5]]


def test_cuts_of_a_score_are_chances() -> None:
    split = stages_tree().nodes.splits[0]
    assert (split.is_score, split.n_sides) == (True, 3)
    assert split.chances == pytest.approx((1 / (1 + np.exp(1.2)), 1 / (1 + np.exp(-1.4))))
    walk = stages_tree().walk_codes(two_classes().codes)
    chance = split.model.probabilities(split.totals.add_up(two_classes().codes))[:, 1]
    low, middle, high = stages_tree().nodes[2].children  # type: ignore[union-attr]
    expected = np.where(chance < split.chances[0], low, np.where(chance < split.chances[1], middle, high))
    below = stages_tree().nodes.below(middle)[0]
    assert walk.leaf.tolist() == np.where(expected == middle, below, expected).tolist()


def walk_by_scores(scores: Sequence[Sequence[int]], confidence: float) -> list[np.ndarray]:
    """What the core finds for a row with each of these scores; it ends at node 2 where some class is likely enough."""
    table = np.array([*scores, scores[0]], dtype=np.int32)
    scorer = _core.Scorer(np.array([0], dtype=np.int32), [table], np.zeros(table.shape[1], dtype=np.int64))
    route = _core.Route(
        np.array([0, 2, 3, 3], dtype=np.uint8),
        np.array([0, -1, -1, -1], dtype=np.int32),
        np.array([0, 1, -1, -1]),
        np.array([1, 2, 3], dtype=np.int32),
        np.array([0, -1, -1, -1]),
        np.zeros(len(table), dtype=np.int64),
        np.array([-1, 0, 0, 0], dtype=np.int32),
        np.array([len(scores)], dtype=np.int32),
        [scorer],
        [_core.TotalSplit(0, [], confidence)],
    )
    return list(route.walk(np.arange(len(scores), dtype=np.uint8)[None], _core.Clock()))


@pytest.mark.parametrize("confidence", [0.2, 0.5, 0.5 + 1e-9, 0.6, 0.8, 0.95, 1 - 1e-6, 1 - 1e-9, 1.0])
def test_a_single_score_is_as_sure_and_as_high_as_0_and_it(confidence: float) -> None:
    odds = confidence / max(1 - confidence, 1e-15)
    bound = round(np.log(odds) * 1_000_000)
    near = [sign * bound + step for sign in (-1, 1) for step in range(-6, 7)]
    scores = [*near, 0, 1, -1, 2**31 - 1, -(2**31)]
    pairs = np.array([[0, score] for score in scores])
    leaf, _, _, totals, highest, _ = walk_by_scores([[score] for score in scores], confidence)
    assert leaf.tolist() == np.where(softmax(pairs).max(axis=1) >= confidence, 2, 3).tolist()
    assert totals.tolist() == [[score] for score in scores]
    assert highest.tolist() == pairs.argmax(axis=1).tolist()
    two = walk_by_scores(pairs.tolist(), confidence)
    assert (leaf.tolist(), highest.tolist()) == (two[0].tolist(), two[4].tolist())


@pytest.mark.parametrize("single_first", [False, True])
def test_models_with_one_score_and_with_two_in_one_tree(single_first: bool) -> None:
    builder = TreeBuilder(two_classes())
    end = builder.buy(builder.buy(builder.root, "colour"), "age")
    sides = builder.branch(end, Split.by_result(COLOUR, (0, 1, 1, 0)))
    rng = random.Random(5)
    single = scores(rng, builder, [AGE, COLOUR], boosted=True)
    double = Model(Totals((AGE,), (np.full((_width(AGE), 2), (7, 5), dtype=np.int32),), np.zeros(2, dtype=np.int64)))
    for side, model in zip(sides, (single, double) if single_first else (double, single), strict=True):
        builder.leaf(side, model)
    tree, codes = builder.build(), two_classes().codes
    by_colour = np.isin(codes[:, COLOUR], [0, 3])
    walk = tree.walk_codes(codes)
    for model, rows in ((single, by_colour == single_first), (double, by_colour != single_first)):
        assert rows.any()
        totals = model.totals.add_up(codes[rows])
        assert walk.probabilities[rows].tolist() == model.probabilities(totals).tolist()
        assert walk.answers[rows].tolist() == class_scores(totals).argmax(axis=1).tolist()


def _width(test: int) -> int:
    return int(two_classes().schema.n_outcomes[test]) + 1


def test_totals_are_equal_where_points_and_trees_are() -> None:
    one, same, other = (boosted(COLOUR, **change).totals for change in ({}, {}, {"cut": [0, 0, 0]}))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != Totals(one.tests, one.points, one.intercept)
    assert one != Totals(one.tests, (one.points[0] + 1,), one.intercept, one.trees)
    assert one != "totals"


def fit(**change: Any) -> Any:
    """A core ensemble with a stump of one total, and what is changed."""
    given = {name: np.array(STUMP[name]) for name in STUMP if name != "left"} | change
    kinds = {"cut": np.uint8, "by_equal": np.bool_, "default_left": np.bool_, "missing": np.int16}
    return _core.Ensemble(**{name: np.asarray(array, dtype=kinds.get(name, np.int32)) for name, array in given.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"right": [0, -1, -1]}, "children further down"),
        ({"right": [1, -1, -1]}, "children further down"),
        ({"right": [3, -1, -1]}, "children further down"),
        ({"start": [1]}, "the first to start at node 0"),
        ({"start": [0, 0]}, "ascending starts"),
        ({"start": [0, 9]}, "ascending starts"),
        ({"test": [0, 0, -1]}, "two children, or none"),
        ({"test": [5, -1, -1]}, "tests of the scorer"),
        ({"cut": [2, 0, 0]}, "cuts at outcomes"),
        ({"missing": [2, 0, 0]}, "missing results among the outcomes"),
        ({"missing": [-2, 0, 0]}, "missing results among the outcomes"),
        ({"cut": [1, 0]}, "one entry per node"),
        ({"value": [[1], [2]]}, "one entry per node"),
    ],
)
def test_the_core_refuses_trees_that_it_could_leave(change: dict[str, Any], message: str) -> None:
    table = np.zeros((3, 1), dtype=np.int32)
    given = np.array([0], dtype=np.int32), [table], np.zeros(1, dtype=np.int64)
    found = _core.Scorer(*given, fit()).add_up(np.array([[0], [1], [2], [255]], dtype=np.uint8))
    assert found.tolist() == [[-5], [-5], [-5], [-5]]
    with pytest.raises(ValueError, match=message):
        _core.Scorer(*given, fit(**change))


def test_codes_without_a_column_for_every_test_are_refused() -> None:
    with pytest.raises(ValueError, match="a column for every test"):
        boosted(COLOUR).totals.add_up(np.zeros((3, 1), dtype=np.uint8))
