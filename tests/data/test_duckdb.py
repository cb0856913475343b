"""The database reads the files it is given, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import polars as pl
import pytest

from budgetree.data.duckdb import FEW, OFFLINE, literal, open_database


def test_only_the_files_that_are_given_can_be_read(tmp_path: Path) -> None:
    for name in ("given.csv", "other.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n", encoding="utf-8")
    with open_database([str(tmp_path / "given.csv")]) as base:
        assert base.run(f"FROM read_csv({literal(str(tmp_path / 'given.csv'))})") == [(1, 2)]
        for path in (str(tmp_path / "other.csv"), "http://localhost/x.csv", "s3://bucket/x.parquet"):
            with pytest.raises(duckdb.Error, match="disabled"):
                base.run(f"FROM read_csv({literal(path)})")
        for command in ("INSTALL httpfs", "LOAD httpfs", "SET enable_external_access = true"):
            with pytest.raises(duckdb.Error):
                base.run(command)
        with pytest.raises(duckdb.Error, match="disabled"):
            base.run(f"COPY (SELECT 1) TO {literal(str(tmp_path / 'written.csv'))}")
        folder = base.folder
    assert not os.path.exists(folder)
    assert sorted(os.listdir(tmp_path)) == ["given.csv", "other.csv"]


def test_no_extension_is_loaded_but_those_that_come_with_duckdb(tmp_path: Path) -> None:
    """Beside what is locked: whether one would be loaded is seen where nothing is."""
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet")
    with duckdb.connect(":memory:", config=dict(OFFLINE)) as connection:
        connection.execute(f"FROM read_parquet({literal(str(tmp_path / 'a.parquet'))})").fetchall()
        for address in ("https://localhost/x.parquet", "s3://bucket/x.parquet"):
            with pytest.raises(duckdb.Error):
                connection.execute(f"FROM read_parquet({literal(address)})")
        found = connection.execute(
            "SELECT extension_name, install_mode FROM duckdb_extensions() WHERE loaded"
        ).fetchall()
    assert {mode for _, mode in found} == {"STATICALLY_LINKED"}
    assert "httpfs" not in {name for name, _ in found}


def test_values_of_any_kind_are_coded(tmp_path: Path) -> None:
    with open_database([]) as base:
        base.run("CREATE TABLE t AS SELECT unnest(['b', NULL, 'it''s', 'b']) AS c")
        assert list(base.coded("c", "t")) == ["b", None, "it's", "b"]
        base.run("CREATE TABLE empty AS SELECT NULL::VARCHAR AS c")
        assert list(base.coded("c", "empty")) == [None]


@pytest.mark.parametrize("n_values", [1, FEW, FEW + 1, 100])
def test_few_and_many_values_are_coded_alike(n_values: int) -> None:
    values = [None if row % 7 == 0 else f"it's {row % n_values}" for row in range(300)]
    rows = ", ".join("(NULL)" if value is None else f"({literal(value)})" for value in values)
    with open_database([]) as base:
        base.run(f"CREATE TABLE t AS FROM (VALUES {rows}) AS t(c)")
        coded = base.coded("c", "t")
    assert list(coded) == values


def test_it_takes_as_many_threads_as_it_is_given() -> None:
    with open_database([], threads=1) as base:
        assert base.run("SELECT current_setting('threads')") == [(1,)]
