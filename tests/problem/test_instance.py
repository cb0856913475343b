"""Instance: known cases from codes or frames, and errors that name the column."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TableFileError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"codes": np.empty((0, 3)), "labels": []}, "the table is empty"),
        ({"codes": np.empty((3, 0)), "labels": [0, 1, 2]}, "the table has no tests"),
        ({"codes": [0, 1], "labels": [0, 1]}, "one row per case and one column per test.* 1 dimension"),
        ({"codes": [[0], [1]], "labels": [0]}, r"1 label for 2 cases"),
        ({"codes": [[0], [1]], "labels": [0, np.nan]}, r"1 label is missing, the first in row 1"),
        ({"codes": [[0], [1]], "labels": [0, None]}, r"1 label is missing, the first in row 1"),
        ({"codes": [[0], [-1]], "labels": [0, 1]}, "column 0 has the outcome -1 in row 1"),
        ({"codes": [[0], [256]], "labels": [0, 1]}, "column 0 has the outcome 256 in row 1"),
        ({"codes": [[0], [255]], "labels": [0, 1]}, "test '0' has the outcome 255; a test may have at most 255"),
        ({"codes": [[0.5], [1]], "labels": [0, 1]}, "outcomes must be whole numbers"),
        ({"codes": [["a"], ["b"]], "labels": [0, 1]}, "raw values are encoded by Instance.from_frame"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1, -1]}, "row 1 has weight -1.0; weights must be"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1, np.inf]}, "row 1 has weight inf"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [1]}, r"shape \(1,\) for 2 cases"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": [0, 0]}, "every weight is 0"),
        ({"codes": [[0], [1]], "labels": [0, 1], "weights": ["a", "b"]}, "expected one number per case"),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a"]}, r"1 name for 2 tests"),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a", "a"]}, "the name 'a' occurs twice"),
        ({"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"], ["x"]]}, "its codes run to 1"),
        ({"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"]]}, r"1 list for 2 tests"),
        ({"codes": [[0], [1]], "labels": [0, 2], "class_names": ["a", "b"]}, "row 1 has 2; with class_names"),
        ({"codes": [[0], [1]], "labels": [[0], [1]]}, "expected one plain value per case"),
        ({"codes": [[0], [1]], "labels": None}, "got None; expected one plain value per case"),
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
        (pd.DataFrame({"x": [1, 2], "y": [1, None]}), {}, r"column 'y': 1 label is missing, the first in row 1"),
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


def test_the_callers_table_stays_their_own() -> None:
    table = np.array([[0, 1], [1, 0]], dtype=np.uint8)
    for given_codes in (table, table[:]):
        instance = bt.Instance(given_codes, [0, 1])
        table[0, 0] = 9
        assert instance.codes[0, 0] == 0
        table[0, 0] = 0


def test_copies_of_an_instance_are_frozen_too() -> None:
    instance = bt.datasets.load("pima")
    for copied in (copy.deepcopy(instance), pickle.loads(pickle.dumps(instance))):
        assert not copied.codes.flags.writeable
        assert bt.grow(copied) == bt.grow(instance)


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


def test_a_part_has_the_cases_chosen_and_all_else_of_the_whole() -> None:
    whole = bt.Instance([[0, 3], [1, 1], [2, 0]], ["x", "y", "z"], weights=[1, 0.5, 2])
    part = whole.part(np.array([2, 0]))
    assert (part.codes.tolist(), part.labels.tolist(), part.weights.tolist()) == ([[2, 0], [0, 3]], [2, 0], [2, 1])
    assert part.schema is whole.schema  # also the scale of weights, so that counts can be compared


CODES, LABELS = [[0, 1], [0, 0], [1, 1]], ["well", "ill", "ill"]


def test_losses_go_with_the_instance_and_its_parts() -> None:
    losses = bt.Losses({"ill": {"well": 50}}, answers={"refer": 4})
    instance = bt.Instance(CODES, LABELS, losses=losses)
    for other in (instance, instance.rows([0, 1]), instance.priced(3), bt.Instance(CODES, LABELS).with_losses(losses)):
        assert other.losses == losses
        assert other.schema.answer_names == ("ill", "well", "refer")
        assert other.schema.answers.tolist() == ["ill", "well", "refer"]
    assert instance.with_losses(None).losses is None
    assert instance.with_losses(None).schema.loss_table.is_plain
    assert bt.Instance(CODES, [1, 2, 2], losses={1: 3}).schema.answers.dtype.kind == "i"
    mixed = bt.Instance(CODES, [1, 2, 2], losses=bt.Losses(answers={"refer": 0.5})).schema
    assert mixed.answers.tolist() == [1, 2, "refer"]
    assert mixed.loss(3) == Fraction(3, 2)  # units of a half


def test_losses_that_do_not_fit_are_refused_when_the_instance_is_made() -> None:
    with pytest.raises(ValueError, match="losses: no class is named 'sick'; the classes are 'ill', 'well'"):
        bt.Instance(CODES, LABELS, losses={"sick": 50})
    with pytest.raises(ValueError, match=r"a product below 9e15\. Round the losses or the weights"):
        bt.Instance(CODES, LABELS, losses={"ill": 4e15, "well": 17})


def test_weights_of_many_digits_leave_room_for_losses() -> None:
    weights = [0.123456789012345, 1.0 / 3, 0.7]
    instance = bt.Instance(CODES, LABELS, weights=weights, losses={"ill": 50, "well": 0.01})
    assert np.allclose(instance.weights, weights, rtol=1e-9)
    total = int(instance.weight_units.sum())
    assert total * instance.schema.loss_table.largest < 2**53 < total * 100 * instance.schema.loss_table.largest
    assert bt.Instance(CODES, LABELS, weights=weights).with_losses({"ill": 5}).weights[0] == pytest.approx(weights[0])


def test_a_file_is_read_as_its_frame_is(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [31.5, 42.0, 55.0, 28.0], "sex": ["f", "m", None, "f"], "y": ["ill", "well"] * 2})
    frame.to_csv(tmp_path / "cases.csv", index=False)
    frame.to_csv(tmp_path / "german.csv", index=False, sep=";", decimal=",", na_rep="unklar")
    frame.to_parquet(tmp_path / "cases.parquet")
    expected = bt.Instance.from_frame(frame, "y")
    german = bt.Reading(missing=["unklar"])
    for path, reading in (("cases.csv", None), ("cases.parquet", None), ("german.csv", german)):
        found = bt.Instance.from_file(tmp_path / path, "y", reading=reading)
        assert (found.outcome_names, found.class_names) == (expected.outcome_names, expected.class_names)
        assert (found.codes == expected.codes).all()
    priced = bt.Instance.from_file(str(tmp_path / "c*.csv"), "y", prices={"age": 3, "sex": 1})
    assert priced.prices == bt.Prices({"age": 3, "sex": 1})


def test_what_the_command_line_asks_for_has_its_name_in_python(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;y\n4.500;1\n3,2;2\n", encoding="utf-8")
    with refused(TableFileError, subject="a", found="4.500", line=2) as caught:
        bt.Instance.from_file(tmp_path / "t.csv", "y")
    assert "4500 (decimal=',', thousands='.') or 4.500 (decimal='.')" in str(caught.value)
    assert "4500 (say --decimal , --thousands .) or 4.500 (say --decimal .)" in caught.value.on_command_line()
    (tmp_path / "empty.csv").write_text("a,y\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"empty\.csv: .*row"):
        bt.Instance.from_file(tmp_path / "empty.csv", "y")
