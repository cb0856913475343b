"""A cluster within this process, for all tests of it, and a table to cut into partitions."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

IGNORED = ("ignore:unclosed:ResourceWarning", "ignore:Exception ignored in. <socket")  # which Dask leaves open


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "cluster":
            for warning in IGNORED:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="package")
def client() -> Iterator[Client]:
    settings = {"distributed.admin.log-format": "%(message)s", "distributed.worker.profile.enabled": False}
    with (
        dask.config.set(settings),
        Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as made,
    ):
        yield made


@pytest.fixture(scope="package")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n_rows = 400
    frame = pd.DataFrame({
        "age": rng.normal(50, 10, n_rows).round(),
        "sex": rng.choice(["m", "f"], n_rows),
        "n": rng.integers(0, 4, n_rows),
    })  # fmt: skip
    frame.loc[rng.random(n_rows) < 0.1, "age"] = np.nan
    is_ill = (frame["age"].fillna(0) > 50) ^ (frame["sex"] == "m") ^ (rng.random(n_rows) < 0.1)
    return frame.assign(y=np.where(is_ill, "ill", "well"))


@pytest.fixture(scope="package")
def frame(table: pd.DataFrame) -> dd.DataFrame:
    """Four partitions, of which one is empty and one is of one class."""
    parts = [table[table.index % 2 == 0], table.iloc[:0], table[(table.index % 2 == 1) & (table["y"] == "ill")]]
    rest = table[(table.index % 2 == 1) & (table["y"] == "well")]
    return dd.concat([dd.from_pandas(part, npartitions=1, sort=False) for part in (*parts, rest)])
