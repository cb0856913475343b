"""One walk for every tree, against a case followed by hand; and everything that derives from it."""

from __future__ import annotations

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_walk import follow
from budgetree import _core
from budgetree.tree import Nodes, Tree
from built_trees import BUILT, frame_of_rows, random_rows, random_tree, state_at

seeds = st.integers(0, 10**6)


def every_row(tree: Tree, seed: int, most: int = 200) -> np.ndarray:
    """Combinations of results, listed and not; of many, some."""
    widths = [range(int(n) + 1) for n in tree.schema.n_outcomes]
    rng = np.random.default_rng(seed)
    if np.prod([len(width) for width in widths]) <= most:
        rows = list(itertools.product(*widths))
    else:
        rows = [tuple(int(rng.integers(len(width))) for width in widths) for _ in range(most)]
    codes = np.array(rows, dtype=np.uint8)
    return np.where(codes == tree.schema.n_outcomes, rng.choice([0, 255], codes.shape) | codes, codes).astype(np.uint8)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_every_case_ends_and_pays_as_a_person_would_say(seed: int) -> None:
    tree, cases = random_tree(seed)
    rows = np.vstack([every_row(tree, seed), cases.codes])
    walk = tree.walk_codes(rows)
    scale = tree.schema.costs.scale
    for index, row in enumerate(rows.tolist()):
        found = follow(tree, row)
        assert (walk.leaf[index], walk.unlisted[index]) == (found.leaf, found.unlisted)
        assert Fraction(int(walk.spent[index])) / scale == found.spent
        assert walk.probabilities[index] == pytest.approx([float(chance) for chance in found.chances], abs=1e-12)
        assert tree.nodes.bought(found.leaf) == tuple(found.tests)
        if isinstance(leaf := tree.nodes[found.leaf], bt.Fixed) and leaf.answer is not None:
            assert walk.answers[index] == leaf.answer
            continue
        losses = tree.schema.loss_table.units.tolist()
        expected = [
            sum(chance * losses[true][answer] for true, chance in enumerate(found.chances))
            for answer in range(len(tree.answer_names))
        ]
        assert float(expected[walk.answers[index]]) == pytest.approx(float(min(expected)), abs=1e-9)
    assert tree.max_cost >= max(walk.cost)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_no_case_pays_more_than_the_worst_case_and_some_result_pays_as_much(seed: int) -> None:
    tree, _ = random_tree(seed, scored=False)
    widths = [range(int(n) + 1) for n in tree.schema.n_outcomes]
    if np.prod([len(width) for width in widths]) > 20_000:
        return
    walk = tree.walk_codes(np.array(list(itertools.product(*widths)), dtype=np.uint8))
    assert walk.spent.max() == tree.need
    for node in range(len(tree.nodes)):
        state = state_at(tree, node)
        assert tree.nodes.spent[node] == (state.spent if state.is_possible else 0)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_what_a_tree_says_of_the_known_cases_is_what_they_get(seed: int) -> None:
    tree, cases = random_tree(seed)
    walk, weights = tree.walk_codes(cases.codes), cases.weight_units
    answered = np.zeros((len(tree.answer_names), cases.n_classes), dtype=np.int64)
    np.add.at(answered, (walk.answers, cases.labels), weights)
    assert tree.nodes.answered.tolist() == answered.tolist()
    wrong = (walk.answers != cases.labels) & (walk.answers < cases.n_classes)
    assert tree.exact_errors == cases.schema.cases(int(weights[wrong].sum()))
    lost = cases.schema.loss_table.units[cases.labels, walk.answers]
    assert tree.exact_loss == cases.schema.loss(int((lost * weights).sum()))
    mean = Fraction(int((walk.spent * weights).sum()), int(weights.sum())) / cases.schema.costs.scale
    assert tree.exact_mean_cost == mean
    most = Fraction(int(walk.spent[weights > 0].max())) / cases.schema.costs.scale
    assert most <= tree.exact_known_max_cost <= tree.exact_max_cost
    if not cases.schema.costs.depends_on_outcome:
        assert most == tree.exact_known_max_cost
    at_leaf = np.zeros_like(tree.nodes.counts)
    np.add.at(at_leaf, (walk.leaf, cases.labels), weights)
    assert (at_leaf[tree.nodes.is_leaf] == tree.nodes.counts[tree.nodes.is_leaf]).all()


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
@given(seeds)
@settings(max_examples=40, deadline=None)
def test_raw_rows_frames_and_codes_end_alike(seed: int) -> None:
    tree, _ = random_tree(seed)
    rows = random_rows(tree, seed, 40)
    frame = frame_of_rows(rows)
    by_codes = tree.walk_codes(tree.encode(frame))
    for walk in (tree.walk(frame), tree.walk(frame[list(reversed(frame.columns))])):
        assert walk.leaf.tolist() == by_codes.leaf.tolist()
        assert walk.spent.tolist() == by_codes.spent.tolist()
    assert tree.predict(frame).tolist() == tree.predict_codes(tree.encode(frame)).tolist()
    as_rows = [[row[name] for name in tree.schema.input_columns] for row in rows]
    assert tree.walk(as_rows).leaf.tolist() == by_codes.leaf.tolist()


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("name", BUILT)
def test_many_rows_by_any_number_of_threads(name: str, threads: int) -> None:
    nodes: Nodes = BUILT[name]().nodes
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 12, (len(nodes.columns), 150_001), dtype=np.uint8)
    one, other = (nodes.routes[0].walk(columns, _core.Clock(), n) for n in (1, threads))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_raw_values_are_never_taken_for_codes() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    with pytest.raises(bt.errors.TableError, match="predict_codes"):
        tree.predict([[0, 0], [1, 1]])
    assert tree.predict_codes([[0, 0], [1, 1]]).tolist() == ["circle", "triangle"]


def test_rows_of_another_width_are_refused() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=1)
    with pytest.raises(bt.errors.TableError, match="one value for each of 8 tests"):
        tree.predict([[1, 2, 3]])


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_a_pickled_tree_is_the_same_and_read_only(seed: int) -> None:
    tree, _ = random_tree(seed)
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert not any(array.flags.writeable for array in again.nodes.arrays.values())


@pytest.mark.parametrize("totals", [[0, 0], [1_000_000, 0], [0, -3_000_000, 5], [900_000_000, 0], [123_456, 123_457]])
def test_probabilities_are_those_of_sixty_digits(totals: list[int]) -> None:
    from _support.reference_walk import softmax

    found = _core.softmax(np.array([totals], dtype=np.int64))[0]
    assert found.tolist() == pytest.approx([float(chance) for chance in softmax(totals)], rel=1e-15, abs=1e-300)


SMALL = {
    "kind": np.array([0, 1, 3, 3], dtype=np.uint8),
    "test": np.array([0, 0, -1, -1], dtype=np.int32),
    "first": np.array([0, 1, -1, -1]),
    "children": np.array([1, 2, 3, 3], dtype=np.int32),
    "charge_at": np.array([0, -1, -1, -1]),
    "charges": np.array([1, 2, 2]),
    "rule": np.full(4, -1, dtype=np.int32),
    "n_outcomes": np.array([2], dtype=np.int32),
    "scorers": [],
    "splits": [],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": np.array([], dtype=np.uint8)}, "kind: expected at least one node"),
        ({"kind": np.array([0, 1, 3, 9], dtype=np.uint8)}, "kind: expected 0 to 3"),
        ({"test": np.array([1, 0, -1, -1], dtype=np.int32)}, "test: expected tests of the tree"),
        ({"first": np.array([0, 1])}, "expected one entry per node"),
        ({"first": np.array([0, 3, -1, -1])}, "first: expected children for every side"),
        ({"first": np.array([-1, 1, -1, -1])}, "first: expected children for every side"),
        ({"children": np.array([0, 2, 3, 3], dtype=np.int32)}, "children: expected nodes further down"),
        ({"children": np.array([1, 2, 3, 4], dtype=np.int32)}, "children: expected nodes further down"),
        ({"charges": np.array([1, 2])}, "charge_at: expected a charge for every outcome"),
        ({"kind": np.array([0, 2, 3, 3], dtype=np.uint8)}, "rule: expected splits of the tree"),
        ({"rule": np.array([-1, -1, 0, -1], dtype=np.int32)}, "rule: expected scorers of the tree"),
        ({"splits": [_core.TotalSplit(0, [1])]}, "splits: expected a scorer of the tree"),
    ],
)
def test_arrays_that_a_walk_could_leave_are_refused(change: dict[str, object], message: str) -> None:
    leaf, spent, unlisted, *_ = _core.Route(**SMALL).walk(np.array([[0, 1, 2]], dtype=np.uint8), _core.Clock())
    assert (leaf.tolist(), spent.tolist(), unlisted.tolist()) == ([2, 3, 3], [1, 2, 2], [-1, -1, 0])
    with pytest.raises(ValueError, match=message):
        _core.Route(**(SMALL | change))


def test_codes_that_do_not_fit_are_refused() -> None:
    route = _core.Route(**SMALL)
    with pytest.raises(ValueError, match="codes: expected one row per test"):
        route.walk(np.zeros((2, 3), dtype=np.uint8), _core.Clock())
    with pytest.raises(ValueError, match="threads: expected at least 1"):
        route.walk(np.zeros((1, 3), dtype=np.uint8), _core.Clock(), 0)
