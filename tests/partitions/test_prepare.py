"""From parts to partitions: one plan, the codes of memory, and an error where parts do not fit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.data.frames import read_frame
from budgetree.data.profile import MixedColumnError
from budgetree.distributed.partition import Sizes
from budgetree.distributed.prepare import CaseRequest, encode_part, plan_for, survey_part
from budgetree.errors import LossesError, SettingError, TableError, Where

FRAME = pd.DataFrame({"age": [1.5, 2.5, np.nan, 3.0], "sex": ["m", "f", "f", None], "ill": [1, 0, 1, 1]})


def plan_of(frames: list[pd.DataFrame], target: str = "ill", **settings: Any) -> Any:
    request = CaseRequest.of(target, **settings)
    tables = [read_frame(frame, target) for frame in frames]
    surveys = [survey_part(table, request, Where(f"partition {i}")) for i, table in enumerate(tables)]
    plan = plan_for(surveys, request)
    return plan, [encode_part(table, plan)[0] for table in tables]


def test_codes_and_names_are_those_of_memory() -> None:
    prices = {"age": 2, "sex": {"m": 1, "f": 2, "missing": 3}}
    instance = bt.Instance.from_frame(FRAME, "ill", duplicates="keep", prices=prices)
    plan, shards = plan_of([FRAME.iloc[:1], FRAME.iloc[:0], FRAME.iloc[1:]], prices=instance.prices)
    assert (np.concatenate([shard.codes for shard in shards]) == instance.codes_of(instance, range(4))).all()
    assert np.concatenate([shard.labels for shard in shards]).tolist() == instance.row_labels.tolist()
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
    assert (units / float(scale)).tolist() == [weight for weight in expected.row_weights.tolist() if weight]
    assert plan.schema.weight_scale == expected.schema.weight_scale == Fraction(scale)


def test_weights_and_losses_leave_room_for_each_other() -> None:
    weights, losses = [1 / 3, 0.123456789, 2.5, 3.1], {0: 12345.678, 1: 1}
    expected = bt.Instance(np.zeros((4, 1)), FRAME["ill"].to_numpy(), weights=weights, losses=losses)
    plan, shards = plan_of([FRAME.assign(w=weights)], weights="w", losses=losses)
    assert plan.schema.weight_scale == expected.schema.weight_scale
    assert sorted(shards[0].weight_units.tolist()) == sorted(expected.weight_units.tolist())


@pytest.mark.parametrize(
    ("frames", "settings", "kind", "fields"),
    [
        ([FRAME, FRAME.drop(columns="age")], {}, TableError, {"found": ("sex",), "source": "partition 1"}),
        ([FRAME], {"target": "wrong"}, SettingError, {"subject": "target", "found": "wrong", "source": "partition 0"}),
        ([FRAME], {"weights": "w"}, SettingError, {"subject": "weights", "found": "w", "source": "partition 0"}),
        ([FRAME], {"weights": "sex"}, TableError, {"subject": "sex", "source": "partition 0"}),
        ([FRAME.assign(w=[1, 1, -1, 1])], {"weights": "w"}, SettingError, {"subject": "weights", "found": -1.0}),
        ([FRAME.assign(w=0)], {"weights": "w"}, SettingError, {"subject": "weights", "found": 0}),
        ([FRAME[["ill"]]], {}, TableError, {"source": "partition 0"}),
        ([FRAME.iloc[:0]], {}, TableError, {"found": 0}),
        (
            [FRAME, FRAME.assign(ill=[1, None, 0, 1])],
            {},
            TableError,
            {"subject": "ill", "found": 1, "source": "partition 1"},
        ),
        ([FRAME], {"duplicates": "drop"}, SettingError, {"subject": "duplicates", "found": "drop"}),
    ],
)
def test_what_does_not_fit_is_refused(
    frames: list[pd.DataFrame], settings: dict[str, Any], kind: Any, fields: dict[str, Any]
) -> None:
    with refused(kind, **fields):
        plan_of(frames, **settings)


def test_the_order_of_the_columns_does_not_matter() -> None:
    plan, (first, second) = plan_of([FRAME, FRAME[["sex", "ill", "age"]]])
    assert plan.schema.test_names == ("age", "sex")
    assert first.codes.tolist() == second.codes.tolist()


def test_the_first_column_that_differs_is_named() -> None:
    with pytest.raises(TableError) as caught:
        plan_of([FRAME, FRAME.drop(columns="age")])
    assert str(caught.value).startswith("partition 1: the columns are not those of partition 0: age; expected the same")


def test_losses_that_leave_no_exact_sum_are_refused() -> None:
    losses = {0: 1e15, 1: 1}
    plan_of([FRAME], losses=losses)
    with refused(LossesError, found=10**15):
        plan_of([FRAME] * 3, losses=losses)


def test_numbers_in_one_part_and_text_in_another() -> None:
    with pytest.raises(MixedColumnError) as caught:
        plan_of([FRAME, FRAME.assign(age="old")])
    assert caught.value.subject == "age"


@pytest.mark.parametrize(("levels", "found"), [(1, 1), ({"size": 5}, "size")])
def test_levels_that_do_not_fit_are_refused(levels: Any, found: Any) -> None:
    with refused(SettingError, subject="levels", found=found, where=None):
        plan_of([FRAME], levels=levels)


@pytest.mark.parametrize(
    ("other", "subject", "found"),
    [
        (FRAME.assign(ill=[1, 0, 1, 2]), "ill", 2),
        (FRAME.assign(ill=[1, 0, 1, None]), "ill", None),
        (FRAME.assign(sex=["m", "f", "x", None]), "sex", "x"),
        (FRAME.assign(age=[1.5, 2.5, np.nan, 7]), "age", 7),
        (FRAME.drop(columns="sex"), "sex", None),
        (FRAME.drop(columns="ill"), "ill", None),
    ],
)
def test_rows_that_change_between_two_readings_are_refused(other: pd.DataFrame, subject: str, found: Any) -> None:
    plan, _ = plan_of([FRAME])
    with refused(TableError, subject=subject, found=found):
        encode_part(read_frame(other, "ill"), plan)


def test_a_gap_that_was_not_there_at_first_is_refused() -> None:
    whole = FRAME.iloc[:2]
    plan, _ = plan_of([whole])
    for column in ("age", "sex"):
        with refused(TableError, subject=column, found=None):
            encode_part(read_frame(whole.assign(**{column: [None, whole[column][1]]}), "ill"), plan)


def test_more_labels_than_are_kept_are_refused() -> None:
    parts, small = [FRAME.assign(ill=range(first, first + 4)) for first in (0, 4)], Sizes(column_values=3)
    with refused(TableError, subject="ill", found=3):
        plan_of(parts, sizes=small)
    assert len(plan_of(parts[:1], sizes=small)[0].schema.class_names) == 4
