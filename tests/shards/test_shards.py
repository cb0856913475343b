"""Shards on disk: the trees and frontiers of memory, to the bit, from files, frames and instances."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.data.source import Reading, ReadLimits
from budgetree.distributed.partition import Sizes
from budgetree.distributed.prepare import CaseRequest, encoded, find_plan, parts_of_files
from budgetree.errors import SettingError, TableError

PRICES = bt.Prices({"age": 2, "sex": {"f": 1, "m": 3, "missing": 0}, "n": 0.5, "x": 3}, shared={"lab": (2, ["n", "x"])})


def table(n_rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(n_rows)
    frame = pd.DataFrame({
        "age": rng.normal(50, 10, n_rows).round(),
        "sex": rng.choice(["m", "f"], n_rows),
        "n": rng.integers(0, 4, n_rows),
        "x": rng.random(n_rows).round(1),
    })  # fmt: skip
    frame.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "sex"] = None
    is_ill = (frame["age"].fillna(0) > 50) ^ (frame["sex"] == "m") ^ (rng.random(n_rows) < 0.1)
    frame["y"] = np.where(is_ill, "ill", "well")
    return frame


FRAME = table()
LOSSES = bt.Losses({"ill": {"well": 7.5}, "well": {"ill": 1}}, answers={"refer": 0.5})
ALIKE: list[dict[str, Any]] = [
    {},
    {"duplicates": "merge"},
    {"losses": LOSSES},
    {"binning": "uniform"},
    {"levels": {"age": 4}},
]


@pytest.mark.parametrize("settings", ALIKE)
def test_files_and_frames_give_the_trees_of_memory(tmp_path: Path, settings: dict[str, Any]) -> None:
    reading = Reading(limits=ReadLimits(batch_rows=170, block_bytes=3000))
    small = Sizes(bucket_bytes=2000)
    given = {"prices": PRICES, "sizes": small, **settings}
    instance = bt.Instance.from_frame(FRAME, "y", prices=PRICES, **settings)
    grown = bt.grow(instance, budget=6)
    expected = replace(grown, origin=replace(grown.origin, table=None))  # shards have no fingerprint of all cases
    for number, part in enumerate((FRAME.iloc[:250], FRAME.iloc[250:])):
        part.to_csv(tmp_path / f"{number}.csv", index=False)
        part.to_parquet(tmp_path / f"{number}.parquet")
    frames = [FRAME.iloc[:0], FRAME.iloc[:1], FRAME.iloc[1:]]
    made = [
        bt.Shards.from_files(str(tmp_path / "*.csv"), "y", tmp_path / "a", reading=reading, **given),
        bt.Shards.from_files(str(tmp_path / "*.parquet"), "y", tmp_path / "b", reading=reading, **given),
        bt.Shards.from_frames(frames, "y", tmp_path / "c", **given),
        bt.Shards.from_frames(lambda: map(pl.from_pandas, frames), "y", tmp_path / "d", **given),
        bt.Shards.from_instance(instance, tmp_path / "e", max_rows=100),
    ]
    for shards in made:
        tree = bt.grow(shards, budget=6)
        assert tree.to_dict() == expected.to_dict()
        tree.to_json(tmp_path / "tree.json")
        expected.to_json(tmp_path / "expected.json")
        assert (tmp_path / "tree.json").read_bytes() == (tmp_path / "expected.json").read_bytes()
    files = list((tmp_path / "a").iterdir())
    assert {path.suffix for path in files} == {".json", ".npy"}
    assert {path.name for path in files if path.suffix == ".json"} == {"cases.json", "drawn.json"}


@pytest.mark.parametrize("n_parts", [1, 2, 7])
def test_long_columns_are_cut_alike_in_any_number_of_parts(tmp_path: Path, n_parts: int) -> None:
    rng = np.random.default_rng(n_parts)
    numbers = np.column_stack((rng.lognormal(0, 3, 5000), rng.normal(1000, 1, 5000), rng.poisson(3, 5000)))
    frame = pd.DataFrame(numbers, columns=["skewed", "narrow", "few"])
    frame.loc[rng.random(5000) < 0.3, "skewed"] = 0
    frame.loc[rng.random(5000) < 0.1, "narrow"] = np.nan
    frame["y"] = (frame["skewed"] > 0.5) ^ (frame["narrow"] > 1000)
    expected = bt.Instance.from_frame(frame, "y")
    shuffled = frame.iloc[rng.permutation(len(frame))]
    parts = [shuffled.iloc[rows] for rows in np.array_split(np.arange(len(frame)), n_parts)]
    shards = bt.Shards.from_frames(parts, "y", tmp_path / "s")
    assert shards.schema.encoders == expected.schema.encoders
    assert bt.grow(shards, budget=2).to_dict() == bt.grow(expected, budget=2).to_dict()


@pytest.mark.parametrize("name", ["house_votes", "pima", "soybean"])
def test_the_greedy_frontier_is_that_of_memory(tmp_path: Path, name: str) -> None:
    instance = bt.datasets.load(name)
    expected = bt.frontier(instance, method="greedy", folds=0)
    found = bt.frontier(bt.Shards.from_instance(instance, tmp_path / "shards", max_rows=100), objective="known")
    assert [(p.max_cost, p.errors, p.lower_bound, p.source) for p in found] == [
        (p.max_cost, p.errors, p.lower_bound, p.source) for p in expected
    ]
    assert [point.tree.to_dict() for point in found] == [point.tree.to_dict() for point in expected]
    # But for the objective's reason, and how cases are counted, which is not known of shards.
    assert found.to_text().splitlines()[1:] == expected.to_text().splitlines()[2:]


def test_a_frontier_by_loss_weighs_the_classes_too(tmp_path: Path) -> None:
    instance = bt.Instance.from_frame(FRAME, "y", losses={"ill": 1, "well": 3})
    settings: dict[str, Any] = {"impurities": [bt.Powers(2), bt.HingedPairs(5)]}
    expected = bt.frontier(instance, method="greedy", folds=0, **settings)
    found = bt.frontier(bt.Shards.from_instance(instance, tmp_path / "shards"), objective="known", **settings)
    assert any("classes weighted" in point.source for point in expected)
    assert [(p.loss, p.source, p.tree.to_dict()) for p in found] == [
        (p.loss, p.source, p.tree.to_dict()) for p in expected
    ]


def test_a_column_of_a_csv_file_that_begins_with_numbers_may_hold_texts(tmp_path: Path) -> None:
    reading = Reading(limits=ReadLimits(block_bytes=600))
    frame = FRAME.assign(code=[str(i % 3) for i in range(500)] + ["x", "y"] * 50)
    frame.to_csv(tmp_path / "t.csv", index=False)
    shards = bt.Shards.from_files(str(tmp_path / "t.csv"), "y", tmp_path / "shards", reading=reading, duplicates="keep")
    expected = bt.Instance.from_frame(frame, "y", duplicates="keep")
    assert shards.outcome_names == expected.outcome_names
    assert bt.grow(shards).to_dict() == bt.grow(expected).to_dict()


def test_weights_come_from_a_column(tmp_path: Path) -> None:
    weights = np.random.default_rng(1).integers(0, 30, len(FRAME)) / 10
    shards = bt.Shards.from_frames([FRAME.assign(w=weights)], "y", tmp_path / "shards", weights="w")
    plain = bt.Instance.from_frame(FRAME, "y", duplicates="keep")
    codes = plain.codes_of(plain, range(len(FRAME)))
    expected = bt.Instance(codes, plain.row_labels, weights=weights, test_names=plain.test_names,
                           outcome_names=plain.outcome_names, class_names=plain.class_names)  # fmt: skip
    assert bt.grow(shards, budget=3).to_dict() == bt.grow(expected, budget=3).to_dict()


def test_other_prices_need_no_other_folder(tmp_path: Path) -> None:
    shards = bt.Shards.from_frames([FRAME], "y", tmp_path / "shards")
    cheap = shards.priced({"age": 100, "sex": 1, "n": 1, "x": 1})
    assert (
        bt.grow(cheap, budget=3).to_dict()
        == bt.grow(
            bt.Instance.from_frame(FRAME, "y", prices={"age": 100, "sex": 1, "n": 1, "x": 1}), budget=3
        ).to_dict()
    )
    assert shards.prices == bt.Prices(1)


def test_growing_shows_a_bar_where_one_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("budgetree.services.progress.SHOW_AFTER", -1.0)
    shards = bt.Shards.from_frames([FRAME], "y", tmp_path / "shards")
    for wanted in (None, False):
        bt.grow(shards, progress=wanted)
        assert capfd.readouterr().err == ""
    bt.grow(shards, progress=True)
    assert "growing" in capfd.readouterr().err


def test_what_is_wrong_is_refused(tmp_path: Path) -> None:
    shards = bt.Shards.from_frames([FRAME], "y", tmp_path / "shards", duplicates="keep")
    with pytest.raises(FileExistsError):
        bt.Shards.from_frames([FRAME], "y", tmp_path / "shards")
    for frames in (iter([FRAME]), []):
        with refused(SettingError, subject="frames", found=frames):
            bt.Shards.from_frames(frames, "y", tmp_path / "other")
    with refused(TableError, found=0):
        bt.Shards.from_frames(list, "y", tmp_path / "other")
    once = iter([FRAME])
    with refused(TableError, found=0, expected=600):
        bt.Shards.from_frames(lambda: once, "y", tmp_path / "other")
    with refused(SettingError, subject="max_rows", found=0):
        bt.Shards.from_instance(bt.datasets.load("figure1"), tmp_path / "other", max_rows=0)
    data = str(tmp_path / "t.csv")
    FRAME.to_csv(data, index=False)
    with refused(SettingError, subject="drop", found="z", source=data):
        bt.Shards.from_files(data, "y", tmp_path / "other", drop=["z"])
    parts = parts_of_files(data, Reading())
    plan = find_plan(parts, CaseRequest.of("y"))
    FRAME.iloc[:7].to_csv(data, index=False)
    with refused(TableError, found=7, expected=600) as caught:
        list(encoded(parts.tables(plan.as_text), plan))
    assert "7 rows came when they were read again, and 600 at first" in str(caught.value)
    with pytest.raises(TypeError, match=r"no setting 'price'. There are: prices, .* Did you mean 'prices'\?"):
        bt.Shards.from_files(data, "y", tmp_path / "other", price=3)
    with refused(SettingError, subject="method", found="exact"):
        bt.frontier(shards, method="exact")
    for verb in (bt.frontier, partial(bt.predictive, budget=1)):
        with refused(SettingError, subject="groups"):
            verb(shards, groups=[1])
    with refused(SettingError, subject="lookahead", found=1):
        bt.grow(shards, lookahead=1)
