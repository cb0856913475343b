"""Collections of Dask as parts: rows, labels and weights together, or an error about what does not match."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client

from _support.refusals import refused
from budgetree.dask import DaskCases
from budgetree.distributed.dask_cases import parts_of_columns
from budgetree.distributed.prepare import CaseRequest
from budgetree.errors import SettingError, TableError

NAMES = ("y", "w")


def test_arrays_have_columns_by_number(client: Client) -> None:
    rows = da.from_array(np.array([[0, 1], [1, 1], [2, 0]]), chunks=(2, 2))
    labels = da.from_array(np.array([1, 0, 1]), chunks=2)
    parts = parts_of_columns(rows, labels, labels.astype(float), NAMES)
    cases = DaskCases.of(client, parts, CaseRequest.of("y", weights="w"))
    assert cases.test_names == ("x0", "x1")
    assert cases.class_names == (0, 1)
    assert cases.class_order.counts.tolist() == [0, 2]


def test_local_and_dask_are_not_mixed(frame: dd.DataFrame, table: pd.DataFrame) -> None:
    with refused(SettingError, subject="y", found=("y",)):
        parts_of_columns(frame[["age"]], table["y"], None, NAMES)
    with refused(SettingError, subject="X", found=("X", "sample_weight")):
        parts_of_columns(table[["age"]], frame["y"], [1], NAMES)


def test_partitions_must_match(client: Client, frame: dd.DataFrame, table: pd.DataFrame) -> None:
    whole = dd.from_pandas(table, npartitions=1)
    with refused(SettingError, subject="partitions", found={"X": 4, "y": 1}):
        parts_of_columns(frame[["age"]], whole["y"], None, NAMES)
    shorter = parts_of_columns(whole[["age"]], whole["y"].loc[:9], None, NAMES)
    with refused(TableError, subject="labels", found=10, expected=400):
        DaskCases.of(client, shorter, CaseRequest.of("y"))
    for flat in (whole["age"], da.ones(400)):
        with refused(SettingError, subject="X", found=1, expected=2):
            parts_of_columns(flat, whole["y"], None, NAMES)
    with refused(SettingError, subject="X", found=2, expected=1):
        parts_of_columns(da.ones((4, 4), chunks=2), da.ones(4, chunks=2), None, NAMES)
