"""Labels and weights: any container, and what only looks alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt


def test_labels_may_come_in_any_container() -> None:
    codes = [[0], [1]]
    for labels in (pa.chunked_array([["a", "b"]]), pd.Series(["a", "b"]), pl.Series(["a", "b"]), iter(["a", "b"])):
        assert bt.Instance(codes, labels).class_names == ("a", "b")
    assert bt.Instance(codes, [np.int64(3), np.float32(4)]).class_names == (3, 4.0)
    assert bt.Instance(codes, np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")).class_names[0].startswith("2020")
    with pytest.raises(ValueError, match=r"1 label.* missing"):
        bt.Instance(codes, pa.chunked_array([["a", None]]))
    uneven = bt.grow(bt.Instance(codes, [(1, 2), (3,)]))
    assert uneven.predict(codes).tolist() == [(1, 2), (3,)]


def test_labels_that_only_look_alike_stay_apart() -> None:
    frame = pd.DataFrame({"x": [0, 1], "y": pd.Series([1, "1"], dtype=object)})
    assert bt.Instance.from_frame(frame, "y").class_names == (1, "1")
    with pytest.raises(ValueError, match="has a name twice"):
        bt.Instance([[0], [1]], [0, 1], class_names=["a", "a"])
    with pytest.raises(ValueError, match="has a name twice"):
        bt.Instance([[0], [1]], np.array([0, 1]), class_names=["a", "a"])


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5, 0.25, 0.1, 1 / 3]), min_size=1, max_size=9).filter(any))
def test_weights_come_back_as_given(weights: list[float]) -> None:
    instance = bt.Instance([[0]] * len(weights), [0] * len(weights), weights=weights)
    assert instance.weights == pytest.approx(weights, rel=1e-10)
    total = instance.weight_units.sum() / instance.schema.weight_scale
    assert float(total) == pytest.approx(sum(weights), rel=1e-10)
