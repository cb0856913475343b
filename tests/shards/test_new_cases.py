"""Trees for new cases from shards: those of memory, to the bit, however the table is cut and ordered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from budgetree.data.source import Reading, ReadLimits
from budgetree.errors import TableFileError
from budgetree.problem import drawing

PRICES = bt.Prices({"dose": 2, "kind": {"a": 1, "b": 3, "missing": 0}}, shared={"lab": (2, ["dose", "n"])}, default=1)


def table(seed: int, n_rows: int, *, copies: bool = False) -> pd.DataFrame:
    """Numbers, also censored ones, words, blanks; and where wanted, one row that is a third of the table."""
    rng = np.random.default_rng(seed)
    dose = rng.normal(50, 10, n_rows).round(2)
    frame = pd.DataFrame({
        "dose": dose,
        "kind": rng.choice(["a", "b"], n_rows),
        "n": rng.integers(0, 4, n_rows),
        "level": ["<30" if value < 30 else f"{value:.0f}" for value in rng.normal(45, 10, n_rows)],
    })  # fmt: skip
    frame.loc[rng.random(n_rows) < 0.1, "dose"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "kind"] = None
    is_ill = (frame["dose"].fillna(0) > 50) ^ ((frame["kind"] == "a") & (rng.random(n_rows) < 0.8))
    frame["y"] = np.where(is_ill, "ill", "well")
    if copies:
        frame.iloc[: n_rows // 3] = frame.iloc[0].to_numpy()
    return frame


def model_file(result: bt.Result, folder: Path) -> bytes:
    file = folder / "tree.json"
    result.tree.to_json(file)
    return file.read_bytes()


FIT: dict[str, Any] = {"budget": 3, "objective": "new", "folds": 3}


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("max_rows", [200, 250_000])
def test_files_and_frames_give_the_models_of_memory(
    tmp_path: Path, max_rows: int, copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_ROWS", max_rows)
    monkeypatch.setattr("budgetree.learn.validation.HOLD_OUT_FROM", 150)
    frame = table(1, 600, copies=copies)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    instance = bt.Instance.from_file(tmp_path / "whole.csv", "y", prices=PRICES)
    expected = bt.fit(instance, **FIT)
    reading = Reading(limits=ReadLimits(batch_rows=170, block_bytes=3000))
    shuffled = frame.sample(frac=1, random_state=7)
    for number, rows in enumerate(np.array_split(np.arange(600), [100, 101, 350])):
        shuffled.iloc[rows].to_csv(tmp_path / f"part{number}.csv", index=False)
    in_words = bt.Instance.from_frame(frame, "y", prices=PRICES)  # where <30 is a word
    made = [
        (
            bt.Shards.from_files(str(tmp_path / "part*.csv"), "y", tmp_path / "a", reading=reading, prices=PRICES),
            expected,
        ),
        (bt.Shards.from_instance(instance, tmp_path / "b", max_rows=100), expected),
        (
            bt.Shards.from_frames(
                [shuffled.iloc[:0], shuffled.iloc[:7], shuffled.iloc[7:]], "y", tmp_path / "c", prices=PRICES
            ),
            bt.fit(in_words, **FIT),
        ),
    ]
    for shards, of_memory in made:
        found = bt.fit(shards, **FIT)
        assert model_file(found, tmp_path) == model_file(of_memory, tmp_path)
        assert found.estimate == of_memory.estimate
        assert copies or found.tree.n_objects == (600 if max_rows > 600 else 160)  # copies are one case
        assert (
            bt.predictive(shards, budget=3).to_dict()
            == bt.predictive(instance if of_memory is expected else in_words, budget=3).to_dict()
        )


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans())
@settings(max_examples=15)
def test_the_rows_that_are_drawn_do_not_depend_on_parts(seed: int, n_parts: int, copies: bool) -> None:
    import tempfile

    rng, frame = np.random.default_rng(seed), table(seed, 300, copies=copies)
    part = rng.integers(0, n_parts, 300)
    frames = [frame[part == number] for number in range(n_parts)]
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as folder:
        patched.setattr(drawing, "MAX_ROWS", 100)
        shards = bt.Shards.from_frames(frames, "y", Path(folder) / "s")
        instance = bt.Instance.from_frame(frame, "y")
        positions = drawing.drawn_rows(instance)
        assert positions is not None
        drawn = instance.recoded({}, positions)
        assert shards.drawn.codes.tolist() == drawn.codes.tolist()
        assert shards.drawn.labels.tolist() == drawn.labels.tolist()
        assert len(positions) == 100


def test_codes_without_rows_are_drawn_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (200, 4))
    instance = bt.Instance(
        codes, codes[:, 0] ^ (codes[:, 1] > 1), weights=rng.integers(1, 4, 200), prices={"1": 2, "0": 1, "2": 1, "3": 3}
    )
    shards = bt.Shards.from_instance(instance, tmp_path / "s", max_rows=30)
    assert model_file(bt.fit(shards, **FIT), tmp_path) == model_file(bt.fit(instance, **FIT), tmp_path)


def test_frontiers_are_those_of_memory(tmp_path: Path) -> None:
    frame = table(2, 200)
    instance = bt.Instance.from_frame(frame, "y")
    shards = bt.Shards.from_frames([frame[:50], frame[50:]], "y", tmp_path / "s")
    found, expected = (bt.frontier(cases, points=3, folds=2) for cases in (shards, instance))
    assert str(found.request.objective) == "new"
    assert [point.budget for point in found] == [point.budget for point in expected]
    assert [point.tree.to_dict() for point in found] == [point.tree.to_dict() for point in expected]
    assert [point.estimate for point in found] == [point.estimate for point in expected]


def test_new_cases_are_what_auto_chooses(tmp_path: Path) -> None:
    shards = bt.Shards.from_instance(bt.datasets.load("pima"), tmp_path / "s")
    assert bt.fit(shards, budget=1, folds=0).objective == bt.fit(bt.datasets.load("pima"), budget=1, folds=0).objective
    assert str(bt.fit(shards, budget=1, method="greedy").objective) == "known"


@pytest.mark.parametrize("file", ["drawn.json", "drawn-codes.npy", "drawn-labels.npy", "drawn-numbers.npy"])
def test_a_broken_folder_is_refused(tmp_path: Path, file: str) -> None:
    shards = bt.Shards.from_frames([table(3, 60)], "y", tmp_path / "s")
    path = tmp_path / "s" / file
    if file.endswith("json"):
        listed = '[{"name": "dose"}]', '[{"name": ["dose"], "censored": [], "is_exact": true}]'
        for text in listed:
            path.write_text(text)
            with pytest.raises(TableFileError, match="Write the shards again"):
                bt.fit(bt.Shards(tmp_path / "s"), budget=1, objective="new")
    else:
        array = np.load(path)
        np.save(path, array[:-1] if "numbers" in file else np.full_like(array, 77))
    with pytest.raises(TableFileError, match="Write the shards again"):
        bt.fit(bt.Shards(tmp_path / "s"), budget=1, objective="new")
    path.write_bytes(b"[" * 100_000 if file.endswith("json") else b"\x93NUMPY\x01\x00\x10\x00{'descr': (\n      ")
    with pytest.raises(TableFileError, match="Write the shards again"):
        bt.fit(bt.Shards(tmp_path / "s"), budget=1, objective="new")
    assert bt.grow(shards, budget=1).n_objects == 60
