"""Rows that are alike: merged, kept or added up."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.problem.duplicates import add_up_duplicates


def test_duplicates_merge_to_the_most_common_label_or_stay() -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 2, 2], "y": ["b", "a", "b", "b", "a"]})
    merged = bt.Instance.from_frame(frame, "y")
    assert merged.codes.tolist() == [[0], [1]]
    assert merged.labels.tolist() == [1, 0]  # a tie goes to the label that sorts first
    kept = bt.Instance.from_frame(frame, "y", duplicates="keep")
    assert kept.n_objects == 5
    assert bt.grow(kept).errors == 2


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.integers(1, 4)), min_size=1))
def test_equal_rows_of_one_class_add_up(rows: list[tuple[int, int, int, int]]) -> None:
    table = np.array(rows)
    codes, labels, weights = add_up_duplicates(table[:, :2].astype(np.uint8), table[:, 2], table[:, 3].astype(float))
    expected: dict[tuple[int, ...], int] = {}
    for *case, weight in rows:
        expected[tuple(case)] = expected.get(tuple(case), 0) + weight
    found = [(*code, label) for code, label in zip(codes.tolist(), labels.tolist(), strict=True)]
    assert found == list(expected)  # in order of first appearance
    assert weights.tolist() == list(expected.values())
