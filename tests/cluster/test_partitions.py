"""Partitions: rows, labels and weights together, or words about what does not match."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

from budgetree.dask import DaskCases
from budgetree.dask.partitions import ColumnNames, of_columns
from budgetree.shards.plan import CaseRequest

NAMES = ColumnNames("y", "w")


def test_arrays_have_columns_by_number(client: Client) -> None:
    rows = da.from_array(np.array([[0, 1], [1, 1], [2, 0]]), chunks=(2, 2))
    labels = da.from_array(np.array([1, 0, 1]), chunks=2)
    partitions = of_columns(rows, labels, labels.astype(float), NAMES)
    cases = DaskCases.of(client, partitions, CaseRequest.of("y", weights="w"))
    assert cases.test_names == ("x0", "x1")
    assert cases.class_names == (0, 1)
    assert cases.class_order.counts.tolist() == [0, 2]


def test_local_and_dask_are_not_mixed(frame: dd.DataFrame, table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"y \(Series\): local, where Dask collections are expected"):
        of_columns(frame[["age"]], table["y"], None, NAMES)
    with pytest.raises(ValueError, match=r"X \(DataFrame\), sample_weight \(list\): local"):
        of_columns(table[["age"]], frame["y"], [1], NAMES)


def test_partitions_must_match(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    whole = dd.from_pandas(table, npartitions=1)
    with pytest.raises(ValueError, match="X has 4, y has 1; expected the same rows in the same partitions"):
        of_columns(frame[["age"]], whole["y"], None, NAMES)
    shorter = of_columns(whole[["age"]], whole["y"].loc[:9], None, NAMES)
    with pytest.raises(ValueError, match="10 labels for 400 rows of X"):
        DaskCases.of(client, shorter, CaseRequest.of("y"))
    for flat in (whole["age"], da.ones(400)):
        with pytest.raises(ValueError, match=r"X has 1 dimension; .*frame\[\['test'\]\]"):
            of_columns(flat, whole["y"], None, NAMES)
    with pytest.raises(ValueError, match="its columns are in 2 chunks"):
        of_columns(da.ones((4, 4), chunks=2), da.ones(4, chunks=2), None, NAMES)
