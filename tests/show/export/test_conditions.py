"""When a raw value takes a branch: everything that writes these conditions, and the rules, agree with predict."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from exported import assert_all_agree, by_duckdb, compiled
from labelled import heart_frame, heart_tree, tree_of_texts


@pytest.mark.parametrize("name", [name for name in bt.datasets.names() if name not in ("synthetic", "figure1")])
def test_every_export_predicts_what_the_tree_does(name: str) -> None:
    raw = bt.datasets.frame(name)
    target = raw.columns[-1]
    tree = bt.grow(bt.Instance.from_frame(raw, target), bt.HingedPairs(3), budget=5)
    table = pa.Table.from_pandas(raw.drop(columns=target), preserve_index=False)
    assert_all_agree(tree, table.slice(0, 400))


CASES = st.lists(
    st.fixed_dictionaries(
        {
            "x": st.none() | st.floats(-100, 100) | st.integers(-5, 5).map(float) | st.sampled_from([0.0, -0.0]),
            "few": st.none() | st.sampled_from([0.0, -0.0, 0.5, 1e300]),
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
    "few": pa.float64(),
    'odd "name"': pa.string(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "label": pa.string(),
}


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
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


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_of_codes_takes_codes(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    codes = np.random.default_rng(seed).integers(0, 6, (100, len(tree.test_names)))
    table = pa.table({name: codes[:, i] for i, name in enumerate(tree.test_names)})
    wanted = tree.predict_codes(codes).tolist()
    diagnose = compiled(tree)
    assert [diagnose(row) for row in table.to_pylist()] == wanted
    assert by_duckdb(tree, table) == wanted


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


WICKED = '"""); raise SystemExit # \\" */ </script> \n raise SystemExit'


def run_python(source: str) -> Any:
    room: dict[str, Any] = {}
    exec(source, room)
    return room["predict"]


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_labels_are_in_comments_and_answers_are_the_same(leaves: str | None) -> None:
    tree = heart_tree(leaves)
    python, script = tree.export("python"), tree.export("javascript")
    for source in (python, script):
        for note in ("costs are in €", "sex: Sex (", "female", "chol: Cholesterol", "answer 1: heart disease"):
            assert note in source
    predict, rows = run_python(python), heart_frame().drop(columns="ill")
    found = [predict(row) for row in rows.to_dict("records")]
    assert found == tree.predict(rows).tolist()
    assert tree.export("sql") == tree.with_labels(None).export("sql")


@pytest.mark.parametrize("kind", ["plain", "model", "tree"])
def test_no_label_becomes_a_part_of_a_program(kind: str) -> None:
    wicked = bt.Labels({"qa1q": {"name": WICKED, "outcomes": {"qb1q": WICKED}}}, {"qe1q": WICKED}, unit='"""\\')
    tree = tree_of_texts(kind).with_labels(wicked)
    run_python(tree.export("python"))
    script = tree.export("javascript")
    assert "</script" not in script
    comments = [line for line in script.splitlines() if "SystemExit" in line]
    assert comments
    assert all(line.startswith("//") for line in comments)
    if kind != "model":
        ElementTree.fromstring(tree.export("pmml"))


def test_pmml_shows_labels_beside_the_names() -> None:
    document = ElementTree.fromstring(heart_tree().export("pmml"))
    place = {"p": "http://www.dmg.org/PMML-4_4"}
    fields = {field.attrib["name"]: field for field in document.findall(".//p:DataField", place)}
    assert fields["sex"].attrib["displayName"] == "Sex"
    assert fields["chol"].attrib["displayName"] == "Cholesterol"
    values = [(value.attrib["value"], value.attrib["displayValue"]) for value in fields["sex"]]
    assert values == [("0", "female"), ("1", "male")]
    assert [value.attrib["displayValue"] for value in fields["answer"]] == ["healthy", "heart disease"]
