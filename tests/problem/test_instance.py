"""Instance: tables of every kind, merged duplicates, and errors that name the column."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from budgetree.problem.tables.encoding import Levels
from budgetree.problem.tables.table import Column

TABLE = {
    "age": [20.0, 30.5, 41.2, 47.8, 53.0, 61.0, 70.0, 75.5, 80.0, 88.0, 90.0, 99.0],
    "pulse": [60, 60, 70, 70, 80, 80, 60, 60, 70, 70, 80, 80],
    "smoker": ["yes", "no", None, "yes", "no", "no", "yes", "no", "yes", "no", "yes", "no"],
    "fever": [True, False] * 6,
    "result": ["ill", "well"] * 6,
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_data_frame_library_gives_the_same_instance(library: str) -> None:
    instance = bt.Instance.from_frame(LIBRARIES[library](TABLE), "result")
    expected = bt.Instance.from_frame(pd.DataFrame(TABLE), "result")
    assert (instance.codes == expected.codes).all()
    assert instance.outcome_names == expected.outcome_names
    assert instance.test_names == ("age", "pulse", "smoker", "fever")
    assert instance.outcome_names[1:] == (("60", "70", "80"), ("no", "yes", "missing"), ("False", "True"))
    assert instance.class_names == ("ill", "well")
    assert instance.prices == bt.Prices(1)
    assert len(instance.outcome_names[0]) == 10
    assert instance.outcome_names[0][0] == "20.0 to 24.4"


def test_numbers_are_rounded_to_the_nearest_level() -> None:
    values = np.arange(101.0)
    instance = bt.Instance.from_frame(pd.DataFrame({"x": values, "y": values > 50}), "y", duplicates="keep")
    assert (instance.codes[:, 0] == np.rint(values / 100 * 9)).all()


def test_missing_numbers_are_an_outcome_of_their_own() -> None:
    frame = pd.DataFrame({"x": [*np.arange(20.0), np.nan], "y": [0, 1, 1] * 7})
    instance = bt.Instance.from_frame(frame, "y", duplicates="keep")
    assert instance.outcome_names[0][-1] == "missing"
    assert instance.codes[-1, 0] == 10
    few = bt.Instance.from_frame(pd.DataFrame({"x": [1.0, 2.5, np.nan], "y": [0, 1, 1]}), "y")
    assert few.outcome_names[0] == ("1", "2.5", "missing")


def test_a_mapping_of_levels_rounds_columns_with_few_values_too() -> None:
    frame = pd.DataFrame({"x": [0, 1, 9], "z": [0, 1, 9], "y": [0, 1, 1]})
    instance = bt.Instance.from_frame(frame, "y", levels={"x": 4})
    assert instance.codes.tolist() == [[0, 0], [0, 1], [3, 2]]


def test_duplicates_merge_to_the_most_common_label_or_stay() -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 2, 2], "y": ["b", "a", "b", "b", "a"]})
    merged = bt.Instance.from_frame(frame, "y")
    assert merged.codes.tolist() == [[0], [1]]
    assert merged.labels.tolist() == [1, 0]  # a tie goes to the label that sorts first
    kept = bt.Instance.from_frame(frame, "y", duplicates="keep")
    assert kept.n_objects == 5
    assert bt.grow(kept).errors == 2


def test_a_column_with_too_many_outcomes_is_named_with_the_remedy() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(300)], "y": [0, 1] * 150})
    with pytest.raises(ValueError, match=r"column 'id' .* has 300 different outcomes; .*at most 255\. Drop the column"):
        bt.Instance.from_frame(frame, "y")
    dates = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(300)]
    with pytest.raises(ValueError, match="column 'day'"):
        bt.Instance.from_frame(pl.DataFrame({"day": dates, "y": [0, 1] * 150}), "y")


def test_255_outcomes_are_allowed() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(255)], "y": [0, 1, 1] * 85})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    assert tree.n_leaves == 255
    assert bt.grow(bt.Instance(np.arange(255)[:, None], np.arange(255) % 2)).errors == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"codes": np.empty((0, 3)), "labels": []}, "the table is empty"),
        ({"codes": np.empty((3, 0)), "labels": [0, 1, 2]}, "the table has no tests"),
        ({"codes": [0, 1], "labels": [0, 1]}, "one row per object and one column per test.* 1 dimension"),
        ({"codes": [[0], [1]], "labels": [0]}, r"1 label\(s\) for 2 object\(s\)"),
        ({"codes": [[0], [1]], "labels": [0, np.nan]}, r"1 label\(s\) are missing, the first in row 1"),
        ({"codes": [[0], [1]], "labels": [0, None]}, r"1 label\(s\) are missing, the first in row 1"),
        ({"codes": [[0], [-1]], "labels": [0, 1]}, "column 0 has the outcome -1 in row 1"),
        ({"codes": [[0], [256]], "labels": [0, 1]}, "column 0 has the outcome 256 in row 1"),
        ({"codes": [[0], [255]], "labels": [0, 1]}, "test '0' has the outcome 255; a test may have at most 255"),
        ({"codes": [[0.5], [1]], "labels": [0, 1]}, "outcomes must be whole numbers"),
        ({"codes": [["a"], ["b"]], "labels": [0, 1]}, "raw values are encoded by Instance.from_frame"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1, -1]}, "row 1 has weight -1.0; weights must be"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1, np.inf]}, "row 1 has weight inf"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1]}, r"shape \(1,\) for 2 object"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [0, 0]}, "every weight is 0"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": ["a", "b"]}, "expected one number per object"),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a"]}, r"1 name\(s\) for 2 test\(s\)"),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a", "a"]}, "the name 'a' occurs twice"),
        ({"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"], ["x"]]}, "its codes run to 1"),
        ({"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"]]}, r"1 list\(s\) for 2 test\(s\)"),
        ({"codes": [[0], [1]], "labels": [0, 2], "class_names": ["a", "b"]}, "row 1 has 2; with class_names"),
        ({"codes": [[0], [1]], "labels": [[0], [1]]}, "expected one plain value per object"),
        ({"codes": [[0], [1]], "labels": None}, "got None; expected one label per object"),
        (
            {"codes": [[0], [1]], "labels": [0, 1], "weights": [1e-300, 1e-300]},
            "there is 1e-300; expected 0 or a num",
        ),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1e-20, 1]}, "differ by too many orders"),
        ({"codes": [[0], [1]], "labels": [0, 1], "prices": "5"}, "expected a number, {test: price}"),
    ],
)
def test_bad_input_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Instance(**arguments)


@pytest.mark.parametrize(
    ("frame", "settings", "message"),
    [
        (pd.DataFrame({"x": [], "y": []}), {}, "the table is empty"),
        (pd.DataFrame({"y": [1]}), {}, "'y' is the only column"),
        (pd.DataFrame({"x": [1]}), {}, "no column is named 'y'; the columns are 'x'"),
        (pd.DataFrame({"x": [1, 2], "y": [1, None]}), {}, r"column 'y': 1 label\(s\) are missing, the first in row 1"),
        (pd.DataFrame({"x": [1.0, np.inf], "y": [1, 2]}), {}, "column 'x' is infinite in row 1"),
        (pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"]), {}, "distinct column names"),
        (np.zeros((2, 2)), {}, "expected a pandas, polars or pyarrow table"),
        (pd.DataFrame({"x": [[1], [2]], "y": [1, 2]}), {}, "column 'x' holds .* plain values"),
        (pd.DataFrame({"x": [1, 2], "y": [1, 2]}), {"levels": 1}, "levels is 1; expected a whole number from 2 to 254"),
        (pd.DataFrame({"x": [1, 2], "y": [1, 2]}), {"levels": {"z": 5}}, "no test is named 'z'"),
        (pd.DataFrame({"x": ["a"], "y": [1]}), {"levels": {"x": 5}}, "column 'x' holds .*, not numbers"),
        (pd.DataFrame({"x": [1, 2], "y": [1, 2]}), {"duplicates": "drop"}, "duplicates is 'drop'"),
        (pd.DataFrame({"x": [-1.7e308, *range(20), 1.7e308], "y": [1, 2] * 11}), {}, "spans more than a float"),
        (pd.DataFrame({"x": [1, 2], "y": [1, 2]}), {"prices": {"z": 1}}, "no test is named 'z'"),
    ],
)
def test_a_bad_frame_is_refused(frame: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bt.Instance.from_frame(frame, "y", **settings)


def test_column_names_may_be_numbers() -> None:
    frame = pd.DataFrame({0: [0.0, 1.0, 9.0], 1: [1, 0, 0], 7: [0, 1, 1]})
    prices = bt.Prices({0: 2}, shared={"fee": (1, [0, 1])}, default=1)
    instance = bt.Instance.from_frame(frame, 7, prices=prices, levels={0: 4})
    assert instance.test_names == ("0", "1")
    assert instance.codes.tolist() == [[0, 1], [0, 0], [3, 0]]
    assert bt.Instance.from_frame(pd.DataFrame(np.eye(4, dtype=int)), 0).n_tests == 3


@pytest.mark.parametrize("library", LIBRARIES)
def test_whole_numbers_beyond_floats_stay_apart(library: str) -> None:
    big = 2**53
    frame = LIBRARIES[library]({"a": [big, big + 1, big + 1], "y": [big, big + 1, big + 1]})
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.class_names == (big, big + 1)
    assert instance.n_objects == 2
    ids = LIBRARIES[library]({"a": [2**60 + i * 2**45 for i in range(400)], "y": [0, 1] * 200})
    assert bt.Instance.from_frame(ids, "y").n_tests == 1


def test_close_levels_of_large_numbers_have_different_names() -> None:
    for column in (1.7e18 + np.arange(20) * 1e6, 1.0 + np.arange(20) * 2.0**-52, 1e15 + np.arange(30.0)):
        instance = bt.Instance.from_frame(pd.DataFrame({"a": column, "y": [0, 1] * (len(column) // 2)}), "y")
        assert len(set(instance.outcome_names[0])) == 10


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


def test_the_callers_table_stays_his_own() -> None:
    table = np.array([[0, 1], [1, 0]], dtype=np.uint8)
    for given_codes in (table, table[:]):
        instance = bt.Instance(given_codes, [0, 1])
        table[0, 0] = 9
        assert instance.codes[0, 0] == 0
        table[0, 0] = 0


def test_copies_of_an_instance_are_frozen_too() -> None:
    instance = bt.datasets.load("pima")
    for each in (copy.deepcopy(instance), pickle.loads(pickle.dumps(instance))):
        assert not each.codes.flags.writeable
        assert bt.grow(each) == bt.grow(instance)


def test_unusual_values_keep_readable_names_apart() -> None:
    frame = pd.DataFrame({"x": [1, "1", "missing", None], "z": [None] * 4, "y": [0, 1, 0, 1]}, dtype=object)
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.outcome_names[0] == ("1", "'1'", "'missing'", "missing")
    assert bt.grow(instance).errors == 0


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5, 0.25, 0.1, 1 / 3]), min_size=1, max_size=9).filter(any))
def test_weights_come_back_as_given(weights: list[float]) -> None:
    instance = bt.Instance([[0]] * len(weights), [0] * len(weights), weights=weights)
    assert instance.weights == pytest.approx(weights, rel=1e-10)
    total = instance.weight_units.sum() / instance.schema.weight_scale
    assert float(total) == pytest.approx(sum(weights), rel=1e-10)


def test_labels_that_only_look_alike_stay_apart() -> None:
    frame = pd.DataFrame({"x": [0, 1], "y": pd.Series([1, "1"], dtype=object)})
    assert bt.Instance.from_frame(frame, "y").class_names == (1, "1")
    with pytest.raises(ValueError, match="has a name twice"):
        bt.Instance([[0], [1]], [0, 1], class_names=["a", "a"])
    with pytest.raises(ValueError, match="has a name twice"):
        bt.Instance([[0], [1]], np.array([0, 1]), class_names=["a", "a"])


def test_an_instance_cannot_be_changed() -> None:
    instance = bt.datasets.load("figure1")
    with pytest.raises(ValueError, match="read-only"):
        instance.codes[0, 0] = 1


def test_other_prices_leave_the_instance_as_it_was() -> None:
    instance = bt.datasets.load("pima")
    unit = instance.priced(1)
    assert bt.grow(unit).max_cost == bt.grow(unit).depth
    assert instance.prices.shared
    with pytest.raises(ValueError, match="no test is named"):
        instance.priced({"mri": 3})


@given(
    st.lists(st.floats(-1e9, 1e9) | st.integers(-50, 50).map(float), min_size=2, max_size=30, unique=True),
    st.integers(2, 12),
)
def test_a_levels_thresholds_say_what_encoding_does(numbers: list[float], levels: int) -> None:
    encoder = Levels("x", min(numbers), max(numbers), levels, has_missing=False)
    edges = [
        edge for t in encoder.thresholds for edge in (math.nextafter(t, -math.inf), t, math.nextafter(t, math.inf))
    ]
    values = np.array([*numbers, *edges, min(numbers) - 1, max(numbers) + 1])
    codes = encoder.encode(Column("x", "Float64", numbers=values))
    assert codes.tolist() == [sum(value >= t for t in encoder.thresholds) for value in values.tolist()]
