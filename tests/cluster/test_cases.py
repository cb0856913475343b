"""DaskCases: coded once; the group-by of rows that are alike is memory's."""

from __future__ import annotations

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
