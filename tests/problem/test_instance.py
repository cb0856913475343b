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
from budgetree.errors import BudgetreeError, PricesError, SettingError, TableError, TableFileError

TWO = {"codes": [[0], [1]], "labels": [0, 1]}


@pytest.mark.parametrize(
    ("arguments", "kind", "fields"),
    [
        ({"codes": np.empty((0, 3)), "labels": []}, TableError, {"subject": "codes"}),
        ({"codes": np.empty((3, 0)), "labels": [0, 1, 2]}, TableError, {"subject": "codes"}),
        ({"codes": [0, 1], "labels": [0, 1]}, TableError, {"subject": "codes", "found": 1, "expected": 2}),
        ({"codes": [[0], [1]], "labels": [0]}, TableError, {"subject": "labels", "found": 1, "expected": 2}),
        ({"codes": [[0], [1]], "labels": [0, np.nan]}, TableError, {"subject": "labels", "found": 1}),
        ({"codes": [[0], [1]], "labels": [0, None]}, TableError, {"subject": "labels", "found": 1}),
        ({"codes": [[0], [-1]], "labels": [0, 1]}, TableError, {"subject": "codes", "found": -1}),
        ({"codes": [[0], [256]], "labels": [0, 1]}, TableError, {"subject": "codes", "found": 256}),
        ({"codes": [[0], [255]], "labels": [0, 1]}, TableError, {"subject": "0", "found": 255}),
        ({"codes": [[0.5], [1]], "labels": [0, 1]}, TableError, {"subject": "codes"}),
        ({"codes": [["a"], ["b"]], "labels": [0, 1]}, TableError, {"subject": "codes"}),
        (TWO | {"weights": [1, -1]}, SettingError, {"subject": "weights", "found": -1}),
        (TWO | {"weights": [1, np.inf]}, SettingError, {"subject": "weights", "found": np.inf}),
        (TWO | {"weights": [1]}, SettingError, {"subject": "weights", "found": (1,), "expected": (2,)}),
        (TWO | {"weights": [0, 0]}, SettingError, {"subject": "weights", "found": 0}),
        (TWO | {"weights": ["a", "b"]}, SettingError, {"subject": "weights", "found": "a"}),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a"]}, SettingError, {"subject": "test_names", "found": 1}),
        ({"codes": [[0, 1]], "labels": [0], "test_names": ["a", "a"]}, TableError, {"found": "a"}),
        ({"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"], ["x"]]}, TableError, {"subject": "1"}),
        (
            {"codes": [[0, 1]], "labels": [0], "outcome_names": [["x"]]},
            SettingError,
            {"subject": "outcome_names", "found": 1},
        ),
        (TWO | {"labels": [0, 2], "class_names": ["a", "b"]}, TableError, {"subject": "labels", "found": 2}),
        (TWO | {"labels": [[0], [1]]}, TableError, {"subject": "labels"}),
        (TWO | {"labels": None}, TableError, {"subject": "labels", "found": None}),
        (TWO | {"weights": [1e-300, 1e-300]}, SettingError, {"subject": "weights"}),
        (TWO | {"weights": [1e-20, 1]}, SettingError, {"subject": "weights"}),
        (TWO | {"prices": "5"}, PricesError, {"found": "5"}),
    ],
)
def test_bad_input_is_refused(arguments: dict[str, Any], kind: type[BudgetreeError], fields: dict[str, Any]) -> None:
    with refused(kind, **fields):
        bt.Instance(**arguments)


X = pd.DataFrame({"x": [1, 2], "y": [1, 2]})


@pytest.mark.parametrize(
    ("frame", "settings", "kind", "fields"),
    [
        (pd.DataFrame({"x": [], "y": []}), {}, TableError, {"source": "frame"}),
        (pd.DataFrame({"y": [1]}), {}, TableError, {"subject": "y"}),
        (pd.DataFrame({"x": [1]}), {}, SettingError, {"subject": "target", "found": "y", "expected": ("x",)}),
        (pd.DataFrame({"x": [1, 2], "y": [1, None]}), {}, TableError, {"subject": "y", "found": 1}),
        (pd.DataFrame({"x": [1.0, np.inf], "y": [1, 2]}), {}, TableError, {"subject": "x", "found": 1}),
        (pd.DataFrame([[1, 2, 3]], columns=["x", "x", "y"]), {}, TableError, {"subject": "frame"}),
        (np.zeros((2, 2)), {}, TableError, {"subject": "frame", "found": "ndarray"}),
        (pd.DataFrame({"x": [[1], [2]], "y": [1, 2]}), {}, TableError, {"subject": "x"}),
        (X, {"levels": 1}, SettingError, {"subject": "levels", "found": 1}),
        (X, {"levels": {"z": 5}}, SettingError, {"subject": "levels", "found": "z"}),
        (pd.DataFrame({"x": ["a"], "y": [1]}), {"levels": {"x": 5}}, TableError, {"subject": "x"}),
        (X, {"duplicates": "drop"}, SettingError, {"subject": "duplicates", "found": "drop"}),
        (pd.DataFrame({"x": [-1.7e308, *range(20), 1.7e308], "y": [1, 2] * 11}), {}, TableError, {"subject": "x"}),
        (X, {"prices": {"z": 1}}, PricesError, {"subject": "z"}),
    ],
)
def test_a_bad_frame_is_refused(
    frame: Any, settings: dict[str, Any], kind: type[BudgetreeError], fields: dict[str, Any]
) -> None:
    with refused(kind, **fields):
        bt.Instance.from_frame(frame, "y", **settings)


def test_the_callers_table_stays_their_own() -> None:
    table = np.array([[0, 1], [1, 0]], dtype=np.uint8)
    for given_codes in (table, table[:]):
        instance = bt.Instance(given_codes, [0, 1])
        table[0, 0] = 9
        assert instance.codes_of(instance, [0, 1]).tolist() == [[0, 1], [1, 0]]
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
    part = whole.part(np.array([0, 2]))
    assert part.codes.tolist() == whole.codes[[0, 2]].tolist()
    assert (part.labels.tolist(), part.weights.tolist()) == (
        whole.labels[[0, 2]].tolist(),
        whole.weights[[0, 2]].tolist(),
    )
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
    assert np.allclose(instance.row_weights, weights, rtol=1e-9)
    total = int(instance.weight_units.sum())
    assert total * instance.schema.loss_table.largest < 2**53 < total * 100 * instance.schema.loss_table.largest
    again = bt.Instance(CODES, LABELS, weights=weights).with_losses({"ill": 5})
    assert again.row_weights[0] == pytest.approx(weights[0])


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
    assert "4500 (use --decimal , --thousands .) or 4.500 (use --decimal .)" in caught.value.on_command_line()
    (tmp_path / "empty.csv").write_text("a,y\n", encoding="utf-8")
    with refused(TableFileError, source=str(tmp_path / "empty.csv")):
        bt.Instance.from_file(tmp_path / "empty.csv", "y")
