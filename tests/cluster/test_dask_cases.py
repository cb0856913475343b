"""DaskCases: coded once; the group-by of duplicates is memory's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client

import budgetree as bt
from _support.refusals import refused
from budgetree.dask import DaskCases
from budgetree.distributed.partition import Sizes
from budgetree.errors import TableError


def test_totals_and_what_no_tree_avoids(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    small = Sizes(bucket_bytes=900)  # several buckets
    for duplicates in ("merge", "keep"):
        instance = bt.Instance.from_frame(table, "y", duplicates=duplicates)  # type: ignore[arg-type]
        cases = DaskCases(frame, "y", duplicates=duplicates, sizes=small)
        assert cases.n_objects == instance.n_objects
        assert cases.class_order.counts.tolist() == instance.class_order.counts.tolist()
        unavoidable = cases.irreducible
        assert (unavoidable.units, unavoidable.n_objects) == (
            instance.irreducible.units,
            instance.irreducible.n_objects,
        )
    assert repr(cases) == "DaskCases(400 cases, 3 tests, 2 classes)"


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda part: part.iloc[1:], {"found": 199, "expected": 200, "source": "partition 1"}),
        (lambda part: part.assign(y="sick"), {"subject": "y", "found": "sick"}),
        (lambda part: part.assign(sex="x"), {"subject": "sex", "found": "x"}),
    ],
)
def test_a_frame_that_changes_between_two_readings(
    client: Client, table: pd.DataFrame, tmp_path: Path, change: Any, fields: dict[str, Any]
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
    with refused(TableError, **fields):
        DaskCases(frame.map_partitions(read, meta=frame._meta), "y")
