"""The sample: some of the cases, drawn by what they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.column import Column
from budgetree.learn.predictive.sample import N_FOLDS, draw
from budgetree.learn.validation import KnownRows
from budgetree.problem import drawing

from .tables import instance_of, random_columns, random_instance, seeds


@given(seeds)
@settings(max_examples=20)
def test_permuted_rows_are_drawn_alike(seed: int) -> None:
    columns, order = random_columns(seed, 80), np.random.default_rng(seed).permutation(80)
    one, other = (draw(instance_of(each, "class"), max_cases=50) for each in (columns, shuffled(columns, order)))
    assert one.codes.tolist() == other.codes.tolist()
    assert one.labels.tolist() == other.labels.tolist()
    assert one.folds.tolist() == other.folds.tolist()


def test_other_weights_are_kept_and_cases_of_none_left_out() -> None:
    instance = bt.Instance([[0], [1], [1], [0]], [0, 1, 0, 1], weights=[0.5, 0, 2, 1])
    sample = draw(instance)
    assert sorted(sample.weights.tolist()) == [0.5, 1, 2]
    assert sample.n_cases == 3
    assert (instance.labels[sample.positions] == sample.labels).all()
    assert (sample.codes == instance.codes[sample.positions]).all()


def test_the_first_cases_are_a_random_sample() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000)
    instance = bt.Instance(np.column_stack([labels, rng.integers(0, 200, 4000)]), labels)
    sample = draw(instance, max_cases=1000)
    assert sample.n_cases == 1000
    assert sample.labels.mean() == pytest.approx(labels.mean(), abs=0.05)
    assert sample.codes[:, 1].mean() == pytest.approx(instance.codes[:, 1].mean(), abs=6)


def test_groups_share_a_fold() -> None:
    instance = random_instance(4, n_cases=90)
    groups = np.random.default_rng(1).integers(0, 20, 90)
    sample = draw(instance, groups)
    for group in range(20):
        assert len(set(sample.folds[groups[sample.positions] == group].tolist())) <= 1
    assert set(sample.folds.tolist()) == set(range(N_FOLDS))


def shuffled(columns: list[Column], order: np.ndarray) -> list[Column]:
    return [
        Column(
            column.name,
            column.dtype,
            numbers=None if column.numbers is None else column.numbers[order],
            values=None if column.values is None else [column.values[k] for k in order],
        )
        for column in columns
    ]


@given(seeds, st.integers(100, 400))
@settings(max_examples=10)
def test_of_a_large_table_the_same_rows_are_drawn_in_any_order(seed: int, n_rows: int) -> None:
    columns, order = random_columns(seed, n_rows), np.random.default_rng(seed).permutation(n_rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(drawing, "MAX_ROWS", 100)
        drawn = [
            KnownRows(instance_of(each, "class"), tuple(groups)).drawn()
            for each, groups in ((columns, np.arange(n_rows) // 2), (shuffled(columns, order), order // 2))
        ]
        learned = [each.learned_from() for each in drawn]
    assert [each.instance.n_rows for each in drawn] == [100, 100]
    assert drawn[0].instance.codes.tolist() == drawn[1].instance.codes.tolist()
    assert learned[0].instance.codes.tolist() == learned[1].instance.codes.tolist()
    for whole, part in zip(drawn, learned, strict=True):
        assert part.groups is not None
        assert whole.groups is not None
        held_out = set(whole.groups) - set(part.groups)
        assert sum(group in held_out for group in whole.groups) == 100 - part.instance.n_rows, "groups stay together"
        assert 70 <= part.instance.n_rows <= 90


def test_a_row_is_drawn_as_often_as_it_is_common(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is half of the table, and all others are different: a hash of the row alone would take all or none."""
    monkeypatch.setattr(drawing, "MAX_ROWS", 1000)
    numbers = np.concatenate([np.zeros(2500), 1 + np.arange(2500)])
    columns = [Column("x", "float", numbers=numbers), Column("class", "text", values=["a", "b"] * 2500)]
    rows = KnownRows(instance_of(columns, "class")).drawn().instance.source
    assert rows is not None
    drawn = rows.tests.column("x").numbers
    assert drawn is not None
    assert (drawn == 0).sum() == pytest.approx(500, abs=30)
    assert len(np.unique(drawn)) == 1 + (drawn != 0).sum()
    assert rows.labels.mean() == pytest.approx(0.5, abs=0.05)


def test_what_is_drawn_and_not_learned_from_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is that of the very tree on rows that it was not made from, counted here by hand."""
    monkeypatch.setattr(drawing, "MAX_ROWS", 500)
    monkeypatch.setattr("budgetree.learn.validation.HOLD_OUT_FROM", 400)
    instance = instance_of(random_columns(5, 2000), "class")
    result = bt.fit(instance, budget=2, objective="new")
    assert result.tree.to_dict() == bt.predictive(instance, budget=2).to_dict()
    drawn = KnownRows(instance).drawn()
    learned = drawn.learned_from().instance
    assert (drawn.instance.n_rows, learned.n_rows, result.tree.n_objects) == (500, 400, 400)
    whole, part = drawn.instance.source, learned.source
    assert whole is not None
    assert part is not None
    key = "noise"  # different in every row
    held_out = ~np.isin(whole.tests.column(key).numbers, part.tests.column(key).numbers)
    rows = np.flatnonzero(held_out)
    codes = result.tree.schema.encoded(whole.tests.take(rows), result.tree.tests_used)
    wrong = result.tree.walk_codes(codes).answers != whole.labels[rows]
    assert result.estimate is not None
    assert len(rows) == 100
    assert result.estimate.new_error.error == pytest.approx(wrong.mean())
