"""Data frames of every library, and what they hold."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.data.frames import read_array
from budgetree.errors import TableError

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
    assert instance.test_names == ("age", "fever", "pulse", "smoker")
    assert instance.outcome_names[1:] == (("False", "True"), ("60", "70", "80"), ("no", "yes", "missing"))
    assert instance.class_names == ("ill", "well")
    assert instance.prices == bt.Prices(1)
    assert len(instance.outcome_names[0]) == 10
    assert instance.outcome_names[0][0] == "below 25"


@pytest.mark.parametrize("library", LIBRARIES)
def test_whole_numbers_beyond_floats_stay_apart(library: str) -> None:
    big = 2**53
    frame = LIBRARIES[library]({"a": [big, big + 1, big + 1], "y": [big, big + 1, big + 1]})
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.class_names == (big, big + 1)
    assert (instance.n_objects, instance.outcome_names) == (3, ((str(big), str(big + 1)),))
    ids = LIBRARIES[library]({"a": [2**60 + i * 2**45 for i in range(400)], "y": [0, 1] * 200})
    assert bt.Instance.from_frame(ids, "y").n_tests == 1


TEXTS = ["p", "q", None, "r", "p"]
WHOLE = [1, 2, None, 3, 1]
LARGE = [2**53 + 1, 2**53, None, 2**53 + 2, 5]
DECIMALS = [None if number is None else Decimal(number) for number in LARGE]
HOURS = [None if number is None else timedelta(hours=number) for number in WHOLE]
CHUNKS = [pa.array(TEXTS[:2]).dictionary_encode(), pa.array(TEXTS[2:]).dictionary_encode()]
ALIKE: dict[str, list[Any]] = {
    "texts": [
        pd.Series(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(pd.Categorical(TEXTS, categories=["r", "q", "unused", "p"])),
        pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        pa.chunked_array(CHUNKS),
    ],
    "whole numbers": [
        pd.Series(WHOLE),
        pd.Series(WHOLE, dtype="Int64"),
        pd.Series(WHOLE, dtype="UInt8"),
        pd.Series(WHOLE, dtype=object),
        pd.Series(pd.Categorical(WHOLE)),
        pl.Series(WHOLE),
        pl.Series(WHOLE, dtype=pl.Int8),
        pl.Series(WHOLE, dtype=pl.Object),
        pa.array(WHOLE),
        pa.array(WHOLE).dictionary_encode(),
        pa.chunked_array([WHOLE[:2], WHOLE[2:]]),
        pa.array(WHOLE, pa.decimal128(10, 2)),
    ],
    "whole numbers beyond floats": [
        pd.Series(LARGE, dtype="Int64"),
        pd.Series(LARGE, dtype=object),
        pd.Series(DECIMALS, dtype=object),
        pl.Series(LARGE),
        pl.Series(DECIMALS, dtype=pl.Decimal(30, 0)),
        pa.array(LARGE),
        pa.array(DECIMALS, pa.decimal128(30, 0)),
    ],
    "durations": [pd.Series(HOURS), pl.Series(HOURS), pa.array(HOURS)],
}


@pytest.mark.parametrize("values", ALIKE.values(), ids=ALIKE)
def test_the_same_values_give_the_same_instance_however_a_library_holds_them(values: list[Any]) -> None:
    labels = [0, 1, 0, 1, 1]
    frames = [
        (pd.DataFrame if isinstance(x, pd.Series) else pl.DataFrame if isinstance(x, pl.Series) else pa.table)(
            {"x": x, "y": labels}
        )
        for x in values
    ]
    found = [bt.Instance.from_frame(frame, "y") for frame in frames]
    for instance in found[1:]:
        assert instance.schema.outcome_names == found[0].schema.outcome_names
        assert instance.codes.tolist() == found[0].codes.tolist()


def test_column_names_may_be_numbers() -> None:
    frame = pd.DataFrame({0: [0.0, 1.0, 9.0], 1: [1, 0, 0], 7: [0, 1, 1]})
    prices = bt.Prices({0: 2}, shared={"fee": (1, [0, 1])}, default=1)
    instance = bt.Instance.from_frame(frame, 7, prices=prices, levels={0: 2})
    assert instance.test_names == ("0", "1")
    assert instance.codes_of(instance, range(3)).tolist() == [[0, 1], [1, 0], [1, 0]]
    assert bt.Instance.from_frame(pd.DataFrame(np.eye(4, dtype=int)), 0).n_tests == 3


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, object])
def test_numbers_of_every_type_are_numbers(dtype: type) -> None:
    array = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype)
    table = read_array(array)
    assert (table.names, len(table)) == (["x0", "x1"], 3)
    numbers = [column.numbers for column in table.columns]
    assert [None if found is None else found.tolist() for found in numbers] == [[0, 1, 1], [1, 1, 0]]
    assert not any(np.shares_memory(found, array) for found in numbers)


def test_words_stay_words_and_long_numbers_keep_their_digits() -> None:
    words, long = read_array(np.array([["a", 2**60], [1, 2**60 + 1]], dtype=object)).columns
    assert words.numbers is None
    assert words.to_list() == ["a", 1]
    assert long.to_list() == [2**60, 2**60 + 1]
    assert read_array(np.array([[2**60], [2**60 + 1]])).columns[0].to_list() == [2**60, 2**60 + 1]


def test_a_frame_may_have_as_many_columns_as_a_file() -> None:
    frame = pd.DataFrame(np.zeros((2, 50_001)), columns=[f"t{at}" for at in range(50_001)])
    with refused(TableError, found=50_001, expected=50_000, source="frame"):
        bt.Instance.from_frame(frame, "t0")
