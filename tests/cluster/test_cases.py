"""DaskCases: coded once; the group-by of rows that are alike is memory's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client

import budgetree as bt
from budgetree.dask import DaskCases


def test_totals_and_what_no_tree_avoids(
    client: Client, frame: dd.DataFrame, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgetree.shards.identical.BUCKET_BYTES", 900)  # several buckets
    for duplicates in ("merge", "keep"):
        instance = bt.Instance.from_frame(table, "y", duplicates=duplicates)  # type: ignore[arg-type]
        cases = DaskCases(frame, "y", duplicates=duplicates)
        assert cases.n_objects == instance.n_objects
        assert cases.class_order.counts.tolist() == instance.class_order.counts.tolist()
        unavoidable = cases.irreducible
        assert (unavoidable.units, unavoidable.n_objects) == (
            instance.irreducible.units,
            instance.irreducible.n_objects,
        )
    assert repr(cases) == "DaskCases(400 cases, 3 tests, 2 classes)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.iloc[1:], "^199 rows of partition 1 came when they were read again, and 200 at first;"),
        (lambda part: part.assign(y="sick"), "^column 'y': 'sick' came when the rows were read again, and not at"),
        (lambda part: part.assign(sex="x"), "^column 'sex': 'x' came when"),
    ],
)
def test_a_frame_that_changes_between_two_readings(
    client: Client, table: pd.DataFrame, tmp_path: Path, change: Any, message: str
) -> None:
    was_read = tmp_path / "was_read"  # which copies of the function share

    def read(part: pd.DataFrame) -> pd.DataFrame:
        """Others, from the second reading of the last partition on."""
        if not len(part) or part.index[0] != 200:
            return part
        is_again = was_read.exists()
        was_read.touch()
        return change(part) if is_again else part

    frame = dd.from_pandas(table, npartitions=2, sort=False)
    with pytest.raises(ValueError, match=message):
        DaskCases(frame.map_partitions(read, meta=frame._meta), "y")
