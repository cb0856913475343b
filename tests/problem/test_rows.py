"""Rows: an instance made again from some of its rows is the one that these rows alone would have made."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.data.encoders import LevelPlan
from budgetree.data.frames import read_frame
from budgetree.data.source import read_table
from budgetree.errors import SettingError
from budgetree.evaluation.cases import codes_for
from budgetree.problem.instance import Rows

N_ROWS = 24
PRICES = bt.Prices({"word": {"a": 1, "b": 2, "c": 3, "missing": 1}}, default=1)


def make_frame(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "few": rng.integers(0, 3, N_ROWS),
            "many": np.where(rng.random(N_ROWS) < 0.1, np.nan, rng.normal(size=N_ROWS).round(2)),
            "word": pd.Series(rng.choice(["a", "b", "c", None], N_ROWS, p=[0.6, 0.2, 0.1, 0.1]), dtype=object),
            "class": rng.choice(["p", "q", "rare"], N_ROWS, p=[0.5, 0.45, 0.05]),
        }
    )


def same(one: bt.Instance, other: bt.Instance) -> bool:
    names = [one.schema.classes[one.labels].tolist(), other.schema.classes[other.labels].tolist()]
    return (
        np.array_equal(one.codes, other.codes)
        and names[0] == names[1]
        and np.array_equal(one.weights, other.weights)
        and (one.test_names, one.outcome_names, one.prices) == (other.test_names, other.outcome_names, other.prices)
    )


def written(path: Path, frame: pd.DataFrame, rows: Any) -> str:
    frame.iloc[rows].to_csv(path, index=False)
    return str(path)


seeds = st.integers(0, 10_000)
some_rows = st.lists(st.integers(0, N_ROWS - 1), min_size=1, max_size=N_ROWS)
ways = st.sampled_from(["merge", "keep"])


@given(seeds, ways)
def test_all_rows_make_the_same_instance(seed: int, duplicates: Any) -> None:
    whole = bt.Instance.from_frame(make_frame(seed), "class", duplicates=duplicates, levels=5)
    assert whole.n_rows == N_ROWS
    assert same(whole.rows(np.arange(N_ROWS)), whole)
    assert same(whole.rows(np.ones(N_ROWS, dtype=bool)), whole)


@given(seeds, some_rows, ways)
def test_some_rows_make_what_they_alone_would(seed: int, rows: list[int], duplicates: Any) -> None:
    frame = make_frame(seed)
    whole = bt.Instance.from_frame(frame, "class", duplicates=duplicates, levels=5)
    part = whole.rows(rows)
    assert same(part, bt.Instance.from_frame(frame.iloc[rows], "class", duplicates=duplicates, levels=5))
    assert part.class_names == whole.class_names  # also those that none of these rows has
    assert part.n_rows == len(rows)
    assert part.frame_library == "pandas"
    names = frame["class"].iloc[rows].tolist()
    assert [part.class_names[label] for label in part.row_labels] == names
    assert same(part.rows(np.arange(len(rows))), part)


@settings(max_examples=30, deadline=None)  # each reads three files
@given(seeds, some_rows)
def test_rows_held_out_are_read_as_another_process_would(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rows: list[int]
) -> None:
    folder, frame = tmp_path_factory.mktemp("rows"), make_frame(seed)
    held_out = np.setdiff1d(np.arange(N_ROWS), rows)
    if len(held_out) == 0 or frame["word"].iloc[rows].isna().all():  # a file without a word there has no kind
        return
    whole = bt.Instance.from_table(read_table(written(folder / "all.csv", frame, np.arange(N_ROWS))), "class", levels=5)
    alone = bt.Instance.from_table(read_table(written(folder / "some.csv", frame, rows)), "class", levels=5)
    new = read_table(written(folder / "new.csv", frame, held_out))
    part = whole.rows(rows)
    expected = codes_for(alone.schema, frozenset(range(3)), new)
    assert part.codes_of(whole, held_out).tolist() == expected.tolist()
    answers = [whole.class_names[label] for label in whole.row_labels[held_out]]
    assert answers == new.column("class").to_list()


@settings(max_examples=15)
@given(seeds, some_rows)
def test_weighted_rows_count_as_they_did(seed: int, rows: list[int]) -> None:
    frame = make_frame(seed)
    weights = np.random.default_rng(seed).integers(1, 3, N_ROWS).astype(np.float64)
    classes, labels = np.unique(frame["class"], return_inverse=True)
    every = Rows(read_frame(frame[["few", "many"]]), labels, LevelPlan(5), weights=weights)
    whole = bt.Instance.from_rows(every, tuple(classes.tolist()), None)
    assert whole.n_rows == N_ROWS
    assert whole.row_weights.tolist() == weights.tolist()
    assert same(whole.rows(np.arange(N_ROWS)), whole)
    chosen = np.unique(rows)
    assert same(whole.rows(chosen), bt.Instance.from_rows(every.take(chosen), tuple(classes.tolist()), None))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_an_instance_of_codes_keeps_its_outcomes(rows: list[int]) -> None:
    whole = bt.Instance(
        [[0, 1], [1, 0], [2, 2], [0, 0]],
        ["a", "b", "c", "a"],
        weights=[0.1, 2, 1 / 3, 1],
        prices={"0": {"0": 1, "1": 2, "2": 3}, "1": 1},
    )
    part = whole.rows(rows)
    assert part.schema is whole.schema
    assert part.codes_of(part, range(len(rows))).tolist() == whole.codes_of(whole, rows).tolist()
    assert part.row_weights.tolist() == whole.row_weights[rows].tolist()
    assert sorted(part.weights.tolist()) == sorted(part.row_weights.tolist())
    assert part.codes_of(whole, [2, 0]).tolist() == [[2, 2], [0, 1]]
    assert part.row_labels.tolist() == whole.row_labels[rows].tolist()
    assert whole.row_weights == pytest.approx([0.1, 2, 1 / 3, 1])


def test_outcomes_that_are_priced_one_by_one_stay() -> None:
    frame = make_frame(3)
    whole = bt.Instance.from_frame(frame, "class", prices=PRICES)
    only_a = np.flatnonzero(frame["word"] == "a")
    part = whole.rows(only_a)
    assert part.outcome_names[2] == ("a", "b", "c", "missing")
    assert part.rows([0]).outcome_names[2] == part.outcome_names[2]
    others = np.flatnonzero(frame["word"] == "b")
    assert set(part.codes_of(whole, others)[:, 2].tolist()) == {1}
    assert part.priced(1).rows(np.arange(len(only_a))).outcome_names[2] == ("a",)


def test_what_the_owner_does_to_the_table_later_does_not_matter() -> None:
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5], "y": [1.5, 0.5, 0.5], "class": ["p", "q", "q"]})
    whole = bt.Instance.from_frame(frame, "class")
    frame.loc[:, "x"] = 7.0
    assert same(whole.rows([0, 1, 2]), whole)


def test_an_unchangeable_table_is_not_copied() -> None:
    frame = pl.DataFrame({"x": [0.5, 1.5, 2.5], "class": ["p", "q", "q"]})
    numbers = bt.Instance.from_frame(frame, "class").source.tests.columns[0].numbers
    assert np.shares_memory(numbers, frame["x"].to_numpy())


def test_bundled_sets_and_pickled_instances_know_their_rows() -> None:
    votes = pickle.loads(pickle.dumps(bt.datasets.load("house_votes")))
    assert (votes.n_rows, votes.n_objects) == (435, 342)
    assert not votes.codes.flags.writeable
    assert same(votes.rows(np.arange(435)), votes)
    assert votes.rows(np.arange(100)).n_objects <= 100


@pytest.mark.parametrize(
    ("positions", "fields"),
    [
        ([], {"found": []}),
        ([0.5], {"found": [0.5]}),
        ([[0]], {"found": [[0]]}),
        ([True, False], {"found": [True, False]}),
        ([-1, 0], {"found": (-1, 0), "expected": (0, 2)}),
        ([0, 3], {"found": (0, 3), "expected": (0, 2)}),
        ([2], {}),
    ],
    ids=str,
)
def test_positions_that_do_not_fit_are_refused(positions: Any, fields: dict[str, Any]) -> None:
    with refused(SettingError, subject="positions", **fields):
        bt.Instance([[0], [1], [1]], [0, 1, 1], weights=[1, 1, 0]).rows(positions)


def test_rows_of_another_table_are_refused() -> None:
    one, other = bt.datasets.load("figure1"), bt.datasets.load("synthetic")
    with refused(SettingError, subject="whole"):
        one.codes_of(other, [0])
