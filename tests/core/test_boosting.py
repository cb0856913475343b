"""Boosting from given scores: the core against its reference and against LightGBM."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from _support.coded import CodedTable, random_table, with_blanks
from _support.reference_boosting import ReferenceBoosting, softmax
from budgetree._native import core

seeds = st.integers(0, 10_000)
ARRAYS = ("tree_start", "test", "cut", "is_nominal", "left", "right", "default_left", "value")


def start_of(table: CodedTable, seed: int = 0) -> NDArray[np.float64]:
    n_columns = 1 if table.n_classes == 2 else table.n_classes
    return 0.3 * np.random.default_rng(seed).normal(size=(table.n_rows, n_columns))


def parts_of(table: CodedTable, n_parts: int = 3) -> NDArray[np.int32]:
    return (np.arange(table.n_rows) % n_parts).astype(np.int32)


def boost(table: CodedTable, tests: Any = (0, 1, 2), threads: int = 1, **changed: Any) -> Any:
    given_ = {"start": start_of(table), "parts": parts_of(table), "clock": core.Clock()}
    arguments = {name: changed.pop(name, value) for name, value in given_.items()}
    return core.boost(table.rows(), tests, settings=core.BoostingSettings(**changed), threads=threads, **arguments)


def equal(one: Any, other: Any) -> bool:
    return all((getattr(one, name) == getattr(other, name)).all() for name in ARRAYS)


def add_up(table: CodedTable, tests: Any, trees: Any) -> NDArray[np.float64]:
    """Row × column: what the trees say, read as they are documented."""
    sums = np.zeros((table.n_rows, trees.value.shape[1]))
    for row in range(table.n_rows):
        for root in trees.tree_start[:-1]:
            node = root
            while trees.test[node] >= 0:
                test = tests[trees.test[node]]
                code, cut = table.codes[test, row], trees.cut[node]
                left = code == cut if trees.is_nominal[node] else code <= cut
                left = left if table.known(test)[row] else trees.default_left[node]
                node = (trees.left if left else trees.right)[node]
            sums[row] += trees.value[node]
    return sums


@given(seeds, st.sampled_from([2, 3, 5]), st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_core_is_its_reference(seed: int, n_classes: int, has_weights: bool) -> None:
    table = random_table(seed, 150, 4, n_classes, has_weights=has_weights)
    tests, start, parts = (3, 0, 1), start_of(table, seed), parts_of(table)
    parts[:20] = -1
    chosen: dict[str, Any] = {"n_leaves": 6, "rate": 0.3, "min_leaf": 4, "ridge": 0.5}
    found = boost(table, tests, start=start, parts=parts, **chosen, max_rounds=4, patience=100)
    losses, models = ReferenceBoosting(table, tests, **chosen).run(start, parts, 4)
    assert found.losses == pytest.approx(losses, abs=1e-9)
    assert found.n_rounds <= 4
    for trees, reference in zip(found.models, models, strict=True):
        nodes = [node for tree in reference[: found.n_rounds] for node in tree]
        assert trees.test.tolist() == [node.cut.test if node.left >= 0 else -1 for node in nodes]
        inner = trees.test >= 0
        assert trees.default_left[inner].tolist() == [node.cut.default_left for node in nodes if node.left >= 0]
        asks = np.array([node.cut.asks_unknown for node in nodes if node.left >= 0], dtype=bool)
        assert trees.is_nominal[inner].tolist() == (asks | ~table.is_ordered[list(tests)][trees.test[inner]]).tolist()
        values = np.array([node.values for node in nodes]).reshape(trees.value.shape)
        assert trees.value == pytest.approx(values, abs=1e-9)
        assert np.diff(trees.tree_start).tolist() == [len(tree) for tree in reference[: found.n_rounds]]
        for tree, root in zip(reference, trees.tree_start[:-1], strict=False):
            for number, node in enumerate(tree, root):
                assert (trees.left[number], trees.right[number]) == (
                    (root + node.left, root + node.right) if node.left >= 0 else (-1, -1)
                )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_trees_give_the_scores_and_the_losses(n_classes: int) -> None:
    table, tests = random_table(7, 300, 4, n_classes), (1, 3, 0)
    start, parts = start_of(table), parts_of(table)
    parts[:30] = -1
    found = boost(table, tests, start=start, parts=parts, refits=True)
    assert 0 < found.n_rounds < 400
    assert np.isnan(found.scores[:30]).all()
    for part, trees in enumerate(found.models):
        rows = parts == part
        assert found.scores[rows] == pytest.approx((start + add_up(table, tests, trees))[rows], abs=1e-9)
    p = softmax(found.scores[30:])[np.arange(270), table.labels[30:]]
    assert found.losses[found.n_rounds] == pytest.approx(-np.log(p).mean(), abs=1e-12)
    assert found.losses[found.n_rounds] < found.losses.min() + 1e-5 * 20
    assert len(found.losses) == found.n_rounds + 21
    assert len(found.refit.tree_start) == found.n_rounds + 1
    assert boost(table, tests, start=start, parts=parts).refit is None


def test_a_refit_is_a_model_that_leaves_nothing_out() -> None:
    table = random_table(7, 300)
    found = boost(table, refits=True, max_rounds=10)
    scores, reference = start_of(table), ReferenceBoosting(table, (0, 1, 2))
    assert found.n_rounds > 0
    for _ in range(found.n_rounds):
        for node in reference.grow(scores, np.ones(table.n_rows, bool)):
            scores[node.rows & (node.left < 0)] += node.values
    assert start_of(table) + add_up(table, (0, 1, 2), found.refit) == pytest.approx(scores, abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_threads_change_no_bit(n_classes: int) -> None:
    table = random_table(1, 900, n_classes=n_classes)
    one, three = (boost(table, threads=threads, parts=parts_of(table, 5), refits=True) for threads in (1, 3))
    assert (one.losses == three.losses).all()
    assert (one.scores == three.scores).all()
    assert all(equal(a, b) for a, b in zip([*one.models, one.refit], [*three.models, three.refit], strict=True))


def test_columns_of_no_use_change_no_bit() -> None:
    table = random_table(2, 400)
    wider = replace(table, codes=np.vstack([table.codes[:4], np.zeros((1, 400), dtype=np.uint8)]))
    assert equal(boost(table).models[0], boost(wider).models[0])
    assert equal(boost(table).models[0], boost(wider, (0, 1, 2, 4)).models[0])


def test_the_order_of_rows_changes_no_tree() -> None:
    table, parts = random_table(3, 500, n_classes=3), parts_of(random_table(3, 500, n_classes=3))
    order, start = np.random.default_rng(0).permutation(500), start_of(table)
    moved = replace(table, codes=np.ascontiguousarray(table.codes[:, order]), labels=table.labels[order])
    one = boost(table, max_rounds=30, patience=30)
    other = boost(moved, start=start[order], parts=parts[order], max_rounds=30, patience=30)
    assert one.losses == pytest.approx(other.losses, abs=1e-12)
    assert all(equal(a, b) for a, b in zip(one.models, other.models, strict=True))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_weights_are_another_ridge(n_classes: int) -> None:
    table = random_table(5, n_classes=n_classes)
    weighted = replace(table, weights=np.full(table.n_rows, 2.0))
    one, other = boost(table, ridge=1.0, max_rounds=5), boost(weighted, ridge=2.0, max_rounds=5)
    assert (one.losses == other.losses).all()
    assert (one.scores == other.scores).all()


def test_any_unknown_code_is_as_good_as_another() -> None:
    table = random_table(6, 400, 3)
    n_outcomes = np.array([200, 3, 2], dtype=np.int32)
    codes = (table.codes % n_outcomes[:, None]).astype(np.uint8)
    is_missing = np.random.default_rng(0).random(codes.shape) < 0.2
    one, other = (
        boost(
            replace(
                table,
                codes=np.where(is_missing, code, codes).astype(np.uint8),
                n_outcomes=n_outcomes,
                is_ordered=np.array([True, False, True]),
                missing=np.full(3, missing, dtype=np.int32),
            )
        )
        for code, missing in ((201, -1), (255, 255))
    )
    assert (one.losses == other.losses).all()
    assert equal(one.models[0], other.models[0])


@pytest.mark.parametrize("is_ordered", [True, False])
def test_unknown_results_are_no_evidence(is_ordered: bool) -> None:
    table = with_blanks(0, 2000, is_ordered, by_class=True, helps=False)
    found = boost(table, (1,), start=np.zeros((2000, 1)))
    assert found.losses[found.n_rounds] > np.log(2) - 0.002


@pytest.mark.parametrize("is_ordered", [True, False])
def test_a_row_without_a_result_keeps_its_score(is_ordered: bool) -> None:
    table = with_blanks(1, 3000, is_ordered, by_class=False, helps=True)
    found = boost(table, (1,), start=np.zeros((3000, 1)))
    known = table.known(1)
    p = softmax(found.scores)[np.arange(3000), table.labels]
    assert np.abs(found.scores[~known]).max() < 0.1
    assert -np.log(p[known]).mean() < np.log(2) - 0.08


def test_all_256_outcomes_may_be_results() -> None:
    codes = np.repeat(np.array([[7, 255]], dtype=np.uint8), 200, axis=1)
    labels = (codes[0] == 255).astype(np.int32)
    for is_ordered in (True, False):
        table = CodedTable(
            codes, labels, None, np.array([256], np.int32), np.array([is_ordered]), np.array([-1], np.int32), 2
        )
        assert boost(table, (0,), start=np.zeros((400, 1))).losses.min() < 0.05


def test_noise_is_not_learnt() -> None:
    rng = np.random.default_rng(0)
    table = replace(random_table(0, 1000), labels=rng.integers(0, 2, 1000).astype(np.int32))
    found = boost(table, start=np.zeros((1000, 1)))
    assert found.n_rounds <= 3
    assert found.losses[found.n_rounds] == pytest.approx(np.log(2), abs=0.01)


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "n_leaves", "rate", "slack"),
    [(1500, 2, 12, 0.15, 0.02), (6000, 2, 31, 0.1, 0.01), (2000, 3, 12, 0.15, 0.03)],
)
def test_lightgbm_is_not_better(n_rows: int, n_classes: int, n_leaves: int, rate: float, slack: float) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(n_rows)
    x = rng.normal(size=(5, n_rows))
    scores = rng.normal(size=(n_classes, 5)) @ x + 2 * np.sin(2 * x[0] * x[1]) * np.arange(n_classes)[:, None]
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=0).astype(np.int32)
    codes = np.clip(np.floor((x + 3) * 33), 0, 199).astype(np.uint8)
    few = np.full(5, 200, np.int32), np.ones(5, dtype=bool), np.full(5, -1, np.int32)
    table = CodedTable(codes, labels, None, *few, n_classes)
    start, parts = start_of(table), parts_of(table, 2)
    n_rounds = 60
    found = boost(
        table, range(5), start=start, parts=parts, n_leaves=n_leaves, rate=rate, max_rounds=n_rounds, patience=n_rounds
    )
    path = np.zeros(n_rounds)
    parameters = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "num_leaves": n_leaves,
        "learning_rate": rate,
        "lambda_l2": 1.0,
        "min_data_in_leaf": 10,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": 64,
        "num_threads": 1,
        "verbose": -1,
        "boost_from_average": False,
    }
    for part in range(2):
        learns, out = parts != part, parts == part
        data = lightgbm.Dataset(codes.T[learns], labels[learns], init_score=start[learns].ravel(order="F"))
        valid = lightgbm.Dataset(codes.T[out], labels[out], init_score=start[out].ravel(order="F"), reference=data)
        losses: dict[str, dict[str, list[float]]] = {}
        lightgbm.train(parameters, data, n_rounds, valid_sets=[valid], callbacks=[lightgbm.record_evaluation(losses)])
        path += np.array(next(iter(losses["valid_0"].values()))) * out.mean()
    assert found.losses.min() < path.min() * (1 + slack)
    assert found.losses.min() > path.min() * (1 - 2 * slack)  # not by looking at what is left out
    assert path.min() < 0.9 * found.losses[0]


def test_out_of_time_is_none() -> None:
    table = random_table(0)
    for clock in (core.Clock(max_work=0), core.Clock(seconds=0)):
        assert boost(table, threads=2, clock=clock, patience=400) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", np.zeros((199, 1))),
        ("start", np.zeros((200, 2))),
        ("start", np.full((200, 1), np.nan)),
        ("start", np.full((200, 1), 701.0)),
        ("parts", np.zeros(199, dtype=np.int32)),
        ("parts", np.zeros(200, dtype=np.int32)),
        ("parts", np.full(200, -1, dtype=np.int32)),
        ("parts", np.arange(200, dtype=np.int32) - 2),
        ("parts", 2 * parts_of(random_table(0))),
        ("parts", np.arange(200, dtype=np.int32) * 100),
        ("tests", ()),
        ("tests", (5,)),
        ("tests", (-1,)),
        ("threads", 0),
    ],
)
def test_requests_that_do_not_fit(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"^(sets|\w+): expected"):
        boost(random_table(0), **{name: value})


def test_weights_beyond_any_sum() -> None:
    with pytest.raises(ValueError, match="weights: expected a finite sum"):
        boost(replace(random_table(0), weights=np.full(200, 1e308)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_leaves", 0),
        ("n_leaves", 5000),
        ("rate", 0.0),
        ("rate", 1.5),
        ("ridge", 0.0),
        ("ridge", float("inf")),
        ("min_leaf", 0),
        ("max_rounds", -1),
        ("patience", 0),
    ],
)
def test_settings_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected"):
        core.BoostingSettings(**{name: value})


def test_no_round_is_the_start() -> None:
    table = random_table(0)
    found = boost(table, max_rounds=0, refits=True)
    assert found.n_rounds == 0
    assert (found.scores == start_of(table)).all()
    assert found.models[0].tree_start.tolist() == found.refit.tree_start.tolist() == [0]
    assert found.models[0].value.shape == (0, 1)
