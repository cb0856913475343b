"""Rules, Graphviz, Python and SQL: each is run, or read by another program, and must say what predict says."""

from __future__ import annotations

import math
import random
import sqlite3
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pydot
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from budgetree.tree import Nodes


def compiled(tree: bt.Tree) -> Any:
    names: dict[str, Any] = {}
    exec(tree.to_python("diagnose"), names)
    return names["diagnose"]


def by_duckdb(tree: bt.Tree, table: pa.Table) -> list[Any]:
    with duckdb.connect() as connection:
        connection.register("cases", table)
        return [row[0] for row in connection.execute(f"SELECT {tree.to_sql()} FROM cases").fetchall()]


def expected(tree: bt.Tree, table: pa.Table) -> list[Any]:
    return tree.predict(tree.encode(table)).tolist()


def assert_all_agree(tree: bt.Tree, table: pa.Table) -> None:
    wanted = expected(tree, table)
    diagnose = compiled(tree)
    assert [diagnose(row) for row in table.to_pylist()] == wanted
    assert by_duckdb(tree, table) == wanted


@pytest.mark.parametrize("name", [name for name in bt.datasets.names() if name not in ("synthetic", "figure1")])
def test_python_and_sql_predict_what_the_tree_does(name: str) -> None:
    raw = bt.datasets.frame(name)
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), bt.HingedPairs(3), budget=5)
    table = pa.Table.from_pandas(raw.drop(columns=target), preserve_index=False)
    assert_all_agree(tree, table)


CASES = st.lists(
    st.fixed_dictionaries(
        {
            "x": st.none() | st.floats(-100, 100) | st.integers(-5, 5).map(float),
            'odd "name"': st.none() | st.sampled_from(["it's", 'a "b"', "c\\d", "new\nline", "ü"]),
            "whole": st.none() | st.integers(0, 4),
            "flag": st.none() | st.booleans(),
            "day": st.none() | st.sampled_from([date(2024, 2, 28), date(2024, 2, 29)]),
            "label": st.sampled_from(["it's", "other"]),
        }
    ),
    min_size=4,
    max_size=40,
)
TYPES = {
    "x": pa.float64(),
    'odd "name"': pa.string(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "label": pa.string(),
}


@given(CASES, CASES, st.integers(2, 5))
def test_any_table_with_missing_and_unseen_values(known: Any, new: Any, levels: int) -> None:
    schema = pa.schema(list(TYPES.items()))
    table = pa.Table.from_pylist(known, schema=schema)
    tree = bt.grow(bt.Instance.from_frame(table, "label", levels=levels, duplicates="keep"))
    assert_all_agree(tree, pa.Table.from_pylist(new, schema=schema).drop_columns("label"))
    assert_all_agree(tree, table.drop_columns("label"))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([datetime(2024, 2, 29, 12), datetime(2024, 3, 1)], pa.timestamp("us")),
        ([datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)], pa.timestamp("us", tz="UTC")),
        ([Decimal("1.10"), Decimal("2.25")], pa.decimal128(5, 2)),
        ([timedelta(minutes=3), timedelta(microseconds=1)], pa.duration("us")),
    ],
    ids=str,
)
def test_values_of_other_kinds(values: list[Any], kind: pa.DataType) -> None:
    if pa.types.is_decimal(kind):  # narwhals calls decimals numbers; as objects they are values
        tree = bt.grow(bt.Instance.from_frame(pd.DataFrame({"v": values * 2, "label": [0, 1, 0, 1]}), "label"))
    else:
        tree = bt.grow(bt.Instance.from_frame(pa.table({"v": pa.array(values, kind), "label": [0, 1]}), "label"))
    assert [compiled(tree)({"v": value}) for value in [*values, None]] == [0, 1, 0]
    assert by_duckdb(tree, pa.table({"v": pa.array([*values, None], kind)})) == [0, 1, 0]


def test_pandas_moments_become_plain_ones() -> None:
    frame = pd.DataFrame({"v": pd.to_datetime(["2024-02-29 12:00", "2024-03-01 00:00"]), "label": ["a", "b"]})
    tree = bt.grow(bt.Instance.from_frame(frame, "label"))
    assert [compiled(tree)({"v": value}) for value in frame["v"]] == ["a", "b"]


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_of_codes_takes_codes(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    codes = np.random.default_rng(seed).integers(0, 6, (100, len(tree.test_names)))
    table = pa.table({name: codes[:, i] for i, name in enumerate(tree.test_names)})
    wanted = tree.predict(codes).tolist()
    diagnose = compiled(tree)
    assert [diagnose(row) for row in table.to_pylist()] == wanted
    assert by_duckdb(tree, table) == wanted


def test_sql_runs_on_a_second_engine() -> None:
    raw = bt.datasets.frame("mammographic")
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), budget=3)
    with sqlite3.connect(":memory:") as connection:
        raw.to_sql("cases", connection, index=False)
        found = [row[0] for row in connection.execute(f"SELECT {tree.to_sql()} FROM cases")]
    assert found == tree.predict(tree.encode(raw)).tolist()


@pytest.mark.parametrize("classes", [[True, False], [1, 2], [0.5, 1.5], ["a", 1], ["x'; DROP TABLE cases; --", "y"]])
def test_classes_of_every_type(classes: list[Any]) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=classes, test_names=["t"]))
    assert [compiled(tree)({"t": code}) for code in (0, 1)] == classes
    in_one_type = classes if classes != ["a", 1] else ["a", "1"]
    assert by_duckdb(tree, pa.table({"t": [0, 1]})) == in_one_type


def test_hostile_names_are_only_names() -> None:
    fee = "draw\rimport os; os.abort()\n#"
    name = "t\"'] or exit() #\n"
    prices = bt.Prices({name: 1}, shared={fee: (2, [name])})
    tree = bt.grow(bt.Instance([[0], [1]], ["a", "b"], prices=prices, test_names=[name]))
    assert compiled(tree)({name: 1}) == "b"
    assert by_duckdb(tree, pa.table({name: [0, 1]})) == ["a", "b"]


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


@pytest.mark.parametrize("depth", [1, 39, 40, 41, 79, 80, 81, 1500])
def test_a_deep_tree_is_still_a_function(depth: int) -> None:
    tree = deep_tree(depth)
    diagnose = compiled(tree)
    for ones in {0, 1, depth // 2, depth - 1, depth}:
        codes = [int(i < ones) for i in range(depth)]
        case = {f"t{i}": code for i, code in enumerate(codes)}
        assert diagnose(case) == tree.predict([codes])[0]
    assert len(tree.rules()) == depth + 1
    assert tree.to_dot().count("->") == 2 * depth
    assert tree.to_sql().count("CASE") == depth


@pytest.mark.parametrize("seed", range(30))
def test_the_rules_divide_the_known_cases_and_tell_their_costs(seed: int) -> None:
    instance = to_instance(reference.random_problem(random.Random(seed)))
    tree = bt.grow(instance, budget=random.Random(seed).choice([None, 3]))
    rules = tree.rules()
    assert sum(rule.cases for rule in rules) == pytest.approx(instance.weights.sum())
    assert sum(rule.errors for rule in rules) == pytest.approx(tree.errors)
    assert max(rule.cost for rule in rules) == tree.known_max_cost
    predicted, cost = tree.predict(instance.codes), tree.cost(instance.codes)
    for row in np.flatnonzero(instance.weights):  # an object of weight 0 is as good as absent
        shown = {
            name: instance.outcome_names[test][instance.codes[row, test]]
            for test, name in enumerate(instance.test_names)
        }
        fitting = [r for r in rules if all(shown[test] in outcomes for test, outcomes in r.conditions)]
        assert len(fitting) == 1
        assert fitting[0].label == predicted[row]
        assert fitting[0].cost >= cost[row] - 1e-9


def test_rules_read_well() -> None:
    tree = bt.optimal(bt.datasets.load("pima"), budget=1).tree
    assert tree.to_rules().splitlines() == [
        "if pregnant is 0.0 to 6.6 then neg  [costs 1; right for 413 of 586]",
        "if pregnant is 6.6 to 17.0 then pos  [costs 1; right for 94 of 167]",
    ]
    leaf = bt.grow(bt.datasets.load("pima"), budget=0)
    assert leaf.to_rules() == "always neg  [costs 0; right for 486 of 753]"
    assert compiled(leaf)({}) == "neg"
    assert leaf.to_sql().strip() == "'neg'"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot's, about its parser
def test_graphviz_reads_the_graph() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=3)
    graph = pydot.graph_from_dot_data(tree.to_dot())[0]
    leaves = [node for node in graph.get_nodes() if node.get("color")]
    assert len(graph.get_edges()) == len(graph.get_nodes()) - 3  # beside the defaults for nodes and edges, one root
    assert len(leaves) == len(tree.rules())
    odd = bt.grow(bt.Instance([[0], [1]], ['"quoted"', "back\\slash"], test_names=["a\nb"]))
    labels = [node.get("label") for node in pydot.graph_from_dot_data(odd.to_dot())[0].get_nodes()]
    assert any('\\"quoted\\"' in (label or "") for label in labels)


def test_whole_numbers_and_short_floats_are_rounded_as_in_a_table() -> None:
    whole = [2**60 + i * 7 for i in range(600)]
    frame = pd.DataFrame({"a": whole, "y": ["low" if i <= 300 else "high" for i in range(600)]})
    tree = bt.grow(bt.Instance.from_frame(frame, "y"))
    diagnose = compiled(tree)
    assert [diagnose({"a": value}) for value in whole] == expected(tree, frame)
    base = pd.DataFrame({"a": np.linspace(0, 1, 50), "y": [0, 1] * 25})
    tree = bt.grow(bt.Instance.from_frame(base, "y", levels={"a": 100}))
    edges = np.float32(tree.schema.encoders[0].thresholds)
    near = np.concatenate([edges, np.nextafter(edges, np.float32(0)), np.nextafter(edges, np.float32(9))])
    diagnose = compiled(tree)
    assert [diagnose({"a": value}) for value in near] == expected(tree, pd.DataFrame({"a": near}))


def test_what_cannot_be_written_is_refused() -> None:
    moments = [pd.Timestamp("2024-01-01T00:00:00.000000001"), pd.Timestamp("2024-01-01T00:00:00.000000002")]
    parts = list(pd.cut(np.arange(20), 3))
    for values in (moments * 3, parts[:10]):
        known = pd.DataFrame({"a": pd.Series(values, dtype=object), "y": [0, 1] * (len(values) // 2)})
        tree = bt.grow(bt.Instance.from_frame(known, "y", duplicates="keep"), budget=1)
        if len(tree.nodes) == 1:
            tree = bt.grow(bt.Instance.from_frame(known.assign(y=range(len(values))), "y", duplicates="keep"), budget=1)
        with pytest.raises(ValueError, match="cannot be written as Python"):
            tree.to_python()
    raw = bt.grow(bt.Instance.from_frame(pd.DataFrame({"a": [b"p", b"q"], "y": [0, 1]}), "y"))
    with pytest.raises(ValueError, match="is a bytes, which cannot be written as SQL"):
        raw.to_sql()
    alike = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[1, "1"]))
    with pytest.raises(ValueError, match="look alike as text"):
        alike.to_sql()


def test_numpys_values_become_pythons() -> None:
    known = pd.DataFrame({"a": pd.Series([np.str_("p"), np.float64(1.5)] * 2, dtype=object), "y": [0, 1, 0, 1]})
    tree = bt.grow(bt.Instance.from_frame(known, "y"))
    assert [compiled(tree)({"a": value}) for value in known["a"]] == [0, 1, 0, 1]


def test_texts_that_look_like_ranges_are_not_joined() -> None:
    known = pd.DataFrame({"a": ["1 to 2", "2 to 5", "x"], "y": [0, 0, 1]})
    rules = bt.grow(bt.Instance.from_frame(known, "y", duplicates="keep")).rules()
    assert rules[0].conditions == (("a", ("1 to 2", "2 to 5")),)


def test_a_function_must_have_a_functions_name() -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    for name in ("class", "two words", "1st", "float", "f(): pass\ndef g"):
        with pytest.raises(ValueError, match="expected a name for a Python function"):
            tree.to_python(name)


def test_missing_values_of_python_are_missing() -> None:
    frame = pd.DataFrame({"x": [float(i) for i in range(20)], "label": ["a"] * 10 + ["b"] * 10})
    diagnose = compiled(bt.grow(bt.Instance.from_frame(frame, "label", duplicates="keep")))
    assert diagnose({"x": None}) == diagnose({"x": math.nan}) == "a"
    assert diagnose({"x": 19}) == "b"
