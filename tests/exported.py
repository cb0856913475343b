"""Exported trees, run: by Python, DuckDB, node and onnxruntime; PMML and rules by readers of ours."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pyarrow as pa
from numpy.typing import NDArray

import budgetree as bt
from budgetree.show.export.program import has_totals
from budgetree.show.export.sql import column
from budgetree.tree import Origin, Walk
from budgetree.tree.builder import grown_tree
from budgetree.tree.grown import grown_nodes
from node_runner import by_node
from pmml_reader import PmmlTree, check_structure

ROW = "number of the row"


def compiled(tree: bt.Tree, *, full: bool = False) -> Any:
    names: dict[str, Any] = {}
    exec(tree.export("python", name="diagnose", full=full), names)
    return names["diagnose"]


def by_duckdb(tree: bt.Tree, table: pa.Table) -> list[Any]:
    """The answer of each row."""
    expression = tree.export("sql", backslash_escapes=False)
    return [answer for _, answer in _by_duckdb(table, f"SELECT {column(ROW)}, {expression} FROM cases")]


def costs_of(walk: Walk) -> list[list[float]]:
    """Per row, what it took of every resource; the price first."""
    return np.stack([walk.cost, *walk.further_costs.values()], axis=1).tolist()


def assert_all_of_sql(found: list[Any], tree: bt.Tree, walk: Walk) -> None:
    """Answer, probabilities and costs; EXP is that of the engine."""
    assert [row[0] for row in found] == list(map(_as_in_sql(tree), tree.schema.answers[walk.answers].tolist()))
    end = 1 + len(tree.class_names)
    np.testing.assert_allclose([row[1:end] for row in found], walk.probabilities, rtol=1e-12, atol=1e-15)
    assert [list(row[end:]) for row in found] == costs_of(walk)


def _as_in_sql(tree: bt.Tree) -> Any:
    return str if len({isinstance(name, str) for name in tree.answer_names}) > 1 else lambda name: name


def full_by_duckdb(tree: bt.Tree, table: pa.Table) -> list[Any]:
    """All that there is of each row."""
    return [row[1:] for row in _by_duckdb(table, tree.export("sql", backslash_escapes=False, full=True, columns=[ROW]))]


def _by_duckdb(table: pa.Table, query: str) -> list[Any]:
    """In the order of the rows, which a database need not keep."""
    connection = database()
    connection.register("cases", table.append_column(ROW, pa.array(range(len(table)))))
    return connection.execute(f"SELECT * FROM (\n{query}\n) AS found ORDER BY {column(ROW)}").fetchall()


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for all: opening one takes longer than most queries."""
    return duckdb.connect()


def expected(tree: bt.Tree, table: pa.Table) -> list[Any]:
    return tree.predict(table).tolist()


def assert_all_agree(tree: bt.Tree, table: pa.Table) -> None:
    wanted = expected(tree, table)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in table.to_pylist()] == wanted
    assert by_duckdb(tree, table) == wanted
    assert_all_of_sql(full_by_duckdb(tree, table), tree, tree.walk(table))
    assert_python_agrees(tree, table.to_pylist(), tree.walk(table))
    assert_javascript_agrees(tree, table.to_pylist(), tree.walk(table))
    assert_onnx_agrees(tree, table.to_pylist(), tree.walk(table))
    if not has_totals(tree):
        assert_pmml_agrees(tree, table.to_pylist(), tree.walk(table))
        assert_rules_agree(tree, tree.encode(table))


def assert_costs(found: list[dict[str, Any]], tree: bt.Tree, walk: Walk) -> None:
    """Of programs that say what a case took: by resource where there are several."""
    assert [row["cost"] for row in found] == walk.cost.tolist()
    if walk.further_costs:
        assert [row["costs"] for row in found] == [dict(zip(tree.costs, of, strict=True)) for of in costs_of(walk)]
    else:
        assert all("costs" not in row for row in found)


def assert_javascript_agrees(tree: bt.Tree, rows: list[dict[str, Any]], walk: Walk) -> None:
    """Answer, probabilities, cost and tests of every row."""
    found = by_node(tree, rows)
    assert [row["answer"] for row in found] == tree.schema.answers[walk.answers].tolist()
    assert [row["tests"] for row in found] == list(map(list, walk.tests))
    assert_costs(found, tree, walk)
    assert [[entry["class"] for entry in row["probabilities"]] for row in found] == [list(tree.class_names)] * len(rows)
    shares = [[entry["probability"] for entry in row["probabilities"]] for row in found]
    assert shares == walk.probabilities.tolist()


def assert_python_agrees(tree: bt.Tree, rows: list[dict[str, Any]], walk: Walk) -> None:
    """Answer, probabilities, cost and tests of every row."""
    diagnose = compiled(tree, full=True)
    found = [diagnose(row) for row in rows]
    assert [row["answer"] for row in found] == tree.schema.answers[walk.answers].tolist()
    assert [row["tests"] for row in found] == list(map(list, walk.tests))
    assert_costs(found, tree, walk)
    assert [list(row["probabilities"]) for row in found] == [list(tree.class_names)] * len(rows)
    assert [list(row["probabilities"].values()) for row in found] == walk.probabilities.tolist()


def by_onnx(tree: bt.Tree, rows: list[dict[str, Any]]) -> list[NDArray[Any]]:
    """Answers, probabilities and costs by onnxruntime."""
    session = onnxruntime.InferenceSession(tree.to_onnx(), providers=["CPUExecutionProvider"])
    columns: dict[str, Any] = {}
    for given in session.get_inputs():
        values = [row[given.name] for row in rows]
        if given.type == "tensor(string)":
            texts = ["" if _is_missing(value) else _as_text(value) for value in values]
            columns[given.name] = np.array(texts, dtype=object)[:, None]
        else:
            numbers = [math.nan if _is_missing(value) else float(value) for value in values]
            columns[given.name] = np.array(numbers)[:, None]
    found: list[NDArray[Any]] = session.run(None, columns)
    return found


def _is_missing(value: Any) -> bool:
    return value is None or value != value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else value.isoformat()


def assert_onnx_agrees(tree: bt.Tree, rows: list[dict[str, Any]], walk: Walk) -> None:
    """Answer, probabilities and cost of every row; the exponential is that of the engine."""
    answers, probabilities, *costs = by_onnx(tree, rows)
    assert answers.tolist() == list(map(_as_in_sql(tree), tree.schema.answers[walk.answers].tolist()))
    np.testing.assert_allclose(probabilities, walk.probabilities, rtol=1e-12, atol=1e-15)
    assert np.stack(costs, axis=1).tolist() == costs_of(walk)


def assert_pmml_agrees(tree: bt.Tree, rows: list[dict[str, Any]], walk: Walk) -> None:
    """Answer and probabilities of every row."""
    text = tree.export("pmml")
    check_structure(text)
    model = PmmlTree(text)
    found = [model.score(row) for row in rows]
    assert [row.answer for row in found] == tree.schema.answers[walk.answers].tolist()
    assert [list(row.probabilities.values()) for row in found] == walk.probabilities.tolist()


def assert_rules_agree(tree: bt.Tree, codes: Any) -> None:
    """The one rule that holds says what predict does; none holds where a row shows what no known case did."""
    place = {name: test for test, name in enumerate(tree.test_names)}
    outcomes, rules = tree.schema.outcome_names, tree.rules()
    walk = tree.walk_codes(codes)
    ends = zip(codes.tolist(), walk.answers.tolist(), walk.leaf.tolist(), costs_of(walk), strict=True)
    for row, answer, end, costs in ends:
        held = [
            rule
            for rule in rules
            if all(
                row[place[test]] < len(outcomes[place[test]])
                and is_among(outcomes[place[test]][row[place[test]]], names)
                for test, names in rule.conditions
            )
        ]
        wanted = [] if tree.outline.is_hidden(end) else [tree.answer_names[answer]]
        assert [rule.label for rule in held] == wanted
        if not tree.schema.costs.depends_on_outcome:  # else a rule has the costliest of its outcomes
            assert all(list(rule.costs.values()) == costs for rule in held)


def is_among(outcome: str, names: tuple[str, ...]) -> bool:
    """Whether an outcome is named, or is a part of a range that is."""
    return outcome in names or any(_is_within(outcome, name) for name in names)


def _is_within(outcome: str, name: str) -> bool:
    part, whole = _range(outcome), _range(name)
    return part is not None and whole is not None and whole[0] <= part[0] and part[1] <= whole[1]


def _range(text: str) -> tuple[float, float] | None:
    low, _, high = text.removeprefix("below ").partition(" to ")
    if text.startswith("below "):
        low, high = "-inf", low
    elif text.endswith(" or more"):
        low, high = text.removesuffix(" or more"), "inf"
    try:
        return (-math.inf, math.inf) if text == "any" else (float(low), float(high))
    except ValueError:
        return None


def deep_tree(depth: int) -> bt.Tree:
    """A chain: test i ends at outcome 0 and goes on at 1."""
    inner = np.arange(depth)
    test = np.full(2 * depth + 1, -1, dtype=np.int32)
    test[inner * 2] = inner
    branches = np.stack([inner * 2 + 1, inner * 2 + 2], axis=1).ravel().astype(np.int32)
    counts = np.zeros((2 * depth + 1, 2), dtype=np.int64)
    for node in reversed(range(2 * depth + 1)):
        if test[node] >= 0:
            counts[node] = counts[node + 1] + counts[node + 2]
        else:
            counts[node, (node // 2) % 2] = 1
    names = [f"t{i}" for i in range(depth)]
    instance = bt.Instance(np.eye(depth, dtype=int), np.arange(depth) % 2, test_names=names, class_names=["a", "b"])
    grown = grown_nodes(instance.schema, test, counts, branches, np.zeros(len(test), dtype=bool))
    return grown_tree(instance.schema, grown, depth + 1, Origin())
