"""Forests: losses by trees that have not seen the row, by the core and by its reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from _support.coded import FIELDS, CodedTable, random_table, with_blanks
from _support.reference_forest import ReferenceForest
from budgetree._native import core

SETS = [(), (0,), (3,), (0, 1), (2, 3, 4), (0, 1, 2, 3, 4)]
seeds = st.integers(0, 10_000)


def losses(table: CodedTable, sets: Any = SETS, n_rows: int | None = None, threads: int = 1, **changed: Any) -> Any:
    chosen = core.ForestSettings(**changed)
    return core.forest_losses(table.rows(), sets, chosen, n_rows or table.n_rows, threads, core.Clock())


@given(seeds, st.sampled_from([2, 3, 6]), st.booleans(), st.sampled_from([5, 12, 20]), st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_core_is_its_reference(seed: int, n_classes: int, has_weights: bool, n_tests: int, grouped: bool) -> None:
    table = random_table(seed, 120, n_tests, n_classes, has_weights=has_weights)
    if grouped:
        table = replace(table, groups=np.random.default_rng(seed).integers(0, 40, 120).astype(np.int32))
    chosen = {"n_trees": 6, "n_parts": 3, "min_leaf": 3, "max_depth": 5, "salt": seed}
    sets = [(), (1,), tuple(range(n_tests))]
    reference = ReferenceForest(table, **chosen)
    found = losses(table, sets, **chosen)
    for row, tests in zip(found, sets, strict=True):
        assert row == pytest.approx(reference.losses(tests), abs=2e-6)
    probabilities = core.forest_probabilities(
        table.rows(), sets[-1], core.ForestSettings(**chosen), table.n_rows, core.Clock()
    )
    assert probabilities == pytest.approx(reference.votes(sets[-1]).mean(axis=0), abs=2e-6)


def test_many_rows_of_one_class_are_counted() -> None:
    table = random_table(3, 1500, 3)  # a byte counts to 255
    assert losses(table, [(0, 1, 2)])[0] == pytest.approx(ReferenceForest(table).losses((0, 1, 2)), abs=2e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_threads_and_other_sets_change_no_bit(n_classes: int) -> None:
    table = random_table(1, 800, n_classes=n_classes)
    together = losses(table)
    assert (together == losses(table, threads=3)).all()
    for number, tests in enumerate(SETS):
        assert (together[number] == losses(table, [tests])[0]).all()


def test_columns_of_no_use_change_no_bit() -> None:
    table = random_table(2)
    constant = np.vstack([table.codes, np.zeros((1, table.n_rows), dtype=np.uint8)])
    wider = CodedTable(
        constant,
        table.labels,
        None,
        np.append(table.n_outcomes, 2).astype(np.int32),
        np.append(table.is_ordered, True),
        np.append(table.missing, -1).astype(np.int32),
        2,
    )
    assert (losses(wider, [(0, 1)]) == losses(table, [(0, 1)])).all()
    assert (losses(wider, [(0, 1, 5)]) == losses(table, [(0, 1)])).all()


def test_rows_after_the_first_are_not_used() -> None:
    table = random_table(4)
    first = replace(table, codes=table.codes[:, :120].copy(), labels=table.labels[:120].copy())
    assert (losses(table, n_rows=120) == losses(first)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_weights_are_counts_of_another_unit(n_classes: int) -> None:
    table = random_table(5, n_classes=n_classes)
    weighted = replace(table, weights=np.full(table.n_rows, 2.0))
    assert (losses(weighted, min_leaf=10, smooth=2) == losses(table, min_leaf=5, smooth=1)).all()


def test_any_unknown_code_is_as_good_as_another() -> None:
    table = random_table(6, n_tests=3)
    n_outcomes = np.array([12, 3, 2], dtype=np.int32)
    codes = (table.codes % n_outcomes[:, None]).astype(np.uint8)
    is_missing = np.random.default_rng(0).random(codes.shape) < 0.2
    one, other = (
        CodedTable(
            np.where(is_missing, code, codes).astype(np.uint8),
            table.labels,
            None,
            n_outcomes,
            np.array([True, False, True]),
            np.full(3, missing, dtype=np.int32),
            2,
        )
        for code, missing in ((200, -1), (255, 255))
    )
    sets = [(0,), (0, 1, 2)]
    assert (losses(one, sets) == losses(other, sets)).all()


@pytest.mark.parametrize("is_ordered", [True, False])
def test_unknown_results_are_no_evidence(is_ordered: bool) -> None:
    table = with_blanks(0, 2000, is_ordered, by_class=True, helps=False)
    of_none, of_one, of_blank, of_both = losses(table, [(), (0,), (1,), (0, 1)]).mean(axis=1)
    assert of_one < of_none - 0.05
    assert of_blank > of_none - 0.005  # as a result it would be known which rows are of class 1
    assert of_both > of_one - 0.005


@pytest.mark.parametrize("is_ordered", [True, False])
def test_rows_without_a_result_are_judged_as_without_the_test(is_ordered: bool) -> None:
    table = with_blanks(1, 3000, is_ordered, by_class=False, helps=True)
    without, with_test = losses(table, [(0,), (0, 1)])
    known = table.known(1)
    assert with_test[~known].mean() == pytest.approx(without[~known].mean(), abs=0.01)
    assert with_test[known].mean() < without[known].mean() - 0.04


def test_a_test_of_256_outcomes_has_no_unknown_one() -> None:
    codes = np.repeat(np.array([[0, 255]], dtype=np.uint8), 100, axis=1)
    labels = (codes[0] == 255).astype(np.int32)
    table = CodedTable(codes, labels, None, np.array([256], np.int32), np.array([True]), np.array([-1], np.int32), 2)
    assert losses(table, [(0,)]).max() < 1e-3


def test_the_loss_is_that_of_new_rows() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 200, (3, 4000)).astype(np.uint8)
    labels = (rng.random(4000) < 0.2 + 0.6 * (codes[0] > 100)).astype(np.int32)
    table = CodedTable(codes, labels, None, np.full(3, 200, np.int32), np.ones(3, bool), np.full(3, -1, np.int32), 2)
    best = 2 * 0.2 * 0.8
    of_one, of_all, of_none = losses(table, [(0,), (0, 1, 2), ()], min_leaf=15).mean(axis=1)
    assert of_none == pytest.approx(0.5, abs=0.01)
    assert best - 0.005 < of_one < best + 0.02
    assert best - 0.005 < of_all < best + 0.05


def test_no_tree_that_judges_a_row_has_seen_its_group() -> None:
    rng = np.random.default_rng(1)
    codes = np.tile(rng.integers(0, 200, (6, 1000)), 2).astype(np.uint8)
    labels = np.tile(rng.integers(0, 2, 1000), 2).astype(np.int32)  # by chance, and every row twice
    twice = CodedTable(codes, labels, None, np.full(6, 200, np.int32), np.ones(6, bool), np.full(6, -1, np.int32), 2)
    together = replace(twice, groups=np.tile(np.arange(1000), 2).astype(np.int32))
    assert losses(twice, [tuple(range(6))], min_leaf=1).mean() < 0.48
    assert losses(together, [tuple(range(6))], min_leaf=1).mean() > 0.5


def test_out_of_time_is_none() -> None:
    table = random_table(0)
    for clock in (core.Clock(max_work=0), core.Clock(seconds=0)):
        assert core.forest_losses(table.rows(), SETS * 20, core.ForestSettings(), 200, 2, clock) is None
        assert core.forest_probabilities(table.rows(), (0,), core.ForestSettings(), 200, clock) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("codes", np.zeros((5, 199), dtype=np.uint8)),
        ("labels", np.full(200, 2, dtype=np.int32)),
        ("labels", np.full(200, -1, dtype=np.int32)),
        ("labels", np.zeros(0, dtype=np.int32)),
        ("weights", np.zeros(200)),
        ("weights", np.full(200, np.nan)),
        ("weights", np.full(200, np.inf)),
        ("weights", np.ones(199)),
        ("n_outcomes", np.zeros(5, dtype=np.int32)),
        ("n_outcomes", np.full(5, 257, dtype=np.int32)),
        ("n_outcomes", np.full(4, 2, dtype=np.int32)),
        ("is_ordered", np.ones(4, dtype=bool)),
        ("missing", np.full(5, 256, dtype=np.int32)),
        ("missing", np.full(4, -1, dtype=np.int32)),
        ("n_classes", 1),
        ("groups", np.zeros(199, dtype=np.int32)),
    ],
)
def test_rows_that_do_not_fit_together(name: str, value: Any) -> None:
    table = random_table(0)
    fields = {field: getattr(table, field) for field in FIELDS}
    with pytest.raises(ValueError, match="expected"):
        core.CodedRows(**(fields | {name: value}))


def test_a_missing_code_needs_a_byte_of_its_own() -> None:
    table = replace(random_table(0), n_outcomes=np.full(5, 256, np.int32), missing=np.full(5, 3, np.int32))
    with pytest.raises(ValueError, match="missing: expected 255 or -1"):
        table.rows()


@pytest.mark.parametrize(
    "changed",
    [
        {"n_parts": 1},
        {"n_parts": 256, "n_trees": 512},
        {"n_trees": 2},
        {"n_trees": 25},
        {"min_leaf": 0},
        {"min_leaf": float("nan")},
        {"max_depth": -1},
        {"max_depth": 65},
        {"smooth": 0},
    ],
)
def test_settings_out_of_range(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(changed))}: expected|n_parts: expected"):
        core.ForestSettings(**changed)


def test_requests_out_of_range() -> None:
    rows, chosen, clock = random_table(0).rows(), core.ForestSettings(), core.Clock()
    with pytest.raises(ValueError, match="sets: expected"):
        core.forest_losses(rows, [(5,)], chosen, 200, 1, clock)
    with pytest.raises(ValueError, match="sets: expected"):
        core.forest_probabilities(rows, (-1,), chosen, 200, clock)
    with pytest.raises(ValueError, match="n_rows: expected"):
        core.forest_losses(rows, [(0,)], chosen, 201, 1, clock)
    with pytest.raises(ValueError, match="n_rows: expected"):
        core.forest_losses(rows, [(0,)], chosen, 0, 1, clock)
    with pytest.raises(ValueError, match="threads: expected"):
        core.forest_losses(rows, [(0,)], chosen, 200, 0, clock)


def test_rare_codes_at_the_ends_of_a_range_hide_nothing() -> None:
    rng = np.random.default_rng(0)
    halves = rng.integers(0, 2, 600)
    rare = rng.random(600) < 0.03
    codes = np.where(rare, rng.choice([0, 1, 2, 3, 6, 7, 8, 9], 600), 4 + halves).astype(np.uint8)
    labels = (halves ^ (rng.random(600) < 0.1)).astype(np.int32)
    both = np.vstack([codes, codes >= 5]).astype(np.uint8)
    of_two = np.array([10, 2], dtype=np.int32), np.array([True, True]), np.array([-1, -1], dtype=np.int32)
    found = losses(CodedTable(both, labels, None, *of_two, 2), [(0,), (1,)], min_leaf=15).mean(axis=1)
    assert found[0] == pytest.approx(found[1], abs=0.02)
