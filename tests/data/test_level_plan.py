"""To how many levels a column of numbers is rounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import budgetree as bt
from budgetree.data.encoders import LevelPlan, Levels

FRAME = pd.DataFrame({"few": [0, 1, 2, 3] * 5, "many": range(20), "y": [0, 1] * 10})


def counts(levels: Any) -> list[int | None]:
    """Per test the number of its levels; None where it is not rounded."""
    encoders = bt.Instance.from_frame(FRAME, "y", levels=levels).schema.encoders
    return [encoder.levels if isinstance(encoder, Levels) else None for encoder in encoders or ()]


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
    ("levels", "message"),
    [
        (LevelPlan(3, {"fewer": 4}), "no test is named 'fewer'; the tests are 'few', 'many'"),
        (LevelPlan(1), "levels is 1; expected a whole number from 2 to 254"),
        (LevelPlan(3, {"few": 255}), "levels is 255; expected"),
    ],
)
def test_what_cannot_be_done_is_refused(levels: LevelPlan, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counts(levels)


def test_codes_that_get_levels_are_amounts(tmp_path: Path) -> None:
    lines = [f"{value:03d},{value % 7:02d},{value % 2}" for value in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *lines]), encoding="utf-8")
    encoders = bt.Instance.from_file(tmp_path / "t.csv", "y", levels={"a": 5}).schema.encoders
    assert encoders is not None
    assert encoders[0] == Levels("a", 0, 39, 5, has_missing=False)
    assert encoders[1].values == tuple(f"{value:02d}" for value in range(7))
    (tmp_path / "t.csv").write_text("\n".join(["a,y", "007,1", "x,0"]), encoding="utf-8")
    with pytest.raises(ValueError, match="column 'a' holds text, not numbers, so it has no levels"):
        bt.Instance.from_file(tmp_path / "t.csv", "y", levels={"a": 5})
