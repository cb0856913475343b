"""Exported trees, run: the Python function, and the SQL expression by DuckDB."""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import budgetree as bt
from budgetree.tree import Nodes


def compiled(tree: bt.Tree) -> Any:
    names: dict[str, Any] = {}
    exec(tree.to_python("diagnose"), names)
    return names["diagnose"]


def by_duckdb(tree: bt.Tree, table: pa.Table) -> list[Any]:
    connection = database()
    connection.register("cases", table)
    return [
        row[0] for row in connection.execute(f"SELECT {tree.to_sql(backslash_escapes=False)} FROM cases").fetchall()
    ]


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for all: opening one takes longer than most queries."""
    return duckdb.connect()


def expected(tree: bt.Tree, table: pa.Table) -> list[Any]:
    return tree.predict(tree.encode(table)).tolist()


def assert_all_agree(tree: bt.Tree, table: pa.Table) -> None:
    wanted = expected(tree, table)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in table.to_pylist()] == wanted
    assert by_duckdb(tree, table) == wanted


def deep_tree(depth: int) -> bt.Tree:
    """A chain: test i ends at outcome 0 and goes on at 1."""
    inner = np.arange(depth)
    test = np.full(2 * depth + 1, -1, dtype=np.int32)
    test[inner * 2] = inner
    parent = np.concatenate([[-1], np.repeat(inner * 2, 2)]).astype(np.int32)
    branches = np.stack([inner * 2 + 1, inner * 2 + 2], axis=1).ravel().astype(np.int32)
    counts = np.zeros((2 * depth + 1, 2), dtype=np.int64)
    for node in reversed(range(2 * depth + 1)):
        if test[node] >= 0:
            counts[node] = counts[node + 1] + counts[node + 2]
        else:
            counts[node, (node // 2) % 2] = 1
    first_branch = np.where(test >= 0, test.astype(np.int64) * 2, -1)
    paid = np.where(parent >= 0, parent // 2 + 1, 0).astype(np.int64)
    names = [f"t{i}" for i in range(depth)]
    instance = bt.Instance(np.eye(depth, dtype=int), np.arange(depth) % 2, test_names=names, class_names=["a", "b"])
    nodes = Nodes(test, parent, counts, paid, first_branch, branches, np.zeros(len(test), dtype=bool))
    return bt.Tree(instance.schema, nodes, depth + 1)
