"""Ordered categories: coded in their order, wherever that is said, kept in files, folds and parts, and used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from command_line import run

import budgetree as bt
from _support.refusals import refused
from budgetree.data.encoders import Categories, LevelPlan
from budgetree.errors import FileError, SettingError, TableError
from budgetree.learn.predictive.basis import bases_of
from budgetree.problem.settings_file import read_settings

ORDER = ("mild", "moderate", "severe", "fatal")
WORDS = ["severe", "mild", None, "moderate", "mild", "severe"] * 4
LABELS = [1, 0, 1, 0, 0, 1] * 4
CODES = [2, 0, 4, 1, 0, 2] * 4  # no case is "fatal", and the last outcome is a missing value


def arrow() -> pa.ChunkedArray:
    chunks = [
        pa.DictionaryArray.from_arrays(
            pa.array([None if word is None else ORDER.index(word) for word in words], pa.int8()),
            list(ORDER),
            ordered=True,
        )
        for words in (WORDS[:5], WORDS[5:])
    ]
    return pa.chunked_array(chunks)


FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame({"pain": pd.Categorical(WORDS, categories=ORDER, ordered=True), "y": LABELS}),
    "polars": pl.DataFrame({"pain": pl.Series(WORDS, dtype=pl.Enum(ORDER)), "y": LABELS}),
    "pyarrow": pa.table({"pain": arrow(), "y": LABELS}),
}


def codes_of_rows(instance: bt.Instance) -> list[int]:
    """Of the only test, in the order of the table."""
    return instance.codes_of(instance, range(instance.n_rows))[:, 0].tolist()


@pytest.mark.parametrize("library", FRAMES)
def test_an_ordered_dtype_keeps_its_order(library: str, tmp_path: Path) -> None:
    instance = bt.Instance.from_frame(FRAMES[library], "y")
    assert instance.schema.encoders == (Categories("pain", ORDER, True, is_ordered=True),)
    assert codes_of_rows(instance) == CODES
    part = instance.rows(np.arange(3))  # of the same values, though fewer are there
    assert part.schema.encoders == instance.schema.encoders
    assert bases_of(instance)[0].is_ordered
    for tree in (bt.grow(instance), bt.predictive(instance, budget=1)):
        tree.to_json(tmp_path / "m.json")
        read = bt.Tree.from_json(tmp_path / "m.json")
        assert read.schema.encoders == instance.schema.encoders
        codes = read.encode(FRAMES[library])
        assert codes[:, 0].tolist() == CODES
        assert read.predict_codes(codes).tolist() == tree.predict(FRAMES[library]).tolist() == LABELS
        assert tree.encode(pd.DataFrame({"pain": ["fatal", "mild"]})).tolist() == [[3], [0]]
        assert len(tree.predict([["fatal"]])) == 1  # an answer for what no case has shown


def test_categories_without_an_order_are_sorted() -> None:
    frame = pd.DataFrame({"pain": pd.Categorical(["b", "a"], categories=["b", "a"]), "y": [0, 1]})
    instance = bt.Instance.from_frame(frame, "y")
    assert instance.schema.encoders == (Categories("pain", ("a", "b"), False),)
    assert not bases_of(instance)[0].is_ordered


def test_parts_have_one_order(tmp_path: Path) -> None:
    frame = FRAMES["pandas"]
    shards = bt.Shards.from_frames([frame[:2], frame[2:9], frame[9:]], "y", tmp_path / "s")
    assert shards.schema.encoders == bt.Instance.from_frame(frame, "y").schema.encoders
    other = frame.assign(pain=pd.Categorical(WORDS, categories=ORDER[::-1], ordered=True))
    with refused(TableError, subject="pain", found=(ORDER, ORDER[::-1])):
        bt.Shards.from_frames([frame, other], "y", tmp_path / "t")


def instance_of(column: list[Any], order: list[Any]) -> bt.Instance:
    frame = pd.DataFrame({"x": column, "y": [0, 1] * (len(column) // 2)})
    return bt.Instance.from_frame(frame, "y", levels=LevelPlan(order_of={"x": order}))


def test_a_listed_order_is_of_values_or_of_how_they_are_written() -> None:
    for order in ([30, 10, 20], ["30", "10", "20"]):
        assert instance_of([10, 20, 30, 30], order).schema.encoders == (Categories("x", (30, 10, 20), False, True),)
    many = [*range(20, 0, -1)]
    assert codes_of_rows(instance_of(sorted(many), many)) == [*range(19, -1, -1)]  # and not cut into levels
    assert codes_of_rows(instance_of([True, False], ["true", "false"])) == [0, 1]


def test_an_order_that_does_not_fit_is_refused() -> None:
    with refused(TableError, subject="x", found="c", expected=("a", "b")):
        instance_of(["a", "c"], ["a", "b"])
    with refused(TableError, subject="x", found="a"):
        instance_of(["a", "b"], ["a", "b", "a"])
    with refused(TableError, subject="x", found="1"):  # beside 1, which has taken the entry
        instance_of([1, "1"], ["1"])
    with refused(SettingError, subject="order_of", found="z"):
        bt.Instance.from_frame(pd.DataFrame({"x": [1], "y": [1]}), "y", levels=LevelPlan(order_of={"z": [1]}))


def test_the_settings_file_may_list_an_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text('[order_of]\npain = ["mild", "moderate", "severe", "fatal"]\n')
    lines = [f"{'' if word is None else word},{label}" for word, label in zip(WORDS, LABELS, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["pain,y", *lines]))
    arguments = ["fit", str(tmp_path / "t.csv"), "-t", "y", "--prices", str(tmp_path / "s.toml"), "--budget", "1"]
    for objective in ("known", "new"):
        out = str(tmp_path / f"{objective}.json")
        run(capsys, *arguments, "--objective", objective, "--out", out)
        schema = bt.Tree.from_json(out).schema
        assert schema.encoders == (Categories("pain", ORDER, True, is_ordered=True),)
        assert schema.prices == bt.Prices(1)  # as without a file


@pytest.mark.parametrize("entry", ['"mild"', "[]", '[["mild"]]'])
def test_an_order_is_a_list_of_values(tmp_path: Path, entry: str) -> None:
    (tmp_path / "s.toml").write_text(f"[order_of]\npain = {entry}\n")
    with refused(FileError, subject="pain"):
        read_settings(tmp_path / "s.toml")
