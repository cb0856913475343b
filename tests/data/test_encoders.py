"""Columns become codes: levels, categories, missing values and readable names."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import budgetree as bt
from _support.refusals import refused
from budgetree.data.column import Column
from budgetree.data.encoders import (
    UNSEEN,
    Categories,
    ColumnEncoder,
    FineLevels,
    LevelPlan,
    Levels,
    as_learned,
    fit_encoder,
)
from budgetree.data.source import read_table
from budgetree.data.table import Table
from budgetree.errors import SettingError, TableError, TableFileError


def test_numbers_are_rounded_to_the_nearest_level() -> None:
    values = np.arange(101.0)
    instance = bt.Instance.from_frame(pd.DataFrame({"x": values, "y": values > 50}), "y", binning="uniform")
    assert (instance.codes_of(instance, range(101))[:, 0] == np.rint(values / 100 * 9)).all()


def test_missing_numbers_are_an_outcome_of_their_own() -> None:
    frame = pd.DataFrame({"x": [*np.arange(20.0), np.nan], "y": [0, 1, 1] * 7})
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.outcome_names[0][-1] == "missing"
    assert instance.codes_of(instance, [20]).tolist() == [[10]]
    few = bt.Instance.from_frame(pd.DataFrame({"x": [1.0, 2.5, np.nan], "y": [0, 1, 1]}), "y")
    assert few.outcome_names[0] == ("1", "2.5", "missing")


def test_a_mapping_of_levels_rounds_columns_with_few_values_too() -> None:
    frame = pd.DataFrame({"x": [0, 1, 9], "z": [0, 1, 9], "y": [0, 1, 1]})
    instance = bt.Instance.from_frame(frame, "y", levels={"x": 4}, binning="uniform")
    assert instance.codes.tolist() == [[0, 0], [0, 1], [3, 2]]
    quantile = bt.Instance.from_frame(frame, "y", levels={"x": 2})
    assert quantile.outcome_names[0] == ("below 0.5", "0.5 or more")


def test_a_column_with_too_many_outcomes_is_named_with_the_remedy() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(300)], "y": [0, 1] * 150})
    with pytest.raises(ValueError, match=r"column 'id' .* has 300 different outcomes; .*at most 255\. Drop the column"):
        bt.Instance.from_frame(frame, "y")
    dates = [date(2020, 1, 1) + timedelta(days=i) for i in range(300)]
    with refused(TableError, subject="day", found=300):
        bt.Instance.from_frame(pl.DataFrame({"day": dates, "y": [0, 1] * 150}), "y")


def test_255_outcomes_are_allowed() -> None:
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(255)], "y": [0, 1, 1] * 85})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    assert len(set(tree.walk(frame).leaf.tolist())) == 255
    assert tree.n_leaves == 2  # as it is shown: values with the same answer share one
    assert bt.grow(bt.Instance(np.arange(255)[:, None], np.arange(255) % 2)).errors == 0


def test_close_levels_of_large_numbers_have_different_names() -> None:
    for column in (1.7e18 + np.arange(20) * 1e6, 1.0 + np.arange(20) * 2.0**-52, 1e15 + np.arange(30.0)):
        frame = pd.DataFrame({"a": column, "y": [0, 1] * (len(column) // 2)})
        for binning in ("quantile", "uniform"):
            instance = bt.Instance.from_frame(frame, "y", binning=binning)  # type: ignore[arg-type]
            assert len(set(instance.outcome_names[0])) == 10


def test_unusual_values_keep_readable_names_apart() -> None:
    frame = pd.DataFrame({"x": [1, "1", "missing", None], "z": [None] * 4, "y": [0, 1, 0, 1]}, dtype=object)
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.outcome_names[0] == ("1", "'1'", "'missing'", "missing")
    assert bt.grow(instance).errors == 0


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


@pytest.mark.parametrize("n_values", [1, 2, 16, 17, 60])
def test_numbers_that_are_told_apart_have_the_place_of_their_value(n_values: int) -> None:
    rng = np.random.default_rng(n_values)
    numbers = rng.choice(np.append(rng.normal(size=n_values), np.nan), 500)
    encoder = fit_encoder(Column("age", "number", numbers=numbers), 100)
    assert isinstance(encoder, Categories)
    known = sorted({value for value in numbers.tolist() if value == value})
    assert list(encoder.values) == known
    others = np.concatenate((numbers, rng.normal(size=20), [np.inf, -np.inf]))
    places = {value: place for place, value in enumerate(known)}
    expected = [len(known) if value != value else places.get(value, UNSEEN) for value in others.tolist()]
    assert encoder.encode(Column("age", "number", numbers=others)).tolist() == expected


def test_the_largest_floats_are_of_the_last_levels_and_nothing_overflows() -> None:
    levels = Levels("x", 0.0, 1.0, 10, has_missing=False)
    largest = np.finfo(np.float64).max
    assert levels.encode(Column("x", "number", numbers=np.array([largest, -largest, 0.5]))).tolist() == [9, 0, 4]


def written(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "cases.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(str(path))


def column_for(table: Table, encoder: ColumnEncoder) -> Column:
    return as_learned(table, [encoder]).columns[0]


def test_a_model_decides_what_a_cell_is(tmp_path: Path) -> None:
    found = written(tmp_path, "x,y\n1,2\n2,z\n")
    words = column_for(found, Categories("x", ("1", "a"), has_missing=False))
    assert words.to_list() == ["1", "2"]
    numbers = column_for(found, Categories("x", (1, 2), has_missing=False))
    assert numbers.to_list() == [1, 2]
    with refused(TableFileError, line=3, subject="y", found="z"):
        column_for(found, Levels("y", 0.0, 5.0, 3, has_missing=False))
    huge = written(tmp_path, "x,y\n1e999,2\n")
    assert huge.column("x").to_list() == ["1e999"]
    with refused(TableFileError, line=2, subject="x", found="1e999"):
        column_for(huge, Levels("x", 0.0, 5.0, 3, has_missing=False))


@pytest.mark.parametrize(
    ("known", "cells", "codes"),
    [
        ((0, 1, 2), ["0", "1", "2.0", "x", "7", ""], [0, 1, 2, 255, 255, 255]),
        ((False, True), ["true", "FALSE", "True", "yes"], [1, 0, 1, 255]),
        ((date(2024, 2, 29), date(2024, 3, 1)), ["2024-02-29", "2024-03-01", "soon"], [0, 1, 255]),
        (
            (datetime(2024, 2, 29), datetime(2024, 3, 1, 8)),
            ["2024-02-29", "2024-03-01T08:00", "2024-03-01"],
            [0, 1, 255],
        ),
        (("1", "2", "a"), ["1", "2", "1"], [0, 1, 0]),
        ((1, "a"), ["1", "a", "b"], [0, 1, 255]),
    ],
    ids=str,
)
def test_cells_are_read_as_the_values_a_model_knows(
    tmp_path: Path, known: Any, cells: list[str], codes: list[int]
) -> None:
    found = written(tmp_path, "x,y\n" + "".join(f"{cell},0\n" for cell in cells))
    encoder = Categories("x", known, has_missing=False)
    assert encoder.encode(column_for(found, encoder)).tolist() == codes


@pytest.mark.parametrize(
    ("known", "texts", "codes"),
    [
        ((7, 102, 2.5), ["102", "102.0", "2.5", "+7", "007", "8", "x", None], [1, 1, 2, 0, 255, 255, 255, 255]),
        ((7, "7"), ["7", "007"], [1, 255]),
        (("007", "8"), ["007", "7", "8"], [0, 255, 1]),
    ],
    ids=str,
)
def test_a_text_that_writes_a_known_number_is_that_number(known: Any, texts: list[Any], codes: list[int]) -> None:
    column = Column("x", "String", values=texts)
    assert Categories("x", known, has_missing=False).encode(column).tolist() == codes


def test_numbers_learned_and_given_as_texts_get_the_same_answers() -> None:
    frame = pd.DataFrame({"code": [101, 102, 103, 104] * 5, "y": [0, 1, 0, 1] * 5})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    as_texts = frame.assign(code=frame["code"].astype(str))
    assert tree.predict(as_texts).tolist() == tree.predict(frame).tolist() == frame["y"].tolist()
    assert tree.ask({"code": "102"}).prediction == tree.predict([["102"]])[0] == 1


def test_typed_values_are_read_as_the_texts_a_model_knows() -> None:
    table = Table("t", (Column("x", "Boolean", values=[True, False, None]), Column("y", "String", values=["b"] * 3)), 3)
    encoder = Categories("x", ("False", "True"), has_missing=True)
    assert encoder.encode(column_for(table, encoder)).tolist() == [1, 0, 2]
    words = Categories("y", ("a", "b"), has_missing=False)
    assert column_for(table, words) is table.columns[1]
    dates = Table("t", (Column("x", "Date", values=[date(2024, 2, 29), date(2024, 3, 1)]),), 2)
    known = Categories("x", ("2024-02-29", "2024-02-29 08:00"), has_missing=False)
    assert known.encode(column_for(dates, known)).tolist() == [0, 255]


def test_numbers_of_a_typed_file_stay_numbers() -> None:
    table = Table("t", (Column("x", "Float64", values=["a"]),), 1)
    encoder = Levels("x", 0.0, 5.0, 3, has_missing=False)
    assert column_for(table, encoder) is table.columns[0]
    with refused(TableError, subject="x", found="Float64"):
        encoder.encode(column_for(table, encoder))


FRAME = pd.DataFrame({"few": [0, 1, 2, 3] * 5, "many": range(20), "y": [0, 1] * 10})


def counts(levels: Any) -> list[int | None]:
    """Per test the number of its levels; None where it is not cut into levels."""
    encoders = bt.Instance.from_frame(FRAME, "y", levels=levels).schema.encoders
    return [encoder.levels if isinstance(encoder, FineLevels) else None for encoder in encoders or ()]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (3, [3, 3]),
        (4, [None, 4]),
        ({"few": 4}, [4, 10]),
        (LevelPlan(3), [3, 3]),
        (LevelPlan(3, {"few": 4}), [None, 3]),
        (LevelPlan(30, {"few": 2}), [2, None]),
        (LevelPlan(columns={"many": 5}), [None, 5]),
    ],
    ids=str,
)
def test_columns_are_rounded_as_said(levels: Any, expected: list[int | None]) -> None:
    assert counts(levels) == expected


@pytest.mark.parametrize(
    ("levels", "found"),
    [
        (LevelPlan(3, {"fewer": 4}), "fewer"),
        (LevelPlan(1), 1),
        (LevelPlan(3, {"few": 255}), 255),
    ],
)
def test_what_cannot_be_done_is_refused(levels: LevelPlan, found: Any) -> None:
    with refused(SettingError, subject="levels", found=found):
        counts(levels)


def test_codes_that_get_levels_are_amounts(tmp_path: Path) -> None:
    lines = [f"{value:03d},{value % 7:02d},{value % 2}" for value in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *lines]), encoding="utf-8")
    encoders = bt.Instance.from_file(tmp_path / "t.csv", "y", levels={"a": 5}).schema.encoders
    assert encoders is not None
    assert encoders[0] == FineLevels("a", (7.5, 15.5, 23.5, 31.5), (3.5, 11.5, 19.5, 27.5, 35.5), 0, 39, False)
    assert encoders[1].values == tuple(f"{value:02d}" for value in range(7))
    (tmp_path / "t.csv").write_text("\n".join(["a,y", "007,1", "x,0"]), encoding="utf-8")
    with refused(TableError, subject="a", found="text"):
        bt.Instance.from_file(tmp_path / "t.csv", "y", levels={"a": 5})


def test_numbers_that_are_codes_are_categories() -> None:
    frame = pd.DataFrame({"pain": [1, 2, 3, 4] * 10, "age": range(40), "y": ["a", "b", "a", "b"] * 10})
    instance = bt.Instance.from_frame(frame, "y", categories=["pain"])
    age, pain = instance.schema.encoders
    assert isinstance(pain, Categories)
    assert not isinstance(age, Categories)
    tree = bt.predictive(instance, budget=1, leaves="tree")
    assert tree.predict(frame[["pain"]].assign(age=0)).tolist() == frame["y"].tolist()
    with refused(SettingError, subject="categories", found="sex"):
        bt.Instance.from_frame(frame, "y", categories=["sex"])
