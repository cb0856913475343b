"""From parts to shards: one plan, the codes of memory, and clear words where parts do not fit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from budgetree.data.frames import read_frame
from budgetree.shards.plan import CaseRequest, encode_part, plan_for, survey_part

FRAME = pd.DataFrame({"age": [1.5, 2.5, np.nan, 3.0], "sex": ["m", "f", "f", None], "ill": [1, 0, 1, 1]})


def plan_of(frames: list[pd.DataFrame], target: str = "ill", **settings: Any) -> Any:
    request = CaseRequest.of(target, **settings)
    tables = [read_frame(frame, target) for frame in frames]
    surveys = [survey_part(table, request, f"partition {i}") for i, table in enumerate(tables)]
    plan = plan_for(surveys, request)
    return plan, [encode_part(table, plan) for table in tables]


def test_codes_and_names_are_those_of_memory() -> None:
    prices = {"age": 2, "sex": {"m": 1, "f": 2, "missing": 3}}
    instance = bt.Instance.from_frame(FRAME, "ill", duplicates="keep", prices=prices)
    plan, shards = plan_of([FRAME.iloc[:1], FRAME.iloc[:0], FRAME.iloc[1:]], prices=instance.prices)
    assert (np.concatenate([shard.codes for shard in shards]) == instance.codes).all()
    assert np.concatenate([shard.labels for shard in shards]).tolist() == instance.labels.tolist()
    assert plan.schema.outcome_names == instance.outcome_names
    assert plan.schema.class_names == instance.class_names
    assert plan.n_rows == 4


@pytest.mark.parametrize(
    ("weights", "scale"), [([1, 2, 0, 3], 1), ([0.5, 0.25, 1, 0], 100), ([1 / 3, 1, 2, 3], 10**14)]
)
def test_weights_are_whole_units_found_over_all_parts(weights: list[float], scale: int) -> None:
    frame = FRAME.assign(w=weights)
    expected = bt.Instance(np.zeros((4, 1)), FRAME["ill"].to_numpy(), weights=weights)
    plan, shards = plan_of([frame.iloc[:2], frame.iloc[2:]], weights="w")
    units = np.concatenate([np.ones(len(s)) if s.weight_units is None else s.weight_units for s in shards])
    assert units.tolist() == [unit for unit in expected.weight_units.tolist() if unit]
    assert plan.schema.weight_scale == expected.schema.weight_scale == Fraction(scale)


def test_weights_and_losses_leave_room_for_each_other() -> None:
    weights, losses = [1 / 3, 0.123456789, 2.5, 3.1], {0: 12345.678, 1: 1}
    expected = bt.Instance(np.zeros((4, 1)), FRAME["ill"].to_numpy(), weights=weights, losses=losses)
    plan, shards = plan_of([FRAME.assign(w=weights)], weights="w", losses=losses)
    assert plan.schema.weight_scale == expected.schema.weight_scale
    assert shards[0].weight_units.tolist() == expected.weight_units.tolist()


@pytest.mark.parametrize(
    ("frames", "settings", "message"),
    [
        ([FRAME, FRAME.drop(columns="age")], {}, "columns of partition 1 are not those of partition 0: age"),
        ([FRAME, FRAME[["sex", "age", "ill"]]], {}, "the order of the columns"),
        ([FRAME, FRAME.assign(age="old")], {}, r"numbers in partition 0 \(1.5\) and text in partition 1 \('old'\)"),
        ([FRAME], {"target": "wrong"}, "no column of partition 0 is named 'wrong'; the columns are 'age'"),
        ([FRAME], {"weights": "w"}, "weights: no column of partition 0 is named 'w'"),
        ([FRAME], {"weights": "sex"}, "weights: column 'sex' holds .*; expected numbers"),
        ([FRAME.assign(w=[1, 1, -1, 1])], {"weights": "w"}, "row 2 of partition 0 has weight -1.0"),
        ([FRAME.assign(w=0)], {"weights": "w"}, "every weight is 0"),
        ([FRAME[["ill"]]], {}, "no column beside the target"),
        ([FRAME.iloc[:0]], {}, "the table is empty"),
        ([FRAME, FRAME.assign(ill=[1, None, 0, 1])], {}, "1 label is missing in partition 1, the first in row 1"),
        ([FRAME], {"duplicates": "drop"}, "duplicates is 'drop'; expected 'merge' or 'keep'"),
        ([FRAME], {"levels": 1}, "levels is 1; expected a whole number"),
        ([FRAME], {"levels": {"size": 5}}, "levels: no test is named 'size'"),
    ],
)
def test_what_does_not_fit_is_said(frames: list[pd.DataFrame], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_of(frames, **settings)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (FRAME.assign(ill=[1, 0, 1, 2]), "column 'ill': 2 came when the rows were read again, and not at first;"),
        (FRAME.assign(ill=[1, 0, 1, None]), "column 'ill': a missing value came when the rows were read again"),
        (FRAME.assign(sex=["m", "f", "x", None]), "column 'sex': 'x' came when"),
        (FRAME.assign(age=[1.5, 2.5, np.nan, 7]), "column 'age': 7 came when"),
        (FRAME.drop(columns="sex"), "column 'sex' was there at first, and was gone when the rows were read again; exp"),
        (FRAME.drop(columns="ill"), "column 'ill' was there at first"),
    ],
)
def test_rows_that_change_between_two_readings_are_refused(other: pd.DataFrame, message: str) -> None:
    plan, _ = plan_of([FRAME])
    with pytest.raises(ValueError, match=message):
        encode_part(read_frame(other, "ill"), plan)


def test_a_gap_that_was_not_there_at_first_is_refused() -> None:
    whole = FRAME.iloc[:2]
    plan, _ = plan_of([whole])
    for column in ("age", "sex"):
        with pytest.raises(ValueError, match=f"column '{column}': a missing value came when the rows were read again"):
            encode_part(read_frame(whole.assign(**{column: [None, whole[column][1]]}), "ill"), plan)


def test_more_labels_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("data.profile", "shards.plan"):
        monkeypatch.setattr(f"budgetree.{place}.MAX_VALUES", 3)
    parts = [FRAME.assign(ill=range(first, first + 4)) for first in (0, 4)]
    with pytest.raises(ValueError, match="column 'ill' has 3 different labels or more; expected fewer where"):
        plan_of(parts)
    assert len(plan_of(parts[:1])[0].schema.class_names) == 4
